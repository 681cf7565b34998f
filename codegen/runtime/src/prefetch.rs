//! Hints to the processor that memory will be read soon.

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
