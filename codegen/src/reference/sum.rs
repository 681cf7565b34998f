//! Sums and other reductions over the indices that are not on the left.

use super::cells::all;
use super::known::{Known, constant, fold, identity};
use super::number::Number;
use super::run::{Env, Run, Statement};
use crate::notation::ast::{AssignOp, BinaryOp, Expr, ExprKind, ValueType};

impl Run<'_> {
    /// The sum of each term over the indices that are its own.
    pub(super) fn total(&self, expr: &Expr, env: &mut Env, s: &Statement<'_>, ty: ValueType) -> Result<Known, String> {
        match &expr.kind {
            ExprKind::Neg(inner) => {
                let inner = self.total(inner, env, s, ty)?;
                self.operate("neg", &[inner], ty, s)
            }
            ExprKind::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), left, right } => {
                let left = self.total(left, env, s, ty)?;
                let right = self.total(right, env, s, ty)?;
                self.operate(if *op == BinaryOp::Add { "+" } else { "-" }, &[left, right], ty, s)
            }
            _ => {
                let mut own = Vec::new();
                self.names(expr, &mut own);
                own.retain(|name| !env.contains_key(name));
                let (inner, outer): (Vec<String>, Vec<String>) =
                    own.into_iter().partition(|v| self.belongs_inside(expr, v));
                for v in &inner {
                    if !self.linear(expr, v) {
                        return Err(format!("it is not clear what the sum over {v} holds"));
                    }
                }
                let extents: Vec<usize> = outer
                    .iter()
                    .map(|v| s.ranges.get(v).copied().ok_or(format!("no range for {v}")))
                    .collect::<Result<_, _>>()?;
                let mut sum = None;
                if outer.is_empty() {
                    return self.term(expr, env, s, ty);
                }
                let nothing = s.over.map_or(Number::Int(0), |semiring| constant(&semiring.zero)).cast(ty);
                for coords in all(&extents) {
                    env.extend(outer.iter().cloned().zip(coords));
                    let value = self.term(expr, env, s, ty)?;
                    if matches!(value, Known::Constant(x) if x.cast(s.ty) == nothing) {
                        continue;
                    }
                    let value = value.number();
                    sum = Some(match sum {
                        None => value,
                        Some(sum) => {
                            fold(AssignOp::Add, s.over.map(|semiring| semiring.plus.text.as_str()), sum, value, ty)
                        }
                    });
                }
                for v in &outer {
                    env.remove(v);
                }
                Ok(sum.map_or(Known::Constant(nothing), Known::Computed))
            }
        }
    }

    /// A term whose own sums stand around it already: those of its factors remain.
    fn term(&self, expr: &Expr, env: &mut Env, s: &Statement<'_>, ty: ValueType) -> Result<Known, String> {
        match &expr.kind {
            ExprKind::Binary { op: op @ (BinaryOp::Mul | BinaryOp::Div), left, right } => {
                let left = self.total(left, env, s, ty)?;
                let right = self.total(right, env, s, ty)?;
                self.operate(op.symbol(), &[left, right], ty, s)
            }
            _ => self.value(expr, env, s, ty),
        }
    }

    /// Whether the sum over `v` stands around a term inside of `expr`, which holds every `v` that there is.
    fn belongs_inside(&self, expr: &Expr, v: &str) -> bool {
        let uses = |expr: &Expr| {
            let mut names = Vec::new();
            self.names(expr, &mut names);
            names.iter().any(|name| name == v)
        };
        let holders = |parts: &[&Expr]| {
            let holders: Vec<&Expr> = parts.iter().copied().filter(|part| uses(part)).collect();
            if holders.len() == 1 { self.belongs_inside(holders[0], v) } else { false }
        };
        match &expr.kind {
            ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Sub, left, right } => {
                if uses(left) != uses(right) {
                    return true;
                }
                self.belongs_inside(left, v) || self.belongs_inside(right, v)
            }
            ExprKind::Binary { left, right, .. } => holders(&[left, right]),
            ExprKind::Neg(inner) => holders(&[inner]),
            // Sums stand around tensors, and not in the coordinates at which they are read.
            ExprKind::Apply { name, .. } if self.tensors.contains_key(&name.text) => false,
            ExprKind::Apply { args, .. } => holders(&args.iter().collect::<Vec<_>>()),
            _ => false,
        }
    }

    /// Whether everything between `expr` and the term that holds `v` is a product, or a quotient's numerator.
    fn linear(&self, expr: &Expr, v: &str) -> bool {
        let uses = |expr: &Expr| {
            let mut names = Vec::new();
            self.names(expr, &mut names);
            names.iter().any(|name| name == v)
        };
        match &expr.kind {
            ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Sub, left, right } if uses(left) && uses(right) => {
                self.linear(left, v) && self.linear(right, v)
            }
            ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Sub, left, right } => {
                // The term is found, unless it holds further ones.
                let term = if uses(left) { left } else { right };
                !self.belongs_inside(term, v) || self.linear(term, v)
            }
            ExprKind::Binary { op: BinaryOp::Mul, left, right } => {
                self.linear(if uses(left) { left } else { right }, v)
            }
            ExprKind::Binary { op: BinaryOp::Div, left, right } => !uses(right) && self.linear(left, v),
            ExprKind::Neg(inner) => self.linear(inner, v),
            _ => !self.belongs_inside(expr, v),
        }
    }

    /// A reduction of the whole right side over every index that is not on the left.
    pub(super) fn reduce_all(
        &self,
        expr: &Expr,
        op: AssignOp,
        env: &mut Env,
        s: &Statement<'_>,
    ) -> Result<Known, String> {
        let mut own = Vec::new();
        self.names(expr, &mut own);
        own.retain(|name| !env.contains_key(name));
        if own.is_empty() {
            return self.value(expr, env, s, s.ty);
        }
        let extents: Vec<usize> = own
            .iter()
            .map(|v| s.ranges.get(v).copied().ok_or(format!("no range for {v}")))
            .collect::<Result<_, _>>()?;
        let nothing = identity(op, s.ty).cast(s.ty);
        let mut folded = None;
        for coords in all(&extents) {
            env.extend(own.iter().cloned().zip(coords));
            let value = self.value(expr, env, s, s.ty)?;
            if matches!(value, Known::Constant(x) if x.cast(s.ty) == nothing) {
                continue;
            }
            let value = value.number();
            folded = Some(folded.map_or(value, |folded| fold(op, None, folded, value, s.ty)));
        }
        for v in &own {
            env.remove(v);
        }
        Ok(folded.map_or(Known::Constant(nothing), Known::Computed))
    }
}
