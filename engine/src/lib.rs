//! Graph analytics over dynamic sparse tensors: graphs that change while others read them, matrices in any store, and kernels that are
//! compiled for both.
//!
//! ```text
//!   updates ─► Graph ─► Snapshot ─┐
//!   EdgeList ─► Matrix<store> ────┼─► algorithms (crate `pleach-algorithms`), kernels (`pleach!`), Rows
//!   EdgeList ─► Csr ──────────────┘
//! ```
//!
//! ```
//! use pleach::graph::{Graph, GraphOptions, Update};
//!
//! // A graph that many threads may share: one writes, the others read.
//! let graph: Graph = Graph::new(GraphOptions::undirected());
//! graph.insert([(0, 1), (1, 2), (2, 3)])?;
//!
//! // A snapshot never changes, and is taken in constant time.
//! let before = graph.fresh();
//! graph.apply([Update::delete(1, 2), Update::insert((0, 3))])?;
//! assert!(before.has_edge(1, 2) && !graph.fresh().has_edge(1, 2));
//! assert_eq!(graph.fresh().neighbors(3).map(|(to, ())| to).collect::<Vec<_>>(), [0, 2]);
//! # Ok::<(), pleach::graph::GraphError>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | keep a graph that changes | [`Graph::insert`], [`Graph::apply`], [`Graph::fresh`] |
//! | read one version of it | [`Snapshot::neighbors`], [`Snapshot::has_edge`], [`Snapshot::edges`] |
//! | map names or 64-bit ids to vertices | [`graph::Ids`] |
//! | build a matrix from arcs in any order | [`Csr::from_edges`], [`Matrix::from_edges`] |
//! | add to entries, read them, combine matrices | [`Matrix::add_entries`], [`Matrix::get`], `&a + &b`, `&a * &b` |
//! | go from one format to another | [`Coo`], [`Csr`], [`Csc`], [`Matrix`] by `From` |
//! | hand a matrix of your own to an algorithm | [`traverse::Adjacency::undirected`], [`traverse::Adjacency::directed`] |
//! | choose a store | [`stores`], and the outer levels in [`runtime`] |
//! | choose a store when the program runs | the crate `pleach-erased` |
//! | compile a formula | `pleach!` (feature `macros`) |
#![forbid(unsafe_code)]

pub mod batch;
pub mod convert;
pub mod coo;
pub mod csr;
pub mod edges;
pub mod graph;
#[cfg(any(feature = "nalgebra-sparse", feature = "ndarray", feature = "sprs"))]
pub mod interop;
pub mod kernels;
pub mod matrix;
mod operators;
mod room;
pub mod rows;
pub mod sort;
pub mod traverse;

pub use batch::Batch;
pub use coo::Coo;
pub use csr::{Csc, CscView, Csr, CsrError, CsrRow, CsrView};
pub use edges::EdgeList;
pub use graph::{Graph, Snapshot};
pub use matrix::{Matrix, UpdateError};
pub use rows::{AsRows, Rows};
pub use sort::{BuildError, BuildOptions, BuildReport, Duplicates, SelfLoops};

/// Compiles stores, formats and kernels in place: see the crate `pleach-macros` for all that it takes.
///
/// ```
/// use pleach::{Csr, pleach};
///
/// pleach! {
///     kernel spmv(y: dense, A: csr, x: dense) { y(i) = A(i,j) * x(j) }
/// }
///
/// let a = Csr::from_entries(2, 3, [(0, 0, 1.0), (0, 2, 2.0), (1, 1, 3.0)])?;
/// let mut y = [0.0; 2];
/// spmv(&mut y, &a, &[1.0, 10.0, 100.0])?;
/// assert_eq!(y, [201.0, 30.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A format is part of an operand's type. The same program with `A: csc` does not compile, for `&a` is rows and no columns;
/// `&pleach::Csc::from(&a)` is what it takes:
///
/// ```compile_fail
/// use pleach::{Csr, pleach};
///
/// pleach! {
///     kernel spmv(y: dense, A: csc, x: dense) { y(i) = A(i,j) * x(j) }
/// }
///
/// let a = Csr::from_entries(2, 3, [(0, 0, 1.0), (0, 2, 2.0), (1, 1, 3.0)])?;
/// spmv(&mut [0.0; 2], &a, &[1.0, 10.0, 100.0])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "macros")]
pub use pleach_macros::pleach;
/// What stores and kernels are built on, for programs that have stores of their own.
pub use pleach_runtime as runtime;
/// The bundled stores.
pub use pleach_stores as stores;

/// The examples of those pages of the guide that use `pleach!`, compiled and run as tests.
#[cfg(all(doctest, feature = "macros"))]
mod guide {
    #[doc = include_str!("../../docs/src/matrices.md")]
    pub struct Matrices;
    #[doc = include_str!("../../docs/src/macro.md")]
    pub struct Macro;
    #[doc = include_str!("../../docs/src/store.md")]
    pub struct Store;
    #[doc = include_str!("../../docs/src/conversion.md")]
    pub struct Conversion;
}
