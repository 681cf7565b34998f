//! Loops over positions as iterators over slices.
//!
//! ```text
//!   for p in pos[i]..pos[i + 1]                 let span = pos[i]..pos[i + 1];
//!       along j = crd[p], a_ij = vals[p] {      for (&j, &a_ij) in crd[span.clone()].iter().zip(&vals[span]) {
//!     let j = j as usize                            let j = j as usize;
//!     sum += a_ij * x[j]                            sum += a_ij * x[j];
//!   }                                           }
//! ```
//!
//! Arrays at a distance from the positions are sliced where they begin:
//!
//! ```text
//!   for k in 0..x_cols {                        unaliased(&mut y[i * x_cols..i * x_cols + x_cols], |y| {
//!     y[i * x_cols + k] += a * x[j * x_cols + k]    for (y_k, &x_jk) in y.iter_mut().zip(&x[j * x_cols..j * x_cols + x_cols]) {
//!   }                                                   *y_k += a * x_jk;
//!                                                   }
//!                                               });
//! ```
//!
//! The part that such a loop writes is the argument of a closure: only of arguments does rustc tell LLVM that nothing overlaps them. Otherwise
//! each of these loops, which are short, would begin by comparing addresses.

use proc_macro2::TokenStream;
use quote::quote;

use super::{EmitError, Emitter, braced, joined};
use crate::ir::expr::{BinaryOp, Expr};
use crate::ir::kernel::{Access, Var};
use crate::ir::stmt::{Block, Stmt, Walked};
use crate::ir::types::Literal;

/// A loop along arrays.
pub(super) struct Walk<'a> {
    /// What it counts.
    pub p: Var,
    pub stretch: Stretch<'a>,
    pub walked: &'a [Walked],
    /// What an iteration does before its body.
    pub before: TokenStream,
    pub body: &'a Block,
}

/// The positions that a loop visits.
pub(super) enum Stretch<'a> {
    /// From one expression up to another.
    Bounds(&'a Expr, &'a Expr),
    /// The block of iterations that a task was given, which is called `block`.
    Block,
}

/// The arrays that a loop with this body goes along, and what is done with their elements.
pub(super) fn along(body: &Block) -> (&[Walked], &Block) {
    match &body.0[..] {
        [Stmt::Along { walked, body }] => (walked, body),
        _ => (&[], body),
    }
}

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
    /// The loop as an iterator over slices.
    pub(super) fn walk(&self, walk: &Walk<'_>) -> Result<TokenStream, EmitError> {
        if let Some(tokens) = self.filled(walk)? {
            return Ok(tokens);
        }
        let mut positions = self.positions(walk)?;
        let declaration = positions.declaration.clone();
        let (mut pattern, mut iterator) = (TokenStream::new(), TokenStream::new());
        let mut argument = None;
        for (k, walked) in walk.walked.iter().enumerate() {
            let name = self.ident(walked.element);
            let element = if walked.written { quote!(#name) } else { quote!(&#name) };
            // `iter` is called on the first of several arrays; `zip` makes iterators of the others.
            let call_iter = k == 0 && walk.walked.len() > 1;
            let part = if k == 0 && self.is_unaliased(walk) {
                let array = self.ident(walked.array);
                let part = match walked.whole {
                    true => quote!(#array),
                    false => self.walked_part(walked, walk, &mut positions, false)?,
                };
                argument = Some((array.clone(), part));
                quote!(#array.iter_mut())
            } else {
                self.walked_part(walked, walk, &mut positions, call_iter)?
            };
            (pattern, iterator) = match k {
                0 => (element, part),
                _ => (quote!((#pattern, #element)), quote!(#iterator.zip(#part))),
            };
        }
        let body = braced(joined([walk.before.clone(), self.block(&walk.body.0)?]));
        let along = quote!(for #pattern in #iterator #body);
        Ok(match argument {
            None => quote!(#declaration #along),
            Some((array, part)) => {
                let unaliased = self.import("unaliased");
                quote!(#declaration #unaliased(#part, |#array| { #along });)
            }
        })
    }

    /// How the positions of a loop are written. Bounds that cost something, or are long, are written once.
    fn positions(&self, walk: &Walk<'_>) -> Result<Positions, EmitError> {
        let is_part = |walked: &Walked| walked.whole && self.named_parts.contains_key(&walked.array);
        let ranged = |walked: &&Walked| walked.is_at(walk.p) && !is_part(walked);
        let plain = walk.walked.iter().filter(ranged).count();
        let all_plain = plain == walk.walked.len();
        let whole = all_plain && walk.walked.iter().all(|walked| walked.whole);
        let (declaration, each, last) = match walk.stretch {
            Stretch::Block if all_plain => (None, quote!(block.clone()), quote!(block)),
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
        walk: &Walk<'_>,
        positions: &mut Positions,
        call_iter: bool,
    ) -> Result<TokenStream, EmitError> {
        let a = self.ident(walked.array);
        let named = self.named_parts.get(&walked.array);
        if walked.whole && (named.is_some() || positions.whole) {
            return Ok(match walked.written {
                true => quote!(#a.iter_mut()),
                // What may be written is only borrowed here.
                false if call_iter || named == Some(&true) || self.is_written_param(walked.array) => quote!(#a.iter()),
                false if named.is_some() || self.is_param(walked.array) => quote!(#a),
                false => quote!(&#a),
            });
        }
        let range = match walked.is_at(walk.p) {
            true => positions.next(),
            false => self.distant(&walked.at, walk.p, &walk.stretch)?,
        };
        Ok(match (self.may_begin_beyond(walked, walk.p), walked.written, call_iter) {
            (true, true, true) => quote!(#a.get_mut(#range).unwrap_or_default().iter_mut()),
            (true, true, false) => quote!(#a.get_mut(#range).unwrap_or_default()),
            (true, false, true) => quote!(#a.get(#range).unwrap_or_default().iter()),
            (true, false, false) => quote!(#a.get(#range).unwrap_or_default()),
            (false, true, true) => quote!(#a[#range].iter_mut()),
            (false, true, false) => quote!(&mut #a[#range]),
            (false, false, true) => quote!(#a[#range].iter()),
            (false, false, false) => quote!(&#a[#range]),
        })
    }

    /// `y.fill(0.0)`, where a loop does nothing else.
    fn filled(&self, walk: &Walk<'_>) -> Result<Option<TokenStream>, EmitError> {
        let ([one], [Stmt::Assign(v, value @ Expr::Literal(_))]) = (walk.walked, &walk.body.0[..]) else {
            return Ok(None);
        };
        if one.element != *v || !one.is_at(walk.p) {
            return Ok(None);
        }
        let (a, value) = (self.ident(one.array), self.any(value)?);
        Ok(Some(match walk.stretch {
            Stretch::Block => quote!(#a[block].fill(#value);),
            Stretch::Bounds(..) if one.whole => quote!(#a.fill(#value);),
            Stretch::Bounds(lo, hi) => {
                let (lo, hi) = (self.bound(lo)?, self.bound(hi)?);
                quote!(#a[#lo..#hi].fill(#value);)
            }
        }))
    }

    /// Whether positions may begin beyond the end of their array where there are none of them: `x(2:)` of a shorter `x` is empty, and so is
    /// `X(i, 2:)` of the last row of a narrower `X`.
    fn may_begin_beyond(&self, walked: &Walked, p: Var) -> bool {
        let terms = walked.at.terms();
        // What is written in the rows of a loop exists.
        let in_rows = terms.len() > 2 || !terms.contains(&&Expr::Var(p));
        let given = terms.into_iter().any(|term| *term != Expr::Var(p) && self.is_given(term));
        given && !(walked.written && in_rows)
    }

    /// Whether a number is constant, or passed in.
    fn is_given(&self, number: &Expr) -> bool {
        match number {
            Expr::Literal(_) => true,
            Expr::Var(v) => self.is_param(*v),
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

    pub(super) fn is_written_param(&self, v: Var) -> bool {
        self.kernel.param_fields().any(|(access, field)| field.var == v && access == Access::Write)
    }

    /// Whether the part of an array that a loop writes is the argument of a closure: it is the first of several that the loop walks along, and
    /// has a name or is at a distance from the positions, as rows are.
    fn is_unaliased(&self, walk: &Walk<'_>) -> bool {
        let [first, _, ..] = walk.walked else { return false };
        let is_named = first.whole && self.named_parts.contains_key(&first.array);
        let is_row = is_named || (!first.whole && !first.is_at(walk.p));
        first.written && is_row && matches!(walk.stretch, Stretch::Bounds(..))
    }
}
