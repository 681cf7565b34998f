//! Static rows from rows of any kind and from lists of entries.

use pleach_runtime::{Fiber, Filling, Rows, par_filled, threads};

use super::{Csr, CsrError, check_dimensions};
use crate::EdgeList;
use crate::sort::Weight;

/// Rows, and nonzeros, that one task copies at least.
const GRAIN: usize = 1 << 12;

impl<V: Copy + Default + Send + Sync + 'static> Csr<V> {
    /// Copies the rows of a matrix, in parallel where there are more than two threads. Two would only gain what counting the rows first takes.
    /// Takes time and memory linear in rows and nonzeros; a row whose store keeps no order is sorted.
    ///
    /// # Errors
    ///
    /// [`CsrError::TooLarge`] if a dimension exceeds [`MAX_DIMENSION`](super::MAX_DIMENSION).
    pub fn from_rows<A: Rows<Value = V>>(matrix: &A) -> Result<Self, CsrError> {
        Self::copied(matrix, matrix.num_rows(), matrix.num_cols())
    }

    /// The same with other extents, of which the columns are no fewer.
    pub(super) fn copied<A: Rows<Value = V>>(matrix: &A, num_rows: usize, num_cols: usize) -> Result<Self, CsrError> {
        check_dimensions(num_rows, num_cols)?;
        if threads() <= 2 {
            let mut csr = Self::with_room(num_rows, num_cols, matrix.nnz());
            matrix.rows(|row, fiber| csr.append_row(row, fiber));
            csr.offsets.resize(num_rows + 1, csr.coords.len());
            return Ok(csr);
        }
        let mut offsets: Vec<usize> = Vec::with_capacity(num_rows + 1);
        let mut end = 0;
        offsets.push(0);
        for degree in matrix.row_degrees() {
            end += degree as usize;
            offsets.push(end);
        }
        offsets.resize(num_rows + 1, end);
        let mut lasts = Vec::new();
        let mut first = 0;
        while first < num_rows {
            let arcs = offsets[first] + GRAIN;
            let last = (first + GRAIN).min(offsets.partition_point(|&offset| offset <= arcs));
            first = last.max(first + 1).min(num_rows);
            lasts.push(first);
        }
        let ends: Vec<usize> = lasts.iter().map(|&last| offsets[last]).collect();
        let row = matrix.finder();
        let (coords, values) = par_filled(&ends, |k, coords, values| {
            let first = if k == 0 { 0 } else { lasts[k - 1] };
            (first..lasts[k]).filter_map(&row).for_each(|fiber| copy_row(fiber, coords, values));
        });
        Ok(Csr { num_cols, offsets, coords, values })
    }

    /// No rows yet, and room for them.
    pub(super) fn with_room(num_rows: usize, num_cols: usize, nnz: usize) -> Self {
        let offsets = Vec::with_capacity(num_rows + 1);
        Csr { num_cols, offsets, coords: Vec::with_capacity(nnz), values: Vec::with_capacity(nnz) }
    }

    /// Appends a row. Rows before it that were not appended are empty.
    pub(super) fn append_row<'a, F: Fiber<'a, Coord = u32, Value = V>>(&mut self, row: usize, fiber: F) {
        let begin = self.coords.len();
        self.offsets.resize(row + 1, begin);
        fiber.fold_runs((), |(), run| {
            self.coords.extend_from_slice(run.coords());
            self.values.extend_from_slice(run.values());
        });
        sort_row::<F>(&mut self.coords[begin..], &mut self.values[begin..]);
    }

    /// Appends rows that lie side by side: from row `first` on, each up to its end among them, counted from `begin`.
    pub(super) fn append_rows(&mut self, first: usize, begin: usize, ends: &[u16], coords: &[u32], values: &[V]) {
        let len = self.coords.len();
        self.offsets.resize(first + 1, len);
        // The last end is where the next row begins.
        self.offsets.extend(ends[..ends.len() - 1].iter().map(|&end| len + usize::from(end) - begin));
        self.coords.extend_from_slice(coords);
        self.values.extend_from_slice(values);
    }
}

/// Copies a row to the end of two arrays, in ascending order.
pub(super) fn copy_row<'a, F: Fiber<'a, Coord = u32>>(
    row: F,
    coords: &mut Filling<'_, u32>,
    values: &mut Filling<'_, F::Value>,
) where
    F::Value: Copy,
{
    let begin = coords.len();
    row.fold_runs((), |(), run| {
        coords.extend_from_slice(run.coords());
        values.extend_from_slice(run.values());
    });
    sort_row::<F>(coords.written(begin), values.written(begin));
}

/// Sorts a row by its coordinates if its store keeps no order.
fn sort_row<'a, F: Fiber<'a, Coord = u32>>(coords: &mut [u32], values: &mut [F::Value])
where
    F::Value: Copy,
{
    if F::ORDERED || coords.is_sorted() {
        return;
    }
    let mut entries: Vec<(u32, F::Value)> = coords.iter().copied().zip(values.iter().copied()).collect();
    entries.sort_unstable_by_key(|entry| entry.0);
    for (k, (coord, value)) in entries.into_iter().enumerate() {
        (coords[k], values[k]) = (coord, value);
    }
}

impl<V> Csr<V> {
    /// Takes over columns and values of entries that ascend by row and column.
    pub(crate) fn from_sorted(
        num_rows: usize,
        num_cols: usize,
        rows: &[u32],
        coords: Vec<u32>,
        values: Vec<V>,
    ) -> Self {
        let mut offsets = vec![0; num_rows + 1];
        for &row in rows {
            offsets[row as usize + 1] += 1;
        }
        for row in 0..num_rows {
            offsets[row + 1] += offsets[row];
        }
        debug_assert_eq!(super::check_parts(num_cols, &offsets, &coords, values.len()), Ok(()));
        Csr { num_cols, offsets, coords, values }
    }
}

impl<V: Copy> From<&Csr<V>> for EdgeList<V> {
    /// The nonzeros as arcs, row by row.
    fn from(csr: &Csr<V>) -> Self {
        let mut src = Vec::with_capacity(csr.nnz());
        for (row, range) in csr.offsets().windows(2).enumerate() {
            src.resize(src.len() + range[1] - range[0], row as u32);
        }
        EdgeList {
            num_rows: csr.num_rows(),
            num_cols: csr.num_cols(),
            src,
            dst: csr.coords().to_vec(),
            weight: csr.values().to_vec(),
        }
    }
}

impl<V: Weight> Csr<V> {
    /// The matrix of entries in any order; those of the same place are added up.
    ///
    /// ```
    /// use pleach::Csr;
    ///
    /// let a = Csr::from_entries(2, 3, [(1, 2, 4.0), (0, 1, 1.0), (1, 2, 0.5)])?;
    /// assert_eq!((a.nnz(), a.get(1, 2)), (2, Some(&4.5)));
    /// # Ok::<(), pleach::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BuildError`](crate::BuildError) names the first entry that is out of range.
    pub fn from_entries(
        num_rows: usize,
        num_cols: usize,
        entries: impl IntoIterator<Item = (u32, u32, V)>,
    ) -> Result<Self, crate::BuildError> {
        let mut list = EdgeList::new(num_rows, num_cols);
        for (row, col, value) in entries {
            list.src.push(row);
            list.dst.push(col);
            list.weight.push(value);
        }
        let options = crate::BuildOptions { duplicates: crate::Duplicates::sum(), ..Default::default() };
        Ok(Csr::from_edges(&list, &options)?.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_out_of_range_are_named() {
        assert!(Csr::from_entries(2, 2, [(0, 2, 1.0)]).unwrap_err().to_string().contains('2'));
        assert_eq!(Csr::<f64>::from_entries(2, 2, []).unwrap(), Csr::empty(2, 2).unwrap());
        let entries = (0..65).flat_map(|row| (0..row % 4).map(move |k| (row, k * 5 + row, f64::from(row * 10 + k))));
        let csr = Csr::from_entries(65, 100, entries).unwrap();
        let list = EdgeList::from(&csr);
        assert_eq!(Csr::from_edges(&list, &crate::BuildOptions::default()).unwrap().0, csr);
    }
}
