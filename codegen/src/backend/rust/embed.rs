//! Kernels that take and return what the engine has: its matrices, graphs and vectors.
//!
//! ```text
//!   A: (outer, store)     a: &impl AsRows<Value = f64>           a matrix, a graph, a snapshot, static rows
//!   B: csr                b: impl Into<CsrView<'a, f64>>         &Csr or a view        returned: Csr<f64>
//!   B: csc                b: impl Into<CscView<'a, f64>>         &Csc or a view        returned: Csc<f64>
//!   B: any other          b: impl Into<Tensor<2, (…), &[f64]>>   &Tensor or a view     returned: Tensor<2, (…), Vec<f64>>
//!   B: levels that do not keep its indices one after the other: the same in `Arranged<…, (Index<1>, Index<0>)>`
//!   C: (outer, store)                                            returned: Matrix<Ctree<f64>>
//! ```
//!
//! The kernel itself is the function that is emitted otherwise; it and the aliases that it needs are inside of the one that
//! callers see, so that nothing but that one has a name in the caller's module.

use proc_macro2::{Ident, Literal as Token, Span, TokenStream};
use quote::{format_ident, quote};

use super::{EmitError, Emitter, Engine};
use crate::ir::convention::{Form, Mode};
use crate::ir::kernel::{Held, Lines, Tensor, Var};
use crate::ir::types::{ArrayType, Element, StoreType, Type};

type Emitted = Result<TokenStream, EmitError>;

/// Keeps what is generated from raising warnings in the crate that it stands in, whichever that crate asks for.
pub fn quiet() -> TokenStream {
    quote! {
        #[allow(unused, nonstandard_style, missing_docs, unreachable_pub, unused_qualifications, single_use_lifetimes)]
        #[allow(missing_debug_implementations, clippy::all, clippy::pedantic, clippy::nursery)]
    }
}

/// What a caller sees of a parameter: its declaration, and what the kernel is given.
type Param = (TokenStream, TokenStream);

impl Emitter<'_> {
    /// The function of a kernel that takes and returns what the engine has.
    pub(super) fn embedded(&self, engine: &Engine) -> Emitted {
        let (runtime, path) = (&self.runtime, parse(&engine.path)?);
        let mut generics = Vec::new();
        let (mut params, mut arguments) = (Vec::new(), Vec::new());
        for tensor in &self.kernel.params {
            for (param, argument) in self.taken(tensor, &path, &mut generics)? {
                params.push(param);
                arguments.push(argument);
            }
        }
        let (mut names, mut types, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for tensor in &self.kernel.results {
            for (ty, value) in self.given(tensor, engine, &path, &mut generics)? {
                let name = format_ident!("made{}", names.len());
                values.push(value(&name));
                names.push(name);
                types.push(ty);
            }
        }
        // The kernel's own generics and aliases are found while it is emitted.
        self.aliases.take();
        let (name, doc, quiet) = (self.function_name()?, self.documentation(), quiet());
        let kernel = format_ident!("{name}_kernel");
        let function = self.function_called(&TokenStream::new(), &kernel)?;
        let aliases = self.aliases.take().items.into_values();
        let generics = if generics.is_empty() { None } else { Some(quote!(<#(#generics),*>)) };
        let tuple = |all: &[TokenStream]| match all {
            [one] => one.clone(),
            _ => quote!((#(#all),*)),
        };
        let pattern = tuple(&names.iter().map(|name| quote!(#name)).collect::<Vec<_>>());
        let (types, values) = (tuple(&types), tuple(&values));
        let call = match &names[..] {
            [] => quote!(#kernel(#(#arguments),*)),
            _ => quote!(#kernel(#(#arguments),*).map(|#pattern| #values)),
        };
        Ok(quote! {
            #doc
            #quiet
            pub fn #name #generics (#(#params),*) -> ::core::result::Result<#types, #runtime::kernel::ShapeError> {
                // The caller's module may have a `Result` or `Vec` of its own, and a kernel means these.
                use ::std::{prelude::rust_2021::*, vec};
                #(#aliases)*
                #function
                #call
            }
        })
    }

    /// How a parameter is taken.
    fn taken(
        &self,
        tensor: &Tensor,
        engine: &TokenStream,
        generics: &mut Vec<TokenStream>,
    ) -> Result<Vec<Param>, EmitError> {
        let runtime = &self.runtime;
        let one = |name: Ident, ty: TokenStream, argument: TokenStream| Ok(vec![(quote!(#name: #ty), argument)]);
        let as_it_is = |generics: &mut Vec<TokenStream>| {
            let (own, _) = self.parameters(tensor, generics)?;
            own.into_iter()
                .map(|param| {
                    let param: syn::PatType = syn::parse2(param).map_err(|e| EmitError::Syntax(e.to_string()))?;
                    let (pat, ty) = (&param.pat, &param.ty);
                    Ok((quote!(#pat: #ty), quote!(#pat)))
                })
                .collect()
        };
        let passed = self.kernel.passed(tensor);
        match (passed.form, &tensor.layout) {
            (Form::Rows(stores), _) => {
                let row = match &self.kernel.vars[stores].ty {
                    Type::Array(ArrayType { element: Element::Store(row), .. })
                    | Type::Store(StoreType { element: Element::Store(row), .. }) => &row.element,
                    _ => return as_it_is(generics),
                };
                let name = self.ident(stores);
                let bound = match row {
                    Element::Scalar(value) => {
                        let value = super::literal::scalar_type(*value);
                        quote!(<Value = #value>)
                    }
                    Element::Pattern => quote!(),
                    Element::Store(_) => return as_it_is(generics),
                };
                one(name.clone(), quote!(&impl #engine::AsRows #bound), quote!(&*#engine::AsRows::as_rows(#name)))
            }
            (Form::Whole, Some(layout)) if !passed.has_stores() => {
                let name = self.handle(tensor);
                let value = self.value_of(&passed).unwrap_or_default();
                // What is borrowed for a kernel is borrowed for the same time.
                if generics.first().is_none_or(|first| first.to_string() != "'a") {
                    generics.insert(0, quote!('a));
                }
                if layout.lines == Some(Lines::Rows) && passed.mode == Mode::Read {
                    let ty = quote!(impl ::core::convert::Into<#engine::CsrView<'a, #value>>);
                    return one(name.clone(), ty, quote!(#engine::kernels::csr_tensor(#name)));
                }
                if layout.lines == Some(Lines::Columns) && passed.mode == Mode::Read {
                    let ty = quote!(impl ::core::convert::Into<#engine::CscView<'a, #value>>);
                    return one(name.clone(), ty, quote!(#engine::kernels::csc_tensor(#name)));
                }
                let rank = Token::usize_unsuffixed(passed.extents.len());
                let levels = self.static_levels(&passed, &|element| quote!(&'a [#element]))?;
                let values = match passed.mode {
                    Mode::Read => quote!(&'a [#value]),
                    Mode::Write | Mode::Return => quote!(&'a mut [#value]),
                };
                let ty = self.arranged(layout, quote!(#runtime::tensor::Tensor<#rank, (#(#levels,)*), #values>));
                one(name.clone(), quote!(impl ::core::convert::Into<#ty>), quote!(#name.into()))
            }
            _ => as_it_is(generics),
        }
    }

    /// How a result is given back: its type, and what makes it of the kernel's own.
    #[allow(clippy::type_complexity, reason = "a type and a function")]
    fn given<'f>(
        &'f self,
        tensor: &'f Tensor,
        engine: &'f Engine,
        path: &'f TokenStream,
        generics: &mut Vec<TokenStream>,
    ) -> Result<Vec<(TokenStream, Box<dyn Fn(&Ident) -> TokenStream + 'f>)>, EmitError> {
        let runtime = &self.runtime;
        let same = |types: Vec<TokenStream>| {
            let same = |ty| (ty, Box::new(|name: &Ident| quote!(#name)) as Box<dyn Fn(&Ident) -> TokenStream>);
            Ok(types.into_iter().map(same).collect())
        };
        let passed = self.kernel.returned(tensor);
        let whole = matches!(passed.form, Form::Rows(_) | Form::Whole);
        let Some(layout) = tensor.layout.as_ref().filter(|_| whole) else {
            let fields = tensor.fields.iter();
            return same(fields.map(|field| self.made(field.var, engine, generics)).collect::<Result<_, _>>()?);
        };
        if let (Some(held), Some(Lines::Rows)) = (&layout.held, layout.lines) {
            let value = self.value_of(&passed).unwrap_or_default();
            let (row, outer) = (self.store_path(&held.row, engine, path)?, self.outer_path(held, engine, path)?);
            let row = if engine.is_by_hand(&held.row) { quote!(#row<u32, #value>) } else { quote!(#row<#value>) };
            let ty = quote!(#path::Matrix<#row>);
            return Ok(vec![(ty, Box::new(move |name| quote!(#path::kernels::matrix_of::<#row, #outer>(#name))))]);
        }
        let value = self.value_of(&passed);
        if layout.lines == Some(Lines::Rows) {
            let value = value.unwrap_or_default();
            return Ok(vec![(quote!(#path::Csr<#value>), Box::new(move |name| quote!(#path::kernels::csr_of(#name))))]);
        }
        if layout.lines == Some(Lines::Columns) {
            let value = value.unwrap_or_default();
            return Ok(vec![(quote!(#path::Csc<#value>), Box::new(move |name| quote!(#path::kernels::csc_of(#name))))]);
        }
        let rank = Token::usize_unsuffixed(passed.extents.len());
        let levels = self.level_types(&passed, &|element| quote!(::std::vec::Vec<#element>), &mut |stores| {
            self.made(stores, engine, generics)
        })?;
        let values = value.map_or(quote!(()), |value| quote!(::std::vec::Vec<#value>));
        same(vec![self.arranged(layout, quote!(#runtime::tensor::Tensor<#rank, (#(#levels,)*), #values>))])
    }

    /// The type of a part of a result. A store whose Rust type is known is of that type.
    fn made(&self, v: Var, engine: &Engine, generics: &mut Vec<TokenStream>) -> Emitted {
        let store = match &self.kernel.vars[v].ty {
            Type::Store(store) => store,
            Type::Array(ArrayType { element: Element::Store(store), .. }) => store,
            _ => return self.result_type(v, generics),
        };
        let path = parse(&engine.path)?;
        let value = match &store.element {
            Element::Scalar(value) => super::literal::scalar_type(*value),
            Element::Pattern => quote!(()),
            Element::Store(_) => return self.result_type(v, generics),
        };
        let Ok(own) = self.store_path(&store.name, engine, &path) else { return self.result_type(v, generics) };
        let own = if engine.is_by_hand(&store.name) { quote!(#own<u32, #value>) } else { quote!(#own<#value>) };
        Ok(if matches!(self.kernel.vars[v].ty, Type::Array(_)) { quote!(::std::vec::Vec<#own>) } else { own })
    }

    /// The Rust type of a store, without its parameters.
    fn store_path(&self, name: &str, engine: &Engine, path: &TokenStream) -> Emitted {
        let runtime = &self.runtime;
        if engine.stores.iter().any(|own| own == name) {
            let (module, ty) = (Ident::new(name, Span::call_site()), crate::store::store_ident(name));
            // Not `self::`: the macro may stand in the body of a function, which is no module.
            return Ok(if engine.in_module { quote!(super::#module::#ty) } else { quote!(#module::#ty) });
        }
        let ty = Ident::new(&super::tensor_type::type_name(name), Span::call_site());
        Ok(if engine.is_by_hand(name) { quote!(#runtime::#ty) } else { quote!(#path::stores::#ty) })
    }

    /// The Rust type of an outer level, over rows that follow.
    fn outer_path(&self, held: &Held, engine: &Engine, path: &TokenStream) -> Emitted {
        let runtime = &self.runtime;
        if !held.nested {
            let ty = Ident::new(&super::tensor_type::type_name(&held.outer), Span::call_site());
            return Ok(quote!(#runtime::#ty<_>));
        }
        let store = self.store_path(&held.outer, engine, path)?;
        Ok(quote!(#runtime::Nested<#store<_>>))
    }
}

fn parse(path: &str) -> Emitted {
    path.parse().map_err(|e| EmitError::Syntax(format!("the path `{path}`: {e}")))
}

impl Engine {
    /// Whether a level is one that the runtime keeps by hand: its type has the type of coordinates as a parameter, too.
    fn is_by_hand(&self, name: &str) -> bool {
        self.by_hand.iter().any(|own| own == name)
    }
}
