//! Those coordinates of a dimension that occur anywhere, the same for each parent.
//!
//! ```text
//! crd -2 0 1        parent p   ->   positions p * 3 .. (p + 1) * 3
//!                   position q ->   coordinate crd[q % 3]
//! ```
//!
//! Coordinates that can be negative are stored from their lower bound on.

use super::*;

/// The coordinates that occur anywhere.
#[derive(Debug)]
pub(super) struct Squeezed;

impl Level for Squeezed {
    fn name(&self) -> &str {
        "squeezed"
    }

    fn properties(&self, _: &Switches) -> Properties {
        Properties { full: false, ordered: true, unique: true, branchless: false, compact: true, zeroless: false }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { position_iteration: true, ..Capabilities::default() }
    }
}
