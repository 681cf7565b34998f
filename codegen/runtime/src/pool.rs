//! Where nodes come from.

use std::alloc::{Layout, handle_alloc_error};
use std::ptr::NonNull;

/// Memory for one node.
#[inline]
pub fn allocate(layout: Layout) -> NonNull<u8> {
    debug_assert!(layout.size() > 0);
    // SAFETY: a node starts with its reference count, so its layout is not of size zero.
    let memory = unsafe { std::alloc::alloc(layout) };
    NonNull::new(memory).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Gives memory back.
///
/// # Safety
///
/// `memory` came from [`allocate`] with the same layout and is not used afterwards.
#[inline]
pub unsafe fn deallocate(memory: NonNull<u8>, layout: Layout) {
    // SAFETY: the caller's promise.
    unsafe { std::alloc::dealloc(memory.as_ptr(), layout) };
}
