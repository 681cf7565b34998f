//! Properties of the store as a whole: its handle, and which types of nodes end, recurse and are ordered.

use super::ast::{Def, NodeDef, Store};
use super::check::store_span;
use super::model::{FieldKind, Model, NodeId, Recursion, Slots};
use crate::diagnostic::{Diagnostic, Diagnostics, Span};

/// Fills in what [`Model`] knows of the store as a whole. Its nodes are resolved and without mistakes of their own.
pub(super) fn complete(model: &mut Model, store: &Store, diagnostics: &mut Diagnostics) {
    let defs: Vec<&NodeDef> = store
        .defs
        .iter()
        .filter_map(|def| match def {
            Def::Node(node) => Some(node),
            Def::Supertype(_) => None,
        })
        .collect();
    let span = store_span(store);
    let graph = Graph::new(model);
    components(model, &graph);
    min_elems(model);
    model.ordered = model.nodes.iter().all(|node| node.ordered);

    if !model.nodes.iter().any(|node| node.elems().next().is_some()) {
        diagnostics.push(
            Diagnostic::new(span, format!("store `{}` holds no elements", model.name))
                .help("let a node have a field such as `e : elem nonempty`"),
        );
    }
    endless(model, &defs, diagnostics);
    parents(model, &defs, &graph, diagnostics);
    handle(model, &defs, &graph, span, diagnostics);
}

/// Which node types refer to which, through supertypes too.
struct Graph {
    refers: Vec<Vec<bool>>,
    /// Reachable in any number of steps, none included.
    reaches: Vec<Vec<bool>>,
}

impl Graph {
    fn new(model: &Model) -> Graph {
        let n = model.nodes.len();
        let mut refers = vec![vec![false; n]; n];
        for (from, node) in model.nodes.iter().enumerate() {
            for (_, target, _) in node.children() {
                for to in model.target_nodes(target) {
                    refers[from][to.0] = true;
                }
            }
        }
        let reaches = (0..n)
            .map(|from| {
                let mut seen = vec![false; n];
                let mut open = vec![from];
                seen[from] = true;
                while let Some(at) = open.pop() {
                    for to in (0..n).filter(|&to| refers[at][to]) {
                        if !std::mem::replace(&mut seen[to], true) {
                            open.push(to);
                        }
                    }
                }
                seen
            })
            .collect();
        Graph { refers, reaches }
    }
}

/// Groups node types that refer to each other in a circle, and says how each refers back.
fn components(model: &mut Model, graph: &Graph) {
    let n = model.nodes.len();
    let together = |a: usize, b: usize| graph.reaches[a][b] && graph.reaches[b][a];
    let mut components: Vec<Vec<NodeId>> = Vec::new();
    for at in 0..n {
        match components.iter_mut().find(|component| together(component[0].0, at)) {
            Some(component) => component.push(NodeId(at)),
            None => components.push(vec![NodeId(at)]),
        }
    }
    // Types that reach more come first: a caller reaches all that its callees reach, and itself.
    components.sort_by_key(|component| {
        std::cmp::Reverse(graph.reaches[component[0].0].iter().filter(|&&reached| reached).count())
    });
    for (index, component) in components.iter().enumerate() {
        let mut recursion = Recursion::None;
        for id in component {
            let mut back = 0;
            for (_, target, slots) in model.node(*id).children() {
                if model.target_nodes(target).iter().any(|to| component.contains(to)) {
                    back += if slots.array.is_some() { 2 } else { 1 };
                }
            }
            recursion = match (back, recursion) {
                (0, recursion) => recursion,
                (1, Recursion::None) => Recursion::Chain,
                (1, recursion) => recursion,
                _ => Recursion::Tree,
            };
        }
        for id in component {
            model.nodes[id.0].component = index;
            model.nodes[id.0].recursion = recursion;
        }
    }
    model.components = components;
}

/// The fewest elements below each node type: the least solution, reached from above in at most as many rounds as there
/// are types. Types that cannot end keep the greatest value.
fn min_elems(model: &mut Model) {
    let mut least = vec![u64::MAX; model.nodes.len()];
    for _ in 0..=model.nodes.len() {
        let next: Vec<u64> = model
            .nodes
            .iter()
            .map(|node| {
                let mut sum = 0u64;
                for (_, slots, _) in node.elems() {
                    if slots.nonempty {
                        sum = sum.saturating_add(node.min_slots(slots));
                    }
                }
                for (_, target, slots) in node.children() {
                    let slots = if slots.nonempty { node.min_slots(slots) } else { 0 };
                    let each = model.target_nodes(target).iter().map(|to| least[to.0]).min().unwrap_or(u64::MAX);
                    if slots > 0 {
                        sum = sum.saturating_add(each.saturating_mul(slots));
                    }
                }
                sum
            })
            .collect();
        if next == least {
            break;
        }
        least = next;
    }
    for (node, least) in model.nodes.iter_mut().zip(least) {
        node.min_elems = least;
    }
}

/// A node whose every way on leads to one more node that it must have.
fn endless(model: &Model, defs: &[&NodeDef], diagnostics: &mut Diagnostics) {
    let needs = |id: NodeId| {
        let node = model.node(id);
        let must = |slots: &Slots| slots.nonempty && node.min_slots(slots) > 0;
        node.children().filter(move |(_, _, slots)| must(slots)).map(|(field, target, _)| (field, target))
    };
    let mut ends = vec![false; model.nodes.len()];
    loop {
        let mut changed = false;
        for id in model.node_ids() {
            let can = needs(id).all(|(_, target)| model.target_nodes(target).iter().any(|to| ends[to.0]));
            changed |= can && !std::mem::replace(&mut ends[id.0], true);
        }
        if !changed {
            break;
        }
    }
    for component in &model.components {
        let endless = component.iter().filter(|id| !ends[id.0]);
        // Where it leads on to others that cannot end, these are reported.
        let culprit = endless
            .flat_map(|&id| needs(id).map(move |(field, target)| (id, field, target)))
            .filter(|(_, _, target)| model.target_nodes(*target).iter().all(|to| !ends[to.0]))
            .find(|(_, _, target)| model.target_nodes(*target).iter().any(|to| component.contains(to)));
        if let Some((id, field, target)) = culprit {
            let def = &defs[id.0];
            let field = &def.fields[field.0];
            let target = model.target_name(target);
            diagnostics.push(
                Diagnostic::new(field.at.0, format!("`{}` can never end", def.name.text))
                    .label(format!("always leads to another `{target}`"))
                    .help(format!(
                        "leave out `nonempty`, or let `{target}` be a supertype with a subtype that needs no `{}`",
                        def.name.text
                    )),
            );
        }
    }
}

/// Parents that can never be set.
fn parents(model: &Model, defs: &[&NodeDef], graph: &Graph, diagnostics: &mut Diagnostics) {
    for id in model.node_ids() {
        for (field_id, field) in model.node(id).fields() {
            let FieldKind::Parent { target } = &field.kind else { continue };
            let has_parent = model.target_nodes(*target).iter().any(|from| graph.refers[from.0][id.0]);
            if !has_parent {
                let field = &defs[id.0].fields[field_id.0];
                diagnostics.push(
                    Diagnostic::new(field.name.span().to(field.at.0), format!("`{}` is never set", field.name.text))
                        .label(format!("no `{}` refers to a `{}`", model.target_name(*target), model.node(id).name))
                        .help("remove it: the parent of a node is of the node's own type or of its supertype"),
                );
            }
        }
    }
}

/// Finds the handle: there is one, everything is reachable from it, and it can be empty.
fn handle(model: &mut Model, defs: &[&NodeDef], graph: &Graph, span: Span, diagnostics: &mut Diagnostics) {
    let referred = |id: NodeId| model.node_ids().any(|from| from != id && graph.refers[from.0][id.0]);
    let handles: Vec<NodeId> = model.node_ids().filter(|&id| !referred(id)).collect();
    let [handle, others @ ..] = &handles[..] else {
        let first = model.node(NodeId(0));
        diagnostics.push(
            Diagnostic::new(span, format!("store `{}` has no handle", model.name))
                .note("the handle is the one node type that no other refers to; a row holds one")
                .help(format!("add one: `def {0}_head {{ h : {0} }}`", first.name)),
        );
        return;
    };
    for other in others {
        let (first, other) = (&defs[handle.0].name, &defs[other.0].name);
        diagnostics.push(
            Diagnostic::new(other.span(), format!("two handles: `{}` and `{}`", first.text, other.text))
                .related(first.span(), "no other node refers to this one either")
                .note("the handle is the one node type that no other refers to; a row holds one")
                .help("refer to one of them from the other, or remove it"),
        );
    }
    if !others.is_empty() {
        return;
    }
    for id in model.node_ids().filter(|id| !graph.reaches[handle.0][id.0]) {
        diagnostics.push(
            Diagnostic::new(defs[id.0].name.span(), format!("`{}` cannot be reached", model.node(id).name))
                .related(defs[handle.0].name.span(), "from the handle")
                .help("refer to it, or remove it"),
        );
    }
    let node = model.node(*handle);
    if node.min_elems > 0 && node.min_elems < u64::MAX {
        diagnostics.push(
            Diagnostic::new(defs[handle.0].name.span(), format!("the handle `{}` is never empty", node.name))
                .note("a row holds one handle, even if it holds no elements")
                .help(format!("add a node that may lead to none: `def {0}_head {{ h : {0} }}`", node.name)),
        );
    }
    model.handle = *handle;
}
