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

use super::iterate::Stepper;
use super::loops::Merge;
use super::nest::{Lower, Source, State};
use super::{Stopped, unsupported};
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt, Type};
use crate::level::Walk;
use crate::notation::concrete::{Index, Stmt};

impl Lower<'_> {
    /// Which of two operands leads and which follows, if the loops over them can be such: by their numbers among the merged.
    pub(super) fn leads(&self, merge: &Merge, state: &State) -> Option<(usize, usize)> {
        let loops = merge.lattice.loops();
        let together = loops.iter().fold(0, |all, set| all | set);
        if merge.lattice.whole || together.count_ones() != 2 {
            return None;
        }
        let numbers = [together.trailing_zeros() as usize, 31 - together.leading_zeros() as usize];
        let stores = numbers.map(|n| matches!(self.walk(merge.merged[n], state), Walk::Entries { .. }));
        let (store, other) = match stores {
            [true, false] => (numbers[0], numbers[1]),
            [false, true] => (numbers[1], numbers[0]),
            _ => return None,
        };
        let Source::Levels(levels, _) = &self.operands[merge.merged[store]].source else { return None };
        // A store that may not be there has no map to lead with.
        self.reached(merge.merged[store], state).flag.is_none().then_some(())?;
        let rows = matches!(levels.entry_type(self.reached(merge.merged[store], state).depth), Some(Type::Store(_)));
        let follows = match self.walk(merge.merged[other], state) {
            Walk::Positions { present, .. } => present.is_none() && !self.is_chained(merge.merged[other], state),
            Walk::Interval { .. } => true,
            Walk::One { .. } | Walk::Entries { .. } => false,
        };
        (loops.contains(&(1 << store)) && follows && !rows).then_some((store, other))
    }

    /// The loops over a store that leads and an operand that follows.
    pub(super) fn led(
        &mut self,
        index: Index,
        (store, other): (usize, usize),
        merge: &Merge,
        body: &Stmt,
        state: &State,
    ) -> Result<Block, Stopped> {
        let Merge { active, merged, lattice } = merge;
        let name = self.kernel.indices[index.0].to_lowercase();
        let (leader, follower) = (merged[store], merged[other]);
        let mut block = Block::new();
        let follows = self.iterator(follower, &name, state, &mut block)?;
        let Source::Levels(levels, _) = self.operands[leader].source.clone() else {
            return Err(unsupported(self.span, "a workspace is no store"));
        };
        let Walk::Entries { store: entries } = self.walk(leader, state) else {
            return Err(unsupported(self.span, "a store without entries"));
        };
        let depth = self.reached(leader, state).depth;
        let coord = self.vars.fresh(name.clone(), Scalar::Usize);
        let tensor = self.tensor_name(leader);
        let value = levels.entry_type(depth).map(|ty| self.vars.fresh(format!("{tensor}_entry"), ty));
        let place = levels.below(depth, value.map_or(ir::bool(true), Code::Var));

        // The follower alone, as long as its coordinate is below a bound.
        let alone = |this: &mut Self, bound: Option<Code>| -> Result<IrStmt, Stopped> {
            let c = this.vars.fresh(format!("{name}_{}", this.tensor_name(follower)), Scalar::Usize);
            let mut inside = state.clone();
            inside.indices.insert(index, c.into());
            let stepper = BTreeMap::from([(other, Stepper::fixed(c.into(), follows.pos()))]);
            let mut inner = Block::from(IrStmt::Let(c, follows.coordinate()));
            inner.append(this.cases(lattice, 1 << other, Vec::new(), merged, &stepper, active, body, &inside)?);
            inner.append(follows.advance());
            let before = bound.map(|bound| follows.coordinate().less(bound));
            let valid = before.into_iter().fold(follows.valid(), Code::and);
            Ok(IrStmt::While(valid, inner))
        };

        let mut inside = state.clone();
        inside.indices.insert(index, coord.into());
        let here = self.vars.fresh(format!("{}_here", self.tensor_name(follower)), Scalar::Bool);
        let mut entry = Block::from(vec![
            alone(self, Some(coord.into()))?,
            IrStmt::Let(here, follows.valid().and(follows.coordinate().equal(coord))),
        ]);
        let iterators = BTreeMap::from([
            (store, Stepper::fixed(coord.into(), place)),
            (other, Stepper::fixed(coord.into(), follows.pos())),
        ]);
        let tests = vec![(other, Code::Var(here))];
        let set = 1 << store | 1 << other;
        let mut cases = self.cases(lattice, set, tests, merged, &iterators, active, body, &inside)?;
        match cases.0.last_mut() {
            Some(IrStmt::If { arms, .. }) if matches!(&arms[..], [(test, _)] if *test == Code::Var(here)) => {
                arms[0].1.append(follows.advance());
            }
            _ => cases.push(IrStmt::when(here.into(), follows.advance())),
        }
        entry.append(cases);
        block.push(IrStmt::ForEntries { store: entries, coord, value, ordered: true, body: entry });
        if lattice.loops().contains(&(1 << other)) {
            block.push(alone(self, None)?);
        }
        Ok(block)
    }
}
