//! Static rows of matrices and snapshots, page by page where rows lie in pages.
//!
//! ```text
//!   page:  row 0 · row 1 · row 2 ─┐ side by side: one copy
//!          row 3 ─────────────────┼─ elsewhere: a copy of its own
//!          row 4 · row 5 … ───────┘ one copy
//! ```

use std::ops::{ControlFlow, Range};

use pleach_runtime::{
    Fiber, Filling, PAGE_ROWS, Page, RowGroup, Rows, SharedOutput, Store, Stretch, par_filled, par_map, threads,
};

use super::Csr;
use super::convert::copy_row;
use crate::Matrix;
use crate::graph::Snapshot;

/// Rows that one task copies.
const PART: usize = 16 * PAGE_ROWS;

impl<R: Store<Coord = u32, Value: Copy + Default>> From<&Matrix<R>> for Csr<R::Value> {
    /// Copies the rows, in parallel; see [`Csr::from_rows`]. Rows of a page that lie side by side are copied together.
    fn from(matrix: &Matrix<R>) -> Self {
        of_matrix(matrix, matrix.num_rows(), matrix.num_cols())
    }
}

impl<R: Store<Coord = u32, Value: Copy + Default>> From<&Snapshot<R>> for Csr<R::Value> {
    /// Copies the rows of out-arcs, in parallel: a square matrix of all vertices up to the largest that was ever there.
    fn from(snapshot: &Snapshot<R>) -> Self {
        let n = snapshot.num_rows().max(snapshot.num_cols());
        of_matrix(snapshot.matrix(), n, n)
    }
}

/// The rows of a matrix, with extents that are no smaller than its own.
fn of_matrix<R: Store<Coord = u32, Value: Copy + Default>>(
    matrix: &Matrix<R>,
    num_rows: usize,
    num_cols: usize,
) -> Csr<R::Value> {
    if threads() == 1 {
        return in_turn(matrix, num_rows, num_cols);
    }
    if (0..num_rows).step_by(PAGE_ROWS).any(|row| matrix.outer().page_of(row).is_some()) {
        return in_parallel(matrix, num_rows, num_cols);
    }
    Csr::copied(matrix, num_rows, num_cols).expect("the dimensions of a matrix have 32 bits")
}

/// The rows by one thread, in one pass.
fn in_turn<R: Store<Coord = u32, Value: Copy + Default>>(
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

/// The rows of pages by several threads: the nonzeros of parts are counted first, for which one look at a page does.
fn in_parallel<R: Store<Coord = u32, Value: Copy + Default>>(
    matrix: &Matrix<R>,
    num_rows: usize,
    num_cols: usize,
) -> Csr<R::Value> {
    let rows = |part: usize| part * PART..num_rows.min((part + 1) * PART);
    let mut ends = par_map(num_rows.div_ceil(PART), 1, |part| nonzeros(matrix, rows(part)));
    let mut end = 0;
    for part in &mut ends {
        end += *part;
        *part = end;
    }
    let mut offsets = vec![0; num_rows + 1];
    let to = SharedOutput::new(&mut offsets);
    let (coords, values) = par_filled(&ends, |part, coords, values| {
        let begin = part.checked_sub(1).map_or(0, |before| ends[before]);
        for page in rows(part).step_by(PAGE_ROWS) {
            copy_page(matrix, page..num_rows.min(page + PAGE_ROWS), (begin, to), (coords, values));
        }
    });
    Csr { num_cols, offsets, coords, values }
}

/// How many nonzeros some rows have, of which the first begins a page.
fn nonzeros<R: Store<Coord = u32>>(matrix: &Matrix<R>, rows: Range<usize>) -> usize {
    let last = rows.end;
    let of_page = |first: usize| {
        let group = matrix.outer().page_of(first)?;
        let count = last.min(first + PAGE_ROWS) - first;
        let page = group.page()?.1;
        let Some(side) = page.side_by_side() else {
            return Some((0..count).map(|slot| page.row(slot).len()).sum());
        };
        let elsewhere = (0..count).filter(|slot| side.elsewhere >> slot & 1 != 0);
        Some(usize::from(side.ends[count - 1]) + elsewhere.map(|slot| page.row(slot).len()).sum::<usize>())
    };
    rows.step_by(PAGE_ROWS).filter_map(of_page).sum()
}

/// Copies the rows of a page behind what is there, and writes where each of them ends, counted from a beginning.
fn copy_page<R: Store<Coord = u32, Value: Copy>>(
    matrix: &Matrix<R>,
    rows: Range<usize>,
    (begin, ends): (usize, SharedOutput<'_, usize>),
    (coords, values): (&mut Filling<'_, u32>, &mut Filling<'_, R::Value>),
) {
    let (at, count) = (rows.start, rows.len());
    let group = matrix.outer().page_of(at);
    group.inspect(|group| group.ahead().lines(PAGE_ROWS));
    let Some((_, page)) = group.and_then(RowGroup::page) else {
        return rows.for_each(|row| ends.set(row + 1, begin + coords.len()));
    };
    let Some(side) = page.side_by_side() else {
        return (0..count).for_each(|slot| {
            copy_row(page.row(slot), coords, values);
            ends.set(at + slot + 1, begin + coords.len());
        });
    };
    for stretch in side.stretches(count) {
        match stretch {
            Stretch::Here { first, ends: own, begin: from, coords: here, values: numbers } => {
                let begin = begin + coords.len() - from;
                own.iter().enumerate().for_each(|(k, &end)| ends.set(at + first + k + 1, begin + usize::from(end)));
                coords.extend_from_slice(here);
                values.extend_from_slice(numbers);
            }
            Stretch::Elsewhere(slot) => {
                copy_row(page.row(slot), coords, values);
                ends.set(at + slot + 1, begin + coords.len());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pleach_runtime::{Dense, Nested, Packed, Paged};
    use pleach_stores::{BlistUnsorted, Bst, Ctree};

    use super::*;
    use crate::graph::{GraphOptions, WeightedGraph};

    /// A huge row, rows without nonzeros, a last row alone on its page, and a part without any page if there are rows enough.
    fn sample(rows: u32) -> Csr<f64> {
        let entries = (0..rows).flat_map(|row| {
            let degree = match row {
                3 => 9000,
                2000..4200 => 0,
                row => (row % 4) * u32::from(row % 7 != 0),
            };
            (0..degree).map(move |k| (row, (k * 5 + row) % 50_000, f64::from(row * 10 + k)))
        });
        Csr::from_entries(rows as usize, 50_000, entries).unwrap()
    }

    fn by_threads(threads: usize, check: impl FnOnce() + Send) {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(check);
    }

    #[test]
    fn rows_of_any_store_are_copied() {
        for rows in [0, 1, 65, 9000] {
            let csr = sample(rows);
            for threads in [1, 2, 3] {
                by_threads(threads, || {
                    assert_eq!(Csr::from(&Matrix::<Packed<u32, f64>>::from_csr::<Paged<_>>(csr.view())), csr);
                    assert_eq!(Csr::from(&Matrix::<Ctree<f64>>::from_csr::<Paged<_>>(csr.view())), csr);
                    assert_eq!(Csr::from(&Matrix::<Ctree<f64>>::from_csr::<Nested<Bst<_>>>(csr.view())), csr);
                    assert_eq!(Csr::from(&Matrix::<BlistUnsorted<f64>>::from_csr::<Dense<_>>(csr.view())), csr);
                    assert_eq!(Csr::from_rows(&csr.view()).unwrap(), csr);
                });
            }
        }
    }

    #[test]
    fn a_snapshot_becomes_a_square_matrix() {
        for threads in [1, 3] {
            by_threads(threads, || {
                let graph = WeightedGraph::<f64>::new(GraphOptions::default());
                assert_eq!(Csr::from(&graph.fresh()), Csr::default());
                graph.insert([(0, 5000, 1.5), (0, 2, 2.5), (3, 1, 4.0), (4800, 1, 0.5)]).unwrap();
                let csr = Csr::from(&graph.fresh());
                assert_eq!((csr.num_rows(), csr.num_cols(), csr.nnz()), (5001, 5001, 4));
                assert_eq!((csr.row(0).coords, csr.row(0).values), (&[2, 5000][..], &[2.5, 1.5][..]));
                assert_eq!((csr.get(3, 1), csr.get(4800, 1)), (Some(&4.0), Some(&0.5)));
                assert_eq!((csr.get(3, 2), csr.get(9999, 9), csr.get(0, usize::MAX)), (None, None, None));
            });
        }
    }
}
