//! The types of expressions.

use super::error::{CheckError, MAX_DEPTH};
use super::scope::{Checked, Checker, State, is_element};
use crate::ir::expr::{BinaryOp, Expr, UnaryOp};
use crate::ir::kernel::Var;
use crate::ir::types::{Element, Scalar, StoreType, Type};

impl Checker<'_> {
    pub(super) fn store(&self, expr: &Expr) -> Checked<StoreType> {
        match self.expr(expr, 0)? {
            Type::Store(s) => Ok(s),
            other => Self::mismatch(&self.kernel.show_expr(expr), "a store", other),
        }
    }

    pub(super) fn scalar(&self, expr: &Expr, expected: Scalar, place: &str) -> Checked {
        match self.expr(expr, 0)? {
            Type::Scalar(s) if s == expected => Ok(()),
            other => Self::mismatch(&format!("{place} `{}`", self.kernel.show_expr(expr)), expected, other),
        }
    }

    pub(super) fn element(&self, expr: &Expr, expected: &Element, place: &str) -> Checked {
        let found = self.expr(expr, 0)?;
        if is_element(&found, expected) {
            Ok(())
        } else {
            Self::mismatch(&format!("{place} `{}`", self.kernel.show_expr(expr)), expected, found)
        }
    }

    /// A position in an array, or a coordinate. `depth` is how deep the expression is nested in others.
    pub(super) fn index(&self, expr: &Expr, depth: usize) -> Checked {
        match self.expr(expr, depth)? {
            Type::Scalar(Scalar::Usize) => Ok(()),
            other => Self::mismatch(&format!("the position `{}`", self.kernel.show_expr(expr)), Scalar::Usize, other),
        }
    }

    fn any_scalar(&self, expr: &Expr, depth: usize) -> Checked<Scalar> {
        match self.expr(expr, depth)? {
            Type::Scalar(s) => Ok(s),
            other => Self::mismatch(&format!("`{}`", self.kernel.show_expr(expr)), "a scalar", other),
        }
    }

    /// The type of an expression that is nested `depth` deep in others.
    pub(super) fn expr(&self, expr: &Expr, depth: usize) -> Checked<Type> {
        if depth > MAX_DEPTH {
            return Err(CheckError::Depth);
        }
        let depth = depth + 1;
        let scalar = match expr {
            Expr::Literal(l) => l.scalar(),
            Expr::Var(v) => return self.variable(*v),
            Expr::Load(array, at) => return self.load(*array, at, depth),
            Expr::Len(array) => self.len(*array)?,
            Expr::Seek { array, from, to, coord } => self.seek(*array, [from, to, coord], depth)?,
            Expr::Unary(op, x) => self.unary(*op, x, depth)?,
            Expr::Binary(op, x, y) => self.binary(expr, *op, [x, y], depth)?,
            Expr::Select(condition, x, y) => self.select(expr, condition, [x, y], depth)?,
            Expr::Cast(to, x) => {
                self.any_scalar(x, depth)?;
                *to
            }
            Expr::Call(function, args, result) => {
                if self.kernel.function(*function).is_none() {
                    return Err(CheckError::Undeclared(format!("function {}", function.0)));
                }
                for arg in args {
                    self.any_scalar(arg, depth)?;
                }
                *result
            }
            Expr::CursorValid(c) => {
                self.cursor(*c)?;
                Scalar::Bool
            }
            Expr::CursorCoord(c) => {
                self.cursor(*c)?;
                Scalar::Usize
            }
            Expr::CursorValue(c) => return self.cursor_value(*c),
            Expr::Tasks(work) => {
                self.index(work, depth)?;
                Scalar::Usize
            }
            Expr::Build { store, coords, values, lo, hi } => {
                self.index(lo, depth)?;
                self.index(hi, depth)?;
                return self.build(store, *coords, *values);
            }
        };
        Ok(Type::Scalar(scalar))
    }

    fn variable(&self, v: Var) -> Checked<Type> {
        if let State::Folded(_) = self.live(v)? {
            let reason = "inside a parallel loop it is only folded into";
            return Err(CheckError::Read { name: self.name(v), reason });
        }
        match self.ty(v)? {
            ty @ (Type::Scalar(_) | Type::Store(_)) => Ok(ty.clone()),
            _ => self.wrong_type(v, "a scalar or a store"),
        }
    }

    fn load(&self, array: Var, at: &Expr, depth: usize) -> Checked<Type> {
        let element = &self.elements(array)?.element;
        self.index(at, depth)?;
        self.type_of(element, array, "an array of something")
    }

    fn cursor_value(&self, cursor: Var) -> Checked<Type> {
        self.type_of(&self.cursor(cursor)?.element, cursor, "a cursor with values")
    }

    /// The type of an element, which a pattern does not have.
    fn type_of(&self, element: &Element, of: Var, expected: &str) -> Checked<Type> {
        match element {
            Element::Scalar(s) => Ok(Type::Scalar(*s)),
            Element::Store(s) => Ok(Type::Store((**s).clone())),
            Element::Pattern => Self::mismatch(&format!("`{}`", self.name(of)), expected, "pattern"),
        }
    }

    fn len(&self, array: Var) -> Checked<Scalar> {
        self.elements(array)?;
        if self.live(array)? == State::Owned {
            let reason = "a parallel loop that owns parts of it cannot ask for its length";
            return Err(CheckError::Read { name: self.name(array), reason });
        }
        Ok(Scalar::Usize)
    }

    fn seek(&self, array: Var, positions: [&Expr; 3], depth: usize) -> Checked<Scalar> {
        if !matches!(self.array(array)?.element, Element::Scalar(Scalar::U32 | Scalar::Usize)) {
            return self.wrong_type(array, "an array of u32 or usize");
        }
        for position in positions {
            self.index(position, depth)?;
        }
        Ok(Scalar::Usize)
    }

    fn unary(&self, op: UnaryOp, x: &Expr, depth: usize) -> Checked<Scalar> {
        let scalar = self.any_scalar(x, depth)?;
        let exists = match op {
            UnaryOp::Abs => scalar.is_signed(),
            UnaryOp::Not => !scalar.is_float(),
            UnaryOp::Sqrt => scalar.is_float(),
        };
        if exists { Ok(scalar) } else { Self::no_operator(op, scalar) }
    }

    fn binary(&self, whole: &Expr, op: BinaryOp, [x, y]: [&Expr; 2], depth: usize) -> Checked<Scalar> {
        use BinaryOp::*;
        let (left, right) = (self.any_scalar(x, depth)?, self.any_scalar(y, depth)?);
        if left != right {
            let place = format!("the right side of `{}`", self.kernel.show_expr(whole));
            return Self::mismatch(&place, left, right);
        }
        let exists = match op {
            Add | Sub | Mul | Div | Rem | Min | Max => left != Scalar::Bool,
            Shl | Shr => left.is_integer(),
            And | Or | Xor => !left.is_float(),
            Eq | Ne | Lt | Le | Gt | Ge => true,
        };
        match exists {
            false => Self::no_operator(op, left),
            true if op.is_comparison() => Ok(Scalar::Bool),
            true => Ok(left),
        }
    }

    fn select(&self, whole: &Expr, condition: &Expr, [x, y]: [&Expr; 2], depth: usize) -> Checked<Scalar> {
        let found = self.any_scalar(condition, depth)?;
        if found != Scalar::Bool {
            return Self::mismatch("a condition", "bool", found);
        }
        let (first, second) = (self.any_scalar(x, depth)?, self.any_scalar(y, depth)?);
        if first != second {
            let place = format!("the other side of `{}`", self.kernel.show_expr(whole));
            return Self::mismatch(&place, first, second);
        }
        Ok(first)
    }

    /// A store that is built from arrays of its coordinates and values.
    fn build(&self, store: &StoreType, coords: Var, values: Option<Var>) -> Checked<Type> {
        if self.array(coords)?.element != Element::Scalar(store.coord) {
            return self.wrong_type(coords, format!("an array of {}", store.coord));
        }
        match values {
            Some(values) if self.array(values)?.element != store.element => {
                self.wrong_type(values, format!("an array of {}", store.element))
            }
            None if store.element != Element::Pattern => {
                Self::mismatch("the values of a store", &store.element, "missing")
            }
            _ => Ok(Type::Store(store.clone())),
        }
    }
}
