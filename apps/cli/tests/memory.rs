//! What updates allocate and what snapshots keep, by jemalloc's own statistics.
//!
//! The statistics are those of the process, and count what threads keep in their caches as allocated: each test runs in a process
//! of its own, without such caches.
#![allow(missing_docs)]

use std::process::Command;

use jemallocator::Jemalloc;
use pleach::EdgeList;
use pleach::graph::{Graph, GraphOptions, settle};
use pleach::runtime::pool::{stats, trim};
use pleach::runtime::{BuildOuter, Dense, Nested, Packed, PackedDelta, Paged, Store, UpdateOuter};
use pleach::stores::{Bst, Btree, Ctree};
use pleach::traverse::DynRows;

#[global_allocator]
static GLOBAL: Jemalloc = Jemalloc;

/// Whether tests run at their full size, as by night.
const FULL: bool = option_env!("PLEACH_FULL_SIZE").is_some();

/// Runs a test's body in a process of its own, whose threads cache nothing. Returns without running it in the first process, where
/// the other one's failure is the test's.
fn alone(test: &str, body: impl FnOnce()) {
    alone_with(test, "tcache:false", || {
        assert!(!jemalloc_ctl::opt::tcache::read().expect("an option that is always there"), "threads have caches");
        body();
    });
}

/// The same with options of the allocator.
fn alone_with(test: &str, options: &str, body: impl FnOnce()) {
    const OPTIONS: &str = "_RJEM_MALLOC_CONF";
    if std::env::var_os(OPTIONS).is_some() {
        return body();
    }
    let mut child = Command::new(std::env::current_exe().expect("a test is a file"));
    let output = child.args([test, "--exact", "--test-threads=1"]).env(OPTIONS, options).output();
    let output = output.expect("a test can run itself");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

/// Bytes that are allocated now.
fn allocated() -> usize {
    settle();
    // What the node pool keeps for later requests is nobody's.
    rayon::broadcast(|_| trim());
    trim();
    jemalloc_ctl::epoch::advance().expect("statistics are compiled in");
    jemalloc_ctl::stats::allocated::read().expect("statistics are compiled in")
}

/// Bytes of a chunk of the node pool.
const CHUNK: u64 = 1 << 21;

/// Bytes that this thread allocates in `f`, whatever it frees but nodes of the pool, which count by what is more in the end, and
/// but for the memory of the pool itself.
fn allocates(f: impl FnOnce()) -> u64 {
    // Versions retired before would be freed meanwhile.
    settle();
    let mine = jemalloc_ctl::thread::allocatedp::read().expect("statistics are compiled in");
    let (before, nodes) = (mine.get(), stats());
    f();
    let (after, more) = (mine.get(), stats());
    let chunks = more.chunks.saturating_sub(nodes.chunks) as u64 * CHUNK;
    (after - before).saturating_sub(chunks) + more.requested.saturating_sub(nodes.requested) as u64
}

/// A pseudo-random number below `n` for each `k`.
fn scattered(k: u64, n: u64) -> u32 {
    let bits = k.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((u128::from(bits ^ bits >> 29) * u128::from(n)) >> 64) as u32
}

/// A graph of `2^scale` vertices with four arcs each.
fn graph<R, O>(scale: u32) -> Graph<R>
where
    R: Store<Coord = u32, Value = ()>,
    O: BuildOuter<R> + UpdateOuter<R> + 'static,
{
    let n = 1u64 << scale;
    let mut edges = EdgeList::new(n as usize, n as usize);
    for k in 0..2 * n {
        edges.push(scattered(3 * k, n), scattered(3 * k + 1, n), ());
    }
    Graph::from_edges::<O>(edges, GraphOptions::undirected()).expect("the edges are in range").0
}

fn batch(scale: u32, seed: u64) -> impl Iterator<Item = (u32, u32)> {
    (0..10).map(move |k| (scattered(seed + 5 * k, 1 << scale), scattered(seed + 5 * k + 2, 1 << scale)))
}

#[test]
fn memory_returns_when_snapshots_are_dropped() {
    alone("memory_returns_when_snapshots_are_dropped", || {
        let nothing = allocated();
        let scale = 18;
        let graph = graph::<Packed<u32, ()>, Paged<_>>(scale);
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
        assert!(
            after.abs_diff(before) <= before / 100,
            "{before} bytes before, {full} with snapshots, {after} without"
        );
        drop(graph);
        let left = allocated();
        assert!(
            left <= nothing + before.saturating_sub(nothing) / 4,
            "a dropped graph is freed: {nothing} bytes, {before} with it, {left} without"
        );
    });
}

/// Nobody publishes: the last reader's leaving is enough.
#[test]
fn memory_returns_when_the_last_reader_leaves() {
    alone("memory_returns_when_the_last_reader_leaves", || {
        let scale = 16;
        let graph = graph::<Packed<u32, ()>, Paged<_>>(scale);
        let all = |seed: u64| (0..2000).flat_map(move |k| batch(scale, seed + 50 * k));
        // Pages that grew once stay as large as they have become.
        graph.insert(all(1)).unwrap();
        graph.delete(all(1)).unwrap();
        graph.publish();
        let before = allocated();
        let held = [graph.fresh(), graph.latest()];
        graph.insert(all(1)).unwrap();
        graph.delete(all(1)).unwrap();
        let full = allocated();
        drop(held);
        let after = allocated();
        assert!(full > before + before / 3, "what two snapshots keep takes memory: {before} bytes, then {full}");
        assert!(
            after.abs_diff(before) <= before / 100,
            "{before} bytes before, {full} with snapshots, {after} without"
        );
    });
}

/// The bytes that a batch of ten edges allocates: in place, and with a snapshot held.
fn ten_edges<R, O>(scale: u32) -> [u64; 2]
where
    R: Store<Coord = u32, Value = ()>,
    O: BuildOuter<R> + UpdateOuter<R> + 'static,
{
    let graph = graph::<R, O>(scale);
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

/// A pair of levels of each kind: pages of packed rows, plain and coded, and of trees; trees of rows as in Aspen, as in PAM and as in a
/// database.
#[test]
fn the_cost_of_a_batch_does_not_grow_with_the_graph() {
    alone("the_cost_of_a_batch_does_not_grow_with_the_graph", || {
        type TenEdges = fn(u32) -> [u64; 2];
        let pairs: [(&str, TenEdges); 6] = [
            ("paged,packed", ten_edges::<Packed<u32, ()>, Paged<_>>),
            ("paged,packed_delta", ten_edges::<PackedDelta<u32, ()>, Paged<_>>),
            ("paged,btree", ten_edges::<Btree<()>, Paged<_>>),
            ("bst,ctree", ten_edges::<Ctree<()>, Nested<Bst<_>>>),
            ("bst,bst", ten_edges::<Bst<()>, Nested<Bst<_>>>),
            ("btree,packed", ten_edges::<Packed<u32, ()>, Nested<Btree<_>>>),
        ];
        let scale = if FULL { 20 } else { 17 };
        for (pair, ten_edges) in pairs {
            let ([_, small], large) = (ten_edges(14), ten_edges(scale));
            // With a snapshot held every batch copies what it touches. Without one it copies what was not written since the graph was
            // built, which at scale 14 is soon nothing: what can be asked is that it never costs more.
            for large in large {
                assert!(large <= 2 * small, "{pair}: {small} bytes at scale 14, {large} at scale {scale}");
            }
        }
        // An array of pages is copied, one pointer for each 64 rows, once after each publication, and never in place.
        let ([small, _], [in_place, published]) =
            (ten_edges::<Packed<u32, ()>, Dense<_>>(14), ten_edges::<Packed<u32, ()>, Dense<_>>(scale));
        assert!(published < small.max(60_000) + (8u64 << scale) / 64, "{small}, then {in_place} and {published} bytes");
    });
}

/// From lines to a batch that is ready to be applied, updates lie in columns: the lines become columns, and these are sorted as they are.
/// Updates one by one become columns first.
#[test]
fn a_stream_is_prepared_in_columns() {
    alone("a_stream_is_prepared_in_columns", || {
        use pleach::graph::{Grouping, Ids};
        use pleach_datasets::batches::{BatchOptions, Batches};
        use pleach_datasets::stream::{EdgeStream, StreamOptions};

        const LINES: usize = 1 << 16;
        let text: String =
            (0..LINES as u64).map(|k| format!("{} {}\n", scattered(2 * k, 4096), scattered(2 * k + 1, 4096))).collect();
        let graph = Graph::<Packed<u32, ()>>::below::<Paged<_>>(GraphOptions::default());
        let (ids, pool) = (Ids::<u64>::new(), rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap());
        (0..4096).for_each(|id| assert_eq!(ids.intern(&id), Ok(id as u32)));
        let read = || {
            let stream = EdgeStream::new("lines", std::io::Cursor::new(text.clone()), StreamOptions::default());
            Batches::<()>::new(stream, &ids, BatchOptions::new(Grouping::Count(LINES.try_into().unwrap())))
        };
        pool.install(|| {
            let mut batches = read();
            let (mut columns, mut kept) = (None, None);
            let reads = allocates(|| columns = batches.next());
            let columns = columns.unwrap().unwrap().updates;
            assert_eq!(columns.len(), LINES);
            // Two columns of 4 bytes and one of 1 byte, which grow to twice as much each time.
            assert!(reads as usize <= 2 * 9 * LINES * 5 / 4, "{reads} bytes for {LINES} lines");
            let one_by_one: Vec<_> = columns.iter().collect();
            let by_columns = allocates(|| kept = Some(graph.prepare_list(columns)));
            drop(kept.take().unwrap().unwrap());
            let by_updates = allocates(|| kept = Some(graph.prepare(one_by_one)));
            drop(kept.take().unwrap().unwrap());
            assert!(by_columns + 8 * LINES as u64 <= by_updates, "{by_columns} and {by_updates} bytes");
        });
    });
}

#[test]
fn one_edge_into_a_huge_row_copies_a_path() {
    alone("one_edge_into_a_huge_row_copies_a_path", || {
        let options = GraphOptions::default().with_incoming(false);
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
    });
}

/// Views of a graph under other numbers and without directions keep a number for each vertex, and nothing for an arc.
#[test]
fn views_are_no_copies() {
    alone("views_are_no_copies", || {
        let n = 1u32 << 12;
        let graph: Graph = Graph::new(GraphOptions::default());
        graph
            .insert((0..64 * u64::from(n)).map(|k| (scattered(2 * k, n.into()), scattered(2 * k + 1, n.into()))))
            .unwrap();
        let snapshot = graph.fresh();
        let (out, incoming) = (snapshot.matrix(), snapshot.incoming().unwrap());
        let order: Vec<u32> = (0..n).rev().collect();
        let view = || {
            let symmetric = DynRows::symmetric(DynRows::direct(out), DynRows::direct(incoming));
            symmetric.renumbered(&order, &order)
        };
        // Threads of the pool keep what they need from the first time on.
        drop(view());
        let before = allocated();
        let view = view();
        let bytes = allocated() - before;
        assert!(bytes < 8 * n as usize, "{bytes} bytes for {n} vertices and {} arcs", snapshot.num_arcs());
        assert!(pleach::Rows::nnz(&view) > snapshot.num_arcs() as usize);
    });
}

/// Bytes of memory that the process has.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("Linux says it");
    pages.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).expect("the second number") * 4096
}

/// After two million insertions and deletions and the drop of the graph its memory goes back to the system, with no call by the program:
/// the allocator's own thread, which the command starts, gives it back when it has not been used for so long as the options say.
#[test]
#[cfg(target_os = "linux")]
fn a_dropped_graph_goes_back_to_the_system() {
    alone_with("a_dropped_graph_goes_back_to_the_system", "dirty_decay_ms:200,muzzy_decay_ms:0", || {
        pleach_apps::prepare_allocator();
        // What the pools of threads take they keep.
        let some = Graph::<Packed<u32, ()>>::new(GraphOptions::default());
        some.insert((0..100_000).map(|k| (scattered(2 * k, 1000), scattered(2 * k + 1, 1000)))).unwrap();
        drop(some);
        settle();
        let before = resident();
        let graph: Graph = Graph::new(GraphOptions::default());
        let edges = |part: u64| {
            (0..200_000).map(move |k| (scattered(2 * (k + part), 1 << 18), scattered(2 * (k + part) + 1, 1 << 18)))
        };
        for part in 0..10 {
            graph.insert(edges(200_000 * part)).unwrap();
        }
        let full = resident();
        for part in 0..10 {
            graph.delete(edges(200_000 * part)).unwrap();
        }
        assert_eq!(graph.fresh().num_edges(), 0);
        drop(graph);
        settle();
        let begin = std::time::Instant::now();
        let mut after = resident();
        while after > before + (full - before) / 4 && begin.elapsed().as_secs() < 60 {
            std::thread::sleep(std::time::Duration::from_millis(50));
            after = resident();
        }
        let mib = |bytes: usize| bytes >> 20;
        println!("{} MiB before, {} with two million arcs, {} after", mib(before), mib(full), mib(after));
        assert!(full > before + (20 << 20), "{before} bytes, then {full}");
        assert!(after <= before + (full - before) / 4, "{before} bytes before, {full} with the graph, {after} without");
    });
}
