//! The rows of one worker: any matrix of the engine, read through one dynamic call a row.

use pleach::Rows;
use pleach::runtime::Fiber;

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
pub trait LocalRows {
    /// Calls `visit` with the columns of a row in pieces.
    fn columns(&self, incoming: bool, row: u32, visit: &mut dyn FnMut(&[u32]));

    /// Calls `visit` with each column of a row and its weight.
    fn arcs(&self, incoming: bool, row: u32, visit: Visit<'_>);

    /// How long a row is.
    fn degree(&self, incoming: bool, row: u32) -> usize;

    /// Bytes that they take, as far as that is known.
    fn bytes(&self) -> usize;
}

/// Rows by out-arcs, and by in-arcs where these are other rows.
pub struct Sides<R> {
    /// Out-arcs by their source.
    pub out: R,
    /// In-arcs by their target; `None` if every arc leads both ways.
    pub incoming: Option<R>,
    /// Bytes that both take.
    pub bytes: usize,
}

impl<R> Sides<R> {
    fn side(&self, incoming: bool) -> &R {
        self.incoming.as_ref().filter(|_| incoming).unwrap_or(&self.out)
    }
}

impl<R: Rows<Value: Cost>> LocalRows for Sides<R> {
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

    fn degree(&self, incoming: bool, row: u32) -> usize {
        self.side(incoming).row(row as usize).map_or(0, |row| row.len())
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}
