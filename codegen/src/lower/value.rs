//! Expressions: values, and whether something is stored.

use super::nest::{Lower, State};
use super::storage::{literal, scalar};
use super::{Stopped, unsupported};
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt, UnaryOp};
use crate::notation::algebra::{self, Presence, annihilated, background, is_identity, simplify};
use crate::notation::ast::{Literal, ValueType};
use crate::notation::concrete::{Access, Expr, Function, Operator, Reduction, same};
use crate::notation::{type_among, type_of};

/// Whether a value is to be stored.
#[derive(Clone, Debug)]
pub(super) enum Stored {
    /// It is a constant that nothing stored has a part in.
    Never,
    /// It is.
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

/// The operation of the IR that folds values of type `ty`: over truth values, sums are disjunctions and products conjunctions.
pub(super) fn fold(reduction: Reduction, ty: Scalar) -> ir::Reduce {
    let boolean = ty == Scalar::Bool;
    match reduction {
        Reduction::Add | Reduction::Max if boolean => ir::Reduce::Or,
        Reduction::Mul | Reduction::Min if boolean => ir::Reduce::And,
        Reduction::Add => ir::Reduce::Add,
        Reduction::Mul => ir::Reduce::Mul,
        Reduction::Min => ir::Reduce::Min,
        Reduction::Max => ir::Reduce::Max,
        Reduction::Or => ir::Reduce::Or,
        Reduction::And => ir::Reduce::And,
    }
}

fn cast(code: Code, from: Scalar, to: Scalar) -> Code {
    if from == to { code } else { code.cast(to) }
}

impl Lower<'_> {
    /// The value of `expr`, computed in type `ty`. Statements that must run first go to `block`.
    pub(super) fn value(&mut self, expr: &Expr, ty: Scalar, state: &State, block: &mut Block) -> Result<Code, Stopped> {
        self.value_with(expr, ty, state, &[], block)
    }

    fn value_with(
        &mut self,
        expr: &Expr,
        ty: Scalar,
        state: &State,
        arguments: &[Code],
        block: &mut Block,
    ) -> Result<Code, Stopped> {
        let (op, args) = match expr {
            Expr::Literal(value) => return Ok(literal(*value, ty)),
            Expr::Index(index) => return Ok(cast(self.index_value(*index, state).cast(Scalar::I64), Scalar::I64, ty)),
            Expr::Argument(at) => return Ok(arguments[*at].clone()),
            Expr::Access(access) => {
                let own = scalar(self.kernel.tensor(access.tensor).value);
                let code = cast(self.read(access, state, block)?, own, ty);
                return Ok(match self.operand_flag(access, state) {
                    None => code,
                    Some(flag) => Code::Var(flag).select(code, literal(access.fill, ty)),
                });
            }
            Expr::Apply(op, args) => (op, args),
        };
        // One of the operands may be all that is left: neither is computed twice.
        let mut held = Vec::new();
        if self.leaves_alone(op, args, state) {
            for arg in args {
                let code = self.value_with(arg, ty, state, arguments, block)?;
                let var = self.vars.fresh("value", ty);
                block.push(Stmt::Let(var, code));
                held.push(Code::Var(var));
            }
        }
        let places: Vec<Expr> = (0..held.len()).map(Expr::Argument).collect();
        let (of, arguments) = if held.is_empty() { (&args[..], arguments) } else { (&places[..], &held[..]) };
        let code = match op {
            Operator::Plus(semiring) => self.operate(&semiring.plus.operator(), of, ty, state, arguments, block),
            Operator::Times(semiring) => self.operate(&semiring.times, of, ty, state, arguments, block),
            op => self.operate(op, of, ty, state, arguments, block),
        }?;
        self.guarded(op, args, code, &held, ty, state, block)
    }

    /// Whether an operand that is told apart at run time leaves the other one alone where it is missing, by definition and not by the
    /// numbers.
    fn leaves_alone(&self, op: &Operator, args: &[Expr], state: &State) -> bool {
        let declared = match op {
            Operator::Function(function) => function.identity.is_some(),
            Operator::Plus(semiring) => !same(semiring.plus.identity(ValueType::F64), semiring.zero),
            _ => false,
        };
        let leaves = |at: usize| {
            let bare = self.bare(&args[at], state).filter(|_| self.is_conditional(&args[at], state));
            bare.is_some_and(|bare| is_identity(op, at, bare))
        };
        declared && args.len() == 2 && (leaves(0) || leaves(1))
    }

    fn operate(
        &mut self,
        op: &Operator,
        args: &[Expr],
        ty: Scalar,
        state: &State,
        arguments: &[Code],
        block: &mut Block,
    ) -> Result<Code, Stopped> {
        // What the operands are computed in.
        let of = match op {
            op if op.compares() => self.common_type(args, Scalar::F64),
            Operator::And | Operator::Or | Operator::Not => self.common_type(args, Scalar::F64),
            Operator::Sqrt if !ty.is_float() => Scalar::F64,
            Operator::Sub | Operator::Div | Operator::Rem | Operator::Neg | Operator::Abs if ty == Scalar::Bool => {
                Scalar::F64
            }
            _ => ty,
        };
        match op {
            Operator::Select => {
                let kept = self.value_with(&args[0], ty, state, arguments, block)?;
                let condition = self.condition(&args[1], ty, state, block)?;
                return Ok(condition.select(kept, literal(background(&args[0]), ty)));
            }
            Operator::Without => {
                let kept = self.value_with(&args[0], ty, state, arguments, block)?;
                let Expr::Access(access) = &args[1] else {
                    return Err(unsupported(self.span, "`without` takes the entries of a tensor away"));
                };
                let entry = self.has_entry(access, state, block)?;
                return Ok(entry.select(literal(background(&args[0]), ty), kept));
            }
            Operator::As(own) => {
                let own = scalar(*own);
                let code = self.value_with(&args[0], own, state, arguments, block)?;
                return Ok(cast(code, own, ty));
            }
            Operator::First => return self.value_with(&args[0], ty, state, arguments, block),
            Operator::Second => return self.value_with(&args[1], ty, state, arguments, block),
            Operator::Pair => return Ok(literal(Literal::Int(1), ty)),
            _ => {}
        }
        // Truth values are told apart before there is any arithmetic on them.
        let narrow =
            ty == Scalar::Bool && !op.compares() && !matches!(op, Operator::And | Operator::Or | Operator::Not);
        let mut codes = Vec::new();
        for arg in args {
            let code = self.value_with(arg, if narrow { ty } else { of }, state, arguments, block)?;
            codes.push(if narrow { cast(code, ty, of) } else { code });
        }
        if let Operator::Function(function) = op {
            return self.call(function, codes, ty, state, block);
        }
        let a = codes.remove(0);
        let zero = || literal(Literal::Int(0), of);
        let result = match op {
            Operator::Neg if of.is_float() => zero() - a,
            Operator::Neg => zero() - a,
            Operator::Abs if of.is_signed() => a.unary(UnaryOp::Abs),
            Operator::Abs => a,
            Operator::Sqrt => a.unary(UnaryOp::Sqrt),
            Operator::Not => return Ok(cast(!cast(a, of, Scalar::Bool), Scalar::Bool, ty)),
            _ => {
                let b = codes.remove(0);
                let boolean = of == Scalar::Bool;
                let truth = |code: Code| cast(code, of, Scalar::Bool);
                match op {
                    Operator::Add | Operator::Max if boolean => a.or(b),
                    Operator::Mul | Operator::Min if boolean => a.and(b),
                    Operator::Add => a + b,
                    Operator::Sub => a - b,
                    Operator::Mul => a * b,
                    Operator::Div => a / b,
                    Operator::Rem => a % b,
                    Operator::Min => a.min(b),
                    Operator::Max => a.max(b),
                    Operator::And => return Ok(cast(truth(a).and(truth(b)), Scalar::Bool, ty)),
                    Operator::Or => return Ok(cast(truth(a).or(truth(b)), Scalar::Bool, ty)),
                    Operator::Eq => return Ok(cast(a.equal(b), Scalar::Bool, ty)),
                    Operator::Ne => return Ok(cast(a.not_equal(b), Scalar::Bool, ty)),
                    // Of truth values only numbers can be compared.
                    Operator::Lt => return Ok(cast(self.order(a, b, of, Code::less), Scalar::Bool, ty)),
                    Operator::Le => return Ok(cast(self.order(a, b, of, Code::less_equal), Scalar::Bool, ty)),
                    Operator::Gt => return Ok(cast(self.order(a, b, of, Code::greater), Scalar::Bool, ty)),
                    Operator::Ge => return Ok(cast(self.order(a, b, of, Code::greater_equal), Scalar::Bool, ty)),
                    _ => return Err(unsupported(self.span, "this operator takes tensors, not values")),
                }
            }
        };
        Ok(cast(result, of, ty))
    }

    fn order(&self, a: Code, b: Code, of: Scalar, compare: fn(Code, Code) -> Code) -> Code {
        if of == Scalar::Bool { compare(a.cast(Scalar::U32), b.cast(Scalar::U32)) } else { compare(a, b) }
    }

    fn common_type(&self, args: &[Expr], context: Scalar) -> Scalar {
        type_among(args, &self.kernel.tensors).map_or(context, scalar)
    }

    /// What is left of an operation where an operand that is told apart at run time is missing, and its value makes the
    /// operation a constant: `near(select(a, c), b)` is 0 where `c` does not hold if 0 annihilates `near`. If its value leaves the
    /// other operand alone by definition, and not by the numbers, that one is left: `held` has both then.
    #[allow(clippy::too_many_arguments, reason = "all of it describes one operation")]
    fn guarded(
        &mut self,
        op: &Operator,
        args: &[Expr],
        value: Code,
        held: &[Code],
        ty: Scalar,
        state: &State,
        block: &mut Block,
    ) -> Result<Code, Stopped> {
        let mut value = value;
        // What the first operand decides counts.
        for (at, arg) in args.iter().enumerate().rev() {
            if !self.is_conditional(arg, state) {
                continue;
            }
            let Some(bare) = self.bare(arg, state) else { continue };
            let left = match annihilated(op, at, bare) {
                Some(result) => literal(result, ty),
                None if held.len() == 2 && is_identity(op, at, bare) => held[1 - at].clone(),
                None => continue,
            };
            if let Stored::If(condition) = self.computed(arg, state, block)? {
                value = condition.select(value, left);
            }
        }
        Ok(value)
    }

    /// Whether it is known at run time only that an expression is no constant.
    fn is_conditional(&self, expr: &Expr, state: &State) -> bool {
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

    /// A condition: the value of `expr` in its own type, as a truth value.
    pub(super) fn condition(
        &mut self,
        expr: &Expr,
        context: Scalar,
        state: &State,
        block: &mut Block,
    ) -> Result<Code, Stopped> {
        let of = type_of(expr, &self.kernel.tensors).map_or(context, scalar);
        let code = self.value(expr, of, state, block)?;
        Ok(cast(code, of, Scalar::Bool))
    }

    fn call(
        &mut self,
        function: &Function,
        args: Vec<Code>,
        ty: Scalar,
        state: &State,
        block: &mut Block,
    ) -> Result<Code, Stopped> {
        match &function.body {
            Err(path) => Ok(Code::Call(path.clone(), args, ty)),
            Ok(body) => {
                // A parameter may occur more than once: each argument is computed once.
                let mut held = Vec::new();
                for (name, arg) in function.params.iter().zip(args) {
                    held.push(match arg {
                        Code::Literal(_) | Code::Var(_) => arg,
                        arg => {
                            let var = self.vars.fresh(name.to_lowercase(), ty);
                            block.push(Stmt::Let(var, arg));
                            var.into()
                        }
                    });
                }
                self.value_with(body, ty, state, &held, block)
            }
        }
    }

    /// Whether what `expr` computes is stored in a sparse tensor; `nothing` tells which constants are not.
    pub(super) fn stored(
        &mut self,
        expr: &Expr,
        nothing: impl Fn(Literal) -> bool,
        state: &State,
        block: &mut Block,
    ) -> Result<Stored, Stopped> {
        let stored = self.computed(expr, state, block)?;
        if let Stored::If(_) | Stored::Never = stored {
            let bare = self.bare(expr, state).or_else(|| match simplify(expr, &|_| Presence::Absent) {
                Expr::Literal(value) => Some(value),
                _ => None,
            });
            if !bare.is_some_and(nothing) {
                return Ok(Stored::Always);
            }
        }
        Ok(stored)
    }

    /// What an expression is where that which it is told apart by does not hold, if that is a constant.
    fn bare(&self, expr: &Expr, state: &State) -> Option<Literal> {
        match expr {
            Expr::Literal(value) => Some(*value),
            Expr::Access(access) => self.flag(access, state).map(|_| access.fill),
            Expr::Index(_) | Expr::Argument(_) => None,
            Expr::Apply(Operator::Select | Operator::Without, args) => Some(background(&args[0])),
            Expr::Apply(op, args) => {
                let bare: Vec<Option<Literal>> = args.iter().map(|arg| self.bare(arg, state)).collect();
                let known = |at: usize| bare[at].and_then(|value| annihilated(op, at, value));
                (0..args.len())
                    .find_map(known)
                    .or_else(|| algebra::fold(op, &bare.into_iter().collect::<Option<Vec<_>>>()?))
            }
        }
    }

    /// Whether something stored has a part in `expr`.
    fn computed(&mut self, expr: &Expr, state: &State, block: &mut Block) -> Result<Stored, Stopped> {
        match expr {
            Expr::Literal(_) => Ok(Stored::Never),
            Expr::Index(_) | Expr::Argument(_) => Ok(Stored::Always),
            Expr::Access(access) => Ok(match self.flag(access, state) {
                Some(flag) => Stored::If(flag.into()),
                None => Stored::Always,
            }),
            Expr::Apply(Operator::Select, args) => {
                let kept = self.computed(&args[0], state, block)?;
                let ty = type_of(&args[0], &self.kernel.tensors).unwrap_or(ValueType::F64);
                let condition = self.condition(&args[1], scalar(ty), state, block)?;
                Ok(kept.and(condition))
            }
            Expr::Apply(Operator::Without, args) => {
                let kept = self.computed(&args[0], state, block)?;
                match &args[1] {
                    Expr::Access(access) => {
                        let entry = self.has_entry(access, state, block)?;
                        Ok(kept.and(!entry))
                    }
                    _ => Ok(kept),
                }
            }
            Expr::Apply(op, args) => {
                let mut all = Stored::Never;
                let mut needed = Vec::new();
                for (at, arg) in args.iter().enumerate() {
                    let stored = self.computed(arg, state, block)?;
                    if let Stored::If(condition) = &stored {
                        let annihilates =
                            self.bare(arg, state).is_some_and(|value| annihilated(op, at, value).is_some());
                        if annihilates {
                            needed.push(condition.clone());
                        }
                    }
                    all = all.or(stored);
                }
                // Where all that is needed is there, something is.
                Ok(needed.into_iter().reduce(Code::and).map_or(all, Stored::If))
            }
        }
    }

    /// Whether `access` has an entry here; of dense tensors, whether its value is not its fill.
    pub(super) fn has_entry(&mut self, access: &Access, state: &State, block: &mut Block) -> Result<Code, Stopped> {
        if let Some(present) = self.present(access, state) {
            return Ok(ir::bool(present));
        }
        let flag = self.flag(access, state);
        if let Some(flag) = flag.filter(|_| !self.is_untold(access, state)) {
            return Ok(flag.into());
        }
        let tensor = self.kernel.tensor(access.tensor);
        let (own, fill) = (scalar(tensor.value), tensor.fill);
        let value = self.read(access, state, block)?;
        let entry = value.not_equal(literal(fill, own));
        Ok(flag.map_or(entry.clone(), |flag| Code::Var(flag).and(entry)))
    }
}
