//! How a store is traversed, derived by rewriting its schema step by step.
//!
//! ```text
//! Model ─ coroutine ─► tail ─► inline ─► loops ─► step
//!         what `seq`   null    calls of  an       stops at
//!         spells out   checks, other     explicit each run,
//!                      tail    types     stack    goes on
//!                      calls
//! ```
//!
//! This is the paper's §4.3 (Figure 11), one file a stage, each stage a transformation of the one before that works on
//! any checked schema and prints in the same small language:
//!
//! ```text
//! runs(ctree n):
//!     loop:
//!         if n.l: runs(n.l)
//!         yield n.h
//!         yield {n.t}
//!         if n.r: n := n.r, again
//! ```
//!
//! Map functions are emitted from [`Stages::loops`], resumable iterators from [`Stages::step`].

mod blocks;
mod coroutine;
#[doc(hidden)]
pub mod finish;
mod inline;
pub mod ir;
mod live;
mod loops;
mod names;
mod print;
mod step;
mod tail;

use crate::schema::model::Model;
use ir::{Machine, Program, Stmt, VarId};

pub use coroutine::coroutine;
pub use inline::inline;
pub use loops::loops;
pub use step::step;
pub use tail::tail;

/// In which order a traversal visits what a node holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// As the `seq` says: coordinates ascend if the store is ordered.
    Coordinate,
    /// A node's own elements first, then its children: each node is touched once while it is in the cache.
    Storage,
}

/// The stages of a traversal's derivation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stages<'m> {
    /// A coroutine for each type of nodes, as the `seq` spells it out.
    pub coroutine: Program<'m>,
    /// With null checks at the callers and loops for tail calls.
    pub tail: Program<'m>,
    /// With calls inlined, except for those that recursion must pass through.
    pub inlined: Program<'m>,
    /// Without recursion: blocks and a stack.
    pub loops: Machine<'m>,
    /// Cut into steps that stop at each run.
    pub step: Machine<'m>,
}

impl Stages<'_> {
    /// What the stages are called, first to last.
    pub const NAMES: [&'static str; 5] = ["coroutine", "tail", "inlined", "loop", "step"];

    /// The stage of that name, as it prints.
    pub fn stage(&self, name: &str) -> Option<&dyn std::fmt::Display> {
        match name {
            "coroutine" => Some(&self.coroutine),
            "tail" => Some(&self.tail),
            "inlined" => Some(&self.inlined),
            "loop" => Some(&self.loops),
            "step" => Some(&self.step),
            _ => None,
        }
    }
}

/// Derives the traversal of `model` in `order`.
///
/// Takes time about linear in the size of the schema, and bounded memory for every schema that passes the checks.
pub fn stages(model: &Model, order: Order) -> Stages<'_> {
    let coroutine = coroutine(model, order);
    let tail = tail(&coroutine);
    let inlined = inline(&tail);
    let loops = loops(&inlined);
    let step = step(&loops);
    Stages { coroutine, tail, inlined, loops, step }
}

/// Replaces every variable in some statements.
fn rename(body: &mut [Stmt], f: &mut impl FnMut(VarId) -> VarId) {
    for stmt in body {
        for var in ir::vars_mut(stmt) {
            *var = f(*var);
        }
        for body in ir::bodies_mut(stmt) {
            rename(body, f);
        }
    }
}
