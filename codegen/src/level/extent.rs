//! How many coordinates a level has, from the extents of the tensor.

use crate::format::Coordinate;
use crate::ir::{self, Expr};

/// How many coordinates a level of a result has, from the tensor's extents; `None` where that is not known how to compute.
pub(crate) fn extent(coordinate: &Coordinate, shape: &[Expr]) -> Option<Expr> {
    use crate::format::ast::RemapOp::{And, Div, Rem, Shr, Sub};
    let Coordinate::Binary(op, left, right) = coordinate else {
        return Some(most(coordinate, shape, &mut Vec::new())? + ir::usize(1));
    };
    let up = |n: &Expr, by: usize| (n.clone() + ir::usize(by - 1)) / ir::usize(by);
    match (op, &**left, &**right) {
        (Div, Coordinate::Index(m), Coordinate::Const(by)) if *by > 0 => Some(up(&shape[*m], *by as usize)),
        (Shr, Coordinate::Index(m), Coordinate::Const(by)) if (0..62).contains(by) => Some(up(&shape[*m], 1 << by)),
        (Rem, Coordinate::Index(_), Coordinate::Const(by)) if *by > 0 => Some(ir::usize(*by as usize)),
        (And, Coordinate::Index(_), Coordinate::Const(mask)) if *mask >= 0 => {
            Some(ir::usize(*mask as usize) + ir::usize(1))
        }
        (Sub, Coordinate::Index(a), Coordinate::Index(b)) => {
            let least = |m: usize| shape[m].clone().max(ir::usize(1));
            Some(least(*a) + least(*b) - ir::usize(1))
        }
        _ => Some(most(coordinate, shape, &mut Vec::new())? + ir::usize(1)),
    }
}

/// The largest value that a coordinate may have which is made of sums, bits and shifts of the tensor's own; `None` for others, which may
/// be negative.
fn most(coordinate: &Coordinate, shape: &[Expr], lets: &mut Vec<Option<Expr>>) -> Option<Expr> {
    use crate::format::ast::RemapOp::{Add, And, Div, Mul, Or, Rem, Shl, Shr, Xor};
    let (op, left, right) = match coordinate {
        Coordinate::Index(m) => return Some(shape[*m].clone().max(ir::usize(1)) - ir::usize(1)),
        Coordinate::Const(n) => return usize::try_from(*n).ok().map(ir::usize),
        Coordinate::Var(n) => return lets.get(*n).cloned().flatten(),
        Coordinate::Let(n, value, body) => {
            let value = most(value, shape, lets);
            if lets.len() <= *n {
                lets.resize(*n + 1, None);
            }
            lets[*n] = value;
            return most(body, shape, lets);
        }
        Coordinate::Counter(_) | Coordinate::Neg(_) => return None,
        Coordinate::Binary(op, left, right) => (*op, &**left, &**right),
    };
    let constant = |side: &Coordinate| match side {
        Coordinate::Const(n) => usize::try_from(*n).ok(),
        _ => None,
    };
    // Shifts beyond what extents have bits would overflow.
    let shift = |by: &Coordinate| constant(by).filter(|by| *by < 32).map(|by| ir::usize(1 << by));
    let value = most(left, shape, lets)?;
    Some(match op {
        And => match constant(right) {
            Some(mask) => multiple(value, mask).min(ir::usize(mask)),
            None => value.min(most(right, shape, lets)?),
        },
        Rem => value.min(ir::usize(constant(right)?.checked_sub(1)?)),
        Div => value / ir::usize(constant(right).filter(|by| *by > 0)?),
        Shr => value / shift(right)?,
        Shl => value * shift(right)?,
        Mul => value * ir::usize(constant(right)?),
        // Bits of either side are bits of the sum, or carried on by it.
        Add | Or | Xor => value + most(right, shape, lets)?,
        crate::format::ast::RemapOp::Sub => return None,
    })
}

/// The largest multiple of the lowest bit of `mask` that is no larger than `value`.
fn multiple(value: Expr, mask: usize) -> Expr {
    let lowest = mask & mask.wrapping_neg();
    if lowest <= 1 { value } else { value / ir::usize(lowest) * ir::usize(lowest) }
}
