//! What GraphML and GEXF have in common: a document of XML whose vertices and edges are elements with attributes of declared types.

use std::collections::BTreeMap;

use roxmltree::{Document, Node, ParsingOptions};

use super::Raw;
use super::listed::Listed;
use crate::attributes::{Fields, Value};
use crate::error::{Error, Fault};
use crate::source::Source;

/// Elements and text of one file: what is made of it takes some 30 bytes for each byte.
const MOST_NODES: u32 = 1 << 28;

/// Where a file is wrong, and how.
pub(super) struct Wrong<'a> {
    document: &'a Document<'a>,
    path: &'a std::path::Path,
}

impl Wrong<'_> {
    pub(super) fn at(&self, node: Node<'_, '_>, expected: &str, found: &str) -> Error {
        let place = self.document.text_pos_at(node.range().start);
        let (expected, found) = (expected.to_owned(), crate::scan::quote(found.as_bytes()));
        Error::at(self.path, place.row.into(), place.col as usize, Fault::Header { expected, found })
    }

    /// An attribute that must be there.
    pub(super) fn attribute<'n>(&self, node: Node<'n, '_>, name: &str) -> Result<&'n str, Error> {
        node.attribute(name).ok_or_else(|| {
            let tag = node.tag_name().name();
            self.at(node, &format!("an attribute `{name}` of <{tag}>"), "none")
        })
    }

    pub(super) fn number(&self, node: Node<'_, '_>, text: &str) -> Result<f64, Error> {
        let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| self.at(node, "a finite number", text))
    }

    /// Whether edges have a direction, by `directed` or `undirected`; the same is expected of every edge.
    pub(super) fn direction(&self, node: Node<'_, '_>, text: &str) -> Result<bool, Error> {
        match text {
            "directed" | "true" => Ok(true),
            "undirected" | "false" => Ok(false),
            other => Err(self.at(node, "`directed` or `undirected`", other)),
        }
    }
}

pub(super) fn children<'n, 'd>(node: Node<'n, 'd>, name: &'static str) -> impl Iterator<Item = Node<'n, 'd>> {
    node.children().filter(move |child| child.tag_name().name() == name)
}

/// Reads the file and finds its first graph.
pub(super) fn with_graph(
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

/// A value of the type that a file declares, in the words of GraphML and GEXF. One that is not of the type is a text.
fn typed<'t>(text: &'t str, kind: Option<&str>) -> Value<'t> {
    let plain = text.trim();
    let value = match kind {
        Some("boolean") => match plain {
            "true" | "True" | "1" => Some(Value::Boolean(true)),
            "false" | "False" | "0" => Some(Value::Boolean(false)),
            _ => None,
        },
        Some("int" | "integer" | "long" | "short" | "byte") => plain.parse().ok().map(Value::Integer),
        Some("float" | "double") => plain.parse().ok().map(Value::Float),
        _ => None,
    };
    value.unwrap_or(Value::Text(text))
}

/// An attribute that a file declares.
pub(super) struct Key<'n> {
    pub(super) name: &'n str,
    kind: Option<&'n str>,
    pub(super) default: Option<&'n str>,
}

impl<'n> Key<'n> {
    pub(super) fn of(node: Node<'n, '_>, name: Option<&'n str>, kind: Option<&'n str>) -> Option<(&'n str, Key<'n>)> {
        let id = node.attribute("id")?;
        let default = children(node, "default").next().map(|default| default.text().unwrap_or_default());
        Some((id, Key { name: name.unwrap_or(id), kind, default }))
    }
}

/// Those of vertices or of edges, by their ids.
pub(super) type Keys<'n> = BTreeMap<&'n str, Key<'n>>;

/// Sets what one element says, and the defaults of what it does not say.
pub(super) fn set_all<'n>(fields: &mut Fields, row: usize, keys: &Keys<'n>, said: &[(&'n str, &'n str)]) {
    for (id, text) in said {
        let key = keys.get(id);
        fields.set(row, key.map_or(id, |key| key.name), typed(text, key.and_then(|key| key.kind)));
    }
    for (id, key) in keys {
        if let Some(default) = key.default.filter(|_| said.iter().all(|(known, _)| known != id)) {
            fields.set(row, key.name, typed(default, key.kind));
        }
    }
}

/// Keeps the ids of edges, unless they only count them.
pub(super) fn keep_ids(listed: &mut Listed, ids: &[Option<&str>]) {
    let counts = |(place, id): (usize, &Option<&str>)| {
        id.is_none_or(|id| id.strip_prefix('e').unwrap_or(id).parse() == Ok(place))
    };
    if !ids.iter().enumerate().all(counts) {
        let name = listed.of_edges.unused("id");
        let known = ids.iter().enumerate().filter_map(|(row, id)| Some((row, (*id)?)));
        known.for_each(|(row, id)| listed.of_edges.set(row, &name, Value::Text(id)));
    }
}
