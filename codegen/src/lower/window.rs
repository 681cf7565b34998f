//! Parts of a dimension: what a slice or a shifted index shows of it.
//!
//! ```text
//! A(i in 2:8:3, j)     i      0 1            first 0   lo 2   step 3
//!                      own    2 5
//! A(i - 2, j)          i      2 3 4 5 …      first 2   lo 0   step 1
//!                      own    0 1 2 3 …
//! ```

use crate::ir::{self, Expr};

/// The coordinates `lo + step * (c - first)` of a dimension, for `c` from `first` up to `first + len`.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub first: usize,
    pub lo: Expr,
    pub step: usize,
    pub len: Expr,
    /// Whether the part is shifted: an index may run further than it does, or begin before.
    pub shifted: bool,
    /// Whether it is known to end where the dimension does.
    pub open: bool,
}

impl Window {
    /// The part of a dimension of `extent` coordinates that an index sees which `by` is added to, however far the index runs.
    pub fn shifted(by: i64, extent: Expr) -> Window {
        let off = by.unsigned_abs() as usize;
        let (first, lo) = if by < 0 { (off, 0) } else { (0, off) };
        Window { first, lo: ir::usize(lo), step: 1, len: less(extent, lo), shifted: true, open: true }
    }

    /// Ends a shifted part of a dimension of `extent` coordinates where its index ends, which runs up to `end`.
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

    /// The coordinate within the part for a coordinate of the tensor that lies in it and is off its beginning by a multiple of the step.
    pub fn part(&self, own: Expr) -> Expr {
        let off = if self.shifted && self.lo == ir::usize(0) { own } else { own - self.lo.clone() };
        let off = if self.step == 1 { off } else { off / ir::usize(self.step) };
        if self.first == 0 { off } else { off + ir::usize(self.first) }
    }

    /// Whether the part has a coordinate that its index may have.
    pub fn has(&self, c: Expr) -> Expr {
        let below = c.clone().less(self.end());
        if self.first == 0 { below } else { c.greater_equal(ir::usize(self.first)).and(below) }
    }

    /// One past the last coordinate within the part.
    pub fn end(&self) -> Expr {
        if self.first == 0 { self.len.clone() } else { self.len.clone() + ir::usize(self.first) }
    }

    /// The coordinate within the part for coordinate `c` of the tensor, and the condition that `c` lies in the part.
    pub(super) fn seen(&self, c: Expr) -> (Expr, Expr) {
        let beyond = self.lo.clone() + self.len.clone() * ir::usize(self.step);
        let within = c.clone().greater_equal(self.lo.clone()).and(c.clone().less(beyond));
        let seen = self.part(c.clone());
        if self.step == 1 {
            return (seen, within);
        }
        (seen, within.and(((c - self.lo.clone()) % ir::usize(self.step)).equal(ir::usize(0))))
    }
}

/// How much longer `length` is than `n`.
fn less(length: Expr, n: usize) -> Expr {
    if n == 0 { length } else { length.max(ir::usize(n)) - ir::usize(n) }
}
