//! Ending an algorithm before it has its result, and how far it is until then.
//!
//! ```text
//!   thread A    cancel.run(|| pagerank(graph.with_cancel(&cancel), …))    ──► Ok(ranks), or Err(Cancelled)
//!   thread B    cancel.cancel()                                           at the next round, A gives up
//! ```
//!
//! An algorithm calls [`Adjacency::check_cancel`] once a round or once a task. The check is one load. If the algorithm was cancelled, the
//! check unwinds the stack up to [`Cancel::run`], through the threads of a pool as well; the panic hook is not called. So no algorithm
//! needs a second way to return.
//!
//! What takes long also says what it is going to do, by [`Adjacency::announce`], and how much of it is done, by [`Adjacency::advance`]: one
//! addition a round or a task. [`Cancel::progress`] reads it from any thread.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use super::Adjacency;

/// A request to end an algorithm early, made by one thread and noticed by those that run the algorithm.
///
/// A program that is built with `panic = "abort"` cannot cancel: it aborts instead.
///
/// ```
/// use pleach::Csr;
/// use pleach::traverse::{Adjacency, Cancel, Cancelled};
///
/// let rows: Csr = Csr::from_entries(2, 2, [(0, 1, ())])?;
/// let cancel = Cancel::new();
/// let graph = Adjacency::outward(&rows)?.with_cancel(&cancel);
/// assert_eq!(cancel.run(|| graph.check_cancel()), Ok(()));
/// cancel.cancel();
/// assert_eq!(cancel.run(|| graph.check_cancel()), Err(Cancelled));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Cancel {
    cancelled: AtomicBool,
    done: AtomicU64,
    work: Mutex<Work>,
}

/// What an algorithm is going to do.
#[derive(Debug, Default)]
struct Work {
    unit: &'static str,
    total: Option<u64>,
    part: usize,
}

/// How far an algorithm is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// What is counted, in the plural; empty if nothing was announced yet.
    pub unit: &'static str,
    /// How much is done.
    pub done: u64,
    /// How much it is in all, if that is known.
    pub total: Option<u64>,
    /// How often something was announced: by an algorithm of several parts, once for each.
    pub part: usize,
}

/// An algorithm ended early because it was [cancelled](Cancel::cancel).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the algorithm was cancelled")]
pub struct Cancelled;

impl Cancel {
    /// A request that is not made yet.
    pub const fn new() -> Self {
        let work = Work { unit: "", total: None, part: 0 };
        Cancel { cancelled: AtomicBool::new(false), done: AtomicU64::new(0), work: Mutex::new(work) }
    }

    /// Ends all algorithms on graphs with this request, each at its next check. Cannot be taken back.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether [`cancel`](Self::cancel) was called.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        // Relaxed: nothing else is read because of it.
        self.cancelled.load(Ordering::Relaxed)
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    /// How far the algorithm is that runs with this request, or was when it ended.
    pub fn progress(&self) -> Progress {
        let work = self.work();
        let done = self.done.load(Ordering::Relaxed);
        let done = work.total.map_or(done, |total| done.min(total));
        Progress { unit: work.unit, done, total: work.total, part: work.part }
    }

    /// Runs an algorithm that may be cancelled. Values that it was changing when it was cancelled, such as results that follow a graph, are
    /// left in the middle of the change: drop them.
    ///
    /// # Errors
    ///
    /// [`Cancelled`] if the algorithm noticed the request. One that was nearly done may return its result nevertheless.
    pub fn run<T>(&self, algorithm: impl FnOnce() -> T) -> Result<T, Cancelled> {
        catch_unwind(AssertUnwindSafe(algorithm)).map_err(|payload| match payload.downcast::<Cancelled>() {
            Ok(cancelled) => *cancelled,
            Err(panic) => resume_unwind(panic),
        })
    }
}

impl<'a, A> Adjacency<'a, A> {
    /// The same graph for algorithms that end early once `cancel` asks for it: run them with [`Cancel::run`].
    #[must_use]
    pub fn with_cancel(mut self, cancel: &'a Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Unwinds to [`Cancel::run`] if the algorithm is to end. Algorithms call it once a round, and in rounds that take long once a task.
    ///
    /// # Panics
    ///
    /// If the algorithm is to end and was not started by [`Cancel::run`].
    #[inline]
    pub fn check_cancel(&self) {
        if self.cancel.is_some_and(Cancel::is_cancelled) {
            resume_unwind(Box::new(Cancelled));
        }
    }

    /// Says what the algorithm is going to count by [`advance`](Self::advance), in the plural (`"vertices"`), and how many there are, if that
    /// is known. Nothing of it is done yet.
    pub fn announce(&self, unit: &'static str, total: Option<usize>) {
        if let Some(cancel) = self.cancel {
            let mut work = cancel.work();
            *work = Work { unit, total: total.map(|total| total as u64), part: work.part + 1 };
            cancel.done.store(0, Ordering::Relaxed);
        }
    }

    /// Counts that so many more are done, and unwinds as [`check_cancel`](Self::check_cancel) does if the algorithm is to end. For once a
    /// round or once a task: all threads add to one number.
    ///
    /// # Panics
    ///
    /// As [`check_cancel`](Self::check_cancel).
    #[inline]
    pub fn advance(&self, count: usize) {
        if let Some(cancel) = self.cancel {
            cancel.done.fetch_add(count as u64, Ordering::Relaxed);
            self.check_cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Csr;

    #[test]
    fn what_is_cancelled_in_one_task_ends_all() {
        let rows = Csr::<()>::from_entries(2, 2, [(0, 1, ())]).unwrap();
        let cancel = Cancel::new();
        let graph = Adjacency::outward(&rows).unwrap().with_cancel(&cancel);
        let tasks = || {
            pleach_runtime::par_map(1000, 1, |k| {
                if k == 500 {
                    cancel.cancel();
                }
                graph.check_cancel();
            })
        };
        assert_eq!(cancel.run(tasks).unwrap_err(), Cancelled);
        // A graph without the request goes on.
        Adjacency::outward(&rows).unwrap().check_cancel();
    }

    #[test]
    fn progress_is_counted_by_parts() {
        let rows = Csr::<()>::from_entries(2, 2, [(0, 1, ())]).unwrap();
        let cancel = Cancel::new();
        let graph = Adjacency::outward(&rows).unwrap().with_cancel(&cancel);
        assert_eq!(cancel.progress(), Progress::default());
        graph.announce("vertices", Some(5));
        graph.advance(3);
        assert_eq!(cancel.progress(), Progress { unit: "vertices", done: 3, total: Some(5), part: 1 });
        // A task may count what is left of its share, too.
        graph.advance(3);
        assert_eq!(cancel.progress().done, 5);
        graph.announce("rounds", None);
        graph.advance(7);
        assert_eq!(cancel.progress(), Progress { unit: "rounds", done: 7, total: None, part: 2 });
        cancel.cancel();
        assert_eq!(cancel.run(|| graph.advance(1)), Err(Cancelled));
    }

    #[test]
    fn other_panics_are_passed_on() {
        let cancel = Cancel::new();
        let panic = catch_unwind(AssertUnwindSafe(|| cancel.run(|| resume_unwind(Box::new("another"))).unwrap()));
        assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"another"));
    }
}
