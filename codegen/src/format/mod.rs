//! Formats: how a tensor is composed of levels, and which coordinate each level keeps.
//!
//! ```text
//! format csr(i, j)        = i: dense, j: compressed
//! format bcsr<M, N>(i, j) = (i / M): dense, (j / N): compressed, (i % M): dense, (j % N): dense
//! format near(i, j)       = i: dense, j: compressed fill inf
//! ```

pub mod ast;
mod check;
mod code;
mod inverse;
mod model;
pub(crate) mod parse;
mod remap;

pub use check::{Formats, MOST_INDICES, check};
pub(crate) use check::{constant, coordinate};
pub use inverse::Inverse;
pub use model::{Coordinate, Format, FormatLevel};
pub use remap::Counters;
