//! Every coordinate from 0 up to the size of the dimension.
//!
//! ```text
//! size 4            parent p, coordinate c   ->   position p * size + c
//!                   p = 1:   4  5  6  7
//! ```

use super::*;
use crate::ir;

/// Every coordinate.
#[derive(Debug)]
pub(super) struct Dense;

impl Level for Dense {
    fn name(&self) -> &str {
        "dense"
    }

    fn summary(&self) -> &str {
        "Every coordinate from 0 to the extent; nothing is stored but the extent."
    }

    fn properties(&self, _: &Switches) -> Properties {
        Properties { full: true, ordered: true, unique: true, branchless: false, compact: true, zeroless: false }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { value_iteration: true, locate: true, insert: true, ..Capabilities::default() }
    }

    fn walk(&self, spot: &Spot<'_>) -> Walk {
        let (parent, extent) = (spot.parent.clone(), spot.extent.clone());
        Walk::Interval {
            lo: ir::usize(0),
            hi: spot.extent.clone(),
            position: Box::new(move |c| parent.clone() * extent.clone() + c),
        }
    }

    fn locate(&self, spot: &Spot<'_>, coordinate: Expr, _: &mut Vars) -> Option<Located> {
        let position = spot.parent.clone() * spot.extent.clone() + coordinate;
        Some(Located::At { setup: Block::new(), found: None, position })
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

    fn children(&self, _: &Packed, p: &Packing<'_>, parent: usize, _: &[usize]) -> Vec<(usize, usize)> {
        (0..p.extent).map(|c| (c, parent * p.extent + c)).collect()
    }
}

impl Insertion for Dense {
    fn size(&self, level: &Made) -> Expr {
        level.parents.clone() * level.extent.clone()
    }

    fn position(&self, _: &mut Vars, level: &Made, parent: Expr, coordinate: Expr) -> (Block, Expr) {
        (Block::new(), insert::strided(level, level.extent.clone(), parent, coordinate))
    }
}
