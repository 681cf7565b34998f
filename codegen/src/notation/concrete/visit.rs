//! Walks over statements and expressions.

use std::collections::BTreeSet;

use super::*;
use crate::diagnostic::Span;
use crate::notation::ast::{Literal, ValueType};

impl Statement {
    /// Calls `f` with each assignment.
    pub fn assigns(&self, f: &mut impl FnMut(&Assign)) {
        match self {
            Statement::Index(assign) => f(assign),
            Statement::Concrete(stmt) => stmt.assigns(f),
        }
    }

    /// Calls `f` with each assignment, to be changed.
    pub fn assigns_mut(&mut self, f: &mut impl FnMut(&mut Assign)) {
        match self {
            Statement::Index(assign) => f(assign),
            Statement::Concrete(stmt) => stmt.assigns_mut(f),
        }
    }
}

impl Expr {
    /// Calls `f` with every access, from left to right.
    pub fn accesses<'e>(&'e self, f: &mut impl FnMut(&'e Access)) {
        match self {
            Expr::Access(access) => f(access),
            Expr::Apply(_, args) => args.iter().for_each(|arg| arg.accesses(f)),
            _ => {}
        }
    }

    /// Calls `f` with every access, to change it.
    pub fn accesses_mut(&mut self, f: &mut impl FnMut(&mut Access)) {
        match self {
            Expr::Access(access) => f(access),
            Expr::Apply(_, args) => args.iter_mut().for_each(|arg| arg.accesses_mut(f)),
            _ => {}
        }
    }

    /// The index variables that occur, as indices or as values, in order of appearance.
    pub fn indices(&self) -> Vec<Index> {
        fn go(expr: &Expr, found: &mut Vec<Index>) {
            let mut add = |index: Index| {
                if !found.contains(&index) {
                    found.push(index);
                }
            };
            match expr {
                Expr::Index(index) => add(*index),
                Expr::Access(access) => access.indices.iter().copied().for_each(add),
                Expr::Apply(_, args) => args.iter().for_each(|arg| go(arg, found)),
                Expr::Literal(_) | Expr::Argument(_) => {}
            }
        }
        let mut found = Vec::new();
        go(self, &mut found);
        found
    }

    /// Whether `index` occurs, as an index or as a value.
    pub fn uses(&self, index: Index) -> bool {
        match self {
            Expr::Index(found) => *found == index,
            Expr::Access(access) => access.indices.contains(&index),
            Expr::Apply(_, args) => args.iter().any(|arg| arg.uses(index)),
            Expr::Literal(_) | Expr::Argument(_) => false,
        }
    }

    /// Whether there is a selection in it.
    pub(crate) fn has_selection(&self) -> bool {
        match self {
            Expr::Apply(op, args) => matches!(op, Operator::Select) || args.iter().any(Expr::has_selection),
            _ => false,
        }
    }

    /// Puts [`Operator::As`] around the operands of operators that have a type of their own, such as comparisons. This fixes the type in
    /// which they are computed. It has to be done before the expression is simplified, since a constant has no type.
    pub fn typed(&mut self, tensors: &[Tensor]) {
        let Expr::Apply(op, args) = self else { return };
        args.iter_mut().for_each(|arg| arg.typed(tensors));
        if op.has_own_type() {
            let ty = crate::notation::type_among(args, tensors).unwrap_or(ValueType::F64);
            for arg in args.iter_mut() {
                let inner = std::mem::replace(arg, Expr::Literal(Literal::Int(0)));
                *arg = Expr::Apply(Operator::As(ty), vec![inner]);
            }
        }
    }

    /// The expression with `arguments` for the parameters.
    pub fn with_arguments(&self, arguments: &[Expr]) -> Expr {
        match self {
            Expr::Argument(at) => arguments[*at].clone(),
            Expr::Apply(op, args) => {
                Expr::Apply(op.clone(), args.iter().map(|arg| arg.with_arguments(arguments)).collect())
            }
            other => other.clone(),
        }
    }
}

impl Default for Stmt {
    /// The statement that does nothing.
    fn default() -> Stmt {
        Stmt::Sequence(Vec::new())
    }
}

impl Stmt {
    /// `forall(i, forall(j, … S))` for the indices in their order.
    pub fn foralls(
        indices: impl IntoIterator<Item = Index, IntoIter: DoubleEndedIterator>,
        body: Stmt,
        span: Span,
    ) -> Stmt {
        indices.into_iter().rev().fold(body, |body, index| Stmt::Forall {
            index,
            parallel: false,
            body: Box::new(body),
            span,
        })
    }

    /// Calls `f` with every assignment.
    pub fn assigns<'s>(&'s self, f: &mut impl FnMut(&'s Assign)) {
        match self {
            Stmt::Assign(assign) => f(assign),
            Stmt::Forall { body, .. } => body.assigns(f),
            Stmt::Where { consumer, producer } => {
                producer.assigns(f);
                consumer.assigns(f);
            }
            Stmt::Sequence(parts) => parts.iter().for_each(|part| part.assigns(f)),
        }
    }

    /// All assignments, in order.
    pub(crate) fn all_assigns(&self) -> Vec<&Assign> {
        let mut all = Vec::new();
        self.assigns(&mut |assign| all.push(assign));
        all
    }

    /// Calls `f` with every assignment, to change it.
    pub fn assigns_mut(&mut self, f: &mut impl FnMut(&mut Assign)) {
        match self {
            Stmt::Assign(assign) => f(assign),
            Stmt::Forall { body, .. } => body.assigns_mut(f),
            Stmt::Where { consumer, producer } => {
                producer.assigns_mut(f);
                consumer.assigns_mut(f);
            }
            Stmt::Sequence(parts) => parts.iter_mut().for_each(|part| part.assigns_mut(f)),
        }
    }

    /// The tensors that are written, each once.
    pub fn written(&self) -> Vec<TensorId> {
        let mut found = Vec::new();
        self.assigns(&mut |assign| {
            if !found.contains(&assign.target.tensor) {
                found.push(assign.target.tensor);
            }
        });
        found
    }

    /// The tensors that are read, masks among them, each once.
    pub fn read(&self) -> Vec<TensorId> {
        let mut found = Vec::new();
        self.assigns(&mut |assign| {
            assign.reads(&mut |access| {
                if !found.contains(&access.tensor) {
                    found.push(access.tensor);
                }
            });
        });
        found
    }
}

impl Stmt {
    /// Calls `f` with each assignment and the loops around it, those of `path` first.
    pub(crate) fn assigns_in<'s>(&'s self, path: &mut Vec<Index>, f: &mut impl FnMut(&'s Assign, &[Index])) {
        match self {
            Stmt::Assign(assign) => f(assign, path),
            Stmt::Forall { index, body, .. } => {
                path.push(*index);
                body.assigns_in(path, f);
                path.pop();
            }
            Stmt::Where { consumer, producer } => {
                producer.assigns_in(path, f);
                consumer.assigns_in(path, f);
            }
            Stmt::Sequence(parts) => parts.iter().for_each(|part| part.assigns_in(path, f)),
        }
    }

    /// Calls `f` with each access that is read and the loops around it, those of `path` first.
    pub(crate) fn reads_in<'s>(&'s self, path: &[Index], f: &mut impl FnMut(&'s Access, &[Index])) {
        self.assigns_in(&mut path.to_vec(), &mut |assign, path| assign.reads(&mut |access| f(access, path)));
    }

    /// The loops around each assignment to `id`.
    pub(crate) fn paths(&self, id: TensorId) -> Vec<Vec<Index>> {
        let mut found = Vec::new();
        self.assigns_in(&mut Vec::new(), &mut |assign, path| {
            found.extend((assign.target.tensor == id).then(|| path.to_vec()));
        });
        found
    }

    /// All accesses that are read, in order.
    pub(crate) fn reads(&self) -> Vec<&Access> {
        let mut all = Vec::new();
        self.assigns(&mut |assign| assign.reads(&mut |access| all.push(access)));
        all
    }

    /// All accesses that are read or written: for each assignment what it reads, then its target.
    pub(crate) fn accesses(&self) -> Vec<&Access> {
        let mut all = Vec::new();
        self.assigns(&mut |assign| {
            assign.reads(&mut |access| all.push(access));
            all.push(&assign.target);
        });
        all
    }

    /// Whether it contains a loop.
    pub(crate) fn has_loops(&self) -> bool {
        match self {
            Stmt::Assign(_) => false,
            Stmt::Forall { .. } => true,
            Stmt::Where { consumer, producer } => producer.has_loops() || consumer.has_loops(),
            Stmt::Sequence(parts) => parts.iter().any(Stmt::has_loops),
        }
    }

    /// Whether it consists of loops around one assignment.
    pub(crate) fn is_nest(&self) -> bool {
        match self {
            Stmt::Assign(_) => true,
            Stmt::Forall { body, .. } => body.is_nest(),
            _ => false,
        }
    }

    /// The statement inside of the loops over `order`, if exactly these loops surround the assignments to `id`.
    pub(crate) fn inside(&self, order: &[Index], id: TensorId) -> Option<&Stmt> {
        let Some((first, rest)) = order.split_first() else { return Some(self) };
        match self {
            Stmt::Forall { index, body, .. } if index == first => body.inside(rest, id),
            Stmt::Where { consumer, producer } if !producer.written().contains(&id) => consumer.inside(order, id),
            _ => None,
        }
    }
}

impl Kernel {
    /// The tensors that statements write, as a whole or in part.
    pub(crate) fn written<'s>(&self, statements: impl IntoIterator<Item = &'s Stmt>) -> BTreeSet<TensorId> {
        statements.into_iter().flat_map(Stmt::written).map(|id| self.base(id)).collect()
    }
}

impl Kernel {
    /// The workspaces that a statement makes anew each time it runs.
    pub(crate) fn made_inside(&self, stmt: &Stmt) -> Vec<TensorId> {
        match stmt {
            Stmt::Assign(_) => Vec::new(),
            Stmt::Forall { body, .. } => self.made_inside(body),
            Stmt::Where { consumer, producer } => {
                let mut found = producer.written();
                found.retain(|id| self.tensor(*id).role == Role::Workspace);
                found.extend(self.made_inside(producer));
                found.extend(self.made_inside(consumer));
                found
            }
            Stmt::Sequence(parts) => parts.iter().flat_map(|part| self.made_inside(part)).collect(),
        }
    }
}

impl Access {
    /// Whether no index stands in it twice.
    pub(crate) fn is_distinct(&self) -> bool {
        self.indices.iter().enumerate().all(|(m, index)| !self.indices[..m].contains(index))
    }
}

impl Assign {
    /// Calls `f` with everything that is read: the accesses of the value, then the mask.
    pub fn reads<'a>(&'a self, f: &mut impl FnMut(&'a Access)) {
        self.value.accesses(f);
        if let Some(mask) = &self.mask {
            f(&mask.access);
        }
    }
}
