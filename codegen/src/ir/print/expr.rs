//! Expressions.

use std::fmt::{self, Write};

use super::printer::Printer;
use crate::ir::expr::{BinaryOp, Expr, UnaryOp};
use crate::ir::kernel::Var;

/// How tightly an operator binds; larger binds tighter.
fn precedence(op: BinaryOp) -> u8 {
    use BinaryOp::*;
    match op {
        Or => 1,
        And => 2,
        Eq | Ne | Lt | Le | Gt | Ge => 3,
        Xor => 4,
        Shl | Shr => 5,
        Add | Sub => 6,
        Mul | Div | Rem => 7,
        Min | Max => 9,
    }
}

fn symbol(op: BinaryOp) -> &'static str {
    use BinaryOp::*;
    match op {
        Add => "+",
        Sub => "-",
        Mul => "*",
        Div => "/",
        Rem => "%",
        Min => "min",
        Max => "max",
        And => "&",
        Or => "|",
        Xor => "^",
        Shl => "<<",
        Shr => ">>",
        Eq => "==",
        Ne => "!=",
        Lt => "<",
        Le => "<=",
        Gt => ">",
        Ge => ">=",
    }
}

/// The precedence that `lo..hi` requires of its operands: that of bitwise operators.
pub(super) const OPERAND: u8 = 4;
/// How tightly `as` binds.
const CAST: u8 = 8;
/// How tightly a prefix operator binds.
const PREFIX: u8 = 9;

impl<W: Write> Printer<'_, W> {
    /// An expression, in parentheses if it binds less tightly than `outer`.
    pub(super) fn expr(&mut self, expr: &Expr, outer: u8) -> fmt::Result {
        match expr {
            Expr::Literal(l) => write!(self.out, "{l}"),
            Expr::Var(v) => self.out.write_str(&self.names[*v]),
            Expr::Load(a, i) => {
                write!(self.out, "{}[", &self.names[*a])?;
                self.expr(i, 0)?;
                self.out.write_str("]")
            }
            Expr::Len(a) => write!(self.out, "{}.len", &self.names[*a]),
            Expr::Seek { array, from, to, coord } => {
                write!(self.out, "seek({}, ", &self.names[*array])?;
                self.list([&**from, to, coord])?;
                self.out.write_str(")")
            }
            Expr::Unary(op, x) => self.unary(*op, x),
            Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), x, y) => {
                write!(self.out, "{}(", symbol(*op))?;
                self.list([&**x, y])?;
                self.out.write_str(")")
            }
            Expr::Binary(op, x, y) => self.binary(*op, x, y, outer),
            Expr::Select(c, x, y) => self.parenthesized(outer > 0, |printer| printer.select(c, x, y)),
            Expr::Cast(s, x) => self.parenthesized(outer > CAST, |printer| {
                printer.expr(x, CAST)?;
                write!(printer.out, " as {s}")
            }),
            Expr::Call(function, args, _) => {
                let name = self.kernel.function(*function).map_or("?", |foreign| &foreign.name[..]);
                write!(self.out, "{name}(")?;
                self.list(args)?;
                self.out.write_str(")")
            }
            Expr::CursorValid(c) => write!(self.out, "{}.valid", &self.names[*c]),
            Expr::CursorCoord(c) => write!(self.out, "{}.coord", &self.names[*c]),
            Expr::CursorValue(c) => write!(self.out, "{}.value", &self.names[*c]),
            Expr::Tasks(work) => {
                self.out.write_str("tasks(")?;
                self.expr(work, 0)?;
                self.out.write_str(")")
            }
            Expr::Build { store, coords, values, lo, hi } => {
                write!(self.out, "build {store} of {}", &self.names[*coords])?;
                self.optional(*values)?;
                self.out.write_str(" at ")?;
                self.range(lo, hi)
            }
        }
    }

    pub(super) fn range(&mut self, lo: &Expr, hi: &Expr) -> fmt::Result {
        self.expr(lo, OPERAND)?;
        self.out.write_str("..")?;
        self.expr(hi, OPERAND)
    }

    /// `, v`, if there is a variable.
    pub(super) fn optional(&mut self, v: Option<Var>) -> fmt::Result {
        match v {
            Some(v) => write!(self.out, ", {}", &self.names[v]),
            None => Ok(()),
        }
    }

    /// Expressions with commas between them.
    fn list<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> fmt::Result {
        for (k, expr) in exprs.into_iter().enumerate() {
            self.out.write_str(if k == 0 { "" } else { ", " })?;
            self.expr(expr, 0)?;
        }
        Ok(())
    }

    fn parenthesized(&mut self, needed: bool, print: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result {
        self.out.write_str(if needed { "(" } else { "" })?;
        print(self)?;
        self.out.write_str(if needed { ")" } else { "" })
    }

    fn unary(&mut self, op: UnaryOp, x: &Expr) -> fmt::Result {
        let function = match op {
            UnaryOp::Not => {
                self.out.write_str("!")?;
                return self.expr(x, PREFIX);
            }
            UnaryOp::Abs => "abs",
            UnaryOp::Sqrt => "sqrt",
        };
        write!(self.out, "{function}(")?;
        self.expr(x, 0)?;
        self.out.write_str(")")
    }

    fn binary(&mut self, op: BinaryOp, x: &Expr, y: &Expr, outer: u8) -> fmt::Result {
        let own = precedence(op);
        // Comparisons do not associate; of the others the right operand is in parentheses if it binds as tightly.
        let left = own + u8::from(op.is_comparison());
        self.parenthesized(own < outer, |printer| {
            printer.expr(x, left)?;
            write!(printer.out, " {} ", symbol(op))?;
            printer.expr(y, own + 1)
        })
    }

    fn select(&mut self, condition: &Expr, x: &Expr, y: &Expr) -> fmt::Result {
        self.out.write_str("if ")?;
        self.expr(condition, 0)?;
        self.out.write_str(" then ")?;
        self.expr(x, 0)?;
        self.out.write_str(" else ")?;
        self.expr(y, 0)
    }
}
