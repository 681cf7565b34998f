//! A graph that many threads change, one edge a call.

use pleach::EdgeList;
use pleach::graph::{Conflict, GraphOptions, Ids, MAX_VERTICES, WeightedGraph};

use crate::changes::{Change, EdgeChange, Outcome, Refused, apply};
use crate::combine::Combiner;
use crate::failure::{Failure, Status};
use crate::snapshot::{AnySnapshot, Taken, Value};

/// A graph with weights or without. Vertices are named by their ids, which can be any numbers.
pub(crate) trait AnyGraph: Send + Sync {
    /// Adds a vertex. Returns whether it is new.
    fn insert_vertex(&self, id: u64) -> Result<bool, Failure>;
    /// Removes a vertex with its edges. Returns whether it was there.
    fn delete_vertex(&self, id: u64) -> Result<bool, Failure>;
    /// Changes an edge. Returns whether it is new, or, if it is updated or deleted, whether it was there.
    fn change(&self, change: EdgeChange, from: u64, to: u64, weight: f64) -> Result<bool, Failure>;
    /// Inserts edges that do not exist. Returns how many are new.
    fn insert_edges(&self, from: &[u64], to: &[u64], weights: Option<&[f64]>) -> Result<u64, Failure>;
    /// Numbers of vertices and of edges.
    fn counts(&self) -> (u64, u64);
    /// Whether a vertex exists.
    fn has_vertex(&self, id: u64) -> bool;
    /// The weight of an edge, if it exists; 1 in a graph without weights.
    fn weight(&self, from: u64, to: u64) -> Option<f64>;
    /// The graph as it is now.
    fn snapshot(&self) -> Box<dyn AnySnapshot>;
}

/// A graph without vertices.
pub(crate) fn new(directed: bool, weighted: bool) -> Box<dyn AnyGraph> {
    if weighted { Box::new(Shared::<f64>::new(directed)) } else { Box::new(Shared::<()>::new(directed)) }
}

struct Shared<V: Value> {
    graph: WeightedGraph<V>,
    ids: Ids<u64>,
    /// All changes go through it, or are made alone.
    combiner: Combiner<Change<V>, Outcome>,
}

impl<V: Value> Shared<V> {
    fn new(directed: bool) -> Self {
        let options = GraphOptions::default().with_directed(directed).with_max_vertices(MAX_VERTICES);
        let graph = WeightedGraph::new(options.with_conflict(Conflict::First));
        Shared { graph, ids: Ids::new(), combiner: Combiner::new() }
    }

    fn submit(&self, change: Change<V>) -> Result<bool, Failure> {
        let outcome = self.combiner.submit(change, |changes| apply(&self.graph, changes));
        match outcome {
            Some(Ok(found)) => Ok(found),
            Some(Err(Refused::Graph(error))) => Err(error.into()),
            Some(Err(Refused::NoVertex(vertex))) => {
                Err(self.ids.key(vertex).map_or_else(|| Failure::argument("no such vertex"), Failure::no_vertex))
            }
            None => Err(Failure::new(Status::Panic, "a defect of Pleach: the batch of this change was not applied")),
        }
    }
}

/// Refuses a weight that is not a number.
fn check(weight: f64) -> Result<f64, Failure> {
    if weight.is_finite() {
        return Ok(weight);
    }
    Err(Failure::argument(format_args!("the weight of an edge is a finite number, and {weight} is none")))
}

impl<V: Value> AnyGraph for Shared<V> {
    fn insert_vertex(&self, id: u64) -> Result<bool, Failure> {
        self.submit(Change::AddVertex(self.ids.intern(&id)?))
    }

    fn delete_vertex(&self, id: u64) -> Result<bool, Failure> {
        // The id keeps its number: an id that comes and goes takes memory once, and no snapshot needs a map of its own.
        self.ids.get(&id).map_or(Ok(false), |vertex| self.submit(Change::RemoveVertex(vertex)))
    }

    fn change(&self, change: EdgeChange, from: u64, to: u64, weight: f64) -> Result<bool, Failure> {
        let weight = if V::WEIGHTED { V::of(check(weight)?) } else { V::default() };
        let (from, to) = match change {
            EdgeChange::Update if !V::WEIGHTED => {
                return Err(Failure::new(Status::NoWeights, "the edges of this graph have no weights"));
            }
            EdgeChange::Insert | EdgeChange::Put => (self.ids.intern(&from)?, self.ids.intern(&to)?),
            EdgeChange::Connect => {
                let get = |id: u64| self.ids.get(&id).ok_or_else(|| Failure::no_vertex(id));
                (get(from)?, get(to)?)
            }
            EdgeChange::Update | EdgeChange::Delete => match self.ids.get(&from).zip(self.ids.get(&to)) {
                Some(ends) => ends,
                None => return Ok(false),
            },
        };
        self.submit(Change::Edge(change, from, to, weight))
    }

    fn insert_edges(&self, from: &[u64], to: &[u64], weights: Option<&[f64]>) -> Result<u64, Failure> {
        let weights = weights.filter(|_| V::WEIGHTED);
        if let Some((at, weight)) = weights.and_then(|weights| weights.iter().enumerate().find(|(_, w)| !w.is_finite()))
        {
            return Err(Failure::argument(format_args!("weight {at} is {weight}: a weight is a finite number")));
        }
        let weight = match weights {
            Some(weights) => weights.iter().map(|&weight| V::of(weight)).collect(),
            None => vec![V::of(1.0); from.len()],
        };
        let vertices = |ids: &[u64]| ids.iter().map(|id| self.ids.intern(id)).collect::<Result<Vec<u32>, _>>();
        let edges = EdgeList { src: vertices(from)?, dst: vertices(to)?, weight, ..EdgeList::new(0, 0) };
        let _alone = self.combiner.alone();
        Ok(self.graph.insert_list(&edges)?.new as u64)
    }

    fn counts(&self) -> (u64, u64) {
        self.graph.with_current(|now| (now.num_vertices() as u64, now.num_edges()))
    }

    fn has_vertex(&self, id: u64) -> bool {
        self.ids.get(&id).is_some_and(|vertex| self.graph.fresh().has_vertex(vertex))
    }

    fn weight(&self, from: u64, to: u64) -> Option<f64> {
        let (from, to) = self.ids.get(&from).zip(self.ids.get(&to))?;
        self.graph.fresh().weight(from, to).map(|&weight| weight.number())
    }

    fn snapshot(&self) -> Box<dyn AnySnapshot> {
        Box::new(Taken::new(self.graph.fresh(), self.ids.clone()))
    }
}
