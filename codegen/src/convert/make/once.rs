//! Levels that keep each coordinate once while several entries have it: places that were seen are remembered.

use super::fit::Shared;
use super::maker::Maker;
use super::parts::{Places, Seen, With};
use crate::convert::refuse::level_text;
use crate::convert::statement::Op;
use crate::convert::walk::Entry;
use crate::ir::{self, Block, Domain, Expr, Owned, Partition, Scalar, Stmt, Type, Work};
use crate::level::{Made, Making, Question, SEGMENTS};

impl Maker<'_> {
    /// Decides what is remembered of places.
    pub(super) fn remember(&mut self, made: &[Made], shared: &Shared) -> Seen {
        let &Shared { level: k, ref stretch, in_order } = shared;
        let rest: Vec<usize> = (0..=k).filter(|n| !stretch.contains(n)).collect();
        *self.wide |= rest.iter().any(|&n| !self.target.levels[n].properties.full);
        self.plan.push(format!(
            "`{}` keeps each coordinate once, and several entries have it: where each was seen last is remembered{}",
            level_text(self.target, k),
            if in_order { "" } else { "; the coordinates of each parent are put in order" }
        ));
        let align = self.aligned(k, stretch).filter(|_| self.deals);
        Seen { prefix: made[k].prefix.clone(), stretch: stretch.clone(), rest, in_order, align }
    }

    /// Declares what a walk remembers.
    pub(super) fn places(&mut self, made: &[Made], seen: &Seen) -> (Places, Block) {
        let mut block = Block::new();
        let lengths = seen.rest.iter().map(|&n| made[n].extent.clone()).reduce(|a, b| a * b);
        let mut declare = |this: &mut Self, name: &str| {
            let name = format!("{}_{name}", seen.prefix);
            match &lengths {
                None => {
                    let var = this.vars.fresh(name, Scalar::Usize);
                    block.push(Stmt::Let(var, ir::usize(0)));
                    var
                }
                Some(len) => {
                    let var = this.vars.fresh(name, Type::vec(Scalar::Usize));
                    block.push(Stmt::NewArray { var, len: len.clone(), fill: ir::usize(0) });
                    var
                }
            }
        };
        let places = Places { stamp: declare(self, "seen"), slot: declare(self, "slot") };
        (places, block)
    }

    /// A walk through all entries that remembers places, in one or in several tasks.
    pub(super) fn entries_seen(
        &mut self,
        made: &[Made],
        seen: &Seen,
        enter: Option<(usize, Block)>,
        body: &mut dyn FnMut(&mut Self, Places, &Entry) -> Block,
    ) -> Block {
        let (places, first) = self.places(made, seen);
        let deal = seen.align.and_then(|align| Some((self.deal(None)?, align)));
        let Some((deal, align)) = deal else {
            let mut block = first;
            block.append(self.entries_with(enter, &mut |this, entry| body(this, places, entry)));
            return block;
        };
        let with = With { enter, first, align, ..With::default() };
        self.entries_dealt(&deal, with, &mut |this, entry, _| body(this, places, entry)).into()
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
    pub(super) fn when_new(
        &self,
        made: &[Made],
        (seen, places): (&Seen, Places),
        coords: &[Expr],
        then: Block,
    ) -> Stmt {
        let stretch = self.number(made, &seen.stretch, coords).unwrap_or(ir::usize(0));
        self.when_new_in(stretch, made, (seen, places), coords, then)
    }

    /// The same in a stretch whose number is known.
    pub(super) fn when_new_in(
        &self,
        stretch: Expr,
        made: &[Made],
        (seen, places): (&Seen, Places),
        coords: &[Expr],
        then: Block,
    ) -> Stmt {
        let mark = stretch + ir::usize(1);
        let (unseen, mark) = match self.number(made, &seen.rest, coords) {
            None => (Expr::Var(places.stamp).not_equal(mark.clone()), Stmt::Assign(places.stamp, mark)),
            Some(at) => {
                (ir::load(places.stamp, at.clone()).not_equal(mark.clone()), Stmt::Store(places.stamp, at, mark))
            }
        };
        let mut block = Block::from(mark);
        block.append(then);
        Stmt::when(unseen, block)
    }

    pub(super) fn slot(&self, made: &[Made], (seen, places): (&Seen, Places), coords: &[Expr]) -> Expr {
        self.number(made, &seen.rest, coords).map_or(places.slot.into(), |at| ir::load(places.slot, at))
    }

    pub(super) fn set_slot(&self, made: &[Made], (seen, places): (&Seen, Places), coords: &[Expr], to: Expr) -> Stmt {
        match self.number(made, &seen.rest, coords) {
            None => Stmt::Assign(places.slot, to),
            Some(at) => Stmt::Store(places.slot, at, to),
        }
    }

    /// Counts coordinates that several entries have once each.
    pub(super) fn distinct(&mut self, made: &[Made], k: usize, question: &Question, seen: &Seen) {
        let block = self.entries_seen(made, seen, None, &mut |this, places, entry| {
            let coords = entry.all();
            let (before, place) = this.place(made, k, question, &coords);
            let mut count = before;
            count.push(this.fold(&made[k], question, Op::Add, place, ir::usize(1)));
            this.when_new(made, (seen, places), &coords, count).into()
        });
        self.block.append(block);
    }

    /// Inserts the coordinates of level `k`, each once, and puts those of each parent in order.
    pub(super) fn insert_sorted(&mut self, made: &mut [Made], k: usize, seen: &Seen) {
        let Some(insertion) = self.target.levels[k].kind.insertion() else { return };
        let held: &[Made] = made;
        let block = self.entries_seen(held, seen, None, &mut |this, places, entry| {
            let coords = entry.all();
            let (mut new, parent) = this.position(held, k, &coords);
            let c = this.coordinate(&this.target.levels[k].coordinate, &coords, None);
            let (before, position) = insertion.position(this.vars, &held[k], parent, c.clone());
            new.append(before);
            new.append(insertion.insert(&held[k], position, c));
            this.when_new(held, (seen, places), &coords, new).into()
        });
        self.block.append(block);
        insertion.finish_positions(&mut Making { vars: self.vars, block: self.block, level: &mut made[k] });
        let [pos, crd] = SEGMENTS.map(|kind| self.array(made, k, kind));
        let p = self.vars.fresh("p", Scalar::Usize);
        let (lo, hi) = (ir::load(pos, p), ir::load(pos, Expr::Var(p) + ir::usize(1)));
        self.block.push(Stmt::Parallel {
            var: p,
            domain: Domain::Range { lo: ir::usize(0), hi: made[k].parents.clone() },
            owned: vec![Owned { array: crd, partition: Partition::Segments { pos, stride: ir::usize(1) } }],
            reductions: Vec::new(),
            work: Work::default(),
            scratch: Block::new(),
            body: Stmt::Sort { array: crd, lo, hi, keys: Vec::new() }.into(),
        });
    }
}
