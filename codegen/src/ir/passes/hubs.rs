//! Folds over a row that may be shared out: a row of a hub, which has many entries, is then folded in parts at the same time.
//!
//! ```text
//!   let t = 0                                   let t = 0
//!   for j, v in entries of a[i] {               for j, v in entries of a[i], t += in parts {
//!     t += v * x[j]                               t += v * x[j]
//!   }                                           }
//! ```
//!
//! This holds where the loop changes nothing but the variable, which is at the neutral element of what folds into it right before the loop,
//! and what it declares itself. Only one operator may fold into the variable, and the loop must not read it, because each part has a
//! variable of its own.

use crate::ir::expr::Expr;
use crate::ir::kernel::{Kernel, Var};
use crate::ir::stmt::{Block, Reduce, Stmt};
use crate::ir::types::{Element, StoreType, Type};

/// Notes for every such loop what it folds into.
pub fn run(kernel: &mut Kernel) {
    let mut body = std::mem::take(&mut kernel.body);
    block(&mut body, kernel);
    kernel.body = body;
}

fn block(b: &mut Block, kernel: &Kernel) {
    for at in 0..b.0.len() {
        let folds = at.checked_sub(1).and_then(|before| folded(&b.0[before], &b.0[at], kernel));
        if let Stmt::ForEntries { fold, .. } = &mut b.0[at] {
            *fold = folds;
        }
        for inner in b.0[at].blocks_mut() {
            block(inner, kernel);
        }
    }
}

fn folded(before: &Stmt, stmt: &Stmt, kernel: &Kernel) -> Option<(Var, Reduce)> {
    let (Stmt::Let(sum, Expr::Literal(from)), Stmt::ForEntries { store, ordered: false, body, .. }) = (before, stmt)
    else {
        return None;
    };
    // The rows of a matrix are dealt out by parallel loops.
    if let Expr::Var(v) = store
        && kernel.is_param(*v)
        && matches!(kernel.vars[*v].ty, Type::Store(StoreType { element: Element::Store(_), .. }))
    {
        return None;
    }
    let (mut op, mut only, mut inside) = (None, true, Vec::new());
    body.visit(&mut |stmt| inside.extend(stmt.declares()));
    body.visit(&mut |stmt| match stmt {
        Stmt::Update(v, o, _) if v == sum => only &= op.replace(*o).is_none_or(|before| before == *o),
        _ => only &= stmt.writes().iter().all(|v| inside.contains(v)),
    });
    // Threads cannot share a cursor.
    body.visit_exprs(&mut |e| {
        only &= e.own_vars().all(|v| v != *sum && !matches!(kernel.vars[v].ty, Type::Cursor(_)));
    });
    let (op, scalar) = (op?, kernel.vars[*sum].ty.scalar()?);
    (only && op.identity(scalar) == Some(*from)).then_some((*sum, op))
}
