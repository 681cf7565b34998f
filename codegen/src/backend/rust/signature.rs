//! How tensors are passed and returned: as what a person has at hand.
//!
//! ```text
//!   x: dense              x: &[f64]                       returned: Vec<f64>
//!   A: (dense, ctree)     a: &impl Rows<Value = f64>      any outer level over rows of any store, static rows as well
//!   B: csr                b: CsrView<'_, f64>             returned: Csr<f64>; aliases of the runtime's `Tensor`
//!   F: (j: dense, i: ctree)   f: Arranged<Tensor<2, (Dense, Stores<&impl Rows>), ()>, (Index<1>, Index<0>)>   by columns
//!   v: bst                v: Tensor<1, (Stores<impl Fiber<…>>,), ()>
//!   alpha: f64            alpha: f64
//! ```

use std::collections::BTreeMap;

use proc_macro2::{Ident, Literal as Token, Span, TokenStream};
use quote::{format_ident, quote};

use super::literal::scalar_type;
use super::{EmitError, Emitter};
use crate::format::Coordinate;
use crate::ir::convention::{Form, Level, Mode, Passed, Values};
use crate::ir::expr::Expr;
use crate::ir::kernel::{Access, Kernel, Layout, Tensor, Var};
use crate::ir::stmt::{Block, Domain, Stmt};
use crate::ir::types::{ArrayType, Element, StoreType, Type};

/// Type aliases that the functions of a module name.
#[derive(Default)]
pub(super) struct Aliases {
    /// The declarations by name, with their documentation.
    pub items: BTreeMap<String, TokenStream>,
    /// The type that each name of a format stands for.
    types: BTreeMap<String, String>,
}

impl Aliases {
    /// The name of a type that a format of the name `wanted` has. Formats that are written out where they are used may have one name and
    /// different types: `compressed` and `compressed(nonunique)`. The second of them gets a number.
    fn name(&mut self, wanted: &str, owned: &TokenStream) -> String {
        let owned = owned.to_string();
        let numbered = |n: usize| if n == 1 { wanted.to_owned() } else { format!("{wanted}{n}") };
        let free = |name: &String| self.types.get(name).is_none_or(|of| *of == owned);
        let name = (1..).map(numbered).find(free).expect("there are more numbers than formats");
        self.types.insert(name.clone(), owned);
        name
    }
}

/// The kernel with the extents of slices taken from the slices, which are called what their tensors are.
pub(super) fn prepare(kernel: &Kernel) -> Kernel {
    let mut kernel = kernel.clone();
    for at in 0..kernel.params.len() {
        let tensor = kernel.params[at].clone();
        let own = tensor.name.to_lowercase();
        match kernel.form(&tensor) {
            Form::Slice(vals) => {
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
            Form::Rows(stores) => kernel.vars.rename(stores, own),
            Form::Fields | Form::Whole => {}
        }
    }
    for at in 0..kernel.results.len() {
        let tensor = kernel.results[at].clone();
        if let Form::Slice(vals) = kernel.form(&tensor) {
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
        let passed = self.kernel.passed(tensor);
        Ok(match (passed.form, &tensor.layout) {
            (Form::Rows(stores), _) => {
                let (name, rows) = (self.rows_binding(tensor, stores), self.rows_type(stores, generics));
                (vec![quote!(#name: &#rows)], TokenStream::new())
            }
            (Form::Whole, Some(layout)) => {
                let name = self.handle(tensor);
                self.check_passed(&passed)?;
                let unpack = self.unpack(&passed, &name);
                let ty = self.whole_type(&passed, layout, generics)?;
                let name = if unpack.is_empty() { format_ident!("_{name}") } else { name };
                (vec![quote!(#name: #ty)], unpack)
            }
            _ => {
                let mut params = Vec::new();
                for field in &tensor.fields {
                    let (name, ty) = (self.binding(field.var), self.field_type(tensor.access, field, generics)?);
                    params.push(quote!(#name: #ty));
                }
                (params, TokenStream::new())
            }
        })
    }

    /// `a.num_rows()`, if a variable is an extent of rows.
    pub(super) fn extent_of_rows(&self, v: Var) -> Option<TokenStream> {
        let tensor = self.kernel.params.iter().find(|tensor| tensor.extents().any(|extent| extent == v))?;
        let Form::Rows(stores) = self.kernel.form(tensor) else { return None };
        let m = tensor.extents().position(|extent| extent == v);
        let outer = tensor.layout.as_ref()?.levels.first()?.index();
        let a = self.ident(stores);
        Some(if m == outer { quote!(#a.num_rows()) } else { quote!(#a.num_cols()) })
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
    fn unpack(&self, passed: &Passed<'_>, a: &Ident) -> TokenStream {
        let used = |v: Var| self.used[v.0 as usize];
        let mut all = TokenStream::new();
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for (m, extent) in passed.extents.iter().enumerate().filter(|(_, extent)| used(**extent)) {
            let m = Token::usize_unsuffixed(m);
            names.push(self.ident(*extent));
            values.push(quote!(#a.shape[#m]));
        }
        match (&names[..], &values[..]) {
            ([], _) => {}
            ([name], [value]) => all.extend(quote!(let #name = #value;)),
            _ => all.extend(quote!(let (#(#names),*) = (#(#values),*);)),
        }
        for (at, level) in passed.levels.iter().enumerate() {
            let at = Token::usize_unsuffixed(at);
            if let Some(extent) = level.extent.filter(|extent| used(*extent)) {
                let name = self.ident(extent);
                all.extend(quote!(let #name = #a.levels.#at.extent;));
            }
            let from = if level.extent.is_some() { quote!(#a.levels.#at.level) } else { quote!(#a.levels.#at) };
            if let Some(stores) = level.stores.filter(|stores| used(*stores)) {
                let name = self.ident(stores);
                all.extend(quote!(let #name = #from.0;));
            }
            let fields = level.fields.iter().map(|field| {
                let (of, name) = (Ident::new(&field.name, Span::call_site()), self.ident(field.var));
                if used(field.var) { quote!(#of: #name) } else { quote!(#of: _) }
            });
            if level.fields.iter().any(|field| used(field.var)) {
                let kind = self.level_import(&level.layout.kind);
                all.extend(quote!(let #kind { #(#fields),* } = #from;));
            }
        }
        if let Values::Array(vals) = passed.values
            && used(vals)
        {
            let name = self.ident(vals);
            all.extend(quote!(let #name = #a.vals;));
        }
        match passed.is_plain() || all.is_empty() {
            true => all,
            false => quote!(let #a = #a.tensor; #all),
        }
    }

    /// Refuses what a struct has no place for.
    fn check_passed(&self, passed: &Passed<'_>) -> Result<(), EmitError> {
        if passed.leaves_out() {
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
        let passed = self.kernel.returned(tensor);
        let Some(layout) = tensor.layout.as_ref().filter(|_| matches!(passed.form, Form::Rows(_) | Form::Whole)) else {
            return self.results_by_field(tensor, generics);
        };
        let import = self.import("Tensor");
        let shape: Vec<Ident> = passed.extents.iter().map(|extent| self.ident(*extent)).collect();
        self.check_passed(&passed)?;
        let levels: Vec<TokenStream> = passed.levels.iter().map(|level| self.level_value(level)).collect();
        let vals = match passed.values {
            Values::Array(vals) => {
                let vals = self.ident(vals);
                quote!(#vals)
            }
            Values::Stores => quote!(()),
            Values::None => {
                let arrays = passed.levels.last().into_iter().flat_map(|level| &level.fields).rev();
                let mut arrays = arrays.filter(|field| matches!(self.kernel.vars[field.var].ty, Type::Array(_)));
                match arrays.next() {
                    Some(entries) => {
                        let entries = self.ident(entries.var);
                        quote!(vec![(); #entries.len()])
                    }
                    None => quote!(Vec::new()),
                }
            }
        };
        // The length of a vector that becomes a level is read first.
        let mut value = quote!(#import { shape: [#(#shape),*], vals: #vals, levels: (#(#levels,)*) });
        if !layout.is_plain() {
            let arranged = self.import("Arranged");
            value = quote!(#arranged::new(#value));
        }
        Ok(vec![(value, self.whole_type(&passed, layout, generics)?)])
    }

    /// A level of a result put together.
    fn level_value(&self, level: &Level<'_>) -> TokenStream {
        let value = match level.stores {
            Some(stores) => {
                let (wrap, name) = (self.import("Stores"), self.ident(stores));
                quote!(#wrap(#name))
            }
            None if level.fields.is_empty() => {
                let (runtime, name) = (&self.runtime, Ident::new(&level_name(&level.layout.kind), Span::call_site()));
                quote!(#runtime::tensor::#name)
            }
            None => {
                let kind = self.level_import(&level.layout.kind);
                let fields = level.fields.iter().map(|field| {
                    let (name, value) = (Ident::new(&field.name, Span::call_site()), self.ident(field.var));
                    quote!(#name: #value)
                });
                quote!(#kind { #(#fields),* })
            }
        };
        match level.extent {
            Some(extent) => {
                let (remapped, extent) = (self.import("Remapped"), self.ident(extent));
                quote!(#remapped { extent: #extent, level: #value })
            }
            None => value,
        }
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
        passed: &Passed<'_>,
        layout: &Layout,
        generics: &mut Vec<TokenStream>,
    ) -> Result<TokenStream, EmitError> {
        let (runtime, tensor) = (&self.runtime, passed.tensor);
        // A parameter that is given back keeps its name.
        let first = |tensor: &Tensor| tensor.fields.first().map(|field| field.var);
        let is_result = self.kernel.results.iter().any(|made| made.name == tensor.name && first(made) == first(tensor));
        let rank = Token::usize_unsuffixed(passed.extents.len());
        let value = self.value_of(passed);
        if passed.has_stores() {
            // Every caller has stores of its own: there is nothing to give a name to.
            let array = |element: TokenStream| if is_result { quote!(Vec<#element>) } else { quote!(&[#element]) };
            let levels = self.level_types(passed, &array, &mut |stores| match is_result {
                true => self.result_type(stores, generics),
                false => Ok(self.stores_type(stores, generics)),
            })?;
            let value = match (value, is_result, passed.mode) {
                (None, ..) => quote!(()),
                (Some(value), true, _) => quote!(Vec<#value>),
                (Some(value), false, Mode::Read) => quote!(&[#value]),
                (Some(value), false, _) => quote!(&mut [#value]),
            };
            return Ok(self.arranged(layout, quote!(#runtime::tensor::Tensor<#rank, (#(#levels,)*), #value>)));
        }
        let value = value.unwrap_or_default();
        let owned = self.static_levels(passed, &|element| quote!(Vec<#element>))?;
        let borrowed = self.static_levels(passed, &|element| quote!(&'a [#element]))?;
        let of_values = |levels: &[TokenStream], values| {
            self.arranged(layout, quote!(#runtime::tensor::Tensor<#rank, (#(#levels,)*), #values>))
        };
        let owned = of_values(&owned, quote!(Vec<V>));
        let (read, written_to) = (of_values(&borrowed, quote!(&'a [V])), of_values(&borrowed, quote!(&'a mut [V])));
        let doc = format!(" `{}`: {}", layout.name, tensor.format);
        let mut aliases = self.aliases.borrow_mut();
        let name = aliases.name(&type_name(&layout.name), &owned);
        let (view, written) = (format_ident!("{name}View"), format_ident!("{name}Mut"));
        let name = Ident::new(&name, Span::call_site());
        aliases.items.entry(name.to_string()).or_insert_with(|| {
            let (of_arrays, of_views) = (format!("{doc}."), format!("{doc}, its arrays borrowed."));
            quote! {
                #[doc = #of_arrays]
                #[allow(dead_code)]
                pub type #name<V> = #owned;
                #[doc = #of_views]
                #[allow(dead_code)]
                pub type #view<'a, V> = #read;
            }
        });
        if is_result {
            return Ok(quote!(#name<#value>));
        }
        if passed.mode == Mode::Read {
            return Ok(quote!(#view<'_, #value>));
        }
        aliases.items.entry(written.to_string()).or_insert_with(|| {
            let doc = format!("{doc}, its values to be written.");
            quote! {
                #[doc = #doc]
                #[allow(dead_code)]
                pub type #written<'a, V> = #written_to;
            }
        });
        Ok(quote!(#written<'_, #value>))
    }

    /// The type of a tensor, given that of its arrays: where its levels do not keep its indices one after the other, or entries may
    /// repeat, this is part of the type.
    pub(super) fn arranged(&self, layout: &Layout, tensor: TokenStream) -> TokenStream {
        if layout.is_plain() {
            return tensor;
        }
        let runtime = &self.runtime;
        let coordinates = layout.levels.iter().map(|level| self.coordinate_type(&level.coordinate));
        let mut coordinates = quote!((#(#coordinates,)*));
        if layout.repeats {
            coordinates = quote!(#runtime::tensor::coordinate::Repeated<#coordinates>);
        }
        quote!(#runtime::tensor::Arranged<#tensor, #coordinates>)
    }

    /// What a level keeps, as a type.
    fn coordinate_type(&self, coordinate: &Coordinate) -> TokenStream {
        let runtime = &self.runtime;
        let of = |name: &str, parameters: &[TokenStream]| {
            let name = Ident::new(name, Span::call_site());
            quote!(#runtime::tensor::coordinate::#name<#(#parameters),*>)
        };
        let number = |n: usize| {
            let n = Token::usize_unsuffixed(n);
            quote!(#n)
        };
        match coordinate {
            Coordinate::Index(m) => of("Index", &[number(*m)]),
            Coordinate::Const(value) => {
                let token = Token::i64_unsuffixed(*value);
                of("Const", &[if *value < 0 { quote!({ #token }) } else { quote!(#token) }])
            }
            Coordinate::Var(n) => of("Variable", &[number(*n)]),
            Coordinate::Counter(indices) => {
                let indices = indices.iter().map(|m| of("Index", &[number(*m)]));
                of("Counter", &[quote!((#(#indices,)*))])
            }
            Coordinate::Neg(inner) => of("Neg", &[self.coordinate_type(inner)]),
            Coordinate::Binary(op, left, right) => {
                // The variants are called what the types are.
                of(&format!("{op:?}"), &[self.coordinate_type(left), self.coordinate_type(right)])
            }
            Coordinate::Let(n, value, body) => {
                of("Let", &[number(*n), self.coordinate_type(value), self.coordinate_type(body)])
            }
        }
    }

    /// The type of a tensor's values: `()` of a pattern, `None` where stores hold them.
    pub(super) fn value_of(&self, passed: &Passed<'_>) -> Option<TokenStream> {
        match passed.values {
            Values::Array(_) => Some(passed.value_type(self.kernel).map_or(quote!(()), scalar_type)),
            Values::Stores => None,
            Values::None => Some(quote!(())),
        }
    }

    /// The types of a tensor's levels, from the outermost on: their arrays are what `array` makes of an element's type, their stores
    /// what `stores` says.
    pub(super) fn level_types(
        &self,
        passed: &Passed<'_>,
        array: &dyn Fn(TokenStream) -> TokenStream,
        stores: &mut dyn FnMut(Var) -> Result<TokenStream, EmitError>,
    ) -> Result<Vec<TokenStream>, EmitError> {
        let runtime = &self.runtime;
        let mut all = Vec::new();
        for level in &passed.levels {
            let arrays = level.fields.iter().filter_map(|field| self.kernel.vars[field.var].ty.array_scalar());
            let arrays: Vec<TokenStream> = arrays.map(|scalar| array(scalar_type(scalar))).collect();
            let name = Ident::new(&level_name(&level.layout.kind), Span::call_site());
            let ty = match level.stores {
                Some(kept) => {
                    let kept = stores(kept)?;
                    quote!(#runtime::tensor::Stores<#kept>)
                }
                None if arrays.is_empty() => quote!(#runtime::tensor::#name),
                None => quote!(#runtime::tensor::#name<#(#arrays),*>),
            };
            all.push(if level.extent.is_some() { quote!(#runtime::tensor::Remapped<#ty>) } else { ty });
        }
        Ok(all)
    }

    /// The types of the levels of a tensor that holds no stores.
    pub(super) fn static_levels(
        &self,
        passed: &Passed<'_>,
        array: &dyn Fn(TokenStream) -> TokenStream,
    ) -> Result<Vec<TokenStream>, EmitError> {
        self.level_types(passed, array, &mut |_| self.unsupported("a static tensor with stores"))
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

/// The structs of levels that the runtime brings.
const LEVELS: &[&str] = &["Banded", "Compressed", "Hashed", "Singleton", "Sliced", "Squeezed"];
