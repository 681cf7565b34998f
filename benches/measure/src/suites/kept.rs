//! A graph that is kept in a directory: what logging costs beside applying, checkpoints, and the difference of two versions.
//!
//! The same batches go into a graph in memory and into one that is kept, in turn. A checkpoint is read from the memory of the system, as it is
//! after it was written. The directory is a temporary one: figures of logging are those of its disk.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use pleach::EdgeList;
use pleach::graph::{GraphOptions, Prepared, Update, settle};
use pleach::runtime::SplitMix64;
use pleach_erased::{AnyGraph, DEFAULT_STORE, StoreName};
use pleach_log::{Durable, Sync, VertexIds};

use super::SuiteError;
use crate::method::seconds;
use crate::{Bench, Competitor, Graph, Side, Unit, Work};

/// Edges of batches.
const BATCHES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// How often the log is written to the disk.
const EVERY: Duration = Duration::from_millis(100);

/// Measures one graph, as an undirected one and as a directed one with in-arcs.
///
/// # Errors
///
/// [`SuiteError`] if the edges cannot be held, or the directory cannot be written.
pub fn run(bench: &mut Bench<'_>, graph: &Graph) -> Result<(), SuiteError> {
    bench.begin("kept", Some(&graph.name));
    let edges = graph.pattern();
    if edges.is_empty() {
        return Err(SuiteError::NoUpdates(graph.name.clone()));
    }
    bench.add_graph(graph.facts(&bench.within(|| graph.rows())?));
    let folder = tempfile::tempdir().map_err(|error| SuiteError::Files(error.to_string()))?;
    for (directed, kind) in [(false, "undirected"), (true, "directed")] {
        let path = |name: &str| folder.path().join(format!("{name}-{kind}"));
        logging(bench, &edges, directed, kind, &path("log"))?;
        checkpoint(bench, &edges, directed, kind, &path("checkpoint"))?;
        differences(bench, &edges, directed, kind)?;
    }
    Ok(())
}

fn held(bench: &Bench<'_>, edges: &EdgeList, directed: bool) -> Result<AnyGraph<()>, SuiteError> {
    let options = GraphOptions::default().with_directed(directed);
    let store: StoreName = DEFAULT_STORE.parse().expect("a bundled store has this name");
    Ok(bench.within(|| AnyGraph::from_edges(&store, edges.clone(), options))?.0)
}

fn keep(bench: &Bench<'_>, edges: &EdgeList, directed: bool, path: &Path, sync: Sync) -> Result<Durable, SuiteError> {
    let graph = held(bench, edges, directed)?;
    let options = pleach_log::Options::of(*graph.options()).with_sync(sync).with_checkpoint_bytes(None);
    pleach_log::create(path, graph, VertexIds::None, options).map_err(files)
}

fn files(error: impl std::fmt::Display) -> SuiteError {
    SuiteError::Files(error.to_string())
}

/// Random pairs of vertices.
fn pairs(random: &mut SplitMix64, vertices: usize, count: usize) -> Vec<Update> {
    (0..count)
        .map(|_| Update::insert((random.below(vertices as u64) as u32, random.below(vertices as u64) as u32)))
        .collect()
}

/// Batches into a graph in memory and into one that is kept.
fn logging(bench: &mut Bench<'_>, edges: &EdgeList, directed: bool, kind: &str, path: &Path) -> Result<(), SuiteError> {
    let plain = held(bench, edges, directed)?;
    let kept = keep(bench, edges, directed, path, Sync::Every(EVERY))?;
    // Larger ones would make another graph of it.
    for size in BATCHES.into_iter().filter(|&size| size <= edges.len().max(BATCHES[0])) {
        // Small batches come in rows, so that a clock does not disturb them.
        let batches = (100_000 / size).max(1);
        let prepared = |random: &mut SplitMix64| -> Result<Vec<Prepared>, String> {
            let each = |_| plain.prepare(pairs(random, edges.num_rows, size)).map_err(|error| error.to_string());
            (0..batches).map(each).collect()
        };
        let (mut one, mut other) = (SplitMix64(size as u64), SplitMix64(size as u64));
        let timed = |commit: &mut dyn FnMut() -> Result<(), String>| {
            let begin = Instant::now();
            commit()?;
            Ok(vec![begin.elapsed().as_secs_f64() / batches as f64])
        };
        let all = vec![
            Competitor::new("in memory", Side::Ours, || {
                let mut ready = prepared(&mut one)?.into_iter();
                timed(&mut || {
                    ready.try_for_each(|batch| plain.commit(batch).map(drop)).map_err(|error| error.to_string())
                })
            }),
            Competitor::new("in a directory, synced every 100 ms", Side::Ours, || {
                let mut ready = prepared(&mut other)?.into_iter();
                timed(&mut || {
                    ready.try_for_each(|batch| kept.commit(batch).map(drop)).map_err(|error| error.to_string())
                })
            }),
        ];
        bench.compare(&[Work::timed(format!("batch of {size} edges, {kind}"))], all);
    }
    kept.close().map_err(files)
}

/// Writes a checkpoint and reads it.
fn checkpoint(
    bench: &mut Bench<'_>,
    edges: &EdgeList,
    directed: bool,
    kind: &str,
    path: &Path,
) -> Result<(), SuiteError> {
    let kept = keep(bench, edges, directed, path, Sync::EachBatch)?;
    kept.insert([(0, 1)]).map_err(files)?;
    let begin = Instant::now();
    bench.within(|| kept.checkpoint()).map_err(files)?;
    let written = begin.elapsed().as_secs_f64();
    let arcs = kept.fresh().num_arcs();
    kept.close().map_err(files)?;
    let options = pleach_log::describe(path).map_err(files)?.options();
    let sizes = std::fs::read_dir(path).map_err(files)?.map(|entry| Ok(entry?.metadata()?.len()));
    let bytes = sizes.sum::<std::io::Result<u64>>().map_err(files)? as f64;
    let ours = [("pleach".to_owned(), Side::Ours)];
    let work = Work::in_unit(format!("write and sync a checkpoint, {kind}"), Unit::BytesPerSecond);
    bench.record(&[work], &ours, vec![Ok(vec![vec![bytes / written.max(1e-9)]])]);
    let read = || {
        let begin = Instant::now();
        let view = pleach_log::open_at::<()>(path, None, &options).map_err(|error| error.to_string())?;
        let took = begin.elapsed().as_secs_f64();
        let found = black_box(&view).snapshot().num_arcs();
        drop(view);
        settle();
        match found == arcs {
            true => Ok(vec![bytes / took.max(1e-9)]),
            false => Err(format!("the checkpoint has {found} arcs, and the graph {arcs}")),
        }
    };
    let work = Work::in_unit(format!("read a checkpoint, {kind}"), Unit::BytesPerSecond);
    bench.compare(&[work], vec![Competitor::new("pleach", Side::Ours, read)]);
    Ok(())
}

/// The difference of two versions, between which some edges were deleted and as many inserted.
fn differences(bench: &mut Bench<'_>, edges: &EdgeList, directed: bool, kind: &str) -> Result<(), SuiteError> {
    let graph = held(bench, edges, directed)?;
    for size in [2, 1000, 100_000] {
        let (mut random, mut round) = (SplitMix64(7), 0);
        let run = || {
            let before = graph.fresh();
            let doomed = (0..size / 2).map(|k| (k * 31 + round) % edges.len());
            let old: Vec<Update> = doomed.map(|at| Update::delete(edges.src[at], edges.dst[at])).collect();
            round += 1;
            let new = pairs(&mut random, edges.num_rows, size / 2);
            graph.apply(old.into_iter().chain(new)).map_err(|error| error.to_string())?;
            let after = graph.fresh();
            Ok(vec![seconds(|| after.diff(&before).expect("both are versions of one graph"))])
        };
        let work = Work::timed(format!("difference of about {size} edges, {kind}"));
        bench.compare(&[work], vec![Competitor::new("pleach", Side::Ours, run)]);
    }
    Ok(())
}
