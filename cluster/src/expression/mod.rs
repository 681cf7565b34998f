//! Kernels from expressions: index notation over the rows of all workers, lowered with the exchange that its indices demand.
//!
//! ```text
//!   y(i) = A(i,j) * x(j)        rows i are owned, columns j may be ghosts
//!                                 gather  x(j)   owners send the values of ghosts                8 bytes a ghost
//!                                 keep    y(i)   each row is whole at its owner                  nothing
//!
//!   y(j) = A(i,j) * x(i)          keep    x(i)                                                   nothing
//!                                 reduce  y(j)   holders of ghosts send partial results         8 bytes a ghost
//!
//!   s = x(i) * y(i)               reduce  s      every worker sends its part to every other     8 bytes a pair of workers
//! ```
//!
//! A statement names the graph's matrix once at most, as many times as it likes. Vectors have an entry for each vertex; each worker has those
//! of its own. The compiler plans and lowers what a worker computes on its rows; that runs in the interpreter, so that no compiler is needed
//! where the workers are. `over SEMIRING` and the reductions of index notation mean what they mean everywhere.

mod check;
mod run;

use std::collections::BTreeMap;
use std::fmt::Write;

use pleach_codegen::diagnostic::SourceFile;
use pleach_codegen::expression::Expression as Tensors;
use pleach_codegen::ir::interpret::{Compile, Program};
use pleach_codegen::notation::concrete::Reduction;
use pleach_codegen::session::Session;

pub use run::{EvaluateError, Tensor};

use check::Checked;

/// An expression that workers compute together: one statement, or several separated by `;`.
pub struct Expression {
    statements: Vec<Statement>,
    /// Tensors whose values a caller gives.
    inputs: BTreeMap<String, (usize, bool)>,
}

/// A vector or a number whose value a caller gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input<'a> {
    /// Its name.
    pub name: &'a str,
    /// 1 for a vector, 0 for a number.
    pub rank: usize,
    /// Whether it is read. Otherwise results are folded into it, and without a value they begin anew.
    pub is_read: bool,
}

/// Why an expression is refused, in the user's terms.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExpressionError(String);

/// A statement, and what it exchanges.
struct Statement {
    /// As it was written.
    text: String,
    target: Target,
    /// How results fold into what is there already; `None` if they take its place.
    update: Option<Fold>,
    /// What each worker computes.
    program: Program,
    params: Vec<Param>,
    /// The plan of that, in words.
    plan: String,
    matrix: Option<String>,
}

/// What a statement writes.
struct Target {
    name: String,
    place: Place,
    /// How the parts of workers become one, where each has a part.
    fold: Option<Fold>,
}

/// Where the values of a tensor are that a statement reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// A value of each vertex of this worker.
    Rows,
    /// A value of each vertex that occurs in rows of this worker: its own, and the ghosts.
    Columns,
    /// One number, the same everywhere.
    Scalar,
}

/// An operand, in the order in which the program takes them.
enum Param {
    Matrix,
    Vector(String, Place),
    Scalar(String),
}

/// How two numbers become one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Fold {
    by: Reduction,
    /// What leaves the other number alone.
    neutral: f64,
}

impl Fold {
    fn of(self, a: f64, b: f64) -> f64 {
        let truth = |truth: bool| f64::from(u8::from(truth));
        match self.by {
            Reduction::Add => a + b,
            Reduction::Mul => a * b,
            // What is no number stays so, as in every kernel.
            Reduction::Min | Reduction::Max if a.is_nan() || b.is_nan() => f64::NAN,
            Reduction::Min => a.min(b),
            Reduction::Max => a.max(b),
            Reduction::Or => truth(a != 0.0 || b != 0.0),
            Reduction::And => truth(a != 0.0 && b != 0.0),
        }
    }
}

impl Expression {
    /// Reads and compiles an expression. `declarations` are texts with functions and semirings of the user.
    ///
    /// # Errors
    ///
    /// [`ExpressionError`]: what is no index notation, or cannot be computed by several workers, and what would do.
    pub fn parse(text: &str, declarations: &[SourceFile]) -> Result<Self, ExpressionError> {
        let shown = |wrong: pleach_codegen::diagnostic::Diagnostics| ExpressionError(wrong.render("expression", text));
        let tensors = Tensors::parse(text, declarations).map_err(shown)?;
        let statements = tensors
            .statements()
            .iter()
            .map(|statement| Statement::new(&check::check(statement, &tensors)?, &tensors.file(), declarations))
            .collect::<Result<Vec<_>, ExpressionError>>()?;
        let mut inputs = BTreeMap::new();
        for tensor in tensors.tensors.iter().filter(|tensor| tensor.rank() < 2) {
            let is_read = !tensor.written || tensor.held;
            let first = statements.iter().find(|statement: &&Statement| statement.target.name == tensor.name);
            if is_read || first.is_some_and(|first| first.update.is_some()) {
                inputs.insert(tensor.name.clone(), (tensor.rank(), is_read));
            }
        }
        Ok(Expression { statements, inputs })
    }

    /// The vectors and numbers that are read before a statement has written them, or that the first statement to write them folds into.
    pub fn inputs(&self) -> impl Iterator<Item = Input<'_>> {
        self.inputs.iter().map(|(name, &(rank, is_read))| Input { name, rank, is_read })
    }

    /// What is exchanged and what each worker computes, in words.
    pub fn plan(&self) -> String {
        let mut text = String::new();
        for statement in &self.statements {
            let mut line = |words: std::fmt::Arguments<'_>| {
                let _ = writeln!(text, "{words}");
            };
            line(format_args!("{}", statement.text));
            if let Some(matrix) = &statement.matrix {
                line(format_args!("  rows    {matrix:10} each worker has the rows of its vertices"));
            }
            for param in &statement.params {
                if let Param::Vector(name, Place::Columns) = param {
                    line(format_args!("  gather  {name:10} owners send the values of ghosts: 8 bytes a ghost"));
                }
            }
            let Target { name, place, fold } = &statement.target;
            match (place, fold) {
                (Place::Columns, _) => {
                    line(format_args!(
                        "  reduce  {name:10} holders of ghosts send partial results to the owners: 8 bytes a ghost"
                    ));
                }
                (Place::Rows, _) => {
                    line(format_args!("  keep    {name:10} every entry is whole at its owner: nothing is sent"))
                }
                (Place::Scalar, Some(_)) => {
                    line(format_args!(
                        "  reduce  {name:10} every worker sends its part to every other: 8 bytes a pair of workers"
                    ));
                }
                (Place::Scalar, None) => {
                    line(format_args!("  keep    {name:10} every worker computes it: nothing is sent"))
                }
            }
            line(format_args!("  each worker:"));
            for own in statement.plan.lines() {
                line(format_args!("    {own}"));
            }
        }
        text
    }
}

impl Statement {
    fn new(checked: &Checked, file: &SourceFile, declarations: &[SourceFile]) -> Result<Self, ExpressionError> {
        let mut session = Session::bundled();
        for file in declarations.iter().cloned() {
            session.add(file, &mut |named, _| std::fs::read_to_string(named).map(|text| SourceFile::new(named, text)));
        }
        session.add_kernel(file, checked.kernel());
        session.check().map_err(|wrong| ExpressionError(wrong.to_string()))?;
        let compiled =
            session.kernels().last().ok_or_else(|| ExpressionError("there is nothing to compute".to_owned()))?;
        check::check_absent(compiled, checked)?;
        let fold = match checked.is_folded() {
            true => Some(check::fold(compiled, checked)?),
            false => None,
        };
        let update = match checked.updates {
            true => Some(fold.map_or_else(|| check::update(compiled, checked), Ok)?),
            false => None,
        };
        let program = Compile::new().compile(&compiled.ir).map_err(|error| ExpressionError(error.to_string()))?;
        let plan = compiled.plan();
        // The first line names the kernel, which is made up.
        let plan = plan.split_once('\n').map_or(String::new(), |(_, rest)| rest.to_owned());
        let target = Target { name: checked.target.clone(), place: checked.place, fold };
        let params = compiled.ir.params.iter().map(|param| checked.param(&param.name)).collect();
        let matrix = checked.matrix.clone();
        Ok(Statement { text: checked.text.clone(), target, update, program, params, plan, matrix })
    }
}
