//! What can be wrong with an update.

use crate::csr::MAX_DIMENSION;

/// Why an update was not applied. The graph is as it was before, and so are all its versions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// A vertex is beyond the limit.
    #[error("update {update} names vertex {vertex}, but vertices of this graph are numbered from 0 to {most}", most = limit - 1)]
    VertexOutOfRange {
        /// Index of the first such update in the batch, from 0.
        update: usize,
        /// The vertex.
        vertex: u32,
        /// The number of vertices there may be.
        limit: usize,
    },
    /// An edge is inserted twice by one batch, and [`Conflict::Error`](super::Conflict::Error) was asked for.
    #[error("the batch inserts the edge from {from} to {to} twice; say which weight wins, or insert it once")]
    InsertedTwice {
        /// Its source.
        from: u32,
        /// Its target.
        to: u32,
    },
    /// An edge is inserted that is there, and [`Conflict::Error`](super::Conflict::Error) was asked for.
    #[error("the edge from {from} to {to} is there already; say which weight wins, or change its weight instead")]
    AlreadyThere {
        /// Its source.
        from: u32,
        /// Its target.
        to: u32,
    },
    /// The weight of an edge is to be changed in a graph without weights.
    #[error("update {update} changes the weight of an edge, but the edges of this graph have no weights")]
    NoWeights {
        /// Index of the first such update in the batch, from 0.
        update: usize,
    },
    /// A vertex is so far beyond all others that the outer level, which keeps something for every vertex before it, would hold
    /// little else.
    #[error(
        "vertex {vertex} is so far beyond the others that the outer level would take {bytes} bytes for the rows before it; number vertices \
         more closely (as `Ids` does), or hold the graph in `paged`"
    )]
    TooFar {
        /// The largest vertex of the batch.
        vertex: u32,
        /// Bytes that the level would grow by.
        bytes: usize,
    },
    /// The memory that the batch needs cannot be had.
    #[error("the batch needs about {bytes} bytes more memory than there are")]
    OutOfMemory {
        /// Bytes that were asked for in vain.
        bytes: usize,
    },
}

/// The most vertices a graph can have: 32-bit coordinates but for the largest, which marks gaps in stores.
pub const MAX_VERTICES: usize = MAX_DIMENSION;
