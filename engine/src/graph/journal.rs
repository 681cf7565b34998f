//! Recorded batches: a journal gets each batch before it is applied, and the batch can be applied once more from the record.
//!
//! ```text
//!   prepared ──settled──► journal.record ──► applied ──► journal.applied         one batch after the other, under the writer's lock
//!   Recorded ──► Graph::replay ──► the same graph                               as often as somebody likes
//! ```
//!
//! A record does not depend on the graph any more: it has the outcome of each edge that depended on the graph, and the deletions of all
//! edges at a removed vertex.

use std::ops::Range;

use super::prepare::{Prepared, Shape, Step, Steps, one_step};
use super::update::StepKind;
use super::{GraphError, MAX_VERTICES};
use crate::EdgeList;
use crate::batch::fold_sorted;
use crate::sort::Weight;

/// A recorder of batches, which gets them in the order in which they are applied. Both calls come under the writer's lock: no batch is
/// applied between them, and they must not use the graph.
pub trait Journal<V>: Send {
    /// A batch is about to be applied and to make the version of this number; nothing but a panic can stop it any more. With `false` it
    /// is not applied, and the commit fails with [`GraphError::NotRecorded`]. It runs where batches of its size are applied: what it does
    /// in parallel uses these threads, and no other.
    fn record(&mut self, version: u64, batch: &Prepared<V>) -> bool;

    /// The batch that was recorded last was applied. After a panic this is not called.
    fn applied(&mut self, applied: &super::Applied);
}

/// The journal of a graph that is not recorded.
pub(super) struct Nowhere;

impl<V> Journal<V> for Nowhere {
    fn record(&mut self, _: u64, _: &Prepared<V>) -> bool {
        true
    }

    fn applied(&mut self, _: &super::Applied) {}
}

/// The edges of one step of a batch, row by row.
pub struct StepRows<'a, V> {
    step: &'a Step<V>,
    /// Whether each edge is stored in both directions, and recorded once.
    twice: bool,
}

impl<'a, V> StepRows<'a, V> {
    /// What happens to the edges.
    pub fn kind(&self) -> StepKind {
        self.step.kind
    }

    /// An upper bound of the number of sources.
    pub fn num_rows(&self) -> usize {
        self.step.arcs.rows().len()
    }

    /// For each source, ascending, the targets, ascending, and their weights, of which there are none if the edges are deleted. An edge
    /// of an undirected graph comes once, with its smaller end as the source.
    pub fn rows(&self) -> impl Iterator<Item = (u32, &'a [u32], &'a [V])> {
        self.rows_within(0..self.num_rows())
    }

    /// As [`rows`](Self::rows), of a part of the sources: of those whose places among [`num_rows`](Self::num_rows) are in a range. The
    /// parts of consecutive ranges are consecutive.
    ///
    /// # Panics
    ///
    /// If the range goes beyond the number of rows.
    pub fn rows_within(&self, places: Range<usize>) -> impl Iterator<Item = (u32, &'a [u32], &'a [V])> {
        let (batch, twice) = (self.step.arcs.sorted(), self.twice);
        assert!(places.end <= self.num_rows(), "there are {} rows, and {places:?} are asked for", self.num_rows());
        places.filter_map(move |k| {
            let (from, part) = (batch.rows()[k] as u32, batch.row(k));
            let begin = if twice { part.coords.partition_point(|&to| to < from) } else { 0 };
            let (_, part) = part.split_at(begin);
            (!part.is_empty()).then_some((from, part.coords, part.values))
        })
    }
}

impl<V> Prepared<V> {
    /// The changes of edges. No edge is in two steps of a recorded batch.
    pub fn steps(&self) -> impl Iterator<Item = StepRows<'_, V>> {
        let twice = !self.shape.directed;
        self.out.iter().map(move |step| StepRows { step, twice: twice && !step.loops })
    }

    /// Vertices that are removed before edges change, ascending.
    pub fn removed_vertices(&self) -> &[u32] {
        &self.removed
    }

    /// Vertices that are there afterwards, beside the ends of edges that are inserted.
    pub fn named_vertices(&self) -> &[u32] {
        &self.named
    }

    /// One more than the largest vertex that the batch names; those that it only removes do not count.
    pub fn bound(&self) -> usize {
        self.bound
    }
}

/// One step of a recorded batch: edges in any order, each once.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedStep<V> {
    /// What happens to them.
    pub kind: StepKind,
    /// Their sources.
    pub from: Vec<u32>,
    /// Their targets, as many.
    pub to: Vec<u32>,
    /// Their weights, as many; none if they are deleted.
    pub weights: Vec<V>,
}

/// A batch as a [`Journal`] recorded it, for [`Graph::replay`](super::Graph::replay).
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded<V> {
    /// What happens to edges.
    pub steps: Vec<RecordedStep<V>>,
    /// Vertices that are removed before.
    pub removed: Vec<u32>,
    /// Vertices that are there afterwards, beside the ends of edges that are inserted.
    pub named: Vec<u32>,
}

impl<V> Default for Recorded<V> {
    fn default() -> Self {
        Recorded { steps: Vec::new(), removed: Vec::new(), named: Vec::new() }
    }
}

impl<V: Weight> Recorded<V> {
    /// The batch as a graph of a shape takes it.
    pub(super) fn prepare(self, shape: &Shape<V>) -> Result<Prepared<V>, GraphError> {
        let shape = Shape { max_vertices: MAX_VERTICES, ..*shape };
        let mut all = shape.prepare_vertices(self.named)?;
        all.removed = self.removed;
        all.removed.sort_unstable();
        all.removed.dedup();
        for step in self.steps {
            let one = step.prepare(&shape)?;
            all.out.extend(one.out);
            all.incoming.extend(one.incoming);
            all.updates += one.updates;
            all.bound = all.bound.max(one.bound);
        }
        Ok(all)
    }
}

impl<V: Weight> RecordedStep<V> {
    fn prepare(self, shape: &Shape<V>) -> Result<Prepared<V>, GraphError> {
        let RecordedStep { kind, from: src, to: dst, weights: weight } = self;
        let weighed = if kind == StepKind::Delete { 0 } else { src.len() };
        if dst.len() != src.len() || weight.len() != weighed {
            return Err(GraphError::BadRecord);
        }
        let (num_rows, num_cols) = (MAX_VERTICES, MAX_VERTICES);
        if kind == StepKind::Delete {
            let list = EdgeList { num_rows, num_cols, weight: vec![(); src.len()], src, dst };
            return shape.prepare_with(&list, |sorted, _| -> Steps<V> {
                one_step(kind, fold_sorted(sorted, |(), ()| ()).into_positions())
            });
        }
        let list = EdgeList { num_rows, num_cols, src, dst, weight };
        shape.prepare_with(&list, |sorted, _| one_step(kind, fold_sorted(sorted, |_, last| last)))
    }
}
