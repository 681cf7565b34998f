//! Numbers that lengths of paths are kept in, and the cells in which several threads lower them.

use std::ops::Add;

/// Numbers that lengths are kept in: `f64` or `f32`.
pub trait Length:
    Copy + Default + PartialOrd + Into<f64> + Add<Output = Self> + Send + Sync + 'static + sealed::Lowered
{
}

impl Length for f64 {}
impl Length for f32 {}

pub(super) mod sealed {
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

    /// What a search needs of a number.
    pub trait Lowered: Sized {
        /// Where a number is kept.
        type Cell: Send + Sync;
        /// What is longer than all paths.
        const INFINITE: Self;

        /// A cell with the number.
        fn cell(self) -> Self::Cell;
        /// The number in a cell.
        fn load(cell: &Self::Cell) -> Self;
        /// Puts the number into a cell if it is lower than the one there. Returns whether it is. A negative number never is.
        fn lower(self, cell: &Self::Cell) -> bool;
        /// The nearest number.
        fn nearest(number: f64) -> Self;
        /// The whole part of the product with a factor; beyond the range of the result, its end.
        fn whole_times(self, factor: Self) -> u64;
    }

    /// A number is kept as its bits: those of numbers that are not negative are in the order of the numbers, and below those of negative ones.
    macro_rules! floats {
        ($($float:ty, $cell:ty;)*) => {$(
            impl Lowered for $float {
                type Cell = $cell;
                const INFINITE: Self = <$float>::INFINITY;

                #[inline(always)]
                fn cell(self) -> $cell {
                    <$cell>::new(self.to_bits())
                }

                #[inline(always)]
                fn load(cell: &$cell) -> Self {
                    <$float>::from_bits(cell.load(Ordering::Relaxed))
                }

                #[inline(always)]
                fn lower(self, cell: &$cell) -> bool {
                    let bits = self.to_bits();
                    cell.fetch_min(bits, Ordering::Relaxed) > bits
                }

                #[inline(always)]
                fn nearest(number: f64) -> Self {
                    number as $float
                }

                #[inline(always)]
                fn whole_times(self, factor: Self) -> u64 {
                    (self * factor) as u64
                }
            }
        )*};
    }

    floats! { f64, AtomicU64; f32, AtomicU32; }
}
