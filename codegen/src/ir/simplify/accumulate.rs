//! Accumulators: an element that a loop folds into is kept in a variable while the loop runs.
//!
//! ```text
//!   for p in lo..hi {                      let y_i = y[i]
//!     y[i] += vals[p] * x[crd[p]]          for p in lo..hi { y_i += vals[p] * x[crd[p]] }
//!   }                                      y[i] = y_i
//! ```
//!
//! This holds where the loop does nothing else with the array, and always means the same element of it.

use std::collections::HashSet;

use crate::ir::expr::{BinaryOp, Expr, var};
use crate::ir::kernel::{Kernel, Var, Vars};
use crate::ir::stmt::{Block, Reduce, Stmt};

/// Gives every loop that folds into one element an accumulator.
pub fn run(kernel: &mut Kernel) {
    let mut vars = std::mem::take(&mut kernel.vars);
    block(&mut kernel.body, &mut vars);
    kernel.vars = vars;
}

fn block(b: &mut Block, vars: &mut Vars) {
    let mut out = Vec::with_capacity(b.0.len());
    for mut stmt in std::mem::take(&mut b.0) {
        let mut after = Vec::new();
        if matches!(stmt, Stmt::For { .. } | Stmt::While(..) | Stmt::ForEntries { .. } | Stmt::Rest { .. }) {
            // The outer loop first: what it can keep, its inner loops need not.
            while let Some((array, index, op)) = candidate(&stmt) {
                let Some(scalar) = vars[array].ty.array_scalar() else { break };
                let sum = vars.fresh(name(array, &index, vars), scalar);
                out.push(Stmt::Let(sum, Expr::Load(array, Box::new(index.clone()))));
                replace(&mut stmt, array, sum, op);
                after.push(Stmt::Store(array, index, var(sum)));
            }
        }
        for inner in stmt.blocks_mut() {
            block(inner, vars);
        }
        out.push(stmt);
        out.append(&mut after);
    }
    b.0 = out;
}

/// `y_i` for `y[i]`.
fn name(array: Var, index: &Expr, vars: &Vars) -> String {
    let array = vars[array].name.strip_suffix("_vals").unwrap_or(&vars[array].name).to_owned();
    match index {
        Expr::Var(i) => format!("{array}_{}", vars[*i].name),
        _ => format!("{array}_sum"),
    }
}

/// An element that the loop only folds into.
fn candidate(outer: &Stmt) -> Option<(Var, Expr, Reduce)> {
    let mut updates: Vec<(Var, Expr, Reduce)> = Vec::new();
    let mut spoilt: HashSet<Var> = HashSet::new();
    let mut inside: HashSet<Var> = HashSet::new();
    outer.visit(&mut |stmt| {
        inside.extend(stmt.declares());
        inside.extend(stmt.writes());
        if let Stmt::Parallel { .. } = stmt {
            spoilt.extend(stmt.writes());
        }
        match stmt {
            Stmt::StoreUpdate(array, index, op, _) => match updates.iter().find(|u| u.0 == *array) {
                Some((_, i, o)) if i == index && o == op => {}
                Some(_) => {
                    spoilt.insert(*array);
                }
                None => updates.push((*array, index.clone(), *op)),
            },
            _ => spoilt.extend(stmt.writes()),
        }
        spoilt.extend(stmt.own_reads());
        for expr in stmt.exprs() {
            expr.visit(&mut |e| {
                if let Expr::Load(..) | Expr::Len(_) | Expr::Build { .. } = e {
                    spoilt.extend(e.own_vars());
                }
            });
        }
    });
    updates.into_iter().find(|(array, index, _)| !spoilt.contains(array) && fixed(index, &inside))
}

/// Whether a position is the same throughout, and can be computed even if the loop runs not once.
fn fixed(index: &Expr, inside: &HashSet<Var>) -> bool {
    match index {
        Expr::Literal(_) => true,
        Expr::Var(v) => !inside.contains(v),
        Expr::Binary(BinaryOp::Add | BinaryOp::Mul, x, y) => fixed(x, inside) && fixed(y, inside),
        _ => false,
    }
}

fn replace(stmt: &mut Stmt, array: Var, sum: Var, op: Reduce) {
    if let Stmt::StoreUpdate(a, _, _, value) = stmt
        && *a == array
    {
        let value = std::mem::replace(value, var(sum));
        *stmt = Stmt::Update(sum, op, value);
        return;
    }
    for block in stmt.blocks_mut() {
        for stmt in &mut block.0 {
            replace(stmt, array, sum, op);
        }
    }
}
