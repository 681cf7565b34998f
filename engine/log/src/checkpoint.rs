//! Checkpoints: a version of the graph in one file, that is read as fast as the disk gives it.
//!
//! ```text
//!   checkpoint-00000000000000000042
//!   [head][vertices][ids][ids]…[rows][rows][rows]…[table: kind, place, length, checksum, rows of each part][end]
//!
//!   rows   rows | lengths | columns | weights      whole pages of rows, a megabyte or so, each built by one thread as it is read
//! ```
//!
//! Each part has a checksum of its own, so that parts are read, checked and built by all threads at once, in memory that stays in the
//! cache. The file is written beside its place, synced and renamed: under its name it is always whole.

use std::io;
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use pleach::graph::{Saved, VertexSet};
use pleach::matrix::{BlockError, BlockRows, BlockShape, RowSource, SourceError};
use pleach_erased::{AnyGraph, AnySnapshot, RestoreError};

use crate::bytes::{Malformed, Reader, Writer, count};
use crate::ids::{IdsThen, VertexIds};
use crate::storage::{Storage, StorageFile};
use crate::value::{Out, Weights};
use crate::{Failure, IdKind, OpenError, Options, names};

/// The format that is written here, and the newest that is read.
const FORMAT: u32 = 1;

const MAGIC: &[u8; 8] = b"PLEACHCK";

/// Bytes before the first part.
const HEAD: usize = 16;

/// Bytes of an entry of the table.
const ENTRY: usize = 56;

/// Bytes behind the table.
const END: usize = 64;

/// Nonzeros of a part, if its rows are not longer.
const PART: usize = 1 << 18;

/// Vertices whose ids are in one part.
const IDS: u32 = 1 << 16;

/// What a part holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Vertices,
    Ids,
    Out,
    Incoming,
}

const KINDS: [Kind; 4] = [Kind::Vertices, Kind::Ids, Kind::Out, Kind::Incoming];

/// What the table says of a part.
#[derive(Clone, Debug)]
struct Entry {
    kind: Kind,
    sum: u32,
    offset: u64,
    len: u64,
    /// The rows, or the vertices, that it is about.
    rows: Range<u64>,
    /// Rows that are not empty.
    filled: u64,
    nonzeros: u64,
}

/// A file while it is written.
struct Parts {
    file: Box<dyn StorageFile>,
    offset: u64,
    entries: Vec<Entry>,
    buffer: Writer,
}

impl Parts {
    fn add(&mut self, kind: Kind, rows: Range<u64>, (filled, nonzeros): (u64, u64)) -> io::Result<()> {
        self.buffer.align();
        let bytes = &self.buffer.bytes;
        let (sum, offset, len) = (crc32fast::hash(bytes), self.offset, bytes.len() as u64);
        self.file.append(bytes)?;
        self.offset += len;
        self.entries.push(Entry { kind, sum, offset, len, rows, filled, nonzeros });
        self.buffer.bytes.clear();
        Ok(())
    }
}

/// Writes the checkpoint of a version, of which the first vertices have ids; its bytes. It is on the disk afterwards.
pub(crate) fn write<V: Weights>(
    storage: &dyn Storage,
    snapshot: &AnySnapshot<V>,
    (ids, with_ids): (&IdsThen, u32),
) -> Result<u64, Failure> {
    let name = names::checkpoint(snapshot.version());
    let aside = names::aside(&name);
    let of = |doing| Failure::of(doing, storage.path(&name));
    let file = storage.create(&aside).map_err(of("create"))?;
    let mut parts = Parts { file, offset: 0, entries: Vec::new(), buffer: Writer::default() };
    let written = write_parts(&mut parts, snapshot, (ids, with_ids)).map_err(of("write to"));
    let done = written.and_then(|()| {
        parts.file.sync().map_err(of("sync"))?;
        storage.rename(&aside, &name).map_err(of("create"))?;
        storage.sync().map_err(of("sync the directory of"))
    });
    if done.is_err() {
        // What cannot be removed is removed when the directory is opened next.
        let _ = storage.remove(&aside);
    }
    done.map(|()| parts.offset)
}

fn write_parts<V: Weights>(
    parts: &mut Parts,
    snapshot: &AnySnapshot<V>,
    (ids, with_ids): (&IdsThen, u32),
) -> io::Result<()> {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(MAGIC);
    head[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    parts.file.append(&head)?;
    parts.offset = HEAD as u64;
    for range in snapshot.vertex_set().ranges() {
        parts.buffer.array(&[range.start, range.end]);
    }
    let vertices = 0..snapshot.vertex_set().last().map_or(0, |last| u64::from(last) + 1);
    parts.add(Kind::Vertices, vertices, (0, 0))?;
    let mut first = 0;
    while first < with_ids {
        let end = with_ids.min(first.saturating_add(IDS));
        ids.write(first..end, &mut parts.buffer);
        parts.add(Kind::Ids, u64::from(first)..u64::from(end), (0, 0))?;
        first = end;
    }
    let has_incoming = snapshot.is_directed() && snapshot.in_degree(0).is_some();
    for (kind, incoming) in [(Kind::Out, false), (Kind::Incoming, true)] {
        if incoming && !has_incoming {
            continue;
        }
        let mut failed = Ok(());
        let _ = snapshot.each_block(incoming, PART, &mut |rows, block| {
            let BlockRows { rows: filled, lens, coords, values } = block;
            let buffer = &mut parts.buffer;
            buffer.array(filled);
            buffer.array(lens);
            buffer.array(coords);
            buffer.align();
            V::write(values, &mut Out(buffer));
            let counts = (filled.len() as u64, coords.len() as u64);
            failed = parts.add(kind, rows.start as u64..rows.end as u64, counts);
            if failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        failed?;
    }
    let table = parts.offset;
    let mut end = Writer::default();
    for entry in &parts.entries {
        end.number(KINDS.iter().position(|&kind| kind == entry.kind).unwrap_or_default() as u32);
        end.number(entry.sum);
        end.array(&[entry.offset, entry.len, entry.rows.start, entry.rows.end, entry.filled, entry.nonzeros]);
    }
    let sum = crc32fast::hash(&end.bytes);
    let begin = end.bytes.len();
    end.array(&[table, parts.entries.len() as u64, snapshot.version(), snapshot.num_rows() as u64]);
    end.array(&[u64::from(with_ids), u64::from(has_incoming)]);
    end.number(sum);
    end.number(FORMAT);
    let sum = crc32fast::hash(&end.bytes[begin..]);
    end.number(sum);
    end.bytes.extend_from_slice(&MAGIC[..4]);
    debug_assert_eq!(end.bytes.len() - begin, END);
    parts.file.append(&end.bytes)?;
    parts.offset += end.bytes.len() as u64;
    Ok(())
}

/// A checkpoint whose table was read.
pub(crate) struct Checkpoint {
    path: PathBuf,
    file: Box<dyn StorageFile>,
    pub version: u64,
    bound: usize,
    /// Vertices with ids.
    pub ids: u32,
    incoming: bool,
    entries: Vec<Entry>,
}

/// Why a part cannot be used.
#[derive(Debug, thiserror::Error)]
enum PartError {
    #[error("{0}")]
    Read(io::Error),
    #[error("{1}")]
    Wrong(u64, Malformed),
}

impl Checkpoint {
    /// Opens the checkpoint of a version, and reads its table.
    pub fn open(storage: &dyn Storage, version: u64) -> Result<Self, OpenError> {
        let name = names::checkpoint(version);
        let path = storage.path(&name);
        let io = || OpenError::io("read", path.clone());
        let file = storage.open(&name, false).map_err(io())?;
        let size = file.size().map_err(io())?;
        let damaged = |offset: u64, reason: &str| OpenError::damaged(path.clone(), offset, reason);
        if size < (HEAD + END) as u64 {
            return Err(damaged(size, "it ends too early"));
        }
        let mut head = [0; HEAD];
        file.read_at(&mut head, 0).map_err(io())?;
        if head[..8] != *MAGIC {
            return Err(damaged(0, "it does not begin like a checkpoint"));
        }
        let found = u32::from_le_bytes(head[8..12].try_into().expect("four bytes"));
        if found > FORMAT {
            return Err(OpenError::Newer { path, found, known: FORMAT });
        }
        let at = size - END as u64;
        let mut end = [0; END];
        file.read_at(&mut end, at).map_err(io())?;
        let mut from = Reader::new(&end);
        let mut numbers = || from.array::<u64>(6).and_then(|all| Ok((all, from.array::<u32>(3)?)));
        let (longs, words) = numbers().map_err(|reason| damaged(at, reason))?;
        if crc32fast::hash(&end[..END - 8]) != words[2] || end[END - 4..] != MAGIC[..4] || longs[2] != version {
            return Err(damaged(at, "the checksum of its end is wrong"));
        }
        let (table, entries) = (longs[0], longs[1]);
        if entries.checked_mul(ENTRY as u64).and_then(|len| len.checked_add(table)) != Some(at) {
            return Err(damaged(at, "its table is not where it should be"));
        }
        let mut bytes = vec![0; (at - table) as usize];
        file.read_at(&mut bytes, table).map_err(io())?;
        if crc32fast::hash(&bytes) != words[0] {
            return Err(damaged(table, "the checksum of its table is wrong"));
        }
        let entries = bytes.chunks_exact(ENTRY).map(Entry::read).collect::<Result<Vec<_>, _>>();
        let entries = entries.map_err(|reason| damaged(table, reason))?;
        if let Some(entry) =
            entries.iter().find(|entry| entry.offset.checked_add(entry.len).is_none_or(|end| end > table))
        {
            return Err(damaged(table, &format!("a part is to be at byte {}, behind the end", entry.offset)));
        }
        let narrow = |number: u64| u32::try_from(number).ok();
        let (Ok(bound), Some(ids)) = (count(longs[3]), narrow(longs[4])) else {
            return Err(damaged(at, "it counts more vertices than there can be"));
        };
        Ok(Checkpoint { path, file, version, bound, ids, incoming: longs[5] != 0, entries })
    }

    fn part(&self, entry: &Entry, buffer: &mut Vec<u64>) -> Result<(), PartError> {
        let words = count(entry.len / 8).map_err(|reason| PartError::Wrong(entry.offset, reason))?;
        buffer.clear();
        buffer.resize(words, 0);
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(buffer);
        self.file.read_at(bytes, entry.offset).map_err(PartError::Read)?;
        if !entry.len.is_multiple_of(8) || crc32fast::hash(bytes) != entry.sum {
            return Err(PartError::Wrong(entry.offset, "the checksum of a part is wrong"));
        }
        Ok(())
    }

    fn error(&self, error: PartError) -> OpenError {
        match error {
            PartError::Read(error) => OpenError::Io { doing: "read", path: self.path.clone(), error },
            PartError::Wrong(offset, reason) => OpenError::damaged(self.path.clone(), offset, reason),
        }
    }

    fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.kind == kind)
    }

    /// Calls `read` with the bytes of all parts of a kind.
    fn each(
        &self,
        kind: Kind,
        mut read: impl FnMut(&Entry, &mut Reader<'_>) -> Result<(), Malformed>,
    ) -> Result<(), OpenError> {
        let mut buffer = Vec::new();
        for entry in self.of_kind(kind) {
            self.part(entry, &mut buffer).map_err(|error| self.error(error))?;
            let wrong = |reason| self.error(PartError::Wrong(entry.offset, reason));
            let mut from = Reader::new(bytemuck::cast_slice(&buffer));
            read(entry, &mut from).and_then(|()| from.finish()).map_err(wrong)?;
        }
        Ok(())
    }

    /// The graph, and the ids of its vertices.
    pub fn restore<V: Weights>(&self, options: &Options<V>) -> Result<(AnyGraph<V>, VertexIds), OpenError> {
        let mut vertices = VertexSet::default();
        self.each(Kind::Vertices, |_, from| {
            let mut last = 0;
            while !from.is_empty() {
                let (start, end): (u64, u64) = (from.number()?, from.number()?);
                if start < last || end <= start || end > self.bound as u64 || end > 1 << 32 {
                    return Err("its vertices do not ascend inside of the graph");
                }
                vertices.insert_range(start..end);
                last = end;
            }
            Ok(())
        })?;
        let ids = VertexIds::new(options.ids);
        if options.ids != IdKind::None {
            self.each(Kind::Ids, |entry, from| {
                let n = entry.rows.end.saturating_sub(entry.rows.start);
                let first = u32::try_from(entry.rows.start).map_err(|_| "its ids are those of other vertices")?;
                ids.read(first, count(n)?, from)
            })?;
        }
        if ids.bound() != self.ids as usize {
            return Err(OpenError::damaged(self.path.clone(), 0, "it has not as many ids as it says"));
        }
        let source = |kind| Source::<V>::new(self, kind);
        let (out, incoming) = (source(Kind::Out), self.incoming.then(|| source(Kind::Incoming)));
        let incoming = incoming.as_ref().map(|rows| rows as &dyn RowSource<V>);
        let saved = Saved { version: self.version, bound: self.bound, vertices, out: &out, incoming };
        let graph = AnyGraph::restore(&options.store, &saved, options.graph).map_err(|error| match error {
            RestoreError::Hold(error) => OpenError::Hold(error),
            RestoreError::Rows(BlockError::Source(error)) => match error.downcast::<PartError>() {
                Ok(error) => self.error(*error),
                Err(error) => OpenError::damaged(self.path.clone(), 0, error.to_string()),
            },
            error => OpenError::damaged(self.path.clone(), 0, error.to_string()),
        })?;
        Ok((graph, ids))
    }
}

impl Entry {
    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(bytes);
        let (kind, sum): (u32, u32) = (from.number()?, from.number()?);
        let &kind = KINDS.get(kind as usize).ok_or("it has a part of no known kind")?;
        let mut long = || from.number::<u64>();
        let (offset, len, rows) = (long()?, long()?, long()?..long()?);
        Ok(Entry { kind, sum, offset, len, rows, filled: long()?, nonzeros: long()? })
    }
}

/// The rows of a checkpoint, as a matrix is built from them.
struct Source<'c, V> {
    checkpoint: &'c Checkpoint,
    entries: Vec<&'c Entry>,
    shapes: Vec<BlockShape>,
    /// Memory that is used again, so that it stays in the cache.
    buffers: Mutex<Vec<Vec<u64>>>,
    marker: std::marker::PhantomData<fn() -> V>,
}

impl<'c, V> Source<'c, V> {
    fn new(checkpoint: &'c Checkpoint, kind: Kind) -> Self {
        let entries: Vec<&Entry> = checkpoint.of_kind(kind).collect();
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let shape = |entry: &&Entry| BlockShape {
            rows: size(entry.rows.start)..size(entry.rows.end),
            nonzeros: size(entry.nonzeros),
        };
        let shapes = entries.iter().map(shape).collect();
        Source { checkpoint, entries, shapes, buffers: Mutex::default(), marker: std::marker::PhantomData }
    }
}

impl<V: Weights> RowSource<V> for Source<'_, V> {
    fn blocks(&self) -> &[BlockShape] {
        &self.shapes
    }

    fn read(&self, block: usize, take: &mut dyn FnMut(BlockRows<'_, V>)) -> Result<(), SourceError> {
        let entry = self.entries[block];
        let mut buffer = self.buffers.lock().pop().unwrap_or_default();
        self.checkpoint.part(entry, &mut buffer)?;
        let wrong = || PartError::Wrong(entry.offset, "a part has not as many rows as it says");
        let (filled, nonzeros) = (count(entry.filled)?, count(entry.nonzeros)?);
        let numbers = filled.checked_mul(2).and_then(|rows| rows.checked_add(nonzeros)).ok_or_else(wrong)?;
        let (words, values) = buffer.split_at_mut_checked(numbers.div_ceil(2)).ok_or_else(wrong)?;
        let words: &mut [u32] = bytemuck::cast_slice_mut(words);
        if cfg!(target_endian = "big") {
            words.iter_mut().for_each(|word| *word = u32::from_le(*word));
        }
        let (rows, rest) = words.split_at(filled);
        let (lens, coords) = rest.split_at(filled);
        let values = V::view(nonzeros, values).ok_or_else(wrong)?;
        take(BlockRows { rows, lens, coords: &coords[..nonzeros], values: &values });
        self.buffers.lock().push(buffer);
        Ok(())
    }
}

/// Removes the checkpoints before the last `keep` that are not damaged, and the logs that hold nothing behind the oldest that stays.
pub(crate) fn clean(storage: &Arc<dyn Storage>, keep: usize, damaged: &[PathBuf]) -> Result<(), Failure> {
    let all = storage.list().map_err(Failure::of("read", storage.path("")))?;
    let (logs, checkpoints) = names::versions(&all);
    let usable = |version: &&u64| !damaged.contains(&storage.path(&names::checkpoint(**version)));
    let Some(&oldest) = checkpoints.iter().rev().filter(usable).take(keep.max(1)).last() else { return Ok(()) };
    let remove = |name: String| storage.remove(&name).map_err(Failure::of("remove", storage.path(&name)));
    let old = checkpoints.iter().filter(|&&version| version < oldest);
    old.into_iter().try_for_each(|&version| remove(names::checkpoint(version)))?;
    // A log ends where the next one begins.
    let done = logs.windows(2).take_while(|pair| pair[1] <= oldest);
    done.map(|pair| pair[0]).try_for_each(|base| remove(names::log(base)))
}
