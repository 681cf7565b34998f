//! Arrays that a loop goes along.

use crate::ir::expr::{BinaryOp, Expr};
use crate::ir::kernel::Var;

/// An array that a loop goes along: each iteration has one of its elements, which has a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Walked {
    /// The element, a scalar.
    pub element: Var,
    /// The array.
    pub array: Var,
    /// Where the element is: at the number that the loop counts, or at a distance from it that is the same in all iterations.
    pub at: Expr,
    /// Whether the iteration may change the element. Otherwise nothing changes the array while the loop runs.
    pub written: bool,
    /// Whether the loop goes along all of the array, from its first element to its last.
    pub whole: bool,
}

impl Walked {
    /// Whether the element is at `p`, and not at a distance from it.
    pub fn is_at(&self, p: Var) -> bool {
        self.at == Expr::Var(p)
    }
}

/// Whether a position is `p`, or a sum or difference of `p` and something else.
pub fn steps_with(at: &Expr, p: Var) -> bool {
    match at {
        Expr::Var(q) => *q == p,
        Expr::Binary(BinaryOp::Add, x, y) => steps_with(x, p) && !y.mentions(p) || steps_with(y, p) && !x.mentions(p),
        Expr::Binary(BinaryOp::Sub, x, y) => steps_with(x, p) && !y.mentions(p),
        _ => false,
    }
}
