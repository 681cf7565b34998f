//! `nalgebra_sparse::CsrMatrix`: offsets and values move, columns change between 32 bits and `usize`.
//!
//! ```
//! use nalgebra_sparse::CsrMatrix;
//! use pleach::Csr;
//!
//! let a = Csr::from_entries(2, 3, [(0, 1, 1.0), (1, 2, 2.0)])?;
//! let matrix = CsrMatrix::from(a.clone());
//! assert_eq!(matrix.col_indices(), [1, 2]);
//! assert_eq!(Csr::try_from(matrix)?, a);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use nalgebra_sparse::{CooMatrix, CsrMatrix};

use crate::csr::check_dimensions;
use crate::sort::Weight;
use crate::{BuildError, Coo, Csr, CsrError};

impl<V> From<Csr<V>> for CsrMatrix<V> {
    fn from(csr: Csr<V>) -> Self {
        let (rows, parts) = (csr.num_rows(), csr.into_parts());
        let cols = parts.coords.iter().map(|&col| col as usize).collect();
        CsrMatrix::try_from_csr_data(rows, parts.num_cols, parts.offsets, cols, parts.values)
            .expect("compressed sparse rows are the same everywhere")
    }
}

impl<V: Sync> TryFrom<CsrMatrix<V>> for Csr<V> {
    type Error = CsrError;

    /// # Errors
    ///
    /// [`CsrError::TooLarge`] if the matrix has more rows or columns than 32 bits can number.
    fn try_from(matrix: CsrMatrix<V>) -> Result<Self, CsrError> {
        let (rows, cols) = (matrix.nrows(), matrix.ncols());
        check_dimensions(rows, cols)?;
        let (offsets, coords, values) = matrix.disassemble();
        // All are below the number of columns, which was just checked.
        Csr::from_parts(cols, offsets, coords.into_iter().map(|col| col as u32).collect(), values)
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
        let mut entries = CooMatrix::new(2, 2);
        entries.push(1, 0, 1.0);
        entries.push(1, 0, 2.0);
        assert_eq!(Csr::from(&Coo::try_from(&entries).unwrap()).get(1, 0), Some(&3.0));
    }
}
