//! Parallel loops over all rows of a matrix that receive each row with its number, instead of looking it up.
//!
//! ```text
//!   parallel for i in 0..a_rows {               parallel for i, a_i in rows of a {
//!     let t = 0                                   let t = 0
//!     for j, v in entries of a[i] { t += … }      for j, v in entries of a_i { t += … }
//!     y[i] += t                                   y[i] += t
//!   }                                           }
//! ```
//!
//! Rows without entries are left out. Where `y[i]` is set and not folded into, all of `y` is first set to the value for such a row.

use super::matrices::Matrices;
use super::replace;
use crate::ir::expr::{Expr, len, usize};
use crate::ir::kernel::{Kernel, Var};
use crate::ir::stmt::{Block, Domain, Owned, Stmt, Work};
use crate::ir::types::{Literal, Type};

/// Changes every parallel loop over all rows of a matrix into one that receives the rows.
pub fn run(kernel: &mut Kernel) {
    let matrices = Matrices::of(kernel);
    replace(kernel, &mut |stmt, kernel| rows(stmt, kernel, &matrices).or_else(|| held_rows(stmt, kernel, &matrices)));
}

/// The parts of a parallel loop over numbers from 0 on without folds and workspaces, which writes one array.
fn parts(stmt: &Stmt) -> Option<(Var, &Expr, &Owned, &Block)> {
    let Stmt::Parallel { var, domain: Domain::Range { lo, hi }, owned, reductions, scratch, body, .. } = stmt else {
        return None;
    };
    let [share] = &owned[..] else { return None };
    (*lo == usize(0) && reductions.is_empty() && scratch.is_empty()).then_some((*var, hi, share, body))
}

/// A loop that folds each row into a number, and sets an element to it or folds it into one.
fn rows(stmt: &Stmt, kernel: &mut Kernel, matrices: &Matrices) -> Option<Vec<Stmt>> {
    let (i, hi, share, body) = parts(stmt)?;
    let [Stmt::Let(sum, Expr::Literal(from)), Stmt::ForEntries { store, body: inner, .. }, last] = &body.0[..] else {
        return None;
    };
    let Expr::Load(a, index) = store else { return None };
    let (a, array) = (*a, share.array);
    if **index != Expr::Var(i) || !matrices.has_rows(a, hi) || inner.mentions(array) || inner.mentions(a) {
        return None;
    }
    let result = Expr::Var(*sum);
    let nothing = match last {
        Stmt::StoreUpdate(y, at, op, x) if *y == array && *at == Expr::Var(i) && *x == result => {
            let scalar = kernel.vars[*sum].ty.scalar();
            if scalar.and_then(|scalar| op.identity(scalar)) != Some(*from) {
                return None;
            }
            None
        }
        Stmt::Store(y, at, x) if *y == array && *at == Expr::Var(i) && *x == result => Some(*from),
        _ => return None,
    };
    let row = matrices.row(a, i, kernel);
    let mut body = body.clone();
    if let Stmt::ForEntries { store, .. } = &mut body.0[1] {
        *store = Expr::Var(row);
    }
    Some(over(i, a, Some(row), share, nothing, body))
}

/// A loop over a matrix that may have no row at some coordinates. A number is stored at these.
fn held_rows(stmt: &Stmt, kernel: &Kernel, matrices: &Matrices) -> Option<Vec<Stmt>> {
    let (i, hi, share, body) = parts(stmt)?;
    let [Stmt::Locate { store: Expr::Var(a), coord, value, then, otherwise }] = &body.0[..] else { return None };
    let here = Expr::Var(i);
    let [Stmt::Store(y, at, Expr::Literal(nothing))] = &otherwise.0[..] else { return None };
    let (Stmt::Store(z, to, sum), before) = then.0.split_last()? else { return None };
    let once = [*y, *z] == [share.array; 2] && [at, to] == [&here, &here] && !sum.mentions(share.array);
    let apart = !Block::from(before.to_vec()).mentions(share.array) && !then.mentions(*a);
    let matrix = matches!(kernel.vars[*a].ty, Type::Store(_)) && matrices.has_rows(*a, hi);
    if *coord != here || !matrix || !once || !apart {
        return None;
    }
    Some(over(i, *a, *value, share, Some(*nothing), then.clone()))
}

/// The loop over rows, behind a statement that stores the number everywhere.
fn over(i: Var, matrix: Var, row: Option<Var>, share: &Owned, nothing: Option<Literal>, body: Block) -> Vec<Stmt> {
    let array = share.array;
    let fill = nothing.map(|value| Stmt::Fill { array, lo: usize(0), hi: len(array), value: value.into() });
    let rows = Stmt::Parallel {
        var: i,
        domain: Domain::Rows { matrix, row },
        owned: vec![share.clone()],
        reductions: Vec::new(),
        work: Work::default(),
        scratch: Block::new(),
        body,
    };
    fill.into_iter().chain([rows]).collect()
}
