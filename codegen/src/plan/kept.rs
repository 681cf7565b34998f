//! How tensors are kept, and what accesses are read from, without variables of generated code. `lower::nest` has the variables that go with it.

use std::sync::Arc;

use super::Appendable;
use crate::format::{Coordinate, Format, FormatLevel};
use crate::level::{FieldKind, SEGMENTS, Switches};
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
    /// Entries that are appended: the indices of the dense levels on top, and whether anything but one compressed level lies below these.
    Appended { rows: Vec<Index>, deep: bool },
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

/// How the entries of a level are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// By counting coordinates.
    Interval,
    /// By counting positions; whether coordinates lie in an array at them, and whether some positions hold no entry.
    Positions { array: bool, gaps: bool },
    /// There is one entry at most, whose position follows from that of its parent.
    One,
    /// By a store's map.
    Entries,
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

impl Kept {
    /// All of a tensor in a format.
    pub fn whole(format: &Format) -> Kept {
        Kept::Levels(Arc::new(Form { format: format.clone(), steps: Vec::new() }))
    }
}

impl FormatLevel {
    /// The dimension that it keeps; `None` if it keeps a computed coordinate.
    pub(crate) fn dimension(&self) -> Option<usize> {
        match self.coordinate {
            Coordinate::Index(m) => Some(m),
            _ => None,
        }
    }

    /// The index of an access that it keeps; `None` if it keeps a computed coordinate.
    pub(crate) fn index_of(&self, access: &Access) -> Option<Index> {
        self.dimension().map(|m| access.indices[m])
    }

    /// Whether every coordinate has a position that is computed from it.
    pub(crate) fn is_searched(&self) -> bool {
        self.is_full() && self.kind.capabilities().locate
    }

    /// Whether it has a position for every coordinate, which values can be written at.
    pub(crate) fn is_array(&self) -> bool {
        self.is_full() && self.kind.capabilities().insert
    }

    /// Whether it keeps something for every coordinate of one of the indices that `of` holds for, or for every block or diagonal of them.
    pub(crate) fn spans(&self, of: impl Fn(usize) -> bool) -> bool {
        self.is_full() && self.coordinate.remainder().is_none() && self.coordinate.uses(&of)
    }

    /// Whether it keeps the coordinates of each parent as a list, in ascending order and each once.
    pub(crate) fn is_list(&self) -> bool {
        self.keeps(&SEGMENTS) && !self.is_store() && self.switches == Switches::default()
    }

    /// Whether entries can be visited one by one, in ascending order, with those of other levels in between.
    pub(crate) fn steps(&self) -> bool {
        self.properties.ordered && (!self.is_store() || self.kind.capabilities().step)
    }

    /// How its entries are visited.
    pub(crate) fn way(&self) -> Way {
        let capabilities = self.kind.capabilities();
        if self.is_store() {
            Way::Entries
        } else if capabilities.value_iteration {
            Way::Interval
        } else if self.properties.branchless {
            Way::One
        } else {
            let fields = self.kind.fields(&self.switches);
            let array = fields.iter().any(|(_, kind)| *kind == FieldKind::Positions);
            Way::Positions { array, gaps: !self.properties.compact }
        }
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

    /// Whether the accessed part can be read without a copy, by walking it or by looking up coordinates.
    pub fn is_cut_in_place(&self) -> bool {
        (0..self.format.levels.len()).all(|at| self.is_walked(at) || self.format.capabilities(at).locate)
    }
}

impl Format {
    /// The index that each level keeps.
    pub(crate) fn indices_of(&self, access: &Access) -> Vec<Index> {
        self.levels.iter().filter_map(|level| level.index_of(access)).collect()
    }

    /// The first level all of whose coordinates have to be visited to find one: it keeps them in no order, and no table of them.
    pub(crate) fn unsearchable(&self) -> Option<usize> {
        let visited = |level: &FormatLevel| {
            let searched = level.kind.lookup(&level.switches).is_some();
            let halved = level.properties.ordered && level.way() == Way::Positions { array: true, gaps: false };
            !level.coordinate.counts() && !searched && !halved && level.way() != Way::One
        };
        self.levels.iter().position(visited)
    }

    /// Whether stores hold the values.
    pub(crate) fn ends_in_store(&self) -> bool {
        self.levels.last().is_some_and(FormatLevel::is_store)
    }

    /// The first level from which on entries with the same coordinates lie side by side and are taken as one (deduplication with
    /// chaining, section 3.2.5 of the format paper): it keeps coordinates more than once, in order, and each level below has one
    /// child for each of its positions.
    pub(crate) fn chained(&self) -> Option<usize> {
        let levels = &self.levels;
        let from = levels.iter().position(|level| !level.properties.unique)?;
        let positions = |at: usize| {
            levels[at].properties.ordered && levels[at].properties.compact && self.capabilities(at).position_iteration
        };
        let below = |at: usize| positions(at) && levels[at].properties.branchless;
        (positions(from) && (from + 1..levels.len()).all(below)).then_some(from)
    }
}
