//! The enum of blocks, and the loop over them.

use proc_macro2::TokenStream;
use quote::quote;

use super::emitter::{Emitter, Purpose, variant};
use crate::derive::ir::{Block, Stmt};

impl Emitter<'_, '_> {
    /// The enum of blocks, if there is more than one.
    pub fn step_enum(&self, doc: &str) -> TokenStream {
        if self.is_straight() {
            return quote!();
        }
        let step = &self.step;
        let variants = self.blocks().map(|(_, block)| {
            let (name, types) = (variant(block), block.params.iter().map(|var| self.var_type(*var)));
            match block.params.is_empty() {
                true => quote!(#name,),
                false => quote!(#name(#(#types),*),),
            }
        });
        let end = matches!(self.purpose, Purpose::Iterate).then(|| quote!(End,));
        quote! {
            #[doc = #doc]
            enum #step<'a, V: runtime::Value, C: runtime::Coord> { #(#variants)* #end }

            impl<V: runtime::Value, C: runtime::Coord> Clone for #step<'_, V, C> {
                #[inline(always)]
                fn clone(&self) -> Self {
                    *self
                }
            }

            impl<V: runtime::Value, C: runtime::Coord> Copy for #step<'_, V, C> {}
        }
    }

    /// The first state, given the handle.
    pub fn start(&self, handle: &TokenStream) -> TokenStream {
        let (step, block) = (&self.step, &self.machine.blocks[0]);
        let name = variant(block);
        match block.params.is_empty() {
            true => quote!(#step::#name),
            false => quote!(#step::#name(#handle)),
        }
    }

    /// The walk: an expression that diverges or is the result.
    pub fn walk(&self, handle: &TokenStream) -> TokenStream {
        if self.is_straight() {
            return self.straight_walk(handle);
        }
        let arms = self.blocks().map(|(at, block)| self.arm(at, block));
        let end_arm = matches!(self.purpose, Purpose::Iterate).then(|| {
            let step = &self.step;
            quote!(#step::End => return false,)
        });
        let init = self.init(handle);
        if self.stack_type().is_none() {
            return quote! {
                #init
                'walk: loop {
                    match step { #(#arms)* #end_arm }
                }
            };
        }
        let (stack, end) = (self.stack(), self.end());
        let next = match self.single_push() {
            Some(block) => {
                let (step, name) = (&self.step, variant(&self.machine.blocks[block.0]));
                quote!(#step::#name(next))
            }
            None => quote!(next),
        };
        quote! {
            #init
            'walk: loop {
                'visit: {
                    match step { #(#arms)* #end_arm }
                }
                match #stack.pop() {
                    Some(next) => step = #next,
                    None => { #end }
                }
            }
        }
    }

    /// The walk of a machine that is one block.
    fn straight_walk(&self, handle: &TokenStream) -> TokenStream {
        let block = &self.machine.blocks[0];
        let bind = block.params.first().map(|param| {
            let (ident, mutable) = (self.var(*param), self.mutable_token(*param));
            quote!(let #mutable #ident = #handle;)
        });
        let (last, rest) = block.body.split_last().expect("a block ends with a jump or a return");
        let body = if *last == Stmt::Return {
            let (rest, end) = (self.stmts(rest), self.end_value());
            quote!(#rest #end)
        } else {
            self.stmts(&block.body)
        };
        quote!(#bind #body)
    }

    /// The arm of a block.
    fn arm(&self, at: usize, block: &Block) -> TokenStream {
        self.block.set(at);
        let (step, name, body) = (&self.step, variant(block), self.stmts(&block.body));
        let params = block.params.iter().map(|var| {
            let (ident, mutable) = (self.var(*var), self.mutable_token(*var));
            quote!(#mutable #ident)
        });
        match block.params.is_empty() {
            true => quote!(#step::#name => { #body }),
            false => quote!(#step::#name(#(#params),*) => { #body }),
        }
    }

    /// What a walk begins with: its first step, its stack, and what keeps the nodes of a fork.
    fn init(&self, handle: &TokenStream) -> TokenStream {
        let forks = self.fork.is_some().then(|| quote!(let mut forks = runtime::Forks::<_, 32>::new();));
        if matches!(self.purpose, Purpose::Iterate) {
            return quote!(#forks let mut step = self.step;);
        }
        let start = self.start(handle);
        let stack = self.stack_type().map(|_| quote!(let mut stack = runtime::Stack::<_, 32>::new();));
        quote!(#forks #stack let mut step = #start;)
    }

    pub(super) fn stack(&self) -> TokenStream {
        match self.purpose {
            Purpose::Iterate => quote!(self.stack),
            _ => quote!(stack),
        }
    }

    pub(super) fn end_value(&self) -> TokenStream {
        match self.purpose {
            Purpose::Fold => quote!(folded),
            Purpose::TryFold => quote!(::std::ops::ControlFlow::Continue(folded)),
            Purpose::Iterate => quote!(false),
            Purpose::Count => quote!(len),
        }
    }

    pub(super) fn end(&self) -> TokenStream {
        let value = self.end_value();
        match self.purpose {
            Purpose::Iterate => {
                let step = &self.step;
                quote!(self.step = #step::End; self.current = runtime::Run::empty(); return #value;)
            }
            _ => quote!(return #value;),
        }
    }
}
