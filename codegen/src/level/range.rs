//! An interval that follows from a difference kept above: the rows of a diagonal.
//!
//! ```text
//! k = j - i above, i here, shape (4, 6):   i runs from max(0, -k) up to min(4, 6 - k)
//!                                          parent p, coordinate i   ->   position p * 4 + i
//! ```

use super::*;
use crate::ir;

/// An interval that follows from a difference kept above.
#[derive(Debug)]
pub(super) struct Range;

impl Level for Range {
    fn name(&self) -> &str {
        "range"
    }

    fn summary(&self) -> &str {
        "The coordinates of a contiguous range that follows from the level above, as the rows of a diagonal."
    }

    fn properties(&self, _: &Switches) -> Properties {
        Properties { full: false, ordered: true, unique: true, branchless: false, compact: false, zeroless: false }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { value_iteration: true, ..Capabilities::default() }
    }

    fn keeps_within_diagonals(&self) -> bool {
        true
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

    fn walk(&self, spot: &Spot<'_>) -> Walk {
        let (parent, extent) = (spot.parent.clone(), spot.extent.clone());
        let (lo, hi) = match Diagonal::above(&spot.place) {
            Some(d) => {
                let (mine, other, k) =
                    (spot.shape[d.mine].clone(), spot.shape[d.other].clone(), spot.above[d.level].clone());
                let last = |n: &Expr| n.clone().max(ir::usize(1)) - ir::usize(1);
                if d.adds {
                    // mine = other + k - (others - 1)
                    let shift = last(&other);
                    (k.clone().max(shift.clone()) - shift, mine.min(k + ir::usize(1)))
                } else {
                    // mine = other - k + (mines - 1)
                    let shift = last(&mine);
                    (shift.clone().max(k.clone()) - k.clone(), mine.min((other + shift).max(k.clone()) - k))
                }
            }
            None => (ir::usize(0), spot.extent.clone()),
        };
        Walk::Interval { lo, hi, position: Box::new(move |c| parent.clone() * extent.clone() + c) }
    }

    fn stored(&self, tally: &Tally) -> u128 {
        tally.parents.saturating_mul(tally.extent)
    }

    fn insertion(&self) -> Option<&dyn Insertion> {
        Some(self)
    }

    fn pack(&self, p: &Packing<'_>) -> Packed {
        let at = p.entries.iter().map(|(parent, c)| parent * p.extent + c).collect();
        Packed { at, count: p.parents * p.extent, ..Packed::default() }
    }

    fn children(&self, _: &Packed, p: &Packing<'_>, parent: usize, above: &[usize]) -> Vec<(usize, usize)> {
        let Some(d) = Diagonal::above(&p.place) else { return Vec::new() };
        (0..p.extent)
            .filter(|&c| d.opposite(c, above[d.level], p.shape).is_some())
            .map(|c| (c, parent * p.extent + c))
            .collect()
    }
}

impl Insertion for Range {
    fn size(&self, level: &Made) -> Expr {
        level.parents.clone() * level.extent.clone()
    }

    fn position(&self, _: &mut Vars, level: &Made, parent: Expr, coordinate: Expr) -> (Block, Expr) {
        (Block::new(), insert::strided(level, level.extent.clone(), parent, coordinate))
    }
}
