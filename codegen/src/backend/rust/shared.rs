//! Parallel loops over rows that come in any order: what they write is shared as atomics.

use proc_macro2::TokenStream;
use quote::quote;

use super::{EmitError, Emitter};
use crate::ir::kernel::Var;
use crate::ir::stmt::{Block, Domain, Owned, Partition, Stmt};
use crate::ir::types::Scalar;

type Emitted = Result<TokenStream, EmitError>;

impl Emitter<'_> {
    /// A parallel loop over the rows of an outer level. Rows come in any order, so the output is shared as atomics, each of
    /// which one iteration alone touches.
    pub(super) fn parallel_entries(&self, stmt: &Stmt) -> Emitted {
        let Stmt::Parallel { var, domain: Domain::Entries { store, value }, owned, reductions, scratch, body, .. } =
            stmt
        else {
            return Ok(TokenStream::new());
        };
        let Some(rows) = self.rows_of(store)?.filter(|_| reductions.is_empty() && scratch.is_empty()) else {
            return self.unsupported("a parallel loop with workspaces over the entries of a store");
        };
        let (_, row) = self.row_pattern(*var, *value);
        self.par_rows(rows, *var, row, owned, body)
    }

    /// `a.par_rows(|i, a_i| …)`. Rows come in any order, so the output is shared as atomics, each of which one iteration alone
    /// touches.
    pub(super) fn par_rows(
        &self,
        rows: TokenStream,
        coord: Var,
        row: TokenStream,
        owned: &[Owned],
        body: &Block,
    ) -> Emitted {
        let i = self.binding(coord);
        self.sharing(owned, || {
            let inner = self.block(&body.0)?;
            Ok(quote!(#rows.par_rows(|#i, #row| { #inner });))
        })
    }

    /// What `emit` emits, with the arrays of `owned` shared as atomics.
    pub(super) fn sharing(&self, owned: &[Owned], emit: impl FnOnce() -> Emitted) -> Emitted {
        let runtime = &self.runtime;
        let mut sharing = TokenStream::new();
        let before = self.shared.borrow().clone();
        for share in owned {
            let scalar = self.kernel.vars[share.array].ty.array_scalar();
            let fits = match share.partition {
                Partition::Anywhere => scalar.is_some(),
                Partition::Each { .. } => scalar.is_some_and(|s| s != Scalar::Usize),
                Partition::Segments { .. } | Partition::Positions { .. } => false,
            };
            if !fits {
                return self.unsupported("an output of a parallel loop over entries that is not an array of values");
            }
            let name = self.ident(share.array);
            let array = if self.is_param(share.array) { quote!(#name) } else { quote!(&mut #name) };
            sharing.extend(quote!(let #name = #runtime::SharedOutput::new(#array);));
            self.shared.borrow_mut().insert(share.array);
        }
        let emitted = emit();
        self.shared.replace(before);
        let emitted = emitted?;
        // What comes after it sees the array itself again.
        let this = |stmt: &Stmt| matches!(stmt, Stmt::Parallel { owned: own, .. } if std::ptr::eq(&own[..], owned));
        let body = &self.kernel.body.0;
        let at = body.iter().position(this).unwrap_or(body.len());
        let is_last = |array: Var| {
            body.iter().enumerate().all(|(n, stmt)| {
                let filled = n < at && matches!(stmt, Stmt::Fill { array: own, .. } if *own == array);
                n == at || filled || !stmt.mentions(array)
            })
        };
        let open = |share: &Owned| self.is_param(share.array) && is_last(share.array);
        Ok(if owned.iter().all(open) && self.kernel.results.is_empty() {
            quote!(#sharing #emitted)
        } else {
            quote!({ #sharing #emitted })
        })
    }
}
