//! From any sequence of timed events to the batches that a graph takes.
//!
//! ```text
//!   events ──► ids become vertices ──► what left the window is taken off ──► grouped by count or by time ──► Graph::apply
//! ```

use std::borrow::Borrow;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::num::{NonZeroU64, NonZeroUsize};

use super::{Action, Conflict, ExternalId, Ids, IdsError, Update};
use crate::sort::Weight;

/// Something that happens to an edge, whose ends have ids of type `K`: `u64`, `&str` or `String`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Event<K, V = ()> {
    /// Its source, or one end of it.
    pub from: K,
    /// Its target, or the other end.
    pub to: K,
    /// The weight with which it is inserted; `None` deletes it.
    pub inserted: Option<V>,
    /// When it happens, in any unit. Times do not fall.
    pub time: i64,
}

impl<K, V> Event<K, V> {
    /// An edge is inserted.
    pub fn insert(time: i64, from: K, to: K, weight: V) -> Self {
        Event { from, to, inserted: Some(weight), time }
    }

    /// An edge is deleted.
    pub fn delete(time: i64, from: K, to: K) -> Self {
        Event { from, to, inserted: None, time }
    }
}

/// Where a batch ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Grouping {
    /// After so many events.
    Count(NonZeroUsize),
    /// Before the first event whose time is so much or more after that of the batch's first event.
    Span(NonZeroU64),
}

/// A sliding window over insertions: an edge's weight is what the insertions of the last so much time come to, and the edge is there as
/// long as there is one.
///
/// With [`Conflict::Sum`] the weight is the sum of what is within the window: what leaves is taken off. The same holds of
/// [`Min`](Conflict::Min), [`Max`](Conflict::Max) and all others; a function in [`Conflict::With`] must be associative. Nothing is
/// subtracted, so that floating-point sums do not drift: a window costs O(1) combinations an insertion, amortized, and memory for the
/// insertions that it holds.
#[derive(Clone, Copy, Debug)]
pub struct Window<V> {
    /// An insertion leaves when the time is so much or more after its own.
    pub length: NonZeroU64,
    /// The conflict option of the graph.
    pub conflict: Conflict<V>,
    /// Whether edges have a direction.
    pub directed: bool,
}

/// Why events make no batch. Batches that were given out before are whole.
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
#[derive(Clone, Debug, PartialEq)]
pub struct EventBatch<V = ()> {
    /// What the graph takes, by [`Graph::apply`](super::Graph::apply).
    pub updates: Vec<Update<V>>,
    /// Events in it.
    pub events: usize,
    /// Deletions of edges whose ends no insertion has named; they are not among the updates.
    pub unknown: usize,
    /// Insertions that left the window.
    pub expired: usize,
    /// The time of its last event.
    pub time: i64,
}

/// The batches of a sequence of events, in order. Ends after the first error.
///
/// What is left in the graph after all of them does not depend on how they were cut into batches.
///
/// ```
/// use std::num::{NonZeroU64, NonZeroUsize};
///
/// use pleach::graph::{Batches, Conflict, Event, GraphOptions, Grouping, Ids, WeightedGraph, Window};
///
/// let options = GraphOptions { conflict: Conflict::Sum, ..GraphOptions::default() };
/// let (graph, ids) = (WeightedGraph::<u64>::new(options), Ids::<str>::new());
/// let calls = [(0, "ada", "bob", 5), (30, "ada", "bob", 2), (70, "eve", "ada", 1)];
/// let events = calls.map(|(time, from, to, minutes)| Event::insert(time, from, to, minutes));
///
/// // The weight is the minutes of the last hour.
/// let hour = Window { length: NonZeroU64::new(60).unwrap(), conflict: Conflict::Sum, directed: true };
/// for batch in Batches::new(events, &ids, Grouping::Count(NonZeroUsize::new(2).unwrap()), Some(hour)) {
///     graph.apply(batch?.updates)?;
/// }
/// let (ada, bob) = (ids.get("ada").unwrap(), ids.get("bob").unwrap());
/// assert_eq!(graph.fresh().weight(ada, bob), Some(&2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Batches<'a, I: Iterator, E: ExternalId + ?Sized, V> {
    events: std::iter::Peekable<std::iter::Enumerate<I>>,
    ids: &'a Ids<E>,
    grouping: Grouping,
    window: Option<Sliding<V>>,
    time: Option<i64>,
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
        let events = events.into_iter().enumerate().peekable();
        Batches { events, ids, grouping, window: window.map(Sliding::new), time: None, ended: false }
    }

    fn batch(&mut self) -> Result<Option<EventBatch<V>>, BatchError> {
        let Some((_, Event { time: begin, .. })) = self.events.peek() else { return Ok(None) };
        let begin = *begin;
        let mut batch = EventBatch { updates: Vec::new(), events: 0, unknown: 0, expired: 0, time: begin };
        loop {
            let goes_on = |event: &(usize, Event<K, V>)| match self.grouping {
                Grouping::Count(count) => batch.events < count.get(),
                Grouping::Span(span) => i128::from(event.1.time) - i128::from(begin) < i128::from(span.get()),
            };
            let Some((number, event)) = self.events.next_if(goes_on) else { break };
            if let Some(before) = self.time.filter(|&before| event.time < before) {
                return Err(BatchError::Backwards { event: number, time: event.time, before });
            }
            (self.time, batch.time) = (Some(event.time), event.time);
            batch.events += 1;
            if let Some(window) = &mut self.window {
                batch.expired += window.expire(event.time, &mut batch.updates);
            }
            let (from, to) = (event.from.borrow(), event.to.borrow());
            let Some(weight) = event.inserted else {
                let Some((from, to)) = self.ids.get(from).zip(self.ids.get(to)) else {
                    batch.unknown += 1;
                    continue;
                };
                batch.updates.push(Update::delete(from, to));
                if let Some(window) = &mut self.window {
                    window.forget(from, to);
                }
                continue;
            };
            let intern = |id| self.ids.intern(id).map_err(|error| BatchError::Ids { event: number, error });
            let (from, to) = (intern(from)?, intern(to)?);
            batch.updates.push(Update { edge: (from, to, weight).into(), action: Action::Insert });
            if let Some(window) = &mut self.window {
                window.insert(event.time, from, to, weight);
            }
        }
        Ok(Some(batch))
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

/// The insertions within a window.
struct Sliding<V> {
    window: Window<V>,
    /// In the order of their times, numbered from `first`.
    insertions: VecDeque<(i64, u32, u32)>,
    first: u64,
    held: HashMap<(u32, u32), Held<V>, foldhash::fast::RandomState>,
}

/// The weights of one edge's insertions, as a queue of two stacks: what all of them come to is known at any time.
///
/// ```text
///   front   a·b·c  b·c  c     each with all later ones of the stack: the oldest is taken off at the end
///   back    d  e  f           and what they come to, d·e·f
/// ```
struct Held<V> {
    /// The number of the oldest insertion that counts.
    since: u64,
    front: Vec<V>,
    back: Vec<V>,
    back_total: Option<V>,
}

impl<V: Weight> Held<V> {
    fn push(&mut self, weight: V, conflict: Conflict<V>) {
        self.back.push(weight);
        self.back_total = Some(self.back_total.map_or(weight, |total| conflict.combine(total, weight)));
    }

    /// Takes the oldest one off.
    fn pop(&mut self, conflict: Conflict<V>) {
        if self.front.is_empty() {
            let mut total = None;
            for weight in self.back.drain(..).rev() {
                let with_later = total.map_or(weight, |later| conflict.combine(weight, later));
                total = Some(with_later);
                self.front.push(with_later);
            }
            self.back_total = None;
        }
        self.front.pop();
    }

    /// What all of them come to.
    fn total(&self, conflict: Conflict<V>) -> Option<V> {
        match (self.front.last(), self.back_total) {
            (Some(&front), Some(back)) => Some(conflict.combine(front, back)),
            (front, back) => front.copied().or(back),
        }
    }
}

impl<V: Weight> Sliding<V> {
    fn new(window: Window<V>) -> Self {
        Sliding { window, insertions: VecDeque::new(), first: 0, held: HashMap::default() }
    }

    /// An edge as it is looked up.
    fn edge(&self, from: u32, to: u32) -> (u32, u32) {
        if self.window.directed { (from, to) } else { (from.min(to), from.max(to)) }
    }

    fn insert(&mut self, time: i64, from: u32, to: u32, weight: V) {
        let (edge, since) = (self.edge(from, to), self.first + self.insertions.len() as u64);
        let empty = || Held { since, front: Vec::new(), back: Vec::new(), back_total: None };
        self.held.entry(edge).or_insert_with(empty).push(weight, self.window.conflict);
        self.insertions.push_back((time, edge.0, edge.1));
    }

    /// An edge was deleted: none of its insertions counts any more.
    fn forget(&mut self, from: u32, to: u32) {
        self.held.remove(&self.edge(from, to));
    }

    /// Takes off what leaves the window at a time, and appends what that makes of the edges; how many insertions leave.
    fn expire(&mut self, now: i64, updates: &mut Vec<Update<V>>) -> usize {
        let (conflict, length) = (self.window.conflict, i128::from(self.window.length.get()));
        let (mut touched, mut expired) = (BTreeSet::new(), 0);
        while let Some(&(time, from, to)) = self.insertions.front() {
            if i128::from(now) - i128::from(time) < length {
                break;
            }
            self.insertions.pop_front();
            // Insertions from before the edge was deleted have been forgotten.
            if let Some(held) = self.held.get_mut(&(from, to)).filter(|held| held.since <= self.first) {
                held.pop(conflict);
                touched.insert((from, to));
                expired += 1;
            }
            self.first += 1;
        }
        for (from, to) in touched {
            updates.push(Update::delete(from, to));
            match self.held.get(&(from, to)).and_then(|held| held.total(conflict)) {
                Some(weight) => updates.push(Update { edge: (from, to, weight).into(), action: Action::Insert }),
                None => drop(self.held.remove(&(from, to))),
            }
        }
        expired
    }
}
