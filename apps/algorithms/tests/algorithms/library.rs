//! Every algorithm as a library function, on random graphs and on graphs made to be awkward: its verifier agrees, and the result is the same on static
//! rows, on the default store, on trees and lists seen through one type, and on a snapshot of a graph that has come about by updates and goes on changing; by
//! one thread and by several.

// The name of a verifier stands for one lifetime of the rows that it reads; a closure accepts any.
#![allow(clippy::redundant_closure)]

use std::sync::LazyLock;

use pleach::graph::{Conflict, Graph, GraphOptions, Snapshot, WeightedGraph};
use pleach::runtime::{Dense, Fiber, Nested, Paged, SplitMix64};
use pleach::stores::{Blist, BlistUnsorted, Bst, Ctree};
use pleach::traverse::{Adjacency, DynRows};
use pleach::{BuildOptions, Csr, EdgeList, Matrix, Rows};
use pleach_algorithms::incremental::{MovingComponents, MovingRanks};
use pleach_algorithms::{
    bc, bfs, cc, cdlp, closeness, coloring, cuts, degree, diameter, kcore, khop, ktruss, lcc, louvain, mis, msf,
    nibble, pagerank, scc, similarity, spectral, sssp, tc, topological, walks,
};

/// Whether tests run at their full size, as by night.
const FULL: bool = option_env!("PLEACH_FULL_SIZE").is_some();

/// Arcs from which on a graph is large.
const LARGE: usize = 2_500;

/// The default row store.
type Packed<V> = pleach::runtime::Packed<u32, V>;

/// SplitMix64 arcs: uniform, or skewed towards small numbers so that there are hubs.
fn random(vertices: usize, arcs: usize, skewed: bool, seed: u64) -> EdgeList<f64> {
    let mut random = SplitMix64(seed);
    let mut edges = EdgeList::new(vertices, vertices);
    for _ in 0..arcs {
        let mut end = |skewed: bool| {
            let uniform = random.below(vertices as u64);
            (if skewed { uniform * random.below(uniform + 1) / (uniform + 1) } else { uniform }) as u32
        };
        let (from, to) = (end(skewed), end(false));
        // Few different weights, so that there are ties; some are zero.
        edges.push(from, to, random.below(8) as f64 / 4.0);
    }
    edges
}

fn list(vertices: usize, arcs: impl IntoIterator<Item = (u32, u32)>) -> EdgeList<f64> {
    let mut edges = EdgeList::new(vertices, vertices);
    arcs.into_iter().for_each(|(from, to)| edges.push(from, to, 1.0));
    edges
}

/// The graphs.
fn graphs() -> Vec<(&'static str, EdgeList<f64>)> {
    let clique = |first: u32, size: u32| (first..first + size).flat_map(move |u| (first..u).map(move |v| (u, v)));
    vec![
        ("one vertex", list(1, [])),
        ("one loop", list(1, [(0, 0)])),
        ("no arcs", list(5, [])),
        ("loops", list(3, [(0, 0), (1, 1), (2, 2)])),
        ("a path with loops", list(200, (0..199).map(|k| (k, k + 1)).chain([(7, 7), (199, 199)]))),
        ("a cycle", list(130, (0..130).map(|k| (k, (k + 1) % 130)))),
        ("a star", list(3000, (1..3000).map(|k| (0, k)))),
        ("a star inwards", list(3000, (0..2999).map(|k| (k, 2999)))),
        ("two cliques and a bridge", list(200, clique(0, 80).chain(clique(90, 110)).chain([(79, 90)]))),
        (
            "a grid",
            list(
                900,
                (0..900)
                    .flat_map(|k| [(k, k + 1), (k, k + 30)])
                    .filter(|&(k, to)| to < 900 && (to != k + 1 || to % 30 != 0)),
            ),
        ),
        ("sparse", random(2000, 1500, false, 1)),
        ("uniform", random(1000, 8000, false, 2)),
        ("skewed", random(1500, if FULL { 20_000 } else { 12_000 }, true, 3)),
        ("dense", random(150, if FULL { 12_000 } else { 6_000 }, false, 4)),
    ]
}

/// Each graph in each kind of store, directed and undirected, with weights. All tests read them.
static HELD: LazyLock<Vec<(String, Held)>> = LazyLock::new(|| {
    let both = |(name, edges): (&str, EdgeList<f64>)| {
        let directed = (format!("{name}, directed"), Held::of(&edges, false));
        [directed, (format!("{name}, undirected"), Held::of(&edges, true))]
    };
    graphs().into_iter().flat_map(both).collect()
});

fn each_graph(check: impl Fn(&str, &Held)) {
    HELD.iter().for_each(|(name, held)| check(name, held));
}

struct Held {
    undirected: bool,
    csr: [Csr<f64>; 2],
    packed: [Matrix<Packed<f64>>; 2],
    trees: [Matrix<Ctree<f64>>; 2],
    lists: [Matrix<Blist<f64>>; 2],
    unsorted: [Matrix<BlistUnsorted<f64>>; 2],
    snapshot: Snapshot<Packed<f64>>,
    /// What it is a snapshot of.
    _graph: Graph<Packed<f64>>,
}

/// A graph that comes to these edges by insertions in batches, of which some are deleted again, and then goes on changing; a snapshot of it in between.
fn updated(edges: &EdgeList<f64>, undirected: bool) -> (Graph<Packed<f64>>, Snapshot<Packed<f64>>) {
    let options = GraphOptions::default().with_directed(!undirected).with_conflict(Conflict::Min);
    let graph = Graph::new(options);
    let vertices = edges.num_rows as u32;
    graph.add_vertex(vertices - 1).unwrap();
    // Edges that are not to stay come first and in between, and go before any that is to stay.
    let mut random = SplitMix64(99);
    let mut decoys = |count| -> Vec<(u32, u32)> {
        let mut end = || random.below(u64::from(vertices)) as u32;
        (0..count).map(|_| (end(), end())).collect()
    };
    let first = decoys(500);
    graph.insert(first.iter().map(|&(from, to)| (from, to, 0.125))).unwrap();
    graph.delete(first).unwrap();
    let all: Vec<(u32, u32, f64)> =
        (0..edges.src.len()).map(|k| (edges.src[k], edges.dst[k], edges.weight[k])).collect();
    for batch in all.chunks(all.len().div_ceil(7).max(1)) {
        graph.insert(batch.iter().copied()).unwrap();
    }
    let snapshot = graph.fresh();
    graph.insert(decoys(500).into_iter().map(|(from, to)| (from, to, 0.125))).unwrap();
    graph.delete(all.iter().map(|&(from, to, _)| (from, to)).step_by(2)).unwrap();
    (graph, snapshot)
}

impl Held {
    fn of(edges: &EdgeList<f64>, undirected: bool) -> Self {
        let options = BuildOptions::default().with_undirected(undirected).with_duplicates(pleach::Duplicates::min());
        let reversed = EdgeList { src: edges.dst.clone(), dst: edges.src.clone(), ..edges.clone() };
        let ends = [edges, &reversed];
        let (graph, snapshot) = updated(edges, undirected);
        Held {
            snapshot,
            _graph: graph,
            lists: ends.map(|edges| Matrix::from_edges::<Dense<_>>(edges, &options).unwrap().0),
            undirected,
            csr: ends.map(|edges| Csr::from_edges(edges, &options).unwrap().0),
            packed: ends.map(|edges| Matrix::from_edges::<Paged<_>>(edges, &options).unwrap().0),
            trees: ends.map(|edges| Matrix::from_edges::<Nested<Bst<_>>>(edges, &options).unwrap().0),
            unsorted: ends.map(|edges| Matrix::from_edges::<Dense<_>>(edges, &options).unwrap().0),
        }
    }

    fn adjacency<'a, A: Rows>(&self, [out, incoming]: [&'a A; 2]) -> Adjacency<'a, A> {
        if self.undirected { Adjacency::undirected(out) } else { Adjacency::directed(out, incoming) }.unwrap()
    }

    /// What an algorithm finds on static rows, alone, if it finds the same everywhere else and its verifier agrees.
    fn same<T: PartialEq + std::fmt::Debug + Send, E: std::fmt::Display>(
        &self,
        name: &str,
        algorithm: impl Algorithm<T> + Sync,
        verify: impl Fn(Adjacency<'_, DynRows<'_, f64>>, &T) -> Result<(), E>,
    ) -> T {
        let csr = self.csr.each_ref().map(Csr::view);
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let expected = one.install(|| algorithm.run(self.adjacency(csr.each_ref())));
        assert_eq!(algorithm.run(self.adjacency(csr.each_ref())), expected, "{name}: many threads");
        assert_eq!(algorithm.run(self.adjacency(self.packed.each_ref())), expected, "{name}: the default store");
        let incoming = self.snapshot.incoming().expect("in-arcs are kept");
        let others = [
            ("bst,ctree", self.trees.each_ref().map(DynRows::of)),
            ("dense,blist", self.lists.each_ref().map(DynRows::of)),
            ("a snapshot", [self.snapshot.matrix(), incoming].map(DynRows::of)),
            ("dense,blist_unsorted", self.unsorted.each_ref().map(DynRows::of)),
        ];
        // Of a large graph, two of these see the directed one and two the undirected one; by night all see both.
        let step = if FULL || self.csr[0].nnz() < LARGE { 1 } else { 2 };
        for (store, rows) in others.iter().skip(usize::from(self.undirected) % step).step_by(step) {
            assert_eq!(algorithm.run(self.adjacency(rows.each_ref())), expected, "{name}: {store}");
        }
        let rows = csr.each_ref().map(DynRows::of);
        if let Err(wrong) = verify(self.adjacency(rows.each_ref()), &expected) {
            panic!("{name}: {wrong}");
        }
        expected
    }
}

/// An algorithm over any rows.
trait Algorithm<T> {
    fn run<A: Rows<Value = f64>>(&self, graph: Adjacency<'_, A>) -> T;
}

/// An algorithm, from an expression over a graph.
macro_rules! algorithm {
    ($graph:ident => $found:ty: $run:expr) => {{
        struct It;
        impl Algorithm<$found> for It {
            fn run<A: Rows<Value = f64>>(&self, $graph: Adjacency<'_, A>) -> $found {
                $run
            }
        }
        It
    }};
}

#[test]
fn traversals() {
    each_graph(|name, held| {
        held.same(name, algorithm!(g => bfs::Bfs: bfs::bfs(g, 0).unwrap()), |g, found| bfs::verify(g, 0, found));
        held.same(name, algorithm!(g => khop::Neighbourhood: khop::khop(g, &[0], 3).unwrap()), |g, found| {
            khop::verify(g, &[0], 3, found)
        });
        held.same(name, algorithm!(g => cc::Components: cc::components(g)), |g, found| cc::verify(g, found));
        held.same(name, algorithm!(g => cc::Components: scc::scc(g).unwrap()), |g, found| scc::verify(g, found));
        let sources = [0, (held.csr[0].num_rows() - 1) as u32];
        held.same(
            name,
            algorithm!(g => bc::Betweenness: bc::bc(g, &[0, (g.num_vertices() - 1) as u32]).unwrap()),
            |g, found| bc::verify(g, &sources, found),
        );
    });
}

/// Numbers that are the same up to 1e-9 of each: long rows are summed in an order of the store's.
#[derive(Debug)]
struct Near(Vec<f64>);

impl PartialEq for Near {
    fn eq(&self, other: &Near) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| (a - b).abs() <= 1e-9 * b.abs())
    }
}

/// Options with three different distributions: of first ranks, of teleports, and for dangling vertices.
fn elsewhere(vertices: usize) -> pagerank::PageRank {
    let last = vertices as u32 - 1;
    let options = pagerank::PageRank::default().with_start(vec![(last, 2.0), (0, 1.0)]);
    options.with_dangling(vec![(last / 2, 3.0), (last, 1.0)]).with_personalisation(vec![(0, 1.0), (last / 3, 0.5)])
}

/// [`elsewhere`] with three iterations.
fn few(vertices: usize) -> pagerank::PageRank {
    elsewhere(vertices).with_stop(pagerank::Stop::Iterations(3))
}

#[test]
fn ranks() {
    each_graph(|name, held| {
        held.same(
            name,
            algorithm!(g => Near: {
                let found = pagerank::pagerank(g, &Default::default());
                Near(found.unwrap().ranks)
            }),
            |g, Near(found)| pagerank::verify(g.incoming().unwrap(), &Default::default(), found),
        );
        held.same(
            name,
            algorithm!(g => Near: Near(pagerank::pagerank_weighted(g, &elsewhere(g.bound())).unwrap().ranks)),
            |g, Near(found)| pagerank::verify_weighted(g.incoming().unwrap(), &elsewhere(g.bound()), found),
        );
        // After a few iterations the ranks still depend on the first ranks.
        held.same(
            name,
            algorithm!(g => Near: Near(pagerank::pagerank_weighted(g, &few(g.bound())).unwrap().ranks)),
            |g, Near(found)| pagerank::verify_weighted(g.incoming().unwrap(), &few(g.bound()), found),
        );
        held.same(
            name,
            algorithm!(g => Near: Near(pagerank::pagerank(g, &few(g.bound())).unwrap().ranks)),
            |g, Near(found)| pagerank::verify(g.incoming().unwrap(), &few(g.bound()), found),
        );
    });
}

#[test]
fn weights() {
    each_graph(|name, held| {
        let options = sssp::Sssp::default();
        held.same(
            name,
            algorithm!(g => Vec<f64>: sssp::sssp(g, 0, &sssp::Sssp::default()).unwrap().distances),
            |g, found| {
                let again = sssp::sssp(g, 0, &options).unwrap();
                assert_eq!(&again.distances, found);
                sssp::verify(g, 0, &again)
            },
        );
        if held.undirected {
            held.same(name, algorithm!(g => msf::Forest: msf::msf(g).unwrap()), |g, found| msf::verify(g, found));
        }
    });
}

#[test]
fn neighbourhoods() {
    each_graph(|name, held| {
        held.same(
            name,
            algorithm!(g => cdlp::Communities: cdlp::cdlp(g, &cdlp::Cdlp::default()).unwrap()),
            |g, found| cdlp::verify(g, &cdlp::Cdlp::default(), found),
        );
        held.same(name, algorithm!(g => lcc::Clustering: lcc::lcc(g).unwrap()), |g, found| lcc::verify(g, found));
        held.same(name, algorithm!(g => tc::Triangles: tc::triangles(g).unwrap()), |g, found| tc::verify(g, found));
        held.same(name, algorithm!(g => degree::Degrees: degree::degrees(g)), |g, found| degree::verify(g, found));
    });
}

#[test]
fn undirected_graphs() {
    each_graph(|name, held| {
        if !held.undirected {
            return;
        }
        held.same(name, algorithm!(g => kcore::Cores: kcore::kcore(g).unwrap()), |g, found| kcore::verify(g, found));
        held.same(name, algorithm!(g => ktruss::Trusses: ktruss::ktruss(g).unwrap()), |g, found| {
            ktruss::verify(g, found)
        });
        held.same(name, algorithm!(g => Vec<bool>: mis::mis(g, &mis::Mis::default()).unwrap().members), |g, found| {
            let again = mis::mis(g, &mis::Mis::default()).unwrap();
            assert_eq!(&again.members, found);
            mis::verify(g, &mis::Mis::default(), &again)
        });
        held.same(name, algorithm!(g => coloring::Colors: coloring::coloring(g).unwrap()), |g, found| {
            coloring::verify(g, found)
        });
        let bounds = held.same(
            name,
            algorithm!(g => diameter::Bounds: {
                diameter::diameter(g, &diameter::Diameter::default()).unwrap()
            }),
            |g, found| diameter::verify(g, found),
        );
        assert_eq!(bounds.least, bounds.most, "{name}");
        held.same(
            name,
            algorithm!(g => nibble::Cluster: nibble::nibble(g, 0, &nibble::Nibble::default()).unwrap()),
            |g, found| nibble::verify(g, 0, &nibble::Nibble::default(), found),
        );
    });
}

/// No algorithm panics on a graph that it is not defined on: it returns an error that says what would be right.
#[test]
fn graphs_that_do_not_fit_are_errors() {
    let directed = WeightedGraph::<f64>::new(GraphOptions::default());
    let outward = WeightedGraph::<f64>::new(GraphOptions::default().with_incoming(false));
    for graph in [&directed, &outward] {
        graph.insert([(0, 1, 1.0), (1, 2, 2.0), (2, 0, 3.0), (2, 3, 1.0)]).unwrap();
    }
    let (directed, outward) = (&directed.fresh(), &outward.fresh());
    let undirected_only = |graph: &Snapshot<Packed<f64>>| {
        [
            coloring::coloring(graph).unwrap_err().to_string(),
            diameter::diameter(graph, &Default::default()).unwrap_err().to_string(),
            kcore::kcore(graph).unwrap_err().to_string(),
            mis::mis(graph, &Default::default()).unwrap_err().to_string(),
            msf::msf(graph).unwrap_err().to_string(),
            nibble::nibble(graph, 0, &Default::default()).unwrap_err().to_string(),
        ]
    };
    for error in undirected_only(directed).into_iter().chain(undirected_only(outward)) {
        assert!(error.contains("`GraphOptions::undirected`"), "{error}");
    }
    for error in [
        bc::bc(outward, &[0]).unwrap_err().to_string(),
        cdlp::cdlp(outward, &Default::default()).unwrap_err().to_string(),
        ktruss::ktruss(outward).unwrap_err().to_string(),
        lcc::lcc(outward).unwrap_err().to_string(),
        pagerank::pagerank(outward, &Default::default()).unwrap_err().to_string(),
        scc::scc(outward).unwrap_err().to_string(),
        tc::triangles(outward).unwrap_err().to_string(),
        MovingRanks::new(outward, 0.85, 1e-9).err().unwrap().to_string(),
        MovingComponents::new(outward).follow(outward, outward, &[(0, 1)]).unwrap_err().to_string(),
    ] {
        assert!(error.contains("`GraphOptions::incoming`"), "{error}");
    }
    // The others follow out-arcs, or ignore the direction of arcs.
    assert_eq!(bfs::bfs(outward, 0).unwrap().reached, 4);
    assert_eq!(cc::components(outward).count, 1);
    assert_eq!(degree::degrees(outward).out.distribution, [(0, 1), (1, 2), (2, 1)]);
    assert_eq!(khop::khop(outward, &[0], 1).unwrap().size, 2);
    assert_eq!(sssp::sssp(outward, 0, &Default::default()).unwrap().farthest, 4.0);
}

/// Incremental results refuse two snapshots that are not versions of one graph, and stay unchanged.
#[test]
fn other_graphs_are_not_followed() {
    let graph = WeightedGraph::<f64>::new(GraphOptions::undirected());
    let none = graph.fresh();
    graph.insert([(0, 1, 1.0), (2, 3, 1.0)]).unwrap();
    let some = graph.fresh();
    let mut components = MovingComponents::new(&some);
    let mut ranks = MovingRanks::new(&some, 0.85, 1e-9).unwrap();
    for (before, after) in [(&none, &some), (&some, &none)] {
        let error = components.follow(before, after, &[(0, 1)]).unwrap_err();
        assert_eq!(ranks.follow(before, after, &[0, 1]).unwrap_err(), error);
    }
    assert!(components.connected(0, 1) && !components.connected(1, 2) && !components.connected(9, 9));
    assert_eq!(ranks.ranks().len(), 4);
    let wrong = cc::Components { labels: vec![0, 7], count: 1, largest: 1 };
    assert!(MovingComponents::of(&wrong).unwrap_err().to_string().contains("vertex 1 has the label 7"));
}

#[test]
fn distances_from_everywhere() {
    each_graph(|name, held| {
        // Searches from each vertex take long on the largest ones.
        if held.csr[0].num_rows() > if FULL { 1000 } else { 300 } {
            return;
        }
        for scaled in [true, false] {
            let options = closeness::Closeness::default().with_scaled(scaled);
            let found = held.same(
                name,
                algorithm!(g => closeness::Centralities: closeness::closeness(g, &Default::default()).unwrap()),
                |g, _| closeness::verify(g, &options, &closeness::closeness(g, &options).unwrap()),
            );
            assert_eq!(found.closeness.len(), held.csr[0].num_rows());
            if held.csr[0].num_rows() > 300 {
                continue;
            }
            held.same(
                name,
                algorithm!(g => closeness::Centralities: closeness::closeness_weighted(g, &Default::default()).unwrap()),
                |g, _| closeness::verify_weighted(g, &options, &closeness::closeness_weighted(g, &options).unwrap()),
            );
        }
    });
}

/// The error for a negative, infinite or undefined weight names the arc. The error for a sum of weights that is infinite or subnormal names the
/// vertex.
#[test]
fn wrong_weights_are_named() {
    for (weight, text) in [(-1.0, "-1"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        let graph: WeightedGraph<f64> = WeightedGraph::new(GraphOptions::default());
        graph.insert([(0, 1, 1.0), (1, 2, weight)]).unwrap();
        let graph = graph.fresh();
        let ranks = pagerank::pagerank_weighted(&graph, &Default::default()).unwrap_err().to_string();
        let far = closeness::closeness_weighted(&graph, &Default::default()).unwrap_err().to_string();
        for error in [ranks, far] {
            assert!(error.contains("from 1 to 2") && error.ends_with(text), "{error}");
        }
        let vectors = [
            spectral::eigenvector(&graph, &Default::default()).err(),
            spectral::katz(&graph, &Default::default()).err(),
            spectral::hits(&graph, &Default::default()).err(),
        ];
        for error in vectors {
            // Weights may be negative there.
            let found = matches!(error, Some(spectral::SpectralError::Arc { from: 1, to: 2, .. }));
            assert_eq!(found, !weight.is_finite(), "{error:?}");
        }
    }
    for weight in [f64::MAX, f64::MIN_POSITIVE / 8.0] {
        let graph: WeightedGraph<f64> = WeightedGraph::new(GraphOptions::default());
        graph.insert([(0, 1, weight), (0, 2, weight)]).unwrap();
        let error = pagerank::pagerank_weighted(&graph.fresh(), &Default::default()).unwrap_err();
        assert!(matches!(error, pagerank::PageRankError::Sum { vertex: 0, .. }));
    }
}

/// With equal weights, and in a graph without weights, weighted algorithms give the results of the unweighted ones.
#[test]
fn equal_weights_change_nothing() {
    let edges = random(300, 1200, true, 6);
    let equal = EdgeList { weight: vec![0.25; edges.src.len()], ..edges.clone() };
    let pattern =
        EdgeList { weight: vec![(); edges.src.len()], num_rows: 300, num_cols: 300, src: edges.src, dst: edges.dst };
    let equal = Csr::from_edges(&equal, &BuildOptions::default().with_undirected(true)).unwrap().0;
    let pattern = Csr::from_edges(&pattern, &BuildOptions::default().with_undirected(true)).unwrap().0;
    let (equal, pattern) = (Adjacency::undirected(&equal).unwrap(), Adjacency::undirected(&pattern).unwrap());
    let ranks = pagerank::pagerank(pattern, &Default::default()).unwrap().ranks;
    assert_eq!(Near(pagerank::pagerank_weighted(pattern, &Default::default()).unwrap().ranks), Near(ranks.clone()));
    assert_eq!(Near(pagerank::pagerank_weighted(equal, &Default::default()).unwrap().ranks), Near(ranks));
    let found = closeness::closeness(pattern, &Default::default()).unwrap();
    assert_eq!(closeness::closeness_weighted(pattern, &Default::default()).unwrap(), found);
    let near = closeness::closeness_weighted(equal, &Default::default()).unwrap();
    assert_eq!(near.closeness, found.closeness.iter().map(|value| 4.0 * value).collect::<Vec<_>>());
}

#[test]
fn cuts_orders_and_likeness() {
    each_graph(|name, held| {
        if held.undirected {
            held.same(name, algorithm!(g => cuts::Cuts: cuts::cuts(g).unwrap()), |g, found| cuts::verify(g, found));
        } else {
            let _ = held.same(
                name,
                algorithm!(g => Result<topological::Order, topological::OrderError>: topological::topological(g)),
                |g, found| found.as_ref().map_or(Ok(()), |found| topological::verify(g, found)),
            );
        }
        let last = held.csr[0].num_rows() as u32 - 1;
        held.same(
            name,
            algorithm!(g => Vec<similarity::Likeness>: {
                let last = g.bound() as u32 - 1;
                similarity::similarity(g, &[(0, last), (last / 2, 0), (0, 0)]).unwrap()
            }),
            |g, found| similarity::verify(g, &[(0, last), (last / 2, 0), (0, 0)], found),
        );
    });
}

/// Options with first scores, and another beta for the last vertex.
fn guessed(vertices: usize) -> spectral::Spectral {
    let last = vertices as u32 - 1;
    let options = spectral::Spectral::default().with_katz(0.001, 0.5).with_iterations(200).with_normalised(false);
    options.with_start(vec![(0, 1.0), (last / 2, 3.0)]).with_betas(vec![(last, -2.0)])
}

#[test]
fn vectors() {
    each_graph(|name, held| {
        let options = spectral::Spectral::default().with_katz(0.001, 1.0).with_iterations(200);
        held.same(
            name,
            algorithm!(g => spectral::Scores: {
                let options = spectral::Spectral::default().with_katz(0.001, 1.0).with_iterations(200);
                spectral::katz(g, &options).unwrap()
            }),
            |g, found| if found.converged { spectral::verify_katz(g, &options, found) } else { Ok(()) },
        );
        let with_guess = guessed(held.csr[0].num_rows());
        held.same(
            name,
            algorithm!(g => spectral::Scores: spectral::katz(g, &guessed(g.bound())).unwrap()),
            |g, found| if found.converged { spectral::verify_katz(g, &with_guess, found) } else { Ok(()) },
        );
        held.same(
            name,
            algorithm!(g => spectral::Scores: spectral::eigenvector(g, &guessed(g.bound())).unwrap()),
            |g, found| if found.converged { spectral::verify_eigenvector(g, &options, found) } else { Ok(()) },
        );
        held.same(
            name,
            algorithm!(g => spectral::Scores: {
                spectral::eigenvector(g, &spectral::Spectral::default().with_iterations(200)).unwrap()
            }),
            |g, found| if found.converged { spectral::verify_eigenvector(g, &options, found) } else { Ok(()) },
        );
        held.same(
            name,
            algorithm!(g => spectral::Hits: {
                spectral::hits(g, &spectral::Spectral::default().with_iterations(200)).unwrap()
            }),
            |g, found| if found.converged { spectral::verify_hits(g, &options, found) } else { Ok(()) },
        );
    });
}

#[test]
fn communities_of_high_modularity() {
    each_graph(|name, held| {
        if !held.undirected {
            return;
        }
        for refine in [false, true] {
            let options = louvain::Louvain::default().with_refine(refine);
            held.same(
                name,
                algorithm!(g => louvain::Modules: louvain::louvain(g, &Default::default()).unwrap()),
                |g, _| louvain::verify(g, &options, &louvain::louvain(g, &options).unwrap()),
            );
        }
    });
}

#[test]
fn walks_and_paths() {
    each_graph(|name, held| {
        let options = walks::Walks::default().with_bias(0.5, 2.0).with_seed(3);
        let last = held.csr[0].num_rows() as u32 - 1;
        held.same(
            name,
            algorithm!(g => Vec<u32>: {
                let options = walks::Walks::default().with_bias(0.5, 2.0).with_seed(3);
                walks::walks(g, &[0, 0, g.bound() as u32 - 1], &options).unwrap()
            }),
            |g, found| walks::verify(g, &[0, 0, last], &options, found),
        );
        held.same(
            name,
            algorithm!(g => Vec<u32>: {
                let found = sssp::sssp(g, 0, &Default::default()).unwrap();
                sssp::predecessors(g, 0, &found.distances)
            }),
            |g, before| {
                let distances = sssp::sssp(g, 0, &Default::default()).unwrap().distances;
                (0..before.len()).try_for_each(|vertex| {
                    let (mut at, mut steps, mut length) = (vertex, 0, 0.0);
                    while at != 0 && before[at] != pleach_algorithms::ABSENT && steps < before.len() {
                        let from = before[at] as usize;
                        let weight = g.out().row(from).and_then(|row| row.locate(at as u32).copied());
                        length += weight.ok_or(format!("there is no arc from {from} to {at}"))?;
                        (at, steps) = (from, steps + 1);
                    }
                    let right =
                        if distances[vertex].is_finite() { at == 0 && length == distances[vertex] } else { steps == 0 };
                    if right { Ok(()) } else { Err(format!("the path to {vertex} has length {length}")) }
                })
            },
        );
    });
}

/// A graph with these edges.
fn weighted(options: GraphOptions<f64>, edges: impl IntoIterator<Item = (u32, u32, f64)>) -> Snapshot<Packed<f64>> {
    let graph = WeightedGraph::<f64>::new(options);
    graph.insert(edges).unwrap();
    graph.fresh()
}

#[test]
fn weights_whose_sums_are_beyond_all_numbers() {
    let path = weighted(GraphOptions::default(), [(0, 1, 1e308), (1, 2, 1e308), (2, 3, 1.0)]);
    let found = sssp::sssp(&path, 0, &Default::default()).unwrap();
    assert_eq!(found.reached, 2, "{:?}", found.distances);
    let absent = pleach_algorithms::ABSENT;
    assert_eq!(sssp::predecessors((&path).into(), 0, &found.distances), [0, 0, absent, absent]);
    let wide = weighted(GraphOptions::undirected(), [(0, 1, 1e308), (1, 2, 1e308)]);
    assert_eq!(louvain::louvain(&wide, &Default::default()).unwrap_err(), louvain::LouvainError::Sum(f64::INFINITY));
    let options = walks::Walks::default();
    let found = walks::walks(&wide, &[1], &options).unwrap();
    assert!(!found.contains(&absent), "{found:?}");
    assert!(walks::walks(&wide, &[1], &options.with_bias(1e-309, 1.0)).is_err());
    let one = weighted(GraphOptions::undirected(), [(0, 1, 1e200)]);
    let found = spectral::eigenvector(&one, &Default::default()).unwrap();
    assert!(found.scores.iter().all(|score| (score - 0.5_f64.sqrt()).abs() < 1e-6), "{:?}", found.scores);
    let no_numbers = Csr::from_entries(2, 2, [(0, 1, f64::NAN), (1, 0, f64::NAN)]).unwrap();
    assert!(WeightedGraph::<f64>::from_csr(&no_numbers, GraphOptions::undirected()).is_ok());
}

#[test]
fn walks_draw_from_numbers_of_their_own() {
    let cycle = weighted(GraphOptions::undirected(), (0..1000).map(|k| (k, (k + 1) % 1000, 1.0)));
    let found = walks::walks(&cycle, &[500; 400], &Default::default()).unwrap();
    let turns: Vec<Vec<bool>> = found.chunks(11).map(|walk| walk.windows(2).map(|w| w[0] < w[1]).collect()).collect();
    let like_the_next =
        |pair: &[Vec<bool>]| pair[0][1..].iter().zip(&pair[1]).filter(|(later, next)| later == next).count();
    let alike: usize = turns.windows(2).map(like_the_next).sum();
    let share = alike as f64 / (9 * (turns.len() - 1)) as f64;
    assert!((0.45..0.55).contains(&share), "{share} of the turns are those of the next walk one step before");
}

#[test]
fn communities_of_leiden_are_connected() {
    // A vertex that holds two others together leaves them for heavier neighbours.
    let mut edges: Vec<(u32, u32, f64)> = Vec::new();
    let heavy = 0..10u32;
    edges.extend(heavy.clone().flat_map(|u| (u + 1..10).map(move |v| (u, v, 18.0))));
    for middle in (10..70).step_by(3) {
        let (left, right) = (middle + 1, middle + 2);
        edges.extend([(middle, left, 1.0), (middle, right, 1.0), (left, left, 29.5), (right, right, 29.5)]);
        edges.extend(heavy.clone().map(|u| (middle, u, 0.5)));
    }
    let graph = weighted(GraphOptions::undirected(), edges.iter().copied());
    for seed in 0..8 {
        let options = louvain::Louvain::default().with_refine(true).with_seed(seed);
        let found = louvain::louvain(&graph, &options).unwrap();
        louvain::verify((&graph).into(), &options, &found).unwrap();
    }
    // The verifier sees what falls apart: two vertices of a path without the one between them.
    let path = weighted(GraphOptions::undirected(), [(0, 1, 1.0), (1, 2, 1.0)]);
    let (options, labels) = (louvain::Louvain::default().with_refine(true), vec![0, 1, 0]);
    let found = louvain::Modules { labels, count: 2, modularity: -0.5, levels: 1 };
    let wrong = louvain::verify((&path).into(), &options, &found).unwrap_err();
    assert_eq!(wrong, louvain::ModulesWrong::Apart { vertex: 2 });
}

#[test]
fn ranks_that_move_end_after_a_number_of_iterations() {
    let path = weighted(GraphOptions::undirected(), [(0, 1, 1.0), (1, 2, 1.0)]);
    let ranks = MovingRanks::within(&path, 0.999999999999, 1e-10, 3).unwrap();
    assert!(ranks.last().iterations == 3 && !ranks.converged(), "{:?}", ranks.last());
    let ranks = MovingRanks::new(&path, 0.85, 1e-10).unwrap();
    assert!(ranks.last().iterations < 1000 && ranks.converged(), "{:?}", ranks.last());
    assert!(MovingRanks::new(&path, 0.85, f64::INFINITY).is_err());
}
