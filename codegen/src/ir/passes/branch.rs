//! Branches and loops whose outcome is known, and arms that do the same.
//!
//! * `if true`, `if false`, `while false`, loops over an empty range;
//! * arms with equal bodies that follow each other become one, arms that cannot be reached are removed;
//! * `if c { a } if c { b }` becomes one branch if `a` does not change what `c` reads.

use crate::ir::expr::{Expr, UnaryOp};
use crate::ir::kernel::{Kernel, Var};
use crate::ir::stmt::{Block, Domain, Stmt};
use crate::ir::types::Literal;

/// Simplifies the branches of every block of the kernel.
pub fn run(kernel: &mut Kernel) {
    block(&mut kernel.body);
}

fn block(b: &mut Block) {
    let mut out: Vec<Stmt> = Vec::with_capacity(b.0.len());
    for mut stmt in std::mem::take(&mut b.0) {
        for inner in stmt.blocks_mut() {
            block(inner);
        }
        match stmt {
            Stmt::If { arms, otherwise } => branch(arms, otherwise, &mut out),
            Stmt::While(condition, _) if is(&condition, false) => {}
            Stmt::For { ref lo, ref hi, .. } if lo == hi || *hi == Literal::Usize(0).into() => {}
            Stmt::Parallel { domain: Domain::Range { ref lo, ref hi }, .. }
                if lo == hi || *hi == Literal::Usize(0).into() => {}
            other => out.push(other),
        }
    }
    b.0 = out;
}

fn is(condition: &Expr, value: bool) -> bool {
    *condition == Expr::Literal(Literal::Bool(value))
}

/// Appends what is left of a branch.
fn branch(arms: Vec<(Expr, Block)>, otherwise: Block, out: &mut Vec<Stmt>) {
    let mut kept: Vec<(Expr, Block)> = Vec::new();
    let mut otherwise = otherwise;
    for (condition, body) in arms {
        if is(&condition, false) {
            continue;
        }
        if is(&condition, true) {
            otherwise = body;
            break;
        }
        match kept.last_mut() {
            Some((before, same)) if *same == body && same_scopes(same) => {
                *before = std::mem::replace(before, Literal::Bool(true).into()).or(condition);
            }
            _ => kept.push((condition, body)),
        }
    }
    while kept.last().is_some_and(|(_, body)| *body == otherwise && same_scopes(body)) {
        kept.pop();
    }
    if kept.is_empty() {
        splice(otherwise, out);
        return;
    }
    // `if c {} else { b }` is `if !c { b }`.
    if kept.len() == 1 && kept[0].1.is_empty() && !otherwise.is_empty() {
        let (condition, _) = kept.remove(0);
        let condition = match condition {
            Expr::Unary(UnaryOp::Not, inner) => *inner,
            other => !other,
        };
        kept.push((condition, std::mem::take(&mut otherwise)));
    }
    if let (Some(Stmt::If { arms: before, otherwise: none }), [(condition, _)], true) =
        (out.last_mut(), &kept[..], otherwise.is_empty())
        && let [(first, body)] = &mut before[..]
        && none.is_empty()
        && first == condition
        && !changes_what_is_read(body, condition)
        && !leaves(body)
    {
        let (_, more) = kept.remove(0);
        body.append(more);
        return;
    }
    if kept.len() == 1 && kept[0].1.is_empty() && otherwise.is_empty() {
        return;
    }
    out.push(Stmt::If { arms: kept, otherwise });
}

/// Whether one copy of a block can stand for two: it declares nothing, since each variable is declared once.
fn same_scopes(body: &Block) -> bool {
    let mut declares = false;
    body.visit(&mut |s| declares |= !s.declares().is_empty());
    !declares
}

/// A block that is always run needs no braces: what it declares is visible for longer, which does no harm.
fn splice(body: Block, out: &mut Vec<Stmt>) {
    out.extend(body.0);
}

fn changes_what_is_read(body: &Block, condition: &Expr) -> bool {
    let mut read: Vec<Var> = Vec::new();
    condition.visit(&mut |e| read.extend(e.own_vars()));
    read.into_iter().any(|v| body.changes(v))
}

/// Whether a block may be left before its end.
pub(super) fn leaves(body: &Block) -> bool {
    let mut found = false;
    body.visit(&mut |s| found |= matches!(s, Stmt::Break));
    found
}
