//! Decides everything about a statement: a walk over its loops that follows what is known of the operands.
//!
//! The walk starts anew whenever it finds an operand that must be sorted first: a copy in order may be merged in other ways than what
//! it is a copy of.

use std::sync::Arc;

use super::draft::Draft;
use super::facts::{Facts, Stopped};
use super::kept::{From, Kept};
use super::known::{Followed, Known};
use super::{How, Loop, MOST_CASES, MOST_NODES, Meeting, Node, Statement, Why};
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::lattice::{Lattice, MOST_ARMS, Set};
use crate::notation::Driven;
use crate::notation::concrete::{Access, Assign, Index, Stmt};

/// Plans a statement; `facts` then holds how each tensor is kept after it.
///
/// # Errors
///
/// What cannot be computed, in the user's words.
pub(super) fn decide_statement(facts: &mut Facts<'_>, stmt: &Stmt, begun: Statement) -> Result<Statement, Diagnostics> {
    let mut span = Span::default();
    stmt.assigns(&mut |assign| span = assign.span);
    facts.operands.clear();
    let mut plan = Statement { copies: true, written: facts.written.clone(), ..begun };
    loop {
        let mut draft = Draft { facts: facts.clone(), plan: plan.clone(), span };
        match draft.decide_all(stmt) {
            Ok(()) => {
                *facts = draft.facts;
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
                return Err(Diagnostic::new(span, message).into());
            }
        }
        // What is sorted may be the operand whose levels a result copies.
        let copied = |making: &super::Making| matches!(draft.kept[making.id.0], Some(Kept::Copied(_)));
        plan.copies &= !draft.plan.makings.iter().any(copied);
    }
}

impl Draft<'_> {
    fn decide_all(&mut self, stmt: &Stmt) -> Result<(), Stopped> {
        self.targets(stmt)?;
        self.collect(stmt, &mut Vec::new())?;
        self.plan.root = self.decide(stmt, &Known::default())?;
        (self.plan.kept, self.plan.readings) = (self.kept.clone(), self.operands.clone());
        self.plan.results = self.results(stmt);
        if self.plan.size(&self.plan.root) <= MOST_NODES {
            return Ok(());
        }
        let message =
            format!("so many sparse operands meet here that code for more than {MOST_NODES} cases would be needed");
        let mistake = Diagnostic::new(self.span, message);
        Err(Stopped::Wrong(Box::new(mistake.help("compute some of the terms in a statement of their own first"))))
    }

    fn decide(&mut self, stmt: &Stmt, known: &Known) -> Result<Node, Stopped> {
        if known.path.is_empty()
            && let Some(driven) = self.driven_of(stmt)
        {
            return self.decide_driven(&driven);
        }
        match stmt {
            Stmt::Assign(assign) => self.decide_assign(assign, known),
            Stmt::Forall { index, parallel: true, body, span } => self.decide_parallel(*index, body, *span, known),
            Stmt::Forall { index, body, span, .. } => {
                let node = self.decide_loop(*index, body, known)?;
                match self.decide_tasks(*index, body, *span, known, &node)? {
                    Some(dealt) => Ok(dealt),
                    None => Ok(node),
                }
            }
            Stmt::Where { consumer, producer } => self.decide_where(consumer, producer, known),
            Stmt::Sequence(parts) => {
                Ok(Node::Sequence(parts.iter().map(|part| self.decide(part, known)).collect::<Result<_, _>>()?))
            }
        }
    }

    fn decide_assign(&mut self, assign: &Assign, known: &Known) -> Result<Node, Stopped> {
        let Some(value) = self.effect(assign, known, &[]) else { return Ok(Node::Nothing) };
        let mut unmade = None;
        let mut check = |access: &Access| {
            let made = match self.kept[access.tensor.0] {
                Some(Kept::Scalar { .. } | Kept::Levels(_) | Kept::Array { .. } | Kept::View) => true,
                _ => known.unwritten.contains(&access.tensor) || self.find(access, known).is_some(),
            };
            if !made {
                unmade = Some(access.clone());
            }
        };
        value.accesses(&mut check);
        assign.mask.iter().for_each(|mask| check(&mask.access));
        if let Some(access) = unmade {
            let message = format!("`{}` is read while it is being made", self.kernel.tensor(access.tensor).name);
            return Err(Stopped::Wrong(Box::new(Diagnostic::new(access.span, message))));
        }
        let shown = Assign { value: value.clone(), ..assign.clone() };
        Ok(Node::Assign { text: self.kernel.show_assign(&shown).to_string(), assign: Arc::new(assign.clone()), value })
    }

    fn decide_where(&mut self, consumer: &Stmt, producer: &Stmt, known: &Known) -> Result<Node, Stopped> {
        if self.nothing_to_do(producer, known, &[]) {
            // Where operands are missing, there may be nothing to put into the workspace at all.
            let mut without = known.clone();
            without.unwritten.extend(producer.written());
            return Ok(Node::Without(producer.written(), Box::new(self.decide(consumer, &without)?)));
        }
        let workspaces = self.workspaces(consumer, producer, known);
        let wide = self.wide(consumer, producer, known);
        let text = self.workspace_text(&workspaces, wide.is_some());
        workspaces.iter().for_each(|workspace| self.keep(workspace));
        let filled = Box::new(self.decide(producer, known)?);
        let listed = |one: &&super::Workspace| one.remembers && self.kernel.tensor(one.id).rank > 0;
        let listed: Vec<_> = workspaces.iter().filter(listed).map(|one| one.id).collect();
        for id in listed {
            self.read_from(consumer, id, known, |_| From::Written);
        }
        let read = Box::new(self.decide(consumer, known)?);
        let consumer = Arc::new(consumer.clone());
        Ok(Node::Where { text, workspaces, wide, consumer, producer: filled, read })
    }

    fn decide_loop(&mut self, index: Index, body: &Stmt, outside: &Known) -> Result<Node, Stopped> {
        let inside = outside.inside(index);
        if let Some(at) = self.plan.find(&inside, body) {
            return Ok(Node::Loop(at));
        }
        if let Some(how) = self.once(index, body, &inside) {
            let How::Once(meeting, lattice) = &how else { return Ok(Node::Nothing) };
            let missing = inside.entered(&meeting.merged, 0);
            let mut cases = Vec::new();
            if !meeting.merged.is_empty() {
                let counting = Known { counting: true, ..inside.clone() };
                cases = self.decide_merge(meeting, lattice, body, &counting)?;
            }
            cases.push((0, self.decide(body, &missing)?));
            return Ok(self.add_loop(index, body, inside, how, cases, None));
        }
        let mut how = self.merge(index, body, &inside, MOST_ARMS)?;
        if let How::Cases(meeting, lattice) = &how {
            let (before, loops) = (self.operands.clone(), self.plan.loops.len());
            let cases = self.decide_merge(meeting, lattice, body, &inside)?;
            let flags = match meeting.merged.len() > 2 && self.plan.size_of(&cases) > MOST_CASES {
                // An operand may have to be sorted for flags: then there are cases.
                true => self.merge_by_flags(meeting.clone(), body, &inside).ok(),
                false => None,
            };
            let Some(flags) = flags else { return Ok(self.add_loop(index, body, inside, how, cases, None)) };
            how = flags;
            self.operands = before;
            self.plan.loops.truncate(loops);
        }
        let How::Flags(meeting, flags) = &how else { return Ok(Node::Nothing) };
        self.check_steps(&meeting.merged, &inside)?;
        let mut here = inside.clone();
        for (&at, required) in meeting.merged.iter().zip(&flags.required) {
            here.follow(at, !required);
        }
        meeting.active.iter().for_each(|&at| self.follow_located(at, &mut here));
        let cases = vec![(Set::MAX, self.decide_tested(body, &meeting.active, here)?)];
        Ok(self.add_loop(index, body, inside, how, cases, None))
    }

    fn add_loop(
        &mut self,
        index: Index,
        body: &Stmt,
        known: Known,
        how: How,
        cases: Vec<(Set, Node)>,
        deal: Option<super::Deal>,
    ) -> Node {
        let merged = &how.meeting().merged;
        let leads = match &how {
            How::Cases(meeting, lattice) => self.leads(meeting, lattice, &known),
            How::Once(..) | How::Flags(..) => None,
        };
        let size = self.plan.size_of(&cases);
        let mut shown: Vec<(Set, Node)> = Vec::new();
        for (set, node) in cases {
            if !shown.iter().any(|(known, _)| *known == set) {
                shown.push((set, node));
            }
        }
        let name = self.kernel.indices[index.0].clone();
        let names = merged.iter().map(|&at| self.shown(at)).collect();
        let lookups = merged.iter().map(|&at| self.lookup_cost(at, &known)).collect();
        let (body, cases) = (Arc::new(body.clone()), shown);
        let one = Loop { name, index, known, body, how, leads, deal, names, lookups, cases, size };
        self.plan.loops.push(Arc::new(one));
        Node::Loop(self.plan.loops.len() - 1)
    }

    /// What loops do that merge operands case by case.
    fn decide_merge(
        &mut self,
        meeting: &Meeting,
        lattice: &Lattice,
        body: &Stmt,
        known: &Known,
    ) -> Result<Vec<(Set, Node)>, Stopped> {
        let merged = &meeting.merged;
        let chosen = |set: Set| -> Vec<usize> {
            merged.iter().enumerate().filter(|(n, _)| set & (1 << n) != 0).map(|(_, &at)| at).collect()
        };
        if lattice.points.is_empty() {
            return Ok(Vec::new());
        }
        if lattice.whole {
            self.check_steps(&chosen(lattice.together()), known)?;
            return self.decide_cases(meeting, lattice, lattice.together(), body, known);
        }
        let loops = lattice.loops();
        if let [only] = loops[..]
            && only.count_ones() == 1
        {
            let at = merged[only.trailing_zeros() as usize];
            if self.needs_order(body) && !self.is_ordered(at, known) {
                return Err(self.sort_first(at, known, Why::Appended));
            }
            return self.decide_cases(meeting, lattice, only, body, known);
        }
        let loops = match self.leads(meeting, lattice, known) {
            Some((store, other)) => {
                self.check_steps(&[merged[other]], known)?;
                vec![1 << store | 1 << other, 1 << other]
            }
            None => {
                self.check_steps(&chosen(lattice.together()), known)?;
                loops
            }
        };
        let mut cases = Vec::new();
        for set in loops {
            cases.extend(self.decide_cases(meeting, lattice, set, body, known)?);
        }
        Ok(cases)
    }

    /// What one loop over the operands of `iterated` does for each set of operands that may be there.
    fn decide_cases(
        &mut self,
        meeting: &Meeting,
        lattice: &Lattice,
        iterated: Set,
        body: &Stmt,
        known: &Known,
    ) -> Result<Vec<(Set, Node)>, Stopped> {
        let mut cases = Vec::new();
        for (set, _) in lattice.cases(iterated).into_iter().filter(|(_, needed)| *needed) {
            let mut here = known.entered(&meeting.merged, set);
            here.counting = false;
            meeting.active.iter().for_each(|&at| self.follow_located(at, &mut here));
            cases.push((set, self.decide_tested(body, &meeting.active, here)?));
        }
        Ok(cases)
    }

    /// What is done where padded operands have been reached.
    fn decide_tested(&mut self, body: &Stmt, operands: &[usize], mut known: Known) -> Result<Node, Stopped> {
        let tested = self.tested(operands, body, &known);
        let Some(&at) = tested.first() else { return self.decide(body, &known) };
        let followed = known.of(at);
        let flag = self.tests_by_flag(&tested, &known);
        known.set(at, Followed { tested: true, flagged: flag, ..followed });
        let mut missing = known.clone();
        let present = Box::new(self.decide_tested(body, operands, known)?);
        if flag {
            return Ok(Node::Flagged { at, body: present });
        }
        missing.set(at, Followed { absent: true, ..followed });
        let absent = Box::new(self.decide_tested(body, operands, missing)?);
        Ok(Node::Stored { at, access: self.shown(at), present, absent })
    }

    fn decide_driven(&mut self, driven: &Driven<'_>) -> Result<Node, Stopped> {
        let order = Facts::order_of(&driven.driver, &driven.path());
        let drives = |at: &usize| {
            let one = &self.operands[*at];
            one.drives && one.access == driven.driver && one.order == order
        };
        let Some(at) = (0..self.operands.len()).find(drives) else { return Ok(Node::Nothing) };
        let mut known = Known { path: order, driver: Some(at), ..Known::default() };
        known.set(at, Followed { depth: self.depth_of(at), ..Followed::default() });
        let others: Vec<usize> = (0..self.operands.len()).filter(|&other| !self.operands[other].drives).collect();
        others.iter().for_each(|&other| self.follow_located(other, &mut known));
        let body = Stmt::foralls(driven.rest.clone(), Stmt::Assign(driven.assign.clone()), driven.assign.span);
        let inner = self.decide_tested(&body, &[&[at], &others[..]].concat(), known).map_err(|why| match why {
            Stopped::Sort(_) => Stopped::Idle(self.driven_text(driven)),
            why => why,
        })?;
        let access = self.kernel.show_access(&driven.driver);
        Ok(Node::Driven { at, access, others, assign: Arc::new(driven.assign.clone()), body: Box::new(inner) })
    }

    /// A loop that the text declares parallel.
    fn decide_parallel(&mut self, index: Index, body: &Stmt, span: Span, known: &Known) -> Result<Node, Stopped> {
        if known.dealt {
            let why = "it stands inside of another parallel loop";
            return Err(Stopped::Wrong(self.refuse(index, span, why, "let one of them run in order")));
        }
        if self.appends(body) && !known.path.is_empty() {
            let why = "a sparse result is made in it, and it stands inside of another loop";
            return Err(Stopped::Wrong(self.refuse(index, span, why, "let the outermost loop run in parallel")));
        }
        let how = self.merge(index, body, &known.inside(index), usize::MAX)?;
        if matches!(&how, How::Cases(_, lattice) if lattice.points.is_empty()) {
            return Ok(Node::Nothing);
        }
        let node = self.dealt(index, body, span, how, known, false)?;
        let counted = body.written().into_iter().filter(|id| matches!(self.kept[id.0], Some(Kept::Appended { .. })));
        let counted: Vec<_> = counted.collect();
        self.plan.counted.extend(counted);
        Ok(node)
    }

    /// The outermost loop, planned as `node`, in parallel where its iterations do not meet and have enough to do; `None` if it runs in
    /// order.
    fn decide_tasks(
        &mut self,
        index: Index,
        body: &Stmt,
        span: Span,
        known: &Known,
        node: &Node,
    ) -> Result<Option<Node>, Stopped> {
        let Node::Loop(at) = node else { return Ok(None) };
        if !known.path.is_empty() || known.dealt || !self.gains_by_tasks(body) {
            return Ok(None);
        }
        let how = match self.plan.loops[*at].how.clone() {
            // Visiting the entries costs less than dealing out the whole dimension.
            How::Once(meeting, _) if !meeting.merged.is_empty() => return Ok(None),
            // Where nothing is merged, each iteration may fold for itself.
            How::Once(..) => self.merge(index, body, &known.inside(index), usize::MAX)?,
            how => how,
        };
        if matches!(&how, How::Cases(_, lattice) if lattice.points.is_empty()) {
            return Ok(None);
        }
        match self.dealt(index, body, span, how, known, true) {
            Ok(node) => Ok(Some(node)),
            Err(Stopped::Wrong(_)) => Ok(None),
            Err(why) => Err(why),
        }
    }

    /// A loop whose iterations are dealt out to tasks.
    fn dealt(
        &mut self,
        index: Index,
        body: &Stmt,
        span: Span,
        how: How,
        known: &Known,
        automatic: bool,
    ) -> Result<Node, Stopped> {
        let (meeting, lattice, deal) = self.deal((index, body, span), how, known, automatic).map_err(Stopped::Wrong)?;
        let iterated = match deal.over {
            super::Over::Coordinates => 0,
            super::Over::Interval(n) | super::Over::Positions(n) | super::Over::Entries(n) => 1 << n,
        };
        let inside = Known { dealt: true, ..known.inside(index) };
        let cases = self.decide_cases(&meeting, &lattice, iterated, body, &inside)?;
        if deal.by_rows && cases.iter().any(|(_, node)| self.plan.keeps_arrays(self.kernel, node)) {
            let why = "each task would need a workspace of its own, and an outer level deals out its rows itself";
            return Err(Stopped::Wrong(self.refuse(index, span, why, "let the loop run in order")));
        }
        Ok(self.add_loop(index, body, inside, How::Cases(meeting, lattice), cases, Some(deal)))
    }
}
