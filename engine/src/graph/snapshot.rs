//! Snapshots: a graph as it was after some batch.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::ControlFlow;
use std::sync::Arc;

use pleach_runtime::{AuditError, Cursor, Fiber, Footprint, Store, VisitNear, sort_by_coord};

use super::VertexSet;
use super::counted::Counted;
use super::version::{Contents, Version};
use crate::traverse::Adjacency;
use crate::{Matrix, Rows};

/// One version of a graph. It never changes, whatever the writer does, and takes memory only for what it does not share with other
/// versions.
///
/// Cloning and dropping take constant time; what only this snapshot keeps alive is freed by another thread. As [`Rows`] a snapshot
/// is the matrix of its out-arcs; kernels and apps run on it, on [`incoming`](Self::incoming) and on
/// [`adjacency`](Self::adjacency) as on any other matrix.
pub struct Snapshot<R: Store> {
    version: Arc<Version<R>>,
}

impl<R: Store> Clone for Snapshot<R> {
    fn clone(&self) -> Self {
        Snapshot::new(self.version.clone())
    }
}

impl<R: Store> Drop for Snapshot<R> {
    #[inline]
    fn drop(&mut self) {
        self.version.leave();
    }
}

impl<R: Store> Snapshot<R> {
    #[inline]
    pub(super) fn new(version: Arc<Version<R>>) -> Self {
        version.enter();
        Snapshot { version }
    }
}

impl<R: Store<Coord = u32>> Snapshot<R> {
    pub(super) fn contents(&self) -> &Contents<R> {
        &self.version
    }

    /// The number of batches that this version holds. Versions of one graph are totally ordered by it.
    pub fn version(&self) -> u64 {
        self.contents().number
    }

    /// Whether edges have a direction.
    pub fn is_directed(&self) -> bool {
        self.contents().directed
    }

    /// Number of vertices. Removed vertices do not count.
    pub fn num_vertices(&self) -> usize {
        self.contents().vertices.len()
    }

    /// Number of edges; an undirected one counts once.
    pub fn num_edges(&self) -> u64 {
        self.contents().num_edges()
    }

    /// Number of arcs: an undirected edge is two, a self loop one.
    pub fn num_arcs(&self) -> u64 {
        self.contents().out.nnz() as u64
    }

    /// Whether a vertex exists. Takes a few loads.
    pub fn has_vertex(&self, vertex: u32) -> bool {
        self.contents().vertices.contains(vertex)
    }

    /// The vertices, ascending.
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = u32> + Clone + '_ {
        self.contents().vertices.iter()
    }

    /// The vertices, as a set. Cloning it takes constant time.
    pub fn vertex_set(&self) -> &VertexSet {
        &self.contents().vertices
    }

    /// Number of arcs that lead out of a vertex; in an undirected graph the number of its neighbours. Constant time in stores that
    /// count.
    pub fn out_degree(&self, vertex: u32) -> usize {
        self.contents().out.row(vertex as usize).map_or(0, Fiber::len)
    }

    /// Number of arcs that lead into a vertex. `None` if the graph is directed and does not keep in-arcs.
    pub fn in_degree(&self, vertex: u32) -> Option<usize> {
        Some(self.in_matrix()?.row(vertex as usize).map_or(0, Fiber::len))
    }

    /// The targets of the arcs that lead out of a vertex, ascending, with the weights.
    pub fn neighbors(&self, vertex: u32) -> Neighbors<'_, R> {
        Neighbors::of(self.contents().out.row(vertex as usize))
    }

    /// The sources of the arcs that lead into a vertex, ascending, with the weights. `None` if the graph is directed and does not
    /// keep in-arcs.
    pub fn in_neighbors(&self, vertex: u32) -> Option<Neighbors<'_, R>> {
        Some(Neighbors::of(self.in_matrix()?.row(vertex as usize)))
    }

    /// Whether there is an edge. Takes as long as [`weight`](Self::weight).
    pub fn has_edge(&self, from: u32, to: u32) -> bool {
        self.weight(from, to).is_some()
    }

    /// The weight of an edge, if it is there. Logarithmic in the degree in the default store and in trees, linear in lists.
    pub fn weight(&self, from: u32, to: u32) -> Option<&R::Value> {
        self.contents().weight(from, to)
    }

    /// All arcs with their weights, ascending by source and target.
    pub fn arcs(&self) -> impl ExactSizeIterator<Item = (u32, u32, &R::Value)> + '_ {
        let of = |from| self.neighbors(from).map(move |(to, weight)| (from, to, weight));
        Counted::new(self.vertices().flat_map(of), self.num_arcs() as usize)
    }

    /// All edges with their weights, ascending; an undirected edge comes once, its smaller end first.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = (u32, u32, &R::Value)> + '_ {
        let directed = self.is_directed();
        let once = self.arcs().filter(move |&(from, to, _)| directed || from <= to);
        Counted::new(once, self.num_edges() as usize)
    }

    /// The rows of out-arcs.
    pub fn matrix(&self) -> &Matrix<R> {
        &self.contents().out
    }

    /// The rows of in-arcs; those of an undirected graph are the same as those of out-arcs. `None` if the graph is directed and does
    /// not keep in-arcs.
    pub fn incoming(&self) -> Option<&Matrix<R>> {
        self.in_matrix()
    }

    fn in_matrix(&self) -> Option<&Matrix<R>> {
        let contents = self.contents();
        if contents.directed { contents.incoming.as_ref() } else { Some(&contents.out) }
    }

    /// The graph as algorithms see it: its out-arcs, its in-arcs and its vertices. Algorithms take a reference to the snapshot as well.
    /// `None` if the graph is directed and does not keep in-arcs. Takes constant time.
    pub fn adjacency(&self) -> Option<Adjacency<'_, Matrix<R>>> {
        Some(Adjacency::from(self)).filter(|graph| graph.incoming().is_some())
    }

    /// Bytes of the levels and rows of all matrices, including those that are shared with other versions.
    pub fn footprint(&self) -> Footprint {
        let contents = self.contents();
        let mut sum = contents.out.footprint();
        if let Some(incoming) = &contents.incoming {
            sum += incoming.footprint();
        }
        sum
    }

    /// Checks every invariant of the graph: of each store, that in-arcs are the reversed out-arcs, that undirected edges are stored in both
    /// directions, and that all ends of edges are vertices. Takes O(arcs · log degree).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn audit(&self) -> Result<(), AuditError>
    where
        R::Value: PartialEq,
    {
        let wrong = |message: String| Err(AuditError::new("graph", message));
        let contents = self.contents();
        contents.out.audit()?;
        if let Some(incoming) = &contents.incoming {
            incoming.audit()?;
            if incoming.nnz() != contents.out.nnz() {
                return wrong(format!("has {} out-arcs, but {} in-arcs", contents.out.nnz(), incoming.nnz()));
            }
        }
        let (mut arcs, mut loops) = (0, 0);
        let found = contents.out.try_rows(|from, row| {
            let from = from as u32;
            for (to, weight) in Neighbors::<R>::of(Some(row)) {
                arcs += 1;
                loops += usize::from(from == to);
                if !self.has_vertex(from) || !self.has_vertex(to) {
                    return ControlFlow::Break(format!("has an edge from {from} to {to}, but not both of its ends"));
                }
                let turned = self.in_matrix().map(|matrix| matrix.row(to as usize).and_then(|row| row.locate(from)));
                if turned.is_some_and(|turned| !turned.is_some_and(|turned| same(turned, weight))) {
                    return ControlFlow::Break(format!(
                        "has an arc from {from} to {to}, but not the same one turned round"
                    ));
                }
            }
            ControlFlow::Continue(())
        });
        if let ControlFlow::Break(message) = found {
            return wrong(message);
        }
        if arcs != contents.out.nnz() || !contents.directed && loops != contents.loops {
            return wrong(format!(
                "holds {arcs} arcs and {loops} self loops, but counts {} and {}",
                contents.out.nnz(),
                contents.loops
            ));
        }
        Ok(())
    }
}

/// Whether two weights are equal, or both NaN.
#[allow(clippy::eq_op, reason = "only what is not a number differs from itself")]
pub(super) fn same<V: PartialEq>(a: &V, b: &V) -> bool {
    a == b || a != a && b != b
}

impl<'a, R: Store<Coord = u32>> From<&'a Snapshot<R>> for Adjacency<'a, Matrix<R>> {
    /// The graph as algorithms see it; without in-arcs, if it is directed and does not keep them. Takes constant time.
    fn from(snapshot: &'a Snapshot<R>) -> Self {
        let contents = snapshot.contents();
        Adjacency::of(&contents.out, contents.incoming.as_ref(), contents.directed, &contents.vertices)
    }
}

impl<R: Store<Coord = u32>> fmt::Debug for Snapshot<R> {
    /// Version, direction and size; [`arcs`](Self::arcs) lists the arcs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let contents = self.contents();
        f.debug_struct("Snapshot")
            .field("version", &contents.number)
            .field("directed", &contents.directed)
            .field("vertices", &contents.vertices.len())
            .field("edges", &contents.num_edges())
            .finish_non_exhaustive()
    }
}

/// Neighbours in ascending order, with the weights of the arcs.
pub struct Neighbors<'a, R: Store + 'a> {
    walk: Walk<'a, R>,
    row: Option<R::Fiber<'a>>,
    /// Neighbours that were given out.
    taken: usize,
}

enum Walk<'a, R: Store + 'a> {
    None,
    /// Runs in order.
    Ordered(Cursor<'a, <R::Fiber<'a> as Fiber<'a>>::Runs>),
    /// Sorted first.
    Sorted(std::vec::IntoIter<(u32, &'a R::Value)>),
}

impl<'a, R: Store<Coord = u32>> Neighbors<'a, R> {
    fn of(row: Option<R::Fiber<'a>>) -> Self {
        let walk = match row {
            None => Walk::None,
            Some(row) if R::Fiber::<'a>::ORDERED => Walk::Ordered(Cursor::new(row.runs())),
            Some(row) => {
                let mut all = Vec::with_capacity(row.len());
                row.fold_runs((), |(), run| all.extend(run.iter()));
                sort_by_coord(&mut all);
                Walk::Sorted(all.into_iter())
            }
        };
        Neighbors { walk, row, taken: 0 }
    }
}

impl<'a, R: Store<Coord = u32>> Iterator for Neighbors<'a, R> {
    type Item = (u32, &'a R::Value);

    fn next(&mut self) -> Option<(u32, &'a R::Value)> {
        let next = match &mut self.walk {
            Walk::None => None,
            Walk::Ordered(cursor) => cursor.coord().map(|coord| {
                let value = cursor.value();
                cursor.advance();
                (coord, value)
            }),
            Walk::Sorted(all) => all.next(),
        };
        self.taken += usize::from(next.is_some());
        next
    }

    /// Exact. Constant time in stores that count.
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.row.map_or(0, Fiber::len) - self.taken;
        (left, Some(left))
    }
}

impl<R: Store<Coord = u32>> ExactSizeIterator for Neighbors<'_, R> {}

impl<R: Store<Coord = u32>> FusedIterator for Neighbors<'_, R> {}

impl<R: Store<Coord = u32>> Rows for Snapshot<R> {
    type Value = R::Value;
    type Fiber<'a> = R::Fiber<'a>;

    fn num_rows(&self) -> usize {
        self.matrix().num_rows()
    }

    fn num_cols(&self) -> usize {
        self.matrix().num_cols()
    }

    fn nnz(&self) -> usize {
        self.matrix().nnz()
    }

    fn row(&self, coord: usize) -> Option<R::Fiber<'_>> {
        self.matrix().row(coord)
    }

    fn finder<'a>(&'a self) -> impl Fn(usize) -> Option<R::Fiber<'a>> + Sync {
        self.matrix().finder()
    }

    #[inline(always)]
    fn each_ahead<'a>(
        &'a self,
        coords: &[u32],
        soon: impl FnMut(u32, R::Fiber<'a>),
        visit: impl FnMut(u32, Option<R::Fiber<'a>>),
    ) {
        self.matrix().each_ahead(coords, soon, visit);
    }

    #[inline]
    fn par_rows<'a, F: Fn(usize, R::Fiber<'a>) + Sync>(&'a self, visit: F) {
        self.matrix().par_rows(visit);
    }

    #[inline]
    fn par_rows_where<'a, W, F>(&'a self, wanted: W, visit: F)
    where
        W: Fn(usize) -> bool + Sync,
        F: Fn(usize, R::Fiber<'a>) + Sync,
    {
        self.matrix().par_rows_where(wanted, visit);
    }

    #[inline]
    fn par_rows_near<'a, F: VisitNear<R::Fiber<'a>>>(&'a self, visit: &F) {
        self.matrix().par_rows_near(visit);
    }

    fn try_rows<'a, B, F>(&'a self, visit: F) -> ControlFlow<B>
    where
        F: FnMut(usize, R::Fiber<'a>) -> ControlFlow<B>,
    {
        self.matrix().try_rows(visit)
    }
}
