//! Statements that one operand drives: a loop over its entries in the order in which they are stored, and the rest inside.

use std::rc::Rc;

use super::nest::{Lower, Operand, Reached, Source, State, Storage};
use super::operand::{level_indices, picked};
use super::storage::{Dealt, Levels, blocked, scalar};
use super::value::fold;
use super::{Stopped, unsupported};
use crate::format::Inverse;
use crate::ir::{self, Block, Owned, Partition, Stmt as IrStmt};
use crate::notation::concrete::{Access, Index, Stmt};
use crate::notation::{Driven, driven};
use crate::plan::Reach;

impl Lower<'_> {
    /// The operand that drives a statement, if one does and all others can be read inside its loop without sorting them first.
    pub(super) fn driven_of<'s>(&self, stmt: &'s Stmt) -> Option<Driven<'s>> {
        driven(self.kernel, stmt).filter(|driven| !self.plan.idle.contains(&self.undriven(driven)))
    }

    /// A driven statement in words.
    pub(super) fn undriven(&self, driven: &Driven<'_>) -> String {
        format!("{} driven by {}", self.kernel.show_assign(driven.assign), self.kernel.show_access(&driven.driver))
    }

    /// The operands of a driven statement: the driver in the order of its storage, the others inside its loop.
    pub(super) fn collect_driven(&mut self, driven: &Driven<'_>) -> Result<(), Stopped> {
        let path = path(driven);
        let levels = self.driver(&driven.driver)?;
        let (access, order) = (driven.driver.clone(), Self::order_of(&driven.driver, &path));
        let of = level_indices(&levels, &access);
        self.plan.note_operand(self.kernel, &access, Reach::Driver, None);
        self.operands.push(Operand { access, order, source: Source::Levels(levels, of), drives: true });
        let mut accesses = Vec::new();
        driven.assign.reads(&mut |access| accesses.push(access.clone()));
        accesses.retain(|access| *access != driven.driver);
        for access in accesses {
            self.operand(access.clone(), &path)?;
            // An operand that has to be sorted is not found by a driver's coordinates.
            let found = self.lookup(&access, &Self::order_of(&access, &path), None);
            if let Some(Source::Levels(levels, _)) = found.map(|at| &self.operands[at].source)
                && !matches!(&self.stores[access.tensor.0], Some(Storage::Levels(own)) if Rc::ptr_eq(levels, own))
            {
                return Err(Stopped::Idle(self.undriven(driven)));
            }
        }
        Ok(())
    }

    /// The loop over the driver's entries.
    pub(super) fn driven(&mut self, driven: &Driven<'_>) -> Result<Block, Stopped> {
        let levels = self.driver(&driven.driver)?;
        let order = Self::order_of(&driven.driver, &path(driven));
        let names = self.index_names(&driven.driver);
        let mut vars = std::mem::take(&mut self.vars);
        let mut stopped = None;
        let dealt = self.dealt(driven, &levels);
        let block = levels.drive_blocks(&mut vars, &names, dealt.as_ref(), &mut |vars, coords, pos| {
            std::mem::swap(vars, &mut self.vars);
            let (coords, diagonal) = picked(&driven.driver, &order, &coords);
            let mut state = State { path: order.clone(), ..State::default() };
            state.indices.extend(order.iter().copied().zip(coords.iter().cloned()));
            let inner = self.at_entry(
                driven,
                state,
                Reached { depth: levels.format.levels.len(), pos, above: coords, absent: false, flag: None },
            );
            std::mem::swap(vars, &mut self.vars);
            match (inner, diagonal) {
                (Ok(inner), None) => inner,
                (Ok(inner), Some(diagonal)) => IrStmt::when(diagonal, inner).into(),
                (Err(why), _) => {
                    // What is sorted begins with the driver's indices, which no loop over coordinates goes through.
                    stopped = Some(match why {
                        Stopped::Sort(_) => Stopped::Idle(self.undriven(driven)),
                        why => why,
                    });
                    Block::new()
                }
            }
        });
        self.vars = vars;
        stopped.map_or(Ok(block), Err)
    }

    /// The level of the driver whose loop can be dealt out to tasks: its iterations lead to rows of the target of their own, or all
    /// that is done is to fold into a scalar.
    fn dealt(&self, driven: &Driven<'_>, levels: &Levels) -> Option<Dealt> {
        let assign = driven.assign;
        if !levels.windows.is_empty() {
            return None;
        }
        let (vals, indices, extents) = match &self.stores[assign.target.tensor.0] {
            Some(Storage::Scalar { var, flag: None }) => {
                let own = scalar(self.kernel.tensor(assign.target.tensor).value);
                return Some(Dealt {
                    level: 0,
                    owned: Vec::new(),
                    reductions: vec![(*var, fold(assign.reduce?, own))],
                });
            }
            Some(Storage::Levels(target)) => {
                (target.vals?, level_indices(target, &assign.target), target.extents.clone())
            }
            Some(Storage::Dense { shape, vals, marks: None }) => (*vals, assign.target.indices.clone(), shape.clone()),
            _ => return None,
        };
        let place = driven.driver.indices.iter().position(|index| indices.first() == Some(index))?;
        let row = extents[1..].iter().cloned().fold(ir::usize(1), |row, extent| row * extent);
        let (level, stride) = match &levels.format.inverse[place] {
            Inverse::Level(level) => (*level, row),
            inverse => {
                let (level, size, _) = blocked(inverse)?;
                (level, ir::usize(size) * row)
            }
        };
        let partition = Partition::Each { offset: ir::usize(0), stride };
        Some(Dealt { level, owned: vec![Owned { array: vals, partition }], reductions: Vec::new() })
    }

    /// The driver, reached in `state`, and the other operands, by their numbers.
    pub(super) fn enter(
        &self,
        driven: &Driven<'_>,
        state: &mut State,
        reached: Reached,
    ) -> Result<(usize, Vec<usize>), Stopped> {
        let drives =
            |operand: &Operand| operand.drives && operand.access == driven.driver && operand.order == state.path;
        let at = self.operands.iter().position(drives).ok_or_else(|| lost(&driven.driver))?;
        state.driver = Some(at);
        state.operands.insert(at, reached);
        Ok((at, (0..self.operands.len()).filter(|&other| !self.operands[other].drives).collect()))
    }

    /// What is done at one entry of the driver.
    fn at_entry(&mut self, driven: &Driven<'_>, mut state: State, reached: Reached) -> Result<Block, Stopped> {
        let (at, others) = self.enter(driven, &mut state, reached)?;
        let mut block = Block::new();
        for &other in &others {
            self.settle(other, &mut state, &mut block)?;
        }
        let body = Stmt::Assign(driven.assign.clone());
        let body = Stmt::foralls(driven.rest.clone(), body, driven.assign.span);
        block.append(self.told(&body, &[&[at], &others[..]].concat(), state)?);
        Ok(block)
    }

    pub(super) fn driver(&self, access: &Access) -> Result<Rc<Levels>, Stopped> {
        match &self.stores[access.tensor.0] {
            Some(Storage::Levels(levels)) => Ok(levels.clone()),
            _ => Err(lost(access)),
        }
    }
}

fn lost(access: &Access) -> Stopped {
    unsupported(access.span, "this tensor is read before it is made")
}

/// The loops of a driven statement: the driver's indices, and the rest.
pub(super) fn path(driven: &Driven<'_>) -> Vec<Index> {
    let mut path: Vec<Index> = Vec::new();
    for index in driven.driver.indices.iter().chain(&driven.rest) {
        if !path.contains(index) {
            path.push(*index);
        }
    }
    path
}
