//! The coordinates of each parent in a hash table of a fixed width.
//!
//! ```text
//! width 6   crd  -  7  -  3  -  5      parent p               ->   positions p * width .. (p + 1) * width
//!                                      coordinate c is sought from p * width + c % width on, up to a gap
//! ```

use super::*;

/// A hash table for each parent.
#[derive(Debug)]
pub(super) struct Hashed;

impl Level for Hashed {
    fn name(&self) -> &str {
        "hashed"
    }

    fn properties(&self, _: &Switches) -> Properties {
        Properties { full: false, ordered: false, unique: true, branchless: false, compact: false, zeroless: true }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { position_iteration: true, locate: true, insert: true, ..Capabilities::default() }
    }
}
