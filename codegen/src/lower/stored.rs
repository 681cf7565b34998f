//! Where the tensors of a statement are stored.

use std::sync::Arc;

use crate::convert::appended::Append;
use crate::convert::list::List;
use crate::ir::{Expr as Code, Var};
use crate::tensor::{Levels, Part};

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

/// A view whose values are found at coordinates that are computed from the indices of an access. In a sparse tensor they are looked up.
#[derive(Clone, Debug)]
pub(super) struct Viewed {
    /// Where the tensor is stored.
    pub of: Storage,
    /// The part of it that is seen.
    pub part: Part,
}
