//! How long one edge takes to insert, and what readers and the writer cost each other.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pleach::EdgeList;
use pleach::graph::GraphError;
use pleach_erased::AnyGraph;

use super::SuiteError;
use super::updates::{batches, said};
use crate::method::seconds;
use crate::{Bench, Competitor, Side, Unit, Work};

/// Single edges in all stores; readers beside a writer for each store. Snapshots of the first one are acquired for so many seconds, those of
/// the others as long as a comparison takes.
pub(super) fn run(
    bench: &mut Bench<'_>,
    graphs: &[(String, AnyGraph<()>)],
    list: &EdgeList,
    watched: f64,
) -> Result<(), SuiteError> {
    single_edges(bench, graphs, list);
    for (at, (name, graph)) in graphs.iter().enumerate() {
        let seconds = if at == 0 { watched } else { bench.method.seconds };
        acquiring(bench, name, graph, list, Duration::from_secs_f64(seconds))?;
        beside(bench, name, graph, list)?;
    }
    Ok(())
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
    // Of a microsecond each: a twentieth of the time of a comparison.
    let calls = ((bench.method.seconds * 5e4) as usize).clamp(1, 10_000);
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

/// What was found while a writer was busy.
struct Beside<T> {
    /// What the reader has found.
    read: T,
    /// Arcs that the writer has changed meanwhile.
    changed: usize,
    /// How long each of its batches took, those before and behind the reader's time included.
    commits: Calls,
}

/// Edges of the writer's batches.
const WRITTEN: usize = 500;

/// Calls `read` while a writer inserts and deletes batches of a thousand arcs, by one thread.
fn beside_writer<T>(graph: &AnyGraph<()>, list: &EdgeList, read: impl FnOnce() -> T) -> Result<Beside<T>, SuiteError> {
    let batches = batches(list, WRITTEN.clamp(1, list.len()), 2000);
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let (done, changed) = (AtomicBool::new(false), AtomicUsize::new(0));
    let write = || {
        let (mut inserted, mut commits) = (true, Calls::new());
        while !done.load(Ordering::Relaxed) {
            for batch in batches.iter().take_while(|_| !done.load(Ordering::Relaxed)) {
                let begin = Instant::now();
                if inserted {
                    graph.insert_list(batch)?
                } else {
                    graph.delete_list(batch)?
                };
                commits.add(begin.elapsed());
                changed.fetch_add(2 * batch.len(), Ordering::Relaxed);
            }
            inserted = !inserted;
        }
        // As it was before.
        batches.iter().try_for_each(|batch| graph.delete_list(batch).map(drop))?;
        Ok::<_, GraphError>(commits)
    };
    thread::scope(|scope| {
        let writer = scope.spawn(|| alone.install(write));
        while changed.load(Ordering::Relaxed) == 0 && !writer.is_finished() {
            thread::yield_now();
        }
        let begin = changed.load(Ordering::Relaxed);
        let read = read();
        let changed = changed.load(Ordering::Relaxed) - begin;
        done.store(true, Ordering::Relaxed);
        let commits = writer.join().expect("the writer does not panic")?;
        Ok(Beside { read, changed, commits })
    })
}

/// Acquires and drops snapshots beside a writer: the latest ones, in turn with none, which shows what reading the clock takes and how long the
/// system lets other threads run meanwhile; and fresh ones, which wait for the batch under way. The slowest of some calls depends on how many
/// there are, so that each row says for how long it was looked for.
fn acquiring(
    bench: &mut Bench<'_>,
    name: &str,
    graph: &AnyGraph<()>,
    list: &EdgeList,
    time: Duration,
) -> Result<(), SuiteError> {
    let latest: &(dyn Fn() + Sync) = &|| drop(black_box(graph.latest()));
    let (fresh, nothing): (&(dyn Fn() + Sync), &(dyn Fn() + Sync)) = (&|| drop(black_box(graph.fresh())), &|| ());
    let short = time.min(Duration::from_secs_f64(bench.method.seconds));
    for (time, in_turn) in [
        (time, &[("latest snapshot", latest), ("nothing in place of a snapshot", nothing)][..]),
        (short, &[("fresh snapshot", fresh)]),
    ] {
        let Beside { read, commits, .. } = beside_writer(graph, list, || calls_of(in_turn, time))?;
        let mut found: Vec<(String, Calls)> =
            in_turn.iter().zip(read).map(|((call, _), calls)| (format!("{call} beside a writer"), calls)).collect();
        if in_turn.len() > 1 {
            found.push((format!("commit of {} arcs beside a reader", 2 * WRITTEN), commits));
        }
        for (call, calls) in found {
            let by_work = calls.latencies().into_iter().map(|figure| vec![figure]).collect();
            let note = format!("over {} s", time.as_secs_f64());
            bench.record_with_note(&latencies(&call), &[(name.to_owned(), Side::Ours)], &note, vec![Ok(by_work)]);
        }
    }
    Ok(())
}

/// How long calls take that are made in turn for some time.
fn calls_of(in_turn: &[(&str, &(dyn Fn() + Sync))], time: Duration) -> Vec<Calls> {
    let mut all: Vec<Calls> = in_turn.iter().map(|_| Calls::new()).collect();
    let start = Instant::now();
    let mut begin = start;
    while begin - start < time {
        for ((_, call), calls) in in_turn.iter().zip(&mut all) {
            call();
            let end = Instant::now();
            calls.add(end - begin);
            begin = end;
        }
    }
    all
}

/// The kernel of PageRank on snapshots by all threads but one, beside an idle writer and beside one that is busy by the other thread.
fn beside(bench: &mut Bench<'_>, name: &str, graph: &AnyGraph<()>, list: &EdgeList) -> Result<(), SuiteError> {
    let readers = bench.method.threads.saturating_sub(1).max(1);
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
    let Beside { read: (busy, took), changed, .. } = beside_writer(graph, list, rounds)?;
    let works = [Work::timed(format!("pagerank kernel beside a writer, {name}"))];
    let both = [("beside an idle writer".to_owned(), Side::Ours), ("beside a busy writer".to_owned(), Side::Ours)];
    let note = format!("the kernel by {readers} thread{}, the writer by one", if readers == 1 { "" } else { "s" });
    bench.record_with_note(&works, &both, &note, vec![Ok(vec![idle]), Ok(vec![busy])]);
    let rate = changed as f64 / took.as_secs_f64().max(1e-9);
    let works = [Work::in_unit("writer beside the pagerank kernel", Unit::ArcsPerSecond)];
    bench.record_with_note(&works, &[(name.to_owned(), Side::Ours)], &note, vec![Ok(vec![vec![rate]])]);
    Ok(())
}
