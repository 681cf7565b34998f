//! How far the indices of a statement run, and which extents must agree.

use std::collections::{BTreeMap, BTreeSet};

use super::nest::{Lower, Storage};
use crate::format::{Coordinate, FormatLevel};
use crate::ir::{self, Expr as Code, ShapeCheck};
use crate::notation::concrete::{Access, Index, Kernel, Role, TensorId};
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
                    // A difference has as many values as both indices together. Other computed coordinates are taken to have no more
                    // values than the longest of them.
                    Coordinate::Binary(op, ..) => {
                        let extents = assign.target.indices.iter().map(|index| self.extents[index].clone());
                        let difference = *op == crate::format::ast::RemapOp::Sub;
                        if let Some(all) = extents.reduce(|a, b| if difference { a + b } else { a.max(b) }) {
                            check(all, "its computed coordinate".into());
                        }
                    }
                    _ => {}
                }
            }
        });
    }
}

/// Names one dimension of a tensor: by the index that runs along it, or by its number where two dimensions of one tensor differ.
fn side(kernel: &Kernel, (tensor, m): (TensorId, usize), index: Index, apart: bool) -> String {
    let name = &kernel.tensor(tensor).name;
    let apart = apart || kernel.indices[index.0].starts_with("slice_");
    match ["first", "second", "third", "fourth"].get(m) {
        _ if !apart => format!("`{name}` along `{}`", kernel.indices[index.0]),
        Some(place) => format!("`{name}` along its {place} index"),
        None => format!("`{name}` along its index number {}", m + 1),
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
