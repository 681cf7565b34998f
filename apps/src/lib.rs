//! Graph algorithms over Pleach, written once against rows and kernels and never against a store, and the command line.
#![forbid(unsafe_code)]

pub mod bc;
// Compiled for every pair of levels, and so not once more for the tests of the library, which have no need of it.
#[cfg(all(feature = "cli", not(test)))]
pub mod bench;
pub mod bfs;
pub mod cc;
pub mod cdlp;
#[cfg(all(feature = "cli", not(test)))]
pub mod cli;
pub mod coloring;
pub mod degree;
pub mod diameter;
pub mod error;
pub mod incremental;
pub mod kcore;
pub mod khop;
pub mod ktruss;
pub mod lcc;
pub mod mis;
pub mod msf;
pub mod nibble;
mod orient;
pub mod pagerank;
pub mod scc;
mod simple;
pub mod sssp;
pub mod stream;
pub mod tc;

/// The README's example, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
