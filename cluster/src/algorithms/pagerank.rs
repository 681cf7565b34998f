//! PageRank by pulling along in-arcs: the definition is that of `pleach_algorithms::pagerank`.
//!
//! In a superstep the owner of a vertex sends its share `r(j) / d(j)` to the workers that have it as a ghost, 8 bytes a ghost; two sums, of
//! dangling rank and of the last changes, travel with it, 16 bytes a message. A last superstep says whether the last change was small enough.

use super::{IncomingError, check_incoming};
use crate::part::Part;
use crate::wire::Wire;

/// When the iteration ends.
#[derive(Clone, Copy, Debug, PartialEq)]
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

/// Ranks of a worker's vertices, and how the iteration went.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks {
    /// The rank of each vertex; over all workers they sum to one up to rounding.
    pub ranks: Vec<f64>,
    /// Iterations taken.
    pub iterations: usize,
    /// Sum of absolute changes in the last iteration, over all workers (infinite if there was none).
    pub residual: f64,
    /// The sum of all ranks, over all workers.
    pub sum: f64,
}

/// Computes the PageRank of each vertex. A directed graph must have been loaded with its in-arcs. `damping` is in `[0, 1)`.
///
/// O(arcs / workers) time an iteration, and a superstep of 8 bytes a ghost.
///
/// # Errors
///
/// [`IncomingError`]: there are no in-arcs, or a worker has ended.
pub fn pagerank(part: &Part<'_>, wire: &mut Wire<'_>, damping: f64, stop: Stop) -> Result<Ranks, IncomingError> {
    check_incoming(part)?;
    let (change, most) = match stop {
        Stop::Tolerance { change, most } => (change, most),
        Stop::Iterations(most) => (f64::NEG_INFINITY, most),
    };
    let uniform = 1.0 / part.vertices as f64;
    // Vertices in the order of their rows, which is that of memory.
    let mut own = part.own.clone();
    own.sort_unstable();
    let degrees: Vec<usize> = own.iter().map(|&vertex| part.rows.degree(false, vertex)).collect();
    let mut result = Ranks { ranks: vec![uniform; own.len()], iterations: 0, residual: f64::INFINITY, sum: 0.0 };
    let mut shares = vec![0.0; part.locals()];
    let mut residual = f64::INFINITY;
    loop {
        let mut dangling = 0.0;
        for ((&vertex, &rank), &degree) in own.iter().zip(&result.ranks).zip(&degrees) {
            match degree {
                0 => dangling += rank,
                _ => shares[vertex as usize] = rank / degree as f64,
            }
        }
        let done = result.iterations == most || part.vertices == 0;
        // Of the first iteration there is no change yet.
        let heads =
            if done { wire.all([dangling, residual])? } else { part.refresh(wire, &mut shares, [dangling, residual])? };
        let dangling: f64 = heads.iter().map(|head| head[0]).sum();
        result.residual = heads.iter().map(|head| head[1]).sum();
        if done || result.residual <= change {
            break;
        }
        let spread = ((1.0 - damping) + damping * dangling) * uniform;
        residual = 0.0;
        let mut ranks = result.ranks.iter_mut();
        part.rows.sums(true, &own, &shares, &mut |sum| {
            let next = damping * sum + spread;
            if let Some(rank) = ranks.next() {
                residual += (next - *rank).abs();
                *rank = next;
            }
        });
        result.iterations += 1;
    }
    own.iter().zip(&result.ranks).for_each(|(&vertex, &rank)| shares[vertex as usize] = rank);
    result.ranks = part.own.iter().map(|&vertex| shares[vertex as usize]).collect();
    result.sum = wire.all(result.ranks.iter().sum::<f64>())?.iter().sum();
    Ok(result)
}
