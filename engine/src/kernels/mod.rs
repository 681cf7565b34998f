//! Bundled kernels over rows of any store, written in index notation and compiled when the crate is built.

pub use pleach_runtime::kernel::{ShapeError, check_extents};

pub mod pagerank;

use pleach_runtime::{BuildOuter, Store, UpdateOuter};

use crate::csr::{CsrTensor, CsrTensorView};
use crate::{Csr, CsrView, Matrix};

/// Static rows as a kernel takes them; for kernels that are compiled in place.
#[doc(hidden)]
pub fn csr_tensor<'a, V: 'a>(csr: impl Into<CsrView<'a, V>>) -> CsrTensorView<'a, V> {
    csr.into().into()
}

/// Static rows that a kernel has made; for kernels that are compiled in place.
#[doc(hidden)]
pub fn csr_of<V>(tensor: CsrTensor<V>) -> Csr<V> {
    Csr::from_kernel(tensor)
}

/// A matrix of the rows that a kernel has made; for kernels that are compiled in place.
#[doc(hidden)]
pub fn matrix_of<R, O>(tensor: CsrTensor<R::Value>) -> Matrix<R>
where
    R: Store<Coord = u32, Value: Copy>,
    O: BuildOuter<R> + UpdateOuter<R> + 'static,
{
    Matrix::from_csr::<O>(Csr::from_kernel(tensor).view())
}
