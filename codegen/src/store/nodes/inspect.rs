//! The report of a node's fields.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::schema::model::Target;
use crate::store::plan::{Child, NodePlan, Place, Plan, Shape, SizeField, Slot, amount_tokens};
use crate::store::tail::is_nonempty;

/// The report of the fields in the order of the sequence; also used by handles that lie by value.
pub fn inspect(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    // Sizes first: what they bound is read with them.
    let sizes = node.sizes.iter().filter_map(inspect_size);
    let counts = node.counts.iter().filter(|(_, deep)| !deep).map(|(ident, _)| {
        let name = ident.to_string();
        quote!(report.count(#name, Self::#ident(node));)
    });
    let terms = node.terms.iter().map(|place| match place {
        Place::Elem(elem) => inspect_elem(node, *elem),
        Place::Child(child) => inspect_child(plan, node, &node.children[*child]),
        Place::Interleaved(slots) => inspect_interleaved(node, slots),
    });
    quote!(#(#sizes)* #(#counts)* #(#terms)*)
}

/// Whether a size lies within the bounds of the schema, if it has some.
fn inspect_size(size: &SizeField) -> Option<TokenStream> {
    let (ident, name) = (&size.ident, size.ident.to_string());
    let lo = amount_tokens(&size.lo);
    let (holds, bounds) = match &size.hi {
        Some(hi) => {
            let bounds = format!("[{}, {}]", size.lo.value, hi.value);
            let hi = amount_tokens(hi);
            (quote!((#lo..=#hi).contains(&Self::#ident(node))), bounds)
        }
        None if size.lo.value > 0 => (quote!(Self::#ident(node) >= #lo), format!("[{}, *]", size.lo.value)),
        None => return None,
    };
    let message = format!("is {{}}, but must lie in {bounds}");
    Some(quote!(report.check(#name, #holds, || format!(#message, Self::#ident(node)));))
}

fn inspect_child(plan: &Plan<'_>, node: &NodePlan<'_>, child: &Child) -> TokenStream {
    let (ident, name, nonempty) = (&child.ident, &child.name, child.nonempty);
    match child.len {
        None => {
            let parent = inspect_parent(plan, node, child.target, name);
            quote! {
                report.child(#name, None, &node.get().#ident, #nonempty);
                #parent
            }
        }
        Some(_) => quote! {
            for (slot, link) in Self::#ident(node).iter().enumerate() {
                report.child(#name, Some(slot), link, #nonempty);
            }
        },
    }
}

/// Several arrays, slot by slot. One of them may be longer than the others.
fn inspect_interleaved(node: &NodePlan<'_>, slots: &[Slot]) -> TokenStream {
    let lens = slots.iter().map(|slot| {
        let ident = match slot {
            Slot::Elem(elem) => &node.elems[*elem].ident,
            Slot::Child(child) => &node.children[*child].ident,
        };
        quote!(Self::#ident(node).len())
    });
    let steps = slots.iter().map(|slot| inspect_slot(node, slot));
    quote! {
        let longest = [#(#lens),*].into_iter().max().unwrap_or(0);
        for slot in 0..longest {
            #(#steps)*
        }
    }
}

/// The slot of one of several interleaved arrays, if it has that many.
fn inspect_slot(node: &NodePlan<'_>, slot: &Slot) -> TokenStream {
    match slot {
        Slot::Elem(elem) => {
            let elem = &node.elems[*elem];
            let (ident, name) = (&elem.ident, &elem.name);
            match is_nonempty(elem) {
                true => quote! {
                    let run = Self::#ident(node);
                    if slot < run.len() {
                        report.elements(#name, Some(slot), &run.coords()[slot..=slot], &run.values()[slot..=slot], true);
                    }
                },
                false => quote! {
                    let slots = Self::#ident(node);
                    if slot < slots.len() {
                        report.slots(#name, Some(slot), slots.slot(slot), true, None);
                    }
                },
            }
        }
        Slot::Child(child) => {
            let child = &node.children[*child];
            let (ident, name, nonempty) = (&child.ident, &child.name, child.nonempty);
            quote! {
                if let Some(link) = Self::#ident(node).get(slot) {
                    report.child(#name, Some(slot), link, #nonempty);
                }
            }
        }
    }
}

fn inspect_elem(node: &NodePlan<'_>, index: usize) -> TokenStream {
    let elem = &node.elems[index];
    let (ident, name) = (&elem.ident, &elem.name);
    match &elem.shape {
        Shape::One { nonempty: true } => quote! {
            let run = Self::#ident(node);
            report.elements(#name, None, run.coords(), run.values(), true);
        },
        Shape::One { nonempty: false } => quote! {
            report.slots(#name, None, Self::#ident(node), true, None);
        },
        Shape::Lead { .. } => quote!(),
        Shape::Array { delta: true, .. } => quote!(report.coded(#name, Self::#ident(node));),
        Shape::Array { nonempty: true, ordered, lead, .. } => {
            let lead = lead.map(|lead| {
                let lead = &node.elems[lead];
                let (ident, name) = (&lead.ident, &lead.name);
                quote! {
                    let run = Self::#ident(node);
                    report.elements(#name, None, run.coords(), run.values(), true);
                }
            });
            quote! {
                #lead
                let run = Self::#ident(node);
                report.elements(#name, None, run.coords(), run.values(), #ordered);
            }
        }
        Shape::Array { ordered, used: Some(used), .. } => {
            let (all, used) = (format_ident!("{}_slots", elem.ident), &node.sizes[*used].ident);
            quote!(report.slots(#name, None, Self::#all(node), #ordered, Some(Self::#used(node)));)
        }
        Shape::Array { ordered, .. } => quote!(report.slots(#name, None, Self::#ident(node), #ordered, None);),
    }
}

fn inspect_parent(plan: &Plan<'_>, node: &NodePlan<'_>, target: Target, name: &str) -> TokenStream {
    let Target::Node(id) = target else { return quote!() };
    let child = plan.node(id);
    let Some((parent, parent_target)) = child.parents.first() else { return quote!() };
    let ident = node.children.iter().find(|child| child.name == name).map(|child| &child.ident);
    let child_ty = &child.ty;
    let expected = if *parent_target == Target::Node(node.id) { quote!(Some(node)) } else { quote!(None) };
    quote! {
        if let Some(child) = Self::#ident(node) {
            report.parent(#name, #child_ty::#parent(child), #expected);
        }
    }
}
