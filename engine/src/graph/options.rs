//! The options of a graph.

use super::error::DEFAULT_MAX_VERTICES;
use super::publication::Publish;
use crate::{Duplicates, sort::Weight};

/// What happens when an edge is inserted that exists already, in the graph or earlier in the same batch.
///
/// Since it means the same in both places, the graph that a stream leaves does not depend on how the stream was cut into batches.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Conflict<V = ()> {
    /// It gets the new weight.
    #[default]
    Last,
    /// It keeps the old weight.
    First,
    /// It gets the sum of both weights. Sums of integers wrap around.
    Sum,
    /// It gets the smaller weight.
    Min,
    /// It gets the larger weight.
    Max,
    /// It gets the result of a function of the old and the new weight, in this order. The function is called while no lock is held: it may
    /// use the graph, and if it panics, the batch has no effect. It is called again if the edge has changed meanwhile, and in an undirected
    /// graph once for each direction of the edge.
    #[cfg_attr(feature = "serde", serde(skip))]
    With(fn(V, V) -> V),
    /// The batch fails, and has no effect. The edge may be inserted again once it is deleted, or a vertex at it removed, also earlier in the
    /// same batch; what is deleted or removed later does not undo the failure.
    Error,
}

impl<V: Weight> Conflict<V> {
    /// The weight that results from an old and a new one.
    #[inline]
    pub(super) fn combine(self, old: V, new: V) -> V {
        match self {
            Conflict::Last | Conflict::Error => new,
            Conflict::First => old,
            Conflict::Sum => V::sum(old, new),
            Conflict::Min => V::min(old, new),
            Conflict::Max => V::max(old, new),
            Conflict::With(combine) => combine(old, new),
        }
    }

    /// Whether an insertion must read the existing weight before anything is changed.
    pub(super) fn looks_first(self) -> bool {
        matches!(self, Conflict::With(_) | Conflict::Error)
    }

    /// Whether the weights of one edge cannot be combined before the existing weight is known.
    pub(super) fn folds_from_old(self) -> bool {
        self.looks_first() || matches!(self, Conflict::Sum) && !V::ASSOCIATIVE
    }

    /// Which weight wins, in words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Conflict::Last => "the last weight wins",
            Conflict::First => "the first weight wins",
            Conflict::Sum => "weights are added up",
            Conflict::Min => "the smaller weight wins",
            Conflict::Max => "the larger weight wins",
            Conflict::With(_) => "a function combines weights",
            Conflict::Error => "no edge is inserted twice",
        }
    }
}

impl<V: Weight> From<Conflict<V>> for Duplicates<V> {
    fn from(conflict: Conflict<V>) -> Self {
        match conflict {
            Conflict::Last => Duplicates::Last,
            Conflict::First => Duplicates::First,
            Conflict::Sum => Duplicates::sum(),
            Conflict::Min => Duplicates::min(),
            Conflict::Max => Duplicates::max(),
            Conflict::With(combine) => Duplicates::Combine(combine),
            Conflict::Error => Duplicates::Error,
        }
    }
}

/// The options of a graph.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct GraphOptions<V = ()> {
    /// Whether edges have a direction, as they have by default. An undirected edge is kept as two arcs (a self loop as one).
    pub directed: bool,
    /// Whether a directed graph also keeps the arcs by their targets, as it does by default. Updates then take twice the work, and rows
    /// twice the memory; in exchange there are in-neighbours, searches in both directions, PageRank and all other algorithms that gather
    /// along in-arcs, and a vertex is removed at the cost of what it touches. Set it to `false` for a graph that is updated much and read
    /// along out-arcs only. An undirected graph needs none.
    pub incoming: bool,
    /// What happens when an edge is inserted that exists already. By default the last weight wins.
    pub conflict: Conflict<V>,
    /// When a batch boundary publishes a version for readers. By default if a reader has asked for one since the last publication.
    pub publish: Publish,
    /// The largest number of vertices; a batch that names a vertex beyond it fails. [`DEFAULT_MAX_VERTICES`] unless it is raised, at most
    /// [`MAX_VERTICES`](super::MAX_VERTICES): algorithms take memory for every vertex below the largest.
    pub max_vertices: usize,
    /// Threads that apply a large batch; with 0, the default, as many as the rayon pool has in which it is committed. They are threads of their own:
    /// a batch waits for no job of that pool.
    pub threads: usize,
}

impl<V> Default for GraphOptions<V> {
    fn default() -> Self {
        GraphOptions {
            directed: true,
            incoming: true,
            conflict: Conflict::Last,
            publish: Publish::default(),
            max_vertices: DEFAULT_MAX_VERTICES,
            threads: 0,
        }
    }
}

impl<V> GraphOptions<V> {
    /// Edges without a direction.
    pub fn undirected() -> Self {
        GraphOptions { directed: false, ..Self::default() }
    }

    /// Whether edges have a direction.
    #[must_use]
    pub fn with_directed(mut self, directed: bool) -> Self {
        self.directed = directed;
        self
    }

    /// Whether a directed graph keeps in-arcs too.
    #[must_use]
    pub fn with_incoming(mut self, incoming: bool) -> Self {
        self.incoming = incoming;
        self
    }

    /// What happens when an edge is inserted that exists already.
    #[must_use]
    pub fn with_conflict(mut self, conflict: Conflict<V>) -> Self {
        self.conflict = conflict;
        self
    }

    /// When a batch boundary publishes a version.
    #[must_use]
    pub fn with_publish(mut self, publish: Publish) -> Self {
        self.publish = publish;
        self
    }

    /// The largest number of vertices.
    #[must_use]
    pub fn with_max_vertices(mut self, max_vertices: usize) -> Self {
        self.max_vertices = max_vertices;
        self
    }

    /// Threads that apply a large batch; 0 for as many as the rayon pool has.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }
}
