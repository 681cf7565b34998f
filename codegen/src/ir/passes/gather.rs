//! Loops over all rows of a matrix that append an entry for each row with entries: the matrix hands out all rows, and several of them may be
//! computed at the same time.
//!
//! ```text
//!   for i in 0..a_rows {                        gather i, a_i in rows of a into y_crd, y_vals {
//!     let t, t_set = fold of a[i]                 let t, t_set = fold of a_i
//!     if t_set {                                } t if t_set
//!       push i to y_crd
//!       push t to y_vals
//!     }
//!   }
//! ```

use super::matrices::Matrices;
use super::replace;
use crate::ir::expr::{Expr, bool, usize};
use crate::ir::kernel::{Kernel, Var};
use crate::ir::stmt::{Block, Stmt};
use crate::ir::types::Scalar;

/// Rewrites each such loop that does nothing for rows without entries.
pub fn run(kernel: &mut Kernel) {
    let matrices = Matrices::of(kernel);
    replace(kernel, &mut |stmt, kernel| Some(vec![gathered(stmt, kernel, &matrices)?]));
}

fn gathered(stmt: &Stmt, kernel: &mut Kernel, matrices: &Matrices) -> Option<Stmt> {
    let Stmt::For { var: i, lo, hi, body } = stmt else { return None };
    let (Stmt::If { arms, otherwise }, before) = body.0.split_last()? else { return None };
    let [(Expr::Var(flag), pushes)] = &arms[..] else { return None };
    let [Stmt::Push(crd, Expr::Cast(Scalar::U32, coord)), Stmt::Push(vals, value)] = &pushes.0[..] else {
        return None;
    };
    if *lo != usize(0) || **coord != Expr::Var(*i) || !otherwise.is_empty() {
        return None;
    }
    // The flag is set by entries of the row and by nothing else.
    let (mut matrix, mut from_nothing, mut set_elsewhere) = (None, false, false);
    for stmt in before {
        match stmt {
            Stmt::Let(v, value) if v == flag => from_nothing = *value == bool(false),
            Stmt::ForEntries { store: Expr::Load(a, at), .. } if matrix.is_none() && **at == Expr::Var(*i) => {
                matrix = Some(*a);
            }
            stmt => stmt.visit(&mut |s| set_elsewhere |= s.writes().contains(flag)),
        }
    }
    let a = matrix.filter(|&a| matrices.has_rows(a, hi))?;
    if set_elsewhere || !from_nothing || !apart(before, value, *crd, *vals) {
        return None;
    }
    let row = matrices.row(a, *i, kernel);
    let mut body = Block::from(before.to_vec());
    let here = Expr::Load(a, Box::new(Expr::Var(*i)));
    for stmt in &mut body.0 {
        stmt.rewrite_exprs(&mut |e| {
            if *e == here {
                *e = Expr::Var(row);
            }
        });
    }
    let (flag, value) = (*flag, value.clone());
    Some(Stmt::Gather { matrix: a, coord: *i, row, body, flag, value, crd: *crd, vals: *vals })
}

/// Whether several rows may be computed at the same time: each writes nothing but variables of its own, and reads nothing of what is
/// gathered.
fn apart(body: &[Stmt], value: &Expr, crd: Var, vals: Var) -> bool {
    let (mut own, mut written) = (Vec::new(), Vec::new());
    let mut reads = value.mentions(crd) || value.mentions(vals);
    for stmt in body {
        stmt.visit(&mut |s| {
            own.extend(s.declares());
            written.extend(s.writes());
        });
        stmt.visit_exprs(&mut |e| reads |= e.names(crd) || e.names(vals));
    }
    !reads && written.iter().all(|v| own.contains(v))
}
