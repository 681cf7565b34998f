//! Matrices and graphs in any bundled store behind one type, for programs that choose the store at run time.
//!
//! ```text
//!   "bst,ctree" ──► StoreName ──► AnyMatrix<V>   insert · delete · rows · kernels
//!                             └─► AnyGraph<V>    updates ──► AnySnapshot<V>   vertices · edges · rows · algorithms
//! ```
//!
//! `V` is `()` or `f64`. All stores are compiled for both in this crate, and so only once: a program that uses it compiles none of them.
//! A program that knows its store names the types instead, `Graph::<Ctree<()>>::below::<Nested<Bst<_>>>`, and gets code that is compiled
//! for it alone.
//!
//! ```
//! use pleach::graph::{GraphOptions, Update};
//! use pleach_erased::{AnyGraph, StoreName};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let store: StoreName = "bst,ctree".parse()?;
//! let graph: AnyGraph<()> = AnyGraph::new(&store, GraphOptions::undirected())?;
//! graph.insert([(0, 1), (1, 2), (2, 3)])?;
//! let before = graph.fresh();
//! graph.apply([Update::delete(1, 2)])?;
//! assert!(before.has_edge(1, 2) && !graph.fresh().has_edge(1, 2));
//! // Algorithms run on the graph that `over` hands out.
//! let degrees = graph.fresh().over(|graph| pleach::Rows::row_degrees(graph.out()));
//! assert_eq!(degrees, [1, 1, 1, 1]);
//! # Ok(())
//! # }
//! ```
//!
//! | to | use |
//! |---|---|
//! | read the name of a store, as `pleach --store` takes it | [`StoreName`]; all names are in [`OUTER_LEVELS`], [`ROW_STORES`] and [`FORMATS`] |
//! | hold a matrix | [`AnyMatrix::from_edges`], [`AnyMatrix::insert`] |
//! | hold a graph that changes | [`AnyGraph::new`], [`AnyGraph::apply`], [`AnyGraph::fresh`] |
//! | run an algorithm | [`AnySnapshot::over`] |
//! | read a graph that does not change | [`StoredGraph::build`], [`StoredGraph::view`] |
//! | take a graph in any store | [`GraphView`] |
//!
//! A method that takes a whole matrix, a batch or a row makes one dynamic call. Reading a row makes one for each of its runs, and none for
//! each nonzero.
#![forbid(unsafe_code)]

mod graph;
mod matrix;
mod names;
mod stored;
mod table;
mod turned;
mod view;

pub use graph::{AnyGraph, AnySnapshot};
pub use matrix::AnyMatrix;
pub use names::{DEFAULT_STORE, FORMATS, HoldError, RestoreError, StoreName, UnknownStore};
pub use stored::{Ends, Held, StoredGraph};
pub use table::{Bundled, OUTER_LEVELS, Packed, ROW_STORES};
pub use view::GraphView;

/// The examples of the guide's page on this crate, compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/any-store.md")]
struct Guide;
