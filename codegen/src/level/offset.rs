//! One coordinate for each parent, which follows from those above: the column of a diagonal's row.
//!
//! ```text
//! k = j - i and i above, j here:   parent p   ->   position p, coordinate k + i
//! ```

use super::*;

/// One coordinate that follows from those above.
#[derive(Debug)]
pub(super) struct Offset;

impl Level for Offset {
    fn name(&self) -> &str {
        "offset"
    }

    fn properties(&self, _: &Switches) -> Properties {
        Properties { full: false, ordered: true, unique: true, branchless: true, compact: false, zeroless: false }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { position_iteration: true, ..Capabilities::default() }
    }

    fn fits(&self, place: &Place<'_>) -> Result<(), String> {
        let needs = "an offset follows from a difference and the other index above, as in `(j - i): squeezed, i: range, j: offset`";
        match &place.coordinates[place.at] {
            Coordinate::Index(m) => {
                let other = difference_above(place, *m).ok_or(needs)?;
                let kept = place.coordinates[..place.at].contains(&Coordinate::Index(other));
                if kept { Ok(()) } else { Err(needs.into()) }
            }
            _ => Err(needs.into()),
        }
    }
}
