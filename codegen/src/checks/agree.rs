//! Tensors that one index runs along have the same extent there.

use super::{Checks, dimension};
use crate::ir::{Expr, ShapeCheck};
use crate::notation::concrete::{Index, Seen, TensorId, View};

/// A dimension of a tensor, the index that runs along it, and its extent.
pub(crate) struct Side {
    pub along: (TensorId, usize),
    pub index: Index,
    pub extent: Expr,
}

impl Checks<'_> {
    /// Two dimensions must have the same extent. A dimension of a workspace is `made` as long as the index runs that it is written with.
    pub fn agree(&mut self, left: Side, right: Side, made: bool) {
        let apart = !made && self.kernel.base(left.along.0) == self.kernel.base(right.along.0);
        let (left_name, right_name) = (self.side(&left, apart), self.side(&right, apart));
        self.add(ShapeCheck { left: left.extent, left_name, right: right.extent, right_name });
    }

    /// Names a dimension of a tensor: by the index that runs along it, or by its number where two dimensions of one tensor differ.
    fn side(&self, side: &Side, apart: bool) -> String {
        let (tensor, m) = side.along;
        let name = &self.kernel.tensor(tensor).name;
        if !apart && !self.is_unnamed(side.index) {
            return format!("`{name}` along `{}`", self.kernel.indices[side.index.0]);
        }
        // Dimensions of a view that are accessed at computed coordinates have no number among those that indices run along.
        let runs = |view: &View| {
            let computed = |seen: &Seen| matches!(seen, Seen::Computed(_));
            let mut all = view.coordinates.iter().enumerate().filter(|(_, seen)| !computed(seen));
            all.nth(m).map_or(m, |(dimension, _)| dimension)
        };
        format!("`{name}` along {}", dimension(self.kernel.views.get(&tensor).map_or(m, runs)))
    }
}
