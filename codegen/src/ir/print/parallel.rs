//! Parallel loops.

use std::fmt::{self, Write};

use super::expr::OPERAND;
use super::printer::Printer;
use crate::ir::expr::Expr;
use crate::ir::stmt::{Domain, Owned, Partition, Stmt, Work};
use crate::ir::types::Literal;

impl<W: Write> Printer<'_, W> {
    pub(super) fn parallel(&mut self, stmt: &Stmt) -> fmt::Result {
        let Stmt::Parallel { var, domain, owned, reductions, work, scratch, body } = stmt else { return Ok(()) };
        write!(self.out, "parallel for {}", &self.names[*var])?;
        self.domain(domain)?;
        self.depth += 2;
        for share in owned {
            self.line()?;
            self.owned(share)?;
        }
        for (v, op) in reductions {
            self.line()?;
            write!(self.out, "folds {} {}", &self.names[*v], op.symbol())?;
        }
        if *work != Work::default() {
            self.line()?;
            self.work(work)?;
        }
        if !scratch.is_empty() {
            self.line()?;
            self.out.write_str("each task has")?;
            self.braces(scratch)?;
        }
        let mut body = body;
        if let [Stmt::Along { walked, body: inner }] = &body.0[..] {
            self.line()?;
            self.along(walked)?;
            body = inner;
        }
        self.depth -= 2;
        self.braces(body)
    }

    fn domain(&mut self, domain: &Domain) -> fmt::Result {
        match domain {
            Domain::Range { lo, hi } => {
                self.out.write_str(" in ")?;
                self.range(lo, hi)
            }
            Domain::Entries { store, value } => {
                self.optional(*value)?;
                self.out.write_str(" in entries of ")?;
                self.expr(store, 0)
            }
            Domain::Rows { matrix, row } => {
                self.optional(*row)?;
                write!(self.out, " in rows of {}", &self.names[*matrix])
            }
            Domain::Listed { lo, hi, position, crd } => {
                write!(self.out, " at {} in {}[", &self.names[*position], &self.names[*crd])?;
                self.range(lo, hi)?;
                self.out.write_str("]")
            }
        }
    }

    fn work(&mut self, work: &Work) -> fmt::Result {
        match work.weights {
            _ if work.is_task => self.out.write_str("a task each")?,
            Some(weights) => write!(self.out, "weighted by {}", &self.names[weights])?,
            None => write!(self.out, "{} steps each", work.steps)?,
        }
        if work.weights.is_some() && work.steps != 1 {
            write!(self.out, ", {} steps each", work.steps)?;
        }
        Ok(())
    }

    fn owned(&mut self, share: &Owned) -> fmt::Result {
        write!(self.out, "owns {}", &self.names[share.array])?;
        match &share.partition {
            Partition::Each { offset, stride } => {
                self.out.write_str(" by ")?;
                self.expr(stride, OPERAND)?;
                self.out.write_str(" from ")?;
                self.expr(offset, OPERAND)
            }
            Partition::Segments { pos, stride } => {
                write!(self.out, " by {}", &self.names[*pos])?;
                if *stride != Expr::Literal(Literal::Usize(1)) {
                    self.out.write_str(" times ")?;
                    self.expr(stride, OPERAND)?;
                }
                Ok(())
            }
            Partition::Positions { stride } => {
                self.out.write_str(" by position times ")?;
                self.expr(stride, OPERAND)
            }
            Partition::Anywhere => self.out.write_str(" anywhere"),
        }
    }
}
