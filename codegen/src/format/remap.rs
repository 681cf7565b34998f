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
            .map(|(level, kept)| kept.coordinate.compute(&mut Whole { coords, level, counters: &mut counters.0 }))
            .collect()
    }

    /// The coordinate of one level, which is no counter, for the entry at `coords`.
    pub(crate) fn level_at(&self, level: usize, coords: &[i64]) -> i64 {
        let counters = &mut HashMap::new();
        self.levels[level].coordinate.compute(&mut Whole { coords, level, counters })
    }

    /// The smallest and the largest coordinate that each level can have in a tensor of shape `shape`, an empty shape
    /// counting as 1. `None` for counters, which the entries alone decide, and for what overflows.
    pub fn bounds(&self, shape: &[i64]) -> Vec<Option<(i64, i64)>> {
        self.levels.iter().map(|level| level.coordinate.bounds(shape)).collect()
    }
}

/// The domain that a coordinate is computed in: whole numbers, intervals, or code. [`Coordinate::compute`] walks the notation;
/// an implementation defines the operations.
pub(crate) trait Arithmetic {
    /// What an expression comes to.
    type Number: Clone;

    /// A constant.
    fn constant(&mut self, value: i64) -> Self::Number;
    /// The tensor's own coordinate along index `m`.
    fn index(&mut self, m: usize) -> Self::Number;
    /// How many entries with the same coordinates `of` came before.
    fn counter(&mut self, of: &[usize]) -> Self::Number;
    /// The negative of a number.
    fn negative(&mut self, of: Self::Number) -> Self::Number;
    /// An operation of two.
    fn binary(&mut self, op: RemapOp, left: Self::Number, right: Self::Number) -> Self::Number;
}

impl Coordinate {
    /// What the coordinate comes to.
    pub(crate) fn compute<A: Arithmetic>(&self, with: &mut A) -> A::Number {
        self.compute_in(with, &mut Vec::new())
    }

    fn compute_in<A: Arithmetic>(&self, with: &mut A, vars: &mut Vec<Option<A::Number>>) -> A::Number {
        match self {
            Coordinate::Index(m) => with.index(*m),
            Coordinate::Const(value) => with.constant(*value),
            Coordinate::Var(n) => match vars.get(*n).cloned().flatten() {
                Some(value) => value,
                None => unreachable!("a checked format binds each variable before it is used"),
            },
            Coordinate::Counter(of) => with.counter(of),
            Coordinate::Neg(inner) => {
                let inner = inner.compute_in(with, vars);
                with.negative(inner)
            }
            Coordinate::Binary(op, left, right) => {
                let left = left.compute_in(with, vars);
                let right = right.compute_in(with, vars);
                with.binary(*op, left, right)
            }
            Coordinate::Let(n, value, body) => {
                let value = value.compute_in(with, vars);
                if vars.len() <= *n {
                    vars.resize(*n + 1, None);
                }
                vars[*n] = Some(value);
                body.compute_in(with, vars)
            }
        }
    }
}

/// Whole numbers, for the entry at `coords`.
struct Whole<'a> {
    coords: &'a [i64],
    level: usize,
    counters: &'a mut HashMap<(usize, Vec<i64>), i64>,
}

impl Arithmetic for Whole<'_> {
    type Number = i64;

    fn constant(&mut self, value: i64) -> i64 {
        value
    }

    fn index(&mut self, m: usize) -> i64 {
        self.coords[m]
    }

    fn counter(&mut self, of: &[usize]) -> i64 {
        let key = (self.level, of.iter().map(|m| self.coords[*m]).collect());
        let count = self.counters.entry(key).or_insert(0);
        *count += 1;
        *count - 1
    }

    fn negative(&mut self, of: i64) -> i64 {
        of.wrapping_neg()
    }

    fn binary(&mut self, op: RemapOp, left: i64, right: i64) -> i64 {
        apply(op, left, right)
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

/// The least and the greatest value over a tensor of a shape; `None` where that is not known.
struct Bounds<'a>(&'a [i64]);

impl Arithmetic for Bounds<'_> {
    type Number = Interval;

    fn constant(&mut self, value: i64) -> Interval {
        Some((value, value))
    }

    fn index(&mut self, m: usize) -> Interval {
        Some((0, (self.0[m] - 1).max(0)))
    }

    fn counter(&mut self, _: &[usize]) -> Interval {
        None
    }

    fn negative(&mut self, of: Interval) -> Interval {
        let (lo, hi) = of?;
        Some((hi.checked_neg()?, lo.checked_neg()?))
    }

    fn binary(&mut self, op: RemapOp, left: Interval, right: Interval) -> Interval {
        combine(op, left?, right?)
    }
}

impl Coordinate {
    /// The extent of a level that keeps remainders or the lowest bits: that of a whole block, however small the tensor is. 0 for others.
    pub fn block(&self) -> usize {
        let Coordinate::Binary(op, _, right) = self else { return 0 };
        match (op, &**right) {
            (RemapOp::Rem, Coordinate::Const(size)) => usize::try_from(*size).unwrap_or(0),
            (RemapOp::And, Coordinate::Const(mask)) => usize::try_from(*mask).map_or(0, |mask| mask.saturating_add(1)),
            _ => 0,
        }
    }

    /// The smallest and the largest value in a tensor of shape `shape`, if it is known.
    pub(crate) fn bounds(&self, shape: &[i64]) -> Option<(i64, i64)> {
        self.compute(&mut Bounds(shape))
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
        // No lower bit than those of the mask.
        RemapOp::And if a >= 0 && c == d && c > 0 => Some((0, d.min(b & !((d & -d) - 1)))),
        RemapOp::And if a >= 0 && c >= 0 => Some((0, b.min(d))),
        RemapOp::And if a >= 0 => Some((0, b)),
        RemapOp::And if c >= 0 => Some((0, d)),
        // Bits of either side are bits of the sum, or carried on by it.
        RemapOp::Or | RemapOp::Xor if a >= 0 && c >= 0 => Some((0, b.saturating_add(d))),
        _ => None,
    }
}
