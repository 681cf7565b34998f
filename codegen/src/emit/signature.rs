//! How tensors are passed and returned: as what a person has at hand.
//!
//! ```text
//!   x: dense              x: &[f64]                       returned: Vec<f64>
//!   A: (dense, ctree)     a: &impl Rows<Value = f64>      any outer level over rows of any store, static rows as well
//!   B: csr                b: CsrView<'_, f64>             returned: Csr<f64>; aliases of the runtime's `Tensor`
//!   F: (j: dense, i: ctree)   f: Tensor<2, (Dense, Stores<&impl Rows>), ()>   by columns: a matrix by rows is of another type
//!   v: bst                v: Tensor<1, (Stores<impl Fiber<…>>,), ()>
//!   alpha: f64            alpha: f64
//! ```

use std::collections::BTreeMap;

use proc_macro2::{Ident, Literal as Token, Span, TokenStream};
use quote::{format_ident, quote};

use super::expr::scalar_type;
use super::{EmitError, Emitter};
use crate::ir::expr::Expr;
use crate::ir::kernel::{Access, Field, Kernel, Layout, Tensor, Var};
use crate::ir::stmt::{Block, Domain, Stmt};
use crate::ir::types::{ArrayType, Element, StoreType, Type};

/// How one tensor is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    /// Field by field.
    Fields,
    /// As a slice: one dense level, of which this is the array.
    Slice(Var),
    /// As rows: two levels, of which the inner one is kept by this.
    Rows(Var),
    /// As a struct of all its fields.
    Whole,
}

/// Type aliases that the functions of a module name, with their documentation.
pub(super) type Aliases = BTreeMap<String, TokenStream>;

/// How a tensor is passed.
pub(super) fn passing(kernel: &Kernel, tensor: &Tensor) -> Passing {
    let Some(layout) = &tensor.layout else { return Passing::Fields };
    // A level from elsewhere has no struct in the runtime: its arrays are passed one by one.
    let foreign = |(at, (kind, _)): (usize, &(String, Option<usize>))| {
        let mut own = tensor.fields.iter().filter(|field| field.level == Some(at) && field.name != "extent").peekable();
        own.peek().is_some()
            && own.all(|field| !is_stores(kernel, field.var))
            && !LEVELS.contains(&level_name(kind).as_str())
    };
    if layout.levels.iter().enumerate().any(foreign) {
        return Passing::Fields;
    }
    let of_levels = tensor.fields.iter().filter(|field| field.level.is_some()).count();
    let stores = tensor.fields.iter().find(|field| is_stores(kernel, field.var));
    let vals = tensor.fields.iter().find(|field| field.name == "vals");
    match (&layout.levels[..], stores, vals) {
        ([(_, Some(_))], None, Some(vals)) if of_levels == 0 => Passing::Slice(vals.var),
        // Rows are rows: what is kept by columns is passed as a tensor, whose type says how it is kept.
        ([(_, Some(0)), (_, Some(1))], Some(stores), _)
            if of_levels == 1 && stores.level.is_some_and(|at| at + stores_below(&kernel.vars[stores.var].ty) == 1) =>
        {
            Passing::Rows(stores.var)
        }
        _ => Passing::Whole,
    }
}

/// How many levels of stores are held by the stores of a type.
fn stores_below(ty: &Type) -> usize {
    let (Type::Store(StoreType { element, .. }) | Type::Array(ArrayType { element, .. })) = ty else { return 0 };
    let (mut element, mut levels) = (element, usize::from(matches!(ty, Type::Store(_))));
    while let Element::Store(store) = element {
        (element, levels) = (&store.element, levels + 1);
    }
    levels.saturating_sub(1)
}

pub(super) fn is_stores(kernel: &Kernel, v: Var) -> bool {
    matches!(kernel.vars[v].ty, Type::Store(_) | Type::Array(ArrayType { element: Element::Store(_), .. }))
}

/// The kernel with the extents of slices taken from the slices, which are called what their tensors are.
pub(super) fn prepare(kernel: &Kernel) -> Kernel {
    let mut kernel = kernel.clone();
    for at in 0..kernel.params.len() {
        let tensor = kernel.params[at].clone();
        let own = tensor.name.to_lowercase();
        match passing(&kernel, &tensor) {
            Passing::Slice(vals) => {
                kernel.vars.rename(vals, own);
                let Some(len) = tensor.fields.iter().find(|field| field.name != "vals").map(|field| field.var) else {
                    continue;
                };
                kernel.params[at].fields.retain(|field| field.var != len);
                let mut measured = move |e: &mut Expr| {
                    if *e == Expr::Var(len) {
                        *e = Expr::Len(vals);
                    }
                };
                for check in &mut kernel.checks {
                    check.left.rewrite(&mut measured);
                    check.right.rewrite(&mut measured);
                }
                if tensor.access == Access::Write && used_inside(&kernel.body, len) {
                    // What is being written cannot be asked for its length.
                    kernel.body.0.insert(0, Stmt::Let(len, Expr::Len(vals)));
                    continue;
                }
                for stmt in &mut kernel.body.0 {
                    stmt.rewrite_exprs(&mut measured);
                }
            }
            Passing::Rows(stores) => kernel.vars.rename(stores, own),
            Passing::Fields | Passing::Whole => {}
        }
    }
    for at in 0..kernel.results.len() {
        let tensor = kernel.results[at].clone();
        if let Passing::Slice(vals) = passing(&kernel, &tensor) {
            kernel.vars.rename(vals, tensor.name.to_lowercase());
            kernel.results[at].fields.retain(|field| field.var == vals);
        }
    }
    kernel
}

/// Whether a variable is used anywhere but as the bound of an outermost loop.
fn used_inside(body: &Block, v: Var) -> bool {
    body.0.iter().any(|stmt| {
        let header = match stmt {
            Stmt::For { lo, hi, .. } | Stmt::Parallel { domain: Domain::Range { lo, hi }, .. } => {
                [lo, hi].iter().any(|e| e.mentions(v))
            }
            _ => false,
        };
        let mut all = 0;
        stmt.visit_exprs(&mut |e| all += usize::from(*e == Expr::Var(v)));
        all > usize::from(header)
    })
}

/// `csr` as a type: `Csr`.
pub(super) fn type_name(format: &str) -> String {
    let mut name = String::new();
    for part in format.split('_').filter(|part| !part.is_empty()) {
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        if digit(name.chars().next_back()) && digit(part.chars().next()) {
            name.push('x');
        }
        let mut chars = part.chars();
        name.extend(chars.next().map(|c| c.to_ascii_uppercase()));
        name.push_str(chars.as_str());
    }
    name
}

/// The runtime's struct of a kind of level.
fn level_name(kind: &str) -> String {
    type_name(kind)
}

impl Emitter<'_> {
    /// The parameters of a tensor, and what unpacks them.
    pub(super) fn parameters(
        &self,
        tensor: &Tensor,
        generics: &mut Vec<TokenStream>,
    ) -> Result<(Vec<TokenStream>, TokenStream), EmitError> {
        Ok(match passing(self.kernel, tensor) {
            Passing::Fields | Passing::Slice(_) => {
                let mut params = Vec::new();
                for field in &tensor.fields {
                    let (name, ty) = (self.binding(field.var), self.field_type(tensor.access, field, generics)?);
                    params.push(quote!(#name: #ty));
                }
                (params, TokenStream::new())
            }
            Passing::Rows(stores) => {
                let (name, rows) = (self.rows_binding(tensor, stores), self.rows_type(stores, generics));
                (vec![quote!(#name: &#rows)], TokenStream::new())
            }
            Passing::Whole => {
                let Some(layout) = &tensor.layout else { return self.unsupported("a tensor without a layout") };
                let name = self.handle(tensor);
                self.check_passed(tensor, layout)?;
                let unpack = self.unpack(tensor, layout, &name);
                let ty = self.whole_type(tensor, layout, generics)?;
                let name = if unpack.is_empty() { format_ident!("_{name}") } else { name };
                (vec![quote!(#name: #ty)], unpack)
            }
        })
    }

    /// `a.num_rows()`, if a variable is an extent of rows.
    pub(super) fn extent_of_rows(&self, v: Var) -> Option<TokenStream> {
        let tensor = self.kernel.params.iter().find(|tensor| extents(tensor).any(|field| field.var == v))?;
        let Passing::Rows(stores) = passing(self.kernel, tensor) else { return None };
        let m = extents(tensor).position(|field| field.var == v);
        let outer = tensor.layout.as_ref()?.levels.first()?.1;
        let a = self.ident(stores);
        Some(if m == outer { quote!(#a.num_rows()) } else { quote!(#a.num_cols()) })
    }

    /// Whether an expression is the number of a matrix's rows, or checked to be.
    pub(super) fn is_row_extent(&self, a: Var, e: &Expr) -> bool {
        let Some(tensor) = self.kernel.params.iter().find(|tensor| tensor.fields.iter().any(|field| field.var == a))
        else {
            return false;
        };
        let outer = tensor.layout.as_ref().and_then(|layout| layout.levels.first()?.1);
        let Some(rows) = outer.and_then(|m| extents(tensor).nth(m)).map(|field| Expr::Var(field.var)) else {
            return false;
        };
        passing(self.kernel, tensor) == Passing::Rows(a)
            && (*e == rows
                || self.kernel.checks.iter().any(|check| {
                    (check.left == rows && check.right == *e) || (check.right == rows && check.left == *e)
                }))
    }

    /// `a_i`: a row by the names of its matrix and its index.
    pub(super) fn row_name(&self, a: Var, i: Var) -> Ident {
        let mut name = format!("{}_{}", &self.names[a], &self.names[i]);
        while self.kernel.vars.iter().any(|(v, _)| self.names[v] == name) {
            name.push('_');
        }
        Ident::new(&name, Span::call_site())
    }

    fn rows_binding(&self, tensor: &Tensor, stores: Var) -> Ident {
        let used = tensor.fields.iter().any(|field| self.used[field.var.0 as usize]);
        if used { self.ident(stores) } else { format_ident!("_{}", &self.names[stores]) }
    }

    /// What a tensor is called before it is unpacked: its own name, if no variable has it.
    pub(super) fn handle(&self, tensor: &Tensor) -> Ident {
        let mut name = tensor.name.to_lowercase();
        while self.kernel.vars.iter().any(|(v, _)| self.names[v] == name) || syn::parse_str::<Ident>(&name).is_err() {
            name.push('_');
        }
        Ident::new(&name, Span::call_site())
    }

    /// `let (a_rows, a_cols) = (a.shape[0], a.shape[1]); let Compressed { pos: a_pos, crd: a_crd } = a.levels.1; …`: what of a tensor
    /// is used. Empty if nothing is.
    fn unpack(&self, tensor: &Tensor, layout: &Layout, a: &Ident) -> TokenStream {
        let used = |v: Var| self.used[v.0 as usize];
        let mut all = TokenStream::new();
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for (m, field) in extents(tensor).enumerate().filter(|(_, field)| used(field.var)) {
            let m = Token::usize_unsuffixed(m);
            names.push(self.ident(field.var));
            values.push(quote!(#a.shape[#m]));
        }
        match (&names[..], &values[..]) {
            ([], _) => {}
            ([name], [value]) => all.extend(quote!(let #name = #value;)),
            _ => all.extend(quote!(let (#(#names),*) = (#(#values),*);)),
        }
        for (n, (at, kind)) in self.passed(tensor, layout).into_iter().enumerate() {
            let own: Vec<&Field> = tensor.fields.iter().filter(|field| field.level == Some(at)).collect();
            let at = Token::usize_unsuffixed(n);
            let extent = own.iter().find(|field| field.name == "extent");
            if let Some(extent) = extent.filter(|field| used(field.var)) {
                let name = self.ident(extent.var);
                all.extend(quote!(let #name = #a.levels.#at.extent;));
            }
            let from = if extent.is_some() { quote!(#a.levels.#at.level) } else { quote!(#a.levels.#at) };
            if let Some(stores) = own.iter().find(|field| is_stores(self.kernel, field.var)) {
                if used(stores.var) {
                    let name = self.ident(stores.var);
                    all.extend(quote!(let #name = #from.0;));
                }
                continue;
            }
            let mut fields = Vec::new();
            for field in own.iter().filter(|field| field.name != "extent") {
                let (of, name) = (Ident::new(&field.name, Span::call_site()), self.ident(field.var));
                fields.push(if used(field.var) { quote!(#of: #name) } else { quote!(#of: _) });
            }
            if own.iter().any(|field| field.name != "extent" && used(field.var)) {
                let level = self.level_import(kind);
                all.extend(quote!(let #level { #(#fields),* } = #from;));
            }
        }
        if let Some(vals) = tensor.fields.iter().find(|field| field.name == "vals").filter(|field| used(field.var)) {
            let name = self.ident(vals.var);
            all.extend(quote!(let #name = #a.vals;));
        }
        all
    }

    /// The levels of a tensor as a struct: number and kind of each, without those whose stores are held by the stores above them.
    fn passed<'l>(&self, tensor: &Tensor, layout: &'l Layout) -> Vec<(usize, &'l str)> {
        let mut held = 0;
        let mut all = Vec::new();
        for (at, (kind, _)) in layout.levels.iter().enumerate() {
            if held > 0 {
                held -= 1;
                continue;
            }
            let stores =
                tensor.fields.iter().find(|field| field.level == Some(at) && is_stores(self.kernel, field.var));
            held = stores.map_or(0, |field| stores_below(&self.kernel.vars[field.var].ty));
            all.push((at, &kind[..]));
        }
        all
    }

    /// Refuses what a struct has no place for.
    fn check_passed(&self, tensor: &Tensor, layout: &Layout) -> Result<(), EmitError> {
        let passed = self.passed(tensor, layout);
        let left_out = |level: usize| passed.iter().all(|(at, _)| *at != level);
        if tensor.fields.iter().any(|field| field.level.is_some_and(left_out)) {
            return self.unsupported("stores of parts of coordinates below other stores");
        }
        Ok(())
    }

    fn level_import(&self, kind: &str) -> TokenStream {
        let name = level_name(kind);
        match LEVELS.iter().find(|level| **level == name) {
            Some(level) => {
                let level = self.import(level);
                quote!(#level)
            }
            None => {
                let (runtime, name) = (&self.runtime, Ident::new(&name, Span::call_site()));
                quote!(#runtime::tensor::#name)
            }
        }
    }

    /// A result put together: `Tensor { … }`, and its type.
    pub(super) fn result(
        &self,
        tensor: &Tensor,
        generics: &mut Vec<TokenStream>,
    ) -> Result<Vec<(TokenStream, TokenStream)>, EmitError> {
        let Some(layout) = tensor.layout.as_ref().filter(|_| passing(self.kernel, tensor) != Passing::Fields) else {
            return self.results_by_field(tensor, generics);
        };
        if let Passing::Slice(_) = passing(self.kernel, tensor) {
            return self.results_by_field(tensor, generics);
        }
        let runtime = &self.runtime;
        let import = self.import("Tensor");
        let shape: Vec<Ident> = extents(tensor).map(|field| self.ident(field.var)).collect();
        self.check_passed(tensor, layout)?;
        let remapped = |own: &[&Field], level: TokenStream| match own.iter().find(|field| field.name == "extent") {
            Some(extent) => {
                let (remapped, extent) = (self.import("Remapped"), self.ident(extent.var));
                quote!(#remapped { extent: #extent, level: #level })
            }
            None => level,
        };
        let mut levels = Vec::new();
        for (at, kind) in self.passed(tensor, layout) {
            let own: Vec<&Field> = tensor.fields.iter().filter(|field| field.level == Some(at)).collect();
            if let Some(stores) = own.iter().find(|field| is_stores(self.kernel, field.var)) {
                let (wrap, name) = (self.import("Stores"), self.ident(stores.var));
                levels.push(remapped(&own, quote!(#wrap(#name))));
                continue;
            }
            let mut fields = Vec::new();
            for field in own.iter().filter(|field| field.name != "extent") {
                let (name, value) = (Ident::new(&field.name, Span::call_site()), self.ident(field.var));
                fields.push(quote!(#name: #value));
            }
            let level = if fields.is_empty() {
                let name = Ident::new(&level_name(kind), Span::call_site());
                quote!(#runtime::tensor::#name)
            } else {
                let level = self.level_import(kind);
                quote!(#level { #(#fields),* })
            };
            levels.push(remapped(&own, level));
        }
        let vals = match tensor.fields.iter().find(|field| field.name == "vals") {
            Some(vals) => {
                let vals = self.ident(vals.var);
                quote!(#vals)
            }
            None if self.holds_values(tensor, layout) => quote!(()),
            None => {
                let entries = tensor.fields.iter().rev().find(|field| {
                    field.level == Some(layout.levels.len() - 1)
                        && matches!(self.kernel.vars[field.var].ty, Type::Array(_))
                });
                match entries {
                    Some(entries) => {
                        let entries = self.ident(entries.var);
                        quote!(vec![(); #entries.len()])
                    }
                    None => quote!(Vec::new()),
                }
            }
        };
        // The length of what becomes a level is asked first.
        let value = quote!(#import { shape: [#(#shape),*], vals: #vals, levels: (#(#levels,)*) });
        let ty = self.whole_type(&Tensor { access: Access::Write, ..tensor.clone() }, layout, generics)?;
        Ok(vec![(value, ty)])
    }

    /// Whether the values of a tensor, or the marks of a pattern, are in the stores of its last level.
    fn holds_values(&self, tensor: &Tensor, layout: &Layout) -> bool {
        let last = self.passed(tensor, layout).last().map(|(at, _)| *at);
        tensor.fields.iter().any(|field| field.level == last && last.is_some() && is_stores(self.kernel, field.var))
    }

    fn results_by_field(
        &self,
        tensor: &Tensor,
        generics: &mut Vec<TokenStream>,
    ) -> Result<Vec<(TokenStream, TokenStream)>, EmitError> {
        let mut all = Vec::new();
        for field in &tensor.fields {
            let (name, ty) = (self.ident(field.var), self.result_type(field.var, generics)?);
            all.push((quote!(#name), ty));
        }
        Ok(all)
    }

    /// The type of a tensor as a whole: an alias, unless it holds stores.
    fn whole_type(
        &self,
        tensor: &Tensor,
        layout: &Layout,
        generics: &mut Vec<TokenStream>,
    ) -> Result<TokenStream, EmitError> {
        let runtime = &self.runtime;
        // A parameter that is given back keeps its name.
        let first = |tensor: &Tensor| tensor.fields.first().map(|field| field.var);
        let is_result = self.kernel.results.iter().any(|made| made.name == tensor.name && first(made) == first(tensor));
        let rank = Token::usize_unsuffixed(extents(tensor).count());
        let value = self.value_of(tensor, layout);
        if tensor.fields.iter().any(|field| is_stores(self.kernel, field.var)) {
            // Every caller has stores of its own: there is nothing to give a name to.
            let array = |element: TokenStream| if is_result { quote!(Vec<#element>) } else { quote!(&[#element]) };
            let levels = self.level_types(tensor, layout, &array, &mut |stores| match is_result {
                true => self.result_type(stores, generics),
                false => Ok(self.stores_type(stores, generics)),
            })?;
            let value = match (value, is_result, tensor.access) {
                (None, ..) => quote!(()),
                (Some(value), true, _) => quote!(Vec<#value>),
                (Some(value), false, Access::Read) => quote!(&[#value]),
                (Some(value), false, Access::Write) => quote!(&mut [#value]),
            };
            return Ok(quote!(#runtime::tensor::Tensor<#rank, (#(#levels,)*), #value>));
        }
        let value = value.unwrap_or_default();
        let name = type_name(&layout.name);
        let (view, written) = (format_ident!("{name}View"), format_ident!("{name}Mut"));
        let name = Ident::new(&name, Span::call_site());
        let owned = self.static_levels(tensor, layout, &|element| quote!(Vec<#element>))?;
        let borrowed = self.static_levels(tensor, layout, &|element| quote!(&'a [#element]))?;
        let doc = format!(" `{}`: {}", layout.name, tensor.format);
        let mut aliases = self.aliases.borrow_mut();
        aliases.entry(name.to_string()).or_insert_with(|| {
            let (of_arrays, of_views) = (format!("{doc}."), format!("{doc}, its arrays borrowed."));
            quote! {
                #[doc = #of_arrays]
                #[allow(dead_code)]
                pub type #name<V> = #runtime::tensor::Tensor<#rank, (#(#owned,)*), Vec<V>>;
                #[doc = #of_views]
                #[allow(dead_code)]
                pub type #view<'a, V> = #runtime::tensor::Tensor<#rank, (#(#borrowed,)*), &'a [V]>;
            }
        });
        if is_result {
            return Ok(quote!(#name<#value>));
        }
        if tensor.access == Access::Read {
            return Ok(quote!(#view<'_, #value>));
        }
        aliases.entry(written.to_string()).or_insert_with(|| {
            let doc = format!("{doc}, its values to be written.");
            quote! {
                #[doc = #doc]
                #[allow(dead_code)]
                pub type #written<'a, V> = #runtime::tensor::Tensor<#rank, (#(#borrowed,)*), &'a mut [V]>;
            }
        });
        Ok(quote!(#written<'_, #value>))
    }

    /// The type of a tensor's values: `()` of a pattern, `None` where stores hold them.
    pub(super) fn value_of(&self, tensor: &Tensor, layout: &Layout) -> Option<TokenStream> {
        match tensor.fields.iter().find(|field| field.name == "vals") {
            Some(field) => Some(self.kernel.vars[field.var].ty.array_scalar().map_or(quote!(()), scalar_type)),
            None if self.holds_values(tensor, layout) => None,
            None => Some(quote!(())),
        }
    }

    /// The types of a tensor's levels, from the outermost on: their arrays are what `array` makes of an element's type, their stores
    /// what `stores` says.
    pub(super) fn level_types(
        &self,
        tensor: &Tensor,
        layout: &Layout,
        array: &dyn Fn(TokenStream) -> TokenStream,
        stores: &mut dyn FnMut(Var) -> Result<TokenStream, EmitError>,
    ) -> Result<Vec<TokenStream>, EmitError> {
        let runtime = &self.runtime;
        let mut all = Vec::new();
        for (at, kind) in self.passed(tensor, layout) {
            let own: Vec<&Field> = tensor.fields.iter().filter(|field| field.level == Some(at)).collect();
            let arrays: Vec<TokenStream> = own
                .iter()
                .filter_map(|field| self.kernel.vars[field.var].ty.array_scalar())
                .map(|scalar| array(scalar_type(scalar)))
                .collect();
            let name = Ident::new(&level_name(kind), Span::call_site());
            let level = match own.iter().find(|field| is_stores(self.kernel, field.var)) {
                Some(field) => {
                    let stores = stores(field.var)?;
                    quote!(#runtime::tensor::Stores<#stores>)
                }
                None if arrays.is_empty() => quote!(#runtime::tensor::#name),
                None => quote!(#runtime::tensor::#name<#(#arrays),*>),
            };
            let remapped = own.iter().any(|field| field.name == "extent");
            all.push(if remapped { quote!(#runtime::tensor::Remapped<#level>) } else { level });
        }
        Ok(all)
    }

    /// The types of the levels of a tensor that holds no stores.
    pub(super) fn static_levels(
        &self,
        tensor: &Tensor,
        layout: &Layout,
        array: &dyn Fn(TokenStream) -> TokenStream,
    ) -> Result<Vec<TokenStream>, EmitError> {
        self.level_types(tensor, layout, array, &mut |_| self.unsupported("a static tensor with stores"))
    }

    /// The type of what keeps a level: rows, or one fiber.
    fn stores_type(&self, v: Var, generics: &mut Vec<TokenStream>) -> TokenStream {
        match &self.kernel.vars[v].ty {
            Type::Store(store) if !matches!(store.element, Element::Store(_)) => self.fiber_type(store, generics),
            _ => {
                let rows = self.rows_type(v, generics);
                quote!(&#rows)
            }
        }
    }

    pub(super) fn fiber_type(&self, store: &StoreType, generics: &mut Vec<TokenStream>) -> TokenStream {
        let (runtime, coord) = (&self.runtime, scalar_type(store.coord));
        if generics.first().is_none_or(|g| g.to_string() != "'a") {
            generics.insert(0, quote!('a));
        }
        match &store.element {
            Element::Scalar(value) => {
                let value = scalar_type(*value);
                quote!(impl #runtime::Fiber<'a, Coord = #coord, Value = #value>)
            }
            _ => quote!(impl #runtime::Fiber<'a, Coord = #coord>),
        }
    }

    /// `impl Rows<Value = f64>`: a matrix over rows of any store. The values of a pattern may be of any type.
    pub(super) fn rows_type(&self, v: Var, generics: &mut Vec<TokenStream>) -> TokenStream {
        let runtime = &self.runtime;
        let row = match &self.kernel.vars[v].ty {
            Type::Array(ArrayType { element: Element::Store(row), .. }) => row,
            Type::Store(StoreType { element: Element::Store(row), .. }) => row,
            _ => return quote!(impl #runtime::Rows),
        };
        match &row.element {
            Element::Scalar(value) => {
                let value = scalar_type(*value);
                quote!(impl #runtime::Rows<Value = #value>)
            }
            Element::Pattern => quote!(impl #runtime::Rows),
            Element::Store(inner) => {
                let name = self.store_parameter(v).unwrap_or_else(|| quote!(Store));
                let bound = self.store_bound(inner, &name, generics);
                generics.push(quote!(#name: #bound));
                quote!(impl #runtime::Rows<Value = #name>)
            }
        }
    }
}

/// The fields that hold the extents of a tensor.
pub(super) fn extents(tensor: &Tensor) -> impl Iterator<Item = &Field> {
    tensor.fields.iter().filter(|field| field.level.is_none() && field.name != "vals" && field.name != "value")
}

/// The structs of levels that the runtime brings.
const LEVELS: &[&str] = &["Banded", "Compressed", "Hashed", "Singleton", "Sliced", "Squeezed"];
