//! `nalgebra_sparse::CsrMatrix`, `CscMatrix` and `CooMatrix`: offsets and values move, coordinates change between 32 bits and `usize`.
//!
//! ```
//! use nalgebra_sparse::{CscMatrix, CsrMatrix};
//! use pleach::{Csc, Csr};
//!
//! let a = Csr::from_entries(2, 3, [(0, 1, 1.0), (1, 2, 2.0)])?;
//! let matrix = CsrMatrix::from(a.clone());
//! assert_eq!(matrix.col_indices(), [1, 2]);
//! assert_eq!(Csr::try_from(matrix)?, a);
//!
//! let by_columns = CscMatrix::from(Csc::from(&a));
//! assert_eq!(by_columns.row_indices(), [0, 1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use nalgebra_sparse::{CooMatrix, CscMatrix, CsrMatrix};

use crate::csr::{CsrParts, check_dimensions};
use crate::sort::Weight;
use crate::{BuildError, Coo, Csc, Csr, CsrError, EdgeList};

fn widened(coords: Vec<u32>) -> Vec<usize> {
    coords.into_iter().map(|coord| coord as usize).collect()
}

/// Takes over the arrays of compressed rows, whose columns were found to be below `num_cols`, a number of 32 bits.
fn compressed<V>(
    num_cols: usize,
    (offsets, cols, values): (Vec<usize>, Vec<usize>, Vec<V>),
) -> Result<Csr<V>, CsrError> {
    Csr::from_parts(num_cols, offsets, cols.into_iter().map(|col| col as u32).collect(), values)
}

impl<V> From<Csr<V>> for CsrMatrix<V> {
    fn from(csr: Csr<V>) -> Self {
        let (rows, CsrParts { num_cols, offsets, coords, values }) = (csr.num_rows(), csr.into_parts());
        CsrMatrix::try_from_csr_data(rows, num_cols, offsets, widened(coords), values)
            .expect("compressed sparse rows are the same everywhere")
    }
}

impl<V> From<Csc<V>> for CscMatrix<V> {
    fn from(csc: Csc<V>) -> Self {
        let (rows, cols) = (csc.num_rows(), csc.num_cols());
        let CsrParts { offsets, coords, values, .. } = csc.into_transpose().into_parts();
        CscMatrix::try_from_csc_data(rows, cols, offsets, widened(coords), values)
            .expect("compressed sparse columns are the same everywhere")
    }
}

impl<V> From<Coo<V>> for CooMatrix<V> {
    fn from(coo: Coo<V>) -> Self {
        let EdgeList { num_rows, num_cols, src, dst, weight } = coo.into();
        CooMatrix::try_from_triplets(num_rows, num_cols, widened(src), widened(dst), weight)
            .expect("all entries lie within the matrix")
    }
}

impl<V> TryFrom<CsrMatrix<V>> for Csr<V> {
    type Error = CsrError;

    /// # Errors
    ///
    /// [`CsrError::TooLarge`] if the matrix has more rows or columns than 32 bits can number.
    fn try_from(matrix: CsrMatrix<V>) -> Result<Self, CsrError> {
        let (rows, cols) = (matrix.nrows(), matrix.ncols());
        check_dimensions(rows, cols)?;
        compressed(cols, matrix.disassemble())
    }
}

impl<V> TryFrom<CscMatrix<V>> for Csc<V> {
    type Error = CsrError;

    /// # Errors
    ///
    /// [`CsrError::TooLarge`] if the matrix has more rows or columns than 32 bits can number.
    fn try_from(matrix: CscMatrix<V>) -> Result<Self, CsrError> {
        let (rows, cols) = (matrix.nrows(), matrix.ncols());
        check_dimensions(rows, cols)?;
        compressed(rows, matrix.disassemble()).map(Csc::from_transpose)
    }
}

impl<V: Weight> TryFrom<&CooMatrix<V>> for Coo<V> {
    type Error = BuildError;

    /// Sorts the entries; those of one place are added up.
    fn try_from(matrix: &CooMatrix<V>) -> Result<Self, BuildError> {
        // What does not fit 32 bits is out of range, as the largest coordinate is.
        let narrow = |coord: usize| u32::try_from(coord).unwrap_or(u32::MAX);
        let entries = matrix.triplet_iter().map(|(row, col, value)| (narrow(row), narrow(col), *value));
        Coo::from_entries(matrix.nrows(), matrix.ncols(), entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let a = Csr::from_entries(3, 4, [(0, 3, 1.5), (0, 0, 2.5), (2, 1, 3.5)]).unwrap();
        let address = a.values().as_ptr();
        let matrix = CsrMatrix::from(a);
        assert_eq!((matrix.row_offsets(), matrix.values().as_ptr()), (&[0, 2, 2, 3][..], address));
        let back = Csr::try_from(matrix).unwrap();
        assert_eq!((back.coords(), back.values().as_ptr()), (&[0, 3, 1][..], address));
        let columns = Csc::from(&back);
        let matrix = CscMatrix::from(columns.clone());
        assert_eq!((matrix.nrows(), matrix.ncols(), matrix.col_offsets()), (3, 4, &[0, 1, 2, 2, 3][..]));
        let address = matrix.values().as_ptr();
        let turned = Csc::try_from(matrix).unwrap();
        assert_eq!((turned.view().transpose().values().as_ptr(), &turned), (address, &columns));
        let coo = Coo::from(back);
        let matrix = CooMatrix::from(coo.clone());
        assert_eq!((matrix.nrows(), matrix.ncols(), matrix.nnz()), (3, 4, 3));
        assert_eq!(Coo::try_from(&matrix).unwrap(), coo);
        let mut entries = CooMatrix::new(2, 2);
        entries.push(1, 0, 1.0);
        entries.push(1, 0, 2.0);
        assert_eq!(Csr::from(&Coo::try_from(&entries).unwrap()).get(1, 0), Some(&3.0));
    }
}
