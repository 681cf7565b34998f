//! Shortest paths from one source over non-negative weights.
//!
//! ```text
//!   d(s) = 0      d(v) = min d(u) + w(u,v) over arcs u → v
//! ```
//!
//! the least fixed point, infinite where no path leads. Sums are taken along the path, from the source on; since rounding keeps order, the
//! fixed point is the same whichever way it is reached, and the distances are the same bit for bit on any store and any number of threads.
//!
//! Delta-stepping (Meyer & Sanders, *Δ-stepping: a parallelizable shortest path algorithm*, J. Algorithms 2003): vertices wait in
//! buckets of width `Δ`; the lowest bucket is relaxed, in parallel, until it stays empty, then the next. A small `Δ` wastes no
//! relaxation and leaves little to do at a time (Dijkstra's algorithm); a large one is the opposite (Bellman & Ford's). A bucket
//! of few vertices is relaxed by one thread without starting the others, which is what makes long paths quick (the bucket fusion of
//! Zhang et al., *Optimizing Ordered Graph Algorithms with GraphIt*, CGO 2020). O(n + m) relaxations up to a factor that `Δ`
//! governs; `8 n` bytes, and the buckets.
//!
//! One round is the product `y(v) min= A(u,v) + d(u)` over the tropical semiring, masked by the bucket. It is written as a traversal because the
//! mask is a few vertices out of many, and because an update is seen at once by what is relaxed later in the same round.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use pleach::Rows;
use pleach::runtime::Fiber;
use pleach::traverse::{Adjacency, for_each_run};
use rayon::prelude::*;

use crate::error::NoSuchVertex;

/// How to search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sssp {
    /// Width of a bucket; chosen by the mean weight and degree if none is given.
    pub delta: Option<f64>,
}

/// Distances.
#[derive(Clone, Debug, PartialEq)]
pub struct Distances {
    /// Length of a shortest path to each vertex; infinite where there is none.
    pub distances: Vec<f64>,
    /// Number of vertices reached, the source included.
    pub reached: usize,
    /// The largest finite distance.
    pub farthest: f64,
    /// Width of a bucket.
    pub delta: f64,
    /// Number of rounds, of which a bucket takes one or more.
    pub rounds: usize,
    /// Number of vertices whose arcs were relaxed, each as often as that happened.
    pub relaxed: usize,
}

/// Why distances cannot be computed as asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SsspError {
    /// The source is not in the graph.
    #[error(transparent)]
    Source(#[from] NoSuchVertex),
    /// The width of a bucket is no positive, finite number.
    #[error("the width of a bucket must be positive and finite, not {0}")]
    Delta(f64),
    /// A weight is negative, infinite or not a number.
    #[error("weights must be finite and not negative, but the arc from {from} to {to} (numbered from 0) has {weight}")]
    Weight {
        /// Source of the first such arc.
        from: u32,
        /// Its target.
        to: u32,
        /// Its weight.
        weight: f64,
    },
}

/// Vertices in a round that one thread relaxes alone.
const ALONE: usize = 128;

/// Vertices of a round that one task takes.
const VERTICES: usize = 64;

/// Finds the distances from `source` along out-arcs.
///
/// # Errors
///
/// [`SsspError`] says which option or weight is wrong.
pub fn sssp<A: Rows<Value = f64>>(
    graph: Adjacency<'_, A>,
    source: u32,
    options: &Sssp,
) -> Result<Distances, SsspError> {
    let vertices = graph.num_vertices();
    NoSuchVertex::check(source, vertices)?;
    let rows = graph.out();
    check_weights(rows)?;
    let delta = match options.delta {
        Some(delta) if delta > 0.0 && delta.is_finite() => delta,
        Some(delta) => return Err(SsspError::Delta(delta)),
        None => rule_of_thumb(mean_weight(rows), rows.nnz() as f64 / vertices as f64),
    };
    let search = Search { distances: (0..vertices).map(|_| AtomicU64::new(INFINITE)).collect(), delta };
    search.distances[source as usize].store(0, Ordering::Relaxed);
    let (mut buckets, mut rounds) = (BTreeMap::from([(0, vec![source])]), 0);
    let relaxed = AtomicUsize::new(0);
    while let Some((bucket, waiting)) = buckets.pop_first() {
        rounds += 1;
        if waiting.len() <= ALONE {
            let mut count = 0;
            for &vertex in &waiting {
                count += usize::from(search.relax_alone(rows, vertex, bucket, &mut buckets));
            }
            relaxed.fetch_add(count, Ordering::Relaxed);
            continue;
        }
        let found: Vec<Vec<(u64, u32)>> = waiting
            .par_chunks(VERTICES)
            .map(|waiting| {
                let mut found = Vec::new();
                let done = waiting.iter().filter(|&&vertex| search.relax(rows, vertex, bucket, &mut found)).count();
                relaxed.fetch_add(done, Ordering::Relaxed);
                found
            })
            .collect();
        // Most of what is found lies in few buckets: stretches of the same one are moved together.
        for same in found.iter().flat_map(|found| found.chunk_by(|a, b| a.0 == b.0)) {
            buckets.entry(same[0].0).or_default().extend(same.iter().map(|&(_, vertex)| vertex));
        }
    }
    let distances: Vec<f64> = search.distances.into_iter().map(|bits| f64::from_bits(bits.into_inner())).collect();
    let finite = distances.iter().filter(|distance| distance.is_finite());
    let (reached, farthest) = finite.fold((0, 0.0), |(count, most), &distance| (count + 1, f64::max(most, distance)));
    Ok(Distances { distances, reached, farthest, delta, rounds, relaxed: relaxed.into_inner() })
}

/// The bits of infinity: those of numbers that are not negative are in the order of the numbers.
const INFINITE: u64 = f64::INFINITY.to_bits();

struct Search {
    distances: Vec<AtomicU64>,
    delta: f64,
}

impl Search {
    #[inline(always)]
    fn bucket(&self, distance: f64) -> u64 {
        // Saturates: what is beyond 2^64 widths shares the last bucket.
        (distance / self.delta) as u64
    }

    /// Lowers the distance of `to`, if that is lower; the bucket it waits in then.
    #[inline(always)]
    fn lower(&self, to: u32, distance: f64) -> Option<u64> {
        let (cell, bits) = (&self.distances[to as usize], distance.to_bits());
        let lowers = cell.load(Ordering::Relaxed) > bits && cell.fetch_min(bits, Ordering::Relaxed) > bits;
        lowers.then(|| self.bucket(distance))
    }

    /// The distance of a vertex that waits in `bucket`, unless it has been relaxed from a lower one.
    #[inline(always)]
    fn due(&self, vertex: u32, bucket: u64) -> Option<f64> {
        let distance = f64::from_bits(self.distances[vertex as usize].load(Ordering::Relaxed));
        (self.bucket(distance) == bucket).then_some(distance)
    }

    /// Relaxes the arcs of a vertex, by all threads where it is a hub; whether it was still due.
    fn relax<A: Rows<Value = f64>>(&self, rows: &A, vertex: u32, bucket: u64, found: &mut Vec<(u64, u32)>) -> bool {
        let Some(distance) = self.due(vertex, bucket) else { return false };
        let Some(row) = rows.row(vertex as usize) else { return true };
        if row.len() <= HUB {
            row.fold_storage((), |(), run| {
                for (to, weight) in run.iter() {
                    found.extend(self.lower(to, distance + weight).map(|bucket| (bucket, to)));
                }
            });
        } else {
            let shared = std::sync::Mutex::new(found);
            for_each_run(row, |run| {
                let lowered = run.iter().filter_map(|(to, weight)| Some((self.lower(to, distance + weight)?, to)));
                let lowered: Vec<_> = lowered.collect();
                shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner).extend(lowered);
            });
        }
        true
    }

    fn relax_alone<A: Rows<Value = f64>>(
        &self,
        rows: &A,
        vertex: u32,
        bucket: u64,
        buckets: &mut BTreeMap<u64, Vec<u32>>,
    ) -> bool {
        let mut found = Vec::new();
        let due = self.relax(rows, vertex, bucket, &mut found);
        for same in found.chunk_by(|a, b| a.0 == b.0) {
            buckets.entry(same[0].0).or_default().extend(same.iter().map(|&(_, vertex)| vertex));
        }
        due
    }
}

/// Arcs from which on a vertex is relaxed by several threads.
const HUB: usize = 1 << 14;

/// Checks every weight.
fn check_weights<A: Rows<Value = f64>>(rows: &A) -> Result<(), SsspError> {
    let sound = |weight: f64| weight >= 0.0 && weight.is_finite();
    // The smallest row with a wrong weight, so that the same one is named each time.
    let wrong = AtomicUsize::new(usize::MAX);
    rows.par_rows(|vertex, row| {
        if !row.fold_storage(true, |ok, run| run.values().iter().fold(ok, |ok, &weight| ok & sound(weight))) {
            wrong.fetch_min(vertex, Ordering::Relaxed);
        }
    });
    let from = wrong.into_inner();
    let first = rows.row(from).and_then(|row| {
        row.fold_runs(None, |first: Option<(u32, f64)>, run| {
            first.or_else(|| run.iter().find(|nonzero| !sound(*nonzero.1)).map(|(to, &weight)| (to, weight)))
        })
    });
    first.map_or(Ok(()), |(to, weight)| Err(SsspError::Weight { from: from as u32, to, weight }))
}

/// Rows whose weights are looked at for their mean.
const SAMPLED_ROWS: usize = 1 << 12;

/// The mean weight of a sample.
fn mean_weight<A: Rows<Value = f64>>(rows: &A) -> f64 {
    let step = rows.num_rows().div_ceil(SAMPLED_ROWS).max(1);
    let sample = (0..rows.num_rows()).step_by(step).filter_map(|vertex| rows.row(vertex));
    let (sum, count) = sample.fold((0.0, 0usize), |sum, row| {
        row.fold_runs(sum, |(sum, count), run| {
            (run.values().iter().fold(sum, |sum, weight| sum + weight), count + run.len())
        })
    });
    sum / count.max(1) as f64
}

/// A width for a mean weight and a mean degree: some mean weights on roads, a small part of one where degrees are large and the graph is small across.
fn rule_of_thumb(mean: f64, degree: f64) -> f64 {
    let delta = mean * (6.0 / degree.max(1.0)).powi(2);
    if delta > 0.0 && delta.is_finite() { delta } else { 1.0 }
}

/// What is wrong with distances.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SsspWrong {
    /// There is not one distance for each vertex.
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
}

/// Checks distances against those of Dijkstra's algorithm, which must be the same bit for bit. Serial; O((n + m) log m).
///
/// # Errors
///
/// The first distance that is wrong.
pub fn verify<A: Rows<Value = f64>>(graph: Adjacency<'_, A>, source: u32, found: &Distances) -> Result<(), SsspWrong> {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    let vertices = graph.num_vertices();
    if found.distances.len() != vertices {
        return Err(SsspWrong::Length { found: found.distances.len(), vertices });
    }
    let mut distances = vec![f64::INFINITY; vertices];
    distances[source as usize] = 0.0;
    let mut heap = BinaryHeap::from([Reverse((0u64, source))]);
    while let Some(Reverse((bits, vertex))) = heap.pop() {
        let distance = f64::from_bits(bits);
        if distance > distances[vertex as usize] {
            continue;
        }
        let Some(row) = graph.out().row(vertex as usize) else { continue };
        row.fold_runs((), |(), run| {
            for (to, weight) in run.iter() {
                let longer = distance + weight;
                if longer < distances[to as usize] {
                    distances[to as usize] = longer;
                    heap.push(Reverse((longer.to_bits(), to)));
                }
            }
        });
    }
    let pairs = found.distances.iter().zip(&distances).enumerate();
    for (vertex, (&found, &expected)) in pairs {
        if found != expected {
            return Err(SsspWrong::Distance { vertex, found, expected });
        }
    }
    Ok(())
}
