//! The store's handle and the view of its fiber.

use proc_macro2::TokenStream;
use quote::quote;

use super::locate;
use super::machine::{Emitter, Purpose, lowered};
use super::plan::Plan;
use crate::derive::{Order, stages};
use crate::schema::model::Target;

/// The handle, the fiber, its iterator and the traits that they implement.
pub fn items(plan: &Plan<'_>) -> TokenStream {
    let handle = handle(plan);
    let fiber = fiber(plan);
    let store = store(plan);
    quote!(#handle #fiber #store)
}

fn handle(plan: &Plan<'_>) -> TokenStream {
    let (store, coord, ty) = (&plan.store, &plan.coord, &plan.handle().ty);
    let doc: Vec<String> = match &plan.model.doc[..] {
        [] => vec![format!(" The store `{}`.", plan.model.name)],
        doc => doc.iter().map(|line| format!(" {}", line.trim())).collect(),
    };
    let name = &plan.model.name;
    let what = format!(" The handle of a store `{name}`. Cloning it shares all nodes.");
    let (root, new, access) = if plan.handle().flat {
        (
            quote!(nodes::#ty<V, C>),
            quote! {
                /// A store with the given root.
                pub fn new(root: nodes::#ty<V, C>) -> Self {
                    Self { root }
                }
            },
            quote! {
                /// The root.
                pub fn root(&self) -> runtime::NodeRef<'_, nodes::#ty<V, C>> {
                    runtime::NodeRef::of(&self.root)
                }

                /// The root, for writing.
                pub fn root_mut(&mut self) -> runtime::NodeMut<'_, nodes::#ty<V, C>> {
                    runtime::NodeMut::of(&mut self.root)
                }
            },
        )
    } else {
        (
            quote!(runtime::Link<nodes::#ty<V, C>>),
            quote! {
                /// A store with the given root.
                pub fn new(root: runtime::Link<nodes::#ty<V, C>>) -> Self {
                    Self { root }
                }
            },
            quote! {
                /// The root; none if the store is empty.
                pub fn root(&self) -> Option<runtime::NodeRef<'_, nodes::#ty<V, C>>> {
                    runtime::follow(&self.root)
                }

                /// The link to the root.
                pub fn root_mut(&mut self) -> &mut runtime::Link<nodes::#ty<V, C>> {
                    &mut self.root
                }
            },
        )
    };
    let default = if plan.handle().flat { quote!(Default::default()) } else { quote!(None) };
    quote! {
        #(#[doc = #doc])*
        #[doc = ""]
        #[doc = #what]
        pub struct #store<V: runtime::Value, C: runtime::Coord = #coord> {
            root: #root,
        }

        impl<V: runtime::Value, C: runtime::Coord> #store<V, C> {
            #new
            #access
        }

        impl<V: runtime::Value, C: runtime::Coord> Clone for #store<V, C> {
            #[inline]
            fn clone(&self) -> Self {
                Self { root: self.root.clone() }
            }
        }

        impl<V: runtime::Value, C: runtime::Coord> Default for #store<V, C> {
            #[inline]
            fn default() -> Self {
                Self { root: #default }
            }
        }

        impl<V: runtime::Value + ::std::fmt::Debug, C: runtime::Coord> ::std::fmt::Debug for #store<V, C> {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let mut map = f.debug_map();
                runtime::Fiber::fold_runs(runtime::Store::fiber(self), (), |(), run| {
                    map.entries(run.iter());
                });
                map.finish()
            }
        }
    }
}

fn fiber(plan: &Plan<'_>) -> TokenStream {
    let (coord, ty) = (&plan.coord, &plan.handle().ty);
    let flat = plan.handle().flat;
    let lowered = lowered(plan);
    let by_coord = stages(&lowered, Order::Coordinate);
    let by_storage = stages(&lowered, Order::Storage);
    let fold = Emitter::new(plan, &by_coord.loops, Purpose::TryFold, "FoldStep");
    let storage = Emitter::new(plan, &by_storage.loops, Purpose::TryFold, "StorageStep");
    let iterate = Emitter::new(plan, &by_coord.step, Purpose::Iterate, "Step");
    let (fold_enum, storage_enum, step_enum) = (
        fold.step_enum(" Where a fold in coordinate order goes on."),
        storage.step_enum(" Where a fold in storage order goes on."),
        iterate.step_enum(" Where the iterator goes on."),
    );
    let (fold_walk, storage_walk, advance) =
        (fold.walk(&quote!(handle)), storage.walk(&quote!(handle)), iterate.walk(&quote!(handle)));
    let handle_type = match flat {
        true => quote!(runtime::NodeRef<'a, nodes::#ty<V, C>>),
        false => quote!(Option<runtime::NodeRef<'a, nodes::#ty<V, C>>>),
    };
    let open = |empty: TokenStream| match flat {
        true => quote!(let handle = self.handle;),
        false => quote!(let Some(handle) = self.handle else { return #empty };),
    };
    let open_fold = open(quote!(::std::ops::ControlFlow::Continue(folded)));
    let (stack_field, stack_new) = match iterate.stack_type() {
        Some(entry) => (quote!(stack: runtime::Stack<#entry, 16>,), quote!(stack: runtime::Stack::new(),)),
        None => (quote!(), quote!()),
    };
    // Coded arrays are decoded block by block, into a buffer that lies in the iterator.
    let coded = plan.nodes.iter().any(|node| node.coded().next().is_some());
    let blocks_field = coded.then(|| quote!(blocks: runtime::CodedRuns<'a, C, V>,));
    let blocks_new = coded.then(|| quote!(blocks: runtime::CodedRuns::empty(),));
    let next_block = coded.then(|| {
        quote! {
            if runtime::Runs::advance(&mut self.blocks) {
                return true;
            }
        }
    });
    let current = match coded {
        true => quote!(if self.current.is_empty() { runtime::Runs::run(&self.blocks) } else { self.current }),
        false => quote!(self.current),
    };
    let start = match flat {
        true => iterate.start(&quote!(self.handle)),
        false => {
            let start = iterate.start(&quote!(handle));
            quote!(match self.handle {
                Some(handle) => #start,
                None => Step::End,
            })
        }
    };
    let ordered = plan.model.ordered;
    let par_items = super::parallel::items(plan);
    let par = quote::format_ident!("par_{}", plan.model.target_name(Target::Node(plan.model.handle)));
    let open_par = open(quote!(identity()));
    let (locate, places) = locate::locate(plan);
    let len = plan.handle().counts.iter().find(|(_, deep)| !deep).map(|(count, _)| {
        let read = quote!(nodes::#ty::#count(handle) as usize);
        let open = open(quote!(0));
        quote! {
            #[inline]
            fn len(self) -> usize {
                #open
                #read
            }
        }
    });
    let count = Emitter::new(plan, &by_storage.loops, Purpose::Count, "LenStep");
    let mut len_enum = quote!();
    let len = len.unwrap_or_else(|| match coded {
        // What is coded need not be decoded to be counted.
        true => {
            len_enum = count.step_enum(" Where counting goes on.");
            let (open, walk) = (open(quote!(0)), count.walk(&quote!(handle)));
            quote! {
                fn len(self) -> usize {
                    #open
                    let mut len = 0;
                    #walk
                }
            }
        }
        false => quote! {
            fn len(self) -> usize {
                runtime::Fiber::fold_storage(self, 0, |len, run| len + run.len())
            }
        },
    });
    let seqs: Vec<String> = plan
        .nodes
        .iter()
        .filter(|node| node.node.has_seq)
        .map(|node| format!("`seq = {}`", node.spell_seq()))
        .collect();
    let derived = match &seqs[..] {
        [] => " The stackless, resumable iterator over the runs.".to_owned(),
        seqs => format!(" The resumable iterator over the runs, derived from {}.", seqs.join(" and ")),
    };
    quote! {
        /// A view of the fiber that a store holds.
        pub struct Fiber<'a, V: runtime::Value, C: runtime::Coord = #coord> {
            handle: #handle_type,
        }

        impl<V: runtime::Value, C: runtime::Coord> Clone for Fiber<'_, V, C> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<V: runtime::Value, C: runtime::Coord> Copy for Fiber<'_, V, C> {}

        impl<'a, V: runtime::Value, C: runtime::Coord> runtime::Fiber<'a> for Fiber<'a, V, C> {
            type Coord = C;
            type Value = V;
            type Runs = Runs<'a, V, C>;
            const ORDERED: bool = #ordered;

            #len

            #[inline(always)]
            fn runs(self) -> Runs<'a, V, C> {
                Runs { step: #start, #stack_new #blocks_new current: runtime::Run::empty() }
            }

            #[inline(always)]
            fn try_fold_runs<A, B, F>(self, mut folded: A, mut visit: F) -> ::std::ops::ControlFlow<B, A>
            where
                F: FnMut(A, runtime::Run<'_, 'a, C, V>) -> ::std::ops::ControlFlow<B, A>,
            {
                #open_fold
                #fold_walk
            }

            #[inline(always)]
            fn try_fold_storage<A, B, F>(self, mut folded: A, mut visit: F) -> ::std::ops::ControlFlow<B, A>
            where
                F: FnMut(A, runtime::Run<'_, 'a, C, V>) -> ::std::ops::ControlFlow<B, A>,
            {
                #open_fold
                #storage_walk
            }

            fn par_fold<A, I, F, G>(self, identity: &I, fold: &F, combine: &G) -> A
            where
                A: Send,
                I: Fn() -> A + Sync,
                F: Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync,
                G: Fn(A, A) -> A + Sync,
            {
                if !runtime::is_large(self) {
                    return runtime::Fiber::fold_runs(self, identity(), fold);
                }
                #open_par
                #par(handle, runtime::FORK_DEPTH, identity, fold, combine)
            }

            #[inline]
            fn locate(self, coord: C) -> Option<&'a V> {
                #locate
            }
        }

        #[doc = #derived]
        pub struct Runs<'a, V: runtime::Value, C: runtime::Coord = #coord> {
            step: Step<'a, V, C>,
            #stack_field
            #blocks_field
            current: runtime::Run<'a, 'a, C, V>,
        }

        impl<'a, V: runtime::Value, C: runtime::Coord> runtime::Runs<'a> for Runs<'a, V, C> {
            type Coord = C;
            type Value = V;

            #[inline]
            fn advance(&mut self) -> bool {
                #next_block
                #advance
            }

            #[inline(always)]
            fn run(&self) -> runtime::Run<'_, 'a, C, V> {
                #current
            }
        }

        #step_enum
        #fold_enum
        #storage_enum
        #len_enum
        #places
        #par_items
    }
}

fn store(plan: &Plan<'_>) -> TokenStream {
    let (store, name) = (&plan.store, &plan.model.name);
    let handle = plan.handle();
    let ty = &handle.ty;
    let root_name = &handle.node.name;
    let sequenced = locate::is_sequenced(plan);
    let fiber = match handle.flat {
        true => quote!(Fiber { handle: runtime::NodeRef::of(&self.root) }),
        false => quote!(Fiber { handle: runtime::follow(&self.root) }),
    };
    let report = match handle.flat {
        true => quote!(|report| nodes::#ty::describe(runtime::NodeRef::of(&self.root), report)),
        false => quote!(|report| if let Some(root) = runtime::follow(&self.root) {
            runtime::Node::inspect(root, report);
        }),
    };
    let map_values = super::copy::map_values(plan);
    let copying = super::copy::items(plan);
    quote! {
        impl<V: runtime::Value, C: runtime::Coord> runtime::Store for #store<V, C> {
            type Coord = C;
            type Value = V;
            type Fiber<'a> = Fiber<'a, V, C>;
            type Page = runtime::ArrayPage<Self>;
            const NAME: &'static str = #name;

            #[inline]
            fn build_row(elements: runtime::Elements<'_, C, V>) -> Self {
                <Self as runtime::Build<C, V>>::build(elements)
            }

            #[inline(always)]
            fn fiber(&self) -> Fiber<'_, V, C> {
                #fiber
            }

            fn each_mut(&mut self, coords: &[C], visit: &(dyn Fn(usize, &mut V) + Sync)) {
                <Self as runtime::Build<C, V>>::each_mut(self, coords, visit);
            }

            fn update(&mut self, batch: runtime::RowBatch<'_, C, V>, change: runtime::Change<'_, V>) -> runtime::Counts {
                <Self as runtime::Build<C, V>>::update(self, batch, change)
            }

            fn audit_with(
                &self,
                value: &mut dyn FnMut(&V) -> Result<(), runtime::AuditError>,
            ) -> Result<(), runtime::AuditError> {
                runtime::audit(#root_name, #sequenced, #report, value)
            }

            fn footprint_with(&self, value: &mut dyn FnMut(&V) -> runtime::Footprint) -> runtime::Footprint {
                runtime::footprint(#report, value)
            }
        }

        #map_values
        #copying
    }
}
