//! What two processes of one thread cost, beside one process of two threads: alternating rounds on one graph that is loaded once.
//!
//! ```sh
//! cargo run --release -p pleach-cluster --example cost -- rmat:20 1 20
//! ```
//!
//! The arguments are the graph, the vertex that the search starts from, and the number of rounds. Both sides are timed from the loaded graph to
//! the values of all vertices. The first round, whose arrays are new, is printed by itself.
#![forbid(unsafe_code)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use pleach_algorithms::pagerank::{self, PageRank};
use pleach_cluster::algorithms::{self, Stop};
use pleach_cluster::tcp::{Hosts, Tcp, free_ports};
use pleach_cluster::{Arc, Arcs, LoadOptions, Ownership, Wire, load};
use pleach_datasets::{Direction, Options, Share, Shared, Weights};
use pleach_erased::{DEFAULT_STORE, Ends, GraphView, StoredGraph};

// The allocator of the command.
#[global_allocator]
static ALLOCATOR: jemallocator::Jemalloc = jemallocator::Jemalloc;

/// Iterations of PageRank in a round.
const ITERATIONS: usize = 10;

/// What went wrong, in words.
type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let text = |at: usize, or: &str| arguments.get(at).map_or(or.to_owned(), Clone::clone);
    let (name, source, rounds) = (text(0, "rmat:16"), text(1, "1").parse()?, text(2, "10").parse::<usize>()?.max(1));
    match arguments.get(3) {
        Some(worker) => work(&name, source, (worker.parse()?, &text(4, ""))),
        None => compare(&name, source, rounds),
    }
}

fn options() -> Options {
    Options::default().with_weights(Weights::Ignore).with_direction(Direction::Undirected)
}

/// The share of a worker.
struct Mine(Share);

impl Arcs for Mine {
    fn next(&mut self, arcs: &mut Vec<Arc>, alone: &mut Vec<u64>) -> Result<bool, String> {
        let mut arc = |from, to, weight| arcs.push(Arc { from, to, weight });
        self.0.next(&mut arc, &mut |vertex| alone.push(vertex)).map_err(|error| error.to_string())
    }
}

/// One of the processes: computes when its standard input has a line, and prints the seconds of both algorithms.
fn work(name: &str, source: u64, (worker, addresses): (usize, &str)) -> Result<(), Failure> {
    let addresses: Vec<String> = addresses.split(',').map(str::to_owned).collect();
    let workers = addresses.len();
    let mut wire = Wire::new(Tcp::join(Hosts::new(worker, addresses), None)?);
    let shared = Shared::open(name, &options())?.filter(|shared| !shared.needs_counts());
    let shared = shared.ok_or("cannot be read in shares")?;
    let loading = LoadOptions::new(Ownership::new(workers)).with_directed(false);
    let part = load(&mut wire, Mine(shared.share(worker, workers)?), &loading)?;
    for line in std::io::stdin().lines() {
        line?;
        wire.sum(0)?;
        let begin = Instant::now();
        let depths = algorithms::bfs(&part, &mut wire, source)?.ok_or("there is no such vertex")?;
        let search = begin.elapsed().as_secs_f64();
        wire.sum(0)?;
        let begin = Instant::now();
        let ranks = algorithms::pagerank(&part, &mut wire, 0.85, Stop::Iterations(ITERATIONS))?;
        let ranking = begin.elapsed().as_secs_f64();
        assert!(depths.len() == part.own.len() && ranks.ranks.len() == part.own.len());
        println!("{search} {ranking}");
    }
    Ok(())
}

/// The seconds of both algorithms in this process.
fn alone(graph: GraphView<'_, ()>, source: u64) -> Result<[f64; 2], Failure> {
    let begin = Instant::now();
    pleach_compiled::bfs::bfs(graph, u32::try_from(source)?)?;
    let search = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let options = PageRank::default().with_stop(pagerank::Stop::Iterations(ITERATIONS));
    pleach_compiled::pagerank::pagerank(graph, &options)?;
    Ok([search, begin.elapsed().as_secs_f64()])
}

/// A process that was started.
struct Process {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

/// A round of all processes: the seconds of the slowest, for each algorithm.
fn together(processes: &mut [Process]) -> Result<[f64; 2], Failure> {
    for process in processes.iter_mut() {
        process.child.stdin.as_mut().ok_or("a process has ended")?.write_all(b"go\n")?;
    }
    let mut slowest = [0.0f64; 2];
    for process in processes {
        let line = process.lines.next().ok_or("a process has ended")??;
        for (slowest, seconds) in slowest.iter_mut().zip(line.split(' ')) {
            *slowest = slowest.max(seconds.parse()?);
        }
    }
    Ok(slowest)
}

fn compare(name: &str, source: u64, rounds: usize) -> Result<(), Failure> {
    rayon::ThreadPoolBuilder::new().num_threads(2).build_global()?;
    let (listeners, addresses) = free_ports(2)?;
    drop(listeners);
    let start = |worker: usize| -> Result<Process, Failure> {
        let arguments = [name, &source.to_string(), "0", &worker.to_string(), &addresses.join(",")];
        let mut command = Command::new(std::env::current_exe()?);
        let mut child = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
        Ok(Process { child, lines })
    };
    let mut processes = vec![start(0)?, start(1)?];
    let input = pleach_datasets::open(name, &options())?;
    let build = input.build_options();
    let graph =
        StoredGraph::build(&DEFAULT_STORE.parse()?, input.edges.into_pattern(), &build, false, Ends::Undirected)?;
    let mut seconds = [[Vec::new(), Vec::new()], [Vec::new(), Vec::new()]];
    for round in 0..=rounds {
        let both = [together(&mut processes)?, graph.view(|graph| alone(graph, source))?];
        if round == 0 {
            println!("first round, in seconds (bfs, pagerank): two processes {:?}, one {:?}", both[0], both[1]);
            continue;
        }
        for app in 0..2 {
            seconds[app][0].push(both[0][app]);
            seconds[app][1].push(both[1][app]);
        }
    }
    for (app, [two, one]) in ["bfs", "pagerank"].into_iter().zip(&mut seconds) {
        let mut ratios: Vec<f64> = two.iter().zip(one.iter()).map(|(two, one)| two / one).collect();
        let middle = |all: &mut Vec<f64>| {
            all.sort_unstable_by(f64::total_cmp);
            (all[0], all[all.len() / 2])
        };
        let ([two, one], ratio) = ([middle(two), middle(one)], middle(&mut ratios));
        println!(
            "{app:<9} two processes {:.4} s (least {:.4}), one {:.4} s (least {:.4}), ratio {:.2} in the median (least over least {:.2})",
            two.1,
            two.0,
            one.1,
            one.0,
            ratio.1,
            two.0 / one.0
        );
    }
    for mut process in processes {
        drop(process.child.stdin.take());
        process.child.wait()?;
    }
    Ok(())
}
