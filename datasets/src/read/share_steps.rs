//! Files that the first reader reads from their beginning to their end, and hands out a block after the other.

use std::fmt::Debug;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::symmetry::Symmetry;
use crate::error::Error;

/// Arcs of a block, about.
pub(crate) const BLOCK: usize = 1 << 16;

/// A file that can be read in blocks, as often as one likes.
pub(crate) trait InSteps: Debug + Send + Sync {
    /// Begins to read it.
    fn begin(&self) -> Result<Box<dyn Steps>, Error>;
}

/// A file that is being read in blocks.
pub(crate) trait Steps: Send {
    /// Calls `each` with source, target and weight (1 without) of the arcs of the next block. Whether there was one.
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

/// Refuses a matrix that is no graph's.
pub(crate) fn check_square(path: &Path, rows: u64, cols: u64) -> Result<(), Error> {
    match rows == cols {
        true => Ok(()),
        false => Err(Error::NotSquare { path: path.to_owned(), rows, cols }),
    }
}
