//! The walk that inserts coordinates and values.

use super::counter::Counter;
use super::fit::Fit;
use super::maker::Maker;
use super::parts::{Places, Seen, With};
use crate::convert::walk::Entry;
use crate::format::Coordinate;
use crate::ir::{self, Block, Expr, Owned, Stmt, Var};
use crate::level::{Made, Making, SEGMENTS};

/// What each entry is inserted into.
pub(super) struct Target<'a> {
    pub vals: Option<Var>,
    pub fit: &'a Fit,
    pub seen: Option<(&'a Seen, Places)>,
    /// The level whose coordinates have been inserted and put in order before.
    pub sorted: Option<usize>,
    pub counter: Option<Counter>,
    /// Whether the slots of all coordinates that entries have are known.
    pub placed: bool,
}

impl Maker<'_> {
    /// The walk that inserts coordinates and values.
    pub(super) fn insert(&mut self, made: &mut [Made], vals: Option<Var>, fit: &Fit, seen: Option<&Seen>) {
        let mut sorted = None;
        if let Some((k, seen)) = fit.shared.as_ref().map(|shared| shared.level).zip(seen)
            && !seen.in_order
        {
            sorted = Some(k);
            if let Some(rows) = self.rows_of_parent(k, seen) {
                self.insert_parents(made, vals, fit, seen, rows);
                self.finish(made, sorted);
                return;
            }
            self.insert_sorted(made, k, seen);
        }
        let counted = self.counted.as_ref().is_some_and(|counted| counted.tasks.is_some());
        let dealt = counted || self.deals && self.is_counted_by_task(made, seen);
        let deal = if dealt { self.deal(None) } else { None };
        let (counter, enter) = self.counter();
        let mut into = Target { vals, fit, seen: None, sorted, counter, placed: false };
        let block = match (deal, seen) {
            (_, Some(seen)) => self.entries_seen(made, seen, enter, &mut |this, places, entry| {
                into.seen = Some((seen, places));
                this.insert_entry(made, &into, entry)
            }),
            (None, None) => self.entries_with(enter, &mut |this, entry| this.insert_entry(made, &into, entry)),
            (Some(deal), None) => {
                let mut own: Vec<Owned> = made.iter().filter_map(Made::own_numbers).collect();
                if let Some((counted, of)) = self.counted.as_ref().zip(self.counter_of()).filter(|_| counted) {
                    own.push(counted.own_numbers(self.number_of_places(of)));
                }
                let with = With { enter, own, ..With::default() };
                let walk = self.entries_dealt(&deal, with, &mut |this, entry, task| {
                    let held: Vec<Made> = made.iter().map(|own| own.of_task(task)).collect();
                    let counter = into.counter.clone();
                    into.counter = counter.map(|own| Counter { task: counted.then_some(task), ..own });
                    this.insert_entry(&held, &into, entry)
                });
                walk.into()
            }
        };
        self.block.append(block);
        self.finish(made, sorted);
    }

    /// Ends the insertion of all levels but the one whose coordinates have been put in order.
    fn finish(&mut self, made: &mut [Made], sorted: Option<usize>) {
        for (k, level) in self.target.levels.iter().enumerate().filter(|(k, _)| sorted != Some(*k)) {
            if let Some(insertion) = level.kind.insertion() {
                insertion.finish_positions(&mut Making { vars: self.vars, block: self.block, level: &mut made[k] });
            }
        }
    }

    /// Inserts one entry, level by level.
    pub(super) fn insert_entry(&mut self, made: &[Made], into: &Target<'_>, entry: &Entry) -> Block {
        let coords = entry.all();
        let (mut block, mut at) = (Block::new(), ir::usize(0));
        let counter = into.counter.as_ref();
        let counted = counter.map(|counter| counter.here(self, &coords, &mut block));
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
            block.push(match into.fit.adds {
                false => Stmt::Store(vals, at, value),
                true => Stmt::StoreUpdate(vals, at, self.fold.reduce, value),
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
        let shared = into.fit.shared_at(k).is_some();
        if let Some((seen, places)) = into.seen.filter(|_| shared && into.placed) {
            return (Block::new(), self.slot(made, (seen, places), coords));
        }
        let Some(seen) = into.seen.filter(|_| shared) else {
            let (mut block, position) = insertion.position(self.vars, &made[k], parent, c.clone());
            block.append(insertion.insert(&made[k], position.clone(), c));
            return (block, position);
        };
        let new = if into.sorted == Some(k) {
            let [pos, crd] = SEGMENTS.map(|kind| self.array(made, k, kind));
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
