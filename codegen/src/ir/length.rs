//! How long the text of a kernel is in a language with blocks, without printing it.

use super::kernel::Kernel;
use super::stmt::{Block, Stmt};

/// Spaces before each line, for each block around it.
const INDENT: usize = 4;

/// Bytes of a node of an expression: a name or a number with an operator and spaces.
const NODE: usize = 12;

/// Nodes of an expression on one line.
const WIDTH: usize = 12;

impl Kernel {
    /// About how many bytes its body has as formatted text. Between 40,000 and 60,000 bytes of Rust, it is a sixth off in most kernels, and
    /// at most a quarter.
    pub fn length(&self) -> usize {
        length(&self.body, 1)
    }
}

/// The bytes of a block that stands in `depth` others.
fn length(block: &Block, depth: usize) -> usize {
    let of_one = |stmt: &Stmt| {
        let mut nodes = 0;
        stmt.exprs().into_iter().for_each(|own| own.visit(&mut |_| nodes += 1));
        let (lines, inside) = shape(stmt);
        let blocks = stmt.blocks().into_iter().map(|inner| length(inner, depth + inside));
        INDENT * depth * (lines + nodes / WIDTH) + NODE * nodes + blocks.sum::<usize>()
    };
    block.0.iter().map(of_one).sum()
}

/// How many lines a statement has beside those of its blocks, and how far these are indented. Loops over stores and dealt out loops are
/// calls with closures.
fn shape(stmt: &Stmt) -> (usize, usize) {
    match stmt {
        Stmt::For { .. } | Stmt::Along { .. } | Stmt::While(..) => (2, 1),
        Stmt::If { arms, otherwise } => (arms.len() + 1 + usize::from(!otherwise.is_empty()), 1),
        Stmt::Locate { .. } => (3, 1),
        Stmt::Gather { .. } => (5, 2),
        Stmt::Rest { .. } | Stmt::ForEntries { .. } => (8, 4),
        Stmt::Parallel { .. } => (10, 3),
        _ => (1, 1),
    }
}
