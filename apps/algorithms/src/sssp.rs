//! Shortest paths from one source over non-negative weights.
//!
//! ```text
//!   d(s) = 0      d(v) = min d(u) + w(u,v) over arcs u → v
//! ```
//!
//! the least fixed point, infinite where there is no path. Weights are added along the path, from the source on; since rounding keeps order, the
//! fixed point is the same whichever way it is reached, and the distances are the same bit for bit on any store and any number of threads.
//!
//! Delta-stepping (Meyer & Sanders, *Δ-stepping: a parallelizable shortest path algorithm*, J. Algorithms 2003): vertices wait in
//! buckets of width `Δ`; the lowest bucket is relaxed, in parallel, until it stays empty, then the next. A small `Δ` wastes no
//! relaxation and gives little parallel work (Dijkstra's algorithm); a large one is the opposite (Bellman & Ford's). A bucket
//! of few vertices is relaxed by one thread without starting the others, which is what makes long paths quick (the bucket fusion of
//! Zhang et al., *Optimizing Ordered Graph Algorithms with GraphIt*, CGO 2020). O(n + m) relaxations up to a factor that `Δ`
//! governs; `8 n` bytes, and the buckets.
//!
//! One round is the product `y(v) min= A(u,v) + d(u)` over the tropical semiring, masked by the bucket. It is written as a traversal because the
//! mask is a few vertices out of many, and because an update is seen at once by what is relaxed later in the same round. Rounds over all arcs take
//! 105 ms on an R-MAT of scale 18 where this takes 44, and 1352 ms on a grid of 512² where this takes 22 (2 threads, static rows;
//! `pleach bench algebra`).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use pleach::Rows;
use pleach::runtime::{Fiber, each_ahead, first_coords, on_pool, par_map, par_parts, prefetch_at, threads};
use pleach::traverse::{Adjacency, for_each_run};

use crate::error::NoSuchVertex;

/// A weight: any number that a 64-bit float holds exactly. Narrow ones are read faster.
pub trait Weight: Copy + Into<f64> + Send + Sync + 'static {}

impl<W: Copy + Into<f64> + Send + Sync + 'static> Weight for W {}

/// Options of shortest paths.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Sssp {
    /// Width of a bucket; with `None`, the default, chosen by the mean weight and degree.
    pub delta: Option<f64>,
}

impl Sssp {
    /// The width of a bucket.
    #[must_use]
    pub fn with_delta(mut self, delta: impl Into<Option<f64>>) -> Self {
        self.delta = delta.into();
        self
    }
}

/// Distances.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    /// Number of relaxations of a vertex's arcs; a vertex that was relaxed twice counts twice.
    pub relaxed: usize,
}

/// Why distances cannot be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SsspError {
    /// The source is not in the graph.
    #[error(transparent)]
    Source(#[from] NoSuchVertex),
    /// The width of a bucket is not a positive, finite number.
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
const ALONE: usize = 256;

/// Vertices of a round that one task takes at a time.
const VERTICES: usize = 64;

/// Vertices that a task relaxes once more at once where they fall back into the bucket, rather than leave them to all in a further round.
const FUSED: usize = 1000;

/// Finds the distances from `source` along out-arcs.
///
/// # Errors
///
/// [`SsspError`] says which option or weight is wrong.
pub fn sssp<'a, A: Rows<Value: Weight> + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    source: u32,
    options: &Sssp,
) -> Result<Distances, SsspError> {
    let graph = graph.into();
    let vertices = graph.bound();
    NoSuchVertex::check(source, graph)?;
    let rows = graph.out();
    let delta = match options.delta {
        Some(delta) if delta > 0.0 && delta.is_finite() => delta,
        Some(delta) => return Err(SsspError::Delta(delta)),
        None => rule_of_thumb(mean_weight(rows), rows.nnz() as f64 / graph.num_vertices() as f64),
    };
    let search = Search {
        distances: par_map(vertices, VERTICES * VERTICES, |_| AtomicU64::new(INFINITE)),
        per_delta: 1.0 / delta,
        unsound: AtomicBool::new(false),
    };
    search.distances[source as usize].store(0, Ordering::Relaxed);
    let (mut buckets, mut rounds, mut relaxed) = (BTreeMap::from([(0, vec![source])]), 0, 0);
    graph.announce("rounds", None);
    // On a thread of the pool, so that no thread has to be woken between two rounds.
    on_pool(|| {
        while let Some((bucket, waiting)) = buckets.pop_first() {
            graph.advance(1);
            rounds += 1;
            if waiting.len() <= ALONE {
                relaxed += search.relax_some(rows, Lowered::to(bucket), &waiting).put(&mut buckets);
            } else {
                let some = waiting.len().div_ceil(TASKS * threads()).max(VERTICES);
                let parts = par_parts(waiting.len(), some, |range| {
                    search.relax_some(rows, Lowered::to(bucket), &waiting[range])
                });
                relaxed += parts.into_iter().map(|lowered| lowered.put(&mut buckets)).sum::<usize>();
            }
            if search.unsound.load(Ordering::Relaxed) {
                break;
            }
        }
    });
    search.check_unreached(rows);
    if search.unsound.into_inner() {
        check_weights(rows)?;
    }
    Ok(Distances::of(search.distances, delta, rounds, relaxed))
}

impl Distances {
    /// Counts what was reached.
    fn of(distances: Vec<AtomicU64>, delta: f64, rounds: usize, relaxed: usize) -> Self {
        let distances: Vec<f64> = distances.into_iter().map(|bits| f64::from_bits(bits.into_inner())).collect();
        let some = |range: Range<usize>| {
            let finite = distances[range].iter().filter(|distance| distance.is_finite());
            finite.fold((0, 0.0), |(count, most), &distance| (count + 1, f64::max(most, distance)))
        };
        let parts = par_parts(distances.len(), VERTICES * VERTICES, some);
        let (reached, farthest) = parts.into_iter().fold((0, 0.0), |a, b| (a.0 + b.0, f64::max(a.1, b.1)));
        Distances { distances, reached, farthest, delta, rounds, relaxed }
    }
}

/// The bits of infinity: those of numbers that are not negative are in the order of the numbers.
const INFINITE: u64 = f64::INFINITY.to_bits();

/// Tasks of a round for each thread, which have lists of their own.
const TASKS: usize = 4;

/// Arcs that are looked at together.
const BLOCK: usize = 32;

/// Arcs of a row whose targets are prefetched.
const SOON: usize = 16;

/// Number of buckets, from the one that is being relaxed, for which a task has an array each.
const NEAR: usize = 192;

/// The vertices whose distance a task has lowered, by their new bucket.
struct Lowered {
    /// The bucket that is being relaxed.
    first: u64,
    /// Vertices in the first buckets.
    near: [Vec<u32>; NEAR],
    /// Vertices in later buckets.
    far: Vec<(u64, u32)>,
    /// Number of vertices whose arcs the task has relaxed.
    relaxed: usize,
}

impl Lowered {
    /// Nothing, while `first` is relaxed.
    fn to(first: u64) -> Self {
        Lowered { first, near: [const { Vec::new() }; NEAR], far: Vec::new(), relaxed: 0 }
    }

    #[inline(always)]
    fn push(&mut self, bucket: u64, vertex: u32) {
        match self.near.get_mut(bucket.wrapping_sub(self.first) as usize) {
            Some(near) => near.push(vertex),
            None => self.far.push((bucket, vertex)),
        }
    }

    /// Adds the vertices to the shared buckets. Returns how many were relaxed.
    fn put(self, buckets: &mut BTreeMap<u64, Vec<u32>>) -> usize {
        for (bucket, vertices) in (self.first..=u64::MAX).zip(self.near).filter(|(_, vertices)| !vertices.is_empty()) {
            match buckets.entry(bucket) {
                Entry::Vacant(place) => drop(place.insert(vertices)),
                Entry::Occupied(mut place) => place.get_mut().extend_from_slice(&vertices),
            }
        }
        for (bucket, vertex) in self.far {
            buckets.entry(bucket).or_default().push(vertex);
        }
        self.relaxed
    }
}

struct Search {
    distances: Vec<AtomicU64>,
    /// One over the width of a bucket.
    per_delta: f64,
    /// Whether a negative, infinite or NaN weight has been found.
    unsound: AtomicBool,
}

impl Search {
    #[inline(always)]
    fn bucket(&self, distance: f64) -> u64 {
        // Saturates: distances beyond 2^64 widths share the last bucket.
        (distance * self.per_delta) as u64
    }

    /// Whether a distance is lower than that of `to`. Never true of a negative number, whose bits are above those of infinity.
    #[inline(always)]
    fn is_lower(&self, to: u32, distance: f64) -> bool {
        self.distances[to as usize].load(Ordering::Relaxed) > distance.to_bits()
    }

    /// Lowers the distance of `to` if the new one is lower. Returns its new bucket.
    #[inline(always)]
    fn lower(&self, to: u32, distance: f64) -> Option<u64> {
        let bits = distance.to_bits();
        let lowers =
            self.is_lower(to, distance) && self.distances[to as usize].fetch_min(bits, Ordering::Relaxed) > bits;
        lowers.then(|| self.bucket(distance))
    }

    /// The distance of a vertex that waits in `bucket`, unless it has been relaxed from a lower one.
    #[inline(always)]
    fn due(&self, vertex: u32, bucket: u64) -> Option<f64> {
        let distance = f64::from_bits(self.distances[vertex as usize].load(Ordering::Relaxed));
        (self.bucket(distance) == bucket).then_some(distance)
    }

    /// Relaxes the arcs of vertices that wait in a bucket, and of those that fall back into it, as long as these are few.
    fn relax_some<A: Rows<Value: Weight>>(&self, rows: &A, mut lowered: Lowered, waiting: &[u32]) -> Lowered {
        self.relax_each(rows, &mut lowered, waiting);
        // A cycle with a negative weight would go on lowering distances.
        while (1..=FUSED).contains(&lowered.near[0].len()) && !self.unsound.load(Ordering::Relaxed) {
            let fallen = std::mem::take(&mut lowered.near[0]);
            self.relax_each(rows, &mut lowered, &fallen);
        }
        lowered
    }

    /// Relaxes the arcs of vertices one after the other.
    fn relax_each<A: Rows<Value: Weight>>(&self, rows: &A, lowered: &mut Lowered, waiting: &[u32]) {
        let soon = |vertex: u32, row: A::Fiber<'_>| {
            prefetch_at(&self.distances, vertex as usize);
            first_coords(row, SOON, |to| prefetch_at(&self.distances, to as usize));
        };
        each_ahead(rows, waiting, soon, |vertex, row| {
            if let Some(row) = row {
                self.relax(vertex, row, lowered);
            }
        });
    }

    /// Relaxes the arcs of a vertex if it is still due, by all threads where it is a hub. Every weight is looked at on the way, rather than in a pass of its
    /// own over all of them.
    #[inline]
    fn relax<'a, R: Fiber<'a, Coord = u32, Value: Weight>>(&self, vertex: u32, row: R, lowered: &mut Lowered) {
        let Some(distance) = self.due(vertex, lowered.first) else { return };
        lowered.relaxed += 1;
        if row.len() <= HUB {
            let highest = row.fold_storage(0, |mut highest, run| {
                for (targets, weights) in run.coords().chunks(BLOCK).zip(run.values().chunks(BLOCK)) {
                    // Compares all arcs of a block without a branch, so that their loads wait for memory together.
                    let mut closer = 0u64;
                    for (k, (&to, &weight)) in targets.iter().zip(weights).enumerate() {
                        let weight: f64 = weight.into();
                        closer |= u64::from(self.is_lower(to, distance + weight)) << k;
                        highest = highest.max(weight.to_bits());
                    }
                    while closer != 0 {
                        let k = closer.trailing_zeros() as usize;
                        closer &= closer - 1;
                        if let Some(bucket) = self.lower(targets[k], distance + weights[k].into()) {
                            lowered.push(bucket, targets[k]);
                        }
                    }
                }
                highest
            });
            // In the order of their bits, invalid weights are above the finite ones. So is minus zero, which is valid.
            if highest >= INFINITE && !is_sound(row) {
                self.unsound.store(true, Ordering::Relaxed);
            }
        } else {
            let shared = Mutex::new(lowered);
            for_each_run(row, |run| {
                if !run.values().iter().all(|&weight| sound(weight.into())) {
                    self.unsound.store(true, Ordering::Relaxed);
                }
                let lower = |(to, &weight): (u32, &R::Value)| Some((self.lower(to, distance + weight.into())?, to));
                let found: Vec<(u64, u32)> = run.iter().filter_map(lower).collect();
                let lowered = &mut *shared.lock().unwrap_or_else(PoisonError::into_inner);
                found.into_iter().for_each(|(bucket, to)| lowered.push(bucket, to));
            });
        }
    }

    /// Checks the weights of the rows that were not relaxed.
    fn check_unreached<A: Rows<Value: Weight>>(&self, rows: &A) {
        rows.par_rows(|vertex, row| {
            if self.distances[vertex].load(Ordering::Relaxed) == INFINITE && !is_sound(row) {
                self.unsound.store(true, Ordering::Relaxed);
            }
        });
    }
}

/// Arcs from which on a vertex is relaxed by several threads.
const HUB: usize = 1 << 14;

/// Whether a weight is valid: finite and not negative.
#[inline(always)]
fn sound(weight: f64) -> bool {
    (0.0..f64::INFINITY).contains(&weight)
}

fn is_sound<'a, R: Fiber<'a, Coord = u32, Value: Weight>>(row: R) -> bool {
    row.fold_storage(true, |ok, run| run.values().iter().fold(ok, |ok, &weight| ok & sound(weight.into())))
}

/// Checks every weight, and names the first that is wrong.
fn check_weights<A: Rows<Value: Weight>>(rows: &A) -> Result<(), SsspError> {
    // The smallest row with a wrong weight, so that the same one is named each time.
    let wrong = AtomicUsize::new(usize::MAX);
    rows.par_rows(|vertex, row| {
        if !is_sound(row) {
            wrong.fetch_min(vertex, Ordering::Relaxed);
        }
    });
    let from = wrong.into_inner();
    let first = rows.row(from).and_then(|row| {
        row.fold_runs(None, |first: Option<(u32, f64)>, run| {
            first.or_else(|| run.iter().map(|(to, &weight)| (to, weight.into())).find(|nonzero| !sound(nonzero.1)))
        })
    });
    first.map_or(Ok(()), |(to, weight)| Err(SsspError::Weight { from: from as u32, to, weight }))
}

/// Rows that are sampled for the mean weight.
const SAMPLED_ROWS: usize = 1 << 12;

/// The mean weight of a sample.
fn mean_weight<A: Rows<Value: Weight>>(rows: &A) -> f64 {
    let step = rows.num_rows().div_ceil(SAMPLED_ROWS).max(1);
    let sample = (0..rows.num_rows()).step_by(step).filter_map(|vertex| rows.row(vertex));
    let (sum, count) = sample.fold((0.0, 0usize), |sum, row| {
        row.fold_runs(sum, |(sum, count), run| {
            (run.values().iter().fold(sum, |sum, &weight| sum + weight.into()), count + run.len())
        })
    });
    sum / count.max(1) as f64
}

/// The width of a bucket for a mean weight and a mean degree: a few mean weights on road networks, a small part of one where degrees are large and
/// the diameter is small.
fn rule_of_thumb(mean: f64, degree: f64) -> f64 {
    let delta = mean * (6.0 / degree.max(1.0)).powf(2.5);
    if delta > 0.0 && delta.is_finite() { delta } else { 1.0 }
}

/// The vertex before each on a shortest path, of those that [`sssp`] has measured from `source`: the source is its own, and a vertex that is
/// not reached has [`ABSENT`](crate::ABSENT). Of several it is the one that a breadth-first search along arcs of shortest paths, in ascending order, finds
/// first, so that the paths are a tree even where weights are zero. Serial; O(n + m).
pub fn predecessors<A: Rows<Value: Weight>>(graph: Adjacency<'_, A>, source: u32, distances: &[f64]) -> Vec<u32> {
    let mut before = vec![crate::ABSENT; graph.bound()];
    if !graph.has_vertex(source) || distances.len() != before.len() {
        return before;
    }
    before[source as usize] = source;
    let (mut queue, mut next) = (vec![source], 0);
    while let Some(&from) = queue.get(next) {
        next += 1;
        let Some(row) = graph.out().row(from as usize) else { continue };
        row.fold_runs((), |(), run| {
            for (to, &weight) in run.iter() {
                let at = &mut before[to as usize];
                if *at == crate::ABSENT && distances[from as usize] + weight.into() == distances[to as usize] {
                    *at = from;
                    queue.push(to);
                }
            }
        });
    }
    before
}

/// What is wrong with distances.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SsspWrong {
    /// The number of distances is not that of the vertices.
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
pub fn verify<A: Rows<Value: Weight>>(
    graph: Adjacency<'_, A>,
    source: u32,
    found: &Distances,
) -> Result<(), SsspWrong> {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    let vertices = graph.bound();
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
            for (to, &weight) in run.iter() {
                let longer = distance + weight.into();
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
