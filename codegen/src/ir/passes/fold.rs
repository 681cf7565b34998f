//! Constant folding: operators on constants, neutral and absorbing elements, conversions that undo each other.
//!
//! Floats keep IEEE results bit for bit: `x * 1` is `x`, but `x + 0` is not (it turns −0 into 0), and `x * 0` is not 0.

use crate::ir::expr::{BinaryOp, Expr, UnaryOp};
use crate::ir::interpret::{constant, constant_cast, constant_unary};
use crate::ir::kernel::{Kernel, Vars};
use crate::ir::types::{Literal, Scalar, Type};

/// Folds every expression of the kernel.
pub fn run(kernel: &mut Kernel) {
    let vars = &kernel.vars;
    for stmt in &mut kernel.body.0 {
        stmt.rewrite_exprs(&mut |e| fold(e, vars));
    }
}

/// Folds one expression whose operands are folded.
fn fold(expr: &mut Expr, vars: &Vars) {
    let folded = match expr {
        Expr::Unary(op, x) => unary(*op, x),
        Expr::Binary(op, x, y) => binary(*op, x, y, vars),
        Expr::Select(c, x, y) => match **c {
            Expr::Literal(Literal::Bool(true)) => Some((**x).clone()),
            Expr::Literal(Literal::Bool(false)) => Some((**y).clone()),
            _ if x == y => Some((**x).clone()),
            _ => None,
        },
        Expr::Cast(to, x) => cast(*to, x, vars),
        _ => None,
    };
    if let Some(folded) = folded {
        *expr = folded;
    }
}

fn unary(op: UnaryOp, x: &Expr) -> Option<Expr> {
    match x {
        Expr::Literal(l) => constant_unary(op, *l).map(Expr::Literal),
        Expr::Unary(inner, y) if *inner == op && op == UnaryOp::Not => Some((**y).clone()),
        Expr::Unary(UnaryOp::Abs, y) if op == UnaryOp::Abs => Some((**y).clone().unary(UnaryOp::Abs)),
        // !(x < y) is x >= y only where all values compare, so only equality is turned around.
        Expr::Binary(BinaryOp::Eq, a, b) if op == UnaryOp::Not => Some((**a).clone().not_equal((**b).clone())),
        Expr::Binary(BinaryOp::Ne, a, b) if op == UnaryOp::Not => Some((**a).clone().equal((**b).clone())),
        _ => None,
    }
}

fn literal(expr: &Expr) -> Option<Literal> {
    match expr {
        Expr::Literal(l) => Some(*l),
        _ => None,
    }
}

fn binary(op: BinaryOp, x: &Expr, y: &Expr, vars: &Vars) -> Option<Expr> {
    use BinaryOp::*;
    if let (Some(a), Some(b)) = (literal(x), literal(y)) {
        return constant(op, a, b).map(Expr::Literal);
    }
    let Some(Type::Scalar(scalar)) = x.type_in(vars) else { return None };
    let is = |e: &Expr, l: Literal| literal(e) == Some(l);
    let (zero, one) = (scalar.zero(), scalar.one());
    let integer = scalar.is_integer();
    let (x_, y_) = (|| Some(x.clone()), || Some(y.clone()));
    match op {
        Add if integer && is(x, zero) => y_(),
        Add if integer && is(y, zero) => x_(),
        // Constants of a sum gather at its right end. Positions never overflow in a valid kernel, so this is exact for them too.
        Add if integer && literal(x).is_some() => Some(y.clone() + x.clone()),
        Add if integer => match (x, literal(y)) {
            (Expr::Binary(Add, a, b), Some(c)) => {
                let sum = constant(Add, literal(b)?, c)?;
                Some((**a).clone() + sum)
            }
            _ => None,
        },
        Sub if integer && is(y, zero) => x_(),
        Sub if integer && x == y => Some(zero.into()),
        Sub if integer => match x {
            Expr::Binary(Add, a, b) if **a == *y => Some((**b).clone()),
            Expr::Binary(Add, a, b) if **b == *y => Some((**a).clone()),
            _ => None,
        },
        Mul if is(x, one) => y_(),
        Mul if is(y, one) => x_(),
        Mul if integer && (is(x, zero) || is(y, zero)) => Some(zero.into()),
        Div if is(y, one) => x_(),
        Rem if integer && is(y, one) => Some(zero.into()),
        Shl | Shr if is(y, zero) => x_(),
        And if scalar == Scalar::Bool => match (literal(x), literal(y)) {
            (Some(Literal::Bool(true)), _) => y_(),
            (_, Some(Literal::Bool(true))) => x_(),
            // Expressions have no effects, so the left side need not be evaluated for the right one's sake.
            (Some(Literal::Bool(false)), _) | (_, Some(Literal::Bool(false))) => Some(Literal::Bool(false).into()),
            _ if x == y => x_(),
            _ => None,
        },
        Or if scalar == Scalar::Bool => match (literal(x), literal(y)) {
            (Some(Literal::Bool(false)), _) => y_(),
            (_, Some(Literal::Bool(false))) => x_(),
            (Some(Literal::Bool(true)), _) | (_, Some(Literal::Bool(true))) => Some(Literal::Bool(true).into()),
            _ if x == y || implies(x, y) => y_(),
            _ if implies(y, x) => x_(),
            _ => None,
        },
        Eq | Le | Ge if !scalar.is_float() && x == y => Some(Literal::Bool(true).into()),
        Ne | Lt | Gt if !scalar.is_float() && x == y => Some(Literal::Bool(false).into()),
        _ => None,
    }
}

/// Whether `x` is `y` and something else.
fn implies(x: &Expr, y: &Expr) -> bool {
    matches!(x, Expr::Binary(BinaryOp::And, a, b) if **a == *y || **b == *y)
}

fn cast(to: Scalar, x: &Expr, vars: &Vars) -> Option<Expr> {
    if let Some(l) = literal(x) {
        return Some(constant_cast(to, l).into());
    }
    let Some(Type::Scalar(from)) = x.type_in(vars) else { return None };
    if from == to {
        return Some(x.clone());
    }
    // There and back through a type that holds every value.
    match x {
        Expr::Cast(middle, inner) if inner.type_in(vars) == Some(Type::Scalar(to)) && holds(*middle, to) => {
            Some((**inner).clone())
        }
        _ => None,
    }
}

/// Whether every value of `narrow` is a value of `wide`.
fn holds(wide: Scalar, narrow: Scalar) -> bool {
    use Scalar::*;
    matches!(
        (wide, narrow),
        (F64, F32 | I32 | U32 | Bool)
            | (F32, Bool)
            | (I64, I32 | U32 | Bool)
            | (U64 | Usize, U32 | Bool)
            | (I32 | U32, Bool)
    )
}
