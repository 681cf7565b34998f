//! Graphs that are kept in a directory: `pleach open`, and a directory in the place of a file.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use pleach::EdgeList;
use pleach::graph::MAX_VERTICES;
use pleach_datasets::{Edges, Input};
use pleach_erased::AnySnapshot;
use pleach_log::{Description, Durable, IdKind, OpenError, Options, Recovery, View};
use serde_json::{Value, json};

use super::Failure;
use super::ids;
use super::output::{note, print, print_json};

/// What edges of a graph that is kept can carry.
pub trait Carried: pleach_log::Weights {
    /// A list of edges.
    fn edges(list: EdgeList<Self>) -> Edges;
}

impl Carried for () {
    fn edges(list: EdgeList) -> Edges {
        Edges::Pattern(list)
    }
}

impl Carried for f64 {
    fn edges(list: EdgeList<f64>) -> Edges {
        Edges::Weighted(list)
    }
}

/// Options of `pleach open`.
#[derive(Args)]
pub struct OpenArgs {
    /// The directory, as `pleach stream --into` makes it
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Cut off a log that is damaged before its end where the damage begins: all batches behind it are lost
    #[arg(long, conflicts_with = "at")]
    repair: bool,
    /// Read the graph as it was at this version, if that is still kept, and change nothing in the directory
    #[arg(long, value_name = "VERSION")]
    at: Option<u64>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Options to open a graph with: what the directory says, and room for as many vertices as there can be.
pub fn options<V>(held: &Description) -> Options<V> {
    let mut options = held.options();
    options.graph = options.graph.with_max_vertices(MAX_VERTICES);
    options.with_checkpoint_bytes(None)
}

/// A directory as an error says what is wrong with it.
pub fn failure(error: OpenError) -> Failure {
    if let OpenError::Damaged { repairable: true, .. } = error {
        return Failure::input(format!(
            "{error}; `pleach open --repair` cuts the log off there, and loses what is behind"
        ));
    }
    Failure::input(error)
}

impl OpenArgs {
    /// Runs the command.
    pub fn run(self) -> Result<(), Failure> {
        let held = pleach_log::describe(&self.directory).map_err(failure)?;
        if held.weighted { self.over::<f64>(&held) } else { self.over::<()>(&held) }
    }

    fn over<V: Carried>(&self, held: &Description) -> Result<(), Failure> {
        let begin = Instant::now();
        let options = options::<V>(held).with_repair(self.repair);
        let (snapshot, recovery) = match self.at {
            Some(version) => {
                let view = pleach_log::open_at(&self.directory, Some(version), &options).map_err(failure)?;
                (view.snapshot(), view.recovery().clone())
            }
            None => {
                let durable: Durable<V> = pleach_log::open(&self.directory, options).map_err(failure)?;
                let read = (durable.fresh(), durable.recovery().clone());
                durable.close().map_err(Failure::input)?;
                read
            }
        };
        let seconds = begin.elapsed().as_secs_f64();
        snapshot.audit().map_err(|error| {
            Failure::input(format!("the graph in {} is not sound: {error}", self.directory.display()))
        })?;
        let facts = self.facts(held, &snapshot, &recovery, seconds);
        if self.json { print_json(&facts) } else { print(self.text(&facts, &recovery).as_bytes()) }
    }

    fn facts<V: Carried>(
        &self,
        held: &Description,
        snapshot: &AnySnapshot<V>,
        recovery: &Recovery,
        seconds: f64,
    ) -> Value {
        let cut = recovery.cut.as_ref().map(|cut| (cut.path.display().to_string(), cut)).map(
            |(file, cut)| json!({ "file": file, "offset": cut.offset, "bytes": cut.bytes, "repaired": cut.repaired }),
        );
        json!({
            "directory": self.directory.display().to_string(),
            "version": snapshot.version(),
            "vertices": snapshot.num_vertices(),
            "edges": snapshot.num_edges(),
            "arcs": snapshot.num_arcs(),
            "directed": held.directed,
            "weighted": held.weighted,
            "conflict": held.conflict,
            "ids": match held.ids { IdKind::None => "none", IdKind::Numbers => "numbers", IdKind::Names => "names" },
            "checkpoint": recovery.checkpoint,
            "replayed": recovery.replayed,
            "cut": cut,
            "damaged_checkpoints": recovery.damaged_checkpoints,
            "check": "ok",
            "seconds": seconds,
        })
    }

    fn text(&self, facts: &Value, recovery: &Recovery) -> String {
        let mut text = format!(
            "{}: version {}, {} vertices, {} edges, {}, {}\n\
             opened in {:.3} s: checkpoint of version {}, and {} batches of the log; all checks passed\n",
            self.directory.display(),
            facts["version"],
            facts["vertices"],
            facts["edges"],
            if facts["directed"] == true { "directed" } else { "undirected" },
            if facts["weighted"] == true { "with weights" } else { "without weights" },
            facts["seconds"].as_f64().unwrap_or_default(),
            recovery.checkpoint,
            recovery.replayed,
        );
        text += &said(recovery, self.at.is_some());
        text
    }
}

/// What was found on the way, a line each.
fn said(recovery: &Recovery, left: bool) -> String {
    let mut text = String::new();
    if let Some(cut) = &recovery.cut {
        let what = if cut.repaired { "damaged" } else { "an unfinished batch" };
        let done = if left { "passed over" } else { "cut off" };
        text += &format!(
            "{}: {} bytes from byte {} on were {what}, and {done}\n",
            cut.path.display(),
            cut.bytes,
            cut.offset
        );
    }
    for path in &recovery.damaged_checkpoints {
        text += &format!("{}: damaged or unreadable; an older checkpoint was read instead\n", path.display());
    }
    text
}

/// The graph in a directory as one that is read from a file.
pub fn load(directory: &Path) -> Result<Input, Failure> {
    let held = pleach_log::describe(directory).map_err(failure)?;
    if held.weighted { input::<f64>(directory, &held) } else { input::<()>(directory, &held) }
}

fn input<V: Carried>(directory: &Path, held: &Description) -> Result<Input, Failure> {
    let view: View<V> = pleach_log::open_at(directory, None, &options(held)).map_err(failure)?;
    said(view.recovery(), true).lines().for_each(note);
    let snapshot = view.snapshot();
    let name = directory.file_name().unwrap_or(directory.as_os_str()).to_string_lossy().into_owned();
    Ok(ids::as_input(&snapshot, view.ids(), &name, held.directed))
}
