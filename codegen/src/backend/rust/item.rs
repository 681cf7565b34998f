//! The function around a kernel: documentation, signature, checks, results.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use super::literal::scalar_type;
use super::stores::{holds_stores, value_type};
use super::{EmitError, Emitter, braced, joined};
use crate::ir::convention::Form;
use crate::ir::expr::Expr;
use crate::ir::kernel::{Access, Field, Tensor, Var};
use crate::ir::stmt::{Domain, Stmt};
use crate::ir::types::{ArrayType, Element, StoreType, Type};

type Emitted = Result<TokenStream, EmitError>;

impl Emitter<'_> {
    /// The name of the kernel's function.
    pub(super) fn function_name(&self) -> Result<Ident, EmitError> {
        syn::parse_str(&self.kernel.name)
            .map_err(|e| EmitError::Syntax(format!("the kernel's name `{}`: {e}", self.kernel.name)))
    }

    /// The function's documentation.
    pub(super) fn documentation(&self) -> TokenStream {
        let mut doc = TokenStream::new();
        let rows = self.rows_remark();
        let lines = self.kernel.doc.iter().chain(&rows).map(String::as_str);
        for line in lines.chain(["", "# Errors", "", self.errors()]) {
            let line = if line.is_empty() { String::new() } else { format!(" {line}") };
            doc.extend(quote!(#[doc = #line]));
        }
        doc
    }

    pub(super) fn function(&self) -> Emitted {
        let (name, doc) = (self.function_name()?, self.documentation());
        let function = self.function_called(&quote!(pub), &name)?;
        Ok(quote! {
            #doc
            #[allow(clippy::all)]
            #function
        })
    }

    /// The function under a name of the caller's choice, without documentation.
    pub(super) fn function_called(&self, visibility: &TokenStream, name: &Ident) -> Emitted {
        let runtime = &self.runtime;
        let mut generics = Vec::new();
        let (mut params, mut unpack) = (Vec::new(), TokenStream::new());
        for tensor in &self.kernel.params {
            let (own, unpacked) = self.parameters(tensor, &mut generics)?;
            params.extend(own);
            unpack.extend(unpacked);
        }

        let mut checks = TokenStream::new();
        for check in &self.kernel.checks {
            let (left_name, right_name) = (&check.left_name, &check.right_name);
            let (left, right) = (self.any(&check.left)?, self.any(&check.right)?);
            let check_extents = self.import("check_extents");
            checks.extend(quote!(#check_extents(#left_name, #left, #right_name, #right)?;));
        }

        let (mut values, mut types) = (Vec::new(), Vec::new());
        for tensor in &self.kernel.results {
            for (value, ty) in self.result(tensor, &mut generics)? {
                values.push(value);
                types.push(ty);
            }
        }
        let (ty, value) = match (&types[..], &values[..]) {
            ([ty], [value]) => (ty.clone(), value.clone()),
            _ => (quote!((#(#types),*)), quote!((#(#values),*))),
        };
        let generics = if generics.is_empty() { None } else { Some(quote!(<#(#generics),*>)) };
        let body = self.block(&self.kernel.body.0)?;
        // A result that is read by a cursor is lent to it.
        let cursors = self.kernel.body.0.iter().filter_map(|stmt| match stmt {
            Stmt::OpenCursor { cursor, store: Expr::Var(store), .. } if self.is_made(*store) => {
                Some(self.ident(*cursor))
            }
            _ => None,
        });
        let returned = quote!(#(drop(#cursors);)*);
        let imports: Vec<Ident> =
            self.imports.borrow().iter().map(|name| Ident::new(name, Span::call_site())).collect();
        let imports = match &imports[..] {
            [] => None,
            [one] => Some(quote!(use #runtime::kernel::#one;)),
            _ => Some(quote!(use #runtime::kernel::{#(#imports),*};)),
        };
        let body = braced(joined([quote!(#imports), unpack, checks, body, quote!(#returned Ok(#value))]));
        Ok(quote! {
            #visibility fn #name #generics (#(#params),*) -> Result<#ty, #runtime::kernel::ShapeError> #body
        })
    }

    /// What may be passed as rows.
    fn rows_remark(&self) -> Vec<String> {
        let is_rows = |tensor: &&Tensor| matches!(self.kernel.form(tensor), Form::Rows(_));
        let mut lines = Vec::new();
        for (ordered, stores) in [(false, "any store"), (true, "any ordered store")] {
            let names: Vec<String> = self
                .kernel
                .params
                .iter()
                .filter(is_rows)
                .filter(|tensor| tensor.fields.iter().any(|field| self.goes_in_order(field.var)) == ordered)
                .map(|tensor| format!("`{}`", tensor.name.to_lowercase()))
                .collect();
            if !names.is_empty() {
                let whose = if names.len() == 1 { "holds its rows in" } else { "hold their rows in" };
                let names = names.join(" and ");
                lines.push(String::new());
                lines.push(format!("{names} {whose} {stores}, below any outer level, or as static arrays."));
            }
        }
        lines
    }

    /// Whether the entries of a store, or of one in it, are visited in ascending order.
    fn goes_in_order(&self, store: Var) -> bool {
        let mut inside = vec![store];
        let mut in_order = false;
        self.kernel.body.visit(&mut |stmt| {
            let (from, value, ordered) = match stmt {
                Stmt::OpenCursor { cursor, store, ordered } => (store, Some(*cursor), *ordered),
                Stmt::ForEntries { store, value, ordered, .. } => (store, *value, *ordered),
                Stmt::Locate { store, value, .. } => (store, *value, false),
                // What finds or hands out rows of a matrix does so whatever store they are.
                Stmt::FindRows { matrix, finder: own }
                | Stmt::Gather { matrix, row: own, .. }
                | Stmt::Parallel { domain: Domain::Rows { matrix, row: Some(own) }, .. } => {
                    if inside.contains(matrix) {
                        inside.push(*own);
                    }
                    return;
                }
                Stmt::Parallel { domain: Domain::Entries { store, value }, .. } => (store, *value, false),
                _ => return,
            };
            if inside.iter().any(|v| from.mentions(*v)) {
                // The rows of a matrix come in order whatever store they are.
                in_order |= ordered && !matches!(self.rows_of(from), Ok(Some(_)));
                inside.extend(value);
            }
        });
        in_order
    }

    fn errors(&self) -> &'static str {
        if self.kernel.checks.is_empty() { "None: there is nothing to disagree." } else { "If extents do not agree." }
    }

    /// The type of a field that is passed by itself.
    pub(super) fn field_type(&self, access: Access, field: &Field, generics: &mut Vec<TokenStream>) -> Emitted {
        Ok(match &self.kernel.vars[field.var].ty {
            Type::Scalar(s) => scalar_type(*s),
            Type::Array(ArrayType { element: Element::Store(_), .. }) => {
                let rows = self.rows_type(field.var, generics);
                quote!(&#rows)
            }
            Type::Array(ArrayType { growable, .. }) => {
                let element = self.array_type(field.var);
                match (access, growable) {
                    (Access::Read, _) => quote!(&[#element]),
                    (Access::Write, false) => quote!(&mut [#element]),
                    (Access::Write, true) => quote!(&mut Vec<#element>),
                }
            }
            Type::Store(store) if holds_stores(store) => {
                let rows = self.rows_type(field.var, generics);
                quote!(&#rows)
            }
            Type::Store(store) => self.fiber_type(store, generics),
            Type::Cursor(_) => {
                return self.unsupported(&format!("a parameter `{}` that is neither data nor a store", field.name));
            }
        })
    }

    /// What a store of some kind is asked to be.
    pub(super) fn store_bound(
        &self,
        store: &StoreType,
        name: &TokenStream,
        generics: &mut Vec<TokenStream>,
    ) -> TokenStream {
        let (runtime, coord) = (&self.runtime, scalar_type(store.coord));
        let value = match &store.element {
            Element::Store(inner) => {
                let held = format_ident!("{}Held", name.to_string());
                let held = quote!(#held);
                let bound = self.store_bound(inner, &held, generics);
                generics.push(quote!(#held: #bound));
                held
            }
            element => value_type(element),
        };
        quote!(#runtime::Store<Coord = #coord, Value = #value>)
    }

    /// The type of a result, or of a part of one.
    pub(super) fn result_type(&self, v: Var, generics: &mut Vec<TokenStream>) -> Emitted {
        let mut stores = |store: &StoreType| {
            let name = self.store_parameter(v).unwrap_or_else(|| quote!(Store));
            let bound = self.store_bound(store, &name, generics);
            generics.push(quote!(#name: #bound));
            name
        };
        Ok(match &self.kernel.vars[v].ty {
            Type::Scalar(s) => scalar_type(*s),
            Type::Array(ArrayType { element: Element::Store(row), .. }) => {
                let name = stores(row);
                quote!(Vec<#name>)
            }
            Type::Array(_) => {
                let element = self.array_type(v);
                quote!(Vec<#element>)
            }
            Type::Store(store) => stores(store),
            _ => return self.unsupported(&format!("a result `{}` that is neither data nor a store", &self.names[v])),
        })
    }
}
