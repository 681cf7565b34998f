//! petgraph's algorithms on snapshots give what they give on petgraph's own graphs.
#![cfg(feature = "petgraph")]
#![allow(missing_docs)]

use std::collections::BTreeMap;

use petgraph::algo::{connected_components, dijkstra, is_cyclic_directed, kosaraju_scc, page_rank};
use petgraph::graphmap::{DiGraphMap, UnGraphMap};
use petgraph::visit::{
    Bfs, EdgeRef, IntoEdgeReferences, IntoEdgesDirected, NodeCount, NodeIndexable, Reversed, Walker,
};
use pleach::graph::{GraphOptions, Update, WeightedGraph};

/// Edges of a small graph with a gap among its vertices, a self loop, and two components.
fn edges() -> Vec<(u32, u32, u64)> {
    let ring = (0..40).map(|k| (k, (k * 7 + 1) % 40, u64::from(k % 5) + 1));
    ring.chain([(3, 3, 2), (50, 51, 1), (51, 50, 4), (51, 52, 1)]).collect()
}

#[test]
fn directed() {
    let graph = WeightedGraph::<u64>::new(GraphOptions::default());
    graph.insert(edges()).unwrap();
    let held = graph.fresh();
    let snapshot = held.petgraph().unwrap();
    let theirs = DiGraphMap::<u32, u64>::from_edges(edges());
    for start in [0, 3, 50] {
        let found = dijkstra(&snapshot, start, None, |arc| *arc.weight());
        let expected = dijkstra(&theirs, start, None, |arc| *arc.weight());
        assert_eq!(found.into_iter().collect::<BTreeMap<_, _>>(), expected.into_iter().collect::<BTreeMap<_, _>>());
        let found = dijkstra(Reversed(&snapshot), start, None, |arc| *arc.weight());
        let expected = dijkstra(Reversed(&theirs), start, None, |arc| *arc.weight());
        assert_eq!(found.into_iter().collect::<BTreeMap<_, _>>(), expected.into_iter().collect::<BTreeMap<_, _>>());
    }
    let components = |mut components: Vec<Vec<u32>>| {
        components.iter_mut().for_each(|component| component.sort_unstable());
        components.sort();
        components
    };
    assert_eq!(components(kosaraju_scc(&snapshot)), components(kosaraju_scc(&theirs)));
    assert!(is_cyclic_directed(&snapshot));
    let incoming = (&snapshot).edges_directed(50, petgraph::Incoming).map(|arc| (arc.source(), *arc.weight()));
    assert!(incoming.eq([(51, 4)]));
    assert_eq!((snapshot.node_bound(), snapshot.node_count()), (43, 43));
    assert!((0..43).all(|index| snapshot.to_index(snapshot.from_index(index)) == index));
}

#[test]
fn undirected() {
    let graph = WeightedGraph::<u64>::new(GraphOptions::undirected());
    graph.insert(edges()).unwrap();
    let held = graph.fresh();
    let snapshot = held.petgraph().unwrap();
    let theirs = UnGraphMap::<u32, u64>::from_edges(edges());
    assert_eq!((&snapshot).edge_references().count(), theirs.edge_count());
    let mut found: Vec<u32> = Bfs::new(&snapshot, 50).iter(&snapshot).collect();
    found.sort_unstable();
    assert_eq!(found, [50, 51, 52]);
}

#[test]
fn removed_vertices_have_no_index() {
    let graph = WeightedGraph::<u64>::new(GraphOptions::default());
    graph.insert(edges()).unwrap();
    graph.apply([0, 3, 51, 52].map(Update::remove_vertex)).unwrap();
    let held = graph.fresh();
    let view = held.petgraph().unwrap();
    let mut theirs = DiGraphMap::<u32, u64>::from_edges(edges());
    for vertex in [0, 3, 51, 52] {
        theirs.remove_node(vertex);
    }
    // These two ask for compact indices.
    let found: BTreeMap<u32, f64> =
        (0..view.node_bound()).map(|index| view.from_index(index)).zip(page_rank(&view, 0.85, 20)).collect();
    let ranks = page_rank(&theirs, 0.85, 20);
    let expected: BTreeMap<u32, f64> = theirs.nodes().map(|vertex| (vertex, ranks[theirs.to_index(vertex)])).collect();
    assert!(found.keys().eq(expected.keys()));
    assert!(found.values().zip(expected.values()).all(|(a, b)| (a - b).abs() < 1e-12));
    assert_eq!(connected_components(&view), connected_components(&theirs));
}

#[test]
fn without_in_arcs_there_is_an_error() {
    let graph = WeightedGraph::<u64>::new(GraphOptions::default().with_incoming(false));
    graph.insert(edges()).unwrap();
    let held = graph.fresh();
    assert!(held.petgraph().unwrap_err().to_string().contains("in-arcs"));
    let outward = held.petgraph_outward();
    let theirs = DiGraphMap::<u32, u64>::from_edges(edges());
    let found = dijkstra(&outward, 0, None, |arc| *arc.weight());
    assert_eq!(found.len(), dijkstra(&theirs, 0, None, |arc| *arc.weight()).len());
}
