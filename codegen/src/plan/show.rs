//! A plan in words.

use std::fmt;

use super::{Deal, How, Loop, Made, Node, Over, Plan, Reach, Share, Statement};
use crate::lattice::Set;
use crate::level::Growth;

/// Loops and cases that one statement prints at most.
const MOST_LINES: usize = 200;

impl How {
    /// How the operands `names` meet, in words.
    pub fn show(&self, names: &[String]) -> String {
        match self {
            How::Cases(_, lattice) => lattice.show(names),
            How::Flags(_, flags) => flags.show(names),
            How::Once(_, lattice) => format!("{}; where none is, once", lattice.show(names)),
        }
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Reach::Located => "located",
            Reach::Direct => "direct",
            Reach::Chained => "chained",
            Reach::Driver => "driver",
            Reach::Sorted => "sorted first",
            Reach::Searched => "searched",
        })
    }
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Made::Scalar => f.write_str("scalar"),
            Made::InPlace => f.write_str("in place"),
            Made::Appended => f.write_str("appended        its entries come in the order of its levels"),
            Made::Counted => f.write_str("count and fill  its rows do not depend on each other"),
            Made::Copied(of) => write!(f, "copied levels   it has an entry where {of} has one"),
            Made::Collected => {
                f.write_str("collected       its entries come in order, and are made into levels at the end")
            }
            Made::Assembled => f.write_str(
                "assembled       its entries come in another order, and are counted and inserted at the end",
            ),
            Made::Sorted => {
                f.write_str("collected       its entries come in another order, and are sorted and added up at the end")
            }
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.statements.iter().try_for_each(|statement| statement.fmt(f))
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        let wide =
            self.operands.iter().map(|one| one.access.len()).chain(self.results.iter().map(|one| one.access.len()));
        let wide = wide.max().unwrap_or(0);
        self.orders.iter().try_for_each(|text| writeln!(f, "  order  {text}"))?;
        for one in &self.operands {
            let line = format!("  access {:wide$}  {:14}  {}", one.access, one.how, one.why);
            writeln!(f, "{}", line.trim_end())?;
        }
        for one in &self.results {
            writeln!(f, "  result {:wide$}  {}", one.access, one.how)?;
        }
        let mut lines = Vec::new();
        self.lines(&self.root, 1, "", &mut lines);
        for line in lines.iter().take(MOST_LINES) {
            writeln!(f, "{line}")?;
        }
        if lines.len() > MOST_LINES {
            writeln!(f, "  … {} more lines", lines.len() - MOST_LINES)?;
        }
        Ok(())
    }
}

impl Statement {
    /// Appends the lines of a node; `before` stands in front of the first.
    fn lines(&self, node: &Node, depth: usize, before: &str, lines: &mut Vec<String>) {
        if lines.len() > MOST_LINES {
            return;
        }
        let line = |text: &str| format!("{}{before}{text}", "  ".repeat(depth));
        match node {
            Node::Nothing => {
                if !before.is_empty() {
                    lines.push(line("nothing"));
                }
            }
            Node::Assign { text, .. } => lines.push(line(text)),
            Node::Loop(at) => {
                let one = &self.loops[*at];
                lines.push(line(&format!("loop {:4} {}", one.name, one.words())));
                for (set, node) in &one.cases {
                    let names = match one.how {
                        How::Flags(..) => String::new(),
                        _ if one.names.len() < 2 && one.cases.len() == 1 => String::new(),
                        _ => format!("{:wide$}  ", members(&one.names, *set), wide = one.names.join(" and ").len()),
                    };
                    self.lines(node, depth + 1, &names, lines);
                }
            }
            Node::Where { text, producer, read, .. } => {
                lines.push(line(&format!("workspace {text}")));
                self.lines(producer, depth + 1, "fill  ", lines);
                self.lines(read, depth + 1, "read  ", lines);
            }
            Node::Sequence(parts) => parts.iter().for_each(|part| self.lines(part, depth, before, lines)),
            Node::Without(_, body) | Node::Flagged { body, .. } => self.lines(body, depth, before, lines),
            Node::Stored { access, present, absent, .. } => {
                lines.push(line(&format!("the value of {access} says whether it is an entry")));
                self.lines(present, depth + 1, "if so   ", lines);
                self.lines(absent, depth + 1, "if not  ", lines);
            }
            Node::Driven { access, body, .. } => {
                lines.push(line(&format!("loop over {access} as it is stored; the others are looked up")));
                self.lines(body, depth + 1, "", lines);
            }
        }
    }
}

fn members(names: &[String], set: Set) -> String {
    let inside: Vec<&str> =
        { names.iter().enumerate() }.filter(|(n, _)| set & (1 << n) != 0).map(|(_, name)| name.as_str()).collect();
    if inside.is_empty() { "none".to_owned() } else { inside.join(" and ") }
}

impl Deal {
    /// What is dealt out, and what is done about what tasks share, in words; `names` are those of the operands.
    fn words(&self, names: &[String]) -> String {
        let over = match self.over {
            Over::Coordinates => "coordinates".into(),
            Over::Interval(n) => format!("coordinates of {}", names[n]),
            Over::Positions(n) => format!("positions of {}", names[n]),
            Over::Entries(n) => format!("rows of {}", names[n]),
        };
        let folds = self.shares.iter().any(|share| matches!(share, Share::Fold(..)));
        if folds { format!("{over}, and folded over all tasks") } else { over }
    }
}

impl Loop {
    /// How it runs, in words.
    fn words(&self) -> String {
        let all: Set = 1u32.checked_shl(self.names.len() as u32).map_or(Set::MAX, |bit| bit - 1);
        let looked = |located: Set| {
            let mut words = String::new();
            for (n, growth) in self.lookups.iter().enumerate().filter_map(|(n, growth)| Some((n, (*growth)?))) {
                let (name, chosen) = (&self.names[n], located & (1 << n) != 0);
                words += &match growth {
                    growth if chosen => format!("; {name} looked up, {growth} in its row"),
                    Growth::Linear if self.names.len() > 1 => format!("; {name} not looked up: linear in its row"),
                    _ => String::new(),
                };
            }
            words
        };
        let dealt =
            self.deal.as_ref().map_or(String::new(), |deal| format!("; dealt out by {}", deal.words(&self.names)));
        let way = match &self.how {
            How::Cases(_, lattice) if lattice.points.is_empty() => "never         nothing is computed in it".into(),
            How::Cases(_, lattice) if lattice.whole => {
                format!("count         every coordinate{}", looked(lattice.located))
            }
            How::Cases(_, lattice) => {
                let loops = lattice.loops();
                let together = members(&self.names, all & !lattice.located);
                let way = if loops.len() == 1 && loops[0].count_ones() == 1 { "walk" } else { "merge cases" };
                format!("{way:13} {together}{}", looked(lattice.located))
            }
            How::Flags(_, flags) => {
                let over = if flags.whole { "every coordinate" } else { "one loop over all" };
                format!("merge flags   {over}, with a flag for each of {}", self.names.join(", "))
            }
            How::Once(_, lattice) => {
                let together = members(&self.names, all & !lattice.located);
                format!("walk          {together}; what is folded where none is, is folded once")
            }
        };
        way + &dealt
    }
}
