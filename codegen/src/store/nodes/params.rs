//! What the function that makes a node takes: its elements, and the sizes that these do not tell.

use proc_macro2::TokenStream;
use quote::quote;

use crate::store::plan::{Elem, Len, NodePlan, Shape};
use crate::store::tail::tail_sizes;

/// The parameters of `reserve`, as declared.
pub fn declared_params(node: &NodePlan<'_>) -> Vec<TokenStream> {
    let sizes = free_sizes(node).into_iter().map(|size| {
        let ident = &node.sizes[size].ident;
        quote!(#ident: usize)
    });
    node.elems.iter().filter_map(param_of).chain(sizes).collect()
}

/// The arguments of `reserve` in order: elements, and indices of sizes.
pub fn reserve_args<'p>(node: &'p NodePlan<'_>) -> (Vec<&'p Elem>, Vec<usize>) {
    (node.elems.iter().filter(|elem| is_param(elem)).collect(), free_sizes(node))
}

/// Whether `reserve` takes an `elem` field.
pub fn is_param(elem: &Elem) -> bool {
    param_of(elem).is_some()
}

/// What `reserve` takes for an `elem` field, if anything.
fn param_of(elem: &Elem) -> Option<TokenStream> {
    let ident = &elem.ident;
    match &elem.shape {
        Shape::One { nonempty: true } | Shape::Lead { .. } => Some(quote!(#ident: (C, V))),
        Shape::One { nonempty: false } => Some(quote!(#ident: Option<(C, V)>)),
        Shape::Array { nonempty: true, .. } => Some(quote!(#ident: runtime::Elements<'_, C, V>)),
        Shape::Array { .. } => None,
    }
}

/// Sizes that `reserve` takes, because no `Elements` tells them.
fn free_sizes(node: &NodePlan<'_>) -> Vec<usize> {
    tail_sizes(node).into_iter().filter(|&size| elems_of_size(node, size).next().is_none()).collect()
}

/// The `elem` arrays whose elements tell a size.
pub fn elems_of_size<'p>(node: &'p NodePlan<'_>, size: usize) -> impl Iterator<Item = &'p Elem> {
    let tells = move |elem: &&Elem| matches!(&elem.shape, Shape::Array { len: Len::Size(of), nonempty: true, .. } if *of == size);
    node.elems.iter().filter(tells)
}
