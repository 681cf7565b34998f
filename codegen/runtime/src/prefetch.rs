//! Hints to the processor: what memory will be read soon, and what a pointer will be.

use std::ptr::NonNull;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Asks for the first `LINES` cache lines at an address. Any address will do: nothing is read.
#[inline(always)]
pub(crate) fn read<const LINES: usize>(address: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    for line in 0..LINES {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint; it faults on no address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.wrapping_add(line * LINE).cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (address, LINE, LINES);
}

/// Asks for the first cache lines of an array, a few at most, before it is read.
#[inline(always)]
pub fn prefetch<T>(array: &[T]) {
    extent(array.as_ptr().cast(), size_of_val(array));
}

/// Asks for the first cache lines, a few at most, of so many bytes at an address. Any address will do.
#[inline(always)]
pub(crate) fn extent(address: *const u8, bytes: usize) {
    match bytes.div_ceil(LINE) {
        0 => {}
        1 => read::<1>(address),
        2 | 3 => read::<2>(address),
        _ => read::<4>(address),
    }
}

/// Asks for the cache line of one element of an array. Any place will do.
#[inline(always)]
pub fn prefetch_at<T>(array: &[T], place: usize) {
    read::<1>(array.as_ptr().wrapping_add(place).cast());
}

/// `pointer`. Where it is likely to be `guess`, the processor need not wait for it: a branch on whether it is, which is foretold
/// rightly, takes its place.
#[inline(always)]
#[allow(
    clippy::pointers_in_nomem_asm_block,
    reason = "there is no instruction: nothing is read or written through them"
)]
pub(crate) fn guessed<T>(guess: *const T, pointer: NonNull<T>) -> NonNull<T> {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    if std::ptr::addr_eq(guess, pointer.as_ptr()) {
        let mut same = guess.cast_mut();
        // The compiler must not see that both are the same, or it would take the one that has to be waited for.
        // SAFETY: no instruction. What comes out is the address of `pointer`, and is declared to be `pointer` itself.
        unsafe {
            std::arch::asm!(
                "/* {same} is {pointer} */",
                same = inout(reg) same,
                pointer = in(reg) pointer.as_ptr(),
                options(pure, nomem, nostack, preserves_flags)
            );
            return NonNull::new_unchecked(same);
        }
    }
    #[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
    let _ = guess;
    pointer
}
