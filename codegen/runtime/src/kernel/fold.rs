//! Folds over one row, wherever the row's order of storage leads.

use std::ops::ControlFlow;

use crate::{Fiber, Run};

/// Nonzeros beyond which a row is shared out among all threads. The longest row of an R-MAT with a million vertices has 64,706 of them: one
/// thread would fold it while others wait.
const HUB: usize = 1 << 14;

/// Folds over the runs of a row in the order in which they are stored; a hub's row is split among the threads, each of which starts from
/// `identity`. `combine` joins their results, whose parts depend on the row only, and not on the number of threads.
///
/// The short rows, which are most, pay one comparison for it: one for a row where its length is known, one a run elsewhere. If a row
/// whose length is not known turns out to be long, its fold starts again in parallel. The number of nonzeros seen so far is passed from run to run, and not kept in
/// a variable that closures borrow, which would have to lie in memory. Each run is folded by itself, so that its accumulator stays in a
/// register: across the calls of a walk it would be kept in memory, at twice the time for each nonzero.
#[inline(always)]
pub fn fold_row<'a, R, A, F, G>(row: R, identity: A, fold: F, combine: G) -> A
where
    R: Fiber<'a>,
    A: Copy + Send + Sync,
    F: Fn(A, Run<'_, 'a, R::Coord, R::Value>) -> A + Copy + Sync,
    G: Fn(A, A) -> A + Copy + Sync,
{
    // Copies the row and the closures. If their addresses were passed, they would be stored to memory for short rows, too.
    let shared = move || rarely(move || row.par_fold(&|| identity, &fold, &combine));
    if R::COUNTED {
        if row.len() > HUB {
            return shared();
        }
        return row.fold_storage(identity, |folded, run| combine(folded, fold(identity, run)));
    }
    let partial = row.try_fold_storage((identity, 0), |(folded, seen), run| {
        let seen = seen + run.len();
        if seen > HUB {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue((combine(folded, fold(identity, run)), seen))
    });
    match partial {
        ControlFlow::Continue((folded, _)) => folded,
        ControlFlow::Break(()) => shared(),
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

    /// A row whose length would have to be counted.
    #[derive(Clone, Copy)]
    struct Uncounted<F>(F);

    impl<'a, F: Fiber<'a>> Fiber<'a> for Uncounted<F> {
        type Coord = F::Coord;
        type Value = F::Value;
        type Runs = F::Runs;
        const ORDERED: bool = F::ORDERED;

        fn len(self) -> usize {
            panic!("nobody counts a row only to fold it")
        }

        fn runs(self) -> F::Runs {
            self.0.runs()
        }

        fn try_fold_runs<A, B, G>(self, init: A, f: G) -> ControlFlow<B, A>
        where
            G: FnMut(A, Run<'_, 'a, F::Coord, F::Value>) -> ControlFlow<B, A>,
        {
            self.0.try_fold_runs(init, f)
        }

        fn par_fold<A, I, G, H>(self, identity: &I, fold: &G, combine: &H) -> A
        where
            A: Send,
            I: Fn() -> A + Sync,
            G: Fn(A, Run<'_, 'a, F::Coord, F::Value>) -> A + Sync,
            H: Fn(A, A) -> A + Sync,
        {
            self.0.par_fold(identity, fold, combine)
        }

        fn locate(self, coord: F::Coord) -> Option<&'a F::Value> {
            self.0.locate(coord)
        }
    }

    fn check<R: Store<Coord = u32, Value = u64>>(n: usize) {
        let coords: Vec<u32> = (0..n as u32).collect();
        let values: Vec<u64> = (1..=n as u64).collect();
        let row = R::build_row(Elements::copied(&coords, &values));
        let fold = |sum: u64, run: Run<'_, '_, u32, u64>| run.values().iter().fold(sum, |sum, value| sum + value);
        let expected = n as u64 * (n as u64 + 1) / 2;
        let sum = fold_row(row.fiber(), 0_u64, fold, |left, right| left + right);
        assert_eq!(sum, expected, "{n} nonzeros");
        let sum = fold_row(Uncounted(row.fiber()), 0_u64, fold, |left, right| left + right);
        assert_eq!(sum, expected, "{n} nonzeros of a row that is not counted");
    }

    #[test]
    #[cfg_attr(miri, ignore = "long rows")]
    fn the_parts_of_a_long_row_depend_on_the_row_only() {
        let n = 4 * HUB;
        let coords: Vec<u32> = (0..n as u32).collect();
        let values: Vec<f64> = coords.iter().map(|&coord| 1.0 / f64::from(coord + 1)).collect();
        let row = Packed::<u32, f64>::build_row(Elements::copied(&coords, &values));
        let sum = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let fold = |sum: f64, run: Run<'_, '_, u32, f64>| run.values().iter().fold(sum, |sum, value| sum + value);
            pool.install(|| fold_row(row.fiber(), 0.0, fold, |left, right| left + right))
        };
        assert_eq!(sum(1).to_bits(), sum(3).to_bits());
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
