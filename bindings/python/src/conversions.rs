//! Conversions between the formats of SciPy, on its arrays where they lie.
//!
//! ```text
//!   compressed rows or columns ◄──► the other of the two ──► numbers of rows ──► diagonals
//!            ▲
//!   coordinates, in any order · dense arrays
//! ```
//!
//! As in [`borrowed`](crate::borrowed) the GIL is held, everything is checked, and `None` says that arrays are wrong or have other types.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pleach::runtime::transposed;
use pyo3::prelude::*;

use crate::arrays::array;
use crate::borrowed::{Index, Made, Parts, parts};

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

fn ends_of<I: Index>(offsets: &[I]) -> bool {
    offsets.first().is_some_and(|first| first.index() == 0) && offsets.is_sorted()
}

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
    Ok(transposed(offsets, coords, numbers, cols).map(|made| parts(values.py(), made)))
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

/// Rows of entries that are in order: their number is counted, and the rest stays as it is. `None` for others.
fn in_order<I: Index>(rows: &[I], cols: &[I], (num_rows, num_cols): (usize, usize)) -> Option<Vec<I>> {
    if !I::all_below(rows, num_rows) || !I::all_below(cols, num_cols) || !I::fits(rows.len()) {
        return None;
    }
    let pairs = rows.windows(2).zip(cols.windows(2));
    let ascend =
        pairs.fold(true, |all, (row, col)| all & ((row[0] < row[1]) | ((row[0] == row[1]) & (col[0] < col[1]))));
    ascend.then(|| offsets_of(rows, num_rows))
}

/// Where each row begins, and the last ends. The rows are below `num_rows`.
fn offsets_of<I: Index>(rows: &[I], num_rows: usize) -> Vec<I> {
    let mut offsets = vec![I::default(); num_rows + 1];
    for row in rows {
        let count = &mut offsets[row.index() + 1];
        *count = I::of(count.index() + 1);
    }
    let mut sum = 0;
    for offset in &mut offsets {
        sum += offset.index();
        *offset = I::of(sum);
    }
    offsets
}

/// Compressed rows of entries in any order, whose coordinates are in range. Those of one place are added up.
fn sorted<I: Index>(rows: &[I], cols: &[I], values: &[f64], shape: (usize, usize)) -> Option<Made<I>> {
    let offsets = offsets_of(rows, shape.0);
    let mut next = offsets.clone();
    let (mut unsorted, mut moved) = (vec![I::default(); cols.len()], vec![0.0; cols.len()]);
    for ((row, &col), &value) in rows.iter().zip(cols).zip(values) {
        let place = &mut next[row.index()];
        (unsorted[place.index()], moved[place.index()]) = (col, value);
        *place = I::of(place.index() + 1);
    }
    // Twice turned, the columns of each row ascend.
    let (ends, numbers, values) = transposed(&offsets, &unsorted, &moved, shape.1)?;
    let (mut offsets, mut coords, mut values) = transposed(&ends, &numbers, &values, shape.0)?;
    let (mut begin, mut kept) = (0, 0);
    for row in 0..shape.0 {
        let (first, end) = (kept, offsets[row + 1].index());
        for at in begin..end {
            if kept > first && coords[kept - 1] == coords[at] {
                values[kept - 1] += values[at];
            } else {
                (coords[kept], values[kept]) = (coords[at], values[at]);
                kept += 1;
            }
        }
        begin = end;
        offsets[row + 1] = I::of(kept);
    }
    coords.truncate(kept);
    values.truncate(kept);
    Some((offsets, coords, values))
}

fn compress_of<'py, I: Index>(
    (rows, cols, values): (&Bound<'py, PyAny>, &Bound<'py, PyAny>, &PyReadonlyArray1<'py, f64>),
    shape: (usize, usize),
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
    let made = if let Some(offsets) = in_order(rows, cols, shape) {
        Some((offsets, cols.to_vec(), numbers.to_vec()))
    } else if let Some(ends) = in_order(cols, rows, (shape.1, shape.0)) {
        // In the order of columns, as files of Matrix Market are.
        transposed(&ends, rows, numbers, shape.0)
    } else if I::all_below(rows, shape.0) && I::all_below(cols, shape.1) {
        sorted(rows, cols, numbers, shape)
    } else {
        None
    };
    Ok(made.map(|made| parts(values.py(), made)))
}

/// Compressed rows of entries in any order; those of one place are added up.
#[pyfunction]
pub(crate) fn compress<'py>(
    rows: &Bound<'py, PyAny>,
    cols: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
    shape: (usize, usize),
) -> PyResult<Option<Parts<'py>>> {
    let Ok(values) = values.extract() else { return Ok(None) };
    if u32::try_from(shape.0.max(shape.1)).is_err() {
        return Ok(None);
    }
    by_width!(compress_of((rows, cols, &values), shape))
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
    let mut data = vec![0.0; found.len() * width];
    for row in 0..rows {
        for (col, number) in coords[nonzeros(row)].iter().zip(&numbers[nonzeros(row)]) {
            let place = places[col.index() + (rows - 1 - row)] as usize;
            data[place * width + col.index()] = *number;
        }
    }
    let data = array(values.py(), data).reshape([found.len(), width])?;
    Ok(Some((array(values.py(), found), data)))
}

/// The diagonals of compressed rows without duplicates.
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
