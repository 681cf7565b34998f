//! Bundled kernels over rows of any store.

pub mod pagerank;
