//! A workspace for a part of an expression.

use super::{Transformed, names};
use crate::diagnostic::Diagnostic;
use crate::notation::ast::ValueType;
use crate::notation::concrete::{Access, Assign, Expr, Index, Kernel, Stmt};
use crate::notation::{algebra, type_of};

/// Computes `part` of the right side once for all values of `indices`, into a workspace `name(indices)` that the statement then
/// reads. The workspace is filled as far outside as the other indices of `part` allow.
///
/// # Errors
///
/// If the part does not stand in the statement, or one of the indices does not stand in it.
pub fn precompute(kernel: &mut Kernel, stmt: &Stmt, part: &Expr, indices: &[Index], name: &str) -> Transformed {
    let mut uses = Vec::new();
    stmt.assigns(&mut |assign| {
        if contains(&assign.value, part) {
            uses.push(assign.clone());
        }
    });
    let [assign] = uses.as_slice() else {
        let mut span = None;
        stmt.assigns(&mut |assign| span = span.or(Some(assign.span)));
        let shown = kernel.show_expr(part).to_string();
        let count = if uses.is_empty() { "does not stand in this statement" } else { "stands in it several times" };
        return Err(Diagnostic::new(span.unwrap_or_default(), format!("`{shown}` {count}")).into());
    };
    let own = part.indices();
    if let Some(missing) = indices.iter().find(|index| !own.contains(index)) {
        let (shown, name) = (kernel.show_expr(part).to_string(), names(kernel, &[*missing]));
        return Err(Diagnostic::new(assign.span, format!("{name} is no index of `{shown}`")).into());
    }
    if let Some(id) = stmt.written().into_iter().find(|id| reads(part, *id)) {
        let message = format!("`{}` is written by this statement", kernel.tensor(id).name);
        return Err(Diagnostic::new(assign.span, message).help("compute it in a statement of its own first").into());
    }
    let outer: Vec<Index> = own.into_iter().filter(|index| !indices.contains(index)).collect();
    // Where nothing is stored, the workspace holds what the part is there.
    let fill = algebra::background(part);
    let value = match type_of(part, &kernel.tensors) {
        None => ValueType::F64,
        Some(ValueType::Pattern) => ValueType::Bool,
        Some(ty) => ty,
    };
    let span = assign.span;
    let access = kernel.workspace(name, indices, value, fill, span);
    let producer = Assign { target: access.clone(), mask: None, reduce: None, value: part.clone(), over: None, span };
    let producer = Stmt::foralls(indices.iter().copied(), Stmt::Assign(producer), span);
    let mut consumer = stmt.clone();
    consumer.assigns_mut(&mut |assign| replace(&mut assign.value, part, &access));
    Ok(place(consumer, producer, &outer, &access))
}

/// The `where` around as much of the statement as binds none of the indices `outer`.
fn place(consumer: Stmt, producer: Stmt, outer: &[Index], access: &Access) -> Stmt {
    match consumer {
        Stmt::Forall { index, parallel, body, span } if binds_inside(&body, outer) || outer.contains(&index) => {
            let rest: Vec<Index> = outer.iter().copied().filter(|other| *other != index).collect();
            Stmt::Forall { index, parallel, body: Box::new(place(*body, producer, &rest, access)), span }
        }
        Stmt::Where { consumer, producer: other } if !outer.is_empty() => {
            if consumer.read().contains(&access.tensor) {
                Stmt::Where { consumer: Box::new(place(*consumer, producer, outer, access)), producer: other }
            } else {
                Stmt::Where { consumer, producer: Box::new(place(*other, producer, outer, access)) }
            }
        }
        Stmt::Sequence(parts) => {
            let mut producer = Some(producer);
            Stmt::Sequence(
                parts
                    .into_iter()
                    .map(|part| match part.read().contains(&access.tensor).then(|| producer.take()).flatten() {
                        Some(producer) => place(part, producer, outer, access),
                        None => part,
                    })
                    .collect(),
            )
        }
        consumer => Stmt::Where { consumer: Box::new(consumer), producer: Box::new(producer) },
    }
}

/// Whether loops inside of a statement bind one of the indices.
fn binds_inside(stmt: &Stmt, indices: &[Index]) -> bool {
    match stmt {
        Stmt::Assign(_) => false,
        Stmt::Forall { index, body, .. } => indices.contains(index) || binds_inside(body, indices),
        Stmt::Where { consumer, producer } => binds_inside(consumer, indices) || binds_inside(producer, indices),
        Stmt::Sequence(parts) => parts.iter().any(|part| binds_inside(part, indices)),
    }
}

fn contains(expr: &Expr, part: &Expr) -> bool {
    expr == part || matches!(expr, Expr::Apply(_, args) if args.iter().any(|arg| contains(arg, part)))
}

fn reads(expr: &Expr, id: crate::notation::concrete::TensorId) -> bool {
    let mut found = false;
    expr.accesses(&mut |access| found |= access.tensor == id);
    found
}

fn replace(expr: &mut Expr, part: &Expr, access: &Access) {
    if expr == part {
        *expr = Expr::Access(access.clone());
    } else if let Expr::Apply(_, args) = expr {
        args.iter_mut().for_each(|arg| replace(arg, part, access));
    }
}
