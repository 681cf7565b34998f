//! GraphML (Brandes et al., 2002).

use std::collections::{HashMap, HashSet};

use super::Raw;
use super::listed::{Of, Told};
use super::xml::{Document, Element, Key, Keys, Said, Whole, tell_defaults};
use crate::error::Error;
use crate::source::Source;

/// The key by which igraph writes what vertices are called. Their ids are places there, `n0`, `n1` and so on.
pub(super) const IGRAPH_NAME: &str = "v_name";

/// Reads GraphML.
pub(super) fn read(source: Source) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let mut whole = Whole::default();
    let name = tell(source, &mut whole)?;
    call_by_names(&mut whole, name.as_deref());
    whole.into_raw(&path)
}

/// Uses igraph's attribute of names as the names of vertices if all are different, and removes this attribute.
fn call_by_names(whole: &mut Whole, attribute: Option<&str>) {
    let called = std::mem::take(&mut whole.called);
    let listed = &mut whole.listed;
    let fit = |name: &Option<String>| name.as_ref().is_some_and(|name| is_name(name));
    let names: HashSet<&String> = called.iter().flatten().collect();
    if called.is_empty() || !called.iter().all(fit) || names.len() < called.len() {
        return;
    }
    attribute.into_iter().for_each(|name| listed.of_vertices.remove(name));
    let names: HashMap<String, String> = listed.vertices.drain(..).zip(called.iter().flatten().cloned()).collect();
    listed.vertices = called.into_iter().flatten().collect();
    for end in listed.edges.iter_mut().flat_map(|(src, dst)| [src, dst]) {
        if let Some(name) = names.get(end) {
            end.clone_from(name);
        }
    }
}

/// Whether a text can be the name of a vertex.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains('\n')
}

/// The declared attributes of vertices, of edges and of the graph.
#[derive(Default)]
struct Declared {
    vertices: Keys,
    edges: Keys,
    graph: Keys,
    /// The keys of weights, which are not kept as attributes. NetworkX declares a key for each type of number among the weights.
    weights: Keys,
    /// The weight of edges that say none, by the first of these keys that has a default.
    usual_weight: Option<String>,
}

impl Declared {
    fn add(&mut self, element: &Element) {
        let Some((id, key)) = Key::of(element, ["attr.name", "attr.type"]) else { return };
        let of = element.attribute("for").unwrap_or("all");
        for (kind, keys) in [("node", &mut self.vertices), ("edge", &mut self.edges), ("graph", &mut self.graph)] {
            if of == kind || of == "all" {
                keys.insert(id.clone(), key.clone());
            }
        }
        if key.name == "weight"
            && let Some(key) = self.edges.remove(&id)
        {
            self.weights.insert(id, key);
        }
    }

    fn is_weight(&self, key: &str) -> bool {
        if self.weights.is_empty() { key == "weight" } else { self.weights.contains_key(key) }
    }
}

/// Passes the vertices and edges of a document to a listener. Returns the name of the attribute that holds igraph's names, if it is unique.
pub(super) fn tell(source: Source, told: &mut dyn Told<Said>) -> Result<Option<String>, Error> {
    let mut declared = Declared::default();
    Document::of(source).tell(|document, graph, keys| {
        keys.iter().for_each(|key| declared.add(key));
        declared.usual_weight = declared.weights.values().find_map(|key| key.default.clone());
        tell_defaults(&declared.vertices, Of::Vertices, told);
        tell_defaults(&declared.edges, Of::Edges, told);
        tell_graph(document, &graph, &declared, told)
    })?;
    let name = declared.vertices.get(IGRAPH_NAME).map_or(IGRAPH_NAME, |key| &key.name);
    let others = declared.vertices.iter().filter(|(id, key)| *id != IGRAPH_NAME && key.name == name);
    Ok((others.count() == 0).then(|| name.to_owned()))
}

fn tell_graph(
    document: &mut Document,
    graph: &Element,
    declared: &Declared,
    told: &mut dyn Told<Said>,
) -> Result<(), Error> {
    let directed = document.wrong.direction(graph, &document.wrong.attribute(graph, "edgedefault")?)?;
    told.directed(directed);
    while let Some(element) = document.element()? {
        match element.name.as_str() {
            "node" => {
                let node = document.whole(element)?;
                if node.all("graph").next().is_some() {
                    return Err(document.wrong.at(&node, "no graphs within vertices", "<graph>"));
                }
                told.vertex(document.wrong.attribute(&node, "id")?, &of_vertex(&node, declared))?;
            }
            "edge" => {
                let edge = document.whole(element)?;
                tell_edge(document, &edge, directed, declared, told)?;
            }
            "data" => {
                let data = document.whole(element)?;
                let key = data.attribute("key").unwrap_or_default();
                told.of_graph(declared.graph.get(key).map_or(key, |key| &key.name));
            }
            "hyperedge" => return Err(document.wrong.at(&element, "edges between two vertices", "<hyperedge>")),
            _ => document.skip()?,
        }
    }
    Ok(())
}

/// The `<data>` of an element by keys. One that contains elements has no value, and is not kept.
fn data<'e>(element: &'e Element, keys: &Keys, said: &mut Said) -> Vec<(&'e str, &'e str)> {
    let mut all = Vec::new();
    for data in element.all("data") {
        let key = data.attribute("key").unwrap_or_default();
        match data.elements.is_empty() {
            true => all.push((key, data.text.as_str())),
            false => said.lost.push(keys.get(key).map_or(key, |key| &key.name).to_owned()),
        }
    }
    all
}

fn of_vertex(node: &Element, declared: &Declared) -> Said {
    let mut said = Said::default();
    let all = data(node, &declared.vertices, &mut said);
    said.called = all.iter().find(|(key, _)| *key == IGRAPH_NAME).map(|(_, name)| (*name).to_owned());
    said.add(&declared.vertices, &all);
    said
}

fn tell_edge(
    document: &Document,
    edge: &Element,
    directed: bool,
    declared: &Declared,
    told: &mut dyn Told<Said>,
) -> Result<(), Error> {
    let wrong = &document.wrong;
    if let Some(own) = edge.attribute("directed")
        && wrong.direction(edge, own)? != directed
    {
        return Err(wrong.at(edge, "all edges directed or all undirected, as `edgedefault` says", own));
    }
    let mut said = Said { id: edge.attribute("id").map(str::to_owned), ..Said::default() };
    let is_weight = |data: &&Element| data.attribute("key").is_some_and(|key| declared.is_weight(key));
    let weight = match edge.all("data").filter(is_weight).last() {
        Some(data) => Some(wrong.weight(data, &data.text)?),
        None => declared.usual_weight.as_ref().map(|usual| wrong.weight(edge, usual)).transpose()?,
    };
    said.rounded = weight.is_some_and(|(_, rounded)| rounded);
    let mut all = data(edge, &declared.edges, &mut said);
    all.retain(|(key, _)| !declared.is_weight(key));
    said.add(&declared.edges, &all);
    let ends = [wrong.attribute(edge, "source")?, wrong.attribute(edge, "target")?];
    told.edge(ends, weight.map(|(weight, _)| weight), &said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attributes::Value;

    /// Counts what a parser passes on.
    #[derive(Default)]
    struct Counted {
        items: usize,
        fields: usize,
        defaults: usize,
    }

    impl Told<Said> for Counted {
        fn vertex(&mut self, _: String, said: &Said) -> Result<(), Error> {
            (self.items, self.fields) = (self.items + 1, self.fields + said.fields.len());
            Ok(())
        }

        fn edge(&mut self, _: [String; 2], _: Option<f64>, said: &Said) -> Result<(), Error> {
            (self.items, self.fields) = (self.items + 1, self.fields + said.fields.len());
            Ok(())
        }

        fn directed(&mut self, _: bool) {}

        fn usual(&mut self, _: Of, _: &str, _: Value<'_>) {
            self.defaults += 1;
        }
    }

    /// Work grows with the file, and not with the number of keys times that of vertices.
    #[test]
    fn defaults_are_passed_on_once() {
        let key = |k: usize| format!("<key id=\"{k}\" for=\"all\"><default>{k}</default></key>\n");
        let node = |k: usize| format!("<node id=\"{k}\"/>\n<edge source=\"0\" target=\"{k}\"/>\n");
        let (keys, nodes): (String, String) = ((0..50).map(key).collect(), (1..100).map(node).collect());
        let zero = "<node id=\"0\"><data key=\"7\">1</data></node>";
        let text = format!("<graphml>{keys}<graph edgedefault=\"directed\">{zero}\n{nodes}</graph></graphml>");
        let text: &'static str = text.leak();
        let source = Source::from_text(std::path::Path::new("g"), text.as_bytes()).unwrap();
        let mut counted = Counted::default();
        tell(source, &mut counted).unwrap();
        assert_eq!((counted.items, counted.fields, counted.defaults), (199, 1, 100));
    }
}
