//! Choices of a plan: how operands are read, how results are made, what workspaces are, how loops are dealt out or why not.

use crate::lattice::Set;
use crate::notation::concrete::{Index, Reduction, TensorId};

/// The ways to read an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Each value is found by its coordinates.
    Located,
    /// Level by level, in the order of the loops.
    Direct,
    /// Level by level, in the order of the loops; equal coordinates that follow each other are taken as one.
    Chained,
    /// Its entries are taken in the order in which they are stored, and the other operands are looked up.
    Driver,
    /// A copy in the order of the loops is made first.
    Sorted,
    /// Its levels are searched for coordinates that are computed.
    Searched,
}

/// A dimension that an index runs along. The first one of an index gives its extent; the extents of the others must be equal to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// The index.
    pub index: Index,
    /// The tensor that is accessed with it, and in which of its dimensions.
    pub along: (TensorId, usize),
    /// For a dimension of a workspace, the index that it is written with: the dimension is as long as this one runs.
    pub made_by: Option<Index>,
}

/// A workspace of a `where`.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    /// The workspace.
    pub id: TensorId,
    /// Whether it remembers what was written: a scalar by a flag, an array by a list.
    pub remembers: bool,
    /// The indices that it is written with.
    pub indices: Vec<Index>,
}

/// A workspace that may have far more coordinates than entries.
#[derive(Clone, Debug)]
pub(crate) struct Wide {
    /// The workspace.
    pub id: TensorId,
    /// Its index.
    pub index: Index,
    /// How the producer folds into it.
    pub reduce: Reduction,
    /// The tensors of the statement, whose entries bound those of the workspace.
    pub tensors: Vec<TensorId>,
}

/// How a loop is dealt out to tasks.
#[derive(Clone, Debug)]
pub(crate) struct Deal {
    /// What its iterations write.
    pub shares: Vec<Share>,
    /// What is dealt out.
    pub over: Over,
}

impl Deal {
    /// The results of which each iteration counts, and then fills, a row.
    pub fn rows(&self) -> impl Iterator<Item = TensorId> {
        let row = |share: &Share| if let Share::Row(id) = share { Some(*id) } else { None };
        self.shares.iter().filter_map(row)
    }
}

/// What the iterations of a parallel loop write.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Share {
    /// All of them fold into a number.
    Fold(TensorId, Reduction),
    /// Each writes a part of a dense array. These are the indices of the dimensions before the one that the loop runs along; outer loops run
    /// over them.
    Part(TensorId, Vec<Index>),
    /// Each counts, and then fills, a row of an appended result.
    Row(TensorId),
    /// Each writes the values of a stretch of copied levels.
    Stretch(TensorId),
}

impl Share {
    /// The tensor that is written.
    pub fn tensor(&self) -> TensorId {
        match self {
            Share::Fold(id, _) | Share::Part(id, ..) | Share::Row(id) | Share::Stretch(id) => *id,
        }
    }
}

/// What a parallel loop runs over. Operands are numbered as in the sets of its lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// All coordinates.
    Coordinates,
    /// The coordinates between two bounds that an operand gives.
    Interval(usize),
    /// The positions of an operand.
    Positions(usize),
    /// The rows of a store, which has tasks of its own.
    Entries(usize),
}

/// The operands of a loop that skip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Skips {
    /// They search their array of coordinates for the coordinate that the others are at.
    pub operands: Set,
    /// Only an operand that is much longer than the other one does so, which is found out at run time.
    pub if_longer: bool,
}

/// How the loop over the entries of a driver is dealt out to tasks.
#[derive(Clone, Debug)]
pub(crate) struct DealtLevel {
    /// The level of the driver whose loop is dealt out.
    pub level: usize,
    /// What its iterations write.
    pub share: Share,
    /// How many rows of its part each iteration writes.
    pub rows: usize,
}

/// Why a loop is not dealt out to tasks, and what to do about it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    pub why: String,
    pub help: String,
}

impl Refusal {
    pub fn new(why: impl Into<String>, help: impl Into<String>) -> Refusal {
        Refusal { why: why.into(), help: help.into() }
    }

    /// There is nothing to do about it.
    pub fn for_good(why: impl Into<String>) -> Refusal {
        Refusal::new(why, "let the loop run in order")
    }
}
