//! A row that an outer level may not hold is a fiber too: an absent one is empty.

use std::ops::ControlFlow;

use crate::{Fiber, Run, Runs};

/// The runs of a fiber that may be absent.
pub struct MaybeRuns<R>(Option<R>);

impl<'a, R: Runs<'a>> Runs<'a> for MaybeRuns<R> {
    type Coord = R::Coord;
    type Value = R::Value;

    #[inline(always)]
    fn advance(&mut self) -> bool {
        self.0.as_mut().is_some_and(R::advance)
    }

    #[inline(always)]
    fn run(&self) -> Run<'_, 'a, R::Coord, R::Value> {
        self.0.as_ref().map_or(Run::empty(), R::run)
    }
}

impl<'a, F: Fiber<'a>> Fiber<'a> for Option<F> {
    type Coord = F::Coord;
    type Value = F::Value;
    type Runs = MaybeRuns<F::Runs>;
    const ORDERED: bool = F::ORDERED;
    const COUNTED: bool = F::COUNTED;

    fn len(self) -> usize {
        self.map_or(0, F::len)
    }

    #[inline(always)]
    fn runs(self) -> Self::Runs {
        MaybeRuns(self.map(F::runs))
    }

    #[inline(always)]
    fn try_fold_runs<A, B, G>(self, init: A, f: G) -> ControlFlow<B, A>
    where
        G: FnMut(A, Run<'_, 'a, Self::Coord, Self::Value>) -> ControlFlow<B, A>,
    {
        match self {
            Some(fiber) => fiber.try_fold_runs(init, f),
            None => ControlFlow::Continue(init),
        }
    }

    #[inline(always)]
    fn try_fold_storage<A, B, G>(self, init: A, f: G) -> ControlFlow<B, A>
    where
        G: FnMut(A, Run<'_, 'a, Self::Coord, Self::Value>) -> ControlFlow<B, A>,
    {
        match self {
            Some(fiber) => fiber.try_fold_storage(init, f),
            None => ControlFlow::Continue(init),
        }
    }

    #[inline(always)]
    fn locate(self, coord: Self::Coord) -> Option<&'a Self::Value> {
        self.and_then(|fiber| fiber.locate(coord))
    }
}
