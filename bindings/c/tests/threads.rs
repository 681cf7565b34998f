//! Many threads that change and read a graph at once.

mod support;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use pleach::runtime::SplitMix64;
use pleach_capi::*;
use support::*;

/// Edges with their weights, by their ends.
type Edges = BTreeMap<(u64, u64), f64>;

/// Ids in an order that has nothing to do with that of their insertion.
fn id(vertex: u64) -> u64 {
    vertex.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Every thread changes edges that are its own, at vertices that all threads share, and compares each outcome with a map.
fn work(graph: PleachGraph, thread: u64, threads: u64, steps: usize) -> Edges {
    let (mut edges, mut random) = (Edges::new(), SplitMix64(thread + 1));
    for step in 0..steps {
        let (a, b) = (random.below(40), random.below(40));
        // Each pair of vertices has one owner, whichever comes first.
        let owner = |b: u64| (a.min(b) * 40 + a.max(b)) % threads;
        let b = (0..40).map(|k| (b + k) % 40).find(|&b| owner(b) == thread);
        let Some(b) = b else { continue };
        let (from, to) = (id(a.min(b)), id(a.max(b)));
        let weight = 1.0 + random.below(100) as f64;
        let there = edges.contains_key(&(from, to));
        match random.below(8) {
            0..3 => {
                assert_eq!(insert(graph, from, to, weight), Ok(!there));
                edges.entry((from, to)).or_insert(weight);
            }
            3 => {
                assert_eq!(result(|new| pleach_graph_put_edge(graph, from, to, weight, new)), Ok(!there));
                edges.insert((from, to), weight);
            }
            4 => {
                assert_eq!(result(|found| pleach_graph_update_edge(graph, from, to, weight, found)), Ok(there));
                edges.entry((from, to)).and_modify(|old| *old = weight);
            }
            5 | 6 => {
                assert_eq!(result(|found| pleach_graph_delete_edge(graph, from, to, found)), Ok(there));
                edges.remove(&(from, to));
            }
            _ => {}
        }
        // The thread sees what it has written.
        if step % 3 == 0 {
            assert_eq!(support::weight(graph, from, to), edges.get(&(from, to)).copied());
        }
    }
    edges
}

/// All results of a snapshot, by vertex.
#[derive(Debug, PartialEq)]
struct Results {
    bfs: Vec<(u64, i64)>,
    wcc: Vec<(u64, u64)>,
    cdlp: Vec<(u64, u64)>,
    sssp: Vec<(u64, f64)>,
    lcc: Vec<(u64, f64)>,
    neighbors: Vec<Vec<(u64, f64)>>,
}

fn results(taken: PleachSnapshot) -> (Results, Vec<(u64, f64)>) {
    // SAFETY: the arrays have so many elements.
    unsafe {
        let bfs = by_vertex(taken, |out, len| pleach_snapshot_bfs(taken, id(1), out, len)).unwrap();
        let neighbors = bfs.iter().map(|&(vertex, _)| neighbors(taken, vertex, false)).collect();
        let results = Results {
            bfs,
            wcc: by_vertex(taken, |out, len| pleach_snapshot_wcc(taken, out, len)).unwrap(),
            cdlp: by_vertex(taken, |out, len| pleach_snapshot_cdlp(taken, 5, out, len)).unwrap(),
            sssp: by_vertex(taken, |out, len| pleach_snapshot_sssp(taken, id(1), out, len)).unwrap(),
            lcc: by_vertex(taken, |out, len| pleach_snapshot_lcc(taken, out, len)).unwrap(),
            neighbors,
        };
        (results, by_vertex(taken, |out, len| pleach_snapshot_pagerank(taken, 20, 0.85, out, len)).unwrap())
    }
}

/// With one thread and with 64, the graph is the one that is built from scratch of the edges that are left.
#[test]
fn changes_of_many_threads_are_those_of_each() {
    for (threads, directed) in [(1, true), (2, false), (7, true), (64, false), (64, true)] {
        let graph = new(directed, true);
        let all: Edges = thread::scope(|scope| {
            let handles: Vec<_> =
                (0..threads).map(|k| scope.spawn(move || work(graph, k, threads, 6000 / threads as usize))).collect();
            handles.into_iter().flat_map(|handle| handle.join().unwrap()).collect()
        });
        let taken = snapshot(graph);
        assert_eq!(result(|count| pleach_snapshot_num_edges(taken, count)), Ok(all.len() as u64));

        // From scratch, in the opposite order, so that vertices are numbered differently.
        let scratch = new(directed, true);
        let (mut from, mut to, mut weights) = (vec![], vec![], vec![]);
        for (&(a, b), &weight) in all.iter().rev() {
            from.push(a);
            to.push(b);
            weights.push(weight);
        }
        // SAFETY: the arrays are equally long.
        let new = result(|new| unsafe {
            pleach_graph_insert_edges(scratch, from.as_ptr(), to.as_ptr(), weights.as_ptr(), from.len(), new)
        });
        assert_eq!(new, Ok(all.len() as u64));
        let vertices = by_vertex(taken, |_: *mut u64, _| Status::Ok).unwrap();
        for (vertex, _) in vertices {
            assert_eq!(pleach_graph_insert_vertex(scratch, vertex, None), Status::Ok);
        }
        let expected = snapshot(scratch);
        let ((found, ranks), (expected_results, expected_ranks)) = (results(taken), results(expected));
        assert_eq!(found, expected_results);
        for ((vertex, rank), (other, expected)) in ranks.into_iter().zip(expected_ranks) {
            assert!(vertex == other && (rank - expected).abs() < 1e-12);
        }
        for taken in [taken, expected] {
            assert_eq!(pleach_snapshot_free(taken), Status::Ok);
        }
        for graph in [graph, scratch] {
            assert_eq!(pleach_graph_free(graph), Status::Ok);
        }
    }
}

/// Of threads that insert the same edge one is told that it is new, and of those that delete it one that it was there.
#[test]
fn each_edge_is_new_once() {
    let (threads, edges) = (16, 300);
    for weighted in [false, true] {
        let graph = new(false, weighted);
        for round in 0..3 {
            let count = AtomicUsize::new(0);
            let each = |call: &(dyn Fn(u64) -> bool + Sync)| {
                count.store(0, Ordering::Relaxed);
                thread::scope(|scope| {
                    for thread in 0..threads {
                        let count = &count;
                        scope.spawn(move || {
                            for k in 0..edges {
                                let edge = (k + thread * 31) % edges;
                                count.fetch_add(usize::from(call(edge)), Ordering::Relaxed);
                            }
                        });
                    }
                });
                count.load(Ordering::Relaxed)
            };
            let ends = |edge: u64| (edge, edge + 1 + round);
            let new = each(&|edge| insert(graph, ends(edge).0, ends(edge).1, 1.0).unwrap());
            let gone = each(&|edge| {
                result(|there| pleach_graph_delete_edge(graph, ends(edge).1, ends(edge).0, there)).unwrap()
            });
            assert_eq!((new, gone), (edges as usize, edges as usize));
        }
        assert_eq!(result(|count| pleach_graph_num_edges(graph, count)), Ok(0));
        assert_eq!(pleach_graph_free(graph), Status::Ok);
    }
}

/// Threads that use a graph while it is freed succeed, or are told that it is gone; and snapshots of it stay.
#[test]
fn a_graph_may_be_freed_while_it_is_used() {
    for _ in 0..20 {
        let graph = new(true, true);
        insert(graph, 0, 1, 1.0).unwrap();
        let taken = snapshot(graph);
        thread::scope(|scope| {
            for thread in 0..4u64 {
                scope.spawn(move || {
                    for k in 0.. {
                        match insert(graph, thread, k, 1.0) {
                            Ok(_) => {}
                            Err(status) => return assert_eq!(status, Status::BadHandle),
                        }
                    }
                });
            }
            thread::yield_now();
            assert_eq!(pleach_graph_free(graph), Status::Ok);
        });
        assert_eq!(neighbors(taken, 0, false), [(1, 1.0)]);
        assert_eq!(pleach_snapshot_free(taken), Status::Ok);
    }
}

/// Snapshots of changing graphs are whole: each pair of edges that a thread inserts as one batch is there, or is not.
#[test]
fn snapshots_hold_whole_batches() {
    let graph = new(true, false);
    let done = AtomicUsize::new(0);
    thread::scope(|scope| {
        for thread in 0..4u64 {
            let done = &done;
            scope.spawn(move || {
                for k in 0..200 {
                    let (from, to) = ([thread, 1000 * (thread + 1) + k], [1000 * (thread + 1) + k, thread]);
                    // SAFETY: both arrays have two elements.
                    let new = result(|new| unsafe {
                        pleach_graph_insert_edges(graph, from.as_ptr(), to.as_ptr(), std::ptr::null(), 2, new)
                    });
                    assert_eq!(new, Ok(2));
                    assert_eq!(insert(graph, 500 + thread, 600 + k, 1.0), Ok(true));
                }
                done.fetch_add(1, Ordering::Release);
            });
        }
        while done.load(Ordering::Acquire) < 4 {
            let taken = snapshot(graph);
            for thread in 0..4 {
                if result(|there| pleach_snapshot_has_vertex(taken, thread, there)) == Ok(true) {
                    assert_eq!(neighbors(taken, thread, false), neighbors(taken, thread, true));
                }
            }
            assert_eq!(pleach_snapshot_free(taken), Status::Ok);
        }
    });
    assert_eq!(result(|count| pleach_graph_num_edges(graph, count)), Ok(4 * 200 * 3));
    assert_eq!(pleach_graph_free(graph), Status::Ok);
}
