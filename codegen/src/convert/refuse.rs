//! Conversions that are not supported.

use crate::format::{Coordinate, Format};
use crate::notation::ast::{Literal, ValueType};
use crate::tensor::Levels;

/// A conversion that is not supported, with the names that the user gave.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConvertError {
    message: String,
}

pub(super) fn refused<T>(message: impl Into<String>) -> Result<T, ConvertError> {
    Err(ConvertError { message: message.into() })
}

/// Refuses formats between which tensors cannot be converted.
pub(super) fn check_formats(source: &Format, target: &Format, value: ValueType) -> Result<(), ConvertError> {
    if source.rank() != target.rank() {
        return refused(format!(
            "`{}` is for tensors of order {}, and `{}` for those of order {}",
            source.name,
            source.rank(),
            target.name,
            target.rank()
        ));
    }
    if value == ValueType::Pattern && !target.keeps_entries_only() {
        return refused(format!(
            "`{}` keeps places for more than entries: a pattern, which has no values, cannot tell them from entries; give it values",
            target.name
        ));
    }
    let fill = |format: &Format| format.fill.unwrap_or(Literal::Int(0));
    if fill(source) != fill(target) && !(source.keeps_entries_only() && target.keeps_entries_only()) {
        return refused(format!(
            "what is not stored is {} in `{}`, and {} in `{}`",
            fill(source),
            source.name,
            fill(target),
            target.name
        ));
    }
    Ok(())
}

/// Refuses a target some level of which has coordinates whose number is not known before they are.
pub(super) fn check_extents(target: &Format, levels: &Levels) -> Result<(), ConvertError> {
    for (at, level) in target.levels.iter().enumerate() {
        let counted = matches!(level.coordinate, Coordinate::Counter(_));
        if !counted && crate::level::extent(&level.coordinate, &levels.shape).is_none() {
            return refused(format!(
                "how many coordinates `{}` has does not follow from the extents of `{}`",
                level_text(target, at),
                target.name
            ));
        }
    }
    Ok(())
}

/// `(j - i): squeezed`
pub(super) fn level_text(format: &Format, k: usize) -> String {
    let text = format.coordinate_text(&format.levels[k].coordinate);
    format!("{text}: {}{}", format.levels[k].kind.name(), format.levels[k].switches)
}
