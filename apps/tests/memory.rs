//! What updates allocate and what snapshots keep, by jemalloc's own statistics.
#![allow(missing_docs)]

use std::sync::Mutex;

use jemallocator::Jemalloc;
use pleach::EdgeList;
use pleach::graph::{Graph, GraphOptions, settle};
use pleach::runtime::pool::trim;
use pleach::runtime::{Packed, PackedDelta, Paged, Store};

#[global_allocator]
static GLOBAL: Jemalloc = Jemalloc;

/// Held by each test, since the statistics are those of the process.
static ALONE: Mutex<()> = Mutex::new(());

/// Bytes that are allocated now.
fn allocated() -> usize {
    settle();
    // What the node pool keeps for later requests is nobody's.
    rayon::broadcast(|_| trim());
    trim();
    jemalloc_ctl::epoch::advance().expect("statistics are compiled in");
    jemalloc_ctl::stats::allocated::read().expect("statistics are compiled in")
}

/// Bytes that this thread allocates in `f`, whatever it frees.
fn allocates(f: impl FnOnce()) -> u64 {
    let mine = jemalloc_ctl::thread::allocatedp::read().expect("statistics are compiled in");
    let before = mine.get();
    f();
    mine.get() - before
}

/// A pseudo-random number below `n` for each `k`.
fn scattered(k: u64, n: u64) -> u32 {
    let bits = k.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((u128::from(bits ^ bits >> 29) * u128::from(n)) >> 64) as u32
}

/// A graph of `2^scale` vertices with four arcs each.
fn graph<R: Store<Coord = u32, Value = ()>>(scale: u32) -> Graph<R> {
    let n = 1u64 << scale;
    let mut edges = EdgeList::new(n as usize, n as usize);
    for k in 0..2 * n {
        edges.push(scattered(3 * k, n), scattered(3 * k + 1, n), ());
    }
    Graph::from_edges::<Paged<_>>(edges, GraphOptions::undirected()).expect("the edges are in range").0
}

fn batch(scale: u32, seed: u64) -> impl Iterator<Item = (u32, u32)> {
    (0..10).map(move |k| (scattered(seed + 5 * k, 1 << scale), scattered(seed + 5 * k + 2, 1 << scale)))
}

#[test]
fn memory_returns_when_snapshots_are_dropped() {
    let _alone = ALONE.lock();
    let nothing = allocated();
    let scale = 18;
    let graph = graph::<Packed<u32, ()>>(scale);
    let round = |held: &mut Vec<_>| {
        for seed in 0..200 {
            graph.insert(batch(scale, 1000 * seed)).unwrap();
            held.push(graph.fresh());
        }
        for seed in 0..200 {
            graph.delete(batch(scale, 1000 * seed)).unwrap();
            held.push(graph.fresh());
        }
    };
    // Pages that grew and shrank once stay as large as they have become.
    let mut held = Vec::new();
    round(&mut held);
    held.clear();
    graph.publish();
    let before = allocated();
    round(&mut held);
    graph.publish();
    let full = allocated();
    held.clear();
    let after = allocated();
    assert!(full > before + before / 2, "400 snapshots take memory: {before} bytes, then {full}");
    // It may also be less than before: a page that was copied is as large as what it holds.
    assert!(after <= before + before / 50, "{before} bytes before, {full} with snapshots, {after} without");
    drop(graph);
    let left = allocated();
    assert!(
        left <= nothing + before.saturating_sub(nothing) / 4,
        "a dropped graph is freed: {nothing} bytes, {before} with it, {left} without"
    );
}

/// The bytes that a batch of ten edges allocates: in place, and with a snapshot held.
fn ten_edges<R: Store<Coord = u32, Value = ()>>(scale: u32) -> [u64; 2] {
    let graph = graph::<R>(scale);
    graph.insert(batch(scale, 77)).unwrap();
    let bytes = |held: bool| {
        let mut sum = 0;
        for seed in 0..50 {
            let _snapshot = held.then(|| graph.fresh());
            sum += allocates(|| {
                graph.insert(batch(scale, 1000 * seed + u64::from(held))).unwrap();
            });
        }
        sum / 50
    };
    [bytes(false), bytes(true)]
}

#[test]
fn the_cost_of_a_batch_does_not_grow_with_the_graph() {
    let _alone = ALONE.lock();
    for (small, large) in [
        (ten_edges::<Packed<u32, ()>>(14), ten_edges::<Packed<u32, ()>>(20)),
        (ten_edges::<PackedDelta<u32, ()>>(14), ten_edges::<PackedDelta<u32, ()>>(20)),
    ] {
        // With a snapshot held every batch copies the pages it touches. Without one it copies those that were not written since
        // the graph was built, which at scale 14 are soon none: what can be asked is that it never costs more.
        let [_, small] = small;
        for large in large {
            assert!(large <= 2 * small, "{small} bytes at scale 14, {large} at scale 20");
        }
    }
}

#[test]
fn one_edge_into_a_huge_row_copies_a_path() {
    let _alone = ALONE.lock();
    let options = GraphOptions { incoming: false, ..GraphOptions::default() };
    let star = |n: u32| {
        let graph = Graph::<Packed<u32, ()>>::below::<Paged<_>>(options);
        graph.insert((0..n).map(|k| (0, 2 * k))).unwrap();
        let _snapshot = graph.fresh();
        let bytes = allocates(|| {
            graph.insert_edge(0, n + 1, ()).unwrap();
        });
        assert_eq!(graph.fresh().out_degree(0), n as usize + 1);
        bytes
    };
    // A block and a few nodes of 64 children: the same for a thousand times as many arcs, but for one or two more levels.
    let (small, large) = (star(1_000), star(1_000_000));
    assert!(large < small + 2 * 4096 && large < 20_000, "{small} bytes for a thousand, {large} for a million");
}
