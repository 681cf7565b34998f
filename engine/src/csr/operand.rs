//! What sums and products read: static rows as they are, or the rows of any store, without a copy of the whole.

use std::ops::Range;

use pleach_runtime::{Fiber, Rows, threads};

use super::{CsrRow, CsrView};

/// Tasks for each thread: several, to balance tasks of different length.
const TASKS: usize = 8;

/// How many stretches of rows an operand is cut into.
fn parts() -> usize {
    TASKS * threads()
}

/// A matrix that is read by rows.
pub(crate) trait Operand<V>: Sync {
    /// Numbers of rows and columns.
    fn shape(&self) -> (usize, usize);

    /// Number of nonzeros.
    fn nnz(&self) -> usize;

    /// The rows, cut into stretches with about equally many nonzeros and rows.
    fn stretches(&self) -> Vec<Range<usize>>;

    /// Number of nonzeros of a row.
    fn len(&self, row: usize) -> usize;

    /// Number of nonzeros of some rows, if it takes no look at each.
    fn within(&self, rows: &Range<usize>) -> Option<usize> {
        let _ = rows;
        None
    }

    /// Calls `f` with each nonzero of a row, in the order in which they are kept.
    fn each(&self, row: usize, f: impl FnMut(u32, V));

    /// A row in ascending order. It is copied to `buffer` if the store keeps it in several runs or in no order.
    fn row<'r>(&'r self, row: usize, buffer: &'r mut Buffer<V>) -> CsrRow<'r, V>;
}

/// A row in one piece.
pub(crate) struct Buffer<V> {
    entries: Vec<(u32, V)>,
    coords: Vec<u32>,
    values: Vec<V>,
}

impl<V> Buffer<V> {
    pub fn new() -> Self {
        Buffer { entries: Vec::new(), coords: Vec::new(), values: Vec::new() }
    }
}

impl<V: Copy + Send + Sync> Operand<V> for CsrView<'_, V> {
    fn shape(&self) -> (usize, usize) {
        (self.num_rows(), self.num_cols())
    }

    fn nnz(&self) -> usize {
        CsrView::nnz(self)
    }

    fn stretches(&self) -> Vec<Range<usize>> {
        self.split_by_arcs(parts())
    }

    #[inline]
    fn len(&self, row: usize) -> usize {
        CsrView::row(self, row).coords.len()
    }

    fn within(&self, rows: &Range<usize>) -> Option<usize> {
        Some(self.offsets()[rows.end] - self.offsets()[rows.start])
    }

    #[inline]
    fn each(&self, row: usize, mut f: impl FnMut(u32, V)) {
        CsrView::row(self, row).iter().for_each(|(col, &value)| f(col, value));
    }

    #[inline]
    fn row<'r>(&'r self, row: usize, _: &'r mut Buffer<V>) -> CsrRow<'r, V> {
        CsrView::row(self, row)
    }
}

/// Rows of a store, and the table that finds them.
pub(crate) struct Found<'m, A, F> {
    matrix: &'m A,
    find: F,
}

/// The rows of a matrix as an operand.
pub(crate) fn operand<A: Rows<Value: Copy>>(matrix: &A) -> impl Operand<A::Value> {
    Found { matrix, find: matrix.finder() }
}

impl<'m, A, F> Operand<A::Value> for Found<'m, A, F>
where
    A: Rows<Value: Copy>,
    F: Fn(usize) -> Option<A::Fiber<'m>> + Sync,
{
    fn shape(&self) -> (usize, usize) {
        (self.matrix.num_rows(), self.matrix.num_cols())
    }

    fn nnz(&self) -> usize {
        self.matrix.nnz()
    }

    fn stretches(&self) -> Vec<Range<usize>> {
        let degrees = self.matrix.row_degrees();
        let most = (self.matrix.nnz() + degrees.len()) / parts() + 1;
        let (mut ranges, mut begin, mut work) = (Vec::new(), 0, 0);
        for (row, &degree) in degrees.iter().enumerate() {
            work += degree as usize + 1;
            if work >= most {
                ranges.push(begin..row + 1);
                (begin, work) = (row + 1, 0);
            }
        }
        if begin < degrees.len() {
            ranges.push(begin..degrees.len());
        }
        ranges
    }

    #[inline]
    fn len(&self, row: usize) -> usize {
        (self.find)(row).map_or(0, Fiber::len)
    }

    #[inline]
    fn each(&self, row: usize, mut f: impl FnMut(u32, A::Value)) {
        let Some(fiber) = (self.find)(row) else { return };
        fiber.fold_runs((), |(), run| run.iter().for_each(|(col, &value)| f(col, value)));
    }

    fn row<'r>(&'r self, row: usize, buffer: &'r mut Buffer<A::Value>) -> CsrRow<'r, A::Value> {
        let Buffer { entries, coords, values } = buffer;
        coords.clear();
        values.clear();
        if <A::Fiber<'m> as Fiber<'m>>::ORDERED {
            self.each(row, |col, value| {
                coords.push(col);
                values.push(value);
            });
        } else {
            entries.clear();
            self.each(row, |col, value| entries.push((col, value)));
            entries.sort_unstable_by_key(|entry| entry.0);
            coords.extend(entries.iter().map(|entry| entry.0));
            values.extend(entries.iter().map(|entry| entry.1));
        }
        CsrRow { coords, values }
    }
}
