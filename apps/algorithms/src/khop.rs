//! The vertices within a few steps of some vertices.
//!
//! ```text
//!   N_k(S) = { v : d(s,v) ≤ k for some s in S }      d(s,v) the arcs on a shortest path from s to v
//! ```
//!
//! with the number of vertices at each distance. A search by levels from all sources at once, cut off after `k` of them; see [`bfs`](crate::bfs) for how it
//! chooses its direction. O(n) for the result, and the arcs of all vertices nearer than `k`.
//!
//! As the `k`-th power of a product over (or, and), `y = (I + A)^k x`, it would look at the arcs of all that was reached before in each step.

use std::sync::atomic::{AtomicU32, Ordering};

use pleach::Rows;
use pleach::traverse::{Adjacency, EdgeFunction, EdgeMap, Frontier};

use crate::bfs::UNREACHED;
use crate::error::NoSuchVertex;

/// A neighbourhood.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Neighbourhood {
    /// Distance of each vertex from the nearest source, or [`UNREACHED`] beyond `k` steps.
    pub distances: Vec<u32>,
    /// Number of vertices at each distance, from 0 on, up to the last that has any.
    pub levels: Vec<usize>,
    /// Number of vertices in the neighbourhood.
    pub size: usize,
}

/// Finds the vertices within `hops` steps of some vertices.
///
/// # Errors
///
/// [`NoSuchVertex`] if a source is beyond the graph.
pub fn khop<'a, A: Rows + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    sources: &[u32],
    hops: usize,
) -> Result<Neighbourhood, NoSuchVertex> {
    let graph = graph.into();
    let vertices = graph.bound();
    let mut level = Level { distances: (0..vertices).map(|_| AtomicU32::new(UNREACHED)).collect(), distance: 0 };
    let mut first = sources.to_vec();
    first.sort_unstable();
    first.dedup();
    for &source in &first {
        NoSuchVertex::check(source, graph)?;
        level.distances[source as usize] = AtomicU32::new(0);
    }
    let (mut map, mut frontier, mut levels) = (EdgeMap::new(), Frontier::Sparse(first), Vec::new());
    graph.announce("vertices", Some(graph.num_vertices()));
    while !frontier.is_empty() {
        graph.advance(frontier.len());
        levels.push(frontier.len());
        if levels.len() > hops {
            break;
        }
        level.distance += 1;
        frontier = map.run(graph, frontier, &level);
    }
    let distances = level.distances.into_iter().map(AtomicU32::into_inner).collect();
    Ok(Neighbourhood { distances, size: levels.iter().sum(), levels })
}

struct Level {
    distances: Vec<AtomicU32>,
    /// The distance of the vertices that this step reaches.
    distance: u32,
}

impl<V> EdgeFunction<V> for Level {
    #[inline(always)]
    fn wants(&self, to: u32) -> bool {
        self.distances[to as usize].load(Ordering::Relaxed) == UNREACHED
    }

    #[inline(always)]
    fn push(&self, _: u32, to: u32, _: &V) -> bool {
        let cell = &self.distances[to as usize];
        cell.compare_exchange(UNREACHED, self.distance, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    #[inline(always)]
    fn pull(&self, _: u32, to: u32, _: &V) -> bool {
        self.distances[to as usize].store(self.distance, Ordering::Relaxed);
        true
    }
}

/// What is wrong with a neighbourhood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KhopWrong {
    /// The number of distances differs from the number of vertices.
    #[error("there are {found} distances for {vertices} vertices")]
    Length {
        /// How many there are.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// A distance is not the one that walking step by step gives.
    #[error("vertex {vertex} is at distance {found}, but {expected} is right ({UNREACHED}: not within reach)")]
    Distance {
        /// The vertex.
        vertex: usize,
        /// Its distance.
        found: u32,
        /// The right distance.
        expected: u32,
    },
    /// The number of vertices, as a whole or at each distance, does not fit the distances.
    #[error("the number of vertices does not fit the distances")]
    Statistics,
}

/// Checks a neighbourhood by `hops` passes over all arcs, without frontiers. Serial; O(hops · (n + m)), fewer if nothing is left to reach.
///
/// # Errors
///
/// The first thing that is wrong.
pub fn verify<A: Rows>(
    graph: Adjacency<'_, A>,
    sources: &[u32],
    hops: usize,
    found: &Neighbourhood,
) -> Result<(), KhopWrong> {
    use pleach::runtime::Fiber;

    let vertices = graph.bound();
    if found.distances.len() != vertices {
        return Err(KhopWrong::Length { found: found.distances.len(), vertices });
    }
    let mut distances = vec![UNREACHED; vertices];
    sources.iter().for_each(|&source| distances[source as usize] = 0);
    for hop in 0..hops.min(u32::MAX as usize) as u32 {
        let mut reached = false;
        graph.out().rows(|u, row| {
            if distances[u] == hop {
                row.fold_runs((), |(), run| {
                    for &v in run.coords() {
                        if distances[v as usize] == UNREACHED {
                            distances[v as usize] = hop + 1;
                            reached = true;
                        }
                    }
                });
            }
        });
        if !reached {
            break;
        }
    }
    for (vertex, (&found, &expected)) in found.distances.iter().zip(&distances).enumerate() {
        if found != expected {
            return Err(KhopWrong::Distance { vertex, found, expected });
        }
    }
    let farthest = distances.iter().filter(|&&distance| distance != UNREACHED).max();
    let mut levels = vec![0; farthest.map_or(0, |&farthest| farthest as usize + 1)];
    distances.iter().filter(|&&distance| distance != UNREACHED).for_each(|&distance| levels[distance as usize] += 1);
    if found.levels != levels || found.size != levels.iter().sum::<usize>() {
        return Err(KhopWrong::Statistics);
    }
    Ok(())
}
