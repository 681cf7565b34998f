//! Ranks checked by the equation that defines them.

use pleach::Rows;
use pleach::runtime::Fiber;

use super::{PageRank, Stop};
use crate::weighs::Weighs;

/// What is wrong with ranks.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RanksWrong {
    /// The number of ranks is not that of the vertices.
    #[error("there are {found} ranks for {vertices} vertices")]
    Length {
        /// How many there are.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// The ranks do not sum to one.
    #[error("the ranks sum to {0}, and not to 1")]
    Sum(f64),
    /// One more iteration changes more than the tolerance allows.
    #[error("one more iteration changes the ranks by {change}, and by no more than {most} is right")]
    NotFixed {
        /// The sum of the changes.
        change: f64,
        /// The tolerance.
        most: f64,
    },
    /// A rank is not the one that this number of iterations gives, by more than rounding explains.
    #[error("vertex {vertex} has rank {found}, but {expected} is right")]
    Rank {
        /// The vertex.
        vertex: usize,
        /// Its rank.
        found: f64,
        /// The right rank.
        expected: f64,
    },
}

/// The largest difference that rounding explains.
const ROUNDING: f64 = 1e-9;

/// Checks the ranks of a graph by the equation that defines them, arc by arc and without a kernel. `a` has the rows of in-arcs, and every row is a
/// vertex. A fixed number of iterations is computed again; ranks within a tolerance must change by no more than that in another iteration.
/// Serial; O(n + m) an iteration.
///
/// # Errors
///
/// The first thing that is wrong.
pub fn verify<A: Rows>(a: &A, options: &PageRank, found: &[f64]) -> Result<(), RanksWrong> {
    checked(arcs(a, |_| 1.0), options, found, a.num_rows())
}

/// [`verify`] for the ranks of [`pagerank_weighted`](super::pagerank_weighted).
///
/// # Errors
///
/// The first thing that is wrong.
pub fn verify_weighted<A: Rows<Value: Weighs>>(a: &A, options: &PageRank, found: &[f64]) -> Result<(), RanksWrong> {
    checked(arcs(a, Weighs::weight), options, found, a.num_rows())
}

/// An arc: source, target, weight.
type Arc = (usize, usize, f64);

fn arcs<A: Rows>(a: &A, weight: impl Fn(&A::Value) -> f64) -> Vec<Arc> {
    let mut arcs = Vec::new();
    a.rows(|to, row| {
        row.fold_runs((), |(), run| arcs.extend(run.iter().map(|(from, value)| (from as usize, to, weight(value)))));
    });
    arcs
}

fn checked(mut arcs: Vec<Arc>, options: &PageRank, found: &[f64], vertices: usize) -> Result<(), RanksWrong> {
    if found.len() != vertices {
        return Err(RanksWrong::Length { found: found.len(), vertices });
    }
    if vertices == 0 {
        return Ok(());
    }
    let sum: f64 = found.iter().sum();
    if sum.is_nan() || (sum - 1.0).abs() > ROUNDING {
        return Err(RanksWrong::Sum(sum));
    }
    let mut out = vec![0.0; vertices];
    arcs.iter().for_each(|&(from, _, weight)| out[from] += weight);
    // Arcs of weight 0 are not followed.
    arcs.retain(|&(_, _, weight)| weight > 0.0);
    let whole = |weights: &[(u32, f64)]| {
        let mut shares = vec![0.0; vertices];
        weights.iter().for_each(|&(vertex, weight)| shares[vertex as usize] += weight);
        let sum: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= sum);
        shares
    };
    let otherwise = |weights: &[(u32, f64)], or: &[f64]| if weights.is_empty() { or.to_vec() } else { whole(weights) };
    let teleport = otherwise(&options.personalisation, &vec![1.0 / vertices as f64; vertices]);
    let sink = otherwise(&options.dangling, &teleport);
    let iterate = |ranks: &[f64]| {
        let dangling: f64 = (0..vertices).filter(|&vertex| out[vertex] == 0.0).map(|vertex| ranks[vertex]).sum();
        let jumps = teleport.iter().zip(&sink);
        let mut next: Vec<f64> = jumps
            .map(|(teleport, sink)| (1.0 - options.damping) * teleport + options.damping * dangling * sink)
            .collect();
        arcs.iter().for_each(|&(from, to, weight)| next[to] += options.damping * ranks[from] * (weight / out[from]));
        next
    };
    match options.stop {
        Stop::Tolerance { change: most, .. } => {
            let next = iterate(found);
            let change: f64 = next.iter().zip(found).map(|(next, rank)| (next - rank).abs()).sum();
            // As many roundings as there are vertices, of numbers that sum to one.
            let most = most + 1e-15 * (vertices as f64).sqrt().max(10.0);
            if change <= most { Ok(()) } else { Err(RanksWrong::NotFixed { change, most }) }
        }
        Stop::Iterations(count) => {
            let start = otherwise(&options.start, &teleport);
            let expected: Vec<f64> = (0..count).fold(start, |ranks: Vec<f64>, _| iterate(&ranks));
            let wrong = found.iter().zip(&expected).position(|(a, b)| (a - b).abs() > ROUNDING * b.abs());
            match wrong {
                Some(vertex) => Err(RanksWrong::Rank { vertex, found: found[vertex], expected: expected[vertex] }),
                None => Ok(()),
            }
        }
    }
}
