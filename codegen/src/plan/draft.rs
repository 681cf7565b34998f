//! The plan of a statement, while it is made.

use std::ops::{Deref, DerefMut};

use super::facts::Facts;
use super::tree::{Sorted, Statement};
use crate::diagnostic::{Diagnostic, Span};

/// The plan of a statement, while it is made.
#[derive(Clone)]
pub(super) struct Draft<'k> {
    pub facts: Facts<'k>,
    pub plan: Statement,
    /// The place of the statement in the source.
    pub span: Span,
}

impl<'k> Deref for Draft<'k> {
    type Target = Facts<'k>;

    fn deref(&self) -> &Facts<'k> {
        &self.facts
    }
}

impl DerefMut for Draft<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.facts
    }
}

/// Why the walk stops. It then begins anew with an operand sorted or a driver given up, unless the statement is wrong.
pub(super) enum Asked {
    /// An operand has to be sorted first.
    Sort(Box<Sorted>),
    /// The driver cannot drive.
    Idle(String),
    /// The statement cannot be compiled.
    Wrong(Box<Diagnostic>),
}

impl From<Box<Diagnostic>> for Asked {
    fn from(mistake: Box<Diagnostic>) -> Asked {
        Asked::Wrong(mistake)
    }
}
