//! Vertices that are removed within batches, and graphs numbered anew without them.

use pleach::graph::{Action, Applied, Conflict, Graph, GraphError, GraphOptions, Snapshot, Update, WeightedGraph};
use pleach::runtime::{BuildOuter, Dense, Nested, Packed, Paged, SplitMix64, Store, UpdateOuter};
use pleach::sort::Weight;
use pleach::stores::{BlistUnsorted, Ctree};
use pleach::traverse::Adjacency;

use crate::model::Sample;

fn edges<R: Store<Coord = u32, Value: Copy>>(snapshot: &Snapshot<R>) -> Vec<(u32, u32, R::Value)> {
    snapshot.edges().map(|(from, to, &weight)| (from, to, weight)).collect()
}

#[test]
fn updates_before_and_after_a_removal() {
    let graph = WeightedGraph::<i64>::new(GraphOptions::default().with_conflict(Conflict::Sum));
    graph.insert([(0, 1, 1), (1, 2, 2), (2, 3, 3), (3, 1, 4), (1, 1, 5)]).unwrap();
    let applied = graph
        .apply([
            Update::insert((2, 3, 10)),
            // Undone by the removal, but its other end stays.
            Update::insert((1, 9, 7)),
            Update::reweight(1, 2, 100),
            Update::remove_vertex(1),
            // Begins anew: nothing is added to what was there.
            Update::insert((1, 2, 6)),
            Update::insert((1, 2, 1)),
            Update::delete(0, 1),
            Update::reweight(3, 1, 8),
            Update::remove_vertex(77),
        ])
        .unwrap();
    let snapshot = graph.fresh();
    snapshot.audit().unwrap();
    assert_eq!(edges(&snapshot), [(1, 2, 7), (2, 3, 13)]);
    assert!(snapshot.vertices().eq([0, 1, 2, 3, 9]));
    // Changed: 1 → 2 and 2 → 3. Removed: 0 → 1, 3 → 1 and 1 → 1. Merged: the second insertion, and the two that were undone.
    let expected = Applied { changed: 2, removed: 3, merged: 3, version: 2, ..Applied::default() };
    assert_eq!(applied, expected);
    let applied = graph.apply([Update::remove_vertex(2), Update::remove_vertex(1), Update::remove_vertex(2)]).unwrap();
    assert_eq!(applied, Applied { removed: 2, vertices_removed: 2, version: 3, ..Applied::default() });
    assert!(graph.fresh().vertices().eq([0, 3, 9]) && graph.fresh().num_edges() == 0);
}

#[test]
fn a_batch_that_fails_removes_nothing() {
    let options = GraphOptions::default().with_conflict(Conflict::Error).with_max_vertices(10);
    let graph: Graph = Graph::new(options);
    graph.insert([(0, 1), (1, 2), (3, 4)]).unwrap();
    let error = graph.apply([Update::remove_vertex(1), Update::insert((3, 4))]).unwrap_err();
    assert_eq!(error, GraphError::AlreadyThere { from: 3, to: 4 });
    let error = graph.apply([Update::remove_vertex(1), Update::insert((3, 10))]).unwrap_err();
    assert_eq!(error, GraphError::VertexOutOfRange { update: 1, vertex: 10, limit: 10 });
    assert_eq!((graph.fresh().version(), graph.fresh().num_vertices()), (1, 5));
    // What is beyond the limit is not there.
    assert_eq!(graph.apply([Update::remove_vertex(u32::MAX)]).unwrap().vertices_removed, 0);
    // An edge that went with its end may be inserted again.
    graph.apply([Update::remove_vertex(3), Update::insert((3, 4))]).unwrap();
    assert!(graph.fresh().has_edge(3, 4));
}

/// Insertions that a removal undoes must be possible all the same where no edge may be inserted twice: a batch fails if its updates would
/// fail one by one.
#[test]
fn insertions_before_a_removal_are_checked() {
    let shapes = [GraphOptions::default(), GraphOptions::default().with_incoming(false), GraphOptions::undirected()]
        .map(|options| options.with_conflict(Conflict::Error));
    let sample = |options: GraphOptions<i64>| {
        let graph = WeightedGraph::<i64>::new(options);
        graph.insert([(0, 1, 5), (2, 2, 6)]).unwrap();
        graph
    };
    let insert = |from: u32, to: u32| Update::<i64>::insert((from, to, 1));
    let remove = Update::<i64>::remove_vertex;
    let there = |from, to| Some(GraphError::AlreadyThere { from, to });
    let twice = |from, to| Some(GraphError::InsertedTwice { from, to });
    for options in shapes {
        for (updates, error) in [
            (vec![insert(0, 1), remove(1)], there(0, 1)),
            (vec![insert(2, 2), remove(2), insert(2, 2)], there(2, 2)),
            (vec![insert(3, 4), insert(3, 4), remove(4)], twice(3, 4)),
            (vec![Update::delete(0, 1), insert(0, 1), insert(0, 1), remove(0)], twice(0, 1)),
            (vec![insert(3, 4), remove(3), insert(3, 4), insert(3, 4), remove(4)], twice(3, 4)),
            (vec![remove(1), insert(0, 1), remove(0), insert(0, 1)], None),
            (vec![insert(3, 4), Update::delete(3, 4), insert(3, 4), remove(4), remove(3)], None),
        ] {
            let graph = sample(options);
            assert_eq!(graph.apply(updates.iter().copied()).err(), error, "{updates:?}");
            assert_eq!(graph.fresh().version(), if error.is_some() { 1 } else { 2 });
        }
    }
    let mut random = SplitMix64(8);
    let (mut done, mut failed) = (0, 0);
    for trial in 0..600 {
        let updates: Vec<Update<i64>> = (0..8)
            .map(|_| {
                let (from, to) = (random.index(4) as u32, random.index(4) as u32);
                match random.index(8) {
                    0 | 1 => remove(from),
                    2 => Update::delete(from, to),
                    3 => Update::reweight(from, to, 9),
                    _ => insert(from, to),
                }
            })
            .collect();
        let (graph, single) = (sample(shapes[trial % 3]), sample(shapes[trial % 3]));
        let expected = updates.iter().try_for_each(|&update| single.apply([update]).map(drop));
        let applied = graph.apply(updates.iter().copied());
        assert_eq!(applied.is_ok(), expected.is_ok(), "{updates:?}: {applied:?}, and one by one {expected:?}");
        let snapshot = graph.fresh();
        snapshot.audit().unwrap();
        if applied.is_ok() {
            done += 1;
            assert_eq!(edges(&snapshot), edges(&single.fresh()), "{updates:?}");
            assert!(snapshot.vertices().eq(single.fresh().vertices()), "{updates:?}");
        } else {
            failed += 1;
            assert_eq!(snapshot.version(), 1);
        }
    }
    assert!(done > 50 && failed > 50, "{done} {failed}");
}

/// Batches with removals against the same updates applied one by one.
fn one_by_one<O, R>(seed: u64, options: GraphOptions<R::Value>)
where
    R: Store<Coord = u32, Value: Sample>,
    O: BuildOuter<R> + UpdateOuter<R> + 'static,
{
    let mut random = SplitMix64(seed);
    let (graph, single) = (Graph::<R>::below::<O>(options), Graph::<R>::below::<O>(options));
    for round in 0..60 {
        let size = [1, 5, 40, 300][round % 4];
        let updates: Vec<Update<R::Value>> = (0..size)
            .map(|_| {
                let (from, to) = (random.index(60) as u32, random.index(60) as u32);
                let edge = (from, to, R::Value::sample(random.index(5))).into();
                match random.index(12) {
                    0 => Update::remove_vertex(from),
                    1 if size_of::<R::Value>() > 0 => Update { edge, action: Action::Reweight },
                    _ => Update { edge, action: Action::Insert },
                }
            })
            .collect();
        let before = graph.fresh();
        let applied = graph.apply(updates.iter().copied()).unwrap();
        for &update in &updates {
            single.apply([update]).unwrap();
        }
        let (found, expected) = (graph.fresh(), single.fresh());
        found.audit().unwrap();
        assert!(edges(&found) == edges(&expected), "round {round}");
        assert!(found.vertices().eq(expected.vertices()), "round {round}");
        let change = found.num_edges() as i64 - before.num_edges() as i64;
        assert_eq!(applied.new as i64 - applied.removed as i64, change, "round {round}");
        let gone = before.vertices().filter(|&vertex| !found.has_vertex(vertex)).count();
        assert_eq!(applied.vertices_removed, gone, "round {round}");
    }
}

#[test]
fn batches_equal_single_updates() {
    fn with<V>(directed: bool, incoming: bool, conflict: Conflict<V>) -> GraphOptions<V> {
        GraphOptions::default().with_directed(directed).with_incoming(incoming).with_conflict(conflict)
    }
    one_by_one::<Paged<_>, Packed<u32, ()>>(1, with(true, true, Conflict::Last));
    one_by_one::<Paged<_>, Packed<u32, i64>>(2, with(false, false, Conflict::Sum));
    one_by_one::<Dense<_>, Packed<u32, i64>>(3, with(true, false, Conflict::Min));
    one_by_one::<Nested<pleach::stores::Bst<_>>, Ctree<i64>>(
        4,
        with(true, true, Conflict::With(|old, new| 2 * old + new)),
    );
    one_by_one::<Dense<_>, BlistUnsorted<()>>(5, with(false, true, Conflict::Last));
}

/// What compact numbers stand for.
fn check_compact<R: Store<Coord = u32, Value: Weight + std::fmt::Debug>>(graph: &Graph<R>) {
    let snapshot = graph.fresh();
    let compact = snapshot.compact().unwrap();
    let (numbering, dense) = (&compact.numbering, compact.graph.fresh());
    dense.audit().unwrap();
    assert!(dense.vertices().eq(0..snapshot.num_vertices() as u32));
    assert!(snapshot.vertices().eq(numbering.old().iter().copied()));
    let old = |new: u32| numbering.old_of(new).unwrap();
    assert!(dense.arcs().map(|(from, to, weight)| (old(from), old(to), weight)).eq(snapshot.arcs()));
    assert_eq!(
        (dense.is_directed(), dense.incoming().is_some()),
        (snapshot.is_directed(), snapshot.incoming().is_some())
    );
    assert!(snapshot.vertices().zip(0..).all(|(old, new)| numbering.new_of(old) == Some(new)));
    assert_eq!((numbering.new_of(u32::MAX), numbering.old_of(numbering.len() as u32)), (None, None));
    // It is a graph of its own.
    compact.graph.apply([Update::remove_vertex(0)]).unwrap();
    assert_eq!(graph.fresh().num_edges(), snapshot.num_edges());
}

#[test]
fn compact_graphs() {
    for options in [GraphOptions::undirected(), GraphOptions::default(), GraphOptions::default().with_incoming(false)] {
        let graph = WeightedGraph::<i64>::new(options);
        check_compact(&graph);
        graph.insert((0..200).map(|k| (k, k * k % 190, i64::from(k)))).unwrap();
        check_compact(&graph);
        graph.apply((0..200).step_by(3).map(Update::remove_vertex)).unwrap();
        graph.add_vertex(5_000).unwrap();
        check_compact(&graph);
    }
}

#[test]
fn algorithms_are_shown_the_vertices_that_are_there() {
    let graph: Graph = Graph::new(GraphOptions::default());
    graph.insert([(0, 1), (1, 2), (2, 3), (3, 4)]).unwrap();
    let snapshot = graph.fresh();
    let seen = Adjacency::from(&snapshot);
    assert!(seen.is_compact() && seen.absent().next().is_none() && seen.vertices().eq(0..5));
    assert_eq!((seen.num_vertices(), seen.bound()), (5, 5));
    graph.apply([0, 3].map(Update::remove_vertex)).unwrap();
    let snapshot = graph.fresh();
    for seen in [Adjacency::from(&snapshot), snapshot.adjacency().unwrap().reversed().unwrap()] {
        assert!(!seen.is_compact() && seen.vertices().eq([1, 2, 4]) && seen.absent().eq([0, 3]));
        assert_eq!((seen.num_vertices(), seen.bound(), seen.num_arcs()), (3, 5, 1));
        assert!([1, 2, 4].into_iter().all(|vertex| seen.has_vertex(vertex)));
        assert!([0, 3, 5, u32::MAX].into_iter().all(|vertex| !seen.has_vertex(vertex)));
    }
    let outward: Graph = Graph::new(GraphOptions::default().with_incoming(false));
    let snapshot = outward.fresh();
    assert!(snapshot.adjacency().is_none() && Adjacency::from(&snapshot).incoming().is_none());
}
