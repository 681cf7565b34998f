//! Answers on one to four workers: equal to those of one process, and to published ones.

mod expressions;
mod one_process;
mod published;

use std::collections::BTreeMap;
use std::path::PathBuf;

use pleach::Duplicates;
use pleach::graph::Action;
use pleach_cluster::stream::{Change, Growing, GrowingOptions};
use pleach_cluster::{Arc, LoadOptions, Ownership, Part, Wire, load, on_loop_back};
use pleach_datasets::{Direction, Input, Options, Weights};

/// The folder with real graphs, if there is one.
fn data(test: &str) -> Option<PathBuf> {
    let data = std::env::var_os("PLEACH_DATA").map(PathBuf::from);
    if data.is_none() {
        eprintln!("{test}: skipped, since PLEACH_DATA is not set");
    }
    data
}

fn open(name: &str, direction: Option<Direction>) -> Input {
    let options = Options::default().with_weights(Weights::OrOne).with_direction(direction);
    pleach_datasets::open(name, &options).unwrap()
}

/// The shares of so many workers: stretches of the list, in order. Vertices without arcs are those of the last.
fn shares(input: &Input, workers: usize) -> Vec<Share> {
    let (src, dst) = (input.edges.src(), input.edges.dst());
    let weights = input.edges.weight().unwrap();
    let arc = |k: usize| Arc { from: input.ids.external(src[k]), to: input.ids.external(dst[k]), weight: weights[k] };
    let cut = |worker| src.len() * worker / workers;
    let mut shares: Vec<Share> = (0..workers)
        .map(|worker| Share { arcs: (cut(worker)..cut(worker + 1)).map(arc).collect(), alone: Vec::new() })
        .collect();
    shares[workers - 1].alone = input.ids.iter().collect();
    shares
}

#[derive(Clone)]
struct Share {
    arcs: Vec<Arc>,
    alone: Vec<u64>,
}

impl pleach_cluster::Arcs for Share {
    fn next(&mut self, arcs: &mut Vec<Arc>, alone: &mut Vec<u64>) -> Result<bool, String> {
        // In small blocks, and none at all from some.
        let rest = self.arcs.split_off(self.arcs.len().min(100_000));
        arcs.append(&mut self.arcs);
        alone.append(&mut self.alone);
        self.arcs = rest;
        Ok(!self.arcs.is_empty())
    }
}

/// What an algorithm finds for each vertex, by its id, on so many workers that own so many vertices by turns.
fn values<T: Send>(
    input: &Input,
    (workers, range): (usize, u64),
    run: impl Fn(&Part<'_>, &mut Wire<'_>) -> Vec<T> + Sync,
) -> BTreeMap<u64, T> {
    let shares = shares(input, workers);
    let parts = on_loop_back(workers, |end| {
        let mut wire = Wire::new(end);
        let options = LoadOptions::new(Ownership::new(workers).with_range(range))
            .with_directed(input.directed)
            .with_mirrored(input.mirrored)
            .with_weighted(true)
            .with_duplicates(Duplicates::Last);
        let share = shares[wire.worker()].clone();
        let part = load(&mut wire, share, &options).unwrap();
        let found = run(&part, &mut wire);
        assert_eq!(found.len(), part.own.len());
        part.own.iter().map(|&vertex| part.ids[vertex as usize]).zip(found).collect::<Vec<_>>()
    });
    let all: Vec<(u64, T)> = parts.into_iter().flatten().collect();
    let count = all.len();
    let found: BTreeMap<u64, T> = all.into_iter().collect();
    assert_eq!(found.len(), count, "every vertex has one owner");
    found
}

/// As [`values`], on a graph that begins empty and to which these changes were made in epochs.
fn streamed<T: Send>(
    changes: &[Change],
    directed: bool,
    (workers, range): (usize, u64),
    run: impl Fn(&Part<'_>, &mut Wire<'_>) -> Vec<T> + Sync,
) -> BTreeMap<u64, T> {
    let parts = on_loop_back(workers, |end| {
        let mut wire = Wire::new(end);
        let options = GrowingOptions::new(Ownership::new(workers).with_range(range)).with_directed(directed);
        let mut growing = Growing::in_memory(options);
        for epoch in changes.chunks(40_000.max(changes.len() / 5)) {
            // Every worker reads a stretch of the epoch.
            let cut = |worker: usize| epoch.len() * worker / workers;
            let mine = cut(wire.worker())..cut(wire.worker() + 1);
            growing.apply(&mut wire, &epoch[mine]).unwrap();
        }
        let version = growing.version();
        let part = version.part(&mut wire).unwrap();
        let found = run(&part, &mut wire);
        part.own.iter().map(|&vertex| part.ids[vertex as usize]).zip(found).collect::<Vec<_>>()
    });
    parts.into_iter().flatten().collect()
}

/// What makes a graph of nothing: its vertices, each by an edge that is deleted again, and its edges.
fn changes(input: &Input) -> Vec<Change> {
    let both = [Action::Insert, Action::Delete];
    let vertex = |id| both.map(|action| Change { action, from: id, to: id, weight: 1.0 });
    let edge = |Arc { from, to, weight }| Change { action: Action::Insert, from, to, weight };
    let edges = shares(input, 1).remove(0).arcs;
    input.ids.iter().flat_map(vertex).chain(edges.into_iter().map(edge)).collect()
}

/// Numbers of workers, and of vertices that one owns at a time. With the usual range small graphs have one owner.
const CUTS: [(usize, u64); 5] = [(1, 4096), (2, 4096), (2, 3), (3, 16), (4, 1)];

/// Whether tests run at their full size, as by night.
const FULL: bool = option_env!("PLEACH_FULL_SIZE").is_some();

/// The cuts of large graph number `k`: all by night, otherwise every `step`-th of them, from another one on for the next graph.
fn some(all: &[(usize, u64)], k: usize, step: usize) -> Vec<(usize, u64)> {
    let step = if FULL { 1 } else { step };
    all.iter().copied().skip(k % step).step_by(step).collect()
}
