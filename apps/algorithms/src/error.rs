//! What can be wrong with what several algorithms are asked.

/// A vertex that an option names, and that is not in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no vertex {vertex}: the graph has {vertices}, numbered from 0")]
pub struct NoSuchVertex {
    /// The vertex.
    pub vertex: u32,
    /// Number of vertices of the graph.
    pub vertices: usize,
}

impl NoSuchVertex {
    /// Whether `vertex` is one of so many.
    ///
    /// # Errors
    ///
    /// [`NoSuchVertex`] if it is not.
    pub fn check(vertex: u32, vertices: usize) -> Result<(), NoSuchVertex> {
        if (vertex as usize) < vertices { Ok(()) } else { Err(NoSuchVertex { vertex, vertices }) }
    }
}
