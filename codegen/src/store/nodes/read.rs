//! Functions that read a node.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::parents::adopt;
use crate::schema::model::Target;
use crate::store::plan::{Child, Elem, Len, NodePlan, Plan, Shape};
use crate::store::tail::{
    bind_offsets, bytes_ident, coded_at_ident, coord_ident, coords_at_ident, links_at_ident, run_ident, tail_fields,
    value_ident, values_at_ident,
};
use crate::store::text::safety;

pub fn read(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let ty = &node.ty;
    let elems = (0..node.elems.len()).map(|elem| read_elem(node, elem));
    let children = node.children.iter().map(|child| match &child.len {
        None => read_child(plan, child),
        Some(len) => read_children(plan, node, child, len),
    });
    let numbers = read_numbers(node);
    let parents = node.parents.iter().map(|(ident, target)| {
        let target = plan.target(*target);
        quote! {
            /// The node that links to this one.
            #[inline(always)]
            pub fn #ident(node: runtime::NodeRef<'_, Self>) -> runtime::Parent<#target<V, C>> {
                node.get().#ident
            }
        }
    });
    let adopt = adopt(plan, node);
    let upcast = upcast(plan, node);
    quote! {
        impl<V: runtime::Value, C: runtime::Coord> #ty<V, C> {
            #(#elems)*
            #(#children)*
            #(#numbers)*
            #(#parents)*
            #adopt
            #upcast
        }
    }
}

/// Why arrays behind the struct may be read.
fn array_is_initialised() -> TokenStream {
    safety("the node has this array, initialised when the node was made")
}

/// What elements without gaps are read as.
fn run_type() -> TokenStream {
    quote!(runtime::Run<'a, 'a, C, V>)
}

/// The functions that read an `elem` field.
fn read_elem(node: &NodePlan<'_>, index: usize) -> TokenStream {
    let elem = &node.elems[index];
    match &elem.shape {
        Shape::One { nonempty: true } => read_one(elem),
        Shape::One { nonempty: false } => read_slot(elem),
        Shape::Lead { array } => read_lead(node, elem, *array),
        Shape::Array { delta: true, len, base, .. } => read_coded(node, elem, len, *base),
        Shape::Array { nonempty: true, len, lead, .. } => read_array(node, index, len, *lead),
        Shape::Array { len, used, .. } => read_slots(node, elem, len, *used),
    }
}

fn read_one(elem: &Elem) -> TokenStream {
    let (ident, run) = (&elem.ident, run_type());
    let (coord, value) = (coord_ident(elem), value_ident(elem));
    let doc = format!(" The element `{}`.", elem.name);
    quote! {
        #[doc = #doc]
        #[inline(always)]
        pub fn #ident<'a>(node: runtime::NodeRef<'a, Self>) -> #run {
            let node = node.get();
            runtime::Run::one(&node.#coord, &node.#value)
        }
    }
}

fn read_slot(elem: &Elem) -> TokenStream {
    let ident = &elem.ident;
    let (coord, value) = (coord_ident(elem), value_ident(elem));
    let doc = format!(" The element `{}`, or no element.", elem.name);
    let because = safety("a value is initialised where its coordinate is not the gap mark");
    quote! {
        #[doc = #doc]
        #[inline(always)]
        pub fn #ident<'a>(node: runtime::NodeRef<'a, Self>) -> runtime::Slots<'a, C, V> {
            let node = node.get();
            #because
            unsafe { runtime::Slots::new(::std::slice::from_ref(&node.#coord), ::std::slice::from_ref(&node.#value)) }
        }
    }
}

/// An element that lies before the first slot of an array.
fn read_lead(node: &NodePlan<'_>, elem: &Elem, array: usize) -> TokenStream {
    let (ident, run, both) = (&elem.ident, run_type(), run_ident(node, array));
    let doc = format!(" The element `{}`.", elem.name);
    quote! {
        #[doc = #doc]
        #[inline(always)]
        pub fn #ident<'a>(node: runtime::NodeRef<'a, Self>) -> #run {
            Self::#both(node).first(1)
        }
    }
}

/// An array whose coordinates are difference-coded.
fn read_coded(node: &NodePlan<'_>, elem: &Elem, len: &Len, base: Option<usize>) -> TokenStream {
    let (ident, because) = (&elem.ident, array_is_initialised());
    let (values_at, coded_at) = (values_at_ident(elem), coded_at_ident(elem));
    let offsets = bind_offsets(node, &quote!(fields), |array| array.at == values_at || array.at == coded_at);
    let (bytes, len) = (bytes_ident(elem), node.len_of(len, &quote!(fields)));
    let base = match base {
        Some(base) => {
            let base = coord_ident(&node.elems[base]);
            quote!(Some(fields.#base))
        }
        None => quote!(None),
    };
    let doc = format!(" The elements of `{}`, whose coordinates are difference-coded.", elem.name);
    quote! {
        #[doc = #doc]
        #[inline(always)]
        pub fn #ident<'a>(node: runtime::NodeRef<'a, Self>) -> runtime::CodedView<'a, C, V> {
            let fields = node.get();
            #offsets
            #because
            let (coded, values) = unsafe {
                (
                    runtime::tail_slice(node, #coded_at, fields.#bytes as usize),
                    runtime::tail_slice(node, #values_at, #len),
                )
            };
            runtime::CodedView::new(coded, values, #base)
        }
    }
}

/// An array without gaps: all of it with the element that leads it, and without that.
fn read_array(node: &NodePlan<'_>, index: usize, len: &Len, lead: Option<usize>) -> TokenStream {
    let elem = &node.elems[index];
    let (ident, run, because) = (&elem.ident, run_type(), array_is_initialised());
    let (both, name) = (run_ident(node, index), &elem.name);
    let (coords_at, values_at) = (coords_at_ident(elem), values_at_ident(elem));
    let offsets = elem_offsets(node, elem);
    let len = node.len_of(len, &quote!(fields));
    let slots = if lead.is_some() { quote!(#len + 1) } else { len };
    let doc = match lead {
        Some(lead) => format!(" The element `{}` and those of `{name}`, which lie behind it.", node.elems[lead].name),
        None => format!(" The elements of `{name}`."),
    };
    let without_lead = lead.map(|_| {
        let doc = format!(" The elements of `{name}`.");
        quote! {
            #[doc = #doc]
            #[inline(always)]
            pub fn #ident<'a>(node: runtime::NodeRef<'a, Self>) -> #run {
                Self::#both(node).skip(1)
            }
        }
    });
    quote! {
        #[doc = #doc]
        #[inline(always)]
        pub fn #both<'a>(node: runtime::NodeRef<'a, Self>) -> #run {
            #offsets
            let slots = #slots;
            #because
            unsafe {
                runtime::Run::new(
                    runtime::tail_slice(node, #coords_at, slots),
                    runtime::tail_slice(node, #values_at, slots),
                )
            }
        }
        #without_lead
    }
}

/// An array with gaps: all slots, and those in use where a size says how many that are.
fn read_slots(node: &NodePlan<'_>, elem: &Elem, len: &Len, used: Option<usize>) -> TokenStream {
    let (ident, name, because) = (&elem.ident, &elem.name, array_is_initialised());
    let (coords_at, values_at) = (coords_at_ident(elem), values_at_ident(elem));
    let offsets = elem_offsets(node, elem);
    let slots = node.len_of(len, &quote!(fields));
    let (slots_fn, doc) = match used {
        Some(_) => {
            (format_ident!("{ident}_slots"), format!(" All slots of `{name}`, those that are not in use included."))
        }
        None => (ident.clone(), format!(" The slots of `{name}`.")),
    };
    let filled = used.map(|used| {
        let (used, run) = (&node.sizes[used].ident, run_type());
        let doc = format!(" The elements of `{name}`: its first `{used}` slots.");
        let because = safety("only `FilledMut` writes the slots, and keeps exactly the first ones full");
        quote! {
            #[doc = #doc]
            #[inline(always)]
            pub fn #ident<'a>(node: runtime::NodeRef<'a, Self>) -> #run {
                let used = node.get().#used as usize;
                #because
                unsafe { Self::#slots_fn(node).filled(used) }
            }
        }
    });
    quote! {
        #[doc = #doc]
        #[inline(always)]
        pub fn #slots_fn<'a>(node: runtime::NodeRef<'a, Self>) -> runtime::Slots<'a, C, V> {
            #offsets
            let slots = #slots;
            #because
            unsafe {
                runtime::Slots::new(
                    runtime::tail_slice(node, #coords_at, slots),
                    runtime::tail_slice(node, #values_at, slots),
                )
            }
        }
        #filled
    }
}

/// Where the coordinates and values of an array begin.
fn elem_offsets(node: &NodePlan<'_>, elem: &Elem) -> TokenStream {
    let (coords_at, values_at) = (coords_at_ident(elem), values_at_ident(elem));
    let fields = bind_fields(node);
    let offsets = bind_offsets(node, &quote!(fields), |array| array.at == coords_at || array.at == values_at);
    quote!(#fields #offsets)
}

/// `let fields = node.get();`, where the lengths of arrays are among the fields.
fn bind_fields(node: &NodePlan<'_>) -> Option<TokenStream> {
    (!tail_fields(node).is_empty()).then(|| quote!(let fields = node.get();))
}

fn read_child(plan: &Plan<'_>, child: &Child) -> TokenStream {
    let (ident, name, target) = (&child.ident, &child.name, plan.target(child.target));
    let (link, doc) = (format_ident!("{ident}_link"), format!(" The child `{name}`."));
    let link_doc = format!(" The link `{name}`: a clone of it shares the child.");
    quote! {
        #[doc = #doc]
        #[inline(always)]
        pub fn #ident<'a>(node: runtime::NodeRef<'a, Self>) -> Option<runtime::NodeRef<'a, #target<V, C>>> {
            runtime::follow(&node.get().#ident)
        }

        #[doc = #link_doc]
        #[inline(always)]
        pub fn #link<'a>(node: runtime::NodeRef<'a, Self>) -> &'a runtime::Link<#target<V, C>> {
            &node.get().#ident
        }
    }
}

fn read_children(plan: &Plan<'_>, node: &NodePlan<'_>, child: &Child, len: &Len) -> TokenStream {
    let (ident, target, because) = (&child.ident, plan.target(child.target), array_is_initialised());
    let at = links_at_ident(child);
    let fields = bind_fields(node);
    let offsets = bind_offsets(node, &quote!(fields), |array| array.at == at);
    let len = node.len_of(len, &quote!(fields));
    let doc = format!(" The children `{}`.", child.name);
    quote! {
        #[doc = #doc]
        #[inline(always)]
        pub fn #ident<'a>(node: runtime::NodeRef<'a, Self>) -> &'a [runtime::Link<#target<V, C>>] {
            #fields
            #offsets
            let slots = #len;
            #because
            unsafe { runtime::tail_slice(node, #at, slots) }
        }
    }
}

/// The functions that read sizes, metadata and counts.
fn read_numbers(node: &NodePlan<'_>) -> Vec<TokenStream> {
    let sizes = node.sizes.iter().map(|size| {
        let ident = &size.ident;
        let doc = format!(" The size `{ident}`.");
        quote! {
            #[doc = #doc]
            #[inline(always)]
            pub fn #ident(node: runtime::NodeRef<'_, Self>) -> usize {
                node.get().#ident as usize
            }
        }
    });
    let metadata = node.metadata.iter().map(|(ident, ty)| (ident, quote!(#ty), format!(" The field `{ident}`.")));
    let counts = node.counts.iter().map(|(ident, deep)| {
        let what = if *deep { "leaf nonzeros" } else { "nonzeros" };
        (ident, quote!(u64), format!(" The number of {what} reachable from the node, as assembly wrote it."))
    });
    let fields = metadata.chain(counts).map(|(ident, ty, doc)| {
        quote! {
            #[doc = #doc]
            #[inline(always)]
            pub fn #ident(node: runtime::NodeRef<'_, Self>) -> #ty {
                node.get().#ident
            }
        }
    });
    sizes.chain(fields).collect()
}

/// The function that takes a node for one of its supertype.
fn upcast(plan: &Plan<'_>, node: &NodePlan<'_>) -> Option<TokenStream> {
    let parent = plan.target(Target::Super(node.node.supertype?));
    let doc = format!(" The node as a `{parent}`.");
    let because = safety("a subtype's fields start with those of its supertype, and its tag says which subtype it is");
    Some(quote! {
        #[doc = #doc]
        #[inline(always)]
        pub fn upcast(node: runtime::Ref<Self>) -> runtime::Ref<#parent<V, C>> {
            #because
            unsafe { runtime::Ref::from_raw(node.into_raw().cast()) }
        }
    })
}
