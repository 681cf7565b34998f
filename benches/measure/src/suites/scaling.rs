//! How algorithms, kernels and batches scale: their times by one thread and by all cores, and their work and span for more threads than the
//! machine has.

use pleach::EdgeList;
use pleach::graph::{GraphOptions, Publish};
use pleach_erased::{AnyGraph, StoreName};

use super::{SuiteError, apps, pagerank, updates};
use crate::{Bench, Clock, Competitor, Graph, Side, Work};

/// What the suite is called.
pub const NAME: &str = "scaling";

/// Threads that work and span are recorded for.
pub const THREADS: [usize; 6] = [1, 4, 8, 24, 48, 96];

/// How to measure.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The stores.
    pub stores: Vec<StoreName>,
    /// The algorithms.
    pub apps: Vec<apps::App>,
    /// Arcs of a batch, for each size that is measured.
    pub batches: Vec<usize>,
    /// Threads that work and span are recorded for. Default [`THREADS`].
    pub threads: Vec<usize>,
}

impl Options {
    /// Algorithms over stores, and batches of these sizes.
    pub fn new(stores: Vec<StoreName>, apps: Vec<apps::App>, batches: Vec<usize>) -> Self {
        Options { stores, apps, batches, threads: THREADS.to_vec() }
    }

    /// Threads that work and span are recorded for.
    #[must_use]
    pub fn with_threads(self, threads: Vec<usize>) -> Self {
        Options { threads, ..self }
    }
}

/// Measures with one thread and with all cores, and records work and span for each number of threads.
///
/// # Errors
///
/// [`SuiteError`] if a graph cannot be held in a store.
pub fn run(bench: &mut Bench<'_>, graph: &Graph, inserted: &EdgeList, options: &Options) -> Result<(), SuiteError> {
    let before = bench.method.threads;
    let mut measured = vec![1, before];
    measured.dedup();
    let numbers = measured.into_iter().map(|threads| (Clock::Passing, threads));
    for (clock, threads) in numbers.chain(options.threads.iter().map(|&threads| (Clock::Recorded, threads))) {
        bench.set_threads(threads)?;
        bench.measure_as(NAME, clock, |bench| all(bench, graph, inserted, options))?;
    }
    Ok(bench.set_threads(before)?)
}

fn all(bench: &mut Bench<'_>, graph: &Graph, inserted: &EdgeList, options: &Options) -> Result<(), SuiteError> {
    pagerank::parallel(bench, graph, &options.stores)?;
    let stores = options.stores.clone();
    apps::run(bench, graph, &apps::Options::new(stores, options.apps.clone()))?;
    for store in options.stores.iter().filter(|store| **store != StoreName::Csr) {
        for &arcs in &options.batches {
            batches(bench, graph, inserted, store, arcs)?;
        }
    }
    Ok(())
}

/// Inserts one batch, in place and published. It is deleted again outside of the time.
fn batches(
    bench: &mut Bench<'_>,
    graph: &Graph,
    inserted: &EdgeList,
    store: &StoreName,
    arcs: usize,
) -> Result<(), SuiteError> {
    bench.begin(NAME, Some(&graph.name));
    let options = GraphOptions::undirected().with_publish(Publish::WhenAsked);
    let held = bench.within(|| AnyGraph::from_edges(store, graph.pattern(), options))?.0;
    for (way, publishes) in [("in place", false), ("published", true)] {
        let name = format!("insert {arcs} arcs, {way}");
        let Some(batch) = updates::batches(inserted, (arcs / 2).max(1), 1).pop() else {
            bench.skip(&Work::timed(name), &store.to_string(), Side::Ours, "there are fewer edges to insert");
            continue;
        };
        let competitor = Competitor::clocked(store.to_string(), Side::Ours, |clock| {
            let (applied, figures) = clock.measure(|| {
                let applied = held.insert_list(&batch);
                if publishes {
                    held.publish();
                }
                applied
            });
            applied.and_then(|_| held.delete_list(&batch)).map_err(|error| error.to_string())?;
            if publishes {
                // The next batch copies what it touches, and does not find it copied.
                held.publish();
            }
            Ok(figures)
        });
        bench.compare(&[Work::timed(name)], vec![competitor]);
    }
    Ok(())
}
