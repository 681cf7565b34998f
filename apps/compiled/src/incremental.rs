//! Results that follow a graph as it changes. Static rows never change: functions are compiled for the other two kinds of rows, and read static
//! ones as rows of any store.

use pleach::traverse::{Adjacency, DynRows};
use pleach_algorithms::incremental::{self as generic, FollowError, Moved, MovingComponents, MovingRanks};
use pleach_algorithms::pagerank::PageRankError;
use pleach_erased::GraphView;

/// Calls a generic function for the rows of the default store, or for rows of any.
macro_rules! on_changing_rows {
    ($view:expr, $graph:ident => $call:expr) => {
        match $view {
            GraphView::Packed($graph) => $call,
            view => view.over(|$graph: Adjacency<'_, DynRows<'_, ()>>| $call),
        }
    };
}

/// The same for two versions of a graph.
macro_rules! on_versions {
    ($versions:expr, ($before:ident, $after:ident) => $call:expr) => {
        match $versions {
            (GraphView::Packed($before), GraphView::Packed($after)) => $call,
            (before, after) => before.over(|$before| after.over(|$after| $call)),
        }
    };
}

/// [`MovingComponents::new`].
#[inline(never)]
pub fn components(graph: GraphView<'_, ()>) -> MovingComponents {
    on_changing_rows!(graph, graph => MovingComponents::new(graph))
}

/// [`MovingComponents::follow`].
///
/// # Errors
///
/// Those of the generic function.
#[inline(never)]
pub fn follow_components(
    kept: &mut MovingComponents,
    before: GraphView<'_, ()>,
    after: GraphView<'_, ()>,
    edges: &[(u32, u32)],
) -> Result<(), FollowError> {
    on_versions!((before, after), (before, after) => kept.follow(before, after, edges))
}

/// [`MovingRanks::within`]; without a number of iterations, [`MovingRanks::new`].
///
/// # Errors
///
/// Those of the generic function.
#[inline(never)]
pub fn ranks(
    graph: GraphView<'_, ()>,
    damping: f64,
    tolerance: f64,
    most: Option<usize>,
) -> Result<MovingRanks, PageRankError> {
    on_changing_rows!(graph, graph => match most {
        Some(most) => MovingRanks::within(graph, damping, tolerance, most),
        None => MovingRanks::new(graph, damping, tolerance),
    })
}

/// [`MovingRanks::follow`].
///
/// # Errors
///
/// Those of the generic function.
#[inline(never)]
pub fn follow_ranks(
    kept: &mut MovingRanks,
    before: GraphView<'_, ()>,
    after: GraphView<'_, ()>,
    changed: &[u32],
) -> Result<Moved, FollowError> {
    on_versions!((before, after), (before, after) => kept.follow(before, after, changed))
}

/// [`changed_sources`](generic::changed_sources).
#[inline(never)]
pub fn changed_sources(before: GraphView<'_, ()>, edges: &[(u32, u32)]) -> Vec<u32> {
    on_changing_rows!(before, before => generic::changed_sources(before, edges))
}
