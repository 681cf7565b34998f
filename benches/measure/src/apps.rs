//! Six algorithms over a store beside static CSR: breadth-first search, connected components, shortest paths, betweenness, triangles and PageRank, the kernels
//! of the GAP Benchmark Suite.
//!
//! Both sides of a ratio run in turn in one process, on the same graph, from the same sources, with the same threads; what they find is
//! compared. A time is that of the library function, from finished rows to a finished result: its own preparations count, reading and
//! building do not.

use std::time::{Duration, Instant};

use pleach::runtime::mix;
use pleach::traverse::Adjacency;
use pleach::{BuildError, BuildOptions, Csr, CsrView, Duplicates, EdgeList, Rows};
use pleach_erased::{AdjacencyVisitor, Ends, StoreName, StoredGraph};
use serde::Serialize;

use crate::median;
use pleach_algorithms::bc::{bc, sample};
use pleach_algorithms::bfs::bfs;
use pleach_algorithms::cc::components;
use pleach_algorithms::pagerank::{PageRank, Stop, from_in_arcs};
use pleach_algorithms::sssp::{Sssp, sssp};
use pleach_algorithms::tc::triangles;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum App {
    /// Breadth-first search.
    Bfs,
    /// Weakly connected components.
    Cc,
    /// Shortest paths, with whole weights from 1 to 255 drawn by a hash of the ends where the graph has none.
    Sssp,
    /// Betweenness from one source at a time.
    Bc,
    /// Triangles.
    Tc,
    /// Ten iterations of PageRank.
    #[value(name = "pagerank")]
    PageRank,
}

/// All of them.
pub const APPS: [App; 6] = [App::Bfs, App::Cc, App::Sssp, App::Bc, App::Tc, App::PageRank];

/// Iterations of PageRank.
const ITERATIONS: usize = 10;

/// How to measure.
#[derive(Clone, Debug)]
pub struct Options {
    /// What to measure.
    pub apps: Vec<App>,
    /// Rounds from each source whose median counts; one round before them does not.
    pub rounds: usize,
    /// Vertices to start from; if there are none given, so many with arcs are drawn.
    pub sources: Vec<u32>,
    /// How many.
    pub drawn: usize,
}

/// What was measured of one algorithm: milliseconds, the mean over all sources of the median.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// The algorithm.
    pub app: App,
    /// Static rows.
    pub csr_ms: f64,
    /// The store.
    pub store_ms: f64,
    /// The store's time over that of static rows.
    pub ratio: f64,
    /// Vertices that were started from, where that matters.
    pub sources: Vec<u32>,
}

/// An algorithm that does not do what it is asked on this graph.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct Refused {
    /// The algorithm.
    pub app: App,
    /// What it says.
    pub reason: String,
}

/// What comes of an algorithm.
pub type Outcome = Result<Measured, Refused>;

/// A weight for an edge that has none, whichever way it is looked at: 1 to 255.
fn weight(from: u32, to: u32) -> f64 {
    (mix(u64::from(from.min(to)) << 32 | u64::from(from.max(to))) % 255 + 1) as f64
}

/// The same arcs with weights drawn by a hash.
pub fn weighted(edges: &EdgeList) -> EdgeList<f64> {
    let weight = edges.src.iter().zip(&edges.dst).map(|(&from, &to)| weight(from, to)).collect();
    EdgeList {
        num_rows: edges.num_rows,
        num_cols: edges.num_cols,
        src: edges.src.clone(),
        dst: edges.dst.clone(),
        weight,
    }
}

/// Measures a store beside static rows, algorithm by algorithm, and hands each result to `report`. `undirected` says that arcs stand for two.
///
/// # Errors
///
/// [`BuildError`] if the arcs cannot be sorted into rows.
///
/// # Panics
///
/// If the two do not find the same.
pub fn measure(
    store: &StoreName,
    edges: EdgeList,
    weights: Option<EdgeList<f64>>,
    undirected: bool,
    options: &Options,
    mut report: impl FnMut(Outcome),
) -> Result<(), BuildError> {
    let pattern: Vec<App> = options.apps.iter().copied().filter(|&app| app != App::Sssp).collect();
    if options.apps.contains(&App::Sssp) {
        let weights = weights.unwrap_or_else(|| weighted(&edges));
        let build = BuildOptions::default().with_undirected(undirected).with_duplicates(Duplicates::min());
        let sides = Sides::of(&weights, &build)?;
        let graph = StoredGraph::build(store, weights, &build, !undirected, Ends::Both)?;
        graph.over(OverWeights { sides: &sides, options, report: &mut report });
    }
    if !pattern.is_empty() {
        let build = BuildOptions::default().with_undirected(undirected);
        let sides = Sides::of(&edges, &build)?;
        let graph = StoredGraph::build(store, edges, &build, !undirected, Ends::Both)?;
        graph.over(OverPattern { sides: &sides, apps: &pattern, options, report: &mut report });
    }
    Ok(())
}

/// Static rows of a graph.
struct Sides<V> {
    out: Csr<V>,
    incoming: Option<Csr<V>>,
}

impl<V: pleach::runtime::Value + Copy + Default> Sides<V> {
    fn of(edges: &EdgeList<V>, build: &BuildOptions<V>) -> Result<Self, BuildError> {
        let (out, _) = Csr::from_edges(edges, build)?;
        let incoming = (!build.undirected).then(|| out.transpose());
        Ok(Sides { out, incoming })
    }

    fn views(&self) -> (CsrView<'_, V>, Option<CsrView<'_, V>>) {
        (self.out.view(), self.incoming.as_ref().map(Csr::view))
    }

    /// The vertices to start from.
    fn sources(&self, options: &Options) -> Vec<u32> {
        if !options.sources.is_empty() {
            return options.sources.clone();
        }
        let some = sample(self.out.num_rows(), 16 * options.drawn, 0);
        some.into_iter().filter(|&vertex| self.out.degree(vertex as usize) > 0).take(options.drawn).collect()
    }
}

fn adjacency<'a, A: Rows>(out: &'a A, incoming: &'a Option<A>) -> Adjacency<'a, A> {
    let graph = match incoming {
        Some(incoming) => Adjacency::assume_directed(out, incoming),
        None => Adjacency::assume_undirected(out),
    };
    graph.expect("both sides were built of the same arcs")
}

/// What graphs are built with here.
const IN_ARCS: &str = "in-arcs are at hand";

/// Shortest paths.
struct OverWeights<'a, F> {
    sides: &'a Sides<f64>,
    options: &'a Options,
    report: F,
}

impl<F: FnMut(Outcome)> AdjacencyVisitor<f64> for OverWeights<'_, F> {
    type Output = ();

    fn visit<A: Rows<Value = f64>>(mut self, store: Adjacency<'_, A>) {
        let (out, incoming) = self.sides.views();
        let csr = adjacency(&out, &incoming);
        let sources = self.sides.sources(self.options);
        let times = compare(
            self.options.rounds,
            &sources,
            |source| sssp(csr, source, &Sssp::default()),
            |source| sssp(store, source, &Sssp::default()),
            |a, b| a.distances == b.distances,
        );
        (self.report)(measured(App::Sssp, times, sources));
    }
}

/// What needs no weights.
struct OverPattern<'a, F> {
    sides: &'a Sides<()>,
    apps: &'a [App],
    options: &'a Options,
    report: F,
}

impl<F: FnMut(Outcome)> AdjacencyVisitor<()> for OverPattern<'_, F> {
    type Output = ();

    fn visit<A: Rows<Value = ()>>(mut self, store: Adjacency<'_, A>) {
        let (out, incoming) = self.sides.views();
        let csr = adjacency(&out, &incoming);
        let rounds = self.options.rounds;
        for &app in self.apps {
            let sources = match app {
                App::Bfs | App::Bc => self.sides.sources(self.options),
                _ => vec![0],
            };
            let times = match app {
                App::Bfs => {
                    compare(rounds, &sources, |source| bfs(csr, source), |source| bfs(store, source), |a, b| a == b)
                }
                App::Cc => {
                    compare(rounds, &sources, |_| done(components(csr)), |_| done(components(store)), |a, b| a == b)
                }
                App::Bc => {
                    compare(rounds, &sources, |source| bc(csr, &[source]), |source| bc(store, &[source]), |a, b| a == b)
                }
                App::Tc => compare(rounds, &sources, |_| triangles(csr), |_| triangles(store), |a, b| a == b),
                App::PageRank => {
                    let degrees = csr.out().row_degrees();
                    let options = PageRank::default().with_stop(Stop::Iterations(ITERATIONS));
                    compare(
                        rounds,
                        &sources,
                        |_| from_in_arcs(csr.incoming().expect(IN_ARCS), &degrees, &options, |_, _| ()),
                        |_| from_in_arcs(store.incoming().expect(IN_ARCS), &degrees, &options, |_, _| ()),
                        |a, b| a.ranks.iter().zip(&b.ranks).all(|(a, b)| (a - b).abs() <= 1e-9 * a.abs()),
                    )
                }
                // Over weights, elsewhere.
                App::Sssp => continue,
            };
            let sources = if matches!(app, App::Bfs | App::Bc) { sources } else { Vec::new() };
            (self.report)(measured(app, times, sources));
        }
    }
}

/// What cannot fail.
fn done<T>(found: T) -> Result<T, std::convert::Infallible> {
    Ok(found)
}

/// Runs both in turn from each source; the mean over the sources of the median time of each, or why the first refuses.
fn compare<T, E: std::fmt::Display>(
    rounds: usize,
    sources: &[u32],
    first: impl Fn(u32) -> Result<T, E>,
    second: impl Fn(u32) -> Result<T, E>,
    same: impl Fn(&T, &T) -> bool,
) -> Result<(Duration, Duration), String> {
    let mut sum = (Duration::ZERO, Duration::ZERO);
    for &source in sources {
        let mut times = (Vec::with_capacity(rounds), Vec::with_capacity(rounds));
        for round in 0..=rounds {
            let begin = Instant::now();
            let a = first(source).map_err(|error| error.to_string())?;
            let middle = Instant::now();
            let b = second(source).map_err(|error| error.to_string())?;
            let end = Instant::now();
            if round > 0 {
                times.0.push(middle - begin);
                times.1.push(end - middle);
            } else {
                assert!(same(&a, &b), "the store and static rows give the same result");
            }
        }
        sum.0 += median(times.0);
        sum.1 += median(times.1);
    }
    let count = sources.len().max(1) as u32;
    Ok((sum.0 / count, sum.1 / count))
}

fn measured(app: App, times: Result<(Duration, Duration), String>, sources: Vec<u32>) -> Outcome {
    let (csr, store) = times.map_err(|reason| Refused { app, reason })?;
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let ratio = store.as_secs_f64() / csr.as_secs_f64().max(f64::MIN_POSITIVE);
    Ok(Measured { app, csr_ms: milliseconds(csr), store_ms: milliseconds(store), ratio, sources })
}
