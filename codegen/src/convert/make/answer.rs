//! Answers to the questions that the levels of a target ask.

use super::fit::coordinates;
use super::maker::Maker;
use super::parts::{Counted, Seen, With};
use crate::convert::made::Stage;
use crate::convert::order;
use crate::convert::query::{Aggregate, Asked, Query};
use crate::convert::refuse::level_text;
use crate::convert::rewrite::{self, Facts};
use crate::convert::statement::{Op, Statement, Term, Value, canonical};
use crate::convert::walk::is_counted;
use crate::format::{Coordinate, Format};
use crate::ir::{self, Block, Expr, Literal, Reduce, Scalar, Stmt, Turn, Type};
use crate::level::{By, Insertion, Kept, Made, Question, Statistic};

impl Maker<'_> {
    /// What level `k` asks, each question with the statement that answers it.
    pub(super) fn asked(&mut self, k: usize, insertion: &dyn Insertion) -> Vec<(Question, Statement)> {
        let questions = insertion.questions(&self.target.levels[k].switches);
        let all = coordinates(self.target);
        let mut finals: Vec<(Question, Statement)> = Vec::new();
        if questions.is_empty() {
            return finals;
        }
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
        finals
    }

    /// Answers the questions of level `k`. Returns whether its edges have been inserted as well.
    pub(super) fn answer(
        &mut self,
        made: &mut [Made],
        k: usize,
        insertion: &dyn Insertion,
        finals: Vec<(Question, Statement)>,
        seen: Option<&Seen>,
    ) -> bool {
        if made[k].tasks.is_some() {
            self.count_by_task(made, k);
            return true;
        }
        let (together, apart): (Vec<_>, Vec<_>) =
            finals.into_iter().partition(|(_, statement)| matches!(statement.value, Value::Source(_)));
        if !together.is_empty() && !self.answer_dealt(made, k, &together) {
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
        // The levels above are walked once for each value of the indices that they give, and not several times.
        let once = format.levels[..last]
            .iter()
            .all(|level| order::indices(&level.coordinate).iter().all(|m| outer.contains(m)));
        let counted = match format.levels[last].coordinate {
            Coordinate::Index(m) if once && is_counted(self.source, last) => Some(m),
            _ => None,
        };
        Facts { rank: format.rank(), unique: order::is_unique(format), counted, outer }
    }

    /// Where an answer belongs, for an entry at `coords`.
    pub(super) fn place(&mut self, made: &[Made], k: usize, question: &Question, coords: &[Expr]) -> (Block, Expr) {
        match question.by {
            By::Nothing => (Block::new(), ir::usize(0)),
            By::Own => (Block::new(), self.coordinate(&self.target.levels[k].coordinate.clone(), coords, None)),
            By::Parent => self.position(made, k, coords),
        }
    }

    /// The position of the parent of level `k`, all levels above being found by their coordinates.
    pub(super) fn position(&mut self, made: &[Made], k: usize, coords: &[Expr]) -> (Block, Expr) {
        let (mut block, mut at) = (Block::new(), ir::usize(0));
        for (n, own) in made[..k].iter().enumerate() {
            let level = &self.target.levels[n];
            let c = self.coordinate(&level.coordinate, coords, None);
            if let Some(insertion) = level.kind.insertion() {
                let (before, position) = insertion.position(self.vars, own, at, c.clone());
                block.append(before);
                if insertion.contends() {
                    // Where a coordinate is to be found, it has to be stored when its place is first taken.
                    block.append(insertion.insert(own, position.clone(), c));
                }
                at = position;
            }
        }
        (block, at)
    }

    /// Folds a value into where an answer is kept.
    pub(super) fn fold(&self, made: &Made, question: &Question, op: Op, place: Expr, value: Expr) -> Stmt {
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

    /// Answers whether there is an entry, in a walk by several tasks. If there is more than one they look first, as a place that all write
    /// would go from one to another all the time; a task that is alone does not, which takes two thirds of the time. Returns whether that
    /// is what is asked.
    fn answer_dealt(&mut self, made: &[Made], k: usize, finals: &[(Question, Statement)]) -> bool {
        let [(question, statement)] = finals else { return false };
        let Kept::Array(name, behind) = question.kept else { return false };
        if statement.op != Op::Or || question.by != By::Own {
            return false;
        }
        let Some(deal) = self.deal(None) else { return false };
        let array = made[k].var(name);
        let narrow = self.vars[array].ty.array_scalar() == Some(Scalar::U32);
        let walk = self.entries_dealt(&deal, With::default(), &mut |this, entry, _| {
            let (mut block, place) = this.place(made, k, question, &entry.all());
            let place = place + ir::usize(behind);
            let number = |n| Expr::Literal(if narrow { Literal::U32(n) } else { Literal::Usize(n as usize) });
            let alone = Expr::Var(deal.tasks).equal(ir::usize(1));
            let missing = ir::load(array, place.clone()).equal(number(0));
            block.push(Stmt::when(alone.or(missing), Stmt::Store(array, place, number(1))));
            block
        });
        self.block.push(walk);
        true
    }

    /// Answers that need a look at every entry, in one walk.
    fn answer_entries(&mut self, made: &[Made], k: usize, finals: &[(Question, Statement)]) {
        let block = self.entries_with(None, &mut |this, entry| {
            let coords = entry.all();
            let mut block = Block::new();
            let mut parent = None;
            for (question, statement) in finals {
                let place = match (question.by, &parent) {
                    (By::Parent, Some(place)) => Expr::clone(place),
                    _ => {
                        let (before, place) = this.place(made, k, question, &coords);
                        block.append(before);
                        if question.by == By::Parent {
                            parent = Some(place.clone());
                        }
                        place
                    }
                };
                let value = match &statement.value {
                    Value::Source(Term::Above(c)) => this.coordinate(c, &coords, None) + ir::usize(1),
                    Value::Source(Term::Below(c)) => made[k].extent.clone() - this.coordinate(c, &coords, None),
                    _ => ir::usize(1),
                };
                block.push(this.fold(&made[k], question, statement.op, place, value));
            }
            block
        });
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
                        None => block.push(this.fold(&made[k], question, statement.op, place, width.clone())),
                    }
                    // Where a level above keeps no position for every coordinate, those without entries have none.
                    let has_places = this.target.levels[..k].iter().all(|level| level.properties.full);
                    match has_places || question.by == By::Nothing {
                        true => block,
                        false => Stmt::when(width.greater(ir::usize(0)), block).into(),
                    }
                });
                self.block.append(block);
                inserted
            }
            Value::Read => {
                self.histogram(made, k, question, statement);
                false
            }
            Value::Temporary(_) => {
                match seen {
                    Some(seen) if self.list_parents(made, k, question, seen) => {}
                    Some(seen) => self.distinct(made, k, question, seen),
                    None => self.distinct_hashed(made, k, question),
                }
                false
            }
            Value::Source(_) => false,
        }
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

    /// The largest of counts: `s max= W(i)` where `W` counts entries. Numbers that count for a counter of the target are kept for it.
    fn histogram(&mut self, made: &[Made], k: usize, question: &Question, statement: &Statement) {
        let by: Vec<usize> = statement.over.iter().flat_map(order::indices).collect();
        let len = self.number_of_places(&by);
        let counts = self.vars.fresh(format!("{}_count", self.prefix), Type::vec(Scalar::Usize));
        let counted = self.counter_of() == Some(&by[..]);
        let width = statement.given.as_deref().is_some_and(|given| given.value == Value::Width);
        if counted && !width && self.count_places_by_task(&by, counts, &len) {
            let most = self.vars.fresh(format!("{}_most", self.prefix), Scalar::Usize);
            let tasks = self.counted.as_ref().and_then(|counted| counted.tasks).map_or(ir::usize(1), Expr::Var);
            self.block.push(Stmt::TaskCounts { array: counts, tasks, parents: len, turn: Turn::StartsWithin(most) });
            let fold = self.fold(&made[k], question, statement.op, ir::usize(0), most.into());
            self.block.push(fold);
            return;
        }
        self.block.push(Stmt::NewArray { var: counts, len: len.clone(), fill: ir::usize(0) });
        let block = if width {
            self.outer(|this, entry| {
                let at = this.number_of_place(&by, &entry.all());
                let width = entry.width.clone().unwrap_or(ir::usize(0));
                Stmt::StoreUpdate(counts, at, Reduce::Add, width).into()
            })
        } else {
            self.entries_with(None, &mut |this, entry| {
                let at = this.number_of_place(&by, &entry.all());
                Stmt::StoreUpdate(counts, at, Reduce::Add, ir::usize(1)).into()
            })
        };
        self.block.append(block);
        let c = self.vars.fresh("c", Scalar::Usize);
        let fold = self.fold(&made[k], question, statement.op, ir::usize(0), ir::load(counts, c));
        self.block.push(Stmt::count(c, ir::usize(0), ir::len(counts), fold));
        if counted {
            self.counted = Some(Counted { counts, tasks: None });
        }
    }
}

/// The source's indices, in the order in which its levels give them.
fn walked_indices(format: &Format) -> Vec<usize> {
    let mut all: Vec<usize> = (0..format.rank()).collect();
    all.sort_by_key(|&m| format.inverse[m].ready(&format.inverse));
    all
}
