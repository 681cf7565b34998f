//! `pleach bench`: measurements that compare stores with static rows in one run.

use clap::{Args, Subcommand};
use pleach::registry::StoreName;
use pleach_datasets::Weights;
use serde_json::json;

use super::Failure;
use super::input::InputArgs;
use super::output::{print, print_json};
use crate::bench::pagerank::{Measured, Options, measure, telling_pairs};

/// The suites.
#[derive(Subcommand)]
pub enum Suite {
    /// The PageRank kernel over stores beside static CSR: as built, and after a tenth of the arcs was replaced
    ///
    /// Example: pleach bench pagerank --graph rmat20 --store paged,packed --store aspen
    #[command(name = "pagerank")]
    PageRank(PageRankArgs),
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
        }
    }
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

/// Bytes that jemalloc has handed out.
fn allocated() -> usize {
    // The figures are those of the last epoch.
    let advanced = jemalloc_ctl::epoch::advance();
    advanced.and_then(|_| jemalloc_ctl::stats::allocated::read()).unwrap_or(0)
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
