//! Tables of edges in columns: `src`, `dst`, `weight` if there are weights, and the attributes of edges. Metadata say whether edges have a direction.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType as Physical, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::Type as SchemaType;

use super::kept;
use super::{Output, Target};
use crate::attributes::{Attribute, Kind as Type, Value};
use crate::error::Error;
use crate::generate::LISTED;
use crate::input::Input;
use crate::progress::{Meter, Observer};
use crate::read::table::DIRECTED;

/// Rows of a batch of Arrow.
const BATCH: usize = 1 << 16;

/// Rows of a row group of Parquet.
const GROUP: usize = 1 << 20;

/// How Arrow's IPC format is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// With a footer, for random access (`.arrow`, `.feather`).
    File,
    /// One batch after the other (`.arrows`).
    Stream,
}

fn metadata(input: &Input) -> [(String, String); 2] {
    let name = input.name.chars().filter(|c| !c.is_control()).collect();
    [(DIRECTED.to_owned(), input.directed.to_string()), ("name".to_owned(), name)]
}

/// Cuts rows into pieces.
fn pieces(rows: usize, size: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows).step_by(size).map(move |first| first..(first + size).min(rows))
}

/// Bytes that are written, and compressed where that is asked for, at a time.
const BUFFER: usize = 1 << 24;

/// Counts the edges that are written.
fn meter(input: &Input, progress: &Observer) -> Meter {
    Meter::new(progress, LISTED * input.edges.len() as u64)
}

/// Writes a file as `encode` does.
fn to_file<E: std::fmt::Display + From<io::Error>>(
    target: Target<'_>,
    encode: impl FnOnce(&mut BufWriter<&mut Output>) -> Result<(), E>,
) -> Result<(), Error> {
    let mut output = Output::create(target)?;
    let mut buffered = BufWriter::with_capacity(BUFFER, &mut output);
    let encoded = encode(&mut buffered).and_then(|()| Ok(buffered.flush()?));
    // What is left after an error is not written.
    drop(buffered.into_parts());
    if let Some(error) = output.failed.take() {
        return Err(error);
    }
    encoded.map_err(|error| Error::CannotWrite { path: target.path.to_owned(), reason: error.to_string() })?;
    output.finish()
}

/// Writes Arrow's IPC format.
pub(super) fn write_arrow(input: &Input, target: Target<'_>, kind: Kind, progress: &Observer) -> Result<(), Error> {
    to_file(target, |file| arrow(input, kind, file, &meter(input, progress)))
}

fn arrow(input: &Input, kind: Kind, file: &mut impl Write, meter: &Meter) -> Result<(), ArrowError> {
    let ends = if input.ids.has_names() { DataType::Utf8 } else { DataType::UInt64 };
    let mut fields = vec![Field::new("src", ends.clone(), false), Field::new("dst", ends, false)];
    if input.edges.is_weighted() {
        fields.push(Field::new("weight", DataType::Float64, false));
    }
    let (_, attributes) = kept::named(input, "arrow");
    for (column, name) in attributes.columns.iter().zip(&attributes.names) {
        let kind = match column.kind() {
            Type::Boolean => DataType::Boolean,
            Type::Integer => DataType::Int64,
            Type::Float => DataType::Float64,
            Type::Text => DataType::Utf8,
        };
        fields.push(Field::new(name, kind, true));
    }
    let schema = Arc::new(Schema::new_with_metadata(fields, HashMap::from(metadata(input))));
    let column = |ends: &[u32]| -> ArrayRef {
        match input.ids.has_names() {
            true => Arc::new(StringArray::from_iter_values(ends.iter().map(|&end| input.ids.label(end).to_string()))),
            false => Arc::new(UInt64Array::from_iter_values(ends.iter().map(|&end| input.ids.external(end)))),
        }
    };
    let batch = |rows: Range<usize>| {
        meter.advance(LISTED * rows.len() as u64);
        let mut columns = vec![column(&input.edges.src()[rows.clone()]), column(&input.edges.dst()[rows.clone()])];
        if let Some(weight) = input.edges.weight() {
            columns.push(Arc::new(Float64Array::from_iter_values(weight[rows.clone()].iter().copied())));
        }
        columns.extend(attributes.columns.iter().map(|column| arrow_values(column, rows.clone())));
        RecordBatch::try_new(schema.clone(), columns)
    };
    if kind == Kind::File {
        let mut writer = FileWriter::try_new(file, &schema)?;
        pieces(input.edges.len(), BATCH).try_for_each(|rows| writer.write(&batch(rows)?))?;
        writer.finish()
    } else {
        let mut writer = StreamWriter::try_new(file, &schema)?;
        pieces(input.edges.len(), BATCH).try_for_each(|rows| writer.write(&batch(rows)?))?;
        writer.finish()
    }
}

/// The values of some rows.
fn arrow_values(column: &Attribute, rows: Range<usize>) -> ArrayRef {
    match column.kind() {
        Type::Boolean => Arc::new(BooleanArray::from_iter(rows.map(|row| boolean(column, row)))),
        Type::Integer => Arc::new(Int64Array::from_iter(rows.map(|row| integer(column, row)))),
        Type::Float => Arc::new(Float64Array::from_iter(rows.map(|row| float(column, row)))),
        Type::Text => Arc::new(StringArray::from_iter(rows.map(|row| text(column, row)))),
    }
}

fn boolean(column: &Attribute, row: usize) -> Option<bool> {
    if let Some(Value::Boolean(value)) = column.get(row) { Some(value) } else { None }
}

fn integer(column: &Attribute, row: usize) -> Option<i64> {
    if let Some(Value::Integer(value)) = column.get(row) { Some(value) } else { None }
}

fn float(column: &Attribute, row: usize) -> Option<f64> {
    if let Some(Value::Float(value)) = column.get(row) { Some(value) } else { None }
}

fn text(column: &Attribute, row: usize) -> Option<&str> {
    if let Some(Value::Text(value)) = column.get(row) { Some(value) } else { None }
}

/// Writes Parquet.
pub(super) fn write_parquet(input: &Input, target: Target<'_>, progress: &Observer) -> Result<(), Error> {
    to_file(target, |file| parquet(input, file, &meter(input, progress)))
}

fn parquet(input: &Input, file: &mut (impl Write + Send), meter: &Meter) -> Result<(), ParquetError> {
    let named = input.ids.has_names();
    let ends = if named { ("BYTE_ARRAY", "UTF8") } else { ("INT64", "INTEGER(64,false)") };
    let weight = if input.edges.is_weighted() { "REQUIRED DOUBLE weight;" } else { "" };
    let (physical, logical) = ends;
    let text = format!(
        "message edges {{ REQUIRED {physical} src ({logical}); REQUIRED {physical} dst ({logical}); {weight} }}"
    );
    let (_, attributes) = kept::named(input, "parquet");
    let schema = with_attributes(parse_message_type(&text)?, attributes.columns, &attributes.names)?;
    let pairs = metadata(input).into_iter().map(|(key, value)| KeyValue::new(key, value)).collect();
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
    let properties = Arc::new(properties.set_key_value_metadata(Some(pairs)).build());
    let mut writer = SerializedFileWriter::new(file, schema, properties)?;
    for rows in pieces(input.edges.len(), GROUP) {
        let mut group = writer.next_row_group()?;
        for ends in [input.edges.src(), input.edges.dst()] {
            let mut column = group.next_column()?.ok_or_else(|| ParquetError::General("a column is missing".into()))?;
            let ends = ends[rows.clone()].iter();
            if named {
                let names: Vec<ByteArray> =
                    ends.map(|&end| ByteArray::from(input.ids.label(end).to_string().into_bytes())).collect();
                column.typed::<ByteArrayType>().write_batch(&names, None, None)?;
            } else {
                let ids: Vec<i64> = ends.map(|&end| input.ids.external(end) as i64).collect();
                column.typed::<Int64Type>().write_batch(&ids, None, None)?;
            }
            column.close()?;
        }
        if let Some(weight) = input.edges.weight() {
            let mut column = group.next_column()?.ok_or_else(|| ParquetError::General("a column is missing".into()))?;
            column.typed::<DoubleType>().write_batch(&weight[rows.clone()], None, None)?;
            column.close()?;
        }
        for attribute in attributes.columns {
            let mut column = group.next_column()?.ok_or_else(|| ParquetError::General("a column is missing".into()))?;
            parquet_values(attribute, rows.clone(), &mut column)?;
            column.close()?;
        }
        group.close()?;
        meter.advance(LISTED * rows.len() as u64);
    }
    writer.close().map(drop)
}

/// The schema with a column for each attribute.
fn with_attributes(
    schema: SchemaType,
    columns: &[Attribute],
    names: &[String],
) -> Result<Arc<SchemaType>, ParquetError> {
    let mut fields = schema.get_fields().to_vec();
    for (column, name) in columns.iter().zip(names) {
        let physical = match column.kind() {
            Type::Boolean => PhysicalType::BOOLEAN,
            Type::Integer => PhysicalType::INT64,
            Type::Float => PhysicalType::DOUBLE,
            Type::Text => PhysicalType::BYTE_ARRAY,
        };
        let logical = (column.kind() == Type::Text).then_some(LogicalType::String);
        let field = SchemaType::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
        fields.push(Arc::new(field.with_logical_type(logical).build()?));
    }
    SchemaType::group_type_builder(schema.name()).with_fields(fields).build().map(Arc::new)
}

/// Writes the values of some rows.
fn parquet_values(
    column: &Attribute,
    rows: Range<usize>,
    writer: &mut SerializedColumnWriter<'_>,
) -> Result<(), ParquetError> {
    fn put<T: Physical>(
        writer: &mut SerializedColumnWriter<'_>,
        all: impl Iterator<Item = Option<T::T>>,
    ) -> Result<(), ParquetError> {
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        for value in all {
            levels.push(i16::from(value.is_some()));
            values.extend(value);
        }
        writer.typed::<T>().write_batch(&values, Some(&levels), None).map(drop)
    }
    match column.kind() {
        Type::Boolean => put::<BoolType>(writer, rows.map(|row| boolean(column, row))),
        Type::Integer => put::<Int64Type>(writer, rows.map(|row| integer(column, row))),
        Type::Float => put::<DoubleType>(writer, rows.map(|row| float(column, row))),
        Type::Text => put::<ByteArrayType>(writer, rows.map(|row| text(column, row).map(ByteArray::from))),
    }
}
