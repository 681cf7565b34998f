//! The parallel map: tasks for the children of a tree to a bounded depth, tasks for parts of a list with about equally many nonzeros.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::machine::{Emitter, Purpose, lowered};
use super::plan::{NodePlan, Place, Plan, Shape, Slot};
use super::tail::{is_nonempty, run_ident};
use super::text::comment;
use crate::derive::{Order, stages};
use crate::schema::model::Target;

fn generics() -> TokenStream {
    quote!(<'a, V: runtime::Value, C: runtime::Coord, A: Send>)
}

fn arguments() -> TokenStream {
    quote! {
        identity: &(impl Fn() -> A + Sync),
        fold: &(impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync),
        combine: &(impl Fn(A, A) -> A + Sync),
    }
}

fn name(plan: &Plan<'_>, target: Target) -> Ident {
    format_ident!("par_{}", plan.model.target_name(target))
}

fn fold_name(node: &NodePlan<'_>) -> Ident {
    format_ident!("fold_{}", node.node.name)
}

/// The functions, one for each type of nodes and each supertype; `par_…` of the handle's is where it starts.
pub fn items(plan: &Plan<'_>) -> TokenStream {
    let mut items = Vec::new();
    let lowered = lowered(plan);
    for node in &plan.nodes {
        items.push(par_node(plan, node));
        if needs_fold(plan, node) {
            let mut rooted = lowered.clone();
            rooted.handle = node.id;
            let stages = stages(&rooted, Order::Coordinate);
            let step = format!("Fold{}", node.ty);
            let emitter = Emitter::new(plan, &stages.loops, Purpose::Fold, &step);
            let (ty, fold) = (&node.ty, fold_name(node));
            let step = emitter.step_enum(&format!(" Where a fold over a `{}` goes on.", node.node.name));
            let walk = emitter.walk(&quote!(n));
            let doc = format!(" Folds over a `{}` and everything below it.", node.node.name);
            items.push(quote! {
                #step

                #[doc = #doc]
                fn #fold<'a, V: runtime::Value, C: runtime::Coord, A>(
                    n: runtime::NodeRef<'a, nodes::#ty<V, C>>,
                    mut folded: A,
                    visit: &impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A,
                ) -> A {
                    #walk
                }
            });
        }
    }
    for (id, supertype) in plan.model.supertypes.iter().enumerate() {
        let target = Target::Super(crate::schema::model::SuperId(id));
        let (ty, par, generics, arguments) = (plan.target(target), name(plan, target), generics(), arguments());
        let kind = format_ident!("{}Kind", ty);
        let arms = supertype.subtypes.iter().map(|&sub| {
            let (variant, par) = (&plan.node(sub).ty, name(plan, Target::Node(sub)));
            quote!(nodes::#kind::#variant(n) => #par(n, depth, identity, fold, combine),)
        });
        let doc = format!(" Maps over a `{}` in parallel.", supertype.name);
        items.push(quote! {
            #[doc = #doc]
            fn #par #generics(n: runtime::NodeRef<'a, nodes::#ty<V, C>>, depth: u32, #arguments) -> A {
                match nodes::#ty::kind(n) { #(#arms)* }
            }
        });
    }
    quote!(#(#items)*)
}

/// Whether the nodes are a list: elements, then the next node.
fn list_link<'p>(node: &'p NodePlan<'_>) -> Option<&'p Ident> {
    let (last, rest) = node.terms.split_last()?;
    let Place::Child(child) = last else { return None };
    let child = &node.children[*child];
    let is_list = child.target == Target::Node(node.id) && child.len.is_none();
    (is_list && rest.iter().all(|place| matches!(place, Place::Elem(_)))).then_some(&child.ident)
}

/// A node with children is folded sequentially below the depth where tasks are spawned; lists and leaves are not split that way.
fn needs_fold(plan: &Plan<'_>, node: &NodePlan<'_>) -> bool {
    let _ = plan;
    !node.flat && !node.children.is_empty() && list_link(node).is_none()
}

/// A fold over the elements of a place, into `folded`.
fn fold_elems(node: &NodePlan<'_>, elem: usize) -> TokenStream {
    let (ty, ident, elem) = (&node.ty, run_ident(node, elem), &node.elems[elem]);
    if elem.is_coded() {
        return quote!(folded = runtime::Fiber::fold_runs(nodes::#ty::#ident(n), folded, fold););
    }
    let in_use = matches!(elem.shape, Shape::Array { used: Some(_), .. });
    if is_nonempty(elem) || in_use {
        return quote!(folded = fold(folded, nodes::#ty::#ident(n)););
    }
    quote! {
        let (slots, mut from) = (nodes::#ty::#ident(n), 0);
        while let Some((run, next)) = slots.next_run(from) {
            folded = fold(folded, run);
            from = next;
        }
    }
}

fn par_node(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let (ty, par, generics, arguments) = (&node.ty, name(plan, Target::Node(node.id)), generics(), arguments());
    let doc = format!(" Maps over a `{}` and everything below it in parallel.", node.node.name);
    if let Some(next) = list_link(node) {
        let lens = node.terms.iter().filter_map(|place| match place {
            Place::Elem(elem) => {
                let ident = run_ident(node, *elem);
                Some(quote!(nodes::#ty::#ident(n).len()))
            }
            _ => None,
        });
        let elems = node.terms.iter().filter_map(|place| match place {
            Place::Elem(elem) => Some(fold_elems(node, *elem)),
            _ => None,
        });
        let lens = lens.reduce(|sum, len| quote!(#sum + #len)).unwrap_or_else(|| quote!(0));
        return quote! {
            #[doc = #doc]
            fn #par #generics(n: runtime::NodeRef<'a, nodes::#ty<V, C>>, _depth: u32, #arguments) -> A {
                let stretch = |mut folded: A, mut n: runtime::NodeRef<'a, nodes::#ty<V, C>>, nodes: usize| {
                    for left in (0..nodes).rev() {
                        #(#elems)*
                        match nodes::#ty::#next(n) {
                            Some(next) if left > 0 => n = next,
                            _ => break,
                        }
                    }
                    folded
                };
                runtime::par_list(Some(n), |n| #lens, |n| nodes::#ty::#next(n), identity, &stretch, combine)
            }
        };
    }
    let body = par_terms(plan, node, &node.terms);
    let sequential = needs_fold(plan, node).then(|| {
        let fold = fold_name(node);
        quote! {
            if depth == 0 {
                return #fold(n, identity(), fold);
            }
        }
    });
    let depth =
        if needs_fold(plan, node) || node.flat && !node.children.is_empty() { quote!(depth) } else { quote!(_depth) };
    let combine_used = body.to_string().contains("combine");
    let silence = (!combine_used).then(|| quote!(let _ = combine;));
    quote! {
        #[doc = #doc]
        fn #par #generics(n: runtime::NodeRef<'a, nodes::#ty<V, C>>, #depth: u32, #arguments) -> A {
            #silence
            #sequential
            #body
        }
    }
}

/// The terms of a sequence, the first child beside all that follows it.
fn par_terms(plan: &Plan<'_>, node: &NodePlan<'_>, terms: &[Place]) -> TokenStream {
    let own: Vec<usize> = terms
        .iter()
        .map_while(|place| match place {
            Place::Elem(elem) => Some(*elem),
            _ => None,
        })
        .collect();
    if !own.is_empty() || terms.is_empty() {
        let rest = &terms[own.len()..];
        let elems = own.iter().map(|&elem| fold_elems(node, elem));
        let spelt: Vec<String> = terms[..own.len()].iter().map(|place| node.spell(place)).collect();
        let spelt = (!own.is_empty()).then(|| comment(spelt.join(", ")));
        if own.is_empty() {
            return quote!(identity());
        }
        let folded = quote! {
            let mut folded = identity();
            #spelt
            #(#elems)*
        };
        return match rest.is_empty() {
            true => quote!(#folded folded),
            false => {
                let rest = par_terms(plan, node, rest);
                quote!(#folded combine(folded, { #rest }))
            }
        };
    }
    let ty = &node.ty;
    let spelt = comment(node.spell(&terms[0]));
    let first = match &terms[0] {
        Place::Child(child) => {
            let child = &node.children[*child];
            let (ident, par) = (&child.ident, name(plan, child.target));
            match child.len {
                None => quote! {
                    match nodes::#ty::#ident(n) {
                        Some(child) => #par(child, depth - 1, identity, fold, combine),
                        None => identity(),
                    }
                },
                Some(_) => quote! {
                    let children = nodes::#ty::#ident(n);
                    runtime::par_slots(
                        children.len(),
                        identity,
                        &|slot| match runtime::follow(&children[slot]) {
                            Some(child) => #par(child, depth.saturating_sub(runtime::WIDE_DEPTH), identity, fold, combine),
                            None => identity(),
                        },
                        combine,
                    )
                },
            }
        }
        Place::Interleaved(slots) => {
            let mut steps = Vec::new();
            let mut lens = Vec::new();
            for slot in slots {
                match slot {
                    Slot::Elem(elem) => {
                        let (ident, elem) = (run_ident(node, *elem), &node.elems[*elem]);
                        lens.push(quote!(nodes::#ty::#ident(n).len()));
                        let run = match is_nonempty(elem) || matches!(elem.shape, Shape::Array { used: Some(_), .. }) {
                            true => quote!(nodes::#ty::#ident(n).part(slot..slot + 1)),
                            false => quote!(nodes::#ty::#ident(n).slot(slot).first_run()),
                        };
                        steps.push(quote! {
                            if slot < nodes::#ty::#ident(n).len() {
                                folded = fold(folded, #run);
                            }
                        });
                    }
                    Slot::Child(child) => {
                        let child = &node.children[*child];
                        let (ident, par) = (&child.ident, name(plan, child.target));
                        lens.push(quote!(nodes::#ty::#ident(n).len()));
                        steps.push(quote! {
                            if let Some(Some(child)) = nodes::#ty::#ident(n).get(slot).map(runtime::follow) {
                                let depth = depth.saturating_sub(runtime::WIDE_DEPTH);
                                folded = combine(folded, #par(child, depth, identity, fold, combine));
                            }
                        });
                    }
                }
            }
            let (first, rest) = lens.split_first().expect("at least one array");
            quote! {
                let slots = #first #(.max(#rest))*;
                runtime::par_slots(
                    slots,
                    identity,
                    &|slot| {
                        let mut folded = identity();
                        #(#steps)*
                        folded
                    },
                    combine,
                )
            }
        }
        Place::Elem(_) => unreachable!("handled above"),
    };
    if terms.len() == 1 {
        return quote!(#spelt #first);
    }
    let rest = par_terms(plan, node, &terms[1..]);
    quote! {
        let (left, right) = runtime::join(
            || { #spelt #first },
            || { #rest },
        );
        combine(left, right)
    }
}
