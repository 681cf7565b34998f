//! The arithmetic of computed coordinates, as code.

use super::levels::Levels;
use crate::format::ast::RemapOp;
use crate::format::{Coordinate, Inverse};
use crate::ir::{self, Expr, Scalar};

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

/// The coordinate `c` of a level, from its lower bound on, as a `usize`, for an entry at `coords` of a tensor of extents `shape`. `counter`
/// is what a counter stands at, 0 if it is not given.
pub(crate) fn level_coordinate(c: &Coordinate, coords: &[Expr], shape: &[Expr], counter: Option<&Expr>) -> Expr {
    if let Some((m, size)) = c.quotient() {
        return coords[m].clone() / ir::usize(size as usize);
    }
    if let Some((m, size)) = c.remainder() {
        return coords[m].clone() % ir::usize(size as usize);
    }
    match c {
        Coordinate::Index(m) => coords[*m].clone(),
        Coordinate::Counter(_) => counter.cloned().unwrap_or(ir::usize(0)),
        Coordinate::Binary(RemapOp::Sub, left, right) => match (&**left, &**right, shift(c, shape)) {
            (Coordinate::Index(a), Coordinate::Index(b), Some(shift)) => {
                coords[*a].clone() + shift - coords[*b].clone()
            }
            _ => c.code(coords, counter).cast(Scalar::Usize),
        },
        _ => c.code(coords, counter).cast(Scalar::Usize),
    }
}

/// `left op right` of `i64`. Callers divide only what is not negative, so that `/`, which truncates, rounds down; a shift always does.
fn binary(op: RemapOp, left: Expr, right: Expr) -> Expr {
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

impl Levels {
    /// An index of the tensor from the coordinates of its levels.
    pub(crate) fn invert(&self, inverse: &Inverse, levels: &[Expr]) -> Expr {
        let signed = |inverse: &Inverse| self.signed(inverse, levels);
        if let Some((outer, size, inner)) = inverse.blocked() {
            return levels[outer].clone() * ir::usize(size) + levels[inner].clone();
        }
        // Differences can be negative in between: they wrap to numbers beyond every extent, so that the access is outside of the tensor.
        signed(inverse).cast(Scalar::Usize)
    }

    fn signed(&self, inverse: &Inverse, levels: &[Expr]) -> Expr {
        let int = |n: i64| ir::lit(ir::Literal::I64(n));
        match inverse {
            Inverse::Level(at) => {
                let c = levels[*at].clone().cast(Scalar::I64);
                match shift(&self.format.levels[*at].coordinate, &self.shape) {
                    Some(shift) => c - shift.cast(Scalar::I64),
                    None => c,
                }
            }
            Inverse::Index(m) => self.signed(&self.format.inverse[*m], levels),
            Inverse::Const(n) => int(*n),
            Inverse::Binary(op, left, right) => binary(*op, self.signed(left, levels), self.signed(right, levels)),
        }
    }
}
