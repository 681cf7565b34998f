//! Folds over one row, wherever the row's order of storage leads.

use std::ops::ControlFlow;

use crate::{Fiber, Run};

/// Nonzeros of a row that one task folds before the rest of the row is shared out among all threads.
const HUB: usize = 1 << 17;

/// Folds over the runs of a row in the order in which they are stored; a hub's row is split among the threads, each of which starts from
/// `identity`. `combine` joins their results.
///
/// The short rows, which are most, pay one comparison a run for it. The number of nonzeros seen so far is passed from run to run, and not
/// kept in a variable that closures borrow, which would have to lie in memory. Each run is folded by itself, so that its accumulator stays
/// in a register: across the calls of a walk it would be kept in memory, at twice the time for each nonzero.
#[inline(always)]
pub fn fold_row<'a, R, A, F, G>(row: R, identity: A, fold: F, combine: G) -> A
where
    R: Fiber<'a>,
    A: Copy + Send + Sync,
    F: Fn(A, Run<'_, 'a, R::Coord, R::Value>) -> A + Sync,
    G: Fn(A, A) -> A + Sync,
{
    let partial = row.try_fold_storage((identity, 0), |(folded, seen), run| {
        let seen = seen + run.len();
        if seen > HUB {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue((combine(folded, fold(identity, run)), seen))
    });
    match partial {
        ControlFlow::Continue((folded, _)) => folded,
        ControlFlow::Break(()) => fold_hub(row, identity, &fold, &combine),
    }
}

/// Folds over a row by all threads.
#[cold]
#[inline(never)]
fn fold_hub<'a, R, A, F, G>(row: R, identity: A, fold: &F, combine: &G) -> A
where
    R: Fiber<'a>,
    A: Copy + Send + Sync,
    F: Fn(A, Run<'_, 'a, R::Coord, R::Value>) -> A + Sync,
    G: Fn(A, A) -> A + Sync,
{
    row.par_fold(&|| identity, fold, combine)
}
