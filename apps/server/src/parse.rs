//! Batches of updates as they are sent.
//!
//! ```text
//!   NDJSON   {"from": 1, "to": 2, "weight": 0.5}        CSV   op,from,to,weight
//!            {"op": "delete", "from": 1, "to": 2}             insert,1,2,0.5
//!            {"op": "remove", "vertex": 7}                    delete,1,2,
//! ```
//!
//! Streams of Arrow have the columns of CSV.

use std::borrow::Cow;

use pleach::graph::Action;
use pleach_log::IdKind;
use serde::Deserialize;

use crate::arrow;
use crate::refusal::Refusal;

/// How a batch is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    Json,
    Csv,
    Arrow,
}

impl Syntax {
    /// By the header `Content-Type`.
    pub fn read(content_type: &str) -> Option<Self> {
        match content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
            "application/x-ndjson" | "application/ndjson" | "application/jsonl" => Some(Syntax::Json),
            "text/csv" => Some(Syntax::Csv),
            arrow::MEDIA_TYPE => Some(Syntax::Arrow),
            _ => None,
        }
    }
}

/// What the updates of a graph are like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub ids: IdKind,
    pub weighted: bool,
    pub max_vertices: usize,
}

/// An id as it was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key<'a> {
    Number(u64),
    Text(&'a str),
}

/// Ids in one piece of memory.
#[derive(Debug)]
pub(crate) enum Keys {
    /// Vertices, or 64-bit numbers that name them.
    Numbers(Vec<u64>),
    /// All texts, one after the other, and where each ends.
    Names { text: String, ends: Vec<usize> },
}

impl Keys {
    fn push(&mut self, key: Key<'_>) -> Result<(), String> {
        match (self, key) {
            (Keys::Numbers(numbers), Key::Number(number)) => numbers.push(number),
            (Keys::Numbers(numbers), Key::Text(key)) => {
                let number = key.trim().parse().map_err(|_| format!("`{}` is no number of a vertex", excerpt(key)))?;
                numbers.push(number);
            }
            (Keys::Names { text, ends }, key) => {
                match key {
                    Key::Number(number) => text.push_str(&number.to_string()),
                    Key::Text(key) => text.push_str(key),
                }
                ends.push(text.len());
            }
        }
        Ok(())
    }

    /// The text of a name.
    pub fn name<'a>(text: &'a str, ends: &[usize], at: usize) -> &'a str {
        &text[if at == 0 { 0 } else { ends[at - 1] }..ends[at]]
    }
}

/// Updates that were read, in columns.
#[derive(Debug)]
pub(crate) struct Updates {
    pub actions: Vec<Action>,
    /// The source and the target of each.
    pub keys: Keys,
    pub weights: Vec<f64>,
    /// The line of each, from 1.
    pub lines: Vec<usize>,
}

impl Updates {
    pub fn len(&self) -> usize {
        self.actions.len()
    }
}

/// An id in JSON: a number or a text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Id<'a> {
    Number(u64),
    #[serde(borrow)]
    Text(Cow<'a, str>),
}

impl Id<'_> {
    fn key(&self) -> Key<'_> {
        match self {
            Id::Number(number) => Key::Number(*number),
            Id::Text(text) => Key::Text(text),
        }
    }
}

/// A line of NDJSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    #[serde(borrow)]
    op: Option<Cow<'a, str>>,
    #[serde(borrow)]
    from: Option<Id<'a>>,
    #[serde(borrow)]
    to: Option<Id<'a>>,
    #[serde(borrow)]
    vertex: Option<Id<'a>>,
    weight: Option<f64>,
}

/// Reads a batch. Nothing of it is applied where a line is wrong.
pub(crate) fn parse(body: Vec<u8>, syntax: Syntax, kind: Kind) -> Result<Updates, Refusal> {
    let keys = match kind.ids {
        IdKind::Names => Keys::Names { text: String::new(), ends: Vec::new() },
        _ => Keys::Numbers(Vec::new()),
    };
    let updates = Updates { actions: Vec::new(), keys, weights: Vec::new(), lines: Vec::new() };
    let mut batch = Batch { updates, kind };
    match syntax {
        Syntax::Json => {
            for (line, text) in (1..).zip(body.split(|&b| b == b'\n')) {
                if !text.trim_ascii().is_empty() {
                    batch.json(line, text).map_err(|reason| Refusal::line(line, reason))?;
                }
            }
        }
        Syntax::Csv => batch.csv(&body)?,
        Syntax::Arrow => arrow::read(body, &mut batch)?,
    }
    Ok(batch.updates)
}

/// The batch as far as it was read.
pub(crate) struct Batch {
    updates: Updates,
    kind: Kind,
}

impl Batch {
    fn json(&mut self, line: usize, text: &[u8]) -> Result<(), String> {
        let read: Line<'_> = serde_json::from_slice(text).map_err(|error| {
            let column = error.column();
            format!("column {column}: {}", error.to_string().split(" at line ").next().unwrap_or_default())
        })?;
        let op = read.op.as_deref().unwrap_or("insert");
        let (from, to, vertex) =
            (read.from.as_ref().map(Id::key), read.to.as_ref().map(Id::key), read.vertex.as_ref().map(Id::key));
        match (op, from, to, vertex) {
            ("remove", None, None, Some(vertex)) => self.push(line, op, vertex, vertex, read.weight),
            ("remove", ..) => Err("`remove` takes `vertex`, and neither `from` nor `to`".to_owned()),
            (_, Some(from), Some(to), None) => self.push(line, op, from, to, read.weight),
            _ => Err("an update of an edge takes `from` and `to`".to_owned()),
        }
    }

    fn csv(&mut self, body: &[u8]) -> Result<(), Refusal> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(body);
        let header = reader.headers().map_err(|error| Refusal::line(1, error))?.clone();
        let mut columns = [None; 4];
        for (at, name) in header.iter().enumerate() {
            let known = NAMES.iter().position(|&known| known == name);
            match known {
                Some(known) if columns[known].is_none() => columns[known] = Some(at),
                Some(_) => return Err(Refusal::line(1, format!("column `{name}` is there twice"))),
                None => {
                    let reason = format!("column `{}` is none of op, from, to and weight", excerpt(name));
                    return Err(Refusal::line(1, reason));
                }
            }
        }
        let [op, Some(from), Some(to), weight] = columns else {
            return Err(Refusal::line(
                1,
                "the first line names the columns: `from,to`, and if need be `op` and `weight`",
            ));
        };
        let mut record = csv::StringRecord::new();
        loop {
            // Where the last record ended: empty lines may follow before the next one.
            let position = reader.position();
            let rest = body.get(position.byte() as usize..).unwrap_or_default();
            let empty = rest.iter().take_while(|b| b"\r\n".contains(b)).filter(|&&b| b == b'\n').count();
            let line = position.line() as usize + empty;
            if !reader.read_record(&mut record).map_err(|error| Refusal::line(line, csv_reason(&error)))? {
                return Ok(());
            }
            self.record(line, &record, (op, from, to, weight)).map_err(|reason| Refusal::line(line, reason))?;
        }
    }

    fn record(
        &mut self,
        line: usize,
        record: &csv::StringRecord,
        (op, from, to, weight): (Option<usize>, usize, usize, Option<usize>),
    ) -> Result<(), String> {
        let field = |at: Option<usize>| at.and_then(|at| record.get(at)).filter(|text| !text.is_empty());
        let weight = match field(weight) {
            Some(text) => Some(text.parse().map_err(|_| format!("`{}` is no weight", excerpt(text)))?),
            None => None,
        };
        let op = field(op).unwrap_or("insert");
        let from = field(Some(from)).ok_or("there is nothing in column `from`")?;
        self.edge(line, op, Key::Text(from), field(Some(to)).map(Key::Text), weight)
    }

    /// Adds an update whose fields are columns: the vertex that is removed is in column `from`.
    pub fn edge(
        &mut self,
        line: usize,
        op: &str,
        from: Key<'_>,
        to: Option<Key<'_>>,
        weight: Option<f64>,
    ) -> Result<(), String> {
        let to = match to {
            None if op == "remove" => from,
            Some(_) if op == "remove" => return Err("`remove` takes a vertex in column `from`, and no `to`".to_owned()),
            to => to.ok_or("there is nothing in column `to`")?,
        };
        self.push(line, op, from, to, weight)
    }

    fn push(&mut self, line: usize, op: &str, from: Key<'_>, to: Key<'_>, weight: Option<f64>) -> Result<(), String> {
        let Kind { weighted, ids, max_vertices } = self.kind;
        let action = match op {
            "insert" => Action::Insert,
            "delete" => Action::Delete,
            "reweight" => Action::Reweight,
            "remove" => Action::RemoveVertex,
            other => {
                return Err(format!("`{}` is none of insert, delete, reweight and remove", excerpt(other)));
            }
        };
        let takes_weight = weighted && matches!(action, Action::Insert | Action::Reweight);
        if action == Action::Reweight && !weighted {
            return Err("the edges of this graph have no weights".to_owned());
        }
        let weight = match weight {
            None if takes_weight => return Err("the edges of this graph have weights, and none is given".to_owned()),
            Some(_) if !takes_weight && !weighted => return Err("the edges of this graph have no weights".to_owned()),
            Some(_) if !takes_weight => return Err(format!("`{op}` takes no weight")),
            Some(weight) if !weight.is_finite() => return Err(format!("{weight} is no finite weight")),
            weight => weight.unwrap_or_default(),
        };
        for key in [from, to] {
            self.updates.keys.push(key)?;
            if ids == IdKind::None
                && let Keys::Numbers(numbers) = &self.updates.keys
                && let Some(&vertex) = numbers.last()
                && vertex >= max_vertices as u64
            {
                return Err(format!(
                    "vertex {vertex} is beyond the limit: vertices are numbered from 0 to {}",
                    max_vertices - 1
                ));
            }
        }
        self.updates.actions.push(action);
        self.updates.weights.push(weight);
        self.updates.lines.push(line);
        Ok(())
    }
}

/// The columns of CSV and of Arrow's streams.
pub(crate) const NAMES: [&str; 4] = ["op", "from", "to", "weight"];

/// What is wrong with a record.
fn csv_reason(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Utf8 { .. } => "it is not in UTF-8".to_owned(),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("it has {len} fields, and the first line {expected_len}")
        }
        _ => error.to_string(),
    }
}

/// The beginning of a text, for a message.
fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Kind = Kind { ids: IdKind::None, weighted: false, max_vertices: 100 };

    fn numbers(body: &str, syntax: Syntax) -> Vec<(Action, u64, u64, usize)> {
        let updates = parse(body.into(), syntax, PLAIN).unwrap();
        let Keys::Numbers(keys) = &updates.keys else { panic!("the ids are numbers") };
        let ends = keys.chunks(2).map(|ends| (ends[0], ends[1]));
        let rest = updates.actions.iter().zip(ends).zip(&updates.lines);
        rest.map(|((&action, (from, to)), &line)| (action, from, to, line)).collect()
    }

    #[test]
    fn both_syntaxes_say_the_same() {
        use Action::*;
        let expected = [(Insert, 1, 2, 1), (Delete, 1, 2, 3), (RemoveVertex, 7, 7, 4)];
        let json =
            "{\"from\":1,\"to\":\"2\"}\n\r\n{\"op\":\"delete\",\"from\":1,\"to\":2}\n{\"op\":\"remove\",\"vertex\":7}";
        assert_eq!(numbers(json, Syntax::Json), expected);
        let csv = "from,to,op\n1, 2,\n1,2,delete\n7,,remove\n";
        assert_eq!(numbers(csv, Syntax::Csv), [(Insert, 1, 2, 2), (Delete, 1, 2, 3), (RemoveVertex, 7, 7, 4)]);
        assert_eq!(numbers("from,to", Syntax::Csv), []);
        assert_eq!(numbers("", Syntax::Json), []);
    }

    #[test]
    fn wrong_lines_are_named() {
        let weighted = Kind { weighted: true, ..PLAIN };
        let cases = [
            (PLAIN, Syntax::Json, "{\"from\":1,\"to\":2}\n{\"from\":1}", 2, "takes `from` and `to`"),
            (PLAIN, Syntax::Json, "{\"from\":-1,\"to\":2}", 1, "did not match"),
            (PLAIN, Syntax::Json, "[]\n", 1, "invalid"),
            (PLAIN, Syntax::Json, "{\"from\":1,\"to\":100}", 1, "from 0 to 99"),
            (PLAIN, Syntax::Json, "{\"from\":1,\"to\":2,\"weight\":1}", 1, "have no weights"),
            (PLAIN, Syntax::Json, "{\"from\":1,\"to\":2,\"time\":1}", 1, "unknown field"),
            (PLAIN, Syntax::Json, "{\"op\":\"grow\",\"from\":1,\"to\":2}", 1, "none of insert"),
            (weighted, Syntax::Json, "{\"from\":1,\"to\":2}", 1, "none is given"),
            (PLAIN, Syntax::Csv, "a,b\n", 1, "none of op"),
            (PLAIN, Syntax::Csv, "", 1, "names the columns"),
            (PLAIN, Syntax::Csv, "from,to\n1,2\n3\n", 3, "1 fields"),
            (PLAIN, Syntax::Csv, "from,to\n1,x\n", 2, "no number"),
            (PLAIN, Syntax::Csv, "from,to\r\n1,2\r\n\r\n\r\n1,x\r\n", 5, "no number"),
            (weighted, Syntax::Csv, "from,to,weight\n1,2,inf\n", 2, "no finite weight"),
        ];
        for (kind, syntax, body, line, reason) in cases {
            let refusal = format!("{:?}", parse(body.into(), syntax, kind).unwrap_err());
            assert!(refusal.contains(&format!("line: Some({line})")) && refusal.contains(reason), "{body}: {refusal}");
        }
    }
}
