//! How a batch of updates is prepared: everything that can fail, before anything is touched.
//!
//! ```text
//!   updates in any order ──sort──► runs of updates of one edge ──fold──► steps: disjoint sorted batches, each of one kind
//!                                                             └────────► contested edges, whose outcome needs a look at the graph
//! ```
//!
//! It does not depend on the store of the graph, and is compiled once for all stores.

use std::collections::HashMap;
use std::fmt;
use std::mem::{discriminant, take};
use std::ops::Range;

use pleach_runtime::{par_concat, par_items};
use smallvec::SmallVec;

use super::error::GraphError;
use super::options::Conflict;
use super::update::{Action, StepKind, UpdateList};
use super::version::outcome;
use crate::batch::{fold_sorted, joined, row_ranges};
use crate::sort::{SortedArcs, Weight, bounds, sort_arcs};
use crate::{Batch, EdgeList};

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

impl<V: Weight> Contested<V> {
    /// Appends an edge with its updates. An edge at a vertex that was removed before them is deleted first.
    fn push(&mut self, key: u64, after_removal: bool, updates: &[(Action, V)]) {
        self.updates.extend(after_removal.then(|| (Action::Delete, V::default())));
        self.updates.extend_from_slice(updates);
        self.keys.push(key);
        self.ends.push(self.updates.len());
    }

    /// The edges, each with its updates.
    pub(super) fn edges(&self) -> impl Iterator<Item = (u64, &[(Action, V)])> {
        let mut begin = 0;
        self.keys.iter().zip(&self.ends).map(move |(&key, &end)| {
            let updates = &self.updates[begin..end];
            begin = end;
            (key, updates)
        })
    }

    /// Edges with the updates that removals of vertices undo, in any order of edges. A removal deletes the edges at its vertex.
    fn of_undone(mut undone: Vec<Undone<V>>) -> Self {
        // Stable: the updates of an edge stay in their order.
        undone.sort_by_key(|update| update.key);
        let mut contested = Contested::default();
        for updates in undone.chunk_by(|a, b| a.key == b.key) {
            let mut before = 0;
            for &Undone { at, removal, update, .. } in updates {
                if removal > before {
                    contested.updates.push((Action::Delete, V::default()));
                }
                contested.updates.push(update);
                before = at;
            }
            contested.keys.push(updates[0].key);
            contested.ends.push(contested.updates.len());
        }
        contested
    }

    /// Appends other edges.
    fn append(&mut self, mut other: Self) {
        let before = self.updates.len();
        self.ends.extend(other.ends.iter().map(|end| before + end));
        self.keys.append(&mut other.keys);
        self.updates.append(&mut other.updates);
    }
}

/// What a sorted batch leaves to its commit beside its steps.
pub(super) struct Aside<V> {
    contested: Contested<V>,
    /// Ends of edges that are inserted and deleted again.
    named: Vec<u32>,
}

impl<V> Default for Aside<V> {
    fn default() -> Self {
        Aside { contested: Contested::default(), named: Vec::new() }
    }
}

impl<V: Weight> Aside<V> {
    /// Appends the same of other edges.
    fn append(&mut self, mut other: Self) {
        self.contested.append(other.contested);
        self.named.append(&mut other.named);
    }
}

/// An update of an edge that a later removal of one of its ends undoes.
struct Undone<V> {
    key: u64,
    /// 1 + its position in the batch.
    at: usize,
    /// 1 + the position of the last removal of an end before it, or 0.
    removal: usize,
    update: (Action, V),
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
    /// Edges with the updates that removals undo, for which the batch may fail all the same. Filled only under [`Conflict::Error`].
    pub(super) checked: Contested<V>,
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
        let (contested, checked) = (Contested::default(), Contested::default());
        let (removed, named) = (Vec::new(), Vec::new());
        Prepared { out, incoming, contested, checked, removed, named, updates, bound, shape: *self }
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
        fold: impl Fn(SortedArcs<P>, &mut Aside<V>) -> Steps<V> + Sync,
    ) -> Result<Prepared<V>, GraphError> {
        let bound = self.check(list)?;
        let steps = |list: &EdgeList<P>, mirrored| {
            let sorted = sort_arcs(list, mirrored).map_err(|bytes| GraphError::OutOfMemory { bytes })?;
            let mut aside = Aside::default();
            Ok::<_, GraphError>((fold(sorted, &mut aside), aside))
        };
        let updates = list.len();
        if self.directed {
            let (out, Aside { contested, named }) = steps(list, false)?;
            let incoming = if self.incoming { transposed(&out, false)? } else { Steps::new() };
            return Ok(Prepared { contested, named, ..self.settled(out, incoming, updates, bound) });
        }
        let (mut out, mut aside) = steps(list, true)?;
        let loops = par_concat(list.len(), SEARCHED, |range| range.filter(|&k| list.src[k] == list.dst[k]).collect());
        if !loops.is_empty() {
            let of = |ids: &[u32]| -> Vec<u32> { loops.iter().map(|&k| ids[k]).collect() };
            let (src, dst) = (of(&list.src), of(&list.dst));
            let weight = loops.iter().map(|&k| list.weight[k]).collect();
            let (loops, more) = steps(&EdgeList { src, dst, weight, ..EdgeList::new(0, 0) }, false)?;
            out.extend(loops.into_iter().map(|step| Step { loops: true, ..step }));
            aside.append(more);
        }
        let Aside { contested, named } = aside;
        Ok(Prepared { contested, named, ..self.settled(out, Steps::new(), updates, bound) })
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
    /// removed before see no such edge. If no edge may be inserted twice, updates that are left out are checked, too: a batch fails if its
    /// updates would fail in several batches.
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
        let checks = matches!(self.conflict, Conflict::Error);
        let (mut checked, mut so_far) = (Vec::new(), Removals::default());
        for (at, (from, to, update)) in updates().enumerate() {
            let stays = [from, to].map(|end| removals.0.get(&end).is_none_or(|&removal| removal < at));
            if update.0 == Action::RemoveVertex {
                if checks {
                    so_far.0.insert(from, at + 1);
                }
                continue;
            }
            if stays == [true; 2] {
                kept.push(from, to, update);
                continue;
            }
            undone += 1;
            if checks {
                let (row, col) = if self.directed { (from, to) } else { (from.min(to), from.max(to)) };
                let removal = [from, to].iter().filter_map(|end| so_far.0.get(end)).max();
                let removal = removal.copied().unwrap_or_default();
                checked.push(Undone { key: u64::from(row) << 32 | u64::from(col), at: at + 1, removal, update });
            }
            if update.0 == Action::Insert {
                named.extend([from, to].into_iter().zip(stays).filter(|&(_, stays)| stays).map(|(end, _)| end));
            }
        }
        let mut prepared = self.prepare_edges(&kept, &removals)?;
        prepared.bound = named.iter().fold(prepared.bound, |bound, &vertex| bound.max(vertex as usize + 1));
        prepared.updates += undone;
        prepared.removed = removals.0.into_keys().collect();
        prepared.removed.sort_unstable();
        prepared.named.extend(named);
        prepared.checked = Contested::of_undone(checked);
        Ok(prepared)
    }

    /// Prepares updates of edges, all after the removals.
    fn prepare_edges(&self, list: &EdgeList<(Action, V)>, removals: &Removals) -> Result<Prepared<V>, GraphError> {
        self.prepare_with(list, |sorted, aside| {
            let parts = par_items(row_ranges(&sorted.keys), |range| self.fold(&sorted, range, removals));
            Folded::into_steps(parts, aside)
        })
    }

    /// Makes one update of those of each edge, within a range of sorted arcs.
    fn fold(&self, sorted: &SortedArcs<(Action, V)>, range: Range<usize>, removals: &Removals) -> Folded<V> {
        let mut folded = Folded::default();
        let mut begin = range.start;
        for run in sorted.keys[range].chunk_by(|a, b| a == b) {
            let updates = &sorted.payloads[begin..begin + run.len()];
            begin += run.len();
            let (key, action) = (run[0], updates[0].0);
            let alike = updates.iter().all(|update| update.0 == action);
            let after_removal = removals.touch(key);
            let folds = updates.len() > 1 && self.conflict.folds_from_old() || self.conflict.looks_first();
            if !(after_removal || alike || self.conflict.looks_first())
                && folded.after_deletion(key, updates, self.conflict)
            {
                continue;
            }
            if after_removal || !alike || action == Action::Insert && folds {
                folded.aside.contested.push(key, after_removal, updates);
                continue;
            }
            let weights = updates.iter().map(|update| update.1);
            match action {
                Action::Insert => {
                    let weight = weights.reduce(|old, new| self.conflict.combine(old, new));
                    folded.push(StepKind::Insert, key, weight);
                }
                Action::Delete => folded.push(StepKind::Delete, key, None),
                _ => folded.push(StepKind::Reweight, key, weights.last()),
            }
        }
        folded
    }
}

/// The kinds of steps in a mixed batch.
const KINDS: [StepKind; 4] = [StepKind::Insert, StepKind::Put, StepKind::Reweight, StepKind::Delete];

/// One update for each edge of a part of a mixed batch.
struct Folded<V> {
    /// Positions, ascending, and a weight each, for each of [`KINDS`]. Edges that are deleted have no weights.
    kinds: [(Vec<u64>, SmallVec<[V; 2]>); KINDS.len()],
    aside: Aside<V>,
}

impl<V> Default for Folded<V> {
    fn default() -> Self {
        Folded { kinds: Default::default(), aside: Aside::default() }
    }
}

impl<V: Weight> Folded<V> {
    /// Appends an edge to those of a kind.
    fn push(&mut self, kind: StepKind, key: u64, weight: Option<V>) {
        let (keys, values) = &mut self.kinds[kind as usize];
        keys.push(key);
        values.extend(weight);
    }

    /// Appends an edge if one of its updates deletes it, and returns whether one does. Updates after the last deletion begin without the edge,
    /// so that its outcome does not depend on the graph. Not for conflicts that look at the existing weight first.
    fn after_deletion(&mut self, key: u64, updates: &[(Action, V)], conflict: Conflict<V>) -> bool {
        let Some(last) = updates.iter().rposition(|update| update.0 == Action::Delete) else { return false };
        let ends = ((key >> 32) as u32, key as u32);
        match outcome(None, &updates[last + 1..], conflict, ends) {
            Ok(Some(weight)) => self.push(StepKind::Put, key, Some(weight)),
            Ok(None) => {
                self.push(StepKind::Delete, key, None);
                if updates.iter().any(|update| update.0 == Action::Insert) {
                    self.aside.named.extend([ends.0, ends.1]);
                }
            }
            Err(_) => return false,
        }
        true
    }

    /// The steps of all parts, which are in order. Contested edges and named ends are appended to `aside`.
    fn into_steps(mut parts: Vec<Self>, aside: &mut Aside<V>) -> Steps<V> {
        for part in &mut parts {
            aside.append(take(&mut part.aside));
        }
        let batch = |kind: usize| match &mut parts[..] {
            [part] => {
                let (keys, values) = take(&mut part.kinds[kind]);
                Batch::from_sorted(&keys, values)
            }
            parts => joined(parts.iter().map(|part| (&part.kinds[kind].0[..], &part.kinds[kind].1[..])).collect()),
        };
        (0..KINDS.len()).map(batch).zip(KINDS).flat_map(|(arcs, kind)| one_step(kind, arcs)).collect()
    }
}

/// The position of the last removal of each vertex that a batch, or a part of it, removes.
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

#[cfg(test)]
mod tests {
    use crate::graph::{Conflict, GraphOptions, Update, WeightedGraph};

    #[test]
    fn updates_behind_a_deletion_need_no_look_at_the_graph() {
        let first = GraphOptions::default().with_conflict(Conflict::First);
        let graph: WeightedGraph<i64> = WeightedGraph::new(first);
        graph.insert([(1, 2, 4), (3, 4, 4), (5, 6, 4)]).unwrap();
        let edges = [
            Update::insert((1, 2, 5)),
            Update::delete(1, 2),
            Update::insert((1, 2, 7)),
            Update::insert((3, 4, 5)),
            Update::delete(3, 4),
            Update::insert((7, 8, 5)),
            Update::delete(7, 8),
            Update::insert((5, 6, 5)),
            Update::reweight(5, 6, 9),
        ];
        let prepared = graph.prepare(edges).unwrap();
        assert_eq!(prepared.contested.keys, [5 << 32 | 6]);
        assert_eq!(prepared.named, [3, 4, 7, 8]);
        graph.commit(prepared).unwrap();
        let snapshot = graph.fresh();
        assert_eq!(
            snapshot.edges().map(|(from, to, &weight)| (from, to, weight)).collect::<Vec<_>>(),
            [(1, 2, 7), (5, 6, 9)]
        );
        assert!(snapshot.vertices().eq(1..=8));
    }
}
