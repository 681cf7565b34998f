//! Where the cells of tensors lie, and what they hold.

use super::known::{Known, constant};
use super::number::Number;
use super::run::{Env, Run, Statement};
use crate::notation::ast::{BinaryOp, Expr, ExprKind, Literal, Name, ValueType};

impl Run<'_> {
    pub(super) fn cell(
        &self,
        name: &str,
        indices: &[Expr],
        env: &Env,
        s: &Statement<'_>,
        ty: ValueType,
    ) -> Result<Known, String> {
        let at = self.position(name, indices, env)?;
        let tensor = &self.tensors[name];
        if let (None, true) = (at, tensor.full) {
            // Outside of a tensor that holds a value everywhere there is its fill, as a value like any other. Under `over` that is the
            // semiring's zero, unless it was declared.
            let zero = s.over.filter(|_| tensor.fill.is_none()).map(|semiring| constant(&semiring.zero));
            let fill = zero.map_or(tensor.fill(), |zero| zero.cast(tensor.value));
            return Ok(Known::Computed(fill.cast(ty)));
        }
        Ok(match at.and_then(|at| tensor.cells[at]) {
            Some(x) => Known::Computed(x.cast(tensor.value).cast(ty)),
            None => {
                let open = tensor.fill.is_none() && !tensor.full;
                let zero = s.over.filter(|_| open).map(|semiring| constant(&semiring.zero));
                Known::Constant(match (zero, tensor.fill) {
                    // What a semiring holds where nothing is stored is infinite for integers too, and so is `inf` as a constant of a
                    // computation without one.
                    (Some(zero), _) if zero.float().is_infinite() => zero,
                    (Some(zero), _) => zero.cast(ty),
                    (None, Some(fill)) if s.over.is_none() && fill.float().is_infinite() => fill,
                    (None, Some(fill)) => fill.cast(ty),
                    (None, None) => Number::Int(0).cast(ty),
                })
            }
        })
    }

    pub(super) fn has_entry(&self, name: &str, indices: &[Expr], env: &Env) -> Result<bool, String> {
        let at = self.position(name, indices, env)?;
        let tensor = &self.tensors[name];
        Ok(match at.and_then(|at| tensor.cells[at]) {
            Some(x) if tensor.by_value => x != tensor.fill(),
            cell => cell.is_some(),
        })
    }

    /// Where a cell lies; `None` if it lies outside of the tensor, as one at computed coordinates may, or if the tensor has no cells.
    pub(super) fn position(&self, name: &str, indices: &[Expr], env: &Env) -> Result<Option<usize>, String> {
        let tensor = self.tensors.get(name).ok_or_else(|| format!("no tensor {name}"))?;
        if indices.len() != tensor.shape.len() {
            return Err(format!("{name} has {} dimensions", tensor.shape.len()));
        }
        if tensor.cells.is_empty() {
            return Ok(None);
        }
        let mut at = 0;
        for (index, extent) in indices.iter().zip(&tensor.shape) {
            let coord = self.coordinate(index, env)?;
            let Some(coord) = usize::try_from(coord).ok().filter(|coord| coord < extent) else {
                return match index.kind {
                    ExprKind::Name(_) | ExprKind::Slice(_) => Err(format!("{index} = {coord} lies outside of {name}")),
                    _ => Ok(None),
                };
            };
            at = at * extent + coord;
        }
        Ok(Some(at))
    }

    pub(super) fn coordinate(&self, coordinate: &Expr, env: &Env) -> Result<i64, String> {
        let of = |index: &Name| env.get(&index.text).map(|&c| c as i64).ok_or_else(|| format!("{index} has no value"));
        match &coordinate.kind {
            ExprKind::Name(index) => of(index),
            ExprKind::Slice(slice) => {
                Ok(self.bound(slice.lo.as_deref())?.unwrap_or(0) as i64 + of(&slice.index)? * slice.step)
            }
            ExprKind::Literal(Literal::Int(n)) => i64::try_from(*n).map_err(|why| why.to_string()),
            ExprKind::Neg(inner) => Ok(-self.coordinate(inner, env)?),
            ExprKind::Binary { op, left, right } => {
                let (a, b) = (self.coordinate(left, env)?, self.coordinate(right, env)?);
                match op {
                    BinaryOp::Add => Ok(a + b),
                    BinaryOp::Sub => Ok(a - b),
                    BinaryOp::Mul => Ok(a * b),
                    BinaryOp::Div if b > 0 => Ok(a.div_euclid(b)),
                    BinaryOp::Rem if b > 0 => Ok(a.rem_euclid(b)),
                    _ => Err(format!("{} is no operator of coordinates", op.symbol())),
                }
            }
            _ => Err(format!("{coordinate} is no coordinate")),
        }
    }

    /// The value of a slice's bound, if it has one.
    pub(super) fn bound(&self, bound: Option<&Expr>) -> Result<Option<usize>, String> {
        Ok(match bound.map(|bound| &bound.kind) {
            None => None,
            Some(ExprKind::Literal(Literal::Int(n @ 0..))) => Some(*n as usize),
            Some(ExprKind::Name(name)) => {
                let scalar = self.tensors.get(&name.text).ok_or_else(|| format!("no scalar {name}"))?;
                let value = scalar.values()[0].float();
                if value < 0.0 {
                    return Err(format!("a slice begins and ends at numbers of 0 or more, and {name} is {value}"));
                }
                Some(value as usize)
            }
            Some(_) => return Err("a bound is a number or a scalar".into()),
        })
    }
}

/// Index variables as coordinates.
pub(super) fn plain(indices: &[Name]) -> Vec<Expr> {
    indices.iter().map(|index| Expr { kind: ExprKind::Name(index.clone()), span: index.span }).collect()
}

/// Every combination of coordinates below `extents`, in row-major order.
pub(super) fn all(extents: &[usize]) -> Vec<Vec<usize>> {
    extents.iter().fold(vec![Vec::new()], |prefixes, &extent| {
        prefixes.iter().flat_map(|prefix| (0..extent).map(|at| [prefix.as_slice(), &[at]].concat())).collect()
    })
}
