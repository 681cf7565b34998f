//! Where the tensors of a statement are stored, and results that are being assembled.

use std::sync::Arc;

use crate::convert::list::List;
use crate::ir::{self, Expr as Code, Var};
use crate::level::Window;
use crate::plan::Appendable;
use crate::tensor::Levels;

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
    /// A sparse result whose entries come in its own order, or that has the levels of an operand.
    Append(Box<Append>),
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
    /// Its levels.
    pub places: Appendable,
    /// Where the entries of each parent begin, and their coordinates, of each compressed level.
    pub levels: Vec<(Var, Var)>,
    /// The coordinates of the levels below that have one for each entry of the last compressed one.
    pub singles: Vec<Var>,
    /// The extents of the dense levels at the end: each entry of the last compressed level has a block of values.
    pub block: Vec<Code>,
    /// Whether anything was written to the block that is open, where blocks are appended.
    pub any: Option<Var>,
    pub vals: Option<Var>,
    /// The extents of the dense levels, outermost first.
    pub extents: Vec<Code>,
    /// Whether some rows may be left out, and so have no end of their own.
    pub gaps: bool,
    /// What an assignment to the result does.
    pub phase: Phase,
}

impl Append {
    /// Where the entries of each parent begin in the last compressed level, and their coordinates.
    pub fn last(&self) -> (Var, Var) {
        self.levels[self.levels.len() - 1]
    }

    /// Where the value for these coordinates lies, at position `p` of the last compressed level.
    pub fn value_at(&self, p: Code, coords: &[Code]) -> Code {
        if self.block.is_empty() {
            return p;
        }
        let inner: Vec<Code> = self.places.tail.iter().map(|&m| coords[m].clone()).collect();
        p * size(self.block.clone()) + row_major(&self.block, &inner)
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
    /// The coordinates are copied from an operand, and values are filled in. This array says where the segments of its last compressed level
    /// begin.
    Copied(Var),
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
