//! Which operands have to be sorted before the loops start, and which loops have too many cases. Both are known before anything is decided
//! about loops.
//!
//! The survey follows the loops once. It takes no operand as present and none as missing. A loop that can read an operand under this
//! assumption can read it in every case of the loops around, since fewer operands are merged where some are known to be missing
//! (`sort_in_cases` finds the exceptions). A sorted copy keeps a list at each level: it is merged with others also where its original was
//! looked up. These others may then have to be sorted, too, so that the survey starts again until it finds no more.

use super::draft::{Asked, Draft, Nest};
use super::facts::Facts;
use super::kept::From;
use super::known::Known;
use super::{How, MOST_CASES, Meeting, Sorted, Why};
use crate::diagnostic::Diagnostic;
use crate::lattice::{MOST_ARMS, MOST_MERGED, Set};
use crate::notation::Driven;
use crate::notation::concrete::{Index, Stmt};

impl Draft<'_> {
    /// Decides how each operand is read: by its format, and by the operands that it is merged with.
    pub fn access(&mut self, stmt: &Stmt) -> Result<(), Box<Diagnostic>> {
        loop {
            self.operands.clear();
            self.plan.operands.clear();
            let followed = self.collect(stmt, &mut Vec::new()).and_then(|()| self.clone().follow_parts(stmt));
            match followed {
                Ok(nests) => {
                    nests.iter().for_each(|nest| nest.crowded(&mut self.crowded));
                    return Ok(());
                }
                Err(Asked::Sort(sorted)) if !self.plan.sorted.iter().any(|known| known.is_of(&sorted)) => {
                    self.plan.sorted.push(*sorted);
                }
                Err(Asked::Idle(driver)) if !self.plan.idle.contains(&driver) => self.plan.idle.push(driver),
                Err(Asked::Wrong(mistake)) => return Err(mistake),
                Err(Asked::Sort(_) | Asked::Idle(_)) => return Err(self.out_of_order()),
            }
        }
    }

    /// The mistake that an operand is read in an order in which it is not stored.
    pub fn out_of_order(&self) -> Box<Diagnostic> {
        Box::new(Diagnostic::new(self.span, "an operand cannot be brought into the order of the loops"))
    }

    /// Whether the loop over `body` has so many cases that flags take their place.
    pub fn is_crowded(&self, body: &Stmt, known: &Known, meeting: &Meeting) -> bool {
        let is = |nest: &&Nest| nest.path == known.path && nest.body == *body;
        let missing = |at: usize| known.of(at).absent;
        meeting.merged.len() > 1 && self.crowded.iter().find(is).is_some_and(|nest| nest.cases(&missing) > MOST_CASES)
    }

    /// Follows the parts of a statement that run one after the other.
    fn follow_parts(&mut self, stmt: &Stmt) -> Result<Vec<Nest>, Asked> {
        let parts = if let Stmt::Sequence(parts) = stmt { &parts[..] } else { std::slice::from_ref(stmt) };
        let mut nests = Vec::new();
        for part in parts {
            nests.extend(match self.driven_of(part) {
                Some(driven) => self.follow_driven(&driven)?,
                None => self.follow(part, &Known { uncertain: true, ..Known::default() })?,
            });
        }
        Ok(nests)
    }

    /// Follows the loops inside of a driver's loop. If an operand would have to be sorted for them, the driver is given up.
    fn follow_driven(&mut self, driven: &Driven<'_>) -> Result<Vec<Nest>, Asked> {
        let Some((_, known)) = self.driver_of(driven) else { return Ok(Vec::new()) };
        self.follow(&driven.body(), &Known { uncertain: true, ..known }).map_err(|asked| match asked {
            Asked::Sort(_) => Asked::Idle(self.driven_text(driven)),
            asked => asked,
        })
    }

    fn follow(&mut self, stmt: &Stmt, known: &Known) -> Result<Vec<Nest>, Asked> {
        match stmt {
            Stmt::Assign(_) => Ok(Vec::new()),
            Stmt::Forall { index, parallel, body, .. } => Ok(vec![self.follow_loop(*index, body, *parallel, known)?]),
            Stmt::Where { consumer, producer } => {
                let workspaces = self.workspaces(consumer, producer, known);
                workspaces.iter().for_each(|workspace| self.keep(workspace));
                let mut nests = self.follow(producer, known)?;
                self.read_listed(consumer, &workspaces, known);
                nests.extend(self.follow(consumer, known)?);
                Ok(nests)
            }
            Stmt::Sequence(parts) => {
                let nests = parts.iter().map(|part| self.follow(part, known)).collect::<Result<Vec<_>, _>>()?;
                Ok(nests.concat())
            }
        }
    }

    /// Follows a loop, unless it has been followed where the same was known. A loop is met twice if a loop around it has too many cases: that
    /// one is followed both by cases and by flags.
    fn follow_loop(&mut self, index: Index, body: &Stmt, dealt: bool, outside: &Known) -> Result<Nest, Asked> {
        let known = Known { dealt, ..outside.inside(index) };
        let is = |(at, optional, nest): &&(Known, Vec<usize>, Nest)| {
            *at == known && *optional == self.optional && nest.body == *body
        };
        if let Some((_, _, nest)) = self.followed.iter().find(is) {
            return Ok(nest.clone());
        }
        let optional = self.optional.clone();
        let nest = self.follow_anew(index, body, dealt, outside)?;
        self.followed.push((known, optional, nest.clone()));
        Ok(nest)
    }

    fn follow_anew(&mut self, index: Index, body: &Stmt, dealt: bool, outside: &Known) -> Result<Nest, Asked> {
        let known = outside.inside(index);
        let most = if dealt { usize::MAX } else { MOST_ARMS };
        let once = self.once(index, body, &known).filter(|_| !dealt);
        let how = once.unwrap_or_else(|| self.merge(index, body, &known, most));
        self.sort_first(&how, body, &known, dealt)?;
        if !dealt {
            self.sort_in_cases(index, body, &known, how.meeting())?;
        }
        let optional = self.optional.len();
        self.optional.extend(self.optional_in(&how));
        let inside = self.follow(body, &self.entered(&how, &known));
        self.optional.truncate(optional);
        let (inside, meeting) = (inside?, how.meeting().clone());
        let flags = meeting.merged.len() > 1 && meeting.merged.iter().all(|&at| self.can_step(at, &known));
        let once = matches!(how, How::Once(..));
        let how = if let How::Flags(..) = how { self.merge(index, body, &known, usize::MAX) } else { how };
        let lattice = match how {
            How::Cases(_, lattice) | How::Once(_, lattice) => Some(lattice),
            How::Flags(..) => None,
        };
        let nest = Nest { path: known.path.clone(), body: body.clone(), meeting, lattice, once, flags, inside };
        if !dealt {
            self.sort_crowded(&nest, &known)?;
        }
        if !dealt && nest.is_crowded(&|_| false) {
            let flags = self.merge_by_flags(nest.meeting.clone(), body, &known);
            self.sort_first(&flags, body, &known, dealt)?;
            self.follow(body, &self.entered(&flags, &known))?;
        }
        Ok(nest)
    }

    /// Stops the survey if a loop cannot read an operand, which is to be sorted then.
    fn sort_first(&self, how: &How, body: &Stmt, known: &Known, dealt: bool) -> Result<(), Asked> {
        let Some((at, why)) = self.unreadable(how, body, known, dealt) else { return Ok(()) };
        let (access, order) = (self.operands[at].access.clone(), self.operands[at].order.clone());
        Err(Asked::Sort(Box::new(Sorted { access, order, why })))
    }

    /// Stops the survey if a loop has too many cases, and an operand cannot be merged by flags: its sorted copy can be.
    fn sort_crowded(&self, nest: &Nest, known: &Known) -> Result<(), Asked> {
        let merged = &nest.meeting.merged;
        if nest.flags || nest.once || merged.len() < 2 || nest.cases(&|_| false) <= MOST_CASES {
            return Ok(());
        }
        let Some(&at) = merged.iter().find(|&&at| !self.can_step(at, known)) else { return Ok(()) };
        let (access, order) = (self.operands[at].access.clone(), self.operands[at].order.clone());
        Err(Asked::Sort(Box::new(Sorted { access, order, why: Why::Crowded(known.of(at).depth) })))
    }

    /// As [`Draft::sort_first`], for each choice of missing operands among the optional ones. An operand that is looked up where others are
    /// present may be walked where they are missing, and then has to come in order.
    fn sort_in_cases(&self, index: Index, body: &Stmt, known: &Known, meeting: &Meeting) -> Result<(), Asked> {
        let merged = &meeting.merged;
        if !self.needs_order(body) || merged.iter().all(|&at| self.is_ordered(at, known)) {
            return Ok(());
        }
        let optional: Vec<usize> = meeting.active.iter().copied().filter(|at| self.optional.contains(at)).collect();
        for chosen in 1..1u32 << optional.len().min(MOST_MERGED) {
            let mut known = known.clone();
            let missing = (0..optional.len()).filter(|n| chosen & (1 << n) != 0);
            missing.for_each(|n| known.leave(optional[n]));
            self.sort_first(&self.merge(index, body, &known, MOST_ARMS), body, &known, false)?;
        }
        Ok(())
    }

    /// The operands that are missing in some case of a loop.
    fn optional_in(&self, how: &How) -> Vec<usize> {
        let optional = |n: &usize| match how {
            How::Cases(_, lattice) => lattice.points.iter().any(|point| point & (1 << n) == 0),
            How::Once(..) => true,
            How::Flags(_, flags) => !flags.required[*n],
        };
        let merged = &how.meeting().merged;
        (0..merged.len()).filter(optional).map(|n| merged[n]).collect()
    }

    /// What is known inside of a loop in which every operand that meets there may have an entry.
    pub fn entered(&self, how: &How, known: &Known) -> Known {
        let mut here = known.clone();
        for (n, &at) in how.meeting().merged.iter().enumerate() {
            here.follow(at, matches!(how, How::Flags(_, flags) if !flags.required[n]));
        }
        how.meeting().active.iter().for_each(|&at| self.follow_located(at, &mut here));
        here
    }

    /// Sets that a consumer reads each workspace that keeps a list of what was written from that list.
    pub fn read_listed(&mut self, consumer: &Stmt, workspaces: &[super::Workspace], known: &Known) {
        for one in workspaces.iter().filter(|one| one.remembers && self.facts.kernel.tensor(one.id).rank > 0) {
            self.facts.read_from(consumer, one.id, known, |_| From::Written);
        }
    }

    /// The operand that drives a statement, and what is known inside of the loop over its entries.
    pub fn driver_of(&self, driven: &Driven<'_>) -> Option<(usize, Known)> {
        let order = Facts::order_of(&driven.driver, &driven.path());
        let drives = |at: &usize| {
            let one = &self.operands[*at];
            one.drives && one.access == driven.driver && one.order == order
        };
        let at = (0..self.operands.len()).find(drives)?;
        let mut known = Known { path: order, driver: Some(at), ..Known::default() };
        known.set(at, super::Followed { depth: self.depth_of(at), ..super::Followed::default() });
        let others = (0..self.operands.len()).filter(|&other| !self.operands[other].drives);
        others.for_each(|other| self.follow_located(other, &mut known));
        Some((at, known))
    }
}

impl Nest {
    /// Adds the loops with too many cases to `found`: this one and those inside of it.
    fn crowded(&self, found: &mut Vec<Nest>) {
        if self.is_crowded(&|_| false) {
            found.push(self.clone());
        }
        self.inside.iter().for_each(|nest| nest.crowded(found));
    }

    /// Whether flags take the place of its cases where the operands of `missing` are missing.
    fn is_crowded(&self, missing: &dyn Fn(usize) -> bool) -> bool {
        self.can_be_crowded(missing) && self.cases(missing) > MOST_CASES
    }

    /// Whether flags may take the place of its cases, however many these are.
    fn can_be_crowded(&self, missing: &dyn Fn(usize) -> bool) -> bool {
        let left = self.meeting.merged.iter().filter(|&&at| !missing(at)).count();
        self.flags && left > 1 && self.lattice.is_some()
    }

    /// How many cases it and the loops inside of it have where the operands of `missing` are missing. Counting stops once they are too many.
    fn cases(&self, missing: &dyn Fn(usize) -> bool) -> usize {
        let left = self.meeting.merged.iter().filter(|&&at| !missing(at)).count();
        let Some(all) = &self.lattice else {
            return (1 + self.inside(missing)) * if left > MOST_MERGED { 1 } else { 1 << left };
        };
        let mut found =
            if self.once { 1 + self.inside(&|at| missing(at) || self.meeting.merged.contains(&at)) } else { 0 };
        let merged = &self.meeting.merged;
        let lost: Set = (0..merged.len()).filter(|&n| missing(merged[n])).fold(0, |set, n| set | 1 << n);
        let left = all.without(lost);
        let loops = if left.whole { vec![left.together()] } else { left.loops() };
        let cases = loops.iter().flat_map(|&iterated| left.cases(iterated)).filter(|(_, needed)| *needed);
        let mut sets: Vec<Set> = cases.map(|(set, _)| set).collect();
        sets.sort_unstable();
        for same in sets.chunk_by(|a, b| a == b) {
            let set = same[0];
            let absent =
                |at: usize| missing(at) || merged.iter().position(|&one| one == at).is_some_and(|n| set & 1 << n == 0);
            found += same.len() * (1 + self.inside(&absent));
            if found > MOST_CASES {
                break;
            }
        }
        found
    }

    /// How many cases the loops inside have.
    fn inside(&self, missing: &dyn Fn(usize) -> bool) -> usize {
        // Cases are counted once: counting them twice at each level would double the work with each.
        let size = |nest: &Nest| match nest.cases(missing) {
            cases if cases > MOST_CASES && nest.can_be_crowded(missing) => 1 + nest.inside(missing),
            cases => cases,
        };
        self.inside.iter().map(size).sum()
    }
}
