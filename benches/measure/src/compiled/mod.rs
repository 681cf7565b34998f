//! What the compiler makes of `kernels.pleach`, and the views that it takes.

#[rustfmt::skip]
#[allow(missing_docs, reason = "generated, and documented there")]
mod generated;

pub use generated::*;

use pleach::runtime::tensor::{Compressed, Dense, Tensor};

use crate::matrices::{self, Csf};

/// Columns of the dense factors of SpMM and SDDMM, and the rank of MTTKRP.
pub const WIDTH: usize = 32;

/// The rows of a matrix as kernels take them.
pub fn view(a: &matrices::Csr) -> CsrView<'_, f64> {
    Tensor { shape: [a.rows, a.cols], levels: (Dense, Compressed { pos: &a.pos, crd: &a.crd }), vals: &a.vals }
}

/// A dense matrix of so many columns.
pub fn matrix(vals: &[f64], width: usize) -> MatrixView<'_, f64> {
    Tensor { shape: [vals.len() / width, width], levels: (Dense, Dense), vals }
}

/// The rows that a kernel has made.
pub fn rows(c: Csr<f64>) -> matrices::Csr {
    matrices::Csr { rows: c.shape[0], cols: c.shape[1], pos: c.levels.1.pos, crd: c.levels.1.crd, vals: c.vals }
}

/// A tensor of the third order as kernels take it.
pub fn cube(a: &Csf) -> CsfView<'_, f64> {
    let level = |m: usize| Compressed { pos: &a.pos[m][..], crd: &a.crd[m][..] };
    Tensor { shape: a.shape, levels: (level(0), level(1), level(2)), vals: &a.vals }
}
