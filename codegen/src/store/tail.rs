//! The arrays behind the struct of a node.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::plan::{Child, Elem, Len, NodePlan, Shape};

/// The field that keeps the coordinate of an element.
pub fn coord_ident(elem: &Elem) -> Ident {
    format_ident!("{}_coord", elem.ident)
}

/// The field that keeps the value of an element.
pub fn value_ident(elem: &Elem) -> Ident {
    format_ident!("{}_value", elem.ident)
}

/// Where the coordinates of an array begin.
pub fn coords_at_ident(elem: &Elem) -> Ident {
    format_ident!("{}_coords_at", elem.ident)
}

/// Where the values of an array begin.
pub fn values_at_ident(elem: &Elem) -> Ident {
    format_ident!("{}_values_at", elem.ident)
}

/// Where the coded coordinates of an array begin.
pub fn coded_at_ident(elem: &Elem) -> Ident {
    format_ident!("{}_coded_at", elem.ident)
}

/// Where an array of links begins.
pub fn links_at_ident(child: &Child) -> Ident {
    format_ident!("{}_at", child.ident)
}

/// The field that says how many bytes the coded coordinates of an array take.
pub fn bytes_ident(elem: &Elem) -> Ident {
    format_ident!("node_{}_bytes", elem.ident)
}

/// Whether no slot of a field is empty.
pub fn is_nonempty(elem: &Elem) -> bool {
    matches!(elem.shape, Shape::One { nonempty: true } | Shape::Lead { .. } | Shape::Array { nonempty: true, .. })
}

/// What a term of elements is called where a lead and its array are one run.
pub fn run_ident(node: &NodePlan<'_>, elem: usize) -> Ident {
    match &node.elems[elem].shape {
        Shape::Array { lead: Some(lead), .. } => {
            format_ident!("{}_{}", node.elems[*lead].ident, node.elems[elem].ident)
        }
        _ => node.elems[elem].ident.clone(),
    }
}

/// An array behind the struct.
pub struct TailArray<'p> {
    pub elements: TailElements<'p>,
    /// What it is called among the offsets.
    pub at: Ident,
    pub len: &'p Len,
    /// Slots before the first one of the field.
    pub lead: usize,
}

/// What an array behind the struct holds.
#[derive(Clone, Copy)]
pub enum TailElements<'p> {
    Links(&'p Child),
    Coords(&'p Elem),
    Values(&'p Elem),
    /// Bytes of difference-coded coordinates.
    Coded(&'p Elem),
}

/// The arrays behind the struct in the order in which they lie: links, coordinates, values, coded coordinates.
pub fn tail_arrays<'p>(node: &'p NodePlan<'_>) -> Vec<TailArray<'p>> {
    let mut arrays = Vec::new();
    for child in &node.children {
        if let Some(len) = &child.len {
            let (elements, at) = (TailElements::Links(child), links_at_ident(child));
            arrays.push(TailArray { elements, at, len, lead: 0 });
        }
    }
    for elem in node.elems.iter().filter(|elem| !elem.is_coded()) {
        if let Shape::Array { len, lead, .. } = &elem.shape {
            let (elements, at) = (TailElements::Coords(elem), coords_at_ident(elem));
            arrays.push(TailArray { elements, at, len, lead: usize::from(lead.is_some()) });
        }
    }
    for elem in &node.elems {
        if let Shape::Array { len, lead, .. } = &elem.shape {
            let (elements, at) = (TailElements::Values(elem), values_at_ident(elem));
            arrays.push(TailArray { elements, at, len, lead: usize::from(lead.is_some()) });
        }
    }
    for elem in node.coded() {
        if let Shape::Array { len, .. } = &elem.shape {
            let (elements, at) = (TailElements::Coded(elem), coded_at_ident(elem));
            arrays.push(TailArray { elements, at, len, lead: 0 });
        }
    }
    arrays
}

/// The size fields that arrays behind the struct depend on.
pub fn tail_sizes(node: &NodePlan<'_>) -> Vec<usize> {
    let mut sizes: Vec<usize> = tail_arrays(node)
        .iter()
        .filter_map(|array| match array.len {
            Len::Size(size) => Some(*size),
            Len::Const(_) => None,
        })
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The fields that arrays behind the struct depend on: sizes, and numbers of coded bytes.
pub fn tail_fields(node: &NodePlan<'_>) -> Vec<Ident> {
    let sizes = tail_sizes(node).into_iter().map(|size| node.sizes[size].ident.clone());
    sizes.chain(node.coded().map(bytes_ident)).collect()
}

/// `Self::offsets(…)`, the sizes read from `from` (a reference to the struct).
pub fn offsets_of(node: &NodePlan<'_>, from: &TokenStream) -> TokenStream {
    let sizes = tail_fields(node).into_iter().map(|ident| quote!(#from.#ident as usize));
    quote!(Self::offsets(#(#sizes),*))
}

/// `let [a_at, _, …, _] = Self::offsets(…);`: where the arrays begin that are used.
pub fn bind_offsets(node: &NodePlan<'_>, from: &TokenStream, is_used: impl Fn(&TailArray<'_>) -> bool) -> TokenStream {
    let names = tail_arrays(node).into_iter().map(|array| {
        let at = &array.at;
        if is_used(&array) { quote!(#at) } else { quote!(_) }
    });
    let offsets = offsets_of(node, from);
    quote!(let [#(#names,)* _] = #offsets;)
}
