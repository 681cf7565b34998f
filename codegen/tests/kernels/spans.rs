//! A level from outside: rows as in four-array CSR, whose beginnings and ends are kept apart. What it says of itself is all that
//! the compiler goes by, beside a bundled store as beside anything else.

use pleach_codegen::ir::{self, Scalar, Stmt};
use pleach_codegen::level::{
    Assembled, Assembly, Capabilities, FieldKind, Level, Packed, Packing, Properties, Spot, Switches, Walk,
};

#[derive(Debug)]
pub struct Spans;

impl Level for Spans {
    fn name(&self) -> &str {
        "spans"
    }

    fn summary(&self) -> &str {
        "a level of the tests"
    }

    fn properties(&self, _: &Switches) -> Properties {
        Properties { full: false, ordered: true, unique: true, branchless: false, compact: false, zeroless: true }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { position_iteration: true, ..Capabilities::default() }
    }

    fn fields(&self, _: &Switches) -> Vec<(&'static str, FieldKind)> {
        vec![("begin", FieldKind::Positions), ("end", FieldKind::Positions), ("crd", FieldKind::Coordinates)]
    }

    fn walk(&self, spot: &Spot<'_>) -> Walk {
        let crd = spot.field("crd");
        Walk::Positions {
            lo: ir::load(spot.field("begin"), spot.parent.clone()),
            hi: ir::load(spot.field("end"), spot.parent.clone()),
            coordinate: Box::new(move |p| ir::load(crd, p).cast(Scalar::Usize)),
            present: None,
        }
    }

    fn assemble(&self, a: &mut Assembly<'_>) -> Option<Assembled> {
        let made = a.segments(true);
        let (pos, crd) = (made.fields[0].1, made.fields[1].1);
        let begin = a.array("begin", Scalar::Usize, a.parents.clone(), ir::usize(0));
        let end = a.array("end", Scalar::Usize, a.parents.clone(), ir::usize(0));
        let p = a.vars.fresh("p", Scalar::Usize);
        let body = vec![
            Stmt::Store(begin, p.into(), ir::load(pos, p)),
            Stmt::Store(end, p.into(), ir::load(pos, p + ir::usize(1))),
        ];
        a.block.push(Stmt::count(p, ir::usize(0), a.parents.clone(), body));
        Some(Assembled { fields: vec![("begin", begin), ("end", end), ("crd", crd)], ..made })
    }

    fn pack(&self, p: &Packing<'_>) -> Packed {
        // The last parent's entries come first, and a gap before each parent's: nothing relies on their lying together.
        let (mut begin, mut end, mut crd) = (vec![0; p.parents], vec![0; p.parents], Vec::new());
        let mut at = vec![0; p.entries.len()];
        for parent in (0..p.parents).rev() {
            crd.push(u32::MAX);
            begin[parent] = crd.len();
            for (n, &(_, c)) in p.entries.iter().enumerate().filter(|(_, entry)| entry.0 == parent) {
                if crd.len() == begin[parent] || crd.last() != Some(&(c as u32)) {
                    crd.push(c as u32);
                }
                at[n] = crd.len() - 1;
            }
            end[parent] = crd.len();
        }
        let count = crd.len();
        Packed {
            positions: [("begin", begin), ("end", end)].into(),
            coordinates: [("crd", crd)].into(),
            at,
            count,
            ..Packed::default()
        }
    }

    fn children(&self, packed: &Packed, _: &Packing<'_>, parent: usize, _: &[usize]) -> Vec<(usize, usize)> {
        let range = packed.positions["begin"][parent]..packed.positions["end"][parent];
        range.map(|q| (packed.coordinates["crd"][q] as usize, q)).collect()
    }
}
