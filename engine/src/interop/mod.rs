//! To and from other libraries' matrices, each behind a feature of its name: [`sprs`], [`nalgebra-sparse`](nalgebra_sparse) and
//! [`ndarray`].
//!
//! Arrays that both sides keep alike move from one to the other without a copy. Coordinates have 32 bits here; where the other side
//! has another width they are converted, and the offsets and values move.

#[cfg(feature = "nalgebra-sparse")]
pub mod nalgebra_sparse;
#[cfg(feature = "ndarray")]
pub mod ndarray;
#[cfg(feature = "sprs")]
pub mod sprs;
