//! Edges that leave a sliding window.

use std::collections::{HashMap, VecDeque};

/// When each edge was inserted last. Takes memory for the insertions of one window length.
pub(super) struct Window {
    length: u64,
    directed: bool,
    /// Insertions in the order of their times, numbered from `first`.
    insertions: VecDeque<(i64, u32, u32)>,
    first: u64,
    /// The number of the last insertion of each edge that is there.
    last: HashMap<(u32, u32), u64>,
}

impl Window {
    pub(super) fn new(length: u64, directed: bool) -> Self {
        Window { length, directed, insertions: VecDeque::new(), first: 0, last: HashMap::new() }
    }

    /// An edge as it is looked up.
    fn edge(&self, from: u32, to: u32) -> (u32, u32) {
        if self.directed { (from, to) } else { (from.min(to), from.max(to)) }
    }

    /// An edge is inserted, no earlier than the one before.
    pub(super) fn insert(&mut self, time: i64, from: u32, to: u32) {
        let edge = self.edge(from, to);
        self.last.insert(edge, self.first + self.insertions.len() as u64);
        self.insertions.push_back((time, edge.0, edge.1));
    }

    /// An edge is deleted.
    pub(super) fn forget(&mut self, from: u32, to: u32) {
        self.last.remove(&self.edge(from, to));
    }

    /// Calls `expired` for every edge that was last inserted a window length or longer before `now`.
    pub(super) fn expire(&mut self, now: i64, mut expired: impl FnMut(u32, u32)) {
        while let Some(&(time, from, to)) = self.insertions.front() {
            if i128::from(now) - i128::from(time) < i128::from(self.length) {
                break;
            }
            self.insertions.pop_front();
            if self.last.get(&(from, to)) == Some(&self.first) {
                self.last.remove(&(from, to));
                expired(from, to);
            }
            self.first += 1;
        }
    }
}
