//! NumPy arrays in and out.

use std::hint::black_box;

use numpy::{Element, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;

/// Numbers of 64 bits for which nobody asks whether there is memory: half a gigabyte.
const FEW: usize = 1 << 26;

/// Refuses arrays of so many numbers if the machine has no memory for them: to allocate them would end the process.
pub(crate) fn has_room(numbers: usize) -> PyResult<()> {
    let mut tried: Vec<u64> = Vec::new();
    if numbers <= FEW || tried.try_reserve_exact(numbers).is_ok() {
        // What nobody looks at is never allocated.
        black_box(&tried);
        return Ok(());
    }
    Err(PyMemoryError::new_err(format!("there is no memory for arrays of {numbers} numbers")))
}

/// An array that NumPy owns from now on, without a copy.
pub(crate) fn array<T: Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    PyArray1::from_vec(py, values)
}

/// Counts as NumPy holds them.
pub(crate) fn counts(py: Python<'_>, values: impl IntoIterator<Item = usize>) -> Bound<'_, PyArray1<i64>> {
    array(py, values.into_iter().map(|value| value as i64).collect())
}

/// A copy of an array that is passed: whatever happens to it afterwards, the copy is not affected.
pub(crate) fn copied<T: Element + Copy>(name: &str, array: &PyReadonlyArray1<'_, T>) -> PyResult<Vec<T>> {
    match array.as_slice() {
        Ok(values) => Ok(values.to_vec()),
        Err(_) => Err(PyValueError::new_err(format!("{name} must be a contiguous array"))),
    }
}

/// An array of vertices, and an array of a number for each.
pub(crate) type Given<'py> = (PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, f64>);

/// The pairs of a vertex and its number; none if nothing is given.
pub(crate) fn given(given: Option<Given<'_>>) -> PyResult<Vec<(u32, f64)>> {
    let Some((vertices, numbers)) = given else { return Ok(Vec::new()) };
    Ok(copied("vertices", &vertices)?.into_iter().zip(copied("numbers", &numbers)?).collect())
}
