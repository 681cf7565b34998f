//! The traversal interface: graph algorithms are written against frontiers and edge maps, never against a store.
//!
//! ```text
//!   frontier ──edge_map──► next frontier       push: along the out-arcs of the frontier, while it is small
//!   (a set of vertices)                        pull: along the in-arcs of vertices not yet reached, when it is large
//! ```
//!
//! The model is Ligra's (Shun & Blelloch, PPoPP 2013), the switch between the directions Beamer's (Beamer, Asanović & Patterson,
//! *Direction-Optimizing Breadth-First Search*, SC 2012). Every traversal goes over runs, and a hub's row is shared among the
//! threads.

mod adjacency;
mod cancel;
mod edge_map;
mod erased;
mod frontier;
mod hub;
mod views;

pub use adjacency::{Adjacency, AdjacencyError};
pub use cancel::{Cancel, Cancelled, Progress};
pub use edge_map::{Direction, EdgeFunction, EdgeMap};
pub use erased::{DynRow, DynRows, DynRuns};
pub use frontier::{Bits, Frontier};
pub use hub::for_each_run;
