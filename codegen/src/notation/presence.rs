//! Whether something is computed from entries: never, always, or where a condition holds.
//!
//! ```text
//! A(i) + B(i)                  where A or B has an entry
//! A(i) * B(i)                  where both have one
//! A(i) without B(i)            where A has one and B has none
//! select(A(i), i > 3)          where A has one and the condition holds
//! select(2, i > 3)             where the condition holds
//! ```
//!
//! This is the only evaluator of presence. Its callers choose the type of a condition ([`Condition`]): `()` where only the three answers
//! matter, an expression of the IR where generated code tests it. They also say where the accesses of an expression have entries
//! ([`Entries`]). How conditions combine follows from the algebra of missing operands (`super::algebra`): all operands that annihilate an
//! operation where they are missing must be present; if there are none, one operand that is present is enough.

use super::algebra::{annihilated, background, fold};
use super::ast::Literal;
use super::concrete::{Access, Expr, Operator, Stmt, TensorId, number, same};

/// Whether something has an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence<C = ()> {
    /// It has none.
    Never,
    /// It has one.
    Always,
    /// It has one where this holds.
    When(C),
}

/// What decides at run time whether something has an entry.
pub trait Condition: Sized {
    /// Where both hold.
    fn and(self, other: Self) -> Self;
    /// Where one of them holds.
    fn or(self, other: Self) -> Self;
}

/// For callers that need not know the condition itself.
impl Condition for () {
    fn and(self, (): ()) {}
    fn or(self, (): ()) {}
}

impl<C: Condition> Presence<C> {
    /// Where both have an entry.
    #[must_use]
    pub fn and(self, other: Presence<C>) -> Presence<C> {
        match (self, other) {
            (Presence::Never, _) | (_, Presence::Never) => Presence::Never,
            (Presence::Always, other) | (other, Presence::Always) => other,
            (Presence::When(a), Presence::When(b)) => Presence::When(a.and(b)),
        }
    }

    /// Where one of them has an entry.
    #[must_use]
    pub fn or(self, other: Presence<C>) -> Presence<C> {
        match (self, other) {
            (Presence::Always, _) | (_, Presence::Always) => Presence::Always,
            (Presence::Never, other) | (other, Presence::Never) => other,
            (Presence::When(a), Presence::When(b)) => Presence::When(a.or(b)),
        }
    }
}

/// Where the parts of an expression have entries.
pub trait Entries {
    /// What decides at run time.
    type Condition: Condition;

    /// Where an access has an entry.
    fn access(&mut self, access: &Access) -> Presence<Self::Condition>;

    /// Where `condition` lets `select` keep what it is given; `None` if only the entries of `condition` are to be considered.
    fn selected(&mut self, kept: &Expr, condition: &Expr) -> Option<Presence<Self::Condition>> {
        let _ = (kept, condition);
        None
    }

    /// Where `without` leaves what it is given, since `removed` has no entry there; everywhere if removals are not to be considered.
    fn left(&mut self, removed: &Expr) -> Presence<Self::Condition> {
        let _ = removed;
        Presence::Always
    }
}

/// Where an expression is computed from entries, and its value elsewhere. The value is `None` if the expression is computed everywhere, or
/// is no constant elsewhere.
pub fn presence<E: Entries>(expr: &Expr, entries: &mut E) -> (Presence<E::Condition>, Option<Literal>) {
    match expr {
        Expr::Literal(value) => (Presence::Never, Some(*value)),
        Expr::Index(_) | Expr::Argument(_) | Expr::Apply(Operator::Held(_), _) => (Presence::Always, None),
        Expr::Access(access) => match entries.access(access) {
            Presence::Always => (Presence::Always, None),
            other => (other, Some(access.fill)),
        },
        Expr::Apply(Operator::Without, args) => {
            let (kept, absent) = presence(&args[0], entries);
            match entries.left(&args[1]) {
                Presence::Always => (kept, absent),
                left => (kept.and(left), Some(background(&args[0]))),
            }
        }
        Expr::Apply(Operator::Select, args) => selection(&args[0], &args[1], entries),
        Expr::Apply(op, args) => operation(op, args, entries),
    }
}

/// The presence of `select(kept, condition)`.
fn selection<E: Entries>(kept: &Expr, condition: &Expr, entries: &mut E) -> (Presence<E::Condition>, Option<Literal>) {
    let nothing = background(kept);
    let (computed, absent) = presence(kept, entries);
    if let Some(selected) = entries.selected(kept, condition) {
        return (computed.and(selected), Some(nothing));
    }
    match presence(condition, entries) {
        (condition, Some(no)) if number(no) == 0.0 && absent.is_none_or(|absent| same(absent, nothing)) => {
            (computed.and(condition), Some(nothing))
        }
        (Presence::Never, _) => (computed, absent),
        _ => match absent.filter(|absent| same(*absent, nothing)) {
            Some(absent) => (computed, Some(absent)),
            None => (Presence::Always, None),
        },
    }
}

/// The presence of an operation that goes by the algebra alone.
fn operation<E: Entries>(op: &Operator, args: &[Expr], entries: &mut E) -> (Presence<E::Condition>, Option<Literal>) {
    let args: Vec<_> = args.iter().map(|arg| presence(arg, entries)).collect();
    let absent: Vec<Option<Literal>> = args.iter().map(|(_, absent)| *absent).collect();
    let annihilates = |at: usize| absent[at].and_then(|absent| annihilated(op, at, absent));
    if let Some(value) = (0..absent.len()).find_map(annihilates) {
        let needed = args.into_iter().enumerate().filter(|(at, _)| annihilates(*at).is_some());
        return (needed.fold(Presence::Always, |all, (_, (needed, _))| all.and(needed)), Some(value));
    }
    match absent.into_iter().collect::<Option<Vec<_>>>().and_then(|absent| fold(op, &absent)) {
        None => (Presence::Always, None),
        value => (args.into_iter().fold(Presence::Never, |any, (one, _)| any.or(one)), value),
    }
}

/// Whether an expression may have no entry where its operands have one.
pub(crate) fn drops_entries(expr: &Expr) -> bool {
    match expr {
        Expr::Apply(Operator::Select | Operator::Without, _) => true,
        Expr::Apply(op, args) => {
            let body = match op {
                Operator::Function(function) => function.body.as_ref().ok(),
                _ => None,
            };
            body.into_iter().chain(args).any(drops_entries)
        }
        _ => false,
    }
}

/// Whether a workspace stands in an operation that its fill annihilates by definition, and not by the numbers: nothing times
/// `second` is nothing, but the second of 0 and 1 is 1; nothing times what is infinite is nothing, but `0 * inf` is no number.
pub(crate) fn annihilates(consumer: &Stmt, id: TensorId) -> bool {
    fn uses(expr: &Expr, id: TensorId) -> bool {
        let mut uses = false;
        expr.accesses(&mut |access| uses |= access.tensor == id);
        uses
    }
    fn go(expr: &Expr, id: TensorId) -> bool {
        let Expr::Apply(op, args) = expr else { return false };
        let declared = match op {
            Operator::Times(semiring) => {
                let zero = number(semiring.zero);
                !(semiring.times == Operator::Mul && zero == 0.0
                    || semiring.times == Operator::Add && zero.is_infinite())
            }
            Operator::Function(function) => function.annihilator.is_some(),
            Operator::Mul => {
                let mut infinite = false;
                expr.accesses(&mut |access| infinite |= number(access.fill).is_infinite());
                infinite
            }
            _ => false,
        };
        declared && uses(expr, id) || args.iter().any(|arg| go(arg, id))
    }
    let mut found = false;
    consumer.assigns(&mut |assign| found |= go(&assign.value, id));
    found
}
