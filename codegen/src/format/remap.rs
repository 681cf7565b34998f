//! A coordinate remapping at work: from a tensor's own coordinates to those of its levels.
//!
//! `/` and `%` round down, so that blocks of negative coordinates are as large as the others; by 0 they give 0, as does a
//! shift by a negative amount or by 64 and more. Everything else wraps at 64 bits.

use std::collections::HashMap;

use super::ast::RemapOp;
use super::model::{Coordinate, Format};

/// The counters of one remapping, all at zero.
#[derive(Clone, Debug, Default)]
pub struct Counters(HashMap<(usize, Vec<i64>), i64>);

impl Format {
    /// The coordinates of the levels for the entry at `coords`. Entries are to be given in the order in which they are
    /// to be counted; `counters` is the state between them.
    ///
    /// # Panics
    ///
    /// If `coords` has not one element for each index of the format.
    pub fn remap(&self, counters: &mut Counters, coords: &[i64]) -> Vec<i64> {
        assert_eq!(coords.len(), self.rank(), "one coordinate for each index");
        self.levels
            .iter()
            .enumerate()
            .map(|(at, level)| evaluate(&level.coordinate, coords, &mut Vec::new(), at, &mut counters.0))
            .collect()
    }

    /// The smallest and the largest coordinate that each level can have in a tensor of shape `shape`, an empty shape
    /// counting as 1. `None` for counters, which the entries alone decide, and for what overflows.
    pub fn bounds(&self, shape: &[i64]) -> Vec<Option<(i64, i64)>> {
        self.levels.iter().map(|level| bounds(&level.coordinate, shape, &mut Vec::new())).collect()
    }
}

fn evaluate(
    c: &Coordinate,
    coords: &[i64],
    vars: &mut Vec<i64>,
    level: usize,
    counters: &mut HashMap<(usize, Vec<i64>), i64>,
) -> i64 {
    match c {
        Coordinate::Index(m) => coords[*m],
        Coordinate::Const(value) => *value,
        Coordinate::Var(n) => vars[*n],
        Coordinate::Counter(of) => {
            let count = counters.entry((level, of.iter().map(|m| coords[*m]).collect())).or_insert(0);
            *count += 1;
            *count - 1
        }
        Coordinate::Neg(inner) => evaluate(inner, coords, vars, level, counters).wrapping_neg(),
        Coordinate::Binary(op, left, right) => {
            let left = evaluate(left, coords, vars, level, counters);
            let right = evaluate(right, coords, vars, level, counters);
            apply(*op, left, right)
        }
        Coordinate::Let(n, value, body) => {
            let value = evaluate(value, coords, vars, level, counters);
            if vars.len() <= *n {
                vars.resize(*n + 1, 0);
            }
            vars[*n] = value;
            evaluate(body, coords, vars, level, counters)
        }
    }
}

/// `left op right`, defined everywhere.
pub(crate) fn apply(op: RemapOp, left: i64, right: i64) -> i64 {
    let shift = u32::try_from(right).ok().filter(|&by| by < 64);
    match op {
        RemapOp::Or => left | right,
        RemapOp::Xor => left ^ right,
        RemapOp::And => left & right,
        RemapOp::Shl => shift.map_or(0, |by| left << by),
        RemapOp::Shr => shift.map_or(0, |by| left >> by),
        RemapOp::Add => left.wrapping_add(right),
        RemapOp::Sub => left.wrapping_sub(right),
        RemapOp::Mul => left.wrapping_mul(right),
        RemapOp::Div if right == 0 => 0,
        RemapOp::Div => {
            let quotient = left.wrapping_div(right);
            if left.wrapping_rem(right) != 0 && (left < 0) != (right < 0) { quotient - 1 } else { quotient }
        }
        RemapOp::Rem if right == 0 => 0,
        RemapOp::Rem => {
            let rest = left.wrapping_rem(right);
            if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest }
        }
    }
}

type Interval = Option<(i64, i64)>;

fn bounds(c: &Coordinate, shape: &[i64], vars: &mut Vec<Interval>) -> Interval {
    match c {
        Coordinate::Index(m) => Some((0, (shape[*m] - 1).max(0))),
        Coordinate::Const(value) => Some((*value, *value)),
        Coordinate::Var(n) => vars.get(*n).copied().flatten(),
        Coordinate::Counter(_) => None,
        Coordinate::Neg(inner) => {
            let (lo, hi) = bounds(inner, shape, vars)?;
            Some((hi.checked_neg()?, lo.checked_neg()?))
        }
        Coordinate::Let(n, value, body) => {
            let value = bounds(value, shape, vars);
            if vars.len() <= *n {
                vars.resize(*n + 1, None);
            }
            vars[*n] = value;
            bounds(body, shape, vars)
        }
        Coordinate::Binary(op, left, right) => {
            let left = bounds(left, shape, vars)?;
            let right = bounds(right, shape, vars)?;
            combine(*op, left, right)
        }
    }
}

fn combine(op: RemapOp, (a, b): (i64, i64), (c, d): (i64, i64)) -> Interval {
    let corners = |f: &dyn Fn(i64, i64) -> Option<i64>| {
        let all = [f(a, c)?, f(a, d)?, f(b, c)?, f(b, d)?];
        Some((*all.iter().min()?, *all.iter().max()?))
    };
    match op {
        RemapOp::Add => Some((a.checked_add(c)?, b.checked_add(d)?)),
        RemapOp::Sub => Some((a.checked_sub(d)?, b.checked_sub(c)?)),
        RemapOp::Mul => corners(&|x, y| x.checked_mul(y)),
        RemapOp::Shl if c >= 0 && d < 63 => corners(&|x, y| x.checked_mul(1i64 << y)),
        RemapOp::Shr if c >= 0 && d < 64 => corners(&|x, y| Some(x >> y)),
        RemapOp::Div if c > 0 || d < 0 => corners(&|x, y| Some(apply(RemapOp::Div, x, y))),
        // The remainder by a constant of what stays within one block runs on with it.
        RemapOp::Rem if c == d && c > 0 && a.div_euclid(c) == b.div_euclid(c) => {
            Some((a.rem_euclid(c), b.rem_euclid(c)))
        }
        RemapOp::Rem if c > 0 => Some((0, d - 1)),
        RemapOp::And if a >= 0 && c >= 0 => Some((0, b.min(d))),
        RemapOp::And if a >= 0 => Some((0, b)),
        RemapOp::And if c >= 0 => Some((0, d)),
        RemapOp::Or | RemapOp::Xor if a >= 0 && c >= 0 => {
            // Every bit up to the highest one of either.
            let bits = 64 - (b | d).leading_zeros();
            Some((0, if bits >= 63 { i64::MAX } else { (1i64 << bits) - 1 }))
        }
        _ => None,
    }
}
