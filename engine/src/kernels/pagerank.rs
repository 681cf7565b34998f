//! The kernel of PageRank, `y(i) += A(i,j) * x(j) / d(j)`, as Chou & Amarasinghe measure it (*Dynamic Sparse Tensor Algebra
//! Compilation*, §5.2), and with the division by `d` taken out of the inner loop. Compiled from `pagerank.pleach`.
//!
//! Time is one visit of every nonzero with one gather from `x` (and one from `d`) each. Whatever values the rows hold, only their
//! pattern counts.

include!("generated.rs");
