//! The plan of a kernel: every choice between the statement and its loops, made before any code is made.
//!
//! ```text
//!   concrete notation + formats ──► plan ──► lower ──► IR
//!
//!   access    how each operand is read: at its coordinates, level by level, as a driver, or as a sorted copy
//!   result    how each result is made: in place, appended, copied from an operand, or collected and sorted
//!   loop      how each loop runs: over all coordinates, over one operand, or over several by cases or by flags
//! ```
//!
//! A plan holds no variable of the IR. `pleach compile --emit plan` prints it.

mod access;
mod show;

pub(crate) use access::{Why, reach};

use crate::lattice::{Flags, Lattice, Set};
use crate::level::Growth;
use crate::notation::concrete::{Access, Index, Stmt, TensorId};

/// The most cases that one loop and the loops inside of it may be taken apart into. Where there would be more, a flag for each operand
/// says at run time whether it has an entry. A case is about 300 bytes of Rust.
pub const MOST_CASES: usize = 100;

/// The choices for all statements of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The statements, in the order in which they run.
    pub statements: Vec<Statement>,
}

/// The choices for one statement.
#[derive(Clone, Debug, Default)]
pub struct Statement {
    /// The statement in concrete index notation.
    pub text: String,
    /// How each operand is read.
    pub operands: Vec<Operand>,
    /// How each result is made.
    pub results: Vec<Target>,
    /// What runs outside of all loops.
    pub root: Node,
    /// The loops, each once for all places where the same is known of the operands.
    pub loops: Vec<Loop>,
    /// The operands that are sorted first.
    pub(crate) sorted: Vec<Sorted>,
    /// The drivers that cannot drive, in words.
    pub(crate) idle: Vec<String>,
    /// Whether results may have the levels of an operand.
    pub(crate) copies: bool,
}

/// An operand of which a copy in the order of the loops is made before they start.
#[derive(Clone, Debug)]
pub(crate) struct Sorted {
    pub access: Access,
    /// The order of the loops around it.
    pub order: Vec<Index>,
    pub why: Why,
}

/// How an operand is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The access.
    pub access: String,
    /// How.
    pub how: Reach,
    /// What decided it; empty where nothing had to be decided.
    pub why: String,
}

/// The ways to read an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Each value is found by its coordinates.
    Located,
    /// Level by level, in the order of the loops.
    Direct,
    /// The same; equal coordinates that follow each other are taken as one.
    Chained,
    /// Its entries are taken in the order in which they are stored, and the other operands are looked up.
    Driver,
    /// A copy in the order of the loops is made first.
    Sorted,
    /// It is the list of what was written to a workspace.
    Workspace,
}

/// How a result is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The result.
    pub access: String,
    /// How.
    pub how: Made,
}

/// The ways to make a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// A number.
    Scalar,
    /// Each value is written at its place.
    InPlace,
    /// Entries come in its own order, and are appended.
    Appended,
    /// Its entries are those of the named operand, whose levels are copied.
    Copied(String),
    /// Entries are collected and made into levels at the end; they come in order.
    Collected,
    /// Entries are collected, sorted and added up at the end.
    Sorted,
}

/// What is done at some place of a statement.
#[derive(Clone, Debug, Default)]
pub enum Node {
    /// Nothing.
    #[default]
    Nothing,
    /// An assignment, with what is left of it here.
    Assign(String),
    /// A loop, by its number.
    Loop(usize),
    /// A workspace is filled, and then read.
    Where {
        /// The workspace, and how it is kept.
        workspace: String,
        /// What fills it.
        producer: Box<Node>,
        /// What reads it.
        consumer: Box<Node>,
    },
    /// One after the other.
    Sequence(Vec<Node>),
    /// The value of an operand says whether it is an entry.
    Stored {
        /// The operand.
        access: String,
        /// What is done if so.
        there: Box<Node>,
        /// What is done if not.
        missing: Box<Node>,
    },
    /// A loop over the entries of a driver.
    Driven {
        /// The driver.
        access: String,
        /// What is done at each entry.
        body: Box<Node>,
    },
}

/// A loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The name of its index.
    pub index: String,
    /// Where it stands: what is known there, and what it runs over.
    pub(crate) known: Known,
    pub(crate) body: Stmt,
    /// How it runs.
    pub how: How,
    /// The operands that meet, as the sets of `how` number them.
    pub names: Vec<String>,
    /// What a lookup of each costs; `None` if it cannot be looked up.
    pub(crate) lookups: Vec<Option<Growth>>,
    /// What is done for each set of operands that have an entry at a coordinate.
    pub cases: Vec<(Set, Node)>,
    /// How many cases it has, those of the loops inside of it included.
    pub size: usize,
}

/// The operands that meet at a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// Those that the body reads.
    pub(crate) active: Vec<usize>,
    /// Those whose next level keeps the index, and cannot just be indexed.
    pub(crate) merged: Vec<usize>,
}

/// How a loop runs.
#[derive(Clone, Debug)]
pub enum How {
    /// Over all coordinates, over one operand, or over several, with code for each set of operands that may be there.
    Cases(Meeting, Lattice),
    /// In one loop over several operands with a flag for each of them.
    Flags(Meeting, Flags),
    /// Over the entries; what is folded where none is, is folded once.
    Once(Meeting, Lattice),
}

/// What is known at some place in the loops.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Known {
    /// The loops around, outermost first.
    pub path: Vec<Index>,
    /// The operands that have been followed so far.
    pub operands: Vec<Followed>,
    /// Workspaces to which nothing was written.
    pub gone: Vec<TensorId>,
    /// The operand that drives.
    pub driver: Option<usize>,
    /// Whether the loop counts its iterations.
    pub counting: bool,
}

/// What is known of an operand.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Followed {
    pub operand: usize,
    /// How many of its levels have been followed.
    pub depth: usize,
    /// It has no entry here.
    pub absent: bool,
    /// A variable says whether it has one.
    pub flagged: bool,
    /// Its value has been asked whether it is an entry.
    pub asked: bool,
}

impl Statement {
    /// The number of the loop over `body` where `known` is known.
    pub(crate) fn find(&self, known: &Known, body: &Stmt) -> Option<usize> {
        self.loops.iter().position(|one| one.known == *known && one.body == *body)
    }

    /// How many cases a node is taken apart into.
    pub(crate) fn size(&self, node: &Node) -> usize {
        match node {
            Node::Nothing | Node::Assign(_) => 0,
            Node::Loop(at) => self.loops[*at].size,
            Node::Where { producer, consumer, .. } => self.size(producer) + self.size(consumer),
            Node::Sequence(parts) => parts.iter().map(|part| self.size(part)).sum(),
            Node::Stored { there, missing, .. } => self.size(there) + self.size(missing),
            Node::Driven { body, .. } => self.size(body),
        }
    }
}

impl Plan {
    /// The merge of each loop in words: `{A, B} {A} {B}` is a union, `{A, B}` alone an intersection.
    pub fn lattices(&self) -> Vec<String> {
        let mut shown: Vec<String> = Vec::new();
        for statement in &self.statements {
            let mut reached = vec![false; statement.loops.len()];
            statement.reach(&statement.root, &mut reached);
            let in_use = statement.loops.iter().zip(reached).filter(|(_, reached)| *reached).map(|(one, _)| one);
            for one in in_use.filter(|one| !one.names.is_empty()) {
                let text = format!("{}: {}", one.index, one.how.show(&one.names));
                if !shown.contains(&text) {
                    shown.push(text);
                }
            }
        }
        shown
    }
}

impl Statement {
    fn reach(&self, node: &Node, reached: &mut [bool]) {
        match node {
            Node::Nothing | Node::Assign(_) => {}
            Node::Loop(at) => {
                if !std::mem::replace(&mut reached[*at], true) {
                    self.loops[*at].cases.iter().for_each(|(_, node)| self.reach(node, reached));
                }
            }
            Node::Where { producer, consumer, .. } => {
                self.reach(producer, reached);
                self.reach(consumer, reached);
            }
            Node::Sequence(parts) => parts.iter().for_each(|part| self.reach(part, reached)),
            Node::Stored { there, missing, .. } => {
                self.reach(there, reached);
                self.reach(missing, reached);
            }
            Node::Driven { body, .. } => self.reach(body, reached),
        }
    }
}
