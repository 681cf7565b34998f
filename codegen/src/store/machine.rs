//! From a derived machine (blocks, jumps, one stack) to Rust: a loop over a `match` of blocks.

use std::cell::Cell;
use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::names::field_ident;
use super::plan::{NodePlan, Place as Term, Plan, Shape};
use super::tail::{is_nonempty, run_ident};
use super::text::comment;
use crate::derive::ir::{
    Block, BlockId, Jump, Label, Machine, Place, Stmt, Test, Value, VarId, VarKind, Yield, any, field, visit,
};
use crate::schema::model::{FieldKind, Target, type_name};

/// What a traversal does with a run, and at its end.
pub enum Purpose {
    /// Folds over all runs, with a function that several tasks share.
    Fold,
    /// Folds until the function breaks.
    TryFold,
    /// Stops at each run.
    Iterate,
    /// Adds up the lengths of all runs, none of which needs to be read for it.
    Count,
}

/// A machine on its way to Rust.
pub struct Emitter<'p, 'm> {
    plan: &'p Plan<'m>,
    machine: &'p Machine<'p>,
    purpose: Purpose,
    /// The enum of blocks.
    step: Ident,
    /// Variables that each block assigns.
    mutable: Vec<HashSet<VarId>>,
    /// The block that is being written.
    block: Cell<usize>,
    pushed: Vec<BlockId>,
    fork: Option<Fork>,
    /// The blocks that are ever gone on in.
    reached: Vec<bool>,
}

/// A loop over the nodes of a binary tree whose body visits a node and then its children. What is still to be visited is kept by
/// a `runtime::Forks`, and nothing on the stack.
struct Fork {
    block: BlockId,
    label: Label,
    /// The variable that holds the node.
    node: VarId,
    first: Place,
    second: Place,
}

impl<'p, 'm> Emitter<'p, 'm> {
    /// An emitter whose enum of blocks is called `step`.
    pub fn new(plan: &'p Plan<'m>, machine: &'p Machine<'p>, purpose: Purpose, step: &str) -> Self {
        let assigned = |block: &Block| {
            let mut vars = HashSet::new();
            visit(&block.body, &mut |stmt| match stmt {
                Stmt::Set { var, .. } | Stmt::Next(var) => {
                    vars.insert(*var);
                }
                _ => {}
            });
            vars
        };
        let mutable = machine.blocks.iter().map(assigned).collect();
        let mut emitter = Emitter {
            plan,
            machine,
            purpose,
            step: format_ident!("{step}"),
            mutable,
            block: Cell::new(0),
            pushed: Vec::new(),
            fork: None,
            reached: Vec::new(),
        };
        if matches!(emitter.purpose, Purpose::TryFold) {
            emitter.fork = (0..machine.blocks.len()).find_map(|at| emitter.find_fork(BlockId(at)));
        }
        (emitter.reached, emitter.pushed) = emitter.reach();
        if emitter.fork.is_some() && !emitter.pushed.is_empty() {
            emitter.fork = None;
            (emitter.reached, emitter.pushed) = emitter.reach();
        }
        emitter
    }

    /// Which blocks are gone on in, and which of them wait on the stack.
    fn reach(&self) -> (Vec<bool>, Vec<BlockId>) {
        let (mut reached, mut pushed) = (vec![false; self.machine.blocks.len()], Vec::new());
        let mut open = vec![BlockId(0)];
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut reached[at.0], true) {
                continue;
            }
            let body = match &self.fork {
                Some(fork) if fork.block == at => self.before_fork(fork),
                _ => &self.machine.blocks[at.0].body,
            };
            visit(body, &mut |stmt| match stmt {
                Stmt::Push(jump) => {
                    let to = self.leads_to(jump).map_or(jump.block, |(_, to)| to);
                    pushed.push(to);
                    open.push(to);
                }
                Stmt::Goto(jump) | Stmt::Suspend { resume: jump, .. } => open.push(jump.block),
                _ => {}
            });
        }
        pushed.sort_unstable();
        pushed.dedup();
        (reached, pushed)
    }

    /// The blocks that are ever gone on in, with their numbers.
    fn blocks(&self) -> impl Iterator<Item = (usize, &'p Block)> {
        let machine = self.machine;
        machine.blocks.iter().enumerate().filter(|(at, _)| self.reached[*at])
    }

    /// Whether a block is a loop that ends by going on in the first child, with the second one put on the stack, or in the second
    /// one if there is no first.
    fn find_fork(&self, id: BlockId) -> Option<Fork> {
        let block = &self.machine.blocks[id.0];
        let ([node], [Stmt::Loop { label, body }]) = (&block.params[..], &block.body[..]) else { return None };
        let [
            ..,
            Stmt::If { test: Test::Some { value: Value::Child(first), bound }, then, otherwise },
            Stmt::Goto(second),
        ] = &body[..]
        else {
            return None;
        };
        let [Stmt::Push(waits), Stmt::Set { var, value }, Stmt::Again(again)] = &then[..] else { return None };
        let (_, to) = self.leads_to(waits)?;
        let Stmt::If { test: Test::Some { value: Value::Child(other), .. }, .. } =
            &self.machine.blocks[waits.block.0].body[0]
        else {
            return None;
        };
        let alike = waits == second
            && waits.arguments == [Value::Var(*node)]
            && (var, value) == (node, &Value::Var(*bound))
            && (first.node, first.slot) == (*node, None)
            && (again, to) == (label, id)
            && otherwise.is_empty();
        let second = Place { node: *node, ..*other };
        // A chunk is worth more than a wrong guess, and its loop wants the registers.
        let single = alike && self.node_of(first).elems.iter().all(|elem| matches!(elem.shape, Shape::One { .. }));
        single.then_some(Fork { block: id, label: *label, node: *node, first: *first, second })
    }

    /// What a loop that ends in a fork does before.
    fn before_fork(&self, fork: &Fork) -> &'p [Stmt] {
        match &self.machine.blocks[fork.block.0].body[..] {
            [Stmt::Loop { body, .. }] => &body[..body.len() - 2],
            _ => unreachable!("checked by `find_fork`"),
        }
    }

    /// Whether the machine is one block that never waits on the stack: it needs no enum.
    fn is_straight(&self) -> bool {
        self.blocks().count() == 1 && self.pushed.is_empty() && !matches!(self.purpose, Purpose::Iterate)
    }

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

    /// The type of a stack's entries, if a stack is needed.
    pub fn stack_type(&self) -> Option<TokenStream> {
        let step = &self.step;
        match self.pushed[..] {
            [] => None,
            [only] if self.machine.blocks[only.0].params.len() == 1 => {
                Some(self.var_type(self.machine.blocks[only.0].params[0]))
            }
            _ => Some(quote!(#step<'a, V, C>)),
        }
    }

    fn single_push(&self) -> Option<BlockId> {
        match self.pushed[..] {
            [only] if self.machine.blocks[only.0].params.len() == 1 => Some(only),
            _ => None,
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
            let block = &self.machine.blocks[0];
            let bind = block.params.first().map(|param| {
                let (ident, mutable) = (self.var(*param), self.mutable_token(*param));
                quote!(let #mutable #ident = #handle;)
            });
            let (last, rest) = block.body.split_last().expect("a block ends by going on elsewhere");
            let body = if *last == Stmt::Return {
                let (rest, end) = (self.stmts(rest), self.end_value());
                quote!(#rest #end)
            } else {
                self.stmts(&block.body)
            };
            return quote!(#bind #body);
        }
        let arms = self.blocks().map(|(at, block)| {
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
        });
        let end_arm = matches!(self.purpose, Purpose::Iterate).then(|| {
            let step = &self.step;
            quote!(#step::End => return false,)
        });
        let init = match self.purpose {
            Purpose::Iterate => quote!(let mut step = self.step;),
            _ => {
                let start = self.start(handle);
                match self.stack_type() {
                    Some(_) => {
                        quote!(let mut stack = runtime::Stack::<_, 32>::new(); let mut step = #start;)
                    }
                    None => quote!(let mut step = #start;),
                }
            }
        };
        let forks = self.fork.is_some().then(|| quote!(let mut forks = runtime::Forks::<_, 32>::new();));
        let init = quote!(#forks #init);
        if self.stack_type().is_none() {
            return quote! {
                #init
                'walk: loop {
                    match step { #(#arms)* #end_arm }
                }
            };
        }
        let stack = self.stack();
        let next = match self.single_push() {
            Some(block) => {
                let (step, name) = (&self.step, variant(&self.machine.blocks[block.0]));
                quote!(#step::#name(next))
            }
            None => quote!(next),
        };
        let end = self.end();
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

    fn stack(&self) -> TokenStream {
        match self.purpose {
            Purpose::Iterate => quote!(self.stack),
            _ => quote!(stack),
        }
    }

    fn end_value(&self) -> TokenStream {
        match self.purpose {
            Purpose::Fold => quote!(folded),
            Purpose::TryFold => quote!(::std::ops::ControlFlow::Continue(folded)),
            Purpose::Iterate => quote!(false),
            Purpose::Count => quote!(len),
        }
    }

    fn end(&self) -> TokenStream {
        let value = self.end_value();
        match self.purpose {
            Purpose::Iterate => {
                let step = &self.step;
                quote!(self.step = #step::End; self.current = runtime::Run::empty(); return #value;)
            }
            _ => quote!(return #value;),
        }
    }

    fn var(&self, id: VarId) -> Ident {
        let name = &self.machine.vars.get(id).name;
        match name.as_str() {
            "folded" | "len" | "visit" | "stack" | "forks" | "step" | "next" | "runtime" | "nodes" => {
                format_ident!("{name}_")
            }
            _ => field_ident(name),
        }
    }

    fn mutable_token(&self, id: VarId) -> Option<TokenStream> {
        self.mutable[self.block.get()].contains(&id).then(|| quote!(mut))
    }

    fn var_type(&self, id: VarId) -> TokenStream {
        match self.machine.vars.get(id).kind {
            VarKind::Slot => quote!(usize),
            VarKind::Node(target) => {
                let target = self.plan.target(target);
                quote!(runtime::NodeRef<'a, nodes::#target<V, C>>)
            }
        }
    }

    fn node_of(&self, place: &Place) -> &'p NodePlan<'m> {
        match self.machine.vars.get(place.node).kind {
            VarKind::Node(Target::Node(id)) => self.plan.node(id),
            kind => unreachable!("{kind:?} has no fields"),
        }
    }

    /// A child that may be missing, as an `Option`.
    fn child(&self, place: &Place) -> TokenStream {
        let node = self.node_of(place);
        let child = &node.children[node.child_index(place.field).expect("a child")];
        let (ty, ident, var) = (&node.ty, &child.ident, self.var(place.node));
        match place.slot {
            None => quote!(nodes::#ty::#ident(#var)),
            Some(slot) => {
                let slot = self.var(slot);
                quote!(runtime::follow(&nodes::#ty::#ident(#var)[#slot]))
            }
        }
    }

    fn value(&self, value: &Value) -> TokenStream {
        match value {
            Value::Var(var) => {
                let var = self.var(*var);
                quote!(#var)
            }
            Value::Zero => quote!(0),
            Value::Child(place) => {
                let child = self.child(place);
                let message = format!("`{}` is nonempty", field(self.machine.model, &self.machine.vars, place).name);
                quote!(#child.expect(#message))
            }
        }
    }

    /// What a field of elements is read by: a run, or slots where there may be gaps.
    fn elements(&self, place: &Place) -> TokenStream {
        let node = self.node_of(place);
        let elem = node.elem_index(place.field).expect("an element");
        let (ty, ident, var) = (&node.ty, run_ident(node, elem), self.var(place.node));
        quote!(nodes::#ty::#ident(#var))
    }

    /// Whether a place has to be decoded: a fiber of its own rather than a run.
    fn is_coded(&self, place: &Place) -> bool {
        let node = self.node_of(place);
        node.elem_index(place.field).is_some_and(|elem| node.elems[elem].is_coded())
    }

    fn has_gaps(&self, place: &Place) -> bool {
        let node = self.node_of(place);
        let elem = &node.elems[node.elem_index(place.field).expect("an element")];
        !is_nonempty(elem) && !matches!(elem.shape, Shape::Array { used: Some(_), .. })
    }

    /// A yield as a run, which is empty if there is nothing to hand out.
    fn run(&self, run: &Yield) -> TokenStream {
        match run {
            Yield::Run(place) => self.elements(place),
            Yield::One(place) => {
                let elements = self.elements(place);
                match (self.has_gaps(place), place.slot) {
                    (false, None) => elements,
                    (false, Some(slot)) => {
                        let slot = self.var(slot);
                        quote!(#elements.part(#slot..#slot + 1))
                    }
                    (true, None) => quote!(#elements.first_run()),
                    (true, Some(slot)) => {
                        let slot = self.var(slot);
                        quote!(#elements.slot(#slot).first_run())
                    }
                }
            }
            Yield::Stretch { lo, .. } => {
                let run = format_ident!("run_{}", self.machine.vars.get(*lo).name);
                quote!(#run)
            }
            Yield::Slots(_) => unreachable!("stretches are handed out one by one"),
        }
    }

    /// Some used slot of these arrays has this number.
    fn length(&self, arrays: &[Place]) -> TokenStream {
        let lengths: Vec<TokenStream> = arrays
            .iter()
            .map(|place| {
                let node = self.node_of(place);
                let var = self.var(place.node);
                match node.child_index(place.field) {
                    Some(child) => {
                        let (ty, ident) = (&node.ty, &node.children[child].ident);
                        quote!(nodes::#ty::#ident(#var).len())
                    }
                    None => {
                        let elements = self.elements(place);
                        quote!(#elements.len())
                    }
                }
            })
            .collect();
        let (first, rest) = lengths.split_first().expect("at least one array");
        quote!(#first #(.max(#rest))*)
    }

    /// The term of the sequence that a place is part of, as a comment.
    fn comment_on(&self, place: &Place) -> TokenStream {
        let node = self.node_of(place);
        let spelt = node.terms.iter().find_map(|term| {
            let found = match term {
                Term::Elem(elem) => node.elems[*elem].field == place.field,
                Term::Child(child) => node.children[*child].field == place.field,
                Term::Interleaved(_) => false,
            };
            found.then(|| node.spell(term))
        });
        match spelt {
            Some(spelt) => comment(spelt),
            None => {
                let slot = place.slot.map(|slot| format!("[{}]", self.machine.vars.get(slot).name)).unwrap_or_default();
                comment(format!("{}{slot}", node.node.field(place.field).name))
            }
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

    /// A push of a block that does nothing but follow a link, or return if there is none: the link is read right away, so that nothing
    /// useless is pushed on the stack and the node need not be read again.
    fn leads_to<'s>(&self, jump: &'s Jump) -> Option<(&'s Jump, BlockId)> {
        let block = &self.machine.blocks[jump.block.0];
        let [Stmt::If { test: Test::Some { value: Value::Child(place), bound }, then, otherwise }, Stmt::Return] =
            &block.body[..]
        else {
            return None;
        };
        let [Stmt::Goto(on)] = &then[..] else { return None };
        let simple = otherwise.is_empty()
            && block.params.len() == 1
            && block.params[0] == place.node
            && place.slot.is_none()
            && on.arguments == [Value::Var(*bound)];
        simple.then_some((jump, on.block))
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

    /// The loop that ends in a fork.
    fn forking(&self) -> TokenStream {
        let Some(fork) = &self.fork else { return quote!() };
        let spelt = [fork.first, fork.second].map(|place| self.node_of(&place).node.field(place.field).name.as_str());
        let (spelt, end) = (comment(spelt.join(", ")), self.end());
        let (first, second) = (self.child(&fork.first), self.child(&fork.second));
        let (node, before) = (self.var(fork.node), self.stmts(self.before_fork(fork)));
        quote! {
            loop {
                #node.prefetch_behind();
                #before
                #spelt
                match forks.next(#first, #second) {
                    Some(next) => #node = #node.go_on(next),
                    None => break,
                }
            }
            if forks.is_done() {
                #end
            }
            return forks.rest(#node, folded, |#node| [#first, #second], move |mut folded, #node| {
                #before
                ::std::ops::ControlFlow::Continue(folded)
            });
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

    fn stmts(&self, stmts: &[Stmt]) -> TokenStream {
        stmts.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&self, stmt: &Stmt) -> TokenStream {
        match stmt {
            Stmt::Yield(Yield::Slots(place)) if matches!(self.purpose, Purpose::Count) => {
                let (spelt, slots) = (self.comment_on(place), self.elements(place));
                quote!(#spelt len += #slots.len() - #slots.gaps();)
            }
            Stmt::Yield(Yield::Slots(place)) => {
                let (spelt, slots) = (self.comment_on(place), self.elements(place));
                let hand_out = self.hand_out(&quote!(run));
                quote! {
                    #spelt
                    let (slots, mut from) = (#slots, 0);
                    while let Some((run, next)) = slots.next_run(from) {
                        #hand_out
                        from = next;
                    }
                }
            }
            Stmt::Yield(run) if self.is_coded(run.place()) && !matches!(self.purpose, Purpose::Count) => {
                let (spelt, elements) = (self.comment_on(run.place()), self.elements(run.place()));
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
            Stmt::Yield(run) => {
                let (spelt, hand_out) = (self.comment_on(run.place()), self.hand_out(&self.run(run)));
                quote!(#spelt #hand_out)
            }
            Stmt::Suspend { run, resume } if self.is_coded(run.place()) => {
                let (spelt, elements) = (self.comment_on(run.place()), self.elements(run.place()));
                let resume = self.jump(resume);
                quote! {
                    #spelt
                    self.current = runtime::Run::empty();
                    self.blocks.restart(#elements);
                    self.step = #resume;
                    return runtime::Runs::advance(&mut self.blocks);
                }
            }
            Stmt::Suspend { run, resume } => {
                let (spelt, run, resume) = (self.comment_on(run.place()), self.run(run), self.jump(resume));
                quote! {
                    #spelt
                    self.current = #run;
                    self.step = #resume;
                    return true;
                }
            }
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
            Stmt::If { test, then, otherwise } => {
                let (then, otherwise) = (self.stmts(then), (!otherwise.is_empty()).then(|| self.stmts(otherwise)));
                let otherwise = otherwise.map(|otherwise| quote!(else { #otherwise }));
                match test {
                    Test::Some { value, bound } => {
                        let (bound_ident, mutable) = (self.var(*bound), self.mutable_token(*bound));
                        let (spelt, value) = match value {
                            Value::Child(place) => (self.comment_on(place), self.child(place)),
                            value => {
                                let value = self.value(value);
                                (quote!(), quote!(Some(#value)))
                            }
                        };
                        quote!(#spelt if let Some(#mutable #bound_ident) = #value { #then } #otherwise)
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
            Stmt::Match { node, arms } => {
                let (target, var) = match self.machine.vars.get(*node).kind {
                    VarKind::Node(target) => (self.plan.target(target), self.var(*node)),
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
            Stmt::For { slot, arrays, body } => {
                let (slot, length, body) = (self.var(*slot), self.length(arrays), self.stmts(body));
                quote!(for #slot in 0..#length { #body })
            }
            Stmt::Loop { label, .. } if self.fork.as_ref().is_some_and(|fork| fork.label == *label) => self.forking(),
            Stmt::Loop { label, body } => {
                if let Some(descent) = self.descent(*label, body) {
                    return descent;
                }
                let lifetime = syn::Lifetime::new(&format!("'l{}", label.0), proc_macro2::Span::call_site());
                let again = any(body, &mut |stmt| *stmt == Stmt::Again(*label));
                let leave = (!diverges(body)).then(|| quote!(break;));
                let body = self.stmts(body);
                match again {
                    true => quote!(#lifetime: loop { #body #leave }),
                    false => quote!({ #body }),
                }
            }
            Stmt::Again(label) => {
                let lifetime = syn::Lifetime::new(&format!("'l{}", label.0), proc_macro2::Span::call_site());
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

fn variant(block: &Block) -> Ident {
    format_ident!("{}", type_name(&block.name))
}

/// The model that traversals are derived from: an element that leads an array comes with it, and slots in use have no gaps.
pub fn lowered(plan: &Plan<'_>) -> crate::schema::model::Model {
    let mut model = plan.model.clone();
    for (node, laid) in model.nodes.iter_mut().zip(&plan.nodes) {
        for elem in &laid.elems {
            match elem.shape {
                Shape::Lead { .. } => {
                    node.sequence.retain(|term| *term != crate::schema::model::Term::One(elem.field));
                }
                Shape::Array { used: Some(_), .. } => {
                    if let FieldKind::Elem { slots, .. } = &mut node.fields[elem.field.0].kind {
                        slots.nonempty = true;
                    }
                }
                _ => {}
            }
        }
    }
    model
}
