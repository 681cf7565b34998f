//! Expressions: operators, calls, accesses.

use std::sync::Arc;

use super::Resolver;
use crate::diagnostic::Span;
use crate::format::constant;
use crate::notation::ast::{self, BinaryOp, ExprKind, Literal, Name};
use crate::notation::concrete::*;
use crate::notation::declare::wrong_arity;

impl<'a> Resolver<'a> {
    pub(super) fn expr(&mut self, expr: &'a ast::Expr, over: Option<&Arc<Semiring>>) -> Option<Expr> {
        if let Some(value) = constant(expr) {
            return Some(Expr::Literal(value));
        }
        match &expr.kind {
            ExprKind::Literal(value) => Some(Expr::Literal(*value)),
            ExprKind::Name(name) => match self.tensors.get(name.text.as_str()) {
                Some(&id) => self.access(id, Vec::new(), expr.span, over),
                None => Some(Expr::Index(self.index(name))),
            },
            ExprKind::Apply { name, args } => match self.tensors.get(name.text.as_str()) {
                Some(&id) => {
                    let mut indices = Vec::new();
                    if !args.iter().all(|arg| matches!(arg.kind, ExprKind::Name(_))) {
                        self.check_rank(id, args.len(), expr.span).then_some(())?;
                        let shown = self.access(id, vec![Index(0); args.len()], expr.span, over)?;
                        let Expr::Access(shown) = shown else { return Some(shown) };
                        // `access` has decided the fill of the tensor, which the view takes over.
                        let (tensor, indices) = self.seen(id, args, expr.span)?;
                        return Some(Expr::Access(Access { tensor, indices, ..shown }));
                    }
                    for arg in args {
                        if let ExprKind::Name(index) = &arg.kind {
                            indices.push(self.index(index));
                        }
                    }
                    self.access(id, indices, expr.span, over)
                }
                None => self.call(name, args, over),
            },
            ExprKind::Slice(_) => {
                self.wrong(expr.span, "a slice is a coordinate of a tensor, and here a value is wanted");
                None
            }
            ExprKind::Neg(inner) => {
                let inner_value = self.expr(inner, over);
                self.no_semiring(over, "-", expr.span)?;
                Some(Expr::Apply(Operator::Neg, vec![inner_value?]))
            }
            ExprKind::Binary { op, left, right } => {
                let left_value = self.expr(left, over);
                let right_value = self.expr(right, over);
                let (left_value, right_value) = (left_value?, right_value?);
                let operator = match (op, over) {
                    (BinaryOp::Add, Some(semiring)) => Operator::Plus(semiring.clone()),
                    (BinaryOp::Mul, Some(semiring)) => Operator::Times(semiring.clone()),
                    (BinaryOp::Without, _) => Operator::Without,
                    (op, _) => {
                        self.no_semiring(over, op.symbol(), expr.span)?;
                        Operator::from_infix(*op)
                    }
                };
                if matches!(operator, Operator::Div | Operator::Rem) {
                    self.check_divisor(&right_value, right.span)?;
                    if let (Expr::Literal(a), Expr::Literal(b)) = (&left_value, &right_value) {
                        return self.quotient(&operator, *a, *b, expr.span);
                    }
                }
                if operator == Operator::Without {
                    self.check_without(&right_value, right.span)?;
                    return Some(Expr::Apply(operator, vec![held(left_value, over), right_value]));
                }
                Some(Expr::Apply(operator, vec![left_value, right_value]))
            }
        }
    }

    pub(super) fn call(&mut self, name: &'a Name, args: &'a [ast::Expr], over: Option<&Arc<Semiring>>) -> Option<Expr> {
        let (operator, arity) = match self.scope.operator(name) {
            Ok(found) => found,
            Err(mut mistake) => {
                if mistake.help.is_empty() {
                    *mistake = self.unknown(name);
                    mistake.message = format!("there is no tensor or function called `{name}`");
                }
                self.mistakes.push(*mistake);
                args.iter().for_each(|arg| drop(self.expr(arg, over)));
                return None;
            }
        };
        if arity != args.len() {
            self.mistakes.push(wrong_arity(name, arity, args.len()));
            return None;
        }
        // The condition of `select` is ordinary arithmetic, not that of the semiring.
        let plain = |at: usize| operator == Operator::Select && at == 1;
        let args: Vec<Option<Expr>> =
            args.iter().enumerate().map(|(at, arg)| self.expr(arg, if plain(at) { None } else { over })).collect();
        let mut args = args.into_iter().collect::<Option<Vec<Expr>>>()?;
        if operator == Operator::Select {
            let kept = args.remove(0);
            args.insert(0, held(kept, over));
        }
        Some(Expr::Apply(operator, args))
    }

    pub(super) fn no_semiring(&mut self, over: Option<&Arc<Semiring>>, symbol: &str, span: Span) -> Option<()> {
        let Some(semiring) = over else { return Some(()) };
        self.wrong(span, format!("`{symbol}` has no meaning over semiring `{}`", semiring.name))
            .notes
            .push("a semiring says what `+` and `*` mean; functions can be called as ever".into());
        None
    }

    pub(super) fn access(
        &mut self,
        id: TensorId,
        indices: Vec<Index>,
        span: Span,
        over: Option<&Arc<Semiring>>,
    ) -> Option<Expr> {
        self.check_rank(id, indices.len(), span).then_some(())?;
        let tensor = self.kernel.tensor(id);
        let (name, role, full) = (tensor.name.clone(), tensor.role, tensor.is_full());
        if role != Role::Param && !self.written.contains(&id) {
            self.wrong(span, format!("`{name}` is read before anything is written to it"));
            return None;
        }
        let mut fill = tensor.fill;
        self.pad(id, over, span)?;
        if let Some(semiring) = over.filter(|_| matches!(role, Role::Param)) {
            if self.open_fill.contains(&id) {
                fill = semiring.zero;
            } else if !full && !same(fill, semiring.zero) {
                let message = format!(
                    "`{name}` is {fill} where nothing is stored, but over `{}` that is {}",
                    semiring.name, semiring.zero
                );
                self.wrong(span, message)
                    .help
                    .push(format!("declare it with `fill {}`, or with no fill", semiring.zero));
                return None;
            }
        }
        Some(Expr::Access(Access { tensor: id, indices, fill, span }))
    }

    /// Decides the fill of a padded parameter without a declared fill: it is the zero of the semiring of the first statement that reads the
    /// parameter, or 0. All other statements must agree.
    pub(super) fn pad(&mut self, id: TensorId, over: Option<&Arc<Semiring>>, span: Span) -> Option<()> {
        if !self.is_padded(id) {
            return Some(());
        }
        let tensor = &mut self.kernel.tensors[id.0];
        let nothing = over.map_or(Literal::Int(0), |semiring| semiring.zero);
        if !self.padded.contains(&id) {
            self.padded.push(id);
            tensor.fill = nothing;
        } else if !same(tensor.fill, nothing) {
            let (name, held) = (tensor.name.clone(), tensor.fill);
            let how = tensor.format.as_ref().map_or(String::new(), ToString::to_string);
            let message = format!("`{name}` holds {held} where it has no entry, and here that would be {nothing}");
            let mistake = self.wrong(span, message);
            mistake.notes.push(format!("its format keeps places for more than its entries: {how}"));
            mistake.help.push("pass it in a format that keeps entries only, such as `csr`".into());
            return None;
        }
        Some(())
    }

    /// The quotient or remainder of two constants. It is refused if it is another number among integers than among floats, since the type
    /// in which it is computed is not known yet.
    pub(super) fn quotient(&mut self, operator: &Operator, a: Literal, b: Literal, span: Span) -> Option<Expr> {
        let (x, y) = (number(a), number(b));
        let whole = match (a, b) {
            (Literal::Int(a), Literal::Int(b)) => Some((a.checked_div(b), a.checked_rem(b))),
            _ => None,
        };
        Some(Expr::Literal(match (operator, whole) {
            (Operator::Rem, Some((_, Some(rest)))) if x >= 0.0 => Literal::Int(rest),
            (Operator::Rem, None) => Literal::Float(x % y),
            (Operator::Div, Some((Some(quotient), Some(0)))) => Literal::Int(quotient),
            (Operator::Div, None) => Literal::Float(x / y),
            (operator, _) => {
                let (symbol, among_floats) = if *operator == Operator::Div { ("/", x / y) } else { ("%", x % y) };
                self.wrong(span, format!("`{a} {symbol} {b}` has one value among integers and another among floats"))
                    .help
                    .push(format!("write the number that is meant, such as `{among_floats}`"));
                return None;
            }
        }))
    }
}

/// The first argument of `select` or `without`. If it reads no tensor, it has an entry everywhere, and [`Operator::Held`] says what is in
/// its place where the operator drops it: the zero of the semiring, or 0.
fn held(kept: Expr, over: Option<&Arc<Semiring>>) -> Expr {
    let mut reads = false;
    kept.accesses(&mut |_| reads = true);
    let absent = over.map_or(Literal::Int(0), |semiring| semiring.zero);
    if reads { kept } else { Expr::Apply(Operator::Held(absent), vec![kept]) }
}

/// The first operation of an expression that is for numbers only and is computed in the type of the whole expression.
pub(super) fn numeric(expr: &Expr) -> Option<&Operator> {
    let Expr::Apply(op, args) = expr else { return None };
    match op {
        Operator::Sub | Operator::Div | Operator::Rem | Operator::Neg | Operator::Abs => Some(op),
        Operator::Select | Operator::Without => numeric(&args[0]),
        op if op.has_own_type() => None,
        _ => args.iter().find_map(numeric),
    }
}
