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
//! vertex are linked first. A sample then finds the largest tree, and the arcs of its vertices, which are most of all arcs, are skipped: an arc that
//! leaves the tree is seen from its other end (Afforest; Sutton, Ben-Nun & Barak, *Optimizing Parallel Graph Connectivity Computation via Subgraph
//! Sampling*, IPDPS 2018). All arcs of the other vertices are linked, those from before once more: so the first links may be plain stores, of which one is
//! lost where two threads hook one root at a time, and no atomic operation is needed for most vertices. O(n + m) links in practice, and `4 n` bytes.
//!
//! The fixed point iterated as the product `c(v) min= A(u,v) * c(u)` would read all arcs once for each step of the longest shortest path.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

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

/// Arcs of each vertex that are linked before the largest tree is guessed.
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
    let mut trees = None;
    if let Some(incoming) = graph.incoming() {
        forest.sample(graph.out());
        graph.advance(1);
        let sampled = forest.compress();
        forest.link_rows(graph.out(), sampled.largest);
        graph.advance(1);
        if graph.is_directed() {
            forest.link_rows(incoming, sampled.largest);
        }
        trees = Some(sampled);
    } else {
        forest.link_rows(graph.out(), None);
        graph.advance(2);
    }
    graph.advance(1);
    let trees = trees.filter(|_| !forest.hooked.load(Ordering::Relaxed)).unwrap_or_else(|| forest.compress());
    let mut labels = forest.into_labels();
    graph.advance(1);
    // One that has half of all vertices is the largest, and most graphs have one.
    if graph.is_compact() && 2 * trees.in_largest >= labels.len() {
        return Components { count: trees.count, largest: trees.in_largest, labels };
    }
    graph.absent().for_each(|gap| labels[gap as usize] = ABSENT);
    Components::of_labels(labels)
}

/// Links from each vertex to one that is not larger; a root's leads to itself.
struct Forest {
    links: Vec<AtomicU32>,
    /// Whether a root was hooked after the sample.
    hooked: AtomicBool,
}

/// The trees of a forest.
struct Trees {
    count: usize,
    /// The root of most vertices of a sample.
    largest: Option<u32>,
    /// Number of vertices that have this root.
    in_largest: usize,
}

impl Forest {
    /// Each vertex in a tree of its own.
    fn of_vertices(vertices: usize) -> Self {
        let links = par_map(vertices, GRAIN, |vertex| AtomicU32::new(vertex as u32));
        Forest { links, hooked: AtomicBool::new(false) }
    }

    fn into_labels(self) -> Vec<u32> {
        self.links.into_iter().map(AtomicU32::into_inner).collect()
    }

    /// The root of a vertex's tree.
    #[inline(always)]
    fn root(&self, vertex: u32) -> u32 {
        let mut root = self.at(vertex);
        loop {
            let above = self.at(root);
            if above == root {
                return root;
            }
            root = above;
        }
    }

    #[inline(always)]
    fn at(&self, vertex: u32) -> u32 {
        self.links[vertex as usize].load(Ordering::Relaxed)
    }

    /// Puts two vertices into one tree. `hook` links a root that it is given to a smaller vertex, or returns `false` if it is no root any more.
    /// Returns whether there was anything to do.
    #[inline(always)]
    fn link(&self, u: u32, v: u32, hook: impl Fn(&AtomicU32, u32, u32) -> bool) -> bool {
        let (mut a, mut b) = (self.at(u), self.at(v));
        while a != b {
            let (low, high) = (a.min(b), a.max(b));
            let above = self.at(high);
            if above == low {
                return false;
            }
            if above == high && hook(&self.links[high as usize], high, low) {
                return true;
            }
            a = self.at(self.at(high));
            b = self.at(low);
        }
        false
    }

    /// Links the first arcs of each row. Where another thread links the same root, one of the two links is lost.
    fn sample<A: Rows>(&self, rows: &A) {
        let hook = |link: &AtomicU32, _, low| {
            link.store(low, Ordering::Relaxed);
            true
        };
        rows.par_rows(|vertex, row| {
            let _ = row.try_fold_runs(0, |seen, run| {
                for &other in run.coords().iter().take(SAMPLED_ARCS - seen) {
                    self.link(vertex as u32, other, hook);
                }
                let seen = seen + run.len();
                if seen >= SAMPLED_ARCS { ControlFlow::Break(()) } else { ControlFlow::Continue(seen) }
            });
        });
    }

    /// Links the arcs of each row, but for those of vertices that link to `without`.
    fn link_rows<A: Rows>(&self, rows: &A, without: Option<u32>) {
        match without {
            None => rows.par_rows(|vertex, row| self.link_row(vertex as u32, row)),
            Some(root) => rows.par_rows_where(
                |vertex| self.at(vertex as u32) != root,
                |vertex, row| self.link_row(vertex as u32, row),
            ),
        }
    }

    /// Links the arcs of a row.
    #[inline(always)]
    fn link_row<'a, R: Fiber<'a, Coord = u32, Value: Sync>>(&self, vertex: u32, row: R) {
        let hook = |link: &AtomicU32, high, low| {
            link.compare_exchange(high, low, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        };
        for_each_run(row, |run| {
            let hooked = run.coords().iter().fold(false, |hooked, &other| hooked | self.link(vertex, other, hook));
            if hooked {
                self.hooked.store(true, Ordering::Relaxed);
            }
        });
    }

    /// Lets every vertex link to its root.
    fn compress(&self) -> Trees {
        let largest = frequent(self.links.len(), |vertex| self.root(vertex as u32));
        let parts = par_parts(self.links.len(), GRAIN, |range: Range<usize>| {
            let (mut roots, mut in_largest) = (0, 0);
            for vertex in range {
                let link = self.at(vertex as u32);
                let root = self.root(link);
                // Most link to their root already: a cache line in which nothing changes is not written back.
                if root != link {
                    self.links[vertex].store(root, Ordering::Relaxed);
                }
                roots += usize::from(root as usize == vertex);
                in_largest += usize::from(Some(root) == largest);
            }
            (roots, in_largest)
        });
        let (count, in_largest) = parts.into_iter().fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        Trees { count, largest, in_largest }
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
