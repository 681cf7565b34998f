//! Expressions: free of effects, typed by their leaves.

use super::kernel::{FunctionId, Var, Vars};
use super::types::{ArrayType, Element, Literal, Scalar, StoreType, Type};

/// An operator of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Logical negation; of an integer, its complement.
    Not,
    /// Absolute value.
    Abs,
    /// Square root; floats only.
    Sqrt,
}

/// An operator of two operands of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient; an integer quotient that does not exist is 0.
    Div,
    /// Remainder; an integer remainder that does not exist is 0.
    Rem,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
    /// Conjunction, the right side only if needed; bitwise for integers.
    And,
    /// Disjunction, the right side only if needed; bitwise for integers.
    Or,
    /// Exclusive or; bitwise for integers.
    Xor,
    /// Shift to the left; integers only, and a shift by the width or more gives 0.
    Shl,
    /// Shift to the right; integers only, and a shift by the width or more gives 0 (−1 for negative numbers).
    Shr,
    /// Equal, a `bool`.
    Eq,
    /// Not equal, a `bool`.
    Ne,
    /// Less, a `bool`.
    Lt,
    /// Less or equal, a `bool`.
    Le,
    /// Greater, a `bool`.
    Gt,
    /// Greater or equal, a `bool`.
    Ge,
}

impl BinaryOp {
    /// Whether the result is a `bool` whatever the operands are.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A constant.
    Literal(Literal),
    /// The value of a variable; of a store or an array of stores, a reference to it.
    Var(Var),
    /// `array[index]`; of an array of stores, a reference to the store.
    Load(Var, Box<Expr>),
    /// The number of elements of an array, a `usize`.
    Len(Var),
    /// The first position from `from` on, a `usize`, at which an ascending array of `u32` or `usize` holds `coord`, a `usize`, or
    /// more; `to` if none below `to` does. Takes the logarithm of the distance.
    Seek {
        /// The array.
        array: Var,
        /// Where the search begins.
        from: Box<Expr>,
        /// One past the last position.
        to: Box<Expr>,
        /// What is sought.
        coord: Box<Expr>,
    },
    /// An operator of one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator of two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `if condition { then } else { otherwise }`.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A conversion, as Rust's `as`; of a `bool` to a number, 0 or 1; of a number to a `bool`, whether it is not 0.
    Cast(Scalar, Box<Expr>),
    /// A function that stands outside of the kernel, with the type of its result.
    Call(FunctionId, Vec<Expr>, Scalar),
    /// Whether a cursor is at an entry.
    CursorValid(Var),
    /// The coordinate of the entry that a cursor is at, a `usize`.
    CursorCoord(Var),
    /// The value of the entry that a cursor is at; a reference, if it is a store.
    CursorValue(Var),
    /// How many tasks are worth starting for an amount of work, a `usize`: 1 at least, and no more than there are threads. A loop that
    /// runs up to it has tasks for iterations.
    Tasks(Box<Expr>),
    /// The store of type `store` holding the coordinates `coords[lo..hi]`, which ascend, and the values `values[lo..hi]`.
    Build {
        /// What is built.
        store: StoreType,
        /// An array of coordinates.
        coords: Var,
        /// An array of values; none for a pattern.
        values: Option<Var>,
        /// First position.
        lo: Box<Expr>,
        /// One past the last position.
        hi: Box<Expr>,
    },
}

/// A variable's value.
pub fn var(v: Var) -> Expr {
    Expr::Var(v)
}

/// A constant.
pub fn lit(l: Literal) -> Expr {
    Expr::Literal(l)
}

/// A constant position, coordinate or extent.
pub fn usize(n: usize) -> Expr {
    Expr::Literal(Literal::Usize(n))
}

/// The position that lies so many elements behind another one.
pub fn after(at: &Expr, len: usize) -> Expr {
    match at {
        Expr::Literal(Literal::Usize(n)) if let Some(end) = n.checked_add(len) => usize(end),
        _ => at.clone() + usize(len),
    }
}

/// A constant truth value.
pub fn bool(b: bool) -> Expr {
    Expr::Literal(Literal::Bool(b))
}

/// `array[index]`.
pub fn load(array: Var, index: impl Into<Expr>) -> Expr {
    Expr::Load(array, Box::new(index.into()))
}

/// The number of elements of `array`.
pub fn len(array: Var) -> Expr {
    Expr::Len(array)
}

impl From<Var> for Expr {
    fn from(v: Var) -> Expr {
        Expr::Var(v)
    }
}

impl From<Literal> for Expr {
    fn from(l: Literal) -> Expr {
        Expr::Literal(l)
    }
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident $op:ident;)*) => {
        $( $(#[$doc])* #[must_use] pub fn $name(self, other: impl Into<Expr>) -> Expr { self.binary(BinaryOp::$op, other) } )*
    };
}

impl Expr {
    /// `op(self)`.
    #[must_use]
    pub fn unary(self, op: UnaryOp) -> Expr {
        Expr::Unary(op, Box::new(self))
    }

    /// `self op other`.
    #[must_use]
    pub fn binary(self, op: BinaryOp, other: impl Into<Expr>) -> Expr {
        Expr::Binary(op, Box::new(self), Box::new(other.into()))
    }

    methods! {
        /// The smaller of two.
        min Min;
        /// The larger of two.
        max Max;
        /// `self && other`.
        and And;
        /// `self || other`.
        or Or;
        /// `self == other`.
        equal Eq;
        /// `self != other`.
        not_equal Ne;
        /// `self < other`.
        less Lt;
        /// `self <= other`.
        less_equal Le;
        /// `self > other`.
        greater Gt;
        /// `self >= other`.
        greater_equal Ge;
    }

    /// `self as scalar`.
    #[must_use]
    pub fn cast(self, scalar: Scalar) -> Expr {
        Expr::Cast(scalar, Box::new(self))
    }

    /// `if self { then } else { otherwise }`.
    #[must_use]
    pub fn select(self, then: impl Into<Expr>, otherwise: impl Into<Expr>) -> Expr {
        Expr::Select(Box::new(self), Box::new(then.into()), Box::new(otherwise.into()))
    }

    /// The type of the expression, read off its leaves without checking the rest; `None` where it makes no sense.
    pub fn type_in(&self, vars: &Vars) -> Option<Type> {
        let scalar = match self {
            Expr::Literal(l) => l.scalar(),
            Expr::Var(v) => return Some(vars[*v].ty.clone()),
            Expr::Load(a, _) => match &vars[*a].ty {
                Type::Array(ArrayType { element: Element::Scalar(s), .. }) => *s,
                Type::Array(ArrayType { element: Element::Store(s), .. }) => return Some(Type::Store((**s).clone())),
                _ => return None,
            },
            Expr::Len(_) | Expr::Seek { .. } | Expr::CursorCoord(_) | Expr::Tasks(_) => Scalar::Usize,
            Expr::CursorValid(_) => Scalar::Bool,
            Expr::Unary(_, x) => return x.type_in(vars),
            Expr::Binary(op, _, _) if op.is_comparison() => Scalar::Bool,
            Expr::Binary(_, x, _) => return x.type_in(vars),
            Expr::Select(_, x, _) => return x.type_in(vars),
            Expr::Cast(s, _) | Expr::Call(_, _, s) => *s,
            Expr::CursorValue(c) => match &vars[*c].ty {
                Type::Cursor(StoreType { element: Element::Scalar(s), .. }) => *s,
                Type::Cursor(StoreType { element: Element::Store(s), .. }) => return Some(Type::Store((**s).clone())),
                _ => return None,
            },
            Expr::Build { store, .. } => return Some(Type::Store(store.clone())),
        };
        Some(Type::Scalar(scalar))
    }

    /// The direct sub-expressions. Passes ask every expression for them again and again: they take no memory of their own.
    pub fn children(&self) -> impl Iterator<Item = &Expr> {
        let (few, many): ([Option<&Expr>; 3], &[Expr]) = match self {
            Expr::Load(_, x) | Expr::Unary(_, x) | Expr::Cast(_, x) | Expr::Tasks(x) => ([Some(x), None, None], &[]),
            Expr::Binary(_, x, y) => ([Some(x), Some(y), None], &[]),
            Expr::Build { lo, hi, .. } => ([Some(lo), Some(hi), None], &[]),
            Expr::Select(c, x, y) => ([Some(c), Some(x), Some(y)], &[]),
            Expr::Seek { from, to, coord, .. } => ([Some(from), Some(to), Some(coord)], &[]),
            Expr::Call(_, args, _) => ([None; 3], args),
            _ => ([None; 3], &[]),
        };
        few.into_iter().flatten().chain(many)
    }

    /// The direct sub-expressions, to be changed.
    pub fn children_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let (few, many): ([Option<&mut Expr>; 3], &mut [Expr]) = match self {
            Expr::Load(_, x) | Expr::Unary(_, x) | Expr::Cast(_, x) | Expr::Tasks(x) => {
                ([Some(x), None, None], &mut [])
            }
            Expr::Binary(_, x, y) => ([Some(x), Some(y), None], &mut []),
            Expr::Build { lo, hi, .. } => ([Some(lo), Some(hi), None], &mut []),
            Expr::Select(c, x, y) => ([Some(c), Some(x), Some(y)], &mut []),
            Expr::Seek { from, to, coord, .. } => ([Some(from), Some(to), Some(coord)], &mut []),
            Expr::Call(_, args, _) => ([None, None, None], args),
            _ => ([None, None, None], &mut []),
        };
        few.into_iter().flatten().chain(many)
    }

    /// The variables that this node itself names, sub-expressions left out.
    pub fn own_vars(&self) -> impl Iterator<Item = Var> + use<> {
        let named = match self {
            Expr::Var(v)
            | Expr::Load(v, _)
            | Expr::Len(v)
            | Expr::Seek { array: v, .. }
            | Expr::CursorValid(v)
            | Expr::CursorCoord(v)
            | Expr::CursorValue(v) => [Some(*v), None],
            Expr::Build { coords, values, .. } => [Some(*coords), *values],
            _ => [None, None],
        };
        named.into_iter().flatten()
    }

    /// Whether this node itself names a variable.
    pub fn names(&self, var: Var) -> bool {
        self.own_vars().any(|own| own == var)
    }

    /// Calls `f` with this expression and every one below it, the outer before the inner.
    pub fn visit(&self, f: &mut impl FnMut(&Expr)) {
        f(self);
        for child in self.children() {
            child.visit(f);
        }
    }

    /// Replaces this expression and every one below it by what `f` makes of it, the inner before the outer.
    pub fn rewrite(&mut self, f: &mut impl FnMut(&mut Expr)) {
        for child in self.children_mut() {
            child.rewrite(f);
        }
        f(self);
    }

    /// The terms of a sum, in order. What is no sum is one term.
    pub fn terms(&self) -> Vec<&Expr> {
        match self {
            Expr::Binary(BinaryOp::Add, x, y) => [x.terms(), y.terms()].concat(),
            term => vec![term],
        }
    }

    /// Whether `v` is read.
    pub fn mentions(&self, v: Var) -> bool {
        self.names(v) || self.children().any(|x| x.mentions(v))
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:ident;)*) => {
        $(impl<E: Into<Expr>> std::ops::$trait<E> for Expr {
            type Output = Expr;
            fn $method(self, other: E) -> Expr {
                self.binary(BinaryOp::$op, other)
            }
        }
        impl<E: Into<Expr>> std::ops::$trait<E> for Var {
            type Output = Expr;
            fn $method(self, other: E) -> Expr {
                Expr::Var(self).binary(BinaryOp::$op, other)
            }
        })*
    };
}

operators! {
    Add add Add;
    Sub sub Sub;
    Mul mul Mul;
    Div div Div;
    Rem rem Rem;
}

impl std::ops::Not for Expr {
    type Output = Expr;
    fn not(self) -> Expr {
        self.unary(UnaryOp::Not)
    }
}
