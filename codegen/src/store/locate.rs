//! `locate`, derived from the sequence: which term can hold a coordinate?
//!
//! In a node, coordinates ascend along the sequence. Each element is compared with the wanted coordinate. The search continues in the
//! child that has smaller elements before it and larger ones behind it. That child is unique as long as an element lies between any
//! two children. Where two children may be neighbours, and where nothing is ordered, the search visits every run.
//!
//! Only the end of a difference-coded array shows whether a coordinate lies behind it. So the search remembers such an array
//! (`within`) and continues behind it. A later array that begins at or below the coordinate replaces it. The array that is remembered
//! at the end of the search is the only one that is decoded.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::plan::{NodePlan, Place, Plan, Shape, Slot};
use super::tail::run_ident;
use super::text::comment;
use crate::schema::model::{Target, type_name};

/// Whether coordinates ascend along the sequences of all nodes, arrays that are unordered inside being taken as a whole.
pub fn is_sequenced(plan: &Plan<'_>) -> bool {
    plan.model.nodes.iter().all(|node| node.has_seq || node.sequence.len() <= 1)
}

/// The body of `locate`, and the enum of nodes in which the search continues.
pub fn locate(plan: &Plan<'_>) -> (TokenStream, TokenStream) {
    if !is_sequenced(plan) {
        let body = quote! {
            let found = runtime::Fiber::try_fold_runs(self, (), |(), run| match run.search_unordered(coord) {
                runtime::Search::Found(value) => ::std::ops::ControlFlow::Break(value),
                _ => ::std::ops::ControlFlow::Continue(()),
            });
            found.break_value()
        };
        return (body, quote!());
    }
    if !plan.nodes.iter().all(|node| is_decidable(plan, node)) {
        let search = if plan.model.ordered { quote!(search) } else { quote!(search_unordered) };
        let body = quote! {
            let found = runtime::Fiber::try_fold_runs(self, (), |(), run| match run.#search(coord) {
                runtime::Search::Found(value) => ::std::ops::ControlFlow::Break(Some(value)),
                runtime::Search::After => ::std::ops::ControlFlow::Continue(()),
                _ => ::std::ops::ControlFlow::Break(None),
            });
            found.break_value().flatten()
        };
        return (body, quote!());
    }

    // One place to continue for the handle and for each type that a link can refer to.
    let mut targets: Vec<Target> = vec![Target::Node(plan.model.handle)];
    for node in &plan.nodes {
        for child in &node.children {
            if !targets.contains(&child.target) {
                targets.push(child.target);
            }
        }
    }
    let variants = targets.iter().map(|&target| {
        let (variant, ty) = (target_variant(plan, target), plan.target(target));
        quote!(#variant(runtime::NodeRef<'a, nodes::#ty<V, C>>),)
    });
    let arms = targets.iter().map(|&target| {
        let (variant, ty) = (target_variant(plan, target), plan.target(target));
        let body = match target {
            Target::Node(id) => search_node(plan, plan.node(id)),
            Target::Super(id) => {
                let kind = format_ident!("{}Kind", ty);
                let arms = plan.model.supertype(id).subtypes.iter().map(|&sub| {
                    let (sub_ty, body) = (&plan.node(sub).ty, search_node(plan, plan.node(sub)));
                    quote!(nodes::#kind::#sub_ty(n) => { #body })
                });
                quote!(match nodes::#ty::kind(n) { #(#arms)* })
            }
        };
        quote!(Place::#variant(n) => { #body })
    });
    let handle = target_variant(plan, Target::Node(plan.model.handle));
    let start = match plan.handle().flat {
        true => quote!(let mut place = Place::#handle(self.handle);),
        false => quote!(let mut place = Place::#handle(self.handle?);),
    };
    let body = if has_coded(plan) {
        quote! {
            #start
            let mut within: Option<runtime::CodedView<'a, C, V>> = None;
            loop {
                match place { #(#arms)* }
            }
            runtime::Fiber::locate(within?, coord)
        }
    } else {
        quote! {
            #start
            loop {
                match place { #(#arms)* }
            }
        }
    };
    let places = quote! {
        /// A node in which a coordinate is looked for.
        enum Place<'a, V: runtime::Value, C: runtime::Coord> { #(#variants)* }
    };
    (body, places)
}

fn has_coded(plan: &Plan<'_>) -> bool {
    plan.nodes.iter().any(|node| node.coded().next().is_some())
}

/// The search ends: only an array that was remembered can hold the coordinate.
fn end(plan: &Plan<'_>) -> TokenStream {
    if has_coded(plan) { quote!(break) } else { quote!(return None) }
}

fn target_variant(plan: &Plan<'_>, target: Target) -> proc_macro2::Ident {
    format_ident!("{}", type_name(plan.model.target_name(target)))
}

/// Whether there always is an element here.
fn is_never_empty(node: &NodePlan<'_>, elem: usize) -> bool {
    let elem = &node.elems[elem];
    match &elem.shape {
        Shape::One { nonempty } => *nonempty,
        Shape::Lead { .. } | Shape::Array { lead: Some(_), .. } => true,
        Shape::Array { nonempty: true, .. } => {
            node.node.field(elem.field).slots().is_some_and(|slots| node.node.min_slots(slots) > 0)
        }
        Shape::Array { .. } => false,
    }
}

/// Whether elements always stand between two children, so that they say in which of them a coordinate can be.
fn is_decidable(plan: &Plan<'_>, node: &NodePlan<'_>) -> bool {
    let mut pending = false;
    for place in &node.terms {
        match place {
            Place::Elem(elem) => {
                pending &= !is_never_empty(node, *elem);
            }
            Place::Child(child) => {
                if pending || node.children[*child].len.is_some() {
                    return false;
                }
                pending = true;
            }
            Place::Interleaved(slots) => {
                let [Slot::Child(child), Slot::Elem(elem)] = slots[..] else { return false };
                let (child, elem) = (&node.children[child], &node.elems[elem]);
                let same = plan
                    .model
                    .node(node.id)
                    .field(child.field)
                    .slots()
                    .and_then(|slots| slots.array.as_ref())
                    .map(|array| &array.extent)
                    == plan
                        .model
                        .node(node.id)
                        .field(elem.field)
                        .slots()
                        .and_then(|slots| slots.array.as_ref())
                        .map(|array| &array.extent);
                let plain = matches!(elem.shape, Shape::Array { nonempty: true, delta: false, .. });
                if pending || !same || !plain {
                    return false;
                }
            }
        }
    }
    true
}

fn search_node(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let ty = &node.ty;
    let mut lines = Vec::new();
    let mut pending: Option<TokenStream> = None;
    let end = end(plan);
    let go = |pending: &Option<TokenStream>| pending.clone().unwrap_or_else(|| end.clone());
    for (at, place) in node.terms.iter().enumerate() {
        let spelt = comment(node.spell(place));
        match place {
            Place::Child(child) => {
                let child = &node.children[*child];
                let (ident, variant) = (&child.ident, target_variant(plan, child.target));
                pending = Some(quote! {
                    match nodes::#ty::#ident(n) {
                        Some(child) => {
                            place = Place::#variant(child);
                            continue;
                        }
                        None => #end,
                    }
                });
            }
            Place::Elem(elem) if node.elems[*elem].is_coded() => {
                let ident = &node.elems[*elem].ident;
                // Behind its base it begins at the coordinate for all that can be found; otherwise its first coordinate tells.
                let follows_base = matches!(node.elems[*elem].shape, Shape::Array { base: Some(_), .. });
                lines.push(if follows_base {
                    quote! {
                        #spelt
                        within = Some(nodes::#ty::#ident(n));
                    }
                } else {
                    let before = go(&pending);
                    quote! {
                        #spelt
                        let coded = nodes::#ty::#ident(n);
                        match coded.coords().first() {
                            Some(first) if coord < first => { #before }
                            Some(_) => within = Some(coded),
                            None => {}
                        }
                    }
                });
                if is_never_empty(node, *elem) {
                    pending = None;
                }
            }
            Place::Elem(elem) => {
                let before = go(&pending);
                let (index, ident) = (*elem, run_ident(node, *elem));
                let elem = &node.elems[index];
                let search = match &elem.shape {
                    Shape::Array { ordered: false, .. } => quote!(search_unordered),
                    _ => quote!(search),
                };
                let ends = pending.is_none();
                let is_last = at + 1 == node.terms.len();
                let otherwise = match (ends, is_last, has_coded(plan)) {
                    (true, true, _) => quote!(_ => #end,),
                    (true, false, false) => quote! {
                        runtime::Search::Before | runtime::Search::Missing => return None,
                        runtime::Search::After => {}
                    },
                    _ => quote! {
                        runtime::Search::Before => { #before }
                        runtime::Search::Missing => return None,
                        runtime::Search::After => {}
                    },
                };
                lines.push(quote! {
                    #spelt
                    match nodes::#ty::#ident(n).#search(coord) {
                        runtime::Search::Found(value) => return Some(value),
                        #otherwise
                    }
                });
                if ends && is_last {
                    return quote!(#(#lines)*);
                }
                // An empty array decides nothing: then what stood before it is still possible.
                if is_never_empty(node, index) {
                    pending = None;
                }
            }
            Place::Interleaved(slots) => {
                let [Slot::Child(child), Slot::Elem(elem)] = slots[..] else { unreachable!("not decidable") };
                let (child, elem) = (&node.children[child], &node.elems[elem].ident);
                let (ident, variant) = (&child.ident, target_variant(plan, child.target));
                lines.push(quote! {
                    #spelt
                    let parting = nodes::#ty::#elem(n);
                    let slot = parting.coords().partition_point(|&at| at < coord);
                    if slot < parting.len() {
                        if parting.coords()[slot] == coord {
                            return Some(&parting.values()[slot]);
                        }
                        match runtime::follow(&nodes::#ty::#ident(n)[slot]) {
                            Some(child) => {
                                place = Place::#variant(child);
                                continue;
                            }
                            None => #end,
                        }
                    }
                });
                pending = None;
            }
        }
    }
    // The last child is where the sequence ends.
    let last = match (&pending, node.terms.last()) {
        (Some(_), Some(Place::Child(child))) => {
            let spelt = comment(node.children[*child].name.clone());
            let go = go(&pending);
            quote!(#spelt #go)
        }
        _ => {
            let go = go(&pending);
            quote!(#go)
        }
    };
    quote!(#(#lines)* #last)
}
