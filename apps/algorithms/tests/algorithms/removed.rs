//! Every algorithm on a graph from which vertices were removed finds what it finds on the same graph numbered anew without them.

use pleach::graph::{Compact, Graph, GraphOptions, Snapshot, Update, VertexSet};
use pleach::runtime::SplitMix64;
use pleach::traverse::Adjacency;
use pleach_algorithms::bfs::UNREACHED;
use pleach_algorithms::*;

type Held = pleach::runtime::Packed<u32, f64>;

/// A graph with gaps among its vertices, the same graph without, and how vertices are called in both.
struct Both {
    gaps: Snapshot<Held>,
    dense: Snapshot<Held>,
    old: Vec<u32>,
}

impl Both {
    fn new(directed: bool) -> Self {
        let graph = Graph::<Held>::new(GraphOptions::default().with_directed(directed));
        let mut random = SplitMix64(5);
        let mut below = |n: u64| random.below(n) as u32;
        // Communities of ten with a few edges in between, some vertices without edges, and self loops.
        let edges: Vec<(u32, u32, f64)> = (0..1500)
            .map(|k| {
                let from = below(300);
                let to = if k % 12 == 0 { below(300) } else { from / 10 * 10 + below(10) };
                (from, to, f64::from(below(9) + 1))
            })
            .collect();
        Both::of(graph, edges)
    }

    /// A directed graph without cycles.
    fn acyclic() -> Self {
        let graph = Graph::<Held>::new(GraphOptions::default());
        let edges = (0..900u32).map(|k| (k % 290, k % 290 + 1 + k * k % 9, 1.0)).collect();
        Both::of(graph, edges)
    }

    /// Of a graph that gets these edges between 300 vertices, ten vertices without, and loses some of both.
    fn of(graph: Graph<Held>, edges: Vec<(u32, u32, f64)>) -> Self {
        let mut random = SplitMix64(3);
        graph.insert(edges).unwrap();
        (300..310).for_each(|vertex| assert!(graph.add_vertex(vertex).unwrap()));
        let removed = [0, 1, 305, 309].into_iter().chain((0..70).map(|_| random.below(300) as u32));
        graph.apply(removed.map(Update::remove_vertex)).unwrap();
        let gaps = graph.fresh();
        let Compact { graph, numbering } = gaps.compact().unwrap();
        let both = Both { dense: graph.fresh(), old: numbering.old().to_vec(), gaps };
        assert!(both.old.len() < pleach::Rows::num_rows(&both.gaps) - 50);
        both
    }

    /// Runs on both.
    fn each<T>(&self, run: impl Fn(&Snapshot<Held>) -> T) -> (T, T) {
        (run(&self.gaps), run(&self.dense))
    }

    fn gaps(&self) -> Adjacency<'_, pleach::Matrix<Held>> {
        self.gaps.adjacency().unwrap()
    }

    /// Values of vertices are equal, and those of gaps are `absent`.
    fn same<T: PartialEq + Copy + std::fmt::Debug>(&self, (gaps, dense): (&[T], &[T]), absent: T) {
        assert_eq!((gaps.len(), dense.len()), (self.gaps().bound(), self.old.len()));
        let mut expected = vec![absent; gaps.len()];
        self.old.iter().zip(dense).for_each(|(&old, &value)| expected[old as usize] = value);
        assert_eq!(gaps, expected);
    }

    /// The same of values that are vertices, or `absent`.
    fn same_vertices(&self, (gaps, dense): (&[u32], &[u32]), absent: u32) {
        self.same((gaps, &self.called(dense)), absent);
    }

    /// Vertices of the dense graph as they are called in the other one.
    fn called(&self, vertices: &[u32]) -> Vec<u32> {
        vertices.iter().map(|&vertex| self.old.get(vertex as usize).copied().unwrap_or(vertex)).collect()
    }

    /// A vertex in the giant component, by both names.
    fn source(&self) -> (u32, u32) {
        let new = (0..self.old.len()).max_by_key(|&new| self.dense.out_degree(new as u32)).unwrap();
        (self.old[new], new as u32)
    }
}

const DIRECTIONS: [bool; 2] = [false, true];

#[test]
fn searches() {
    for directed in DIRECTIONS {
        let both = Both::new(directed);
        let (old, new) = both.source();
        let (gaps, dense) = (bfs::bfs(&both.gaps, old).unwrap(), bfs::bfs(&both.dense, new).unwrap());
        both.same((&gaps.depths, &dense.depths), UNREACHED);
        both.same_vertices((&gaps.parents, &dense.parents), UNREACHED);
        assert_eq!((gaps.reached, &gaps.levels), (dense.reached, &dense.levels));
        assert!(gaps.reached > 30, "a search that finds something");
        bfs::verify(both.gaps(), old, &gaps).unwrap();

        let (gaps, dense) =
            (khop::khop(&both.gaps, &[old, 17], 3).unwrap(), khop::khop(&both.dense, &[new], 3).unwrap());
        assert!(both.gaps.has_vertex(17) && gaps.size >= dense.size);
        khop::verify(both.gaps(), &[old, 17], 3, &gaps).unwrap();
        let gaps = khop::khop(&both.gaps, &[old], 3).unwrap();
        both.same((&gaps.distances, &dense.distances), UNREACHED);

        let options = sssp::Sssp::default();
        let (gaps, dense) =
            (sssp::sssp(&both.gaps, old, &options).unwrap(), sssp::sssp(&both.dense, new, &options).unwrap());
        both.same((&gaps.distances, &dense.distances), f64::INFINITY);
        assert_eq!((gaps.reached, gaps.farthest, gaps.delta), (dense.reached, dense.farthest, dense.delta));

        let (gaps, dense) = (bc::bc(&both.gaps, &[old]).unwrap(), bc::bc(&both.dense, &[new]).unwrap());
        both.same((&gaps.scores, &dense.scores), 0.0);
        assert_eq!(gaps.depth, dense.depth);

        // A search cannot begin at a removed vertex.
        assert!(bfs::bfs(&both.gaps, 0).is_err() && khop::khop(&both.gaps, &[old, 0], 1).is_err());
        assert!(sssp::sssp(&both.gaps, 0, &options).is_err() && bc::bc(&both.gaps, &[0]).is_err());
    }
}

#[test]
fn parts() {
    for directed in DIRECTIONS {
        let both = Both::new(directed);
        let (gaps, dense) = both.each(|graph| cc::components(graph));
        both.same_vertices((&gaps.labels, &dense.labels), ABSENT);
        assert_eq!((gaps.count, gaps.largest), (dense.count, dense.largest));
        cc::verify(both.gaps(), &gaps).unwrap();

        let (gaps, dense) = both.each(|graph| scc::scc(graph).unwrap());
        both.same_vertices((&gaps.labels, &dense.labels), ABSENT);
        assert_eq!((gaps.count, gaps.largest), (dense.count, dense.largest));
        scc::verify(both.gaps(), &gaps).unwrap();

        let (gaps, dense) = both.each(|graph| cdlp::cdlp(graph, &cdlp::Cdlp::default()).unwrap());
        both.same_vertices((&gaps.labels, &dense.labels), ABSENT);
        assert_eq!((gaps.count, &gaps.changed), (dense.count, &dense.changed));
        cdlp::verify(both.gaps(), &cdlp::Cdlp::default(), &gaps).unwrap();
    }
    let both = Both::new(false);
    let (gaps, dense) = both.each(|graph| msf::msf(graph).unwrap());
    both.same_vertices((&gaps.parents, &dense.parents), ABSENT);
    assert_eq!((gaps.trees, gaps.weight), (dense.trees, dense.weight));
    let edges = dense.edges.iter().map(|&(u, v, weight)| (both.old[u as usize], both.old[v as usize], weight));
    assert!(gaps.edges.iter().copied().eq(edges));
    msf::verify(both.gaps(), &gaps).unwrap();

    let ((old, new), options) = (both.source(), nibble::Nibble::default());
    let (gaps, dense) =
        (nibble::nibble(&both.gaps, old, &options).unwrap(), nibble::nibble(&both.dense, new, &options).unwrap());
    assert_eq!(gaps.members, both.called(&dense.members));
    assert_eq!((gaps.conductance, gaps.volume, gaps.pushes), (dense.conductance, dense.volume, dense.pushes));
    assert!(nibble::nibble(&both.gaps, 0, &options).is_err());

    let (gaps, dense) = both.each(|graph| diameter::diameter(graph, &diameter::Diameter::default()).unwrap());
    assert_eq!((gaps.least, gaps.most, gaps.searches), (dense.least, dense.most, dense.searches));
    assert_eq!(gaps.ends, dense.ends.map(|(a, b)| (both.old[a as usize], both.old[b as usize])));
    diameter::verify(both.gaps(), &gaps).unwrap();
}

#[test]
fn density() {
    for directed in DIRECTIONS {
        let both = Both::new(directed);
        let (gaps, dense) = both.each(|graph| tc::triangles(graph).unwrap());
        assert_eq!((gaps.count, gaps.edges), (dense.count, dense.edges));
        assert!(gaps.count > 100);

        let (gaps, dense) = both.each(|graph| lcc::lcc(graph).unwrap());
        both.same((&gaps.coefficients, &dense.coefficients), 0.0);
        assert_eq!(gaps.mean, dense.mean);
        lcc::verify(both.gaps(), &gaps).unwrap();

        let (gaps, dense) = both.each(|graph| ktruss::ktruss(graph).unwrap());
        both.same((&gaps.vertices, &dense.vertices), 0);
        assert_eq!((gaps.most, &gaps.trussness), (dense.most, &dense.trussness));
        ktruss::verify(both.gaps(), &gaps).unwrap();

        let (gaps, dense) = both.each(|graph| degree::degrees(graph));
        for (gaps, dense) in [(&gaps.out, &dense.out), (&gaps.incoming, &dense.incoming)] {
            both.same((&gaps.degrees, &dense.degrees), 0);
            let figures = |side: &degree::Side| (side.least, side.most, side.mean, side.median, side.zero, side.gini);
            assert_eq!(figures(gaps), figures(dense));
            assert_eq!(gaps.distribution, dense.distribution);
        }
        assert_eq!(gaps.isolated, dense.isolated);
        degree::verify(both.gaps(), &gaps).unwrap();
    }
    let both = Both::new(false);
    let (gaps, dense) = both.each(|graph| kcore::kcore(graph).unwrap());
    both.same((&gaps.coreness, &dense.coreness), 0);
    assert_eq!((gaps.degeneracy, &gaps.sizes), (dense.degeneracy, &dense.sizes));
    kcore::verify(both.gaps(), &gaps).unwrap();
}

#[test]
fn ranks() {
    for directed in DIRECTIONS {
        let both = Both::new(directed);
        let (old, new) = both.source();
        let personal = |vertex| pagerank::PageRank::default().with_personalisation(vec![(vertex, 1.0)]);
        for (gaps, dense) in [(Default::default(), Default::default()), (personal(old), personal(new))] {
            let gaps = pagerank::pagerank(&both.gaps, &gaps).unwrap();
            let dense = pagerank::pagerank(&both.dense, &dense).unwrap();
            // Sums are taken in another order.
            let rounded = |ranks: &[f64]| ranks.iter().map(|rank| (rank * 1e12).round()).collect::<Vec<f64>>();
            both.same((&rounded(&gaps.ranks), &rounded(&dense.ranks)), 0.0);
            assert!((gaps.ranks.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        let gone = pagerank::pagerank(&both.gaps, &personal(0)).unwrap_err();
        assert!(matches!(gone, pagerank::PageRankError::Vertex { vertex: 0, .. }));
    }
}

/// Numbers that are sums in another order.
fn rounded(values: &[f64]) -> Vec<f64> {
    values.iter().map(|value| (value * 1e8).round()).collect()
}

#[test]
fn centralities() {
    for directed in DIRECTIONS {
        let both = Both::new(directed);
        let options = closeness::Closeness::default();
        let (gaps, dense) = both.each(|graph| closeness::closeness(graph, &options).unwrap());
        both.same((&rounded(&gaps.closeness), &rounded(&dense.closeness)), 0.0);
        both.same((&rounded(&gaps.harmonic), &rounded(&dense.harmonic)), 0.0);
        closeness::verify(both.gaps(), &options, &gaps).unwrap();
        let (gaps, dense) = both.each(|graph| closeness::closeness_weighted(graph, &options).unwrap());
        both.same((&rounded(&gaps.closeness), &rounded(&dense.closeness)), 0.0);
        both.same((&rounded(&gaps.harmonic), &rounded(&dense.harmonic)), 0.0);
        closeness::verify_weighted(both.gaps(), &options, &gaps).unwrap();

        // Of a fixed number of iterations, since the mean change of an entry depends on the number of entries.
        let options = spectral::Spectral::default().with_tolerance(1e-300).with_iterations(40).with_katz(0.001, 1.0);
        let (gaps, dense) = both.each(|graph| spectral::eigenvector(graph, &options).unwrap().scores);
        both.same((&rounded(&gaps), &rounded(&dense)), 0.0);
        let (gaps, dense) = both.each(|graph| spectral::katz(graph, &options).unwrap().scores);
        both.same((&rounded(&gaps), &rounded(&dense)), 0.0);
        assert!(gaps.iter().all(|&score| score < 1.0) && gaps.iter().any(|&score| score > 0.0));
        let (gaps, dense) = both.each(|graph| spectral::hits(graph, &options).unwrap());
        both.same((&rounded(&gaps.hubs), &rounded(&dense.hubs)), 0.0);
        both.same((&rounded(&gaps.authorities), &rounded(&dense.authorities)), 0.0);
    }
}

#[test]
fn structure() {
    let both = Both::new(false);
    let (gaps, dense) = both.each(|graph| cuts::cuts(graph).unwrap());
    both.same((&gaps.articulation, &dense.articulation), false);
    let called = |&(u, v): &(u32, u32)| (both.old[u as usize], both.old[v as usize]);
    assert!(gaps.bridges.iter().copied().eq(dense.bridges.iter().map(called)));
    assert_eq!(gaps.points, dense.points);
    cuts::verify(both.gaps(), &gaps).unwrap();

    let (_, new) = both.source();
    let pairs: Vec<(u32, u32)> = (0..both.old.len() as u32).map(|other| (new, other)).collect();
    let renamed: Vec<(u32, u32)> = pairs.iter().map(called).collect();
    let gaps = similarity::similarity(&both.gaps, &renamed).unwrap();
    assert_eq!(gaps, similarity::similarity(&both.dense, &pairs).unwrap());
    assert!(similarity::similarity(&both.gaps, &[(0, renamed[0].0)]).is_err());

    // Vertices are visited in an order drawn by their numbers, which differ.
    for options in [louvain::Louvain::default(), louvain::Louvain::default().with_refine(true)] {
        let (gaps, dense) = both.each(|graph| louvain::louvain(graph, &options).unwrap());
        louvain::verify(both.gaps(), &options, &gaps).unwrap();
        assert!(both.gaps().absent().all(|gap| gaps.labels[gap as usize] == ABSENT));
        assert!(gaps.count < both.old.len() && (gaps.modularity - dense.modularity).abs() < 0.05);
    }

    let options = walks::Walks::default();
    let (starts, renamed): (Vec<u32>, Vec<u32>) = (0..).zip(both.old.iter().copied()).unzip();
    let gaps = walks::walks(&both.gaps, &renamed, &options).unwrap();
    assert_eq!(gaps, both.called(&walks::walks(&both.dense, &starts, &options).unwrap()));
    assert!(matches!(walks::walks(&both.gaps, &[0], &options), Err(walks::WalksError::Start(_))));

    let both = Both::acyclic();
    let (gaps, dense) = both.each(|graph| topological::topological(graph).unwrap());
    both.same((&gaps.generations, &dense.generations), ABSENT);
    assert_eq!((gaps.order.clone(), gaps.count), (both.called(&dense.order), dense.count));
    assert!(gaps.count > 5);
    topological::verify(both.gaps(), &gaps).unwrap();
}

/// Priorities are drawn by the number of a vertex, so that a graph numbered anew has others. What is compared is the same graph with its gaps taken for
/// vertices without edges: they change nothing for the others.
#[test]
fn choices() {
    let both = Both::new(false);
    let (gaps, all) = (both.gaps(), Adjacency::undirected(both.gaps.matrix()).unwrap());
    let absent = gaps.bound() - gaps.num_vertices();
    let (found, wide) = (mis::mis(gaps, &mis::Mis::default()).unwrap(), mis::mis(all, &mis::Mis::default()).unwrap());
    assert_eq!((found.size, wide.size), (found.members.iter().filter(|&&member| member).count(), found.size + absent));
    assert!(gaps.vertices().all(|vertex| found.members[vertex as usize] == wide.members[vertex as usize]));
    assert!(gaps.absent().all(|gap| !found.members[gap as usize]));
    mis::verify(gaps, &mis::Mis::default(), &found).unwrap();
    let dense = mis::mis(&both.dense, &mis::Mis::default()).unwrap();
    mis::verify(both.dense.adjacency().unwrap(), &mis::Mis::default(), &dense).unwrap();

    let (found, wide) = (coloring::coloring(gaps).unwrap(), coloring::coloring(all).unwrap());
    assert_eq!(found.count, wide.count);
    assert!(gaps.vertices().all(|vertex| found.colors[vertex as usize] == wide.colors[vertex as usize]));
    assert!(gaps.absent().all(|gap| found.colors[gap as usize] == ABSENT));
    coloring::verify(gaps, &found).unwrap();
    assert!(coloring::verify(gaps, &wide).is_err(), "a gap has no colour");
}

#[test]
fn three_removed_vertices_are_no_components_and_have_no_rank() {
    let graph: Graph = Graph::new(GraphOptions::undirected());
    graph.insert([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]).unwrap();
    graph.apply([1, 2, 3].map(Update::remove_vertex)).unwrap();
    let snapshot = graph.fresh();
    let found = cc::components(&snapshot);
    assert_eq!((found.labels, found.count, found.largest), (vec![0, ABSENT, ABSENT, ABSENT, 4, 4], 2, 2));
    let ranks = pagerank::pagerank(&snapshot, &Default::default()).unwrap().ranks;
    // Of three vertices: r = 0.15 / 3 + 0.85 r / 3 for the one without edges, and half of the rest for each of the others.
    let alone = 0.05 / (1.0 - 0.85 / 3.0);
    let pair = (1.0 - alone) / 2.0;
    assert!(ranks.iter().zip([alone, 0.0, 0.0, 0.0, pair, pair]).all(|(a, b)| (a - b).abs() < 1e-9), "{ranks:?}");
}

#[test]
fn nothing_is_left() {
    let graph = Graph::<Held>::new(GraphOptions::undirected());
    graph.insert([(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    graph.apply([0, 1, 2].map(Update::remove_vertex)).unwrap();
    let snapshot = &graph.fresh();
    assert_eq!(cc::components(snapshot).count, 0);
    assert_eq!(scc::scc(snapshot).unwrap().count, 0);
    assert_eq!(cdlp::cdlp(snapshot, &Default::default()).unwrap().count, 0);
    assert_eq!(msf::msf(snapshot).unwrap().trees, 0);
    assert!(kcore::kcore(snapshot).unwrap().sizes.is_empty());
    assert_eq!(mis::mis(snapshot, &Default::default()).unwrap().size, 0);
    assert_eq!(coloring::coloring(snapshot).unwrap().count, 0);
    assert_eq!(diameter::diameter(snapshot, &Default::default()).unwrap().ends, None);
    assert_eq!(degree::degrees(snapshot).isolated, 0);
    assert_eq!(lcc::lcc(snapshot).unwrap().mean, 0.0);
    assert!(pagerank::pagerank(snapshot, &Default::default()).unwrap().ranks.iter().all(|&rank| rank == 0.0));
    assert_eq!(Adjacency::from(snapshot).vertices().collect::<VertexSet>().len(), 0);
}

#[test]
fn ranks_are_those_of_the_graph_and_not_of_its_transpose() {
    let graph: Graph = Graph::new(GraphOptions::default());
    // All arcs lead to 0.
    graph.insert((1..6).map(|from| (from, 0))).unwrap();
    let ranks = pagerank::pagerank(&graph.fresh(), &Default::default()).unwrap().ranks;
    assert!(ranks[1..].iter().all(|&rank| ranks[0] > 4.0 * rank));
    let outward: Graph = Graph::new(GraphOptions::default().with_incoming(false));
    outward.insert((1..6).map(|from| (from, 0))).unwrap();
    let error = pagerank::pagerank(&outward.fresh(), &Default::default()).unwrap_err();
    assert_eq!(error, pagerank::PageRankError::Graph(error::UnfitGraph::NoInArcs { algorithm: "pagerank" }));
}
