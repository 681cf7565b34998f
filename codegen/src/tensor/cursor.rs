//! Cursors: they move one entry at a time, so that several operands can be merged.
//!
//! All of them follow one protocol, whatever the level: they are initialised, then say whether they are valid, at which coordinate they are
//! and where its entry leads, and advance. A level that is walked alone needs no cursor (`super::visit`).

use super::nest::{Lower, Source, State};
use super::stored::Marks;
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt, Type, Var};
use crate::level::Walk;
use crate::notation::concrete::Reduction;
use crate::tensor::{Pos, fold, scalar};

impl Lower<'_> {
    /// How the next level of an operand is walked. If the operand has a flag that does not hold, there is nothing to walk; a loop over a
    /// store tests the flag itself.
    pub(super) fn walk(&self, at: usize, state: &State) -> Walk {
        let walk = self.walk_present(at, state);
        let Some(flag) = state.at(at).flag else { return walk };
        let if_present = |bound: Code| Code::Var(flag).select(bound, ir::usize(0));
        match walk {
            Walk::Interval { lo, hi, position } => Walk::Interval { lo: if_present(lo), hi: if_present(hi), position },
            Walk::Positions { lo, hi, coordinate, present } => {
                Walk::Positions { lo: if_present(lo), hi: if_present(hi), coordinate, present }
            }
            Walk::One { position, coordinate, present } => {
                let present = present.map_or(flag.into(), |present| Code::Var(flag).and(present));
                Walk::One { position, coordinate, present: Some(present) }
            }
            store @ Walk::Entries { .. } => store,
        }
    }

    /// Whether the next level of an operand may keep a coordinate more than once in a row.
    pub(super) fn is_chained(&self, at: usize, state: &State) -> bool {
        let from = self.levels_of(at).and_then(|levels| levels.format.chained());
        from.is_some_and(|from| from <= state.at(at).above.len())
    }

    fn walk_present(&self, at: usize, state: &State) -> Walk {
        let place = state.at(at);
        match &self.sources[at] {
            Source::Levels(levels) => levels.walk(place.above.len(), &place.pos, &place.above),
            Source::Unmade => unreachable!("a workspace is made before it is read"),
            Source::Marked(_, Marks { list, .. }) | Source::Listed { coords: list, .. } => {
                let list = *list;
                Walk::Positions {
                    lo: ir::usize(0),
                    hi: ir::len(list),
                    coordinate: Box::new(move |p| ir::load(list, p)),
                    present: None,
                }
            }
        }
    }

    /// A cursor over the next level of an operand, initialised in `block`.
    pub(super) fn cursor(&mut self, at: usize, name: &str, state: &State, block: &mut Block) -> Cursor {
        let tensor = self.tensor_name(at);
        let walk = self.walk(at, state);
        let chained = matches!(walk, Walk::Positions { .. }) && self.is_chained(at, state);
        let (own, lo, hi, coordinate, position): (_, _, _, Map, Map) = match walk {
            Walk::Interval { lo, hi, position } => (name, lo, hi, Box::new(|c| c), position),
            Walk::Positions { lo, hi, coordinate, present: None } => ("p", lo, hi, coordinate, Box::new(|p| p)),
            Walk::One { position, coordinate, present } => {
                let one = position.clone() + ir::usize(1);
                let end = present.map_or(one.clone(), |present| present.select(one, position.clone()));
                ("p", position, end, Box::new(move |_| coordinate.clone()), Box::new(|p| p))
            }
            Walk::Entries { store } => {
                let Some(levels) = self.levels_of(at) else { unreachable!("a workspace is no store") };
                let depth = state.at(at).above.len();
                let cursor = self.vars.fresh(format!("{tensor}_cursor"), Type::Cursor(levels.store_type(depth)));
                block.push(IrStmt::OpenCursor { cursor, store, ordered: true });
                return Cursor::Entries { cursor, pos: levels.below(depth, Code::CursorValue(cursor)) };
            }
            Walk::Positions { .. } => unreachable!("what has gaps is sorted before it is merged"),
        };
        let p = self.vars.fresh(format!("{tensor}_{own}"), Scalar::Usize);
        let end = self.vars.fresh(format!("{tensor}_end"), Scalar::Usize);
        block.push(IrStmt::Let(p, lo));
        block.push(IrStmt::Let(end, hi));
        if !chained {
            return Cursor::Counted { at: p, end, coordinate, position };
        }
        let next = self.vars.fresh(format!("{tensor}_next"), Scalar::Usize);
        block.push(IrStmt::Let(next, p.into()));
        let chain = self.chain(at, state, [p, next, end], &*coordinate, coordinate(p.into()));
        block.append(chain.declare);
        block.append(chain.scan.clone());
        Cursor::Chained { at: p, end, next, coordinate, pos: chain.pos, scan: chain.scan }
    }
}

/// Positions with the same coordinate, found one after the other.
pub(super) struct Chain {
    /// Declares what they add up to.
    pub declare: Block,
    /// Moves on to the first position with another coordinate.
    pub scan: Block,
    /// What they are: a stretch for the level below, or the sum of their values.
    pub pos: Pos,
}

impl Lower<'_> {
    /// The positions from `from` on that keep the coordinate `here`, below `end`; `next` becomes the first that does not.
    pub(super) fn chain(
        &mut self,
        at: usize,
        state: &State,
        [from, next, end]: [Var; 3],
        coordinate: &dyn Fn(Code) -> Code,
        here: Code,
    ) -> Chain {
        let Some(levels) = self.levels_of(at) else {
            return Chain { declare: Block::new(), scan: Block::new(), pos: Pos::At(from.into()) };
        };
        let last = state.at(at).above.len() + 1 == levels.format.levels.len();
        let (mut declare, mut scan, mut body) = (Block::new(), Block::new(), Block::new());
        let pos = match levels.vals.filter(|_| last) {
            Some(vals) => {
                // Entries with the same coordinates are added up.
                let ty = scalar(levels.value);
                let sum = self.vars.fresh(format!("{}_sum", self.tensor_name(at)), ty);
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

/// What lies at a position, or at a coordinate.
type Map = Box<dyn Fn(Code) -> Code>;

/// A cursor in generated code, by how it moves.
pub(super) enum Cursor {
    /// From one coordinate or position to the next.
    Counted { at: Var, end: Var, coordinate: Map, position: Map },
    /// Along the entries of a store.
    Entries { cursor: Var, pos: Pos },
    /// From one stretch of positions with the same coordinate to the next: `at` up to `next`.
    Chained { at: Var, end: Var, next: Var, coordinate: Map, pos: Pos, scan: Block },
    /// The loop itself moves it.
    Fixed { coordinate: Code, pos: Pos },
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

    /// The coordinate of the entry.
    pub fn coordinate(&self) -> Code {
        match self {
            Cursor::Counted { at, coordinate, .. } | Cursor::Chained { at, coordinate, .. } => coordinate((*at).into()),
            Cursor::Entries { cursor, .. } => Code::CursorCoord(*cursor),
            Cursor::Fixed { coordinate, .. } => coordinate.clone(),
        }
    }

    /// What it counts, and one past the last of it.
    pub fn span(&self) -> Option<(Var, Var)> {
        match self {
            Cursor::Counted { at, end, .. } | Cursor::Chained { at, end, .. } => Some((*at, *end)),
            Cursor::Entries { .. } | Cursor::Fixed { .. } => None,
        }
    }

    /// Where the entry leads.
    pub fn position(&self) -> Pos {
        match self {
            Cursor::Counted { at, position, .. } => Pos::At(position((*at).into())),
            Cursor::Entries { pos, .. } | Cursor::Chained { pos, .. } | Cursor::Fixed { pos, .. } => pos.clone(),
        }
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
