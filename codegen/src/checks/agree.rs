//! Tensors that one index runs along have the same extent there.

use super::{Checks, dimension};
use crate::ir::{Expr, ShapeCheck};
use crate::notation::concrete::{Bound, Index, Seen, TensorId};

/// A dimension of a tensor, the index that runs along it, and its extent.
pub(crate) struct Side {
    pub along: (TensorId, usize),
    pub index: Index,
    pub extent: Expr,
}

impl Checks<'_> {
    /// Two dimensions must have the same extent. `made`: the one on the right is a dimension of a workspace, which is as long as the index that
    /// writes it.
    pub fn agree(&mut self, left: Side, right: Side, made: bool) {
        let apart = !made && self.kernel.base(left.along.0) == self.kernel.base(right.along.0);
        let (left_name, right_name) = (self.side(&left, apart), self.side(&right, apart));
        self.add(ShapeCheck { left: left.extent, left_name, right: right.extent, right_name });
    }

    /// Names a dimension of a tensor, or the slice of it: by the index that runs along it, or by its number where two dimensions of one tensor
    /// differ.
    fn side(&self, side: &Side, apart: bool) -> String {
        let (tensor, m) = side.along;
        let name = &self.kernel.tensor(tensor).name;
        // Dimensions of a view that are accessed at computed coordinates have no number among those that indices run along.
        let seen = self.kernel.views.get(&tensor).into_iter().flat_map(|view| view.coordinates.iter().enumerate());
        let seen = seen.filter(|(_, seen)| !matches!(seen, Seen::Computed(_))).nth(m);
        let part = match seen {
            Some((_, Seen::Slice { lo, hi, step, .. })) => {
                format!("the slice `{}` of ", self.slice(lo, hi.as_ref(), *step))
            }
            _ => String::new(),
        };
        let along = match apart || self.is_unnamed(side.index) {
            true => dimension(seen.map_or(m, |(dimension, _)| dimension)),
            false => format!("`{}`", self.kernel.indices[side.index.0]),
        };
        format!("{part}`{name}` along {along}")
    }

    /// A slice as it is written.
    fn slice(&self, lo: &Bound, hi: Option<&Bound>, step: usize) -> String {
        let lo = if *lo == Bound::Const(0) { String::new() } else { self.bound(lo) };
        let hi = hi.map_or(String::new(), |hi| self.bound(hi));
        let step = if step == 1 { String::new() } else { format!(":{step}") };
        format!("{lo}:{hi}{step}")
    }

    /// A bound of a slice as it is written.
    pub(super) fn bound(&self, bound: &Bound) -> String {
        match bound {
            Bound::Const(n) => n.to_string(),
            Bound::Scalar(id) => self.kernel.tensor(*id).name.clone(),
        }
    }
}
