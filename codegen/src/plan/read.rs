//! How each access of an assignment is read at a place of the loops, and what an assignment tests there.

use std::sync::Arc;

use super::draft::Draft;
use super::kept::Kept;
use super::known::Known;
use super::tree::{Assignment, Entry, Origin, Read};
use crate::notation::ast::Literal;
use crate::notation::concrete::{Access, Assign, Expr, Role, same};
use crate::notation::presence::{Entries, Presence, presence};

impl Draft<'_> {
    /// An assignment of which `value` remains to be computed; `None` if nothing is written after all.
    ///
    /// # Errors
    ///
    /// An access of a tensor that is being made.
    pub fn assignment(&self, assign: &Assign, value: Expr, known: &Known) -> Result<Option<Assignment>, Access> {
        let mut accesses: Vec<Access> = Vec::new();
        value.accesses(&mut |access| accesses.push(access.clone()));
        accesses.extend(assign.mask.iter().map(|mask| mask.access.clone()));
        let mut reads: Vec<Read> = Vec::new();
        for access in accesses {
            if !reads.iter().any(|read| read.access == access) {
                reads.push(self.read(access, known)?);
            }
        }
        let reads = Arc::new(reads);
        let masked = assign.mask.as_ref().is_some_and(|mask| self.presence(&mask.access, known) == Presence::When(()));
        let (computed, absent) = presence(&value, &mut Tests(&reads));
        let of_entries = self.tests_entries(assign, &value, absent, &reads);
        if of_entries && computed == Presence::Never {
            return Ok(None);
        }
        // The zero of the semiring stands for no value in any type: it is written as the zero of the target's own type.
        let is_nothing = |zero: Literal| matches!(value, Expr::Literal(value) if same(value, zero));
        let ty = match &assign.over {
            Some(semiring) if is_nothing(semiring.zero) => self.kernel.tensor(assign.target.tensor).value,
            _ => self.computed_type(assign),
        };
        Ok(Some(Assignment { assign: assign.clone(), value, ty, reads, masked, of_entries }))
    }

    /// Whether an assignment is left out where its value, which is `absent` there, is computed from no entry.
    fn tests_entries(&self, assign: &Assign, value: &Expr, absent: Option<Literal>, reads: &[Read]) -> bool {
        let scalar = |access: &Access| matches!(self.kept[access.tensor.0], Some(Kept::Scalar { .. }));
        let (sparse, folds) = (self.is_sparse(assign.target.tensor), assign.reduce.is_some());
        let mut flagged = false;
        value.accesses(&mut |access| flagged |= Read::of(access, reads).flag && !scalar(access));
        if sparse || folds && flagged {
            return absent.is_some_and(|absent| self.leaves_target(assign, absent));
        }
        // Where nothing was written to a workspace, nothing is folded in.
        folds && matches!(value, Expr::Access(access) if Read::of(access, reads).flag)
    }

    /// How an access is read.
    fn read(&self, access: Access, known: &Known) -> Result<Read, Access> {
        let kept = &self.kept[access.tensor.0];
        let from = match self.find(&access, known) {
            _ if known.unwritten.contains(&access.tensor) => Origin::Nothing,
            Some(at) if known.of(at).absent => Origin::Nothing,
            Some(at) => Origin::Operand(at),
            None => match kept {
                Some(Kept::Scalar { .. } | Kept::Levels(_) | Kept::Array { .. } | Kept::View) => Origin::Stored,
                _ => return Err(access),
            },
        };
        let (flag, untested) = match (kept, from) {
            (Some(Kept::Scalar { remembers }), _) => (*remembers, false),
            (_, Origin::Operand(at)) => (known.of(at).flagged, self.is_padded(at) && !known.of(at).tested),
            _ => (self.kernel.tensor(access.tensor).role == Role::LookedUp, false),
        };
        let entry = match self.presence(&access, known) {
            Presence::Never => Entry::Never,
            Presence::Always => Entry::Always,
            Presence::When(()) if flag && !untested => Entry::Flag,
            Presence::When(()) => Entry::Value,
        };
        Ok(Read { access, from, flag, entry })
    }
}

impl Read {
    /// How `access` is read.
    pub fn of<'r>(access: &Access, reads: &'r [Read]) -> &'r Read {
        reads.iter().find(|read| read.access == *access).expect("each access of an assignment is read")
    }
}

/// Entries of which flags, conditions and values say while generated code runs whether they are there.
pub(crate) struct Tests<'r>(pub &'r [Read]);

impl Entries for Tests<'_> {
    type Condition = ();

    fn access(&mut self, access: &Access) -> Presence {
        if Read::of(access, self.0).flag { Presence::When(()) } else { Presence::Always }
    }

    fn selected(&mut self, _: &Expr, _: &Expr) -> Option<Presence> {
        Some(Presence::When(()))
    }

    fn left(&mut self, removed: &Expr) -> Presence {
        if matches!(removed, Expr::Access(_)) { Presence::When(()) } else { Presence::Always }
    }
}
