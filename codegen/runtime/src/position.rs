//! The integers in which compressed rows keep positions and coordinates.

/// A type in which compressed rows keep positions and coordinates.
pub trait Position: Copy + Send + Sync + sealed::Sealed {
    /// As an index. A negative number is one that no array has.
    fn index(self) -> usize;

    /// An index in this type; its lowest bits where it does not fit.
    fn of(index: usize) -> Self;

    /// Whether an index fits this type.
    fn fits(index: usize) -> bool;

    /// Whether all are below an extent, and none is negative.
    fn all_below(positions: &[Self], extent: usize) -> bool;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! positions {
    ($($position:ty: $unsigned:ty),*) => {$(
        impl sealed::Sealed for $position {}

        impl Position for $position {
            #[inline(always)]
            fn index(self) -> usize {
                self as $unsigned as usize
            }

            #[inline(always)]
            fn of(index: usize) -> Self {
                index as $position
            }

            fn fits(index: usize) -> bool {
                <$position>::try_from(index).is_ok()
            }

            fn all_below(positions: &[Self], extent: usize) -> bool {
                // A negative number is a large one without a sign. Without a way out of the loop, many are compared at a time.
                let most = <$position>::MAX as $unsigned;
                let last = extent.checked_sub(1).map(|last| <$unsigned>::try_from(last).unwrap_or(most).min(most));
                last.map_or(positions.is_empty(), |last| {
                    !positions.iter().fold(false, |beyond, &position| beyond | (position as $unsigned > last))
                })
            }
        }
    )*};
}

positions!(u32: u32, i32: u32, i64: u64, usize: usize);
