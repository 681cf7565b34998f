//! The primitives of the publication protocol. In its model (`publication_model.rs`) loom's primitives have the same names.

use std::sync::Arc;
pub(super) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};

use arc_swap::ArcSwap;
pub(super) use parking_lot::{Mutex, MutexGuard};

/// A condition variable whose guard is passed through it.
#[derive(Default)]
pub(super) struct Condvar(parking_lot::Condvar);

impl Condvar {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Releases the lock until it is notified.
    pub(super) fn wait<'a, T>(&self, mut guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.0.wait(&mut guard);
        guard
    }

    pub(super) fn notify_all(&self) {
        self.0.notify_all();
    }
}

/// A place for the newest version. Reading it never waits.
pub(super) struct Slot<T>(ArcSwap<T>);

impl<T> Slot<T> {
    pub(super) fn new(version: Arc<T>) -> Self {
        Slot(ArcSwap::new(version))
    }

    #[inline]
    pub(super) fn load(&self) -> Arc<T> {
        self.0.load_full()
    }

    /// Replaces the version. Returns the old one, which the caller drops when no lock is held.
    pub(super) fn swap(&self, version: Arc<T>) -> Arc<T> {
        self.0.swap(version)
    }
}
