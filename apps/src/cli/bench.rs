//! `pleach bench`: measurements that compare stores with static rows in one run.

use std::time::Duration;

use clap::{Args, Subcommand};
use pleach::registry::{DEFAULT_STORE, StoreName};
use pleach_datasets::Weights;
use serde_json::json;

use super::input::InputArgs;
use super::output::{print, print_json};
use super::{Failure, allocated};
use crate::bench::pagerank::{Measured, Options, measure, telling_pairs};
use crate::bench::stream;

/// The suites.
#[derive(Subcommand)]
pub enum Suite {
    /// The PageRank kernel over stores beside static CSR: as built, and after a tenth of the arcs was replaced
    ///
    /// Example: pleach bench pagerank --graph rmat20 --store paged,packed --store aspen
    #[command(name = "pagerank")]
    PageRank(PageRankArgs),
    /// Updates of a graph: insertion and deletion by size of batch, in place and published, single edges, readers beside a writer
    ///
    /// Example: pleach bench stream --graph rmat20 --store paged,packed
    Stream(StreamArgs),
}

/// Options of the streaming suite.
#[derive(Args)]
pub struct StreamArgs {
    /// Generated graph to measure on; updates are drawn from the same generator with another seed
    #[arg(long, value_name = "GRAPH", default_value = "rmat20")]
    graph: String,
    /// Store to measure (give it again for more)
    #[arg(long = "store", value_name = "OUTER,ROW", default_values_t = [default_store()])]
    stores: Vec<StoreName>,
    /// Arcs of a batch (give it again for more)
    #[arg(long = "batch", value_name = "N", default_values_t = [10, 1_000, 100_000, 1_000_000, 10_000_000])]
    batches: Vec<u32>,
    /// Milliseconds that one figure takes about, at most
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    time: u32,
    /// Print one JSON object a line, one for each store
    #[arg(long)]
    json: bool,
}

/// The store that commands use unless told otherwise.
fn default_store() -> StoreName {
    DEFAULT_STORE.parse().expect("the default store has a name")
}

/// Options of the PageRank suite.
#[derive(Args)]
pub struct PageRankArgs {
    /// Graph to measure on (give it again for more)
    #[arg(long = "graph", value_name = "GRAPH", default_values_t = ["rmat20".to_owned()])]
    graphs: Vec<String>,
    /// Store to measure (give it again for more) [default: every row store below `dense` and `paged`, and below itself]
    #[arg(long = "store", value_name = "OUTER,ROW")]
    stores: Vec<StoreName>,
    /// Rounds whose median counts
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Leave out the measurement after a tenth of the arcs was replaced
    #[arg(long)]
    fresh: bool,
    /// Print one JSON object a line, one for each store
    #[arg(long)]
    json: bool,
}

impl Suite {
    /// Runs the suite.
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Suite::PageRank(args) => args.run(),
            Suite::Stream(args) => args.run(),
        }
    }
}

impl StreamArgs {
    fn run(self) -> Result<(), Failure> {
        let options = stream::Options {
            batches: self.batches.iter().map(|&batch| batch as usize).collect(),
            time: Duration::from_millis(self.time.into()),
        };
        let load = |seed| InputArgs::named(&self.graph).seeded(seed).load(Weights::Ignore);
        let (graph, other) = (load(0)?, load(1)?);
        let (edges, updates) = (graph.pattern().into_owned(), other.pattern().into_owned());
        drop((graph, other));
        let mut failed = Ok(());
        stream::measure(&self.stores, &edges, &updates, &options, |measured| {
            let line = if self.json {
                print_json(&json!({ "suite": "stream", "graph": self.graph, "measured": measured }))
            } else {
                print(table(&self.graph, &measured).as_bytes())
            };
            if failed.is_ok() {
                failed = line;
            }
        })
        .map_err(Failure::input)?;
        failed
    }
}

/// What was measured of a store, for people.
fn table(graph: &str, measured: &stream::Measured) -> String {
    let mut text = format!(
        "\n{graph} in {}: {} arcs, {} cores, policy when-asked; arcs a second\n{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}\n",
        measured.store,
        measured.arcs,
        measured.cores,
        "batch",
        "insert",
        "delete",
        "… published",
        "… published",
        "CSR rebuilt"
    );
    for row in &measured.throughput {
        text += &format!(
            "{:>12}{:>12.2e}{:>12.2e}{:>12.2e}{:>12.2e}{:>12.2e}\n",
            row.batch, row.insert, row.delete, row.insert_published, row.delete_published, row.csr_rebuild
        );
    }
    let latencies = [
        ("insert one edge", measured.insert_edge),
        ("delete one edge", measured.delete_edge),
        ("latest snapshot", measured.latest),
        ("fresh snapshot", measured.fresh),
    ];
    for (name, stream::Latency { calls, median, p999, max }) in latencies {
        text += &format!("{name}: median {median} ns, 99.9 % within {p999} ns, at most {max} ns ({calls} calls)\n");
    }
    let [fresh, updated] = measured.bytes_per_arc;
    text += &format!(
        "PageRank beside a writer: {:.2} times as long; the writer changed {:.2e} arcs a second\n\
         bytes per arc: {fresh:.2}, after all updates {updated:.2}\n",
        measured.reader_slowdown, measured.writer_beside_reader
    );
    text
}

impl PageRankArgs {
    fn run(self) -> Result<(), Failure> {
        let stores = if self.stores.is_empty() { telling_pairs() } else { self.stores };
        let options = Options { rounds: self.rounds.into(), aged: !self.fresh, allocated: Some(allocated) };
        for graph in &self.graphs {
            let input = InputArgs::named(graph).load(Weights::Ignore)?;
            let edges = input.pattern();
            let mut failed = Ok(());
            if !self.json {
                print(heading(graph).as_bytes())?;
            }
            measure(&stores, &edges, &input.build_options(), &options, |measured| {
                let line = if self.json {
                    print_json(&json!({ "suite": "pagerank", "graph": graph, "threads": rayon::current_num_threads(), "measured": measured }))
                } else {
                    print(row(&measured).as_bytes())
                };
                if failed.is_ok() {
                    failed = line;
                }
            })
            .map_err(Failure::input)?;
            failed?;
        }
        Ok(())
    }
}

fn heading(graph: &str) -> String {
    format!(
        "\n{graph}, {} threads: times over those of static CSR in the same run\n{:<26}{:>9}{:>11}{:>9}{:>9}{:>9}{:>11}{:>8}{:>9}{:>9}{:>9}\n",
        rayon::current_num_threads(),
        "store",
        "B/arc",
        "allocated",
        "divided",
        "x/d first",
        "ms (CSR)",
        "Marcs/s",
        "build",
        "aged",
        "/ fresh",
        "B/arc"
    )
}

fn row(measured: &Measured) -> String {
    let Measured { store, build_arcs_per_second, build_ratio, bytes_per_arc, allocated_per_arc, fresh, aged } =
        measured;
    let allocated = allocated_per_arc.map_or(String::new(), |bytes| format!("{bytes:.2}"));
    let aged = aged.as_ref().map_or(String::new(), |aged| {
        format!("{:>9.2}{:>9.2}{:>9.2}", aged.kernel.divided.ratio, aged.over_fresh, aged.bytes_per_arc)
    });
    format!(
        "{store:<26}{bytes_per_arc:>9.2}{allocated:>11}{:>9.2}{:>9.2}{:>9.1}{:>11.1}{build_ratio:>8.2}{aged}\n",
        fresh.divided.ratio,
        fresh.computed_first.ratio,
        fresh.divided.csr_ms,
        build_arcs_per_second / 1e6
    )
}
