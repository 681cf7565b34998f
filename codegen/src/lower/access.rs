//! Reading: the value of an access, whether it has an entry, and where.

use super::nest::{Lower, Source, State, Storage};
use super::operand::level_indices;
use super::storage::{Levels, Pos, literal, scalar};
use super::{Stopped, unsupported};
use crate::format::Format;
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt, Var};
use crate::level::Located;
use crate::notation::algebra::{Presence, minds_absence};
use crate::notation::concrete::{Access, Index, Stmt, TensorId};

/// Operands whose values tell whether they have an entry, where each of the two cases gets code of its own.
const MOST_TOLD: usize = 2;

impl Lower<'_> {
    pub(super) fn index_value(&self, index: Index, state: &State) -> Code {
        state.indices[&index].clone()
    }

    /// Whether `access` has an entry here, if that is known. Where places may hold no entry, values tell.
    pub(super) fn present(&self, access: &Access, state: &State) -> Option<bool> {
        if state.gone.contains(&access.tensor) {
            return Some(false);
        }
        let at = self.find(access, state)?;
        let reached = self.reached(at, state);
        if reached.absent {
            Some(false)
        } else if reached.flag.is_some() {
            None
        } else if reached.depth == self.depth_of(at) && (!self.goes_by_value(at) || state.told.contains(&at)) {
            Some(true)
        } else {
            None
        }
    }

    /// Whether an operand has places for more than its entries.
    fn goes_by_value(&self, at: usize) -> bool {
        let operand = &self.operands[at];
        let format = &self.kernel.tensor(operand.access.tensor).format;
        format.as_ref().is_some_and(Format::is_full)
            || matches!(&operand.source, Source::Levels(levels, _) if !levels.format.keeps_entries_only())
    }

    /// A statement in a place where operands may have been reached that have places for more than their entries. Where it makes a
    /// difference, their values tell whether there is one.
    pub(super) fn told(&mut self, body: &Stmt, operands: &[usize], state: State) -> Result<Block, Stopped> {
        let asked = self.asked(operands, body, &state);
        let Some(&at) = asked.first() else { return self.stmt(body, &state) };
        if self.asks_by_flag(&asked, &state) {
            return self.told_by_flag(at, body, operands, state);
        }
        let mut reached = self.reached(at, &state).into_owned();
        let Source::Levels(levels, _) = self.operands[at].source.clone() else { return self.stmt(body, &state) };
        let fill = literal(self.kernel.tensor(self.operands[at].access.tensor).fill, scalar(levels.value));
        let entry = levels.value_at(&reached.pos).not_equal(fill);
        let (mut there, mut missing) = (state.clone(), state);
        there.told.push(at);
        reached.absent = true;
        missing.operands.insert(at, reached);
        let there = self.told(body, operands, there)?;
        let missing = self.told(body, operands, missing)?;
        Ok(match (there.is_empty(), missing.is_empty()) {
            (true, true) => Block::new(),
            (_, true) => IrStmt::when(entry, there).into(),
            _ => IrStmt::either(entry, there, missing).into(),
        })
    }

    /// The operands whose values have to say whether they are entries.
    pub(super) fn asked(&self, operands: &[usize], body: &Stmt, state: &State) -> Vec<usize> {
        operands.iter().copied().filter(|&at| self.asks_value(at, body, state)).collect()
    }

    /// Whether a variable remembers what the value of the first of `asked` says.
    pub(super) fn asks_by_flag(&self, asked: &[usize], state: &State) -> bool {
        asked.len() > MOST_TOLD || self.reached(asked[0], state).flag.is_some()
    }

    /// The same, where a variable remembers what the value of an operand tells.
    fn told_by_flag(&mut self, at: usize, body: &Stmt, operands: &[usize], mut state: State) -> Result<Block, Stopped> {
        let mut reached = self.reached(at, &state).into_owned();
        let Source::Levels(levels, _) = self.operands[at].source.clone() else { return self.stmt(body, &state) };
        let fill = literal(self.kernel.tensor(self.operands[at].access.tensor).fill, scalar(levels.value));
        let entry = levels.value_at(&reached.pos).not_equal(fill);
        let entry = reached.flag.map_or(entry.clone(), |flag| Code::Var(flag).and(entry));
        let here = self.vars.fresh(format!("{}_here", self.tensor_name(at)), Scalar::Bool);
        let mut block = Block::from(IrStmt::Let(here, entry));
        reached.flag = Some(here);
        state.told.push(at);
        state.operands.insert(at, reached);
        block.append(self.told(body, operands, state)?);
        Ok(block)
    }

    /// Whether the value of an operand that has just been reached has to tell whether it has an entry: a sparse result keeps no more
    /// than entries, and some operations give something else of a missing operand than of its fill.
    fn asks_value(&self, at: usize, body: &Stmt, state: &State) -> bool {
        let access = &self.operands[at].access;
        let reached = self.reached(at, state);
        let here = reached.depth == self.depth_of(at) && !reached.absent && !state.told.contains(&at);
        if !here || !self.goes_by_value(at) || self.kernel.tensor(access.tensor).is_full() {
            return false;
        }
        let mut asks = false;
        body.assigns(&mut |assign| {
            let mut reads = false;
            assign.value.accesses(&mut |other| reads |= other == access);
            asks |= reads && (self.is_sparse(assign.target.tensor) || minds_absence(&assign.value, access));
        });
        asks
    }

    pub(super) fn presence(&self, access: &Access, state: &State, gone: &[TensorId]) -> Presence {
        if gone.contains(&access.tensor) {
            return Presence::Absent;
        }
        match self.present(access, state) {
            Some(true) => Presence::Present,
            Some(false) => Presence::Absent,
            None => Presence::Unknown,
        }
    }

    /// What tells whether an access has an entry, where that is found out at run time: the flag of a scalar workspace, or that of an
    /// operand.
    pub(super) fn flag(&self, access: &Access, state: &State) -> Option<Var> {
        match self.stores[access.tensor.0] {
            Some(Storage::Scalar { flag, .. }) => flag,
            _ => self.operand_flag(access, state),
        }
    }

    /// The flag of an operand.
    pub(super) fn operand_flag(&self, access: &Access, state: &State) -> Option<Var> {
        if state.gone.contains(&access.tensor) {
            return None;
        }
        let reached = self.find(access, state).map(|at| self.reached(at, state))?;
        if reached.absent { None } else { reached.flag }
    }

    /// Whether an access is of an operand that has places for more than its entries, and nobody has asked its value yet.
    pub(super) fn is_untold(&self, access: &Access, state: &State) -> bool {
        self.find(access, state).is_some_and(|at| self.goes_by_value(at) && !state.told.contains(&at))
    }

    /// The value of an access, in the type of its tensor; if it has a flag, where that holds.
    pub(super) fn read(&mut self, access: &Access, state: &State, block: &mut Block) -> Result<Code, Stopped> {
        let own = scalar(self.kernel.tensor(access.tensor).value);
        if state.gone.contains(&access.tensor) {
            return Ok(literal(access.fill, own));
        }
        if let Some(at) = self.find(access, state) {
            let reached = self.reached(at, state).into_owned();
            if reached.absent {
                return Ok(literal(access.fill, own));
            }
            return Ok(match (&self.operands[at].source, &reached.pos) {
                (Source::Levels(levels, _), pos) => levels.value_at(pos),
                (Source::Unmade, _) => unreachable!("a workspace is made before it is read"),
                (Source::Marked(vals, _), _) => ir::load(*vals, self.index_value(access.indices[0], state)),
            });
        }
        match self.stores[access.tensor.0].clone() {
            Some(Storage::Scalar { var, .. }) => Ok(var.into()),
            Some(Storage::Dense { shape, vals, .. }) => {
                let coords: Vec<Code> = access.indices.iter().map(|&index| self.index_value(index, state)).collect();
                Ok(ir::load(vals, row_major(&shape, &coords)))
            }
            Some(Storage::Levels(levels)) => {
                let pos = self.locate_all(&levels, access, state, block)?;
                Ok(levels.value_at(&pos))
            }
            Some(Storage::Viewed(viewed)) => self.read_view(&viewed, access, state, block),
            _ => {
                let name = &self.kernel.tensor(access.tensor).name;
                Err(unsupported(access.span, format!("`{name}` is read while it is being made")))
            }
        }
    }

    /// The position of an access into levels all of which can be searched.
    pub(super) fn locate_all(
        &mut self,
        levels: &Levels,
        access: &Access,
        state: &State,
        block: &mut Block,
    ) -> Result<Pos, Stopped> {
        let mut pos = Pos::At(ir::usize(0));
        let mut above = Vec::new();
        for (at, index) in level_indices(levels, access).into_iter().enumerate() {
            let coordinate = self.index_value(index, state);
            let Some(Located::At { setup, position, .. }) =
                levels.locate(at, &pos, &above, coordinate.clone(), &mut self.vars)
            else {
                return Err(unsupported(access.span, "this tensor cannot be searched"));
            };
            block.append(setup);
            pos = Pos::At(position);
            above.push(coordinate);
        }
        Ok(pos)
    }

    /// Resolves the levels of an operand that can be searched and whose index has a value.
    pub(super) fn settle(&mut self, at: usize, state: &mut State, block: &mut Block) -> Result<(), Stopped> {
        let Source::Levels(levels, of) = self.operands[at].source.clone() else { return Ok(()) };
        let mut reached = self.reached(at, state).into_owned();
        while !reached.absent && reached.depth < of.len() {
            let level = &levels.format.levels[reached.depth];
            let searched = level.properties.full && level.kind.capabilities().locate;
            let Some(coordinate) = state.indices.get(&of[reached.depth]).filter(|_| searched).cloned() else { break };
            let Some(Located::At { setup, position, .. }) =
                levels.locate(reached.depth, &reached.pos, &reached.above, coordinate.clone(), &mut self.vars)
            else {
                break;
            };
            reached.pos = match reached.flag.filter(|_| !setup.is_empty()) {
                None => {
                    block.append(setup);
                    Pos::At(position)
                }
                Some(flag) => {
                    // What is not there is not searched either.
                    let found = self.vars.fresh(format!("{}_at", self.tensor_name(at)), Scalar::Usize);
                    block.push(IrStmt::Let(found, ir::usize(0)));
                    let mut search = setup;
                    search.push(IrStmt::Assign(found, position));
                    block.push(IrStmt::when(flag.into(), search));
                    Pos::At(found.into())
                }
            };
            reached.above.push(coordinate);
            reached.depth += 1;
        }
        state.operands.insert(at, reached);
        Ok(())
    }
}

pub(super) fn row_major(shape: &[Code], coords: &[Code]) -> Code {
    let mut places = shape.iter().zip(coords);
    let first = places.next().map_or(ir::usize(0), |(_, c)| c.clone());
    places.fold(first, |at, (extent, c)| at * extent.clone() + c.clone())
}
