//! From a derived machine (blocks, jumps, one stack) to Rust: a loop over a `match` of blocks.

mod emitter;
mod fork;
mod lowered;
mod operand;
mod stmt;
mod walk;

pub use self::emitter::{Emitter, Purpose};
pub use self::lowered::lowered;
