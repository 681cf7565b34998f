//! Decides how the loops of a statement run and what is done in each of their cases: a walk over the loops that follows what is known of
//! the operands.
//!
//! How results are made (`super::target`) is decided before this. How operands are read follows from their formats. If a loop cannot read an
//! operand, the walk begins anew with a sorted copy of it. A sorted copy has a compressed level for each index: it is merged with other operands
//! even where the original was looked up. Then the others may have to be sorted, too.

use std::sync::Arc;

use super::access::Why;
use super::draft::{Asked, Draft};
use super::facts::Facts;
use super::kept::Kept;
use super::known::{Followed, Known};
use super::tree::{How, Loop, MOST_CASES, MOST_NODES, Meeting, Node, Sorted, Statement};
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::lattice::{Lattice, Set};
use crate::notation::concrete::{Access, Assign, Index, Stmt};

/// The node for each set of operands.
type Cases = Vec<(Set, Node)>;

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
    let mut draft = Draft { facts: facts.clone(), plan, span };
    draft.decide_all(stmt).map_err(|mistake| *mistake)?;
    *facts = draft.facts;
    Ok(draft.plan)
}

impl Draft<'_> {
    fn decide_all(&mut self, stmt: &Stmt) -> Result<(), Box<Diagnostic>> {
        self.targets(stmt)?;
        self.plan.root = loop {
            let mut tried = self.clone();
            let decided = tried.collect(stmt, &mut Vec::new()).and_then(|()| tried.decide(stmt, &Known::default()));
            match decided {
                Ok(root) => {
                    *self = tried;
                    break root;
                }
                Err(Asked::Sort(sorted)) if !self.plan.sorted.iter().any(|known| known.is_of(&sorted)) => {
                    self.plan.sorted.push(*sorted);
                }
                Err(Asked::Idle(driver)) if !self.plan.idle.contains(&driver) => self.plan.idle.push(driver),
                Err(Asked::Wrong(mistake)) => return Err(mistake),
                Err(Asked::Sort(_) | Asked::Idle(_)) => {
                    let message = "an operand cannot be brought into the order of the loops";
                    return Err(Box::new(Diagnostic::new(self.span, message)));
                }
            }
        };
        (self.plan.kept, self.plan.readings) = (self.kept.clone(), self.operands.clone());
        if self.plan.size(&self.plan.root) <= MOST_NODES {
            return Ok(());
        }
        let message =
            format!("so many sparse operands meet here that code for more than {MOST_NODES} cases would be needed");
        let mistake = Diagnostic::new(self.span, message);
        Err(Box::new(mistake.help("compute some of the terms in a statement of their own first")))
    }

    pub fn decide(&mut self, stmt: &Stmt, known: &Known) -> Result<Node, Asked> {
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

    fn decide_assign(&mut self, assign: &Assign, known: &Known) -> Result<Node, Asked> {
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
            return Err(Asked::Wrong(Box::new(Diagnostic::new(access.span, message))));
        }
        Ok(Node::Assign { assign: Arc::new(assign.clone()), value })
    }

    fn decide_where(&mut self, consumer: &Stmt, producer: &Stmt, known: &Known) -> Result<Node, Asked> {
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
        let kernel = self.kernel;
        for one in workspaces.iter().filter(|one| one.remembers && kernel.tensor(one.id).rank > 0) {
            self.facts.read_written(consumer, one.id, known);
        }
        let read = Box::new(self.decide(consumer, known)?);
        let consumer = Arc::new(consumer.clone());
        Ok(Node::Where { workspaces, wide, consumer, producer: filled, read })
    }

    fn decide_loop(&mut self, index: Index, body: &Stmt, outside: &Known) -> Result<Node, Asked> {
        let inside = outside.inside(index);
        if let Some(at) = self.plan.find(&inside, body) {
            return Ok(Node::Loop(at));
        }
        let once = self.once(index, body, &inside);
        let mut how = once.unwrap_or_else(|| self.merge(index, body, &inside));
        let mut cases = self.cases_of(&how, body, &inside)?;
        if cases.is_none() {
            how = self.merge_by_flags(how.meeting().clone(), body, &inside);
            cases = self.cases_of(&how, body, &inside)?;
        }
        Ok(self.add_loop(index, body, inside, how, cases.unwrap_or_default(), None))
    }

    /// The node for each case of a loop; `None` if there are too many cases, and flags are used instead. `known` is what is known inside of the
    /// loop.
    fn cases_of(&mut self, how: &How, body: &Stmt, known: &Known) -> Result<Option<Cases>, Asked> {
        if let Some((at, why)) = self.unreadable(how, body, known, false) {
            return Err(self.sort(at, why));
        }
        match how {
            How::Cases(meeting, lattice) => {
                let most = if meeting.merged.len() > 1 { MOST_CASES } else { usize::MAX };
                if lattice.arms() <= most {
                    let cases = self.decide_merge(meeting, lattice, body, known, most)?;
                    if self.plan.size_of(&cases) <= most {
                        return Ok(Some(cases));
                    }
                }
                // A loop with flags advances each operand step by step. An operand that does not allow this is sorted first.
                match meeting.merged.iter().find(|&&at| !self.can_step(at, known)) {
                    Some(&at) => Err(self.sort(at, Why::Crowded(known.of(at).depth))),
                    None => Ok(None),
                }
            }
            How::Once(meeting, lattice) => {
                let counting = Known { counting: true, ..known.clone() };
                let mut cases = self.decide_merge(meeting, lattice, body, &counting, usize::MAX)?;
                cases.push((0, self.decide(body, &known.entered(&meeting.merged, 0))?));
                Ok(Some(cases))
            }
            How::Flags(meeting, flags) => {
                let mut here = known.clone();
                for (n, &at) in meeting.merged.iter().enumerate() {
                    here.follow(at, !flags.required[n]);
                }
                meeting.active.iter().for_each(|&at| self.follow_located(at, &mut here));
                Ok(Some(vec![(Set::MAX, self.decide_tested(body, &meeting.active, here)?)]))
            }
        }
    }

    /// Stops the walk: an operand is to be sorted first.
    pub fn sort(&self, at: usize, why: Why) -> Asked {
        let (access, order) = (self.operands[at].access.clone(), self.operands[at].order.clone());
        Asked::Sort(Box::new(Sorted { access, order, why }))
    }

    pub fn add_loop(
        &mut self,
        index: Index,
        body: &Stmt,
        known: Known,
        how: How,
        cases: Cases,
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
        // Code with flags is linear in the number of operands.
        let flags = if let How::Flags(meeting, _) = &how { meeting.merged.len() } else { 0 };
        let size = flags + self.plan.size_of(&cases);
        let mut distinct: Cases = Vec::new();
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

    /// The node for each case of the loops that merge operands. It stops after `most + 1` cases.
    fn decide_merge(
        &mut self,
        meeting: &Meeting,
        lattice: &Lattice,
        body: &Stmt,
        known: &Known,
        most: usize,
    ) -> Result<Cases, Asked> {
        if lattice.points.is_empty() {
            return Ok(Vec::new());
        }
        let loops = match self.leads(meeting, lattice, known) {
            Some((store, other)) => vec![1 << store | 1 << other, 1 << other],
            None if lattice.whole => vec![lattice.together()],
            None => lattice.loops(),
        };
        self.decide_cases(meeting, lattice, &loops, body, known, most)
    }

    /// The nodes of the loops over the operands of `iterated`, one for each set of operands that may be present.
    pub fn decide_cases(
        &mut self,
        meeting: &Meeting,
        lattice: &Lattice,
        iterated: &[Set],
        body: &Stmt,
        known: &Known,
        most: usize,
    ) -> Result<Cases, Asked> {
        let mut cases = Vec::new();
        let all = iterated.iter().flat_map(|&iterated| lattice.cases(iterated)).filter(|(_, needed)| *needed);
        for (set, _) in all {
            if self.plan.size_of(&cases) > most {
                break;
            }
            let mut here = known.entered(&meeting.merged, set);
            here.counting = false;
            meeting.active.iter().for_each(|&at| self.follow_located(at, &mut here));
            cases.push((set, self.decide_tested(body, &meeting.active, here)?));
        }
        Ok(cases)
    }

    /// What is done at a place of the loops, after tests of the padded operands among `operands` whose values say whether they have an
    /// entry.
    pub fn decide_tested(&mut self, body: &Stmt, operands: &[usize], mut known: Known) -> Result<Node, Asked> {
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
        missing.leave(at);
        let absent = Box::new(self.decide_tested(body, operands, missing)?);
        Ok(Node::Stored { at, present, absent })
    }
}
