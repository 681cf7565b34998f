//! Slices: the part of a dimension that each of them shows, and that it lies within the tensor.

use super::{Checks, dimension};
use crate::ir::{self, Expr, Scalar, ShapeCheck};
use crate::level::Window;
use crate::notation::ast::ValueType;
use crate::notation::concrete::{Bound, Seen, TensorId, View};

/// A dimension of a tensor of which a slice is accessed.
struct Sliced<'a> {
    tensor: TensorId,
    dimension: usize,
    extent: &'a Expr,
}

impl Checks<'_> {
    /// What each slice of a view shows. A slice of a parameter must end within it; any other one ends where the tensor does. `scalar` has the
    /// value of a bound that is a scalar.
    pub fn windows(
        &mut self,
        view: &View,
        shape: &[Expr],
        scalar: &dyn Fn(&Bound) -> Option<Expr>,
    ) -> Vec<Option<Window>> {
        let bound = |bound: &Bound| match bound {
            Bound::Const(n) => ir::usize(*n),
            Bound::Scalar(_) => scalar(bound).map_or(ir::usize(0), |value| value.cast(Scalar::Usize)),
        };
        let mut windows = Vec::new();
        for (m, (seen, extent)) in view.coordinates.iter().zip(shape).enumerate() {
            let (lo, hi, step) = match seen {
                Seen::Slice { lo, hi, step, .. } => (lo, hi, step),
                Seen::Shifted { by, .. } => {
                    windows.push(Some(Window::shifted(*by, extent.clone())));
                    continue;
                }
                Seen::Index(_) | Seen::Computed(_) => {
                    windows.push(None);
                    continue;
                }
            };
            let (first, end) = (bound(lo), hi.as_ref().map_or(extent.clone(), bound));
            let sliced = Sliced { tensor: view.of, dimension: m, extent };
            for limit in std::iter::once(lo).chain(hi) {
                self.not_below_0(&sliced, limit, scalar(limit));
            }
            let end = match hi {
                Some(_) if self.reads_locals(extent) => end.min(extent.clone()),
                Some(hi) => {
                    self.ends_within(&sliced, (lo, hi), &end);
                    end
                }
                None => end,
            };
            let span = match (&first, &end) {
                (Expr::Literal(ir::Literal::Usize(first)), Expr::Literal(ir::Literal::Usize(end))) => {
                    ir::usize(end.saturating_sub(*first).div_ceil(*step))
                }
                (Expr::Literal(ir::Literal::Usize(0)), _) => whole_steps(end, *step),
                _ => whole_steps(end.max(first.clone()) - first.clone(), *step),
            };
            windows.push(Some(Window { first: 0, lo: first, step: *step, len: span, shifted: false, open: false }));
        }
        windows
    }

    /// A bound of a slice must not be below 0; `value` is that of a scalar, of which a negative number would become a huge extent.
    fn not_below_0(&mut self, of: &Sliced<'_>, bound: &Bound, value: Option<Expr>) {
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
    fn ends_within(&mut self, of: &Sliced<'_>, (lo, hi): (&Bound, &Bound), end: &Expr) {
        let (name, along) = (&self.kernel.tensor(of.tensor).name, dimension(of.dimension));
        let left_name = format!("`{name}` along {along}, as far as the slice `{}:{}`", self.bound(lo), self.bound(hi));
        let (left, right_name) = (end.clone().min(of.extent.clone()), "the end of the slice".into());
        self.add(ShapeCheck { left, left_name, right: end.clone(), right_name });
    }
}

/// How many steps cover `length`.
fn whole_steps(length: Expr, step: usize) -> Expr {
    if step == 1 { length } else { (length + ir::usize(step - 1)) / ir::usize(step) }
}
