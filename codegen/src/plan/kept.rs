//! How tensors are kept, and what accesses are read from, without variables of generated code. `lower::nest` has the variables that go with it.

use std::sync::Arc;

use crate::convert::appendable::Appendable;
use crate::convert::collected::{Source, Via};
use crate::format::{Form, Format};
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
    /// Entries that are collected in a list, of which a conversion makes the levels.
    Collected(Arc<Source>),
    /// Entries that are appended to these levels, or counted and filled in. With a source, the levels are rows, of which a conversion makes
    /// those of the tensor.
    Appended(Appendable, Option<Arc<Source>>),
    /// The levels of an operand, copied.
    Copied(Arc<Copied>),
    /// A part of a dense tensor.
    View,
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
                | Kept::Appended(..)
                | Kept::Array { listed: true }
                | Kept::Scalar { remembers: true }
        )
    }

    /// Whether entries have to come in the order of the tensor's levels.
    pub fn needs_order(&self) -> bool {
        match self {
            Kept::Appended(..) => true,
            Kept::Collected(source) => source.via == Via::Order,
            _ => false,
        }
    }

    /// All of a tensor in a format.
    pub fn whole(format: &Format) -> Kept {
        Kept::Levels(Arc::new(Form::whole(format.clone())))
    }
}
