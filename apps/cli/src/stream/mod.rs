//! `pleach stream`: updates a graph by a stream of edges, and runs an algorithm on snapshots of it meanwhile.
//!
//! ```text
//!   one thread reads, groups and prepares ──batches──► one applies them ──snapshots──► one computes
//!       │ pool that prepares                              │ pool of the graph             │ pool that computes
//! ```
//!
//! Each of the three waits for another now and then, so none of them is a worker of a pool; and none lends the others its workers, so
//! that no batch waits for an algorithm.

mod held;

use std::io::IsTerminal;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use clap::{Args, Parser, ValueEnum};
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use pleach::graph::{Applied, Conflict, GraphOptions, Ids, MAX_VERTICES, Prepared, Publish};
use pleach::{EdgeList, SelfLoops};
use pleach_datasets::stream::{Columns, EdgeStream, StreamOptions};
use pleach_datasets::{Edges, Label, Weights};
use pleach_erased::{AnyGraph, AnySnapshot, DEFAULT_STORE, StoreName};
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde_json::{Value, json};

use super::input::InputArgs;
use super::output::{print, print_json};
use super::run::{self, Between, Finding, Following, Order, SnapshotApp, Vertices};
use super::{Failure, allocated};
use crate::batches::{BatchOptions, Batches, Grouping, StreamBatch};
use held::Held;

/// Options of `pleach stream`.
#[derive(Args)]
pub struct StreamArgs {
    #[command(flatten)]
    input: InputArgs,
    /// File of updates, one a line; `-` is standard input. A line is `src dst` or `src dst time`, or begins with `+ - a u d`
    #[arg(long, value_name = "FILE")]
    updates: PathBuf,
    /// Columns of a line: `op src dst weight time`, `_` for one to ignore [default: known by the first line]
    #[arg(long, value_name = "LIST")]
    columns: Option<Columns>,
    /// Number of lines in a batch
    #[arg(long, value_name = "N", default_value = "10000", conflicts_with = "span")]
    batch: NonZeroUsize,
    /// End a batch after this much time, in the units of the stream, instead of a number of lines
    #[arg(long, value_name = "T")]
    span: Option<NonZeroU64>,
    /// Delete an edge when its last insertion is this long ago
    #[arg(long, value_name = "T")]
    window: Option<NonZeroU64>,
    /// Store a weight with each edge, even if the initial graph has none
    #[arg(long)]
    weighted: bool,
    /// Weight of an edge that is inserted again
    #[arg(long, value_enum, default_value_t = Winner::Last)]
    conflict: Winner,
    /// Skip lines that cannot be applied, and count them
    #[arg(long)]
    skip_bad: bool,
    /// When to publish a version for readers at the end of a batch
    #[arg(long, value_enum, default_value_t = Policy::Asked)]
    publish: Policy,
    /// Algorithm to run on snapshots and at the end: any of `pleach run`, in quotes if options follow, as in 'bfs --source 1'. An
    /// algorithm that reads weights implies --weighted
    #[arg(long, value_name = "APP")]
    app: Option<String>,
    /// Run the algorithm after every N batches [default: at the end only]
    #[arg(long, value_name = "N", requires = "app")]
    every: Option<NonZeroU64>,
    /// Go on from what was found on the version before, rather than compute anew: cc (anew after deletions) and pagerank, on edges without weights
    #[arg(long, requires = "every")]
    follow: bool,
    /// Write the result at the end: one line a vertex, `ID VALUE`, sorted by id
    #[arg(long, value_name = "FILE", requires = "app")]
    out: Option<PathBuf>,
    /// Write the graph at the end; the ending of the name chooses the format
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Store to hold the graph in: OUTER,ROW (such as `bst,ctree`), or a format
    #[arg(long, value_name = "OUTER,ROW", default_value = DEFAULT_STORE)]
    store: StoreName,
    /// Threads that prepare a large batch, that apply one, and that run the algorithm: so many each [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Print a line of JSON for each batch, for each run of the algorithm, and at the end
    #[arg(long)]
    json: bool,
}

/// Which weight wins.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Winner {
    Last,
    First,
    Sum,
    Min,
    Max,
}

impl<V> From<Winner> for Conflict<V> {
    fn from(winner: Winner) -> Self {
        match winner {
            Winner::Last => Conflict::Last,
            Winner::First => Conflict::First,
            Winner::Sum => Conflict::Sum,
            Winner::Min => Conflict::Min,
            Winner::Max => Conflict::Max,
        }
    }
}

/// When versions are published.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Policy {
    /// If a reader has asked for one
    Asked,
    /// At every batch
    Batch,
}

/// The graph that holds nothing.
const NOTHING: &str = "empty";

/// The graph at the beginning.
struct Base {
    name: String,
    edges: Edges,
    /// The ids of the vertices, in their order.
    ids: Vec<u64>,
    directed: bool,
}

/// An algorithm with its options, as `--app` names it.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct OnSnapshot {
    #[command(subcommand)]
    app: run::App,
}

/// The algorithm that `--app` names.
fn algorithm(text: &str) -> Result<Box<dyn SnapshotApp>, Failure> {
    let mut words = text.split_whitespace();
    // Where `pleach run` has the graph, a snapshot takes its place.
    let all = [words.next().unwrap_or_default(), "snapshot"].into_iter().chain(words);
    let app = OnSnapshot::try_parse_from(all).map_err(|error| {
        let told = error.to_string();
        let reason: Vec<&str> = told.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
        Failure::usage(format!("--app `{text}`: {}", reason.join(" ").trim_start_matches("error: ")))
    })?;
    let app = app.app.on_snapshot();
    app.check()?;
    Ok(app)
}

impl StreamArgs {
    /// Runs the command.
    pub fn run(self) -> Result<(), Failure> {
        let app = self.app.as_deref().map(algorithm).transpose()?;
        let app = app.as_deref();
        if let Some(app) = app.filter(|app| self.out.is_some() && !app.has_values()) {
            return Err(Failure::usage(format!(
                "{} finds no value for each vertex that --out could write",
                app.name()
            )));
        }
        if let Some(app) = app.filter(|app| self.follow && app.following().is_none()) {
            return Err(Failure::usage(format!(
                "{} does not follow a graph with these options: cc does, and pagerank down to a tolerance",
                app.name()
            )));
        }
        let pools = Pools::new(self.threads)?;
        let base = pools.preparing.install(|| self.base())?;
        if self.follow && (base.edges.is_weighted() || self.weighted) {
            return Err(Failure::usage("--follow goes over edges without weights, and this graph has weights"));
        }
        if base.edges.is_weighted() || self.weighted || app.is_some_and(|app| app.is_weighted()) {
            self.over(&pools, &base.name, base.edges.into_weighted(), &base.ids, base.directed, app)
        } else {
            self.over(&pools, &base.name, base.edges.into_pattern(), &base.ids, base.directed, app)
        }
    }

    fn base(&self) -> Result<Base, Failure> {
        if self.input.name() == NOTHING {
            let edges = Edges::Pattern(EdgeList::new(0, 0));
            return Ok(Base {
                name: NOTHING.to_owned(),
                edges,
                ids: Vec::new(),
                directed: !self.input.is_undirected(),
            });
        }
        let mut input = self.input.load(Weights::AsRead)?;
        let mut edges = input.take_edges()?;
        if matches!(input.build_options::<()>().self_loops, SelfLoops::Drop) {
            edges = without_loops(edges);
        }
        let graph = &input.graph;
        if graph.ids.has_names() {
            return Err(Failure::input(format!(
                "the vertices of {} have names, and updates have ids: expected a graph whose vertices have ids",
                graph.name
            )));
        }
        Ok(Base { name: graph.name.clone(), edges, ids: graph.ids.iter().collect(), directed: graph.directed })
    }

    fn over<V: Held>(
        &self,
        pools: &Pools,
        name: &str,
        edges: EdgeList<V>,
        known: &[u64],
        directed: bool,
        app: Option<&dyn SnapshotApp>,
    ) -> Result<(), Failure> {
        let ids = Ids::new();
        for id in known {
            ids.intern(id).map_err(Failure::input)?;
        }
        let publish = match self.publish {
            Policy::Asked => Publish::WhenAsked,
            Policy::Batch => Publish::EveryBatch,
        };
        let options = GraphOptions {
            directed,
            publish,
            conflict: self.conflict.into(),
            // Ids become vertices one after the other: none is far from the others.
            max_vertices: MAX_VERTICES,
            threads: pools.threads,
            ..GraphOptions::default()
        };
        let (graph, _) =
            pools.preparing.install(|| AnyGraph::from_edges(&self.store, edges, options)).map_err(Failure::input)?;
        let stream =
            EdgeStream::open(&self.updates, StreamOptions { columns: self.columns.clone(), skip_bad: self.skip_bad })
                .map_err(Failure::input)?;
        let batch_options = BatchOptions {
            grouping: self.span.map_or(Grouping::Count(self.batch), Grouping::Span),
            window: self.window,
            directed,
            skip_bad: self.skip_bad,
        };
        let (totals, computed) = self.apply(pools, &graph, Batches::new(stream, &ids, batch_options), &ids, app)?;
        let snapshot = graph.fresh();
        let mut end = json!({
            "graph": name,
            "store": self.store.to_string(),
            "threads": pools.threads,
            "publish": match self.publish { Policy::Asked => "asked", Policy::Batch => "batch" },
            "batches": totals.batches,
            "lines": totals.lines,
            "skipped": totals.skipped,
            "seconds": { "total": totals.total.as_secs_f64(), "apply": totals.applying.as_secs_f64() },
            "edges_per_second": rate(totals.updates, totals.applying),
            "vertices": snapshot.num_vertices(),
            "edges": snapshot.num_edges(),
            "arcs": snapshot.num_arcs(),
            "memory": memory(snapshot.footprint().bytes, snapshot.num_arcs()),
        });
        // What was computed after the last batch holds at the end, too.
        let computed = computed.filter(|outcome| outcome.version == snapshot.version());
        let outcome = match (computed, app) {
            (None, Some(app)) => Some(pools.computing.install(|| outcome(app, &snapshot, &ids, None))?),
            (computed, _) => computed,
        };
        if let Some(outcome) = &outcome {
            end["app"] = outcome.describe(&ids);
            if let Some(path) = &self.out {
                outcome.write(path, &ids)?;
            }
        }
        if let Some(path) = &self.save {
            let input = held::input(&snapshot, &ids, name, directed);
            pleach_datasets::write(&input, path).map_err(Failure::input)?;
        }
        if self.json { print_json(&end) } else { print(summary(&end).as_bytes()) }
    }

    /// Applies all batches, while others are read and snapshots are computed on. Also gives what was computed last.
    fn apply<'t, V: Held>(
        &self,
        pools: &Pools,
        graph: &AnyGraph<V>,
        mut batches: Batches<'_, V>,
        ids: &Ids,
        app: Option<&'t dyn SnapshotApp>,
    ) -> Result<(Totals, Option<Outcome<'t>>), Failure> {
        let begin = Instant::now();
        let line = live_line(self.json);
        let (send_batch, receive_batch) = sync_channel::<Result<Ready<V>, Failure>>(2);
        let (send_snapshot, receive_snapshot) = sync_channel::<(u64, AnySnapshot<V>, Between)>(0);
        let (send_refusal, receive_refusal) = sync_channel::<(StreamBatch<V>, pleach::graph::GraphError)>(1);
        std::thread::scope(|threads| -> Result<(Totals, Option<Outcome<'t>>), Failure> {
            let reader = named("reading").spawn_scoped(threads, move || {
                while let Some(batch) = batches.next() {
                    let batch = batch.map_err(Failure::input);
                    let batch = batch.and_then(|batch| self.ready(pools, graph, &batches, batch));
                    // Whoever applies batches has come to an end.
                    if send_batch.send(batch).is_err() {
                        break;
                    }
                }
                drop(send_batch);
                // A batch that was refused is reported with the lines it came from.
                let refused = receive_refusal.recv().ok();
                (batches.skipped(), refused.map(|(batch, error)| Failure::input(batches.refused(&batch, error))))
            });
            let reader = reader.map_err(no_thread)?;
            let computing = app.filter(|_| self.every.is_some()).map(|app| {
                named("computing").spawn_scoped(threads, move || -> Result<Option<Outcome<'t>>, Failure> {
                    let (mut last, mut before) = (None, None);
                    let mut following = if self.follow { app.following() } else { None };
                    for (batch, snapshot, between) in receive_snapshot {
                        let outcome = pools.computing.install(|| {
                            let following =
                                following.as_deref_mut().map(|following| (following, before.as_ref(), &between));
                            outcome(app, &snapshot, ids, following)
                        })?;
                        before = following.is_some().then_some(snapshot);
                        let mut told = outcome.describe(ids);
                        told["batch"] = batch.into();
                        if self.json {
                            print_json(&told)?
                        } else {
                            print(text(&told).as_bytes())?
                        }
                        last = Some(outcome);
                    }
                    Ok(last)
                })
            });
            let computing = computing.transpose().map_err(no_thread)?;
            let mut totals = Totals::default();
            let mut failed = Ok(());
            let mut refusal = Some(send_refusal);
            let mut between = Between::default();
            for batch in receive_batch {
                let Ready { batch, count, edges, prepared } = match batch {
                    Ok(batch) => batch,
                    Err(failure) => {
                        failed = Err(failure);
                        break;
                    }
                };
                between.edges.extend(edges);
                let computed_next =
                    computing.is_some() && self.every.is_some_and(|every| (totals.batches + 1) % every == 0);
                if computed_next {
                    // A reader is there: the boundary of this batch publishes for it.
                    graph.latest();
                }
                let started = Instant::now();
                let applied = match graph.commit(prepared) {
                    Ok(applied) => applied,
                    Err(error) => {
                        if let Some(refusal) = refusal.take() {
                            let _ = refusal.send((batch, error));
                        }
                        break;
                    }
                };
                let took = started.elapsed();
                totals.add(&batch, count, took);
                if self.json
                    && let Err(failure) = print_json(&tell(totals.batches, &batch, &applied, took, begin))
                {
                    failed = Err(failure);
                    break;
                }
                // Asking for the memory takes longer than a small batch.
                if !line.is_hidden() {
                    line.set_message(format!(
                        "{:.1} M updates/s, version {}, {}",
                        rate(totals.updates, totals.applying) / 1e6,
                        applied.version,
                        HumanBytes(allocated() as u64)
                    ));
                    line.tick();
                }
                if computed_next {
                    // Waits for the run before, if that is not done yet.
                    let sent = (totals.batches, graph.fresh(), std::mem::take(&mut between));
                    if send_snapshot.send(sent).is_err() {
                        break;
                    }
                }
            }
            drop((send_snapshot, refusal));
            totals.total = begin.elapsed();
            line.finish_and_clear();
            let joined = "the thread does not panic";
            let computed = computing.map_or(Ok(None), |thread| thread.join().expect(joined));
            let (skipped, refused) = reader.join().expect(joined);
            totals.skipped = skipped;
            refused.map_or(Ok(()), Err)?;
            failed?;
            Ok((totals, computed?))
        })
    }
}

impl StreamArgs {
    /// Prepares a batch, while others are applied.
    fn ready<V: Held>(
        &self,
        pools: &Pools,
        graph: &AnyGraph<V>,
        batches: &Batches<'_, V>,
        mut batch: StreamBatch<V>,
    ) -> Result<Ready<V>, Failure> {
        let updates = std::mem::take(&mut batch.updates);
        let count = updates.len();
        let edges = if self.follow { updates.ends().collect() } else { Vec::new() };
        let prepare = || graph.prepare_list(updates);
        // Waking up a pool takes longer than sorting a few lines.
        let prepared = if count > FEW { pools.preparing.install(prepare) } else { prepare() };
        let prepared = prepared.map_err(|error| Failure::input(batches.refused(&batch, error)))?;
        Ok(Ready { batch, count, edges, prepared })
    }
}

/// Updates up to which a batch is prepared by one thread.
const FEW: usize = 4096;

/// A batch that is read and prepared.
struct Ready<V> {
    /// Its lines; the updates are taken out.
    batch: StreamBatch<V>,
    /// Updates.
    count: usize,
    /// The ends of the edges that they name, if an algorithm follows them.
    edges: Vec<(u32, u32)>,
    prepared: Prepared<V>,
}

/// The workers. Batches are applied by a pool of the graph, of as many threads.
struct Pools {
    /// Threads of each.
    threads: usize,
    /// Reads the graph at the beginning, and prepares batches.
    preparing: ThreadPool,
    /// Runs the algorithm.
    computing: ThreadPool,
}

impl Pools {
    fn new(threads: Option<u16>) -> Result<Self, Failure> {
        let threads = threads.map_or_else(rayon_default, usize::from);
        let pool = |name: &'static str| {
            let builder = ThreadPoolBuilder::new().num_threads(threads).thread_name(move |k| format!("{name}-{k}"));
            builder.build().map_err(|error| Failure::input(format!("cannot start {threads} threads: {error}")))
        };
        Ok(Pools { threads, preparing: pool("prepare")?, computing: pool("compute")? })
    }
}

/// As many threads as rayon would start: what `RAYON_NUM_THREADS` says, or all cores.
fn rayon_default() -> usize {
    let set =
        std::env::var("RAYON_NUM_THREADS").ok().and_then(|value| value.parse().ok()).filter(|&threads| threads > 0);
    set.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// A thread that waits for others.
fn named(name: &str) -> std::thread::Builder {
    std::thread::Builder::new().name(name.to_owned())
}

fn no_thread(error: std::io::Error) -> Failure {
    Failure::input(format!("cannot start a thread: {error}"))
}

/// An algorithm that follows the graph, the version that it found something on last, and what has happened since.
type Followed<'f, 't, V> = (&'f mut (dyn Following<'t> + 't), Option<&'f AnySnapshot<V>>, &'f Between);

/// Finds what an algorithm says of a snapshot.
fn outcome<'t, V: Held>(
    app: &'t dyn SnapshotApp,
    snapshot: &AnySnapshot<V>,
    ids: &Ids,
    following: Option<Followed<'_, 't, V>>,
) -> Result<Outcome<'t>, Failure> {
    let (version, rows) = (snapshot.version(), snapshot.num_rows());
    let called = format!("version {version} of the graph");
    let begin = Instant::now();
    let reorders = following.is_none() && (app.by_number() || held::is_copied_for(app, snapshot));
    let order = if reorders { Order::of(ids, rows) } else { None };
    let vertices = vertices(ids, rows, order.as_ref(), &called);
    let found = match following {
        Some((following, before, between)) => held::follow(following, before, snapshot, between, &vertices)?,
        None => held::compute(app, snapshot, &vertices, order.as_ref())?,
    };
    Ok(Outcome { app: app.name(), version, rows, order, seconds: begin.elapsed().as_secs_f64(), found })
}

/// The vertices of a version, as an algorithm numbers them.
fn vertices<'a>(ids: &'a Ids, rows: usize, order: Option<&'a Order>, called: &'a str) -> Vertices<'a> {
    match order {
        Some(order) => Vertices::ordered(ids, order, called),
        None => Vertices::streamed(ids, rows, called),
    }
}

/// What an algorithm found on a version.
struct Outcome<'t> {
    app: &'static str,
    version: u64,
    rows: usize,
    /// By which vertices are numbered, if that is not the order in which they came.
    order: Option<Order>,
    seconds: f64,
    found: Finding<'t>,
}

impl Outcome<'_> {
    /// As a JSON object.
    fn describe(&self, ids: &Ids) -> Value {
        let (iterations, result) = self.found.report(&vertices(ids, self.rows, self.order.as_ref(), "")).describe();
        let mut told = json!({ "app": self.app, "version": self.version, "seconds": self.seconds, "result": result });
        if let Some(iterations) = iterations {
            told["iterations"] = iterations.into();
        }
        told
    }

    /// Writes what it says of each vertex.
    fn write(&self, path: &Path, ids: &Ids) -> Result<(), Failure> {
        let place = |vertex| self.order.as_ref().map_or(vertex, |order| order.place(vertex));
        let mut all: Vec<(u64, u32)> =
            (0..self.rows as u32).filter_map(|vertex| Some((ids.key(vertex)?, place(vertex)))).collect();
        all.sort_unstable();
        let named = vertices(ids, self.rows, self.order.as_ref(), "");
        self.found.report(&named).write(path, all.into_iter().map(|(id, vertex)| (vertex, Label::Id(id))))
    }
}

/// What was done so far.
#[derive(Default)]
struct Totals {
    batches: u64,
    lines: u64,
    updates: u64,
    skipped: u64,
    applying: Duration,
    total: Duration,
}

impl Totals {
    fn add<V>(&mut self, batch: &StreamBatch<V>, updates: usize, took: Duration) {
        self.batches += 1;
        self.lines += batch.lines as u64;
        self.updates += updates as u64;
        self.applying += took;
    }
}

/// Updates per second.
fn rate(updates: u64, time: Duration) -> f64 {
    updates as f64 / time.as_secs_f64().max(1e-9)
}

fn memory(bytes: usize, arcs: u64) -> Value {
    json!({ "bytes": bytes, "bytes_per_edge": bytes as f64 / arcs.max(1) as f64, "allocated": allocated() })
}

/// A batch as a JSON object.
fn tell<V>(number: u64, batch: &StreamBatch<V>, applied: &Applied, took: Duration, begin: Instant) -> Value {
    json!({
        "batch": number,
        "version": applied.version,
        "lines": batch.lines,
        "last_line": batch.last_line,
        "time": batch.time,
        "new": applied.new,
        "changed": applied.changed,
        "unchanged": applied.unchanged,
        "removed": applied.removed,
        "absent": applied.absent + batch.unknown,
        "merged": applied.merged,
        "expired": batch.expired,
        "seconds": { "apply": took.as_secs_f64(), "since_start": begin.elapsed().as_secs_f64() },
        "edges_per_second": rate(applied.updates() as u64, took),
        "memory": { "allocated": allocated() },
    })
}

/// A run of an algorithm as text: lists are told by `--json` only.
fn text(told: &Value) -> String {
    let figures = told["result"].as_object().into_iter().flatten().filter(|(_, value)| !value.is_array());
    let result = figures.map(|(name, value)| format!("{name} {value}"));
    format!(
        "batch {}, version {}: {} in {:.3} s: {}\n",
        told["batch"],
        told["version"],
        told["app"].as_str().unwrap_or_default(),
        told["seconds"].as_f64().unwrap_or_default(),
        result.collect::<Vec<_>>().join(", ")
    )
}

/// The end as text.
fn summary(end: &Value) -> String {
    let mut text = format!(
        "{} lines in {} batches onto {} in {}: {:.3} s, of which {:.3} s were spent applying them ({:.2} M updates/s)\n\
         {} vertices, {} edges, {:.2} bytes per arc\n",
        end["lines"],
        end["batches"],
        end["graph"].as_str().unwrap_or_default(),
        end["store"].as_str().unwrap_or_default(),
        end["seconds"]["total"].as_f64().unwrap_or_default(),
        end["seconds"]["apply"].as_f64().unwrap_or_default(),
        end["edges_per_second"].as_f64().unwrap_or_default() / 1e6,
        end["vertices"],
        end["edges"],
        end["memory"]["bytes_per_edge"].as_f64().unwrap_or_default(),
    );
    if end["skipped"] != 0 {
        text += &format!("{} lines were passed over\n", end["skipped"]);
    }
    if let Some(app) = end["app"].as_object() {
        let mut told = Value::Object(app.clone());
        told["batch"] = end["batches"].clone();
        text += &self::text(&told);
    }
    text
}

/// A line that tells how far it is, on a terminal's standard error.
fn live_line(json: bool) -> ProgressBar {
    if json || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    ProgressBar::new_spinner().with_style(ProgressStyle::with_template("{spinner} {msg}").expect("a valid template"))
}

/// The edges that lead from one vertex to another.
fn without_loops(edges: Edges) -> Edges {
    fn keep<V: Copy>(list: EdgeList<V>) -> EdgeList<V> {
        let mut kept = EdgeList::new(list.num_rows, list.num_cols);
        for ((&src, &dst), &weight) in list.src.iter().zip(&list.dst).zip(&list.weight) {
            if src != dst {
                kept.push(src, dst, weight);
            }
        }
        kept
    }
    match edges {
        Edges::Pattern(list) => Edges::Pattern(keep(list)),
        Edges::Weighted(list) => Edges::Weighted(keep(list)),
    }
}
