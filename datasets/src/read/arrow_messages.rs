//! Messages of Arrow's IPC format: where they are in a file, and what they hold.
//!
//! ```text
//!   file     ARROW1 0 0 │ schema │ batch │ batch │ … │ end │ footer │ its length │ ARROW1
//!   stream                schema │ batch │ batch │ … │ end
//! ```
//!
//! The footer of a file has the schema and says where dictionaries and batches are. What precedes the first of them differs between writers.

use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Block, Footer, MessageHeader, MetadataVersion, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};

use super::ARROW;
use super::opened::Opened;
use super::table::Table;
use crate::error::Error;
use crate::input::Format;

/// What precedes the length of a message, since version 0.15.
const CONTINUATION: [u8; 4] = [255; 4];

/// Bytes at the end of a file: how long its footer is, and the signature.
const TAIL: u64 = 10;

/// Bytes between two messages of a file, at most: they are padded to 64 bytes, and the end mark takes eight.
const GAP: u64 = 72;

/// How many times longer than its compressed bytes a buffer can be: Zstandard makes four bytes of 128 KiB that are all the same.
const MOST_COMPRESSED: u64 = 1 << 15;

/// A file whose parts are read one by one.
pub(super) trait Parts {
    fn path(&self) -> &Path;
    fn size(&self) -> u64;
    /// A part that lies within the file.
    fn part(&mut self, range: Range<u64>) -> Result<Buffer, Error>;
}

/// A file in memory.
pub(super) struct Whole<'p> {
    pub(super) path: &'p Path,
    pub(super) bytes: Buffer,
}

impl Parts for Whole<'_> {
    fn path(&self) -> &Path {
        self.path
    }

    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn part(&mut self, range: Range<u64>) -> Result<Buffer, Error> {
        Ok(self.bytes.slice_with_length(range.start as usize, (range.end - range.start) as usize))
    }
}

impl Parts for Opened {
    fn path(&self) -> &Path {
        Opened::path(self)
    }

    fn size(&self) -> u64 {
        Opened::size(self)
    }

    fn part(&mut self, range: Range<u64>) -> Result<Buffer, Error> {
        let mut bytes = vec![0; (range.end - range.start) as usize];
        let read = self.seek(SeekFrom::Start(range.start)).and_then(|_| self.read_exact(&mut bytes));
        read.map(|()| Buffer::from_vec(bytes)).map_err(|error| Error::io(Opened::path(self), error))
    }
}

/// What a message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Dictionary,
    /// So many rows.
    Batch(u64),
    Other,
}

/// Where a message is in a file: its length and metadata, and the body behind them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    at: u64,
    metadata: u32,
    body: u64,
    pub(super) content: Content,
}

/// The messages of a file that follow the schema: dictionaries before the batches that need them.
#[derive(Clone, Debug)]
pub(super) struct Messages {
    pub(super) schema: SchemaRef,
    pub(super) all: Vec<Message>,
}

impl Messages {
    /// Finds the messages of a file or stream.
    pub(super) fn of(file: &mut dyn Parts) -> Result<Self, Error> {
        let head = file.part(0..file.size().min(ARROW.len() as u64))?;
        if *head == *ARROW { Self::of_file(file) } else { Self::of_stream(file) }
    }

    fn of_file(file: &mut dyn Parts) -> Result<Self, Error> {
        let (path, size) = (file.path().to_owned(), file.size());
        let damaged = |reason: &str| damaged(&path, reason);
        let tail = file.part(size.saturating_sub(TAIL)..size)?;
        let Some(length) = tail.strip_suffix(ARROW).and_then(<[u8]>::last_chunk) else {
            return Err(damaged("it is cut off: its end is missing"));
        };
        let length = u64::try_from(i32::from_le_bytes(*length)).ok();
        let Some(end) = length.and_then(|length| size.checked_sub(TAIL + length)) else {
            return Err(damaged("its footer is damaged"));
        };
        let footer = file.part(end..size - TAIL)?;
        let footer = root_as_footer(&footer).map_err(|_| damaged("its footer is damaged"))?;
        let Some(schema) = footer.schema() else { return Err(damaged("it has no schema")) };
        let schema = Table::caught(&path, Format::Arrow, || try_fb_to_schema(schema))?.into();
        let places = places(&footer, end).map_err(damaged)?;
        let all = places.into_iter().map(|place| Message::at(file, place, end).map(|(message, _)| message));
        Ok(Messages { schema, all: all.collect::<Result<_, _>>()? })
    }

    fn of_stream(file: &mut dyn Parts) -> Result<Self, Error> {
        let (path, end) = (file.path().to_owned(), file.size());
        let (mut at, mut schema, mut all) = (0, None, Vec::new());
        while at < end {
            let Some(place) = next_place(file, at, end)? else { break };
            let (message, said) = Message::at(file, place, end)?;
            at = message.at + u64::from(message.metadata) + message.body;
            match (&schema, said) {
                (None, Some(said)) => schema = Some(said),
                (Some(_), None) => all.push(message),
                (None, None) => return Err(damaged(&path, "it has no schema")),
                (Some(_), Some(_)) => return Err(damaged(&path, "it has a second schema: expected one table")),
            }
        }
        let schema = schema.ok_or_else(|| damaged(&path, "it has no schema"))?;
        Ok(Messages { schema, all })
    }

    /// The number of rows of all batches.
    pub(super) fn rows(&self) -> u64 {
        let rows = |message: &Message| if let Content::Batch(rows) = message.content { rows } else { 0 };
        self.all.iter().map(rows).fold(0, u64::saturating_add)
    }
}

fn damaged(path: &Path, reason: &str) -> Error {
    Table::damaged(path, Format::Arrow, reason)
}

/// Where the dictionaries and then the batches of a file are, whose footer begins at `end`. They fill the file up to there.
fn places(footer: &Footer<'_>, end: u64) -> Result<Vec<(u64, u32)>, &'static str> {
    let mut places = Vec::new();
    let mut filled = Vec::new();
    for block in footer.dictionaries().into_iter().flatten().chain(footer.recordBatches().into_iter().flatten()) {
        let place = (u64::try_from(block.offset()), u32::try_from(block.metaDataLength()));
        let ((Ok(at), Ok(metadata)), Ok(body)) = (place, u64::try_from(block.bodyLength())) else {
            return Err("its footer is damaged");
        };
        let behind = at.checked_add(u64::from(metadata)).and_then(|behind| behind.checked_add(body));
        filled.push((at, behind.ok_or("its footer is damaged")?));
        places.push((at, metadata));
    }
    filled.sort_unstable();
    filled.push((end, end));
    let gap = |pair: &[(u64, u64)]| pair[1].0.checked_sub(pair[0].1);
    match filled.windows(2).all(|pair| gap(pair).is_some_and(|gap| gap <= GAP)) {
        true => Ok(places),
        false => Err("its footer does not name all of it"),
    }
}

/// Where the message that begins at a place of a stream has its metadata, and how long they are with the length in front. `None` at the end.
fn next_place(file: &mut dyn Parts, at: u64, end: u64) -> Result<Option<(u64, u32)>, Error> {
    let path = file.path().to_owned();
    let head = file.part(at..end.min(at + 8))?;
    let (front, length) = match head.strip_prefix(&CONTINUATION) {
        Some(rest) => (8, rest.first_chunk()),
        None => (4, head.first_chunk()),
    };
    let Some(length) = length.map(|length| u32::from_le_bytes(*length)) else {
        return Err(damaged(&path, "it is cut off in a message"));
    };
    match length {
        0 if at + front < end => Err(damaged(&path, "it goes on behind its end: expected one table")),
        0 => Ok(None),
        length => Ok(Some((at, length.saturating_add(front as u32)))),
    }
}

impl Message {
    /// The message of which so many bytes at a place are the length and metadata, and the schema if it is one.
    fn at(file: &mut dyn Parts, (at, metadata): (u64, u32), end: u64) -> Result<(Self, Option<SchemaRef>), Error> {
        let path = file.path().to_owned();
        let cut = || damaged(&path, "it is cut off in a message");
        let left = end.checked_sub(at).and_then(|left| left.checked_sub(metadata.into())).ok_or_else(cut)?;
        let head = file.part(at..at + u64::from(metadata))?;
        let front = if head.starts_with(&CONTINUATION) { 8 } else { 4 };
        let length = head.get(front - 4..).and_then(<[u8]>::first_chunk).map(|length| u32::from_le_bytes(*length));
        if length.is_none_or(|length| u64::from(length) + front as u64 > u64::from(metadata)) {
            return Err(cut());
        }
        let message = Table::caught(&path, Format::Arrow, || root_as_message(head.get(front..).unwrap_or_default()))?;
        let body = u64::try_from(message.bodyLength()).ok().filter(|&body| body <= left).ok_or_else(cut)?;
        let schema = message.header_as_schema();
        let schema =
            schema.map(|schema| Table::caught(&path, Format::Arrow, || try_fb_to_schema(schema))).transpose()?;
        let content = match (message.header_type(), message.header_as_record_batch()) {
            (MessageHeader::DictionaryBatch, _) => Content::Dictionary,
            (_, Some(batch)) => Content::Batch(u64::try_from(batch.length()).unwrap_or(0)),
            _ => Content::Other,
        };
        Ok((Message { at, metadata, body, content }, schema.map(SchemaRef::new)))
    }
}

/// A decoder of some messages of a file.
pub(super) struct Decoder(FileDecoder);

impl Decoder {
    pub(super) fn new(schema: SchemaRef) -> Self {
        // With this version, messages may be of any.
        Decoder(FileDecoder::new(schema, MetadataVersion::V1))
    }

    /// Decodes a message, which may be a batch.
    pub(super) fn decode(&mut self, file: &mut dyn Parts, message: Message) -> Result<Option<RecordBatch>, Error> {
        let Message { at, metadata, body, content } = message;
        let bytes = file.part(at..at + u64::from(metadata) + body)?;
        Table::caught(file.path(), Format::Arrow, || {
            check_lengths(&bytes, metadata as usize)?;
            let length = i32::try_from(metadata).map_err(|error| ArrowError::IpcError(error.to_string()))?;
            let block = Block::new(0, length, body as i64);
            match content {
                Content::Dictionary => self.0.read_dictionary(&block, &bytes).map(|()| None),
                Content::Batch(_) | Content::Other => self.0.read_record_batch(&block, &bytes),
            }
        })
    }
}

/// Refuses compressed buffers of a message that claim to be longer than any compression could have made them: the decoder takes the memory
/// before it decompresses them. Whatever else is wrong, the decoder finds.
fn check_lengths(message: &[u8], metadata: usize) -> Result<(), ArrowError> {
    let (head, body) = message.split_at(metadata);
    let front = if head.starts_with(&CONTINUATION) { 8 } else { 4 };
    let Some(Ok(message)) = head.get(front..).map(root_as_message) else { return Ok(()) };
    let batch = message.header_as_record_batch();
    let batch = batch.or_else(|| message.header_as_dictionary_batch().and_then(|batch| batch.data()));
    let Some(batch) = batch.filter(|batch| batch.compression().is_some()) else { return Ok(()) };
    // A buffer without bytes has no length in front, either.
    for buffer in batch.buffers().into_iter().flatten().filter(|buffer| buffer.length() > 0) {
        let begin = usize::try_from(buffer.offset()).unwrap_or(usize::MAX);
        let claimed = body.get(begin..).and_then(<[u8]>::first_chunk).map(|length| i64::from_le_bytes(*length));
        let most = u64::try_from(buffer.length()).unwrap_or(0).saturating_mul(MOST_COMPRESSED);
        if claimed.is_some_and(|claimed| u64::try_from(claimed).is_ok_and(|claimed| claimed > most)) {
            return Err(ArrowError::IpcError("a compressed buffer claims more than its bytes can hold".to_owned()));
        }
    }
    Ok(())
}
