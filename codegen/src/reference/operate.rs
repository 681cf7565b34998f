//! Operators and functions of values of which some are constants.

use std::collections::{BTreeMap, BTreeSet};

use super::known::{Known, constant, fold, same_kind};
use super::number::Number;
use super::run::{Env, Run, Statement};
use super::tensor::Tensor;
use crate::notation::ast::{AssignOp, FunctionBody, FunctionDecl, SemiringDecl, ValueType};

impl Run<'_> {
    /// An operator or function, by its spelling, of values of type `ty`.
    pub(super) fn operate(&self, op: &str, args: &[Known], ty: ValueType, s: &Statement<'_>) -> Result<Known, String> {
        match (op, s.over) {
            ("+", Some(semiring)) => return sum_over(semiring, args, ty),
            ("*", Some(semiring)) => return self.product_over(semiring, args, ty, s),
            _ => {}
        }
        if let Some(function) = self.scope.functions.get(op) {
            return self.call(function, args, ty, s);
        }
        let infinite = |known: &Known| matches!(known, Known::Constant(x) if x.float().is_infinite());
        let constants = args.iter().all(|arg| matches!(arg, Known::Constant(_)));
        let ty = if constants && args.iter().take(2).any(infinite) { ValueType::F64 } else { ty };
        if let Some(known) = annihilated(op, args, ty).or_else(|| unchanged(op, args)) {
            return Ok(known);
        }
        let a = args[0].number();
        let b = args.get(1).map_or(a, |b| b.number());
        let value = bundled(op, a, b, ty).ok_or_else(|| format!("no function {op}"))?;
        Ok(same_kind(args, value.cast(ty)))
    }

    fn product_over(
        &self,
        semiring: &SemiringDecl,
        args: &[Known],
        ty: ValueType,
        s: &Statement<'_>,
    ) -> Result<Known, String> {
        let zero = constant(&semiring.zero).cast(ty);
        let one = semiring.one.as_ref().map(|one| constant(one).cast(ty));
        match args {
            [Known::Constant(x), _] | [_, Known::Constant(x)] if x.cast(ty) == zero => Ok(Known::Constant(zero)),
            [Known::Constant(x), other] | [other, Known::Constant(x)] if Some(x.cast(ty)) == one => Ok(*other),
            _ => {
                let plain = Statement { over: None, ty: s.ty, ranges: BTreeMap::new() };
                let value = self.operate(&semiring.times.text, args, ty, &plain)?.number();
                Ok(same_kind(args, value))
            }
        }
    }

    fn call(&self, function: &FunctionDecl, args: &[Known], ty: ValueType, s: &Statement<'_>) -> Result<Known, String> {
        let annihilator = function.annihilator.as_ref().map(|value| constant(value).cast(ty));
        let identity = function.identity.as_ref().map(|value| constant(value).cast(ty));
        for arg in args {
            if matches!(arg, Known::Constant(x) if Some(*x) == annihilator) {
                return Ok(*arg);
            }
        }
        if let [a, b] = args {
            if matches!(b, Known::Constant(x) if Some(*x) == identity) {
                return Ok(*a);
            }
            if matches!(a, Known::Constant(x) if Some(*x) == identity) {
                return Ok(*b);
            }
        }
        let FunctionBody::Expr(body) = &function.body else {
            return Err(format!("{} is a function of Rust", function.name));
        };
        // The body is about numbers: its parameters are scalars of a world of their own.
        let scalar = |x: Number| Tensor {
            shape: Vec::new(),
            value: ty,
            fill: None,
            by_value: false,
            full: true,
            cells: vec![Some(x)],
        };
        let tensors =
            function.params.iter().map(|p| p.text.clone()).zip(args.iter().map(|arg| scalar(arg.number()))).collect();
        let world = Run {
            scope: self.scope,
            params: BTreeSet::new(),
            types: BTreeMap::new(),
            declared: BTreeMap::new(),
            tensors,
            fresh: BTreeMap::new(),
            all_absent: false,
        };
        let plain = Statement { over: None, ty: s.ty, ranges: BTreeMap::new() };
        let value = world.value(body, &Env::new(), &plain, ty)?.number();
        Ok(same_kind(args, value))
    }
}

fn sum_over(semiring: &SemiringDecl, args: &[Known], ty: ValueType) -> Result<Known, String> {
    let zero = constant(&semiring.zero).cast(ty);
    match args {
        [Known::Constant(x), other] | [other, Known::Constant(x)] if x.cast(ty) == zero => Ok(*other),
        [a, b] => {
            let value = fold(AssignOp::Add, Some(&semiring.plus.text), a.number(), b.number(), ty);
            Ok(same_kind(args, value))
        }
        _ => Err("+ takes two".into()),
    }
}

/// Whether an operand is this constant.
fn is_constant(args: &[Known], at: usize, wanted: f64) -> bool {
    matches!(args.get(at), Some(Known::Constant(x)) if x.float() == wanted)
}

/// The result, if one operand is a constant that makes it a constant whatever the other is.
fn annihilated(op: &str, args: &[Known], ty: ValueType) -> Option<Known> {
    let either = |wanted: f64| is_constant(args, 0, wanted) || is_constant(args, 1, wanted);
    let infinite = |at: usize| match args.get(at) {
        Some(Known::Constant(x)) if x.float().is_infinite() => Some(x.float()),
        _ => None,
    };
    let truth = |arg: &Known| matches!(arg, Known::Constant(x) if x.truth());
    match op {
        "+" | "-" if infinite(0).is_some() => Some(args[0]),
        "+" if infinite(1).is_some() => Some(args[1]),
        "-" => infinite(1).map(|b| Known::Constant(Number::Float(-b))),
        "*" if either(0.0) => Some(Known::Constant(Number::Int(0).cast(ty))),
        "/" | "%" if is_constant(args, 0, 0.0) => Some(args[0]),
        "and" if either(0.0) => Some(Known::Constant(Number::Bool(false).cast(ty))),
        "or" if args.iter().any(truth) => Some(Known::Constant(Number::Bool(true).cast(ty))),
        "min" if either(f64::NEG_INFINITY) => Some(Known::Constant(Number::Float(f64::NEG_INFINITY).cast(ty))),
        "max" if either(f64::INFINITY) => Some(Known::Constant(Number::Float(f64::INFINITY).cast(ty))),
        _ => None,
    }
}

/// The operand that the operator gives back as it is: the one beside a constant that is its identity.
fn unchanged(op: &str, args: &[Known]) -> Option<Known> {
    let (identity, on_both_sides) = match op {
        "+" => (0.0, true),
        "-" => (0.0, false),
        "*" => (1.0, true),
        "/" => (1.0, false),
        "min" => (f64::INFINITY, true),
        "max" => (f64::NEG_INFINITY, true),
        "first" => return Some(args[0]),
        "second" => return Some(args[1]),
        _ => return None,
    };
    if is_constant(args, 1, identity) {
        return Some(args[0]);
    }
    (on_both_sides && is_constant(args, 0, identity)).then(|| args[1])
}

/// A bundled operator or function of numbers; `None` if there is none of this name.
fn bundled(op: &str, a: Number, b: Number, ty: ValueType) -> Option<Number> {
    Some(match op {
        "+" => a.add(b, ty),
        "-" => a.sub(b, ty),
        "*" => a.mul(b, ty),
        "/" => a.div(b, ty),
        "%" => a.rem(b, ty),
        "min" => a.min(b, ty),
        "max" => a.max(b, ty),
        "neg" => Number::Int(0).cast(ty).sub(a, ty),
        "abs" if a.float() < 0.0 => Number::Int(0).cast(ty).sub(a, ty),
        "abs" => a,
        "sqrt" => Number::Float(a.float().sqrt()).cast(ty),
        "and" => Number::Bool(a.truth() && b.truth()),
        "or" => Number::Bool(a.truth() || b.truth()),
        "not" => Number::Bool(!a.truth()),
        "pair" => Number::Int(1),
        _ => return None,
    })
}
