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

/// Single edges in all stores; readers beside a writer for each store.
pub(super) fn run(bench: &mut Bench<'_>, graphs: &[(String, AnyGraph<()>)], list: &EdgeList) -> Result<(), SuiteError> {
    single_edges(bench, graphs, list);
    for (name, graph) in graphs {
        acquiring(bench, name, graph, list)?;
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
    let works = [Work::timed(format!("pagerank kernel beside a writer, {name}"))];
    let both = [("beside an idle writer".to_owned(), Side::Ours), ("beside a busy writer".to_owned(), Side::Ours)];
    bench.record(&works, &both, vec![Ok(vec![idle]), Ok(vec![busy])]);
    let rate = changed as f64 / took.as_secs_f64().max(1e-9);
    let works = [Work::in_unit("writer beside the pagerank kernel", Unit::ArcsPerSecond)];
    bench.record(&works, &[(name.to_owned(), Side::Ours)], vec![Ok(vec![vec![rate]])]);
    Ok(())
}
