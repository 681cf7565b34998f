//! Parts of a dimension: what a slice shows of it.

use crate::ir::{self, Expr};

/// The coordinates `lo + step * c` of a dimension, `c` below `len`.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub lo: Expr,
    pub step: usize,
    pub len: Expr,
}

impl Window {
    /// The coordinate of the tensor for coordinate `c` of the part.
    pub fn own(&self, c: Expr) -> Expr {
        let c = if self.step == 1 { c } else { c * ir::usize(self.step) };
        if self.lo == ir::usize(0) { c } else { c + self.lo.clone() }
    }

    /// The coordinate within the part for coordinate `c` of the tensor, and the condition that `c` lies in the part.
    pub(crate) fn seen(&self, c: Expr) -> (Expr, Expr) {
        let off = c.clone() - self.lo.clone();
        let beyond = self.lo.clone() + self.len.clone() * ir::usize(self.step);
        let within = c.clone().greater_equal(self.lo.clone()).and(c.less(beyond));
        if self.step == 1 {
            return (off, within);
        }
        let step = || ir::usize(self.step);
        (off.clone() / step(), within.and((off % step()).equal(ir::usize(0))))
    }
}
