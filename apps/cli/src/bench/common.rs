//! What all suites have in common: graphs, the method, and where the results go.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use pleach::EdgeList;
use pleach_datasets::{Generator, Weights};
use pleach_erased::{DEFAULT_STORE, StoreName};
use pleach_measure::peers::{Given, Peers};
use pleach_measure::suites::updates::Updates;
use pleach_measure::{Bench, Graph, Matrix, Method, NAMES, in_random_order, machine, report, table};

use crate::input::{Input, InputArgs};
use crate::output::{print, print_json, write_file};
use crate::run::check_threads;
use crate::{Failure, allocator, complete};

/// The graphs of a suite.
#[derive(Args)]
pub struct Graphs {
    /// Graph to measure on (repeat it for more): a file, or the name of a bundled or generated graph [default: rmat20]
    #[arg(long = "graph", value_name = "GRAPH", value_parser = complete::graphs(), hide_possible_values = true)]
    graphs: Vec<String>,
}

impl Graphs {
    /// Measures on each.
    pub fn each(&self, mut measure: impl FnMut(&str) -> Result<(), Failure>) -> Result<(), Failure> {
        let default = ["rmat20".to_owned()];
        let graphs = if self.graphs.is_empty() { &default[..] } else { &self.graphs };
        graphs.iter().try_for_each(|graph| measure(graph))
    }
}

/// The matrices of a suite.
#[derive(Args)]
pub struct Matrices {
    /// Matrix to measure on (repeat it for more): a file, a graph's name, or a generated one: eco, atm, fem, web [default: those four]
    #[arg(long = "graph", value_name = "MATRIX", value_parser = complete::graphs(), hide_possible_values = true)]
    matrices: Vec<String>,
    /// Make what is generated so many times smaller
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    scale: u32,
}

impl Matrices {
    /// The generated ones.
    pub fn generated(scale: u32) -> Self {
        Matrices { matrices: Vec::new(), scale }
    }

    /// How many times smaller what is generated is made.
    pub fn scale(&self) -> u32 {
        self.scale
    }

    /// Measures on each. A file beats a generated matrix of the same name.
    pub fn each(&self, mut measure: impl FnMut(Matrix) -> Result<(), Failure>) -> Result<(), Failure> {
        let default = NAMES.map(str::to_owned);
        let matrices = if self.matrices.is_empty() { &default[..] } else { &self.matrices };
        for name in matrices {
            let generated = if Path::new(name).exists() { None } else { Matrix::named(name, self.scale as usize) };
            measure(match generated {
                Some(matrix) => matrix,
                None => Matrix::of(&load(name)?.0).map_err(Failure::input)?,
            })?;
        }
        Ok(())
    }
}

/// Options of every suite.
#[derive(Args)]
pub struct Common {
    /// Repetitions of each figure, of which the median and the quartiles are printed
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Seconds after which a figure is not repeated again, once it was taken three times
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, value_parser = seconds)]
    seconds: f64,
    /// Fill the caches with something else before each repetition
    #[arg(long)]
    cold: bool,
    /// Threads to use; several numbers measure everything with each [default: all cores]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..))]
    threads: Vec<u16>,
    /// Bind each thread to a core
    #[arg(long)]
    pin: bool,
    /// Print one JSON document: the machine, the graphs, and a row for each figure
    #[arg(long)]
    json: bool,
    /// Also write a page with tables and plots, DIR/index.html, and the document, DIR/results.json
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
}

/// A number of seconds.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("expected seconds from 0 to 3600".to_owned()),
    }
}

/// Programs of others.
#[derive(Args)]
pub struct PeerArgs {
    /// Program of others to run beside ours (repeat it for more): gap, aspen, cpam, cpma with the folder of their tools, or any name with a
    /// program that prints RESULT lines
    #[arg(long = "peer", value_name = "NAME=PATH")]
    peers: Vec<Given>,
    /// Seconds that a process of such a program may take, reading the graph included
    #[arg(long = "peer-limit", value_name = "SECONDS", default_value_t = 300.0, value_parser = seconds)]
    limit: f64,
}

impl PeerArgs {
    fn peers(&self) -> Peers {
        Peers::new(self.peers.clone(), Duration::from_secs_f64(self.limit))
    }
}

/// What is measured, with one number of threads.
pub type Measure<'m> = &'m mut dyn FnMut(&mut Bench<'_>) -> Result<(), Failure>;

impl Common {
    /// Measures with each number of threads, and prints what is found.
    pub fn run(&self, measure: Measure<'_>) -> Result<(), Failure> {
        self.run_with(Peers::default(), measure)
    }

    /// The same, beside programs of others.
    pub fn run_beside(&self, peers: &PeerArgs, measure: Measure<'_>) -> Result<(), Failure> {
        self.run_with(peers.peers(), measure)
    }

    fn run_with(&self, peers: Peers, measure: Measure<'_>) -> Result<(), Failure> {
        for &threads in &self.threads {
            check_threads(Some(threads.into()))?;
        }
        if let Some(folder) = &self.report {
            let cannot = |error| Failure::input(format!("cannot write {}: {error}", folder.display()));
            std::fs::create_dir_all(folder).map_err(cannot)?;
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut threads: Vec<usize> =
            if self.threads.is_empty() { vec![cores] } else { self.threads.iter().map(|&n| n.into()).collect() };
        // Each once, and one before more: what is serial as well as parallel is then measured once by one.
        threads.sort_unstable();
        threads.dedup();
        let method = Method {
            rounds: self.rounds.into(),
            seconds: self.seconds,
            cold: self.cold,
            threads: threads.iter().copied().max().unwrap_or(1),
            pin: self.pin,
        };
        let command = machine::command(std::env::args().skip(1));
        let described = machine::describe(&method, allocator::configuration(), command).map_err(no_threads)?;
        if !self.json {
            print(table::machine(&described).as_bytes())?;
        }
        let shown = RefCell::new(Ok(()));
        let show = |rows: &[_]| {
            let mut shown = shown.borrow_mut();
            if !self.json && shown.is_ok() {
                *shown = print(table::rows(rows).as_bytes());
            }
        };
        let mut bench = Bench::new(method, described, Box::new(show)).map_err(no_threads)?.beside(peers);
        for &threads in &threads {
            bench.set_threads(threads).map_err(no_threads)?;
            measure(&mut bench)?;
            shown.replace(Ok(()))?;
        }
        self.keep(&bench)?;
        let results = bench.into_results();
        if let Some(folder) = &self.report {
            let page = report::page(&results);
            write_file(&folder.join("index.html"), |file| file.write_all(page.as_bytes()))?;
        }
        if self.json { print_json(&results) } else { Ok(()) }
    }
}

impl Common {
    /// Writes the document with what was found so far, if there is a folder for it: a long run that is ended has it.
    pub fn keep(&self, bench: &Bench<'_>) -> Result<(), Failure> {
        let Some(folder) = &self.report else { return Ok(()) };
        let document = serde_json::to_vec(bench.results()).map_err(Failure::input)?;
        write_file(&folder.join("results.json"), |file| file.write_all(&document))
    }
}

/// Threads that do not start.
fn no_threads(error: impl std::fmt::Display) -> Failure {
    Failure::input(format!("cannot start threads: {error}"))
}

/// Bytes that the allocator has handed out.
pub fn allocated() -> usize {
    allocator::allocated().unwrap_or(0)
}

/// The stores that were named, or the default one and others.
pub fn stores_or_default(stores: &[StoreName], others: &[&str]) -> Vec<StoreName> {
    if stores.is_empty() {
        let names = std::iter::once(&DEFAULT_STORE).chain(others);
        return names.map(|name| name.parse().expect("a bundled store has this name")).collect();
    }
    stores.to_vec()
}

/// A graph, and what is left of the input: names of vertices.
pub fn load(named: &str) -> Result<(Graph, Input), Failure> {
    let mut input = InputArgs::named(named).load(Weights::AsRead)?;
    let edges = input.take_edges()?;
    Ok((Graph { name: named.to_owned(), edges, directed: input.graph.directed }, input))
}

/// A graph, and as many other edges to update it with, in a random order: of the same generator with another seed, or between any two of its
/// vertices where a seed makes no difference; and between any two vertices.
pub fn graph_and_updates(named: &str) -> Result<(Graph, Updates), Failure> {
    let (graph, _) = load(named)?;
    let drawn = |named: &str| -> Result<EdgeList, Failure> {
        let mut input = InputArgs::named(named).seeded(1).load(Weights::Ignore)?;
        input.take_edges().map(pleach_datasets::Edges::into_pattern)
    };
    let (vertices, edges) = (graph.edges.num_rows() as u64, graph.edges.len() as u64);
    let pairs = vertices.saturating_mul(vertices.saturating_sub(1)) / 2;
    let uniform = match pairs.min(edges) {
        0 => EdgeList::new(graph.edges.num_rows(), graph.edges.num_cols()),
        most => drawn(&format!("er:{vertices}:{most}"))?,
    };
    let skewed = match named.parse() {
        Ok(Generator::Rmat { .. } | Generator::ErdosRenyi { .. }) => drawn(named)?,
        // It comes vertex by vertex, and a batch of it would change a few rows.
        Ok(Generator::Geometric { .. }) => in_random_order(drawn(named)?),
        Ok(Generator::Grid { .. }) | Err(_) => uniform.clone(),
    };
    Ok((graph, Updates { skewed, uniform }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_come_in_a_random_order() {
        for name in ["rgg10", "rmat8", "grid32", "er:1000:4000"] {
            let updates = graph_and_updates(name).map_err(|_| name).unwrap().1;
            for list in [updates.skewed, updates.uniform] {
                let far = list.src.windows(2).filter(|two| two[0].abs_diff(two[1]) > list.num_rows as u32 / 16).count();
                assert!(2 * far > list.len(), "{name}: {far} of {} steps lead to another part of it", list.len());
            }
        }
    }
}
