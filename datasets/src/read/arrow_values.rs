//! Columns of Arrow as attributes of edges.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};

use crate::attributes::{Clock, Fields, Value};

/// Gives rows from `first` on their values; false if no attribute holds such.
pub(super) fn set_all(fields: &mut Fields, first: usize, name: &str, array: &ArrayRef) -> bool {
    macro_rules! numbers {
        ($kind:ty) => {{
            for (row, value) in array.as_primitive::<$kind>().iter().enumerate() {
                value.into_iter().for_each(|value| set_integer(fields, first + row, name, i128::from(value)));
            }
        }};
    }
    macro_rules! floats {
        ($kind:ty) => {{
            for (row, value) in array.as_primitive::<$kind>().iter().enumerate() {
                value.into_iter().for_each(|value| fields.set(first + row, name, Value::Float(f64::from(value))));
            }
        }};
    }
    macro_rules! times {
        ($kind:ty, $clock:expr) => {{
            for (row, count) in array.as_primitive::<$kind>().iter().enumerate() {
                let shown = count.map(|count| $clock.show(i64::from(count)));
                shown.iter().for_each(|shown| fields.set(first + row, name, Value::Text(shown)));
            }
        }};
    }
    fn texts<'a>(fields: &mut Fields, first: usize, name: &str, all: impl Iterator<Item = Option<&'a str>>) {
        for (row, text) in all.enumerate() {
            text.into_iter().for_each(|text| fields.set(first + row, name, Value::Text(text)));
        }
    }
    match array.data_type() {
        DataType::Int8 => numbers!(Int8Type),
        DataType::Int16 => numbers!(Int16Type),
        DataType::Int32 => numbers!(Int32Type),
        DataType::Int64 => numbers!(Int64Type),
        DataType::UInt8 => numbers!(UInt8Type),
        DataType::UInt16 => numbers!(UInt16Type),
        DataType::UInt32 => numbers!(UInt32Type),
        DataType::UInt64 => numbers!(UInt64Type),
        DataType::Float32 => floats!(Float32Type),
        DataType::Float64 => floats!(Float64Type),
        DataType::Boolean => {
            for (row, value) in array.as_boolean().iter().enumerate() {
                value.into_iter().for_each(|value| fields.set(first + row, name, Value::Boolean(value)));
            }
        }
        DataType::Utf8 => texts(fields, first, name, array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => texts(fields, first, name, array.as_string::<i64>().iter()),
        DataType::Utf8View => texts(fields, first, name, array.as_string_view().iter()),
        DataType::Dictionary(_, values) if **values != DataType::Null => {
            return dictionary(fields, first, name, array);
        }
        DataType::Date32 => times!(Date32Type, Clock::Days),
        // Milliseconds, which are those of whole days.
        DataType::Date64 => {
            for (row, count) in array.as_primitive::<Date64Type>().iter().enumerate() {
                let shown = count.map(|count| Clock::Days.show(count.div_euclid(86_400_000)));
                shown.iter().for_each(|shown| fields.set(first + row, name, Value::Text(shown)));
            }
        }
        DataType::Timestamp(unit, zone) => {
            let clock = |of_second| Clock::Parts { of_second, utc: zone.is_some() };
            match unit {
                TimeUnit::Second => times!(TimestampSecondType, clock(1)),
                TimeUnit::Millisecond => times!(TimestampMillisecondType, clock(1000)),
                TimeUnit::Microsecond => times!(TimestampMicrosecondType, clock(1_000_000)),
                TimeUnit::Nanosecond => times!(TimestampNanosecondType, clock(1_000_000_000)),
            }
        }
        DataType::Null => {}
        _ => return false,
    }
    true
}

/// The texts of a column; none in rows that have another value or nothing.
pub(super) fn texts_of(array: &ArrayRef) -> impl Iterator<Item = Option<String>> + use<> {
    let mut fields = Fields::default();
    set_all(&mut fields, 0, "", array);
    let column = fields.finish("edges").0.pop();
    let text = move |row| match column.as_ref().and_then(|column| column.get(row)) {
        Some(Value::Text(text)) => Some(text.to_owned()),
        _ => None,
    };
    (0..array.len()).map(text)
}

/// As [`set_all`], of keys into a column of values.
fn dictionary(fields: &mut Fields, first: usize, name: &str, array: &ArrayRef) -> bool {
    let dictionary = array.as_any_dictionary();
    let mut known = Fields::default();
    if !set_all(&mut known, 0, name, dictionary.values()) {
        return false;
    }
    let (known, _) = known.finish("edges");
    let keys = if dictionary.values().is_empty() { Vec::new() } else { dictionary.normalized_keys() };
    for (row, key) in keys.into_iter().enumerate().filter(|(row, _)| !array.is_null(*row)) {
        let value = known.first().and_then(|known| known.get(key));
        value.into_iter().for_each(|value| fields.set(first + row, name, value));
    }
    true
}

/// Gives a row a whole number. One that an attribute of whole numbers cannot hold is a text.
pub(super) fn set_integer(fields: &mut Fields, row: usize, name: &str, value: i128) {
    match i64::try_from(value) {
        Ok(value) => fields.set(row, name, Value::Integer(value)),
        Err(_) => fields.set(row, name, Value::Text(&value.to_string())),
    }
}
