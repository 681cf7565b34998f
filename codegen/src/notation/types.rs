//! The types in which expressions and statements are computed.

use super::ast::{Literal, ValueType};
use super::concrete::{Assign, Expr, Operator, Tensor, TensorId};

impl Assign {
    /// The type in which the statement is computed.
    pub fn computed_type(&self, tensors: &[Tensor]) -> ValueType {
        type_into(&self.value, self.target.tensor, tensors)
    }
}

/// The type in which an expression is computed that is written to `target`: its own type joined with that of the tensor.
pub fn type_into(expr: &Expr, target: TensorId, tensors: &[Tensor]) -> ValueType {
    let own = tensors[target.0].value;
    type_of(expr, tensors).map_or(own, |ty| ty.join(own))
}

/// The type in which an expression is computed by itself; `None` for constants, which are of any type. A constant with a fraction
/// where everything else is an integer makes it `f64`.
pub fn type_of(expr: &Expr, tensors: &[Tensor]) -> Option<ValueType> {
    type_among(std::slice::from_ref(expr), tensors)
}

/// The type that several expressions are computed in together.
pub fn type_among(exprs: &[Expr], tensors: &[Tensor]) -> Option<ValueType> {
    type_within(exprs, tensors, None)
}

/// As [`type_among`] within the body of a function whose parameters are of a type.
pub fn type_within(exprs: &[Expr], tensors: &[Tensor], parameters: Option<ValueType>) -> Option<ValueType> {
    let (ty, fraction) = latest(exprs, tensors, parameters);
    if fraction && !ty.is_some_and(ValueType::is_float) { Some(ValueType::F64) } else { ty }
}

/// The latest type among expressions, and whether there is a constant with a fraction.
fn latest(exprs: &[Expr], tensors: &[Tensor], parameters: Option<ValueType>) -> (Option<ValueType>, bool) {
    let found = exprs.iter().map(|expr| match expr {
        Expr::Literal(Literal::Float(x)) => (None, x.is_finite() && x.fract() != 0.0),
        Expr::Literal(_) => (None, false),
        Expr::Argument(_) => (parameters, false),
        Expr::Index(_) => (Some(ValueType::I64), false),
        Expr::Access(access) => (Some(tensors[access.tensor.0].value), false),
        Expr::Apply(op, args) => match op {
            op if op.compares() => (Some(ValueType::Bool), false),
            Operator::Not | Operator::And | Operator::Or => (Some(ValueType::Bool), false),
            Operator::As(ty) => (Some(*ty), false),
            Operator::Select | Operator::Without => latest(&args[..1], tensors, parameters),
            Operator::Sqrt => {
                let ty = type_within(args, tensors, parameters).filter(|ty| ty.is_float());
                (Some(ty.unwrap_or(ValueType::F64)), false)
            }
            // It computes in the type of its arguments. Its constants count as those of any expression.
            Operator::Function(function) => {
                let (ty, fraction) = latest(args, tensors, parameters);
                let body = function.body.as_ref().ok();
                (ty, fraction || body.is_some_and(|body| latest(std::slice::from_ref(body), tensors, None).1))
            }
            _ => latest(args, tensors, parameters),
        },
    });
    found.fold((None, false), |(ty, fraction), (other, another)| (ty.max(other), fraction || another))
}
