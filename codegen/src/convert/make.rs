//! Assembly by level functions: questions, edges, coordinates, positions (section 6.2 of the conversion paper).
//!
//! ```text
//!   for each level, from the top      answer its questions in a walk through the source
//!                                     insert edges, make room for coordinates
//!   then, in one walk                 find the position of each entry level by level, store coordinates and the value
//! ```

use std::collections::BTreeMap;

use super::order::{self, Order};
use super::query::{Aggregate, Asked, Query};
use super::rewrite::{self, Facts};
use super::statement::{Op, Statement, Term, Value, canonical};
use super::walk::{Entry, Visit, is_counted};
use super::{Lowered, Stage};
use crate::format::{Coordinate, Format};
use crate::ir::{self, Block, Expr, Reduce, Scalar, Stmt, Type, Var, Vars};
use crate::level::{By, Insertion, Kept, Made, Making, Question, Statistic};
use crate::lower::remap::shift;
use crate::lower::storage::{Levels, literal, scalar};
use crate::notation::ast::{Literal, ValueType};

/// A target that is made.
pub(super) struct Maker<'a> {
    pub vars: &'a mut Vars,
    pub block: &'a mut Block,
    pub source: &'a Levels,
    pub target: &'a Format,
    pub shape: Vec<Expr>,
    pub prefix: String,
    pub value: ValueType,
    /// What was asked, for whoever wants to see it.
    pub stages: &'a mut Vec<Stage>,
    /// What was decided, line by line.
    pub plan: &'a mut Vec<String>,
    /// Set if an array is as long as a dimension that the target has none for.
    pub wide: &'a mut bool,
}

/// Why the level functions do not apply.
pub(super) type Unfit = String;

/// How a level that keeps each coordinate once is made when several entries have it: places that were seen are remembered.
struct Seen {
    /// For each place outside of the stretch, the stretch that last had it there; a number if there is one place.
    stamp: Var,
    /// The position it has.
    slot: Var,
    /// Coordinates that stay the same over stretches of entries, and those that do not: target levels.
    stretch: Vec<usize>,
    rest: Vec<usize>,
    /// Whether entries come in the order in which the level keeps them.
    in_order: bool,
}

/// What can be made of `target` from `source`, and how.
pub(super) struct Fit {
    /// The level that keeps several entries at one coordinate, with the coordinates that come in stretches.
    shared: Option<(usize, Vec<usize>, bool)>,
    /// Whether entries with the same coordinates are to be added up.
    pub adds: bool,
}

fn coordinates(format: &Format) -> Vec<Coordinate> {
    format.levels.iter().map(|level| level.coordinate.clone()).collect()
}

/// Whether, and how, the level functions of `target` can take the entries of `source` as they come.
pub(super) fn fits(source: &Format, target: &Format) -> Result<Fit, Unfit> {
    let (order, rank, all) = (Order::of(source), target.rank(), coordinates(target));
    let mut yields = None;
    let mut shared = None;
    for (k, level) in target.levels.iter().enumerate() {
        let Some(insertion) = level.kind.insertion() else {
            return Err(format!("`{}` has no assembly functions", level.kind.name()));
        };
        if let Coordinate::Counter(of) = &level.coordinate {
            let fixed: Vec<Coordinate> = of.iter().copied().map(Coordinate::Index).collect();
            let rest: Vec<Coordinate> = (0..rank).filter(|m| !of.contains(m)).map(Coordinate::Index).collect();
            if !order.ascends(rank, &fixed, &rest) || !order.unique {
                return Err(format!(
                    "the source does not come in the order in which `{}` counts",
                    level_text(target, k)
                ));
            }
        } else if order::indices(&level.coordinate).is_empty() {
            return Err(format!("level {} keeps a constant", k + 1));
        }
        let asks = insertion.questions(&level.switches).iter().any(|question| question.by == By::Parent);
        if asks && yields.is_some() {
            return Err(format!(
                "`{}` lies below a level whose positions are given out one by one",
                level_text(target, k)
            ));
        }
        if !insertion.yields() {
            let distinct = order::single_out(rank, &all[..=k]);
            if asks && !distinct && insertion.questions(&level.switches).iter().any(|q| q.what == Statistic::Count) {
                return Err(format!("several entries have the same coordinate of `{}`", level_text(target, k)));
            }
            continue;
        }
        yields = Some(k);
        let branchless = target.levels[k + 1..].iter().take_while(|below| below.properties.branchless).count();
        let in_order = !level.properties.ordered || order.ascends(rank, &all[..k], &all[k..=k + branchless]);
        if !level.properties.unique {
            let last = order::single_out(rank, &all[..=k + branchless]);
            if !in_order || !last {
                return Err(format!("the source does not come in the order of `{}`", level_text(target, k)));
            }
        } else if order::single_out(rank, &all[..=k]) {
            if !in_order {
                return Err(format!("the source does not come in the order of `{}`", level_text(target, k)));
            }
        } else {
            let stretch = order.contiguous(rank, &all[..=k]);
            if stretch.is_empty() {
                return Err(format!("entries of the same `{}` come apart from one another", level_text(target, k)));
            }
            shared = Some((k, stretch, in_order));
        }
    }
    let counts = all.iter().any(|c| matches!(c, Coordinate::Counter(_)));
    let adds = !order.unique && order::is_unique(target);
    let no_fill = matches!(target.fill, None | Some(Literal::Int(0)));
    if adds && (yields.is_some() || counts || !no_fill) {
        return Err("equal entries, of which the source may have several, have to be added up".to_owned());
    }
    Ok(Fit { shared, adds })
}

/// `(j - i): squeezed`
pub(super) fn level_text(format: &Format, k: usize) -> String {
    let text = format.coordinate_text(&format.levels[k].coordinate);
    format!("{text}: {}{}", format.levels[k].kind.name(), format.levels[k].switches)
}

impl Maker<'_> {
    /// Makes the target.
    pub fn make(&mut self, fit: &Fit) -> Lowered {
        let n = self.target.levels.len();
        let mut made: Vec<Made> = Vec::new();
        let mut extents = Vec::new();
        let mut parents = ir::usize(1);
        let many = self.target.levels.iter().filter(|l| !l.kind.fields(&l.switches).is_empty()).count() > 1;
        let mut seen = None;
        for k in 0..n {
            let level = self.target.levels[k].clone();
            let Some(insertion) = level.kind.insertion() else { continue };
            let (extent, own) = self.extent(k);
            extents.push(own);
            let number = if many { (k + 1).to_string() } else { String::new() };
            made.push(Made {
                prefix: format!("{}{number}", self.prefix),
                parents: parents.clone(),
                extent,
                switches: level.switches.clone(),
                held: BTreeMap::new(),
            });
            insertion.begin(&mut Making { vars: self.vars, block: self.block, level: &mut made[k] });
            if let Some((_, stretch, in_order)) = fit.shared.as_ref().filter(|shared| shared.0 == k) {
                seen = Some(self.remember(&made, k, stretch, *in_order));
            }
            let sequenced = self.answer(&mut made, k, insertion, seen.as_ref().filter(|_| fit.shared.is_some()));
            let mut making = Making { vars: self.vars, block: self.block, level: &mut made[k] };
            if !sequenced {
                insertion.finish_edges(&mut making);
            }
            insertion.init_coordinates(&mut making);
            parents = insertion.size(making.level);
            if k + 1 < n || self.value != ValueType::Pattern {
                parents = self.named(format!("{}_size", made[k].prefix), parents);
            }
        }
        let vals = (self.value != ValueType::Pattern).then(|| {
            let vals = self.vars.fresh(format!("{}_vals", self.prefix), Type::vec(scalar(self.value)));
            let fill = literal(self.target.fill.unwrap_or(Literal::Int(0)), scalar(self.value));
            self.block.push(Stmt::NewArray { var: vals, len: parents, fill });
            vals
        });
        for (k, level) in self.target.levels.iter().enumerate() {
            if let Some(insertion) = level.kind.insertion() {
                insertion.init_positions(&mut Making { vars: self.vars, block: self.block, level: &mut made[k] });
            }
        }
        self.insert(&mut made, vals, fit, seen.as_ref());
        self.finished(made, extents, vals)
    }

    /// A number that is computed once.
    fn named(&mut self, name: String, value: Expr) -> Expr {
        if matches!(value, Expr::Literal(_) | Expr::Var(_)) {
            return value;
        }
        let var = self.vars.fresh(name, Scalar::Usize);
        self.block.push(Stmt::Let(var, value));
        var.into()
    }

    /// How many coordinates level `k` can have; the variable, where it is kept as a number of its own.
    fn extent(&mut self, k: usize) -> (Expr, Option<Var>) {
        match &self.target.levels[k].coordinate {
            Coordinate::Index(m) => (self.shape[*m].clone(), None),
            Coordinate::Counter(_) => (ir::usize(0), None),
            c => {
                let var = self.vars.fresh(format!("{}{}_extent", self.prefix, k + 1), Scalar::Usize);
                let extent = crate::level::extent(c, &self.shape).unwrap_or(ir::usize(0));
                self.block.push(Stmt::Let(var, extent.clone()));
                (if matches!(extent, Expr::Literal(_)) { extent } else { var.into() }, Some(var))
            }
        }
    }

    /// The coordinate of level `k`, counted from its lower bound, for an entry of the tensor.
    fn coordinate(&self, c: &Coordinate, coords: &[Expr], counter: Option<&Expr>) -> Expr {
        target_coordinate(c, coords, &self.shape, counter)
    }

    /// Answers the questions of level `k`. Returns whether its edges have been inserted as well.
    fn answer(&mut self, made: &mut [Made], k: usize, insertion: &dyn Insertion, seen: Option<&Seen>) -> bool {
        let questions = insertion.questions(&self.target.levels[k].switches);
        if questions.is_empty() {
            return false;
        }
        let all = coordinates(self.target);
        let mut finals: Vec<(Question, Statement)> = Vec::new();
        let facts = self.facts();
        let loops: Vec<Coordinate> = walked_indices(&self.source.format).into_iter().map(Coordinate::Index).collect();
        let mut queries: Vec<Query> = Vec::new();
        for question in &questions {
            let by = match question.by {
                By::Parent => all[..k].to_vec(),
                By::Own => vec![all[k].clone()],
                By::Nothing => Vec::new(),
            };
            let what = match question.what {
                Statistic::Count => Aggregate::Count(vec![all[k].clone()]),
                Statistic::Entries => Aggregate::Count(all[k..].to_vec()),
                Statistic::Min => Aggregate::Min(all[k].clone()),
                Statistic::Max => Aggregate::Max(all[k].clone()),
                Statistic::Id => Aggregate::Id,
            };
            let asked = Asked { what, label: question.label.to_owned() };
            match queries.last_mut().filter(|query| query.by == by) {
                Some(query) => query.asked.push(asked),
                None => queries.push(Query { by, asked: vec![asked] }),
            }
        }
        for (statement, question) in queries.iter().flat_map(|query| canonical(query, &loops)).zip(&questions) {
            let steps = rewrite::optimise(&statement, &facts);
            finals.push((*question, steps.last().map_or(&statement, |step| &step.1).clone()));
            self.stages.push(Stage {
                level: level_text(self.target, k),
                query: queries.iter().map(|query| query.show(self.target).to_string()).collect::<Vec<_>>().join("; "),
                canonical: statement.show(&self.source.format),
                steps: steps.iter().map(|(name, step)| (*name, step.show(&self.source.format))).collect(),
            });
        }
        let (together, apart): (Vec<_>, Vec<_>) =
            finals.into_iter().partition(|(_, statement)| matches!(statement.value, Value::Source(_)));
        if !together.is_empty() {
            self.answer_entries(made, k, &together);
        }
        apart.iter().any(|(question, statement)| self.answer_other(made, k, insertion, question, statement, seen))
    }

    fn facts(&self) -> Facts {
        let format = &self.source.format;
        let last = format.levels.len() - 1;
        let outer: Vec<usize> = (0..format.rank())
            .filter(|&m| format.inverse[m].ready(&format.inverse).is_none_or(|ready| ready < last))
            .collect();
        let counted = match format.levels[last].coordinate {
            Coordinate::Index(m) if is_counted(self.source, last) => Some(m),
            _ => None,
        };
        Facts { rank: format.rank(), unique: order::is_unique(format), counted, outer }
    }

    /// Where an answer belongs, for an entry at `coords`.
    fn place(&mut self, made: &[Made], k: usize, question: &Question, coords: &[Expr]) -> (Block, Expr) {
        match question.by {
            By::Nothing => (Block::new(), ir::usize(0)),
            By::Own => (Block::new(), self.coordinate(&self.target.levels[k].coordinate.clone(), coords, None)),
            By::Parent => self.position(made, k, coords),
        }
    }

    /// The position of the parent of level `k`, all levels above being found by their coordinates.
    fn position(&mut self, made: &[Made], k: usize, coords: &[Expr]) -> (Block, Expr) {
        let (mut block, mut at) = (Block::new(), ir::usize(0));
        for (n, own) in made[..k].iter().enumerate() {
            let level = &self.target.levels[n];
            let c = self.coordinate(&level.coordinate, coords, None);
            if let Some(insertion) = level.kind.insertion() {
                let (before, position) = insertion.position(self.vars, own, at, c);
                block.append(before);
                at = position;
            }
        }
        (block, at)
    }

    /// Folds a value into where an answer is kept.
    fn fold(&self, made: &Made, question: &Question, op: Op, place: Expr, value: Expr) -> Stmt {
        let (array, at) = match question.kept {
            Kept::Number(name) => {
                let var = made.var(name);
                return match op {
                    Op::Max => Stmt::Update(var, Reduce::Max, value),
                    Op::Add => Stmt::Update(var, Reduce::Add, value),
                    Op::Assign | Op::Or => Stmt::Assign(var, value),
                };
            }
            Kept::Array(name, 0) => (made.var(name), place),
            Kept::Array(name, behind) => (made.var(name), place + ir::usize(behind)),
        };
        let value = match self.vars[array].ty.array_scalar() {
            Some(Scalar::Usize) | None => value,
            Some(other) => value.cast(other),
        };
        match op {
            Op::Max => Stmt::StoreUpdate(array, at, Reduce::Max, value),
            Op::Add => Stmt::StoreUpdate(array, at, Reduce::Add, value),
            Op::Assign | Op::Or => Stmt::Store(array, at, value),
        }
    }

    /// Answers that need a look at every entry, in one walk.
    fn answer_entries(&mut self, made: &[Made], k: usize, finals: &[(Question, Statement)]) {
        let source = self.source;
        let mut bodies = Vec::new();
        let mut vars = std::mem::take(self.vars);
        let block = Visit::all(source).each(&mut vars, &mut |vars, entry| {
            std::mem::swap(self.vars, vars);
            let coords = entry.all();
            let mut block = Block::new();
            for (question, statement) in finals {
                let (before, place) = self.place(made, k, question, &coords);
                let value = match &statement.value {
                    Value::Source(Term::Above(c)) => self.coordinate(c, &coords, None) + ir::usize(1),
                    Value::Source(Term::Below(c)) => made[k].extent.clone() - self.coordinate(c, &coords, None),
                    _ => ir::usize(1),
                };
                if bodies.is_empty() || question.by != By::Parent {
                    block.append(before);
                }
                block.push(self.fold(&made[k], question, statement.op, place, value));
                bodies.push(());
            }
            std::mem::swap(self.vars, vars);
            block
        });
        *self.vars = vars;
        self.block.append(block);
    }

    /// An answer that needs no look at the innermost level, or a temporary. Returns whether edges have been inserted with it.
    fn answer_other(
        &mut self,
        made: &[Made],
        k: usize,
        insertion: &dyn Insertion,
        question: &Question,
        statement: &Statement,
        seen: Option<&Seen>,
    ) -> bool {
        match &statement.value {
            Value::Width => {
                let sequenced = statement.op == Op::Assign && self.visits_parents_in_sequence(k);
                let mut inserted = false;
                let block = self.outer(|this, entry| {
                    let (mut block, place) = this.place(made, k, question, &entry.all());
                    let width = entry.width.clone().unwrap_or(ir::usize(0));
                    match insertion.next_edges(&made[k], place.clone(), width.clone()).filter(|_| sequenced) {
                        Some(edges) => {
                            inserted = true;
                            block.append(edges);
                        }
                        None => block.push(this.fold(&made[k], question, statement.op, place, width)),
                    }
                    block
                });
                self.block.append(block);
                inserted
            }
            Value::Read => {
                self.histogram(made, k, question, statement);
                false
            }
            Value::Temporary(_) => {
                if let Some(seen) = seen {
                    self.distinct(made, k, question, seen);
                }
                false
            }
            Value::Source(_) => false,
        }
    }

    /// A walk through all levels of the source but the innermost.
    fn outer(&mut self, mut body: impl FnMut(&mut Self, &Entry) -> Block) -> Block {
        let source = self.source;
        let mut vars = std::mem::take(self.vars);
        let visit = Visit { levels: source, depth: source.format.levels.len() - 1, enter: None };
        let block = visit.each(&mut vars, &mut |vars, entry| {
            std::mem::swap(self.vars, vars);
            let block = body(self, &entry);
            std::mem::swap(self.vars, vars);
            block
        });
        *self.vars = vars;
        block
    }

    /// Whether the walk through the outer levels of the source comes by each parent of level `k` once, in the order of positions.
    fn visits_parents_in_sequence(&self, k: usize) -> bool {
        let outer = &self.source.format.levels[..self.source.format.levels.len() - 1];
        let dense =
            |level: &crate::format::FormatLevel| level.properties.full && level.kind.fields(&level.switches).is_empty();
        outer.len() == k
            && outer.iter().zip(&self.target.levels[..k]).all(|(from, to)| {
                dense(from) && dense(to) && from.coordinate == to.coordinate && from.kind.name() == to.kind.name()
            })
    }

    /// The largest of counts: `s max= W(i)` where `W` counts entries, in one array or, where they come in stretches, in place.
    fn histogram(&mut self, made: &[Made], k: usize, question: &Question, statement: &Statement) {
        let by: Vec<usize> = statement.over.iter().flat_map(order::indices).collect();
        let len = by.iter().fold(ir::usize(1), |len, m| {
            if len == ir::usize(1) { self.shape[*m].clone() } else { len * self.shape[*m].clone() }
        });
        let counts = self.vars.fresh(format!("{}_count", self.prefix), Type::vec(Scalar::Usize));
        self.block.push(Stmt::NewArray { var: counts, len: len.clone(), fill: ir::usize(0) });
        let given = statement.given.as_deref();
        let place = |this: &Self, coords: &[Expr]| {
            by.iter().fold(None, |at: Option<Expr>, m| {
                Some(match at {
                    None => coords[*m].clone(),
                    Some(at) => at * this.shape[*m].clone() + coords[*m].clone(),
                })
            })
        };
        let block = if given.is_some_and(|given| given.value == Value::Width) {
            self.outer(|this, entry| {
                let at = place(this, &entry.all()).unwrap_or(ir::usize(0));
                let width = entry.width.clone().unwrap_or(ir::usize(0));
                Stmt::StoreUpdate(counts, at, Reduce::Add, width).into()
            })
        } else {
            let source = self.source;
            let mut vars = std::mem::take(self.vars);
            let block = Visit::all(source).each(&mut vars, &mut |_, entry| {
                let at = place(self, &entry.all()).unwrap_or(ir::usize(0));
                Stmt::StoreUpdate(counts, at, Reduce::Add, ir::usize(1)).into()
            });
            *self.vars = vars;
            block
        };
        self.block.append(block);
        let c = self.vars.fresh("c", Scalar::Usize);
        let fold = self.fold(&made[k], question, statement.op, ir::usize(0), ir::load(counts, c));
        self.block.push(Stmt::count(c, ir::usize(0), ir::len(counts), fold));
    }

    /// Declares what remembers places that were seen.
    fn remember(&mut self, made: &[Made], k: usize, stretch: &[usize], in_order: bool) -> Seen {
        let rest: Vec<usize> = (0..=k).filter(|n| !stretch.contains(n)).collect();
        let declare = |this: &mut Self, name: &str| {
            let name = format!("{}_{name}", made[k].prefix);
            if rest.is_empty() {
                let var = this.vars.fresh(name, Scalar::Usize);
                this.block.push(Stmt::Let(var, ir::usize(0)));
                return var;
            }
            let var = this.vars.fresh(name, Type::vec(Scalar::Usize));
            let len = rest.iter().map(|&n| made[n].extent.clone()).reduce(|a, b| a * b).unwrap_or(ir::usize(1));
            this.block.push(Stmt::NewArray { var, len, fill: ir::usize(0) });
            var
        };
        let (stamp, slot) = (declare(self, "seen"), declare(self, "slot"));
        *self.wide |= rest.iter().any(|&n| !self.target.levels[n].properties.full);
        self.plan.push(format!(
            "`{}` keeps each coordinate once, and several entries have it: where each was seen last is remembered{}",
            level_text(self.target, k),
            if in_order { "" } else { "; the coordinates of each parent are put in order" }
        ));
        Seen { stamp, slot, stretch: stretch.to_vec(), rest, in_order }
    }

    /// The row-major number of some of the target's coordinates.
    fn number(&self, made: &[Made], levels: &[usize], coords: &[Expr]) -> Option<Expr> {
        levels.iter().fold(None, |at, &n| {
            let c = self.coordinate(&self.target.levels[n].coordinate, coords, None);
            Some(match at {
                None => c,
                Some(at) => at * made[n].extent.clone() + c,
            })
        })
    }

    /// `if seen[rest] != stretch + 1 { seen[rest] = stretch + 1; then }`
    fn when_new(&self, made: &[Made], seen: &Seen, coords: &[Expr], then: Block) -> Stmt {
        let mark = self.number(made, &seen.stretch, coords).unwrap_or(ir::usize(0)) + ir::usize(1);
        let (unseen, mark) = match self.number(made, &seen.rest, coords) {
            None => (Expr::Var(seen.stamp).not_equal(mark.clone()), Stmt::Assign(seen.stamp, mark)),
            Some(at) => (ir::load(seen.stamp, at.clone()).not_equal(mark.clone()), Stmt::Store(seen.stamp, at, mark)),
        };
        let mut block = Block::from(mark);
        block.append(then);
        Stmt::when(unseen, block)
    }

    fn slot(&self, made: &[Made], seen: &Seen, coords: &[Expr]) -> Expr {
        self.number(made, &seen.rest, coords).map_or(seen.slot.into(), |at| ir::load(seen.slot, at))
    }

    fn set_slot(&self, made: &[Made], seen: &Seen, coords: &[Expr], to: Expr) -> Stmt {
        match self.number(made, &seen.rest, coords) {
            None => Stmt::Assign(seen.slot, to),
            Some(at) => Stmt::Store(seen.slot, at, to),
        }
    }

    fn forget(&mut self, seen: &Seen) {
        if seen.rest.is_empty() {
            self.block.push(Stmt::Assign(seen.stamp, ir::usize(0)));
        } else {
            let hi = ir::len(seen.stamp);
            self.block.push(Stmt::Fill { array: seen.stamp, lo: ir::usize(0), hi, value: ir::usize(0) });
        }
    }

    /// Counts coordinates that several entries have once each.
    fn distinct(&mut self, made: &[Made], k: usize, question: &Question, seen: &Seen) {
        let block = self.entries(|this, entry| {
            let coords = entry.all();
            let (before, place) = this.place(made, k, question, &coords);
            let mut count = before;
            count.push(this.fold(&made[k], question, Op::Add, place, ir::usize(1)));
            this.when_new(made, seen, &coords, count).into()
        });
        self.block.append(block);
        self.forget(seen);
    }

    /// A walk through all entries.
    fn entries(&mut self, mut body: impl FnMut(&mut Self, &Entry) -> Block) -> Block {
        self.entries_with(None, &mut body)
    }

    fn entries_with(
        &mut self,
        enter: Option<(usize, Block)>,
        body: &mut dyn FnMut(&mut Self, &Entry) -> Block,
    ) -> Block {
        let source = self.source;
        let mut vars = std::mem::take(self.vars);
        let visit = Visit { enter, ..Visit::all(source) };
        let block = visit.each(&mut vars, &mut |vars, entry| {
            std::mem::swap(self.vars, vars);
            let block = body(self, &entry);
            std::mem::swap(self.vars, vars);
            block
        });
        *self.vars = vars;
        block
    }

    /// The walk that inserts coordinates and values.
    fn insert(&mut self, made: &mut [Made], vals: Option<Var>, fit: &Fit, seen: Option<&Seen>) {
        let mut sorted = None;
        if let Some((k, seen)) = fit.shared.as_ref().map(|shared| shared.0).zip(seen)
            && !seen.in_order
        {
            self.insert_sorted(made, k, seen);
            sorted = Some(k);
        }
        let (counter, enter) = self.counter();
        let held: &[Made] = made;
        let block = self.entries_with(enter, &mut |this, entry| {
            let coords = entry.all();
            let (mut block, mut at) = (Block::new(), ir::usize(0));
            let counted = counter.as_ref().map(|counter| counter.here(this.vars, &this.shape, &coords, &mut block));
            let (count, step) = counted.map_or((None, Block::new()), |(count, step)| (Some(count), step));
            for (k, level) in this.target.levels.iter().enumerate() {
                let Some(insertion) = level.kind.insertion() else { continue };
                let is_counter = matches!(level.coordinate, Coordinate::Counter(_));
                let c = this.coordinate(&level.coordinate, &coords, count.as_ref().filter(|_| is_counter));
                match seen.filter(|_| fit.shared.as_ref().is_some_and(|shared| shared.0 == k)) {
                    Some(seen) if sorted == Some(k) => {
                        let (pos, crd) = (held[k].var("pos"), held[k].var("crd"));
                        let found = Expr::Seek {
                            array: crd,
                            from: Box::new(ir::load(pos, at.clone())),
                            to: Box::new(ir::load(pos, at + ir::usize(1))),
                            coord: Box::new(c),
                        };
                        let set = this.set_slot(held, seen, &coords, found);
                        block.push(this.when_new(held, seen, &coords, set.into()));
                        at = this.slot(held, seen, &coords);
                    }
                    Some(seen) => {
                        let (mut new, position) = insertion.position(this.vars, &held[k], at, c.clone());
                        new.append(insertion.insert(&held[k], position.clone(), c));
                        new.push(this.set_slot(held, seen, &coords, position));
                        block.push(this.when_new(held, seen, &coords, new));
                        at = this.slot(held, seen, &coords);
                    }
                    None => {
                        let (before, position) = insertion.position(this.vars, &held[k], at, c.clone());
                        block.append(before);
                        block.append(insertion.insert(&held[k], position.clone(), c));
                        at = position;
                    }
                }
            }
            if let Some(vals) = vals {
                let value = this.source.value_at(&entry.pos);
                block.push(match (fit.adds, this.value) {
                    (false, _) => Stmt::Store(vals, at, value),
                    (true, ValueType::Bool) => Stmt::StoreUpdate(vals, at, Reduce::Or, value),
                    (true, _) => Stmt::StoreUpdate(vals, at, Reduce::Add, value),
                });
            }
            block.append(step);
            block
        });
        self.block.append(block);
        for (k, level) in self.target.levels.iter().enumerate().filter(|(k, _)| sorted != Some(*k)) {
            if let Some(insertion) = level.kind.insertion() {
                insertion.finish_positions(&mut Making { vars: self.vars, block: self.block, level: &mut made[k] });
            }
        }
    }

    /// Inserts the coordinates of level `k`, each once, and puts those of each parent in order.
    fn insert_sorted(&mut self, made: &mut [Made], k: usize, seen: &Seen) {
        let Some(insertion) = self.target.levels[k].kind.insertion() else { return };
        let held: &[Made] = made;
        let block = self.entries(|this, entry| {
            let coords = entry.all();
            let (mut new, parent) = this.position(held, k, &coords);
            let c = this.coordinate(&this.target.levels[k].coordinate, &coords, None);
            let (before, position) = insertion.position(this.vars, &held[k], parent, c.clone());
            new.append(before);
            new.append(insertion.insert(&held[k], position, c));
            this.when_new(held, seen, &coords, new).into()
        });
        self.block.append(block);
        let mut making = Making { vars: self.vars, block: self.block, level: &mut made[k] };
        insertion.finish_positions(&mut making);
        making.each_parent(|level, p| {
            let (pos, crd) = (level.var("pos"), level.var("crd"));
            let (lo, hi) = (ir::load(pos, p), ir::load(pos, Expr::Var(p) + ir::usize(1)));
            Stmt::Sort { array: crd, lo, hi, keys: None }.into()
        });
        self.forget(seen);
    }

    /// What counts entries, if a level of the target keeps a count: a number where those that are counted together come together, an
    /// array otherwise.
    fn counter(&mut self) -> (Option<Counter>, Option<(usize, Block)>) {
        let counted = self.target.levels.iter().find_map(|level| match &level.coordinate {
            Coordinate::Counter(of) => Some(of.clone()),
            _ => None,
        });
        let Some(of) = counted else { return (None, None) };
        let name = format!("{}_next", self.prefix);
        if let Some(level) = stretch_of(&self.source.format, &of) {
            let count = self.vars.fresh(name, Scalar::Usize);
            self.plan.push(format!("`{}` is a number: the source comes in its order", counter_text(self.target, &of)));
            let start = Stmt::Let(count, ir::usize(0));
            return match level {
                None => {
                    self.block.push(start);
                    (Some(Counter { of, count, array: false }), None)
                }
                Some(level) => (Some(Counter { of, count, array: false }), Some((level, start.into()))),
            };
        }
        let len = of.iter().map(|m| self.shape[*m].clone()).reduce(|a, b| a * b).unwrap_or(ir::usize(1));
        let count = self.vars.fresh(name, Type::vec(Scalar::Usize));
        self.plan.push(format!("`{}` is an array: the source comes in another order", counter_text(self.target, &of)));
        self.block.push(Stmt::NewArray { var: count, len, fill: ir::usize(0) });
        (Some(Counter { of, count, array: true }), None)
    }

    fn finished(&mut self, made: Vec<Made>, extents: Vec<Option<Var>>, vals: Option<Var>) -> Lowered {
        let mut fields = Vec::new();
        for (own, level) in made.iter().zip(&self.target.levels) {
            let names: Vec<&'static str> = match level.is_store() {
                true => vec!["pos", "crd"],
                false => level.kind.fields(&level.switches).into_iter().map(|(name, _)| name).collect(),
            };
            fields.push(names.into_iter().map(|name| (name, own.var(name))).collect());
        }
        let kept: Vec<Expr> = made.iter().map(|own| own.extent.clone()).collect();
        Lowered { fields, extents: extents.into_iter().zip(kept).collect(), vals }
    }
}

fn counter_text(format: &Format, of: &[usize]) -> String {
    format.coordinate_text(&Coordinate::Counter(of.to_vec()))
}

/// A counter of the target.
struct Counter {
    of: Vec<usize>,
    count: Var,
    array: bool,
}

impl Counter {
    /// What the counter stands at for an entry, and how it moves on.
    fn here(&self, vars: &mut Vars, shape: &[Expr], coords: &[Expr], block: &mut Block) -> (Expr, Block) {
        if !self.array {
            let next = Stmt::Assign(self.count, Expr::Var(self.count) + ir::usize(1));
            return (self.count.into(), next.into());
        }
        let at = self.of.iter().fold(None, |at: Option<Expr>, m| {
            Some(match at {
                None => coords[*m].clone(),
                Some(at) => at * shape[*m].clone() + coords[*m].clone(),
            })
        });
        let at = at.unwrap_or(ir::usize(0));
        let k = vars.fresh("k", Scalar::Usize);
        block.push(Stmt::Let(k, ir::load(self.count, at.clone())));
        (k.into(), Stmt::Store(self.count, at, Expr::Var(k) + ir::usize(1)).into())
    }
}

/// Whether the entries that agree in `of` come together: below which level's loop; `None` within for the whole walk.
fn stretch_of(source: &Format, of: &[usize]) -> Option<Option<usize>> {
    if of.is_empty() {
        return Some(None);
    }
    let mut left: Vec<usize> = of.to_vec();
    for (at, level) in source.levels.iter().enumerate() {
        let Coordinate::Index(m) = level.coordinate else { return None };
        if !level.properties.unique || !of.contains(&m) {
            return None;
        }
        left.retain(|n| *n != m);
        if left.is_empty() {
            return Some(Some(at));
        }
    }
    None
}

/// The source's indices, in the order in which its levels give them.
fn walked_indices(format: &Format) -> Vec<usize> {
    let mut all: Vec<usize> = (0..format.rank()).collect();
    all.sort_by_key(|&m| format.inverse[m].ready(&format.inverse));
    all
}

/// The coordinate `c` of a level, from its lower bound on, as a `usize`, for an entry at `coords` of a tensor of extents `shape`.
pub(super) fn target_coordinate(c: &Coordinate, coords: &[Expr], shape: &[Expr], counter: Option<&Expr>) -> Expr {
    use crate::format::ast::RemapOp;
    if let Some((m, size)) = order::quotient(c) {
        return coords[m].clone() / ir::usize(size as usize);
    }
    if let Some((m, size)) = order::remainder(c) {
        return coords[m].clone() % ir::usize(size as usize);
    }
    match c {
        Coordinate::Index(m) => coords[*m].clone(),
        Coordinate::Counter(_) => counter.cloned().unwrap_or(ir::usize(0)),
        Coordinate::Binary(RemapOp::Sub, left, right) => match (&**left, &**right, shift(c, shape)) {
            (Coordinate::Index(a), Coordinate::Index(b), Some(shift)) => {
                coords[*a].clone() + shift - coords[*b].clone()
            }
            _ => c.code(coords, counter).cast(Scalar::Usize),
        },
        _ => c.code(coords, counter).cast(Scalar::Usize),
    }
}
