//! The suites: what is measured.

use pleach::BuildError;
use pleach::graph::GraphError;
use pleach_algorithms::pagerank::PageRankError;
use pleach_erased::HoldError;

pub mod algebra;
pub mod apps;
pub mod compile;
pub mod convert;
pub mod densities;
pub mod entries;
pub mod incremental;
pub mod kept;
pub mod kernels;
mod latency;
pub mod load;
pub mod memory;
pub mod mixed;
mod narrow;
pub mod pagerank;
pub mod products;
pub mod scaling;
pub mod serve;
pub mod tensor;
pub mod updates;

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SuiteError {
    /// The graph cannot be held in a store.
    #[error(transparent)]
    Hold(#[from] HoldError),
    /// Static rows cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// An update failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The tolerance is none.
    #[error(transparent)]
    PageRank(#[from] PageRankError),
    /// There is nothing to insert.
    #[error("{0}: there are no edges to draw updates from")]
    NoUpdates(String),
    /// Files cannot be written or read.
    #[error("cannot write and read files to measure: {0}")]
    Files(String),
    /// A server under load does not answer as it should.
    #[error("the server under load: {0}")]
    Server(String),
    /// The system starts no more threads.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}
