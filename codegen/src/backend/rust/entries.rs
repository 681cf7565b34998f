//! Entries of stores: maps run by run, cursors and look-ups, through the runtime's traits.

use proc_macro2::TokenStream;
use quote::quote;

use super::literal::suffixed;
use super::{EmitError, Emitter};
use crate::ir::expr::Expr;
use crate::ir::kernel::Var;
use crate::ir::stmt::{Block, Stmt};
use crate::ir::types::Type;

type Emitted = Result<TokenStream, EmitError>;

impl Emitter<'_> {
    pub(super) fn store_stmt(&self, stmt: &Stmt) -> Emitted {
        Ok(match stmt {
            Stmt::OpenCursor { cursor: v, store, ordered } => {
                if self.rows_of(store)?.is_some() {
                    let (rows, cursor) = (self.receiver(store)?, self.import("RowCursor"));
                    return Ok(self.declare(*v, None, quote!(#cursor::new(#rows))));
                }
                let (store, cursor) = (self.fiber(store)?, self.import("Cursor"));
                if !ordered {
                    self.import("Fiber");
                    return Ok(self.declare(*v, None, quote!(#cursor::new(#store.runs()))));
                }
                self.declare(*v, None, quote!(#cursor::over(#store)))
            }
            Stmt::Advance(c) => {
                let c = self.ident(*c);
                quote!(#c.advance();)
            }
            Stmt::Rest { cursor, coord, value, body } => {
                let c = self.ident(*cursor);
                if self.is_row_cursor(*cursor) {
                    let (i, row) = self.row_pattern(*coord, *value);
                    let body = self.block(&body.0)?;
                    quote!(for (#i, #row) in #c.rest() { #body })
                } else {
                    let inner = self.run(*coord, *value, body)?;
                    quote!(#c.rest(|run| { #inner });)
                }
            }
            Stmt::ForEntries { store, coord, value, ordered, body, .. } => {
                if let Some(rows) = self.rows_of(store)? {
                    let (i, row) = self.row_pattern(*coord, *value);
                    let body = self.block(&body.0)?;
                    quote!(#rows.rows(|#i, #row| { #body });)
                } else {
                    let store = self.fiber(store)?;
                    self.map(store, *coord, *value, *ordered, body)?
                }
            }
            Stmt::Locate { .. } => self.located(stmt)?,
            _ => TokenStream::new(),
        })
    }

    /// A look-up: a branch by whether a coordinate is stored.
    fn located(&self, stmt: &Stmt) -> Emitted {
        let Stmt::Locate { store, coord, value, then, otherwise } = stmt else { return Ok(TokenStream::new()) };
        let ty = self.store_type(store)?;
        let rows = self.rows_of(store)?;
        let found = match &rows {
            Some(rows) => {
                let coord = self.any(coord)?;
                match store {
                    Expr::Var(v) => self.found_row(*v, coord),
                    _ => quote!(#rows.row(#coord)),
                }
            }
            None => {
                let (store, coord) = (self.fiber(store)?, self.any(&coord.clone().cast(ty.coord))?);
                quote!(#store.locate(#coord))
            }
        };
        let then = self.block(&then.0)?;
        let otherwise =
            if otherwise.is_empty() { None } else { Some(self.block(&otherwise.0)?) }.map(|o| quote!(else { #o }));
        match value {
            Some(v) if self.used[v.0 as usize] => {
                let nested = rows.is_none() && matches!(self.kernel.vars[*v].ty, Type::Store(_));
                let (v, runtime) = (self.ident(*v), &self.runtime);
                let pattern = if rows.is_some() || nested { quote!(#v) } else { quote!(&#v) };
                let unpack = nested.then(|| quote!(let #v = #runtime::Store::fiber(#v);));
                Ok(quote!(if let Some(#pattern) = #found { #unpack #then } #otherwise))
            }
            _ => Ok(quote!(if #found.is_some() { #then } #otherwise)),
        }
    }

    /// A loop over one run, which is called `run`.
    fn run(&self, coord: Var, value: Option<Var>, body: &Block) -> Emitted {
        let value = value.filter(|v| self.used[v.0 as usize]);
        let (j, wanted) = (self.binding(coord), self.used[coord.0 as usize]);
        let narrow = wanted.then(|| quote!(let #j = #j as usize;));
        let body = self.block(&body.0)?;
        let Some(v) = value else {
            return Ok(if wanted {
                quote!(for &#j in run.coords() { #narrow #body })
            } else {
                quote!(for _ in run.coords() { #body })
            });
        };
        let name = self.ident(v);
        let (pattern, unpack) = match &self.kernel.vars[v].ty {
            Type::Store(_) => {
                let runtime = &self.runtime;
                (quote!(#name), Some(quote!(let #name = #runtime::Store::fiber(#name);)))
            }
            _ => (quote!(&#name), None),
        };
        Ok(if wanted {
            quote!(for (#j, #pattern) in run.iter() { #narrow #unpack #body })
        } else {
            quote!(for #pattern in run.values() { #unpack #body })
        })
    }

    /// A fold over the runs of a fiber. The scalars that the body changes travel through it as the accumulator.
    fn map(&self, store: TokenStream, coord: Var, value: Option<Var>, ordered: bool, body: &Block) -> Emitted {
        // An element of an array that a loop around goes along is a reference, which the closure borrows.
        let changed = changed(body).into_iter().filter(|v| !self.places.contains(v));
        let names: Vec<_> = changed.map(|v| self.ident(v)).collect();
        let inner = self.run(coord, value, body)?;
        let fold = if ordered { quote!(fold_ordered) } else { quote!(fold_storage) };
        Ok(match &names[..] {
            [] => quote!(#store.#fold((), |(), run| { #inner });),
            [v] => quote!(#v = #store.#fold(#v, |mut #v, run| { #inner #v });),
            _ => quote! {
                (#(#names),*) = #store.#fold((#(#names),*), |(#(mut #names),*), run| {
                    #inner
                    (#(#names),*)
                });
            },
        })
    }

    /// A fold over a row that may be shared out among the threads, with the declaration of what it folds into: both statements at once, if
    /// they are that.
    pub(super) fn folded_row(&self, start: &Stmt, stmt: &Stmt) -> Result<Option<TokenStream>, EmitError> {
        let (
            Stmt::Let(sum, Expr::Literal(from)),
            Stmt::ForEntries { store, coord, value, fold: Some((v, op)), body, .. },
        ) = (start, stmt)
        else {
            return Ok(None);
        };
        let Some(scalar) = self.kernel.vars[*sum].ty.scalar().filter(|_| v == sum) else { return Ok(None) };
        let (store, inner, fold_row) = (self.fiber(store)?, self.run(*coord, *value, body)?, self.import("fold_row"));
        let (name, from) = (self.ident(*sum), suffixed(*from));
        let combine = self.two(*op, scalar, quote!(left), quote!(right));
        let mut again = false;
        self.kernel.body.visit(&mut |s| again |= s.writes().contains(sum) && !body_has(body, s));
        let mutable = again.then(|| quote!(mut));
        Ok(Some(quote! {
            let #mutable #name = #fold_row(#store, #from, |mut #name, run| { #inner #name }, |left, right| #combine);
        }))
    }

    pub(super) fn row_pattern(&self, coord: Var, value: Option<Var>) -> (TokenStream, TokenStream) {
        let i = self.binding(coord);
        let row = match value {
            Some(v) => {
                let v = self.binding(v);
                quote!(#v)
            }
            None => quote!(_),
        };
        (quote!(#i), row)
    }
}

/// The scalars from outside that a block changes.
fn changed(body: &Block) -> Vec<Var> {
    let (mut inside, mut changed): (Vec<Var>, Vec<Var>) = Default::default();
    body.visit(&mut |stmt| {
        inside.extend(stmt.declares());
        if let Stmt::Assign(v, _) | Stmt::Update(v, _, _) = stmt
            && !changed.contains(v)
        {
            changed.push(*v);
        }
    });
    changed.retain(|v| !inside.contains(v));
    changed
}

/// Whether a statement stands in a block.
fn body_has(body: &Block, stmt: &Stmt) -> bool {
    let mut found = false;
    body.visit(&mut |s| found |= std::ptr::eq(s, stmt));
    found
}
