//! Algorithms on versions, on threads of their own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use axum::http::StatusCode;
use pleach::traverse::{Adjacency, DynRows};
use pleach_algorithms::ABSENT;
use pleach_algorithms::bfs::{UNREACHED, bfs};
use pleach_algorithms::cc::components;
use pleach_algorithms::degree::degrees;
use pleach_algorithms::kcore::kcore;
use pleach_algorithms::pagerank::{PageRank, pagerank};
use pleach_algorithms::tc::triangles;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::{Semaphore, oneshot};

use crate::host::{Host, LONGEST_LIST, Served, Version};
use crate::metrics::Metrics;
use crate::options::Limits;
use crate::refusal::Refusal;

/// The most vertices whose values one answer lists.
const LONGEST_VALUES: usize = 1_000_000;

/// The algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum App {
    Bfs,
    Cc,
    Degree,
    Kcore,
    Pagerank,
    Sssp,
    Tc,
}

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub app: App,
    pub version: Option<u64>,
    /// The vertex that a search starts from.
    pub source: Option<String>,
    /// How many vertices to list.
    pub top: usize,
    /// Whether to list the values of all vertices.
    pub values: bool,
}

/// Options of a run, as they are sent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    version: Option<u64>,
    source: Option<String>,
    top: Option<usize>,
    #[serde(default)]
    values: bool,
}

impl Asked {
    /// Of the newest version.
    pub fn standing(source: Option<String>, top: Option<usize>) -> Self {
        Asked { version: None, source, top, values: false }
    }

    /// What is asked of an algorithm.
    pub fn of(self, app: &str) -> Result<Question, Refusal> {
        const APPS: &str = "bfs, cc, degree, kcore, pagerank, sssp and tc";
        let known = App::deserialize(Value::from(app));
        let app = known.map_err(|_: serde_json::Error| Refusal::absent(format!("`{app}` is none of {APPS}")))?;
        let searches = matches!(app, App::Bfs | App::Sssp);
        match (searches, &self.source) {
            (true, None) => Err(Refusal::bad("a search starts from a vertex: `source=ID`")),
            (false, Some(_)) => Err(Refusal::bad("only bfs and sssp take a `source`")),
            _ if self.top.is_some_and(|top| top > LONGEST_LIST) => {
                Err(Refusal::bad(format!("`top` is at most {LONGEST_LIST}")))
            }
            _ => Ok(Question {
                app,
                version: self.version,
                source: self.source,
                top: self.top.unwrap_or(10),
                values: self.values,
            }),
        }
    }
}

/// What was found, on which version.
pub(crate) struct Found {
    pub version: u64,
    pub value: Value,
}

/// The threads, and who may use them.
pub(crate) struct Runs {
    pool: rayon::ThreadPool,
    places: Arc<Semaphore>,
    most: usize,
    time: Duration,
    metrics: Arc<Metrics>,
}

impl Runs {
    pub fn new(limits: &Limits, metrics: Arc<Metrics>) -> Result<Self, rayon::ThreadPoolBuildError> {
        let threads = rayon::ThreadPoolBuilder::new().thread_name(|thread| format!("pleach-run-{thread}"));
        let pool = threads.num_threads(limits.run_threads.max(1)).build()?;
        let most = limits.runs.max(1);
        Ok(Runs { pool, places: Arc::new(Semaphore::new(most)), most, time: limits.run_time, metrics })
    }

    /// Runs an algorithm for a request: if there is a place, and for a limited time. A run that is too slow keeps its place until it ends.
    pub async fn ask(&self, host: &Arc<dyn Host>, question: Question) -> Result<Found, Refusal> {
        let place = self.places.clone().try_acquire_owned().map_err(|_| {
            Refusal::unavailable(format!("{} algorithms run already, as many as may: ask again later", self.most))
        })?;
        let found = self.start(host, question, place);
        tokio::time::timeout(self.time, found).await.unwrap_or_else(|_| {
            let reason = format!("the algorithm did not end within {} seconds", self.time.as_secs_f64());
            Err(Refusal::new(StatusCode::GATEWAY_TIMEOUT, reason))
        })
    }

    /// Runs an algorithm for a standing result, however long it takes.
    pub async fn follow(&self, host: &Arc<dyn Host>, question: Question) -> Result<Found, Refusal> {
        self.start(host, question, ()).await
    }

    async fn start(
        &self,
        host: &Arc<dyn Host>,
        question: Question,
        place: impl Send + 'static,
    ) -> Result<Found, Refusal> {
        let (answer, found) = oneshot::channel();
        let (host, metrics) = (host.clone(), self.metrics.clone());
        self.pool.spawn(move || {
            metrics.runs.fetch_add(1, Relaxed);
            let found = catch_unwind(AssertUnwindSafe(|| host.run(&question)));
            metrics.runs.fetch_sub(1, Relaxed);
            let found = found.unwrap_or_else(|_| {
                Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "a failure of the program stopped the algorithm"))
            });
            drop(place);
            // The client may be gone.
            let _ = answer.send(found);
        });
        found.await.unwrap_or_else(|_| Err(Refusal::unavailable("the algorithm was stopped")))
    }
}

/// What the value of a vertex is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// Larger ones are listed first.
    Score,
    /// As a score, and a whole number.
    Count,
    /// Smaller ones are listed first.
    Distance,
    /// A vertex that names a set of vertices; larger sets are listed first.
    Label,
}

/// What an algorithm computed: figures, and a value for each vertex that has one. Others are not numbers.
struct Computed {
    figures: Map<String, Value>,
    values: Option<(Vec<f64>, Meaning)>,
}

impl Computed {
    fn new(figures: Value, values: Option<(Vec<f64>, Meaning)>) -> Self {
        let Value::Object(figures) = figures else { unreachable!("figures have names") };
        Computed { figures, values }
    }
}

/// Runs an algorithm on a version.
pub(crate) fn run<V: Served>(version: &Version<V>, question: &Question) -> Result<Found, Refusal> {
    let snapshot = &version.snapshot;
    let source = question.source.as_deref().map(|id| version.find(id)).transpose()?.unwrap_or_default();
    let places = || snapshot.rows().into_places();
    let Computed { mut figures, values } = match question.app {
        App::Sssp => {
            let (out, incoming) = (snapshot.rows(), snapshot.is_directed().then(|| snapshot.incoming_rows()).flatten());
            distances(V::distances(view(version, &out, incoming.as_ref()), source)?)
        }
        App::Kcore | App::Tc => {
            let arcs = match (snapshot.is_directed(), snapshot.incoming_rows()) {
                (false, _) => places(),
                (true, Some(incoming)) => DynRows::symmetric(places(), incoming.into_places()),
                (true, None) => {
                    return Err(Refusal::bad("this algorithm needs in-arcs, and the graph is kept without"));
                }
            };
            let graph = Adjacency::assume_undirected(&arcs).and_then(|graph| graph.among(snapshot.vertex_set()));
            undirected(question.app, graph.expect(FITS))?
        }
        app => {
            let incoming = snapshot.is_directed().then(|| snapshot.incoming_rows()).flatten();
            compute(app, view(version, &places(), incoming.map(DynRows::into_places).as_ref()), source)?
        }
    };
    if let Some((values, meaning)) = values {
        let there = |&vertex: &u32| values.get(vertex as usize).is_some_and(|value| !value.is_nan());
        let told = |vertex: u32| told(version, values[vertex as usize], meaning);
        if question.values {
            if snapshot.num_vertices() > LONGEST_VALUES {
                return Err(Refusal::bad(format!(
                    "`values` lists at most {LONGEST_VALUES} vertices: ask for the `top`"
                )));
            }
            let all = snapshot.vertices().filter(there).map(|vertex| json!([version.name(vertex), told(vertex)]));
            figures.insert("values".into(), all.collect());
        }
        let top: Vec<Value> = match meaning {
            Meaning::Label => {
                let sizes =
                    sizes(snapshot.vertices().filter(there).map(|vertex| values[vertex as usize] as u32), values.len());
                let largest =
                    first(&sizes, (0..sizes.len() as u32).filter(|&label| sizes[label as usize] > 0.0), question.top);
                largest
                    .map(|label| json!({ "id": version.name(label), "size": sizes[label as usize] as u64 }))
                    .collect()
            }
            _ => {
                let sign = if meaning == Meaning::Distance { -1.0 } else { 1.0 };
                let order: Vec<f64> = values.iter().map(|value| sign * value).collect();
                let best = first(&order, snapshot.vertices().filter(there), question.top);
                best.map(|vertex| json!({ "id": version.name(vertex), "value": told(vertex) })).collect()
            }
        };
        figures.insert("top".into(), top.into());
    }
    figures.insert("version".into(), snapshot.version().into());
    Ok(Found { version: snapshot.version(), value: figures.into() })
}

/// Why views of a version cannot fail.
const FITS: &str = "the rows of a version are square, and its vertices are among them";

/// A version as algorithms traverse it.
fn view<'a, 'm, V: Served, W: pleach::runtime::Value>(
    version: &'a Version<V>,
    out: &'a DynRows<'m, W>,
    incoming: Option<&'a DynRows<'m, W>>,
) -> Adjacency<'a, DynRows<'m, W>> {
    let graph = match incoming {
        Some(incoming) => Adjacency::assume_directed(out, incoming),
        None if version.snapshot.is_directed() => Adjacency::outward(out),
        None => Adjacency::assume_undirected(out),
    };
    graph.and_then(|graph| graph.among(version.snapshot.vertex_set())).expect(FITS)
}

fn distances(found: pleach_algorithms::sssp::Distances) -> Computed {
    let figures = json!({ "reached": found.reached, "farthest": found.farthest });
    let values = found.distances.into_iter().map(|distance| if distance.is_finite() { distance } else { f64::NAN });
    Computed::new(figures, Some((values.collect(), Meaning::Distance)))
}

fn undirected(app: App, graph: Adjacency<'_, DynRows<'_, ()>>) -> Result<Computed, Refusal> {
    if app == App::Tc {
        let found = triangles(graph).map_err(Refusal::bad)?;
        return Ok(Computed::new(json!({ "triangles": found.count }), None));
    }
    let found = kcore(graph).map_err(Refusal::bad)?;
    let values = found.coreness.into_iter().map(f64::from).collect();
    Ok(Computed::new(json!({ "degeneracy": found.degeneracy }), Some((values, Meaning::Count))))
}

fn compute(app: App, graph: Adjacency<'_, DynRows<'_, ()>>, source: u32) -> Result<Computed, Refusal> {
    let number = |value: u32| if value == ABSENT { f64::NAN } else { f64::from(value) };
    Ok(match app {
        App::Bfs => {
            let found = bfs(graph, source).map_err(Refusal::bad)?;
            let depth = |depth| if depth == UNREACHED { f64::NAN } else { f64::from(depth) };
            let figures = json!({ "reached": found.reached, "depth": found.levels.len().saturating_sub(1) });
            Computed::new(figures, Some((found.depths.into_iter().map(depth).collect(), Meaning::Distance)))
        }
        App::Degree => {
            let found = degrees(graph);
            let figures = json!({
                "out_most": found.out.most, "out_mean": found.out.mean,
                "in_most": found.incoming.most, "in_mean": found.incoming.mean,
                "isolated": found.isolated,
            });
            Computed::new(figures, Some((found.out.degrees.into_iter().map(f64::from).collect(), Meaning::Count)))
        }
        App::Pagerank => {
            let found = pagerank(graph, &PageRank::default()).map_err(Refusal::bad)?;
            let figures = json!({
                "iterations": found.iterations, "residual": found.residual, "converged": found.converged,
            });
            Computed::new(figures, Some((found.ranks, Meaning::Score)))
        }
        _ => {
            let found = components(graph);
            let figures = json!({ "components": found.count, "largest": found.largest });
            Computed::new(figures, Some((found.labels.into_iter().map(number).collect(), Meaning::Label)))
        }
    })
}

/// A value in JSON.
fn told<V: Served>(version: &Version<V>, value: f64, meaning: Meaning) -> Value {
    match meaning {
        Meaning::Label => version.name(value as u32),
        _ if meaning != Meaning::Score && value.fract() == 0.0 && value.abs() < 2f64.powi(53) => (value as i64).into(),
        _ => value.into(),
    }
}

/// How often each label occurs.
fn sizes(labels: impl Iterator<Item = u32>, count: usize) -> Vec<f64> {
    let mut sizes = vec![0.0; count];
    labels.for_each(|label| sizes[label as usize] += 1.0);
    sizes
}

/// The first `k` vertices by descending order; ties by vertex.
fn first(order: &[f64], vertices: impl Iterator<Item = u32>, k: usize) -> impl Iterator<Item = u32> {
    let mut vertices: Vec<u32> = vertices.collect();
    let by = |&a: &u32, &b: &u32| order[b as usize].total_cmp(&order[a as usize]).then(a.cmp(&b));
    if k > 0 && k < vertices.len() {
        vertices.select_nth_unstable_by(k - 1, by);
    }
    vertices.truncate(k);
    vertices.sort_unstable_by(by);
    vertices.into_iter()
}
