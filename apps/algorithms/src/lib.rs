//! Graph algorithms over Pleach, written once against rows and kernels and never against a store.
#![forbid(unsafe_code)]

/// What results hold for a number that is no vertex of the graph, because the vertex was removed or never was there, where they hold
/// labels, colours or parents: the field is then `u32::MAX`. Ranks and scores of such numbers are zero, distances are infinite.
pub const ABSENT: u32 = u32::MAX;

pub mod bc;
pub mod bfs;
pub mod cc;
pub mod cdlp;
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
pub mod tc;

/// The README's example, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
