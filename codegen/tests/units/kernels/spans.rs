//! A level from outside: rows as in four-array CSR, whose beginnings and ends are kept apart. What it says of itself is all that
//! the compiler goes by, beside a bundled store as beside anything else.

use pleach_codegen::ir::{self, Block, Expr, Reduce, Scalar, Stmt, Vars};
use pleach_codegen::level::{
    By, Capabilities, FieldKind, Insertion, Kept, Level, Made, Making, Packed, Packing, Properties, Question, Spot,
    Statistic, Switches, Walk,
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

    fn insertion(&self) -> Option<&dyn Insertion> {
        Some(self)
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

impl Insertion for Spans {
    fn questions(&self, _: &Switches) -> Vec<Question> {
        vec![Question { by: By::Parent, what: Statistic::Count, label: "nir", kept: Kept::Array("end", 0) }]
    }

    fn yields(&self) -> bool {
        true
    }

    fn begin(&self, m: &mut Making<'_>) {
        m.array("end", Scalar::Usize, m.level.parents.clone(), ir::usize(0));
        m.array("begin", Scalar::Usize, m.level.parents.clone(), ir::usize(0));
        m.number("count", ir::usize(0));
    }

    /// The coordinates of each parent lie behind those of the parent before it. Each insertion moves the end of the parent by one.
    fn finish_edges(&self, m: &mut Making<'_>) {
        m.each_parent(|own, p| {
            let (begin, end, count) = (own.var("begin"), own.var("end"), own.var("count"));
            let length = ir::load(end, p);
            Block::from(vec![
                Stmt::Store(begin, p.into(), count.into()),
                Stmt::Update(count, Reduce::Add, length),
                Stmt::Store(end, p.into(), ir::load(begin, p)),
            ])
        });
    }

    fn init_coordinates(&self, m: &mut Making<'_>) {
        let count = m.level.var("count");
        m.array("crd", Scalar::U32, count.into(), ir::lit(ir::Literal::U32(0)));
    }

    fn size(&self, level: &Made) -> Expr {
        level.var("count").into()
    }

    fn position(&self, vars: &mut Vars, level: &Made, parent: Expr, _: Expr) -> (Block, Expr) {
        let (end, at) = (level.var("end"), vars.fresh("at", Scalar::Usize));
        let step = vec![Stmt::Let(at, ir::load(end, parent.clone())), Stmt::Store(end, parent, at + ir::usize(1))];
        (step.into(), at.into())
    }

    fn insert(&self, level: &Made, position: Expr, coordinate: Expr) -> Block {
        Stmt::Store(level.var("crd"), position, coordinate.cast(Scalar::U32)).into()
    }
}
