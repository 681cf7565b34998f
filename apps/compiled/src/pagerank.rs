//! PageRank.

use pleach::traverse::DynRows;
use pleach_algorithms::pagerank::{self as generic, PageRank, PageRankError, Ranks, RanksWrong};
use pleach_erased::{GraphView, on_rows};

/// [`pagerank`](generic::pagerank).
///
/// # Errors
///
/// Those of the generic function.
#[inline(never)]
pub fn pagerank(graph: GraphView<'_, ()>, options: &PageRank) -> Result<Ranks, PageRankError> {
    on_rows!(graph, graph => generic::pagerank(graph, options))
}

/// [`from_in_arcs`](generic::from_in_arcs). Reads the rows of out-arcs of `in_arcs`, which are those of in-arcs in a graph that was built with
/// [`Ends::In`](pleach_erased::Ends::In).
///
/// # Errors
///
/// Those of the generic function.
#[inline(never)]
pub fn from_in_arcs(
    in_arcs: GraphView<'_, ()>,
    out_degrees: &[u32],
    options: &PageRank,
    progress: &mut dyn FnMut(usize, f64),
) -> Result<Ranks, PageRankError> {
    on_rows!(in_arcs, graph => generic::from_in_arcs(graph.out(), out_degrees, options, progress))
}

/// [`verify`](generic::verify).
///
/// # Errors
///
/// What is wrong with the ranks.
#[inline(never)]
pub fn verify(in_arcs: &DynRows<'_, ()>, options: &PageRank, found: &[f64]) -> Result<(), RanksWrong> {
    generic::verify(in_arcs, options, found)
}
