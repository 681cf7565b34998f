//! Numbers of the eight value types, computed one at a time.

use crate::ir::Literal as IrLiteral;
use crate::notation::ast::{Literal, ValueType};
use crate::tensor::scalar;

/// A value: a float (rounded to single precision if that is its type), an integer within its type's range, a truth value.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// `f32`, `f64`
    Float(f64),
    /// `i32`, `i64`, `u32`, `u64`
    Int(i128),
    /// `bool`, `pattern`
    Bool(bool),
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => a == b,
            _ => self.float() == other.float(),
        }
    }
}

impl From<Literal> for Number {
    fn from(literal: Literal) -> Number {
        match literal {
            Literal::Int(value) => Number::Int(value),
            Literal::Float(value) => Number::Float(value),
            Literal::Bool(value) => Number::Bool(value),
        }
    }
}

fn range(ty: ValueType) -> Option<(i128, i128)> {
    Some(match ty {
        ValueType::I32 => (i32::MIN.into(), i32::MAX.into()),
        ValueType::I64 => (i64::MIN.into(), i64::MAX.into()),
        ValueType::U32 => (0, u32::MAX.into()),
        ValueType::U64 => (0, u64::MAX.into()),
        _ => return None,
    })
}

impl Number {
    /// As a float; `true` is 1.
    pub fn float(self) -> f64 {
        match self {
            Number::Float(x) => x,
            Number::Int(x) => x as f64,
            Number::Bool(x) => f64::from(u8::from(x)),
        }
    }

    /// Whether it is not 0.
    pub fn truth(self) -> bool {
        match self {
            Number::Float(x) => x != 0.0,
            Number::Int(x) => x != 0,
            Number::Bool(x) => x,
        }
    }

    /// Converted to `ty`: integers wrap, floats become the nearest integer towards 0 and within range, numbers become
    /// whether they are not 0.
    pub fn cast(self, ty: ValueType) -> Number {
        match ty {
            ValueType::F64 => Number::Float(self.float()),
            ValueType::F32 => Number::Float(f64::from(match self {
                Number::Int(x) => x as f32,
                other => other.float() as f32,
            })),
            ValueType::Bool | ValueType::Pattern => Number::Bool(self.truth()),
            _ => {
                let (low, high) = range(ty).expect("an integer type");
                match self {
                    Number::Int(x) => Number::Int((x - low).rem_euclid(high - low + 1) + low),
                    Number::Bool(x) => Number::Int(x.into()),
                    Number::Float(x) => Number::Int((x as i128).clamp(low, high)),
                }
            }
        }
    }

    /// `f` of two floats, or `g` of two integers, in type `ty`.
    fn arithmetic(self, other: Number, ty: ValueType, f: fn(f64, f64) -> f64, g: fn(i128, i128) -> i128) -> Number {
        match (self.cast(ty), other.cast(ty)) {
            (Number::Int(a), Number::Int(b)) => Number::Int(g(a, b)).cast(ty),
            (a, b) => Number::Float(f(a.float(), b.float())).cast(ty),
        }
    }

    /// The sum in type `ty`; of truth values, whether one holds.
    pub fn add(self, other: Number, ty: ValueType) -> Number {
        if logical(ty) {
            return Number::Bool(self.truth() || other.truth());
        }
        self.arithmetic(other, ty, |a, b| a + b, |a, b| a + b)
    }

    /// The difference in type `ty`.
    pub fn sub(self, other: Number, ty: ValueType) -> Number {
        self.arithmetic(other, ty, |a, b| a - b, |a, b| a - b)
    }

    /// The product in type `ty`; of truth values, whether both hold.
    pub fn mul(self, other: Number, ty: ValueType) -> Number {
        if logical(ty) {
            return Number::Bool(self.truth() && other.truth());
        }
        self.arithmetic(other, ty, |a, b| a * b, i128::wrapping_mul)
    }

    /// The quotient in type `ty`. Integers round towards 0; division by 0 gives 0.
    pub fn div(self, other: Number, ty: ValueType) -> Number {
        let whole = |a: i128, b: i128| if b == 0 { 0 } else { a / b };
        match (range(ty), self.cast(ty), other.cast(ty)) {
            // The one quotient that overflows does not exist either.
            (Some((low, _)), Number::Int(a), Number::Int(-1)) if a == low => Number::Int(0),
            _ => self.arithmetic(other, ty, |a, b| a / b, whole),
        }
    }

    /// The remainder in type `ty`. Integers: the remainder by 0 is 0.
    pub fn rem(self, other: Number, ty: ValueType) -> Number {
        self.arithmetic(other, ty, |a, b| a % b, |a, b| if b == 0 { 0 } else { a % b })
    }

    /// The smaller one; NaN if either is NaN.
    pub fn min(self, other: Number, ty: ValueType) -> Number {
        let least = |a: f64, b: f64| if a.is_nan() || b.is_nan() { f64::NAN } else { a.min(b) };
        if logical(ty) { self.mul(other, ty) } else { self.arithmetic(other, ty, least, i128::min) }
    }

    /// The larger one; NaN if either is NaN.
    pub fn max(self, other: Number, ty: ValueType) -> Number {
        let most = |a: f64, b: f64| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) };
        if logical(ty) { self.add(other, ty) } else { self.arithmetic(other, ty, most, i128::max) }
    }

    /// Both; bit by bit for integers.
    pub fn and(self, other: Number, ty: ValueType) -> Number {
        match (range(ty), self.cast(ty), other.cast(ty)) {
            (Some(_), Number::Int(a), Number::Int(b)) => Number::Int(a & b).cast(ty),
            _ => Number::Bool(self.truth() && other.truth()).cast(ty),
        }
    }

    /// One of them; bit by bit for integers.
    pub fn or(self, other: Number, ty: ValueType) -> Number {
        match (range(ty), self.cast(ty), other.cast(ty)) {
            (Some(_), Number::Int(a), Number::Int(b)) => Number::Int(a | b).cast(ty),
            _ => Number::Bool(self.truth() || other.truth()).cast(ty),
        }
    }
}

fn logical(ty: ValueType) -> bool {
    matches!(ty, ValueType::Bool | ValueType::Pattern)
}

/// A constant of the IR as a number.
pub fn number(literal: IrLiteral) -> Number {
    match literal {
        IrLiteral::F32(x) => Number::Float(x.into()),
        IrLiteral::F64(x) => Number::Float(x),
        IrLiteral::I32(x) => Number::Int(x.into()),
        IrLiteral::I64(x) => Number::Int(x.into()),
        IrLiteral::U32(x) => Number::Int(x.into()),
        IrLiteral::U64(x) => Number::Int(x.into()),
        IrLiteral::Usize(x) => Number::Int(x as i128),
        IrLiteral::Bool(x) => Number::Bool(x),
    }
}

/// A number as a constant of the IR.
pub(super) fn literal(number: Number, ty: ValueType) -> IrLiteral {
    match (number.cast(ty), ty) {
        (Number::Int(x), ValueType::I64) => IrLiteral::I64(x as i64),
        (Number::Int(x), ValueType::U64) => IrLiteral::U64(x as u64),
        (number, ty) => IrLiteral::from_f64(scalar(ty), number.float()),
    }
}
