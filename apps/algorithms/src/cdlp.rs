//! Communities by propagation of labels, as LDBC Graphalytics defines it.
//!
//! Every vertex begins with itself as its label. In each iteration all vertices at once take
//!
//! ```text
//!   L'(v) = min argmax_l ( |{u : u → v, L(u) = l}| + |{u : v → u, L(u) = l}| )
//! ```
//!
//! the label that occurs most often among their neighbours, the smallest of several; in a directed graph a neighbour both ways counts
//! twice, in an undirected one each counts once. A vertex without neighbours keeps its label. (Raghavan, Albert & Kumara, *Near linear time
//! algorithm to detect community structures in large-scale networks*, Phys. Rev. E 76, 2007; made synchronous and deterministic in
//! Iosup et al., *LDBC Graphalytics*, VLDB 2016.) It ends after a given number of iterations, or when no label changes any more.
//!
//! An iteration gathers and sorts the labels of all neighbours: O(m log d) time for degrees `d`, `8 n` bytes and one row's labels a
//! task. In index notation the counts are `C(v,l) = A(v,u) * S(u,l)`, where `S` says who has which label; which of them is the most frequent is no
//! reduction of a kernel. The product keeps all counts of all vertices, and takes 323 ms on an R-MAT of scale 18 where a whole iteration here takes 15, 18 ms
//! and not 8 on a grid of 512² (2 threads, static rows; `pleach bench algebra`).

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use pleach::Rows;
use pleach::runtime::{Fiber, SharedOutput, par_ranges};
use pleach::traverse::Adjacency;

use crate::ABSENT;
use crate::error::{UnfitGraph, in_arcs};

/// How long to propagate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct Cdlp {
    /// Iterations at most. Default 10.
    pub iterations: usize,
}

impl Default for Cdlp {
    fn default() -> Self {
        Cdlp { iterations: 10 }
    }
}

impl Cdlp {
    /// The most iterations.
    #[must_use]
    pub fn with_iterations(mut self, iterations: usize) -> Self {
        self.iterations = iterations;
        self
    }
}

/// Communities.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Communities {
    /// Label of each vertex, which is a vertex or one of the labels that were given; [`ABSENT`] for a number that is not a vertex.
    pub labels: Vec<u32>,
    /// Number of different labels.
    pub count: usize,
    /// Iterations taken.
    pub iterations: usize,
    /// Number of labels that changed in each iteration.
    pub changed: Vec<usize>,
}

/// Vertices that one task relabels.
const VERTICES: usize = 64;

/// Propagates labels. The graph must keep its in-arcs.
///
/// # Errors
///
/// [`UnfitGraph`] if the graph is directed and keeps no in-arcs.
pub fn cdlp<'a, A: Rows + 'a>(graph: impl Into<Adjacency<'a, A>>, options: &Cdlp) -> Result<Communities, UnfitGraph> {
    let graph = graph.into();
    let labels = (0..graph.bound() as u32).collect();
    cdlp_from(graph, options, labels)
}

/// As [`cdlp`], where each vertex begins with the label that is given for it. For vertices whose numbers are not in the order of their ids:
/// with the rank of its id as the label of each vertex, the smallest of several labels is that of the smallest id.
///
/// # Errors
///
/// As [`cdlp`].
///
/// # Panics
///
/// If there are not as many labels as numbers of vertices, or if the label of a vertex is not below that number.
pub fn cdlp_from<'a, A: Rows + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    options: &Cdlp,
    mut labels: Vec<u32>,
) -> Result<Communities, UnfitGraph> {
    let graph = graph.into();
    let vertices = graph.bound();
    assert_eq!(labels.len(), vertices, "one label for each number of a vertex");
    let incoming = if graph.is_directed() { Some(in_arcs(graph, "cdlp")?) } else { None };
    let below = graph.vertices().all(|vertex| (labels[vertex as usize] as usize) < vertices);
    assert!(below, "labels of vertices are below the number of rows");
    graph.absent().for_each(|gap| labels[gap as usize] = ABSENT);
    let mut next = labels.clone();
    let mut changed = Vec::new();
    graph.announce("rounds", Some(options.iterations));
    while changed.len() < options.iterations && changed.last() != Some(&0) {
        graph.advance(1);
        let differing = AtomicUsize::new(0);
        let output = SharedOutput::new(&mut next);
        par_ranges(vertices, VERTICES, &|some: Range<usize>| {
            let mut near = Vec::new();
            for vertex in some {
                near.clear();
                for row in [graph.out().row(vertex), incoming.and_then(|rows| rows.row(vertex))].into_iter().flatten() {
                    row.fold_storage((), |(), run| near.extend(run.coords().iter().map(|&u| labels[u as usize])));
                }
                let label = most_frequent(&mut near).unwrap_or(labels[vertex]);
                output.set(vertex, label);
                if label != labels[vertex] {
                    differing.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        std::mem::swap(&mut labels, &mut next);
        changed.push(differing.into_inner());
    }
    Ok(Communities { count: distinct(&labels), labels, iterations: changed.len(), changed })
}

/// The label that occurs most often, the smallest of several; sorts the labels.
fn most_frequent(labels: &mut [u32]) -> Option<u32> {
    labels.sort_unstable();
    // The first of the longest: ascending, so the smallest.
    let longest = labels.chunk_by(|a, b| a == b).reduce(|best, same| if same.len() > best.len() { same } else { best });
    longest.map(|same| same[0])
}

/// How many different labels there are.
fn distinct(labels: &[u32]) -> usize {
    let mut seen = vec![false; labels.len()];
    labels.iter().filter(|&&label| label != ABSENT).for_each(|&label| seen[label as usize] = true);
    seen.into_iter().filter(|&seen| seen).count()
}

/// What is wrong with communities.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CdlpWrong {
    /// The number of labels is not that of the vertices.
    #[error("there are {found} labels for {vertices} vertices")]
    Length {
        /// How many there are.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// A label is not the one that the definition gives.
    #[error("vertex {vertex} has label {found}, but {expected} is right")]
    Label {
        /// The vertex.
        vertex: usize,
        /// Its label.
        found: u32,
        /// The right label.
        expected: u32,
    },
    /// The number of communities does not fit the labels.
    #[error("there are {expected} communities, not {found}")]
    Count {
        /// The number in the result.
        found: usize,
        /// The number of labels.
        expected: usize,
    },
    /// The number of iterations is wrong.
    #[error("there were {expected} iterations, not {found}")]
    Iterations {
        /// The number in the result.
        found: usize,
        /// The right number.
        expected: usize,
    },
    /// The numbers of labels that changed are wrong.
    #[error("{expected:?} labels changed in each iteration, not {found:?}")]
    Changed {
        /// The numbers in the result.
        found: Vec<usize>,
        /// The right numbers.
        expected: Vec<usize>,
    },
}

/// Checks communities by a second computation, which reads out-arcs only and counts labels in hash maps.
/// Serial; O(n + m) an iteration, and memory for a count for each arc.
///
/// # Errors
///
/// The first thing that is wrong.
pub fn verify<A: Rows>(graph: Adjacency<'_, A>, options: &Cdlp, found: &Communities) -> Result<(), CdlpWrong> {
    use std::collections::{BTreeSet, HashMap};

    let vertices = graph.bound();
    if found.labels.len() != vertices {
        return Err(CdlpWrong::Length { found: found.labels.len(), vertices });
    }
    let mut labels: Vec<u32> = (0..vertices as u32).collect();
    graph.absent().for_each(|gap| labels[gap as usize] = ABSENT);
    let mut changed = Vec::new();
    for _ in 0..options.iterations {
        let mut counts: Vec<HashMap<u32, usize>> = vec![HashMap::new(); vertices];
        graph.out().rows(|u, row| {
            row.fold_runs((), |(), run| {
                for &v in run.coords() {
                    *counts[u].entry(labels[v as usize]).or_default() += 1;
                    if graph.is_directed() {
                        *counts[v as usize].entry(labels[u]).or_default() += 1;
                    }
                }
            });
        });
        let mut next = labels.clone();
        for (label, counts) in next.iter_mut().zip(counts) {
            if let Some((&best, _)) = counts.iter().max_by_key(|&(&near, &count)| (count, std::cmp::Reverse(near))) {
                *label = best;
            }
        }
        changed.push(next.iter().zip(&labels).filter(|(next, label)| next != label).count());
        if next == labels {
            break;
        }
        labels = next;
    }
    for (vertex, (&found, &expected)) in found.labels.iter().zip(&labels).enumerate() {
        if found != expected {
            return Err(CdlpWrong::Label { vertex, found, expected });
        }
    }
    let expected = labels.iter().filter(|&&label| label != ABSENT).collect::<BTreeSet<_>>().len();
    if found.count != expected {
        return Err(CdlpWrong::Count { found: found.count, expected });
    }
    if found.iterations != changed.len() {
        return Err(CdlpWrong::Iterations { found: found.iterations, expected: changed.len() });
    }
    if found.changed != changed {
        return Err(CdlpWrong::Changed { found: found.changed.clone(), expected: changed });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use pleach::graph::{Graph, GraphOptions};

    use super::*;

    /// With vertices numbered differently, the labels that stand for the same ids lead to the same communities.
    #[test]
    fn labels_that_are_given_replace_the_numbers() {
        let edges = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3), (6, 0), (6, 5)];
        // The new number of each vertex.
        let renamed = [4u32, 6, 0, 5, 1, 3, 2];
        let (graph, other): (Graph, Graph) =
            (Graph::new(GraphOptions::undirected()), Graph::new(GraphOptions::undirected()));
        graph.insert(edges).unwrap();
        other.insert(edges.map(|(a, b)| (renamed[a as usize], renamed[b as usize]))).unwrap();
        let mut first = vec![0; 7];
        renamed.iter().enumerate().for_each(|(old, &new)| first[new as usize] = old as u32);
        for iterations in 0..5 {
            let options = Cdlp::default().with_iterations(iterations);
            let expected = cdlp(&graph.fresh(), &options).unwrap();
            let found = cdlp_from(&other.fresh(), &options, first.clone()).unwrap();
            let labels: Vec<u32> = renamed.iter().map(|&new| found.labels[new as usize]).collect();
            assert_eq!((labels, found.count), (expected.labels, expected.count));
        }
    }
}
