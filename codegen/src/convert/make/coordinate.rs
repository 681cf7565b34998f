//! The coordinates of a target's levels, computed from those of an entry.

use crate::convert::order;
use crate::format::{Coordinate, Format};
use crate::ir::{self, Expr, Scalar};
use crate::lower::remap::shift;

/// The source's indices, in the order in which its levels give them.
pub(super) fn walked_indices(format: &Format) -> Vec<usize> {
    let mut all: Vec<usize> = (0..format.rank()).collect();
    all.sort_by_key(|&m| format.inverse[m].ready(&format.inverse));
    all
}

/// The coordinate `c` of a level, from its lower bound on, as a `usize`, for an entry at `coords` of a tensor of extents `shape`.
pub(in crate::convert) fn target_coordinate(
    c: &Coordinate,
    coords: &[Expr],
    shape: &[Expr],
    counter: Option<&Expr>,
) -> Expr {
    use crate::format::ast::RemapOp;
    if let Some((m, size)) = order::quotient(c) {
        return coords[m].clone() / ir::usize(size as usize);
    }
    if let Some((m, size)) = order::remainder(c) {
        return coords[m].clone() % ir::usize(size as usize);
    }
    match c {
        Coordinate::Index(m) => coords[*m].clone(),
        Coordinate::Counter(_) => counter.cloned().unwrap_or(ir::usize(0)),
        Coordinate::Binary(RemapOp::Sub, left, right) => match (&**left, &**right, shift(c, shape)) {
            (Coordinate::Index(a), Coordinate::Index(b), Some(shift)) => {
                coords[*a].clone() + shift - coords[*b].clone()
            }
            _ => c.code(coords, counter).cast(Scalar::Usize),
        },
        _ => c.code(coords, counter).cast(Scalar::Usize),
    }
}
