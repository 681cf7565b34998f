//! Statements: loops, assignments, masks.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Resolver;
use super::check::{negative, own_slices, unfit};
use super::expression::numeric;
use crate::diagnostic::{Diagnostic, Span};
use crate::notation::algebra::converted;
use crate::notation::ast::{self, AssignOp, StmtKind, ValueType};
use crate::notation::concrete::*;
use crate::notation::types::{type_into, type_of};

impl<'a> Resolver<'a> {
    pub(super) fn stmt(&mut self, stmt: &'a ast::Stmt, bound: &mut Vec<Index>) -> Option<Stmt> {
        match &stmt.kind {
            StmtKind::Assign(assign) => self.assign(assign, stmt.span, Some(bound)).map(Stmt::Assign),
            StmtKind::Forall { index, parallel, body } => {
                let index_id = self.index(index);
                if bound.contains(&index_id) {
                    self.wrong(index.span, format!("`{index}` runs already, in a `forall` around this one"));
                }
                bound.push(index_id);
                let body = self.stmt(body, bound);
                bound.pop();
                Some(Stmt::Forall { index: index_id, parallel: *parallel, body: Box::new(body?), span: stmt.span })
            }
            StmtKind::Where { consumer, producer } => {
                // What is read must have been written: the producer comes first.
                let producer = self.stmt(producer, bound);
                let consumer = self.stmt(consumer, bound);
                Some(Stmt::Where { consumer: Box::new(consumer?), producer: Box::new(producer?) })
            }
            StmtKind::Sequence(parts) => {
                let parts: Vec<Option<Stmt>> = parts.iter().map(|part| self.stmt(part, bound)).collect();
                parts.into_iter().collect::<Option<Vec<Stmt>>>().map(Stmt::Sequence)
            }
        }
    }

    /// Refuses `=` inside of a loop over an index that the target does not have: it assigns the same element again and again. `path` has
    /// the loops around the statement. A `where` makes its workspaces anew each time, so that the loops around it do not count for them:
    /// `made` says how many these are.
    pub(super) fn check_repeated(&mut self, stmt: &Stmt, path: &mut Vec<Index>, made: &mut BTreeMap<TensorId, usize>) {
        match stmt {
            Stmt::Assign(assign) => {
                let id = assign.target.tensor;
                let from = made.get(&id).copied().unwrap_or(0);
                let repeated = path[from..].iter().find(|index| !assign.target.indices.contains(index));
                if let (None, Some(index)) = (assign.reduce, repeated) {
                    let (left, index) = (self.kernel.show_access(&assign.target), &self.kernel.indices[index.0]);
                    let message =
                        format!("`{left}` is assigned anew for every `{index}`, and only the last value stays");
                    let mistake = Diagnostic::new(assign.span, message)
                        .help(format!("say how the values are folded: `{left} += …`, or put `{index}` on the left"));
                    self.mistakes.push(mistake);
                }
            }
            Stmt::Forall { index, body, .. } => {
                path.push(*index);
                self.check_repeated(body, path, made);
                path.pop();
            }
            Stmt::Where { consumer, producer } => {
                for id in producer.written() {
                    if self.kernel.tensor(id).role == Role::Workspace {
                        made.insert(id, path.len());
                    }
                }
                self.check_repeated(producer, path, made);
                self.check_repeated(consumer, path, made);
            }
            Stmt::Sequence(parts) => parts.iter().for_each(|part| self.check_repeated(part, path, made)),
        }
    }

    /// An assignment; `bound` holds the indices of the `forall`s around it, if loops are written out.
    pub(super) fn assign(&mut self, assign: &'a ast::Assign, span: Span, bound: Option<&[Index]>) -> Option<Assign> {
        let before = self.mistakes.len();
        let over = match &assign.over {
            None => None,
            Some(name) => match self.scope.semiring(name) {
                Ok(semiring) => Some(semiring.clone()),
                Err(mistake) => {
                    self.mistakes.push(*mistake);
                    return None;
                }
            },
        };
        let value = self.expr(&assign.value, over.as_ref());
        let reduce = match (assign.op, &over) {
            (AssignOp::Set, _) => None,
            (op, None) => Reduction::from_assign(op),
            (AssignOp::Add, Some(semiring)) => Some(semiring.plus),
            (op, Some(semiring)) => {
                let reduce = Reduction::from_assign(op);
                if reduce != Some(semiring.plus) {
                    self.wrong(span, format!("`{}` is not the sum of semiring `{}`", op.symbol(), semiring.name))
                        .help
                        .push(format!("accumulate with `+=` or `{}`", semiring.plus.symbol()));
                }
                reduce
            }
        };
        let id = self.tensors[assign.target.tensor.text.as_str()];
        self.first_write(id, assign, reduce, over.as_ref(), value.as_ref());
        let (seen, indices) = match &assign.target.coordinates {
            None => {
                let indices: Vec<Index> = assign.target.indices.iter().map(|index| self.index(index)).collect();
                self.check_rank(id, indices.len(), assign.target.span);
                (id, indices)
            }
            Some(coordinates) => self.seen_target(id, assign, coordinates)?,
        };
        for (at, index) in assign.target.indices.iter().enumerate() {
            if assign.target.indices[..at].contains(index) {
                self.wrong(index.span, format!("index `{index}` stands on the left twice"))
                    .help
                    .push("write the diagonal with a vector: `d(i) = …`".into());
            }
        }
        let fill = self.kernel.tensor(id).fill;
        let target = Access { tensor: seen, indices, fill, span: assign.target.span };
        let mask = assign.mask.as_ref().and_then(|mask| self.mask(mask, &target));
        self.written.push(id);
        if let (Some(bound), Some(value)) = (bound, &value) {
            let mut used = value.indices();
            used.extend(&target.indices);
            used.extend(mask.iter().flat_map(|mask| &mask.access.indices));
            self.check_loops(bound, used, assign, span);
        }
        if let Some(value) = &value {
            let sums = reduce.or(over.as_ref().map(|semiring| semiring.plus));
            self.check_logic(id, sums, over.as_deref(), value, span);
            let folds = value.indices().iter().any(|index| !target.indices.contains(index));
            self.check_bounds(id, sums.filter(|_| folds), over.as_deref(), value, span);
        }
        if self.mistakes.len() > before {
            return None;
        }
        Some(Assign { target, mask, reduce, value: value?, over, span })
    }

    /// Refuses an assignment that uses an index over which none of the `forall`s around it, those of `bound`, runs.
    fn check_loops(&mut self, bound: &[Index], used: Vec<Index>, assign: &ast::Assign, span: Span) {
        let Some(index) = used.into_iter().find(|index| !bound.contains(index)) else { return };
        let name = self.kernel.indices[index.0].clone();
        let slice = own_slices(&assign.value, &[]).into_iter().find(|slice| slice.index.text == name);
        let loops = bound.first().map(|index| self.kernel.indices[index.0].clone());
        let mistake = self.wrong(span, format!("no `forall` around this runs over `{name}`"));
        if let (Some(slice), Some(index)) = (slice, loops) {
            let slice = slice.named(&index);
            mistake
                .help
                .push(format!("`{name}` is the index of a slice; give it the name of a loop, such as `{slice}`"));
        }
        mistake.help.push(format!("forall({name}, …), or the statement alone: then loops and sums are implied"));
    }

    /// Refuses what the type of a statement does not have: arithmetic with truth values, negative constants of unsigned types, `|=` and
    /// `&=` of floats, a semiring of numbers over truth values, and one of truth values over numbers.
    pub(super) fn check_logic(
        &mut self,
        id: TensorId,
        reduce: Option<Reduction>,
        over: Option<&Semiring>,
        value: &Expr,
        span: Span,
    ) {
        let tensor = self.kernel.tensor(id);
        let ty = type_into(value, id, &self.kernel.tensors);
        if let (false, Some(op)) = (ty.is_number(), numeric(value)) {
            self.wrong(span, format!("`{}` takes numbers, and this is computed as {ty}", op.name()))
                .help
                .push("declare the left side as a number, or compare: `A(i,j) != B(i,j)`".into());
            return;
        }
        if let (ValueType::U32 | ValueType::U64, Some(literal)) = (ty, negative(value)) {
            self.wrong(span, format!("`{literal}` is no {ty}, and this is computed as {ty}"))
                .help
                .push("subtract instead, or declare the left side as `i64` or `f64`".into());
            return;
        }
        if let Some((literal, ty)) = unfit(value, ty, &self.kernel.tensors) {
            self.wrong(span, format!("`{literal}` is no {ty}, and this is computed as {ty}"))
                .help
                .push("declare what it is computed with as a type that has it, such as `i64` or `f64`".into());
            return;
        }
        if let Some(semiring) = over.filter(|semiring| !ty.is_number() && number(semiring.zero).is_infinite()) {
            let name = semiring.name.clone();
            self.wrong(span, format!("`{name}` is a semiring of numbers, and this is computed as {ty}"))
                .help
                .push("declare the left side as a number, or compute over `or_and`".into());
            return;
        }
        if !matches!(reduce, Some(Reduction::Or | Reduction::And)) || !ty.is_number() {
            return;
        }
        let name = tensor.name.clone();
        let what = match (over, reduce) {
            (Some(semiring), _) => {
                format!("`{}` is a semiring of truth values, and this is computed as {ty}", semiring.name)
            }
            (None, Some(reduce)) if ty.is_float() => {
                format!("`{}` folds truth values or the bits of integers, not {ty}", reduce.symbol())
            }
            _ => return,
        };
        self.wrong(span, what).help.push(format!("declare `{name}` and what it is made of as `bool` or `pattern`"));
    }

    /// Lets the first write to a tensor that the kernel makes decide its type and its fill, or checks them if they are declared.
    pub(super) fn first_write(
        &mut self,
        id: TensorId,
        assign: &ast::Assign,
        reduce: Option<Reduction>,
        over: Option<&Arc<Semiring>>,
        value: Option<&Expr>,
    ) {
        if self.written.contains(&id) {
            return;
        }
        if let (true, Some(value)) = (self.open_type.contains(&id), value) {
            let found = type_of(value, &self.kernel.tensors).unwrap_or(ValueType::F64);
            let found = match (found, reduce) {
                (ValueType::Pattern, Some(Reduction::Or | Reduction::And)) => ValueType::Bool,
                (ValueType::Pattern, _) => ValueType::U64,
                (found, _) => found,
            };
            self.kernel.tensors[id.0].value = found;
        }
        if reduce.is_some() {
            self.pad_target(id, reduce, over, assign.target.span);
        }
        let tensor = &self.kernel.tensors[id.0];
        let (open, role, ty) = (self.open_fill.contains(&id), tensor.role, tensor.value);
        let wanted = match (over, reduce) {
            (Some(semiring), _) => Some(semiring.zero),
            (None, Some(reduce)) => Some(reduce.identity(ty)),
            (None, None) => None,
        };
        // A declared fill of `inf` means the largest value of an integer type, which is the neutral element of `min=` there.
        let fits = |wanted| match over {
            Some(_) => same(tensor.fill, wanted),
            None => same(converted(tensor.fill, ty), converted(wanted, ty)),
        };
        match wanted {
            Some(wanted) if open && role != Role::Param => self.kernel.tensors[id.0].fill = wanted,
            Some(wanted) if (over.is_some() && !tensor.is_full() || role != Role::Param) && !open && !fits(wanted) => {
                let (name, fill, symbol) = (tensor.name.clone(), tensor.fill, reduce.map_or("=", Reduction::symbol));
                let but = match over {
                    Some(_) => format!("over this semiring that is {wanted}"),
                    None => format!("`{symbol}` into a new tensor starts from {wanted}"),
                };
                self.wrong(assign.target.span, format!("`{name}` is {fill} where nothing is stored, but {but}"))
                    .help
                    .push(format!("declare it with `fill {wanted}`, or with no fill"));
            }
            _ => {}
        }
    }

    /// Decides the fill of a padded parameter without a declared fill that a statement reduces into. Without a semiring, `*=`, `min=` and
    /// `max=` of numbers are refused: the fill would be 0, which is not their neutral element.
    pub(super) fn pad_target(
        &mut self,
        id: TensorId,
        reduce: Option<Reduction>,
        over: Option<&Arc<Semiring>>,
        span: Span,
    ) {
        let tensor = self.kernel.tensor(id);
        let starts =
            matches!(reduce, Some(Reduction::Mul | Reduction::Min | Reduction::Max)) && tensor.value.is_number();
        if over.is_some() || !starts || !self.is_padded(id) {
            let _ = self.pad(id, over, span);
            return;
        }
        let (name, how) = (tensor.name.clone(), tensor.format.as_ref().map_or(String::new(), ToString::to_string));
        let symbol = reduce.map_or("=", Reduction::symbol);
        let message =
            format!("`{name}` keeps places for more than its entries: it is not known where `{symbol}` starts anew");
        let mistake = self.wrong(span, message);
        mistake.notes.push(format!("its format is {how}"));
        mistake.help.push(format!("declare what it holds there, such as `{name}: … fill inf`, or pass it as `csr`"));
    }

    pub(super) fn mask(&mut self, mask: &ast::Mask, target: &Access) -> Option<Mask> {
        let Some(&id) = self.tensors.get(mask.tensor.text.as_str()) else {
            let mistake = self.unknown(&mask.tensor);
            self.mistakes.push(mistake);
            return None;
        };
        let indices = match &mask.indices {
            Some(indices) => indices.iter().map(|index| self.index(index)).collect(),
            None => target.indices.clone(),
        };
        self.check_rank(id, indices.len(), mask.span).then_some(())?;
        if let Some(extra) = indices.iter().find(|index| !target.indices.contains(index)) {
            let name = self.kernel.indices[extra.0].clone();
            self.wrong(mask.span, format!("a mask has only indices of the left side, which has no index `{name}`"));
            return None;
        }
        // A mask goes by its own values, whatever the semiring is.
        self.pad(id, None, mask.span)?;
        let fill = self.kernel.tensor(id).fill;
        Some(Mask { negated: mask.negated, access: Access { tensor: id, indices, fill, span: mask.span } })
    }
}
