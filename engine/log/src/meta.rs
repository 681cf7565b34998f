//! The file that says what graph a directory holds.
//!
//! ```text
//!   pleach graph 1
//!   values none
//!   directed true
//!   incoming true
//!   conflict last
//!   ids numbers
//!   checksum 8c736521
//! ```

use std::path::Path;

use pleach::graph::{Conflict, GraphOptions};

use crate::value::Weights;
use crate::{IdKind, OpenError, Options};

/// Its name.
pub(crate) const NAME: &str = "GRAPH";

/// The format that is written here, and the newest that is read.
const FORMAT: u32 = 1;

/// Bytes that it can have at most.
pub(crate) const LONGEST: u64 = 4096;

/// What graph a directory holds: what [`describe`](crate::describe) says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Description {
    /// Whether edges carry weights (`f64`).
    pub weighted: bool,
    /// Whether edges have a direction.
    pub directed: bool,
    /// Whether in-arcs are kept too.
    pub incoming: bool,
    /// What happens to an edge that is inserted again: `last`, `first`, `sum`, `min`, `max`, `error`, or `function`.
    pub conflict: String,
    /// What vertices are called.
    pub ids: IdKind,
}

/// Names of what happens to an edge that is inserted again.
fn conflict_name<V>(conflict: &Conflict<V>) -> &'static str {
    match conflict {
        Conflict::Last => "last",
        Conflict::First => "first",
        Conflict::Sum => "sum",
        Conflict::Min => "min",
        Conflict::Max => "max",
        Conflict::With(_) => "function",
        Conflict::Error => "error",
    }
}

const IDS: [(IdKind, &str); 3] = [(IdKind::None, "none"), (IdKind::Numbers, "numbers"), (IdKind::Names, "names")];

fn ids_name(kind: IdKind) -> &'static str {
    IDS.iter().find(|(each, _)| *each == kind).map_or("none", |(_, name)| name)
}

impl Description {
    /// Of a graph with these options.
    pub(crate) fn of<V: Weights>(options: &Options<V>) -> Self {
        let GraphOptions { directed, incoming, ref conflict, .. } = options.graph;
        Description {
            weighted: V::NAME != <()>::NAME,
            directed,
            incoming: directed && incoming,
            conflict: conflict_name(conflict).to_owned(),
            ids: options.ids,
        }
    }

    /// Options to open the graph with: those that are written down as they are, all others by default. A function that combines weights is
    /// not written down, and must be given again.
    pub fn options<V>(&self) -> Options<V> {
        let conflict = match &self.conflict[..] {
            "first" => Conflict::First,
            "sum" => Conflict::Sum,
            "min" => Conflict::Min,
            "max" => Conflict::Max,
            "error" => Conflict::Error,
            _ => Conflict::Last,
        };
        let graph = GraphOptions::default().with_directed(self.directed).with_conflict(conflict);
        Options::of(graph.with_incoming(self.incoming || !self.directed)).with_ids(self.ids)
    }

    fn fields(&self) -> [(&'static str, String); 5] {
        [
            ("values", if self.weighted { f64::NAME } else { <()>::NAME }.to_owned()),
            ("directed", self.directed.to_string()),
            ("incoming", self.incoming.to_string()),
            ("conflict", self.conflict.clone()),
            ("ids", ids_name(self.ids).to_owned()),
        ]
    }

    pub(crate) fn text(&self) -> String {
        let mut text = format!("pleach graph {FORMAT}\n");
        self.fields().iter().for_each(|(key, value)| text += &format!("{key} {value}\n"));
        let sum = crc32fast::hash(text.as_bytes());
        text + &format!("checksum {sum:08x}\n")
    }

    pub(crate) fn read(path: &Path, text: &[u8]) -> Result<Self, OpenError> {
        let damaged = |reason: &str| OpenError::damaged(path.to_owned(), 0, reason);
        let text = std::str::from_utf8(text).map_err(|_| damaged("it is no text"))?;
        let first = text.lines().next().unwrap_or_default();
        let format = first.strip_prefix("pleach graph ").and_then(|format| format.parse::<u32>().ok());
        match format {
            None => return Err(damaged("it does not begin with `pleach graph`")),
            Some(found) if found > FORMAT => {
                return Err(OpenError::Newer { path: path.to_owned(), found, known: FORMAT });
            }
            Some(_) => {}
        }
        let (before, sum) = text.rsplit_once("checksum ").ok_or_else(|| damaged("it has no checksum"))?;
        if sum.trim_end() != format!("{:08x}", crc32fast::hash(before.as_bytes())) {
            return Err(damaged("its checksum is wrong"));
        }
        let value = |key: &str| {
            let line = before.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
            line.ok_or_else(|| damaged(&format!("it does not say `{key}`")))
        };
        let ids = value("ids")?;
        let ids = IDS.iter().find(|(_, name)| *name == ids).ok_or_else(|| damaged("it names ids of no known kind"))?.0;
        Ok(Description {
            weighted: value("values")? == f64::NAME,
            directed: value("directed")? == "true",
            incoming: value("incoming")? == "true",
            conflict: value("conflict")?.to_owned(),
            ids,
        })
    }

    /// Refuses options of another graph.
    pub(crate) fn check(&self, asked: &Description, path: &Path) -> Result<(), OpenError> {
        for ((what, held), (_, asked)) in self.fields().into_iter().zip(asked.fields()) {
            if held != asked {
                return Err(OpenError::OtherGraph { path: path.to_owned(), what, held, asked });
            }
        }
        Ok(())
    }
}
