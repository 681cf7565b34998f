//! Values of which it is known whether they are constants.

use super::number::Number;
use crate::notation::ast::{AssignOp, Expr, ExprKind, ValueType};

/// What is known of an expression at one place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Known {
    Constant(Number),
    Computed(Number),
}

impl Known {
    pub fn number(self) -> Number {
        match self {
            Known::Constant(x) | Known::Computed(x) => x,
        }
    }
}

/// A value that is a constant if all of what it is computed from is.
pub(super) fn same_kind(args: &[Known], value: Number) -> Known {
    if args.iter().all(|arg| matches!(arg, Known::Constant(_))) {
        Known::Constant(value)
    } else {
        Known::Computed(value)
    }
}

/// The number that a declaration names.
pub(super) fn constant(expr: &Expr) -> Number {
    match &expr.kind {
        ExprKind::Literal(literal) => Number::from(*literal),
        ExprKind::Neg(inner) => match constant(inner) {
            Number::Int(x) => Number::Int(-x),
            other => Number::Float(-other.float()),
        },
        _ => Number::Int(0),
    }
}

/// What folding nothing gives.
pub(super) fn identity(op: AssignOp, ty: ValueType) -> Number {
    let logical = matches!(ty, ValueType::Bool | ValueType::Pattern);
    match op {
        AssignOp::Set | AssignOp::Add | AssignOp::Or => Number::Int(0),
        AssignOp::Mul => Number::Int(1),
        AssignOp::Min => Number::Float(f64::INFINITY),
        AssignOp::Max if logical => Number::Int(0),
        AssignOp::Max => Number::Float(f64::NEG_INFINITY),
        AssignOp::And if logical => Number::Bool(true),
        AssignOp::And => Number::Int(-1),
    }
    .cast(ty)
}

/// Two values folded into one; over a semiring, by its sum.
pub(super) fn fold(op: AssignOp, plus: Option<&str>, a: Number, b: Number, ty: ValueType) -> Number {
    let op = match plus {
        Some("+") => AssignOp::Add,
        Some("*") => AssignOp::Mul,
        Some("min") => AssignOp::Min,
        Some("max") => AssignOp::Max,
        Some("or") => AssignOp::Or,
        Some("and") => AssignOp::And,
        _ => op,
    };
    match op {
        AssignOp::Set => b,
        AssignOp::Add => a.add(b, ty),
        AssignOp::Mul => a.mul(b, ty),
        AssignOp::Min => a.min(b, ty),
        AssignOp::Max => a.max(b, ty),
        AssignOp::Or => a.or(b, ty),
        AssignOp::And => a.and(b, ty),
    }
}
