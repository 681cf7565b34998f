//! `sprs::CsMatI<V, u32, usize>`, whose three arrays are those of [`Csr`]: nothing is copied in either direction.
//!
//! ```
//! use pleach::Csr;
//!
//! let a = Csr::from_entries(2, 3, [(0, 1, 1.0), (1, 2, 2.0)])?;
//! let matrix = sprs::CsMatI::<f64, u32, usize>::from(a.clone());
//! assert_eq!(matrix.get(1, 2), Some(&2.0));
//! assert_eq!(Csr::try_from(matrix)?, a);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use sprs::{CsMatI, CsMatViewI};

use crate::{Csr, CsrError, CsrView};

impl<V> From<Csr<V>> for CsMatI<V, u32, usize> {
    /// Moves the arrays; `sprs` checks them.
    fn from(csr: Csr<V>) -> Self {
        let (rows, parts) = (csr.num_rows(), csr.into_parts());
        CsMatI::new((rows, parts.num_cols), parts.offsets, parts.coords, parts.values)
    }
}

impl<'a, V> From<CsrView<'a, V>> for CsMatViewI<'a, V, u32, usize> {
    /// Borrows the arrays; `sprs` checks them.
    fn from(csr: CsrView<'a, V>) -> Self {
        CsMatViewI::new((csr.num_rows(), csr.num_cols()), csr.offsets(), csr.coords(), csr.values())
    }
}

impl<V: Copy + Default + Send + Sync + 'static> TryFrom<CsMatI<V, u32, usize>> for Csr<V> {
    type Error = CsrError;

    /// Moves the arrays, after checking them. A matrix that is kept by columns is transposed.
    fn try_from(matrix: CsMatI<V, u32, usize>) -> Result<Self, CsrError> {
        let (by_rows, inner) = (matrix.is_csr(), matrix.inner_dims());
        let (offsets, coords, values) = matrix.into_raw_storage();
        let csr = Csr::from_parts(inner, offsets, coords, values)?;
        Ok(if by_rows { csr } else { csr.transpose() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_move_and_columns_are_turned() {
        let a = Csr::from_entries(3, 4, [(0, 3, 1.5), (0, 0, 2.5), (2, 1, 3.5)]).unwrap();
        let address = a.coords().as_ptr();
        let matrix = CsMatI::<f64, u32, usize>::from(a.clone());
        assert_eq!((matrix.rows(), matrix.cols(), matrix.get(0, 3), matrix.get(2, 1)), (3, 4, Some(&1.5), Some(&3.5)));
        let moved = CsMatI::<f64, u32, usize>::from(a);
        assert_eq!(moved.indices().as_ptr(), address);
        let back = Csr::try_from(moved).unwrap();
        assert_eq!(back.coords().as_ptr(), address);
        assert_eq!(Csr::try_from(matrix.to_csc()).unwrap(), back);
        let view = CsMatViewI::from(back.view());
        assert_eq!((view.indices().as_ptr(), view.nnz()), (address, 3));
    }
}
