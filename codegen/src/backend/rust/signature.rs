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

use proc_macro2::{Ident, Literal as Token, Span, TokenStream};
use quote::{format_ident, quote};

use super::tensor_type::level_name;
use super::{EmitError, Emitter};
use crate::ir::convention::{Form, Level, Passed, Values};
use crate::ir::kernel::{Tensor, Var};
use crate::ir::types::Type;

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
}

/// The structs of levels that the runtime brings.
const LEVELS: &[&str] = &["Banded", "Compressed", "Hashed", "Singleton", "Sliced", "Squeezed"];
