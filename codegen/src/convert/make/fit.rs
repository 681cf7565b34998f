//! Whether the level functions of a target can take the entries of a source as they come.

use crate::convert::fold::Fold;
use crate::convert::order::{self, Order};
use crate::convert::refuse::level_text;
use crate::format::{Coordinate, Format};
use crate::level::{By, Statistic};

/// Why the level functions do not apply.
pub(crate) type Unfit = String;

/// What can be made of `target` from `source`, and how.
pub(crate) struct Fit {
    /// The level that keeps each coordinate once while several entries have it.
    pub(super) shared: Option<Shared>,
    /// Whether entries with the same coordinates are to be added up.
    pub adds: bool,
}

/// A level that keeps each coordinate once while several entries have it.
pub(super) struct Shared {
    /// Its number.
    pub level: usize,
    /// The levels whose coordinates stay the same over stretches of entries.
    pub stretch: Vec<usize>,
    /// Whether entries come in the order in which the level keeps them.
    pub in_order: bool,
}

impl Fit {
    /// What is said of level `k` if it is the shared one.
    pub(super) fn shared_at(&self, k: usize) -> Option<&Shared> {
        self.shared.as_ref().filter(|shared| shared.level == k)
    }
}

pub(super) fn coordinates(format: &Format) -> Vec<Coordinate> {
    format.levels.iter().map(|level| level.coordinate.clone()).collect()
}

/// Whether, and how, the level functions of `target` can take the entries of `source` as they come.
pub(crate) fn fits(source: &Format, target: &Format, fold: Fold) -> Result<Fit, Unfit> {
    let (order, rank, all) = (Order::of(source), target.rank(), coordinates(target));
    let mut yields = None;
    let mut shared = None;
    for (k, level) in target.levels.iter().enumerate() {
        let Some(insertion) = level.kind.insertion() else {
            return Err(format!("`{}` has no assembly functions", level.kind.name()));
        };
        check_coordinate(&order, target, k)?;
        let asks_by_parent = insertion.questions(&level.switches).iter().any(|question| question.by == By::Parent);
        let counted = target.levels[..k].iter().position(|above| matches!(above.coordinate, Coordinate::Counter(_)));
        if let Some(above) = counted.filter(|_| asks_by_parent) {
            return Err(format!(
                "`{}` lies below `{}`, which counts",
                level_text(target, k),
                level_text(target, above)
            ));
        }
        if asks_by_parent && yields.is_some() {
            return Err(format!(
                "`{}` lies below a level whose positions are given out one by one",
                level_text(target, k)
            ));
        }
        if !insertion.yields() {
            let counts =
                asks_by_parent && insertion.questions(&level.switches).iter().any(|q| q.what == Statistic::Count);
            if counts && !order::single_out(rank, &all[..=k]) {
                if !insertion.contends() {
                    return Err(format!("several entries have the same coordinate of `{}`", level_text(target, k)));
                }
                // Where equal coordinates come together, the last one is remembered. Otherwise they are counted in a hash table.
                let stretch = order.contiguous(rank, &all[..=k]);
                if shared.is_none() && stretch.len() == k + 1 {
                    shared = Some(Shared { level: k, stretch, in_order: true });
                }
            }
            continue;
        }
        yields = Some(k);
        shared = given_out(&order, target, &all, k)?.or(shared);
    }
    let counts = all.iter().any(|c| matches!(c, Coordinate::Counter(_)));
    let adds = !order.unique && order::is_unique(target);
    if adds && (yields.is_some() || counts || !fold.starts_from(target)) {
        return Err("equal entries, of which the source may have several, have to be added up".to_owned());
    }
    Ok(Fit { shared, adds })
}

/// Refuses a level that keeps a constant, or counts entries in another order than the source's.
fn check_coordinate(order: &Order, target: &Format, k: usize) -> Result<(), Unfit> {
    let (coordinate, rank) = (&target.levels[k].coordinate, target.rank());
    if let Coordinate::Counter(of) = coordinate {
        let fixed: Vec<Coordinate> = of.iter().copied().map(Coordinate::Index).collect();
        let rest: Vec<Coordinate> = (0..rank).filter(|m| !of.contains(m)).map(Coordinate::Index).collect();
        if !order.ascends(rank, &fixed, &rest) || !order.unique {
            return Err(format!("the source does not come in the order in which `{}` counts", level_text(target, k)));
        }
    } else if order::indices(coordinate).is_empty() {
        return Err(format!("level {} keeps a constant", k + 1));
    }
    Ok(())
}

/// Level `k`, whose positions are given out one by one, if several entries have a coordinate of it.
fn given_out(order: &Order, target: &Format, all: &[Coordinate], k: usize) -> Result<Option<Shared>, Unfit> {
    let (level, rank) = (&target.levels[k], target.rank());
    let branchless = target.levels[k + 1..].iter().take_while(|below| below.properties.branchless).count();
    let in_order = !level.properties.ordered || order.ascends(rank, &all[..k], &all[k..=k + branchless]);
    let unique = level.properties.unique;
    let once = order::single_out(rank, &all[..=if unique { k } else { k + branchless }]);
    if once && in_order {
        return Ok(None);
    }
    if once || !unique {
        return Err(format!("the source does not come in the order of `{}`", level_text(target, k)));
    }
    let stretch = order.contiguous(rank, &all[..=k]);
    if stretch.is_empty() {
        return Err(format!("entries of the same `{}` come apart from one another", level_text(target, k)));
    }
    // An array of all places outside of a stretch would be as long as the product of several extents.
    let mut changing: Vec<usize> = (0..=k)
        .filter(|n| !stretch.contains(n) && all[*n].remainder().is_none())
        .flat_map(|n| order::indices(&all[n]))
        .collect();
    changing.sort_unstable();
    changing.dedup();
    if changing.len() > 1 {
        return Err(format!(
            "entries of the same `{}` come in stretches within which several indices change",
            level_text(target, k)
        ));
    }
    Ok(Some(Shared { level: k, stretch, in_order }))
}
