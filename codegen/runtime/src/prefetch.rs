//! Hints to the processor: what memory will be read soon, and what a pointer will be.

use std::ptr::NonNull;

/// Bytes of a cache line.
pub(crate) const LINE: usize = 64;

/// Prefetches the first `LINES` cache lines at an address. Any address is allowed, since nothing is read.
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

/// Prefetches the first cache lines of an array, four at most.
#[inline(always)]
pub fn prefetch<T>(array: &[T]) {
    extent(array.as_ptr().cast(), size_of_val(array));
}

/// Prefetches the first cache lines, four at most, of `bytes` bytes at an address. Any address is allowed.
#[inline(always)]
pub(crate) fn extent(address: *const u8, bytes: usize) {
    match bytes.div_ceil(LINE) {
        0 => {}
        1 => read::<1>(address),
        2 | 3 => read::<2>(address),
        _ => read::<4>(address),
    }
}

/// Prefetches all cache lines of an array.
#[inline(always)]
pub(crate) fn whole<T>(array: &[T]) {
    // Miri prefetches nothing, and would take long for the loop.
    if cfg!(miri) {
        return;
    }
    let from: *const u8 = array.as_ptr().cast();
    (0..size_of_val(array)).step_by(LINE).for_each(|at| read::<1>(from.wrapping_add(at)));
}

/// Prefetches what a binary search in an array reads first: a cache line at each eighth.
#[inline(always)]
pub(crate) fn eighths<T>(array: &[T]) {
    let (from, bytes): (*const u8, usize) = (array.as_ptr().cast(), size_of_val(array));
    (1..8).for_each(|eighth| read::<1>(from.wrapping_add(bytes / 8 * eighth)));
}

/// A part of memory that will be read soon, in order. Its cache lines are prefetched one by one, in between other work: all at once, they
/// would keep the processor from fetching anything else.
pub struct Ahead {
    next: *const u8,
    end: *const u8,
}

impl Ahead {
    /// Nothing.
    #[inline(always)]
    pub fn nothing() -> Self {
        Ahead { next: std::ptr::null(), end: std::ptr::null() }
    }

    /// From one address to another. Any addresses are allowed.
    #[inline(always)]
    pub(crate) fn new(next: *const u8, end: *const u8) -> Self {
        Ahead { next, end }
    }

    /// Prefetches the next cache line, if one is left.
    #[inline(always)]
    pub fn line(&mut self) {
        if self.next < self.end {
            read::<1>(self.next);
            self.next = self.next.wrapping_add(LINE);
        }
    }

    /// Prefetches so many cache lines.
    #[inline(always)]
    pub fn lines(&mut self, lines: usize) {
        (0..lines).for_each(|_| self.line());
    }
}

/// Prefetches the cache line of one element of an array. Any place is allowed.
#[inline(always)]
pub fn prefetch_at<T>(array: &[T], place: usize) {
    read::<1>(array.as_ptr().wrapping_add(place).cast());
}

/// `pointer`. Where it is likely to be `guess`, the processor need not wait for it: a branch on whether it is, which is
/// predicted correctly, takes its place.
#[inline(always)]
pub(crate) fn guessed<T>(guess: *const T, pointer: NonNull<T>) -> NonNull<T> {
    if std::ptr::addr_eq(guess, pointer.as_ptr()) { with_address(pointer, guess) } else { pointer }
}

/// `pointer`, by an address that is known to be its own: what may be read through it is what may be read through `pointer`, wherever
/// the address comes from. [`<*const T>::with_addr`] says that too, but the compiler would see that both addresses are the same and
/// take the one that has to be waited for.
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
#[inline(always)]
#[allow(
    clippy::pointers_in_nomem_asm_block,
    reason = "there is no instruction: nothing is read or written through them"
)]
fn with_address<T>(pointer: NonNull<T>, address: *const T) -> NonNull<T> {
    let mut same = address.cast_mut();
    // SAFETY: no instruction. The block stands for `same = pointer`, which would leave the register as it is: nobody can tell the two
    // apart, and so its result has the provenance of `pointer`, not of `address`. Under miri that is spelt out below.
    unsafe {
        std::arch::asm!(
            "/* {same} is {pointer} */",
            same = inout(reg) same,
            pointer = in(reg) pointer.as_ptr(),
            options(pure, nomem, nostack, preserves_flags)
        );
        NonNull::new_unchecked(same)
    }
}

/// What the assembly stands for, where there is none.
#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
#[inline(always)]
fn with_address<T>(pointer: NonNull<T>, address: *const T) -> NonNull<T> {
    NonNull::new(pointer.as_ptr().with_addr(address.addr())).unwrap_or(pointer)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One array may lie right behind another: a guess that is right by its address alone may be read through.
    #[test]
    fn a_guess_reads_what_the_pointer_may_read() {
        let mut array = [1_u64, 2, 3];
        let base = NonNull::from(&mut array).cast::<u64>();
        // SAFETY: inside the array.
        let second = unsafe { base.add(1) };
        let right = guessed(base.as_ptr().wrapping_add(1), second);
        let wrong = guessed(base.as_ptr().wrapping_add(2), second);
        // The address is right, but nothing may be read through the guess itself.
        let bare = guessed(std::ptr::without_provenance(second.addr().get()), second);
        assert!([right, wrong, bare].iter().all(|&pointer| pointer == second));
        // SAFETY: each is `second`, which points into an array that nobody else uses meanwhile.
        unsafe {
            assert_eq!([right.read(), wrong.read(), bare.read()], [2; 3]);
            bare.write(7);
        }
        assert_eq!(array, [1, 7, 3]);

        let boxes: Vec<Box<u64>> = (0..64).map(Box::new).collect();
        for pair in boxes.windows(2) {
            let (here, next) = (NonNull::from(&*pair[0]), NonNull::from(&*pair[1]));
            let found = guessed(here.as_ptr().wrapping_add(1), next);
            // SAFETY: it is `next`, which is borrowed.
            assert_eq!(unsafe { found.read() }, *pair[1]);
        }
    }
}
