//! Every coordinate from 0 up to the size of the dimension.
//!
//! ```text
//! size 4            parent p, coordinate c   ->   position p * size + c
//!                   p = 1:   4  5  6  7
//! ```

use super::*;

/// Every coordinate.
#[derive(Debug)]
pub(super) struct Dense;

impl Level for Dense {
    fn name(&self) -> &str {
        "dense"
    }

    fn properties(&self, _: &Switches) -> Properties {
        Properties { full: true, ordered: true, unique: true, branchless: false, compact: true, zeroless: false }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { value_iteration: true, locate: true, insert: true, ..Capabilities::default() }
    }
}
