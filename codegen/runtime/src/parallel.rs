//! What parallel maps over linked stores share.

use std::ops::ControlFlow;
use std::sync::Mutex;

use rayon::prelude::*;

use crate::{Fiber, NodeRef};

/// Nonzeros below which a task is not worth its spawning.
pub const GRAIN: usize = 1 << 12;

/// How many levels of children a parallel map spawns tasks for.
pub const FORK_DEPTH: u32 = 10;

/// How many levels of [`FORK_DEPTH`] a node with an array of children uses up.
pub const WIDE_DEPTH: u32 = 5;

/// Does two things in parallel.
pub fn join<A: Send, B: Send>(left: impl FnOnce() -> A + Send, right: impl FnOnce() -> B + Send) -> (A, B) {
    rayon::join(left, right)
}

/// Folds over the slots of a node's arrays in parallel, and joins neighbouring slots' results.
pub fn par_slots<A: Send>(
    slots: usize,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(usize) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    (0..slots).into_par_iter().map(fold).reduce(identity, combine)
}

/// Whether a fiber has enough nonzeros to be worth more than one task. Looks at no more of it than it takes to know.
pub fn is_large<'a, F: Fiber<'a>>(fiber: F) -> bool {
    fiber
        .try_fold_runs(0, |seen, run| match seen + run.len() {
            seen if seen > GRAIN => ControlFlow::Break(()),
            seen => ControlFlow::Continue(seen),
        })
        .is_break()
}

/// Folds over a list in parallel: walks it, and spawns a task for each stretch of nodes that holds about [`GRAIN`] nonzeros.
///
/// `weigh` gives the number of nonzeros in a node, `next` the node after it, `fold` folds over so many nodes from the given one
/// on, and `combine` joins the results of neighbouring stretches.
pub fn par_list<'a, T, A>(
    mut node: Option<NodeRef<'a, T>>,
    weigh: impl Fn(NodeRef<'a, T>) -> usize,
    next: impl Fn(NodeRef<'a, T>) -> Option<NodeRef<'a, T>>,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, NodeRef<'a, T>, usize) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A
where
    T: Sync,
    A: Send,
{
    let parts: Mutex<Vec<(usize, A)>> = Mutex::new(Vec::new());
    rayon::in_place_scope(|scope| {
        let parts = &parts;
        let mut stretch = 0;
        while let Some(first) = node {
            let (mut nodes, mut nonzeros) = (0, 0);
            while let Some(at) = node
                && nonzeros < GRAIN
            {
                nonzeros += weigh(at);
                nodes += 1;
                node = next(at);
            }
            let index = stretch;
            scope.spawn(move |_| {
                let part = fold(identity(), first, nodes);
                parts.lock().unwrap_or_else(|poison| poison.into_inner()).push((index, part));
            });
            stretch += 1;
        }
    });
    let mut parts = parts.into_inner().unwrap_or_else(|poison| poison.into_inner());
    parts.sort_unstable_by_key(|&(index, _)| index);
    parts.into_iter().map(|(_, part)| part).reduce(combine).unwrap_or_else(identity)
}
