//! Those coordinates of a dimension that occur anywhere, the same for each parent.
//!
//! ```text
//! crd -2 0 1        parent p   ->   positions p * 3 .. (p + 1) * 3
//!                   position q ->   coordinate crd[q % 3]
//! ```
//!
//! Coordinates that can be negative are stored from their lower bound on.

use super::*;
use crate::ir::{self, Literal, Scalar, Type};

/// The coordinates that occur anywhere.
#[derive(Debug)]
pub(super) struct Squeezed;

impl Level for Squeezed {
    fn name(&self) -> &str {
        "squeezed"
    }

    fn summary(&self) -> &str {
        "The coordinates that occur under any parent, stored once: the diagonals of DIA."
    }

    fn is_structured(&self) -> bool {
        true
    }

    fn properties(&self, _: &Switches) -> Properties {
        Properties { full: false, ordered: true, unique: true, branchless: false, compact: true, zeroless: false }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { position_iteration: true, ..Capabilities::default() }
    }

    fn fields(&self, _: &Switches) -> Vec<(&'static str, FieldKind)> {
        vec![("crd", FieldKind::Coordinates)]
    }

    fn walk(&self, spot: &Spot<'_>) -> Walk {
        let crd = spot.field("crd");
        let lo = spot.parent.clone() * ir::len(crd);
        let first = lo.clone();
        Walk::Positions {
            hi: lo.clone() + ir::len(crd),
            lo,
            coordinate: Box::new(move |p| ir::load(crd, p - first.clone()).cast(Scalar::Usize)),
            present: None,
        }
    }

    fn stored(&self, tally: &Tally) -> u128 {
        tally.parents * tally.own
    }

    fn workspace(&self, tally: &Tally) -> u128 {
        // Where each coordinate lies among those that are kept.
        tally.extent
    }

    fn insertion(&self) -> Option<&dyn Insertion> {
        Some(self)
    }

    fn pack(&self, p: &Packing<'_>) -> Packed {
        let mut crd: Vec<u32> = p.entries.iter().map(|entry| entry.1 as u32).collect();
        crd.sort_unstable();
        crd.dedup();
        let rank = |c: usize| crd.binary_search(&(c as u32)).expect("every coordinate is kept");
        let at = p.entries.iter().map(|&(parent, c)| parent * crd.len() + rank(c)).collect();
        Packed { at, count: p.parents * crd.len(), coordinates: [("crd", crd)].into(), ..Packed::default() }
    }

    fn children(&self, packed: &Packed, _: &Packing<'_>, parent: usize, _: &[usize]) -> Vec<(usize, usize)> {
        let crd = &packed.coordinates["crd"];
        crd.iter().enumerate().map(|(n, &c)| (c as usize, parent * crd.len() + n)).collect()
    }
}

impl Insertion for Squeezed {
    fn questions(&self, _: &Switches) -> Vec<Question> {
        vec![Question { by: By::Own, what: Statistic::Id, label: "nz", kept: Kept::Array("rank", 0) }]
    }

    fn begin(&self, m: &mut Making<'_>) {
        // A matrix has many more diagonals than hold an entry: half the width, half the memory that is cleared and searched.
        m.array("rank", Scalar::U32, m.level.extent.clone(), Literal::U32(0).into());
    }

    fn init_coordinates(&self, m: &mut Making<'_>) {
        let rank = m.level.var("rank");
        let crd = m.vars.fresh(format!("{}_crd", m.level.prefix), Type::vec(Scalar::U32));
        m.level.held.insert("crd", crd);
        m.block.push(Stmt::NewVec { var: crd, capacity: None });
        let c = m.vars.fresh("c", Scalar::Usize);
        let number = ir::len(crd).cast(Scalar::U32);
        let keep = vec![Stmt::Store(rank, c.into(), number), Stmt::Push(crd, Expr::Var(c).cast(Scalar::U32))];
        let keep = Stmt::when(ir::load(rank, c).greater(Literal::U32(0)), keep);
        m.block.push(Stmt::count(c, ir::usize(0), m.level.extent.clone(), keep));
    }

    fn size(&self, level: &Made) -> Expr {
        level.parents.clone() * ir::len(level.var("crd"))
    }

    fn position(&self, _: &mut Vars, level: &Made, parent: Expr, coordinate: Expr) -> (Block, Expr) {
        let rank = ir::load(level.var("rank"), coordinate).cast(Scalar::Usize);
        (Block::new(), insert::strided(level, ir::len(level.var("crd")), parent, rank))
    }
}
