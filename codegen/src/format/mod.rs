//! Formats: how a tensor is composed of levels, and which coordinate each level keeps.
//!
//! ```text
//! format csr(i, j)        = i: dense, j: compressed
//! format bcsr<M, N>(i, j) = (i / M): dense, (j / N): compressed, (i % M): dense, (j % N): dense
//! format near(i, j)       = i: dense, j: compressed fill inf
//! ```

pub mod ast;
mod check;
mod form;
mod inverse;
mod level;
mod model;
pub(crate) mod parse;
mod remap;

pub use check::{Formats, MOST_INDICES, check};
pub(crate) use check::{constant, coordinate};
pub(crate) use form::Form;
pub use inverse::Inverse;
pub(crate) use level::Way;
pub use model::{Coordinate, Format, FormatLevel};
pub(crate) use remap::Arithmetic;
pub use remap::Counters;
