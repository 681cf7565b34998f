//! How generated code makes a level of a result.

use super::{Place, Switches};
use crate::format::{Coordinate, Format};
use crate::ir::{self, Block, Expr, Reduce, Scalar, Stmt, Type, Var, Vars};

/// What generated code makes a level from: entries sorted by the coordinates of all levels.
pub struct Assembly<'a> {
    /// The kernel's variables.
    pub vars: &'a mut Vars,
    /// Where statements go.
    pub block: &'a mut Block,
    /// What the tensor is called in generated code, with the level's number behind it where that tells levels apart.
    pub prefix: String,
    /// How many entries there are.
    pub entries: Expr,
    /// An array with the parent's position for each entry; `None` if there is one parent only.
    pub parent: Option<Var>,
    /// An array with the coordinate of each entry, `usize`, from its lower bound on.
    pub coordinate: Var,
    /// The coordinates of the levels below that have one child for each entry of this one, up to the first that has not.
    pub branchless: &'a [Var],
    /// How many parents there are.
    pub parents: Expr,
    /// How many coordinates there can be.
    pub extent: Expr,
    /// The extents of the tensor.
    pub shape: &'a [Expr],
    /// Where the level stands.
    pub place: Place<'a>,
    /// What was written in brackets.
    pub switches: &'a Switches,
}

/// A level that was made.
pub struct Assembled {
    /// Its fields, in the order in which the level lists them.
    pub fields: Vec<(&'static str, Var)>,
    /// An array with the position of each entry; `None` if it is the parent's.
    pub position: Option<Var>,
    /// How many positions there are.
    pub count: Expr,
}

impl Assembly<'_> {
    /// A new variable whose name begins with the tensor's.
    pub fn fresh(&mut self, name: &str, ty: impl Into<Type>) -> Var {
        self.vars.fresh(format!("{}_{name}", self.prefix), ty)
    }

    /// Declares an array of `len` elements equal to `fill`.
    pub fn array(&mut self, name: &str, scalar: Scalar, len: Expr, fill: Expr) -> Var {
        let var = self.fresh(name, Type::vec(scalar));
        self.block.push(Stmt::NewArray { var, len, fill });
        var
    }

    /// Whether entry `e` is the one before it as far as the branchless levels below go.
    pub fn repeats_below(&self, e: Var) -> Expr {
        let before = || Expr::Var(e) - ir::usize(1);
        let below = self.branchless.iter().map(|&array| ir::load(array, e).equal(ir::load(array, before())));
        below.fold(self.repeats(e), Expr::and)
    }

    /// Declares a number.
    pub fn number(&mut self, name: &str, value: Expr) -> Var {
        let var = self.fresh(name, Scalar::Usize);
        self.block.push(Stmt::Let(var, value));
        var
    }

    /// `for e in 0..entries { body(e) }`
    pub fn each(&mut self, body: impl FnOnce(&mut Assembly<'_>, Var) -> Block) {
        let e = self.vars.fresh("e", Scalar::Usize);
        let body = body(self, e);
        self.block.push(Stmt::count(e, ir::usize(0), self.entries.clone(), body));
    }

    /// The parent of entry `e`.
    pub fn parent_of(&self, e: impl Into<Expr>) -> Expr {
        self.parent.map_or(ir::usize(0), |parent| ir::load(parent, e))
    }

    /// The coordinate of entry `e`.
    pub fn coordinate_of(&self, e: impl Into<Expr>) -> Expr {
        ir::load(self.coordinate, e)
    }

    /// Whether entry `e` has the parent and the coordinate of the one before it.
    pub fn repeats(&self, e: Var) -> Expr {
        let before = || Expr::Var(e) - ir::usize(1);
        let mut same = Expr::Var(e).greater(ir::usize(0));
        if self.parent.is_some() {
            same = same.and(self.parent_of(e).equal(self.parent_of(before())));
        }
        same.and(self.coordinate_of(e).equal(self.coordinate_of(before())))
    }

    /// The entries of each parent in a segment of one array: `pos` and `crd`. Parents come in any order; those of one parent lie
    /// together. Where the level is unique, equal entries are one; elsewhere those are that agree in the coordinates of the
    /// levels below which have one child for each of them.
    pub fn segments(&mut self, unique: bool) -> Assembled {
        let pos = self.array("pos", Scalar::Usize, self.parents.clone() + ir::usize(1), ir::usize(0));
        let position = self.array("at", Scalar::Usize, self.entries.clone(), ir::usize(0));
        let repeats = |a: &Assembly<'_>, e: Var| if unique { a.repeats(e) } else { a.repeats_below(e) };
        self.each(|a, e| {
            let count = Stmt::StoreUpdate(pos, a.parent_of(e) + ir::usize(1), Reduce::Add, ir::usize(1));
            Stmt::when(!repeats(a, e), count).into()
        });
        self.block.push(Stmt::PrefixSum(pos));
        let count = ir::load(pos, self.parents.clone());
        let crd = self.array("crd", Scalar::U32, count, ir::lit(ir::Literal::U32(0)));
        let next = self.array("next", Scalar::Usize, self.parents.clone(), ir::usize(0));
        let p = self.vars.fresh("p", Scalar::Usize);
        let start = Stmt::Store(next, p.into(), ir::load(pos, p));
        self.block.push(Stmt::count(p, ir::usize(0), self.parents.clone(), start));
        self.each(|a, e| {
            let new = vec![
                Stmt::Store(position, e.into(), ir::load(next, a.parent_of(e))),
                Stmt::Store(crd, ir::load(position, e), a.coordinate_of(e).cast(Scalar::U32)),
                Stmt::StoreUpdate(next, a.parent_of(e), Reduce::Add, ir::usize(1)),
            ];
            let again = Stmt::Store(position, e.into(), ir::load(position, Expr::Var(e) - ir::usize(1)));
            Stmt::either(repeats(a, e), again, new).into()
        });
        Assembled { fields: vec![("pos", pos), ("crd", crd)], position: Some(position), count: ir::len(crd) }
    }

    /// Where every entry has the position `parent * width + offset(coordinate)`.
    pub fn strided(
        &mut self,
        width: Expr,
        fields: Vec<(&'static str, Var)>,
        offset: impl Fn(Expr) -> Expr,
    ) -> Assembled {
        let position = self.array("at", Scalar::Usize, self.entries.clone(), ir::usize(0));
        let stride = width.clone();
        self.each(|a, e| {
            let at = a.parent_of(e) * stride + offset(a.coordinate_of(e));
            Stmt::Store(position, e.into(), at).into()
        });
        Assembled { fields, position: Some(position), count: self.parents.clone() * width }
    }
}

impl Format {
    /// Whether level `at` makes code that assembles it.
    pub(crate) fn is_assembled(&self, at: usize) -> bool {
        let (mut vars, mut block) = (Vars::new(), Block::new());
        let coordinates: Vec<Coordinate> = self.levels.iter().map(|level| level.coordinate.clone()).collect();
        let above: Vec<_> = self.levels[..at].iter().map(|level| level.kind.clone()).collect();
        let coordinate = vars.fresh("coordinates", Type::vec(Scalar::Usize));
        let level = &self.levels[at];
        let assembled = level.kind.assemble(&mut Assembly {
            prefix: String::new(),
            entries: ir::usize(0),
            parent: Some(coordinate),
            coordinate,
            branchless: &[],
            parents: ir::usize(1),
            extent: ir::usize(1),
            shape: &vec![ir::usize(1); self.rank()],
            place: Place { coordinates: &coordinates, above: &above, at, indices: &self.indices },
            switches: &level.switches,
            vars: &mut vars,
            block: &mut block,
        });
        assembled.is_some()
    }
}
