//! Weakly connected components.
//!
//! The component of vertex `v`, named by its smallest vertex, is the least fixed point of
//!
//! ```text
//!   c(v) = min(v, min c(u) over arcs u → v and v → u)
//! ```
//!
//! It is found by union and find, not by iterating this equation: a forest of links from larger to smaller vertices, in which an arc
//! hooks the larger of two roots below the smaller one. If the graph keeps in-arcs, as undirected graphs do, two arcs of each
//! vertex are linked first. A sample then finds the largest component, and the other arcs of its vertices, which are most of all arcs,
//! are skipped: an arc that leaves the component is seen from its other end (Afforest; Sutton, Ben-Nun & Barak, *Optimizing Parallel Graph
//! Connectivity Computation via Subgraph Sampling*, IPDPS 2018). O(n + m) links in practice, and `4 n` bytes.
//!
//! The fixed point iterated as the product `c(v) min= A(u,v) * c(u)` would read all arcs once for each step of the longest shortest path.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU32, Ordering};

use pleach::Rows;
use pleach::runtime::{Fiber, GOLDEN, par_map, par_parts, par_ranges};
use pleach::traverse::{Adjacency, for_each_run};

use crate::ABSENT;

/// The components of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Components {
    /// The smallest vertex of each vertex's component; [`ABSENT`] for a number that is not a vertex.
    pub labels: Vec<u32>,
    /// Number of components.
    pub count: usize,
    /// Number of vertices in the largest one.
    pub largest: usize,
}

impl Components {
    /// Counts components whose labels are vertices of theirs, in parallel. What has the label [`ABSENT`] is in none.
    /// All others are vertices.
    pub(crate) fn of_labels(labels: Vec<u32>) -> Self {
        let vertices = labels.len();
        let number_of = |holds: &(dyn Fn(usize) -> bool + Sync)| -> usize {
            par_parts(vertices, GRAIN, |range| range.filter(|&vertex| holds(vertex)).count()).into_iter().sum()
        };
        let count = number_of(&|vertex| vertex == labels[vertex] as usize);
        // One that has half of all vertices is the largest, and most graphs have one: then the other sizes do not matter.
        let guess = frequent(labels.len(), |vertex| labels[vertex]);
        let largest = guess.map_or(0, |guess| number_of(&|vertex| labels[vertex] == guess));
        if 2 * largest >= labels.len() {
            return Components { count, largest, labels };
        }
        let sizes: Vec<AtomicU32> = par_map(vertices, GRAIN, |_| AtomicU32::new(0));
        par_ranges(vertices, GRAIN, &|range: Range<usize>| {
            for same in labels[range].chunk_by(|a, b| a == b).filter(|same| same[0] != ABSENT) {
                sizes[same[0] as usize].fetch_add(same.len() as u32, Ordering::Relaxed);
            }
        });
        let largest = sizes.into_iter().map(AtomicU32::into_inner).max().unwrap_or(0) as usize;
        Components { count, largest, labels }
    }

    /// Compares components with the right label of each vertex; number and largest size are counted again, one vertex after the other.
    pub(crate) fn compare(&self, expected: &[u32]) -> Result<(), ComponentsWrong> {
        if self.labels.len() != expected.len() {
            return Err(ComponentsWrong::Length { found: self.labels.len(), vertices: expected.len() });
        }
        for (vertex, (&found, &expected)) in self.labels.iter().zip(expected).enumerate() {
            if found != expected {
                return Err(ComponentsWrong::Label { vertex, found, expected });
            }
        }
        let mut sizes = vec![0usize; expected.len()];
        expected.iter().filter(|&&label| label != ABSENT).for_each(|&label| sizes[label as usize] += 1);
        let count = sizes.iter().filter(|&&size| size > 0).count();
        if (count, sizes.into_iter().max().unwrap_or(0)) == (self.count, self.largest) {
            Ok(())
        } else {
            Err(ComponentsWrong::Statistics)
        }
    }
}

/// The label that most vertices of a sample have. Results must not depend on which label it is, only speed may.
fn frequent(vertices: usize, label: impl Fn(usize) -> u32) -> Option<u32> {
    let place = |k: usize| ((k as u64).wrapping_mul(GOLDEN) % vertices as u64) as usize;
    let mut labels: Vec<u32> = (0..SAMPLED_VERTICES.min(vertices)).map(|k| label(place(k))).collect();
    labels.retain(|&label| label != ABSENT);
    labels.sort_unstable();
    labels.chunk_by(|a, b| a == b).max_by_key(|same| same.len()).map(|same| same[0])
}

/// Arcs of each vertex that are linked before the largest component is guessed.
const SAMPLED_ARCS: usize = 2;

/// Vertices whose components are looked at to guess the largest.
const SAMPLED_VERTICES: usize = 1024;

/// Vertices whose links one task shortens.
const GRAIN: usize = 1 << 12;

/// Finds the components of a graph; the direction of arcs does not matter.
pub fn components<'a, A: Rows + 'a>(graph: impl Into<Adjacency<'a, A>>) -> Components {
    let graph = graph.into();
    graph.announce("steps", Some(4));
    graph.advance(0);
    let forest = Forest::of_vertices(graph.bound());
    if let Some(incoming) = graph.incoming() {
        forest.link_rows(graph.out(), 0, SAMPLED_ARCS, None);
        graph.advance(1);
        forest.compress();
        let largest = frequent(graph.bound(), |vertex| forest.at(vertex as u32));
        forest.link_rows(graph.out(), SAMPLED_ARCS, usize::MAX, largest);
        graph.advance(1);
        if graph.is_directed() {
            forest.link_rows(incoming, 0, usize::MAX, largest);
        }
    } else {
        forest.link_rows(graph.out(), 0, usize::MAX, None);
        graph.advance(2);
    }
    graph.advance(1);
    forest.compress();
    let mut labels = forest.into_labels();
    graph.advance(1);
    graph.absent().for_each(|gap| labels[gap as usize] = ABSENT);
    Components::of_labels(labels)
}

/// Links from each vertex to one that is not larger; a root's leads to itself.
struct Forest {
    links: Vec<AtomicU32>,
}

impl Forest {
    /// Each vertex in a tree of its own.
    fn of_vertices(vertices: usize) -> Self {
        Forest { links: par_map(vertices, GRAIN, |vertex| AtomicU32::new(vertex as u32)) }
    }

    fn into_labels(self) -> Vec<u32> {
        self.links.into_iter().map(AtomicU32::into_inner).collect()
    }

    /// The root of a vertex's tree.
    fn root(&self, vertex: u32) -> u32 {
        let mut root = self.at(vertex);
        while root != self.at(root) {
            root = self.at(root);
        }
        root
    }

    #[inline(always)]
    fn at(&self, vertex: u32) -> u32 {
        self.links[vertex as usize].load(Ordering::Relaxed)
    }

    /// Puts two vertices into one tree.
    #[inline]
    fn link(&self, u: u32, v: u32) {
        let (mut a, mut b) = (self.at(u), self.at(v));
        while a != b {
            let (low, high) = (a.min(b), a.max(b));
            let above = self.at(high);
            if above == low {
                return;
            }
            let hooked = above == high
                && self.links[high as usize].compare_exchange(high, low, Ordering::Relaxed, Ordering::Relaxed).is_ok();
            if hooked {
                return;
            }
            a = self.at(self.at(high));
            b = self.at(low);
        }
    }

    /// Links arcs `from..to` of each row, but for those of vertices that link to `without`.
    fn link_rows<A: Rows>(&self, rows: &A, from: usize, to: usize, without: Option<u32>) {
        match without {
            None => rows.par_rows(|vertex, row| self.link_row(vertex as u32, row, from, to)),
            Some(root) => rows.par_rows_where(
                |vertex| self.at(vertex as u32) != root,
                |vertex, row| self.link_row(vertex as u32, row, from, to),
            ),
        }
    }

    /// Links arcs `from..to` of a row.
    #[inline(always)]
    fn link_row<'a, R: Fiber<'a, Coord = u32, Value: Sync>>(&self, vertex: u32, row: R, from: usize, to: usize) {
        if (from, to) == (0, usize::MAX) {
            return for_each_run(row, |run| run.coords().iter().for_each(|&other| self.link(vertex, other)));
        }
        let _ = row.try_fold_runs(0, |seen, run| {
            let end = to.saturating_sub(seen).min(run.len());
            for &other in run.coords().get(from.saturating_sub(seen)..end).unwrap_or(&[]) {
                self.link(vertex, other);
            }
            let seen = seen + run.len();
            if seen >= to { ControlFlow::Break(()) } else { ControlFlow::Continue(seen) }
        });
    }

    /// Lets every vertex link to its root.
    fn compress(&self) {
        par_ranges(self.links.len(), GRAIN, &|range: Range<usize>| {
            range.for_each(|vertex| self.links[vertex].store(self.root(vertex as u32), Ordering::Relaxed));
        });
    }
}

/// What is wrong with components.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ComponentsWrong {
    /// The number of labels is not that of the vertices.
    #[error("there are {found} labels for {vertices} vertices")]
    Length {
        /// How many there are.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// The label of a vertex is not the smallest one of its component.
    #[error("vertex {vertex} is in component {found}, but {expected} is right")]
    Label {
        /// The vertex.
        vertex: usize,
        /// Its label.
        found: u32,
        /// The right label.
        expected: u32,
    },
    /// Their number, or the size of the largest, does not fit the labels.
    #[error("the number or the largest size of components does not fit their labels")]
    Statistics,
}

/// Checks components against those that iterating the definition gives: labels that sink along arcs until none does. Serial; O(m)
/// for each round, with few rounds because a label sinks along many arcs in one.
///
/// # Errors
///
/// The first thing that is wrong.
pub fn verify<A: Rows>(graph: Adjacency<'_, A>, found: &Components) -> Result<(), ComponentsWrong> {
    let vertices = graph.bound();
    let mut labels: Vec<u32> = (0..vertices as u32).collect();
    let mut sinks = true;
    while sinks {
        sinks = false;
        graph.out().rows(|u, row| {
            row.fold_runs((), |(), run| {
                for &v in run.coords() {
                    let (a, b) = (labels[u], labels[v as usize]);
                    if a != b {
                        let low = a.min(b);
                        (labels[u], labels[v as usize]) = (low, low);
                        // The vertices that the labels name are in the component too.
                        labels[a.max(b) as usize] = labels[a.max(b) as usize].min(low);
                        sinks = true;
                    }
                }
            });
        });
        for vertex in 0..vertices {
            labels[vertex] = labels[labels[vertex] as usize];
        }
    }
    graph.absent().for_each(|gap| labels[gap as usize] = ABSENT);
    found.compare(&labels)
}
