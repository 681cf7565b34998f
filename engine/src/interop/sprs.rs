//! `sprs::CsMatI<V, I, P>`, by rows to and from [`Csr`], by columns to and from [`Csc`]. Offsets and coordinates move where both sides
//! have the same integers (`I = u32`, `P = usize`). Those of other types are converted, as of `sprs::CsMat`, which has `usize` for both.
//! Values move in any case.
//!
//! ```
//! use pleach::{Csc, Csr};
//! use sprs::{CsMat, CsMatI};
//!
//! let a = Csr::from_entries(2, 3, [(0, 1, 1.0), (1, 2, 2.0)])?;
//! let matrix = CsMat::from(a.clone());
//! assert_eq!(matrix.get(1, 2), Some(&2.0));
//! assert_eq!(Csc::try_from(matrix.to_csc())?, Csc::from(&a));
//! assert_eq!(Csr::try_from(matrix)?, a);
//!
//! // The same arrays, without a copy.
//! let matrix = CsMatI::<f64, u32, usize>::from(a.clone());
//! assert_eq!(Csr::try_from(matrix)?, a);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::any::Any;

use sprs::{CsMatI, CsMatViewI, SpIndex};

use crate::csr::{CsrParts, check_dimensions};
use crate::{Csc, Csr, CsrError, CsrView};

/// An array in another type; it is moved if it has that type already.
fn retyped<T: 'static, U: 'static>(array: Vec<T>, convert: impl FnMut(T) -> U) -> Vec<U> {
    let mut array = Some(array);
    let same = (&mut array as &mut dyn Any).downcast_mut::<Option<Vec<U>>>().and_then(Option::take);
    same.unwrap_or_else(|| array.unwrap_or_default().into_iter().map(convert).collect())
}

macro_rules! to_sprs {
    ($($coord:ty),*) => {$(
        impl<V> From<Csr<V>> for CsMatI<V, $coord, usize> {
            /// A matrix by rows. Values and offsets move; `sprs` checks the arrays.
            fn from(csr: Csr<V>) -> Self {
                let (rows, CsrParts { num_cols, offsets, coords, values }) = (csr.num_rows(), csr.into_parts());
                CsMatI::new((rows, num_cols), offsets, retyped(coords, |coord| coord as $coord), values)
            }
        }

        impl<V> From<Csc<V>> for CsMatI<V, $coord, usize> {
            /// A matrix by columns. Values and offsets move; `sprs` checks the arrays.
            fn from(csc: Csc<V>) -> Self {
                CsMatI::from(csc.into_transpose()).transpose_into()
            }
        }
    )*};
}

to_sprs! { u32, usize }

impl<'a, V> From<CsrView<'a, V>> for CsMatViewI<'a, V, u32, usize> {
    /// Borrows the arrays; `sprs` checks them.
    fn from(csr: CsrView<'a, V>) -> Self {
        CsMatViewI::new((csr.num_rows(), csr.num_cols()), csr.offsets(), csr.coords(), csr.values())
    }
}

/// The arrays of a matrix that is kept by rows, or those of the transpose of one that is kept by columns.
fn arrays<V, I, P>(matrix: CsMatI<V, I, P>) -> Result<Csr<V>, CsrError>
where
    I: SpIndex + 'static,
    P: SpIndex + 'static,
{
    check_dimensions(matrix.rows(), matrix.cols())?;
    let inner = matrix.inner_dims();
    let (offsets, coords, values) = matrix.into_raw_storage();
    // A coordinate that does not fit 32 bits is out of range, as the largest is.
    let narrow = |coord: I| coord.try_index().and_then(|coord| u32::try_from(coord).ok()).unwrap_or(u32::MAX);
    Csr::from_parts(inner, retyped(offsets, P::index), retyped(coords, narrow), values)
}

impl<V, I, P> TryFrom<CsMatI<V, I, P>> for Csr<V>
where
    V: Copy + Default + Send + Sync + 'static,
    I: SpIndex + 'static,
    P: SpIndex + 'static,
{
    type Error = CsrError;

    /// Checks the arrays. A matrix that is kept by columns is transposed.
    ///
    /// # Errors
    ///
    /// [`CsrError::TooLarge`] if the matrix has more rows or columns than 32 bits can number.
    fn try_from(matrix: CsMatI<V, I, P>) -> Result<Self, CsrError> {
        let by_rows = matrix.is_csr();
        let kept = arrays(matrix)?;
        Ok(if by_rows { kept } else { kept.transpose() })
    }
}

impl<V, I, P> TryFrom<CsMatI<V, I, P>> for Csc<V>
where
    V: Copy + Default + Send + Sync + 'static,
    I: SpIndex + 'static,
    P: SpIndex + 'static,
{
    type Error = CsrError;

    /// Checks the arrays. A matrix that is kept by rows is transposed.
    ///
    /// # Errors
    ///
    /// [`CsrError::TooLarge`] if the matrix has more rows or columns than 32 bits can number.
    fn try_from(matrix: CsMatI<V, I, P>) -> Result<Self, CsrError> {
        let by_rows = matrix.is_csr();
        let kept = arrays(matrix)?;
        Ok(Csc::from_transpose(if by_rows { kept.transpose() } else { kept }))
    }
}

#[cfg(test)]
mod tests {
    use sprs::CsMat;

    use super::*;

    fn sample() -> Csr<f64> {
        Csr::from_entries(3, 4, [(0, 3, 1.5), (0, 0, 2.5), (2, 1, 3.5)]).unwrap()
    }

    #[test]
    fn arrays_move_and_columns_are_turned() {
        let a = sample();
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

    #[test]
    fn columns_move_and_rows_are_turned() {
        let (rows, columns) = (sample(), Csc::from(&sample()));
        let address = columns.view().transpose().coords().as_ptr();
        let matrix = CsMatI::<f64, u32, usize>::from(columns.clone());
        assert!(matrix.is_csc());
        assert_eq!((matrix.rows(), matrix.cols(), matrix.get(0, 3), matrix.get(2, 1)), (3, 4, Some(&1.5), Some(&3.5)));
        assert_eq!(Csc::try_from(matrix.to_csr()).unwrap(), columns);
        assert_eq!(Csr::try_from(matrix).unwrap(), rows);
        let moved = CsMatI::<f64, u32, usize>::from(columns);
        assert_eq!(moved.indices().as_ptr(), address);
        assert_eq!(Csc::try_from(moved).unwrap().view().transpose().coords().as_ptr(), address);
    }

    #[test]
    fn integers_of_any_type_are_converted() {
        let a = sample();
        let values = a.values().as_ptr();
        let matrix = CsMat::from(a);
        assert_eq!((matrix.indices(), matrix.data().as_ptr()), (&[0, 3, 1][..], values));
        let other: CsMatI<f64, i16, u64> = matrix.to_other_types();
        assert_eq!(Csr::try_from(other).unwrap(), sample());
        let columns = CsMat::from(Csc::from(&sample()));
        assert_eq!(Csc::try_from(columns.clone()).unwrap(), Csc::from(&sample()));
        assert_eq!(Csr::try_from(columns).unwrap(), sample());
        assert_eq!(Csr::try_from(matrix).unwrap().values().as_ptr(), values);
    }

    #[test]
    fn coordinates_beyond_32_bits_are_refused() {
        let far = 1 << 33;
        let wide = CsMat::new((1, far), vec![0, 1], vec![far - 1], vec![1.0]);
        let high = CsMat::new_csc((far, 1), vec![0, 1], vec![far - 1], vec![1.0]);
        let error = |what| CsrError::TooLarge { what, size: far };
        assert_eq!(Csr::try_from(wide.clone()), Err(error("columns")));
        assert_eq!(Csc::try_from(wide), Err(error("columns")));
        assert_eq!(Csr::try_from(high.clone()), Err(error("rows")));
        assert_eq!(Csc::try_from(high), Err(error("rows")));
    }
}
