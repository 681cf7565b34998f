//! Loops that count: a `while` that only moves one position or one cursor on becomes a `for`, or a loop over the rest of the cursor's runs.
//!
//! ```text
//!   while p < end { …; p = p + 1 }                     for q in p..end { … }
//!   while valid(c) { let j = coord(c); …; next(c) }    rest(c) as (j, v) { … }
//! ```

use crate::ir::expr::{BinaryOp, Expr, var};
use crate::ir::kernel::{Kernel, Var, Vars};
use crate::ir::stmt::{Block, Stmt};
use crate::ir::types::{Element, Literal, Scalar, Type};

/// Rewrites every such loop.
pub fn run(kernel: &mut Kernel) {
    let mut vars = std::mem::take(&mut kernel.vars);
    block(&mut kernel.body, &mut vars);
    kernel.vars = vars;
}

fn block(b: &mut Block, vars: &mut Vars) {
    for at in 0..b.0.len() {
        for inner in b.0[at].blocks_mut() {
            block(inner, vars);
        }
        let new = match &b.0[at] {
            Stmt::While(Expr::Binary(BinaryOp::Lt, p, end), body) => match (&**p, local(p, b, at)) {
                (Expr::Var(p), true) => counted(*p, end, body, vars),
                _ => None,
            },
            Stmt::While(Expr::CursorValid(cursor), body) => rest(*cursor, body, vars),
            _ => None,
        };
        if let Some(new) = new {
            b.0[at] = new;
        }
    }
}

/// Whether a variable is declared in the block before a statement, and not read behind it.
fn local(p: &Expr, b: &Block, at: usize) -> bool {
    let Expr::Var(p) = p else { return false };
    let declared = b.0[..at].iter().any(|stmt| matches!(stmt, Stmt::Let(v, _) if v == p));
    let later = b.0[at + 1..].iter().any(|stmt| stmt.mentions(*p));
    declared && !later
}

/// Whether the loop with this body is left from inside.
fn leaves(body: &Block) -> bool {
    body.0.iter().any(|stmt| match stmt {
        Stmt::Break => true,
        Stmt::For { .. } | Stmt::While(..) => false,
        _ => stmt.blocks().into_iter().any(leaves),
    })
}

fn counted(p: Var, end: &Expr, body: &Block, vars: &mut Vars) -> Option<Stmt> {
    let (last, rest) = body.0.split_last()?;
    let one = Expr::Literal(Literal::Usize(1));
    let step = matches!(last, Stmt::Assign(v, Expr::Binary(BinaryOp::Add, x, y)) if *v == p && **x == Expr::Var(p) && **y == one);
    let mut body = Block(rest.to_vec());
    let mut read = Vec::new();
    end.visit(&mut |e| read.extend(e.own_vars()));
    if !step || body.changes(p) || leaves(&body) || read.iter().any(|&v| v == p || body.changes(v)) {
        return None;
    }
    let q = vars.fresh(vars[p].name.clone(), Scalar::Usize);
    for stmt in &mut body.0 {
        stmt.rewrite_exprs(&mut |e| {
            if *e == Expr::Var(p) {
                *e = var(q);
            }
        });
    }
    Some(Stmt::For { var: q, lo: var(p), hi: end.clone(), body })
}

fn rest(cursor: Var, body: &Block, vars: &mut Vars) -> Option<Stmt> {
    let (last, rest) = body.0.split_last()?;
    let mut body = Block(rest.to_vec());
    if *last != Stmt::Advance(cursor) || body.changes(cursor) || leaves(&body) {
        return None;
    }
    let Type::Cursor(store) = vars[cursor].ty.clone() else { return None };
    let (coord, named) = match body.0.first() {
        Some(Stmt::Let(j, Expr::CursorCoord(c))) if *c == cursor && !body.changes(*j) => (*j, true),
        _ => (vars.fresh("c", Scalar::Usize), false),
    };
    if named {
        body.0.remove(0);
    }
    let mut value = None;
    for stmt in &mut body.0 {
        stmt.rewrite_exprs(&mut |e| match e {
            Expr::CursorCoord(c) if *c == cursor => *e = var(coord),
            Expr::CursorValue(c) if *c == cursor => {
                let ty = match &store.element {
                    Element::Scalar(scalar) => Type::Scalar(*scalar),
                    Element::Store(store) => Type::Store((**store).clone()),
                    Element::Pattern => return,
                };
                let name = vars[cursor].name.strip_suffix("_cursor").unwrap_or("value").to_owned();
                *e = var(*value.get_or_insert_with(|| vars.fresh(format!("{name}_entry"), ty)));
            }
            _ => {}
        });
    }
    (!body.mentions(cursor)).then_some(Stmt::Rest { cursor, coord, value, body })
}
