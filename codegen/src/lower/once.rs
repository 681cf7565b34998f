//! Loops that fold the same constant wherever operands are missing, by a reduction for which once is as good as many times.
//!
//! ```text
//! s min= A(i,j)       A: dcsr of 16M rows          for each row i of A: n += 1, …
//!                                                  if n < rows { s = min(s, 0) }
//! ```
//!
//! The loop goes by the entries and counts them; where they are not all coordinates, the constant is folded once. Its cost grows with
//! the entries and not with the extents.

use super::Stopped;
use super::loops::Merge;
use super::nest::{Lower, Source, State};
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt};
use crate::lattice::{Lattice, Set};
use crate::notation::concrete::{Expr, Index, Reduction, Stmt, number};

/// The most operands that such a loop merges: it has a case for each subset of them.
const MOST_COUNTED: usize = 3;

impl Lower<'_> {
    /// What a loop merges that can fold once what it folds where nothing is there; `None` for any other loop. `state` is that inside
    /// of the loop.
    pub(super) fn once(&self, index: Index, body: &Stmt, state: &State) -> Option<Merge> {
        let (active, merged) = self.meeting(index, body, state);
        if merged.len() > MOST_COUNTED || !self.folds_alike(index, body, &self.present_in(&merged, 0, state)) {
            return None;
        }
        let flagged = |at: usize| self.reached(at, state).flag.is_some();
        if merged.iter().any(|&at| flagged(at)) {
            return None;
        }
        let nothing = |set: Set| self.nothing_to_do(body, &self.present_in(&merged, set, state), &[]);
        let all = 1 << merged.len();
        if nothing(0) || (1..all).any(nothing) {
            return None;
        }
        let steps = |at: usize| match &self.operands[at].source {
            Source::Levels(..) => self.can_step(at, self.reached(at, state).depth),
            Source::Marked(..) | Source::Unmade => true,
        };
        if merged.len() > 1 && !merged.iter().all(|&at| steps(at)) {
            return None;
        }
        let lattice = Lattice::new(merged.len(), &[], |set| set != 0);
        Some(Merge { active, merged, lattice })
    }

    /// Makes such a loop.
    pub(super) fn folded_once(
        &mut self,
        index: Index,
        merge: Merge,
        body: &Stmt,
        state: &State,
    ) -> Result<Block, Stopped> {
        let extent = self.extents[&index].clone();
        let mut missing = self.present_in(&merge.merged, 0, state);
        missing.indices.insert(index, ir::usize(0));
        let mut block = Block::new();
        let mut seen = ir::usize(0);
        if !merge.merged.is_empty() {
            let name = format!("{}_count", self.kernel.indices[index.0].to_lowercase());
            let count = self.vars.fresh(name, Scalar::Usize);
            block.push(IrStmt::Let(count, ir::usize(0)));
            let counting = State { counts: Some(count), ..state.clone() };
            block.append(self.merged_loops(index, merge, body, counting)?);
            seen = Code::Var(count);
        }
        let once = self.stmt(body, &missing)?;
        block.push(IrStmt::when(seen.less(extent), once));
        Ok(block)
    }

    /// What is known where the operands of `set` are present and the others are not.
    pub(super) fn present_in(&self, merged: &[usize], set: Set, state: &State) -> State {
        let mut state = state.clone();
        for (n, &at) in merged.iter().enumerate() {
            let mut reached = self.reached(at, &state).into_owned();
            if set & (1 << n) == 0 {
                reached.absent = true;
            } else {
                reached.depth += 1;
                reached.flag = None;
            }
            state.operands.insert(at, reached);
        }
        state
    }

    /// Whether a body folds constants only, the same for every value of `index`, and once is as good as many times.
    fn folds_alike(&self, index: Index, body: &Stmt, state: &State) -> bool {
        match body {
            Stmt::Assign(assign) => {
                let Some(reduce) = assign.reduce.filter(|_| assign.mask.is_none()) else { return false };
                let alike = !assign.target.indices.contains(&index);
                alike
                    && match self.effect(assign, state, &[]) {
                        None => true,
                        Some(Expr::Literal(value)) => match reduce {
                            Reduction::Min | Reduction::Max | Reduction::Or | Reduction::And => true,
                            Reduction::Mul => number(value) == 0.0,
                            Reduction::Add => false,
                        },
                        Some(_) => false,
                    }
            }
            Stmt::Forall { index: inner, parallel: false, body, .. } => {
                // Accesses are known by the loops around them.
                let mut inside = state.clone();
                inside.path.push(*inner);
                self.folds_alike(index, body, &inside)
            }
            _ => false,
        }
    }
}
