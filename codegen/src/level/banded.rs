//! One interval of coordinates for each parent, everything in it stored.
//!
//! ```text
//! first 0 1 1       parent p                 ->   coordinates first[p] .. first[p] + (pos[p + 1] - pos[p])
//! pos   0 1 1 3     parent p, coordinate c   ->   position pos[p] + (c - first[p])
//! ```

use super::*;

/// One interval for each parent.
#[derive(Debug)]
pub(super) struct Banded;

impl Level for Banded {
    fn name(&self) -> &str {
        "banded"
    }

    fn properties(&self, _: &Switches) -> Properties {
        Properties { full: false, ordered: true, unique: true, branchless: false, compact: true, zeroless: false }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { value_iteration: true, locate: true, ..Capabilities::default() }
    }
}
