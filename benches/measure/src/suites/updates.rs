//! Updates of a graph: how fast batches of each size are inserted and deleted, beside plain Rust and beside the rebuilding of static CSR; how
//! long one edge takes; what readers and the writer cost each other.
//!
//! The graph is undirected and without weights; an *arc* is one direction of an edge, so that a batch of `b` arcs has `b / 2` edges.
//! *Skewed* batches are drawn from another graph of the same kind, *uniform* ones from all pairs of vertices. Each is inserted and deleted
//! again, so that all sizes meet the same graph. Versions are published when a reader asks for one. *In place*: no reader asks.
//! *Published*: a version is published after every batch, so that each batch copies what it touches. *Held*: the last eight versions are
//! kept as well.

use std::collections::VecDeque;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pleach::graph::{Action, GraphError, GraphOptions, Publish, UpdateList, settle};
use pleach::{Csr, EdgeList};
use pleach_erased::{AnyGraph, AnySnapshot, StoreName};

use super::SuiteError;
use crate::method::seconds;
use crate::plain::{Plain, Sorted, Trees};
use crate::{Bench, Competitor, Graph, Side, Unit, Work};

/// Versions that are kept alive where they are held.
const HELD: usize = 8;

/// How to measure.
#[derive(Clone, Debug)]
pub struct Options {
    /// The stores.
    pub stores: Vec<StoreName>,
    /// Arcs of a batch, for each size that is measured; one that is larger than what there is becomes as large as that.
    pub batches: Vec<usize>,
}

/// Edges to update a graph with.
pub struct Updates {
    /// From another graph of the same kind.
    pub skewed: EdgeList,
    /// From all pairs of vertices.
    pub uniform: EdgeList,
}

/// Whatever takes batches of edges.
trait Target: Send {
    fn insert(&mut self, edges: &EdgeList) -> Result<(), String>;
    fn delete(&mut self, edges: &EdgeList) -> Result<(), String>;
    /// Inserts and deletes in one batch.
    fn apply(&mut self, inserted: &EdgeList, deleted: &EdgeList) -> Result<(), String>;
    /// Publishes a version and keeps it with as many as `held` says.
    fn publish(&mut self, held: usize) -> Result<(), String>;
}

/// A graph of ours, and versions that are kept.
struct Ours<'a> {
    graph: &'a AnyGraph<()>,
    versions: VecDeque<AnySnapshot<()>>,
}

/// What an update failed for.
fn said<T>(applied: Result<T, GraphError>) -> Result<(), String> {
    applied.map(drop).map_err(|error| error.to_string())
}

impl Target for Ours<'_> {
    fn insert(&mut self, edges: &EdgeList) -> Result<(), String> {
        said(self.graph.insert_list(edges))
    }

    fn delete(&mut self, edges: &EdgeList) -> Result<(), String> {
        said(self.graph.delete_list(edges))
    }

    fn apply(&mut self, inserted: &EdgeList, deleted: &EdgeList) -> Result<(), String> {
        let mut updates = UpdateList::new();
        for (list, action) in [(inserted, Action::Insert), (deleted, Action::Delete)] {
            list.src.iter().zip(&list.dst).for_each(|(&from, &to)| updates.push(action, from, to, ()));
        }
        said(self.graph.apply_list(updates))
    }

    fn publish(&mut self, held: usize) -> Result<(), String> {
        self.versions.push_back(self.graph.publish());
        while self.versions.len() > held {
            self.versions.pop_front();
        }
        Ok(())
    }
}

impl Target for Box<dyn Plain> {
    fn insert(&mut self, edges: &EdgeList) -> Result<(), String> {
        Plain::insert(&mut **self, edges);
        Ok(())
    }

    fn delete(&mut self, edges: &EdgeList) -> Result<(), String> {
        Plain::delete(&mut **self, edges);
        Ok(())
    }

    fn apply(&mut self, inserted: &EdgeList, deleted: &EdgeList) -> Result<(), String> {
        Plain::insert(&mut **self, inserted);
        Plain::delete(&mut **self, deleted);
        Ok(())
    }

    fn publish(&mut self, _: usize) -> Result<(), String> {
        Err("it has no versions to publish".to_owned())
    }
}

/// Measures stores on one graph, all beside each other.
///
/// # Errors
///
/// [`SuiteError`] if the edges cannot be held in a store.
pub fn run(bench: &mut Bench<'_>, graph: &Graph, updates: &Updates, options: &Options) -> Result<(), SuiteError> {
    bench.begin("updates", Some(&graph.name));
    if updates.skewed.is_empty() {
        return Err(SuiteError::NoUpdates(graph.name.clone()));
    }
    let graph = &Graph { directed: false, ..graph.clone() };
    let rows = bench.within(|| graph.rows())?;
    bench.add_graph(graph.facts(&rows));
    let mut graphs = Vec::new();
    for store in options.stores.iter().filter(|store| **store != StoreName::Csr) {
        let graph_options = GraphOptions::undirected().with_publish(Publish::WhenAsked);
        let held = bench.within(|| AnyGraph::from_edges(store, graph.pattern(), graph_options))?.0;
        graphs.push((store.to_string(), held));
    }
    let footprints = |graphs: &[(String, AnyGraph<()>)]| graphs.iter().map(|(_, graph)| bytes_per_arc(graph)).collect();
    let before: Vec<f64> = footprints(&graphs);
    let mut plain: Vec<Box<dyn Plain>> =
        bench.within(|| vec![Box::new(Sorted::of(&rows)) as Box<dyn Plain>, Box::new(Trees::of(&rows))]);
    for (kind, list) in [("skewed", &updates.skewed), ("uniform", &updates.uniform)] {
        let mut sizes: Vec<usize> =
            options.batches.iter().map(|&arcs| (arcs / 2).clamp(1, list.len().max(1))).collect();
        sizes.dedup();
        for edges in sizes {
            let batches = batches(list, edges, most(bench.method.seconds, edges));
            if !batches.is_empty() {
                throughput(bench, graph, &graphs, &mut plain, &batches, &format!("{} arcs, {kind}", 2 * edges));
            }
        }
    }
    drop(plain);
    single_edges(bench, &graphs, &updates.skewed);
    for (name, graph) in &graphs {
        acquiring(bench, name, graph, &updates.skewed)?;
        beside(bench, name, graph, &updates.skewed)?;
    }
    settle();
    let names: Vec<_> = graphs.iter().map(|(name, _)| (name.clone(), Side::Ours)).collect();
    for (when, found) in [("as built", before), ("after updates", footprints(&graphs))] {
        let work = Work::in_unit(format!("memory, {when}"), Unit::BytesPerArc);
        bench.record(&[work], &names, found.into_iter().map(|bytes| Ok(vec![vec![bytes]])).collect());
    }
    Ok(())
}

fn bytes_per_arc(graph: &AnyGraph<()>) -> f64 {
    let snapshot = graph.fresh();
    snapshot.footprint().bytes as f64 / snapshot.num_arcs().max(1) as f64
}

/// Batches of a size that a graph of ten million arcs a second takes in a twentieth of the time of a comparison.
fn most(seconds: f64, edges: usize) -> usize {
    let wanted = seconds * 1e7 / 20.0 / (2 * edges) as f64;
    (wanted as usize).clamp(1, 10_000)
}

/// At most `most` batches of so many edges.
pub(super) fn batches(list: &EdgeList, edges: usize, most: usize) -> Vec<EdgeList> {
    let part = |(src, dst): (&[u32], &[u32])| EdgeList {
        weight: vec![(); src.len()],
        src: src.to_vec(),
        dst: dst.to_vec(),
        ..EdgeList::new(list.num_rows, list.num_cols)
    };
    list.src.chunks_exact(edges).zip(list.dst.chunks_exact(edges)).take(most).map(part).collect()
}

/// What happens behind each batch.
#[derive(Clone, Copy)]
enum After {
    Nothing,
    Publish(usize),
}

/// Inserts batches and deletes them again, and applies batches that do both; in place, published, and with versions that are held.
fn throughput(
    bench: &mut Bench<'_>,
    graph: &Graph,
    graphs: &[(String, AnyGraph<()>)],
    plain: &mut [Box<dyn Plain>],
    batches: &[EdgeList],
    name: &str,
) {
    let published = After::Publish(0);
    for (after, way) in
        [(After::Nothing, "in place"), (published, "published"), (After::Publish(HELD), "published, 8 held")]
    {
        let works = ["insert", "delete", "mixed"]
            .map(|work| Work::in_unit(format!("{work} {name}, {way}"), Unit::ArcsPerSecond));
        let mut all = Vec::new();
        for (store, graph) in graphs {
            let mut ours = Ours { graph, versions: VecDeque::new() };
            all.push(Competitor::new(store.clone(), Side::Ours, move || rates(&mut ours, batches, after)));
        }
        if let After::Nothing = after {
            // From the edges of the graph, which are about as many with a batch as without.
            let (edges, build, arcs) = (graph.pattern(), graph.build(), 2 * batches[0].len());
            all.push(Competitor::new("csr rebuilt", Side::Static, move || {
                let took = seconds(|| Csr::from_edges(&edges, &build));
                Ok(vec![arcs as f64 / took; 3])
            }));
            for plain in plain.iter_mut() {
                all.push(Competitor::new(plain.name(), Side::Hand, move || rates(plain, batches, after)));
            }
        }
        bench.compare(&works, all);
    }
}

/// Arcs a second of inserting all batches, of deleting them, and of batches that insert one half while they delete the other.
fn rates(target: &mut dyn Target, batches: &[EdgeList], after: After) -> Result<Vec<f64>, String> {
    let end = |target: &mut dyn Target| match after {
        After::Nothing => Ok(()),
        After::Publish(held) => target.publish(held),
    };
    let arcs = batches.iter().map(|batch| 2 * batch.len()).sum::<usize>() as f64;
    let halves: Vec<(EdgeList, EdgeList)> = batches.iter().map(halves).collect();
    let mut figures = Vec::new();
    let mut timed = |target: &mut dyn Target, change: &mut dyn FnMut(&mut dyn Target, usize) -> Result<(), String>| {
        let begin = Instant::now();
        for at in 0..batches.len() {
            change(target, at)?;
            end(target)?;
        }
        figures.push(arcs / begin.elapsed().as_secs_f64().max(1e-9));
        Ok::<(), String>(())
    };
    timed(target, &mut |target, at| target.insert(&batches[at]))?;
    timed(target, &mut |target, at| target.delete(&batches[at]))?;
    for (first, _) in &halves {
        target.insert(first)?;
    }
    timed(target, &mut |target, at| target.apply(&halves[at].1, &halves[at].0))?;
    for (_, second) in &halves {
        target.delete(second)?;
    }
    Ok(figures)
}

/// Both halves of a batch; of a single edge, the second one is empty.
fn halves(batch: &EdgeList) -> (EdgeList, EdgeList) {
    let middle = batch.len().div_ceil(2);
    let part = |range: std::ops::Range<usize>| EdgeList {
        weight: vec![(); range.len()],
        src: batch.src[range.clone()].to_vec(),
        dst: batch.dst[range].to_vec(),
        ..EdgeList::new(batch.num_rows, batch.num_cols)
    };
    (part(0..middle), part(middle..batch.len()))
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

    /// Seconds of the median, of the 99.9th percentile, and of the slowest call.
    fn latencies(mut self) -> Vec<f64> {
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
        [share(0.5), share(0.999), at(last)].map(|nanos| nanos as f64 * 1e-9).to_vec()
    }
}

/// What a histogram says of some call.
fn latencies(call: &str) -> [Work; 3] {
    ["median", "99.9 %", "slowest"].map(|which| Work::timed(format!("{call}, {which}")))
}

/// Inserts single edges and deletes them again.
fn single_edges(bench: &mut Bench<'_>, graphs: &[(String, AnyGraph<()>)], list: &EdgeList) {
    let calls = most(bench.method.seconds, 1);
    let edges = || list.src.iter().copied().zip(list.dst.iter().copied()).take(calls);
    let works: Vec<Work> = ["insert one edge", "delete one edge"].iter().flat_map(|call| latencies(call)).collect();
    let run = |change: &dyn Fn(u32, u32) -> Result<(), String>| {
        let mut calls = Calls::new();
        for (from, to) in edges() {
            let begin = Instant::now();
            change(from, to)?;
            calls.add(begin.elapsed());
        }
        Ok::<_, String>(calls.latencies())
    };
    let all = graphs.iter().map(|(name, graph)| {
        Competitor::new(name.clone(), Side::Ours, move || {
            let inserted = run(&|from, to| said(graph.insert_edge(from, to, ())))?;
            Ok([inserted, run(&|from, to| said(graph.delete_edge(from, to)))?].concat())
        })
    });
    bench.compare(&works, all.collect());
}

/// Calls `read` while a writer inserts and deletes batches of a thousand arcs; gives what `read` does and the arcs changed.
fn beside_writer<T>(graph: &AnyGraph<()>, list: &EdgeList, read: impl FnOnce() -> T) -> Result<(T, usize), GraphError> {
    let batches = batches(list, 500.clamp(1, list.len()), 2000);
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

/// Acquires and drops snapshots beside a writer: the latest ones; fresh ones, which wait for the batch under way; and none, which shows
/// what reading the clock takes and how long the system lets other threads run meanwhile.
fn acquiring(bench: &mut Bench<'_>, name: &str, graph: &AnyGraph<()>, list: &EdgeList) -> Result<(), SuiteError> {
    let time = Duration::from_secs_f64(bench.method.seconds / 20.0);
    let acquires: [(&str, &(dyn Fn() + Sync)); 3] = [
        ("latest snapshot", &|| drop(black_box(graph.latest()))),
        ("fresh snapshot", &|| drop(black_box(graph.fresh()))),
        ("nothing in place of a snapshot", &|| ()),
    ];
    for (call, acquire) in acquires {
        let run = move || {
            let (mut calls, start) = (Calls::new(), Instant::now());
            let mut begin = start;
            while begin - start < time {
                acquire();
                calls.add(begin.elapsed());
                begin = Instant::now();
            }
            calls.latencies()
        };
        let method = bench.method;
        let (found, _) = beside_writer(graph, list, || {
            let (mut found, begin) = (Vec::new(), Instant::now());
            while !method.is_enough(found.len(), begin, 1) {
                found.push(run());
            }
            found
        })?;
        let by_work = (0..3).map(|at| found.iter().map(|figures| figures[at]).collect()).collect();
        let ours = [(name.to_owned(), Side::Ours)];
        bench.record(&latencies(&format!("{call} beside a writer")), &ours, vec![Ok(by_work)]);
    }
    Ok(())
}

/// The kernel of PageRank on snapshots by all cores but one, beside an idle writer and beside a busy one.
fn beside(bench: &mut Bench<'_>, name: &str, graph: &AnyGraph<()>, list: &EdgeList) -> Result<(), SuiteError> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let readers = cores.saturating_sub(1).max(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(readers).build()?;
    let n = graph.fresh().num_rows();
    let (x, d) = (vec![1.0; n], vec![2.0; n]);
    let mut y = vec![0.0; n];
    let method = bench.method;
    let mut rounds = || {
        let (mut times, start) = (Vec::new(), Instant::now());
        while !method.is_enough(times.len(), start, 1) {
            let snapshot = graph.latest();
            times.push(seconds(|| {
                pool.install(|| snapshot.sum_quotients(&mut y, &x, &d)).expect("the arrays were made to fit");
            }));
        }
        (times, start.elapsed())
    };
    let (idle, _) = rounds();
    let ((busy, took), changed) = beside_writer(graph, list, rounds)?;
    let works = [Work::timed(format!("pagerank kernel over {name} by {readers} of {cores} cores"))];
    let both = [("beside an idle writer".to_owned(), Side::Ours), ("beside a busy writer".to_owned(), Side::Ours)];
    bench.record(&works, &both, vec![Ok(vec![idle]), Ok(vec![busy])]);
    let rate = changed as f64 / took.as_secs_f64().max(1e-9);
    let works = [Work::in_unit("writer beside the pagerank kernel", Unit::ArcsPerSecond)];
    bench.record(&works, &[(name.to_owned(), Side::Ours)], vec![Ok(vec![vec![rate]])]);
    Ok(())
}
