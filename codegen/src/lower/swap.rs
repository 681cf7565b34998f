//! Intersections of two operands, one of which is walked and the other one looked up: the one with the shorter row is to be walked.
//!
//! ```text
//!   A ∩ B, both can be searched            if the row of A is far longer than that of B:
//!                                              for each entry of B: look it up in A
//!                                          otherwise:
//!                                              for each entry of A: look it up in B
//! ```
//!
//! The length of a row is known for arrays and hash tables. The entries of a store are counted, at most as many as the other row is long, so
//! that counting takes less than the loop that follows.

use super::arms::Run;
use super::loops::MUCH_LONGER;
use super::nest::{Lower, State};
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt, Var};
use crate::lattice::Lattice;
use crate::level::Walk;

impl Lower<'_> {
    /// `loops` walk operand number `walked` and look up the other one of `pair`; where the first has the longer row, it is the other way
    /// round.
    pub(super) fn swapped(
        &mut self,
        run: Run<'_>,
        (walked, found): (usize, usize),
        loops: Block,
        state: &State,
    ) -> Block {
        let mut block = Block::new();
        let merged = &run.one.how.merged;
        let longer = self.is_longer((merged[walked], merged[found]), run, state, &mut block);
        let lattice = Lattice { located: 1 << walked, ..run.lattice.clone() };
        let other = self.single(Run { lattice: &lattice, ..run }, found, state);
        block.push(IrStmt::either(longer, other, loops));
        block
    }

    /// Whether the row of the first operand is so much longer than that of the second that the second is to be walked.
    fn is_longer(&mut self, (first, second): (usize, usize), run: Run<'_>, state: &State, block: &mut Block) -> Code {
        let index = self.index_name(run.one.index);
        match (self.length(first, state), self.length(second, state)) {
            (Some(own), Some(other)) => own.greater(other * ir::usize(MUCH_LONGER)),
            (Some(own), None) => {
                let (short, left) =
                    (self.fresh(second, "short", Scalar::Bool), self.fresh(second, "left", Scalar::Usize));
                block.push(IrStmt::Let(short, ir::bool(false)));
                block.push(IrStmt::Let(left, own / ir::usize(MUCH_LONGER)));
                let mut count = Block::new();
                let cursor = self.cursor(second, &index, state, &mut count);
                count.push(cursor.count_down(left));
                count.push(IrStmt::Assign(short, Code::Var(left).greater(ir::usize(0))));
                block.push(IrStmt::when(Code::Var(left).greater(ir::usize(0)), count));
                short.into()
            }
            (None, Some(other)) => {
                let left = self.fresh(first, "left", Scalar::Usize);
                block.push(IrStmt::Let(left, other));
                let cursor = self.cursor(first, &index, state, block);
                block.push(cursor.count_down(left));
                cursor.valid()
            }
            (None, None) => {
                let (own, other) =
                    (self.cursor(first, &index, state, block), self.cursor(second, &index, state, block));
                let mut both = own.advance();
                both.append(other.advance());
                block.push(IrStmt::While(own.valid().and(other.valid()), both));
                own.valid()
            }
        }
    }

    fn fresh(&mut self, at: usize, what: &str, ty: Scalar) -> Var {
        let name = format!("{}_{what}", self.tensor_name(at));
        self.vars.fresh(name, ty)
    }

    /// How many positions the row of an operand has; `None` if it is kept in a store.
    fn length(&self, at: usize, state: &State) -> Option<Code> {
        match self.walk(at, state) {
            Walk::Positions { lo, hi, .. } => Some(hi - lo),
            Walk::Entries { .. } => None,
            Walk::Interval { .. } | Walk::One { .. } => unreachable!("the plan swaps rows of arrays and stores"),
        }
    }
}
