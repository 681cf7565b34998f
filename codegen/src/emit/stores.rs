//! Dynamic levels: maps run by run, cursors, look-ups and assembly, through the runtime's traits.
//!
//! A store that is read is a fiber (a `Copy` view); a matrix over stores is an `Outer` level, whose rows are fibers; a store that
//! is assembled collects its entries in a `Sink` and is built at the end.

use proc_macro2::TokenStream;
use quote::quote;

use super::expr::scalar_type;
use super::{EmitError, Emitter};
use crate::ir::expr::Expr;
use crate::ir::kernel::Var;
use crate::ir::stmt::{Block, Domain, Partition, Stmt};
use crate::ir::types::{Element, Literal, Scalar, StoreType, Type};

type Emitted = Result<TokenStream, EmitError>;

impl Emitter<'_> {
    fn unsupported<T>(&self, what: &str) -> Result<T, EmitError> {
        Err(EmitError::Unsupported { kernel: self.kernel.name.clone(), what: what.into() })
    }

    fn store_type(&self, expr: &Expr) -> Result<StoreType, EmitError> {
        match expr.type_in(&self.kernel.vars) {
            Some(Type::Store(s)) => Ok(s),
            _ => self.unsupported("a store that is none"),
        }
    }

    pub(super) fn store_stmt(&self, stmt: &Stmt) -> Emitted {
        let runtime = &self.runtime;
        Ok(match stmt {
            Stmt::OpenCursor(v, store) => {
                if is_outer(&self.store_type(store)?) {
                    return self.unsupported("a cursor over an outer level");
                }
                let store = self.receiver(store)?;
                self.declare(*v, None, quote!(#runtime::Cursor::new(#runtime::Fiber::runs(#store))))
            }
            Stmt::Advance(c) => {
                let c = self.ident(*c);
                quote!(#c.advance();)
            }
            Stmt::Rest { cursor, coord, value, body } => {
                let (c, inner) = (self.ident(*cursor), self.run(*coord, *value, body)?);
                quote!(#c.rest(|run| #inner);)
            }
            Stmt::ForEntries { store, coord, value, ordered, body } => {
                let (outer, rows) = (is_outer(&self.store_type(store)?), store);
                let store = self.receiver(store)?;
                if outer {
                    let (i, row) = self.row_pattern(*coord, *value);
                    let (body, batch) = (self.block(&body.0)?, self.batch_type(rows));
                    quote! {
                        let _ = #store.batches(&mut |batch: #batch| {
                            batch.for_each(|#i, #row| { #body });
                            std::ops::ControlFlow::Continue(())
                        });
                    }
                } else {
                    self.map(store, *coord, *value, *ordered, body)?
                }
            }
            Stmt::Locate { store, coord, value, then, otherwise } => {
                let ty = self.store_type(store)?;
                let store = self.receiver(store)?;
                let then = self.block(&then.0)?;
                let otherwise = if otherwise.is_empty() { None } else { Some(self.block(&otherwise.0)?) }
                    .map(|o| quote!(else { #o }));
                let found = if is_outer(&ty) {
                    let coord = self.any(coord)?;
                    quote!(#store.row(#coord))
                } else {
                    let coord = self.any(&coord.clone().cast(ty.coord))?;
                    quote!(#runtime::Fiber::locate(#store, #coord))
                };
                match value {
                    Some(v) if self.used[v.0 as usize] => {
                        let v = self.ident(*v);
                        let pattern = if is_outer(&ty) { quote!(#v) } else { quote!(&#v) };
                        quote!(if let Some(#pattern) = #found { #then } #otherwise)
                    }
                    _ => quote!(if #found.is_some() { #then } #otherwise),
                }
            }
            Stmt::OpenSink(v) => {
                let result = self.result_of(*v);
                let ty = result.map(|name| quote!(::<#name>));
                let sink = self.import("Sink");
                self.declare(*v, None, quote!(#sink #ty::new()))
            }
            Stmt::Append { sink, coord, value } => {
                let Type::Sink(ty) = &self.kernel.vars[*sink].ty else {
                    return self.unsupported("a sink that is none");
                };
                let coord = self.any(&coord.clone().cast(ty.coord))?;
                let value = match value {
                    Some(value) => self.typed(value)?,
                    None => quote!(()),
                };
                let sink = self.ident(*sink);
                quote!(#sink.append(#coord, #value);)
            }
            _ => TokenStream::new(),
        })
    }

    /// The type parameter of the result that a sink is assembled for, if the kernel returns it as it is.
    fn result_of(&self, sink: Var) -> Option<TokenStream> {
        let mut finished = None;
        self.kernel.body.visit(&mut |stmt| {
            if let Stmt::Let(v, Expr::Finish(s)) = stmt
                && *s == sink
            {
                finished = Some(*v);
            }
        });
        self.store_parameter(finished?)
    }

    /// A loop over one run, which is called `run`.
    fn run(&self, coord: Var, value: Option<Var>, body: &Block) -> Emitted {
        let body = self.block(&body.0)?;
        let value = match value {
            Some(v) if self.used[v.0 as usize] => {
                let v = self.ident(v);
                quote!(&#v)
            }
            _ => quote!(_),
        };
        let j = self.binding(coord);
        Ok(if self.used[coord.0 as usize] {
            quote!(for (#j, #value) in run.iter() { let #j = #j as usize; #body })
        } else {
            quote!(for (_, #value) in run.iter() { #body })
        })
    }

    /// A fold over the runs of a fiber. The scalars that the body changes travel through it as the accumulator.
    fn map(&self, store: TokenStream, coord: Var, value: Option<Var>, ordered: bool, body: &Block) -> Emitted {
        let runtime = &self.runtime;
        let mut inside = Vec::new();
        let mut changed: Vec<Var> = Vec::new();
        body.visit(&mut |stmt| {
            inside.extend(stmt.declares());
            if let Stmt::Assign(v, _) | Stmt::Update(v, _, _) = stmt
                && !changed.contains(v)
            {
                changed.push(*v);
            }
        });
        changed.retain(|v| !inside.contains(v));
        let names: Vec<_> = changed.iter().map(|v| self.ident(*v)).collect();
        let inner = self.run(coord, value, body)?;
        let fold = if ordered { quote!(fold_runs) } else { quote!(fold_storage) };
        Ok(match &names[..] {
            [] => quote!(#runtime::Fiber::#fold(#store, (), |(), run| #inner);),
            [v] => quote!(#v = #runtime::Fiber::#fold(#store, #v, |mut #v, run| { #inner #v });),
            _ => quote! {
                (#(#names),*) = #runtime::Fiber::#fold(#store, (#(#names),*), |(#(mut #names),*), run| {
                    #inner
                    (#(#names),*)
                });
            },
        })
    }

    /// The type of a batch of rows: a closure that is passed as a trait object has to say it.
    fn batch_type(&self, store: &Expr) -> TokenStream {
        let runtime = &self.runtime;
        let row = match store {
            Expr::Var(v) => self.store_parameter(*v),
            _ => None,
        };
        let row = row.unwrap_or_else(|| quote!(_));
        quote!(#runtime::Batch<'_, '_, #row>)
    }

    fn row_pattern(&self, coord: Var, value: Option<Var>) -> (TokenStream, TokenStream) {
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
        let Stmt::Parallel { var, domain: Domain::Entries { store, value }, owned, reductions, scratch, body } = stmt
        else {
            return Ok(TokenStream::new());
        };
        if !is_outer(&self.store_type(store)?) || !reductions.is_empty() {
            return self.unsupported("a parallel reduction over the entries of a store");
        }
        let runtime = &self.runtime;
        let (mut sharing, mut guard) = (TokenStream::new(), TokenStream::new());
        for share in owned {
            let scalar = self.kernel.vars[share.array].ty.array_scalar();
            let each = matches!(share.partition, Partition::Each { .. });
            if !each || scalar.is_none_or(|s| s == Scalar::Usize) {
                return self.unsupported("an output of a parallel loop over entries that is not an array of values");
            }
            let name = self.ident(share.array);
            if let Partition::Each { offset, stride } = &share.partition {
                // The last page of an outer level may be wider than the matrix; its further rows are empty.
                let end = offset.clone() + (Expr::Var(*var) + Literal::Usize(1)) * stride.clone();
                let plain = *offset == Literal::Usize(0).into() && *stride == Literal::Usize(1).into();
                let (i, end) = (self.ident(*var), self.any(&end)?);
                guard.extend(if plain {
                    quote!(if #i >= #name.len() { return; })
                } else {
                    quote!(if #end > #name.len() { return; })
                });
            }
            let array = if self.is_param(share.array) { quote!(#name) } else { quote!(&mut #name) };
            sharing.extend(quote!(let #name = #runtime::SharedOutput::new(#array);));
            self.shared.borrow_mut().insert(share.array);
        }
        let (scratch, inner) = (self.block(&scratch.0)?, self.block(&body.0)?);
        for share in owned {
            self.shared.borrow_mut().remove(&share.array);
        }
        let batch = self.batch_type(store);
        let store = self.receiver(store)?;
        let (i, row) = self.row_pattern(*var, *value);
        Ok(quote! {{
            #sharing
            #store.par_batches(&|batch: #batch| {
                #scratch
                batch.for_each(|#i, #row| { #guard #inner });
            });
        }})
    }

    /// The type parameter that stands for a store passed to or returned from the kernel: the tensor's name.
    pub(super) fn store_parameter(&self, v: Var) -> Option<TokenStream> {
        let tensors = self.kernel.params.iter().chain(&self.kernel.results);
        let tensor = tensors.into_iter().find(|t| t.fields.iter().any(|f| f.var == v))?;
        let letters: String = tensor.name.chars().filter(char::is_ascii_alphanumeric).collect();
        let mut name = letters.get(..1).unwrap_or("S").to_uppercase();
        name.push_str(letters.get(1..).unwrap_or_default());
        let name = proc_macro2::Ident::new(&format!("Store{name}"), proc_macro2::Span::call_site());
        Some(quote!(#name))
    }
}

/// Whether a store's entries are stores.
pub(super) fn is_outer(store: &StoreType) -> bool {
    matches!(store.element, Element::Store(_))
}

/// The Rust type of what a store holds.
pub(super) fn value_type(element: &Element) -> TokenStream {
    match element {
        Element::Scalar(s) => scalar_type(*s),
        _ => quote!(()),
    }
}
