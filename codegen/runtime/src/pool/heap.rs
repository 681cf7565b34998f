//! One thread's part of the pool: magazines of freed slots, holes of a partly free chunk, and a fresh chunk.

use std::ptr::{NonNull, null_mut};
use std::sync::Arc;

use super::chunk::{Chunk, GRANULE, TOTAL, for_words};
use super::shared::{self, Release, Requested};

/// Granules of the largest slot that magazines keep; larger ones go to their chunk's bitmap at once.
const SMALL: usize = 1024 / GRANULE;

/// Bytes that one handful of a magazine holds, if those are at least [`FEWEST`] slots.
const HANDFUL: usize = if cfg!(miri) { 512 } else { 8 << 10 };

/// Slots that one handful holds at least.
const FEWEST: usize = 8;

/// Slots that are freed side by side, with no request in between, before their memory goes to the bitmap at once: a whole structure is
/// being dropped, which was laid out in this order, and magazines would only keep the chunks from being given back. That also takes a third
/// of the time.
const STREAK: usize = 16;

/// Partly free chunks that one request searches before it is served from fresh memory, so that no request takes long.
const PATIENCE: usize = 4;

pub(super) struct Heap {
    /// Freed slots of `g` granules lie in `magazines[g]`.
    magazines: [Magazine; SMALL + 1],
    /// Where requests of at most `SMALL` granules are served from, if a partly free chunk is at hand.
    small: Recycler,
    /// The same for larger requests, which pass over holes that are good enough for small ones.
    medium: Recycler,
    /// What is left of the fresh chunk.
    fresh: Region,
    fresh_chunk: Option<Chunk>,
    /// Number of guards that ask for fresh memory.
    fresh_guards: usize,
    /// Slots freed since the last request most of which lie beside the one before them.
    streak: usize,
    /// The bitmap word, counted over all memory, of the slot that was freed last.
    last_freed: usize,
    /// The slots of a streak of frees that are still to be marked and counted.
    pending: Pending,
    requested: Arc<Requested>,
}

impl Heap {
    pub(super) fn new() -> Box<Heap> {
        let requested = Arc::new(Requested::default());
        shared::register(requested.clone());
        Box::new(Heap {
            magazines: std::array::from_fn(Magazine::new),
            small: Recycler::new(true),
            medium: Recycler::new(false),
            fresh: Region::EMPTY,
            fresh_chunk: None,
            fresh_guards: 0,
            streak: 0,
            last_freed: 0,
            pending: Pending::default(),
            requested,
        })
    }

    pub(super) fn begin_fresh(&mut self) {
        self.fresh_guards += 1;
    }

    pub(super) fn end_fresh(&mut self) {
        self.fresh_guards -= 1;
    }

    #[inline(always)]
    pub(super) fn allocate(&mut self, size: usize) -> NonNull<u8> {
        self.requested.add(size as isize);
        self.streak = 0;
        let granules = granules(size);
        let fresh = self.fresh_guards > 0;
        if granules <= SMALL && !fresh {
            if let Some(slot) = self.magazines[granules].pop() {
                return slot;
            }
            if let Some(slot) = self.small.region.take(granules) {
                return slot;
            }
        }
        if (fresh || (granules <= SMALL && self.small.search.is_none()))
            && let Some(slot) = self.fresh.take(granules)
        {
            return slot;
        }
        self.allocate_slowly(granules)
    }

    /// Serves a request from the next hole that is large enough, or from fresh memory.
    #[cold]
    fn allocate_slowly(&mut self, granules: usize) -> NonNull<u8> {
        std::mem::take(&mut self.pending).finish();
        if self.fresh_guards == 0 {
            let recycler = if granules <= SMALL { &mut self.small } else { &mut self.medium };
            // Looking for a partly free chunk takes the lock, so it is done when the search before ended or the fresh chunk is full.
            let look_further = recycler.search.is_some() || self.fresh.granules < granules;
            if let Some(slot) = recycler.region.take(granules) {
                return slot;
            }
            if look_further && recycler.refill(granules) {
                return recycler.region.take(granules).expect("the hole is large enough");
            }
        }
        loop {
            if let Some(slot) = self.fresh.take(granules) {
                return slot;
            }
            self.release_fresh();
            let chunk = shared::acquire_fresh();
            self.fresh_chunk = Some(chunk);
            // SAFETY: the first granule lies inside of the chunk.
            self.fresh = Region { next: unsafe { chunk.pointer(Chunk::first()) }, granules: TOTAL };
        }
    }

    /// # Safety
    ///
    /// As [`super::deallocate`].
    #[inline(always)]
    pub(super) unsafe fn deallocate(&mut self, slot: NonNull<u8>, size: usize) {
        self.requested.add(-(size as isize));
        let granules = granules(size);
        if granules <= SMALL {
            let (word, first) = (slot.addr().get() / (64 * GRANULE), Chunk::granule(slot.addr().get()));
            let beside = word.wrapping_sub(self.last_freed).wrapping_add(1) <= 2;
            self.last_freed = word;
            // A jump, as from chunk to chunk, does not end a long streak.
            self.streak = if beside { (self.streak + 1).min(4 * STREAK) } else { self.streak / 2 };
            if self.streak > STREAK {
                // SAFETY: the slot was handed out by a chunk and is not counted as free yet.
                return self.pending.add(unsafe { Chunk::of(slot) }, first, granules);
            }
            let magazine = &mut self.magazines[granules];
            // SAFETY: the slot is at least a granule long, aligned to one, and nobody uses it any more.
            unsafe { magazine.push(slot) };
            if magazine.room == 0 {
                magazine.empty_older(granules);
            }
        } else {
            // SAFETY: the slot was handed out by a chunk and is not counted as free yet.
            unsafe { free_at_once(slot, granules) };
        }
    }

    fn release_fresh(&mut self) {
        if let Some(chunk) = self.fresh_chunk.take() {
            let rest = std::mem::replace(&mut self.fresh, Region::EMPTY);
            if rest.granules > 0 {
                chunk.set_free(Chunk::granule(rest.next.addr()), rest.granules);
            }
            shared::release(chunk, -(rest.granules as i64), Release::Unsearched);
        }
    }

    /// Gives up everything that is kept for later requests.
    pub(super) fn trim(&mut self) {
        std::mem::take(&mut self.pending).finish();
        for (granules, magazine) in self.magazines.iter_mut().enumerate() {
            magazine.empty(granules);
        }
        self.small.release(Release::Unsearched);
        self.medium.release(Release::Unsearched);
        self.release_fresh();
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        self.trim();
        shared::unregister(&self.requested);
    }
}

#[inline(always)]
fn granules(size: usize) -> usize {
    size.div_ceil(GRANULE).max(1)
}

/// # Safety
///
/// The slot was handed out by a chunk, has that many granules, is not counted as free yet, and nobody uses it any more.
#[cold]
unsafe fn free_at_once(slot: NonNull<u8>, granules: usize) {
    // SAFETY: the caller's promise.
    let chunk = unsafe { Chunk::of(slot) };
    chunk.set_free(Chunk::granule(slot.addr().get()), granules);
    shared::count_free(chunk, granules);
}

/// A stretch of memory that is handed out from front to back.
struct Region {
    next: *mut u8,
    granules: usize,
}

impl Region {
    const EMPTY: Region = Region { next: null_mut(), granules: 0 };

    #[inline(always)]
    fn take(&mut self, granules: usize) -> Option<NonNull<u8>> {
        if self.granules < granules {
            return None;
        }
        let slot = self.next;
        // SAFETY: the stretch has that many granules left, so its end lies in the chunk or one behind it.
        self.next = unsafe { slot.add(granules * GRANULE) };
        self.granules -= granules;
        NonNull::new(slot)
    }
}

/// Freed slots of one size, linked through themselves: a handful in use, and an older, full one behind it or none.
///
/// Two handfuls, so that a thread that allocates and frees around the edge of one does not go to the chunks every time, and so that
/// it is the older slots that go back.
struct Magazine {
    /// The newest slot of the handful in use.
    top: *mut Slot,
    /// How many more slots the handful in use takes.
    room: usize,
    /// The newest slot of the older handful, null if there is none.
    older: *mut Slot,
    /// Slots of a full handful.
    full: usize,
}

/// What a freed slot holds.
struct Slot {
    next: *mut Slot,
}

const _: () = assert!(size_of::<Slot>() <= GRANULE && align_of::<Slot>() <= GRANULE);

impl Magazine {
    fn new(granules: usize) -> Magazine {
        let full = (HANDFUL / (granules.max(1) * GRANULE)).max(FEWEST);
        Magazine { top: null_mut(), room: full, older: null_mut(), full }
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<NonNull<u8>> {
        if self.top.is_null() {
            if self.older.is_null() {
                return None;
            }
            self.top = std::mem::replace(&mut self.older, null_mut());
            self.room = 0;
        }
        let slot = self.top;
        // SAFETY: slots in a magazine are valid and belong to it; `push` wrote the link.
        self.top = unsafe { (*slot).next };
        self.room += 1;
        NonNull::new(slot.cast())
    }

    /// Keeps a slot. If there is no room afterwards, `empty_older` must follow.
    ///
    /// # Safety
    ///
    /// The slot is a granule long at least and aligned to one, and nobody uses it.
    #[inline(always)]
    unsafe fn push(&mut self, slot: NonNull<u8>) {
        let slot = slot.cast::<Slot>();
        // SAFETY: the caller's promise.
        unsafe { slot.write(Slot { next: self.top }) };
        self.top = slot.as_ptr();
        self.room -= 1;
    }

    /// Gives the older handful back to its chunks, and makes the full one in use the older one.
    #[cold]
    fn empty_older(&mut self, granules: usize) {
        let older = std::mem::replace(&mut self.older, std::mem::replace(&mut self.top, null_mut()));
        self.room = self.full;
        free_list(older, granules);
    }

    /// Gives all slots back to their chunks.
    fn empty(&mut self, granules: usize) {
        free_list(std::mem::replace(&mut self.older, null_mut()), granules);
        free_list(std::mem::replace(&mut self.top, null_mut()), granules);
        self.room = self.full;
    }
}

/// Gives a list of slots of one size back to their chunks.
///
/// Slots that were freed one after the other often lie side by side: their bits are set together, and they are counted together.
fn free_list(mut list: *mut Slot, granules: usize) {
    /// Slots whose bitmap words are asked for together. Atomic instructions do not overlap, so each would wait for its own miss.
    const AHEAD: usize = 32;
    let mut pending = Pending::default();
    while !list.is_null() {
        let mut slots = [null_mut::<Slot>(); AHEAD];
        let mut count = 0;
        while count < AHEAD && !list.is_null() {
            slots[count] = list;
            count += 1;
            // SAFETY: slots in a magazine are valid and belong to it; `push` wrote the link.
            unsafe {
                Chunk::of(NonNull::new_unchecked(list.cast())).prefetch(Chunk::granule(list.addr()));
                list = (*list).next;
            }
        }
        for &slot in &slots[..count] {
            // SAFETY: the slot was handed out by a chunk and is not counted as free yet.
            let chunk = unsafe { Chunk::of(NonNull::new_unchecked(slot.cast())) };
            pending.add(chunk, Chunk::granule(slot.addr()), granules);
        }
    }
    pending.finish();
}

/// Bits to be set in one word of a chunk, and granules of the chunk to be counted.
#[derive(Default)]
struct Pending {
    chunk: Option<Chunk>,
    word: usize,
    mask: u64,
    granules: usize,
}

impl Pending {
    #[inline(never)]
    fn add(&mut self, chunk: Chunk, first: usize, granules: usize) {
        if self.chunk != Some(chunk) {
            std::mem::take(self).finish();
            self.chunk = Some(chunk);
        }
        for_words(first, granules, |word, mask| {
            if self.word != word {
                self.set();
                self.word = word;
            }
            self.mask |= mask;
        });
        self.granules += granules;
    }

    #[inline]
    fn set(&mut self) {
        if let Some(chunk) = self.chunk
            && self.mask != 0
        {
            chunk.set_free_word(self.word, self.mask);
            self.mask = 0;
        }
    }

    fn finish(mut self) {
        self.set();
        if let Some(chunk) = self.chunk {
            shared::count_free(chunk, self.granules);
        }
    }
}

/// A partly free chunk whose holes are handed out in ascending order.
struct Recycler {
    region: Region,
    search: Option<Search>,
    small: bool,
}

struct Search {
    chunk: Chunk,
    /// Granule at which the search goes on.
    at: usize,
    /// Granules claimed less granules returned.
    claimed: i64,
}

impl Recycler {
    const fn new(small: bool) -> Recycler {
        Recycler { region: Region::EMPTY, search: None, small }
    }

    /// Moves to the next hole of at least that many granules; `false` if none was found in a few chunks.
    fn refill(&mut self, granules: usize) -> bool {
        for _ in 0..PATIENCE {
            if self.search.is_none() {
                let Some(chunk) = shared::acquire_queued(self.small) else { return false };
                self.search = Some(Search { chunk, at: Chunk::first(), claimed: 0 });
            }
            self.return_region();
            if let Some(search) = &mut self.search
                && let Some((first, length)) = search.chunk.find(search.at, granules)
            {
                search.chunk.claim(first, length);
                search.claimed += length as i64;
                search.at = first + length;
                // SAFETY: a granule that was found lies in the chunk.
                self.region = Region { next: unsafe { search.chunk.pointer(first) }, granules: length };
                return true;
            }
            self.release(if self.small { Release::SearchedSmall } else { Release::SearchedMedium });
        }
        false
    }

    /// Marks what is left of the hole as free again.
    fn return_region(&mut self) {
        let rest = std::mem::replace(&mut self.region, Region::EMPTY);
        if let Some(search) = &mut self.search
            && rest.granules > 0
        {
            search.chunk.set_free(Chunk::granule(rest.next.addr()), rest.granules);
            search.claimed -= rest.granules as i64;
        }
    }

    fn release(&mut self, why: Release) {
        self.return_region();
        if let Some(search) = self.search.take() {
            shared::release(search.chunk, search.claimed, why);
        }
    }
}
