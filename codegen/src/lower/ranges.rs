//! How far the indices of a statement run, and which extents must agree.

use std::collections::{BTreeMap, BTreeSet};

use super::nest::{Lower, Storage};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::format::{Coordinate, FormatLevel};
use crate::ir::{self, Expr as Code, ShapeCheck};
use crate::notation::concrete::{Access, Index, Kernel, Role, Stmt, TensorId};

/// How far the indices of a statement run, and which extents must agree.
pub(super) fn ranges(lower: &mut Lower<'_>, stmt: &Stmt, checks: &mut Vec<ShapeCheck>) -> Result<(), Diagnostics> {
    lower.extents.clear();
    let mut said: BTreeMap<Index, (TensorId, usize)> = BTreeMap::new();
    let mut accesses = Vec::new();
    stmt.assigns(&mut |assign| {
        assign.reads(&mut |access| accesses.push(access.clone()));
        accesses.push(assign.target.clone());
        // What takes the place of a parameter is as large.
        let target = lower.kernel.tensor(assign.target.tensor);
        let own = |tensor: &crate::notation::concrete::Tensor| tensor.role == Role::Param && tensor.name == target.name;
        if let Some(at) = lower.kernel.tensors.iter().position(own).filter(|_| target.role == Role::Result) {
            accesses.push(Access { tensor: TensorId(at), ..assign.target.clone() });
        }
    });
    for access in accesses {
        let shape = match &lower.stores[access.tensor.0] {
            Some(Storage::Levels(levels)) => levels.seen_shape(),
            Some(Storage::Dense { shape, .. }) => shape.clone(),
            Some(Storage::Viewed(viewed)) => viewed.ranges.iter().map(|(_, extent)| extent.clone()).collect(),
            _ => continue,
        };
        let indices: Vec<Index> = match &lower.stores[access.tensor.0] {
            Some(Storage::Viewed(viewed)) => viewed.ranges.iter().map(|(m, _)| access.indices[*m]).collect(),
            _ => access.indices.clone(),
        };
        for (m, (index, extent)) in indices.into_iter().zip(shape).enumerate() {
            match lower.extents.get(&index) {
                None => {
                    lower.extents.insert(index, extent);
                    said.insert(index, (access.tensor, m));
                }
                Some(known) if *known != extent => {
                    let (left, right) = (said[&index], (access.tensor, m));
                    let check = ShapeCheck {
                        left: known.clone(),
                        left_name: side(lower.kernel, left, index, left.0 == right.0),
                        right: extent,
                        right_name: side(lower.kernel, right, index, left.0 == right.0),
                    };
                    let about_params = !check_reads_locals(&check, lower);
                    if about_params && !checks.contains(&check) {
                        checks.push(check);
                    }
                }
                Some(_) => {}
            }
        }
    }
    workspace_ranges(lower, stmt, &mut said, checks);
    let mut lost = None;
    stmt.assigns(&mut |assign| {
        for index in assign.target.indices.iter().chain(&assign.value.indices()) {
            if !lower.extents.contains_key(index) {
                lost = Some((*index, assign.span));
            }
        }
    });
    match lost {
        None => Ok(()),
        Some((index, span)) => {
            let name = &lower.kernel.indices[index.0];
            Err(Diagnostic::new(span, format!("nothing says how far `{name}` runs"))
                .help(format!("access a tensor with `{name}`"))
                .into())
        }
    }
}

/// Checks that the coordinates of what is made fit into the 32 bits that levels have for each. What another tensor keeps so does.
pub(super) fn check_width(lower: &Lower<'_>, stmt: &Stmt, checks: &mut Vec<ShapeCheck>) {
    let kernel = lower.kernel;
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
            if !reads_locals(&check.right, lower) && !checks.contains(&check) {
                checks.push(check);
            }
        };
        for level in format.levels.iter().filter(|level| level.keeps_coordinates()) {
            match &level.coordinate {
                Coordinate::Index(m) => {
                    let index = assign.target.indices[*m];
                    if !narrow.contains(&index) {
                        check(lower.extents[&index].clone(), format!("`{}`", kernel.indices[index.0]));
                    }
                }
                // A difference has as many values as both have together; what else is computed has no more than its indices.
                Coordinate::Binary(op, ..) => {
                    let extents = assign.target.indices.iter().map(|index| lower.extents[index].clone());
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

/// A workspace is as large as the indices that it is written with: where others read it, they run as far.
fn workspace_ranges(
    lower: &mut Lower<'_>,
    stmt: &Stmt,
    said: &mut BTreeMap<Index, (TensorId, usize)>,
    checks: &mut Vec<ShapeCheck>,
) {
    let mut made: BTreeMap<TensorId, Vec<Index>> = BTreeMap::new();
    let mut used = Vec::new();
    stmt.assigns(&mut |assign| {
        let of = |id: TensorId| lower.kernel.tensor(id).role == Role::Workspace;
        if of(assign.target.tensor) {
            made.entry(assign.target.tensor).or_insert_with(|| assign.target.indices.clone());
            used.push(assign.target.clone());
        }
        assign.reads(&mut |access| used.extend(of(access.tensor).then(|| access.clone())));
    });
    // What one workspace says of an index, another one may need to know.
    for _ in 0..=made.len() {
        for access in &used {
            let Some(made) = made.get(&access.tensor) else { continue };
            for (m, (&index, by)) in access.indices.iter().zip(made).enumerate() {
                let (known, own) = (lower.extents.get(&index).cloned(), lower.extents.get(by).cloned());
                match (known, own) {
                    (None, Some(own)) => {
                        lower.extents.insert(index, own);
                        said.insert(index, (access.tensor, m));
                    }
                    (Some(known), Some(own)) if known != own => {
                        let check = ShapeCheck {
                            left: known,
                            left_name: side(lower.kernel, said[&index], index, false),
                            right: own,
                            right_name: side(lower.kernel, said[by], *by, false),
                        };
                        if !check_reads_locals(&check, lower) && !checks.contains(&check) {
                            checks.push(check);
                        }
                    }
                    _ => {}
                }
            }
        }
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

/// Whether a check reads what is not a parameter: then it cannot be made before the kernel starts.
fn check_reads_locals(check: &ShapeCheck, lower: &Lower<'_>) -> bool {
    [&check.left, &check.right].iter().any(|side| reads_locals(side, lower))
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
    extent.visit(&mut |part| locals |= part.own_vars().iter().any(|var| !params.contains(var)));
    locals
}
