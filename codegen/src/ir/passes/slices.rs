//! Rows of dense arrays that an inner loop goes along, named outside of the loops that stay with them.
//!
//! ```text
//!   for p in pos[i]..pos[i + 1] {                 let y_i = written part y[i * cols..i * cols + cols]
//!     for k in 0..cols along                      for p in pos[i]..pos[i + 1] {
//!         written y_ik = y[i * cols + k] {          for k in 0..cols along all written y_ik = y_i[k] {
//!       y_ik += …                                     y_ik += …
//!     }                                             }
//!   }                                             }
//! ```
//!
//! What a row's bounds cost, and the check that they lie inside of the array, is then paid once for each row. The rows of a block of constant
//! size, one behind the other, are named together:
//!
//! ```text
//!   for r in 0..6 {                               let a_p = part a[p * 36..p * 36 + 36]
//!     for c in 0..6 along                         for r in 0..6 {
//!         a_c = a[(p * 6 + r) * 6 + c] {            for c in 0..6 along a_c = a_p[r * 6 + c] {
//! ```

use std::collections::HashSet;

use super::walk::{counted, is_of_loops};
use crate::ir::convention::Form;
use crate::ir::expr::{BinaryOp, Expr, usize, var};
use crate::ir::kernel::{Kernel, Var};
use crate::ir::names::Names;
use crate::ir::stmt::{Block, Stmt, Walked};
use crate::ir::types::Literal;

/// Names every row outside of the loops that stay with it.
pub fn run(kernel: &mut Kernel) {
    let (counted, names) = (counted(&kernel.body), Names::of(kernel, &[]));
    let mut body = std::mem::take(&mut kernel.body);
    let mut slices = Slices { kernel, names, counted };
    slices.block(&mut body);
    kernel.body = body;
}

struct Slices<'k> {
    kernel: &'k mut Kernel,
    names: Names,
    /// The variables that loops count, or that number rows.
    counted: HashSet<Var>,
}

/// A row that a loop goes along.
#[derive(Clone, PartialEq)]
struct Row {
    array: Var,
    /// Where it begins.
    from: Expr,
    /// How many elements it has.
    len: Expr,
}

/// A loop along a row.
struct Along {
    row: Row,
    written: bool,
    /// Whether it stands under no condition.
    sure: bool,
}

impl Slices<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.0) {
            block.0.extend(self.named_rows(&mut stmt));
            stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            block.push(stmt);
        }
    }

    /// Names the rows that loops inside of `stmt` go along and that it stays with, and has these loops go along the named rows.
    fn named_rows(&mut self, stmt: &mut Stmt) -> Vec<Stmt> {
        let Stmt::For { var: p, lo, hi, body } = stmt else { return Vec::new() };
        // How many rows a block has, if the loop counts the rows of one.
        let rows = match hi {
            Expr::Literal(Literal::Usize(rows)) if *lo == usize(0) => Some(*rows),
            _ => None,
        };
        let mut inside = HashSet::from([*p]);
        body.visit(&mut |stmt| inside.extend(stmt.declares()));
        let mut along = Vec::new();
        loops_along(body, true, &mut along);
        let mut slices = Vec::new();
        while let Some(Along { row, .. }) = along.first() {
            let row = row.clone();
            let (same, others): (Vec<Along>, Vec<Along>) = along.into_iter().partition(|one| one.row == row);
            along = others;
            if let Some((lo, len)) =
                same.iter().find(|one| one.sure).and_then(|one| block_of_rows(one, *p, rows, &inside, body))
            {
                let slice = self.slice(&Row { from: lo.clone(), ..row.clone() });
                go_along(body, &row, slice, Some(var(*p) * row.len.clone()));
                slices.push(Stmt::Slice { slice, array: row.array, hi: lo.clone() + usize(len), lo, written: false });
                continue;
            }
            let written = same.iter().any(|one| one.written);
            let apart = if written { same.len() == body.uses(row.array) } else { !body.changes(row.array) };
            // A loop under a condition may be the only one for which the row lies inside of the array.
            let sure = same.iter().any(|one| one.sure) || self.is_of_loops(&row.from);
            let stays = [&row.from, &row.len].into_iter().all(|e| stays(e, &inside, body));
            if !apart || !sure || !stays || inside.contains(&row.array) {
                continue;
            }
            let slice = self.slice(&row);
            go_along(body, &row, slice, None);
            let (lo, hi) = (row.from.clone(), row.from + row.len);
            slices.push(Stmt::Slice { slice, array: row.array, lo, hi, written });
        }
        slices
    }

    fn is_of_loops(&self, from: &Expr) -> bool {
        is_of_loops(from, &|v| self.counted.contains(&v), self.kernel)
    }

    /// A variable for a row, called by its array and the index that it belongs to: `c_k`.
    fn slice(&mut self, row: &Row) -> Var {
        let mut of = None;
        row.from.visit(&mut |e| {
            if let Expr::Var(v) = e {
                of = of.or(Some(*v));
            }
        });
        let mut tensors = self.kernel.params.iter().chain(&self.kernel.results);
        let whole = tensors.find(|tensor| self.kernel.form(tensor) == Form::Slice(row.array));
        let array = match whole {
            Some(tensor) => tensor.name.to_lowercase(),
            None => self.names[row.array].trim_end_matches("_vals").to_owned(),
        };
        let name = format!("{array}_{}", of.map_or("row", |v| &self.names[v]));
        let ty = self.kernel.vars[row.array].ty.part();
        self.kernel.vars.fresh(name, ty)
    }
}

/// The loops inside of a block, at any depth, that go along rows.
fn loops_along(block: &Block, sure: bool, found: &mut Vec<Along>) {
    for stmt in &block.0 {
        match stmt {
            Stmt::For { var, lo, hi, body } => {
                if let [Stmt::Along { walked, .. }] = &body.0[..]
                    && *lo == usize(0)
                {
                    let rows = walked.iter().filter_map(|one| Some((row(one, *var, hi)?, one.written)));
                    found.extend(rows.map(|(row, written)| Along { row, written, sure }));
                }
                loops_along(body, sure, found);
            }
            Stmt::Along { body, .. } => loops_along(body, sure, found),
            Stmt::While(..) | Stmt::If { .. } => {
                stmt.blocks().into_iter().for_each(|block| loops_along(block, false, found));
            }
            _ => {}
        }
    }
}

/// Where the block begins, and how many elements it has, that a row belongs to which is only read, if a loop over `r` in `0..rows` counts the
/// rows of the block.
fn block_of_rows(
    one: &Along,
    r: Var,
    rows: Option<usize>,
    inside: &HashSet<Var>,
    body: &Block,
) -> Option<(Expr, usize)> {
    let (Row { array, from, len: Expr::Literal(Literal::Usize(len)) }, Some(rows)) = (&one.row, rows) else {
        return None;
    };
    let Expr::Binary(BinaryOp::Mul, row, width) = from else { return None };
    let Expr::Binary(BinaryOp::Add, first, last) = &**row else { return None };
    // A loop that may be left may not come to the last row.
    let mut left = false;
    body.visit(&mut |stmt| left |= matches!(stmt, Stmt::Break));
    let counts = **last == var(r) && **width == usize(*len) && stays(first, inside, body);
    if !counts || left || inside.contains(array) || body.changes(*array) {
        return None;
    }
    let size = rows.checked_mul(*len)?;
    let from = match &**first {
        Expr::Binary(BinaryOp::Mul, x, y) if **y == usize(rows) => (**x).clone() * usize(size),
        _ => (**first).clone() * usize(*len),
    };
    Some((from, size))
}

/// Has the loops inside of a block that go along a row go along a slice: all of it, or the row that begins at `from`.
fn go_along(block: &mut Block, of: &Row, slice: Var, from: Option<Expr>) {
    for stmt in &mut block.0 {
        if let Stmt::For { var: p, lo, hi, body } = stmt
            && let [Stmt::Along { walked, .. }] = &mut body.0[..]
            && *lo == usize(0)
        {
            for one in walked.iter_mut().filter(|one| row(one, *p, hi).is_some_and(|row| row == *of)) {
                let at = from.iter().cloned().fold(var(*p), |p, from| from + p);
                (one.array, one.at, one.whole) = (slice, at, from.is_none());
            }
        }
        stmt.blocks_mut().into_iter().for_each(|inner| go_along(inner, of, slice, from.clone()));
    }
}

/// The row that a loop goes along which counts `p` from 0 to `len`, if that begins at a sum of products and so at nothing that may fall below
/// zero.
fn row(one: &Walked, p: Var, len: &Expr) -> Option<Row> {
    fn plain(e: &Expr) -> bool {
        match e {
            Expr::Var(_) | Expr::Literal(_) => true,
            Expr::Binary(BinaryOp::Add | BinaryOp::Mul, x, y) => plain(x) && plain(y),
            _ => false,
        }
    }
    match &one.at {
        Expr::Binary(BinaryOp::Add, from, last) if **last == var(p) && plain(from) => {
            Some(Row { array: one.array, from: (**from).clone(), len: len.clone() })
        }
        _ => None,
    }
}

/// Whether an expression is the same all through a loop.
fn stays(e: &Expr, inside: &HashSet<Var>, body: &Block) -> bool {
    let mut stays = true;
    e.visit(&mut |e| stays &= e.own_vars().all(|v| !inside.contains(&v) && !body.changes(v)));
    stays
}
