//! Graphs that change: updates go to the owners of their ends at an epoch, and a version of the whole is a version of each part.
//!
//! ```text
//!   epoch 8 ─► each update to the owners of its ends ─► all prepared? ─► each commits ─► all committed? ─► acknowledged
//!                                                                          │
//!                                        version 8 of every part: a consistent cut, which algorithms read later
//! ```
//!
//! Every epoch is one batch at every worker, an empty one where nothing of it belongs there. So version numbers are those of epochs,
//! everywhere. A part holds all edges that touch one of its vertices; local numbers are those of [`pleach_log::VertexIds`].
//!
//! A part in a directory is a durable graph of `pleach-log`. What was acknowledged is in every part; a file beside the parts, which is
//! written last, says which version all have and how many updates of the source that is. After a crash some parts may be one epoch ahead of
//! others. The source is then read again from the place of the version that all have, and parts that have an epoch already pass it over.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pleach::graph::{Action, GraphOptions, Ids, UpdateList};
use pleach_erased::{AnyGraph, AnySnapshot, DEFAULT_STORE};
use pleach_log::{Durable, IdKind, Options};
use serde::{Deserialize, Serialize};

use crate::exchange::Lost;
use crate::owner::Ownership;
use crate::part::{Part, Pieces};
use crate::rows::Sides;
use crate::wire::{Refused, Wire};

/// A change of one edge, with the ids of its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// What it does.
    pub action: Action,
    /// The source.
    pub from: u64,
    /// The target.
    pub to: u64,
    /// The weight; 1 if there is none.
    pub weight: f64,
}

/// The actions that travel, by their numbers on the wire.
const ACTIONS: [Action; 3] = [Action::Insert, Action::Reweight, Action::Delete];

/// A change as it travels: action, ends, bits of the weight.
type Sent = [u64; 4];

/// Why an epoch was not applied, or a graph not opened; the same at every worker.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// A worker has ended.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// A worker could not do its part. If it could not prepare its batch, no part has changed.
    #[error(transparent)]
    Refused(#[from] Refused),
}

/// Where a part is held.
enum Held {
    Memory(AnyGraph<f64>, Ids<u64>),
    Durable(Box<Durable<f64>>, PathBuf),
}

/// One worker's part of a graph that changes.
pub struct Growing {
    ownership: Ownership,
    directed: bool,
    held: Held,
    /// The last epoch that all workers have.
    epoch: u64,
    /// The last epoch that this part has: one more, perhaps, after a crash.
    own: u64,
    /// Updates of the source up to `epoch`.
    updates: u64,
    /// Updates that the next epoch must have, since some part has it already; 0 if none has.
    pending: u64,
}

/// What is common to all parts in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    workers: usize,
    range: u64,
    directed: bool,
    /// The version that every part has.
    version: u64,
    /// Updates of the source up to it.
    updates: u64,
    /// Updates of the epoch behind it.
    next: u64,
}

/// The format that is written here, and the newest that is read.
const FORMAT: u32 = 1;

/// The name of the file that says what all parts have in common.
const MANIFEST: &str = "cluster.json";

impl Growing {
    /// An empty part in memory.
    ///
    /// # Panics
    ///
    /// If the default store does not exist, which tests exclude.
    pub fn in_memory(ownership: Ownership, directed: bool) -> Self {
        let store = DEFAULT_STORE.parse().expect("the default store has a name");
        let graph = AnyGraph::new(&store, options(directed)).expect("the default store holds any graph");
        Growing { ownership, directed, held: Held::Memory(graph, Ids::new()), epoch: 0, own: 0, updates: 0, pending: 0 }
    }

    /// Opens the part of this worker in a directory that all can reach, or that is on each worker's own disk; makes it if there is none.
    /// After a crash, [`epoch`](Self::epoch) and [`updates`](Self::updates) say from where on the source is to be read again.
    ///
    /// # Errors
    ///
    /// [`StreamError`]: a part cannot be opened, or the directory is that of other workers.
    pub fn open(wire: &mut Wire<'_>, folder: &Path, ownership: Ownership, directed: bool) -> Result<Self, StreamError> {
        let me = wire.worker();
        let manifest = if me == 0 { read_manifest(folder) } else { Ok(None) };
        let manifest = wire.agree(manifest)??;
        let numbers = |m: Manifest| [1, m.workers as u64, m.range, u64::from(m.directed), m.version, m.updates, m.next];
        let [found, workers, range, was_directed, version, updates, next] =
            wire.all(manifest.map_or([0; 7], numbers))?[0];
        let fits = match found == 0
            || [workers, range, was_directed] == [ownership.workers() as u64, ownership.range(), directed.into()]
        {
            true => Ok(()),
            false => Err(format!(
                "{}: holds the parts of {workers} workers with {range} vertices each by turns, {}",
                folder.display(),
                if was_directed == 1 { "directed" } else { "undirected" }
            )),
        };
        wire.agree(fits)??;
        let path = folder.join(format!("part-{me}"));
        let opened =
            fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display())).and_then(|()| {
                // Parts are cut together, when all have the same version.
                let options = Options::of(options(directed)).with_ids(IdKind::Numbers).with_checkpoint_bytes(None);
                pleach_log::open(&path, options).map_err(|error| error.to_string())
            });
        let graph = wire.agree(opened)??;
        let own = graph.fresh().version();
        let all = wire.all(own)?;
        let common = all.iter().copied().min().unwrap_or(0);
        let right = match all.iter().position(|&own| own > common + 1 || own < version) {
            None if common <= version + 1 => Ok(()),
            at => Err(format!("{}: worker {} has another version than the others", folder.display(), at.unwrap_or(me))),
        };
        wire.agree(right)??;
        let updates = if common > version { updates + next } else { updates };
        let held = Held::Durable(Box::new(graph), folder.to_owned());
        let pending = if all.iter().any(|&own| own > common) { next } else { 0 };
        Ok(Growing { ownership, directed, held, epoch: common, own, updates, pending })
    }

    /// The last epoch that was acknowledged: all workers have it.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Updates of the source up to that epoch.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// How many updates the next epoch must have, if some part has it already: the same as before the crash.
    pub fn pending(&self) -> Option<u64> {
        (self.pending > 0).then_some(self.pending)
    }

    /// Applies the changes of the next epoch: those that each worker has read, in the order of workers. Returns when every worker has them,
    /// on its disk if there is one: the epoch is acknowledged.
    ///
    /// The message of each worker says how many changes it has read, so that every worker knows the place in the source.
    ///
    /// # Errors
    ///
    /// [`StreamError`].
    pub fn apply(&mut self, wire: &mut Wire<'_>, changes: &[Change]) -> Result<u64, StreamError> {
        let total = wire.sum(changes.len() as u64)?;
        if self.pending > 0 && total != self.pending {
            let reason = format!("the next epoch has {} updates, as before, and not {total}", self.pending);
            wire.agree(Err::<(), _>(reason))??;
        }
        // Written before any part goes on: whoever restarts knows how many updates the epoch has.
        let announced = self.write_manifest(wire.worker(), total);
        wire.agree(announced)??;
        let mine = self.route(wire, changes)?;
        let epoch = self.epoch + 1;
        let committed = if self.own >= epoch {
            // A crash came between the commits of the others and this one's acknowledgement.
            wire.agree(Ok(()))??;
            Ok(epoch)
        } else {
            let updates = self.local(&mine);
            match &self.held {
                Held::Memory(graph, _) => {
                    let prepared = updates.and_then(|list| graph.prepare_list(list).map_err(|error| error.to_string()));
                    let prepared = wire.agree(prepared)??;
                    graph.commit(prepared).map(|applied| applied.version).map_err(|error| error.to_string())
                }
                Held::Durable(graph, _) => {
                    let prepared = updates.and_then(|list| graph.prepare_list(list).map_err(|error| error.to_string()));
                    let prepared = wire.agree(prepared)??;
                    graph.commit(prepared).map(|applied| applied.version).map_err(|error| error.to_string())
                }
            }
        };
        let committed = committed.and_then(|version| match version == epoch {
            true => Ok(()),
            false => Err(format!("epoch {epoch} has become version {version}")),
        });
        wire.agree(committed)??;
        self.own = self.own.max(epoch);
        self.epoch = epoch;
        self.updates += total;
        self.pending = 0;
        Ok(epoch)
    }

    /// Sends each change to the owners of its ends; what arrives here, in the order of workers.
    fn route(&self, wire: &mut Wire<'_>, changes: &[Change]) -> Result<Vec<Sent>, Lost> {
        let mut to: Vec<Vec<Sent>> = vec![Vec::new(); wire.workers()];
        for change in changes {
            let action = ACTIONS.iter().position(|&action| action == change.action).unwrap_or_default();
            let sent = [action as u64, change.from, change.to, change.weight.to_bits()];
            let (from, target) = (self.ownership.owner(change.from), self.ownership.owner(change.to));
            to[from].push(sent);
            if target != from {
                to[target].push(sent);
            }
        }
        Ok(wire.swap_numbers(to)?.concat())
    }

    /// Changes by local numbers.
    fn local(&self, sent: &[Sent]) -> Result<UpdateList<f64>, String> {
        let ids = self.ids();
        let mut list = UpdateList::new();
        for &[action, from, to, weight] in sent {
            let number = |id: u64| ids.intern(&id).map_err(|error| error.to_string());
            list.push(ACTIONS[action as usize], number(from)?, number(to)?, f64::from_bits(weight));
        }
        Ok(list)
    }

    fn ids(&self) -> &Ids<u64> {
        match &self.held {
            Held::Memory(_, ids) => ids,
            Held::Durable(graph, _) => graph.ids().numbers().expect("parts have numbers as ids"),
        }
    }

    /// The part as it is now, for algorithms that run while later epochs are applied. If all workers call it between the same epochs, they
    /// have the same version.
    pub fn version(&self) -> Version {
        let snapshot = match &self.held {
            Held::Memory(graph, _) => graph.fresh(),
            Held::Durable(graph, _) => graph.fresh(),
        };
        Version { snapshot, ids: self.ids().clone(), ownership: self.ownership, directed: self.directed }
    }

    /// Writes a checkpoint of every part at the present version, and then the file that says so.
    ///
    /// # Errors
    ///
    /// [`StreamError`]; what is in the directory is as good as before.
    pub fn checkpoint(&mut self, wire: &mut Wire<'_>) -> Result<(), StreamError> {
        let written = match &self.held {
            Held::Memory(..) => Ok(()),
            Held::Durable(graph, _) => graph.checkpoint().map(drop).map_err(|error| error.to_string()),
        };
        wire.agree(written)??;
        let written = self.write_manifest(wire.worker(), 0);
        Ok(wire.agree(written)??)
    }

    /// Writes, at worker 0, what all parts have, and how many updates the next epoch has.
    fn write_manifest(&self, worker: usize, next: u64) -> Result<(), String> {
        let Held::Durable(_, folder) = &self.held else { return Ok(()) };
        if worker > 0 {
            return Ok(());
        }
        let manifest = Manifest {
            format: FORMAT,
            workers: self.ownership.workers(),
            range: self.ownership.range(),
            directed: self.directed,
            version: self.epoch,
            updates: self.updates,
            next,
        };
        let write = || -> io::Result<()> {
            let aside = folder.join(format!("{MANIFEST}.new"));
            let mut file = File::create(&aside)?;
            file.write_all(&serde_json::to_vec(&manifest)?)?;
            file.sync_all()?;
            fs::rename(&aside, folder.join(MANIFEST))?;
            File::open(folder)?.sync_all()
        };
        write().map_err(|error| format!("{}: {error}", folder.join(MANIFEST).display()))
    }
}

/// What the file in a directory says, if there is one.
fn read_manifest(folder: &Path) -> Result<Option<Manifest>, String> {
    let path = folder.join(MANIFEST);
    let wrong = |reason: String| format!("{}: {reason}", path.display());
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrong(error.to_string())),
    };
    let manifest: Manifest = serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
    match manifest.format <= FORMAT {
        true => Ok(Some(manifest)),
        false => Err(wrong(format!("is of format {}; this program reads up to {FORMAT}", manifest.format))),
    }
}

fn options(directed: bool) -> GraphOptions<f64> {
    GraphOptions::default().with_directed(directed)
}

/// A part as it was at an epoch. It does not change.
pub struct Version {
    snapshot: AnySnapshot<f64>,
    ids: Ids<u64>,
    ownership: Ownership,
    directed: bool,
}

impl Version {
    /// Its number, which is that of the epoch.
    pub fn number(&self) -> u64 {
        self.snapshot.version()
    }

    /// The part for algorithms: ghosts are agreed on, in three supersteps. All workers call it alike, on an exchange of their own if epochs are
    /// applied meanwhile.
    ///
    /// # Errors
    ///
    /// [`Lost`], if a worker has ended.
    pub fn part(&self, wire: &mut Wire<'_>) -> Result<Part<'_>, Lost> {
        let bound = self.snapshot.num_rows() as u32;
        let ids: Vec<u64> = (0..bound).map(|vertex| self.ids.key(vertex).unwrap_or_default()).collect();
        let is_own = |&vertex: &u32| self.ownership.owner(ids[vertex as usize]) == wire.worker();
        let mut own: Vec<u32> = self.snapshot.vertices().filter(is_own).collect();
        own.sort_unstable_by_key(|&vertex| ids[vertex as usize]);
        let footprint = self.snapshot.footprint();
        let rows = Sides {
            out: self.snapshot.rows(),
            incoming: self.snapshot.incoming_rows().filter(|_| self.directed),
            bytes: footprint.bytes,
        };
        let find = |id: u64| self.ids.get(&id);
        let (ownership, directed) = (self.ownership, self.directed);
        Part::agree(wire, Pieces { ownership, directed, rows: Box::new(rows), ids, own }, &find)
    }
}
