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

use crate::error::UnfitGraph;

pub use components::MovingComponents;
pub use ranks::{Moved, MovingRanks};

/// Why a result cannot follow a graph. It is then as it was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FollowError {
    /// A directed graph keeps no in-arcs.
    #[error(transparent)]
    Graph(#[from] UnfitGraph),
    /// The version before the batch is not the one that was followed so far.
    #[error(
        "the version before the batch has numbers of vertices below {found}, and the one followed so far below {followed}"
    )]
    Before {
        /// Bound of the version given.
        found: usize,
        /// Bound of the version followed so far.
        followed: usize,
    },
    /// The version after the batch is smaller than the one before: they are not versions of one graph.
    #[error(
        "numbers of vertices are below {before} before the batch and below {after} after it; they stay when vertices are removed"
    )]
    After {
        /// Bound of the version before the batch.
        before: usize,
        /// Bound of the version after it.
        after: usize,
    },
    /// A label of the components to go on from is neither a vertex nor [`ABSENT`](crate::ABSENT).
    #[error("vertex {vertex} has the label {label}, and there are {vertices} vertices")]
    Label {
        /// The first such vertex.
        vertex: u32,
        /// Its label.
        label: u32,
        /// Number of labels.
        vertices: usize,
    },
}

/// Checks that two versions are those of one graph, the first of which was followed so far.
fn check_versions(followed: usize, before: usize, after: usize) -> Result<(), FollowError> {
    if before != followed {
        return Err(FollowError::Before { found: before, followed });
    }
    if after < before { Err(FollowError::After { before, after }) } else { Ok(()) }
}

/// The vertices whose out-arcs a batch may have changed, ascending, of the edges that it names: their sources, in an undirected graph both ends, targets that are new, and where the
/// pair `(v, v)` stands for a vertex that it removes, those from which arcs led to it. What [`MovingRanks::follow`] asks for.
pub fn changed_sources<'a, A: Rows + 'a>(before: impl Into<Adjacency<'a, A>>, edges: &[(u32, u32)]) -> Vec<u32> {
    let before = before.into();
    let mut changed = Vec::new();
    for &(from, to) in edges {
        changed.push(from);
        if !before.is_directed() || !before.has_vertex(to) {
            changed.push(to);
        }
        if from == to
            && let Some(row) = before.incoming().and_then(|rows| rows.row(to as usize))
        {
            row.fold_runs((), |(), run| changed.extend_from_slice(run.coords()));
        }
    }
    changed.sort_unstable();
    changed.dedup();
    changed
}
