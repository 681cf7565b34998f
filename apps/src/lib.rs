//! Graph algorithms over Pleach, written once against rows and kernels and never against a store, and the command line.
#![forbid(unsafe_code)]

pub mod bench;
pub mod cli;
pub mod pagerank;
