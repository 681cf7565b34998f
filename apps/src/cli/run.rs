//! `pleach run`: an algorithm on a graph held in a store.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use pleach::registry::{Held, StoreName, Visitor, with_matrix};
use pleach::runtime::Store;
use pleach::{Csr, Matrix, Rows};
use pleach_datasets::Weights;
use serde_json::{Value, json};

use super::Failure;
use super::input::{Input, InputArgs};
use super::output::{print, print_json, write_file};
use crate::pagerank::{PageRank, PageRankError, Ranks, Stop, pagerank, top};

/// What every algorithm takes.
#[derive(Args)]
pub struct Common {
    #[command(flatten)]
    input: InputArgs,
    /// Store to hold the graph in: OUTER,ROW (such as `bst,ctree`), or a format (`csr`, `aspen`, …)
    #[arg(long, value_name = "OUTER,ROW", default_value = pleach::registry::DEFAULT_STORE)]
    store: StoreName,
    /// Threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Write one line a vertex, `ID VALUE`, sorted by id
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The algorithms.
#[derive(Subcommand)]
pub enum App {
    /// Rank of each vertex: where a random surfer is
    ///
    /// Example: pleach run pagerank rmat16 --store bst,ctree --top 5
    #[command(name = "pagerank")]
    PageRank(PageRankArgs),
}

impl App {
    /// Runs the algorithm.
    pub fn run(self) -> Result<(), Failure> {
        match self {
            App::PageRank(args) => args.run(),
        }
    }
}

/// Options of PageRank.
#[derive(Args)]
pub struct PageRankArgs {
    #[command(flatten)]
    common: Common,
    /// Probability of following an arc rather than teleporting
    #[arg(long, value_name = "C", default_value_t = 0.85)]
    damping: f64,
    /// Stop when the ranks change by no more than this in one iteration (sum of absolute differences)
    #[arg(long, value_name = "CHANGE", default_value_t = 1e-10, conflicts_with = "iterations")]
    tolerance: f64,
    /// Give up on the tolerance after so many iterations
    #[arg(long, value_name = "N", default_value_t = 1000, conflicts_with = "iterations")]
    max_iterations: usize,
    /// Take exactly so many iterations instead
    #[arg(long, value_name = "N")]
    iterations: Option<usize>,
    /// Teleport to these vertices only, by their ids in the input, each with a weight if not 1
    #[arg(long, value_name = "ID[:WEIGHT],…", value_delimiter = ',')]
    personalise: Vec<String>,
    /// Print so many vertices of the highest rank
    #[arg(long, value_name = "K", default_value_t = 10)]
    top: usize,
}

impl PageRankArgs {
    fn run(self) -> Result<(), Failure> {
        let PageRankArgs { common, damping, tolerance, max_iterations, iterations, personalise, top: k } = self;
        common.with_threads(|| {
            let mut input = common.input.load(Weights::Ignore)?;
            let stop = iterations.map_or(Stop::Tolerance { change: tolerance, most: max_iterations }, Stop::Iterations);
            let personalisation = personalise.iter().map(|text| teleport(text, &input)).collect::<Result<_, _>>()?;
            let options = PageRank { damping, stop, personalisation };
            let weighted = input.graph.edges.is_weighted();
            let arcs = input.take_reversed_pattern()?;
            let visitor = RunPageRank { options, directed: input.graph.directed };
            let done = with_matrix(&common.store, &arcs, &input.build_options(), visitor).map_err(Failure::input)?;
            let Ran { ranks, held, prepare, run } = done.map_err(|error| match error {
                PageRankError::Shape(_) => Failure::input(error),
                _ => Failure::usage(error),
            })?;
            let (ids, report, build) = (&input.graph.ids, held.report, held.build.as_secs_f64() + prepare);
            let bytes_per_edge = held.bytes as f64 / report.arcs.max(1) as f64;
            if !ranks.converged {
                eprintln!(
                    "warning: after {} iterations the ranks still change by {:e}, more than {tolerance:e}",
                    ranks.iterations, ranks.residual
                );
            }
            if let Some(path) = &common.out {
                write_file(path, |file| {
                    ids.iter().zip(&ranks.ranks).try_for_each(|(id, rank)| writeln!(file, "{id} {rank}"))
                })?;
            }
            let best = top(&ranks.ranks, k);
            if common.json {
                let best: Vec<Value> = best.iter().map(|&(vertex, rank)| json!([ids.external(vertex), rank])).collect();
                return print_json(&json!({
                    "app": "pagerank",
                    "graph": input.describe(&report, weighted),
                    "store": common.store.to_string(),
                    "threads": rayon::current_num_threads(),
                    "seconds": { "load": input.seconds, "build": build, "run": run },
                    "iterations": ranks.iterations,
                    "result": {
                        "sum": ranks.ranks.iter().sum::<f64>(),
                        "max_vertex": top(&ranks.ranks, 1).first().map(|&(vertex, _)| ids.external(vertex)),
                        "residual": if ranks.residual.is_finite() { json!(ranks.residual) } else { Value::Null },
                        "converged": ranks.converged,
                        "top": best,
                    },
                    "memory": { "bytes": held.bytes, "bytes_per_edge": bytes_per_edge },
                }));
            }
            let mut text = format!(
                "pagerank of {} ({} vertices, {} arcs) in {}\n\
                 loaded in {:.3} s, built in {build:.3} s ({bytes_per_edge:.2} bytes per arc), \
                 {} iterations in {run:.3} s, residual {:.1e}\n",
                input.graph.name,
                report.num_rows,
                report.arcs,
                common.store,
                input.seconds,
                ranks.iterations,
                ranks.residual
            );
            for (vertex, rank) in best {
                text += &format!("{:>12}  {rank:.12}\n", ids.external(vertex));
            }
            print(text.as_bytes())
        })
    }
}

/// `ID` or `ID:WEIGHT`.
fn teleport(text: &str, input: &Input) -> Result<(u32, f64), Failure> {
    let (id, weight) = text.split_once(':').unwrap_or((text, "1"));
    let parsed = id.trim().parse::<u64>().map_err(|_| Failure::usage(format!("`{id}` is not a vertex id")))?;
    let weight = weight.trim().parse().map_err(|_| Failure::usage(format!("`{weight}` is not a weight")))?;
    let vertex = input
        .graph
        .ids
        .internal(parsed)
        .ok_or_else(|| Failure::input(format!("{} has no vertex {parsed}", input.graph.name)))?;
    Ok((vertex, weight))
}

/// PageRank over whichever store holds the graph.
struct RunPageRank {
    options: PageRank,
    directed: bool,
}

/// What it found, how the graph was held, and the seconds that degrees and ranks took.
struct Ran {
    ranks: Ranks,
    held: Held,
    prepare: f64,
    run: f64,
}

impl RunPageRank {
    fn over<A: Rows<Value = ()>>(self, in_arcs: &A, held: Held) -> Result<Ran, PageRankError> {
        let begin = Instant::now();
        let out_degrees = if self.directed { in_arcs.col_degrees() } else { in_arcs.row_degrees() };
        let prepare = begin.elapsed().as_secs_f64();
        let line = progress_line();
        let begin = Instant::now();
        let ranks = pagerank(in_arcs, &out_degrees, &self.options, |iteration, residual| {
            line.set_message(format!("iteration {iteration}, residual {residual:.3e}"));
            line.tick();
        });
        let run = begin.elapsed().as_secs_f64();
        line.finish_and_clear();
        Ok(Ran { ranks: ranks?, held, prepare, run })
    }
}

impl Visitor<()> for RunPageRank {
    type Output = Result<Ran, PageRankError>;

    fn visit_csr(self, csr: &Csr, held: Held) -> Self::Output {
        self.over(&csr.view(), held)
    }

    fn visit<R: Store<Coord = u32, Value = ()>>(self, matrix: Matrix<R>, held: Held) -> Self::Output {
        self.over(&matrix, held)
    }
}

/// A line on a terminal's standard error, nothing elsewhere.
fn progress_line() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    ProgressBar::new_spinner().with_style(ProgressStyle::with_template("{spinner} {msg}").expect("a valid template"))
}

impl Common {
    /// Runs `work` on as many threads as asked for.
    fn with_threads<T: Send>(&self, work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
        match self.threads {
            None => work(),
            Some(threads) => rayon::ThreadPoolBuilder::new()
                .num_threads(threads.into())
                .build()
                .map_err(|error| Failure::input(format!("cannot start {threads} threads: {error}")))?
                .install(work),
        }
    }
}
