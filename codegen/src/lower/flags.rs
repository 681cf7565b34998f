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

use std::collections::BTreeMap;

use super::cursor::Cursor;
use super::nest::{Lower, State};
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt, Var};
use crate::lattice::{Flags, Set};
use crate::notation::concrete::{Access, Assign, Stmt, TensorId};
use crate::notation::presence::{Entries, Presence, presence};
use crate::plan::{Loop, Meeting};

/// Which operands and workspaces may have an entry, as far as that is known.
#[derive(Clone, Default)]
struct Presences {
    operands: BTreeMap<usize, Presence<Code>>,
    workspaces: BTreeMap<TensorId, Presence<Code>>,
}

impl Lower<'_> {
    /// The loop of a merge by flags; `state` is that inside of it.
    pub(super) fn by_flags(&mut self, one: &Loop, meeting: &Meeting, flags: &Flags, state: &State) -> Block {
        let (merged, body) = (&meeting.merged, &*one.body);
        let name = self.index_name(one.index);
        let mut block = Block::new();
        let cursors: Vec<Cursor> = merged.iter().map(|&at| self.cursor(at, &name, state, &mut block)).collect();
        let last: Vec<Code> = cursors.iter().map(Cursor::valid).collect();
        let any = last.iter().cloned().reduce(Code::or).unwrap_or(ir::bool(false));
        let going = match self.wanted_where(body, state, flags, merged, &last) {
            Presence::Never => return Block::new(),
            Presence::Always => any,
            // The condition may hold after all merged operands have ended: operands that are not merged here do not end here.
            Presence::When(going) if self.may_last(body, state, flags, merged) => any.and(going),
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
            self.leaves_rows_out(one.index, body);
            if let Presence::When(condition) = self.wanted_where(body, state, flags, merged, &is_here) {
                // One operand at least has the least coordinate: that any of them is here always holds, and is not tested.
                let certain = any.as_ref() == Some(&condition);
                inside.holds.push(condition.clone());
                wanted = Some(condition).filter(|_| !certain);
            }
        }
        let mut arm = Block::new();
        self.open_blocks(body, &inside, &mut arm);
        for &at in &meeting.active {
            self.search(at, &mut inside, &mut arm);
        }
        self.note_entries(&mut inside);
        arm.append(self.node(one.case(Set::MAX), &inside));
        self.end_rows(body, &inside, &mut arm);
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
                None => last[n].clone().and(cursors[n].coordinate().equal(i)),
            };
            inner.push(IrStmt::Let(flag, is));
            here.push(flag);
        }
        (i, here)
    }

    /// Whether the body may have anything to do where `present` says which operands have an entry: those that are required must have one,
    /// and of the others as many as the expression needs.
    fn wanted_where(
        &self,
        body: &Stmt,
        state: &State,
        flags: &Flags,
        merged: &[usize],
        present: &[Code],
    ) -> Presence<Code> {
        let mut known = Presences::default();
        for ((&at, here), required) in merged.iter().zip(present).zip(&flags.required) {
            known.operands.insert(at, if *required { Presence::Always } else { Presence::When(here.clone()) });
        }
        let required = present.iter().zip(&flags.required).filter(|(_, required)| **required).map(|(here, _)| here);
        let rest = self.wanted(body, state, &known);
        let required = required.cloned().reduce(Code::and).map_or(Presence::Always, Presence::When);
        required.and(rest)
    }

    /// Whether the body may have something to do where all merged operands have ended.
    fn may_last(&self, body: &Stmt, state: &State, flags: &Flags, merged: &[usize]) -> bool {
        let operands = merged.iter().map(|&at| (at, Presence::Never)).collect();
        let known = Presences { operands, ..Presences::default() };
        !flags.required.contains(&true) && !matches!(self.wanted(body, state, &known), Presence::Never)
    }

    /// Whether a statement may have anything to do. If it may, its assignments test it again.
    fn wanted(&self, stmt: &Stmt, state: &State, known: &Presences) -> Presence<Code> {
        match stmt {
            Stmt::Assign(assign) => self.assign_wanted(assign, state, known),
            Stmt::Forall { index, body, .. } => {
                // Accesses are known by the loops around them.
                let mut inside = state.clone();
                inside.path.push(*index);
                self.wanted(body, &inside, known)
            }
            Stmt::Where { consumer, producer } => {
                let made = self.wanted(producer, state, known);
                let mut known = known.clone();
                known.workspaces.extend(producer.written().into_iter().map(|id| (id, made.clone())));
                self.wanted(consumer, state, &known)
            }
            Stmt::Sequence(parts) => {
                parts.iter().fold(Presence::Never, |all, part| all.or(self.wanted(part, state, known)))
            }
        }
    }

    fn assign_wanted(&self, assign: &Assign, state: &State, known: &Presences) -> Presence<Code> {
        let (computed, absent) = presence(&assign.value, &mut Possible { lower: self, state, known });
        let nothing = absent.is_some_and(|absent| self.leaves_target(assign, absent));
        let wanted = if nothing { computed } else { Presence::Always };
        match &assign.mask {
            Some(mask) if !mask.negated => wanted.and(self.may_have_entry(&mask.access, state, known)),
            _ => wanted,
        }
    }

    /// Whether an access may have an entry.
    fn may_have_entry(&self, access: &Access, state: &State, known: &Presences) -> Presence<Code> {
        if let Some(made) = known.workspaces.get(&access.tensor) {
            return made.clone();
        }
        if state.unwritten.contains(&access.tensor) {
            return Presence::Never;
        }
        let Some(at) = self.find(access, state) else { return Presence::Always };
        match known.operands.get(&at) {
            _ if state.of(at).absent => Presence::Never,
            Some(known) => known.clone(),
            None => state.at(at).flag.map_or(Presence::Always, |flag| Presence::When(flag.into())),
        }
    }
}

/// Where there may be entries. Conditions of `select` and what `without` removes are left out: they are tested at each entry.
struct Possible<'a, 'k> {
    lower: &'a Lower<'k>,
    state: &'a State,
    known: &'a Presences,
}

impl Entries for Possible<'_, '_> {
    type Condition = Code;

    fn access(&mut self, access: &Access) -> Presence<Code> {
        self.lower.may_have_entry(access, self.state, self.known)
    }
}
