//! The plan of a kernel: its statements one after the other, and how tensors are kept between them.

use std::sync::Arc;

use super::draft::Draft;
use super::kept::Kept;
use super::ranges::ranges;
use super::tree::{Plan, Statement};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::format::Form;
use crate::notation::ast::ValueType;
use crate::notation::check_written;
use crate::notation::concrete::{Kernel, Role, Seen, Stmt};

/// Plans a kernel whose loops are explicit. Each of them has at most `most_cases` cases, with those of the loops inside of it.
///
/// # Errors
///
/// What cannot be computed, in the user's words.
pub fn plan(kernel: &Kernel, statements: &[Stmt], most_cases: usize) -> Result<Plan, Diagnostics> {
    let plan = Statement { kept: vec![None; kernel.tensors.len()], ..Statement::default() };
    check_written(kernel, statements)?;
    let mut draft = Draft { kernel, plan };
    for (at, tensor) in kernel.tensors.iter().enumerate().filter(|(_, tensor)| tensor.role == Role::Param) {
        let scalar = Kept::Scalar { remembers: false };
        draft.plan.kept[at] = Some(tensor.format.as_ref().map_or(scalar, Kept::whole));
    }
    let mut plan = Plan::default();
    for (number, stmt) in statements.iter().enumerate() {
        let mut typed = stmt.clone();
        typed.assigns_mut(&mut |assign| assign.value.typed(&kernel.tensors));
        draft.plan = Statement {
            text: kernel.show(stmt).to_string(),
            orders: kernel.orders.get(number).cloned().unwrap_or_default(),
            kept: std::mem::take(&mut draft.plan.kept),
            written: std::mem::take(&mut draft.plan.written),
            most_cases,
            ..Statement::default()
        };
        views(&mut draft, &typed)?;
        draft.plan.ranges = ranges(&draft, &typed)?;
        draft.decide_all(&typed).map_err(|mistake| *mistake)?;
        draft.plan.stmt = typed;
        plan.statements.push(draft.plan.clone());
        // What was made has levels from here on.
        for assign in &plan.statements[number].made {
            let id = assign.target.tensor;
            if let Some(format) = &kernel.tensor(id).format {
                draft.plan.kept[id.0] = Some(Kept::whole(format));
            }
        }
        draft.plan.written.extend(stmt.written().into_iter().map(|id| kernel.base(id)));
    }
    Ok(plan)
}

/// How the views are kept that a statement accesses: as levels that are walked in part, or as values that are found by coordinates.
fn views(draft: &mut Draft<'_>, stmt: &Stmt) -> Result<(), Diagnostics> {
    let kernel = draft.kernel;
    for access in stmt.accesses() {
        let Some(view) = kernel.views.get(&access.tensor) else { continue };
        let (base, format) = (kernel.tensor(view.of), &kernel.tensor(access.tensor).format);
        let keeps_values = match &draft.kept[view.of.0] {
            Some(Kept::Levels(_)) if kernel.tensor(access.tensor).role == Role::LookedUp => true,
            Some(Kept::Levels(form)) => base.value != ValueType::Pattern && !form.format.ends_in_store(),
            Some(Kept::Array { .. }) => true,
            _ => {
                let message = format!("nothing says how large `{}` is: only a part is accessed here", base.name);
                return Err(Diagnostic::new(access.span, message).into());
            }
        };
        let step = |seen: &Seen| match seen {
            Seen::Slice { step, .. } => Some(*step),
            Seen::Shifted { .. } => Some(1),
            Seen::Index(_) | Seen::Computed(_) => None,
        };
        draft.plan.kept[access.tensor.0] = Some(match format {
            Some(format) => {
                let steps: Vec<Option<usize>> = view.coordinates.iter().map(step).collect();
                let steps = if steps.iter().all(Option::is_none) { Vec::new() } else { steps };
                Kept::Levels(Arc::new(Form { format: format.clone(), steps }))
            }
            None if keeps_values => Kept::View,
            None => {
                let message = format!("`{}` keeps no values of which a part could be taken", base.name);
                return Err(Diagnostic::new(access.span, message).into());
            }
        });
    }
    Ok(())
}
