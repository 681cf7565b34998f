//! Arrow's IPC format, as a file or as a stream.
//!
//! ```text
//!   file     ARROW1 0 0 │ schema │ batch │ batch │ … │ end │ footer │ its length │ ARROW1
//!   stream                schema │ batch │ batch │ … │ end
//! ```
//!
//! What a file holds between its signature and its footer is a stream, and is read as one.

use std::ops::Range;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::root_as_message;
use arrow_schema::{ArrowError, DataType};

use super::arrow_values;
use super::table::{Ends, Table};
use super::{ARROW, Raw};
use crate::error::Error;
use crate::input::{Format, Options};

/// What precedes the length of a message, in streams of version 0.15 and later.
pub(super) const CONTINUATION: u32 = u32::MAX;

/// Bytes at the end of a file: how long its footer is, and the signature.
pub(super) const TAIL: u64 = 10;

/// How many times longer than its compressed bytes a buffer can be: Zstandard makes four bytes of 128 KiB that are all the same.
const MOST_COMPRESSED: u64 = 1 << 15;

pub(super) fn read(path: &Path, bytes: Vec<u8>, options: &Options) -> Result<Raw, Error> {
    let (size, bytes) = (bytes.len(), Buffer::from_vec(bytes));
    let mut rest = Table::caught(path, Format::Arrow, || {
        let tail = bytes.len().saturating_sub(TAIL as usize);
        let extent = extent(&bytes, &bytes[tail..], bytes.len() as u64)?;
        let stream = bytes.slice_with_length(extent.start as usize, (extent.end - extent.start) as usize);
        check_lengths(&stream).map(|()| stream)
    })?;
    let mut decoder = StreamDecoder::new();
    let mut table = None;
    while let Some(batch) = Table::caught(path, Format::Arrow, || decoder.decode(&mut rest))? {
        if table.is_none() {
            table = Some(open(path, size, &decoder, options)?);
        }
        table.iter_mut().try_for_each(|table| add(table, &batch))?;
    }
    Table::caught(path, Format::Arrow, || match (decoder.finish(), decoder.schema()) {
        (Ok(()), None) => Err(ArrowError::IpcError("it has no schema".to_owned())),
        (finished, _) => finished,
    })?;
    // A table without rows, whose columns are looked at nevertheless.
    table.map_or_else(|| open(path, size, &decoder, options), Ok)?.into_raw()
}

/// The table of a stream whose schema has been read.
pub(super) fn open(path: &Path, size: usize, decoder: &StreamDecoder, options: &Options) -> Result<Table, Error> {
    let schema = Table::caught(path, Format::Arrow, || decoder.schema().ok_or("it has no schema"))?;
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let directed = schema.metadata().get(super::table::DIRECTED).map(String::as_str);
    Table::new(path, Format::Arrow, size, &names, directed, options)
}

/// Whether sources are called by names.
pub(super) fn is_named(table: &Table, decoder: &StreamDecoder) -> bool {
    decoder.schema().is_some_and(|schema| !schema.field(table.places.0).data_type().is_integer())
}

/// Where the stream is that a file of so many bytes holds, or is, by its first bytes and the last [`TAIL`].
pub(super) fn extent(head: &[u8], tail: &[u8], size: u64) -> Result<Range<u64>, ArrowError> {
    if !head.starts_with(ARROW) {
        return Ok(0..size);
    }
    let cut = || ArrowError::IpcError("it is cut off: its end is missing".to_owned());
    let length = tail.strip_suffix(ARROW).and_then(<[u8]>::last_chunk).ok_or_else(cut)?;
    let end = u64::try_from(i32::from_le_bytes(*length)).ok().and_then(|length| size.checked_sub(TAIL + length));
    // The signature is padded, to eight bytes or more.
    let first = (8..).step_by(8).find(|&at| head.get(at..at + 8).is_none_or(|word| word != [0; 8])).unwrap_or(8) as u64;
    let end = end.filter(|&end| end >= first);
    Ok(first..end.ok_or_else(|| ArrowError::IpcError("its footer is damaged".to_owned()))?)
}

/// Refuses compressed buffers of a stream that claim to be longer than any compression could have made them: the decoder takes the memory
/// before it decompresses them. Whatever else is wrong, the decoder finds.
pub(super) fn check_lengths(mut stream: &[u8]) -> Result<(), ArrowError> {
    let number =
        |bytes: &mut &[u8]| bytes.split_off(..4).map(|four| u32::from_le_bytes(four.try_into().expect("four bytes")));
    while let Some(mut size) = number(&mut stream) {
        if size == CONTINUATION {
            let Some(next) = number(&mut stream) else { break };
            size = next;
        }
        let Some(Ok(message)) = stream.split_off(..size as usize).map(root_as_message) else { break };
        let length = usize::try_from(message.bodyLength()).unwrap_or(usize::MAX);
        let Some(body) = stream.split_off(..length) else { break };
        let batch = message.header_as_record_batch();
        let batch = batch.or_else(|| message.header_as_dictionary_batch().and_then(|batch| batch.data()));
        if let Some(batch) = batch.filter(|batch| batch.compression().is_some()) {
            // A buffer without bytes has no length in front, either.
            for buffer in batch.buffers().into_iter().flatten().filter(|buffer| buffer.length() > 0) {
                let begin = usize::try_from(buffer.offset()).unwrap_or(usize::MAX);
                let claimed = body.get(begin..).and_then(<[u8]>::first_chunk).map(|length| i64::from_le_bytes(*length));
                let most = u64::try_from(buffer.length()).unwrap_or(0).saturating_mul(MOST_COMPRESSED);
                if claimed.is_some_and(|claimed| u64::try_from(claimed).is_ok_and(|claimed| claimed > most)) {
                    return Err(ArrowError::IpcError(
                        "a compressed buffer claims more than its bytes can hold".to_owned(),
                    ));
                }
            }
        }
    }
    Ok(())
}

pub(super) fn add(table: &mut Table, batch: &RecordBatch) -> Result<(), Error> {
    let first = table.rows();
    for (at, name) in table.others.clone() {
        let column = batch.column(at);
        if !arrow_values::set_all(&mut table.fields, first, &name, column) {
            table.lose(&name, column.data_type());
        }
    }
    let (src, dst, weight) = table.places;
    let (src, dst) = (ends(table, batch.column(src))?, ends(table, batch.column(dst))?);
    let weight = weight.map(|at| weights(table, batch.column(at))).transpose()?;
    table.add(src, dst, weight)
}

/// Refuses a column with gaps.
fn check_whole(table: &Table, array: &ArrayRef) -> Result<(), Error> {
    match array.logical_nulls().and_then(|nulls| (0..nulls.len()).find(|&row| nulls.is_null(row))) {
        None => Ok(()),
        Some(row) => {
            Err(table
                .error_at(row, "expected both ends and the weight, where there is a column of weights, found nothing"))
        }
    }
}

macro_rules! each_integer {
    ($array:expr, $values:ident => $do:expr, $other:expr) => {
        match $array.data_type() {
            DataType::Int8 => {
                let $values = $array.as_primitive::<Int8Type>().values();
                $do
            }
            DataType::Int16 => {
                let $values = $array.as_primitive::<Int16Type>().values();
                $do
            }
            DataType::Int32 => {
                let $values = $array.as_primitive::<Int32Type>().values();
                $do
            }
            DataType::Int64 => {
                let $values = $array.as_primitive::<Int64Type>().values();
                $do
            }
            DataType::UInt8 => {
                let $values = $array.as_primitive::<UInt8Type>().values();
                $do
            }
            DataType::UInt16 => {
                let $values = $array.as_primitive::<UInt16Type>().values();
                $do
            }
            DataType::UInt32 => {
                let $values = $array.as_primitive::<UInt32Type>().values();
                $do
            }
            DataType::UInt64 => {
                let $values = $array.as_primitive::<UInt64Type>().values();
                $do
            }
            _ => $other,
        }
    };
}

fn ends(table: &Table, array: &ArrayRef) -> Result<Ends, Error> {
    check_whole(table, array)?;
    each_integer!(array, values => {
        let ids = values.iter().enumerate().map(|(row, &id)| table.id(row, id));
        Ok(Ends::Ids(ids.collect::<Result<_, Error>>()?))
    }, texts(table, array).map(Ends::Names))
}

/// The numbers of names.
fn texts(table: &Table, array: &ArrayRef) -> Result<Vec<u32>, Error> {
    fn all<'a>(table: &Table, texts: impl Iterator<Item = Option<&'a str>>) -> Result<Vec<u32>, Error> {
        texts.enumerate().map(|(row, text)| table.name(row, text.unwrap_or_default())).collect()
    }
    match array.data_type() {
        DataType::Utf8 => all(table, array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => all(table, array.as_string::<i64>().iter()),
        DataType::Utf8View => all(table, array.as_string_view().iter()),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let names = texts(table, dictionary.values())?;
            let keys = dictionary.normalized_keys().into_iter();
            let name = |(row, key): (usize, usize)| {
                names.get(key).copied().ok_or_else(|| table.error_at(row, "a key is not in its dictionary"))
            };
            keys.enumerate().map(name).collect()
        }
        other => Err(table.error(format!("has ends of type {other}: expected whole numbers or texts"))),
    }
}

fn weights(table: &Table, array: &ArrayRef) -> Result<Vec<f64>, Error> {
    check_whole(table, array)?;
    match array.data_type() {
        DataType::Float64 => Ok(array.as_primitive::<Float64Type>().values().to_vec()),
        DataType::Float32 => Ok(array.as_primitive::<Float32Type>().values().iter().map(|&w| f64::from(w)).collect()),
        _ => each_integer!(array, values => Ok(values.iter().map(|&w| w as f64).collect()), {
            Err(table.error(format!("has weights of type {}: expected numbers", array.data_type())))
        }),
    }
}
