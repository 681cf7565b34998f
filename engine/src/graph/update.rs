//! Updates of edges and their effect, and how lists of them are collected.

use pleach_runtime::attempt;

use super::error::{GraphError, MAX_VERTICES};
use crate::EdgeList;

/// An edge with its weight. Made from `(from, to)` in a graph without weights and from `(from, to, weight)` in one with them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Edge<V = ()> {
    /// Its source, or one end of it.
    pub from: u32,
    /// Its target, or the other end.
    pub to: u32,
    /// Its weight.
    pub weight: V,
}

impl From<(u32, u32)> for Edge {
    fn from((from, to): (u32, u32)) -> Self {
        Edge { from, to, weight: () }
    }
}

impl<V> From<(u32, u32, V)> for Edge<V> {
    fn from((from, to, weight): (u32, u32, V)) -> Self {
        Edge { from, to, weight }
    }
}

/// What an update does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Action {
    /// It is inserted. If it exists already, the graph's [`Conflict`](super::Conflict) option chooses its weight.
    #[default]
    Insert,
    /// Its weight is changed, if it exists.
    Reweight,
    /// It is deleted, if it exists. Its weight is ignored.
    Delete,
    /// The vertex that is both ends of the edge is removed, if it exists, and with it all edges at it: those of the graph, and those that
    /// earlier updates of the batch insert.
    RemoveVertex,
}

/// One update of a mixed batch. Updates of the same edge are applied in the order in which they are listed, and so are the removal of a
/// vertex and updates of edges at it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Update<V = ()> {
    /// The edge.
    pub edge: Edge<V>,
    /// What happens to it.
    pub action: Action,
}

impl<V: Default> Update<V> {
    /// Inserts an edge.
    pub fn insert(edge: impl Into<Edge<V>>) -> Self {
        Update { edge: edge.into(), action: Action::Insert }
    }

    /// Changes the weight of an edge.
    pub fn reweight(from: u32, to: u32, weight: V) -> Self {
        Update { edge: Edge { from, to, weight }, action: Action::Reweight }
    }

    /// Deletes an edge.
    pub fn delete(from: u32, to: u32) -> Self {
        Update { edge: Edge { from, to, weight: V::default() }, action: Action::Delete }
    }

    /// Removes a vertex and all edges at it. The next edge that is inserted at it adds it again.
    pub fn remove_vertex(vertex: u32) -> Self {
        Update { edge: Edge { from: vertex, to: vertex, weight: V::default() }, action: Action::RemoveVertex }
    }
}

/// Updates in columns, in the order in which they are applied. A large batch is prepared from them without a copy.
///
/// ```
/// use pleach::graph::{Action, Graph, GraphOptions, UpdateList};
///
/// let graph: Graph = Graph::new(GraphOptions::default());
/// let mut updates = UpdateList::new();
/// updates.push(Action::Insert, 0, 1, ());
/// updates.push(Action::Delete, 0, 1, ());
/// let applied = graph.commit(graph.prepare_list(updates)?)?;
/// assert_eq!((applied.absent, applied.merged, graph.fresh().num_vertices()), (1, 1, 2));
/// # Ok::<(), pleach::graph::GraphError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateList<V = ()> {
    pub(super) edges: EdgeList<V>,
    pub(super) actions: Vec<Action>,
}

impl<V> Default for UpdateList<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V> UpdateList<V> {
    /// No updates.
    pub fn new() -> Self {
        UpdateList { edges: EdgeList::new(MAX_VERTICES, MAX_VERTICES), actions: Vec::new() }
    }

    /// Appends an update.
    pub fn push(&mut self, action: Action, from: u32, to: u32, weight: V) {
        self.edges.src.push(from);
        self.edges.dst.push(to);
        self.edges.weight.push(weight);
        self.actions.push(action);
    }

    /// Number of updates.
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// What each update does.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// The source and the target, or the two ends, of each edge.
    pub fn ends(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.edges.src.iter().copied().zip(self.edges.dst.iter().copied())
    }
}

impl<V: Copy> UpdateList<V> {
    /// The updates.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Update<V>> {
        let update = |((&action, (from, to)), &weight)| Update { edge: Edge { from, to, weight }, action };
        self.actions.iter().zip(self.ends()).zip(&self.edges.weight).map(update)
    }
}

impl<V> FromIterator<Update<V>> for UpdateList<V> {
    fn from_iter<I: IntoIterator<Item = Update<V>>>(updates: I) -> Self {
        let mut list = UpdateList::new();
        updates.into_iter().for_each(|Update { edge, action }| list.push(action, edge.from, edge.to, edge.weight));
        list
    }
}

#[cfg(feature = "serde")]
impl<V: Copy + serde::Serialize> serde::Serialize for UpdateList<V> {
    /// As a list of [`Update`].
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter())
    }
}

#[cfg(feature = "serde")]
impl<'de, V: serde::Deserialize<'de>> serde::Deserialize<'de> for UpdateList<V> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Vec::<Update<V>>::deserialize(from)?.into_iter().collect())
    }
}

/// The effect of a batch. Edges are counted, not updates: of several updates of one edge the net effect counts, and an undirected edge
/// counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Applied {
    /// Edges inserted.
    pub new: usize,
    /// Edges that existed and whose weight changed.
    pub changed: usize,
    /// Edges that existed and stayed unchanged.
    pub unchanged: usize,
    /// Edges deleted.
    pub removed: usize,
    /// Edges that were to be deleted or to change weight, but did not exist.
    pub absent: usize,
    /// Updates beyond the first of their edge, folded into it, and those of edges at a vertex that is removed later in the batch.
    pub merged: usize,
    /// Vertices that were removed.
    pub vertices_removed: usize,
    /// The number of batches the graph has taken, this one included: the number of the version that holds it.
    pub version: u64,
}

impl Applied {
    /// The updates of the batch: all of its edges, including those removed with a vertex, and those that were merged.
    pub fn updates(&self) -> usize {
        self.new + self.changed + self.unchanged + self.removed + self.absent + self.merged
    }
}

/// What a step of a prepared batch does with each of its edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StepKind {
    /// Inserts, and combines with an existing weight as the graph's [`Conflict`](super::Conflict) option says.
    Insert,
    /// Inserts, and replaces an existing weight.
    Put,
    /// Replaces what is there.
    Reweight,
    /// Takes out what is there.
    Delete,
}

// What follows does not depend on the store of the graph, and is compiled once for all stores.

/// Collects edges with weights.
pub(super) fn collect_edges<V, E: Into<Edge<V>>>(edges: impl Iterator<Item = E>) -> Result<EdgeList<V>, GraphError> {
    collect(edges.map(Into::into).map(|Edge { from, to, weight }| (from, to, weight)))
}

/// Collects edges without weights.
pub(super) fn collect_ends(edges: impl Iterator<Item = (u32, u32)>) -> Result<EdgeList<()>, GraphError> {
    collect(edges.map(|(from, to)| (from, to, ())))
}

/// Collects updates of any kind.
pub(super) fn collect_updates<V>(
    updates: impl Iterator<Item = Update<V>>,
) -> Result<EdgeList<(Action, V)>, GraphError> {
    collect(updates.map(|Update { edge, action }| (edge.from, edge.to, (action, edge.weight))))
}

/// Collects edges. Fails if the memory for them cannot be allocated.
pub(super) fn collect<P>(edges: impl Iterator<Item = (u32, u32, P)>) -> Result<EdgeList<P>, GraphError> {
    let mut list = EdgeList::new(0, 0);
    let expected = edges.size_hint().0;
    let too_much = |n: usize| GraphError::OutOfMemory { bytes: n.saturating_mul(8 + size_of::<P>()) };
    let reserve = |list: &mut EdgeList<P>, n: usize| {
        let reserved = attempt(|| {
            list.src.try_reserve(n)?;
            list.dst.try_reserve(n)?;
            list.weight.try_reserve(n)
        });
        reserved.map_err(|_| too_much(n))
    };
    reserve(&mut list, expected)?;
    for (from, to, payload) in edges {
        if list.src.len() == list.src.capacity() {
            let n = list.src.len().max(64);
            reserve(&mut list, n)?;
        }
        list.src.push(from);
        list.dst.push(to);
        list.weight.push(payload);
    }
    Ok(list)
}
