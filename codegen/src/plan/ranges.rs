//! How far the indices of a statement run: as far as the tensors that are accessed with them.

use std::collections::BTreeMap;

use super::choice::Range;
use super::draft::Draft;
use super::kept::Kept;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::notation::concrete::{Access, Index, Role, Stmt, TensorId};

/// Everything that says how far the indices of a statement run.
///
/// # Errors
///
/// An index of which nothing says how far it runs.
pub(super) fn ranges(draft: &Draft<'_>, stmt: &Stmt) -> Result<Vec<Range>, Diagnostics> {
    let mut ranges = Vec::new();
    for access in sized(draft, stmt) {
        let along = |(m, index)| Range { index, along: (access.tensor, m), made_by: None };
        ranges.extend(dimensions(draft, &access).into_iter().map(along));
    }
    workspaces(draft, stmt, &mut ranges);
    let mut lost = None;
    stmt.assigns(&mut |assign| {
        for index in assign.target.indices.iter().chain(&assign.value.indices()) {
            if !ranges.iter().any(|range| range.index == *index) {
                lost = Some((*index, assign.span));
            }
        }
    });
    let Some((index, span)) = lost else { return Ok(ranges) };
    let name = &draft.kernel.indices[index.0];
    let mistake = Diagnostic::new(span, format!("nothing says how far `{name}` runs"));
    Err(mistake.help(format!("access a tensor with `{name}`")).into())
}

/// The accesses of tensors that are made before the statement.
fn sized(draft: &Draft<'_>, stmt: &Stmt) -> Vec<Access> {
    let kernel = draft.kernel;
    let mut accesses = Vec::new();
    stmt.assigns(&mut |assign| {
        assign.reads(&mut |access| accesses.push(access.clone()));
        accesses.push(assign.target.clone());
        // A result that replaces a parameter, under its name, is as large as the parameter.
        let target = kernel.tensor(assign.target.tensor);
        let replaced = kernel.tensors.iter().position(|one| one.role == Role::Param && one.name == target.name);
        if let Some(at) = replaced.filter(|_| target.role == Role::Result) {
            accesses.push(Access { tensor: TensorId(at), ..assign.target.clone() });
        }
    });
    accesses.retain(|access| kernel.tensor(access.tensor).role != Role::Workspace);
    accesses
}

/// The indices along the dimensions of an accessed tensor, each with the number of its dimension; none if the tensor is not made yet. Dimensions
/// of a dense tensor that are accessed at computed coordinates are left out.
fn dimensions(draft: &Draft<'_>, access: &Access) -> Vec<(usize, Index)> {
    let ranged = draft.kernel.ranged(access);
    match &draft.kept[access.tensor.0] {
        Some(Kept::View) => ranged.into_iter().enumerate().collect(),
        Some(Kept::Levels(_) | Kept::Array { .. }) => {
            access.indices.iter().copied().enumerate().filter(|(_, index)| ranged.contains(index)).collect()
        }
        _ => Vec::new(),
    }
}

/// A dimension of a workspace is as long as the index runs that it is written with. Indices that it is read with run as far.
fn workspaces(draft: &Draft<'_>, stmt: &Stmt, ranges: &mut Vec<Range>) {
    let mut made: BTreeMap<TensorId, Vec<Index>> = BTreeMap::new();
    let mut used = Vec::new();
    stmt.assigns(&mut |assign| {
        let of = |id: TensorId| draft.kernel.tensor(id).role == Role::Workspace;
        if of(assign.target.tensor) {
            made.entry(assign.target.tensor).or_insert_with(|| assign.target.indices.clone());
            used.push(assign.target.clone());
        }
        assign.reads(&mut |access| used.extend(of(access.tensor).then(|| access.clone())));
    });
    // An index that gets its range from one workspace may be the one that another workspace is written with.
    for _ in 0..=made.len() {
        for access in &used {
            let Some(made) = made.get(&access.tensor) else { continue };
            for (m, (&index, &by)) in access.indices.iter().zip(made).enumerate() {
                let range = Range { index, along: (access.tensor, m), made_by: Some(by) };
                if index != by && ranges.iter().any(|known| known.index == by) && !ranges.contains(&range) {
                    ranges.push(range);
                }
            }
        }
    }
}
