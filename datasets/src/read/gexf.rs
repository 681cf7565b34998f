//! GEXF, Gephi's format.

use roxmltree::Node;

use super::Raw;
use super::listed::Listed;
use super::xml::{Key, Keys, Wrong, children, keep_ids, set_all, with_graph};
use crate::attributes::Value;
use crate::error::Error;
use crate::source::Source;

/// The attributes that a graph declares for the class `node` or `edge`.
fn keys<'n>(graph: Node<'n, '_>, class: &str) -> Keys<'n> {
    let lists = children(graph, "attributes").filter(|list| list.attribute("class") == Some(class));
    let key = |key: Node<'n, '_>| Key::of(key, key.attribute("title"), key.attribute("type"));
    lists.flat_map(|list| children(list, "attribute")).filter_map(key).collect()
}

/// What an element says by `<attvalue>`, with the keys.
fn said<'n>(element: Node<'n, '_>) -> Vec<(&'n str, &'n str)> {
    let values = children(element, "attvalues").flat_map(|values| children(values, "attvalue"));
    let pair = |value: Node<'n, '_>| {
        let key = value.attribute("for").or(value.attribute("id")).unwrap_or_default();
        (key, value.attribute("value").unwrap_or_default())
    };
    values.map(pair).collect()
}

/// Notes what an element says that is no attribute: its colour, its place, when it is there.
fn lose_others(listed: &mut Listed, of: &str, element: Node<'_, '_>, known: &[&str]) {
    for other in element.attributes().filter(|attribute| !known.contains(&attribute.name())) {
        listed.lose(of, other.name());
    }
    for child in element.children().filter(Node::is_element) {
        if child.tag_name().name() != "attvalues" {
            listed.lose(of, child.tag_name().name());
        }
        let timed = |value: Node<'_, '_>| value.has_attribute("start") || value.has_attribute("end");
        if children(child, "attvalue").any(timed) {
            listed.lose(of, "times of attvalues");
        }
    }
}

/// Reads GEXF.
pub(super) fn read(source: Source) -> Result<Raw, Error> {
    with_graph(source, |wrong, _, graph| {
        let directed = match graph.attribute("defaultedgetype") {
            Some(kind) => wrong.direction(graph, kind)?,
            None => false,
        };
        let mut listed = Listed { directed, ..Listed::default() };
        let of_vertices = keys(graph, "node");
        let nodes = children(graph, "nodes").flat_map(|nodes| children(nodes, "node"));
        for (row, node) in nodes.enumerate() {
            let id = wrong.attribute(node, "id")?;
            listed.vertices.push(id.to_owned());
            if children(node, "nodes").next().is_some() {
                return Err(wrong.at(node, "no vertices within vertices", "<nodes>"));
            }
            if let Some(label) = node.attribute("label").filter(|label| *label != id) {
                listed.of_vertices.set(row, "label", Value::Text(label));
            }
            set_all(&mut listed.of_vertices, row, &of_vertices, &said(node));
            lose_others(&mut listed, "vertices", node, &["id", "label"]);
        }
        edges(wrong, graph, &mut listed)?;
        Ok(listed)
    })
}

fn edges(wrong: &Wrong<'_>, graph: Node<'_, '_>, listed: &mut Listed) -> Result<(), Error> {
    let of_edges = keys(graph, "edge");
    let mut ids = Vec::new();
    let edges = children(graph, "edges").flat_map(|edges| children(edges, "edge"));
    for (row, edge) in edges.enumerate() {
        if let Some(own) = edge.attribute("type")
            && wrong.direction(edge, own)? != listed.directed
        {
            return Err(wrong.at(edge, "all edges directed or all undirected, as `defaultedgetype` says", own));
        }
        let weight = edge.attribute("weight").map(|weight| wrong.number(edge, weight)).transpose()?;
        listed.edge(wrong.attribute(edge, "source")?, wrong.attribute(edge, "target")?, weight);
        if let Some(label) = edge.attribute("label") {
            listed.of_edges.set(row, "label", Value::Text(label));
        }
        set_all(&mut listed.of_edges, row, &of_edges, &said(edge));
        lose_others(listed, "edges", edge, &["id", "source", "target", "weight", "type", "label"]);
        ids.push(edge.attribute("id"));
    }
    keep_ids(listed, &ids);
    Ok(())
}
