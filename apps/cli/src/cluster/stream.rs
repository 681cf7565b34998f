//! `pleach cluster stream`: every worker holds the rows of its vertices, and a stream of updates changes them in epochs.
//!
//! ```text
//!   worker 0:  lines ─► an epoch ─► to the owners ─► every worker commits ─► acknowledged ─► printed
//!                                                        │
//!   all:       an algorithm on the version of an epoch, over connections of its own, while later epochs are applied
//! ```

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::scope;
use std::time::Instant;

use clap::Args;
use pleach::graph::Action;
use pleach_cluster::stream::{Change, Growing, GrowingOptions, StreamError, digest};
use pleach_cluster::{App, Arc, Arcs, Ownership, Wire};
use pleach_datasets::stream::{EdgeStream, EdgeUpdate, Operation, StreamOptions};
use pleach_datasets::{Columns, Direction, Weights};
use serde_json::{Value, json};

use super::super::Failure;
use super::super::input::{InputArgs, Winner};
use super::super::output::{check_out, note, print_beside, print_json_beside};
use super::super::unused;
use super::beside::{Handed, Running, stopped};
use super::source::Source;
use super::worker::{Ended, join, peak, take_part};
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
    pub(super) names: bool,
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
    pub(super) name: Option<super::AppName>,
    /// Run the algorithm after every N epochs too, while later ones are applied
    #[arg(long, value_name = "N", requires = "name")]
    every: Option<NonZeroU64>,
    #[command(flatten)]
    pub(super) options: AppArgs,
    #[command(flatten)]
    workers: Workers,
    /// File for the value of each vertex at the end, a line `ID VALUE` each, by ids; `-` is standard output
    #[arg(long, value_name = "FILE", requires = "name")]
    pub(super) out: Option<PathBuf>,
    /// Print a line of JSON for each epoch, for each run of the algorithm, and at the end
    #[arg(long)]
    pub(super) json: bool,
}

/// The name of the empty graph.
const NOTHING: &str = "empty";

impl StreamArgs {
    /// The algorithm to run, if there is one. Refuses what cannot be done with these options.
    pub fn check(&self) -> Result<Option<App>, Failure> {
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
        Ok(app)
    }

    pub fn run(self) -> Result<(), Failure> {
        let app = self.check()?;
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
        let result = scope(|threads| -> Result<(), Ended> {
            let (send, receive) = sync_channel::<Handed>(0);
            let running = app.zip(beside.as_mut()).map(|(app, beside)| {
                threads.spawn(move || Running { args: self, app, wire: beside, names, missing: false }.all(&receive))
            });
            let to = running.is_some().then_some(&send);
            let streamed = self.stream(&mut wire, &mut growing, (initial, reader), to);
            drop(send);
            let ran = running
                .map_or(Ok(None), |running| running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            // An algorithm that has failed ends the stream, and is why.
            let missing = ran?;
            streamed?;
            missing.map_or(Ok(()), |failure| Err(failure.into()))
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
    fn open(&self, wire: &mut Wire<'_>) -> Result<(Growing, Option<Source>, bool), Ended> {
        let (initial, directed) = if self.input.name() == NOTHING {
            (None, !self.input.is_undirected())
        } else {
            let input = self.input.with_columns(self.graph_columns.clone());
            let source = Source::open(&input, Weights::OrOne, wire)?;
            if source.names.is_some() {
                let hint = "a graph at the beginning of a stream of several processes has numbers";
                return Err(Failure::input(format!("{} names its vertices; {hint}", input.name())).into());
            }
            let directed = source.directed;
            (Some(source), directed)
        };
        let ownership = Ownership::new(wire.workers()).with_range(self.workers.range);
        let conflict = self.input.conflict.unwrap_or(Winner::Last).into();
        let options = GrowingOptions::new(ownership)
            .with_directed(directed)
            .with_named(self.names)
            .with_conflict(conflict)
            .with_dropped_loops(self.input.drops_self_loops());
        let growing = match &self.into {
            None => Growing::in_memory(options),
            Some(directory) => Growing::open(wire, directory, options).map_err(ended)?,
        };
        Ok((growing, initial, directed))
    }

    fn keeps(&self, from: u64, to: u64) -> bool {
        from != to || !self.input.drops_self_loops()
    }

    /// The vertices and the edges of this worker's share of the graph at the beginning.
    fn initial(&self, wire: &mut Wire<'_>, mut source: Source) -> Result<(Vec<u64>, Vec<Change>), Ended> {
        // Whether undirected edges are listed in both directions, and whether arcs that are listed once stand for two.
        let (twice, both) = (!source.directed && !source.mirrored, source.directed && source.mirrored);
        let (mut arcs, mut vertices, mut changes) = (Vec::new(), Vec::new(), Vec::new());
        let mut read = || -> Result<(), String> {
            loop {
                let more = source.next(&mut arcs, &mut vertices)?;
                for Arc { from, to, weight } in arcs.drain(..).filter(|arc| !twice || arc.from <= arc.to) {
                    if !self.keeps(from, to) {
                        vertices.push(from);
                        continue;
                    }
                    changes.push(Change { action: Action::Insert, from, to, weight });
                    if both && from != to {
                        changes.push(Change { action: Action::Insert, from: to, to: from, weight });
                    }
                }
                if !more {
                    return Ok(());
                }
            }
        };
        let read = read();
        wire.agree(read)?.map_err(Failure::input)?;
        let ends = changes.iter_mut().flat_map(|change| [&mut change.from, &mut change.to]);
        source.call(wire, vertices.iter_mut().chain(ends).collect())?;
        source.check(wire)?;
        Ok((vertices, changes))
    }

    /// Applies all epochs.
    fn stream(
        &self,
        wire: &mut Wire<'_>,
        growing: &mut Growing,
        (initial, mut reader): (Option<Source>, Option<EdgeStream>),
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
            let (vertices, changes) = self.initial(wire, initial)?;
            growing.begin(wire, &vertices, &changes).map_err(ended)?;
            self.print_epoch(is_first, growing, None, begin)?;
        }
        let passed = reader.as_mut().map_or(Ok(()), |reader| self.pass_over(reader, growing));
        wire.agree(passed)?.map_err(|refused| Failure::input(refused.reason))?;
        let mut computed = None;
        loop {
            let begin = Instant::now();
            let count = growing.pending().map_or(self.batch.get(), |pending| pending as usize);
            let read = reader.as_mut().map_or(Ok(Vec::new()), |reader| self.epoch(reader, count));
            let changes = wire.agree(read)?.map_err(|refused| Failure::input(refused.reason))?;
            let total = wire.sum(changes.len() as u64)?;
            // An epoch without updates that a part has already is one all the same.
            if total == 0 && growing.pending().is_none() {
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

    /// Passes over the updates that the graph has already. They must be those that were applied.
    fn pass_over(&self, reader: &mut EdgeStream, growing: &Growing) -> Result<(), String> {
        const BLOCK: u64 = 1 << 16;
        let (path, all) = (self.updates.display(), growing.updates());
        let (mut passed, mut found) = (0, 0u64);
        while passed < all {
            let changes = self.epoch(reader, (all - passed).min(BLOCK) as usize)?;
            if changes.is_empty() {
                return Err(format!("{path}: ends {} updates before the last one that was applied", all - passed));
            }
            found = found.wrapping_add(digest(passed, &changes));
            passed += changes.len() as u64;
        }
        match growing.digest() {
            Some(applied) if applied != found => Err(format!(
                "{path}: its first {all} updates are not those that were applied; expected the same lines, and new ones behind them"
            )),
            _ => Ok(()),
        }
    }

    /// Reads so many updates, or those that are left.
    fn epoch(&self, reader: &mut EdgeStream, count: usize) -> Result<Vec<Change>, String> {
        let mut changes = Vec::new();
        while changes.len() < count {
            let Some(update) = reader.next() else { break };
            let update = update.map_err(|error| error.to_string())?;
            if self.keeps(update.src, update.dst) {
                changes.push(self.change(&update)?);
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
        print_json_beside(
            self.out.as_deref(),
            &json!({
                "type": "epoch",
                "epoch": growing.epoch(),
                "updates": updates.unwrap_or(0),
                "total_updates": growing.updates(),
                "seconds": begin.elapsed().as_secs_f64(),
            }),
        )
    }

    /// Prints what the stream has done, and the most memory of each worker.
    fn report(&self, growing: &Growing, workers: &[[u64; 2]], begin: Instant) -> Result<(), Failure> {
        let (epoch, updates, seconds) = (growing.epoch(), growing.updates(), begin.elapsed().as_secs_f64());
        if self.json {
            let worker = |(k, [peak, local]): (usize, &[u64; 2])| json!({"worker": k, "local_vertices": local, "peak_bytes": peak});
            let workers: Vec<Value> = workers.iter().enumerate().map(worker).collect();
            return print_json_beside(
                self.out.as_deref(),
                &json!({
                    "type": "end",
                    "epoch": epoch,
                    "total_updates": updates,
                    "seconds": seconds,
                    "workers": workers,
                }),
            );
        }
        let mut text = format!("stream   {updates} updates up to epoch {epoch}, in {seconds:.3} s\n");
        for (k, [peak, local]) in workers.iter().enumerate() {
            text += &format!("worker {k} {local} vertices and ghosts ({peak} bytes at most in the process)\n");
        }
        print_beside(self.out.as_deref(), text.as_bytes())
    }
}

fn ended(error: StreamError) -> Ended {
    match error {
        StreamError::Lost(lost) => Ended::Lost(lost),
        refused => Ended::Failed(Failure::input(refused)),
    }
}
