//! A table of an outer level's rows, for kernels that look up most rows one by one.

use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::{Outer, PAGE_ROWS, Page, RowGroup, Store};

/// The rows of an outer level by their coordinates.
///
/// Finding a row in an outer level is a dynamic call and a walk down its directories, or down a tree of rows. Here it takes one
/// load more than where rows lie side by side.
///
/// ```text
///   Pages   [page of rows 0..64][page of rows 64..128] …        dense, paged
///   Rows    [row 0][row 1][row 2] …                             stores of row handles
/// ```
pub struct Places<'a, R: Store>(Kind<'a, R>);

enum Kind<'a, R: Store> {
    /// The pages in order; `None` where all rows are empty.
    Pages(Vec<Option<&'a R::Page>>),
    /// The rows: null where there is none, otherwise made from a reference that lives for `'a`.
    Rows(Vec<AtomicPtr<R>>, PhantomData<&'a R>),
}

impl<'a, R: Store> Places<'a, R> {
    /// Of the rows below `num_rows`. Linear in the pages, or in the rows where they lie in no pages; the latter in parallel.
    pub fn of(outer: &'a dyn Outer<R>, num_rows: usize) -> Self {
        let mut pages = Vec::new();
        let mut gathered = false;
        let _ = outer.batches(&mut |batch| match batch {
            RowGroup::Page { first_row, page, .. } if first_row < num_rows => {
                pages.resize(first_row / PAGE_ROWS, None);
                pages.push(Some(page));
                ControlFlow::Continue(())
            }
            RowGroup::Page { .. } => ControlFlow::Break(()),
            RowGroup::Rows(_) => {
                gathered = true;
                ControlFlow::Break(())
            }
        });
        if !gathered {
            return Places(Kind::Pages(pages));
        }
        let rows: Vec<AtomicPtr<R>> = (0..num_rows).map(|_| AtomicPtr::default()).collect();
        outer.par_batches(&|batch: RowGroup<'_, 'a, R>| {
            if let RowGroup::Rows(some) = batch {
                for &(coord, row) in some {
                    if let Some(place) = rows.get(coord) {
                        place.store(std::ptr::from_ref(row).cast_mut(), Ordering::Relaxed);
                    }
                }
            }
        });
        Places(Kind::Rows(rows, PhantomData))
    }

    /// The row at a coordinate, `None` if it is beyond the rows or there is none.
    #[inline(always)]
    pub fn row(&self, coord: usize) -> Option<R::Fiber<'a>> {
        match &self.0 {
            Kind::Pages(pages) => {
                let page = (*pages.get(coord / PAGE_ROWS)?)?;
                Some(page.row(coord % PAGE_ROWS))
            }
            Kind::Rows(rows, _) => {
                let row = rows.get(coord)?.load(Ordering::Relaxed);
                // SAFETY: null, or made by `of` from a reference that lives for `'a`; nothing is written through it.
                unsafe { row.as_ref::<'a>() }.map(R::fiber)
            }
        }
    }
}
