//! The function around a kernel: documentation, signature, checks, results.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::expr::scalar_type;
use super::stores::{is_outer, value_type};
use super::{EmitError, Emitter};
use crate::ir::kernel::{Access, Field, Var};
use crate::ir::types::{ArrayType, Element, StoreType, Type};

type Emitted = Result<TokenStream, EmitError>;

impl Emitter<'_> {
    pub(super) fn function(&self) -> Emitted {
        let name: Ident = syn::parse_str(&self.kernel.name)
            .map_err(|e| EmitError::Syntax(format!("the kernel's name `{}`: {e}", self.kernel.name)))?;
        let runtime = &self.runtime;
        let mut doc = TokenStream::new();
        for line in self.kernel.doc.iter().map(String::as_str).chain(["", "# Errors", "", self.errors()]) {
            let line = format!(" {line}");
            doc.extend(quote!(#[doc = #line]));
        }

        let mut generics = Vec::new();
        let mut params = Vec::new();
        for (access, field) in self.kernel.param_fields() {
            let name = self.binding(field.var);
            let ty = self.param_type(access, field, &mut generics)?;
            params.push(quote!(#name: #ty));
        }

        let mut checks = TokenStream::new();
        for check in &self.kernel.checks {
            let (left_name, right_name) = (&check.left_name, &check.right_name);
            let (left, right) = (self.any(&check.left)?, self.any(&check.right)?);
            let check_extents = self.import("check_extents");
            checks.extend(quote!(#check_extents(#left_name, #left, #right_name, #right)?;));
        }

        let results: Vec<Var> = self.kernel.result_fields().map(|f| f.var).collect();
        let mut types = Vec::new();
        for &v in &results {
            types.push(self.result_type(v, &mut generics)?);
        }
        let values: Vec<Ident> = results.iter().map(|v| self.ident(*v)).collect();
        let (ty, value) = match (&types[..], &values[..]) {
            ([ty], [value]) => (ty.clone(), quote!(#value)),
            _ => (quote!((#(#types),*)), quote!((#(#values),*))),
        };
        let generics = if generics.is_empty() { None } else { Some(quote!(<#(#generics),*>)) };
        let body = self.block(&self.kernel.body.0)?;
        let imports: Vec<Ident> =
            self.imports.borrow().iter().map(|name| Ident::new(name, Span::call_site())).collect();
        let imports = match &imports[..] {
            [] => None,
            [one] => Some(quote!(use #runtime::kernel::#one;)),
            _ => Some(quote!(use #runtime::kernel::{#(#imports),*};)),
        };
        Ok(quote! {
            #doc
            #[allow(clippy::all)]
            pub fn #name #generics (#(#params),*) -> Result<#ty, #runtime::kernel::ShapeError> {
                #imports
                #checks
                #body
                Ok(#value)
            }
        })
    }

    fn errors(&self) -> &'static str {
        if self.kernel.checks.is_empty() { "None: there is nothing to disagree." } else { "If extents do not agree." }
    }

    fn param_type(&self, access: Access, field: &Field, generics: &mut Vec<TokenStream>) -> Emitted {
        Ok(match &self.kernel.vars[field.var].ty {
            Type::Scalar(s) => scalar_type(*s),
            Type::Array(ArrayType { element: Element::Store(row), .. }) => self.outer(field.var, row, generics),
            Type::Array(ArrayType { growable, .. }) => {
                let element = self.array_type(field.var);
                match (access, growable) {
                    (Access::Read, _) => quote!(&[#element]),
                    (Access::Write, false) => quote!(&mut [#element]),
                    (Access::Write, true) => quote!(&mut Vec<#element>),
                }
            }
            Type::Store(store) => match &store.element {
                Element::Store(row) => self.outer(field.var, row, generics),
                _ => {
                    let (runtime, coord, value) = (&self.runtime, scalar_type(store.coord), value_type(&store.element));
                    if generics.first().is_none_or(|g| g.to_string() != "'a") {
                        generics.insert(0, quote!('a));
                    }
                    quote!(impl #runtime::Fiber<'a, Coord = #coord, Value = #value>)
                }
            },
            Type::Cursor(_) | Type::Sink(_) => {
                return Err(EmitError::Unsupported {
                    kernel: self.kernel.name.clone(),
                    what: format!("a parameter `{}` that is neither data nor a store", field.name),
                });
            }
        })
    }

    /// A matrix over rows of one store.
    fn outer(&self, v: Var, row: &StoreType, generics: &mut Vec<TokenStream>) -> TokenStream {
        let runtime = &self.runtime;
        let name = self.store_parameter(v);
        let bound = self.store_bound(row);
        generics.push(quote!(#name: #bound));
        quote!(&impl #runtime::Outer<#name>)
    }

    fn store_bound(&self, store: &StoreType) -> TokenStream {
        let (runtime, coord, value) = (&self.runtime, scalar_type(store.coord), value_type(&store.element));
        quote!(#runtime::Store<Coord = #coord, Value = #value>)
    }

    fn result_type(&self, v: Var, generics: &mut Vec<TokenStream>) -> Emitted {
        Ok(match &self.kernel.vars[v].ty {
            Type::Scalar(s) => scalar_type(*s),
            Type::Array(ArrayType { element: Element::Store(row), .. }) => {
                let (name, bound) = (self.store_parameter(v), self.store_bound(row));
                generics.push(quote!(#name: #bound));
                quote!(Vec<#name>)
            }
            Type::Array(_) => {
                let element = self.array_type(v);
                quote!(Vec<#element>)
            }
            Type::Store(store) if !is_outer(store) => {
                let (name, bound) = (self.store_parameter(v), self.store_bound(store));
                generics.push(quote!(#name: #bound));
                quote!(#name)
            }
            _ => {
                return Err(EmitError::Unsupported {
                    kernel: self.kernel.name.clone(),
                    what: format!(
                        "a result `{}` that is neither data nor a store",
                        Ident::new(&self.names[v], Span::call_site())
                    ),
                });
            }
        })
    }
}
