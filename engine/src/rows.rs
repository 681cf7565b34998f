//! Static rows as kernels and apps read them.

use std::ops::{ControlFlow, Range};

use pleach_runtime::{PAGE_ROWS, RowMask, SliceFiber, par_each, prefetch, prefetch_at};

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
    fn prefetch_place(&self, coord: usize) {
        prefetch_at(self.offsets(), coord);
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
        let stretches = self.split_by_arcs(STRETCHES);
        par_each(stretches.len(), 1, &|k: usize| {
            stretches[k].clone().for_each(|coord| visit(coord, fiber(*self, coord)));
        });
    }

    #[inline]
    fn par_rows_where<'a, W, F>(&'a self, wanted: W, visit: F)
    where
        W: Fn(usize) -> bool + Sync,
        F: Fn(usize, Self::Fiber<'a>) + Sync,
    {
        let (stretches, offsets) = (self.split_by_arcs(STRETCHES), self.offsets());
        par_each(stretches.len(), 1, &|k: usize| {
            let Range { start, end } = stretches[k];
            for first in (start..end).step_by(PAGE_ROWS) {
                let wanted = |slot: usize| {
                    let coord = (first + slot).min(end - 1);
                    (first + slot < end) & (offsets[coord] != offsets[coord + 1]) & wanted(coord)
                };
                let mut mask = RowMask::of(wanted, || u64::MAX);
                while let Some(slot) = mask.next(|slot| prefetch_at(self.coords(), offsets[first + slot])) {
                    visit(first + slot, fiber(*self, first + slot));
                }
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
