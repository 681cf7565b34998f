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
            let operands = &merged.iter().enumerate().map(|(n, &at)| (at, present(n))).collect();
            Possible { draft: self, known: known.clone(), operands, workspaces: BTreeMap::new() }.wanted(body)
        };
        let somewhere = wanted(&|n| match required[n] {
            true => Presence::Always,
            false => Presence::When(Needs::Entry(merged[n])),
        });
        let outlasts = !required.contains(&true) && wanted(&|_| Presence::Never) != Presence::Never;
        let flags = Flags { required, whole, wanted: somewhere, outlasts };
        How { active, merged, lookups: Vec::new(), stuck: 0, by: By::Flags(flags) }
    }
}

/// Where there may be entries, as far as that is known. Conditions of `select` and what `without` removes are left out: they are tested at
/// each entry.
#[derive(Clone)]
struct Possible<'a, 'k> {
    draft: &'a Draft<'k>,
    known: Known,
    operands: &'a BTreeMap<usize, Presence<Needs>>,
    workspaces: BTreeMap<TensorId, Presence<Needs>>,
}

impl Possible<'_, '_> {
    /// Whether a statement may compute something. If it may, its assignments test it again.
    fn wanted(&self, stmt: &Stmt) -> Presence<Needs> {
        match stmt {
            Stmt::Assign(assign) => self.assign_wanted(assign),
            // Accesses are known by the loops around them.
            Stmt::Forall { index, body, .. } => {
                Possible { known: self.known.inside(*index), ..self.clone() }.wanted(body)
            }
            Stmt::Where { consumer, producer } => {
                let (made, mut inside) = (self.wanted(producer), self.clone());
                inside.workspaces.extend(producer.written().into_iter().map(|id| (id, made.clone())));
                inside.wanted(consumer)
            }
            Stmt::Sequence(parts) => parts.iter().fold(Presence::Never, |all, part| all.or(self.wanted(part))),
        }
    }

    fn assign_wanted(&self, assign: &Assign) -> Presence<Needs> {
        let mut entries = self;
        let (computed, absent) = presence(&assign.value, &mut entries);
        let nothing = absent.is_some_and(|absent| self.draft.leaves_target(assign, absent));
        let wanted = if nothing { computed } else { Presence::Always };
        match &assign.mask {
            Some(mask) if !mask.negated => wanted.and(entries.access(&mask.access)),
            _ => wanted,
        }
    }
}

impl Entries for &Possible<'_, '_> {
    type Condition = Needs;

    fn access(&mut self, access: &Access) -> Presence<Needs> {
        if let Some(made) = self.workspaces.get(&access.tensor) {
            return made.clone();
        }
        if self.known.unwritten.contains(&access.tensor) {
            return Presence::Never;
        }
        let Some(at) = self.draft.find(access, &self.known) else { return Presence::Always };
        match self.operands.get(&at) {
            _ if self.known.of(at).absent => Presence::Never,
            Some(present) => present.clone(),
            None if self.known.of(at).flagged => Presence::When(Needs::Entry(at)),
            None => Presence::Always,
        }
    }
}
