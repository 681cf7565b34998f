//! What differs between versions, in every row store and in every kind of outer level, against a comparison of all edges.

use std::collections::BTreeMap;

use pleach::graph::{Conflict, Difference, Edge, GraphOptions, Reweighted, Update};
use pleach_erased::{AnyGraph, AnySnapshot, Bundled, ROW_STORES};

/// Edges with their weights, and vertices.
type Contents = (BTreeMap<(u32, u32), f64>, Vec<u32>);

fn contents(snapshot: &AnySnapshot<f64>) -> Contents {
    let mut edges = BTreeMap::new();
    snapshot.for_each_edge(|from, to, weight| {
        edges.insert((from, to), weight);
    });
    (edges, snapshot.vertices().collect())
}

fn expected((from, before): (u64, &Contents), (to, after): (u64, &Contents)) -> Difference<f64> {
    let only = |a: &Contents, b: &Contents| -> Vec<Edge<f64>> {
        let edges = a.0.iter().filter(|(edge, _)| !b.0.contains_key(*edge));
        edges.map(|(&(from, to), &weight)| Edge { from, to, weight }).collect()
    };
    let vertices = |a: &Contents, b: &Contents| a.1.iter().copied().filter(|v| b.1.binary_search(v).is_err()).collect();
    let reweighted = after.0.iter().filter_map(|(&(from, to), &weight)| {
        let before = *before.0.get(&(from, to)).filter(|&&before| before != weight)?;
        Some(Reweighted { from, to, before, after: weight })
    });
    let mut changes = AnyGraph::<f64>::new(&"graph".parse().unwrap(), GraphOptions::default())
        .map(|graph| graph.fresh().diff(&graph.fresh()).unwrap())
        .unwrap();
    assert!(changes.is_empty());
    (changes.from, changes.to) = (from, to);
    changes.added = only(after, before);
    changes.removed = only(before, after);
    changes.reweighted = reweighted.collect();
    changes.vertices_added = vertices(after, before);
    changes.vertices_removed = vertices(before, after);
    changes
}

#[test]
fn differences_are_those_of_all_edges_in_every_store() {
    let mut random = 23u64;
    let mut below = |n: u64| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((u128::from(random) * u128::from(n)) >> 64) as u32
    };
    for (k, row) in ROW_STORES.iter().enumerate() {
        for outer in ["paged", "dense", ["bst", "list", "blist_unsorted"][k % 3]] {
            let options = GraphOptions::default().with_directed(k % 2 == 0).with_conflict(Conflict::Last);
            let graph = AnyGraph::<f64>::new(&format!("{outer},{row}").parse().unwrap(), options).unwrap();
            let mut kept: Vec<(AnySnapshot<f64>, Contents)> = Vec::new();
            for round in 0..8u32 {
                // A hub of several levels of chunks, that changes at a few places, and vertices that come and go.
                let first = if round == 0 { 1500 } else { 0 };
                let hub = (0..first).map(|k| Update::insert((3, 2 * k, 1.0)));
                let mut updates: Vec<Update<f64>> = hub.collect();
                for _ in 0..[400, 3, 0, 40][round as usize % 4] {
                    let (from, to, weight) = (below(300), below(5200), f64::from(below(4)));
                    let from = if below(3) == 0 { 3 } else { from };
                    updates.push(match below(12) {
                        0..7 => Update::insert((from, to, weight)),
                        7..9 => Update::reweight(from, to & !1, weight),
                        9..11 => Update::delete(from, to),
                        _ => Update::remove_vertex(from + 4),
                    });
                }
                if round == 6 {
                    // Trees of directories and sets of vertices grow.
                    updates.push(Update::insert((90_000, 3, 0.5)));
                }
                graph.apply(updates).unwrap();
                let snapshot = graph.fresh();
                let now = contents(&snapshot);
                for (older, then) in kept.iter().rev().step_by(2).take(2) {
                    let changes = snapshot.diff(older).unwrap();
                    assert!(changes == expected((older.version(), then), (snapshot.version(), &now)), "{outer},{row}");
                    let back = older.diff(&snapshot).unwrap();
                    assert!(back == expected((snapshot.version(), &now), (older.version(), then)), "{outer},{row}");
                }
                assert!(snapshot.diff(&snapshot.clone()).unwrap().is_empty());
                kept.push((snapshot, now));
            }
        }
    }
}

fn store<V: Bundled>(name: &str) -> AnyGraph<V> {
    AnyGraph::new(&name.parse().unwrap(), GraphOptions::undirected()).unwrap()
}

/// Graphs that have nothing in common can be compared too, if their rows are in one store.
#[test]
fn any_two_graphs_in_one_row_store_can_be_compared() {
    let (paged, nested, other) = (store::<()>("paged,packed"), store::<()>("bst,packed"), store::<()>("paged,btree"));
    for graph in [&paged, &nested, &other] {
        graph.insert([(0, 1), (5, 900)]).unwrap();
    }
    paged.delete([(0, 1)]).unwrap();
    let changes = paged.fresh().diff(&nested.fresh()).unwrap();
    assert_eq!((changes.added, changes.removed), (vec![], vec![Edge::from((0, 1))]));
    assert!(paged.fresh().diff(&other.fresh()).is_none());
}

/// Rows of unlike lengths differ, also where a store keeps them in the same bytes and edges have no weights.
#[test]
fn rows_that_grow_by_neighbours_differ() {
    for row in ROW_STORES {
        for outer in ["paged", "dense"] {
            let options = GraphOptions::default().with_directed(true);
            let graph = AnyGraph::<()>::new(&format!("{outer},{row}").parse().unwrap(), options).unwrap();
            graph.insert([(9, 5), (10, 0)]).unwrap();
            let before = graph.fresh();
            let grown = [(9, 6)].into_iter().chain((1..8).map(|to| (10, to)));
            // So many rows change that they are compared page by page.
            graph.insert(grown.clone().chain((100..5000).map(|v| (v, v)))).unwrap();
            let after = graph.fresh();
            let near = |edges: Vec<Edge<()>>| -> Vec<(u32, u32)> {
                edges.into_iter().map(|edge| (edge.from, edge.to)).filter(|edge| edge.0 < 100).collect()
            };
            let expected: Vec<(u32, u32)> = grown.collect();
            assert_eq!(near(after.diff(&before).unwrap().added), expected, "{outer},{row}");
            assert_eq!(near(before.diff(&after).unwrap().removed), expected, "{outer},{row}");
        }
    }
}

/// Far versions and large changes are found by pages, near ones by the rows that changed: both find the same, also across versions that were
/// never published, and between a graph and one that was made from its snapshot and has the same numbers of versions.
#[test]
fn near_and_far_versions_differ_as_all_edges_do() {
    let mut random = 5u64;
    let mut below = |n: u64| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((u128::from(random) * u128::from(n)) >> 64) as u32
    };
    for directed in [false, true] {
        let options = GraphOptions::default().with_directed(directed);
        let graph = AnyGraph::<f64>::new(&"graph".parse().unwrap(), options).unwrap();
        let other = AnyGraph::<f64>::new(&"graph".parse().unwrap(), options).unwrap();
        let mut kept: Vec<(AnySnapshot<f64>, Contents)> = Vec::new();
        for round in 0..12u32 {
            // A thousand rows are remembered: some batches change more of them, and some alone change few.
            let size = [3000, 1, 20, 700, 5, 600][round as usize % 6];
            let mut updates: Vec<Update<f64>> = (0..size)
                .map(|_| match below(4) {
                    0 => Update::delete(below(2000), below(2000)),
                    _ => Update::insert((below(2000), below(2000), f64::from(below(3)))),
                })
                .collect();
            if round % 4 == 1 {
                updates.push(Update::remove_vertex(below(2000)));
                updates.push(Update::insert((7, 7, f64::from(round))));
            }
            graph.apply(updates).unwrap();
            graph.add_vertex(3000 + round).unwrap();
            graph.insert_edge(below(2000), 2500, 1.0).unwrap();
            other.apply([Update::insert((round, round + 1, 1.0))]).unwrap();
            let snapshot = graph.fresh();
            let now = contents(&snapshot);
            for (older, then) in &kept {
                let changes = snapshot.diff(older).unwrap();
                assert!(changes == expected((older.version(), then), (snapshot.version(), &now)), "round {round}");
                let back = older.diff(&snapshot).unwrap();
                assert!(back == expected((snapshot.version(), &now), (older.version(), then)), "round {round}");
            }
            let another = other.fresh();
            let changes = snapshot.diff(&another).unwrap();
            let expected = expected((another.version(), &contents(&another)), (snapshot.version(), &now));
            assert!(changes == expected, "another graph, round {round}");
            kept.push((snapshot, now));
        }
        // So many versions that the first ones are forgotten.
        let (begin, then) = (graph.fresh(), contents(&graph.fresh()));
        for k in 0..300 {
            graph.insert_edge(k, 2 * k, 5.0).unwrap();
            graph.publish();
        }
        let now = graph.fresh();
        let changes = now.diff(&begin).unwrap();
        assert!(changes == expected((begin.version(), &then), (now.version(), &contents(&now))));
    }
}
