//! The plan of a kernel as data: statements, loops, cases, and how results are made.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::access::{Reach, Why};
use super::appendable::Appendable;
use super::facts::Facts;
use super::kept::{Copied, Kept, Reading};
use super::known::Known;
use super::refusal::Refusal;
use crate::convert::collected::{Source, Via};
use crate::lattice::{Flags, Lattice, Set};
use crate::notation::concrete::{Access, Assign, Expr, Index, Kernel, Reduction, Stmt, TensorId};

/// The most cases that one loop and the loops inside of it may have. Where there would be more, a flag for each operand
/// says at run time whether it has an entry. A case is about 300 bytes of Rust.
pub const MOST_CASES: usize = 100;

/// The most cases that a statement may have: more would take seconds to compile, and megabytes of code.
pub const MOST_NODES: usize = 20_000;

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
    /// Why the loops do not run in the order nearest to how the statement is written.
    pub orders: Vec<String>,
    /// How each operand is read.
    pub operands: Vec<Operand>,
    /// The statement itself, with the types of its operations.
    pub(crate) stmt: Stmt,
    /// How far its indices run.
    pub(crate) ranges: Vec<Range>,
    /// The tensors that earlier statements wrote.
    pub(crate) written: BTreeSet<TensorId>,
    /// How each tensor is kept.
    pub(crate) kept: Vec<Option<Kept>>,
    /// What each operand is read from.
    pub(crate) readings: Vec<Reading>,
    /// What is done outside of all loops: the other nodes are below it.
    pub(crate) root: Node,
    /// The loops. One that stands in several cases is kept once for all of them in which the same is known of the operands.
    pub loops: Vec<Arc<Loop>>,
    /// How the tensors are made that the statement is the first to write.
    pub(crate) makings: Vec<Making>,
    /// The results whose entries are counted before they are filled in.
    pub(crate) counted: Vec<TensorId>,
    /// The operands that are sorted first.
    pub(crate) sorted: Vec<Sorted>,
    /// The drivers that have been given up, in words.
    pub(crate) idle: Vec<String>,
}

/// An operand of which a copy in the order of the loops is made before they start.
#[derive(Clone, Debug)]
pub(crate) struct Sorted {
    pub access: Access,
    /// The order of the loops around it.
    pub order: Vec<Index>,
    pub why: Why,
}

impl Sorted {
    /// Whether it is a copy of the same operand, for the same loops.
    pub fn is_of(&self, other: &Sorted) -> bool {
        self.access == other.access && self.order == other.order
    }
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

/// What is done at some place of a statement.
#[derive(Clone, Debug, Default)]
pub(crate) enum Node {
    /// Nothing.
    #[default]
    Nothing,
    /// An assignment, and the value that remains to be computed here.
    Assign { assign: Arc<Assign>, value: Expr },
    /// A loop, by its number.
    Loop(usize),
    /// A workspace is filled, and then read by `consumer`.
    Where { workspaces: Vec<Workspace>, wide: Option<Wide>, consumer: Arc<Stmt>, producer: Box<Node>, read: Box<Node> },
    /// Nothing is written to these workspaces.
    Without(Vec<TensorId>, Box<Node>),
    /// One after the other.
    Sequence(Vec<Node>),
    /// The value of an operand says whether it is an entry, and there is code for both answers.
    Stored { at: usize, present: Box<Node>, absent: Box<Node> },
    /// The value of an operand says whether it is an entry, and a flag keeps the answer.
    Flagged { at: usize, body: Box<Node> },
    /// A loop over the entries of a driver, operand `at`, with the other operands looked up; how it is dealt out to tasks, or why not.
    Driven { at: usize, others: Vec<usize>, assign: Arc<Assign>, deal: Result<DealtLevel, Refusal>, body: Box<Node> },
}

/// A loop.
#[derive(Clone, Debug)]
pub struct Loop {
    pub(crate) index: Index,
    /// Where it stands: what is known there, and what it runs over.
    pub(crate) known: Known,
    pub(crate) body: Arc<Stmt>,
    /// How it runs.
    pub how: How,
    /// Where the map of a store leads and another operand follows it (`lower::lead`): both, by their numbers in the sets of `how`.
    pub(crate) leads: Option<(usize, usize)>,
    /// The operand of an intersection that is walked and the one that is looked up, by their numbers in the sets of `how`, if they change
    /// places where the first has the longer row (`lower::swap`).
    pub(crate) swaps: Option<(usize, usize)>,
    /// How its iterations are dealt out to tasks; `None` if they run in order.
    pub(crate) deal: Option<Deal>,
    /// Why the iterations of an outermost loop run in order.
    pub(crate) in_order: Option<Refusal>,
    /// What is done for each set of operands that have an entry at a coordinate.
    pub(crate) cases: Vec<(Set, Node)>,
    /// The number of its cases, including those of the loops inside. A flag counts as a case.
    pub size: usize,
}

/// The operands that meet at a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// Those that the body reads.
    pub(crate) active: Vec<usize>,
    /// Those whose next level keeps the index and has to be walked or looked up: its positions do not follow from coordinates.
    pub(crate) merged: Vec<usize>,
}

/// How a loop runs.
#[derive(Clone, Debug)]
pub enum How {
    /// Over all coordinates, over one operand, or over several, with code for each set of operands that may be there.
    Cases(Meeting, Lattice),
    /// In one loop over several operands with a flag for each of them.
    Flags(Meeting, Flags),
    /// Over the entries of the operands. What is folded at a coordinate without an entry is the same at all of them, and is folded once,
    /// after the loop.
    Once(Meeting, Lattice),
}

impl Loop {
    /// What is done where the operands of `set` have an entry, and the others have none.
    pub(crate) fn case(&self, set: Set) -> &Node {
        let case = self.cases.iter().find(|(known, _)| *known == set);
        &case.expect("a loop has a node for each case").1
    }
}

impl How {
    /// The operands that meet.
    pub(crate) fn meeting(&self) -> &Meeting {
        match self {
            How::Cases(meeting, _) | How::Flags(meeting, _) | How::Once(meeting, _) => meeting,
        }
    }
}

impl Plan {
    /// Whether entries of an operand or of a result are collected before they are put into levels.
    pub(crate) fn collects(&self) -> bool {
        let collected = |way: &MakingWay| match way {
            MakingWay::Entries(source) => source.via != Via::Order,
            MakingWay::Rows(..) => true,
            _ => false,
        };
        let mut statements = self.statements.iter();
        statements.any(|one| {
            one.readings.iter().any(|reading| reading.sorted) || one.makings.iter().any(|making| collected(&making.way))
        })
    }
}

impl How {
    /// Whether something is done at every coordinate, also where no operand has an entry.
    pub(crate) fn visits_all(&self) -> bool {
        match self {
            How::Cases(_, lattice) => lattice.points.contains(&0),
            How::Flags(_, flags) => flags.whole,
            How::Once(..) => false,
        }
    }
}

impl Statement {
    /// The facts as they are before the first loop of the statement.
    pub(crate) fn facts<'k>(&self, kernel: &'k Kernel) -> Facts<'k> {
        let (written, kept, operands) = (self.written.clone(), self.kept.clone(), self.readings.clone());
        Facts { kernel, written, kept, operands }
    }

    /// The number of the loop over `body` where `known` is known.
    pub(crate) fn find(&self, known: &Known, body: &Stmt) -> Option<usize> {
        self.loops.iter().position(|one| one.known == *known && *one.body == *body)
    }

    /// How many cases a node has, those of its loops included.
    pub(crate) fn size(&self, node: &Node) -> usize {
        match node {
            Node::Loop(at) => self.loops[*at].size,
            node => node.parts().into_iter().map(|part| self.size(part)).sum(),
        }
    }

    /// How many cases a loop with `cases` has, those of the loops inside of it included.
    pub(crate) fn size_of(&self, cases: &[(Set, Node)]) -> usize {
        cases.iter().map(|(_, node)| 1 + self.size(node)).sum()
    }

    /// Whether workspaces with indices are made in a node.
    pub(crate) fn keeps_arrays(&self, kernel: &Kernel, node: &Node) -> bool {
        match node {
            Node::Loop(at) => self.loops[*at].cases.iter().any(|(_, node)| self.keeps_arrays(kernel, node)),
            Node::Where { workspaces, .. } if workspaces.iter().any(|one| kernel.tensor(one.id).rank > 0) => true,
            node => node.parts().into_iter().any(|part| self.keeps_arrays(kernel, part)),
        }
    }
}

impl Node {
    /// The nodes that it is made of, without those of a loop.
    fn parts(&self) -> Vec<&Node> {
        match self {
            Node::Nothing | Node::Assign { .. } | Node::Loop(_) => Vec::new(),
            Node::Where { producer, read, .. } => vec![producer, read],
            Node::Sequence(parts) => parts.iter().collect(),
            Node::Stored { present, absent, .. } => vec![present, absent],
            Node::Without(_, body) | Node::Flagged { body, .. } | Node::Driven { body, .. } => vec![body],
        }
    }
}

/// One reason why an index runs as far as it does. The first reason of an index gives its range, and the others must agree with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// The index.
    pub index: Index,
    /// The tensor that is accessed with it, and in which of its dimensions.
    pub along: (TensorId, usize),
    /// For a dimension of a workspace, the index that it is written with: the dimension is as long as this one runs.
    pub made_by: Option<Index>,
}

/// A tensor that a statement is the first to write, and the way in which it is made.
#[derive(Clone, Debug)]
pub(crate) struct Making {
    /// The tensor.
    pub id: TensorId,
    /// The first assignment to it.
    pub assign: Assign,
    /// The way.
    pub way: MakingWay,
}

/// The ways to make a tensor.
#[derive(Clone, Debug)]
pub(crate) enum MakingWay {
    /// A number.
    Scalar,
    /// An array of values; written at its place.
    InPlace,
    /// The levels of an operand are copied.
    Copied(Arc<Copied>),
    /// Entries are appended.
    Appended(Appendable),
    /// Entries are collected in a list, of which a conversion makes the levels.
    Entries(Arc<Source>),
    /// Entries are appended to rows, or counted and filled in, and a conversion makes the levels of these.
    Rows(Arc<Source>, Appendable),
}

/// A workspace of a `where`.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    /// The workspace.
    pub id: TensorId,
    /// Whether it remembers what was written: a scalar by a flag, an array by a list.
    pub remembers: bool,
    /// The indices that it is written with.
    pub indices: Vec<Index>,
}

/// A workspace that may have far more coordinates than entries.
#[derive(Clone, Debug)]
pub(crate) struct Wide {
    /// The workspace.
    pub id: TensorId,
    /// Its index.
    pub index: Index,
    /// How the producer folds into it.
    pub reduce: Reduction,
    /// The tensors of the statement, whose entries bound those of the workspace.
    pub tensors: Vec<TensorId>,
}

/// How a loop is dealt out to tasks.
#[derive(Clone, Debug)]
pub(crate) struct Deal {
    /// What its iterations write.
    pub shares: Vec<Share>,
    /// What is dealt out.
    pub over: Over,
    /// Whether what is dealt out are the rows of a store, which has tasks of its own.
    pub by_rows: bool,
}

impl Deal {
    /// The results of which each iteration counts, and then fills, a row.
    pub fn rows(&self) -> impl Iterator<Item = TensorId> {
        let row = |share: &Share| if let Share::Row(id) = share { Some(*id) } else { None };
        self.shares.iter().filter_map(row)
    }
}

/// What the iterations of a parallel loop write.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Share {
    /// All of them fold into a number.
    Fold(TensorId, Reduction),
    /// Each writes a part of a dense array: the loop's index runs along the dimension behind those of these indices, which loops around
    /// it run over.
    Part(TensorId, Vec<Index>),
    /// Each counts, and then fills, a row of an appended result.
    Row(TensorId),
    /// Each writes the values of a stretch of copied levels.
    Stretch(TensorId),
}

impl Share {
    /// The tensor that is written.
    pub fn tensor(&self) -> TensorId {
        match self {
            Share::Fold(id, _) | Share::Part(id, ..) | Share::Row(id) | Share::Stretch(id) => *id,
        }
    }
}

/// What a parallel loop runs over. Operands are numbered as in the sets of its lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// All coordinates.
    Coordinates,
    /// The coordinates between two bounds that an operand gives.
    Interval(usize),
    /// The positions of an operand.
    Positions(usize),
    /// The entries of a store.
    Entries(usize),
}

/// The operands of a loop that skip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Skips {
    /// They search their array of coordinates for the coordinate that the others are at.
    pub operands: Set,
    /// Only an operand that is much longer than the other one does so, which is found out at run time.
    pub if_longer: bool,
}

/// How the loop over the entries of a driver is dealt out to tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DealtLevel {
    /// The level of the driver whose loop is dealt out.
    pub level: usize,
    /// How many rows of the target each iteration writes; `None` if what is computed is folded into a scalar.
    pub rows: Option<usize>,
}
