//! The view of the fiber that a store holds, and the iterator over its runs.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::locate;
use super::machine::{Emitter, Purpose, lowered};
use super::parallel;
use super::plan::Plan;
use crate::derive::{Order, stages};
use crate::schema::model::Target;

/// The fiber, its iterator, and the states of the traversals.
pub fn items(plan: &Plan<'_>) -> TokenStream {
    let lowered = lowered(plan);
    let by_coord = stages(&lowered, Order::Coordinate);
    let by_storage = stages(&lowered, Order::Storage);
    let fold = Emitter::new(plan, &by_coord.loops, Purpose::TryFold, "FoldStep");
    let storage = Emitter::new(plan, &by_storage.loops, Purpose::TryFold, "StorageStep");
    let iterate = Emitter::new(plan, &by_coord.step, Purpose::Iterate, "Step");
    let count = Emitter::new(plan, &by_storage.loops, Purpose::Count, "LenStep");
    let fold_enum = fold.step_enum(" Where a fold in coordinate order goes on.");
    let storage_enum = storage.step_enum(" Where a fold in storage order goes on.");
    let step_enum = iterate.step_enum(" Where the iterator goes on.");
    let (locate, places) = locate::locate(plan);
    let (len, len_enum) = len(plan, &count);
    let (runs_fn, folds, par_fold) = (runs_fn(plan, &iterate), folds(plan, &fold, &storage), par_fold(plan));
    let (view, runs, par_items) = (view(plan), runs(plan, &iterate), parallel::items(plan));
    let ordered = plan.model.ordered;
    quote! {
        #view

        impl<'a, V: runtime::Value, C: runtime::Coord> runtime::Fiber<'a> for Fiber<'a, V, C> {
            type Coord = C;
            type Value = V;
            type Runs = Runs<'a, V, C>;
            const ORDERED: bool = #ordered;

            #len

            #runs_fn

            #folds

            #par_fold

            #[inline]
            fn locate(self, coord: C) -> Option<&'a V> {
                #locate
            }
        }

        #runs

        #step_enum
        #fold_enum
        #storage_enum
        #len_enum
        #places
        #par_items
    }
}

/// The struct: a reference to the handle, or `None` for an empty store.
fn view(plan: &Plan<'_>) -> TokenStream {
    let (coord, ty) = (&plan.coord, &plan.handle().ty);
    let handle = match plan.handle().flat {
        true => quote!(runtime::NodeRef<'a, nodes::#ty<V, C>>),
        false => quote!(Option<runtime::NodeRef<'a, nodes::#ty<V, C>>>),
    };
    quote! {
        /// A view of the fiber that a store holds.
        pub struct Fiber<'a, V: runtime::Value, C: runtime::Coord = #coord> {
            handle: #handle,
        }

        impl<V: runtime::Value, C: runtime::Coord> Clone for Fiber<'_, V, C> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<V: runtime::Value, C: runtime::Coord> Copy for Fiber<'_, V, C> {}
    }
}

/// `let handle = …;`, with a return of `empty` where there is none.
fn bind_handle(plan: &Plan<'_>, empty: TokenStream) -> TokenStream {
    match plan.handle().flat {
        true => quote!(let handle = self.handle;),
        false => quote!(let Some(handle) = self.handle else { return #empty };),
    }
}

/// Whether some arrays are coded: they are decoded block by block, into a buffer that lies in the iterator.
fn has_coded(plan: &Plan<'_>) -> bool {
    plan.nodes.iter().any(|node| node.coded().next().is_some())
}

/// `fn len`: the count that the handle keeps, or a sum over all runs, and the states of this traversal.
fn len(plan: &Plan<'_>, count: &Emitter<'_, '_>) -> (TokenStream, TokenStream) {
    let (bind, ty) = (bind_handle(plan, quote!(0)), &plan.handle().ty);
    if let Some((kept, _)) = plan.handle().counts.iter().find(|(_, deep)| !deep) {
        let len = quote! {
            #[inline]
            fn len(self) -> usize {
                #bind
                nodes::#ty::#kept(handle) as usize
            }
        };
        return (len, quote!());
    }
    // What is coded need not be decoded to be counted.
    if has_coded(plan) {
        let walk = count.walk(&quote!(handle));
        let len = quote! {
            fn len(self) -> usize {
                #bind
                let mut len = 0;
                #walk
            }
        };
        return (len, count.step_enum(" Where counting goes on."));
    }
    let len = quote! {
        fn len(self) -> usize {
            runtime::Fiber::fold_storage(self, 0, |len, run| len + run.len())
        }
    };
    (len, quote!())
}

/// `fn runs`: the iterator at its start.
fn runs_fn(plan: &Plan<'_>, iterate: &Emitter<'_, '_>) -> TokenStream {
    let start = match plan.handle().flat {
        true => iterate.start(&quote!(self.handle)),
        false => {
            let start = iterate.start(&quote!(handle));
            quote!(match self.handle {
                Some(handle) => #start,
                None => Step::End,
            })
        }
    };
    let stack = iterate.stack_type().map(|_| quote!(stack: runtime::Stack::new(),));
    let blocks = has_coded(plan).then(|| quote!(blocks: runtime::CodedRuns::empty(),));
    quote! {
        #[inline(always)]
        fn runs(self) -> Runs<'a, V, C> {
            Runs { step: #start, #stack #blocks current: runtime::Run::empty() }
        }
    }
}

/// The sequential folds, in the order of coordinates and in that of storage.
fn folds(plan: &Plan<'_>, fold: &Emitter<'_, '_>, storage: &Emitter<'_, '_>) -> TokenStream {
    let bind = bind_handle(plan, quote!(::std::ops::ControlFlow::Continue(folded)));
    let (fold, storage) = (fold.walk(&quote!(handle)), storage.walk(&quote!(handle)));
    quote! {
        #[inline(always)]
        fn try_fold_runs<A, B, F>(self, mut folded: A, mut visit: F) -> ::std::ops::ControlFlow<B, A>
        where
            F: FnMut(A, runtime::Run<'_, 'a, C, V>) -> ::std::ops::ControlFlow<B, A>,
        {
            #bind
            #fold
        }

        #[inline(always)]
        fn try_fold_storage<A, B, F>(self, mut folded: A, mut visit: F) -> ::std::ops::ControlFlow<B, A>
        where
            F: FnMut(A, runtime::Run<'_, 'a, C, V>) -> ::std::ops::ControlFlow<B, A>,
        {
            #bind
            #storage
        }
    }
}

/// The parallel fold, for fibers that are large enough.
fn par_fold(plan: &Plan<'_>) -> TokenStream {
    let bind = bind_handle(plan, quote!(identity()));
    let par = format_ident!("par_{}", plan.model.target_name(Target::Node(plan.model.handle)));
    quote! {
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
            #bind
            #par(handle, runtime::FORK_DEPTH, identity, fold, combine)
        }
    }
}

/// The iterator over the runs.
fn runs(plan: &Plan<'_>, iterate: &Emitter<'_, '_>) -> TokenStream {
    let (coord, advance, coded) = (&plan.coord, iterate.walk(&quote!(handle)), has_coded(plan));
    let stack = iterate.stack_type().map(|entry| quote!(stack: runtime::Stack<#entry, 16>,));
    let blocks = coded.then(|| quote!(blocks: runtime::CodedRuns<'a, C, V>,));
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
    let doc = doc_of_runs(plan);
    quote! {
        #[doc = #doc]
        pub struct Runs<'a, V: runtime::Value, C: runtime::Coord = #coord> {
            step: Step<'a, V, C>,
            #stack
            #blocks
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
    }
}

/// What the iterator was derived from.
fn doc_of_runs(plan: &Plan<'_>) -> String {
    let sequences = plan.nodes.iter().filter(|node| node.node.has_seq);
    let sequences: Vec<String> = sequences.map(|node| format!("`seq = {}`", node.spell_seq())).collect();
    match &sequences[..] {
        [] => " The stackless, resumable iterator over the runs.".to_owned(),
        sequences => format!(" The resumable iterator over the runs, derived from {}.", sequences.join(" and ")),
    }
}
