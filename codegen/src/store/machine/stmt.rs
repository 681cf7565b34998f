//! Statements.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};

use super::emitter::{Emitter, Purpose, variant};
use crate::derive::ir::{Arm, Jump, Label, Stmt, Test, Value, VarId, VarKind, Yield, any};

impl Emitter<'_, '_> {
    pub(super) fn stmts(&self, stmts: &[Stmt]) -> TokenStream {
        stmts.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&self, stmt: &Stmt) -> TokenStream {
        match stmt {
            Stmt::Yield(run) => self.yield_run(run),
            Stmt::Suspend { run, resume } => self.suspend(run, resume),
            Stmt::Let { var, value } => {
                let (ident, mutable, value) = (self.var(*var), self.mutable_token(*var), self.value(value));
                quote!(let #mutable #ident = #value;)
            }
            Stmt::Set { var, value } => {
                let (ident, value) = (self.var(*var), self.value(value));
                quote!(#ident = #value;)
            }
            Stmt::Next(var) => {
                let ident = self.var(*var);
                quote!(#ident += 1;)
            }
            Stmt::If { test, then, otherwise } => self.branch(test, then, otherwise),
            Stmt::Match { node, arms } => self.match_kind(*node, arms),
            Stmt::For { slot, arrays, body } => {
                let (slot, length, body) = (self.var(*slot), self.length(arrays), self.stmts(body));
                quote!(for #slot in 0..#length { #body })
            }
            Stmt::Loop { label, body } => self.loop_stmt(*label, body),
            Stmt::Again(label) => {
                let lifetime = lifetime(*label);
                quote!(continue #lifetime;)
            }
            Stmt::Goto(jump) => {
                let jump = self.jump(jump);
                quote!(step = #jump; continue 'walk;)
            }
            Stmt::Push(jump) => self.push(jump),
            Stmt::Return if self.stack_type().is_none() => self.end(),
            Stmt::Return => quote!(break 'visit;),
            Stmt::Call { .. } => unreachable!("a machine does not call"),
        }
    }

    /// Hands out a run, or each run of an array with gaps, and continues with the next statement.
    fn yield_run(&self, run: &Yield) -> TokenStream {
        let counts = matches!(self.purpose, Purpose::Count);
        let spelt = self.comment_on(run.place());
        match run {
            Yield::Slots(place) if counts => {
                let slots = self.elements(place);
                quote!(#spelt len += #slots.len() - #slots.gaps();)
            }
            Yield::Slots(place) => {
                let (slots, hand_out) = (self.elements(place), self.hand_out(&quote!(run)));
                quote! {
                    #spelt
                    let (slots, mut from) = (#slots, 0);
                    while let Some((run, next)) = slots.next_run(from) {
                        #hand_out
                        from = next;
                    }
                }
            }
            run if self.is_coded(run.place()) && !counts => {
                let elements = self.elements(run.place());
                let (fold, visit, end) = match self.purpose {
                    Purpose::Fold => (quote!(fold_runs), quote!(visit), quote!()),
                    Purpose::TryFold => (quote!(try_fold_runs), quote!(&mut visit), quote!(?)),
                    Purpose::Iterate | Purpose::Count => {
                        unreachable!("an iterator suspends, and counting reads nothing")
                    }
                };
                quote! {
                    #spelt
                    folded = runtime::Fiber::#fold(#elements, folded, #visit) #end;
                }
            }
            run => {
                let hand_out = self.hand_out(&self.run(run));
                quote!(#spelt #hand_out)
            }
        }
    }

    /// Stops at a run. The next call of the iterator continues in the block `resume`.
    fn suspend(&self, run: &Yield, resume: &Jump) -> TokenStream {
        let (spelt, resume) = (self.comment_on(run.place()), self.jump(resume));
        if self.is_coded(run.place()) {
            let elements = self.elements(run.place());
            return quote! {
                #spelt
                self.current = runtime::Run::empty();
                self.blocks.restart(#elements);
                self.step = #resume;
                return runtime::Runs::advance(&mut self.blocks);
            };
        }
        let run = self.run(run);
        quote! {
            #spelt
            self.current = #run;
            self.step = #resume;
            return true;
        }
    }

    fn branch(&self, test: &Test, then: &[Stmt], otherwise: &[Stmt]) -> TokenStream {
        let (then, otherwise) = (self.stmts(then), (!otherwise.is_empty()).then(|| self.stmts(otherwise)));
        let otherwise = otherwise.map(|otherwise| quote!(else { #otherwise }));
        match test {
            Test::Some { value, bound } => {
                let (bound, mutable) = (self.var(*bound), self.mutable_token(*bound));
                let (spelt, value) = match value {
                    Value::Child(place) => (self.comment_on(place), self.child(place)),
                    value => {
                        let value = self.value(value);
                        (quote!(), quote!(Some(#value)))
                    }
                };
                quote!(#spelt if let Some(#mutable #bound) = #value { #then } #otherwise)
            }
            Test::Within { slot, arrays } => {
                let (slot, length) = (self.var(*slot), self.length(arrays));
                quote!(if #slot < #length { #then } #otherwise)
            }
            Test::Present(run) => {
                let run = self.run(run);
                quote!(if !#run.is_empty() { #then } #otherwise)
            }
            Test::Stretch { array, from, lo, hi } => {
                let (slots, from) = (self.elements(array), self.var(*from));
                let run = format_ident!("run_{}", self.machine.vars.get(*lo).name);
                let (hi, mutable) = (self.var(*hi), self.mutable_token(*hi));
                quote!(if let Some((#run, #mutable #hi)) = #slots.next_run(#from) { #then } #otherwise)
            }
        }
    }

    /// A `match` on the subtype of a node.
    fn match_kind(&self, node: VarId, arms: &[Arm]) -> TokenStream {
        let (target, var) = match self.machine.vars.get(node).kind {
            VarKind::Node(target) => (self.plan.target(target), self.var(node)),
            VarKind::Slot => unreachable!("a position has no subtypes"),
        };
        let kind = format_ident!("{}Kind", target);
        let arms = arms.iter().map(|arm| {
            let (variant, body) = (&self.plan.node(arm.node).ty, self.stmts(&arm.body));
            let (ident, mutable) = (self.var(arm.var), self.mutable_token(arm.var));
            quote!(nodes::#kind::#variant(#mutable #ident) => { #body })
        });
        quote!(match nodes::#target::kind(#var) { #(#arms)* })
    }

    fn loop_stmt(&self, label: Label, body: &[Stmt]) -> TokenStream {
        if self.fork.as_ref().is_some_and(|fork| fork.label == label) {
            return self.forking();
        }
        if let Some(descent) = self.descent(label, body) {
            return descent;
        }
        let lifetime = lifetime(label);
        let again = any(body, &mut |stmt| *stmt == Stmt::Again(label));
        let leave = (!diverges(body)).then(|| quote!(break;));
        let body = self.stmts(body);
        match again {
            true => quote!(#lifetime: loop { #body #leave }),
            false => quote!({ #body }),
        }
    }

    fn hand_out(&self, run: &TokenStream) -> TokenStream {
        match self.purpose {
            Purpose::Fold => quote!(folded = visit(folded, #run);),
            Purpose::TryFold => quote!(folded = visit(folded, #run)?;),
            Purpose::Count => quote!(len += #run.len();),
            Purpose::Iterate => unreachable!("an iterator suspends"),
        }
    }

    /// A loop that goes down a link as long as there is one, and then on: a `while let` and what follows it.
    fn descent(&self, label: Label, body: &[Stmt]) -> Option<TokenStream> {
        let [Stmt::If { test: Test::Some { value: Value::Child(place), bound }, then, otherwise }, rest @ ..] = body
        else {
            return None;
        };
        let (again, then) = then.split_last()?;
        let repeats = |stmts: &[Stmt]| any(stmts, &mut |stmt| *stmt == Stmt::Again(label));
        if *again != Stmt::Again(label) || !otherwise.is_empty() || repeats(then) || repeats(rest) {
            return None;
        }
        let (spelt, child) = (self.comment_on(place), self.child(place));
        let (bound, mutable) = (self.var(*bound), self.mutable_token(*bound));
        let (then, rest) = (self.stmts(then), self.stmts(rest));
        Some(quote!(#spelt while let Some(#mutable #bound) = #child { #then } #rest))
    }

    fn jump(&self, jump: &Jump) -> TokenStream {
        let (step, name) = (&self.step, variant(&self.machine.blocks[jump.block.0]));
        let arguments = jump.arguments.iter().map(|value| self.value(value));
        match jump.arguments.is_empty() {
            true => quote!(#step::#name),
            false => quote!(#step::#name(#(#arguments),*)),
        }
    }

    fn push(&self, jump: &Jump) -> TokenStream {
        let stack = self.stack();
        if let Some((jump, to)) = self.leads_to(jump) {
            let block = &self.machine.blocks[jump.block.0];
            let Stmt::If { test: Test::Some { value: Value::Child(place), bound }, .. } = &block.body[0] else {
                unreachable!("checked by `leads_to`")
            };
            let node = self.node_of(place);
            let child = &node.children[node.child_index(place.field).expect("a child")];
            let (ty, ident, from) = (&node.ty, &child.ident, self.value(&jump.arguments[0]));
            let bound = self.var(*bound);
            let entry = match self.single_push() {
                Some(_) => quote!(#bound),
                None => {
                    let (step, name) = (&self.step, variant(&self.machine.blocks[to.0]));
                    quote!(#step::#name(#bound))
                }
            };
            return quote!(if let Some(#bound) = nodes::#ty::#ident(#from) { #stack.push(#entry); });
        }
        let entry = match self.single_push() {
            Some(_) => self.value(&jump.arguments[0]),
            None => self.jump(jump),
        };
        quote!(#stack.push(#entry);)
    }
}

/// The label of a loop.
fn lifetime(label: Label) -> syn::Lifetime {
    syn::Lifetime::new(&format!("'l{}", label.0), Span::call_site())
}

/// Whether control never reaches the end of these statements.
fn diverges(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match stmt {
        Stmt::Again(_) | Stmt::Goto(_) | Stmt::Return | Stmt::Suspend { .. } => true,
        Stmt::If { then, otherwise, .. } => diverges(then) && diverges(otherwise),
        Stmt::Match { arms, .. } => arms.iter().all(|arm| diverges(&arm.body)),
        Stmt::Loop { body, .. } => diverges(body),
        _ => false,
    })
}
