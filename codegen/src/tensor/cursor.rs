//! Cursors: they move one entry at a time, so that several tensors can be merged.
//!
//! All of them follow one protocol, whatever the level: they are initialised, then say whether they are valid, at which coordinate they are
//! and where its entry leads, and advance. A level that is walked alone needs no cursor (`super::visit`).

use std::sync::Arc;

use super::levels::{Levels, Pos};
use super::value::{fold, scalar};
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt, Type, Var, Vars};
use crate::level::{Walk, array_of};
use crate::notation::concrete::Reduction;

/// What lies at a position, or at a coordinate.
type Map = Box<dyn Fn(Code) -> Code>;

/// A cursor in generated code, by how it moves.
pub(crate) enum Cursor {
    /// From one coordinate or position to the next.
    Counted { at: Var, end: Var, coordinate: Map, position: Map },
    /// Along the entries of a store.
    Entries { cursor: Var, pos: Pos },
    /// From one stretch of positions with the same coordinate to the next: `at` up to `next`.
    Chained { at: Var, end: Var, next: Var, coordinate: Map, pos: Pos, scan: Block },
    /// The loop itself moves it.
    Fixed { coordinate: Code, pos: Pos },
}

/// The entries below one parent in a level.
pub(crate) struct Row {
    /// The levels of the tensor; `None` for a list of what was written to a workspace.
    pub levels: Option<Arc<Levels>>,
    /// The number of the level.
    pub depth: usize,
    /// What variables are named after.
    pub name: String,
}

impl Row {
    /// Whether the level may keep a coordinate more than once in a row.
    pub fn is_chained(&self) -> bool {
        let from = self.levels.as_ref().and_then(|levels| levels.format.chained());
        from.is_some_and(|from| from <= self.depth)
    }

    /// A cursor over the entries that `walk` visits, initialised in `block`; `index` names their coordinates.
    pub fn cursor(&self, walk: Walk, index: &str, vars: &mut Vars, block: &mut Block) -> Cursor {
        let name = &self.name;
        let chained = matches!(walk, Walk::Positions { .. }) && self.is_chained();
        let (own, lo, hi, coordinate, position): (_, _, _, Map, Map) = match walk {
            Walk::Interval { lo, hi, position } => (index, lo, hi, Box::new(|c| c), position),
            Walk::Positions { lo, hi, coordinate, present: None } => ("p", lo, hi, coordinate, Box::new(|p| p)),
            Walk::One { position, coordinate, present } => {
                let one = position.clone() + ir::usize(1);
                let end = present.map_or(one.clone(), |present| present.select(one, position.clone()));
                ("p", position, end, Box::new(move |_| coordinate.clone()), Box::new(|p| p))
            }
            Walk::Entries { store } => {
                let Some(levels) = &self.levels else { unreachable!("a workspace is no store") };
                let cursor = vars.fresh(format!("{name}_cursor"), Type::Cursor(levels.store_type(self.depth)));
                block.push(IrStmt::OpenCursor { cursor, store, ordered: true });
                return Cursor::Entries { cursor, pos: levels.below(self.depth, Code::CursorValue(cursor)) };
            }
            Walk::Positions { .. } => unreachable!("what has gaps is sorted before it is merged"),
        };
        let p = vars.fresh(format!("{name}_{own}"), Scalar::Usize);
        let end = vars.fresh(format!("{name}_end"), Scalar::Usize);
        block.push(IrStmt::Let(p, lo));
        block.push(IrStmt::Let(end, hi));
        if !chained {
            return Cursor::Counted { at: p, end, coordinate, position };
        }
        let next = vars.fresh(format!("{name}_next"), Scalar::Usize);
        block.push(IrStmt::Let(next, p.into()));
        let chain = self.chain(vars, [p, next, end], &*coordinate, coordinate(p.into()));
        block.append(chain.declare);
        block.append(chain.scan.clone());
        Cursor::Chained { at: p, end, next, coordinate, pos: chain.pos, scan: chain.scan }
    }

    /// Seeks a coordinate in the ascending array that `walk` visits: whether it is there, and its position.
    pub fn sought(&self, walk: Walk, coordinate: Code, vars: &mut Vars, block: &mut Block) -> (Code, Code) {
        let Walk::Positions { lo, hi, coordinate: kept, present: None } = walk else {
            unreachable!("an operand that the plan looks up can be searched");
        };
        let array = array_of(&*kept).expect("what is sought lies in an array");
        let p = vars.fresh(format!("{}_p", self.name), Scalar::Usize);
        let end = vars.fresh(format!("{}_end", self.name), Scalar::Usize);
        block.push(IrStmt::Let(end, hi));
        let (from, to, coord) = (Box::new(lo), Box::new(end.into()), Box::new(coordinate.clone()));
        block.push(IrStmt::Let(p, Code::Seek { array, from, to, coord }));
        (Code::Var(p).less(end).and(kept(p.into()).equal(coordinate)), p.into())
    }

    /// The positions from `from` on that keep the coordinate `here`, below `end`; `next` becomes the first that does not.
    pub fn chain(
        &self,
        vars: &mut Vars,
        [from, next, end]: [Var; 3],
        coordinate: &dyn Fn(Code) -> Code,
        here: Code,
    ) -> Chain {
        let Some(levels) = &self.levels else {
            return Chain { declare: Block::new(), scan: Block::new(), pos: Pos::At(from.into()) };
        };
        let last = self.depth + 1 == levels.format.levels.len();
        let (mut declare, mut scan, mut body) = (Block::new(), Block::new(), Block::new());
        let pos = match levels.vals.filter(|_| last) {
            Some(vals) => {
                // Entries with the same coordinates are added up.
                let ty = scalar(levels.value);
                let sum = vars.fresh(format!("{}_sum", self.name), ty);
                let add = fold(Reduction::Add, ty);
                let zero = || ir::lit(add.identity(ty).unwrap_or(ty.zero()));
                declare.push(IrStmt::Let(sum, zero()));
                scan.push(IrStmt::Assign(sum, zero()));
                body.push(IrStmt::Update(sum, add, ir::load(vals, next)));
                Pos::Value(sum.into())
            }
            None if last => Pos::At(from.into()),
            None => Pos::Span(from.into(), next.into()),
        };
        body.push(IrStmt::Assign(next, Code::Var(next) + ir::usize(1)));
        let same = Code::Var(next).less(end).and(coordinate(next.into()).equal(here));
        scan.push(IrStmt::While(same, body));
        Chain { declare, scan, pos }
    }
}

impl Cursor {
    /// Whether it is at an entry.
    pub fn valid(&self) -> Code {
        match self {
            Cursor::Counted { at, end, .. } | Cursor::Chained { at, end, .. } => Code::Var(*at).less(*end),
            Cursor::Entries { cursor, .. } => Code::CursorValid(*cursor),
            Cursor::Fixed { .. } => ir::bool(true),
        }
    }

    /// Whether it is at an entry with this coordinate.
    pub fn is_at(&self, coordinate: Var) -> Code {
        self.valid().and(self.coordinate().equal(coordinate))
    }

    /// The coordinate of the entry.
    pub fn coordinate(&self) -> Code {
        match self {
            Cursor::Counted { at, coordinate, .. } | Cursor::Chained { at, coordinate, .. } => coordinate((*at).into()),
            Cursor::Entries { cursor, .. } => Code::CursorCoord(*cursor),
            Cursor::Fixed { coordinate, .. } => coordinate.clone(),
        }
    }

    /// How many entries are left, if that is known; equal coordinates in a row count as several.
    pub fn left(&self) -> Option<Code> {
        match self {
            Cursor::Counted { at, end, .. } | Cursor::Chained { at, end, .. } => Some(Code::Var(*end) - *at),
            Cursor::Entries { .. } | Cursor::Fixed { .. } => None,
        }
    }

    /// How it skips to a coordinate, if its coordinates lie in an array. With a variable `long`, it does so only where that holds.
    pub fn gallop(&self, long: Option<Var>) -> Option<Gallop> {
        let &Cursor::Counted { at, end, ref coordinate, .. } = self else { return None };
        Some(Gallop { array: array_of(&**coordinate)?, at, end, long })
    }

    /// Where the entry leads.
    pub fn position(&self) -> Pos {
        match self {
            Cursor::Counted { at, position, .. } => Pos::At(position((*at).into())),
            Cursor::Entries { pos, .. } | Cursor::Chained { pos, .. } | Cursor::Fixed { pos, .. } => pos.clone(),
        }
    }

    /// Moves on, at most as many times as `left` says, which becomes 0 unless the cursor ends before.
    pub fn count_down(&self, left: Var) -> IrStmt {
        let mut step = self.advance();
        step.push(IrStmt::Assign(left, Code::Var(left) - ir::usize(1)));
        IrStmt::While(Code::Var(left).greater(ir::usize(0)).and(self.valid()), step)
    }

    /// Moves on to the next entry.
    pub fn advance(&self) -> Block {
        match self {
            Cursor::Counted { at, .. } => IrStmt::Assign(*at, Code::Var(*at) + ir::usize(1)).into(),
            Cursor::Entries { cursor, .. } => IrStmt::Advance(*cursor).into(),
            Cursor::Chained { at, next, scan, .. } => {
                let mut block = Block::from(IrStmt::Assign(*at, (*next).into()));
                block.append(scan.clone());
                block
            }
            Cursor::Fixed { .. } => Block::new(),
        }
    }
}

/// Positions with the same coordinate, found one after the other.
pub(crate) struct Chain {
    /// Declares what they add up to.
    pub declare: Block,
    /// Moves on to the first position with another coordinate.
    pub scan: Block,
    /// What they are: a stretch for the level below, or the sum of their values.
    pub pos: Pos,
}

/// How a cursor skips coordinates that another tensor does not have.
pub(crate) struct Gallop {
    /// Its coordinates.
    array: Var,
    /// The position that it is at.
    at: Var,
    /// One past its last position.
    end: Var,
    /// Whether it skips; always if there is no such variable.
    long: Option<Var>,
}

impl Gallop {
    /// Moves on to the first coordinate that is `target` or more.
    pub fn advance(&self, target: Code) -> Block {
        let next = Code::Var(self.at) + ir::usize(1);
        let sought = Code::Seek {
            array: self.array,
            from: Box::new(next.clone()),
            to: Box::new(self.end.into()),
            coord: Box::new(target),
        };
        IrStmt::Assign(self.at, self.long.map_or(sought.clone(), |long| Code::Var(long).select(sought, next))).into()
    }
}
