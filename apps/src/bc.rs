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
//! Both are sums over whole rows of a vector that is zero outside of one level: `y(v) = Σ x(u)` with `x = σ` of the level before, or `x = (1 + δ)/σ` of the level
//! behind, so that no arc asks for depths and none divides. Every sum is gathered by the vertex that it belongs to, over its row in order, so the result is
//! the same on any number of threads. O(m) time for each source: the search and twice all arcs of what it reaches; `48 n` bytes.
//!
//! Each level is the masked product `y(v) += A(u,v) * x(u)`, PageRank's kernel under a mask; it is a traversal because the mask is one level, and rows outside
//! of it are not to be read.

use pleach::Rows;
use pleach::runtime::{Fiber, SharedOutput};
use pleach::traverse::Adjacency;
use rayon::prelude::*;

use crate::bfs::levels;
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

/// Vertices of a level whose rows one thread sums alone, and vertices whose values it replaces alone.
const ALONE: [usize; 2] = [256, 1 << 12];

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
    // Paths from the source; and the vector that rows are summed over, zero but for one level.
    let (mut paths, mut masked, mut dependence) = (vec![0.0; vertices], vec![0.0; vertices], vec![0.0; vertices]);
    for &source in sources {
        let (_, levels) = levels(graph, source)?;
        result.depth = result.depth.max(levels.len() - 1);
        paths[source as usize] = 1.0;
        masked[source as usize] = 1.0;
        for pair in levels.windows(2) {
            let shared = SharedOutput::new(&mut paths);
            sums(graph.incoming(), &pair[1], &masked, |vertex, sum| shared.set(vertex, sum));
            replace(&mut masked, &pair[0], &pair[1], |vertex| paths[vertex]);
        }
        let counted = |&vertex: &u32| paths[vertex as usize].is_finite();
        if !levels.iter().all(|level| level.par_iter().with_min_len(ALONE[1]).all(counted)) {
            return Err(BcError::Paths { from: source });
        }
        // From the deepest level back: its dependences are zero, those of each other sums over the level behind. The source gets none.
        let (last, before) = levels.split_last().expect("the source is at depth 0");
        replace(&mut masked, last, last, |vertex| 1.0 / paths[vertex]);
        let mut behind = last;
        for level in before.iter().skip(1).rev() {
            let (scores, dependences) = (SharedOutput::new(&mut result.scores), SharedOutput::new(&mut dependence));
            sums(graph.out(), level, &masked, |vertex, sum| {
                let dependence = paths[vertex] * sum;
                dependences.set(vertex, dependence);
                scores.set(vertex, scores.get(vertex) + dependence);
            });
            replace(&mut masked, behind, level, |vertex| (1.0 + dependence[vertex]) / paths[vertex]);
            behind = level;
        }
        replace(&mut masked, behind, &[], |_| 0.0);
        masked[source as usize] = 0.0;
    }
    Ok(result)
}

/// Calls `each` with the vertices of a level, in parallel where they are more than one thread does alone.
fn over(level: &[u32], alone: usize, each: impl Fn(usize) + Sync) {
    if level.len() <= alone {
        level.iter().for_each(|&vertex| each(vertex as usize));
    } else {
        level.par_iter().with_min_len(alone / 8).for_each(|&vertex| each(vertex as usize));
    }
}

/// Calls `each` with each vertex of a level and the sum of `x` over its row, in order.
fn sums<A: Rows>(rows: &A, level: &[u32], x: &[f64], each: impl Fn(usize, f64) + Sync) {
    over(level, ALONE[0], |vertex| {
        let sum = rows.row(vertex).map_or(0.0, |row| {
            row.fold_runs(0.0, |sum, run| run.coords().iter().fold(sum, |sum, &other| sum + x[other as usize]))
        });
        each(vertex, sum);
    });
}

/// Sets the values of one level to zero and then those of another to what `value` says.
fn replace(values: &mut [f64], old: &[u32], new: &[u32], value: impl Fn(usize) -> f64 + Sync) {
    let values = SharedOutput::new(values);
    over(old, ALONE[1], |vertex| values.set(vertex, 0.0));
    over(new, ALONE[1], |vertex| values.set(vertex, value(vertex)));
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
