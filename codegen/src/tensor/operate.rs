//! The operations of the notation as operations of the IR.

use super::value::literal;
use crate::ir::{Expr as Code, Scalar, UnaryOp};
use crate::notation::ast::Literal;
use crate::notation::concrete::Operator;

/// The type in which the operands of an operation are computed whose value has the type `ty`, unless the operands alone decide.
pub(crate) fn operand_type(op: &Operator, ty: Scalar) -> Scalar {
    match op {
        Operator::Sqrt if !ty.is_float() => Scalar::F64,
        Operator::Sub | Operator::Div | Operator::Rem | Operator::Neg | Operator::Abs if ty == Scalar::Bool => {
            Scalar::F64
        }
        _ => ty,
    }
}

/// A value of one type in another.
pub(crate) fn cast(code: Code, from: Scalar, to: Scalar) -> Code {
    if from == to { code } else { code.cast(to) }
}

/// An operation of one operand of type `of`, in type `ty`.
pub(crate) fn unary(op: &Operator, a: Code, of: Scalar, ty: Scalar) -> Code {
    let result = match op {
        Operator::Neg => literal(Literal::Int(0), of) - a,
        Operator::Abs if of.is_signed() => a.unary(UnaryOp::Abs),
        Operator::Sqrt => a.unary(UnaryOp::Sqrt),
        Operator::Not => return cast(!cast(a, of, Scalar::Bool), Scalar::Bool, ty),
        // `abs` of an unsigned type does nothing.
        _ => a,
    };
    cast(result, of, ty)
}

/// An operation of two operands of type `of`, in type `ty`.
pub(crate) fn binary(op: &Operator, a: Code, b: Code, of: Scalar, ty: Scalar) -> Code {
    let boolean = of == Scalar::Bool;
    let truth = |code: Code| cast(code, of, Scalar::Bool);
    // The order of truth values is that of the numbers 0 and 1.
    let order = |a: Code, b: Code, compare: fn(Code, Code) -> Code| {
        if boolean { compare(a.cast(Scalar::U32), b.cast(Scalar::U32)) } else { compare(a, b) }
    };
    let holds = match op {
        Operator::And => truth(a).and(truth(b)),
        Operator::Or => truth(a).or(truth(b)),
        Operator::Eq => a.equal(b),
        Operator::Ne => a.not_equal(b),
        Operator::Lt => order(a, b, Code::less),
        Operator::Le => order(a, b, Code::less_equal),
        Operator::Gt => order(a, b, Code::greater),
        Operator::Ge => order(a, b, Code::greater_equal),
        op => {
            let result = match op {
                Operator::Add | Operator::Max if boolean => a.or(b),
                Operator::Mul | Operator::Min if boolean => a.and(b),
                Operator::Add => a + b,
                Operator::Sub => a - b,
                Operator::Mul => a * b,
                Operator::Div => a / b,
                Operator::Rem => a % b,
                Operator::Min => a.min(b),
                Operator::Max => a.max(b),
                _ => unreachable!("the other operators have been computed"),
            };
            return cast(result, of, ty);
        }
    };
    cast(holds, Scalar::Bool, ty)
}
