//! `pleach stream`: updates a graph by a stream of edges, and runs an algorithm on snapshots of it meanwhile.
//!
//! ```text
//!   lines ──► batches ──prepared──► applied ──snapshots──► algorithm ──► printed
//!        pleach_datasets     apply.rs                     outcome.rs    report.rs      threads.rs: how many threads do which
//! ```

mod apply;
mod held;
mod outcome;
mod report;
mod target;
mod threads;

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::{Args, Parser, ValueEnum};
use pleach::EdgeList;
use pleach::graph::{GraphOptions, Grouping, Ids, MAX_VERTICES, Publish, Window};
use pleach_datasets::stream::{EdgeStream, MOST_TIME_DIGITS, StreamOptions};
use pleach_datasets::{Column, Columns, Direction, Edges, IdMap, TimeOrder, Updates, Weights};
use pleach_erased::{AnyGraph, AnySnapshot, DEFAULT_STORE, StoreName};
use pleach_log::{Description, IdKind, VertexIds};
use serde_json::json;

use super::input::{InputArgs, Winner};
use super::output::{check_apart, check_out, note, print_beside, print_json_beside, stop_on_interrupt};
use super::run::{self, SnapshotApp};
use super::{Failure, complete, data, unused};
use crate::ids::{self, as_input};
use crate::kept;
use apply::{Stopping, Stream, Totals};
use held::Held;
use outcome::{Outcome, outcome};
use pleach_datasets::batches::{BatchOptions, Batches, Callers};
use report::{memory, rate, summary};
use target::{Keeping, SyncArg, Target};
use threads::Share;
pub use threads::default as default_threads;

/// Options of `pleach stream`.
#[derive(Args)]
#[command(
    mut_arg("columns", |arg| arg.help(
        "Columns of an update: `op src dst weight time`, `_` for one to ignore [default: known by a heading, or in this order]"
    )),
    mut_arg("conflict", |arg| arg.help("Weight of an edge that is inserted again [default: last]"))
)]
pub struct StreamArgs {
    #[command(flatten)]
    input: InputArgs,
    /// File of updates, one a line; `-` is standard input. A line is `src dst [weight [time]]`, or has one of `+ - a u d` before it
    #[arg(long, value_name = "FILE")]
    updates: PathBuf,
    /// Vertices are called by names and not by numbers [default: as in the graph at the beginning]
    #[arg(long)]
    names: bool,
    /// Columns of the graph at the beginning, if it is a list of edges
    #[arg(long, value_name = "LIST")]
    graph_columns: Option<Columns>,
    /// Apply updates in the order of their times, which needs the whole stream before the first; what does not fit the memory goes to
    /// temporary files
    #[arg(long, conflicts_with = "late")]
    sort_time: bool,
    /// Hold each line back until a line has been read whose time is T later, and apply lines in the order of their times; a line that
    /// comes later than that is an error where times matter
    #[arg(long, value_name = "T")]
    late: Option<Span>,
    /// Digits behind the point of times that are kept [default: 6 if the first time or a T has a point, else 0]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=i64::from(MOST_TIME_DIGITS)))]
    time_digits: Option<u32>,
    /// End a batch SECONDS after its first line came, even if it is not full
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "sort_time")]
    flush: Option<Duration>,
    /// Number of lines in a batch
    #[arg(long, value_name = "N", default_value = "10000", conflicts_with = "span")]
    batch: NonZeroUsize,
    /// End a batch after this much time, in the units of the stream, instead of a number of lines
    #[arg(long, value_name = "T")]
    span: Option<Span>,
    /// Length of the window: an insertion counts for T, in the units of the stream. The weight of an edge is computed by --conflict from
    /// its insertions within the window, and the edge is deleted when the last of them leaves
    #[arg(long, value_name = "T")]
    window: Option<Span>,
    /// Store a weight with each edge, even if the initial graph has none
    #[arg(long)]
    weighted: bool,
    /// Skip lines that cannot be applied, and count them
    #[arg(long)]
    skip_bad: bool,
    /// When to publish a version for readers at the end of a batch
    #[arg(long, value_enum, default_value_t = Policy::Asked)]
    publish: Policy,
    /// Algorithm to run on snapshots and at the end: any of `pleach run`, in quotes if options follow, as in 'bfs --source 1'. Names with
    /// blanks are quoted within, as in 'bfs --source "New York"'. An algorithm that reads weights implies --weighted
    #[arg(long, value_name = "APP", value_parser = complete::algorithms(), hide_possible_values = true)]
    app: Option<String>,
    /// Run the algorithm after every N batches [default: at the end only]
    #[arg(long, value_name = "N", requires = "app")]
    every: Option<NonZeroU64>,
    /// Continue from the result on the version before, rather than compute anew: cc and pagerank, on edges without weights
    #[arg(long, requires = "every")]
    follow: bool,
    /// Write the result at the end: one line a vertex, `ID VALUE`, sorted by id
    #[arg(long, value_name = "FILE", requires = "app")]
    out: Option<PathBuf>,
    /// Write the graph at the end; the ending of the name chooses the format
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Store to hold the graph in: OUTER,ROW (such as `bst,ctree`), or a format
    #[arg(long, value_name = "OUTER,ROW", default_value = DEFAULT_STORE, value_parser = complete::stores(), hide_possible_values = true)]
    store: StoreName,
    /// Directory to keep the graph in: a batch is reported once it is kept there. If it holds a graph already, the stream updates that
    /// one, and GRAPH is `empty`
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    /// When a batch counts as kept. `each`: once it is on the disk. A TIME such as `100ms` or `2s`: once the system has it; it is synced
    /// to the disk within that time. `never`: once the system has it; only a checkpoint and the end of the stream sync
    #[arg(long, value_name = "each|TIME|never", default_value = "each", requires = "into")]
    sync: SyncArg,
    /// Number of checkpoints to keep, with the log behind the oldest: `pleach open --at` reads any version from there on
    #[arg(long, value_name = "N", default_value = "1", requires = "into")]
    keep: NonZeroUsize,
    /// Print after each batch which edges and vertices differ from the version before
    #[arg(long)]
    changes: bool,
    /// Keep the last N versions in memory, one for each batch, as readers that are behind would: later batches copy what these share with them
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=10_000), hide_default_value = true)]
    hold: u16,
    /// Threads that run at a time, at most. With --every half of them run the algorithm while the others prepare and apply batches; one
    /// alone does all of it in turn, and two do two of the three at a time [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Print a line of JSON for each batch, for each run of the algorithm, and at the end
    #[arg(long)]
    json: bool,
}

/// A length of time in the units of a stream, as a decimal number.
#[derive(Clone, Debug)]
struct Span {
    whole: u64,
    /// The digits behind the point.
    fraction: String,
    /// Whether it was written with a point.
    has_point: bool,
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let has_point = text.contains('.');
        let digits = fraction.trim_end_matches('0');
        let wrong = || format!("expected a length of time, such as 60 or 0.5, found `{text}`");
        if !fraction.bytes().all(|byte| byte.is_ascii_digit()) || digits.len() > MOST_TIME_DIGITS as usize {
            return Err(wrong());
        }
        let whole = whole.parse().map_err(|_| wrong())?;
        match whole == 0 && digits.is_empty() {
            true => Err("expected a length of time above 0".to_owned()),
            false => Ok(Span { whole, fraction: digits.to_owned(), has_point }),
        }
    }
}

impl Span {
    /// How many units of the last digit that is kept of times.
    fn ticks(&self, digits: u32) -> Result<NonZeroU64, Failure> {
        let Span { whole, fraction, .. } = self;
        let ticks = || {
            let missing = digits.checked_sub(fraction.len() as u32)?;
            let behind = format!("0{fraction}").parse::<u64>().ok()?.checked_mul(10_u64.pow(missing))?;
            NonZeroU64::new(whole.checked_mul(10_u64.pow(digits))?.checked_add(behind)?)
        };
        ticks().ok_or_else(|| {
            Failure::usage(format!(
                "the time {whole}.{fraction}0 cannot be counted where {digits} digits behind the point are kept"
            ))
        })
    }
}

/// A number of seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.filter(|seconds| !seconds.is_zero()).ok_or_else(|| format!("expected seconds above 0, found `{text}`"))
}

/// When versions are published.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Policy {
    /// If a reader has asked for one
    Asked,
    /// At every batch
    Batch,
}

/// What was done when a stream has come to its end.
struct Done<'a, 't> {
    name: &'a str,
    directed: bool,
    share: Share,
    totals: Totals,
    /// What was computed last.
    computed: Option<Outcome<'t>>,
    /// Whether it was not stopped before its end.
    whole: bool,
}

/// The graph that holds nothing.
const NOTHING: &str = "empty";

/// The graph at the beginning.
struct Base {
    name: String,
    edges: Edges,
    ids: IdMap,
    /// What vertices are called.
    kind: IdKind,
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
    let words = shlex::split(text).ok_or_else(|| {
        Failure::usage(format!("--app `{text}`: expected a closing quote, and something behind each `\\`"))
    })?;
    let mut words = words.into_iter();
    // Where `pleach run` has the graph, a snapshot takes its place.
    let all = [words.next().unwrap_or_default(), "snapshot".to_owned()].into_iter().chain(words);
    let app = OnSnapshot::try_parse_from(all).map_err(|error| {
        let message = error.to_string();
        let reason: Vec<&str> = message.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
        Failure::usage(format!("--app `{text}`: {}", reason.join(" ").trim_start_matches("error: ")))
    })?;
    let app = app.app.algorithm();
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
                "{} does not follow a graph with these options: cc does, and pagerank down to a tolerance without --verify",
                app.name()
            )));
        }
        if self.input.name() == "-" && self.updates.as_os_str() == "-" {
            return Err(Failure::usage("the graph and the updates cannot both come from standard input"));
        }
        let held = self.into.as_deref().filter(|path| pleach_log::holds_graph(path)).map(pleach_log::describe);
        let held = held.transpose().map_err(kept::failure)?;
        match (&held, self.into.as_deref()) {
            (Some(held), _) => {
                self.check_held(held)?;
                self.check_weights(held, app)?;
            }
            (None, Some(new)) => pleach_log::check_new(new).map_err(kept::failure)?,
            (None, None) => {}
        }
        self.check_unused()?;
        check_apart([("--out", self.out.as_deref()), ("--save", self.save.as_deref())])?;
        check_out(self.out.as_deref())?;
        if let Some(save) = &self.save {
            pleach_datasets::check_graph_file(save, None).map_err(Failure::input)?;
        }
        run::check_threads(self.threads.map(usize::from))?;
        let meanwhile = self.every.is_some();
        let share = match self.threads.map(usize::from).or_else(threads::set) {
            Some(threads) => Share::of(threads, meanwhile),
            None => Share::of_cores(threads::cores(), meanwhile),
        };
        let mut base = threads::pool(share.threads, "load")?.install(|| self.base())?;
        if let Some(held) = &held {
            base.directed = held.directed;
            base.kind = held.ids;
            if held.weighted {
                base.edges = Edges::Weighted(EdgeList::new(0, 0));
            }
        }
        if self.follow && (base.edges.is_weighted() || self.weighted) {
            return Err(Failure::usage("--follow goes over edges without weights, and this graph has weights"));
        }
        let weighted = base.edges.is_weighted() || self.weighted || app.is_some_and(|app| app.is_weighted());
        if !weighted {
            unused::refuse_conflict(&self.input, "the edges of this graph have none: --weighted stores them")?;
        }
        if weighted {
            let edges = base.edges.into_weighted();
            self.over(share, (&base.name, base.directed), edges, (&base.ids, base.kind), app)
        } else {
            let edges = base.edges.into_pattern();
            self.over(share, (&base.name, base.directed), edges, (&base.ids, base.kind), app)
        }
    }

    /// Refuses options on the graph at the beginning that have no effect on it.
    fn check_unused(&self) -> Result<(), Failure> {
        unused::refuse_of_base(&self.input.with_columns(self.graph_columns.clone()), NOTHING)
    }

    /// Refuses what does not go with a graph that is kept already.
    fn check_held(&self, held: &Description) -> Result<(), Failure> {
        let into = self.into.as_deref().unwrap_or(Path::new("")).display();
        if self.input.name() != NOTHING {
            return Err(Failure::usage(format!(
                "{into} holds a graph already, which the stream updates: write `{NOTHING}` in the place of {}",
                self.input.name()
            )));
        }
        if self.window.is_some() {
            return Err(Failure::usage(format!(
                "--window begins with an empty graph: what would leave the window is not known of the graph in {into}"
            )));
        }
        let expected = match held.ids {
            IdKind::Names => None,
            _ => self.names.then_some("by numbers"),
        };
        if let Some(expected) = expected {
            return Err(Failure::usage(format!(
                "the vertices of the graph in {into} are called {expected}: leave out --names"
            )));
        }
        if self.input.has_direction() && self.input.is_undirected() == held.directed {
            let kind = if held.directed { "directed" } else { "undirected" };
            return Err(Failure::usage(format!("the graph in {into} is {kind}")));
        }
        Ok(())
    }

    /// Refuses options that need weights if the directory keeps its graph without weights.
    fn check_weights(&self, held: &Description, app: Option<&dyn SnapshotApp>) -> Result<(), Failure> {
        let why = match app.filter(|app| app.is_weighted()) {
            _ if held.weighted => return Ok(()),
            Some(app) => format!("{} reads weights", app.name()),
            None if self.weighted => "--weighted stores weights".to_owned(),
            None => return Ok(()),
        };
        let into = self.into.as_deref().unwrap_or(Path::new("")).display();
        Err(Failure::usage(format!("{why}, and the edges of the graph in {into} have none")))
    }

    /// Which weight an edge has that is inserted again.
    fn conflict(&self) -> Winner {
        self.input.conflict.unwrap_or(Winner::Last)
    }

    fn base(&self) -> Result<Base, Failure> {
        if self.input.name() == NOTHING {
            let edges = Edges::Pattern(EdgeList::new(0, 0));
            return Ok(Base {
                name: NOTHING.to_owned(),
                edges,
                ids: IdMap::identity(0),
                kind: if self.names { IdKind::Names } else { IdKind::Numbers },
                directed: !self.input.is_undirected(),
            });
        }
        let mut input = self.input.with_columns(self.graph_columns.clone()).load(Weights::AsRead)?;
        let mut edges = input.take_kept_edges()?;
        let graph = &input.graph;
        if graph.directed && graph.mirrored {
            edges = edges.both_ways();
        }
        if self.names && !graph.ids.has_names() {
            return Err(Failure::usage(format!(
                "the vertices of {} are called by numbers: leave out --names, or name its vertices",
                graph.name
            )));
        }
        let kind = if graph.ids.has_names() { IdKind::Names } else { IdKind::Numbers };
        Ok(Base { name: graph.name.clone(), edges, kind, ids: input.graph.ids, directed: input.graph.directed })
    }

    fn over<V: Held>(
        &self,
        share: Share,
        (name, directed): (&str, bool),
        edges: EdgeList<V>,
        (known, kind): (&IdMap, IdKind),
        app: Option<&dyn SnapshotApp>,
    ) -> Result<(), Failure> {
        let publish = match self.publish {
            Policy::Asked => Publish::WhenAsked,
            Policy::Batch => Publish::EveryBatch,
        };
        let options = GraphOptions::default()
            .with_directed(directed)
            .with_publish(publish)
            .with_conflict(self.conflict().into())
            // Ids become vertices one after the other: none is far from the others.
            .with_max_vertices(MAX_VERTICES)
            .with_threads(share.applying.max(1));
        let stream_options = StreamOptions::default()
            .with_columns(self.input.columns.clone())
            .with_ignore_weights(!V::WEIGHTED)
            .with_names(kind == IdKind::Names)
            .with_direction(self.expected_direction(directed))
            .with_time_digits(self.time_digits())
            .with_skip_bad(self.skip_bad);
        let stop = stop_on_interrupt();
        let stopping = Stopping::new(stop.clone());
        let turns = share.turns();
        let stream = EdgeStream::open_live(&self.updates, stream_options, stop.clone(), |file| turns.through(file));
        let mut stream = match stream {
            Err(_) if stop.load(Ordering::Relaxed) => return Err(Failure::Interrupted),
            stream => stream.map_err(Failure::input)?,
        };
        if self.flush.is_some() && !stream.keeps_deadlines() {
            note(
                "--flush ends no batch here: the updates are compressed, and of these a part is not seen before more has come",
            );
        }
        stream.begin();
        let digits = stream.time_digits();
        let ticks = |span: &Option<Span>| span.as_ref().map(|span| span.ticks(digits)).transpose();
        let order = match ticks(&self.late)? {
            Some(late) => TimeOrder::Late(late.get()),
            None if self.sort_time => TimeOrder::Sorted,
            None => TimeOrder::AsRead,
        };
        let of_times = [
            ("--sort-time", self.sort_time),
            ("--late", self.late.is_some()),
            ("--time-digits", self.time_digits.is_some()),
        ];
        let has_times = stream.columns().is_none_or(|columns| columns.as_slice().contains(&Column::Time));
        if let Some((option, _)) = of_times.into_iter().find(|(_, given)| *given && !has_times) {
            return Err(Failure::usage(format!(
                "{option}: the updates have no times; if a column holds times, name it: `--columns src,dst,time`"
            )));
        }
        let named = self.input.columns.is_some();
        if let Some(columns) = stream.columns().filter(|columns| !named && columns.as_slice().len() > 2) {
            let ignored = if stream.ignores_weights() { ", weights are left out (--weighted keeps them)" } else { "" };
            note(format_args!("read as: {columns:#}{ignored}"));
        }
        let grouping = ticks(&self.span)?.map_or(Grouping::Count(self.batch), Grouping::Span);
        let batch_options = BatchOptions::new(grouping)
            .with_window(ticks(&self.window)?.map(|length| Window::new(length, &options)))
            .with_skip_bad(self.skip_bad)
            .with_drop_self_loops(self.input.drops_self_loops())
            .with_flush(self.flush);
        // Creates the directory only after the first update was read and the options were checked.
        let (graph, ids) = self.target(share, edges, (known, kind), options)?;
        let callers = match &ids {
            VertexIds::Names(ids) => Callers::Names(ids),
            VertexIds::Numbers(ids) => Callers::Numbers(ids),
            VertexIds::None => {
                return Err(Failure::input("the vertices of the graph have no ids, by which a stream could name them"));
            }
        };
        let batches = Batches::new(Updates::new(stream, order), callers, batch_options);
        let (totals, computed, ended) = Stream {
            args: self,
            share,
            turns: &turns,
            stopping: &stopping,
            graph: &graph,
            ids: &ids,
            time_digits: digits,
        }
        .apply(batches, app)?;
        let stopped = stopping.is_interrupt();
        if matches!(ended, Err(Failure::ClosedPipe)) && !stopped {
            return ended;
        }
        // Where the stream ended early, the graph is what the last whole batch left.
        let snapshot = graph.fresh();
        graph.close()?;
        let whole = ended.is_ok() && !stopped;
        let done = Done { name, directed, share, totals, computed, whole };
        let reported = threads::pool(share.threads, "end")?.install(|| self.end(&snapshot, &ids, app, done));
        match ended.and(reported) {
            Ok(()) | Err(Failure::ClosedPipe) if stopped => Err(Failure::Interrupted),
            done => done,
        }
    }

    /// What a column `Type` must say of each update, unless the options say how edges are read.
    fn expected_direction(&self, directed: bool) -> Option<Direction> {
        let direction = if directed { Direction::Directed } else { Direction::Undirected };
        (!self.input.has_direction()).then_some(direction)
    }

    /// How many digits behind the point of times are kept, as far as the options say it.
    fn time_digits(&self) -> Option<u32> {
        let spans = [&self.span, &self.window, &self.late].into_iter().flatten();
        let longest = spans.filter(|span| span.has_point).map(|span| span.fraction.len() as u32).max();
        self.time_digits.or(longest.map(|longest| longest.max(6)))
    }

    /// The graph that the stream begins with, and the ids of its vertices.
    fn target<V: Held>(
        &self,
        share: Share,
        edges: EdgeList<V>,
        (known, kind): (&IdMap, IdKind),
        options: GraphOptions<V>,
    ) -> Result<(Target<V>, VertexIds), Failure> {
        let (sync, checkpoints) = (self.sync, self.keep.get());
        let keeping = self.into.as_deref().map(|directory| Keeping { directory, sync, checkpoints });
        if let Some(keeping) = keeping.filter(|keeping| pleach_log::holds_graph(keeping.directory)) {
            return threads::pool(share.threads, "load")?
                .install(|| Target::open(&keeping, options, &self.store, kind));
        }
        let ids = match kind {
            // Of an empty graph, whose vertices will have names.
            IdKind::Names if known.is_empty() => VertexIds::Names(Ids::new()),
            _ => ids::of_input(known)?,
        };
        let build = || AnyGraph::from_edges(&self.store, edges, options);
        let (graph, _) = threads::pool(share.threads, "load")?.install(build).map_err(Failure::input)?;
        let target = match keeping {
            Some(keeping) => Target::create(&keeping, graph, &ids, &self.store)?,
            None => Target::Memory(graph),
        };
        Ok((target, ids))
    }

    /// Prints and writes the result of the whole stream.
    fn end<V: Held>(
        &self,
        snapshot: &AnySnapshot<V>,
        ids: &VertexIds,
        app: Option<&dyn SnapshotApp>,
        done: Done<'_, '_>,
    ) -> Result<(), Failure> {
        let Done { name, directed, share, totals, computed, whole } = done;
        let mut end = json!({
            "type": "end",
            "whole": whole,
            "graph": name,
            "store": self.store.to_string(),
            "threads": share.threads,
            "publish": match self.publish { Policy::Asked => "asked", Policy::Batch => "batch" },
            "batches": totals.batches,
            "published": totals.published,
            "lines": totals.lines,
            "skipped": totals.skipped,
            "dropped_self_loops": totals.dropped,
            "seconds": { "total": totals.total.as_secs_f64(), "apply": totals.applying.as_secs_f64() },
            "edges_per_second": rate(totals.updates, totals.applying),
            "version": snapshot.version(),
            "vertices": snapshot.num_vertices(),
            "edges": snapshot.num_edges(),
            "arcs": snapshot.num_arcs(),
            "memory": memory(snapshot.footprint().bytes, snapshot.num_edges(), snapshot.num_arcs()),
        });
        // What was computed after the last batch holds at the end, too.
        let computed = computed.filter(|outcome| outcome.version == snapshot.version());
        let outcome = match (computed, app) {
            (None, Some(app)) => outcome(app, snapshot, ids, None).map(Some),
            (computed, _) => Ok(computed),
        };
        // What the algorithm lacks is no reason to lose the graph.
        let mut failed = Ok(());
        let outcome = outcome.unwrap_or_else(|failure| {
            failed = Err(failure);
            None
        });
        if let Some(outcome) = &outcome {
            end["app"] = outcome.describe(ids);
            if let Some(path) = &self.out {
                failed = failed.and(outcome.write(path, ids));
            }
        }
        if let Some(path) = &self.save {
            let input = as_input(snapshot, ids, name, directed);
            data::save(&input, path, None)?;
        }
        if self.json {
            print_json_beside(self.printed(), &end)?
        } else {
            print_beside(self.printed(), summary(&end).as_bytes())?
        }
        failed
    }

    /// The file that standard output stands for, if it is to have values or the graph: reports go elsewhere then.
    fn printed(&self) -> Option<&Path> {
        let files = [self.out.as_deref(), self.save.as_deref()];
        files.into_iter().flatten().find(|path| pleach_datasets::is_standard_output(path))
    }
}
