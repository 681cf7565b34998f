//! The arithmetic of computed coordinates, as code.

use crate::format::Coordinate;
use crate::format::ast::RemapOp;
use crate::ir::{self, Expr};

/// The smallest value of a coordinate, negated, if it is not 0. A level keeps the coordinate plus this shift, which is not negative.
pub(crate) fn shift(coordinate: &Coordinate, shape: &[Expr]) -> Option<Expr> {
    match coordinate {
        Coordinate::Binary(RemapOp::Sub, left, right) => match (&**left, &**right) {
            (Coordinate::Index(_), Coordinate::Index(b)) => Some(shape[*b].clone().max(ir::usize(1)) - ir::usize(1)),
            _ => None,
        },
        _ => None,
    }
}

/// `left op right` of `i64`. Callers divide only what is not negative, so that `/`, which truncates, rounds down; a shift always does.
pub(super) fn binary(op: RemapOp, left: Expr, right: Expr) -> Expr {
    use crate::ir::BinaryOp;
    let op = match op {
        RemapOp::Or => BinaryOp::Or,
        RemapOp::Xor => BinaryOp::Xor,
        RemapOp::And => BinaryOp::And,
        RemapOp::Shl => BinaryOp::Shl,
        RemapOp::Shr => BinaryOp::Shr,
        RemapOp::Add => BinaryOp::Add,
        RemapOp::Sub => BinaryOp::Sub,
        RemapOp::Mul => BinaryOp::Mul,
        RemapOp::Div => BinaryOp::Div,
        RemapOp::Rem => BinaryOp::Rem,
    };
    left.binary(op, right)
}
