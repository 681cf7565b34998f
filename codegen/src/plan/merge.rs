//! How the operands that meet at a loop are merged, decided by what their levels can do and what that costs.

use super::choice::{Deal, Share};
use super::draft::Draft;
use super::kept::From;
use super::known::Known;
use super::tree::{By, How, Merge};
use crate::format::{Form, FormatLevel, Way};
use crate::lattice::{Lattice, MOST_MERGED, Set, members, set_of};
use crate::level::Growth;
use crate::notation::concrete::{Access, Expr, Index, Reduction, Stmt, number};

/// The most operands of a loop that folds once what it folds where nothing is: it has a case for each subset of them.
const MOST_COUNTED: usize = 3;

impl Draft<'_> {
    /// The operands that a body reads, and those of them that the loop over `index` merges: see [`How`].
    fn meeting(&self, index: Index, body: &Stmt, known: &Known) -> (Vec<usize>, Vec<usize>) {
        let mut active = Vec::new();
        body.reads_in(&known.path, &mut |access, path| {
            let found = self.lookup(access, &Self::order_of(access, path), known.driver);
            active.extend(found.filter(|at| !active.contains(at)));
        });
        let meets = |at: &usize| {
            let followed = known.of(*at);
            if followed.absent || followed.depth >= self.depth_of(*at) {
                return false;
            }
            match &self.readings[*at].from {
                From::Levels(form, of) => {
                    of[followed.depth] == index && !form.format.levels[followed.depth].is_searched()
                }
                From::Written | From::Unmade => self.readings[*at].access.indices == [index],
            }
        };
        let merged = active.iter().copied().filter(meets).collect();
        (active, merged)
    }

    /// How the loop over `index` merges its operands: by cases, or by flags if more operands meet than a lattice merges. `known` holds inside
    /// of the loop.
    pub fn merge(&self, index: Index, body: &Stmt, known: &Known) -> How {
        let (active, merged) = self.meeting(index, body, known);
        if merged.len() > MOST_MERGED {
            return self.merge_by_flags(active, merged, body, known);
        }
        let lookups: Vec<Option<Growth>> = merged.iter().map(|&at| self.lookup_cost(at, known)).collect();
        let stuck = set_of((0..merged.len()).filter(|&n| !self.can_step(merged[n], known)));
        let can_locate = |n: &usize| lookups[*n].is_some() && !known.of(merged[*n]).flagged;
        let locatable = set_of((0..merged.len()).filter(can_locate).filter(|&n| self.is_walked(merged[n], known)));
        // The cheaper its lookup is, the sooner an operand is looked up and not iterated. One whose lookup visits its whole row is
        // iterated.
        let cheap = |n: &usize| lookups[*n].is_some_and(|growth| growth < Growth::Linear);
        let mut searched: Vec<usize> = (0..merged.len()).rev().filter(can_locate).filter(cheap).collect();
        searched.sort_by_key(|&n| lookups[n]);
        let needed = |set: Set| !self.nothing_to_do(body, &known.entered(&merged, set), &[]);
        let mut lattice = Lattice::new(merged.len(), &searched, needed);
        // An operand that is iterated beside others has to move one entry at a time. If all that cannot do so can be looked up, a loop over
        // the dimension does that where it costs no more than what is visited anyway; elsewhere, `unreadable` has one of them sorted.
        let held_up = lattice.together() & stuck;
        let merges = lattice.whole || lattice.together().count_ones() > 1 && self.spans(body, known);
        if merges && held_up != 0 && held_up & !locatable == 0 {
            lattice.over_dimension(locatable);
        }
        let loops = self.loops(&merged, &lattice, known);
        How { active, merged, lookups, stuck, by: By::Cases(lattice, loops) }
    }

    /// Whether a body accesses a tensor that has a place for every coordinate of all loops around it. Loops over all coordinates then cost no
    /// more than the tensor itself.
    pub fn spans(&self, body: &Stmt, known: &Known) -> bool {
        let spans = |access: &Access, index: &Index| {
            let of = |m: usize| access.indices.get(m) == Some(index);
            match &self.kernel.tensor(access.tensor).format {
                Some(format) => format.spans(of),
                None => !self.is_sparse(access.tensor) && (0..access.indices.len()).any(of),
            }
        };
        body.accesses().into_iter().any(|access| known.path.iter().all(|index| spans(access, index)))
    }

    /// How a loop runs that folds the same constant at each coordinate without an entry, by a reduction such as `min=`: the constant is folded
    /// once. `None` for any other loop. `known` holds inside of the loop.
    pub fn once(&self, index: Index, body: &Stmt, known: &Known) -> Option<How> {
        let (active, merged) = self.meeting(index, body, known);
        if merged.len() > MOST_COUNTED || !self.folds_alike(index, body, &known.entered(&merged, 0)) {
            return None;
        }
        let nothing = |set: Set| self.nothing_to_do(body, &known.entered(&merged, set), &[]);
        if merged.iter().any(|&at| known.of(at).flagged) || (0..1 << merged.len()).any(nothing) {
            return None;
        }
        if merged.len() > 1 && !merged.iter().all(|&at| self.can_step(at, known)) {
            return None;
        }
        let lattice = Lattice::new(merged.len(), &[], |set| set != 0);
        let loops = match merged.len() {
            0 => Merge::Never,
            1 => Merge::Walk(0),
            _ => Merge::SideBySide,
        };
        Some(How { active, merged, lookups: Vec::new(), stuck: 0, by: By::Once(lattice, loops) })
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

    /// The loops that visit the operands of `merged`.
    fn loops(&self, merged: &[usize], lattice: &Lattice, known: &Known) -> Merge {
        let together = lattice.together();
        match together.count_ones() {
            _ if lattice.points.is_empty() => Merge::Never,
            _ if lattice.whole => Merge::Count,
            1 => Merge::Walk(together.trailing_zeros() as usize),
            2 => self.leads(merged, lattice, known).unwrap_or(Merge::SideBySide),
            _ => Merge::SideBySide,
        }
    }

    /// The map of a store leads if the other one of the two operands that are iterated can follow it.
    fn leads(&self, merged: &[usize], lattice: &Lattice, known: &Known) -> Option<Merge> {
        let together = lattice.together();
        let numbers = [together.trailing_zeros() as usize, 31 - together.leading_zeros() as usize];
        let (store, other) = match numbers.map(|n| self.way(merged[n], known) == Way::Entries) {
            [true, false] => (numbers[0], numbers[1]),
            [false, true] => (numbers[1], numbers[0]),
            _ => return None,
        };
        let (leader, follower) = (merged[store], merged[other]);
        // A store that may be missing at run time has no map that could lead, and neither has a store whose entries are stores.
        let below = self.readings[leader].form()?.format.levels.get(known.of(leader).depth + 1);
        if known.of(leader).flagged || below.is_some_and(FormatLevel::is_store) {
            return None;
        }
        let follows = match self.way(follower, known) {
            Way::Positions { gaps, .. } => !gaps && !self.is_chained(follower, known),
            Way::Interval => true,
            Way::One | Way::Entries => false,
        };
        (lattice.loops().contains(&(1 << store)) && follows).then_some(Merge::Lead { store, other })
    }

    /// The operand of an intersection that is walked and the one that is looked up, by their numbers among the merged, if it can be the other
    /// way round as well: whose row is the shorter one is found out at run time then (`lower::swap`). Only innermost loops have code for both.
    pub fn swaps(&self, how: &How, body: &Stmt, known: &Known, deal: Option<&Deal>) -> Option<(usize, usize)> {
        let By::Cases(lattice, Merge::Walk(walk)) = &how.by else { return None };
        let ([_, _], [0b11]) = (&how.merged[..], &lattice.points[..]) else { return None };
        if body.has_loops() {
            return None;
        }
        // What tasks fold into takes what is folded outside of them as well; what they own, only they write.
        if deal.is_some_and(|deal| !deal.shares.iter().all(|share| matches!(share, Share::Fold(..)))) {
            return None;
        }
        let look = 1 - walk;
        let (walked, found) = (how.merged[*walk], how.merged[look]);
        let is_row = |at: usize| {
            let lies = matches!(self.way(at, known), Way::Entries | Way::Positions { .. });
            lies && self.is_walked(at, known) && !known.of(at).flagged && !self.is_chained(at, known)
        };
        let searched = self.lookup_cost(walked, known).is_some_and(|growth| growth < Growth::Linear);
        let ordered = !self.needs_order(body) || self.is_ordered(found, known);
        let fits = is_row(walked) && is_row(found) && ordered && (searched || self.is_ascending_array(walked, known));
        fits.then_some((*walk, look))
    }

    /// Whether the coordinates of the next level of an operand lie in one ascending array, each once.
    fn is_ascending_array(&self, at: usize, known: &Known) -> bool {
        let once = |level: &FormatLevel| {
            let properties = level.properties;
            properties.ordered && properties.unique && properties.compact
        };
        self.has_array(at, known) && self.level(at, known).is_some_and(once)
    }

    /// What a lookup in the next level of an operand costs.
    pub fn lookup_cost(&self, at: usize, known: &Known) -> Option<Growth> {
        self.level(at, known).and_then(|level| level.kind.lookup(&level.switches))
    }

    /// Whether entries of the next level can be visited one by one with those of other operands in between.
    pub fn can_step(&self, at: usize, known: &Known) -> bool {
        self.level(at, known).is_none_or(FormatLevel::steps) && self.is_walked(at, known)
    }

    /// Whether the accessed part of the next level of an operand can be walked without a copy.
    fn is_walked(&self, at: usize, known: &Known) -> bool {
        self.readings[at].form().is_none_or(|form| form.is_walked(known.of(at).depth))
    }

    /// Whether the next level of an operand hands its entries out in ascending order.
    pub fn is_ordered(&self, at: usize, known: &Known) -> bool {
        self.level(at, known).is_none_or(|level| level.properties.ordered)
    }

    /// Whether the next level of an operand can be searched.
    pub fn can_locate(&self, at: usize, known: &Known) -> bool {
        !known.of(at).flagged && self.level(at, known).is_some_and(|level| level.kind.capabilities().locate)
    }

    /// Whether the next level of an operand is a store of rows.
    pub fn holds_rows(&self, at: usize, known: &Known) -> bool {
        let stores = |form: &Form| matches!(&form.format.levels[..], [rows, row] if rows.is_store() && row.is_store());
        known.of(at).depth == 0 && self.readings[at].form().is_some_and(stores)
    }

    /// The first operand that cannot be read as a loop over `body` runs, and why: it has to be sorted. A loop whose iterations are
    /// `dealt` out refuses what it cannot visit by itself.
    pub fn unreadable(&self, how: &How, body: &Stmt, known: &Known, dealt: bool) -> Option<(usize, String)> {
        let name = |at: usize| self.level_name(at, known);
        let cannot_step =
            |at: usize| format!("it is merged with others, and `{}` cannot be stepped through in order", name(at));
        let merged = &how.merged;
        let of = |set: Set| members(set).map(|n| merged[n]).collect();
        let visited: Vec<usize> = how.lattice().map_or(merged.clone(), |lattice| of(lattice.together()));
        if let Some(&at) = visited.iter().find(|&&at| !self.is_walked(at, known)) {
            let form = self.readings[at].form()?;
            return Some((at, form.why_unwalked(known.of(at).depth).into()));
        }
        let whole = how.lattice().is_none_or(|lattice| lattice.whole);
        if let ([at], false) = (&visited[..], whole) {
            let lost = !dealt && self.needs_order(body) && !self.is_ordered(*at, known);
            return lost
                .then(|| (*at, format!("the result takes entries in order, and `{}` keeps them in none", name(*at))));
        }
        // In a loop over all coordinates, an operand that cannot be stepped through may be looked up. `merge` makes such a loop, where it costs
        // no more than the body does, as soon as every operand can be stepped through or looked up. An operand that allows neither is
        // sorted first.
        let counts = how.lattice().is_some_and(|lattice| lattice.whole || self.spans(body, known));
        let looked_up = |at: usize| counts && self.lookup_cost(at, known).is_some() && !known.of(at).flagged;
        if let Some(&at) = visited.iter().find(|&&at| !self.can_step(at, known) && !looked_up(at)) {
            return Some((at, cannot_step(at)));
        }
        let stepped = match how.by {
            By::Cases(_, Merge::Lead { other, .. }) => vec![merged[other]],
            _ => visited,
        };
        let lacks = |at: usize| match self.way(at, known) {
            Way::Positions { gaps: true, .. } => Some((at, cannot_step(at))),
            Way::Entries if known.of(at).flagged => {
                Some((at, format!("some of its rows may be missing, and `{}` has no cursor over none", name(at))))
            }
            _ => None,
        };
        stepped.into_iter().filter(|_| !dealt).find_map(lacks)
    }
}
