//! Names to tensors, indices and operators: a kernel as written becomes one kernel for each choice of formats.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::algebra::{compute_in, converted, simplify};
use super::ast::{self, AssignOp, BinaryOp, ExprKind, Literal, Name, StmtKind, ValueType};
use super::concrete::*;
use super::declare::{Declarations, wrong_arity};
use super::presence::Presence;
use super::types::{type_into, type_of};
use crate::diagnostic::{Diagnostic, Diagnostics, Span, nearest};
use crate::format::{Format, constant};

/// Entry points that one kernel may stand for.
const MOST_CHOICES: usize = 64;

/// Resolves a kernel: one [`Kernel`] for each choice among the formats of its parameters.
///
/// # Errors
///
/// Everything that is wrong with the kernel.
pub fn resolve(kernel: &ast::Kernel, scope: &Declarations) -> Result<Vec<Kernel>, Diagnostics> {
    let mut mistakes = Diagnostics::new();
    let mut formats: Vec<Vec<Format>> = Vec::new();
    let mut broken = false;
    for param in kernel.params.iter().chain(&kernel.results) {
        let mut choices = Vec::new();
        for format in &param.formats {
            match scope.formats.resolve(format, &scope.kinds) {
                Ok(format) => choices.push(format),
                Err(wrong) => {
                    broken = true;
                    mistakes.extend(wrong);
                }
            }
        }
        if let Some(other) = choices.iter().find(|format| format.rank() != choices[0].rank()) {
            mistakes.push(Diagnostic::new(
                param.span,
                format!(
                    "`{}` has {} indices as `{}` and {} as `{}`",
                    param.name,
                    choices[0].rank(),
                    choices[0].name,
                    other.rank(),
                    other.name
                ),
            ));
        }
        formats.push(choices);
    }
    if broken || !mistakes.is_empty() {
        return Err(mistakes);
    }
    let choices = formats.iter().map(|choices| choices.len().max(1)).try_fold(1usize, usize::checked_mul);
    let choices = choices.filter(|&choices| choices <= MOST_CHOICES).ok_or_else(|| {
        Diagnostic::new(
            kernel.name.span,
            format!("kernel `{}` has more than {MOST_CHOICES} choices of formats", kernel.name),
        )
        .help("write several kernels with fewer formats each")
    })?;
    let mut kernels = Vec::new();
    for mut choice in 0..choices {
        let mut name = kernel.name.text.clone();
        let chosen: Vec<Option<Format>> = formats
            .iter()
            .map(|formats| {
                if formats.is_empty() {
                    return None;
                }
                let format = formats[choice % formats.len()].clone();
                choice /= formats.len();
                if formats.len() > 1 {
                    name = format!("{name}_{}", format.name);
                }
                Some(format)
            })
            .collect();
        kernels.push(Resolver::new(kernel, scope, name, chosen).resolve()?);
    }
    Ok(kernels)
}

pub(super) struct Resolver<'a> {
    ast: &'a ast::Kernel,
    scope: &'a Declarations,
    pub(super) kernel: Kernel,
    pub(super) tensors: BTreeMap<&'a str, TensorId>,
    indices: BTreeMap<String, Index>,
    /// Tensors whose fill the user did not say: the first write decides.
    open_fill: Vec<TensorId>,
    /// Parameters with places for more than their entries and without a declared fill: the first statement that reads them decides it.
    padded: Vec<TensorId>,
    /// Tensors made here whose type the first write decides.
    open_type: Vec<TensorId>,
    pub(super) written: Vec<TensorId>,
    pub(super) mistakes: Diagnostics,
}

impl<'a> Resolver<'a> {
    fn new(ast: &'a ast::Kernel, scope: &'a Declarations, name: String, formats: Vec<Option<Format>>) -> Resolver<'a> {
        let mut resolver = Resolver {
            ast,
            scope,
            kernel: Kernel {
                name,
                tensors: Vec::new(),
                indices: Vec::new(),
                body: Vec::new(),
                views: BTreeMap::new(),
                orders: Vec::new(),
            },
            tensors: BTreeMap::new(),
            indices: BTreeMap::new(),
            open_fill: Vec::new(),
            padded: Vec::new(),
            open_type: Vec::new(),
            written: Vec::new(),
            mistakes: Diagnostics::new(),
        };
        let params = ast.params.iter().map(|param| (param, Role::Param));
        let results = ast.results.iter().map(|param| (param, Role::Result));
        for ((param, role), format) in params.chain(results).zip(formats) {
            resolver.declare(param, role, format);
        }
        resolver
    }

    pub(super) fn wrong(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.mistakes.push(Diagnostic::new(span, message));
        self.mistakes.last_mut().expect("just pushed")
    }

    fn declare(&mut self, param: &'a ast::Param, role: Role, format: Option<Format>) {
        let value = param.value.unwrap_or(ValueType::F64);
        let declared = param.fill.as_ref().and_then(constant).or(format.as_ref().and_then(|format| format.fill));
        // Of this type in constants, too: half of a fill of 1 is 0.5 for floats.
        let fill = declared
            .map(|fill| if value.is_float() && !same(fill, Literal::Int(0)) { converted(fill, value) } else { fill });
        let rank = format.as_ref().map_or(0, Format::rank);
        let id = TensorId(self.kernel.tensors.len());
        if value == ValueType::Pattern && rank == 0 {
            self.wrong(param.span, format!("scalar `{}` has no value as a pattern", param.name))
                .help
                .push("write `bool`".into());
        }
        if let (ValueType::Pattern, Some(format)) = (value, &format)
            && !format.keeps_entries_only()
        {
            let message =
                format!("`{}` keeps a place for more than its entries: as a pattern, all of them would be", param.name);
            let how = format.to_string();
            let mistake = self.wrong(param.span, message);
            mistake.notes.push(format!("its format is {how}"));
            mistake.help.push("write `of bool`".into());
        }
        let below_zero = |fill: &Literal| matches!(fill, Literal::Float(value) if *value < 0.0);
        if let (ValueType::U32 | ValueType::U64, Some(fill)) = (value, fill.filter(below_zero)) {
            let message =
                format!("`{}` is {fill} where nothing is stored, and {value} has no value below 0", param.name);
            self.wrong(param.span, message).help.push("write `fill 0`, or take a signed type".into());
        }
        self.kernel.tensors.push(Tensor {
            name: param.name.text.clone(),
            role,
            rank,
            format,
            value,
            fill: fill.unwrap_or(Literal::Int(0)),
            span: param.name.span,
        });
        if fill.is_none() {
            self.open_fill.push(id);
        }
        self.check_name(&param.name);
        if let Some(first) = self.tensors.insert(&param.name.text, id) {
            let span = self.kernel.tensor(first).span;
            let mistake = Diagnostic::new(param.name.span, format!("`{}` is declared twice", param.name));
            self.mistakes.push(mistake.related(span, "first here"));
        }
    }

    fn check_name(&mut self, name: &Name) {
        if Operator::FUNCTIONS.iter().any(|(function, _, _)| *function == name.text) {
            self.wrong(name.span, format!("`{name}` is a function that is always there, and cannot name a tensor"));
        } else if self.scope.function(&name.text).is_some() {
            self.wrong(name.span, format!("`{name}` is a declared function, and cannot name a tensor"));
        }
    }

    fn resolve(mut self) -> Result<Kernel, Diagnostics> {
        let ast = self.ast;
        if ast.body.is_empty() {
            self.wrong(ast.name.span, format!("kernel `{}` computes nothing", ast.name));
        }
        for stmt in &ast.body {
            self.temporaries(stmt, Role::Temporary);
        }
        for stmt in &ast.body {
            let resolved = match &stmt.kind {
                StmtKind::Assign(assign) => self.assign(assign, stmt.span, None).map(|assign| {
                    self.check_implied(&assign);
                    Statement::Index(assign)
                }),
                _ => self.stmt(stmt, &mut Vec::new()).map(|stmt| {
                    self.check_repeated(&stmt, &mut Vec::new(), &mut BTreeMap::new());
                    Statement::Concrete(stmt)
                }),
            };
            self.kernel.body.extend(resolved);
        }
        self.check_roles();
        let Resolver { kernel, mistakes, open_fill, .. } = self;
        let mut kernel = mistakes.into_result(kernel)?;
        let Kernel { tensors, body, .. } = &mut kernel;
        for statement in body {
            statement.assigns_mut(&mut |assign| {
                let ty = assign.computed_type(tensors);
                compute_in(&mut assign.value, ty);
            });
        }
        super::versions::split_params(&mut kernel, &open_fill)?;
        Ok(kernel)
    }

    /// Declares what stands on the left and is declared nowhere.
    fn temporaries(&mut self, stmt: &'a ast::Stmt, role: Role) {
        match &stmt.kind {
            StmtKind::Assign(assign) => {
                let name = &assign.target.tensor;
                if self.tensors.contains_key(name.text.as_str()) {
                    return;
                }
                self.check_name(name);
                let id = TensorId(self.kernel.tensors.len());
                self.kernel.tensors.push(Tensor {
                    name: name.text.clone(),
                    role,
                    rank: assign.target.coordinates().len(),
                    format: None,
                    value: ValueType::F64,
                    fill: Literal::Int(0),
                    span: name.span,
                });
                self.tensors.insert(&name.text, id);
                self.open_fill.push(id);
                self.open_type.push(id);
            }
            StmtKind::Forall { body, .. } => self.temporaries(body, role),
            StmtKind::Where { consumer, producer } => {
                self.temporaries(producer, Role::Workspace);
                self.temporaries(consumer, role);
            }
            StmtKind::Sequence(parts) => parts.iter().for_each(|part| self.temporaries(part, role)),
        }
    }

    /// What must hold of parameters, results and temporaries once all statements are read.
    fn check_roles(&mut self) {
        let mut read = Vec::new();
        for statement in &self.kernel.body {
            match statement {
                Statement::Index(assign) => assign.reads(&mut |access| read.push(self.kernel.base(access.tensor))),
                Statement::Concrete(stmt) => read.extend(stmt.read().into_iter().map(|id| self.kernel.base(id))),
            }
        }
        let said = !self.mistakes.is_empty();
        for at in 0..self.kernel.tensors.len() {
            let id = TensorId(at);
            let tensor = &self.kernel.tensors[at];
            let (name, span) = (tensor.name.clone(), tensor.span);
            let candidates: Vec<String> = self
                .kernel
                .tensors
                .iter()
                .filter(|t| matches!(t.role, Role::Param | Role::Result))
                .map(|t| t.name.clone())
                .collect();
            match tensor.role {
                Role::Result if !self.written.contains(&id) && !said => {
                    self.wrong(span, format!("result `{name}` is never computed")).help.push(format!("{name}(…) = …"));
                }
                Role::Temporary | Role::Workspace if !read.contains(&id) && !said => {
                    let near = nearest(&name, candidates.iter().map(String::as_str)).map(str::to_owned);
                    let mistake = self.wrong(span, format!("there is no tensor called `{name}`"));
                    mistake.notes.push("it is neither a parameter nor a result, and no statement reads it".into());
                    mistake.help.push(match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("return it: `-> {name}: FORMAT`"),
                    });
                }
                _ => {}
            }
        }
    }

    pub(super) fn index(&mut self, name: &Name) -> Index {
        if let Some(&index) = self.indices.get(&name.text) {
            return index;
        }
        if self.tensors.contains_key(name.text.as_str()) {
            self.wrong(name.span, format!("`{name}` is a tensor, and an index variable is wanted here"));
        }
        self.kernel.indices.push(name.text.clone());
        let index = Index(self.kernel.indices.len() - 1);
        self.indices.insert(name.text.clone(), index);
        index
    }

    fn stmt(&mut self, stmt: &'a ast::Stmt, bound: &mut Vec<Index>) -> Option<Stmt> {
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

    /// Refuses to assign the same element again and again. `made` says how many of the loops in `path` stand around the `where`
    /// that makes a workspace anew.
    fn check_repeated(&mut self, stmt: &Stmt, path: &mut Vec<Index>, made: &mut BTreeMap<TensorId, usize>) {
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
    fn assign(&mut self, assign: &'a ast::Assign, span: Span, bound: Option<&[Index]>) -> Option<Assign> {
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
            for index in used {
                if !bound.contains(&index) {
                    let name = self.kernel.indices[index.0].clone();
                    self.wrong(span, format!("no `forall` around this runs over `{name}`"))
                        .help
                        .push(format!("forall({name}, …), or the statement alone: then loops and sums are implied"));
                    break;
                }
            }
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

    /// `|=` and `&=` are of truth values, and of the bits of integers; a semiring of `or` and `and` of truth values only.
    fn check_logic(
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

    /// What folding nothing gives is infinite for some reductions, and then a number of the type: not to be converted.
    fn check_bounds(
        &mut self,
        id: TensorId,
        reduce: Option<Reduction>,
        over: Option<&Semiring>,
        value: &Expr,
        span: Span,
    ) {
        let Some(reduce) = reduce else { return };
        let tensor = self.kernel.tensor(id);
        let ty = type_into(value, id, &self.kernel.tensors);
        let nothing = over.map_or(reduce.identity(ty), |semiring| semiring.zero);
        let bounded =
            number(nothing).is_infinite() || matches!(reduce, Reduction::Min | Reduction::Max | Reduction::And);
        if bounded && over.is_none_or(|over| number(over.zero) != 0.0) && ty != tensor.value && !tensor.value.is_float()
        {
            let (name, own) = (tensor.name.clone(), tensor.value);
            let symbol = reduce.symbol();
            self.wrong(span, format!("values are folded by `{symbol}` as {ty}, and `{name}` holds {own}"))
                .notes
                .push(format!("what folding nothing gives is another number as {own}"));
            self.mistakes.last_mut().expect("just pushed").help.push(format!("declare `{name}` as {ty}"));
        }
    }

    /// The first write to what is made here decides its type and what it is where nothing is written.
    fn first_write(
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
        // The neutral element of `min=` is `inf` for floats and the largest one for integers, of which a fill of `inf` is another name.
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

    /// A parameter that a statement reduces into holds, in places that are no entries, what leaves the reduction alone.
    fn pad_target(&mut self, id: TensorId, reduce: Option<Reduction>, over: Option<&Arc<Semiring>>, span: Span) {
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

    /// Whether a tensor is a parameter with places for more than its entries, and without a declared fill.
    fn is_padded(&self, id: TensorId) -> bool {
        let tensor = self.kernel.tensor(id);
        let padded = tensor.format.as_ref().is_some_and(|format| !format.keeps_entries_only() && !format.is_full());
        tensor.role == Role::Param && padded && self.open_fill.contains(&id)
    }

    pub(super) fn check_rank(&mut self, id: TensorId, given: usize, span: Span) -> bool {
        let tensor = self.kernel.tensor(id);
        let rank = tensor.rank;
        if rank == given {
            return true;
        }
        let name = tensor.name.clone();
        let (at, how) = (tensor.span, tensor.format.as_ref().map(ToString::to_string));
        let s = |n: usize| if n == 1 { "1 index".to_owned() } else { format!("{n} indices") };
        let message = if rank == 0 {
            format!(
                "`{name}` is a scalar, and {} given",
                if given == 1 { "an index is".into() } else { format!("{given} indices are") }
            )
        } else {
            format!("`{name}` has {}, and {given} {} given", s(rank), if given == 1 { "is" } else { "are" })
        };
        let mut mistake = Diagnostic::new(span, message).related(at, "declared here");
        if let Some(how) = how {
            mistake = mistake.note(format!("its format is {how}"));
        }
        self.mistakes.push(mistake);
        false
    }

    fn mask(&mut self, mask: &ast::Mask, target: &Access) -> Option<Mask> {
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
            self.wrong(mask.span, format!("a mask speaks of the left side, which has no index `{name}`"));
            return None;
        }
        // A mask goes by its own values, whatever the semiring is.
        self.pad(id, None, mask.span)?;
        let fill = self.kernel.tensor(id).fill;
        Some(Mask { negated: mask.negated, access: Access { tensor: id, indices, fill, span: mask.span } })
    }

    pub(super) fn unknown(&self, name: &Name) -> Diagnostic {
        let mistake = Diagnostic::new(name.span, format!("there is no tensor called `{name}`"));
        match nearest(&name.text, self.tensors.keys().copied()) {
            Some(near) => mistake.help(format!("did you mean `{near}`?")),
            None => mistake.help(format!("add it to the kernel's parameters: `{name}: FORMAT`")),
        }
    }

    fn expr(&mut self, expr: &'a ast::Expr, over: Option<&Arc<Semiring>>) -> Option<Expr> {
        if let Some(value) = constant(expr) {
            return Some(Expr::Literal(value));
        }
        match &expr.kind {
            ExprKind::Literal(value) => Some(Expr::Literal(*value)),
            ExprKind::Name(name) => match self.tensors.get(name.text.as_str()) {
                Some(&id) => self.access(id, Vec::new(), expr.span, over),
                None => Some(Expr::Index(self.index(name))),
            },
            ExprKind::Apply { name, args } => match self.tensors.get(name.text.as_str()) {
                Some(&id) => {
                    let mut indices = Vec::new();
                    if !args.iter().all(|arg| matches!(arg.kind, ExprKind::Name(_))) {
                        self.check_rank(id, args.len(), expr.span).then_some(())?;
                        let shown = self.access(id, vec![Index(0); args.len()], expr.span, over)?;
                        let Expr::Access(shown) = shown else { return Some(shown) };
                        // What the tensor holds where it has no entry is known now.
                        let (tensor, indices) = self.seen(id, args, expr.span)?;
                        return Some(Expr::Access(Access { tensor, indices, ..shown }));
                    }
                    for arg in args {
                        if let ExprKind::Name(index) = &arg.kind {
                            indices.push(self.index(index));
                        }
                    }
                    self.access(id, indices, expr.span, over)
                }
                None => self.call(name, args, over),
            },
            ExprKind::Slice(_) => {
                self.wrong(expr.span, "a slice is a coordinate of a tensor, and here a value is wanted");
                None
            }
            ExprKind::Neg(inner) => {
                let inner_value = self.expr(inner, over);
                self.no_semiring(over, "-", expr.span)?;
                Some(Expr::Apply(Operator::Neg, vec![inner_value?]))
            }
            ExprKind::Binary { op, left, right } => {
                let left_value = self.expr(left, over);
                let right_value = self.expr(right, over);
                let (left_value, right_value) = (left_value?, right_value?);
                let operator = match (op, over) {
                    (BinaryOp::Add, Some(semiring)) => Operator::Plus(semiring.clone()),
                    (BinaryOp::Mul, Some(semiring)) => Operator::Times(semiring.clone()),
                    (BinaryOp::Without, _) => Operator::Without,
                    (op, _) => {
                        self.no_semiring(over, op.symbol(), expr.span)?;
                        Operator::from_infix(*op)
                    }
                };
                if matches!(operator, Operator::Div | Operator::Rem) {
                    self.check_divisor(&right_value, right.span)?;
                    if let (Expr::Literal(a), Expr::Literal(b)) = (&left_value, &right_value) {
                        return self.quotient(&operator, *a, *b, expr.span);
                    }
                }
                if operator == Operator::Without {
                    self.check_without(&right_value, right.span)?;
                }
                Some(Expr::Apply(operator, vec![left_value, right_value]))
            }
        }
    }

    fn call(&mut self, name: &'a Name, args: &'a [ast::Expr], over: Option<&Arc<Semiring>>) -> Option<Expr> {
        let (operator, arity) = match self.scope.operator(name) {
            Ok(found) => found,
            Err(mut mistake) => {
                if mistake.help.is_empty() {
                    *mistake = self.unknown(name);
                    mistake.message = format!("there is no tensor or function called `{name}`");
                }
                self.mistakes.push(*mistake);
                args.iter().for_each(|arg| drop(self.expr(arg, over)));
                return None;
            }
        };
        if arity != args.len() {
            self.mistakes.push(wrong_arity(name, arity, args.len()));
            return None;
        }
        // The condition of a selection is about numbers, not over the semiring.
        let plain = |at: usize| operator == Operator::Select && at == 1;
        let args: Vec<Option<Expr>> =
            args.iter().enumerate().map(|(at, arg)| self.expr(arg, if plain(at) { None } else { over })).collect();
        Some(Expr::Apply(operator, args.into_iter().collect::<Option<Vec<Expr>>>()?))
    }

    fn no_semiring(&mut self, over: Option<&Arc<Semiring>>, symbol: &str, span: Span) -> Option<()> {
        let Some(semiring) = over else { return Some(()) };
        self.wrong(span, format!("`{symbol}` has no meaning over semiring `{}`", semiring.name))
            .notes
            .push("a semiring says what `+` and `*` mean; functions can be called as ever".into());
        None
    }

    fn access(&mut self, id: TensorId, indices: Vec<Index>, span: Span, over: Option<&Arc<Semiring>>) -> Option<Expr> {
        self.check_rank(id, indices.len(), span).then_some(())?;
        let tensor = self.kernel.tensor(id);
        let (name, role, full) = (tensor.name.clone(), tensor.role, tensor.is_full());
        if role != Role::Param && !self.written.contains(&id) {
            self.wrong(span, format!("`{name}` is read before anything is written to it"));
            return None;
        }
        let mut fill = tensor.fill;
        self.pad(id, over, span)?;
        if let Some(semiring) = over.filter(|_| matches!(role, Role::Param)) {
            if self.open_fill.contains(&id) {
                fill = semiring.zero;
            } else if !full && !same(fill, semiring.zero) {
                let message = format!(
                    "`{name}` is {fill} where nothing is stored, but over `{}` that is {}",
                    semiring.name, semiring.zero
                );
                self.wrong(span, message)
                    .help
                    .push(format!("declare it with `fill {}`, or with no fill", semiring.zero));
                return None;
            }
        }
        Some(Expr::Access(Access { tensor: id, indices, fill, span }))
    }

    /// The value of a parameter in places that are no entries, if no fill is declared: the neutral value of the first statement that reads
    /// it.
    fn pad(&mut self, id: TensorId, over: Option<&Arc<Semiring>>, span: Span) -> Option<()> {
        if !self.is_padded(id) {
            return Some(());
        }
        let tensor = &mut self.kernel.tensors[id.0];
        let nothing = over.map_or(Literal::Int(0), |semiring| semiring.zero);
        if !self.padded.contains(&id) {
            self.padded.push(id);
            tensor.fill = nothing;
        } else if !same(tensor.fill, nothing) {
            let (name, held) = (tensor.name.clone(), tensor.fill);
            let how = tensor.format.as_ref().map_or(String::new(), ToString::to_string);
            let message = format!("`{name}` holds {held} where it has no entry, and here that would be {nothing}");
            let mistake = self.wrong(span, message);
            mistake.notes.push(format!("its format keeps places for more than its entries: {how}"));
            mistake.help.push("pass it in a format that keeps entries only, such as `csr`".into());
            return None;
        }
        Some(())
    }

    /// A quotient or remainder of constants.
    fn quotient(&mut self, operator: &Operator, a: Literal, b: Literal, span: Span) -> Option<Expr> {
        let (x, y) = (number(a), number(b));
        let whole = match (a, b) {
            (Literal::Int(a), Literal::Int(b)) => Some((a.checked_div(b), a.checked_rem(b))),
            _ => None,
        };
        Some(Expr::Literal(match (operator, whole) {
            (Operator::Rem, Some((_, Some(rest)))) if x >= 0.0 => Literal::Int(rest),
            (Operator::Rem, None) => Literal::Float(x % y),
            (Operator::Div, Some((Some(quotient), Some(0)))) => Literal::Int(quotient),
            (Operator::Div, None) => Literal::Float(x / y),
            (operator, _) => {
                let (symbol, among_floats) = if *operator == Operator::Div { ("/", x / y) } else { ("%", x % y) };
                self.wrong(span, format!("`{a} {symbol} {b}` is another number among integers than among floats"))
                    .help
                    .push(format!("write the number that is meant, such as `{among_floats}`"));
                return None;
            }
        }))
    }

    /// Refuses to divide by what is zero wherever nothing is stored.
    fn check_divisor(&mut self, divisor: &Expr, span: Span) -> Option<()> {
        let mut sparse = None;
        divisor.accesses(&mut |access| {
            if sparse.is_none() && !self.kernel.tensor(access.tensor).is_full() {
                sparse = Some(access);
            }
        });
        let Some(sparse) = sparse else { return Some(()) };
        let tensors = &self.kernel.tensors;
        let missing =
            |access: &Access| if tensors[access.tensor.0].is_full() { Presence::When(()) } else { Presence::Never };
        match simplify(divisor, &missing) {
            Expr::Literal(value) if number(value) == 0.0 => {
                let tensor = self.kernel.tensor(sparse.tensor);
                let (name, at, how) =
                    (tensor.name.clone(), tensor.span, tensor.format.as_ref().map(ToString::to_string));
                let mut mistake =
                    Diagnostic::new(span, format!("division by `{name}`, which is 0 wherever nothing is stored"))
                        .related(at, "declared here")
                        .help("divide by an operand that is dense, or declare another fill: `fill 1`");
                if let Some(how) = how {
                    mistake = mistake.note(format!("its format is {how}"));
                }
                self.mistakes.push(mistake);
                None
            }
            _ => Some(()),
        }
    }

    fn check_without(&mut self, right: &Expr, span: Span) -> Option<()> {
        let Expr::Access(access) = right else {
            self.wrong(span, "what stands behind `without` is a tensor, whose entries are taken away")
                .help
                .push("assign the expression to a tensor first".into());
            return None;
        };
        let tensor = self.kernel.tensor(access.tensor);
        if tensor.role == Role::Param && tensor.is_full() {
            let name = tensor.name.clone();
            self.wrong(span, format!("`{name}` has an entry everywhere, so nothing would be left")).help.push(
                "`without` takes the entries of a sparse tensor away; `select(A(i,j), condition)` goes by values"
                    .into(),
            );
            return None;
        }
        Some(())
    }

    /// What implied loops need: every index must run over something.
    fn check_implied(&mut self, assign: &Assign) {
        let mut ranged: Vec<Index> = Vec::new();
        assign.reads(&mut |access| ranged.extend(self.kernel.ranged(access)));
        let target = self.kernel.tensor(assign.target.tensor);
        let known = target.role == Role::Param;
        ranged.extend(
            self.kernel
                .views
                .contains_key(&assign.target.tensor)
                .then(|| self.kernel.ranged(&assign.target))
                .into_iter()
                .flatten(),
        );
        let name = target.name.clone();
        for index in &assign.target.indices {
            if !ranged.contains(index) && !known {
                let index = self.kernel.indices[index.0].clone();
                self.wrong(
                    assign.target.span,
                    format!("index `{index}` is only on the left, so nothing says how far it runs"),
                )
                .help
                .push(format!("pass `{name}` as a parameter, whose size is known, or use `{index}` on the right"));
            }
        }
        if known {
            ranged.extend(&assign.target.indices);
        }
        for index in assign.value.indices() {
            if !ranged.contains(&index) && !assign.target.indices.contains(&index) {
                let index = self.kernel.indices[index.0].clone();
                self.wrong(assign.span, format!("`{index}` is no tensor, and no index that a tensor is accessed with"))
                    .help
                    .push(format!("declare a scalar: `{index}: f64`"));
            }
        }
    }
}

/// An operation that is of numbers only, and computed in the type of the whole expression.
fn numeric(expr: &Expr) -> Option<&Operator> {
    let Expr::Apply(op, args) = expr else { return None };
    match op {
        Operator::Sub | Operator::Div | Operator::Rem | Operator::Neg | Operator::Abs => Some(op),
        Operator::Select | Operator::Without => numeric(&args[0]),
        op if op.has_own_type() => None,
        _ => args.iter().find_map(numeric),
    }
}

/// A number below zero that is computed with in the type of the whole expression.
fn negative(expr: &Expr) -> Option<Literal> {
    match expr {
        Expr::Literal(value) => (number(*value) < 0.0).then_some(*value),
        Expr::Apply(op, _) if op.has_own_type() => None,
        Expr::Apply(Operator::Select | Operator::Without, args) => negative(&args[0]),
        Expr::Apply(_, args) => args.iter().find_map(negative),
        _ => None,
    }
}
