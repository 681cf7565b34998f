//! Graph algorithms over Pleach, written once for all stores.
//!
//! ```text
//!   Graph ─► Snapshot ─┐
//!   Matrix ────────────┼─► Adjacency ─► bfs, components, pagerank, …  ─► a result type for each
//!   Csr ───────────────┘   (arcs by both ends)
//! ```
//!
//! An algorithm is a function that takes a graph and, where it has options, an options type with defaults. Algorithms run in parallel, except
//! for [`cuts`], [`topological`] and [`nibble`]. The result is the same in every store and with any number of threads; the work that it took
//! (rounds, relaxations) may differ. Most algorithms come with a function `verify`, which checks a result by a second, independent method.
//!
//! ```
//! use pleach::graph::{Graph, GraphOptions};
//! use pleach_algorithms::cc::components;
//! use pleach_algorithms::tc::triangles;
//!
//! let graph: Graph = Graph::new(GraphOptions::undirected());
//! graph.insert([(0, 1), (1, 2), (2, 0), (3, 4)])?;
//! let snapshot = graph.fresh();
//! assert_eq!(components(&snapshot).count, 2);
//! assert_eq!(triangles(&snapshot)?.count, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to find | use |
//! |---|---|
//! | paths | [`bfs`], [`sssp`], [`khop`], [`diameter`], [`bc`] (betweenness), [`walks`] |
//! | components and clusters | [`cc`], [`scc`], [`cdlp`], [`louvain`] (and Leiden), [`nibble`], [`msf`], [`cuts`] (bridges) |
//! | density | [`tc`] (triangles), [`lcc`], [`kcore`], [`ktruss`], [`degree`] |
//! | importance | [`pagerank`], [`closeness`], [`spectral`] (eigenvector, Katz, HITS) |
//! | order and likeness | [`topological`], [`similarity`] |
//! | independent sets and colours | [`mis`], [`coloring`] |
//! | results that follow a changing graph | [`incremental`] |
//!
//! With the feature `serde`, options and results are written and read, as text by `serde_json`: an infinite distance becomes `null`, which other
//! formats of text may not have. Enable `float_roundtrip` of `serde_json`; without it, a number that is read may differ in its last bit.
#![forbid(unsafe_code)]

/// The label, colour or parent of a number that is not a vertex, because the vertex was removed or never existed. Results are arrays by
/// vertex number, so they have an entry for such a number too. Its rank or score is zero, and its distance infinite.
pub const ABSENT: u32 = u32::MAX;

pub mod bc;
pub mod bfs;
pub mod cc;
pub mod cdlp;
pub mod closeness;
pub mod coloring;
mod copied;
pub mod cuts;
pub mod degree;
pub mod diameter;
pub mod error;
pub mod incremental;
#[cfg(feature = "serde")]
mod infinite;
pub mod kcore;
pub mod khop;
pub mod ktruss;
pub mod lcc;
pub mod louvain;
pub mod mis;
pub mod msf;
pub mod nibble;
mod orient;
pub mod pagerank;
pub mod scc;
pub mod similarity;
mod simple;
pub mod spectral;
pub mod sssp;
pub mod tc;
pub mod topological;
pub mod walks;
pub mod weighs;

/// The examples of the README and of those pages of the guide that need no more than this crate, compiled and run as tests.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../../../README.md")]
    pub struct Readme;
    #[doc = include_str!("../../../docs/src/embedding.md")]
    pub struct Embedding;
    #[doc = include_str!("../../../docs/src/streaming.md")]
    pub struct Streaming;
    #[doc = include_str!("../../../docs/src/windows.md")]
    pub struct Windows;
    #[doc = include_str!("../../../docs/src/errors.md")]
    pub struct Errors;
}
