//! The allocator of the system: it does not say how much memory is in use, and decides by itself how long it keeps what is freed.

use pleach::runtime::share_heap_of_c;

use crate::memory::addresses;

/// Prepares the allocator, before there are threads: where addresses are limited (`ulimit -v`), threads share one heap.
pub fn prepare() {
    if addresses().is_some() {
        share_heap_of_c();
    }
}

/// A guard without effect: it takes the place of that of jemalloc. The allocator of the system returns large arrays at once anyway.
#[must_use = "freed memory goes back at once as long as this is held"]
pub struct Freed;

/// Does nothing: large arrays go back to the system at once.
pub fn return_at_once() -> Freed {
    Freed
}

/// `None`: the allocator of the system does not report how many bytes it has handed out.
pub fn allocated() -> Option<usize> {
    None
}
