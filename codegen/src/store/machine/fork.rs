//! Loops over binary trees that fork: a node, then both of its children.

use proc_macro2::TokenStream;
use quote::quote;

use super::emitter::{Emitter, Fork};
use crate::derive::ir::Place;
use crate::derive::ir::{BlockId, Stmt, Test, Value};
use crate::store::plan::Shape;
use crate::store::text::comment;

impl<'p> Emitter<'p, '_> {
    /// The fork of a block that is a loop over the nodes of a binary tree. The body ends with a jump to the first child, which puts the
    /// second one on the stack, or with a jump to the second child if there is no first.
    pub(super) fn find_fork(&self, id: BlockId) -> Option<Fork> {
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
    pub(super) fn before_fork(&self, fork: &Fork) -> &'p [Stmt] {
        match &self.machine.blocks[fork.block.0].body[..] {
            [Stmt::Loop { body, .. }] => &body[..body.len() - 2],
            _ => unreachable!("checked by `find_fork`"),
        }
    }

    /// The loop that ends in a fork.
    pub(super) fn forking(&self) -> TokenStream {
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
}
