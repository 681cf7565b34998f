//! Matrices: an outer level over rows of one store.

mod blocks;
mod entries;

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::panic::{RefUnwindSafe, UnwindSafe};

use pleach_runtime::{
    AuditError, BuildOuter, Change, Counts, Elements, Fiber, Footprint, Outer, OuterLevel, PAGE_ROWS, Page, Places,
    RowBlock, RowGroup, SharedOutput, Store, UpdateOuter, VisitNear, ahead, par_items, replace,
};

pub use blocks::{BlockError, BlockRows, BlockShape, RowSource, SourceError, VisitBlock, read_block};
pub(crate) use blocks::{check_shapes, read};

use crate::csr::too_large;
use crate::sort::collect_row_blocks;
use crate::{BuildError, BuildOptions, BuildReport, CsrView, EdgeList, Rows};

/// Why a matrix refuses a batch, or to grow. The matrix is unchanged then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateError {
    /// A coordinate is `u32::MAX`, which marks gaps in stores.
    #[error("the batch names row {row} and column {col}, but coordinates go up to {most}", most = u32::MAX - 1)]
    Coordinate {
        /// The row.
        row: u32,
        /// The column.
        col: u32,
    },
    /// A row is so far beyond all others that the outer level, which takes memory for every row before it, would be nearly empty.
    #[error(
        "row {row} is so far beyond the others that the outer level would take {bytes} bytes for the rows before it: number rows more \
         closely, or hold the matrix below `paged`"
    )]
    TooFar {
        /// The last row of the batch.
        row: usize,
        /// Bytes that the level would grow by.
        bytes: usize,
    },
    /// A dimension does not fit 32-bit coordinates.
    #[error("{size} {what} are more than the 4294967295 that 32-bit coordinates can number")]
    TooLarge {
        /// `"rows"` or `"columns"`.
        what: &'static str,
        /// The number given.
        size: usize,
    },
}

/// Bytes that an outer level may grow by for any batch.
const GROWTH: usize = 1 << 30;

/// Bytes that it may grow by for each arc, beyond that.
const GROWTH_PER_ARC: usize = 1 << 10;

/// A matrix whose rows are stores of type `R` below any outer level.
pub struct Matrix<R: Store> {
    num_rows: usize,
    num_cols: usize,
    nnz: usize,
    outer: Box<dyn UpdateOuter<R>>,
}

impl<R: Store> Matrix<R> {
    /// About how many bytes the rows and their nonzeros take, without reading them.
    pub(crate) fn about_bytes(&self) -> usize {
        self.nnz
            .saturating_mul(size_of::<u32>() + size_of::<R::Value>())
            .saturating_add(self.num_rows.saturating_mul(16))
    }

    /// About how many bytes a page of rows takes.
    pub(crate) fn about_page(&self) -> usize {
        self.about_bytes() / self.num_rows.max(1) * PAGE_ROWS + PAGE_ROWS
    }
}

impl<R: Store> Clone for Matrix<R> {
    /// A second handle that shares every row: each of them copies what it changes afterwards. Takes constant time; below a `dense`
    /// level it increments a count for each page of rows.
    fn clone(&self) -> Self {
        Matrix { outer: self.outer.share(), ..*self }
    }
}

// A matrix that is read does not change. A panic may leave a batch half applied, but only through a `&mut Matrix`, which is not unwind safe in any
// case; rows that another handle shares are copied before they change.
impl<R: Store> UnwindSafe for Matrix<R> {}
impl<R: Store> RefUnwindSafe for Matrix<R> {}

/// Blocks of a build from static rows: enough of them that the others need not wait for a hub's block.
const BLOCKS: usize = 256;

impl<R: Store<Coord = u32>> Matrix<R>
where
    R::Value: Copy,
{
    /// Builds the rows of a static matrix below the outer level `O`, in parallel. Takes time and memory linear in the nonzeros.
    pub fn from_csr<O: BuildOuter<R> + UpdateOuter<R> + 'static>(csr: CsrView<'_, R::Value>) -> Self {
        let num_rows = csr.num_rows();
        let mut starts: Vec<usize> =
            csr.split_by_arcs(BLOCKS).iter().map(|rows| rows.start / PAGE_ROWS * PAGE_ROWS).collect();
        starts.dedup();
        starts.push(num_rows);
        let parts = par_items(starts.windows(2).collect(), |rows: &[usize]| {
            let offsets = &csr.offsets()[rows[0]..=rows[1]];
            let nonzeros = offsets[0]..offsets[offsets.len() - 1];
            let elements = Elements::copied(&csr.coords()[nonzeros.clone()], &csr.values()[nonzeros]);
            O::build_part(RowBlock::new(rows[0], offsets, elements))
        });
        Matrix { num_rows, num_cols: csr.num_cols(), nnz: csr.nnz(), outer: O::boxed(num_rows, parts) }
    }
}

impl<R: Store<Coord = u32>> Matrix<R>
where
    R::Value: Copy + Default,
{
    /// Sorts arcs into the rows of a matrix below the outer level `O`, in parallel and without a static matrix in between.
    ///
    /// # Errors
    ///
    /// [`BuildError`] names the first arc that is out of range, or the first duplicate if there must be none.
    pub fn from_edges<O: BuildOuter<R> + UpdateOuter<R> + 'static>(
        edges: &EdgeList<R::Value>,
        options: &BuildOptions<R::Value>,
    ) -> Result<(Self, BuildReport), BuildError> {
        Self::from_arcs::<O>(Cow::Borrowed(edges), options)
    }

    /// As [`from_edges`](Self::from_edges). A list that is owned is freed while its arcs are sorted, so that it and the matrix are not in
    /// memory at the same time.
    ///
    /// # Errors
    ///
    /// As [`from_edges`](Self::from_edges).
    pub fn from_arcs<O: BuildOuter<R> + UpdateOuter<R> + 'static>(
        edges: Cow<'_, EdgeList<R::Value>>,
        options: &BuildOptions<R::Value>,
    ) -> Result<(Self, BuildReport), BuildError> {
        Self::from_arcs_below(OuterLevel::of::<O>(), edges, options)
    }

    /// As [`from_arcs`](Self::from_arcs), below an outer level that is chosen at run time.
    ///
    /// # Errors
    ///
    /// As [`from_edges`](Self::from_edges).
    pub fn from_arcs_below(
        level: OuterLevel<R>,
        edges: Cow<'_, EdgeList<R::Value>>,
        options: &BuildOptions<R::Value>,
    ) -> Result<(Self, BuildReport), BuildError> {
        let (parts, report) = collect_row_blocks(edges, options, &|block| level.build_part(block))?;
        let outer = level.join(report.num_rows, parts);
        Ok((Matrix { num_rows: report.num_rows, num_cols: report.num_cols, nnz: report.arcs, outer }, report))
    }
}

impl<R: Store<Coord = u32>> Matrix<R> {
    /// The outer level.
    pub fn outer(&self) -> &dyn Outer<R> {
        &*self.outer
    }

    /// The names of the outer level and of the row store, as on the command line: `bst,ctree`.
    pub fn store_name(&self) -> String {
        format!("{},{}", self.outer.name(), R::NAME)
    }

    /// Checks every invariant of the outer level and of each row.
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold, with the path to it.
    pub fn audit(&self) -> Result<(), AuditError> {
        self.outer.audit_with(&mut |_| Ok(()))
    }

    /// Bytes held by the outer level and the rows.
    pub fn footprint(&self) -> Footprint {
        self.outer.footprint_with(&mut |_| Footprint::default())
    }
}

impl<R: Store<Coord = u32>> Matrix<R> {
    /// A matrix without rows below the outer level `O`.
    pub fn empty<O: BuildOuter<R> + UpdateOuter<R> + 'static>() -> Self {
        Matrix { num_rows: 0, num_cols: 0, nnz: 0, outer: O::boxed(0, Vec::new()) }
    }

    /// Makes the matrix at least this large. Its nonzeros stay. Takes no memory: the outer level makes room for rows when one of them gets a
    /// nonzero.
    ///
    /// # Errors
    ///
    /// [`UpdateError::TooLarge`] if a dimension exceeds [`MAX_DIMENSION`](crate::csr::MAX_DIMENSION).
    pub fn grow(&mut self, num_rows: usize, num_cols: usize) -> Result<(), UpdateError> {
        if let Some((what, size)) = too_large(num_rows, num_cols) {
            return Err(UpdateError::TooLarge { what, size });
        }
        self.grow_within(num_rows, num_cols);
        Ok(())
    }

    /// As [`grow`](Self::grow), to dimensions that were checked.
    pub(crate) fn grow_within(&mut self, num_rows: usize, num_cols: usize) {
        self.num_rows = self.num_rows.max(num_rows);
        self.num_cols = self.num_cols.max(num_cols);
    }

    /// Bytes that growing to so many rows needs beside the rows' nonzeros.
    pub fn growth(&self, num_rows: usize) -> usize {
        self.outer.growth(num_rows)
    }

    /// Bytes that growing for rows up to this one needs, for a batch that inserts so many nonzeros.
    ///
    /// # Errors
    ///
    /// [`UpdateError::TooFar`], if they are out of proportion to the nonzeros, usually because of one row that is far beyond the others.
    pub(crate) fn room(&self, row: usize, nonzeros: usize) -> Result<usize, UpdateError> {
        let bytes = self.growth(row + 1);
        let most = GROWTH.saturating_add(nonzeros.saturating_add(self.nnz).saturating_mul(GROWTH_PER_ARC));
        if bytes > most { Err(UpdateError::TooFar { row, bytes }) } else { Ok(bytes) }
    }

    /// Applies a change to the nonzeros that a batch names. If it inserts, the matrix grows to hold the batch. The cost
    /// grows with the batch and the rows it touches, not with the matrix.
    ///
    /// # Errors
    ///
    /// [`UpdateError`], if the batch names `u32::MAX`, or inserts into a row that is too far beyond the others.
    pub fn apply(
        &mut self,
        batch: &crate::Batch<R::Value>,
        change: Change<'_, R::Value>,
    ) -> Result<Counts, UpdateError> {
        let (Some(row), Some(col)) = (batch.max_row(), batch.max_col()) else { return Ok(Counts::default()) };
        if row >= u32::MAX as usize || col == u32::MAX {
            let gap = batch.positions().find(|&(row, col)| row.max(col) == u32::MAX);
            let (row, col) = gap.unwrap_or((row as u32, col));
            return Err(UpdateError::Coordinate { row, col });
        }
        if let Change::Insert(_) = change {
            self.room(row, batch.len())?;
            self.grow_within(row + 1, col as usize + 1);
        }
        Ok(self.apply_within(batch, change))
    }

    /// As [`apply`](Self::apply), for a batch within a matrix that has grown for it already.
    pub(crate) fn apply_within(&mut self, batch: &crate::Batch<R::Value>, change: Change<'_, R::Value>) -> Counts {
        let counts = self.outer.apply(batch.sorted(), change);
        self.nnz = self.nnz + counts.new - counts.removed;
        counts
    }

    /// Deletes the nonzeros that a batch names; those that are absent are counted only.
    ///
    /// # Errors
    ///
    /// As [`apply`](Self::apply).
    pub fn delete(&mut self, batch: &crate::Batch<R::Value>) -> Result<Counts, UpdateError> {
        self.apply(batch, Change::Delete)
    }
}

impl<R: Store<Coord = u32>> Matrix<R>
where
    R::Value: PartialEq,
{
    /// Inserts the nonzeros of a batch. The value of a nonzero that exists already is replaced. See [`apply`](Self::apply).
    ///
    /// # Errors
    ///
    /// As [`apply`](Self::apply).
    pub fn insert(&mut self, batch: &crate::Batch<R::Value>) -> Result<Counts, UpdateError> {
        self.apply(batch, Change::Insert(&replace))
    }
}

impl<R: Store<Coord = u32>> Rows for Matrix<R> {
    type Value = R::Value;
    type Fiber<'a> = R::Fiber<'a>;

    fn num_rows(&self) -> usize {
        self.num_rows
    }

    fn num_cols(&self) -> usize {
        self.num_cols
    }

    fn nnz(&self) -> usize {
        self.nnz
    }

    fn row(&self, coord: usize) -> Option<R::Fiber<'_>> {
        self.outer.row(coord)
    }

    fn finder<'a>(&'a self) -> impl Fn(usize) -> Option<R::Fiber<'a>> + Sync {
        let places = Places::of(&*self.outer, self.num_rows);
        #[inline(always)]
        move |coord| places.row(coord)
    }

    #[inline(always)]
    fn each_ahead<'a>(
        &'a self,
        coords: &[u32],
        soon: impl FnMut(u32, R::Fiber<'a>),
        visit: impl FnMut(u32, Option<R::Fiber<'a>>),
    ) {
        let find = |coords: &[u32], pages: &mut [Option<&'a R::Page>]| self.outer.find_pages(coords, pages);
        let fetch =
            |page: Option<&R::Page>, coord: usize| page.iter().for_each(|page| page.prefetch_row(coord % PAGE_ROWS));
        let row = |page: Option<&'a R::Page>, coord: usize| match page {
            Some(page) => Some(page.row(coord % PAGE_ROWS)),
            None => self.outer.row(coord),
        };
        ahead(coords, None, find, fetch, row, soon, visit);
    }

    #[inline]
    fn par_rows<'a, F: Fn(usize, R::Fiber<'a>) + Sync>(&'a self, visit: F) {
        // The last page may have more rows than the matrix; they are empty.
        let num_rows = self.num_rows;
        // A closure around `visit`, and not `&visit`: closures are compiled where they are used, and so become part of the loop.
        self.outer.par_batches(&|batch: RowGroup<'_, 'a, R>| {
            batch.for_each(|coord, row| {
                if coord < num_rows {
                    visit(coord, row);
                }
            });
        });
    }

    fn row_degrees(&self) -> Vec<u32> {
        let mut degrees = vec![0u32; self.num_rows];
        let shared = SharedOutput::new(&mut degrees);
        let set = |row: usize, degree: usize| {
            if row < self.num_rows {
                shared.set(row, degree as u32);
            }
        };
        self.outer.par_batches(&|batch: RowGroup<'_, '_, R>| {
            let Some((first, page)) = batch.page().and_then(|(first, page)| Some((first, page.side_by_side()?))) else {
                return batch.for_each(|row, fiber| set(row, fiber.len()));
            };
            let mut begin = 0;
            for (row, &end) in (first..).zip(page.ends) {
                set(row, usize::from(end - begin));
                begin = end;
            }
            for slot in (0..PAGE_ROWS).filter(|slot| page.elsewhere >> slot & 1 != 0) {
                if let Some(fiber) = batch.row(first + slot) {
                    set(first + slot, fiber.len());
                }
            }
        });
        degrees
    }

    #[inline]
    fn par_rows_where<'a, W, F>(&'a self, wanted: W, visit: F)
    where
        W: Fn(usize) -> bool + Sync,
        F: Fn(usize, R::Fiber<'a>) + Sync,
    {
        let num_rows = self.num_rows;
        self.outer.par_batches(&|batch: RowGroup<'_, 'a, R>| {
            #[allow(clippy::redundant_closure, reason = "as in `par_rows`: it becomes part of the loop")]
            batch.for_each_where(|coord| coord < num_rows && wanted(coord), |coord, row| visit(coord, row));
        });
    }

    #[inline]
    fn par_rows_near<'a, F: VisitNear<R::Fiber<'a>>>(&'a self, visit: &F) {
        let num_rows = self.num_rows;
        self.outer.par_batches(&|batch: RowGroup<'_, 'a, R>| {
            let near = |other| batch.row(other).or_else(|| self.outer.row(other));
            batch.for_each(|coord, row| {
                if coord < num_rows {
                    visit.visit(coord, row, near);
                }
            });
        });
    }

    fn try_rows<'a, B, F>(&'a self, mut visit: F) -> ControlFlow<B>
    where
        F: FnMut(usize, R::Fiber<'a>) -> ControlFlow<B>,
    {
        let mut broken = None;
        let _ = self.outer.batches(&mut |batch: RowGroup<'_, 'a, R>| {
            batch.for_each(|coord, row| {
                if broken.is_none()
                    && coord < self.num_rows
                    && let ControlFlow::Break(value) = visit(coord, row)
                {
                    broken = Some(value);
                }
            });
            if broken.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        broken.map_or(ControlFlow::Continue(()), ControlFlow::Break)
    }
}

#[cfg(test)]
mod tests {
    use pleach_runtime::{Dense, Packed, Paged};

    use super::*;
    use crate::Batch as Arcs;

    #[test]
    fn coordinates_are_bounded() {
        let mut paged = Matrix::<Packed<u32, ()>>::empty::<Paged<_>>();
        let mut dense = Matrix::<Packed<u32, ()>>::empty::<Dense<_>>();
        for matrix in [&mut paged, &mut dense] {
            matrix.insert(&Arcs::pattern([(3, 4)])).unwrap();
            for arcs in [[(1, 2), (u32::MAX, 7)], [(1, 2), (7, u32::MAX)]] {
                let (row, col) = arcs[1];
                let expected = Err(UpdateError::Coordinate { row, col });
                assert_eq!(matrix.insert(&Arcs::pattern(arcs)), expected);
                assert_eq!(matrix.delete(&Arcs::pattern(arcs)), expected);
            }
            assert_eq!((matrix.num_rows(), matrix.num_cols(), matrix.nnz()), (4, 5, 1));
            matrix.audit().unwrap();
        }
        // A level without pages for all rows before takes the last one that there is.
        assert_eq!(paged.insert(&Arcs::pattern([(u32::MAX - 1, u32::MAX - 1)])).unwrap().new, 1);
        let error = dense.insert(&Arcs::pattern([(u32::MAX - 1, 0)])).unwrap_err();
        assert!(matches!(error, UpdateError::TooFar { row, bytes } if row == u32::MAX as usize - 1 && bytes > 1 << 30));
        assert_eq!(dense.nnz(), 1);
    }

    /// A matrix grows to as many rows and columns as 32 bits can number, and not beyond.
    #[test]
    fn extents_are_bounded() {
        let most = crate::csr::MAX_DIMENSION;
        let mut paged = Matrix::<Packed<u32, ()>>::empty::<Paged<_>>();
        let mut dense = Matrix::<Packed<u32, ()>>::empty::<Dense<_>>();
        for matrix in [&mut paged, &mut dense] {
            matrix.insert(&Arcs::pattern([(3, 4)])).unwrap();
            for size in [most + 1, usize::MAX] {
                assert_eq!(matrix.grow(size, 9), Err(UpdateError::TooLarge { what: "rows", size }));
                assert_eq!(matrix.grow(9, size), Err(UpdateError::TooLarge { what: "columns", size }));
            }
            assert_eq!((matrix.num_rows(), matrix.num_cols()), (4, 5));
            matrix.grow(2, 700).unwrap();
            assert_eq!((matrix.num_rows(), matrix.num_cols()), (4, 700));
            matrix.grow(most, most).unwrap();
            assert_eq!((matrix.num_rows(), matrix.num_cols(), matrix.nnz()), (most, most, 1));
            assert!(matrix.footprint().bytes < 100_000 && matrix.get(most - 1, most - 1).is_none());
            matrix.audit().unwrap();
        }
        // Rows without nonzeros take no memory. The first nonzero would allocate them, and is refused.
        assert!(matches!(dense.insert(&Arcs::pattern([(u32::MAX - 1, 0)])), Err(UpdateError::TooFar { .. })));
    }

    /// Replacing NaN by NaN is no change.
    #[test]
    fn no_number_is_no_change() {
        let mut matrix = Matrix::<Packed<u32, f64>>::empty::<Paged<_>>();
        let one = |value: f64| Arcs::weighted([(1, 1, value)], |_, last| last);
        assert_eq!(matrix.insert(&one(f64::NAN)).unwrap().new, 1);
        assert_eq!(matrix.insert(&one(f64::NAN)).unwrap().unchanged, 1);
        assert_eq!(matrix.insert(&one(1.0)).unwrap().changed, 1);
        assert_eq!(matrix.insert(&one(f64::NAN)).unwrap().changed, 1);
    }
}
