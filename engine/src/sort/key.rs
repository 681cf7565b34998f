//! Arcs packed into integers: as many row bits as a bucket needs above the column bits.

/// Consecutive rows, and how their arcs are packed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// The first row.
    pub first_row: u32,
    /// The number of rows.
    pub rows: usize,
    /// The low bits of a key that hold the column: enough for the largest, at most 32.
    pub col_bits: u32,
}

/// The number of low bits that hold the numbers from 0 to `count - 1`.
pub(super) fn bits_for(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

/// An arc packed into an integer.
///
/// `u32` keys halve the traffic. They keep only the low bits of the row that fit above the column, which is enough to distinguish the
/// rows of a bucket if it has at most `2^(32 - col_bits)` consecutive rows: its first row is subtracted modulo that.
pub(super) trait Key: Copy + Default + Send + Sync + 'static {
    /// Packs an arc.
    fn pack(row: u32, col: u32, col_bits: u32) -> Self;

    /// The row, counted from the bucket's first.
    fn local_row(self, first_row: u32, col_bits: u32) -> usize;

    /// The column.
    fn col(self, col_bits: u32) -> u32;

    /// The low bits after a shift to the right; callers use at most 16 of them.
    fn digit(self, shift: u32) -> usize;
}

impl Key for u32 {
    #[inline]
    fn pack(row: u32, col: u32, col_bits: u32) -> u32 {
        row << col_bits | col
    }

    #[inline]
    fn local_row(self, first_row: u32, col_bits: u32) -> usize {
        ((self >> col_bits).wrapping_sub(first_row) & (u32::MAX >> col_bits)) as usize
    }

    #[inline]
    fn col(self, col_bits: u32) -> u32 {
        self & !(u32::MAX << col_bits)
    }

    #[inline]
    fn digit(self, shift: u32) -> usize {
        (self >> shift) as usize
    }
}

impl Key for u64 {
    #[inline]
    fn pack(row: u32, col: u32, col_bits: u32) -> u64 {
        u64::from(row) << col_bits | u64::from(col)
    }

    #[inline]
    fn local_row(self, first_row: u32, col_bits: u32) -> usize {
        (self >> col_bits) as usize - first_row as usize
    }

    #[inline]
    fn col(self, col_bits: u32) -> u32 {
        (self & !(u64::MAX << col_bits)) as u32
    }

    #[inline]
    fn digit(self, shift: u32) -> usize {
        (self >> shift) as usize
    }
}
