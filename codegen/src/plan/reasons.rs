//! How a loop runs, and why, in words.

use super::draft::Draft;
use super::tree::{By, Flags, Loop, Merge};
use crate::lattice::{Lattice, MOST_MERGED, Set};
use crate::level::Growth;

impl Draft<'_> {
    /// How a loop runs, and why: a line for each reason.
    pub fn way_in_words(&self, one: &Loop, names: &[String]) -> (String, Vec<String>) {
        match &one.how.by {
            By::Cases(lattice, Merge::Never) => (Merge::Never.words(names, lattice), Vec::new()),
            By::Cases(lattice, loops) => self.cases_in_words(one, lattice, *loops, names),
            By::Flags(flags) => by_flags(flags, names, self.most_cases),
            By::Once(_, Merge::Never) => ("once          the same is folded at every coordinate".into(), Vec::new()),
            By::Once(lattice, loops) => {
                let why = "why    the same is folded at all coordinates without an entry: it is folded once";
                (loops.words(names, lattice), vec![why.to_owned()])
            }
        }
    }

    fn cases_in_words(&self, one: &Loop, lattice: &Lattice, loops: Merge, names: &[String]) -> (String, Vec<String>) {
        let index = &self.kernel.indices[one.index.0];
        let together = lattice.together();
        let required = lattice.points.iter().fold(together, |all, point| all & point);
        let mut reasons = vec![match loops {
            Merge::Count => self.why_whole(one, lattice, names, index),
            _ => needed(names, together, required),
        }];
        match loops {
            Merge::Lead { store, .. } => {
                reasons.push(format!("why    all of {} is visited, which a map does fastest", names[store]));
            }
            Merge::SideBySide if one.cases.len() > 1 => {
                reasons.push(format!("why    {} cases are few enough to have code each", one.cases.len()));
            }
            _ => {}
        }
        self.lookups_in_words(one, lattice, names, &mut reasons);
        if one.skips.operands != 0 {
            let skipping = members(names, one.skips.operands).replace(" and ", " or ");
            reasons.push(match one.skips.if_longer {
                true => format!("skip   {skipping} jumps ahead in its coordinates if it is much longer"),
                false => format!("skip   {skipping} jumps ahead to the coordinate that the others are at"),
            });
        }
        (loops.words(names, lattice), reasons)
    }

    /// Why a loop runs over all coordinates.
    fn why_whole(&self, one: &Loop, lattice: &Lattice, names: &[String], index: &str) -> String {
        let can_step = |n: &usize| self.can_step(one.how.merged[*n], &one.known);
        let all = (0..names.len()).fold(0, |set: Set, n| set | 1 << n);
        if names.is_empty() {
            format!("why    no operand lists its coordinates along {index}")
        } else if lattice.points.contains(&0) {
            "why    something is computed also where no operand has an entry".into()
        } else if one.deal.is_some() && all & !lattice.located == 0 {
            "why    rows that are looked up can be dealt out by their numbers".into()
        } else {
            let unordered = (0..names.len()).filter(|n| !can_step(n)).fold(0, |set, n| set | 1 << n);
            format!("why    {} cannot be stepped through in order, but looked up", members(names, unordered))
        }
    }

    /// Which operands are looked up, and why others are not.
    fn lookups_in_words(&self, one: &Loop, lattice: &Lattice, names: &[String], reasons: &mut Vec<String>) {
        let cost = |n: usize| self.lookup_cost(one.how.merged[n], &one.known);
        for (n, name) in names.iter().enumerate().filter(|(n, _)| lattice.located & (1 << n) != 0) {
            let cost = cost(n).map_or(String::new(), |growth| format!(", which is {growth} in its row"));
            reasons.push(format!("look   {name} is looked up{cost}"));
        }
        let walked = lattice.together();
        let intersects = lattice.points.iter().all(|point| point & walked == walked);
        if lattice.whole || !intersects || names.len() < 2 {
            return;
        }
        for (n, name) in names.iter().enumerate().filter(|(n, _)| walked & (1 << n) != 0) {
            match cost(n) {
                Some(Growth::Linear) => reasons.push(format!("why    a lookup in {name} is linear in its row")),
                Some(growth) if lattice.located != 0 => {
                    reasons.push(format!("why    a lookup in {name} costs no less: it is {growth} in its row"));
                }
                _ => {}
            }
        }
    }
}

impl Merge {
    /// Which loops there are; `names` are those of the operands.
    fn words(self, names: &[String], lattice: &Lattice) -> String {
        let walked = members(names, lattice.together());
        match self {
            Merge::Never => "never         nothing is computed in it".to_owned(),
            Merge::Count => "count         every coordinate".to_owned(),
            Merge::Walk(_) => format!("walk          {walked}"),
            Merge::Lead { store, other } => {
                format!("lead          {}, by its map; {} follows", names[store], names[other])
            }
            Merge::SideBySide => format!("merge cases   {walked}"),
        }
    }
}

fn by_flags(flags: &Flags, names: &[String], most_cases: usize) -> (String, Vec<String>) {
    let required = (0..names.len()).filter(|&n| flags.required[n]);
    let required: Vec<&str> = required.map(|n| names[n].as_str()).collect();
    let over = match (flags.whole, required.is_empty()) {
        (true, _) => "every coordinate".to_owned(),
        (false, true) => "one loop over all".to_owned(),
        (false, false) => format!("one loop, as long as {} last", required.join(" and ")),
    };
    let why = match names.len() > MOST_MERGED {
        true => format!("why    more than {MOST_MERGED} operands meet: code for each case would be too long"),
        false => format!("why    there would be more than {most_cases} cases, with those of the loops inside"),
    };
    (format!("merge flags   {over}, with a flag for each of {}", names.join(", ")), vec![why])
}

/// Where something is computed in a loop over the operands of `together`, of which those of `required` must have an entry.
fn needed(names: &[String], together: Set, required: Set) -> String {
    match required {
        0 => "why    an entry of one of them may be enough".into(),
        all if all == together && all.count_ones() > 1 => {
            "why    nothing is computed where one of them has no entry".into()
        }
        required => format!("why    nothing is computed where {} has no entry", members(names, required)),
    }
}

/// The operands of a set; `names` are those of all.
pub(super) fn members(names: &[String], set: Set) -> String {
    let inside: Vec<&str> =
        { names.iter().enumerate() }.filter(|(n, _)| set & (1 << n) != 0).map(|(_, name)| name.as_str()).collect();
    if inside.is_empty() { "none".to_owned() } else { inside.join(" and ") }
}
