//! The coordinates of each parent in a segment of one array.
//!
//! ```text
//! pos 0 2 2 5       parent p   ->   positions pos[p] .. pos[p + 1]
//! crd 1 3 0 2 3     position q ->   coordinate crd[q]
//! ```

use super::*;

/// Segments of an array of coordinates.
#[derive(Debug)]
pub(super) struct Compressed;

impl Level for Compressed {
    fn name(&self) -> &str {
        "compressed"
    }

    fn switches(&self) -> &[Switch] {
        &[Switch::Order, Switch::Uniqueness]
    }

    fn properties(&self, switches: &Switches) -> Properties {
        Properties {
            full: false,
            ordered: switches.ordered.unwrap_or(true),
            unique: switches.unique.unwrap_or(true),
            branchless: false,
            compact: true,
            zeroless: true,
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { position_iteration: true, append: true, ..Capabilities::default() }
    }
}
