//! Parallel loops over blocks of iterations.

use std::ops::Range;

use super::share::Share;
use crate::threads;

/// An amount of work, in nonzeros or similar units, that is not worth another task.
const SMALL: usize = 2048;

/// The same where a unit of work is one operation on elements that lie side by side: a core does several of them at once.
const SMALL_LIGHT: usize = 16_384;

/// Nonzeros that are worth a task which needs arrays of its own.
const TASK: usize = 1 << 15;

/// Tasks for each thread: several, to balance tasks of different length.
const TASKS_PER_THREAD: usize = 8;

/// The iterations of a parallel loop and what is known of their cost.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    lo: usize,
    hi: usize,
    weights: Option<&'a [usize]>,
    cost: usize,
    /// Work that is not worth another task.
    small: usize,
}

impl<'a> Work<'a> {
    /// Iterations of equal cost.
    pub fn over(range: Range<usize>) -> Work<'a> {
        Work { lo: range.start, hi: range.end.max(range.start), weights: None, cost: 1, small: SMALL }
    }

    /// Iteration `i` costs as much as `pos[i + 1] - pos[i]`: blocks hold like numbers of nonzeros, not of rows.
    #[must_use]
    pub fn weighted(mut self, pos: &'a [usize]) -> Work<'a> {
        self.weights = (pos.len() > self.hi).then_some(pos);
        self
    }

    /// Each unit of work costs about as much as `cost` multiplications and additions.
    #[must_use]
    pub fn cost(mut self, cost: usize) -> Work<'a> {
        self.cost = cost.max(1);
        self
    }

    /// Each iteration is one operation on elements that lie side by side.
    #[must_use]
    pub fn light(mut self) -> Work<'a> {
        self.small = SMALL_LIGHT;
        self
    }

    /// Each iteration is a task.
    #[must_use]
    pub fn tasks(mut self) -> Work<'a> {
        self.small = 0;
        self
    }

    /// Work up to iteration `i`; iterations without nonzeros cost something too.
    fn until(&self, i: usize) -> usize {
        i + self.weights.map_or(0, |pos| pos[i])
    }

    fn total(&self) -> usize {
        self.until(self.hi).saturating_sub(self.until(self.lo)).saturating_mul(self.cost)
    }

    /// The iteration that halves the work; strictly inside, if there are two.
    fn middle(&self) -> usize {
        let half = self.until(self.lo) + self.until(self.hi).saturating_sub(self.until(self.lo)) / 2;
        let (mut lo, mut hi) = (self.lo, self.hi);
        while lo < hi {
            let middle = lo + (hi - lo) / 2;
            if self.until(middle) < half { lo = middle + 1 } else { hi = middle }
        }
        lo.clamp(self.lo + 1, self.hi - 1)
    }
}

/// How many tasks are worth starting for so many nonzeros: 1 at least, and no more than there are threads.
pub fn tasks(work: usize) -> usize {
    threads().min(work / TASK).max(1)
}

/// Runs `body` on blocks of iterations, in parallel; each call gets its block and the parts of the arrays that belong to it.
///
/// # Panics
///
/// If an array is too short for its layout.
pub fn par_for<S: Share, F>(work: Work<'_>, shares: S, body: F)
where
    F: Fn(Range<usize>, S::Parts) + Sync,
{
    par_fold(work, shares, body, |(), ()| ());
}

/// Runs `body` on blocks of iterations, in parallel, and combines what the calls return, earlier blocks on the left. Where
/// blocks begin depends on the number of threads.
///
/// # Panics
///
/// If an array is too short for its layout.
pub fn par_fold<S: Share, R: Send, F, G>(work: Work<'_>, shares: S, body: F, combine: G) -> R
where
    F: Fn(Range<usize>, S::Parts) -> R + Sync,
    G: Fn(R, R) -> R + Sync,
{
    let (_, shares) = shares.split(work.lo);
    let total = work.total();
    if total <= work.small || work.hi - work.lo < 2 {
        return body(work.lo..work.hi, shares.parts());
    }
    let threads = threads();
    let grain = if threads == 1 { total } else { (total / (threads * TASKS_PER_THREAD)).max(work.small) };
    go(work, shares, grain, &body, &combine)
}

fn go<S: Share, R: Send, F, G>(work: Work<'_>, shares: S, grain: usize, body: &F, combine: &G) -> R
where
    F: Fn(Range<usize>, S::Parts) -> R + Sync,
    G: Fn(R, R) -> R + Sync,
{
    if work.hi - work.lo < 2 || work.total() <= grain {
        return body(work.lo..work.hi, shares.parts());
    }
    let middle = work.middle();
    let (left, right) = shares.split(middle);
    let (left, right) = crate::join(
        || go(Work { hi: middle, ..work }, left, grain, body, combine),
        || go(Work { lo: middle, ..work }, right, grain, body, combine),
    );
    combine(left, right)
}

#[cfg(test)]
mod tests {
    use super::super::{each, segments};
    use super::*;

    #[test]
    fn every_iteration_runs_once_with_its_own_part() {
        for n in [0usize, 1, 2, 5000] {
            let pos: Vec<usize> = (0..=n)
                .map(|i| i * (i % 5) / 5 + i)
                .scan(0, |m, p| {
                    *m = p.max(*m);
                    Some(*m)
                })
                .collect();
            let mut y = vec![0; n + 1];
            let mut long = vec![usize::MAX; pos[n]];
            let work = Work::over(0..n).weighted(&pos).cost(3);
            par_for(work, (each(&mut y, 1, 1), segments(&mut long, &pos)), |block, (mut y, mut long)| {
                for i in block {
                    y[i + 1] += i + 1;
                    long[pos[i]..pos[i + 1]].fill(i);
                    for p in pos[i]..pos[i + 1] {
                        long[p] += 1;
                    }
                }
            });
            assert_eq!(y, (0..=n).collect::<Vec<_>>());
            for i in 0..n {
                assert!(long[pos[i]..pos[i + 1]].iter().all(|&x| x == i + 1));
            }
        }
    }

    #[test]
    fn folds_combine_in_order() {
        let all = par_fold(
            Work::over(3..10_000),
            (),
            |block, ()| block.collect::<Vec<_>>(),
            |mut l, r| {
                l.extend(r);
                l
            },
        );
        assert!(all.into_iter().eq(3..10_000));
    }

    #[test]
    fn iterations_that_are_tasks_run_alone() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads can be started");
        for n in [1usize, 2, 3, 7] {
            let (mut parts, runs) = (vec![0; 4 * n], std::sync::Mutex::new(Vec::new()));
            let shares = each(&mut parts, 0, 4);
            pool.install(|| {
                par_for(Work::over(0..n).tasks(), shares, |block, mut parts| {
                    runs.lock().expect("no run panics").push(block.clone());
                    for task in block {
                        (4 * task..4 * task + 4).for_each(|at| parts[at] += task + 1);
                    }
                });
            });
            assert!(parts.iter().enumerate().all(|(at, &task)| task == at / 4 + 1), "{parts:?}");
            assert_eq!(runs.into_inner().expect("no run panics").len(), n);
        }
        pool.install(|| {
            assert_eq!((tasks(0), tasks(TASK), tasks(2 * TASK), tasks(usize::MAX)), (1, 1, 2, 3));
        });
    }

    #[test]
    fn one_heavy_iteration_becomes_a_block_of_its_own() {
        let pos: Vec<usize> = (0..=100).map(|i| if i > 50 { 1_000_000 } else { 0 }).collect();
        let work = Work::over(0..100).weighted(&pos);
        assert_eq!(work.middle(), 51);
        assert_eq!(Work { hi: 51, ..work }.middle(), 50);
    }
}
