//! `pleach bench`: measurements that compare stores with static rows in one run.

use clap::{Args, Subcommand};
use pleach::registry::{OUTER_LEVELS, ROW_STORES, StoreName};
use pleach_datasets::Weights;
use serde_json::json;

use super::Failure;
use super::input::InputArgs;
use super::output::{print, print_json};
use crate::bench::pagerank::{Measured, Options, measure};

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
        let options = Options { rounds: self.rounds.into(), aged: !self.fresh };
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

/// Every row store below `dense` and `paged`, and below itself where it can be an outer level.
fn telling_pairs() -> Vec<StoreName> {
    let mut pairs = vec![StoreName::Csr];
    for outer in ["dense", "paged"] {
        pairs.extend(ROW_STORES.iter().map(|row| StoreName::Pair(outer, row)));
    }
    pairs.push(StoreName::Pair("bst", "ctree"));
    pairs.extend(ROW_STORES.iter().filter(|row| OUTER_LEVELS.contains(row)).map(|row| StoreName::Pair(row, row)));
    pairs
}

fn heading(graph: &str) -> String {
    format!(
        "\n{graph}, {} threads: times over those of static CSR in the same run\n{:<26}{:>9}{:>9}{:>9}{:>9}{:>11}{:>8}{:>9}{:>9}{:>9}\n",
        rayon::current_num_threads(),
        "store",
        "B/arc",
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
    let Measured { store, build_arcs_per_second, build_ratio, bytes_per_arc, fresh, aged } = measured;
    let aged = aged.as_ref().map_or(String::new(), |aged| {
        format!("{:>9.2}{:>9.2}{:>9.2}", aged.kernel.divided.ratio, aged.over_fresh, aged.bytes_per_arc)
    });
    format!(
        "{store:<26}{bytes_per_arc:>9.2}{:>9.2}{:>9.2}{:>9.1}{:>11.1}{build_ratio:>8.2}{aged}\n",
        fresh.divided.ratio,
        fresh.computed_first.ratio,
        fresh.divided.csr_ms,
        build_arcs_per_second / 1e6
    )
}
