//! Static rows, as kernels and algorithms read them.

use std::ops::{ControlFlow, Deref, Range};

use pleach_runtime::{PAGE_ROWS, RowMask, SliceFiber, Store, ahead, par_each, prefetch, prefetch_at};

use crate::graph::{Graph, Snapshot};
use crate::sort::Weight;
use crate::{Csr, CsrView};

pub use pleach_runtime::Rows;

/// Tasks of a traversal of CSR for each thread: several, to balance tasks of different length.
const STRETCHES: usize = 64;

/// Static rows are read the same way, borrowed or owned.
macro_rules! static_rows {
    ($($of:ty),*) => {$(
        impl<V: Clone + Send + Sync + 'static> Rows for $of {
            type Value = V;
            type Fiber<'a>
                = SliceFiber<'a, u32, V>
            where
                Self: 'a;

            fn num_rows(&self) -> usize {
                self.view().num_rows()
            }

            fn num_cols(&self) -> usize {
                self.view().num_cols()
            }

            fn nnz(&self) -> usize {
                self.view().nnz()
            }

            fn row(&self, coord: usize) -> Option<Self::Fiber<'_>> {
                let csr = self.view();
                (coord < csr.num_rows()).then(|| fiber(csr, coord))
            }

            #[inline(always)]
            fn each_ahead<'a>(
                &'a self,
                coords: &[u32],
                soon: impl FnMut(u32, Self::Fiber<'a>),
                visit: impl FnMut(u32, Option<Self::Fiber<'a>>),
            ) {
                let csr = self.view();
                let find = |coords: &[u32], _: &mut [()]| {
                    coords.iter().for_each(|&coord| prefetch_at(csr.offsets(), coord as usize));
                };
                let row = |(), coord: usize| (coord < csr.num_rows()).then(|| fiber(csr, coord));
                let fetch = |(), coord: usize| {
                    if coord < csr.num_rows() {
                        let row = csr.row(coord);
                        prefetch(row.coords);
                        prefetch(row.values);
                    }
                };
                ahead(coords, (), find, fetch, row, soon, visit);
            }

            #[inline]
            fn par_rows<'a, F: Fn(usize, Self::Fiber<'a>) + Sync>(&'a self, visit: F) {
                par_rows(self.view(), visit);
            }

            #[inline]
            fn par_rows_where<'a, W, F>(&'a self, wanted: W, visit: F)
            where
                W: Fn(usize) -> bool + Sync,
                F: Fn(usize, Self::Fiber<'a>) + Sync,
            {
                par_rows_where(self.view(), wanted, visit);
            }

            fn try_rows<'a, B, F>(&'a self, mut visit: F) -> ControlFlow<B>
            where
                F: FnMut(usize, Self::Fiber<'a>) -> ControlFlow<B>,
            {
                let csr = self.view();
                (0..csr.num_rows()).try_for_each(|coord| visit(coord, fiber(csr, coord)))
            }
        }
    )*};
}

static_rows! { CsrView<'_, V>, Csr<V> }

#[inline]
fn par_rows<'a, V: Clone + Send + Sync + 'static>(
    csr: CsrView<'a, V>,
    visit: impl Fn(usize, SliceFiber<'a, u32, V>) + Sync,
) {
    let stretches = csr.split_by_arcs(STRETCHES);
    par_each(stretches.len(), 1, &|k: usize| {
        stretches[k].clone().for_each(|coord| visit(coord, fiber(csr, coord)));
    });
}

#[inline]
fn par_rows_where<'a, V: Clone + Send + Sync + 'static>(
    csr: CsrView<'a, V>,
    wanted: impl Fn(usize) -> bool + Sync,
    visit: impl Fn(usize, SliceFiber<'a, u32, V>) + Sync,
) {
    let (stretches, offsets) = (csr.split_by_arcs(STRETCHES), csr.offsets());
    par_each(stretches.len(), 1, &|k: usize| {
        let Range { start, end } = stretches[k];
        for first in (start..end).step_by(PAGE_ROWS) {
            let wanted = |slot: usize| {
                let coord = (first + slot).min(end - 1);
                (first + slot < end) & (offsets[coord] != offsets[coord + 1]) & wanted(coord)
            };
            let mut mask = RowMask::of(wanted, || u64::MAX);
            while let Some(slot) = mask.next(|slot| prefetch_at(csr.coords(), offsets[first + slot])) {
                visit(first + slot, fiber(csr, first + slot));
            }
        }
    });
}

/// A row of CSR as a fiber.
#[inline(always)]
fn fiber<'a, V: Clone + Send + Sync + 'static>(csr: CsrView<'a, V>, coord: usize) -> SliceFiber<'a, u32, V> {
    let row = csr.row(coord);
    SliceFiber::new(row.coords, row.values)
}

/// Operands that the kernels of `pleach!` take as a matrix by rows: matrices, snapshots, static rows, and a [`Graph`], of which a kernel reads
/// the version that holds every batch applied before the call.
pub trait AsRows {
    /// Value of a nonzero; `()` in a pattern.
    type Value;
    /// The matrix.
    type Rows: Rows<Value = Self::Value>;
    /// A guard that keeps the matrix unchanged while a kernel reads it.
    type Held<'a>: Deref<Target = Self::Rows>
    where
        Self: 'a;

    /// The matrix, unchanged as long as the guard exists.
    fn as_rows(&self) -> Self::Held<'_>;
}

impl<A: Rows> AsRows for A {
    type Value = A::Value;
    type Rows = A;
    type Held<'a>
        = &'a A
    where
        A: 'a;

    #[inline]
    fn as_rows(&self) -> &A {
        self
    }
}

impl<R: Store<Coord = u32, Value: Weight>> AsRows for Graph<R> {
    type Value = R::Value;
    type Rows = Snapshot<R>;
    type Held<'a>
        = HeldSnapshot<R>
    where
        R: 'a;

    fn as_rows(&self) -> HeldSnapshot<R> {
        HeldSnapshot(self.fresh())
    }
}

/// A snapshot that a kernel reads.
pub struct HeldSnapshot<R: Store>(Snapshot<R>);

impl<R: Store> Deref for HeldSnapshot<R> {
    type Target = Snapshot<R>;

    fn deref(&self) -> &Snapshot<R> {
        &self.0
    }
}
