//! Arrays that a parallel loop makes: they are not cleared before, which takes about as long as to write them.
//!
//! ```text
//!   let c_vals = [0; c_pos[n]]                  let c_vals, cleared by tasks, of c_pos[n]
//!   parallel for i in 0..n                      parallel for i in 0..n
//!       owns c_vals by c_pos {                      owns c_vals by c_pos {
//!     let c_at = c_pos[i]
//!     for … {                                     for … {
//!       c_vals[c_at] = …                            push c_vals, …
//!       c_at += 1
//!     }                                           }
//!   }                                           }
//! ```
//!
//! The loop is the first to touch the array. Its iterations write the elements of their parts one behind the other, or they fold into rows of
//! them: a row is cleared when it is touched, and is near then.

use super::branch::leaves;
use crate::ir::expr::{Expr, load, usize, var};
use crate::ir::kernel::{Kernel, Var};
use crate::ir::stmt::{Block, Domain, Owned, Partition, Reduce, Stmt};

/// Rewrites every such array.
pub fn run(kernel: &mut Kernel) {
    block(&mut kernel.body);
}

fn block(b: &mut Block) {
    for at in 0..b.0.len() {
        b.0[at].blocks_mut().into_iter().for_each(block);
        for array in makes(&b.0[at]) {
            let fresh = |stmt: &Stmt| matches!(stmt, Stmt::NewArray { var, fill: Expr::Literal(fill), .. } if *var == array && fill.bits() == 0);
            let Some(new) = b.0[..at].iter().rposition(fresh) else { continue };
            let Stmt::NewArray { len, .. } = &b.0[new] else { continue };
            let touched = |stmt: &Stmt| {
                let mut changed = stmt.mentions(array);
                len.visit(&mut |e| changed |= e.own_vars().any(|v| stmt.changes(v)));
                changed
            };
            if b.0[new + 1..at].iter().any(touched) {
                continue;
            }
            let len = len.clone();
            if pushes(&mut b.0[at], array) || folds_rows(&b.0[at], array) {
                b.0[new] = Stmt::NewUncleared { var: array, len };
            }
        }
    }
}

/// The arrays that a loop over numbers or positions deals out.
fn makes(stmt: &Stmt) -> Vec<Var> {
    match stmt {
        Stmt::Parallel { domain: Domain::Range { .. } | Domain::Listed { .. }, owned, work, .. } if !work.is_task => {
            owned.iter().map(|share| share.array).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether iterations own rows of an array, of a length that they share, and do nothing with it but to fold into elements.
fn folds_rows(stmt: &Stmt, array: Var) -> bool {
    let Stmt::Parallel { domain, owned, scratch, body, .. } = stmt else { return false };
    let rows = |share: &Owned| match (&share.partition, domain) {
        (Partition::Segments { stride, .. }, _) => !matches!(stride, Expr::Literal(_)),
        (Partition::Each { offset, stride }, Domain::Range { .. }) => {
            *offset == usize(0) && !matches!(stride, Expr::Literal(_))
        }
        _ => false,
    };
    let mut folds = 0;
    body.visit(&mut |stmt| folds += usize::from(matches!(stmt, Stmt::StoreUpdate(a, ..) if *a == array)));
    owned.iter().any(|share| share.array == array && rows(share))
        && !scratch.mentions(array)
        && body.uses(array) == folds
}

/// Has iterations push elements to an array, if each of them writes all of its part in order.
fn pushes(stmt: &mut Stmt, array: Var) -> bool {
    let Stmt::Parallel { var, domain, owned, scratch, body, .. } = stmt else { return false };
    let i = match domain {
        Domain::Listed { position, .. } => *position,
        _ => *var,
    };
    let of = owned.iter().find_map(|share| match &share.partition {
        Partition::Segments { pos, stride } if share.array == array && *stride == usize(1) => Some(*pos),
        _ => None,
    });
    let Some(pos) = of.filter(|_| !scratch.mentions(array)) else { return false };
    along(array, pos, i, body) || at_cursor(array, pos, i, body)
}

/// The same where a loop over the part stores each element: `for p in pos[i]..pos[i + 1] { …; array[p] = … }`.
fn along(array: Var, pos: Var, i: Var, body: &mut Block) -> bool {
    let (first, end) = (load(pos, i), load(pos, var(i) + usize(1)));
    let once = body.uses(array) == 1;
    body.0.iter_mut().any(|stmt| match stmt {
        Stmt::For { var: p, lo, hi, body } if once && *lo == first && *hi == end && !leaves(body) => {
            body.0.iter_mut().any(|stmt| match stmt {
                Stmt::Store(a, Expr::Var(at), value) if *a == array && at == p => {
                    *stmt = Stmt::Push(array, value.clone());
                    true
                }
                _ => false,
            })
        }
        _ => false,
    })
}

/// The same where a position that begins with the part moves on behind each element.
fn at_cursor(array: Var, pos: Var, i: Var, body: &mut Block) -> bool {
    let first = load(pos, i);
    let mut begins = body.0.iter().filter_map(|stmt| match stmt {
        Stmt::Let(at, from) if *from == first => Some(*at),
        _ => None,
    });
    let in_order = begins.any(|at| moves_on(body, array, at));
    if in_order {
        push_all(body, array);
    }
    in_order
}

/// Whether a block moves a position on behind each element that it stores there, and does nothing else with the position or the array.
fn moves_on(block: &Block, array: Var, at: Var) -> bool {
    let mut stored = false;
    for stmt in &block.0 {
        match stmt {
            Stmt::Store(a, index, value) if *a == array => {
                if stored || *index != var(at) || value.mentions(array) {
                    return false;
                }
                stored = true;
            }
            Stmt::Update(v, op, by) if *v == at => {
                if !stored || *op != Reduce::Add || *by != usize(1) {
                    return false;
                }
                stored = false;
            }
            _ => {
                let writes = stmt.writes().contains(&array) || stmt.writes().contains(&at);
                let reads = stmt.own_reads().contains(&array) || stmt.exprs().iter().any(|e| e.mentions(array));
                let inner = stmt.blocks();
                if writes || reads || stored && !inner.is_empty() || !inner.iter().all(|b| moves_on(b, array, at)) {
                    return false;
                }
            }
        }
    }
    !stored
}

fn push_all(block: &mut Block, array: Var) {
    for stmt in &mut block.0 {
        if let Stmt::Store(a, _, value) = stmt
            && *a == array
        {
            *stmt = Stmt::Push(array, value.clone());
        }
        stmt.blocks_mut().into_iter().for_each(|block| push_all(block, array));
    }
}
