//! What is known of the operands at a place in the loops.

use std::collections::BTreeMap;

use crate::lattice::Set;
use crate::notation::concrete::{Index, TensorId};

/// What is known at a place in the loops.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Known {
    /// The indices of the loops around, outermost first.
    pub path: Vec<Index>,
    /// The operands that have been followed so far, by number.
    pub followed: BTreeMap<usize, Followed>,
    /// Workspaces to which nothing was written.
    pub unwritten: Vec<TensorId>,
    /// The operand that drives the statement.
    pub driver: Option<usize>,
    /// Whether a loop around is dealt out to tasks.
    pub dealt: bool,
}

/// What is known of an operand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Followed {
    /// How many of its levels have been followed.
    pub depth: usize,
    /// It has no entry here.
    pub absent: bool,
    /// A flag says at run time whether it has one.
    pub flagged: bool,
    /// Its value has been compared with its fill.
    pub tested: bool,
}

impl Known {
    /// What is known of operand `at`.
    pub fn of(&self, at: usize) -> Followed {
        self.followed.get(&at).copied().unwrap_or_default()
    }

    /// Sets what is known of operand `at`.
    pub fn set(&mut self, at: usize, followed: Followed) {
        if followed == Followed::default() {
            self.followed.remove(&at);
        } else {
            self.followed.insert(at, followed);
        }
    }

    /// The operands of `set` have an entry in their next level, and the other ones of `merged` have none.
    pub fn entered(&self, merged: &[usize], set: Set) -> Known {
        let mut known = self.clone();
        for (n, &at) in merged.iter().enumerate() {
            if set & (1 << n) == 0 {
                known.leave(at);
            } else {
                known.follow(at, false);
            }
        }
        known
    }

    /// Operand `at` has an entry in its next level, or a flag says whether it has.
    pub fn follow(&mut self, at: usize, flagged: bool) {
        let followed = self.of(at);
        self.set(at, Followed { depth: followed.depth + 1, flagged, ..followed });
    }

    /// Operand `at` has no entry.
    pub fn leave(&mut self, at: usize) {
        self.set(at, Followed { absent: true, ..Followed::default() });
    }

    /// Inside of a loop over `index`.
    pub fn inside(&self, index: Index) -> Known {
        let mut known = self.clone();
        known.path.push(index);
        known
    }
}
