//! `pleach bench all`: every suite in turn, with what two cores measure within an hour.
//!
//! A graph is read or generated once, and so are the edges that it is updated with. Stores are built by each suite and freed behind it, so that no
//! more than one suite's are held at a time.

use std::time::{Duration, Instant};

use clap::Args;
use pleach_measure::suites::{
    SuiteError, algebra, apps, compile, convert, densities, entries, incremental, kept, kernels, load as load_files,
    memory, mixed, pagerank, products, scaling, serve, tensor, updates,
};
use pleach_measure::{Bench, Matrix, Side, Work};

use super::common::{Common, Matrices, PeerArgs, allocated, graph_and_updates, load, seconds, stores_or_default};
use super::{BATCHES, DRAWN, KINDS, WATCHED, matrix, stream};
use crate::{Failure, complete};

/// Options of all suites at once.
#[derive(Args)]
#[command(mut_arg("seconds", |arg| arg.default_value("1")))]
pub struct AllArgs {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    peers: PeerArgs,
    /// Graph to measure on (repeat it for more) [default: rmat20, grid2048 and rgg20]
    #[arg(long = "graph", value_name = "GRAPH", value_parser = complete::graphs(), hide_possible_values = true)]
    graphs: Vec<String>,
    /// Make generated matrices, tensors and files so many times smaller
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    scale: u32,
    /// Seconds for which snapshots of the default store are acquired beside a writer, for each graph
    #[arg(long = "watch", value_name = "SECONDS", default_value_t = WATCHED / 2.0, value_parser = seconds)]
    watched: f64,
    /// Minutes after which figures of the suites that are left are taken three times only
    #[arg(long, value_name = "N", default_value_t = 45, value_parser = clap::value_parser!(u16).range(..=1440))]
    minutes: u16,
}

/// Graphs that our targets are about.
const GRAPHS: [&str; 3] = ["rmat20", "grid2048", "rgg20"];

/// Graphs for algorithms as expressions.
const SHALLOW: [&str; 2] = ["rmat18", "grid512"];

/// Stores under the kernel of PageRank: those that our targets are about.
const STORES: [&str; 6] = ["paged,packed_delta", "bst,ctree", "bst,bst", "dense,blist", "dense,vblist", "dense,btree"];

/// Stores that are updated.
const UPDATED: [&str; 2] = ["paged,packed_delta", "bst,ctree"];

/// Arcs of batches between any two vertices, and of those into aged stores.
const FEWER: [usize; 2] = [1_000, 1_000_000];

/// Threads that work and span are recorded for, and what is recorded: algorithms, and arcs of batches.
const RECORDED: [usize; 4] = [1, 4, 24, 96];
const SCALED: [apps::App; 3] = [apps::App::Bfs, apps::App::Cc, apps::App::PageRank];
const SCALED_BATCHES: [usize; 2] = [100_000, 1_000_000];

/// Seconds for each competitor when time runs short: whatever takes longer than a few hundredths of a second is repeated three times, and once
/// if it takes longer than a third of a second.
const SHORT: f64 = 0.1;

/// Edges of batches that results follow.
const FOLLOWED: [usize; 2] = [10, 10_000];

impl AllArgs {
    /// Runs every suite; one that cannot measure a graph is a row that says why.
    pub fn run(&self) -> Result<(), Failure> {
        let begin = Instant::now();
        self.common.run_beside(&self.peers, &mut |bench| {
            let all = InTurn { args: self, begin };
            let default = GRAPHS.map(str::to_owned);
            let graphs = if self.graphs.is_empty() { &default[..] } else { &self.graphs };
            (graphs.iter().enumerate()).try_for_each(|(at, graph)| all.over_graph(bench, graph, at == 0))?;
            Matrices::generated(self.scale).each(|matrix| {
                if bench.method.threads > 1 {
                    all.tried(bench, |bench| bench.serially(|bench| over_matrix(bench, &matrix))?)?;
                }
                all.tried(bench, |bench| over_matrix(bench, &matrix))
            })?;
            all.over_the_rest(bench)
        })
    }
}

/// The suites, one after the other.
struct InTurn<'a> {
    args: &'a AllArgs,
    begin: Instant,
}

impl InTurn<'_> {
    /// Suites over graphs; work and span are recorded on the `first` one only.
    fn over_graph(&self, bench: &mut Bench<'_>, name: &str, first: bool) -> Result<(), Failure> {
        let (graph, changes) = graph_and_updates(name)?;
        let one = stores_or_default(&[], &[]);
        let stores = stores_or_default(&[], &STORES);
        let options = pagerank::Options::new(stores).with_aged(true).with_allocated(allocated);
        self.tried(bench, |bench| pagerank::run(bench, &graph, &options))?;
        let options = apps::Options::new(one.clone(), apps::APPS.to_vec()).with_drawn(DRAWN.into());
        self.tried(bench, |bench| apps::run(bench, &graph, &options))?;
        let batches = BATCHES.map(|batch| batch as usize).to_vec();
        let options = updates::Options::new(stores_or_default(&[], &UPDATED), batches)
            .with_uniform(FEWER.to_vec())
            .with_aged(FEWER.to_vec())
            .with_watched(self.args.watched);
        self.tried(bench, |bench| updates::run(bench, &graph, &changes, &options))?;
        let options = incremental::Options::new(FOLLOWED.to_vec(), 1e-10);
        self.tried(bench, |bench| incremental::run(bench, &graph, &changes.skewed, &options))?;
        if first {
            let options = scaling::Options::new(one.clone(), SCALED.to_vec(), SCALED_BATCHES.to_vec())
                .with_threads(RECORDED.to_vec());
            self.tried(bench, |bench| scaling::run(bench, &graph, &changes.skewed, &options))?;
        } else {
            bench.begin(scaling::NAME, Some(&graph.name));
            let why = format!("one graph is enough here: `pleach bench scaling --graph {name}` measures it");
            bench.skip(&Work::timed("all"), "pleach", Side::Ours, why);
        }
        let options = mixed::Options::new(one, 1000);
        self.tried(bench, |bench| mixed::run(bench, &graph, &changes, &options))?;
        self.tried(bench, |bench| memory::run(bench, &graph, &stores_or_default(&[], &KINDS), allocated))?;
        self.tried(bench, |bench| kept::run(bench, &graph))?;
        let lines = (stream::LINES / self.args.scale).max(1000) as usize;
        let streamed = stream::run(bench, &graph, &changes, &[stream::BATCH as usize], lines);
        drop(changes);
        self.ended(bench, streamed)?;
        let matrix = matrix(&graph)?;
        drop(graph);
        self.tried(bench, |bench| products::spmv(bench, &matrix, &stores_or_default(&[], &KINDS)))?;
        if bench.method.threads > 1 {
            self.tried(bench, |bench| bench.serially(|bench| products::add(bench, &matrix))?)?;
        }
        self.tried(bench, |bench| products::add(bench, &matrix))
    }

    /// Suites that choose themselves what they measure on.
    fn over_the_rest(&self, bench: &mut Bench<'_>) -> Result<(), Failure> {
        // Their rounds are as many as a graph is deep: a grid of four million vertices would take minutes.
        let shallow = SHALLOW.map(str::to_owned);
        for name in if self.args.graphs.is_empty() { &shallow[..] } else { &self.args.graphs } {
            let graph = load(name)?.0;
            self.tried(bench, |bench| algebra::run(bench, &graph))?;
        }
        densities::run(bench, self.args.scale as usize);
        self.tried(bench, |bench| tensor::run(bench, (5_000_000 / self.args.scale) as usize))?;
        self.tried(bench, |bench| load_files::run(bench, (50 / u64::from(self.args.scale)).max(1)))?;
        self.tried(bench, compile::run)?;
        self.tried(bench, serve::run)
    }

    /// Runs a suite. If the input is at fault, a row says why it is skipped.
    fn tried(
        &self,
        bench: &mut Bench<'_>,
        run: impl FnOnce(&mut Bench<'_>) -> Result<(), SuiteError>,
    ) -> Result<(), Failure> {
        let ran = run(bench).map_err(Failure::input);
        self.ended(bench, ran)
    }

    /// A row in the place of a failure that is one of the input. What was found is kept, and when time runs short, the next suites take less.
    fn ended(&self, bench: &mut Bench<'_>, ran: Result<(), Failure>) -> Result<(), Failure> {
        match ran {
            Err(Failure::Input(why)) if bench.has_begun() => {
                bench.skip(&Work::timed("all"), "pleach", Side::Ours, why);
            }
            done => done?,
        }
        if self.begin.elapsed() > Duration::from_secs(60 * u64::from(self.args.minutes)) {
            bench.method.seconds = bench.method.seconds.min(SHORT);
        }
        self.args.common.keep(bench)
    }
}

/// Suites over matrices.
fn over_matrix(bench: &mut Bench<'_>, matrix: &Matrix) -> Result<(), SuiteError> {
    kernels::formats(bench, matrix);
    entries::run(bench, matrix)?;
    convert::run(bench, matrix, &super::ALLOCATOR);
    kernels::run(bench, matrix);
    Ok(())
}
