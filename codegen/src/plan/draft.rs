//! The plan of a statement, while it is made.

use std::ops::Deref;

use super::tree::{Sorted, Statement};
use crate::diagnostic::Diagnostic;
use crate::notation::concrete::Kernel;

/// The plan of a statement, as far as it is made, and the kernel that the statement is of.
#[derive(Clone)]
pub(super) struct Draft<'k> {
    pub kernel: &'k Kernel,
    pub plan: Statement,
}

impl Deref for Draft<'_> {
    type Target = Statement;

    fn deref(&self) -> &Statement {
        &self.plan
    }
}

/// Why the walk stops. It then begins anew with an operand sorted or a driver given up, unless the statement is wrong.
pub(super) enum Asked {
    /// An operand has to be sorted first.
    Sort(Box<Sorted>),
    /// A driver is not used: another operand would have to be sorted to be read inside of its loop.
    Idle(String),
    /// The statement cannot be compiled.
    Wrong(Box<Diagnostic>),
}

impl From<Box<Diagnostic>> for Asked {
    fn from(mistake: Box<Diagnostic>) -> Asked {
        Asked::Wrong(mistake)
    }
}
