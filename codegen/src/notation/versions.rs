//! Sparse results that several statements write: each statement makes a version of its own.
//!
//! ```text
//! C(i,j) = A(i,j)                 C1(i,j) = A(i,j)
//! C(i,j) += B(i,k) * B(k,j)       C2(i,j) += B(i,k) * B(k,j);  C(i,j) = C1(i,j) + C2(i,j)
//! ```
//!
//! A sparse tensor cannot be written in place, but merged with what is added to it. What reads C in between reads the version that
//! is the newest there.
//!
//! A sparse parameter that is written stays as it is, too: what it becomes is returned, under its name and in its format. So
//! `A(i,j) = A(i,j) without D(i,j)` takes an `A` and gives another one back.

use super::concrete::*;
use super::resolve::type_of;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// Splits sparse results that are written more than once.
///
/// # Errors
///
/// Several statements that cannot be split: loops written by hand, and reductions that no operator merges.
pub fn split(kernel: &mut Kernel) -> Result<(), Diagnostics> {
    for at in 0..kernel.tensors.len() {
        let id = TensorId(at);
        let tensor = kernel.tensor(id);
        if tensor.role == Role::Param || tensor.is_full() {
            continue;
        }
        let writers = kernel.body.iter().filter(|statement| writes(statement, id)).count();
        if writers > 1 {
            split_one(kernel, id, writers)?;
        }
    }
    Ok(())
}

/// Splits sparse parameters that are written: their last version is a result.
///
/// # Errors
///
/// The same.
pub fn split_params(kernel: &mut Kernel) -> Result<(), Diagnostics> {
    for at in 0..kernel.tensors.len() {
        let id = TensorId(at);
        let tensor = kernel.tensor(id);
        let by_hand = |statement: &Statement| matches!(statement, Statement::Concrete(_)) && writes(statement, id);
        // Loops written by hand say themselves where each value goes: lowering says what is wrong with that.
        if tensor.role != Role::Param || tensor.is_full() || kernel.body.iter().any(by_hand) {
            continue;
        }
        let writers = kernel.body.iter().filter(|statement| writes(statement, id)).count();
        if writers > 0 {
            kernel.tensors.push(Tensor { role: Role::Result, ..tensor.clone() });
            split_one(kernel, id, writers)?;
        }
    }
    Ok(())
}

fn writes(statement: &Statement, id: TensorId) -> bool {
    match statement {
        Statement::Index(assign) => assign.target.tensor == id,
        Statement::Concrete(stmt) => stmt.written().contains(&id),
    }
}

fn split_one(kernel: &mut Kernel, id: TensorId, writers: usize) -> Result<(), Diagnostics> {
    let tensor = kernel.tensor(id).clone();
    let holds = tensor.role == Role::Param;
    // What the last statement writes.
    let made = if holds { TensorId(kernel.tensors.len() - 1) } else { id };
    let (mut newest, mut written) = (id, 0);
    let mut body = Vec::new();
    for mut statement in std::mem::take(&mut kernel.body) {
        let writes = writes(&statement, id);
        let assign = match &mut statement {
            Statement::Concrete(stmt) if writes => {
                let mut span = tensor.span;
                stmt.assigns(&mut |assign| span = assign.span);
                let message =
                    format!("`{}` is not dense, and is written by this and by another statement", tensor.name);
                return Err(Diagnostic::new(span, message)
                    .help("write all of it in these loops, or write the other statements without loops")
                    .into());
            }
            Statement::Concrete(stmt) => {
                stmt.assigns_mut(&mut |assign| renew(assign, id, newest));
                body.push(statement);
                continue;
            }
            Statement::Index(assign) => assign,
        };
        renew(assign, id, newest);
        if !writes {
            body.push(statement);
            continue;
        }
        written += 1;
        let last = written == writers;
        let version = |kernel: &mut Kernel| {
            if last { made } else { kernel.fresh_tensor(Tensor { role: Role::Temporary, ..tensor.clone() }) }
        };
        match (assign.reduce, written) {
            (None, _) | (_, 1) if assign.reduce.is_none() || !holds => {
                newest = version(kernel);
                assign.target.tensor = newest;
                body.push(statement);
            }
            (None, _) => {}
            (Some(reduce), _) => {
                let operator = match (&assign.over, reduce) {
                    (Some(semiring), _) => Operator::Plus(semiring.clone()),
                    (None, Reduction::Or | Reduction::And) if tensor.value.is_number() => {
                        let message = format!("`{}` is made already, and is not dense", tensor.name);
                        return Err(Diagnostic::new(assign.span, message).help("compute it in one statement").into());
                    }
                    (None, reduce) => reduce.operator(),
                };
                let old = Access { tensor: newest, fill: tensor.fill, ..assign.target.clone() };
                let merge = |value: Expr, target: Access| Assign {
                    target,
                    mask: None,
                    reduce: None,
                    value: Expr::Apply(operator.clone(), vec![Expr::Access(old.clone()), value]),
                    over: assign.over.clone(),
                    span: assign.span,
                };
                let ty = type_of(&assign.value, &kernel.tensors).map_or(tensor.value, |ty| ty.join(tensor.value));
                let own = assign.value.indices().iter().any(|index| !assign.target.indices.contains(index));
                if !own && assign.mask.is_none() {
                    newest = version(kernel);
                    let target = Access { tensor: newest, ..assign.target.clone() };
                    // What is added is converted first.
                    let value = match assign.value.clone() {
                        value if ty == tensor.value => value,
                        value => Expr::Apply(Operator::As(tensor.value), vec![value]),
                    };
                    body.push(Statement::Index(merge(value, target)));
                    continue;
                }
                let fill = assign.over.as_ref().map_or(reduce.identity(tensor.value), |semiring| semiring.zero);
                let added = kernel.fresh_tensor(Tensor { role: Role::Temporary, fill, ..tensor.clone() });
                let added = Access { tensor: added, fill, ..assign.target.clone() };
                body.push(Statement::Index(Assign { target: added.clone(), ..assign.clone() }));
                newest = version(kernel);
                let target = Access { tensor: newest, ..assign.target.clone() };
                body.push(Statement::Index(merge(Expr::Access(added), target)));
            }
        }
    }
    kernel.body = body;
    Ok(())
}

/// Reads `new` in place of `old`.
fn renew(assign: &mut Assign, old: TensorId, new: TensorId) {
    let set = |access: &mut Access| {
        if access.tensor == old {
            access.tensor = new;
        }
    };
    assign.value.accesses_mut(&mut { set });
    if let Some(mask) = &mut assign.mask {
        set(&mut mask.access);
    }
}
