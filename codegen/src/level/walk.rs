//! What the code of a level is given and what it gives back.

use std::collections::BTreeMap;

use super::{Place, Switches};
use crate::ir::{self, Block, Expr, Scalar, Var};

/// One parent of a level, in generated code.
pub struct Spot<'a> {
    /// The level's fields.
    pub fields: &'a BTreeMap<String, Var>,
    /// The parent's position.
    pub parent: Expr,
    /// How many coordinates there can be, a `usize`.
    pub extent: Expr,
    /// The coordinates of the levels above, each from its lower bound on, as `usize`.
    pub above: &'a [Expr],
    /// The extents of the tensor, one for each of its indices.
    pub shape: &'a [Expr],
    /// Where the level stands.
    pub place: Place<'a>,
    /// What was written in brackets.
    pub switches: &'a Switches,
}

impl Spot<'_> {
    /// The field called `name`.
    ///
    /// # Panics
    ///
    /// If the level has not listed it.
    pub fn field(&self, name: &str) -> Var {
        self.fields[name]
    }
}

/// A computation in generated code.
pub type Compute = Box<dyn Fn(Expr) -> Expr>;

/// How the coordinates of one parent are walked.
pub enum Walk {
    /// Counting coordinates.
    Interval {
        /// The first one.
        lo: Expr,
        /// One past the last one.
        hi: Expr,
        /// The position of a coordinate.
        position: Compute,
    },
    /// Counting positions.
    Positions {
        /// The first one.
        lo: Expr,
        /// One past the last one.
        hi: Expr,
        /// The coordinate at a position, a `usize`.
        coordinate: Compute,
        /// Whether a position keeps an entry, if not all do.
        present: Option<Compute>,
    },
    /// There is exactly one.
    One {
        /// Its position.
        position: Expr,
        /// Its coordinate.
        coordinate: Expr,
        /// Whether there is an entry after all, if that is not certain.
        present: Option<Expr>,
    },
    /// The entries of a store.
    Entries {
        /// The store.
        store: Expr,
    },
}

/// How a coordinate is looked up.
pub enum Located {
    /// At a position.
    At {
        /// What has to run first.
        setup: Block,
        /// Whether it is there, if that is not certain.
        found: Option<Expr>,
        /// Its position.
        position: Expr,
    },
    /// In a store, which is asked for it.
    InStore {
        /// The store.
        store: Expr,
        /// The coordinate.
        coordinate: Expr,
    },
}

/// What a level is packed from.
pub struct Packing<'a> {
    /// How many parents there are.
    pub parents: usize,
    /// The parent's position and the coordinate of each entry, sorted by parent; coordinates are counted from their lower bound.
    pub entries: &'a [(usize, usize)],
    /// How many coordinates there can be.
    pub extent: usize,
    /// The extents of the tensor.
    pub shape: &'a [usize],
    /// Where the level stands.
    pub place: Place<'a>,
    /// What was written in brackets.
    pub switches: &'a Switches,
}

/// A packed level.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    /// Its numbers, by name.
    pub sizes: BTreeMap<&'static str, usize>,
    /// Its positions, by name.
    pub positions: BTreeMap<&'static str, Vec<usize>>,
    /// Its coordinates, by name.
    pub coordinates: BTreeMap<&'static str, Vec<u32>>,
    /// The position of each entry.
    pub at: Vec<usize>,
    /// How many positions there are.
    pub count: usize,
}

/// The array in which the coordinates of positions lie, if they lie in one.
pub(crate) fn array_of(coordinate: &dyn Fn(Expr) -> Expr) -> Option<Var> {
    match coordinate(ir::usize(0)) {
        Expr::Cast(Scalar::Usize, stored) => match *stored {
            Expr::Load(array, at) if *at == ir::usize(0) => Some(array),
            _ => None,
        },
        _ => None,
    }
}
