//! Rows of any length, shared among the threads where they are long.

use pleach_runtime::{Fiber, Run};
use rayon::prelude::*;

/// Nonzeros of a row that its task visits itself, and of a further task for the same row.
const GRAIN: usize = 1 << 13;

/// Calls `f` once with every run of a row, in no particular order. What lies beyond the first few thousand nonzeros of a hub is
/// shared among the threads; short rows, which are most, pay one comparison a run for it.
#[inline]
pub fn for_each_run<'a, R, F>(row: R, f: F)
where
    R: Fiber<'a>,
    R::Value: Sync,
    F: Fn(Run<'_, 'a, R::Coord, R::Value>) + Sync,
{
    let mut rest = Rest { coords: Vec::new(), runs: Vec::new() };
    let mut seen = 0;
    row.fold_storage((), |(), run| {
        if seen + run.len() <= GRAIN {
            f(run);
        } else {
            rest.keep(run);
        }
        seen += run.len();
    });
    if !rest.runs.is_empty() {
        rest.share(&f);
    }
}

/// Runs put aside: their coordinates, which may have lain in a buffer, and where their values lie.
struct Rest<'a, C, V> {
    coords: Vec<C>,
    runs: Vec<&'a [V]>,
}

impl<'a, C: pleach_runtime::Coord, V: Sync> Rest<'a, C, V> {
    #[cold]
    fn keep(&mut self, run: Run<'_, 'a, C, V>) {
        self.coords.extend_from_slice(run.coords());
        self.runs.extend(run.values().chunks(GRAIN));
    }

    #[cold]
    fn share<F: Fn(Run<'_, 'a, C, V>) + Sync>(&self, f: &F) {
        // Cut into stretches of whole runs of about one grain each.
        let mut stretches = Vec::new();
        let (mut coords, mut begin, mut length) = (self.coords.as_slice(), 0, 0);
        for (index, values) in self.runs.iter().enumerate() {
            length += values.len();
            if length >= GRAIN || index + 1 == self.runs.len() {
                let (front, back) = coords.split_at(length);
                stretches.push((front, &self.runs[begin..=index]));
                (coords, begin, length) = (back, index + 1, 0);
            }
        }
        stretches.into_par_iter().with_max_len(1).for_each(|(mut coords, runs)| {
            for &values in runs {
                let (front, back) = coords.split_at(values.len());
                f(Run::new(front, values));
                coords = back;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use pleach_runtime::SliceFiber;

    use super::*;

    #[test]
    fn every_nonzero_is_visited_once() {
        for length in [0, 1, GRAIN - 1, GRAIN, GRAIN + 1, 10 * GRAIN + 3] {
            let coords: Vec<u32> = (0..length as u32).collect();
            let values: Vec<u64> = coords.iter().map(|&c| u64::from(c) + 1).collect();
            let sum = AtomicU64::new(0);
            for_each_run(SliceFiber::new(&coords, &values), |run| {
                for (coord, value) in run.iter() {
                    assert_eq!(u64::from(coord) + 1, *value);
                    sum.fetch_add(*value, Ordering::Relaxed);
                }
            });
            assert_eq!(sum.into_inner(), (1..=length as u64).sum::<u64>());
        }
    }
}
