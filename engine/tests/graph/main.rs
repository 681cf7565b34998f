//! Graphs under random batches against a model, on stores of every kind, with snapshots held.
#![allow(missing_docs)]

mod cuts;
mod errors;
mod model;
mod panics;
mod removal;
mod stress;
mod stuck;
mod traits;

use model::{Model, Sample, apply, random_batch};
use pleach::graph::{Action, Conflict, Graph, GraphOptions, Publish, WeightedGraph};
use pleach::runtime::{BuildOuter, Dense, Nested, Packed, PackedDelta, Paged, SplitMix64, Store, UpdateOuter};
use pleach::stores::{BlistUnsorted, Bst, Btree, Ctree, Rbtree, Vblist};
use pleach::{BuildOptions, Csr, EdgeList};

/// Whether tests run at their full size, as by night.
const FULL: bool = option_env!("PLEACH_FULL_SIZE").is_some();

const ALL: [Action; 3] = [Action::Insert, Action::Reweight, Action::Delete];
const PATTERN: [Action; 2] = [Action::Insert, Action::Delete];

/// Batches of many sizes against the model; every third version is kept and compared again at the end.
fn run<O, R>(seed: u64, options: GraphOptions<R::Value>, vertices: usize)
where
    R: Store<Coord = u32>,
    R::Value: Sample,
    O: BuildOuter<R> + UpdateOuter<R> + 'static,
{
    let mut random = SplitMix64(seed);
    let graph = Graph::<R>::below::<O>(options);
    let mut model = Model::new(options.directed);
    let mut kept = Vec::new();
    let pattern = size_of::<R::Value>() == 0;
    for round in 0..24 {
        let size = [1, 2, 9, 60, 400, 1500][random.index(6)];
        let actions: &[Action] = match round % 4 {
            0 | 1 => &[Action::Insert],
            2 if pattern => &PATTERN,
            2 => &ALL,
            _ if pattern || random.index(2) == 0 => &[Action::Delete],
            _ => &[Action::Reweight],
        };
        let batch = random_batch(&mut random, &model, vertices, size, actions);
        assert_eq!(apply(&graph, &batch), model.apply(&batch, options.conflict), "round {round}");
        if round % 7 == 3 {
            let vertex = random.index(vertices.min(70)) as u32;
            let applied = graph.remove_vertex(vertex).unwrap();
            assert_eq!((applied.removed, applied.merged), (model.remove_vertex(vertex), 0));
        }
        if round % 5 == 4 {
            let vertex = random.index(2 * vertices) as u32;
            assert_eq!(graph.add_vertex(vertex).unwrap(), model.vertices.insert(vertex));
            model.batches += 1;
        }
        if round % 3 == 0 {
            let snapshot = graph.fresh();
            model.check(&snapshot);
            kept.push((snapshot, model.clone()));
        }
    }
    model.check(&graph.publish());
    for (snapshot, model) in &kept {
        model.check(snapshot);
    }
}

fn directed<V>(conflict: Conflict<V>) -> GraphOptions<V> {
    GraphOptions::default().with_conflict(conflict)
}

fn undirected<V>(conflict: Conflict<V>) -> GraphOptions<V> {
    GraphOptions::undirected().with_conflict(conflict)
}

#[test]
fn the_default_store() {
    run::<Paged<_>, Packed<u32, ()>>(1, directed(Conflict::Last), 300);
    run::<Paged<_>, Packed<u32, ()>>(2, undirected(Conflict::Last), 5000);
    run::<Paged<_>, Packed<u32, i64>>(3, undirected(Conflict::Sum), 300);
    run::<Paged<_>, Packed<u32, i64>>(4, directed(Conflict::Max), 100);
}

#[test]
fn every_conflict() {
    for conflict in [Conflict::First, Conflict::Min, Conflict::With(|old, new| 3 * old + new)] {
        run::<Paged<_>, Packed<u32, i64>>(5, directed(conflict), 60);
        run::<Paged<_>, Packed<u32, i64>>(6, undirected(conflict), 60);
    }
}

#[test]
fn without_in_arcs() {
    let options = GraphOptions::default().with_incoming(false);
    run::<Paged<_>, Packed<u32, i64>>(7, options, 200);
    let graph: Graph = Graph::new(GraphOptions::default().with_incoming(false));
    graph.insert([(0, 1), (2, 1)]).unwrap();
    let snapshot = graph.fresh();
    assert!(snapshot.in_degree(1).is_none() && snapshot.in_neighbors(1).is_none() && snapshot.adjacency().is_none());
}

#[test]
fn other_levels_and_stores() {
    run::<Dense<_>, PackedDelta<u32, i64>>(8, directed(Conflict::Sum), 300);
    run::<Nested<Bst<_>>, Ctree<i64>>(9, undirected(Conflict::Last), 300);
    run::<Nested<Ctree<_>>, Btree<()>>(10, directed(Conflict::Last), 300);
    run::<Nested<Rbtree<_>>, Vblist<i64>>(11, undirected(Conflict::Min), 120);
    run::<Nested<Vblist<_>>, Rbtree<()>>(12, directed(Conflict::Last), 120);
    run::<Dense<_>, BlistUnsorted<i64>>(13, undirected(Conflict::Sum), 120);
}

#[test]
fn building_at_once_equals_inserting() {
    let mut random = SplitMix64(4);
    for options in [directed(Conflict::Sum), undirected(Conflict::Sum)] {
        let mut list = EdgeList::<i64>::new(500, 500);
        for _ in 0..20_000 {
            list.push(random.index(500) as u32, random.index(300) as u32, random.index(5) as i64);
        }
        let (built, report) = WeightedGraph::from_edges::<Paged<_>>(list.clone(), options).unwrap();
        let inserted = WeightedGraph::new(options);
        let applied = inserted.insert_list(&list).unwrap();
        let (built, inserted) = (built.fresh(), inserted.fresh());
        assert!(built.edges().eq(inserted.edges()));
        assert_eq!(applied.new as u64, built.num_edges());
        assert_eq!(report.arcs as u64, built.num_arcs());
        assert_eq!((built.num_vertices(), built.version(), inserted.version()), (500, 0, 1));
        built.audit().unwrap();
        // Static rows are an independent third.
        let build = BuildOptions::default().with_duplicates(options.conflict.into()).with_undirected(!options.directed);
        let (csr, _) = Csr::from_edges(&list, &build).unwrap();
        let static_arcs = csr
            .view()
            .rows()
            .enumerate()
            .flat_map(|(row, arcs)| arcs.iter().map(move |(to, w)| (row as u32, to, w)))
            .collect::<Vec<_>>();
        assert!(built.arcs().eq(static_arcs));
    }
}

/// Many enough for several threads, all in one row, all the same, and none.
#[test]
fn large_and_odd_batches() {
    let graph: Graph = Graph::new(GraphOptions::undirected());
    let star: Vec<(u32, u32)> = (0..60_000).rev().map(|k| (7, k)).collect();
    assert_eq!(graph.insert(star.iter().copied()).unwrap().new, 60_000);
    let again = graph.insert(star.iter().map(|&(from, to)| (to, from))).unwrap();
    assert_eq!((again.new, again.unchanged, again.updates()), (0, 60_000, 60_000));
    let same = graph.insert(vec![(3, 4); 30_000]).unwrap();
    assert_eq!((same.new, same.merged), (1, 29_999));
    assert_eq!(graph.insert(Vec::<(u32, u32)>::new()).unwrap().updates(), 0);
    let snapshot = graph.fresh();
    snapshot.audit().unwrap();
    assert_eq!((snapshot.out_degree(7), snapshot.num_edges(), snapshot.version()), (60_000, 60_001, 4));
    assert_eq!(graph.remove_vertex(7).unwrap().removed, 60_000);
    let after = graph.fresh();
    after.audit().unwrap();
    assert_eq!((after.num_edges(), after.has_vertex(7), after.has_vertex(8)), (1, false, true));
    assert_eq!(snapshot.num_edges(), 60_001);
}

#[test]
fn boundaries_publish_as_the_policy_says() {
    let graph = |publish| -> Graph { Graph::new(GraphOptions::default().with_publish(publish)) };
    let when_asked = graph(Publish::WhenAsked);
    when_asked.insert([(0, 1)]).unwrap();
    when_asked.insert([(0, 2)]).unwrap();
    assert_eq!(when_asked.latest().version(), 0);
    when_asked.insert([(0, 3)]).unwrap();
    when_asked.insert([(0, 4)]).unwrap();
    assert_eq!(when_asked.latest().version(), 3);
    assert_eq!(when_asked.fresh().version(), 4);
    let every = graph(Publish::EveryBatch);
    every.insert([(0, 1)]).unwrap();
    every.insert([(0, 2)]).unwrap();
    assert_eq!(every.latest().version(), 2);
    let on_demand = graph(Publish::OnDemand);
    on_demand.latest();
    on_demand.insert([(0, 1)]).unwrap();
    assert_eq!((on_demand.latest().version(), on_demand.publish().version()), (0, 1));
}
