//! Iterators that move one entry at a time, so that several operands can be gone through together.

use super::nest::{Lower, Source, State};
use super::storage::Pos;
use super::{Stopped, unsupported};
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt, Type, Var};
use crate::level::Walk;

impl Lower<'_> {
    pub(super) fn walk(&self, at: usize, state: &State) -> Walk {
        let reached = self.reached(at, state);
        match &self.operands[at].source {
            Source::Levels(levels, _) => levels.walk(reached.depth, &reached.pos, &reached.above),
            Source::Marked(_, marks) => {
                let list = marks.list;
                Walk::Positions {
                    lo: ir::usize(0),
                    hi: ir::len(list),
                    coordinate: Box::new(move |p| ir::load(list, p)),
                    present: None,
                }
            }
        }
    }

    /// An iterator over the next level of an operand, declared in `block`.
    pub(super) fn iterator(
        &mut self,
        at: usize,
        name: &str,
        state: &State,
        block: &mut Block,
    ) -> Result<Stepper, Stopped> {
        let tensor = self.tensor_name(at);
        let operand = self.operands[at].clone();
        Ok(match self.walk(at, state) {
            Walk::Interval { lo, hi, position } => {
                let c = self.vars.fresh(format!("{tensor}_{name}"), Scalar::Usize);
                let end = self.vars.fresh(format!("{tensor}_end"), Scalar::Usize);
                block.push(IrStmt::Let(c, lo));
                block.push(IrStmt::Let(end, hi));
                Stepper { kind: Kind::Counted { at: c, end, coordinate: Box::new(|c| c), position } }
            }
            Walk::Positions { lo, hi, coordinate, present: None } => {
                let p = self.vars.fresh(format!("{tensor}_p"), Scalar::Usize);
                let end = self.vars.fresh(format!("{tensor}_end"), Scalar::Usize);
                block.push(IrStmt::Let(p, lo));
                block.push(IrStmt::Let(end, hi));
                Stepper { kind: Kind::Counted { at: p, end, coordinate, position: Box::new(|p| p) } }
            }
            Walk::One { position, coordinate, present } => {
                let p = self.vars.fresh(format!("{tensor}_p"), Scalar::Usize);
                let end = self.vars.fresh(format!("{tensor}_end"), Scalar::Usize);
                block.push(IrStmt::Let(p, position.clone()));
                let one = position.clone() + ir::usize(1);
                block.push(IrStmt::Let(end, present.map_or(one.clone(), |present| present.select(one, position))));
                Stepper {
                    kind: Kind::Counted {
                        at: p,
                        end,
                        coordinate: Box::new(move |_| coordinate.clone()),
                        position: Box::new(|p| p),
                    },
                }
            }
            // Positions that keep nothing come in no order.
            Walk::Positions { .. } => return Err(self.sort_first(at)),
            Walk::Entries { store } => {
                let Source::Levels(levels, _) = &operand.source else {
                    return Err(unsupported(self.span, "a workspace is no store"));
                };
                let depth = self.reached(at, state).depth;
                let cursor = self.vars.fresh(format!("{tensor}_cursor"), Type::Cursor(levels.store_type(depth)));
                block.push(IrStmt::OpenCursor(cursor, store));
                let pos = levels.below(depth, Code::CursorValue(cursor));
                Stepper { kind: Kind::Cursor { cursor, pos } }
            }
        })
    }
}

/// An iterator in generated code.
pub(super) struct Stepper {
    pub kind: Kind,
}

/// How an iterator moves.
pub(super) enum Kind {
    Counted {
        at: Var,
        end: Var,
        coordinate: Box<dyn Fn(Code) -> Code>,
        position: Box<dyn Fn(Code) -> Code>,
    },
    Cursor {
        cursor: Var,
        pos: Pos,
    },
    /// The loop itself moves it.
    Fixed {
        coordinate: Code,
        pos: Pos,
    },
}

impl Stepper {
    /// One that the loop itself moves.
    pub fn fixed(coordinate: Code, pos: Pos) -> Stepper {
        Stepper { kind: Kind::Fixed { coordinate, pos } }
    }

    pub fn valid(&self) -> Code {
        match &self.kind {
            Kind::Counted { at, end, .. } => Code::Var(*at).less(*end),
            Kind::Cursor { cursor, .. } => Code::CursorValid(*cursor),
            Kind::Fixed { .. } => ir::bool(true),
        }
    }

    pub fn coordinate(&self) -> Code {
        match &self.kind {
            Kind::Counted { at, coordinate, .. } => coordinate((*at).into()),
            Kind::Cursor { cursor, .. } => Code::CursorCoord(*cursor),
            Kind::Fixed { coordinate, .. } => coordinate.clone(),
        }
    }

    pub fn pos(&self) -> Pos {
        match &self.kind {
            Kind::Counted { at, position, .. } => Pos::At(position((*at).into())),
            Kind::Cursor { pos, .. } | Kind::Fixed { pos, .. } => pos.clone(),
        }
    }

    pub fn advance(&self) -> Block {
        match &self.kind {
            Kind::Counted { at, .. } => IrStmt::Assign(*at, Code::Var(*at) + ir::usize(1)).into(),
            Kind::Cursor { cursor, .. } => IrStmt::Advance(*cursor).into(),
            Kind::Fixed { .. } => Block::new(),
        }
    }
}
