//! The rows of one worker: any matrix of the engine, read through one dynamic call a row.

use std::mem;
use std::ops::ControlFlow;

use pleach::Rows;
use pleach::runtime::{Fiber, first_coords, prefetch_at};

use crate::marks::Marks;

/// The value of an arc as a number.
pub trait Cost: Copy + Send + Sync + 'static {
    /// The number: 1 for an arc without weight.
    fn cost(&self) -> f64;
}

impl Cost for () {
    fn cost(&self) -> f64 {
        1.0
    }
}

impl Cost for f64 {
    fn cost(&self) -> f64 {
        *self
    }
}

/// What is called with the columns of a row, and with the weight of each.
pub type Visit<'v> = &'v mut dyn FnMut(u32, f64);

/// Rows of out-arcs, and of in-arcs if they are kept. Algorithms are compiled once for whatever holds them.
///
/// If in-arcs are not stored by themselves, `incoming` reads out-arcs, which are the same arcs in an undirected graph. For a directed
/// graph, [`Part::has_incoming`](crate::Part::has_incoming) tells whether in-arcs can be read.
pub trait LocalRows {
    /// Whether in-arcs have rows of their own.
    fn has_incoming(&self) -> bool;

    /// Calls `visit` with the columns of a row in pieces.
    fn columns(&self, incoming: bool, row: u32, visit: &mut dyn FnMut(&[u32]));

    /// Calls `visit` with each column of a row and its weight.
    fn arcs(&self, incoming: bool, row: u32, visit: Visit<'_>);

    /// Moves those of `rows` that have a marked column to the end of `near`, and drops those without columns. A row is read up to its first
    /// marked column.
    fn take_near(&self, incoming: bool, rows: &mut Vec<u32>, marks: &Marks, near: &mut Vec<u32>);

    /// Calls `visit` with the sum of `x` over the columns of each of some rows, in their order.
    fn sums(&self, incoming: bool, rows: &[u32], x: &[f64], visit: &mut dyn FnMut(f64));

    /// How long a row is.
    fn degree(&self, incoming: bool, row: u32) -> usize;

    /// Bytes that they take, as far as that is known.
    fn bytes(&self) -> usize;
}

/// Rows by out-arcs, and by in-arcs where these are other rows.
pub struct Sides<R> {
    /// Out-arcs by their source.
    pub out: R,
    /// In-arcs by their target; `None` if every arc leads both ways, or if they are not kept.
    pub incoming: Option<R>,
    /// Bytes that both take.
    pub bytes: usize,
}

/// Columns of a row whose values are prefetched before its turn.
const SOON: usize = 16;

/// The sum of some entries of `x`, in four sums that do not wait for each other.
#[inline(always)]
fn gather(x: &[f64], columns: &[u32]) -> f64 {
    let mut sums = [0.0; 4];
    let mut fours = columns.chunks_exact(4);
    for four in &mut fours {
        for (sum, &column) in sums.iter_mut().zip(four) {
            *sum += x[column as usize];
        }
    }
    let rest = fours.remainder().iter().fold(0.0, |sum, &column| sum + x[column as usize]);
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

impl<R> Sides<R> {
    fn side(&self, incoming: bool) -> &R {
        self.incoming.as_ref().filter(|_| incoming).unwrap_or(&self.out)
    }
}

impl<R: Rows<Value: Cost>> LocalRows for Sides<R> {
    fn has_incoming(&self) -> bool {
        self.incoming.is_some()
    }

    fn columns(&self, incoming: bool, row: u32, visit: &mut dyn FnMut(&[u32])) {
        if let Some(row) = self.side(incoming).row(row as usize) {
            row.fold_storage((), |(), run| visit(run.coords()));
        }
    }

    fn arcs(&self, incoming: bool, row: u32, visit: Visit<'_>) {
        if let Some(row) = self.side(incoming).row(row as usize) {
            row.fold_storage((), |(), run| {
                run.coords().iter().zip(run.values()).for_each(|(&column, value)| visit(column, value.cost()));
            });
        }
    }

    fn take_near(&self, incoming: bool, rows: &mut Vec<u32>, marks: &Marks, near: &mut Vec<u32>) {
        let all = mem::take(rows);
        self.side(incoming).each_ahead(
            &all,
            |_, _| (),
            |row, columns| {
                let Some(columns) = columns else { return };
                let mut is_empty = true;
                let found = columns.try_fold_storage((), |(), run| {
                    is_empty &= run.coords().is_empty();
                    match run.coords().iter().any(|&column| marks.get(column)) {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    }
                });
                match found {
                    ControlFlow::Break(()) => near.push(row),
                    ControlFlow::Continue(()) if is_empty => {}
                    ControlFlow::Continue(()) => rows.push(row),
                }
            },
        );
    }

    fn sums(&self, incoming: bool, rows: &[u32], x: &[f64], visit: &mut dyn FnMut(f64)) {
        self.side(incoming).each_ahead(
            rows,
            |_, columns| first_coords(columns, SOON, |column| prefetch_at(x, column as usize)),
            |_, columns| {
                let sum =
                    columns.map_or(0.0, |columns| columns.fold_storage(0.0, |sum, run| sum + gather(x, run.coords())));
                visit(sum);
            },
        );
    }

    fn degree(&self, incoming: bool, row: u32) -> usize {
        self.side(incoming).row(row as usize).map_or(0, |row| row.len())
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}
