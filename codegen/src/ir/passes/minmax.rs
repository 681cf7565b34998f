//! Chains of `min` and of `max`: each operand once, constants folded into one, neutral constants removed.

use crate::ir::expr::{BinaryOp, Expr};
use crate::ir::interpret::constant;
use crate::ir::kernel::{Kernel, Vars};
use crate::ir::types::{Literal, Type};

/// Simplifies every chain of the kernel.
pub fn run(kernel: &mut Kernel) {
    let vars = &kernel.vars;
    for stmt in &mut kernel.body.0 {
        stmt.rewrite_exprs(&mut |e| chain(e, vars));
    }
}

fn chain(expr: &mut Expr, vars: &Vars) {
    let Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), ..) = *expr else { return };
    let Some(Type::Scalar(scalar)) = expr.type_in(vars) else { return };
    let mut operands = Vec::new();
    let mut constants: Option<Literal> = None;
    collect(expr, op, &mut operands, &mut constants);
    let neutral = if op == BinaryOp::Min { scalar.max_value() } else { scalar.min_value() };
    if let Some(constant) = constants
        && (constant != neutral || operands.is_empty())
    {
        operands.push(constant.into());
    }
    let mut operands = operands.into_iter();
    if let Some(first) = operands.next() {
        *expr = operands.fold(first, |chain, next| chain.binary(op, next));
    }
}

/// The operands of a chain, from left to right, each once; constants are folded together.
fn collect(expr: &Expr, op: BinaryOp, operands: &mut Vec<Expr>, constants: &mut Option<Literal>) {
    match expr {
        Expr::Binary(inner, x, y) if *inner == op => {
            collect(x, op, operands, constants);
            collect(y, op, operands, constants);
        }
        Expr::Literal(l) => {
            *constants = match *constants {
                None => Some(*l),
                Some(before) => constant(op, before, *l),
            }
        }
        other if !operands.contains(other) => operands.push(other.clone()),
        _ => {}
    }
}
