//! Results that parallel kernels write element by element.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// A number that several tasks may write in one array without locking: each has an atomic of its size.
pub trait Scalar: Copy + Send + Sync + sealed::Sealed + 'static {
    /// The atomic integer of the same size and alignment.
    type Atomic: Sync;
    /// Reads without ordering.
    fn load(cell: &Self::Atomic) -> Self;
    /// Writes without ordering.
    fn store(cell: &Self::Atomic, value: Self);
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! scalar {
    ($($number:ty as $atomic:ty, $to:expr, $from:expr;)*) => {$(
        impl sealed::Sealed for $number {}
        impl Scalar for $number {
            type Atomic = $atomic;
            #[inline(always)]
            fn load(cell: &$atomic) -> $number {
                ($from)(cell.load(Ordering::Relaxed))
            }
            #[inline(always)]
            fn store(cell: &$atomic, value: $number) {
                cell.store(($to)(value), Ordering::Relaxed);
            }
        }
        const _: () = assert!(size_of::<$number>() == size_of::<$atomic>() && align_of::<$number>() == align_of::<$atomic>());
    )*};
}

scalar! {
    f32 as AtomicU32, f32::to_bits, f32::from_bits;
    f64 as AtomicU64, f64::to_bits, f64::from_bits;
    i32 as AtomicU32, i32::cast_unsigned, u32::cast_signed;
    i64 as AtomicU64, i64::cast_unsigned, u64::cast_signed;
    u32 as AtomicU32, |x| x, |x| x;
    u64 as AtomicU64, |x| x, |x| x;
    usize as AtomicUsize, |x| x, |x| x;
    bool as AtomicBool, |x| x, |x| x;
}

/// An exclusively borrowed array that the tasks of one kernel share.
///
/// Relaxed atomic loads and stores cost what plain ones do, and a store that wrongly hands out a row twice can then produce a
/// wrong number but no undefined behaviour.
pub struct SharedOutput<'a, T: Scalar> {
    cells: &'a [T::Atomic],
}

impl<T: Scalar> Clone for SharedOutput<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Scalar> Copy for SharedOutput<'_, T> {}

impl<'a, T: Scalar> SharedOutput<'a, T> {
    /// Shares an array for as long as it is borrowed.
    pub fn new(array: &'a mut [T]) -> Self {
        // SAFETY: `T::Atomic` has the size and alignment of `T` (asserted above) and allows every bit pattern that `T` writes;
        // the exclusive borrow keeps every other access away for `'a`.
        let cells = unsafe { std::slice::from_raw_parts(array.as_mut_ptr().cast::<T::Atomic>(), array.len()) };
        SharedOutput { cells }
    }

    /// The first `len` elements. Where another array of `len` elements is written at the same positions, one check of a position then
    /// does for both.
    ///
    /// # Panics
    ///
    /// If there are fewer.
    #[inline(always)]
    #[must_use]
    pub fn first(self, len: usize) -> Self {
        SharedOutput { cells: &self.cells[..len] }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The element at `index`.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[inline(always)]
    pub fn get(&self, index: usize) -> T {
        T::load(&self.cells[index])
    }

    /// Writes the element at `index`.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[inline(always)]
    pub fn set(&self, index: usize, value: T) {
        T::store(&self.cells[index], value);
    }
}
