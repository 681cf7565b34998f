//! Applying the changes of several callers as one batch, with the outcome of each.
//!
//! ```text
//!   changes ──► look at the graph as it is, and at earlier changes of the batch ──► outcomes
//!                                          └──► those that change something ──► Graph::commit
//! ```

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use pleach::graph::{Action, Applied, GraphError, Update, UpdateList, WeightedGraph};
use pleach::sort::Weight;

/// A change of one vertex or of one edge.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change<V> {
    AddVertex(u32),
    RemoveVertex(u32),
    Edge(EdgeChange, u32, u32, V),
}

/// What happens to an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EdgeChange {
    /// It is inserted with its vertices, unless it exists.
    Insert,
    /// It is inserted between two vertices that exist, unless it exists.
    Connect,
    /// It is inserted, or gets the weight if it exists.
    Put,
    /// It gets the weight, if it exists.
    Update,
    /// It is deleted, if it exists.
    Delete,
}

/// Whether a change inserted something, or found what it was to change; or why it was not made.
pub(crate) type Outcome = Result<bool, Refused>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    NoVertex(u32),
    Graph(GraphError),
}

impl From<GraphError> for Refused {
    fn from(error: GraphError) -> Self {
        Refused::Graph(error)
    }
}

/// Applies changes in order, in as few batches as possible. No other thread may change the graph meanwhile.
pub(crate) fn apply<V: Weight>(graph: &WeightedGraph<V>, changes: &[Change<V>]) -> Vec<Outcome> {
    if let [change] = changes
        && let Some(outcome) = alone(graph, change)
    {
        return vec![outcome];
    }
    let mut outcomes = Vec::with_capacity(changes.len());
    // The removal of a vertex deletes edges that no change names: what follows looks at the graph again.
    let removes = |change: &Change<V>| matches!(change, Change::RemoveVertex(_));
    for part in changes.chunk_by(|a, b| !removes(a) && !removes(b)) {
        match part {
            [Change::RemoveVertex(vertex)] => outcomes.push(remove(graph, *vertex)),
            _ => outcomes.extend(together(graph, part)),
        }
    }
    outcomes
}

/// Applies a change whose effect tells its outcome, so that nothing is looked up before.
fn alone<V: Weight>(graph: &WeightedGraph<V>, change: &Change<V>) -> Option<Outcome> {
    let tell = |applied: Result<Applied, GraphError>, count: fn(&Applied) -> usize| {
        Some(applied.map(|applied| count(&applied) == 1).map_err(Refused::from))
    };
    match *change {
        Change::AddVertex(vertex) => Some(graph.add_vertex(vertex).map_err(Refused::from)),
        Change::RemoveVertex(vertex) => Some(remove(graph, vertex)),
        Change::Edge(EdgeChange::Insert, from, to, weight) => {
            tell(graph.insert_edge(from, to, weight), |applied| applied.new)
        }
        Change::Edge(EdgeChange::Update, from, to, weight) => {
            tell(graph.reweight_edge(from, to, weight), |applied| applied.changed + applied.unchanged)
        }
        Change::Edge(EdgeChange::Delete, from, to, _) => tell(graph.delete_edge(from, to), |applied| applied.removed),
        Change::Edge(EdgeChange::Connect | EdgeChange::Put, ..) => None,
    }
}

fn remove<V: Weight>(graph: &WeightedGraph<V>, vertex: u32) -> Outcome {
    Ok(graph.apply([Update::remove_vertex(vertex)])?.vertices_removed == 1)
}

/// Applies changes that remove no vertex, as one batch of edges and one of vertices.
fn together<V: Weight>(graph: &WeightedGraph<V>, changes: &[Change<V>]) -> Vec<Outcome> {
    let (mut vertices, mut updates) = (Vec::new(), UpdateList::new());
    let directed = graph.options().directed;
    let outcomes: Vec<Outcome> = graph.with_current(|now| {
        // What earlier changes of the batch have done.
        let mut edges = HashMap::<(u32, u32), bool, RandomState>::default();
        let mut added = HashSet::<u32, RandomState>::default();
        let change = |change: &Change<V>| match *change {
            Change::RemoveVertex(_) => unreachable!("such a change is applied alone"),
            Change::AddVertex(vertex) => {
                let new = !now.has_vertex(vertex) && added.insert(vertex);
                vertices.extend(new.then_some(vertex));
                Ok(new)
            }
            Change::Edge(change, from, to, weight) => {
                let missing = |vertex: &u32| !now.has_vertex(*vertex) && !added.contains(vertex);
                if change == EdgeChange::Connect
                    && let Some(vertex) = [from, to].into_iter().find(missing)
                {
                    return Err(Refused::NoVertex(vertex));
                }
                let key = if directed { (from, to) } else { (from.min(to), from.max(to)) };
                let there = *edges.entry(key).or_insert_with(|| now.weight(from, to).is_some());
                let action = match change {
                    EdgeChange::Insert | EdgeChange::Connect | EdgeChange::Put if !there => Some(Action::Insert),
                    EdgeChange::Put | EdgeChange::Update if there && size_of::<V>() > 0 => Some(Action::Reweight),
                    EdgeChange::Delete if there => Some(Action::Delete),
                    _ => None,
                };
                if let Some(action) = action {
                    updates.push(action, from, to, weight);
                    edges.insert(key, action != Action::Delete);
                }
                if action == Some(Action::Insert) {
                    added.extend([from, to]);
                }
                let asks_whether_there = matches!(change, EdgeChange::Update | EdgeChange::Delete);
                Ok(there == asks_whether_there)
            }
        };
        changes.iter().map(change).collect()
    });
    match commit(graph, vertices, updates) {
        Ok(()) => outcomes,
        Err(error) => outcomes.into_iter().map(|_| Err(Refused::Graph(error.clone()))).collect(),
    }
}

fn commit<V: Weight>(graph: &WeightedGraph<V>, vertices: Vec<u32>, updates: UpdateList<V>) -> Result<(), GraphError> {
    if !vertices.is_empty() {
        graph.commit(graph.prepare_vertices(vertices)?)?;
    }
    if !updates.is_empty() {
        graph.apply_list(updates)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use pleach::graph::{Conflict, GraphOptions};
    use pleach::runtime::SplitMix64;

    use super::*;

    /// Vertices and edges in maps, changed one after the other.
    #[derive(Default)]
    struct Model {
        directed: bool,
        vertices: BTreeSet<u32>,
        edges: BTreeMap<(u32, u32), f64>,
    }

    impl Model {
        fn apply(&mut self, change: &Change<f64>) -> Outcome {
            match *change {
                Change::AddVertex(vertex) => Ok(self.vertices.insert(vertex)),
                Change::RemoveVertex(vertex) => {
                    self.edges.retain(|&(from, to), _| from != vertex && to != vertex);
                    Ok(self.vertices.remove(&vertex))
                }
                Change::Edge(change, from, to, weight) => {
                    let missing = [from, to].into_iter().find(|vertex| !self.vertices.contains(vertex));
                    if let (EdgeChange::Connect, Some(vertex)) = (change, missing) {
                        return Err(Refused::NoVertex(vertex));
                    }
                    let key = if self.directed { (from, to) } else { (from.min(to), from.max(to)) };
                    let there = self.edges.contains_key(&key);
                    match change {
                        EdgeChange::Delete => return Ok(self.edges.remove(&key).is_some()),
                        EdgeChange::Update if !there => return Ok(false),
                        EdgeChange::Insert | EdgeChange::Connect if there => return Ok(false),
                        _ => self.edges.insert(key, weight),
                    };
                    self.vertices.extend([from, to]);
                    Ok((change == EdgeChange::Update) == there)
                }
            }
        }
    }

    fn random_change(random: &mut SplitMix64) -> Change<f64> {
        let (from, to) = (random.below(12) as u32, random.below(12) as u32);
        let weight = random.below(1000) as f64;
        match random.below(20) {
            0 => Change::AddVertex(from),
            1 => Change::RemoveVertex(from),
            2..8 => Change::Edge(EdgeChange::Insert, from, to, weight),
            8..10 => Change::Edge(EdgeChange::Connect, from, to, weight),
            10..12 => Change::Edge(EdgeChange::Put, from, to, weight),
            12..14 => Change::Edge(EdgeChange::Update, from, to, weight),
            _ => Change::Edge(EdgeChange::Delete, from, to, weight),
        }
    }

    /// Batches of one and of many changes have the outcomes, and leave the graph, that the changes have one after the other.
    #[test]
    fn batches_are_their_changes_in_order() {
        for directed in [false, true] {
            let options = GraphOptions::default().with_directed(directed).with_conflict(Conflict::First);
            let graph = WeightedGraph::<f64>::new(options);
            let mut model = Model { directed, ..Model::default() };
            let mut random = SplitMix64(15);
            for round in 0..400 {
                let size = 1 + random.below(if round % 3 == 0 { 1 } else { 40 });
                let changes: Vec<_> = (0..size).map(|_| random_change(&mut random)).collect();
                let expected: Vec<_> = changes.iter().map(|change| model.apply(change)).collect();
                assert_eq!(apply(&graph, &changes), expected, "{changes:?}");
                let now = graph.fresh();
                now.audit().unwrap();
                assert!(now.vertices().eq(model.vertices.iter().copied()));
                assert!(now.edges().map(|(from, to, &w)| ((from, to), w)).eq(model.edges.clone()));
            }
        }
    }
}
