//! Walks over statements and the variables that they mention.

use super::{Place, Stmt, Test, Value, VarId, VarKind, Vars, Yield};
use crate::schema::model::{Field, Model, Target};

/// The field at a place.
pub fn field<'m>(model: &'m Model, vars: &Vars, place: &Place) -> &'m Field {
    match vars.get(place.node).kind {
        VarKind::Node(Target::Node(node)) => model.node(node).field(place.field),
        kind => unreachable!("{kind:?} has no fields"),
    }
}

/// Statements inside of a statement.
pub fn bodies(stmt: &Stmt) -> Vec<&Vec<Stmt>> {
    match stmt {
        Stmt::If { then, otherwise, .. } => vec![then, otherwise],
        Stmt::Match { arms, .. } => arms.iter().map(|arm| &arm.body).collect(),
        Stmt::For { body, .. } | Stmt::Loop { body, .. } => vec![body],
        _ => Vec::new(),
    }
}

/// Statements inside of a statement.
pub fn bodies_mut(stmt: &mut Stmt) -> Vec<&mut Vec<Stmt>> {
    match stmt {
        Stmt::If { then, otherwise, .. } => vec![then, otherwise],
        Stmt::Match { arms, .. } => arms.iter_mut().map(|arm| &mut arm.body).collect(),
        Stmt::For { body, .. } | Stmt::Loop { body, .. } => vec![body],
        _ => Vec::new(),
    }
}

/// Calls `f` on every statement, outer ones first.
pub fn visit<'a>(stmts: &'a [Stmt], f: &mut impl FnMut(&'a Stmt)) {
    for stmt in stmts {
        f(stmt);
        for body in bodies(stmt) {
            visit(body, f);
        }
    }
}

/// Whether `f` holds for any statement.
pub fn any(stmts: &[Stmt], f: &mut impl FnMut(&Stmt) -> bool) -> bool {
    stmts.iter().any(|stmt| f(stmt) || bodies(stmt).into_iter().any(|body| any(body, f)))
}

/// How many statements there are, those inside of others included.
pub fn size(stmts: &[Stmt]) -> usize {
    stmts.iter().map(|stmt| 1 + bodies(stmt).into_iter().map(|body| size(body)).sum::<usize>()).sum()
}

/// How deep statements lie inside of each other.
pub fn depth(stmts: &[Stmt]) -> usize {
    stmts.iter().map(|stmt| 1 + bodies(stmt).into_iter().map(|body| depth(body)).max().unwrap_or(0)).max().unwrap_or(0)
}

/// The variables that a statement itself mentions: in its places, as values, and those it assigns. Not those of the
/// statements inside of it.
pub(in crate::derive) fn vars_mut(stmt: &mut Stmt) -> Vec<&mut VarId> {
    fn of_place(place: &mut Place) -> impl Iterator<Item = &mut VarId> {
        std::iter::once(&mut place.node).chain(place.slot.as_mut())
    }
    fn of_value(value: &mut Value) -> Vec<&mut VarId> {
        match value {
            Value::Var(var) => vec![var],
            Value::Child(place) => of_place(place).collect(),
            Value::Zero => Vec::new(),
        }
    }
    fn of_yield(run: &mut Yield) -> Vec<&mut VarId> {
        match run {
            Yield::One(place) | Yield::Run(place) | Yield::Slots(place) => of_place(place).collect(),
            Yield::Stretch { array, lo, hi } => of_place(array).chain([lo, hi]).collect(),
        }
    }
    match stmt {
        Stmt::Yield(run) => of_yield(run),
        Stmt::Call { argument, .. } => of_value(argument),
        Stmt::Let { var, value } | Stmt::Set { var, value } => {
            let mut vars = of_value(value);
            vars.push(var);
            vars
        }
        Stmt::Next(var) => vec![var],
        Stmt::If { test, .. } => match test {
            Test::Some { value, bound } => {
                let mut vars = of_value(value);
                vars.push(bound);
                vars
            }
            Test::Within { slot, arrays } => {
                std::iter::once(slot).chain(arrays.iter_mut().flat_map(of_place)).collect()
            }
            Test::Present(run) => of_yield(run),
            Test::Stretch { array, from, lo, hi } => of_place(array).chain([from, lo, hi]).collect(),
        },
        Stmt::Match { node, arms } => std::iter::once(node).chain(arms.iter_mut().map(|arm| &mut arm.var)).collect(),
        Stmt::For { slot, arrays, .. } => std::iter::once(slot).chain(arrays.iter_mut().flat_map(of_place)).collect(),
        Stmt::Goto(jump) | Stmt::Push(jump) => jump.arguments.iter_mut().flat_map(of_value).collect(),
        Stmt::Suspend { run, resume } => {
            let mut vars = of_yield(run);
            vars.extend(resume.arguments.iter_mut().flat_map(of_value));
            vars
        }
        Stmt::Loop { .. } | Stmt::Again(_) | Stmt::Return => Vec::new(),
    }
}
