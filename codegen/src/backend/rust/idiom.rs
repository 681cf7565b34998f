//! Several statements that a person would write as one.
//!
//! ```text
//!   order = []; for e in 0..n { push e }      let mut order: Vec<usize> = (0..n).collect();
//!   sort order by j; sort order by i          order.sort_by_key(|&p| (i[p], j[p]));
//! ```

use proc_macro2::TokenStream;
use quote::quote;

use super::{EmitError, Emitter};
use crate::ir::expr::Expr;
use crate::ir::kernel::Var;
use crate::ir::stmt::Stmt;
use crate::ir::types::Literal;

/// What was emitted, and the statements behind it.
type Idiom<'s> = Option<(TokenStream, &'s [Stmt])>;

/// Keys that Rust compares at once: longer tuples have no order. What is sorted by more is sorted several times.
const MOST_KEYS: usize = 12;

impl Emitter<'_> {
    /// A statement and those behind it in fewer words, if there are any.
    pub(super) fn idiom<'s>(&self, stmt: &Stmt, further: &'s [Stmt]) -> Result<Idiom<'s>, EmitError> {
        match stmt {
            Stmt::NewVec { var, capacity: Some(n) } => self.counted(*var, n, further),
            Stmt::Sort { array, lo, hi, keys: Some(last) } => {
                let mut keys = vec![*last];
                let mut rest = further;
                while let [Stmt::Sort { array: a, lo: l, hi: h, keys: Some(key) }, behind @ ..] = rest
                    && (a, l, h) == (array, lo, hi)
                    && keys.len() < MOST_KEYS
                {
                    keys.push(*key);
                    rest = behind;
                }
                if keys.len() == 1 {
                    return Ok(None);
                }
                // Each sort is stable: the last one decides first.
                let part = self.part(*array, lo, hi)?;
                let keys = keys.iter().rev().map(|key| self.ident(*key));
                Ok(Some((quote!(#part.sort_by_key(|&p| (#(#keys[p]),*));), rest)))
            }
            _ => Ok(None),
        }
    }

    /// An array of the numbers below `n`.
    fn counted<'s>(&self, array: Var, n: &Expr, further: &'s [Stmt]) -> Result<Idiom<'s>, EmitError> {
        let [Stmt::For { var, lo, hi, body }, rest @ ..] = further else { return Ok(None) };
        let pushes = matches!(&body.0[..], [Stmt::Push(a, Expr::Var(e))] if *a == array && e == var);
        if !pushes || *lo != Expr::Literal(Literal::Usize(0)) || hi != n {
            return Ok(None);
        }
        let mut grown = 0;
        self.kernel.body.visit(&mut |stmt| match stmt {
            Stmt::Push(a, _) | Stmt::Resize { array: a, .. } if *a == array => grown += 1,
            _ => {}
        });
        let mut changes = false;
        for stmt in rest {
            stmt.visit(&mut |stmt| changes |= stmt.writes().iter().any(|v| n.mentions(*v)));
        }
        if grown == 1 && !changes {
            self.lengths.borrow_mut().push((array, n.clone()));
        }
        let (ty, hi) = (self.array_type(array), self.bound(n)?);
        let numbers = quote!((0..#hi).collect());
        Ok(Some((self.declare(array, Some(quote!(Vec<#ty>)), numbers), rest)))
    }
}
