//! Updates of edges, and how a batch of them is prepared: everything that can fail, before anything is touched.
//!
//! ```text
//!   updates in any order ──sort──► runs of updates of one edge ──fold──► steps: disjoint sorted batches, each of one kind
//!                                                             └────────► contested edges, whose outcome needs a look at the graph
//! ```

use std::collections::HashMap;
use std::fmt;
use std::mem::discriminant;

use pleach_runtime::{attempt, par_concat};
use smallvec::SmallVec;

use super::error::{GraphError, MAX_VERTICES};
use super::options::Conflict;
use crate::batch::fold_sorted;
use crate::sort::{SortedArcs, Weight, bounds, sort_arcs};
use crate::{Batch, EdgeList};

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
    /// It is inserted. If it exists already, the graph's [`Conflict`] option chooses its weight.
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
    edges: EdgeList<V>,
    actions: Vec<Action>,
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
    /// Inserts, and combines with an existing weight as the graph's [`Conflict`] option says.
    Insert,
    /// Inserts, and replaces an existing weight.
    Put,
    /// Replaces what is there.
    Reweight,
    /// Takes out what is there.
    Delete,
}

/// A sorted batch of one kind. The steps of a batch name different edges, so their order does not matter.
pub(super) struct Step<V> {
    pub kind: StepKind,
    pub arcs: Batch<V>,
    /// All arcs are self loops of an undirected graph, which are kept once, while all others are kept twice.
    pub loops: bool,
}

/// The steps for one of a graph's matrices.
pub(super) type Steps<V> = SmallVec<[Step<V>; 1]>;

/// Edges whose new weight depends on the existing one, each with its updates.
pub(super) struct Contested<V> {
    pub keys: Vec<u64>,
    /// Where the updates of each edge end.
    pub ends: Vec<usize>,
    pub updates: Vec<(Action, V)>,
}

impl<V> Contested<V> {
    /// Takes in those of other edges.
    fn append(&mut self, mut other: Self) {
        let before = self.updates.len();
        self.ends.extend(other.ends.iter().map(|end| before + end));
        self.keys.append(&mut other.keys);
        self.updates.append(&mut other.updates);
    }
}

impl<V> Default for Contested<V> {
    fn default() -> Self {
        Contested { keys: Vec::new(), ends: Vec::new(), updates: Vec::new() }
    }
}

/// A batch that is sorted and checked, for [`Graph::commit`](super::Graph::commit). Making one touches no graph.
pub struct Prepared<V = ()> {
    pub(super) out: Steps<V>,
    pub(super) incoming: Steps<V>,
    pub(super) contested: Contested<V>,
    /// Vertices that are removed, ascending. Edges at them that are updated afterwards are contested, and deleted first.
    pub(super) removed: Vec<u32>,
    /// Ends of edges that are inserted and deleted again, and are not removed afterwards.
    pub(super) named: Vec<u32>,
    pub(super) updates: usize,
    /// One more than the largest vertex.
    pub(super) bound: usize,
    /// What it was prepared for.
    pub(super) shape: Shape<V>,
}

impl<V> Prepared<V> {
    /// Number of arcs in both matrices.
    pub(super) fn arcs(&self) -> usize {
        self.out.iter().chain(&self.incoming).map(|step| step.arcs.len()).sum()
    }
}

impl<V> fmt::Debug for Prepared<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared")
            .field("updates", &self.updates)
            .field("vertices_removed", &self.removed.len())
            .finish_non_exhaustive()
    }
}

/// The properties of a graph that its batches depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape<V> {
    pub directed: bool,
    pub incoming: bool,
    pub conflict: Conflict<V>,
    pub max_vertices: usize,
}

// The following do not depend on the store of the graph, and are compiled once for all stores.

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

impl<V: Weight> Shape<V> {
    /// Whether a batch that was prepared for one shape may be applied to a graph of the other.
    pub(super) fn accept(&self, prepared: &Prepared<V>) -> Result<(), GraphError> {
        let other = &prepared.shape;
        let alike = self.directed == other.directed
            && self.has_incoming() == other.has_incoming()
            && discriminant(&self.conflict) == discriminant(&other.conflict)
            && prepared.bound <= self.max_vertices;
        if alike { Ok(()) } else { Err(GraphError::OtherShape { prepared: other.words(), graph: self.words() }) }
    }

    /// Whether there is a matrix of in-arcs beside that of out-arcs.
    fn has_incoming(&self) -> bool {
        self.directed && self.incoming
    }

    /// The shape in words.
    fn words(&self) -> String {
        let kind = match (self.directed, self.incoming) {
            (false, _) => "an undirected graph",
            (true, true) => "a directed graph with in-arcs",
            (true, false) => "a directed graph without in-arcs",
        };
        format!("{kind} of up to {} vertices in which {}", self.max_vertices, self.conflict.words())
    }

    /// A batch of steps without contested edges.
    pub(super) fn settled(&self, out: Steps<V>, incoming: Steps<V>, updates: usize, bound: usize) -> Prepared<V> {
        let (contested, removed, named) = (Contested::default(), Vec::new(), Vec::new());
        Prepared { out, incoming, contested, removed, named, updates, bound, shape: *self }
    }

    /// Checks the vertices of a list; one more than the largest.
    fn check<P>(&self, list: &EdgeList<P>) -> Result<usize, GraphError> {
        if list.is_empty() {
            return Ok(0);
        }
        let bound = bounds(&list.src).1.max(bounds(&list.dst).1) as usize + 1;
        if bound <= self.max_vertices {
            return Ok(bound);
        }
        let outside = |vertex: u32| vertex as usize >= self.max_vertices;
        let ends = list.src.iter().zip(&list.dst);
        let (update, vertex) = ends
            .enumerate()
            .find_map(|(k, (&from, &to))| outside(from).then_some((k, from)).or_else(|| outside(to).then_some((k, to))))
            .expect("some vertex is beyond the limit");
        Err(GraphError::VertexOutOfRange { update, vertex, limit: self.max_vertices })
    }

    /// Prepares the addition of vertices, with or without edges.
    pub(super) fn prepare_vertices(&self, vertices: Vec<u32>) -> Result<Prepared<V>, GraphError> {
        let limit = self.max_vertices;
        if let Some((update, &vertex)) = vertices.iter().enumerate().find(|&(_, &vertex)| vertex as usize >= limit) {
            return Err(GraphError::VertexOutOfRange { update, vertex, limit });
        }
        let bound = vertices.iter().max().map_or(0, |&last| last as usize + 1);
        Ok(Prepared { named: vertices, ..self.settled(Steps::new(), Steps::new(), 0, bound) })
    }

    /// Sorts a list once and makes steps of it by `fold`; those for in-arcs are the same transposed. Contested edges are those of the
    /// matrix of out-arcs.
    pub(super) fn prepare_with<P: Copy + Default + Send + Sync>(
        &self,
        list: &EdgeList<P>,
        fold: impl Fn(SortedArcs<P>, &mut Contested<V>) -> Steps<V> + Sync,
    ) -> Result<Prepared<V>, GraphError> {
        let bound = self.check(list)?;
        let steps = |list: &EdgeList<P>, mirrored| {
            let sorted = sort_arcs(list, mirrored).map_err(|bytes| GraphError::OutOfMemory { bytes })?;
            let mut contested = Contested::default();
            Ok::<_, GraphError>((fold(sorted, &mut contested), contested))
        };
        let updates = list.len();
        if self.directed {
            let (out, contested) = steps(list, false)?;
            let incoming = if self.incoming { transposed(&out, false)? } else { Steps::new() };
            return Ok(Prepared { contested, ..self.settled(out, incoming, updates, bound) });
        }
        let (mut out, mut contested) = steps(list, true)?;
        let loops = par_concat(list.len(), SEARCHED, |range| range.filter(|&k| list.src[k] == list.dst[k]).collect());
        if !loops.is_empty() {
            let of = |ids: &[u32]| -> Vec<u32> { loops.iter().map(|&k| ids[k]).collect() };
            let (src, dst) = (of(&list.src), of(&list.dst));
            let weight = loops.iter().map(|&k| list.weight[k]).collect();
            let (loops, more) = steps(&EdgeList { src, dst, weight, ..EdgeList::new(0, 0) }, false)?;
            out.extend(loops.into_iter().map(|step| Step { loops: true, ..step }));
            contested.append(more);
        }
        Ok(Prepared { contested, ..self.settled(out, Steps::new(), updates, bound) })
    }

    /// Prepares edges that are inserted.
    pub(super) fn prepare_insert(&self, list: &EdgeList<V>) -> Result<Prepared<V>, GraphError> {
        let conflict = self.conflict;
        if conflict.folds_from_old() {
            return self.prepare_mixed(&with_action(list, Action::Insert));
        }
        self.prepare_with(list, |sorted, _| {
            one_step(StepKind::Insert, fold_sorted(sorted, |old, new| conflict.combine(old, new)))
        })
    }

    /// Prepares edges whose weight is changed: the last one wins.
    pub(super) fn prepare_reweight(&self, list: &EdgeList<V>) -> Result<Prepared<V>, GraphError> {
        if size_of::<V>() == 0 && !list.is_empty() {
            return Err(GraphError::NoWeights { update: 0 });
        }
        self.prepare_with(list, |sorted, _| one_step(StepKind::Reweight, fold_sorted(sorted, |_, new| new)))
    }

    /// Prepares edges that are deleted.
    pub(super) fn prepare_delete(&self, list: &EdgeList<()>) -> Result<Prepared<V>, GraphError> {
        self.prepare_with(list, |sorted, _| {
            one_step(StepKind::Delete, fold_sorted(sorted, |(), ()| ()).into_positions())
        })
    }

    /// Prepares updates in columns. Updates of one kind are not copied.
    pub(super) fn prepare_list(&self, updates: UpdateList<V>) -> Result<Prepared<V>, GraphError> {
        let UpdateList { edges, actions } = updates;
        let all = |action| actions.iter().all(|&each| each == action);
        if all(Action::Insert) {
            return self.prepare_insert(&edges);
        }
        let EdgeList { num_rows, num_cols, src, dst, weight } = edges;
        if all(Action::Delete) {
            let weight = vec![(); src.len()];
            return self.prepare_delete(&EdgeList { num_rows, num_cols, src, dst, weight });
        }
        let weight = actions.into_iter().zip(weight).collect();
        self.prepare_mixed(&EdgeList { num_rows, num_cols, src, dst, weight })
    }

    /// Prepares updates of any kind.
    pub(super) fn prepare_mixed(&self, list: &EdgeList<(Action, V)>) -> Result<Prepared<V>, GraphError> {
        if size_of::<V>() == 0
            && let Some(update) = list.weight.iter().position(|update| update.0 == Action::Reweight)
        {
            return Err(GraphError::NoWeights { update });
        }
        if list.weight.iter().any(|update| update.0 == Action::RemoveVertex) {
            self.prepare_removals(list)
        } else {
            self.prepare_edges(list, &Removals::default())
        }
    }

    /// Prepares updates some of which remove vertices: those that a removal undoes are left out, and those of edges at a vertex that was
    /// removed before see no such edge.
    fn prepare_removals(&self, list: &EdgeList<(Action, V)>) -> Result<Prepared<V>, GraphError> {
        let mut removals = Removals::default();
        let updates =
            || list.src.iter().zip(&list.dst).zip(&list.weight).map(|((&from, &to), &update)| (from, to, update));
        for (at, (from, to, update)) in updates().enumerate() {
            if update.0 == Action::RemoveVertex {
                removals.0.insert(from, at);
            } else if let Some(&vertex) = [from, to].iter().find(|&&end| end as usize >= self.max_vertices) {
                return Err(GraphError::VertexOutOfRange { update: at, vertex, limit: self.max_vertices });
            }
        }
        let mut kept = EdgeList::new(self.max_vertices, self.max_vertices);
        let (mut named, mut undone) = (Vec::new(), 0);
        for (at, (from, to, update)) in updates().enumerate() {
            let stays = [from, to].map(|end| removals.0.get(&end).is_none_or(|&removal| removal < at));
            if update.0 == Action::RemoveVertex {
                continue;
            }
            if stays == [true; 2] {
                kept.push(from, to, update);
                continue;
            }
            undone += 1;
            if update.0 == Action::Insert {
                named.extend([from, to].into_iter().zip(stays).filter(|&(_, stays)| stays).map(|(end, _)| end));
            }
        }
        let mut prepared = self.prepare_edges(&kept, &removals)?;
        prepared.bound = named.iter().fold(prepared.bound, |bound, &vertex| bound.max(vertex as usize + 1));
        prepared.updates += undone;
        prepared.removed = removals.0.into_keys().collect();
        prepared.removed.sort_unstable();
        prepared.named = named;
        Ok(prepared)
    }

    /// Prepares updates of edges, all after the removals.
    fn prepare_edges(&self, list: &EdgeList<(Action, V)>, removals: &Removals) -> Result<Prepared<V>, GraphError> {
        self.prepare_with(list, |sorted, contested| {
            let mut steps = [StepKind::Insert, StepKind::Reweight, StepKind::Delete]
                .map(|kind| (kind, Vec::new(), SmallVec::new()));
            for run in sorted.keys.chunk_by(|a, b| a == b).scan(0, |end, run| {
                *end += run.len();
                Some(*end - run.len()..*end)
            }) {
                let (key, updates) = (sorted.keys[run.start], &sorted.payloads[run]);
                let action = updates[0].0;
                let alike = updates.iter().all(|update| update.0 == action);
                let after_removal = removals.touch(key);
                if after_removal {
                    contested.updates.push((Action::Delete, V::default()));
                }
                let folds = updates.len() > 1 && self.conflict.folds_from_old() || self.conflict.looks_first();
                if after_removal || !alike || action == Action::Insert && folds {
                    contested.keys.push(key);
                    contested.updates.extend_from_slice(updates);
                    contested.ends.push(contested.updates.len());
                    continue;
                }
                let weights = updates.iter().map(|update| update.1);
                let weight = match action {
                    Action::Insert => weights.reduce(|old, new| self.conflict.combine(old, new)),
                    _ => weights.last(),
                };
                let (_, keys, values) = &mut steps[action as usize];
                keys.push(key);
                if action != Action::Delete {
                    values.extend(weight);
                }
            }
            steps
                .into_iter()
                .flat_map(|(kind, keys, values)| one_step(kind, Batch::from_sorted(&keys, values)))
                .collect()
        })
    }
}

/// The position of the last removal of each vertex that a batch removes.
#[derive(Default)]
struct Removals(HashMap<u32, usize, foldhash::fast::RandomState>);

impl Removals {
    /// Whether an end of an arc is removed.
    fn touch(&self, key: u64) -> bool {
        !self.0.is_empty() && (self.0.contains_key(&(key as u32)) || self.0.contains_key(&((key >> 32) as u32)))
    }
}

/// A list of edges with the same action each.
fn with_action<V: Copy>(list: &EdgeList<V>, action: Action) -> EdgeList<(Action, V)> {
    let weight = list.weight.iter().map(|&weight| (action, weight)).collect();
    EdgeList { src: list.src.clone(), dst: list.dst.clone(), weight, ..EdgeList::new(0, 0) }
}

/// Edges among which one task looks for self loops.
const SEARCHED: usize = 1 << 13;

/// The only step of a batch of one kind.
pub(super) fn one_step<V>(kind: StepKind, arcs: Batch<V>) -> Steps<V> {
    (!arcs.is_empty()).then_some(Step { kind, arcs, loops: false }).into_iter().collect()
}

/// The steps for in-arcs of those for out-arcs. With `alone` no other thread takes part.
pub(super) fn transposed<V: Weight>(out: &Steps<V>, alone: bool) -> Result<Steps<V>, GraphError> {
    let turned = |step: &Step<V>| {
        let arcs = step.arcs.transposed(alone).map_err(|bytes| GraphError::OutOfMemory { bytes })?;
        Ok(Step { arcs, ..*step })
    };
    out.iter().map(turned).collect()
}

/// The steps of strictly ascending positions: of an undirected graph, self loops apart.
pub(super) fn steps_of<V: Copy>(kind: StepKind, keys: &[u64], values: &[V], directed: bool) -> Steps<V> {
    if directed {
        return one_step(kind, Batch::from_sorted(keys, SmallVec::from_slice(values)));
    }
    let is_loop = |key: u64| key >> 32 == key & u64::from(u32::MAX);
    let part = |loops: bool| {
        let chosen: Vec<u64> = keys.iter().copied().filter(|&key| is_loop(key) == loops).collect();
        let values = keys.iter().zip(values).filter(|&(&key, _)| is_loop(key) == loops).map(|(_, &value)| value);
        one_step(kind, Batch::from_sorted(&chosen, values.collect()))
            .into_iter()
            .map(move |step| Step { loops, ..step })
    };
    part(false).chain(part(true)).collect()
}
