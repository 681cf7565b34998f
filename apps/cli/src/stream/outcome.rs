//! What an algorithm finds on a version of the graph.

use std::path::Path;
use std::time::Instant;

use pleach::graph::VertexSet;
use pleach_erased::AnySnapshot;
use pleach_log::VertexIds;
use serde_json::{Value, json};

use super::held::{self, Held};
use crate::Failure;
use crate::ids::ascending;
use crate::run::{Between, Finding, Following, Order, SnapshotApp, Vertices};

/// An algorithm that follows the graph, the version that it found something on last, and what has happened since.
pub type Followed<'f, 't, V> = (&'f mut (dyn Following<'t> + 't), Option<&'f AnySnapshot<V>>, &'f Between);

/// Finds what an algorithm says of a snapshot.
pub fn outcome<'t, V: Held>(
    app: &'t dyn SnapshotApp,
    snapshot: &AnySnapshot<V>,
    ids: &VertexIds,
    following: Option<Followed<'_, 't, V>>,
) -> Result<Outcome<'t>, Failure> {
    let (version, there, rows) = (snapshot.version(), snapshot.vertex_set(), snapshot.num_rows());
    let called = format!("version {version} of the graph");
    let begin = Instant::now();
    let reorders = following.is_none() && app.by_number();
    let order = if reorders { Order::of(ids, rows) } else { None };
    let vertices = vertices(ids, (there, rows), order.as_ref(), &called);
    let found = match following {
        Some((following, before, between)) => held::follow(following, before, snapshot, between, &vertices)?,
        None => held::compute(app, snapshot, &vertices, order.as_ref())?,
    };
    let seconds = begin.elapsed().as_secs_f64();
    Ok(Outcome { app: app.name(), version, there: there.clone(), rows, order, seconds, found })
}

/// The vertices of a version, numbered as the algorithm numbers them: the set of vertices, and the number of rows.
fn vertices<'a>(
    ids: &'a VertexIds,
    (there, rows): (&'a VertexSet, usize),
    order: Option<&'a Order>,
    called: &'a str,
) -> Vertices<'a> {
    match order {
        Some(order) => Vertices::ordered(ids, there, order, called),
        None => Vertices::streamed(ids, there, rows, called),
    }
}

/// What an algorithm found on a version.
pub struct Outcome<'t> {
    app: &'static str,
    pub version: u64,
    /// The vertices of the version.
    there: VertexSet,
    rows: usize,
    /// By which vertices are numbered, if that is not the order in which they came.
    order: Option<Order>,
    seconds: f64,
    found: Finding<'t>,
}

impl Outcome<'_> {
    fn vertices<'a>(&'a self, ids: &'a VertexIds) -> Vertices<'a> {
        vertices(ids, (&self.there, self.rows), self.order.as_ref(), "")
    }

    /// As a JSON object.
    pub fn describe(&self, ids: &VertexIds) -> Value {
        let (iterations, result) = self.found.report(&self.vertices(ids)).describe();
        let mut object = json!({ "type": "result", "app": self.app, "version": self.version, "seconds": self.seconds, "result": result });
        if let Some(iterations) = iterations {
            object["iterations"] = iterations.into();
        }
        object
    }

    /// Writes what it says of each vertex.
    pub fn write(&self, path: &Path, ids: &VertexIds) -> Result<(), Failure> {
        let place = |vertex| self.order.as_ref().map_or(vertex, |order| order.place(vertex));
        let all = ascending(ids, self.there.iter());
        let named = self.vertices(ids);
        self.found.report(&named).write(path, all.into_iter().map(|(label, vertex)| (place(vertex), label)))
    }
}
