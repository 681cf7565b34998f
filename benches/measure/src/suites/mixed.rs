//! Questions while a graph is updated: what each costs the other.
//!
//! A writer inserts and deletes batches without a pause, and publishes a version at each. A reader takes the latest version again and again
//! and runs an algorithm on it. Either may use as many threads as the run has. Both are also measured alone.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use pleach::EdgeList;
use pleach::graph::{GraphError, GraphOptions};
use pleach_algorithms::pagerank::{PageRank, Stop};
use pleach_compiled::bfs::bfs;
use pleach_compiled::cc::components;
use pleach_compiled::pagerank::pagerank;
use pleach_erased::{AnyGraph, AnySnapshot, StoreName};

use super::SuiteError;
use super::updates::{Updates, batches};
use crate::method::seconds;
use crate::{Bench, Graph, Side, Unit, Work};

/// How to measure.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The stores.
    pub stores: Vec<StoreName>,
    /// Arcs of a batch.
    pub batch: usize,
}

impl Options {
    /// Batches of one size.
    pub fn new(stores: Vec<StoreName>, batch: usize) -> Self {
        Options { stores, batch }
    }
}

/// What is asked.
const QUESTIONS: [&str; 3] = ["bfs", "cc", "pagerank, 3 iterations"];

/// Answers a question on a version.
fn ask(question: &str, version: &AnySnapshot<()>, source: u32) {
    version.view(|graph| match question {
        "bfs" => drop(bfs(graph, source)),
        "cc" => drop(components(graph)),
        _ => drop(pagerank(graph, &PageRank::default().with_stop(Stop::Iterations(3)))),
    });
}

/// Measures stores on one graph.
///
/// # Errors
///
/// [`SuiteError`] if the edges cannot be held in a store.
pub fn run(bench: &mut Bench<'_>, graph: &Graph, updates: &Updates, options: &Options) -> Result<(), SuiteError> {
    bench.begin("mixed", Some(&graph.name));
    if updates.skewed.is_empty() {
        return Err(SuiteError::NoUpdates(graph.name.clone()));
    }
    let graph = Graph { directed: false, ..graph.clone() };
    let rows = bench.within(|| graph.rows())?;
    bench.add_graph(graph.facts(&rows));
    let source = (0..rows.num_rows()).max_by_key(|&vertex| rows.degree(vertex)).unwrap_or(0) as u32;
    drop(rows);
    let graph_options = GraphOptions::undirected().with_threads(bench.method.threads);
    for store in options.stores.iter().filter(|store| **store != StoreName::Csr) {
        let held = bench.within(|| AnyGraph::from_edges(store, graph.pattern(), graph_options))?.0;
        for question in QUESTIONS {
            measure(bench, store, &held, &updates.skewed, options.batch, question, source)?;
        }
    }
    Ok(())
}

/// One question over one store.
fn measure(
    bench: &mut Bench<'_>,
    store: &StoreName,
    graph: &AnyGraph<()>,
    updates: &EdgeList,
    batch: usize,
    question: &str,
    source: u32,
) -> Result<(), SuiteError> {
    let method = bench.method;
    let repeat = |times: &mut Vec<f64>| {
        let begin = Instant::now();
        while !method.is_enough(times.len(), begin, 1) {
            let version = graph.latest();
            times.push(bench.within(|| seconds(|| ask(question, &version, source))));
        }
    };
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    repeat(&mut alone);
    let (_, idle) = writing(graph, updates, batch, || {
        let begin = Instant::now();
        // As long as the questions take.
        while begin.elapsed().as_secs_f64() < alone.iter().sum::<f64>().max(0.01) {
            thread::sleep(std::time::Duration::from_millis(1));
        }
    })?;
    let (_, busy) = writing(graph, updates, batch, || repeat(&mut beside))?;
    let store = store.to_string();
    let both = ["alone", "beside the other"].map(|when| (format!("{store}, {when}"), Side::Ours));
    bench.record(&[Work::timed(question)], &both, vec![Ok(vec![alone]), Ok(vec![beside])]);
    let work = Work::in_unit(format!("batches of {batch} arcs beside {question}"), Unit::ArcsPerSecond);
    bench.record(&[work], &both, vec![Ok(vec![vec![idle]]), Ok(vec![vec![busy]])]);
    Ok(())
}

/// Reads while a writer publishes batches; gives what reading does and the arcs that the writer changed in a second.
fn writing<T>(
    graph: &AnyGraph<()>,
    updates: &EdgeList,
    batch: usize,
    read: impl FnOnce() -> T,
) -> Result<(T, f64), GraphError> {
    let batches = batches(updates, (batch / 2).clamp(1, updates.len()), 2000);
    let (done, changed) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut inserting = true;
            while !done.load(Ordering::Relaxed) {
                for batch in batches.iter().take_while(|_| !done.load(Ordering::Relaxed)) {
                    if inserting {
                        graph.insert_list(batch)?
                    } else {
                        graph.delete_list(batch)?
                    };
                    drop(graph.publish());
                    changed.fetch_add(2 * batch.len(), Ordering::Relaxed);
                }
                inserting = !inserting;
            }
            // As it was before.
            batches.iter().try_for_each(|batch| graph.delete_list(batch).map(drop))
        });
        while changed.load(Ordering::Relaxed) == 0 && !writer.is_finished() {
            thread::yield_now();
        }
        let (begin, first) = (Instant::now(), changed.load(Ordering::Relaxed));
        let result = read();
        let rate = (changed.load(Ordering::Relaxed) - first) as f64 / begin.elapsed().as_secs_f64().max(1e-9);
        done.store(true, Ordering::Relaxed);
        writer.join().expect("the writer does not panic")?;
        Ok((result, rate))
    })
}
