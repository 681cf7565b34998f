//! Products, sums and transposes of compressed rows where SciPy holds them, without a copy.
//!
//! ```text
//!   SciPy's indptr · indices · data ──► one pass over the nonzeros, the GIL held ──► new arrays
//! ```
//!
//! No other code of Python runs meanwhile, because nothing else holds the GIL; but NumPy releases it within its loops, so that another thread
//! may be changing the arrays. Then results are wrong, and nothing worse: what picks a place is checked where it is used, or copied first
//! ([`transpose`]). What takes longer than a pass copies all arrays and releases the GIL: [`CsrCore`](crate::matrix::CsrCore).
//!
//! Every function checks what it reads. It returns `None` for arrays that are no rows in ascending order without duplicates, or that have
//! other types: the caller then looks for what is wrong, or converts them.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::intern;
use pyo3::prelude::*;

use crate::arrays::{array, has_room};
use crate::borrowed_rows::{Index, Made, Rows};
use crate::jobs::at_once;

/// The arrays of a matrix.
struct Arrays<'py, I: Index> {
    cols: usize,
    offsets: PyReadonlyArray1<'py, I>,
    coords: PyReadonlyArray1<'py, I>,
    values: PyReadonlyArray1<'py, f64>,
}

impl<I: Index> Arrays<'_, I> {
    /// The rows; `None` if the arrays are not contiguous or of the wrong lengths.
    fn rows(&self) -> Option<Rows<'_, I>> {
        let (offsets, coords, values) =
            (self.offsets.as_slice().ok()?, self.coords.as_slice().ok()?, self.values.as_slice().ok()?);
        let used = offsets.last()?.index();
        let (coords, values) = (coords.get(..used)?, values.get(..used)?);
        Some(Rows { cols: self.cols, offsets, coords, values })
    }
}

fn arrays<'py, I: Index>(matrix: &Bound<'py, PyAny>) -> PyResult<Option<Arrays<'py, I>>> {
    let py = matrix.py();
    let is_csr = |format: Bound<'py, PyAny>| format.eq(intern!(py, "csr")).unwrap_or(false);
    if !matrix.getattr(intern!(py, "format")).is_ok_and(is_csr) {
        return Ok(None);
    }
    let Ok((rows, cols)) = matrix.getattr(intern!(py, "shape"))?.extract::<(usize, usize)>() else { return Ok(None) };
    // Coordinates of the library have 32 bits: its messages say so.
    if u32::try_from(cols).is_err() {
        return Ok(None);
    }
    let Ok(offsets) = matrix.getattr(intern!(py, "indptr"))?.extract::<PyReadonlyArray1<'py, I>>() else {
        return Ok(None);
    };
    let Ok(coords) = matrix.getattr(intern!(py, "indices"))?.extract::<PyReadonlyArray1<'py, I>>() else {
        return Ok(None);
    };
    let Ok(values) = matrix.getattr(intern!(py, "data"))?.extract::<PyReadonlyArray1<'py, f64>>() else {
        return Ok(None);
    };
    let fits = offsets.as_slice().is_ok_and(|offsets| offsets.len() == rows + 1 && offsets[0].index() == 0);
    Ok(fits.then_some(Arrays { cols, offsets, coords, values }))
}

/// Offsets, coordinates and values.
pub(crate) type Parts<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyArray1<f64>>);

pub(crate) fn parts<I: Index>(py: Python<'_>, (offsets, coords, values): Made<I>) -> Parts<'_> {
    (array(py, offsets).into_any(), array(py, coords).into_any(), array(py, values))
}

/// The product of a matrix, or of its transpose, and a vector.
fn product<'py, I: Index>(
    matrix: &Bound<'py, PyAny>,
    vector: &PyReadonlyArray1<'py, f64>,
    transposed: bool,
) -> PyResult<Option<Bound<'py, PyArray1<f64>>>> {
    let Some(arrays) = arrays::<I>(matrix)? else { return Ok(None) };
    let (Some(rows), Ok(vector)) = (arrays.rows(), vector.as_slice()) else { return Ok(None) };
    let (extent, size) = if transposed { (rows.len(), rows.cols) } else { (rows.cols, rows.len()) };
    if vector.len() != extent {
        return Ok(None);
    }
    has_room(size)?;
    let mut products = vec![0.0; size];
    let done = match transposed {
        true => rows.transposed_times(vector, &mut products),
        false => at_once(rows.num_nonzeros(), || rows.times(vector, &mut products)),
    };
    Ok(done.map(|()| array(matrix.py(), products)))
}

/// The product of SciPy's compressed rows, or of their transpose, and a vector.
#[pyfunction]
pub(crate) fn times_vector<'py>(
    matrix: &Bound<'py, PyAny>,
    vector: &Bound<'py, PyAny>,
    transposed: bool,
) -> PyResult<Option<Bound<'py, PyArray1<f64>>>> {
    let Ok(vector) = vector.extract() else { return Ok(None) };
    match product::<i32>(matrix, &vector, transposed)? {
        None => product::<i64>(matrix, &vector, transposed),
        found => Ok(found),
    }
}

fn matrix_product<'py, I: Index>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Option<Parts<'py>>> {
    let (Some(left), Some(right)) = (arrays::<I>(a)?, arrays::<I>(b)?) else { return Ok(None) };
    let (Some(left), Some(right)) = (left.rows(), right.rows()) else { return Ok(None) };
    if left.cols != right.len() {
        return Ok(None);
    }
    let Some(counts) = left.products(&right) else { return Ok(None) };
    let made = at_once(counts[left.len()], || left.product(&right, &counts));
    Ok(made.map(|made| parts(a.py(), made)))
}

/// The product of SciPy's compressed rows and others.
#[pyfunction]
pub(crate) fn times<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Option<Parts<'py>>> {
    match matrix_product::<i32>(a, b)? {
        None => matrix_product::<i64>(a, b),
        found => Ok(found),
    }
}

fn sum<'py, I: Index>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>, sign: f64) -> PyResult<Option<Parts<'py>>> {
    let (Some(left), Some(right)) = (arrays::<I>(a)?, arrays::<I>(b)?) else { return Ok(None) };
    let (Some(left), Some(right)) = (left.rows(), right.rows()) else { return Ok(None) };
    if (left.len(), left.cols) != (right.len(), right.cols) {
        return Ok(None);
    }
    let made = at_once(left.num_nonzeros() + right.num_nonzeros(), || left.plus(&right, sign));
    Ok(made.map(|made| parts(a.py(), made)))
}

/// The sum of SciPy's compressed rows and ``sign`` times others.
#[pyfunction]
pub(crate) fn plus<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>, sign: f64) -> PyResult<Option<Parts<'py>>> {
    match sum::<i32>(a, b, sign)? {
        None => sum::<i64>(a, b, sign),
        found => Ok(found),
    }
}

fn turned<'py, I: Index>(matrix: &Bound<'py, PyAny>) -> PyResult<Option<Parts<'py>>> {
    let Some(arrays) = arrays::<I>(matrix)? else { return Ok(None) };
    has_room(arrays.cols)?;
    let Some(rows) = arrays.rows() else { return Ok(None) };
    has_room(rows.num_nonzeros())?;
    // Checked once and used twice: by then they might have changed.
    let (offsets, coords) = (rows.offsets.to_vec(), rows.coords.to_vec());
    let rows = Rows { offsets: &offsets, coords: &coords, ..rows };
    let made = at_once(rows.num_nonzeros(), || rows.transpose());
    Ok(made.map(|made| parts(matrix.py(), made)))
}

/// The transpose of SciPy's compressed rows, as rows.
#[pyfunction]
pub(crate) fn transpose<'py>(matrix: &Bound<'py, PyAny>) -> PyResult<Option<Parts<'py>>> {
    match turned::<i32>(matrix)? {
        None => turned::<i64>(matrix),
        found => Ok(found),
    }
}
