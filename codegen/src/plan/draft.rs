//! The plan of a statement, while it is made.

use std::ops::{Deref, DerefMut};

use super::Statement;
use super::facts::Facts;
use crate::diagnostic::Span;

/// The plan of a statement, while it is made.
pub(super) struct Draft<'k> {
    pub facts: Facts<'k>,
    pub plan: Statement,
    /// Where the statement stands.
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
