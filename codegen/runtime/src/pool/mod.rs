//! The pool that nodes come from.
//!
//! Placement is most of a tree's speed: a bulk build that asks for nodes in the order in which maps visit them gets them side by
//! side, in ascending order and whatever their sizes, so that a traversal is a stream and not a chain of misses. A general
//! allocator sorts requests by size class and cannot do that.
//!
//! ```text
//!  chunk, 2 MiB, aligned to its size       every thread has
//! ┌────────┬─────────────────────────┐      magazines  freed slots up to 1 KiB by size, the newest two handfuls of each size
//! │ header │ node node   node  ░░░░░ │      holes      a partly free chunk, scanned in ascending order, gap by gap
//! └────────┴─────────────────────────┘      fresh      a chunk of its own, filled from front to back
//!   one bit a granule of 8 bytes: free?
//! ```
//!
//! * **Allocation** takes a slot from the magazine, else the next bytes of a hole, else the next fresh bytes. Under a [`fresh()`]
//!   guard it takes fresh bytes only.
//! * **Deallocation** fills the magazine. When both handfuls are full, the older goes back to the chunks: their bits are set, so
//!   free neighbours of any sizes form one hole at once, and the chunk's count of free granules goes up. That works
//!   from any thread, by two atomic instructions a word of the bitmap at worst.
//!   Slots that are freed side by side one after the other, as when a whole structure is dropped, pass the magazines by.
//! * **Chunks** of which an eighth is free queue for reuse by any thread that needs a chunk, and entirely free ones go back to the global
//!   allocator, but for a reserve of a sixteenth. So at most about a quarter of what lies in chunks is free and out of
//!   reach: an eighth below the threshold, and an eighth that must become free anew after a chunk was searched in vain.
//! * A lock is taken only when a chunk changes hands. Larger requests (above 32 KiB) and alignments above 8 go to the global allocator.
//!
//! The states of a chunk are described in `chunk.rs`, and why no thread touches a chunk that was given back.

mod chunk;
mod heap;
mod shared;
#[cfg(test)]
mod tests;

use std::alloc::{Layout, handle_alloc_error};
use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr::{NonNull, null_mut};

use chunk::{CHUNK, GRANULE};
use heap::Heap;
pub use shared::Stats;

/// Largest request, in bytes, that is served from chunks.
const LARGEST: usize = if cfg!(miri) { 4 << 10 } else { 32 << 10 };

const _: () = assert!(LARGEST <= CHUNK / 8);

thread_local! {
    /// The thread's heap; null before the first request and after the thread's end. It is a plain cell without a destructor, so
    /// that reading it is a single load.
    static HEAP: Cell<*mut Heap> = const { Cell::new(null_mut()) };
    /// Gives the heap back when the thread ends.
    static AT_EXIT: AtExit = const { AtExit };
}

struct AtExit;

impl Drop for AtExit {
    fn drop(&mut self) {
        let heap = HEAP.replace(null_mut());
        if !heap.is_null() {
            // SAFETY: `with_heap` made the pointer from a box, and only this thread uses it, through the cell that is null now.
            drop(unsafe { Box::from_raw(heap) });
        }
    }
}

/// The thread's heap, made on the first call; `None` while the thread's locals are being destroyed.
#[inline(always)]
fn heap() -> Option<NonNull<Heap>> {
    NonNull::new(HEAP.get()).or_else(new_heap)
}

#[cold]
fn new_heap() -> Option<NonNull<Heap>> {
    AT_EXIT.try_with(|_| ()).ok()?;
    let heap = Box::into_raw(Heap::new());
    HEAP.set(heap);
    NonNull::new(heap)
}

/// Memory for a node. A few nanoseconds; never null.
///
/// The pointer may be used for the whole of the requested size and lies at least as aligned as was asked. It is to be given back by
/// [`deallocate`], from any thread.
///
/// # Panics
///
/// Aborts or panics as [`handle_alloc_error`] does if there is no memory.
#[inline]
pub fn allocate(layout: Layout) -> NonNull<u8> {
    if layout.size() > LARGEST || layout.align() > GRANULE {
        return allocate_large(layout);
    }
    match heap() {
        // SAFETY: only this thread uses its heap, and nothing that `allocate` calls comes back here.
        Some(mut heap) => unsafe { heap.as_mut() }.allocate(layout.size()),
        // The thread is ending: a heap for one request leaves the rest of its chunk to others.
        None => Heap::new().allocate(layout.size()),
    }
}

/// Gives a node's memory back. A few nanoseconds.
///
/// # Safety
///
/// * `pointer` was returned by [`allocate`] for the same layout and was not given back since; it is that very pointer or a copy of
///   it, not one derived from a reference to the node (the chunk's header is reached through it).
/// * Nobody uses the memory any more, and all uses by other threads happened before this call.
#[inline]
pub unsafe fn deallocate(pointer: NonNull<u8>, layout: Layout) {
    if layout.size() > LARGEST || layout.align() > GRANULE {
        // SAFETY: by the caller's promise `allocate_large` returned the pointer for this layout.
        return unsafe { deallocate_large(pointer, layout) };
    }
    match heap() {
        // SAFETY: only this thread uses its heap, nothing that `deallocate` calls comes back here, and the caller promises the rest.
        Some(mut heap) => unsafe { heap.as_mut().deallocate(pointer, layout.size()) },
        // SAFETY: the caller's promise.
        None => unsafe { Heap::new().deallocate(pointer, layout.size()) },
    }
}

#[cold]
fn allocate_large(layout: Layout) -> NonNull<u8> {
    // An empty request would be undefined behaviour; it is served as one byte.
    let padded = at_least_one_byte(layout);
    // SAFETY: the size is not zero.
    let Some(pointer) = NonNull::new(unsafe { std::alloc::alloc(padded) }) else { handle_alloc_error(padded) };
    shared::count_large(padded.size() as isize);
    pointer
}

/// # Safety
///
/// `allocate_large` returned the pointer for this layout, and nobody uses the memory any more.
#[cold]
unsafe fn deallocate_large(pointer: NonNull<u8>, layout: Layout) {
    let padded = at_least_one_byte(layout);
    shared::count_large(-(padded.size() as isize));
    // SAFETY: the caller's promise; `allocate_large` padded the layout in the same way.
    unsafe { std::alloc::dealloc(pointer.as_ptr(), padded) };
}

fn at_least_one_byte(layout: Layout) -> Layout {
    Layout::from_size_align(layout.size().max(1), layout.align()).expect("one byte fits any alignment")
}

/// While the returned guard lives, this thread's requests are served from fresh memory in ascending order, and not from slots that
/// were freed before: for bulk builds, whose nodes are to lie in the order in which they are built.
///
/// Guards may be nested. Each task of a parallel build takes its own.
#[must_use = "the mode ends when the guard is dropped"]
pub fn fresh() -> Fresh {
    let heap = heap();
    if let Some(mut heap) = heap {
        // SAFETY: only this thread uses its heap.
        unsafe { heap.as_mut() }.begin_fresh();
    }
    Fresh { counted: heap.is_some(), marker: PhantomData }
}

/// The guard of [`fresh()`].
pub struct Fresh {
    counted: bool,
    /// The mode is a thread's: the guard must end where it began.
    marker: PhantomData<*mut ()>,
}

impl Drop for Fresh {
    fn drop(&mut self) {
        // The heap may be gone if the guard sits in a thread local; its count went with it.
        if let Some(mut heap) = NonNull::new(HEAP.get()).filter(|_| self.counted) {
            // SAFETY: only this thread uses its heap.
            unsafe { heap.as_mut() }.end_fresh();
        }
    }
}

/// Gives back what the calling thread keeps for its next requests, and every chunk that is entirely free.
///
/// Not needed for correctness or for memory to stay bounded; it makes [`stats()`] say what the nodes themselves hold. Call it on
/// every worker (`rayon::broadcast`) for an exact figure.
pub fn trim() {
    if let Some(mut heap) = NonNull::new(HEAP.get()) {
        // SAFETY: only this thread uses its heap.
        unsafe { heap.as_mut() }.trim();
    }
    shared::trim();
}

/// What the pool holds at the moment, over all threads. Takes a lock; other threads' latest requests may be missing.
pub fn stats() -> Stats {
    shared::stats()
}
