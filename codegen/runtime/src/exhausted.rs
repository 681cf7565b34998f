//! Memory that cannot be had: the process of a command ends with a message of one line, where Rust would abort it.
//!
//! ```text
//!   Vec::push ──► OrExit ──► the allocator ──► null ──► "error: out of memory …", exit status 3
//!   attempt(|| vec.try_reserve(n)) ──►  the same  ──► null ──► TryReserveError
//! ```

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::io::{Cursor, IsTerminal as _, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The status of a process that ends because there is no more memory.
pub const OUT_OF_MEMORY: u8 = 3;

/// An allocator for the `#[global_allocator]` of a command: where `A` has no memory left, the process ends with a message and the status
/// [`OUT_OF_MEMORY`], unless the caller can do without and says so by [`attempt`].
#[derive(Clone, Copy, Debug, Default)]
pub struct OrExit<A>(pub A);

thread_local! {
    /// Whether this thread can do without the memory that it asks for. Has no destructor, so that it may be read in an allocator.
    static ATTEMPTS: Cell<bool> = const { Cell::new(false) };
}

/// Calls `reserve`, which asks for memory and can do without: below [`OrExit`] it gets an error where there is none.
pub fn attempt<T>(reserve: impl FnOnce() -> T) -> T {
    /// Restores what was there, also when `reserve` panics.
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            ATTEMPTS.set(self.0);
        }
    }
    let _restore = Restore(ATTEMPTS.replace(true));
    reserve()
}

impl<A> OrExit<A> {
    #[inline]
    fn some(at: *mut u8, bytes: usize) -> *mut u8 {
        if at.is_null() {
            refused(bytes);
        }
        at
    }
}

// SAFETY: every call is passed on as it is, and so is what it returns.
unsafe impl<A: GlobalAlloc> GlobalAlloc for OrExit<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract, which is the same.
        Self::some(unsafe { self.0.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        Self::some(unsafe { self.0.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as above.
        Self::some(unsafe { self.0.realloc(at, layout, new_size) }, new_size)
    }

    #[inline]
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { self.0.dealloc(at, layout) }
    }
}

/// Lets C's `malloc` keep one heap for all threads.
///
/// The C library's own reserves 64 MiB of addresses for each thread that calls it, if only to note what is dropped when the thread ends. A
/// process whose addresses are limited (`ulimit -v`) calls this before it starts threads.
pub fn share_heap_of_c() {
    #[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
    // SAFETY: sets an option of the C library, under its own lock.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Ends the process, unless this thread can do without the memory.
#[cold]
fn refused(bytes: usize) {
    if ATTEMPTS.try_with(Cell::get).unwrap_or(false) {
        return;
    }
    static ENDS: AtomicBool = AtomicBool::new(false);
    // One message is enough: another thread is about to end the process.
    while ENDS.swap(true, Ordering::Relaxed) {
        std::thread::sleep(Duration::from_secs(1));
    }
    let mut text = [0; 168];
    let mut out = Cursor::new(&mut text[..]);
    // A progress bar may stand on the line.
    let clear = if std::io::stderr().is_terminal() { "\r\x1b[K" } else { "" };
    let _ = writeln!(
        out,
        "{clear}error: out of memory: the system, or a limit such as that of `ulimit -v`, refuses {bytes} more bytes"
    );
    let len = out.position() as usize;
    end(&text[..len]);
}

/// Ends the process without anything that takes memory or a lock: what this thread was doing may hold any.
#[cfg(unix)]
fn end(message: &[u8]) -> ! {
    // SAFETY: the pointer and the length are those of the message.
    unsafe {
        libc::write(2, message.as_ptr().cast(), message.len());
        libc::_exit(OUT_OF_MEMORY.into())
    }
}

#[cfg(not(unix))]
fn end(message: &[u8]) -> ! {
    let _ = std::io::stderr().write_all(message);
    std::process::exit(OUT_OF_MEMORY.into())
}

#[cfg(test)]
mod tests {
    use std::alloc::System;
    use std::ptr::null_mut;

    use super::*;

    /// An allocator that has 1 KiB.
    struct Little;

    // SAFETY: passes calls on, or refuses them.
    unsafe impl GlobalAlloc for Little {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            // SAFETY: as the caller's.
            if layout.size() > 1024 { null_mut() } else { unsafe { System.alloc(layout) } }
        }

        unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
            // SAFETY: as the caller's.
            unsafe { System.dealloc(at, layout) }
        }
    }

    #[test]
    fn attempts_are_refused_and_all_else_is_passed_on() {
        let of = |bytes| Layout::from_size_align(bytes, 8).unwrap();
        // SAFETY: the layouts are not empty, and what was allocated is freed as it was allocated.
        unsafe {
            let at = OrExit(Little).alloc_zeroed(of(64));
            assert!((0..64).all(|k| *at.add(k) == 0));
            let at = OrExit(Little).realloc(at, of(64), 1024);
            assert!(attempt(|| OrExit(Little).realloc(at, of(1024), 1025)).is_null());
            OrExit(Little).dealloc(at, of(1024));
            assert!(attempt(|| OrExit(Little).alloc(of(2000))).is_null());
            assert!(attempt(|| attempt(|| true) && OrExit(Little).alloc(of(2000)).is_null()));
        }
        assert!(!ATTEMPTS.get());
    }
}
