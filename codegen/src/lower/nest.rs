//! What is known while a statement is lowered: which loops run, and how far operands have been followed.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::stored::{Marks, Storage};
use crate::ir::{self, Block, Expr as Code, Var, Vars};
use crate::notation::ast::Literal;
use crate::notation::concrete::{Access, Expr, Index, Kernel, TensorId};
use crate::notation::presence::{Presence, presence};
use crate::plan::{Origin, Read, Reading, Statement, Tests};
use crate::tensor::{Found, Levels, Pos, prefix};

/// What an operand is read from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// Level by level.
    Levels(Arc<Levels>),
    /// The list of what was written to a workspace.
    Marked(Var, Marks),
    /// What was written to a workspace, sorted and added up: ascending coordinates, and a value for each.
    Listed { coords: Var, vals: Var },
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
    /// The variable that tells whether there is an entry, if that is found out at run time. Where it is false, `pos` must not be read.
    pub flag: Option<Var>,
}

/// What is known at some place in the loops.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// The values of the indices of the loops around.
    pub indices: BTreeMap<Index, Code>,
    /// Where the operands have been followed to.
    pub places: BTreeMap<usize, At>,
    /// For results that are stored like an operand: the position of the entry that the loops are at.
    pub entries: BTreeMap<TensorId, Code>,
    /// What was found of sparse tensors at computed coordinates.
    pub looked_up: Vec<(Access, Found)>,
    /// Conditions that are known to hold.
    pub holds: Vec<Code>,
    /// What the loop that is about to be made counts its iterations in.
    pub counts: Option<Var>,
    /// How the assignment that is lowered reads its accesses.
    pub reads: Arc<Vec<Read>>,
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
    }

    /// The value of an operand has been tested; a flag keeps the answer, or there is an entry.
    pub fn test(&mut self, at: usize, flag: Option<Var>) {
        let place = self.at(at);
        self.places.insert(at, At { flag, ..place });
    }

    /// What was found where an access is looked up.
    pub fn looked_up(&self, access: &Access) -> Option<Found> {
        self.looked_up.iter().find(|(known, _)| known == access).map(|(_, found)| *found)
    }

    /// How an access of the assignment is read.
    pub fn read(&self, access: &Access) -> &Read {
        Read::of(access, &self.reads)
    }

    /// The constant value of an expression where it is computed from no entry; `None` if that never happens, or is known before the kernel
    /// runs.
    pub fn absent_value(&self, expr: &Expr) -> Option<Literal> {
        match presence(expr, &mut Tests(&self.reads)) {
            (Presence::When(()), absent) => absent,
            _ => None,
        }
    }

    /// The flag that says whether an access has an entry; `None` for a scalar, and where no flag is needed.
    pub fn operand_flag(&self, access: &Access) -> Option<Var> {
        match (self.looked_up(access), self.read(access).from) {
            (Some(found), _) => Some(found.flag),
            (None, Origin::Operand(at)) => self.at(at).flag,
            (None, _) => None,
        }
    }

    /// The value of an index.
    pub fn index(&self, index: Index) -> Code {
        self.indices[&index].clone()
    }
}

/// Lowers a statement.
pub(super) struct Lower<'k> {
    pub kernel: &'k Kernel,
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

impl<'k> Lower<'k> {
    /// Sets where a tensor is stored from here on.
    pub fn store(&mut self, id: TensorId, storage: Storage) {
        self.stores[id.0] = Some(storage);
    }

    /// Sets what a workspace is read from.
    pub fn read_workspace(&mut self, id: TensorId, source: &Source) {
        for (own, reading) in self.sources.iter_mut().zip(&self.plan.readings) {
            if reading.access.tensor == id {
                *own = source.clone();
            }
        }
    }

    /// How an operand is read.
    pub fn reading(&self, at: usize) -> &'k Reading {
        &self.plan.readings[at]
    }

    /// The levels that an operand is read from, if it is read from levels.
    pub fn levels_of(&self, at: usize) -> Option<Arc<Levels>> {
        match &self.sources[at] {
            Source::Levels(levels) => Some(levels.clone()),
            Source::Marked(..) | Source::Listed { .. } | Source::Unmade => None,
        }
    }

    /// What the tensor of an operand is called in generated code.
    pub fn tensor_name(&self, at: usize) -> String {
        prefix(&self.kernel.tensor(self.reading(at).access.tensor).name)
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
