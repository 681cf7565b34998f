//! Rows: how kernels and apps read a matrix, whatever holds it.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

use pleach_runtime::{Fiber, Run, SharedOutput, SliceFiber};
use rayon::prelude::*;

use crate::CsrView;

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

    /// Visits in parallel, in no particular order, every row that may hold nonzeros.
    fn par_rows<'a, F: Fn(usize, Self::Fiber<'a>) + Sync>(&'a self, visit: F);

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

/// Stretches of rows that a traversal of CSR is cut into: several a thread, so that late ones even out.
const STRETCHES: usize = 64;

impl<V: Clone + Send + Sync + 'static> Rows for CsrView<'_, V> {
    type Value = V;
    type Fiber<'a>
        = SliceFiber<'a, u32, V>
    where
        Self: 'a;

    fn num_rows(&self) -> usize {
        CsrView::num_rows(self)
    }

    fn num_cols(&self) -> usize {
        CsrView::num_cols(self)
    }

    fn nnz(&self) -> usize {
        CsrView::nnz(self)
    }

    fn row(&self, coord: usize) -> Option<Self::Fiber<'_>> {
        (coord < CsrView::num_rows(self)).then(|| fiber(*self, coord))
    }

    #[inline]
    fn par_rows<'a, F: Fn(usize, Self::Fiber<'a>) + Sync>(&'a self, visit: F) {
        self.split_by_arcs(STRETCHES).into_par_iter().with_max_len(1).for_each(|rows| {
            for coord in rows {
                visit(coord, fiber(*self, coord));
            }
        });
    }

    fn try_rows<'a, B, F>(&'a self, mut visit: F) -> ControlFlow<B>
    where
        F: FnMut(usize, Self::Fiber<'a>) -> ControlFlow<B>,
    {
        (0..CsrView::num_rows(self)).try_for_each(|coord| visit(coord, fiber(*self, coord)))
    }
}

/// A row of CSR as a fiber.
#[inline(always)]
fn fiber<'a, V: Clone + Send + Sync + 'static>(csr: CsrView<'a, V>, coord: usize) -> SliceFiber<'a, u32, V> {
    let row = csr.row(coord);
    SliceFiber::new(row.coords, row.values)
}

/// Nonzeros of a row that one task folds before the rest of the row is shared out among all threads.
const HUB: usize = 1 << 17;

/// Sums `term` over the nonzeros of a row, wherever the row's order of storage leads; a hub's row is split among the threads.
///
/// The short rows, which are most, pay one comparison a run for it. What is seen so far is handed from run to run, not kept in a
/// variable that runs borrow: that would have to lie in memory.
#[inline(always)]
pub fn sum_row<'a, R, F>(row: R, term: F) -> f64
where
    R: Fiber<'a>,
    F: Fn(Run<'_, 'a, R::Coord, R::Value>) -> f64 + Sync,
{
    let partial = row.try_fold_storage((0.0, 0), |(sum, seen), run| {
        let seen = seen + run.len();
        if seen > HUB { ControlFlow::Break(()) } else { ControlFlow::Continue((sum + term(run), seen)) }
    });
    match partial {
        ControlFlow::Continue((sum, _)) => sum,
        ControlFlow::Break(()) => sum_hub(row, &term),
    }
}

/// Sums over a row by all threads.
#[cold]
#[inline(never)]
fn sum_hub<'a, R, F>(row: R, term: &F) -> f64
where
    R: Fiber<'a>,
    F: Fn(Run<'_, 'a, R::Coord, R::Value>) -> f64 + Sync,
{
    row.par_fold(&|| 0.0, &|sum, run| sum + term(run), &|left, right| left + right)
}
