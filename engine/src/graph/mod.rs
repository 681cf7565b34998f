//! A graph that never stops changing: one writer applies batches, any number of readers compute on snapshots.
//!
//! ```text
//!   updates ─► prepare: check, sort, fold ─► commit ─► working version        in place where no snapshot shares a page
//!               (may fail, touches nothing)     │          │ batch boundary   a copy of one short path where one does
//!                                               ▼          ▼
//!   readers ◄── latest(), fresh() ◄──────── published version ──► freed by another thread when the last reader lets go
//! ```
//!
//! What is promised:
//!
//! * A batch is atomic: a snapshot holds all of it or nothing.
//! * Versions are totally ordered: [`Snapshot::version`] counts batches.
//! * A batch is *prepared*, which may fail and touches no version, and then *applied*. An error, or a panic in what you pass in, leaves
//!   every version intact and the graph usable. While a batch is applied two things can go wrong: a panic in the code of your own store or
//!   [`Weight`] takes the graph back to the last batch that was acknowledged; and if memory for a node cannot be allocated, the program
//!   ends, as everywhere in Rust.
//! * What a graph holds depends on the updates and their order, not on how they were cut into batches. A vertex exists from the first
//!   update that inserts an edge at it, even if the same batch deletes that edge again, until it is removed.
//! * No call waits for ever: batches are applied by threads that run nothing else, so that all methods may be called from anywhere, even
//!   from within parallel jobs, on any number of threads.
//! * A snapshot never changes. It is acquired in constant time; readers wait neither for the writer nor for one another. Only
//!   [`Graph::fresh`] may wait, until the batch that is being applied has ended.
//! * The cost of a batch grows with the batch and the rows it touches, not with the graph. There are two exceptions. The `dense` outer level
//!   is an array of pages, for graphs that are read much and published seldom: it copies one pointer for each 64 rows after each
//!   publication. In a directed graph without in-arcs, a batch that removes vertices searches every row.
//! * <a id="memory"></a>Memory: the graph itself holds the newest published version, which takes as much memory as the pages that were
//!   changed since. When its last reader drops it, and at [`Graph::publish`], the working version takes its place, and memory that only
//!   readers had kept is freed by another thread ([`settle`] waits for it). The batches since the newest published version are kept, too:
//!   at most 16 MiB, or half of the graph. What is freed goes back to the allocator, and from there to the system when the allocator sees
//!   fit. jemalloc keeps it until it is called again after ten seconds, which an idle program does not do; with its option
//!   `background_thread:true` a thread of its own gives it back then (the `pleach` command sets it), and `arena.<i>.purge` at once.
//!
//! ```
//! use pleach::graph::{Graph, GraphOptions, Update};
//!
//! let graph: Graph = Graph::new(GraphOptions::default());
//! let applied = graph.insert([(0, 1), (1, 2), (0, 1)])?;
//! assert_eq!((applied.new, applied.merged), (2, 1));
//!
//! let before = graph.fresh();
//! graph.apply([Update::delete(0, 1), Update::insert((2, 0))])?;
//! assert!(before.has_edge(0, 1) && !graph.fresh().has_edge(0, 1));
//! assert!(graph.fresh().neighbors(2).map(|(to, ())| to).eq([0]));
//! # Ok::<(), pleach::graph::GraphError>(())
//! ```
//!
//! Edges carry numbers, or any other `Copy` type that says how two of its values become one ([`Weight`]). Payloads of vertices are kept beside the
//! graph, in a [`VertexMap`], whose clones go with snapshots:
//!
//! ```
//! use pleach::graph::{Conflict, GraphOptions, VertexMap, WeightedGraph};
//! use pleach::sort::Weight;
//!
//! /// How two people know each other, since when.
//! #[derive(Clone, Copy, Debug, Default, PartialEq)]
//! struct Tie {
//!     since: u16,
//!     letters: u32,
//! }
//!
//! impl Weight for Tie {
//!     fn sum(a: Tie, b: Tie) -> Tie {
//!         Tie { since: a.since.min(b.since), letters: a.letters + b.letters }
//!     }
//!     fn min(a: Tie, b: Tie) -> Tie {
//!         if b.letters < a.letters { b } else { a }
//!     }
//!     fn max(a: Tie, b: Tie) -> Tie {
//!         if b.letters > a.letters { b } else { a }
//!     }
//! }
//!
//! let options = GraphOptions::undirected().with_conflict(Conflict::Sum);
//! let graph = WeightedGraph::<Tie>::new(options);
//! graph.insert([(0, 1, Tie { since: 2004, letters: 3 }), (1, 0, Tie { since: 1998, letters: 1 })])?;
//! assert_eq!(graph.fresh().weight(0, 1), Some(&Tie { since: 1998, letters: 4 }));
//!
//! let names: VertexMap<String> = [(0, "Ada".to_owned()), (1, "Bob".to_owned())].into_iter().collect();
//! let friends = graph.fresh();
//! assert!(friends.neighbors(0).map(|(vertex, _)| names[vertex].as_str()).eq(["Bob"]));
//! # Ok::<(), pleach::graph::GraphError>(())
//! ```

mod batches;
mod changed;
mod compact;
pub(crate) mod counted;
mod current;
mod difference;
mod error;
mod from_rows;
mod ids;
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod instances;
mod journal;
mod options;
mod prepare;
mod primitive;
mod publication;
#[cfg(test)]
mod publication_model;
#[cfg(test)]
mod publication_tests;
mod reclaim;
mod redo;
mod restore;
mod snapshot;
mod threads;
mod update;
mod version;
mod vertex_map;
mod vertices;
#[cfg(feature = "petgraph")]
pub mod visit;
mod window;

use std::borrow::Cow;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use pleach_runtime::{BuildOuter, OuterLevel, Packed, Paged, Store, UpdateOuter};

pub use batches::{BatchError, Batcher, Batches, EdgeChange, Event, EventBatch, Grouping};
pub use compact::{Compact, Numbering};
pub use current::Current;
pub use difference::{Difference, Reweighted};
pub use error::{DEFAULT_MAX_VERTICES, GraphError, MAX_VERTICES};
pub use from_rows::FromRowsError;
pub use ids::{ExternalId, Ids, IdsError, IdsVersion};
pub use journal::{Journal, Recorded, RecordedStep, StepRows};
pub use options::{Conflict, GraphOptions};
pub use prepare::Prepared;
pub use publication::Publish;
pub use reclaim::settle;
pub use restore::Saved;
pub use snapshot::{Neighbors, Snapshot};
pub use update::{Action, Applied, Edge, StepKind, Update, UpdateList};
pub use vertex_map::VertexMap;
pub use vertices::VertexSet;
pub use window::Window;

use crate::sort::Weight;
use crate::{BuildError, BuildOptions, BuildReport, EdgeList, Matrix};
use prepare::Shape;
use publication::Publication;
use update::{collect, collect_edges, collect_ends, collect_updates};
use version::{Contents, Draft, check, settle as settle_contested};

/// A graph whose edges carry values of type `V`, a number or any other [`Weight`], in the default store.
pub type WeightedGraph<V> = Graph<Packed<u32, V>>;

/// A graph that is updated by batches and read through snapshots, in any row store `R` below any outer level.
///
/// All methods take `&self`: share a graph among threads by reference or in an `Arc`. Methods that change it wait for one another.
///
/// A panic in the code of your own store or weight takes the graph back to the last batch that was acknowledged, at the latest when the
/// graph is next written to.
pub struct Graph<R = Packed<u32, ()>>
where
    R: Store<Coord = u32>,
    R::Value: Weight,
{
    publication: Arc<Publication<Draft<R>>>,
    options: GraphOptions<R::Value>,
}

impl<R> Graph<R>
where
    R: Store<Coord = u32>,
    R::Value: Weight,
{
    /// A graph without vertices, with its rows in pages below a copy-on-write tree.
    pub fn new(options: GraphOptions<R::Value>) -> Self {
        Self::below::<Paged<R>>(options)
    }

    /// A graph without vertices, with its rows below the outer level `O`.
    ///
    /// ```
    /// use pleach::graph::{Graph, GraphOptions};
    /// use pleach::runtime::Nested;
    /// use pleach::stores::{Bst, Ctree};
    ///
    /// // Rows that are C-trees, below a search tree of rows.
    /// let graph = Graph::<Ctree<()>>::below::<Nested<Bst<_>>>(GraphOptions::undirected());
    /// graph.insert([(3, 1), (3, 2)])?;
    /// assert_eq!(graph.fresh().out_degree(3), 2);
    /// # Ok::<(), pleach::graph::GraphError>(())
    /// ```
    pub fn below<O: BuildOuter<R> + UpdateOuter<R> + 'static>(options: GraphOptions<R::Value>) -> Self {
        let incoming = (options.directed && options.incoming).then(Matrix::empty::<O>);
        Self::of(Contents::new(Matrix::empty::<O>(), incoming, options.directed), options)
    }

    /// Builds a graph from a list of edges, in parallel, with its rows below the outer level `O`. All numbers below the larger dimension of
    /// the list are vertices, even without edges.
    ///
    /// # Errors
    ///
    /// [`BuildError`] names the first arc that is out of range, or the first duplicate if there must be none.
    pub fn from_edges<O: BuildOuter<R> + UpdateOuter<R> + 'static>(
        edges: EdgeList<R::Value>,
        options: GraphOptions<R::Value>,
    ) -> Result<(Self, BuildReport), BuildError> {
        Self::from_edges_below(OuterLevel::of::<O>(), edges, options)
    }

    /// As [`from_edges`](Self::from_edges), below an outer level that is chosen at run time.
    ///
    /// # Errors
    ///
    /// As [`from_edges`](Self::from_edges).
    pub fn from_edges_below(
        level: OuterLevel<R>,
        mut edges: EdgeList<R::Value>,
        options: GraphOptions<R::Value>,
    ) -> Result<(Self, BuildReport), BuildError> {
        let vertices = edges.num_rows.max(edges.num_cols);
        let limit = options.max_vertices.min(MAX_VERTICES);
        if vertices > limit {
            return Err(BuildError::TooManyVertices { vertices, limit });
        }
        (edges.num_rows, edges.num_cols) = (vertices, vertices);
        let build_options = BuildOptions {
            duplicates: options.conflict.into(),
            undirected: !options.directed,
            ..BuildOptions::default()
        };
        let build = |edges: &EdgeList<R::Value>| Matrix::from_arcs_below(level, Cow::Borrowed(edges), &build_options);
        let (out, report) = build(&edges)?;
        let mut incoming = None;
        if options.directed && options.incoming {
            std::mem::swap(&mut edges.src, &mut edges.dst);
            incoming = Some(build(&edges)?.0);
        }
        let mut contents = Contents::new(out, incoming, options.directed);
        contents.vertices = VertexSet::first(vertices);
        if !options.directed && report.self_loops > 0 {
            let is_loop = |&vertex: &usize| contents.weight(vertex as u32, vertex as u32).is_some();
            contents.loops = (0..vertices).filter(is_loop).count();
        }
        Ok((Self::of(contents, options), report))
    }

    fn of(contents: Contents<R>, options: GraphOptions<R::Value>) -> Self {
        let options = GraphOptions { max_vertices: options.max_vertices.min(MAX_VERTICES), ..options };
        let publication = Arc::new_cyclic(|home| {
            Publication::new(Draft::new(contents, options.conflict, options.threads, home.clone()), options.publish)
        });
        Graph { publication, options }
    }

    /// A graph that goes on from a snapshot, of which it shares all rows.
    fn of_snapshot(snapshot: &Snapshot<R>, options: GraphOptions<R::Value>) -> Self {
        Self::of(Contents { number: 0, ..snapshot.contents().clone() }, options)
    }

    /// How the graph behaves.
    pub fn options(&self) -> &GraphOptions<R::Value> {
        &self.options
    }

    /// What prepared batches depend on.
    fn shape(&self) -> Shape<R::Value> {
        let GraphOptions { directed, incoming, conflict, max_vertices, .. } = self.options;
        Shape { directed, incoming, conflict, max_vertices }
    }

    /// Inserts edges, in any order. Vertices appear with their first edge.
    ///
    /// # Errors
    ///
    /// [`GraphError`]; the graph is unchanged then.
    pub fn insert<E: Into<Edge<R::Value>>>(&self, edges: impl IntoIterator<Item = E>) -> Result<Applied, GraphError> {
        self.insert_list(&collect_edges(edges.into_iter())?)
    }

    /// Inserts the edges of a list; its dimensions are not looked at. Takes no copy of it.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    ///
    /// # Panics
    ///
    /// If the arrays of the list differ in length.
    pub fn insert_list(&self, edges: &EdgeList<R::Value>) -> Result<Applied, GraphError> {
        check_lengths(edges);
        self.commit(self.shape().prepare_insert(edges)?)
    }

    /// Deletes edges, in any order. Their vertices stay.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert). Deleting an edge that does not exist is no error: it is counted.
    pub fn delete(&self, edges: impl IntoIterator<Item = (u32, u32)>) -> Result<Applied, GraphError> {
        self.delete_list(&collect_ends(edges.into_iter())?)
    }

    /// Deletes the edges of a list; its dimensions are not looked at. Takes no copy of it.
    ///
    /// # Errors
    ///
    /// As [`delete`](Self::delete).
    ///
    /// # Panics
    ///
    /// If the arrays of the list differ in length.
    pub fn delete_list(&self, edges: &EdgeList<()>) -> Result<Applied, GraphError> {
        check_lengths(edges);
        self.commit(self.shape().prepare_delete(edges)?)
    }

    /// Changes the weights of existing edges, in any order; the last weight of an edge wins.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert), and if the edges of the graph have no weights. Edges that do not exist are counted.
    pub fn reweight(&self, edges: impl IntoIterator<Item = (u32, u32, R::Value)>) -> Result<Applied, GraphError> {
        self.commit(self.shape().prepare_reweight(&collect(edges.into_iter())?)?)
    }

    /// Applies a batch of updates of any kind. Updates of the same edge are applied in the order in which they are listed.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn apply(&self, updates: impl IntoIterator<Item = Update<R::Value>>) -> Result<Applied, GraphError> {
        self.commit(self.prepare(updates)?)
    }

    /// As [`apply`](Self::apply), from updates in columns: the batches of [`Batches`], say.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn apply_list(&self, updates: UpdateList<R::Value>) -> Result<Applied, GraphError> {
        self.commit(self.prepare_list(updates)?)
    }

    /// Prepares a batch of updates of any kind: checks, sorts and folds them. Does not touch the graph, so that one thread can prepare the
    /// next batch while another applies this one.
    ///
    /// ```
    /// use pleach::graph::{Graph, GraphOptions, Update};
    ///
    /// let graph: Graph = Graph::new(GraphOptions::default());
    /// let batch = graph.prepare([Update::insert((0, 1)), Update::delete(4, 5)])?;
    /// let applied = graph.commit(batch)?;
    /// assert_eq!((applied.new, applied.absent, applied.version), (1, 1, 1));
    /// # Ok::<(), pleach::graph::GraphError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn prepare(
        &self,
        updates: impl IntoIterator<Item = Update<R::Value>>,
    ) -> Result<Prepared<R::Value>, GraphError> {
        self.shape().prepare_mixed(&collect_updates(updates.into_iter())?)
    }

    /// As [`prepare`](Self::prepare), from updates in columns. If all are insertions, or all are deletions, they are sorted without a copy.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn prepare_list(&self, updates: UpdateList<R::Value>) -> Result<Prepared<R::Value>, GraphError> {
        self.shape().prepare_list(updates)
    }

    /// Applies a batch that this graph prepared, or one of the same shape: directed or not, with in-arcs or without, with the same
    /// [`Conflict`].
    ///
    /// Waits while another thread applies a batch. May be called from within a parallel job: it waits for no worker of the caller's pool,
    /// and runs no other job meanwhile.
    ///
    /// # Errors
    ///
    /// If the batch was prepared for a graph of another shape, if an inserted edge exists although it must not ([`Conflict::Error`]), or if
    /// the memory for the batch cannot be allocated. The graph is unchanged then.
    pub fn commit(&self, prepared: Prepared<R::Value>) -> Result<Applied, GraphError> {
        self.commit_with(prepared, &mut journal::Nowhere)
    }

    /// As [`commit`](Self::commit), and has a journal record the batch before it is applied.
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit), and [`GraphError::NotRecorded`] if the journal does not record it.
    pub fn commit_with(
        &self,
        mut prepared: Prepared<R::Value>,
        journal: &mut dyn Journal<R::Value>,
    ) -> Result<Applied, GraphError> {
        let shape = self.shape();
        shape.accept(&prepared)?;
        let contested = std::mem::take(&mut prepared.contested);
        let checked = std::mem::take(&mut prepared.checked);
        if contested.keys.is_empty() && checked.keys.is_empty() {
            return self.publication.write().working().commit(prepared, &[], journal);
        }
        let settle = |prepared: &mut Prepared<R::Value>, old: &[Option<R::Value>]| {
            let matrices = (shape.directed, shape.directed && shape.incoming);
            let settled = settle_contested(&contested, old, shape.conflict, matrices)?;
            prepared.out.extend(settled.out);
            prepared.incoming.extend(settled.incoming);
            prepared.named.extend(settled.named);
            Ok::<_, GraphError>(())
        };
        if !matches!(shape.conflict, Conflict::With(_)) {
            let mut writing = self.publication.write();
            let draft = writing.working();
            check(&checked, &draft.weights(&checked), shape.conflict)?;
            settle(&mut prepared, &draft.weights(&contested))?;
            return draft.commit(prepared, &contested.keys, journal);
        }
        // The user's function may take long, or use the graph. So it runs without the lock, on weights that are compared again under the
        // lock.
        let whole = (prepared.out.len(), prepared.incoming.len(), prepared.named.len());
        loop {
            let old = self.publication.write().working().weights(&contested);
            settle(&mut prepared, &old)?;
            let mut writing = self.publication.write();
            let draft = writing.working();
            if draft.has_weights(&contested, &old) {
                return draft.commit(prepared, &contested.keys, journal);
            }
            drop(writing);
            prepared.out.truncate(whole.0);
            prepared.incoming.truncate(whole.1);
            prepared.named.truncate(whole.2);
        }
    }

    /// Prepares a batch that adds vertices, with or without edges.
    ///
    /// # Errors
    ///
    /// If a vertex is beyond the limit.
    pub fn prepare_vertices(&self, vertices: impl IntoIterator<Item = u32>) -> Result<Prepared<R::Value>, GraphError> {
        self.shape().prepare_vertices(vertices.into_iter().collect())
    }

    /// Applies a batch that was recorded as this graph, or one of the same shape, applied it: the next one after the last. Vertices
    /// beyond [`GraphOptions::max_vertices`] are taken, as the graph that recorded them had room for them.
    ///
    /// # Errors
    ///
    /// [`GraphError`] if the record is not a batch, or the memory for it cannot be allocated. The graph is unchanged then.
    pub fn replay(&self, recorded: Recorded<R::Value>) -> Result<Applied, GraphError> {
        let prepared = recorded.prepare(&self.shape())?;
        self.publication.write().working().replay(prepared)
    }

    /// Inserts one edge: a batch of one.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn insert_edge(&self, from: u32, to: u32, weight: R::Value) -> Result<Applied, GraphError> {
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
    pub fn reweight_edge(&self, from: u32, to: u32, weight: R::Value) -> Result<Applied, GraphError> {
        self.reweight([(from, to, weight)])
    }

    /// Adds a vertex without edges, as a batch of its own. Returns whether it is new.
    ///
    /// # Errors
    ///
    /// If the vertex is beyond the limit.
    pub fn add_vertex(&self, vertex: u32) -> Result<bool, GraphError> {
        let limit = self.options.max_vertices;
        if vertex as usize >= limit {
            return Err(GraphError::VertexOutOfRange { update: 0, vertex, limit });
        }
        Ok(self.publication.write().working().add_vertex(vertex))
    }

    /// Removes a vertex and all edges that lead from or to it: a batch of one [`Update::remove_vertex`]. Nothing happens if it does not
    /// exist.
    ///
    /// Takes time for its edges and the rows at their other ends; in a directed graph that does not keep in-arcs it searches every
    /// row, once for all vertices that a batch removes.
    ///
    /// ```
    /// use pleach::graph::{Graph, GraphOptions};
    ///
    /// let graph: Graph = Graph::new(GraphOptions::default());
    /// graph.insert([(0, 1), (1, 2), (2, 0)])?;
    /// graph.add_vertex(9)?;
    /// assert_eq!(graph.remove_vertex(1)?.removed, 2);
    /// assert!(graph.fresh().vertices().eq([0, 2, 9]));
    /// # Ok::<(), pleach::graph::GraphError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None so far, because a removal needs no memory.
    pub fn remove_vertex(&self, vertex: u32) -> Result<Applied, GraphError> {
        self.apply([Update::remove_vertex(vertex)])
    }

    /// The newest published version. Takes constant time and never waits; asks the next batch boundary to publish, if the graph's policy is
    /// [`Publish::WhenAsked`].
    pub fn latest(&self) -> Snapshot<R> {
        Snapshot::new(self.publication.latest())
    }

    /// A version that holds every batch that was applied before the call: the newest published one if it does, otherwise the one at the
    /// next batch boundary, for which this waits while a batch is being applied. May be called from within a parallel job.
    pub fn fresh(&self) -> Snapshot<R> {
        Snapshot::new(self.publication.fresh())
    }

    /// Publishes all batches that were applied so far, whatever the policy is; waits for the batch that is being applied.
    pub fn publish(&self) -> Snapshot<R> {
        Snapshot::new(self.publication.write().publish())
    }

    /// As [`publish`](Self::publish), and calls `f` with the version before any other batch can be applied. `f` must not write to the graph.
    pub fn publish_with<T>(&self, f: impl FnOnce(&Snapshot<R>) -> T) -> (Snapshot<R>, T) {
        let mut writing = self.publication.write();
        let snapshot = Snapshot::new(writing.publish());
        let done = f(&snapshot);
        drop(writing);
        (snapshot, done)
    }

    /// Calls `read` with the graph as it is after the batches that were applied so far, without publishing a version, so that the next
    /// batch copies nothing because of it. For a writer whose next batch depends on a few edges; readers take snapshots. Waits for the
    /// batch that is being applied, and no batch is applied before `read` returns: `read` must not use the graph in any other way.
    ///
    /// ```
    /// use pleach::graph::{Graph, GraphOptions};
    ///
    /// let graph: Graph = Graph::new(GraphOptions::default());
    /// graph.insert([(0, 1)])?;
    /// assert!(graph.with_current(|now| now.weight(0, 1).is_some() && !now.has_vertex(2)));
    /// assert_eq!(graph.published(), 0);
    /// # Ok::<(), pleach::graph::GraphError>(())
    /// ```
    pub fn with_current<T>(&self, read: impl FnOnce(Current<'_, R>) -> T) -> T {
        let mut writing = self.publication.write();
        read(Current(&writing.working().contents))
    }

    /// The number of the newest published version. Takes constant time, never waits, and asks for no newer one.
    pub fn published(&self) -> u64 {
        self.publication.published().number
    }
}

impl<R> fmt::Debug for Graph<R>
where
    R: Store<Coord = u32>,
    R::Value: Weight,
{
    /// The newest published version, without asking for a newer one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").field("published", &Snapshot::new(self.publication.published())).finish_non_exhaustive()
    }
}

// A panic while a batch is applied takes the graph back to the newest published version, and snapshots never change.
impl<R> UnwindSafe for Graph<R>
where
    R: Store<Coord = u32>,
    R::Value: Weight,
{
}
impl<R> RefUnwindSafe for Graph<R>
where
    R: Store<Coord = u32>,
    R::Value: Weight,
{
}
impl<R: Store> UnwindSafe for Snapshot<R> {}
impl<R: Store> RefUnwindSafe for Snapshot<R> {}
// A panic while an id is added leaves it out: it is visible only after the last step.
impl<K: ExternalId + ?Sized> UnwindSafe for Ids<K> {}
impl<K: ExternalId + ?Sized> RefUnwindSafe for Ids<K> {}

/// Panics unless the three arrays of a list of edges are equally long.
fn check_lengths<V>(edges: &EdgeList<V>) {
    assert!(
        edges.src.len() == edges.dst.len() && edges.src.len() == edges.weight.len(),
        "an edge list has as many sources, targets and weights"
    );
}
