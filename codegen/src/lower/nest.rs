//! What is known while a statement is lowered: where tensors lie, which loops run, how far operands have been followed.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::Stopped;
use super::access::row_major;
use super::list::List;
use super::shaped::Shaped;
use super::storage::{Levels, Pos};
use super::view::Viewed;
use crate::diagnostic::Span;
use crate::ir::{Block, Expr as Code, Var, Vars};
use crate::notation::algebra::{Presence, assigns_nothing, changes_nothing, simplify};
use crate::notation::concrete::*;
use crate::notation::type_of;
use crate::plan::{self, Followed, Known};

/// Where a tensor lies.
#[derive(Clone, Debug)]
pub(super) enum Storage {
    /// A scalar; `flag` tells whether anything was written to it.
    Scalar { var: Var, flag: Option<Var> },
    /// Levels.
    Levels(Rc<Levels>),
    /// A dense workspace in row-major order.
    Dense { shape: Vec<Code>, vals: Var, marks: Option<Marks> },
    /// A sparse result under collection.
    List(List),
    /// A sparse result whose entries come in its own order.
    Append(Append),
    /// A sparse result with the levels of an operand.
    Shaped(Shaped),
    /// Places of a tensor that holds a value everywhere.
    Viewed(Rc<Viewed>),
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
/// An entry of a compressed level that has others below is appended behind them, if there are any.
#[derive(Clone, Debug)]
pub(super) struct Append {
    pub pos: Var,
    pub crd: Var,
    /// The compressed levels above the last one, outermost first.
    pub outer: Vec<Listed>,
    /// Dense levels below the last compressed one.
    pub tail: Option<Box<Tail>>,
    pub vals: Option<Var>,
    /// The extents of the dense levels, outermost first.
    pub extents: Vec<Code>,
    /// The indices that they keep.
    pub rows: Vec<Index>,
    /// Whether some rows may be left out, and so have no end of their own.
    pub gaps: bool,
    /// The index that the compressed level keeps.
    pub last: usize,
    /// What an assignment to it does.
    pub phase: Phase,
}

/// Dense levels below a compressed one, under assembly: each entry of that one gets a block of values.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    /// The extents of the levels, outermost first.
    pub extents: Vec<Code>,
    /// Which indices they keep.
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
        self.outer.first().map_or((self.pos, self.crd), |level| (level.pos, level.crd))
    }

    /// The same for compressed level number `at` below the dense ones.
    pub fn level(&self, at: usize) -> (Var, Var) {
        self.outer.get(at).map_or((self.pos, self.crd), |level| (level.pos, level.crd))
    }

    /// Whether the loops around stand for an entry of the last compressed level, `index` the one that it keeps.
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

/// How far the assembly of an appended result is: a parallel loop counts the entries of each row first, and fills them in a
/// second time around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Entries are appended.
    Append,
    /// They are counted.
    Count,
    /// They are put in their place, which this variable holds.
    Fill(Var),
    /// They are all there.
    Filled,
}

/// How an access is read while loops run.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub access: Access,
    /// The loops over its indices, outermost first, as they stand around the assignment.
    pub order: Vec<Index>,
    pub source: Source,
    /// Whether it drives a statement and is read in the order of its storage. No other statement uses this reading.
    pub drives: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Source {
    /// Level by level; each level with the index it keeps.
    Levels(Rc<Levels>, Vec<Index>),
    /// The list of what was written to a workspace.
    Marked(Var, Marks),
    /// A workspace that has not been made yet.
    Unmade,
}

/// What is known of an operand at some place in the loops.
#[derive(Clone, Debug)]
pub(super) struct Reached {
    /// Levels that have been resolved.
    pub depth: usize,
    pub pos: Pos,
    pub above: Vec<Code>,
    pub absent: bool,
    /// Where it is found out at run time whether there is an entry: the variable that tells. What else is known of it holds if so.
    pub flag: Option<Var>,
}

/// What is known at some place in the loops.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub indices: BTreeMap<Index, Code>,
    /// The loops around, outermost first.
    pub path: Vec<Index>,
    pub operands: BTreeMap<usize, Reached>,
    /// Workspaces that nothing is written to here.
    pub gone: Vec<TensorId>,
    /// Where the entries of results lie that are stored like an operand.
    pub entries: BTreeMap<TensorId, Code>,
    /// Operands whose values have been found to be entries.
    pub told: Vec<usize>,
    /// Conditions that are known to hold.
    pub holds: Vec<Code>,
    /// The operand that drives the statement.
    pub driver: Option<usize>,
    /// What the loop that is about to be made counts its iterations in.
    pub counts: Option<Var>,
}

/// Lowers the statements of one kernel.
#[derive(Clone)]
pub(super) struct Lower<'k> {
    pub kernel: &'k Kernel,
    pub vars: Vars,
    pub stores: Vec<Option<Storage>>,
    /// Tensors that an earlier statement wrote.
    pub written: BTreeSet<TensorId>,
    /// How far the indices of the current statement run.
    pub extents: BTreeMap<Index, Code>,
    pub operands: Vec<Operand>,
    /// What has been decided for the current statement.
    pub plan: plan::Statement,
    /// Where the statement stands.
    pub span: Span,
    /// Cases of loops that the current statement has been taken apart into.
    pub cases: usize,
    /// Statements that run before the current one.
    pub prelude: Block,
    /// Inside of a parallel loop, what each task declares for itself.
    pub scratch: Option<Block>,
    /// Whether a parallel loop is tried that nobody has asked for.
    pub automatic: bool,
}

impl Lower<'_> {
    /// What is known at some place, as the plan names it.
    pub(super) fn known(&self, state: &State) -> Known {
        let followed = |(&operand, reached): (&usize, &Reached)| Followed {
            operand,
            depth: reached.depth,
            absent: reached.absent,
            flagged: reached.flag.is_some(),
            asked: state.told.contains(&operand),
        };
        let anything = |one: &Followed| one.depth > 0 || one.absent || one.flagged || one.asked;
        Known {
            path: state.path.clone(),
            operands: state.operands.iter().map(followed).filter(anything).collect(),
            gone: state.gone.clone(),
            driver: state.driver,
            counting: state.counts.is_some(),
        }
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt, state: &State) -> Result<Block, Stopped> {
        if state.path.is_empty()
            && let Some(driven) = self.driven_of(stmt)
        {
            return self.driven(&driven);
        }
        match stmt {
            Stmt::Assign(assign) => self.assign(assign, state),
            Stmt::Forall { index, parallel: true, body, span } => self.parallel(*index, body, *span, state),
            Stmt::Forall { index, body, span, .. } => {
                if state.path.is_empty()
                    && let Some(block) = self.automatic(*index, body, *span, state)?
                {
                    return Ok(block);
                }
                self.forall(*index, body, state)
            }
            Stmt::Where { consumer, producer } => self.where_(consumer, producer, state),
            Stmt::Sequence(parts) => {
                let mut block = Block::new();
                for part in parts {
                    block.append(self.stmt(part, state)?);
                }
                Ok(block)
            }
        }
    }

    /// What an assignment comes to where operands are present as `state` says; `None` if nothing is to be done.
    pub(super) fn effect(&self, assign: &Assign, state: &State, gone: &[TensorId]) -> Option<Expr> {
        let presence = |access: &Access| self.presence(access, state, gone);
        let tensor = self.kernel.tensor(assign.target.tensor);
        let fresh = !matches!(tensor.role, Role::Param | Role::View) && !self.written.contains(&assign.target.tensor);
        if let Some(mask) = &assign.mask
            && presence(&mask.access) == if mask.negated { Presence::Present } else { Presence::Absent }
        {
            return None;
        }
        let value = simplify(&assign.value, &presence);
        if let Expr::Literal(constant) = value {
            let ty = type_of(&assign.value, &self.kernel.tensors).map_or(tensor.value, |ty| ty.join(tensor.value));
            let zero = assign.over.as_ref().map(|semiring| semiring.zero);
            let nothing = match assign.reduce {
                Some(reduce) => changes_nothing(reduce, zero, constant, ty),
                None => fresh && assigns_nothing(zero, constant, ty, tensor.fill, tensor.value),
            };
            if nothing {
                return None;
            }
        }
        Some(value)
    }

    pub(super) fn nothing_to_do(&self, stmt: &Stmt, state: &State, gone: &[TensorId]) -> bool {
        match stmt {
            Stmt::Assign(assign) => self.effect(assign, state, gone).is_none(),
            Stmt::Forall { index, body, .. } => {
                // Accesses are known by the loops around them.
                let mut inside = state.clone();
                inside.path.push(*index);
                self.nothing_to_do(body, &inside, gone)
            }
            Stmt::Where { consumer, producer } => {
                if self.nothing_to_do(producer, state, gone) {
                    let gone = [gone, &producer.written()].concat();
                    return self.nothing_to_do(consumer, state, &gone);
                }
                self.nothing_to_do(consumer, state, gone)
            }
            Stmt::Sequence(parts) => parts.iter().all(|part| self.nothing_to_do(part, state, gone)),
        }
    }

    pub(super) fn is_sparse(&self, id: TensorId) -> bool {
        matches!(self.stores[id.0], Some(Storage::List(_) | Storage::Append(_)))
            || matches!(
                self.stores[id.0],
                Some(Storage::Dense { marks: Some(_), .. } | Storage::Scalar { flag: Some(_), .. })
            )
    }
}
