//! One thread applies the changes of all threads that wait.
//!
//! ```text
//!   none is applying: a thread applies its own change
//!   one is applying:  the first thread that comes opens a batch and waits for its turn; others put their changes into the batch
//!                     its turn comes: it closes the batch, applies it and wakes the others
//! ```
//!
//! * A thread has one change at a time, so a batch is never longer than there are threads.
//! * The thread that opened a batch waits for one lock, whose holder waits for nothing; the others of the batch wait for that thread. So no
//!   cycle of waiting threads can arise, and no thread spins: one core is enough.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use parking_lot::{Condvar, Mutex, MutexGuard};

/// Makes batches of changes of type `C`, each of which has an outcome of type `O`.
pub(crate) struct Combiner<C, O> {
    open: Mutex<Open<C, O>>,
    /// Held while changes are applied.
    applying: Mutex<()>,
}

/// The batch that takes changes.
struct Open<C, O> {
    changes: Vec<C>,
    batch: Arc<Batch<O>>,
}

/// Where the threads of a batch wait.
struct Batch<O> {
    /// An outcome for each change; none if applying them panicked.
    outcomes: Mutex<Option<Vec<O>>>,
    applied: Condvar,
}

impl<C, O> Default for Open<C, O> {
    fn default() -> Self {
        Open { changes: Vec::new(), batch: Arc::new(Batch { outcomes: Mutex::new(None), applied: Condvar::new() }) }
    }
}

impl<O: Clone> Batch<O> {
    fn finish(&self, outcomes: Vec<O>) {
        *self.outcomes.lock() = Some(outcomes);
        self.applied.notify_all();
    }

    fn wait(&self, at: usize) -> Option<O> {
        let mut outcomes = self.outcomes.lock();
        loop {
            if let Some(outcomes) = &*outcomes {
                return outcomes.get(at).cloned();
            }
            self.applied.wait(&mut outcomes);
        }
    }
}

impl<C, O: Clone> Combiner<C, O> {
    pub(crate) fn new() -> Self {
        Combiner { open: Mutex::default(), applying: Mutex::new(()) }
    }

    /// Applies a change, alone or with those of other threads, and returns its outcome when it is applied. `apply` gets changes in order
    /// and returns an outcome for each. `None` if another thread was to apply it, and panicked.
    pub(crate) fn submit(&self, change: C, apply: impl FnOnce(&[C]) -> Vec<O>) -> Option<O> {
        if let Some(_applying) = self.applying.try_lock() {
            return apply(&[change]).pop();
        }
        let (batch, at) = {
            let mut open = self.open.lock();
            open.changes.push(change);
            (open.batch.clone(), open.changes.len() - 1)
        };
        if at > 0 {
            return batch.wait(at);
        }
        let applying = self.applying.lock();
        let Open { changes, batch } = std::mem::take(&mut *self.open.lock());
        let outcomes = catch_unwind(AssertUnwindSafe(|| apply(&changes)));
        drop(applying);
        match outcomes {
            Ok(outcomes) => {
                let first = outcomes.first().cloned();
                if changes.len() > 1 {
                    batch.finish(outcomes);
                }
                first
            }
            Err(panic) => {
                batch.finish(Vec::new());
                resume_unwind(panic)
            }
        }
    }

    /// Keeps others from applying changes while the guard lives.
    pub(crate) fn alone(&self) -> MutexGuard<'_, ()> {
        self.applying.lock()
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// Threads that wait while the first batch is held up are applied together.
    #[test]
    fn what_waits_is_applied_at_once() {
        let combiner = Combiner::<u32, u32>::new();
        let (combiner, sizes) = (&combiner, &Mutex::new(Vec::new()));
        thread::scope(|scope| {
            let held = combiner.alone();
            for k in 0..8 {
                scope.spawn(move || {
                    let outcome = combiner.submit(k, |changes| {
                        sizes.lock().push(changes.len());
                        changes.iter().map(|k| 10 * k).collect()
                    });
                    assert_eq!(outcome, Some(10 * k));
                });
            }
            while combiner.open.lock().changes.len() < 8 {
                thread::yield_now();
            }
            drop(held);
        });
        assert_eq!(*sizes.lock(), [8]);
        assert_eq!(combiner.submit(3, |changes| changes.to_vec()), Some(3));
    }

    #[test]
    fn every_change_is_applied_once() {
        let combiner = Combiner::<u64, u64>::new();
        let (combiner, sum) = (&combiner, &Mutex::new(0));
        thread::scope(|scope| {
            for thread in 0..64u64 {
                scope.spawn(move || {
                    for k in 0..200 {
                        let change = thread * 1000 + k;
                        let outcome = combiner.submit(change, |changes| {
                            assert!(changes.len() <= 64);
                            *sum.lock() += changes.iter().sum::<u64>();
                            changes.to_vec()
                        });
                        assert_eq!(outcome, Some(change));
                    }
                });
            }
        });
        assert_eq!(*sum.lock(), (0..64).map(|thread| 200 * 1000 * thread + 199 * 100).sum());
    }

    /// A thread that applies a batch may panic: the others get an error, and the next batch is applied.
    #[test]
    fn a_panic_leaves_nobody_waiting() {
        let combiner = Combiner::<u32, u32>::new();
        let combiner = &combiner;
        let failed = thread::scope(|scope| {
            let held = combiner.alone();
            let threads: Vec<_> = (0..4)
                .map(|k| {
                    scope.spawn(move || {
                        catch_unwind(AssertUnwindSafe(|| combiner.submit(k, |_| resume_unwind(Box::new("broken")))))
                            .unwrap_or(None)
                    })
                })
                .collect();
            while combiner.open.lock().changes.len() < 4 {
                thread::yield_now();
            }
            drop(held);
            threads.into_iter().all(|thread| thread.join().is_ok_and(|outcome| outcome.is_none()))
        });
        assert!(failed);
        assert_eq!(combiner.submit(7, |changes| changes.to_vec()), Some(7));
    }
}
