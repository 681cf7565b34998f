//! As many slices as the entries need: the first entry of each row, the second one of each, and so on.
//!
//! ```text
//! size 3            parent p, slice k   ->   position p * size + k
//! ```

use super::*;

/// As many slices as the entries need.
#[derive(Debug)]
pub(super) struct Sliced;

impl Level for Sliced {
    fn name(&self) -> &str {
        "sliced"
    }

    fn properties(&self, _: &Switches) -> Properties {
        Properties { full: true, ordered: true, unique: true, branchless: false, compact: true, zeroless: false }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { value_iteration: true, locate: true, ..Capabilities::default() }
    }

    fn fits(&self, place: &Place<'_>) -> Result<(), String> {
        match place.coordinates[place.at] {
            Coordinate::Counter(_) => Ok(()),
            _ => {
                Err("slices are counted: its coordinate is a counter such as `#i`; `dense` keeps other coordinates"
                    .into())
            }
        }
    }
}
