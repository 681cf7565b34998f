//! Positions: a sum that has a name, and is read as a position only, stands where it is read.
//!
//! ```text
//!   let j = i + c - last                 y[i] += vals[d * rows + i] * x[i + c - last]
//!   y[i] += vals[d * rows + i] * x[j]
//! ```
//!
//! It is then seen that a loop over `i` goes along `x` as well.

use std::collections::HashMap;

use crate::ir::expr::{BinaryOp, Expr};
use crate::ir::kernel::{Kernel, Var};
use crate::ir::stmt::Stmt;

/// Replaces names of sums that are read as positions only. The names are left for [`dead`](super::dead).
pub fn run(kernel: &mut Kernel) {
    let mut changed = vec![false; kernel.vars.len()];
    kernel.body.visit(&mut |stmt| {
        for v in stmt.writes() {
            changed[v.0 as usize] = true;
        }
    });
    let mut sums: HashMap<Var, Expr> = HashMap::new();
    kernel.body.visit(&mut |stmt| {
        if let Stmt::Let(v, x @ Expr::Binary(BinaryOp::Add | BinaryOp::Sub, ..)) = stmt
            && !changed[v.0 as usize]
            && is_steady(x, &changed)
        {
            sums.insert(*v, x.clone());
        }
    });
    // How often each is mentioned, and how often as a position.
    let mut mentions: HashMap<Var, (usize, usize)> = HashMap::new();
    let position = |at: &Expr, mentions: &mut HashMap<Var, (usize, usize)>| {
        if let Expr::Var(v) = at {
            mentions.entry(*v).or_default().1 += 1;
        }
    };
    kernel.body.visit(&mut |stmt| {
        if let Stmt::Store(_, at, _) | Stmt::StoreUpdate(_, at, _, _) = stmt {
            position(at, &mut mentions);
        }
        for expr in stmt.exprs() {
            expr.visit(&mut |e| match e {
                Expr::Var(v) => mentions.entry(*v).or_default().0 += 1,
                Expr::Load(_, at) => position(at, &mut mentions),
                _ => {}
            });
        }
    });
    let results: Vec<Var> = kernel.result_fields().map(|f| f.var).collect();
    sums.retain(|v, _| !results.contains(v) && mentions.get(v).is_some_and(|(all, positions)| all == positions));
    if sums.is_empty() {
        return;
    }
    for stmt in &mut kernel.body.0 {
        stmt.rewrite_exprs(&mut |e| {
            // Sums of sums lead to an end, because each is declared after what it reads.
            while let Expr::Var(v) = e {
                match sums.get(v) {
                    Some(x) => *e = x.clone(),
                    None => break,
                }
            }
        });
    }
}

/// Whether an expression is arithmetic on numbers that never change.
fn is_steady(e: &Expr, changed: &[bool]) -> bool {
    match e {
        Expr::Literal(_) => true,
        Expr::Var(v) => !changed[v.0 as usize],
        Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Max | BinaryOp::Min, x, y) => {
            is_steady(x, changed) && is_steady(y, changed)
        }
        _ => false,
    }
}
