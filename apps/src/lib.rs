//! Graph algorithms over Pleach, written once against rows and kernels and never against a store, and the command line.
#![forbid(unsafe_code)]

pub mod bc;
pub mod bench;
pub mod bfs;
pub mod cc;
pub mod cdlp;
pub mod cli;
pub mod degree;
pub mod error;
pub mod kcore;
pub mod lcc;
pub mod mis;
mod orient;
pub mod pagerank;
pub mod scc;
pub mod sssp;
pub mod tc;

/// The README's example, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
