//! A loop whose iterations run at the same time.

use super::{Transformed, made_inside, names};
use crate::diagnostic::Diagnostic;
use crate::notation::concrete::{Index, Kernel, Stmt};

/// Lets the iterations of the loop over `index` run at the same time. Whether the formats of what is written allow it is known
/// when the statement is lowered.
///
/// # Errors
///
/// If there is no such loop, one around or inside of it runs in parallel already, or iterations write the same element without
/// folding it.
pub fn parallelize(kernel: &Kernel, stmt: &Stmt, index: Index) -> Transformed {
    let mut found = false;
    let new = go(kernel, stmt, index, &mut found)?;
    if found {
        return Ok(new);
    }
    let mut span = None;
    stmt.assigns(&mut |assign| span = span.or(Some(assign.span)));
    let message = format!("there is no loop over {} that could run in parallel", names(kernel, &[index]));
    Err(Diagnostic::new(span.unwrap_or_default(), message).into())
}

fn go(kernel: &Kernel, stmt: &Stmt, index: Index, found: &mut bool) -> Transformed {
    Ok(match stmt {
        Stmt::Assign(_) => stmt.clone(),
        Stmt::Forall { index: own, parallel: false, body, span } if *own == index => {
            *found = true;
            if let Some(inner) = parallel_loop(body) {
                let message = format!("the loop over {} runs in parallel inside of this one", names(kernel, &[inner]));
                return Err(Diagnostic::new(*span, message).help("let one of them run in order").into());
            }
            let mut made = Vec::new();
            made_inside(body, &mut made);
            let mut wrong = None;
            body.assigns(&mut |assign| {
                let shared = !assign.target.indices.contains(&index) && !made.contains(&assign.target.tensor);
                if shared && (assign.reduce.is_none() || !assign.target.indices.is_empty()) {
                    wrong = Some(assign.clone());
                }
            });
            if let Some(assign) = wrong {
                let left = kernel.show_access(&assign.target);
                let message = format!("iterations over {} write the same element `{left}`", names(kernel, &[index]));
                return Err(Diagnostic::new(assign.span, message)
                    .help("parallelize a loop whose index stands on the left, or fold into a scalar")
                    .into());
            }
            Stmt::Forall { index, parallel: true, body: body.clone(), span: *span }
        }
        Stmt::Forall { index: own, parallel, body, span } => {
            let body = go(kernel, body, index, found)?;
            if *parallel && *found {
                let message = format!("the loop over {} around this one runs in parallel", names(kernel, &[*own]));
                return Err(Diagnostic::new(*span, message).help("let one of them run in order").into());
            }
            Stmt::Forall { index: *own, parallel: *parallel, body: Box::new(body), span: *span }
        }
        Stmt::Where { consumer, producer } => Stmt::Where {
            consumer: Box::new(go(kernel, consumer, index, found)?),
            producer: Box::new(go(kernel, producer, index, found)?),
        },
        Stmt::Sequence(parts) => {
            Stmt::Sequence(parts.iter().map(|part| go(kernel, part, index, found)).collect::<Result<_, _>>()?)
        }
    })
}

fn parallel_loop(stmt: &Stmt) -> Option<Index> {
    match stmt {
        Stmt::Assign(_) => None,
        Stmt::Forall { index, parallel: true, .. } => Some(*index),
        Stmt::Forall { body, .. } => parallel_loop(body),
        Stmt::Where { consumer, producer } => parallel_loop(consumer).or_else(|| parallel_loop(producer)),
        Stmt::Sequence(parts) => parts.iter().find_map(parallel_loop),
    }
}
