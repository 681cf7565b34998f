//! Power iteration. A kernel reads the rows, so that the rest is compiled once for all stores.

use pleach::Rows;
use pleach::kernels::ShapeError;
use pleach::runtime::{par_items, par_map};

use super::distribution::Walks;
use super::{PageRank, PageRankError, Ranks, Stop};
use crate::copied::Copied;

/// Numbers that ranks are kept in: `f64` or `f32`. Sums over all vertices are in 64 bits for both.
pub trait Rank: Copy + Default + Send + Sync + sealed::Kernel {}

impl Rank for f64 {}
impl Rank for f32 {}

pub(super) mod sealed {
    use pleach::kernels::pagerank::{sum_shares, sum_shares_f32};

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

/// A kernel that adds `A w` to its first argument, where `w` is its second.
pub(super) type Kernel<'a, T> = dyn FnMut(&mut [T], &[T]) -> Result<(), ShapeError> + 'a;

/// Rows that one task adds up.
const ROWS: usize = 1 << 10;

/// Adds `A w` to `sums`, where `A(i,j)` is the weight of the arc from `j` to `i`.
pub(super) fn sum_weighted(sums: &mut [f64], arcs: &Copied, shares: &[f64]) {
    par_items(sums.chunks_mut(ROWS).enumerate().collect(), |(chunk, sums)| {
        let rows = (chunk * ROWS) as u32..;
        rows.zip(sums).for_each(|(row, sum)| *sum += arcs.sum(row, shares));
    });
}

/// What the rank of a vertex is divided by: the number of its out-arcs, or the sum of their weights. Zero for a dangling vertex.
pub(super) trait Outflow: Copy + Into<f64> + Send + Sync {}

impl Outflow for u32 {}
impl Outflow for f64 {}

/// The part of a vertex's rank that goes along an out-arc of weight 1, and the part that is dangling.
fn share<D: Outflow>(rank: f64, outflow: D) -> (f64, f64) {
    let outflow: f64 = outflow.into();
    if outflow == 0.0 { (0.0, rank) } else { (rank / outflow, 0.0) }
}

/// Computes ranks by power iteration with a kernel.
pub(super) fn iterate<T: Rank, D: Outflow>(
    kernel: &mut Kernel<'_, T>,
    outflows: &[D],
    walks: &Walks,
    options: &PageRank,
    progress: &mut dyn FnMut(usize, f64),
) -> Result<Ranks<T>, PageRankError> {
    let vertices = outflows.len();
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
    let Walks { teleport, start, dangling: sink } = walks;
    let first = start.as_ref().unwrap_or(teleport);
    let mut ranks: Vec<T> = par_map(vertices, CHUNK, |i| T::of(first.at(i)));
    let mut result = Ranks { ranks: Vec::new(), iterations: 0, residual: f64::INFINITY, converged: false };
    // w(j) = r(j) / d(j): one division a vertex instead of one an arc.
    let zeros = || par_map(vertices, CHUNK, |_| T::default());
    let (mut shares, mut gathered) = (zeros(), zeros());
    let mut dangling = ordered_sum(&mut ranks, &mut shares, &mut gathered, outflows, |_, rank, to, _, outflow| {
        let (share, dangles) = share(rank.wide(), outflow);
        *to = T::of(share);
        (0.0, dangles)
    })
    .1;
    while result.iterations < most && result.residual > change && vertices > 0 {
        kernel(&mut gathered, &shares)?;
        let (jump, spread) = (1.0 - options.damping, options.damping * dangling);
        let both = jump + spread;
        // One pass over the vertices finishes the iteration and clears the sums for the next one.
        (result.residual, dangling) =
            ordered_sum(&mut ranks, &mut shares, &mut gathered, outflows, |i, rank, to, sum, outflow| {
                let jumps = match sink {
                    None => both * teleport.at(i),
                    Some(sink) => jump * teleport.at(i) + spread * sink.at(i),
                };
                let next = options.damping * std::mem::take(sum).wide() + jumps;
                let difference = (next - rank.wide()).abs();
                let (share, dangles) = share(next, outflow);
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

/// Calls `f` with each vertex, its entry in each of the three arrays, and its outflow, and sums the two numbers that `f` returns. The order of the sums
/// depends on the length only, not on the number of threads.
fn ordered_sum<T: Rank, D: Outflow>(
    ranks: &mut [T],
    shares: &mut [T],
    sums: &mut [T],
    outflows: &[D],
    f: impl Fn(usize, &mut T, &mut T, &mut T, D) -> (f64, f64) + Sync,
) -> (f64, f64) {
    let add = |a: (f64, f64), b: (f64, f64)| (a.0 + b.0, a.1 + b.1);
    let chunks = ranks.chunks_mut(CHUNK).zip(shares.chunks_mut(CHUNK)).zip(sums.chunks_mut(CHUNK));
    let chunks = chunks.zip(outflows.chunks(CHUNK)).enumerate();
    let partial = par_items(chunks.collect(), |(chunk, (((ranks, shares), sums), outflows))| {
        let each = ranks.iter_mut().zip(shares).zip(sums).zip(outflows).enumerate();
        each.map(|(k, (((rank, share), sum), &outflow))| f(chunk * CHUNK + k, rank, share, sum, outflow))
            .fold((0.0, 0.0), add)
    });
    partial.into_iter().fold((0.0, 0.0), add)
}
