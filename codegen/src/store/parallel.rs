//! The parallel map: tasks for the children of a tree to a bounded depth, tasks for parts of a list with about equally many nonzeros.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::machine::{Emitter, Purpose, lowered};
use super::plan::{Elem, NodePlan, Place, Plan, Shape, Slot};
use super::tail::{is_nonempty, run_ident};
use super::text::comment;
use crate::derive::{Order, stages};
use crate::schema::model::{Model, SuperId, Target};

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
    let lowered = lowered(plan);
    let nodes = plan.nodes.iter().map(|node| {
        let par = par_node(plan, node);
        let fold = needs_fold(node).then(|| fold_node(plan, &lowered, node));
        quote!(#par #fold)
    });
    let supertypes = (0..plan.model.supertypes.len()).map(|id| par_supertype(plan, SuperId(id)));
    quote!(#(#nodes)* #(#supertypes)*)
}

/// The sequential fold over a node and what is below it.
fn fold_node(plan: &Plan<'_>, lowered: &Model, node: &NodePlan<'_>) -> TokenStream {
    let mut rooted = lowered.clone();
    rooted.handle = node.id;
    let stages = stages(&rooted, Order::Coordinate);
    let step = format!("Fold{}", node.ty);
    let emitter = Emitter::new(plan, &stages.loops, Purpose::Fold, &step);
    let (ty, fold) = (&node.ty, fold_name(node));
    let step = emitter.step_enum(&format!(" Where a fold over a `{}` goes on.", node.node.name));
    let walk = emitter.walk(&quote!(n));
    let doc = format!(" Folds over a `{}` and everything below it.", node.node.name);
    quote! {
        #step

        #[doc = #doc]
        fn #fold<'a, V: runtime::Value, C: runtime::Coord, A>(
            n: runtime::NodeRef<'a, nodes::#ty<V, C>>,
            mut folded: A,
            visit: &impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A,
        ) -> A {
            #walk
        }
    }
}

/// The parallel fold over a node of a supertype: that of its subtype.
fn par_supertype(plan: &Plan<'_>, id: SuperId) -> TokenStream {
    let (supertype, target) = (plan.model.supertype(id), Target::Super(id));
    let (ty, par, generics, arguments) = (plan.target(target), name(plan, target), generics(), arguments());
    let kind = format_ident!("{}Kind", ty);
    let arms = supertype.subtypes.iter().map(|&sub| {
        let (variant, par) = (&plan.node(sub).ty, name(plan, Target::Node(sub)));
        quote!(nodes::#kind::#variant(n) => #par(n, depth, identity, fold, combine),)
    });
    let doc = format!(" Maps over a `{}` in parallel.", supertype.name);
    quote! {
        #[doc = #doc]
        fn #par #generics(n: runtime::NodeRef<'a, nodes::#ty<V, C>>, depth: u32, #arguments) -> A {
            match nodes::#ty::kind(n) { #(#arms)* }
        }
    }
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
pub fn needs_fold(node: &NodePlan<'_>) -> bool {
    !node.flat && !node.children.is_empty() && list_link(node).is_none()
}

/// A fold over the elements of a place, into `folded`.
fn fold_elems(node: &NodePlan<'_>, elem: usize) -> TokenStream {
    let (ty, ident, elem) = (&node.ty, run_ident(node, elem), &node.elems[elem]);
    if elem.is_coded() {
        return quote!(folded = runtime::Fiber::fold_runs(nodes::#ty::#ident(n), folded, fold););
    }
    if is_run(elem) {
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
    if let Some(next) = list_link(node) {
        return par_list(plan, node, next);
    }
    let (ty, par, generics, arguments) = (&node.ty, name(plan, Target::Node(node.id)), generics(), arguments());
    let doc = doc_of(node);
    let body = par_terms(plan, node, &node.terms);
    let sequential = needs_fold(node).then(|| {
        let fold = fold_name(node);
        quote! {
            if depth == 0 {
                return #fold(n, identity(), fold);
            }
        }
    });
    let uses_depth = needs_fold(node) || node.flat && !node.children.is_empty();
    let depth = if uses_depth { quote!(depth) } else { quote!(_depth) };
    let uses_combine = body.to_string().contains("combine");
    let silence = (!uses_combine).then(|| quote!(let _ = combine;));
    quote! {
        #[doc = #doc]
        fn #par #generics(n: runtime::NodeRef<'a, nodes::#ty<V, C>>, #depth: u32, #arguments) -> A {
            #silence
            #sequential
            #body
        }
    }
}

fn doc_of(node: &NodePlan<'_>) -> String {
    format!(" Maps over a `{}` and everything below it in parallel.", node.node.name)
}

/// The parallel fold over a list, whose nodes are linked by `next`: by stretches of nodes.
fn par_list(plan: &Plan<'_>, node: &NodePlan<'_>, next: &Ident) -> TokenStream {
    let (ty, par, generics, arguments) = (&node.ty, name(plan, Target::Node(node.id)), generics(), arguments());
    let doc = doc_of(node);
    let elems = node.terms.iter().filter_map(|place| match place {
        Place::Elem(elem) => Some(*elem),
        _ => None,
    });
    let lens = elems.clone().map(|elem| {
        let ident = run_ident(node, elem);
        quote!(nodes::#ty::#ident(n).len())
    });
    let len = lens.reduce(|sum, len| quote!(#sum + #len)).unwrap_or_else(|| quote!(0));
    let elems = elems.map(|elem| fold_elems(node, elem));
    quote! {
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
            runtime::par_list(Some(n), |n| #len, |n| nodes::#ty::#next(n), identity, &stretch, combine)
        }
    }
}

/// The terms of a sequence, the first child beside all that follows it.
fn par_terms(plan: &Plan<'_>, node: &NodePlan<'_>, terms: &[Place]) -> TokenStream {
    let [first, rest @ ..] = terms else { return quote!(identity()) };
    let par_first = match first {
        Place::Elem(_) => return par_after_elems(plan, node, terms),
        Place::Child(child) => par_child(plan, node, *child),
        Place::Interleaved(slots) => par_interleaved(plan, node, slots),
    };
    let spelt = comment(node.spell(first));
    if rest.is_empty() {
        return quote!(#spelt #par_first);
    }
    let rest = par_terms(plan, node, rest);
    quote! {
        let (left, right) = runtime::join(
            || { #spelt #par_first },
            || { #rest },
        );
        combine(left, right)
    }
}

/// A node's own elements, folded one after the other, and then the terms behind them.
fn par_after_elems(plan: &Plan<'_>, node: &NodePlan<'_>, terms: &[Place]) -> TokenStream {
    let leading = terms.iter().map_while(|place| match place {
        Place::Elem(elem) => Some((fold_elems(node, *elem), node.spell(place))),
        _ => None,
    });
    let (elems, spelt): (Vec<TokenStream>, Vec<String>) = leading.unzip();
    let (spelt, rest) = (comment(spelt.join(", ")), &terms[elems.len()..]);
    let folded = quote! {
        let mut folded = identity();
        #spelt
        #(#elems)*
    };
    if rest.is_empty() {
        return quote!(#folded folded);
    }
    let rest = par_terms(plan, node, rest);
    quote!(#folded combine(folded, { #rest }))
}

/// A child, or all children of an array, each by a task.
fn par_child(plan: &Plan<'_>, node: &NodePlan<'_>, child: usize) -> TokenStream {
    let (ty, child) = (&node.ty, &node.children[child]);
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

/// Several arrays, slot by slot, each slot by a task. One of them may be longer than the others.
fn par_interleaved(plan: &Plan<'_>, node: &NodePlan<'_>, slots: &[Slot]) -> TokenStream {
    let ty = &node.ty;
    let lens = slots.iter().map(|slot| {
        let ident = match slot {
            Slot::Elem(elem) => &run_ident(node, *elem),
            Slot::Child(child) => &node.children[*child].ident,
        };
        quote!(nodes::#ty::#ident(n).len())
    });
    let lens: Vec<TokenStream> = lens.collect();
    let (first, rest) = lens.split_first().expect("at least one array");
    let steps = slots.iter().map(|slot| par_slot(plan, node, slot));
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

/// The slot of one of several interleaved arrays, if it has that many, into `folded`.
fn par_slot(plan: &Plan<'_>, node: &NodePlan<'_>, slot: &Slot) -> TokenStream {
    let ty = &node.ty;
    match slot {
        Slot::Elem(elem) => {
            let (ident, elem) = (run_ident(node, *elem), &node.elems[*elem]);
            let run = match is_run(elem) {
                true => quote!(nodes::#ty::#ident(n).part(slot..slot + 1)),
                false => quote!(nodes::#ty::#ident(n).slot(slot).first_run()),
            };
            quote! {
                if slot < nodes::#ty::#ident(n).len() {
                    folded = fold(folded, #run);
                }
            }
        }
        Slot::Child(child) => {
            let child = &node.children[*child];
            let (ident, par) = (&child.ident, name(plan, child.target));
            quote! {
                if let Some(Some(child)) = nodes::#ty::#ident(n).get(slot).map(runtime::follow) {
                    let depth = depth.saturating_sub(runtime::WIDE_DEPTH);
                    folded = combine(folded, #par(child, depth, identity, fold, combine));
                }
            }
        }
    }
}

/// Whether the elements of a field, of those in use if a size says which, are without gaps.
fn is_run(elem: &Elem) -> bool {
    is_nonempty(elem) || matches!(elem.shape, Shape::Array { used: Some(_), .. })
}
