//! Loops that merge operands case by case: over all coordinates, over one operand, or over several side by side.

use std::collections::BTreeMap;

use super::arms::Run;
use super::nest::{Lower, State};
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt, Var, Vars};
use crate::lattice::{Set, members};
use crate::level::Walk;
use crate::plan::{By, Loop, Merge};
use crate::tensor::{Cursor, Gallop, Pos, Visit};

/// A row skips coordinates that the other one does not have if it is more than this many times as long.
pub(super) const MUCH_LONGER: usize = 32;

impl Lower<'_> {
    /// A loop of the plan.
    pub(super) fn forall(&mut self, one: &Loop, state: &State) -> Block {
        match &one.how.by {
            By::Cases(lattice, merge) => {
                let run = Run { one, lattice };
                let loops = match &one.deal {
                    Some(deal) => self.parallel(run, deal, state),
                    None => self.merged_loops(run, *merge, state),
                };
                match one.swaps {
                    Some(pair) => self.swapped(run, pair, loops, state),
                    None => loops,
                }
            }
            By::Once(lattice, merge) => self.folded_once(Run { one, lattice }, *merge, state),
            By::Flags(flags) => self.by_flags(one, flags, state),
        }
    }

    /// The loop over the entries of operands, which are counted, and what is folded once where they are not all coordinates:
    ///
    /// ```text
    /// s min= A(i,j)       A: dcsr of 16M rows          for each row i of A: n += 1, …
    ///                                                  if n < rows { s = min(s, 0) }
    /// ```
    fn folded_once(&mut self, run: Run<'_>, merge: Merge, state: &State) -> Block {
        let index = run.one.index;
        let extent = self.extent(index);
        let mut missing = state.clone();
        missing.indices.insert(index, ir::usize(0));
        let mut block = Block::new();
        let mut seen = ir::usize(0);
        if merge != Merge::Never {
            let count = self.vars.fresh(format!("{}_count", self.index_name(index)), Scalar::Usize);
            block.push(IrStmt::Let(count, ir::usize(0)));
            block.append(self.merged_loops(run, merge, &State { counts: Some(count), ..state.clone() }));
            seen = Code::Var(count);
        }
        let once = self.case(run.one.case(0), missing);
        block.push(IrStmt::when(seen.less(extent), once));
        block
    }

    /// The loops that merge operands case by case; `state` is that inside of them.
    fn merged_loops(&mut self, run: Run<'_>, merge: Merge, state: &State) -> Block {
        if merge != Merge::Count {
            self.leaves_rows_out(run.one);
        }
        match merge {
            Merge::Never => Block::new(),
            Merge::Count => self.over_dimension(run, state.clone()),
            Merge::Walk(n) => self.single(run, n, state),
            Merge::Lead { store, other } => self.store_leads(run, (store, other), state),
            Merge::SideBySide => self.side_by_side(run, state),
        }
    }

    /// Iterators over the operands of `set`.
    fn cursors(&mut self, run: Run<'_>, set: Set, state: &State, block: &mut Block) -> BTreeMap<usize, Cursor> {
        let name = self.index_name(run.one.index);
        members(set).map(|n| (n, self.cursor(run.one.how.merged[n], &name, state, block))).collect()
    }

    /// A loop over all coordinates.
    fn over_dimension(&mut self, run: Run<'_>, mut state: State) -> Block {
        let (index, merged) = (run.one.index, &run.one.how.merged);
        let mut block = Block::new();
        let set = run.lattice.together();
        let cursors = self.cursors(run, set, &state, &mut block);
        let i = self.vars.fresh(self.index_name(index), Scalar::Usize);
        state.indices.insert(index, i.into());
        let mut inner = Block::new();
        let mut here = Vec::new();
        for (&n, cursor) in &cursors {
            let present = self.vars.fresh(format!("{}_here", self.tensor_name(merged[n])), Scalar::Bool);
            inner.push(IrStmt::Let(present, cursor.is_at(i)));
            here.push((n, present));
        }
        let tests = here.iter().map(|&(n, present)| (n, Code::Var(present))).collect();
        inner.append(self.cases(run, set, tests, &cursors, &state));
        for (n, present) in here {
            inner.push(IrStmt::when(present.into(), cursors[&n].advance()));
        }
        block.push(IrStmt::count(i, ir::usize(0), self.extent(index), inner));
        block
    }

    /// Loops over several operands side by side, one for each set of them that lasts.
    fn side_by_side(&mut self, run: Run<'_>, state: &State) -> Block {
        let mut block = Block::new();
        let together = run.lattice.together();
        let cursors = self.cursors(run, together, state, &mut block);
        let gallops = self.gallops(run, &cursors, &mut block);
        for set in run.lattice.loops() {
            let alone = (set.count_ones() == 1).then(|| set.trailing_zeros() as usize);
            block.push(match alone.map(|n| (n, &cursors[&n])) {
                // The rest of a store alone needs no cursor: its runs (stretches of entries in one array) are visited one by one.
                Some((n, Cursor::Entries { cursor, .. })) => self.rest(run, n, *cursor, state),
                _ => self.while_all_last(run, set, &cursors, &gallops, state),
            });
        }
        block
    }

    /// The loop over what is left of a store behind a cursor.
    fn rest(&mut self, run: Run<'_>, n: usize, cursor: Var, state: &State) -> IrStmt {
        let c = self.vars.fresh(self.index_name(run.one.index), Scalar::Usize);
        let (value, place) = self.entry(run.one.how.merged[n], state);
        let body = self.alone(run, n, (c, place), state);
        IrStmt::Rest { cursor, coord: c, value, body }
    }

    /// What is done at an entry of operand number `n`, the only one that is iterated; others may be looked up. The loop itself moves on.
    pub(super) fn alone(&mut self, run: Run<'_>, n: usize, (coordinate, pos): (Var, Pos), state: &State) -> Block {
        let mut inside = state.clone();
        inside.indices.insert(run.one.index, coordinate.into());
        let cursors = BTreeMap::from([(n, Cursor::Fixed { coordinate: coordinate.into(), pos })]);
        self.cases(run, 1 << n, BTreeMap::new(), &cursors, &inside)
    }

    /// The loop that runs as long as all operands of `set` last. Each iteration is at their least coordinate, and moves on those that have
    /// it.
    fn while_all_last(
        &mut self,
        run: Run<'_>,
        set: Set,
        cursors: &BTreeMap<usize, Cursor>,
        gallops: &BTreeMap<usize, Gallop>,
        state: &State,
    ) -> IrStmt {
        let (index, merged) = (run.one.index, &run.one.how.merged);
        let name = self.index_name(index);
        let own: Vec<usize> = members(set).collect();
        let valid = own.iter().map(|n| cursors[n].valid()).reduce(Code::and).expect("a loop has operands");
        let mut inner = Block::new();
        let mut coordinates = Vec::new();
        for &n in &own {
            let c = self.vars.fresh(format!("{name}_{}", self.tensor_name(merged[n])), Scalar::Usize);
            inner.push(IrStmt::Let(c, cursors[&n].coordinate()));
            coordinates.push((n, c));
        }
        let mut i = coordinates[0].1;
        let alone = own.len() == 1;
        if !alone {
            i = self.vars.fresh(name, Scalar::Usize);
            let least = coordinates.iter().map(|(_, c)| Code::Var(*c)).reduce(Code::min).expect("a loop has operands");
            inner.push(IrStmt::Let(i, least));
        }
        let mut inside = state.clone();
        inside.indices.insert(index, i.into());
        let tests = coordinates.iter().filter(|_| !alone).map(|&(n, c)| (n, Code::Var(c).equal(i))).collect();
        let plain = gallops.is_empty() && own.iter().all(|n| !matches!(cursors[n], Cursor::Chained { .. }));
        let advances = own.iter().filter(|_| plain).map(|&n| (n, cursors[&n].advance())).collect();
        let (cases, advanced) = self.advancing(run, set, tests, cursors, &inside, advances);
        inner.append(cases);
        for &(n, c) in coordinates.iter().filter(|_| !advanced) {
            let others = coordinates.iter().filter(|(other, _)| *other != n).map(|(_, c)| Code::Var(*c));
            let advance = match (gallops.get(&n), others.reduce(Code::max)) {
                (Some(gallop), Some(target)) => gallop.advance(target),
                _ => cursors[&n].advance(),
            };
            if alone {
                inner.append(advance);
            } else {
                inner.push(IrStmt::when(Code::Var(c).equal(i), advance));
            }
        }
        IrStmt::While(valid, inner)
    }

    /// The operands of an intersection that skip coordinates which the others do not have. Where only an operand that is much longer than the
    /// other one skips, a flag says at run time which one that is.
    fn gallops(
        &mut self,
        run: Run<'_>,
        cursors: &BTreeMap<usize, Cursor>,
        block: &mut Block,
    ) -> BTreeMap<usize, Gallop> {
        let skips = run.one.skips;
        let mut found = BTreeMap::new();
        for n in members(skips.operands).filter(|n| cursors.contains_key(n)) {
            let (cursor, mut long) = (&cursors[&n], None);
            if skips.if_longer && cursor.gallop(None).is_some() {
                let other = cursors.iter().find(|(other, _)| **other != n).and_then(|(_, other)| other.left());
                let Some((own, other)) = cursor.left().zip(other) else { continue };
                let flag = self.vars.fresh(format!("{}_long", self.tensor_name(run.one.how.merged[n])), Scalar::Bool);
                block.push(IrStmt::Let(flag, own.greater(other * ir::usize(MUCH_LONGER))));
                long = Some(flag);
            }
            found.extend(cursor.gallop(long).map(|gallop| (n, gallop)));
        }
        found
    }

    /// A loop over one operand; its body looks up the others.
    pub(super) fn single(&mut self, run: Run<'_>, n: usize, state: &State) -> Block {
        let at = run.one.how.merged[n];
        let (tensor, name) = (self.tensor_name(at), self.index_name(run.one.index));
        match self.walk(at, state) {
            Walk::Positions { lo, hi, coordinate, present: None } if self.row(at, state).is_chained() => {
                let c = self.vars.fresh(name, Scalar::Usize);
                let p = self.vars.fresh(format!("{tensor}_p"), Scalar::Usize);
                let end = self.vars.fresh(format!("{tensor}_end"), Scalar::Usize);
                let first = self.vars.fresh(format!("{tensor}_first"), Scalar::Usize);
                let row = self.row(at, state);
                let chain = row.chain(&mut self.vars, [first, p, end], &*coordinate, c.into());
                let mut body = Block::from(vec![IrStmt::Let(c, coordinate(p.into())), IrStmt::Let(first, p.into())]);
                body.append(chain.declare);
                body.append(chain.scan);
                body.append(self.alone(run, n, (c, chain.pos), state));
                let last = IrStmt::While(Code::Var(p).less(end), body);
                vec![IrStmt::Let(p, lo), IrStmt::Let(end, hi), last].into()
            }
            walk => {
                let flag = state.at(at).flag.filter(|_| matches!(walk, Walk::Entries { .. }));
                let entry = self.entry_of(at, state);
                let visit = Visit::new(walk, &mut self.vars, (name, format!("{tensor}_p")), entry);
                let body = self.alone(run, n, (visit.coordinate, visit.position.clone()), state);
                let all = visit.around(body, run.one.ordered, IrStmt::count);
                IrStmt::when_all(flag.map(Code::Var), all.into())
            }
        }
    }

    /// A variable for what the entries of a store hold, and where an entry leads.
    pub(super) fn entry(&mut self, at: usize, state: &State) -> (Option<Var>, Pos) {
        self.entry_of(at, state)(&mut self.vars)
    }

    /// The same as [`Lower::entry`], for a caller that has borrowed the variables.
    fn entry_of(&self, at: usize, state: &State) -> impl FnOnce(&mut Vars) -> (Option<Var>, Pos) + use<> {
        let (levels, depth) = (self.levels_of(at), state.at(at).above.len());
        let name = format!("{}_entry", self.tensor_name(at));
        move |vars| {
            let Some(levels) = levels else { unreachable!("a workspace is no store") };
            levels.entry(depth, name, vars)
        }
    }
}
