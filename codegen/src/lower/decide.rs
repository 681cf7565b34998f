//! Decides everything about a statement before any of it is lowered: a walk over its loops that emits nothing.
//!
//! The walk starts anew whenever it finds an operand that must be sorted first: a copy in order may be merged in other ways than what
//! it is a copy of. As nothing has been emitted, there is nothing to take back.

use std::collections::BTreeMap;

use super::drive::path;
use super::loops::{Merge, Plan};
use super::nest::{Lower, Reached, Source, State, Storage};
use super::storage::Pos;
use super::{Open, Stopped, targets};
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::ir::{self, Block, Scalar};
use crate::lattice::{Lattice, MOST_ARMS, Set};
use crate::level::{Growth, Walk};
use crate::notation::Driven;
use crate::notation::concrete::{Access, Assign, Index, Kernel, Role, Stmt, TensorId};
use crate::plan::{self, How, Loop, Made, Meeting, Node, Reach, Target, Why};

impl plan::Statement {
    /// Remembers how an operand is read.
    pub(super) fn note_operand(&mut self, kernel: &Kernel, access: &Access, how: Reach, why: Option<Why>) {
        let why = match (how, why) {
            (_, Some(why)) => why.show(kernel, access),
            (Reach::Located, _) => "every value is found by its coordinates".into(),
            (Reach::Direct, _) => "its levels come in the order of the loops".into(),
            (Reach::Chained, _) => "equal coordinates that follow each other are taken as one".into(),
            (Reach::Driver, _) => "its entries may come in any order: what is computed is added up".into(),
            _ => String::new(),
        };
        let operand = plan::Operand { access: kernel.show_access(access).to_string(), how, why };
        if !self.operands.contains(&operand) {
            self.operands.push(operand);
        }
    }
}

impl Lower<'_> {
    /// Forgets the statement before.
    pub(super) fn start(&mut self) {
        self.operands.clear();
        (self.prelude, self.cases) = (Block::new(), 0);
        (self.scratch, self.automatic) = (None, false);
    }

    /// The plan of a statement.
    pub(super) fn decided(&self, stmt: &Stmt) -> Result<plan::Statement, Diagnostics> {
        let text = self.kernel.show(stmt).to_string();
        let mut plan = plan::Statement { text, copies: true, ..plan::Statement::default() };
        loop {
            let mut draft = self.clone();
            draft.plan = plan.clone();
            let mut open = Vec::new();
            targets(&mut draft, stmt, &mut Block::new(), &mut BTreeMap::new(), &mut open)?;
            draft.start();
            match draft.collect(stmt, &mut Vec::new()).and_then(|()| draft.decide(stmt, &State::default())) {
                Ok(root) => {
                    draft.plan.root = root;
                    draft.plan.results = draft.results(stmt, &open);
                    return Ok(draft.plan);
                }
                Err(Stopped::Wrong(mistake)) => return Err((*mistake).into()),
                Err(Stopped::Idle(driver)) if !plan.idle.contains(&driver) => plan.idle.push(driver),
                Err(Stopped::Sort(sorted))
                    if !plan.sorted.iter().any(|one| one.access == sorted.access && one.order == sorted.order) =>
                {
                    plan.sorted.push(*sorted);
                }
                Err(_) => {
                    let message = "an operand cannot be brought into the order of the loops";
                    return Err(Diagnostic::new(self.span, message).into());
                }
            }
            // What is sorted may be the operand whose levels a result copies.
            plan.copies &= !open.iter().any(|made| matches!(draft.stores[made.id.0], Some(Storage::Shaped(_))));
        }
    }

    /// How the results of a statement are made.
    fn results(&self, stmt: &Stmt, open: &[Open]) -> Vec<Target> {
        let mut found: Vec<Target> = Vec::new();
        stmt.assigns(&mut |assign| {
            let id = assign.target.tensor;
            if self.kernel.tensor(id).role == Role::Workspace {
                return;
            }
            let how = match &self.stores[id.0] {
                Some(Storage::Append(_)) => Made::Appended,
                Some(Storage::Shaped(shaped)) => Made::Copied(self.kernel.show_access(shaped.of()).to_string()),
                Some(Storage::List(list)) if list.in_order => Made::Collected,
                Some(Storage::List(_)) if open.iter().any(|made| made.id == id) => Made::Sorted,
                Some(Storage::Scalar { .. }) => Made::Scalar,
                _ => Made::InPlace,
            };
            let target = Target { access: self.kernel.show_access(&assign.target).to_string(), how };
            if !found.contains(&target) {
                found.push(target);
            }
        });
        found
    }

    /// How a loop runs, by the plan; `state` is that inside of the loop.
    pub(super) fn how(&self, index: Index, body: &Stmt, state: &State) -> Result<Plan, Stopped> {
        let merge = |meeting: &Meeting, lattice: &Lattice| {
            let Meeting { active, merged } = meeting.clone();
            Merge { active, merged, lattice: lattice.clone() }
        };
        match self.plan.find(&self.known(state), body).map(|at| &self.plan.loops[at].how) {
            Some(How::Cases(meeting, lattice)) => Ok(Plan::Cases(merge(meeting, lattice))),
            Some(How::Once(meeting, lattice)) => Ok(Plan::Once(merge(meeting, lattice))),
            Some(How::Flags(meeting, flags)) => {
                let Meeting { active, merged } = meeting.clone();
                Ok(Plan::Flags(super::flags::Flagged { active, merged, flags: flags.clone() }))
            }
            None => match self.once(index, body, state) {
                Some(once) => Ok(Plan::Once(once)),
                None => self.merge(index, body, state, MOST_ARMS),
            },
        }
    }

    fn decide(&mut self, stmt: &Stmt, state: &State) -> Result<Node, Stopped> {
        if state.path.is_empty()
            && let Some(driven) = self.driven_of(stmt)
        {
            return self.decide_driven(&driven);
        }
        match stmt {
            Stmt::Assign(assign) => Ok(match self.effect(assign, state, &[]) {
                None => Node::Nothing,
                Some(value) => Node::Assign(self.kernel.show_assign(&Assign { value, ..assign.clone() }).to_string()),
            }),
            Stmt::Forall { index, parallel: true, body, span } => self.decide_parallel(*index, body, *span, state),
            Stmt::Forall { index, body, .. } => self.decide_loop(*index, body, state),
            Stmt::Where { consumer, producer } => self.decide_where(consumer, producer, state),
            Stmt::Sequence(parts) => {
                Ok(Node::Sequence(parts.iter().map(|part| self.decide(part, state)).collect::<Result<_, _>>()?))
            }
        }
    }

    fn decide_where(&mut self, consumer: &Stmt, producer: &Stmt, state: &State) -> Result<Node, Stopped> {
        if self.nothing_to_do(producer, state, &[]) {
            let mut without = state.clone();
            without.gone.extend(producer.written());
            return self.decide(consumer, &without);
        }
        let workspace = self.workspace_words(consumer, producer, state);
        let made = self.make_workspaces(consumer, producer, None, state);
        let producer = Box::new(self.decide(producer, state)?);
        for (id, vals, marks) in made.marked {
            self.read_from(consumer, id, |_| Source::Marked(vals, marks), state);
        }
        Ok(Node::Where { workspace, producer, consumer: Box::new(self.decide(consumer, state)?) })
    }

    /// What a producer writes to and how that is kept, in words.
    fn workspace_words(&self, consumer: &Stmt, producer: &Stmt, state: &State) -> String {
        let words = |&id: &TensorId| {
            let tensor = self.kernel.tensor(id);
            let kept = if tensor.rank == 0 {
                "a scalar"
            } else if self.may_be_wide(consumer, producer, state).is_some() {
                "an array with a list of what was written; a sorted list where its extent is far beyond the entries"
            } else if tensor.rank == 1 && self.is_listed(consumer, id, state) {
                "an array with a list of what was written"
            } else {
                "an array"
            };
            format!("{}: {kept}", tensor.name)
        };
        let written = producer.written();
        let own = written.iter().filter(|id| self.kernel.tensor(**id).role == Role::Workspace);
        own.map(words).collect::<Vec<_>>().join("; ")
    }

    fn decide_loop(&mut self, index: Index, body: &Stmt, state: &State) -> Result<Node, Stopped> {
        let mut inside = state.clone();
        inside.path.push(index);
        if let Some(known) = self.plan.find(&self.known(&inside), body) {
            return Ok(Node::Loop(known));
        }
        if let Some(once) = self.once(index, body, &inside) {
            let mut missing = self.present_in(&once.merged, 0, &inside);
            missing.indices.insert(index, ir::usize(0));
            let mut cases = Vec::new();
            if !once.merged.is_empty() {
                let counting = State { counts: Some(self.vars.fresh("count", Scalar::Usize)), ..inside.clone() };
                cases = self.decide_merge(index, &once, body, counting)?;
            }
            cases.push((0, self.decide(body, &missing)?));
            return Ok(self.add_loop(index, body, &inside, Plan::Once(once), cases));
        }
        let mut how = self.merge(index, body, &inside, MOST_ARMS)?;
        if let Plan::Cases(merge) = &how {
            let (before, known) = (self.operands.clone(), self.plan.loops.len());
            let cases = self.decide_merge(index, merge, body, inside.clone())?;
            if merge.merged.len() < 3 || self.size(&cases) <= plan::MOST_CASES {
                return Ok(self.add_loop(index, body, &inside, how, cases));
            }
            let Merge { active, merged, .. } = merge.clone();
            match self.merge_by_flags(body, &inside, active, merged) {
                Ok(flags) => how = flags,
                // An operand would have to be sorted for it.
                Err(_) => return Ok(self.add_loop(index, body, &inside, how, cases)),
            }
            self.operands = before;
            self.plan.loops.truncate(known);
        }
        let cases = match &how {
            Plan::Flags(flags) => self.decide_flags(index, flags, body, &inside)?,
            Plan::Cases(merge) | Plan::Once(merge) => self.decide_merge(index, merge, body, inside.clone())?,
        };
        Ok(self.add_loop(index, body, &inside, how, cases))
    }

    fn size(&self, cases: &[(Set, Node)]) -> usize {
        cases.iter().map(|(_, node)| 1 + self.plan.size(node)).sum()
    }

    fn add_loop(&mut self, index: Index, body: &Stmt, inside: &State, how: Plan, cases: Vec<(Set, Node)>) -> Node {
        let (how, merged) = match how {
            Plan::Cases(Merge { active, merged, lattice }) => {
                (How::Cases(Meeting { active, merged: merged.clone() }, lattice), merged)
            }
            Plan::Once(Merge { active, merged, lattice }) => {
                (How::Once(Meeting { active, merged: merged.clone() }, lattice), merged)
            }
            Plan::Flags(flags) => {
                let meeting = Meeting { active: flags.active, merged: flags.merged.clone() };
                (How::Flags(meeting, flags.flags), flags.merged)
            }
        };
        let size = self.size(&cases);
        let mut shown: Vec<(Set, Node)> = Vec::new();
        for (set, node) in cases {
            if !shown.iter().any(|(known, _)| *known == set) {
                shown.push((set, node));
            }
        }
        self.plan.loops.push(Loop {
            index: self.kernel.indices[index.0].clone(),
            known: self.known(inside),
            body: body.clone(),
            how,
            names: { merged.iter() }
                .map(|&at| self.kernel.show_access(&self.operands[at].access).to_string())
                .collect(),
            lookups: merged.iter().map(|&at| self.lookup_cost(at, inside)).collect(),
            cases: shown,
            size,
        });
        Node::Loop(self.plan.loops.len() - 1)
    }

    /// What a lookup in the next level of an operand costs.
    fn lookup_cost(&self, at: usize, state: &State) -> Option<Growth> {
        let Source::Levels(levels, _) = &self.operands[at].source else { return None };
        let level = &levels.format.levels[self.reached(at, state).depth];
        level.kind.costs(&level.switches).lookup
    }

    /// What loops do that merge operands case by case.
    fn decide_merge(
        &mut self,
        index: Index,
        merge: &Merge,
        body: &Stmt,
        mut state: State,
    ) -> Result<Vec<(Set, Node)>, Stopped> {
        let Merge { merged, lattice, .. } = merge;
        state.indices.insert(index, ir::usize(0));
        if lattice.points.is_empty() {
            return Ok(Vec::new());
        }
        if lattice.whole {
            let set = ((1 << merged.len()) - 1) & !lattice.located;
            self.check_steps(&chosen(merged, set), &state)?;
            return self.decide_cases(merge, set, body, &state);
        }
        let loops = lattice.loops();
        if let [only] = loops[..]
            && only.count_ones() == 1
        {
            let at = merged[only.trailing_zeros() as usize];
            if self.needs_order(body) && !self.is_ordered(at, &state) {
                return Err(self.sort_first(at, &state, Why::Appended));
            }
            return self.decide_cases(merge, only, body, &state);
        }
        if state.counts.is_none()
            && let Some((store, other)) = self.leads(merge, &state)
        {
            self.check_steps(&[merged[other]], &state)?;
            let mut cases = self.decide_cases(merge, 1 << store | 1 << other, body, &state)?;
            cases.extend(self.decide_cases(merge, 1 << other, body, &state)?);
            return Ok(cases);
        }
        let together = loops.iter().fold(0, |all, set| all | set);
        self.check_steps(&chosen(merged, together), &state)?;
        let mut cases = Vec::new();
        for set in loops {
            cases.extend(self.decide_cases(merge, set, body, &state)?);
        }
        Ok(cases)
    }

    /// Asks for operands to be sorted that have no cursor.
    fn check_steps(&self, operands: &[usize], state: &State) -> Result<(), Stopped> {
        for &at in operands {
            match self.walk(at, state) {
                Walk::Positions { present: Some(_), .. } => return Err(self.sort_first(at, state, Why::Merged)),
                Walk::Entries { .. } if self.reached(at, state).flag.is_some() => {
                    return Err(self.sort_first(at, state, Why::Missing));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What one loop over the operands of `iterated` does for each set of operands that may be there.
    fn decide_cases(
        &mut self,
        merge: &Merge,
        iterated: Set,
        body: &Stmt,
        state: &State,
    ) -> Result<Vec<(Set, Node)>, Stopped> {
        let Merge { active, merged, lattice } = merge;
        let mut cases = Vec::new();
        for (set, _) in lattice.cases(iterated).into_iter().filter(|(_, needed)| *needed) {
            let mut inside = state.clone();
            inside.counts = None;
            for (n, &at) in merged.iter().enumerate() {
                let mut reached = self.reached(at, &inside).into_owned();
                if set & (1 << n) == 0 {
                    reached.absent = true;
                } else {
                    reached.pos = self.some_position(at, &inside);
                    reached.above.push(ir::usize(0));
                    reached.depth += 1;
                    reached.flag = None;
                }
                inside.operands.insert(at, reached);
            }
            for &at in active {
                self.settle(at, &mut inside, &mut Block::new())?;
            }
            cases.push((set, self.decide_told(body, active, inside)?));
        }
        Ok(cases)
    }

    /// A position of the kind that an operand has below its next level.
    fn some_position(&self, at: usize, state: &State) -> Pos {
        let Source::Levels(levels, _) = &self.operands[at].source else { return Pos::At(ir::usize(0)) };
        let depth = self.reached(at, state).depth;
        if levels.format.levels[depth].is_store() {
            levels.below(depth, ir::bool(true))
        } else if self.is_chained(at, state) && depth + 1 < levels.format.levels.len() {
            Pos::Span(ir::usize(0), ir::usize(0))
        } else {
            Pos::At(ir::usize(0))
        }
    }

    /// What one loop does that has a flag for each operand.
    fn decide_flags(
        &mut self,
        index: Index,
        merge: &super::flags::Flagged,
        body: &Stmt,
        state: &State,
    ) -> Result<Vec<(Set, Node)>, Stopped> {
        self.check_steps(&merge.merged, state)?;
        let mut inside = state.clone();
        inside.indices.insert(index, ir::usize(0));
        for (n, &at) in merge.merged.iter().enumerate() {
            let mut reached = self.reached(at, &inside).into_owned();
            reached.pos = self.some_position(at, &inside);
            reached.above.push(ir::usize(0));
            reached.depth += 1;
            reached.flag = (!merge.flags.required[n]).then(|| self.vars.fresh("here", Scalar::Bool));
            inside.operands.insert(at, reached);
        }
        for &at in &merge.active {
            self.settle(at, &mut inside, &mut Block::new())?;
        }
        Ok(vec![(Set::MAX, self.decide_told(body, &merge.active, inside)?)])
    }

    /// What is done where operands have been reached that have places for more than their entries.
    fn decide_told(&mut self, body: &Stmt, operands: &[usize], mut state: State) -> Result<Node, Stopped> {
        let asked = self.asked(operands, body, &state);
        let Some(&at) = asked.first() else { return self.decide(body, &state) };
        let mut reached = self.reached(at, &state).into_owned();
        if self.asks_by_flag(&asked, &state) {
            reached.flag = Some(self.vars.fresh("here", Scalar::Bool));
            state.told.push(at);
            state.operands.insert(at, reached);
            return self.decide_told(body, operands, state);
        }
        let (mut there, mut missing) = (state.clone(), state);
        there.told.push(at);
        reached.absent = true;
        missing.operands.insert(at, reached);
        Ok(Node::Stored {
            access: self.kernel.show_access(&self.operands[at].access).to_string(),
            there: Box::new(self.decide_told(body, operands, there)?),
            missing: Box::new(self.decide_told(body, operands, missing)?),
        })
    }

    fn decide_driven(&mut self, driven: &Driven<'_>) -> Result<Node, Stopped> {
        let levels = self.driver(&driven.driver)?;
        let order = Self::order_of(&driven.driver, &path(driven));
        let mut state = State { path: order.clone(), ..State::default() };
        state.indices.extend(order.iter().map(|&index| (index, ir::usize(0))));
        let depth = levels.format.levels.len();
        let above = vec![ir::usize(0); depth];
        let pos = Pos::At(ir::usize(0));
        let (at, others) = self.enter(driven, &mut state, Reached { depth, pos, above, absent: false, flag: None })?;
        for &other in &others {
            self.settle(other, &mut state, &mut Block::new())?;
        }
        let body = Stmt::foralls(driven.rest.clone(), Stmt::Assign(driven.assign.clone()), driven.assign.span);
        let inner = self.decide_told(&body, &[&[at], &others[..]].concat(), state).map_err(|why| match why {
            Stopped::Sort(_) => Stopped::Idle(self.undriven(driven)),
            why => why,
        })?;
        let access = self.kernel.show_access(&driven.driver).to_string();
        Ok(Node::Driven { access, body: Box::new(inner) })
    }

    /// A loop that is asked to run in parallel. What forbids it is said when it is lowered.
    fn decide_parallel(&mut self, index: Index, body: &Stmt, span: Span, state: &State) -> Result<Node, Stopped> {
        let mut inside = state.clone();
        inside.path.push(index);
        let Plan::Cases(mut merge) = self.merge(index, body, &inside, usize::MAX)? else { return Ok(Node::Nothing) };
        let Ok(shares) = self.shares(index, body, span, state) else { return Ok(Node::Nothing) };
        let planned = Plan::Cases(merge.clone());
        let leader = match merge.lattice.loops()[..] {
            [only] if only.count_ones() == 1 => Some(only.trailing_zeros() as usize),
            _ => None,
        };
        let appends = body.written().iter().any(|id| matches!(self.stores[id.0], Some(Storage::Append(_))));
        let outer = leader.is_some_and(|n| self.holds_rows(merge.merged[n], &inside));
        let all = (1 << merge.merged.len()) - 1;
        let searched = (0..merge.merged.len()).filter(|&n| self.can_locate(merge.merged[n], state));
        let searched = searched.fold(0, |set, n| set | 1 << n);
        if searched == all && !(outer && !appends && shares.reductions.is_empty()) {
            merge.lattice.over_dimension(searched);
        }
        let located = merge.lattice.whole && all & !merge.lattice.located == 0;
        let iterated = if located { 0 } else { leader.map_or(0, |n| 1 << n) };
        inside.indices.insert(index, ir::usize(0));
        let cases = self.decide_cases(&merge, iterated, body, &inside)?;
        Ok(self.add_loop(index, body, &inside, planned, cases))
    }
}

/// The operands of a set.
fn chosen(merged: &[usize], set: Set) -> Vec<usize> {
    merged.iter().enumerate().filter(|(n, _)| set & (1 << n) != 0).map(|(_, &at)| at).collect()
}
