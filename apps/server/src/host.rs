//! The graph that is served, behind one type for graphs with and without weights.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

use parking_lot::RwLock;
use pleach::graph::{Action, Applied, GraphError, IdsVersion, Update};
use pleach::traverse::Cancel;
use pleach_algorithms::sssp::{Distances, Sssp};
use pleach_compiled::sssp::sssp;
use pleach_erased::{AnySnapshot, GraphView};
use pleach_log::{Durable, IdKind, LogError, NewIds, OpenError, Status, Submitted, VertexIds, Weights};
use serde::Serializer;
use serde::ser::SerializeMap;
use serde_json::{Map, Value, json};

use crate::apps::{Found, Question};
use crate::bounded::{Bounded, Listed};
use crate::following::{Kept, follow};
use crate::parse::{Keys, Kind, Updates};
use crate::refusal::Refusal;
use crate::table::{Column, Table};

/// The most neighbours, or vertices of a result, that one answer lists.
pub(crate) const LONGEST_LIST: usize = 10_000;

/// Largest total of bytes of the names in a list: a single name may be as long as a request's body.
pub(crate) const LONGEST_NAMES: usize = 4 << 20;

/// What is asked of the neighbours of a vertex.
pub(crate) struct Walk<'a> {
    pub id: &'a str,
    pub version: Option<u64>,
    pub incoming: bool,
    pub offset: usize,
    pub limit: usize,
}

/// Some neighbours of a vertex.
pub(crate) struct Neighbours {
    /// The vertex, the version, the degree and where the list begins.
    pub facts: Map<String, Value>,
    pub table: Table,
}

/// The figures of a graph.
pub(crate) struct Figures {
    pub version: u64,
    pub vertices: usize,
    pub edges: u64,
    pub log: Status,
}

/// A graph that is served. Only [`apply`](Host::apply) waits for the disk; it is called by one thread.
pub(crate) trait Host: Send + Sync {
    /// What its updates are like.
    fn kind(&self) -> Kind;
    /// Applies batches, publishes a version, and returns when the batches are kept: what became of each.
    fn apply(&self, group: &[Updates]) -> Vec<Result<Applied, Refusal>>;
    /// Returns when all is on the disk.
    fn sync(&self) -> Result<(), LogError>;
    fn figures(&self) -> Figures;
    fn about(&self, version: Option<u64>) -> Result<Value, Refusal>;
    fn versions(&self) -> Value;
    /// The number of the newest version, and the differences between a kept version and it, as JSON of at most `most` bytes.
    fn changes(&self, since: u64, most: usize) -> Result<(u64, Vec<u8>), Refusal>;
    fn vertex(&self, id: &str, version: Option<u64>) -> Result<Value, Refusal>;
    fn neighbours(&self, walk: &Walk<'_>) -> Result<Neighbours, Refusal>;
    /// Runs an algorithm, on the threads of the caller, until it is cancelled.
    fn run(&self, question: &Question, cancel: &Cancel) -> Result<Found, Refusal>;
    /// As [`run`](Self::run) on the newest version, going on from what was kept for the same question on an earlier one.
    fn follow(&self, question: &Question, kept: State, cancel: &Cancel) -> Result<(Found, State), Refusal>;
}

/// What is kept of a standing result to go on from: nothing at first, and for algorithms that compute each version from scratch.
pub(crate) type State = Option<Box<dyn Any + Send>>;

/// Opens a graph.
pub(crate) fn open(directory: &Path, versions: usize) -> Result<Arc<dyn Host>, OpenError> {
    let description = pleach_log::describe(directory)?;
    if description.weighted {
        let graph: Durable<f64> = pleach_log::open(directory, description.options())?;
        Ok(Arc::new(Held::new(graph, description.conflict, versions)))
    } else {
        let graph: Durable<()> = pleach_log::open(directory, description.options())?;
        Ok(Arc::new(Held::new(graph, description.conflict, versions)))
    }
}

/// What edges of a served graph carry.
pub(crate) trait Served: Weights {
    const WEIGHTED: bool;
    fn of(weight: f64) -> Self;
    /// The weight, if there are weights.
    fn weight(self) -> Option<f64>;
    /// Shortest paths, if there are weights.
    fn distances(graph: GraphView<'_, Self>, source: u32) -> Result<Distances, Refusal>;
}

impl Served for () {
    const WEIGHTED: bool = false;
    fn of(_: f64) {}
    fn weight(self) -> Option<f64> {
        None
    }
    fn distances(_: GraphView<'_, ()>, _: u32) -> Result<Distances, Refusal> {
        Err(Refusal::bad("the edges of this graph have no weights: `bfs` counts edges"))
    }
}

impl Served for f64 {
    const WEIGHTED: bool = true;
    fn of(weight: f64) -> f64 {
        weight
    }
    fn weight(self) -> Option<f64> {
        Some(self)
    }
    fn distances(graph: GraphView<'_, f64>, source: u32) -> Result<Distances, Refusal> {
        sssp(graph, source, &Sssp::default()).map_err(Refusal::bad)
    }
}

/// The ids of a version.
enum IdsThen {
    None,
    Numbers(IdsVersion<u64>),
    Names(IdsVersion<str>),
}

/// A version that readers can ask for.
pub(crate) struct Version<V: Served> {
    pub snapshot: AnySnapshot<V>,
    names: IdsThen,
}

impl<V: Served> Version<V> {
    fn new(graph: &Durable<V>) -> Self {
        // Ids are added before the batches that name them: each vertex of the snapshot has its id.
        let snapshot = graph.fresh();
        let names = match graph.ids() {
            VertexIds::None => IdsThen::None,
            VertexIds::Numbers(ids) => IdsThen::Numbers(ids.version()),
            VertexIds::Names(ids) => IdsThen::Names(ids.version()),
        };
        Version { snapshot, names }
    }

    /// The vertex that an id names.
    pub fn find(&self, id: &str) -> Result<u32, Refusal> {
        let number = || id.parse::<u64>().map_err(|_| Refusal::bad(format!("`{id}` is no number of a vertex")));
        let vertex = match &self.names {
            IdsThen::None => u32::try_from(number()?).ok(),
            IdsThen::Numbers(ids) => ids.get(&number()?),
            IdsThen::Names(ids) => ids.get(id),
        };
        let there = vertex.filter(|&vertex| self.snapshot.has_vertex(vertex));
        there.ok_or_else(|| Refusal::absent(format!("version {} has no vertex `{id}`", self.snapshot.version())))
    }

    /// The ids of vertices, as a column. Refuses names that have more than `most` bytes together. Each vertex of a version has an id.
    pub fn names(&self, vertices: &[u32], most: usize) -> Result<Column, Refusal> {
        Ok(match &self.names {
            IdsThen::None => Column::Numbers(vertices.iter().copied().map(u64::from).collect()),
            IdsThen::Numbers(ids) => {
                Column::Numbers(vertices.iter().map(|&vertex| ids.key(vertex).unwrap_or_default()).collect())
            }
            IdsThen::Names(ids) => {
                // One name may occur very often, such as that of a component.
                let bytes: usize = vertices.iter().map(|&vertex| ids.key(vertex).unwrap_or_default().len()).sum();
                if bytes > most {
                    let reason = format!("the names have {bytes} bytes, more than {most}: ask for fewer vertices");
                    return Err(Refusal::bad(reason));
                }
                Column::Texts(vertices.iter().map(|&vertex| ids.key(vertex).unwrap_or_default().to_owned()).collect())
            }
        })
    }

    /// What a vertex is called.
    pub fn name(&self, vertex: u32) -> Value {
        match &self.names {
            IdsThen::None => vertex.into(),
            IdsThen::Numbers(ids) => ids.key(vertex).into(),
            IdsThen::Names(ids) => ids.key(vertex).into(),
        }
    }
}

/// A graph and its last versions.
struct Held<V: Served> {
    graph: Durable<V>,
    conflict: String,
    /// Ascending, at least one.
    versions: RwLock<VecDeque<Arc<Version<V>>>>,
    /// The most that are kept.
    most: usize,
}

impl<V: Served> Held<V> {
    fn new(graph: Durable<V>, conflict: String, most: usize) -> Self {
        let first = Arc::new(Version::new(&graph));
        Held { graph, conflict, versions: RwLock::new([first].into()), most: most.max(1) }
    }

    fn newest(&self) -> Arc<Version<V>> {
        self.versions.read().back().expect("there is a version").clone()
    }

    fn version(&self, number: Option<u64>) -> Result<Arc<Version<V>>, Refusal> {
        let versions = self.versions.read();
        let found = match number {
            None => versions.back(),
            Some(number) => versions.iter().find(|version| version.snapshot.version() == number),
        };
        found.cloned().ok_or_else(|| {
            Refusal::absent(format!(
                "version {} is not kept: `/versions` lists those that are",
                number.unwrap_or_default()
            ))
        })
    }

    fn publish(&self) {
        let version = Arc::new(Version::new(&self.graph));
        let mut versions = self.versions.write();
        let newer = versions.back().is_none_or(|last| last.snapshot.version() < version.snapshot.version());
        let mut gone = None;
        if newer {
            versions.push_back(version);
            if versions.len() > self.most {
                gone = versions.pop_front();
            }
        }
        drop(versions);
        // Freed while nobody waits for the lock.
        drop(gone);
    }

    /// Gives the ends of a batch their vertices, and applies it. The ids of new vertices are added if the graph takes the batch.
    fn submit(&self, updates: &Updates) -> Result<(Submitted, usize), Refusal> {
        let mut vertices = Vertices::new(self.graph.ids(), self.graph.graph_options().max_vertices);
        let (mut list, mut absent) = (Vec::with_capacity(updates.len()), 0);
        for at in 0..updates.len() {
            let (action, adds) = (updates.actions[at], updates.actions[at] == Action::Insert);
            let mut vertex = |end| {
                let found = vertices.find(&updates.keys, end, adds);
                found.map_err(|reason| Refusal::line(updates.lines[at], reason))
            };
            match (vertex(2 * at)?, vertex(2 * at + 1)?) {
                (Some(from), Some(to)) => {
                    let edge = (from, to, V::of(updates.weights[at])).into();
                    list.push(Update { edge, action });
                }
                _ => absent += usize::from(action != Action::RemoveVertex),
            }
        }
        let prepared = self.graph.prepare(list).map_err(|error| refused(error.into()))?;
        let submitted = match &vertices.new {
            Some(new) => self.graph.submit_with_ids(prepared, vertices.first, new),
            None => self.graph.submit(prepared),
        };
        Ok((submitted.map_err(refused)?, absent))
    }
}

/// The vertices that the keys of a batch name.
struct Vertices<'u> {
    ids: &'u VertexIds,
    /// The vertex of the first new key.
    first: u32,
    /// The most vertices that there may be.
    most: usize,
    /// Keys that are new; `None` if vertices have no ids.
    new: Option<NewIds<'u>>,
    numbers: HashMap<u64, u32>,
    names: HashMap<&'u str, u32>,
}

impl<'u> Vertices<'u> {
    fn new(ids: &'u VertexIds, most: usize) -> Self {
        let new = match ids {
            VertexIds::None => None,
            VertexIds::Numbers(_) => Some(NewIds::Numbers(Vec::new())),
            VertexIds::Names(_) => Some(NewIds::Names(Vec::new())),
        };
        let first = ids.bound() as u32;
        Vertices { ids, first, most, new, numbers: HashMap::new(), names: HashMap::new() }
    }

    /// The vertex of a key; one that is new gets the next vertex if it `adds` one.
    fn find(&mut self, keys: &'u Keys, at: usize, adds: bool) -> Result<Option<u32>, String> {
        let (first, most) = (self.first, self.most);
        let next = |new: usize| match first as usize + new {
            next if next < most => Ok(next as u32),
            _ => Err(format!("the graph has as many vertices as it may have: {most}")),
        };
        match (self.ids, keys, &mut self.new) {
            (VertexIds::Numbers(ids), Keys::Numbers(keys), Some(NewIds::Numbers(new))) => {
                let key = keys[at];
                let found = ids.get(&key).or_else(|| self.numbers.get(&key).copied());
                if found.is_none() && adds {
                    let vertex = next(new.len())?;
                    new.push(key);
                    self.numbers.insert(key, vertex);
                    return Ok(Some(vertex));
                }
                Ok(found)
            }
            (VertexIds::Names(ids), Keys::Names { text, ends }, Some(NewIds::Names(new))) => {
                let key = Keys::name(text, ends, at);
                let found = ids.get(key).or_else(|| self.names.get(key).copied());
                if found.is_none() && adds {
                    let vertex = next(new.len())?;
                    new.push(key);
                    self.names.insert(key, vertex);
                    return Ok(Some(vertex));
                }
                Ok(found)
            }
            (_, Keys::Numbers(keys), _) => Ok(u32::try_from(keys[at]).ok()),
            (_, Keys::Names { .. }, _) => Err("the vertices of this graph are numbers".to_owned()),
        }
    }
}

/// What is said of a batch that was not kept.
fn refused(error: LogError) -> Refusal {
    match &error {
        LogError::Graph(GraphError::OutOfMemory { .. } | GraphError::NotRecorded) => Refusal::unavailable(error),
        LogError::Graph(_) => Refusal::bad(error),
        _ => Refusal::unavailable(error),
    }
}

impl<V: Served> Host for Held<V> {
    fn kind(&self) -> Kind {
        let max_vertices = self.graph.graph_options().max_vertices;
        Kind { ids: self.graph.ids().kind(), weighted: V::WEIGHTED, max_vertices }
    }

    fn apply(&self, group: &[Updates]) -> Vec<Result<Applied, Refusal>> {
        let submitted: Vec<_> = group.iter().map(|updates| self.submit(updates)).collect();
        // A sync for the last batch is one for all of them.
        let last = submitted.iter().flatten().next_back().map(|&(submitted, _)| submitted);
        let kept = last.map_or(Ok(()), |last| self.graph.wait(last).map(drop));
        if last.is_some() && kept.is_ok() {
            self.publish();
        }
        let outcome = |submitted: Result<(Submitted, usize), Refusal>| {
            let (Submitted { applied }, absent) = submitted?;
            kept.clone().map_err(refused)?;
            Ok(Applied { absent: applied.absent + absent, ..applied })
        };
        submitted.into_iter().map(outcome).collect()
    }

    fn sync(&self) -> Result<(), LogError> {
        self.graph.sync()
    }

    fn figures(&self) -> Figures {
        let snapshot = &self.newest().snapshot;
        Figures {
            version: snapshot.version(),
            vertices: snapshot.num_vertices(),
            edges: snapshot.num_edges(),
            log: self.graph.status(),
        }
    }

    fn about(&self, version: Option<u64>) -> Result<Value, Refusal> {
        let snapshot = &self.version(version)?.snapshot;
        let ids = match self.graph.ids().kind() {
            IdKind::None => "none",
            IdKind::Numbers => "numbers",
            IdKind::Names => "names",
        };
        Ok(json!({
            "version": snapshot.version(),
            "durable": self.graph.durable_version(),
            "vertices": snapshot.num_vertices(),
            "edges": snapshot.num_edges(),
            "directed": snapshot.is_directed(),
            "weighted": V::WEIGHTED,
            "ids": ids,
            "conflict": self.conflict,
        }))
    }

    fn versions(&self) -> Value {
        let kept: Vec<Value> = self.versions.read().iter().map(|version| {
            let snapshot = &version.snapshot;
            json!({ "version": snapshot.version(), "vertices": snapshot.num_vertices(), "edges": snapshot.num_edges() })
        }).collect();
        let status = self.graph.status();
        json!({ "durable": status.durable, "checkpoint": status.checkpoint, "kept": kept })
    }

    fn changes(&self, since: u64, most: usize) -> Result<(u64, Vec<u8>), Refusal> {
        let (older, newer) = (self.version(Some(since))?, self.newest());
        let difference = newer.snapshot.diff(&older.snapshot);
        let difference = difference.ok_or_else(|| Refusal::unavailable("the versions are held in different stores"))?;
        let edge = |version: &Version<V>, from, to, weight: V| match weight.weight() {
            Some(weight) => json!([version.name(from), version.name(to), weight]),
            None => json!([version.name(from), version.name(to)]),
        };
        let added = difference.added.iter().map(|each| edge(&newer, each.from, each.to, each.weight));
        let removed = difference.removed.iter().map(|each| edge(&older, each.from, each.to, each.weight));
        let reweighted = difference.reweighted.iter().map(|each| edge(&newer, each.from, each.to, each.after));
        let mut text = Bounded::new(most);
        let write = || -> serde_json::Result<()> {
            let mut writer = serde_json::Serializer::new(&mut text);
            let mut data = writer.serialize_map(None)?;
            data.serialize_entry("from", &difference.from)?;
            data.serialize_entry("to", &difference.to)?;
            data.serialize_entry("added", &Listed(added))?;
            data.serialize_entry("removed", &Listed(removed))?;
            data.serialize_entry("reweighted", &Listed(reweighted))?;
            let come = difference.vertices_added.iter().map(|&vertex| newer.name(vertex));
            data.serialize_entry("vertices_added", &Listed(come))?;
            let gone = difference.vertices_removed.iter().map(|&vertex| older.name(vertex));
            data.serialize_entry("vertices_removed", &Listed(gone))?;
            data.end()
        };
        write().map_err(|_| {
            Refusal::unavailable(format!(
                "what changed between the versions {since} and {} takes more than {most} bytes: read the graph anew",
                difference.to
            ))
        })?;
        Ok((difference.to, text.into_text()))
    }

    fn vertex(&self, id: &str, version: Option<u64>) -> Result<Value, Refusal> {
        let version = self.version(version)?;
        let vertex = version.find(id)?;
        let snapshot = &version.snapshot;
        Ok(json!({
            "id": version.name(vertex),
            "version": snapshot.version(),
            "out_degree": snapshot.out_degree(vertex),
            "in_degree": snapshot.in_degree(vertex),
        }))
    }

    fn neighbours(&self, walk: &Walk<'_>) -> Result<Neighbours, Refusal> {
        let version = self.version(walk.version)?;
        let vertex = version.find(walk.id)?;
        let snapshot = &version.snapshot;
        let (mut listed, all): (Vec<(u32, V)>, usize) = (
            Vec::new(),
            match walk.incoming {
                true => snapshot.in_degree(vertex).unwrap_or_default(),
                false => snapshot.out_degree(vertex),
            },
        );
        let limit = walk.limit.min(LONGEST_LIST);
        if walk.incoming {
            let sources = snapshot.in_neighbors(vertex);
            let sources = sources.ok_or_else(|| Refusal::bad("this graph is kept without in-arcs"))?;
            listed.extend(sources.skip(walk.offset).take(limit));
        } else {
            listed.extend(snapshot.neighbors(vertex).skip(walk.offset).take(limit));
        }
        let (vertices, weights): (Vec<u32>, Vec<V>) = listed.into_iter().unzip();
        let mut columns = vec![("id", version.names(&vertices, LONGEST_NAMES)?)];
        if V::WEIGHTED {
            columns.push(("weight", Column::Floats(weights.iter().filter_map(|weight| weight.weight()).collect())));
        }
        let facts = [
            ("id", version.name(vertex)),
            ("version", snapshot.version().into()),
            ("direction", if walk.incoming { "in" } else { "out" }.into()),
            ("degree", all.into()),
            ("offset", walk.offset.into()),
        ];
        let facts = facts.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
        Ok(Neighbours { facts, table: Table { columns } })
    }

    fn run(&self, question: &Question, cancel: &Cancel) -> Result<Found, Refusal> {
        let version = self.version(question.version)?;
        crate::apps::run(&version, question, cancel)
    }

    fn follow(&self, question: &Question, kept: State, cancel: &Cancel) -> Result<(Found, State), Refusal> {
        let kept = kept.and_then(|kept| kept.downcast::<Kept<V>>().ok()).map(|kept| *kept);
        let (found, kept) = follow(self.newest(), question, kept, cancel)?;
        Ok((found, kept.map(|kept| Box::new(kept) as Box<dyn Any + Send>)))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A graph without vertices, in a directory that is removed when the first value is dropped.
    pub(crate) fn empty() -> (tempfile::TempDir, Arc<dyn Host>) {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join("graph");
        pleach_log::open::<()>(&directory, pleach_log::Options::default()).unwrap().close().unwrap();
        let host = open(&directory, 1).unwrap();
        (folder, host)
    }
}
