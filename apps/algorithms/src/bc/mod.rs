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
//! Both are sums over whole rows of a vector that is zero outside of one level: `y(v) = Σ x(u)` with `x = σ` of the level before, or
//! `x = (1 + δ)/σ` of the level behind, so that no depth is read and nothing is divided for an arc. Every sum is gathered by the vertex that it belongs to,
//! over its row in order, so the result is the same on any number of threads. Only where a level is far smaller than the next one are numbers of paths added
//! along its out-arcs, and then they are so small that the order does not matter.
//!
//! Paths are counted in floats. Where these become too large, the numbers of a level and of all behind it are lowered by a power of two, as on large grids.
//! Where the numbers of one level are too far apart for that, all are counted in numbers of a wider range. O(m) time for each source: the search and up to
//! twice all arcs of what it reaches; `44 n` bytes, and `40 n` more for wider numbers. In small graphs threads search from sources of their own, and each
//! takes as many bytes.
//!
//! Each level is the masked product `y(v) += A(u,v) * x(u)`, PageRank's kernel under a mask; it is written as a traversal because the mask is one level, and no rows
//! outside of it are read.

mod counts;
mod paths;
mod verify;

use pleach::Rows;
use pleach::runtime::{SplitMix64, on_pool, par_parts};
use pleach::traverse::Adjacency;

use self::counts::Counts;
use self::paths::Wide;
pub use self::verify::{BcWrong, verify};
use crate::bfs::levels;
use crate::error::{NoSuchVertex, UnfitGraph, in_arcs};

/// Betweenness.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Betweenness {
    /// Score of each vertex.
    pub scores: Vec<f64>,
    /// The deepest level of any search.
    pub depth: usize,
}

/// Why betweenness cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BcError {
    /// A directed graph keeps no in-arcs.
    #[error(transparent)]
    Graph(#[from] UnfitGraph),
    /// A source is not in the graph.
    #[error(transparent)]
    Source(#[from] NoSuchVertex),
}

/// Computes betweenness by searches from `sources`. In-arcs must be at hand.
///
/// # Errors
///
/// [`BcError`] names a source that does not exist, or says that a directed graph keeps no in-arcs.
pub fn bc<'a, A: Rows + 'a>(graph: impl Into<Adjacency<'a, A>>, sources: &[u32]) -> Result<Betweenness, BcError> {
    let graph = graph.into();
    let incoming = in_arcs(graph, "bc")?;
    graph.announce("searches", Some(sources.len()));
    // On a thread of the pool, so that no thread has to be woken between two levels.
    if graph.bound() > SMALL || sources.len() < MANY {
        return on_pool(|| searches(graph, incoming, sources));
    }
    // Levels of a small graph are too short to be shared. Parts of the sources are the same on any number of threads, and so are the sums.
    let parts = on_pool(|| {
        par_parts(sources.len(), sources.len().div_ceil(PARTS), |range| searches(graph, incoming, &sources[range]))
    });
    let mut result = Betweenness { scores: vec![0.0; graph.bound()], depth: 0 };
    for part in parts {
        let part = part?;
        result.depth = result.depth.max(part.depth);
        result.scores.iter_mut().zip(part.scores).for_each(|(score, more)| *score += more);
    }
    Ok(result)
}

/// The largest number of vertices of a graph that threads search from sources of their own.
const SMALL: usize = 1 << 14;

/// The number of sources from which on threads search from some of them each.
const MANY: usize = 64;

/// Parts of the sources of a small graph.
const PARTS: usize = 16;

/// Searches from one source after the other, and adds up what each gives.
fn searches<A: Rows>(graph: Adjacency<'_, A>, incoming: &A, sources: &[u32]) -> Result<Betweenness, BcError> {
    let mut result = Betweenness { scores: vec![0.0; graph.bound()], depth: 0 };
    let (mut narrow, mut wide) = (Counts::<f64>::none(), Counts::<Wide>::none());
    for &source in sources {
        let levels = levels(graph, source)?;
        result.depth = result.depth.max(levels.len() - 1);
        if !narrow.add(graph, incoming, &levels, &mut result.scores) {
            wide.add(graph, incoming, &levels, &mut result.scores);
        }
        graph.advance(1);
    }
    Ok(result)
}

/// A sample of vertices to search from: `count` different numbers below `vertices`, drawn by `seed`, ascending; all of them if there are no more. In a
/// graph from which vertices were removed, they are places in the order of its [vertices](Adjacency::vertices).
pub fn sample(vertices: usize, count: usize, seed: u64) -> Vec<u32> {
    if count >= vertices {
        return (0..vertices as u32).collect();
    }
    // Floyd's sampling without replacement, with the numbers of SplitMix64.
    let mut random = SplitMix64(seed);
    let mut drawn = std::collections::BTreeSet::new();
    for most in vertices - count..vertices {
        let pick = random.below(most as u64 + 1) as u32;
        if !drawn.insert(pick) {
            drawn.insert(most as u32);
        }
    }
    drawn.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach::{BuildOptions, Csr, EdgeList};

    #[test]
    fn sums_of_many_searches_are_the_same_on_any_number_of_threads() {
        let mut random = SplitMix64(5);
        let mut edges = EdgeList::new(300, 300);
        (0..900).for_each(|_| edges.push(random.below(300) as u32, random.below(300) as u32, ()));
        let csr = Csr::from_edges(&edges, &BuildOptions::default().with_undirected(true)).expect("in range").0;
        let view = csr.view();
        let graph = Adjacency::undirected(&view).expect("symmetric");
        for searches in [MANY - 1, MANY, MANY + 1, 300] {
            let sources = sample(300, searches, 1);
            let found = [1, 2, 5].map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                pool.install(|| bc(graph, &sources)).expect("the sources are vertices")
            });
            assert_eq!(found[0], found[1]);
            assert_eq!(found[0], found[2]);
            verify(graph, &sources, &found[0]).expect("the scores are those of a queue and a stack");
        }
        let wrong = [&sample(300, 100, 1)[..], &[300]].concat();
        assert!(matches!(bc(graph, &wrong), Err(BcError::Source(_))));
    }

    #[test]
    fn dependences_add_up_where_no_float_counts_the_paths() {
        // Across 560 by 560 vertices there are more than 10^330 shortest paths from corner to corner.
        let side = 560u32;
        let mut edges = EdgeList::new(560 * 560, 560 * 560);
        for (x, y) in (0..side).flat_map(|y| (0..side).map(move |x| (x, y))) {
            let at = y * side + x;
            if x + 1 < side {
                edges.push(at, at + 1, ());
            }
            if y + 1 < side {
                edges.push(at, at + side, ());
            }
        }
        let csr = Csr::from_edges(&edges, &BuildOptions::default().with_undirected(true)).expect("in range").0;
        let view = csr.view();
        let found = bc(Adjacency::undirected(&view).expect("symmetric"), &[0]).expect("there is a vertex 0");
        // A shortest path to a vertex at distance d has d - 1 vertices in between, and the dependences on all vertices count just these.
        let distances = (0..side).flat_map(|y| (0..side).map(move |x| x + y));
        let between: f64 = distances.map(|distance| f64::from(distance.saturating_sub(1))).sum();
        let sum: f64 = found.scores.iter().sum();
        assert!((sum - between).abs() <= 1e-9 * between, "{sum} is not {between}");
        // The grid is the same mirrored in its diagonal.
        let mirrored = |x: u32, y: u32| (found.scores[(y * side + x) as usize], found.scores[(x * side + y) as usize]);
        for (a, b) in (0..side).flat_map(|y| (0..y).map(move |x| mirrored(x, y))) {
            assert!((a - b).abs() <= 1e-9 * a.abs(), "{a} is not {b}");
        }
        verify(Adjacency::undirected(&view).expect("symmetric"), &[0], &found)
            .expect("the scores are those of a queue and a stack");
    }

    #[test]
    fn numbers_too_far_apart_for_floats_are_wider() {
        // Along 2100 diamonds there are 2^2100 paths, beside a single one of the same length: 0 is where both begin.
        let diamonds = 2100u32;
        let vertices = 1 + 5 * diamonds;
        let mut edges = EdgeList::new(vertices as usize, vertices as usize);
        let mut ends = [0, 0];
        for first in (0..diamonds).map(|k| 1 + 5 * k) {
            for side in [first, first + 1] {
                edges.push(ends[0], side, ());
                edges.push(side, first + 2, ());
            }
            edges.push(ends[1], first + 3, ());
            edges.push(first + 3, first + 4, ());
            ends = [first + 2, first + 4];
        }
        let csr = Csr::from_edges(&edges, &BuildOptions::default().with_undirected(true)).expect("in range").0;
        let view = csr.view();
        let graph = Adjacency::undirected(&view).expect("symmetric");
        let levels = levels(graph, 0).expect("there is a vertex 0");
        let mut scores = vec![0.0; vertices as usize];
        assert!(!Counts::<f64>::none().add(graph, &view, &levels, &mut scores), "2^2100 and 1 are at one depth");
        let found = bc(graph, &[0]).expect("there is a vertex 0");
        verify(graph, &[0], &found).expect("counted in wider numbers");
        let between: usize = levels.iter().enumerate().skip(1).map(|(depth, level)| (depth - 1) * level.len()).sum();
        let sum: f64 = found.scores.iter().sum();
        assert!((sum - between as f64).abs() <= 1e-9 * between as f64, "{sum} is not {between}");
    }
}
