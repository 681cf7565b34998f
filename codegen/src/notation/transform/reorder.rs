//! Loops in another order.

use super::{Transformed, names};
use crate::diagnostic::Diagnostic;
use crate::notation::concrete::{Index, Kernel, Stmt};

/// Puts loops that are nested directly inside of one another in the order of `order`.
///
/// # Errors
///
/// If the loops are not nested so, run in parallel, or compute something else in another order.
pub fn reorder(kernel: &Kernel, stmt: &Stmt, order: &[Index]) -> Transformed {
    if let Some(twice) = order.iter().enumerate().find(|(at, index)| order[..*at].contains(index)) {
        let name = names(kernel, &[*twice.1]);
        return Err(Diagnostic::new(span(stmt), format!("{name} stands in the new order twice")).into());
    }
    let mut found = false;
    let new = find(kernel, stmt, order, &mut found)?;
    match found || order.is_empty() {
        true => Ok(new),
        false => {
            let message = format!("there are no loops over {} to be reordered", names(kernel, order));
            Err(Diagnostic::new(span(stmt), message).into())
        }
    }
}

/// Reorders the nest that begins with one of the loops.
fn find(kernel: &Kernel, stmt: &Stmt, order: &[Index], found: &mut bool) -> Transformed {
    Ok(match stmt {
        Stmt::Assign(_) => stmt.clone(),
        Stmt::Forall { index, .. } if order.contains(index) && !*found => {
            *found = true;
            nest(kernel, stmt, order)?
        }
        Stmt::Forall { index, parallel, body, span } => Stmt::Forall {
            index: *index,
            parallel: *parallel,
            body: Box::new(find(kernel, body, order, found)?),
            span: *span,
        },
        Stmt::Where { consumer, producer } => {
            let consumer = find(kernel, consumer, order, found)?;
            Stmt::Where { consumer: Box::new(consumer), producer: Box::new(find(kernel, producer, order, found)?) }
        }
        Stmt::Sequence(parts) => {
            Stmt::Sequence(parts.iter().map(|part| find(kernel, part, order, found)).collect::<Result<_, _>>()?)
        }
    })
}

fn nest(kernel: &Kernel, stmt: &Stmt, order: &[Index]) -> Transformed {
    let mut loops = Vec::new();
    let mut inner = stmt;
    while let Stmt::Forall { index, parallel, body, span } = inner {
        if loops.len() == order.len() {
            break;
        }
        if !order.contains(index) {
            let message = format!("the loop over {} stands between those to be reordered", names(kernel, &[*index]));
            return Err(Diagnostic::new(*span, message).help("name it in the new order, too").into());
        }
        if *parallel {
            let message = format!("the loop over {} runs in parallel", names(kernel, &[*index]));
            return Err(Diagnostic::new(*span, message).help("reorder first, then parallelize").into());
        }
        loops.push((*index, *span));
        inner = body;
    }
    if loops.len() < order.len() {
        let missing: Vec<Index> =
            order.iter().copied().filter(|index| loops.iter().all(|(known, _)| known != index)).collect();
        let message =
            format!("the loops over {} are not nested directly inside of the others", names(kernel, &missing));
        return Err(Diagnostic::new(span(stmt), message)
            .note("what stands between two loops belongs to each iteration of the outer one")
            .into());
    }
    check(kernel, inner)?;
    let by_index = |index: &Index| loops.iter().find(|(known, _)| known == index).map_or(span(stmt), |(_, span)| *span);
    Ok(order.iter().rev().fold(inner.clone(), |body, index| Stmt::Forall {
        index: *index,
        parallel: false,
        body: Box::new(body),
        span: by_index(index),
    }))
}

/// Whether the iterations of the loops around `body` may run in any order: no iteration reads what another one writes, and what
/// is written several times is folded.
fn check(kernel: &Kernel, body: &Stmt) -> Result<(), Box<Diagnostic>> {
    let mut made = Vec::new();
    super::made_inside(body, &mut made);
    let mut targets = Vec::new();
    body.assigns(&mut |assign| targets.push(assign.target.clone()));
    let mut wrong = None;
    body.assigns(&mut |assign| {
        assign.reads(&mut |access| {
            let elsewhere = targets.iter().any(|t| t.tensor == access.tensor && t.indices != access.indices);
            if elsewhere && !made.contains(&access.tensor) {
                wrong = Some((access.tensor, assign.span));
            }
        });
    });
    match wrong {
        None => Ok(()),
        Some((id, span)) => {
            let name = &kernel.tensor(id).name;
            Err(Diagnostic::new(span, format!("iterations read what others write of `{name}`: their order matters"))
                .into())
        }
    }
}

fn span(stmt: &Stmt) -> crate::diagnostic::Span {
    let mut first = None;
    stmt.assigns(&mut |assign| first = first.or(Some(assign.span)));
    first.unwrap_or_default()
}
