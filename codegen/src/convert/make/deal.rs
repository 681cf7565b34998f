//! Walks through the entries of a source that are dealt out to tasks: each takes a stretch of rows, or of a list, with as many entries as
//! the others.
//!
//! ```text
//!   csr to csc                         task 0          task 1
//!     counts of its own              2 0 1 0 …       1 1 0 2 …         by column, a walk each
//!     where it inserts, by column    0 3 4 6 …       2 3 5 6 …         one sum over columns, and tasks within each
//!     coordinates and values         a walk each, to places that are no other task's
//! ```

use super::fit::Fit;
use super::maker::Maker;
use super::parts::{Counted, Deal, Over, Seen, With};
use crate::convert::statement::{Op, Statement, Term, Value};
use crate::convert::walk::{Entry, Visit};
use crate::format::{Coordinate, FormatLevel};
use crate::ir::{self, Block, Domain, Expr, Owned, Partition, Reduce, Scalar, Stmt, Turn, Var, Work};
use crate::level::{By, ByTask, FieldKind, Insertion, Made, Question, Walk};
use crate::tensor::Pos;

impl Maker<'_> {
    /// How walks through the source are dealt out, if they can be: its outermost level is counted through. No more tasks are started
    /// than entries pay for, if each has an array of `own` numbers.
    pub(super) fn deal(&mut self, own: Option<&Expr>) -> Option<Deal> {
        if let Some(deal) = &self.dealt {
            return Some(deal.clone());
        }
        let (entries, over) = match self.source.walk(0, &Pos::At(ir::usize(0)), &[]) {
            Walk::Interval { hi, .. } => {
                // Rows are counted from 0, and have their number for a position.
                if !self.source.format.levels[0].properties.full {
                    return None;
                }
                let row = self.vars.fresh("row", Scalar::Usize);
                let ends = self.ends_of(row);
                let entries = ends.map_or(hi.clone(), |ends| ir::load(ends, hi.clone()));
                (entries, Over::Rows(hi, ends))
            }
            Walk::Positions { lo, hi, .. } => (hi - lo.clone(), Over::Positions(lo)),
            Walk::One { .. } | Walk::Entries { .. } => return None,
        };
        let entries = self.named(format!("{}_entries", self.prefix), entries);
        let mut count = Expr::Tasks(Box::new(entries.clone()));
        if let Some(own) = own.filter(|own| **own != ir::usize(1)) {
            // The numbers of all tasks together are to be no more than the entries.
            count = count.min((entries.clone() / own.clone()).max(ir::usize(1)));
        }
        let tasks = self.vars.fresh(format!("{}_tasks", self.prefix), Scalar::Usize);
        self.block.push(Stmt::Let(tasks, count));
        self.dealt = Some(Deal { tasks, entries, over });
        self.dealt.clone()
    }

    /// The array that says where the rows of the source end, if its second level has one.
    pub(super) fn ends_of(&self, row: Var) -> Option<Var> {
        if self.source.format.levels.len() < 2 {
            return None;
        }
        match self.source.walk(1, &Pos::At(row.into()), &[Expr::Var(row)]) {
            Walk::Positions { lo: Expr::Load(ends, at), .. } if *at == Expr::Var(row) => Some(ends),
            _ => None,
        }
    }

    /// A walk through all entries, dealt out to tasks. `body` gets the number of the task. What is written in it, and declared outside, is
    /// written by all tasks.
    pub(super) fn entries_dealt(
        &mut self,
        deal: &Deal,
        with: With,
        body: &mut dyn FnMut(&mut Self, &Entry, Var) -> Block,
    ) -> Stmt {
        let (source, enter) = (self.source, with.enter.clone());
        self.dealt(deal, with, |this, (lo, hi), task| {
            let stretch = Some((lo.into(), hi.into()));
            this.walk(Visit { enter, stretch, ..Visit::all(source) }, &mut |this, entry| body(this, entry, task))
        })
    }

    /// What each task does with its stretch of rows or of a list, from the first number up to the second.
    pub(super) fn dealt(
        &mut self,
        deal: &Deal,
        with: With,
        walk: impl FnOnce(&mut Self, (Var, Var), Var) -> Block,
    ) -> Stmt {
        let task = self.vars.fresh("task", Scalar::Usize);
        let (lo, hi) = (self.vars.fresh("lo", Scalar::Usize), self.vars.fresh("hi", Scalar::Usize));
        let With { own, first, align, .. } = with;
        let walk = walk(self, (lo, hi), task);
        let mut inner = Block::from(vec![
            Stmt::Let(lo, deal.start(Expr::Var(task), align)),
            Stmt::Let(hi, deal.start(Expr::Var(task) + ir::usize(1), align)),
        ]);
        inner.append(first);
        inner.append(walk);
        let mut owned = own;
        for array in written(&inner) {
            if owned.iter().all(|known| known.array != array) {
                owned.push(Owned { array, partition: Partition::Anywhere });
            }
        }
        Stmt::Parallel {
            var: task,
            domain: Domain::Range { lo: ir::usize(0), hi: deal.tasks.into() },
            owned,
            reductions: Vec::new(),
            work: Work::TASK,
            scratch: Block::new(),
            body: inner,
        }
    }

    /// How many rows of the source belong together where the coordinates of these levels of the target come in stretches, and the first of
    /// them lies above level `k`, so that parents of level `k` are those of one stretch.
    pub(super) fn aligned(&self, k: usize, stretch: &[usize]) -> Option<usize> {
        let outermost = &self.source.format.levels[0];
        let Coordinate::Index(m) = outermost.coordinate else { return None };
        let rows = matches!(self.source.walk(0, &Pos::At(ir::usize(0)), &[]), Walk::Interval { .. });
        let first = *stretch.first().filter(|first| **first < k)?;
        let coordinate = &self.target.levels[first].coordinate;
        let size = match (coordinate, coordinate.quotient()) {
            (Coordinate::Index(n), _) if *n == m => 1,
            (_, Some((n, size))) if n == m => usize::try_from(size).ok()?,
            _ => return None,
        };
        (rows && outermost.properties.unique).then_some(size)
    }

    /// Whether the entries below one parent of level `k` all come in the stretch of one task.
    pub(super) fn is_exclusive(&self, k: usize) -> bool {
        let outermost = &self.source.format.levels[0];
        let Coordinate::Index(m) = outermost.coordinate else { return false };
        let above = &self.target.levels[..k];
        outermost.properties.unique && above.iter().any(|level| level.coordinate == Coordinate::Index(m))
    }

    /// Whether tasks can insert entries side by side, if each knows where the next one of a parent belongs: no two write one place.
    pub(super) fn can_deal(&self, fit: &Fit) -> bool {
        let contend = |level: &FormatLevel| level.kind.insertion().is_none_or(Insertion::contends);
        let whole = fit.shared.as_ref().is_none_or(|shared| self.aligned(shared.level, &shared.stretch).is_some());
        !fit.adds && whole && !self.target.levels.iter().any(contend) && self.counts_within_rows()
    }

    /// Whether tasks can insert side by side into places that follow from coordinates and from a counter that each of them has counted for.
    pub(super) fn can_deal_counts(&self, fit: &Fit) -> bool {
        let apart = |level: &FormatLevel| {
            level.kind.insertion().is_some_and(|insertion| !insertion.contends() && !insertion.yields())
        };
        !fit.adds && fit.shared.is_none() && self.target.levels.iter().all(apart)
    }

    /// Whether each task knows where the next entry of a parent belongs.
    pub(super) fn is_counted_by_task(&self, made: &[Made], seen: Option<&Seen>) -> bool {
        seen.is_some()
            || self.target.levels.iter().zip(made).enumerate().all(|(k, (level, made))| {
                let yields = level.kind.insertion().is_some_and(Insertion::yields);
                !yields || made.tasks.is_some() || self.is_exclusive(k)
            })
    }

    /// The tasks that count the entries of each parent of level `k`, if that is what the level asks, and several tasks can.
    pub(super) fn by_task(
        &mut self,
        made: &Made,
        k: usize,
        insertion: &dyn Insertion,
        questions: &[(Question, Statement)],
    ) -> Option<ByTask> {
        let [(Question { by: By::Parent, .. }, Statement { op: Op::Add, value: Value::Source(Term::One), .. })] =
            questions
        else {
            return None;
        };
        if !self.deals || !insertion.counts_by_task() || made.is_root() || self.is_exclusive(k) {
            return None;
        }
        let deal = self.deal(Some(&made.parents))?;
        Some(ByTask { tasks: deal.tasks.into(), before: ir::usize(0), size: None })
    }

    /// Counts the entries of each parent of level `k`, each task in numbers of its own, and then turns these into the places where the
    /// task inserts its first entry of each parent. Edges are inserted with it.
    pub(super) fn count_by_task(&mut self, made: &mut [Made], k: usize) {
        let (Some(deal), Some(by)) = (self.dealt.clone(), made[k].tasks.clone()) else { return };
        let (array, parents) = (self.array(made, k, FieldKind::Positions), made[k].parents.clone());
        let held: &[Made] = made;
        let own = held[k].own_numbers().into_iter().collect();
        let count = self.entries_dealt(&deal, With { own, ..With::default() }, &mut |this, entry, task| {
            let (mut block, parent) = this.position(held, k, &entry.all());
            let place = held[k].of_task(task).number_of(parent);
            block.push(Stmt::StoreUpdate(array, place, Reduce::Add, ir::usize(1)));
            block
        });
        self.block.push(count);
        let size = self.vars.fresh(format!("{}_size", made[k].prefix), Scalar::Usize);
        self.block.push(Stmt::TaskCounts { array, tasks: by.tasks.clone(), parents, turn: Turn::Starts(size) });
        made[k].tasks = Some(ByTask { size: Some(size), ..by });
    }

    /// Counts the entries of each place that the counter of the target counts in, each task in numbers of its own. Returns whether tasks
    /// can insert side by side then.
    pub(super) fn count_places_by_task(&mut self, by: &[usize], counts: Var, len: &Expr) -> bool {
        // A counter of all entries is one number, which tasks would share.
        if !self.deals_counts || by.is_empty() {
            return false;
        }
        let Some(deal) = self.deal(Some(len)) else { return false };
        let all = Expr::Var(deal.tasks) * len.clone();
        self.block.push(Stmt::NewArray { var: counts, len: all, fill: ir::usize(0) });
        let counted = Counted { counts, tasks: Some(deal.tasks) };
        let own = vec![counted.own_numbers(len.clone())];
        let count = self.entries_dealt(&deal, With { own, ..With::default() }, &mut |this, entry, task| {
            let at = Expr::Var(task) * len.clone() + this.number_of_place(by, &entry.all());
            Stmt::StoreUpdate(counts, at, Reduce::Add, ir::usize(1)).into()
        });
        self.block.push(count);
        self.counted = Some(counted);
        true
    }
}

impl Deal {
    /// Where the stretch of a task begins, a multiple of `align` rows.
    fn start(&self, task: Expr, align: usize) -> Expr {
        let start = self.begin(task);
        match &self.over {
            Over::Rows(rows, _) if align > 1 => {
                ((start + ir::usize(align - 1)) / ir::usize(align) * ir::usize(align)).min(rows.clone())
            }
            _ => start,
        }
    }

    fn begin(&self, task: Expr) -> Expr {
        let entries = || self.entries.clone() * task.clone() / Expr::Var(self.tasks);
        match &self.over {
            Over::Rows(_, None) => entries(),
            Over::Rows(rows, Some(ends)) => Expr::Seek {
                array: *ends,
                from: Box::new(ir::usize(0)),
                to: Box::new(rows.clone()),
                coord: Box::new(entries()),
            },
            Over::Positions(lo) if *lo == ir::usize(0) => entries(),
            Over::Positions(lo) => lo.clone() + entries(),
        }
    }
}

/// The arrays that a block writes and does not declare.
fn written(block: &Block) -> Vec<Var> {
    let (mut written, mut declared) = (Vec::new(), Vec::new());
    block.visit(&mut |stmt| {
        declared.extend(stmt.declares());
        if let Stmt::Store(array, ..) | Stmt::StoreUpdate(array, ..) = stmt
            && !written.contains(array)
        {
            written.push(*array);
        }
    });
    written.retain(|array| !declared.contains(array));
    written
}
