//! Static rows as the tensors that compiled kernels take and return, without copying.

use pleach_runtime::tensor::coordinate::Index;
use pleach_runtime::tensor::{Arranged, Compressed, Dense, Tensor};

use super::{Csr, CsrError, CsrView};

/// The format `csr`, its arrays borrowed: what kernels are given.
pub type CsrTensorView<'a, V> = Tensor<2, (Dense, Compressed<&'a [usize], &'a [u32]>), &'a [V]>;

/// The format `csr`: what kernels return.
pub type CsrTensor<V> = Tensor<2, (Dense, Compressed<Vec<usize>, Vec<u32>>), Vec<V>>;

/// The format `csc`, its arrays borrowed: what kernels are given.
pub type CscTensorView<'a, V> = Arranged<CsrTensorView<'a, V>, ByColumns>;

/// The format `csc`: what kernels return.
pub type CscTensor<V> = Arranged<CsrTensor<V>, ByColumns>;

/// The outer level keeps the columns, the inner one the rows.
type ByColumns = (Index<1>, Index<0>);

impl<'a, V> From<CsrView<'a, V>> for CsrTensorView<'a, V> {
    fn from(csr: CsrView<'a, V>) -> Self {
        Tensor {
            shape: [csr.num_rows(), csr.num_cols()],
            levels: (Dense, Compressed { pos: csr.offsets(), crd: csr.coords() }),
            vals: csr.values(),
        }
    }
}

impl<'a, V> From<&'a Csr<V>> for CsrTensorView<'a, V> {
    fn from(csr: &'a Csr<V>) -> Self {
        csr.view().into()
    }
}

impl<'a, V> From<&'a Csr<V>> for CsrView<'a, V> {
    fn from(csr: &'a Csr<V>) -> Self {
        csr.view()
    }
}

impl<'a, V> From<&CsrView<'a, V>> for CsrView<'a, V> {
    fn from(csr: &CsrView<'a, V>) -> Self {
        *csr
    }
}

impl<V> Csr<V> {
    /// Takes over the arrays that a compiled kernel made, which are compressed sparse rows.
    pub(crate) fn from_kernel(tensor: CsrTensor<V>) -> Csr<V> {
        let ([_, num_cols], Compressed { pos, crd }) = (tensor.shape, tensor.levels.1);
        debug_assert_eq!(super::check_parts(num_cols, &pos, &crd, tensor.vals.len()), Ok(()));
        Csr { num_cols, offsets: pos, coords: crd, values: tensor.vals }
    }
}

impl<V: Sync> TryFrom<CsrTensor<V>> for Csr<V> {
    type Error = CsrError;

    /// Takes the arrays over, after checking them.
    fn try_from(tensor: CsrTensor<V>) -> Result<Self, CsrError> {
        let Compressed { pos, crd } = tensor.levels.1;
        Csr::from_parts(tensor.shape[1], pos, crd, tensor.vals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let csr = Csr::from_parts(3, vec![0, 2, 2, 3], vec![0, 2, 1], vec![1.0, 2.0, 3.0]).unwrap();
        let view = CsrTensorView::from(csr.view());
        assert_eq!((view.shape, view.levels.1.pos, view.vals), ([3, 3], &[0, 2, 2, 3][..], &[1.0, 2.0, 3.0][..]));
        let owned = |crd: Vec<u32>| Tensor {
            shape: view.shape,
            levels: (Dense, Compressed { pos: view.levels.1.pos.to_vec(), crd }),
            vals: view.vals.to_vec(),
        };
        assert_eq!(Csr::try_from(owned(vec![0, 2, 1])).unwrap().view(), csr.view());
        assert!(matches!(Csr::try_from(owned(vec![2, 0, 1])), Err(CsrError::Unsorted { row: 0, .. })));
    }
}
