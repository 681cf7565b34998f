//! Whether the coordinates of what is made fit into the 32 bits that levels keep of each.

use std::collections::BTreeMap;

use super::nest::Lower;
use super::ranges::reads_locals;
use crate::format::ast::RemapOp;
use crate::format::{Coordinate, FormatLevel};
use crate::ir::{self, Expr as Code, ShapeCheck};
use crate::notation::concrete::{Access, Index, Role};

impl Lower<'_> {
    /// Checks that the coordinates of what is made fit into the 32 bits that levels have for each. An index that an operand keeps in such a
    /// level fits, and is not checked.
    pub(super) fn check_width(&self, checks: &mut Vec<ShapeCheck>) {
        let (kernel, stmt) = (self.kernel, &self.plan.stmt);
        let kept = |access: &Access| -> Vec<Index> {
            let format = kernel.tensor(access.tensor).format.as_ref();
            let levels = format.into_iter().flat_map(|format| &format.levels).filter(|level| level.keeps_coordinates());
            let index = |level: &FormatLevel| match level.coordinate {
                Coordinate::Index(m) => access.indices.get(m).copied(),
                _ => None,
            };
            levels.filter_map(index).collect()
        };
        let mut narrow: Vec<Index> = Vec::new();
        stmt.assigns(&mut |assign| assign.reads(&mut |access| narrow.extend(kept(access))));
        let most = || ir::usize(crate::level::GAP as usize);
        stmt.assigns(&mut |assign| {
            let tensor = kernel.tensor(assign.target.tensor);
            let Some(format) = tensor.format.as_ref().filter(|_| matches!(tensor.role, Role::Result | Role::Temporary))
            else {
                return;
            };
            let mut check = |extent: Code, name: String| {
                let left_name = format!("`{}` along {name}, which has 32 bits for a coordinate,", tensor.name);
                let check = ShapeCheck { left: extent.clone().min(most()), left_name, right: extent, right_name: name };
                if !reads_locals(&check.right, self) && !checks.contains(&check) {
                    checks.push(check);
                }
            };
            for level in format.levels.iter().filter(|level| level.keeps_coordinates()) {
                match &level.coordinate {
                    Coordinate::Index(m) => {
                        let index = assign.target.indices[*m];
                        if !narrow.contains(&index) {
                            check(self.extents[&index].clone(), format!("`{}`", kernel.indices[index.0]));
                        }
                    }
                    coordinate if coordinate.counts() || largest(coordinate, &mut BTreeMap::new()).is_some() => {}
                    coordinate => {
                        let extents: Vec<Code> =
                            assign.target.indices.iter().map(|index| self.extents[index].clone()).collect();
                        check(values(coordinate, &extents, &mut BTreeMap::new()), "its computed coordinate".into());
                    }
                }
            }
        });
    }
}

/// The largest value that a coordinate can have, whatever its indices are, if that is known and fits 32 bits: that of bits which are cut out
/// of indices. `lets` are the variables around it.
fn largest(coordinate: &Coordinate, lets: &mut BTreeMap<usize, Option<u64>>) -> Option<u64> {
    let found = match coordinate {
        Coordinate::Const(n) => u64::try_from(*n).ok()?,
        Coordinate::Var(n) => lets.get(n).copied().flatten()?,
        Coordinate::Let(n, value, body) => {
            let value = largest(value, lets);
            lets.insert(*n, value);
            largest(body, lets)?
        }
        Coordinate::Binary(op, left, right) => {
            let (left, right) = (largest(left, lets), largest(right, lets));
            match op {
                RemapOp::And => left.into_iter().chain(right).min()?,
                RemapOp::Rem => right?.saturating_sub(1),
                RemapOp::Div | RemapOp::Shr => left?,
                RemapOp::Add | RemapOp::Or | RemapOp::Xor => left? + right?,
                RemapOp::Mul => left?.checked_mul(right?)?,
                RemapOp::Shl => left?.checked_mul(1u64.checked_shl(u32::try_from(right?).ok()?)?)?,
                RemapOp::Sub => return None,
            }
        }
        Coordinate::Index(_) | Coordinate::Counter(_) | Coordinate::Neg(_) => return None,
    };
    (found < u64::from(crate::level::GAP)).then_some(found)
}

/// How many values a coordinate can have at most, for indices that run over `extents`; no less than 2^32 if there are more. `lets` are the
/// variables around it.
fn values(coordinate: &Coordinate, extents: &[Code], lets: &mut BTreeMap<usize, Code>) -> Code {
    match coordinate {
        Coordinate::Index(m) => extents[*m].clone(),
        Coordinate::Const(n) => ir::usize(usize::try_from(*n).unwrap_or(0).saturating_add(1)),
        Coordinate::Var(n) => lets.get(n).cloned().unwrap_or(ir::usize(0)),
        Coordinate::Counter(_) => ir::usize(0),
        Coordinate::Neg(of) => values(of, extents, lets),
        Coordinate::Let(n, value, body) => {
            let value = values(value, extents, lets);
            lets.insert(*n, value);
            values(body, extents, lets)
        }
        Coordinate::Binary(op, left, right) => {
            let constant = if let Coordinate::Const(n) = **right { usize::try_from(n).ok() } else { None };
            let left = values(left, extents, lets);
            match (op, constant) {
                (RemapOp::Rem, Some(n)) => left.min(ir::usize(n)),
                (RemapOp::Div | RemapOp::Shr | RemapOp::Rem, _) => left,
                // Cut off, so that the product is right or too large, and does not overflow.
                (RemapOp::Shl, Some(n)) => left.min(ir::usize(1 << 32)) * ir::usize(1 << n.min(31)),
                (RemapOp::Mul | RemapOp::Shl, _) => {
                    left.min(ir::usize(1 << 32)) * values(right, extents, lets).min(ir::usize(1 << 31))
                }
                (RemapOp::And, _) => left.min(values(right, extents, lets)),
                // A difference has as many values as both together.
                (RemapOp::Add | RemapOp::Sub | RemapOp::Or | RemapOp::Xor, _) => left + values(right, extents, lets),
            }
        }
    }
}
