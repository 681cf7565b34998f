//! Batches that are read, and lists that are answered, as streams of Arrow's IPC format.
//!
//! ```text
//!   POST /updates     from: int64   to: int64   op: utf8   weight: float64      a row is an update; `op` and `weight` may be left out
//!   GET  …            id: uint64   value: float64                              figures are metadata of the schema
//! ```

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::root_as_message;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use axum::http::StatusCode;
use pleach::runtime::caught;
use serde_json::{Map, Value};

use crate::parse::{Batch, Key, NAMES};
use crate::refusal::Refusal;
use crate::table::{Column, Table};

/// The media type.
pub(crate) const MEDIA_TYPE: &str = "application/vnd.apache.arrow.stream";

/// Texts of a column may share the same bytes. All together have at most this many times the bytes of the body.
const MOST_SHARED: u64 = 16;

/// Refuses a body that is no valid stream.
fn wrong(reason: &dyn Display) -> Refusal {
    Refusal::bad(format!("the body is no stream of Arrow's IPC format: {reason}"))
}

/// The message for a record batch whose buffers are shorter than its header states.
const TOO_LONG: &str = "a record batch is longer than its buffers";

/// Adds the updates of a stream to a batch. A line that is wrong is named by its row, counted from 1 through all record batches.
///
/// The decoder takes memory as bytes arrive, whatever lengths the stream declares, and checks what it decodes. Where a buffer is shorter
/// than a record batch says, it panics: that is caught, and refused like its errors.
pub(crate) fn read(body: Vec<u8>, to: &mut Batch) -> Result<(), Refusal> {
    check(&body, to)?;
    let (mut decoder, mut rest) = (StreamDecoder::new(), Buffer::from_vec(body));
    let mut rows = 0;
    loop {
        let decoded = caught(|| decoder.decode(&mut rest));
        let decoded = decoded.ok_or_else(|| wrong(&TOO_LONG))?;
        let Some(batch) = decoded.map_err(|error| wrong(&error))? else { break };
        add(&batch, rows, to)?;
        rows += batch.num_rows();
    }
    decoder.finish().map_err(|error| wrong(&error))
}

/// Checks a stream before anything is decoded. It refuses what would cost the decoder memory or time out of proportion to the length of the
/// stream: compressed buffers, for which the decoder allocates the size that they state; columns that a batch of updates does not have; and
/// texts that share bytes more than [`MOST_SHARED`] times, because the decoder reads shared bytes once for each text.
///
/// It refuses invalid streams, too, so that the decoder gets nothing that was not checked here.
fn check(mut stream: &[u8], to: &mut Batch) -> Result<(), Refusal> {
    const CONTINUATION: u32 = u32::MAX;
    let number =
        |bytes: &mut &[u8]| bytes.split_off(..4).map(|four| u32::from_le_bytes(four.try_into().expect("four bytes")));
    let cut_off = || wrong(&"it is cut off");
    let most = MOST_SHARED * stream.len() as u64;
    let (mut schema, mut texts) = (None, 0);
    while !stream.is_empty() {
        let mut size = number(&mut stream).ok_or_else(cut_off)?;
        if size == CONTINUATION {
            size = number(&mut stream).ok_or_else(cut_off)?;
        }
        if size == 0 {
            break;
        }
        let message = stream.split_off(..size as usize).ok_or_else(cut_off)?;
        let message = root_as_message(message).map_err(|_| wrong(&"a message cannot be read"))?;
        let length = usize::try_from(message.bodyLength()).unwrap_or(usize::MAX);
        let body = stream.split_off(..length).ok_or_else(cut_off)?;
        if let Some(found) = message.header_as_schema() {
            if schema.is_some() {
                return Err(wrong(&"it has two schemas"));
            }
            let found = caught(|| try_fb_to_schema(found)).ok_or_else(|| wrong(&"its schema cannot be read"))?;
            let found = Arc::new(found.map_err(|error| wrong(&error))?);
            columns(&found)?;
            // A record batch without rows has columns of the same types.
            let empty = caught(|| RecordBatch::new_empty(found.clone()));
            add(&empty.ok_or_else(|| wrong(&"its schema cannot be read"))?, 0, to)?;
            schema = Some(found);
        }
        let batch = message.header_as_record_batch();
        let batch = batch.or_else(|| message.header_as_dictionary_batch().and_then(|batch| batch.data()));
        if batch.is_some_and(|batch| batch.compression().is_some()) {
            let reason = "its buffers are compressed; compress the body instead, and say so by Content-Encoding";
            return Err(wrong(&reason));
        }
        if let (Some(schema), Some(batch)) = (&schema, message.header_as_record_batch()) {
            texts += length_of_views(schema, batch, body).ok_or_else(|| wrong(&TOO_LONG))?;
        }
        if texts > most {
            let reason = format!("the texts have {texts} bytes, more than {MOST_SHARED} times those of the body");
            return Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, reason));
        }
    }
    schema.map(drop).ok_or_else(|| wrong(&"it has no schema"))
}

/// The total length of the texts in columns of views, in which texts may share bytes; `None` if a column lacks a buffer. The columns have
/// types that a batch of updates may have.
fn length_of_views(schema: &Schema, batch: arrow_ipc::RecordBatch<'_>, body: &[u8]) -> Option<u64> {
    const VIEW: usize = size_of::<u128>();
    let (nodes, buffers) = (batch.nodes()?, batch.buffers()?);
    let (mut nodes, mut buffers) = (nodes.iter(), buffers.iter());
    let mut shared = batch.variadicBufferCounts().into_iter().flatten();
    let mut length = 0;
    for field in schema.fields() {
        let rows = usize::try_from(nodes.next()?.length()).ok()?;
        // The first buffer of each column says which rows are null.
        buffers.next()?;
        let others = match field.data_type() {
            DataType::Utf8View => {
                let views = buffers.next()?;
                let (begin, bytes) = (usize::try_from(views.offset()).ok()?, usize::try_from(views.length()).ok()?);
                let views = body.get(begin..)?.get(..bytes)?.chunks_exact(VIEW).take(rows);
                // A view begins with the length of its text.
                let of = |view: &[u8]| view.first_chunk().map_or(0, |four| u64::from(u32::from_le_bytes(*four)));
                length += views.map(of).sum::<u64>();
                usize::try_from(shared.next()?).ok()?
            }
            DataType::Utf8 | DataType::LargeUtf8 => 2,
            _ => 1,
        };
        for _ in 0..others {
            buffers.next()?;
        }
    }
    Some(length)
}

/// The places of `op`, `from`, `to` and `weight`.
fn columns(schema: &Schema) -> Result<(Option<usize>, usize, usize, Option<usize>), Refusal> {
    let mut places = [None; NAMES.len()];
    for (at, field) in schema.fields().iter().enumerate() {
        let name = field.name();
        match NAMES.iter().position(|known| known == name) {
            Some(known) if places[known].is_none() => places[known] = Some(at),
            Some(_) => return Err(Refusal::bad(format!("column `{name}` is there twice"))),
            None => return Err(Refusal::bad(format!("column `{name}` is none of op, from, to and weight"))),
        }
    }
    match places {
        [op, Some(from), Some(to), weight] => Ok((op, from, to, weight)),
        _ => Err(Refusal::bad("a batch has the columns `from` and `to`, and if need be `op` and `weight`")),
    }
}

fn add(batch: &RecordBatch, before: usize, to: &mut Batch) -> Result<(), Refusal> {
    let (op, from, target, weight) = columns(&batch.schema())?;
    let op = op.map(|at| Texts::of("op", batch.column(at))).transpose()?;
    let weight = weight.map(|at| Floats::of("weight", batch.column(at))).transpose()?;
    let (from, target) = (Ids::of("from", batch.column(from))?, Ids::of("to", batch.column(target))?);
    for row in 0..batch.num_rows() {
        let line = before + row + 1;
        let of = |reason: String| Refusal::line(line, reason);
        let op = op.as_ref().and_then(|op| op.get(row)).unwrap_or("insert");
        let from = from.get(row).map_err(of)?.ok_or_else(|| of("there is nothing in column `from`".to_owned()))?;
        let target = target.get(row).map_err(of)?;
        let weight = weight.as_ref().and_then(|weight| weight.get(row));
        to.edge(line, op, from, target, weight).map_err(of)?;
    }
    Ok(())
}

/// A column of ids.
enum Ids<'a> {
    Signed32(&'a arrow_array::Int32Array),
    Signed64(&'a arrow_array::Int64Array),
    Unsigned32(&'a arrow_array::UInt32Array),
    Unsigned64(&'a UInt64Array),
    Texts(Texts<'a>),
}

impl<'a> Ids<'a> {
    fn of(name: &str, array: &'a ArrayRef) -> Result<Self, Refusal> {
        Ok(match array.data_type() {
            DataType::Int32 => Ids::Signed32(array.as_primitive::<Int32Type>()),
            DataType::Int64 => Ids::Signed64(array.as_primitive::<Int64Type>()),
            DataType::UInt32 => Ids::Unsigned32(array.as_primitive::<UInt32Type>()),
            DataType::UInt64 => Ids::Unsigned64(array.as_primitive::<UInt64Type>()),
            other => Ids::Texts(Texts::of(name, array).map_err(|_| {
                Refusal::bad(format!("column `{name}` has type {other}: ids are 32-bit or 64-bit integers, or texts"))
            })?),
        })
    }

    /// The id of a row, if it has one.
    fn get(&self, row: usize) -> Result<Option<Key<'a>>, String> {
        let signed = |number: i64| match u64::try_from(number) {
            Ok(number) => Ok(Some(Key::Number(number))),
            Err(_) => Err(format!("`{number}` is no number of a vertex")),
        };
        match self {
            Ids::Signed32(all) if all.is_valid(row) => signed(all.value(row).into()),
            Ids::Signed64(all) if all.is_valid(row) => signed(all.value(row)),
            Ids::Unsigned32(all) if all.is_valid(row) => Ok(Some(Key::Number(all.value(row).into()))),
            Ids::Unsigned64(all) if all.is_valid(row) => Ok(Some(Key::Number(all.value(row)))),
            Ids::Texts(texts) => Ok(texts.get(row).map(Key::Text)),
            _ => Ok(None),
        }
    }
}

/// A column of texts.
enum Texts<'a> {
    Short(&'a StringArray),
    Long(&'a arrow_array::LargeStringArray),
    Views(&'a arrow_array::StringViewArray),
}

impl<'a> Texts<'a> {
    fn of(name: &str, array: &'a ArrayRef) -> Result<Self, Refusal> {
        match array.data_type() {
            DataType::Utf8 => Ok(Texts::Short(array.as_string())),
            DataType::LargeUtf8 => Ok(Texts::Long(array.as_string())),
            DataType::Utf8View => Ok(Texts::Views(array.as_string_view())),
            other => {
                Err(Refusal::bad(format!("column `{name}` has type {other}: it holds texts without a dictionary")))
            }
        }
    }

    /// The text of a row; none if it is null or empty, as in CSV.
    fn get(&self, row: usize) -> Option<&'a str> {
        let text = match self {
            Texts::Short(all) => all.is_valid(row).then(|| all.value(row)),
            Texts::Long(all) => all.is_valid(row).then(|| all.value(row)),
            Texts::Views(all) => all.is_valid(row).then(|| all.value(row)),
        };
        text.filter(|text| !text.is_empty())
    }
}

/// A column of numbers.
enum Floats<'a> {
    Single(&'a arrow_array::Float32Array),
    Double(&'a Float64Array),
}

impl<'a> Floats<'a> {
    fn of(name: &str, array: &'a ArrayRef) -> Result<Self, Refusal> {
        match array.data_type() {
            DataType::Float32 => Ok(Floats::Single(array.as_primitive::<Float32Type>())),
            DataType::Float64 => Ok(Floats::Double(array.as_primitive::<Float64Type>())),
            other => Err(Refusal::bad(format!("column `{name}` has type {other}: weights are float32 or float64"))),
        }
    }

    fn get(&self, row: usize) -> Option<f64> {
        match self {
            Floats::Single(all) => all.is_valid(row).then(|| all.value(row).into()),
            Floats::Double(all) => all.is_valid(row).then(|| all.value(row)),
        }
    }
}

/// A list as a stream with one record batch, and facts as metadata of its schema, in JSON.
pub(crate) fn write(table: &Table, facts: &Map<String, Value>) -> Result<Vec<u8>, ArrowError> {
    let array = |column: &Column| -> ArrayRef {
        match column {
            Column::Numbers(all) => Arc::new(UInt64Array::from(all.clone())),
            Column::Floats(all) | Column::Lengths(all) => Arc::new(Float64Array::from(all.clone())),
            Column::Texts(all) => Arc::new(StringArray::from_iter_values(all)),
        }
    };
    let arrays: Vec<ArrayRef> = table.columns.iter().map(|(_, column)| array(column)).collect();
    let fields = table.columns.iter().zip(&arrays);
    let fields: Vec<Field> =
        fields.map(|((name, _), array)| Field::new(*name, array.data_type().clone(), false)).collect();
    let facts: HashMap<String, String> = facts.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
    let schema = Arc::new(Schema::new(fields).with_metadata(facts));
    let mut writer = StreamWriter::try_new(Vec::new(), &schema)?;
    writer.write(&RecordBatch::try_new(schema, arrays)?)?;
    writer.finish()?;
    writer.into_inner()
}
