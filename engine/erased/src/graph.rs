//! A graph in any store, and its snapshots.

use std::any::Any;
use std::fmt;
use std::ops::ControlFlow;
use std::panic::{RefUnwindSafe, UnwindSafe};

use pleach::graph::{
    Applied, Difference, Edge, Graph, GraphError, GraphOptions, Journal, Prepared, Recorded, Saved, Snapshot, Update,
    UpdateList, VertexSet,
};
use pleach::kernels::ShapeError;
use pleach::kernels::pagerank::sum_quotients;
use pleach::matrix::VisitBlock;
use pleach::runtime::{AuditError, Footprint, Store};
use pleach::sort::Weight;
use pleach::traverse::{Adjacency, DynRows};
use pleach::{BuildReport, EdgeList, Rows};

use crate::view::VisitRows;
use crate::{Bundled, GraphView, HoldError, Packed, RestoreError, StoreName};

/// The methods that are called dynamically, each with a whole batch.
pub(crate) trait ErasedGraph<V: Weight>: Send + Sync + UnwindSafe + RefUnwindSafe {
    fn options(&self) -> &GraphOptions<V>;
    fn insert(&self, edges: &mut dyn Iterator<Item = Edge<V>>) -> Result<Applied, GraphError>;
    fn insert_list(&self, edges: &EdgeList<V>) -> Result<Applied, GraphError>;
    fn delete(&self, edges: &mut dyn Iterator<Item = (u32, u32)>) -> Result<Applied, GraphError>;
    fn delete_list(&self, edges: &EdgeList<()>) -> Result<Applied, GraphError>;
    fn reweight(&self, edges: &mut dyn Iterator<Item = (u32, u32, V)>) -> Result<Applied, GraphError>;
    fn prepare(&self, updates: &mut dyn Iterator<Item = Update<V>>) -> Result<Prepared<V>, GraphError>;
    fn prepare_list(&self, updates: UpdateList<V>) -> Result<Prepared<V>, GraphError>;
    fn prepare_vertices(&self, vertices: &mut dyn Iterator<Item = u32>) -> Result<Prepared<V>, GraphError>;
    fn commit(&self, prepared: Prepared<V>) -> Result<Applied, GraphError>;
    fn commit_with(&self, prepared: Prepared<V>, journal: &mut dyn Journal<V>) -> Result<Applied, GraphError>;
    fn replay(&self, recorded: Recorded<V>) -> Result<Applied, GraphError>;
    fn add_vertex(&self, vertex: u32) -> Result<bool, GraphError>;
    fn remove_vertex(&self, vertex: u32) -> Result<Applied, GraphError>;
    fn latest(&self) -> Box<dyn ErasedSnapshot<V>>;
    fn fresh(&self) -> Box<dyn ErasedSnapshot<V>>;
    fn publish(&self) -> Box<dyn ErasedSnapshot<V>>;
    fn publish_with(&self, f: &mut dyn FnMut(u64)) -> Box<dyn ErasedSnapshot<V>>;
    fn published(&self) -> u64;
}

impl<V: Weight, R: Store<Coord = u32, Value = V>> ErasedGraph<V> for Graph<R> {
    fn options(&self) -> &GraphOptions<V> {
        Graph::options(self)
    }

    fn insert(&self, edges: &mut dyn Iterator<Item = Edge<V>>) -> Result<Applied, GraphError> {
        Graph::insert(self, edges)
    }

    fn insert_list(&self, edges: &EdgeList<V>) -> Result<Applied, GraphError> {
        Graph::insert_list(self, edges)
    }

    fn delete(&self, edges: &mut dyn Iterator<Item = (u32, u32)>) -> Result<Applied, GraphError> {
        Graph::delete(self, edges)
    }

    fn delete_list(&self, edges: &EdgeList<()>) -> Result<Applied, GraphError> {
        Graph::delete_list(self, edges)
    }

    fn reweight(&self, edges: &mut dyn Iterator<Item = (u32, u32, V)>) -> Result<Applied, GraphError> {
        Graph::reweight(self, edges)
    }

    fn prepare(&self, updates: &mut dyn Iterator<Item = Update<V>>) -> Result<Prepared<V>, GraphError> {
        Graph::prepare(self, updates)
    }

    fn prepare_list(&self, updates: UpdateList<V>) -> Result<Prepared<V>, GraphError> {
        Graph::prepare_list(self, updates)
    }

    fn prepare_vertices(&self, vertices: &mut dyn Iterator<Item = u32>) -> Result<Prepared<V>, GraphError> {
        Graph::prepare_vertices(self, vertices)
    }

    fn commit(&self, prepared: Prepared<V>) -> Result<Applied, GraphError> {
        Graph::commit(self, prepared)
    }

    fn commit_with(&self, prepared: Prepared<V>, journal: &mut dyn Journal<V>) -> Result<Applied, GraphError> {
        Graph::commit_with(self, prepared, journal)
    }

    fn replay(&self, recorded: Recorded<V>) -> Result<Applied, GraphError> {
        Graph::replay(self, recorded)
    }

    fn add_vertex(&self, vertex: u32) -> Result<bool, GraphError> {
        Graph::add_vertex(self, vertex)
    }

    fn remove_vertex(&self, vertex: u32) -> Result<Applied, GraphError> {
        Graph::remove_vertex(self, vertex)
    }

    fn latest(&self) -> Box<dyn ErasedSnapshot<V>> {
        Box::new(Graph::latest(self))
    }

    fn fresh(&self) -> Box<dyn ErasedSnapshot<V>> {
        Box::new(Graph::fresh(self))
    }

    fn publish(&self) -> Box<dyn ErasedSnapshot<V>> {
        Box::new(Graph::publish(self))
    }

    fn publish_with(&self, f: &mut dyn FnMut(u64)) -> Box<dyn ErasedSnapshot<V>> {
        Box::new(Graph::publish_with(self, |snapshot| f(snapshot.version())).0)
    }

    fn published(&self) -> u64 {
        Graph::published(self)
    }
}

/// A graph whose store was chosen at run time: a [`Graph`], with the same batches and the same guarantees. Share it by reference or in an
/// `Arc`; all methods take `&self`.
pub struct AnyGraph<V: Bundled>(Box<dyn ErasedGraph<V>>);

impl<V: Bundled> AnyGraph<V> {
    /// A graph without vertices in the named store.
    ///
    /// # Errors
    ///
    /// [`HoldError::Static`] if the store is `csr`.
    pub fn new(store: &StoreName, options: GraphOptions<V>) -> Result<Self, HoldError> {
        Ok(Self::from_edges(store, EdgeList::new(0, 0), options)?.0)
    }

    /// Builds a graph from a list of edges in the named store, in parallel; see [`Graph::from_edges`].
    ///
    /// # Errors
    ///
    /// [`HoldError`] if the store is `csr`, whose rows are static, or if the edges cannot be sorted into rows.
    pub fn from_edges(
        store: &StoreName,
        edges: EdgeList<V>,
        options: GraphOptions<V>,
    ) -> Result<(Self, BuildReport), HoldError> {
        let StoreName::Pair(outer, row) = store else { return Err(HoldError::Static) };
        let (graph, report) = V::builder(outer, row).graph(edges, options)?;
        Ok((AnyGraph(graph), report))
    }

    /// A graph in the named store that continues from a version that was written to a file; see [`Graph::restore`].
    ///
    /// # Errors
    ///
    /// [`RestoreError`] if the store is `csr`, whose rows are static, or if the rows cannot be read or do not fit such a graph.
    pub fn restore(store: &StoreName, saved: &Saved<'_, V>, options: GraphOptions<V>) -> Result<Self, RestoreError> {
        let StoreName::Pair(outer, row) = store else { return Err(HoldError::Static.into()) };
        Ok(AnyGraph(V::builder(outer, row).restore(saved, options)?))
    }

    /// How the graph behaves.
    pub fn options(&self) -> &GraphOptions<V> {
        self.0.options()
    }

    /// Inserts edges, in any order; see [`Graph::insert`].
    ///
    /// # Errors
    ///
    /// [`GraphError`]; the graph is unchanged then. This holds for all methods that change the graph.
    pub fn insert<E: Into<Edge<V>>>(&self, edges: impl IntoIterator<Item = E>) -> Result<Applied, GraphError> {
        self.0.insert(&mut edges.into_iter().map(Into::into))
    }

    /// Inserts the edges of a list; see [`Graph::insert_list`].
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn insert_list(&self, edges: &EdgeList<V>) -> Result<Applied, GraphError> {
        self.0.insert_list(edges)
    }

    /// Deletes edges, in any order; see [`Graph::delete`].
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn delete(&self, edges: impl IntoIterator<Item = (u32, u32)>) -> Result<Applied, GraphError> {
        self.0.delete(&mut edges.into_iter())
    }

    /// Deletes the edges of a list; see [`Graph::delete_list`].
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn delete_list(&self, edges: &EdgeList<()>) -> Result<Applied, GraphError> {
        self.0.delete_list(edges)
    }

    /// Changes the weights of existing edges; see [`Graph::reweight`].
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert), and if the edges of the graph have no weights.
    pub fn reweight(&self, edges: impl IntoIterator<Item = (u32, u32, V)>) -> Result<Applied, GraphError> {
        self.0.reweight(&mut edges.into_iter())
    }

    /// Applies a batch of updates of any kind; see [`Graph::apply`].
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn apply(&self, updates: impl IntoIterator<Item = Update<V>>) -> Result<Applied, GraphError> {
        self.commit(self.prepare(updates)?)
    }

    /// Applies a batch of updates in columns; see [`Graph::apply_list`].
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn apply_list(&self, updates: UpdateList<V>) -> Result<Applied, GraphError> {
        self.commit(self.prepare_list(updates)?)
    }

    /// Checks, sorts and folds a batch without touching the graph; see [`Graph::prepare`].
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn prepare(&self, updates: impl IntoIterator<Item = Update<V>>) -> Result<Prepared<V>, GraphError> {
        self.0.prepare(&mut updates.into_iter())
    }

    /// As [`prepare`](Self::prepare), from updates in columns; see [`Graph::prepare_list`].
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn prepare_list(&self, updates: UpdateList<V>) -> Result<Prepared<V>, GraphError> {
        self.0.prepare_list(updates)
    }

    /// Prepares a batch that adds vertices; see [`Graph::prepare_vertices`].
    ///
    /// # Errors
    ///
    /// If a vertex is beyond the limit.
    pub fn prepare_vertices(&self, vertices: impl IntoIterator<Item = u32>) -> Result<Prepared<V>, GraphError> {
        self.0.prepare_vertices(&mut vertices.into_iter())
    }

    /// Applies a prepared batch, and has a journal record it before; see [`Graph::commit_with`].
    ///
    /// # Errors
    ///
    /// As [`Graph::commit_with`].
    pub fn commit_with(&self, prepared: Prepared<V>, journal: &mut dyn Journal<V>) -> Result<Applied, GraphError> {
        self.0.commit_with(prepared, journal)
    }

    /// Applies a batch that was recorded; see [`Graph::replay`].
    ///
    /// # Errors
    ///
    /// As [`Graph::replay`].
    pub fn replay(&self, recorded: Recorded<V>) -> Result<Applied, GraphError> {
        self.0.replay(recorded)
    }

    /// Applies a prepared batch; see [`Graph::commit`].
    ///
    /// # Errors
    ///
    /// As [`Graph::commit`].
    pub fn commit(&self, prepared: Prepared<V>) -> Result<Applied, GraphError> {
        self.0.commit(prepared)
    }

    /// Inserts one edge: a batch of one.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn insert_edge(&self, from: u32, to: u32, weight: V) -> Result<Applied, GraphError> {
        self.insert([(from, to, weight)])
    }

    /// Deletes one edge: a batch of one.
    ///
    /// # Errors
    ///
    /// As [`delete`](Self::delete).
    pub fn delete_edge(&self, from: u32, to: u32) -> Result<Applied, GraphError> {
        self.delete([(from, to)])
    }

    /// Changes the weight of one edge: a batch of one.
    ///
    /// # Errors
    ///
    /// As [`reweight`](Self::reweight).
    pub fn reweight_edge(&self, from: u32, to: u32, weight: V) -> Result<Applied, GraphError> {
        self.reweight([(from, to, weight)])
    }

    /// Adds a vertex without edges. Returns whether it is new.
    ///
    /// # Errors
    ///
    /// If the vertex is beyond the limit.
    pub fn add_vertex(&self, vertex: u32) -> Result<bool, GraphError> {
        self.0.add_vertex(vertex)
    }

    /// Removes a vertex and all edges that lead from or to it; see [`Graph::remove_vertex`].
    ///
    /// # Errors
    ///
    /// As [`Graph::remove_vertex`].
    pub fn remove_vertex(&self, vertex: u32) -> Result<Applied, GraphError> {
        self.0.remove_vertex(vertex)
    }

    /// The newest published version; see [`Graph::latest`].
    pub fn latest(&self) -> AnySnapshot<V> {
        AnySnapshot(self.0.latest())
    }

    /// A version that holds every batch that was applied before the call; see [`Graph::fresh`].
    pub fn fresh(&self) -> AnySnapshot<V> {
        AnySnapshot(self.0.fresh())
    }

    /// Publishes all batches that were applied so far; see [`Graph::publish`].
    pub fn publish(&self) -> AnySnapshot<V> {
        AnySnapshot(self.0.publish())
    }

    /// As [`publish`](Self::publish), and calls `f` with the number of the version before any other batch can be applied. `f` must not
    /// write to the graph.
    pub fn publish_with<T>(&self, f: impl FnOnce(u64) -> T) -> (AnySnapshot<V>, T) {
        let (mut f, mut done) = (Some(f), None);
        let snapshot = self.0.publish_with(&mut |version| done = f.take().map(|f| f(version)));
        (AnySnapshot(snapshot), done.expect("the version is published once"))
    }

    /// The number of the newest published version; see [`Graph::published`].
    pub fn published(&self) -> u64 {
        self.0.published()
    }
}

impl<V: Bundled> fmt::Debug for AnyGraph<V> {
    /// Direction, and the number of the newest published version.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyGraph")
            .field("directed", &self.options().directed)
            .field("published", &self.published())
            .finish_non_exhaustive()
    }
}

/// What is called dynamically.
pub(crate) trait ErasedSnapshot<V: Weight>: Any + Send + Sync + UnwindSafe + RefUnwindSafe {
    fn version(&self) -> u64;
    fn is_directed(&self) -> bool;
    fn num_rows(&self) -> usize;
    fn num_vertices(&self) -> usize;
    fn num_edges(&self) -> u64;
    fn num_arcs(&self) -> u64;
    fn has_vertex(&self, vertex: u32) -> bool;
    fn vertices(&self) -> Box<dyn ExactSizeIterator<Item = u32> + '_>;
    fn out_degree(&self, vertex: u32) -> usize;
    fn in_degree(&self, vertex: u32) -> Option<usize>;
    fn neighbors(&self, vertex: u32) -> Box<dyn ExactSizeIterator<Item = (u32, V)> + '_>;
    fn in_neighbors(&self, vertex: u32) -> Option<Box<dyn ExactSizeIterator<Item = (u32, V)> + '_>>;
    fn weight(&self, from: u32, to: u32) -> Option<V>;
    fn for_each_edge(&self, visit: &mut dyn FnMut(u32, u32, V));
    fn each_block(&self, incoming: bool, nonzeros: usize, visit: VisitBlock<'_, V>) -> ControlFlow<()>;
    fn footprint(&self) -> Footprint;
    fn audit(&self) -> Result<(), AuditError>;
    fn rows(&self) -> DynRows<'_, V>;
    fn incoming_rows(&self) -> Option<DynRows<'_, V>>;
    fn vertex_set(&self) -> &VertexSet;
    fn over(&self, visit: VisitRows<'_, V>);
    fn sum_quotients(&self, y: &mut [f64], x: &[f64], d: &[f64]) -> Result<(), ShapeError>;
    fn share(&self) -> Box<dyn ErasedSnapshot<V>>;
    /// The difference to a snapshot of the same type.
    fn diff(&self, older: &dyn Any) -> Option<Difference<V>>;
}

impl<V: Weight, R: Store<Coord = u32, Value = V>> ErasedSnapshot<V> for Snapshot<R> {
    fn version(&self) -> u64 {
        Snapshot::version(self)
    }

    fn is_directed(&self) -> bool {
        Snapshot::is_directed(self)
    }

    fn num_rows(&self) -> usize {
        Rows::num_rows(self)
    }

    fn num_vertices(&self) -> usize {
        Snapshot::num_vertices(self)
    }

    fn num_edges(&self) -> u64 {
        Snapshot::num_edges(self)
    }

    fn num_arcs(&self) -> u64 {
        Snapshot::num_arcs(self)
    }

    fn has_vertex(&self, vertex: u32) -> bool {
        Snapshot::has_vertex(self, vertex)
    }

    fn vertices(&self) -> Box<dyn ExactSizeIterator<Item = u32> + '_> {
        Box::new(Snapshot::vertices(self))
    }

    fn out_degree(&self, vertex: u32) -> usize {
        Snapshot::out_degree(self, vertex)
    }

    fn in_degree(&self, vertex: u32) -> Option<usize> {
        Snapshot::in_degree(self, vertex)
    }

    fn neighbors(&self, vertex: u32) -> Box<dyn ExactSizeIterator<Item = (u32, V)> + '_> {
        Box::new(Snapshot::neighbors(self, vertex).map(|(to, &weight)| (to, weight)))
    }

    fn in_neighbors(&self, vertex: u32) -> Option<Box<dyn ExactSizeIterator<Item = (u32, V)> + '_>> {
        let sources = Snapshot::in_neighbors(self, vertex)?;
        Some(Box::new(sources.map(|(from, &weight)| (from, weight))))
    }

    fn weight(&self, from: u32, to: u32) -> Option<V> {
        Snapshot::weight(self, from, to).copied()
    }

    fn for_each_edge(&self, visit: &mut dyn FnMut(u32, u32, V)) {
        self.edges().for_each(|(from, to, &weight)| visit(from, to, weight));
    }

    fn each_block(&self, incoming: bool, nonzeros: usize, visit: VisitBlock<'_, V>) -> ControlFlow<()> {
        match if incoming { self.incoming() } else { Some(self.matrix()) } {
            Some(matrix) => matrix.each_block(nonzeros, visit),
            None => ControlFlow::Continue(()),
        }
    }

    fn footprint(&self) -> Footprint {
        Snapshot::footprint(self)
    }

    fn audit(&self) -> Result<(), AuditError> {
        Snapshot::audit(self)
    }

    fn rows(&self) -> DynRows<'_, V> {
        DynRows::of(self.matrix())
    }

    fn incoming_rows(&self) -> Option<DynRows<'_, V>> {
        self.incoming().map(DynRows::of)
    }

    fn vertex_set(&self) -> &VertexSet {
        Snapshot::vertex_set(self)
    }

    fn over(&self, visit: VisitRows<'_, V>) {
        let (out, vertices) = (DynRows::of(self.matrix()), Snapshot::vertex_set(self));
        if !self.is_directed() {
            return visit(undirected(&out, vertices));
        }
        match self.incoming() {
            Some(incoming) => visit(directed(&out, &DynRows::of(incoming), vertices)),
            None => visit(outward(&out, vertices)),
        }
    }

    fn sum_quotients(&self, y: &mut [f64], x: &[f64], d: &[f64]) -> Result<(), ShapeError> {
        sum_quotients(y, self, x, d)
    }

    fn share(&self) -> Box<dyn ErasedSnapshot<V>> {
        Box::new(self.clone())
    }

    fn diff(&self, older: &dyn Any) -> Option<Difference<V>> {
        Some(Snapshot::diff(self, older.downcast_ref::<Self>()?))
    }
}

/// One version of an [`AnyGraph`]: a [`Snapshot`], which never changes.
pub struct AnySnapshot<V: Bundled>(Box<dyn ErasedSnapshot<V>>);

impl<V: Bundled> Clone for AnySnapshot<V> {
    fn clone(&self) -> Self {
        AnySnapshot(self.0.share())
    }
}

impl<V: Bundled> AnySnapshot<V> {
    /// The number of batches that this version holds.
    pub fn version(&self) -> u64 {
        self.0.version()
    }

    /// Whether edges have a direction.
    pub fn is_directed(&self) -> bool {
        self.0.is_directed()
    }

    /// Number of rows. All vertex numbers are below it.
    pub fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    /// Number of vertices. Removed vertices do not count.
    pub fn num_vertices(&self) -> usize {
        self.0.num_vertices()
    }

    /// Number of edges; an undirected one counts once.
    pub fn num_edges(&self) -> u64 {
        self.0.num_edges()
    }

    /// Number of arcs: an undirected edge is two, a self loop one.
    pub fn num_arcs(&self) -> u64 {
        self.0.num_arcs()
    }

    /// Whether a vertex is there.
    pub fn has_vertex(&self, vertex: u32) -> bool {
        self.0.has_vertex(vertex)
    }

    /// The vertices, ascending.
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.0.vertices()
    }

    /// The vertices, as a set.
    pub fn vertex_set(&self) -> &VertexSet {
        self.0.vertex_set()
    }

    /// Number of arcs that lead out of a vertex.
    pub fn out_degree(&self, vertex: u32) -> usize {
        self.0.out_degree(vertex)
    }

    /// Number of arcs that lead into a vertex. `None` if the graph is directed and does not keep in-arcs.
    pub fn in_degree(&self, vertex: u32) -> Option<usize> {
        self.0.in_degree(vertex)
    }

    /// The targets of the arcs that lead out of a vertex, ascending, with the weights. One dynamic call for each: to visit whole rows,
    /// use [`rows`](Self::rows).
    pub fn neighbors(&self, vertex: u32) -> impl ExactSizeIterator<Item = (u32, V)> + '_ {
        self.0.neighbors(vertex)
    }

    /// The sources of the arcs that lead into a vertex. `None` if the graph is directed and does not keep in-arcs.
    pub fn in_neighbors(&self, vertex: u32) -> Option<impl ExactSizeIterator<Item = (u32, V)> + '_> {
        self.0.in_neighbors(vertex)
    }

    /// Whether there is an edge. Logarithmic in the degree.
    pub fn has_edge(&self, from: u32, to: u32) -> bool {
        self.weight(from, to).is_some()
    }

    /// The weight of an edge, if it is there. Logarithmic in the degree.
    pub fn weight(&self, from: u32, to: u32) -> Option<V> {
        self.0.weight(from, to)
    }

    /// Calls `visit` with all edges and their weights, ascending; an undirected edge comes once, its smaller end first.
    pub fn for_each_edge(&self, mut visit: impl FnMut(u32, u32, V)) {
        self.0.for_each_edge(&mut visit);
    }

    /// Calls `visit` with the rows of out-arcs, or with `incoming` of in-arcs, as blocks of arrays, of about so many nonzeros or more each;
    /// see [`Matrix::each_block`](pleach::Matrix::each_block). Ends when `visit` breaks.
    pub fn each_block(&self, incoming: bool, nonzeros: usize, visit: VisitBlock<'_, V>) -> ControlFlow<()> {
        self.0.each_block(incoming, nonzeros, visit)
    }

    /// What differs between this version and an older one of the same graph; see [`Snapshot::diff`]. `None` if the two are held in different
    /// row stores, which versions of one graph never are.
    pub fn diff(&self, older: &Self) -> Option<Difference<V>> {
        let older: &dyn Any = &*older.0;
        self.0.diff(older)
    }

    /// Bytes of all rows, including those that are shared with other versions.
    pub fn footprint(&self) -> Footprint {
        self.0.footprint()
    }

    /// Checks every invariant of the graph; see [`Snapshot::audit`].
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn audit(&self) -> Result<(), AuditError> {
        self.0.audit()
    }

    /// The rows of out-arcs, as kernels read them. Packed rows are looked up as they are visited; for others this takes a pass over the
    /// outer level.
    pub fn rows(&self) -> DynRows<'_, V> {
        self.as_packed().map_or_else(|| self.0.rows(), |packed| DynRows::direct(packed.matrix()))
    }

    /// The rows of in-arcs; in an undirected graph they are the rows of out-arcs. `None` if the graph is directed and does not keep
    /// in-arcs.
    pub fn incoming_rows(&self) -> Option<DynRows<'_, V>> {
        match self.as_packed() {
            Some(packed) => packed.incoming().map(DynRows::direct),
            None => self.0.incoming_rows(),
        }
    }

    /// Calls `f` with the graph as algorithms take it. It has in-arcs unless the graph is directed and does not keep them; an algorithm
    /// that needs in-arcs returns an error then. Takes a pass over the outer levels.
    ///
    /// ```
    /// # use pleach::graph::GraphOptions;
    /// # use pleach_erased::AnyGraph;
    /// let graph: AnyGraph<()> = AnyGraph::new(&"aspen".parse().unwrap(), GraphOptions::default()).unwrap();
    /// graph.insert([(0, 1), (0, 2)]).unwrap();
    /// assert_eq!(graph.fresh().over(|graph| graph.num_arcs()), 2);
    /// ```
    pub fn over<T>(&self, f: impl FnOnce(Adjacency<'_, DynRows<'_, V>>) -> T) -> T {
        let (mut f, mut done) = (Some(f), None);
        self.0.over(&mut |graph| done = f.take().map(|f| f(graph)));
        done.expect("the graph is visited once")
    }

    /// Calls `f` with the graph as a [`GraphView`]. Rows of the default row store keep their type, which takes constant time; others are shown
    /// as [`over`](Self::over) shows them.
    pub fn view<T>(&self, f: impl FnOnce(GraphView<'_, V>) -> T) -> T {
        match self.as_packed() {
            Some(packed) => f(Adjacency::from(packed).into()),
            None => self.over(|graph| f(graph.into())),
        }
    }

    /// The snapshot with its type, if its rows are in the default row store: for code that is compiled for that store.
    pub fn as_packed(&self) -> Option<&Snapshot<Packed<V>>> {
        let snapshot: &dyn Any = &*self.0;
        snapshot.downcast_ref()
    }

    /// [`pleach::kernels::pagerank::sum_quotients`] over the rows of out-arcs, compiled for this store: `y(i) += A(i,j) * x(j) / d(j)`.
    ///
    /// # Errors
    ///
    /// If the lengths of the arrays do not fit the graph.
    pub fn sum_quotients(&self, y: &mut [f64], x: &[f64], d: &[f64]) -> Result<(), ShapeError> {
        self.0.sum_quotients(y, x, d)
    }
}

impl<V: Bundled> fmt::Debug for AnySnapshot<V> {
    /// Version, direction and size.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnySnapshot")
            .field("version", &self.version())
            .field("directed", &self.is_directed())
            .field("vertices", &self.num_vertices())
            .field("edges", &self.num_edges())
            .finish_non_exhaustive()
    }
}

/// Why the checks below cannot fail for the rows of a snapshot.
const FITS: &str = "the rows of a graph are square, and its vertices are among them";

fn undirected<'a, A: Rows>(out: &'a A, vertices: &'a VertexSet) -> Adjacency<'a, A> {
    Adjacency::assume_undirected(out).and_then(|graph| graph.among(vertices)).expect(FITS)
}

fn outward<'a, A: Rows>(out: &'a A, vertices: &'a VertexSet) -> Adjacency<'a, A> {
    Adjacency::outward(out).and_then(|graph| graph.among(vertices)).expect(FITS)
}

fn directed<'a, A: Rows>(out: &'a A, incoming: &'a A, vertices: &'a VertexSet) -> Adjacency<'a, A> {
    // In-arcs that were read from a damaged file may differ from the out-arcs: the graph is then shown without in-arcs.
    let graph = Adjacency::assume_directed(out, incoming).or_else(|_| Adjacency::outward(out));
    graph.and_then(|graph| graph.among(vertices)).expect(FITS)
}
