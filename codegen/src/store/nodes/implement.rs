//! What the runtime asks of every node that has an allocation of its own: its layout, a copy, its destruction, a report of its fields.

use proc_macro2::TokenStream;
use quote::quote;

use super::inspect::inspect;
use crate::store::plan::{NodePlan, Plan, Shape};
use crate::store::tail::{
    TailArray, TailElements, bind_offsets, coord_ident, coords_at_ident, is_nonempty, offsets_of, tail_arrays,
    tail_fields, value_ident,
};
use crate::store::text::safety;

/// `impl Node`, for a node that has an allocation of its own.
pub fn implement_node(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let ty = &node.ty;
    let layout = if tail_arrays(node).is_empty() {
        quote!(let _ = node; ::std::alloc::Layout::new::<Self>())
    } else {
        let names = tail_arrays(node).into_iter().map(|_| quote!(_));
        let offsets = offsets_of(node, &quote!(node));
        let read = match tail_fields(node).is_empty() {
            true => quote!(let _ = node;),
            false => quote!(let node = node.get();),
        };
        quote! {
            #read
            let [#(#names,)* end] = #offsets;
            runtime::tail_layout::<Self>(end)
        }
    };
    let copy = copy(plan, node);
    let destroy = destroy(plan, node);
    let inspect = inspect(plan, node);
    let because = safety("`reserve` makes every node with this layout and initialises all of it");
    quote! {
        #because
        unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Node for #ty<V, C> {
            type Coord = C;
            type Value = V;

            fn layout(node: runtime::NodeRef<'_, Self>) -> ::std::alloc::Layout {
                #layout
            }

            #copy
            #destroy

            fn inspect<'a>(node: runtime::NodeRef<'a, Self>, report: &mut runtime::Inspection<'a, C, V>) {
                report.allocation(<Self as runtime::Node>::layout(node));
                #inspect
            }
        }
    }
}

/// `fn copy`: the node with its values, whose links are shared; with its children, if these know their parent.
fn copy(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    if plan.is_known_parent(node) {
        let variant = &node.ty;
        return quote! {
            fn copy(node: runtime::NodeRef<'_, Self>) -> runtime::Reserved<Self> {
                let mut copy: runtime::Link<Self> = None;
                let first = super::Copying::#variant(node, &raw mut copy, runtime::Parent::none());
                super::copy_structure(first, &mut |_, value: &V| value.clone());
                runtime::Reserved::from_unique(copy.expect("the copy of a node"))
            }
        };
    }
    let links = node.children.iter().map(|child| {
        let ident = &child.ident;
        match child.len {
            None => quote!(*fields.#ident = node.get().#ident.clone();),
            Some(_) => quote!(fields.#ident.clone_from_slice(Self::#ident(node));),
        }
    });
    let alike = quote!(Self::like(node, &mut Vec::new(), &mut |_, value: &V| value.clone()));
    let body = if node.children.is_empty() {
        alike
    } else {
        quote! {
            let mut copy = #alike;
            let fields = Self::fields(copy.edit());
            #(#links)*
            copy
        }
    };
    quote! {
        fn copy(node: runtime::NodeRef<'_, Self>) -> runtime::Reserved<Self> {
            #body
        }
    }
}

/// `fn destroy`: links are taken, values dropped, and the memory is freed.
fn destroy(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let arrays = tail_arrays(node);
    let links = bury_links(plan, node, &arrays);
    let values = drop_values(node, &arrays);
    let offsets = (!arrays.is_empty()).then(|| {
        bind_offsets(node, &quote!((*ptr)), |array| match array.elements {
            TailElements::Coords(elem) => !is_nonempty(elem),
            TailElements::Coded(_) => false,
            TailElements::Links(_) | TailElements::Values(_) => true,
        })
    });
    let values = (!values.is_empty()).then(|| {
        quote! {
            if ::std::mem::needs_drop::<V>() {
                #(#values)*
            }
        }
    });
    let because =
        safety("nobody else reaches the node; its links are taken, its values dropped once, its memory freed last");
    let dead = if links.is_empty() { quote!(_dead) } else { quote!(dead) };
    quote! {
        unsafe fn destroy(node: ::std::ptr::NonNull<Self>, #dead: &mut runtime::Graveyard) {
            let ptr = node.as_ptr();
            #because
            unsafe {
                let layout = <Self as runtime::Node>::layout(runtime::NodeRef::from_raw(node));
                #offsets
                #(#links)*
                #values
                runtime::pool::deallocate(node.cast(), layout);
            }
        }
    }
}

/// How many slots an array of a node that is destroyed has.
fn slots(node: &NodePlan<'_>, array: &TailArray<'_>) -> TokenStream {
    let len = node.len_of(array.len, &quote!((*ptr)));
    if array.lead > 0 { quote!(#len + 1) } else { len }
}

/// Takes the links of a node: one by one, and those in arrays.
fn bury_links(plan: &Plan<'_>, node: &NodePlan<'_>, arrays: &[TailArray<'_>]) -> Vec<TokenStream> {
    let single = node.children.iter().filter(|child| child.len.is_none()).map(|child| {
        let ident = &child.ident;
        quote!(dead.bury((*ptr).#ident.take());)
    });
    let several = arrays.iter().filter_map(|array| {
        let TailElements::Links(child) = array.elements else { return None };
        let (at, slots, target) = (&array.at, slots(node, array), plan.target(child.target));
        Some(quote! {
            for slot in 0..#slots {
                let child = runtime::tail_ptr::<_, runtime::Link<#target<V, C>>>(node, #at).add(slot);
                dead.bury((*child).take());
            }
        })
    });
    single.chain(several).collect()
}

/// Drops the values of a node: those of fields, and those in arrays.
fn drop_values(node: &NodePlan<'_>, arrays: &[TailArray<'_>]) -> Vec<TokenStream> {
    let single = node.elems.iter().filter_map(|elem| {
        let (coord, value) = (coord_ident(elem), value_ident(elem));
        match elem.shape {
            Shape::One { nonempty: true } => Some(quote!(::std::ptr::drop_in_place(&raw mut (*ptr).#value);)),
            Shape::One { nonempty: false } => Some(quote! {
                if (*ptr).#coord != C::GAP {
                    (*ptr).#value.assume_init_drop();
                }
            }),
            _ => None,
        }
    });
    let several = arrays.iter().filter_map(|array| {
        let TailElements::Values(elem) = array.elements else { return None };
        let (at, slots) = (&array.at, slots(node, array));
        if is_nonempty(elem) {
            return Some(quote! {
                ::std::ptr::drop_in_place(::std::ptr::slice_from_raw_parts_mut(runtime::tail_ptr::<_, V>(node, #at), #slots));
            });
        }
        let coords_at = coords_at_ident(elem);
        Some(quote! {
            for slot in 0..#slots {
                if runtime::tail_ptr::<_, C>(node, #coords_at).add(slot).read() != C::GAP {
                    ::std::ptr::drop_in_place(runtime::tail_ptr::<_, V>(node, #at).add(slot));
                }
            }
        })
    });
    single.chain(several).collect()
}
