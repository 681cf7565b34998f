//! The six algorithms of the LDBC Graphalytics benchmark on a data set of theirs, validated by their rules.
//!
//! ```text
//!   NAME.properties ──► which files, which algorithms, from where, how many iterations
//!   NAME.v, NAME.e  ──► read ──► build ──► BFS · PR · WCC · CDLP · LCC · SSSP ──► seconds, edges and vertices per second
//!   NAME-BFS, …     ──────────────────────────────────────────────────────────► valid, or the first vertex that is wrong
//! ```
//!
//! Definitions, parameters and rules are those of the specification (Iosup et al., *The LDBC Graphalytics Benchmark*, arXiv:2011.15028). The
//! *processing time* is that of the algorithm alone, from finished rows to a finished result. *EVPS*, edges and vertices per second, is the
//! number of both in the data set over the processing time. The *load time* is that of reading the files and building the rows.

pub mod properties;
pub mod reference;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pleach::{BuildError, BuildOptions};
use pleach_algorithms::bfs::UNREACHED;
use pleach_algorithms::cdlp::Cdlp;
use pleach_algorithms::pagerank::{PageRank, Stop};
use pleach_algorithms::sssp::Sssp;
use pleach_compiled::bfs::bfs;
use pleach_compiled::cc::components;
use pleach_compiled::cdlp::cdlp;
use pleach_compiled::lcc::lcc;
use pleach_compiled::pagerank::pagerank;
use pleach_compiled::sssp::sssp;
use pleach_datasets::{Direction, Edges, IdMap};
use pleach_erased::{Ends, GraphView, StoreName, StoredGraph};
use serde::Serialize;

use properties::{Properties, PropertiesError};
use reference::{Reference, Verdict};

/// An algorithm of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Algorithm {
    /// Breadth-first search.
    Bfs,
    /// PageRank.
    Pr,
    /// Weakly connected components.
    Wcc,
    /// Communities by propagation of labels.
    Cdlp,
    /// Local clustering coefficients.
    Lcc,
    /// Single-source shortest paths.
    Sssp,
}

impl Algorithm {
    /// All six.
    pub const ALL: [Algorithm; 6] =
        [Algorithm::Bfs, Algorithm::Pr, Algorithm::Wcc, Algorithm::Cdlp, Algorithm::Lcc, Algorithm::Sssp];

    /// As data sets spell it.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Bfs => "bfs",
            Algorithm::Pr => "pr",
            Algorithm::Wcc => "wcc",
            Algorithm::Cdlp => "cdlp",
            Algorithm::Lcc => "lcc",
            Algorithm::Sssp => "sssp",
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name().to_uppercase())
    }
}

/// How to run a data set.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The store.
    pub store: StoreName,
    /// The algorithms. By default those that the data set lists.
    pub algorithms: Vec<Algorithm>,
    /// How often each algorithm runs; the median counts. Default 1.
    pub rounds: usize,
}

impl Options {
    /// All algorithms of a data set, in a store.
    pub fn new(store: StoreName) -> Self {
        Options { store, algorithms: Vec::new(), rounds: 1 }
    }

    /// The algorithms, or none for those that the data set lists.
    #[must_use]
    pub fn with_algorithms(self, algorithms: Vec<Algorithm>) -> Self {
        Options { algorithms, ..self }
    }

    /// How often each algorithm runs.
    #[must_use]
    pub fn with_rounds(self, rounds: usize) -> Self {
        Options { rounds, ..self }
    }
}

/// Why a data set cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphalyticsError {
    /// Its properties are wrong.
    #[error(transparent)]
    Properties(#[from] PropertiesError),
    /// Its files cannot be read.
    #[error(transparent)]
    Read(#[from] pleach_datasets::Error),
    /// Its edges cannot be sorted into rows.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A vertex to start from is not in the graph.
    #[error("{}: `{key}` is {vertex}, which is no vertex of the graph", properties.display())]
    Source {
        /// The properties file.
        properties: PathBuf,
        /// The property.
        key: &'static str,
        /// The vertex.
        vertex: u64,
    },
    /// The shortest paths need weights.
    #[error("{} has no weights, which SSSP needs", edges.display())]
    Unweighted {
        /// The file of edges.
        edges: PathBuf,
    },
    /// An algorithm refuses the graph.
    #[error("{algorithm}: {reason}")]
    Refused {
        /// The algorithm.
        algorithm: Algorithm,
        /// What it says.
        reason: String,
    },
}

/// The graph of a data set in memory, and how long that took.
#[derive(Clone, Debug, Serialize)]
pub struct Loaded {
    /// Its name.
    pub graph: String,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of edges in the file.
    pub edges: usize,
    /// Whether they have a direction.
    pub directed: bool,
    /// Seconds to read the files.
    pub read_seconds: f64,
    /// Seconds to build the rows: without weights, and with weights where SSSP runs.
    pub build_seconds: f64,
}

/// What was measured of one algorithm.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Its processing time, the median of all rounds.
    pub processing_seconds: f64,
    /// Edges and vertices per second.
    pub evps: f64,
    /// Whether the result is right.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// The properties files in a directory, by name; or the one file that `path` is.
///
/// # Errors
///
/// If the directory cannot be read, or has no such file.
pub fn data_sets(path: &Path) -> Result<Vec<PathBuf>, PropertiesError> {
    if path.extension().is_some_and(|ending| ending == "properties") {
        return Ok(vec![path.to_owned()]);
    }
    let io = |error| PropertiesError::Io { path: path.to_owned(), error };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).map_err(io)? {
        let file = entry.map_err(io)?.path();
        if file.extension().is_some_and(|ending| ending == "properties") {
            found.push(file);
        }
    }
    found.sort();
    if found.is_empty() { Err(PropertiesError::None { path: path.to_owned() }) } else { Ok(found) }
}

/// Runs the algorithms of a data set. `loaded` is called when its graph is in memory, and `report` with each result.
///
/// # Errors
///
/// [`GraphalyticsError`]. A result that is wrong is none: it is reported.
pub fn run(
    file: &Path,
    options: &Options,
    loaded: impl FnOnce(&Loaded),
    mut report: impl FnMut(Measured),
) -> Result<(), GraphalyticsError> {
    let properties = Properties::read(file)?;
    let algorithms = if options.algorithms.is_empty() { properties.algorithms()? } else { options.algorithms.clone() };
    let begin = Instant::now();
    let wanted = if properties.directed { Direction::Directed } else { Direction::Undirected };
    let read = pleach_datasets::Options::default().with_direction(wanted).with_columns(properties.columns()?);
    let input = pleach_datasets::read(file, &read)?;
    let read_seconds = begin.elapsed().as_secs_f64();

    let weighs = algorithms.contains(&Algorithm::Sssp);
    if weighs && !input.edges.is_weighted() {
        return Err(unweighted(&properties));
    }
    let (vertices, edges, directed) = (input.num_vertices(), input.edges.len(), input.directed);
    let begin = Instant::now();
    let weighted = match (&input.edges, weighs) {
        (Edges::Weighted(edges), true) => {
            let build = BuildOptions::default().with_undirected(!directed);
            Some(StoredGraph::build(&options.store, edges.clone(), &build, directed, Ends::Out)?)
        }
        _ => None,
    };
    let build = BuildOptions::default().with_undirected(!directed);
    let pattern = match algorithms.as_slice() {
        [Algorithm::Sssp] => None,
        _ => Some(StoredGraph::build(&options.store, input.edges.into_pattern(), &build, directed, Ends::Both)?),
    };
    let build_seconds = begin.elapsed().as_secs_f64();
    let graph = properties.name.clone();
    loaded(&Loaded { graph, vertices, edges, directed, read_seconds, build_seconds });

    let ids = &input.ids;
    for algorithm in algorithms {
        let run = Run { algorithm, properties: &properties, ids, rounds: options.rounds };
        let (result, seconds) = match (&weighted, &pattern) {
            (Some(weighted), _) if algorithm == Algorithm::Sssp => weighted.view(|graph| run.on_weighted(graph))?,
            (_, Some(pattern)) => pattern.view(|graph| run.on_pattern(graph))?,
            _ => return Err(unweighted(&properties)),
        };
        let verdict = Reference::find(&properties, algorithm).judge(ids, &result);
        let evps = (vertices + edges) as f64 / seconds;
        report(Measured { algorithm, processing_seconds: seconds, evps, verdict });
    }
    Ok(())
}

fn unweighted(properties: &Properties) -> GraphalyticsError {
    GraphalyticsError::Unweighted { edges: properties.beside("e") }
}

/// The result of an algorithm: an element for each vertex, as the benchmark writes it.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Depths.
    Depths(Vec<i64>),
    /// Labels, which are ids, that have to be the same.
    Labels(Vec<u64>),
    /// Labels that have to make the same groups.
    Groups(Vec<u64>),
    /// Numbers that have to be close.
    Numbers(Vec<f64>),
}

/// One algorithm, and what it needs.
#[derive(Clone, Copy)]
struct Run<'a> {
    algorithm: Algorithm,
    properties: &'a Properties,
    ids: &'a IdMap,
    rounds: usize,
}

type Outcome = Result<(Values, f64), GraphalyticsError>;

impl Run<'_> {
    /// Runs it so many times. Returns the last result and the median of the seconds.
    fn time<T, E: fmt::Display>(
        &self,
        mut algorithm: impl FnMut() -> Result<T, E>,
        values: impl FnOnce(T) -> Values,
    ) -> Outcome {
        let mut seconds = Vec::new();
        let mut last = None;
        for _ in 0..self.rounds.max(1) {
            // What the round before has found is freed outside of the time.
            drop(last.take());
            let begin = Instant::now();
            let found = algorithm();
            seconds.push(begin.elapsed().as_secs_f64());
            let refused =
                |error: E| GraphalyticsError::Refused { algorithm: self.algorithm, reason: error.to_string() };
            last = Some(found.map_err(refused)?);
        }
        seconds.sort_by(f64::total_cmp);
        let median = seconds[seconds.len() / 2];
        Ok((values(last.expect("there is a round at least")), median))
    }

    /// The vertex that a property names.
    fn source(&self, key: &'static str) -> Result<u32, GraphalyticsError> {
        let vertex = self.properties.number(key)?;
        let properties = self.properties.file.clone();
        self.ids.internal(vertex).ok_or(GraphalyticsError::Source { properties, key, vertex })
    }

    fn label(&self, label: u32) -> u64 {
        self.ids.external(label)
    }

    /// An algorithm that reads no weights.
    fn on_pattern(&self, graph: GraphView<'_, ()>) -> Outcome {
        let labels = |labels: Vec<u32>| labels.into_iter().map(|label| self.label(label)).collect();
        match self.algorithm {
            Algorithm::Bfs => {
                let source = self.source("bfs.source-vertex")?;
                let depth = |depth| if depth == UNREACHED { i64::MAX } else { i64::from(depth) };
                self.time(|| bfs(graph, source), |found| Values::Depths(found.depths.into_iter().map(depth).collect()))
            }
            Algorithm::Pr => {
                let stop = Stop::Iterations(self.properties.number("pr.num-iterations")?);
                let damping = self.properties.number("pr.damping-factor")?;
                let options = PageRank::default().with_damping(damping).with_stop(stop);
                self.time(|| pagerank(graph, &options), |found| Values::Numbers(found.ranks))
            }
            Algorithm::Cdlp => {
                // Vertices are numbered in the order of their ids, so the smallest label is that of the smallest id.
                let options = Cdlp::default().with_iterations(self.properties.number("cdlp.max-iterations")?);
                self.time(|| cdlp(graph, &options), |found| Values::Labels(labels(found.labels)))
            }
            Algorithm::Lcc => self.time(|| lcc(graph), |found| Values::Numbers(found.coefficients)),
            Algorithm::Sssp => Err(unweighted(self.properties)),
            Algorithm::Wcc => {
                let found = || Ok::<_, std::convert::Infallible>(components(graph));
                self.time(found, |found| Values::Groups(labels(found.labels)))
            }
        }
    }

    /// Shortest paths.
    fn on_weighted(&self, graph: GraphView<'_, f64>) -> Outcome {
        let source = self.source("sssp.source-vertex")?;
        self.time(|| sssp(graph, source, &Sssp::default()), |found| Values::Numbers(found.distances))
    }
}
