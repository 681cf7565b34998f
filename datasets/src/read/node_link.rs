//! Graphs in JSON as NetworkX and D3 have them (node-link): `nodes` with an `id` each, and `edges` or `links` with `source`, `target` and perhaps
//! `weight`. Whatever else they have are attributes.

use std::fmt;
use std::path::Path;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Deserializer, Map, Value};

use super::Raw;
use super::listed::{Listed, Told};
use crate::attributes::{Fields, Value as Held};
use crate::error::{Error, Fault};
use crate::source::{Source, wrap};

/// What a vertex or an edge says.
type Item = Map<String, Value>;

pub(super) fn read(source: Source) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let text = source.text()?;
    let mut listed = Listed::default();
    tell(&path, &mut Deserializer::from_str(&text), &mut listed)?;
    listed.into_raw(&path)
}

impl Told<Item> for Listed {
    fn vertex(&mut self, name: String, item: &Map<String, Value>) -> Result<(), Error> {
        let lost = set_all(&mut self.of_vertices, self.vertices.len(), item, &["id"]);
        self.vertices.push(name);
        lost.iter().for_each(|other| self.lose("vertices", other));
        Ok(())
    }

    fn edge(&mut self, [src, dst]: [String; 2], weight: Option<f64>, item: &Map<String, Value>) -> Result<(), Error> {
        let lost = set_all(&mut self.of_edges, self.edges.len(), item, &["source", "target", "weight"]);
        Listed::edge(self, &src, &dst, weight);
        lost.iter().for_each(|other| self.lose("edges", other));
        Ok(())
    }

    fn directed(&mut self, directed: bool) {
        self.directed = directed;
    }

    fn of_graph(&mut self, key: &str) {
        self.lose("the graph", key);
    }
}

/// Tells what a document says, item by item as it is parsed.
pub(super) fn tell<'de, R: serde_json::de::Read<'de>>(
    path: &Path,
    from: &mut Deserializer<R>,
    told: &mut dyn Told<Item>,
) -> Result<(), Error> {
    let mut failed = None;
    let document = Document { path, told, failed: &mut failed, vertices: false, edges: false };
    let parsed = document.deserialize(&mut *from).and_then(|()| from.end());
    match (failed, parsed) {
        (Some(error), _) => Err(error),
        (None, Ok(())) => Ok(()),
        (None, Err(error)) if error.is_io() => Err(wrap(path, true, error.into())),
        (None, Err(error)) => {
            let fault = Fault::Header { expected: "a JSON object".to_owned(), found: error.to_string() };
            Err(Error::at(path, error.line().max(1) as u64, error.column().max(1), fault))
        }
    }
}

/// A document that is being read.
struct Document<'t> {
    path: &'t Path,
    told: &'t mut dyn Told<Item>,
    /// Why the document is none of a graph. The parser is only told that it may end.
    failed: &'t mut Option<Error>,
    /// Whether the lists have come.
    vertices: bool,
    edges: bool,
}

fn wrong(path: &Path, expected: &str, found: &str) -> Error {
    let mut found = found.to_owned();
    if let Some((end, _)) = found.char_indices().nth(40) {
        found.truncate(end);
        found.push('…');
    }
    Error::at(path, 1, 1, Fault::Header { expected: expected.to_owned(), found: format!("`{found}`") })
}

impl Document<'_> {
    /// Keeps why the document is no graph's.
    fn result<E: serde::de::Error>(&mut self, result: Result<(), Error>) -> Result<(), E> {
        result.map_err(|error| {
            let words = E::custom(&error);
            *self.failed = Some(error);
            words
        })
    }

    fn name(&self, value: Option<&Value>) -> Result<String, Error> {
        match value {
            Some(Value::String(name)) => Ok(name.clone()),
            Some(Value::Number(id)) => Ok(id.to_string()),
            other => {
                let found = other.unwrap_or(&Value::Null).to_string();
                Err(wrong(self.path, "an id, a number or a string", &found))
            }
        }
    }

    fn vertex(&mut self, place: usize, vertex: &Value) -> Result<(), Error> {
        let item =
            vertex.as_object().ok_or_else(|| wrong(self.path, "an object for each vertex", &vertex.to_string()))?;
        // Where vertices have no ids, edges name their places.
        let name = if item.contains_key("id") { self.name(item.get("id"))? } else { place.to_string() };
        self.told.vertex(name, item)
    }

    fn edge(&mut self, edge: &Value) -> Result<(), Error> {
        let item = edge.as_object().ok_or_else(|| wrong(self.path, "an object for each edge", &edge.to_string()))?;
        let number = |weight: &Value| {
            weight.as_f64().ok_or_else(|| wrong(self.path, "a number as `weight`", &weight.to_string()))
        };
        let weight = item.get("weight").filter(|weight| !weight.is_null()).map(number).transpose()?;
        let ends = [self.name(item.get("source"))?, self.name(item.get("target"))?];
        self.told.edge(ends, weight, item)
    }

    /// Whether both lists have come.
    fn lists(&self) -> Result<(), Error> {
        let missing = |what: &str| Err(wrong(self.path, &format!("an array {what}"), "none"));
        match (self.vertices, self.edges) {
            (true, true) => Ok(()),
            (false, _) => missing("`nodes`"),
            (true, false) => missing("`edges` or `links`"),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "nodes" => {
                    self.vertices = true;
                    map.next_value_seed(List { document: &mut self, what: "`nodes`" })?;
                }
                "edges" | "links" => {
                    if std::mem::replace(&mut self.edges, true) {
                        let both = wrong(self.path, "an array `edges` or `links`", "both");
                        return self.result(Err(both));
                    }
                    map.next_value_seed(List { document: &mut self, what: "`edges` or `links`" })?;
                }
                "directed" => self.told.directed(map.next_value::<Value>()?.as_bool().unwrap_or(false)),
                "graph" => {
                    let graph = map.next_value::<Value>()?;
                    graph.as_object().into_iter().flat_map(Map::keys).for_each(|key| self.told.of_graph(key));
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        let lists = self.lists();
        self.result(lists)
    }
}

/// A list of vertices or of edges.
struct List<'l, 't> {
    document: &'l mut Document<'t>,
    what: &'static str,
}

impl<'de> DeserializeSeed<'de> for List<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl List<'_, '_> {
    fn no_list<E: serde::de::Error>(self, found: &str) -> Result<(), E> {
        let error = wrong(self.document.path, &format!("an array {}", self.what), found);
        self.document.result(Err(error))
    }
}

impl<'de> Visitor<'de> for List<'_, '_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "an array {}", self.what)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut place = 0;
        while let Some(item) = list.next_element::<Value>()? {
            let result = match self.what {
                "`nodes`" => self.document.vertex(place, &item),
                _ => self.document.edge(&item),
            };
            self.document.result::<A::Error>(result)?;
            place += 1;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        self.no_list("an object")
    }

    fn visit_str<E: serde::de::Error>(self, found: &str) -> Result<(), E> {
        self.no_list(found)
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.no_list("null")
    }
}

/// Sets what an object says beside what is `known`. Returns the names of what is no value: lists and objects.
fn set_all<'i>(fields: &mut Fields, row: usize, item: &'i Map<String, Value>, known: &[&str]) -> Vec<&'i str> {
    let mut lost = Vec::new();
    for (name, value) in item.iter().filter(|(name, _)| !known.contains(&name.as_str())) {
        match value {
            Value::Null => {}
            Value::Bool(value) => fields.set(row, name, Held::Boolean(*value)),
            Value::String(text) => fields.set(row, name, Held::Text(text)),
            Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
                (Some(value), ..) => fields.set(row, name, Held::Integer(value)),
                (None, None, Some(value)) => fields.set(row, name, Held::Float(value)),
                _ => fields.set(row, name, Held::Text(&number.to_string())),
            },
            Value::Array(_) | Value::Object(_) => lost.push(name.as_str()),
        }
    }
    lost
}
