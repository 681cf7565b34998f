//! PageRank, global and personalised.
//!
//! The rank of vertex `i` is the fixed point of
//!
//! ```text
//!   r(i) = (1 - c) t(i)  +  c Σ_j A(i,j) r(j) / d(j)  +  c t(i) Σ_{d(j) = 0} r(j)
//! ```
//!
//! with damping `c`, out-degrees `d`, `A(i,j) = 1` where `j` leads to `i`, and the teleport distribution `t`: uniform, or
//! concentrated on given vertices (personalised). In [weighted PageRank](pagerank_weighted), `A(i,j)` is the weight of the arc from `j` to
//! `i`, and `d(j)` the sum of the weights of all arcs out of `j`. The rank of dangling vertices is distributed like the teleport, or by a
//! distribution of its own. The fixed point is computed by power iteration from `t`, or from given ranks (Page, Brin, Motwani & Winograd,
//! *The PageRank Citation Ranking*, 1999; dangling vertices as in LDBC Graphalytics); the error shrinks by the factor `c` an iteration, so
//! a tolerance of 1e-10 takes about 140 iterations at `c = 0.85`, fewer on most graphs. An iteration reads every arc once and gathers one
//! number for it: in 64 bits, or in 32 with [`pagerank_in`].

mod distribution;
mod iteration;
#[cfg(test)]
mod tests;
mod verify;

use pleach::Rows;
use pleach::kernels::pagerank::sum_shares;
use pleach::kernels::{ShapeError, check_extents};
use pleach::traverse::Adjacency;

use self::distribution::Walks;
use self::iteration::{iterate, sum_weighted};
use crate::copied::Copied;
use crate::error::{UnfitGraph, in_arcs};
use crate::weighs::Weighs;

pub use self::iteration::Rank;
pub use self::verify::{RanksWrong, verify, verify_weighted};

/// How to compute PageRank.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct PageRank {
    /// Probability of following an arc rather than teleporting; in `[0, 1)`. Default 0.85.
    pub damping: f64,
    /// When to stop. By default at a change of 1e-10, or after 1000 iterations.
    pub stop: Stop,
    /// Vertices to teleport to, with weights that need not sum to one; empty, the default, means all, uniformly.
    pub personalisation: Vec<(u32, f64)>,
    /// The ranks before the first iteration, as weights that need not sum to one; empty, the default, means the teleport distribution.
    pub start: Vec<(u32, f64)>,
    /// Vertices to which the rank of dangling vertices goes, with weights that need not sum to one; empty, the default, means the teleport
    /// distribution.
    pub dangling: Vec<(u32, f64)>,
}

impl PageRank {
    /// The probability of following an arc, in `[0, 1)`.
    #[must_use]
    pub fn with_damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }

    /// When the iteration ends.
    #[must_use]
    pub fn with_stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// Vertices to teleport to, with their weights.
    #[must_use]
    pub fn with_personalisation(mut self, personalisation: Vec<(u32, f64)>) -> Self {
        self.personalisation = personalisation;
        self
    }

    /// The ranks before the first iteration, as weights of vertices.
    #[must_use]
    pub fn with_start(mut self, start: Vec<(u32, f64)>) -> Self {
        self.start = start;
        self
    }

    /// Vertices to which the rank of dangling vertices goes, with their weights.
    #[must_use]
    pub fn with_dangling(mut self, dangling: Vec<(u32, f64)>) -> Self {
        self.dangling = dangling;
        self
    }
}

/// When the iteration ends.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Stop {
    /// When the ranks change by at most so much in one iteration (sum of absolute differences), or after `most` iterations.
    Tolerance {
        /// The largest change at which it stops.
        change: f64,
        /// The largest number of iterations.
        most: usize,
    },
    /// After exactly so many iterations.
    Iterations(usize),
}

impl Stop {
    /// The number of iterations, where it is known before.
    fn known(self) -> Option<usize> {
        match self {
            Stop::Tolerance { .. } => None,
            Stop::Iterations(count) => Some(count),
        }
    }
}

impl Default for PageRank {
    fn default() -> Self {
        PageRank {
            damping: 0.85,
            stop: Stop::Tolerance { change: 1e-10, most: 1000 },
            personalisation: Vec::new(),
            start: Vec::new(),
            dangling: Vec::new(),
        }
    }
}

/// Ranks, and how the iteration went.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ranks<T = f64> {
    /// Rank of each vertex; they sum to one up to rounding. That of a number that is not a vertex is 0.
    pub ranks: Vec<T>,
    /// Iterations taken.
    pub iterations: usize,
    /// Sum of absolute changes in the last iteration (infinite if there was none; JSON has `null` for infinity).
    #[cfg_attr(feature = "serde", serde(with = "crate::infinite"))]
    pub residual: f64,
    /// Whether the tolerance was reached (true for a fixed number of iterations).
    pub converged: bool,
}

/// Why PageRank cannot be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PageRankError {
    /// The damping factor is not a probability below one.
    #[error("damping must be at least 0 and below 1, not {0}")]
    Damping(f64),
    /// The tolerance is not a positive number.
    #[error("the tolerance must be a positive number, not {0}")]
    Tolerance(f64),
    /// A vertex that an option names does not exist.
    #[error("{of} names vertex {vertex}, but there are only {vertices} vertices")]
    Vertex {
        /// The option.
        of: &'static str,
        /// The vertex.
        vertex: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A weight of an option is negative, infinite or not a number, or all are zero.
    #[error("{of} weights must be finite, not negative and not all zero (vertex {vertex} has {weight})")]
    Weight {
        /// The option.
        of: &'static str,
        /// The vertex.
        vertex: u32,
        /// Its weight.
        weight: f64,
    },
    /// The weight of an arc is negative, infinite or not a number.
    #[error("weights must be finite and not negative, but the arc from {from} to {to} (numbered from 0) has {weight}")]
    Arc {
        /// Source of such an arc.
        from: u32,
        /// Its target.
        to: u32,
        /// Its weight.
        weight: f64,
    },
    /// The sum of the weights of a vertex's out-arcs is infinite or subnormal.
    #[error(
        "ranks are divided by the sum of the weights of a vertex's arcs, and that of vertex {vertex} (numbered from 0) is {sum}: scale them"
    )]
    Sum {
        /// The first such vertex.
        vertex: u32,
        /// The sum.
        sum: f64,
    },
    /// The graph is directed and keeps no in-arcs.
    #[error(transparent)]
    Graph(#[from] UnfitGraph),
    /// The matrix is not square or the degrees do not fit it.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// Computes the PageRank of a graph. A directed graph must keep its in-arcs.
///
/// ```
/// use pleach::graph::{Graph, GraphOptions};
/// use pleach_algorithms::pagerank::{PageRank, pagerank, top};
///
/// let graph: Graph = Graph::new(GraphOptions::default());
/// graph.insert([(0, 2), (1, 2), (2, 3), (3, 2)])?;
/// let found = pagerank(&graph.fresh(), &PageRank::default())?;
/// // All arcs lead towards vertex 2.
/// assert_eq!(top(&found.ranks, 1)[0].0, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`PageRankError`] says which option is wrong, or that there are no in-arcs.
pub fn pagerank<'a, A: Rows + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    options: &PageRank,
) -> Result<Ranks, PageRankError> {
    pagerank_in(graph, options)
}

/// [`pagerank`] in numbers of a type. In 32 bits, the array that arcs gather from is half as large; a rank then has seven digits, and a
/// tolerance below about 1e-6 may never be reached.
///
/// ```
/// use pleach::graph::{Graph, GraphOptions};
/// use pleach_algorithms::pagerank::{PageRank, Ranks, Stop, pagerank_in};
///
/// let graph: Graph = Graph::new(GraphOptions::default());
/// graph.insert([(0, 1), (1, 0)])?;
/// let found: Ranks<f32> = pagerank_in(&graph.fresh(), &PageRank::default().with_stop(Stop::Iterations(10)))?;
/// assert_eq!(found.ranks, [0.5, 0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`pagerank`].
pub fn pagerank_in<'a, T: Rank, A: Rows + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    options: &PageRank,
) -> Result<Ranks<T>, PageRankError> {
    let graph = graph.into();
    let incoming = in_arcs(graph, "pagerank")?;
    let walks = Walks::new(graph, options)?;
    let degrees = graph.out().row_degrees();
    graph.announce("iterations", options.stop.known());
    let kernel = &mut |sums: &mut [T], shares: &[T]| {
        graph.advance(1);
        T::sum_shares(sums, incoming, shares)
    };
    iterate(kernel, &degrees, &walks, options, &mut |_, _| ())
}

/// Weighted [`pagerank`]: the rank of a vertex is distributed over its out-arcs in proportion to their weights. A vertex whose out-arcs have
/// weights that sum to zero is dangling. The arcs are copied first.
///
/// ```
/// use pleach::graph::{GraphOptions, WeightedGraph};
/// use pleach_algorithms::pagerank::{PageRank, pagerank_weighted};
///
/// let graph: WeightedGraph<f64> = WeightedGraph::new(GraphOptions::default());
/// graph.insert([(0, 1, 3.0), (0, 2, 1.0), (1, 0, 0.5), (2, 0, 0.5)])?;
/// let found = pagerank_weighted(&graph.fresh(), &PageRank::default())?;
/// let flow = |vertex: usize| found.ranks[vertex] - 0.05;
/// assert!((flow(1) / flow(2) - 3.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`pagerank`], and if a weight is negative, infinite or not a number, or the sum of the weights of a vertex's out-arcs is infinite or
/// subnormal.
pub fn pagerank_weighted<'a, A: Rows<Value: Weighs> + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    options: &PageRank,
) -> Result<Ranks, PageRankError> {
    let graph = graph.into();
    let arcs = Copied::weighted(in_arcs(graph, "pagerank_weighted")?);
    let walks = Walks::new(graph, options)?;
    let out = sums_of_weights(&arcs)?;
    graph.announce("iterations", options.stop.known());
    let kernel = &mut |sums: &mut [f64], shares: &[f64]| {
        graph.advance(1);
        sum_weighted(sums, &arcs, shares);
        Ok(())
    };
    iterate(kernel, &out, &walks, options, &mut |_, _| ())
}

/// The sum of the weights of each vertex's out-arcs.
fn sums_of_weights(incoming: &Copied) -> Result<Vec<f64>, PageRankError> {
    if let Some((to, from, weight)) = incoming.not_a_length() {
        return Err(PageRankError::Arc { from, to, weight });
    }
    let mut sums = vec![0.0; incoming.len()];
    for to in 0..incoming.len() as u32 {
        incoming.arcs(to).for_each(|(from, weight)| sums[from as usize] += weight);
    }
    let unfit = |sum: &f64| *sum != 0.0 && !sum.is_normal();
    match sums.iter().position(unfit) {
        Some(vertex) => Err(PageRankError::Sum { vertex: vertex as u32, sum: sums[vertex] }),
        None => Ok(sums),
    }
}

/// Computes the PageRank of a directed graph of which only the rows of in-arcs and the out-degree of each vertex are held, which saves
/// half of the memory. `progress` is called with the number and the residual of each iteration.
///
/// # Errors
///
/// [`PageRankError`] says which option or shape is wrong.
pub fn from_in_arcs<A: Rows>(
    in_arcs: &A,
    out_degrees: &[u32],
    options: &PageRank,
    mut progress: impl FnMut(usize, f64),
) -> Result<Ranks, PageRankError> {
    check_extents("`A` along `i`", in_arcs.num_rows(), "`A` along `j`", in_arcs.num_cols())?;
    check_extents("`d` along `j`", out_degrees.len(), "`A` along `j`", in_arcs.num_cols())?;
    let walks = Walks::new(Adjacency::outward(in_arcs).expect("it was found square"), options)?;
    iterate(&mut |sums, shares| sum_shares(sums, in_arcs, shares), out_degrees, &walks, options, &mut progress)
}

/// The `k` vertices of the highest rank, highest first; ties by vertex. Takes O(n) and O(k log k).
pub fn top(ranks: &[f64], k: usize) -> Vec<(u32, f64)> {
    let mut order: Vec<u32> = (0..ranks.len() as u32).collect();
    let by_rank = |&a: &u32, &b: &u32| ranks[b as usize].total_cmp(&ranks[a as usize]).then(a.cmp(&b));
    let k = k.min(order.len());
    if k > 0 && k < order.len() {
        order.select_nth_unstable_by(k - 1, by_rank);
    }
    order.truncate(k);
    order.sort_unstable_by(by_rank);
    order.into_iter().map(|vertex| (vertex, ranks[vertex as usize])).collect()
}
