//! Statements.

mod block;
mod parallel;
mod reduce;
mod visit;
mod walk;

pub use self::block::{Block, Stmt};
pub use self::parallel::{Domain, Owned, Partition, Turn, Work};
pub use self::reduce::Reduce;
pub use self::walk::{Walked, steps_with};
