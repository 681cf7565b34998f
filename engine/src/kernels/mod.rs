//! Bundled kernels over rows of any store, written in index notation and compiled when the crate is built.

pub use pleach_runtime::kernel::{ShapeError, check_extents};

pub mod pagerank;

use pleach_runtime::{BuildOuter, Store, UpdateOuter};

use crate::csr::{CscTensor, CscTensorView, CsrTensor, CsrTensorView};
use crate::{Csc, CscView, Csr, CsrView, Matrix};

/// Static columns as a kernel takes them; for kernels that are compiled in place.
#[doc(hidden)]
pub fn csc_tensor<'a, V: 'a>(csc: impl Into<CscView<'a, V>>) -> CscTensorView<'a, V> {
    csc.into().tensor()
}

/// Static columns that a kernel has made; for kernels that are compiled in place.
#[doc(hidden)]
pub fn csc_of<V>(tensor: CscTensor<V>) -> Csc<V> {
    Csc::from_kernel(tensor)
}

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
