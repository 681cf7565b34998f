//! Rows of any length, shared among the threads where they are long.
//!
//! ```text
//!   row of a hub   ├─ grain ─┤├─ grain ─┤├─ grain ─┤├─ grain ─┤     the first by the task of the row, the others by any free task;
//!                                                                   a long run is cut in place, short ones are put aside
//! ```

use std::ops::ControlFlow;

use pleach_runtime::{Coord, Fiber, Run, par_each};

/// Nonzeros of a row that its own task visits, and that each further task for the same row visits.
const GRAIN: usize = 1 << 13;

/// Calls `f` once with every run of a row, in no particular order; a long run may come in several pieces. What lies beyond the first few thousand
/// nonzeros of a hub is shared among the threads; short rows, which are most, pay one comparison a run for it.
#[inline]
pub fn for_each_run<'a, R, F>(row: R, f: F)
where
    R: Fiber<'a>,
    R::Value: Sync,
    F: Fn(Run<'_, 'a, R::Coord, R::Value>) + Sync,
{
    let mut rest = Rest::none();
    let mut seen = 0;
    row.fold_storage((), |(), run| {
        if seen + run.len() <= GRAIN {
            f(run);
        } else {
            rest.keep_or_share(run, &|run| {
                f(run);
                ControlFlow::Continue(())
            });
        }
        seen += run.len();
    });
    rest.share(&|run| {
        f(run);
        ControlFlow::Continue(())
    });
}

/// Calls `alone` with the runs of a row in ascending order until it breaks. What lies beyond the first few thousand nonzeros of a hub goes, in stretches that
/// ascend in themselves, to `shared`, which several tasks call at a time, and which ends its own stretch only.
#[inline]
pub(super) fn try_each_run<'a, R, F, G>(row: R, mut alone: F, shared: G)
where
    R: Fiber<'a>,
    R::Value: Sync,
    F: FnMut(Run<'_, 'a, R::Coord, R::Value>) -> ControlFlow<()>,
    G: Fn(Run<'_, 'a, R::Coord, R::Value>) -> ControlFlow<()> + Sync,
{
    let mut rest = None;
    let mut seen = 0;
    let done = row.try_fold_runs((), |(), run| {
        // One call of `alone`, and no second one behind a branch: so it becomes part of the loop over rows.
        let here = GRAIN.saturating_sub(seen);
        seen += run.len();
        alone(run.first(here))?;
        if run.len() > here {
            rest.get_or_insert_with(|| Box::new(Rest::none())).keep_or_share(run.skip(here), &shared);
        }
        ControlFlow::Continue(())
    });
    if let (ControlFlow::Continue(()), Some(rest)) = (done, rest) {
        rest.share(&shared);
    }
}

/// Runs put aside: their coordinates, which may have lain in a buffer, and where their values lie.
struct Rest<'a, C, V> {
    coords: Vec<C>,
    runs: Vec<&'a [V]>,
}

impl<'a, C: Coord, V: Sync> Rest<'a, C, V> {
    fn none() -> Self {
        Rest { coords: Vec::new(), runs: Vec::new() }
    }

    /// Shares a run that is long enough for that at once, where it lies, and puts others aside.
    #[cold]
    fn keep_or_share<F>(&mut self, run: Run<'_, 'a, C, V>, f: &F)
    where
        F: Fn(Run<'_, 'a, C, V>) -> ControlFlow<()> + Sync,
    {
        if run.len() > GRAIN {
            par_each(run.len().div_ceil(GRAIN), 1, &|k: usize| {
                let piece = k * GRAIN..run.len().min((k + 1) * GRAIN);
                let _ = f(Run::new(&run.coords()[piece.clone()], &run.values()[piece]));
            });
        } else {
            self.coords.extend_from_slice(run.coords());
            self.runs.push(run.values());
        }
    }

    #[inline]
    fn share<F: Fn(Run<'_, 'a, C, V>) -> ControlFlow<()> + Sync>(&self, f: &F) {
        if !self.runs.is_empty() {
            self.share_stretches(f);
        }
    }

    #[cold]
    fn share_stretches<F: Fn(Run<'_, 'a, C, V>) -> ControlFlow<()> + Sync>(&self, f: &F) {
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
        par_each(stretches.len(), 1, &|k: usize| {
            let (mut coords, runs) = stretches[k];
            let _ = runs.iter().try_for_each(|&values| {
                let (front, back) = coords.split_at(values.len());
                coords = back;
                f(Run::new(front, values))
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU64, Ordering};

    use pleach_runtime::{Elements, SliceFiber, Store};
    use pleach_stores::{Blist, BlistUnsorted, Ctree};

    use super::*;

    const LENGTHS: [usize; 6] = [0, 1, GRAIN - 1, GRAIN, GRAIN + 1, 10 * GRAIN + 3];

    fn nonzeros(length: usize) -> (Vec<u32>, Vec<u64>) {
        let coords: Vec<u32> = (0..length as u32).collect();
        let values = coords.iter().map(|&c| u64::from(c) + 1).collect();
        (coords, values)
    }

    fn visits_each_once<'a, R: Fiber<'a, Coord = u32, Value = u64>>(row: R, length: usize) {
        let sum = AtomicU64::new(0);
        let visit = |run: Run<'_, '_, u32, u64>| {
            for (coord, value) in run.iter() {
                assert_eq!(u64::from(coord) + 1, *value);
                sum.fetch_add(*value, Ordering::Relaxed);
            }
        };
        let all = (1..=length as u64).sum::<u64>();
        for_each_run(row, visit);
        assert_eq!(sum.swap(0, Ordering::Relaxed), all);
        try_each_run(
            row,
            |run| {
                visit(run);
                ControlFlow::Continue(())
            },
            |run| {
                visit(run);
                ControlFlow::Continue(())
            },
        );
        assert_eq!(sum.into_inner(), all);
    }

    #[test]
    fn every_nonzero_is_visited_once() {
        for length in LENGTHS {
            let (coords, values) = nonzeros(length);
            let elements = || Elements::copied(&coords, &values);
            visits_each_once(SliceFiber::new(&coords, &values), length);
            visits_each_once(Ctree::build_row(elements()).fiber(), length);
            visits_each_once(Blist::build_row(elements()).fiber(), length);
            visits_each_once(BlistUnsorted::build_row(elements()).fiber(), length);
        }
    }

    #[test]
    fn the_first_of_a_kind_is_met_in_its_stretch() {
        // Every multiple of 5000 is looked for; each stretch ends at its first one, so that the least of all is always met.
        let (coords, values) = nonzeros(10 * GRAIN);
        for first in [0, 5000, 15_000, 60_000] {
            let met = Mutex::new(Vec::new());
            let look = |run: Run<'_, '_, u32, u64>| match run.coords().iter().find(|&&c| c >= first && c % 5000 == 0) {
                Some(&found) => {
                    met.lock().unwrap().push(found);
                    ControlFlow::Break(())
                }
                None => ControlFlow::Continue(()),
            };
            try_each_run(SliceFiber::new(&coords, &values), look, look);
            let tree = Ctree::build_row(Elements::copied(&coords, &values));
            try_each_run(tree.fiber(), look, look);
            let met = met.into_inner().unwrap();
            assert_eq!(met.iter().filter(|&&found| found == first).count(), 2, "{first}: {met:?}");
            assert!((first as usize) >= GRAIN || met.len() == 2, "a break of the first stretch ends all: {met:?}");
        }
    }
}
