//! The native part of Pleach for Python: graphs, snapshots, algorithms and expressions over NumPy columns.
//!
//! ```text
//!   pleach_graph (Python): SciPy, Arrow, NetworkX, frames, ids of any kind ──► columns of numbers
//!   pleach_graph._pleach:  GraphCore ──► SnapshotCore ──► algorithms on a pool of threads, the GIL released
//! ```
//!
//! Vertices are numbers here. What they are called is known to the Python part only, which also checks what users pass.
#![forbid(unsafe_code)]
#![allow(clippy::type_complexity, reason = "tuples are what Python unpacks")]

mod algorithms;
mod arrays;
mod blocks;
mod borrowed;
mod borrowed_rows;
mod canonical;
mod centralities;
mod conversions;
mod expressions;
mod failure;
mod files;
mod follow;
mod graph;
mod jobs;
mod matrix;
mod order;
mod snapshot;
mod structure;
mod updates;

use pleach::runtime::HugePages;
use pyo3::prelude::*;

#[global_allocator]
static ALLOCATOR: HugePages = HugePages;

/// The native part of `pleach_graph`.
#[pymodule(gil_used = false)]
mod _pleach {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::algorithms::{AlgorithmsCore, sample_vertices};
    #[pymodule_export]
    use crate::blocks::{blocks, is_compressed};
    #[pymodule_export]
    use crate::borrowed::{plus, times, times_vector, transpose};
    #[pymodule_export]
    use crate::centralities::{closeness, eigenvector, hits, katz, louvain};
    #[pymodule_export]
    use crate::conversions::{compress, diagonals, expand, nonzeros, scattered, turn};
    #[pymodule_export]
    use crate::expressions::Expression;
    #[pymodule_export]
    use crate::files::{read, write};
    #[pymodule_export]
    use crate::follow::FollowCore;
    #[pymodule_export]
    use crate::graph::GraphCore;
    #[pymodule_export]
    use crate::jobs::{get_threads, set_threads, watch};
    #[pymodule_export]
    use crate::matrix::CsrCore;
    #[pymodule_export]
    use crate::snapshot::SnapshotCore;
    #[pymodule_export]
    use crate::structure::{cuts, paths, similarity, topological, walks};
    #[pymodule_export]
    use crate::updates::UpdatesCore;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        pleach::runtime::silence_caught();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
