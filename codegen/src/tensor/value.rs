//! Values of the notation as values of the IR: their types, constants, and the operations that fold them.

use crate::ir::{self, Expr, Reduce, Scalar};
use crate::notation::ast::{Literal, ValueType};
use crate::notation::concrete::Reduction;

/// The scalar type that values of `ty` are computed in.
pub fn scalar(ty: ValueType) -> Scalar {
    match ty {
        ValueType::Pattern | ValueType::Bool => Scalar::Bool,
        ValueType::U32 => Scalar::U32,
        ValueType::I32 => Scalar::I32,
        ValueType::U64 => Scalar::U64,
        ValueType::I64 => Scalar::I64,
        ValueType::F32 => Scalar::F32,
        ValueType::F64 => Scalar::F64,
    }
}

/// The type of values that are computed in a scalar type.
pub(crate) fn value_type(ty: Scalar) -> ValueType {
    match ty {
        Scalar::Bool => ValueType::Bool,
        Scalar::U32 => ValueType::U32,
        Scalar::I32 => ValueType::I32,
        Scalar::U64 | Scalar::Usize => ValueType::U64,
        Scalar::I64 => ValueType::I64,
        Scalar::F32 => ValueType::F32,
        Scalar::F64 => ValueType::F64,
    }
}

/// A constant of type `ty`.
pub(crate) fn literal(value: Literal, ty: Scalar) -> Expr {
    ir::lit(match (value, ty) {
        (Literal::Int(x), Scalar::I32) => ir::Literal::I32(x as i32),
        (Literal::Int(x), Scalar::I64) => ir::Literal::I64(x as i64),
        (Literal::Int(x), Scalar::U32) => ir::Literal::U32(x as u32),
        (Literal::Int(x), Scalar::U64) => ir::Literal::U64(x as u64),
        (value, ty) => ir::Literal::from_f64(ty, crate::notation::concrete::number(value)),
    })
}

/// The operation of the IR that folds values of type `ty`: over truth values, sums are disjunctions and products conjunctions.
pub(crate) fn fold(reduction: Reduction, ty: Scalar) -> Reduce {
    let boolean = ty == Scalar::Bool;
    match reduction {
        Reduction::Add | Reduction::Max if boolean => Reduce::Or,
        Reduction::Mul | Reduction::Min if boolean => Reduce::And,
        Reduction::Add => Reduce::Add,
        Reduction::Mul => Reduce::Mul,
        Reduction::Min => Reduce::Min,
        Reduction::Max => Reduce::Max,
        Reduction::Or => Reduce::Or,
        Reduction::And => Reduce::And,
    }
}
