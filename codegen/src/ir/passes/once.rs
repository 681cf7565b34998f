//! Assignments that give the same value every time: they run once.
//!
//! ```text
//!   let t = 0; t = x                           let t = x
//!   for k in lo..hi { …; set = true }          for k in lo..hi { … } if lo < hi { set = true }
//!   let set = false; …; if c { set = true }    …; let set = c
//! ```

use crate::ir::expr::Expr;
use crate::ir::kernel::{Kernel, Var};
use crate::ir::stmt::{Block, Stmt};
use crate::ir::types::Literal;

/// Simplifies every block of the kernel.
pub fn run(kernel: &mut Kernel) {
    block(&mut kernel.body);
}

fn block(b: &mut Block) {
    let mut out: Vec<Stmt> = Vec::with_capacity(b.0.len());
    for mut stmt in std::mem::take(&mut b.0) {
        for inner in stmt.blocks_mut() {
            block(inner);
        }
        let behind = match &mut stmt {
            Stmt::For { lo, hi, body, .. } => constants_behind(lo, hi, body),
            _ => Vec::new(),
        };
        for stmt in std::iter::once(stmt).chain(behind) {
            if !joined(&stmt, &mut out) {
                out.push(stmt);
            }
        }
    }
    b.0 = out;
}

/// Takes assignments out of a loop that set a variable to the same constant in every iteration. Returns the statements that do so behind it.
fn constants_behind(lo: &Expr, hi: &Expr, body: &mut Block) -> Vec<Stmt> {
    let mut leaves = false;
    body.visit(&mut |stmt| leaves |= matches!(stmt, Stmt::Break));
    if leaves {
        return Vec::new();
    }
    let set: Vec<(usize, Var)> = body
        .0
        .iter()
        .enumerate()
        .filter_map(|(at, stmt)| match stmt {
            Stmt::Assign(v, Expr::Literal(Literal::Bool(_))) => Some((at, *v)),
            _ => None,
        })
        .collect();
    let mut behind = Vec::new();
    for (at, v) in set.into_iter().rev() {
        let alone = !lo.mentions(v) && !hi.mentions(v) && {
            body.0.iter().enumerate().all(|(other, stmt)| other == at || !mentions(stmt, v))
        };
        // The bounds are the same behind the loop only if nothing in it changes them.
        if alone && !changes_bounds(lo, body) && !changes_bounds(hi, body) {
            behind.push(Stmt::when(lo.clone().less(hi.clone()), vec![body.0.remove(at)]));
        }
    }
    behind
}

fn changes_bounds(bound: &Expr, body: &Block) -> bool {
    let mut read: Vec<Var> = Vec::new();
    bound.visit(&mut |e| read.extend(e.own_vars()));
    read.into_iter().any(|v| body.changes(v))
}

/// Joins an assignment with the declaration of its variable, if nothing in between reads or writes the variable. Returns whether it did.
fn joined(stmt: &Stmt, out: &mut Vec<Stmt>) -> bool {
    let (v, value) = match stmt {
        Stmt::Assign(v, value) => (*v, value.clone()),
        Stmt::If { arms, otherwise } if otherwise.is_empty() => match &arms[..] {
            [(condition, Block(inner))] => match &inner[..] {
                [Stmt::Assign(v, Expr::Literal(Literal::Bool(true)))] => (*v, condition.clone()),
                _ => return false,
            },
            _ => return false,
        },
        _ => return false,
    };
    if value.mentions(v) {
        return false;
    }
    let Some(at) = out.iter().rposition(|stmt| mentions(stmt, v)) else { return false };
    let fits = match (&out[at], stmt) {
        (Stmt::Let(declared, Expr::Literal(_)), Stmt::Assign(..)) => *declared == v,
        (Stmt::Let(declared, Expr::Literal(Literal::Bool(false))), _) => *declared == v,
        _ => false,
    };
    if fits {
        out.remove(at);
        out.push(Stmt::Let(v, value));
    }
    fits
}

/// Whether a statement declares, reads or writes a variable.
fn mentions(stmt: &Stmt, v: Var) -> bool {
    let mut found = stmt.mentions(v);
    stmt.visit(&mut |stmt| found |= stmt.declares().contains(&v));
    found
}
