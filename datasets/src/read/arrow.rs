//! Tables of edges in Arrow's IPC format, as a file or as a stream.

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_schema::{DataType, Schema};

use super::arrow_messages::{Content, Decoder, Messages, Parts, Whole};
use super::arrow_values;
use super::table::{Ends, Table, Weighed};
use super::{Raw, edge_type};
use crate::error::Error;
use crate::input::{Format, Options};

pub(super) fn read(path: &Path, bytes: Vec<u8>, options: &Options) -> Result<Raw, Error> {
    let mut file = Whole { path, bytes: Buffer::from_vec(bytes) };
    let messages = Messages::of(&mut file)?;
    let mut table = open(&mut file, &messages, options)?;
    let mut decoder = Decoder::new(messages.schema);
    for message in messages.all {
        if let Some(batch) = decoder.decode(&mut file, message)? {
            add(&mut table, &batch)?;
        }
    }
    table.into_raw()
}

/// The table of a file with these messages.
pub(super) fn open(file: &mut dyn Parts, messages: &Messages, options: &Options) -> Result<Table, Error> {
    let fields = messages.schema.fields();
    let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    let directed = messages.schema.metadata().get(super::table::DIRECTED).map(String::as_str);
    let size = usize::try_from(file.size()).unwrap_or(usize::MAX);
    let mut table = Table::new(file.path(), Format::Arrow, size, &names, directed, options)?;
    if let Some(at) = table.place_of_type() {
        let first = first_text(file, messages, at)?;
        table.take_type(first.as_deref());
    }
    Ok(table)
}

/// What the first row has in a column, if it is a text.
fn first_text(file: &mut dyn Parts, messages: &Messages, column: usize) -> Result<Option<String>, Error> {
    let mut decoder = Decoder::new(messages.schema.clone());
    for &message in messages.all.iter().filter(|message| message.content != Content::Batch(0)) {
        if let Some(batch) = decoder.decode(file, message)? {
            let mut texts = arrow_values::texts_of(&batch.column(column).slice(0, batch.num_rows().min(1)));
            return Ok(texts.next().flatten());
        }
    }
    Ok(None)
}

/// Whether sources are called by names.
pub(super) fn is_named(table: &Table, schema: &Schema) -> bool {
    match schema.field(table.places.0).data_type() {
        DataType::Dictionary(_, values) => !values.is_integer(),
        plain => !plain.is_integer(),
    }
}

pub(super) fn add(table: &mut Table, batch: &RecordBatch) -> Result<(), Error> {
    let first = table.rows();
    table.check_rows(batch.num_rows())?;
    for (at, name) in table.others.clone() {
        let column = batch.column(at);
        table.add_values(column.len() - column.null_count())?;
        if !arrow_values::set_all(&mut table.fields, first, &name, column) {
            table.lose(at, &name, column.data_type());
        }
    }
    let (src, dst, weight) = table.places;
    let (src, dst) = (ends(table, batch.column(src))?, ends(table, batch.column(dst))?);
    let weight = weight.map(|at| weights(table, batch.column(at))).transpose()?;
    if let Some((at, direction)) = table.checked_type() {
        for (row, text) in arrow_values::texts_of(batch.column(at)).enumerate() {
            let field = text.unwrap_or_default();
            edge_type::check(field.as_bytes(), direction).map_err(|fault| table.error_at(row, fault))?;
        }
    }
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
    }, match array.data_type() {
        DataType::Dictionary(_, values) if values.is_integer() => {
            let values = array.as_any_dictionary().values();
            match ends(table, values)? {
                Ends::Ids(ids) => Ok(Ends::Ids(by_keys(table, &keys(array), &ids)?)),
                Ends::Names(_) => unreachable!("whole numbers are ids"),
            }
        }
        DataType::Dictionary(..) => {
            let (keys, values) = (keys(array), array.as_any_dictionary().values());
            // Only names that some row uses become vertices: the dictionary may belong to a larger table, of which these rows are a part.
            let mut used = vec![false; values.len()];
            keys.iter().for_each(|&key| used.get_mut(key).into_iter().for_each(|used| *used = true));
            let names = texts(table, values, |at| used[at])?;
            Ok(Ends::Names(by_keys(table, &keys, &names)?))
        }
        _ => texts(table, array, |_| true).map(Ends::Names),
    })
}

/// For each row, the index of its value in the dictionary.
fn keys(array: &ArrayRef) -> Vec<usize> {
    let dictionary = array.as_any_dictionary();
    // Without values there are no keys to be normalized.
    if dictionary.values().is_empty() { vec![0; array.len()] } else { dictionary.normalized_keys() }
}

/// For each row, the value at its index in the dictionary.
fn by_keys<T: Copy>(table: &Table, keys: &[usize], values: &[T]) -> Result<Vec<T>, Error> {
    let value = |(row, &key): (usize, &usize)| {
        values.get(key).copied().ok_or_else(|| table.error_at(row, "a key is not in its dictionary"))
    };
    keys.iter().enumerate().map(value).collect()
}

/// For each text, the number of the vertex that it names. A text that is not `used` makes no vertex.
fn texts(table: &Table, array: &ArrayRef, used: impl Fn(usize) -> bool) -> Result<Vec<u32>, Error> {
    fn all<'a>(
        table: &Table,
        texts: impl Iterator<Item = Option<&'a str>>,
        used: impl Fn(usize) -> bool,
    ) -> Result<Vec<u32>, Error> {
        let name = |(row, text): (usize, Option<&str>)| match used(row) {
            true => table.name(row, text.unwrap_or_default()),
            false => Ok(0),
        };
        texts.enumerate().map(name).collect()
    }
    match array.data_type() {
        DataType::Utf8 => all(table, array.as_string::<i32>().iter(), used),
        DataType::LargeUtf8 => all(table, array.as_string::<i64>().iter(), used),
        DataType::Utf8View => all(table, array.as_string_view().iter(), used),
        other => Err(table.error(format!("has ends of type {other}: expected whole numbers or texts"))),
    }
}

fn weights(table: &Table, array: &ArrayRef) -> Result<Weighed, Error> {
    check_whole(table, array)?;
    match array.data_type() {
        DataType::Float64 => Ok(Weighed::of_real(array.as_primitive::<Float64Type>().values().to_vec())),
        DataType::Float32 => {
            let all = array.as_primitive::<Float32Type>().values().iter();
            Ok(Weighed::of_real(all.map(|&weight| f64::from(weight)).collect()))
        }
        _ => each_integer!(array, values => Ok(Weighed::of_whole(values.iter().copied())), {
            Err(table.error(format!("has weights of type {}: expected numbers", array.data_type())))
        }),
    }
}
