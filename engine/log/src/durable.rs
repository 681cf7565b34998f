//! A graph whose batches are kept.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use pleach::graph::{Applied, Edge, GraphError, GraphOptions, Journal, Prepared, Update, UpdateList};
use pleach_erased::{AnyGraph, AnySnapshot};

use crate::bytes::Writer;
use crate::frame::{FRAME_HEADER, IdChanges, write_batch};
use crate::ids::{NewIds, VertexIds};
use crate::log::{Log, Reach};
use crate::recover::Recovery;
use crate::value::Weights;
use crate::{Failure, LogError, OpenError, Options, Sync, checkpoint};

/// A graph in a directory: what was acknowledged is there when it is opened again.
///
/// It is written to and read as a [`Graph`](pleach::graph::Graph) is: all methods take `&self`, batches are prepared and committed, readers
/// take snapshots. A method that changes the graph returns when its batch is kept as [`Sync`] says; writers on several threads share
/// syncs. Readers see a batch as soon as it is applied, which may be some milliseconds before it is on the disk;
/// [`durable_version`](Self::durable_version) says what is.
///
/// Dropping it writes and syncs what is left; [`close`](Self::close) does so too and says if that fails.
pub struct Durable<V: Weights = ()> {
    shared: Arc<Shared<V>>,
    recovery: Recovery,
    threads: Vec<JoinHandle<()>>,
    /// Held as long as the graph is open.
    _lock: Box<dyn Send + std::marker::Sync>,
}

/// What its threads share.
struct Shared<V: Weights> {
    graph: AnyGraph<V>,
    ids: VertexIds,
    log: Log,
    options: Options<V>,
    /// Checkpoints that could not be read.
    damaged: Vec<PathBuf>,
    /// Held by whoever writes a checkpoint.
    checkpointing: Mutex<Checkpointed>,
    /// The version of the last one.
    checkpointed: AtomicU64,
    /// What became of the last checkpoint that nobody asked for.
    failed: Mutex<Option<LogError>>,
    ending: Mutex<bool>,
    /// Something for the threads to look at.
    wake: Condvar,
}

/// What was written down last.
struct Checkpointed {
    version: u64,
    at: Instant,
}

/// A batch that was applied, and that is not acknowledged yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "the batch is not known to be kept before `Durable::wait` says so"]
pub struct Submitted {
    /// What became of the batch.
    pub applied: Applied,
}

/// How far a graph and its log have come.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Status {
    /// The last version that was applied.
    pub version: u64,
    /// The last version that the system has: it outlives the process.
    pub written: u64,
    /// The last version that is known to be on the disk: it outlives the machine.
    pub durable: u64,
    /// The version of the last checkpoint.
    pub checkpoint: u64,
    /// Bytes of log behind it.
    pub log_bytes: u64,
    /// Why nothing is written any more, if so.
    pub stopped: Option<Failure>,
    /// Why the last checkpoint that a thread wrote by itself failed, if it did.
    pub checkpoint_failed: Option<LogError>,
}

/// Records the batch of a commit.
struct Recorder<'a, V: Weights> {
    shared: &'a Shared<V>,
    /// Vertices whose ids are taken away with it.
    removed: Vec<u32>,
    frame: Vec<u8>,
    sum: u32,
    /// Vertices whose ids are in the log, with this batch.
    ids: u32,
    /// Ids that come with the batch, for vertices from a number on.
    new: Option<(u32, &'a NewIds<'a>)>,
    /// Why they cannot be added.
    refused: Option<LogError>,
}

impl<V: Weights> Journal<V> for Recorder<'_, V> {
    fn record(&mut self, _: u64, batch: &Prepared<V>) -> bool {
        let Some(logged) = self.shared.log.ids() else { return false };
        // From here on only a panic can stop the batch: ids are not added for one that the graph refuses.
        if let Some((first, new)) = self.new
            && let Err(error) = self.shared.ids.add(first, new)
        {
            self.refused = Some(error);
            return false;
        }
        // Also ids of vertices that the batch removes at once, or takes ids away from: their numbers are not given away once more.
        let last = |vertices: &[u32]| vertices.last().map_or(0, |&last| last as usize + 1);
        let new = self.new.map_or(0, |(first, new)| first as usize + new.len());
        let reach = batch.bound().max(last(batch.removed_vertices())).max(last(&self.removed)).max(new);
        let known = self.shared.ids.bound().min(reach) as u32;
        let changes = IdChanges { added: logged..known.max(logged), removed: std::mem::take(&mut self.removed) };
        let mut to = Writer { bytes: self.shared.log.frame() };
        write_batch(batch, &self.shared.ids, &changes, &mut to);
        self.sum = crc32fast::hash(&to.bytes[FRAME_HEADER..]);
        (self.frame, self.ids, self.removed) = (to.bytes, changes.added.end, changes.removed);
        true
    }

    fn applied(&mut self, applied: &Applied) {
        self.shared.ids.remove(&self.removed);
        self.shared.log.push(applied.version, std::mem::take(&mut self.frame), self.sum, self.ids);
    }
}

impl<V: Weights> Shared<V> {
    fn submit(
        &self,
        prepared: Prepared<V>,
        removed: Vec<u32>,
        new: Option<(u32, &NewIds<'_>)>,
    ) -> Result<Submitted, LogError> {
        let mut recorder = Recorder { shared: self, removed, frame: Vec::new(), sum: 0, ids: 0, new, refused: None };
        match self.graph.commit_with(prepared, &mut recorder) {
            Ok(applied) => {
                tracing::debug!(version = applied.version, "applied a batch");
                self.wake_up();
                Ok(Submitted { applied })
            }
            Err(GraphError::NotRecorded) => Err(match (recorder.refused, self.log.progress().stopped) {
                (Some(refused), _) => refused,
                (None, Some(failure)) => LogError::Stopped(failure),
                (None, None) => GraphError::NotRecorded.into(),
            }),
            Err(error) => Err(error.into()),
        }
    }

    fn wait(&self, version: u64) -> Result<(), LogError> {
        let reach = if self.options.sync == Sync::EachBatch { Reach::Durable } else { Reach::Written };
        self.log.reach(version, reach).map_err(|failure| self.not_durable(version, failure))
    }

    fn not_durable(&self, version: u64, failure: Failure) -> LogError {
        LogError::NotDurable { version, durable: self.log.progress().durable, failure }
    }

    /// Wakes the thread that writes checkpoints, if the log is long.
    fn wake_up(&self) {
        if self.is_long() {
            // Not between a look of the thread and its sleep.
            drop(self.ending.lock());
            self.wake.notify_all();
        }
    }

    fn is_long(&self) -> bool {
        self.options.checkpoint_bytes.is_some_and(|most| self.log.progress().bytes >= most)
    }

    fn checkpoint(&self) -> Result<u64, LogError> {
        let _span = tracing::debug_span!("checkpoint").entered();
        let begin = Instant::now();
        let written = self.write_checkpoint();
        match &written {
            Ok(version) => tracing::info!(version, seconds = begin.elapsed().as_secs_f64(), "wrote a checkpoint"),
            Err(error) => tracing::warn!(%error, "wrote no checkpoint"),
        }
        written
    }

    fn write_checkpoint(&self) -> Result<u64, LogError> {
        let mut last = self.checkpointing.lock();
        let mut stopped;
        let (snapshot, ids, with_ids, bytes) = loop {
            let (snapshot, (boundary, ids, bytes)) = self
                .graph
                .publish_with(|version| (self.log.boundary(version), self.ids.version(), self.log.progress().bytes));
            stopped = boundary.stopped;
            // Everything before it is on the disk, in files of its own, before a checkpoint takes their place.
            if stopped || self.log.rotated(snapshot.version()).is_ok() {
                break (snapshot, ids, boundary.ids, bytes);
            }
            // The log has stopped now.
        };
        let version = snapshot.version();
        if version > last.version || stopped {
            checkpoint::write(&*self.log.storage, &snapshot, (&ids, with_ids)).map_err(LogError::Checkpoint)?;
            if stopped {
                self.log.restart(version).map_err(LogError::Checkpoint)?;
            } else {
                self.log.checkpointed(bytes);
            }
        }
        *last = Checkpointed { version, at: Instant::now() };
        self.checkpointed.store(version, Ordering::Relaxed);
        checkpoint::clean(&self.log.storage, self.options.keep, &self.damaged).map_err(LogError::Checkpoint)?;
        Ok(version)
    }

    /// Syncs every so often, until the end.
    fn keep_syncing(&self, every: Duration) {
        while !self.sleep(every) {
            let progress = self.log.progress();
            if progress.durable < progress.queued {
                // Those who wait are told, and all who come later.
                let _ = self.log.reach(progress.queued, Reach::Durable);
            }
        }
    }

    /// Sleeps so long, or until the end; whether that is there.
    fn sleep(&self, time: Duration) -> bool {
        let until = Instant::now().checked_add(time);
        let mut ending = self.ending.lock();
        loop {
            if *ending {
                return true;
            }
            let late = match until {
                Some(until) => self.wake.wait_until(&mut ending, until).timed_out(),
                None => {
                    self.wake.wait(&mut ending);
                    false
                }
            };
            if late {
                return *ending;
            }
        }
    }

    /// Writes checkpoints when they are due, until the end.
    fn keep_checkpointing(&self) {
        /// After a failure so long nothing is tried.
        const PAUSE: Duration = Duration::from_secs(10);
        loop {
            let mut ending = self.ending.lock();
            loop {
                if *ending {
                    return;
                }
                let last = self.checkpointing.try_lock().map(|last| (last.version, last.at));
                let due = self
                    .options
                    .checkpoint_every
                    .map(|every| last.map_or(every, |(_, at)| every.saturating_sub(at.elapsed())));
                let news = last.is_none_or(|(version, _)| self.log.progress().queued > version);
                if news && (self.is_long() || due.is_some_and(|due| due.is_zero())) {
                    break;
                }
                match due {
                    // Looked at from time to time where nothing is new.
                    Some(due) => drop(self.wake.wait_for(&mut ending, due.max(Duration::from_millis(100)))),
                    None => self.wake.wait(&mut ending),
                }
            }
            drop(ending);
            let done = self.checkpoint();
            let failed = done.is_err();
            *self.failed.lock() = done.err();
            if failed && self.sleep(PAUSE) {
                return;
            }
        }
    }
}

impl<V: Weights> Durable<V> {
    /// A graph that was read, with the log to go on with.
    pub(crate) fn new(
        (graph, ids, recovery, log): (AnyGraph<V>, VertexIds, Recovery, Log),
        options: Options<V>,
        lock: Box<dyn Send + std::marker::Sync>,
    ) -> Result<Self, OpenError> {
        let last = Checkpointed { version: recovery.checkpoint, at: Instant::now() };
        let shared = Arc::new(Shared {
            graph,
            ids,
            log,
            options,
            damaged: recovery.damaged_checkpoints.clone(),
            checkpointed: AtomicU64::new(last.version),
            checkpointing: Mutex::new(last),
            failed: Mutex::new(None),
            ending: Mutex::new(false),
            wake: Condvar::new(),
        });
        let mut durable = Durable { shared, recovery, threads: Vec::new(), _lock: lock };
        if let Sync::Every(time) = durable.shared.options.sync {
            durable.start("pleach-sync", move |shared| shared.keep_syncing(time))?;
        }
        let options = &durable.shared.options;
        if options.checkpoint_bytes.is_some() || options.checkpoint_every.is_some() {
            durable.start("pleach-checkpoint", |shared| shared.keep_checkpointing())?;
        }
        Ok(durable)
    }

    fn start(&mut self, name: &str, work: impl FnOnce(&Shared<V>) + Send + 'static) -> Result<(), OpenError> {
        let shared = self.shared.clone();
        let path = shared.log.storage.path("");
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || work(&shared));
        self.threads.push(thread.map_err(OpenError::io("start a thread for", path))?);
        Ok(())
    }

    /// What was done to open it.
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    /// How it is kept.
    pub fn options(&self) -> &Options<V> {
        &self.shared.options
    }

    /// How the graph behaves.
    pub fn graph_options(&self) -> &GraphOptions<V> {
        self.shared.graph.options()
    }

    /// What vertices are called.
    pub fn ids(&self) -> &VertexIds {
        &self.shared.ids
    }

    /// How far the graph and its log have come.
    pub fn status(&self) -> Status {
        let progress = self.shared.log.progress();
        Status {
            version: progress.queued,
            written: progress.written,
            durable: progress.durable,
            checkpoint: self.shared.checkpointed.load(Ordering::Relaxed),
            log_bytes: progress.bytes,
            stopped: progress.stopped,
            checkpoint_failed: self.shared.failed.lock().clone(),
        }
    }

    /// The last version that is known to be on the disk.
    pub fn durable_version(&self) -> u64 {
        self.shared.log.progress().durable
    }

    /// The newest published version; see [`Graph::latest`](pleach::graph::Graph::latest).
    pub fn latest(&self) -> AnySnapshot<V> {
        self.shared.graph.latest()
    }

    /// The number of the newest published version; see [`Graph::published`](pleach::graph::Graph::published).
    pub fn published(&self) -> u64 {
        self.shared.graph.published()
    }

    /// A version that holds every batch that was applied before the call; see [`Graph::fresh`](pleach::graph::Graph::fresh).
    pub fn fresh(&self) -> AnySnapshot<V> {
        self.shared.graph.fresh()
    }

    /// Publishes what was applied so far; see [`Graph::publish`](pleach::graph::Graph::publish).
    pub fn publish(&self) -> AnySnapshot<V> {
        self.shared.graph.publish()
    }

    /// Checks, sorts and folds a batch without touching the graph; see [`Graph::prepare`](pleach::graph::Graph::prepare).
    ///
    /// # Errors
    ///
    /// As [`Graph::prepare`](pleach::graph::Graph::prepare).
    pub fn prepare(&self, updates: impl IntoIterator<Item = Update<V>>) -> Result<Prepared<V>, GraphError> {
        self.shared.graph.prepare(updates)
    }

    /// As [`prepare`](Self::prepare), from updates in columns.
    ///
    /// # Errors
    ///
    /// As [`prepare`](Self::prepare).
    pub fn prepare_list(&self, updates: UpdateList<V>) -> Result<Prepared<V>, GraphError> {
        self.shared.graph.prepare_list(updates)
    }

    /// Applies a prepared batch, and returns when it is kept.
    ///
    /// # Errors
    ///
    /// [`LogError`]: of all but [`LogError::NotDurable`] the graph is as it was before.
    pub fn commit(&self, prepared: Prepared<V>) -> Result<Applied, LogError> {
        let submitted = self.submit(prepared)?;
        self.wait(submitted)
    }

    /// Applies a prepared batch, and returns before it is kept: for whoever goes on to the next batch meanwhile.
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit); the graph is then as it was before.
    pub fn submit(&self, prepared: Prepared<V>) -> Result<Submitted, LogError> {
        self.shared.submit(prepared, Vec::new(), None)
    }

    /// As [`submit`](Self::submit), for a batch that is the first to name some vertices: the ids of the vertices from `first` on, which
    /// is the [bound](VertexIds::bound) of [`ids`](Self::ids). They are added if the graph takes the batch, and only then.
    ///
    /// # Errors
    ///
    /// As [`submit`](Self::submit), and [`LogError::OtherIds`] if another thread added ids since `first` was found, or an id is not new.
    pub fn submit_with_ids(&self, prepared: Prepared<V>, first: u32, ids: &NewIds<'_>) -> Result<Submitted, LogError> {
        self.shared.submit(prepared, Vec::new(), Some((first, ids)))
    }

    /// Returns when a batch, and with it all before it, is kept.
    ///
    /// # Errors
    ///
    /// [`LogError::NotDurable`].
    pub fn wait(&self, submitted: Submitted) -> Result<Applied, LogError> {
        self.shared.wait(submitted.applied.version)?;
        Ok(submitted.applied)
    }

    /// Inserts edges, in any order; see [`Graph::insert`](pleach::graph::Graph::insert).
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit). So it is with all methods that change the graph.
    pub fn insert<E: Into<Edge<V>>>(&self, edges: impl IntoIterator<Item = E>) -> Result<Applied, LogError> {
        self.apply(edges.into_iter().map(Update::insert))
    }

    /// Deletes edges, in any order; see [`Graph::delete`](pleach::graph::Graph::delete).
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit).
    pub fn delete(&self, edges: impl IntoIterator<Item = (u32, u32)>) -> Result<Applied, LogError> {
        self.apply(edges.into_iter().map(|(from, to)| Update::delete(from, to)))
    }

    /// Applies a batch of updates of any kind; see [`Graph::apply`](pleach::graph::Graph::apply).
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit).
    pub fn apply(&self, updates: impl IntoIterator<Item = Update<V>>) -> Result<Applied, LogError> {
        self.commit(self.prepare(updates)?)
    }

    /// Applies a batch of updates in columns.
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit).
    pub fn apply_list(&self, updates: UpdateList<V>) -> Result<Applied, LogError> {
        self.commit(self.prepare_list(updates)?)
    }

    /// Makes vertices be there, with or without an edge: a batch.
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit).
    pub fn add_vertices(&self, vertices: impl IntoIterator<Item = u32>) -> Result<Applied, LogError> {
        self.commit(self.shared.graph.prepare_vertices(vertices)?)
    }

    /// Takes vertices out together with all edges at them: a batch. They keep their ids, and come back with the next edge at them.
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit).
    pub fn remove_vertices(&self, vertices: impl IntoIterator<Item = u32>) -> Result<Applied, LogError> {
        self.apply(vertices.into_iter().map(Update::remove_vertex))
    }

    /// As [`remove_vertices`](Self::remove_vertices), and takes their ids away: an id that is added again names a new vertex.
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit).
    pub fn remove_ids(&self, vertices: impl IntoIterator<Item = u32>) -> Result<Applied, LogError> {
        let mut vertices: Vec<u32> = vertices.into_iter().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let prepared = self.prepare(vertices.iter().map(|&vertex| Update::remove_vertex(vertex)))?;
        vertices.retain(|&vertex| self.shared.ids.has(vertex));
        let submitted = self.shared.submit(prepared, vertices, None)?;
        self.wait(submitted)
    }

    /// Returns when all that was applied so far is on the disk, whatever the policy says.
    ///
    /// # Errors
    ///
    /// [`LogError::NotDurable`].
    pub fn sync(&self) -> Result<(), LogError> {
        let version = self.shared.log.progress().queued;
        self.shared.log.reach(version, Reach::Durable).map_err(|failure| self.shared.not_durable(version, failure))
    }

    /// Writes a checkpoint of the graph as it is now, while others go on reading and writing; its version. What lies before it is removed
    /// from the log, as far as [`Options::keep`] allows. If the log had stopped, it goes on afterwards.
    ///
    /// # Errors
    ///
    /// [`LogError::Checkpoint`]; what is in the directory is as good as before.
    pub fn checkpoint(&self) -> Result<u64, LogError> {
        self.shared.checkpoint()
    }

    /// Writes and syncs what is left, and ends.
    ///
    /// # Errors
    ///
    /// [`LogError::NotDurable`], if that fails, or had failed before.
    pub fn close(mut self) -> Result<(), LogError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), LogError> {
        let shared = &self.shared;
        *shared.ending.lock() = true;
        shared.wake.notify_all();
        for thread in self.threads.drain(..) {
            // A panic was told by the thread.
            let _ = thread.join();
        }
        let version = shared.log.progress().queued;
        shared.log.close().map_err(|failure| shared.not_durable(version, failure))
    }
}

impl<V: Weights> Drop for Durable<V> {
    fn drop(&mut self) {
        // `close` tells what fails.
        let _ = self.end();
    }
}

impl<V: Weights> std::fmt::Debug for Durable<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Durable").field("status", &self.status()).finish_non_exhaustive()
    }
}
