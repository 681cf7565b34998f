//! How nodes are made.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::params::{declared_params, elems_of_size};
use crate::store::plan::{Child, Elem, Len, NodePlan, Plan, Shape, amount_tokens};
use crate::store::tail::{
    TailArray, TailElements, bytes_ident, coord_ident, is_nonempty, tail_arrays, tail_fields, tail_sizes, value_ident,
};
use crate::store::text::safety;

/// The function that makes a node.
pub fn make(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let (ty, params) = (&node.ty, declared_params(node));
    let (checks, unpack, literal) = (checks(node), unpack(node), literal(node));
    if node.flat {
        return quote! {
            impl<V: runtime::Value, C: runtime::Coord> #ty<V, C> {
                /// A handle whose links are empty.
                pub fn new(#(#params),*) -> Self {
                    #(#checks)* #(#unpack)*
                    #literal
                }
            }
        };
    }
    let arrays = tail_arrays(node);
    let offsets = offsets(plan, node, &arrays);
    let allocate = allocate(plan, node, &arrays);
    let fill = arrays.iter().filter_map(|array| fill(plan, node, array));
    let because = safety(
        "the memory is fresh and large enough; every field and every array is written before the node is handed out",
    );
    let sized = if params.is_empty() { "" } else { " that holds the given elements" };
    let doc = format!(" A new `{}`{sized}; its links are empty.", node.node.name);
    let panics = (!checks.is_empty()).then(|| {
        quote! {
            #[doc = ""]
            #[doc = " # Panics"]
            #[doc = ""]
            #[doc = " If a length is not one that the schema allows."]
        }
    });
    quote! {
        impl<V: runtime::Value, C: runtime::Coord> #ty<V, C> {
            #offsets

            #[doc = #doc]
            #panics
            #[inline]
            pub fn reserve(#(#params),*) -> runtime::Reserved<Self> {
                #(#checks)* #(#unpack)*
                #allocate
                #because
                unsafe {
                    memory.write(#literal);
                    #(#fill)*
                    runtime::Reserved::from_raw(memory)
                }
            }
        }
    }
}

/// What `reserve` makes sure of before it allocates: lengths of arrays.
fn checks(node: &NodePlan<'_>) -> Vec<TokenStream> {
    let mut checks = Vec::new();
    for size in tail_sizes(node) {
        checks.extend(size_checks(node, size));
    }
    for elem in &node.elems {
        if let Shape::Array { len: Len::Const(amount), nonempty: true, .. } = &elem.shape {
            let (ident, len) = (&elem.ident, amount_tokens(amount));
            let message = format!("`{}` has exactly {} elements", elem.name, amount.value);
            checks.push(quote!(assert!(#ident.len() == #len, #message);));
        }
    }
    // Coded coordinates: as many bytes as it takes.
    for elem in node.coded() {
        let (ident, bytes, base) = (&elem.ident, bytes_ident(elem), base_of(node, elem));
        let message = format!("the coded coordinates of `{}` must fit into 32 bits of bytes", elem.name);
        checks.push(quote! {
            let #bytes = runtime::coded_len(#ident.coords(), #base);
            assert!(#bytes <= u32::MAX as usize, #message);
        });
    }
    checks
}

/// A size is the number of the elements of each array that it is the length of, and lies within the bounds of the schema.
fn size_checks(node: &NodePlan<'_>, size: usize) -> Vec<TokenStream> {
    let field = &node.sizes[size];
    let ident = &field.ident;
    let mut checks = Vec::new();
    let mut elems = elems_of_size(node, size);
    if let Some(first) = elems.next() {
        let first = &first.ident;
        checks.push(quote!(let #ident = #first.len();));
        for other in elems {
            let (other, message) = (&other.ident, format!("`{ident}` says the length of several arrays"));
            checks.push(quote!(assert!(#other.len() == #ident, #message);));
        }
    }
    let lo = amount_tokens(&field.lo);
    let (hi, message) = match &field.hi {
        Some(hi) => (amount_tokens(hi), format!("a node's `{ident}` must lie in [{}, {}]", field.lo.value, hi.value)),
        None => (quote!(u32::MAX as usize), format!("a node's `{ident}` must fit into 32 bits")),
    };
    checks.push(match field.lo.value {
        0 => quote!(assert!(#ident <= #hi, #message);),
        _ => quote!(assert!((#lo..=#hi).contains(&#ident), #message);),
    });
    checks
}

/// Takes optional elements apart: into a coordinate, the gap mark for none, and a value.
fn unpack(node: &NodePlan<'_>) -> Vec<TokenStream> {
    let optional = node.elems.iter().filter(|elem| matches!(elem.shape, Shape::One { nonempty: false }));
    let unpack = optional.map(|elem| {
        let (ident, coord, value) = (&elem.ident, coord_ident(elem), value_ident(elem));
        quote! {
            let (#coord, #value) = match #ident {
                Some((coord, value)) => {
                    assert!(coord != C::GAP, "the gap mark is no coordinate");
                    (coord, ::std::mem::MaybeUninit::new(value))
                }
                None => (C::GAP, ::std::mem::MaybeUninit::uninit()),
            };
        }
    });
    unpack.collect()
}

/// The struct with its fields; links are empty, and what assembly writes is zero.
fn literal(node: &NodePlan<'_>) -> TokenStream {
    let ty = &node.ty;
    let count = (!node.flat).then(|| quote!(node_count: runtime::Count::one(),));
    let tag = node.tag.map(|tag| quote!(node_tag: #tag,));
    let sizes = node.sizes.iter().map(|size| {
        let (ident, ty) = (&size.ident, &size.ty);
        if size.fills { quote!(#ident: 0,) } else { quote!(#ident: #ident as #ty,) }
    });
    let coded = node.coded().map(|elem| {
        let bytes = bytes_ident(elem);
        quote!(#bytes: #bytes as u32,)
    });
    let metadata =
        node.metadata.iter().map(|(ident, ty)| if ty == "bool" { quote!(#ident: false,) } else { quote!(#ident: 0,) });
    let counts = node.counts.iter().map(|(ident, _)| quote!(#ident: 0,));
    let parents = node.parents.iter().map(|(ident, _)| quote!(#ident: runtime::Parent::none(),));
    let links = scalar_children(node).map(|child| {
        let ident = &child.ident;
        quote!(#ident: None,)
    });
    let scalars = node.elems.iter().filter_map(|elem| {
        let (ident, coord, value) = (&elem.ident, coord_ident(elem), value_ident(elem));
        match elem.shape {
            Shape::One { nonempty: true } => Some(quote!(#coord: #ident.0, #value: #ident.1,)),
            Shape::One { nonempty: false } => Some(quote!(#coord, #value,)),
            _ => None,
        }
    });
    quote! {
        #ty { #count #tag #(#sizes)* #(#coded)* #(#metadata)* #(#counts)* #(#parents)* #(#links)* #(#scalars)* node_tail: runtime::Tail::new() }
    }
}

/// The children that are one link, a field of the struct.
fn scalar_children<'p>(node: &'p NodePlan<'_>) -> impl Iterator<Item = &'p Child> {
    node.children.iter().filter(|child| child.len.is_none())
}

/// How many elements an array has, by what `reserve` takes.
fn len_param(node: &NodePlan<'_>, len: &Len) -> TokenStream {
    match len {
        Len::Const(amount) => amount_tokens(amount),
        Len::Size(size) => {
            let ident = &node.sizes[*size].ident;
            quote!(#ident)
        }
    }
}

/// The function that says where arrays lie, for a node that has some.
fn offsets(plan: &Plan<'_>, node: &NodePlan<'_>, arrays: &[TailArray<'_>]) -> Option<TokenStream> {
    if arrays.is_empty() {
        return None;
    }
    let params = tail_fields(node).into_iter().map(|ident| quote!(#ident: usize));
    let mut end = quote!(::std::mem::size_of::<Self>());
    let mut lines = Vec::new();
    for array in arrays {
        let at = &array.at;
        let Some(ty) = element_type(plan, array) else {
            let bytes = slots_param(node, array);
            lines.push(quote!(let #at = #end;));
            end = quote!(#at + #bytes);
            continue;
        };
        let len = len_param(node, array.len);
        let slots = if array.lead > 0 { quote!((#len + 1)) } else { quote!(#len) };
        lines.push(quote!(let #at = runtime::align_up::<#ty>(#end);));
        end = quote!(#at + #slots * ::std::mem::size_of::<#ty>());
    }
    let names = arrays.iter().map(|array| &array.at);
    let n = proc_macro2::Literal::usize_unsuffixed(arrays.len() + 1);
    Some(quote! {
        /// Where the arrays start behind the node, in bytes, and where the last one ends.
        #[inline(always)]
        const fn offsets(#(#params),*) -> [usize; #n] {
            #(#lines)*
            [#(#names,)* #end]
        }
    })
}

/// The type of an array's elements; `None` for bytes.
fn element_type(plan: &Plan<'_>, array: &TailArray<'_>) -> Option<TokenStream> {
    match array.elements {
        TailElements::Links(child) => {
            let target = plan.target(child.target);
            Some(quote!(runtime::Link<#target<V, C>>))
        }
        TailElements::Coords(_) => Some(quote!(C)),
        TailElements::Values(_) => Some(quote!(V)),
        TailElements::Coded(_) => None,
    }
}

/// How many slots, or bytes, an array has, by what `reserve` takes.
fn slots_param(node: &NodePlan<'_>, array: &TailArray<'_>) -> TokenStream {
    if let TailElements::Coded(elem) = array.elements {
        let bytes = bytes_ident(elem);
        return quote!(#bytes);
    }
    let len = len_param(node, array.len);
    if array.lead > 0 { quote!(#len + 1) } else { len }
}

/// `let memory = …;`: memory for the struct and the arrays behind it.
fn allocate(plan: &Plan<'_>, node: &NodePlan<'_>, arrays: &[TailArray<'_>]) -> TokenStream {
    if arrays.is_empty() {
        return quote!(let memory = runtime::pool::allocate(::std::alloc::Layout::new::<Self>()).cast::<Self>(););
    }
    let names = arrays.iter().map(|array| {
        let at = &array.at;
        match array.elements {
            // Values of slots stay uninitialised.
            TailElements::Values(elem) if !is_nonempty(elem) => quote!(_),
            _ => quote!(#at),
        }
    });
    let sizes = tail_fields(node);
    let extents = arrays.iter().map(|array| {
        let slots = slots_param(node, array);
        match element_type(plan, array) {
            Some(ty) => quote!((#slots, ::std::mem::size_of::<#ty>())),
            None => quote!((#slots, 1)),
        }
    });
    quote! {
        runtime::assert_fits(&[#(#extents),*]);
        let [#(#names,)* end] = Self::offsets(#(#sizes),*);
        let memory = runtime::pool::allocate(runtime::tail_layout::<Self>(end)).cast::<Self>();
    }
}

/// What initialises an array. Elements are written with their coordinates, and values of empty slots not at all.
fn fill(plan: &Plan<'_>, node: &NodePlan<'_>, array: &TailArray<'_>) -> Option<TokenStream> {
    let at = &array.at;
    let len = len_param(node, array.len);
    Some(match array.elements {
        TailElements::Links(child) => {
            let target = plan.target(child.target);
            quote! {
                for slot in 0..#len {
                    runtime::tail_ptr::<_, runtime::Link<#target<V, C>>>(memory, #at).add(slot).write(None);
                }
            }
        }
        TailElements::Coords(elem) if is_nonempty(elem) => fill_elements(node, array, elem),
        TailElements::Coords(_) => quote! {
            for slot in 0..#len {
                runtime::tail_ptr::<_, C>(memory, #at).add(slot).write(C::GAP);
            }
        },
        TailElements::Values(_) => return None,
        TailElements::Coded(elem) => {
            let (ident, bytes, base) = (&elem.ident, bytes_ident(elem), base_of(node, elem));
            let values = format_ident!("{}_values_at", elem.ident);
            quote! {
                #ident.write_coded_to(#base, runtime::tail_ptr::<_, u8>(memory, #at), #bytes, runtime::tail_ptr::<_, V>(memory, #values));
            }
        }
    })
}

/// Writes the coordinates and values of an array, behind the element that leads it, if there is one.
fn fill_elements(node: &NodePlan<'_>, array: &TailArray<'_>, elem: &Elem) -> TokenStream {
    let (at, ident) = (&array.at, &elem.ident);
    let values = format_ident!("{}_values_at", elem.ident);
    match elem.shape {
        Shape::Array { lead: Some(lead), .. } => {
            let lead = &node.elems[lead].ident;
            quote! {
                runtime::tail_ptr::<_, C>(memory, #at).write(#lead.0);
                runtime::tail_ptr::<_, V>(memory, #values).write(#lead.1);
                #ident.write_to(runtime::tail_ptr::<_, C>(memory, #at).add(1), runtime::tail_ptr::<_, V>(memory, #values).add(1));
            }
        }
        _ => quote! {
            #ident.write_to(runtime::tail_ptr::<_, C>(memory, #at), runtime::tail_ptr::<_, V>(memory, #values));
        },
    }
}

/// What the coded coordinates of an array are counted from, given what `reserve` takes.
fn base_of(node: &NodePlan<'_>, elem: &Elem) -> TokenStream {
    match &elem.shape {
        Shape::Array { base: Some(base), .. } => {
            let base = &node.elems[*base].ident;
            quote!(Some(#base.0))
        }
        _ => quote!(None),
    }
}
