//! Opening a directory: the newest checkpoint, then the log behind it.
//!
//! ```text
//!   GRAPH ─► what graph it is        checkpoint-7 ─► version 7        log-0 (before 7: passed over)  log-7 ─► 8, 9, 10 ─► torn end: cut off
//! ```

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use pleach_erased::AnyGraph;

use crate::checkpoint::{self, Checkpoint};
use crate::frame::{FILE_HEADER, read_batch};
use crate::ids::VertexIds;
use crate::log::{Log, Tail};
use crate::meta::{self, Description};
use crate::replay::{End, LogReader, Next};
use crate::storage::Storage;
use crate::value::Weights;
use crate::{Failure, OpenError, Options, names};

/// What was cut off the end of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The file.
    pub path: PathBuf,
    /// Where it ends now.
    pub offset: u64,
    /// Bytes that were cut off.
    pub bytes: u64,
    /// Whether they were damaged, and cut off because [`Options::repair`] says so; otherwise they were a batch that was being written when
    /// the process or the machine stopped, and that was not acknowledged as being on the disk.
    pub repaired: bool,
}

/// What was done to open a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovery {
    /// The version of the checkpoint that was read.
    pub checkpoint: u64,
    /// Batches of the log that were applied after it.
    pub replayed: u64,
    /// What was cut off. A graph that is only read leaves it where it is.
    pub cut: Option<Cut>,
    /// Checkpoints that are damaged or cannot be read, and in whose place an older one was read, with a longer log.
    pub damaged_checkpoints: Vec<PathBuf>,
}

/// A graph that was read from its directory.
pub(crate) struct Recovered<V: Weights> {
    pub graph: AnyGraph<V>,
    pub ids: VertexIds,
    pub version: u64,
    pub recovery: Recovery,
    /// The last log: where it begins, and which version its last frame makes.
    last: (u64, u64),
    /// Bytes of log behind the checkpoint.
    bytes: u64,
}

/// What the directory says of its graph; nothing if it holds none.
pub(crate) fn description(storage: &dyn Storage) -> Result<Option<Description>, OpenError> {
    let path = storage.path(meta::NAME);
    let file = match storage.open(meta::NAME, false) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(OpenError::Io { doing: "read", path, error }),
    };
    let io = || OpenError::io("read", path.clone());
    let size = file.size().map_err(io())?;
    if size > meta::LONGEST {
        return Err(OpenError::damaged(path, 0, "it is longer than such a file can be"));
    }
    let mut text = vec![0; size as usize];
    file.read_at(&mut text, 0).map_err(io())?;
    Description::read(&path, &text).map(Some)
}

/// Writes the files of a new graph, as it is in memory, in a directory without files; the log to go on with. The file that says what graph
/// it is gets its name last: a directory without it, but with one under the name of a file that is being written, was never finished.
pub(crate) fn create<V: Weights>(
    storage: &dyn Storage,
    graph: &AnyGraph<V>,
    ids: &VertexIds,
    options: &Options<V>,
) -> Result<Tail, Failure> {
    let of = |doing| Failure::of(doing, storage.path(meta::NAME));
    let aside = names::aside(meta::NAME);
    let mut file = storage.create(&aside).map_err(of("create"))?;
    file.append(Description::of(options).text().as_bytes()).map_err(of("write to"))?;
    file.sync().map_err(of("sync"))?;
    storage.sync().map_err(of("sync the directory of"))?;
    let snapshot = graph.fresh();
    checkpoint::write(storage, &snapshot, (&ids.version(), ids.bound() as u32))?;
    let tail = Tail::create(storage, snapshot.version())?;
    storage.rename(&aside, meta::NAME).map_err(of("create"))?;
    storage.sync().map_err(of("sync the directory of"))?;
    Ok(tail)
}

/// Removes what a graph that was never finished left, and refuses files of others.
pub(crate) fn make_room(storage: &dyn Storage) -> Result<(), OpenError> {
    let path = storage.path("");
    let all = storage.list().map_err(OpenError::io("read", path.clone()))?;
    let (logs, checkpoints) = names::versions(&all);
    let begun = names::aside(meta::NAME);
    let ours = |name: &String| {
        name.ends_with(names::ASIDE)
            || logs.iter().any(|&base| names::log(base) == *name)
            || checkpoints.iter().any(|&version| names::checkpoint(version) == *name)
    };
    if let Some(file) = all.iter().find(|name| !all.contains(&begun) || !ours(name)) {
        return Err(OpenError::OtherFiles { path, file: file.clone() });
    }
    let remove = |name: &String| storage.remove(name).map_err(OpenError::io("remove", storage.path(name)));
    // What says that it was begun goes last.
    all.iter().filter(|name| **name != begun).try_for_each(remove)?;
    storage.sync().map_err(OpenError::io("sync", path))?;
    all.iter().filter(|name| **name == begun).try_for_each(remove)
}

/// Reads the graph, up to a version if one is given. Changes no file.
pub(crate) fn recover<V: Weights>(
    storage: &dyn Storage,
    options: &Options<V>,
    upto: Option<u64>,
) -> Result<Recovered<V>, OpenError> {
    let span = tracing::debug_span!("recovery", directory = %storage.path("").display());
    let begin = Instant::now();
    let recovered = span.in_scope(|| read(storage, options, upto))?;
    let Recovered { version, recovery: Recovery { checkpoint, replayed, cut, damaged_checkpoints }, .. } = &recovered;
    let _in_span = span.enter();
    tracing::info!(version, checkpoint, replayed, seconds = begin.elapsed().as_secs_f64(), "read the graph");
    if let Some(Cut { path, offset, bytes, repaired }) = cut {
        tracing::warn!(path = %path.display(), offset, bytes, repaired, "the end of the log is left out");
    }
    let unusable = |path: &PathBuf| tracing::warn!(path = %path.display(), "a checkpoint is damaged or cannot be read");
    damaged_checkpoints.iter().for_each(unusable);
    drop(_in_span);
    Ok(recovered)
}

fn read<V: Weights>(storage: &dyn Storage, options: &Options<V>, upto: Option<u64>) -> Result<Recovered<V>, OpenError> {
    let all = storage.list().map_err(OpenError::io("read", storage.path("")))?;
    let (logs, checkpoints) = names::versions(&all);
    let mut recovery = Recovery::default();
    // The versions of checkpoints that cannot be used, the newest first, and why.
    let mut failed: Vec<(u64, OpenError)> = Vec::new();
    let mut start = None;
    for &version in checkpoints.iter().rev().filter(|&&version| upto.is_none_or(|upto| version <= upto)) {
        match Checkpoint::open(storage, version).and_then(|checkpoint| checkpoint.restore(options)) {
            Ok((graph, ids)) => {
                start = Some((version, graph, ids));
                break;
            }
            // A disk may report damage as an I/O error.
            Err(error @ (OpenError::Damaged { .. } | OpenError::Io { .. })) => {
                recovery.damaged_checkpoints.push(storage.path(&names::checkpoint(version)));
                failed.push((version, error));
            }
            Err(error) => return Err(error),
        }
    }
    let Some((version, graph, ids)) = start else {
        let last = || last_version(storage, &logs);
        return Err(match (failed.into_iter().next(), upto, checkpoints.first()) {
            (Some((_, error)), ..) => error,
            (None, Some(version), Some(&first)) => {
                OpenError::NoVersion { path: storage.path(""), version, first, last: last()? }
            }
            _ => OpenError::damaged(storage.path(""), 0, "there is no checkpoint"),
        });
    };
    recovery.checkpoint = version;
    let mut found = Recovered { graph, ids, version, recovery, last: (version, version), bytes: 0 };
    // The log that holds the next version, and those after it.
    let first = logs.partition_point(|&base| base <= version);
    for at in first.saturating_sub(1)..logs.len() {
        if logs[at] > found.version {
            let path = storage.path(&names::log(logs[at]));
            let reason = format!(
                "it begins behind version {}, and the log of version {} is missing",
                logs[at],
                found.version + 1
            );
            return Err(failed.into_iter().next().map_or(OpenError::damaged(path, 0, reason), |(_, error)| error));
        }
        match found.replay(storage, options, (logs[at], logs.get(at + 1).copied()), upto) {
            Ok(true) => break,
            Ok(false) => {}
            Err(error) => {
                // If a checkpoint may be readable the next time, no log is cut.
                let unread = failed.into_iter().find(|(lost, error)| *lost > found.version && is_of_the_system(error));
                return Err(unread.map_or(error, |(_, unread)| unread));
            }
        }
    }
    // A checkpoint proves that its version existed, even where the logs end before it.
    for (lost, error) in failed {
        if lost > found.version {
            match &mut found.recovery.cut {
                Some(cut) if options.repair && !is_of_the_system(&error) => cut.repaired = true,
                _ => return Err(error),
            }
        }
    }
    match upto {
        Some(upto) if found.version < upto => {
            let (first, last) = (checkpoints[0], found.version);
            Err(OpenError::NoVersion { path: storage.path(""), version: upto, first, last })
        }
        _ => Ok(found),
    }
}

/// Whether the file system failed. The next attempt may succeed.
fn is_of_the_system(error: &OpenError) -> bool {
    matches!(error, OpenError::Io { .. })
}

/// The last version that a directory holds.
fn last_version(storage: &dyn Storage, logs: &[u64]) -> Result<u64, OpenError> {
    let Some(&base) = logs.last() else { return Ok(0) };
    let mut log = LogReader::open(storage, base)?;
    while let Next::Batch(..) = log.next()? {}
    Ok(log.version)
}

impl<V: Weights> Recovered<V> {
    /// Applies what a log holds behind the version so far. Whether nothing behind it counts.
    fn replay(
        &mut self,
        storage: &dyn Storage,
        options: &Options<V>,
        (base, next): (u64, Option<u64>),
        upto: Option<u64>,
    ) -> Result<bool, OpenError> {
        let mut log = LogReader::open(storage, base)?;
        let end = loop {
            let begin = log.offset;
            if upto.is_some_and(|upto| self.version >= upto) {
                return Ok(true);
            }
            let path = storage.path(&names::log(base));
            match log.next()? {
                Next::Batch(header, payload) if header.version > self.version => {
                    let wrong = |reason: &dyn std::fmt::Display| {
                        OpenError::damaged(path, begin, format!("the batch there is wrong: {reason}"))
                    };
                    let read = match read_batch(payload, &self.ids) {
                        Ok(read) => read,
                        Err(reason) => return Err(wrong(&reason)),
                    };
                    self.graph.replay(read.batch).map_err(|error| wrong(&error))?;
                    self.ids.remove(&read.ids_removed);
                    self.version = header.version;
                    self.recovery.replayed += 1;
                    self.bytes += log.offset - begin;
                }
                Next::Batch(..) => {}
                Next::End(end) => break end,
            }
        };
        self.last = (base, log.version);
        // What comes before another log was on the disk when that one was made.
        let lost = next.filter(|&next| log.version < next);
        // If all of it that counts was read, it does not matter how it ends.
        if lost.is_none() && (end == End::Whole || next.is_some()) {
            return Ok(false);
        }
        let repaired = end == End::Damaged || lost.is_some();
        if repaired && !options.repair {
            let offset = log.offset;
            return Err(match lost {
                Some(next) if end == End::Whole => log.damaged(
                    offset,
                    format!("it ends with version {}, and the next log begins behind version {next}", log.version),
                ),
                _ => log
                    .damaged(offset, format!("version {} should be there, and was on the disk once", log.version + 1)),
            });
        }
        let (path, offset) = (storage.path(&names::log(base)), log.offset);
        self.recovery.cut = Some(Cut { path, offset, bytes: log.size() - offset, repaired });
        Ok(true)
    }

    /// Makes the directory agree with what was read, and opens the log to go on with.
    pub fn into_log(self, storage: Arc<dyn Storage>) -> Result<(AnyGraph<V>, VertexIds, Recovery, Log), OpenError> {
        let Recovered { graph, ids, version, recovery, last, bytes } = self;
        let all = storage.list().map_err(OpenError::io("read", storage.path("")))?;
        let (logs, checkpoints) = names::versions(&all);
        let remove = |name: &str| storage.remove(name).map_err(OpenError::io("remove", storage.path(name)));
        all.iter().filter(|name| name.ends_with(names::ASIDE)).try_for_each(|name| remove(name))?;
        if recovery.cut.as_ref().is_some_and(|cut| cut.repaired) {
            // What was behind the damage.
            checkpoints.iter().filter(|&&at| at > version).try_for_each(|&at| remove(&names::checkpoint(at)))?;
            logs.iter().filter(|&&base| base > last.0).try_for_each(|&base| remove(&names::log(base)))?;
        }
        let (base, end) = last;
        let name = names::log(base);
        let mut tail = None;
        // A log that ends before the checkpoint is none to go on with.
        if logs.contains(&base) && end == version {
            let io = |doing| OpenError::io(doing, storage.path(&name));
            let mut file = storage.open(&name, true).map_err(io("open"))?;
            let mut len = file.size().map_err(io("read"))?;
            if let Some(cut) = &recovery.cut {
                file.truncate(cut.offset).map_err(io("cut"))?;
                len = cut.offset;
            }
            // What was read may be in the memory of the system only.
            file.sync().map_err(io("sync"))?;
            tail = Some(Tail { file, base, len: len.max(FILE_HEADER as u64) });
        }
        let tail = match tail {
            Some(tail) => tail,
            None => Tail::create(&*storage, version)?,
        };
        let with_ids = ids.bound() as u32;
        let log = Log::new(storage, tail, version, with_ids, bytes);
        Ok((graph, ids, recovery, log))
    }
}
