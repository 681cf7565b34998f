//! Graphs in stores that are chosen at run time do what graphs of a named type do.

use pleach::graph::{GraphError, GraphOptions, Saved, Update, VertexSet, WeightedGraph};
use pleach::matrix::{BlockError, BlockRows, BlockShape, RowSource, SourceError};
use pleach::{BuildError, BuildOptions, Duplicates, EdgeList};
use pleach_algorithms::bfs::bfs;
use pleach_algorithms::scc::scc;
use pleach_erased::{
    AnyGraph, AnyMatrix, AnySnapshot, Ends, GraphView, HoldError, ROW_STORES, RestoreError, StoreName, StoredGraph,
};

fn edges(snapshot: &AnySnapshot<f64>) -> Vec<(u32, u32, f64)> {
    let mut all = Vec::new();
    snapshot.for_each_edge(|from, to, weight| all.push((from, to, weight)));
    all
}

#[test]
fn sizes_are_exact_panics_leave_no_trace_and_debug_says_what_there_is() {
    fn safe<T: std::panic::UnwindSafe + std::panic::RefUnwindSafe>() {}
    safe::<AnyGraph<f64>>();
    safe::<AnySnapshot<()>>();
    safe::<AnyMatrix<f64>>();
    fn exact<T>(elements: impl ExactSizeIterator<Item = T>, expected: usize) {
        assert_eq!((elements.len(), elements.count()), (expected, expected));
    }
    let store: StoreName = "bst,blist_unsorted".parse().unwrap();
    let graph = AnyGraph::<f64>::new(&store, GraphOptions::default()).unwrap();
    graph.insert([(0, 1, 0.5), (0, 2, 1.0), (3, 1, 2.0)]).unwrap();
    graph.remove_vertex(3).unwrap();
    let snapshot = graph.publish();
    exact(snapshot.vertices(), 3);
    exact(snapshot.neighbors(0), 2);
    exact(snapshot.in_neighbors(1).unwrap(), 1);
    snapshot.view(|view| exact(view.vertices(), 3));
    assert_eq!(format!("{graph:?}"), "AnyGraph { directed: true, published: 2, .. }");
    assert_eq!(format!("{snapshot:?}"), "AnySnapshot { version: 2, directed: true, vertices: 3, edges: 2, .. }");
    let mut edges = EdgeList::new(3, 4);
    edges.push(2, 3, 0.5);
    let matrix = AnyMatrix::from_edges(&store, &edges, &BuildOptions::default()).unwrap().0;
    assert_eq!(format!("{matrix:?}"), "AnyMatrix { store: \"bst,blist_unsorted\", rows: 3, cols: 4, nnz: 1, .. }");
}

#[test]
fn every_row_store_takes_the_updates_of_a_graph() -> Result<(), Box<dyn std::error::Error>> {
    for directed in [true, false] {
        let options = || {
            if directed { GraphOptions::default().with_incoming(true) } else { GraphOptions::undirected() }
        };
        for row in ROW_STORES {
            let store = StoreName::Pair("bst", row);
            let (any, named) = (AnyGraph::<f64>::new(&store, options())?, WeightedGraph::<f64>::new(options()));
            let both = |any: Result<_, GraphError>, named: Result<_, GraphError>| assert_eq!(any, named, "{store}");
            let new = (0..400u32).map(|k| (k * k % 97, k * 31 % 89, f64::from(k)));
            both(any.insert(new.clone()), named.insert(new));
            let before = any.fresh();
            both(any.delete([(0, 0), (1, 31), (500, 1)]), named.delete([(0, 0), (1, 31), (500, 1)]));
            both(any.reweight([(4, 62, -1.0), (9, 99, 2.0)]), named.reweight([(4, 62, -1.0), (9, 99, 2.0)]));
            let mixed = [Update::insert((3, 4, 0.5)), Update::delete(4, 62)];
            both(any.apply(mixed), named.apply(mixed));
            both(any.remove_vertex(16), named.remove_vertex(16));
            assert_eq!(any.add_vertex(200)?, named.add_vertex(200)?);
            let (found, expected) = (any.fresh(), named.fresh());
            found.audit()?;
            assert_eq!(edges(&found), expected.edges().map(|(i, j, &v)| (i, j, v)).collect::<Vec<_>>(), "{store}");
            assert!(found.vertices().eq(expected.vertices()), "{store}");
            assert_eq!((found.num_vertices(), found.num_edges()), (expected.num_vertices(), expected.num_edges()));
            for vertex in [0, 3, 4, 16, 88, 200, 999] {
                assert_eq!(found.out_degree(vertex), expected.out_degree(vertex), "{store}");
                assert_eq!(found.in_degree(vertex), expected.in_degree(vertex), "{store}");
                assert!(found.neighbors(vertex).eq(expected.neighbors(vertex).map(|(j, &v)| (j, v))), "{store}");
                let sources = found.in_neighbors(vertex).into_iter().flatten();
                assert!(sources.eq(expected.in_neighbors(vertex).into_iter().flatten().map(|(j, &v)| (j, v))));
            }
            // The snapshot from before, and a second handle of it, are as they were.
            let shared = before.clone();
            assert!(before.has_vertex(16) && !found.has_vertex(16) && before.version() < found.version());
            assert_eq!(edges(&shared), edges(&before));
            let seen = found.over(|graph| (graph.num_arcs(), graph.is_directed(), graph.incoming().is_some()));
            assert_eq!(seen, (expected.num_arcs() as usize, directed, true), "{store}");
        }
    }
    Ok(())
}

#[test]
fn what_cannot_be_updated_is_refused() {
    let fixed = AnyGraph::<()>::new(&StoreName::Csr, GraphOptions::default());
    assert_eq!(fixed.err(), Some(HoldError::Static));
}

#[test]
fn a_directed_graph_without_in_arcs_has_no_second_end() {
    let options = GraphOptions::default().with_incoming(false);
    let graph = AnyGraph::<()>::new(&"pam".parse().unwrap(), options).unwrap();
    graph.insert([(0, 1)]).unwrap();
    let (mut y, one) = ([0.0; 2], [1.0; 2]);
    graph.fresh().sum_quotients(&mut y, &one, &one).unwrap();
    assert_eq!(y, [1.0, 0.0]);
    graph.insert([(1, 2), (2, 4)]).unwrap();
    graph.remove_vertex(4).unwrap();
    // A search along out-arcs works, and visits no removed vertices.
    graph.fresh().over(|graph| {
        assert!(graph.is_directed() && graph.incoming().is_none());
        assert!(graph.vertices().eq(0..3));
        assert_eq!(bfs(graph, 0).unwrap().depths[..3], [0, 1, 2]);
        assert!(scc(graph).is_err());
    });
}

/// Rows of one arc each, as they are read from a file.
struct Kept([BlockShape; 1], Vec<u32>, Vec<u32>);

fn kept(arcs: &[(u32, u32)]) -> Kept {
    let (rows, cols) = arcs.iter().copied().unzip();
    Kept([BlockShape { rows: 0..4, nonzeros: arcs.len() }], rows, cols)
}

impl RowSource<f64> for Kept {
    fn blocks(&self) -> &[BlockShape] {
        &self.0
    }

    fn read(&self, _: usize, take: &mut dyn FnMut(BlockRows<'_, f64>)) -> Result<(), SourceError> {
        let (lens, values) = (vec![1; self.1.len()], vec![0.5; self.1.len()]);
        take(BlockRows { rows: &self.1, lens: &lens, coords: &self.2, values: &values });
        Ok(())
    }
}

/// Rows of a damaged file may be sound, each by itself, and yet not be those of one graph: an error, or a graph that can be read.
#[test]
fn rows_that_do_not_fit_each_other_make_no_panic() {
    let store: StoreName = "paged,packed".parse().unwrap();
    let (out, few, others) = (kept(&[(0, 1), (1, 2)]), kept(&[(1, 0)]), kept(&[(1, 0), (3, 1)]));
    let vertices = VertexSet::first(4);
    let saved: Saved<'_, f64> = Saved { version: 1, bound: 4, vertices, out: &out, incoming: Some(&few) };
    let refused = AnyGraph::restore(&store, &saved, GraphOptions::default()).err();
    assert!(matches!(refused, Some(RestoreError::Rows(BlockError::Wrong { .. }))));
    let saved = Saved { incoming: Some(&others), ..saved };
    let graph = AnyGraph::restore(&store, &saved, GraphOptions::default()).unwrap();
    assert!(graph.fresh().over(|graph| graph.incoming().is_some()));
    // From here on there are fewer out-arcs than in-arcs.
    assert_eq!(graph.delete([(1, 2)]).unwrap().removed, 1);
    let snapshot = graph.fresh();
    assert!(snapshot.audit().is_err());
    assert_eq!(snapshot.over(|graph| (graph.incoming().is_some(), graph.num_arcs())), (false, 1));
    // Edges that are there one way only.
    let saved = Saved { incoming: None, ..saved };
    let graph = AnyGraph::restore(&store, &saved, GraphOptions::undirected()).unwrap();
    assert_eq!((edges(&graph.fresh()).len(), graph.fresh().audit().is_err()), (2, true));
}

#[test]
fn errors_name_arcs_as_the_list_does() {
    for store in ["csr", "bst,ctree"] {
        let store: StoreName = store.parse().unwrap();
        for ends in [Ends::Out, Ends::In, Ends::Both] {
            let mut edges = EdgeList::<()>::new(5, 5);
            [(0, 1), (3, 1), (2, 4), (3, 1)].into_iter().for_each(|(from, to)| edges.push(from, to, ()));
            let options = BuildOptions::default().with_duplicates(Duplicates::Error);
            let build = |edges: &EdgeList<()>| StoredGraph::build(&store, edges.clone(), &options, true, ends).err();
            assert_eq!(build(&edges), Some(BuildError::Duplicate { src: 3, dst: 1 }), "{store}, {ends:?}");
            edges.dst[2] = 7;
            let expected = BuildError::OutOfRange { arc: 2, src: 2, dst: 7, num_rows: 5, num_cols: 5 };
            assert_eq!(build(&edges), Some(expected), "{store}, {ends:?}");
            edges.dst.pop();
            let expected = BuildError::UnequalArrays { src: 4, dst: 3, weight: 4 };
            assert_eq!(build(&edges), Some(expected), "{store}, {ends:?}");
        }
    }
}

#[test]
fn a_directed_graph_is_square() {
    let edges = EdgeList::<()>::new(2, 3);
    for store in ["csr", "bst,ctree"] {
        let store: StoreName = store.parse().unwrap();
        let build =
            |directed| StoredGraph::build(&store, edges.clone(), &BuildOptions::default(), directed, Ends::Both);
        assert_eq!(build(true).err(), Some(BuildError::NotSquare { rows: 2, cols: 3 }));
    }
}

#[test]
fn views_of_a_graph_have_the_rows_of_its_store() {
    let mut edges = EdgeList::new(3, 3);
    [(0, 1), (0, 2), (2, 2)].into_iter().for_each(|(from, to)| edges.push(from, to, ()));
    for (name, kind) in [("csr", "static"), ("paged,packed", "packed"), ("bst,packed", "packed"), ("bst,ctree", "any")]
    {
        let (store, options) = (name.parse().unwrap(), BuildOptions::default());
        let graph = StoredGraph::build(&store, edges.clone(), &options, true, Ends::Both).unwrap();
        let kind_of = |graph: GraphView<'_, ()>| match graph {
            GraphView::Static(_) => "static",
            GraphView::Packed(_) => "packed",
            GraphView::Any(_) => "any",
        };
        let degrees = |graph: GraphView<'_, ()>| (graph.out_degrees(), graph.in_degrees());
        graph.view(|graph| {
            assert_eq!((kind_of(graph), graph.num_vertices()), (kind, 3), "{name}");
            assert!(graph.vertices().eq([0, 1, 2]), "{name}");
            assert_eq!(degrees(graph), (vec![2, 0, 1], vec![0, 1, 2]), "{name}");
            assert_eq!(graph.reversed().map(degrees), Some((vec![0, 1, 2], vec![2, 0, 1])), "{name}");
            assert!(graph.over(|graph| graph.is_directed() && graph.num_arcs() == 3), "{name}");
        });
        if kind != "static" {
            let changing = AnyGraph::<()>::new(&store, GraphOptions::undirected()).unwrap();
            changing.insert([(0, 1)]).unwrap();
            let found = changing.fresh().view(|graph| (kind_of(graph), degrees(graph)));
            assert_eq!(found, (kind, (vec![1, 1], vec![1, 1])), "{name}");
        }
    }
}
