//! Distances checked against those of Dijkstra's algorithm.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use pleach::Rows;
use pleach::runtime::Fiber;
use pleach::traverse::Adjacency;

use super::{Distances, Length, Weight};

/// What is wrong with distances.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SsspWrong {
    /// The number of distances is not that of the vertices.
    #[error("there are {found} distances for {vertices} vertices")]
    Length {
        /// How many there are.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// A distance is not the one that Dijkstra's algorithm finds.
    #[error("vertex {vertex} is at distance {found}, but {expected} is right")]
    Distance {
        /// The vertex.
        vertex: usize,
        /// Its distance.
        found: f64,
        /// The right distance.
        expected: f64,
    },
    /// The number of vertices that are reached, or the largest distance, does not fit the distances.
    #[error("the number of vertices reached or the largest distance does not fit the distances")]
    Statistics,
}

/// Checks distances against those of Dijkstra's algorithm, which must be the same bit for bit. Serial; O((n + m) log m).
///
/// # Errors
///
/// The first distance that is wrong.
pub fn verify<T: Length, A: Rows<Value: Weight<T>>>(
    graph: Adjacency<'_, A>,
    source: u32,
    found: &Distances<T>,
) -> Result<(), SsspWrong> {
    let vertices = graph.bound();
    if found.distances.len() != vertices {
        return Err(SsspWrong::Length { found: found.distances.len(), vertices });
    }
    let wide = |distance: T| -> f64 { distance.into() };
    let mut distances = vec![T::INFINITE; vertices];
    distances[source as usize] = T::default();
    // In the order of their bits, as numbers that are not negative are.
    let mut heap = BinaryHeap::from([Reverse((wide(T::default()).to_bits(), source))]);
    while let Some(Reverse((bits, vertex))) = heap.pop() {
        let distance = distances[vertex as usize];
        if bits > wide(distance).to_bits() {
            continue;
        }
        let Some(row) = graph.out().row(vertex as usize) else { continue };
        row.fold_runs((), |(), run| {
            for (to, &weight) in run.iter() {
                let longer = distance + weight.into();
                if longer < distances[to as usize] {
                    distances[to as usize] = longer;
                    heap.push(Reverse((wide(longer).to_bits(), to)));
                }
            }
        });
    }
    for (vertex, (&found, &expected)) in found.distances.iter().zip(&distances).enumerate() {
        if found != expected {
            return Err(SsspWrong::Distance { vertex, found: found.into(), expected: expected.into() });
        }
    }
    let reached = distances.iter().filter(|&&distance| distance < T::INFINITE);
    let farthest = reached.clone().copied().fold(T::default(), |far, one| if one > far { one } else { far });
    if found.reached != reached.count() || found.farthest != farthest {
        return Err(SsspWrong::Statistics);
    }
    Ok(())
}
