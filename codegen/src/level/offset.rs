//! One coordinate for each parent, which follows from those above: the column of a diagonal's row.
//!
//! ```text
//! k = j - i and i above, j here:   parent p   ->   position p, coordinate k + i
//! ```

use super::*;
use crate::ir;

/// One coordinate that follows from those above.
#[derive(Debug)]
pub(super) struct Offset;

impl Level for Offset {
    fn name(&self) -> &str {
        "offset"
    }

    fn summary(&self) -> &str {
        "One coordinate for each parent, computed from the two levels above: the column from the row and the diagonal."
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

    fn walk(&self, spot: &Spot<'_>) -> Walk {
        let position = spot.parent.clone();
        let Some(d) = Diagonal::above(&spot.place) else {
            return Walk::One { position, coordinate: ir::usize(0), present: None };
        };
        let at = spot.place.coordinates[..spot.place.at].iter().position(|c| *c == Coordinate::Index(d.other));
        let at = at.unwrap_or(0);
        let (k, other) = (spot.above[d.level].clone(), spot.above[at].clone());
        let last = |n: &Expr| n.clone().max(ir::usize(1)) - ir::usize(1);
        // The coordinate is what is counted less what is taken off.
        let (counted, off) =
            if d.adds { (other + k, last(&spot.shape[d.other])) } else { (other + last(&spot.shape[d.mine]), k) };
        // A level above that has a position for every coordinate leads out of the tensor at the ends of a diagonal.
        let present = (!spot.place.above[at].keeps_within_diagonals()).then(|| {
            let end = off.clone() + spot.shape[d.mine].clone();
            counted.clone().greater_equal(off.clone()).and(counted.clone().less(end))
        });
        Walk::One { position, coordinate: counted - off, present }
    }

    fn insertion(&self) -> Option<&dyn Insertion> {
        Some(self)
    }

    fn pack(&self, p: &Packing<'_>) -> Packed {
        Packed { at: p.entries.iter().map(|entry| entry.0).collect(), count: p.parents, ..Packed::default() }
    }

    fn children(&self, _: &Packed, p: &Packing<'_>, parent: usize, above: &[usize]) -> Vec<(usize, usize)> {
        let Some(d) = Diagonal::above(&p.place) else { return Vec::new() };
        let at = p.place.coordinates[..p.place.at].iter().position(|c| *c == Coordinate::Index(d.other));
        let other = at.map_or(0, |at| above[at]);
        let turned = Diagonal { mine: d.other, other: d.mine, adds: !d.adds, ..d };
        turned.opposite(other, above[d.level], p.shape).map(|c| (c, parent)).into_iter().collect()
    }
}

impl Insertion for Offset {
    fn size(&self, level: &Made) -> Expr {
        level.parents.clone()
    }

    fn position(&self, _: &mut Vars, _: &Made, parent: Expr, _: Expr) -> (Block, Expr) {
        (Block::new(), parent)
    }
}
