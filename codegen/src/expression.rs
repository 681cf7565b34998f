//! An expression alone, as the command line takes it: the kernel that it stands for.
//!
//! ```text
//!   y(i) = A(i,j) * x(j)     A=csr     ──►     kernel compute(A: csr, x: dense) -> y: dense { y(i) = A(i,j) * x(j) }
//! ```
//!
//! The kernel is a tree around the statements as they were read; what is wrong with it is shown in the expression's own text.
//!
//! Tensors whose format is not given are dense. What is only a step to another tensor of the same text, and has no format, is a temporary.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Diagnostics, SourceFile, Span};
use crate::level::Kinds;
use crate::notation::ast::{Expr, ExprKind, Item, Kernel, Name, Stmt, StmtKind};
use crate::notation::concrete::Operator;
use crate::notation::{parse_param, parse_source, parse_statements};

/// A tensor or scalar of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// The indices of its accesses, one list for each.
    pub accesses: Vec<Vec<String>>,
    /// Whether it stands on the left of a statement.
    pub written: bool,
    /// Whether a statement for another tensor reads it, or a mask of one. The tensor of the last statement counts as one that nothing reads.
    pub read: bool,
    /// Whether it is read before anything has been written to it.
    pub held: bool,
    /// Whether it bounds a slice.
    pub bound: bool,
    /// Where it stands first.
    pub span: Span,
}

impl Tensor {
    /// How many indices it has; 0 for a scalar.
    pub fn rank(&self) -> usize {
        self.accesses.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// What it is where no format is given.
    fn dense(&self) -> String {
        let array = Kinds::array();
        match self.rank() {
            0 if self.bound => "u64".to_owned(),
            0 => "f64".to_owned(),
            1 => array.name().to_owned(),
            2 => "matrix".to_owned(),
            n => format!("({})", vec![array.name(); n].join(", ")),
        }
    }
}

/// An expression whose tensors are known by name.
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    statements: Vec<Stmt>,
    /// Its tensors and scalars, those on the left first.
    pub tensors: Vec<Tensor>,
}

/// What the kernel is called.
pub const NAME: &str = "compute";

impl Expression {
    /// Reads one statement or several. A name that a text of `declarations` declares as a function is called, and no tensor.
    ///
    /// # Errors
    ///
    /// What is not index notation, and a text without a statement.
    pub fn parse(text: &str, declarations: &[SourceFile]) -> Result<Expression, Diagnostics> {
        let (statements, mistakes) = parse_statements(text);
        let statements = mistakes.into_result(statements)?;
        if statements.is_empty() {
            let empty = if text.trim().is_empty() { "the text is empty" } else { "there is no statement in the text" };
            let mistake = Diagnostic::new(0..text.len(), empty);
            return Err(mistake.help("write what is to be computed, such as `y(i) = A(i,j) * x(j)`").into());
        }
        let mut found = Found::default();
        for file in declarations {
            // What is wrong with the text is said where it is compiled.
            found.functions.extend(parse_source(&file.text).0.items.into_iter().filter_map(|item| match item {
                Item::Function(function) => Some(function.name.text),
                _ => None,
            }));
        }
        for pass in [Pass::Indices, Pass::Targets, Pass::Reads] {
            statements.iter().for_each(|stmt| found.stmt(stmt, pass));
        }
        let mut written: Vec<String> = Vec::new();
        for stmt in &statements {
            let mut own =
                Found { indices: found.indices.clone(), functions: found.functions.clone(), tensors: Vec::new() };
            own.stmt(stmt, Pass::Reads);
            let target = match &stmt.kind {
                StmtKind::Assign(assign) => Some(assign.target.tensor.text.clone()),
                _ => None,
            };
            for tensor in &mut found.tensors {
                let is_read = own.tensors.iter().any(|read| read.name == tensor.name);
                tensor.read |= is_read && target.as_ref() != Some(&tensor.name);
                tensor.held |= is_read && target.is_some() && !written.contains(&tensor.name);
            }
            written.extend(target);
        }
        if let Some(StmtKind::Assign(last)) = statements.last().map(|stmt| &stmt.kind) {
            let is_last = |tensor: &&mut Tensor| tensor.name == last.target.tensor.text;
            found.tensors.iter_mut().filter(is_last).for_each(|tensor| tensor.read = false);
        }
        Ok(Expression { text: text.to_owned(), statements, tensors: found.tensors })
    }

    /// The tensor called `name`.
    pub fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.tensors.iter().find(|tensor| tensor.name == name)
    }

    /// The text that the kernel stands in.
    pub fn file(&self) -> SourceFile {
        SourceFile::new("expression", &self.text[..])
    }

    /// The statements, as they were read.
    pub fn statements(&self) -> &[Stmt] {
        &self.statements
    }

    /// The kernel. `formats` holds what stands behind the colon of each tensor that is given a format; those that `in_place` names belong
    /// to the caller, as does what is read before it is written.
    ///
    /// # Errors
    ///
    /// A text that is no format, and the tensor that it is given to.
    pub fn kernel(
        &self,
        formats: &BTreeMap<String, String>,
        in_place: impl Fn(&Tensor) -> bool,
    ) -> Result<Kernel, FormatError> {
        let (mut params, mut results) = (Vec::new(), Vec::new());
        for tensor in &self.tensors {
            let format = formats.get(&tensor.name);
            let text = format.cloned().unwrap_or_else(|| tensor.dense());
            let param = parse_param(&tensor.name, &text, tensor.span);
            let param = param.map_err(|wrong| FormatError { tensor: tensor.name.clone(), format: text, wrong })?;
            if !tensor.written || tensor.held || in_place(tensor) {
                params.push(param);
            } else if !tensor.read || format.is_some() {
                results.push(param);
            }
        }
        Ok(Kernel::around(NAME, params, results, self.statements.clone()))
    }
}

/// A text that stands for a format and is none.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", wrong.render(&format!("the format of `{tensor}`"), format))]
pub struct FormatError {
    /// The tensor that it is given to.
    pub tensor: String,
    /// The text.
    pub format: String,
    /// What is wrong with it.
    pub wrong: Diagnostics,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Indices,
    Targets,
    Reads,
}

#[derive(Default)]
struct Found {
    /// What stands as an index somewhere: a bare name elsewhere means its value.
    indices: Vec<String>,
    /// What is called besides the functions that are always there.
    functions: Vec<String>,
    tensors: Vec<Tensor>,
}

impl Found {
    fn note(&mut self, name: &Name, indices: Vec<String>, pass: Pass) {
        let at = self.tensors.iter().position(|tensor| tensor.name == name.text).unwrap_or_else(|| {
            let new = Tensor {
                name: name.text.clone(),
                accesses: Vec::new(),
                written: false,
                read: false,
                held: false,
                bound: false,
                span: name.span,
            };
            self.tensors.push(new);
            self.tensors.len() - 1
        });
        let tensor = &mut self.tensors[at];
        match pass {
            Pass::Indices | Pass::Reads => {}
            Pass::Targets => tensor.written = true,
        }
        if !tensor.accesses.contains(&indices) {
            tensor.accesses.push(indices);
        }
    }

    /// Notes the scalars that bound slices.
    fn bounds(&mut self, coordinates: &[Expr]) {
        for coordinate in coordinates {
            let ExprKind::Slice(slice) = &coordinate.kind else { continue };
            for bound in slice.lo.iter().chain(&slice.hi) {
                if let ExprKind::Name(name) = &bound.kind {
                    self.note(name, Vec::new(), Pass::Reads);
                    self.tensors.iter_mut().filter(|tensor| tensor.name == name.text).for_each(|t| t.bound = true);
                }
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt, pass: Pass) {
        match &stmt.kind {
            StmtKind::Assign(assign) => {
                let coordinates = assign.target.coordinates();
                let target: Vec<String> = coordinates.iter().map(index).collect();
                match pass {
                    Pass::Indices => self.indices.extend(assign.target.indices.iter().map(|index| index.text.clone())),
                    Pass::Targets => self.note(&assign.target.tensor, target.clone(), pass),
                    Pass::Reads => self.bounds(&coordinates),
                }
                if let (Some(mask), Pass::Reads) = (&assign.mask, pass) {
                    let own = mask.indices.as_ref().map(|own| own.iter().map(|index| index.text.clone()).collect());
                    let left = || assign.target.indices.iter().map(|index| index.text.clone()).collect();
                    self.note(&mask.tensor, own.unwrap_or_else(left), pass);
                }
                self.expr(&assign.value, pass);
            }
            StmtKind::Forall { index, body, .. } => {
                self.indices.push(index.text.clone());
                self.stmt(body, pass);
            }
            StmtKind::Where { consumer, producer } => {
                self.stmt(consumer, pass);
                self.stmt(producer, pass);
            }
            StmtKind::Sequence(parts) => parts.iter().for_each(|part| self.stmt(part, pass)),
        }
    }

    fn expr(&mut self, expr: &Expr, pass: Pass) {
        match &expr.kind {
            ExprKind::Literal(_) => {}
            ExprKind::Name(name) => {
                if pass == Pass::Reads && !self.indices.contains(&name.text) {
                    self.note(name, Vec::new(), pass);
                }
            }
            ExprKind::Apply { name, args } => {
                // A name with values as arguments is not a tensor. An unknown function is reported later.
                let called = Operator::FUNCTIONS.iter().any(|(function, _, _)| *function == name.text)
                    || self.functions.contains(&name.text);
                if called || args.iter().any(has_value) {
                    args.iter().for_each(|arg| self.expr(arg, pass));
                    return;
                }
                match pass {
                    Pass::Indices => {
                        let mut names = Vec::new();
                        args.iter().for_each(|arg| arg.index_names(&mut names));
                        self.indices.extend(names.into_iter().map(|name| name.text));
                    }
                    Pass::Targets => {}
                    Pass::Reads => {
                        self.note(name, args.iter().map(index).collect(), pass);
                        self.bounds(args);
                    }
                }
            }
            ExprKind::Slice(_) => {}
            ExprKind::Neg(inner) => self.expr(inner, pass),
            ExprKind::Binary { left, right, .. } => {
                self.expr(left, pass);
                self.expr(right, pass);
            }
        }
    }
}

/// The index that runs along all of a dimension; nothing for a part of it, and for a coordinate that is computed.
fn index(coordinate: &Expr) -> String {
    coordinate.whole().map_or(String::new(), |index| index.text.clone())
}

/// Whether something is accessed or called in an expression.
fn has_value(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Apply { .. } => true,
        ExprKind::Neg(inner) => has_value(inner),
        ExprKind::Binary { left, right, .. } => has_value(left) || has_value(right),
        _ => false,
    }
}
