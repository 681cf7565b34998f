//! `pleach cluster`: a graph on several processes, on this machine or on many.

mod beside;
mod compute;
mod launch;
mod source;
mod start;
mod stream;
mod worker;

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};
use pleach_cluster::algorithms::Stop;
use pleach_cluster::{App, RANGE};

use super::Failure;
use super::input::InputArgs;
use super::unused;

/// What several processes do together.
#[derive(Subcommand)]
pub enum Cluster {
    /// Run an algorithm, or compute an expression, on a graph whose rows are dealt to several processes
    ///
    /// Without `--hosts`, the processes are started on this machine.
    ///
    /// Example: pleach cluster run pagerank rmat16 --processes 2
    ///
    /// Example: pleach cluster run 'y(i) = A(i,j) * x(j) over min_plus' rmat16 x=1 --processes 2
    Run(Box<RunArgs>),
    /// Update a graph whose rows are dealt to several processes by a stream of edges, and run an algorithm on it meanwhile
    ///
    /// Without `--hosts`, the processes are started on this machine.
    ///
    /// Example: pleach cluster stream empty --updates lines.txt --app cc --every 10 --processes 2
    Stream(Box<stream::StreamArgs>),
    /// Print the command that starts each process, for those that start them on other machines
    ///
    /// Example: pleach cluster start --hosts hosts.txt -- run pagerank graph.txt --out ranks
    Start(start::StartArgs),
}

impl Cluster {
    /// Does it.
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Cluster::Run(args) => args.run(),
            Cluster::Stream(args) => args.run(),
            Cluster::Start(args) => args.run(),
        }
    }
}

/// The algorithms that run on several processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AppName {
    /// Breadth-first search from `--source`
    Bfs,
    /// Weakly connected components
    Cc,
    /// Communities by label propagation
    Cdlp,
    /// Degrees
    Degree,
    /// Core numbers
    Kcore,
    /// PageRank
    #[value(name = "pagerank")]
    PageRank,
    /// Shortest paths from `--source`, by weights
    Sssp,
    /// Triangle count
    Tc,
}

/// What a run does: an algorithm, or an expression.
#[derive(Clone, Debug, PartialEq)]
enum Work {
    App(AppName),
    Expression(String),
}

impl FromStr for Work {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.contains('=') {
            return Ok(Work::Expression(text.to_owned()));
        }
        AppName::from_str(text, false).map(Work::App).map_err(|_| {
            let names: Vec<String> = AppName::value_variants().iter().map(|&app| name_of(app)).collect();
            format!("there are {}, and expressions such as `y(i) = A(i,j) * x(j)`", names.join(", "))
        })
    }
}

impl Work {
    /// The algorithm's name, or the expression.
    fn name(&self) -> String {
        match self {
            Work::App(app) => name_of(*app),
            Work::Expression(text) => text.clone(),
        }
    }
}

/// Who takes part.
#[derive(Args, Clone)]
struct Workers {
    /// Start so many processes on this machine
    #[arg(long, value_name = "N", conflicts_with = "hosts", value_parser = clap::value_parser!(u16).range(1..=1024))]
    processes: Option<u16>,
    /// File with the address `host:port` of each process, one a line
    #[arg(long, value_name = "FILE", requires = "process")]
    hosts: Option<PathBuf>,
    /// Which of the hosts this process is, from 0
    #[arg(long, value_name = "K")]
    process: Option<usize>,
    /// Seconds to wait for the other processes to come
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    patience: u64,
    /// Seconds without a message or a heartbeat after which a process counts as lost; each sends a heartbeat every second
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(5..))]
    silence: u64,
    /// File with a secret that the processes of --hosts share; without it, whoever knows the arguments can join the run
    #[arg(long, value_name = "FILE")]
    secret: Option<PathBuf>,
    /// Consecutive ids that one process owns at a time
    #[arg(long, value_name = "N", default_value_t = RANGE, value_parser = clap::value_parser!(u64).range(1..))]
    range: u64,
    /// Addresses of processes on this machine: given by the process that starts them
    #[arg(long, hide = true, requires = "process", value_delimiter = ',')]
    addresses: Vec<String>,
}

/// Options of algorithms.
#[derive(Args)]
struct AppArgs {
    /// Vertex to start from, by its id or name (bfs, sssp)
    #[arg(long, value_name = "VERTEX")]
    source: Option<String>,
    /// Probability of following an arc (pagerank) [default: 0.85]
    #[arg(long, value_name = "P")]
    damping: Option<f64>,
    /// Stop when the ranks change by no more than this in total (pagerank) [default: 1e-10]
    #[arg(long, value_name = "CHANGE", conflicts_with = "iterations")]
    tolerance: Option<f64>,
    /// Iterations: exactly so many (pagerank, expressions), or at most (cdlp) [default: 10 for cdlp, 1 for an expression]
    #[arg(long, value_name = "N")]
    iterations: Option<usize>,
}

/// What a graph is that several processes read.
const GRAPH_HELP: &str = "A file, or the name of a bundled or generated graph (`pleach data list` shows them)";

/// Options of a run.
#[derive(Args)]
#[command(
    mut_arg("graph", |arg| arg.help(GRAPH_HELP).index(2)),
    mut_arg("conflict", |arg| arg.help("Weight of an edge that occurs more than once [default: last; min for sssp]"))
)]
pub struct RunArgs {
    /// bfs, cc, cdlp, degree, kcore, pagerank, sssp or tc; or an expression in index notation, such as `y(i) = A(i,j) * x(j)`, whose matrix
    /// is the graph's
    #[arg(value_name = "APP_OR_EXPR", index = 1)]
    app: Work,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    compute: compute::ComputeArgs,
    #[command(flatten)]
    workers: Workers,
    #[command(flatten)]
    options: AppArgs,
    /// File for the value of each vertex, a line `ID VALUE` each, by ids; `-` is standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl RunArgs {
    /// What there is to do. Refuses what cannot be done with these options.
    fn check(&self) -> Result<Task, Failure> {
        refuse_input(&self.input)?;
        let task = self.task()?;
        unused::refuse(&self.input, false)?;
        if matches!(&task, Task::App(app) if !app.is_weighted()) {
            unused::refuse_conflict(&self.input, &format!("{} reads none", self.app.name()))?;
        }
        Ok(task)
    }

    fn run(self) -> Result<(), Failure> {
        let task = self.check()?;
        match self.workers.kind()? {
            None => {
                if let Task::Expression(computed) = &task {
                    computed.emit(self.compute.emit);
                }
                launch::run(usize::from(self.workers.processes.unwrap_or(1)), 1)
            }
            Some(started) => worker::run(&self, &task, started),
        }
    }

    /// What there is to do.
    fn task(&self) -> Result<Task, Failure> {
        match &self.app {
            Work::App(name) => {
                self.compute.refuse(&name_of(*name))?;
                Ok(Task::App(self.options.app(*name, self.out.is_some())?))
            }
            Work::Expression(text) => {
                if let Some(option) = self.options.given().find(|&option| option != "--iterations") {
                    return Err(Failure::usage(format!("an expression has no option {option}")));
                }
                let computed = compute::Computed::new(text, &self.compute, self.options.iterations)?;
                if self.out.is_some() && !computed.has_values() {
                    return Err(Failure::usage(
                        "the last statement makes a number: there is no value of each vertex for --out",
                    ));
                }
                Ok(Task::Expression(computed))
            }
        }
    }
}

/// What a worker does once the graph is there.
enum Task {
    App(App),
    Expression(compute::Computed),
}

impl Workers {
    /// Whether this process is a worker: `None` if it starts some, otherwise whether it was started by one that does.
    fn kind(&self) -> Result<Option<bool>, Failure> {
        let started = !self.addresses.is_empty();
        if self.secret.is_some() && self.hosts.is_none() {
            return Err(Failure::usage(
                "--secret is for --hosts: processes on this machine have a secret of their own",
            ));
        }
        match (&self.hosts, self.process) {
            (None, Some(_)) if !started => {
                Err(Failure::usage("--process K is one of those in --hosts FILE: name that file, too"))
            }
            (None, None) => Ok(None),
            _ => Ok(Some(started)),
        }
    }
}

/// Refuses standard input, which no other process can read.
fn refuse_input(input: &InputArgs) -> Result<(), Failure> {
    match input.name() {
        "-" => Err(Failure::usage("GRAPH: several processes read a file, not standard input")),
        _ => Ok(()),
    }
}

/// The name of an algorithm.
fn name_of(app: AppName) -> String {
    app.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

impl AppArgs {
    /// The options that are there.
    fn given(&self) -> impl Iterator<Item = &'static str> {
        let all = [
            ("--source", self.source.is_some()),
            ("--damping", self.damping.is_some()),
            ("--tolerance", self.tolerance.is_some()),
            ("--iterations", self.iterations.is_some()),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(option, _)| option)
    }

    /// Refuses all of them: there is no algorithm.
    fn refuse(&self) -> Result<(), Failure> {
        match self.given().next() {
            Some(option) => Err(Failure::usage(format!("{option} is an option of an algorithm: name one by --app"))),
            None => Ok(()),
        }
    }

    /// An algorithm with its options. An option of another algorithm is refused, and values of vertices where there are none.
    fn app(&self, name: AppName, out: bool) -> Result<App, Failure> {
        let used: &[&str] = match name {
            AppName::PageRank => &["--damping", "--tolerance", "--iterations"],
            AppName::Bfs | AppName::Sssp => &["--source"],
            AppName::Cdlp => &["--iterations"],
            _ => &[],
        };
        let called = name_of(name);
        if let Some(option) = self.given().find(|option| !used.contains(option)) {
            return Err(Failure::usage(format!("{called} has no option {option}")));
        }
        if name == AppName::Tc && out {
            return Err(Failure::usage(
                "tc counts the triangles of the graph: there is no value of each vertex for --out",
            ));
        }
        // A name gets its number when the graph is there.
        let source = || match &self.source {
            Some(source) => Ok(source.parse().unwrap_or(u64::MAX)),
            None => Err(Failure::usage(format!("{called} starts from a vertex: --source VERTEX"))),
        };
        Ok(match name {
            AppName::PageRank => {
                let damping = self.damping.unwrap_or(0.85);
                if !(0.0..1.0).contains(&damping) {
                    return Err(Failure::usage(format!("--damping must be at least 0 and below 1, not {damping}")));
                }
                let change = self.tolerance.unwrap_or(1e-10);
                if change.is_nan() || change <= 0.0 {
                    return Err(Failure::usage(format!("--tolerance must be a positive number, not {change}")));
                }
                let stop = self.iterations.map_or(Stop::Tolerance { change, most: 1000 }, Stop::Iterations);
                App::PageRank { damping, stop }
            }
            AppName::Bfs => App::Bfs { source: source()? },
            AppName::Sssp => App::Sssp { source: source()? },
            AppName::Cc => App::Components,
            AppName::Cdlp => App::LabelPropagation { iterations: self.iterations.unwrap_or(10) },
            AppName::Degree => App::Degrees,
            AppName::Kcore => App::Coreness,
            AppName::Tc => App::Triangles,
        })
    }
}

/// The addresses in a file; empty lines and those that begin with `#` are comments.
fn read_hosts(path: &std::path::Path) -> Result<Vec<String>, Failure> {
    let wrong = |what: String| Failure::input(format!("{}: {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let mut addresses = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let port =
            line.rsplit_once(':').filter(|(host, _)| !host.is_empty()).and_then(|(_, port)| port.parse::<u16>().ok());
        if port.is_none_or(|port| port == 0) {
            return Err(wrong(format!("line {}: expected an address `host:port`, found `{line}`", at + 1)));
        }
        if addresses.iter().any(|other| other == line) {
            return Err(wrong(format!("line {}: {line} is there twice", at + 1)));
        }
        addresses.push(line.to_owned());
    }
    match addresses.is_empty() {
        true => Err(wrong("expected an address `host:port` a line, found none".to_owned())),
        false => Ok(addresses),
    }
}
