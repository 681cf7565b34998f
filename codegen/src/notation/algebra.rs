//! What is known of an expression where some operands are missing: the algebra that decides how operands are merged.
//!
//! A missing operand has its fill's value, which is a constant. Constants fold; an annihilator (`0` of `*`) makes its
//! operation constant, whatever the other side is; an identity (`0` of `+`) leaves the other side alone. Nothing here knows
//! that `*` is an intersection and `+` a union: that follows.

use std::cmp::Ordering;

use super::ast::{Literal, ValueType};
use super::concrete::{Access, Expr, Function, Operator, Reduction, number, same};
use super::presence::Presence;

/// Simplifies an expression for a place where operands are present as `presence` says. The result is an [`Expr::Literal`] if the expression
/// is constant there.
pub fn simplify(expr: &Expr, presence: &dyn Fn(&Access) -> Presence) -> Expr {
    simplify_in(expr, None, presence)
}

/// As [`simplify`] for an expression that is computed in a type: integers wrap around as they do in generated code.
pub fn simplify_in(expr: &Expr, ty: Option<ValueType>, presence: &dyn Fn(&Access) -> Presence) -> Expr {
    match expr {
        Expr::Access(access) if presence(access) == Presence::Never => Expr::Literal(access.fill),
        Expr::Apply(Operator::Without, args) => {
            let kept = simplify_in(&args[0], ty, presence);
            match has_entry(&args[1], presence) {
                Presence::Never => kept,
                Presence::Always => Expr::Literal(background(&args[0])),
                Presence::When(()) => match &kept {
                    Expr::Literal(value) if same(*value, background(&args[0])) => kept,
                    _ => Expr::Apply(Operator::Without, vec![kept, args[1].clone()]),
                },
            }
        }
        Expr::Apply(Operator::Select, args) => {
            let kept = simplify_in(&args[0], ty, presence);
            let condition = simplify(&args[1], presence);
            match (&kept, &condition) {
                (Expr::Literal(value), _) if same(*value, background(&args[0])) => kept,
                (_, Expr::Literal(yes)) if number(*yes) != 0.0 => kept,
                (_, Expr::Literal(_)) => Expr::Literal(background(&args[0])),
                _ => Expr::Apply(Operator::Select, vec![kept, condition]),
            }
        }
        Expr::Apply(op, args) => {
            let of = match op {
                Operator::As(own) => Some(*own),
                op if op.has_own_type() => None,
                _ => ty,
            };
            apply_in(op, args.iter().map(|arg| simplify_in(arg, of, presence)).collect(), of)
        }
        other => other.clone(),
    }
}

/// The value of an expression where all its operands are missing; 0 if that is not a constant. What `select` or `without` keeps counts as
/// missing here also if it reads no tensor ([`Operator::Held`]).
pub fn background(expr: &Expr) -> Literal {
    match absent(&with_numbers_absent(expr)) {
        Expr::Literal(value) => value,
        _ => Literal::Int(0),
    }
}

/// As [`simplify`] where all operands are missing. What `select` and `without` keep is then what they leave behind, and is computed once:
/// nested ones take linear time.
fn absent(expr: &Expr) -> Expr {
    match expr {
        Expr::Access(access) => Expr::Literal(access.fill),
        Expr::Apply(op @ (Operator::Without | Operator::Select), args) => {
            let kept = absent(&args[0]);
            let is_access = matches!(args[1], Expr::Access(_));
            match (&kept, op) {
                (Expr::Literal(_), _) => kept,
                (_, Operator::Without) if is_access => kept,
                (_, Operator::Without) => Expr::Apply(op.clone(), vec![kept, args[1].clone()]),
                _ => match absent(&args[1]) {
                    Expr::Literal(yes) if number(yes) != 0.0 => kept,
                    Expr::Literal(_) => Expr::Literal(Literal::Int(0)),
                    condition => Expr::Apply(op.clone(), vec![kept, condition]),
                },
            }
        }
        Expr::Apply(op, args) => apply(op, args.iter().map(absent).collect()),
        other => other.clone(),
    }
}

/// The expression with what [`Operator::Held`] marks replaced by its value where it is dropped.
fn with_numbers_absent(expr: &Expr) -> Expr {
    match expr {
        Expr::Apply(Operator::Held(absent), _) => Expr::Literal(*absent),
        Expr::Apply(op, args) => Expr::Apply(op.clone(), args.iter().map(with_numbers_absent).collect()),
        other => other.clone(),
    }
}

/// Whether the right side of a `without`, which is an access, has an entry.
fn has_entry(expr: &Expr, presence: &dyn Fn(&Access) -> Presence) -> Presence {
    match expr {
        Expr::Access(access) => presence(access),
        _ => Presence::When(()),
    }
}

/// Whether `expr` may have another value where `access` is missing than where its fill is stored as a value. So it is for products over
/// semirings and functions whose annihilator or identity is declared and does not follow from arithmetic, and for quotients such as
/// `0 / 0`.
pub fn minds_absence(expr: &Expr, access: &Access) -> bool {
    let Expr::Apply(op, args) = expr else { return false };
    let uses = |expr: &Expr| {
        let mut uses = false;
        expr.accesses(&mut |other| uses |= other == access);
        uses
    };
    let minds = match op {
        Operator::Plus(semiring) => !same(semiring.plus.identity(ValueType::F64), semiring.zero),
        Operator::Times(semiring) => annihilated(&semiring.times, 0, semiring.zero)
            .and(annihilated(&semiring.times, 1, semiring.zero))
            .is_none_or(|result| !same(result, semiring.zero)),
        Operator::Function(function) => function.annihilator.is_some() || function.identity.is_some(),
        Operator::Div | Operator::Rem => !matches!(args[1], Expr::Literal(_)),
        // A missing operand annihilates also a NaN; a stored value does not.
        Operator::Min | Operator::Max => annihilated(op, 0, access.fill).is_some(),
        _ => false,
    };
    // The right side of `without` is tested by itself.
    let args = if *op == Operator::Without { &args[..1] } else { args };
    args.iter().any(|arg| uses(arg) && (minds || minds_absence(arg, access)))
}

/// `op(args)` for simplified arguments, simplified.
pub fn apply(op: &Operator, args: Vec<Expr>) -> Expr {
    apply_in(op, args, None)
}

/// As [`apply`], computed in a type.
fn apply_in(op: &Operator, mut args: Vec<Expr>, ty: Option<ValueType>) -> Expr {
    for (at, arg) in args.iter().enumerate() {
        if let Expr::Literal(value) = arg
            && let Some(result) = annihilated(op, at, *value)
        {
            return Expr::Literal(result);
        }
    }
    let constants: Option<Vec<Literal>> = args
        .iter()
        .map(|arg| match arg {
            Expr::Literal(value) => Some(*value),
            _ => None,
        })
        .collect();
    if let Some(value) = constants.and_then(|values| fold_in(op, &values, ty)) {
        return Expr::Literal(value);
    }
    if let Operator::As(ty) = op
        && let Some(value) = constant_in(&args[0], *ty)
    {
        return Expr::Literal(converted(value, *ty));
    }
    if args.len() == 2 {
        if let Expr::Literal(value) = args[1]
            && is_identity(op, 1, value)
        {
            return args.swap_remove(0);
        }
        if let Expr::Literal(value) = args[0] {
            if is_identity(op, 0, value) {
                return args.swap_remove(1);
            }
            if *op == Operator::Sub && number(value) == 0.0 {
                return Expr::Apply(Operator::Neg, vec![args.swap_remove(1)]);
            }
        }
    }
    match op {
        Operator::First => args.swap_remove(0),
        Operator::Second => args.swap_remove(1),
        _ => Expr::Apply(op.clone(), args),
    }
}

/// The value of `op` if its argument number `at` is `value`; `None` if the other arguments matter.
pub fn annihilated(op: &Operator, at: usize, value: Literal) -> Option<Literal> {
    let x = number(value);
    let is = |yes: bool| yes.then_some(value);
    match op {
        Operator::Mul => is(x == 0.0),
        Operator::Div | Operator::Rem => is(at == 0 && x == 0.0),
        Operator::And => is(x == 0.0),
        Operator::Or => (x != 0.0).then_some(Literal::Bool(true)),
        Operator::Min => is(x == f64::NEG_INFINITY),
        Operator::Max => is(x == f64::INFINITY),
        Operator::Add => is(x.is_infinite()),
        Operator::Sub if at == 0 => is(x.is_infinite()),
        Operator::Sub => x.is_infinite().then_some(Literal::Float(-x)),
        Operator::Times(semiring) => is(same(value, semiring.zero)),
        Operator::Function(function) => function.annihilator.filter(|a| same(*a, value)),
        _ => None,
    }
}

/// Whether argument number `at` of two leaves the other one alone if it is `value`.
pub fn is_identity(op: &Operator, at: usize, value: Literal) -> bool {
    let x = number(value);
    match op {
        Operator::Add => x == 0.0,
        Operator::Sub => at == 1 && x == 0.0,
        Operator::Mul => x == 1.0,
        Operator::Div => at == 1 && x == 1.0,
        Operator::Min => x == f64::INFINITY,
        Operator::Max => x == f64::NEG_INFINITY,
        Operator::Plus(semiring) => same(value, semiring.zero),
        Operator::Times(semiring) => semiring.one.is_some_and(|one| same(one, value)),
        Operator::Function(function) => function.identity.is_some_and(|identity| same(identity, value)),
        _ => false,
    }
}

/// A constant as a value of type `ty`.
pub fn converted(value: Literal, ty: ValueType) -> Literal {
    match (ty, value) {
        (ValueType::Bool | ValueType::Pattern, value) => Literal::Bool(number(value) != 0.0),
        (ValueType::F32, value) => Literal::Float(f64::from(number(value) as f32)),
        (ValueType::F64, value) => Literal::Float(number(value)),
        (_, Literal::Bool(value)) => Literal::Int(value.into()),
        (ValueType::I32, Literal::Int(x)) => Literal::Int((x as i32).into()),
        (ValueType::U32, Literal::Int(x)) => Literal::Int((x as u32).into()),
        (ValueType::I64, Literal::Int(x)) => Literal::Int((x as i64).into()),
        (ValueType::U64, Literal::Int(x)) => Literal::Int((x as u64).into()),
        (ValueType::I32, Literal::Float(x)) => Literal::Int((x as i32).into()),
        (ValueType::U32, Literal::Float(x)) => Literal::Int((x as u32).into()),
        (ValueType::I64, Literal::Float(x)) => Literal::Int((x as i64).into()),
        (ValueType::U64, Literal::Float(x)) => Literal::Int((x as u64).into()),
    }
}

/// A constant that is computed in type `ty` and kept as one of type `own`: a float below zero is 0 as an unsigned integer, where an
/// integer wraps around.
pub fn kept(value: Literal, ty: ValueType, own: ValueType) -> Literal {
    converted(converted(value, ty), own)
}

/// Whether a constant, computed in type `ty` and assigned to a tensor of type `own`, makes no entry: it equals the fill, or both it and the
/// fill are the zero of the semiring.
pub fn assigns_nothing(zero: Option<Literal>, value: Literal, ty: ValueType, fill: Literal, own: ValueType) -> bool {
    let alike = |a: Literal, b: Literal, ty: ValueType| same(converted(a, ty), converted(b, ty));
    alike(kept(value, ty, own), fill, own) || zero.is_some_and(|zero| alike(value, zero, ty) && alike(fill, zero, own))
}

/// Whether folding `value` into values of type `ty` by `reduction` changes nothing. `zero` is the identity that a semiring
/// declares.
pub fn changes_nothing(reduction: Reduction, zero: Option<Literal>, value: Literal, ty: ValueType) -> bool {
    let identity = zero.unwrap_or(reduction.identity(ty));
    same(converted(value, ty), converted(identity, ty))
}

/// Puts [`Operator::As`] with type `ty` around what `select` and `without` keep, if its value where all operands are absent depends on the
/// type: `(a - 1) / 2` of an absent `a` is 0 for integers and minus a half for floats.
pub fn compute_in(expr: &mut Expr, ty: ValueType) {
    let Expr::Apply(op, args) = expr else { return };
    if op.has_own_type() {
        return;
    }
    let selects = matches!(op, Operator::Select | Operator::Without);
    let own = if selects { &mut args[..1] } else { &mut args[..] };
    own.iter_mut().for_each(|arg| compute_in(arg, ty));
    if selects {
        let absent = simplify(&args[0], &|_| Presence::Never);
        if !matches!(absent, Expr::Literal(_)) && constant_in(&absent, ty).is_some() {
            let kept = std::mem::replace(&mut args[0], Expr::Literal(Literal::Int(0)));
            args[0] = Expr::Apply(Operator::As(ty), vec![kept]);
        }
    }
}

/// The value of an expression of constants that is computed in type `ty`: `1 / 2` is 0 for integers and a half for floats. `None` if
/// only generated code can compute it.
pub fn constant_in(expr: &Expr, ty: ValueType) -> Option<Literal> {
    match expr {
        Expr::Literal(value) => Some(*value),
        Expr::Apply(op, args) if !op.has_own_type() => {
            let arg = |arg: &Expr| constant_in(arg, ty).map(|value| converted(value, ty));
            let args: Vec<Literal> = args.iter().map(arg).collect::<Option<_>>()?;
            fold_whole(op, &args)
        }
        _ => None,
    }
}

/// `op` of constants that is computed in a type: in one of integers, each operand and the result is one of it. What is infinite stays so.
fn fold_in(op: &Operator, args: &[Literal], ty: Option<ValueType>) -> Option<Literal> {
    let Some(ty) = ty.filter(|ty| ty.is_number() && !ty.is_float() && !op.has_own_type()) else {
        return fold(op, args);
    };
    let whole = |value: Literal| if number(value).is_finite() { converted(value, ty) } else { value };
    let args: Vec<Literal> = args.iter().copied().map(whole).collect();
    let value = match op {
        Operator::Function(function) => call(function, &args, Some(ty)),
        _ => fold_whole(op, &args),
    };
    value.map(whole)
}

/// As [`fold`], where the quotient of whole numbers is a whole one.
fn fold_whole(op: &Operator, args: &[Literal]) -> Option<Literal> {
    match (op, args) {
        (Operator::Div, [Literal::Int(a), Literal::Int(b)]) => a.checked_div(*b).map(Literal::Int),
        _ => fold(op, args),
    }
}

/// `op` of constants; `None` if only generated code can compute it.
pub fn fold(op: &Operator, args: &[Literal]) -> Option<Literal> {
    let x = args.first().map_or(0.0, |value| number(*value));
    let y = args.get(1).map_or(0.0, |value| number(*value));
    // A truth value counts as 0 or 1 in arithmetic.
    let int = |value: &Literal| match *value {
        Literal::Int(value) => Some(value),
        Literal::Bool(value) => Some(value.into()),
        Literal::Float(_) => None,
    };
    let whole = match args {
        [a] => int(a).map(|a| (a, 0)),
        [a, b] => int(a).zip(int(b)),
        _ => None,
    };
    // Whole numbers are compared exactly.
    let order = whole.map_or_else(|| x.partial_cmp(&y), |(a, b)| Some(a.cmp(&b)));
    let exact = |f: &dyn Fn(i128, i128) -> Option<i128>| whole.and_then(|(a, b)| f(a, b)).map(Literal::Int);
    Some(match op {
        Operator::Neg => exact(&|a, _| a.checked_neg()).unwrap_or(Literal::Float(-x)),
        Operator::Abs => exact(&|a, _| a.checked_abs()).unwrap_or(Literal::Float(x.abs())),
        Operator::Sqrt if x == 0.0 || x == 1.0 => args[0],
        Operator::Sqrt => Literal::Float(x.sqrt()),
        Operator::Not => Literal::Bool(x == 0.0),
        Operator::Add => exact(&|a, b| a.checked_add(b)).unwrap_or(Literal::Float(x + y)),
        Operator::Sub => exact(&|a, b| a.checked_sub(b)).unwrap_or(Literal::Float(x - y)),
        Operator::Mul => exact(&|a, b| a.checked_mul(b)).unwrap_or(Literal::Float(x * y)),
        Operator::Rem if whole.is_some() => {
            Literal::Int(whole.filter(|(a, _)| *a >= 0).and_then(|(a, b)| a.checked_rem(b))?)
        }
        Operator::Rem => Literal::Float(x % y),
        // Whether 1 / 2 is 0 or a half depends on the type in which it is computed.
        Operator::Div if whole.is_some() => {
            let (a, b) = whole?;
            Literal::Int(a.checked_div(b).filter(|quotient| quotient.checked_mul(b) == Some(a))?)
        }
        Operator::Div => Literal::Float(x / y),
        Operator::Min => args[usize::from(!order.is_some_and(Ordering::is_le))],
        Operator::Max => args[usize::from(!order.is_some_and(Ordering::is_ge))],
        Operator::And => Literal::Bool(x != 0.0 && y != 0.0),
        Operator::Or => Literal::Bool(x != 0.0 || y != 0.0),
        Operator::Eq => Literal::Bool(order == Some(Ordering::Equal)),
        Operator::Ne => Literal::Bool(order != Some(Ordering::Equal)),
        Operator::Lt => Literal::Bool(order == Some(Ordering::Less)),
        Operator::Le => Literal::Bool(order.is_some_and(Ordering::is_le)),
        Operator::Gt => Literal::Bool(order == Some(Ordering::Greater)),
        Operator::Ge => Literal::Bool(order.is_some_and(Ordering::is_ge)),
        Operator::First => args[0],
        Operator::Second => args[1],
        Operator::Pair => Literal::Int(1),
        Operator::Plus(semiring) => return fold(&semiring.plus.operator(), args),
        Operator::Times(semiring) => return fold(&semiring.times, args),
        Operator::Function(function) => return call(function, args, None),
        Operator::As(ty) => converted(args[0], *ty),
        Operator::Select | Operator::Without | Operator::Held(_) => return None,
    })
}

fn call(function: &Function, args: &[Literal], ty: Option<ValueType>) -> Option<Literal> {
    fn go(expr: &Expr, args: &[Literal], ty: Option<ValueType>) -> Option<Literal> {
        match expr {
            Expr::Literal(value) => Some(*value),
            Expr::Argument(at) => Some(args[*at]),
            Expr::Apply(op, inner) => {
                let of = ty.filter(|_| !op.has_own_type());
                let inner: Option<Vec<Literal>> = inner.iter().map(|arg| go(arg, args, of)).collect();
                fold_in(op, &inner?, ty)
            }
            Expr::Index(_) | Expr::Access(_) => None,
        }
    }
    go(function.body.as_ref().ok()?, args, ty)
}
