//! What is gathered from all rows of a matrix, as one call.
//!
//! ```text
//!   gather i, a_i in rows of a                  gather(a, &mut y_crd, &mut y_vals, |_, a_i| {
//!       into y_crd, y_vals {                        let t, t_set = fold of a_i
//!     let t, t_set = fold of a_i                    t_set.then(|| t)
//!   } t if t_set                                });
//! ```

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::{EmitError, Emitter};
use crate::ir::stmt::Stmt;

impl Emitter<'_> {
    pub(super) fn gathered(&self, stmt: &Stmt) -> Result<TokenStream, EmitError> {
        let Stmt::Gather { matrix, coord, row, body, flag, value, crd, vals } = stmt else {
            return Ok(TokenStream::new());
        };
        self.import("Fiber");
        let gather = self.import("gather");
        let named = body.mentions(*coord) || value.mentions(*coord);
        let i = if named { self.ident(*coord) } else { Ident::new("_", Span::call_site()) };
        let (inner, value) = (self.block(&body.0)?, self.typed(value)?);
        let [matrix, row, flag, crd, vals] = [matrix, row, flag, crd, vals].map(|v| self.ident(*v));
        Ok(quote! {
            #gather(#matrix, &mut #crd, &mut #vals, |#i, #row| {
                #inner
                #flag.then(|| #value)
            });
        })
    }
}
