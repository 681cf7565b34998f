//! `ndarray`: dense matrices, which kernels take for the format `matrix`, and vectors, which are slices already. A [`Coo`] is made of the
//! values that are not zero: `Coo::try_from(x.view())`.
//!
#![cfg_attr(feature = "macros", doc = "```")]
#![cfg_attr(not(feature = "macros"), doc = "```ignore")]
//! use pleach::interop::ndarray::{array, dense};
//! use pleach::pleach;
//!
//! pleach! {
//!     kernel gram(X: matrix) -> G: matrix { G(i,j) = X(k,i) * X(k,j) }
//! }
//!
//! let x = ndarray::array![[1.0, 2.0], [3.0, 4.0]];
//! let g = array(gram(dense(x.view())?)?)?;
//! assert_eq!(g, x.t().dot(&x));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use ndarray::{Array2, ArrayView2, ArrayViewMut2, ShapeError};
use pleach_runtime::tensor::{Dense, Tensor};

use crate::csr::too_large;
use crate::sort::Weight;
use crate::{BuildError, Coo};

/// A dense matrix, row by row: what kernels return.
pub type DenseMatrix<V> = Tensor<2, (Dense, Dense), Vec<V>>;

/// A dense matrix in a borrowed array: what kernels take.
pub type DenseView<'a, V> = Tensor<2, (Dense, Dense), &'a [V]>;

/// A dense matrix in a borrowed array that kernels write to.
pub type DenseViewMut<'a, V> = Tensor<2, (Dense, Dense), &'a mut [V]>;

/// An array whose elements do not lie row by row, one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the array does not lie row by row without gaps: pass `array.as_standard_layout()`")]
pub struct NotRowByRow;

/// An array as kernels take it, without a copy.
///
/// # Errors
///
/// [`NotRowByRow`] for arrays in another order, such as transposed ones.
pub fn dense<'a, V>(array: ArrayView2<'a, V>) -> Result<DenseView<'a, V>, NotRowByRow> {
    let shape = [array.nrows(), array.ncols()];
    let vals = array.to_slice().ok_or(NotRowByRow)?;
    Ok(Tensor { shape, levels: (Dense, Dense), vals })
}

/// An array as kernels write to it, without a copy.
///
/// # Errors
///
/// As [`dense`].
pub fn dense_mut<'a, V>(array: ArrayViewMut2<'a, V>) -> Result<DenseViewMut<'a, V>, NotRowByRow> {
    let shape = [array.nrows(), array.ncols()];
    let vals = array.into_slice().ok_or(NotRowByRow)?;
    Ok(Tensor { shape, levels: (Dense, Dense), vals })
}

/// What a kernel returns as an array, without a copy.
///
/// # Errors
///
/// If there are not as many values as the shape has places.
pub fn array<V>(tensor: DenseMatrix<V>) -> Result<Array2<V>, ShapeError> {
    Array2::from_shape_vec((tensor.shape[0], tensor.shape[1]), tensor.vals)
}

impl<V: Weight> TryFrom<ArrayView2<'_, V>> for Coo<V> {
    type Error = BuildError;

    /// The entries of an array in any layout: all values that differ from `V::default()`, which is zero for numbers.
    ///
    /// # Errors
    ///
    /// [`BuildError::TooLarge`] if the array has more rows or columns than 32 bits can number.
    fn try_from(array: ArrayView2<'_, V>) -> Result<Self, BuildError> {
        let (rows, cols) = array.dim();
        if let Some((what, size)) = too_large(rows, cols) {
            return Err(BuildError::TooLarge { what, size });
        }
        let entries = array.indexed_iter().filter(|(_, value)| **value != V::default());
        Coo::from_entries(rows, cols, entries.map(|((row, col), value)| (row as u32, col as u32, *value)))
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn values_move_and_are_borrowed() {
        let mut x = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let address = x.as_ptr();
        let view = dense(x.view()).unwrap();
        assert_eq!((view.shape, view.vals.as_ptr()), ([2, 3], address));
        assert_eq!(dense(x.t()), Err(NotRowByRow));
        dense_mut(x.view_mut()).unwrap().vals[5] = 7.0;
        assert_eq!(x[[1, 2]], 7.0);
        let tensor = Tensor { shape: [2, 3], levels: (Dense, Dense), vals: vec![0.0; 6] };
        let address = tensor.vals.as_ptr();
        assert_eq!(array(tensor).unwrap().as_ptr(), address);
        let short = Tensor { shape: [2, 3], levels: (Dense, Dense), vals: vec![0.0; 5] };
        assert!(array(short).is_err());
    }

    #[test]
    fn entries_are_the_values_that_are_not_zero() {
        let x = array![[0.0, 2.0, f64::NAN], [-0.0, 0.0, 6.0]];
        let coo = Coo::try_from(x.view()).unwrap();
        assert_eq!((coo.num_rows(), coo.num_cols(), coo.rows(), coo.cols()), (2, 3, &[0, 0, 1][..], &[1, 2, 2][..]));
        assert_eq!((coo.values()[0], coo.values()[2], coo.values()[1].is_nan()), (2.0, 6.0, true));
        let turned = Coo::try_from(x.t()).unwrap();
        assert_eq!((turned.num_rows(), turned.rows(), turned.cols()), (3, &[1, 2, 2][..], &[0, 0, 1][..]));
        let wide = Array2::<f64>::zeros((0, 1 << 32));
        assert_eq!(Coo::try_from(wide.view()), Err(BuildError::TooLarge { what: "columns", size: 1 << 32 }));
    }
}
