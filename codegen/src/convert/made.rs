//! What a conversion makes, and by which method.

use std::fmt;

use crate::ir::{Expr, Var};
use crate::tensor::OwnFields;

/// How a target is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The source is what the target is: its arrays are copied, or stores built of them.
    Copy,
    /// By the assembly functions of the target's levels.
    Insert,
    /// By appending entries, which come in the target's order.
    Append,
    /// From a list of entries that is sorted.
    Sort,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Copy => "copied",
            Method::Insert => "inserted",
            Method::Append => "appended",
            Method::Sort => "collected and sorted",
        })
    }
}

/// What a level asked, from the query to what is computed.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The level.
    pub level: String,
    /// The query.
    pub query: String,
    /// Its canonical form.
    pub canonical: String,
    /// What each transformation made of it.
    pub steps: Vec<(&'static str, String)>,
}

/// A tensor that was made.
pub(super) struct Lowered {
    /// The fields of each level.
    pub fields: Vec<OwnFields>,
    /// The extent of each level, with the variable where it is kept as a number of its own.
    pub extents: Vec<(Option<Var>, Expr)>,
    /// The values.
    pub vals: Option<Var>,
}
