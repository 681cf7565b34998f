//! Graphs in JSON as NetworkX and D3 have them (node-link): `nodes` with an `id` each, and `edges` or `links` with `source`, `target` and perhaps
//! `weight`. Whatever else they have are attributes.

use serde_json::{Map, Value};

use super::Raw;
use super::listed::Listed;
use crate::attributes::{Fields, Value as Held};
use crate::error::{Error, Fault};
use crate::source::Source;

pub(super) fn read(source: Source) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let text = source.text()?;
    let document: Value = serde_json::from_str(&text).map_err(|error| {
        let fault = Fault::Header { expected: "a JSON object".to_owned(), found: error.to_string() };
        Error::at(&path, error.line().max(1) as u64, error.column().max(1), fault)
    })?;
    let wrong = |expected: &str, found: &Value| {
        let mut found = found.to_string();
        if let Some((end, _)) = found.char_indices().nth(40) {
            found.truncate(end);
            found.push('…');
        }
        Error::at(&path, 1, 1, Fault::Header { expected: expected.to_owned(), found: format!("`{found}`") })
    };
    let name = |value: Option<&Value>| match value {
        Some(Value::String(name)) => Ok(name.clone()),
        Some(Value::Number(id)) => Ok(id.to_string()),
        other => Err(wrong("an id, a number or a string", other.unwrap_or(&Value::Null))),
    };
    let list = |names: &[&str]| {
        let found = names.iter().find_map(|&name| document.get(name));
        match found {
            Some(Value::Array(list)) => Ok(list),
            _ => Err(wrong(&format!("an array `{}`", names.join("` or `")), &document)),
        }
    };
    let directed = document.get("directed").and_then(Value::as_bool).unwrap_or(false);
    let mut listed = Listed { directed, ..Listed::default() };
    for key in document.get("graph").and_then(Value::as_object).into_iter().flat_map(Map::keys) {
        listed.lose("the graph", key);
    }
    for (place, node) in list(&["nodes"])?.iter().enumerate() {
        let item = node.as_object().ok_or_else(|| wrong("an object for each vertex", node))?;
        // Where vertices have no ids, edges name their places.
        listed.vertices.push(if item.contains_key("id") { name(item.get("id"))? } else { place.to_string() });
        let lost = set_all(&mut listed.of_vertices, place, item, &["id"]);
        lost.iter().for_each(|other| listed.lose("vertices", other));
    }
    for (place, edge) in list(&["edges", "links"])?.iter().enumerate() {
        let item = edge.as_object().ok_or_else(|| wrong("an object for each edge", edge))?;
        let weight = match item.get("weight") {
            None | Some(Value::Null) => None,
            Some(weight) => Some(weight.as_f64().ok_or_else(|| wrong("a number as `weight`", weight))?),
        };
        listed.edge(&name(item.get("source"))?, &name(item.get("target"))?, weight);
        let lost = set_all(&mut listed.of_edges, place, item, &["source", "target", "weight"]);
        lost.iter().for_each(|other| listed.lose("edges", other));
    }
    listed.into_raw(&path)
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
