//! The coordinates of each parent in a hash table of a fixed width.
//!
//! ```text
//! width 6   crd  -  7  -  3  -  5      parent p               ->   positions p * width .. (p + 1) * width
//!                                      coordinate c is sought from p * width + c % width on, up to a gap
//! ```

use super::*;
use crate::ir::{self, Reduce, Scalar};

/// A hash table for each parent.
#[derive(Debug)]
pub(super) struct Hashed;

impl Level for Hashed {
    fn name(&self) -> &str {
        "hashed"
    }

    fn summary(&self) -> &str {
        "The coordinates of each parent in an open-addressing hash table."
    }

    fn is_structured(&self) -> bool {
        true
    }

    fn properties(&self, _: &Switches) -> Properties {
        Properties { full: false, ordered: false, unique: true, branchless: false, compact: false, zeroless: true }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { position_iteration: true, locate: true, insert: true, ..Capabilities::default() }
    }

    fn fields(&self, _: &Switches) -> Vec<(&'static str, FieldKind)> {
        vec![("width", FieldKind::Size), ("crd", FieldKind::Coordinates)]
    }

    fn walk(&self, spot: &Spot<'_>) -> Walk {
        let (width, crd) = (Expr::Var(spot.field("width")), spot.field("crd"));
        Walk::Positions {
            lo: spot.parent.clone() * width.clone(),
            hi: (spot.parent.clone() + ir::usize(1)) * width,
            coordinate: Box::new(move |p| ir::load(crd, p).cast(Scalar::Usize)),
            present: Some(Box::new(move |p| ir::load(crd, p).not_equal(ir::lit(ir::Literal::U32(GAP))))),
        }
    }

    fn locate(&self, spot: &Spot<'_>, coordinate: Expr, vars: &mut Vars) -> Option<Located> {
        let (width, crd) = (spot.field("width"), spot.field("crd"));
        let start = vars.fresh("bucket", Scalar::Usize);
        let step = vars.fresh("step", Scalar::Usize);
        let at = vars.fresh("slot", Scalar::Usize);
        let found = vars.fresh("found", Scalar::Bool);
        let place = spot.parent.clone() * Expr::Var(width) + (Expr::Var(start) + step) % Expr::Var(width);
        let body = vec![
            Stmt::Assign(at, place),
            Stmt::when(
                ir::load(crd, at).equal(coordinate.clone().cast(Scalar::U32)),
                vec![Stmt::Assign(found, ir::bool(true)), Stmt::Break],
            ),
            Stmt::when(ir::load(crd, at).equal(ir::lit(ir::Literal::U32(GAP))), Stmt::Break),
        ];
        let setup = vec![
            Stmt::Let(start, coordinate % Expr::Var(width).max(ir::usize(1))),
            Stmt::Let(at, ir::usize(0)),
            Stmt::Let(found, ir::bool(false)),
            Stmt::count(step, ir::usize(0), width, body),
        ];
        Some(Located::At { setup: setup.into(), found: Some(found.into()), position: at.into() })
    }

    fn stored(&self, tally: &Tally) -> u128 {
        tally.parents * 2 * tally.longest
    }

    fn insertion(&self) -> Option<&dyn Insertion> {
        Some(self)
    }

    fn pack(&self, p: &Packing<'_>) -> Packed {
        let mut rows: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &(parent, c) in p.entries {
            let row = rows.entry(parent).or_default();
            if !row.contains(&c) {
                row.push(c);
            }
        }
        let width = rows.values().map(Vec::len).max().unwrap_or(0) * 2;
        let mut crd = vec![GAP; p.parents * width];
        let at = p
            .entries
            .iter()
            .map(|&(parent, c)| {
                let slot = (0..width)
                    .map(|step| parent * width + (c + step) % width)
                    .find(|&slot| crd[slot] == GAP || crd[slot] == c as u32)
                    .expect("a table half full has room");
                crd[slot] = c as u32;
                slot
            })
            .collect();
        Packed {
            sizes: [("width", width)].into(),
            count: crd.len(),
            coordinates: [("crd", crd)].into(),
            at,
            ..Packed::default()
        }
    }

    fn children(&self, packed: &Packed, _: &Packing<'_>, parent: usize, _: &[usize]) -> Vec<(usize, usize)> {
        let (width, crd) = (packed.sizes["width"], &packed.coordinates["crd"]);
        (parent * width..(parent + 1) * width).filter(|&q| crd[q] != GAP).map(|q| (crd[q] as usize, q)).collect()
    }
}

impl Insertion for Hashed {
    fn questions(&self, _: &Switches) -> Vec<Question> {
        vec![Question { by: By::Parent, what: Statistic::Count, label: "nir", kept: Kept::Array("lengths", 0) }]
    }

    fn contends(&self) -> bool {
        true
    }

    fn begin(&self, m: &mut Making<'_>) {
        m.array("lengths", Scalar::Usize, m.level.parents.clone(), ir::usize(0));
    }

    fn init_coordinates(&self, m: &mut Making<'_>) {
        // The width is twice the length of the longest row.
        let (lengths, width) = (m.level.var("lengths"), m.number("width", ir::usize(0)));
        m.each_parent(|_, p| Stmt::Update(width, Reduce::Max, ir::load(lengths, p) * ir::usize(2)).into());
        let slots = m.level.parents.clone() * Expr::Var(width);
        m.array("crd", Scalar::U32, slots, ir::lit(ir::Literal::U32(GAP)));
    }

    fn size(&self, level: &Made) -> Expr {
        level.parents.clone() * Expr::Var(level.var("width"))
    }

    fn position(&self, vars: &mut Vars, level: &Made, parent: Expr, coordinate: Expr) -> (Block, Expr) {
        let (width, crd) = (level.var("width"), level.var("crd"));
        let (step, slot, at) = (
            vars.fresh("step", Scalar::Usize),
            vars.fresh("slot", Scalar::Usize),
            vars.fresh(format!("{}_at", level.prefix), Scalar::Usize),
        );
        let place = parent * Expr::Var(width) + (coordinate.clone() + step) % Expr::Var(width);
        let held = ir::load(crd, slot);
        let free = held.clone().equal(ir::lit(ir::Literal::U32(GAP))).or(held.equal(coordinate.cast(Scalar::U32)));
        let probe = vec![Stmt::Let(slot, place), Stmt::when(free, vec![Stmt::Assign(at, slot.into()), Stmt::Break])];
        let find = vec![Stmt::Let(at, ir::usize(0)), Stmt::count(step, ir::usize(0), width, probe)];
        (find.into(), at.into())
    }

    fn insert(&self, level: &Made, position: Expr, coordinate: Expr) -> Block {
        Stmt::Store(level.var("crd"), position, coordinate.cast(Scalar::U32)).into()
    }
}
