//! An interval that follows from a difference kept above: the rows of a diagonal.
//!
//! ```text
//! k = j - i above, i here, shape (4, 6):   i runs from max(0, -k) up to min(4, 6 - k)
//!                                          parent p, coordinate i   ->   position p * 4 + i
//! ```

use super::*;

/// An interval that follows from a difference kept above.
#[derive(Debug)]
pub(super) struct Range;

impl Level for Range {
    fn name(&self) -> &str {
        "range"
    }

    fn properties(&self, _: &Switches) -> Properties {
        Properties { full: false, ordered: true, unique: true, branchless: false, compact: false, zeroless: false }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { value_iteration: true, ..Capabilities::default() }
    }

    fn fits(&self, place: &Place<'_>) -> Result<(), String> {
        match &place.coordinates[place.at] {
            Coordinate::Index(m) if difference_above(place, *m).is_some() => Ok(()),
            _ => {
                Err("a range follows from a difference kept by a level above, as in `(j - i): squeezed, i: range`"
                    .into())
            }
        }
    }
}
