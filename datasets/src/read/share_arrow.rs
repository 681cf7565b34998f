//! Batches of a file or stream of Arrow's IPC format, one at a time.
//!
//! ```text
//!   schema │ dictionary │ batch │ batch │ … │ end        a share is a range of batches: of the others only the heads are read
//! ```

use std::io::{self, Read, Seek, SeekFrom};
use std::{mem, vec};

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::{MessageHeader, root_as_message};
use arrow_schema::ArrowError;

use super::arrow::{self, CONTINUATION};
use super::opened::Opened;
use super::share_table::{Kind, NextRows};
use super::table::Table;
use crate::error::Error;
use crate::input::{Format, Options};

/// Bytes at the beginning of a file in which its first message begins.
const HEAD: u64 = 64 << 10;

/// Where a message is in a file: its metadata, and the body behind them.
#[derive(Clone, Copy, Debug)]
struct Message {
    at: u64,
    metadata: u32,
    body: u64,
    content: Content,
}

/// What a message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Schema,
    Dictionary,
    /// So many rows.
    Batch(u64),
    Other,
}

/// A file, and where its messages are.
#[derive(Clone, Debug)]
pub(super) struct Batches {
    file: Opened,
    options: Options,
    messages: Vec<Message>,
    pub(super) kind: Kind,
}

impl Batches {
    /// Reads the heads of all messages.
    pub(super) fn open(opened: Opened, options: &Options) -> Result<Self, Error> {
        // Attributes stay in the file.
        let options = options.clone().with_attributes(false);
        let (path, size, mut file) = (opened.path(), opened.size(), opened.clone());
        let mut read = || -> io::Result<_> {
            let mut head = Vec::new();
            file.by_ref().take(HEAD).read_to_end(&mut head)?;
            let mut tail = Vec::new();
            file.seek(SeekFrom::Start(size.saturating_sub(arrow::TAIL)))?;
            file.by_ref().take(arrow::TAIL).read_to_end(&mut tail)?;
            Ok((head, tail))
        };
        let (head, tail) = read().map_err(|error| Error::io(path, error))?;
        let extent = Table::caught(path, Format::Arrow, || arrow::extent(&head, &tail, size))?;
        let mut messages = Vec::new();
        let mut at = extent.start;
        while let Some(message) = Message::at(&mut file, at, extent.end)? {
            at = message.at + u64::from(message.metadata) + message.body;
            messages.push(message);
        }
        let mut decoder = Decoder::new(file);
        if let Some(message) = messages.first().filter(|message| message.content == Content::Schema) {
            decoder.decode(message)?;
        }
        let decoder = decoder.stream;
        let table = arrow::open(path, usize::try_from(size).unwrap_or(usize::MAX), &decoder, &options)?;
        let all = rows_of(&messages);
        table.check_rows(usize::try_from(all).unwrap_or(usize::MAX))?;
        if all == 0 {
            return Err(Error::Empty { path: path.to_owned(), expected: "at least one edge" });
        }
        let kind = Kind::of(&table, arrow::is_named(&table, &decoder));
        Ok(Batches { file: opened, options, messages, kind })
    }

    /// The batches of one reader: those whose first rows are in its part of all rows.
    pub(super) fn share(&self, reader: usize, readers: usize) -> Result<BatchShare, Error> {
        let all = rows_of(&self.messages);
        let cut = |reader: usize| (u128::from(all) * reader as u128 / readers as u128) as u64;
        let mine = cut(reader)..cut(reader + 1);
        let (mut left, mut first) = (Vec::new(), 0);
        for &message in &self.messages {
            match message.content {
                Content::Batch(rows) => {
                    if mine.contains(&first) && rows > 0 {
                        left.push((message, first));
                    }
                    first += rows;
                }
                // Batches behind them need them, those of other readers too.
                Content::Schema | Content::Dictionary if first < mine.end => left.push((message, first)),
                Content::Schema | Content::Dictionary | Content::Other => {}
            }
        }
        let (mut decoder, mut left) = (Decoder::new(self.file.clone()), left.into_iter());
        if let Some((schema, _)) = left.next() {
            decoder.decode(&schema)?;
        }
        let size = usize::try_from(self.file.size()).unwrap_or(usize::MAX);
        let table = arrow::open(self.file.path(), size, &decoder.stream, &self.options)?;
        Ok(BatchShare { decoder, left, table })
    }
}

/// The number of rows of all batches.
fn rows_of(messages: &[Message]) -> u64 {
    let rows = |message: &Message| if let Content::Batch(rows) = message.content { rows } else { 0 };
    messages.iter().map(rows).fold(0, u64::saturating_add)
}

impl Message {
    /// The message that begins at a place; `None` at the end.
    fn at(file: &mut Opened, at: u64, end: u64) -> Result<Option<Self>, Error> {
        let path = &file.path().to_owned();
        let cut = || Table::caught(path, Format::Arrow, || Err("it is cut off in a message"));
        let mut read = |at: u64, count: u64| -> Result<Option<Vec<u8>>, Error> {
            if end.saturating_sub(at) < count {
                return Ok(None);
            }
            let mut bytes = vec![0; count as usize];
            let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut bytes));
            read.map(|()| Some(bytes)).map_err(|error| Error::io(path, error))
        };
        let mut number = |at| -> Result<Option<u32>, Error> {
            let four = |bytes: Vec<u8>| bytes.try_into().map_or(0, u32::from_le_bytes);
            Ok(read(at, 4)?.map(four))
        };
        if at >= end {
            return Ok(None);
        }
        let (mut at, mut metadata) = (at + 4, number(at)?);
        if metadata == Some(CONTINUATION) {
            (at, metadata) = (at + 4, number(at)?);
        }
        let Some(metadata) = metadata else { return cut() };
        if metadata == 0 {
            return Ok(None);
        }
        let Some(head) = read(at, metadata.into())? else { return cut() };
        let message = Table::caught(path, Format::Arrow, || root_as_message(&head))?;
        let left = end - at - u64::from(metadata);
        let Some(body) = u64::try_from(message.bodyLength()).ok().filter(|&body| body <= left) else { return cut() };
        let content = match (message.header_type(), message.header_as_record_batch()) {
            (MessageHeader::Schema, _) => Content::Schema,
            (MessageHeader::DictionaryBatch, _) => Content::Dictionary,
            (_, Some(batch)) => Content::Batch(u64::try_from(batch.length()).unwrap_or(0)),
            _ => Content::Other,
        };
        Ok(Some(Message { at, metadata, body, content }))
    }
}

/// A decoder of some messages of a file.
struct Decoder {
    file: Opened,
    stream: StreamDecoder,
    is_first: bool,
}

impl Decoder {
    fn new(file: Opened) -> Self {
        Decoder { file, stream: StreamDecoder::new(), is_first: true }
    }

    /// Decodes a message, which may be a batch.
    fn decode(&mut self, message: &Message) -> Result<Option<RecordBatch>, Error> {
        // The file was as long as that when it was opened.
        let mut bytes = [CONTINUATION.to_le_bytes(), message.metadata.to_le_bytes()].concat();
        bytes.resize(8 + message.metadata as usize + message.body as usize, 0);
        let read = self.file.seek(SeekFrom::Start(message.at)).and_then(|_| self.file.read_exact(&mut bytes[8..]));
        read.map_err(|error| Error::io(self.file.path(), error))?;
        let mut message = Buffer::from_vec(bytes);
        // A message without a body is decoded when the next one begins: so the beginning of that one is always there.
        let mut next = Buffer::from(CONTINUATION.to_le_bytes());
        if !mem::take(&mut self.is_first) {
            message.advance(next.len());
        }
        let stream = &mut self.stream;
        Table::caught(self.file.path(), Format::Arrow, || {
            arrow::check_lengths(&message)?;
            let batch = stream.decode(&mut message)?;
            Ok::<_, ArrowError>(batch.or(stream.decode(&mut next)?))
        })
    }
}

/// Some batches of a file.
pub(super) struct BatchShare {
    decoder: Decoder,
    /// Batches and dictionaries that were not read, and how many rows precede them in the file.
    left: vec::IntoIter<(Message, u64)>,
    table: Table,
}

impl NextRows for BatchShare {
    fn table(&mut self) -> &mut Table {
        &mut self.table
    }

    fn advance(&mut self) -> Result<bool, Error> {
        for (message, before) in self.left.by_ref() {
            if let Some(batch) = self.decoder.decode(&message)? {
                self.table.behind(before);
                arrow::add(&mut self.table, &batch)?;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{ArrayRef, DictionaryArray, Float64Array, UInt64Array};
    use arrow_ipc::writer::{FileWriter, StreamWriter};

    use super::*;
    use crate::read::share::Shared;

    /// Batches of so many rows: ids, or names of a dictionary that each batch has anew.
    fn batches(lengths: &[u64], named: bool) -> Vec<RecordBatch> {
        let mut first = 0;
        let batch = |&rows: &u64| {
            let column = |factor: u64| -> ArrayRef {
                let ids = (first..first + rows).map(|k| k * factor % 101);
                match named {
                    true => {
                        let names: Vec<String> = ids.map(|id| format!("v{id}")).collect();
                        Arc::new(names.iter().map(String::as_str).collect::<DictionaryArray<Int32Type>>())
                    }
                    false => Arc::new(UInt64Array::from_iter_values(ids)),
                }
            };
            let weights = Float64Array::from_iter_values((first..first + rows).map(|k| k as f64 / 4.0));
            let columns = [("src", column(7)), ("dst", column(13)), ("weight", Arc::new(weights) as ArrayRef)];
            first += rows;
            RecordBatch::try_from_iter(columns).unwrap()
        };
        lengths.iter().map(batch).collect()
    }

    fn write(path: &Path, batches: &[RecordBatch]) {
        let (file, schema) = (File::create(path).unwrap(), batches[0].schema());
        if path.extension().is_some_and(|ending| ending == "arrows") {
            let mut writer = StreamWriter::try_new(file, &schema).unwrap();
            batches.iter().for_each(|batch| writer.write(batch).unwrap());
            writer.finish().unwrap();
        } else {
            let mut writer = FileWriter::try_new(file, &schema).unwrap();
            batches.iter().for_each(|batch| writer.write(batch).unwrap());
            writer.finish().unwrap();
        }
    }

    /// All arcs by so many readers.
    fn read(path: &Path, readers: usize) -> Result<Vec<(u64, u64, f64)>, Error> {
        let shared = Shared::open(path, &Options::default())?.unwrap();
        let mut arcs = Vec::new();
        for reader in 0..readers {
            let mut share = shared.share(reader, readers)?;
            if shared.named {
                while let Some(block) = share.next_named()? {
                    let id = |at: u32| block.names[at as usize][1..].parse::<u64>().unwrap();
                    arcs.extend(block.arcs.iter().map(|&(src, dst, weight)| (id(src), id(dst), weight)));
                }
            } else {
                while share.next(&mut |src, dst, weight| arcs.push((src, dst, weight)), &mut |_| ())? {}
            }
        }
        Ok(arcs)
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn batches_are_read_by_many_each_once() {
        let folder = tempfile::tempdir().unwrap();
        for (name, named) in [("a.arrow", false), ("a.arrows", false), ("named.arrows", true)] {
            let path = folder.path().join(name);
            for lengths in [&[1000][..], &[10, 500, 1, 0, 1, 300, 20], &[3, 3, 3, 3]] {
                let all: u64 = lengths.iter().sum();
                write(&path, &batches(lengths, named));
                let expected: Vec<_> = (0..all).map(|k| (k * 7 % 101, k * 13 % 101, k as f64 / 4.0)).collect();
                for readers in [1, 2, 3, 9] {
                    assert!(read(&path, readers).unwrap() == expected, "{name}: {lengths:?} by {readers}");
                }
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn files_that_are_cut_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.arrow", "a.arrows"] {
            let path = folder.path().join(name);
            write(&path, &batches(&[40, 50], false));
            let bytes = fs::read(&path).unwrap();
            // The end of a stream may be missing.
            for len in (9..bytes.len() - 8).step_by(7) {
                fs::write(&path, &bytes[..len]).unwrap();
                let whole = crate::read(&path, &Options::default());
                let found = read(&path, 2);
                match whole {
                    Err(_) => assert!(found.is_err(), "{name} of {len} bytes"),
                    Ok(whole) => assert!(found.unwrap().len() == whole.edges.len(), "{name} of {len} bytes"),
                }
            }
            // A length that no file has.
            let at = bytes.windows(4).position(|four| four == [255; 4]).unwrap() + 4;
            let mut longer = bytes.clone();
            longer[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes()[..]);
            fs::write(&path, &longer).unwrap();
            assert!(read(&path, 2).is_err(), "{name}");
        }
    }
}
