//! Static rows as kernels and apps read them.

use std::ops::ControlFlow;

use pleach_runtime::{SliceFiber, par_each, prefetch};

use crate::CsrView;

pub use pleach_runtime::Rows;

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

    #[inline(always)]
    fn prefetch_row(&self, coord: usize) {
        if coord < CsrView::num_rows(self) {
            let row = CsrView::row(self, coord);
            prefetch(row.coords);
            prefetch(row.values);
        }
    }

    #[inline]
    fn par_rows<'a, F: Fn(usize, Self::Fiber<'a>) + Sync>(&'a self, visit: F) {
        self.par_rows_where(|_| true, visit);
    }

    #[inline]
    fn par_rows_where<'a, W, F>(&'a self, wanted: W, visit: F)
    where
        W: Fn(usize) -> bool + Sync,
        F: Fn(usize, Self::Fiber<'a>) + Sync,
    {
        let stretches = self.split_by_arcs(STRETCHES);
        par_each(stretches.len(), 1, &|k: usize| {
            for coord in stretches[k].clone().filter(|&coord| wanted(coord)) {
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
