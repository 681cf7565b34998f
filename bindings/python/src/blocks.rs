//! Whether arrays are those of compressed rows, in order perhaps, and their blocks, of the size that SciPy would choose.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::arrays::has_room;
use crate::borrowed::{Parts, parts};
use crate::borrowed_rows::{Index, Made, Rows};
use crate::conversions::by_width;
use crate::order::ends_of;

/// How full blocks have to be: more than seven tenths of their places hold an entry.
const FULL: f64 = 0.7;

/// How full blocks have to be for larger ones to be looked at.
const VERY_FULL: f64 = (1.0 + FULL) / 2.0;

/// The ends and coordinates of arrays, and whether they are those of compressed rows: of rows in ascending order without duplicates, if that is asked.
struct Arrays<'py, I: Index> {
    offsets: PyReadonlyArray1<'py, I>,
    coords: PyReadonlyArray1<'py, I>,
    are_rows: bool,
}

fn arrays_of<'py, I: Index>(
    (offsets, coords): (&Bound<'py, PyAny>, &Bound<'py, PyAny>),
    (num_values, (rows, cols)): (usize, (usize, usize)),
    in_order: bool,
) -> Option<Arrays<'py, I>> {
    let (offsets, coords): (PyReadonlyArray1<'py, I>, PyReadonlyArray1<'py, I>) =
        (offsets.extract().ok()?, coords.extract().ok()?);
    let (ends, numbers) = (offsets.as_slice().ok()?, coords.as_slice().ok()?);
    let fits = ends_of(ends) && ends.len() - 1 == rows && ends[rows].index() <= num_values;
    let are_rows = fits
        && numbers.get(..ends[rows].index()).is_some_and(|coords| match in_order {
            true => Rows { cols, offsets: ends, coords, values: &[] }.ascends(),
            false => I::all_below(coords, cols),
        });
    Some(Arrays { offsets, coords, are_rows })
}

fn is_compressed_of<'py, I: Index>(
    arrays: (&Bound<'py, PyAny>, &Bound<'py, PyAny>),
    sizes: (usize, (usize, usize)),
    in_order: bool,
) -> PyResult<Option<bool>> {
    Ok(arrays_of::<I>(arrays, sizes, in_order).map(|arrays| arrays.are_rows))
}

/// Whether arrays are those of compressed rows; ``in_order``, of rows that ascend without duplicates. ``False`` for types that the library does not
/// read, too.
#[pyfunction]
#[pyo3(signature = (offsets, coords, num_values, shape, in_order=false))]
pub(crate) fn is_compressed<'py>(
    offsets: &Bound<'py, PyAny>,
    coords: &Bound<'py, PyAny>,
    num_values: usize,
    shape: (usize, usize),
    in_order: bool,
) -> PyResult<bool> {
    let found: PyResult<Option<bool>> = by_width!(is_compressed_of((offsets, coords), (num_values, shape), in_order));
    Ok(found?.unwrap_or(false))
}

/// Calls a function for blocks of a size, which is known when it is compiled: a size is divided by for each entry.
macro_rules! by_size {
    ($size:expr, $function:ident($($argument:expr),*)) => {
        match $size {
            2 => $function::<_, 2>($($argument),*),
            3 => $function::<_, 3>($($argument),*),
            4 => $function::<_, 4>($($argument),*),
            6 => $function::<_, 6>($($argument),*),
            _ => $function::<_, 1>($($argument),*),
        }
    };
}

/// How many blocks of `SIZE` rows and columns hold an entry. The arrays are those of compressed rows.
fn count_blocks<I: Index, const SIZE: usize>(offsets: &[I], coords: &[I], cols: usize) -> usize {
    // The last row of blocks with an entry in each column of blocks, counted from 1 on.
    let mut last = vec![0usize; cols / SIZE];
    let mut count = 0;
    for (row, pair) in offsets.windows(2).enumerate() {
        let block = row / SIZE + 1;
        for col in &coords[pair[0].index()..pair[1].index()] {
            let seen = &mut last[col.index() / SIZE];
            count += usize::from(*seen != block);
            *seen = block;
        }
    }
    count
}

/// The size that SciPy's `estimate_blocksize` finds.
fn size_of<I: Index>(offsets: &[I], coords: &[I], cols: usize) -> usize {
    let (rows, nonzeros) = (offsets.len() - 1, offsets[offsets.len() - 1].index());
    let full = |size: usize| match rows.is_multiple_of(size) && cols.is_multiple_of(size) {
        true => nonzeros as f64 / (size * size * by_size!(size, count_blocks(offsets, coords, cols))) as f64,
        false => 0.0,
    };
    if nonzeros == 0 {
        return 1;
    }
    let (twos, threes) = (full(2), full(3));
    match () {
        () if twos > VERY_FULL && threes > VERY_FULL && full(6) > FULL => 6,
        () if twos > VERY_FULL && threes > VERY_FULL => 3,
        () if full(4) > FULL => 4,
        () if threes > FULL => 3,
        () if twos > FULL => 2,
        () => 1,
    }
}

/// The blocks of `SIZE` rows and columns that hold an entry: where those of each row of blocks begin and the last ones end, the column of each, and
/// their numbers, block by block and row by row. The arrays are those of compressed rows.
fn blocks_of<I: Index, const SIZE: usize>((offsets, coords, values): (&[I], &[I], &[f64]), cols: usize) -> Made<I> {
    let mut numbers = vec![0.0; SIZE * SIZE * count_blocks::<I, SIZE>(offsets, coords, cols)];
    let (mut ends, mut found) = (vec![I::default()], Vec::with_capacity(numbers.len() / (SIZE * SIZE)));
    // The row of the last block in each column of blocks, counted from 1 on, and the number of the block.
    let mut last = vec![(0usize, 0usize); cols / SIZE];
    for row in 0..(offsets.len() - 1) / SIZE {
        let (rows, first) = (row * SIZE..(row + 1) * SIZE, found.len());
        for col in &coords[offsets[rows.start].index()..offsets[rows.end].index()] {
            let seen = &mut last[col.index() / SIZE].0;
            if *seen != row + 1 {
                *seen = row + 1;
                found.push(I::of(col.index() / SIZE));
            }
        }
        found[first..].sort_unstable();
        found[first..].iter().zip(first..).for_each(|(col, block)| last[col.index()].1 = block);
        for (line, row) in rows.enumerate() {
            for at in offsets[row].index()..offsets[row + 1].index() {
                let col = coords[at].index();
                let block = last[col / SIZE].1;
                numbers[(block * SIZE + line) * SIZE + col % SIZE] += values[at];
            }
        }
        ends.push(I::of(found.len()));
    }
    (ends, found, numbers)
}

fn blocks_by_size<'py, I: Index>(
    arrays: (&Bound<'py, PyAny>, &Bound<'py, PyAny>),
    values: &PyReadonlyArray1<'py, f64>,
    shape: (usize, usize),
) -> PyResult<Option<(Parts<'py>, usize)>> {
    let numbers = values.as_slice()?;
    let Some(arrays) = arrays_of::<I>(arrays, (numbers.len(), shape), false).filter(|arrays| arrays.are_rows) else {
        return Ok(None);
    };
    let rows = (arrays.offsets.as_slice()?, arrays.coords.as_slice()?, numbers);
    let size = size_of(rows.0, rows.1, shape.1);
    // Blocks of single entries are the rows themselves.
    let made = if size == 1 { Made::default() } else { by_size!(size, blocks_of(rows, shape.1)) };
    Ok(Some((parts(values.py(), made), size)))
}

/// The blocks of compressed rows, and how many rows and columns they have: as many as SciPy would choose. Nothing is made if that is one. ``None`` if
/// the arrays are no rows, or have other types. Entries of one place are added up.
#[pyfunction]
pub(crate) fn blocks<'py>(
    offsets: &Bound<'py, PyAny>,
    coords: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
    shape: (usize, usize),
) -> PyResult<Option<(Parts<'py>, usize)>> {
    let Ok(values) = values.extract::<PyReadonlyArray1<'py, f64>>() else { return Ok(None) };
    if values.as_slice().is_err() {
        return Ok(None);
    }
    has_room(shape.1)?;
    by_width!(blocks_by_size((offsets, coords), &values, shape))
}
