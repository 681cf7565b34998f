//! Errors that several algorithms share.

use pleach::Rows;
use pleach::traverse::Adjacency;

/// A vertex that an option names does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no vertex {vertex} among the {vertices} of the graph")]
pub struct NoSuchVertex {
    /// The vertex.
    pub vertex: u32,
    /// Number of vertices of the graph.
    pub vertices: usize,
}

impl NoSuchVertex {
    /// Whether `vertex` is one of the graph.
    ///
    /// # Errors
    ///
    /// [`NoSuchVertex`] if it is not.
    pub fn check<A: Rows>(vertex: u32, graph: Adjacency<'_, A>) -> Result<(), NoSuchVertex> {
        if graph.has_vertex(vertex) { Ok(()) } else { Err(NoSuchVertex { vertex, vertices: graph.num_vertices() }) }
    }
}
