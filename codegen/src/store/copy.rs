//! Copies of the same shape with other values, without recursion: a list of work instead, each entry a node and the link that its
//! copy belongs in. Nodes are copied in storage order, so the copy lies in memory as a traversal visits it.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::nodes::parent_target;
use super::plan::{NodePlan, Place, Plan, Slot};
use super::text::safety;
use crate::schema::model::{Target, type_name};

/// The link types whose nodes can be copied.
fn targets(plan: &Plan<'_>) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    if !plan.handle().flat {
        targets.push(Target::Node(plan.model.handle));
    }
    for node in &plan.nodes {
        let own = (!node.flat && plan.is_known_parent(node)).then_some(Target::Node(node.id));
        for target in node.children.iter().map(|child| child.target).chain(own) {
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
    }
    targets
}

fn variant(plan: &Plan<'_>, target: Target) -> Ident {
    format_ident!("{}", type_name(plan.model.target_name(target)))
}

/// The type that nodes of a target call their parent, if they do.
fn parent_type(plan: &Plan<'_>, target: Target) -> Option<Ident> {
    plan.model
        .target_nodes(target)
        .iter()
        .find_map(|&id| plan.node(id).parents.first().map(|(_, parent)| plan.target(*parent)))
}

/// The entry for a child of `node`, whose copy is called `copy`.
fn entry(plan: &Plan<'_>, node: &NodePlan<'_>, target: Target, child: TokenStream, slot: TokenStream) -> TokenStream {
    let variant = variant(plan, target);
    let parent = parent_type(plan, target).map(|_| match parent_target(plan, node) {
        Some(Target::Node(id)) if id == node.id => quote!(, parent),
        Some(_) => quote!(, parent),
        None => quote!(, runtime::Parent::none()),
    });
    quote!(Copying::#variant(#child, #slot #parent))
}

/// The enum of work and the function that does it.
pub fn items(plan: &Plan<'_>) -> TokenStream {
    let targets = targets(plan);
    if targets.is_empty() {
        return quote!();
    }
    let variants = targets.iter().map(|&target| {
        let (variant, ty) = (variant(plan, target), plan.target(target));
        let parent = parent_type(plan, target).map(|parent| quote!(runtime::Parent<nodes::#parent<U, C>>,));
        quote!(#variant(runtime::NodeRef<'a, nodes::#ty<V, C>>, *mut runtime::Link<nodes::#ty<U, C>>, #parent),)
    });
    let because =
        safety("the slot is a link of a node that was copied before and that only the copy under construction reaches");
    let arms = targets.iter().map(|&target| {
        let variant = variant(plan, target);
        let parent = parent_type(plan, target).map(|_| quote!(, up));
        let body = match target {
            Target::Node(id) => {
                let body = copy_node(plan, plan.node(id), quote!(from));
                quote!(#body #because unsafe { *slot = Some(copy.finish()) };)
            }
            Target::Super(id) => {
                let ty = plan.target(target);
                let kind = format_ident!("{}Kind", ty);
                let arms = plan.model.supertype(id).subtypes.iter().map(|&sub| {
                    let sub_ty = &plan.node(sub).ty;
                    let body = copy_node(plan, plan.node(sub), quote!(from));
                    quote! {
                        nodes::#kind::#sub_ty(from) => {
                            #body
                            #because
                            unsafe { *slot = Some(nodes::#sub_ty::upcast(copy.finish())) };
                        }
                    }
                });
                quote!(match nodes::#ty::kind(from) { #(#arms)* })
            }
        };
        quote!(Copying::#variant(from, slot #parent) => { #body })
    });
    quote! {
        /// A node to copy, and the link that the copy belongs in.
        enum Copying<'a, V: runtime::Value, C: runtime::Coord, U: runtime::Value> { #(#variants)* }

        /// Copies a node and everything below it, with the values that `f` makes of the old ones.
        fn copy_structure<V: runtime::Value, C: runtime::Coord, U: runtime::Value>(
            first: Copying<'_, V, C, U>,
            f: &mut impl FnMut(C, &V) -> U,
        ) {
            let mut work = vec![first];
            let mut scratch = Vec::new();
            while let Some(next) = work.pop() {
                match next { #(#arms)* }
            }
        }
    }
}

/// Copies one node and puts its children on the list, the first one on top.
fn copy_node(plan: &Plan<'_>, node: &NodePlan<'_>, from: TokenStream) -> TokenStream {
    let ty = &node.ty;
    let mut pushes = Vec::new();
    for place in node.terms.iter().rev() {
        let children: Vec<usize> = match place {
            Place::Child(child) => vec![*child],
            Place::Elem(_) => vec![],
            Place::Interleaved(slots) => slots
                .iter()
                .filter_map(|slot| match slot {
                    Slot::Child(child) => Some(*child),
                    Slot::Elem(_) => None,
                })
                .collect(),
        };
        for child in children.into_iter().rev() {
            let child = &node.children[child];
            let ident = &child.ident;
            match child.len {
                None => {
                    let entry = entry(plan, node, child.target, quote!(child), quote!(fields.#ident));
                    pushes.push(quote! {
                        if let Some(child) = nodes::#ty::#ident(#from) {
                            work.push(#entry);
                        }
                    });
                }
                Some(_) => {
                    let entry = entry(plan, node, child.target, quote!(child), quote!(slot));
                    pushes.push(quote! {
                        for (child, slot) in nodes::#ty::#ident(#from).iter().zip(fields.#ident).rev() {
                            if let Some(child) = runtime::follow(child) {
                                work.push(#entry);
                            }
                        }
                    });
                }
            }
        }
    }
    let edits = !pushes.is_empty() || !node.parents.is_empty();
    let mutable = edits.then(|| quote!(mut));
    let set_parent = (!node.parents.is_empty()).then(|| quote!(nodes::#ty::set_parent(copy.edit(), up);));
    let needs_parent = node.children.iter().any(|child| parent_type(plan, child.target).is_some());
    let parent = match parent_target(plan, node) {
        Some(Target::Node(_)) if needs_parent => quote!(let parent = runtime::Parent::of(copy.node());),
        Some(target) if needs_parent => {
            let target = plan.target(target);
            let because = safety("every subtype is its supertype too");
            quote!(#because let parent = runtime::Parent::of(unsafe { copy.node().cast::<nodes::#target<U, C>>() });)
        }
        _ => quote!(),
    };
    let fields = (!pushes.is_empty()).then(|| quote!(let fields = nodes::#ty::fields(copy.edit());));
    quote! {
        let #mutable copy = nodes::#ty::like(#from, &mut scratch, f);
        #set_parent
        #parent
        #fields
        #(#pushes)*
    }
}

/// `impl MapValues`.
pub fn map_values(plan: &Plan<'_>) -> TokenStream {
    let store = &plan.store;
    let handle = plan.handle();
    let ty = &handle.ty;
    let body = if handle.flat {
        let copies = handle.children.iter().map(|child| {
            let ident = &child.ident;
            let entry = entry(plan, handle, child.target, quote!(child), quote!(fields.#ident));
            quote! {
                if let Some(child) = nodes::#ty::#ident(from) {
                    copy_structure(#entry, &mut f);
                }
            }
        });
        quote! {
            let from = runtime::NodeRef::of(&self.root);
            let mut root = nodes::#ty::like(from, &mut Vec::new(), &mut f);
            let fields = nodes::#ty::fields(runtime::NodeMut::of(&mut root));
            #(#copies)*
            #store { root }
        }
    } else {
        let variant = variant(plan, Target::Node(handle.id));
        let parent = parent_type(plan, Target::Node(handle.id)).map(|_| quote!(, runtime::Parent::none()));
        quote! {
            let mut root = None;
            if let Some(from) = runtime::follow(&self.root) {
                copy_structure(Copying::#variant(from, &raw mut root #parent), &mut f);
            }
            #store { root }
        }
    };
    quote! {
        impl<V: runtime::Value, C: runtime::Coord, U: runtime::Value> runtime::MapValues<U> for #store<V, C> {
            type Output = #store<U, C>;

            fn map_values<F: FnMut(C, &V) -> U>(&self, mut f: F) -> #store<U, C> {
                #body
            }
        }
    }
}
