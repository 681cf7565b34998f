//! Dynamic levels: maps run by run, cursors, look-ups and assembly, through the runtime's traits.
//!
//! A store that is read is a fiber (a `Copy` view); a matrix over stores is an `Outer` level, whose rows are fibers; a store that
//! is a result is built from arrays of coordinates and values.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::literal::{scalar_type, suffixed};
use super::{EmitError, Emitter};
use crate::ir::expr::Expr;
use crate::ir::kernel::{Field, Tensor, Var};
use crate::ir::stmt::{Block, Domain, Owned, Partition, Stmt};
use crate::ir::types::{ArrayType, Element, Scalar, StoreType, Type};

type Emitted = Result<TokenStream, EmitError>;

impl Emitter<'_> {
    fn store_type(&self, expr: &Expr) -> Result<StoreType, EmitError> {
        match expr.type_in(&self.kernel.vars) {
            Some(Type::Store(s)) => Ok(s),
            _ => self.unsupported("a store that is none"),
        }
    }

    /// The rows that an expression means, if it is a matrix that is passed as rows.
    pub(super) fn rows_of(&self, store: &Expr) -> Result<Option<TokenStream>, EmitError> {
        match store {
            Expr::Var(v) if (self.is_param(*v) || self.is_finder(*v)) && holds_stores(&self.store_type(store)?) => {
                let rows = self.ident(*v);
                Ok(Some(quote!(#rows)))
            }
            _ => Ok(None),
        }
    }

    /// A store as a fiber, for a method to be called on.
    pub(super) fn fiber(&self, store: &Expr) -> Emitted {
        // A row that is looked up may be absent; the trait makes that a fiber too. What a store hands out is a fiber by its trait, not by a
        // bound of the function's own.
        let by_trait = match store {
            Expr::Load(..) | Expr::CursorValue(_) => true,
            Expr::Var(v) => !self.is_param(*v) && !self.is_handed_row(*v),
            _ => false,
        };
        if by_trait {
            self.import("Fiber");
        }
        if let Expr::Var(v) = store
            && self.is_made(*v)
        {
            let (runtime, made) = (&self.runtime, self.ident(*v));
            return Ok(quote!(#runtime::Store::fiber(&#made)));
        }
        self.receiver(store)
    }

    /// Whether a store, or an array of them, is made here as a result, and is no fiber of what was passed.
    pub(super) fn is_made(&self, v: Var) -> bool {
        let mut results = self.kernel.results.iter().flat_map(|tensor| &tensor.fields);
        results.any(|field| field.var == v) && !self.is_param(v)
    }

    /// The type of a store that a later statement reads: Rust does not infer it in time.
    pub(super) fn type_to_read(&self, v: Var) -> Option<TokenStream> {
        if !matches!(self.kernel.vars[v].ty, Type::Store(_)) || !self.is_made(v) {
            return None;
        }
        let mut read = false;
        self.kernel.body.visit_exprs(&mut |e| read |= *e == Expr::Var(v));
        self.store_parameter(v).filter(|_| read)
    }

    /// Whether a variable is a row that a parallel loop over an array of rows hands out.
    fn is_handed_row(&self, v: Var) -> bool {
        let mut handed = false;
        self.kernel.body.visit(&mut |stmt| {
            if let Stmt::Parallel { domain: Domain::Rows { matrix, row: Some(row) }, .. }
            | Stmt::Gather { matrix, row, .. } = stmt
            {
                handed |= *row == v && matches!(self.kernel.vars[*matrix].ty, Type::Array(_));
            }
        });
        handed
    }

    /// Whether a variable is what finds the rows of a matrix.
    pub(super) fn is_finder(&self, v: Var) -> bool {
        self.kernel.body.0.iter().any(|stmt| matches!(stmt, Stmt::FindRows { finder, .. } if *finder == v))
    }

    /// The row of a matrix at a coordinate.
    pub(super) fn found_row(&self, matrix: Var, coord: TokenStream) -> TokenStream {
        let a = self.ident(matrix);
        if self.is_finder(matrix) { quote!(#a(#coord)) } else { quote!(#a.row(#coord)) }
    }

    /// Whether a cursor runs over the rows of a matrix.
    pub(super) fn is_row_cursor(&self, cursor: Var) -> bool {
        let mut rows = false;
        self.kernel.body.visit(&mut |stmt| {
            if let Stmt::OpenCursor(v, store) = stmt
                && *v == cursor
            {
                rows = self.rows_of(store).is_ok_and(|rows| rows.is_some());
            }
        });
        rows
    }

    /// Whether a cursor is only moved on, to count entries: their order does not matter then.
    pub(super) fn only_counts(&self, cursor: Var) -> bool {
        let mut reads = false;
        self.kernel.body.visit(&mut |stmt| {
            reads |= matches!(stmt, Stmt::Rest { cursor: read, .. } if *read == cursor);
        });
        self.kernel.body.visit_exprs(&mut |expr| {
            reads |= matches!(expr, Expr::CursorCoord(read) | Expr::CursorValue(read) if *read == cursor);
        });
        !reads
    }

    pub(super) fn store_stmt(&self, stmt: &Stmt) -> Emitted {
        Ok(match stmt {
            Stmt::OpenCursor(v, store) => {
                if self.rows_of(store)?.is_some() {
                    let (rows, cursor) = (self.receiver(store)?, self.import("RowCursor"));
                    return Ok(self.declare(*v, None, quote!(#cursor::new(#rows))));
                }
                let (store, cursor) = (self.fiber(store)?, self.import("Cursor"));
                if self.only_counts(*v) {
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
            Stmt::Locate { store, coord, value, then, otherwise } => {
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
                let otherwise = if otherwise.is_empty() { None } else { Some(self.block(&otherwise.0)?) }
                    .map(|o| quote!(else { #o }));
                match value {
                    Some(v) if self.used[v.0 as usize] => {
                        let nested = rows.is_none() && matches!(self.kernel.vars[*v].ty, Type::Store(_));
                        let (v, runtime) = (self.ident(*v), &self.runtime);
                        let pattern = if rows.is_some() || nested { quote!(#v) } else { quote!(&#v) };
                        let unpack = nested.then(|| quote!(let #v = #runtime::Store::fiber(#v);));
                        quote!(if let Some(#pattern) = #found { #unpack #then } #otherwise)
                    }
                    _ => quote!(if #found.is_some() { #then } #otherwise),
                }
            }
            _ => TokenStream::new(),
        })
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
        let names: Vec<_> = changed(body).iter().map(|v| self.ident(*v)).collect();
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
        for share in owned {
            self.shared.borrow_mut().remove(&share.array);
        }
        let emitted = emitted?;
        // What comes after it sees the array itself again.
        let this = |stmt: &Stmt| matches!(stmt, Stmt::Parallel { owned: own, .. } if std::ptr::eq(&own[..], owned));
        let body = &self.kernel.body.0;
        let at = body.iter().position(this).unwrap_or(body.len());
        let is_last = |array: Var| {
            body.iter().enumerate().all(|(n, stmt)| {
                let filled = n < at && matches!(stmt, Stmt::Fill { array: own, .. } if *own == array);
                n == at || filled || !Block(vec![stmt.clone()]).mentions(array)
            })
        };
        let open = |share: &Owned| self.is_param(share.array) && is_last(share.array);
        Ok(if owned.iter().all(open) && self.kernel.results.is_empty() {
            quote!(#sharing #emitted)
        } else {
            quote!({ #sharing #emitted })
        })
    }

    /// The type parameter that stands for a store passed to or returned from the kernel: the tensor's name, with the number of the
    /// level where several levels are stores of their own.
    pub(super) fn store_parameter(&self, v: Var) -> Option<TokenStream> {
        let letters = |tensor: &Tensor| tensor.name.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
        let tensors = || self.kernel.params.iter().chain(&self.kernel.results);
        let at = tensors().position(|t| t.fields.iter().any(|f| f.var == v))?;
        let tensor = tensors().nth(at)?;
        // A parameter that is given back in another version is a result of the same name.
        let alike = tensors().take(at).filter(|other| letters(other).eq_ignore_ascii_case(&letters(tensor))).count();
        let letters = letters(tensor);
        let mut name = letters.get(..1).unwrap_or("S").to_uppercase();
        name.push_str(letters.get(1..).unwrap_or_default());
        let of_stores = |f: &&Field| {
            matches!(
                self.kernel.vars[f.var].ty,
                Type::Store(_) | Type::Array(ArrayType { element: Element::Store(_), .. })
            )
        };
        if tensor.fields.iter().filter(of_stores).count() > 1 {
            let own = tensor.fields.iter().find(|f| f.var == v);
            name += &own.and_then(|f| f.level).map_or(String::new(), |level| level.to_string());
        }
        let name = Ident::new(&format!("{}Store{name}", "New".repeat(alike)), Span::call_site());
        Some(quote!(#name))
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

/// Whether a store's entries are stores.
pub(super) fn holds_stores(store: &StoreType) -> bool {
    matches!(store.element, Element::Store(_))
}

/// The Rust type of what a store holds.
pub(super) fn value_type(element: &Element) -> TokenStream {
    match element {
        Element::Scalar(s) => scalar_type(*s),
        _ => quote!(()),
    }
}
