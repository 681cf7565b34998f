//! Columns of Parquet as attributes of edges.

use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescriptor;

use super::arrow_values::set_integer;
use super::parquet::{Open, ROWS};
use super::table::Table;
use crate::attributes::{Clock, Value};
use crate::error::Error;

/// How a column of dates or times counts.
fn clock(column: &ColumnDescriptor) -> Option<Clock> {
    use parquet::basic::Type::{INT32, INT64};
    let clock = match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Date), _) | (None, ConvertedType::DATE) => Clock::Days,
        (Some(LogicalType::Timestamp(time)), _) => {
            let of_second = match time.unit {
                TimeUnit::MILLIS => 1000,
                TimeUnit::MICROS => 1_000_000,
                TimeUnit::NANOS => 1_000_000_000,
            };
            Clock::Parts { of_second, utc: time.is_adjusted_to_u_t_c }
        }
        (None, ConvertedType::TIMESTAMP_MILLIS) => Clock::Parts { of_second: 1000, utc: true },
        (None, ConvertedType::TIMESTAMP_MICROS) => Clock::Parts { of_second: 1_000_000, utc: true },
        _ => return None,
    };
    // Those of another width are no such numbers.
    (column.physical_type() == if clock == Clock::Days { INT32 } else { INT64 }).then_some(clock)
}

/// The type of a column, if no attribute has such.
pub(super) fn unknown(column: &ColumnDescriptor) -> Option<String> {
    use ConvertedType::{ENUM, INT_8, INT_16, INT_32, INT_64, JSON, NONE, UINT_8, UINT_16, UINT_32, UINT_64, UTF8};
    if column.max_rep_level() > 0 {
        return Some("lists".to_owned());
    }
    if column.path().parts().len() > 1 {
        return Some("part of a struct".to_owned());
    }
    if clock(column).is_some() {
        return None;
    }
    let plain = match column.logical_type_ref() {
        None | Some(LogicalType::String | LogicalType::Enum | LogicalType::Json | LogicalType::Integer { .. }) => true,
        Some(_) => false,
    };
    let converted = column.converted_type();
    let simple = matches!(
        converted,
        NONE | UTF8 | ENUM | JSON | INT_8 | INT_16 | INT_32 | INT_64 | UINT_8 | UINT_16 | UINT_32 | UINT_64
    );
    let bytes = column.physical_type() == parquet::basic::Type::BYTE_ARRAY && converted == NONE;
    let fixed =
        matches!(column.physical_type(), parquet::basic::Type::FIXED_LEN_BYTE_ARRAY | parquet::basic::Type::INT96);
    let text = column.logical_type_ref().is_some();
    (!plain || !simple || fixed || bytes && !text).then(|| match column.logical_type_ref() {
        Some(logical) => format!("{logical:?}"),
        None if converted != NONE => converted.to_string(),
        None => column.physical_type().to_string(),
    })
}

/// Gives the rows of a group the values of a column.
pub(super) fn set_all(
    table: &mut Table,
    name: &str,
    column: &ColumnDescriptor,
    (reader, unsigned, gaps): Open,
) -> Result<(), Error> {
    let clock = clock(column);
    match reader {
        ColumnReader::BoolColumnReader(reader) => each(table, reader, gaps, &mut |table, row, value| {
            table.fields.set(row, name, Value::Boolean(*value));
            Ok(())
        }),
        ColumnReader::Int32ColumnReader(reader) => each(table, reader, gaps, &mut |table, row, value| {
            if let Some(clock) = clock {
                table.fields.set(row, name, Value::Text(&clock.show(i64::from(*value))));
                return Ok(());
            }
            let value = if unsigned { i128::from(*value as u32) } else { i128::from(*value) };
            set_integer(&mut table.fields, row, name, value);
            Ok(())
        }),
        ColumnReader::Int64ColumnReader(reader) => each(table, reader, gaps, &mut |table, row, value| {
            if let Some(clock) = clock {
                table.fields.set(row, name, Value::Text(&clock.show(*value)));
                return Ok(());
            }
            let value = if unsigned { i128::from(*value as u64) } else { i128::from(*value) };
            set_integer(&mut table.fields, row, name, value);
            Ok(())
        }),
        ColumnReader::FloatColumnReader(reader) => each(table, reader, gaps, &mut |table, row, value| {
            table.fields.set(row, name, Value::Float(f64::from(*value)));
            Ok(())
        }),
        ColumnReader::DoubleColumnReader(reader) => each(table, reader, gaps, &mut |table, row, value| {
            table.fields.set(row, name, Value::Float(*value));
            Ok(())
        }),
        ColumnReader::ByteArrayColumnReader(reader) => each(table, reader, gaps, &mut |table, row, value| {
            let wrong =
                |_: ParquetError| table.error(format!("has a text in the column `{name}` that is not in UTF-8"));
            let text = value.as_utf8().map_err(wrong)?.to_owned();
            table.fields.set(row, name, Value::Text(&text));
            Ok(())
        }),
        _ => Ok(()),
    }
}

/// What is done with the value of a row.
type Set<'s, T> = &'s mut dyn FnMut(&mut Table, usize, &T) -> Result<(), Error>;

fn each<T: DataType>(
    table: &mut Table,
    mut reader: ColumnReaderImpl<T>,
    gaps: bool,
    set: Set<'_, T::T>,
) -> Result<(), Error> {
    let (mut values, mut levels, mut read) = (Vec::new(), Vec::new(), 0);
    loop {
        values.clear();
        levels.clear();
        let (rows, ..) = table.decode(|| reader.read_records(ROWS, gaps.then_some(&mut levels), None, &mut values))?;
        if rows == 0 {
            return Ok(());
        }
        table.check_rows(read + rows)?;
        table.add_values(values.len())?;
        let first = table.rows() + read;
        let there = (0..rows).filter(|row| !gaps || levels.get(*row).is_some_and(|level| *level > 0));
        for (row, value) in there.zip(&values) {
            set(table, first + row, value)?;
        }
        read += rows;
    }
}
