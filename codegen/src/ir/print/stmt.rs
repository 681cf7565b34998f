//! Statements and blocks.

use std::fmt::{self, Write};

use super::expr::OPERAND;
use super::printer::Printer;
use crate::ir::expr::{Expr, after};
use crate::ir::kernel::Var;
use crate::ir::stmt::{Block, Reduce, Stmt, Turn, Walked};
use crate::ir::types::Type;

impl<W: Write> Printer<'_, W> {
    /// The statements of a block, indented by one step; the cursor is left at the start of the closing brace's line.
    pub(super) fn block(&mut self, block: &Block) -> fmt::Result {
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

    /// A block in braces, behind the arrays that its loop goes along.
    pub(super) fn braces(&mut self, block: &Block) -> fmt::Result {
        if let [Stmt::Along { walked, body }] = &block.0[..] {
            self.out.write_str(" ")?;
            self.along(walked)?;
            return self.braces(body);
        }
        self.out.write_str(" {")?;
        self.block(block)?;
        self.out.write_str("}")
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
            Stmt::NewUncleared { var, len } => {
                write!(self.out, "let {}: {}, cleared by tasks, of ", &self.names[*var], self.kernel.vars[*var].ty)?;
                self.expr(len, 0)
            }
            Stmt::NewLocal { var, len } => {
                write!(self.out, "let {}: {}, local, of {len}", &self.names[*var], self.kernel.vars[*var].ty)
            }
            Stmt::CopyArray { var, from, len } => {
                let (var, ty, from) = (&self.names[*var], &self.kernel.vars[*var].ty, &self.names[*from]);
                write!(self.out, "let {var}: {ty} = {from}[0..")?;
                self.expr(len, 0)?;
                self.out.write_str("]")
            }
            Stmt::NewVec { var, capacity } => self.new_vec(var, capacity),
            Stmt::Numbers { var, len } => {
                write!(self.out, "let {}: {} = [0..", &self.names[*var], self.kernel.vars[*var].ty)?;
                self.expr(len, OPERAND)?;
                self.out.write_str("]")
            }
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
            Stmt::CopyPart { array, at, from, first, len } => {
                self.part(*array, at, *len)?;
                self.out.write_str(" = ")?;
                self.part(*from, first, *len)
            }
            Stmt::For { var, lo, hi, body } => {
                write!(self.out, "for {} in ", &self.names[*var])?;
                self.range(lo, hi)?;
                self.braces(body)
            }
            Stmt::Slice { slice, array, lo, hi, written } => {
                let kind = if *written { "written part" } else { "part" };
                write!(self.out, "let {} = {kind} {}[", &self.names[*slice], &self.names[*array])?;
                self.range(lo, hi)?;
                self.out.write_str("]")
            }
            Stmt::Along { walked, body } => {
                self.along(walked)?;
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
            Stmt::OpenCursor { cursor, store, ordered } => {
                let order = if *ordered { "" } else { " in any order" };
                write!(self.out, "let {} = cursor{order} of ", &self.names[*cursor])?;
                self.expr(store, 0)
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

    /// `along j = crd[p], written y_i = y[p]`
    pub(super) fn along(&mut self, walked: &[Walked]) -> fmt::Result {
        let mut before = "along";
        for one in walked {
            let (all, written) = (if one.whole { " all" } else { "" }, if one.written { " written" } else { "" });
            write!(self.out, "{before}{all}{written} {} = {}[", &self.names[one.element], &self.names[one.array])?;
            self.expr(&one.at, 0)?;
            self.out.write_str("]")?;
            before = ",";
        }
        Ok(())
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

    /// `array[at..at + len]`
    fn part(&mut self, array: Var, at: &Expr, len: usize) -> fmt::Result {
        write!(self.out, "{}[", &self.names[array])?;
        self.range(at, &after(at, len))?;
        self.out.write_str("]")
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

    fn sort(&mut self, array: &Var, lo: &Expr, hi: &Expr, keys: &[Var]) -> fmt::Result {
        write!(self.out, "sort {}[", &self.names[*array])?;
        self.range(lo, hi)?;
        self.out.write_str("]")?;
        let mut before = " by ";
        for key in keys {
            write!(self.out, "{before}{}", &self.names[*key])?;
            before = ", ";
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
        self.optional(*value)?;
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
        self.optional(*value)?;
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
        self.expr(coord, OPERAND)?;
        self.out.write_str(" in ")?;
        self.expr(store, OPERAND)?;
        self.braces(then)?;
        if !otherwise.is_empty() {
            self.out.write_str(" else")?;
            self.braces(otherwise)?;
        }
        Ok(())
    }
}
