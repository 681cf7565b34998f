//! Files that the first reader reads sequentially, in blocks.

use std::fmt::Debug;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::symmetry::Symmetry;
use crate::error::Error;

/// About how many arcs a block has.
pub(crate) const BLOCK: usize = 1 << 16;

/// A file that can be read in blocks, several times.
pub(crate) trait InSteps: Debug + Send + Sync {
    /// Starts to read it from the beginning.
    fn begin(&self) -> Result<Box<dyn Steps>, Error>;
}

/// A file that is being read in blocks.
pub(crate) trait Steps: Send {
    /// Calls `each` with source, target and weight (1 if there are none) of the arcs of the next block. Returns whether there was a block.
    fn next(&mut self, each: &mut dyn FnMut(u64, u64, f64)) -> Result<bool, Error>;
}

/// A matrix that is read in blocks.
pub(crate) struct Matrix {
    pub(crate) steps: Arc<dyn InSteps>,
    /// Its vertices, by their ids.
    pub(crate) vertices: Range<u64>,
    pub(crate) weighted: bool,
    pub(crate) symmetry: Symmetry,
}

/// Refuses a matrix that has not as many rows as columns.
pub(crate) fn check_square(path: &Path, rows: u64, cols: u64) -> Result<(), Error> {
    match rows == cols {
        true => Ok(()),
        false => Err(Error::NotSquare { path: path.to_owned(), rows, cols }),
    }
}
