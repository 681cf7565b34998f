//! GraphML (Brandes et al., 2002).

use std::collections::{HashMap, HashSet};

use roxmltree::Node;

use super::Raw;
use super::listed::Listed;
use super::xml::{Key, Keys, Wrong, children, keep_ids, set_all, with_graph};
use crate::error::Error;
use crate::source::Source;

/// The key by which igraph writes what vertices are called. Their ids are places there, `n0`, `n1` and so on.
const IGRAPH_NAME: &str = "v_name";

/// What igraph calls each vertex, by ids, if these names are all different.
fn igraph_names<'n>(graph: Node<'n, '_>) -> Option<HashMap<&'n str, &'n str>> {
    let name = |node: Node<'n, '_>| {
        let data = children(node, "data").find(|data| data.attribute("key") == Some(IGRAPH_NAME))?;
        Some((node.attribute("id")?, data.text().filter(|name| !name.is_empty() && !name.contains('\n'))?))
    };
    let names: HashMap<&str, &str> = children(graph, "node").map(name).collect::<Option<_>>()?;
    let different = names.values().collect::<HashSet<_>>().len();
    (different == names.len() && different > 0).then_some(names)
}

/// The attributes that a document declares for what `of` says: `node`, `edge` or `graph`.
fn keys<'n>(root: Node<'n, '_>, of: &str) -> Keys<'n> {
    let meant = |key: &Node<'_, '_>| key.attribute("for").is_none_or(|for_what| for_what == of || for_what == "all");
    let key = |key: Node<'n, '_>| Key::of(key, key.attribute("attr.name"), key.attribute("attr.type"));
    children(root, "key").filter(meant).filter_map(key).collect()
}

/// What an element says by `<data>`, with the keys. What has elements of its own is no value, and is not kept.
fn said<'n>(
    element: Node<'n, '_>,
    keys: &Keys<'_>,
    (of, listed): (&str, &mut Listed),
    kept: impl Fn(&str) -> bool,
) -> Vec<(&'n str, &'n str)> {
    let mut said = Vec::new();
    for data in children(element, "data") {
        let key = data.attribute("key").unwrap_or_default();
        if data.children().any(|child| child.is_element()) {
            listed.lose(of, keys.get(key).map_or(key, |key| key.name));
        } else if kept(key) {
            said.push((key, data.text().unwrap_or_default()));
        }
    }
    said
}

/// Reads GraphML.
pub(super) fn read(source: Source) -> Result<Raw, Error> {
    with_graph(source, |wrong, root, graph| {
        let directed = wrong.direction(graph, wrong.attribute(graph, "edgedefault")?)?;
        let names = igraph_names(graph);
        let called = |id: &'_ str| -> String {
            names.as_ref().and_then(|names| names.get(id)).map_or(id, |name| *name).to_owned()
        };
        let mut listed = Listed { directed, ..Listed::default() };
        let of_graph = keys(root, "graph");
        for (key, _) in said(graph, &of_graph, ("the graph", &mut Listed::default()), |_| true) {
            listed.lose("the graph", of_graph.get(key).map_or(key, |key| key.name));
        }
        let of_vertices = keys(root, "node");
        for (row, node) in children(graph, "node").enumerate() {
            listed.vertices.push(called(wrong.attribute(node, "id")?));
            let kept = |key: &str| names.is_none() || key != IGRAPH_NAME;
            let said = said(node, &of_vertices, ("vertices", &mut listed), kept);
            set_all(&mut listed.of_vertices, row, &of_vertices, &said);
            if children(node, "graph").next().is_some() {
                return Err(wrong.at(node, "no graphs within vertices", "<graph>"));
            }
        }
        edges(wrong, root, graph, &mut listed, &called)?;
        Ok(listed)
    })
}

fn edges(
    wrong: &Wrong<'_>,
    root: Node<'_, '_>,
    graph: Node<'_, '_>,
    listed: &mut Listed,
    called: &dyn Fn(&str) -> String,
) -> Result<(), Error> {
    let mut of_edges = keys(root, "edge");
    // Weights are no attributes. NetworkX declares them once for each type of number that it finds among them.
    let mut weight_keys: Vec<&str> =
        of_edges.iter().filter(|(_, key)| key.name == "weight").map(|(id, _)| *id).collect();
    weight_keys.sort_unstable();
    let declared: Vec<Key<'_>> = weight_keys.iter().filter_map(|key| of_edges.remove(key)).collect();
    let usual = declared.iter().find_map(|key| key.default);
    if weight_keys.is_empty() {
        weight_keys.push("weight");
    }
    let is_weight = |key: &str| weight_keys.contains(&key);
    let mut ids = Vec::new();
    for (row, edge) in children(graph, "edge").enumerate() {
        if let Some(own) = edge.attribute("directed")
            && wrong.direction(edge, own)? != listed.directed
        {
            return Err(wrong.at(edge, "all edges directed or all undirected, as `edgedefault` says", own));
        }
        let data = children(edge, "data").filter(|data| data.attribute("key").is_some_and(is_weight)).last();
        let weight = match data {
            Some(data) => Some(wrong.number(data, data.text().unwrap_or_default())?),
            None => usual.map(|usual| wrong.number(root, usual)).transpose()?,
        };
        let (source, target) = (wrong.attribute(edge, "source")?, wrong.attribute(edge, "target")?);
        listed.edge(&called(source), &called(target), weight);
        let said = said(edge, &of_edges, ("edges", listed), |key| !is_weight(key));
        set_all(&mut listed.of_edges, row, &of_edges, &said);
        ids.push(edge.attribute("id"));
    }
    keep_ids(listed, &ids);
    if children(graph, "hyperedge").next().is_some() {
        return Err(wrong.at(graph, "edges between two vertices", "<hyperedge>"));
    }
    Ok(())
}
