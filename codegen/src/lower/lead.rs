//! One store and one static operand side by side: a map over the store leads, and the other follows.
//!
//! ```text
//!   A ∪ B, A in a store                    for each entry (j, a) of A, in order:
//!                                              while B is before j: … B alone …
//!                                              if B is at j: … both …, B moves on; otherwise … A alone …
//!                                          while B lasts: … B alone …
//! ```
//!
//! Where every entry of the store is to be visited anyway, this takes the store's map, which is a loop over arrays, instead of its
//! stackless iterator, which has to remember where it is between two entries.

use std::collections::BTreeMap;

use super::arms::Run;
use super::nest::{Lower, State};
use crate::ir::{Block, Expr as Code, Scalar, Stmt as IrStmt};
use crate::level::Walk;
use crate::tensor::Cursor;

impl Lower<'_> {
    /// The loops over a store that leads and an operand that follows.
    pub(super) fn store_leads(&mut self, run: Run<'_>, (store, other): (usize, usize), state: &State) -> Block {
        let (index, merged) = (run.one.index, &run.one.how.merged);
        let name = self.index_name(index);
        let (leader, follower) = (merged[store], merged[other]);
        let mut block = Block::new();
        let follows = self.cursor(follower, &name, state, &mut block);
        let Walk::Entries { store: entries } = self.walk(leader, state) else {
            unreachable!("what leads is a store");
        };
        let coord = self.vars.fresh(name.clone(), Scalar::Usize);
        let (value, place) = self.entry(leader, state);

        // The follower alone, as long as its coordinate is below a bound.
        let alone = |this: &mut Self, bound: Option<Code>| -> IrStmt {
            let c = this.vars.fresh(format!("{name}_{}", this.tensor_name(follower)), Scalar::Usize);
            let mut inner = Block::from(IrStmt::Let(c, follows.coordinate()));
            inner.append(this.alone(run, other, (c, follows.position()), state));
            inner.append(follows.advance());
            let before = bound.map(|bound| follows.coordinate().less(bound));
            let valid = before.into_iter().fold(follows.valid(), Code::and);
            IrStmt::While(valid, inner)
        };

        let mut inside = state.clone();
        inside.indices.insert(index, coord.into());
        let here = self.vars.fresh(format!("{}_here", self.tensor_name(follower)), Scalar::Bool);
        let mut entry = Block::from(vec![alone(self, Some(coord.into())), IrStmt::Let(here, follows.is_at(coord))]);
        let cursors = BTreeMap::from([
            (store, Cursor::Fixed { coordinate: coord.into(), pos: place }),
            (other, Cursor::Fixed { coordinate: coord.into(), pos: follows.position() }),
        ]);
        let tests = BTreeMap::from([(other, Code::Var(here))]);
        let mut cases = self.cases(run, 1 << store | 1 << other, tests, &cursors, &inside);
        match cases.0.last_mut() {
            Some(IrStmt::If { arms, .. }) if matches!(&arms[..], [(test, _)] if *test == Code::Var(here)) => {
                arms[0].1.append(follows.advance());
            }
            _ => cases.push(IrStmt::when(here.into(), follows.advance())),
        }
        entry.append(cases);
        block.push(IrStmt::ForEntries { store: entries, coord, value, ordered: true, fold: None, body: entry });
        if run.lattice.loops().contains(&(1 << other)) {
            block.push(alone(self, None));
        }
        block
    }
}
