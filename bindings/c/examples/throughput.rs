//! Edges that threads insert one by one: through the C interface, which makes batches of calls that come at once, and through a mutex
//! around a graph, a batch for each edge. Both in turn, on the same edges; medians of five rounds.
//!
//! `cargo run --release -p pleach-capi --example throughput`

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use pleach::graph::{Conflict, GraphOptions, Ids, WeightedGraph};
use pleach::runtime::SplitMix64;
use pleach_capi::{PleachGraph, Status, pleach_graph_free, pleach_graph_insert_edge, pleach_graph_new};

const EDGES: usize = 400_000;
const VERTICES: u64 = 1 << 17;
const ROUNDS: usize = 5;

/// Hands the edges out to threads, in pieces, and returns how many are inserted a second.
fn rate(threads: usize, edges: &[(u64, u64)], insert: impl Fn(u64, u64) + Sync) -> f64 {
    let next = AtomicUsize::new(0);
    let begin = Instant::now();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(piece) = edges.chunks(1 << 10).nth(next.fetch_add(1, Ordering::Relaxed)) {
                    piece.iter().for_each(|&(from, to)| insert(from, to));
                }
            });
        }
    });
    edges.len() as f64 / begin.elapsed().as_secs_f64()
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

fn main() {
    let mut random = SplitMix64(1);
    let edges: Vec<(u64, u64)> = (0..EDGES).map(|_| (random.below(VERTICES), random.below(VERTICES))).collect();
    println!("{:>8}{:>16}{:>16}{:>8}", "threads", "interface/s", "mutex/s", "ratio");
    for threads in [1, 2, 4, 16, 64] {
        let (mut ours, mut mutex) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let mut graph = std::mem::MaybeUninit::new(PleachGraph { id: 0 });
            assert_eq!(pleach_graph_new(false, true, Some(&mut graph)), Status::Ok);
            // SAFETY: it was initialised from the start.
            let graph = unsafe { graph.assume_init() };
            ours.push(rate(threads, &edges, |from, to| {
                assert_eq!(pleach_graph_insert_edge(graph, from, to, 1.0, None), Status::Ok);
            }));
            assert_eq!(pleach_graph_free(graph), Status::Ok);

            let options = GraphOptions::undirected().with_conflict(Conflict::First);
            let (graph, ids) = (Mutex::new(WeightedGraph::<f64>::new(options)), Ids::<u64>::new());
            mutex.push(rate(threads, &edges, |from, to| {
                let (from, to) = (ids.intern(&from).expect("there is room"), ids.intern(&to).expect("there is room"));
                let graph = graph.lock().expect("no thread panics");
                graph.insert_edge(from, to, 1.0).expect("there is memory");
            }));
        }
        let (ours, mutex) = (median(ours), median(mutex));
        println!("{threads:>8}{ours:>16.3e}{mutex:>16.3e}{:>8.2}", ours / mutex);
    }
}
