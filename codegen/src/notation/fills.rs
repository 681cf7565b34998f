//! Refuses fills that contradict each other: where two operands are absent, each of them alone decides an operation, and their values
//! differ.
//!
//! ```text
//! a(i) + b(i)     a fill -inf, b fill inf     the sum is -inf where a is absent, and inf where b is: it has no value where both are
//! a(i) - b(i)     both fill inf               the same
//! A(i,j) * b(j)   A dia, b fill inf           an unused place of A is multiplied as the number 0, and 0 * inf is NaN
//! ```
//!
//! Which value such an operation had would depend on the order in which operands are visited.

use super::algebra::{annihilated, background, fold};
use super::ast::{Literal, ValueType};
use super::concrete::{Access, Expr, Kernel, Operator, same};
use crate::diagnostic::{Diagnostic, Diagnostics};

/// How many values of one expression are looked at. Only sums of many different fills have more, and the values that matter come first.
const MOST_VALUES: usize = 32;

/// Combinations of such values that are looked at, for one operation.
const MOST_COMBINATIONS: usize = 1 << 10;

/// Refuses statements whose operands contradict each other where they are absent.
///
/// # Errors
///
/// The operands, and what would be right.
pub(crate) fn check_fills(kernel: &Kernel) -> Result<(), Diagnostics> {
    let mut mistakes = Diagnostics::new();
    for statement in &kernel.body {
        statement.assigns(&mut |assign| {
            constants(kernel, &assign.value, assign.computed_type(&kernel.tensors), &mut mistakes);
        });
    }
    mistakes.into_result(())
}

/// A value that an expression has whatever some of its operands are, and the absent operand that decides it.
#[derive(Clone)]
struct Constant<'e> {
    value: Literal,
    by: Option<&'e Access>,
}

/// The values that an expression, computed in type `ty`, may have where some of its operands are absent and the others may be anything.
fn constants<'e>(kernel: &Kernel, expr: &'e Expr, ty: ValueType, mistakes: &mut Diagnostics) -> Vec<Constant<'e>> {
    match expr {
        Expr::Literal(value) => vec![Constant { value: *value, by: None }],
        Expr::Access(access) if kernel.tensor(access.tensor).is_full() => Vec::new(),
        Expr::Access(access) => vec![Constant { value: access.fill, by: Some(access) }],
        Expr::Index(_) | Expr::Argument(_) => Vec::new(),
        Expr::Apply(op @ (Operator::Select | Operator::Without), args) => {
            let mut found = constants(kernel, &args[0], ty, mistakes);
            if *op == Operator::Select {
                constants(kernel, &args[1], ty, mistakes);
            }
            let (value, by) = (background(&args[0]), found.first().and_then(|one| one.by));
            add(&mut found, Constant { value, by });
            found
        }
        Expr::Apply(op, operands) => {
            let args: Vec<Vec<Constant>> = operands.iter().map(|arg| constants(kernel, arg, ty, mistakes)).collect();
            if let [left, right] = &args[..] {
                if let Some((a, b)) = contradiction(op, left, right) {
                    mistakes.push(refused(kernel, op, a, b).help(SAME_FILL).help(FILL_IN));
                    return Vec::new();
                }
                // A product of integers is 0 where one of them is.
                if let Some((padded, infinite)) = unused_place(kernel, op, operands).filter(|_| ty.is_float()) {
                    mistakes.push(refused(kernel, op, &padded, &infinite).help(NOT_PADDED).help(FILL_IN));
                    return Vec::new();
                }
            }
            applied(op, &args)
        }
    }
}

/// A value of each of two operands: each alone decides the operation, and they decide it differently.
fn contradiction<'c, 'e>(
    op: &Operator,
    left: &'c [Constant<'e>],
    right: &'c [Constant<'e>],
) -> Option<(&'c Constant<'e>, &'c Constant<'e>)> {
    let pairs = left.iter().flat_map(|a| right.iter().map(move |b| (a, b)));
    let decided = |(a, b): &(&Constant, &Constant)| annihilated(op, 0, a.value).zip(annihilated(op, 1, b.value));
    let mut pairs = pairs.filter(|(a, b)| a.by.is_some() || b.by.is_some());
    pairs.find(|pair| decided(pair).is_some_and(|(a, b)| !same(a, b)))
}

/// A padded operand, whose unused places may make one side of a product 0, and an operand that may make the other side infinite where it is
/// absent.
fn unused_place<'e>(kernel: &Kernel, op: &Operator, operands: &'e [Expr]) -> Option<(Constant<'e>, Constant<'e>)> {
    let (Operator::Mul, [left, right]) = (op, operands) else { return None };
    let is_padded = |access: &Access| {
        // A slice has the places of what it shows.
        let shown = kernel.views.get(&access.tensor).map_or(access.tensor, |view| view.of);
        let format = kernel.tensor(shown).format.as_ref();
        same(access.fill, Literal::Int(0)) && format.is_some_and(|f| !f.is_full() && !f.keeps_entries_only())
    };
    let is_infinite = |access: &Access| matches!(access.fill, Literal::Float(fill) if fill.is_infinite());
    let constant = |access: &'e Access| Constant { value: access.fill, by: Some(access) };
    let pair = |zero: &'e Expr, infinite: &'e Expr| {
        let (padded, infinite) = (first_access(zero, &is_padded)?, first_access(infinite, &is_infinite)?);
        Some((constant(padded), constant(infinite)))
    };
    pair(left, right).or_else(|| pair(right, left))
}

/// The first operand of an expression of which something holds.
fn first_access<'e>(expr: &'e Expr, holds: &dyn Fn(&Access) -> bool) -> Option<&'e Access> {
    match expr {
        Expr::Access(access) => holds(access).then_some(access),
        Expr::Apply(_, args) => args.iter().find_map(|arg| first_access(arg, holds)),
        Expr::Literal(_) | Expr::Index(_) | Expr::Argument(_) => None,
    }
}

/// The values of an operation whose operands may have these.
fn applied<'e>(op: &Operator, args: &[Vec<Constant<'e>>]) -> Vec<Constant<'e>> {
    let mut found = Vec::new();
    for (at, constant) in args.iter().enumerate().flat_map(|(at, own)| own.iter().map(move |one| (at, one))) {
        if let Some(value) = annihilated(op, at, constant.value) {
            add(&mut found, Constant { value, by: constant.by });
        }
    }
    let mut all: Vec<(Vec<Literal>, Option<&Access>)> = vec![(Vec::new(), None)];
    for own in args {
        let longer = |(values, by): &(Vec<Literal>, Option<&'e Access>)| {
            let next = |one: &Constant<'e>| ([&values[..], &[one.value]].concat(), by.or(one.by));
            own.iter().map(next).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).take(MOST_COMBINATIONS).collect();
    }
    for (values, by) in all {
        if let Some(value) = fold(op, &values) {
            add(&mut found, Constant { value, by });
        }
    }
    found
}

fn add<'e>(found: &mut Vec<Constant<'e>>, one: Constant<'e>) {
    if found.len() < MOST_VALUES && !found.iter().any(|known| same(known.value, one.value)) {
        found.push(one);
    }
}

fn refused(kernel: &Kernel, op: &Operator, a: &Constant<'_>, b: &Constant<'_>) -> Diagnostic {
    let name = |one: &Constant<'_>| match one.by {
        Some(access) => format!("`{}` is {} where nothing is stored", kernel.tensor(access.tensor).name, one.value),
        None => format!("the other operand is {}", one.value),
    };
    let span = a.by.or(b.by).map(|access| access.span).unwrap_or_default();
    let message = format!("{}, and {}: `{}` of the two has no value", name(a), name(b), op.name());
    Diagnostic::new(span, message)
}

/// Help against fills that contradict each other.
const SAME_FILL: &str = "declare both with the same fill, such as `fill inf`, or with none";

/// Help against the unused places of a padded operand.
const NOT_PADDED: &str = "pass the one that is 0 in a format that keeps its entries only, such as `csr`";

/// Help that applies to both.
const FILL_IN: &str = "or fill one of them in first: a statement of its own that computes it as a dense tensor";
