//! Parallel loops: the runtime deals out blocks of iterations and the parts of the output that belong to them.

use proc_macro2::{Ident, Literal as Token, TokenStream};
use quote::quote;

use super::expr::suffixed;
use super::walk::Stretch;
use super::{EmitError, Emitter};
use crate::ir::expr::{BinaryOp, Expr};
use crate::ir::kernel::Var;
use crate::ir::stmt::{Block, Domain, Owned, Partition, Reduce, Stmt};
use crate::ir::types::{Literal, Scalar};

/// The most arrays that the runtime can deal out.
const MAX_OWNED: usize = 8;

impl Emitter<'_> {
    pub(super) fn parallel(&self, stmt: &Stmt) -> Result<TokenStream, EmitError> {
        let Stmt::Parallel { var, domain, owned, reductions, scratch, body } = stmt else {
            return Ok(TokenStream::new());
        };
        match domain {
            Domain::Range { lo, hi } => {
                self.in_loop(lo, || self.dealt(*var, lo, hi, None, owned, reductions, scratch, body))
            }
            Domain::Entries { .. } => self.parallel_entries(stmt),
            Domain::Listed { lo, hi, position, crd } => {
                // The same over positions; what an iteration writes is found by the coordinate there.
                let coordinate = Expr::Load(*crd, Box::new(Expr::Var(*position))).cast(Scalar::Usize);
                let mut inner = Block::new();
                if body.mentions(*var) {
                    inner.push(Stmt::Let(*var, coordinate));
                }
                inner.append(body.clone());
                self.dealt(*position, lo, hi, Some(*crd), owned, reductions, scratch, &inner)
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
        scratch: &Block,
        body: &Block,
    ) -> Result<TokenStream, EmitError> {
        let (anywhere, parts): (Vec<Owned>, Vec<Owned>) =
            owned.iter().cloned().partition(|share| share.partition == Partition::Anywhere);
        if !anywhere.is_empty() {
            return self.sharing(&anywhere, || self.dealt(var, lo, hi, crd, &parts, reductions, scratch, body));
        }
        if owned.len() > MAX_OWNED {
            return Err(EmitError::TooManyArrays(self.kernel.name.clone()));
        }
        if let Some(tokens) = self.over_rows(var, lo, hi, owned, reductions, scratch, body)? {
            return Ok(tokens);
        }
        if reductions.is_empty()
            && scratch.is_empty()
            && let Some(tokens) = self.over_held_rows(var, lo, hi, owned, body)?
        {
            return Ok(tokens);
        }
        let alone = self.is_number_of_tasks(hi);
        let (lo, hi) = (self.bound(lo)?, self.bound(hi)?);
        let work = self.import("Work");
        let mut work = quote!(#work::over(#lo..#hi));
        if alone {
            work = quote!(#work.tasks());
        } else if let Some(pos) = self.weights(var, body, &owned.iter().map(|o| o.array).collect::<Vec<_>>()) {
            let pos = self.borrowed(pos);
            work = quote!(#work.weighted(#pos));
        }
        let nesting = nesting(body);
        if nesting > 1 && !alone {
            // Each further loop inside is taken to run a few dozen times.
            let cost = Token::usize_unsuffixed(32usize.pow(nesting.min(4) - 1));
            work = quote!(#work.cost(#cost));
        } else if nesting == 0 && !alone {
            work = quote!(#work.light());
        }

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
        let scratch = self.block(&scratch.0)?;
        let inner = match self.walk(var, &Stretch::Block, body)? {
            Some(walk) => walk,
            None => {
                let (i, inner) = (self.binding(var), self.block(&body.0)?);
                quote!(for #i in block { #inner })
            }
        };
        for share in owned {
            self.parts.borrow_mut().remove(&share.array);
        }
        if reductions.is_empty() {
            let par_for = self.import("par_for");
            return Ok(quote! {
                #par_for(#work, #shares, |block, #parts| {
                    #scratch
                    #inner
                });
            });
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

    /// A loop over all rows of a matrix that does nothing for rows that hold nothing: each page of rows is asked for at once.
    ///
    /// ```text
    ///   for i in 0..a_rows {                        a.par_rows(|i, a_i| {
    ///     let t = fold of a.row(i)                    let t = fold of a_i
    ///     y[i] += t                                   y[i] += t
    ///   }                                           })
    /// ```
    ///
    /// Where `y[i]` is set and not folded into, all of `y` is first set to what a row that holds nothing folds to.
    #[allow(clippy::too_many_arguments, reason = "the parts of one statement")]
    fn over_rows(
        &self,
        i: Var,
        lo: &Expr,
        hi: &Expr,
        owned: &[Owned],
        reductions: &[(Var, Reduce)],
        scratch: &Block,
        body: &Block,
    ) -> Result<Option<TokenStream>, EmitError> {
        let row = |store: &Expr| match store {
            Expr::Load(a, index) if self.is_param(*a) && **index == Expr::Var(i) => Some(*a),
            _ => None,
        };
        let [Stmt::Let(sum, Expr::Literal(from)), Stmt::ForEntries { store, body: inner, .. }, last] = &body.0[..]
        else {
            return Ok(None);
        };
        let (Some(a), [Owned { array, .. }]) = (row(store), owned) else { return Ok(None) };
        let scalar = self.kernel.vars[*sum].ty.scalar();
        let all = *lo == Expr::Literal(Literal::Usize(0)) && self.is_row_extent(a, hi);
        if !all || !reductions.is_empty() || !scratch.is_empty() || inner.mentions(*array) || inner.mentions(a) {
            return Ok(None);
        }
        let (at, result) = (Expr::Var(i), Expr::Var(*sum));
        let nothing = match last {
            Stmt::StoreUpdate(y, index, op, x) if y == array && *index == at && *x == result => {
                if scalar.and_then(|scalar| op.identity(scalar)) != Some(*from) {
                    return Ok(None);
                }
                None
            }
            Stmt::Store(y, index, x) if y == array && *index == at && *x == result => Some(*from),
            _ => return Ok(None),
        };
        let (rows, name) = (self.ident(a), self.row_name(a, i));
        self.rows_bound.borrow_mut().push((a, i, name.clone()));
        let loops = self.par_rows(quote!(#rows), i, quote!(#name), owned, body);
        self.rows_bound.borrow_mut().pop();
        let loops = loops?;
        Ok(Some(match nothing {
            Some(nothing) => {
                let (y, nothing) = (self.ident(*array), suffixed(nothing));
                quote!(#y.fill(#nothing); #loops)
            }
            None => loops,
        }))
    }

    /// A loop over all rows of a matrix that may hold none at some coordinates, where a number is stored.
    ///
    /// ```text
    ///   for i in 0..a_rows {                        y.fill(0.0)
    ///     if there is a row a.row(i) {              a.par_rows(|i, a_i| {
    ///       … y[i] = fold of it                       … y[i] = fold of a_i
    ///     } else {                                  })
    ///       y[i] = 0.0
    ///     }
    ///   }
    /// ```
    fn over_held_rows(
        &self,
        i: Var,
        lo: &Expr,
        hi: &Expr,
        owned: &[Owned],
        body: &Block,
    ) -> Result<Option<TokenStream>, EmitError> {
        let (&[Owned { array, .. }], [Stmt::Locate { store: Expr::Var(a), coord, value, then, otherwise }]) =
            (owned, &body.0[..])
        else {
            return Ok(None);
        };
        let (here, matrix) = (Expr::Var(i), Expr::Var(*a));
        let ([Stmt::Store(y, at, Expr::Literal(nothing))], Some((Stmt::Store(z, to, sum), before))) =
            (&otherwise.0[..], then.0.split_last())
        else {
            return Ok(None);
        };
        let all = *lo == Expr::Literal(Literal::Usize(0)) && self.is_row_extent(*a, hi);
        let once = [*y, *z] == [array, array] && [at, to] == [&here, &here] && !sum.mentions(array);
        let apart = !Block::from(before.to_vec()).mentions(array) && !then.mentions(*a);
        if *coord != here || !all || !once || !apart {
            return Ok(None);
        }
        let Some(rows) = self.rows_of(&matrix)? else { return Ok(None) };
        let (_, row) = self.row_pattern(i, *value);
        let loops = self.par_rows(rows, i, row, owned, then)?;
        let (y, nothing) = (self.ident(array), suffixed(*nothing));
        Ok(Some(quote!(#y.fill(#nothing); #loops)))
    }

    /// Whether a bound is a number of tasks: each iteration below it is one.
    fn is_number_of_tasks(&self, hi: &Expr) -> bool {
        let Expr::Var(hi) = hi else { return false };
        let mut found = false;
        self.kernel.body.visit(&mut |stmt| found |= matches!(stmt, Stmt::Let(v, Expr::Tasks(_)) if v == hi));
        found
    }

    /// An array for reading: parameters are slices already, locals are borrowed.
    pub(super) fn borrowed(&self, array: Var) -> TokenStream {
        let a = self.ident(array);
        if self.is_param(array) { quote!(#a) } else { quote!(&#a) }
    }

    fn exclusive_borrow(&self, array: Var) -> TokenStream {
        let a = self.ident(array);
        if self.is_param(array) { quote!(#a) } else { quote!(&mut #a) }
    }

    /// The array of positions that says how much there is to do in each iteration: `pos`, if the body mentions both `pos[i]` and
    /// `pos[i + 1]`.
    fn weights(&self, i: Var, body: &Block, owned: &[Var]) -> Option<Var> {
        let next = Expr::Var(i).binary(BinaryOp::Add, Literal::Usize(1));
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        body.visit_exprs(&mut |e| {
            if let Expr::Load(pos, index) = e {
                let scalar = self.kernel.vars[*pos].ty.array_scalar();
                if scalar == Some(Scalar::Usize) && !owned.contains(pos) {
                    if **index == Expr::Var(i) {
                        starts.push(*pos);
                    } else if **index == next {
                        ends.push(*pos);
                    }
                }
            }
        });
        starts.into_iter().find(|pos| ends.contains(pos))
    }
}

/// How deep loops are nested in a block.
fn nesting(block: &Block) -> u32 {
    block
        .0
        .iter()
        .map(|stmt| {
            let inner = stmt.blocks().into_iter().map(nesting).max().unwrap_or(0);
            inner + u32::from(matches!(stmt, Stmt::For { .. } | Stmt::While(..) | Stmt::ForEntries { .. }))
        })
        .max()
        .unwrap_or(0)
}
