//! Rows: how kernels and apps read a matrix, whatever holds it.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{Fiber, SharedOutput};

/// Finds the row at a coordinate, as [`Rows::row`].
pub type Near<'n, R> = &'n dyn Fn(usize) -> Option<R>;

/// A matrix read by rows: static CSR, any outer level with any row store, a snapshot.
///
/// Kernels are generic over `Rows` and thus monomorphic in the row store; where the outer level is dynamic, one dynamic call
/// delivers a batch of rows.
pub trait Rows: Sync {
    /// Value of a nonzero; `()` in a pattern.
    type Value: Clone + Send + Sync + 'static;
    /// A row.
    type Fiber<'a>: Fiber<'a, Coord = u32, Value = Self::Value>
    where
        Self: 'a;

    /// Number of rows; row coordinates are below it.
    fn num_rows(&self) -> usize;

    /// Number of columns; column coordinates are below it.
    fn num_cols(&self) -> usize;

    /// Number of nonzeros.
    fn nnz(&self) -> usize;

    /// The row at a coordinate; `None` if it is beyond the matrix or its level holds none there.
    fn row(&self, coord: usize) -> Option<Self::Fiber<'_>>;

    /// As [`row`](Self::row), for who looks for most of the rows: where their places are first has to be walked to, it is put together
    /// once where each of them lies. Linear in the rows at worst.
    fn finder<'a>(&'a self) -> impl Fn(usize) -> Option<Self::Fiber<'a>> + Sync {
        |coord| self.row(coord)
    }

    /// Asks for the memory that says where a row lies, some rows before [`prefetch_row`](Self::prefetch_row). Any coordinate will do.
    #[inline(always)]
    fn prefetch_place(&self, coord: usize) {
        let _ = coord;
    }

    /// Asks for the memory where a row's nonzeros begin, some rows before it is read, where rows are read in an order of their own. Any
    /// coordinate will do.
    #[inline(always)]
    fn prefetch_row(&self, coord: usize) {
        let _ = coord;
    }

    /// Visits in parallel, in no particular order, every row that may hold nonzeros.
    fn par_rows<'a, F: Fn(usize, Self::Fiber<'a>) + Sync>(&'a self, visit: F);

    /// As [`par_rows`](Self::par_rows), but only rows whose coordinate is `wanted`; where that is cheaper, it is asked before the row is looked for.
    #[inline]
    fn par_rows_where<'a, W, F>(&'a self, wanted: W, visit: F)
    where
        W: Fn(usize) -> bool + Sync,
        F: Fn(usize, Self::Fiber<'a>) + Sync,
    {
        self.par_rows(|coord, row| {
            if wanted(coord) {
                visit(coord, row);
            }
        });
    }

    /// As [`par_rows`](Self::par_rows), with a way to other rows that is short where these lie near the one that is visited.
    #[inline]
    fn par_rows_near<'a, F>(&'a self, visit: F)
    where
        F: Fn(usize, Self::Fiber<'a>, Near<'_, Self::Fiber<'a>>) + Sync,
    {
        self.par_rows(|coord, row| visit(coord, row, &|other| self.row(other)));
    }

    /// Visits in ascending order, until `visit` breaks, every row that may hold nonzeros.
    fn try_rows<'a, B, F>(&'a self, visit: F) -> ControlFlow<B>
    where
        F: FnMut(usize, Self::Fiber<'a>) -> ControlFlow<B>;

    /// Visits in ascending order every row that may hold nonzeros.
    fn rows<'a, F: FnMut(usize, Self::Fiber<'a>)>(&'a self, mut visit: F) {
        let ControlFlow::Continue(()) = self.try_rows(|coord, row| {
            visit(coord, row);
            ControlFlow::<std::convert::Infallible>::Continue(())
        });
    }

    /// The number of nonzeros of each row.
    fn row_degrees(&self) -> Vec<u32> {
        let mut degrees = vec![0u32; self.num_rows()];
        let shared = SharedOutput::new(&mut degrees);
        self.par_rows(|coord, row| shared.set(coord, row.len() as u32));
        degrees
    }

    /// The number of nonzeros of each column.
    fn col_degrees(&self) -> Vec<u32> {
        let degrees: Vec<AtomicU32> = (0..self.num_cols()).map(|_| AtomicU32::new(0)).collect();
        self.par_rows(|_, row| {
            row.fold_storage((), |(), run| {
                for &j in run.coords() {
                    degrees[j as usize].fetch_add(1, Ordering::Relaxed);
                }
            });
        });
        degrees.into_iter().map(AtomicU32::into_inner).collect()
    }
}

/// Calls `visit` with each of some rows' coordinates and the row there, if there is one, in the order given, which need not be that of memory: rows
/// are asked for ahead. A few rows before its own turn, when its memory should have arrived, `soon` is called with a row, to ask for what lies behind it.
#[inline(always)]
pub fn each_ahead<'a, A: Rows>(
    rows: &'a A,
    coords: &[u32],
    mut soon: impl FnMut(u32, A::Fiber<'a>),
    mut visit: impl FnMut(u32, Option<A::Fiber<'a>>),
) {
    /// How many rows before its own turn a row's place is asked for.
    const PLACE: usize = 16;
    /// How many rows before its own turn a row is asked for.
    const ROW: usize = 8;
    /// How many rows before its own turn a row is looked for.
    const SOON: usize = 4;
    coords.iter().take(PLACE).for_each(|&coord| rows.prefetch_place(coord as usize));
    coords.iter().take(ROW).for_each(|&coord| rows.prefetch_row(coord as usize));
    let mut found = [None; SOON];
    for k in 0..coords.len() + SOON {
        if let Some(&later) = coords.get(k + PLACE - SOON) {
            rows.prefetch_place(later as usize);
        }
        if let Some(&later) = coords.get(k + ROW - SOON) {
            rows.prefetch_row(later as usize);
        }
        let next = coords.get(k).and_then(|&coord| rows.row(coord as usize));
        if let Some(row) = next {
            soon(coords[k], row);
        }
        let row = std::mem::replace(&mut found[k % SOON], next);
        if k >= SOON {
            visit(coords[k - SOON], row);
        }
    }
}

/// Calls `f` with the first coordinates of a row, as many as `some` or fewer: with enough of them to ask for what lies behind it.
#[inline(always)]
pub fn first_coords<'a, R: Fiber<'a>>(row: R, some: usize, mut f: impl FnMut(R::Coord)) {
    let _ = row.try_fold_runs((), |(), run| {
        run.coords().iter().take(some).for_each(|&coord| f(coord));
        ControlFlow::Break(())
    });
}
