//! Shortest paths from one source over non-negative weights.
//!
//! ```text
//!   d(s) = 0      d(v) = min d(u) + w(u,v) over arcs u → v
//! ```
//!
//! the least fixed point, infinite where there is no path. Weights are added along the path, from the source on; since rounding keeps order, the
//! fixed point is the same whichever way it is reached, and the distances are the same bit for bit on any store and any number of threads.
//!
//! Delta-stepping (Meyer & Sanders, *Δ-stepping: a parallelizable shortest path algorithm*, J. Algorithms 2003): vertices wait in
//! buckets of width `Δ`; the lowest bucket is relaxed, in parallel, until it stays empty, then the next. A small `Δ` wastes no
//! relaxation and gives little parallel work (Dijkstra's algorithm); a large one is the opposite (Bellman & Ford's). A bucket
//! of few vertices is relaxed by one thread without starting the others, which is what makes long paths quick (the bucket fusion of
//! Zhang et al., *Optimizing Ordered Graph Algorithms with GraphIt*, CGO 2020). O(n + m) relaxations up to a factor that `Δ`
//! governs; `8 n` bytes, and the buckets.
//!
//! One round is the product `y(v) min= A(u,v) + d(u)` over the tropical semiring, masked by the bucket. It is written as a traversal because the
//! mask is a few vertices out of many, and because an update is seen at once by what is relaxed later in the same round. Rounds over all arcs take
//! 142 ms on an R-MAT of scale 18 where this takes 47, and 918 ms on a grid of 512² where this takes 16 (2 threads, static rows;
//! `pleach bench algebra`).

mod buckets;
mod length;
mod search;
mod verify;

use std::ops::Range;

use pleach::Rows;
use pleach::runtime::{Fiber, on_pool, par_parts};
use pleach::traverse::Adjacency;

use self::search::{Course, Search, mean_weight, rule_of_thumb};
use crate::error::NoSuchVertex;

pub use self::length::Length;
pub use self::verify::{SsspWrong, verify};

/// A weight: any number that a length holds exactly. Narrow ones are read faster.
pub trait Weight<T = f64>: Copy + Into<T> + Send + Sync + 'static {}

impl<T, W: Copy + Into<T> + Send + Sync + 'static> Weight<T> for W {}

/// Options of shortest paths.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct Sssp {
    /// Width of a bucket; with `None`, the default, chosen by the mean weight and degree.
    pub delta: Option<f64>,
}

impl Sssp {
    /// The width of a bucket.
    #[must_use]
    pub fn with_delta(mut self, delta: impl Into<Option<f64>>) -> Self {
        self.delta = delta.into();
        self
    }
}

/// Distances.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(serialize = "T: Length + serde::Serialize", deserialize = "T: Length + serde::Deserialize<'de>"))
)]
pub struct Distances<T = f64> {
    /// Length of a shortest path to each vertex; infinite where there is none. JSON has `null` for infinity.
    #[cfg_attr(feature = "serde", serde(with = "crate::infinite::array"))]
    pub distances: Vec<T>,
    /// Number of vertices reached, the source included.
    pub reached: usize,
    /// The largest finite distance.
    pub farthest: T,
    /// Width of a bucket.
    pub delta: f64,
    /// Number of rounds, of which a bucket takes one or more.
    pub rounds: usize,
    /// Number of relaxations of a vertex's arcs; a vertex that was relaxed twice counts twice.
    pub relaxed: usize,
}

/// Why distances cannot be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SsspError {
    /// The source is not in the graph.
    #[error(transparent)]
    Source(#[from] NoSuchVertex),
    /// The width of a bucket is not a positive, finite number.
    #[error("the width of a bucket must be positive and finite, not {0}")]
    Delta(f64),
    /// A weight is negative, infinite or not a number.
    #[error("weights must be finite and not negative, but the arc from {from} to {to} (numbered from 0) has {weight}")]
    Weight {
        /// Source of the first such arc.
        from: u32,
        /// Its target.
        to: u32,
        /// Its weight.
        weight: f64,
    },
}

/// Finds the distances from `source` along out-arcs, in 64 bits.
///
/// # Errors
///
/// [`SsspError`] says which option or weight is wrong.
pub fn sssp<'a, A: Rows<Value: Weight> + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    source: u32,
    options: &Sssp,
) -> Result<Distances, SsspError> {
    sssp_in(graph, source, options)
}

/// [`sssp`] in numbers of a type. In 32 bits, the array that arcs lead into is half as large; a distance then has seven digits, rounded after each
/// arc, and whole weights are added exactly up to a distance of 2^24.
///
/// ```
/// use pleach::graph::{GraphOptions, WeightedGraph};
/// use pleach_algorithms::sssp::{Distances, Sssp, sssp_in};
///
/// let graph: WeightedGraph<f32> = WeightedGraph::new(GraphOptions::undirected());
/// graph.insert([(0, 1, 2.5), (1, 2, 1.0), (0, 2, 4.0)])?;
/// let found: Distances<f32> = sssp_in(&graph.fresh(), 0, &Sssp::default())?;
/// assert_eq!(found.distances, [0.0, 2.5, 3.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`sssp`].
pub fn sssp_in<'a, T: Length, A: Rows<Value: Weight<T>> + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    source: u32,
    options: &Sssp,
) -> Result<Distances<T>, SsspError> {
    let graph = graph.into();
    NoSuchVertex::check(source, graph)?;
    let rows = graph.out();
    let delta = match options.delta {
        Some(delta) if delta > 0.0 && delta.is_finite() => delta,
        Some(delta) => return Err(SsspError::Delta(delta)),
        None => rule_of_thumb(mean_weight(rows), rows.nnz() as f64 / graph.num_vertices() as f64),
    };
    let search = Search::new(graph.bound(), delta);
    graph.announce("rounds", None);
    // On a thread of the pool, so that no thread has to be woken between two rounds.
    let course = on_pool(|| search.run(graph, source));
    search.check(rows)?;
    Ok(Distances::of(search.into_distances(), delta, course))
}

impl<T: Length> Distances<T> {
    /// Counts what was reached.
    fn of(distances: Vec<T>, delta: f64, course: Course) -> Self {
        let larger = |a: T, b: T| if a < b { b } else { a };
        let some = |range: Range<usize>| {
            let finite = distances[range].iter().filter(|&&distance| distance < T::INFINITE);
            finite.fold((0, T::default()), |(count, most), &distance| (count + 1, larger(most, distance)))
        };
        let parts = par_parts(distances.len(), 1 << 12, some);
        let (reached, farthest) = parts.into_iter().fold((0, T::default()), |a, b| (a.0 + b.0, larger(a.1, b.1)));
        Distances { distances, reached, farthest, delta, rounds: course.rounds, relaxed: course.relaxed }
    }
}

/// The vertex before each on a shortest path, of those that [`sssp`] has measured from `source`: the source is its own, and a vertex that is
/// not reached has [`ABSENT`](crate::ABSENT). Of several it is the one that a breadth-first search along arcs of shortest paths, in ascending order, finds
/// first, so that the paths are a tree even where weights are zero. Serial; O(n + m).
pub fn predecessors<A: Rows<Value: Weight>>(graph: Adjacency<'_, A>, source: u32, distances: &[f64]) -> Vec<u32> {
    let mut before = vec![crate::ABSENT; graph.bound()];
    if !graph.has_vertex(source) || distances.len() != before.len() {
        return before;
    }
    before[source as usize] = source;
    let (mut queue, mut next) = (vec![source], 0);
    while let Some(&from) = queue.get(next) {
        next += 1;
        let Some(row) = graph.out().row(from as usize) else { continue };
        let found = queue.len();
        row.fold_runs((), |(), run| {
            for (to, &weight) in run.iter() {
                let at = &mut before[to as usize];
                // A path longer than all numbers reaches nothing.
                let is_reached = distances[to as usize] < f64::INFINITY;
                if *at == crate::ABSENT
                    && is_reached
                    && distances[from as usize] + weight.into() == distances[to as usize]
                {
                    *at = from;
                    queue.push(to);
                }
            }
        });
        if !<A::Fiber<'_> as Fiber<'_>>::ORDERED {
            queue[found..].sort_unstable();
        }
    }
    before
}
