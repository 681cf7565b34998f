//! What is printed to, and how lines are indented.

use std::fmt::{self, Write};

use crate::ir::kernel::Kernel;
use crate::ir::names::Names;

/// Where the text of a kernel goes.
pub(super) struct Printer<'a, W: Write> {
    pub names: Names,
    pub kernel: &'a Kernel,
    pub out: &'a mut W,
    /// How many blocks are around.
    pub depth: usize,
}

impl<'a, W: Write> Printer<'a, W> {
    pub fn new(kernel: &'a Kernel, out: &'a mut W) -> Printer<'a, W> {
        Printer { names: Names::of(kernel, &[]), kernel, out, depth: 0 }
    }

    pub(super) fn indent(&mut self) -> fmt::Result {
        for _ in 0..self.depth {
            self.out.write_str("  ")?;
        }
        Ok(())
    }

    /// Begins a new line.
    pub(super) fn line(&mut self) -> fmt::Result {
        writeln!(self.out)?;
        self.indent()
    }
}
