//! A `BTreeMap` as the model of a graph, random batches against it, and the comparison of all that can be read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use pleach::graph::{Action, Applied, Conflict, Graph, Snapshot, Update};
use pleach::runtime::{SplitMix64, Store};
use pleach::{Rows, sort::Weight};

/// A weight of which one can be made from a number.
pub trait Sample: Weight + Debug {
    fn sample(n: usize) -> Self;
}

impl Sample for () {
    fn sample(_: usize) {}
}

impl Sample for i64 {
    fn sample(n: usize) -> i64 {
        n as i64
    }
}

/// What a graph should hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model<V> {
    pub directed: bool,
    /// Edges; undirected ones with the smaller end first.
    pub edges: BTreeMap<(u32, u32), V>,
    pub vertices: BTreeSet<u32>,
    pub batches: u64,
}

impl<V: Sample> Model<V> {
    pub fn new(directed: bool) -> Self {
        Model { directed, edges: BTreeMap::new(), vertices: BTreeSet::new(), batches: 0 }
    }

    fn key(&self, from: u32, to: u32) -> (u32, u32) {
        if self.directed { (from, to) } else { (from.min(to), from.max(to)) }
    }

    /// Applies a batch, update by update; what applying it to a graph should return.
    pub fn apply(&mut self, updates: &[Update<V>], conflict: Conflict<V>) -> Applied {
        let mut touched = BTreeMap::new();
        for update in updates.iter().filter(|update| update.action == Action::Insert) {
            self.vertices.extend([update.edge.from, update.edge.to]);
        }
        for update in updates {
            let (from, to, weight) = (update.edge.from, update.edge.to, update.edge.weight);
            let key = self.key(from, to);
            touched.entry(key).or_insert_with(|| self.edges.get(&key).copied());
            match (update.action, self.edges.get_mut(&key)) {
                (Action::Delete, _) => {
                    self.edges.remove(&key);
                }
                (Action::Reweight, Some(old)) => *old = weight,
                (Action::Reweight, None) => {}
                (Action::Insert, Some(old)) => {
                    *old = match conflict {
                        Conflict::Last | Conflict::Error => weight,
                        Conflict::First => *old,
                        Conflict::Sum => V::sum(*old, weight),
                        Conflict::Min => V::min(*old, weight),
                        Conflict::Max => V::max(*old, weight),
                        Conflict::With(f) => f(*old, weight),
                    }
                }
                (Action::Insert, None) => {
                    self.edges.insert(key, weight);
                }
                (action, _) => panic!("no batch of the model has {action:?}"),
            }
        }
        self.batches += 1;
        let mut applied =
            Applied { version: self.batches, merged: updates.len() - touched.len(), ..Applied::default() };
        for (key, old) in touched {
            let new = self.edges.get(&key);
            match (old, new) {
                (None, None) => applied.absent += 1,
                (None, Some(_)) => applied.new += 1,
                (Some(_), None) => applied.removed += 1,
                (Some(old), Some(new)) if old == *new => applied.unchanged += 1,
                _ => applied.changed += 1,
            }
        }
        applied
    }

    pub fn remove_vertex(&mut self, vertex: u32) -> usize {
        let before = self.edges.len();
        self.edges.retain(|key, _| key.0 != vertex && key.1 != vertex);
        self.vertices.remove(&vertex);
        self.batches += 1;
        before - self.edges.len()
    }

    fn arcs(&self) -> BTreeMap<(u32, u32), V> {
        let mut arcs = self.edges.clone();
        if !self.directed {
            arcs.extend(self.edges.iter().map(|(&(from, to), &weight)| ((to, from), weight)));
        }
        arcs
    }

    /// Audits a snapshot, and compares all that can be read from it.
    pub fn check<R: Store<Coord = u32, Value = V>>(&self, snapshot: &Snapshot<R>) {
        snapshot.audit().unwrap();
        assert_eq!(snapshot.version(), self.batches);
        assert_eq!(snapshot.num_edges(), self.edges.len() as u64);
        assert!(snapshot.edges().map(|(from, to, &weight)| ((from, to), weight)).eq(self.edges.clone()));
        assert!(snapshot.vertices().eq(self.vertices.iter().copied()));
        assert_eq!(snapshot.num_vertices(), self.vertices.len());
        let arcs = self.arcs();
        assert_eq!((snapshot.num_arcs(), snapshot.nnz()), (arcs.len() as u64, arcs.len()));
        assert!(snapshot.arcs().map(|(from, to, &weight)| ((from, to), weight)).eq(arcs.clone()));
        let mut in_degrees = BTreeMap::new();
        arcs.keys().for_each(|key| *in_degrees.entry(key.1).or_insert(0) += 1);
        for &vertex in self.vertices.iter().step_by(1 + self.vertices.len() / 50) {
            let out = arcs.range((vertex, 0)..=(vertex, u32::MAX));
            assert_eq!(snapshot.out_degree(vertex), out.clone().count());
            assert!(snapshot.neighbors(vertex).map(|(to, _)| to).eq(out.map(|(key, _)| key.1)));
            if let Some(degree) = snapshot.in_degree(vertex) {
                assert_eq!(degree, in_degrees.get(&vertex).copied().unwrap_or(0));
                let sources = snapshot.in_neighbors(vertex).expect("in-arcs are kept").map(|(from, _)| from);
                assert!(sources.eq(arcs.keys().filter(|key| key.1 == vertex).map(|key| key.0)));
            }
            assert_eq!(snapshot.weight(vertex, vertex), arcs.get(&(vertex, vertex)));
        }
    }
}

/// A random batch: clustered or spread, few actions or many, with repeated edges, in both directions, and with self loops.
pub fn random_batch<V: Sample>(
    random: &mut SplitMix64,
    model: &Model<V>,
    vertices: usize,
    size: usize,
    actions: &[Action],
) -> Vec<Update<V>> {
    let spread = [vertices, 5, 64, 1 + vertices / 10][random.index(4)];
    let present: Vec<(u32, u32)> = model.edges.keys().copied().collect();
    let mut updates = Vec::new();
    for _ in 0..size {
        let action = actions[random.index(actions.len())];
        let (mut from, mut to) = (random.index(spread) as u32, random.index(vertices) as u32);
        if random.index(3) == 0 && !present.is_empty() {
            (from, to) = present[random.index(present.len())];
        }
        if random.index(20) == 0 {
            to = from;
        }
        if random.index(2) == 0 {
            (from, to) = (to, from);
        }
        let weight = V::sample(random.index(4));
        for _ in 0..1 + random.index(8) / 7 {
            updates.push(Update { edge: (from, to, weight).into(), action });
        }
    }
    updates
}

/// Applies a batch through the method that fits it.
pub fn apply<R>(graph: &Graph<R>, updates: &[Update<R::Value>]) -> Applied
where
    R: Store<Coord = u32>,
    R::Value: Weight,
{
    let edges = || updates.iter().map(|update| update.edge);
    let all = |action| updates.iter().all(|update| update.action == action);
    if all(Action::Insert) {
        graph.insert(edges())
    } else if all(Action::Delete) {
        graph.delete(edges().map(|edge| (edge.from, edge.to)))
    } else if all(Action::Reweight) {
        graph.reweight(edges().map(|edge| (edge.from, edge.to, edge.weight)))
    } else {
        graph.apply(updates.iter().copied())
    }
    .expect("nothing is wrong with the batch")
}
