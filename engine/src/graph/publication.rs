//! The protocol by which one writer's versions reach any number of readers.
//!
//! ```text
//!   writer   lock ── apply a batch ── boundary: publish if asked ── unlock ── serve those who came too late for the boundary
//!   latest()                                                                  load the slot; ask the next boundary
//!   fresh()  load the slot; if it is too old: say so, then publish if the lock is free, else sleep until a boundary
//! ```
//!
//! * The slot holds an immutable version; loading it takes constant time and never waits.
//! * A reader that waits for a fresh version sets `waiting` and *then* tries the lock; a writer unlocks and *then* looks at `waiting`.
//!   With a sequentially consistent fence between the two on either side, one of them sees the other, so that no reader sleeps
//!   for ever on an idle graph.
//! * A version is numbered by the batches it holds. Numbers in the slot never fall: it is stored to under the lock only.
//! * What is replaced under the lock is freed after it: each function that replaces something returns it to the code that unlocks.
//! * A batch that a panic interrupts is undone at its boundary. If undoing it panics too, nothing is published any more. Each later call
//!   that writes, or waits for a version, then tries to undo it again and fails with the same panic.
//!
//! The file is compiled twice: over the primitives of the standard library and its like, and over loom's, with which
//! `publication_model.rs` runs every interleaving of some small programs.

use std::any::Any;
use std::panic::resume_unwind;
use std::sync::Arc;

use super::primitive::{AtomicBool, AtomicU64, Condvar, Mutex, MutexGuard, Ordering, Slot, fence};

/// When a batch boundary publishes a version for readers.
///
/// Under each policy a boundary also publishes when the batches since the last publication have become many: they are kept, in some bytes
/// for each arc, so that a panic can take the graph back to the last batch that was acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Publish {
    /// If a reader has called `latest` since the last publication, or waits in `fresh`. A graph that nobody reads is updated in place, at
    /// full speed.
    #[default]
    WhenAsked,
    /// At every boundary.
    EveryBatch,
    /// Only for readers that wait in `fresh`, and at `publish`. Until then the version that was published last stays in memory.
    OnDemand,
}

/// What a panic carries.
pub(super) type Panic = Box<dyn Any + Send>;

/// What the writer works on.
pub(super) trait Working {
    /// What readers get.
    type Version;

    /// Values to be dropped when the lock is free again.
    type Garbage;

    /// Batches applied so far.
    fn number(&self) -> u64;

    /// The version as it is now, in constant time; `before` is the version that it replaces.
    fn freeze(&mut self, before: Option<&Self::Version>) -> (Self::Version, Self::Garbage);

    /// The number of a version.
    fn number_of(version: &Self::Version) -> u64;

    /// Whether so much was applied since the last version that another one is due.
    fn is_due(&self) -> bool;

    /// Whether a panic left a batch half applied.
    fn is_torn(&self) -> bool;

    /// Goes back to the last batch that was applied as a whole, from the newest version on.
    fn restore(&mut self, version: &Self::Version) -> Result<Self::Garbage, Panic>;
}

/// What was replaced under the lock.
type Replaced<W> = (Option<Arc<<W as Working>::Version>>, Option<<W as Working>::Garbage>);

/// The state that waiting threads check.
struct Boundary {
    /// The number of the newest published version.
    published: u64,
    /// Whether nothing is published any more.
    broken: bool,
}

/// What the writer and the readers of a graph share.
pub(super) struct Publication<W: Working> {
    /// The working version, locked while a batch is applied. No reader can reach it.
    writer: Mutex<W>,
    /// The newest published version.
    latest: Slot<W::Version>,
    /// Batches applied to the working version, to be read without the lock.
    applied: AtomicU64,
    /// A reader asks the next boundary to publish.
    asked: AtomicBool,
    /// A reader waits for a version.
    waiting: AtomicBool,
    last: Mutex<Boundary>,
    boundary: Condvar,
    policy: Publish,
}

impl<W: Working> Publication<W> {
    /// Publishes the working version as it is.
    pub(super) fn new(mut working: W, policy: Publish) -> Self {
        let number = working.number();
        Publication {
            latest: Slot::new(Arc::new(working.freeze(None).0)),
            applied: AtomicU64::new(number),
            asked: AtomicBool::new(false),
            waiting: AtomicBool::new(false),
            last: Mutex::new(Boundary { published: number, broken: false }),
            writer: Mutex::new(working),
            boundary: Condvar::new(),
            policy,
        }
    }

    /// The newest published version.
    #[inline]
    pub(super) fn latest(&self) -> Arc<W::Version> {
        // Loaded first: if each of many readers stored, the cache line would move between their cores each time.
        if self.policy == Publish::WhenAsked && !self.asked.load(Ordering::Relaxed) {
            self.asked.store(true, Ordering::Relaxed);
        }
        self.latest.load()
    }

    /// The newest published version, without asking the next boundary for another one.
    pub(super) fn published(&self) -> Arc<W::Version> {
        self.latest.load()
    }

    /// A version with every batch that was applied before the call.
    pub(super) fn fresh(&self) -> Arc<W::Version> {
        let wanted = self.applied.load(Ordering::SeqCst);
        loop {
            let version = self.latest.load();
            if W::number_of(&version) >= wanted {
                return version;
            }
            self.waiting.store(true, Ordering::SeqCst);
            fence(Ordering::SeqCst);
            if let Some(working) = self.writer.try_lock() {
                // No batch is being applied: this is a boundary. Releasing the lock publishes.
                drop(self.writing(working));
                continue;
            }
            // The thread that holds the lock publishes at its boundary, or sees afterwards that a reader waits.
            let mut last = self.last.lock();
            while last.published < wanted {
                if last.broken {
                    // No thread may signal a boundary any more. Waits for the writer's lock, and then publishes or panics as the failed
                    // batch did.
                    drop(last);
                    drop(self.write());
                    break;
                }
                last = self.boundary.wait(last);
            }
        }
    }

    /// Called when a version has lost its last reader. The version in the slot may be older than the working version, and take memory
    /// although nothing reads it: the working version replaces it, now or at the boundary of the batch that is being applied.
    pub(super) fn left(&self) {
        if self.policy == Publish::OnDemand || W::number_of(&self.latest.load()) >= self.applied.load(Ordering::SeqCst)
        {
            return;
        }
        self.waiting.store(true, Ordering::SeqCst);
        self.serve();
    }

    /// Locks the working version; a boundary comes when the guard is dropped.
    pub(super) fn write(&self) -> Writing<'_, W> {
        self.writing(self.writer.lock())
    }

    fn writing<'a>(&'a self, working: MutexGuard<'a, W>) -> Writing<'a, W> {
        let mut writing = Writing { publication: self, working: Some(working), replaced: Vec::new() };
        if let Err(panic) = writing.mend() {
            // Unlocks without a boundary.
            writing.working = None;
            resume_unwind(panic);
        }
        writing
    }

    /// Whether the lock is held.
    #[cfg(test)]
    pub(super) fn is_locked(&self) -> bool {
        self.writer.try_lock().is_none()
    }

    /// Publishes the working version at a boundary, as some readers may have asked.
    #[must_use = "what is replaced is dropped when the lock is free"]
    fn publish_at_boundary(&self, working: &mut W) -> Replaced<W> {
        // A reader that asks from here on may have seen the old version: its request counts at the next boundary.
        self.asked.store(false, Ordering::Relaxed);
        self.publish(working)
    }

    /// Publishes the working version unless it is published already. What readers have asked of the next boundary stays in force.
    #[must_use = "what is replaced is dropped when the lock is free"]
    fn publish(&self, working: &mut W) -> Replaced<W> {
        self.waiting.store(false, Ordering::SeqCst);
        let number = working.number();
        let mut replaced = (None, None);
        let mut last = self.last.lock();
        if last.published < number {
            let (version, garbage) = working.freeze(Some(&self.latest.load()));
            replaced = (Some(self.latest.swap(Arc::new(version))), Some(garbage));
            last.published = number;
        }
        drop(last);
        self.boundary.notify_all();
        replaced
    }

    /// Whether a boundary has to publish.
    fn is_wanted(&self) -> bool {
        self.waiting.load(Ordering::SeqCst)
            || match self.policy {
                Publish::WhenAsked => self.asked.load(Ordering::Relaxed),
                Publish::EveryBatch => true,
                Publish::OnDemand => false,
            }
    }

    /// Publishes for readers that found the lock taken and missed the boundary.
    fn serve(&self) {
        fence(Ordering::SeqCst);
        while self.waiting.load(Ordering::SeqCst) {
            // If another thread has the lock, it serves the waiting readers when it releases it.
            let Some(mut working) = self.writer.try_lock() else { return };
            if working.is_torn() {
                return;
            }
            let replaced = self.publish(&mut working);
            drop(working);
            drop(replaced);
            fence(Ordering::SeqCst);
        }
    }
}

/// The locked working version. Dropping it is a batch boundary.
pub(super) struct Writing<'a, W: Working> {
    publication: &'a Publication<W>,
    /// `Some` until the guard is dropped.
    working: Option<MutexGuard<'a, W>>,
    /// Dropped after the lock.
    replaced: Vec<Replaced<W>>,
}

impl<W: Working> Writing<'_, W> {
    /// The working version.
    pub(super) fn working(&mut self) -> &mut W {
        self.working.as_mut().expect("held until the guard is dropped")
    }

    /// Publishes the working version whatever the policy says.
    pub(super) fn publish(&mut self) -> Arc<W::Version> {
        let publication = self.publication;
        let replaced = publication.publish_at_boundary(self.working());
        self.replaced.push(replaced);
        publication.latest.load()
    }

    /// Undoes what a panic left half applied.
    fn mend(&mut self) -> Result<(), Panic> {
        let publication = self.publication;
        let working = self.working();
        if !working.is_torn() {
            return Ok(());
        }
        let restored = working.restore(&publication.latest.load());
        publication.last.lock().broken = restored.is_err();
        publication.boundary.notify_all();
        self.replaced.push((None, Some(restored?)));
        Ok(())
    }
}

impl<W: Working> Drop for Writing<'_, W> {
    fn drop(&mut self) {
        if self.working.is_none() {
            return;
        }
        // The next call that writes tries again, and reports the panic.
        let mended = self.mend().is_ok();
        let Some(mut working) = self.working.take() else { return };
        let publication = self.publication;
        if mended {
            publication.applied.store(working.number(), Ordering::SeqCst);
            if publication.is_wanted() || working.is_due() {
                self.replaced.push(publication.publish_at_boundary(&mut working));
            }
        }
        drop(working);
        publication.serve();
    }
}
