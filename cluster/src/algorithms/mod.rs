//! Graph algorithms in supersteps. Each works on the [`Part`](crate::Part) of its worker, and its results are those of the part's own
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

pub use bfs::{UNREACHED, bfs};
pub use cc::components;
pub use cdlp::label_propagation;
pub use degree::{Degrees, degrees};
pub use kcore::coreness;
pub use multiply::{MaxTimes, MinPlus, OrAnd, PlusTimes, Semiring, multiply};
pub use pagerank::{Ranks, Stop, pagerank};
pub use sssp::{NegativeWeight, SsspError, sssp};
pub use triangles::triangles;
