//! Updates of a graph: how fast batches of each size are inserted and deleted, in place and published at every batch, beside the
//! rebuilding of static CSR; how long one edge takes; what readers and the writer cost each other.
//!
//! The graph is undirected and without weights; an *arc* is one direction of an edge, so that a batch of `b` arcs has `b / 2` edges.
//! Batches are drawn from another graph of the same kind. Each is inserted and deleted again, so that all sizes meet the same graph. The
//! graph's policy is [`POLICY`]. *In place*: no reader asks for a version. *Published*: a version is published after every batch, so that
//! each batch copies what it touches. Throughputs are medians of three rounds.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pleach::graph::{GraphError, GraphOptions, Publish, settle};
use pleach::{BuildError, BuildOptions, Csr, EdgeList};
use pleach_erased::{AnyGraph, HoldError, StoreName};
use serde::Serialize;

use crate::median;

/// When the measured graph publishes versions, and what that is called.
pub const POLICY: (Publish, &str) = (Publish::WhenAsked, "when-asked");

/// How to measure.
#[derive(Clone, Debug)]
pub struct Options {
    /// Arcs of a batch, for each size that is measured; one that is larger than what there is becomes as large as that.
    pub batches: Vec<usize>,
    /// About how long the measurement of one figure takes, at most.
    pub time: Duration,
}

/// One size of batches: arcs a second.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Throughput {
    /// Arcs of a batch.
    pub batch: usize,
    /// Batches that were measured.
    pub batches: usize,
    /// Inserted, in place.
    pub insert: f64,
    /// Deleted, in place.
    pub delete: f64,
    /// Inserted, published at every batch.
    pub insert_published: f64,
    /// Deleted, published at every batch.
    pub delete_published: f64,
    /// The throughput of rebuilding static CSR for each batch.
    pub csr_rebuild: f64,
}

/// Nanoseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Latency {
    /// Measured calls.
    pub calls: u64,
    /// The median: half of the calls took no longer.
    pub median: u64,
    /// The 99.9th percentile: all but one in a thousand calls took no longer.
    pub p999: u64,
    /// None took longer.
    pub max: u64,
}

/// A histogram of calls by the nanoseconds that they took.
struct Calls {
    /// How many took `k` nanoseconds.
    short: Vec<u64>,
    /// All that took longer.
    long: Vec<u64>,
}

impl Calls {
    fn new() -> Self {
        Calls { short: vec![0; 1 << 13], long: Vec::new() }
    }

    #[inline]
    fn add(&mut self, took: Duration) {
        let nanos = took.as_nanos() as u64;
        match self.short.get_mut(nanos as usize) {
            Some(count) => *count += 1,
            None => self.long.push(nanos),
        }
    }

    fn latency(mut self) -> Latency {
        self.long.sort_unstable();
        let short: u64 = self.short.iter().sum();
        let calls = short + self.long.len() as u64;
        // The time of the call that has so many before it.
        let at = |before: u64| {
            if let Some(place) = before.checked_sub(short) {
                return self.long.get(place as usize).copied().unwrap_or(0);
            }
            let mut left = before;
            let shorter = |&count: &u64| {
                let more = left >= count;
                left -= if more { count } else { 0 };
                more
            };
            self.short.iter().copied().take_while(shorter).count() as u64
        };
        let last = calls.saturating_sub(1);
        let share = |of: f64| at(((calls as f64 * of) as u64).min(last));
        Latency { calls, median: share(0.5), p999: share(0.999), max: at(last) }
    }
}

/// What was measured of one store.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// Its name.
    pub store: String,
    /// Cores of the machine, all of which large batches use.
    pub cores: usize,
    /// When versions are published, unless a column says otherwise.
    pub policy: &'static str,
    /// Arcs of the graph.
    pub arcs: u64,
    /// Milliseconds that sorting all edges into static CSR takes.
    pub csr_ms: f64,
    /// By size of batches.
    pub throughput: Vec<Throughput>,
    /// One edge in the working version.
    pub insert_edge: Latency,
    /// One edge in the working version.
    pub delete_edge: Latency,
    /// Acquiring and dropping a snapshot while the writer applies batches of a thousand arcs.
    pub latest: Latency,
    /// The same for one that holds all that was applied: waits for the batch under way.
    pub fresh: Latency,
    /// The same loop beside the same writer with nothing in it: what reading the clock takes, and how long the system lets other
    /// threads run meanwhile.
    pub nothing: Latency,
    /// Time of a PageRank on a snapshot by all cores but one while a writer keeps that one busy, over the time beside an idle one.
    pub reader_slowdown: f64,
    /// Arcs a second of that writer.
    pub writer_beside_reader: f64,
    /// Bytes per arc of the graph as it was built, and after all of this.
    pub bytes_per_arc: [f64; 2],
}

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The graph cannot be held in that store.
    #[error(transparent)]
    Hold(#[from] HoldError),
    /// Static rows cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// An update failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// There is nothing to insert.
    #[error("there are no edges to draw updates from")]
    NoUpdates,
}

/// Measures some stores on one graph, one after the other, and hands each result to `report`. `updates` are edges of another graph
/// of the same kind, as many as half of the largest batch.
///
/// # Errors
///
/// [`StreamError`] if the edges cannot be held in a store.
pub fn measure(
    stores: &[StoreName],
    edges: &EdgeList,
    updates: &EdgeList,
    options: &Options,
    mut report: impl FnMut(Measured),
) -> Result<(), StreamError> {
    if updates.is_empty() {
        return Err(StreamError::NoUpdates);
    }
    let build = BuildOptions::default().with_undirected(true);
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let csr = Csr::from_edges(edges, &build)?;
        times.push(begin.elapsed());
        drop(csr);
    }
    let rebuild = median(times);
    for store in stores {
        let measure = Measure { store, updates, options, rebuild };
        let graph_options = GraphOptions::undirected().with_publish(POLICY.0);
        let (graph, _) = AnyGraph::from_edges(store, edges.clone(), graph_options)?;
        report(measure.run(&graph)?);
    }
    Ok(())
}

/// Rounds whose median counts.
const ROUNDS: usize = 3;

/// Measures whatever store holds the graph.
struct Measure<'a> {
    store: &'a StoreName,
    updates: &'a EdgeList,
    options: &'a Options,
    rebuild: Duration,
}

impl Measure<'_> {
    fn run(&self, graph: &AnyGraph<()>) -> Result<Measured, GraphError> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let bytes_per_arc = |graph: &AnyGraph<()>| {
            let snapshot = graph.fresh();
            snapshot.footprint().bytes as f64 / snapshot.num_arcs().max(1) as f64
        };
        let arcs = graph.fresh().num_arcs();
        let fresh_bytes = bytes_per_arc(graph);
        let mut throughput = Vec::new();
        let mut sizes: Vec<usize> = self.options.batches.iter().map(|&arcs| self.edges_in(arcs)).collect();
        sizes.dedup();
        for edges in sizes {
            throughput.push(self.throughput(graph, edges)?);
        }
        let (insert_edge, delete_edge) = self.single_edges(graph)?;
        let [latest, fresh, nothing] = self.acquiring(graph)?;
        let (reader_slowdown, writer_beside_reader) = self.beside(graph, cores)?;
        settle();
        let bytes_per_arc = [fresh_bytes, bytes_per_arc(graph)];
        let store = self.store.to_string();
        Ok(Measured {
            store,
            cores,
            policy: POLICY.1,
            arcs,
            csr_ms: 1e3 * self.rebuild.as_secs_f64(),
            throughput,
            insert_edge,
            delete_edge,
            latest,
            fresh,
            nothing,
            reader_slowdown,
            writer_beside_reader,
            bytes_per_arc,
        })
    }
}

impl Measure<'_> {
    /// Edges of a batch of so many arcs.
    fn edges_in(&self, arcs: usize) -> usize {
        (arcs / 2).clamp(1, self.updates.len())
    }

    /// At most `most` batches of so many edges.
    fn batches(&self, edges: usize, most: usize) -> Vec<EdgeList> {
        let EdgeList { src, dst, .. } = self.updates;
        let list = |(src, dst): (&[u32], &[u32])| EdgeList {
            weight: vec![(); src.len()],
            src: src.to_vec(),
            dst: dst.to_vec(),
            ..EdgeList::new(0, 0)
        };
        src.chunks_exact(edges).zip(dst.chunks_exact(edges)).take(most).map(list).collect()
    }

    /// Inserts batches of so many edges and deletes them again; in place, then published.
    fn throughput(&self, graph: &AnyGraph<()>, edges: usize) -> Result<Throughput, GraphError> {
        // As many as keep a machine of ten million arcs a second busy for the time of one figure.
        let wanted = (self.options.time.as_secs_f64() * 1e7 / (4 * ROUNDS * 2 * edges) as f64) as usize;
        let batches = self.batches(edges, wanted.clamp(1, 50_000));
        let arcs = 2 * edges * batches.len();
        // Earlier batches may have been published. The first change of each page then copies it, which must not count here.
        for batch in &batches {
            graph.insert_list(batch)?;
            graph.delete_list(batch)?;
        }
        let time = |change: &dyn Fn(&EdgeList) -> Result<(), GraphError>| {
            let begin = Instant::now();
            batches.iter().try_for_each(change)?;
            Ok(begin.elapsed())
        };
        let mut times = [const { Vec::new() }; 4];
        for _ in 0..ROUNDS {
            times[0].push(time(&|batch| graph.insert_list(batch).map(drop))?);
            times[1].push(time(&|batch| graph.delete_list(batch).map(drop))?);
        }
        graph.publish();
        for _ in 0..ROUNDS {
            times[2].push(time(&|batch| graph.insert_list(batch).map(|_| drop(graph.publish())))?);
            times[3].push(time(&|batch| graph.delete_list(batch).map(|_| drop(graph.publish())))?);
        }
        let [insert, delete, insert_published, delete_published] =
            times.map(|times| arcs as f64 / median(times).as_secs_f64());
        Ok(Throughput {
            batch: 2 * edges,
            batches: batches.len(),
            insert,
            delete,
            insert_published,
            delete_published,
            csr_rebuild: 2.0 * edges as f64 / self.rebuild.as_secs_f64(),
        })
    }

    /// Inserts single edges and deletes them again.
    fn single_edges(&self, graph: &AnyGraph<()>) -> Result<(Latency, Latency), GraphError> {
        let calls = (self.options.time.as_secs_f64() * 2e5) as usize;
        let edges = || self.updates.src.iter().copied().zip(self.updates.dst.iter().copied()).take(calls);
        // As above.
        graph.insert(edges())?;
        graph.delete(edges())?;
        let time = |change: &dyn Fn(u32, u32) -> Result<(), GraphError>| {
            let mut calls = Calls::new();
            for (from, to) in edges() {
                let begin = Instant::now();
                change(from, to)?;
                calls.add(begin.elapsed());
            }
            Ok(calls.latency())
        };
        let insert = time(&|from, to| graph.insert_edge(from, to, ()).map(drop))?;
        Ok((insert, time(&|from, to| graph.delete_edge(from, to).map(drop))?))
    }

    /// Calls `read` while a writer inserts and deletes batches of a thousand arcs; gives what `read` does and the arcs changed.
    fn beside_writer<T>(&self, graph: &AnyGraph<()>, read: impl FnOnce() -> T) -> Result<(T, usize), GraphError> {
        let batches = self.batches(self.edges_in(1000), 2000);
        let (done, changed) = (AtomicBool::new(false), AtomicUsize::new(0));
        thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let mut inserted = true;
                while !done.load(Ordering::Relaxed) {
                    for batch in batches.iter().take_while(|_| !done.load(Ordering::Relaxed)) {
                        if inserted {
                            graph.insert_list(batch)?
                        } else {
                            graph.delete_list(batch)?
                        };
                        changed.fetch_add(2 * batch.len(), Ordering::Relaxed);
                    }
                    inserted = !inserted;
                }
                // As it was before.
                batches.iter().try_for_each(|batch| graph.delete_list(batch).map(drop))
            });
            while changed.load(Ordering::Relaxed) == 0 && !writer.is_finished() {
                thread::yield_now();
            }
            let begin = changed.load(Ordering::Relaxed);
            let result = read();
            let changed = changed.load(Ordering::Relaxed) - begin;
            done.store(true, Ordering::Relaxed);
            writer.join().expect("the writer does not panic")?;
            Ok((result, changed))
        })
    }

    /// Acquires snapshots beside a writer: the latest ones, fresh ones, and none.
    fn acquiring(&self, graph: &AnyGraph<()>) -> Result<[Latency; 3], GraphError> {
        let take = |acquire: &dyn Fn()| {
            let (mut calls, start) = (Calls::new(), Instant::now());
            let mut begin = start;
            while begin - start < self.options.time {
                acquire();
                let end = Instant::now();
                calls.add(end - begin);
                begin = Instant::now();
            }
            calls.latency()
        };
        let (latest, _) = self.beside_writer(graph, || take(&|| drop(black_box(graph.latest()))))?;
        let (fresh, _) = self.beside_writer(graph, || take(&|| drop(black_box(graph.fresh()))))?;
        let (nothing, _) = self.beside_writer(graph, || take(&|| ()))?;
        Ok([latest, fresh, nothing])
    }

    /// The kernel of PageRank on fresh snapshots by all cores but one, beside an idle and beside a busy writer.
    fn beside(&self, graph: &AnyGraph<()>, cores: usize) -> Result<(f64, f64), GraphError> {
        let readers = cores.saturating_sub(1).max(1);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(readers).build().expect("threads for readers");
        let n = graph.fresh().num_rows();
        let (x, d) = (vec![1.0; n], vec![2.0; n]);
        let mut y = vec![0.0; n];
        let mut rounds = |time: Duration| {
            let (mut times, start) = (Vec::new(), Instant::now());
            while times.len() < 3 || start.elapsed() < time {
                let snapshot = graph.latest();
                let begin = Instant::now();
                pool.install(|| snapshot.sum_quotients(&mut y, &x, &d)).expect("the arrays were made to fit");
                times.push(begin.elapsed());
            }
            (median(times), start.elapsed())
        };
        let (idle, _) = rounds(self.options.time);
        let ((busy, took), changed) = self.beside_writer(graph, || rounds(self.options.time))?;
        Ok((busy.as_secs_f64() / idle.as_secs_f64(), changed as f64 / took.as_secs_f64()))
    }
}
