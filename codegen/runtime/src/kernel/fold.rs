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
    F: Fn(A, Run<'_, 'a, R::Coord, R::Value>) -> A + Copy + Sync,
    G: Fn(A, A) -> A + Copy + Sync,
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
        // Copies the row and the closures here. If their addresses were passed, they would be stored to memory for short rows, too.
        ControlFlow::Break(()) => rarely(move || row.par_fold(&|| identity, &fold, &combine)),
    }
}

/// Calls a function out of line, because it is needed rarely.
#[cold]
#[inline(never)]
fn rarely<T>(function: impl FnOnce() -> T) -> T {
    function()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Elements, Packed, PackedDelta, Store};

    fn check<R: Store<Coord = u32, Value = u64>>(n: usize) {
        let coords: Vec<u32> = (0..n as u32).collect();
        let values: Vec<u64> = (1..=n as u64).collect();
        let row = R::build_row(Elements::copied(&coords, &values));
        let fold = |sum: u64, run: Run<'_, '_, u32, u64>| run.values().iter().fold(sum, |sum, value| sum + value);
        let sum = fold_row(row.fiber(), 0_u64, fold, |left, right| left + right);
        assert_eq!(sum, n as u64 * (n as u64 + 1) / 2, "{n} nonzeros");
    }

    /// The part of a long row that was folded before it turned out to be long is not counted twice.
    #[test]
    #[cfg_attr(miri, ignore = "long rows")]
    fn each_nonzero_is_folded_once() {
        for n in [0, 1, 509, HUB - 1, HUB, HUB + 1, 3 * HUB] {
            check::<Packed<u32, u64>>(n);
            check::<PackedDelta<u32, u64>>(n);
        }
    }
}
