//! What is measured of a computation: the time that passes, or its work and its span.

use std::hint::black_box;
use std::time::Instant;

use pleach::runtime::{threads, work_and_span};

use crate::{Unit, Work};

/// What is measured of a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The time that passes.
    Passing,
    /// Its work and its span, of the tasks that there are for as many threads as the pool has: one thread runs them all.
    Recorded,
}

impl Clock {
    /// What is found of the computation with this name.
    pub fn works(self, name: &str) -> Vec<Work> {
        match self {
            Clock::Passing => vec![Work::timed(name)],
            Clock::Recorded => vec![
                Work::timed(format!("{name}, work")),
                Work::timed(format!("{name}, span")),
                Work::in_unit(format!("{name}, parallelism"), Unit::Times),
            ],
        }
    }

    /// Runs a computation, and gives a figure for each of [`works`](Clock::works).
    ///
    /// ```
    /// # use pleach_measure::Clock;
    /// let (sum, figures) = Clock::Recorded.measure(|| (0..1000).sum::<u32>());
    /// assert_eq!((sum, figures.len()), (499_500, 3));
    /// assert!(figures[1] <= figures[0]);
    /// ```
    pub fn measure<T>(self, computation: impl FnOnce() -> T) -> (T, Vec<f64>) {
        let (mut computation, mut result) = (Some(computation), None);
        let figures = self.figures(&mut || result = computation.take().map(|computation| black_box(computation())));
        (result.expect("it is computed once"), figures)
    }

    /// The figures alone. It is compiled once for all computations, of which there are a hundred.
    fn figures(self, computation: &mut dyn FnMut()) -> Vec<f64> {
        match self {
            Clock::Passing => {
                let begin = Instant::now();
                computation();
                vec![begin.elapsed().as_secs_f64()]
            }
            Clock::Recorded => {
                let ((), found) = work_and_span(threads(), computation);
                let (work, span) = (found.work.as_secs_f64(), found.span.as_secs_f64());
                vec![work, span, work / span.max(1e-9)]
            }
        }
    }

    /// The means of the figures of several computations; none of none.
    pub fn mean(all: &[Vec<f64>]) -> Vec<f64> {
        let figures = all.first().map_or(0, Vec::len);
        (0..figures).map(|at| all.iter().map(|figures| figures[at]).sum::<f64>() / all.len() as f64).collect()
    }
}
