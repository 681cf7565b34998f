//! Operators, functions and semirings, which combine values, and reductions, which fold many values into one.

use std::sync::Arc;

use super::*;
use crate::notation::algebra::converted;
use crate::notation::ast::{AssignOp, BinaryOp, Literal, ValueType};

/// An operator or function that combines values.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Operator {
    Neg,
    Abs,
    Sqrt,
    Not,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Min,
    Max,
    And,
    Or,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// `first(a, b)` is a.
    First,
    /// `second(a, b)` is b.
    Second,
    /// `pair(a, b)` is 1.
    Pair,
    /// `select(a, c)` is a where c holds, and nothing elsewhere.
    Select,
    /// `a without b` is a where b has no entry, and nothing elsewhere.
    Without,
    /// Marks the first argument of `select` or `without` if it reads no tensor: it has an entry everywhere, as a scalar has. Where the
    /// operator drops it, the result is this constant.
    Held(Literal),
    /// The argument, computed in this type. It stands around what is not computed in the type of the whole expression, such as the operands
    /// of comparisons.
    As(ValueType),
    /// A function that was declared.
    Function(Arc<Function>),
    /// `+` over a semiring.
    Plus(Arc<Semiring>),
    /// `*` over a semiring.
    Times(Arc<Semiring>),
}

/// A reduction: it folds many values into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Reduction {
    Add,
    Mul,
    Min,
    Max,
    Or,
    And,
}

impl Reduction {
    /// The operator that folds two.
    pub fn operator(self) -> Operator {
        match self {
            Reduction::Add => Operator::Add,
            Reduction::Mul => Operator::Mul,
            Reduction::Min => Operator::Min,
            Reduction::Max => Operator::Max,
            Reduction::Or => Operator::Or,
            Reduction::And => Operator::And,
        }
    }

    /// The reduction that folds by `operator`.
    pub fn of(operator: &Operator) -> Option<Reduction> {
        Some(match operator {
            Operator::Add => Reduction::Add,
            Operator::Mul => Reduction::Mul,
            Operator::Min => Reduction::Min,
            Operator::Max => Reduction::Max,
            Operator::Or => Reduction::Or,
            Operator::And => Reduction::And,
            _ => return None,
        })
    }

    /// The neutral element, in type `value`: what folding nothing gives. For `min=` it is the largest value of the type, which is `inf` for
    /// floats only. For `&=` of integers it is −1, which has all bits set.
    pub fn identity(self, value: ValueType) -> Literal {
        let boolean = !value.is_number();
        match self {
            Reduction::Add | Reduction::Or => Literal::Int(0),
            Reduction::Mul => Literal::Int(1),
            Reduction::Min | Reduction::And if boolean => Literal::Bool(true),
            Reduction::Max if boolean => Literal::Bool(false),
            Reduction::Min => converted(Literal::Float(f64::INFINITY), value),
            Reduction::Max => converted(Literal::Float(f64::NEG_INFINITY), value),
            Reduction::And => Literal::Int(-1),
        }
    }

    /// Its spelling.
    pub fn symbol(self) -> &'static str {
        match self {
            Reduction::Add => "+=",
            Reduction::Mul => "*=",
            Reduction::Min => "min=",
            Reduction::Max => "max=",
            Reduction::Or => "|=",
            Reduction::And => "&=",
        }
    }

    /// What a statement's operator means; `None` for `=`.
    pub fn from_assign(op: AssignOp) -> Option<Reduction> {
        Some(match op {
            AssignOp::Set => return None,
            AssignOp::Add => Reduction::Add,
            AssignOp::Mul => Reduction::Mul,
            AssignOp::Min => Reduction::Min,
            AssignOp::Max => Reduction::Max,
            AssignOp::Or => Reduction::Or,
            AssignOp::And => Reduction::And,
        })
    }
}

/// A declared function of scalars.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Names of its parameters.
    pub params: Vec<String>,
    /// If any argument has this value, so has the function.
    pub annihilator: Option<Literal>,
    /// The argument that leaves the other one alone.
    pub identity: Option<Literal>,
    /// What it computes; for a function of Rust, its path.
    pub body: Result<Expr, String>,
    /// How many nodes the body has, including those of the functions that it calls.
    pub(crate) size: usize,
    /// How high the tree of the body is, including those of the functions that it calls.
    pub(crate) height: usize,
}

impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        self.name == other.name
    }
}

/// A declared semiring.
#[derive(Clone, Debug)]
pub struct Semiring {
    /// Its name.
    pub name: String,
    /// What reduces, and what `+` means.
    pub plus: Reduction,
    /// Identity of plus, annihilator of times, value of what is not stored.
    pub zero: Literal,
    /// What `*` means.
    pub times: Operator,
    /// Identity of times, if it has one.
    pub one: Option<Literal>,
}

impl PartialEq for Semiring {
    fn eq(&self, other: &Semiring) -> bool {
        self.name == other.name
    }
}

impl Operator {
    /// The infix operator that writes it in the notation, if there is one.
    pub fn infix(&self) -> Option<BinaryOp> {
        Some(match self {
            Operator::Add | Operator::Plus(_) => BinaryOp::Add,
            Operator::Sub => BinaryOp::Sub,
            Operator::Mul | Operator::Times(_) => BinaryOp::Mul,
            Operator::Div => BinaryOp::Div,
            Operator::Rem => BinaryOp::Rem,
            Operator::Eq => BinaryOp::Eq,
            Operator::Ne => BinaryOp::Ne,
            Operator::Lt => BinaryOp::Lt,
            Operator::Le => BinaryOp::Le,
            Operator::Gt => BinaryOp::Gt,
            Operator::Ge => BinaryOp::Ge,
            Operator::Without => BinaryOp::Without,
            _ => return None,
        })
    }

    /// What the infix operator `op` means outside of semirings.
    pub fn from_infix(op: BinaryOp) -> Operator {
        match op {
            BinaryOp::Without => Operator::Without,
            BinaryOp::Eq => Operator::Eq,
            BinaryOp::Ne => Operator::Ne,
            BinaryOp::Lt => Operator::Lt,
            BinaryOp::Le => Operator::Le,
            BinaryOp::Gt => Operator::Gt,
            BinaryOp::Ge => Operator::Ge,
            BinaryOp::Add => Operator::Add,
            BinaryOp::Sub => Operator::Sub,
            BinaryOp::Mul => Operator::Mul,
            BinaryOp::Div => Operator::Div,
            BinaryOp::Rem => Operator::Rem,
        }
    }

    /// Functions that are always there, with the number of their arguments.
    pub const FUNCTIONS: [(&'static str, Operator, usize); 11] = [
        ("min", Operator::Min, 2),
        ("max", Operator::Max, 2),
        ("abs", Operator::Abs, 1),
        ("sqrt", Operator::Sqrt, 1),
        ("and", Operator::And, 2),
        ("or", Operator::Or, 2),
        ("not", Operator::Not, 1),
        ("select", Operator::Select, 2),
        ("first", Operator::First, 2),
        ("second", Operator::Second, 2),
        ("pair", Operator::Pair, 2),
    ];

    /// What it is called as a function.
    pub fn name(&self) -> &str {
        match self {
            Operator::Function(function) => &function.name,
            Operator::Neg => "-",
            Operator::As(ty) => ty.name(),
            op => match op.infix() {
                Some(infix) => infix.symbol(),
                None => Operator::FUNCTIONS.iter().find(|(_, found, _)| found == op).map_or("?", |(name, _, _)| name),
            },
        }
    }

    /// Whether it is computed in the type of its own operands, whatever stands around it.
    pub fn has_own_type(&self) -> bool {
        self.compares() || matches!(self, Operator::And | Operator::Or | Operator::Not | Operator::Sqrt)
    }

    /// Whether it compares two values.
    pub fn compares(&self) -> bool {
        matches!(self, Operator::Eq | Operator::Ne | Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge)
    }
}
