//! Graph algorithms in supersteps. Each works on the [`Part`] of its worker, and its results are those of the part's own
//! vertices, in their order. All workers call the same algorithm with the same options.

mod bfs;
mod cc;
mod cdlp;
mod degree;
mod kcore;
mod multiply;
mod pagerank;
mod sssp;
mod triangles;

use crate::exchange::Lost;
use crate::part::Part;

pub use bfs::{UNREACHED, bfs};
pub use cc::components;
pub use cdlp::label_propagation;
pub use degree::{Degrees, degrees};
pub use kcore::coreness;
pub use multiply::{MaxTimes, MinPlus, OrAnd, PlusTimes, Semiring, multiply};
pub use pagerank::{Ranks, Stop, pagerank};
pub use sssp::{NegativeWeight, SsspError, sssp};
pub use triangles::triangles;

/// An error of an algorithm that reads in-arcs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum IncomingError {
    /// A worker has ended.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// The graph is directed, and its parts are kept without in-arcs. Nothing was sent.
    #[error(
        "this needs in-arcs, and the parts of this directed graph are kept without: load them with `LoadOptions::with_incoming(true)`, as it \
         is by default"
    )]
    NoIncoming,
}

/// Refuses a directed part without in-arcs. All workers do so alike, because they have loaded the graph with the same options.
fn check_incoming(part: &Part<'_>) -> Result<(), IncomingError> {
    match part.has_incoming() {
        true => Ok(()),
        false => Err(IncomingError::NoIncoming),
    }
}
