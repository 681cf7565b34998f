//! Parallel loops: the runtime deals out blocks of iterations and the parts of the output that belong to them.

use proc_macro2::{Ident, Literal as Token, TokenStream};
use quote::quote;

use super::expr::suffixed;
use super::walk::Stretch;
use super::{EmitError, Emitter};
use crate::ir::expr::Expr;
use crate::ir::kernel::Var;
use crate::ir::stmt::{Block, Domain, Owned, Partition, Reduce, Stmt, Work};
use crate::ir::types::{Literal, Scalar, Type};

/// The most arrays that the runtime can deal out.
const MAX_OWNED: usize = 8;

impl Emitter<'_> {
    pub(super) fn parallel(&self, stmt: &Stmt) -> Result<TokenStream, EmitError> {
        let Stmt::Parallel { var, domain, owned, reductions, work, scratch, body } = stmt else {
            return Ok(TokenStream::new());
        };
        match domain {
            Domain::Range { lo, hi } => self.dealt(*var, lo, hi, None, owned, reductions, work, scratch, body),
            Domain::Entries { .. } => self.parallel_entries(stmt),
            Domain::Rows { matrix, row } => {
                let (_, pattern) = self.row_pattern(*var, *row);
                let matrix = self.ident(*matrix);
                self.par_rows(quote!(#matrix), *var, pattern, owned, body)
            }
            Domain::Listed { lo, hi, position, crd } => {
                // The same over positions; what an iteration writes is found by the coordinate there.
                let coordinate = Expr::Load(*crd, Box::new(Expr::Var(*position))).cast(Scalar::Usize);
                let mut inner = Block::new();
                if body.mentions(*var) {
                    inner.push(Stmt::Let(*var, coordinate));
                }
                inner.append(body.clone());
                self.dealt(*position, lo, hi, Some(*crd), owned, reductions, work, scratch, &inner)
            }
        }
    }

    /// A parallel loop over numbers, or over the positions of the ascending coordinates `crd`.
    #[allow(clippy::too_many_arguments, reason = "the parts of one statement")]
    fn dealt(
        &self,
        var: Var,
        lo: &Expr,
        hi: &Expr,
        crd: Option<Var>,
        owned: &[Owned],
        reductions: &[(Var, Reduce)],
        work: &Work,
        scratch: &Block,
        body: &Block,
    ) -> Result<TokenStream, EmitError> {
        let (anywhere, parts): (Vec<Owned>, Vec<Owned>) =
            owned.iter().cloned().partition(|share| share.partition == Partition::Anywhere);
        if !anywhere.is_empty() {
            return self.sharing(&anywhere, || self.dealt(var, lo, hi, crd, &parts, reductions, work, scratch, body));
        }
        if owned.len() > MAX_OWNED {
            return Err(EmitError::TooManyArrays(self.kernel.name.clone()));
        }
        let (lo, hi) = (self.bound(lo)?, self.bound(hi)?);
        let dealt = self.import("Work");
        let mut dealt = quote!(#dealt::over(#lo..#hi));
        if let Some(pos) = work.weights {
            let pos = self.borrowed(pos);
            dealt = quote!(#dealt.weighted(#pos));
        }
        let is_task = work.is_task;
        let work = match work.steps {
            _ if is_task => quote!(#dealt.tasks()),
            0 => quote!(#dealt.light()),
            1 => dealt,
            steps => {
                let steps = Token::usize_unsuffixed(steps);
                quote!(#dealt.cost(#steps))
            }
        };

        let mut shares = Vec::new();
        let mut parts = Vec::new();
        for share in owned {
            let (a, name) = (self.exclusive_borrow(share.array), self.ident(share.array));
            shares.push(match &share.partition {
                Partition::Each { offset, stride } => {
                    let (offset, stride) = (self.any(offset)?, self.any(stride)?);
                    match crd {
                        None => {
                            let each = self.import("each");
                            quote!(#each(#a, #offset, #stride))
                        }
                        Some(crd) => {
                            let (listed, crd) = (self.import("listed"), self.borrowed(crd));
                            quote!(#listed(#a, #offset, #stride, #crd))
                        }
                    }
                }
                Partition::Positions { stride } => {
                    let (each, stride) = (self.import("each"), self.any(stride)?);
                    quote!(#each(#a, 0, #stride))
                }
                Partition::Segments { pos, stride } if *stride != Expr::Literal(Literal::Usize(1)) => {
                    let (blocks, pos, stride) = (self.import("blocks"), self.borrowed(*pos), self.any(stride)?);
                    quote!(#blocks(#a, #pos, #stride))
                }
                Partition::Segments { pos, .. } => {
                    let pos = self.borrowed(*pos);
                    let segments = self.import("segments");
                    quote!(#segments(#a, #pos))
                }
                // They have been shared as atomics.
                Partition::Anywhere => continue,
            });
            parts.push(quote!(mut #name));
        }
        let (shares, parts) = match &shares[..] {
            [] => (quote!(()), quote!(())),
            [share] => (share.clone(), parts[0].clone()),
            _ => (quote!((#(#shares),*)), quote!((#(#parts),*))),
        };

        for share in owned {
            self.parts.borrow_mut().insert(share.array);
        }
        let copied = if is_task && reductions.is_empty() { self.copied_in(body, owned) } else { None };
        let moves = copied.as_ref().map(|_| quote!(move));
        let slices: TokenStream = copied
            .iter()
            .flatten()
            .map(|&array| {
                let a = self.ident(array);
                quote!(let #a = &#a[..];)
            })
            .collect();
        self.slices.borrow_mut().extend(copied.iter().flatten());
        let scratch = self.block(&scratch.0)?;
        let inner = if is_task { self.task(var, owned, body)? } else { self.iterations(var, body)? };
        for share in owned {
            self.parts.borrow_mut().remove(&share.array);
        }
        for array in copied.iter().flatten() {
            self.slices.borrow_mut().remove(array);
        }
        if reductions.is_empty() {
            let par_for = self.import("par_for");
            let loops = quote! {
                #par_for(#work, #shares, #moves |block, #parts| {
                    #scratch
                    #inner
                });
            };
            // What shares arrays is a block already.
            let open = slices.is_empty() || !self.shared.borrow().is_empty();
            return Ok(if open { quote!(#slices #loops) } else { quote!({ #slices #loops }) });
        }

        let mut starts = TokenStream::new();
        let mut names: Vec<Ident> = Vec::new();
        let mut combine = TokenStream::new();
        let mut after = TokenStream::new();
        for (k, &(v, op)) in reductions.iter().enumerate() {
            let (name, scalar) = (self.ident(v), self.kernel.vars[v].ty.scalar().unwrap_or(Scalar::F64));
            // A checked kernel folds only where there is a neutral element.
            let neutral = op.identity(scalar).unwrap_or(Literal::Usize(0));
            let neutral = suffixed(neutral);
            starts.extend(quote!(let mut #name = #neutral;));
            if reductions.len() == 1 {
                combine = self.two(op, scalar, quote!(left), quote!(right));
            } else {
                let k = Token::usize_unsuffixed(k);
                let both = self.two(op, scalar, quote!(left.#k), quote!(right.#k));
                combine = quote!(#combine #both,);
                after.extend(self.folded(quote!(#name), op, scalar, quote!(folded.#k)));
            }
            names.push(name);
        }
        let (result, combine) = match &names[..] {
            [name] => (quote!(#name), combine),
            _ => (quote!((#(#names),*)), quote!((#combine))),
        };
        let par_fold = self.import("par_fold");
        let call = quote! {
            #par_fold(
                #work,
                #shares,
                |block, #parts| {
                    #starts
                    #scratch
                    #inner
                    #result
                },
                |left, right| #combine,
            )
        };
        if let [(v, op)] = reductions[..] {
            let (name, scalar) = (self.ident(v), self.kernel.vars[v].ty.scalar().unwrap_or(Scalar::F64));
            after = self.folded(quote!(#name), op, scalar, quote!(folded));
        }
        Ok(quote!(let folded = #call; #after))
    }

    /// The iterations of a block, one after the other.
    fn iterations(&self, var: Var, body: &Block) -> Result<TokenStream, EmitError> {
        if let Some(walk) = self.walk(var, &Stretch::Block, body)? {
            return Ok(walk);
        }
        let (i, inner) = (self.binding(var), self.block(&body.0)?);
        Ok(quote!(for #i in block { #inner }))
    }

    /// The arrays, none of them a parameter, that a task reads as slices. A task that has slices and numbers of its own need not read again
    /// where they are after each element that it writes. `None` if it reads anything that cannot be copied in.
    fn copied_in(&self, body: &Block, owned: &[Owned]) -> Option<Vec<Var>> {
        let (mut used, mut declared) = (Vec::new(), Vec::new());
        body.visit_exprs(&mut |e| used.extend(e.own_vars()));
        body.visit(&mut |stmt| {
            used.extend(stmt.writes());
            used.extend(stmt.own_reads());
            declared.extend(stmt.declares());
        });
        used.retain(|v| !declared.contains(v) && owned.iter().all(|share| share.array != *v));
        used.sort_unstable();
        used.dedup();
        let plain =
            |v: &Var| matches!(self.kernel.vars[*v].ty, Type::Scalar(_) | Type::Array(_)) && !self.is_finder(*v);
        if !used.iter().all(plain) {
            return None;
        }
        let shared = self.shared.borrow();
        used.retain(|v| matches!(self.kernel.vars[*v].ty, Type::Array(_)) && !self.is_param(*v) && !shared.contains(v));
        Some(used)
    }

    /// An array for reading: parameters are slices already, locals are borrowed.
    pub(super) fn borrowed(&self, array: Var) -> TokenStream {
        let a = self.ident(array);
        if self.is_param(array) || self.slices.borrow().contains(&array) { quote!(#a) } else { quote!(&#a) }
    }

    fn exclusive_borrow(&self, array: Var) -> TokenStream {
        let a = self.ident(array);
        if self.is_param(array) { quote!(#a) } else { quote!(&mut #a) }
    }
}
