//! Compressed sparse columns: the arrays of a matrix by columns, in a type of their own, so that they are not taken for rows.

use pleach_runtime::tensor::{Arranged, Tensor};

use super::{CscTensor, CscTensorView, Csr, CsrRow, CsrTensorView, CsrView};
use crate::Coo;

/// A matrix in compressed sparse columns that owns its arrays.
///
/// ```text
///            column 0    column 1   column 2
/// offsets    0           2          2         3
/// coords     0  3                   1            rows, ascending in each column
/// values     a  b                   c
/// ```
///
/// ```
/// use pleach::{Csc, Csr};
///
/// let a = Csr::from_entries(2, 3, [(0, 1, 2.0), (1, 0, 3.0)])?;
/// let by_columns = Csc::from(&a);
/// assert_eq!(by_columns.col(0).coords, [1]);
/// assert_eq!(by_columns.get(0, 1), Some(&2.0));
/// assert_eq!(Csr::from(&by_columns), a);
/// # Ok::<(), pleach::BuildError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Csc<V = ()> {
    /// The rows of the transpose, which are the same arrays.
    transpose: Csr<V>,
}

/// Compressed sparse columns in borrowed arrays.
#[derive(Debug, PartialEq)]
pub struct CscView<'a, V = ()> {
    transpose: CsrView<'a, V>,
}

impl<V> Clone for CscView<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for CscView<'_, V> {}

impl<V> Csc<V> {
    /// The matrix whose transpose is given by rows: these are its columns. Copies nothing.
    pub fn from_transpose(transpose: Csr<V>) -> Self {
        Csc { transpose }
    }

    /// The transpose by rows. Copies nothing.
    pub fn into_transpose(self) -> Csr<V> {
        self.transpose
    }

    /// The same matrix, borrowed.
    pub fn view(&self) -> CscView<'_, V> {
        CscView { transpose: self.transpose.view() }
    }

    /// Number of rows.
    pub fn num_rows(&self) -> usize {
        self.transpose.num_cols()
    }

    /// Number of columns.
    pub fn num_cols(&self) -> usize {
        self.transpose.num_rows()
    }

    /// Number of stored nonzeros.
    pub fn nnz(&self) -> usize {
        self.transpose.nnz()
    }

    /// Column `col`: the coordinates of its rows, and its values.
    ///
    /// # Panics
    ///
    /// If there is no such column.
    pub fn col(&self, col: usize) -> CsrRow<'_, V> {
        self.transpose.view().row(col)
    }

    /// The value at `row` and `col`, if it is stored; `None` also beyond the matrix. Takes O(log degree of the column).
    pub fn get(&self, row: usize, col: usize) -> Option<&V> {
        self.transpose.view().get(col, row)
    }
}

impl<'a, V> CscView<'a, V> {
    /// The matrix whose transpose is given by rows: these are its columns.
    pub fn from_transpose(transpose: CsrView<'a, V>) -> Self {
        CscView { transpose }
    }

    /// The transpose by rows.
    pub fn transpose(self) -> CsrView<'a, V> {
        self.transpose
    }
}

impl<V: Copy + Default + Send + Sync + 'static> From<&Csr<V>> for Csc<V> {
    /// Sorts the nonzeros by columns, in parallel; O(nonzeros + rows + columns).
    fn from(rows: &Csr<V>) -> Self {
        Csc { transpose: rows.transpose() }
    }
}

impl<V: Copy + Default + Send + Sync + 'static> From<&Coo<V>> for Csc<V> {
    /// Sorts the entries by columns, in parallel; O(nonzeros + rows + columns).
    fn from(coo: &Coo<V>) -> Self {
        Csc::from(&Csr::from(coo))
    }
}

impl<V: Copy + Default + Send + Sync + 'static> From<&Csc<V>> for Csr<V> {
    /// Sorts the nonzeros by rows, in parallel; O(nonzeros + rows + columns).
    fn from(columns: &Csc<V>) -> Self {
        columns.transpose.transpose()
    }
}

impl<'a, V> From<&'a Csc<V>> for CscView<'a, V> {
    fn from(csc: &'a Csc<V>) -> Self {
        csc.view()
    }
}

impl<'a, V> From<&CscView<'a, V>> for CscView<'a, V> {
    fn from(csc: &CscView<'a, V>) -> Self {
        *csc
    }
}

impl<V> Csc<V> {
    /// Takes over the arrays that a compiled kernel made, which are compressed sparse columns.
    pub(crate) fn from_kernel(columns: CscTensor<V>) -> Self {
        let [rows, cols] = columns.shape;
        Csc { transpose: Csr::from_kernel(Tensor { shape: [cols, rows], ..columns.tensor }) }
    }
}

impl<'a, V> CscView<'a, V> {
    /// The columns as a compiled kernel takes them.
    pub(crate) fn tensor(self) -> CscTensorView<'a, V> {
        let transpose = CsrTensorView::from(self.transpose);
        let [cols, rows] = transpose.shape;
        Arranged::new(Tensor { shape: [rows, cols], ..transpose })
    }
}
