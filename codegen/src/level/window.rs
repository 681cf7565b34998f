//! Parts of a dimension: what a slice or a shifted index shows of it.
//!
//! ```text
//! A(i in 2:8:3, j)     i      0 1            first 0   lo 2   step 3
//!                      own    2 5
//! A(i - 2, j)          i      2 3 4 5 …      first 2   lo 0   step 1
//!                      own    0 1 2 3 …
//! ```

use super::{Walk, array_of};
use crate::ir::{self, Expr};

/// The coordinates `lo + step * (c - first)` of a dimension, for `c` from `first` up to `first + len`.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub first: usize,
    pub lo: Expr,
    pub step: usize,
    pub len: Expr,
    /// Whether the part is shifted: the index may begin before the part or run beyond its end.
    pub shifted: bool,
    /// Whether it is known to end where the dimension does.
    pub open: bool,
}

impl Window {
    /// The part of a dimension of `extent` coordinates that `index + by` reaches. The extent of the index is not taken into account.
    pub fn shifted(by: i64, extent: Expr) -> Window {
        let off = by.unsigned_abs() as usize;
        let (first, lo) = if by < 0 { (off, 0) } else { (0, off) };
        Window { first, lo: ir::usize(lo), step: 1, len: less(extent, lo), shifted: true, open: true }
    }

    /// Cuts a shifted part of a dimension of `extent` coordinates at `end`, the extent of its index.
    pub fn end_at(&mut self, end: &Expr, extent: &Expr) {
        let room = less(end.clone(), self.first);
        self.len = match (end == extent, self.first) {
            (true, 0) => return,
            (true, _) => room,
            (false, _) => self.len.clone().min(room),
        };
        self.open = false;
    }

    /// The coordinate of the tensor for coordinate `c` of the part.
    pub fn own(&self, c: Expr) -> Expr {
        let c = if self.first == 0 { c } else { c - ir::usize(self.first) };
        let c = if self.step == 1 { c } else { c * ir::usize(self.step) };
        if self.lo == ir::usize(0) { c } else { c + self.lo.clone() }
    }

    /// The coordinate within the part for a coordinate of the tensor. That coordinate must lie in the part, at a multiple of the step from its
    /// beginning.
    fn part(&self, own: Expr) -> Expr {
        let off = if self.shifted && self.lo == ir::usize(0) { own } else { own - self.lo.clone() };
        let off = if self.step == 1 { off } else { off / ir::usize(self.step) };
        if self.first == 0 { off } else { off + ir::usize(self.first) }
    }

    /// The coordinate of the tensor that is looked up for coordinate `c` of an index, in a dimension of `extent` coordinates, and the condition
    /// that `c` lies in the part, if that is not certain. If the level has a position `everywhere`, the coordinate is not replaced: callers use
    /// the position only where the condition holds.
    pub fn sought(&self, c: Expr, extent: &Expr, everywhere: bool) -> (Expr, Option<Expr>) {
        let own = self.own(c.clone());
        if !self.shifted {
            return (own, None);
        }
        let below = c.clone().less(self.end());
        let inside = if self.first == 0 { below } else { c.greater_equal(ir::usize(self.first)).and(below) };
        // No entry has the extent as its coordinate.
        (if everywhere { own } else { inside.clone().select(own, extent.clone()) }, Some(inside))
    }

    /// Restricts a walk along a dimension of `extent` coordinates to the part. The coordinates become those within the part.
    pub fn walk(self, whole: Walk, extent: &Expr) -> Walk {
        match whole {
            Walk::Positions { lo, hi, coordinate, present } => {
                let Some(array) = array_of(&*coordinate) else {
                    return Walk::Positions { lo, hi, coordinate, present };
                };
                let (from, to) = (Box::new(lo.clone()), Box::new(hi.clone()));
                let seek = |coord| Expr::Seek { array, from: from.clone(), to: to.clone(), coord: Box::new(coord) };
                let from_start = self.shifted && self.lo == ir::usize(0);
                let lo = if from_start { lo } else { seek(self.lo.clone()) };
                let hi = if self.open { hi } else { seek(self.lo.clone() + self.len.clone()) };
                Walk::Positions { lo, hi, coordinate: Box::new(move |p| self.part(coordinate(p))), present }
            }
            Walk::Interval { lo, hi, position } => {
                let all = lo == ir::usize(0) && hi == *extent;
                let part = |own: Expr| self.part(own.max(self.lo.clone())).min(self.end());
                let (lo, hi) = if all { (ir::usize(self.first), self.end()) } else { (part(lo), part(hi)) };
                Walk::Interval { lo, hi, position: Box::new(move |c| position(self.own(c))) }
            }
            walk => walk,
        }
    }

    /// One past the last coordinate within the part.
    fn end(&self) -> Expr {
        if self.first == 0 { self.len.clone() } else { self.len.clone() + ir::usize(self.first) }
    }

    /// The coordinate within the part for coordinate `c` of the tensor, and the condition that `c` lies in the part.
    pub fn seen(&self, c: Expr) -> (Expr, Expr) {
        let beyond = self.lo.clone() + self.len.clone() * ir::usize(self.step);
        let within = c.clone().greater_equal(self.lo.clone()).and(c.clone().less(beyond));
        let seen = self.part(c.clone());
        if self.step == 1 {
            return (seen, within);
        }
        (seen, within.and(((c - self.lo.clone()) % ir::usize(self.step)).equal(ir::usize(0))))
    }
}

/// `length - n`, or 0 if `length` is smaller.
fn less(length: Expr, n: usize) -> Expr {
    if n == 0 { length } else { length.max(ir::usize(n)) - ir::usize(n) }
}
