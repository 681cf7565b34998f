//! Where the tensors of a statement are stored, and results that are being assembled.

use std::sync::Arc;

use super::storage::Levels;
use super::window::Window;
use crate::convert::list::List;
use crate::ir::{self, Expr as Code, Var};
use crate::notation::concrete::Index;
use crate::plan::Copied;

/// Where a tensor is stored.
#[derive(Clone, Debug)]
pub(super) enum Storage {
    /// A scalar; `flag` tells whether anything was written to it.
    Scalar { var: Var, flag: Option<Var> },
    /// Levels.
    Levels(Arc<Levels>),
    /// A dense workspace in row-major order.
    Dense { shape: Vec<Code>, vals: Var, marks: Option<Marks> },
    /// A sparse result under collection.
    List(List),
    /// A sparse result whose entries come in its own order.
    Append(Append),
    /// A sparse result with the levels of an operand.
    Shaped(Shaped),
    /// Places of a tensor that holds a value everywhere.
    Viewed(Arc<Viewed>),
}

/// What remembers where something was written to a workspace of one dimension.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    /// Whether it was, for each coordinate.
    pub set: Var,
    /// The coordinates where it was.
    pub list: Var,
}

/// A result whose entries come in its own order, under assembly: levels that are dense, and below them levels that are compressed.
///
/// An entry is appended to a compressed level with others below it once the levels below have everything of the entry, and only if they have
/// anything.
#[derive(Clone, Debug)]
pub(super) struct Append {
    /// Where the entries of each parent begin in the last compressed level.
    pub pos: Var,
    /// The coordinates of that level.
    pub crd: Var,
    /// The compressed levels above the last one, outermost first.
    pub outer: Vec<Listed>,
    /// The levels below the last compressed one that have one coordinate for each of its entries: the dimension that each keeps, and the
    /// array of its coordinates.
    pub singles: Vec<(usize, Var)>,
    /// Dense levels below the last compressed one.
    pub tail: Option<Box<Tail>>,
    pub vals: Option<Var>,
    /// The extents of the dense levels, outermost first.
    pub extents: Vec<Code>,
    /// The indices that these levels keep.
    pub rows: Vec<Index>,
    /// Whether some rows may be left out, and so have no end of their own.
    pub gaps: bool,
    /// The dimension that the last compressed level keeps.
    pub last: usize,
    /// What an assignment to the result does.
    pub phase: Phase,
}

/// Dense levels below a compressed one, under assembly: each entry of that one gets a block of values.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    /// The extents of the levels, outermost first.
    pub extents: Vec<Code>,
    /// The dimensions that they keep.
    pub modes: Vec<usize>,
    /// How many values a block has.
    pub size: Code,
    /// Whether anything was written to the block that is open.
    pub any: Var,
    /// What values start from.
    pub fill: Code,
}

/// A compressed level with others below it, under assembly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed {
    pub pos: Var,
    pub crd: Var,
    /// The index that it keeps.
    pub index: Index,
}

impl Append {
    /// Where the entries of each row of the dense levels begin, and the coordinates of these entries.
    pub fn first(&self) -> (Var, Var) {
        self.level(0)
    }

    /// The positions and coordinates of compressed level number `at`, counted from the first one below the dense levels.
    pub fn level(&self, at: usize) -> (Var, Var) {
        self.outer.get(at).map_or((self.pos, self.crd), |level| (level.pos, level.crd))
    }

    /// Whether the loops `path` lead to an entry of the last compressed level, which keeps `index`.
    pub fn is_entry(&self, path: &[Index], index: Index) -> bool {
        let (dense, listed) = (self.rows.len(), self.outer.len());
        path.len() == dense + listed + 1
            && path.starts_with(&self.rows)
            && path[dense..].iter().zip(self.outer.iter().map(|level| level.index)).all(|(&own, level)| own == level)
            && path.last() == Some(&index)
    }

    /// The position of a row, by its coordinates in the dense levels.
    pub fn parent(&self, coords: &[Code]) -> Code {
        row_major(&self.extents, coords)
    }
}

/// How far the assembly of an appended result is. A parallel loop runs twice: it counts the entries of each row first, and then fills them
/// in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Entries are appended.
    Append,
    /// Entries are counted.
    Count,
    /// Entries are put at the position that this variable holds, which then moves on.
    Fill(Var),
    /// All entries are there.
    Filled,
}

/// A result that is stored like an operand, under assembly.
#[derive(Clone, Debug)]
pub(super) struct Shaped {
    /// Whose levels are copied.
    pub copied: Arc<Copied>,
    /// The compressed levels of the operand, `pos` of each.
    pub theirs: Vec<Var>,
    /// The copies, `pos` and `crd` of each.
    pub own: Vec<(Var, Var)>,
    pub vals: Var,
    /// The extents of dense levels below the last compressed one.
    pub extents: Vec<Code>,
}

/// A view whose values are found at coordinates that are computed from the indices of an access. In a sparse tensor they are looked up.
#[derive(Clone, Debug)]
pub(super) struct Viewed {
    /// Where the tensor is stored.
    pub of: Storage,
    /// How each coordinate is found: part of its dimension, or computed.
    pub places: Vec<Place>,
    /// How far the indices run that dimensions are accessed with, plainly or by a slice, in the order of the dimensions.
    pub ranges: Vec<Code>,
    /// How large the tensor is.
    pub shape: Vec<Code>,
}

/// How a coordinate of a view is found.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// The value of an index of the access, by number; in a slice, counted along a part of the dimension.
    Along(usize, Option<Window>),
    /// Computed from indices.
    Computed(crate::format::Coordinate),
}

/// How many places there are in an array of this shape.
pub(super) fn size(shape: impl IntoIterator<Item = Code>) -> Code {
    shape.into_iter().reduce(|a, b| a * b).unwrap_or(ir::usize(1))
}

/// The position of coordinates in an array of values.
pub(super) fn row_major(shape: &[Code], coords: &[Code]) -> Code {
    let mut places = shape.iter().zip(coords);
    let first = places.next().map_or(ir::usize(0), |(_, c)| c.clone());
    places.fold(first, |at, (extent, c)| at * extent.clone() + c.clone())
}
