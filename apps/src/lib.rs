//! Graph algorithms over Pleach, written once against rows and kernels and never against a store, and the command line.
#![forbid(unsafe_code)]

pub mod bench;
pub mod cli;
pub mod pagerank;

/// The README's example, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
