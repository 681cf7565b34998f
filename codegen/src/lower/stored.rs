//! Whether a value is that of an entry, and the value of an operation where an operand is absent.

use super::nest::{Lower, State};
use super::storage::{literal, scalar};
use crate::ir::{self, Block, Expr as Code, Scalar};
use crate::notation::algebra::{self, Presence, annihilated, background, is_identity, simplify};
use crate::notation::ast::{Literal, ValueType};
use crate::notation::concrete::{Access, Expr, Operator};
use crate::notation::type_of;

/// Whether a value is to be stored.
#[derive(Clone, Debug)]
pub(super) enum Stored {
    /// No: it is a constant that does not depend on any entry.
    Never,
    /// Yes.
    Always,
    /// If this holds.
    If(Code),
}

impl Stored {
    pub(super) fn or(self, other: Stored) -> Stored {
        match (self, other) {
            (Stored::Always, _) | (_, Stored::Always) => Stored::Always,
            (Stored::Never, other) | (other, Stored::Never) => other,
            (Stored::If(a), Stored::If(b)) => Stored::If(a.or(b)),
        }
    }

    pub(super) fn and(self, condition: Code) -> Stored {
        match self {
            Stored::Never => Stored::Never,
            Stored::Always => Stored::If(condition),
            Stored::If(other) => Stored::If(other.and(condition)),
        }
    }
}

impl Lower<'_> {
    /// The value of an operation, of which some operands may be absent at run time. An absent operand may make it a constant:
    /// `near(select(a, c), b)` is 0 where `c` does not hold if 0 annihilates `near`. Or it may leave the other operand unchanged, by
    /// declaration and not by arithmetic: `held` has both operands then.
    #[allow(clippy::too_many_arguments, reason = "all of it describes one operation")]
    pub(super) fn guarded(
        &mut self,
        op: &Operator,
        args: &[Expr],
        value: Code,
        held: &[Code],
        ty: Scalar,
        state: &State,
        block: &mut Block,
    ) -> Code {
        let mut value = value;
        // What the first operand decides counts.
        for (at, arg) in args.iter().enumerate().rev() {
            if !self.is_conditional(arg, state) {
                continue;
            }
            let Some(absent) = self.absent_value(arg, state) else { continue };
            let left = match annihilated(op, at, absent) {
                Some(result) => literal(result, ty),
                None if held.len() == 2 && is_identity(op, at, absent) => held[1 - at].clone(),
                None => continue,
            };
            if let Stored::If(condition) = self.computed(arg, state, block) {
                value = condition.select(value, left);
            }
        }
        value
    }

    /// Whether it is known at run time only that an expression is no constant.
    pub(super) fn is_conditional(&self, expr: &Expr, state: &State) -> bool {
        match expr {
            Expr::Access(access) => self.flag(access, state).is_some(),
            Expr::Apply(Operator::Select | Operator::Without, _) => true,
            Expr::Apply(_, args) => args.iter().any(|arg| self.is_conditional(arg, state)),
            _ => false,
        }
    }

    /// Whether an operand of an expression has a flag.
    pub(super) fn has_operand_flag(&self, expr: &Expr, state: &State) -> bool {
        let mut found = false;
        expr.accesses(&mut |access| found |= self.operand_flag(access, state).is_some());
        found
    }

    /// Whether what `expr` computes is stored in a sparse tensor; `nothing` tells which constants are not.
    pub(super) fn stored(
        &mut self,
        expr: &Expr,
        nothing: impl Fn(Literal) -> bool,
        state: &State,
        block: &mut Block,
    ) -> Stored {
        let stored = self.computed(expr, state, block);
        if let Stored::If(_) | Stored::Never = stored {
            let absent = self.absent_value(expr, state).or_else(|| match simplify(expr, &|_| Presence::Absent) {
                Expr::Literal(value) => Some(value),
                _ => None,
            });
            if !absent.is_some_and(nothing) {
                return Stored::Always;
            }
        }
        stored
    }

    /// The value of an expression where the operands with a flag are absent, if it is a constant.
    pub(super) fn absent_value(&self, expr: &Expr, state: &State) -> Option<Literal> {
        match expr {
            Expr::Literal(value) => Some(*value),
            Expr::Access(access) => self.flag(access, state).map(|_| access.fill),
            Expr::Index(_) | Expr::Argument(_) => None,
            Expr::Apply(Operator::Select | Operator::Without, args) => Some(background(&args[0])),
            Expr::Apply(op, args) => {
                let absent: Vec<Option<Literal>> = args.iter().map(|arg| self.absent_value(arg, state)).collect();
                let known = |at: usize| absent[at].and_then(|value| annihilated(op, at, value));
                (0..args.len())
                    .find_map(known)
                    .or_else(|| algebra::fold(op, &absent.into_iter().collect::<Option<Vec<_>>>()?))
            }
        }
    }

    /// Whether `expr` is computed from an entry.
    fn computed(&mut self, expr: &Expr, state: &State, block: &mut Block) -> Stored {
        match expr {
            Expr::Literal(_) => Stored::Never,
            Expr::Index(_) | Expr::Argument(_) => Stored::Always,
            Expr::Access(access) => match self.flag(access, state) {
                Some(flag) => Stored::If(flag.into()),
                None => Stored::Always,
            },
            Expr::Apply(Operator::Select, args) => {
                let kept = self.computed(&args[0], state, block);
                let ty = type_of(&args[0], &self.kernel.tensors).unwrap_or(ValueType::F64);
                let condition = self.condition(&args[1], scalar(ty), state, block);
                kept.and(condition)
            }
            Expr::Apply(Operator::Without, args) => {
                let kept = self.computed(&args[0], state, block);
                match &args[1] {
                    Expr::Access(access) => {
                        let entry = self.has_entry(access, state, block);
                        kept.and(!entry)
                    }
                    _ => kept,
                }
            }
            Expr::Apply(op, args) => {
                let mut all = Stored::Never;
                let mut needed = Vec::new();
                for (at, arg) in args.iter().enumerate() {
                    let stored = self.computed(arg, state, block);
                    if let Stored::If(condition) = &stored {
                        let annihilates =
                            self.absent_value(arg, state).is_some_and(|value| annihilated(op, at, value).is_some());
                        if annihilates {
                            needed.push(condition.clone());
                        }
                    }
                    all = all.or(stored);
                }
                // Where all that is needed is there, something is.
                needed.into_iter().reduce(Code::and).map_or(all, Stored::If)
            }
        }
    }

    /// Whether `access` has an entry here; of dense tensors, whether its value is not its fill.
    pub(super) fn has_entry(&mut self, access: &Access, state: &State, block: &mut Block) -> Code {
        if let Some(present) = self.present(access, state) {
            return ir::bool(present);
        }
        let flag = self.flag(access, state);
        if let Some(flag) = flag.filter(|_| !self.is_untested(access, state)) {
            return flag.into();
        }
        let tensor = self.kernel.tensor(access.tensor);
        let (own, fill) = (scalar(tensor.value), tensor.fill);
        let value = self.read(access, state, block);
        let entry = value.not_equal(literal(fill, own));
        flag.map_or(entry.clone(), |flag| Code::Var(flag).and(entry))
    }
}
