//! The rows that changed from one published version to the next.
//!
//! ```text
//!   version 4 ◄── [3, 9] ── version 5 ◄── [2] ── version 7          what differs between 4 and 7 is in rows 2, 3 and 9
//! ```
//!
//! Every version leads to the one before it. After many rows or many versions the list begins anew with a version that leads nowhere: what
//! differs from versions before it is found by comparing pages.

use std::sync::Arc;

use pleach_runtime::par_concat;
use smallvec::SmallVec;

use super::prepare::Step;

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
    /// Whether rows need not be added any more: there were too many already.
    pub(super) fn is_full(&self) -> bool {
        self.too_many
    }

    /// Adds rows, in a graph of so many.
    pub(super) fn add(&mut self, rows: &[u32], bound: usize) {
        self.bound = bound;
        if self.too_many {
            return;
        }
        if self.rows.len() + rows.len() > most(bound) {
            *self = Rows { rows: Vec::new(), too_many: true, bound };
        } else {
            self.rows.extend_from_slice(rows);
        }
    }
}

/// Rows that one task looks at.
const EXAMINED: usize = 1 << 12;

/// The rows of out-arcs that steps change; of the two rows of an undirected edge only that of the smaller end.
pub(super) fn rows_of<V: Sync>(steps: &[Step<V>], directed: bool) -> SmallVec<[u32; 8]> {
    let mut all = SmallVec::new();
    for step in steps {
        let arcs = step.arcs.sorted();
        let changed = |k: usize| {
            let row = arcs.rows()[k];
            // The smaller end of an edge has a larger neighbour, or is its own.
            let smaller = directed || arcs.row(k).coords.last().is_some_and(|&to| to as usize >= row);
            smaller.then_some(row as u32)
        };
        match arcs.rows().len() {
            n if n <= EXAMINED => all.extend((0..n).filter_map(changed)),
            n => all.extend_from_slice(&par_concat(n, EXAMINED, |range| range.filter_map(changed).collect())),
        }
    }
    all
}
