//! Loops over positions as iterators over slices.
//!
//! ```text
//!   for p in pos[i]..pos[i + 1] {               let span = pos[i]..pos[i + 1];
//!     let j = crd[p] as usize                   for (&j, &a_ij) in crd[span.clone()].iter().zip(&vals[span]) {
//!     sum += vals[p] * x[j]                         let j = j as usize;
//!   }                                               sum += a_ij * x[j];
//!                                               }
//! ```
//!
//! This holds wherever the loop variable only indexes arrays, each of which the body either reads or writes at that position, or at
//! a distance from it that is the same all along, as in a row of a dense matrix: one bounds check for the whole loop instead of one
//! for each array and element.
//!
//! ```text
//!   for k in 0..x_cols {                        for (y_k, &x_jk) in y[i * x_cols..i * x_cols + x_cols].iter_mut()
//!     y[i * x_cols + k] += a * x[j * x_cols + k]        .zip(&x[j * x_cols..j * x_cols + x_cols]) {
//!   }                                               *y_k += a * x_jk;
//!                                               }
//! ```

use proc_macro2::TokenStream;
use quote::quote;

use super::element::Bound;
use super::walked::{Stretch, Walked};
use super::{EmitError, Emitter, braced};
use crate::ir::expr::{BinaryOp, Expr};
use crate::ir::kernel::{Access, Var};
use crate::ir::stmt::{Block, Stmt};
use crate::ir::types::Literal;

/// How the positions of a loop are written where arrays are walked along at exactly these positions.
struct Positions {
    /// What must come before the loop.
    declaration: Option<TokenStream>,
    /// The positions for all arrays but the last.
    each: TokenStream,
    /// The positions for the last array, which may use them up.
    last: TokenStream,
    /// The number of arrays that have not been written yet.
    left: usize,
    /// Whether the loop walks along all of each array.
    whole: bool,
}

impl Positions {
    /// The positions for the next array.
    fn next(&mut self) -> TokenStream {
        self.left -= 1;
        if self.left > 0 { self.each.clone() } else { self.last.clone() }
    }
}

impl Emitter<'_> {
    /// The loop as an iterator, if it can be one.
    pub(super) fn walk(&self, p: Var, stretch: &Stretch<'_>, body: &Block) -> Result<Option<TokenStream>, EmitError> {
        if let Some(tokens) = self.filled(p, stretch, body)? {
            return Ok(Some(tokens));
        }
        let Some(arrays) = self.walked(p, stretch, body) else { return Ok(None) };
        let depth = self.bound_elements.borrow().len();
        for walked in &arrays {
            let name = self.element_name(walked, p, body);
            let bound = Bound { array: walked.array, at: walked.at.clone(), name, written: walked.written };
            self.bound_elements.borrow_mut().push(bound);
        }
        let mut positions = self.positions(&arrays, stretch)?;
        let declaration = positions.declaration.clone();
        let (mut pattern, mut iterator) = (TokenStream::new(), TokenStream::new());
        for (k, walked) in arrays.iter().enumerate() {
            let name = self.bound_elements.borrow()[depth + k].name.clone();
            let element = if walked.written { quote!(#name) } else { quote!(&#name) };
            // `iter` is called on the first of several arrays; `zip` makes iterators of the others.
            let call_iter = k == 0 && arrays.len() > 1;
            let part = self.walked_part(walked, p, stretch, &mut positions, call_iter)?;
            (pattern, iterator) = match k {
                0 => (element, part),
                _ => (quote!((#pattern, #element)), quote!(#iterator.zip(#part))),
            };
        }
        let body = braced(self.block(&body.0)?);
        self.bound_elements.borrow_mut().truncate(depth);
        Ok(Some(quote!(#declaration for #pattern in #iterator #body)))
    }

    /// How the positions of a loop are written. Bounds that cost something, or are long, are written once.
    fn positions(&self, arrays: &[Walked], stretch: &Stretch<'_>) -> Result<Positions, EmitError> {
        let plain = arrays.iter().filter(|walked| walked.plain).count();
        let whole = arrays.iter().all(|walked| walked.plain && self.is_whole(walked.array, stretch));
        let (declaration, each, last) = match stretch {
            Stretch::Block if plain == arrays.len() => (None, quote!(block.clone()), quote!(block)),
            // Arrays at a distance from the positions ask the block for its ends.
            Stretch::Block => (None, quote!(block.clone()), quote!(block.clone())),
            Stretch::Bounds(lo, hi) => {
                let (lo, hi) = (self.bound(lo)?, self.bound(hi)?);
                let simple = |t: &TokenStream| t.clone().into_iter().count() == 1;
                if whole || plain < 2 || (simple(&lo) && simple(&hi)) {
                    (None, quote!(#lo..#hi), quote!(#lo..#hi))
                } else {
                    (Some(quote!(let span = #lo..#hi;)), quote!(span.clone()), quote!(span))
                }
            }
        };
        Ok(Positions { declaration, each, last, left: plain, whole })
    }

    /// The part of an array that a loop walks along, as what `for` or `zip` takes. `call_iter` says whether to call `iter` on it.
    fn walked_part(
        &self,
        walked: &Walked,
        p: Var,
        stretch: &Stretch<'_>,
        positions: &mut Positions,
        call_iter: bool,
    ) -> Result<TokenStream, EmitError> {
        if let Some(row) = self.walked_row(walked, p, stretch) {
            return Ok(match walked.written {
                true => quote!(#row.iter_mut()),
                false if call_iter => quote!(#row.iter()),
                false => quote!(#row),
            });
        }
        let range = if walked.plain { positions.next() } else { self.distant(&walked.at, p, stretch)? };
        let a = self.ident(walked.array);
        Ok(if self.may_begin_beyond(&walked.at, p) {
            match (walked.written, call_iter) {
                (true, true) => quote!(#a.get_mut(#range).unwrap_or_default().iter_mut()),
                (true, false) => quote!(#a.get_mut(#range).unwrap_or_default()),
                (false, true) => quote!(#a.get(#range).unwrap_or_default().iter()),
                (false, false) => quote!(#a.get(#range).unwrap_or_default()),
            }
        } else if positions.whole {
            match walked.written {
                true => quote!(#a.iter_mut()),
                // A parameter that may be written is only borrowed here.
                false if call_iter || self.is_written_param(walked.array) => quote!(#a.iter()),
                false if self.is_param(walked.array) => quote!(#a),
                false => quote!(&#a),
            }
        } else {
            match (walked.written, call_iter) {
                (true, true) => quote!(#a[#range].iter_mut()),
                (true, false) => quote!(&mut #a[#range]),
                (false, true) => quote!(#a[#range].iter()),
                (false, false) => quote!(&#a[#range]),
            }
        })
    }

    /// `y.fill(0.0)`, where a loop does nothing else.
    fn filled(&self, p: Var, stretch: &Stretch<'_>, body: &Block) -> Result<Option<TokenStream>, EmitError> {
        let [Stmt::Store(array, Expr::Var(at), value @ Expr::Literal(_))] = &body.0[..] else { return Ok(None) };
        if *at != p || self.shared.borrow().contains(array) {
            return Ok(None);
        }
        let (a, value) = (self.ident(*array), self.any(value)?);
        Ok(Some(match stretch {
            Stretch::Block => quote!(#a[block].fill(#value);),
            Stretch::Bounds(..) if self.is_whole(*array, stretch) => quote!(#a.fill(#value);),
            Stretch::Bounds(lo, hi) => {
                let (lo, hi) = (self.bound(lo)?, self.bound(hi)?);
                quote!(#a[#lo..#hi].fill(#value);)
            }
        }))
    }

    /// Whether positions may begin beyond the end of their array where there are none of them: `x(2:)` of a shorter `x` is empty.
    fn may_begin_beyond(&self, at: &Expr, p: Var) -> bool {
        let Expr::Binary(BinaryOp::Add, x, y) = at else { return false };
        let offset = match (&**x, &**y) {
            (offset, Expr::Var(v)) | (Expr::Var(v), offset) if *v == p => offset,
            _ => return false,
        };
        match offset {
            Expr::Literal(_) => true,
            Expr::Var(bound) => self.is_param(*bound),
            _ => false,
        }
    }

    /// The positions that `at` runs through while `p` runs through a stretch.
    fn distant(&self, at: &Expr, p: Var, stretch: &Stretch<'_>) -> Result<TokenStream, EmitError> {
        let (lo, hi) = match stretch {
            Stretch::Bounds(lo, hi) => {
                let end = |end: &Expr| {
                    let mut at = at.clone();
                    at.rewrite(&mut |e| {
                        if *e == Expr::Var(p) {
                            *e = end.clone();
                        }
                    });
                    // Nothing is added to where a row begins.
                    at.rewrite(&mut |e| {
                        if let Expr::Binary(BinaryOp::Add, x, y) = e {
                            let zero = Expr::Literal(Literal::Usize(0));
                            if **y == zero {
                                *e = (**x).clone();
                            } else if **x == zero {
                                *e = (**y).clone();
                            }
                        }
                    });
                    self.bound(&at)
                };
                (end(lo)?, end(hi)?)
            }
            Stretch::Block => {
                let end = |end: TokenStream| {
                    self.stand_in.replace(Some((p, end)));
                    let tokens = self.bound(at);
                    self.stand_in.replace(None);
                    tokens
                };
                (end(quote!(block.start))?, end(quote!(block.end))?)
            }
        };
        Ok(quote!(#lo..#hi))
    }

    fn is_written_param(&self, v: Var) -> bool {
        self.kernel.param_fields().any(|(access, field)| field.var == v && access == Access::Write)
    }

    /// Whether the positions are known to be all of the array's.
    fn is_whole(&self, array: Var, stretch: &Stretch<'_>) -> bool {
        let Stretch::Bounds(lo, hi) = stretch else { return false };
        if **lo != Expr::Literal(Literal::Usize(0)) || self.parts.borrow().contains(&array) {
            return false;
        }
        let own = Expr::Len(array);
        if **hi == own
            || self.lengths.borrow().iter().any(|(v, n)| *v == array && n == *hi)
            || self
                .kernel
                .checks
                .iter()
                .any(|c| (c.left == own && c.right == **hi) || (c.right == own && c.left == **hi))
        {
            return true;
        }
        // The arrays that a tensor keeps for its nonzeros are of one length.
        let Expr::Len(other) = **hi else { return false };
        self.kernel.params.iter().any(|t| [array, other].iter().all(|v| t.fields.iter().any(|f| f.var == *v)))
    }
}
