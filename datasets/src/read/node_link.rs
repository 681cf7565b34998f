//! Graphs in JSON as NetworkX and D3 have them (node-link): `nodes` with an `id` each, and `edges` or `links` with `source`, `target` and perhaps
//! `weight`. Whatever else they have are attributes. Ids are numbers or strings; a file in which
//! `1` and `"1"` are two ids is refused.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Deserializer, Map, Number, Value};

use super::Raw;
use super::listed::{Listed, Told};
use crate::attributes::{Fields, Value as Held};
use crate::error::{Error, Fault};
use crate::scan;
use crate::source::{Source, wrap};

/// The members of a vertex or an edge.
type Item = Map<String, Value>;

pub(super) fn read(source: Source) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let text = source.text()?;
    let mut listed = Listed::default();
    let line_of = |line: u64| text.split('\n').nth(usize::try_from(line).ok()?.checked_sub(1)?).map(str::to_owned);
    if let Err(error) = tell(&path, &mut Deserializer::from_str(&text), &mut listed) {
        // Parsers of texts and of streams count columns differently: that of the stream counts, as in shares.
        let again = tell(&path, &mut Deserializer::from_reader(text.as_bytes()), &mut Listed::default());
        return Err(explained(again.err().unwrap_or(error), line_of));
    }
    listed.into_raw(&path)
}

/// The error for `NaN` and `Infinity`, which Python writes although JSON does not have them; any other error stays as it is. `line_of` gives a line of
/// the file.
pub(super) fn explained(error: Error, line_of: impl FnOnce(u64) -> Option<String>) -> Error {
    let Error::Malformed { path, line, column, fault } = error else { return error };
    let text = line_of(line).unwrap_or_default();
    let Some((column, word)) = beyond_json(&text, column) else {
        return Error::Malformed { path, line, column, fault };
    };
    let expected = "a finite number or null, since JSON has no infinity and no NaN".to_owned();
    Error::Malformed { path, line, column, fault: Fault::Header { expected, found: format!("`{word}`") } }
}

/// The word at a column of a line, if it is an infinity or NaN, and the column in which it begins.
fn beyond_json(line: &str, column: usize) -> Option<(usize, &str)> {
    let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    let at = column.saturating_sub(1).min(line.len());
    let begin = line.as_bytes()[..at].iter().rposition(|byte| !in_word(byte)).map_or(0, |before| before + 1);
    let end = line.as_bytes()[at..].iter().position(|byte| !in_word(byte)).map_or(line.len(), |length| at + length);
    let word = line.get(begin..end)?;
    matches!(word, "NaN" | "Infinity" | "-Infinity").then_some((begin + 1, word))
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
        let large = weight.filter(|weight| weight.abs() >= scan::EXACT).zip(item.get("weight"));
        self.rounded |= large.is_some_and(|(weight, said)| scan::is_rounded(said.to_string().as_bytes(), weight));
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

/// Passes the vertices and edges of a document to a listener while it is parsed.
pub(super) fn tell<'de, R: serde_json::de::Read<'de>>(
    path: &Path,
    from: &mut Deserializer<R>,
    told: &mut dyn Told<Item>,
) -> Result<(), Error> {
    let mut failed = None;
    let document = Document { path, told, failed: &mut failed, vertices: false, edges: false, ids: Ids::default() };
    let parsed = document.deserialize(&mut *from).and_then(|()| from.end());
    match (failed, parsed) {
        // The place to which the parser has come, behind what is wrong.
        (Some(Error::Malformed { path, fault, .. }), Err(at)) if at.line() > 0 => {
            Err(Error::Malformed { path, line: at.line() as u64, column: at.column().max(1), fault })
        }
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
    /// Our own error, if there is one. The parser gets another one, which only makes it stop.
    failed: &'t mut Option<Error>,
    /// Whether the lists have been read.
    vertices: bool,
    edges: bool,
    ids: Ids,
}

/// The types of the ids that have been read.
#[derive(Default)]
struct Ids {
    /// For each id that looks like a number: whether it is a string.
    quoted: HashMap<String, bool>,
    /// Whether vertices have strings, and whether they have numbers.
    strings: bool,
    numbers: bool,
    /// A number that is the end of an edge.
    end: Option<String>,
}

impl Ids {
    /// Notes an id. Returns false if it was a number before and is a string now, or the other way round.
    fn note(&mut self, id: &str, quoted: bool) -> bool {
        let number = id.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        match self.quoted.get(id) {
            Some(&before) => before == quoted,
            None => !number || self.quoted.insert(id.to_owned(), quoted).is_none(),
        }
    }
}

/// The text of a number, without a point if it is whole.
fn called(number: &Number) -> String {
    match number.as_f64().filter(|value| number.is_f64() && value.fract() == 0.0 && value.abs() < EXACT) {
        Some(whole) => (whole as i64).to_string(),
        None => number.to_string(),
    }
}

/// Below this, floating-point numbers represent all whole numbers.
const EXACT: f64 = (1_u64 << 53) as f64;

fn wrong(path: &Path, expected: &str, found: &str) -> Error {
    let mut found = found.to_owned();
    if let Some((end, _)) = found.char_indices().nth(40) {
        found.truncate(end);
        found.push('…');
    }
    Error::at(path, 1, 1, Fault::Header { expected: expected.to_owned(), found: format!("`{found}`") })
}

impl Document<'_> {
    /// Stores our own error, and returns one that stops the parser.
    fn result<E: serde::de::Error>(&mut self, result: Result<(), Error>) -> Result<(), E> {
        result.map_err(|error| {
            let words = E::custom(&error);
            *self.failed = Some(error);
            words
        })
    }

    /// An id, and whether it is a string.
    fn name(&mut self, value: Option<&Value>) -> Result<(String, bool), Error> {
        let (name, quoted) = match value {
            Some(Value::String(name)) => (name.clone(), true),
            // Two whole numbers that large may be the same number here.
            Some(Value::Number(id)) if id.is_f64() && id.as_f64().is_none_or(|id| id.abs() >= EXACT) => {
                return Err(wrong(self.path, "an id that is a string or a number of at most 64 bits", &id.to_string()));
            }
            Some(Value::Number(id)) => (called(id), false),
            other => {
                let found = other.unwrap_or(&Value::Null).to_string();
                return Err(wrong(self.path, "an id, a number or a string", &found));
            }
        };
        match self.ids.note(&name, quoted) {
            true => Ok((name, quoted)),
            false => {
                let expected = "ids that differ by more than quotes";
                Err(wrong(self.path, expected, &format!("{name}` and `\"{name}\"")))
            }
        }
    }

    /// The id of an end of an edge.
    fn end(&mut self, value: Option<&Value>) -> Result<String, Error> {
        let (name, quoted) = self.name(value)?;
        if !quoted && self.ids.end.is_none() {
            self.ids.end = Some(name.clone());
        }
        Ok(name)
    }

    fn vertex(&mut self, place: usize, vertex: &Value) -> Result<(), Error> {
        let item =
            vertex.as_object().ok_or_else(|| wrong(self.path, "an object for each vertex", &vertex.to_string()))?;
        // Where vertices have no ids, edges name their places.
        let place = Value::from(place);
        let (name, quoted) = self.name(item.get("id").or(Some(&place)))?;
        self.ids.strings |= quoted;
        self.ids.numbers |= !quoted;
        self.told.vertex(name, item)
    }

    fn edge(&mut self, edge: &Value) -> Result<(), Error> {
        let item = edge.as_object().ok_or_else(|| wrong(self.path, "an object for each edge", &edge.to_string()))?;
        let number = |weight: &Value| {
            weight.as_f64().ok_or_else(|| wrong(self.path, "a number as `weight`", &weight.to_string()))
        };
        let weight = item.get("weight").filter(|weight| !weight.is_null()).map(number).transpose()?;
        let ends = [self.end(item.get("source"))?, self.end(item.get("target"))?];
        self.told.edge(ends, weight, item)
    }

    /// Whether both lists have been read.
    fn lists(&self) -> Result<(), Error> {
        let missing = |what: &str| Err(wrong(self.path, &format!("an array {what}"), "none"));
        match (self.vertices, self.edges) {
            (true, true) => self.ends_are_ids(),
            (false, _) => missing("`nodes`"),
            (true, false) => missing("`edges` or `links`"),
        }
    }
}

impl Document<'_> {
    /// Refuses numbers as ends of edges if all vertices have string ids: older programs mean positions in the list of vertices by them.
    fn ends_are_ids(&self) -> Result<(), Error> {
        match &self.ids {
            Ids { strings: true, numbers: false, end: Some(end), .. } => {
                let expected = "edges between ids of vertices, which are strings here, and not between their places";
                Err(wrong(self.path, expected, end))
            }
            _ => Ok(()),
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
        while list.next_element_seed(Listing { document: self.document, what: self.what, place })?.is_some() {
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

/// A vertex or an edge, at a place in its list. It is looked at before the parser goes on, which knows the place in the file for an error.
struct Listing<'l, 't> {
    document: &'l mut Document<'t>,
    what: &'static str,
    place: usize,
}

impl Listing<'_, '_> {
    fn take<E: serde::de::Error>(self, item: Value) -> Result<(), E> {
        let result = match self.what {
            "`nodes`" => self.document.vertex(self.place, &item),
            _ => self.document.edge(&item),
        };
        self.document.result(result)
    }
}

impl<'de> DeserializeSeed<'de> for Listing<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Listing<'_, '_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let item = Map::deserialize(MapAccessDeserializer::new(map))?;
        self.take(Value::Object(item))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<(), A::Error> {
        let item = Value::deserialize(SeqAccessDeserializer::new(list))?;
        self.take(item)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        self.take(text.into())
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.take(value.into())
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<(), E> {
        self.take(number.into())
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<(), E> {
        self.take(number.into())
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<(), E> {
        self.take(number.into())
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.take(Value::Null)
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
