//! What algorithms make of the snapshots of a graph that is streamed to.

use pleach::graph::{Snapshot, VertexSet};
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{AnySnapshot, Bundled, Ends, Packed};

use super::super::Failure;
use super::super::run::{Between, Finding, Following, Order, PackedRows, SnapshotApp, Vertices};
use crate::batches::Streamed;
use crate::kept::Carried;

/// What edges of a graph that is streamed to can carry.
pub trait Held: Streamed + Bundled + Carried + PartialOrd {
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

    /// The same rows of the default store, if they carry nothing.
    fn packed_pattern(graph: PackedRows<'_, Self>) -> Option<PackedRows<'_, ()>>;

    /// The same rows, if they carry nothing.
    fn pattern<'a, 'm>(graph: Adjacency<'a, DynRows<'m, Self>>) -> Option<Adjacency<'a, DynRows<'m, ()>>>;

    /// The weight, if there is one.
    fn as_weight(self) -> Option<f64>;
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

    fn packed_pattern(graph: PackedRows<'_, ()>) -> Option<PackedRows<'_, ()>> {
        Some(graph)
    }

    fn pattern<'a, 'm>(graph: Adjacency<'a, DynRows<'m, ()>>) -> Option<Adjacency<'a, DynRows<'m, ()>>> {
        Some(graph)
    }

    fn as_weight(self) -> Option<f64> {
        None
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

    fn packed_pattern(_: PackedRows<'_, f64>) -> Option<PackedRows<'_, ()>> {
        None
    }

    fn pattern<'a, 'm>(_: Adjacency<'a, DynRows<'m, f64>>) -> Option<Adjacency<'a, DynRows<'m, ()>>> {
        None
    }

    fn as_weight(self) -> Option<f64> {
        Some(self)
    }
}

/// Lets an algorithm go on to a version without weights from the one it found something on last.
pub fn follow<'t, 'a, V: Held>(
    following: &mut dyn Following<'t>,
    before: Option<&'a AnySnapshot<V>>,
    after: &'a AnySnapshot<V>,
    between: &Between,
    vertices: &Vertices<'_>,
) -> Result<Finding<'t>, Failure> {
    const PATTERN: &str = "only graphs without weights are followed";
    if let Some(after) = after.as_packed() {
        // All versions of a graph are held in one store.
        let rows =
            |packed: &'a Snapshot<Packed<V>>| V::packed_pattern(packed.adjacency().expect(IN_ARCS)).expect(PATTERN);
        let before = before.and_then(AnySnapshot::as_packed).map(rows);
        return following.follow_packed(before, rows(after), between, vertices);
    }
    after.over(|after| {
        let after = V::pattern(after).expect(PATTERN);
        match before {
            None => following.follow(None, after, between, vertices),
            Some(before) => before.over(|before| {
                let before = V::pattern(before).expect(PATTERN);
                following.follow(Some(before), after, between, vertices)
            }),
        }
    })
}

/// Runs an algorithm on the rows of a version as they are held: those of the default store as such, others through a view; also
/// through a view where vertices are to be in another order, where an algorithm reads a graph without directions and this one has them,
/// and where one reads no weights. Copies nothing.
pub fn compute<'t, V: Held>(
    app: &'t dyn SnapshotApp,
    snapshot: &AnySnapshot<V>,
    vertices: &Vertices<'_>,
    order: Option<&Order>,
) -> Result<Finding<'t>, Failure> {
    let undirected = !snapshot.is_directed() || app.ends() == Ends::Undirected;
    let held_so = undirected != snapshot.is_directed() && order.is_none() && V::WEIGHTED == app.is_weighted();
    if held_so && let Some(packed) = snapshot.as_packed() {
        return V::compute_packed(app, packed.adjacency().expect(IN_ARCS), vertices);
    }
    let (out, incoming) = (snapshot.rows(), snapshot.is_directed().then(|| snapshot.incoming_rows().expect(IN_ARCS)));
    let view = View { there: snapshot.vertex_set(), undirected, order };
    if V::WEIGHTED && !app.is_weighted() {
        view.compute(app, out.into_places(), incoming.map(DynRows::into_places), vertices)
    } else {
        view.compute(app, out, incoming, vertices)
    }
}

/// How an algorithm is to see a graph.
struct View<'a> {
    there: &'a VertexSet,
    undirected: bool,
    order: Option<&'a Order>,
}

impl View<'_> {
    /// Runs an algorithm on rows seen so; `incoming` are those of in-arcs, if the graph has directions.
    fn compute<'t, V: Held>(
        &self,
        app: &'t dyn SnapshotApp,
        out: DynRows<'_, V>,
        incoming: Option<DynRows<'_, V>>,
        vertices: &Vertices<'_>,
    ) -> Result<Finding<'t>, Failure> {
        let (mut out, mut incoming) = match incoming {
            Some(incoming) if self.undirected => (DynRows::symmetric(out, incoming), None),
            incoming => (out, incoming),
        };
        let mut moved = None;
        if let Some(order) = self.order {
            (out, incoming) = (order.view(out), incoming.map(|rows| order.view(rows)));
            moved = Some(self.there.iter().map(|vertex| order.place(vertex)).collect::<VertexSet>());
        }
        let graph = match &incoming {
            Some(incoming) => Adjacency::assume_directed(&out, incoming),
            None => Adjacency::assume_undirected(&out),
        };
        let graph = graph.and_then(|graph| graph.among(moved.as_ref().unwrap_or(self.there)));
        V::compute(app, graph.expect("the rows of a version fit its vertices"), vertices)
    }
}

/// What holds of the graphs of this command.
const IN_ARCS: &str = "a graph that is streamed to keeps in-arcs";
