//! The text form of a kernel: stable, for people, snapshots and `--emit ir`.

use std::fmt::{self, Write};

use super::expr::{BinaryOp, Expr, UnaryOp};
use super::kernel::{Access, Kernel, Tensor, Var};
use super::names::Names;
use super::stmt::{Block, Domain, Owned, Partition, Reduce, Stmt, Turn, Work};
use super::types::{Literal, Type};

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer { names: Names::of(self), kernel: self, out: f, depth: 0 };
        printer.kernel()
    }
}

impl Kernel {
    /// The text form of one of the kernel's expressions.
    pub fn show_expr(&self, expr: &Expr) -> String {
        let mut text = String::new();
        let mut printer = Printer { names: Names::of(self), kernel: self, out: &mut text, depth: 0 };
        printer.expr(expr, 0).expect("writing to a string does not fail");
        text
    }
}

struct Printer<'a, W: Write> {
    names: Names,
    kernel: &'a Kernel,
    out: &'a mut W,
    depth: usize,
}

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

impl<W: Write> Printer<'_, W> {
    fn kernel(&mut self) -> fmt::Result {
        for line in &self.kernel.doc {
            writeln!(self.out, "// {line}")?;
        }
        writeln!(self.out, "kernel {}", self.kernel.name)?;
        for tensor in &self.kernel.params {
            self.tensor(if tensor.access == Access::Read { "in " } else { "out" }, tensor)?;
        }
        for tensor in &self.kernel.results {
            self.tensor("->", tensor)?;
        }
        for check in &self.kernel.checks {
            write!(self.out, "  check {}: ", check.left_name)?;
            self.expr(&check.left, 0)?;
            write!(self.out, " = {}: ", check.right_name)?;
            self.expr(&check.right, 0)?;
            writeln!(self.out)?;
        }
        write!(self.out, "{{")?;
        self.block(&self.kernel.body)?;
        writeln!(self.out, "}}")
    }

    fn tensor(&mut self, keyword: &str, tensor: &Tensor) -> fmt::Result {
        write!(self.out, "  {keyword} {}", tensor.name)?;
        if !tensor.format.is_empty() {
            write!(self.out, " ({})", tensor.format)?;
        }
        let mut before = ": ";
        for field in &tensor.fields {
            write!(self.out, "{before}{} {}", &self.names[field.var], self.kernel.vars[field.var].ty)?;
            before = ", ";
        }
        writeln!(self.out)
    }

    /// The statements of a block, indented by one step; the cursor is left at the start of the closing brace's line.
    fn block(&mut self, block: &Block) -> fmt::Result {
        writeln!(self.out)?;
        self.depth += 1;
        for stmt in &block.0 {
            self.indent()?;
            self.stmt(stmt)?;
            writeln!(self.out)?;
        }
        self.depth -= 1;
        self.indent()
    }

    fn indent(&mut self) -> fmt::Result {
        for _ in 0..self.depth {
            self.out.write_str("  ")?;
        }
        Ok(())
    }

    fn braces(&mut self, block: &Block) -> fmt::Result {
        self.out.write_str(" {")?;
        self.block(block)?;
        self.out.write_str("}")
    }

    fn range(&mut self, lo: &Expr, hi: &Expr) -> fmt::Result {
        self.expr(lo, 4)?;
        self.out.write_str("..")?;
        self.expr(hi, 4)
    }

    fn reduce(&mut self, op: Reduce, value: &Expr) -> fmt::Result {
        write!(self.out, " {} ", op.symbol())?;
        self.expr(value, 0)
    }

    fn stmt(&mut self, stmt: &Stmt) -> fmt::Result {
        match stmt {
            Stmt::Comment(text) => write!(self.out, "// {text}"),
            Stmt::Let(v, x) => self.declare_as(v, x),
            Stmt::NewArray { var, len, fill } => self.new_array(var, len, fill),
            Stmt::CopyArray { var, from, len } => {
                let (var, ty, from) = (&self.names[*var], &self.kernel.vars[*var].ty, &self.names[*from]);
                write!(self.out, "let {var}: {ty} = {from}[0..")?;
                self.expr(len, 0)?;
                self.out.write_str("]")
            }
            Stmt::NewVec { var, capacity } => self.new_vec(var, capacity),
            Stmt::Assign(v, x) => {
                write!(self.out, "{} = ", &self.names[*v])?;
                self.expr(x, 0)
            }
            Stmt::Update(v, op, x) => {
                write!(self.out, "{}", &self.names[*v])?;
                self.reduce(*op, x)
            }
            Stmt::Store(a, i, x) => {
                write!(self.out, "{}[", &self.names[*a])?;
                self.expr(i, 0)?;
                self.out.write_str("] = ")?;
                self.expr(x, 0)
            }
            Stmt::StoreUpdate(a, i, op, x) => self.update_element(a, i, op, x),
            Stmt::Push(a, x) => {
                write!(self.out, "push {}, ", &self.names[*a])?;
                self.expr(x, 0)
            }
            Stmt::Resize { array, len, fill } => {
                write!(self.out, "resize {}, ", &self.names[*array])?;
                self.expr(len, 0)?;
                self.out.write_str(", ")?;
                self.expr(fill, 0)
            }
            Stmt::Fill { array, lo, hi, value } => self.fill(array, lo, hi, value),
            Stmt::For { var, lo, hi, body } => {
                write!(self.out, "for {} in ", &self.names[*var])?;
                self.range(lo, hi)?;
                self.braces(body)
            }
            Stmt::While(condition, body) => {
                self.out.write_str("while ")?;
                self.expr(condition, 0)?;
                self.braces(body)
            }
            Stmt::If { arms, otherwise } => self.branch(arms, otherwise),
            Stmt::Break => self.out.write_str("break"),
            Stmt::Parallel { .. } => self.parallel(stmt),
            Stmt::Sort { array, lo, hi, keys } => self.sort(array, lo, hi, keys),
            Stmt::PrefixSum(a) => write!(self.out, "prefix sum of {}", &self.names[*a]),
            Stmt::TaskCounts { array, tasks, parents, turn } => self.task_counts(array, tasks, parents, turn),
            Stmt::OpenCursor(v, x) => {
                write!(self.out, "let {} = cursor of ", &self.names[*v])?;
                self.expr(x, 0)
            }
            Stmt::Advance(v) => write!(self.out, "advance {}", &self.names[*v]),
            Stmt::Rest { cursor, coord, value, body } => self.rest(cursor, coord, value, body),
            Stmt::Gather { .. } => self.gather(stmt),
            Stmt::FindRows { finder, matrix } => {
                write!(self.out, "let {} = finder of {}", &self.names[*finder], &self.names[*matrix])
            }
            Stmt::ForEntries { store, coord, value, ordered, fold, body } => {
                self.entries(store, coord, value, ordered, fold, body)
            }
            Stmt::Locate { store, coord, value, then, otherwise } => self.locate(store, coord, value, then, otherwise),
        }
    }

    fn new_array(&mut self, var: &Var, len: &Expr, fill: &Expr) -> fmt::Result {
        write!(self.out, "let {}: {} = [", &self.names[*var], self.kernel.vars[*var].ty)?;
        self.expr(fill, 0)?;
        self.out.write_str("; ")?;
        self.expr(len, 0)?;
        self.out.write_str("]")
    }

    fn update_element(&mut self, a: &Var, i: &Expr, op: &Reduce, x: &Expr) -> fmt::Result {
        write!(self.out, "{}[", &self.names[*a])?;
        self.expr(i, 0)?;
        self.out.write_str("]")?;
        self.reduce(*op, x)
    }

    fn fill(&mut self, array: &Var, lo: &Expr, hi: &Expr, value: &Expr) -> fmt::Result {
        write!(self.out, "fill {}[", &self.names[*array])?;
        self.range(lo, hi)?;
        self.out.write_str("], ")?;
        self.expr(value, 0)
    }

    fn declare_as(&mut self, v: &Var, x: &Expr) -> fmt::Result {
        write!(self.out, "let {}", &self.names[*v])?;
        if let Type::Scalar(s) = self.kernel.vars[*v].ty {
            write!(self.out, ": {s}")?;
        }
        self.out.write_str(" = ")?;
        self.expr(x, 0)
    }

    fn new_vec(&mut self, var: &Var, capacity: &Option<Expr>) -> fmt::Result {
        write!(self.out, "let {}: {} = []", &self.names[*var], self.kernel.vars[*var].ty)?;
        if let Some(capacity) = capacity {
            self.out.write_str(" with room for ")?;
            self.expr(capacity, 0)?;
        }
        Ok(())
    }

    fn branch(&mut self, arms: &[(Expr, Block)], otherwise: &Block) -> fmt::Result {
        for (k, (condition, body)) in arms.iter().enumerate() {
            self.out.write_str(if k == 0 { "if " } else { " else if " })?;
            self.expr(condition, 0)?;
            self.braces(body)?;
        }
        if !otherwise.is_empty() {
            self.out.write_str(" else")?;
            self.braces(otherwise)?;
        }
        Ok(())
    }

    fn parallel(&mut self, stmt: &Stmt) -> fmt::Result {
        let Stmt::Parallel { var, domain, owned, reductions, work, scratch, body } = stmt else { return Ok(()) };
        write!(self.out, "parallel for {}", &self.names[*var])?;
        match domain {
            Domain::Range { lo, hi } => {
                self.out.write_str(" in ")?;
                self.range(lo, hi)?;
            }
            Domain::Entries { store, value } => {
                if let Some(value) = value {
                    write!(self.out, ", {}", &self.names[*value])?;
                }
                self.out.write_str(" in entries of ")?;
                self.expr(store, 0)?;
            }
            Domain::Rows { matrix, row } => {
                if let Some(row) = row {
                    write!(self.out, ", {}", &self.names[*row])?;
                }
                write!(self.out, " in rows of {}", &self.names[*matrix])?;
            }
            Domain::Listed { lo, hi, position, crd } => {
                write!(self.out, " at {} in {}[", &self.names[*position], &self.names[*crd])?;
                self.range(lo, hi)?;
                self.out.write_str("]")?;
            }
        }
        self.depth += 2;
        for share in owned {
            self.owned(share)?;
        }
        for (v, op) in reductions {
            writeln!(self.out)?;
            self.indent()?;
            write!(self.out, "folds {} {}", &self.names[*v], op.symbol())?;
        }
        if *work != Work::default() {
            writeln!(self.out)?;
            self.indent()?;
            match work.weights {
                _ if work.is_task => self.out.write_str("a task each")?,
                Some(weights) => write!(self.out, "weighted by {}", &self.names[weights])?,
                None => write!(self.out, "{} steps each", work.steps)?,
            }
            if work.weights.is_some() && work.steps != 1 {
                write!(self.out, ", {} steps each", work.steps)?;
            }
        }
        if !scratch.is_empty() {
            writeln!(self.out)?;
            self.indent()?;
            self.out.write_str("each task has")?;
            self.braces(scratch)?;
        }
        self.depth -= 2;
        self.braces(body)
    }

    fn sort(&mut self, array: &Var, lo: &Expr, hi: &Expr, keys: &Option<Var>) -> fmt::Result {
        write!(self.out, "sort {}[", &self.names[*array])?;
        self.range(lo, hi)?;
        self.out.write_str("]")?;
        if let Some(keys) = keys {
            write!(self.out, " by {}", &self.names[*keys])?;
        }
        Ok(())
    }

    fn task_counts(&mut self, array: &Var, tasks: &Expr, parents: &Expr, turn: &Turn) -> fmt::Result {
        if let Some(var) = turn.declares() {
            write!(self.out, "let {}: usize = ", &self.names[var])?;
        }
        let what = match turn {
            Turn::Starts(_) => "starts",
            Turn::StartsWithin(_) => "starts within parents",
            Turn::Bounds => "bounds",
        };
        write!(self.out, "{what} of {}, ", &self.names[*array])?;
        self.expr(tasks, 0)?;
        self.out.write_str(" tasks, ")?;
        self.expr(parents, 0)?;
        self.out.write_str(" parents")
    }

    fn rest(&mut self, cursor: &Var, coord: &Var, value: &Option<Var>, body: &Block) -> fmt::Result {
        write!(self.out, "for {}", &self.names[*coord])?;
        if let Some(value) = value {
            write!(self.out, ", {}", &self.names[*value])?;
        }
        write!(self.out, " in rest of {}", &self.names[*cursor])?;
        self.braces(body)
    }

    fn gather(&mut self, stmt: &Stmt) -> fmt::Result {
        let Stmt::Gather { matrix, coord, row, body, flag, value, crd, vals } = stmt else { return Ok(()) };
        let (crd, vals) = (&self.names[*crd], &self.names[*vals]);
        write!(self.out, "gather {}, {}", &self.names[*coord], &self.names[*row])?;
        write!(self.out, " in rows of {} into {crd}, {vals}", &self.names[*matrix])?;
        self.braces(body)?;
        self.out.write_str(" ")?;
        self.expr(value, 0)?;
        write!(self.out, " if {}", &self.names[*flag])
    }

    fn entries(
        &mut self,
        store: &Expr,
        coord: &Var,
        value: &Option<Var>,
        ordered: &bool,
        fold: &Option<(Var, Reduce)>,
        body: &Block,
    ) -> fmt::Result {
        write!(self.out, "for {}", &self.names[*coord])?;
        if let Some(value) = value {
            write!(self.out, ", {}", &self.names[*value])?;
        }
        self.out.write_str(if *ordered { " in ordered entries of " } else { " in entries of " })?;
        self.expr(store, 0)?;
        if let Some((v, op)) = fold {
            write!(self.out, ", {} {} in parts", &self.names[*v], op.symbol())?;
        }
        self.braces(body)
    }

    fn locate(
        &mut self,
        store: &Expr,
        coord: &Expr,
        value: &Option<Var>,
        then: &Block,
        otherwise: &Block,
    ) -> fmt::Result {
        self.out.write_str("if")?;
        if let Some(value) = value {
            write!(self.out, " {} =", &self.names[*value])?;
        }
        self.out.write_str(" locate ")?;
        self.expr(coord, 4)?;
        self.out.write_str(" in ")?;
        self.expr(store, 4)?;
        self.braces(then)?;
        if !otherwise.is_empty() {
            self.out.write_str(" else")?;
            self.braces(otherwise)?;
        }
        Ok(())
    }

    fn owned(&mut self, share: &Owned) -> fmt::Result {
        writeln!(self.out)?;
        self.indent()?;
        write!(self.out, "owns {}", &self.names[share.array])?;
        match &share.partition {
            Partition::Each { offset, stride } => {
                self.out.write_str(" by ")?;
                self.expr(stride, 4)?;
                self.out.write_str(" from ")?;
                self.expr(offset, 4)
            }
            Partition::Segments { pos, stride } => {
                write!(self.out, " by {}", &self.names[*pos])?;
                if *stride != Expr::Literal(Literal::Usize(1)) {
                    self.out.write_str(" times ")?;
                    self.expr(stride, 4)?;
                }
                Ok(())
            }
            Partition::Positions { stride } => {
                self.out.write_str(" by position times ")?;
                self.expr(stride, 4)
            }
            Partition::Anywhere => self.out.write_str(" anywhere"),
        }
    }

    fn expr(&mut self, expr: &Expr, outer: u8) -> fmt::Result {
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
                for (at, part) in [from, to, coord].into_iter().enumerate() {
                    self.out.write_str(if at == 0 { "" } else { ", " })?;
                    self.expr(part, 0)?;
                }
                self.out.write_str(")")
            }
            Expr::Unary(op, x) => match op {
                UnaryOp::Neg | UnaryOp::Not => {
                    self.out.write_str(if *op == UnaryOp::Neg { "-" } else { "!" })?;
                    self.expr(x, 9)
                }
                UnaryOp::Abs | UnaryOp::Sqrt => {
                    self.out.write_str(if *op == UnaryOp::Abs { "abs(" } else { "sqrt(" })?;
                    self.expr(x, 0)?;
                    self.out.write_str(")")
                }
            },
            Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), x, y) => {
                write!(self.out, "{}(", symbol(*op))?;
                self.expr(x, 0)?;
                self.out.write_str(", ")?;
                self.expr(y, 0)?;
                self.out.write_str(")")
            }
            Expr::Binary(op, x, y) => {
                let own = precedence(*op);
                // Comparisons do not associate; of the others the right operand is in parentheses if it binds as tightly.
                let left = own + u8::from(op.is_comparison());
                if own < outer {
                    self.out.write_str("(")?;
                }
                self.expr(x, left)?;
                write!(self.out, " {} ", symbol(*op))?;
                self.expr(y, own + 1)?;
                if own < outer {
                    self.out.write_str(")")?;
                }
                Ok(())
            }
            Expr::Select(c, x, y) => {
                if outer > 0 {
                    self.out.write_str("(")?;
                }
                self.out.write_str("if ")?;
                self.expr(c, 0)?;
                self.out.write_str(" then ")?;
                self.expr(x, 0)?;
                self.out.write_str(" else ")?;
                self.expr(y, 0)?;
                if outer > 0 {
                    self.out.write_str(")")?;
                }
                Ok(())
            }
            Expr::Cast(s, x) => {
                if outer > 8 {
                    self.out.write_str("(")?;
                }
                self.expr(x, 8)?;
                write!(self.out, " as {s}")?;
                if outer > 8 {
                    self.out.write_str(")")?;
                }
                Ok(())
            }
            Expr::Call(name, args, _) => {
                write!(self.out, "{name}(")?;
                for (k, arg) in args.iter().enumerate() {
                    if k > 0 {
                        self.out.write_str(", ")?;
                    }
                    self.expr(arg, 0)?;
                }
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
                if let Some(values) = values {
                    write!(self.out, ", {}", &self.names[*values])?;
                }
                self.out.write_str(" at ")?;
                self.range(lo, hi)
            }
        }
    }
}
