//! The values of expressions.

use std::collections::BTreeMap;

use super::known::{Known, constant, same_kind};
use super::number::Number;
use super::run::{Env, Run, Statement};
use crate::notation::ast::{BinaryOp, Expr, ExprKind, Literal, ValueType};

impl Run<'_> {
    /// The value of an expression all of whose indices have values.
    pub(super) fn value(&self, expr: &Expr, env: &Env, s: &Statement<'_>, ty: ValueType) -> Result<Known, String> {
        match &expr.kind {
            ExprKind::Literal(literal) => Ok(Known::Constant(Number::from(*literal).cast(ty))),
            ExprKind::Name(name) if self.tensors.contains_key(&name.text) => self.cell(&name.text, &[], env, s, ty),
            ExprKind::Name(name) => match env.get(&name.text) {
                Some(&at) => Ok(Known::Computed(Number::Int(at as i128).cast(ValueType::I64).cast(ty))),
                None => Err(format!("{name} has no value")),
            },
            ExprKind::Slice(_) => Err("a slice is a coordinate".into()),
            ExprKind::Neg(inner) => match inner.kind {
                ExprKind::Literal(literal) => Ok(Known::Constant(negative(literal).cast(ty))),
                _ => {
                    let inner = self.value(inner, env, s, ty)?;
                    self.operate("neg", &[inner], ty, s)
                }
            },
            ExprKind::Binary { op: BinaryOp::Without, left, right } => self.without(left, right, env, s, ty),
            ExprKind::Binary { op, left, right } if op.compares() => self.compare(*op, [left, right], env, s, ty),
            ExprKind::Binary { op, left, right } => {
                let left = self.value(left, env, s, ty)?;
                let right = self.value(right, env, s, ty)?;
                self.operate(op.symbol(), &[left, right], ty, s)
            }
            ExprKind::Apply { name, args } if self.tensors.contains_key(&name.text) => {
                self.cell(&name.text, args, env, s, ty)
            }
            ExprKind::Apply { name, args } if name.text == "select" => self.select(&args[0], &args[1], env, s, ty),
            ExprKind::Apply { name, args } => self.apply(&name.text, args, env, s, ty),
        }
    }

    /// `left without right`
    fn without(&self, left: &Expr, right: &Expr, env: &Env, s: &Statement<'_>, ty: ValueType) -> Result<Known, String> {
        let entry = match &right.kind {
            ExprKind::Apply { name, args } => self.has_entry(&name.text, args, env)?,
            ExprKind::Name(name) => self.has_entry(&name.text, &[], env)?,
            _ => return Err("only a tensor has entries".into()),
        };
        if entry { Ok(Known::Constant(self.background(left, s, ty)?)) } else { self.kept(left, env, s, ty) }
    }

    /// What `without` or `select` keeps: a number that stands alone is an entry, as a scalar is.
    fn kept(&self, expr: &Expr, env: &Env, s: &Statement<'_>, ty: ValueType) -> Result<Known, String> {
        let value = self.value(expr, env, s, ty)?;
        Ok(match (self.reads(expr), self.all_absent) {
            (true, _) => value,
            (false, true) => Known::Constant(self.background(expr, s, ty)?),
            (false, false) => Known::Computed(value.number()),
        })
    }

    /// Whether a neutral element that an expression is where nothing is stored is computed there, and not what an operand holds.
    pub(super) fn computes(&self, expr: &Expr, neutral: Number, ty: ValueType) -> bool {
        let held = |name: &str| {
            self.tensors.get(name).and_then(|tensor| tensor.fill).is_some_and(|fill| {
                fill.cast(ty) == neutral.cast(ty) || fill.float().is_infinite() && neutral.float() != 1.0
            })
        };
        match &expr.kind {
            ExprKind::Literal(_) | ExprKind::Slice(_) => true,
            ExprKind::Name(name) => !held(&name.text),
            ExprKind::Neg(inner) => self.computes(inner, neutral, ty),
            ExprKind::Binary { left, right, .. } => {
                self.computes(left, neutral, ty) && self.computes(right, neutral, ty)
            }
            ExprKind::Apply { name, args } => {
                !held(&name.text) && args.iter().all(|arg| self.computes(arg, neutral, ty))
            }
        }
    }

    /// Whether an expression reads a tensor.
    fn reads(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Literal(_) | ExprKind::Slice(_) => false,
            ExprKind::Name(name) => self.tensors.contains_key(&name.text),
            ExprKind::Neg(inner) => self.reads(inner),
            ExprKind::Binary { left, right, .. } => self.reads(left) || self.reads(right),
            ExprKind::Apply { name, args } => {
                self.tensors.contains_key(&name.text) || args.iter().any(|arg| self.reads(arg))
            }
        }
    }

    /// A comparison, in the type of its operands; constants among themselves are compared as they are.
    fn compare(
        &self,
        op: BinaryOp,
        [left, right]: [&Expr; 2],
        env: &Env,
        s: &Statement<'_>,
        ty: ValueType,
    ) -> Result<Known, String> {
        let of = self.type_among(&[left, right]).unwrap_or(ValueType::F64);
        let left = self.value(left, env, s, of)?;
        let right = self.value(right, env, s, of)?;
        let order = match (left.number(), right.number()) {
            (Number::Int(a), Number::Int(b)) => Some(a.cmp(&b)),
            (a, b) => a.float().partial_cmp(&b.float()),
        };
        let yes = match op {
            BinaryOp::Eq => order.is_some_and(|o| o.is_eq()),
            BinaryOp::Ne => !order.is_some_and(|o| o.is_eq()),
            BinaryOp::Lt => order.is_some_and(|o| o.is_lt()),
            BinaryOp::Le => order.is_some_and(|o| o.is_le()),
            BinaryOp::Gt => order.is_some_and(|o| o.is_gt()),
            _ => order.is_some_and(|o| o.is_ge()),
        };
        Ok(same_kind(&[left, right], Number::Bool(yes).cast(ty)))
    }

    /// `select(kept, condition)`
    fn select(
        &self,
        kept: &Expr,
        condition: &Expr,
        env: &Env,
        s: &Statement<'_>,
        ty: ValueType,
    ) -> Result<Known, String> {
        let background = self.background(kept, s, ty)?;
        let kept = self.kept(kept, env, s, ty)?;
        if matches!(kept, Known::Constant(x) if x == background) {
            return Ok(kept);
        }
        let plain = Statement { over: None, ty: s.ty, ranges: BTreeMap::new() };
        let of = self.type_of(condition).unwrap_or(ty);
        let condition = self.value(condition, env, &plain, of)?;
        Ok(if condition.number().truth() { kept } else { Known::Constant(background) })
    }

    /// A function by its name. `sqrt` of integers is computed in `f64`, and logic in the type of its operands.
    fn apply(&self, name: &str, args: &[Expr], env: &Env, s: &Statement<'_>, ty: ValueType) -> Result<Known, String> {
        let of = match name {
            "sqrt" if !ty.is_float() => ValueType::F64,
            "and" | "or" | "not" => self.type_among(&args.iter().collect::<Vec<_>>()).unwrap_or(ValueType::F64),
            _ => ty,
        };
        let args: Vec<Known> = args.iter().map(|arg| self.value(arg, env, s, of)).collect::<Result<_, _>>()?;
        let result = self.operate(name, &args, of, s)?;
        Ok(match result {
            // What is absent and infinite stays so until it is stored, in integers too.
            Known::Constant(x) if x.float().is_infinite() => result,
            Known::Constant(x) => Known::Constant(x.cast(ty)),
            Known::Computed(x) => Known::Computed(x.cast(ty)),
        })
    }

    /// The value of an expression where nothing is stored, if it is a constant; 0 otherwise. Of one that reads no tensor it is the zero of
    /// the semiring, or 0.
    pub(super) fn background(&self, expr: &Expr, s: &Statement<'_>, ty: ValueType) -> Result<Number, String> {
        if !self.reads(expr) {
            return Ok(s.over.map_or(Number::Int(0), |semiring| constant(&semiring.zero)).cast(ty));
        }
        let mut empty = Run {
            scope: self.scope,
            params: self.params.clone(),
            types: BTreeMap::new(),
            declared: BTreeMap::new(),
            tensors: self.tensors.clone(),
            fresh: BTreeMap::new(),
            all_absent: true,
        };
        for tensor in empty.tensors.values_mut() {
            tensor.cells.clear();
            (tensor.by_value, tensor.full) = (false, false);
        }
        let mut names = Vec::new();
        self.names(expr, &mut names);
        let env = names.into_iter().map(|name| (name, 0)).collect();
        Ok(match empty.value(expr, &env, s, ty)? {
            Known::Constant(x) => x,
            Known::Computed(_) => Number::Int(0).cast(ty),
        })
    }
}

/// A literal with a minus in front.
fn negative(literal: Literal) -> Number {
    Number::from(match literal {
        Literal::Int(x) => Literal::Int(-x),
        Literal::Float(x) => Literal::Float(-x),
        Literal::Bool(x) => Literal::Bool(x),
    })
}
