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

use super::iterate::Stepper;
use super::nest::{Lower, State};
use super::stored::Stored;
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt, Var};
use crate::lattice::{Flags, Set};
use crate::notation::algebra::{annihilated, assigns_nothing, background, changes_nothing, fold};
use crate::notation::ast::Literal;
use crate::notation::concrete::{Access, Assign, Expr, Operator, Stmt, TensorId, number, same};
use crate::notation::type_of;
use crate::plan::{Loop, Meeting};

/// Which operands and workspaces may have an entry, as far as that is known.
#[derive(Clone, Default)]
struct Presences {
    operands: BTreeMap<usize, Stored>,
    workspaces: BTreeMap<TensorId, Stored>,
}

impl Lower<'_> {
    /// The loop of such a merge; `state` is that inside of it.
    pub(super) fn by_flags(&mut self, one: &Loop, meeting: &Meeting, flags: &Flags, state: &State) -> Block {
        let (merged, body) = (&meeting.merged, &*one.body);
        let name = self.index_name(one.index);
        let mut block = Block::new();
        let iterators: Vec<Stepper> = merged.iter().map(|&at| self.iterator(at, &name, state, &mut block)).collect();
        let last: Vec<Code> = iterators.iter().map(Stepper::valid).collect();
        let any = last.iter().cloned().reduce(Code::or).unwrap_or(ir::bool(false));
        let going = match self.wanted_where(body, state, flags, merged, &last) {
            Stored::Never => return Block::new(),
            Stored::Always => any,
            // Operands that are not merged here do not end here.
            Stored::If(going) if self.may_last(body, state, flags, merged) => any.and(going),
            Stored::If(going) => going,
        };
        let mut inner = Block::new();
        let (i, here) = self.flags_at(one, (merged, flags), &iterators, &last, &mut inner);
        let mut inside = state.clone();
        inside.indices.insert(one.index, i.into());
        for (n, &at) in merged.iter().enumerate() {
            let flag = Some(here[n]).filter(|_| !flags.required[n]);
            inside.enter(at, iterators[n].pos(), i.into(), flag);
        }
        let is_here: Vec<Code> = here.iter().map(|&flag| flag.into()).collect();
        let any = is_here.iter().cloned().reduce(Code::or);
        let mut wanted = None;
        if !flags.whole {
            self.leaves_rows_out(one.index, body);
            if let Stored::If(condition) = self.wanted_where(body, state, flags, merged, &is_here) {
                // An operand with the least coordinate is here.
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
        for (flag, iterator) in here.into_iter().zip(&iterators) {
            inner.push(IrStmt::when(flag.into(), iterator.advance()));
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
        iterators: &[Stepper],
        last: &[Code],
        inner: &mut Block,
    ) -> (Var, Vec<Var>) {
        let name = self.index_name(one.index);
        let mut coordinates = Vec::new();
        for (n, iterator) in iterators.iter().enumerate().filter(|_| !flags.whole) {
            let c = self.vars.fresh(format!("{name}_{}", self.tensor_name(merged[n])), Scalar::Usize);
            let coordinate = match flags.required[n] {
                true => iterator.coordinate(),
                false => last[n].clone().select(iterator.coordinate(), ir::usize(usize::MAX)),
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
                None => last[n].clone().and(iterators[n].coordinate().equal(i)),
            };
            inner.push(IrStmt::Let(flag, is));
            here.push(flag);
        }
        (i, here)
    }

    /// Whether the body may have anything to do where `there` says which operands have an entry: those that are required must have one, and
    /// of the others as many as the expression needs.
    fn wanted_where(&self, body: &Stmt, state: &State, flags: &Flags, merged: &[usize], there: &[Code]) -> Stored {
        let mut known = Presences::default();
        for ((&at, there), required) in merged.iter().zip(there).zip(&flags.required) {
            known.operands.insert(at, if *required { Stored::Always } else { Stored::If(there.clone()) });
        }
        let required = there.iter().zip(&flags.required).filter(|(_, required)| **required).map(|(there, _)| there);
        let rest = self.wanted(body, state, &known);
        match required.cloned().reduce(Code::and) {
            None => rest,
            Some(all) => match rest {
                Stored::Never => Stored::Never,
                Stored::Always => Stored::If(all),
                Stored::If(rest) => Stored::If(all.and(rest)),
            },
        }
    }

    /// Whether the body may have something to do where all merged operands have ended.
    fn may_last(&self, body: &Stmt, state: &State, flags: &Flags, merged: &[usize]) -> bool {
        let operands = merged.iter().map(|&at| (at, Stored::Never)).collect();
        let known = Presences { operands, ..Presences::default() };
        !flags.required.contains(&true) && !matches!(self.wanted(body, state, &known), Stored::Never)
    }

    /// Whether a statement may have anything to do. If it may, its assignments test it again.
    fn wanted(&self, stmt: &Stmt, state: &State, known: &Presences) -> Stored {
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
                parts.iter().fold(Stored::Never, |all, part| all.or(self.wanted(part, state, known)))
            }
        }
    }

    fn assign_wanted(&self, assign: &Assign, state: &State, known: &Presences) -> Stored {
        let id = assign.target.tensor;
        let tensor = self.kernel.tensor(id);
        let fresh = self.is_fresh(id);
        let (wanted, absent) = self.departs(&assign.value, state, known);
        let ty = type_of(&assign.value, &self.kernel.tensors).map_or(tensor.value, |ty| ty.join(tensor.value));
        let zero = assign.over.as_ref().map(|semiring| semiring.zero);
        let nothing = absent.is_some_and(|absent| match assign.reduce {
            Some(reduce) => changes_nothing(reduce, zero, absent, ty),
            None => fresh && assigns_nothing(zero, absent, ty, tensor.fill, tensor.value),
        });
        let wanted = if nothing { wanted } else { Stored::Always };
        match &assign.mask {
            Some(mask) if !mask.negated => both(wanted, self.may_have_entry(&mask.access, state, known)),
            _ => wanted,
        }
    }

    /// Whether an access may have an entry.
    fn may_have_entry(&self, access: &Access, state: &State, known: &Presences) -> Stored {
        if let Some(made) = known.workspaces.get(&access.tensor) {
            return made.clone();
        }
        if state.gone.contains(&access.tensor) {
            return Stored::Never;
        }
        let Some(at) = self.find(access, state) else { return Stored::Always };
        match known.operands.get(&at) {
            _ if state.of(at).absent => Stored::Never,
            Some(there) => there.clone(),
            None => state.at(at).flag.map_or(Stored::Always, |flag| Stored::If(flag.into())),
        }
    }

    /// Whether an expression may differ from its value where all operands are absent, and that value. If the value is not known, it may.
    fn departs(&self, expr: &Expr, state: &State, known: &Presences) -> (Stored, Option<Literal>) {
        match expr {
            Expr::Literal(value) => (Stored::Never, Some(*value)),
            Expr::Index(_) | Expr::Argument(_) => (Stored::Always, None),
            Expr::Access(access) => match self.may_have_entry(access, state, known) {
                Stored::Always => (Stored::Always, None),
                there => (there, Some(access.fill)),
            },
            Expr::Apply(Operator::Without, args) => self.departs(&args[0], state, known),
            Expr::Apply(Operator::Select, args) => {
                let (kept, absent) = self.departs(&args[0], state, known);
                let nothing = background(&args[0]);
                match self.departs(&args[1], state, known) {
                    (condition, Some(no)) if number(no) == 0.0 && absent.is_none_or(|absent| same(absent, nothing)) => {
                        (both(kept, condition), Some(nothing))
                    }
                    (Stored::Never, _) => (kept, absent),
                    _ => match absent.filter(|absent| same(*absent, nothing)) {
                        Some(absent) => (kept, Some(absent)),
                        None => (Stored::Always, None),
                    },
                }
            }
            Expr::Apply(op, args) => {
                let args: Vec<_> = args.iter().map(|arg| self.departs(arg, state, known)).collect();
                let decides = |at: usize| args[at].1.and_then(|absent| annihilated(op, at, absent));
                if let Some(absent) = (0..args.len()).find_map(decides) {
                    let needed = (0..args.len()).filter(|&at| decides(at).is_some()).map(|at| args[at].0.clone());
                    return (needed.reduce(both).unwrap_or(Stored::Always), Some(absent));
                }
                let absent: Option<Vec<Literal>> = args.iter().map(|(_, absent)| *absent).collect();
                match absent.and_then(|absent| fold(op, &absent)) {
                    None => (Stored::Always, None),
                    absent => (args.into_iter().fold(Stored::Never, |all, (any, _)| all.or(any)), absent),
                }
            }
        }
    }
}

fn both(a: Stored, b: Stored) -> Stored {
    match (a, b) {
        (Stored::Never, _) | (_, Stored::Never) => Stored::Never,
        (Stored::Always, other) | (other, Stored::Always) => other,
        (Stored::If(a), Stored::If(b)) => Stored::If(a.and(b)),
    }
}
