//! `pleach stream`: updates a graph by a stream of edges, and runs an algorithm on snapshots of it meanwhile.
//!
//! ```text
//!   lines ──► batches ──prepared──► applied ──snapshots──► algorithm ──► told
//!            batches.rs      apply.rs                     outcome.rs    tell.rs       threads.rs: how many threads do which
//! ```

mod apply;
mod held;
mod outcome;
mod target;
mod tell;
mod threads;

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

use clap::{Args, Parser, ValueEnum};
use pleach::graph::{Conflict, GraphOptions, Grouping, Ids, MAX_VERTICES, Publish, Window};
use pleach::{EdgeList, SelfLoops};
use pleach_datasets::stream::{Columns, EdgeStream, StreamOptions};
use pleach_datasets::{Edges, Weights};
use pleach_erased::{AnyGraph, AnySnapshot, DEFAULT_STORE, StoreName};
use pleach_log::Description;
use serde_json::json;

use super::Failure;
use super::input::InputArgs;
use super::output::{print, print_json};
use super::run::{self, SnapshotApp};
use crate::batches::{BatchOptions, Batches};
use crate::kept;
use apply::{Stream, Totals};
use held::Held;
use outcome::{Outcome, outcome};
use target::{Keeping, SyncArg, Target};
use tell::{memory, rate, summary};
use threads::Share;

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
    /// How long an insertion counts: the weight of an edge is what the insertions of the last T come to by --conflict, and an edge
    /// without any is deleted
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
    /// Directory to keep the graph in: a batch is told once it is kept there. If it holds a graph already, that one goes on, and GRAPH is
    /// `empty`
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    /// When a batch counts as kept: once it is on the disk (`each`), or once the system has it, which is then told to write it to the disk
    /// at least so often (`100ms`, `2s`), or not at all (`never`)
    #[arg(long, value_name = "each|TIME|never", default_value = "each", requires = "into")]
    sync: SyncArg,
    /// Number of checkpoints to keep, with the log behind the oldest: versions from there on can be gone back to
    #[arg(long, value_name = "N", default_value = "1", requires = "into")]
    keep: NonZeroUsize,
    /// Tell after each batch which edges and vertices differ from the version before
    #[arg(long)]
    changes: bool,
    /// Threads that run at a time, at most. With --every half of them run the algorithm while the others prepare and apply batches; one
    /// alone does all of it in turn, and two do two of the three at a time [default: all cores]
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

/// What was done when a stream has come to its end.
struct Done<'a, 't> {
    name: &'a str,
    directed: bool,
    share: Share,
    totals: Totals,
    /// What was computed last.
    computed: Option<Outcome<'t>>,
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
        let held = self.into.as_deref().filter(|path| pleach_log::holds_graph(path)).map(pleach_log::describe);
        let held = held.transpose().map_err(kept::failure)?;
        if let Some(held) = &held {
            self.check_held(held)?;
        }
        let share = Share::of(self.threads.map_or_else(threads::default, usize::from), self.every.is_some());
        let mut base = threads::pool(share.threads, "load")?.install(|| self.base())?;
        if let Some(held) = &held {
            base.directed = held.directed;
            if held.weighted {
                base.edges = Edges::Weighted(EdgeList::new(0, 0));
            }
        }
        if self.follow && (base.edges.is_weighted() || self.weighted) {
            return Err(Failure::usage("--follow goes over edges without weights, and this graph has weights"));
        }
        if base.edges.is_weighted() || self.weighted || app.is_some_and(|app| app.is_weighted()) {
            let edges = base.edges.into_weighted();
            self.over(share, &base.name, edges, &base.ids, base.directed, app)
        } else {
            let edges = base.edges.into_pattern();
            self.over(share, &base.name, edges, &base.ids, base.directed, app)
        }
    }

    /// Refuses what does not go with a graph that is kept already.
    fn check_held(&self, held: &Description) -> Result<(), Failure> {
        let into = self.into.as_deref().unwrap_or(Path::new("")).display();
        if self.input.name() != NOTHING {
            return Err(Failure::usage(format!(
                "{into} holds a graph already, which goes on: write `{NOTHING}` in the place of {}",
                self.input.name()
            )));
        }
        if self.window.is_some() {
            return Err(Failure::usage(format!(
                "--window begins with an empty graph: what would leave the window is not known of the graph in {into}"
            )));
        }
        if self.input.is_undirected() && held.directed {
            return Err(Failure::usage(format!("the graph in {into} is directed")));
        }
        Ok(())
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
        share: Share,
        name: &str,
        edges: EdgeList<V>,
        known: &[u64],
        directed: bool,
        app: Option<&dyn SnapshotApp>,
    ) -> Result<(), Failure> {
        let publish = match self.publish {
            Policy::Asked => Publish::WhenAsked,
            Policy::Batch => Publish::EveryBatch,
        };
        let options = GraphOptions::default()
            .with_directed(directed)
            .with_publish(publish)
            .with_conflict(self.conflict.into())
            // Ids become vertices one after the other: none is far from the others.
            .with_max_vertices(MAX_VERTICES)
            .with_threads(share.applying.max(1));
        let stream_options = StreamOptions::default().with_columns(self.columns.clone()).with_skip_bad(self.skip_bad);
        let turns = share.turns();
        let stream = EdgeStream::open_through(&self.updates, stream_options, |file| turns.through(file));
        let stream = stream.map_err(Failure::input)?;
        // A directory is made only if there is something to read.
        let (graph, ids) = self.target(share, edges, known, options)?;
        let batch_options = BatchOptions {
            grouping: self.span.map_or(Grouping::Count(self.batch), Grouping::Span),
            window: self.window.map(|length| Window { length, conflict: self.conflict.into(), directed }),
            skip_bad: self.skip_bad,
        };
        let batches = Batches::new(stream, &ids, batch_options);
        let (totals, computed) =
            Stream { args: self, share, turns: &turns, graph: &graph, ids: &ids }.apply(batches, app)?;
        let snapshot = graph.fresh();
        graph.close()?;
        let done = Done { name, directed, share, totals, computed };
        threads::pool(share.threads, "end")?.install(|| self.end(&snapshot, &ids, app, done))
    }

    /// The graph that the stream begins with, and the ids of its vertices.
    fn target<V: Held>(
        &self,
        share: Share,
        edges: EdgeList<V>,
        known: &[u64],
        options: GraphOptions<V>,
    ) -> Result<(Target<V>, Ids), Failure> {
        let (sync, checkpoints) = (self.sync, self.keep.get());
        let keeping = self.into.as_deref().map(|directory| Keeping { directory, sync, checkpoints });
        if let Some(keeping) = keeping.filter(|keeping| pleach_log::holds_graph(keeping.directory)) {
            return threads::pool(share.threads, "load")?.install(|| Target::open(&keeping, options, &self.store));
        }
        let ids = Ids::new();
        for id in known {
            ids.intern(id).map_err(Failure::input)?;
        }
        let build = || AnyGraph::from_edges(&self.store, edges, options);
        let (graph, _) = threads::pool(share.threads, "load")?.install(build).map_err(Failure::input)?;
        let target = match keeping {
            Some(keeping) => Target::create(&keeping, graph, &ids, &self.store)?,
            None => Target::Memory(graph),
        };
        Ok((target, ids))
    }

    /// Tells and writes what is left after the stream.
    fn end<V: Held>(
        &self,
        snapshot: &AnySnapshot<V>,
        ids: &Ids,
        app: Option<&dyn SnapshotApp>,
        done: Done<'_, '_>,
    ) -> Result<(), Failure> {
        let Done { name, directed, share, totals, computed } = done;
        let mut end = json!({
            "type": "end",
            "graph": name,
            "store": self.store.to_string(),
            "threads": share.threads,
            "publish": match self.publish { Policy::Asked => "asked", Policy::Batch => "batch" },
            "batches": totals.batches,
            "published": totals.published,
            "lines": totals.lines,
            "skipped": totals.skipped,
            "seconds": { "total": totals.total.as_secs_f64(), "apply": totals.applying.as_secs_f64() },
            "edges_per_second": rate(totals.updates, totals.applying),
            "version": snapshot.version(),
            "vertices": snapshot.num_vertices(),
            "edges": snapshot.num_edges(),
            "arcs": snapshot.num_arcs(),
            "memory": memory(snapshot.footprint().bytes, snapshot.num_arcs()),
        });
        // What was computed after the last batch holds at the end, too.
        let computed = computed.filter(|outcome| outcome.version == snapshot.version());
        let outcome = match (computed, app) {
            (None, Some(app)) => Some(outcome(app, snapshot, ids, None)?),
            (computed, _) => computed,
        };
        if let Some(outcome) = &outcome {
            end["app"] = outcome.describe(ids);
            if let Some(path) = &self.out {
                outcome.write(path, ids)?;
            }
        }
        if let Some(path) = &self.save {
            let input = held::input(snapshot, ids, name, directed);
            pleach_datasets::write(&input, path).map_err(Failure::input)?;
        }
        if self.json { print_json(&end) } else { print(summary(&end).as_bytes()) }
    }
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
