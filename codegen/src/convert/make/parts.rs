//! What a maker remembers between its steps, and what these hand to each other.

use crate::ir::{self, Block, Expr, Owned, Partition, Var};

/// How a walk is dealt out.
#[derive(Clone)]
pub(crate) struct Deal {
    /// How many tasks there are.
    pub tasks: Var,
    /// How many entries there are, or rows where that is not known.
    pub entries: Expr,
    /// What tasks take stretches of.
    pub(super) over: Over,
}

/// What a walk that is dealt out comes with.
#[derive(Default)]
pub(super) struct With {
    /// What is done within the loop over a level.
    pub enter: Option<(usize, Block)>,
    /// Arrays of which each task has a part of its own.
    pub own: Vec<Owned>,
    /// What each task does first.
    pub first: Block,
    /// How many rows stay together, if it is more than one.
    pub align: usize,
}

/// What tasks take stretches of.
#[derive(Clone)]
pub(super) enum Over {
    /// Rows: how many, and the array that says where they end.
    Rows(Expr, Option<Var>),
    /// Positions from here on.
    Positions(Expr),
}

/// Numbers that counted entries for a counter. Those of tasks have become where each of them begins to count.
pub(crate) struct Counted {
    pub counts: Var,
    pub tasks: Option<Var>,
}

impl Counted {
    /// The numbers of each task, `stride` of them.
    pub fn own_numbers(&self, stride: Expr) -> Owned {
        Owned { array: self.counts, partition: Partition::Each { offset: ir::usize(0), stride } }
    }
}

/// The coordinates below each parent, listed when they were counted.
#[derive(Clone, Copy)]
pub(crate) struct Listed {
    /// The coordinates, each once, those of a parent in order.
    pub own: Var,
    /// Where the entries of each row of the source begin.
    pub ends: Var,
}

/// How a level that keeps each coordinate once is made when several entries have it: places that were seen are remembered.
pub(super) struct Seen {
    /// What names of variables begin with.
    pub prefix: String,
    /// Coordinates that stay the same over stretches of entries, and those that do not: target levels.
    pub stretch: Vec<usize>,
    pub rest: Vec<usize>,
    /// Whether entries come in the order in which the level keeps them.
    pub in_order: bool,
    /// How many rows of the source make up a stretch, if tasks can take whole ones.
    pub align: Option<usize>,
}

/// What a walk remembers.
#[derive(Clone, Copy)]
pub(super) struct Places {
    /// For each place outside of the stretch, the stretch that last had it there; a number if there is one place.
    pub stamp: Var,
    /// The position it has.
    pub slot: Var,
}
