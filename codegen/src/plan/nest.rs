//! The loops of a statement: which assignments stand in them, and what these access.

use std::collections::BTreeSet;

use crate::notation::concrete::{Access, Assign, Index, Kernel, Stmt, TensorId};
use crate::notation::driven;

/// Calls `f` with each assignment of a statement and the loops around it, those of `path` first.
pub(super) fn assigns_in(stmt: &Stmt, path: &mut Vec<Index>, f: &mut impl FnMut(&Assign, &[Index])) {
    match stmt {
        Stmt::Assign(assign) => f(assign, path),
        Stmt::Forall { index, body, .. } => {
            path.push(*index);
            assigns_in(body, path, f);
            path.pop();
        }
        Stmt::Where { consumer, producer } => {
            assigns_in(producer, path, f);
            assigns_in(consumer, path, f);
        }
        Stmt::Sequence(parts) => parts.iter().for_each(|part| assigns_in(part, path, f)),
    }
}

/// Calls `f` with everything that a statement reads and the loops around it, those of `path` first.
pub(super) fn operands_of(stmt: &Stmt, path: &mut Vec<Index>, f: &mut impl FnMut(&Access, &[Index])) {
    assigns_in(stmt, path, &mut |assign, path| assign.reads(&mut |access| f(access, path)));
}

/// Whether there is a loop in a statement.
pub(super) fn has_loops(stmt: &Stmt) -> bool {
    let mut found = false;
    assigns_in(stmt, &mut Vec::new(), &mut |_, path| found |= !path.is_empty());
    found
}

/// The loops around each assignment to `id`.
pub(super) fn paths(stmt: &Stmt, id: TensorId) -> Vec<Vec<Index>> {
    let mut found = Vec::new();
    assigns_in(stmt, &mut Vec::new(), &mut |assign, path| {
        if assign.target.tensor == id {
            found.push(path.to_vec());
        }
    });
    found
}

/// All that a statement reads.
pub(super) fn reads(stmt: &Stmt) -> Vec<Access> {
    let mut all = Vec::new();
    stmt.assigns(&mut |assign| assign.reads(&mut |access| all.push(access.clone())));
    all
}

/// What a statement reads and writes, assignment by assignment.
pub(crate) fn accesses(stmt: &Stmt) -> Vec<Access> {
    let mut accesses = Vec::new();
    stmt.assigns(&mut |assign| {
        assign.reads(&mut |access| accesses.push(access.clone()));
        accesses.push(assign.target.clone());
    });
    accesses
}

/// The tensors that are written, themselves or in part.
pub(crate) fn written<'s>(kernel: &Kernel, statements: impl IntoIterator<Item = &'s Stmt>) -> BTreeSet<TensorId> {
    statements.into_iter().flat_map(Stmt::written).map(|id| kernel.base(id)).collect()
}

/// Whether a statement is loops around an assignment, and nothing else.
pub(super) fn is_nest(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Assign(_) => true,
        Stmt::Forall { body, .. } => is_nest(body),
        _ => false,
    }
}

/// Whether an operand drives a statement or a part of it, so that loops over coordinates do not make it.
pub(super) fn is_driven(kernel: &Kernel, stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Sequence(parts) => parts.iter().any(|part| is_driven(kernel, part)),
        _ => driven(kernel, stmt).is_some(),
    }
}

/// The statement inside of the loops over `order`, if these are the loops around the assignments to `id`.
pub(super) fn inside<'s>(stmt: &'s Stmt, order: &[Index], id: TensorId) -> Option<&'s Stmt> {
    let Some((first, rest)) = order.split_first() else { return Some(stmt) };
    match stmt {
        Stmt::Forall { index, body, .. } if index == first => inside(body, rest, id),
        Stmt::Where { consumer, producer } if !producer.written().contains(&id) => inside(consumer, order, id),
        _ => None,
    }
}
