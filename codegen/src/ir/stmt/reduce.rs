//! Operators that fold.

use crate::ir::expr::BinaryOp;
use crate::ir::types::{Literal, Scalar};

/// An operator that folds values together: associative, commutative, with a neutral element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduce {
    /// `+=`
    Add,
    /// `*=`
    Mul,
    /// `min=`
    Min,
    /// `max=`
    Max,
    /// `&=`
    And,
    /// `|=`
    Or,
}

impl Reduce {
    /// What folding nothing gives; `None` if the operator does not exist for the type. `and` and `or` of integers are bitwise.
    pub fn identity(self, scalar: Scalar) -> Option<Literal> {
        let boolean = scalar == Scalar::Bool;
        match self {
            Reduce::Add if !boolean => Some(scalar.zero()),
            Reduce::Mul if !boolean => Some(scalar.one()),
            Reduce::Min if !boolean => Some(scalar.max_value()),
            Reduce::Max if !boolean => Some(scalar.min_value()),
            Reduce::And if boolean => Some(Literal::Bool(true)),
            Reduce::Or if boolean => Some(Literal::Bool(false)),
            Reduce::And if scalar.is_integer() => Some(Literal::from_bits(scalar, u64::MAX)),
            Reduce::Or if scalar.is_integer() => Some(scalar.zero()),
            _ => None,
        }
    }

    /// The operator as one of two operands.
    pub fn binary(self) -> BinaryOp {
        match self {
            Reduce::Add => BinaryOp::Add,
            Reduce::Mul => BinaryOp::Mul,
            Reduce::Min => BinaryOp::Min,
            Reduce::Max => BinaryOp::Max,
            Reduce::And => BinaryOp::And,
            Reduce::Or => BinaryOp::Or,
        }
    }

    /// The operator as index notation spells it: `+=`, `min=`.
    pub fn symbol(self) -> &'static str {
        match self {
            Reduce::Add => "+=",
            Reduce::Mul => "*=",
            Reduce::Min => "min=",
            Reduce::Max => "max=",
            Reduce::And => "&=",
            Reduce::Or => "|=",
        }
    }
}
