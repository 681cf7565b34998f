//! Accumulators: an element that a loop folds into is kept in a variable while the loop runs.
//!
//! ```text
//!   for p in lo..hi {                      let y_i = y[i]
//!     y[i] += vals[p] * x[crd[p]]          for p in lo..hi { y_i += vals[p] * x[crd[p]] }
//!   }                                      y[i] = y_i
//! ```
//!
//! This is done where the loop does nothing else with the array, and folds into the same element each time. The element must exist: where the
//! fold stands behind a comparison that is the same in every iteration, that comparison may test whether it does, and nothing is moved.
//! Loops that follow each other and fold into the same element share the variable.

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
    let mut stmts = std::mem::take(&mut b.0);
    // What comes before a statement, and after it.
    let mut around: Vec<(Vec<Stmt>, Vec<Stmt>)> = stmts.iter().map(|_| Default::default()).collect();
    for at in 0..stmts.len() {
        // The outer loop first: what it can keep, its inner loops need not.
        while let Some((array, index, op)) = candidates(&stmts[at]).into_iter().next() {
            let Some(scalar) = vars[array].ty.array_scalar() else { break };
            let sum = vars.fresh(name(array, &index, vars), scalar);
            around[at].0.push(Stmt::Let(sum, Expr::Load(array, Box::new(index.clone()))));
            replace(&mut stmts[at], array, sum, op);
            let last = at + going_on(&mut stmts[at + 1..], array, &index, op, sum);
            around[last].1.push(Stmt::Store(array, index, var(sum)));
        }
        for inner in stmts[at].blocks_mut() {
            block(inner, vars);
        }
    }
    for (stmt, (before, after)) in stmts.into_iter().zip(around) {
        b.0.extend(before);
        b.push(stmt);
        b.0.extend(after);
    }
}

/// Has the loops that come next use the same accumulator, if they fold into the same element. Returns how many statements these are.
fn going_on(stmts: &mut [Stmt], array: Var, index: &Expr, op: Reduce, sum: Var) -> usize {
    let mut last = 0;
    for (nth, stmt) in stmts.iter_mut().enumerate() {
        if candidates(stmt).iter().any(|(a, i, o)| *a == array && i == index && *o == op) {
            replace(stmt, array, sum, op);
            last = nth + 1;
            continue;
        }
        // What stands in between must leave the element, and where it is, alone.
        let plain = matches!(stmt, Stmt::Let(..) | Stmt::Assign(..));
        let mut apart = plain && !stmt.writes().iter().any(|v| index.mentions(*v));
        stmt.exprs().iter().for_each(|e| apart &= !e.mentions(array));
        if !apart {
            break;
        }
    }
    last
}

/// `y` for `y_vals`.
pub(super) fn short(array: Var, vars: &Vars) -> &str {
    let name = &vars[array].name;
    name.strip_suffix("_vals").unwrap_or(name)
}

/// `y_i` for `y[i]`.
fn name(array: Var, index: &Expr, vars: &Vars) -> String {
    let array = short(array, vars);
    match index {
        Expr::Var(i) => format!("{array}_{}", vars[*i].name),
        _ => format!("{array}_sum"),
    }
}

/// The elements that a loop only folds into.
fn candidates(outer: &Stmt) -> Vec<(Var, Expr, Reduce)> {
    if !matches!(outer, Stmt::For { .. } | Stmt::While(..) | Stmt::ForEntries { .. } | Stmt::Rest { .. }) {
        return Vec::new();
    }
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
                if let Expr::Load(..) | Expr::Len(_) | Expr::Seek { .. } | Expr::Build { .. } = e {
                    spoilt.extend(e.own_vars());
                }
            });
        }
    });
    guarded(outer, false, &inside, &mut spoilt);
    updates.retain(|(array, index, _)| !spoilt.contains(array) && fixed(index, &inside));
    updates
}

/// Adds the arrays to `spoilt` that a statement folds into only where a comparison holds which is the same throughout the loop: it may test
/// whether the element exists.
fn guarded(stmt: &Stmt, compared: bool, inside: &HashSet<Var>, spoilt: &mut HashSet<Var>) {
    let compared = match stmt {
        Stmt::StoreUpdate(array, ..) if compared => {
            spoilt.insert(*array);
            return;
        }
        Stmt::If { arms, .. } => compared || arms.iter().any(|(condition, _)| compares_outside(condition, inside)),
        _ => compared,
    };
    stmt.blocks().into_iter().flat_map(|block| &block.0).for_each(|stmt| guarded(stmt, compared, inside, spoilt));
}

/// Whether a condition compares numbers that are the same throughout the loop.
fn compares_outside(condition: &Expr, inside: &HashSet<Var>) -> bool {
    match condition {
        Expr::Binary(BinaryOp::And | BinaryOp::Or, x, y) => compares_outside(x, inside) || compares_outside(y, inside),
        Expr::Binary(op, x, y) if op.is_comparison() => is_outside(x, inside) && is_outside(y, inside),
        _ => false,
    }
}

fn is_outside(number: &Expr, inside: &HashSet<Var>) -> bool {
    let mut all = true;
    number.visit(&mut |e| match e {
        Expr::Var(v) => all &= !inside.contains(v),
        Expr::Load(..) | Expr::Seek { .. } | Expr::Build { .. } => all = false,
        _ => {}
    });
    all
}

/// Whether a position is the same throughout, and can be computed even if the loop does not run.
pub(super) fn fixed(index: &Expr, inside: &HashSet<Var>) -> bool {
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
