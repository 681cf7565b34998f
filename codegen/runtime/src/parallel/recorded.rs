//! Work and span: how far a computation can be sped up by more threads than the machine has.
//!
//! The *work* of a computation is the time of all its tasks; its *span* is that of the longest chain of tasks, each of which waits for the one
//! before. With any number of threads it takes at least its span, and at least its work divided by their number; a greedy scheduler takes at
//! most the sum of both (Blumofe and Leiserson, Scheduling Multithreaded Computations by Work Stealing, JACM 46(5), 1999, §2).
//!
//! ```text
//!        ┌─ 3 ms ──────┐
//!   1 ms ┤             ├ 1 ms     work 1 + 3 + 2 + 1 = 7 ms
//!        └─ 2 ms ─┄┄┄┄┄┘          span 1 + 3     + 1 = 5 ms
//! ```
//!
//! One thread runs the tasks one after the other, so that none disturbs another one's time, and adds up both. Its own clock measures them: a
//! task in whose midst another process ran would be the longest of all. What tasks there are may depend on the number of threads: the caller says
//! for how many.

use std::cell::Cell;
use std::cmp::Ordering;
use std::time::Duration;

use super::{Each, Mode, in_mode};

/// A loop of more iterations counts as so many tasks of about the same number of iterations.
const TASKS: usize = 1 << 13;

/// Elements that are sorted by one task.
const SORTED: usize = 1 << 11;

/// What [`work_and_span`] finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkAndSpan {
    /// The time of all tasks.
    pub work: Duration,
    /// The time of the longest chain of tasks.
    pub span: Duration,
    /// How many tasks there were.
    pub tasks: u64,
}

/// What one thread has recorded.
#[derive(Clone, Copy)]
struct Recorder {
    /// Threads that work is divided among.
    threads: usize,
    /// The thread's time when the time that is not counted yet began.
    since: Duration,
    /// The work until then, and the span of the task that runs.
    found: WorkAndSpan,
}

thread_local! {
    static RECORDER: Cell<Option<Recorder>> = const { Cell::new(None) };
}

/// The threads that recorded work is divided among, if this thread records.
#[inline]
pub(super) fn threads() -> Option<usize> {
    RECORDER.get().map(|recorder| recorder.threads)
}

/// Whether this thread runs within [`work_and_span`]. Work must stay on it, then.
pub fn is_recorded() -> bool {
    RECORDER.get().is_some()
}

/// Runs `computation` on this thread alone, divided as if there were `threads`, and adds up its tasks.
///
/// Each iteration of a parallel loop counts as a task, because an idle thread can steal it alone; a loop of more than 8,192 iterations counts as so many
/// tasks. Reading the clock, which is that of the thread, adds about 200 ns to each task. The figures leave out what several threads would share
/// (caches, the bandwidth of memory, locks) and the time to wake them. Another process on the same core disturbs the caches only.
///
/// ```
/// use pleach_runtime::{par_map, work_and_span};
///
/// let (sum, found) = work_and_span(16, || par_map(100, 1, |k| (0..k).sum::<usize>()).len());
/// assert_eq!((sum, found.tasks), (100, 100));
/// assert!(found.span <= found.work);
/// ```
pub fn work_and_span<T>(threads: usize, computation: impl FnOnce() -> T) -> (T, WorkAndSpan) {
    struct Restore(Option<Recorder>);

    impl Drop for Restore {
        fn drop(&mut self) {
            RECORDER.set(self.0);
        }
    }

    let _restore = Restore(RECORDER.get());
    resume(Recorder { threads: threads.max(1), since: now(), found: WorkAndSpan::default() });
    let result = in_mode(Mode::Recorded, computation);
    (result, stop().found)
}

/// Counts the time until now.
fn stop() -> Recorder {
    let now = now();
    let mut recorder = RECORDER.get().expect("this mode is set only while a recorder is there");
    let passed = now.saturating_sub(recorder.since);
    recorder.found.work += passed;
    recorder.found.span += passed;
    recorder
}

/// Counts the time from now on.
fn resume(recorder: Recorder) {
    RECORDER.set(Some(Recorder { since: now(), ..recorder }));
}

/// For how long this thread has run.
#[cfg(all(unix, not(miri)))]
fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer leads to a time that is written to.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(failed, 0, "a thread has a clock");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The time since the first call, where a thread has no clock of its own.
#[cfg(not(all(unix, not(miri))))]
fn now() -> Duration {
    static FIRST: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(std::time::Instant::now).elapsed()
}

/// Runs a task, and returns its span, which is not added to that of the task that starts it.
fn task(run: impl FnOnce()) -> Duration {
    let mut recorder = stop();
    let before = std::mem::take(&mut recorder.found.span);
    recorder.found.tasks += 1;
    resume(recorder);
    run();
    let mut recorder = stop();
    let own = std::mem::replace(&mut recorder.found.span, before);
    resume(recorder);
    own
}

/// The running task has waited for others, of which the longest took so much time.
fn wait(longest: Duration) {
    let mut recorder = stop();
    recorder.found.span += longest;
    resume(recorder);
}

/// Two tasks, and then what follows.
pub(super) fn join(left: &mut dyn FnMut(), right: &mut dyn FnMut()) {
    let (left, right) = (task(left), task(right));
    wait(left.max(right));
}

/// The iterations of a loop, at most `most` in a task.
pub(super) fn each(n: usize, most: usize, each: &dyn Each) {
    let length = n.div_ceil(TASKS).clamp(1, most.max(1));
    let tasks = (0..n).step_by(length).map(|begin| task(|| (begin..n.min(begin + length)).for_each(|k| each.each(k))));
    let longest = tasks.max();
    wait(longest.unwrap_or_default());
}

/// A task for each number, each started as soon as it is known that there is one.
pub(super) fn spawn_while(more: &mut dyn FnMut() -> bool, each: &dyn Each) {
    let mut last = Duration::ZERO;
    let mut numbers = 0..;
    while more() {
        let own = task(|| numbers.next().into_iter().for_each(|k| each.each(k)));
        let recorder = stop();
        last = last.max(recorder.found.span + own);
        resume(recorder);
    }
    let mut recorder = stop();
    recorder.found.span = recorder.found.span.max(last);
    resume(recorder);
}

/// Quicksort whose halves are sorted in parallel, and whose divisions are not.
pub(super) fn sort<T: Send>(items: &mut [T], order: &(impl Fn(&T, &T) -> Ordering + Sync)) {
    if items.len() <= SORTED {
        return items.sort_unstable_by(order);
    }
    let middle = items.len() / 2;
    items.select_nth_unstable_by(middle, order);
    let (left, right) = items.split_at_mut(middle);
    super::join(|| sort(left, order), || sort(right, order));
}

#[cfg(test)]
mod tests {
    use std::hint::spin_loop;

    use super::*;
    use crate::{join, par_each, par_map, par_sort, par_sort_by, serially};

    const EACH: Duration = Duration::from_micros(if cfg!(miri) { 2000 } else { 200 });

    fn spend(times: u32) {
        let begin = now();
        while now() - begin < times * EACH {
            spin_loop();
        }
    }

    /// Tasks take at least the time that they spend: bounds from below hold on a busy machine too.
    #[test]
    fn a_join_waits_for_the_longer_side() {
        let ((), found) = work_and_span(8, || {
            spend(1);
            join(|| spend(3), || join(|| spend(2), || spend(2)));
            spend(1);
        });
        assert_eq!(found.tasks, 4);
        assert!(found.work >= 9 * EACH && found.span >= 5 * EACH, "{found:?}");
        assert!(
            found.span + 4 * EACH <= found.work,
            "the right side and half of it are not on the longest chain: {found:?}"
        );
    }

    #[test]
    fn a_loop_takes_as_long_as_its_longest_iteration() {
        let ((), found) = work_and_span(8, || par_each(8, usize::MAX, &|k: usize| spend(k as u32 + 1)));
        assert_eq!(found.tasks, 8);
        assert!(found.work >= 36 * EACH && found.span >= 8 * EACH, "{found:?}");
        assert!(found.span + 28 * EACH <= found.work, "{found:?}");
        let ((), found) = work_and_span(8, || par_each(5 * TASKS, 4, &|_: usize| ()));
        assert_eq!(found.tasks as usize, (5 * TASKS).div_ceil(4), "no task has more iterations than it may");
    }

    #[test]
    fn tasks_start_while_others_are_looked_for() {
        let mut left = 4;
        let mut more = || {
            spend(1);
            left -= 1;
            left >= 0
        };
        let ((), found) = work_and_span(8, || spawn_while(&mut more, &|k: usize| spend(if k == 0 { 3 } else { 1 })));
        assert_eq!(found.tasks, 4);
        assert!(found.work >= 11 * EACH && found.span >= 5 * EACH, "{found:?}");
        assert!(found.span + 6 * EACH <= found.work, "{found:?}");
    }

    #[test]
    fn work_is_divided_among_the_threads_that_were_named_and_runs_here() {
        assert!(!is_recorded());
        let here = std::thread::current().id();
        let (ids, _) = work_and_span(96, || {
            assert_eq!((crate::threads(), is_recorded()), (96, true));
            par_map(64, 1, |_| std::thread::current().id())
        });
        assert!(ids.iter().all(|&id| id == here) && !is_recorded());
        let ((), serial) = work_and_span(96, || serially(|| par_each(9, 1, &|_: usize| ())));
        assert_eq!((serial.tasks, serial.work), (0, serial.span), "serial work is one chain");
        let panicked = std::panic::catch_unwind(|| work_and_span(2, || par_each(2, 1, &|_: usize| panic!("no"))));
        assert!(panicked.is_err() && !is_recorded());
    }

    #[test]
    fn recorded_sorting_sorts() {
        let numbers: Vec<u64> = (0..3 * SORTED as u64).map(|k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 50).collect();
        let (mut one, mut other, mut sorted) = (numbers.clone(), numbers.clone(), numbers);
        sorted.sort_unstable();
        let ((), found) = work_and_span(2, || par_sort(&mut one));
        assert!(found.tasks >= 2 && one == sorted);
        par_sort_by(&mut other, |a, b| b.cmp(a));
        sorted.reverse();
        assert_eq!(other, sorted);
    }
}
