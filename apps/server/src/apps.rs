//! The algorithms that are asked for over HTTP, and what they answer.

use pleach::traverse::{Adjacency, Cancel, DynRows};
use pleach_algorithms::ABSENT;
use pleach_algorithms::bfs::UNREACHED;
use pleach_algorithms::cc::Components;
use pleach_algorithms::pagerank::PageRank;
use pleach_compiled::bfs::bfs;
use pleach_compiled::cc::components;
use pleach_compiled::degree::degrees;
use pleach_compiled::kcore::kcore;
use pleach_compiled::pagerank::pagerank;
use pleach_compiled::tc::triangles;
use pleach_erased::GraphView;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::host::{LONGEST_LIST, LONGEST_NAMES, Served, Version};
use crate::refusal::Refusal;
use crate::table::{Column, Table};

/// The most vertices whose values one answer lists.
const LONGEST_VALUES: usize = 1_000_000;

/// Largest total of bytes of the names in a list of values. One name may occur very often there, such as that of a component.
const LONGEST_VALUES_NAMES: usize = 256 << 20;

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

impl App {
    /// As requests name it.
    pub fn name(self) -> &'static str {
        match self {
            App::Bfs => "bfs",
            App::Cc => "cc",
            App::Degree => "degree",
            App::Kcore => "kcore",
            App::Pagerank => "pagerank",
            App::Sssp => "sssp",
            App::Tc => "tc",
        }
    }
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

/// The answer of an algorithm, and the version that it ran on.
pub(crate) struct Found {
    pub version: u64,
    /// Figures by their names, the version among them.
    pub figures: Map<String, Value>,
    /// The first vertices.
    pub top: Option<Table>,
    /// All vertices, if they were asked for.
    pub values: Option<Table>,
}

impl Found {
    pub fn json(&self) -> Value {
        let mut all = self.figures.clone();
        if let Some(values) = &self.values {
            all.insert("values".into(), values.lists());
        }
        if let Some(top) = &self.top {
            all.insert("top".into(), top.objects());
        }
        all.into()
    }

    /// The list that is answered where there is room for one: all vertices if they were asked for, else the first ones.
    pub fn table(&self) -> Option<&Table> {
        self.values.as_ref().or(self.top.as_ref())
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
    /// As a distance, and a whole number.
    Depth,
    /// A vertex that names a set of vertices; larger sets are listed first.
    Label,
}

/// What an algorithm computed: figures, and a value for each vertex that has one. Others are not numbers.
pub(crate) struct Computed {
    figures: Map<String, Value>,
    values: Option<(Vec<f64>, Meaning)>,
}

impl Computed {
    fn new(figures: Value, values: Option<(Vec<f64>, Meaning)>) -> Self {
        let Value::Object(figures) = figures else { unreachable!("figures have names") };
        Computed { figures, values }
    }
}

/// Runs an algorithm on a version, until it is cancelled.
pub(crate) fn run<V: Served>(version: &Version<V>, question: &Question, cancel: &Cancel) -> Result<Found, Refusal> {
    let snapshot = &version.snapshot;
    listable(question, snapshot.num_vertices())?;
    let source = question.source.as_deref().map(|id| version.find(id)).transpose()?.unwrap_or_default();
    let places = || snapshot.rows().into_places();
    let computed = match question.app {
        App::Sssp => {
            let (out, incoming) = (snapshot.rows(), snapshot.is_directed().then(|| snapshot.incoming_rows()).flatten());
            distances(V::distances(view(version, &out, incoming.as_ref()).with_cancel(cancel).into(), source)?)
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
            undirected(question.app, graph.expect(FITS).with_cancel(cancel).into())?
        }
        app => {
            let incoming = snapshot.is_directed().then(|| snapshot.incoming_rows()).flatten();
            let (out, incoming) = (places(), incoming.map(DynRows::into_places));
            compute(app, view(version, &out, incoming.as_ref()).with_cancel(cancel).into(), source)?
        }
    };
    list(version, question, computed)
}

/// Refuses a list of the values of too many vertices.
fn listable(question: &Question, vertices: usize) -> Result<(), Refusal> {
    if question.values && vertices > LONGEST_VALUES {
        return Err(Refusal::bad(format!("`values` lists at most {LONGEST_VALUES} vertices: ask for the `top`")));
    }
    Ok(())
}

/// Lists the vertices that were asked for.
pub(crate) fn list<V: Served>(version: &Version<V>, question: &Question, computed: Computed) -> Result<Found, Refusal> {
    let snapshot = &version.snapshot;
    let Computed { mut figures, values } = computed;
    figures.insert("version".into(), snapshot.version().into());
    let mut found = Found { version: snapshot.version(), figures, top: None, values: None };
    let Some((values, meaning)) = values else { return Ok(found) };
    let there = |&vertex: &u32| values.get(vertex as usize).is_some_and(|value| !value.is_nan());
    let table = |vertices: Vec<u32>, most: usize| -> Result<Table, Refusal> {
        let ids = version.names(&vertices, most)?;
        Ok(Table { columns: vec![("id", ids), ("value", column(version, &values, &vertices, (meaning, most))?)] })
    };
    if question.values {
        listable(question, snapshot.num_vertices())?;
        found.values = Some(table(snapshot.vertices().filter(there).collect(), LONGEST_VALUES_NAMES)?);
    }
    found.top = Some(match meaning {
        Meaning::Label => {
            let labels = snapshot.vertices().filter(there).map(|vertex| values[vertex as usize] as u32);
            let sizes = sizes(labels, values.len());
            let used = (0..sizes.len() as u32).filter(|&label| sizes[label as usize] > 0.0);
            let largest: Vec<u32> = first(&sizes, used, question.top).collect();
            let counts = largest.iter().map(|&label| sizes[label as usize] as u64).collect();
            let names = version.names(&largest, LONGEST_NAMES)?;
            Table { columns: vec![("id", names), ("size", Column::Numbers(counts))] }
        }
        _ => {
            let sign = if matches!(meaning, Meaning::Distance | Meaning::Depth) { -1.0 } else { 1.0 };
            let order: Vec<f64> = values.iter().map(|value| sign * value).collect();
            table(first(&order, snapshot.vertices().filter(there), question.top).collect(), LONGEST_NAMES)?
        }
    });
    Ok(found)
}

/// Why views of a version cannot fail.
const FITS: &str = "the rows of a version are square, and its vertices are among them";

/// A version as algorithms traverse it.
pub(crate) fn view<'a, 'm, V: Served, W: pleach::runtime::Value>(
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

/// Components, by the label of each vertex.
pub(crate) fn labels(found: Components) -> Computed {
    let number = |label: u32| if label == ABSENT { f64::NAN } else { f64::from(label) };
    let figures = json!({ "components": found.count, "largest": found.largest });
    Computed::new(figures, Some((found.labels.into_iter().map(number).collect(), Meaning::Label)))
}

/// Figures, and a score of each vertex.
pub(crate) fn scores(figures: Value, scores: Vec<f64>) -> Computed {
    Computed::new(figures, Some((scores, Meaning::Score)))
}

fn undirected(app: App, graph: GraphView<'_, ()>) -> Result<Computed, Refusal> {
    if app == App::Tc {
        let found = triangles(graph).map_err(Refusal::bad)?;
        return Ok(Computed::new(json!({ "triangles": found.count }), None));
    }
    let found = kcore(graph).map_err(Refusal::bad)?;
    let values = found.coreness.into_iter().map(f64::from).collect();
    Ok(Computed::new(json!({ "degeneracy": found.degeneracy }), Some((values, Meaning::Count))))
}

fn compute(app: App, graph: GraphView<'_, ()>, source: u32) -> Result<Computed, Refusal> {
    Ok(match app {
        App::Bfs => {
            let found = bfs(graph, source).map_err(Refusal::bad)?;
            let depth = |depth| if depth == UNREACHED { f64::NAN } else { f64::from(depth) };
            let figures = json!({ "reached": found.reached, "depth": found.levels.len().saturating_sub(1) });
            Computed::new(figures, Some((found.depths.into_iter().map(depth).collect(), Meaning::Depth)))
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
            scores(figures, found.ranks)
        }
        _ => labels(components(graph)),
    })
}

/// The values of some vertices, as a column. Its type depends on the algorithm only, and not on the graph. Refuses names that have more
/// than `most` bytes together.
fn column<V: Served>(
    version: &Version<V>,
    values: &[f64],
    vertices: &[u32],
    (meaning, most): (Meaning, usize),
) -> Result<Column, Refusal> {
    let of = |vertex: &u32| values[*vertex as usize];
    Ok(match meaning {
        Meaning::Label => {
            version.names(&vertices.iter().map(|vertex| of(vertex) as u32).collect::<Vec<u32>>(), most)?
        }
        Meaning::Count | Meaning::Depth => Column::Numbers(vertices.iter().map(|vertex| of(vertex) as u64).collect()),
        Meaning::Score => Column::Floats(vertices.iter().map(of).collect()),
        Meaning::Distance => Column::Lengths(vertices.iter().map(of).collect()),
    })
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
