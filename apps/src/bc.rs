//! Betweenness centrality.
//!
//! With `σ(s,t)` the number of shortest paths (in arcs) from `s` to `t`, and `σ(s,t|v)` that of those on which `v` lies in between,
//!
//! ```text
//!   bc(v) = Σ over s ∈ S, t of σ(s,t|v) / σ(s,t)
//! ```
//!
//! for given sources `S`, a sample of vertices, or all of them: then it is the exact one, for ordered pairs (an undirected graph's pairs count twice). By Brandes
//! (*A Faster Algorithm for Betweenness Centrality*, J. Math. Sociology 2001): a search from each source, then with depths `d`
//!
//! ```text
//!   σ(v) = Σ σ(u) over u → v with d(u) = d(v) - 1        level by level away from the source
//!   δ(u) = Σ σ(u)/σ(v) (1 + δ(v)) over u → v with d(v) = d(u) + 1        … and back
//! ```
//!
//! Every sum is gathered by the vertex that it belongs to, over its row in order, so the result is the same on any number of threads. O(m) time for each
//! source: the search and twice all arcs of what it reaches; `36 n` bytes.
//!
//! Each level is the masked product `y(v) += A(u,v) * x(u)`; it is a traversal because the mask is one level, and rows outside of it are not to be read.

use pleach::Rows;
use pleach::runtime::{Fiber, SharedOutput};
use pleach::traverse::Adjacency;
use rayon::prelude::*;

use crate::bfs::{UNREACHED, bfs};
use crate::error::NoSuchVertex;

/// Betweenness.
#[derive(Clone, Debug, PartialEq)]
pub struct Betweenness {
    /// Score of each vertex.
    pub scores: Vec<f64>,
    /// The deepest level of any search.
    pub depth: usize,
}

/// Why betweenness cannot be computed as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BcError {
    /// A source is not in the graph.
    #[error(transparent)]
    Source(#[from] NoSuchVertex),
    /// There are more shortest paths than a double can count, some 10^308, as across large grids.
    #[error(
        "from vertex {from} (numbered from 0) to some other there are more than 1e308 shortest paths, which cannot be counted"
    )]
    Paths {
        /// The source.
        from: u32,
    },
}

/// Vertices of a level that one thread does alone.
const ALONE: usize = 256;

/// Computes betweenness by searches from `sources`. In-arcs must be at hand.
///
/// # Errors
///
/// [`BcError`] names the source that does not exist, or from which there are too many shortest paths.
///
/// # Panics
///
/// If there are no rows of in-arcs at hand.
pub fn bc<A: Rows>(graph: Adjacency<'_, A>, sources: &[u32]) -> Result<Betweenness, BcError> {
    let vertices = graph.num_vertices();
    let mut result = Betweenness { scores: vec![0.0; vertices], depth: 0 };
    let (mut paths, mut dependence) = (vec![0.0; vertices], vec![0.0; vertices]);
    for &source in sources {
        let search = bfs(graph, source)?;
        let depths = &search.depths;
        result.depth = result.depth.max(search.levels.len() - 1);
        let levels = by_depth(depths, &search.levels);
        paths[source as usize] = 1.0;
        for (depth, level) in levels.iter().enumerate().skip(1) {
            gather(graph.incoming(), level, &mut paths, |_, paths, from| {
                if depths[from] as usize == depth - 1 { paths.get(from) } else { 0.0 }
            });
        }
        if levels.iter().flatten().any(|&vertex| !paths[vertex as usize].is_finite()) {
            return Err(BcError::Paths { from: source });
        }
        for (depth, level) in levels.iter().enumerate().rev() {
            gather(graph.out(), level, &mut dependence, |vertex, dependence, to| {
                if depths[to] != UNREACHED && depths[to] as usize == depth + 1 {
                    paths[vertex] / paths[to] * (1.0 + dependence.get(to))
                } else {
                    0.0
                }
            });
        }
        for &vertex in levels.iter().flatten().filter(|&&vertex| vertex != source) {
            result.scores[vertex as usize] += dependence[vertex as usize];
        }
    }
    Ok(result)
}

/// Vertices to search from: so many different ones, drawn by `seed`, ascending; all if there are no more.
pub fn sample(vertices: usize, count: usize, seed: u64) -> Vec<u32> {
    if count >= vertices {
        return (0..vertices as u32).collect();
    }
    // Floyd's sampling without replacement, with the numbers of SplitMix64.
    let mut state = seed;
    let mut drawn = std::collections::BTreeSet::new();
    for most in vertices - count..vertices {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = state;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        let pick = ((u128::from(x ^ x >> 31) * (most as u128 + 1)) >> 64) as u32;
        if !drawn.insert(pick) {
            drawn.insert(most as u32);
        }
    }
    drawn.into_iter().collect()
}

/// The vertices at each depth, ascending.
fn by_depth(depths: &[u32], sizes: &[usize]) -> Vec<Vec<u32>> {
    let mut levels: Vec<Vec<u32>> = sizes.iter().map(|&size| Vec::with_capacity(size)).collect();
    for (vertex, &depth) in depths.iter().enumerate() {
        if depth != UNREACHED {
            levels[depth as usize].push(vertex as u32);
        }
    }
    levels
}

/// Sets the value of each vertex of a level to the sum of `term` over its row. A term may ask for the values of other levels.
fn gather<A: Rows>(
    rows: &A,
    level: &[u32],
    values: &mut [f64],
    term: impl Fn(usize, SharedOutput<'_, f64>, usize) -> f64 + Sync,
) {
    let shared = SharedOutput::new(values);
    let one = |&vertex: &u32| {
        let vertex = vertex as usize;
        let sum = rows.row(vertex).map_or(0.0, |row| {
            row.fold_runs(0.0, |sum, run| {
                run.coords().iter().fold(sum, |sum, &other| sum + term(vertex, shared, other as usize))
            })
        });
        shared.set(vertex, sum);
    };
    if level.len() <= ALONE {
        level.iter().for_each(one);
    } else {
        level.par_iter().with_min_len(ALONE / 8).for_each(one);
    }
}

/// What is wrong with scores.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BcWrong {
    /// There is not one score for each vertex.
    #[error("there are {found} scores for {vertices} vertices")]
    Length {
        /// How many there are.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// A score is not the one that Brandes' algorithm gives, by more than rounding explains.
    #[error("vertex {vertex} has score {found}, but {expected} is right")]
    Score {
        /// The vertex.
        vertex: usize,
        /// Its score.
        found: f64,
        /// The right score.
        expected: f64,
    },
}

/// The relative difference of two sums of the same terms in another order.
const ROUNDING: f64 = 1e-9;

/// Checks scores against Brandes' algorithm as published: a queue, a stack, and out-arcs only. Serial; O(n + m) a source.
///
/// # Errors
///
/// The first score that is wrong.
pub fn verify<A: Rows>(graph: Adjacency<'_, A>, sources: &[u32], found: &Betweenness) -> Result<(), BcWrong> {
    let vertices = graph.num_vertices();
    if found.scores.len() != vertices {
        return Err(BcWrong::Length { found: found.scores.len(), vertices });
    }
    let mut scores = vec![0.0; vertices];
    for &source in sources {
        let (mut depths, mut paths) = (vec![usize::MAX; vertices], vec![0.0; vertices]);
        (depths[source as usize], paths[source as usize]) = (0, 1.0);
        let (mut queue, mut next) = (vec![source as usize], 0);
        while let Some(&from) = queue.get(next) {
            next += 1;
            let Some(row) = graph.out().row(from) else { continue };
            row.fold_runs((), |(), run| {
                for to in run.coords().iter().map(|&to| to as usize) {
                    if depths[to] == usize::MAX {
                        depths[to] = depths[from] + 1;
                        queue.push(to);
                    }
                    if depths[to] == depths[from] + 1 {
                        paths[to] += paths[from];
                    }
                }
            });
        }
        let mut dependence = vec![0.0; vertices];
        while let Some(from) = queue.pop() {
            let Some(row) = graph.out().row(from) else { continue };
            let sum = row.fold_runs(0.0, |sum, run| {
                let later = run.coords().iter().map(|&to| to as usize).filter(|&to| depths[to] == depths[from] + 1);
                later.fold(sum, |sum, to| sum + (1.0 + dependence[to]) * (paths[from] / paths[to]))
            });
            dependence[from] = sum;
            if from != source as usize {
                scores[from] += sum;
            }
        }
    }
    for (vertex, (&found, &expected)) in found.scores.iter().zip(&scores).enumerate() {
        if (found - expected).abs() > ROUNDING * expected.abs() {
            return Err(BcWrong::Score { vertex, found, expected });
        }
    }
    Ok(())
}
