//! The search itself: rounds, and what relaxing does.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use pleach::Rows;
use pleach::runtime::{Fiber, first_coords, par_items, par_map, prefetch_at, threads};
use pleach::traverse::{Adjacency, for_each_run};

use super::buckets::Buckets;
use super::{Length, SsspError, Weight};

/// Vertices in a round that one thread relaxes alone.
const ALONE: usize = 256;

/// Vertices of a round that one task takes at a time.
const VERTICES: usize = 64;

/// Vertices that a task relaxes once more at once where they fall back into the bucket, rather than leave them to all in a further round.
const FUSED: usize = 1000;

/// Tasks of a round for each thread, which have buckets of their own.
const TASKS: usize = 4;

/// Arcs that are looked at together.
const BLOCK: usize = 32;

/// Arcs of a row whose targets are prefetched.
const SOON: usize = 16;

/// Arcs from which on a vertex is relaxed by several threads.
const HUB: usize = 1 << 14;

/// Distances on their way down.
pub(super) struct Search<T: Length> {
    distances: Vec<T::Cell>,
    /// One over the width of a bucket.
    per_delta: T,
    /// Whether a negative, infinite or NaN weight has been found.
    unsound: AtomicBool,
}

/// How a search went.
#[derive(Default)]
pub(super) struct Course {
    pub rounds: usize,
    pub relaxed: usize,
}

impl<T: Length> Search<T> {
    /// All vertices at infinity.
    pub(super) fn new(vertices: usize, delta: f64) -> Self {
        let distances = par_map(vertices, VERTICES * VERTICES, |_| T::INFINITE.cell());
        Search { distances, per_delta: T::nearest(1.0 / delta), unsound: AtomicBool::new(false) }
    }

    /// Relaxes bucket by bucket, from that of `source` on, until none is left or a weight is wrong.
    pub(super) fn run<A: Rows<Value: Weight<T>>>(&self, graph: Adjacency<'_, A>, source: u32) -> Course {
        self.lower(source, T::default());
        let mut tasks: Vec<Buckets> = (0..TASKS * threads()).map(|_| Buckets::new()).collect();
        tasks[0].push(0, source);
        let (mut waiting, mut course) = (Vec::new(), Course::default());
        while let Some(bucket) = tasks.iter().filter_map(Buckets::lowest).min() {
            graph.advance(1);
            waiting.clear();
            for task in &mut tasks {
                task.go_to(bucket);
                task.take_first(&mut waiting);
            }
            course.rounds += 1;
            if waiting.len() <= ALONE {
                course.relaxed += self.relax_some(graph.out(), &mut tasks[0], &waiting);
            } else {
                let some = waiting.len().div_ceil(tasks.len()).max(VERTICES);
                let parts = tasks.iter_mut().zip(waiting.chunks(some)).collect();
                let relaxed = par_items(parts, |(task, part)| self.relax_some(graph.out(), task, part));
                course.relaxed += relaxed.into_iter().sum::<usize>();
            }
            if self.unsound.load(Ordering::Relaxed) {
                break;
            }
        }
        course
    }

    /// Checks the weights of rows that were not relaxed, and then, if any weight is wrong, names the first.
    pub(super) fn check<A: Rows<Value: Weight<T>>>(&self, rows: &A) -> Result<(), SsspError> {
        // Most vertices are reached: the rows of pages that have no other are not fetched.
        let is_unreached = |vertex: usize| T::load(&self.distances[vertex]) == T::INFINITE;
        rows.par_rows_where(is_unreached, |_, row| {
            if !is_sound::<T, _>(row) {
                self.unsound.store(true, Ordering::Relaxed);
            }
        });
        if self.unsound.load(Ordering::Relaxed) { check_weights::<T, A>(rows) } else { Ok(()) }
    }

    /// The distances found.
    pub(super) fn into_distances(self) -> Vec<T> {
        self.distances.into_iter().map(|cell| T::load(&cell)).collect()
    }

    #[inline(always)]
    fn bucket(&self, distance: T) -> u64 {
        // Distances beyond 2^64 widths share the last bucket.
        distance.whole_times(self.per_delta)
    }

    #[inline(always)]
    fn distance(&self, vertex: u32) -> T {
        T::load(&self.distances[vertex as usize])
    }

    /// Lowers the distance of `to` if the new one is lower. Returns whether it is.
    #[inline(always)]
    fn lower(&self, to: u32, distance: T) -> bool {
        distance < self.distance(to) && distance.lower(&self.distances[to as usize])
    }

    /// Relaxes the arcs of vertices that wait in a bucket, and of those that fall back into it, as long as these are few. Returns how many.
    fn relax_some<A: Rows<Value: Weight<T>>>(&self, rows: &A, buckets: &mut Buckets, waiting: &[u32]) -> usize {
        let mut relaxed = self.relax_each(rows, buckets, waiting);
        let mut fallen = Vec::new();
        // A cycle with a negative weight would go on lowering distances.
        while (1..=FUSED).contains(&buckets.in_first()) && !self.unsound.load(Ordering::Relaxed) {
            fallen.clear();
            buckets.take_first(&mut fallen);
            relaxed += self.relax_each(rows, buckets, &fallen);
        }
        relaxed
    }

    /// Relaxes the arcs of vertices one after the other, of those that have not been relaxed from a lower bucket. Returns how many.
    fn relax_each<A: Rows<Value: Weight<T>>>(&self, rows: &A, buckets: &mut Buckets, waiting: &[u32]) -> usize {
        let mut relaxed = 0;
        let soon = |vertex: u32, row: A::Fiber<'_>| {
            prefetch_at(&self.distances, vertex as usize);
            first_coords(row, SOON, |to| prefetch_at(&self.distances, to as usize));
        };
        rows.each_ahead(waiting, soon, |vertex, row| {
            let distance = self.distance(vertex);
            if let Some(row) = row
                && self.bucket(distance) == buckets.first()
            {
                relaxed += 1;
                self.relax(distance, row, buckets);
            }
        });
        relaxed
    }

    /// Relaxes the arcs of a vertex at a distance, by all threads where it is a hub. Every weight is looked at on the way, rather than in a pass of
    /// its own over all of them.
    #[inline(always)]
    fn relax<'a, R: Fiber<'a, Coord = u32, Value: Weight<T>>>(&self, distance: T, row: R, buckets: &mut Buckets) {
        if row.len() > HUB {
            return self.relax_hub(distance, row, buckets);
        }
        let distances = &self.distances[..];
        let sound = row.fold_storage(true, |mut sound, run| {
            for (targets, weights) in run.coords().chunks(BLOCK).zip(run.values().chunks(BLOCK)) {
                sound &= all_sound(weights);
                // Compares all arcs of a block without a branch, so that their loads wait for memory together.
                let mut closer = 0u64;
                for (k, (&to, &weight)) in targets.iter().zip(weights).enumerate() {
                    closer |= u64::from(distance + weight.into() < T::load(&distances[to as usize])) << k;
                }
                while closer != 0 {
                    let k = closer.trailing_zeros() as usize;
                    closer &= closer - 1;
                    let (to, longer) = (targets[k], distance + weights[k].into());
                    if self.lower(to, longer) {
                        buckets.push(self.bucket(longer), to);
                    }
                }
            }
            sound
        });
        if !sound {
            self.unsound.store(true, Ordering::Relaxed);
        }
    }

    #[cold]
    fn relax_hub<'a, R: Fiber<'a, Coord = u32, Value: Weight<T>>>(&self, distance: T, row: R, buckets: &mut Buckets) {
        let shared = Mutex::new(buckets);
        for_each_run(row, |run| {
            if !all_sound(run.values()) {
                self.unsound.store(true, Ordering::Relaxed);
            }
            let lower = |(to, &weight): (u32, &R::Value)| {
                let longer = distance + weight.into();
                self.lower(to, longer).then(|| (self.bucket(longer), to))
            };
            let found: Vec<(u64, u32)> = run.iter().filter_map(lower).collect();
            let buckets = &mut *shared.lock().unwrap_or_else(PoisonError::into_inner);
            found.into_iter().for_each(|(bucket, to)| buckets.push(bucket, to));
        });
    }
}

/// Whether a weight is valid: finite and not negative.
#[inline(always)]
fn sound<T: Length>(weight: T) -> bool {
    T::default() <= weight && weight < T::INFINITE
}

/// Whether weights are valid. Without a branch, so that several are looked at in one instruction.
#[inline(always)]
fn all_sound<T: Length, W: Weight<T>>(weights: &[W]) -> bool {
    weights.iter().fold(true, |all, &weight| all & sound(weight.into()))
}

fn is_sound<'a, T: Length, R: Fiber<'a, Coord = u32, Value: Weight<T>>>(row: R) -> bool {
    row.fold_storage(true, |all, run| all & all_sound(run.values()))
}

/// Checks every weight, and names the first that is wrong.
fn check_weights<T: Length, A: Rows<Value: Weight<T>>>(rows: &A) -> Result<(), SsspError> {
    // The smallest row with a wrong weight, so that the same one is named each time.
    let wrong = AtomicUsize::new(usize::MAX);
    rows.par_rows(|vertex, row| {
        if !is_sound::<T, _>(row) {
            wrong.fetch_min(vertex, Ordering::Relaxed);
        }
    });
    let from = wrong.into_inner();
    let first = rows.row(from).and_then(|row| {
        row.fold_runs(None, |first: Option<(u32, T)>, run| {
            first.or_else(|| run.iter().map(|(to, &weight)| (to, weight.into())).find(|nonzero| !sound(nonzero.1)))
        })
    });
    first.map_or(Ok(()), |(to, weight)| Err(SsspError::Weight { from: from as u32, to, weight: weight.into() }))
}

/// Rows that are sampled for the mean weight.
const SAMPLED_ROWS: usize = 1 << 12;

/// The mean weight of a sample; of all arcs where those that are sampled have none.
pub(super) fn mean_weight<T: Length, A: Rows<Value: Weight<T>>>(rows: &A) -> f64 {
    let step = rows.num_rows().div_ceil(SAMPLED_ROWS).max(1);
    mean_of_each::<T, A>(rows, step).or_else(|| mean_of_each::<T, A>(rows, 1)).unwrap_or(0.0)
}

/// The mean weight of the arcs in every so many-th row, if there are any.
fn mean_of_each<T: Length, A: Rows<Value: Weight<T>>>(rows: &A, step: usize) -> Option<f64> {
    let sample = (0..rows.num_rows()).step_by(step).filter_map(|vertex| rows.row(vertex));
    let wide = |weight: T| -> f64 { weight.into() };
    let (sum, count) = sample.fold((0.0, 0usize), |sum, row| {
        row.fold_runs(sum, |(sum, count), run| {
            (run.values().iter().fold(sum, |sum, &weight| sum + wide(weight.into())), count + run.len())
        })
    });
    (count > 0).then(|| sum / count as f64)
}

/// The width of a bucket for a mean weight and a mean degree: a few mean weights on road networks, a small part of one where degrees are large and
/// the diameter is small.
pub(super) fn rule_of_thumb(mean: f64, degree: f64) -> f64 {
    let delta = mean * (6.0 / degree.max(1.0)).powf(2.5);
    if delta > 0.0 && delta.is_finite() { delta } else { 1.0 }
}
