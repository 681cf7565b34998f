//! What threads share: chunks that are partly or entirely free, under one lock that is taken when a chunk changes hands.

use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::chunk::{CHUNK, Chunk, Place, Status, TOTAL};

/// Free granules from which a chunk is worth searching, and which must become free anew after it was searched in vain.
const WORTH: usize = TOTAL / 8;

/// Chunks from which new ones are asked for in huge pages: a small program shall not hold megabytes for a few nodes.
const HUGE_FROM: usize = 8;

/// What the pool holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Bytes of all nodes that are allocated now, as requested.
    pub requested: usize,
    /// Bytes taken from the global allocator: chunks, whatever they hold, and requests too large for chunks.
    pub held: usize,
    /// Number of chunks.
    pub chunks: usize,
}

/// Bytes requested less bytes given back by one thread; below zero for a thread that mostly frees.
#[derive(Default)]
pub(super) struct Requested(AtomicIsize);

impl Requested {
    /// Adds to the count, which only one thread does: two plain moves.
    #[inline(always)]
    pub(super) fn add(&self, bytes: isize) {
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(bytes), Ordering::Relaxed);
    }

    fn get(&self) -> isize {
        self.0.load(Ordering::Relaxed)
    }
}

struct Shared {
    /// Chunks worth searching by anybody.
    queued: List,
    /// Chunks worth searching for small requests.
    queued_small: List,
    /// Entirely free chunks, kept so that a program that hovers around a chunk's boundary need not ask for it again and again.
    reserve: List,
    /// Number of chunks, wherever they are.
    chunks: usize,
    /// The counts of the threads that live.
    threads: Vec<Arc<Requested>>,
    /// Sum of the counts of the threads that are gone.
    gone: isize,
}

static SHARED: Mutex<Shared> = Mutex::new(Shared {
    queued: List::EMPTY,
    queued_small: List::EMPTY,
    reserve: List::EMPTY,
    chunks: 0,
    threads: Vec::new(),
    gone: 0,
});

/// Bytes of requests that are too large for chunks.
static LARGE: AtomicIsize = AtomicIsize::new(0);

fn shared() -> MutexGuard<'static, Shared> {
    // Nothing under the lock panics half-way.
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Why the owner gives up a chunk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Release {
    /// It was searched to its end for small requests.
    SearchedSmall,
    /// It was searched to its end for medium requests, so there may still be holes for small ones.
    SearchedMedium,
    /// It was filled, or is given up early.
    Unsearched,
}

/// A chunk worth searching, now owned by the caller.
pub(super) fn acquire_queued(small: bool) -> Option<Chunk> {
    let mut shared = shared();
    let chunk = if small { shared.queued_small.pop().or_else(|| shared.queued.pop()) } else { shared.queued.pop() }?;
    chunk.update(|status| Status::new(status.count(), Place::Owned, TOTAL));
    Some(chunk)
}

/// A chunk all of whose granules the caller may hand out.
pub(super) fn acquire_fresh() -> Chunk {
    let huge = {
        let mut shared = shared();
        if let Some(chunk) = shared.reserve.pop() {
            drop(shared);
            chunk.reset();
            return chunk;
        }
        shared.chunks += 1;
        shared.chunks > HUGE_FROM
    };
    Chunk::allocate(huge)
}

/// Gives up a chunk of which the owner claimed `claimed` more granules than it marked as free again.
pub(super) fn release(chunk: Chunk, claimed: i64, why: Release) {
    let mut shared = shared();
    let status = chunk.update(|status| {
        let count = status.count() - claimed;
        let (place, limit) = match why {
            _ if count == TOTAL as i64 => (Place::Owned, TOTAL),
            Release::SearchedSmall => (Place::Loose, (count.max(0) as usize + WORTH).min(TOTAL)),
            _ if count < WORTH as i64 => (Place::Loose, WORTH),
            Release::SearchedMedium => (Place::QueuedSmall, TOTAL),
            Release::Unsearched => (Place::Queued, TOTAL),
        };
        Status::new(count, place, limit)
    });
    match status.place() {
        Place::Owned => shared.retire(chunk),
        Place::Loose => {}
        Place::Queued => shared.queued.push(chunk),
        Place::QueuedSmall => shared.queued_small.push(chunk),
    }
}

/// Counts granules that the caller marked as free. The caller must not use the chunk afterwards, unless it owns it.
#[inline]
pub(super) fn count_free(chunk: Chunk, granules: usize) {
    if !chunk.try_count(granules) {
        count_free_and_act(chunk, granules);
    }
}

#[cold]
fn count_free_and_act(chunk: Chunk, granules: usize) {
    let mut shared = shared();
    // The place may have changed while we waited for the lock.
    let Some(status) = chunk.count_under_lock(granules) else { return };
    if status.is_all_free() {
        match status.place() {
            Place::Queued => shared.queued.remove(chunk),
            Place::QueuedSmall => shared.queued_small.remove(chunk),
            Place::Loose | Place::Owned => {}
        }
        shared.retire(chunk);
    } else {
        chunk.update(|status| Status::new(status.count(), Place::Queued, TOTAL));
        shared.queued.push(chunk);
    }
}

pub(super) fn register(thread: Arc<Requested>) {
    shared().threads.push(thread);
}

pub(super) fn unregister(thread: &Arc<Requested>) {
    let mut shared = shared();
    shared.gone = shared.gone.wrapping_add(thread.get());
    shared.threads.retain(|other| !Arc::ptr_eq(other, thread));
}

pub(super) fn count_large(bytes: isize) {
    LARGE.fetch_add(bytes, Ordering::Relaxed);
}

pub(super) fn stats() -> Stats {
    let shared = shared();
    let small = shared.threads.iter().fold(shared.gone, |sum, thread| sum.wrapping_add(thread.get()));
    let large = LARGE.load(Ordering::Relaxed);
    Stats {
        requested: small.saturating_add(large).max(0) as usize,
        held: shared.chunks * CHUNK + large.max(0) as usize,
        chunks: shared.chunks,
    }
}

/// Gives all entirely free chunks back to the global allocator.
pub(super) fn trim() {
    let mut shared = shared();
    while shared.give_back_one() {}
}

impl Shared {
    /// Takes a chunk that is entirely free and in no list.
    fn retire(&mut self, chunk: Chunk) {
        self.reserve.push(chunk);
        // Two at a time, for the reserve's bound sinks as chunks go.
        for _ in 0..2 {
            if self.reserve.length > 2 + self.chunks / 16 {
                self.give_back_one();
            }
        }
    }

    /// Gives a chunk of the reserve back, if there is one.
    fn give_back_one(&mut self) -> bool {
        let Some(chunk) = self.reserve.pop() else { return false };
        self.chunks -= 1;
        // SAFETY: chunks of the reserve are entirely free, and it is in no list any more.
        unsafe { chunk.deallocate() };
        true
    }
}

/// A list of chunks, linked through their headers.
struct List {
    first: Option<Chunk>,
    length: usize,
}

impl List {
    const EMPTY: List = List { first: None, length: 0 };

    fn push(&mut self, chunk: Chunk) {
        let header = chunk.header();
        header.previous.store(std::ptr::null_mut(), Ordering::Relaxed);
        header.next.store(self.first.map_or(std::ptr::null_mut(), Chunk::as_link), Ordering::Relaxed);
        if let Some(first) = self.first {
            first.header().previous.store(chunk.as_link(), Ordering::Relaxed);
        }
        self.first = Some(chunk);
        self.length += 1;
    }

    fn pop(&mut self) -> Option<Chunk> {
        let chunk = self.first?;
        self.remove(chunk);
        Some(chunk)
    }

    /// Takes out a chunk that is in the list.
    fn remove(&mut self, chunk: Chunk) {
        let header = chunk.header();
        let (previous, next) = (header.previous.load(Ordering::Relaxed), header.next.load(Ordering::Relaxed));
        match Chunk::from_link(previous) {
            Some(previous) => previous.header().next.store(next, Ordering::Relaxed),
            None => self.first = Chunk::from_link(next),
        }
        if let Some(next) = Chunk::from_link(next) {
            next.header().previous.store(previous, Ordering::Relaxed);
        }
        self.length -= 1;
    }
}
