//! What algorithms and files make of the snapshots of a graph that is streamed to.

use pleach::EdgeList;
use pleach::graph::{Ids, VertexSet};
use pleach::traverse::{Adjacency, DynRows};
use pleach_datasets::{Edges, Format, IdMap, Input};
use pleach_erased::{AnySnapshot, Bundled, Ends};

use super::super::Failure;
use super::super::run::{Between, Finding, Following, Order, PackedRows, SnapshotApp, Vertices};
use crate::batches::Streamed;

/// What edges of a graph that is streamed to can carry.
pub trait Held: Streamed + Bundled {
    /// Whether these are weights.
    const WEIGHTED: bool;

    /// Runs an algorithm, which reads what these rows carry.
    fn compute<'t>(
        app: &'t dyn SnapshotApp,
        graph: Adjacency<'_, DynRows<'_, Self>>,
        vertices: &Vertices<'_>,
    ) -> Result<Finding<'t>, Failure>;

    /// Runs an algorithm on rows of the default store.
    fn compute_packed<'t>(
        app: &'t dyn SnapshotApp,
        graph: PackedRows<'_, Self>,
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

    fn compute_packed<'t>(
        app: &'t dyn SnapshotApp,
        graph: PackedRows<'_, ()>,
        vertices: &Vertices<'_>,
    ) -> Result<Finding<'t>, Failure> {
        app.on_packed_pattern(graph, vertices)
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

    fn compute_packed<'t>(
        app: &'t dyn SnapshotApp,
        graph: PackedRows<'_, f64>,
        vertices: &Vertices<'_>,
    ) -> Result<Finding<'t>, Failure> {
        app.on_packed_weighted(graph, vertices)
    }

    fn pattern<'a, 'm>(_: Adjacency<'a, DynRows<'m, f64>>) -> Option<Adjacency<'a, DynRows<'m, ()>>> {
        None
    }

    fn edges(list: EdgeList<f64>) -> Edges {
        Edges::Weighted(list)
    }
}

/// Lets an algorithm go on to a version without weights from the one it found something on last.
pub fn follow<'t, V: Held>(
    following: &mut dyn Following<'t>,
    before: Option<&AnySnapshot<V>>,
    after: &AnySnapshot<V>,
    between: &Between,
    vertices: &Vertices<'_>,
) -> Result<Finding<'t>, Failure> {
    const PATTERN: &str = "only graphs without weights are followed";
    after.over(|after| {
        let after = V::pattern(after.expect(IN_ARCS)).expect(PATTERN);
        match before {
            None => following.follow(None, after, between, vertices),
            Some(before) => before.over(|before| {
                let before = V::pattern(before.expect(IN_ARCS)).expect(PATTERN);
                following.follow(Some(before), after, between, vertices)
            }),
        }
    })
}

/// Whether an algorithm reads a graph without directions, and this one has them: it runs on a static copy then.
pub fn is_copied_for<V: Held>(app: &dyn SnapshotApp, snapshot: &AnySnapshot<V>) -> bool {
    snapshot.is_directed() && app.ends() == Ends::Undirected
}

/// Runs an algorithm on the rows of a version as they are held: those of the default store as such, others through a view. On a
/// static copy where vertices are to be in another order, or [directions](is_copied_for) are to go.
pub fn compute<'t, V: Held>(
    app: &'t dyn SnapshotApp,
    snapshot: &AnySnapshot<V>,
    vertices: &Vertices<'_>,
    order: Option<&Order>,
) -> Result<Finding<'t>, Failure> {
    let directed = snapshot.is_directed();
    if order.is_some() || is_copied_for(app, snapshot) {
        let place = |vertex| order.map_or(vertex, |order| order.place(vertex));
        let mut list = EdgeList::new(snapshot.num_rows(), snapshot.num_rows());
        snapshot.for_each_edge(|from, to, weight| list.push(place(from), place(to), weight));
        let moved: Option<VertexSet> = order.map(|_| snapshot.vertices().map(place).collect());
        let there = moved.as_ref().unwrap_or_else(|| snapshot.vertex_set());
        return app.on_copy(V::edges(list), directed, there, vertices);
    }
    if V::WEIGHTED && !app.is_weighted() {
        return snapshot.over_places(|graph| app.on_pattern(graph.expect(IN_ARCS), vertices));
    }
    if let Some(graph) = snapshot.as_packed() {
        return V::compute_packed(app, graph.adjacency().expect(IN_ARCS), vertices);
    }
    snapshot.over(|graph| V::compute(app, graph.expect(IN_ARCS), vertices))
}

/// What holds of the graphs of this command.
const IN_ARCS: &str = "a graph that is streamed to keeps in-arcs";

/// A version as what is written to a file.
pub fn input<V: Held>(snapshot: &AnySnapshot<V>, ids: &Ids, name: &str, directed: bool) -> Input {
    let mut known: Vec<(u64, u32)> = ids.iter().map(|(vertex, id)| (id, vertex)).collect();
    known.sort_unstable();
    let mut place = vec![0u32; ids.bound()];
    known.iter().zip(0..).for_each(|(&(_, vertex), position)| place[vertex as usize] = position);
    let mut list = EdgeList::new(known.len(), known.len());
    let mut self_loops = 0;
    snapshot.for_each_edge(|from, to, weight| {
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
