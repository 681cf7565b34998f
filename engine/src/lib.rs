//! Graph analytics over dynamic sparse tensors.
#![forbid(unsafe_code)]

pub mod csr;
pub mod edges;
pub mod kernels;
pub mod matrix;
pub mod rows;
pub mod sort;
pub mod traverse;

pub use csr::{Csr, CsrError, CsrRow, CsrView};
pub use edges::EdgeList;
pub use matrix::Matrix;
pub use rows::Rows;
pub use sort::{BuildError, BuildOptions, BuildReport, Duplicates, SelfLoops};
