//! The graph as the next batch finds it, read without a version for readers.

use pleach_runtime::Store;

use super::version::Contents;

/// The graph with every batch that was applied so far, for [`Graph::with_current`](super::Graph::with_current).
pub struct Current<'a, R: Store>(pub(super) &'a Contents<R>);

impl<R: Store<Coord = u32>> Current<'_, R> {
    /// The number of batches that were applied.
    pub fn version(&self) -> u64 {
        self.0.number
    }

    /// Number of vertices. Removed vertices do not count.
    pub fn num_vertices(&self) -> usize {
        self.0.vertices.len()
    }

    /// Number of edges; an undirected one counts once.
    pub fn num_edges(&self) -> u64 {
        self.0.num_edges()
    }

    /// Whether a vertex exists. Takes a few loads.
    pub fn has_vertex(&self, vertex: u32) -> bool {
        self.0.vertices.contains(vertex)
    }

    /// The weight of an edge, if it is there. Logarithmic in the degree in the default store and in trees, linear in lists.
    pub fn weight(&self, from: u32, to: u32) -> Option<&R::Value> {
        self.0.weight(from, to)
    }
}
