//! Operands: what each access is read from, sorted first where the plan says so, and how its levels are walked.

use std::sync::Arc;

use super::nest::{Lower, Source, State};
use super::stored::{Marks, Storage};
use crate::convert::reordered::{Picked, Reordered, picked};
use crate::format::Format;
use crate::ir::{self, Block, Expr as Code, Stmt};
use crate::level::Walk;
use crate::notation::concrete::{Access, Index, TensorId};
use crate::plan::From;
use crate::tensor::{Cursor, Levels, Row, prefix};

impl Lower<'_> {
    /// Finds what each operand of the statement is read from. Workspaces are made later.
    pub(super) fn read_operands(&mut self) {
        self.sources.clear();
        for reading in &self.plan.readings {
            let source = match (&self.stores[reading.access.tensor.0], &reading.from) {
                (Some(Storage::Levels(levels)), From::Levels(form, _)) if reading.sorted => {
                    let levels = levels.clone();
                    Source::Levels(self.sorted(&levels, &reading.access, &reading.order, &form.format))
                }
                (Some(Storage::Levels(levels)), From::Levels(..)) => Source::Levels(levels.clone()),
                _ => Source::Unmade,
            };
            self.sources.push(source);
        }
    }

    /// The operand sorted by the order of the loops, as levels of `format`.
    fn sorted(&mut self, levels: &Levels, access: &Access, order: &[Index], format: &Format) -> Arc<Levels> {
        let tensor = self.kernel.tensor(access.tensor);
        let suffix: String = order.iter().map(|index| self.index_name(*index)).collect();
        let (name, names) = (format!("{}_{suffix}", prefix(&tensor.name)), self.index_names(access));
        let of: Vec<String> = order.iter().map(|index| self.kernel.indices[index.0].clone()).collect();
        let comment = format!("{} in the order {}", self.kernel.show_access(access), of.join(", "));
        let shape = order.iter().map(|&index| self.extent(index)).collect();
        let (format, fill) = (format.clone(), tensor.fill);
        let copy = Reordered { from: levels, names: &names, fill, name: &name, format, shape };
        self.copied(comment, copy, &|coords| picked(access, order, coords))
    }

    /// A copy of a sparse tensor in the order of its indices, in which coordinates can be searched.
    pub(super) fn searchable(&mut self, levels: &Levels, of: TensorId) -> Arc<Levels> {
        let (tensor, indices) = (self.kernel.tensor(of), &levels.format.indices);
        let comment = format!("{} in the order {}", tensor.name, indices.join(", "));
        let (name, format) = (format!("{}_sorted", prefix(&tensor.name)), Format::sorted(indices.clone(), false));
        let (shape, fill) = (levels.shape.clone(), tensor.fill);
        let copy = Reordered { from: levels, names: indices, fill, name: &name, format, shape };
        self.copied(comment, copy, &|coords| (coords.to_vec(), Vec::new()))
    }

    /// A copy of a tensor in another order, made before the loops.
    fn copied(&mut self, comment: String, copy: Reordered<'_>, picked: Picked<'_>) -> Arc<Levels> {
        self.prelude.push(Stmt::Comment(comment));
        Arc::new(copy.make(picked, &mut self.vars, &mut self.prelude))
    }

    /// How the next level of an operand is walked. If the operand has a flag that does not hold, there is nothing to walk; a loop over a
    /// store tests the flag itself.
    pub(super) fn walk(&self, at: usize, state: &State) -> Walk {
        let walk = self.walk_present(at, state);
        let Some(flag) = state.at(at).flag else { return walk };
        let if_present = |bound: Code| Code::Var(flag).select(bound, ir::usize(0));
        match walk {
            Walk::Interval { lo, hi, position } => Walk::Interval { lo: if_present(lo), hi: if_present(hi), position },
            Walk::Positions { lo, hi, coordinate, present } => {
                Walk::Positions { lo: if_present(lo), hi: if_present(hi), coordinate, present }
            }
            Walk::One { position, coordinate, present } => {
                let present = present.map_or(flag.into(), |present| Code::Var(flag).and(present));
                Walk::One { position, coordinate, present: Some(present) }
            }
            store @ Walk::Entries { .. } => store,
        }
    }

    fn walk_present(&self, at: usize, state: &State) -> Walk {
        let place = state.at(at);
        match &self.sources[at] {
            Source::Levels(levels) => levels.walk(place.above.len(), &place.pos, &place.above),
            Source::Unmade => unreachable!("a workspace is made before it is read"),
            Source::Marked(_, Marks { list, .. }) | Source::Listed { coords: list, .. } => {
                let list = *list;
                Walk::Positions {
                    lo: ir::usize(0),
                    hi: ir::len(list),
                    coordinate: Box::new(move |p| ir::load(list, p)),
                    present: None,
                }
            }
        }
    }

    /// The row of the next level of an operand.
    pub(super) fn row(&self, at: usize, state: &State) -> Row {
        Row { levels: self.levels_of(at), depth: state.at(at).above.len(), name: self.tensor_name(at) }
    }

    /// A cursor over the next level of an operand, initialised in `block`.
    pub(super) fn cursor(&mut self, at: usize, index: &str, state: &State, block: &mut Block) -> Cursor {
        let walk = self.walk(at, state);
        self.row(at, state).cursor(walk, index, &mut self.vars, block)
    }

    /// What the indices of an access are called in generated code.
    pub(super) fn index_names(&self, access: &Access) -> Vec<String> {
        access.indices.iter().map(|index| self.index_name(*index)).collect()
    }
}
