//! What is known while a statement is lowered: where tensors are stored, which loops run, how far operands have been followed.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::list::List;
use super::lookup::Found;
use super::storage::{Levels, Pos};
use super::window::Window;
use crate::ir::{self, Block, Expr as Code, Var, Vars};
use crate::notation::concrete::{Access, Expr, Index, Kernel, TensorId};
use crate::plan::{Copied, Facts, Form, From, Kept, Known, Statement};

/// Where a tensor is stored.
#[derive(Clone, Debug)]
pub(super) enum Storage {
    /// A scalar; `flag` tells whether anything was written to it.
    Scalar { var: Var, flag: Option<Var> },
    /// Levels.
    Levels(Arc<Levels>),
    /// A dense workspace in row-major order.
    Dense { shape: Vec<Code>, vals: Var, marks: Option<Marks> },
    /// A sparse result under collection.
    List(List),
    /// A sparse result whose entries come in its own order.
    Append(Append),
    /// A sparse result with the levels of an operand.
    Shaped(Shaped),
    /// Places of a tensor that holds a value everywhere.
    Viewed(Arc<Viewed>),
}

/// What remembers where something was written to a workspace of one dimension.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    /// Whether it was, for each coordinate.
    pub set: Var,
    /// The coordinates where it was.
    pub list: Var,
}

/// A result whose entries come in its own order, under assembly: levels that are dense, and below them levels that are compressed.
///
/// A compressed level with others below it gets an entry once these have all that belongs to the entry, and only if there is anything.
#[derive(Clone, Debug)]
pub(super) struct Append {
    /// Where the entries of each parent begin in the last compressed level.
    pub pos: Var,
    /// The coordinates of that level.
    pub crd: Var,
    /// The compressed levels above the last one, outermost first.
    pub outer: Vec<Listed>,
    /// The levels below the last compressed one that have one coordinate for each of its entries: the dimension that each keeps, and the
    /// array of its coordinates.
    pub singles: Vec<(usize, Var)>,
    /// Dense levels below the last compressed one.
    pub tail: Option<Box<Tail>>,
    pub vals: Option<Var>,
    /// The extents of the dense levels, outermost first.
    pub extents: Vec<Code>,
    /// The indices that these levels keep.
    pub rows: Vec<Index>,
    /// Whether some rows may be left out, and so have no end of their own.
    pub gaps: bool,
    /// The dimension that the last compressed level keeps.
    pub last: usize,
    /// What an assignment to the result does.
    pub phase: Phase,
}

/// Dense levels below a compressed one, under assembly: each entry of that one gets a block of values.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    /// The extents of the levels, outermost first.
    pub extents: Vec<Code>,
    /// The dimensions that they keep.
    pub modes: Vec<usize>,
    /// How many values a block has.
    pub size: Code,
    /// Whether anything was written to the block that is open.
    pub any: Var,
    /// What values start from.
    pub fill: Code,
}

/// A compressed level with others below it, under assembly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed {
    pub pos: Var,
    pub crd: Var,
    /// The index that it keeps.
    pub index: Index,
}

impl Append {
    /// Where the entries of each row of the dense levels begin, and the coordinates of these entries.
    pub fn first(&self) -> (Var, Var) {
        self.level(0)
    }

    /// The positions and coordinates of compressed level number `at`, counted from the first one below the dense levels.
    pub fn level(&self, at: usize) -> (Var, Var) {
        self.outer.get(at).map_or((self.pos, self.crd), |level| (level.pos, level.crd))
    }

    /// Whether the loops `path` lead to an entry of the last compressed level, which keeps `index`.
    pub fn is_entry(&self, path: &[Index], index: Index) -> bool {
        let (dense, listed) = (self.rows.len(), self.outer.len());
        path.len() == dense + listed + 1
            && path.starts_with(&self.rows)
            && path[dense..].iter().zip(self.outer.iter().map(|level| level.index)).all(|(&own, level)| own == level)
            && path.last() == Some(&index)
    }

    /// The position of a row, by its coordinates in the dense levels.
    pub fn parent(&self, coords: &[Code]) -> Code {
        row_major(&self.extents, coords)
    }
}

/// How far the assembly of an appended result is. A parallel loop runs twice: it counts the entries of each row first, and then fills them
/// in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Entries are appended.
    Append,
    /// Entries are counted.
    Count,
    /// Entries are put at the position that this variable holds, which then moves on.
    Fill(Var),
    /// All entries are there.
    Filled,
}

/// A result that is stored like an operand, under assembly.
#[derive(Clone, Debug)]
pub(super) struct Shaped {
    /// Whose levels are copied.
    pub copied: Arc<Copied>,
    /// The compressed levels of the operand, `pos` of each.
    pub theirs: Vec<Var>,
    /// The copies, `pos` and `crd` of each.
    pub own: Vec<(Var, Var)>,
    pub vals: Var,
    /// The extents of dense levels below the last compressed one.
    pub extents: Vec<Code>,
}

/// A view whose values are found by coordinates, which are computed from the indices of an access. In a sparse tensor they are looked up.
#[derive(Clone, Debug)]
pub(super) struct Viewed {
    /// Where the tensor is stored.
    pub of: Storage,
    /// How each coordinate is found: part of its dimension, or computed.
    pub places: Vec<Place>,
    /// How far the indices run that dimensions are accessed with, plainly or by a slice, in the order of the dimensions.
    pub ranges: Vec<Code>,
    /// How large the tensor is.
    pub shape: Vec<Code>,
}

/// How a coordinate of a view is found.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// The value of an index of the access, by number; in a slice, counted along a part of the dimension.
    Along(usize, Option<Window>),
    /// Computed from indices.
    Computed(crate::format::Coordinate),
}

impl Storage {
    /// What the plan needs to know of it.
    pub fn kept(&self) -> Kept {
        match self {
            Storage::Scalar { flag, .. } => Kept::Scalar { remembers: flag.is_some() },
            Storage::Levels(levels) => Kept::Levels(Arc::new(levels.form())),
            Storage::Dense { marks, .. } => Kept::Array { listed: marks.is_some() },
            Storage::List(list) => Kept::Collected { in_order: list.in_order },
            Storage::Append(append) => {
                let deep = !append.outer.is_empty() || !append.singles.is_empty() || append.tail.is_some();
                Kept::Appended { rows: append.rows.clone(), deep }
            }
            Storage::Shaped(shaped) => Kept::Copied(shaped.copied.clone()),
            Storage::Viewed(_) => Kept::View,
        }
    }
}

/// What an operand is read from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// Level by level.
    Levels(Arc<Levels>),
    /// The list of what was written to a workspace.
    Marked(Var, Marks),
    /// A workspace that has not been made yet.
    Unmade,
}

/// How far an operand has been followed.
#[derive(Clone, Debug)]
pub(super) struct At {
    /// Where its next level begins, or its value lies.
    pub pos: Pos,
    /// The coordinates of the levels above.
    pub above: Vec<Code>,
    /// The variable that tells whether there is an entry, if that is found out at run time. All else that is known of the operand holds
    /// only if it is true.
    pub flag: Option<Var>,
}

/// What is known at some place in the loops.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// What the plan knows of it.
    pub known: Known,
    pub indices: BTreeMap<Index, Code>,
    /// Where operands have been followed to.
    pub places: BTreeMap<usize, At>,
    /// Where the entries of results lie that are stored like an operand.
    pub entries: BTreeMap<TensorId, Code>,
    /// What was found of sparse tensors at computed coordinates.
    pub looked_up: Vec<(Access, Found)>,
    /// Conditions that are known to hold.
    pub holds: Vec<Code>,
    /// What the loop that is about to be made counts its iterations in.
    pub counts: Option<Var>,
}

impl Deref for State {
    type Target = Known;

    fn deref(&self) -> &Known {
        &self.known
    }
}

impl DerefMut for State {
    fn deref_mut(&mut self) -> &mut Known {
        &mut self.known
    }
}

impl State {
    /// How far an operand has been followed.
    pub fn at(&self, at: usize) -> At {
        let start = || At { pos: Pos::At(ir::usize(0)), above: Vec::new(), flag: None };
        self.places.get(&at).cloned().unwrap_or_else(start)
    }

    /// Follows an operand by a level: to `pos`, where `flag` tells whether there is anything.
    pub fn enter(&mut self, at: usize, pos: Pos, coordinate: Code, flag: Option<Var>) {
        let mut place = self.at(at);
        place.above.push(coordinate);
        self.places.insert(at, At { pos, flag, ..place });
        self.known.follow(at, flag.is_some());
    }

    /// The value of an operand has been tested; a flag keeps the answer, or there is an entry.
    pub fn test(&mut self, at: usize, flag: Option<Var>) {
        let place = self.at(at);
        self.places.insert(at, At { flag, ..place });
        let followed = self.of(at);
        self.known.set(at, crate::plan::Followed { tested: true, flagged: flag.is_some(), ..followed });
    }

    /// What was found where an access is looked up.
    pub fn looked_up(&self, access: &Access) -> Option<Found> {
        self.looked_up.iter().find(|(known, _)| known == access).map(|(_, found)| *found)
    }

    /// The value of an index.
    pub fn index(&self, index: Index) -> Code {
        self.indices[&index].clone()
    }
}

/// Lowers a statement.
pub(super) struct Lower<'k> {
    /// What the plan was made from.
    pub facts: Facts<'k>,
    pub plan: &'k Statement,
    pub vars: Vars,
    /// The functions from outside that are called.
    pub functions: Vec<ir::Foreign>,
    pub stores: Vec<Option<Storage>>,
    /// How far the indices of the statement run.
    pub extents: BTreeMap<Index, Code>,
    /// What each operand is read from.
    pub sources: Vec<Source>,
    /// What runs before its loops.
    pub prelude: Block,
    /// Inside of a parallel loop, what each task declares for itself.
    pub scratch: Option<Block>,
    /// While a value is lowered, the conditions of its selections that are computed already, where they hold selections themselves.
    pub conditions: Option<Vec<(Expr, Var)>>,
}

impl<'k> Deref for Lower<'k> {
    type Target = Facts<'k>;

    fn deref(&self) -> &Facts<'k> {
        &self.facts
    }
}

impl DerefMut for Lower<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.facts
    }
}

impl<'k> Lower<'k> {
    pub fn new(
        kernel: &'k Kernel,
        plan: &'k Statement,
        (vars, functions): (Vars, Vec<ir::Foreign>),
        stores: Vec<Option<Storage>>,
    ) -> Lower<'k> {
        Lower {
            facts: Facts::before(kernel, plan),
            plan,
            vars,
            functions,
            stores,
            extents: BTreeMap::new(),
            sources: Vec::new(),
            prelude: Block::new(),
            scratch: None,
            conditions: None,
        }
    }

    /// Sets where a tensor is stored from here on.
    pub fn store(&mut self, id: TensorId, storage: Storage) {
        self.facts.kept[id.0] = Some(storage.kept());
        self.stores[id.0] = Some(storage);
    }

    /// Sets that a consumer reads a workspace from `source`.
    pub fn read_workspace(
        &mut self,
        consumer: &crate::notation::concrete::Stmt,
        id: TensorId,
        known: &Known,
        source: &Source,
    ) {
        self.facts.read_from(consumer, id, known, |indices| match source {
            Source::Levels(levels) => From::Levels(Arc::new(levels.form()), indices.to_vec()),
            Source::Marked(..) => From::Written,
            Source::Unmade => From::Unmade,
        });
        self.sources.resize(self.facts.operands.len(), Source::Unmade);
        let reads = |access: &Access| access.tensor == id;
        for (at, reading) in self.facts.operands.iter().enumerate().filter(|(_, reading)| reads(&reading.access)) {
            if !matches!(reading.from, From::Unmade) {
                self.sources[at] = source.clone();
            }
        }
    }

    /// The levels that an operand is read from, if it is read from levels.
    pub fn levels_of(&self, at: usize) -> Option<Arc<Levels>> {
        match &self.sources[at] {
            Source::Levels(levels) => Some(levels.clone()),
            Source::Marked(..) | Source::Unmade => None,
        }
    }

    /// What the tensor of an operand is called in generated code.
    pub fn tensor_name(&self, at: usize) -> String {
        super::storage::prefix(&self.kernel.tensor(self.operands[at].access.tensor).name)
    }

    /// What an index is called in generated code.
    pub fn index_name(&self, index: Index) -> String {
        self.kernel.indices[index.0].to_lowercase()
    }

    /// How many coordinates the tensors have along an index.
    pub fn extent(&self, index: Index) -> Code {
        self.extents[&index].clone()
    }
}

impl Levels {
    /// What the plan needs to know of the levels.
    pub fn form(&self) -> Form {
        let step = |window: &Option<Window>| window.as_ref().map(|window| window.step);
        Form { format: self.format.clone(), steps: self.windows.iter().map(step).collect() }
    }
}

/// How many places there are in an array of this shape.
pub(super) fn size(shape: impl IntoIterator<Item = Code>) -> Code {
    shape.into_iter().reduce(|a, b| a * b).unwrap_or(ir::usize(1))
}

/// The position of coordinates in an array of values.
pub(super) fn row_major(shape: &[Code], coords: &[Code]) -> Code {
    let mut places = shape.iter().zip(coords);
    let first = places.next().map_or(ir::usize(0), |(_, c)| c.clone());
    places.fold(first, |at, (extent, c)| at * extent.clone() + c.clone())
}
