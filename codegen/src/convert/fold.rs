//! How entries at the same place become one.

use crate::format::Format;
use crate::ir::Reduce;
use crate::notation::ast::{Literal, ValueType};
use crate::notation::concrete::{Reduction, same};
use crate::notation::scalar;

/// How entries at the same place become one: a place begins with `neutral`, and takes one after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fold {
    /// The operation.
    pub reduce: Reduce,
    /// What it leaves as it is.
    pub neutral: Literal,
}

impl Fold {
    /// They are added up; truth values are joined by *or*.
    pub fn sum(value: ValueType) -> Fold {
        let boolean = matches!(value, ValueType::Bool | ValueType::Pattern);
        Fold { reduce: if boolean { Reduce::Or } else { Reduce::Add }, neutral: Literal::Int(0) }
    }

    /// They are folded as a statement says that writes a tensor of the format `target`; `None` if places without an entry would not hold
    /// `fill` then.
    pub fn of(reduction: Reduction, target: &Format, value: ValueType, fill: Literal) -> Option<Fold> {
        let neutral = reduction.identity(value);
        // Every place of these has an entry.
        let only = target.keeps_entries_only()
            && target.levels.iter().all(|level| level.properties.full || level.properties.compact);
        let neutral = match (only, same(neutral, fill)) {
            (_, true) => fill,
            (true, false) => neutral,
            (false, false) => return None,
        };
        Some(Fold { reduce: crate::lower::fold(reduction, scalar(value)), neutral })
    }

    /// Whether entries can be folded into places of `target` at once.
    pub(super) fn starts_from(&self, target: &Format) -> bool {
        same(target.fill.unwrap_or(Literal::Int(0)), self.neutral)
    }
}
