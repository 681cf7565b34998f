//! Workspaces: what the right side of a `where` fills and the left side reads.
//!
//! ```text
//! scalar    one value, and whether anything was written to it
//! dense     a value for every coordinate
//! listed    the same, with a list of the coordinates that were written
//! sorted    a list of what was written, sorted and added up before it is read
//! ```
//!
//! A listed workspace takes memory by its extent. Where no tensor of the statement does, there may be far more coordinates than
//! entries: the extent and the number of entries then decide at run time between a listed and a sorted workspace.

use std::rc::Rc;

use super::list::List;
use super::nest::{Lower, Marks, Operand, Source, State, Storage};
use super::operand::reads_of;
use super::storage::{literal, scalar};
use super::value::fold;
use super::{Stopped, unsupported};
use crate::format::FormatLevel;
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt, Type, Var};
use crate::notation::ast::ValueType;
use crate::notation::concrete::{Access, Expr, Index, Operator, Reduction, Role, Stmt, TensorId, number};

/// Coordinates for each entry of the operands up to which a workspace takes memory by its extent.
const WIDE: usize = 16;

/// Coordinates up to which it does so in any case.
const NARROW: usize = 1 << 18;

/// A workspace that may have far more coordinates than entries.
pub(super) struct Wide {
    id: TensorId,
    index: Index,
    /// How the producer folds into it.
    reduce: Reduction,
    extent: Code,
    /// Whether its extent is in proportion to the entries of the operands.
    fits: Code,
    name: String,
}

/// Workspaces, as they are made.
pub(super) struct Made {
    /// Declares what lives for one producer and its consumer.
    block: Block,
    /// Clears them for the next producer.
    clear: Block,
    /// Those that remember where something was written, with their values.
    pub marked: Vec<(TensorId, Var, Marks)>,
}

impl Lower<'_> {
    pub(super) fn where_(&mut self, consumer: &Stmt, producer: &Stmt, state: &State) -> Result<Block, Stopped> {
        if self.nothing_to_do(producer, state, &[]) {
            // Where operands are missing, there may be nothing to put into the workspace at all.
            let mut without = state.clone();
            without.gone.extend(producer.written());
            return self.stmt(consumer, &without);
        }
        let Some(wide) = self.may_be_wide(consumer, producer, state) else {
            return self.listed(consumer, producer, None, state);
        };
        let fits = self.vars.fresh(format!("{}_fits", wide.name), Scalar::Bool);
        self.declare(IrStmt::Let(fits, wide.fits.clone()));
        let within = self.listed(consumer, producer, Some(fits), state)?;
        let beyond = self.sorted_workspace(consumer, producer, &wide, state)?;
        Ok(IrStmt::either(fits.into(), within, beyond).into())
    }

    /// A producer and its consumer, with a workspace that takes memory by its extent; none if `fits` is given and does not hold.
    fn listed(&mut self, consumer: &Stmt, producer: &Stmt, fits: Option<Var>, state: &State) -> Result<Block, Stopped> {
        let Made { mut block, clear, marked } = self.make_workspaces(consumer, producer, fits, state);
        block.append(self.stmt(producer, state)?);
        for (id, vals, marks) in marked {
            block.push(IrStmt::Sort { array: marks.list, lo: ir::usize(0), hi: ir::len(marks.list), keys: None });
            self.read_from(consumer, id, |_| Source::Marked(vals, marks), state);
        }
        block.append(self.stmt(consumer, state)?);
        block.append(clear);
        Ok(block)
    }

    /// Makes places for what a producer writes.
    pub(super) fn make_workspaces(
        &mut self,
        consumer: &Stmt,
        producer: &Stmt,
        fits: Option<Var>,
        state: &State,
    ) -> Made {
        let mut block = Block::new();
        let mut clear = Block::new();
        let mut marked = Vec::new();
        for id in producer.written() {
            let tensor = self.kernel.tensor(id).clone();
            if tensor.role != Role::Workspace {
                continue;
            }
            self.forget(id);
            let own = scalar(tensor.value);
            let fill = literal(tensor.fill, own);
            let sparse = self.is_listed(consumer, id, state);
            let prefix = super::storage::prefix(&tensor.name);
            if tensor.rank == 0 {
                let var = self.vars.fresh(prefix.clone(), own);
                block.push(IrStmt::Let(var, fill));
                let remembers = consumer.written().iter().any(|w| self.is_sparse(*w)) || annihilates(consumer, id);
                let flag = remembers.then(|| {
                    let flag = self.vars.fresh(format!("{prefix}_set"), Scalar::Bool);
                    block.push(IrStmt::Let(flag, ir::bool(false)));
                    flag
                });
                self.stores[id.0] = Some(Storage::Scalar { var, flag });
                continue;
            }
            let mut indices = None;
            producer.assigns(&mut |assign| {
                if assign.target.tensor == id {
                    indices = Some(assign.target.indices.clone());
                }
            });
            let shape: Vec<Code> =
                indices.unwrap_or_default().iter().map(|index| self.extents[index].clone()).collect();
            let vals = self.vars.fresh(prefix.clone(), Type::vec(own));
            let len = shape.iter().cloned().reduce(|a, b| a * b).unwrap_or(ir::usize(1));
            let len = fits.map_or(len.clone(), |fits| Code::Var(fits).select(len, ir::usize(0)));
            self.declare(IrStmt::NewArray { var: vals, len: len.clone(), fill: fill.clone() });
            let marks = (tensor.rank == 1 && sparse).then(|| {
                let set = self.vars.fresh(format!("{prefix}_set"), Type::vec(Scalar::Bool));
                let list = self.vars.fresh(format!("{prefix}_list"), Type::vec(Scalar::Usize));
                self.declare(IrStmt::NewArray { var: set, len: len.clone(), fill: ir::bool(false) });
                self.declare(IrStmt::NewVec { var: list, capacity: None });
                Marks { set, list }
            });
            if let Some(marks) = marks {
                let q = self.vars.fresh("q", Scalar::Usize);
                let forget = IrStmt::Store(marks.set, ir::load(marks.list, q), ir::bool(false));
                clear.push(IrStmt::count(q, ir::usize(0), ir::len(marks.list), forget));
                clear.push(IrStmt::Resize { array: marks.list, len: ir::usize(0), fill: ir::usize(0) });
                marked.push((id, vals, marks));
            } else if !state.path.is_empty() {
                // It is left as it was found: the next one finds it clean.
                clear.push(IrStmt::Fill { array: vals, lo: ir::usize(0), hi: len, value: fill });
            }
            self.stores[id.0] = Some(Storage::Dense { shape, vals, marks });
        }
        Made { block, clear, marked }
    }

    /// Forgets where a workspace was read from: another case of the loops around may have made it in another way.
    fn forget(&mut self, id: TensorId) {
        for operand in self.operands.iter_mut().filter(|operand| operand.access.tensor == id) {
            operand.source = Source::Unmade;
        }
    }

    /// Has a consumer read a workspace from `source`, which is given the indices of an access.
    pub(super) fn read_from(
        &mut self,
        consumer: &Stmt,
        id: TensorId,
        source: impl Fn(&[Index]) -> Source,
        state: &State,
    ) {
        let mut found = Vec::new();
        reads_of(consumer, id, &mut state.path.clone(), &mut found);
        for (access, path) in found {
            let order = Self::order_of(&access, &path);
            let source = source(&access.indices);
            match self.operands.iter_mut().find(|known| known.access == access && known.order == order) {
                Some(known) => known.source = source,
                None => self.operands.push(Operand { access, order, source, drives: false }),
            }
        }
    }

    /// The workspace that a producer fills, if there may be far more coordinates in it than entries: it has one index, the consumer
    /// reads what was written to it only, and no tensor of the two keeps anything for coordinates without an entry.
    pub(super) fn may_be_wide(&self, consumer: &Stmt, producer: &Stmt, state: &State) -> Option<Wide> {
        let written = producer.written();
        let [id] = written[..] else { return None };
        let tensor = self.kernel.tensor(id);
        let plain = tensor.role == Role::Workspace && tensor.rank == 1 && tensor.value != ValueType::Pattern;
        if !plain || self.scratch.is_some() || !self.is_listed(consumer, id, state) {
            return None;
        }
        let mut ways: Vec<(Index, Option<Reduction>)> = Vec::new();
        let (mut accesses, mut own) = (Vec::new(), false);
        for part in [producer, consumer] {
            part.assigns(&mut |assign| {
                if assign.target.tensor == id {
                    ways.push((assign.target.indices[0], assign.reduce));
                    assign.reads(&mut |access| own |= access.tensor == id);
                }
                accesses.push(assign.target.clone());
                assign.reads(&mut |access| accesses.push(access.clone()));
            });
        }
        let (index, Some(reduce)) = *ways.first()? else { return None };
        let kept = |level: &FormatLevel| level.properties.full;
        let dense = |access: &Access| {
            let format = self.kernel.tensor(access.tensor).format.as_ref();
            access.tensor != id && format.is_some_and(|format| format.levels.iter().any(kept))
        };
        if own || ways.iter().any(|way| *way != ways[0]) || accesses.iter().any(dense) {
            return None;
        }
        let mut entries = None;
        let mut counted: Vec<TensorId> = Vec::new();
        let stored = |access: &&Access| self.kernel.tensor(access.tensor).role != Role::Workspace;
        for access in accesses.iter().filter(stored) {
            let Some(Storage::Levels(levels)) = &self.stores[access.tensor.0] else { continue };
            let crd = levels.fields.last().and_then(|fields| fields.get("crd").copied());
            let Some(array) = levels.vals.or(crd).filter(|_| !counted.contains(&access.tensor)) else { continue };
            counted.push(access.tensor);
            entries = Some(entries.map_or(ir::len(array), |entries: Code| entries + ir::len(array)));
        }
        let most = match entries {
            Some(entries) => (entries * ir::usize(WIDE)).max(ir::usize(NARROW)),
            None => ir::usize(NARROW * WIDE),
        };
        let extent = self.extents[&index].clone();
        let fits = !most.less(extent.clone());
        Some(Wide { id, index, reduce, extent, fits, name: super::storage::prefix(&tensor.name) })
    }

    /// A producer and its consumer, with a list of what was written that is sorted and added up in between.
    fn sorted_workspace(
        &mut self,
        consumer: &Stmt,
        producer: &Stmt,
        wide: &Wide,
        state: &State,
    ) -> Result<Block, Stopped> {
        let (value, fill) = (self.kernel.tensor(wide.id).value, self.kernel.tensor(wide.id).fill);
        let own = scalar(value);
        let mut block = Block::new();
        let list = List::declare(&mut self.vars, &mut block, &wide.name, 1, Some(own));
        self.forget(wide.id);
        self.stores[wide.id.0] = Some(Storage::List(list.clone()));
        block.append(self.stmt(producer, state)?);
        let (format, shape) = (self.compressed(&[wide.index]), vec![wide.extent.clone()]);
        let sum = fold(wide.reduce, own);
        let made = list.finish(&mut self.vars, &mut block, &wide.name, &format, shape, value, fill, sum);
        let (levels, _) = made.map_err(|_| unsupported(self.span, "this workspace cannot be sorted"))?;
        let levels = Rc::new(levels);
        self.stores[wide.id.0] = Some(Storage::Levels(levels.clone()));
        self.read_from(consumer, wide.id, |indices| Source::Levels(levels.clone(), indices.to_vec()), state);
        block.append(self.stmt(consumer, state)?);
        Ok(block)
    }

    /// Whether a consumer reads only what was written to a workspace, so that a list of it is kept.
    pub(super) fn is_listed(&self, consumer: &Stmt, id: TensorId, state: &State) -> bool {
        self.nothing_to_do(consumer, state, &[id]) && consumer.written().iter().any(|w| self.is_sparse(*w))
    }

    /// Declares what lives as long as the statement or, in a parallel loop, as long as the task.
    fn declare(&mut self, stmt: IrStmt) {
        match &mut self.scratch {
            Some(scratch) => scratch.push(stmt),
            None => self.prelude.push(stmt),
        }
    }
}

/// Whether a workspace stands in an operation that its fill annihilates by definition, and not by the numbers: nothing times
/// `second` is nothing, but the second of 0 and 1 is 1.
fn annihilates(consumer: &Stmt, id: TensorId) -> bool {
    fn uses(expr: &Expr, id: TensorId) -> bool {
        let mut uses = false;
        expr.accesses(&mut |access| uses |= access.tensor == id);
        uses
    }
    fn go(expr: &Expr, id: TensorId) -> bool {
        let Expr::Apply(op, args) = expr else { return false };
        let declared = match op {
            Operator::Times(semiring) => {
                let zero = number(semiring.zero);
                !(semiring.times == Operator::Mul && zero == 0.0
                    || semiring.times == Operator::Add && zero.is_infinite())
            }
            Operator::Function(function) => function.annihilator.is_some(),
            _ => false,
        };
        declared && uses(expr, id) || args.iter().any(|arg| go(arg, id))
    }
    let mut found = false;
    consumer.assigns(&mut |assign| found |= go(&assign.value, id));
    found
}
