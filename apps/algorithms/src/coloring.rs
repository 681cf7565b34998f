//! Colouring: numbers for vertices, different at the two ends of each edge.
//!
//! With vertices in an order,
//!
//! ```text
//!   c(v) = min { k ≥ 0 : k ≠ c(u) for all neighbours u before v }
//! ```
//!
//! is what a greedy walk in that order gives: at most one colour more than the largest degree. It is computed in parallel, each vertex as soon as all
//! before it have their colours (Jones & Plassmann 1993), in the order of falling degrees, rounded down to powers of two, and of a hash where these are equal (largest log
//! degree first; Hasenplaug, Kaler, Schardl & Leiserson, *Ordering Heuristics for Parallel Graph Coloring*, SPAA 2014): few colours and few rounds. The result is the
//! same on any store and any number of threads. Self loops are left out. O(n + m) time, `8 n` bytes.
//!
//! It is written by hand because the smallest number that is missing among the neighbours is not a reduction over a semiring.

use std::sync::atomic::{AtomicU32, Ordering};

use pleach::Rows;
use pleach::runtime::{Fiber, par_concat, par_map};
use pleach::traverse::Adjacency;

use crate::error::{UnfitGraph, undirected};

/// Colours.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Colors {
    /// Colour of each vertex, from 0 on; [`ABSENT`](crate::ABSENT) for a number that is not a vertex.
    pub colors: Vec<u32>,
    /// Number of colours.
    pub count: u32,
    /// Rounds taken: the longest chain of neighbours in the order.
    pub rounds: usize,
}

/// The mark of a vertex that has no colour yet.
const NONE: u32 = u32::MAX;

/// Vertices that one thread colours alone.
const ALONE: usize = 128;

/// Vertices that one task colours.
const VERTICES: usize = 64;

/// Colours an undirected graph.
///
/// # Errors
///
/// [`UnfitGraph`] if the graph is directed.
pub fn coloring<'a, A: Rows + 'a>(graph: impl Into<Adjacency<'a, A>>) -> Result<Colors, UnfitGraph> {
    let graph = graph.into();
    undirected(graph, "coloring")?;
    let (rows, vertices) = (graph.out(), graph.bound());
    let degrees = rows.row_degrees();
    // Neighbours before each vertex that have no colour yet.
    let count_before = |vertex: usize| {
        let key = order(&degrees, vertex as u32);
        let before = |count, &other: &u32| count + u32::from(order(&degrees, other) < key);
        let count =
            rows.row(vertex).map_or(0, |row| row.fold_storage(0, |count, run| run.coords().iter().fold(count, before)));
        AtomicU32::new(count)
    };
    let waiting: Vec<AtomicU32> = par_map(vertices, VERTICES, count_before);
    let colors: Vec<AtomicU32> = (0..vertices).map(|_| AtomicU32::new(NONE)).collect();
    let color_some = |some: &[u32]| {
        let (mut next, mut taken) = (Vec::new(), Vec::new());
        for &vertex in some {
            let Some(row) = rows.row(vertex as usize) else {
                colors[vertex as usize].store(0, Ordering::Relaxed);
                continue;
            };
            let color = smallest_missing(row, vertex, &colors, &mut taken);
            colors[vertex as usize].store(color, Ordering::Relaxed);
            let key = order(&degrees, vertex);
            row.fold_storage((), |(), run| {
                for &other in run.coords().iter().filter(|&&other| order(&degrees, other) > key) {
                    // The thread that brings the count to zero sees the colours that all others wrote before.
                    if waiting[other as usize].fetch_sub(1, Ordering::AcqRel) == 1 {
                        next.push(other);
                    }
                }
            });
        }
        next
    };
    let mut rounds = 0;
    let mut ready: Vec<u32> =
        graph.vertices().filter(|&vertex| waiting[vertex as usize].load(Ordering::Relaxed) == 0).collect();
    graph.announce("vertices", Some(graph.num_vertices()));
    while !ready.is_empty() {
        graph.advance(ready.len());
        rounds += 1;
        ready = match ready.len() {
            ..=ALONE => color_some(&ready),
            _ => par_concat(ready.len(), VERTICES, |range| color_some(&ready[range])),
        };
    }
    let colors: Vec<u32> = colors.into_iter().map(AtomicU32::into_inner).collect();
    Ok(Colors { count: count(&colors), colors, rounds })
}

/// Number of colours.
fn count(colors: &[u32]) -> u32 {
    colors.iter().filter(|&&color| color != NONE).max().map_or(0, |most| most + 1)
}

/// The place of a vertex in the order: by the logarithm of its degree, descending, then by a hash, then by number.
#[inline(always)]
fn order(degrees: &[u32], vertex: u32) -> (u32, u32, u32) {
    (
        degrees[vertex as usize].leading_zeros(),
        vertex.wrapping_mul(0x9e37_79b1).rotate_left(15).wrapping_mul(0x85eb_ca77),
        vertex,
    )
}

/// The smallest colour that no neighbour has. `taken` is scratch memory.
fn smallest_missing<'a, R: Fiber<'a, Coord = u32>>(
    row: R,
    vertex: u32,
    colors: &[AtomicU32],
    taken: &mut Vec<bool>,
) -> u32 {
    taken.clear();
    // With d neighbours, one of the first d + 1 colours is free.
    taken.resize(row.len() + 1, false);
    row.fold_storage((), |(), run| {
        for &other in run.coords().iter().filter(|&&other| other != vertex) {
            // A neighbour later in the order has no colour yet: it waits for this vertex.
            if let Some(taken) = taken.get_mut(colors[other as usize].load(Ordering::Relaxed) as usize) {
                *taken = true;
            }
        }
    });
    taken.iter().position(|&taken| !taken).map_or(0, |color| color as u32)
}

/// What is wrong with colours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColoringWrong {
    /// The number of colours is not that of the vertices.
    #[error("there are {found} colours for {vertices} vertices")]
    Length {
        /// How many there are.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// Two neighbours have one colour.
    #[error("vertices {0} and {1} are neighbours and have the same colour")]
    Same(usize, u32),
    /// A vertex could have a smaller colour.
    #[error("vertex {0} has colour {1}, but no neighbour has a smaller one, {2}")]
    NotGreedy(usize, u32, u32),
    /// A number that is not a vertex has a colour.
    #[error("{0} is no vertex and has a colour")]
    NoVertex(u32),
    /// The number of colours is another one.
    #[error("the number of colours does not fit them")]
    Count,
}

/// Checks that neighbours differ, and that every vertex has a neighbour of each smaller colour, as in every greedy colouring. Serial;
/// O(n + m).
///
/// # Errors
///
/// The first thing that is wrong.
pub fn verify<A: Rows>(graph: Adjacency<'_, A>, found: &Colors) -> Result<(), ColoringWrong> {
    let (vertices, colors) = (graph.bound(), &found.colors);
    if colors.len() != vertices {
        return Err(ColoringWrong::Length { found: colors.len(), vertices });
    }
    if let Some(gap) = graph.absent().find(|&gap| colors[gap as usize] != NONE) {
        return Err(ColoringWrong::NoVertex(gap));
    }
    for vertex in graph.vertices().map(|vertex| vertex as usize) {
        let (mut seen, mut same) = (std::collections::BTreeSet::new(), None);
        if let Some(row) = graph.out().row(vertex) {
            row.fold_runs((), |(), run| {
                for &other in run.coords().iter().filter(|&&other| other as usize != vertex) {
                    let color = colors[other as usize];
                    same = same.or((color == colors[vertex]).then_some(other));
                    if color < colors[vertex] {
                        seen.insert(color);
                    }
                }
            });
        }
        if let Some(other) = same {
            return Err(ColoringWrong::Same(vertex, other));
        }
        if let Some(missing) = (0..colors[vertex]).find(|color| !seen.contains(color)) {
            return Err(ColoringWrong::NotGreedy(vertex, colors[vertex], missing));
        }
    }
    if found.count != count(colors) {
        return Err(ColoringWrong::Count);
    }
    Ok(())
}
