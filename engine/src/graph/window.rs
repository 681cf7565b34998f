//! Sliding windows over insertions: what they hold, and the updates by which insertions leave them.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::num::NonZeroU64;

use smallvec::SmallVec;

use super::snapshot::same;
use super::{Action, Conflict, GraphOptions, UpdateList};
use crate::sort::Weight;

/// A sliding window over insertions: the weight of an edge is the combination of the weights inserted within the last `length`, and
/// the edge is there as long as there is such an insertion.
///
/// With [`Conflict::Sum`] the weight is the sum of what is within the window: what leaves is taken off. The same holds of
/// [`Min`](Conflict::Min), [`Max`](Conflict::Max) and all others; a function in [`Conflict::With`] must be associative. Nothing is
/// subtracted, so that floating-point sums do not drift: a window costs O(1) combinations an insertion, amortized, and memory for the
/// insertions that it holds.
///
/// A deleted edge loses all its insertions, and so do all edges at a vertex that is [removed](super::Event::remove_vertex). A changed weight
/// takes the place of the insertions before it, and leaves with the last of them.
///
/// The window knows only what has come through it: an edge that was in the graph before stays until it is inserted or deleted, and its
/// weight from before counts until an insertion that leaves changes the combination of those within. If [`Graph::remove_vertex`] or
/// another call takes an edge out of the graph, the window still holds its insertions. That does not bring the edge back: what leaves the
/// window changes or deletes only edges that are there. But once the edge is inserted again, its earlier insertions count again as soon as
/// one of them leaves. To prevent this, pass removals and deletions as events.
///
/// [`Graph::remove_vertex`]: super::Graph::remove_vertex
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Window<V> {
    /// An insertion leaves when the time is this much or more after its own.
    pub length: NonZeroU64,
    /// The conflict option of the graph.
    pub conflict: Conflict<V>,
    /// Whether edges have a direction.
    pub directed: bool,
}

impl<V: Copy> Window<V> {
    /// A window of `length` units of time, for a graph with these options.
    pub fn new(length: NonZeroU64, options: &GraphOptions<V>) -> Self {
        Window { length, conflict: options.conflict, directed: options.directed }
    }
}

/// The insertions within a window.
pub(super) struct Sliding<V> {
    window: Window<V>,
    /// In the order of their times, numbered from `first`.
    insertions: VecDeque<(i64, u32, u32)>,
    first: u64,
    held: HashMap<(u32, u32), Held<V>, foldhash::fast::RandomState>,
    /// Removals of vertices, in order, each with the number of the next insertion.
    removals: VecDeque<(u64, u32)>,
    /// The number of the first insertion after the last removal of each vertex.
    removed: HashMap<u32, u64, foldhash::fast::RandomState>,
}

/// The weights of one edge's insertions, as a queue of two stacks: the combination of all of them is known at any time.
///
/// ```text
///   front   a·b·c  b·c  c     each combined with all later ones of the stack: the oldest is taken off at the end
///   back    d  e  f           and their combination, d·e·f
/// ```
struct Held<V> {
    /// The number of the oldest insertion that counts.
    since: u64,
    /// That of the newest.
    newest: u64,
    front: SmallVec<[V; 1]>,
    back: SmallVec<[V; 1]>,
    back_total: Option<V>,
}

impl<V: Weight> Held<V> {
    fn new(since: u64) -> Self {
        Held { since, newest: since, front: SmallVec::new(), back: SmallVec::new(), back_total: None }
    }

    fn push(&mut self, number: u64, weight: V, conflict: Conflict<V>) {
        self.newest = number;
        self.back.push(weight);
        self.back_total = Some(self.back_total.map_or(weight, |total| conflict.combine(total, weight)));
    }

    /// Lets a weight stand for all insertions so far, until the newest of them leaves.
    fn replace(&mut self, weight: V) {
        self.since = self.newest;
        self.front.clear();
        self.back.clear();
        self.back.push(weight);
        self.back_total = Some(weight);
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

    /// The combination of all of them.
    fn total(&self, conflict: Conflict<V>) -> Option<V> {
        match (self.front.last(), self.back_total) {
            (Some(&front), Some(back)) => Some(conflict.combine(front, back)),
            (front, back) => front.copied().or(back),
        }
    }
}

impl<V: Weight> Sliding<V> {
    pub(super) fn new(window: Window<V>) -> Self {
        let (held, removed) = (HashMap::default(), HashMap::default());
        Sliding { window, insertions: VecDeque::new(), first: 0, held, removals: VecDeque::new(), removed }
    }

    /// The number of the next insertion.
    fn next_number(&self) -> u64 {
        self.first + self.insertions.len() as u64
    }

    /// The number of the first insertion of an edge that no removal of an end undoes.
    fn counts_from(&self, (from, to): (u32, u32)) -> u64 {
        [from, to].iter().filter_map(|end| self.removed.get(end)).max().copied().unwrap_or(0)
    }

    /// An edge as it is looked up.
    fn edge(&self, from: u32, to: u32) -> (u32, u32) {
        if self.window.directed { (from, to) } else { (from.min(to), from.max(to)) }
    }

    /// An edge is inserted, no earlier than the one before.
    pub(super) fn insert(&mut self, time: i64, from: u32, to: u32, weight: V) {
        let (edge, number) = (self.edge(from, to), self.next_number());
        let counts_from = self.counts_from(edge);
        let held = self.held.entry(edge).or_insert_with(|| Held::new(number));
        if held.newest < counts_from {
            *held = Held::new(number);
        }
        held.push(number, weight, self.window.conflict);
        self.insertions.push_back((time, edge.0, edge.1));
    }

    /// An edge gets another weight.
    pub(super) fn reweight(&mut self, from: u32, to: u32, weight: V) {
        let edge = self.edge(from, to);
        let counts_from = self.counts_from(edge);
        if let Some(held) = self.held.get_mut(&edge).filter(|held| held.newest >= counts_from) {
            held.replace(weight);
        }
    }

    /// An edge was deleted: none of its insertions counts any more.
    pub(super) fn forget(&mut self, from: u32, to: u32) {
        self.held.remove(&self.edge(from, to));
    }

    /// A vertex was removed: no insertion at it counts any more. Takes constant time: such an insertion is found when it leaves, or when its
    /// edge is inserted again.
    pub(super) fn remove_vertex(&mut self, vertex: u32) {
        let next = self.next_number();
        self.removed.insert(vertex, next);
        self.removals.push_back((next, vertex));
    }

    /// Takes off what leaves the window at a time, and appends the updates that follow from it: edges that are deleted, and weights
    /// that change. Returns how many insertions leave.
    pub(super) fn expire(&mut self, now: i64, updates: &mut UpdateList<V>) -> usize {
        let (conflict, length) = (self.window.conflict, i128::from(self.window.length.get()));
        // Edges with the weights that they had.
        let (mut touched, mut expired) = (BTreeMap::new(), 0);
        while let Some(&(time, from, to)) = self.insertions.front() {
            if i128::from(now) - i128::from(time) < length {
                break;
            }
            self.insertions.pop_front();
            let counts_from = self.counts_from((from, to));
            if counts_from > 0 && self.held.get(&(from, to)).is_some_and(|held| held.newest < counts_from) {
                self.held.remove(&(from, to));
            }
            // Insertions from before the edge was deleted, or got another weight, no longer count.
            if let Some(held) = self.held.get_mut(&(from, to)).filter(|held| held.since <= self.first) {
                touched.entry((from, to)).or_insert_with(|| held.total(conflict));
                held.pop(conflict);
                expired += 1;
            }
            self.first += 1;
        }
        while let Some((_, vertex)) = self.removals.pop_front_if(|removal| removal.0 <= self.first) {
            // Unless it was removed again since.
            if self.removed.get(&vertex).is_some_and(|&next| next <= self.first) {
                self.removed.remove(&vertex);
            }
        }
        for (edge, before) in touched {
            let after = self.held.get(&edge).and_then(|held| held.total(conflict));
            match (before, after) {
                (Some(before), Some(after)) if size_of::<V>() == 0 || same(&before, &after) => {}
                (_, Some(weight)) => updates.push(Action::Reweight, edge.0, edge.1, weight),
                (_, None) => {
                    self.held.remove(&edge);
                    updates.push(Action::Delete, edge.0, edge.1, V::default());
                }
            }
        }
        expired
    }
}
