//! A cursor over the rows of a matrix, for loops that merge rows with something else.

use crate::Rows;

/// The rows of a matrix one by one, in ascending order of their coordinates.
///
/// An outer level calls a function with its rows; a merge has to step through them instead. The coordinates and fibers of the rows that may
/// hold nonzeros are therefore gathered first: a few machine words for each.
pub struct RowCursor<F> {
    rows: Vec<(usize, F)>,
    at: usize,
}

impl<F: Copy> RowCursor<F> {
    /// A cursor at the first row.
    pub fn new<'a, A: Rows<Fiber<'a> = F>>(matrix: &'a A) -> Self {
        let mut rows = Vec::new();
        matrix.rows(|coord, row| rows.push((coord, row)));
        RowCursor { rows, at: 0 }
    }

    /// The coordinate of the current row, `None` at the end.
    #[inline(always)]
    pub fn coord(&self) -> Option<usize> {
        self.rows.get(self.at).map(|row| row.0)
    }

    /// The current row.
    ///
    /// # Panics
    ///
    /// At the end.
    #[inline(always)]
    pub fn value(&self) -> F {
        self.rows[self.at].1
    }

    /// Moves to the next row.
    #[inline(always)]
    pub fn advance(&mut self) {
        self.at += 1;
    }

    /// The current row and every one after it; the cursor is at the end afterwards.
    pub fn rest(&mut self) -> impl Iterator<Item = (usize, F)> {
        let rest = &self.rows[self.at.min(self.rows.len())..];
        self.at = self.rows.len();
        rest.iter().copied()
    }
}
