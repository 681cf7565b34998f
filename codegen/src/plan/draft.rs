//! The plan of a statement, while it is made: the state that `survey`, `target` and `decide` share.

use std::ops::{Deref, DerefMut};

use super::facts::Facts;
use super::known::Known;
use super::{Meeting, Sorted, Statement};
use crate::diagnostic::{Diagnostic, Span};
use crate::lattice::Lattice;
use crate::notation::concrete::{Index, Stmt};

/// The plan of a statement, while it is made.
#[derive(Clone)]
pub(super) struct Draft<'k> {
    pub facts: Facts<'k>,
    pub plan: Statement,
    /// Where the statement stands.
    pub span: Span,
    /// The loops that have too many cases if every operand may have an entry.
    pub crowded: Vec<Nest>,
    /// While `survey` follows the loops: the operands that are missing in some case of the loops around.
    pub optional: Vec<usize>,
    /// The loops that `survey` has followed, each with what was known and which operands were optional there: none is followed twice.
    pub followed: Vec<(Known, Vec<usize>, Nest)>,
}

/// A loop, with what it merges if every operand may have an entry.
#[derive(Clone, Debug)]
pub(super) struct Nest {
    /// Its index, behind those of the loops around it.
    pub path: Vec<Index>,
    pub body: Stmt,
    pub meeting: Meeting,
    /// The cases; `None` if more operands meet than a lattice merges.
    pub lattice: Option<Lattice>,
    /// Whether there is one more case, in which no operand has an entry ([`How::Once`](super::How::Once)).
    pub once: bool,
    /// Whether flags can take the place of cases.
    pub flags: bool,
    /// The loops inside.
    pub inside: Vec<Nest>,
}

/// Why a survey stops. It then starts again with an operand sorted or a driver given up, unless the statement is wrong.
pub(super) enum Asked {
    /// An operand has to be sorted first.
    Sort(Box<Sorted>),
    /// The driver cannot drive.
    Idle(String),
    /// The statement cannot be compiled.
    Wrong(Box<Diagnostic>),
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
