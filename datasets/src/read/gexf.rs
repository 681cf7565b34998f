//! GEXF, Gephi's format.

use super::Raw;
use super::listed::{Of, Told};
use super::xml::{Document, Element, Key, Keys, Said, Whole, tell_defaults};
use crate::error::Error;
use crate::source::Source;

/// Reads GEXF.
pub(super) fn read(source: Source) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let mut whole = Whole::default();
    tell(source, &mut whole)?;
    whole.into_raw(&path)
}

/// Passes the vertices and edges of a document to a listener.
pub(super) fn tell(source: Source, told: &mut dyn Told<Said>) -> Result<(), Error> {
    Document::of(source).tell(|document, graph, _| tell_graph(document, &graph, told))
}

/// Vertices or edges: their declared attributes, and whether one of the elements has been read.
#[derive(Default)]
struct Class {
    keys: Keys,
    begun: bool,
}

/// Weights of edges among their attributes: the keys, and the weight of edges that say none.
#[derive(Default)]
struct Weights {
    keys: Keys,
    usual: Option<String>,
}

fn tell_graph(document: &mut Document, graph: &Element, told: &mut dyn Told<Said>) -> Result<(), Error> {
    let kind = graph.attribute("defaultedgetype");
    let directed = kind.map_or(Ok(false), |kind| document.wrong.direction(graph, kind))?;
    told.directed(directed);
    let (mut vertices, mut edges) = (Class::default(), Class::default());
    let mut weights = Weights::default();
    while let Some(element) = document.element()? {
        match element.name.as_str() {
            "attributes" => {
                let list = document.whole(element)?;
                let class = match list.attribute("class") {
                    Some("node") => &mut vertices,
                    Some("edge") => &mut edges,
                    _ => continue,
                };
                if class.begun {
                    let expected = "every <attributes> before the vertices or edges that have them";
                    return Err(document.wrong.at(&list, expected, "<attributes>"));
                }
                class.keys.extend(list.all("attribute").filter_map(|key| Key::of(key, ["title", "type"])));
            }
            "nodes" => {
                if !std::mem::replace(&mut vertices.begun, true) {
                    tell_defaults(&vertices.keys, Of::Vertices, told);
                }
                while let Some(node) = document.element()? {
                    match node.name.as_str() {
                        "node" => tell_vertex(document, node, &vertices.keys, told)?,
                        _ => document.skip()?,
                    }
                }
            }
            "edges" => {
                if !std::mem::replace(&mut edges.begun, true) {
                    weights.keys = edges.keys.extract_if(.., |_, key| key.is_weight()).collect();
                    weights.usual = weights.keys.values().find_map(|key| key.default.clone());
                    tell_defaults(&edges.keys, Of::Edges, told);
                }
                while let Some(edge) = document.element()? {
                    match edge.name.as_str() {
                        "edge" => tell_edge(document, edge, directed, (&edges.keys, &weights), told)?,
                        _ => document.skip()?,
                    }
                }
            }
            _ => document.skip()?,
        }
    }
    Ok(())
}

/// The key of an `<attvalue>`.
fn key_of(value: &Element) -> Option<&str> {
    value.attribute("for").or(value.attribute("id"))
}

/// The `<attvalue>`s of an element, but for weights, and the names of its further parts (such as colour, position and time), which are not kept. Parts in `known` are
/// read elsewhere.
fn said(element: &Element, (keys, weights): (&Keys, &Keys), known: &[&str]) -> Said {
    let mut said = Said::default();
    let values = element.all("attvalues").flat_map(|values| values.all("attvalue"));
    let pair = |value: &'_ Element| {
        (key_of(value).unwrap_or_default().to_owned(), value.attribute("value").unwrap_or_default().to_owned())
    };
    let pairs: Vec<(String, String)> = values.map(pair).collect();
    let pairs = pairs.iter().filter(|(key, _)| !weights.contains_key(key));
    let pairs: Vec<(&str, &str)> = pairs.map(|(key, value)| (key.as_str(), value.as_str())).collect();
    match element.attribute("label") {
        Some(label) if element.name == "edge" => said.text("label", label),
        label => said.label = label.map(str::to_owned),
    }
    said.add(keys, &pairs);
    for (other, _) in element.attributes.iter().filter(|(name, _)| !known.contains(&name.as_str())) {
        said.lost.push(other.rsplit(':').next().unwrap_or(other).to_owned());
    }
    for child in &element.elements {
        if child.name != "attvalues" {
            said.lost.push(child.name.clone());
        }
        let timed = |value: &Element| value.attribute("start").or(value.attribute("end")).is_some();
        if child.all("attvalue").any(timed) {
            said.lost.push("times of attvalues".to_owned());
        }
    }
    said
}

fn tell_vertex(document: &mut Document, node: Element, keys: &Keys, told: &mut dyn Told<Said>) -> Result<(), Error> {
    let node = document.whole(node)?;
    let id = document.wrong.attribute(&node, "id")?;
    if node.all("nodes").next().is_some() {
        return Err(document.wrong.at(&node, "no vertices within vertices", "<nodes>"));
    }
    told.vertex(id, &said(&node, (keys, &Keys::new()), &["id", "label"]))
}

fn tell_edge(
    document: &mut Document,
    edge: Element,
    directed: bool,
    (keys, weights): (&Keys, &Weights),
    told: &mut dyn Told<Said>,
) -> Result<(), Error> {
    let edge = document.whole(edge)?;
    let wrong = &document.wrong;
    if let Some(own) = edge.attribute("type")
        && wrong.direction(&edge, own)? != directed
    {
        return Err(wrong.at(&edge, "all edges directed or all undirected, as `defaultedgetype` says", own));
    }
    // NetworkX and older programs have it among the attributes.
    let values = edge.all("attvalues").flat_map(|values| values.all("attvalue"));
    let among = values.filter(|value| key_of(value).is_some_and(|key| weights.keys.contains_key(key)));
    let among = among.last().and_then(|value| value.attribute("value"));
    let weight = edge.attribute("weight").or(among).or(weights.usual.as_deref());
    let weight = weight.map(|weight| wrong.weight(&edge, weight)).transpose()?;
    let ends = [wrong.attribute(&edge, "source")?, wrong.attribute(&edge, "target")?];
    let mut said = said(&edge, (keys, &weights.keys), &["id", "source", "target", "weight", "type", "label"]);
    said.id = edge.attribute("id").map(str::to_owned);
    said.rounded = weight.is_some_and(|(_, rounded)| rounded);
    told.edge(ends, weight.map(|(weight, _)| weight), &said)
}
