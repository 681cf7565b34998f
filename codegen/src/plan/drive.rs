//! Statements that one operand drives: how its entries and the other operands are read, and how the loop is dealt out to tasks.

use std::sync::Arc;

use super::choice::{DealtLevel, Reach, Refusal, Share};
use super::draft::{Asked, Draft};
use super::kept::{From, Kept, Reading};
use super::known::{Followed, Known};
use super::tree::Node;
use crate::diagnostic::Diagnostic;
use crate::format::{Inverse, Way};
use crate::notation::ast::ValueType;
use crate::notation::concrete::{Assign, Stmt};
use crate::notation::{Driven, driven};

impl Draft<'_> {
    /// The level of driver `at` whose loop is dealt out: its iterations write rows of the target of their own, or all that is done is to
    /// fold into a scalar.
    pub fn deal_driver(&self, at: usize, assign: &Assign) -> Result<DealtLevel, Refusal> {
        let (driver, target) = (&self.readings[at].access, &assign.target);
        let From::Levels(form, _) = &self.readings[at].from else { unreachable!("a driver has levels") };
        if !form.steps.is_empty() {
            let name = &self.kernel.tensor(driver.tensor).name;
            return Err(Refusal::for_good(format!("only a part of `{name}` is visited")));
        }
        let way = |level: usize| form.format.levels[level].way();
        let indices = match &self.kept[target.tensor.0] {
            Some(Kept::Collected(_)) => return Err(self.in_computed_order(target)),
            Some(Kept::Levels(form)) => form.format.indices_of(target),
            _ => target.indices.clone(),
        };
        let share = self.share(*indices.first().unwrap_or(&driver.indices[0]), assign, &Known::default())?;
        if let Share::Fold(..) = share {
            let counted = matches!(way(0), Way::Interval | Way::Positions { .. });
            return counted.then_some(DealtLevel { level: 0, share, rows: 1 }).ok_or_else(|| self.one_by_one(&[at]));
        }
        if self.kernel.tensor(target.tensor).value == ValueType::Pattern {
            return Err(self.in_computed_order(target));
        }
        let of_rows = || {
            let place = driver.indices.iter().position(|index| Some(index) == indices.first())?;
            let (level, rows) = match &form.format.inverse[place] {
                Inverse::Level(level) => (*level, 1),
                inverse => inverse.blocked().map(|(level, size, _)| (level, size))?,
            };
            // Several positions may have the same coordinate.
            (way(level) == Way::Interval).then_some((level, rows))
        };
        let dealt = of_rows().map(|(level, rows)| DealtLevel { level, share, rows });
        dealt.ok_or_else(|| Refusal::for_good(self.same_element(target)))
    }

    /// The operand that drives a statement; `None` if there is none, or if another operand would have to be sorted to be read inside of its loop.
    pub fn driven_of<'s>(&self, stmt: &'s Stmt) -> Option<Driven<'s>> {
        driven(self.kernel, stmt).filter(|driven| !self.plan.idle.contains(&self.driven_text(driven)))
    }

    /// A driven statement in words.
    pub fn driven_text(&self, driven: &Driven<'_>) -> String {
        format!("{} driven by {}", self.kernel.show_assign(driven.assign), self.kernel.show_access(&driven.driver))
    }

    /// The operands of a driven statement: the driver in the order of its storage, the others inside its loop.
    pub fn collect_driven(&mut self, driven: &Driven<'_>) -> Result<(), Asked> {
        let path = driven.path();
        let access = driven.driver.clone();
        let Some(Kept::Levels(form)) = self.kept[access.tensor.0].clone() else {
            let mistake = Diagnostic::new(access.span, "this tensor is read before it is made");
            return Err(Asked::Wrong(Box::new(mistake)));
        };
        let (order, of) = (Draft::order_of(&access, &path), form.format.indices_of(&access));
        self.note(&access, Reach::Driver, "its entries may come in any order: what is computed is added up");
        self.plan.readings.push(Reading { access, order, from: From::Levels(form, of), drives: true, sorted: false });
        let mut accesses = Vec::new();
        driven.assign.reads(&mut |access| accesses.push(access.clone()));
        accesses.retain(|access| *access != driven.driver);
        for access in accesses {
            self.operand(access.clone(), &path);
            // A driver's entries come in any order, and a sorted copy cannot be looked up at their coordinates.
            let found = self.lookup(&access, &Draft::order_of(&access, &path), None);
            if found.is_some_and(|at| self.readings[at].sorted) {
                return Err(Asked::Idle(self.driven_text(driven)));
            }
        }
        Ok(())
    }

    /// The loop over the entries of a driver.
    pub fn decide_driven(&mut self, driven: &Driven<'_>) -> Result<Node, Asked> {
        let order = Draft::order_of(&driven.driver, &driven.path());
        let drives = |one: &Reading| one.drives && one.access == driven.driver && one.order == order;
        let Some(at) = self.readings.iter().position(drives) else { return Ok(Node::Nothing) };
        let mut known = Known { path: order, driver: Some(at), ..Known::default() };
        known.set(at, Followed { depth: self.depth_of(at), ..Followed::default() });
        let others: Vec<usize> = (0..self.readings.len()).filter(|&other| !self.readings[other].drives).collect();
        let searched = self.search(&others, &mut known);
        // The driver is given up if an operand would have to be sorted for its loop.
        let inner =
            self.decide_tested(&driven.body(), &[&[at], &others[..]].concat(), known).map_err(|asked| match asked {
                Asked::Sort(_) => Asked::Idle(self.driven_text(driven)),
                asked => asked,
            })?;
        let deal = self.deal_driver(at, driven.assign);
        Ok(Node::Driven { at, searched, assign: Arc::new(driven.assign.clone()), deal, body: Box::new(inner) })
    }
}
