//! Algorithms behind one type: on a graph that is read, and on snapshots of one that is streamed to, whichever store holds it.

use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::common::{self, Algorithm, Carried, Vertices};
use super::following::Following;
use super::pagerank::PageRankArgs;
use super::report::Report;
use super::source::Source;
use super::verifying;

/// What an algorithm found; it borrows the algorithm's options.
pub type Finding<'t> = Box<dyn Tells + 't>;

/// A result that can be printed.
pub trait Tells: Send {
    /// Makes the report.
    fn report<'a>(&'a self, vertices: &'a Vertices<'_>) -> Report<'a>;
}

/// An algorithm with its options, whichever it is.
pub trait SnapshotApp: Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Refuses options that `pleach stream` itself has.
    fn check(&self) -> Result<(), Failure>;

    /// Whether it reads weights.
    fn is_weighted(&self) -> bool;

    /// The arcs whose rows it reads.
    fn ends(&self) -> Ends;

    /// Whether it finds a value for each vertex.
    fn has_values(&self) -> bool;

    /// Whether the result depends on how vertices are numbered.
    fn by_number(&self) -> bool;

    /// Runs it on a graph without weights.
    ///
    /// # Panics
    ///
    /// If it reads weights.
    fn on_pattern(&self, graph: GraphView<'_, ()>, vertices: &Vertices<'_>) -> Result<Finding<'_>, Failure>;

    /// Runs it on a graph with weights.
    ///
    /// # Panics
    ///
    /// If it reads none.
    fn on_weighted(&self, graph: GraphView<'_, f64>, vertices: &Vertices<'_>) -> Result<Finding<'_>, Failure>;

    /// The form of the algorithm that updates its result from version to version, if there is one for these options.
    fn following(&self) -> Option<Box<dyn Following<'_> + '_>>;

    /// Refuses options of `pleach run` that the algorithm cannot use, and files that cannot be written.
    /// `weighted` says that this algorithm, or another that runs on the same graph, reads weights.
    fn check_run(&self, weighted: bool) -> Result<(), Failure>;

    /// Runs it on the graph that its options name, and reports the result.
    fn run(&self, source: &mut Source) -> Result<(), Failure>;
}

/// What an algorithm found.
struct Found<'t, T: Algorithm> {
    algorithm: &'t T,
    found: T::Found,
}

impl<T: Algorithm> Tells for Found<'_, T> {
    fn report<'a>(&'a self, vertices: &'a Vertices<'_>) -> Report<'a> {
        let mut report = self.algorithm.report(&self.found, vertices);
        report.top(self.algorithm.options().common.top.unwrap_or(0), vertices);
        if self.algorithm.options().verify {
            report.result("verified", true);
        }
        report
    }
}

/// Runs an algorithm, and checks the result if that is asked for.
fn found<'t, T: Algorithm>(
    algorithm: &'t T,
    graph: GraphView<'_, T::Value>,
    vertices: &Vertices<'_>,
) -> Result<Finding<'t>, Failure> {
    let found = algorithm.compute(graph, vertices)?;
    checked(algorithm, graph, vertices, found)
}

/// What an algorithm found, once it is checked, if that is asked for.
pub(super) fn checked<'t, T: Algorithm>(
    algorithm: &'t T,
    graph: GraphView<'_, T::Value>,
    vertices: &Vertices<'_>,
    found: T::Found,
) -> Result<Finding<'t>, Failure> {
    if algorithm.options().verify {
        graph.over(|graph| verifying::check(algorithm, graph, vertices, &found))?;
    }
    Ok(Box::new(Found { algorithm, found }))
}

/// What holds of rows that were chosen by `is_weighted`.
const CHOSEN: &str = "an algorithm is given rows that carry what it reads";

impl<T: Algorithm + Send> SnapshotApp for T {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn check(&self) -> Result<(), Failure> {
        self.options().common.check_on_snapshot()
    }

    fn is_weighted(&self) -> bool {
        T::Value::WEIGHTED
    }

    fn ends(&self) -> Ends {
        T::ENDS
    }

    fn has_values(&self) -> bool {
        T::HAS_VALUES
    }

    fn by_number(&self) -> bool {
        Algorithm::by_number(self)
    }

    fn on_pattern(&self, graph: GraphView<'_, ()>, vertices: &Vertices<'_>) -> Result<Finding<'_>, Failure> {
        found(self, T::Value::of_pattern(graph).expect(CHOSEN), vertices)
    }

    fn on_weighted(&self, graph: GraphView<'_, f64>, vertices: &Vertices<'_>) -> Result<Finding<'_>, Failure> {
        found(self, T::Value::of_weighted(graph).expect(CHOSEN), vertices)
    }

    fn following(&self) -> Option<Box<dyn Following<'_> + '_>> {
        Algorithm::following(self)
    }

    fn check_run(&self, weighted: bool) -> Result<(), Failure> {
        common::check(self, weighted)
    }

    fn run(&self, source: &mut Source) -> Result<(), Failure> {
        common::run(self, source)
    }
}

/// PageRank, which has no steps of its own between reading and the report.
impl SnapshotApp for PageRankArgs {
    fn name(&self) -> &'static str {
        "pagerank"
    }

    fn check(&self) -> Result<(), Failure> {
        self.common().check_on_snapshot()
    }

    fn is_weighted(&self) -> bool {
        false
    }

    fn ends(&self) -> Ends {
        Ends::Both
    }

    fn has_values(&self) -> bool {
        true
    }

    /// But for the order in which each vertex adds up what flows into it, which rounds sums otherwise.
    fn by_number(&self) -> bool {
        false
    }

    fn on_pattern(&self, graph: GraphView<'_, ()>, vertices: &Vertices<'_>) -> Result<Finding<'_>, Failure> {
        Ok(Box::new(self.ranked(graph, vertices)?))
    }

    fn on_weighted(&self, _: GraphView<'_, f64>, _: &Vertices<'_>) -> Result<Finding<'_>, Failure> {
        unreachable!("{CHOSEN}")
    }

    fn following(&self) -> Option<Box<dyn Following<'_> + '_>> {
        self.moving()
    }

    fn check_run(&self, weighted: bool) -> Result<(), Failure> {
        self.common().check_input("pagerank", weighted)?;
        self.common().check_files()
    }

    fn run(&self, source: &mut Source) -> Result<(), Failure> {
        self.on(source)
    }
}
