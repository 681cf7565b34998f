//! The array format of Matrix Market (a value on each line, column by column), cut into stretches of values.
//!
//! ```text
//!   value value value … │ value value value … │ value …       row and column of a value follow from the number of values before it
//! ```
//!
//! Every reader counts the values of its stretch first.

use super::share_lines::{LineShare, Lines};
use super::symmetry::Symmetry;
use crate::error::Error;

/// A matrix with as many rows as columns, of which one triangle is listed if it is symmetric.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    pub(super) lines: Lines,
    pub(super) rows: u64,
    pub(super) symmetry: Symmetry,
    /// The number of values before the stretch of each reader, and at the end the number of all; empty before they were counted.
    pub(super) firsts: Vec<u64>,
}

impl Dense {
    /// The number of values before a column.
    fn before(&self, col: u64) -> u128 {
        let (rows, col) = (u128::from(self.rows), u128::from(col));
        match self.symmetry {
            Symmetry::General => rows * col,
            Symmetry::Symmetric => rows * col - col * col.saturating_sub(1) / 2,
            Symmetry::Skew => rows * col - col * (col + 1) / 2,
        }
    }

    /// The row of the first value of a column.
    fn first(&self, col: u64) -> u64 {
        match self.symmetry {
            Symmetry::General => 0,
            Symmetry::Symmetric => col,
            Symmetry::Skew => col + 1,
        }
    }

    /// Takes the counts of all readers, in their order.
    pub(super) fn take_counts(&mut self, counts: impl Iterator<Item = u64>) -> Result<(), Error> {
        self.firsts = vec![0];
        counts.for_each(|count| self.firsts.push(self.firsts[self.firsts.len() - 1] + count));
        let (found, expected) = (self.firsts.last().copied().unwrap_or(0), self.before(self.rows));
        match u128::from(found) == expected {
            true => Ok(()),
            false => {
                let expected = u64::try_from(expected).unwrap_or(u64::MAX);
                Err(super::wrong_count(&self.lines.path, 1, expected, found, super::matrix_market::is_entry))
            }
        }
    }

    /// The values of one reader; `None` if it has none.
    pub(super) fn share(&self, reader: usize, readers: usize) -> Result<Option<DenseShare>, Error> {
        let first = self.firsts[reader];
        // The last column that begins at this value or before it.
        let (mut col, mut behind) = (0, self.rows);
        while behind - col > 1 {
            let middle = col.midpoint(behind);
            if self.before(middle) <= u128::from(first) { col = middle } else { behind = middle }
        }
        let row = self.first(col) + (u128::from(first) - self.before(col).min(u128::from(first))) as u64;
        let share = self.lines.share(reader, readers)?;
        Ok(share.map(|lines| DenseShare { dense: self.clone(), lines, row, col }))
    }
}

/// A stretch of values.
pub(super) struct DenseShare {
    dense: Dense,
    lines: LineShare,
    /// Row and column of the next value.
    row: u64,
    col: u64,
}

impl DenseShare {
    pub(super) fn next(&mut self, each: &mut dyn FnMut(u64, u64, f64)) -> Result<bool, Error> {
        let Some(values) = self.lines.next_numbers()? else { return Ok(false) };
        for value in values {
            // The last column of a skew-symmetric matrix has no value.
            while self.row >= self.dense.rows && self.col < self.dense.rows {
                self.col += 1;
                self.row = self.dense.first(self.col);
            }
            if value != 0.0 {
                self.dense.symmetry.write((self.row + 1, self.col + 1), value, each);
            }
            self.row += 1;
        }
        Ok(true)
    }
}
