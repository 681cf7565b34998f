//! An algorithm by its name, and what it finds.

use serde_json::{Map, Value};

use crate::algorithms::{self, Stop, UNREACHED};
use crate::exchange::Lost;
use crate::names::Names;
use crate::part::Part;
use crate::wire::Wire;

/// The algorithms, with their options.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum App {
    /// [`algorithms::pagerank`].
    PageRank {
        /// The probability of following an arc.
        damping: f64,
        /// When it ends.
        stop: Stop,
    },
    /// [`algorithms::bfs`].
    Bfs {
        /// The id of the vertex to start from.
        source: u64,
    },
    /// [`algorithms::components`].
    Components,
    /// [`algorithms::sssp`].
    Sssp {
        /// The id of the vertex to start from.
        source: u64,
    },
    /// [`algorithms::label_propagation`].
    LabelPropagation {
        /// Iterations at most.
        iterations: usize,
    },
    /// [`algorithms::coreness`].
    Coreness,
    /// [`algorithms::triangles`].
    Triangles,
    /// [`algorithms::degrees`].
    Degrees,
}

impl App {
    /// The same from another vertex, if it starts from one.
    #[must_use]
    pub fn from(self, source: u64) -> Self {
        match self {
            App::Bfs { .. } => App::Bfs { source },
            App::Sssp { .. } => App::Sssp { source },
            other => other,
        }
    }

    /// Whether it reads weights.
    pub fn is_weighted(self) -> bool {
        matches!(self, App::Sssp { .. })
    }

    /// Whether it reads in-arcs of a directed graph. Without in-arcs, components give the same answer, and all others return an error.
    pub fn needs_incoming(self) -> bool {
        matches!(self, App::PageRank { .. } | App::Components | App::LabelPropagation { .. } | App::Triangles)
    }

    /// Whether it is one of undirected graphs only.
    pub fn needs_undirected(self) -> bool {
        matches!(self, App::Coreness)
    }
}

/// What an algorithm finds for each vertex of a worker, in their order.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Nothing: the result is about the graph.
    None,
    /// Whole numbers.
    Whole(Vec<u64>),
    /// Vertices, by their ids.
    Vertices(Vec<u64>),
    /// Real numbers.
    Real(Vec<f64>),
}

/// What an algorithm found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// A value of each of this worker's vertices.
    pub values: Values,
    /// Figures of the whole graph, the same at every worker.
    pub figures: Map<String, Value>,
}

/// Why an algorithm found nothing; the same at every worker.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A worker has ended.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// There is no vertex to start from.
    #[error("there is no vertex {0}")]
    NoVertex(u64),
    /// The graph is not fit for it.
    #[error("{0}")]
    Unfit(String),
}

impl From<algorithms::IncomingError> for RunError {
    fn from(error: algorithms::IncomingError) -> Self {
        match error {
            algorithms::IncomingError::Lost(lost) => RunError::Lost(lost),
            missing => RunError::Unfit(missing.to_string()),
        }
    }
}

impl From<algorithms::SsspError> for RunError {
    fn from(error: algorithms::SsspError) -> Self {
        match error {
            algorithms::SsspError::Lost(lost) => RunError::Lost(lost),
            weight => RunError::Unfit(weight.to_string()),
        }
    }
}

/// Runs an algorithm. All workers call it alike.
///
/// # Errors
///
/// [`RunError`].
pub fn run(app: App, part: &Part<'_>, wire: &mut Wire<'_>) -> Result<Found, RunError> {
    if app.needs_undirected() && part.directed {
        return Err(RunError::Unfit(
            "coreness is that of an undirected graph: read it as one (--undirected)".to_owned(),
        ));
    }
    let mut figures = Map::new();
    let mut say = |name: &str, value: Value| drop(figures.insert(name.to_owned(), value));
    let values = match app {
        App::PageRank { damping, stop } => {
            let found = algorithms::pagerank(part, wire, damping, stop)?;
            let best = part.own.iter().zip(&found.ranks).map(|(&vertex, &rank)| (rank, part.ids[vertex as usize]));
            // The smallest id of those with the largest rank.
            let better = |a: (f64, u64), b: (f64, u64)| if b.0 > a.0 || b.0 == a.0 && b.1 < a.1 { b } else { a };
            let (rank, id) = best.fold((f64::NEG_INFINITY, u64::MAX), better);
            let all = wire.all([rank.to_bits(), id])?;
            let best =
                all.iter().map(|best| (f64::from_bits(best[0]), best[1])).fold((f64::NEG_INFINITY, u64::MAX), better);
            say("iterations", found.iterations.into());
            say("sum", found.sum.into());
            say("residual", if found.residual.is_finite() { found.residual.into() } else { Value::Null });
            say("max_vertex", if part.vertices > 0 { best.1.into() } else { Value::Null });
            Values::Real(found.ranks)
        }
        App::Bfs { source } => {
            let depths = algorithms::bfs(part, wire, source)?.ok_or(RunError::NoVertex(source))?;
            let reached = depths.iter().filter(|&&depth| depth != UNREACHED);
            let mine = [reached.clone().count() as u64, reached.max().copied().unwrap_or(0)];
            let all = wire.all(mine)?;
            say("reached", all.iter().map(|each| each[0]).sum::<u64>().into());
            say("depth", all.iter().map(|each| each[1]).max().into());
            Values::Whole(depths)
        }
        App::Components => {
            let (labels, count) = algorithms::components(part, wire)?;
            say("components", count.into());
            Values::Vertices(labels)
        }
        App::Sssp { source } => {
            let distances = algorithms::sssp(part, wire, source)?.ok_or(RunError::NoVertex(source))?;
            let reached = distances.iter().filter(|distance| distance.is_finite());
            let mine = (reached.clone().count() as u64, reached.copied().fold(0.0, f64::max));
            let all = wire.all([mine.0, mine.1.to_bits()])?;
            say("reached", all.iter().map(|each| each[0]).sum::<u64>().into());
            say("farthest", all.iter().map(|each| f64::from_bits(each[1])).fold(0.0, f64::max).into());
            Values::Real(distances)
        }
        App::LabelPropagation { iterations } => {
            let labels = algorithms::label_propagation(part, wire, iterations)?;
            say("communities", distinct(part, wire, &labels)?.into());
            Values::Vertices(labels)
        }
        App::Coreness => {
            let coreness = algorithms::coreness(part, wire)?;
            let largest = wire.all(coreness.iter().copied().max().unwrap_or(0))?;
            say("degeneracy", largest.into_iter().max().into());
            Values::Whole(coreness.into_iter().map(u64::from).collect())
        }
        App::Triangles => {
            say("triangles", algorithms::triangles(part, wire)?.into());
            Values::None
        }
        App::Degrees => {
            let found = algorithms::degrees(part, wire)?;
            say("min", found.min.into());
            say("max", found.max.into());
            say("mean", found.mean.into());
            Values::Whole(found.degrees)
        }
    };
    Ok(Found { values, figures })
}

/// How many different labels, which are ids, there are: each is counted where its vertex is owned.
fn distinct(part: &Part<'_>, wire: &mut Wire<'_>, labels: &[u64]) -> Result<u64, Lost> {
    let dedup = |mut labels: Vec<u64>| {
        labels.sort_unstable();
        labels.dedup();
        labels
    };
    let mut to: Vec<Vec<u64>> = vec![Vec::new(); wire.workers()];
    dedup(labels.to_vec()).into_iter().for_each(|label| to[part.ownership.owner(label)].push(label));
    let mine = dedup(wire.swap_numbers(to)?.concat());
    wire.sum(mine.len() as u64)
}

/// What a vertex or a value is called.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Called<'a> {
    /// Its number.
    Number(u64),
    /// The name of a vertex.
    Name(&'a str),
}

/// Vertices whose values are collected at a time, of each worker.
const WINDOW: usize = 1 << 16;

/// Hands the values of all vertices to `write` at worker 0, in the order of ids, a bounded number at a time. Values are given as bits, and
/// vertices as they are called by `names`, if there are any. All workers call it alike; `write` fails at worker 0 only, and all others are
/// told.
///
/// # Errors
///
/// [`Lost`], or what `write` said.
pub fn collect(
    part: &Part<'_>,
    wire: &mut Wire<'_>,
    values: &Values,
    names: Option<&Names>,
    write: &mut dyn FnMut(Called<'_>, Called<'_>) -> Result<(), String>,
) -> Result<Result<(), crate::wire::Refused>, Lost> {
    let bits = |at: usize| match values {
        Values::None => 0,
        Values::Whole(values) | Values::Vertices(values) => values[at],
        Values::Real(values) => values[at].to_bits(),
    };
    let id = |at: usize| part.ids[part.own[at] as usize];
    let (mut next, mut failed) = (0, Ok(()));
    loop {
        // Up to the smallest id at which a worker has reached its share.
        let last = part.own.len().min(next + WINDOW);
        let mine = if last < part.own.len() { id(last) } else { u64::MAX };
        let until = wire.all([mine, u64::from(next < part.own.len())])?;
        if until.iter().all(|each| each[1] == 0) {
            return wire.agree(failed);
        }
        let until = until.iter().map(|each| each[0]).min().unwrap_or(u64::MAX);
        let mut to: Vec<Vec<[u64; 2]>> = vec![Vec::new(); wire.workers()];
        while next < part.own.len() && (id(next) < until || until == u64::MAX) {
            to[0].push([id(next), bits(next)]);
            next += 1;
        }
        let mut all = wire.swap_numbers(to)?.concat();
        all.sort_unstable_by_key(|each| each[0]);
        let is_vertex = matches!(values, Values::Vertices(_));
        let called = match names {
            None => Vec::new(),
            Some(names) => {
                let ids = all.iter().map(|each| each[0]);
                let asked: Vec<u64> = ids.chain(all.iter().filter(|_| is_vertex).map(|each| each[1])).collect();
                names.of_numbers(wire, &asked)?
            }
        };
        let name = |at: usize, number| called.get(at).map_or(Called::Number(number), |name| Called::Name(name));
        for (at, &[id, bits]) in all.iter().enumerate() {
            let value = if is_vertex { name(all.len() + at, bits) } else { Called::Number(bits) };
            failed = failed.and_then(|()| write(name(at, id), value));
        }
    }
}
