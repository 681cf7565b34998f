//! The rows that changed from one published version to the next.
//!
//! ```text
//!   version 4 ◄── [3, 9] ── version 5 ◄── [2] ── version 7          what differs between 4 and 7 is in rows 2, 3 and 9
//! ```
//!
//! Every version leads to the one before it. After many rows or many versions the list begins anew with a version that leads nowhere: what
//! differs from versions before it is found by comparing pages.

use std::sync::Arc;

/// The most versions in one list.
const LINKS: usize = 256;

/// The most rows in one list, whatever the size of the graph.
const FEW: usize = 1 << 10;

/// A graph of more rows may have one in this many in the list: about as many as there are pages.
const SHARE: usize = 64;

/// A version, and what was changed to make it.
pub(super) struct Changed {
    /// Rows of out-arcs that are other ones than before, in no order, some of them more than once. Of the two rows of an undirected edge,
    /// only that of the smaller end.
    rows: Vec<u32>,
    before: Option<Arc<Changed>>,
    /// Versions and rows in the list up to here.
    links: usize,
    total: usize,
}

impl Changed {
    /// The first version of a list.
    pub(super) fn begin() -> Arc<Self> {
        Arc::new(Changed { rows: Vec::new(), before: None, links: 1, total: 0 })
    }

    /// The version after this one, with the rows that changed.
    pub(super) fn next(self: &Arc<Self>, rows: Rows) -> Arc<Self> {
        let (links, total) = (self.links + 1, self.total + rows.rows.len());
        if rows.too_many || links > LINKS || total > most(rows.bound) {
            return Self::begin();
        }
        Arc::new(Changed { rows: rows.rows, before: Some(self.clone()), links, total })
    }

    /// The rows that changed since an earlier version, ascending; `None` if that is not known.
    pub(super) fn since(self: &Arc<Self>, earlier: &Arc<Self>) -> Option<Vec<u32>> {
        let (mut at, mut rows) = (self, Vec::new());
        while !Arc::ptr_eq(at, earlier) {
            rows.extend_from_slice(&at.rows);
            at = at.before.as_ref()?;
        }
        rows.sort_unstable();
        rows.dedup();
        Some(rows)
    }
}

fn most(bound: usize) -> usize {
    FEW.max(bound / SHARE)
}

/// The rows that changed since the newest version.
#[derive(Default)]
pub(super) struct Rows {
    rows: Vec<u32>,
    /// There were so many that they are not kept.
    too_many: bool,
    /// The rows of the graph.
    bound: usize,
}

impl Rows {
    /// Adds rows, in a graph of so many.
    pub(super) fn add(&mut self, rows: impl Iterator<Item = u32>, bound: usize) {
        self.bound = bound;
        if self.too_many {
            return;
        }
        let room = most(bound) - self.rows.len().min(most(bound));
        let before = self.rows.len();
        self.rows.extend(rows.take(room + 1));
        if self.rows.len() - before > room {
            *self = Rows { rows: Vec::new(), too_many: true, bound };
        }
    }
}
