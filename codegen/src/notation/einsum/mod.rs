//! Index notation to concrete index notation: where sums stand, in which order loops run, and which workspaces they need.
//!
//! # Where sums stand
//!
//! Each term of a sum or difference is summed over the indices that are its own and not on the left. A sum inside of a product
//! or of a numerator stays there: `(b(i) - A(i,j) * x(j)) / d(i)` sums `A(i,j) * x(j)` only. Inside of anything else it would
//! not be clear what is meant, and is refused. Any reduction but `+=` folds the whole right side.
//!
//! # In which order loops run
//!
//! Formats require an order: the levels above a level that cannot be searched must run before it. Among the orders that satisfy all
//! operands, the one nearest to *left side first* is taken; into a dense result, what only dense operands keep comes last, so that entries
//! are visited once. If there is none (`A(i,j) + A(j,i)` of two CSR matrices), the left side's order is taken, and lowering sorts the
//! operands that disagree into a temporary. A fold that one operand drives (`drive`) requires no order.
//!
//! # Which workspaces there are
//!
//! ```text
//! y(i) = A(i,j) * x(j)       rows first:     forall(i, y(i) = t where forall(j, t += A(i,j) * x(j)))
//!                            columns first:  forall(j, forall(i, y(i) += A(i,j) * x(j)))
//!                            as A is stored: forall(i, forall(j, y(i) += A(i,j) * x(j)))
//! C(i,j) = A(i,k) * B(k,j)   sparse result:  forall(i, forall(j, C(i,j) = w(j)) where forall(k, forall(j, w(j) += …)))
//! ```

mod order;

use order::{begins_with, ends_densely};

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::notation::ast::{Literal, ValueType};
use crate::notation::concrete::*;
use crate::notation::drive::driver;

/// Every statement of `kernel` as concrete index notation. Workspaces are added to the kernel's tensors.
///
/// # Errors
///
/// Sums that could be meant in several ways, and sparse tensors that several statements write in ways that cannot be merged.
pub fn concretize(kernel: &mut Kernel) -> Result<Vec<Stmt>, Diagnostics> {
    super::versions::split(kernel)?;
    let mut stmts = Vec::new();
    let mut mistakes = Diagnostics::new();
    // The tensors that have values before a statement starts.
    let mut held: Vec<TensorId> =
        (0..kernel.tensors.len()).map(TensorId).filter(|id| kernel.tensor(*id).role == Role::Param).collect();
    for statement in kernel.body.clone() {
        match statement {
            Statement::Concrete(stmt) => {
                kernel.orders.push(Vec::new());
                held.extend(stmt.written());
                stmts.push(stmt);
            }
            Statement::Index(assign) => {
                let mut reordered = Vec::new();
                let (target, holds) = (assign.target.tensor, held.contains(&kernel.base(assign.target.tensor)));
                match (Einsum { kernel: &mut *kernel, assign, holds, reordered: &mut reordered }).statement() {
                    Ok(stmt) => stmts.push(stmt),
                    Err(mistake) => mistakes.push(*mistake),
                }
                kernel.orders.push(reordered);
                held.push(target);
            }
        }
    }
    mistakes.into_result(stmts)
}

type Placed<T> = Result<T, Box<Diagnostic>>;

struct Einsum<'k> {
    kernel: &'k mut Kernel,
    assign: Assign,
    /// Whether the target holds something already.
    holds: bool,
    /// Why loops do not run in the order nearest to how the statement is written.
    reordered: &'k mut Vec<String>,
}

impl Einsum<'_> {
    fn statement(&mut self) -> Placed<Stmt> {
        let assign = self.assign.clone();
        if self.reads_what_it_writes() {
            return self.through_copy();
        }
        let free = assign.target.indices.clone();
        let own: Vec<Index> = assign.value.indices().into_iter().filter(|index| !free.contains(index)).collect();
        let sums = match assign.reduce {
            None => true,
            Some(reduce) => assign.over.is_some() || reduce == Reduction::Add,
        };
        if own.is_empty() {
            let order = self.order(&free);
            return Ok(Stmt::foralls(order, Stmt::Assign(assign.clone()), assign.span));
        }
        if !sums {
            return Ok(self.single(&own));
        }
        let inside: Vec<bool> = own.iter().map(|&index| belongs_inside(&assign.value, index)).collect();
        let additive = is_additive(&assign.value);
        if !additive && !inside.contains(&true) {
            return Ok(self.single(&own));
        }
        let mut producers = Vec::new();
        let value = self.terms(&assign.value, &free, &mut producers)?;
        let order = self.order(&free);
        let body =
            producers.into_iter().fold(Stmt::Assign(Assign { value, ..assign.clone() }), |consumer, producer| {
                Stmt::Where { consumer: Box::new(consumer), producer: Box::new(producer) }
            });
        Ok(Stmt::foralls(order, body, assign.span))
    }

    /// Whether the target is read, on the right or as the mask, in a way that later iterations would see what earlier ones wrote.
    fn reads_what_it_writes(&self) -> bool {
        let target = &self.assign.target;
        let free = &target.indices;
        let sums = self.assign.value.indices().iter().any(|index| !free.contains(index));
        // Several iterations may write one place, as in `Q(i / 2) += Q(i / 2)`.
        let again = self.kernel.views.get(&target.tensor).is_some_and(|view| !view.shows_apart(free.len()));
        let mut reads = false;
        self.assign.reads(&mut |access| {
            let same = access.tensor == target.tensor && access.indices == target.indices;
            reads |= self.kernel.base(access.tensor) == self.kernel.base(target.tensor) && (sums || again || !same);
        });
        reads
    }

    /// `forall(i, y(i) op= new(i)) where …`: the right side is computed from the values that the target has before the statement,
    /// into a workspace that starts from what folding nothing gives; then it is folded into the target.
    fn through_copy(&mut self) -> Placed<Stmt> {
        let assign = self.assign.clone();
        let target = self.kernel.tensor(assign.target.tensor).clone();
        // A sum is implied by the right side; any other reduction folds the whole of it.
        let folds = assign.reduce.filter(|reduce| assign.over.is_none() && *reduce != Reduction::Add);
        let nothing = start(&assign, folds.unwrap_or(Reduction::Add), target.value);
        let new = self.copy_of(&target, "new", nothing, &assign.target);
        let producer = Assign { target: new.clone(), reduce: folds, mask: None, ..assign.clone() };
        let mut new_values = Einsum { kernel: self.kernel, assign: producer, holds: false, reordered: self.reordered };
        let mut producers = vec![new_values.statement()?];
        let mut mask = assign.mask.clone();
        let written = self.kernel.base(assign.target.tensor);
        if let Some(mask) = mask.as_mut().filter(|mask| self.kernel.base(mask.access.tensor) == written) {
            let own = self.kernel.tensor(mask.access.tensor).clone();
            let held = self.copy_of(&own, "mask", own.fill, &mask.access);
            let read = std::mem::replace(&mut mask.access, held.clone());
            let copied = Assign {
                target: held,
                mask: None,
                reduce: None,
                value: Expr::Access(read),
                over: None,
                span: assign.span,
            };
            let indices = copied.target.indices.clone();
            producers.push(Stmt::foralls(indices, Stmt::Assign(copied), assign.span));
        }
        let consumer = Assign { value: Expr::Access(new), mask, ..assign.clone() };
        let consumer = Stmt::foralls(assign.target.indices.clone(), Stmt::Assign(consumer), assign.span);
        let producer = if producers.len() == 1 { producers.remove(0) } else { Stmt::Sequence(producers) };
        Ok(Stmt::Where { consumer: Box::new(consumer), producer: Box::new(producer) })
    }

    /// A dense workspace like `target`, accessed as `access` does.
    fn copy_of(&mut self, target: &Tensor, what: &str, fill: Literal, access: &Access) -> Access {
        let name = format!("{}_{what}", target.name);
        let tensor =
            self.kernel.fresh_tensor(Tensor { name, role: Role::Workspace, format: None, fill, ..target.clone() });
        Access { tensor, fill, ..access.clone() }
    }

    /// A right side that is folded as a whole, over the indices `own`.
    fn single(&mut self, own: &[Index]) -> Stmt {
        let assign = self.assign.clone();
        let free = assign.target.indices.clone();
        let reduce = match (&assign.over, assign.reduce) {
            (Some(semiring), _) => semiring.plus,
            (None, reduce) => reduce.unwrap_or(Reduction::Add),
        };
        let all: Vec<Index> = free.iter().chain(own).copied().collect();
        let order = self.order(&all);
        let first_own = order.iter().position(|index| own.contains(index)).unwrap_or(order.len());
        let (before, after) = order.split_at(first_own);
        let trailing: Vec<Index> = after.iter().copied().filter(|index| free.contains(index)).collect();
        let target = self.kernel.tensor(assign.target.tensor);
        let sparse = !target.is_full();
        let converted = assign.computed_type(&self.kernel.tensors) != target.value;
        let accumulated = Assign { reduce: Some(reduce), ..assign.clone() };
        let alone = free.is_empty() && !self.holds && assign.mask.is_none();
        let nothing = assign.over.as_ref().map_or(reduce.identity(target.value), |semiring| semiring.zero);
        let filled = assign.reduce.is_none() && !same(nothing, target.fill);
        // Where a new tensor is masked out, it holds its fill, and not what folding nothing gives.
        let masked = filled && !self.holds && assign.mask.is_some();
        let folds_in_place = !sparse
            && !masked
            && !converted
            && (alone || !free.is_empty() && driver(self.kernel, &order, &accumulated).is_some());
        if trailing.is_empty() && !folds_in_place {
            // All sums inside: a scalar holds each one.
            return self.through_workspace("t", &[], before, after, reduce);
        }
        let in_order = target.format.as_ref().is_some_and(|format| begins_with(format, &assign.target.indices, before));
        if sparse && in_order && !converted && !filled && ends_densely(target.format.as_ref(), before.len()) {
            // A block of the target takes what comes in any order.
            return Stmt::foralls(order, Stmt::Assign(accumulated), assign.span);
        }
        if sparse && in_order && trailing.len() == 1 {
            // A row at a time: a workspace takes what comes in any order.
            return self.through_workspace("w", &trailing, before, after, reduce);
        }
        if !sparse && converted || sparse && filled || masked {
            // Values are folded in the type that they are computed in, and converted once. A sparse tensor whose fill is not the neutral
            // element stores that element where nothing is folded.
            return self.through_workspace("w", &free, &[], &order, reduce);
        }
        if assign.reduce.is_some() || !self.holds {
            return Stmt::foralls(order, Stmt::Assign(accumulated), assign.span);
        }
        self.after_clearing(nothing, accumulated, before, after, trailing)
    }

    /// Loops over `before` around a workspace over `indices`: loops over `inner` fold into it, and then it is written to the target.
    fn through_workspace(
        &mut self,
        name: &str,
        indices: &[Index],
        before: &[Index],
        inner: &[Index],
        reduce: Reduction,
    ) -> Stmt {
        let assign = self.assign.clone();
        let workspace = self.workspace(name, indices, reduce);
        let producer = Assign { target: workspace.clone(), mask: None, reduce: Some(reduce), ..assign.clone() };
        let producer = Stmt::foralls(inner.to_vec(), Stmt::Assign(producer), assign.span);
        let consumer = Assign { value: Expr::Access(workspace), ..assign.clone() };
        let consumer = Stmt::foralls(indices.to_vec(), Stmt::Assign(consumer), assign.span);
        let body = Stmt::Where { consumer: Box::new(consumer), producer: Box::new(producer) };
        Stmt::foralls(before.to_vec(), body, assign.span)
    }

    /// Loops that fold into a target with old values, which `=` replaces: the neutral element is assigned to the target first, row by row
    /// or to all of it at once.
    fn after_clearing(
        &self,
        nothing: Literal,
        accumulated: Assign,
        before: &[Index],
        after: &[Index],
        trailing: Vec<Index>,
    ) -> Stmt {
        let assign = &self.assign;
        let clear = Assign { value: Expr::Literal(nothing), over: None, ..assign.clone() };
        let order = [before, after].concat();
        if !before.is_empty() && driver(self.kernel, &order, &accumulated).is_none() && self.visits_all(before) {
            // A row of the target is cleared just before it is folded into.
            let clear = Stmt::foralls(trailing, Stmt::Assign(clear), assign.span);
            let row = Stmt::foralls(after.to_vec(), Stmt::Assign(accumulated), assign.span);
            return Stmt::foralls(before.to_vec(), Stmt::Sequence(vec![clear, row]), assign.span);
        }
        let loops = Stmt::foralls(order, Stmt::Assign(accumulated), assign.span);
        let clear = Stmt::foralls(assign.target.indices.clone(), Stmt::Assign(clear), assign.span);
        Stmt::Sequence(vec![clear, loops])
    }

    /// Whether loops over `indices` come to all coordinates anyway: no operand keeps one of them in a level with gaps.
    fn visits_all(&self, indices: &[Index]) -> bool {
        let mut all = self.assign.mask.is_none();
        self.assign.reads(&mut |access| {
            let Some(format) = &self.kernel.tensor(access.tensor).format else { return };
            all &= format
                .levels
                .iter()
                .all(|level| level.index_of(access).is_some_and(|index| level.is_full() || !indices.contains(&index)));
        });
        all
    }

    /// The expression with a scalar for each sum; what fills the scalars is added to `producers`.
    fn terms(&mut self, expr: &Expr, bound: &[Index], producers: &mut Vec<Stmt>) -> Placed<Expr> {
        match expr {
            Expr::Apply(op @ (Operator::Neg | Operator::Add | Operator::Sub | Operator::Plus(_)), args) => {
                let args = args.iter().map(|arg| self.terms(arg, bound, producers)).collect::<Placed<Vec<Expr>>>()?;
                Ok(Expr::Apply(op.clone(), args))
            }
            _ => {
                let own: Vec<Index> = expr.indices().into_iter().filter(|index| !bound.contains(index)).collect();
                let (inner, outer): (Vec<Index>, Vec<Index>) =
                    own.into_iter().partition(|&index| belongs_inside(expr, index));
                for &index in &inner {
                    if !is_linear(expr, index) {
                        let name = &self.kernel.indices[index.0];
                        let shown = self.kernel.show_expr(expr).to_string();
                        return Err(Box::new(
                            Diagnostic::new(self.assign.span, format!("it is not clear what the sum over `{name}` holds"))
                                .note(format!("in `{shown}`, `{name}` is an index of one term only, inside of an operation that no sum can be drawn out of"))
                                .help("compute the sum in a statement of its own"),
                        ));
                    }
                }
                if outer.is_empty() {
                    return self.factors(expr, bound, producers);
                }
                let reduce = self.assign.over.as_ref().map_or(Reduction::Add, |semiring| semiring.plus);
                let scalar = self.workspace("t", &[], reduce);
                let bound: Vec<Index> = bound.iter().chain(&outer).copied().collect();
                let mut nested = Vec::new();
                let value = self.factors(expr, &bound, &mut nested)?;
                let sum =
                    Assign { target: scalar.clone(), mask: None, reduce: Some(reduce), value, ..self.assign.clone() };
                let body = nested.into_iter().fold(Stmt::Assign(sum), |consumer, producer| Stmt::Where {
                    consumer: Box::new(consumer),
                    producer: Box::new(producer),
                });
                let order = self.order_of(&outer, expr);
                producers.push(Stmt::foralls(order, body, self.assign.span));
                Ok(Expr::Access(scalar))
            }
        }
    }

    /// The same for the factors of a product or quotient; any other expression is left as it is.
    fn factors(&mut self, expr: &Expr, bound: &[Index], producers: &mut Vec<Stmt>) -> Placed<Expr> {
        match expr {
            Expr::Apply(op @ (Operator::Mul | Operator::Div | Operator::Times(_)), args) => {
                let args = args.iter().map(|arg| self.terms(arg, bound, producers)).collect::<Placed<Vec<Expr>>>()?;
                Ok(Expr::Apply(op.clone(), args))
            }
            other => Ok(other.clone()),
        }
    }

    /// A workspace for values that are folded by `reduce`.
    fn workspace(&mut self, name: &str, indices: &[Index], reduce: Reduction) -> Access {
        let value = self.assign.computed_type(&self.kernel.tensors);
        let value = if value == ValueType::Pattern { ValueType::Bool } else { value };
        let fill = self.assign.over.as_ref().map_or(reduce.identity(value), |semiring| semiring.zero);
        self.kernel.workspace(name, indices, value, fill, self.assign.span)
    }
}

fn is_additive(expr: &Expr) -> bool {
    matches!(expr, Expr::Apply(Operator::Neg | Operator::Add | Operator::Sub | Operator::Plus(_), _))
}

fn is_sum(op: &Operator) -> bool {
    matches!(op, Operator::Add | Operator::Sub | Operator::Plus(_))
}

/// Whether the sum over `index` stands around a term inside of `expr`, and not around all of `expr`, which has every use of `index`.
fn belongs_inside(expr: &Expr, index: Index) -> bool {
    match expr {
        Expr::Apply(op, args) if is_sum(op) => {
            args.iter().any(|arg| arg.uses(index)) && args.iter().any(|arg| !arg.uses(index))
                || args.iter().any(|arg| belongs_inside(arg, index))
        }
        Expr::Apply(_, args) => {
            let mut holders = args.iter().filter(|arg| arg.uses(index));
            match (holders.next(), holders.next()) {
                (Some(holder), None) => belongs_inside(holder, index),
                _ => false,
            }
        }
        _ => false,
    }
}

/// Whether everything between `expr` and the terms that hold `index` is a sum, a product or a numerator.
fn is_linear(expr: &Expr, index: Index) -> bool {
    match expr {
        Expr::Apply(op, args) if is_sum(op) => {
            args.iter().filter(|arg| arg.uses(index)).all(|arg| !belongs_inside(arg, index) || is_linear(arg, index))
        }
        Expr::Apply(Operator::Mul | Operator::Times(_) | Operator::Neg, args) => {
            args.iter().filter(|arg| arg.uses(index)).all(|arg| is_linear(arg, index))
        }
        Expr::Apply(Operator::Div, args) => !args[1].uses(index) && is_linear(&args[0], index),
        other => !belongs_inside(other, index),
    }
}

/// What a tensor holds before anything is folded into it by `reduce`.
pub fn start(assign: &Assign, reduce: Reduction, value: ValueType) -> Literal {
    assign.over.as_ref().map_or(reduce.identity(value), |semiring| semiring.zero)
}
