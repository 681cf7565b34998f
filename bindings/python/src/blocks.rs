//! Whether arrays are those of compressed rows, and the size of the blocks that SciPy would choose for them.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::borrowed::Index;
use crate::conversions::{by_width, ends_of};

/// How full blocks have to be: more than seven tenths of their places hold an entry.
const FULL: f64 = 0.7;

/// How full blocks have to be for larger ones to be looked at.
const VERY_FULL: f64 = (1.0 + FULL) / 2.0;

/// The ends and coordinates of arrays, and whether they are those of compressed rows.
struct Arrays<'py, I: Index> {
    offsets: PyReadonlyArray1<'py, I>,
    coords: PyReadonlyArray1<'py, I>,
    are_rows: bool,
}

fn arrays_of<'py, I: Index>(
    (offsets, coords): (&Bound<'py, PyAny>, &Bound<'py, PyAny>),
    (num_values, (rows, cols)): (usize, (usize, usize)),
) -> Option<Arrays<'py, I>> {
    let (offsets, coords): (PyReadonlyArray1<'py, I>, PyReadonlyArray1<'py, I>) =
        (offsets.extract().ok()?, coords.extract().ok()?);
    let (ends, numbers) = (offsets.as_slice().ok()?, coords.as_slice().ok()?);
    let fits = ends_of(ends) && ends.len() - 1 == rows && ends[rows].index() <= num_values;
    let are_rows = fits && numbers.get(..ends[rows].index()).is_some_and(|numbers| I::all_below(numbers, cols));
    Some(Arrays { offsets, coords, are_rows })
}

fn is_compressed_of<'py, I: Index>(
    arrays: (&Bound<'py, PyAny>, &Bound<'py, PyAny>),
    sizes: (usize, (usize, usize)),
) -> PyResult<Option<bool>> {
    Ok(arrays_of::<I>(arrays, sizes).map(|arrays| arrays.are_rows))
}

/// Whether arrays are those of compressed rows. ``False`` for types that the library does not read, too.
#[pyfunction]
pub(crate) fn is_compressed<'py>(
    offsets: &Bound<'py, PyAny>,
    coords: &Bound<'py, PyAny>,
    num_values: usize,
    shape: (usize, usize),
) -> PyResult<bool> {
    let found: PyResult<Option<bool>> = by_width!(is_compressed_of((offsets, coords), (num_values, shape)));
    Ok(found?.unwrap_or(false))
}

/// How many blocks of so many rows and columns hold an entry. The arrays are those of compressed rows.
fn count_blocks<I: Index>(offsets: &[I], coords: &[I], cols: usize, size: usize) -> usize {
    // The last row of blocks with an entry in each column of blocks, counted from 1 on.
    let mut last = vec![0usize; cols / size];
    let mut count = 0;
    for (row, pair) in offsets.windows(2).enumerate() {
        let block = row / size + 1;
        for col in &coords[pair[0].index()..pair[1].index()] {
            let seen = &mut last[col.index() / size];
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
        true => nonzeros as f64 / (size * size * count_blocks(offsets, coords, cols, size)) as f64,
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

fn block_size_of<'py, I: Index>(
    arrays: (&Bound<'py, PyAny>, &Bound<'py, PyAny>),
    sizes: (usize, (usize, usize)),
) -> PyResult<Option<usize>> {
    let Some(arrays) = arrays_of::<I>(arrays, sizes).filter(|arrays| arrays.are_rows) else { return Ok(None) };
    Ok(Some(size_of(arrays.offsets.as_slice()?, arrays.coords.as_slice()?, sizes.1.1)))
}

/// How many rows and columns the blocks have that SciPy would choose for compressed rows. ``None`` if they are none, or have other types.
#[pyfunction]
pub(crate) fn block_size<'py>(
    offsets: &Bound<'py, PyAny>,
    coords: &Bound<'py, PyAny>,
    num_values: usize,
    shape: (usize, usize),
) -> PyResult<Option<usize>> {
    by_width!(block_size_of((offsets, coords), (num_values, shape)))
}
