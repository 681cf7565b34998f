//! The log that is written to: frames are handed over under the graph's lock, and written by whoever waits for one of them.
//!
//! ```text
//!   commit ── encode ── apply ── push ─┐ queue
//!   commit ── encode ── apply ── push ─┼──► one of those who wait writes all of it, and syncs once ──► all are acknowledged
//!   commit ── encode ── apply ── push ─┘      (whoever comes meanwhile waits for the next round)
//! ```

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::frame::{FILE_HEADER, FRAME_HEADER, FrameHeader, FrameKind, file_header};
use crate::storage::{Storage, StorageFile};
use crate::{Failure, names};

/// Bytes of memory that are kept for the next frame at most.
const MOST_SPARE: usize = 1 << 25;

/// A log file at whose end frames are written.
pub(crate) struct Tail {
    pub file: Box<dyn StorageFile>,
    /// The version before its first frame.
    pub base: u64,
    /// Bytes of it.
    pub len: u64,
}

/// What is to be written.
enum Item {
    /// Frames, the last of which makes a version.
    Frames(Vec<u8>),
    /// A file of its own for what comes behind a version.
    Rotate(u64),
}

/// What is known of the log.
struct State {
    queue: VecDeque<Item>,
    /// The version of the last frame that was handed over, written, and synced.
    queued: u64,
    written: u64,
    durable: u64,
    /// The version behind which the last file begins, or will.
    base: u64,
    /// … and where the last file begins that is there.
    rotated: u64,
    /// Vertices whose ids are in the log.
    ids: u32,
    /// Bytes since the last checkpoint.
    bytes: u64,
    /// Frames were handed over since everything was last known to be on the disk by what the log itself says.
    unmarked: bool,
    /// There unless somebody writes.
    tail: Option<Tail>,
    /// Memory of frames that were written, for the next one: fresh memory takes longer to clear than the frame takes to write.
    spare: Vec<u8>,
    stopped: Option<Failure>,
}

/// How far a batch has to come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The system has it.
    Written,
    /// It is on the disk.
    Durable,
}

/// The log of an open graph.
pub(crate) struct Log {
    pub storage: Arc<dyn Storage>,
    state: Mutex<State>,
    changed: Condvar,
}

/// How far a log has come.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    pub queued: u64,
    pub written: u64,
    pub durable: u64,
    pub bytes: u64,
    pub stopped: Option<Failure>,
}

/// What holds at the boundary between two batches.
pub(crate) struct Boundary {
    /// Vertices whose ids are in the log.
    pub ids: u32,
    /// Whether the log had stopped.
    pub stopped: bool,
}

impl Tail {
    /// Makes the file for what comes behind a version. It appears under its name only when it is whole.
    pub fn create(storage: &dyn Storage, base: u64) -> Result<Tail, Failure> {
        let (name, aside) = (names::log(base), names::aside(&names::log(base)));
        let of = |doing| Failure::of(doing, storage.path(&name));
        let mut file = storage.create(&aside).map_err(of("create"))?;
        file.append(&file_header(base)).map_err(of("write to"))?;
        file.sync().map_err(of("sync"))?;
        storage.rename(&aside, &name).map_err(of("create"))?;
        storage.sync().map_err(of("sync the directory of"))?;
        Ok(Tail { file, base, len: FILE_HEADER as u64 })
    }

    fn append(&mut self, storage: &dyn Storage, bytes: &[u8]) -> Result<(), Failure> {
        self.file.append(bytes).map_err(self.fails(storage, "write to"))?;
        self.len += bytes.len() as u64;
        Ok(())
    }

    fn sync(&mut self, storage: &dyn Storage) -> Result<(), Failure> {
        self.file.sync().map_err(self.fails(storage, "sync"))
    }

    fn fails(&self, storage: &dyn Storage, doing: &'static str) -> impl FnOnce(io::Error) -> Failure + use<> {
        Failure::of(doing, storage.path(&names::log(self.base)))
    }
}

impl Log {
    /// A log that goes on behind a version, which is on the disk.
    pub fn new(storage: Arc<dyn Storage>, tail: Tail, version: u64, ids: u32, bytes: u64) -> Self {
        let base = tail.base;
        let state = State {
            queue: VecDeque::new(),
            queued: version,
            written: version,
            durable: version,
            base,
            rotated: base,
            ids,
            bytes,
            unmarked: false,
            tail: Some(tail),
            spare: Vec::new(),
            stopped: None,
        };
        Log { storage, state: Mutex::new(state), changed: Condvar::new() }
    }

    pub fn progress(&self) -> Progress {
        let state = self.state.lock();
        Progress {
            queued: state.queued,
            written: state.written,
            durable: state.durable,
            bytes: state.bytes,
            stopped: state.stopped.clone(),
        }
    }

    /// Vertices whose ids are in the log, unless it has stopped. Under the graph's lock.
    pub fn ids(&self) -> Option<u32> {
        let state = self.state.lock();
        state.stopped.is_none().then_some(state.ids)
    }

    /// Memory for a frame: room for its header, and nothing else yet.
    pub fn frame(&self) -> Vec<u8> {
        let mut frame = std::mem::take(&mut self.state.lock().spare);
        frame.clear();
        frame.resize(FRAME_HEADER, 0);
        frame
    }

    /// Hands over the frame of the batch that was applied last: room for its header, and the payload. Under the graph's lock.
    pub fn push(&self, version: u64, mut frame: Vec<u8>, sum: u32, ids: u32) {
        let len = frame.len();
        let mut state = self.state.lock();
        let header = FrameHeader {
            version,
            durable: state.durable,
            len: (len - FRAME_HEADER) as u64,
            sum,
            kind: FrameKind::Batch,
        };
        frame[..FRAME_HEADER].copy_from_slice(&header.bytes());
        state.queued = version;
        state.ids = state.ids.max(ids);
        state.bytes += len as u64;
        state.unmarked = true;
        match state.queue.back() {
            Some(Item::Frames(_)) => state.hand_over(&frame),
            // A large frame is not copied.
            _ => state.queue.push_back(Item::Frames(frame)),
        }
    }

    /// Waits until a version has come so far; writes and syncs, if nobody else does.
    pub fn reach(&self, version: u64, reach: Reach) -> Result<(), Failure> {
        self.advance(reach == Reach::Durable, |state| match reach {
            Reach::Written => state.written >= version,
            Reach::Durable => state.durable >= version,
        })
    }

    fn advance(&self, sync: bool, done: impl Fn(&State) -> bool) -> Result<(), Failure> {
        let mut state = self.state.lock();
        loop {
            if done(&state) {
                return Ok(());
            }
            if let Some(failure) = &state.stopped {
                return Err(failure.clone());
            }
            let Some(tail) = state.tail.take() else {
                self.changed.wait(&mut state);
                continue;
            };
            let (queue, upto) = (std::mem::take(&mut state.queue), state.queued);
            drop(state);
            let mut round = Round { log: self, tail: Some(tail), failure: None, rotated: None, spare: Vec::new() };
            let span = tracing::debug_span!("sync", version = upto, to_disk = sync);
            let written = span.in_scope(|| round.write(queue, sync));
            round.failure = written.err();
            state = round.finish(upto, sync);
        }
    }

    /// Takes note of a boundary between two batches, behind which a file of its own begins. Under the graph's lock.
    pub fn boundary(&self, version: u64) -> Boundary {
        let mut state = self.state.lock();
        let stopped = state.stopped.is_some();
        if !stopped && state.base != version {
            state.base = version;
            state.queue.push_back(Item::Rotate(version));
        }
        Boundary { ids: state.ids, stopped }
    }

    /// Waits until the file behind a boundary is there: all before it is on the disk then.
    pub fn rotated(&self, version: u64) -> Result<(), Failure> {
        self.advance(true, |state| state.rotated >= version)
    }

    /// A checkpoint holds all up to a version, and so many bytes of log.
    pub fn checkpointed(&self, bytes: u64) {
        let mut state = self.state.lock();
        state.bytes = state.bytes.saturating_sub(bytes);
    }

    /// Lets a log that has stopped go on in a file of its own, behind a version that is on the disk otherwise.
    pub fn restart(&self, version: u64) -> Result<(), Failure> {
        let tail = Tail::create(&*self.storage, version)?;
        let mut state = self.state.lock();
        while state.tail.is_none() {
            self.changed.wait(&mut state);
        }
        state.queue.clear();
        (state.queued, state.written, state.durable) = (version, version, version);
        (state.base, state.rotated) = (version, version);
        state.bytes = 0;
        state.tail = Some(tail);
        state.stopped = None;
        self.changed.notify_all();
        Ok(())
    }

    /// Syncs, and writes down that everything is on the disk: so that a hole in it is known to be none of a torn end.
    pub fn close(&self) -> Result<(), Failure> {
        let queued = self.state.lock().queued;
        self.reach(queued, Reach::Durable)?;
        let mut state = self.state.lock();
        if state.durable != state.queued || !state.unmarked {
            return Ok(());
        }
        let header =
            FrameHeader { version: state.queued, durable: state.durable, len: 0, sum: 0, kind: FrameKind::Mark };
        state.hand_over(&header.bytes());
        state.unmarked = false;
        drop(state);
        self.advance(true, |state| state.queue.is_empty() && state.tail.is_some())?;
        // A round that fails leaves an empty queue, too.
        self.progress().stopped.map_or(Ok(()), Err)
    }
}

impl State {
    fn hand_over(&mut self, frame: &[u8]) {
        match self.queue.back_mut() {
            Some(Item::Frames(frames)) => frames.extend_from_slice(frame),
            _ => self.queue.push_back(Item::Frames(frame.to_vec())),
        }
    }
}

/// One round of writing. The log stops if it ends in a panic.
struct Round<'a> {
    log: &'a Log,
    tail: Option<Tail>,
    failure: Option<Failure>,
    rotated: Option<u64>,
    spare: Vec<u8>,
}

impl<'a> Round<'a> {
    fn write(&mut self, queue: VecDeque<Item>, sync: bool) -> Result<(), Failure> {
        let storage = &*self.log.storage;
        let tail = self.tail.as_mut().expect("there until the round ends");
        let mut before = tail.len;
        for item in queue {
            match item {
                Item::Frames(frames) => {
                    tail.append(storage, &frames)?;
                    if (self.spare.capacity()..=MOST_SPARE).contains(&frames.capacity()) {
                        self.spare = frames;
                    }
                }
                Item::Rotate(base) => {
                    tail.sync(storage)?;
                    *tail = Tail::create(storage, base)?;
                    before = tail.len;
                    self.rotated = Some(base);
                }
            }
        }
        if sync {
            let begin = Instant::now();
            tail.sync(storage)?;
            tracing::debug!(bytes = tail.len - before, seconds = begin.elapsed().as_secs_f64(), "synced the log");
        }
        Ok(())
    }

    /// Ends the round, in which everything up to a version was written.
    fn finish(mut self, upto: u64, synced: bool) -> MutexGuard<'a, State> {
        let mut state = self.log.state.lock();
        state.tail = self.tail.take();
        if self.spare.capacity() > state.spare.capacity() {
            state.spare = std::mem::take(&mut self.spare);
        }
        match self.failure.take() {
            Some(failure) => {
                tracing::error!(%failure, "nothing is written to the log any more");
                state.stopped = Some(failure);
            }
            None => {
                state.written = upto;
                if let Some(base) = self.rotated {
                    (state.rotated, state.durable) = (base, state.durable.max(base));
                }
                if synced {
                    state.durable = upto;
                }
            }
        }
        self.log.changed.notify_all();
        state
    }
}

impl Drop for Round<'_> {
    fn drop(&mut self) {
        let Some(tail) = self.tail.take() else { return };
        let mut state = self.log.state.lock();
        let panicked = io::Error::other("a panic");
        state.stopped = Some(Failure::new("write to", self.log.storage.path(&names::log(tail.base)), panicked));
        state.tail = Some(tail);
        self.log.changed.notify_all();
    }
}
