//! Statements as text, as somebody could have written them by hand.

use std::fmt;

use super::*;
use crate::format::Coordinate;

impl Kernel {
    /// The statement as text.
    pub fn show<'k>(&'k self, stmt: &'k Stmt) -> impl fmt::Display + 'k {
        Shown { kernel: self, what: What::Stmt(stmt) }
    }

    /// The assignment as text.
    pub fn show_assign<'k>(&'k self, assign: &'k Assign) -> impl fmt::Display + 'k {
        Shown { kernel: self, what: What::Assign(assign) }
    }

    /// The expression as text.
    pub fn show_expr<'k>(&'k self, expr: &'k Expr) -> impl fmt::Display + 'k {
        Shown { kernel: self, what: What::Expr(expr) }
    }

    /// The access as text.
    pub fn show_access(&self, access: &Access) -> String {
        let mut text = self.tensor(access.tensor).name.clone();
        if let Some(view) = self.views.get(&access.tensor) {
            let coordinates: Vec<String> =
                view.coordinates.iter().map(|seen| self.show_seen(seen, &access.indices)).collect();
            text.push_str(&format!("({})", coordinates.join(", ")));
            return text;
        }
        if !access.indices.is_empty() {
            let names: Vec<&str> = access.indices.iter().map(|index| self.indices[index.0].as_str()).collect();
            text.push_str(&format!("({})", names.join(",")));
        }
        text
    }

    /// A coordinate of a view as text.
    pub(super) fn show_seen(&self, seen: &Seen, indices: &[Index]) -> String {
        let name = |m: usize| self.indices[indices[m].0].as_str();
        let bound = |bound: &Bound| match bound {
            Bound::Const(n) => n.to_string(),
            Bound::Scalar(id) => self.tensor(*id).name.clone(),
        };
        match seen {
            Seen::Index(m) => name(*m).to_owned(),
            Seen::Slice { index, lo, hi, step } => {
                let lo = if *lo == Bound::Const(0) { String::new() } else { bound(lo) };
                let hi = hi.as_ref().map_or(String::new(), bound);
                let step = if *step == 1 { String::new() } else { format!(":{step}") };
                format!("{} in {lo}:{hi}{step}", name(*index))
            }
            Seen::Shifted { index, by, .. } => {
                format!("{} {} {}", name(*index), if *by < 0 { '-' } else { '+' }, by.unsigned_abs())
            }
            Seen::Computed(coordinate) => show_coordinate(coordinate, &name, 0),
        }
    }
}

pub(super) fn show_coordinate<'k>(coordinate: &Coordinate, name: &impl Fn(usize) -> &'k str, loosest: u8) -> String {
    match coordinate {
        Coordinate::Index(m) => name(*m).to_owned(),
        Coordinate::Const(n) => n.to_string(),
        Coordinate::Neg(inner) => format!("-{}", show_coordinate(inner, name, u8::MAX)),
        Coordinate::Binary(op, left, right) => {
            let binding = op.binding();
            let (left, right) = (show_coordinate(left, name, binding - 1), show_coordinate(right, name, binding));
            let text = format!("{left} {} {right}", op.symbol());
            if binding <= loosest { format!("({text})") } else { text }
        }
        // Coordinates of an access have no other parts: `Resolver::computed` makes none.
        Coordinate::Var(_) | Coordinate::Counter(_) | Coordinate::Let(..) => String::new(),
    }
}

enum What<'k> {
    Stmt(&'k Stmt),
    Assign(&'k Assign),
    Expr(&'k Expr),
}

struct Shown<'k> {
    kernel: &'k Kernel,
    what: What<'k>,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.what {
            What::Stmt(stmt) => self.stmt(f, stmt),
            What::Assign(assign) => self.assign(f, assign),
            What::Expr(expr) => self.expr(f, expr, 0),
        }
    }
}

impl Shown<'_> {
    fn stmt(&self, f: &mut fmt::Formatter<'_>, stmt: &Stmt) -> fmt::Result {
        let bracketed = |f: &mut fmt::Formatter<'_>, stmt: &Stmt, brackets: bool| {
            f.write_str(if brackets { "(" } else { "" })?;
            self.stmt(f, stmt)?;
            f.write_str(if brackets { ")" } else { "" })
        };
        match stmt {
            Stmt::Assign(assign) => self.assign(f, assign),
            Stmt::Forall { index, parallel, body, .. } => {
                write!(f, "forall({}, {}", self.kernel.indices[index.0], if *parallel { "parallel, " } else { "" })?;
                self.stmt(f, body)?;
                f.write_str(")")
            }
            Stmt::Where { consumer, producer } => {
                bracketed(f, consumer, matches!(**consumer, Stmt::Sequence(_)))?;
                f.write_str(" where ")?;
                bracketed(f, producer, matches!(**producer, Stmt::Sequence(_) | Stmt::Where { .. }))
            }
            Stmt::Sequence(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    f.write_str(if at > 0 { "; " } else { "" })?;
                    bracketed(f, part, matches!(part, Stmt::Sequence(_)))?;
                }
                Ok(())
            }
        }
    }

    fn assign(&self, f: &mut fmt::Formatter<'_>, assign: &Assign) -> fmt::Result {
        f.write_str(&self.kernel.show_access(&assign.target))?;
        if let Some(mask) = &assign.mask {
            write!(f, "<{}{}>", if mask.negated { "!" } else { "" }, self.kernel.show_access(&mask.access))?;
        }
        write!(f, " {} ", assign.reduce.map_or("=", Reduction::symbol))?;
        self.expr(f, &assign.value, 0)?;
        match &assign.over {
            Some(semiring) => write!(f, " over {}", semiring.name),
            None => Ok(()),
        }
    }

    fn expr(&self, f: &mut fmt::Formatter<'_>, expr: &Expr, loosest: u8) -> fmt::Result {
        let (op, args) = match expr {
            Expr::Literal(literal) => return write!(f, "{literal}"),
            Expr::Index(index) => return f.write_str(&self.kernel.indices[index.0]),
            Expr::Argument(at) => return write!(f, "argument{at}"),
            Expr::Access(access) => return f.write_str(&self.kernel.show_access(access)),
            Expr::Apply(op, args) => (op, args),
        };
        if let (Operator::Held(_), [arg]) = (op, args.as_slice()) {
            return self.expr(f, arg, loosest);
        }
        if let (Operator::Neg, [arg]) = (op, args.as_slice()) {
            f.write_str("-")?;
            return self.expr(f, arg, u8::MAX);
        }
        if let (Some(symbol), [left, right]) = (op.infix(), args.as_slice()) {
            let binding = symbol.binding();
            f.write_str(if binding <= loosest { "(" } else { "" })?;
            self.expr(f, left, if symbol.compares() { binding } else { binding - 1 })?;
            write!(f, " {} ", symbol.symbol())?;
            self.expr(f, right, binding)?;
            return f.write_str(if binding <= loosest { ")" } else { "" });
        }
        write!(f, "{}(", op.name())?;
        for (at, arg) in args.iter().enumerate() {
            f.write_str(if at > 0 { ", " } else { "" })?;
            self.expr(f, arg, 0)?;
        }
        f.write_str(")")
    }
}
