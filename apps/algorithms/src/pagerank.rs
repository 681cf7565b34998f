//! PageRank, global and personalised.
//!
//! The rank of vertex `i` is the fixed point of
//!
//! ```text
//!   r(i) = (1 - c) t(i)  +  c Σ_j A(i,j) r(j) / d(j)  +  c t(i) Σ_{d(j) = 0} r(j)
//! ```
//!
//! with damping `c`, out-degrees `d`, `A(i,j) = 1` where `j` leads to `i`, and the teleport distribution `t`: uniform, or
//! concentrated on given vertices (personalised). The rank of dangling vertices is distributed like the teleport. The fixed point is
//! computed by power iteration from `t` (Page, Brin, Motwani & Winograd, *The PageRank Citation Ranking*, 1999; dangling
//! vertices as in LDBC Graphalytics); the error shrinks by the factor `c` an iteration, so a tolerance of 1e-10 takes about
//! 140 iterations at `c = 0.85`, fewer on most graphs. An iteration reads every arc once and gathers one number for it: in 64 bits, or in
//! 32 with [`pagerank_in`].

use pleach::Rows;
use pleach::kernels::pagerank::{sum_shares, sum_shares_f32};
use pleach::kernels::{ShapeError, check_extents};
use pleach::runtime::{Fiber, par_items, par_map};
use pleach::traverse::Adjacency;

use crate::error::{UnfitGraph, in_arcs};

/// How to compute PageRank.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PageRank {
    /// Probability of following an arc rather than teleporting; in `[0, 1)`. Default 0.85.
    pub damping: f64,
    /// When to stop. By default at a change of 1e-10, or after 1000 iterations.
    pub stop: Stop,
    /// Vertices to teleport to, with weights that need not sum to one; empty, the default, means all, uniformly.
    pub personalisation: Vec<(u32, f64)>,
}

impl PageRank {
    /// The probability of following an arc, in `[0, 1)`.
    #[must_use]
    pub fn with_damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }

    /// When the iteration ends.
    #[must_use]
    pub fn with_stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// Vertices to teleport to, with their weights.
    #[must_use]
    pub fn with_personalisation(mut self, personalisation: Vec<(u32, f64)>) -> Self {
        self.personalisation = personalisation;
        self
    }
}

/// When the iteration ends.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

impl Stop {
    /// The number of iterations, where it is known before.
    fn known(self) -> Option<usize> {
        match self {
            Stop::Tolerance { .. } => None,
            Stop::Iterations(count) => Some(count),
        }
    }
}

impl Default for PageRank {
    fn default() -> Self {
        PageRank { damping: 0.85, stop: Stop::Tolerance { change: 1e-10, most: 1000 }, personalisation: Vec::new() }
    }
}

/// Ranks, and how the iteration went.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ranks<T = f64> {
    /// Rank of each vertex; they sum to one up to rounding. That of a number that is not a vertex is 0.
    pub ranks: Vec<T>,
    /// Iterations taken.
    pub iterations: usize,
    /// Sum of absolute changes in the last iteration (infinite if there was none).
    pub residual: f64,
    /// Whether the tolerance was reached (true for a fixed number of iterations).
    pub converged: bool,
}

/// Why PageRank cannot be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PageRankError {
    /// The damping factor is not a probability below one.
    #[error("damping must be at least 0 and below 1, not {0}")]
    Damping(f64),
    /// The tolerance is not a positive number.
    #[error("the tolerance must be a positive number, not {0}")]
    Tolerance(f64),
    /// A vertex to teleport to does not exist.
    #[error("personalisation names vertex {vertex}, but there are only {vertices} vertices")]
    Vertex {
        /// The vertex.
        vertex: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A teleport weight is negative, infinite or not a number, or all are zero.
    #[error("personalisation weights must be finite, not negative and not all zero (vertex {vertex} has {weight})")]
    Weight {
        /// The vertex.
        vertex: u32,
        /// Its weight.
        weight: f64,
    },
    /// The graph is directed and keeps no in-arcs.
    #[error(transparent)]
    Graph(#[from] UnfitGraph),
    /// The matrix is not square or the degrees do not fit it.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// Computes the PageRank of a graph. A directed graph must keep its in-arcs.
///
/// ```
/// use pleach::graph::{Graph, GraphOptions};
/// use pleach_algorithms::pagerank::{PageRank, pagerank, top};
///
/// let graph: Graph = Graph::new(GraphOptions::default());
/// graph.insert([(0, 2), (1, 2), (2, 3), (3, 2)])?;
/// let found = pagerank(&graph.fresh(), &PageRank::default())?;
/// // All arcs lead towards vertex 2.
/// assert_eq!(top(&found.ranks, 1)[0].0, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`PageRankError`] says which option is wrong, or that there are no in-arcs.
pub fn pagerank<'a, A: Rows + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    options: &PageRank,
) -> Result<Ranks, PageRankError> {
    pagerank_in(graph, options)
}

/// [`pagerank`] in numbers of a type. In 32 bits, the array that arcs gather from is half as large; a rank then has seven digits, and a
/// tolerance below about 1e-6 may never be reached.
///
/// ```
/// use pleach::graph::{Graph, GraphOptions};
/// use pleach_algorithms::pagerank::{PageRank, Ranks, Stop, pagerank_in};
///
/// let graph: Graph = Graph::new(GraphOptions::default());
/// graph.insert([(0, 1), (1, 0)])?;
/// let found: Ranks<f32> = pagerank_in(&graph.fresh(), &PageRank::default().with_stop(Stop::Iterations(10)))?;
/// assert_eq!(found.ranks, [0.5, 0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`pagerank`].
pub fn pagerank_in<'a, T: Rank, A: Rows + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    options: &PageRank,
) -> Result<Ranks<T>, PageRankError> {
    let graph = graph.into();
    let incoming = in_arcs(graph, "pagerank")?;
    let teleport = Teleport::new(graph, &options.personalisation)?;
    let degrees = graph.out().row_degrees();
    graph.announce("iterations", options.stop.known());
    let kernel = &mut |sums: &mut [T], shares: &[T]| {
        graph.advance(1);
        T::sum_shares(sums, incoming, shares)
    };
    iterate(kernel, &degrees, teleport, options, &mut |_, _| ())
}

/// Numbers that ranks are kept in: `f64` or `f32`. Sums over all vertices are in 64 bits for both.
pub trait Rank: Copy + Default + Send + Sync + sealed::Kernel {}

impl Rank for f64 {}
impl Rank for f32 {}

mod sealed {
    use super::*;

    /// What an iteration needs of a number.
    pub trait Kernel: Sized {
        fn of(number: f64) -> Self;
        fn wide(self) -> f64;
        /// Adds `A w` to `sums`.
        fn sum_shares<A: Rows>(sums: &mut [Self], a: &A, shares: &[Self]) -> Result<(), ShapeError>;
    }

    impl Kernel for f64 {
        fn of(number: f64) -> f64 {
            number
        }

        fn wide(self) -> f64 {
            self
        }

        fn sum_shares<A: Rows>(sums: &mut [f64], a: &A, shares: &[f64]) -> Result<(), ShapeError> {
            sum_shares(sums, a, shares)
        }
    }

    impl Kernel for f32 {
        fn of(number: f64) -> f32 {
            number as f32
        }

        fn wide(self) -> f64 {
            f64::from(self)
        }

        fn sum_shares<A: Rows>(sums: &mut [f32], a: &A, shares: &[f32]) -> Result<(), ShapeError> {
            sum_shares_f32(sums, a, shares)
        }
    }
}

/// Computes the PageRank of a directed graph of which only the rows of in-arcs and the out-degree of each vertex are held, which saves
/// half of the memory. `progress` is called with the number and the residual of each iteration.
///
/// # Errors
///
/// [`PageRankError`] says which option or shape is wrong.
pub fn from_in_arcs<A: Rows>(
    in_arcs: &A,
    out_degrees: &[u32],
    options: &PageRank,
    mut progress: impl FnMut(usize, f64),
) -> Result<Ranks, PageRankError> {
    check_extents("`A` along `i`", in_arcs.num_rows(), "`A` along `j`", in_arcs.num_cols())?;
    check_extents("`d` along `j`", out_degrees.len(), "`A` along `j`", in_arcs.num_cols())?;
    let teleport = Teleport::new(Adjacency::outward(in_arcs).expect("it was found square"), &options.personalisation)?;
    iterate(&mut |sums, shares| sum_shares(sums, in_arcs, shares), out_degrees, teleport, options, &mut progress)
}

/// A kernel that adds `A w` to its first argument, where `w` is its second.
type Kernel<'a, T> = dyn FnMut(&mut [T], &[T]) -> Result<(), ShapeError> + 'a;

/// [`pagerank`] by a kernel: all but the kernel is compiled once for all stores.
fn iterate<T: Rank>(
    kernel: &mut Kernel<'_, T>,
    out_degrees: &[u32],
    teleport: Teleport,
    options: &PageRank,
    progress: &mut dyn FnMut(usize, f64),
) -> Result<Ranks<T>, PageRankError> {
    let vertices = out_degrees.len();
    if !(0.0..1.0).contains(&options.damping) {
        return Err(PageRankError::Damping(options.damping));
    }
    let (change, most) = match options.stop {
        Stop::Tolerance { change, .. } if change.is_nan() || change <= 0.0 => {
            return Err(PageRankError::Tolerance(change));
        }
        Stop::Tolerance { change, most } => (change, most),
        Stop::Iterations(count) => (f64::NEG_INFINITY, count),
    };
    let mut ranks: Vec<T> = par_map(vertices, CHUNK, |i| T::of(teleport.at(i)));
    let mut result = Ranks { ranks: Vec::new(), iterations: 0, residual: f64::INFINITY, converged: false };
    // w(j) = r(j) / d(j): one division a vertex instead of one an arc.
    let zeros = || par_map(vertices, CHUNK, |_| T::default());
    let (mut shares, mut gathered) = (zeros(), zeros());
    let share = |rank: f64, degree: u32| if degree == 0 { (0.0, rank) } else { (rank / f64::from(degree), 0.0) };
    let mut dangling = ordered_sum(&mut ranks, &mut shares, &mut gathered, out_degrees, |_, rank, to, _, degree| {
        let (share, dangles) = share(rank.wide(), degree);
        *to = T::of(share);
        (0.0, dangles)
    })
    .1;
    while result.iterations < most && result.residual > change && vertices > 0 {
        kernel(&mut gathered, &shares)?;
        let spread = (1.0 - options.damping) + options.damping * dangling;
        // One pass over the vertices finishes the iteration and clears the sums for the next one.
        (result.residual, dangling) =
            ordered_sum(&mut ranks, &mut shares, &mut gathered, out_degrees, |i, rank, to, sum, degree| {
                let next = options.damping * std::mem::take(sum).wide() + spread * teleport.at(i);
                let difference = (next - rank.wide()).abs();
                let (share, dangles) = share(next, degree);
                (*rank, *to) = (T::of(next), T::of(share));
                (difference, dangles)
            });
        result.iterations += 1;
        progress(result.iterations, result.residual);
    }
    result.converged = matches!(options.stop, Stop::Iterations(_)) || result.residual <= change || vertices == 0;
    result.ranks = ranks;
    Ok(result)
}

/// Vertices whose partial sums are added up in order.
const CHUNK: usize = 4096;

/// Calls `f` with each vertex, its entry in each of the three arrays, and its degree, and sums the two numbers that `f` returns. The order of the sums
/// depends on the length only, not on the number of threads.
fn ordered_sum<T: Rank>(
    ranks: &mut [T],
    shares: &mut [T],
    sums: &mut [T],
    degrees: &[u32],
    f: impl Fn(usize, &mut T, &mut T, &mut T, u32) -> (f64, f64) + Sync,
) -> (f64, f64) {
    let add = |a: (f64, f64), b: (f64, f64)| (a.0 + b.0, a.1 + b.1);
    let chunks = ranks.chunks_mut(CHUNK).zip(shares.chunks_mut(CHUNK)).zip(sums.chunks_mut(CHUNK));
    let chunks = chunks.zip(degrees.chunks(CHUNK)).enumerate();
    let partial = par_items(chunks.collect(), |(chunk, (((ranks, shares), sums), degrees))| {
        let each = ranks.iter_mut().zip(shares).zip(sums).zip(degrees).enumerate();
        each.map(|(k, (((rank, share), sum), &degree))| f(chunk * CHUNK + k, rank, share, sum, degree))
            .fold((0.0, 0.0), add)
    });
    partial.into_iter().fold((0.0, 0.0), add)
}

/// The distribution `t`.
enum Teleport {
    Uniform(f64),
    Personal(Vec<f64>),
}

impl Teleport {
    fn new<A: Rows>(graph: Adjacency<'_, A>, personalisation: &[(u32, f64)]) -> Result<Self, PageRankError> {
        let vertices = graph.num_vertices();
        if personalisation.is_empty() {
            let share = 1.0 / vertices as f64;
            if graph.is_compact() {
                return Ok(Teleport::Uniform(share));
            }
            let mut shares = vec![share; graph.bound()];
            graph.absent().for_each(|gap| shares[gap as usize] = 0.0);
            return Ok(Teleport::Personal(shares));
        }
        let mut weights = vec![0.0; graph.bound()];
        for &(vertex, weight) in personalisation {
            if !(weight.is_finite() && weight >= 0.0) {
                return Err(PageRankError::Weight { vertex, weight });
            }
            if !graph.has_vertex(vertex) {
                return Err(PageRankError::Vertex { vertex, vertices });
            }
            weights[vertex as usize] += weight;
        }
        let sum: f64 = weights.iter().sum();
        if !(sum > 0.0 && sum.is_finite()) {
            let (vertex, weight) = personalisation[0];
            return Err(PageRankError::Weight { vertex, weight });
        }
        weights.iter_mut().for_each(|weight| *weight /= sum);
        Ok(Teleport::Personal(weights))
    }

    #[inline(always)]
    fn at(&self, vertex: usize) -> f64 {
        match self {
            Teleport::Uniform(share) => *share,
            Teleport::Personal(weights) => weights[vertex],
        }
    }
}

/// What is wrong with ranks.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RanksWrong {
    /// The number of ranks is not that of the vertices.
    #[error("there are {found} ranks for {vertices} vertices")]
    Length {
        /// How many there are.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// The ranks do not sum to one.
    #[error("the ranks sum to {0}, and not to 1")]
    Sum(f64),
    /// One more iteration changes more than the tolerance allows.
    #[error("one more iteration changes the ranks by {change}, and by no more than {most} is right")]
    NotFixed {
        /// The sum of the changes.
        change: f64,
        /// The tolerance.
        most: f64,
    },
    /// A rank is not the one that this number of iterations gives, by more than rounding explains.
    #[error("vertex {vertex} has rank {found}, but {expected} is right")]
    Rank {
        /// The vertex.
        vertex: usize,
        /// Its rank.
        found: f64,
        /// The right rank.
        expected: f64,
    },
}

/// The largest difference that rounding explains.
const ROUNDING: f64 = 1e-9;

/// Checks the ranks of a graph by the equation that defines them, arc by arc and without a kernel. `a` has the rows of in-arcs, and every row is a
/// vertex. A fixed number of iterations is computed again; ranks within a tolerance must change by no more than that in another iteration.
/// Serial; O(n + m) an iteration.
///
/// # Errors
///
/// The first thing that is wrong.
pub fn verify<A: Rows>(a: &A, options: &PageRank, found: &[f64]) -> Result<(), RanksWrong> {
    let vertices = a.num_rows();
    if found.len() != vertices {
        return Err(RanksWrong::Length { found: found.len(), vertices });
    }
    if vertices == 0 {
        return Ok(());
    }
    let sum: f64 = found.iter().sum();
    if sum.is_nan() || (sum - 1.0).abs() > ROUNDING {
        return Err(RanksWrong::Sum(sum));
    }
    let mut arcs = Vec::new();
    let mut degrees = vec![0.0; vertices];
    a.rows(|to, row| {
        row.fold_runs((), |(), run| {
            for &from in run.coords() {
                arcs.push((from as usize, to));
                degrees[from as usize] += 1.0;
            }
        });
    });
    let mut teleport = vec![0.0; vertices];
    options.personalisation.iter().for_each(|&(vertex, weight)| teleport[vertex as usize] += weight);
    if options.personalisation.is_empty() {
        teleport.fill(1.0);
    }
    let whole: f64 = teleport.iter().sum();
    let iterate = |ranks: &[f64]| {
        let dangling: f64 = (0..vertices).filter(|&vertex| degrees[vertex] == 0.0).map(|vertex| ranks[vertex]).sum();
        let spread = 1.0 - options.damping + options.damping * dangling;
        let mut next: Vec<f64> = teleport.iter().map(|weight| spread * weight / whole).collect();
        arcs.iter().for_each(|&(from, to)| next[to] += options.damping * ranks[from] / degrees[from]);
        next
    };
    match options.stop {
        Stop::Tolerance { change: most, .. } => {
            let next = iterate(found);
            let change: f64 = next.iter().zip(found).map(|(next, rank)| (next - rank).abs()).sum();
            // As many roundings as there are vertices, of numbers that sum to one.
            let most = most + 1e-15 * (vertices as f64).sqrt().max(10.0);
            if change <= most { Ok(()) } else { Err(RanksWrong::NotFixed { change, most }) }
        }
        Stop::Iterations(count) => {
            let start = teleport.iter().map(|weight| weight / whole).collect();
            let expected: Vec<f64> = (0..count).fold(start, |ranks: Vec<f64>, _| iterate(&ranks));
            let wrong = found.iter().zip(&expected).position(|(a, b)| (a - b).abs() > ROUNDING * b.abs());
            match wrong {
                Some(vertex) => Err(RanksWrong::Rank { vertex, found: found[vertex], expected: expected[vertex] }),
                None => Ok(()),
            }
        }
    }
}

/// The `k` vertices of the highest rank, highest first; ties by vertex. Takes O(n) and O(k log k).
pub fn top(ranks: &[f64], k: usize) -> Vec<(u32, f64)> {
    let mut order: Vec<u32> = (0..ranks.len() as u32).collect();
    let by_rank = |&a: &u32, &b: &u32| ranks[b as usize].total_cmp(&ranks[a as usize]).then(a.cmp(&b));
    let k = k.min(order.len());
    if k > 0 && k < order.len() {
        order.select_nth_unstable_by(k - 1, by_rank);
    }
    order.truncate(k);
    order.sort_unstable_by(by_rank);
    order.into_iter().map(|vertex| (vertex, ranks[vertex as usize])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach::Csr;

    /// Rows of in-arcs and out-degrees of a small graph.
    fn graph(vertices: usize, arcs: &[(u32, u32)]) -> (Csr<()>, Vec<u32>) {
        let mut degrees = vec![0; vertices];
        let mut rows = vec![Vec::new(); vertices];
        for &(from, to) in arcs {
            degrees[from as usize] += 1;
            rows[to as usize].push(from);
        }
        let mut offsets = vec![0];
        let mut coords = Vec::new();
        for row in &mut rows {
            row.sort_unstable();
            coords.extend_from_slice(row);
            offsets.push(coords.len());
        }
        (Csr::from_pattern(vertices, offsets, coords).expect("rows are sorted"), degrees)
    }

    fn run(vertices: usize, arcs: &[(u32, u32)], options: &PageRank) -> Result<Ranks, PageRankError> {
        let (a, degrees) = graph(vertices, arcs);
        from_in_arcs(&a.view(), &degrees, options, |_, _| ())
    }

    #[test]
    fn a_cycle_is_uniform() {
        let ranks = run(4, &[(0, 1), (1, 2), (2, 3), (3, 0)], &PageRank::default()).unwrap();
        assert!(ranks.converged);
        assert!(ranks.ranks.iter().all(|rank| (rank - 0.25).abs() < 1e-12));
    }

    #[test]
    fn dangling_rank_is_kept() {
        let ranks = run(3, &[(0, 1), (0, 2)], &PageRank::default()).unwrap();
        assert!((ranks.ranks.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // r0 = t (1 + c ∑ dangling ...): solved by hand for two dangling vertices below one source.
        let c = 0.85;
        let r0 = (1.0 / 3.0) / (1.0 + c / 3.0);
        assert!((ranks.ranks[0] - r0).abs() < 1e-9, "{} is not {r0}", ranks.ranks[0]);
    }

    #[test]
    fn ranks_in_32_bits_are_those_in_64_rounded() {
        // A vertex without arcs out, one without arcs in, and a cycle.
        let (a, _) = graph(5, &[(0, 1), (1, 2), (2, 0), (3, 0), (0, 4)]);
        let out = Csr::from_pattern(5, vec![0, 2, 3, 4, 5, 5], vec![1, 4, 2, 0, 0]).expect("rows are sorted");
        let (out, a) = (out.view(), a.view());
        let both = Adjacency::directed(&out, &a).expect("both have the same arcs");
        for personalisation in [vec![], vec![(3, 2.0), (1, 1.0)]] {
            let options = PageRank { personalisation, stop: Stop::Iterations(30), ..PageRank::default() };
            let wide = pagerank(both, &options).unwrap().ranks;
            let narrow: Ranks<f32> = pagerank_in(both, &options).unwrap();
            assert_eq!(verify(&a, &options, &wide), Ok(()));
            assert!(narrow.converged && narrow.iterations == 30);
            for (narrow, wide) in narrow.ranks.iter().zip(&wide) {
                assert!((f64::from(*narrow) - wide).abs() <= 1e-6 * wide.abs(), "{narrow} is not {wide}");
            }
        }
        // Seven digits are within reach of a change of a millionth.
        let options = PageRank { stop: Stop::Tolerance { change: 1e-6, most: 1000 }, ..PageRank::default() };
        assert!(pagerank_in::<f32, _>(both, &options).unwrap().converged);
    }

    #[test]
    fn the_empty_graph_has_no_ranks() {
        let ranks = run(0, &[], &PageRank::default()).unwrap();
        assert!(ranks.ranks.is_empty() && ranks.converged);
    }

    #[test]
    fn personalisation_concentrates_rank() {
        let options = PageRank { personalisation: vec![(1, 2.0)], ..PageRank::default() };
        let ranks = run(3, &[(0, 1), (1, 0)], &options).unwrap();
        assert_eq!(ranks.ranks[2], 0.0);
        assert!(ranks.ranks[1] > ranks.ranks[0]);
    }

    #[test]
    fn wrong_options_are_named() {
        let arcs = [(0, 1)];
        let with = |change: fn(&mut PageRank)| {
            let mut options = PageRank::default();
            change(&mut options);
            run(2, &arcs, &options).unwrap_err().to_string()
        };
        assert!(with(|o| o.damping = 1.0).contains("damping"));
        assert!(with(|o| o.damping = f64::NAN).contains("damping"));
        assert!(with(|o| o.stop = Stop::Tolerance { change: 0.0, most: 9 }).contains("tolerance"));
        assert!(with(|o| o.personalisation = vec![(7, 1.0)]).contains("vertex 7"));
        assert!(with(|o| o.personalisation = vec![(1, -1.0)]).contains("weights"));
        assert!(with(|o| o.personalisation = vec![(1, 0.0)]).contains("weights"));
    }

    #[test]
    fn wrong_ranks_are_found() {
        let arcs = [(0, 1), (1, 2), (2, 0), (2, 3)];
        let (a, _) = graph(4, &arcs);
        for stop in [Stop::Iterations(5), PageRank::default().stop] {
            for personalisation in [vec![], vec![(1, 3.0), (3, 1.0)]] {
                let options = PageRank { stop, personalisation, ..PageRank::default() };
                let ranks = run(4, &arcs, &options).unwrap().ranks;
                assert_eq!(verify(&a.view(), &options, &ranks), Ok(()));
                let mut moved = ranks.clone();
                (moved[0], moved[1]) = (ranks[0] + 1e-6, ranks[1] - 1e-6);
                assert!(matches!(
                    verify(&a.view(), &options, &moved),
                    Err(RanksWrong::NotFixed { .. } | RanksWrong::Rank { vertex: 0, .. })
                ));
                moved[1] = f64::NAN;
                assert!(matches!(verify(&a.view(), &options, &moved), Err(RanksWrong::Sum(_))));
                assert!(matches!(verify(&a.view(), &options, &ranks[..3]), Err(RanksWrong::Length { .. })));
            }
        }
    }

    #[test]
    fn the_highest_come_first() {
        assert_eq!(top(&[0.1, 0.4, 0.1, 0.4], 3), vec![(1, 0.4), (3, 0.4), (0, 0.1)]);
        assert!(top(&[], 3).is_empty() && top(&[1.0], 0).is_empty());
    }
}
