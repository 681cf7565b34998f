//! Algorithms over a store beside static CSR: breadth-first search, connected components, shortest paths, betweenness, triangles and PageRank, the
//! kernels of the GAP Benchmark Suite; PageRank in 32 bits, as GAP computes it; and maximal independent sets, as Aspen has them.
//!
//! Both sides of a ratio run in turn in one process, on the same graph, from the same sources, with the same threads; what they find is
//! compared. A time is that of the library function, from finished rows to a finished result: its own preparations count, reading and
//! building do not.

use std::sync::OnceLock;

use pleach::runtime::mix;
use pleach::{BuildError, BuildOptions, Duplicates, EdgeList};
use pleach_erased::{Bundled, Ends, GraphView, StoreName, StoredGraph};
use serde::Serialize;

use super::{SuiteError, narrow};
use crate::peers::{Kernel, Subject};
use crate::{Bench, Clock, Competitor, Graph, Side, Work};
use pleach_algorithms::bc::sample;
use pleach_algorithms::bfs::Bfs;
use pleach_algorithms::cc::Components;
use pleach_algorithms::mis::{IndependentSet, Mis};
use pleach_algorithms::pagerank::{PageRank, Stop};
use pleach_algorithms::sssp::Sssp;
use pleach_algorithms::tc::Triangles;
use pleach_compiled::bc::bc;
use pleach_compiled::bfs::bfs;
use pleach_compiled::cc::components;
use pleach_compiled::mis::mis;
use pleach_compiled::narrow::pagerank as narrow_pagerank;
use pleach_compiled::pagerank::pagerank;
use pleach_compiled::sssp::sssp;
use pleach_compiled::tc::triangles;

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
    /// The same in 32 bits, over static rows and the default store.
    Sssp32,
    /// Betweenness from one source at a time.
    Bc,
    /// Triangles.
    Tc,
    /// Ten iterations of PageRank.
    #[value(name = "pagerank")]
    PageRank,
    /// Ten iterations of PageRank in 32 bits.
    #[value(name = "pagerank32")]
    PageRank32,
    /// A maximal independent set.
    Mis,
}

/// All of them.
pub const APPS: [App; 9] =
    [App::Bfs, App::Cc, App::Sssp, App::Sssp32, App::Bc, App::Tc, App::PageRank, App::PageRank32, App::Mis];

/// Iterations of PageRank.
const ITERATIONS: usize = 10;

impl App {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            App::Bfs => "bfs",
            App::Cc => "cc",
            App::Sssp => "sssp",
            App::Sssp32 => "sssp32",
            App::Bc => "bc",
            App::Tc => "tc",
            App::PageRank => "pagerank",
            App::PageRank32 => "pagerank32",
            App::Mis => "mis",
        }
    }
}

impl App {
    /// What programs of others are asked.
    fn kernel(self) -> Kernel {
        match self {
            App::Bfs => Kernel::Bfs,
            App::Cc => Kernel::Cc,
            App::Sssp => Kernel::Sssp,
            App::Sssp32 => Kernel::Sssp32,
            App::Bc => Kernel::Bc,
            App::Tc => Kernel::Tc,
            App::PageRank => Kernel::PageRank,
            App::PageRank32 => Kernel::PageRank32,
            App::Mis => Kernel::Mis,
        }
    }
}

/// How to measure.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The stores.
    pub stores: Vec<StoreName>,
    /// What to measure.
    pub apps: Vec<App>,
    /// Vertices to start from; a repetition is the mean over all of them. By default none: they are drawn.
    pub sources: Vec<u32>,
    /// Number of vertices with arcs that are drawn, unless some are given. Default 2.
    pub drawn: usize,
}

impl Options {
    /// Algorithms over stores, from sources that are drawn.
    pub fn new(stores: Vec<StoreName>, apps: Vec<App>) -> Self {
        Options { stores, apps, sources: Vec::new(), drawn: 2 }
    }

    /// Vertices to start from.
    #[must_use]
    pub fn with_sources(self, sources: Vec<u32>) -> Self {
        Options { sources, ..self }
    }

    /// Number of vertices that are drawn.
    #[must_use]
    pub fn with_drawn(self, drawn: usize) -> Self {
        Options { drawn, ..self }
    }
}

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

/// Measures stores beside static rows, algorithm by algorithm.
///
/// # Errors
///
/// [`SuiteError`] if the arcs cannot be sorted into rows.
///
/// # Panics
///
/// If a store and static rows do not give the same result.
pub fn run(bench: &mut Bench<'_>, graph: &Graph, options: &Options) -> Result<(), SuiteError> {
    bench.begin("apps", Some(&graph.name));
    let edges = graph.pattern();
    let rows = bench.within(|| graph.rows())?;
    bench.add_graph(graph.facts(&rows));
    let mut sources = options.sources.clone();
    if sources.is_empty() {
        let some = sample(rows.num_rows(), 16 * options.drawn, 0);
        sources.extend(some.into_iter().filter(|&vertex| rows.degree(vertex as usize) > 0).take(options.drawn));
    }
    let arcs = rows.nnz();
    drop(rows);
    let pattern: Vec<App> = options.apps.iter().copied().filter(|app| !app.kernel().has_weights()).collect();
    if !pattern.is_empty() {
        let build = graph.build();
        let graphs = held(bench, &options.stores, &edges, &build)?;
        for app in pattern {
            let subject = Subject::of(&edges, &build, graph.directed, arcs);
            measure(bench, app, over_pattern, &graphs, &sources, subject);
        }
    }
    if options.apps.iter().any(|app| app.kernel().has_weights()) {
        let weights = match graph.edges.is_weighted() {
            true => graph.edges.clone().into_weighted(),
            false => weighted(&edges),
        };
        let build = BuildOptions::default().with_undirected(!graph.directed).with_duplicates(Duplicates::min());
        let subject = || Subject::of(&weights, &build, graph.directed, arcs);
        if options.apps.contains(&App::Sssp) {
            let graphs = held(bench, &options.stores, &weights, &build)?;
            measure(bench, App::Sssp, over_weights, &graphs, &sources, subject());
        }
        if options.apps.contains(&App::Sssp32) {
            narrow::measure(bench, &options.stores, &weights, &build, &sources, subject())?;
        }
    }
    Ok(())
}

/// A graph in several stores, static rows first.
type Graphs<V> = Vec<(String, Side, StoredGraph<V>)>;

fn held<V: Bundled>(
    bench: &Bench<'_>,
    stores: &[StoreName],
    edges: &EdgeList<V>,
    build: &BuildOptions<V>,
) -> Result<Graphs<V>, BuildError> {
    let others = stores.iter().filter(|store| **store != StoreName::Csr);
    let all = [(&StoreName::Csr, Side::Static)].into_iter().chain(others.map(|store| (store, Side::Ours)));
    all.map(|(store, side)| {
        let held = bench.within(|| StoredGraph::build(store, edges.clone(), build, !build.undirected, Ends::Both))?;
        Ok((store.to_string(), side, held))
    })
    .collect()
}

/// What an algorithm finds.
pub(super) enum Found {
    Bfs(Bfs),
    Cc(Components),
    Distances(Vec<f64>),
    Short(Vec<f32>),
    Bc(Vec<f64>),
    Tc(Triangles),
    Ranks(Vec<f64>),
    Narrow(Vec<f32>),
    Mis(IndependentSet),
}

impl Found {
    /// Whether both say the same. Ranks are sums, whose order is that of the store.
    fn is_same(&self, other: &Found) -> bool {
        match (self, other) {
            (Found::Bfs(a), Found::Bfs(b)) => a == b,
            (Found::Cc(a), Found::Cc(b)) => a == b,
            (Found::Distances(a), Found::Distances(b)) | (Found::Bc(a), Found::Bc(b)) => a == b,
            (Found::Short(a), Found::Short(b)) => a == b,
            (Found::Tc(a), Found::Tc(b)) => a == b,
            (Found::Ranks(a), Found::Ranks(b)) => a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * a.abs()),
            (Found::Narrow(a), Found::Narrow(b)) => a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-4 * a.abs()),
            (Found::Mis(a), Found::Mis(b)) => a.members == b.members,
            _ => false,
        }
    }

    /// A number that another program must find as well, if there is one.
    fn number(&self) -> Option<u64> {
        match self {
            Found::Bfs(found) => Some(found.reached as u64),
            Found::Cc(found) => Some(found.count as u64),
            Found::Distances(found) => Some(found.iter().filter(|distance| distance.is_finite()).count() as u64),
            Found::Short(found) => Some(found.iter().filter(|distance| distance.is_finite()).count() as u64),
            Found::Tc(found) => Some(found.count),
            // Maximal independent sets have many sizes.
            Found::Bc(_) | Found::Ranks(_) | Found::Narrow(_) | Found::Mis(_) => None,
        }
    }
}

/// Runs an algorithm that needs no weights.
fn over_pattern(app: App, graph: GraphView<'_, ()>, source: u32) -> Result<Found, String> {
    let said = |error: &dyn std::fmt::Display| error.to_string();
    let ten = PageRank::default().with_stop(Stop::Iterations(ITERATIONS));
    match app {
        App::Bfs => bfs(graph, source).map(Found::Bfs).map_err(|error| said(&error)),
        App::Cc => Ok(Found::Cc(components(graph))),
        App::Bc => bc(graph, &[source]).map(|found| Found::Bc(found.scores)).map_err(|error| said(&error)),
        App::Tc => triangles(graph).map(Found::Tc).map_err(|error| said(&error)),
        App::PageRank => pagerank(graph, &ten).map(|found| Found::Ranks(found.ranks)).map_err(|error| said(&error)),
        App::PageRank32 => {
            let found = narrow_pagerank(graph, &ten);
            found.map(|found| Found::Narrow(found.ranks)).map_err(|error| said(&error))
        }
        App::Mis => mis(graph, &Mis::default()).map(Found::Mis).map_err(|error| said(&error)),
        App::Sssp | App::Sssp32 => Err("shortest paths need weights".to_owned()),
    }
}

/// Finds shortest paths.
fn over_weights(_: App, graph: GraphView<'_, f64>, source: u32) -> Result<Found, String> {
    let found = sssp(graph, source, &Sssp::default());
    found.map(|found| Found::Distances(found.distances)).map_err(|error| error.to_string())
}

/// Runs an algorithm from a vertex.
type Compute<V> = fn(App, GraphView<'_, V>, u32) -> Result<Found, String>;

/// Measures an algorithm over all stores.
fn measure<V: Bundled>(
    bench: &mut Bench<'_>,
    app: App,
    compute: Compute<V>,
    graphs: &Graphs<V>,
    sources: &[u32],
    subject: Subject<'_>,
) {
    let sources = if app.kernel().has_sources() { sources } else { &[0] };
    let work = Work::timed(app.name());
    if sources.is_empty() {
        for (name, side, _) in graphs {
            bench.skip(&work, name, *side, "the graph has no arc, and so no vertex to start from");
        }
        return;
    }
    let found = OnceLock::new();
    let theirs = bench.theirs_from(app.kernel(), subject, sources, |at| number(&found, at));
    let job = Job { app, sources, found: &found };
    collect(job, compute, graphs, Vec::new(), theirs, bench);
}

/// The number that was found from one of the vertices to start from.
pub(super) fn number(found: &OnceLock<Vec<Found>>, at: usize) -> Option<u64> {
    found.get()?.get(at)?.number()
}

/// An algorithm from some vertices, and what it found the first time.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub app: App,
    pub sources: &'a [u32],
    pub found: &'a OnceLock<Vec<Found>>,
}

impl Job<'_> {
    /// The mean figures of `compute` over all vertices to start from. What is found `first` is compared with what the first competitor has
    /// found.
    pub(super) fn repeat(
        &self,
        clock: Clock,
        compute: impl Fn(u32) -> Result<Found, String>,
        name: &str,
        first: bool,
    ) -> Result<Vec<f64>, String> {
        let (mut figures, mut all) = (Vec::new(), Vec::new());
        for &source in self.sources {
            let (found, taken) = clock.measure(|| compute(source));
            figures.push(taken);
            let found = found?;
            if first {
                all.push(found);
            }
        }
        if first {
            let count = all.len();
            let expected = self.found.get_or_init(|| std::mem::take(&mut all));
            let same = all.iter().zip(expected).all(|(found, expected)| found.is_same(expected));
            assert!(
                same && count == expected.len(),
                "{}: {name} and static rows give the same result",
                self.app.name()
            );
        }
        Ok(Clock::mean(&figures))
    }
}

/// Opens one graph after the other, each while those before it are open, and then runs the algorithm over all of them in turn.
fn collect<'a, V: Bundled>(
    job: Job<'_>,
    compute: Compute<V>,
    graphs: &[(String, Side, StoredGraph<V>)],
    mut competitors: Vec<Competitor<'a>>,
    mut theirs: Vec<Competitor<'a>>,
    bench: &mut Bench<'_>,
) {
    let Some(((name, side, graph), rest)) = graphs.split_first() else {
        competitors.append(&mut theirs);
        bench.compare(&[Work::timed(job.app.name())], competitors);
        return;
    };
    graph.view(|graph| {
        // From here on they live no longer than the view.
        let (mut competitors, mut first) = (competitors, true);
        competitors.push(Competitor::clocked(name.clone(), *side, move |clock| {
            job.repeat(clock, |source| compute(job.app, graph, source), name, std::mem::take(&mut first))
        }));
        collect(job, compute, rest, competitors, theirs, bench);
    });
}
