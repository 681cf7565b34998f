//! Maps, cursors and lists that need no order: where each entry is only folded into something, or a cursor only moved on to count them, a
//! store is visited as its nodes lie; a list of which only the length is read, as where the entries of a row are counted, is not sorted.

use std::collections::HashSet;

use crate::ir::expr::Expr;
use crate::ir::kernel::{Kernel, Var};
use crate::ir::stmt::{Block, Stmt};
use crate::ir::types::Literal;

/// Has every map, every cursor and every list that needs no order come in any.
pub fn run(kernel: &mut Kernel) {
    let mut read = HashSet::new();
    kernel.body.visit(&mut |stmt| {
        if let Stmt::Rest { cursor, .. } = stmt {
            read.insert(*cursor);
        }
    });
    kernel.body.visit_exprs(&mut |e| {
        if let Expr::CursorCoord(cursor) | Expr::CursorValue(cursor) = e {
            read.insert(*cursor);
        }
    });
    block(&mut kernel.body, &read);
}

/// The same for a block of a kernel that reads entries from some cursors.
fn block(b: &mut Block, read: &HashSet<Var>) {
    for at in (0..b.0.len()).rev() {
        if let Stmt::Sort { array, lo, hi, keys } = &b.0[at]
            && keys.is_empty()
            && is_all((lo, hi), *array)
            && in_any_order(&b.0[at + 1..], *array)
        {
            b.0.remove(at);
        }
    }
    for stmt in &mut b.0 {
        match stmt {
            Stmt::ForEntries { ordered, body, .. } => *ordered &= !folds_only(body),
            Stmt::OpenCursor { cursor, ordered, .. } => *ordered &= read.contains(cursor),
            _ => {}
        }
        for inner in stmt.blocks_mut() {
            block(inner, read);
        }
    }
}

/// Whether two bounds enclose all of an array.
fn is_all((lo, hi): (&Expr, &Expr), array: Var) -> bool {
    *lo == Expr::Literal(Literal::Usize(0)) && *hi == Expr::Len(array)
}

/// Whether statements do the same in whatever order an array lies, until it is emptied: they read how many elements it has, or store the same
/// at the position that each element says.
fn in_any_order(stmts: &[Stmt], array: Var) -> bool {
    for stmt in stmts {
        match stmt {
            Stmt::Resize { array: emptied, len: Expr::Literal(Literal::Usize(0)), .. } if *emptied == array => {
                return true;
            }
            Stmt::For { var, lo, hi, body } if is_all((lo, hi), array) => {
                let element = Expr::Load(array, Box::new(Expr::Var(*var)));
                let same = |stmt: &Stmt| matches!(stmt, Stmt::Store(to, at, Expr::Literal(_)) if *to != array && *at == element);
                if body.mentions(array) && !body.0.iter().all(same) {
                    return false;
                }
            }
            _ if stmt.mentions(array) => return false,
            _ => {}
        }
    }
    false
}

/// Whether a block changes nothing from outside but by folding, and reads nothing that it changes.
fn folds_only(body: &Block) -> bool {
    let mut only = true;
    let mut inside: HashSet<Var> = HashSet::new();
    let mut folded: HashSet<Var> = HashSet::new();
    let mut operators = Vec::new();
    body.visit(&mut |stmt| {
        inside.extend(stmt.declares());
        match stmt {
            Stmt::Update(v, op, _) | Stmt::StoreUpdate(v, _, op, _) => {
                folded.insert(*v);
                only &= operators.iter().all(|(w, o)| w != v || o == op);
                operators.push((*v, *op));
            }
            Stmt::Break => only = false,
            _ => only &= stmt.writes().iter().all(|v| inside.contains(v)),
        }
    });
    folded.retain(|v| !inside.contains(v));
    body.visit_exprs(&mut |e| only &= e.own_vars().all(|v| !folded.contains(&v)));
    only
}
