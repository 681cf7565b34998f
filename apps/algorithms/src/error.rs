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

/// An algorithm is not defined on a graph, or the graph lacks what the algorithm reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnfitGraph {
    /// The algorithm is defined on undirected graphs, and the graph is directed.
    #[error(
        "`{algorithm}` is defined on undirected graphs, and this graph is directed: create it by `GraphOptions::undirected`, or from \
         arcs with `BuildOptions::undirected`"
    )]
    Directed {
        /// The function.
        algorithm: &'static str,
    },
    /// The algorithm reads in-arcs, and a directed graph keeps none.
    #[error(
        "`{algorithm}` reads in-arcs, and this directed graph keeps none: create it with `GraphOptions::incoming`, or give the \
         transpose to `Adjacency::directed`"
    )]
    NoInArcs {
        /// The function.
        algorithm: &'static str,
    },
}

/// Refuses a directed graph.
pub(crate) fn undirected<A: Rows>(graph: Adjacency<'_, A>, algorithm: &'static str) -> Result<(), UnfitGraph> {
    if graph.is_directed() { Err(UnfitGraph::Directed { algorithm }) } else { Ok(()) }
}

/// The rows of in-arcs.
pub(crate) fn in_arcs<'a, A: Rows>(graph: Adjacency<'a, A>, algorithm: &'static str) -> Result<&'a A, UnfitGraph> {
    graph.incoming().ok_or(UnfitGraph::NoInArcs { algorithm })
}
