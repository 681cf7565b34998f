//! Rows: how kernels and apps read a matrix, whatever holds it.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{Fiber, SharedOutput, ahead};

/// What [`Rows::par_rows_near`] does with a row. This is a trait because no closure takes a `near` of any type. Each kind of rows has its own
/// type of `near`, so that calls of it are inlined into the loop over rows.
pub trait VisitNear<R>: Sync {
    /// Visits the row at `coord`. `near` finds the row at another coordinate, as [`Rows::row`] does.
    fn visit(&self, coord: usize, row: R, near: impl Fn(usize) -> Option<R>);
}

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

    /// As [`row`](Self::row), for callers that look up most of the rows. Where a lookup is a walk down a tree or a directory, a table of
    /// all rows is built first, in time linear in the rows.
    fn finder<'a>(&'a self) -> impl Fn(usize) -> Option<Self::Fiber<'a>> + Sync {
        |coord| self.row(coord)
    }

    /// Calls `visit` with each of some rows' coordinates and the row there, if there is one, in the order given, which need not be that of memory: rows
    /// are prefetched where that helps. A few rows before its turn, when a row should be in the cache, `soon` is called with it, to prefetch what its
    /// coordinates refer to.
    #[inline(always)]
    fn each_ahead<'a>(
        &'a self,
        coords: &[u32],
        soon: impl FnMut(u32, Self::Fiber<'a>),
        visit: impl FnMut(u32, Option<Self::Fiber<'a>>),
    ) {
        ahead(coords, (), |_, _| (), |(), _| (), |(), coord| self.row(coord), soon, visit);
    }

    /// Visits in parallel, in no particular order, every row that may hold nonzeros.
    fn par_rows<'a, F: Fn(usize, Self::Fiber<'a>) + Sync>(&'a self, visit: F);

    /// As [`par_rows`](Self::par_rows), but only rows whose coordinate is `wanted`. Where that is cheaper, `wanted` is called before the
    /// row is looked up.
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

    /// As [`par_rows`](Self::par_rows), and gives the visitor a lookup of other rows that is fast for rows near the one visited.
    #[inline]
    fn par_rows_near<'a, F: VisitNear<Self::Fiber<'a>>>(&'a self, visit: &F) {
        self.par_rows(|coord, row| visit.visit(coord, row, |other| self.row(other)));
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

/// Calls `f` with the first coordinates of a row, as many as `some` or fewer: with enough of them to ask for what lies behind it.
#[inline(always)]
pub fn first_coords<'a, R: Fiber<'a>>(row: R, some: usize, mut f: impl FnMut(R::Coord)) {
    let _ = row.try_fold_runs((), |(), run| {
        run.coords().iter().take(some).for_each(|&coord| f(coord));
        ControlFlow::Break(())
    });
}
