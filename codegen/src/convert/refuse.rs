//! Conversions that are not supported, and results that cannot be made.

use super::may_not_fit;
use crate::diagnostic::Diagnostic;
use crate::format::{Coordinate, Format, FormatLevel};
use crate::notation::ast::{Literal, ValueType};
use crate::notation::concrete::{Assign, Tensor};
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

/// Refuses a statement that writes one tensor in ways that cannot be combined. The entries of a sparse tensor are collected before they are
/// folded, and all of them are folded by the same reduction.
pub(crate) fn check_ways(
    tensor: &Tensor,
    sparse: bool,
    assign: &Assign,
    all: &[&Assign],
) -> Result<(), Box<Diagnostic>> {
    let own: Vec<&Assign> = all.iter().copied().filter(|other| other.target.tensor == assign.target.tensor).collect();
    let differ = own.iter().any(|other| {
        let plain = other.reduce.is_none() || assign.reduce.is_none();
        if sparse { plain || other.reduce != assign.reduce } else { !plain && other.reduce != assign.reduce }
    });
    if own.len() < 2 || !differ {
        return Ok(());
    }
    let mistake =
        Diagnostic::new(assign.span, format!("`{}` is written in several ways by one statement", tensor.name));
    Err(Box::new(mistake.help(if sparse {
        "a sparse result takes one assignment, or several with the same reduction such as `+=`"
    } else {
        "use the same reduction everywhere, or statements of their own"
    })))
}

/// Refuses a result of which a level cannot be made.
pub(crate) fn check_assembly(tensor: &Tensor, format: &Format, assign: &Assign) -> Result<(), Box<Diagnostic>> {
    let shape = vec![crate::ir::usize(1); tensor.rank];
    let lacks = |(at, level): (usize, &FormatLevel)| {
        let kind = level.kind.name();
        let counted = matches!(level.coordinate, Coordinate::Counter(_));
        if !counted && crate::level::extent(&level.coordinate, &shape).is_none() {
            let number = at + 1;
            Some(format!(
                "how many coordinates its level number {number}, `{kind}`, has does not follow from its shape"
            ))
        } else if level.kind.insertion().is_none() {
            Some(format!("level `{kind}` does not say how it is assembled"))
        } else {
            None
        }
    };
    match format.levels.iter().enumerate().find_map(lacks) {
        None => Ok(()),
        Some(why) => Err(cannot_be_made(tensor, format, assign, &why)),
    }
}

/// Refuses a result with a level that keeps exactly one coordinate for each position above, where a position may have several entries or
/// none.
pub(crate) fn check_fit(tensor: &Tensor, format: &Format, assign: &Assign) -> Result<(), Box<Diagnostic>> {
    let Some(at) = may_not_fit(format) else { return Ok(()) };
    let level = format.level_text(&format.levels[at]);
    let why = format!(
        "`{level}` keeps one coordinate for each position of the level above, and a position may have several, or none"
    );
    Err(cannot_be_made(tensor, format, assign, &why))
}

fn cannot_be_made(tensor: &Tensor, format: &Format, assign: &Assign, why: &str) -> Box<Diagnostic> {
    let other = match tensor.rank {
        1 => "sparse".to_owned(),
        2 => "csr".to_owned(),
        3 => "csf".to_owned(),
        n => format!("({})", vec![crate::level::Kinds::list().name(); n].join(", ")),
    };
    let mistake = Diagnostic::new(assign.span, format!("`{}` cannot be made: {why}", tensor.name));
    Box::new(
        mistake
            .note(format!("its format is {format}"))
            .help(format!("return it in another format, such as `-> {}: {other}`", tensor.name)),
    )
}
