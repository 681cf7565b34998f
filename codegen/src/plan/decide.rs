//! Decides how the loops of a statement run and what is done in each of their cases: a walk over the loops that follows what is known of
//! the operands.
//!
//! How results are made (`super::target`) is decided before this. How operands are read follows from their formats. If a loop cannot read an
//! operand, the walk begins anew with a sorted copy of it. A sorted copy has a compressed level for each index: it is merged with other operands
//! even where the original was looked up. Then the others may have to be sorted, too.

use std::sync::Arc;

use super::choice::Deal;
use super::draft::{Asked, Draft};
use super::kept::Kept;
use super::known::{Followed, Known};
use super::tree::{By, Case, How, Loop, MOST_CASES, MOST_NODES, Merge, Node, Sorted, Where};
use crate::diagnostic::{Diagnostic, Span};
use crate::lattice::Set;
use crate::notation::concrete::{Assign, Index, Stmt, TensorId};

/// How many operands are tested by value with code of their own for each answer. Where there are more, a flag keeps the answer.
const MOST_TESTED: usize = 2;

impl Draft<'_> {
    /// Plans the statement.
    ///
    /// # Errors
    ///
    /// What cannot be computed, in the user's words.
    pub fn decide_all(&mut self, stmt: &Stmt) -> Result<(), Box<Diagnostic>> {
        let mut span = Span::default();
        stmt.assigns(&mut |assign| span = assign.span);
        self.targets(stmt)?;
        self.plan.root = loop {
            let mut tried = self.clone();
            let decided = tried.collect(stmt).and_then(|()| tried.decide(stmt, &Known::default()));
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
                Err(Asked::Sort(sorted)) => {
                    let access = self.kernel.show_access(&sorted.access);
                    let message = format!("`{access}` cannot be read in the order of the loops, even as a sorted copy");
                    return Err(Box::new(Diagnostic::new(span, message).note(sorted.why)));
                }
                Err(Asked::Idle(driver)) => {
                    return Err(Box::new(Diagnostic::new(span, format!("no loops compute `{driver}`"))));
                }
            }
        };
        if self.plan.size(&self.plan.root) <= MOST_NODES {
            return Ok(());
        }
        let message =
            format!("so many sparse operands meet here that code for more than {MOST_NODES} cases would be needed");
        let mistake = Diagnostic::new(span, message);
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
        match self.assignment(assign, value, known) {
            Ok(assignment) => Ok(assignment.map_or(Node::Nothing, |one| Node::Assign(Arc::new(one)))),
            Err(access) => {
                let message = format!("`{}` is read while it is being made", self.kernel.tensor(access.tensor).name);
                Err(Asked::Wrong(Box::new(Diagnostic::new(access.span, message))))
            }
        }
    }

    fn decide_where(&mut self, consumer: &Stmt, producer: &Stmt, known: &Known) -> Result<Node, Asked> {
        if self.nothing_to_do(producer, known, &[]) {
            // Where operands are missing, there may be nothing to put into the workspace at all.
            let mut without = known.clone();
            without.unwritten.extend(producer.written());
            return self.decide(consumer, &without);
        }
        let workspaces = self.workspaces(consumer, producer, known);
        let wide = self.wide(consumer, producer, known);
        workspaces.iter().for_each(|workspace| self.keep(workspace));
        let producer = self.decide(producer, known)?;
        let kernel = self.kernel;
        for one in workspaces.iter().filter(|one| one.remembers && kernel.tensor(one.id).rank > 0) {
            self.read_written(consumer, one.id, known);
        }
        let read = self.decide(consumer, known)?;
        Ok(Node::Where(Box::new(Where { workspaces, wide, producer, read })))
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
            how = self.merge_by_flags(how.active, how.merged, body, &inside);
            cases = self.cases_of(&how, body, &inside)?;
        }
        Ok(self.add_loop(index, body, inside, how, cases.unwrap_or_default(), None))
    }

    /// The node for each case of a loop; `None` if there are too many cases, and flags are used instead. `known` is what is known inside of the
    /// loop.
    fn cases_of(&mut self, how: &How, body: &Stmt, known: &Known) -> Result<Option<Vec<Case>>, Asked> {
        if let Some((at, why)) = self.unreadable(how, body, known, false) {
            return Err(self.sort(at, why));
        }
        match &how.by {
            By::Cases(lattice, loops) => {
                let most = if how.merged.len() > 1 { self.plan.most_cases } else { usize::MAX };
                if lattice.arms() <= most {
                    let cases = self.decide_merge(how, *loops, body, known, most)?;
                    if self.plan.size_of(&cases) <= most {
                        return Ok(Some(cases));
                    }
                }
                // A loop with flags advances each operand step by step. An operand that does not allow this is sorted first.
                match how.merged.iter().find(|&&at| !self.can_step(at, known)) {
                    Some(&at) => {
                        let level = self.level_name(at, known);
                        let why = "so many operands meet that flags take the place of cases";
                        Err(self.sort(at, format!("{why}, and `{level}` cannot be stepped through in order")))
                    }
                    None => Ok(None),
                }
            }
            By::Once(_, loops) => {
                // Flags visit all coordinates. They are used only where the kernel is too long without, and an array has all coordinates.
                let most = self.plan.most_cases;
                let most = if most < MOST_CASES[0] && self.spans(body, known) { most } else { usize::MAX };
                let mut cases = self.decide_merge(how, *loops, body, known, most)?;
                if self.plan.size_of(&cases) > most {
                    return Ok(None);
                }
                let node = self.decide(body, &known.entered(&how.merged, 0))?;
                cases.push(Case { set: 0, searched: Vec::new(), entries: Vec::new(), node });
                Ok(Some(cases))
            }
            By::Flags(flags) => {
                let mut here = known.clone();
                for (n, &at) in how.merged.iter().enumerate() {
                    here.follow(at, !flags.required[n]);
                }
                Ok(Some(vec![self.decide_case(Set::MAX, body, &how.active, here)?]))
            }
        }
    }

    /// Stops the walk: an operand is to be sorted first.
    pub fn sort(&self, at: usize, why: String) -> Asked {
        let (access, order) = (self.readings[at].access.clone(), self.readings[at].order.clone());
        Asked::Sort(Box::new(Sorted { access, order, why }))
    }

    pub fn add_loop(
        &mut self,
        index: Index,
        body: &Stmt,
        known: Known,
        how: How,
        cases: Vec<Case>,
        deal: Option<Deal>,
    ) -> Node {
        let skips = self.skips(&how, body, &known);
        let swaps = self.swaps(&how, body, &known, deal.as_ref());
        // A set may be a case of several loops, and each of them has code for it. `size` counts all of these, and one node is kept for them.
        // Code with flags is linear in the number of operands.
        let flags = if how.lattice().is_none() { how.merged.len() } else { 0 };
        let size = flags + self.plan.size_of(&cases);
        let mut distinct: Vec<Case> = Vec::new();
        for case in cases {
            if !distinct.iter().any(|known| known.set == case.set) {
                distinct.push(case);
            }
        }
        let ordered = self.needs_order(body);
        let (body, cases) = (Arc::new(body.clone()), distinct);
        let one = Loop { index, known, body, how, swaps, skips, ordered, deal, in_order: None, cases, size };
        self.plan.loops.push(Arc::new(one));
        Node::Loop(self.plan.loops.len() - 1)
    }

    /// The node for each case of the loops that merge operands. It stops after `most + 1` cases.
    fn decide_merge(
        &mut self,
        how: &How,
        loops: Merge,
        body: &Stmt,
        known: &Known,
        most: usize,
    ) -> Result<Vec<Case>, Asked> {
        let Some(lattice) = how.lattice() else { return Ok(Vec::new()) };
        let iterated = match loops {
            Merge::Never => Vec::new(),
            Merge::Count => vec![lattice.together()],
            Merge::Walk(n) => vec![1 << n],
            Merge::Lead { store, other } => vec![1 << store | 1 << other, 1 << other],
            Merge::SideBySide => lattice.loops(),
        };
        self.decide_cases(how, &iterated, body, known, most)
    }

    /// The nodes of the loops over the operands of `iterated`, one for each set of operands that may be present.
    pub fn decide_cases(
        &mut self,
        how: &How,
        iterated: &[Set],
        body: &Stmt,
        known: &Known,
        most: usize,
    ) -> Result<Vec<Case>, Asked> {
        let mut cases = Vec::new();
        let Some(lattice) = how.lattice() else { return Ok(cases) };
        let all = iterated.iter().flat_map(|&iterated| lattice.cases(iterated)).filter(|(_, needed)| *needed);
        for (set, _) in all {
            if self.plan.size_of(&cases) > most {
                break;
            }
            cases.push(self.decide_case(set, body, &how.active, known.entered(&how.merged, set))?);
        }
        Ok(cases)
    }

    /// The case in which the operands of `set` have an entry.
    fn decide_case(&mut self, set: Set, body: &Stmt, active: &[usize], mut here: Known) -> Result<Case, Asked> {
        let searched = self.search(active, &mut here);
        let entries = self.copied_entries(&here);
        Ok(Case { set, searched, entries, node: self.decide_tested(body, active, here)? })
    }

    /// The results with copied levels for which the loops have reached an entry, each with the operand that is at this entry.
    fn copied_entries(&self, here: &Known) -> Vec<(TensorId, usize)> {
        let mut found = Vec::new();
        for (id, kept) in self.kept.iter().enumerate() {
            let Some(Kept::Copied(copied)) = kept else { continue };
            let order = copied.places.order();
            let is_at = |at: &usize| {
                let followed = here.of(*at);
                self.readings[*at].access == copied.of && !followed.flagged && followed.depth == order.len()
            };
            let at = (0..self.readings.len()).filter(|_| here.path == order).find(is_at);
            found.extend(at.map(|at| (TensorId(id), at)));
        }
        found
    }

    /// What is done at a place of the loops, after tests of the padded operands among `operands` whose values say whether they have an
    /// entry.
    pub fn decide_tested(&mut self, body: &Stmt, operands: &[usize], mut known: Known) -> Result<Node, Asked> {
        let tested: Vec<usize> = operands.iter().copied().filter(|&at| self.needs_test(at, body, &known)).collect();
        let Some(&at) = tested.first() else { return self.decide(body, &known) };
        let followed = known.of(at);
        let flag = tested.len() > MOST_TESTED || followed.flagged;
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
