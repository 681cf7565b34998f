//! No call waits for ever: commits and snapshots within parallel jobs, beside pools whose workers are all busy, on few workers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pleach::graph::{Graph, GraphOptions, Update};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::FULL;

/// How long a test may hang before it counts as stuck.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs a test, and fails if it has not ended after a long while.
pub fn watched(what: &str, test: impl FnOnce() + Send + 'static) {
    let (done, wait) = channel();
    let running = thread::spawn(move || {
        test();
        let _ = done.send(());
    });
    match wait.recv_timeout(PATIENCE) {
        Err(RecvTimeoutError::Timeout) => panic!("{what} is stuck"),
        // Done, or panicked.
        _ => running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
    }
}

/// Batches that come while a pool waits for versions.
const BATCHES: u32 = if FULL { 20 } else { 8 };

/// Arcs of a batch that is applied by several threads.
const LARGE: u32 = if cfg!(miri) { 4 } else { 3000 };

fn workers(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// Every number of workers, and of threads that apply batches.
fn each(test: impl Fn(ThreadPool, usize) + Clone + Send + 'static, what: &str) {
    for threads in [1, 2, 4] {
        for applying in [0, 1, 2] {
            let test = test.clone();
            watched(&format!("{what} on {threads} workers, {applying} that apply"), move || {
                test(workers(threads), applying);
            });
        }
    }
}

fn batch(k: u32) -> impl Iterator<Item = Update> {
    (0..LARGE).map(move |j| Update::insert((j, k * LARGE + j * 7 % LARGE)))
}

#[test]
fn commits_and_snapshots_inside_of_parallel_jobs() {
    each(
        |pool, threads| {
            let graph: Graph = Graph::new(GraphOptions::undirected().with_threads(threads));
            pool.install(|| {
                (0..24u32).into_par_iter().with_max_len(1).for_each(|k| {
                    if k % 3 == 0 {
                        let prepared = graph.prepare(batch(k)).unwrap();
                        let applied = graph.commit(prepared).unwrap();
                        assert!(graph.fresh().version() >= applied.version);
                    } else if k % 3 == 1 {
                        graph.insert([(k, k + 1)]).unwrap();
                        graph.latest();
                    } else {
                        graph.fresh();
                        graph.remove_vertex(k).unwrap();
                        graph.publish();
                    }
                });
            });
            let snapshot = graph.fresh();
            snapshot.audit().unwrap();
            assert_eq!(snapshot.version(), 24);
        },
        "committing inside of a parallel job",
    );
}

/// All workers of a pool wait for versions, while batches come from outside of it.
#[test]
fn a_pool_that_only_waits() {
    each(
        |pool, threads| {
            let graph: Graph = Graph::new(GraphOptions::default().with_threads(threads));
            let done = AtomicBool::new(false);
            thread::scope(|scope| {
                let (graph, done, workers) = (&graph, &done, pool.current_num_threads());
                scope.spawn(move || {
                    pool.scope(|scope| {
                        for _ in 0..workers {
                            scope.spawn(|_| {
                                let mut last = 0;
                                while !done.load(Ordering::Relaxed) {
                                    let version = graph.fresh().version();
                                    assert!(version >= last);
                                    last = version;
                                }
                            });
                        }
                    });
                });
                for k in 0..BATCHES {
                    graph.apply(batch(k)).unwrap();
                }
                done.store(true, Ordering::Relaxed);
            });
            assert_eq!(graph.fresh().version(), u64::from(BATCHES));
        },
        "a pool that waits for versions",
    );
}

/// A batch does not wait for a search: every worker of the caller's pool runs one that ends only after the batch.
#[test]
fn a_batch_beside_long_searches() {
    each(
        |pool, threads| {
            let graph: Arc<Graph> = Arc::new(Graph::new(GraphOptions::default().with_threads(threads)));
            let searches = pool.current_num_threads();
            pool.scope(|scope| {
                // The last one writes: with a single worker, no other thread can.
                for k in 0..searches {
                    let graph = graph.clone();
                    scope.spawn(move |_| {
                        if k + 1 == searches {
                            graph.apply(batch(0)).unwrap();
                        }
                        while graph.fresh().version() == 0 {
                            thread::yield_now();
                        }
                    });
                }
            });
            assert_eq!(graph.fresh().version(), 1);
        },
        "a batch beside searches",
    );
}
