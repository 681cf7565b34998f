//! The types of tensors, of their levels and of what keeps these.

use proc_macro2::{Ident, Literal as Token, Span, TokenStream};
use quote::{format_ident, quote};

use super::literal::scalar_type;
use super::{EmitError, Emitter};
use crate::format::Coordinate;
use crate::ir::convention::{Mode, Passed, Values};
use crate::ir::kernel::{Layout, Tensor, Var};
use crate::ir::types::{ArrayType, Element, StoreType, Type};

/// How many operations lie above each other in the type of a coordinate, at most.
const TALLEST_COORDINATE: usize = 6;

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
pub(super) fn level_name(kind: &str) -> String {
    type_name(kind)
}

impl Emitter<'_> {
    /// The type of a tensor as a whole: an alias, unless it holds stores.
    pub(super) fn whole_type(
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
        let coordinates = self.coordinates_type(layout);
        let of_values = |levels: &[TokenStream], values| {
            self.arranged_by(&coordinates, quote!(#runtime::tensor::Tensor<#rank, (#(#levels,)*), #values>))
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

    /// The type of a tensor, given that of its arrays: where its levels do not keep its indices one after the other, or not in order, or
    /// entries may repeat, this is part of the type.
    pub(super) fn arranged(&self, layout: &Layout, tensor: TokenStream) -> TokenStream {
        self.arranged_by(&self.coordinates_type(layout), tensor)
    }

    /// The same, given what [`coordinates_type`](Self::coordinates_type) says.
    fn arranged_by(&self, coordinates: &Option<TokenStream>, tensor: TokenStream) -> TokenStream {
        let runtime = &self.runtime;
        match coordinates {
            None => tensor,
            Some(coordinates) => quote!(#runtime::tensor::Arranged<#tensor, #coordinates>),
        }
    }

    /// What the levels of a tensor keep, as a type; `None` if they keep its indices one after the other and in order, each entry once.
    fn coordinates_type(&self, layout: &Layout) -> Option<TokenStream> {
        if layout.is_plain() {
            return None;
        }
        let runtime = &self.runtime;
        let coordinates = layout.levels.iter().map(|level| {
            let coordinate = self.coordinate_type(&layout.name, &level.coordinate);
            match level.unordered {
                true => quote!(#runtime::tensor::coordinate::Unordered<#coordinate>),
                false => coordinate,
            }
        });
        let mut coordinates = quote!((#(#coordinates,)*));
        if layout.repeats {
            coordinates = quote!(#runtime::tensor::coordinate::Repeated<#coordinates>);
        }
        Some(coordinates)
    }

    /// What a level of `format` keeps, as a type. Of a tall one, such as the bits of several indices, each part of a certain height has a
    /// name: otherwise the text would grow with the square of the height.
    fn coordinate_type(&self, format: &str, coordinate: &Coordinate) -> TokenStream {
        let whole = self.plain_coordinate_type(format, coordinate);
        if !coordinate.height().is_multiple_of(TALLEST_COORDINATE) {
            return whole;
        }
        let mut aliases = self.aliases.borrow_mut();
        let name = aliases.name(&format!("{}Coordinate", type_name(format)), &whole);
        let part = Ident::new(&name, Span::call_site());
        let doc = format!(" A part of a coordinate of `{format}`.");
        aliases.items.entry(name).or_insert_with(|| {
            quote! {
                #[doc = #doc]
                #[allow(dead_code)]
                pub type #part = #whole;
            }
        });
        quote!(#part)
    }

    fn plain_coordinate_type(&self, format: &str, coordinate: &Coordinate) -> TokenStream {
        let runtime = &self.runtime;
        let part = |part: &Coordinate| self.coordinate_type(format, part);
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
            Coordinate::Neg(inner) => of("Neg", &[part(inner)]),
            Coordinate::Binary(op, left, right) => {
                // The variants are called what the types are.
                of(&format!("{op:?}"), &[part(left), part(right)])
            }
            Coordinate::Let(n, value, body) => of("Let", &[number(*n), part(value), part(body)]),
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
    pub(super) fn stores_type(&self, v: Var, generics: &mut Vec<TokenStream>) -> TokenStream {
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
