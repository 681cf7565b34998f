//! Coordinates that count entries: `#i`.

use super::maker::Maker;
use super::parts::Counted;
use crate::format::{Coordinate, Format};
use crate::ir::{self, Block, Expr, Scalar, Stmt, Type, Var};

/// A counter of the target.
#[derive(Clone)]
pub(super) struct Counter {
    pub(super) of: Vec<usize>,
    pub(super) count: Var,
    pub(super) array: bool,
    /// The task whose numbers are used, where each has some.
    pub(super) task: Option<Var>,
}

impl Counter {
    /// What the counter stands at for an entry, and how it moves on.
    pub(super) fn here(&self, maker: &mut Maker<'_>, coords: &[Expr], block: &mut Block) -> (Expr, Block) {
        if !self.array {
            let next = Stmt::Assign(self.count, Expr::Var(self.count) + ir::usize(1));
            return (self.count.into(), next.into());
        }
        let mut at = maker.number_of_place(&self.of, coords);
        if let Some(task) = self.task {
            at = Expr::Var(task) * maker.number_of_places(&self.of) + at;
        }
        let k = maker.vars.fresh("k", Scalar::Usize);
        block.push(Stmt::Let(k, ir::load(self.count, at.clone())));
        (k.into(), Stmt::Store(self.count, at, Expr::Var(k) + ir::usize(1)).into())
    }
}

impl Maker<'_> {
    /// How many places there are with coordinates of the indices `of`.
    pub(super) fn number_of_places(&self, of: &[usize]) -> Expr {
        of.iter().map(|&m| self.shape[m].clone()).reduce(|a, b| a * b).unwrap_or(ir::usize(1))
    }

    /// The row-major number of a place among these.
    pub(super) fn number_of_place(&self, of: &[usize], coords: &[Expr]) -> Expr {
        let number = |at: Option<Expr>, &m: &usize| {
            Some(match at {
                None => coords[m].clone(),
                Some(at) => at * self.shape[m].clone() + coords[m].clone(),
            })
        };
        of.iter().fold(None, number).unwrap_or(ir::usize(0))
    }

    /// What the target's counter counts by, if it has one.
    pub(super) fn counter_of(&self) -> Option<&[usize]> {
        self.target.levels.iter().find_map(|level| match &level.coordinate {
            Coordinate::Counter(of) => Some(&of[..]),
            _ => None,
        })
    }

    /// Whether counters of the target, if it has any, begin anew within the outermost loop over the source.
    pub(super) fn counts_within_rows(&self) -> bool {
        self.target.levels.iter().all(|level| match &level.coordinate {
            Coordinate::Counter(of) => stretch_of(&self.source.format, of).flatten().is_some(),
            _ => true,
        })
    }

    /// What counts entries, if a level of the target keeps a count: a number where those that are counted together come together, an
    /// array otherwise.
    pub(super) fn counter(&mut self) -> (Option<Counter>, Option<(usize, Block)>) {
        let Some(of) = self.counter_of().map(<[usize]>::to_vec) else { return (None, None) };
        let name = format!("{}_next", self.prefix);
        if let Some(level) = stretch_of(&self.source.format, &of) {
            let count = self.vars.fresh(name, Scalar::Usize);
            self.plan.push(format!("`{}` is a number: the source comes in its order", counter_text(self.target, &of)));
            let start = Stmt::Let(count, ir::usize(0));
            return match level {
                None => {
                    self.block.push(start);
                    (Some(Counter { of, count, array: false, task: None }), None)
                }
                Some(level) => (Some(Counter { of, count, array: false, task: None }), Some((level, start.into()))),
            };
        }
        self.plan.push(format!("`{}` is an array: the source comes in another order", counter_text(self.target, &of)));
        let count = match &self.counted {
            Some(Counted { counts, tasks }) => {
                // What counted entries counts them again, from 0 on.
                if tasks.is_none() {
                    let (lo, hi) = (ir::usize(0), ir::len(*counts));
                    self.block.push(Stmt::Fill { array: *counts, lo, hi, value: ir::usize(0) });
                }
                *counts
            }
            None => {
                let count = self.vars.fresh(name, Type::vec(Scalar::Usize));
                let len = self.number_of_places(&of);
                self.block.push(Stmt::NewArray { var: count, len, fill: ir::usize(0) });
                count
            }
        };
        (Some(Counter { of, count, array: true, task: None }), None)
    }
}

fn counter_text(format: &Format, of: &[usize]) -> String {
    format.coordinate_text(&Coordinate::Counter(of.to_vec()))
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
