//! How the operands that meet at a loop are merged, decided by what their levels can do and what that costs.

use super::facts::{Facts, Stopped, operands_of};
use super::kept::{From, Way};
use super::known::Known;
use super::{How, Meeting, Sorted, Why};
use crate::lattice::{Flags, Lattice, MOST_MERGED, Set};
use crate::level::Growth;
use crate::notation::concrete::{Expr, Index, Reduction, Stmt, number};

/// The most operands of a loop that folds once what it folds where nothing is: it has a case for each subset of them.
const MOST_COUNTED: usize = 3;

impl Facts<'_> {
    /// The operands that a body reads, and those of them whose next level keeps `index` and cannot just be indexed.
    fn meeting(&self, index: Index, body: &Stmt, known: &Known) -> Meeting {
        let mut active = Vec::new();
        operands_of(body, &mut known.path.clone(), &mut |access, path| {
            let found = self.lookup(access, &Self::order_of(access, path), known.driver);
            active.extend(found.filter(|at| !active.contains(at)));
        });
        let meets = |at: &usize| {
            let followed = known.of(*at);
            if followed.absent || followed.depth >= self.depth_of(*at) {
                return false;
            }
            match &self.operands[*at].from {
                From::Levels(form, of) => {
                    of[followed.depth] == index && !form.format.levels[followed.depth].is_searched()
                }
                From::Written | From::Unmade => self.operands[*at].access.indices == [index],
            }
        };
        let merged = active.iter().copied().filter(meets).collect();
        Meeting { active, merged }
    }

    /// What the loop over `index` merges, case by case if there are no more than `most`; `known` is that inside of the loop.
    pub fn merge(&self, index: Index, body: &Stmt, known: &Known, most: usize) -> Result<How, Stopped> {
        let meeting = self.meeting(index, body, known);
        if meeting.merged.len() > MOST_MERGED {
            return self.merge_by_flags(meeting, body, known);
        }
        let (mut lookups, mut stepped) = (Vec::new(), 0);
        for (n, &at) in meeting.merged.iter().enumerate() {
            let lookup = self.lookup_cost(at, known).filter(|_| !known.of(at).flagged);
            lookups.extend(lookup.map(|growth| (growth, std::cmp::Reverse(n))));
            if self.can_step(at, known) {
                stepped |= 1 << n;
            }
        }
        // The cheaper a lookup is, the sooner an operand follows and does not lead; one that visits the whole row for each coordinate is
        // merged instead.
        lookups.sort_unstable();
        let locatable = lookups.iter().fold(0, |set, (_, n)| set | 1 << n.0);
        let searched: Vec<usize> =
            lookups.iter().filter(|(growth, _)| *growth < Growth::Linear).map(|(_, n)| n.0).collect();
        let needed = |set: Set| !self.nothing_to_do(body, &known.entered(&meeting.merged, set), &[]);
        let mut lattice = Lattice::new(meeting.merged.len(), &searched, needed);
        if meeting.merged.len() > 2 && lattice.arms() > most {
            return self.merge_by_flags(meeting, body, known);
        }
        // An operand that runs along with others moves one entry at a time; one that cannot is looked up, or sorted first.
        let together = lattice.together();
        if (lattice.whole || together.count_ones() > 1) && together & !stepped != 0 {
            match together & !stepped & !locatable {
                0 => lattice.over_dimension(locatable),
                lost => {
                    return Err(self.sort_first(meeting.merged[lost.trailing_zeros() as usize], known, Why::Merged));
                }
            }
        }
        Ok(How::Cases(meeting, lattice))
    }

    /// A merge of operands with a flag for each.
    pub fn merge_by_flags(&self, meeting: Meeting, body: &Stmt, known: &Known) -> Result<How, Stopped> {
        if let Some(&at) = meeting.merged.iter().find(|&&at| !self.can_step(at, known)) {
            return Err(self.sort_first(at, known, Why::Merged));
        }
        let without = |gone: &[usize]| {
            let mut known = known.clone();
            gone.iter().for_each(|&at| known.leave(at));
            !self.nothing_to_do(body, &known, &[])
        };
        let merged = &meeting.merged;
        let flags = Flags::new(merged.len(), |n| without(&merged[n..=n]), without(merged));
        Ok(How::Flags(meeting, flags))
    }

    /// What a loop merges that folds a constant where nothing is, by a reduction for which once is as good as many times; `None` for any
    /// other loop. `known` is that inside of the loop.
    pub fn once(&self, index: Index, body: &Stmt, known: &Known) -> Option<How> {
        let meeting = self.meeting(index, body, known);
        let merged = &meeting.merged;
        if merged.len() > MOST_COUNTED || !self.folds_alike(index, body, &known.entered(merged, 0)) {
            return None;
        }
        let nothing = |set: Set| self.nothing_to_do(body, &known.entered(merged, set), &[]);
        if merged.iter().any(|&at| known.of(at).flagged) || (0..1 << merged.len()).any(nothing) {
            return None;
        }
        if merged.len() > 1 && !merged.iter().all(|&at| self.can_step(at, known)) {
            return None;
        }
        let lattice = Lattice::new(merged.len(), &[], |set| set != 0);
        Some(How::Once(meeting, lattice))
    }

    /// Whether a body folds constants only, the same for every value of `index`, and once is as good as many times.
    fn folds_alike(&self, index: Index, body: &Stmt, known: &Known) -> bool {
        match body {
            Stmt::Assign(assign) => {
                let Some(reduce) = assign.reduce.filter(|_| assign.mask.is_none()) else { return false };
                let alike = |value: Option<Expr>| match value {
                    None => true,
                    Some(Expr::Literal(value)) => match reduce {
                        Reduction::Min | Reduction::Max | Reduction::Or | Reduction::And => true,
                        Reduction::Mul => number(value) == 0.0,
                        Reduction::Add => false,
                    },
                    Some(_) => false,
                };
                !assign.target.indices.contains(&index) && alike(self.effect(assign, known, &[]))
            }
            Stmt::Forall { index: inner, parallel: false, body, .. } => {
                self.folds_alike(index, body, &known.inside(*inner))
            }
            _ => false,
        }
    }

    /// Of two operands a store whose map leads and one that follows it, by their numbers among the merged.
    pub fn leads(&self, meeting: &Meeting, lattice: &Lattice, known: &Known) -> Option<(usize, usize)> {
        let together = lattice.together();
        if known.counting || lattice.whole || together.count_ones() != 2 {
            return None;
        }
        let numbers = [together.trailing_zeros() as usize, 31 - together.leading_zeros() as usize];
        let (store, other) = match numbers.map(|n| self.way(meeting.merged[n], known) == Way::Entries) {
            [true, false] => (numbers[0], numbers[1]),
            [false, true] => (numbers[1], numbers[0]),
            _ => return None,
        };
        let (leader, follower) = (meeting.merged[store], meeting.merged[other]);
        let From::Levels(form, _) = &self.operands[leader].from else { return None };
        // A store that may not be there has no map to lead with, and a store of stores is no table of values.
        let below = form.format.levels.get(known.of(leader).depth + 1);
        if known.of(leader).flagged || below.is_some_and(|below| below.is_store()) {
            return None;
        }
        let follows = match self.way(follower, known) {
            Way::Positions { gaps, .. } => !gaps && !self.is_chained(follower, known),
            Way::Interval => true,
            Way::One | Way::Entries => false,
        };
        (lattice.loops().contains(&(1 << store)) && follows).then_some((store, other))
    }

    /// What a lookup in the next level of an operand costs.
    pub fn lookup_cost(&self, at: usize, known: &Known) -> Option<Growth> {
        self.level(at, known).and_then(|level| level.kind.costs(&level.switches).lookup)
    }

    /// Whether entries of the next level can be visited one by one with those of other operands in between.
    pub fn can_step(&self, at: usize, known: &Known) -> bool {
        self.level(at, known)
            .is_none_or(|level| level.properties.ordered && (!level.is_store() || level.kind.capabilities().step))
    }

    /// Whether the next level of an operand hands its entries out in ascending order.
    pub fn is_ordered(&self, at: usize, known: &Known) -> bool {
        self.level(at, known).is_none_or(|level| level.properties.ordered)
    }

    /// Whether the next level of an operand may keep a coordinate more than once in a row.
    pub fn is_chained(&self, at: usize, known: &Known) -> bool {
        match &self.operands[at].from {
            From::Levels(form, _) => form.chained().is_some_and(|from| from <= known.of(at).depth),
            From::Written | From::Unmade => false,
        }
    }

    /// Whether the next level of an operand can be searched.
    pub fn can_locate(&self, at: usize, known: &Known) -> bool {
        !known.of(at).flagged && self.level(at, known).is_some_and(|level| level.kind.capabilities().locate)
    }

    /// Whether the next level of an operand is a store of rows.
    pub fn holds_rows(&self, at: usize, known: &Known) -> bool {
        let From::Levels(form, _) = &self.operands[at].from else { return false };
        let levels = &form.format.levels;
        known.of(at).depth == 0 && levels.len() == 2 && levels.iter().all(|level| level.is_store())
    }

    /// Asks for an operand to be sorted before the loops start, for a reason that its next level gives.
    pub fn sort_first(&self, at: usize, known: &Known, why: fn(usize) -> Why) -> Stopped {
        let (access, order) = (self.operands[at].access.clone(), self.operands[at].order.clone());
        Stopped::Sort(Box::new(Sorted { access, order, why: why(known.of(at).depth) }))
    }

    /// Asks for operands to be sorted that cannot be stepped through.
    pub fn check_steps(&self, operands: &[usize], known: &Known) -> Result<(), Stopped> {
        for &at in operands {
            match self.way(at, known) {
                Way::Positions { gaps: true, .. } => return Err(self.sort_first(at, known, Why::Merged)),
                Way::Entries if known.of(at).flagged => return Err(self.sort_first(at, known, Why::Missing)),
                _ => {}
            }
        }
        Ok(())
    }
}
