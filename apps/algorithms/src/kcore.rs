//! Coreness: how deep in the dense part of a graph each vertex lies.
//!
//! The `k`-core is the largest part of an undirected graph in which every vertex has at least `k` neighbours, and
//!
//! ```text
//!   core(v) = max { k : v in the k-core }
//! ```
//!
//! (Seidman 1983; self loops are no neighbours). Vertices are peeled off: those with no more than `k` neighbours left go, in parallel, until all
//! others have more; then `k` is increased (Matula & Beck 1983; in parallel and with buckets, Dhulipala, Blelloch & Shun, *Julienne*, SPAA 2017). Only the
//! next 64 values of `k` have buckets; when these are used up, the remaining vertices are distributed again. O(n + m) time, and `n`
//! degrees read for every 64 values of `k`; `8 n` bytes, and a few more for each vertex in a bucket.
//!
//! In index notation the decrements of a round are the product `y(v) += A(u,v) * x(u)`, where the sparse vector `x` has the vertices that are
//! removed.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use pleach::Rows;
use pleach::runtime::{Fiber, par_concat, par_map, par_parts};
use pleach::traverse::Adjacency;

use crate::error::{UnfitGraph, undirected};

/// Corenesses.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cores {
    /// Coreness of each vertex; 0 for a number that is not a vertex.
    pub coreness: Vec<u32>,
    /// The largest.
    pub degeneracy: u32,
    /// Number of vertices of each coreness, from 0 on.
    pub sizes: Vec<usize>,
    /// Rounds of peeling.
    pub rounds: usize,
}

/// Values of `k` that have buckets at one time.
const WINDOW: u32 = 64;

/// Vertices that one thread peels alone.
const ALONE: usize = 128;

/// Vertices that one task peels.
const VERTICES: usize = 64;

/// Computes the coreness of each vertex of an undirected graph.
///
/// # Errors
///
/// [`UnfitGraph`] if the graph is directed.
pub fn kcore<'a, A: Rows + 'a>(graph: impl Into<Adjacency<'a, A>>) -> Result<Cores, UnfitGraph> {
    let graph = graph.into();
    undirected(graph, "kcore")?;
    let vertices = graph.bound();
    let rows = graph.out();
    let degree = |vertex: usize| AtomicU32::new(rows.row(vertex).map_or(0, |row| proper_degree(row, vertex)));
    let degrees: Vec<AtomicU32> = par_map(vertices, VERTICES, degree);
    let mut remaining: Vec<u32> = graph.vertices().collect();
    let (mut base, mut rounds) = (0, 0);
    graph.announce("vertices", Some(remaining.len()));
    while !remaining.is_empty() {
        graph.check_cancel();
        let least = least_of(&remaining, &degrees);
        base = least.map_or(base, |least| least.max(base));
        let mut buckets = vec![Vec::new(); WINDOW as usize];
        for &vertex in &remaining {
            if let Some(bucket) = buckets.get_mut((degrees[vertex as usize].load(Ordering::Relaxed) - base) as usize) {
                bucket.push(vertex);
            }
        }
        for k in base..base.saturating_add(WINDOW) {
            // A vertex that has lost neighbours since is in a lower bucket too, and was removed with that one.
            let mut going = std::mem::take(&mut buckets[(k - base) as usize]);
            going.retain(|&vertex| degrees[vertex as usize].load(Ordering::Relaxed) == k);
            while !going.is_empty() {
                graph.advance(going.len());
                rounds += 1;
                let mut next = Vec::new();
                for (vertex, left) in peel(rows, &degrees, &going, k) {
                    if left == k {
                        next.push(vertex);
                    } else if let Some(bucket) = buckets.get_mut((left - base) as usize) {
                        bucket.push(vertex);
                    }
                }
                going = next;
            }
        }
        base = base.saturating_add(WINDOW);
        remaining.retain(|&vertex| degrees[vertex as usize].load(Ordering::Relaxed) >= base);
    }
    let coreness: Vec<u32> = degrees.into_iter().map(AtomicU32::into_inner).collect();
    let degeneracy = coreness.iter().copied().max().unwrap_or(0);
    let sizes = sizes(graph, &coreness, degeneracy);
    Ok(Cores { coreness, degeneracy, sizes, rounds })
}

/// Number of vertices of each coreness.
fn sizes<A: Rows>(graph: Adjacency<'_, A>, coreness: &[u32], degeneracy: u32) -> Vec<usize> {
    let mut sizes = vec![0; if graph.num_vertices() == 0 { 0 } else { degeneracy as usize + 1 }];
    if !sizes.is_empty() {
        coreness.iter().for_each(|&core| sizes[core as usize] += 1);
        // Numbers that are not vertices have coreness 0.
        sizes[0] -= graph.bound() - graph.num_vertices();
    }
    sizes
}

/// The least of the degrees of some vertices.
fn least_of(vertices: &[u32], degrees: &[AtomicU32]) -> Option<u32> {
    let least = |range: Range<usize>| {
        vertices[range].iter().map(|&vertex| degrees[vertex as usize].load(Ordering::Relaxed)).min()
    };
    par_parts(vertices.len(), VERTICES, least).into_iter().flatten().min()
}

/// The number of neighbours, the vertex itself not counted.
fn proper_degree<'a, R: Fiber<'a, Coord = u32>>(row: R, vertex: usize) -> u32 {
    row.len() as u32 - u32::from(row.locate(vertex as u32).is_some())
}

/// Takes vertices with `k` neighbours off the graph; the neighbours that have more than `k` left or come down to `k`, each as often as it
/// loses one, with the number it has left then.
fn peel<A: Rows>(rows: &A, degrees: &[AtomicU32], going: &[u32], k: u32) -> Vec<(u32, u32)> {
    let peel_some = |going: &[u32]| {
        let mut touched = Vec::new();
        for &vertex in going {
            let Some(row) = rows.row(vertex as usize) else { continue };
            row.fold_storage((), |(), run| {
                for &other in run.coords() {
                    let fewer = |left: u32| (left > k).then(|| left - 1);
                    let lost = degrees[other as usize].fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer);
                    if let Ok(before) = lost {
                        touched.push((other, before - 1));
                    }
                }
            });
        }
        touched
    };
    if going.len() <= ALONE {
        return peel_some(going);
    }
    par_concat(going.len(), VERTICES, |range| peel_some(&going[range]))
}

/// What is wrong with corenesses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CoresWrong {
    /// The number of corenesses is not that of the vertices.
    #[error("there are {found} corenesses for {vertices} vertices")]
    Length {
        /// How many there are.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// A coreness is not the one that peeling one vertex at a time gives.
    #[error("vertex {vertex} has coreness {found}, but {expected} is right")]
    Coreness {
        /// The vertex.
        vertex: usize,
        /// Its coreness.
        found: u32,
        /// The right coreness.
        expected: u32,
    },
    /// The largest, or the sizes, do not fit the corenesses.
    #[error("the degeneracy or the sizes do not fit the corenesses")]
    Statistics,
}

/// Checks corenesses against those that taking off the vertex of the smallest degree, one after the other, gives. Serial; O((n + m) log n).
///
/// # Errors
///
/// The first thing that is wrong.
pub fn verify<A: Rows>(graph: Adjacency<'_, A>, found: &Cores) -> Result<(), CoresWrong> {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    let vertices = graph.bound();
    if found.coreness.len() != vertices {
        return Err(CoresWrong::Length { found: found.coreness.len(), vertices });
    }
    let mut near = vec![Vec::new(); vertices];
    graph.out().rows(|u, row| {
        row.fold_runs((), |(), run| near[u].extend(run.coords().iter().copied().filter(|&v| v as usize != u)));
    });
    let mut left: Vec<u32> = near.iter().map(|near| near.len() as u32).collect();
    let mut heap: BinaryHeap<_> = left.iter().enumerate().map(|(vertex, &left)| Reverse((left, vertex))).collect();
    let (mut gone, mut core) = (vec![false; vertices], 0);
    while let Some(Reverse((degree, vertex))) = heap.pop() {
        if gone[vertex] || degree != left[vertex] {
            continue;
        }
        gone[vertex] = true;
        core = core.max(degree);
        if found.coreness[vertex] != core {
            return Err(CoresWrong::Coreness { vertex, found: found.coreness[vertex], expected: core });
        }
        for &other in near[vertex].iter().filter(|&&other| !gone[other as usize]) {
            left[other as usize] -= 1;
            heap.push(Reverse((left[other as usize], other as usize)));
        }
    }
    let mut sizes = vec![0; if graph.num_vertices() == 0 { 0 } else { core as usize + 1 }];
    graph.vertices().for_each(|vertex| sizes[found.coreness[vertex as usize] as usize] += 1);
    if (found.degeneracy, &found.sizes) != (core, &sizes) {
        return Err(CoresWrong::Statistics);
    }
    Ok(())
}
