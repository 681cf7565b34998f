//! Parallel loops: the runtime deals out blocks of iterations and the parts of the output that belong to them.

use proc_macro2::{Ident, Literal as Token, TokenStream};
use quote::quote;

use super::literal::suffixed;
use super::walk::{Stretch, Walk, along};
use super::{EmitError, Emitter};
use crate::ir::expr::Expr;
use crate::ir::kernel::Var;
use crate::ir::stmt::{Block, Domain, Owned, Partition, Reduce, Stmt, Walked, Work};
use crate::ir::types::{Literal, Scalar, Type};

/// The most arrays that the runtime can deal out.
const MAX_OWNED: usize = 8;

/// A parallel loop over numbers, or over the positions of ascending coordinates.
#[derive(Clone, Copy)]
struct RangeLoop<'s> {
    var: Var,
    lo: &'s Expr,
    hi: &'s Expr,
    /// The coordinate and the array of coordinates, where the loop is over their positions.
    listed: Option<(Var, Var)>,
    owned: &'s [Owned],
    reductions: &'s [(Var, Reduce)],
    work: &'s Work,
    scratch: &'s Block,
    body: &'s Block,
}

/// The arrays that a parallel loop deals out, in tokens.
struct Shares {
    /// The argument of the runtime's function: how each array is divided.
    shares: TokenStream,
    /// The parameter of the closure: the part of each array that belongs to a block of iterations.
    parts: TokenStream,
}

/// What a parallel loop does with a block of iterations, in tokens.
struct BlockBody {
    /// Declarations before the loop: arrays that the closure copies in as slices.
    slices: TokenStream,
    /// Whether the closure takes what it reads by value.
    moves: Option<TokenStream>,
    scratch: TokenStream,
    iterations: TokenStream,
}

impl Emitter<'_> {
    pub(super) fn parallel(&self, stmt: &Stmt) -> Result<TokenStream, EmitError> {
        let Stmt::Parallel { var, domain, owned, reductions, work, scratch, body } = stmt else {
            return Ok(TokenStream::new());
        };
        match domain {
            Domain::Range { lo, hi } => {
                self.range_loop(RangeLoop { var: *var, lo, hi, listed: None, owned, reductions, work, scratch, body })
            }
            Domain::Entries { .. } => self.parallel_entries(stmt),
            Domain::Rows { matrix, row } => {
                let (_, pattern) = self.row_pattern(*var, *row);
                let matrix = self.ident(*matrix);
                self.par_rows(quote!(#matrix), *var, pattern, owned, body)
            }
            Domain::Listed { lo, hi, position, crd } => {
                // The same over positions; what an iteration writes is found by the coordinate there.
                let (listed, var) = (Some((*var, *crd)), *position);
                self.range_loop(RangeLoop { var, lo, hi, listed, owned, reductions, work, scratch, body })
            }
        }
    }

    /// A parallel loop over a range as a call of `par_for`, or of `par_fold` if it reduces.
    fn range_loop(&self, range: RangeLoop<'_>) -> Result<TokenStream, EmitError> {
        let (anywhere, dealt): (Vec<Owned>, Vec<Owned>) =
            range.owned.iter().cloned().partition(|share| share.partition == Partition::Anywhere);
        if !anywhere.is_empty() {
            return self.sharing(&anywhere, || self.range_loop(RangeLoop { owned: &dealt, ..range }));
        }
        if range.owned.len() > MAX_OWNED {
            return Err(EmitError::TooManyArrays(self.kernel.name.clone()));
        }
        let work = self.work(range)?;
        let shares = self.shares(range)?;
        let body = self.block_body(range)?;
        Ok(if range.reductions.is_empty() {
            self.par_for(&work, &shares, &body)
        } else {
            self.par_fold(range.reductions, &work, &shares, &body)
        })
    }

    /// `Work::over(lo..hi)`: the iterations, and what is known of their cost.
    fn work(&self, range: RangeLoop<'_>) -> Result<TokenStream, EmitError> {
        let (lo, hi) = (self.bound(range.lo)?, self.bound(range.hi)?);
        let work = self.import("Work");
        let mut iterations = quote!(#work::over(#lo..#hi));
        if let Some(pos) = range.work.weights {
            let pos = self.borrowed(pos);
            iterations = quote!(#iterations.weighted(#pos));
        }
        Ok(match range.work.steps {
            _ if range.work.is_task => quote!(#iterations.tasks()),
            0 => quote!(#iterations.light()),
            1 => iterations,
            steps => {
                let steps = Token::usize_unsuffixed(steps);
                quote!(#iterations.cost(#steps))
            }
        })
    }

    /// The arrays that are dealt out to blocks of iterations: none, one, or several as a tuple.
    fn shares(&self, range: RangeLoop<'_>) -> Result<Shares, EmitError> {
        let (mut shares, mut parts) = (Vec::new(), Vec::new());
        for owned in range.owned {
            let Some(share) = self.share(owned, range.listed)? else { continue };
            let name = self.ident(owned.array);
            shares.push(share);
            parts.push(quote!(mut #name));
        }
        let (shares, parts) = match &shares[..] {
            [] => (quote!(()), quote!(())),
            [share] => (share.clone(), parts[0].clone()),
            _ => (quote!((#(#shares),*)), quote!((#(#parts),*))),
        };
        Ok(Shares { shares, parts })
    }

    /// How one array is divided. `None` if it has been shared as an array of atomics.
    fn share(&self, owned: &Owned, listed: Option<(Var, Var)>) -> Result<Option<TokenStream>, EmitError> {
        let array = self.exclusive(owned.array);
        if let Some(len) = self.uncleared.borrow_mut().remove(&owned.array) {
            return self.uncleared_share(&array, &len, &owned.partition).map(Some);
        }
        Ok(Some(match &owned.partition {
            Partition::Each { offset, stride } => {
                let (offset, stride) = (self.any(offset)?, self.any(stride)?);
                match listed {
                    None => {
                        let each = self.import("each");
                        quote!(#each(#array, #offset, #stride))
                    }
                    Some((_, crd)) => {
                        let (listed, crd) = (self.import("listed"), self.borrowed(crd));
                        quote!(#listed(#array, #offset, #stride, #crd))
                    }
                }
            }
            Partition::Positions { stride } => {
                let (each, stride) = (self.import("each"), self.any(stride)?);
                quote!(#each(#array, 0, #stride))
            }
            Partition::Segments { pos, stride } if *stride != Expr::Literal(Literal::Usize(1)) => {
                let (blocks, pos, stride) = (self.import("blocks"), self.borrowed(*pos), self.any(stride)?);
                quote!(#blocks(#array, #pos, #stride))
            }
            Partition::Segments { pos, .. } => {
                let (segments, pos) = (self.import("segments"), self.borrowed(*pos));
                quote!(#segments(#array, #pos))
            }
            Partition::Anywhere => return Ok(None),
        }))
    }

    /// How an array is divided that the loop makes.
    fn uncleared_share(
        &self,
        array: &TokenStream,
        len: &Expr,
        partition: &Partition,
    ) -> Result<TokenStream, EmitError> {
        let (uncleared, len) = (self.import("uncleared"), self.any(len)?);
        let made = quote!(#uncleared(#array, #len));
        Ok(match partition {
            Partition::Segments { pos, stride } if *stride == Expr::Literal(Literal::Usize(1)) => {
                let pos = self.borrowed(*pos);
                quote!(#made.segments(#pos))
            }
            Partition::Segments { pos, stride } => {
                let (pos, stride) = (self.borrowed(*pos), self.any(stride)?);
                quote!(#made.blocks(#pos, #stride))
            }
            Partition::Each { stride, .. } => {
                let stride = self.any(stride)?;
                quote!(#made.each(#stride))
            }
            Partition::Positions { .. } | Partition::Anywhere => {
                return self.unsupported("an array that a loop over positions makes");
            }
        })
    }

    /// The body of the closure that runs a block of iterations.
    fn block_body(&self, range: RangeLoop<'_>) -> Result<BlockBody, EmitError> {
        let copied = self.copied_in(range);
        let moves = copied.as_ref().map(|_| quote!(move));
        let copied = copied.unwrap_or_default();
        let slices = copied.iter().map(|&array| {
            let a = self.ident(array);
            quote!(let #a = &#a[..];)
        });
        let slices = slices.collect();
        self.slices.borrow_mut().extend(&copied);
        let (scratch, iterations) = (self.block(&range.scratch.0)?, self.iterations(range)?);
        self.slices.borrow_mut().retain(|array| !copied.contains(array));
        Ok(BlockBody { slices, moves, scratch, iterations })
    }

    /// A loop that reduces nothing.
    fn par_for(&self, work: &TokenStream, shares: &Shares, body: &BlockBody) -> TokenStream {
        let Shares { shares, parts } = shares;
        let BlockBody { slices, moves, scratch, iterations } = body;
        let par_for = self.import("par_for");
        let call = quote! {
            #par_for(#work, #shares, #moves |block, #parts| {
                #scratch
                #iterations
            });
        };
        // Where arrays are shared as atomics, a block is around the call already.
        let has_block = slices.is_empty() || !self.shared.borrow().is_empty();
        if has_block { quote!(#slices #call) } else { quote!({ #slices #call }) }
    }

    /// A loop that reduces: each block starts from neutral elements, the results of two blocks are combined, and what comes out is
    /// combined with what the variables had before.
    fn par_fold(
        &self,
        reductions: &[(Var, Reduce)],
        work: &TokenStream,
        shares: &Shares,
        body: &BlockBody,
    ) -> TokenStream {
        let Shares { shares, parts } = shares;
        let BlockBody { scratch, iterations, .. } = body;
        let mut starts = TokenStream::new();
        let mut names: Vec<Ident> = Vec::new();
        let mut combined = TokenStream::new();
        let mut after = TokenStream::new();
        for (k, &(v, op)) in reductions.iter().enumerate() {
            let (name, scalar) = (self.ident(v), self.kernel.vars[v].ty.scalar().unwrap_or(Scalar::F64));
            // A checked kernel folds only where there is a neutral element.
            let neutral = suffixed(op.identity(scalar).unwrap_or(Literal::Usize(0)));
            starts.extend(quote!(let mut #name = #neutral;));
            if reductions.len() == 1 {
                combined = self.two(op, scalar, quote!(left), quote!(right));
                after = self.folded(quote!(#name), op, scalar, quote!(folded));
            } else {
                let k = Token::usize_unsuffixed(k);
                let both = self.two(op, scalar, quote!(left.#k), quote!(right.#k));
                combined = quote!(#combined #both,);
                after.extend(self.folded(quote!(#name), op, scalar, quote!(folded.#k)));
            }
            names.push(name);
        }
        let (result, combined) = match &names[..] {
            [name] => (quote!(#name), combined),
            _ => (quote!((#(#names),*)), quote!((#combined))),
        };
        let par_fold = self.import("par_fold");
        let call = quote! {
            #par_fold(
                #work,
                #shares,
                |block, #parts| {
                    #starts
                    #scratch
                    #iterations
                    #result
                },
                |left, right| #combined,
            )
        };
        quote!(let folded = #call; #after)
    }

    /// The iterations of a block, one after the other.
    fn iterations(&self, range: RangeLoop<'_>) -> Result<TokenStream, EmitError> {
        let p = range.var;
        let (walked, body) = along(range.body);
        let mut walked = walked.to_vec();
        let mut before = TokenStream::new();
        let moves_on = !body.mentions(p);
        if let Some((coord, array)) = range.listed.filter(|(coord, _)| body.mentions(*coord)) {
            let i = self.ident(coord);
            if moves_on {
                let coordinate = Walked { element: coord, array, at: Expr::Var(p), written: false, whole: false };
                walked.insert(0, coordinate);
                before = quote!(let #i = #i as usize;);
            } else {
                let (crd, p) = (self.ident(array), self.ident(p));
                before = quote!(let #i = #crd[#p] as usize;);
            }
        }
        if !walked.is_empty() {
            return self.walk(&Walk { p, stretch: Stretch::Block, walked: &walked, before, body });
        }
        let (i, inner) = (self.binding(p), self.block(&body.0)?);
        Ok(quote!(for #i in block { #before #inner }))
    }

    /// The arrays, none of them a parameter, of which the closure of a loop has slices, so that it takes all that it reads by value: numbers and
    /// slices of its own need not be read again after each element that it writes.
    ///
    /// `None` if it takes references: where it reduces, where it reads what cannot be copied in, and, unless it is a task, where it would need
    /// slices first or keeps a local array. With values, the product with blocks of 6 by 6 in a local array takes about a tenth longer.
    fn copied_in(&self, range: RangeLoop<'_>) -> Option<Vec<Var>> {
        let RangeLoop { owned, reductions, work, scratch, body, .. } = range;
        let (mut used, mut declared, mut has_local) = (Vec::new(), Vec::new(), false);
        for block in [scratch, body] {
            block.visit_exprs(&mut |e| used.extend(e.own_vars()));
            block.visit(&mut |stmt| {
                used.extend(stmt.writes());
                used.extend(stmt.own_reads());
                declared.extend(stmt.declares());
                has_local |= matches!(stmt, Stmt::NewLocal { .. });
            });
        }
        used.retain(|v| !declared.contains(v) && owned.iter().all(|share| share.array != *v));
        used.sort_unstable();
        used.dedup();
        let shared = self.shared.borrow();
        let plain = |v: &Var| match self.kernel.vars[*v].ty {
            Type::Scalar(_) => true,
            // What is written elsewhere is needed behind the loop.
            Type::Array(_) => !self.is_finder(*v) && (shared.contains(v) || !self.is_written_param(*v)),
            _ => false,
        };
        if !reductions.is_empty() || !used.iter().all(plain) {
            return None;
        }
        used.retain(|v| matches!(self.kernel.vars[*v].ty, Type::Array(_)) && !self.is_param(*v) && !shared.contains(v));
        let takes_values = work.is_task || (used.is_empty() && !owned.is_empty() && !has_local);
        takes_values.then_some(used)
    }

    /// An array for reading: parameters are slices already, locals are borrowed.
    pub(super) fn borrowed(&self, array: Var) -> TokenStream {
        let a = self.ident(array);
        if self.is_param(array) || self.slices.borrow().contains(&array) { quote!(#a) } else { quote!(&#a) }
    }
}
