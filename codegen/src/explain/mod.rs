//! A plan in words: every choice with its reason, as `pleach compile --emit plan` prints it.

mod reasons;

use std::fmt;

use self::reasons::{listed, way_in_words};
use crate::convert::collected::Via;
use crate::notation::concrete::{Assign, Kernel, Role, TensorId};
use crate::plan::{By, Case, Deal, Kept, Loop, Node, Over, Plan, Reach, Share, Statement, Where, Workspace};

/// Loops and cases that one statement prints at most.
const MOST_LINES: usize = 200;

/// Why a workspace has a list.
const ONLY_WRITTEN: &str = "is read only where something was written to it";

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

impl Plan {
    /// Every choice, statement by statement.
    pub fn show(&self, kernel: &Kernel) -> String {
        self.statements.iter().map(|plan| Shown { kernel, plan, lines: Vec::new() }.text()).collect()
    }
}

/// A statement, while its plan is printed.
struct Shown<'p> {
    kernel: &'p Kernel,
    plan: &'p Statement,
    /// The lines on its loops.
    lines: Vec<String>,
}

impl<'p> Shown<'p> {
    fn text(mut self) -> String {
        let statement = self.plan;
        let mut text = format!("{}\n", statement.text);
        let results = self.results();
        let wide = statement.operands.iter().map(|one| one.access.len()).chain(results.iter().map(|one| one.0.len()));
        let wide = wide.max().unwrap_or(0);
        for order in &statement.orders {
            text += &format!("  order  {order}\n");
        }
        for one in &statement.operands {
            let line = format!("  access {:wide$}  {:14}  {}", one.access, one.how, one.why);
            text += &format!("{}\n", line.trim_end());
        }
        for (access, id) in &results {
            text += &format!("  result {access:wide$}  {}\n", self.made(*id));
            for step in self.steps(*id) {
                text += &format!("    {step}\n");
            }
        }
        self.node(&statement.root, 1, "");
        for line in self.lines.iter().take(MOST_LINES) {
            text += &format!("{line}\n");
        }
        if self.lines.len() > MOST_LINES {
            text += &format!("  … {} more lines\n", self.lines.len() - MOST_LINES);
        }
        text
    }

    /// The results, as they are accessed.
    fn results(&self) -> Vec<(String, TensorId)> {
        let mut found: Vec<(String, TensorId)> = Vec::new();
        self.plan.stmt.assigns(&mut |assign| {
            let id = assign.target.tensor;
            let one = (self.kernel.show_access(&assign.target), id);
            if self.kernel.tensor(id).role != Role::Workspace && !found.contains(&one) {
                found.push(one);
            }
        });
        found
    }

    /// How a result is made.
    fn made(&self, id: TensorId) -> String {
        match &self.plan.kept[id.0] {
            Some(Kept::Scalar { .. }) => "scalar".into(),
            Some(Kept::Appended(_, None)) if self.plan.counted.contains(&id) => {
                "count and fill  its rows do not depend on each other".into()
            }
            Some(Kept::Appended(_, None)) => "appended        its entries come in the order of its levels".into(),
            Some(Kept::Copied(copied)) => {
                format!("copied levels   it has an entry where {} has one", self.kernel.show_access(&copied.of))
            }
            Some(Kept::Appended(_, Some(_))) => {
                let how = if self.plan.counted.contains(&id) { "counted and filled" } else { "appended" };
                format!("assembled       its entries are {how} row by row, and made into levels at the end")
            }
            Some(Kept::Collected(source)) => match source.via {
                Via::Counts => {
                    "assembled       its entries come in another order, and are counted and inserted at the end"
                }
                Via::Order => "collected       its entries come in order, and are made into levels at the end",
                Via::Sort => {
                    "collected       its entries come in another order, and are sorted and added up at the end"
                }
            }
            .into(),
            _ => "in place".into(),
        }
    }

    /// How the levels of a result are assembled.
    fn steps(&self, id: TensorId) -> &'p [String] {
        match &self.plan.kept[id.0] {
            Some(Kept::Collected(source) | Kept::Appended(_, Some(source))) => &source.steps,
            _ => &[],
        }
    }

    /// The access of operand `at` as text.
    fn shown(&self, at: usize) -> String {
        self.kernel.show_access(&self.plan.readings[at].access)
    }

    fn line(&mut self, depth: usize, text: impl fmt::Display) {
        self.lines.push(format!("{}{text}", "  ".repeat(depth)));
    }

    /// Appends the lines of a node; `before` stands in front of the first.
    fn node(&mut self, node: &Node, depth: usize, before: &str) {
        if self.lines.len() > MOST_LINES {
            return;
        }
        let kernel = self.kernel;
        match node {
            Node::Nothing => {
                if !before.is_empty() {
                    self.line(depth, format!("{before}nothing"));
                }
            }
            Node::Assign(one) => {
                let left = Assign { value: one.value.clone(), ..one.assign.clone() };
                self.line(depth, format!("{before}{}", kernel.show_assign(&left)));
            }
            Node::Loop(at) => {
                self.one_loop(&self.plan.loops[*at], depth, before);
            }
            Node::Where(one) => {
                let Where { workspaces, wide, producer, read } = &**one;
                let words = |one: &Workspace| match (kernel.tensor(one.id).rank, wide, one.remembers) {
                    (0, ..) => ("a scalar", "is complete before it is read"),
                    (_, Some(_), _) => (
                        "an array with a list of what was written; a sorted list where its extent is far beyond the entries",
                        ONLY_WRITTEN,
                    ),
                    (_, None, true) => ("an array with a list of what was written", ONLY_WRITTEN),
                    (_, None, false) => ("an array", "is read at every coordinate"),
                };
                let name = |one: &Workspace| &kernel.tensor(one.id).name;
                let all: Vec<String> =
                    workspaces.iter().map(|one| format!("{}: {}", name(one), words(one).0)).collect();
                self.line(depth, format!("{before}workspace {}", all.join("; ")));
                for one in workspaces {
                    self.line(depth + 1, format!("why    {} {}", name(one), words(one).1));
                }
                self.node(producer, depth + 1, "fill  ");
                self.node(read, depth + 1, "read  ");
            }
            Node::Sequence(parts) => parts.iter().for_each(|part| self.node(part, depth, before)),
            Node::Flagged { body, .. } => self.node(body, depth, before),
            Node::Stored { at, present, absent } => {
                let access = self.shown(*at);
                self.line(depth, format!("{before}the value of {access} says whether it is an entry"));
                self.node(present, depth + 1, "if so   ");
                self.node(absent, depth + 1, "if not  ");
            }
            Node::Driven { at, assign, deal, body, .. } => {
                let (access, driver) = (self.shown(*at), &self.plan.readings[*at].access);
                let mut others = false;
                assign.reads(&mut |access| others |= access != driver);
                let looked_up = if others { "; the others are looked up" } else { "" };
                self.line(depth, format!("{before}loop over {access} as it is stored{looked_up}"));
                self.line(depth + 1, "why    what is computed of its entries is folded, in whatever order they come");
                match deal {
                    Ok(deal) => {
                        let format = kernel.tensor(driver.tensor).format.as_ref();
                        let level = format.map(|format| format.level_text(&format.levels[deal.level]));
                        let level = level.unwrap_or_default();
                        self.line(depth + 1, format!("tasks  dealt out by level {}, {level}", deal.level + 1));
                        let share = share_in_words(kernel, &deal.share);
                        self.line(depth + 1, format!("why    {share}"));
                    }
                    Err(refusal) => self.line(depth + 1, format!("tasks  none: {}", refusal.why)),
                }
                self.node(body, depth + 1, "");
            }
        }
    }

    /// Appends the lines of a loop: how it runs, why, what its tasks are, and its cases.
    fn one_loop(&mut self, one: &Loop, depth: usize, before: &str) {
        let kernel = self.kernel;
        let names: Vec<String> = one.how.merged.iter().map(|&at| self.shown(at)).collect();
        let (way, reasons) = way_in_words(one, &names, &kernel.indices[one.index.0], self.plan.most_cases);
        self.line(depth, format!("{before}loop {:4} {way}", kernel.indices[one.index.0]));
        for reason in reasons {
            self.line(depth + 1, reason);
        }
        if let Some((walked, found)) = one.swaps {
            let (walked, found) = (&names[walked], &names[found]);
            self.line(
                depth + 1,
                format!("swap   {found} is walked, and {walked} looked up, where the row of {walked} is far longer"),
            );
        }
        if let Some(deal) = &one.deal {
            self.line(depth + 1, format!("tasks  dealt out by {}", deal.words(&names)));
            for share in &deal.shares {
                self.line(depth + 1, format!("why    {}", share_in_words(kernel, share)));
            }
        }
        if let Some(refusal) = &one.in_order {
            self.line(depth + 1, format!("tasks  none: {}", refusal.why));
        }
        for Case { set, node, .. } in &one.cases {
            let present = match one.how.by {
                By::Flags(_) => String::new(),
                _ if names.len() < 2 && one.cases.len() == 1 => String::new(),
                _ => format!("{:wide$}  ", listed(&names, *set), wide = names.join(" and ").len()),
            };
            self.node(node, depth + 1, &present);
        }
    }
}

/// Why iterations do not meet in what they write.
fn share_in_words(kernel: &Kernel, share: &Share) -> String {
    let name = &kernel.tensor(share.tensor()).name;
    match share {
        Share::Fold(..) => format!("each task folds into {name} for itself, and all tasks into one at the end"),
        Share::Part(..) | Share::Stretch(_) => format!("each iteration writes its own part of {name}"),
        Share::Row(_) => format!("each iteration counts, and then fills, its own part of {name}"),
    }
}

impl Deal {
    /// What is dealt out; `names` are those of the operands.
    fn words(&self, names: &[String]) -> String {
        match self.over {
            Over::Coordinates => "coordinates".into(),
            Over::Interval(n) => format!("coordinates of {}", names[n]),
            Over::Positions(n) => format!("positions of {}", names[n]),
            Over::Entries(n) => format!("rows of {}", names[n]),
        }
    }
}
