//! `pleach bench graphalytics`.

use std::path::{Path, PathBuf};

use clap::Args;
use pleach_erased::{DEFAULT_STORE, StoreName};
use pleach_measure::graphalytics::reference::Verdict;
use pleach_measure::graphalytics::{Algorithm, Loaded, Measured, Options, data_sets, run};
use serde_json::json;

use crate::output::{print, print_json};
use crate::run::with_threads;
use crate::{Failure, complete};

/// Options of the suite of LDBC Graphalytics.
#[derive(Args)]
pub struct GraphalyticsArgs {
    /// A directory with data sets (NAME.properties, NAME.v, NAME.e, and the published results NAME-BFS and so on), or one properties file
    #[arg(value_name = "DIR")]
    path: PathBuf,
    /// Algorithm to run (repeat it for more) [default: those that the data set lists]
    #[arg(long = "algorithm", value_name = "ALGORITHM", value_enum)]
    algorithms: Vec<Algorithm>,
    /// Store to hold the graph in, or `csr` for static rows
    #[arg(long, value_name = "OUTER,ROW", default_value = DEFAULT_STORE, value_parser = complete::stores(), hide_possible_values = true)]
    store: StoreName,
    /// Number of runs of each algorithm, of which the median is printed
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Print a line of JSON for each data set
    #[arg(long)]
    json: bool,
}

impl GraphalyticsArgs {
    /// Runs all data sets, even if a result of one is wrong; the first that is wrong is the failure.
    pub fn run(&self) -> Result<(), Failure> {
        let mut wrong = None;
        for file in data_sets(&self.path).map_err(Failure::input)? {
            let found = with_threads(self.threads, || self.run_one(&file))?;
            wrong = wrong.or(found);
        }
        wrong.map_or(Ok(()), |message| Err(Failure::Input(message)))
    }

    /// Runs a data set. Returns what is wrong with its results.
    fn run_one(&self, file: &Path) -> Result<Option<String>, Failure> {
        let options =
            Options::new(self.store.clone()).with_algorithms(self.algorithms.clone()).with_rounds(self.rounds.into());
        let (mut graph, mut shown) = (None, Ok(()));
        let mut measured: Vec<Measured> = Vec::new();
        let mut show = |text: String| {
            if !self.json && shown.is_ok() {
                shown = print(text.as_bytes());
            }
        };
        // Both are called by this function alone, one after the other.
        let show = std::cell::RefCell::new(&mut show);
        run(
            file,
            &options,
            |loaded| {
                (show.borrow_mut())(heading(loaded, &self.store));
                graph = Some(loaded.clone());
            },
            |one| {
                (show.borrow_mut())(row(&one));
                measured.push(one);
            },
        )
        .map_err(Failure::input)?;
        shown?;
        let Some(graph) = graph else { return Ok(None) };
        if self.json {
            let mut object = json!(graph);
            object["suite"] = json!("graphalytics");
            object["store"] = json!(self.store.to_string());
            object["threads"] = json!(rayon::current_num_threads());
            object["rounds"] = json!(self.rounds);
            object["algorithms"] = json!(measured);
            print_json(&object)?;
        }
        let failed = measured.iter().find(|one| one.verdict.is_failure());
        Ok(failed.map(|one| format!("{}: {} is not as published: {}", graph.graph, one.algorithm, words(&one.verdict))))
    }
}

fn heading(loaded: &Loaded, store: &StoreName) -> String {
    let Loaded { graph, vertices, edges, directed, read_seconds, build_seconds } = loaded;
    let kind = if *directed { "directed" } else { "undirected" };
    let threads = rayon::current_num_threads();
    format!(
        "\n{graph} in {store}, {threads} threads: {vertices} vertices, {edges} {kind} edges\n\
         loaded in {:.3} s: read in {read_seconds:.3} s, built in {build_seconds:.3} s\n\
         {:<6}{:>16}{:>14}   validation\n",
        read_seconds + build_seconds,
        "",
        "processing ms",
        "EVPS",
    )
}

fn row(measured: &Measured) -> String {
    let Measured { algorithm, processing_seconds, evps, verdict } = measured;
    format!("{algorithm:<6}{:>16.3}{evps:>14.3e}   {}\n", 1e3 * processing_seconds, words(verdict))
}

fn words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Valid => "valid".to_owned(),
        Verdict::Missing { file } => format!("not validated: there is no reference file {}", file.display()),
        Verdict::Wrong { vertex, expected, found, wrong } => {
            format!("vertex {vertex}: expected {expected}, found {found} ({wrong} wrong in all)")
        }
        Verdict::Unusable { reason } => format!("cannot be validated: {reason}"),
    }
}
