//! How a loop runs, and why, in words.

use crate::lattice::{Lattice, MOST_MERGED, Set, members};
use crate::level::Growth;
use crate::plan::{By, Flags, Loop, MOST_CASES, Merge};

/// How a loop runs, and why: a line for each reason.
pub(super) fn way_in_words(one: &Loop, names: &[String], index: &str, most_cases: usize) -> (String, Vec<String>) {
    match &one.how.by {
        By::Cases(lattice, Merge::Never) => (Merge::Never.words(names, lattice), Vec::new()),
        By::Cases(lattice, loops) => cases_in_words(one, lattice, *loops, names, index),
        By::Flags(flags) => by_flags(flags, names, most_cases),
        By::Once(_, Merge::Never) => ("once          the same is folded at every coordinate".into(), Vec::new()),
        By::Once(lattice, loops) => {
            let why = "why    the same is folded at all coordinates without an entry: it is folded once";
            (loops.words(names, lattice), vec![why.to_owned()])
        }
    }
}

fn cases_in_words(one: &Loop, lattice: &Lattice, loops: Merge, names: &[String], index: &str) -> (String, Vec<String>) {
    let together = lattice.together();
    let required = lattice.points.iter().fold(together, |all, point| all & point);
    let mut reasons = vec![match loops {
        Merge::Count => why_whole(one, lattice, names, index),
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
    lookups_in_words(one, lattice, names, &mut reasons);
    if one.skips.operands != 0 {
        let skipping = listed(names, one.skips.operands).replace(" and ", " or ");
        reasons.push(match one.skips.if_longer {
            true => format!("skip   {skipping} jumps ahead in its coordinates if it is much longer"),
            false => format!("skip   {skipping} jumps ahead to the coordinate that the others are at"),
        });
    }
    (loops.words(names, lattice), reasons)
}

/// Why a loop runs over all coordinates.
fn why_whole(one: &Loop, lattice: &Lattice, names: &[String], index: &str) -> String {
    if names.is_empty() {
        format!("why    no operand lists its coordinates along {index}")
    } else if lattice.points.contains(&0) {
        "why    something is computed also where no operand has an entry".into()
    } else if one.deal.is_some() && members(lattice.located).count() == names.len() {
        "why    rows that are looked up can be dealt out by their numbers".into()
    } else {
        format!("why    {} cannot be stepped through in order, but looked up", listed(names, one.how.stuck))
    }
}

/// Which operands are looked up, and why others are not.
fn lookups_in_words(one: &Loop, lattice: &Lattice, names: &[String], reasons: &mut Vec<String>) {
    for n in members(lattice.located) {
        let (name, cost) = (&names[n], one.how.lookups[n]);
        let cost = cost.map_or(String::new(), |growth| format!(", which is {growth} in its row"));
        reasons.push(format!("look   {name} is looked up{cost}"));
    }
    let walked = lattice.together();
    let intersects = lattice.points.iter().all(|point| point & walked == walked);
    if lattice.whole || !intersects || names.len() < 2 {
        return;
    }
    for n in members(walked) {
        let name = &names[n];
        match one.how.lookups[n] {
            Some(Growth::Linear) => reasons.push(format!("why    a lookup in {name} is linear in its row")),
            Some(growth) if lattice.located != 0 => {
                reasons.push(format!("why    a lookup in {name} costs no less: it is {growth} in its row"));
            }
            _ => {}
        }
    }
}

impl Merge {
    /// Which loops there are; `names` are those of the operands.
    fn words(self, names: &[String], lattice: &Lattice) -> String {
        let walked = listed(names, lattice.together());
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
        false if most_cases < MOST_CASES[0] => {
            format!(
                "why    the kernel would be too long with more than {most_cases} cases in a loop and the loops inside"
            )
        }
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
        required => format!("why    nothing is computed where {} has no entry", listed(names, required)),
    }
}

/// The operands of a set, as a text lists them; `names` are those of all.
pub(super) fn listed(names: &[String], set: Set) -> String {
    let inside: Vec<&str> = members(set).map(|n| names[n].as_str()).collect();
    if inside.is_empty() { "none".to_owned() } else { inside.join(" and ") }
}
