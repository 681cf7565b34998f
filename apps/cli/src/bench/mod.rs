//! `pleach bench`: measurements that compare stores with static rows, plain Rust and other programs.

mod all;
mod common;
mod graphalytics;
mod runs;
mod stream;

use clap::{Args, Subcommand};
use pleach_erased::StoreName;
use pleach_measure::suites::{
    SuiteError, algebra, apps, compile, convert, densities, entries, incremental, kept, kernels, load as load_files,
    memory, mixed, pagerank, products, scaling, serve, tensor, updates,
};
use pleach_measure::{Bench, Graph, Matrix};

use self::all::AllArgs;
use self::common::{Common, Graphs, Matrices, PeerArgs, allocated, graph_and_updates, load, stores_or_default};
use self::runs::{CompareArgs, ReadmeArgs, TargetsArgs};
use self::stream::StreamArgs;
use super::allocator::{Freed, keep_freed, return_all};
use super::run::Vertices;
use super::{Failure, complete};

/// The suites.
#[derive(Subcommand)]
pub enum Suite {
    /// Every suite in turn, within an hour on two cores and 16 GiB; a row says what is skipped, and why
    ///
    /// Example: pleach bench all --json > results.json
    All(AllArgs),
    /// The PageRank kernel over stores and over static CSR: as built, and after a tenth of the arcs was replaced
    ///
    /// Example: pleach bench pagerank --graph rmat20 --store paged,packed --store aspen
    #[command(name = "pagerank")]
    PageRank(PageRankArgs),
    /// Algorithms (BFS, CC, SSSP, BC, TC, PageRank in 64 and 32 bits, MIS) over stores and over static CSR
    ///
    /// Example: pleach bench apps --graph rmat20 --graph grid2048 --app bfs
    Apps(AppsArgs),
    /// Updates of a graph: insertion and deletion by size of batch, in place and published, single edges, readers beside a writer
    ///
    /// Example: pleach bench updates --graph rmat20 --store paged,packed
    Updates(UpdatesArgs),
    /// Updates from a file of lines, by `pleach stream` as a process of its own: undirected, and directed with in-arcs
    ///
    /// Example: pleach bench stream --graph rmat20 --lines 1000000
    Stream(StreamArgs),
    /// Components and PageRank that are kept up to date as batches are inserted, compared with computing them anew
    ///
    /// Example: pleach bench incremental --graph rmat20 --batch 1 --batch 1000
    Incremental(IncrementalArgs),
    /// Algorithms on the latest version while a writer publishes batches: what each costs the other
    ///
    /// Example: pleach bench mixed --graph rmat20 --batch 1000
    Mixed(MixedArgs),
    /// Bytes per arc of stores, plain Rust and static CSR, and what algorithms allocate
    ///
    /// Example: pleach bench memory --graph rmat20 --store aspen
    Memory(StoresArgs),
    /// A matrix in a store times a vector, into an array and into a search tree, beside static CSR
    ///
    /// Example: pleach bench spmv --graph rmat20
    Spmv(StoresArgs),
    /// A store plus static CSR, unions of trees, and CSR + CSR and the transposition of CSR beside other libraries
    ///
    /// Example: pleach bench add --graph rmat20
    Add(GraphArgs),
    /// Algorithms as compiled expressions (search, shortest paths, triangles, labels) beside those written as traversals
    ///
    /// Example: pleach bench algebra --graph rmat18 --graph grid512
    Algebra(GraphArgs),
    /// A graph that is kept in a directory: logging beside applying, checkpoints, differences of versions
    ///
    /// Example: pleach bench kept --graph rmat20
    Kept(GraphArgs),
    /// A server under load: clients that send batches beside clients that ask for neighbourhoods
    ///
    /// Example: pleach bench serve --seconds 12
    Serve(PlainArgs),
    /// Products of a matrix and a vector in COO, CSR, DIA, ELL, BCSR and hashed rows, and by density: of the matrix, the vector, its diagonals
    ///
    /// Example: pleach bench spmv-formats --graph web --graph my-matrix.mtx
    SpmvFormats(MatrixArgs),
    /// Conversions of formats and stores, beside routines written by hand, with buffers that are reused and with fresh pages
    ///
    /// Example: pleach bench convert --graph eco --scale 10 --peer scipy=benches/peers/scipy_kernels.py --threads 1
    Convert(ComparedMatrixArgs),
    /// Compiled kernels (SpMV, CSR + CSR, SpMM, SDDMM, SpGEMM) beside loops written by hand
    ///
    /// Example: pleach bench kernels --graph fem --threads 1,2 --peer scipy=benches/peers/scipy_kernels.py
    Kernels(ComparedMatrixArgs),
    /// Kernels over tensors of the third order (TTV, TTM, PLUS, INNERPROD, MTTKRP) beside loops written by hand, all serial
    ///
    /// Example: pleach bench tensor
    Tensor(TensorArgs),
    /// How algorithms, the PageRank kernel and batches scale: times by one thread and by all cores, and work and span for up to 96 threads
    ///
    /// The work is the time of all tasks, the span that of the longest chain of tasks: with any number of threads it takes at least the span, and
    /// at least the work divided by the threads. One thread runs the tasks one after the other and adds both up.
    ///
    /// Example: pleach bench scaling --graph rmat20 --app bfs --app pagerank
    Scaling(ScalingArgs),
    /// Generating graphs, and writing and reading files
    ///
    /// Example: pleach bench load --megabytes 200
    Load(LoadArgs),
    /// From index notation to Rust text
    ///
    /// Example: pleach bench compile
    Compile(PlainArgs),
    /// The six algorithms of LDBC Graphalytics on a data set of theirs: processing time, edges and vertices per second, validation
    ///
    /// Exit status 1 if a result is not the published one.
    ///
    /// Example: pleach bench graphalytics graphs/datagen-7_5-fb
    Graphalytics(graphalytics::GraphalyticsArgs),
    /// Hold two runs against each other: where the quartiles of a figure overlap, there is no difference
    ///
    /// Example: pleach bench compare before.json after.json
    Compare(CompareArgs),
    /// Every target of this project, and whether a run meets it
    ///
    /// Example: pleach bench targets --from results.json
    Targets(TargetsArgs),
    /// Write the figures of a run into a checkout of Pleach: benches/README.md, the table of README.md, and the run's page beside it
    ///
    /// Example: pleach bench readme benches/results/2026-11-28.json .
    Readme(ReadmeArgs),
}

/// Options of suites over stores.
#[derive(Args)]
pub struct StoresArgs {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    peers: PeerArgs,
    #[command(flatten)]
    graphs: Graphs,
    /// Store to measure (repeat it for more) [default: paged,packed, paged,packed_delta, bst,ctree and bst,bst]
    #[arg(long = "store", value_name = "OUTER,ROW", value_parser = complete::stores(), hide_possible_values = true)]
    stores: Vec<StoreName>,
}

/// Options of suites over graphs.
#[derive(Args)]
pub struct GraphArgs {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    peers: PeerArgs,
    #[command(flatten)]
    graphs: Graphs,
}

/// Options of the suite of questions beside updates.
#[derive(Args)]
pub struct MixedArgs {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    graphs: Graphs,
    /// Store to measure (repeat it for more) [default: paged,packed]
    #[arg(long = "store", value_name = "OUTER,ROW", value_parser = complete::stores(), hide_possible_values = true)]
    stores: Vec<StoreName>,
    /// Arcs of a batch
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
}

/// Options of suites over matrices.
#[derive(Args)]
pub struct MatrixArgs {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    matrices: Matrices,
}

/// Options of suites over matrices, beside programs of others.
#[derive(Args)]
pub struct ComparedMatrixArgs {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    peers: PeerArgs,
    #[command(flatten)]
    matrices: Matrices,
}

/// Options of the suite of tensors.
#[derive(Args)]
pub struct TensorArgs {
    #[command(flatten)]
    common: Common,
    /// Nonzeros of the tensor, about
    #[arg(long, value_name = "N", default_value_t = 5_000_000, value_parser = clap::value_parser!(u32).range(1..=200_000_000))]
    nonzeros: u32,
}

/// Options of the suite of files.
#[derive(Args)]
pub struct LoadArgs {
    #[command(flatten)]
    common: Common,
    /// Size of a list of edges, about
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=4000))]
    megabytes: u16,
}

/// Options of suites that choose themselves what they measure on.
#[derive(Args)]
pub struct PlainArgs {
    #[command(flatten)]
    common: Common,
}

/// Options of the PageRank suite.
#[derive(Args)]
pub struct PageRankArgs {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    peers: PeerArgs,
    #[command(flatten)]
    graphs: Graphs,
    /// Store to measure (repeat it for more) [default: every row store below `dense` and `paged`, and below itself]
    #[arg(long = "store", value_name = "OUTER,ROW", value_parser = complete::stores(), hide_possible_values = true)]
    stores: Vec<StoreName>,
    /// Leave out the measurement after a tenth of the arcs was replaced
    #[arg(long)]
    fresh: bool,
}

/// Options of the suite of algorithms.
#[derive(Args)]
pub struct AppsArgs {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    peers: PeerArgs,
    #[command(flatten)]
    graphs: Graphs,
    /// Store to measure (repeat it for more) [default: paged,packed]
    #[arg(long = "store", value_name = "OUTER,ROW", value_parser = complete::stores(), hide_possible_values = true)]
    stores: Vec<StoreName>,
    /// Algorithm to measure (repeat it for more) [default: all]
    #[arg(long = "app", value_name = "APP", value_enum)]
    apps: Vec<apps::App>,
    /// Vertices to start from, by their ids or names in the input [default: some that have arcs, drawn at random]
    #[arg(long, value_name = "ID,…", value_delimiter = ',', conflicts_with = "drawn")]
    sources: Vec<String>,
    /// Number of vertices to draw at random
    #[arg(long, value_name = "N", default_value_t = DRAWN, value_parser = clap::value_parser!(u16).range(1..))]
    drawn: u16,
}

/// Vertices that searches start from.
const DRAWN: u16 = 4;

/// Options of the suite of updates.
#[derive(Args)]
pub struct UpdatesArgs {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    peers: PeerArgs,
    #[command(flatten)]
    graphs: Graphs,
    /// Store to measure (repeat it for more) [default: paged,packed]
    #[arg(long = "store", value_name = "OUTER,ROW", value_parser = complete::stores(), hide_possible_values = true)]
    stores: Vec<StoreName>,
    /// Arcs of a batch (repeat it for more)
    #[arg(long = "batch", value_name = "N", default_values_t = BATCHES, value_parser = clap::value_parser!(u32).range(1..))]
    batches: Vec<u32>,
    /// Seconds for which snapshots of the first store are acquired beside a writer, and its batches timed: how long the slowest takes depends
    /// on it
    #[arg(long = "watch", value_name = "SECONDS", default_value_t = WATCHED, value_parser = common::seconds)]
    watched: f64,
}

/// Seconds for which the slowest snapshot is looked for.
const WATCHED: f64 = 60.0;

/// Arcs of batches.
const BATCHES: [u32; 5] = [10, 1_000, 100_000, 1_000_000, 10_000_000];

/// Options of the suite of work and span.
#[derive(Args)]
pub struct ScalingArgs {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    graphs: Graphs,
    /// Store to measure beside static CSR (repeat it for more) [default: paged,packed]
    #[arg(long = "store", value_name = "OUTER,ROW", value_parser = complete::stores(), hide_possible_values = true)]
    stores: Vec<StoreName>,
    /// Algorithm to measure (repeat it for more) [default: all]
    #[arg(long = "app", value_name = "APP", value_enum)]
    apps: Vec<apps::App>,
    /// Arcs of a batch (repeat it for more)
    #[arg(long = "batch", value_name = "N", default_values_t = [1_000, 100_000, 1_000_000], value_parser = clap::value_parser!(u32).range(1..))]
    batches: Vec<u32>,
    /// Threads to record work and span for; the tasks that there are depend on their number
    #[arg(long = "record", value_name = "N,…", value_delimiter = ',', default_values_t = scaling::THREADS.map(|threads| threads as u16), value_parser = clap::value_parser!(u16).range(1..=1024))]
    recorded: Vec<u16>,
}

/// Options of the suite of results that follow a graph.
#[derive(Args)]
pub struct IncrementalArgs {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    graphs: Graphs,
    /// Edges of a batch (repeat it for more)
    #[arg(long = "batch", value_name = "N", default_values_t = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000], value_parser = clap::value_parser!(u32).range(1..))]
    batches: Vec<u32>,
    /// Iterate until the ranks change by no more than this
    #[arg(long, value_name = "CHANGE", default_value_t = 1e-10)]
    tolerance: f64,
}

/// Stores that differ in kind: the default one, the coded one, and those of Aspen and PAM.
const KINDS: [&str; 3] = ["paged,packed_delta", "bst,ctree", "bst,bst"];

impl Suite {
    /// Runs the suite.
    pub fn run(self) -> Result<(), Failure> {
        match &self {
            Suite::All(args) => args.run(),
            Suite::PageRank(args) => {
                args.common.run_beside(&args.peers, &mut |bench| args.graphs.each(|graph| args.measure(bench, graph)))
            }
            Suite::Apps(args) => {
                args.common.run_beside(&args.peers, &mut |bench| args.graphs.each(|graph| args.measure(bench, graph)))
            }
            Suite::Updates(args) => {
                args.common.run_beside(&args.peers, &mut |bench| args.graphs.each(|graph| changed(bench, graph, args)))
            }
            Suite::Incremental(args) => args
                .common
                .run(&mut |bench| args.graphs.each(|graph| following(bench, graph, &args.batches, args.tolerance))),
            Suite::Mixed(args) => args.common.run(&mut |bench| {
                args.graphs.each(|graph| questions(bench, graph, &stores_or_default(&args.stores, &[]), args.batch))
            }),
            Suite::Memory(args) => args.common.run_beside(&args.peers, &mut |bench| {
                args.graphs.each(|graph| occupied(bench, graph, &stores_or_default(&args.stores, &KINDS)))
            }),
            Suite::Spmv(args) => args.common.run_beside(&args.peers, &mut |bench| {
                args.graphs.each(|graph| products(bench, graph, &stores_or_default(&args.stores, &KINDS)))
            }),
            Suite::Add(args) => args.common.run_beside(&args.peers, &mut |bench| {
                args.graphs.each(|graph| products::add(bench, &matrix(&load(graph)?.0)?).map_err(Failure::input))
            }),
            Suite::Algebra(args) => args.on_each(algebra::run),
            Suite::Kept(args) => args.on_each(kept::run),
            Suite::Serve(args) => args.common.run(&mut |bench| serve::run(bench).map_err(Failure::input)),
            Suite::Stream(args) => args.run(),
            Suite::Scaling(args) => args.common.run(&mut |bench| args.graphs.each(|graph| args.measure(bench, graph))),
            Suite::SpmvFormats(args) => args.common.run(&mut |bench| {
                args.matrices.each(|matrix| {
                    kernels::formats(bench, &matrix);
                    entries::run(bench, &matrix).map_err(Failure::input)
                })?;
                densities::run(bench, args.matrices.scale() as usize);
                Ok(())
            }),
            Suite::Convert(args) => args.common.run_beside(&args.peers, &mut |bench| {
                args.matrices.each(|matrix| {
                    convert::run(bench, &matrix, &ALLOCATOR);
                    Ok(())
                })
            }),
            Suite::Kernels(args) => args.common.run_beside(&args.peers, &mut |bench| {
                args.matrices.each(|matrix| {
                    kernels::run(bench, &matrix);
                    Ok(())
                })
            }),
            Suite::Tensor(args) => {
                args.common.run(&mut |bench| tensor::run(bench, args.nonzeros as usize).map_err(Failure::input))
            }
            Suite::Graphalytics(args) => args.run(),
            Suite::Compare(args) => args.run(),
            Suite::Targets(args) => args.run(),
            Suite::Readme(args) => args.run(),
            Suite::Load(args) => {
                args.common.run(&mut |bench| load_files::run(bench, args.megabytes.into()).map_err(Failure::input))
            }
            Suite::Compile(args) => args.common.run(&mut |bench| compile::run(bench).map_err(Failure::input)),
        }
    }
}

/// The allocator of the command.
const ALLOCATOR: convert::Allocator<Freed> = convert::Allocator { keep: keep_freed, give_back: return_all };

impl GraphArgs {
    /// Measures on each graph.
    fn on_each(&self, measure: impl Fn(&mut Bench<'_>, &Graph) -> Result<(), SuiteError>) -> Result<(), Failure> {
        self.common.run(&mut |bench| self.graphs.each(|graph| measure(bench, &load(graph)?.0).map_err(Failure::input)))
    }
}

impl PageRankArgs {
    fn measure(&self, bench: &mut Bench<'_>, graph: &str) -> Result<(), Failure> {
        let stores = if self.stores.is_empty() { pagerank::telling_pairs() } else { self.stores.clone() };
        let options = pagerank::Options::new(stores).with_aged(!self.fresh).with_allocated(allocated);
        pagerank::run(bench, &load(graph)?.0, &options).map_err(Failure::input)
    }
}

impl ScalingArgs {
    fn measure(&self, bench: &mut Bench<'_>, graph: &str) -> Result<(), Failure> {
        let (graph, updates) = graph_and_updates(graph)?;
        let apps = if self.apps.is_empty() { apps::APPS.to_vec() } else { self.apps.clone() };
        let batches = self.batches.iter().map(|&arcs| arcs as usize).collect();
        let threads = self.recorded.iter().map(|&threads| threads.into()).collect();
        let options = scaling::Options::new(stores_or_default(&self.stores, &[]), apps, batches).with_threads(threads);
        scaling::run(bench, &graph, &updates.skewed, &options).map_err(Failure::input)
    }
}

impl AppsArgs {
    fn measure(&self, bench: &mut Bench<'_>, graph: &str) -> Result<(), Failure> {
        let (graph, input) = load(graph)?;
        let apps = if self.apps.is_empty() { apps::APPS.to_vec() } else { self.apps.clone() };
        let options = apps::Options::new(stores_or_default(&self.stores, &[]), apps)
            .with_sources(Vertices::of(&input).find_all(&self.sources)?)
            .with_drawn(self.drawn.into());
        apps::run(bench, &graph, &options).map_err(Failure::input)
    }
}

/// Updates.
fn changed(bench: &mut Bench<'_>, graph: &str, args: &UpdatesArgs) -> Result<(), Failure> {
    let batches: Vec<usize> = args.batches.iter().map(|&batch| batch as usize).collect();
    let options = updates::Options::new(stores_or_default(&args.stores, &[]), batches.clone())
        .with_uniform(batches.clone())
        .with_aged(batches)
        .with_watched(args.watched);
    let (graph, updates) = graph_and_updates(graph)?;
    updates::run(bench, &graph, &updates, &options).map_err(Failure::input)
}

/// Results that follow a graph.
fn following(bench: &mut Bench<'_>, graph: &str, batches: &[u32], tolerance: f64) -> Result<(), Failure> {
    let batches = batches.iter().map(|&batch| batch as usize).collect();
    let options = incremental::Options::new(batches, tolerance);
    let (graph, updates) = graph_and_updates(graph)?;
    incremental::run(bench, &graph, &updates.skewed, &options).map_err(Failure::input)
}

/// Questions beside updates.
fn questions(bench: &mut Bench<'_>, graph: &str, stores: &[StoreName], batch: u32) -> Result<(), Failure> {
    let options = mixed::Options::new(stores.to_vec(), batch as usize);
    let (graph, updates) = graph_and_updates(graph)?;
    mixed::run(bench, &graph, &updates, &options).map_err(Failure::input)
}

/// Memory.
fn occupied(bench: &mut Bench<'_>, graph: &str, stores: &[StoreName]) -> Result<(), Failure> {
    memory::run(bench, &load(graph)?.0, stores, allocated).map_err(Failure::input)
}

/// Products with stores.
fn products(bench: &mut Bench<'_>, graph: &str, stores: &[StoreName]) -> Result<(), Failure> {
    products::spmv(bench, &matrix(&load(graph)?.0)?, stores).map_err(Failure::input)
}

/// The matrix of a graph.
fn matrix(graph: &Graph) -> Result<Matrix, Failure> {
    Matrix::of(graph).map_err(Failure::input)
}
