//! The plan of a statement, while it is made: the state that `survey`, `target` and `decide` share.

use std::ops::{Deref, DerefMut};

use super::Statement;
use super::facts::Facts;
use super::known::Known;
use super::survey::Nest;
use crate::diagnostic::Span;

/// The plan of a statement, while it is made.
#[derive(Clone)]
pub(super) struct Draft<'k> {
    pub facts: Facts<'k>,
    pub plan: Statement,
    /// Where the statement stands.
    pub span: Span,
    /// The loops that have too many cases if every operand may have an entry.
    pub crowded: Vec<Nest>,
    /// While `survey` follows the loops: the operands that some case of the loops around leaves out.
    pub left_out: Vec<usize>,
    /// The loops that `survey` has followed, each with what was known and what was left out there: none is followed twice.
    pub followed: Vec<(Known, Vec<usize>, Nest)>,
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
