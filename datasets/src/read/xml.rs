//! GraphML (Brandes et al., 2002) and GEXF (Gephi): vertices and edges as elements of XML. Attributes other than the weight of an edge are
//! dropped, and a note says so.

use std::collections::{HashMap, HashSet};

use roxmltree::{Document, Node, ParsingOptions};

use super::Raw;
use super::listed::Listed;
use crate::error::{Error, Fault};
use crate::source::Source;

/// Elements and text of one file: what is made of it takes some 30 bytes for each byte.
const MOST_NODES: u32 = 1 << 28;

/// Where a file is wrong, and how.
struct Wrong<'a> {
    document: &'a Document<'a>,
    path: &'a std::path::Path,
}

impl Wrong<'_> {
    fn at(&self, node: Node<'_, '_>, expected: &str, found: &str) -> Error {
        let place = self.document.text_pos_at(node.range().start);
        let (expected, found) = (expected.to_owned(), crate::scan::quote(found.as_bytes()));
        Error::at(self.path, place.row.into(), place.col as usize, Fault::Header { expected, found })
    }

    /// An attribute that must be there.
    fn attribute<'n>(&self, node: Node<'n, '_>, name: &str) -> Result<&'n str, Error> {
        node.attribute(name).ok_or_else(|| {
            let tag = node.tag_name().name();
            self.at(node, &format!("an attribute `{name}` of <{tag}>"), "none")
        })
    }

    fn number(&self, node: Node<'_, '_>, text: &str) -> Result<f64, Error> {
        let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| self.at(node, "a finite number", text))
    }

    /// Whether edges have a direction, by `directed` or `undirected`; the same is expected of every edge.
    fn direction(&self, node: Node<'_, '_>, text: &str) -> Result<bool, Error> {
        match text {
            "directed" | "true" => Ok(true),
            "undirected" | "false" => Ok(false),
            other => Err(self.at(node, "`directed` or `undirected`", other)),
        }
    }
}

fn children<'n, 'd>(node: Node<'n, 'd>, name: &'static str) -> impl Iterator<Item = Node<'n, 'd>> {
    node.children().filter(move |child| child.tag_name().name() == name)
}

/// Reads the file and finds its first graph.
fn with_graph(
    source: Source,
    read: impl FnOnce(&Wrong<'_>, Node<'_, '_>, Node<'_, '_>) -> Result<Listed, Error>,
) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let text = source.text()?;
    let options = ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(&text, options).map_err(|error| {
        let place = error.pos();
        let fault = Fault::Header { expected: "a document of XML".to_owned(), found: error.to_string() };
        Error::at(&path, place.row.into(), place.col as usize, fault)
    })?;
    let wrong = Wrong { document: &document, path: &path };
    let root = document.root_element();
    let graph = children(root, "graph").next();
    let graph = graph.ok_or_else(|| wrong.at(root, "an element <graph>", root.tag_name().name()))?;
    read(&wrong, root, graph)?.into_raw(&path)
}

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

/// Reads GraphML.
pub(super) fn read_graphml(source: Source) -> Result<Raw, Error> {
    with_graph(source, |wrong, root, graph| {
        let keys: HashMap<&str, &str> = children(root, "key")
            .filter_map(|key| Some((key.attribute("id")?, key.attribute("attr.name").or(key.attribute("id"))?)))
            .collect();
        let name = |data: Node<'_, '_>| {
            let key = data.attribute("key").unwrap_or_default();
            keys.get(key).copied().unwrap_or(key).to_owned()
        };
        let directed = wrong.direction(graph, wrong.attribute(graph, "edgedefault")?)?;
        let names = igraph_names(graph);
        let called = |id: &'_ str| -> String {
            names.as_ref().and_then(|names| names.get(id)).map_or(id, |name| *name).to_owned()
        };
        let mut listed = Listed { directed, ..Listed::default() };
        for node in children(graph, "node") {
            listed.vertices.push(called(wrong.attribute(node, "id")?));
            let lost = |data: &Node<'_, '_>| names.is_none() || data.attribute("key") != Some(IGRAPH_NAME);
            children(node, "data").filter(lost).for_each(|data| listed.lose("vertices", &name(data)));
            if children(node, "graph").next().is_some() {
                return Err(wrong.at(node, "no graphs within vertices", "<graph>"));
            }
        }
        for edge in children(graph, "edge") {
            if let Some(own) = edge.attribute("directed")
                && wrong.direction(edge, own)? != directed
            {
                return Err(wrong.at(edge, "all edges directed or all undirected, as `edgedefault` says", own));
            }
            let mut weight = None;
            for data in children(edge, "data") {
                match name(data).as_str() {
                    "weight" => weight = Some(wrong.number(data, data.text().unwrap_or_default())?),
                    other => listed.lose("edges", other),
                }
            }
            let (source, target) = (wrong.attribute(edge, "source")?, wrong.attribute(edge, "target")?);
            listed.edge(&called(source), &called(target), weight);
        }
        if children(graph, "hyperedge").next().is_some() {
            return Err(wrong.at(graph, "edges between two vertices", "<hyperedge>"));
        }
        Ok(listed)
    })
}

/// Reads GEXF.
pub(super) fn read_gexf(source: Source) -> Result<Raw, Error> {
    with_graph(source, |wrong, _, graph| {
        let directed = match graph.attribute("defaultedgetype") {
            Some(kind) => wrong.direction(graph, kind)?,
            None => false,
        };
        let mut listed = Listed { directed, ..Listed::default() };
        for node in children(graph, "nodes").flat_map(|nodes| children(nodes, "node")) {
            let id = wrong.attribute(node, "id")?;
            listed.vertices.push(id.to_owned());
            if node.attribute("label").is_some_and(|label| label != id) {
                listed.lose("vertices", "label");
            }
            if children(node, "attvalues").next().is_some() {
                listed.lose("vertices", "attvalues");
            }
        }
        for edge in children(graph, "edges").flat_map(|edges| children(edges, "edge")) {
            if let Some(own) = edge.attribute("type")
                && wrong.direction(edge, own)? != directed
            {
                return Err(wrong.at(edge, "all edges directed or all undirected, as `defaultedgetype` says", own));
            }
            let weight = edge.attribute("weight").map(|weight| wrong.number(edge, weight)).transpose()?;
            if children(edge, "attvalues").next().is_some() {
                listed.lose("edges", "attvalues");
            }
            listed.edge(wrong.attribute(edge, "source")?, wrong.attribute(edge, "target")?, weight);
        }
        Ok(listed)
    })
}
