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
//! behind, so that no depth is read and nothing is divided for an arc. Every sum is gathered by the vertex that it belongs to, over its row in order, so the result is
//! the same on any number of threads. Paths are counted in floats. From a source with too many paths for these, as across large grids, they are counted in
//! numbers of a wider range. O(m) time for each source: the search and twice all arcs of what it reaches; `48 n` bytes, and `40 n` more for wider numbers. In small
//! graphs threads search from sources of their own, and take so many bytes each.
//!
//! Each level is the masked product `y(v) += A(u,v) * x(u)`, PageRank's kernel under a mask; it is written as a traversal because the mask is one level, and no rows
//! outside of it are read.

mod paths;

use std::ops::Range;

use pleach::Rows;
use pleach::runtime::{Fiber, SharedOutput, SplitMix64, first_coords, on_pool, par_parts, par_ranges, prefetch_at};
use pleach::traverse::Adjacency;

use self::paths::{Paths, Wide};
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

/// Vertices of a level whose rows one thread sums alone, and vertices whose values it replaces alone.
const ALONE: [usize; 2] = [256, 1 << 12];

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
    let (mut narrow, mut wide) = (Counts::<f64>::NONE, Counts::<Wide>::NONE);
    for &source in sources {
        let (_, levels) = levels(graph, source)?;
        result.depth = result.depth.max(levels.len() - 1);
        if !narrow.add(graph, incoming, &levels, &mut result.scores) {
            wide.add(graph, incoming, &levels, &mut result.scores);
        }
        graph.advance(1);
    }
    Ok(result)
}

/// The state of each vertex in one search.
struct Counts<P: Paths> {
    /// Paths from the source.
    paths: Vec<P::Cell>,
    /// The vector that rows are summed over, zero but for one level.
    masked: Vec<P::Cell>,
    dependence: Vec<f64>,
}

impl<P: Paths> Counts<P> {
    /// Of no vertices.
    const NONE: Self = Counts { paths: Vec::new(), masked: Vec::new(), dependence: Vec::new() };

    /// Adds the dependences on each vertex of the paths through `levels` to its score. Returns whether the paths could be counted.
    fn add<A: Rows>(&mut self, graph: Adjacency<'_, A>, incoming: &A, levels: &[Vec<u32>], scores: &mut [f64]) -> bool {
        let vertices = graph.bound();
        self.paths.resize_with(vertices, P::Cell::default);
        self.masked.resize_with(vertices, P::Cell::default);
        self.dependence.resize(vertices, 0.0);
        let (paths, masked) = (&self.paths[..], &self.masked[..]);
        let number = |vertex: usize| P::load(&paths[vertex]);
        let source = levels[0][0] as usize;
        P::ONE.store(&paths[source]);
        P::ONE.store(&masked[source]);
        for pair in levels.windows(2) {
            graph.check_cancel();
            sums(incoming, &pair[1], masked, |vertex, sum: P| sum.store(&paths[vertex]));
            replace(masked, &pair[0], &pair[1], number);
        }
        let (last, before) = levels.split_last().expect("the source is at depth 0");
        let counted = |&vertex: &u32| number(vertex as usize).is_counted();
        let all_counted = |level: &[u32]| par_parts(level.len(), ALONE[1], |range| level[range].iter().all(counted));
        if !levels.iter().all(|level| all_counted(level).into_iter().all(|all| all)) {
            replace(masked, last, &[], number);
            return false;
        }
        // From the deepest level back. The dependences of the deepest level are zero; those of each other level are sums over the next
        // deeper level. The source gets none.
        replace(masked, last, last, |vertex| number(vertex).divide(1.0));
        let mut behind = last;
        for level in before.iter().skip(1).rev() {
            graph.check_cancel();
            let (scores, dependences) = (SharedOutput::new(scores), SharedOutput::new(&mut self.dependence));
            sums(graph.out(), level, masked, |vertex, sum: P| {
                let dependence = number(vertex).times(sum);
                dependences.set(vertex, dependence);
                scores.set(vertex, scores.get(vertex) + dependence);
            });
            let dependence = &self.dependence;
            replace(masked, behind, level, |vertex| number(vertex).divide(1.0 + dependence[vertex]));
            behind = level;
        }
        replace(masked, behind, &[], number);
        P::NONE.store(&masked[source]);
        true
    }
}

/// Calls `some` with the vertices of a level: with all of them if there are at most `alone`, otherwise with parts of them in parallel.
fn over(level: &[u32], alone: usize, some: impl Fn(&[u32]) + Sync) {
    if level.len() <= alone {
        some(level);
    } else {
        par_ranges(level.len(), alone / 4, &|range: Range<usize>| some(&level[range]));
    }
}

/// Coordinates of a row whose numbers are prefetched.
const SOON: usize = 8;

/// Calls `each` with each vertex of a level and the sum of `x` over its row, in order.
fn sums<A: Rows, P: Paths>(rows: &A, level: &[u32], x: &[P::Cell], each: impl Fn(usize, P) + Sync) {
    let soon = |_, row: A::Fiber<'_>| first_coords(row, SOON, |other| prefetch_at(x, other as usize));
    over(level, ALONE[0], |level| {
        rows.each_ahead(level, soon, |vertex, row| {
            let sum = row.map_or(P::NONE, |row| {
                row.fold_runs(P::NONE, |sum, run| {
                    run.coords().iter().fold(sum, |sum, &other| sum.plus(P::load(&x[other as usize])))
                })
            });
            each(vertex as usize, sum);
        });
    });
}

/// Sets the numbers of one level to zero, and then those of another to `number` of each vertex.
fn replace<P: Paths>(numbers: &[P::Cell], old: &[u32], new: &[u32], number: impl Fn(usize) -> P + Sync) {
    over(old, ALONE[1], |old| old.iter().for_each(|&vertex| P::NONE.store(&numbers[vertex as usize])));
    over(new, ALONE[1], |new| new.iter().for_each(|&vertex| number(vertex as usize).store(&numbers[vertex as usize])));
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

/// What is wrong with scores.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BcWrong {
    /// The number of scores is not that of the vertices.
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
    /// The deepest level is another one.
    #[error("the deepest level is {found}, but {expected} is right")]
    Depth {
        /// The level found.
        found: usize,
        /// The right level.
        expected: usize,
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
    let vertices = graph.bound();
    if found.scores.len() != vertices {
        return Err(BcWrong::Length { found: found.scores.len(), vertices });
    }
    let (mut scores, mut deepest) = (vec![0.0; vertices], 0);
    for &source in sources {
        // Always in the wider numbers, so that the two kinds of numbers are checked against each other.
        let (mut depths, mut paths) = (vec![usize::MAX; vertices], vec![Wide::NONE; vertices]);
        (depths[source as usize], paths[source as usize]) = (0, Wide::ONE);
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
                        paths[to] = paths[to].plus(paths[from]);
                    }
                }
            });
        }
        deepest = queue.last().map_or(deepest, |&last| deepest.max(depths[last]));
        let mut dependence = vec![0.0; vertices];
        while let Some(from) = queue.pop() {
            let Some(row) = graph.out().row(from) else { continue };
            let sum = row.fold_runs(0.0, |sum, run| {
                let later = run.coords().iter().map(|&to| to as usize).filter(|&to| depths[to] == depths[from] + 1);
                later.fold(sum, |sum, to| sum + paths[from].times(paths[to].divide(1.0 + dependence[to])))
            });
            dependence[from] = sum;
            if from != source as usize {
                scores[from] += sum;
            }
        }
    }
    for (vertex, (&found, &expected)) in found.scores.iter().zip(&scores).enumerate() {
        if !(found == expected || (found - expected).abs() <= ROUNDING * expected.abs()) {
            return Err(BcWrong::Score { vertex, found, expected });
        }
    }
    if found.depth != deepest {
        return Err(BcWrong::Depth { found: found.depth, expected: deepest });
    }
    Ok(())
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
}
