//! A wrong update is an error that says what is wrong, and has no effect.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use pleach::EdgeList;
use pleach::graph::{
    Conflict, DEFAULT_MAX_VERTICES, Graph, GraphError, GraphOptions, MAX_VERTICES, Update, WeightedGraph,
};
use pleach::runtime::{Dense, Packed};

use crate::stuck::watched;

/// As many vertices as there can be.
fn wide<V>() -> GraphOptions<V> {
    GraphOptions::default().with_max_vertices(MAX_VERTICES)
}

fn weighted(conflict: Conflict<i64>) -> WeightedGraph<i64> {
    let graph = WeightedGraph::new(GraphOptions::undirected().with_conflict(conflict));
    graph.insert([(0, 1, 5), (1, 2, 6)]).unwrap();
    graph
}

/// Nothing has changed since the first batch, and the graph is still good for another.
fn intact(graph: &WeightedGraph<i64>) {
    let snapshot = graph.fresh();
    assert_eq!(snapshot.version(), 1);
    assert!(snapshot.edges().map(|(from, to, &weight)| (from, to, weight)).eq([(0, 1, 5), (1, 2, 6)]));
    assert_eq!(graph.insert([(7, 8, 9)]).unwrap().new, 1);
    assert_eq!(graph.delete([(8, 7)]).unwrap().removed, 1);
    assert_eq!(graph.fresh().version(), 3);
}

#[test]
fn vertices_over_the_limit() {
    let graph: Graph = Graph::new(GraphOptions::default().with_max_vertices(10));
    let error = graph.insert([(0, 9), (3, 10), (12, 0)]).unwrap_err();
    assert_eq!(error, GraphError::VertexOutOfRange { update: 1, vertex: 10, limit: 10 });
    let told = error.to_string();
    assert!(
        told.starts_with("update 1 names vertex 10, but this graph may have 10 vertices, numbered from 0"),
        "{told}"
    );
    assert!(graph.delete([(10, 0)]).is_err() && graph.add_vertex(10).is_err());
    assert_eq!((graph.fresh().version(), graph.fresh().num_vertices()), (0, 0));
    assert!(graph.add_vertex(9).unwrap());
    // One far vertex would cost every algorithm arrays of that length: it is refused unless it is asked for.
    let graph: Graph = Graph::new(GraphOptions::default());
    let error = graph.insert([(7, 4_000_000_000)]).unwrap_err();
    assert_eq!(error, GraphError::VertexOutOfRange { update: 0, vertex: 4_000_000_000, limit: DEFAULT_MAX_VERTICES });
    assert!(error.to_string().contains("raise `GraphOptions::max_vertices`"), "{error}");
    assert_eq!(graph.insert([(7, DEFAULT_MAX_VERTICES as u32 - 1)]).unwrap().new, 1);
    let edges = EdgeList::new(DEFAULT_MAX_VERTICES + 1, 1);
    let error = Graph::<Packed<u32, ()>>::from_edges::<Dense<_>>(edges, GraphOptions::default()).err().unwrap();
    assert!(error.to_string().contains("raise `GraphOptions::max_vertices`"), "{error}");
    // The largest 32-bit integer marks gaps.
    let graph: Graph = Graph::new(wide());
    assert!(graph.insert([(0, u32::MAX)]).is_err());
    assert_eq!(graph.insert([(u32::MAX - 1, 0)]).unwrap().new, 1);
    assert!(graph.fresh().has_edge(u32::MAX - 1, 0));
}

#[test]
fn weights_on_a_pattern() {
    let graph: Graph = Graph::new(GraphOptions::default());
    assert_eq!(graph.reweight([(0, 1, ())]).unwrap_err(), GraphError::NoWeights { update: 0 });
    let updates = [Update::insert((0, 1)), Update::reweight(0, 1, ())];
    assert_eq!(graph.apply(updates).unwrap_err(), GraphError::NoWeights { update: 1 });
    assert_eq!(graph.fresh().num_edges(), 0);
}

#[test]
fn conflicts_that_are_errors() {
    let graph = weighted(Conflict::Error);
    assert_eq!(graph.insert([(3, 4, 1), (1, 0, 2)]).unwrap_err(), GraphError::AlreadyThere { from: 0, to: 1 });
    let twice = graph.insert([(3, 4, 1), (4, 3, 2)]).unwrap_err();
    assert_eq!(twice, GraphError::InsertedTwice { from: 3, to: 4 });
    assert!(twice.to_string().contains("from 3 to 4 twice"));
    intact(&graph);
    // Deleted first, it may be inserted again.
    let applied = graph.apply([Update::delete(1, 0), Update::insert((0, 1, 9))]).unwrap();
    assert_eq!((applied.changed, applied.merged), (1, 1));
}

#[test]
fn panics_in_what_is_passed_in() {
    let graph = weighted(Conflict::With(|_, _| panic!("no weight fits")));
    assert!(catch_unwind(AssertUnwindSafe(|| graph.insert([(5, 6, 1), (0, 1, 2)]))).is_err());
    let broken = (0..200).map(|k| if k < 100 { (k, k + 1, 0) } else { panic!("the source broke off") });
    assert!(catch_unwind(AssertUnwindSafe(|| graph.insert(broken))).is_err());
    intact(&graph);
}

#[test]
fn batches_that_cannot_fit() {
    let graph = weighted(Conflict::Last);
    let huge = std::iter::repeat_n((1, 2, 3), usize::MAX);
    assert!(matches!(graph.insert(huge), Err(GraphError::OutOfMemory { .. })));
    intact(&graph);
}

/// A far vertex below a level that keeps a page for every vertex before it.
#[test]
fn vertices_out_of_all_proportion() {
    let far = 4_000_000_000;
    let graph = Graph::<Packed<u32, ()>>::below::<Dense<_>>(wide());
    graph.insert([(0, 1), (1, 2)]).unwrap();
    let error = graph.insert([(5, 6), (far, 0)]).unwrap_err();
    assert!(matches!(error, GraphError::TooFar { vertex, bytes } if vertex == far && bytes > 1 << 30), "{error}");
    assert!(error.to_string().contains("vertex 4000000000 is so far beyond the others"), "{error}");
    // In the matrix of in-arcs.
    assert!(matches!(graph.insert([(0, far)]), Err(GraphError::TooFar { .. })));
    let snapshot = graph.fresh();
    assert_eq!((snapshot.version(), snapshot.num_edges(), snapshot.num_vertices()), (1, 2, 3));
    assert!(!snapshot.has_vertex(far) && snapshot.audit().is_ok());
    // What is deleted needs no room, and nearer vertices have it.
    assert_eq!(graph.delete([(far, 0)]).unwrap().absent, 1);
    assert_eq!(graph.insert([(100_000, 0)]).unwrap().new, 1);
    let paged: Graph = Graph::new(wide());
    assert_eq!(paged.insert([(far, 0)]).unwrap().new, 1);
    assert!(paged.add_vertex(far + 1).unwrap() && paged.fresh().audit().is_ok());
}

#[test]
fn what_is_absent_is_counted() {
    let graph = weighted(Conflict::Last);
    let deleted = graph.delete([(5, 6), (0, 2), (9, 9)]).unwrap();
    assert_eq!((deleted.absent, deleted.removed), (3, 0));
    let changed = graph.reweight([(5, 6, 1), (2, 1, 6), (1, 0, 8)]).unwrap();
    assert_eq!((changed.absent, changed.unchanged, changed.changed), (1, 1, 1));
    let snapshot = graph.fresh();
    assert_eq!((snapshot.num_vertices(), snapshot.weight(0, 1)), (3, Some(&8)), "what is absent makes no vertex");
    assert_eq!(graph.remove_vertex(77).unwrap().updates(), 0);
}

#[test]
fn batches_of_another_shape_are_refused() {
    let shapes = [
        GraphOptions::default(),
        GraphOptions::undirected(),
        GraphOptions::default().with_incoming(false),
        GraphOptions::default().with_conflict(Conflict::Sum),
    ];
    let graphs = shapes.map(WeightedGraph::<i64>::new);
    for (k, preparing) in graphs.iter().enumerate() {
        for (j, graph) in graphs.iter().enumerate() {
            let batch = preparing.prepare([Update::insert((0, 1, 2)), Update::insert((0, 1, 3))]).unwrap();
            let before = graph.fresh().version();
            match graph.commit(batch) {
                Ok(applied) => assert!(k == j && applied.new + applied.changed + applied.unchanged == 1),
                Err(error) => {
                    assert!(k != j && matches!(error, GraphError::OtherShape { .. }), "{error}");
                    assert_eq!(graph.fresh().version(), before);
                }
            }
            graph.fresh().audit().unwrap();
        }
    }
    // Whether in-arcs are kept need not agree for undirected graphs: they have no matrix of in-arcs in any case.
    let plain: Graph = Graph::new(GraphOptions::undirected().with_incoming(false));
    let other: Graph = Graph::new(GraphOptions::undirected());
    assert_eq!(plain.commit(other.prepare([Update::insert((0, 1))]).unwrap()).unwrap().new, 1);
    // A larger limit lets through what a smaller one does not.
    let small: Graph = Graph::new(GraphOptions::undirected().with_max_vertices(8));
    assert_eq!(small.commit(other.prepare([Update::insert((6, 7))]).unwrap()).unwrap().new, 1);
    let error = small.commit(other.prepare([Update::insert((6, 8))]).unwrap()).unwrap_err().to_string();
    assert!(error.contains("undirected graph of up to 67108864 vertices") && error.contains("up to 8"), "{error}");
}

/// Weights that are no numbers: an audit passes, and putting the same there again changes nothing.
#[test]
fn weights_that_are_no_numbers() {
    for options in [GraphOptions::default(), GraphOptions::undirected()] {
        let graph = WeightedGraph::<f64>::new(options);
        let edges = [(3, 3, f64::NAN), (0, 1, f64::NAN)];
        assert_eq!(graph.insert(edges).unwrap().new, 2);
        graph.fresh().audit().unwrap();
        assert_eq!(graph.insert(edges).unwrap().unchanged, 2);
        assert_eq!(graph.reweight([(3, 3, f64::NAN), (0, 1, 1.0)]).unwrap().changed, 1);
        graph.fresh().audit().unwrap();
    }
}

/// A combiner may use the graph that calls it: it is not called under a lock.
#[test]
fn combiners_may_use_the_graph() {
    static GRAPH: OnceLock<WeightedGraph<i64>> = OnceLock::new();
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    fn combine(old: i64, new: i64) -> i64 {
        let graph = GRAPH.get().unwrap();
        assert!(graph.fresh().has_edge(0, 1));
        // The first time, the edge changes behind the caller's back.
        if CALLS.fetch_add(1, Ordering::SeqCst) == 0 {
            graph.reweight([(0, 1, 100)]).unwrap();
        }
        old + new
    }
    watched("a combiner that uses its graph", || {
        let options = GraphOptions::default().with_conflict(Conflict::With(combine));
        let graph = GRAPH.get_or_init(|| WeightedGraph::new(options));
        graph.insert([(0, 1, 1)]).unwrap();
        let applied = graph.insert([(0, 1, 5)]).unwrap();
        assert_eq!((applied.changed, graph.fresh().weight(0, 1)), (1, Some(&105)));
        assert_eq!((CALLS.load(Ordering::SeqCst), graph.fresh().version()), (2, 3));
    });
}
