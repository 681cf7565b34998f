//! Results that follow a graph as it changes, instead of being computed anew.
//!
//! ```text
//!   version k ──batch──► version k + 1          static algorithm: all arcs of version k + 1
//!   result  k ──batch──► result  k + 1          here: what the batch touches, and what that changes
//! ```
//!
//! Where a batch changes so much that a computation from scratch is faster, the algorithm does about that. `pleach bench incremental` measures from which
//! size of batches on.

mod components;
mod ranks;

use pleach::Rows;
use pleach::runtime::Fiber;
use pleach::traverse::Adjacency;

pub use components::MovingComponents;
pub use ranks::{Moved, MovingRanks};

/// The vertices whose out-arcs a batch may have changed, ascending, as [`MovingRanks::follow`] takes them. `edges` are the edges that the batch names; a
/// vertex `v` that it removes is listed as `(v, v)`.
///
/// These are the sources of the edges, their targets too if the graph is undirected or the target is new, and all vertices with an arc to
/// a removed vertex.
pub fn changed_sources<'a, A: Rows + 'a>(before: impl Into<Adjacency<'a, A>>, edges: &[(u32, u32)]) -> Vec<u32> {
    let before = before.into();
    let mut changed = Vec::new();
    for &(from, to) in edges {
        changed.push(from);
        if !before.is_directed() || !before.has_vertex(to) {
            changed.push(to);
        }
        if from == to
            && before.has_incoming()
            && let Some(row) = before.incoming().row(to as usize)
        {
            row.fold_runs((), |(), run| changed.extend_from_slice(run.coords()));
        }
    }
    changed.sort_unstable();
    changed.dedup();
    changed
}
