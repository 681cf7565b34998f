//! What differs between two versions of a graph.
//!
//! ```text
//!   older ─▶ directory ─▶ page A  page B  page C
//!   newer ─▶ directory'─▶ page A  page B' page C        only B and B' are looked at, row by row
//! ```
//!
//! Where the rows that changed between two versions are still known, only those are looked at.

use pleach_runtime::{Fiber, Rows, Store};

use super::snapshot::same;
use super::{Edge, Snapshot, VertexSet};
use crate::Matrix;
use crate::sort::Weight;

/// An edge whose weight changed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Reweighted<V> {
    /// Its source, or its smaller end.
    pub from: u32,
    /// Its target, or its larger end.
    pub to: u32,
    /// The weight that it had.
    pub before: V,
    /// The weight that it has.
    pub after: V,
}

/// What differs between two versions of a graph: see [`Snapshot::diff`]. All lists ascend; an edge of an undirected graph comes once, with its
/// smaller end as the source.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Difference<V = ()> {
    /// The older version.
    pub from: u64,
    /// The newer version.
    pub to: u64,
    /// Edges that are there now only.
    pub added: Vec<Edge<V>>,
    /// Edges that were there before only, with the weight that they had.
    pub removed: Vec<Edge<V>>,
    /// Edges that have another weight now.
    pub reweighted: Vec<Reweighted<V>>,
    /// Vertices that are there now only.
    pub vertices_added: Vec<u32>,
    /// Vertices that were there before only.
    pub vertices_removed: Vec<u32>,
}

impl<V> Difference<V> {
    /// No difference between two versions of these numbers.
    fn none(from: u64, to: u64) -> Self {
        Difference {
            from,
            to,
            added: Vec::new(),
            removed: Vec::new(),
            reweighted: Vec::new(),
            vertices_added: Vec::new(),
            vertices_removed: Vec::new(),
        }
    }

    /// Whether the two versions hold the same graph.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.removed.is_empty()
            && self.reweighted.is_empty()
            && self.vertices_added.is_empty()
            && self.vertices_removed.is_empty()
    }
}

/// Nonzeros of a row.
struct Nonzeros<V> {
    coords: Vec<u32>,
    values: Vec<V>,
}

impl<V: Weight> Nonzeros<V> {
    fn new() -> Self {
        Nonzeros { coords: Vec::new(), values: Vec::new() }
    }

    fn clear(&mut self) {
        self.coords.clear();
        self.values.clear();
    }

    #[inline(never)]
    fn extend(&mut self, coords: &[u32], values: &[V]) {
        self.coords.extend_from_slice(coords);
        self.values.extend_from_slice(values);
    }

    /// Puts nonzeros of a row that is in no order into order.
    #[inline(never)]
    fn sort(&mut self) {
        let mut all: Vec<(u32, V)> = self.coords.drain(..).zip(self.values.drain(..)).collect();
        all.sort_unstable_by_key(|nonzero| nonzero.0);
        (self.coords, self.values) = all.into_iter().unzip();
    }
}

impl<V: Weight> Difference<V> {
    /// Adds the vertices that are in only one of two sets.
    fn add_vertices(&mut self, now: &VertexSet, then: &VertexSet) {
        now.each_difference(then, &mut |vertex, added| {
            (if added { &mut self.vertices_added } else { &mut self.vertices_removed }).push(vertex);
        });
    }

    /// Adds what differs in a row: a merge of what it has and what it had. It is compiled once for all stores.
    #[inline(never)]
    fn add_row(&mut self, from: u32, directed: bool, after: &Nonzeros<V>, before: &Nonzeros<V>) {
        if after.coords == before.coords && all_same(&after.values, &before.values) {
            return;
        }
        let (mut new, mut old) = (0, 0);
        let far = |to: u32| directed || from <= to;
        loop {
            match (after.coords.get(new), before.coords.get(old)) {
                (Some(&to), Some(&other)) if to == other => {
                    let (after, before) = (after.values[new], before.values[old]);
                    if far(to) && !same(&after, &before) {
                        self.reweighted.push(Reweighted { from, to, before, after });
                    }
                    (new, old) = (new + 1, old + 1);
                }
                (Some(&to), other) if other.is_none_or(|&other| to < other) => {
                    if far(to) {
                        self.added.push(Edge { from, to, weight: after.values[new] });
                    }
                    new += 1;
                }
                (_, Some(&to)) => {
                    if far(to) {
                        self.removed.push(Edge { from, to, weight: before.values[old] });
                    }
                    old += 1;
                }
                (_, None) => return,
            }
        }
    }
}

/// Whether all values are the same.
fn all_same<V: Weight>(a: &[V], b: &[V]) -> bool {
    a.len() == b.len() && (size_of::<V>() == 0 || a.iter().zip(b).all(|(a, b)| same(a, b)))
}

impl<R: Store<Coord = u32>> Snapshot<R>
where
    R::Value: Weight,
{
    /// Calls `visit` with each row that may differ, ascending: the row in this version and in the other one.
    fn each_change<'a>(
        &'a self,
        other: &'a Self,
        visit: &mut dyn FnMut(usize, Option<R::Fiber<'a>>, Option<R::Fiber<'a>>),
    ) {
        match self.rows_changed(other) {
            Some(rows) => each_row(self.matrix(), other.matrix(), &rows, visit),
            None => self.matrix().each_difference(other.matrix(), visit),
        }
    }

    /// The rows of out-arcs that may differ between two versions of one graph, if that is known.
    fn rows_changed(&self, other: &Self) -> Option<Vec<u32>> {
        let (newer, older) = if self.version() >= other.version() { (self, other) } else { (other, self) };
        newer.contents().changed.since(&older.contents().changed)
    }

    /// What differs between this version and an older one of the same graph (of any two, to be exact).
    ///
    /// The rows that changed from version to version are known for the last 256 versions, as long as they are no more than one in 64 of all
    /// rows, or 1024. Between such versions this takes time for the rows that changed. Between others, pages, directories and parts of long
    /// rows that the two share are not looked at: in the default store this takes time for what changed, and the pages around it; below a
    /// `dense` level a comparison for each 64 rows as well, and below other levels one for each row.
    ///
    /// ```
    /// use pleach::graph::{Edge, Graph, GraphOptions, Update};
    ///
    /// let graph: Graph = Graph::new(GraphOptions::undirected());
    /// graph.insert([(0, 1), (1, 2)])?;
    /// let before = graph.fresh();
    /// graph.apply([Update::delete(2, 1), Update::insert((3, 0))])?;
    /// let changes = graph.fresh().diff(&before);
    /// assert_eq!((changes.from, changes.to), (1, 2));
    /// assert_eq!(changes.added, [Edge::from((0, 3))]);
    /// assert_eq!((changes.removed, changes.vertices_added), (vec![Edge::from((1, 2))], vec![3]));
    /// # Ok::<(), pleach::graph::GraphError>(())
    /// ```
    pub fn diff(&self, older: &Self) -> Difference<R::Value> {
        let mut changes = Difference::none(older.version(), self.version());
        let directed = self.is_directed();
        let (mut after, mut before) = (Nonzeros::new(), Nonzeros::new());
        self.each_change(older, &mut |row, now, then| {
            after.clear();
            before.clear();
            let mut add = |old: bool, coords: &[u32], values: &[R::Value]| {
                (if old { &mut before } else { &mut after }).extend(coords, values);
            };
            match (now, then) {
                (Some(now), Some(then)) => now.unshared(then, |old, run| add(old, run.coords(), run.values())),
                (now, then) => {
                    if let Some(now) = now {
                        now.fold_runs((), |(), run| add(false, run.coords(), run.values()));
                    }
                    if let Some(then) = then {
                        then.fold_runs((), |(), run| add(true, run.coords(), run.values()));
                    }
                }
            }
            if !R::Fiber::<'_>::ORDERED {
                after.sort();
                before.sort();
            }
            changes.add_row(row as u32, directed, &after, &before);
        });
        changes.add_vertices(self.vertex_set(), older.vertex_set());
        changes
    }
}

/// Calls `visit` with some rows of two matrices.
fn each_row<'a, R: Store<Coord = u32>>(
    newer: &'a Matrix<R>,
    older: &'a Matrix<R>,
    rows: &[u32],
    visit: &mut dyn FnMut(usize, Option<R::Fiber<'a>>, Option<R::Fiber<'a>>),
) {
    let mut before = Vec::with_capacity(rows.len());
    older.each_ahead(rows, |_, _| (), |_, row| before.push(row));
    let mut before = before.into_iter();
    newer.each_ahead(rows, |_, _| (), |row, now| visit(row as usize, now, before.next().flatten()));
}

impl<R: Store<Coord = u32>> Matrix<R>
where
    R::Value: Weight,
{
    /// Calls `visit` with each row that may be another one in an older version of the matrix, ascending: the row here and there.
    fn each_difference<'a>(
        &'a self,
        older: &'a Self,
        visit: &mut dyn FnMut(usize, Option<R::Fiber<'a>>, Option<R::Fiber<'a>>),
    ) {
        if self.store_name() == older.store_name() {
            return self.outer().each_difference(older.outer(), &all_same::<R::Value>, visit);
        }
        // Another outer level: row by row.
        for row in 0..Rows::num_rows(self).max(Rows::num_rows(older)) {
            visit(row, Rows::row(self, row), Rows::row(older, row));
        }
    }
}
