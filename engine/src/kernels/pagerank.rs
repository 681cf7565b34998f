//! The kernel of PageRank, `y(i) += A(i,j) * x(j) / d(j)`, as Chou & Amarasinghe measure it (*Dynamic Sparse Tensor Algebra
//! Compilation*, §5.2), and with the division by `d` taken out of the inner loop.
//!
//! `A` is a pattern read by rows: `A(i,j) = 1` where vertex `j` leads to `i`. Time is one visit of every nonzero with one gather
//! from `x` (and one from `d`) each.

use pleach_runtime::{Run, Scalar, SharedOutput};

use crate::Rows;
use crate::rows::sum_row;

/// The length of an array that does not fit the matrix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` has {found} elements, but the matrix has {expected} {mode}")]
pub struct ShapeError {
    /// The array, as it is named in the expression.
    pub name: &'static str,
    /// Its length.
    pub found: usize,
    /// The length that would be right.
    pub expected: usize,
    /// The mode whose length that is.
    pub mode: &'static str,
}

/// Checks one array against one mode of a matrix.
fn check(name: &'static str, found: usize, expected: usize, mode: &'static str) -> Result<(), ShapeError> {
    if found == expected { Ok(()) } else { Err(ShapeError { name, found, expected, mode }) }
}

/// `y(i) += A(i,j) * x(j) / d(j)`, with one division per nonzero.
///
/// `y` has as many elements as `a` has rows; `x` and `d` have as many as it has columns. No element of `d` that a nonzero reads
/// should be zero.
///
/// # Errors
///
/// [`ShapeError`] if a length does not fit.
pub fn divided<A: Rows>(y: &mut [f64], a: &A, x: &[f64], d: &[f64]) -> Result<(), ShapeError> {
    check("y", y.len(), a.num_rows(), "rows")?;
    check("x", x.len(), a.num_cols(), "columns")?;
    check("d", d.len(), a.num_cols(), "columns")?;
    accumulate(y, a, |j| x[j as usize] / d[j as usize]);
    Ok(())
}

/// `y(i) += A(i,j) * w(j)`, where `w(j) = x(j) / d(j)` was computed first.
///
/// # Errors
///
/// [`ShapeError`] if `y` does not have as many elements as `a` has rows, or `w` as it has columns.
pub fn computed_first<A: Rows>(y: &mut [f64], a: &A, w: &[f64]) -> Result<(), ShapeError> {
    check("y", y.len(), a.num_rows(), "rows")?;
    check("w", w.len(), a.num_cols(), "columns")?;
    accumulate(y, a, |j| w[j as usize]);
    Ok(())
}

/// Adds to each `y(i)` the sum of `term(j)` over row `i`.
#[inline(always)]
fn accumulate<A: Rows>(y: &mut [f64], a: &A, term: impl Fn(u32) -> f64 + Sync) {
    let y = SharedOutput::new(y);
    a.par_rows(|i, row| {
        add(y, i, sum_row(row, |run: Run<'_, '_, u32, A::Value>| run.coords().iter().map(|&j| term(j)).sum::<f64>()))
    });
}

/// `y(i) += value`, by the only task that holds row `i`.
#[inline(always)]
fn add<T: Scalar + std::ops::Add<Output = T>>(y: SharedOutput<'_, T>, i: usize, value: T) {
    y.set(i, y.get(i) + value);
}
