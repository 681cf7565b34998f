//! What a user's program may count on: `Debug`, exact sizes, unwinding.

use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind};

use pleach::Matrix;
use pleach::graph::{Graph, GraphOptions, Ids, IdsVersion, Prepared, Snapshot, Update, VertexSet, WeightedGraph};
use pleach::runtime::{Packed, Paged};
use pleach::stores::BlistUnsorted;
use pleach::traverse::Adjacency;

#[test]
fn debug_says_what_there_is() {
    let graph: Graph = Graph::new(GraphOptions::undirected());
    graph.insert([(0, 1), (1, 2)]).unwrap();
    let snapshot = graph.publish();
    let text = "Snapshot { version: 1, directed: false, vertices: 3, edges: 2, .. }";
    assert_eq!(format!("{snapshot:?}"), text);
    assert_eq!(format!("{graph:?}"), format!("Graph {{ published: {text}, .. }}"));
    let prepared = graph.prepare([Update::insert((0, 1)), Update::remove_vertex(2)]).unwrap();
    assert_eq!(format!("{prepared:?}"), "Prepared { updates: 1, vertices_removed: 1, .. }");
    let ids = Ids::<str>::new();
    ids.intern("a").unwrap();
    ids.remove("a");
    assert_eq!(format!("{ids:?} {:?}", ids.version()), "Ids { len: 0, bound: 1, .. } IdsVersion { len: 0, .. }");
    assert_eq!(format!("{:?}", VertexSet::first(3)), "{0, 1, 2}");
}

/// Compares the size that an iterator promises with what it gives, step by step.
fn exact<T>(mut elements: impl ExactSizeIterator<Item = T>, expected: usize) {
    for left in (0..expected).rev() {
        assert_eq!(elements.len(), left + 1);
        assert!(elements.next().is_some());
    }
    assert_eq!(elements.size_hint(), (0, Some(0)));
    assert!(elements.next().is_none());
}

#[test]
fn sizes_are_exact() {
    fn check<R: pleach::runtime::Store<Coord = u32, Value = i64>>(graph: &Graph<R>) {
        graph.insert((0..300).map(|k| (k % 17, k * k % 290, 1))).unwrap();
        graph.insert([(3, 3, 1)]).unwrap();
        graph.remove_vertex(5).unwrap();
        let snapshot = graph.fresh();
        exact(snapshot.vertices(), snapshot.num_vertices());
        check_adjacency(&snapshot);
        check_adjacency(&graph.fresh().compact().unwrap().graph.fresh());
        exact(snapshot.arcs(), snapshot.num_arcs() as usize);
        exact(snapshot.edges(), snapshot.num_edges() as usize);
        for vertex in [0, 3, 5, 1_000] {
            exact(snapshot.neighbors(vertex), snapshot.out_degree(vertex));
            exact(snapshot.in_neighbors(vertex).unwrap(), snapshot.in_degree(vertex).unwrap());
        }
    }
    /// The vertices of a graph, and the numbers below the bound that are not vertices.
    fn check_adjacency<R: pleach::runtime::Store<Coord = u32, Value = i64>>(snapshot: &Snapshot<R>) {
        let graph = Adjacency::from(snapshot);
        exact(graph.vertices(), graph.num_vertices());
        exact(graph.absent(), graph.bound() - graph.num_vertices());
        assert!(graph.vertices().all(|vertex| graph.has_vertex(vertex)));
        assert!(graph.absent().all(|vertex| !graph.has_vertex(vertex)));
    }
    let ids = Ids::<u64>::new();
    (0..9).for_each(|key| _ = ids.intern(&(key * key)).unwrap());
    assert!(ids.remove(&4).is_some() && ids.remove(&64).is_some());
    exact(ids.iter(), 7);
    check(&WeightedGraph::<i64>::new(GraphOptions::default()));
    check(&WeightedGraph::<i64>::new(GraphOptions::undirected()));
    check(&Graph::<BlistUnsorted<i64>>::below::<Paged<_>>(GraphOptions::undirected()));
}

#[test]
fn unwinding_leaves_no_trace() {
    fn safe<T: UnwindSafe + RefUnwindSafe>() {}
    safe::<Graph>();
    safe::<Snapshot<Packed<u32, f64>>>();
    safe::<Matrix<Packed<u32, f64>>>();
    safe::<Matrix<BlistUnsorted<i64>>>();
    safe::<Ids<str>>();
    safe::<IdsVersion<u64>>();
    safe::<Prepared<f64>>();
    safe::<VertexSet>();
    let graph: Graph = Graph::new(GraphOptions::default());
    graph.insert([(0, 1)]).unwrap();
    // No `AssertUnwindSafe` is needed around the graph.
    let caught = catch_unwind(|| {
        let stops: AssertUnwindSafe<fn(u32) -> (u32, u32)> =
            AssertUnwindSafe(|k| if k < 3 { (k, 9) } else { panic!("the caller's iterator") });
        graph.insert((0..9).map(stops.0))
    });
    assert!(caught.is_err());
    assert_eq!((graph.fresh().version(), graph.fresh().num_edges()), (1, 1));
    graph.insert([(1, 2)]).unwrap();
    graph.fresh().audit().unwrap();
}
