//! Node schemas: how a store keeps nonzeros in memory.
//!
//! A schema says which types of nodes a store is made of, which elements and which children they hold and in which
//! order these follow each other (*Dynamic Sparse Tensor Algebra Compilation*, §3.1):
//!
//! ```text
//! store ctree {
//!   def prefix { e : elem[N] nonempty  r : ctree  N : size  seq = {e}, r }
//!   def ctree  { h : elem nonempty  t : elem[N] nonempty inline  l : ctree  r : ctree  N : size  seq = l, h, {t}, r }
//! }
//! ```
//!
//! It becomes a [`model::Model`], which everything derived from it reads:
//!
//! ```text
//! text ─ lexer ─ parser ─► ast::Store ─ check ─► model::Model ─► crate::derive and the generated Rust
//!                              └─ print ─► text
//! ```
//!
//! # Words of ours
//!
//! Behind `elem` or a child's type, in any order, each at most once:
//!
//! * `nonempty` – no slot is ever empty (as in the paper).
//! * `delta` – the coordinates of the array are stored as differences in packed bits, as many as the largest of eight gaps needs.
//! * `inline` – the array lies right behind the node's header, in the same allocation and no longer than it must be.
//! * `coord uint16` (`uint32`, `uint64`) – the integer type of coordinates. All elements of a store have coordinates
//!   of one width, so saying it once is enough; where no field says it, the user of the store chooses.
//!
//! As types: `count` – the number of this level's entries reachable from the node; `count deep` – of leaf nonzeros.
//!
//! A `size` that no array has as its size, but whose greatest value is the constant size of one, says how far that
//! array is used: its slots from there on are empty.

pub mod ast;
mod check;
mod graph;
mod lexer;
pub mod model;
mod parser;
mod print;
mod show;

pub use check::{check, check_with};
pub use parser::{parse, parse_part};
pub use print::print;

use crate::diagnostic::Diagnostics;

/// The most mistakes reported in one run: a file that is no schema at all makes one at every word.
const MOST_MISTAKES: usize = 50;

/// `value` if there are no mistakes; otherwise the first ones.
fn tell<T>(mistakes: Diagnostics, value: T) -> Result<T, Diagnostics> {
    mistakes.into_result(value).map_err(|mistakes| match mistakes.len() > MOST_MISTAKES {
        true => Diagnostics::from(mistakes.into_iter().take(MOST_MISTAKES).collect::<Vec<_>>()),
        false => mistakes,
    })
}
