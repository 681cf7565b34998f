//! How far the indices of a statement run, and which extents must agree.

use std::collections::{BTreeMap, BTreeSet};

use super::nest::{Lower, Storage};
use crate::format::{Coordinate, FormatLevel};
use crate::ir::{self, Expr as Code, ShapeCheck};
use crate::notation::concrete::{Access, Index, Kernel, Role, Seen, TensorId, View};
use crate::plan::Range;

impl Lower<'_> {
    /// How far the indices of the statement run, and which extents must agree.
    pub(super) fn ranges(&mut self, checks: &mut Vec<ShapeCheck>) {
        let mut said: BTreeMap<Index, (TensorId, usize)> = BTreeMap::new();
        for range in &self.plan.ranges {
            let Range { index, along, made_by } = *range;
            let extent = match made_by {
                Some(by) => self.extent(by),
                None => self.extent_along(along),
            };
            let Some(known) = self.extents.get(&index).filter(|known| **known != extent) else {
                self.extents.entry(index).or_insert(extent);
                said.entry(index).or_insert(along);
                continue;
            };
            let (left, right) = (said[&index], made_by.map_or(along, |by| said[&by]));
            let apart = made_by.is_none() && left.0 == right.0;
            let check = ShapeCheck {
                left: known.clone(),
                left_name: side(self.kernel, left, index, apart),
                right_name: side(self.kernel, right, made_by.unwrap_or(index), apart),
                right: extent,
            };
            // Checks run before the kernel starts, where extents of what it makes are not known.
            let locals = reads_locals(&check.left, self) || reads_locals(&check.right, self);
            if !locals && !checks.contains(&check) {
                checks.push(check);
            }
        }
    }

    /// The extent of one dimension of a tensor.
    fn extent_along(&self, (tensor, m): (TensorId, usize)) -> Code {
        match &self.stores[tensor.0] {
            Some(Storage::Levels(levels)) => levels.seen_extent(m),
            Some(Storage::Dense { shape, .. }) => shape[m].clone(),
            Some(Storage::Viewed(viewed)) => viewed.ranges[m].clone(),
            _ => unreachable!("the plan names tensors that are made"),
        }
    }

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
                    coordinate if coordinate.counts() => {}
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

/// How many values a coordinate can have at most, for indices that run over `extents`; no less than 2^32 if there are more. `lets` are the
/// variables around it.
fn values(coordinate: &Coordinate, extents: &[Code], lets: &mut BTreeMap<usize, Code>) -> Code {
    use crate::format::ast::RemapOp;
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
                (RemapOp::And, _) => left.max(values(right, extents, lets)),
                // A difference has as many values as both together.
                (RemapOp::Add | RemapOp::Sub | RemapOp::Or | RemapOp::Xor, _) => left + values(right, extents, lets),
            }
        }
    }
}

/// Names one dimension of a tensor: by the index that runs along it, or by its number where two dimensions of one tensor differ.
fn side(kernel: &Kernel, (tensor, m): (TensorId, usize), index: Index, apart: bool) -> String {
    let name = &kernel.tensor(tensor).name;
    let apart = apart || kernel.indices[index.0].starts_with("slice_");
    if !apart {
        return format!("`{name}` along `{}`", kernel.indices[index.0]);
    }
    // Dimensions of a view that places are computed in have no number among those that indices run along.
    let runs = |view: &View| {
        let computed = |seen: &Seen| matches!(seen, Seen::Computed(_));
        let mut all = view.coordinates.iter().enumerate().filter(|(_, seen)| !computed(seen));
        all.nth(m).map_or(m, |(dimension, _)| dimension)
    };
    format!("`{name}` along {}", dimension(kernel.views.get(&tensor).map_or(m, runs)))
}

/// What dimension `m` of a tensor is called in messages.
pub(super) fn dimension(m: usize) -> String {
    match ["first", "second", "third", "fourth"].get(m) {
        Some(place) => format!("its {place} index"),
        None => format!("its index number {}", m + 1),
    }
}

/// Whether an extent is computed from what is not a parameter.
pub(super) fn reads_locals(extent: &Code, lower: &Lower<'_>) -> bool {
    let mut params = BTreeSet::new();
    for (at, tensor) in lower.kernel.tensors.iter().enumerate().filter(|(_, tensor)| tensor.role == Role::Param) {
        match &lower.stores[at] {
            Some(Storage::Levels(levels)) => params.extend(levels.shape.iter().filter_map(|extent| match extent {
                Code::Var(var) => Some(*var),
                _ => None,
            })),
            Some(Storage::Scalar { var, .. }) if tensor.format.is_none() => params.extend([*var]),
            _ => {}
        }
    }
    let mut locals = false;
    extent.visit(&mut |part| locals |= part.own_vars().any(|var| !params.contains(&var)));
    locals
}
