//! Results that follow a graph beside results computed anew on each version: components and PageRank, by size of batch.
//!
//! An undirected graph in the default store takes batches of edges drawn from another graph of the same kind, each published. Both ways of
//! computing run in turn on every version, what they find is compared, and a time is the median over the batches of one size. The edges of
//! the batch and the version before it are at hand, and not part of the time.

use std::time::{Duration, Instant};

use pleach::graph::{Graph, GraphError, GraphOptions};
use pleach::runtime::Paged;
use pleach::traverse::Adjacency;
use pleach::{BuildError, EdgeList, Rows};
use serde::Serialize;

use crate::median;
use pleach_algorithms::cc::components;
use pleach_algorithms::incremental::{MovingComponents, MovingRanks};
use pleach_algorithms::pagerank::{PageRank, PageRankError, Stop, pagerank};

/// How to measure.
#[derive(Clone, Debug)]
pub struct Options {
    /// Edges of a batch, for each size that is measured.
    pub batches: Vec<usize>,
    /// Batches of each size.
    pub rounds: usize,
    /// The change of ranks to come down to.
    pub tolerance: f64,
}

/// One size of batches: milliseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Measured {
    /// Edges of a batch.
    pub batch: usize,
    /// Components computed anew.
    pub cc_anew: f64,
    /// Components kept between batches.
    pub cc_following: f64,
    /// PageRank computed anew.
    pub pagerank_anew: f64,
    /// Its iterations.
    pub iterations_anew: usize,
    /// PageRank from the ranks before.
    pub pagerank_following: f64,
    /// Its iterations over all arcs.
    pub iterations_following: usize,
    /// Vertices it pushed.
    pub pushes: usize,
}

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub enum IncrementalError {
    /// The edges cannot be sorted into rows.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// An update failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The tolerance is none.
    #[error(transparent)]
    PageRank(#[from] PageRankError),
}

/// Measures on one graph, and hands the result of each size to `report`. `updates` are edges of another graph of the same kind.
///
/// # Errors
///
/// [`IncrementalError`] if the edges cannot be held, or the tolerance is none.
///
/// # Panics
///
/// If the two ways find different things.
pub fn measure(
    edges: EdgeList,
    updates: &EdgeList,
    options: &Options,
    mut report: impl FnMut(Measured),
) -> Result<(), IncrementalError> {
    let (graph, _) =
        Graph::<pleach::runtime::Packed<u32, ()>>::from_edges::<Paged<_>>(edges, GraphOptions::undirected())?;
    let damping = PageRank::default().damping;
    let mut before = graph.publish();
    let (mut following, mut moving) = {
        let now = undirected(before.matrix());
        (MovingComponents::new(now), MovingRanks::new(now, damping, options.tolerance)?)
    };
    let mut drawn = updates.src.iter().copied().zip(updates.dst.iter().copied()).cycle();
    for &batch in &options.batches {
        let (mut times, mut last) = (<[Vec<Duration>; 4]>::default(), None);
        for _ in 0..options.rounds {
            let new: Vec<(u32, u32)> = drawn.by_ref().take(batch).collect();
            graph.insert(new.iter().copied())?;
            let after = graph.publish();
            let (old, now) = (undirected(before.matrix()), undirected(after.matrix()));
            let anew = timed(&mut times[0], || components(now));
            let kept = timed(&mut times[1], || {
                following.follow(old, now, &new).expect("versions of one graph");
                following.components()
            });
            assert_eq!(anew, kept, "components that were kept are those of the graph");
            let stop = Stop::Tolerance { change: options.tolerance, most: usize::MAX };
            let ranks = timed(&mut times[2], || pagerank(now, &PageRank::default().with_stop(stop)))?;
            let (moved, followed) = timed(&mut times[3], || {
                let changed: Vec<u32> = new.iter().flat_map(|&(from, to)| [from, to]).collect();
                let moved = moving.follow(old, now, &changed).expect("versions of one graph");
                (moved, moving.ranks())
            });
            let apart: f64 = ranks.ranks.iter().zip(&followed).map(|(a, b)| (a - b).abs()).sum();
            // Each is within the tolerance over 1 - damping of what is right.
            assert!(apart <= 3.0 * options.tolerance / (1.0 - damping), "ranks differ by {apart}");
            last = Some((ranks.iterations, moved));
            before = after;
        }
        let milliseconds = times.map(|times| median(times).as_secs_f64() * 1e3);
        if let Some((iterations_anew, moved)) = last {
            report(Measured {
                batch,
                cc_anew: milliseconds[0],
                cc_following: milliseconds[1],
                pagerank_anew: milliseconds[2],
                iterations_anew,
                pagerank_following: milliseconds[3],
                iterations_following: moved.iterations,
                pushes: moved.pushes,
            });
        }
    }
    Ok(())
}

/// Takes the time of some work.
fn timed<T>(times: &mut Vec<Duration>, work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = work();
    times.push(begin.elapsed());
    result
}

/// An undirected graph, which is built as one.
fn undirected<A: Rows>(rows: &A) -> Adjacency<'_, A> {
    Adjacency::assume_undirected(rows).expect("the rows of a graph are square")
}
