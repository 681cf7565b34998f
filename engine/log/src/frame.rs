//! Frames: what the log consists of.
//!
//! ```text
//!   log-00000000000000000007   [header][frame 8][frame 9][frame 10] …         each file begins behind the version of its name
//!
//!   header   PLEACHLG | format | checksum | version before the first frame
//!   frame    mark | checksum of the rest | version | last version on the disk | length | checksum of the payload | kind
//!            payload: removed vertices, named vertices, ids, steps of sorted edges                 filled up to eight bytes
//! ```
//!
//! A frame says which versions were on the disk when it was written. So a hole in front of it is told from a torn end: what was on the
//! disk must still be there, and what was not may be missing, in whatever order the disk wrote it.

use pleach::graph::{Prepared, Recorded, RecordedStep, StepKind};
use pleach::runtime::par_map;

use crate::bytes::{Malformed, Reader, Writer, count};
use crate::ids::VertexIds;
use crate::value::{In, Out, Weights};

/// The format of logs that is written here, and the newest that is read.
pub(crate) const FORMAT: u32 = 1;

const FILE_MAGIC: &[u8; 8] = b"PLEACHLG";

/// Bytes of the header of a file.
pub(crate) const FILE_HEADER: usize = 24;

/// What every frame begins with.
pub(crate) const FRAME_MARK: [u8; 4] = *b"PLfr";

/// Bytes of a frame before its payload.
pub(crate) const FRAME_HEADER: usize = 40;

/// The header of a file whose first frame is that of the version behind `base`.
pub(crate) fn file_header(base: u64) -> [u8; FILE_HEADER] {
    let mut header = [0; FILE_HEADER];
    header[..8].copy_from_slice(FILE_MAGIC);
    header[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    header[16..].copy_from_slice(&base.to_le_bytes());
    let sum = crc32fast::hash(&header);
    header[12..16].copy_from_slice(&sum.to_le_bytes());
    header
}

/// What is wrong with the header of a file.
pub(crate) enum BadHeader {
    Newer(u32),
    Malformed(Malformed),
}

/// The version before the first frame of a file.
pub(crate) fn read_file_header(header: &[u8; FILE_HEADER]) -> Result<u64, BadHeader> {
    let word = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes"));
    if header[..8] != *FILE_MAGIC {
        return Err(BadHeader::Malformed("it does not begin like a log"));
    }
    if word(8) > FORMAT {
        return Err(BadHeader::Newer(word(8)));
    }
    let mut plain = *header;
    plain[12..16].fill(0);
    if crc32fast::hash(&plain) != word(12) {
        return Err(BadHeader::Malformed("the checksum of its header is wrong"));
    }
    Ok(u64::from_le_bytes(header[16..].try_into().expect("eight bytes")))
}

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// The batch that makes a version.
    Batch,
    /// No batch: everything up to its version was on the disk when it was written.
    Mark,
}

/// What a frame says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameHeader {
    pub version: u64,
    /// The last version that was on the disk when it was written.
    pub durable: u64,
    /// Bytes of the payload, without what fills it up.
    pub len: u64,
    pub sum: u32,
    pub kind: FrameKind,
}

impl FrameHeader {
    pub fn bytes(&self) -> [u8; FRAME_HEADER] {
        let mut bytes = [0; FRAME_HEADER];
        bytes[..4].copy_from_slice(&FRAME_MARK);
        bytes[8..16].copy_from_slice(&self.version.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.durable.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.len.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.sum.to_le_bytes());
        bytes[36..].copy_from_slice(&(self.kind as u32).to_le_bytes());
        let sum = crc32fast::hash(&bytes[8..]);
        bytes[4..8].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// The header that some bytes are, if they are one.
    pub fn read(bytes: &[u8; FRAME_HEADER]) -> Option<Self> {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        if bytes[..4] != FRAME_MARK || crc32fast::hash(&bytes[8..]) != word(4) {
            return None;
        }
        let kind = match word(36) {
            0 => FrameKind::Batch,
            1 => FrameKind::Mark,
            _ => return None,
        };
        Some(FrameHeader { version: long(8), durable: long(16), len: long(24), sum: word(32), kind })
    }

    /// Bytes of the payload with what fills it up.
    pub fn padded(&self) -> u64 {
        self.len.checked_next_multiple_of(8).unwrap_or(u64::MAX)
    }
}

/// The kinds of steps, by their numbers in files.
const KINDS: [StepKind; 4] = [StepKind::Insert, StepKind::Put, StepKind::Reweight, StepKind::Delete];

/// What else goes with a batch.
#[derive(Default)]
pub(crate) struct IdChanges {
    /// The vertices whose ids come first with this batch.
    pub added: std::ops::Range<u32>,
    /// Those whose ids are taken away by it.
    pub removed: Vec<u32>,
}

/// Sources of a step that one thread collects.
const PART: usize = 1 << 14;

/// What a frame holds of some sources of a step.
#[derive(Default)]
struct Part {
    /// Each source and the number of its targets.
    rows: Vec<u32>,
    targets: Vec<u32>,
    weights: Writer,
}

impl Part {
    fn of<'a, V: Weights>(rows: impl Iterator<Item = (u32, &'a [u32], &'a [V])>) -> Self {
        let mut part = Part::default();
        for (from, targets, weights) in rows {
            part.rows.extend([from, targets.len() as u32]);
            part.targets.extend_from_slice(targets);
            V::write(weights, &mut Out(&mut part.weights));
        }
        part
    }
}

/// Writes the payload of a batch; in parallel, if it is large.
pub(crate) fn write_batch<V: Weights>(batch: &Prepared<V>, ids: &VertexIds, changes: &IdChanges, to: &mut Writer) {
    let begin = to.bytes.len();
    for vertices in [batch.removed_vertices(), batch.named_vertices(), &changes.removed] {
        to.number(vertices.len() as u64);
        to.array(vertices);
        to.align();
    }
    to.number(changes.added.start);
    to.number(changes.added.len() as u32);
    ids.write(changes.added.clone(), to);
    to.align();
    to.number(batch.steps().count() as u64);
    for step in batch.steps() {
        let kind = KINDS.iter().position(|&kind| kind == step.kind()).expect("all kinds are listed");
        to.number(kind as u64);
        // Small steps are one part.
        let parts = par_map(step.num_rows().div_ceil(PART), 1, |k| {
            Part::of(step.rows_within(k * PART..step.num_rows().min((k + 1) * PART)))
        });
        let rows: usize = parts.iter().map(|part| part.rows.len() / 2).sum();
        let edges: usize = parts.iter().map(|part| part.targets.len()).sum();
        to.number(rows as u64);
        to.number(edges as u64);
        to.bytes.reserve((2 * rows + edges) * size_of::<u32>() + edges * size_of::<V>() + 8);
        parts.iter().for_each(|part| to.array(&part.rows));
        parts.iter().for_each(|part| to.array(&part.targets));
        to.align();
        parts.iter().for_each(|part| to.bytes.extend_from_slice(&part.weights.bytes));
    }
    debug_assert_eq!((to.bytes.len() - begin) % 8, 0);
}

/// A batch as it was read.
pub(crate) struct ReadBatch<V> {
    pub batch: Recorded<V>,
    /// Vertices whose ids are taken away.
    pub ids_removed: Vec<u32>,
}

/// Reads the payload of a batch; its ids are added to the map.
pub(crate) fn read_batch<V: Weights>(payload: &[u8], ids: &VertexIds) -> Result<ReadBatch<V>, Malformed> {
    let mut from = Reader::new(payload);
    let mut vertices = || -> Result<Vec<u32>, Malformed> {
        let n = count(from.number()?)?;
        let vertices = from.array(n)?;
        from.align()?;
        Ok(vertices)
    };
    let (removed, named, ids_removed) = (vertices()?, vertices()?, vertices()?);
    let (first, n): (u32, u32) = (from.number()?, from.number()?);
    ids.read(first, n as usize, &mut from)?;
    from.align()?;
    let steps = count(from.number()?)?;
    let mut batch = Recorded { steps: Vec::new(), removed, named };
    for _ in 0..steps {
        let kind = count(from.number()?)?;
        let &kind = KINDS.get(kind).ok_or("it has a step of no known kind")?;
        let (rows, edges) = (count(from.number()?)?, count(from.number()?)?);
        let rows: Vec<u32> = from.array(rows.checked_mul(2).ok_or("it ends too early")?)?;
        let to: Vec<u32> = from.array(edges)?;
        from.align()?;
        if rows.chunks_exact(2).map(|row| u64::from(row[1])).sum::<u64>() != edges as u64 {
            return Err("its rows have not as many edges as there are");
        }
        let mut sources = Vec::with_capacity(edges);
        rows.chunks_exact(2).for_each(|row| sources.resize(sources.len() + row[1] as usize, row[0]));
        let weights = if kind == StepKind::Delete { Vec::new() } else { V::read(edges, &mut In(&mut from))? };
        batch.steps.push(RecordedStep { kind, from: sources, to, weights });
    }
    from.finish()?;
    Ok(ReadBatch { batch, ids_removed })
}
