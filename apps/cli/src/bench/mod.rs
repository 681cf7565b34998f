//! `pleach bench`: measurements that compare stores with static rows, plain Rust and other programs.

mod common;
mod graphalytics;

use clap::{Args, Subcommand};
use pleach_erased::StoreName;
use pleach_measure::Bench;
use pleach_measure::suites::{apps, incremental, pagerank, updates};

use self::common::{Common, graph_and_updates, load, stores_or_default};
use super::run::Vertices;
use super::{Failure, allocated, complete};

/// The suites.
#[derive(Subcommand)]
pub enum Suite {
    /// The PageRank kernel over stores and over static CSR: as built, and after a tenth of the arcs was replaced
    ///
    /// Example: pleach bench pagerank --graph rmat20 --store paged,packed --store aspen
    #[command(name = "pagerank")]
    PageRank(PageRankArgs),
    /// Six algorithms (BFS, CC, SSSP, BC, TC, PageRank) over stores and over static CSR
    ///
    /// Example: pleach bench apps --graph rmat20 --graph grid2048 --app bfs
    Apps(AppsArgs),
    /// Updates of a graph: insertion and deletion by size of batch, in place and published, single edges, readers beside a writer
    ///
    /// Example: pleach bench updates --graph rmat20 --store paged,packed
    Updates(UpdatesArgs),
    /// Components and PageRank that are kept up to date as batches are inserted, compared with computing them anew
    ///
    /// Example: pleach bench incremental --graph rmat20 --batch 1 --batch 1000
    Incremental(IncrementalArgs),
    /// The six algorithms of LDBC Graphalytics on a data set of theirs: processing time, edges and vertices per second, validation
    ///
    /// Exit status 1 if a result is not the published one.
    ///
    /// Example: pleach bench graphalytics graphs/datagen-7_5-fb
    Graphalytics(graphalytics::GraphalyticsArgs),
}

/// Options of the PageRank suite.
#[derive(Args)]
pub struct PageRankArgs {
    #[command(flatten)]
    common: Common,
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
    /// Store to measure (repeat it for more) [default: paged,packed]
    #[arg(long = "store", value_name = "OUTER,ROW", value_parser = complete::stores(), hide_possible_values = true)]
    stores: Vec<StoreName>,
    /// Algorithm to measure (repeat it for more) [default: all six]
    #[arg(long = "app", value_name = "APP", value_enum)]
    apps: Vec<apps::App>,
    /// Vertices to start from, by their ids or names in the input [default: some that have arcs, drawn at random]
    #[arg(long, value_name = "ID,…", value_delimiter = ',', conflicts_with = "drawn")]
    sources: Vec<String>,
    /// Number of vertices to draw at random
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    drawn: u16,
}

/// Options of the suite of updates.
#[derive(Args)]
pub struct UpdatesArgs {
    #[command(flatten)]
    common: Common,
    /// Store to measure (repeat it for more) [default: paged,packed]
    #[arg(long = "store", value_name = "OUTER,ROW", value_parser = complete::stores(), hide_possible_values = true)]
    stores: Vec<StoreName>,
    /// Arcs of a batch (repeat it for more)
    #[arg(long = "batch", value_name = "N", default_values_t = [10, 1_000, 100_000, 1_000_000, 10_000_000], value_parser = clap::value_parser!(u32).range(1..))]
    batches: Vec<u32>,
}

/// Options of the suite of results that follow a graph.
#[derive(Args)]
pub struct IncrementalArgs {
    #[command(flatten)]
    common: Common,
    /// Edges of a batch (repeat it for more)
    #[arg(long = "batch", value_name = "N", default_values_t = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000], value_parser = clap::value_parser!(u32).range(1..))]
    batches: Vec<u32>,
    /// Iterate until the ranks change by no more than this
    #[arg(long, value_name = "CHANGE", default_value_t = 1e-10)]
    tolerance: f64,
}

impl Suite {
    /// Runs the suite.
    pub fn run(self) -> Result<(), Failure> {
        match &self {
            Suite::PageRank(args) => args.common.run(|bench, graph| args.measure(bench, graph)),
            Suite::Apps(args) => args.common.run(|bench, graph| args.measure(bench, graph)),
            Suite::Updates(args) => args.common.run(|bench, graph| args.measure(bench, graph)),
            Suite::Incremental(args) => args.common.run(|bench, graph| args.measure(bench, graph)),
            Suite::Graphalytics(args) => args.run(),
        }
    }
}

impl PageRankArgs {
    fn measure(&self, bench: &mut Bench<'_>, graph: &str) -> Result<(), Failure> {
        let stores = if self.stores.is_empty() { pagerank::telling_pairs() } else { self.stores.clone() };
        let options = pagerank::Options { stores, aged: !self.fresh, allocated: Some(allocated) };
        pagerank::run(bench, &load(graph)?.0, &options).map_err(Failure::input)
    }
}

impl AppsArgs {
    fn measure(&self, bench: &mut Bench<'_>, graph: &str) -> Result<(), Failure> {
        let (graph, input) = load(graph)?;
        let options = apps::Options {
            stores: stores_or_default(&self.stores),
            apps: if self.apps.is_empty() { apps::APPS.to_vec() } else { self.apps.clone() },
            sources: Vertices::of(&input).find_all(&self.sources)?,
            drawn: self.drawn.into(),
        };
        apps::run(bench, &graph, &options).map_err(Failure::input)
    }
}

impl UpdatesArgs {
    fn measure(&self, bench: &mut Bench<'_>, graph: &str) -> Result<(), Failure> {
        let options = updates::Options {
            stores: stores_or_default(&self.stores),
            batches: self.batches.iter().map(|&batch| batch as usize).collect(),
        };
        let (graph, updates) = graph_and_updates(graph)?;
        updates::run(bench, &graph, &updates, &options).map_err(Failure::input)
    }
}

impl IncrementalArgs {
    fn measure(&self, bench: &mut Bench<'_>, graph: &str) -> Result<(), Failure> {
        let batches = self.batches.iter().map(|&batch| batch as usize).collect();
        let options = incremental::Options { batches, tolerance: self.tolerance };
        let (graph, updates) = graph_and_updates(graph)?;
        incremental::run(bench, &graph, &updates.skewed, &options).map_err(Failure::input)
    }
}
