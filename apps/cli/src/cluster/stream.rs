//! `pleach cluster stream`: every worker holds the rows of its vertices, and a stream of updates changes them in epochs.
//!
//! ```text
//!   worker 0:  lines ─► an epoch ─► to the owners ─► every worker commits ─► acknowledged ─► printed
//!                                                        │
//!   all:       an algorithm on the version of an epoch, over connections of its own, while later epochs are applied
//! ```

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::scope;
use std::time::Instant;

use clap::Args;
use pleach::graph::{Action, Ids};
use pleach_cluster::stream::{Change, Growing, GrowingOptions, StreamError, Version};
use pleach_cluster::{App, Arc, Arcs, Found, Ownership, RunError, Wire};
use pleach_datasets::stream::{EdgeStream, EdgeUpdate, Operation, StreamOptions};
use pleach_datasets::{Columns, Direction, Weights};
use serde_json::{Value, json};

use super::super::Failure;
use super::super::input::{InputArgs, Winner};
use super::super::output::{check_out, note, print, print_json};
use super::super::unused;
use super::source::Source;
use super::worker::{Ended, Naming, join, peak, take_part, write_values};
use super::{AppArgs, Workers, launch};

/// Options of a stream.
#[derive(Args)]
#[command(
    mut_arg("graph", |arg| arg.help(super::GRAPH_HELP)),
    mut_arg("columns", |arg| arg.help(
        "Columns of an update: `op src dst weight time`, `_` for one to ignore [default: known by a heading, or in this order]"
    )),
    mut_arg("conflict", |arg| arg.help("Weight of an edge that is inserted again [default: last]"))
)]
pub struct StreamArgs {
    #[command(flatten)]
    input: InputArgs,
    /// File of updates, one a line: `src dst [weight [time]]`, or with one of `+ - a u d` before it
    #[arg(long, value_name = "FILE")]
    updates: PathBuf,
    /// Vertices are called by names and not by numbers. GRAPH must be `empty`; process 0 holds all names
    #[arg(long)]
    names: bool,
    /// Columns of the graph at the beginning, if it is a list of edges
    #[arg(long, value_name = "LIST")]
    graph_columns: Option<Columns>,
    /// Updates in an epoch: all of them are applied, or none
    #[arg(long, value_name = "N", default_value = "10000")]
    batch: NonZeroUsize,
    /// Directory to keep the parts in. If it holds a graph already, the stream continues from its last epoch, with any number of
    /// processes: GRAPH and the updates that it has are not applied again
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    /// Write a checkpoint of all parts after every N epochs, and at the end
    #[arg(long, value_name = "N", default_value = "1000", requires = "into")]
    checkpoint: NonZeroU64,
    /// Algorithm to run on the graph at the end
    #[arg(long = "app", value_name = "APP")]
    name: Option<super::AppName>,
    /// Run the algorithm after every N epochs too, while later ones are applied
    #[arg(long, value_name = "N", requires = "name")]
    every: Option<NonZeroU64>,
    #[command(flatten)]
    options: AppArgs,
    #[command(flatten)]
    workers: Workers,
    /// File for the value of each vertex at the end, a line `ID VALUE` each, by ids; `-` is standard output
    #[arg(long, value_name = "FILE", requires = "name")]
    out: Option<PathBuf>,
    /// Print a line of JSON for each epoch, for each run of the algorithm, and at the end
    #[arg(long)]
    json: bool,
}

/// The name of the empty graph.
const NOTHING: &str = "empty";

impl StreamArgs {
    pub fn run(self) -> Result<(), Failure> {
        super::refuse_input(&self.input)?;
        self.check_unused()?;
        let app = self.name.map(|name| self.options.app(name, self.out.is_some())).transpose()?;
        if self.name.is_none() {
            self.options.refuse()?;
        }
        if let Some(source) =
            self.options.source.as_ref().filter(|source| !self.names && source.parse::<u64>().is_err())
        {
            return Err(Failure::usage(format!("--source {source}: vertices are called by numbers, without --names")));
        }
        if self.names && self.input.name() != NOTHING {
            return Err(Failure::usage(format!(
                "--names: a graph at the beginning has numbers of its own: GRAPH must be `{NOTHING}`"
            )));
        }
        if self.updates.as_os_str() == "-" {
            return Err(Failure::usage("--updates: workers read a file or a named pipe, not standard input"));
        }
        let exchanges = 1 + usize::from(app.is_some());
        match self.workers.kind()? {
            None => launch::run(usize::from(self.workers.processes.unwrap_or(1)), exchanges),
            Some(started) => {
                check_out(self.out.as_deref())?;
                take_part(started, || self.work(app))
            }
        }
    }

    /// Refuses options on the graph at the beginning that have no effect on it.
    fn check_unused(&self) -> Result<(), Failure> {
        unused::refuse_of_base(&self.input.with_columns(self.graph_columns.clone()), NOTHING)
    }

    /// Takes part.
    fn work(&self, app: Option<App>) -> Result<(), Ended> {
        let exchanges = 1 + usize::from(app.is_some());
        let mut wire = Wire::new(join(&self.workers, 0, exchanges)?);
        let mut beside = app.map(|_| join(&self.workers, 1, exchanges)).transpose()?.map(Wire::new);
        let mut reader = self.reader(&mut wire)?;
        let names = reader.as_ref().and_then(EdgeStream::names).cloned();
        let (mut growing, initial, directed) = self.open(&mut wire)?;
        self.begin(&mut reader, directed);
        let begin = Instant::now();
        let result = scope(|threads| {
            let (send, receive) = sync_channel::<Handed>(0);
            let running = app.zip(beside.as_mut()).map(|(app, beside)| {
                threads.spawn(move || Running { args: self, app, wire: beside, names }.all(&receive))
            });
            let to = running.is_some().then_some(&send);
            let streamed = self.stream(&mut wire, &mut growing, (initial, reader), to);
            drop(send);
            let ran = running
                .map_or(Ok(()), |running| running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            // An algorithm that has failed ends the stream, and is why.
            ran.and(streamed)
        });
        result?;
        let workers = wire.all([peak(), growing.version().local_vertices() as u64])?;
        if wire.worker() == 0 {
            self.report(&growing, &workers, begin)?;
        }
        // No worker ends before the result is there.
        wire.sum(0)?;
        Ok(())
    }

    /// The updates, at worker 0, which alone reads them.
    fn reader(&self, wire: &mut Wire<'_>) -> Result<Option<EdgeStream>, Ended> {
        let options = StreamOptions::default().with_columns(self.input.columns.clone()).with_names(self.names);
        let mine = match wire.worker() {
            0 => EdgeStream::open(&self.updates, options).map(Some).map_err(|error| error.to_string()),
            _ => Ok(None),
        };
        let reader = wire.agree(mine)?.map_err(|refused| Failure::input(refused.reason))?;
        Ok(reader)
    }

    /// Reads the first of the updates, whose columns are known then. `directed` says it of the graph.
    fn begin(&self, reader: &mut Option<EdgeStream>, directed: bool) {
        if let Some(reader) = reader {
            let direction = if directed { Direction::Directed } else { Direction::Undirected };
            if !self.input.has_direction() {
                reader.expect_direction(direction);
            }
            reader.begin();
            let named = self.input.columns.is_some();
            if let Some(columns) = reader.columns().filter(|columns| !named && columns.as_slice().len() > 2) {
                note(format_args!("read as: {columns:#}"));
            }
        }
    }

    /// The part of this worker, what it is to read of the graph at the beginning, and whether edges have a direction.
    fn open(&self, wire: &mut Wire<'_>) -> Result<(Growing, Option<Initial>, bool), Ended> {
        let (initial, directed) = if self.input.name() == NOTHING {
            (None, !self.input.is_undirected())
        } else {
            let input = self.input.with_columns(self.graph_columns.clone());
            let source = Source::open(&input, Weights::OrOne, wire)?;
            if source.names.is_some() {
                let hint = "a graph at the beginning of a stream of several processes has numbers";
                return Err(Failure::input(format!("{} names its vertices; {hint}", input.name())).into());
            }
            let (twice, directed) = (!source.directed && !source.mirrored, source.directed);
            (Some(Initial { source, twice }), directed)
        };
        let ownership = Ownership::new(wire.workers()).with_range(self.workers.range);
        let conflict = self.input.conflict.unwrap_or(Winner::Last).into();
        let options =
            GrowingOptions::new(ownership).with_directed(directed).with_named(self.names).with_conflict(conflict);
        let growing = match &self.into {
            None => Growing::in_memory(options),
            Some(directory) => Growing::open(wire, directory, options).map_err(ended)?,
        };
        Ok((growing, initial, directed))
    }

    fn keeps(&self, from: u64, to: u64) -> bool {
        from != to || !self.input.drops_self_loops()
    }

    /// The edges of this worker's share of the graph at the beginning.
    fn initial(&self, wire: &mut Wire<'_>, initial: Initial) -> Result<Vec<Change>, Ended> {
        let Initial { mut source, twice } = initial;
        let (mut arcs, mut alone, mut changes) = (Vec::new(), Vec::new(), Vec::new());
        let mut read = || -> Result<(), String> {
            loop {
                let more = source.next(&mut arcs, &mut alone)?;
                let once = |arc: &Arc| !twice || arc.from <= arc.to;
                let kept = arcs.drain(..).filter(|arc| once(arc) && self.keeps(arc.from, arc.to));
                let edge = |Arc { from, to, weight }| Change { action: Action::Insert, from, to, weight };
                changes.extend(kept.map(edge));
                // An edge and its deletion leave a vertex without edges.
                let both = [Action::Insert, Action::Delete];
                let vertex = |id| both.map(|action| Change { action, from: id, to: id, weight: 1.0 });
                changes.extend(alone.drain(..).flat_map(vertex));
                if !more {
                    return Ok(());
                }
            }
        };
        let read = read();
        wire.agree(read)?.map_err(Failure::input)?;
        source.call(wire, changes.iter_mut().flat_map(|change| [&mut change.from, &mut change.to]).collect())?;
        source.check(wire)?;
        Ok(changes)
    }

    /// Applies all epochs.
    fn stream(
        &self,
        wire: &mut Wire<'_>,
        growing: &mut Growing,
        (initial, mut reader): (Option<Initial>, Option<EdgeStream>),
        running: Option<&SyncSender<Handed>>,
    ) -> Result<(), Ended> {
        let is_first = wire.worker() == 0;
        if growing.epoch() > 0 && is_first {
            let directory = self.into.as_deref().unwrap_or(std::path::Path::new("")).display();
            note(format_args!(
                "{directory} goes on from epoch {}, after {} updates",
                growing.epoch(),
                growing.updates()
            ));
        }
        if let Some(initial) = initial.filter(|_| growing.epoch() == 0) {
            let begin = Instant::now();
            let changes = self.initial(wire, initial)?;
            growing.begin(wire, &changes).map_err(ended)?;
            self.print_epoch(is_first, growing, None, begin)?;
        }
        let mut skip = growing.updates();
        let mut computed = None;
        loop {
            let begin = Instant::now();
            let count = growing.pending().map_or(self.batch.get(), |pending| pending as usize);
            let read = reader.as_mut().map_or(Ok(Vec::new()), |reader| self.epoch(reader, &mut skip, count));
            let changes = wire.agree(read)?.map_err(|refused| Failure::input(refused.reason))?;
            let total = wire.sum(changes.len() as u64)?;
            if total == 0 {
                break;
            }
            let epoch = growing.apply(wire, &changes).map_err(ended)?;
            self.print_epoch(is_first, growing, Some(total), begin)?;
            if epoch % self.checkpoint == 0 {
                growing.checkpoint(wire).map_err(ended)?;
            }
            if let Some(running) = running.filter(|_| self.every.is_some_and(|every| epoch % every == 0)) {
                // Waits for the run before, if that is not done yet.
                running.send((growing.version(), false)).map_err(|_| stopped())?;
                computed = Some(epoch);
            }
        }
        growing.checkpoint(wire).map_err(ended)?;
        let again = computed != Some(growing.epoch()) || self.out.is_some();
        if let Some(running) = running.filter(|_| again) {
            running.send((growing.version(), true)).map_err(|_| stopped())?;
        }
        Ok(())
    }

    /// Reads the updates of an epoch, after those that are to be skipped.
    fn epoch(&self, reader: &mut EdgeStream, skip: &mut u64, count: usize) -> Result<Vec<Change>, String> {
        let mut changes = Vec::new();
        while changes.len() < count {
            let Some(update) = reader.next() else {
                let path = self.updates.display();
                match skip {
                    0 => break,
                    missing => {
                        return Err(format!("{path}: ends {missing} updates before the last one that was applied"));
                    }
                }
            };
            let update = update.map_err(|error| error.to_string())?;
            if !self.keeps(update.src, update.dst) {
                continue;
            }
            let change = self.change(&update)?;
            match skip {
                0 => changes.push(change),
                _ => *skip -= 1,
            }
        }
        Ok(changes)
    }

    fn change(&self, update: &EdgeUpdate) -> Result<Change, String> {
        let action = match (update.operation, update.weight) {
            (Operation::Insert, _) => Action::Insert,
            (Operation::Delete, _) => Action::Delete,
            (Operation::Reweight, Some(_)) => Action::Reweight,
            (Operation::Reweight, None) => {
                let line = update.line;
                return Err(format!("{}:{line}: the line changes a weight, but has none", self.updates.display()));
            }
        };
        Ok(Change { action, from: update.src, to: update.dst, weight: update.weight.unwrap_or(1.0) })
    }

    /// Prints what an epoch has done; `None` for the graph at the beginning.
    fn print_epoch(
        &self,
        is_first: bool,
        growing: &Growing,
        updates: Option<u64>,
        begin: Instant,
    ) -> Result<(), Failure> {
        if !is_first || !self.json {
            return Ok(());
        }
        print_json(&json!({
            "type": "epoch",
            "epoch": growing.epoch(),
            "updates": updates.unwrap_or(0),
            "total_updates": growing.updates(),
            "seconds": begin.elapsed().as_secs_f64(),
        }))
    }

    /// Prints what the stream has done, and the most memory of each worker.
    fn report(&self, growing: &Growing, workers: &[[u64; 2]], begin: Instant) -> Result<(), Failure> {
        let (epoch, updates, seconds) = (growing.epoch(), growing.updates(), begin.elapsed().as_secs_f64());
        if self.json {
            let worker = |(k, [peak, local]): (usize, &[u64; 2])| json!({"worker": k, "local_vertices": local, "peak_bytes": peak});
            let workers: Vec<Value> = workers.iter().enumerate().map(worker).collect();
            return print_json(&json!({
                "type": "end",
                "epoch": epoch,
                "total_updates": updates,
                "seconds": seconds,
                "workers": workers,
            }));
        }
        let mut text = format!("stream   {updates} updates up to epoch {epoch}, in {seconds:.3} s\n");
        for (k, [peak, local]) in workers.iter().enumerate() {
            text += &format!("worker {k} {local} vertices and ghosts ({peak} bytes at most in the process)\n");
        }
        print(text.as_bytes())
    }
}

/// What a worker is to read of the graph at the beginning.
struct Initial {
    source: Source,
    /// Whether it lists undirected edges in both directions.
    twice: bool,
}

/// A version to run the algorithm on, and whether it is the last.
type Handed = (Version, bool);

/// The algorithm that runs beside the stream.
struct Running<'a, 'w> {
    args: &'a StreamArgs,
    app: App,
    wire: &'a mut Wire<'w>,
    /// The names of vertices by their numbers, if they have any and this is worker 0.
    names: Option<Ids<str>>,
}

impl Running<'_, '_> {
    fn all(mut self, versions: &Receiver<Handed>) -> Result<(), Ended> {
        versions.iter().try_for_each(|(version, is_last)| self.one(&version, is_last))
    }

    fn one(&mut self, version: &Version, is_last: bool) -> Result<(), Ended> {
        let begin = Instant::now();
        let part = version.part(self.wire)?;
        let app = self.started_from()?;
        let mut found = match pleach_cluster::run(app, &part, self.wire) {
            Ok(found) => Some(found),
            Err(RunError::Lost(lost)) => return Err(lost.into()),
            // A vertex that is named may come later.
            Err(RunError::NoVertex(_)) if !is_last => None,
            Err(RunError::NoVertex(_)) => return Err(self.no_vertex().into()),
            Err(other) => return Err(Failure::input(other).into()),
        };
        let seconds = begin.elapsed().as_secs_f64();
        if let (Some(out), Some(found), true) = (&self.args.out, &found, is_last) {
            write_values(out, &part, self.wire, self.names.as_ref().map_or(Naming::Numbers, Naming::Here), found)?;
        }
        if let (Some(names), Some(found)) = (&self.names, &mut found)
            && let Some(best) = found.figures.get_mut("max_vertex")
            && let Some(name) = best.as_u64().and_then(|number| names.key(number as u32))
        {
            *best = name.into();
        }
        if self.wire.worker() == 0 {
            self.print_result(version.number(), (part.vertices, part.arcs), found.as_ref(), seconds)?;
        }
        Ok(())
    }

    /// The algorithm with the number of the vertex that it starts from.
    fn started_from(&mut self) -> Result<App, Ended> {
        let Some(source) = self.args.options.source.as_ref().filter(|_| self.args.names) else { return Ok(self.app) };
        // Worker 0 knows it, if it has come.
        let number = self.names.as_ref().and_then(|names| names.get(source)).map_or(u64::MAX, u64::from);
        Ok(self.app.from(self.wire.all(number)?[0]))
    }

    fn no_vertex(&self) -> Failure {
        let source = self.args.options.source.as_deref().unwrap_or_default();
        Failure::NoVertex(format!("the graph has no vertex {source} at the end of the stream"))
    }

    fn print_result(
        &self,
        epoch: u64,
        (vertices, arcs): (u64, u64),
        found: Option<&Found>,
        seconds: f64,
    ) -> Result<(), Failure> {
        let app = self.args.name.map(super::name_of).unwrap_or_default();
        let figures = found.map(|found| &found.figures);
        if self.args.json {
            return print_json(&json!({
                "type": "result",
                "app": app,
                "epoch": epoch,
                "vertices": vertices,
                "arcs": arcs,
                "seconds": seconds,
                "result": figures,
            }));
        }
        let figure = |(name, value): (&String, &Value)| format!(", {name} {value}");
        let figures = figures.map_or(", no vertex to start from".to_owned(), |all| all.iter().map(figure).collect());
        let text = format!("epoch {epoch}: {vertices} vertices, {arcs} arcs; {app} in {seconds:.3} s{figures}\n");
        match self.args.out.as_deref() {
            Some(out) => super::super::output::print_beside(Some(out), text.as_bytes()),
            None => print(text.as_bytes()),
        }
    }
}

/// The algorithm has ended early, and says why.
fn stopped() -> Ended {
    Ended::Failed(Failure::input("the algorithm has ended"))
}

fn ended(error: StreamError) -> Ended {
    match error {
        StreamError::Lost(lost) => Ended::Lost(lost),
        refused => Ended::Failed(Failure::input(refused)),
    }
}
