//! How tensors are kept, and what accesses are read from, without variables of generated code. `lower::nest` has the variables that go with it.

use std::sync::Arc;

use super::appendable::Appendable;
use crate::format::{Format, Way};
use crate::notation::concrete::{Access, Index};

/// How a tensor is kept while a statement runs.
#[derive(Clone, Debug)]
pub(crate) enum Kept {
    /// A number; whether a flag says if anything was written to it.
    Scalar { remembers: bool },
    /// Levels.
    Levels(Arc<Form>),
    /// The array of a workspace; whether there is a list of what was written.
    Array { listed: bool },
    /// Entries that are collected; whether they come in order.
    Collected { in_order: bool },
    /// Entries that are appended to these levels.
    Appended(Appendable),
    /// The levels of an operand, copied.
    Copied(Arc<Copied>),
    /// A part of a dense tensor.
    View,
}

/// The levels of a tensor, and the part of it that is accessed.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    /// The levels.
    pub format: Format,
    /// The step of the slice of each dimension, if it is accessed in part; empty if all of the tensor is accessed.
    pub steps: Vec<Option<usize>>,
}

/// A result with the levels of an operand.
#[derive(Clone, Debug)]
pub(crate) struct Copied {
    /// The operand.
    pub of: Access,
    /// The levels that are copied, down to the last compressed one.
    pub places: Appendable,
}

/// How an access is read while loops run.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    /// The access.
    pub access: Access,
    /// The loops over its indices, outermost first.
    pub order: Vec<Index>,
    /// What it is read from.
    pub from: From,
    /// Whether it drives a statement. No other statement reads it so.
    pub drives: bool,
    /// Whether it is a sorted copy.
    pub sorted: bool,
}

/// What an access is read from.
#[derive(Clone, Debug)]
pub(crate) enum From {
    /// Levels, and the index that each of them keeps.
    Levels(Arc<Form>, Vec<Index>),
    /// The list of what was written to a workspace.
    Written,
    /// A workspace that has not been made yet.
    Unmade,
}

impl Reading {
    /// The levels that it is read from, if it is read from levels.
    pub fn form(&self) -> Option<&Form> {
        match &self.from {
            From::Levels(form, _) => Some(form),
            From::Written | From::Unmade => None,
        }
    }
}

impl Kept {
    /// Whether only entries are written.
    pub fn is_sparse(&self) -> bool {
        matches!(
            self,
            Kept::Collected { .. }
                | Kept::Appended(_)
                | Kept::Array { listed: true }
                | Kept::Scalar { remembers: true }
        )
    }

    /// All of a tensor in a format.
    pub fn whole(format: &Format) -> Kept {
        Kept::Levels(Arc::new(Form { format: format.clone(), steps: Vec::new() }))
    }
}

impl Form {
    /// Whether a part of the dimension that level `at` keeps is accessed.
    pub fn is_cut(&self, at: usize) -> bool {
        self.format.levels[at].dimension().and_then(|m| self.steps.get(m)).is_some_and(Option::is_some)
    }

    /// Whether the accessed part of level `at` can be walked without a copy: either positions are computed from coordinates, or ascending
    /// coordinates lie in an array and the part has step 1, so that it is contiguous.
    pub fn is_walked(&self, at: usize) -> bool {
        let level = &self.format.levels[at];
        let Some(step) = level.dimension().and_then(|m| *self.steps.get(m)?) else { return true };
        let properties = level.properties;
        let stretch = matches!(level.way(), Way::Interval | Way::Positions { array: true, gaps: false });
        level.is_searched() || step == 1 && properties.ordered && properties.unique && stretch
    }

    /// Why the accessed part of level `at` cannot be walked, if it cannot.
    pub fn why_unwalked(&self, at: usize) -> &'static str {
        let step = self.format.levels[at].dimension().and_then(|m| self.steps.get(m).copied().flatten());
        match step {
            Some(2..) => "a slice with a step is read, and a level that keeps coordinates is walked without steps",
            _ => "a slice or a shifted part of it is read, and a level cannot be walked from a coordinate in between",
        }
    }

    /// Why the accessed part cannot be read without a copy, neither by walking it nor by looking up coordinates; `None` if it can.
    pub fn why_copied(&self) -> Option<&'static str> {
        let in_place = |at: &usize| self.is_walked(*at) || self.format.capabilities(*at).locate;
        (0..self.format.levels.len()).find(|at| !in_place(at)).map(|at| self.why_unwalked(at))
    }
}
