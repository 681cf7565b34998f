//! The cases of a loop: which operands have an entry at a coordinate, and what is done then.

use std::collections::BTreeMap;

use super::nest::{Lower, State};
use crate::ir::{self, Block, Expr as Code, Stmt as IrStmt};
use crate::lattice::{Lattice, Set, members};
use crate::level::Located;
use crate::plan::{Case, Loop};
use crate::tensor::{Cursor, Pos};

/// A loop over operands that are merged case by case.
#[derive(Clone, Copy)]
pub(super) struct Run<'l> {
    /// Its plan.
    pub one: &'l Loop,
    pub lattice: &'l Lattice,
}

/// The cases of one loop, under construction.
struct Cases<'c> {
    run: Run<'c>,
    iterated: Set,
    state: &'c State,
    /// Whether an operand is present, where that is tested.
    tests: BTreeMap<usize, Code>,
    /// Where the entry of an operand leads, and its coordinate.
    places: BTreeMap<usize, (Pos, Code)>,
    /// Stores that are searched for a coordinate.
    searched: Vec<(usize, Code, Code)>,
    /// Code that moves each operand on, if the cases are to do that.
    advances: BTreeMap<usize, Block>,
    /// Whether the cases move operands on.
    advanced: bool,
}

impl Lower<'_> {
    /// The cases of a loop that iterates the operands of `iterated`, by `tests` of whether they are present.
    pub(super) fn cases(
        &mut self,
        run: Run<'_>,
        iterated: Set,
        tests: BTreeMap<usize, Code>,
        cursors: &BTreeMap<usize, Cursor>,
        state: &State,
    ) -> Block {
        self.advancing(run, iterated, tests, cursors, state, BTreeMap::new()).0
    }

    /// The same, where each case also moves on the operands that are present by `advances`. That is done if there are exactly three cases
    /// and something is done in all of them; the second result says whether. The processor then predicts one branch for each coordinate,
    /// and not one more for each operand that may move on; where it predicts right, as in rows of similar patterns, nothing waits for a
    /// comparison.
    pub(super) fn advancing(
        &mut self,
        run: Run<'_>,
        iterated: Set,
        tests: BTreeMap<usize, Code>,
        cursors: &BTreeMap<usize, Cursor>,
        state: &State,
        advances: BTreeMap<usize, Block>,
    ) -> (Block, bool) {
        let mut block = Block::new();
        let places = cursors.iter().map(|(&n, cursor)| (n, (cursor.position(), cursor.coordinate()))).collect();
        let mut cases = Cases { run, iterated, state, tests, places, searched: Vec::new(), advances, advanced: false };
        for n in members(run.lattice.located) {
            let at = run.one.how.merged[n];
            let Some(levels) = self.levels_of(at) else { continue };
            let place = state.at(at);
            let coordinate = state.index(run.one.index);
            match levels.locate(place.above.len(), &place.pos, &place.above, coordinate.clone(), &mut self.vars) {
                Some(Located::At { setup, found, position }) => {
                    block.append(setup);
                    cases.tests.extend(found.map(|found| (n, found)));
                    cases.places.insert(n, (Pos::At(position), coordinate));
                }
                Some(Located::InStore { store, coordinate }) => cases.searched.push((n, store, coordinate)),
                None => {
                    let (walk, row) = (self.walk(at, state), self.row(at, state));
                    let (found, position) = row.sought(walk, coordinate.clone(), &mut self.vars, &mut block);
                    cases.tests.insert(n, found);
                    cases.places.insert(n, (Pos::At(position), coordinate));
                }
            }
        }
        self.open_blocks(run.one, &mut block);
        block.append(self.search_stores(&mut cases, 0, &mut BTreeMap::new()));
        self.end_rows(run.one, state, &mut block);
        (block, cases.advanced)
    }

    /// Searches the stores from number `next` on, one inside of the other; then the cases that are left.
    fn search_stores(&mut self, cases: &mut Cases<'_>, next: usize, known: &mut BTreeMap<usize, bool>) -> Block {
        let Some((n, store, coordinate)) = cases.searched.get(next).cloned() else { return self.arms(cases, known) };
        let (value, pos) = self.entry(cases.run.one.how.merged[n], cases.state);
        cases.places.insert(n, (pos, cases.state.index(cases.run.one.index)));
        known.insert(n, true);
        let then = self.search_stores(cases, next + 1, known);
        known.insert(n, false);
        let otherwise = self.search_stores(cases, next + 1, known);
        known.remove(&n);
        if then.is_empty() && otherwise.is_empty() {
            return Block::new();
        }
        IrStmt::Locate { store, coord: coordinate, value, then, otherwise }.into()
    }

    /// One arm for each case that is possible where `known` says which of the searched stores have the coordinate.
    fn arms(&mut self, cases: &mut Cases<'_>, known: &BTreeMap<usize, bool>) -> Block {
        let lattice = cases.run.lattice;
        let (iterated, possible) = (cases.iterated, cases.iterated | lattice.located);
        let mut arms: Vec<(Code, Block)> = Vec::new();
        let mut sets = Vec::new();
        let mut otherwise = Block::new();
        let all = lattice.cases(iterated);
        // Operands that are merged side by side stop where one of them has an entry. So the last case needs no test if all others have been
        // ruled out.
        let certain = !lattice.whole && lattice.located == 0 && all.len() == (1 << iterated.count_ones()) - 1;
        let last = all.len().saturating_sub(1);
        for (nth, (set, needed)) in all.into_iter().enumerate() {
            let fits = members(possible).all(|n| {
                let inside = set & (1 << n) != 0;
                match known.get(&n) {
                    Some(&found) => found == inside,
                    // An operand without a test is always there.
                    None => inside || cases.tests.contains_key(&n),
                }
            });
            if !fits {
                continue;
            }
            let condition = members(set)
                .filter(|n| !(known.contains_key(n) || certain && nth == last))
                .filter_map(|n| cases.tests.get(&n).cloned())
                .reduce(Code::and);
            let arm = if needed { self.arm(cases, set) } else { Block::new() };
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
            cases.advanced = true;
            for (set, arm) in sets.into_iter().zip(arms.iter_mut().map(|(_, arm)| arm).chain([&mut otherwise])) {
                for (_, advance) in cases.advances.iter().filter(|(n, _)| set & (1 << **n) != 0) {
                    arm.append(advance.clone());
                }
            }
        }
        while otherwise.is_empty() && arms.last().is_some_and(|(_, arm)| arm.is_empty()) {
            arms.pop();
        }
        match arms.len() {
            0 => otherwise,
            _ => IrStmt::If { arms, otherwise }.into(),
        }
    }

    /// What is done where the operands of `set` are present.
    fn arm(&mut self, cases: &Cases<'_>, set: Set) -> Block {
        let mut inside = cases.state.clone();
        let counted = inside.counts.take();
        for n in members(set) {
            let (pos, coordinate) = cases.places[&n].clone();
            inside.enter(cases.run.one.how.merged[n], pos, coordinate, None);
        }
        let mut arm = self.case(cases.run.one.case(set), inside);
        arm.extend(counted.map(|count| IrStmt::Update(count, ir::Reduce::Add, ir::usize(1))));
        arm
    }

    /// What is done in a case of a loop, whose operands have been entered.
    pub(super) fn case(&mut self, case: &Case, mut inside: State) -> Block {
        let mut block = Block::new();
        for &levels in &case.searched {
            self.search(levels, &mut inside, &mut block);
        }
        for &(id, at) in &case.entries {
            if let Pos::At(position) = inside.at(at).pos {
                inside.entries.insert(id, position);
            }
        }
        block.append(self.node(&case.node, &inside));
        block
    }
}
