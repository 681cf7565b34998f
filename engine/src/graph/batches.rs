//! From any sequence of timed events to the batches that a graph takes.
//!
//! ```text
//!   events ──► ids become vertices ──► what left the window is taken off ──► grouped by count or by time ──► Graph::prepare_list
//! ```

use std::borrow::Borrow;
use std::num::{NonZeroU64, NonZeroUsize};

use super::window::{Sliding, Window};
use super::{Action, ExternalId, Ids, IdsError, UpdateList};
use crate::sort::Weight;

/// What happens to an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EdgeChange<V = ()> {
    /// It is inserted with a weight.
    Insert(V),
    /// Its weight is changed, if it is there.
    Reweight(V),
    /// It is deleted, if it is there.
    Delete,
    /// Removes a vertex with all its edges, if the graph has it: both ends of the event are this vertex. Its id stays: the next insertion of
    /// an edge at it adds it again.
    RemoveVertex,
}

/// Something that happens to an edge, whose ends have ids of type `K`: `u64`, `&str` or `String`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Event<K, V = ()> {
    /// Its source, or one end of it.
    pub from: K,
    /// Its target, or the other end.
    pub to: K,
    /// What happens.
    pub change: EdgeChange<V>,
    /// Its time, in any unit. Times must not decrease.
    pub time: i64,
}

impl<K, V> Event<K, V> {
    /// An edge is inserted.
    pub fn insert(time: i64, from: K, to: K, weight: V) -> Self {
        Event { from, to, change: EdgeChange::Insert(weight), time }
    }

    /// The weight of an edge changes.
    pub fn reweight(time: i64, from: K, to: K, weight: V) -> Self {
        Event { from, to, change: EdgeChange::Reweight(weight), time }
    }

    /// An edge is deleted.
    pub fn delete(time: i64, from: K, to: K) -> Self {
        Event { from, to, change: EdgeChange::Delete, time }
    }
}

impl<K: Clone, V> Event<K, V> {
    /// A vertex is removed with all edges at it.
    pub fn remove_vertex(time: i64, vertex: K) -> Self {
        Event { from: vertex.clone(), to: vertex, change: EdgeChange::RemoveVertex, time }
    }
}

/// Where a batch ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Grouping {
    /// After so many events.
    Count(NonZeroUsize),
    /// When the time passes a multiple of this length, counted from the time of the first event.
    Span(NonZeroU64),
}

/// Why an event cannot be in a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// Time goes backwards.
    #[error("event {event} has time {time}, but one before it has {before}; events come in the order of time")]
    Backwards {
        /// Its index among all events, from 0.
        event: usize,
        /// Its time.
        time: i64,
        /// That of an earlier one.
        before: i64,
    },
    /// An id cannot be kept.
    #[error("event {event}: {error}")]
    Ids {
        /// Its index among all events, from 0.
        event: usize,
        /// What is wrong.
        error: IdsError,
    },
}

/// A batch of events.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound(serialize = "V: Copy + serde::Serialize")))]
pub struct EventBatch<V = ()> {
    /// What the graph takes, by [`Graph::apply_list`](super::Graph::apply_list).
    pub updates: UpdateList<V>,
    /// Events in it.
    pub events: usize,
    /// Deletions and changes of edges whose ends no insertion has named, and removals of such vertices; they are not among the updates.
    pub unknown: usize,
    /// Insertions that left the window.
    pub expired: usize,
    /// The time of its last event.
    pub time: i64,
}

/// Makes batches of events that are handed over one by one. [`Batches`] does so with those of an iterator.
///
/// ```
/// use std::num::NonZeroU64;
///
/// use pleach::graph::{Batcher, Event, Graph, GraphOptions, Grouping, Ids};
///
/// let graph: Graph = Graph::new(GraphOptions::default());
/// let ids = Ids::<u64>::new();
/// let mut batcher = Batcher::new(&ids, Grouping::Span(NonZeroU64::new(60).unwrap()), None);
/// for (time, from, to) in [(0, 700, 800), (59, 800, 900), (60, 900, 700)] {
///     if batcher.ends_before(time) && let Some(batch) = batcher.take() {
///         assert_eq!(graph.apply_list(batch.updates)?.new, 2);
///     }
///     batcher.push(Event::insert(time, from, to, ()))?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Batcher<'a, E: ExternalId + ?Sized, V> {
    ids: &'a Ids<E>,
    grouping: Grouping,
    window: Option<Sliding<V>>,
    /// Events so far, in all batches.
    events: usize,
    /// The time of the last event.
    time: Option<i64>,
    /// Where the span of the last event ends.
    span_end: Option<i128>,
    batch: EventBatch<V>,
}

impl<'a, E: ExternalId + ?Sized, V: Weight> Batcher<'a, E, V> {
    /// No events so far; ids become vertices by `ids`. Edges stay for ever without a window.
    pub fn new(ids: &'a Ids<E>, grouping: Grouping, window: Option<Window<V>>) -> Self {
        let window = window.map(Sliding::new);
        Batcher { ids, grouping, window, events: 0, time: None, span_end: None, batch: EventBatch::default() }
    }

    /// Whether the batch is full.
    pub fn is_full(&self) -> bool {
        matches!(self.grouping, Grouping::Count(count) if self.batch.events >= count.get())
    }

    /// Whether an event at a time belongs to the next batch, and not to this one.
    pub fn ends_before(&self, time: i64) -> bool {
        self.is_full() || self.batch.events > 0 && self.span_end.is_some_and(|end| i128::from(time) >= end)
    }

    /// Adds an event to the batch, whether or not it [ends before](Self::ends_before) it.
    ///
    /// # Errors
    ///
    /// If the event is earlier than the one before, or an id cannot be kept. The batch is then as it was before.
    pub fn push<K: Borrow<E>>(&mut self, event: Event<K, V>) -> Result<(), BatchError> {
        let (number, Event { from, to, change, time }) = (self.events, event);
        self.events += 1;
        if let Some(before) = self.time.filter(|&before| time < before) {
            return Err(BatchError::Backwards { event: number, time, before });
        }
        let (from, to) = (from.borrow(), to.borrow());
        let ends = match change {
            EdgeChange::Insert(_) => {
                let intern = |id| self.ids.intern(id).map_err(|error| BatchError::Ids { event: number, error });
                Some((intern(from)?, intern(to)?))
            }
            _ => self.ids.get(from).zip(self.ids.get(to)),
        };
        self.pass(time);
        let batch = &mut self.batch;
        (batch.events, batch.time) = (batch.events + 1, time);
        if let Some(window) = &mut self.window {
            batch.expired += window.expire(time, &mut batch.updates);
        }
        let Some((from, to)) = ends else {
            batch.unknown += 1;
            return Ok(());
        };
        if let Some(window) = &mut self.window {
            match change {
                EdgeChange::Insert(weight) => window.insert(time, from, to, weight),
                EdgeChange::Reweight(weight) => window.reweight(from, to, weight),
                EdgeChange::Delete => window.forget(from, to),
                EdgeChange::RemoveVertex => window.remove_vertex(from),
            }
        }
        let (action, weight) = match change {
            EdgeChange::Insert(weight) => (Action::Insert, weight),
            EdgeChange::Reweight(weight) => (Action::Reweight, weight),
            EdgeChange::Delete => (Action::Delete, V::default()),
            EdgeChange::RemoveVertex => (Action::RemoveVertex, V::default()),
        };
        batch.updates.push(action, from, to, weight);
        Ok(())
    }

    /// Checks and records the time of an event.
    fn pass(&mut self, time: i64) {
        self.time = Some(time);
        if let Grouping::Span(span) = self.grouping {
            let (time, span) = (i128::from(time), i128::from(span.get()));
            let end = self.span_end.get_or_insert(time + span);
            // Spans in which nothing happens make no batches.
            if time >= *end {
                *end += ((time - *end) / span + 1) * span;
            }
        }
    }

    /// The batch; the next one is empty. `None` if no event was added to it.
    pub fn take(&mut self) -> Option<EventBatch<V>> {
        (self.batch.events > 0).then(|| std::mem::take(&mut self.batch))
    }
}

/// The batches of a sequence of events, in order. Ends after the first error; the batches before it are whole.
///
/// What is left in the graph after all of them does not depend on how they were cut into batches.
///
/// ```
/// use std::num::{NonZeroU64, NonZeroUsize};
///
/// use pleach::graph::{Batches, Conflict, Event, GraphOptions, Grouping, Ids, WeightedGraph, Window};
///
/// let options = GraphOptions::default().with_conflict(Conflict::Sum);
/// let (graph, ids) = (WeightedGraph::<u64>::new(options), Ids::<str>::new());
/// let calls = [(0, "ada", "bob", 5), (30, "ada", "bob", 2), (70, "eve", "ada", 1)];
/// let events = calls.map(|(time, from, to, minutes)| Event::insert(time, from, to, minutes));
///
/// // The weight is the minutes of the last hour.
/// let hour = Window::new(NonZeroU64::new(60).unwrap(), &options);
/// for batch in Batches::new(events, &ids, Grouping::Count(NonZeroUsize::new(2).unwrap()), Some(hour)) {
///     graph.apply_list(batch?.updates)?;
/// }
/// let (ada, bob) = (ids.get("ada").unwrap(), ids.get("bob").unwrap());
/// assert_eq!(graph.fresh().weight(ada, bob), Some(&2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Batches<'a, I: Iterator, E: ExternalId + ?Sized, V> {
    events: std::iter::Peekable<I>,
    batcher: Batcher<'a, E, V>,
    ended: bool,
}

impl<'a, I, K, E, V> Batches<'a, I, E, V>
where
    I: Iterator<Item = Event<K, V>>,
    K: Borrow<E>,
    E: ExternalId + ?Sized,
    V: Weight,
{
    /// The batches of `events`, whose ids become vertices by `ids`. Edges stay for ever without a window.
    pub fn new(
        events: impl IntoIterator<IntoIter = I>,
        ids: &'a Ids<E>,
        grouping: Grouping,
        window: Option<Window<V>>,
    ) -> Self {
        let events = events.into_iter().peekable();
        Batches { events, batcher: Batcher::new(ids, grouping, window), ended: false }
    }

    fn batch(&mut self) -> Result<Option<EventBatch<V>>, BatchError> {
        // A full batch does not wait for the event after it.
        while !self.batcher.is_full() {
            let Some(event) = self.events.next_if(|event| !self.batcher.ends_before(event.time)) else { break };
            self.batcher.push(event)?;
        }
        Ok(self.batcher.take())
    }
}

impl<I, K, E, V> Iterator for Batches<'_, I, E, V>
where
    I: Iterator<Item = Event<K, V>>,
    K: Borrow<E>,
    E: ExternalId + ?Sized,
    V: Weight,
{
    type Item = Result<EventBatch<V>, BatchError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let batch = self.batch().transpose();
        self.ended = !matches!(batch, Some(Ok(_)));
        batch
    }
}
