//! Ranks and distances in 32 bits, as other systems compute them.

use pleach::runtime::Packed;
use pleach::traverse::Adjacency;
use pleach::{Csr, Matrix};
use pleach_algorithms::pagerank::{PageRank, PageRankError, Ranks, pagerank_in};
use pleach_algorithms::sssp::{Distances, Sssp, SsspError, sssp_in};
use pleach_erased::{GraphView, on_rows};

/// [`pagerank_in`] with ranks in 32 bits.
///
/// # Errors
///
/// Those of the generic function.
#[inline(never)]
pub fn pagerank(graph: GraphView<'_, ()>, options: &PageRank) -> Result<Ranks<f32>, PageRankError> {
    on_rows!(graph, graph => pagerank_in(graph, options))
}

/// [`sssp_in`] with distances in 32 bits, over static rows.
///
/// # Errors
///
/// Those of the generic function.
#[inline(never)]
pub fn sssp_static(graph: Adjacency<'_, Csr<f32>>, source: u32, options: &Sssp) -> Result<Distances<f32>, SsspError> {
    sssp_in(graph, source, options)
}

/// [`sssp_in`] with distances in 32 bits, over rows of the default store.
///
/// # Errors
///
/// Those of the generic function.
#[inline(never)]
pub fn sssp_packed(
    graph: Adjacency<'_, Matrix<Packed<u32, f32>>>,
    source: u32,
    options: &Sssp,
) -> Result<Distances<f32>, SsspError> {
    sssp_in(graph, source, options)
}
