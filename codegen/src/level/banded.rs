//! One interval of coordinates for each parent, everything in it stored.
//!
//! ```text
//! first 0 1 1       parent p                 ->   coordinates first[p] .. first[p] + (pos[p + 1] - pos[p])
//! pos   0 1 1 3     parent p, coordinate c   ->   position pos[p] + (c - first[p])
//! ```

use super::*;
use crate::ir::{self, Scalar};

/// One interval for each parent.
#[derive(Debug)]
pub(super) struct Banded;

impl Level for Banded {
    fn name(&self) -> &str {
        "banded"
    }

    fn summary(&self) -> &str {
        "One interval of coordinates for each parent, all of them stored: the rows of a skyline matrix."
    }

    fn is_structured(&self) -> bool {
        true
    }

    fn properties(&self, _: &Switches) -> Properties {
        Properties { full: false, ordered: true, unique: true, branchless: false, compact: true, zeroless: false }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { value_iteration: true, locate: true, ..Capabilities::default() }
    }

    fn fields(&self, _: &Switches) -> Vec<(&'static str, FieldKind)> {
        vec![("pos", FieldKind::Positions), ("first", FieldKind::Coordinates)]
    }

    fn walk(&self, spot: &Spot<'_>) -> Walk {
        let (pos, parent) = (spot.field("pos"), spot.parent.clone());
        let first = ir::load(spot.field("first"), parent.clone()).cast(Scalar::Usize);
        let length = ir::load(pos, parent.clone() + ir::usize(1)) - ir::load(pos, parent.clone());
        Walk::Interval {
            lo: first.clone(),
            hi: first.clone() + length,
            position: Box::new(move |c| ir::load(pos, parent.clone()) + (c - first.clone())),
        }
    }

    fn locate(&self, spot: &Spot<'_>, coordinate: Expr, vars: &mut Vars) -> Option<Located> {
        let pos = spot.field("pos");
        let first = vars.fresh("first", Scalar::Usize);
        let length = vars.fresh("length", Scalar::Usize);
        let begin = ir::load(pos, spot.parent.clone());
        let setup = vec![
            Stmt::Let(first, ir::load(spot.field("first"), spot.parent.clone()).cast(Scalar::Usize)),
            Stmt::Let(length, ir::load(pos, spot.parent.clone() + ir::usize(1)) - begin.clone()),
        ];
        let inside = coordinate.clone().greater_equal(first).and(coordinate.clone().less(Expr::Var(first) + length));
        // Computed only where it is inside; elsewhere the coordinate may be smaller.
        let position = inside.clone().select(begin + (coordinate.max(first) - first), ir::usize(0));
        Some(Located::At { setup: setup.into(), found: Some(inside), position })
    }

    fn stored(&self, tally: &Tally) -> u128 {
        tally.bands
    }

    fn insertion(&self) -> Option<&dyn Insertion> {
        Some(self)
    }

    fn pack(&self, p: &Packing<'_>) -> Packed {
        let mut bands: Vec<Option<(usize, usize)>> = vec![None; p.parents];
        for &(parent, c) in p.entries {
            let (lo, hi) = bands[parent].unwrap_or((c, c));
            bands[parent] = Some((lo.min(c), hi.max(c)));
        }
        let mut pos = vec![0];
        for band in &bands {
            pos.push(pos[pos.len() - 1] + band.map_or(0, |(lo, hi)| hi - lo + 1));
        }
        let lows: Vec<usize> = bands.iter().map(|band| band.map_or(0, |(lo, _)| lo)).collect();
        let at = p.entries.iter().map(|&(parent, c)| pos[parent] + c - lows[parent]).collect();
        let first = lows.iter().map(|&lo| lo as u32).collect();
        let count = pos[p.parents];
        Packed {
            positions: [("pos", pos)].into(),
            coordinates: [("first", first)].into(),
            at,
            count,
            ..Packed::default()
        }
    }

    fn children(&self, packed: &Packed, _: &Packing<'_>, parent: usize, _: &[usize]) -> Vec<(usize, usize)> {
        let (pos, first) = (&packed.positions["pos"], packed.coordinates["first"][parent] as usize);
        (pos[parent]..pos[parent + 1]).enumerate().map(|(n, q)| (first + n, q)).collect()
    }
}

impl Insertion for Banded {
    fn questions(&self, _: &Switches) -> Vec<Question> {
        vec![
            Question { by: By::Parent, what: Statistic::Min, label: "lo", kept: Kept::Array("first", 0) },
            Question { by: By::Parent, what: Statistic::Max, label: "hi", kept: Kept::Array("pos", 1) },
        ]
    }

    fn begin(&self, m: &mut Making<'_>) {
        m.array("pos", Scalar::Usize, m.level.parents.clone() + ir::usize(1), ir::usize(0));
        m.array("first", Scalar::U32, m.level.parents.clone(), ir::lit(ir::Literal::U32(0)));
    }

    fn finish_edges(&self, m: &mut Making<'_>) {
        let lo = m.vars.fresh("lo", Scalar::Usize);
        m.each_parent(|level, p| {
            let (pos, first) = (level.var("pos"), level.var("first"));
            let end = Expr::Var(p) + ir::usize(1);
            let band = vec![
                Stmt::Let(lo, level.extent.clone() - ir::load(first, p).cast(Scalar::Usize)),
                Stmt::Store(first, p.into(), Expr::Var(lo).cast(Scalar::U32)),
                Stmt::Store(pos, end.clone(), ir::load(pos, end.clone()) - Expr::Var(lo)),
            ];
            Stmt::when(ir::load(pos, end).greater(ir::usize(0)), band).into()
        });
        m.block.push(Stmt::PrefixSum(m.level.var("pos")));
    }

    fn size(&self, level: &Made) -> Expr {
        ir::load(level.var("pos"), level.parents.clone())
    }

    fn position(&self, _: &mut Vars, level: &Made, parent: Expr, coordinate: Expr) -> (Block, Expr) {
        let first = ir::load(level.var("first"), parent.clone()).cast(Scalar::Usize);
        (Block::new(), ir::load(level.var("pos"), parent) + (coordinate - first))
    }
}
