//! Coordinates: the integers that say where along a mode a nonzero lies.

use std::fmt::{Debug, Display};
use std::hash::Hash;

/// An unsigned integer that can be a coordinate: `u32` (the default of every store) or `u64`.
///
/// The largest value is the *gap mark*: a slot that holds it is empty, so a mode has at most `MAX` coordinates, `0..MAX`.
pub trait Coord: Copy + Ord + Hash + Default + Send + Sync + Debug + Display + sealed::Sealed + 'static {
    /// The gap mark.
    const GAP: Self;
    /// Bits of the integer.
    const BITS: u32;

    /// The coordinate as an index into a dense array.
    fn index(self) -> usize;

    /// The coordinate of an index, or `None` if the index is the gap mark or beyond it.
    fn from_index(index: usize) -> Option<Self>;

    /// The coordinate widened to 64 bits.
    fn to_u64(self) -> u64;

    /// The coordinate of a 64-bit integer that is known to fit (difference decoding); higher bits are dropped.
    fn from_u64(value: u64) -> Self;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
}

impl Coord for u32 {
    const GAP: u32 = u32::MAX;
    const BITS: u32 = 32;

    #[inline(always)]
    fn index(self) -> usize {
        self as usize
    }

    #[inline(always)]
    fn from_index(index: usize) -> Option<u32> {
        if index < u32::MAX as usize { Some(index as u32) } else { None }
    }

    #[inline(always)]
    fn to_u64(self) -> u64 {
        u64::from(self)
    }

    #[inline(always)]
    fn from_u64(value: u64) -> u32 {
        value as u32
    }
}

impl Coord for u64 {
    const GAP: u64 = u64::MAX;
    const BITS: u32 = 64;

    #[inline(always)]
    fn index(self) -> usize {
        self as usize
    }

    #[inline(always)]
    fn from_index(index: usize) -> Option<u64> {
        if (index as u64) < u64::MAX { Some(index as u64) } else { None }
    }

    #[inline(always)]
    fn to_u64(self) -> u64 {
        self
    }

    #[inline(always)]
    fn from_u64(value: u64) -> u64 {
        value
    }
}
