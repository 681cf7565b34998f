//! Loops over all rows of a matrix that append an entry for each row that holds anything.
//!
//! ```text
//!   for i in 0..a_rows {                        gather(a, &mut y_crd, &mut y_vals, |_, a_i| {
//!     let t, t_set = fold of a.row(i)               let t, t_set = fold of a_i
//!     if t_set {                                    t_set.then(|| t)
//!       y_crd.push(i)                           });
//!       y_vals.push(t)
//!     }
//!   }
//! ```
//!
//! The matrix is asked for its rows once, and not for each of them, and may compute several at the same time.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote;

use super::{EmitError, Emitter};
use crate::ir::expr::Expr;
use crate::ir::stmt::Stmt;
use crate::ir::types::{Literal, Scalar};

impl Emitter<'_> {
    /// The loop as one call, if it does nothing for rows that hold nothing.
    pub(super) fn gathered(&self, stmt: &Stmt) -> Result<Option<TokenStream>, EmitError> {
        let Stmt::For { var: i, lo: Expr::Literal(Literal::Usize(0)), hi, body } = stmt else { return Ok(None) };
        let [before @ .., last] = &body.0[..] else { return Ok(None) };
        let Stmt::If { arms, otherwise } = last else { return Ok(None) };
        let [(Expr::Var(flag), pushes)] = &arms[..] else { return Ok(None) };
        let [Stmt::Push(crd, Expr::Cast(Scalar::U32, coord)), Stmt::Push(vals, value)] = &pushes.0[..] else {
            return Ok(None);
        };
        if **coord != Expr::Var(*i) || !otherwise.is_empty() {
            return Ok(None);
        }
        // The flag is set by entries of the row and by nothing else.
        let (mut matrix, mut from_nothing, mut set_elsewhere) = (None, false, false);
        for stmt in before {
            match stmt {
                Stmt::Let(v, value) if v == flag => from_nothing = *value == Expr::Literal(Literal::Bool(false)),
                Stmt::ForEntries { store: Expr::Load(a, at), .. } if matrix.is_none() && **at == Expr::Var(*i) => {
                    matrix = Some(*a);
                }
                stmt => stmt.visit(&mut |s| set_elsewhere |= s.writes().contains(flag)),
            }
        }
        let Some(a) = matrix.filter(|&a| self.is_param(a) && self.is_row_extent(a, hi)) else { return Ok(None) };
        // What runs for several rows at the same time writes nothing but its own variables.
        let (mut own, mut written) = (Vec::new(), Vec::new());
        for stmt in before {
            stmt.visit(&mut |s| {
                own.extend(s.declares());
                written.extend(s.writes());
            });
        }
        let apart = written.iter().all(|v| own.contains(v))
            && before.iter().all(|s| {
                let mut apart = true;
                s.visit_exprs(&mut |e| apart &= !e.own_vars().iter().any(|v| v == crd || v == vals));
                apart
            })
            && !value.mentions(*crd)
            && !value.mentions(*vals);
        if set_elsewhere || !from_nothing || !apart {
            return Ok(None);
        }
        self.import("Fiber");
        let (rows, name, gather) = (self.ident(a), self.row_name(a, *i), self.import("gather"));
        self.rows_bound.borrow_mut().push((a, *i, name.clone()));
        let inner = self.block(before);
        self.rows_bound.borrow_mut().pop();
        let (inner, value) = (inner?, self.typed(value)?);
        let named = names(&inner, &self.ident(*i)) || names(&value, &self.ident(*i));
        let i = if named { self.binding(*i) } else { Ident::new("_", Span::call_site()) };
        let (flag, crd, vals) = (self.ident(*flag), self.ident(*crd), self.ident(*vals));
        Ok(Some(quote! {
            #gather(#rows, &mut #crd, &mut #vals, |#i, #name| {
                #inner
                #flag.then(|| #value)
            });
        }))
    }
}

/// Whether a name occurs among tokens.
fn names(tokens: &TokenStream, name: &Ident) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => names(&group.stream(), name),
        _ => false,
    })
}
