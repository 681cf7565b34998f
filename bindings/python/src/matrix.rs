//! Compressed sparse rows, and the products and sums that are compiled into the library.

use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pleach::Csr;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arrays::{array, copied, has_room};
use crate::failure::Failure;
use crate::jobs::{Threads, run};

/// Compressed sparse rows with values. Their arrays are copied in, and moved out without a copy.
#[pyclass(frozen, module = "pleach_graph._pleach")]
pub(crate) struct CsrCore(Arc<Csr<f64>>);

/// Number of columns, offsets, coordinates and values.
type Parts<'py> = (usize, Bound<'py, PyArray1<usize>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>);

impl CsrCore {
    fn with<'py>(
        &self,
        py: Python<'py>,
        work: impl FnOnce(&Csr<f64>) -> Result<Csr<f64>, Failure> + Send + 'static,
    ) -> PyResult<Parts<'py>> {
        let own = self.0.clone();
        let parts = run(py, None, move || work(&own))?.into_parts();
        Ok((parts.num_cols, array(py, parts.offsets), array(py, parts.coords), array(py, parts.values)))
    }
}

/// The entries that both matrices have, multiplied.
fn by_element(a: &Csr<f64>, b: &Csr<f64>) -> Result<Csr<f64>, Failure> {
    if (a.num_rows(), a.num_cols()) != (b.num_rows(), b.num_cols()) {
        return Err(Failure::value("the matrices differ in shape"));
    }
    let (mut offsets, mut coords, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..a.num_rows() {
        let mut others = b.row(row).iter().peekable();
        for (col, value) in a.row(row).iter() {
            while others.next_if(|&(other, _)| other < col).is_some() {}
            if let Some((_, factor)) = others.next_if(|&(other, _)| other == col) {
                coords.push(col);
                values.push(value * factor);
            }
        }
        offsets.push(coords.len());
    }
    Csr::from_parts(a.num_cols(), offsets, coords, values).map_err(Failure::value)
}

#[pymethods]
impl CsrCore {
    /// Of arrays, which are checked.
    #[new]
    fn new(
        py: Python<'_>,
        cols: usize,
        offsets: PyReadonlyArray1<'_, i64>,
        coords: PyReadonlyArray1<'_, u32>,
        values: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let offsets = copied("indptr", &offsets)?;
        if offsets.iter().any(|&offset| offset < 0) {
            return Err(PyValueError::new_err("indptr holds a negative number"));
        }
        let (coords, values) = (copied("indices", &coords)?, copied("data", &values)?);
        let csr = run(py, None, move || {
            let offsets = offsets.into_iter().map(|offset| offset as usize).collect();
            Csr::from_parts(cols, offsets, coords, values).map_err(Failure::value)
        })?;
        Ok(CsrCore(Arc::new(csr)))
    }

    /// The sum.
    fn plus<'py>(&self, py: Python<'py>, other: &Self) -> PyResult<Parts<'py>> {
        let other = other.0.clone();
        self.with(py, move |own| own.plus(&other).map_err(Failure::value))
    }

    /// The difference.
    fn minus<'py>(&self, py: Python<'py>, other: &Self) -> PyResult<Parts<'py>> {
        let other = other.0.clone();
        self.with(py, move |own| own.minus(&other).map_err(Failure::value))
    }

    /// The product.
    fn times<'py>(&self, py: Python<'py>, other: &Self) -> PyResult<Parts<'py>> {
        let other = other.0.clone();
        self.with(py, move |own| own.times(&other).map_err(Failure::value))
    }

    /// The product element by element: entries that both have.
    fn by_element<'py>(&self, py: Python<'py>, other: &Self) -> PyResult<Parts<'py>> {
        let other = other.0.clone();
        self.with(py, move |own| by_element(own, &other))
    }

    /// Every entry times the product of a row of ``left`` and a row of ``right``: that of its row, and that of its column.
    fn sampled<'py>(
        &self,
        py: Python<'py>,
        left: PyReadonlyArray2<'_, f64>,
        right: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<Parts<'py>> {
        let (left, right) = (left.as_array().to_owned(), right.as_array().to_owned());
        let wanted = (self.0.num_rows(), self.0.num_cols(), left.ncols());
        if (left.nrows(), right.nrows(), right.ncols()) != wanted {
            return Err(PyValueError::new_err("the factors must have as many rows as the matrix has rows and columns"));
        }
        self.with(py, move |own| {
            let value = |row: usize, col: u32, value: f64| value * left.row(row).dot(&right.row(col as usize));
            let values = (0..own.num_rows()).into_par_iter().flat_map_iter(|row| {
                let row_of = own.row(row);
                row_of.iter().map(move |(col, &of)| value(row, col, of)).collect::<Vec<f64>>()
            });
            let (offsets, coords) = (own.offsets().to_vec(), own.coords().to_vec());
            Csr::from_parts(own.num_cols(), offsets, coords, values.collect()).map_err(Failure::value)
        })
    }

    /// The transpose.
    fn transpose<'py>(&self, py: Python<'py>) -> PyResult<Parts<'py>> {
        has_room(self.0.num_cols())?;
        self.with(py, |own| Ok(own.transpose()))
    }

    /// Every value times a number.
    fn scaled<'py>(&self, py: Python<'py>, by: f64) -> PyResult<Parts<'py>> {
        self.with(py, move |own| Ok(own.map(|value| by * value)))
    }

    /// The product with a dense vector, or that of the transpose.
    #[pyo3(signature = (vector, transposed, threads=None))]
    fn times_vector<'py>(
        &self,
        py: Python<'py>,
        vector: PyReadonlyArray1<'_, f64>,
        transposed: bool,
        threads: Option<Threads>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        has_room(self.0.num_rows() + self.0.num_cols())?;
        let (own, vector) = (self.0.clone(), copied("x", &vector)?);
        let product = run(py, threads, move || {
            let product = if transposed { own.transpose().times_vector(&vector) } else { own.times_vector(&vector) };
            product.map_err(Failure::value)
        })?;
        Ok(array(py, product))
    }
}
