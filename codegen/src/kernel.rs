//! A compiled kernel, stage by stage, and what its documentation says.

use std::collections::BTreeMap;

use crate::backend::rust::EmitError;
use crate::convert::Conversion;
use crate::diagnostic::{Diagnostic, Span};
use crate::format::{Coordinate, FormatLevel};
use crate::ir;
use crate::ir::kernel::Held;
use crate::level::{Kinds, Switches};
use crate::notation::ast;
use crate::notation::concrete::{Kernel, Role, Stmt, Tensor};
use crate::plan::Plan;

/// A kernel for one choice of formats, stage by stage.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Names resolved; workspaces added.
    pub kernel: Kernel,
    /// Loops and reductions explicit: concrete index notation.
    pub statements: Vec<Stmt>,
    /// What was decided before anything was lowered.
    pub plan: Plan,
    /// The routine, where the kernel only copies a tensor into another format: it is made as conversions are.
    pub conversion: Option<Conversion>,
    /// What both backends take: simplified, outermost loops parallel where they can be.
    pub ir: ir::Kernel,
    /// Where the kernel's name stands.
    pub span: Span,
    /// Warnings: what may be unintended, or costs more than it seems.
    pub warnings: Vec<Diagnostic>,
}

/// Has results that are rows of a store made as static rows; which outer level and store each one is to be held in.
pub(crate) fn hold_rows(kernel: &mut Kernel) -> BTreeMap<String, Held> {
    let mut held = BTreeMap::new();
    for tensor in kernel.tensors.iter_mut().filter(|tensor| tensor.role == Role::Result) {
        let Some(format) = &mut tensor.format else { continue };
        let [outer, row] = &mut format.levels[..] else { continue };
        let by_rows = outer.coordinate == Coordinate::Index(0) && row.coordinate == Coordinate::Index(1);
        let is_outer = outer.is_store() || outer.is_array();
        if !by_rows || !is_outer || !row.is_store() || row.kind.is_table() {
            continue;
        }
        held.insert(
            tensor.name.clone(),
            Held {
                outer: outer.kind.name().to_owned(),
                nested: outer.is_store() && !outer.kind.is_table(),
                row: row.kind.name().to_owned(),
            },
        );
        for (level, kind) in [(outer, Kinds::array()), (row, Kinds::list())] {
            *level = FormatLevel::new(level.coordinate.clone(), kind, Vec::new(), Switches::default());
        }
    }
    held
}

impl Compiled {
    /// The kernel in concrete index notation, below a line with the formats of its tensors.
    pub fn concrete(&self) -> String {
        let mut shown =
            format!("{}{}\n", self.kernel.name, formats(&self.kernel).map_or(String::new(), |f| format!("    {f}")));
        for stmt in &self.statements {
            shown += &format!("  {}\n", self.kernel.show(stmt));
        }
        shown
    }

    /// Every choice that was made, statement by statement, below a line with the formats of the tensors.
    pub fn plan(&self) -> String {
        if let Some(conversion) = &self.conversion {
            return conversion.plan();
        }
        format!(
            "{}{}\n{}",
            self.kernel.name,
            formats(&self.kernel).map_or(String::new(), |f| format!("    {f}")),
            self.plan.show(&self.kernel)
        )
    }

    /// An error of the emitter, in the words of the kernel's author.
    pub fn explain(&self, error: &EmitError) -> Diagnostic {
        let name = &self.kernel.name;
        match error {
            EmitError::Unsupported { what, .. } => {
                Diagnostic::new(self.span, format!("kernel `{name}` cannot become Rust: it needs {what}"))
                    .help("`pleach eval` computes it without a compiler; or give the tensor another format")
            }
            EmitError::TooManyArrays(_) => Diagnostic::new(
                self.span,
                format!("kernel `{name}` writes more arrays in parallel than can be dealt out"),
            )
            .help("split it into several kernels"),
            EmitError::Invalid { .. } | EmitError::Syntax(_) => {
                Diagnostic::new(self.span, format!("kernel `{name}` cannot become Rust: {error}"))
            }
        }
    }
}

/// The user's comment right above the kernel, its statements as they are written, and the formats they are compiled for.
pub(crate) fn documentation(kernel: &ast::Kernel, resolved: &Kernel, text: &str) -> Vec<String> {
    /// Formats stand behind the expression as long as the line stays within this.
    const WIDE: usize = 100;
    let mut lines: Vec<String> = Vec::new();
    for stmt in &kernel.body {
        let source = text.get(stmt.span.start..stmt.span.end).unwrap_or_default();
        lines.push(source.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches(';').to_owned());
    }
    if let Some(formats) = formats(resolved) {
        match &mut lines[..] {
            [only] if only.len() + formats.len() + 10 <= WIDE => *only += &format!("          {formats}"),
            _ => lines.extend([String::new(), formats]),
        }
    }
    // What a documentation generator would read as a tag or a link is shown as it is.
    if lines.iter().any(|line| line.contains(['<', '['])) {
        lines.insert(0, "```text".into());
        lines.push("```".into());
    }
    let remarks = remarks(text.get(..kernel.span.start).unwrap_or_default());
    if !remarks.is_empty() {
        lines.push(String::new());
        lines.extend(remarks);
    }
    lines
}

/// The comment lines that end a text, without their slashes.
fn remarks(before: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    // The last piece is what stands before the kernel on its own line.
    let mut pieces = before.rsplit('\n');
    if pieces.next().is_some_and(|own| !own.trim().is_empty()) {
        return lines;
    }
    for line in pieces {
        let Some(remark) = line.trim_start().strip_prefix("//") else { break };
        lines.push(remark.trim_start_matches('/').trim().to_owned());
    }
    lines.reverse();
    lines
}

/// `A: i: dense, j: ctree;  B, C: i: dense, j: compressed`: of all tensors but dense vectors. `None` if there are no others.
fn formats(kernel: &Kernel) -> Option<String> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    let passed = |tensor: &&Tensor| matches!(tensor.role, Role::Param | Role::Result);
    for tensor in kernel.tensors.iter().filter(passed) {
        let Some(format) = tensor.format.as_ref().filter(|format| format.rank() > 1 || !format.is_full()) else {
            continue;
        };
        let text = format.levels_text();
        match groups.iter_mut().find(|group| group.0 == text) {
            Some(group) => group.1.push(&tensor.name),
            None => groups.push((text, vec![&tensor.name])),
        }
    }
    let groups: Vec<String> = groups.into_iter().map(|(text, names)| format!("{}: {text}", names.join(", "))).collect();
    (!groups.is_empty()).then(|| groups.join(";  "))
}

/// Results in a store whose sizes are not its defaults: the Rust type of a store has these.
pub(crate) fn sizes_without_type(kernel: &Kernel) -> Vec<Diagnostic> {
    let mut mistakes = Vec::new();
    for tensor in kernel.tensors.iter().filter(|tensor| tensor.role == Role::Result) {
        let levels = tensor.format.iter().flat_map(|format| &format.levels);
        for level in levels.filter(|level| level.is_store()) {
            let (name, defaults) = (level.kind.name(), level.kind.parameters());
            if defaults.starts_with(&level.args) {
                continue;
            }
            let sizes = |all: &[i64]| all.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
            let (given, known) = (sizes(&level.args), sizes(defaults));
            let message = format!(
                "`{}` would be returned in `{name}<{known}>`, not in `{name}<{given}>`: the Rust type of a store has its default sizes",
                tensor.name
            );
            let help = format!("return it in `{name}`, or declare a store with these sizes as its defaults");
            mistakes.push(Diagnostic::new(tensor.span, message).help(help));
        }
    }
    mistakes
}
