//! The command `pleach`. Each subcommand is a module. Results go to standard output, everything else to standard error.
//!
//! ```text
//!   pleach run APP GRAPH         read a graph ─► build a store ─► run an algorithm ─► report
//!   pleach stream GRAPH          read updates ─► batches ─► graph ─► snapshots ─► report
//!   pleach open DIR              recover and check a graph that `stream --into` keeps in a directory
//!   pleach serve GRAPH           updates and questions over HTTP ─► a graph in a directory
//!   pleach cluster run APP GRAPH  the same on several processes or machines
//!   pleach schema, compile       print what the compiler makes of a schema or a formula
//!   pleach eval                  compute a formula on files
//!   pleach convert               bring a tensor into another format
//!   pleach data                  list, describe, convert, generate and download graphs
//!   pleach bench                 measure stores beside static CSR
//! ```
//!
//! A program calls [`main`]. The loop over the lines of a stream is `pleach_datasets::batches`.

#![forbid(unsafe_code)]

mod allocator;
#[cfg(feature = "bench")]
mod bench;
#[cfg(feature = "cluster")]
mod cluster;
#[cfg(feature = "compiler")]
mod compile;
mod complete;
#[cfg(feature = "compiler")]
mod convert;
mod data;
#[cfg(feature = "compiler")]
mod duplicates;
#[cfg(feature = "compiler")]
mod eval;
mod failure;
mod help;
mod ids;
mod input;
mod kept;
#[cfg(not(all(feature = "bench", feature = "cluster", feature = "compiler", feature = "fetch", feature = "serve")))]
mod left_out;
mod manual;
#[cfg(feature = "compiler")]
mod measured;
mod memory;
mod output;
mod plot;
mod progress;
#[cfg(feature = "compiler")]
mod reference;
mod run;
#[cfg(feature = "compiler")]
mod schema;
#[cfg(feature = "serve")]
mod serve;
mod stream;
#[cfg(feature = "compiler")]
mod structure;
mod transform;
mod unused;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

pub use allocator::prepare as prepare_allocator;
pub use failure::Failure;

/// Graph analytics over dynamic sparse tensors.
#[derive(Parser)]
#[command(
    name = "pleach",
    version,
    about,
    max_term_width = 110,
    arg_required_else_help = true,
    disable_help_subcommand = true
)]
struct Cli {
    /// Print only results and errors
    #[arg(short, long, global = true, conflicts_with = "verbose", display_order = 900)]
    quiet: bool,
    /// Also print what is being done
    #[arg(short, long, global = true, display_order = 901)]
    verbose: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a graph algorithm on a graph held in a store
    ///
    /// Several names, as in `pleach run bfs,cc,pagerank GRAPH --source 1`, run one after the other on a graph that is read once; an
    /// option goes to the algorithms that have it, and `{app}` in the name of a file stands for the algorithm's name.
    ///
    /// Algorithms that are defined on undirected graphs ignore the direction of edges: articulation, bridges, coloring, diameter, kcore,
    /// ktruss, leiden, louvain, mis, msf, nibble and tc.
    ///
    /// Example: pleach run pagerank karate --store bst,ctree --top 3
    #[command(subcommand)]
    Run(run::App),
    /// Apply a stream of edge updates to a graph, and run an algorithm on its snapshots
    ///
    /// Example: pleach stream empty --updates CollegeMsg.txt.gz --batch 1000 --app cc --every 10
    Stream(stream::StreamArgs),
    /// Open a graph that is kept in a directory: recover it, check it, and print what it holds
    ///
    /// A batch that was being written when the process or the machine stopped is cut off, and a message says so.
    ///
    /// Example: pleach open graph.d --json
    Open(kept::OpenArgs),
    /// Serve a graph over HTTP: updates, questions, and a page that shows it
    ///
    /// Example: pleach serve graph.d --listen 127.0.0.1:7474
    #[cfg(feature = "serve")]
    Serve(serve::ServeArgs),
    /// Serve a graph over HTTP (not in this build)
    #[cfg(not(feature = "serve"))]
    Serve(left_out::LeftOut),
    /// Work on a graph whose rows are dealt to several processes, on this machine or on many
    ///
    /// Example: pleach cluster run pagerank rmat16 --processes 2
    #[cfg(feature = "cluster")]
    #[command(subcommand)]
    Cluster(cluster::Cluster),
    /// Work on a graph whose rows are dealt to several processes (not in this build)
    #[cfg(not(feature = "cluster"))]
    Cluster(left_out::LeftOut),
    /// List, check and show node schemas
    ///
    /// Example: pleach schema show ctree --emit step
    #[cfg(feature = "compiler")]
    #[command(subcommand)]
    Schema(schema::Schema),
    /// List, check and show node schemas (not in this build)
    #[cfg(not(feature = "compiler"))]
    Schema(left_out::LeftOut),
    /// Compile kernels from index notation and show any stage
    ///
    /// Example: pleach compile 'y(i) = A(i,j) * x(j)' -f A=csr --emit rust
    #[cfg(feature = "compiler")]
    Compile(compile::Compile),
    /// Compile kernels from index notation (not in this build)
    #[cfg(not(feature = "compiler"))]
    Compile(left_out::LeftOut),
    /// Compute an expression on files, in any formats, without a compiler
    ///
    /// `--with` names files that declare functions, semirings, formats and stores of your own.
    ///
    /// Example: pleach eval 'C(i,j) = A(i,k) * A(k,j)' -f A=csr -f C=csr A=karate.mtx -o C.mtx
    #[cfg(feature = "compiler")]
    Eval(eval::Eval),
    /// Compute an expression on files (not in this build)
    #[cfg(not(feature = "compiler"))]
    Eval(left_out::LeftOut),
    /// Convert a matrix or a tensor from one format to another
    ///
    /// Example: pleach convert web.mtx web.npz --to csc --stats
    #[cfg(feature = "compiler")]
    Convert(convert::Convert),
    /// Convert a matrix or a tensor from one format to another (not in this build)
    #[cfg(not(feature = "compiler"))]
    Convert(left_out::LeftOut),
    /// List, describe, convert, generate and fetch graphs
    ///
    /// Example: pleach data gen rmat:16 -o rmat16.plg
    #[command(subcommand)]
    Data(data::Data),
    /// Measure stores in comparison with static CSR
    ///
    /// Example: pleach bench pagerank --graph rmat20
    #[cfg(feature = "bench")]
    #[command(subcommand)]
    Bench(bench::Suite),
    /// Measure stores in comparison with static CSR (not in this build)
    #[cfg(not(feature = "bench"))]
    Bench(left_out::LeftOut),
    /// Print the help of a command, or explain a topic: formats, stores, expressions, json
    ///
    /// Example: pleach help formats
    Help(help::Help),
    /// Print a page of the guide that is made from the program itself
    #[cfg(feature = "compiler")]
    #[command(hide = true)]
    Reference {
        /// The page to print
        page: reference::Page,
    },
    /// Write a manual page for each command into a folder
    ///
    /// Example: pleach man ~/.local/share/man/man1
    Man(manual::Manual),
    /// Print a completion script for a shell
    ///
    /// Example: pleach completions bash > ~/.local/share/bash-completion/completions/pleach
    Completions {
        /// The shell to complete for
        shell: clap_complete::Shell,
    },
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    pleach::runtime::silence_caught();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    match run::several(&arguments, Cli::command) {
        Ok(None) => start(Cli::parse_from(arguments)),
        Ok(Some(lines)) => together(lines),
        Err(failure) => failure.report(),
    }
}

/// Runs several algorithms, whose command lines these are, on a graph that is read once.
fn together(lines: Vec<Vec<OsString>>) -> ExitCode {
    let mut apps = Vec::new();
    for line in lines {
        let Cli { quiet, verbose, command } = Cli::parse_from(line);
        output::set_verbosity(quiet, verbose);
        let Command::Run(app) = command else { unreachable!("these are lines of `pleach run`") };
        apps.push(app.algorithm());
    }
    output::clean_up_on_interrupt();
    allocator::prepare();
    ended(run::each(&apps))
}

/// Runs one command.
fn start(Cli { quiet, verbose, command }: Cli) -> ExitCode {
    output::set_verbosity(quiet, verbose);
    // A server ends in its own way.
    if !matches!(command, Command::Serve(_)) {
        output::clean_up_on_interrupt();
    }
    allocator::prepare();
    // Others start theirs themselves, or need none.
    if matches!(command, Command::Open(_) | Command::Eval(_) | Command::Convert(_) | Command::Data(_))
        && let Err(failure) = run::start_threads()
    {
        return failure.report();
    }
    let done = match command {
        Command::Run(app) => run::each(&[app.algorithm()]),
        Command::Stream(stream) => stream.run(),
        Command::Open(open) => open.run(),
        #[cfg(feature = "serve")]
        Command::Serve(serve) => serve.run(),
        #[cfg(not(feature = "serve"))]
        Command::Serve(left_out) => left_out.run("serve", "serve"),
        #[cfg(feature = "cluster")]
        Command::Cluster(cluster) => cluster.run(),
        #[cfg(not(feature = "cluster"))]
        Command::Cluster(left_out) => left_out.run("cluster", "cluster"),
        #[cfg(feature = "compiler")]
        Command::Schema(schema) => schema.run(),
        #[cfg(not(feature = "compiler"))]
        Command::Schema(left_out) => left_out.run("schema", "compiler"),
        #[cfg(feature = "compiler")]
        Command::Compile(compile) => compile.run(),
        #[cfg(not(feature = "compiler"))]
        Command::Compile(left_out) => left_out.run("compile", "compiler"),
        #[cfg(feature = "compiler")]
        Command::Eval(eval) => eval.run(),
        #[cfg(not(feature = "compiler"))]
        Command::Eval(left_out) => left_out.run("eval", "compiler"),
        #[cfg(feature = "compiler")]
        Command::Convert(convert) => convert.run(),
        #[cfg(not(feature = "compiler"))]
        Command::Convert(left_out) => left_out.run("convert", "compiler"),
        Command::Data(data) => data.run(),
        #[cfg(feature = "bench")]
        Command::Bench(suite) => suite.run(),
        #[cfg(not(feature = "bench"))]
        Command::Bench(left_out) => left_out.run("bench", "bench"),
        Command::Help(help) => help.run(Cli::command()),
        #[cfg(feature = "compiler")]
        Command::Reference { page } => output::print(page.markdown(Cli::command()).as_bytes()),
        Command::Man(manual) => manual.run(Cli::command()),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "pleach", &mut script);
            output::print(complete::with_files(&String::from_utf8_lossy(&script), shell).as_bytes())
        }
    };
    ended(done)
}

/// The exit status of a command, after the message of one that failed.
fn ended(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
