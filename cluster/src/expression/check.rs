//! What workers can compute together, and how a statement is written out for one of them.
//!
//! The indices of the matrix decide: the first one runs over the rows of a worker, the second over the columns that occur in them. A vector at
//! the second one is another operand than at the first: `x(j)` becomes `x_ghosts(j)`.

use pleach_codegen::diagnostic::Span;
use pleach_codegen::expression::Expression as Tensors;
use pleach_codegen::kernel::Compiled;
use pleach_codegen::notation::algebra::{changes_nothing, simplify};
use pleach_codegen::notation::ast::{
    Assign as Written, AssignOp, Expr, ExprKind, Kernel, Name, Stmt, StmtKind, ValueType,
};
use pleach_codegen::notation::concrete::{Access, Assign, Expr as Value, Reduction, Stmt as Concrete, number};
use pleach_codegen::notation::parse_param;
use pleach_codegen::notation::presence::Presence;

use super::{ExpressionError, Fold, Param, Place};

/// Behind the name of a vector at the columns of the matrix.
const GHOSTS: &str = "_ghosts";

/// The message for a tensor whose name a worker needs for an operand or a result of its own.
const TAKEN: &str = "a worker uses this name for something else in this statement; give the tensor another one";

/// A statement that workers can compute together.
pub(super) struct Checked {
    /// As it was written.
    pub(super) text: String,
    /// As one worker computes it.
    own: Stmt,
    pub(super) target: String,
    pub(super) place: Place,
    /// Whether the result folds into what is there.
    pub(super) updates: bool,
    /// The matrix, as it is accessed.
    pub(super) matrix: Option<String>,
    /// Name of the matrix; vectors with their places, and scalars, by the names that they have in `own`.
    operands: Vec<(String, Operand)>,
}

#[derive(PartialEq)]
enum Operand {
    Matrix,
    Vector(String, Place),
    Scalar(String),
}

/// Which index of the matrix an index is.
struct Axes {
    matrix: Option<(String, String)>,
}

impl Axes {
    fn place(&self, index: &str) -> Option<Place> {
        match &self.matrix {
            Some((row, _)) if row == index => Some(Place::Rows),
            Some((_, column)) if column == index => Some(Place::Columns),
            Some(_) => None,
            None => Some(Place::Rows),
        }
    }
}

fn refuse<T>(words: impl Into<String>) -> Result<T, ExpressionError> {
    Err(ExpressionError(words.into()))
}

/// Checks a statement of an expression with these tensors.
pub(super) fn check(statement: &Stmt, tensors: &Tensors) -> Result<Checked, ExpressionError> {
    let StmtKind::Assign(assign) = &statement.kind else {
        return refuse(format!(
            "`{statement}`: workers compute index notation, whose loops are implied; write an assignment such as `y(i) = A(i,j) * x(j)`"
        ));
    };
    if let Some(mask) = &assign.mask {
        return refuse(format!("`{mask}`: masks are not for several workers; multiply by a vector, or use `select`"));
    }
    if let Some(coordinates) = &assign.target.coordinates {
        let shown: Vec<String> = coordinates.iter().map(ToString::to_string).collect();
        return refuse(format!("`{}`: expected indices only", shown.join(", ")));
    }
    if assign.target.indices.len() > 1 {
        return refuse(format!("`{}`: results are vectors and numbers", assign.target));
    }
    let mut axes = Axes { matrix: None };
    let mut accesses = Vec::new();
    collect(&assign.value, tensors, &mut accesses)?;
    for (name, indices) in &accesses {
        let [row, column] = &indices[..] else { continue };
        if row == column {
            return refuse(format!("`{name}({row},{column})`: the diagonal is not for several workers"));
        }
        match &axes.matrix {
            None => axes.matrix = Some((row.clone(), column.clone())),
            Some((r, c)) if (r, c) == (row, column) => {}
            Some((r, c)) => {
                return refuse(format!(
                    "`{name}({row},{column})` beside `{name}({r},{c})`: one statement walks the rows once; write two, with a vector \
                     between them, such as `t(k) = {name}(k,j) * x(j); y(i) = {name}(i,k) * t(k)`"
                ));
            }
        }
    }
    Checked::new(assign, statement.span, tensors, &axes, &accesses)
}

/// The tensors of an expression with their indices; refuses what has other coordinates, and indices as values.
fn collect(expr: &Expr, tensors: &Tensors, found: &mut Vec<(String, Vec<String>)>) -> Result<(), ExpressionError> {
    match &expr.kind {
        ExprKind::Literal(_) => Ok(()),
        ExprKind::Name(name) => match tensors.tensor(&name.text) {
            Some(_) => {
                found.push((name.text.clone(), Vec::new()));
                Ok(())
            }
            None => {
                refuse(format!("`{name}`: the value of an index is not for several workers; give a vector of the ids"))
            }
        },
        ExprKind::Slice(slice) => refuse(format!("`{}`: slices are not for several workers", slice.index)),
        ExprKind::Neg(inner) => collect(inner, tensors, found),
        ExprKind::Binary { left, right, .. } => {
            collect(left, tensors, found)?;
            collect(right, tensors, found)
        }
        ExprKind::Apply { name, args } => {
            let Some(tensor) = tensors.tensor(&name.text) else {
                return args.iter().try_for_each(|arg| collect(arg, tensors, found));
            };
            let index = |arg: &Expr| match &arg.kind {
                ExprKind::Name(index) => Ok(index.text.clone()),
                _ => refuse(format!("`{expr}`: expected indices only, not `{arg}`")),
            };
            let indices: Vec<String> = args.iter().map(index).collect::<Result<_, _>>()?;
            if indices.len() > 2 || tensor.rank() != indices.len() {
                return refuse(format!("`{expr}`: expected a matrix, which is the graph's, or a vector"));
            }
            found.push((name.text.clone(), indices));
            Ok(())
        }
    }
}

impl Checked {
    fn new(
        assign: &Written,
        span: Span,
        tensors: &Tensors,
        axes: &Axes,
        accesses: &[(String, Vec<String>)],
    ) -> Result<Self, ExpressionError> {
        let text = assign.to_string();
        let matrices: Vec<&str> =
            tensors.tensors.iter().filter(|tensor| tensor.rank() == 2).map(|tensor| tensor.name.as_str()).collect();
        if matrices.len() > 1 {
            let all = matrices.join("`, `");
            return refuse(format!("`{all}`: there is one matrix, that of the graph"));
        }
        let place_of = |index: &str| match axes.place(index) {
            Some(place) => Ok(place),
            None => refuse(format!("`{text}`: the index `{index}` is none of the matrix's")),
        };
        let place = match &assign.target.indices[..] {
            [] => Place::Scalar,
            [index, ..] => place_of(&index.text)?,
        };
        let vectors = || accesses.iter().filter(|(_, indices)| indices.len() == 1);
        if axes.matrix.is_none() {
            let mut indices: Vec<&str> = vectors().map(|(_, indices)| indices[0].as_str()).collect();
            indices.extend(assign.target.indices.iter().map(|index| index.text.as_str()));
            indices.sort_unstable();
            indices.dedup();
            if indices.len() > 1 {
                let all = indices.join("` and `");
                return refuse(format!(
                    "`{text}`: `{all}` are not joined by the matrix; sum one of them up into a number first"
                ));
            }
        }
        if let [index] = &assign.target.indices[..]
            && !accesses.iter().any(|(_, indices)| indices.contains(&index.text))
        {
            return refuse(format!("`{text}`: no tensor on the right has the index `{index}`"));
        }
        let mut operands: Vec<(String, Operand)> = Vec::new();
        for (name, indices) in accesses {
            let (own, operand) = match &indices[..] {
                [] => (name.clone(), Operand::Scalar(name.clone())),
                [index] => {
                    let place = place_of(index)?;
                    (renamed(name, place), Operand::Vector(name.clone(), place))
                }
                _ => (name.clone(), Operand::Matrix),
            };
            match operands.iter().find(|(known, _)| *known == own) {
                None => operands.push((own, operand)),
                Some((_, known)) if *known == operand => {}
                Some(_) => return refuse(format!("`{own}`: {TAKEN}")),
            }
        }
        let made = result(&assign.target.tensor.text);
        if operands.iter().any(|(own, _)| *own == made) {
            return refuse(format!("`{made}`: {TAKEN}"));
        }
        let mut own = assign.clone();
        own.target.tensor.text = made;
        rename(&mut own.value, tensors, axes);
        let matrix =
            axes.matrix.as_ref().zip(matrices.first()).map(|((row, column), name)| format!("{name}({row},{column})"));
        Ok(Checked {
            own: Stmt { kind: StmtKind::Assign(own), span },
            target: assign.target.tensor.text.clone(),
            place,
            updates: assign.op != AssignOp::Set,
            matrix,
            operands,
            text,
        })
    }

    /// Whether the parts of workers are folded into one.
    pub(super) fn is_folded(&self) -> bool {
        match self.place {
            Place::Columns => true,
            Place::Rows => false,
            Place::Scalar => self.operands.iter().any(|(_, operand)| !matches!(operand, Operand::Scalar(_))),
        }
    }

    /// The kernel of one worker.
    pub(super) fn kernel(&self) -> Kernel {
        let span = self.own.span;
        let param = |name: &str, format: &str| parse_param(name, format, span).expect("this is a format");
        let operand = |(name, operand): &(String, Operand)| match operand {
            Operand::Matrix => param(name, "csr"),
            Operand::Vector(..) => param(name, "dense"),
            Operand::Scalar(_) => param(name, "f64"),
        };
        let format = if self.place == Place::Scalar { "f64" } else { "dense" };
        let params = self.operands.iter().map(operand).collect();
        Kernel::around("each_worker", params, vec![param(&result(&self.target), format)], vec![self.own.clone()])
    }

    /// The operand that a parameter of the kernel is.
    pub(super) fn param(&self, name: &str) -> Param {
        match self.operands.iter().find(|(own, _)| own == name).map(|(_, operand)| operand) {
            Some(Operand::Vector(name, place)) => Param::Vector(name.clone(), *place),
            Some(Operand::Scalar(name)) => Param::Scalar(name.clone()),
            Some(Operand::Matrix) | None => Param::Matrix,
        }
    }
}

/// The name of a vector at some place.
fn renamed(name: &str, place: Place) -> String {
    format!("{name}{}", if place == Place::Columns { GHOSTS } else { "" })
}

/// The name of what a worker makes, which may be read under its own name at the same time.
fn result(name: &str) -> String {
    format!("{name}_new")
}

/// Gives vectors at the columns of the matrix names of their own.
fn rename(expr: &mut Expr, tensors: &Tensors, axes: &Axes) {
    match &mut expr.kind {
        ExprKind::Literal(_) | ExprKind::Name(_) | ExprKind::Slice(_) => {}
        ExprKind::Neg(inner) => rename(inner, tensors, axes),
        ExprKind::Binary { left, right, .. } => {
            rename(left, tensors, axes);
            rename(right, tensors, axes);
        }
        ExprKind::Apply { name, args } => {
            if tensors.tensor(&name.text).is_none() {
                args.iter_mut().for_each(|arg| rename(arg, tensors, axes));
            } else if let [Expr { kind: ExprKind::Name(index), .. }] = &args[..]
                && let Some(place) = axes.place(&index.text)
            {
                *name = Name { text: renamed(&name.text, place), span: name.span };
            }
        }
    }
}

/// The innermost assignment of a statement that is nothing but loops around it; what sets its target first, if something does.
fn innermost(statements: &[Concrete]) -> Option<&Assign> {
    fn inside(statement: &Concrete) -> Option<&Assign> {
        match statement {
            Concrete::Assign(assign) => Some(assign),
            Concrete::Forall { body, .. } => inside(body),
            Concrete::Sequence(parts) => match &parts[..] {
                [set, last] => {
                    let (set, last) = (inside(set)?, inside(last)?);
                    let sets = set.reduce.is_none() && matches!(set.value, Value::Literal(_));
                    (sets && set.target.tensor == last.target.tensor).then_some(last)
                }
                [only] => inside(only),
                _ => None,
            },
            Concrete::Where { .. } => None,
        }
    }
    match statements {
        [only] => inside(only),
        _ => None,
    }
}

/// Whether one worker has all terms that an assignment without the matrix adds up, and no other worker adds them, too: those of its rows.
fn is_whole<'c>(assign: &Assign, place: Place, operand: impl Fn(&Access) -> Option<&'c Operand>) -> bool {
    let (mut made_before, mut at_columns) = (false, false);
    assign.value.accesses(&mut |access| match operand(access) {
        None => made_before = true,
        Some(Operand::Vector(_, Place::Columns)) => at_columns = true,
        Some(_) => {}
    });
    !at_columns && (made_before || place != Place::Columns)
}

/// Refuses a statement to which a pair of vertices without an arc adds something: there would be as many terms as pairs, of which no worker
/// has all.
pub(super) fn check_absent(compiled: &Compiled, checked: &Checked) -> Result<(), ExpressionError> {
    let Some(matrix) = &checked.matrix else { return Ok(()) };
    let is_matrix = |access: &Access| compiled.kernel.tensor(access.tensor).rank == 2;
    let mut counts = false;
    let operand = |access: &Access| {
        let name = &compiled.kernel.tensor(access.tensor).name;
        checked.operands.iter().find(|(own, _)| own == name).map(|(_, operand)| operand)
    };
    for statement in &compiled.statements {
        statement.assigns(&mut |assign| {
            let mut reads = false;
            assign.value.accesses(&mut |access| reads |= is_matrix(access));
            if reads {
                let presence = |access: &Access| if is_matrix(access) { Presence::Never } else { Presence::When(()) };
                let zero = assign.over.as_ref().map(|semiring| semiring.zero);
                counts |= match (simplify(&assign.value, &presence), assign.reduce) {
                    (Value::Literal(value), Some(by)) => !changes_nothing(by, zero, value, ValueType::F64),
                    _ => true,
                };
            } else if assign.reduce.is_some() {
                counts |= !is_whole(assign, checked.place, operand);
            }
        });
    }
    match counts {
        false => Ok(()),
        true => refuse(format!(
            "`{}`: pairs of vertices without an arc would count, too; multiply each term by `{matrix}`, perhaps `over min_plus` or another \
             semiring",
            checked.text
        )),
    }
}

/// How the parts of workers are folded: as the terms of one worker are.
pub(super) fn fold(compiled: &Compiled, checked: &Checked) -> Result<Fold, ExpressionError> {
    let found = innermost(&compiled.statements).and_then(|assign| Some((assign, assign.reduce?)));
    let Some((assign, by)) = found else {
        let (text, target) = (&checked.text, &checked.target);
        let index = if checked.place == Place::Scalar { "" } else { "(j)" };
        return refuse(format!(
            "`{text}`: `{target}` is folded over all workers, and something is done to it afterwards; write the sum by itself and the rest \
             behind it, such as `t{index} = …; {target}{index} = f(t{index})`"
        ));
    };
    Ok(folding(assign, by))
}

/// How the results of a statement whose entries are whole fold into what is there.
pub(super) fn update(compiled: &Compiled, checked: &Checked) -> Result<Fold, ExpressionError> {
    let mut last = None;
    compiled.statements.iter().for_each(|statement| {
        statement.assigns(&mut |assign| {
            let name = &compiled.kernel.tensor(assign.target.tensor).name;
            if *name == result(&checked.target) && assign.reduce.is_some() {
                last = Some(assign.clone());
            }
        });
    });
    match last.as_ref().and_then(|assign| Some((assign, assign.reduce?))) {
        Some((assign, by)) => Ok(folding(assign, by)),
        None => refuse(format!("`{}`: what folds its results is not known", checked.text)),
    }
}

fn folding(assign: &Assign, by: Reduction) -> Fold {
    let own = assign.over.as_ref().filter(|semiring| semiring.plus == by).map(|semiring| semiring.zero);
    Fold { by, neutral: number(own.unwrap_or_else(|| by.identity(ValueType::F64))) }
}
