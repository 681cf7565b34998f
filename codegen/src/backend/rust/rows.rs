//! Rows of dense arrays that an inner loop goes along, named outside of the loops that stay with them.
//!
//! ```text
//!   for p in pos[i]..pos[i + 1] {                let y_i = &mut y[i * cols..i * cols + cols];
//!     for k in 0..cols {                         for p in pos[i]..pos[i + 1] {
//!       y[i * cols + k] += …                         for y_ik in y_i.iter_mut() { *y_ik += … }
//!     }                                          }
//!   }
//! ```
//!
//! What a row's bounds cost, and the check that they lie inside of the array, is then paid once for each row.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::walked::{Stretch, Walked};
use super::{EmitError, Emitter};
use crate::ir::expr::{BinaryOp, Expr};
use crate::ir::kernel::Var;
use crate::ir::stmt::{Block, Stmt};
use crate::ir::types::Literal;

const ZERO: Expr = Expr::Literal(Literal::Usize(0));

/// A row that has a name.
pub(super) struct NamedRow {
    array: Var,
    /// Where it begins.
    from: Expr,
    /// How many elements it has.
    len: Expr,
    pub name: Ident,
}

/// A loop along a row.
struct Along<'s> {
    array: Var,
    from: Expr,
    len: &'s Expr,
    written: bool,
    /// How often the loop mentions the array at this row.
    mentions: usize,
    /// Whether it stands under no condition.
    sure: bool,
}

impl Emitter<'_> {
    /// The declarations of the rows that loops inside of `stmt` go along and that it stays with; from now on they have a name.
    pub(super) fn named_rows(&self, stmt: &Stmt) -> Result<TokenStream, EmitError> {
        let Stmt::For { var, body, .. } = stmt else { return Ok(TokenStream::new()) };
        let mut inside = HashSet::from([*var]);
        body.visit(&mut |stmt| inside.extend(stmt.declares()));
        let mut along = Vec::new();
        self.loops_along(body, true, &mut along);
        let mut tokens = TokenStream::new();
        for (nth, one) in along.iter().enumerate() {
            let same = |other: &&Along<'_>| other.array == one.array && other.from == one.from && other.len == one.len;
            let stays = [&one.from, one.len].into_iter().all(|e| stays(e, &inside, body));
            // A loop under a condition may be the only one for which the row lies inside of the array.
            let sure = along.iter().filter(same).any(|other| other.sure) || self.is_of_loops(&one.from, *var);
            if !stays
                || !sure
                || inside.contains(&one.array)
                || self.named_row(one.array, &one.from, one.len).is_some()
                || along[..nth].iter().any(|other| same(&other))
            {
                continue;
            }
            let written = along.iter().filter(same).any(|other| other.written);
            if written && along.iter().filter(same).map(|other| other.mentions).sum::<usize>() != body.uses(one.array)
                || !written && body.changes(one.array)
            {
                continue;
            }
            let name = self.name_of_row(one.array, &one.from);
            let (a, range) = (self.ident(one.array), self.row_range(&one.from, one.len)?);
            let borrow = if written { quote!(&mut #a) } else { quote!(&#a) };
            tokens.extend(quote!(let #name = #borrow[#range];));
            let row = NamedRow { array: one.array, from: one.from.clone(), len: one.len.clone(), name };
            self.named.borrow_mut().push(row);
        }
        Ok(tokens)
    }

    /// The name of the row that an array is walked along, if a loop around has given it one.
    pub(super) fn walked_row(&self, walked: &Walked, p: Var, stretch: &Stretch<'_>) -> Option<Ident> {
        let Stretch::Bounds(lo, hi) = stretch else { return None };
        let from = row_start(&walked.at, p).filter(|_| **lo == ZERO)?;
        self.named_row(walked.array, &from, hi)
    }

    fn named_row(&self, array: Var, from: &Expr, len: &Expr) -> Option<Ident> {
        let named = self.named.borrow();
        named.iter().find(|row| row.array == array && row.from == *from && row.len == *len).map(|row| row.name.clone())
    }

    /// The loops inside of a block, at any depth, that go along rows.
    fn loops_along<'s>(&self, block: &'s Block, sure: bool, found: &mut Vec<Along<'s>>) {
        for stmt in &block.0 {
            match stmt {
                Stmt::For { var, lo, hi, body } => {
                    if *lo == ZERO {
                        let arrays = self.walked(*var, &Stretch::Bounds(lo, hi), body).unwrap_or_default();
                        for walked in arrays.iter().filter(|walked| !walked.plain) {
                            if let Some(from) = row_start(&walked.at, *var) {
                                let mentions = mentions_at(walked.array, &walked.at, body);
                                found.push(Along {
                                    array: walked.array,
                                    from,
                                    len: hi,
                                    written: walked.written,
                                    mentions,
                                    sure,
                                });
                            }
                        }
                    }
                    self.loops_along(body, sure, found);
                }
                Stmt::While(..) | Stmt::If { .. } => {
                    stmt.blocks().into_iter().for_each(|block| self.loops_along(block, false, found));
                }
                _ => {}
            }
        }
    }

    /// `c_k`: what a row is called, by its array and the index that it belongs to.
    fn name_of_row(&self, array: Var, from: &Expr) -> Ident {
        let mut of = None;
        from.visit(&mut |e| {
            if let Expr::Var(v) = e
                && of.is_none()
            {
                of = Some(*v);
            }
        });
        let array = self.names[array].trim_end_matches("_vals");
        let mut name = format!("{array}_{}", of.map_or("row", |v| &self.names[v]));
        while self.kernel.vars.iter().any(|(v, _)| self.names[v] == name) || self.is_bound(&name) {
            name.push('_');
        }
        Ident::new(&name, Span::call_site())
    }

    fn row_range(&self, from: &Expr, len: &Expr) -> Result<TokenStream, EmitError> {
        let to = from.clone() + len.clone();
        let (from, to) = (self.bound(from)?, self.bound(&to)?);
        Ok(quote!(#from..#to))
    }
}

/// Where the row begins that `at` goes along with `p`, if that is a sum of products and so nothing that may fall below zero.
fn row_start(at: &Expr, p: Var) -> Option<Expr> {
    fn plain(e: &Expr) -> bool {
        match e {
            Expr::Var(_) | Expr::Literal(_) => true,
            Expr::Binary(BinaryOp::Add | BinaryOp::Mul, x, y) => plain(x) && plain(y),
            _ => false,
        }
    }
    match at {
        Expr::Binary(BinaryOp::Add, from, last) if **last == Expr::Var(p) && plain(from) => Some((**from).clone()),
        _ => None,
    }
}

/// Whether an expression is the same all through a loop.
fn stays(e: &Expr, inside: &HashSet<Var>, body: &Block) -> bool {
    let mut stays = true;
    e.visit(&mut |e| stays &= e.own_vars().all(|v| !inside.contains(&v) && !body.changes(v)));
    stays
}

/// How often a block reads or writes an array at one position.
fn mentions_at(array: Var, at: &Expr, body: &Block) -> usize {
    let mut count = 0;
    body.visit(&mut |stmt| {
        let here = matches!(stmt, Stmt::Store(a, i, _) | Stmt::StoreUpdate(a, i, _, _) if *a == array && i == at);
        count += usize::from(here);
    });
    body.visit_exprs(&mut |e| count += usize::from(matches!(e, Expr::Load(a, i) if *a == array && **i == *at)));
    count
}
