//! The entries of a source, as its levels are walked.

use crate::format::Inverse;
use crate::ir::{self, BinaryOp, Block, Expr, Scalar, Stmt, Var, Vars};
use crate::level::Walk;
use crate::lower::storage::{Levels, Pos, literal, scalar};
use crate::lower::visit::Visit as Entries;
use crate::notation::ast::{Literal, ValueType};

/// An entry, or, above the innermost level, what entries have in common.
pub(super) struct Entry {
    /// The tensor's own coordinates, as far as they are known.
    pub coords: Vec<Option<Expr>>,
    /// Where it is.
    pub pos: Pos,
    /// How many entries there are below, where the walk ends above the innermost level.
    pub width: Option<Expr>,
}

impl Entry {
    /// All coordinates of an entry; 0 for those that are not known, which nothing asks for.
    pub fn all(&self) -> Vec<Expr> {
        self.coords.iter().map(|c| c.clone().unwrap_or(ir::usize(0))).collect()
    }
}

/// A walk through a source.
pub(super) struct Visit<'a> {
    /// The source.
    pub levels: &'a Levels,
    /// How many levels are walked.
    pub depth: usize,
    /// What is done where the loop over level `.0` has been entered, before that over the next one.
    pub enter: Option<(usize, Block)>,
    /// The part of the outermost level that is walked, if it is not all of it: coordinates or positions, as the level is counted.
    pub stretch: Option<(Expr, Expr)>,
}

/// Whether level `at` keeps entries only, those of a parent in a stretch of positions that can be counted without a look at them.
pub(super) fn is_counted(levels: &Levels, at: usize) -> bool {
    let level = &levels.format.levels[at];
    let zero = vec![ir::usize(0); at];
    // Among entries that may be padding, those that equal the fill do not count.
    levels.format.keeps_entries_only()
        && level.properties.unique
        && level.properties.zeroless
        && !level.is_store()
        && matches!(levels.walk(at, &Pos::At(ir::usize(0)), &zero), Walk::Positions { present: None, .. })
}

impl<'a> Visit<'a> {
    /// A walk through all entries.
    pub fn all(levels: &'a Levels) -> Visit<'a> {
        Visit { levels, depth: levels.format.levels.len(), enter: None, stretch: None }
    }

    /// Code that calls `body` for each entry.
    pub fn each(&self, vars: &mut Vars, body: &mut dyn FnMut(&mut Vars, Entry) -> Block) -> Block {
        self.level(0, Pos::At(ir::usize(0)), &mut Vec::new(), vars, body)
    }

    fn level(
        &self,
        at: usize,
        parent: Pos,
        above: &mut Vec<Expr>,
        vars: &mut Vars,
        body: &mut dyn FnMut(&mut Vars, Entry) -> Block,
    ) -> Block {
        if at == self.depth {
            return self.leaf(above, parent, vars, body);
        }
        let format = &self.levels.format;
        let name = match format.levels[at].coordinate {
            crate::format::Coordinate::Index(m) => format.indices[m].clone(),
            _ => format!("c{}", at + 1),
        };
        let mut walk = self.levels.walk(at, &parent, above);
        if let (0, Some((from, to)), Walk::Interval { lo, hi, .. } | Walk::Positions { lo, hi, .. }) =
            (at, &self.stretch, &mut walk)
        {
            (*lo, *hi) = (from.clone(), to.clone());
        }
        let entry = |vars: &mut Vars| self.levels.entry(at, "entry".into(), vars);
        let visit = Entries::new(walk, vars, (name, format!("p{}", at + 1)), entry);
        above.push(visit.coordinate.into());
        let mut inner = Block::new();
        if let Some((_, enter)) = self.enter.as_ref().filter(|(level, _)| *level == at) {
            inner.append(enter.clone());
        }
        inner.append(self.level(at + 1, visit.position.clone(), above, vars, body));
        above.pop();
        visit.around(inner, format.levels[at].properties.ordered, joined).into()
    }

    fn leaf(
        &self,
        levels: &[Expr],
        pos: Pos,
        vars: &mut Vars,
        body: &mut dyn FnMut(&mut Vars, Entry) -> Block,
    ) -> Block {
        let format = &self.levels.format;
        let whole = self.depth == format.levels.len();
        let width = (!whole).then(|| match self.levels.walk(self.depth, &pos, levels) {
            Walk::Positions { lo, hi, .. } => hi - lo,
            _ => ir::usize(0),
        });
        let mut block = Block::new();
        let mut coords = Vec::new();
        let mut inside: Option<Expr> = None;
        for (m, inverse) in format.inverse.iter().enumerate() {
            if inverse.ready(&format.inverse).is_some_and(|ready| ready >= self.depth) {
                coords.push(None);
                continue;
            }
            if let Inverse::Level(at) = inverse {
                coords.push(Some(levels[*at].clone()));
                continue;
            }
            let c = vars.fresh(format.indices[m].clone(), Scalar::Usize);
            block.push(Stmt::Let(c, self.levels.invert(inverse, levels)));
            // Blocks reach over the edge.
            let bound = Expr::Var(c).less(self.levels.shape[m].clone());
            inside = Some(match inside {
                None => bound,
                Some(inside) => inside.and(bound),
            });
            coords.push(Some(c.into()));
        }
        // A value that equals the fill is an entry only where nothing else is stored.
        let padded = whole && !format.keeps_entries_only() && self.levels.value != ValueType::Pattern;
        let filled = padded.then(|| {
            let fill = literal(format.fill.unwrap_or(Literal::Int(0)), scalar(self.levels.value));
            self.levels.value_at(&pos).not_equal(fill)
        });
        let mut inner = body(vars, Entry { coords, pos, width });
        for condition in [filled, inside].into_iter().flatten() {
            inner = Stmt::when(condition, inner).into();
        }
        block.append(inner);
        block
    }
}

/// A loop over parents. Where only their children are looked at, which follow one another, it is one loop over the children of all.
fn joined(parent: Var, lo: Expr, hi: Expr, inner: Block) -> Stmt {
    let used = |var: Var, rest: &[Stmt]| Block(rest.to_vec()).mentions(var);
    let mut rest = &inner.0[..];
    while let [Stmt::Let(var, _), others @ ..] = rest
        && !used(*var, others)
    {
        rest = others;
    }
    if let [Stmt::For { var, lo: Expr::Load(ends, first), hi: last, body }] = rest
        && *last == ir::load(*ends, (**first).clone() + ir::usize(1))
        && let Some(before) = before(first, parent)
        && !body.mentions(parent)
    {
        let end = |at: Expr| ir::load(*ends, before.iter().fold(at, |at, before| before.clone() + at));
        return Stmt::count(*var, end(lo), end(hi), body.clone());
    }
    Stmt::count(parent, lo, hi, inner)
}

/// What is added to a variable, if the expression is that sum or the variable itself.
fn before(sum: &Expr, var: Var) -> Option<Option<Expr>> {
    match sum {
        Expr::Var(same) if *same == var => Some(None),
        Expr::Binary(BinaryOp::Add, before, last) if **last == Expr::Var(var) && !before.mentions(var) => {
            Some(Some((**before).clone()))
        }
        _ => None,
    }
}
