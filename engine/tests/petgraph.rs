//! petgraph's algorithms on snapshots give what they give on petgraph's own graphs.
#![cfg(feature = "petgraph")]
#![allow(missing_docs)]

use std::collections::BTreeMap;

use petgraph::algo::{dijkstra, is_cyclic_directed, kosaraju_scc};
use petgraph::graphmap::{DiGraphMap, UnGraphMap};
use petgraph::visit::{Bfs, EdgeRef, IntoEdgeReferences, IntoEdgesDirected, NodeIndexable, Reversed, Walker};
use pleach::graph::{GraphOptions, WeightedGraph};

/// Edges of a small graph with a gap among its vertices, a self loop, and two components.
fn edges() -> Vec<(u32, u32, u64)> {
    let ring = (0..40).map(|k| (k, (k * 7 + 1) % 40, u64::from(k % 5) + 1));
    ring.chain([(3, 3, 2), (50, 51, 1), (51, 50, 4), (51, 52, 1)]).collect()
}

#[test]
fn directed() {
    let graph = WeightedGraph::<u64>::new(GraphOptions::default());
    graph.insert(edges()).unwrap();
    let snapshot = graph.fresh();
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
    assert_eq!(snapshot.node_bound(), 53);
}

#[test]
fn undirected() {
    let graph = WeightedGraph::<u64>::new(GraphOptions::undirected());
    graph.insert(edges()).unwrap();
    let snapshot = graph.fresh();
    let theirs = UnGraphMap::<u32, u64>::from_edges(edges());
    assert_eq!((&snapshot).edge_references().count(), theirs.edge_count());
    let mut found: Vec<u32> = Bfs::new(&snapshot, 50).iter(&snapshot).collect();
    found.sort_unstable();
    assert_eq!(found, [50, 51, 52]);
}
