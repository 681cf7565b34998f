//! The text form of a kernel: stable, for people, snapshots and `--emit ir`.

mod expr;
mod parallel;
mod printer;
mod stmt;

use std::fmt::{self, Write};

use self::printer::Printer;
use super::expr::Expr;
use super::kernel::{Access, Kernel, Tensor};

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer::new(self, f).kernel()
    }
}

impl Kernel {
    /// The text form of one of the kernel's expressions.
    pub fn show_expr(&self, expr: &Expr) -> String {
        let mut text = String::new();
        Printer::new(self, &mut text).expr(expr, 0).expect("writing to a string does not fail");
        text
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
}
