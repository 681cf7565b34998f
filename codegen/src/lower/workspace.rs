//! Workspaces, as `crate::plan` has chosen them: scalars, arrays, arrays with a list of what was written, and sorted lists.

use std::sync::Arc;

use super::nest::{Lower, Source, State};
use super::stored::{Marks, Storage};
use crate::convert::list::List;
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt, Type, Var};
use crate::notation::concrete::TensorId;
use crate::plan::{Where, Wide, Workspace};
use crate::tensor::{Levels, fold, literal, prefix, scalar, size};

/// A workspace takes memory by its extent if that has at most this many coordinates for each entry and each row of the operands.
const WIDE: usize = 16;

/// A workspace with an extent up to this takes memory by it in any case.
const NARROW: usize = 1 << 18;

/// Workspaces, as they are made.
#[derive(Default)]
struct Made {
    /// Declares what lives for one producer and its consumer.
    block: Block,
    /// Clears them for the next producer.
    clear: Block,
    /// Those that remember where something was written, with their values.
    marked: Vec<(TensorId, Var, Marks)>,
}

impl Lower<'_> {
    pub(super) fn where_(&mut self, one: &Where, state: &State) -> Block {
        let Some(wide) = &one.wide else { return self.listed(one, None, state) };
        let fits = self.vars.fresh(format!("{}_fits", prefix(&self.kernel.tensor(wide.id).name)), Scalar::Bool);
        let condition = self.fits(wide);
        self.declare(IrStmt::Let(fits, condition));
        let within = self.listed(one, Some(fits), state);
        let beyond = self.sorted_workspace(one, wide, state);
        IrStmt::either(fits.into(), within, beyond).into()
    }

    /// A producer and its consumer, with a workspace that takes memory by its extent. If `fits` is given and does not hold, this code does
    /// not run, and the workspace takes no memory.
    fn listed(&mut self, one: &Where, fits: Option<Var>, state: &State) -> Block {
        let mut made = Made::default();
        for workspace in &one.workspaces {
            if self.kernel.tensor(workspace.id).rank == 0 {
                self.make_scalar(workspace, &mut made);
            } else {
                self.make_array(workspace, fits, state, &mut made);
            }
        }
        let Made { mut block, clear, marked } = made;
        block.append(self.node(&one.producer, state));
        for (id, vals, marks) in marked {
            block.push(IrStmt::Sort { array: marks.list, lo: ir::usize(0), hi: ir::len(marks.list), keys: Vec::new() });
            self.read_workspace(id, &Source::Marked(vals, marks));
        }
        block.append(self.node(&one.read, state));
        block.append(clear);
        block
    }

    fn make_scalar(&mut self, workspace: &Workspace, made: &mut Made) {
        let tensor = self.kernel.tensor(workspace.id);
        let (own, name) = (scalar(tensor.value), prefix(&tensor.name));
        let var = self.vars.fresh(name.clone(), own);
        made.block.push(IrStmt::Let(var, literal(tensor.fill, own)));
        let flag = workspace.remembers.then(|| {
            let flag = self.vars.fresh(format!("{name}_set"), Scalar::Bool);
            made.block.push(IrStmt::Let(flag, ir::bool(false)));
            flag
        });
        self.store(workspace.id, Storage::Scalar { var, flag });
    }

    fn make_array(&mut self, workspace: &Workspace, fits: Option<Var>, state: &State, made: &mut Made) {
        let tensor = self.kernel.tensor(workspace.id);
        let (own, name) = (scalar(tensor.value), prefix(&tensor.name));
        let fill = literal(tensor.fill, own);
        let shape: Vec<Code> = workspace.indices.iter().map(|&index| self.extent(index)).collect();
        let vals = self.vars.fresh(name.clone(), Type::vec(own));
        let len = size(shape.clone());
        let len = fits.map_or(len.clone(), |fits| Code::Var(fits).select(len, ir::usize(0)));
        self.declare(IrStmt::NewArray { var: vals, len: len.clone(), fill: fill.clone() });
        let marks = workspace.remembers.then(|| {
            let set = self.vars.fresh(format!("{name}_set"), Type::vec(Scalar::Bool));
            let list = self.vars.fresh(format!("{name}_list"), Type::vec(Scalar::Usize));
            self.declare(IrStmt::NewArray { var: set, len: len.clone(), fill: ir::bool(false) });
            self.declare(IrStmt::NewVec { var: list, capacity: None });
            Marks { set, list }
        });
        if let Some(marks) = marks {
            let q = self.vars.fresh("q", Scalar::Usize);
            let forget = IrStmt::Store(marks.set, ir::load(marks.list, q), ir::bool(false));
            made.clear.push(IrStmt::count(q, ir::usize(0), ir::len(marks.list), forget));
            made.clear.push(IrStmt::Resize { array: marks.list, len: ir::usize(0), fill: ir::usize(0) });
            made.marked.push((workspace.id, vals, marks));
        } else if !state.indices.is_empty() {
            // The array outlives the `where`: the next time around, it has to be clean again.
            made.clear.push(IrStmt::Fill { array: vals, lo: ir::usize(0), hi: len, value: fill });
        }
        self.store(workspace.id, Storage::Dense { shape, vals, marks });
    }

    /// Whether the extent of a workspace is in proportion to what the tensors of the statement hold: their entries, and the rows of those
    /// that keep something for each.
    fn fits(&self, wide: &Wide) -> Code {
        let levels_of = |id: &TensorId| match &self.stores[id.0] {
            Some(Storage::Levels(levels)) => Some(levels),
            _ => None,
        };
        let rows = |levels: &Arc<Levels>| {
            let one_each =
                levels.format.levels[0].properties.full && levels.vals.is_none_or(|_| levels.fields.len() > 1);
            one_each.then(|| levels.extents[0].clone())
        };
        let levels: Vec<_> = wide.tensors.iter().filter_map(levels_of).collect();
        let counted: Vec<Code> = levels.iter().filter_map(|levels| levels.entries()).collect();
        // Where no tensor tells how many entries it has, there may be many.
        let least = if counted.is_empty() { NARROW * WIDE } else { NARROW };
        let held = counted.into_iter().chain(levels.into_iter().filter_map(rows)).reduce(|a, b| a + b);
        let most = held.map_or(ir::usize(least), |held| (held * ir::usize(WIDE)).max(ir::usize(least)));
        self.extent(wide.index).less_equal(most)
    }

    /// A producer and its consumer, with a list of what was written that is sorted and added up in between.
    fn sorted_workspace(&mut self, one: &Where, wide: &Wide, state: &State) -> Block {
        let tensor = self.kernel.tensor(wide.id);
        let (name, own) = (prefix(&tensor.name), scalar(tensor.value));
        let mut block = Block::new();
        let list = List::declare(&mut self.vars, &mut block, &name, 1, Some(own));
        self.store(wide.id, Storage::List(list.clone()));
        block.append(self.node(&one.producer, state));
        let (coords, vals) = list.sorted(&mut self.vars, &mut block, &name, &list.coords, fold(wide.reduce, own));
        let (coords, vals) = (coords[0], vals.expect("a workspace has values"));
        self.read_workspace(wide.id, &Source::Listed { coords, vals });
        block.append(self.node(&one.read, state));
        block
    }

    /// Declares what lives as long as the statement or, in a parallel loop, as long as the task.
    fn declare(&mut self, stmt: IrStmt) {
        match &mut self.scratch {
            Some(scratch) => scratch.push(stmt),
            None => self.prelude.push(stmt),
        }
    }
}
