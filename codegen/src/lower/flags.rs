//! Merges of any number of operands: one loop, and a flag for each operand that says whether it has an entry.
//!
//! ```text
//! while a lasts or b lasts or … {
//!     i = the least coordinate of those that last
//!     a_here = a is at i   b_here = b is at i   …
//!     if a_here or b_here or … { R(i) = (a's value if a_here, else its fill) + … }
//!     those that are here move on
//! }
//! ```
//!
//! The condition on the flags follows from the expression: a disjunction for a sum, a conjunction for a product. Below an outer level, an
//! operand without an entry has nothing to walk. Code is linear in the number of operands, where cases would be exponential in it
//! (`crate::lattice`).

use super::nest::{Lower, State};
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt, Var};
use crate::lattice::Set;
use crate::notation::presence::Presence;
use crate::plan::{Flags, Loop, Needs};
use crate::tensor::Cursor;

impl Lower<'_> {
    /// The loop of a merge by flags; `state` is that inside of it.
    pub(super) fn by_flags(&mut self, one: &Loop, flags: &Flags, state: &State) -> Block {
        let merged = &one.how.merged;
        let name = self.index_name(one.index);
        let mut block = Block::new();
        let cursors: Vec<Cursor> = merged.iter().map(|&at| self.cursor(at, &name, state, &mut block)).collect();
        let last: Vec<Code> = cursors.iter().map(Cursor::valid).collect();
        let any = last.iter().cloned().reduce(Code::or).unwrap_or(ir::bool(false));
        let going = match Self::wanted(merged, flags, &last, state) {
            Presence::Never => return Block::new(),
            Presence::Always => any,
            // The condition may hold after all merged operands have ended: operands that are not merged here do not end here.
            Presence::When(going) if flags.outlasts => any.and(going),
            Presence::When(going) => going,
        };
        let mut inner = Block::new();
        let (i, here) = self.flags_at(one, (merged, flags), &cursors, &last, &mut inner);
        let mut inside = state.clone();
        inside.indices.insert(one.index, i.into());
        for (n, &at) in merged.iter().enumerate() {
            let flag = Some(here[n]).filter(|_| !flags.required[n]);
            inside.enter(at, cursors[n].position(), i.into(), flag);
        }
        let is_here: Vec<Code> = here.iter().map(|&flag| flag.into()).collect();
        let any = is_here.iter().cloned().reduce(Code::or);
        let mut wanted = None;
        if !flags.whole {
            self.leaves_rows_out(one);
            if let Presence::When(condition) = Self::wanted(merged, flags, &is_here, state) {
                // One operand at least has the least coordinate: that any of them is here always holds, and is not tested.
                let certain = any.as_ref() == Some(&condition);
                inside.holds.push(condition.clone());
                wanted = Some(condition).filter(|_| !certain);
            }
        }
        let mut arm = Block::new();
        self.open_blocks(one, &mut arm);
        arm.append(self.case(one.case(Set::MAX), inside.clone()));
        self.end_rows(one, &inside, &mut arm);
        match wanted {
            None => inner.append(arm),
            Some(wanted) => inner.push(IrStmt::when(wanted, arm)),
        }
        for (flag, cursor) in here.into_iter().zip(&cursors) {
            inner.push(IrStmt::when(flag.into(), cursor.advance()));
        }
        block.push(match flags.whole {
            true => IrStmt::count(i, ir::usize(0), self.extent(one.index), inner),
            false => IrStmt::While(going, inner),
        });
        block
    }

    /// The coordinate that the loop is at (the least one of its operands, or any), and a flag for each operand that says whether it has an
    /// entry there.
    fn flags_at(
        &mut self,
        one: &Loop,
        (merged, flags): (&[usize], &Flags),
        cursors: &[Cursor],
        last: &[Code],
        inner: &mut Block,
    ) -> (Var, Vec<Var>) {
        let name = self.index_name(one.index);
        let mut coordinates = Vec::new();
        for (n, cursor) in cursors.iter().enumerate().filter(|_| !flags.whole) {
            let c = self.vars.fresh(format!("{name}_{}", self.tensor_name(merged[n])), Scalar::Usize);
            let coordinate = match flags.required[n] {
                true => cursor.coordinate(),
                false => last[n].clone().select(cursor.coordinate(), ir::usize(usize::MAX)),
            };
            inner.push(IrStmt::Let(c, coordinate));
            coordinates.push(c);
        }
        let i = self.vars.fresh(name, Scalar::Usize);
        if let Some(least) = coordinates.iter().map(|&c| Code::Var(c)).reduce(Code::min) {
            inner.push(IrStmt::Let(i, least));
        }
        let mut here = Vec::new();
        for (n, &at) in merged.iter().enumerate() {
            let flag = self.vars.fresh(format!("{}_here", self.tensor_name(at)), Scalar::Bool);
            let is = match coordinates.get(n) {
                Some(&c) => Code::Var(c).equal(i),
                None => cursors[n].is_at(i),
            };
            inner.push(IrStmt::Let(flag, is));
            here.push(flag);
        }
        (i, here)
    }

    /// Whether the body may have anything to do where `present` says which operands have an entry: those that are required must have one,
    /// and of the others as many as the expression needs.
    fn wanted(merged: &[usize], flags: &Flags, present: &[Code], state: &State) -> Presence<Code> {
        let required = present.iter().zip(&flags.required).filter(|(_, required)| **required).map(|(here, _)| here);
        let required = required.cloned().reduce(Code::and).map_or(Presence::Always, Presence::When);
        let entry = |at: usize| match merged.iter().position(|own| *own == at) {
            Some(n) => present[n].clone(),
            None => state.at(at).flag.map_or(ir::bool(true), Code::Var),
        };
        required.and(match &flags.wanted {
            Presence::Never => Presence::Never,
            Presence::Always => Presence::Always,
            Presence::When(needs) => Presence::When(condition(needs, &entry)),
        })
    }
}

/// Whether there are the entries that something needs.
fn condition(needs: &Needs, entry: &dyn Fn(usize) -> Code) -> Code {
    match needs {
        Needs::Entry(at) => entry(*at),
        Needs::Both(left, right) => condition(left, entry).and(condition(right, entry)),
        Needs::Either(left, right) => condition(left, entry).or(condition(right, entry)),
    }
}
