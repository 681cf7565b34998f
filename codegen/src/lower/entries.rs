//! Loops over all entries of a tensor, in the order in which they are stored.

use super::remap::{binary, shift};
use super::storage::{Levels, Pos};
use super::visit::Visit;
use crate::format::ast::RemapOp;
use crate::format::{Coordinate, Inverse};
use crate::ir::{self, Block, Domain, Expr, Owned, Reduce, Scalar, Stmt, Var, Vars, Work};

impl Levels {
    /// Code that visits every entry in the order of storage. `body` is given the tensor's own coordinates, whose variables are
    /// called `names`, and the place.
    pub(super) fn drive(
        &self,
        vars: &mut Vars,
        names: &[String],
        body: &mut dyn FnMut(&mut Vars, Vec<Expr>, Pos) -> Block,
    ) -> Block {
        let along = Along { names, edges: Edges::Tested, dealt: None };
        self.drive_level(0, Pos::At(ir::usize(0)), &mut Vec::new(), along, vars, body)
    }

    /// As [`Levels::drive`], but with separate loops for blocks that lie wholly inside of the tensor, and with the loop over one level
    /// dealt out to tasks.
    /// `body` is called once for each of these loops.
    pub(super) fn drive_blocks(
        &self,
        vars: &mut Vars,
        names: &[String],
        dealt: Option<&Dealt>,
        body: &mut dyn FnMut(&mut Vars, Vec<Expr>, Pos) -> Block,
    ) -> Block {
        let along = Along { names, edges: Edges::Apart, dealt };
        self.drive_level(0, Pos::At(ir::usize(0)), &mut Vec::new(), along, vars, body)
    }

    /// The levels with blocks of exactly the size that the format gives them if they are `full`, or else of at most that size. Loops over a
    /// constant size are the fastest, and with both kinds it is known that the rows of blocks do not meet.
    fn with_blocks(&self, full: bool) -> Levels {
        let known = |(level, extent): (&crate::format::FormatLevel, &Expr)| match remainder(&level.coordinate) {
            Some((_, size)) if full => ir::usize(size),
            Some((_, size)) => extent.clone().min(ir::usize(size)),
            None => extent.clone(),
        };
        Levels { extents: self.format.levels.iter().zip(&self.extents).map(known).collect(), ..self.clone() }
    }

    /// Whether a block is of full size and lies wholly inside of the tensor, if all levels from `at` on are dense and keep the places
    /// within blocks.
    fn whole_block(&self, at: usize, above: &[Expr]) -> Option<Expr> {
        let levels = &self.format.levels[at..];
        if levels.is_empty() || !levels.iter().all(|l| l.properties.full && remainder(&l.coordinate).is_some()) {
            return None;
        }
        let mut whole = Vec::new();
        // The blocks of a tensor that is smaller than one of them may be smaller too.
        for (level, extent) in levels.iter().zip(&self.extents[at..]) {
            whole.push(remainder(&level.coordinate).map(|(_, size)| extent.clone().equal(ir::usize(size)))?);
        }
        for (m, inverse) in self.format.inverse.iter().enumerate() {
            if let Inverse::Level(_) = inverse {
                continue;
            }
            let (outer, size, _) = inverse.blocked().filter(|(outer, _, inner)| *outer < at && *inner >= at)?;
            let last = above[outer].clone() * ir::usize(size) + ir::usize(size - 1);
            whole.push(last.less(self.shape[m].clone()));
        }
        whole.into_iter().reduce(Expr::and)
    }

    fn drive_level(
        &self,
        at: usize,
        parent: Pos,
        above: &mut Vec<Expr>,
        along: Along<'_>,
        vars: &mut Vars,
        body: &mut dyn FnMut(&mut Vars, Vec<Expr>, Pos) -> Block,
    ) -> Block {
        if at == self.format.levels.len() {
            return self.leaf(above, parent, along, vars, body);
        }
        if along.edges == Edges::Apart
            && let Some(whole) = self.whole_block(at, above)
        {
            let (full, any) = (self.with_blocks(true), self.with_blocks(false));
            let inside = full.drive_level(at, parent.clone(), above, along.edges(Edges::Inside), vars, body);
            let tested = any.drive_level(at, parent, above, along.edges(Edges::Tested), vars, body);
            return Stmt::either(whole, inside, tested).into();
        }
        let name = match self.format.levels[at].coordinate {
            Coordinate::Index(m) => along.names[m].clone(),
            _ => format!("c{}", at + 1),
        };
        let entry = |vars: &mut Vars| self.entry(at, "entry".into(), vars);
        let visit = Visit::new(self.walk_whole(at, &parent, above), vars, (name, format!("p{}", at + 1)), entry);
        above.push(visit.coordinate.into());
        let inner = self.drive_level(at + 1, visit.position.clone(), above, along, vars, body);
        above.pop();
        let dealt = along.dealt.filter(|dealt| dealt.level == at);
        let count = |var, lo, hi, body| match dealt {
            Some(dealt) => dealt.parallel(var, lo, hi, body),
            None => Stmt::count(var, lo, hi, body),
        };
        visit.around(inner, false, count).into()
    }

    /// The tensor's own coordinates, from those of the levels.
    fn leaf(
        &self,
        levels: &[Expr],
        pos: Pos,
        along: Along<'_>,
        vars: &mut Vars,
        body: &mut dyn FnMut(&mut Vars, Vec<Expr>, Pos) -> Block,
    ) -> Block {
        if self.format.is_plain() {
            let mut coords = vec![ir::usize(0); self.format.rank()];
            for (level, c) in self.format.levels.iter().zip(levels) {
                if let Coordinate::Index(m) = level.coordinate {
                    coords[m] = c.clone();
                }
            }
            return self.show(coords, pos, vars, body);
        }
        let mut block = Block::new();
        let (mut coords, mut inside) = (Vec::new(), Vec::new());
        for (m, inverse) in self.format.inverse.iter().enumerate() {
            let c = match inverse {
                Inverse::Level(at) => levels[*at].clone(),
                _ => {
                    let c = vars.fresh(along.names[m].clone(), Scalar::Usize);
                    block.push(Stmt::Let(c, self.invert(inverse, levels)));
                    c.into()
                }
            };
            // Computed coordinates may lie outside of the tensor, as in a block that reaches over its edge. An index that is kept as it is
            // does not.
            if along.edges != Edges::Inside && !matches!(inverse, Inverse::Level(_)) {
                inside.push(c.clone().less(self.shape[m].clone()));
            }
            coords.push(c);
        }
        block.append(Stmt::when_all(inside, self.show(coords, pos, vars, body)));
        block
    }

    /// What is done at an entry, given its coordinates in the tensor, if it lies in the part of the tensor that is accessed.
    fn show(
        &self,
        mut coords: Vec<Expr>,
        pos: Pos,
        vars: &mut Vars,
        body: &mut dyn FnMut(&mut Vars, Vec<Expr>, Pos) -> Block,
    ) -> Block {
        let mut visible = Vec::new();
        for (c, window) in coords.iter_mut().zip(&self.windows) {
            let Some(window) = window else { continue };
            let (seen, within) = window.seen(c.clone());
            *c = seen;
            visible.push(within);
        }
        Stmt::when_all(visible, body(vars, coords, pos))
    }

    /// The smallest coordinate of level `at`, negated, if it is not 0.
    pub(super) fn shift(&self, at: usize) -> Option<Expr> {
        shift(&self.format.levels[at].coordinate, &self.shape)
    }

    /// An index of the tensor from the coordinates of its levels.
    pub(crate) fn invert(&self, inverse: &Inverse, levels: &[Expr]) -> Expr {
        let signed = |inverse: &Inverse| self.signed(inverse, levels);
        if let Some((outer, size, inner)) = inverse.blocked() {
            return levels[outer].clone() * ir::usize(size) + levels[inner].clone();
        }
        // Differences can be negative in between; what is outside of the tensor becomes too large.
        signed(inverse).cast(Scalar::Usize)
    }

    fn signed(&self, inverse: &Inverse, levels: &[Expr]) -> Expr {
        let int = |n: i64| ir::lit(ir::Literal::I64(n));
        match inverse {
            Inverse::Level(at) => {
                let c = levels[*at].clone().cast(Scalar::I64);
                match self.shift(*at) {
                    Some(shift) => c - shift.cast(Scalar::I64),
                    None => c,
                }
            }
            Inverse::Index(m) => self.signed(&self.format.inverse[*m], levels),
            Inverse::Const(n) => int(*n),
            Inverse::Binary(op, left, right) => binary(*op, self.signed(left, levels), self.signed(right, levels)),
        }
    }
}

/// How entries are visited in the order of storage.
#[derive(Clone, Copy)]
struct Along<'a> {
    /// What the coordinates are called.
    names: &'a [String],
    edges: Edges,
    dealt: Option<&'a Dealt>,
}

impl Along<'_> {
    fn edges(self, edges: Edges) -> Self {
        Along { edges, ..self }
    }
}

/// What is done about blocks that reach over the edge of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edges {
    /// Every entry is tested.
    Tested,
    /// Blocks that do not reach over it get loops of their own.
    Apart,
    /// The block lies wholly inside of the tensor.
    Inside,
}

/// A level whose loop is dealt out to tasks: its iterations do not meet in what they write, or fold into scalars.
pub(super) struct Dealt {
    /// Which level.
    pub level: usize,
    /// What each iteration writes.
    pub owned: Vec<Owned>,
    /// What all of them fold into.
    pub reductions: Vec<(Var, Reduce)>,
}

impl Dealt {
    fn parallel(&self, var: Var, lo: Expr, hi: Expr, body: Block) -> Stmt {
        let (owned, reductions) = (self.owned.clone(), self.reductions.clone());
        Stmt::Parallel {
            var,
            domain: Domain::Range { lo, hi },
            owned,
            reductions,
            work: Work::default(),
            scratch: Block::new(),
            body,
        }
    }
}

/// The index and the size of blocks, if a level keeps the place within them.
fn remainder(coordinate: &Coordinate) -> Option<(usize, usize)> {
    if let Coordinate::Binary(RemapOp::Rem, index, size) = coordinate
        && let (Coordinate::Index(m), Coordinate::Const(size @ 1..)) = (&**index, &**size)
    {
        return Some((*m, *size as usize));
    }
    None
}
