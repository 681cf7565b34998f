//! As many slices as the entries need: the first entry of each row, the second one of each, and so on.
//!
//! ```text
//! size 3            parent p, slice k   ->   position p * size + k
//! ```

use super::*;
use crate::ir;

/// As many slices as the entries need.
#[derive(Debug)]
pub(super) struct Sliced;

impl Level for Sliced {
    fn name(&self) -> &str {
        "sliced"
    }

    fn summary(&self) -> &str {
        "As many slots as the fullest parent needs, numbered from 0: the columns of ELL."
    }

    fn is_structured(&self) -> bool {
        true
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

    fn fields(&self, _: &Switches) -> Vec<(&'static str, FieldKind)> {
        vec![("slices", FieldKind::Size)]
    }

    fn walk(&self, spot: &Spot<'_>) -> Walk {
        let (parent, slices) = (spot.parent.clone(), spot.field("slices"));
        Walk::Interval {
            lo: ir::usize(0),
            hi: slices.into(),
            position: Box::new(move |c| parent.clone() * Expr::Var(slices) + c),
        }
    }

    fn locate(&self, spot: &Spot<'_>, coordinate: Expr, _: &mut Vars) -> Option<Located> {
        let position = spot.parent.clone() * Expr::Var(spot.field("slices")) + coordinate;
        Some(Located::At { setup: Block::new(), found: None, position })
    }

    fn stored(&self, tally: &Tally) -> u128 {
        tally.parents.saturating_mul(tally.most)
    }

    fn insertion(&self) -> Option<&dyn Insertion> {
        Some(self)
    }

    fn pack(&self, p: &Packing<'_>) -> Packed {
        let slices = p.entries.iter().map(|entry| entry.1 + 1).max().unwrap_or(0);
        let at = p.entries.iter().map(|(parent, c)| parent * slices + c).collect();
        Packed { sizes: [("slices", slices)].into(), at, count: p.parents * slices, ..Packed::default() }
    }

    fn children(&self, packed: &Packed, _: &Packing<'_>, parent: usize, _: &[usize]) -> Vec<(usize, usize)> {
        let slices = packed.sizes["slices"];
        (0..slices).map(|k| (k, parent * slices + k)).collect()
    }
}

impl Insertion for Sliced {
    fn questions(&self, _: &Switches) -> Vec<Question> {
        vec![Question { by: By::Nothing, what: Statistic::Max, label: "slices", kept: Kept::Number("slices") }]
    }

    fn begin(&self, m: &mut Making<'_>) {
        m.number("slices", ir::usize(0));
    }

    fn size(&self, level: &Made) -> Expr {
        level.parents.clone() * Expr::Var(level.var("slices"))
    }

    fn position(&self, _: &mut Vars, level: &Made, parent: Expr, coordinate: Expr) -> (Block, Expr) {
        (Block::new(), insert::strided(level, level.var("slices").into(), parent, coordinate))
    }
}
