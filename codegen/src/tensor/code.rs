//! A coordinate remapping as code: what generated code computes for an entry, in the same arithmetic as the packer.

use crate::format::ast::RemapOp;
use crate::format::{Arithmetic, Coordinate};
use crate::ir::{self, BinaryOp, Expr, Literal, Scalar};

/// An expression of type `i64`.
#[derive(Clone)]
struct Coded {
    code: Expr,
    /// Whether it is never negative.
    natural: bool,
    /// Its value, if it is a constant.
    constant: Option<i64>,
}

struct Code<'a> {
    coords: &'a [Expr],
    counter: Option<&'a Expr>,
}

fn int(value: i64) -> Expr {
    ir::lit(Literal::I64(value))
}

impl Arithmetic for Code<'_> {
    type Number = Coded;

    fn constant(&mut self, value: i64) -> Coded {
        Coded { code: int(value), natural: value >= 0, constant: Some(value) }
    }

    fn index(&mut self, m: usize) -> Coded {
        Coded { code: self.coords[m].clone().cast(Scalar::I64), natural: true, constant: None }
    }

    fn counter(&mut self, _: &[usize]) -> Coded {
        let code = self.counter.map_or(int(0), |count| count.clone().cast(Scalar::I64));
        Coded { code, natural: true, constant: None }
    }

    fn negative(&mut self, of: Coded) -> Coded {
        Coded { code: int(0) - of.code, natural: false, constant: of.constant.map(i64::wrapping_neg) }
    }

    fn binary(&mut self, op: RemapOp, left: Coded, right: Coded) -> Coded {
        use RemapOp::*;
        let natural = left.natural && right.natural;
        let (l, r, by) = (left.code, right.code, right.constant);
        let shift = |shifted: Expr| match by {
            Some(0..64) => shifted,
            Some(_) => int(0),
            // The IR shifts by the width or more to 0 or -1, and not at all by less than 0.
            None => r.clone().greater_equal(int(0)).and(r.clone().less(int(64))).select(shifted, int(0)),
        };
        let (code, natural) = match op {
            Or | Xor => (l.binary(if op == Or { BinaryOp::Or } else { BinaryOp::Xor }, r), natural),
            And => (l.binary(BinaryOp::And, r), left.natural || right.natural),
            Shl => (shift(l.binary(BinaryOp::Shl, r.clone())), false),
            Shr => (shift(l.binary(BinaryOp::Shr, r.clone())), left.natural),
            Add => (l + r, natural),
            Sub => (l - r, false),
            Mul => (l * r, natural),
            Div if natural => (l / r, true),
            Rem if natural => (l % r, true),
            // Quotients and remainders round down; of nothing they are 0, as in the IR.
            Rem => (((l % r.clone()) + r.clone()) % r, false),
            Div => {
                let rest = ((l.clone() % r.clone()) + r.clone()) % r.clone();
                ((l - rest) / r, false)
            }
        };
        Coded { code, natural, constant: None }
    }
}

impl Coordinate {
    /// The coordinate as an `i64`, for an entry at `coords`, each a `usize`; `counter` is what a counter stands at, a `usize`.
    pub(crate) fn code(&self, coords: &[Expr], counter: Option<&Expr>) -> Expr {
        self.compute(&mut Code { coords, counter }).code
    }
}
