//! Results that follow a graph beside results computed anew on each version: components and PageRank, by size of batch.
//!
//! An undirected graph in the default store takes batches of edges drawn from another graph of the same kind, each published. Both ways of
//! computing run on every version, in turns; what they find is compared. A repetition is a batch. The edges of the batch and the version
//! before it are at hand, and not part of the time.

use std::time::Instant;

use pleach::graph::{Graph as Live, GraphOptions};
use pleach::runtime::{Packed, Paged};
use pleach::traverse::Adjacency;
use pleach::{EdgeList, Matrix};

use super::SuiteError;
use crate::{Bench, Graph, Method, Side, Unit, Work};
use pleach_algorithms::incremental::{MovingComponents, MovingRanks};
use pleach_algorithms::pagerank::{PageRank, Stop};
use pleach_compiled::cc::components;
use pleach_compiled::incremental;
use pleach_compiled::pagerank::pagerank;
use pleach_erased::GraphView;

/// How to measure.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Edges of a batch, for each size that is measured.
    pub batches: Vec<usize>,
    /// The change of ranks to come down to.
    pub tolerance: f64,
}

impl Options {
    /// Batches of these sizes.
    pub fn new(batches: Vec<usize>, tolerance: f64) -> Self {
        Options { batches, tolerance }
    }
}

/// Measures on one graph. `updates` are edges of another graph of the same kind.
///
/// # Errors
///
/// [`SuiteError`] if the edges cannot be held, or the tolerance is none.
///
/// # Panics
///
/// If the two ways find different things.
pub fn run(bench: &mut Bench<'_>, graph: &Graph, updates: &EdgeList, options: &Options) -> Result<(), SuiteError> {
    bench.begin("incremental", Some(&graph.name));
    if updates.is_empty() {
        return Err(SuiteError::NoUpdates(graph.name.clone()));
    }
    let graph = Graph { directed: false, ..graph.clone() };
    bench.add_graph(graph.facts(&bench.within(|| graph.rows())?));
    let method = bench.method;
    let both = [("anew".to_owned(), Side::Static), ("following".to_owned(), Side::Ours)];
    let mut drawn = updates.src.iter().copied().zip(updates.dst.iter().copied()).cycle();
    bench.within(|| Following::new(&graph, options.tolerance)).and_then(|mut following| {
        for &batch in &options.batches {
            let times = bench.within(|| following.batches(drawn.by_ref(), batch, method))?;
            let [cc, ranks, iterations] = times;
            for (name, unit, found) in [
                ("cc", Unit::Seconds, cc),
                ("pagerank", Unit::Seconds, ranks),
                ("iterations of pagerank", Unit::Count, iterations),
            ] {
                let works = [Work::in_unit(format!("{name}, batch of {batch}"), unit)];
                bench.record(&works, &both, found.map(|figures| Ok(vec![figures])).into());
            }
        }
        Ok(())
    })
}

/// A graph and the results that follow it.
struct Following {
    graph: Live<Packed<u32, ()>>,
    before: pleach::graph::Snapshot<Packed<u32, ()>>,
    components: MovingComponents,
    ranks: MovingRanks,
    tolerance: f64,
}

/// Figures of both ways of computing, from scratch first.
type Both = [Vec<f64>; 2];

impl Following {
    fn new(graph: &Graph, tolerance: f64) -> Result<Self, SuiteError> {
        let (graph, _) = Live::from_edges::<Paged<_>>(graph.pattern(), GraphOptions::undirected())?;
        let before = graph.publish();
        let now = undirected(before.matrix());
        let components = incremental::components(now);
        let ranks = incremental::ranks(now, PageRank::default().damping, tolerance, None)?;
        Ok(Following { graph, before, components, ranks, tolerance })
    }

    /// Inserts batches of one size. Gives the seconds of components, those of PageRank, and the iterations of PageRank.
    fn batches(
        &mut self,
        drawn: &mut impl Iterator<Item = (u32, u32)>,
        batch: usize,
        method: Method,
    ) -> Result<[Both; 3], SuiteError> {
        let mut found = <[Both; 3]>::default();
        let begin = Instant::now();
        // From scratch and following: two competitors of two kinds.
        while !method.is_enough(found[0][0].len(), begin, 4) {
            let new: Vec<(u32, u32)> = drawn.by_ref().take(batch).collect();
            self.graph.insert(new.iter().copied())?;
            self.step(&new, &mut found)?;
        }
        Ok(found)
    }

    /// Computes both results in both ways after a batch.
    fn step(&mut self, new: &[(u32, u32)], [cc, ranks, iterations]: &mut [Both; 3]) -> Result<(), SuiteError> {
        let after = self.graph.publish();
        let (old, now) = (undirected(self.before.matrix()), undirected(after.matrix()));
        let follows = "versions of one graph";
        let (anew, kept) = in_turn(
            cc,
            || components(now),
            || {
                incremental::follow_components(&mut self.components, old, now, new).expect(follows);
                self.components.components()
            },
        );
        assert_eq!(anew, kept, "components that were kept are those of the graph");
        let options = PageRank::default().with_stop(Stop::Tolerance { change: self.tolerance, most: usize::MAX });
        let (anew, (moved, followed)) = in_turn(
            ranks,
            || pagerank(now, &options),
            || {
                let changed: Vec<u32> = new.iter().flat_map(|&(from, to)| [from, to]).collect();
                let moved = incremental::follow_ranks(&mut self.ranks, old, now, &changed).expect(follows);
                (moved, self.ranks.ranks())
            },
        );
        let anew = anew?;
        let apart: f64 = anew.ranks.iter().zip(&followed).map(|(a, b)| (a - b).abs()).sum();
        // Each is within the tolerance over 1 - damping of what is right.
        assert!(apart <= 3.0 * self.tolerance / (1.0 - options.damping), "ranks differ by {apart}");
        iterations[0].push(anew.iterations as f64);
        iterations[1].push(moved.iterations as f64);
        self.before = after;
        Ok(())
    }
}

/// Runs both and keeps their seconds; in every other round, the second one begins.
fn in_turn<A, B>(times: &mut Both, first: impl FnOnce() -> A, second: impl FnOnce() -> B) -> (A, B) {
    let even = times[0].len().is_multiple_of(2);
    let begin = Instant::now();
    if even {
        let a = first();
        let middle = Instant::now();
        let b = second();
        times[0].push((middle - begin).as_secs_f64());
        times[1].push(middle.elapsed().as_secs_f64());
        return (a, b);
    }
    let b = second();
    let middle = Instant::now();
    let a = first();
    times[1].push((middle - begin).as_secs_f64());
    times[0].push(middle.elapsed().as_secs_f64());
    (a, b)
}

/// An undirected graph, which is built as one.
fn undirected(rows: &Matrix<Packed<u32, ()>>) -> GraphView<'_, ()> {
    Adjacency::assume_undirected(rows).expect("the rows of a graph are square").into()
}
