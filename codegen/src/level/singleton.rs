//! One coordinate for each parent.
//!
//! ```text
//! crd 1 3 0 2 3                  parent p   ->   position p, coordinate crd[p]
//!
//! interleaved with the level above, which keeps coordinate 2q at position q:
//! crd 0 1  0 3  2 0  2 2  2 3    parent p   ->   coordinate crd[2p + 1]
//! ```
//!
//! Padded, a position whose coordinate is the gap mark keeps no entry.

use super::*;
use crate::ir::{self, Scalar};

/// One coordinate for each parent.
#[derive(Debug)]
pub(super) struct Singleton;

impl Level for Singleton {
    fn name(&self) -> &str {
        "singleton"
    }

    fn summary(&self) -> &str {
        "One coordinate for each parent, as the column indices of COO."
    }

    fn switches(&self) -> &[Switch] {
        &[Switch::Order, Switch::Uniqueness, Switch::Interleaving, Switch::Padding]
    }

    fn is_structured(&self) -> bool {
        true
    }

    fn properties(&self, switches: &Switches) -> Properties {
        Properties {
            full: false,
            ordered: switches.ordered.unwrap_or(true),
            unique: switches.unique.unwrap_or(true),
            branchless: true,
            compact: !switches.padded,
            zeroless: true,
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { position_iteration: true, append: true, ..Capabilities::default() }
    }

    fn fits(&self, place: &Place<'_>) -> Result<(), String> {
        if place.at == 0 {
            return Err(
                "a singleton keeps one coordinate for each entry of the level above, and there is none above".into()
            );
        }
        Ok(())
    }

    fn fields(&self, _: &Switches) -> Vec<(&'static str, FieldKind)> {
        vec![("crd", FieldKind::Coordinates)]
    }

    fn walk(&self, spot: &Spot<'_>) -> Walk {
        let stored = ir::load(spot.field("crd"), spot.parent.clone());
        let gap = ir::lit(ir::Literal::U32(GAP));
        Walk::One {
            position: spot.parent.clone(),
            present: spot.switches.padded.then(|| stored.clone().not_equal(gap)),
            coordinate: stored.cast(Scalar::Usize),
        }
    }

    fn insertion(&self) -> Option<&dyn Insertion> {
        Some(self)
    }

    fn pack(&self, p: &Packing<'_>) -> Packed {
        let mut crd = vec![GAP; p.parents];
        for &(parent, c) in p.entries {
            crd[parent] = c as u32;
        }
        let at = p.entries.iter().map(|entry| entry.0).collect();
        Packed { coordinates: [("crd", crd)].into(), at, count: p.parents, ..Packed::default() }
    }

    fn children(&self, packed: &Packed, _: &Packing<'_>, parent: usize, _: &[usize]) -> Vec<(usize, usize)> {
        let c = packed.coordinates["crd"][parent];
        if c == GAP { Vec::new() } else { vec![(c as usize, parent)] }
    }
}

impl Insertion for Singleton {
    fn init_coordinates(&self, m: &mut Making<'_>) {
        m.array("crd", Scalar::U32, m.level.parents.clone(), ir::lit(ir::Literal::U32(GAP)));
    }

    fn size(&self, level: &Made) -> Expr {
        level.parents.clone()
    }

    fn position(&self, _: &mut Vars, _: &Made, parent: Expr, _: Expr) -> (Block, Expr) {
        (Block::new(), parent)
    }

    fn insert(&self, level: &Made, position: Expr, coordinate: Expr) -> Block {
        Stmt::Store(level.var("crd"), position, coordinate.cast(Scalar::U32)).into()
    }
}
