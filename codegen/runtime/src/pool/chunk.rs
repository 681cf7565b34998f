//! A chunk: memory that nodes of all sizes lie in, aligned so that a node's address leads to the chunk's header.
//!
//! ```text
//!   bits    one a granule: set = free                     set by each thread that frees, cleared by the owner only
//!   state   free granules │ where the chunk is │ limit    one word, so that each decision is atomic
//! ```
//!
//! Where a chunk is:
//!
//! ```text
//!             ┌────────── a thread needs a chunk ─────────┐
//!             ▼                                           │
//!   new ──► OWNED ── used up ──► LOOSE ── limit reached ──► QUEUED
//!             │                    │                         │
//!             └─ used up, all free ┴────── all free ─────────┴──► reserve, or back to the global allocator
//! ```
//!
//! **Orders.** A thread that frees sets the bits (release) before it adds to the count (release). The owner reads the bits (acquire) before
//! it hands their granules out, so all uses of the freed node happen before its reuse. The count never exceeds the set bits, so it reaches
//! the total only when all threads have both set and counted.
//!
//! **Why no thread touches a chunk that was given back.** While a thread has freed granules that it has not counted yet, the total cannot be
//! reached and the chunk stays. The add that makes a chunk that is not owned reach its limit or its total, after which
//! something must be done with the chunk, is made under the lock of the shared lists, as is every change of place; any other
//! add is the last that the thread does with the chunk.

use std::alloc::{Layout, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// Bytes of a chunk, and its alignment: a huge page. Small under miri, which is slow.
pub(super) const CHUNK: usize = if cfg!(miri) { 1 << 16 } else { 1 << 21 };

/// Bytes that one bit stands for: sizes are rounded up to it, and it is the strictest alignment that chunks serve.
pub(super) const GRANULE: usize = 8;

/// Granules of a chunk, the header's included.
const GRANULES: usize = CHUNK / GRANULE;

/// Words of the bitmap.
const WORDS: usize = GRANULES / 64;

/// Cache lines among which the state's place is chosen by the chunk's address. All chunks start at a multiple of 2 MiB, so their states
/// would otherwise compete for one set of the cache.
const COLOURS: usize = if cfg!(miri) { 4 } else { 64 };

#[repr(C, align(64))]
pub(super) struct Header {
    free: [AtomicU64; WORDS],
    states: [State; COLOURS],
    /// Neighbours in a shared list, used under its lock only.
    pub(super) next: AtomicPtr<Header>,
    pub(super) previous: AtomicPtr<Header>,
}

#[repr(align(64))]
struct State(AtomicU64);

/// First granule behind the header.
const FIRST: usize = size_of::<Header>() / GRANULE;

/// Granules that nodes can lie in.
pub(super) const TOTAL: usize = GRANULES - FIRST;

/// Where a chunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A thread hands out its granules.
    Owned = 0,
    /// Without an owner and in no list, because little of it is free.
    Loose = 1,
    /// In the list of chunks worth searching for any request.
    Queued = 2,
    /// In the list of chunks worth searching for small requests only.
    QueuedSmall = 3,
}

/// A chunk's state word, taken apart: count + `BIAS` in bits 0..24, place in bits 24..26, limit in bits 32..64.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Status(u64);

impl Status {
    /// The owner may hand out granules that are free but not counted yet, so the count can be below zero for a moment.
    const BIAS: i64 = 1 << 22;
    const COUNT: u64 = (1 << 24) - 1;

    pub(super) fn new(count: i64, place: Place, limit: usize) -> Status {
        Status((count + Status::BIAS) as u64 | (place as u64) << 24 | (limit as u64) << 32)
    }

    /// Free granules that are counted and not handed out.
    pub(super) fn count(self) -> i64 {
        (self.0 & Status::COUNT) as i64 - Status::BIAS
    }

    pub(super) fn is_all_free(self) -> bool {
        self.count() == TOTAL as i64
    }

    pub(super) fn place(self) -> Place {
        match self.0 >> 24 & 3 {
            0 => Place::Owned,
            1 => Place::Loose,
            2 => Place::Queued,
            _ => Place::QueuedSmall,
        }
    }

    /// Count from which a loose chunk is worth queueing.
    pub(super) fn limit(self) -> usize {
        (self.0 >> 32) as usize
    }

    fn plus(self, granules: usize) -> Status {
        Status(self.0 + granules as u64)
    }

    /// Whether something is to be done with a chunk that gets into this status by an add.
    fn calls_for_action(self) -> bool {
        match self.place() {
            Place::Owned => false,
            Place::Loose => self.is_all_free() || self.count() >= self.limit() as i64,
            Place::Queued | Place::QueuedSmall => self.is_all_free(),
        }
    }
}

const _: () = assert!(TOTAL as i64 + Status::BIAS < Status::COUNT as i64 && size_of::<Header>() <= CHUNK / 4);

/// A chunk that is alive. The pointer's provenance is the whole of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk(NonNull<Header>);

// SAFETY: a chunk's header consists of atomics; who may use the memory behind it is settled by the bits.
unsafe impl Send for Chunk {}

impl Chunk {
    const LAYOUT: Layout = match Layout::from_size_align(CHUNK, CHUNK) {
        Ok(layout) => layout,
        Err(_) => panic!("the chunk size is a power of two"),
    };

    /// A chunk from the global allocator, owned by the caller, all granules handed out. `huge` asks for huge pages.
    pub(super) fn allocate(huge: bool) -> Chunk {
        // SAFETY: the layout's size is not zero.
        let pointer = unsafe { std::alloc::alloc(Chunk::LAYOUT) };
        let Some(header) = NonNull::new(pointer.cast::<Header>()) else { handle_alloc_error(Chunk::LAYOUT) };
        #[cfg(all(target_os = "linux", not(miri)))]
        if huge {
            // SAFETY: the range was just allocated, and the advice changes neither its contents nor its extent. If the
            // advice is not taken, pages are small.
            unsafe { libc::madvise(pointer.cast(), CHUNK, libc::MADV_HUGEPAGE) };
        }
        #[cfg(not(all(target_os = "linux", not(miri))))]
        let _ = huge;
        // SAFETY: the chunk is large enough for a header and aligned, and all zeros is a valid header.
        unsafe { header.write_bytes(0, 1) };
        let chunk = Chunk(header);
        chunk.reset();
        chunk
    }

    /// Gives the chunk back to the global allocator.
    ///
    /// # Safety
    ///
    /// All granules are free, and no thread and no list knows the chunk.
    pub(super) unsafe fn deallocate(self) {
        // SAFETY: `allocate` got the memory for this layout; the caller promises that nobody uses it.
        unsafe { std::alloc::dealloc(self.0.as_ptr().cast(), Chunk::LAYOUT) };
    }

    /// Makes an entirely free chunk that no other thread knows one whose granules are all handed out, owned by the caller.
    pub(super) fn reset(self) {
        for word in &self.header().free {
            word.store(0, Ordering::Relaxed);
        }
        self.state().store(Status::new(0, Place::Owned, TOTAL).0, Ordering::Relaxed);
    }

    /// The chunk that a node lies in.
    ///
    /// # Safety
    ///
    /// The pointer was handed out by a chunk, for a node that is not yet counted as free.
    #[inline(always)]
    pub(super) unsafe fn of(node: NonNull<u8>) -> Chunk {
        let header = node.as_ptr().map_addr(|address| address & !(CHUNK - 1)).cast::<Header>();
        // SAFETY: a chunk's address is a multiple of its size and not null.
        Chunk(unsafe { NonNull::new_unchecked(header) })
    }

    #[inline(always)]
    pub(super) fn header(&self) -> &Header {
        // SAFETY: the chunk is alive, and all of its header is atomics.
        unsafe { self.0.as_ref() }
    }

    pub(super) fn from_link(pointer: *mut Header) -> Option<Chunk> {
        NonNull::new(pointer).map(Chunk)
    }

    pub(super) fn as_link(self) -> *mut Header {
        self.0.as_ptr()
    }

    #[inline(always)]
    fn state(&self) -> &AtomicU64 {
        let number = self.0.addr().get() / CHUNK;
        &self.header().states[(number ^ number >> 6) % COLOURS].0
    }

    /// Replaces the status by what `f` makes of it. Only under the lock of the shared lists.
    pub(super) fn update(self, mut f: impl FnMut(Status) -> Status) -> Status {
        let mut old = self.state().load(Ordering::Relaxed);
        loop {
            let new = f(Status(old));
            match self.state().compare_exchange_weak(old, new.0, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return new,
                Err(now) => old = now,
            }
        }
    }

    /// The granules' place in memory.
    ///
    /// # Safety
    ///
    /// `granule < GRANULES`.
    pub(super) unsafe fn pointer(self, granule: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { self.0.as_ptr().cast::<u8>().add(granule * GRANULE) }
    }

    /// First granule behind the header.
    pub(super) const fn first() -> usize {
        FIRST
    }

    /// The granule that an address in the chunk lies in.
    #[inline(always)]
    pub(super) fn granule(address: usize) -> usize {
        address % CHUNK / GRANULE
    }

    /// Asks for the words that freeing `granule` will write to.
    #[inline(always)]
    pub(super) fn prefetch(self, granule: usize) {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let header = self.header();
            // SAFETY: x86-64 has SSE, and a prefetch has no effect that could be observed.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>((&raw const header.free[granule / 64 % WORDS]).cast());
                _mm_prefetch::<_MM_HINT_T0>((&raw const *self.state()).cast());
            }
        }
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        let _ = granule;
    }

    /// Marks the granules of one word as free. They are still to be counted.
    #[inline]
    pub(super) fn set_free_word(self, word: usize, mask: u64) {
        let before = self.header().free[word].fetch_or(mask, Ordering::Release);
        debug_assert_eq!(before & mask, 0, "a node was freed twice");
    }

    /// Marks granules as free. They are still to be counted.
    pub(super) fn set_free(self, first: usize, granules: usize) {
        for_words(first, granules, |word, mask| self.set_free_word(word, mask));
    }

    /// Marks granules as handed out; they were found free by the owner, which is the caller.
    pub(super) fn claim(self, first: usize, granules: usize) {
        for_words(first, granules, |word, mask| {
            let before = self.header().free[word].fetch_and(!mask, Ordering::Relaxed);
            debug_assert_eq!(before & mask, mask, "only free granules can be claimed");
        });
    }

    /// The first stretch of at least `granules` free granules that starts at `from` or behind it: its start and its length, to its end.
    ///
    /// For the owner: what it finds stays free until it claims it.
    pub(super) fn find(self, from: usize, granules: usize) -> Option<(usize, usize)> {
        let words = &self.header().free;
        let (mut start, mut length) = (from, 0);
        let mut at = from;
        while at < GRANULES {
            let word = words[at / 64].load(Ordering::Acquire) >> (at % 64);
            let in_word = 64 - at % 64;
            let ones = (word.trailing_ones() as usize).min(in_word);
            length += ones;
            at += ones;
            if ones == in_word {
                continue;
            }
            if length >= granules {
                return Some((start, length));
            }
            let zeros = ((word >> ones).trailing_zeros() as usize).min(in_word - ones);
            at += zeros;
            (start, length) = (at, 0);
        }
        (length >= granules).then_some((start, length))
    }

    /// Counts granules that were marked as free. `false` if the add calls for action and was not made: it is to be made by
    /// [`Chunk::count_under_lock`]. Otherwise the chunk must not be used by the caller any more, unless it owns it.
    #[inline]
    pub(super) fn try_count(self, granules: usize) -> bool {
        let state = self.state();
        let mut old = state.load(Ordering::Relaxed);
        loop {
            let new = Status(old).plus(granules);
            if new.calls_for_action() {
                return false;
            }
            match state.compare_exchange_weak(old, new.0, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => old = now,
            }
        }
    }

    /// Counts granules that were marked as free, under the lock of the shared lists. Returns the status if it calls for action.
    pub(super) fn count_under_lock(self, granules: usize) -> Option<Status> {
        let status = Status(self.state().fetch_add(granules as u64, Ordering::AcqRel)).plus(granules);
        status.calls_for_action().then_some(status)
    }
}

/// Calls `f` with each word that a stretch of granules has bits in, and the mask of those.
#[inline]
pub(super) fn for_words(first: usize, granules: usize, mut f: impl FnMut(usize, u64)) {
    let (mut at, end) = (first, first + granules);
    while at < end {
        let bits = (64 - at % 64).min(end - at);
        f(at / 64, (u64::MAX >> (64 - bits)) << (at % 64));
        at += bits;
    }
}
