//! What a kernel checks before it starts: that extents agree, that slices end within their tensors, and that results fit.
//!
//! ```text
//! agree     the tensors that an index runs along have the same extent there
//! slices    slices end within their tensors
//! sizes     coordinates of results fit into 32 bits, and their arrays into memory
//! ```
//!
//! A check compares extents of parameters: nothing has been computed before it.

mod agree;
mod sizes;
mod slices;

use std::collections::BTreeSet;

pub(crate) use self::agree::Side;
use crate::ir::{Expr, ShapeCheck, Var};
use crate::notation::concrete::{Index, Kernel};

/// The checks of a kernel.
pub(crate) struct Checks<'k> {
    kernel: &'k Kernel,
    /// The variables that have a value before the kernel starts: the extents of parameters, and scalar parameters.
    given: BTreeSet<Var>,
    found: Vec<ShapeCheck>,
}

impl<'k> Checks<'k> {
    pub fn new(kernel: &'k Kernel, given: BTreeSet<Var>) -> Checks<'k> {
        Checks { kernel, given, found: Vec::new() }
    }

    pub fn into_found(self) -> Vec<ShapeCheck> {
        self.found
    }

    /// Whether an extent is computed from other variables than parameters have.
    pub fn reads_locals(&self, extent: &Expr) -> bool {
        let mut locals = false;
        extent.visit(&mut |part| locals |= part.own_vars().any(|var| !self.given.contains(&var)));
        locals
    }

    /// Adds a check, unless it reads the extent of a tensor that the kernel makes.
    fn add(&mut self, check: ShapeCheck) {
        let locals = self.reads_locals(&check.left) || self.reads_locals(&check.right);
        if !locals && !self.found.contains(&check) {
            self.found.push(check);
        }
    }

    /// Whether an index is one of a slice that the statement does not name.
    fn is_unnamed(&self, index: Index) -> bool {
        self.kernel.indices[index.0].starts_with("slice_")
    }
}

/// What dimension `m` of a tensor is called in messages.
fn dimension(m: usize) -> String {
    match ["first", "second", "third", "fourth"].get(m) {
        Some(place) => format!("its {place} index"),
        None => format!("its index number {}", m + 1),
    }
}
