//! Static rows from matrices, snapshots and lists of entries.

use std::ops::{ControlFlow, Range};

use pleach_runtime::{Fiber, Filling, PAGE_ROWS, Page, RowGroup, Rows, Store, Stretch, par_filled, threads};

use super::{Csr, CsrError, check_dimensions};
use crate::graph::Snapshot;
use crate::sort::Weight;
use crate::{EdgeList, Matrix};

/// Rows, and nonzeros, that one task copies at least.
const GRAIN: usize = 1 << 12;

impl<V: Copy + Default + Send + Sync + 'static> Csr<V> {
    /// Copies the rows of a matrix, in parallel. Takes time and memory linear in rows and nonzeros; a row whose store keeps no order
    /// is sorted.
    ///
    /// # Errors
    ///
    /// [`CsrError::TooLarge`] if a dimension exceeds [`MAX_DIMENSION`](super::MAX_DIMENSION).
    pub fn from_rows<A: Rows<Value = V>>(matrix: &A) -> Result<Self, CsrError> {
        Self::copied(matrix, matrix.num_rows(), matrix.num_cols())
    }

    fn copied<A: Rows<Value = V>>(matrix: &A, num_rows: usize, num_cols: usize) -> Result<Self, CsrError> {
        check_dimensions(num_rows, num_cols)?;
        if threads() == 1 {
            let mut csr = Self::with_room(num_rows, num_cols, matrix.nnz());
            matrix.rows(|row, fiber| csr.append_row(row, fiber));
            csr.offsets.resize(num_rows + 1, csr.coords.len());
            return Ok(csr);
        }
        let row = matrix.finder();
        Ok(Self::in_parallel(matrix, num_rows, num_cols, |rows, coords, values| {
            rows.filter_map(&row).for_each(|fiber| copy_row(fiber, coords, values));
        }))
    }

    /// Counts rows first. Then `copy` copies ranges of them, which begin with a page, to where they belong.
    fn in_parallel<A: Rows<Value = V>>(
        matrix: &A,
        num_rows: usize,
        num_cols: usize,
        copy: impl Fn(Range<usize>, &mut Filling<'_, u32>, &mut Filling<'_, V>) + Sync,
    ) -> Self {
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
            first = last.max(first + 1).next_multiple_of(PAGE_ROWS).min(num_rows);
            lasts.push(first);
        }
        let ends: Vec<usize> = lasts.iter().map(|&last| offsets[last]).collect();
        let (coords, values) = par_filled(&ends, |k, coords, values| {
            let first = if k == 0 { 0 } else { lasts[k - 1] };
            copy(first..lasts[k], coords, values);
        });
        Csr { num_cols, offsets, coords, values }
    }

    /// No rows yet, and room for them.
    fn with_room(num_rows: usize, num_cols: usize, nnz: usize) -> Self {
        let offsets = Vec::with_capacity(num_rows + 1);
        Csr { num_cols, offsets, coords: Vec::with_capacity(nnz), values: Vec::with_capacity(nnz) }
    }

    /// Appends a row. Rows before it that were not appended are empty.
    fn append_row<'a, F: Fiber<'a, Coord = u32, Value = V>>(&mut self, row: usize, fiber: F) {
        let begin = self.coords.len();
        self.offsets.resize(row + 1, begin);
        fiber.fold_runs((), |(), run| {
            self.coords.extend_from_slice(run.coords());
            self.values.extend_from_slice(run.values());
        });
        sort_row::<F>(&mut self.coords[begin..], &mut self.values[begin..]);
    }

    /// Appends rows that lie side by side: from row `first` on, each up to its end among them, counted from `begin`.
    fn append_rows(&mut self, first: usize, begin: usize, ends: &[u16], coords: &[u32], values: &[V]) {
        let len = self.coords.len();
        self.offsets.resize(first + 1, len);
        // The last end is where the next row begins.
        self.offsets.extend(ends[..ends.len() - 1].iter().map(|&end| len + usize::from(end) - begin));
        self.coords.extend_from_slice(coords);
        self.values.extend_from_slice(values);
    }
}

/// Copies a row to the end of two arrays, in ascending order.
fn copy_row<'a, F: Fiber<'a, Coord = u32>>(row: F, coords: &mut Filling<'_, u32>, values: &mut Filling<'_, F::Value>)
where
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

impl<R: Store<Coord = u32, Value: Copy + Default>> From<&Matrix<R>> for Csr<R::Value> {
    /// Copies the rows, in parallel; see [`Csr::from_rows`]. Rows of a page that lie side by side are copied together.
    fn from(matrix: &Matrix<R>) -> Self {
        let (num_rows, num_cols) = (matrix.num_rows(), matrix.num_cols());
        if threads() == 1 {
            return of_pages(matrix, num_rows, num_cols);
        }
        // Rows that lie in no page.
        let find = matrix.finder();
        Csr::in_parallel(matrix, num_rows, num_cols, |rows, coords, values| {
            let mut row = rows.start;
            while row < rows.end {
                let end = rows.end.min(row + PAGE_ROWS);
                let page = matrix.outer().page_of(row);
                page.inspect(|page| page.ahead().lines(PAGE_ROWS));
                match page.and_then(RowGroup::page).and_then(|(_, page)| Some((page, page.side_by_side()?))) {
                    Some((page, side)) => {
                        for stretch in side.stretches(end - row) {
                            match stretch {
                                Stretch::Here { coords: here, values: own, .. } => {
                                    coords.extend_from_slice(here);
                                    values.extend_from_slice(own);
                                }
                                Stretch::Elsewhere(slot) => copy_row(page.row(slot), coords, values),
                            }
                        }
                    }
                    None => {
                        (row..end).filter_map(&find).for_each(|row| copy_row(row, coords, values));
                    }
                }
                row = end;
            }
        })
    }
}

/// The rows of a matrix by one thread, in one pass. Rows of a page that lie side by side are copied together.
fn of_pages<R: Store<Coord = u32, Value: Copy + Default>>(
    matrix: &Matrix<R>,
    num_rows: usize,
    num_cols: usize,
) -> Csr<R::Value> {
    let mut csr = Csr::with_room(num_rows, num_cols, matrix.nnz());
    let _ = matrix.outer().batches(&mut |batch: RowGroup<'_, '_, R>| {
        batch.ahead().lines(PAGE_ROWS);
        match batch.page().and_then(|(at, page)| Some((at, page, page.side_by_side()?))) {
            Some((at, page, side)) => {
                for stretch in side.stretches(num_rows.saturating_sub(at)) {
                    match stretch {
                        Stretch::Here { first, ends, begin, coords, values } => {
                            csr.append_rows(at + first, begin, ends, coords, values);
                        }
                        Stretch::Elsewhere(slot) => csr.append_row(at + slot, page.row(slot)),
                    }
                }
            }
            None => batch.for_each(|row, fiber| {
                if row < num_rows {
                    csr.append_row(row, fiber);
                }
            }),
        }
        ControlFlow::Continue(())
    });
    csr.offsets.resize(num_rows + 1, csr.coords.len());
    csr
}

impl<R: Store<Coord = u32, Value: Copy + Default>> From<&Snapshot<R>> for Csr<R::Value> {
    /// Copies the rows of out-arcs, in parallel: a square matrix of all vertices up to the largest.
    fn from(snapshot: &Snapshot<R>) -> Self {
        let n = snapshot.num_rows().max(snapshot.num_cols());
        Csr::copied(snapshot, n, n).expect("the vertices of a graph have 32 bits")
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
    use pleach_runtime::{Dense, Nested, Packed, Paged};
    use pleach_stores::{BlistUnsorted, Bst, Ctree};

    use super::*;
    use crate::graph::{GraphOptions, WeightedGraph};

    fn sample(rows: u32) -> Csr<f64> {
        // A huge row, empty rows, a last row alone on its page.
        let entries = (0..rows).flat_map(|row| {
            let degree = if row == 3 { 3 * GRAIN as u32 } else { (row % 4) * u32::from(row % 7 != 0) };
            (0..degree).map(move |k| (row, (k * 5 + row) % 20_000, f64::from(row * 10 + k)))
        });
        Csr::from_entries(rows as usize, 20_000, entries).unwrap()
    }

    #[test]
    fn rows_of_any_store_are_copied() {
        for rows in [0, 1, 65, 9000] {
            let csr = sample(rows);
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    assert_eq!(Csr::from(&Matrix::<Packed<u32, f64>>::from_csr::<Paged<_>>(csr.view())), csr);
                    assert_eq!(Csr::from(&Matrix::<Ctree<f64>>::from_csr::<Nested<Bst<_>>>(csr.view())), csr);
                    assert_eq!(Csr::from(&Matrix::<BlistUnsorted<f64>>::from_csr::<Dense<_>>(csr.view())), csr);
                    assert_eq!(Csr::from_rows(&csr.view()).unwrap(), csr);
                });
            }
        }
    }

    #[test]
    fn a_snapshot_becomes_a_square_matrix() {
        let graph = WeightedGraph::<f64>::new(GraphOptions::default());
        assert_eq!(Csr::from(&graph.fresh()), Csr::default());
        graph.insert([(0, 5, 1.5), (0, 2, 2.5), (3, 1, 4.0)]).unwrap();
        let csr = Csr::from(&graph.fresh());
        assert_eq!((csr.num_rows(), csr.num_cols(), csr.nnz()), (6, 6, 3));
        assert_eq!((csr.row(0).coords, csr.row(0).values, csr.get(3, 1)), (&[2, 5][..], &[2.5, 1.5][..], Some(&4.0)));
        assert_eq!((csr.get(3, 2), csr.get(9, 9), csr.get(0, usize::MAX)), (None, None, None));
    }

    #[test]
    fn entries_out_of_range_are_named() {
        assert!(Csr::from_entries(2, 2, [(0, 2, 1.0)]).unwrap_err().to_string().contains('2'));
        assert_eq!(Csr::<f64>::from_entries(2, 2, []).unwrap(), Csr::empty(2, 2).unwrap());
        let list = EdgeList::from(&sample(65));
        assert_eq!(Csr::from_edges(&list, &crate::BuildOptions::default()).unwrap().0, sample(65));
    }
}
