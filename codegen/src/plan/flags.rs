//! Merges of any number of operands: one loop, and a flag for each operand that says whether it has an entry.

use std::collections::BTreeMap;

use super::draft::Draft;
use super::known::Known;
use super::tree::{By, Flags, How, Needs};
use crate::notation::concrete::{Access, Assign, Stmt, TensorId};
use crate::notation::presence::{Condition, Entries, Presence, presence};

impl Condition for Needs {
    fn and(self, other: Needs) -> Needs {
        Needs::Both(Box::new(self), Box::new(other))
    }

    fn or(self, other: Needs) -> Needs {
        Needs::Either(Box::new(self), Box::new(other))
    }
}

/// Which operands and workspaces may have an entry, as far as that is known.
#[derive(Clone, Default)]
struct Presences {
    operands: BTreeMap<usize, Presence<Needs>>,
    workspaces: BTreeMap<TensorId, Presence<Needs>>,
}

impl Draft<'_> {
    /// A merge of operands with a flag for each.
    pub fn merge_by_flags(&self, active: Vec<usize>, merged: Vec<usize>, body: &Stmt, known: &Known) -> How {
        let without = |gone: &[usize]| {
            let mut known = known.clone();
            gone.iter().for_each(|&at| known.leave(at));
            !self.nothing_to_do(body, &known, &[])
        };
        let whole = without(&merged);
        let required: Vec<bool> = merged.iter().map(|&at| !whole && !without(&[at])).collect();
        let wanted = |present: &dyn Fn(usize) -> Presence<Needs>| {
            let operands = merged.iter().enumerate().map(|(n, &at)| (at, present(n))).collect();
            self.wanted(body, known, &Presences { operands, ..Presences::default() })
        };
        let somewhere = wanted(&|n| match required[n] {
            true => Presence::Always,
            false => Presence::When(Needs::Entry(merged[n])),
        });
        let outlasts = !required.contains(&true) && wanted(&|_| Presence::Never) != Presence::Never;
        let flags = Flags { required, whole, wanted: somewhere, outlasts };
        How { active, merged, lookups: Vec::new(), stuck: 0, by: By::Flags(flags) }
    }

    /// Whether a statement may have anything to do. If it may, its assignments test it again.
    fn wanted(&self, stmt: &Stmt, known: &Known, present: &Presences) -> Presence<Needs> {
        match stmt {
            Stmt::Assign(assign) => self.assign_wanted(assign, known, present),
            // Accesses are known by the loops around them.
            Stmt::Forall { index, body, .. } => self.wanted(body, &known.inside(*index), present),
            Stmt::Where { consumer, producer } => {
                let made = self.wanted(producer, known, present);
                let mut present = present.clone();
                present.workspaces.extend(producer.written().into_iter().map(|id| (id, made.clone())));
                self.wanted(consumer, known, &present)
            }
            Stmt::Sequence(parts) => {
                parts.iter().fold(Presence::Never, |all, part| all.or(self.wanted(part, known, present)))
            }
        }
    }

    fn assign_wanted(&self, assign: &Assign, known: &Known, present: &Presences) -> Presence<Needs> {
        let (computed, absent) = presence(&assign.value, &mut Possible { draft: self, known, present });
        let nothing = absent.is_some_and(|absent| self.leaves_target(assign, absent));
        let wanted = if nothing { computed } else { Presence::Always };
        match &assign.mask {
            Some(mask) if !mask.negated => wanted.and(self.may_have_entry(&mask.access, known, present)),
            _ => wanted,
        }
    }

    /// Whether an access may have an entry.
    fn may_have_entry(&self, access: &Access, known: &Known, present: &Presences) -> Presence<Needs> {
        if let Some(made) = present.workspaces.get(&access.tensor) {
            return made.clone();
        }
        if known.unwritten.contains(&access.tensor) {
            return Presence::Never;
        }
        let Some(at) = self.find(access, known) else { return Presence::Always };
        match present.operands.get(&at) {
            _ if known.of(at).absent => Presence::Never,
            Some(present) => present.clone(),
            None if known.of(at).flagged => Presence::When(Needs::Entry(at)),
            None => Presence::Always,
        }
    }
}

/// Where there may be entries. Conditions of `select` and what `without` removes are left out: they are tested at each entry.
struct Possible<'a, 'k> {
    draft: &'a Draft<'k>,
    known: &'a Known,
    present: &'a Presences,
}

impl Entries for Possible<'_, '_> {
    type Condition = Needs;

    fn access(&mut self, access: &Access) -> Presence<Needs> {
        self.draft.may_have_entry(access, self.known, self.present)
    }
}
