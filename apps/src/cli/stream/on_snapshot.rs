//! Algorithms on a snapshot.

use std::time::Instant;

use clap::ValueEnum;
use pleach::Rows;
use pleach::graph::Ids;
use pleach::runtime::Value as Carried;
use pleach::traverse::{Adjacency, DynRows};
use serde_json::{Map, Value, json};

use super::super::Failure;
use crate::bfs::{UNREACHED, bfs};
use crate::cc::components;
use crate::cdlp::{Cdlp, cdlp};
use crate::degree::degrees;
use crate::kcore::kcore;
use crate::lcc::lcc;
use crate::pagerank::{PageRank, Stop, pagerank};
use crate::sssp::{Sssp, sssp as shortest_paths};
use crate::tc::triangles;

/// Algorithms that run on snapshots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum App {
    Bfs,
    Cc,
    Cdlp,
    Degree,
    Kcore,
    Lcc,
    Pagerank,
    Sssp,
    Tc,
}

impl App {
    fn name(self) -> &'static str {
        match self {
            App::Bfs => "bfs",
            App::Cc => "cc",
            App::Cdlp => "cdlp",
            App::Degree => "degree",
            App::Kcore => "kcore",
            App::Lcc => "lcc",
            App::Pagerank => "pagerank",
            App::Sssp => "sssp",
            App::Tc => "tc",
        }
    }
}

/// What an algorithm is told.
pub struct Options {
    /// The vertex to start from.
    pub source: Option<u32>,
    /// How many iterations to take.
    pub iterations: Option<usize>,
}

/// What an algorithm says of each vertex.
pub enum Values {
    /// Nothing.
    None,
    /// Numbers.
    Real(Vec<f64>),
    /// Counts; the largest is told as LDBC Graphalytics spells infinity.
    Count(Vec<u32>),
    /// Vertices.
    Vertex(Vec<u32>),
}

impl Values {
    /// Number of vertices.
    pub fn len(&self) -> usize {
        match self {
            Values::None => 0,
            Values::Real(values) => values.len(),
            Values::Count(values) | Values::Vertex(values) => values.len(),
        }
    }

    /// The value of a vertex as text.
    pub fn at(&self, vertex: u32, ids: &Ids) -> String {
        let vertex = vertex as usize;
        match self {
            Values::None => String::new(),
            Values::Real(values) if values[vertex].is_infinite() => "infinity".to_owned(),
            Values::Real(values) => values[vertex].to_string(),
            Values::Count(values) if values[vertex] == UNREACHED => i64::MAX.to_string(),
            Values::Count(values) => values[vertex].to_string(),
            Values::Vertex(values) => {
                ids.key(values[vertex]).map_or_else(|| values[vertex].to_string(), |id| id.to_string())
            }
        }
    }
}

/// What an algorithm found.
pub struct Outcome {
    app: App,
    /// Number of the version.
    pub version: u64,
    seconds: f64,
    result: Map<String, Value>,
    /// Of each vertex.
    pub values: Values,
}

impl Outcome {
    /// As a JSON object.
    pub fn describe(&self) -> Value {
        json!({ "app": self.app.name(), "version": self.version, "seconds": self.seconds, "result": self.result })
    }
}

/// A summary and the values of all vertices.
pub type Found = (Value, Values);

/// Runs an algorithm; `weighted` is shortest paths, if edges have weights.
pub fn compute<V: Carried>(
    app: App,
    graph: Adjacency<'_, DynRows<'_, V>>,
    options: &Options,
    weighted: impl FnOnce(Adjacency<'_, DynRows<'_, V>>, &Options) -> Result<Found, Failure>,
) -> Result<Outcome, Failure> {
    let begin = Instant::now();
    let (result, values) = match app {
        App::Bfs => {
            let found = bfs(graph, source(app, options)?).map_err(Failure::input)?;
            (
                json!({ "reached": found.reached, "depth": found.levels.len().saturating_sub(1) }),
                Values::Count(found.depths),
            )
        }
        App::Cc => {
            let found = components(graph);
            (json!({ "components": found.count, "largest": found.largest }), Values::Vertex(found.labels))
        }
        App::Cdlp => {
            let usual = Cdlp::default().iterations;
            let found = cdlp(graph, &Cdlp { iterations: options.iterations.unwrap_or(usual) });
            (json!({ "communities": found.count }), Values::Vertex(found.labels))
        }
        App::Degree => {
            let found = degrees(graph);
            let out = found.out;
            (json!({ "most": out.most, "mean": out.mean, "isolated": found.isolated }), Values::Count(out.degrees))
        }
        App::Kcore => {
            let found = kcore(graph);
            (json!({ "degeneracy": found.degeneracy }), Values::Count(found.coreness))
        }
        App::Lcc => {
            let found = lcc(graph);
            (json!({ "mean": found.mean }), Values::Real(found.coefficients))
        }
        App::Pagerank => {
            let usual = PageRank::default();
            let stop = options.iterations.map_or(usual.stop, Stop::Iterations);
            let found = pagerank(graph.incoming(), &graph.out().row_degrees(), &PageRank { stop, ..usual }, |_, _| ())
                .map_err(Failure::input)?;
            let result = json!({ "iterations": found.iterations, "residual": found.residual, "sum": found.ranks.iter().sum::<f64>() });
            (result, Values::Real(found.ranks))
        }
        App::Sssp => weighted(graph, options)?,
        App::Tc => (json!({ "triangles": triangles(graph).count }), Values::None),
    };
    let result = match result {
        Value::Object(result) => result,
        _ => Map::new(),
    };
    Ok(Outcome { app, version: 0, seconds: begin.elapsed().as_secs_f64(), result, values })
}

/// Shortest paths.
pub fn sssp(graph: Adjacency<'_, DynRows<'_, f64>>, options: &Options) -> Result<Found, Failure> {
    let found = shortest_paths(graph, source(App::Sssp, options)?, &Sssp::default()).map_err(Failure::input)?;
    Ok((json!({ "reached": found.reached, "farthest": found.farthest }), Values::Real(found.distances)))
}

/// The vertex to start from.
fn source(app: App, options: &Options) -> Result<u32, Failure> {
    options.source.ok_or_else(|| Failure::usage(format!("{} starts from a vertex: say --source ID", app.name())))
}
