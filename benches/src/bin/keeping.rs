//! What it costs to keep a graph in a directory: logging beside applying, reading a checkpoint, comparing two versions.
//!
//! `cargo run --release -p pleach-benches --bin keeping [-- GRAPH [DIRECTORY]]`
//!
//! The same batches go into a graph in memory and into one that is kept, in turn, in one process. A checkpoint is read from the memory of
//! the system, as it is after it was written. The directory is a temporary one unless it is named: figures of logging are those of its disk.

use std::hint::black_box;
use std::time::{Duration, Instant};

use pleach::EdgeList;
use pleach::graph::{GraphOptions, Prepared, Update};
use pleach_datasets::{Options, open};
use pleach_erased::{AnyGraph, StoreName};
use pleach_log::{Durable, Sync, VertexIds};

#[global_allocator]
static GLOBAL: jemallocator::Jemalloc = jemallocator::Jemalloc;

/// Each figure is the median of so many.
const ROUNDS: usize = 9;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "rmat20".to_owned());
    let folder = match arguments.next() {
        Some(path) => tempfile::tempdir_in(path)?,
        None => tempfile::tempdir()?,
    };
    let input = open(&name, &Options::default())?;
    let edges = input.edges.into_pattern();
    println!("{name}, {} threads, medians of {ROUNDS}", rayon::current_num_threads());
    for directed in [false, true] {
        println!("{}", if directed { "directed, with in-arcs" } else { "undirected" });
        logging(&edges, directed, &folder.path().join(format!("log-{directed}")))?;
        checkpoints(&edges, directed, &folder.path().join(format!("checkpoint-{directed}")))?;
        differences(&edges, directed)?;
    }
    Ok(())
}

fn graph(edges: &EdgeList, directed: bool) -> Outcome<AnyGraph<()>> {
    let options = GraphOptions::default().with_directed(directed);
    Ok(AnyGraph::from_edges(&"graph".parse::<StoreName>()?, edges.clone(), options)?.0)
}

fn keep(edges: &EdgeList, directed: bool, path: &std::path::Path, sync: Sync) -> Outcome<Durable> {
    let graph = graph(edges, directed)?;
    let options = pleach_log::Options::of(*graph.options()).with_sync(sync).with_checkpoint_bytes(None);
    Ok(pleach_log::create(path, graph, VertexIds::None, options)?)
}

fn median(mut all: Vec<Duration>) -> Duration {
    all.sort_unstable();
    all[all.len() / 2]
}

/// Random edges among the vertices of a graph.
struct Edges {
    state: u64,
    vertices: u64,
}

impl Edges {
    fn next(&mut self) -> (u32, u32) {
        let mut below = |n: u64| {
            self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((u128::from(self.state) * u128::from(n)) >> 64) as u32
        };
        (below(self.vertices), below(self.vertices))
    }
}

fn logging(edges: &EdgeList, directed: bool, path: &std::path::Path) -> Outcome<()> {
    let plain = graph(edges, directed)?;
    let every = Sync::Every(Duration::from_millis(100));
    let kept = keep(edges, directed, &path.join("every"), every)?;
    let mut random = Edges { state: 1, vertices: edges.num_rows as u64 };
    println!("  {:<24} {:>12} {:>12} {:>8}", "edges in a batch", "applied", "and logged", "ratio");
    for size in [1_000, 10_000, 100_000, 1_000_000] {
        // Small batches come in rows, so that a clock does not disturb them.
        let batches = (100_000 / size).max(1);
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            let updates: Vec<Vec<Update>> =
                (0..batches).map(|_| (0..size).map(|_| Update::insert(random.next())).collect()).collect();
            let prepared = || -> Outcome<Vec<Prepared>> {
                updates.iter().map(|batch| Ok(plain.prepare(batch.iter().copied())?)).collect()
            };
            let (first, second) = (prepared()?, prepared()?);
            let begin = Instant::now();
            for batch in first {
                plain.commit(batch)?;
            }
            times[0].push(begin.elapsed() / batches as u32);
            let begin = Instant::now();
            for batch in second {
                kept.commit(batch)?;
            }
            times[1].push(begin.elapsed() / batches as u32);
        }
        let [applied, logged] = times.map(median);
        let ratio = logged.as_secs_f64() / applied.as_secs_f64();
        println!("  {size:<24} {:>9.1} µs {:>9.1} µs {ratio:>8.2}", micros(applied), micros(logged));
    }
    kept.close()?;
    Ok(())
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn checkpoints(edges: &EdgeList, directed: bool, path: &std::path::Path) -> Outcome<()> {
    let kept = keep(edges, directed, path, Sync::EachBatch)?;
    kept.insert([(0, 1)])?;
    let begin = Instant::now();
    kept.checkpoint()?;
    let written = begin.elapsed().as_secs_f64();
    let arcs = kept.fresh().num_arcs();
    kept.close()?;
    let options = pleach_log::describe(path)?.options();
    let bytes =
        std::fs::read_dir(path)?.map(|entry| Ok(entry?.metadata()?.len())).sum::<std::io::Result<u64>>()? as f64;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let view = pleach_log::open_at::<()>(path, None, &options)?;
        times.push(begin.elapsed());
        assert_eq!(black_box(&view).snapshot().num_arcs(), arcs);
        drop(view);
        pleach::graph::settle();
    }
    let read = median(times).as_secs_f64();
    println!(
        "  a checkpoint of {:.0} MB: written and synced in {written:.2} s ({:.2} GB/s), read in {read:.3} s ({:.2} GB/s)",
        bytes / 1e6,
        bytes / written / 1e9,
        bytes / read / 1e9
    );
    Ok(())
}

fn differences(edges: &EdgeList, directed: bool) -> Outcome<()> {
    let graph = graph(edges, directed)?;
    let mut random = Edges { state: 7, vertices: edges.num_rows as u64 };
    for size in [1, 1000, 100_000] {
        let mut times = Vec::new();
        let mut changed = 0;
        for round in 0..ROUNDS {
            let before = graph.fresh();
            let old = (0..size / 2).map(|k| Update::delete(edges.src[k * 31 + round], edges.dst[k * 31 + round]));
            let new = (0..size - size / 2).map(|_| Update::insert(random.next()));
            graph.apply(old.chain(new).collect::<Vec<_>>())?;
            let after = graph.fresh();
            let begin = Instant::now();
            let difference = after.diff(&before).expect("one store");
            times.push(begin.elapsed());
            changed = difference.added.len() + difference.removed.len();
        }
        println!("  a difference of {changed} edges: {:.0} µs", micros(median(times)));
    }
    Ok(())
}
