//! What a task does with its arrays, so that each access costs what it does in a routine for one thread.
//!
//! ```text
//!                                              let b_vals = b_vals.first(b_crd.len());
//!   for task in block {                        for task in block {
//!                                                  let b_pos = &mut b_pos[task * rows + 1..(task + 1) * rows + 1];
//!       let at = b_pos[task * rows + i + 1];       let at = b_pos[i];
//!       b_pos[task * rows + i + 1] = at + 1;       b_pos[i] = at + 1;
//!       b_crd.set(at, j);                          b_crd.set(at, j);
//!       b_vals.set(at, a_ij);                      b_vals.set(at, a_ij);
//!   }                                          }
//! ```
//!
//! A part that the task has for itself is a slice whose positions begin with the part: no sum, and one comparison. Shared arrays of one
//! length get that length from one number, so that a position which lies inside of one of them is known to lie inside of the others.

use proc_macro2::TokenStream;
use quote::quote;

use super::{EmitError, Emitter};
use crate::ir::expr::{BinaryOp, Expr};
use crate::ir::kernel::Var;
use crate::ir::stmt::{Block, Owned, Partition, Stmt};
use crate::ir::types::Literal;

impl Emitter<'_> {
    /// The tasks of a block, one after the other.
    pub(super) fn task(&self, task: Var, owned: &[Owned], body: &Block) -> Result<TokenStream, EmitError> {
        let lengths = self.alike(body);
        let (mut body, mut parts) = (body.clone(), TokenStream::new());
        for share in owned {
            let Partition::Each { offset, stride } = &share.partition else { continue };
            let begins = [Expr::Var(task) * stride.clone(), offset.clone()];
            let Some(relative) = relative(&body, share.array, &begins) else { continue };
            body = relative;
            let end = (Expr::Var(task) + Expr::Literal(Literal::Usize(1))) * stride.clone();
            let (from, to) = (self.bound(&sum(begins))?, self.bound(&sum([end, offset.clone()]))?);
            let a = self.ident(share.array);
            parts.extend(quote!(let #a = &mut #a[#from..#to];));
        }
        let (i, inner) = (self.binding(task), self.block(&body.0)?);
        Ok(quote!(#lengths for #i in block { #parts #inner }))
    }

    /// Says of shared arrays that they are of one length, where they are.
    fn alike(&self, body: &Block) -> TokenStream {
        let mut shared: Vec<Var> = self.shared.borrow().iter().copied().filter(|v| body.mentions(*v)).collect();
        shared.sort_unstable();
        let mut known: Vec<(Var, Var)> = Vec::new();
        let mut alike = TokenStream::new();
        for array in shared {
            let Some(len) = self.fixed_length(array) else { continue };
            match known.iter().find(|(other, _)| *other == len) {
                Some((_, first)) => {
                    let (first, a) = (self.ident(*first), self.ident(array));
                    alike.extend(quote!(let #a = #a.first(#first.len());));
                }
                None => known.push((len, array)),
            }
        }
        alike
    }

    /// The variable that says how many elements an array has, if it is made once, of a length that has a name, and keeps it.
    fn fixed_length(&self, array: Var) -> Option<Var> {
        let (mut made, mut keeps) = (Vec::new(), true);
        self.kernel.body.visit(&mut |stmt| match stmt {
            Stmt::NewArray { var, len, .. } if *var == array => made.push(len.clone()),
            Stmt::Push(a, _) | Stmt::Resize { array: a, .. } => keeps &= *a != array,
            Stmt::Gather { crd, vals, .. } => keeps &= *crd != array && *vals != array,
            _ => {}
        });
        match made[..] {
            [Expr::Var(len)] if keeps && !self.changes(len) => Some(len),
            _ => None,
        }
    }
}

/// A block with the positions in an array counted from a sum of terms on, if each of them is a sum of these terms and others, and the block
/// does nothing else with the array.
pub fn relative(block: &Block, array: Var, terms: &[Expr]) -> Option<Block> {
    let (mut relative, mut counted) = (block.clone(), 0);
    each_position(&mut relative, array, &mut |at| {
        if let Some(rest) = without(at, terms) {
            *at = rest;
            counted += 1;
        }
    });
    (counted == block.uses(array)).then_some(relative)
}

/// Calls `f` with each position at which a block reads or writes an element of an array.
fn each_position(block: &mut Block, array: Var, f: &mut impl FnMut(&mut Expr)) {
    for stmt in &mut block.0 {
        for expr in stmt.exprs_mut() {
            expr.rewrite(&mut |e| match e {
                Expr::Load(a, at) if *a == array => f(at),
                _ => {}
            });
        }
        match stmt {
            Stmt::Store(a, at, _) | Stmt::StoreUpdate(a, at, _, _) if *a == array => f(at),
            _ => {}
        }
        for inner in stmt.blocks_mut() {
            each_position(inner, array, f);
        }
    }
}

/// What is left of a sum without some of its terms; `None` if it lacks one of them.
pub fn without(position: &Expr, terms: &[Expr]) -> Option<Expr> {
    let mut all = Vec::new();
    flatten(position, &mut all);
    for term in terms.iter().filter(|term| !is_zero(term)) {
        let at = all.iter().position(|one| one == term)?;
        all.remove(at);
    }
    Some(sum(all))
}

/// The terms of a sum, in order.
fn flatten(e: &Expr, terms: &mut Vec<Expr>) {
    match e {
        Expr::Binary(BinaryOp::Add, x, y) => {
            flatten(x, terms);
            flatten(y, terms);
        }
        term => terms.push(term.clone()),
    }
}

/// The sum of some terms.
fn sum(terms: impl IntoIterator<Item = Expr>) -> Expr {
    let terms = terms.into_iter().filter(|term| !is_zero(term));
    terms.reduce(|sum, term| sum + term).unwrap_or(Expr::Literal(Literal::Usize(0)))
}

fn is_zero(e: &Expr) -> bool {
    *e == Expr::Literal(Literal::Usize(0))
}
