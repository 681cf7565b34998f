//! Walks through the entries of a tensor in the order in which they are stored.

use crate::format::{Coordinate, Inverse};
use crate::ir::{self, BinaryOp, Block, Domain, Expr, Owned, Reduce, Scalar, Stmt, Var, Vars, Work};
use crate::level::Walk;
use crate::notation::ast::{Literal, ValueType};
use crate::tensor::{Levels, Pos, Visit as Level, literal, scalar};

/// An entry, or, above the innermost level, what entries have in common.
pub(crate) struct Entry {
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

/// A walk through a tensor.
#[derive(Clone)]
pub(crate) struct Visit<'a> {
    /// The tensor.
    pub levels: &'a Levels,
    /// The names of the variables for its coordinates.
    pub names: &'a [String],
    /// How many levels are walked.
    pub depth: usize,
    /// Whether entries of stores come in their order.
    pub ordered: bool,
    /// The value of positions that hold no entry, if there are any.
    pub gap: Option<Expr>,
    /// What is done where the loop over level `.0` has been entered, before that over the next one.
    pub enter: Option<(usize, Block)>,
    /// The part of the outermost level that is walked, if it is not all of it: coordinates or positions, as the level is counted.
    pub stretch: Option<(Expr, Expr)>,
    /// The level whose loop is dealt out to tasks.
    pub dealt: Option<&'a Dealt>,
    /// How blocks that reach over the edge of the tensor are handled.
    pub edges: Edges,
}

/// How blocks that reach over the edge of a tensor are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edges {
    /// Every entry is tested.
    Tested,
    /// Blocks that do not reach over it get loops of their own.
    Apart,
    /// The block lies wholly inside of the tensor.
    Inside,
}

/// A level whose loop is dealt out to tasks. Its iterations write to different places, or fold into scalars.
pub(crate) struct Dealt {
    /// Which level.
    pub level: usize,
    /// What each iteration writes.
    pub owned: Vec<Owned>,
    /// The scalars that all iterations fold into.
    pub reductions: Vec<(Var, Reduce)>,
}

impl Dealt {
    fn parallel(&self, var: Var, lo: Expr, hi: Expr, body: Block) -> Stmt {
        let (owned, reductions) = (self.owned.clone(), self.reductions.clone());
        let (domain, work, scratch) = (Domain::Range { lo, hi }, Work::default(), Block::new());
        Stmt::Parallel { var, domain, owned, reductions, work, scratch, body }
    }
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

/// The code for one entry.
type Body<'b> = &'b mut dyn FnMut(&mut Vars, Entry) -> Block;

impl<'a> Visit<'a> {
    /// A walk through all entries. If the format also stores places without an entry, a value that equals the fill is skipped.
    pub fn all(levels: &'a Levels) -> Visit<'a> {
        let (format, own) = (&levels.format, scalar(levels.value));
        let padded = !format.keeps_entries_only() && levels.value != ValueType::Pattern;
        Visit {
            ordered: true,
            gap: padded.then(|| literal(format.fill.unwrap_or(Literal::Int(0)), own)),
            ..Visit::stored(levels, &format.indices)
        }
    }

    /// A walk through all stored places in any order, also those whose value equals the fill.
    pub fn stored(levels: &'a Levels, names: &'a [String]) -> Visit<'a> {
        let (depth, edges) = (levels.format.levels.len(), Edges::Tested);
        Visit { levels, names, depth, ordered: false, gap: None, enter: None, stretch: None, dealt: None, edges }
    }

    /// Code that calls `body` for each entry.
    pub fn each(&self, vars: &mut Vars, body: Body<'_>) -> Block {
        self.level(0, Pos::At(ir::usize(0)), &mut Vec::new(), vars, body)
    }

    fn level(&self, at: usize, parent: Pos, above: &mut Vec<Expr>, vars: &mut Vars, body: Body<'_>) -> Block {
        if at == self.depth {
            return self.leaf(above, parent, vars, body);
        }
        if self.edges == Edges::Apart
            && let Some(whole) = self.whole_block(at, above)
        {
            let (full, any) = (self.with_blocks(true), self.with_blocks(false));
            let full = Visit { levels: &full, edges: Edges::Inside, ..self.clone() };
            let any = Visit { levels: &any, edges: Edges::Tested, ..self.clone() };
            let inside = full.level(at, parent.clone(), above, vars, body);
            return Stmt::either(whole, inside, any.level(at, parent, above, vars, body)).into();
        }
        let level = &self.levels.format.levels[at];
        let name = match level.coordinate {
            Coordinate::Index(m) => self.names[m].clone(),
            _ => format!("c{}", at + 1),
        };
        let mut walk = self.levels.walk_whole(at, &parent, above);
        if let (0, Some((from, to)), Walk::Interval { lo, hi, .. } | Walk::Positions { lo, hi, .. }) =
            (at, &self.stretch, &mut walk)
        {
            (*lo, *hi) = (from.clone(), to.clone());
        }
        let entry = |vars: &mut Vars| self.levels.entry(at, "entry".into(), vars);
        let visit = Level::new(walk, vars, (name, format!("p{}", at + 1)), entry);
        above.push(visit.coordinate.into());
        let mut inner = Block::new();
        if let Some((_, enter)) = self.enter.as_ref().filter(|(level, _)| *level == at) {
            inner.append(enter.clone());
        }
        inner.append(self.level(at + 1, visit.position.clone(), above, vars, body));
        above.pop();
        let dealt = self.dealt.filter(|dealt| dealt.level == at);
        let count = |var, lo, hi, body| match dealt {
            Some(dealt) => dealt.parallel(var, lo, hi, body),
            None => joined(var, lo, hi, body),
        };
        visit.around(inner, self.ordered && level.properties.ordered, count).into()
    }

    fn leaf(&self, levels: &[Expr], pos: Pos, vars: &mut Vars, body: Body<'_>) -> Block {
        let format = &self.levels.format;
        let whole = self.depth == format.levels.len();
        let width = (!whole).then(|| match self.levels.walk(self.depth, &pos, levels) {
            Walk::Positions { lo, hi, .. } => hi - lo,
            _ => ir::usize(0),
        });
        let (mut block, mut coords) = (Block::new(), Vec::new());
        let (mut inside, mut visible) = (Vec::new(), Vec::new());
        for (m, inverse) in format.inverse.iter().enumerate() {
            if inverse.ready(&format.inverse).is_some_and(|ready| ready >= self.depth) {
                coords.push(None);
                continue;
            }
            let mut own = match inverse {
                Inverse::Level(at) => levels[*at].clone(),
                _ => {
                    let c = vars.fresh(self.names[m].clone(), Scalar::Usize);
                    block.push(Stmt::Let(c, self.levels.invert(inverse, levels)));
                    c.into()
                }
            };
            // Computed coordinates may lie outside of the tensor, as in a block that reaches over its edge. An index that is kept as it is
            // does not.
            if self.edges != Edges::Inside && !matches!(inverse, Inverse::Level(_)) {
                inside.push(own.clone().less(self.levels.shape[m].clone()));
            }
            if let Some(window) = self.levels.windows.get(m).and_then(Option::as_ref) {
                let (seen, within) = window.seen(own);
                own = seen;
                visible.push(within);
            }
            coords.push(Some(own));
        }
        let gap = self.gap.clone().filter(|_| whole);
        let filled = gap.map(|gap| self.levels.value_at(&pos).not_equal(gap));
        let entry = body(vars, Entry { coords, pos, width });
        let entry = Stmt::when_all(visible, Stmt::when_all(filled, entry));
        block.append(Stmt::when_all(inside, entry));
        block
    }

    /// The levels with blocks of exactly the size that the format gives them if they are `full`, or else of at most that size. Loops over a
    /// constant size are the fastest, and with both kinds it is known that the rows of blocks do not meet.
    fn with_blocks(&self, full: bool) -> Levels {
        let mut levels = self.levels.clone();
        for (level, extent) in self.levels.format.levels.iter().zip(&mut levels.extents) {
            if let Some((_, size)) = level.coordinate.remainder() {
                let size = ir::usize(size as usize);
                *extent = if full { size } else { extent.clone().min(size) };
            }
        }
        levels
    }

    /// Whether a block is of full size and lies wholly inside of the tensor, if all levels from `at` on are dense and keep the places
    /// within blocks.
    fn whole_block(&self, at: usize, above: &[Expr]) -> Option<Expr> {
        let format = &self.levels.format;
        let mut whole = Vec::new();
        // The blocks of a tensor that is smaller than one of them may be smaller too.
        for (level, extent) in format.levels[at..].iter().zip(&self.levels.extents[at..]) {
            let (_, size) = level.coordinate.remainder().filter(|_| level.properties.full)?;
            whole.push(extent.clone().equal(ir::usize(size as usize)));
        }
        for (m, inverse) in format.inverse.iter().enumerate() {
            if let Inverse::Level(_) = inverse {
                continue;
            }
            let (outer, size, _) = inverse.blocked().filter(|(outer, _, inner)| *outer < at && *inner >= at)?;
            let last = above[outer].clone() * ir::usize(size) + ir::usize(size - 1);
            whole.push(last.less(self.levels.shape[m].clone()));
        }
        whole.into_iter().reduce(Expr::and)
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
