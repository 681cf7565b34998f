//! `pleach bench`: measurements that compare stores with static rows in one run.

use std::time::Duration;

use clap::{Args, Subcommand};
use pleach::EdgeList;
use pleach_datasets::{Generator, Weights};
use pleach_erased::{DEFAULT_STORE, StoreName};
use serde_json::json;

use super::input::InputArgs;
use super::output::{print, print_json};
use super::run::{Vertices, with_threads};
use super::{Failure, allocated, complete};
use pleach_measure::pagerank::{Measured, Options, measure, telling_pairs};
use pleach_measure::{apps, incremental, stream};

/// The suites.
#[derive(Subcommand)]
pub enum Suite {
    /// The PageRank kernel over stores and over static CSR: as built, and after a tenth of the arcs was replaced
    ///
    /// Example: pleach bench pagerank --graph rmat20 --store paged,packed --store aspen
    #[command(name = "pagerank")]
    PageRank(PageRankArgs),
    /// Updates of a graph: insertion and deletion by size of batch, in place and published, single edges, readers beside a writer
    ///
    /// Example: pleach bench stream --graph rmat20 --store paged,packed
    Stream(StreamArgs),
    /// Six algorithms (BFS, CC, SSSP, BC, TC, PageRank) over stores and over static CSR
    ///
    /// Example: pleach bench apps --graph rmat20 --graph grid2048 --app bfs
    Apps(AppsArgs),
    /// Components and PageRank that are kept up to date as batches are inserted, compared with computing them anew
    ///
    /// Example: pleach bench incremental --graph rmat20 --batch 1 --batch 1000
    Incremental(IncrementalArgs),
}

/// Options of the suite of results that follow a graph.
#[derive(Args)]
pub struct IncrementalArgs {
    /// Graph to measure on (repeat it for more); updates are drawn from the same generator with another seed, or at random
    #[arg(long = "graph", value_name = "GRAPH", default_values_t = ["rmat20".to_owned()])]
    graphs: Vec<String>,
    /// Edges of a batch (repeat it for more)
    #[arg(long = "batch", value_name = "N", default_values_t = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000])]
    batches: Vec<u32>,
    /// Number of batches of each size, of which the median is printed
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Iterate until the ranks change by no more than this
    #[arg(long, value_name = "CHANGE", default_value_t = 1e-10)]
    tolerance: f64,
    /// Threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Print a line of JSON for each size
    #[arg(long)]
    json: bool,
}

/// Options of the suite of algorithms.
#[derive(Args)]
pub struct AppsArgs {
    /// Graph to measure on (repeat it for more)
    #[arg(long = "graph", value_name = "GRAPH", default_values_t = ["rmat20".to_owned()])]
    graphs: Vec<String>,
    /// Store to measure (repeat it for more)
    #[arg(long = "store", value_name = "OUTER,ROW", default_values_t = [default_store()], value_parser = complete::stores(), hide_possible_values = true)]
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
    /// Number of rounds from each vertex, of which the median is printed
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Print a line of JSON for each algorithm
    #[arg(long)]
    json: bool,
}

/// Options of the streaming suite.
#[derive(Args)]
pub struct StreamArgs {
    /// Graph to measure on; updates are drawn from the same generator with another seed, or at random
    #[arg(long, value_name = "GRAPH", default_value = "rmat20")]
    graph: String,
    /// Store to measure (repeat it for more)
    #[arg(long = "store", value_name = "OUTER,ROW", default_values_t = [default_store()], value_parser = complete::stores(), hide_possible_values = true)]
    stores: Vec<StoreName>,
    /// Arcs of a batch (repeat it for more)
    #[arg(long = "batch", value_name = "N", default_values_t = [10, 1_000, 100_000, 1_000_000, 10_000_000])]
    batches: Vec<u32>,
    /// Milliseconds to spend on each figure, at most
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    time: u32,
    /// Print a line of JSON for each store
    #[arg(long)]
    json: bool,
}

/// The default store of all commands.
fn default_store() -> StoreName {
    DEFAULT_STORE.parse().expect("the default store has a name")
}

/// Options of the PageRank suite.
#[derive(Args)]
pub struct PageRankArgs {
    /// Graph to measure on (repeat it for more)
    #[arg(long = "graph", value_name = "GRAPH", default_values_t = ["rmat20".to_owned()])]
    graphs: Vec<String>,
    /// Store to measure (repeat it for more) [default: every row store below `dense` and `paged`, and below itself]
    #[arg(long = "store", value_name = "OUTER,ROW", value_parser = complete::stores(), hide_possible_values = true)]
    stores: Vec<StoreName>,
    /// Number of rounds, of which the median is printed
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Leave out the measurement after a tenth of the arcs was replaced
    #[arg(long)]
    fresh: bool,
    /// Print a line of JSON for each store
    #[arg(long)]
    json: bool,
}

impl Suite {
    /// Runs the suite.
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Suite::PageRank(args) => args.run(),
            Suite::Stream(args) => args.run(),
            Suite::Apps(args) => with_threads(args.threads, || args.run()),
            Suite::Incremental(args) => with_threads(args.threads, || args.run()),
        }
    }
}

impl StreamArgs {
    fn run(self) -> Result<(), Failure> {
        let options = stream::Options {
            batches: self.batches.iter().map(|&batch| batch as usize).collect(),
            time: Duration::from_millis(self.time.into()),
        };
        let (edges, updates) = graph_and_updates(&self.graph)?;
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

/// The edges of a graph, and as many others to update it with: of the same generator with another seed, or between any two of its
/// vertices where a seed makes no difference.
fn graph_and_updates(graph: &str) -> Result<(EdgeList, EdgeList), Failure> {
    let load = |named: &str, seed| {
        let mut input = InputArgs::named(named).seeded(seed).load(Weights::Ignore)?;
        input.take_edges().map(pleach_datasets::Edges::into_pattern)
    };
    let edges = load(graph, 0)?;
    let updates = match graph.parse() {
        Ok(Generator::Rmat { .. } | Generator::Geometric { .. } | Generator::ErdosRenyi { .. }) => load(graph, 1)?,
        _ if edges.is_empty() => edges.clone(),
        Ok(Generator::Grid { .. }) | Err(_) => {
            let vertices = edges.num_rows as u64;
            let most = vertices.saturating_mul(vertices.saturating_sub(1)) / 2;
            load(&format!("er:{vertices}:{}", most.min(edges.len() as u64)), 1)?
        }
    };
    Ok((edges, updates))
}

/// What was measured of a store, for people.
fn table(graph: &str, measured: &stream::Measured) -> String {
    let mut text = format!(
        "\n{graph} in {}: {} arcs, {} cores, policy {}; static CSR of it is rebuilt in {:.1} ms\n\
         arcs a second\n{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}\n",
        measured.store,
        measured.arcs,
        measured.cores,
        measured.policy,
        measured.csr_ms,
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
        ("nothing, in their place", measured.nothing),
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

impl AppsArgs {
    fn run(&self) -> Result<(), Failure> {
        for graph in &self.graphs {
            let mut input = InputArgs::named(graph).load(Weights::AsRead)?;
            let edges = input.take_edges()?;
            let undirected = !input.graph.directed;
            let vertices = Vertices::of(&input);
            let options = apps::Options {
                apps: if self.apps.is_empty() { apps::APPS.to_vec() } else { self.apps.clone() },
                rounds: self.rounds.into(),
                sources: vertices.find_all(&self.sources)?,
                drawn: self.drawn.into(),
            };
            for store in &self.stores {
                if !self.json {
                    print(heading_of_apps(graph, store).as_bytes())?;
                }
                let weights = edges.is_weighted().then(|| edges.clone().into_weighted());
                let mut failed = Ok(());
                apps::measure(store, edges.clone().into_pattern(), weights, undirected, &options, |outcome| {
                    let line = if self.json {
                        let mut object = json!({
                            "suite": "apps",
                            "graph": graph,
                            "store": store.to_string(),
                            "threads": rayon::current_num_threads(),
                        });
                        match &outcome {
                            Ok(measured) => object["measured"] = json!(measured),
                            Err(refused) => object["refused"] = json!({ "app": refused.app, "reason": refused.reason }),
                        }
                        print_json(&object)
                    } else {
                        print(row_of_app(&outcome).as_bytes())
                    };
                    if failed.is_ok() {
                        failed = line;
                    }
                })
                .map_err(Failure::input)?;
                failed?;
            }
        }
        Ok(())
    }
}

fn heading_of_apps(graph: &str, store: &StoreName) -> String {
    format!(
        "\n{graph}, {} threads: milliseconds\n{:<10}{:>12}{:>16}{:>9}\n",
        rayon::current_num_threads(),
        "",
        "csr",
        store.to_string(),
        "ratio"
    )
}

fn row_of_app(outcome: &apps::Outcome) -> String {
    let name = |app: apps::App| format!("{app:?}").to_lowercase();
    match outcome {
        Ok(apps::Measured { app, csr_ms, store_ms, ratio, .. }) => {
            format!("{:<10}{csr_ms:>12.2}{store_ms:>16.2}{ratio:>9.2}\n", name(*app))
        }
        Err(refused) => format!("{:<10}{}\n", name(refused.app), refused.reason),
    }
}

impl IncrementalArgs {
    fn run(&self) -> Result<(), Failure> {
        let batches = self.batches.iter().map(|&batch| batch as usize).collect();
        let options = incremental::Options { batches, rounds: self.rounds.into(), tolerance: self.tolerance };
        for graph in &self.graphs {
            let (edges, updates) = graph_and_updates(graph)?;
            if !self.json {
                let heading = format!(
                    "\n{graph}, {} threads: milliseconds on each version\n{:>10}{:>12}{:>12}{:>8}{:>16}{:>12}{:>8}   iterations, pushes\n",
                    rayon::current_num_threads(),
                    "batch",
                    "cc anew",
                    "following",
                    "ratio",
                    "pagerank anew",
                    "following",
                    "ratio"
                );
                print(heading.as_bytes())?;
            }
            let mut failed = Ok(());
            incremental::measure(edges, &updates, &options, |measured| {
                let line = if self.json {
                    let threads = rayon::current_num_threads();
                    print_json(
                        &json!({ "suite": "incremental", "graph": graph, "threads": threads, "measured": measured }),
                    )
                } else {
                    print(row_of_batch(&measured).as_bytes())
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

fn row_of_batch(measured: &incremental::Measured) -> String {
    let incremental::Measured { batch, cc_anew, cc_following, pagerank_anew, pagerank_following, .. } = measured;
    format!(
        "{batch:>10}{cc_anew:>12.3}{cc_following:>12.3}{:>8.3}{pagerank_anew:>16.3}{pagerank_following:>12.3}{:>8.3}   {} / {}, {}\n",
        cc_following / cc_anew,
        pagerank_following / pagerank_anew,
        measured.iterations_following,
        measured.iterations_anew,
        measured.pushes
    )
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
        "\n{graph}, {} threads: times over those of static CSR in the same run\n{:<26}{:>9}{:>11}{:>12}{:>12}{:>9}{:>11}{:>8}{:>12}{:>9}{:>9}\n",
        rayon::current_num_threads(),
        "store",
        "B/arc",
        "allocated",
        "x/d inside",
        "x/d before",
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
        format!("{:>12.2}{:>9.2}{:>9.2}", aged.kernel.sum_quotients.ratio, aged.over_fresh, aged.bytes_per_arc)
    });
    format!(
        "{store:<26}{bytes_per_arc:>9.2}{allocated:>11}{:>12.2}{:>12.2}{:>9.1}{:>11.1}{build_ratio:>8.2}{aged}\n",
        fresh.sum_quotients.ratio,
        fresh.sum_shares.ratio,
        fresh.sum_quotients.csr_ms,
        build_arcs_per_second / 1e6
    )
}
