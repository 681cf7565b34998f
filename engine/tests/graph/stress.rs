//! Many readers beside a writer: every snapshot is whole, none changes, and their order is total.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use pleach::Rows;
use pleach::graph::{GraphOptions, Publish, Snapshot, Update, WeightedGraph};
use pleach::runtime::Packed;

use crate::FULL;

/// A full size, which is that of tests by night, or a small one. An interpreter that looks for undefined behaviour and data races has sizes of its
/// own, some hundred times less.
const fn sized(interpreted: [u64; 2], native: [u64; 2]) -> u64 {
    let [full, small] = if cfg!(miri) { interpreted } else { native };
    if FULL { full } else { small }
}

/// Vertices of the graph.
const VERTICES: u32 = sized([50, 15], [400, 400]) as u32;

/// Readers beside the writer; the last one audits.
const READERS: usize = if cfg!(miri) { 2 } else { 6 };

/// Batches that the writer applies.
const BATCHES: u64 = sized([6, 4], [400, 150]);

/// Batch `n` puts weight `n` on each of these edges, and moves one more edge on: a snapshot that holds half of a batch shows.
fn batch(n: u64) -> impl Iterator<Item = Update<u64>> {
    let marks = (0..VERTICES).step_by(7).map(move |k| Update::insert((k, (k + 31) % VERTICES, n)));
    let moving = |n: u64| (VERTICES + (n % 1000) as u32, (n * 37 % 100) as u32);
    let (from, to) = moving(n);
    let moved = std::iter::once(Update::insert((from, to, n)));
    let old = (n > 1).then(|| moving(n - 1)).map(|(from, to)| Update::delete(from, to));
    marks.chain(old).chain(moved)
}

/// A checksum of all arcs, through the rows.
fn checksum(snapshot: &Snapshot<Packed<u32, u64>>) -> u64 {
    let mut sum = 0u64;
    snapshot.rows(|from, row| {
        sum = pleach::runtime::Fiber::fold_runs(row, sum, |sum, run| {
            run.iter().fold(sum, |sum, (to, weight)| {
                sum.wrapping_mul(31).wrapping_add(from as u64 ^ u64::from(to) << 20 ^ weight << 40)
            })
        });
    });
    sum
}

/// What a snapshot of version `n` must show.
fn check(snapshot: &Snapshot<Packed<u32, u64>>) {
    let n = snapshot.version();
    let mut marks = 0;
    for (from, _, &weight) in snapshot.arcs() {
        assert_eq!(weight, n, "version {n} holds an arc of another batch");
        marks += u64::from(from < VERTICES);
    }
    if n > 0 {
        assert_eq!((marks, snapshot.num_edges()), (u64::from(VERTICES.div_ceil(7)), marks + 1));
    }
}

#[test]
fn readers_beside_a_writer() {
    for publish in [Publish::WhenAsked, Publish::EveryBatch, Publish::OnDemand] {
        let graph = WeightedGraph::<u64>::new(GraphOptions::default().with_publish(publish));
        let (done, applied) = (AtomicBool::new(false), AtomicU64::new(0));
        thread::scope(|scope| {
            for reader in 0..READERS {
                let (graph, done, applied) = (&graph, &done, &applied);
                scope.spawn(move || {
                    let (mut last, mut held) = (0, Vec::new());
                    while !done.load(Ordering::Relaxed) {
                        let before = applied.load(Ordering::SeqCst);
                        let snapshot = if reader % 2 == 0 { graph.latest() } else { graph.fresh() };
                        assert!(snapshot.version() >= last, "versions never go back");
                        if reader % 2 == 1 {
                            assert!(snapshot.version() >= before, "a fresh version holds what was applied before");
                        }
                        last = snapshot.version();
                        check(&snapshot);
                        if reader == READERS - 1 && last % 10 == 0 {
                            snapshot.audit().unwrap();
                        }
                        held.push((checksum(&snapshot), snapshot));
                        if held.len() > 8 {
                            let (sum, snapshot) = held.swap_remove(last as usize % 8);
                            assert_eq!(sum, checksum(&snapshot), "a snapshot does not change");
                        }
                    }
                    for (sum, snapshot) in held {
                        assert_eq!(sum, checksum(&snapshot), "a snapshot does not change");
                    }
                });
            }
            for n in 1..=BATCHES {
                assert_eq!(graph.apply(batch(n)).unwrap().version, n);
                applied.store(n, Ordering::SeqCst);
            }
            done.store(true, Ordering::Relaxed);
        });
        check(&graph.fresh());
        graph.fresh().audit().unwrap();
    }
}

/// Edges that each of several writers inserts: many enough for its row to leave the page.
const EACH: u32 = sized([4, 2], [300, 300]) as u32;

/// Writers on several threads wait for one another; nothing is lost.
#[test]
fn several_writers() {
    let graph = WeightedGraph::<u64>::new(GraphOptions::undirected());
    thread::scope(|scope| {
        for writer in 0..4u32 {
            let graph = &graph;
            scope.spawn(move || {
                for k in 0..EACH {
                    graph.insert([(writer, 10 + k, 1)]).unwrap();
                    assert!(graph.fresh().has_edge(10 + k, writer), "a writer reads what it wrote");
                }
            });
        }
    });
    let snapshot = graph.fresh();
    snapshot.audit().unwrap();
    assert_eq!((snapshot.num_edges(), snapshot.version()), (4 * u64::from(EACH), 4 * u64::from(EACH)));
}
