//! How far the indices of a statement run, and which extents must agree.

use std::collections::{BTreeMap, BTreeSet};

use super::nest::Lower;
use super::stored::Storage;
use crate::ir::{Expr as Code, ShapeCheck};
use crate::notation::concrete::{Bound, Index, Kernel, Role, Seen, TensorId};
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
            let apart = made_by.is_none() && self.kernel.base(left.0) == self.kernel.base(right.0);
            let check = ShapeCheck {
                left: known.clone(),
                left_name: side(self.kernel, left, index, apart),
                right_name: side(self.kernel, right, made_by.unwrap_or(index), apart),
                right: extent,
            };
            self.check(checks, check);
        }
    }

    /// Adds a check, unless it reads the extent of a tensor that the kernel makes: checks run before the kernel starts.
    pub(super) fn check(&self, checks: &mut Vec<ShapeCheck>, check: ShapeCheck) {
        let locals = reads_locals(&check.left, self) || reads_locals(&check.right, self);
        if !locals && !checks.contains(&check) {
            checks.push(check);
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
}

/// Names one dimension of a tensor: by the index that runs along it, or by its number where two dimensions of one tensor differ.
fn side(kernel: &Kernel, (tensor, m): (TensorId, usize), index: Index, apart: bool) -> String {
    let name = &kernel.tensor(tensor).name;
    // Dimensions of a view that places are computed in have no number among those that indices run along.
    let seen = kernel.views.get(&tensor).into_iter().flat_map(|view| view.coordinates.iter().enumerate());
    let seen = seen.filter(|(_, seen)| !matches!(seen, Seen::Computed(_))).nth(m);
    let part = match seen {
        Some((_, Seen::Slice { lo, hi, step, .. })) => {
            format!("the slice `{}` of ", slice(kernel, lo, hi.as_ref(), *step))
        }
        _ => String::new(),
    };
    let along = match apart || is_unnamed(kernel, index) {
        true => dimension(seen.map_or(m, |(dimension, _)| dimension)),
        false => format!("`{}`", kernel.indices[index.0]),
    };
    format!("{part}`{name}` along {along}")
}

/// A slice as it is written.
fn slice(kernel: &Kernel, lo: &Bound, hi: Option<&Bound>, step: usize) -> String {
    let lo = if *lo == Bound::Const(0) { String::new() } else { bound(kernel, lo) };
    let hi = hi.map_or(String::new(), |hi| bound(kernel, hi));
    let step = if step == 1 { String::new() } else { format!(":{step}") };
    format!("{lo}:{hi}{step}")
}

/// A bound of a slice as it is written.
pub(super) fn bound(kernel: &Kernel, bound: &Bound) -> String {
    match bound {
        Bound::Const(n) => n.to_string(),
        Bound::Scalar(id) => kernel.tensor(*id).name.clone(),
    }
}

/// Whether an index is one of a slice that the statement does not name.
pub(super) fn is_unnamed(kernel: &Kernel, index: Index) -> bool {
    kernel.indices[index.0].starts_with("slice_")
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
