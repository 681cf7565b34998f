//! Bundled kernels over rows of any store, written in index notation and compiled when the crate is built.

pub use pleach_runtime::kernel::{ShapeError, check_extents};

pub mod pagerank;
