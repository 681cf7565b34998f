//! How entries at the same place become one.

use crate::format::Format;
use crate::ir::Reduce;
use crate::notation::ast::{Literal, ValueType};
use crate::notation::concrete::{Reduction, same};
use crate::tensor::scalar;

/// How entries at the same place become one: they are folded one after the other, beginning with the neutral element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fold {
    /// The operation.
    pub reduce: Reduce,
    /// What it leaves as it is.
    neutral: Literal,
}

impl Fold {
    /// A reduction of entries of the type `value`.
    pub fn of(reduction: Reduction, value: ValueType) -> Fold {
        Fold { reduce: crate::tensor::fold(reduction, scalar(value)), neutral: reduction.identity(value) }
    }

    /// The value of each place of `target` before entries are put there: the neutral element if every place has an entry, the fill otherwise.
    pub(super) fn start(&self, target: &Format) -> Literal {
        let only = target.keeps_entries_only()
            && target.levels.iter().all(|level| level.properties.full || level.properties.compact);
        if only { self.neutral } else { target.fill.unwrap_or(Literal::Int(0)) }
    }

    /// Whether entries can be folded into places of `target` at once.
    pub(super) fn starts_from(&self, target: &Format) -> bool {
        same(self.start(target), self.neutral)
    }
}
