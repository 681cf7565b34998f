//! A machine on its way to Rust: which of its blocks are reached, and which wait on the stack.

use std::cell::Cell;
use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::derive::ir::{Block, BlockId, Jump, Label, Machine, Place, Stmt, Test, Value, VarId, visit};
use crate::schema::model::type_name;
use crate::store::plan::Plan;

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
    pub(super) plan: &'p Plan<'m>,
    pub(super) machine: &'p Machine<'p>,
    pub(super) purpose: Purpose,
    /// The enum of blocks.
    pub(super) step: Ident,
    /// Variables that each block assigns.
    pub(super) mutable: Vec<HashSet<VarId>>,
    /// The block that is being written.
    pub(super) block: Cell<usize>,
    pub(super) pushed: Vec<BlockId>,
    pub(super) fork: Option<Fork>,
    /// For each block, whether control ever reaches it.
    pub(super) reached: Vec<bool>,
}

/// A loop over the nodes of a binary tree whose body visits a node and then its children. What is still to be visited is kept by
/// a `runtime::Forks`, and nothing on the stack.
pub(super) struct Fork {
    pub(super) block: BlockId,
    pub(super) label: Label,
    /// The variable that holds the node.
    pub(super) node: VarId,
    pub(super) first: Place,
    pub(super) second: Place,
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

    /// Which blocks control reaches, and which of them wait on the stack.
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

    /// The blocks that control reaches, with their numbers.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (usize, &'p Block)> {
        let machine = self.machine;
        machine.blocks.iter().enumerate().filter(|(at, _)| self.reached[*at])
    }

    /// Whether the machine is one block that never waits on the stack: it needs no enum.
    pub(super) fn is_straight(&self) -> bool {
        self.blocks().count() == 1 && self.pushed.is_empty() && !matches!(self.purpose, Purpose::Iterate)
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

    pub(super) fn single_push(&self) -> Option<BlockId> {
        match self.pushed[..] {
            [only] if self.machine.blocks[only.0].params.len() == 1 => Some(only),
            _ => None,
        }
    }

    /// A push of a block that does nothing but follow a link, or return if there is none: the link is read right away, so that nothing
    /// useless is pushed on the stack and the node need not be read again.
    pub(super) fn leads_to<'s>(&self, jump: &'s Jump) -> Option<(&'s Jump, BlockId)> {
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
}

/// The variant of the enum of blocks.
pub(super) fn variant(block: &Block) -> Ident {
    format_ident!("{}", type_name(&block.name))
}
