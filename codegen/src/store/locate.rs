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
use crate::schema::model::{Target, Term, type_name};

/// Whether coordinates ascend along the sequences of all nodes, arrays of elements that are unordered inside being taken as a whole. Children
/// in an array that is unordered come in any order.
pub fn is_sequenced(plan: &Plan<'_>) -> bool {
    let in_any_order =
        |node: &NodePlan<'_>, term: &Term| matches!(term, Term::Bag(field) if node.elem_index(*field).is_none());
    plan.nodes.iter().all(|node| {
        let sequence = &node.node.sequence;
        (node.node.has_seq || sequence.len() <= 1) && !sequence.iter().any(|term| in_any_order(node, term))
    })
}

/// Whether an unordered array may be taken in several runs, since it has gaps: then one that lies behind the coordinate says nothing of those
/// that follow.
fn has_scattered(plan: &Plan<'_>) -> bool {
    let is_scattered = |shape: &Shape| matches!(shape, Shape::Array { ordered: false, nonempty: false, .. });
    plan.nodes.iter().flat_map(|node| &node.elems).any(|elem| is_scattered(&elem.shape))
}

/// The body of `locate`, and the enum of nodes in which the search continues.
pub fn locate(plan: &Plan<'_>) -> (TokenStream, TokenStream) {
    if !is_sequenced(plan) {
        return (search_all(), quote!());
    }
    if !plan.nodes.iter().all(is_decidable) {
        return (if has_scattered(plan) { search_all() } else { search_in_order(plan) }, quote!());
    }
    let targets = targets(plan);
    let variants = targets.iter().map(|&target| {
        let (variant, ty) = (target_variant(plan, target), plan.target(target));
        quote!(#variant(runtime::NodeRef<'a, nodes::#ty<V, C>>),)
    });
    let arms = targets.iter().map(|&target| {
        let (variant, body) = (target_variant(plan, target), search_target(plan, target));
        quote!(Place::#variant(n) => { #body })
    });
    let handle = target_variant(plan, Target::Node(plan.model.handle));
    let start = match plan.handle().flat {
        true => quote!(let mut place = Place::#handle(self.handle);),
        false => quote!(let mut place = Place::#handle(self.handle?);),
    };
    let (within, decode) = match has_coded(plan) {
        true => (
            quote!(let mut within: Option<runtime::CodedView<'a, C, V>> = None;),
            quote!(runtime::Fiber::locate(within?, coord)),
        ),
        false => (quote!(), quote!()),
    };
    let body = quote! {
        #start
        #within
        loop {
            match place { #(#arms)* }
        }
        #decode
    };
    let places = quote! {
        /// A node in which a coordinate is looked for.
        enum Place<'a, V: runtime::Value, C: runtime::Coord> { #(#variants)* }
    };
    (body, places)
}

/// The search where nothing is ordered: every run.
fn search_all() -> TokenStream {
    quote! {
        let found = runtime::Fiber::try_fold_runs(self, (), |(), run| match run.search_unordered(coord) {
            runtime::Search::Found(value) => ::std::ops::ControlFlow::Break(value),
            _ => ::std::ops::ControlFlow::Continue(()),
        });
        found.break_value()
    }
}

/// The search where runs ascend: until one lies behind the coordinate.
fn search_in_order(plan: &Plan<'_>) -> TokenStream {
    let search = if plan.model.ordered { quote!(search) } else { quote!(search_unordered) };
    quote! {
        let found = runtime::Fiber::try_fold_runs(self, (), |(), run| match run.#search(coord) {
            runtime::Search::Found(value) => ::std::ops::ControlFlow::Break(Some(value)),
            runtime::Search::After => ::std::ops::ControlFlow::Continue(()),
            _ => ::std::ops::ControlFlow::Break(None),
        });
        found.break_value().flatten()
    }
}

/// Where the search can continue: the handle, and each type that a link can refer to.
fn targets(plan: &Plan<'_>) -> Vec<Target> {
    let mut targets: Vec<Target> = vec![Target::Node(plan.model.handle)];
    for child in plan.nodes.iter().flat_map(|node| &node.children) {
        if !targets.contains(&child.target) {
            targets.push(child.target);
        }
    }
    targets
}

/// The search in a node of a type, or of each subtype.
fn search_target(plan: &Plan<'_>, target: Target) -> TokenStream {
    let ty = plan.target(target);
    match target {
        Target::Node(id) => search_node(plan, plan.node(id)),
        Target::Super(id) => {
            let kind = format_ident!("{}Kind", ty);
            let arms = plan.model.supertype(id).subtypes.iter().map(|&sub| {
                let (subtype, body) = (&plan.node(sub).ty, search_node(plan, plan.node(sub)));
                quote!(nodes::#kind::#subtype(n) => { #body })
            });
            quote!(match nodes::#ty::kind(n) { #(#arms)* })
        }
    }
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
fn is_decidable(node: &NodePlan<'_>) -> bool {
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
                let extent = |field| {
                    let slots = node.node.field(field).slots();
                    slots.and_then(|slots| slots.array.as_ref()).map(|array| &array.extent)
                };
                let same = extent(child.field) == extent(elem.field);
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
    let mut search = Search { plan, node, lines: Vec::new(), before: None };
    for (at, place) in node.terms.iter().enumerate() {
        match place {
            Place::Child(child) => search.before = Some(search.child(*child)),
            Place::Elem(elem) => {
                let coded = node.elems[*elem].is_coded();
                let is_end = !coded && search.before.is_none() && at + 1 == node.terms.len();
                let line = if coded { search.coded(*elem) } else { search.elem(*elem, at) };
                search.add(place, line);
                if is_end {
                    let lines = search.lines;
                    return quote!(#(#lines)*);
                }
                // An empty array decides nothing: then what stood before it is still possible.
                if is_never_empty(node, *elem) {
                    search.before = None;
                }
            }
            Place::Interleaved(slots) => {
                let line = search.interleaved(slots);
                search.add(place, line);
                search.before = None;
            }
        }
    }
    // The last child is where the sequence ends.
    let spelt = match (&search.before, node.terms.last()) {
        (Some(_), Some(Place::Child(child))) => Some(comment(node.children[*child].name.clone())),
        _ => None,
    };
    let (last, lines) = (search.go_before(), search.lines);
    quote!(#(#lines)* #spelt #last)
}

/// The search in a node, term by term.
struct Search<'p, 'm> {
    plan: &'p Plan<'m>,
    node: &'p NodePlan<'m>,
    lines: Vec<TokenStream>,
    /// How the search continues in the child before the next term, if there is one that can hold the coordinate.
    before: Option<TokenStream>,
}

impl Search<'_, '_> {
    /// Adds a line of code below a comment with its place in the schema.
    fn add(&mut self, place: &Place, line: TokenStream) {
        let spelt = comment(self.node.spell(place));
        self.lines.push(quote!(#spelt #line));
    }

    /// The search continues in the child before the term, or ends.
    fn go_before(&self) -> TokenStream {
        self.before.clone().unwrap_or_else(|| end(self.plan))
    }

    /// The search continues in a child.
    fn child(&self, child: usize) -> TokenStream {
        let (ty, child) = (&self.node.ty, &self.node.children[child]);
        let (ident, end) = (&child.ident, end(self.plan));
        let variant = target_variant(self.plan, child.target);
        quote! {
            match nodes::#ty::#ident(n) {
                Some(child) => {
                    place = Place::#variant(child);
                    continue;
                }
                None => #end,
            }
        }
    }

    /// A difference-coded array. Behind its base it begins at the coordinate for all that can be found; otherwise its first coordinate
    /// tells.
    fn coded(&self, elem: usize) -> TokenStream {
        let (ty, elem) = (&self.node.ty, &self.node.elems[elem]);
        let ident = &elem.ident;
        if matches!(elem.shape, Shape::Array { base: Some(_), .. }) {
            return quote!(within = Some(nodes::#ty::#ident(n)););
        }
        let before = self.go_before();
        quote! {
            let coded = nodes::#ty::#ident(n);
            match coded.coords().first() {
                Some(first) if coord < first => { #before }
                Some(_) => within = Some(coded),
                None => {}
            }
        }
    }

    /// An element, or an array of them, as term `at` of the sequence.
    fn elem(&self, elem: usize, at: usize) -> TokenStream {
        let (ty, ident, elem) = (&self.node.ty, run_ident(self.node, elem), &self.node.elems[elem]);
        let search = match &elem.shape {
            Shape::Array { ordered: false, .. } => quote!(search_unordered),
            _ => quote!(search),
        };
        let (before, end) = (self.go_before(), end(self.plan));
        let is_last = at + 1 == self.node.terms.len();
        let otherwise = match (self.before.is_none(), is_last, has_coded(self.plan)) {
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
        quote! {
            match nodes::#ty::#ident(n).#search(coord) {
                runtime::Search::Found(value) => return Some(value),
                #otherwise
            }
        }
    }

    /// Children with an element behind each: a binary search over the elements.
    fn interleaved(&self, slots: &[Slot]) -> TokenStream {
        let [Slot::Child(child), Slot::Elem(elem)] = slots[..] else { unreachable!("not decidable") };
        let ty = &self.node.ty;
        let (child, elem) = (&self.node.children[child], &self.node.elems[elem].ident);
        let (ident, variant, end) = (&child.ident, target_variant(self.plan, child.target), end(self.plan));
        quote! {
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
        }
    }
}
