//! Loops: what is gone through for an index, what is looked up, and what is done where.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::flags::Flagged;
use super::iterate::{Kind, Stepper};
use super::nest::{Append, Lower, Operand, Phase, Reached, Source, State, Storage};
use super::operand::operands_of;
use super::parallel::loops_inside;
use super::storage::Pos;
use super::{Stopped, unsupported};
use crate::diagnostic::Diagnostic;
use crate::ir::{self, Block, Expr as Code, Growth, Scalar, Stmt as IrStmt, Var};
use crate::lattice::{Lattice, MOST_MERGED, Set};
use crate::level::{Located, Walk};
use crate::notation::concrete::{Index, Stmt, TensorId};
use crate::plan::{Sorted, Why};

/// How many times as long as another row a row is that skips what the other one does not have.
const MUCH_LONGER: usize = 32;

/// Cases that one statement may come apart into: some seconds of compilation, and megabytes of code.
const MOST_CASES: usize = 20_000;

/// What one loop merges, case by case.
#[derive(Clone)]
pub(super) struct Merge {
    /// The operands that the body reads.
    pub active: Vec<usize>,
    /// Those whose next level keeps the index and has to be gone through or looked up.
    pub merged: Vec<usize>,
    /// Which of them are present where, and what is done then.
    pub lattice: Lattice,
}

/// How a loop runs.
#[derive(Clone)]
pub(super) enum Plan {
    /// Case by case.
    Cases(Merge),
    /// With a flag for each operand.
    Flags(Flagged),
    /// Over the entries; what is folded where none is, is folded once.
    Once(Merge),
}

impl Lower<'_> {
    /// What the loop over `index` merges, case by case if there are no more than `most`; `state` is that inside of the loop.
    pub(super) fn merge(&self, index: Index, body: &Stmt, state: &State, most: usize) -> Result<Plan, Stopped> {
        let (active, merged) = self.meeting(index, body, state);
        if merged.len() > MOST_MERGED {
            return self.merge_by_flags(body, state, active, merged);
        }
        let complete = |set: Set, this: &Self| {
            // Where an operand's last level has an entry, it is present.
            let mut state = state.clone();
            for (n, &at) in merged.iter().enumerate() {
                let mut reached = this.reached(at, &state).into_owned();
                if set & (1 << n) == 0 {
                    reached.absent = true;
                } else {
                    reached.depth += 1;
                    reached.flag = None;
                }
                state.operands.insert(at, reached);
            }
            state
        };
        let (mut lookups, mut stepped) = (Vec::new(), 0);
        for (n, &at) in merged.iter().enumerate() {
            let Source::Levels(levels, _) = &self.operands[at].source else {
                stepped |= 1 << n;
                continue;
            };
            let Reached { depth, flag, .. } = *self.reached(at, state);
            let level = &levels.format.levels[depth];
            if let Some(growth) = level.kind.costs(&level.switches).lookup.filter(|_| flag.is_none()) {
                lookups.push((growth, std::cmp::Reverse(n)));
            }
            if self.can_step(at, depth) {
                stepped |= 1 << n;
            }
        }
        // The cheaper a lookup is, the sooner an operand follows and does not lead; one that visits the whole row for each coordinate is
        // merged instead.
        lookups.sort_unstable();
        let locatable = lookups.iter().fold(0, |set, (_, n)| set | 1 << n.0);
        let searched: Vec<usize> =
            lookups.iter().filter(|(growth, _)| *growth < Growth::Linear).map(|(_, n)| n.0).collect();
        let mut lattice =
            Lattice::new(merged.len(), &searched, |set| !self.nothing_to_do(body, &complete(set, self), &[]));
        if merged.len() > 2 && lattice.arms() > most {
            return self.merge_by_flags(body, state, active, merged);
        }
        // Who goes along with others has to move one entry at a time; who cannot is looked up, or sorted first.
        let together = match lattice.whole {
            true => ((1 << merged.len()) - 1) & !lattice.located,
            false => lattice.loops().iter().fold(0, |all, set| all | set),
        };
        if (lattice.whole || together.count_ones() > 1) && together & !stepped != 0 {
            match together & !stepped & !locatable {
                0 => lattice.over_dimension(locatable),
                lost => {
                    let at = merged[lost.trailing_zeros() as usize];
                    return Err(self.sort_first(at, state, Why::Merged));
                }
            }
        }
        Ok(Plan::Cases(Merge { active, merged, lattice }))
    }

    /// The operands that a body reads, by the loops around it, and those of them whose next level keeps `index` and cannot just be
    /// indexed.
    pub(super) fn meeting(&self, index: Index, body: &Stmt, state: &State) -> (Vec<usize>, Vec<usize>) {
        // The operands that the body reads, by the loops around it.
        let mut reads = Vec::new();
        operands_of(body, &mut state.path.clone(), &mut |access, path| {
            reads.push((access.clone(), Self::order_of(access, path)))
        });
        let mut active = Vec::new();
        for (access, order) in reads {
            let found = self.lookup(&access, &order, state.driver);
            if let Some(at) = found.filter(|at| !active.contains(at)) {
                active.push(at);
            }
        }
        let mut merged = Vec::new();
        for &at in &active {
            let reached = self.reached(at, state);
            if reached.absent || reached.depth >= self.depth_of(at) {
                continue;
            }
            let here = match &self.operands[at].source {
                Source::Levels(levels, of) => {
                    let level = &levels.format.levels[reached.depth];
                    of[reached.depth] == index && !(level.properties.full && level.kind.capabilities().locate)
                }
                Source::Marked(..) | Source::Unmade => self.operands[at].access.indices == [index],
            };
            if here {
                merged.push(at);
            }
        }
        (active, merged)
    }

    /// Whether entries of a level can be visited one by one with those of other operands in between.
    pub(super) fn can_step(&self, at: usize, depth: usize) -> bool {
        let Source::Levels(levels, _) = &self.operands[at].source else { return true };
        let level = &levels.format.levels[depth];
        level.properties.ordered && (!level.is_store() || level.kind.capabilities().step)
    }

    /// Asks for an operand to be sorted before the loops start, for a reason that its next level gives.
    pub(super) fn sort_first(&self, at: usize, state: &State, why: fn(usize) -> Why) -> Stopped {
        let Operand { access, order, .. } = self.operands[at].clone();
        Stopped::Sort(Box::new(Sorted { access, order, why: why(self.reached(at, state).depth) }))
    }

    pub(super) fn forall(&mut self, index: Index, body: &Stmt, state: &State) -> Result<Block, Stopped> {
        let mut state = state.clone();
        state.path.push(index);
        match self.how(index, body, &state)? {
            Plan::Once(merge) => self.folded_once(index, merge, body, &state),
            Plan::Cases(merge) => self.merged_loops(index, merge, body, state),
            Plan::Flags(flags) => self.by_flags(index, &flags, body, &state),
        }
    }

    /// The loops that merge operands case by case.
    pub(super) fn merged_loops(
        &mut self,
        index: Index,
        merge: Merge,
        body: &Stmt,
        mut state: State,
    ) -> Result<Block, Stopped> {
        let mut block = Block::new();
        let Merge { active, merged, lattice } = &merge;
        if lattice.points.is_empty() {
            self.leaves_rows_out(index, body);
            return Ok(block);
        }
        let name = self.kernel.indices[index.0].to_lowercase();
        let mut iterators = BTreeMap::new();
        if lattice.whole {
            let set = ((1 << merged.len()) - 1) & !lattice.located;
            for (n, &at) in merged.iter().enumerate().filter(|(n, _)| set & (1 << n) != 0) {
                let iterator = self.iterator(at, &name, &state, &mut block)?;
                iterators.insert(n, iterator);
            }
            let i = self.vars.fresh(name, Scalar::Usize);
            state.indices.insert(index, i.into());
            let mut inner = Block::new();
            let mut here = Vec::new();
            for (&n, iterator) in &iterators {
                let present = self.vars.fresh(format!("{}_here", self.tensor_name(merged[n])), Scalar::Bool);
                inner.push(IrStmt::Let(present, iterator.valid().and(iterator.coordinate().equal(i))));
                here.push((n, present));
            }
            let tests = here.iter().map(|&(n, present)| (n, Code::Var(present))).collect();
            inner.append(self.cases(lattice, set, tests, merged, &iterators, active, body, &state)?);
            for (n, present) in here {
                inner.push(IrStmt::when(present.into(), iterators[&n].advance()));
            }
            block.push(IrStmt::count(i, ir::usize(0), self.extents[&index].clone(), inner));
            return Ok(block);
        }
        let loops = lattice.loops();
        self.leaves_rows_out(index, body);
        if let [only] = loops.as_slice()
            && only.count_ones() == 1
        {
            let n = only.trailing_zeros() as usize;
            block.append(self.single(index, n, lattice, merged, active, body, &state)?);
            return Ok(block);
        }
        if state.counts.is_none()
            && let Some(pair) = self.leads(&merge, &state)
        {
            block.append(self.led(index, pair, &merge, body, &state)?);
            return Ok(block);
        }
        let together = loops.iter().fold(0, |all, set| all | set);
        for (n, &at) in merged.iter().enumerate().filter(|(n, _)| together & (1 << n) != 0) {
            let iterator = self.iterator(at, &name, &state, &mut block)?;
            iterators.insert(n, iterator);
        }
        let all_needed = lattice.points.iter().all(|point| point & together == together);
        let gallops = if all_needed { self.gallops(&iterators, merged, body, &mut block) } else { BTreeMap::new() };
        for set in loops {
            let own: Vec<usize> = (0..merged.len()).filter(|n| set & (1 << n) != 0).collect();
            if let (&[n], Source::Levels(levels, _)) = (&own[..], self.operands[merged[own[0]]].source.clone())
                && let Kind::Cursor { cursor, .. } = iterators[&n].kind
            {
                // What is left of a store is gone through run by run.
                let depth = self.reached(merged[n], &state).depth;
                let entry = format!("{}_entry", self.tensor_name(merged[n]));
                let c = self.vars.fresh(name.clone(), Scalar::Usize);
                let value = levels.entry_type(depth).map(|ty| self.vars.fresh(entry, ty));
                let mut inside = state.clone();
                inside.indices.insert(index, c.into());
                let place = levels.below(depth, value.map_or(ir::bool(true), Code::Var));
                let stepper = BTreeMap::from([(n, Stepper::fixed(c.into(), place))]);
                let inner = self.cases(lattice, set, Vec::new(), merged, &stepper, active, body, &inside)?;
                block.push(IrStmt::Rest { cursor, coord: c, value, body: inner });
                continue;
            }
            let valid = own.iter().map(|n| iterators[n].valid()).reduce(Code::and).expect("a loop has operands");
            let mut inner = Block::new();
            let mut coordinates = Vec::new();
            for &n in &own {
                let c = self.vars.fresh(format!("{name}_{}", self.tensor_name(merged[n])), Scalar::Usize);
                inner.push(IrStmt::Let(c, iterators[&n].coordinate()));
                coordinates.push((n, c));
            }
            let mut inside = state.clone();
            if let [(_, c)] = coordinates.as_slice() {
                inside.indices.insert(index, Code::Var(*c));
            } else {
                let i = self.vars.fresh(name.clone(), Scalar::Usize);
                let least =
                    coordinates.iter().map(|(_, c)| Code::Var(*c)).reduce(Code::min).expect("a loop has operands");
                inner.push(IrStmt::Let(i, least));
                inside.indices.insert(index, i.into());
            }
            let i = inside.indices[&index].clone();
            let alone = own.len() == 1;
            let tests =
                coordinates.iter().filter(|_| !alone).map(|&(n, c)| (n, Code::Var(c).equal(i.clone()))).collect();
            let plain = gallops.is_empty() && own.iter().all(|n| !matches!(iterators[n].kind, Kind::Chained { .. }));
            let advances = own.iter().filter(|_| plain).map(|&n| (n, iterators[&n].advance())).collect();
            let (cases, advanced) =
                self.advancing(lattice, set, tests, merged, &iterators, active, body, &inside, advances)?;
            inner.append(cases);
            for &(n, c) in coordinates.iter().filter(|_| !advanced) {
                let others = coordinates.iter().filter(|(other, _)| *other != n).map(|(_, c)| Code::Var(*c));
                let advance = match (gallops.get(&n), others.reduce(Code::max)) {
                    (Some(gallop), Some(target)) => gallop.advance(target),
                    _ => iterators[&n].advance(),
                };
                if alone {
                    inner.append(advance);
                } else {
                    inner.push(IrStmt::when(Code::Var(c).equal(i.clone()), advance));
                }
            }
            block.push(IrStmt::While(valid, inner));
        }
        Ok(block)
    }

    /// The operands of an intersection that skip what the others do not have: positions of an array, up to the coordinate that the
    /// others are at. The outer levels always do. Of two innermost arrays the one does that is much longer, which is found out at run
    /// time, as a step from one position to the next is cheaper; next to a cursor, an array does.
    fn gallops(
        &mut self,
        iterators: &BTreeMap<usize, Stepper>,
        merged: &[usize],
        body: &Stmt,
        block: &mut Block,
    ) -> BTreeMap<usize, Gallop> {
        let mut found = BTreeMap::new();
        let outer = loops_inside(body);
        let spans: BTreeMap<usize, (Var, Var, Var)> =
            iterators.iter().filter_map(|(&n, stepper)| Some((n, stepper.coordinates()?))).collect();
        let cursors = iterators.values().any(|stepper| matches!(stepper.kind, Kind::Cursor { .. }));
        let lengths: BTreeMap<usize, (Var, Var)> =
            iterators.iter().filter_map(|(&n, stepper)| Some((n, stepper.span()?))).collect();
        let pair = iterators.len() == 2 && lengths.len() == 2;
        for (&n, &(array, at, end)) in &spans {
            let mut long = None;
            if !outer && pair {
                let (other, other_end) = *lengths.iter().find(|(other, _)| **other != n).expect("two of them").1;
                let flag = self.vars.fresh(format!("{}_long", self.tensor_name(merged[n])), Scalar::Bool);
                let own = Code::Var(end) - at;
                let others = (Code::Var(other_end) - other) * ir::usize(MUCH_LONGER);
                block.push(IrStmt::Let(flag, own.greater(others)));
                long = Some(flag);
            } else if !outer && !cursors {
                continue;
            }
            found.insert(n, Gallop { array, at, end, long });
        }
        found
    }

    /// Whether what a body writes has to come in ascending order.
    pub(super) fn needs_order(&self, body: &Stmt) -> bool {
        body.written().iter().any(|id| match &self.stores[id.0] {
            Some(Storage::Append(_)) => true,
            Some(Storage::List(list)) => list.in_order,
            _ => false,
        })
    }

    /// Whether the next level of an operand hands its entries out in ascending order.
    pub(super) fn is_ordered(&self, at: usize, state: &State) -> bool {
        match &self.operands[at].source {
            Source::Levels(levels, _) => levels.format.levels[self.reached(at, state).depth].properties.ordered,
            Source::Marked(..) | Source::Unmade => true,
        }
    }

    /// One operand leads, and what else there is can be looked up.
    #[allow(clippy::too_many_arguments, reason = "the loop being built")]
    pub(super) fn single(
        &mut self,
        index: Index,
        n: usize,
        lattice: &Lattice,
        merged: &[usize],
        active: &[usize],
        body: &Stmt,
        state: &State,
    ) -> Result<Block, Stopped> {
        let at = merged[n];
        let name = self.kernel.indices[index.0].to_lowercase();
        let tensor = self.tensor_name(at);
        let c = self.vars.fresh(name, Scalar::Usize);
        let mut inside = state.clone();
        inside.indices.insert(index, c.into());
        let walk = self.walk(at, state);
        let mut iterators = BTreeMap::new();
        let in_order = self.needs_order(body);
        if in_order && !self.is_ordered(at, state) {
            return Err(self.sort_first(at, state, Why::Appended));
        }
        let place = |pos: Pos| Stepper::fixed(c.into(), pos);
        match walk {
            Walk::Interval { lo, hi, position } => {
                iterators.insert(n, place(Pos::At(position(c.into()))));
                let inner = self.cases(lattice, 1 << n, Vec::new(), merged, &iterators, active, body, &inside)?;
                Ok(IrStmt::count(c, lo, hi, inner).into())
            }
            Walk::Positions { lo, hi, coordinate, present: None } if self.is_chained(at, state) => {
                let p = self.vars.fresh(format!("{tensor}_p"), Scalar::Usize);
                let end = self.vars.fresh(format!("{tensor}_end"), Scalar::Usize);
                let first = self.vars.fresh(format!("{tensor}_first"), Scalar::Usize);
                let chain = self.chain(at, state, first, p, end, &*coordinate, c.into());
                iterators.insert(n, place(chain.pos));
                let mut inner = Block::from(vec![IrStmt::Let(c, coordinate(p.into())), IrStmt::Let(first, p.into())]);
                inner.append(chain.declare);
                inner.append(chain.scan);
                inner.append(self.cases(lattice, 1 << n, Vec::new(), merged, &iterators, active, body, &inside)?);
                let last = IrStmt::While(Code::Var(p).less(end), inner);
                Ok(vec![IrStmt::Let(p, lo), IrStmt::Let(end, hi), last].into())
            }
            Walk::Positions { lo, hi, coordinate, present } => {
                let p = self.vars.fresh(format!("{tensor}_p"), Scalar::Usize);
                iterators.insert(n, place(Pos::At(p.into())));
                let mut inner = Block::from(IrStmt::Let(c, coordinate(p.into())));
                inner.append(self.cases(lattice, 1 << n, Vec::new(), merged, &iterators, active, body, &inside)?);
                if let Some(present) = present {
                    inner = IrStmt::when(present(p.into()), inner).into();
                }
                Ok(IrStmt::count(p, lo, hi, inner).into())
            }
            Walk::One { position, coordinate, present } => {
                iterators.insert(n, place(Pos::At(position)));
                let mut inner = Block::from(IrStmt::Let(c, coordinate));
                inner.append(self.cases(lattice, 1 << n, Vec::new(), merged, &iterators, active, body, &inside)?);
                Ok(match present {
                    Some(present) => IrStmt::when(present, inner).into(),
                    // A scope of its own: the coordinate is bound once for each case of the loops around.
                    None => IrStmt::when(ir::bool(true), inner).into(),
                })
            }
            Walk::Entries { store } => {
                let Source::Levels(levels, _) = self.operands[at].source.clone() else {
                    return Err(unsupported(self.span, "a workspace is no store"));
                };
                let depth = self.reached(at, state).depth;
                let value = levels.entry_type(depth).map(|ty| self.vars.fresh(format!("{tensor}_entry"), ty));
                iterators.insert(n, place(levels.below(depth, value.map_or(ir::bool(true), Code::Var))));
                let inner = self.cases(lattice, 1 << n, Vec::new(), merged, &iterators, active, body, &inside)?;
                let all = IrStmt::ForEntries { store, coord: c, value, ordered: in_order, body: inner };
                Ok(match self.reached(at, state).flag {
                    None => all.into(),
                    Some(flag) => IrStmt::when(flag.into(), vec![all]).into(),
                })
            }
        }
    }

    /// The cases of a loop: which operands are present, and what is done then.
    #[allow(clippy::too_many_arguments, reason = "the loop being built")]
    pub(super) fn cases(
        &mut self,
        lattice: &Lattice,
        iterated: Set,
        tests: Vec<(usize, Code)>,
        merged: &[usize],
        iterators: &BTreeMap<usize, Stepper>,
        active: &[usize],
        body: &Stmt,
        state: &State,
    ) -> Result<Block, Stopped> {
        self.advancing(lattice, iterated, tests, merged, iterators, active, body, state, BTreeMap::new())
            .map(|(block, _)| block)
    }

    /// The same, where each case also moves on the operands that are present, if there are three of them that all do something; whether
    /// they do. The processor then guesses once how operands stand to each other, and not once more for each of them; where it guesses
    /// right, as among rows of like patterns, nothing waits for a comparison.
    #[allow(clippy::too_many_arguments, reason = "the loop being built")]
    fn advancing(
        &mut self,
        lattice: &Lattice,
        iterated: Set,
        tests: Vec<(usize, Code)>,
        merged: &[usize],
        iterators: &BTreeMap<usize, Stepper>,
        active: &[usize],
        body: &Stmt,
        state: &State,
        advances: BTreeMap<usize, Block>,
    ) -> Result<(Block, bool), Stopped> {
        let mut block = Block::new();
        let mut cases = Cases {
            advances,
            advanced: Cell::new(false),
            lattice,
            iterated,
            merged,
            active,
            body,
            state,
            tests: tests.into_iter().collect(),
            places: iterators.iter().map(|(&n, stepper)| (n, (stepper.pos(), stepper.coordinate()))).collect(),
            asked: Vec::new(),
        };
        // What is looked up.
        for n in (0..merged.len()).filter(|n| lattice.located & (1 << n) != 0) {
            let at = merged[n];
            let Source::Levels(levels, of) = self.operands[at].source.clone() else { continue };
            let reached = self.reached(at, state).into_owned();
            let coordinate = state.indices[&of[reached.depth]].clone();
            let located = levels
                .locate(reached.depth, &reached.pos, &reached.above, coordinate.clone(), &mut self.vars)
                .ok_or_else(|| unsupported(self.span, "a level cannot be searched"))?;
            match located {
                Located::At { setup, found, position } => {
                    block.append(setup);
                    if let Some(found) = found {
                        cases.tests.insert(n, found);
                    }
                    cases.places.insert(n, (Pos::At(position), coordinate));
                }
                Located::InStore { store } => cases.asked.push((n, store, coordinate)),
            }
        }
        self.open_blocks(body, state, &mut block);
        block.append(self.ask(&mut cases, 0, &mut BTreeMap::new())?);
        self.end_rows(body, state, &mut block);
        Ok((block, cases.advanced.get()))
    }

    /// The results with dense levels below the last compressed one of which the loops around make an entry.
    fn entries_with_blocks(&self, body: &Stmt, state: &State) -> Vec<(TensorId, Append, Index)> {
        let mut found: Vec<(TensorId, Append, Index)> = Vec::new();
        let mut targets = Vec::new();
        body.assigns(&mut |assign| targets.push(assign.target.clone()));
        for target in targets {
            if let Some(Storage::Append(append)) = &self.stores[target.tensor.0]
                && append.tail.is_some()
                && append.is_entry(&state.path, target.indices[append.last])
                && !found.iter().any(|(known, ..)| *known == target.tensor)
            {
                found.push((target.tensor, append.clone(), target.indices[append.last]));
            }
        }
        found
    }

    /// Makes place for a block of values before anything is written to it.
    pub(super) fn open_blocks(&mut self, body: &Stmt, state: &State, block: &mut Block) {
        for (id, append, _) in self.entries_with_blocks(body, state) {
            let Some(tail) = append.tail.map(|tail| *tail) else { continue };
            let len = (ir::len(append.crd) + ir::usize(1)) * tail.size;
            block.extend(append.vals.map(|array| IrStmt::Resize { array, len, fill: tail.fill }));
            // Each place where blocks are opened has a variable of its own.
            let any = self.vars.fresh(self.vars[tail.any].name.clone(), Scalar::Bool);
            block.push(IrStmt::Let(any, ir::bool(false)));
            if let Some(Storage::Append(append)) = &mut self.stores[id.0]
                && let Some(tail) = &mut append.tail
            {
                tail.any = any;
            }
        }
    }

    /// Where the loop around makes one row of an appended result: the row ends where its entries do, and is an entry of the level
    /// above if it has any.
    pub(super) fn end_rows(&self, body: &Stmt, state: &State, block: &mut Block) {
        for (_, append, index) in self.entries_with_blocks(body, state) {
            if let Some(tail) = append.tail {
                let entry = self.index_value(index, state).cast(Scalar::U32);
                block.push(IrStmt::when(tail.any.into(), vec![IrStmt::Push(append.crd, entry)]));
            }
        }
        for id in body.written() {
            let Some(Storage::Append(append)) = &self.stores[id.0] else { continue };
            let dense = append.rows.len();
            if append.phase != Phase::Append || state.path.is_empty() || !state.path.starts_with(&append.rows) {
                continue;
            }
            let own = &state.path[dense..];
            if own.is_empty() {
                let (pos, crd) = append.first();
                let parent =
                    append.parent(&append.rows.iter().map(|&i| self.index_value(i, state)).collect::<Vec<_>>());
                block.push(IrStmt::Store(pos, parent + ir::usize(1), ir::len(crd)));
            } else if own.len() <= append.outer.len()
                && own.iter().zip(&append.outer).all(|(&index, level)| index == level.index)
            {
                let (level, (pos, crd)) = (append.outer[own.len() - 1], append.level(own.len()));
                let ended = ir::load(pos, ir::len(pos) - ir::usize(1));
                let entry = self.index_value(level.index, state).cast(Scalar::U32);
                let entry = vec![IrStmt::Push(level.crd, entry), IrStmt::Push(pos, ir::len(crd))];
                block.push(IrStmt::when(ended.less(ir::len(crd)), entry));
            }
        }
    }

    /// Remembers the results of which some rows may not be come by.
    pub(super) fn leaves_rows_out(&mut self, index: Index, body: &Stmt) {
        for id in body.written() {
            if let Some(Storage::Append(append)) = &mut self.stores[id.0]
                && append.rows.contains(&index)
            {
                append.gaps = true;
            }
        }
    }

    /// Asks the stores from number `next` on, one inside of the other; then the cases that are left.
    fn ask(&mut self, cases: &mut Cases<'_>, next: usize, known: &mut BTreeMap<usize, bool>) -> Result<Block, Stopped> {
        let Some((n, store, coordinate)) = cases.asked.get(next).cloned() else { return self.arms(cases, known) };
        let at = cases.merged[n];
        let Source::Levels(levels, _) = self.operands[at].source.clone() else {
            return Err(unsupported(self.span, "a workspace is no store"));
        };
        let depth = self.reached(at, cases.state).depth;
        let name = format!("{}_entry", self.tensor_name(at));
        let value = levels.entry_type(depth).map(|ty| self.vars.fresh(name, ty));
        let pos = levels.below(depth, value.map_or(ir::bool(true), Code::Var));
        cases.places.insert(n, (pos, coordinate.clone()));
        known.insert(n, true);
        let then = self.ask(cases, next + 1, known)?;
        known.insert(n, false);
        let otherwise = self.ask(cases, next + 1, known)?;
        known.remove(&n);
        if then.is_empty() && otherwise.is_empty() {
            return Ok(Block::new());
        }
        Ok(IrStmt::Locate { store, coord: coordinate, value, then, otherwise }.into())
    }

    /// Stops where a statement comes apart into more cases than anybody would compile: their number is exponential in that of the
    /// operands that meet, and in that of the levels on which they do. Operands are told apart at run time then.
    pub(super) fn count_case(&mut self) -> Result<(), Stopped> {
        self.cases += 1;
        if self.cases <= MOST_CASES {
            return Ok(());
        }
        let message =
            format!("so many sparse operands meet here that more than {MOST_CASES} cases would have to be told apart");
        let mistake = Diagnostic::new(self.span, message);
        Err(Stopped::Wrong(Box::new(mistake.help("compute some of the terms in a statement of their own first"))))
    }

    /// One arm for each case that is possible where the stores that were asked have answered as `known` says.
    fn arms(&mut self, cases: &Cases<'_>, known: &BTreeMap<usize, bool>) -> Result<Block, Stopped> {
        let Cases { lattice, iterated, merged, tests, places, .. } = cases;
        let possible = iterated | lattice.located;
        let mut arms: Vec<(Code, Block)> = Vec::new();
        let mut sets = Vec::new();
        let mut otherwise = Block::new();
        let cases_of_loop = lattice.cases(*iterated);
        // Where operands are gone through together, one of them is there: if all else has been ruled out, the last one.
        let certain = !lattice.whole && lattice.located == 0 && cases_of_loop.len() == (1 << iterated.count_ones()) - 1;
        let last = cases_of_loop.len().saturating_sub(1);
        for (nth, (set, needed)) in cases_of_loop.into_iter().enumerate() {
            let fits = (0..merged.len()).filter(|n| possible & (1 << n) != 0).all(|n| {
                let inside = set & (1 << n) != 0;
                match known.get(&n) {
                    Some(&there) => there == inside,
                    // An operand without a test is always there.
                    None => inside || tests.contains_key(&n),
                }
            });
            if !fits {
                continue;
            }
            let condition = (0..merged.len())
                .filter(|n| set & (1 << n) != 0 && !known.contains_key(n) && !(certain && nth == last))
                .filter_map(|n| tests.get(&n).cloned())
                .reduce(Code::and);
            let mut arm = Block::new();
            if needed {
                self.count_case()?;
                let mut inside = cases.state.clone();
                let counted = inside.counts.take();
                for (n, &at) in merged.iter().enumerate() {
                    let mut reached = self.reached(at, &inside).into_owned();
                    if set & (1 << n) == 0 {
                        reached.absent = true;
                    } else {
                        let (pos, coordinate) = places[&n].clone();
                        reached.pos = pos;
                        reached.above.push(coordinate);
                        reached.depth += 1;
                        reached.flag = None;
                    }
                    inside.operands.insert(at, reached);
                }
                for &at in cases.active {
                    self.settle(at, &mut inside, &mut arm)?;
                }
                self.note_entries(&mut inside);
                arm.append(self.told(cases.body, cases.active, inside)?);
                arm.extend(counted.map(|count| IrStmt::Update(count, ir::Reduce::Add, ir::usize(1))));
            }
            sets.push(set & iterated);
            match condition {
                Some(condition) => arms.push((condition, arm)),
                None => {
                    otherwise = arm;
                    break;
                }
            }
        }
        let busy = !otherwise.is_empty() && arms.iter().all(|(_, arm)| !arm.is_empty());
        if certain && sets.len() == 3 && arms.len() == 2 && busy && !cases.advances.is_empty() {
            cases.advanced.set(true);
            for (set, arm) in sets.into_iter().zip(arms.iter_mut().map(|(_, arm)| arm).chain([&mut otherwise])) {
                for (_, advance) in cases.advances.iter().filter(|(n, _)| set & (1 << **n) != 0) {
                    arm.append(advance.clone());
                }
            }
        }
        while otherwise.is_empty() && arms.last().is_some_and(|(_, arm)| arm.is_empty()) {
            arms.pop();
        }
        Ok(match arms.len() {
            0 => otherwise,
            _ => IrStmt::If { arms, otherwise }.into(),
        })
    }
}

/// How an operand of an intersection moves on.
struct Gallop {
    /// Its coordinates.
    array: Var,
    /// The position that it is at.
    at: Var,
    /// One past its last position.
    end: Var,
    /// Whether it skips; always if there is no such variable.
    long: Option<Var>,
}

impl Gallop {
    /// Moves on to the first coordinate that is `target` or more.
    fn advance(&self, target: Code) -> Block {
        let next = Code::Var(self.at) + ir::usize(1);
        let sought = Code::Seek {
            array: self.array,
            from: Box::new(next.clone()),
            to: Box::new(self.end.into()),
            coord: Box::new(target),
        };
        IrStmt::Assign(self.at, self.long.map_or(sought.clone(), |long| Code::Var(long).select(sought, next))).into()
    }
}

/// The cases of one loop, under construction.
struct Cases<'c> {
    /// How each operand that is gone through is moved on, where the cases may do so.
    advances: BTreeMap<usize, Block>,
    /// Whether they do.
    advanced: Cell<bool>,
    lattice: &'c Lattice,
    iterated: Set,
    merged: &'c [usize],
    active: &'c [usize],
    body: &'c Stmt,
    state: &'c State,
    /// Whether an operand is present, where that is tested.
    tests: BTreeMap<usize, Code>,
    /// Where an operand goes on, and the coordinate there.
    places: BTreeMap<usize, (Pos, Code)>,
    /// Stores that are asked for a coordinate.
    asked: Vec<(usize, Code, Code)>,
}
