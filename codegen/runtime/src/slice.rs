//! The fiber of a static row: two slices side by side, one run.

use std::ops::ControlFlow;

use crate::{Coord, Fiber, Run, Runs, Value, join};

/// A fiber whose coordinates (ascending) and values lie in two slices, as a row of CSR does.
pub struct SliceFiber<'a, C, V> {
    run: Run<'a, 'a, C, V>,
}

impl<C, V> Clone for SliceFiber<'_, C, V> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C, V> Copy for SliceFiber<'_, C, V> {}

impl<'a, C: Coord, V> SliceFiber<'a, C, V> {
    /// The fiber of ascending coordinates and their values.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    #[inline(always)]
    pub fn new(coords: &'a [C], values: &'a [V]) -> Self {
        SliceFiber { run: Run::new(coords, values) }
    }

    /// The only run.
    #[inline(always)]
    pub fn run(self) -> Run<'a, 'a, C, V> {
        self.run
    }
}

impl<'a, C: Coord, V: Value> Fiber<'a> for SliceFiber<'a, C, V> {
    type Coord = C;
    type Value = V;
    type Runs = SliceRuns<'a, C, V>;
    const ORDERED: bool = true;
    const COUNTED: bool = true;

    #[inline(always)]
    fn len(self) -> usize {
        self.run.len()
    }

    #[inline(always)]
    fn runs(self) -> Self::Runs {
        SliceRuns { next: self.run, current: Run::empty() }
    }

    #[inline(always)]
    fn try_fold_runs<A, B, F>(self, init: A, mut f: F) -> ControlFlow<B, A>
    where
        F: FnMut(A, Run<'_, 'a, C, V>) -> ControlFlow<B, A>,
    {
        f(init, self.run)
    }

    fn par_fold<A, I, F, G>(self, identity: &I, fold: &F, combine: &G) -> A
    where
        A: Send,
        I: Fn() -> A + Sync,
        F: Fn(A, Run<'_, 'a, C, V>) -> A + Sync,
        G: Fn(A, A) -> A + Sync,
    {
        /// Nonzeros below which a task is not worth its spawning.
        const GRAIN: usize = 1 << 14;
        if self.run.len() <= GRAIN {
            return fold(identity(), self.run);
        }
        let middle = self.run.len() / 2;
        let left = Run::new(&self.run.coords()[..middle], &self.run.values()[..middle]);
        let right = self.run.skip(middle);
        let (left, right) = join(
            || SliceFiber { run: left }.par_fold(identity, fold, combine),
            || SliceFiber { run: right }.par_fold(identity, fold, combine),
        );
        combine(left, right)
    }

    #[inline]
    fn locate(self, coord: C) -> Option<&'a V> {
        self.run.coords().binary_search(&coord).ok().map(|position| &self.run.values()[position])
    }
}

/// The iterator over the single run of a [`SliceFiber`].
pub struct SliceRuns<'a, C, V> {
    next: Run<'a, 'a, C, V>,
    current: Run<'a, 'a, C, V>,
}

impl<'a, C: Coord, V: 'a> Runs<'a> for SliceRuns<'a, C, V> {
    type Coord = C;
    type Value = V;

    #[inline(always)]
    fn advance(&mut self) -> bool {
        self.current = std::mem::replace(&mut self.next, Run::empty());
        !self.current.is_empty()
    }

    #[inline(always)]
    fn run(&self) -> Run<'_, 'a, C, V> {
        self.current
    }
}
