//! Names to tensors, indices and operators: a kernel as written becomes one kernel for each choice of formats.

mod check;
mod expression;
mod statement;

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Diagnostics, Span, nearest};
use crate::format::{Format, constant};
use crate::notation::algebra::{compute_in, converted};
use crate::notation::ast::{self, Literal, Name, StmtKind, ValueType};
use crate::notation::concrete::*;
use crate::notation::declare::Declarations;

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
    /// Tensors without a declared fill: the first write decides it.
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
        // The fill of floats becomes a float constant: half of a fill of 1 is 0.5 then, and not 0.
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
        let below_zero = |fill: &Literal| number(*fill) < 0.0;
        if let (ValueType::U32 | ValueType::U64, Some(fill)) = (value, fill.filter(below_zero)) {
            let message =
                format!("`{}` is {fill} where nothing is stored, and {value} has no value below 0", param.name);
            self.wrong(param.span, message).help.push("write `fill 0`, or take a signed type".into());
        } else if let (ValueType::I32 | ValueType::U32, Some(fill @ Literal::Int(_))) = (value, fill)
            && !same(converted(fill, value), fill)
        {
            let message = format!("`{}` is {fill} where nothing is stored, which is no value of {value}", param.name);
            self.wrong(param.span, message).help.push("take a type of 64 bits, or another fill".into());
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
                StmtKind::Assign(written) => self.assign(written, stmt.span, None).map(|assign| {
                    self.check_implied(&assign, written);
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

    /// Adds the tensors that a statement writes and nobody declares: workspaces on the right of a `where`, temporaries anywhere else.
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

    pub(super) fn unknown(&self, name: &Name) -> Diagnostic {
        let mistake = Diagnostic::new(name.span, format!("there is no tensor called `{name}`"));
        match nearest(&name.text, self.tensors.keys().copied()) {
            Some(near) => mistake.help(format!("did you mean `{near}`?")),
            None => mistake.help(format!("add it to the kernel's parameters: `{name}: FORMAT`")),
        }
    }
}
