//! What is found in expressions: index variables, how far they run, and types.

use std::collections::BTreeMap;

use super::cells::plain;
use super::run::Run;
use crate::notation::ast::{Assign, BinaryOp, Expr, ExprKind, FunctionBody, Literal, ValueType};

impl Run<'_> {
    /// Index variables of an expression, each once.
    pub(super) fn names(&self, expr: &Expr, found: &mut Vec<String>) {
        match &expr.kind {
            ExprKind::Literal(_) => {}
            ExprKind::Name(name) => {
                if !self.tensors.contains_key(&name.text) && !found.contains(&name.text) {
                    found.push(name.text.clone());
                }
            }
            ExprKind::Slice(slice) => {
                if !found.contains(&slice.index.text) {
                    found.push(slice.index.text.clone());
                }
            }
            ExprKind::Neg(inner) => self.names(inner, found),
            ExprKind::Binary { left, right, .. } => {
                self.names(left, found);
                self.names(right, found);
            }
            ExprKind::Apply { args, .. } => args.iter().for_each(|arg| self.names(arg, found)),
        }
    }

    /// How far the indices of a statement run.
    pub(super) fn ranges(&self, assign: &Assign, ranges: &mut BTreeMap<String, usize>) -> Result<(), String> {
        let mut note = |name: &str, coordinates: &[Expr]| -> Result<(), String> {
            let Some(tensor) = self.tensors.get(name) else { return Ok(()) };
            for (coordinate, &extent) in coordinates.iter().zip(&tensor.shape) {
                let (index, extent) = match &coordinate.kind {
                    ExprKind::Name(index) => (index, extent),
                    ExprKind::Slice(slice) => {
                        let lo = self.bound(slice.lo.as_deref())?.unwrap_or(0);
                        let hi = self.bound(slice.hi.as_deref())?.unwrap_or(extent);
                        if hi > extent {
                            return Err(format!("a slice of {name} ends at {hi}, and {name} at {extent}"));
                        }
                        (&slice.index, hi.saturating_sub(lo).div_ceil(slice.step as usize))
                    }
                    _ => continue,
                };
                let known = *ranges.entry(index.text.clone()).or_insert(extent);
                if known != extent {
                    return Err(format!("{index} runs to {known} and, in {name}, to {extent}"));
                }
            }
            Ok(())
        };
        note(&assign.target.tensor.text, &assign.target.coordinates())?;
        if let Some(mask) = &assign.mask {
            note(&mask.tensor.text, &plain(mask.indices.as_ref().unwrap_or(&assign.target.indices)))?;
        }
        let mut stack = vec![&assign.value];
        while let Some(expr) = stack.pop() {
            match &expr.kind {
                ExprKind::Apply { name, args } if self.tensors.contains_key(&name.text) => note(&name.text, args)?,
                ExprKind::Apply { args, .. } => stack.extend(args),
                ExprKind::Neg(inner) => stack.push(inner),
                ExprKind::Binary { left, right, .. } => stack.extend([&**left, right]),
                _ => {}
            }
        }
        Ok(())
    }

    /// The latest type among the operands; `None` for constants. A constant with a fraction among integers makes them floats.
    pub(super) fn type_of(&self, expr: &Expr) -> Option<ValueType> {
        let (ty, fraction) = self.latest(expr);
        if fraction && !ty.is_some_and(ValueType::is_float) { Some(ValueType::F64) } else { ty }
    }

    /// The type that several operands have in common.
    pub(super) fn type_among(&self, args: &[&Expr]) -> Option<ValueType> {
        let found = args.iter().map(|arg| self.latest(arg));
        let (ty, fraction) = found.fold((None, false), |(ty, f), (other, g)| (ty.max(other), f || g));
        if fraction && !ty.is_some_and(ValueType::is_float) { Some(ValueType::F64) } else { ty }
    }

    /// The latest type among the operands, and whether there is a fraction among them.
    pub(super) fn latest(&self, expr: &Expr) -> (Option<ValueType>, bool) {
        let all = |args: &[&Expr]| {
            let found = args.iter().map(|arg| self.latest(arg));
            found.fold((None, false), |(ty, fraction), (other, another)| (ty.max(other), fraction || another))
        };
        match &expr.kind {
            ExprKind::Literal(Literal::Float(x)) => (None, x.is_finite() && x.fract() != 0.0),
            ExprKind::Literal(_) => (None, false),
            ExprKind::Name(name) => {
                (Some(self.tensors.get(&name.text).map_or(ValueType::I64, |tensor| tensor.value)), false)
            }
            ExprKind::Slice(_) => (None, false),
            ExprKind::Neg(inner) => self.latest(inner),
            ExprKind::Binary { op, .. } if op.compares() => (Some(ValueType::Bool), false),
            ExprKind::Binary { op: BinaryOp::Without, left, .. } => self.latest(left),
            ExprKind::Binary { left, right, .. } => all(&[left, right]),
            ExprKind::Apply { name, args } => match self.tensors.get(&name.text) {
                Some(tensor) => (Some(tensor.value), false),
                None => match name.text.as_str() {
                    "and" | "or" | "not" => (Some(ValueType::Bool), false),
                    "select" => self.latest(&args[0]),
                    "sqrt" => {
                        (Some(self.type_of(&args[0]).filter(|ty| ty.is_float()).unwrap_or(ValueType::F64)), false)
                    }
                    name => {
                        let (ty, fraction) = all(&args.iter().collect::<Vec<_>>());
                        (ty, fraction || self.body_has_fraction(name))
                    }
                },
            },
        }
    }

    /// Whether a declared function computes with a constant that has a fraction.
    fn body_has_fraction(&self, name: &str) -> bool {
        match self.scope.functions.get(name).map(|function| &function.body) {
            // Its parameters are no tensors, and of no type yet.
            Some(FunctionBody::Expr(body)) => self.latest(body).1,
            _ => false,
        }
    }
}
