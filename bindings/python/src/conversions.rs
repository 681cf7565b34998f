//! Conversions between the formats of SciPy, on its arrays where they lie.
//!
//! ```text
//!   compressed rows or columns ◄──► the other of the two ──► numbers of rows ──► diagonals
//!            ▲
//!   coordinates, in any order · dense arrays
//! ```
//!
//! As in [`borrowed`](crate::borrowed) the GIL is held, everything is checked, and `None` says that arrays are wrong or have other types.

use std::ops::Range;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pleach::runtime::{gathered, par_items, transposed};
use pyo3::prelude::*;

use crate::arrays::{array, has_room};
use crate::borrowed::{Parts, parts};
use crate::borrowed_rows::{Index, Made, num_parts};
use crate::jobs::at_once;
use crate::order::{ascend, ends_of, in_order};

/// Numbers that the diagonals of a matrix may have in all: 8 GiB.
const MOST_IN_DIAGONALS: usize = 1 << 30;

/// Calls a function for arrays of 32 or of 64 bits, whichever they are.
macro_rules! by_width {
    ($function:ident($($argument:expr),*)) => {
        match $function::<i32>($($argument),*)? {
            None => $function::<i64>($($argument),*),
            found => Ok(found),
        }
    };
}
pub(crate) use by_width;

fn turn_of<'py, I: Index>(
    (offsets, coords, values): (&Bound<'py, PyAny>, &Bound<'py, PyAny>, &PyReadonlyArray1<'py, f64>),
    cols: usize,
) -> PyResult<Option<Parts<'py>>> {
    let (Ok(offsets), Ok(coords)) =
        (offsets.extract::<PyReadonlyArray1<'py, I>>(), coords.extract::<PyReadonlyArray1<'py, I>>())
    else {
        return Ok(None);
    };
    let (Ok(offsets), Ok(coords), Ok(numbers)) = (offsets.as_slice(), coords.as_slice(), values.as_slice()) else {
        return Ok(None);
    };
    // Checked once and used twice: by then another thread might have changed them.
    has_room(coords.len())?;
    let (offsets, coords) = (offsets.to_vec(), coords.to_vec());
    let made = at_once(coords.len(), || transposed(&offsets, &coords, numbers, cols));
    Ok(made.map(|made| parts(values.py(), made)))
}

/// Compressed rows as compressed columns, or the other way round. ``cols`` is the extent of the coordinates.
#[pyfunction]
pub(crate) fn turn<'py>(
    offsets: &Bound<'py, PyAny>,
    coords: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
    cols: usize,
) -> PyResult<Option<Parts<'py>>> {
    let Ok(values) = values.extract() else { return Ok(None) };
    if u32::try_from(cols).is_err() {
        return Ok(None);
    }
    has_room(cols)?;
    by_width!(turn_of((offsets, coords, &values), cols))
}

fn expand_of<'py, I: Index>(offsets: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Ok(given) = offsets.extract::<PyReadonlyArray1<'py, I>>() else { return Ok(None) };
    let Ok(ends) = given.as_slice() else { return Ok(None) };
    let Some(last) = ends.last().filter(|_| ends_of(ends) && I::fits(ends.len())) else { return Ok(None) };
    let mut numbers = Vec::with_capacity(last.index());
    for (row, pair) in ends.windows(2).enumerate() {
        numbers.resize(pair[1].index(), I::of(row));
    }
    Ok(Some(array(offsets.py(), numbers).into_any()))
}

/// The number of the row of each nonzero. ``nonzeros`` is how many there are.
#[pyfunction]
pub(crate) fn expand<'py>(offsets: &Bound<'py, PyAny>, nonzeros: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
    // An offset that is wrong shall not ask for more memory than the matrix has.
    let last = offsets.get_item(-1).and_then(|last| last.extract::<usize>());
    if last.is_ok_and(|last| last == nonzeros) { by_width!(expand_of(offsets)) } else { Ok(None) }
}

/// Where each row begins, and the last ends. The rows ascend and are below `num_rows`.
fn offsets_of<I: Index>(rows: &[I], num_rows: usize) -> Vec<I> {
    let mut offsets = vec![I::default(); num_rows + 1];
    // The last entry of a row has the last word. No number is read before it is written.
    for (at, row) in (1..).zip(rows) {
        offsets[row.index() + 1] = I::of(at);
    }
    let mut end = 0;
    for offset in &mut offsets {
        end = end.max(offset.index());
        *offset = I::of(end);
    }
    offsets
}

/// Adds entries of one place up, in rows that ascend.
fn merged<I: Index>((mut offsets, mut coords, mut values): Made<I>) -> Made<I> {
    // Where the same column follows itself: in one row, or as the first of the next one.
    if !coords.windows(2).fold(false, |any, pair| any | (pair[0] == pair[1])) {
        return (offsets, coords, values);
    }
    let (mut begin, mut kept) = (0, 0);
    for offset in &mut offsets[1..] {
        let (first, end) = (kept, offset.index());
        for at in begin..end {
            if kept > first && coords[kept - 1] == coords[at] {
                values[kept - 1] += values[at];
            } else {
                (coords[kept], values[kept]) = (coords[at], values[at]);
                kept += 1;
            }
        }
        begin = end;
        *offset = I::of(kept);
    }
    coords.truncate(kept);
    values.truncate(kept);
    (offsets, coords, values)
}

/// Compressed rows of entries in any order; those of one place are added up, if they are not said to be unique. `None` if a coordinate is out
/// of range.
fn compressed<I: Index>(
    (rows, cols, values): (&[I], &[I], &[f64]),
    shape: (usize, usize),
    unique: bool,
) -> Option<Made<I>> {
    let merged = |made| if unique { made } else { merged(made) };
    if in_order(rows, shape.0) && ascend(rows, cols) {
        return I::all_below(cols, shape.1).then(|| (offsets_of(rows, shape.0), cols.to_vec(), values.to_vec()));
    }
    // The columns of each row ascend, as they do here. What is sorted by is checked once and used twice: by then another thread might have
    // changed the array.
    if in_order(cols, shape.1) {
        let own = rows.to_vec();
        return gathered(&own, cols, values, shape.0).map(merged);
    }
    let own = cols.to_vec();
    let (offsets, rows, values) = gathered(&own, rows, values, shape.1)?;
    transposed(&offsets, &rows, &values, shape.0).map(merged)
}

fn compress_of<'py, I: Index>(
    (rows, cols, values): (&Bound<'py, PyAny>, &Bound<'py, PyAny>, &PyReadonlyArray1<'py, f64>),
    shape: (usize, usize),
    unique: bool,
) -> PyResult<Option<Parts<'py>>> {
    let (Ok(rows), Ok(cols)) = (rows.extract::<PyReadonlyArray1<'py, I>>(), cols.extract::<PyReadonlyArray1<'py, I>>())
    else {
        return Ok(None);
    };
    let (Ok(rows), Ok(cols), Ok(numbers)) = (rows.as_slice(), cols.as_slice(), values.as_slice()) else {
        return Ok(None);
    };
    if rows.len() != cols.len() || rows.len() != numbers.len() || !I::fits(rows.len().max(shape.0).max(shape.1)) {
        return Ok(None);
    }
    let made = at_once(rows.len(), || compressed((rows, cols, numbers), shape, unique));
    Ok(made.map(|made| parts(values.py(), made)))
}

/// Compressed rows of entries in any order; those of one place are added up, if they are not said to be ``unique``.
#[pyfunction]
pub(crate) fn compress<'py>(
    rows: &Bound<'py, PyAny>,
    cols: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
    shape: (usize, usize),
    unique: bool,
) -> PyResult<Option<Parts<'py>>> {
    let Ok(values) = values.extract() else { return Ok(None) };
    if u32::try_from(shape.0.max(shape.1)).is_err() {
        return Ok(None);
    }
    has_room(shape.0 + shape.1)?;
    by_width!(compress_of((rows, cols, &values), shape, unique))
}

/// Compressed rows of the numbers of a dense array that are not zero.
#[pyfunction]
pub(crate) fn nonzeros<'py>(dense: &Bound<'py, PyAny>) -> PyResult<Option<Parts<'py>>> {
    let Ok(dense) = dense.extract::<PyReadonlyArray2<'py, f64>>() else { return Ok(None) };
    let [rows, cols] = dense.as_array().shape().try_into().unwrap_or([0, 0]);
    let (Ok(numbers), true) = (dense.as_slice(), i32::try_from(rows.saturating_mul(cols)).is_ok()) else {
        return Ok(None);
    };
    let count = numbers.iter().filter(|&&number| number != 0.0).count();
    let mut offsets = vec![0; rows + 1];
    let (mut coords, mut values) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for (row, end) in offsets[1..].iter_mut().enumerate() {
        for (col, &number) in (0..).zip(&numbers[row * cols..(row + 1) * cols]) {
            if number != 0.0 {
                coords.push(col);
                values.push(number);
            }
        }
        *end = coords.len() as i32;
    }
    Ok(Some(parts(dense.py(), (offsets, coords, values))))
}

/// Diagonals as SciPy holds them: their numbers, and a row for each, at the columns.
type Diagonals<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray2<f64>>);

fn diagonals_of<'py, I: Index>(
    (offsets, coords, values): (&Bound<'py, PyAny>, &Bound<'py, PyAny>, &PyReadonlyArray1<'py, f64>),
    cols: usize,
) -> PyResult<Option<Diagonals<'py>>> {
    let (Ok(offsets), Ok(coords)) =
        (offsets.extract::<PyReadonlyArray1<'py, I>>(), coords.extract::<PyReadonlyArray1<'py, I>>())
    else {
        return Ok(None);
    };
    let (Ok(offsets), Ok(coords), Ok(numbers)) = (offsets.as_slice(), coords.as_slice(), values.as_slice()) else {
        return Ok(None);
    };
    let fits = ends_of(offsets) && I::all_below(coords, cols);
    if !fits || offsets[offsets.len() - 1].index() != coords.len() || coords.len() != numbers.len() {
        return Ok(None);
    }
    let rows = offsets.len() - 1;
    let nonzeros = |row: usize| offsets[row].index()..offsets[row + 1].index();
    has_room(rows + cols)?;
    // The diagonal from the lower left corner on has the number 0; in the end, each has its place among those that there are.
    let mut places = vec![0u32; rows + cols];
    for row in 0..rows {
        coords[nonzeros(row)].iter().for_each(|col| places[col.index() + (rows - 1 - row)] = 1);
    }
    let mut found = Vec::new();
    for (diagonal, place) in places.iter_mut().enumerate().filter(|(_, place)| **place == 1) {
        *place = found.len() as u32;
        found.push(diagonal as i64 - (rows as i64 - 1));
    }
    // As wide as the last column that there is.
    let width = coords.iter().max().map_or(0, |col| col.index() + 1);
    if found.len().saturating_mul(width) > MOST_IN_DIAGONALS {
        return Ok(None);
    }
    has_room(found.len() * width)?;
    let mut data = vec![0.0; found.len() * width];
    for row in 0..rows {
        for (col, number) in coords[nonzeros(row)].iter().zip(&numbers[nonzeros(row)]) {
            let place = places[col.index() + (rows - 1 - row)] as usize;
            data[place * width + col.index()] += *number;
        }
    }
    let data = array(values.py(), data).reshape([found.len(), width])?;
    Ok(Some((array(values.py(), found), data)))
}

/// The diagonals of compressed rows. Entries of one place are added up.
#[pyfunction]
pub(crate) fn diagonals<'py>(
    offsets: &Bound<'py, PyAny>,
    coords: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
    cols: usize,
) -> PyResult<Option<Diagonals<'py>>> {
    let Ok(values) = values.extract() else { return Ok(None) };
    if u32::try_from(cols).is_err() {
        return Ok(None);
    }
    by_width!(diagonals_of((offsets, coords, &values), cols))
}

/// Numbers of a dense array whose memory is touched in the time that one entry takes elsewhere.
const NUMBERS: usize = 8;

/// Numbers of a dense array that the library makes: a gigabyte.
const MOST_DENSE: usize = 1 << 27;

fn scattered_of<'py, I: Index>(
    (first, second, values): (&Bound<'py, PyAny>, &Bound<'py, PyAny>, &PyReadonlyArray1<'py, f64>),
    (num_rows, num_cols): (usize, usize),
    (by_rows, turned): (bool, bool),
) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
    let (Ok(first), Ok(second)) =
        (first.extract::<PyReadonlyArray1<'py, I>>(), second.extract::<PyReadonlyArray1<'py, I>>())
    else {
        return Ok(None);
    };
    let (Ok(first), Ok(second), Ok(numbers)) = (first.as_slice(), second.as_slice(), values.as_slice()) else {
        return Ok(None);
    };
    let (major, minor) = if turned { (num_cols, num_rows) } else { (num_rows, num_cols) };
    let by_line = by_rows && !turned;
    let fits = match by_rows {
        true => first.len() == major + 1 && first[0].index() == 0 && (by_line || ends_of(first)),
        false => I::all_below(first, major) && first.len() == second.len() && first.len() == numbers.len(),
    };
    let used = if by_rows && fits { first[major].index() } else { second.len() };
    let Some((second, numbers)) = second.get(..used).zip(numbers.get(..used)).filter(|_| fits) else { return Ok(None) };
    // By rows, every number is looked at where it is written.
    if !by_line && !I::all_below(second, minor) {
        return Ok(None);
    }
    let dense = PyArray2::<f64>::zeros(values.py(), [num_rows, num_cols], false);
    let mut room = dense.try_readwrite()?;
    let room = room.as_slice_mut()?;
    if by_line {
        let rows = (first, second, numbers);
        return Ok(at_once(room.len() / NUMBERS, || add_rows(room, num_cols, rows)).map(|()| dense));
    }
    if !by_rows && I::fits(first.len()) && in_order(first, num_rows) {
        let ends = offsets_of(first, num_rows);
        return Ok(at_once(room.len() / NUMBERS, || add_rows(room, num_cols, (&ends, second, numbers))).map(|()| dense));
    }
    let place = |row: usize, col: usize| if turned { col * num_cols + row } else { row * num_cols + col };
    if by_rows {
        for (row, pair) in first.windows(2).enumerate() {
            let range = pair[0].index()..pair[1].index();
            for (col, number) in second[range.clone()].iter().zip(&numbers[range]) {
                room[place(row, col.index())] += number;
            }
        }
    } else {
        for ((row, col), number) in first.iter().zip(second).zip(numbers) {
            room[place(row.index(), col.index())] += number;
        }
    }
    Ok(Some(dense))
}

/// Adds compressed rows to a dense array, whose memory is touched for the first time: several threads share that if it is large.
fn add_rows<I: Index>(room: &mut [f64], num_cols: usize, (ends, coords, values): (&[I], &[I], &[f64])) -> Option<()> {
    let parts = num_parts(room.len() / NUMBERS);
    if parts == 1 {
        return add_some(room, num_cols, (ends, coords, values));
    }
    let rows = (ends.len() - 1).div_ceil(parts);
    let lines = room.chunks_mut(rows * num_cols).zip(ends[..ends.len() - 1].chunks(rows));
    let some = lines.enumerate().map(|(part, (room, own))| (part * rows..part * rows + own.len() + 1, room)).collect();
    let add = |(own, room): (Range<usize>, &mut [f64])| add_some(room, num_cols, (&ends[own], coords, values));
    par_items(some, add).into_iter().collect()
}

/// Adds some compressed rows to their part of a dense array. `None` if they are none: if an end is below the one before, or a coordinate is out of range.
fn add_some<I: Index>(room: &mut [f64], num_cols: usize, (ends, coords, values): (&[I], &[I], &[f64])) -> Option<()> {
    for (row, pair) in ends.windows(2).enumerate() {
        let range = pair[0].index()..pair[1].index();
        let line = room.get_mut(row * num_cols..(row + 1) * num_cols)?;
        for (col, number) in coords.get(range.clone())?.iter().zip(values.get(range)?) {
            *line.get_mut(col.index())? += number;
        }
    }
    Some(())
}

/// A dense array of compressed rows, or of columns if it is ``turned``, or of rows and columns of entries. Entries of one place are added up.
#[pyfunction]
#[pyo3(signature = (first, second, values, shape, by_rows, turned=false))]
pub(crate) fn scattered<'py>(
    first: &Bound<'py, PyAny>,
    second: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
    shape: (usize, usize),
    by_rows: bool,
    turned: bool,
) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
    let Ok(values) = values.extract() else { return Ok(None) };
    if shape.0.checked_mul(shape.1).is_none_or(|all| all > MOST_DENSE) {
        return Ok(None);
    }
    by_width!(scattered_of((first, second, &values), shape, (by_rows, turned)))
}
