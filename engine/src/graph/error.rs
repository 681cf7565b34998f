//! Errors of updates.

use crate::UpdateError;
use crate::csr::MAX_DIMENSION;

/// Why an update was not applied. The graph is as it was before, and so are all its versions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// A vertex is beyond the limit.
    #[error(
        "update {update} names vertex {vertex}, but this graph may have {limit} vertices, numbered from 0: number vertices more closely \
         (as `Ids` does), or raise `GraphOptions::max_vertices`"
    )]
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
    /// An edge is inserted that exists already, and [`Conflict::Error`](super::Conflict::Error) was asked for.
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
    /// A vertex is so far beyond all others that the outer level, which takes memory for every vertex before it, would be nearly empty.
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
    /// A batch was prepared for a graph of another shape.
    #[error("the batch was prepared for {prepared}, and this graph is {graph}: let the graph itself prepare it")]
    OtherShape {
        /// What it was prepared for.
        prepared: String,
        /// What the graph is.
        graph: String,
    },
    /// The [`Journal`](super::Journal) of a commit did not record the batch.
    #[error("the batch was not applied, because it could not be recorded")]
    NotRecorded,
    /// A replayed record is not a batch.
    #[error("the record is no batch: a step of it has not as many sources as targets, or not as many weights")]
    BadRecord,
    /// The memory that the batch needs cannot be allocated.
    #[error("the batch needs about {bytes} bytes more memory than is available")]
    OutOfMemory {
        /// Bytes that could not be allocated.
        bytes: usize,
    },
}

impl GraphError {
    /// The error of a graph for that of its matrix, for a batch whose vertices are in range.
    pub(super) fn of_matrix(error: UpdateError) -> Self {
        match error {
            UpdateError::TooFar { row, bytes } => GraphError::TooFar { vertex: row as u32, bytes },
            UpdateError::Coordinate { .. } | UpdateError::TooLarge { .. } => {
                GraphError::VertexOutOfRange { update: 0, vertex: u32::MAX, limit: MAX_VERTICES }
            }
        }
    }
}

/// The most vertices a graph can have: 32-bit coordinates but for the largest, which marks gaps in stores.
pub const MAX_VERTICES: usize = MAX_DIMENSION;

/// The most vertices a graph may have unless its options say otherwise: 2^26, about 67 million.
///
/// Algorithms keep arrays with an element for each number up to that of the largest vertex. Under this limit, a single edge to a far vertex
/// costs at most half a gigabyte for each such array; under [`MAX_VERTICES`] it costs up to 32.
pub const DEFAULT_MAX_VERTICES: usize = 1 << 26;
