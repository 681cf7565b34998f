//! Merge lattices: which loops visit the coordinates of one index variable, and what is computed at each of them.
//!
//! A point is a set of operands that have an entry at a coordinate. The top has all of them; a point is needed if something
//! is computed there. `A(i) + B(i)` needs three loops, `A(i) * B(i)` one:
//!
//! ```text
//!          {A, B}                       {A, B}
//!          /    \
//!       {A}      {B}          while A and B last: …
//!          \    /             while A lasts: …          while B lasts: …
//!            {}  nothing
//! ```
//!
//! Nothing here knows of `+` and `*`: for each set of present operands, the algebra of absent operands (`crate::notation::algebra`) says
//! whether anything is left to do. That makes fills, semirings, masks, differences and
//! user functions come out right by themselves. Properties simplify the lattice, as in the format paper (sections 4.2 and 4.4):
//!
//! * If something is left to do where *nothing* is present, or an operand is full, one loop over the whole dimension is enough.
//! * An operand that can be located is not iterated as long as something else is at every point.
//!
//! A lattice has up to 2ⁿ points, and its loops up to 3ⁿ cases. Beyond a budget, one loop visits all operands and finds out at run
//! time which of them have an entry (`crate::plan`).
//!
//! `crate::plan` makes a lattice for each loop, and chooses its loops; `crate::lower` makes code of them.

/// Operands that one lattice merges at most: there is code for each of their cases.
pub const MOST_MERGED: usize = 6;

/// A set of operands, by number, as bits.
pub type Set = u32;

/// The operands of a set, in ascending order.
pub fn members(set: Set) -> impl Iterator<Item = usize> + Clone {
    (0..Set::BITS as usize).filter(move |n| set & (1 << n) != 0)
}

/// The set of these operands.
pub fn set_of(operands: impl IntoIterator<Item = usize>) -> Set {
    operands.into_iter().fold(0, |set, n| set | 1 << n)
}

/// The merge lattice of one index variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lattice {
    /// How many operands are merged.
    pub operands: usize,
    /// The sets of present operands where something is to be done, larger ones first.
    pub points: Vec<Set>,
    /// The operands that are looked up and not iterated.
    pub located: Set,
    /// Whether the loop goes over the whole dimension.
    pub whole: bool,
}

impl Lattice {
    /// The lattice of `operands` operands. `needed` tells whether anything is to be done at a point. `locatable` has the operands that can
    /// be looked up, the one with the cheapest lookup first. Each of them is looked up if every point keeps another operand that is
    /// iterated.
    pub fn new(operands: usize, locatable: &[usize], needed: impl Fn(Set) -> bool) -> Lattice {
        assert!(operands <= MOST_MERGED, "more operands than one lattice merges");
        let all: Set = (1 << operands) - 1;
        let mut points: Vec<Set> = (0..=all).filter(|&point| needed(point)).collect();
        points.sort_by_key(|point| std::cmp::Reverse((point.count_ones(), *point)));
        let whole = points.contains(&0);
        let mut located = 0;
        for operand in locatable.iter().map(|n| 1 << n) {
            if whole || points.iter().all(|point| point & !(located | operand) != 0) {
                located |= operand;
            }
        }
        Lattice { operands, points, located, whole }
    }

    /// The number of cases in which something is to be done, over all loops.
    pub fn arms(&self) -> usize {
        let busy = |set: Set| self.cases(set).into_iter().filter(|(_, needed)| *needed).count();
        if self.whole { self.points.len() } else { self.loops().into_iter().map(busy).sum() }
    }

    /// Makes it one loop over the whole dimension that looks up the operands of `locatable`.
    pub fn over_dimension(&mut self, locatable: Set) {
        self.whole = true;
        self.located |= locatable;
    }

    /// The sets of operands that are iterated together, one loop for each, larger ones first: a loop runs until one of its
    /// operands ends, and the rest go on as long as something is to be done with them.
    pub fn loops(&self) -> Vec<Set> {
        let mut loops: Vec<Set> = Vec::new();
        if self.whole {
            return loops;
        }
        let all: Set = (1 << self.operands) - 1;
        let mut reached = vec![all & !self.located];
        while let Some(set) = reached.pop() {
            let needed = self.points.iter().any(|point| point & !(set | self.located) == 0);
            if set == 0 || !needed || loops.contains(&set) {
                continue;
            }
            loops.push(set);
            reached.extend(members(set).map(|n| set & !(1 << n)));
        }
        loops.sort_by_key(|set| std::cmp::Reverse((set.count_ones(), *set)));
        loops
    }

    /// The operands that any of the loops iterates.
    pub fn together(&self) -> Set {
        match self.whole {
            true => ((1 << self.operands) - 1) & !self.located,
            false => self.loops().iter().fold(0, |all, set| all | set),
        }
    }

    /// The cases inside of a loop that iterates `iterated`: each set of operands that can be present, and whether anything is
    /// to be done there. Larger sets come first, so that the first case whose operands are all present is the one to take. Cases at the end
    /// in which nothing is to be done are left out.
    pub fn cases(&self, iterated: Set) -> Vec<(Set, bool)> {
        let possible = iterated | self.located;
        let mut cases: Vec<Set> = (0..=possible).filter(|set| set & !possible == 0).collect();
        // A loop that does not go over the whole dimension stops only where one of its operands has an entry.
        if !self.whole {
            cases.retain(|set| set & iterated != 0);
        }
        cases.sort_by_key(|set| std::cmp::Reverse((set.count_ones(), *set)));
        let mut cases: Vec<(Set, bool)> = cases.into_iter().map(|set| (set, self.points.contains(&set))).collect();
        while cases.last().is_some_and(|(_, needed)| !needed) {
            cases.pop();
        }
        cases
    }
}
