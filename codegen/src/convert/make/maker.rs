//! The maker of a target: level by level, and then the walk that inserts entries.

use std::collections::BTreeMap;

use super::fit::Fit;
use super::parts::{Counted, Deal, Listed};
use crate::convert::fold::Fold;
use crate::convert::made::{Lowered, Stage};
use crate::convert::walk::{Entry, Visit};
use crate::format::{Coordinate, Format};
use crate::ir::{self, Block, Expr, Scalar, Stmt, Type, Var, Vars};
use crate::level::{FieldKind, Made, Making};
use crate::notation::ast::ValueType;
use crate::tensor::{Levels, level_coordinate, literal, scalar};

/// A target that is made.
pub(crate) struct Maker<'a> {
    pub vars: &'a mut Vars,
    pub block: &'a mut Block,
    pub source: &'a Levels,
    pub target: &'a Format,
    pub shape: Vec<Expr>,
    pub prefix: String,
    /// How entries at the same place become one.
    pub fold: Fold,
    /// What was asked, for whoever wants to see it.
    pub stages: &'a mut Vec<Stage>,
    /// What was decided, line by line.
    pub plan: &'a mut Vec<String>,
    /// Set if an array is as long as a dimension that the target has none for.
    pub wide: &'a mut bool,
    /// Whether the walk that inserts entries can be dealt out to tasks.
    pub deals: bool,
    /// Whether it can if each task counts for the counter of the target.
    pub deals_counts: bool,
    /// How walks through the source are dealt out to tasks, once one of them is.
    pub dealt: Option<Deal>,
    /// The numbers that counted entries for the target's counter, which it can begin with.
    pub counted: Option<Counted>,
    /// The coordinates below each parent, if they were listed when they were counted.
    pub listed: Option<Listed>,
}

impl Maker<'_> {
    /// Makes the target.
    pub fn make(&mut self, fit: &Fit) -> Lowered {
        if self.keeps_tail() {
            return self.make_around_tail();
        }
        let n = self.target.levels.len();
        self.deals = self.can_deal(fit);
        self.deals_counts = self.can_deal_counts(fit);
        let mut made: Vec<Made> = Vec::new();
        let mut extents = Vec::new();
        let mut parents = ir::usize(1);
        let mut seen = None;
        for k in 0..n {
            let level = self.target.levels[k].clone();
            let Some(insertion) = level.kind.insertion() else { continue };
            let own = self.declared(k, parents.clone(), &mut extents);
            made.push(own);
            let questions = self.asked(k, insertion);
            made[k].tasks = self.by_task(&made[k], k, insertion, &questions);
            insertion.begin(&mut Making { vars: self.vars, block: self.block, level: &mut made[k] });
            let shared = fit.shared_at(k);
            if let Some(shared) = shared {
                seen = Some(self.remember(&made, shared));
            }
            let own = seen.as_ref().filter(|_| shared.is_some());
            let sequenced = self.answer(&mut made, k, insertion, questions, own);
            let mut making = Making { vars: self.vars, block: self.block, level: &mut made[k] };
            if !sequenced {
                insertion.finish_edges(&mut making);
            }
            insertion.init_coordinates(&mut making);
            parents = insertion.size(making.level);
            if k + 1 < n || self.source.value != ValueType::Pattern {
                parents = self.named(format!("{}_size", made[k].prefix), parents);
            }
        }
        let vals = (self.source.value != ValueType::Pattern).then(|| {
            let vals = self.vars.fresh(format!("{}_vals", self.prefix), Type::vec(scalar(self.source.value)));
            let fill = literal(self.fold.start(self.target), scalar(self.source.value));
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

    /// Level `k`, of which nothing has been made yet.
    pub(super) fn declared(&mut self, k: usize, parents: Expr, extents: &mut Vec<Option<Var>>) -> Made {
        let many = self.target.levels.iter().filter(|l| !l.kind.fields(&l.switches).is_empty()).count() > 1;
        let (extent, own) = self.extent(k);
        extents.push(own);
        let number = if many { (k + 1).to_string() } else { String::new() };
        let (prefix, switches) = (format!("{}{number}", self.prefix), self.target.levels[k].switches.clone());
        Made { prefix, parents, extent, switches, held: BTreeMap::new(), tasks: None }
    }

    /// A number that is computed once.
    pub(super) fn named(&mut self, name: String, value: Expr) -> Expr {
        if matches!(value, Expr::Literal(_) | Expr::Var(_)) {
            return value;
        }
        let var = self.vars.fresh(name, Scalar::Usize);
        self.block.push(Stmt::Let(var, value));
        var.into()
    }

    /// How many coordinates level `k` can have; the variable, where it is kept as a number of its own.
    pub(super) fn extent(&mut self, k: usize) -> (Expr, Option<Var>) {
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
    pub(super) fn coordinate(&self, c: &Coordinate, coords: &[Expr], counter: Option<&Expr>) -> Expr {
        level_coordinate(c, coords, &self.shape, counter)
    }

    /// A walk through the source.
    pub(super) fn walk(&mut self, visit: Visit<'_>, body: &mut dyn FnMut(&mut Self, &Entry) -> Block) -> Block {
        let mut vars = std::mem::take(self.vars);
        let block = visit.each(&mut vars, &mut |vars, entry| {
            std::mem::swap(self.vars, vars);
            let block = body(self, &entry);
            std::mem::swap(self.vars, vars);
            block
        });
        *self.vars = vars;
        block
    }

    /// A walk through all levels of the source but the innermost.
    pub(super) fn outer(&mut self, mut body: impl FnMut(&mut Self, &Entry) -> Block) -> Block {
        let source = self.source;
        self.walk(Visit { depth: source.format.levels.len() - 1, ..Visit::all(source) }, &mut body)
    }

    /// A walk through all entries.
    pub(super) fn entries_with(
        &mut self,
        enter: Option<(usize, Block)>,
        body: &mut dyn FnMut(&mut Self, &Entry) -> Block,
    ) -> Block {
        self.walk(Visit { enter, ..Visit::all(self.source) }, body)
    }

    /// The array of level `k`, which is being made, that holds what `kind` says.
    pub(super) fn array(&self, made: &[Made], k: usize, kind: FieldKind) -> Var {
        made[k].var(self.target.levels[k].field(kind))
    }

    pub(super) fn finished(&mut self, made: Vec<Made>, extents: Vec<Option<Var>>, vals: Option<Var>) -> Lowered {
        let mut fields = Vec::new();
        for (own, level) in made.iter().zip(&self.target.levels) {
            fields.push(level.kept().into_iter().map(|(name, _)| (name, own.var(name))).collect());
        }
        let kept: Vec<Expr> = made.iter().map(|own| own.extent.clone()).collect();
        Lowered { fields, extents: extents.into_iter().zip(kept).collect(), vals }
    }
}
