//! Statements that one operand drives: its entries are taken in the order of its storage, each once, whatever that order is.
//!
//! ```text
//! y(i) += A(i,j) * x(j)      A: coo, dia, ell, bcsr …      for every entry (i, j, a) of A: y[i] += a * x[j]
//! ```
//!
//! The statement must be a fold, since the order of its terms does not matter. The driver must be an operand without which there is nothing
//! to fold. Every other operand must be dense, or be visited in loops inside, which run over the indices that the driver does not have.

use super::algebra::{changes_nothing, simplify};
use super::ast::ValueType;
use super::concrete::{Access, Assign, Expr, Index, Kernel, Operator, Reduction, Role, Stmt};
use super::presence::Presence;
use crate::format::Format;

/// A statement with the operand that drives it.
pub(crate) struct Driven<'s> {
    /// The driver.
    pub driver: Access,
    /// The indices that the driver does not have. The loops over them run inside of the one over its entries.
    pub rest: Vec<Index>,
    /// What is folded.
    pub assign: &'s Assign,
}

impl Driven<'_> {
    /// What is computed at each entry of the driver.
    pub(crate) fn body(&self) -> Stmt {
        Stmt::foralls(self.rest.clone(), Stmt::Assign(self.assign.clone()), self.assign.span)
    }

    /// The loops of a driven statement: the driver's indices, and the rest.
    pub(crate) fn path(&self) -> Vec<Index> {
        let mut path: Vec<Index> = Vec::new();
        for index in self.driver.indices.iter().chain(&self.rest) {
            if !path.contains(index) {
                path.push(*index);
            }
        }
        path
    }
}

/// The driver of a nest of loops around a fold; `None` if loops over coordinates do as well, or better.
pub(crate) fn driven<'s>(kernel: &Kernel, stmt: &'s Stmt) -> Option<Driven<'s>> {
    let (mut loops, mut inner) = (Vec::new(), stmt);
    while let Stmt::Forall { index, parallel: false, body, .. } = inner {
        loops.push(*index);
        inner = body;
    }
    let Stmt::Assign(assign) = inner else { return None };
    let driver = driver(kernel, &loops, assign)?;
    let rest = loops.into_iter().filter(|index| !driver.indices.contains(index)).collect();
    Some(Driven { driver, rest, assign })
}

/// Whether an operand drives a statement or a part of it, so that loops over coordinates do not make it.
pub(crate) fn is_driven(kernel: &Kernel, stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Sequence(parts) => parts.iter().any(|part| is_driven(kernel, part)),
        _ => driven(kernel, stmt).is_some(),
    }
}

/// The operand that drives a fold inside of `loops`.
pub(super) fn driver(kernel: &Kernel, loops: &[Index], assign: &Assign) -> Option<Access> {
    let reduce = assign.reduce?;
    let mut accesses: Vec<Access> = Vec::new();
    assign.reads(&mut |access| accesses.push(access.clone()));
    if accesses.iter().any(|access| kernel.base(access.tensor) == kernel.base(assign.target.tensor)) {
        return None;
    }
    let place = |index: &Index| loops.iter().position(|known| known == index);
    accesses.iter().find(|access| drives(kernel, access, &place, assign, reduce, &accesses, loops)).cloned()
}

fn drives(
    kernel: &Kernel,
    driver: &Access,
    place: &dyn Fn(&Index) -> Option<usize>,
    assign: &Assign,
    reduce: Reduction,
    accesses: &[Access],
    loops: &[Index],
) -> bool {
    let tensor = kernel.tensor(driver.tensor);
    let Some(format) = tensor.format.as_ref().filter(|format| !format.is_dense()) else { return false };
    // It needs not drive if loops over coordinates visit it in the order in which it is stored.
    if tensor.role == Role::Workspace || can_be_nested(format, driver, place) && is_unique(format) {
        return false;
    }
    let value = simplify(&assign.value, &|access| if access == driver { Presence::Never } else { Presence::When(()) });
    let Expr::Literal(constant) = value else { return false };
    let zero = assign.over.as_ref().map(|semiring| semiring.zero);
    let target = kernel.tensor(assign.target.tensor);
    let ty = assign.computed_type(&kernel.tensors);
    if !changes_nothing(reduce, zero, constant, ty) {
        return false;
    }
    // Entries with equal coordinates stand for their sum. Folding what is computed of each of them gives the same if that is linear in
    // them.
    let adds = reduce == Reduction::Add
        && !matches!(tensor.value, ValueType::Bool | ValueType::Pattern)
        && (tensor.value == ty || tensor.value == ValueType::F64)
        && is_linear_in(&assign.value, driver, ty);
    if !is_unique(format) && !adds {
        return false;
    }
    let rest: Vec<Index> = loops.iter().copied().filter(|index| !driver.indices.contains(index)).collect();
    accesses.iter().filter(|access| *access != driver).all(|access| {
        let other = kernel.tensor(access.tensor);
        let Some(format) = &other.format else {
            return access.indices.is_empty() || other.role != Role::Workspace || target.is_full();
        };
        // Other sparse operands are visited below the entry of the driver.
        let inner = |index: &Index| rest.iter().position(|known| known == index).map(|at| at + 1).or(Some(0));
        let levels_above = format.levels.iter().take_while(|level| level.is_searched()).count();
        format.is_dense()
            || format.is_plain()
                && is_unique(format)
                && can_be_nested(format, access, &inner)
                && format.levels[levels_above..]
                    .iter()
                    .all(|level| level.index_of(access).is_some_and(|index| rest.contains(&index)))
    })
}

/// Whether the levels of an access can be visited in the order of loops.
fn can_be_nested(format: &Format, access: &Access, place: &dyn Fn(&Index) -> Option<usize>) -> bool {
    let of = |at: usize| format.levels[at].index_of(access).and_then(|index| place(&index));
    access.is_distinct()
        && format.is_plain()
        && (0..format.levels.len()).all(|at| format.levels[at].is_searched() || (0..at).all(|above| of(above) < of(at)))
}

fn is_unique(format: &Format) -> bool {
    format.levels.iter().all(|level| level.properties.unique)
}

/// Whether an expression, computed in type `ty`, is linear in the driver: its value for `a + b` is the sum of its values for `a` and for `b`.
/// Quotients of whole numbers are rounded, and so are not.
fn is_linear_in(expr: &Expr, driver: &Access, ty: ValueType) -> bool {
    let uses = |expr: &Expr| {
        let mut uses = false;
        expr.accesses(&mut |access| uses |= access == driver);
        uses
    };
    match expr {
        Expr::Access(access) => access == driver,
        Expr::Apply(Operator::Neg, args) => is_linear_in(&args[0], driver, ty),
        Expr::Apply(Operator::Div, args) => ty.is_float() && !uses(&args[1]) && is_linear_in(&args[0], driver, ty),
        Expr::Apply(op, args) => {
            let times = match op {
                Operator::Mul => true,
                Operator::Times(semiring) => semiring.times == Operator::Mul,
                _ => false,
            };
            times && args.iter().filter(|arg| uses(arg)).count() == 1 && {
                args.iter().filter(|arg| uses(arg)).all(|arg| is_linear_in(arg, driver, ty))
            }
        }
        _ => false,
    }
}
