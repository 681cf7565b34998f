//! The walk that inserts coordinates and values.

use super::Maker;
use super::counter::Counter;
use super::deal::With;
use super::fit::Fit;
use super::once::{Places, Seen};
use crate::convert::walk::Entry;
use crate::format::Coordinate;
use crate::ir::{self, Block, Expr, Reduce, Stmt, Var};
use crate::level::{Made, Making};
use crate::notation::ast::ValueType;

/// What each entry is inserted into.
struct Target<'a> {
    vals: Option<Var>,
    fit: &'a Fit,
    seen: Option<(&'a Seen, Places)>,
    /// The level whose coordinates have been inserted and put in order before.
    sorted: Option<usize>,
    counter: Option<Counter>,
}

impl Maker<'_> {
    /// The walk that inserts coordinates and values.
    pub(super) fn insert(&mut self, made: &mut [Made], vals: Option<Var>, fit: &Fit, seen: Option<&Seen>) {
        let mut sorted = None;
        if let Some((k, seen)) = fit.shared.as_ref().map(|shared| shared.0).zip(seen)
            && !seen.in_order
        {
            self.insert_sorted(made, k, seen);
            sorted = Some(k);
        }
        let dealt = self.deals && self.is_counted_by_task(made, seen);
        let deal = if dealt { self.deal(None) } else { None };
        let (counter, enter) = self.counter();
        let mut into = Target { vals, fit, seen: None, sorted, counter };
        let block = match (deal, seen) {
            (_, Some(seen)) => self.entries_seen(made, seen, enter, &mut |this, places, entry| {
                into.seen = Some((seen, places));
                this.insert_entry(made, &into, entry)
            }),
            (None, None) => self.entries_with(enter, &mut |this, entry| this.insert_entry(made, &into, entry)),
            (Some(deal), None) => {
                let own = made.iter().find_map(|own| Some((own.cursor.as_ref()?.0, own.parents.clone())));
                let mut held = made.to_vec();
                let walk =
                    self.entries_dealt(&deal, With { enter, own, ..With::default() }, &mut |this, entry, task| {
                        for own in &mut held {
                            if let Some((_, before)) = &mut own.cursor {
                                *before = Expr::Var(task) * own.parents.clone();
                            }
                        }
                        this.insert_entry(&held, &into, entry)
                    });
                walk.into()
            }
        };
        self.block.append(block);
        for (k, level) in self.target.levels.iter().enumerate().filter(|(k, _)| sorted != Some(*k)) {
            if let Some(insertion) = level.kind.insertion() {
                insertion.finish_positions(&mut Making { vars: self.vars, block: self.block, level: &mut made[k] });
            }
        }
    }

    /// Inserts one entry, level by level.
    fn insert_entry(&mut self, made: &[Made], into: &Target<'_>, entry: &Entry) -> Block {
        let coords = entry.all();
        let (mut block, mut at) = (Block::new(), ir::usize(0));
        let counted = into.counter.as_ref().map(|counter| counter.here(self.vars, &self.shape, &coords, &mut block));
        let (count, step) = counted.map_or((None, Block::new()), |(count, step)| (Some(count), step));
        for k in 0..made.len() {
            let coordinate = self.target.levels[k].coordinate.clone();
            let is_counter = matches!(coordinate, Coordinate::Counter(_));
            let c = self.coordinate(&coordinate, &coords, count.as_ref().filter(|_| is_counter));
            let (inserted, position) = self.insert_coordinate(made, into, k, &coords, (at, c));
            block.append(inserted);
            at = position;
        }
        if let Some(vals) = into.vals {
            let value = self.source.value_at(&entry.pos);
            block.push(match (into.fit.adds, self.value) {
                (false, _) => Stmt::Store(vals, at, value),
                (true, ValueType::Bool) => Stmt::StoreUpdate(vals, at, Reduce::Or, value),
                (true, _) => Stmt::StoreUpdate(vals, at, Reduce::Add, value),
            });
        }
        block.append(step);
        block
    }

    /// Inserts the coordinate `c` of level `k` below the position `parent`: what is done, and the position it has.
    fn insert_coordinate(
        &mut self,
        made: &[Made],
        into: &Target<'_>,
        k: usize,
        coords: &[Expr],
        (parent, c): (Expr, Expr),
    ) -> (Block, Expr) {
        let Some(insertion) = self.target.levels[k].kind.insertion() else { return (Block::new(), parent) };
        let shared = into.fit.shared.as_ref().is_some_and(|shared| shared.0 == k);
        let Some(seen) = into.seen.filter(|_| shared) else {
            let (mut block, position) = insertion.position(self.vars, &made[k], parent, c.clone());
            block.append(insertion.insert(&made[k], position.clone(), c));
            return (block, position);
        };
        let new = if into.sorted == Some(k) {
            let (pos, crd) = (made[k].var("pos"), made[k].var("crd"));
            let found = Expr::Seek {
                array: crd,
                from: Box::new(ir::load(pos, parent.clone())),
                to: Box::new(ir::load(pos, parent + ir::usize(1))),
                coord: Box::new(c),
            };
            self.set_slot(made, seen, coords, found).into()
        } else {
            let (mut new, position) = insertion.position(self.vars, &made[k], parent, c.clone());
            new.append(insertion.insert(&made[k], position.clone(), c));
            new.push(self.set_slot(made, seen, coords, position));
            new
        };
        (self.when_new(made, seen, coords, new).into(), self.slot(made, seen, coords))
    }
}
