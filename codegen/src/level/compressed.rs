//! The coordinates of each parent in a segment of one array.
//!
//! ```text
//! pos 0 2 2 5       parent p   ->   positions pos[p] .. pos[p + 1]
//! crd 1 3 0 2 3     position q ->   coordinate crd[q]
//! ```

use super::*;
use crate::ir::{self, Reduce, Scalar, Type};

/// Segments of an array of coordinates.
#[derive(Debug)]
pub(super) struct Compressed;

impl Level for Compressed {
    fn name(&self) -> &str {
        "compressed"
    }

    fn switches(&self) -> &[Switch] {
        &[Switch::Order, Switch::Uniqueness]
    }

    fn properties(&self, switches: &Switches) -> Properties {
        Properties {
            full: false,
            ordered: switches.ordered.unwrap_or(true),
            unique: switches.unique.unwrap_or(true),
            branchless: false,
            compact: true,
            zeroless: true,
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { position_iteration: true, append: true, ..Capabilities::default() }
    }

    fn fields(&self, _: &Switches) -> Vec<(&'static str, FieldKind)> {
        vec![("pos", FieldKind::Positions), ("crd", FieldKind::Coordinates)]
    }

    fn walk(&self, spot: &Spot<'_>) -> Walk {
        let (pos, crd) = (spot.field("pos"), spot.field("crd"));
        Walk::Positions {
            lo: ir::load(pos, spot.parent.clone()),
            hi: ir::load(pos, spot.parent.clone() + ir::usize(1)),
            coordinate: Box::new(move |p| ir::load(crd, p).cast(Scalar::Usize)),
            present: None,
        }
    }

    fn assemble(&self, a: &mut Assembly<'_>) -> Option<Assembled> {
        let pos = a.array("pos", Scalar::Usize, a.parents.clone() + ir::usize(1), ir::usize(0));
        let crd = a.fresh("crd", Type::vec(Scalar::U32));
        a.block.push(Stmt::NewVec { var: crd, capacity: Some(a.entries.clone()) });
        let position = a.array("at", Scalar::Usize, a.entries.clone(), ir::usize(0));
        let unique = self.properties(a.switches).unique;
        a.each(|a, e| {
            let append = vec![
                Stmt::Push(crd, a.coordinate_of(e).cast(Scalar::U32)),
                Stmt::StoreUpdate(pos, a.parent_of(e) + ir::usize(1), Reduce::Add, ir::usize(1)),
            ];
            let at = Stmt::Store(position, e.into(), ir::len(crd) - ir::usize(1));
            if unique {
                vec![Stmt::when(!a.repeats(e), append), at].into()
            } else {
                append.into_iter().chain([at]).collect()
            }
        });
        a.block.push(Stmt::PrefixSum(pos));
        Some(Assembled { fields: vec![("pos", pos), ("crd", crd)], position: Some(position), count: ir::len(crd) })
    }

    fn pack(&self, p: &Packing<'_>) -> Packed {
        let unique = self.properties(p.switches).unique;
        let (mut pos, mut crd, mut at) = (vec![0; p.parents + 1], Vec::new(), Vec::new());
        let mut seen: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for &(parent, c) in p.entries {
            let known = if unique { seen.get(&(parent, c)).copied() } else { None };
            at.push(known.unwrap_or_else(|| {
                crd.push(c as u32);
                pos[parent + 1] += 1;
                seen.insert((parent, c), crd.len() - 1);
                crd.len() - 1
            }));
        }
        for parent in 0..p.parents {
            pos[parent + 1] += pos[parent];
        }
        let count = crd.len();
        Packed { positions: [("pos", pos)].into(), coordinates: [("crd", crd)].into(), at, count, ..Packed::default() }
    }

    fn children(&self, packed: &Packed, _: &Packing<'_>, parent: usize, _: &[usize]) -> Vec<(usize, usize)> {
        let pos = &packed.positions["pos"];
        (pos[parent]..pos[parent + 1]).map(|q| (packed.coordinates["crd"][q] as usize, q)).collect()
    }
}
