//! Batches on their way into the graph: prepared, applied, and handed over to the algorithm.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar};
use pleach::graph::{GraphError, Prepared};
use pleach_erased::AnySnapshot;
use pleach_log::VertexIds;
use rayon::ThreadPool;
use serde_json::json;

use super::StreamArgs;
use super::held::Held;
use super::outcome::{Outcome, outcome};
use super::report::{batch_object, changes, live_line, rate, text};
use super::target::{NotCommitted, Target};
use super::threads::{Share, Turns, named, no_thread, pool};
use crate::Failure;
use crate::allocator::allocated;
use crate::output::{print_beside, print_json_beside};
use crate::run::{Between, Following, SnapshotApp};
use pleach_datasets::batches::{Batches, StreamBatch};

/// A stream and the graph that it updates.
pub struct Stream<'a, V: Held> {
    pub args: &'a StreamArgs,
    pub share: Share,
    pub turns: &'a Turns,
    pub stopping: &'a Stopping,
    pub graph: &'a Target<V>,
    pub ids: &'a VertexIds,
    /// Digits behind the point that are kept of times.
    pub time_digits: u32,
}

impl<V: Held> Clone for Stream<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Held> Copy for Stream<'_, V> {}

/// Stops the thread that reads lines: after an interrupt or after a failure.
pub struct Stopping {
    /// Whether to stop. Interrupts and failures set it.
    flag: Arc<AtomicBool>,
    /// Whether a failure set the flag, and no interrupt before it.
    failed: AtomicBool,
}

impl Stopping {
    /// Stops when an interrupt sets `flag`.
    pub fn new(flag: Arc<AtomicBool>) -> Self {
        Stopping { flag, failed: AtomicBool::new(false) }
    }

    /// Stops because of a failure.
    fn fail(&self) {
        if !self.flag.swap(true, Ordering::Relaxed) {
            self.failed.store(true, Ordering::Relaxed);
        }
    }

    /// Whether an interrupt, and not a failure, was the reason to stop.
    pub fn is_interrupt(&self) -> bool {
        self.flag.load(Ordering::Relaxed) && !self.failed.load(Ordering::Relaxed)
    }
}

/// Updates up to which a batch is prepared by one thread: waking up a pool takes longer.
const FEW: usize = 4096;

/// A batch that is read and prepared.
struct Ready<V> {
    /// Its lines; the updates are taken out.
    batch: StreamBatch<V>,
    /// Updates.
    count: usize,
    /// The ends of the edges that they name, if an algorithm follows them.
    edges: Vec<(u32, u32)>,
    prepared: Prepared<V>,
}

/// Why no more batches are applied.
enum Stop<V> {
    Failed(Failure),
    /// The graph does not take a batch.
    Refused(Box<(StreamBatch<V>, GraphError)>),
    /// The algorithm has failed, and says why itself.
    Computing,
}

/// What was done so far.
#[derive(Default)]
pub struct Totals {
    pub batches: u64,
    pub lines: u64,
    pub updates: u64,
    pub skipped: u64,
    /// Batches whose end published a version.
    pub published: u64,
    /// Updates of self loops that were left out.
    pub dropped: u64,
    pub applying: Duration,
    pub total: Duration,
}

impl Totals {
    fn add<V>(&mut self, batch: &StreamBatch<V>, updates: usize, took: Duration) {
        self.batches += 1;
        self.lines += batch.lines as u64;
        self.updates += updates as u64;
        self.applying += took;
    }
}

/// What was done, what was computed last, and why the stream ended early, if it did.
pub type Ended<'t> = (Totals, Option<Outcome<'t>>, Result<(), Failure>);

/// Lines that were skipped, and updates of self loops that were left out.
type Left = (u64, u64);

/// What is handed over to an algorithm: the number of the last batch, the version, and the edges since the one before.
type Handed<V> = (u64, AnySnapshot<V>, Between);

/// An algorithm that runs on one version after the other.
struct Computing<'a, 't, V: Held> {
    stream: Stream<'a, V>,
    app: &'t dyn SnapshotApp,
    following: Option<Box<dyn Following<'t> + 't>>,
    /// The version before, if the algorithm goes on from it.
    before: Option<AnySnapshot<V>>,
    last: Option<Outcome<'t>>,
}

impl<'t, V: Held> Computing<'_, 't, V> {
    /// Runs it on a version, and prints what it found.
    fn run(&mut self, pool: &ThreadPool, (batch, snapshot, between): Handed<V>) -> Result<(), Failure> {
        let (app, ids, before) = (self.app, self.stream.ids, self.before.as_ref());
        let following = self.following.as_deref_mut().map(|following| (following, before, &between));
        let version = snapshot.version();
        let turn = self.stream.turns.take();
        let outcome = pool.install(|| outcome(app, &snapshot, ids, following));
        drop(turn);
        let mut object = match outcome {
            Ok(outcome) => {
                self.before = self.following.is_some().then_some(snapshot);
                let object = outcome.describe(ids);
                self.last = Some(outcome);
                object
            }
            // A vertex that is named may come later.
            Err(Failure::NoVertex(reason)) => {
                json!({ "type": "result", "app": app.name(), "version": version, "result": null, "reason": reason })
            }
            Err(failure) => return Err(failure),
        };
        object["batch"] = batch.into();
        let printed = self.stream.args.printed();
        if self.stream.args.json {
            print_json_beside(printed, &object)
        } else {
            print_beside(printed, text(&object).as_bytes())
        }
    }
}

/// Where versions are handed over to.
enum Reader<'a, 't, V: Held> {
    /// No algorithm runs meanwhile.
    None,
    /// The thread that applies batches runs it in turn.
    Here(Box<Computing<'a, 't, V>>, &'a ThreadPool),
    /// Another thread, which takes one at a time.
    There(SyncSender<Handed<V>>),
}

/// Applies batches one after the other.
struct Applying<'a, 't, V: Held> {
    stream: Stream<'a, V>,
    reader: Reader<'a, 't, V>,
    totals: Totals,
    between: Between,
    /// The version before, if changes are printed.
    before: Option<AnySnapshot<V>>,
    /// Versions that are kept in memory, the last one behind the others.
    held: VecDeque<AnySnapshot<V>>,
    begin: Instant,
    line: ProgressBar,
}

impl<V: Held> Applying<'_, '_, V> {
    /// Applies a batch; `waiting` more are prepared.
    fn apply(&mut self, ready: Ready<V>, waiting: usize) -> Result<(), Stop<V>> {
        let Ready { batch, count, edges, prepared } = ready;
        let Stream { args, graph, .. } = self.stream;
        self.between.edges.extend(edges);
        let is_due = |every: std::num::NonZeroU64| (self.totals.batches + 1) % every == 0;
        let computed_next = !matches!(self.reader, Reader::None) && args.every.is_some_and(is_due);
        let hold = usize::from(args.hold);
        if computed_next || hold > 0 {
            // A reader is there: the boundary of this batch publishes for it.
            graph.latest();
        }
        let turn = self.stream.turns.take();
        let started = Instant::now();
        let applied = match graph.commit(prepared) {
            Ok(applied) => applied,
            Err(NotCommitted::Refused(error)) => return Err(Stop::Refused(Box::new((batch, error)))),
            Err(NotCommitted::Failed(failure)) => return Err(Stop::Failed(failure)),
        };
        let took = started.elapsed();
        drop(turn);
        if hold > 0 {
            self.held.drain(..(self.held.len() + 1).saturating_sub(hold));
            self.held.push_back(graph.latest());
        }
        self.totals.add(&batch, count, took);
        let published = graph.published() == applied.version;
        self.totals.published += u64::from(published);
        if args.json {
            let digits = self.stream.time_digits;
            let mut object = batch_object(self.totals.batches, &batch, digits, &applied, took, self.begin);
            object["published"] = published.into();
            object["prepared"] = waiting.into();
            print_json_beside(args.printed(), &object).map_err(Stop::Failed)?;
        }
        if let Some(before) = &mut self.before {
            let after = graph.fresh();
            // Versions of one graph are held in one store.
            if let Some(difference) = after.diff(before) {
                print_beside(args.printed(), &changes(&difference, self.stream.ids, args.json))
                    .map_err(Stop::Failed)?;
            }
            *before = after;
        }
        // Asking for the memory takes longer than a small batch.
        if !self.line.is_hidden() {
            let memory = allocated().map_or(String::new(), |bytes| format!(", {}", HumanBytes(bytes as u64)));
            self.line.set_message(format!(
                "{:.1} M updates/s, version {}{memory}",
                rate(self.totals.updates, self.totals.applying) / 1e6,
                applied.version
            ));
            self.line.tick();
        }
        if !computed_next {
            return Ok(());
        }
        let handed = (self.totals.batches, graph.fresh(), std::mem::take(&mut self.between));
        match &mut self.reader {
            Reader::None => Ok(()),
            Reader::Here(computing, pool) => computing.run(pool, handed).map_err(Stop::Failed),
            // Waits for the run before, if that is not done yet.
            Reader::There(send) => send.send(handed).map_err(|_| Stop::Computing),
        }
    }
}

impl<'a, V: Held> Stream<'a, V> {
    /// Prepares a batch.
    fn ready(
        &self,
        pool: &ThreadPool,
        batches: &Batches<'_, V>,
        mut batch: StreamBatch<V>,
    ) -> Result<Ready<V>, Failure> {
        let updates = std::mem::take(&mut batch.updates);
        let count = updates.len();
        let edges = if self.args.follow { updates.ends().collect() } else { Vec::new() };
        let prepare = || self.graph.prepare_list(updates);
        let prepared = if count > FEW { pool.install(prepare) } else { prepare() };
        let prepared = prepared.map_err(|error| Failure::input(batches.refused(&batch, error)))?;
        Ok(Ready { batch, count, edges, prepared })
    }

    /// Applies all batches, while others are read and an algorithm runs on snapshots, as far as there are threads. Also gives what
    /// was computed last, and why it ended early, if it did: what came before is applied.
    pub fn apply<'t>(self, batches: Batches<'a, V>, app: Option<&'t dyn SnapshotApp>) -> Result<Ended<'t>, Failure> {
        let begin = Instant::now();
        let line = live_line(self.args.json);
        let preparing = pool(self.share.preparing, "prepare")?;
        let computing = app.filter(|_| self.args.every.is_some()).map(|app| {
            let following = if self.args.follow { app.following() } else { None };
            Computing { stream: self, app, following, before: None, last: None }
        });
        let compute_pool = (self.share.computing > 0).then(|| pool(self.share.computing, "compute")).transpose()?;
        thread::scope(|threads| {
            let (reader, thread) = match (computing, &compute_pool) {
                (None, _) => (Reader::None, None),
                (Some(computing), None) => (Reader::Here(Box::new(computing), &preparing), None),
                (Some(mut computing), Some(pool)) => {
                    let (send, receive) = sync_channel::<Handed<V>>(0);
                    let work = move || {
                        let done = receive.into_iter().try_for_each(|handed| computing.run(pool, handed));
                        if done.is_err() {
                            computing.stream.stopping.fail();
                        }
                        done.map(|()| computing.last)
                    };
                    (Reader::There(send), Some(named("computing").spawn_scoped(threads, work).map_err(no_thread)?))
                }
            };
            let (totals, between) = (Totals::default(), Between::default());
            let before = self.args.changes.then(|| self.graph.fresh());
            let held = VecDeque::with_capacity(usize::from(self.args.hold));
            let mut applying = Applying { stream: self, reader, totals, between, before, held, begin, line };
            let ((skipped, dropped), ended) = match self.share.is_one() {
                true => self.in_turn(&preparing, batches, &mut applying),
                false => self.piped(&preparing, batches, &mut applying)?,
            };
            let Applying { reader, mut totals, line, .. } = applying;
            (totals.skipped, totals.dropped, totals.total) = (skipped, dropped, begin.elapsed());
            line.finish_and_clear();
            let here = match reader {
                Reader::Here(computing, _) => computing.last,
                Reader::None => None,
                // The other thread ends when nothing more can be handed over.
                Reader::There(send) => {
                    drop(send);
                    None
                }
            };
            let there = thread.map_or(Ok(None), |thread| thread.join().expect(JOINED));
            let (computed, ended) = match there {
                Ok(there) => (there.or(here), ended),
                Err(failure) => (None, ended.and(Err(failure))),
            };
            Ok((totals, computed, ended))
        })
    }

    /// Reads, prepares and applies one batch after the other. Gives how many lines were passed over.
    fn in_turn(
        &self,
        pool: &ThreadPool,
        mut batches: Batches<'_, V>,
        applying: &mut Applying<'_, '_, V>,
    ) -> (Left, Result<(), Failure>) {
        let mut ended = Ok(());
        while ended.is_ok()
            && let Some(batch) = batches.next()
        {
            let ready = batch.map_err(Failure::input).and_then(|batch| self.ready(pool, &batches, batch));
            match ready.map_err(Stop::Failed).and_then(|ready| applying.apply(ready, 0)) {
                Ok(()) => {}
                Err(Stop::Failed(failure)) => ended = Err(failure),
                Err(Stop::Refused(refused)) => {
                    let (batch, error) = *refused;
                    ended = Err(Failure::input(batches.refused(&batch, error)));
                }
                Err(Stop::Computing) => break,
            }
        }
        ((batches.skipped(), batches.dropped()), ended)
    }

    /// The same with a thread that reads and prepares the next batches meanwhile.
    fn piped(
        &self,
        pool: &ThreadPool,
        mut batches: Batches<'_, V>,
        applying: &mut Applying<'_, '_, V>,
    ) -> Result<(Left, Result<(), Failure>), Failure> {
        let (send_batch, receive_batch) = sync_channel::<Result<Ready<V>, Failure>>(2);
        // Prepared, and not applied yet.
        let waiting = &AtomicUsize::new(0);
        let (send_refusal, receive_refusal) = sync_channel::<(StreamBatch<V>, GraphError)>(1);
        thread::scope(|threads| {
            let reading = named("reading").spawn_scoped(threads, move || {
                let mut next = || {
                    let batch = batches.next()?;
                    Some(batch.map_err(Failure::input).and_then(|batch| self.ready(pool, &batches, batch)))
                };
                while let Some(ready) = self.turns.reading(&mut next) {
                    waiting.fetch_add(usize::from(ready.is_ok()), Ordering::Relaxed);
                    // No batch is applied any more.
                    if send_batch.send(ready).is_err() {
                        break;
                    }
                }
                drop(send_batch);
                // A batch that was refused is reported with the lines it came from.
                let refused = receive_refusal.recv().ok();
                (
                    (batches.skipped(), batches.dropped()),
                    refused.map(|(batch, error)| Failure::input(batches.refused(&batch, error))),
                )
            });
            let reading = reading.map_err(no_thread)?;
            let mut ended = Ok(());
            for ready in receive_batch {
                let apply = |ready| applying.apply(ready, waiting.fetch_sub(1, Ordering::Relaxed) - 1);
                match ready.map_err(Stop::Failed).and_then(apply) {
                    Ok(()) => continue,
                    Err(Stop::Failed(failure)) => ended = Err(failure),
                    Err(Stop::Refused(refused)) => {
                        let _ = send_refusal.send(*refused);
                    }
                    Err(Stop::Computing) => {}
                }
                // No further batch is applied, so nobody needs to wait for further lines.
                self.stopping.fail();
                break;
            }
            drop(send_refusal);
            let (left, refused) = reading.join().expect(JOINED);
            Ok((left, refused.map_or(ended, Err)))
        })
    }
}

/// What holds of the threads of a stream.
const JOINED: &str = "the thread does not panic";
