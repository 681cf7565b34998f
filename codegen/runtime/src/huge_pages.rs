//! An allocator for libraries: that of the system, which is asked for huge pages where arrays are large.

use std::alloc::{GlobalAlloc, Layout, System};

/// Bytes from which on memory is asked for in huge pages: two of them.
const LARGE: usize = 4 << 20;

/// The system's allocator. For arrays of 4 MiB and more it asks Linux for huge pages, as NumPy does: to fetch 4 KiB at a time takes as long as
/// to fill a large array twice.
///
/// Where Linux gives huge pages to nobody, and on other systems, it is the system's allocator and nothing else.
///
/// ```
/// use pleach_runtime::HugePages;
///
/// #[global_allocator]
/// static ALLOCATOR: HugePages = HugePages;
///
/// assert_eq!(vec![7u64; 1 << 20].iter().sum::<u64>(), 7 << 20);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct HugePages;

/// Asks for huge pages where memory is large. Nothing depends on the answer.
#[inline]
fn advise(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if bytes >= LARGE && !pointer.is_null() {
        advise_large(pointer, bytes);
    }
    pointer
}

#[cfg(all(target_os = "linux", not(miri)))]
#[cold]
fn advise_large(pointer: *mut u8, bytes: usize) {
    /// The smallest page of any machine that the system may have is a divisor of this: pages of 64 KiB are the largest.
    const PAGE: usize = 1 << 16;
    let ahead = pointer.align_offset(PAGE);
    let inside = bytes.saturating_sub(ahead) / PAGE * PAGE;
    // SAFETY: the range lies within memory that the caller has just been given and nobody else has; the advice does not change what is in
    // it, and an error leaves everything as it is.
    unsafe { libc::madvise(pointer.wrapping_add(ahead).cast(), inside, libc::MADV_HUGEPAGE) };
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn advise_large(_: *mut u8, _: usize) {}

// SAFETY: every call goes to the system's allocator as it is, and its answer comes back unchanged.
unsafe impl GlobalAlloc for HugePages {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the promises of this trait, which are those of the system's allocator.
        advise(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        advise(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above; the pointer came from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as above; the pointer came from the system's allocator.
        let moved = unsafe { System.realloc(pointer, layout, bytes) };
        // Less memory has its pages already.
        if bytes > layout.size() { advise(moved, bytes) } else { moved }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_what_was_asked_for() {
        for bytes in [1, LARGE - 1, LARGE, LARGE + 1, 3 * LARGE + 12_345] {
            for align in [1, 64, 1 << 16] {
                let layout = Layout::from_size_align(bytes, align).unwrap();
                // SAFETY: the layout is not empty, the memory is used within its size, and freed with the layout that it has.
                unsafe {
                    let pointer = HugePages.alloc_zeroed(layout);
                    assert!(!pointer.is_null() && pointer.addr().is_multiple_of(align));
                    assert_eq!((*pointer, *pointer.add(bytes - 1)), (0, 0));
                    (*pointer, *pointer.add(bytes - 1)) = (1, 2);
                    let last = if bytes == 1 { 2 } else { 1 };
                    let larger = HugePages.realloc(pointer, layout, 2 * bytes);
                    assert_eq!((*larger, *larger.add(bytes - 1)), (last, 2));
                    let layout = Layout::from_size_align(2 * bytes, align).unwrap();
                    let smaller = HugePages.realloc(larger, layout, bytes);
                    assert_eq!((*smaller, *smaller.add(bytes - 1)), (last, 2));
                    HugePages.dealloc(smaller, Layout::from_size_align(bytes, align).unwrap());
                }
            }
        }
    }
}
