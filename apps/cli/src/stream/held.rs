//! What algorithms make of the snapshots of a graph that is streamed to.

use pleach::graph::VertexSet;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{AnySnapshot, Bundled, Ends, GraphView};

use super::super::Failure;
use super::super::run::{Between, Finding, Following, Order, SnapshotApp, Vertices};
use crate::kept::Carried;
use pleach_datasets::batches::Streamed;

/// What edges of a graph that is streamed to can carry.
pub trait Held: Streamed + Bundled + Carried + PartialOrd {
    /// Whether these are weights.
    const WEIGHTED: bool;

    /// Runs an algorithm, which reads what this graph carries.
    fn compute<'t>(
        app: &'t dyn SnapshotApp,
        graph: GraphView<'_, Self>,
        vertices: &Vertices<'_>,
    ) -> Result<Finding<'t>, Failure>;

    /// The same graph, if it carries nothing.
    fn pattern(graph: GraphView<'_, Self>) -> Option<GraphView<'_, ()>>;

    /// The weight, if there is one.
    fn as_weight(self) -> Option<f64>;
}

impl Held for () {
    const WEIGHTED: bool = false;

    fn compute<'t>(
        app: &'t dyn SnapshotApp,
        graph: GraphView<'_, ()>,
        vertices: &Vertices<'_>,
    ) -> Result<Finding<'t>, Failure> {
        app.on_pattern(graph, vertices)
    }

    fn pattern(graph: GraphView<'_, ()>) -> Option<GraphView<'_, ()>> {
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
        graph: GraphView<'_, f64>,
        vertices: &Vertices<'_>,
    ) -> Result<Finding<'t>, Failure> {
        app.on_weighted(graph, vertices)
    }

    fn pattern(_: GraphView<'_, f64>) -> Option<GraphView<'_, ()>> {
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
    after.view(|after| {
        let after = V::pattern(after).expect(PATTERN);
        match before {
            None => following.follow(None, after, between, vertices),
            Some(before) => before.view(|before| {
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
        return V::compute(app, packed.adjacency().expect(IN_ARCS).into(), vertices);
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
        V::compute(app, graph.expect("the rows of a version fit its vertices").into(), vertices)
    }
}

/// What holds of the graphs of this command.
const IN_ARCS: &str = "a graph that is streamed to keeps in-arcs";
