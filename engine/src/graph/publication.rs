//! The protocol by which one writer's versions reach any number of readers.
//!
//! ```text
//!   writer   lock ── apply a batch ── boundary: publish if asked ── unlock ── serve those who came too late for the boundary
//!   latest()                                                                  load the slot; ask the next boundary
//!   fresh()  load the slot; if it is too old: say so, then publish if the lock is free, else sleep until a boundary
//! ```
//!
//! * The slot holds an immutable version; loading it takes constant time and waits for nobody.
//! * A reader who wants a fresh version sets `waiting` and *then* tries the lock; a writer unlocks and *then* looks at `waiting`.
//!   With a sequentially consistent fence between the two on either side, one of them sees the other, so that no reader sleeps
//!   for ever on an idle graph.
//! * A version is numbered by the batches it holds. Numbers in the slot never fall: it is stored to under the lock only.
//!
//! The file is compiled twice: over the primitives of the standard library and its like, and over loom's, with which
//! `publication_model.rs` runs every interleaving of some small programs.

use std::sync::Arc;

use super::primitive::{AtomicBool, AtomicU64, Condvar, Mutex, MutexGuard, Ordering, Slot, fence};

/// When a batch boundary publishes a version for readers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Publish {
    /// When somebody asked since the last publication, by `latest` or by `fresh`. A graph that nobody reads is updated in place, at
    /// full speed.
    #[default]
    WhenAsked,
    /// At every boundary.
    EveryBatch,
    /// Only for those who wait in `fresh`, and at `publish`. What was published last then stays in memory until one of them.
    OnDemand,
}

/// What the writer works on.
pub(super) trait Working {
    /// What readers get.
    type Version;

    /// Batches applied so far.
    fn number(&self) -> u64;

    /// The version as it is now: in constant time.
    fn freeze(&self) -> Self::Version;

    /// The number of a version.
    fn number_of(version: &Self::Version) -> u64;

    /// Whether a panic left a batch half applied.
    fn is_torn(&self) -> bool;

    /// Goes back to a version, under a number above all that were given out.
    fn restore(&mut self, version: &Self::Version);
}

/// The place where a writer and readers meet.
pub(super) struct Publication<W: Working> {
    /// The working version, locked while a batch is applied. No reader can reach it.
    writer: Mutex<W>,
    /// The newest published version.
    latest: Slot<W::Version>,
    /// Batches applied to the working version, to be read without the lock.
    applied: AtomicU64,
    /// Somebody would like the next boundary to publish.
    asked: AtomicBool,
    /// Somebody waits for a version.
    waiting: AtomicBool,
    /// The number of the newest published version, for those who wait.
    published: Mutex<u64>,
    boundary: Condvar,
    policy: Publish,
}

impl<W: Working> Publication<W> {
    /// Publishes the working version as it is.
    pub(super) fn new(working: W, policy: Publish) -> Self {
        Publication {
            latest: Slot::new(Arc::new(working.freeze())),
            applied: AtomicU64::new(working.number()),
            asked: AtomicBool::new(false),
            waiting: AtomicBool::new(false),
            published: Mutex::new(working.number()),
            writer: Mutex::new(working),
            boundary: Condvar::new(),
            policy,
        }
    }

    /// The newest published version.
    #[inline]
    pub(super) fn latest(&self) -> Arc<W::Version> {
        // Looked at first: many readers who keep asking would otherwise take the cache line from each other.
        if self.policy == Publish::WhenAsked && !self.asked.load(Ordering::Relaxed) {
            self.asked.store(true, Ordering::Relaxed);
        }
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
                // Nobody applies a batch: this is a boundary. Letting go of the lock publishes.
                drop(Writing { publication: self, working: Some(working) });
                continue;
            }
            // Whoever holds the lock publishes at its boundary, or sees after it that somebody waits.
            let mut published = self.published.lock();
            while *published < wanted {
                published = self.boundary.wait(published);
            }
        }
    }

    /// A version lost its last reader. What the slot holds may be older than the working version and take memory for nobody: the
    /// working version takes its place, now or at the boundary of the batch that is being applied.
    pub(super) fn left(&self) {
        if self.policy == Publish::OnDemand || W::number_of(&self.latest.load()) >= self.applied.load(Ordering::SeqCst)
        {
            return;
        }
        // Who asked for the next boundary to publish is heard there all the same.
        let asked = self.asked.load(Ordering::Relaxed);
        self.waiting.store(true, Ordering::SeqCst);
        self.serve();
        if asked {
            self.asked.store(true, Ordering::Relaxed);
        }
    }

    /// Locks the working version; a boundary comes when the guard is dropped.
    pub(super) fn write(&self) -> Writing<'_, W> {
        Writing { publication: self, working: Some(self.writer.lock()) }
    }

    /// Publishes the working version unless it is published already.
    fn publish(&self, working: &W) {
        // Those who ask from here on may have seen no more than the slot's old version: they are heard at the next boundary.
        self.asked.store(false, Ordering::Relaxed);
        self.waiting.store(false, Ordering::SeqCst);
        let number = working.number();
        let mut published = self.published.lock();
        if *published < number {
            self.latest.store(Arc::new(working.freeze()));
            *published = number;
        }
        drop(published);
        self.boundary.notify_all();
    }

    /// Whether a boundary is to publish.
    fn is_wanted(&self) -> bool {
        self.waiting.load(Ordering::SeqCst)
            || match self.policy {
                Publish::WhenAsked => self.asked.load(Ordering::Relaxed),
                Publish::EveryBatch => true,
                Publish::OnDemand => false,
            }
    }

    /// Publishes for those who found the lock taken and were too late for the boundary.
    fn serve(&self) {
        fence(Ordering::SeqCst);
        while self.waiting.load(Ordering::SeqCst) {
            // If somebody else has the lock, they will look after those who wait when they let go of it.
            let Some(working) = self.writer.try_lock() else { return };
            self.publish(&working);
            drop(working);
            fence(Ordering::SeqCst);
        }
    }
}

/// The locked working version. Dropping it is a batch boundary.
pub(super) struct Writing<'a, W: Working> {
    publication: &'a Publication<W>,
    /// There until the guard is dropped.
    working: Option<MutexGuard<'a, W>>,
}

impl<W: Working> Writing<'_, W> {
    /// The working version.
    pub(super) fn working(&mut self) -> &mut W {
        self.working.as_mut().expect("held until the guard is dropped")
    }

    /// Publishes the working version whatever the policy says.
    pub(super) fn publish(&mut self) -> Arc<W::Version> {
        let publication = self.publication;
        publication.publish(self.working());
        publication.latest.load()
    }
}

impl<W: Working> Drop for Writing<'_, W> {
    fn drop(&mut self) {
        let Some(mut working) = self.working.take() else { return };
        let publication = self.publication;
        if working.is_torn() {
            // A panic unwound through a half-applied batch. What is published is whole: go on from there.
            working.restore(&publication.latest.load());
        }
        publication.applied.store(working.number(), Ordering::SeqCst);
        if publication.is_wanted() {
            publication.publish(&working);
        }
        drop(working);
        publication.serve();
    }
}
