//! The plan of a kernel as data: statements, loops, cases, and how results are made.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::choice::{Deal, DealtLevel, Range, Reach, Refusal, Skips, Wide, Workspace};
use super::kept::{Kept, Reading};
use super::known::Known;
use crate::convert::collected::Via;
use crate::lattice::{Lattice, Set};
use crate::level::Growth;
use crate::notation::ast::ValueType;
use crate::notation::concrete::{Access, Assign, Expr, Index, Kernel, Stmt, TensorId};
use crate::notation::presence::Presence;

/// The most cases that one loop and the loops inside of it may have. Where there would be more, a flag for each operand
/// says at run time whether it has an entry. A case is about 300 bytes of Rust in most kernels. Where cases are so long that the kernel has
/// more than [`MOST_LENGTH`], it is planned again with fewer of them.
pub const MOST_CASES: [usize; 5] = [100, 50, 25, 8, 1];

/// The most bytes that the body of a kernel may have, by [`crate::ir::Kernel::length`]: with its signature, and however wrong that is, the
/// kernel then has at most 60,000 bytes of Rust. A kernel that is longer with the fewest cases, too, stays as it is.
pub const MOST_LENGTH: usize = 43_000;

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
    pub(crate) loops: Vec<Arc<Loop>>,
    /// For each tensor that the statement is the first to write, the first assignment to it.
    pub(crate) made: Vec<Assign>,
    /// The results whose entries are counted before they are filled in.
    pub(crate) counted: Vec<TensorId>,
    /// The operands that are sorted first.
    pub(crate) sorted: Vec<Sorted>,
    /// The drivers that have been given up, in words.
    pub(crate) idle: Vec<String>,
    /// The most cases that a loop may have, with those of the loops inside of it.
    pub(crate) most_cases: usize,
}

/// An operand of which a copy in the order of the loops is made before they start.
#[derive(Clone, Debug)]
pub(crate) struct Sorted {
    pub access: Access,
    /// The order of the loops around it.
    pub order: Vec<Index>,
    pub why: String,
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
    /// An assignment.
    Assign(Arc<Assignment>),
    /// A loop, by its number.
    Loop(usize),
    /// Workspaces are filled, and then read.
    Where(Box<Where>),
    /// One after the other.
    Sequence(Vec<Node>),
    /// The value of an operand says whether it is an entry, and there is code for both answers.
    Stored { at: usize, present: Box<Node>, absent: Box<Node> },
    /// The value of an operand says whether it is an entry, and a flag keeps the answer.
    Flagged { at: usize, body: Box<Node> },
    /// A loop over the entries of a driver, operand `at`, with the other operands looked up; how it is dealt out to tasks, or why not.
    Driven {
        at: usize,
        searched: Vec<(usize, usize)>,
        assign: Arc<Assign>,
        deal: Result<DealtLevel, Refusal>,
        body: Box<Node>,
    },
}

/// A loop.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) index: Index,
    /// Where it stands: what is known there, and what it runs over.
    pub(crate) known: Known,
    pub(crate) body: Arc<Stmt>,
    /// How it runs.
    pub(crate) how: How,
    /// In an intersection, the operand that is walked and the one that is looked up, by their numbers in the sets of `how`. Where the row of
    /// the first is far longer, generated code walks the second and looks up the first (`lower::swap`). `None` if it never does.
    pub(crate) swaps: Option<(usize, usize)>,
    /// How its iterations are dealt out to tasks; `None` if they run in order.
    pub(crate) deal: Option<Deal>,
    /// Why the iterations of an outermost loop run in order.
    pub(crate) in_order: Option<Refusal>,
    /// The operands that skip coordinates which the others do not have.
    pub(crate) skips: Skips,
    /// Whether what it writes has to come in ascending order.
    pub(crate) ordered: bool,
    /// What is done for each set of operands that have an entry at a coordinate.
    pub(crate) cases: Vec<Case>,
    /// The number of its cases, including those of the loops inside. A flag counts as a case.
    pub size: usize,
}

/// Workspaces, what fills them, and what reads them.
#[derive(Clone, Debug)]
pub(crate) struct Where {
    pub workspaces: Vec<Workspace>,
    /// The workspace, if it may have far more coordinates than entries.
    pub wide: Option<Wide>,
    pub producer: Node,
    pub read: Node,
}

/// What is done at a place of a loop.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The operands that have an entry there; the other ones have none.
    pub set: Set,
    /// Operands of which levels are searched for coordinates that are known here, and how many levels.
    pub searched: Vec<(usize, usize)>,
    /// Results with copied levels, each with the operand of the copy, at the place where the loops have reached an entry of it.
    pub entries: Vec<(TensorId, usize)>,
    pub node: Node,
}

/// An assignment at a place of the loops.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    pub assign: Assign,
    /// The value that remains to be computed.
    pub value: Expr,
    /// The type in which it is computed.
    pub ty: ValueType,
    /// How its accesses are read, and that of the mask.
    pub reads: Arc<Vec<Read>>,
    /// Whether the mask is tested at run time.
    pub masked: bool,
    /// Whether it is left out where its value is computed from no entry.
    pub of_entries: bool,
}

/// How an access is read at a place of the loops.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    pub access: Access,
    pub from: Origin,
    /// Whether a flag says at run time whether it has an entry.
    pub flag: bool,
    pub entry: Entry,
}

/// What an access is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// An operand that the loops follow.
    Operand(usize),
    /// A tensor whose values are found by coordinates.
    Stored,
    /// It has no entry, and its fill is read.
    Nothing,
}

/// What tells whether an access has an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// It has none.
    Never,
    /// It has one.
    Always,
    /// A flag.
    Flag,
    /// A flag, if it has one, and its value.
    Value,
}

/// How a loop runs.
#[derive(Clone, Debug)]
pub(crate) struct How {
    /// The operands that the body reads.
    pub active: Vec<usize>,
    /// Those whose next level keeps the index and has to be walked or looked up: its positions do not follow from coordinates.
    pub merged: Vec<usize>,
    /// What a lookup in each of the merged operands costs, if it is possible. Set for a merge by cases.
    pub lookups: Vec<Option<Growth>>,
    /// Those of the merged operands that cannot be stepped through in order. Set for a merge by cases.
    pub stuck: Set,
    /// How they are merged.
    pub by: By,
}

/// How a loop merges its operands.
#[derive(Clone, Debug)]
pub(crate) enum By {
    /// With code for each set of operands that may have an entry.
    Cases(Lattice, Merge),
    /// In one loop over several operands with a flag for each of them.
    Flags(Flags),
    /// Over the entries of the operands. What is folded at a coordinate without an entry is the same at all of them, and is folded once,
    /// after the loop.
    Once(Lattice, Merge),
}

/// The loops of a merge by cases. Operands are numbered as in the sets of its lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    /// None: nothing is computed in them.
    Never,
    /// One loop over all coordinates.
    Count,
    /// One loop over this operand.
    Walk(usize),
    /// The map of a store leads, and another operand follows it (`lower::lead`).
    Lead { store: usize, other: usize },
    /// Several operands side by side: one loop while all of them have entries left, then one for each set of operands that still have.
    SideBySide,
}

/// A merge that finds out at run time which operands have an entry: one loop over the least coordinate of those that have not ended, with a
/// flag for each operand. Its code is linear in the number of operands.
#[derive(Clone, Debug)]
pub(crate) struct Flags {
    /// For each operand, whether the body computes nothing where the operand has no entry.
    pub required: Vec<bool>,
    /// Whether the loop goes over the whole dimension.
    pub whole: bool,
    /// Which further entries must be present for the body to compute anything.
    pub wanted: Presence<Needs>,
    /// Whether the body may compute something after all merged operands have ended.
    pub outlasts: bool,
}

/// Entries that something needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// One of this operand.
    Entry(usize),
    Both(Box<Needs>, Box<Needs>),
    Either(Box<Needs>, Box<Needs>),
}

impl Loop {
    /// What is done where the operands of `set` have an entry, and the others have none.
    pub(crate) fn case(&self, set: Set) -> &Case {
        self.cases.iter().find(|case| case.set == set).expect("a loop has a node for each case")
    }
}

impl How {
    /// The lattice of a loop that has cases.
    pub(crate) fn lattice(&self) -> Option<&Lattice> {
        match &self.by {
            By::Cases(lattice, _) | By::Once(lattice, _) => Some(lattice),
            By::Flags(_) => None,
        }
    }

    /// Whether it is never run: nothing is computed in it.
    pub(crate) fn is_never(&self) -> bool {
        matches!(self.by, By::Cases(_, Merge::Never))
    }

    /// Whether something is done at every coordinate, also where no operand has an entry.
    pub(crate) fn visits_all(&self) -> bool {
        match &self.by {
            By::Cases(lattice, _) => lattice.points.contains(&0),
            By::Flags(flags) => flags.whole,
            By::Once(..) => false,
        }
    }
}

impl Plan {
    /// Whether entries of an operand or of a result are collected before they are put into levels.
    pub(crate) fn collects(&self) -> bool {
        let collected = |kept: &Kept| match kept {
            Kept::Collected(source) => source.via != Via::Order,
            Kept::Appended(_, rows) => rows.is_some(),
            _ => false,
        };
        self.statements
            .iter()
            .any(|one| one.readings.iter().any(|reading| reading.sorted) || one.kept.iter().flatten().any(collected))
    }
}

impl Statement {
    /// The number of the loop over `body` where `known` is known.
    pub(crate) fn find(&self, known: &Known, body: &Stmt) -> Option<usize> {
        self.loops.iter().position(|one| one.known == *known && *one.body == *body)
    }

    /// Whether only entries of a tensor are written.
    pub(crate) fn is_sparse(&self, id: TensorId) -> bool {
        self.kept[id.0].as_ref().is_some_and(Kept::is_sparse)
    }

    /// How many cases a node has, those of its loops included.
    pub(crate) fn size(&self, node: &Node) -> usize {
        match node {
            Node::Loop(at) => self.loops[*at].size,
            node => node.parts().into_iter().map(|part| self.size(part)).sum(),
        }
    }

    /// How many cases a loop with `cases` has, those of the loops inside of it included.
    pub(crate) fn size_of(&self, cases: &[Case]) -> usize {
        cases.iter().map(|case| 1 + self.size(&case.node)).sum()
    }

    /// Whether workspaces with indices are made in a node.
    pub(crate) fn keeps_arrays(&self, kernel: &Kernel, node: &Node) -> bool {
        match node {
            Node::Loop(at) => self.loops[*at].cases.iter().any(|case| self.keeps_arrays(kernel, &case.node)),
            Node::Where(one) if one.workspaces.iter().any(|one| kernel.tensor(one.id).rank > 0) => true,
            node => node.parts().into_iter().any(|part| self.keeps_arrays(kernel, part)),
        }
    }
}

impl Node {
    /// The nodes that it is made of, without those of a loop.
    fn parts(&self) -> Vec<&Node> {
        match self {
            Node::Nothing | Node::Assign(_) | Node::Loop(_) => Vec::new(),
            Node::Where(one) => vec![&one.producer, &one.read],
            Node::Sequence(parts) => parts.iter().collect(),
            Node::Stored { present, absent, .. } => vec![present, absent],
            Node::Flagged { body, .. } | Node::Driven { body, .. } => vec![body],
        }
    }
}
