//! Decides how the loops of a statement run and what is done in each of their cases: a walk over the loops that follows what is known of
//! the operands.
//!
//! How results are made (`super::target`) and how operands are read (`super::survey`) is decided before this, and does not change here.

use std::sync::Arc;

use super::draft::Draft;
use super::facts::Facts;
use super::kept::Kept;
use super::known::{Followed, Known};
use super::{How, Loop, MOST_NODES, Meeting, Node, Refusal, Statement};
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
    let plan = Statement { written: facts.written.clone(), ..begun };
    let mut draft =
        Draft { facts: facts.clone(), plan, span, crowded: Vec::new(), optional: Vec::new(), followed: Vec::new() };
    draft.decide_all(stmt).map_err(|mistake| *mistake)?;
    *facts = draft.facts;
    Ok(draft.plan)
}

impl Draft<'_> {
    fn decide_all(&mut self, stmt: &Stmt) -> Result<(), Box<Diagnostic>> {
        self.targets(stmt)?;
        self.access(stmt)?;
        self.plan.root = self.decide(stmt, &Known::default())?;
        (self.plan.kept, self.plan.readings) = (self.kept.clone(), self.operands.clone());
        if self.plan.size(&self.plan.root) <= MOST_NODES {
            return Ok(());
        }
        let message =
            format!("so many sparse operands meet here that code for more than {MOST_NODES} cases would be needed");
        let mistake = Diagnostic::new(self.span, message);
        Err(Box::new(mistake.help("compute some of the terms in a statement of their own first")))
    }

    fn decide(&mut self, stmt: &Stmt, known: &Known) -> Result<Node, Box<Diagnostic>> {
        if known.path.is_empty()
            && let Some(driven) = self.driven_of(stmt)
        {
            return self.decide_driven(&driven);
        }
        match stmt {
            Stmt::Assign(assign) => self.decide_assign(assign, known),
            Stmt::Forall { index, parallel: true, body, span } => self.decide_parallel(*index, body, *span, known),
            Stmt::Forall { index, body, .. } => {
                let node = self.decide_loop(*index, body, known)?;
                Ok(self.decide_tasks(*index, body, known, node))
            }
            Stmt::Where { consumer, producer } => self.decide_where(consumer, producer, known),
            Stmt::Sequence(parts) => {
                Ok(Node::Sequence(parts.iter().map(|part| self.decide(part, known)).collect::<Result<_, _>>()?))
            }
        }
    }

    fn decide_assign(&mut self, assign: &Assign, known: &Known) -> Result<Node, Box<Diagnostic>> {
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
            return Err(Box::new(Diagnostic::new(access.span, message)));
        }
        Ok(Node::Assign { assign: Arc::new(assign.clone()), value })
    }

    fn decide_where(&mut self, consumer: &Stmt, producer: &Stmt, known: &Known) -> Result<Node, Box<Diagnostic>> {
        if self.nothing_to_do(producer, known, &[]) {
            // Where operands are missing, there may be nothing to put into the workspace at all.
            let mut without = known.clone();
            without.unwritten.extend(producer.written());
            return Ok(Node::Without(producer.written(), Box::new(self.decide(consumer, &without)?)));
        }
        let workspaces = self.workspaces(consumer, producer, known);
        let wide = self.wide(consumer, producer, known);
        workspaces.iter().for_each(|workspace| self.keep(workspace));
        let filled = Box::new(self.decide(producer, known)?);
        self.read_listed(consumer, &workspaces, known);
        let read = Box::new(self.decide(consumer, known)?);
        let consumer = Arc::new(consumer.clone());
        Ok(Node::Where { workspaces, wide, consumer, producer: filled, read })
    }

    fn decide_loop(&mut self, index: Index, body: &Stmt, outside: &Known) -> Result<Node, Box<Diagnostic>> {
        let inside = outside.inside(index);
        if let Some(at) = self.plan.find(&inside, body) {
            return Ok(Node::Loop(at));
        }
        let how = self.way_of(index, body, &inside)?;
        let cases = match &how {
            How::Cases(meeting, lattice) => self.decide_merge(meeting, lattice, body, &inside)?,
            How::Once(meeting, lattice) => {
                let counting = Known { counting: true, ..inside.clone() };
                let mut cases = self.decide_merge(meeting, lattice, body, &counting)?;
                cases.push((0, self.decide(body, &inside.entered(&meeting.merged, 0))?));
                cases
            }
            How::Flags(meeting, _) => {
                let here = self.entered(&how, &inside);
                vec![(Set::MAX, self.decide_tested(body, &meeting.active, here)?)]
            }
        };
        Ok(self.add_loop(index, body, inside, how, cases, None))
    }

    /// How the loop over `index` runs; `known` is what is known inside of it.
    fn way_of(&self, index: Index, body: &Stmt, known: &Known) -> Result<How, Box<Diagnostic>> {
        let mut how = self.once(index, body, known).unwrap_or_else(|| self.merge(index, body, known, MOST_ARMS));
        if let How::Cases(meeting, _) = &how
            && self.is_crowded(body, known, meeting)
        {
            how = self.merge_by_flags(meeting.clone(), body, known);
        }
        match self.unreadable(&how, body, known, false) {
            Some(_) => Err(self.out_of_order()),
            None => Ok(how),
        }
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
        let (leads, swaps) = match &how {
            How::Cases(meeting, lattice) => {
                let swaps = self.swaps(meeting, lattice, body, &known, deal.as_ref());
                (self.leads(meeting, lattice, &known), swaps)
            }
            How::Once(..) | How::Flags(..) => (None, None),
        };
        // A set may be a case of several loops, and each of them has code for it. `size` counts all of these, and one node is kept for them.
        let size = self.plan.size_of(&cases);
        let mut distinct: Vec<(Set, Node)> = Vec::new();
        for (set, node) in cases {
            if !distinct.iter().any(|(known, _)| *known == set) {
                distinct.push((set, node));
            }
        }
        let (body, cases) = (Arc::new(body.clone()), distinct);
        let one = Loop { index, known, body, how, leads, swaps, deal, in_order: None, cases, size };
        self.plan.loops.push(Arc::new(one));
        Node::Loop(self.plan.loops.len() - 1)
    }

    /// What is done in each case of the loops that merge operands.
    fn decide_merge(
        &mut self,
        meeting: &Meeting,
        lattice: &Lattice,
        body: &Stmt,
        known: &Known,
    ) -> Result<Vec<(Set, Node)>, Box<Diagnostic>> {
        if lattice.points.is_empty() {
            return Ok(Vec::new());
        }
        let loops = match self.leads(meeting, lattice, known) {
            Some((store, other)) => vec![1 << store | 1 << other, 1 << other],
            None if lattice.whole => vec![lattice.together()],
            None => lattice.loops(),
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
    ) -> Result<Vec<(Set, Node)>, Box<Diagnostic>> {
        let mut cases = Vec::new();
        for (set, _) in lattice.cases(iterated).into_iter().filter(|(_, needed)| *needed) {
            let mut here = known.entered(&meeting.merged, set);
            here.counting = false;
            meeting.active.iter().for_each(|&at| self.follow_located(at, &mut here));
            cases.push((set, self.decide_tested(body, &meeting.active, here)?));
        }
        Ok(cases)
    }

    /// What is done at a place of the loops, after tests of the padded operands among `operands` whose values say whether they have an
    /// entry.
    fn decide_tested(&mut self, body: &Stmt, operands: &[usize], mut known: Known) -> Result<Node, Box<Diagnostic>> {
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
        Ok(Node::Stored { at, present, absent })
    }

    fn decide_driven(&mut self, driven: &Driven<'_>) -> Result<Node, Box<Diagnostic>> {
        let Some((at, known)) = self.driver_of(driven) else { return Ok(Node::Nothing) };
        let others: Vec<usize> = (0..self.operands.len()).filter(|&other| !self.operands[other].drives).collect();
        let inner = self.decide_tested(&driven.body(), &[&[at], &others[..]].concat(), known)?;
        let deal = self.deal_driver(at, driven.assign);
        Ok(Node::Driven { at, others, assign: Arc::new(driven.assign.clone()), deal, body: Box::new(inner) })
    }

    /// A loop that the text declares parallel.
    fn decide_parallel(
        &mut self,
        index: Index,
        body: &Stmt,
        span: Span,
        known: &Known,
    ) -> Result<Node, Box<Diagnostic>> {
        if known.dealt {
            return Err(self.refuse(index, span, &Refusal::InsideParallel));
        }
        if self.appends(body) && !known.path.is_empty() {
            return Err(self.refuse(index, span, &Refusal::InsideLoop));
        }
        let inside = known.inside(index);
        let how = self.merge(index, body, &inside, usize::MAX);
        if matches!(&how, How::Cases(_, lattice) if lattice.points.is_empty()) {
            return Ok(Node::Nothing);
        }
        if self.unreadable(&how, body, &inside, true).is_some() {
            return Err(self.out_of_order());
        }
        let dealt = self.dealt(index, body, how, known, false)?;
        dealt.map_err(|refusal| self.refuse(index, span, &refusal))
    }

    /// The outermost loop, planned as `node`, in parallel where its iterations do not meet and have enough to do. Any other loop stays as
    /// it is.
    fn decide_tasks(&mut self, index: Index, body: &Stmt, known: &Known, node: Node) -> Node {
        let Node::Loop(at) = node else { return node };
        if !known.path.is_empty() || known.dealt {
            return node;
        }
        match self.in_tasks(index, body, known, at) {
            Ok(dealt) => dealt.unwrap_or(node),
            Err(refusal) => {
                Arc::make_mut(&mut self.plan.loops[at]).in_order = Some(refusal);
                node
            }
        }
    }

    /// Outermost loop number `at` in parallel; `None` if it is never run, or its cases cannot be computed in parallel.
    fn in_tasks(&mut self, index: Index, body: &Stmt, known: &Known, at: usize) -> Result<Option<Node>, Refusal> {
        if !self.gains_by_tasks(body) {
            return Err(Refusal::OnlyCopies);
        }
        let how = match self.plan.loops[at].how.clone() {
            // Visiting the entries costs less than dealing out the whole dimension.
            How::Once(meeting, _) if !meeting.merged.is_empty() => return Err(Refusal::VisitsEntries),
            // Where nothing is merged, each iteration may fold for itself.
            How::Once(..) => self.merge(index, body, &known.inside(index), usize::MAX),
            how => how,
        };
        if matches!(&how, How::Cases(_, lattice) if lattice.points.is_empty()) {
            return Ok(None);
        }
        self.dealt(index, body, how, known, true).map_or(Ok(None), |dealt| dealt.map(Some))
    }

    /// A loop whose iterations are dealt out to tasks, or why they are not.
    fn dealt(
        &mut self,
        index: Index,
        body: &Stmt,
        how: How,
        known: &Known,
        automatic: bool,
    ) -> Result<Result<Node, Refusal>, Box<Diagnostic>> {
        let (meeting, lattice, deal) = match self.deal(index, body, how, known, automatic) {
            Ok(dealt) => dealt,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let iterated = match deal.over {
            super::Over::Coordinates => 0,
            super::Over::Interval(n) | super::Over::Positions(n) | super::Over::Entries(n) => 1 << n,
        };
        let inside = Known { dealt: true, ..known.inside(index) };
        let cases = self.decide_cases(&meeting, &lattice, iterated, body, &inside)?;
        if deal.by_rows && cases.iter().any(|(_, node)| self.plan.keeps_arrays(self.kernel, node)) {
            return Ok(Err(Refusal::OwnWorkspace));
        }
        self.plan.counted.extend(deal.rows());
        Ok(Ok(self.add_loop(index, body, inside, How::Cases(meeting, lattice), cases, Some(deal))))
    }
}
