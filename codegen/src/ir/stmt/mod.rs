//! Statements.

mod block;
mod parallel;
mod reduce;
mod visit;

pub use self::block::{Block, Stmt};
pub use self::parallel::{Domain, Owned, Partition, Turn, Work};
pub use self::reduce::Reduce;
