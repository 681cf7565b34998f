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
//! written last, says which epoch all have and how many updates of the source that is. After a crash some parts may be one epoch ahead of
//! others. The source is then read again from the place of the epoch that all have, and parts that have an epoch already pass it over.
//! Where another number of workers opens the directory, the edges of that epoch are dealt to them first.

mod manifest;
mod redeal;

use std::fs;
use std::path::{Path, PathBuf};

use manifest::Manifest;
use pleach::graph::{Action, Conflict, GraphOptions, Ids, UpdateList};
use pleach::runtime::mix;
use pleach_erased::{AnyGraph, AnySnapshot, DEFAULT_STORE};
use pleach_log::{Durable, IdKind, Options};

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

/// Refuses removals of vertices. A change reaches the owners of its two ends only, and a removal concerns the owners of all neighbours.
fn check_actions(changes: &[Change]) -> Result<(), String> {
    match changes.iter().position(|change| !ACTIONS.contains(&change.action)) {
        None => Ok(()),
        Some(at) => Err(format!(
            "change {at} of an epoch removes the vertex {}: workers insert, reweight and delete edges only",
            changes[at].from
        )),
    }
}

/// A change as it travels: action, ends, bits of the weight.
type Sent = [u64; 4];

fn sent(change: &Change) -> Sent {
    let action = ACTIONS.iter().position(|&action| action == change.action).unwrap_or_default();
    [action as u64, change.from, change.to, change.weight.to_bits()]
}

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

/// What a graph that changes is like.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct GrowingOptions {
    /// Who owns what.
    pub ownership: Ownership,
    /// Whether edges have a direction. By default they do.
    pub directed: bool,
    /// Whether ids are numbers of names, in the order in which the source has them. By default they are not.
    pub named: bool,
    /// Which weight an edge has that is inserted again. By default the last.
    pub conflict: Conflict<f64>,
    /// Whether edges from a vertex to itself are left out of what the source has, before they come here. By default they are not.
    pub drops_loops: bool,
}

impl GrowingOptions {
    /// A directed graph whose vertices are dealt so.
    pub fn new(ownership: Ownership) -> Self {
        GrowingOptions { ownership, directed: true, named: false, conflict: Conflict::Last, drops_loops: false }
    }

    /// Whether edges have a direction.
    #[must_use]
    pub fn with_directed(self, directed: bool) -> Self {
        GrowingOptions { directed, ..self }
    }

    /// Whether ids are numbers of names, in the order in which the source has them. A directory with numbers that are something else is refused
    /// then.
    #[must_use]
    pub fn with_named(self, named: bool) -> Self {
        GrowingOptions { named, ..self }
    }

    /// Which weight an edge has that is inserted again.
    #[must_use]
    pub fn with_conflict(self, conflict: Conflict<f64>) -> Self {
        GrowingOptions { conflict, ..self }
    }

    /// Whether edges from a vertex to itself are left out of what the source has. A directory where that was otherwise is refused: the
    /// place in the source is a number of updates.
    #[must_use]
    pub fn with_dropped_loops(self, drops_loops: bool) -> Self {
        GrowingOptions { drops_loops, ..self }
    }

    fn graph(&self) -> GraphOptions<f64> {
        GraphOptions::default().with_directed(self.directed).with_conflict(self.conflict)
    }

    /// How a part is kept. Parts are cut together, when all have the same version.
    fn kept(&self) -> Options<f64> {
        Options::of(self.graph()).with_ids(IdKind::Numbers).with_checkpoint_bytes(None)
    }
}

/// One worker's part of a graph that changes.
pub struct Growing {
    options: GrowingOptions,
    held: Held,
    /// What all parts have in common, up to the last epoch that was acknowledged.
    common: Manifest,
    /// The last epoch that this part has: one more, perhaps, after a crash.
    own: u64,
    /// How many updates the next epoch must have, if some part has it already, and their [`digest`].
    pending: Option<(u64, u64)>,
}

impl Growing {
    /// An empty part in memory.
    ///
    /// # Panics
    ///
    /// If the default store does not exist, which tests exclude.
    pub fn in_memory(options: GrowingOptions) -> Self {
        let store = DEFAULT_STORE.parse().expect("the default store has a name");
        let graph = AnyGraph::new(&store, options.graph()).expect("the default store holds any graph");
        let common = Manifest::new(&options);
        Growing { options, held: Held::Memory(graph, Ids::new()), common, own: 0, pending: None }
    }

    /// Opens the part of this worker in a directory that all can reach, or that is on each worker's own disk; makes it if there is none.
    /// After a crash, [`epoch`](Self::epoch) and [`updates`](Self::updates) say from where on the source is to be read again.
    ///
    /// A directory that was written by another number of workers, or with other ranges, must be one that all can reach. Its edges are dealt
    /// to these workers, which takes time and memory as loading the graph does; until that is done, what is there stays there.
    ///
    /// # Errors
    ///
    /// [`StreamError`]: a part cannot be opened, or the graph in the directory is another one.
    pub fn open(wire: &mut Wire<'_>, directory: &Path, options: GrowingOptions) -> Result<Self, StreamError> {
        let me = wire.worker();
        let read = if me == 0 { Manifest::read(directory) } else { Ok(None) };
        let read = wire.agree(read)??;
        let found = Manifest::of(wire.all(Manifest::numbers(read))?[0]);
        if let Some(how) = found.and_then(|found| found.differs(&options)) {
            wire.agree(Err::<(), _>(format!("{}: holds a graph {how}", directory.display())))??;
        }
        let common = match found {
            Some(found) if found.ownership() != options.ownership => redeal::to(wire, directory, &options, found)?,
            found => found.unwrap_or_else(|| Manifest::new(&options)),
        };
        let growing = Self::open_part(wire, directory, options, common)?;
        growing.common.clean(directory);
        Ok(growing)
    }

    /// Opens the part of this worker, with what is known of all parts.
    fn open_part(
        wire: &mut Wire<'_>,
        directory: &Path,
        options: GrowingOptions,
        mut common: Manifest,
    ) -> Result<Self, StreamError> {
        let me = wire.worker();
        let part = common.part(directory, me);
        let open = || {
            if common.epoch > 0 && !part.is_dir() {
                return Err(format!("{}: the part of worker {me} is not there", part.display()));
            }
            let made = fs::create_dir_all(common.folder(directory));
            made.map_err(|error| format!("{}: {error}", directory.display()))?;
            pleach_log::open(&part, options.kept()).map_err(|error| error.to_string())
        };
        let opened = open();
        let graph = wire.agree(opened)??;
        let own = common.epoch_of(graph.fresh().version());
        let all = wire.all(own)?;
        let (least, announced) = (all.iter().copied().min().unwrap_or(0), (common.next, common.next_digest));
        wire.agree(check(directory, &common, &all, me))??;
        if least > common.epoch {
            common.updates += announced.0;
            common.digest = common.digest.wrapping_add(announced.1);
            common.epoch = least;
        }
        (common.next, common.next_digest) = (0, 0);
        if common.epoch == 0 {
            // The graph at the beginning is announced again.
            common.initial = 0;
        }
        let pending = all.iter().any(|&own| own > least).then_some(announced);
        let held = Held::Durable(Box::new(graph), directory.to_owned());
        Ok(Growing { options, held, common, own, pending })
    }

    /// The last epoch that was acknowledged: all workers have it.
    pub fn epoch(&self) -> u64 {
        self.common.epoch
    }

    /// Updates of the source up to that epoch. The edges of the graph at the beginning are none of them.
    pub fn updates(&self) -> u64 {
        self.common.updates - self.common.initial
    }

    /// [`digest`] of the updates of the source up to that epoch; `None` if it is not known, or there are none.
    pub fn digest(&self) -> Option<u64> {
        (self.common.digest != 0).then_some(self.common.digest)
    }

    /// How many updates the next epoch must have, if some part has it already: the same as before the crash.
    pub fn pending(&self) -> Option<u64> {
        self.pending.map(|pending| pending.0)
    }

    /// Applies the changes of the next epoch: those that each worker has read, in the order of workers. Returns when every worker has them,
    /// on its disk if there is one: the epoch is acknowledged.
    ///
    /// The message of each worker says how many changes it has read, so that every worker knows the place in the source.
    ///
    /// # Errors
    ///
    /// [`StreamError`], also if a change removes a vertex: no part has changed then.
    pub fn apply(&mut self, wire: &mut Wire<'_>, changes: &[Change]) -> Result<u64, StreamError> {
        let checked = check_actions(changes);
        // Workers exchange the error only if one of them has such a change, so that an epoch without errors takes no further superstep.
        let counts = wire.all([changes.len() as u64, u64::from(checked.is_err())])?;
        if counts.iter().any(|count| count[1] != 0) {
            wire.agree(checked)??;
        }
        let before = self.updates() + counts[..wire.worker()].iter().map(|count| count[0]).sum::<u64>();
        let digest = wire.sum(digest(before, changes))?;
        self.advance(wire, &[changes], (counts.iter().map(|count| count[0]).sum(), digest))
    }

    /// As [`apply`](Self::apply), for the vertices and the edges of the graph at the beginning, as the first epoch: they are no updates of the
    /// source. Vertices with edges need not be among `vertices`.
    ///
    /// # Errors
    ///
    /// [`StreamError`], also if there was an epoch already, or if a change removes a vertex.
    pub fn begin(&mut self, wire: &mut Wire<'_>, vertices: &[u64], changes: &[Change]) -> Result<u64, StreamError> {
        let first = match self.common.epoch {
            0 => check_actions(changes),
            epoch => Err(format!("a graph begins with its first epoch, and this is epoch {epoch}")),
        };
        wire.agree(first)??;
        // An edge and its deletion leave a vertex without edges.
        let both = [Action::Insert, Action::Delete];
        let vertex = |&id: &u64| both.map(|action| Change { action, from: id, to: id, weight: 1.0 });
        let alone: Vec<Change> = vertices.iter().flat_map(vertex).collect();
        let total = wire.sum((alone.len() + changes.len()) as u64)?;
        self.common.initial = total;
        self.advance(wire, &[&alone, changes], (total, 0))
    }

    /// Applies an epoch with so many changes in all, and this [`digest`]: one list of changes after the other, each of all workers.
    fn advance(
        &mut self,
        wire: &mut Wire<'_>,
        lists: &[&[Change]],
        (total, digest): (u64, u64),
    ) -> Result<u64, StreamError> {
        if let Some((count, before)) = self.pending {
            if total != count {
                wire.agree(Err::<(), _>(format!("the next epoch has {count} updates, as before, and not {total}")))??;
            }
            if before != 0 && digest != before {
                let reason =
                    format!("the next {count} updates are not those that a part has already: expected the same lines");
                wire.agree(Err::<(), _>(reason))??;
            }
        }
        // Written before any part goes on: whoever restarts knows how many updates the epoch has.
        let announced = self.write(wire.worker(), total, digest);
        wire.agree(announced)??;
        self.commit(wire, lists)?;
        self.common.updates += total;
        self.common.digest = self.common.digest.wrapping_add(digest);
        self.pending = None;
        Ok(self.common.epoch)
    }

    /// Has every part take the next epoch: one list of changes after the other, each of all workers.
    fn commit(&mut self, wire: &mut Wire<'_>, lists: &[&[Change]]) -> Result<(), StreamError> {
        let mut mine = Vec::new();
        for changes in lists {
            mine.append(&mut self.route(wire, changes)?);
        }
        let epoch = self.common.epoch + 1;
        let version = if self.own >= epoch {
            // A crash came between the commits of the others and this one's acknowledgement.
            wire.agree(Ok(()))??;
            Ok(self.common.version(epoch))
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
        let committed = version.and_then(|version| match version == self.common.version(epoch) {
            true => Ok(()),
            false => Err(format!("epoch {epoch} has become version {version}")),
        });
        wire.agree(committed)??;
        self.own = self.own.max(epoch);
        self.common.epoch = epoch;
        Ok(())
    }

    /// Sends each change to the owners of its ends; what arrives here, in the order of workers.
    fn route(&self, wire: &mut Wire<'_>, changes: &[Change]) -> Result<Vec<Sent>, Lost> {
        let mut to: Vec<Vec<Sent>> = vec![Vec::new(); wire.workers()];
        for change in changes {
            let sent = sent(change);
            let ownership = self.options.ownership;
            let (from, target) = (ownership.owner(change.from), ownership.owner(change.to));
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
        let epoch = self.common.epoch_of(snapshot.version());
        Version {
            snapshot,
            epoch,
            ids: self.ids().clone(),
            ownership: self.options.ownership,
            directed: self.options.directed,
        }
    }

    /// Writes a checkpoint of every part at the present version, and then the file that says so. After a crash, updates that are
    /// [pending](Self::pending) must be applied before.
    ///
    /// # Errors
    ///
    /// [`StreamError`]; what is in the directory is as good as before.
    pub fn checkpoint(&mut self, wire: &mut Wire<'_>) -> Result<(), StreamError> {
        // A part that has the next epoch already has another version than the others.
        let whole = match self.pending {
            None => Ok(()),
            Some((pending, _)) => {
                Err(format!("a part has {pending} updates behind epoch {}: apply them first", self.common.epoch))
            }
        };
        wire.agree(whole)??;
        let written = match &self.held {
            Held::Memory(..) => Ok(()),
            Held::Durable(graph, _) => graph.checkpoint().map(drop).map_err(|error| error.to_string()),
        };
        wire.agree(written)??;
        let written = self.write(wire.worker(), 0, 0);
        Ok(wire.agree(written)??)
    }

    /// Writes, at worker 0, what all parts have, and how many updates the next epoch has, with their digest.
    fn write(&self, worker: usize, next: u64, next_digest: u64) -> Result<(), String> {
        match &self.held {
            Held::Durable(_, directory) if worker == 0 => {
                Manifest { next, next_digest, ..self.common }.write(directory)
            }
            _ => Ok(()),
        }
    }
}

/// A hash of updates, before which the source has so many others. It depends on their order. The hashes of the stretches of a source add up,
/// modulo 2^64, to that of the whole.
pub fn digest(before: u64, changes: &[Change]) -> u64 {
    let of = |(place, change): (u64, &Change)| sent(change).into_iter().fold(place + 1, |hash, word| mix(hash ^ word));
    (before..).zip(changes).map(of).fold(0, u64::wrapping_add)
}

/// Whether the epochs that the parts have are those that a crash can leave.
fn check(directory: &Path, common: &Manifest, all: &[u64], me: usize) -> Result<(), String> {
    let least = all.iter().copied().min().unwrap_or(0);
    let wrong = |at: usize, what: String| Err(format!("{}: the part of worker {at} {what}", directory.display()));
    if let Some(at) = all.iter().position(|&own| own < common.epoch) {
        return wrong(at, format!("holds epoch {}, and all parts had epoch {}", all[at], common.epoch));
    }
    match all.iter().position(|&own| own > least + 1) {
        None if least <= common.epoch + 1 => Ok(()),
        at => wrong(at.unwrap_or(me), "has another version than the others".to_owned()),
    }
}

/// A part as it was at an epoch. It does not change.
pub struct Version {
    snapshot: AnySnapshot<f64>,
    epoch: u64,
    ids: Ids<u64>,
    ownership: Ownership,
    directed: bool,
}

impl Version {
    /// Its number, which is that of the epoch.
    pub fn number(&self) -> u64 {
        self.epoch
    }

    /// Vertices that this worker holds a number for: its own, and its ghosts.
    pub fn local_vertices(&self) -> usize {
        self.snapshot.num_rows()
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
