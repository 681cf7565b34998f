//! The product `y = A x` over a semiring, by rows: `y(i) = ⊕ A(i,j) ⊗ x(j)`.
//!
//! Columns of `A` that another worker owns are ghosts: their `x` is gathered in one superstep, 8 bytes each. Every row is whole at its
//! owner, so that results need no exchange.

use super::{IncomingError, check_incoming};
use crate::part::Part;
use crate::wire::Wire;

/// Two operations on numbers, of which `plus` has a neutral element.
pub trait Semiring {
    /// The neutral element of `plus`.
    const ZERO: f64;
    /// Joins terms.
    fn plus(a: f64, b: f64) -> f64;
    /// Joins an entry of the matrix and one of the vector.
    fn times(a: f64, x: f64) -> f64;
}

/// Sums of products.
pub struct PlusTimes;
/// The smallest sum: paths.
pub struct MinPlus;
/// The largest product.
pub struct MaxTimes;
/// Whether there is a pair that is not zero: 1 or 0.
pub struct OrAnd;

impl Semiring for PlusTimes {
    const ZERO: f64 = 0.0;
    fn plus(a: f64, b: f64) -> f64 {
        a + b
    }
    fn times(a: f64, x: f64) -> f64 {
        a * x
    }
}

impl Semiring for MinPlus {
    const ZERO: f64 = f64::INFINITY;
    fn plus(a: f64, b: f64) -> f64 {
        a.min(b)
    }
    fn times(a: f64, x: f64) -> f64 {
        a + x
    }
}

impl Semiring for MaxTimes {
    const ZERO: f64 = f64::NEG_INFINITY;
    fn plus(a: f64, b: f64) -> f64 {
        a.max(b)
    }
    fn times(a: f64, x: f64) -> f64 {
        a * x
    }
}

impl Semiring for OrAnd {
    const ZERO: f64 = 0.0;
    fn plus(a: f64, b: f64) -> f64 {
        f64::from(u8::from(a != 0.0 || b != 0.0))
    }
    fn times(a: f64, x: f64) -> f64 {
        f64::from(u8::from(a != 0.0 && x != 0.0))
    }
}

/// The product of the graph's matrix, whose entries are the weights of arcs (1 without), and a vector with an entry for each vertex of
/// this worker; `incoming` multiplies with its transpose, for which a directed graph must have been loaded with its in-arcs.
///
/// # Errors
///
/// [`IncomingError`]: the transpose is asked for and there are no in-arcs, or a worker has ended.
///
/// # Panics
///
/// If `x` has not one entry for each vertex of this worker.
pub fn multiply<S: Semiring>(
    part: &Part<'_>,
    wire: &mut Wire<'_>,
    incoming: bool,
    x: &[f64],
) -> Result<Vec<f64>, IncomingError> {
    if incoming {
        check_incoming(part)?;
    }
    assert_eq!(x.len(), part.own.len(), "there is an entry for each vertex of this worker");
    let mut gathered = vec![S::ZERO; part.locals()];
    part.own.iter().zip(x).for_each(|(&vertex, &x)| gathered[vertex as usize] = x);
    part.refresh(wire, &mut gathered, ())?;
    let row = |&vertex: &u32| {
        let mut y = S::ZERO;
        part.rows
            .arcs(incoming, vertex, &mut |column, weight| y = S::plus(y, S::times(weight, gathered[column as usize])));
        y
    };
    Ok(part.own.iter().map(row).collect())
}
