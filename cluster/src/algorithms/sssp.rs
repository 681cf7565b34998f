//! Shortest paths along out-arcs: Dijkstra's algorithm within each worker, then distances between them.
//!
//! A worker relaxes its vertices, nearest first, until nothing improves. Ghosts that have become nearer are then reported to their owners, 8
//! bytes and a place of 4 each. It ends after a superstep in which nothing was reported.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::exchange::Lost;
use crate::part::Part;
use crate::wire::Wire;

/// An arc whose weight shortens paths.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the arc from {from} to {to} has the weight {weight}; shortest paths need weights that are not negative")]
pub struct NegativeWeight {
    /// The source.
    pub from: u64,
    /// The target.
    pub to: u64,
    /// The weight.
    pub weight: f64,
}

/// Why there are no shortest paths.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SsspError {
    /// A worker has ended.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// A weight is negative or no number.
    #[error("worker {worker}: {reason}")]
    Weight {
        /// Whose arc it is.
        worker: usize,
        /// Which.
        reason: String,
    },
}

/// A distance that is not negative, in the order of its bits, which is that of the numbers.
type Key = u64;

/// The length of the shortest path from the vertex with the id `source` to each vertex, infinite where there is none; `None` if there is
/// no such vertex.
///
/// # Errors
///
/// [`SsspError`].
pub fn sssp(part: &Part<'_>, wire: &mut Wire<'_>, source: u64) -> Result<Option<Vec<f64>>, SsspError> {
    check(part, wire)?;
    let mut distances = vec![f64::INFINITY; part.locals()];
    let mut queue: BinaryHeap<Reverse<(Key, u32)>> = BinaryHeap::new();
    let found = part.find(source);
    if wire.sum(u64::from(found.is_some()))? == 0 {
        return Ok(None);
    }
    if let Some(vertex) = found {
        distances[vertex as usize] = 0.0;
        queue.push(Reverse((0, vertex)));
    }
    let mut is_met = vec![false; part.locals()];
    loop {
        let mut met = Vec::new();
        while let Some(Reverse((key, vertex))) = queue.pop() {
            let distance = f64::from_bits(key);
            if distance > distances[vertex as usize] {
                continue;
            }
            part.rows.arcs(false, vertex, &mut |column, weight| {
                // Adding 0 turns a weight of -0 into 0.
                let through = distance + weight + 0.0;
                if through < distances[column as usize] {
                    distances[column as usize] = through;
                    if !part.is_ghost(column) {
                        queue.push(Reverse((through.to_bits(), column)));
                    } else if !std::mem::replace(&mut is_met[column as usize], true) {
                        met.push(column);
                    }
                }
            });
        }
        let news: Vec<(u32, f64)> = met.iter().map(|&ghost| (ghost, distances[ghost as usize])).collect();
        met.iter().for_each(|&ghost| is_met[ghost as usize] = false);
        let (arrived, reported) = part.report(wire, &news, news.len() as u64)?;
        if reported == 0 {
            return Ok(Some(part.own.iter().map(|&vertex| distances[vertex as usize]).collect()));
        }
        for (vertex, distance) in arrived {
            if distance < distances[vertex as usize] {
                distances[vertex as usize] = distance;
                queue.push(Reverse((distance.to_bits(), vertex)));
            }
        }
    }
}

/// Refuses weights below 0, at all workers alike.
fn check(part: &Part<'_>, wire: &mut Wire<'_>) -> Result<(), SsspError> {
    let mut bad = None;
    for &vertex in &part.own {
        part.rows.arcs(false, vertex, &mut |column, weight| {
            if weight.is_nan() || weight < 0.0 {
                let [from, to] = [vertex, column].map(|vertex| part.ids[vertex as usize]);
                bad.get_or_insert(NegativeWeight { from, to, weight });
            }
        });
    }
    let agreed = wire.agree(bad.map_or(Ok(()), |bad| Err(bad.to_string())))?;
    agreed.map_err(|refused| SsspError::Weight { worker: refused.worker, reason: refused.reason })
}
