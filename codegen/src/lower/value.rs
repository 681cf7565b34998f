//! The values of expressions, as code.

use super::nest::{Lower, State};
use crate::ir::{Block, Expr as Code, Foreign, FunctionId, Scalar, Stmt};
use crate::notation::algebra::{background, is_identity};
use crate::notation::ast::{Literal, ValueType};
use crate::notation::concrete::{Expr, Function, Operator, same};
use crate::notation::{type_of, type_within};
use crate::tensor::{binary, cast, literal, operand_type, scalar, unary, value_type};

/// What a function is given, computed in one type.
struct Arguments<'a> {
    codes: &'a [Code],
    ty: Scalar,
}

impl Arguments<'static> {
    /// Outside of functions.
    const NONE: Arguments<'static> = Arguments { codes: &[], ty: Scalar::F64 };
}

/// Whether one of two operands, whose presence is known only at run time, leaves the other one unchanged where it is absent: by
/// declaration, and not by arithmetic.
fn leaves_alone(op: &Operator, args: &[Expr], state: &State) -> bool {
    let declared = match op {
        Operator::Function(function) => function.identity.is_some(),
        Operator::Plus(semiring) => !same(semiring.plus.identity(ValueType::F64), semiring.zero),
        _ => false,
    };
    let leaves = |at: usize| state.absent_value(&args[at]).is_some_and(|absent| is_identity(op, at, absent));
    declared && args.len() == 2 && (leaves(0) || leaves(1))
}

impl Lower<'_> {
    /// The value of `expr`, computed in type `ty`. Statements that must run first go to `block`.
    pub(super) fn value(&mut self, expr: &Expr, ty: Scalar, state: &State, block: &mut Block) -> Code {
        let outer = self.conditions.replace(Vec::new());
        let code = self.value_with(expr, ty, state, &Arguments::NONE, block);
        self.conditions = outer;
        code
    }

    fn value_with(
        &mut self,
        expr: &Expr,
        ty: Scalar,
        state: &State,
        arguments: &Arguments<'_>,
        block: &mut Block,
    ) -> Code {
        let (op, args) = match expr {
            Expr::Literal(value) => return literal(*value, ty),
            Expr::Index(index) => return cast(state.index(*index).cast(Scalar::I64), Scalar::I64, ty),
            Expr::Argument(at) => return cast(arguments.codes[*at].clone(), arguments.ty, ty),
            Expr::Access(access) => {
                let own = scalar(self.kernel.tensor(access.tensor).value);
                let code = cast(self.read(access, state, block), own, ty);
                return match state.operand_flag(access) {
                    None => code,
                    Some(flag) => Code::Var(flag).select(code, literal(access.fill, ty)),
                };
            }
            Expr::Apply(op, args) => (op, args),
        };
        // The value may be one of the operands alone. Each operand is computed once, for the operation and for that case.
        let mut held = Vec::new();
        if leaves_alone(op, args, state) {
            for arg in args {
                let code = self.value_with(arg, ty, state, arguments, block);
                let var = self.vars.fresh("value", ty);
                block.push(Stmt::Let(var, code));
                held.push(Code::Var(var));
            }
        }
        let places: Vec<Expr> = (0..held.len()).map(Expr::Argument).collect();
        let own = Arguments { codes: &held, ty };
        let (of, arguments) = if held.is_empty() { (&args[..], arguments) } else { (&places[..], &own) };
        let code = match op {
            Operator::Plus(semiring) => self.operate(&semiring.plus.operator(), of, ty, state, arguments, block),
            Operator::Times(semiring) => self.operate(&semiring.times, of, ty, state, arguments, block),
            op => self.operate(op, of, ty, state, arguments, block),
        };
        self.guarded(op, args, code, &held, ty, state, block)
    }

    fn operate(
        &mut self,
        op: &Operator,
        args: &[Expr],
        ty: Scalar,
        state: &State,
        arguments: &Arguments<'_>,
        block: &mut Block,
    ) -> Code {
        // What the operands are computed in.
        let logical = op.compares() || matches!(op, Operator::And | Operator::Or | Operator::Not);
        let of = match logical {
            true => self.common_type(args, Scalar::F64, arguments),
            false => operand_type(op, ty),
        };
        match op {
            Operator::Select => {
                let kept = self.value_with(&args[0], ty, state, arguments, block);
                let condition = self.condition(&args[1], ty, state, block);
                return condition.select(kept, literal(background(&args[0]), ty));
            }
            Operator::Without => {
                let kept = self.value_with(&args[0], ty, state, arguments, block);
                let Expr::Access(access) = &args[1] else { return kept };
                let entry = self.has_entry(access, state, block);
                return entry.select(literal(background(&args[0]), ty), kept);
            }
            Operator::As(own) => {
                let own = scalar(*own);
                let code = self.value_with(&args[0], own, state, arguments, block);
                return cast(code, own, ty);
            }
            Operator::First => return self.value_with(&args[0], ty, state, arguments, block),
            Operator::Second => return self.value_with(&args[1], ty, state, arguments, block),
            Operator::Pair => return literal(Literal::Int(1), ty),
            _ => {}
        }
        // A root is taken of its operand in the operand's own type.
        let own = if *op == Operator::Sqrt { self.common_type(args, of, arguments) } else { of };
        // Truth values are normalised before there is any arithmetic on them.
        let narrow = ty == Scalar::Bool && !logical;
        let mut codes = Vec::new();
        for arg in args {
            let computed = if narrow { ty } else { own };
            let code = self.value_with(arg, computed, state, arguments, block);
            codes.push(cast(code, computed, of));
        }
        if let Operator::Function(function) = op {
            return self.call(function, codes, ty, state, block);
        }
        let mut codes = codes.into_iter();
        let first = codes.next().unwrap_or_else(|| literal(Literal::Int(0), of));
        match codes.next() {
            None => unary(op, first, of, ty),
            Some(second) => binary(op, first, second, of, ty),
        }
    }

    fn common_type(&self, args: &[Expr], context: Scalar, arguments: &Arguments<'_>) -> Scalar {
        let parameters = (!arguments.codes.is_empty()).then(|| value_type(arguments.ty));
        type_within(args, &self.kernel.tensors, parameters).map_or(context, scalar)
    }

    /// A condition: the value of `expr` in its own type, as a truth value. The operation around a selection may need its condition again. A
    /// condition that holds selections itself is computed once: otherwise code would double with each condition within a condition.
    pub(super) fn condition(&mut self, expr: &Expr, context: Scalar, state: &State, block: &mut Block) -> Code {
        let computed = self.conditions.iter().flatten().find(|(known, _)| known == expr);
        if let Some((_, var)) = computed {
            return (*var).into();
        }
        let of = type_of(expr, &self.kernel.tensors).map_or(context, scalar);
        let code = self.value(expr, of, state, block);
        let code = cast(code, of, Scalar::Bool);
        let Some(conditions) = self.conditions.as_mut().filter(|_| expr.has_selection()) else { return code };
        let var = self.vars.fresh("kept", Scalar::Bool);
        block.push(Stmt::Let(var, code));
        conditions.push((expr.clone(), var));
        var.into()
    }

    /// The number of a function that stands outside of the kernel.
    fn foreign(&mut self, name: &str, from: &str) -> FunctionId {
        let at = self.functions.iter().position(|known| known.from == from).unwrap_or_else(|| {
            self.functions.push(Foreign { name: name.to_owned(), from: from.to_owned() });
            self.functions.len() - 1
        });
        FunctionId(at as u32)
    }

    fn call(&mut self, function: &Function, args: Vec<Code>, ty: Scalar, state: &State, block: &mut Block) -> Code {
        match &function.body {
            Err(from) => Code::Call(self.foreign(&function.name, from), args, ty),
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
                self.value_with(body, ty, state, &Arguments { codes: &held, ty }, block)
            }
        }
    }
}
