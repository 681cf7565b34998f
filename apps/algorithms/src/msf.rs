//! A spanning forest of the least weight.
//!
//! ```text
//!   F ⊆ E without cycles, joining what E joins, with Σ w(e) over e in F least
//! ```
//!
//! Edges in the order of weight, and of their ends where weights are equal, are taken one after the other, each unless its ends are joined already
//! (Kruskal 1956); the order makes the forest unique. Weights may be negative, but not infinite or no numbers. Sorting, which is most of the work, is
//! parallel; joining is not. O(m log m) time, `16 m` bytes. Self loops are left out, and of several edges between two vertices the lightest counts.
//!
//! Borůvka's algorithm could be written with products: a reduction of `(w, edge)` over (min, first) for each tree and round. It reads all edges in each
//! of up to log n rounds, and the step that joins trees is not a product.

use pleach::Rows;
use pleach::runtime::{Fiber, par_sort_by};
use pleach::traverse::Adjacency;

use crate::ABSENT;
use crate::error::{UnfitGraph, undirected};

/// A forest.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Forest {
    /// Its edges, the smaller end first, in the order in which they were taken: by weight, then by ends.
    pub edges: Vec<(u32, u32, f64)>,
    /// The sum of their weights, added up in that order. JSON has `null` for a sum that is infinite.
    #[cfg_attr(feature = "serde", serde(with = "crate::infinite"))]
    pub weight: f64,
    /// Number of trees, those of one vertex among them.
    pub trees: usize,
    /// The parent of each vertex in its tree, whose root is its smallest vertex and its own parent; [`ABSENT`] for a number that is no
    /// vertex.
    pub parents: Vec<u32>,
}

/// Why a forest was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MsfError {
    /// The graph is directed.
    #[error(transparent)]
    Graph(#[from] UnfitGraph),
    /// A weight is infinite or not a number.
    #[error("weights must be finite, but the edge between {u} and {v} (numbered from 0) has {weight}")]
    Weight {
        /// The smaller end of the first such edge.
        u: u32,
        /// The larger end.
        v: u32,
        /// Its weight.
        weight: f64,
    },
}

/// Finds the forest of an undirected graph.
///
/// # Errors
///
/// [`MsfError`] if the graph is directed, or the weight of an edge is not finite.
pub fn msf<'a, A: Rows<Value = f64> + 'a>(graph: impl Into<Adjacency<'a, A>>) -> Result<Forest, MsfError> {
    let graph = graph.into();
    undirected(graph, "msf")?;
    let mut edges = Vec::with_capacity(graph.num_arcs() / 2);
    graph.out().rows(|u, row| {
        row.fold_runs((), |(), run| {
            edges.extend(run.iter().filter(|&(v, _)| v as usize > u).map(|(v, &weight)| (u as u32, v, weight)));
        });
    });
    graph.announce("steps", Some(3));
    graph.advance(1);
    sort_by_weight(&mut edges)?;
    graph.advance(1);
    let mut sets = Sets::new(graph.bound());
    edges.retain(|&(u, v, _)| sets.join(u, v));
    graph.advance(1);
    // Starts from 0, because the sum of no floats is -0 in Rust.
    let weight = edges.iter().fold(0.0, |sum: f64, edge| sum + edge.2);
    let mut parents = root(graph.bound(), &edges);
    graph.absent().for_each(|gap| parents[gap as usize] = ABSENT);
    Ok(Forest { trees: graph.num_vertices() - edges.len(), edges, weight, parents })
}

/// Sorts edges by weight, and by their ends where weights are equal.
fn sort_by_weight(edges: &mut [(u32, u32, f64)]) -> Result<(), MsfError> {
    if let Some(&(u, v, weight)) = edges.iter().find(|edge| !edge.2.is_finite()) {
        return Err(MsfError::Weight { u, v, weight });
    }
    // There are two zeros, which weigh the same.
    par_sort_by(edges, |a, b| (a.2 + 0.0).total_cmp(&(b.2 + 0.0)).then((a.0, a.1).cmp(&(b.0, b.1))));
    Ok(())
}

/// Sets of vertices that are joined: links to smaller vertices, halved on the way.
struct Sets(Vec<u32>);

impl Sets {
    fn new(vertices: usize) -> Self {
        Sets((0..vertices as u32).collect())
    }

    fn find(&mut self, mut vertex: u32) -> u32 {
        while self.0[vertex as usize] != vertex {
            self.0[vertex as usize] = self.0[self.0[vertex as usize] as usize];
            vertex = self.0[vertex as usize];
        }
        vertex
    }

    /// Joins the sets of two vertices. Returns whether they were different sets.
    fn join(&mut self, u: u32, v: u32) -> bool {
        let (a, b) = (self.find(u), self.find(v));
        self.0[a.max(b) as usize] = a.min(b);
        a != b
    }
}

/// The parent of each vertex in the trees of some edges, each rooted at its smallest vertex.
fn root(vertices: usize, edges: &[(u32, u32, f64)]) -> Vec<u32> {
    let mut offsets = vec![0; vertices + 1];
    edges.iter().for_each(|&(u, v, _)| {
        offsets[u as usize + 1] += 1;
        offsets[v as usize + 1] += 1;
    });
    (0..vertices).for_each(|vertex| offsets[vertex + 1] += offsets[vertex]);
    let (mut next, mut near) = (offsets.clone(), vec![0; 2 * edges.len()]);
    for &(u, v, _) in edges {
        for (from, to) in [(u, v), (v, u)] {
            near[next[from as usize]] = to;
            next[from as usize] += 1;
        }
    }
    let (mut parents, mut waiting) = (vec![u32::MAX; vertices], Vec::new());
    for smallest in 0..vertices as u32 {
        if parents[smallest as usize] != u32::MAX {
            continue;
        }
        parents[smallest as usize] = smallest;
        waiting.push(smallest);
        while let Some(vertex) = waiting.pop() {
            for &other in &near[offsets[vertex as usize]..offsets[vertex as usize + 1]] {
                if parents[other as usize] == u32::MAX {
                    parents[other as usize] = vertex;
                    waiting.push(other);
                }
            }
        }
    }
    parents
}

/// What is wrong with a forest.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MsfWrong {
    /// An edge of the forest is not in the graph, or has another weight there.
    #[error("there is no edge between {0} and {1} of weight {2}")]
    NoEdge(u32, u32, f64),
    /// The forest has a cycle, does not connect a component, or its parents do not match its edges.
    #[error("the edges are no spanning forest, or the parents are not theirs")]
    NoForest,
    /// A tree has another root than its smallest vertex, or a number that is not a vertex has a parent.
    #[error(
        "{vertex} has the parent {found}: the smallest vertex of a tree is its root, and a number that is no vertex has no parent"
    )]
    Parent {
        /// The vertex.
        vertex: usize,
        /// Its parent.
        found: u32,
    },
    /// The edges do not stand by weight, and by their ends where weights are equal.
    #[error("the edges do not stand by weight, and by their ends where weights are equal")]
    Order,
    /// There is a lighter forest.
    #[error("the forest weighs {found}, but {expected} is the least")]
    Weight {
        /// Its weight.
        found: f64,
        /// The least weight.
        expected: f64,
    },
}

/// How far sums of the same weights may differ when added in another order, relative to the sum of their absolute values.
const ROUNDING: f64 = 1e-9;

/// Checks a forest: its edges are in the graph and stand in order, its parents match its edges and lead to the smallest vertex of each tree, and Prim's
/// algorithm finds no lighter one (it grows a tree by the lightest edge, from each vertex that no tree has reached). Serial; O(n + m log m).
///
/// # Errors
///
/// The first thing that is wrong.
pub fn verify<A: Rows<Value = f64>>(graph: Adjacency<'_, A>, found: &Forest) -> Result<(), MsfWrong> {
    use std::cmp::Ordering;
    use std::collections::{BTreeSet, BinaryHeap};

    /// An edge to a vertex; the heap gives the lightest.
    struct Lightest(f64, u32);
    impl Ord for Lightest {
        fn cmp(&self, other: &Self) -> Ordering {
            other.0.total_cmp(&self.0).then(other.1.cmp(&self.1))
        }
    }
    impl PartialOrd for Lightest {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }
    impl PartialEq for Lightest {
        fn eq(&self, other: &Self) -> bool {
            self.cmp(other).is_eq()
        }
    }
    impl Eq for Lightest {}

    let vertices = graph.bound();
    for &(u, v, weight) in &found.edges {
        if graph.out().row(u as usize).and_then(|row| row.locate(v)) != Some(&weight) {
            return Err(MsfWrong::NoEdge(u, v, weight));
        }
    }
    let edges: BTreeSet<(u32, u32)> = found.edges.iter().map(|&(u, v, _)| (u, v)).collect();
    let parents = found.parents.iter().enumerate().map(|(vertex, &parent)| (vertex as u32, parent));
    let of_parents: BTreeSet<(u32, u32)> = parents
        .filter(|(vertex, parent)| vertex != parent && *parent != ABSENT)
        .map(|(a, b)| (a.min(b), a.max(b)))
        .collect();
    let (mut reached, mut heap) = (vec![false; vertices], BinaryHeap::new());
    let (mut weight, mut size, mut trees, mut roots) = (0.0, 0.0, 0, vec![false; vertices]);
    for first in graph.vertices().map(|vertex| vertex as usize) {
        if reached[first] {
            continue;
        }
        (trees, roots[first]) = (trees + 1, true);
        heap.push(Lightest(0.0, first as u32));
        while let Some(Lightest(step, vertex)) = heap.pop() {
            if std::mem::replace(&mut reached[vertex as usize], true) {
                continue;
            }
            weight += step;
            size += step.abs();
            let Some(row) = graph.out().row(vertex as usize) else { continue };
            row.fold_runs((), |(), run| {
                heap.extend(run.iter().filter(|&(v, _)| !reached[v as usize]).map(|(v, &w)| Lightest(w, v)));
            });
        }
    }
    // As many edges as join so many vertices to so many trees, each of which joins two trees.
    let mut sets = Sets::new(vertices);
    if found.parents.len() != vertices
        || edges != of_parents
        || found.edges.len() + trees != graph.num_vertices()
        || found.trees != trees
        || !found.edges.iter().all(|&(u, v, _)| sets.join(u, v))
    {
        return Err(MsfWrong::NoForest);
    }
    for (vertex, (&parent, &is_root)) in found.parents.iter().zip(&roots).enumerate() {
        let is_own = parent as usize == vertex;
        let is_right = if graph.has_vertex(vertex as u32) { is_own == is_root } else { parent == ABSENT };
        if !is_right {
            return Err(MsfWrong::Parent { vertex, found: parent });
        }
    }
    let of_edges = found.edges.iter().map(|edge| edge.2).sum();
    for found in [found.weight, of_edges] {
        if !(found == weight || (found - weight).abs() <= ROUNDING * size) {
            return Err(MsfWrong::Weight { found, expected: weight });
        }
    }
    let key = |&(u, v, weight): &(u32, u32, f64)| (weight, u, v);
    if !found.edges.is_sorted_by(|a, b| key(a) < key(b)) {
        return Err(MsfWrong::Order);
    }
    Ok(())
}
