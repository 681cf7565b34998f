//! Coordinates that count entries: `#i`.

use super::Maker;
use crate::format::{Coordinate, Format};
use crate::ir::{self, Block, Expr, Scalar, Stmt, Type, Var, Vars};

/// A counter of the target.
pub(super) struct Counter {
    of: Vec<usize>,
    count: Var,
    array: bool,
}

impl Counter {
    /// What the counter stands at for an entry, and how it moves on.
    pub(super) fn here(&self, vars: &mut Vars, shape: &[Expr], coords: &[Expr], block: &mut Block) -> (Expr, Block) {
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

impl Maker<'_> {
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
