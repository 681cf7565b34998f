//! `pleach serve`: a graph over HTTP, which is kept in a directory.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

use clap::{Args, ValueEnum};
use pleach::EdgeList;
use pleach::graph::{Conflict, GraphOptions, MAX_VERTICES};
use pleach_datasets::{Edges, Weights};
use pleach_erased::{AnyGraph, Bundled, DEFAULT_STORE, StoreName};
use pleach_server::{Options, Server};
use tempfile::TempDir;
use tracing_subscriber::filter::LevelFilter;

use super::input::{Input, InputArgs, Winner};
use super::kept::{self, Carried};
use super::output::{INTERRUPTED, Verbosity, note, on_interrupt, print, verbosity};
use super::{Failure, complete, ids, progress, unused};

/// Options of the server.
#[derive(Args)]
#[command(mut_arg("conflict", |arg| arg.help("Weight of an edge that occurs or is inserted again [default: last]")))]
pub struct ServeArgs {
    #[command(flatten)]
    input: InputArgs,
    /// New directory to keep the graph in, with all updates [default: that of GRAPH if it is one, else a temporary one]
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    /// Store to hold the graph in, where GRAPH is no directory: OUTER,ROW (such as `bst,ctree`)
    #[arg(long, value_name = "OUTER,ROW", value_parser = complete::stores(), hide_possible_values = true)]
    store: Option<StoreName>,
    /// Address and port to listen on; one that other machines can reach needs `--token`
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7474")]
    listen: SocketAddr,
    /// File with the token that requests must carry, as `Authorization: Bearer TOKEN`
    #[arg(long, value_name = "FILE")]
    token: Option<PathBuf>,
    /// How the log on standard error is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    log_format: LogFormat,
    /// What is logged: off, error, warn, info, or debug, which has a line for each request and batch [default: info; with --quiet warn, with
    /// --verbose debug]
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<LevelFilter>,
}

/// How the log is written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// Lines to be read
    Text,
    /// A JSON object a line
    Json,
}

impl ServeArgs {
    /// Serves until the process is asked to end.
    pub fn run(self) -> Result<(), Failure> {
        let level = self.log_level.unwrap_or(match verbosity() {
            Verbosity::Quiet => LevelFilter::WARN,
            Verbosity::Normal => LevelFilter::INFO,
            Verbosity::Verbose => LevelFilter::DEBUG,
        });
        let log = tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).with_max_level(level);
        match self.log_format {
            LogFormat::Text => log.init(),
            LogFormat::Json => log.json().init(),
        }
        let token = self.token.as_ref().map(|path| {
            let text = std::fs::read_to_string(path);
            let text = text.map_err(|error| Failure::input(format!("cannot read {}: {error}", path.display())));
            text.map(|text| text.trim().to_owned())
        });
        let options = Options::default().with_listen(self.listen).with_token(token.transpose()?);
        // Checks the options first: if the server cannot start, no directory is created.
        Server::check(&options).map_err(Failure::input)?;
        let stage = Arc::new(Mutex::new(Stage::Reading(None)));
        let of_handler = stage.clone();
        on_interrupt(move || interrupt(&of_handler)).map_err(Failure::input)?;
        let place = self.place(&stage);
        // An interrupt that comes while the graph is opened ends the server as soon as it is there. One that came before has the lock until it
        // has ended the process, and is the reason if the directory could not be written.
        let (end, ended) = mpsc::channel();
        *lock(&stage) = Stage::Serving(end);
        let place = place?;
        let server = Server::start(place.path(), options).map_err(Failure::input)?;
        print(format!("serving {} at http://{}/\n", self.input.name(), server.address()).as_bytes())?;
        // It fails when the handler is gone, and with it the way to end the server.
        let _ = ended.recv();
        server.stop().map_err(Failure::input)
    }

    /// The directory that holds the graph: the one that is named, or a new one.
    fn place(&self, stage: &Mutex<Stage>) -> Result<Place, Failure> {
        let name = self.input.name();
        if pleach_log::holds_graph(name) {
            if self.into.is_some() || self.store.is_some() || !self.input.is_plain() {
                return Err(Failure::usage(format!(
                    "{name} is a directory that holds a graph, which is served as it is kept: options on how to read or keep a graph are for \
                     files and names"
                )));
            }
            return Ok(Place::Kept(name.into()));
        }
        if let Some(into) = self.into.as_deref().filter(|into| pleach_log::holds_graph(into)) {
            let into = into.display();
            return Err(Failure::input(format!("{into} holds a graph already: `pleach serve {into}` serves it")));
        }
        unused::refuse(&self.input, false)?;
        if let Some(into) = &self.into {
            pleach_log::check_new(into).map_err(kept::failure)?;
        }
        let mut input = self.input.load(Weights::AsRead)?;
        let edges = input.take_kept_edges()?;
        if !edges.is_weighted() {
            unused::refuse_conflict(&self.input, "the edges of this graph have none")?;
        }
        let place = match &self.into {
            Some(into) => Place::Kept(into.clone()),
            None => {
                note("updates are lost when the server ends: --into DIR keeps them");
                // An interrupt waits until the directory is known.
                let mut stage = lock(stage);
                let folder = tempfile::tempdir().map_err(Failure::input)?;
                *stage = Stage::Reading(Some(folder.path().to_owned()));
                Place::Temporary(folder)
            }
        };
        match edges {
            Edges::Pattern(edges) => self.keep(place.path(), &input, edges)?,
            Edges::Weighted(edges) => self.keep(place.path(), &input, edges)?,
        }
        Ok(place)
    }

    /// Keeps a graph in a new directory.
    fn keep<V: Carried + Bundled>(&self, directory: &Path, input: &Input, edges: EdgeList<V>) -> Result<(), Failure>
    where
        Conflict<V>: From<Winner>,
    {
        let graph = &input.graph;
        let options = GraphOptions::default()
            .with_directed(graph.directed)
            .with_conflict(self.input.conflict.unwrap_or(Winner::Last).into())
            .with_max_vertices(MAX_VERTICES);
        let ids = ids::of_input(&graph.ids)?;
        let store = match &self.store {
            Some(store) => store.clone(),
            None => DEFAULT_STORE.parse().map_err(Failure::input)?,
        };
        let (built, _) = AnyGraph::from_edges(&store, edges, options).map_err(Failure::input)?;
        let options = pleach_log::Options::of(options).with_store(store).with_ids(ids.kind());
        let kept = pleach_log::create(directory, built, ids, options).map_err(kept::failure)?;
        kept.close().map_err(Failure::input)
    }
}

/// The directory of a graph that is served.
enum Place {
    /// It stays.
    Kept(PathBuf),
    /// It is removed with the server.
    Temporary(TempDir),
}

impl Place {
    fn path(&self) -> &Path {
        match self {
            Place::Kept(path) => path,
            Place::Temporary(folder) => folder.path(),
        }
    }
}

/// How far the command is when an interrupt comes.
enum Stage {
    /// The graph is being read, and kept in this temporary directory if there is one.
    Reading(Option<PathBuf>),
    /// The server is being started, or runs. It ends when something is sent.
    Serving(mpsc::Sender<()>),
}

fn lock(stage: &Mutex<Stage>) -> MutexGuard<'_, Stage> {
    stage.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the server. Without one, ends the process at once, and leaves no unfinished files behind.
fn interrupt(stage: &Mutex<Stage>) {
    match &*lock(stage) {
        Stage::Serving(end) => {
            // It fails when the server has ended already.
            let _ = end.send(());
        }
        Stage::Reading(temporary) => {
            progress::remove();
            pleach_datasets::remove_unfinished();
            temporary.iter().for_each(|folder| remove(folder));
            std::process::exit(INTERRUPTED.into());
        }
    }
}

/// Removes a directory that another thread may be writing to: a file may come while others are removed.
fn remove(folder: &Path) {
    for _ in 0..100 {
        if std::fs::remove_dir_all(folder).is_ok() || !folder.exists() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
