//! Stage 2: null checks move from a coroutine to its callers, and calls of itself at its end become a loop.
//!
//! What remains of a list's coroutine is a loop; of a search tree's, one recursive call instead of two. Paper: §4.3,
//! Figure 11b.

use super::ir::{Label, ProcId, Program, Stmt, Test, Value, Var, VarKind, Vars, bodies_mut, field};
use crate::schema::model::Model;

/// Moves null checks to the callers and turns tail calls into loops.
pub fn tail<'m>(coroutine: &Program<'m>) -> Program<'m> {
    let mut program = coroutine.clone();
    let visited: Vec<_> = program.procs.iter_mut().map(|proc| unwrap_null_check(&mut proc.body)).collect();
    for (at, bound) in visited.into_iter().enumerate() {
        let proc = &mut program.procs[at];
        // The parameter is not null any more, so it takes the place of what was known not to be.
        if let Some(bound) = bound {
            let param = proc.param;
            super::rename(&mut proc.body, &mut |var| if var == bound { param } else { var });
        }
        check_arguments(program.model, &mut program.vars, &mut program.procs[at].body);
    }
    tail_calls(&mut program);
    super::names::unique_in_program(&mut program);
    program
}

/// Takes `if n: …` off a body that is nothing else.
fn unwrap_null_check(body: &mut Vec<Stmt>) -> Option<super::ir::VarId> {
    match &mut body[..] {
        [Stmt::If { test: Test::Some { value: Value::Var(_), bound }, then, otherwise }] if otherwise.is_empty() => {
            let bound = *bound;
            *body = std::mem::take(then);
            Some(bound)
        }
        _ => None,
    }
}

/// Asks before every call whether its argument is null, if it may be.
fn check_arguments(model: &Model, vars: &mut Vars, body: &mut [Stmt]) {
    for stmt in body {
        if let Stmt::Call { proc, argument: Value::Child(place) } = stmt
            && field(model, vars, place).slots().is_some_and(|slots| !slots.nonempty)
        {
            let (proc, value) = (*proc, Value::Child(*place));
            let field = field(model, vars, place);
            let crate::schema::model::FieldKind::Child { target, .. } = field.kind else { continue };
            let name = field.name.clone();
            vars.0.push(Var { name, kind: VarKind::Node(target), alias: Some(value) });
            let bound = super::ir::VarId(vars.0.len() - 1);
            *stmt = Stmt::If {
                test: Test::Some { value, bound },
                then: vec![Stmt::Call { proc, argument: Value::Var(bound) }],
                otherwise: Vec::new(),
            };
            continue;
        }
        for body in bodies_mut(stmt) {
            check_arguments(model, vars, body);
        }
    }
}

/// Turns every procedure's calls of itself at its end into a loop around it.
pub(super) fn tail_calls(program: &mut Program<'_>) {
    for at in 0..program.procs.len() {
        let label = match &program.procs[at].body[..] {
            [Stmt::Loop { label, .. }] => *label,
            _ => program.label(),
        };
        let proc = &mut program.procs[at];
        let param = proc.param;
        if !replace(&mut proc.body, ProcId(at), param, label) {
            continue;
        }
        if !matches!(&proc.body[..], [Stmt::Loop { label: outermost, .. }] if *outermost == label) {
            proc.body = vec![Stmt::Loop { label, body: std::mem::take(&mut proc.body) }];
        }
    }
}

/// Replaces calls of `proc` in tail position by `param := argument, again`. Says whether there was one.
fn replace(body: &mut Vec<Stmt>, proc: ProcId, param: super::ir::VarId, label: Label) -> bool {
    match body.last_mut() {
        Some(Stmt::Call { proc: callee, argument }) if *callee == proc => {
            let value = *argument;
            body.pop();
            body.extend([Stmt::Set { var: param, value }, Stmt::Again(label)]);
            true
        }
        // What follows a `for` body is its next round, not the end of the procedure.
        Some(Stmt::For { .. }) | None => false,
        Some(stmt) => {
            let mut any = false;
            for body in bodies_mut(stmt) {
                any |= replace(body, proc, param, label);
            }
            any
        }
    }
}
