//! Graphs and snapshots of any store behind one type.

use pleach::graph::{Applied, Graph, GraphError, GraphOptions, Ids, Snapshot, Update};
use pleach::registry::{Ends, GraphVisitor, StoreName, with_graph};
use pleach::runtime::Store;
use pleach::sort::Weight;
use pleach::traverse::{Adjacency, DynRows};
use pleach::{BuildReport, EdgeList, Matrix, Rows};
use pleach_datasets::{Edges, Format, IdMap, Input};

use super::super::Failure;
use super::super::run::{Between, Finding, Following, SnapshotApp, Vertices};
use crate::batches::Streamed;

/// What edges of a graph that is streamed to can carry.
pub trait Held: Streamed + Weight {
    /// Whether these are weights.
    const WEIGHTED: bool;

    /// Runs an algorithm, which reads what these rows carry.
    fn compute<'t>(
        app: &'t dyn SnapshotApp,
        graph: Adjacency<'_, DynRows<'_, Self>>,
        vertices: &Vertices<'_>,
    ) -> Result<Finding<'t>, Failure>;

    /// The same rows, if they carry nothing.
    fn pattern<'a, 'm>(graph: Adjacency<'a, DynRows<'m, Self>>) -> Option<Adjacency<'a, DynRows<'m, ()>>>;

    /// A list of edges.
    fn edges(list: EdgeList<Self>) -> Edges;
}

impl Held for () {
    const WEIGHTED: bool = false;

    fn compute<'t>(
        app: &'t dyn SnapshotApp,
        graph: Adjacency<'_, DynRows<'_, ()>>,
        vertices: &Vertices<'_>,
    ) -> Result<Finding<'t>, Failure> {
        app.on_pattern(graph, vertices)
    }

    fn pattern<'a, 'm>(graph: Adjacency<'a, DynRows<'m, ()>>) -> Option<Adjacency<'a, DynRows<'m, ()>>> {
        Some(graph)
    }

    fn edges(list: EdgeList) -> Edges {
        Edges::Pattern(list)
    }
}

impl Held for f64 {
    const WEIGHTED: bool = true;

    fn compute<'t>(
        app: &'t dyn SnapshotApp,
        graph: Adjacency<'_, DynRows<'_, f64>>,
        vertices: &Vertices<'_>,
    ) -> Result<Finding<'t>, Failure> {
        app.on_weighted(graph, vertices)
    }

    fn pattern<'a, 'm>(_: Adjacency<'a, DynRows<'m, f64>>) -> Option<Adjacency<'a, DynRows<'m, ()>>> {
        None
    }

    fn edges(list: EdgeList<f64>) -> Edges {
        Edges::Weighted(list)
    }
}

/// A graph in any store.
pub trait AnyGraph<V: Held>: Send + Sync {
    /// Applies a batch.
    fn apply(&self, updates: Vec<Update<V>>) -> Result<Applied, GraphError>;

    /// The graph as it is now.
    fn snapshot(&self) -> Box<dyn AnySnapshot<V>>;
}

/// A version of a graph in any store.
pub trait AnySnapshot<V: Held>: Send {
    /// Its number.
    fn version(&self) -> u64;
    /// Number of rows: of vertices, those included that were removed.
    fn num_rows(&self) -> usize;
    /// Number of vertices.
    fn num_vertices(&self) -> usize;
    /// Number of edges.
    fn num_edges(&self) -> u64;
    /// Number of arcs.
    fn num_arcs(&self) -> u64;
    /// Bytes of all rows.
    fn bytes(&self) -> usize;
    /// Calls `visit` with each edge.
    fn for_each_edge(&self, visit: &mut dyn FnMut(u32, u32, V));
    /// Runs an algorithm on the rows as they are held; on a static copy, if it reads no weights and the graph has them, or no direction.
    fn compute<'t>(&self, app: &'t dyn SnapshotApp, vertices: &Vertices<'_>) -> Result<Finding<'t>, Failure>;
    /// Calls `visit` once with the rows as they are held.
    fn over(&self, visit: &mut dyn FnMut(Adjacency<'_, DynRows<'_, V>>));
}

/// Lets an algorithm go on to a version without weights from the one it found something on last.
pub fn follow<'t, V: Held>(
    following: &mut dyn Following<'t>,
    before: Option<&dyn AnySnapshot<V>>,
    after: &dyn AnySnapshot<V>,
    between: &Between,
    vertices: &Vertices<'_>,
) -> Result<Finding<'t>, Failure> {
    const ONCE: &str = "each version is visited once, and carries nothing";
    let mut found = None;
    after.over(&mut |after| {
        let after = V::pattern(after).expect(ONCE);
        match before {
            None => found = Some(following.follow(None, after, between, vertices)),
            Some(before) => before.over(&mut |before| {
                found = Some(following.follow(Some(V::pattern(before).expect(ONCE)), after, between, vertices));
            }),
        }
    });
    found.expect(ONCE)
}

impl<V: Held, R: Store<Coord = u32, Value = V>> AnyGraph<V> for Graph<R> {
    fn apply(&self, updates: Vec<Update<V>>) -> Result<Applied, GraphError> {
        Graph::apply(self, updates)
    }

    fn snapshot(&self) -> Box<dyn AnySnapshot<V>> {
        Box::new(self.publish())
    }
}

impl<V: Held, R: Store<Coord = u32, Value = V>> AnySnapshot<V> for Snapshot<R> {
    fn version(&self) -> u64 {
        Snapshot::version(self)
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

    fn bytes(&self) -> usize {
        self.footprint().bytes
    }

    fn for_each_edge(&self, visit: &mut dyn FnMut(u32, u32, V)) {
        self.edges().for_each(|(from, to, &weight)| visit(from, to, weight));
    }

    fn compute<'t>(&self, app: &'t dyn SnapshotApp, vertices: &Vertices<'_>) -> Result<Finding<'t>, Failure> {
        let directed = self.is_directed();
        if V::WEIGHTED != app.is_weighted() || directed && app.ends() == Ends::Undirected {
            let mut list = EdgeList::new(Rows::num_rows(self), Rows::num_rows(self));
            self.edges().for_each(|(from, to, &weight)| list.push(from, to, weight));
            return app.on_copy(V::edges(list), directed, self.vertex_set(), vertices);
        }
        let mut found = None;
        self.over(&mut |graph| found = Some(V::compute(app, graph, vertices)));
        found.expect("the rows are visited")
    }

    fn over(&self, visit: &mut dyn FnMut(Adjacency<'_, DynRows<'_, V>>)) {
        let out = DynRows::of(self.matrix());
        let incoming = self.incoming().filter(|_| self.is_directed()).map(|rows: &Matrix<R>| DynRows::of(rows));
        let graph = match &incoming {
            Some(incoming) => Adjacency::directed(&out, incoming),
            None => Adjacency::undirected(&out),
        };
        visit(graph.among(self.vertex_set()));
    }
}

/// Builds the graph in a store.
pub fn hold<V: Held>(
    store: &StoreName,
    edges: EdgeList<V>,
    options: GraphOptions<V>,
) -> Result<Box<dyn AnyGraph<V>>, Failure> {
    with_graph(store, edges, options, Boxed).map_err(Failure::input)
}

/// Puts a graph behind the type that all share.
struct Boxed;

impl<V: Held> GraphVisitor<V> for Boxed {
    type Output = Box<dyn AnyGraph<V>>;

    fn visit<R: Store<Coord = u32, Value = V>>(self, graph: Graph<R>, _: BuildReport) -> Self::Output {
        Box::new(graph)
    }
}

/// A version as what is written to a file.
pub fn input<V: Held>(snapshot: &dyn AnySnapshot<V>, ids: &Ids, name: &str, directed: bool) -> Input {
    let mut known: Vec<(u64, u32)> = ids.iter().map(|(vertex, id)| (id, vertex)).collect();
    known.sort_unstable();
    let mut place = vec![0u32; ids.bound()];
    known.iter().zip(0..).for_each(|(&(_, vertex), position)| place[vertex as usize] = position);
    let mut list = EdgeList::new(known.len(), known.len());
    let mut self_loops = 0;
    snapshot.for_each_edge(&mut |from, to, weight| {
        self_loops += u64::from(from == to);
        list.push(place[from as usize], place[to as usize], weight);
    });
    Input {
        name: name.to_owned(),
        format: Format::EdgeList,
        edges: V::edges(list),
        ids: IdMap::from_sorted(known.into_iter().map(|(id, _)| id).collect()),
        directed,
        declared: None,
        mirrored: !directed,
        self_loops,
    }
}
