//! The bounds of slices lie within their tensors.

use super::{Checks, dimension};
use crate::ir::{self, Expr, Scalar, ShapeCheck};
use crate::notation::ast::ValueType;
use crate::notation::concrete::{Bound, TensorId};

/// A dimension of a tensor of which a slice is accessed.
pub(crate) struct Sliced<'a> {
    pub tensor: TensorId,
    pub dimension: usize,
    pub extent: &'a Expr,
}

impl Checks<'_> {
    /// A bound of a slice must not be below 0; `value` is that of a scalar, of which a negative number would become a huge extent.
    pub fn not_below_0(&mut self, of: &Sliced<'_>, bound: &Bound, value: Option<Expr>) {
        let (Bound::Scalar(id), Some(value)) = (bound, value) else { return };
        let scalar = self.kernel.tensor(*id);
        let number = match scalar.value {
            ValueType::I64 => value,
            ValueType::I32 => value.cast(Scalar::I64),
            _ => return,
        };
        let (name, along) = (&self.kernel.tensor(of.tensor).name, dimension(of.dimension));
        let zero = || ir::lit(ir::Literal::I64(0));
        // The message has the distance from 0: as an extent, a number below 0 would be a huge one.
        let below = number.clone().less(zero()).select(zero() - number, zero());
        let check = ShapeCheck {
            left: ir::usize(0),
            left_name: format!("the range below 0 that a slice of `{name}` may cover along {along}"),
            right: below.cast(Scalar::Usize),
            right_name: format!("the range below 0 that its negative bound `{}` covers", scalar.name),
        };
        self.add(check);
    }

    /// The slice between two bounds, which stops before `end`, must end within the tensor.
    pub fn ends_within(&mut self, of: &Sliced<'_>, (lo, hi): (&Bound, &Bound), end: &Expr) {
        let shown = |bound: &Bound| match bound {
            Bound::Const(n) => n.to_string(),
            Bound::Scalar(id) => self.kernel.tensor(*id).name.clone(),
        };
        let (name, along) = (&self.kernel.tensor(of.tensor).name, dimension(of.dimension));
        let left_name = format!("`{name}` along {along}, as far as the slice `{}:{}`", shown(lo), shown(hi));
        let (left, right_name) = (end.clone().min(of.extent.clone()), "the end of the slice".into());
        self.add(ShapeCheck { left, left_name, right: end.clone(), right_name });
    }
}
