//! Graph analytics over dynamic sparse tensors.
#![forbid(unsafe_code)]

pub mod csr;
pub mod edges;

pub use csr::{Csr, CsrError, CsrRow, CsrView};
pub use edges::EdgeList;
pub mod kernels;
pub mod matrix;
pub mod rows;

pub use matrix::Matrix;
pub use rows::Rows;
