//! Graph analytics over dynamic sparse tensors.
#![forbid(unsafe_code)]

pub mod batch;
pub mod coo;
pub mod csr;
pub mod edges;
pub mod graph;
#[cfg(any(feature = "nalgebra-sparse", feature = "ndarray", feature = "sprs"))]
pub mod interop;
pub mod kernels;
pub mod matrix;
pub mod rows;
pub mod sort;
pub mod traverse;

pub use batch::Batch;
pub use coo::Coo;
pub use csr::{Csr, CsrError, CsrRow, CsrView};
pub use edges::EdgeList;
pub use graph::{Graph, Snapshot};
pub use matrix::{Matrix, UpdateError};
pub use rows::{AsRows, Rows};
pub use sort::{BuildError, BuildOptions, BuildReport, Duplicates, SelfLoops};

/// Compiles stores, formats and kernels in place.
#[cfg(feature = "macros")]
pub use pleach_macros::pleach;
/// What stores and kernels stand on, for programs that bring stores of their own.
pub use pleach_runtime as runtime;
/// The bundled stores.
pub use pleach_stores as stores;
