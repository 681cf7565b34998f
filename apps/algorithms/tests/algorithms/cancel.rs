//! Every algorithm ends early once it is asked to, and says how far it is.

use pleach::graph::{Graph, GraphOptions};
use pleach::traverse::{Adjacency, Cancel, Cancelled, Progress};
use pleach_algorithms::bc::bc;
use pleach_algorithms::bfs::bfs;
use pleach_algorithms::cc::components;
use pleach_algorithms::cdlp::{Cdlp, cdlp};
use pleach_algorithms::closeness::{Closeness, closeness, closeness_weighted};
use pleach_algorithms::coloring::coloring;
use pleach_algorithms::cuts::cuts;
use pleach_algorithms::degree::degrees;
use pleach_algorithms::diameter::{Diameter, diameter};
use pleach_algorithms::incremental::{MovingComponents, MovingRanks};
use pleach_algorithms::kcore::kcore;
use pleach_algorithms::khop::khop;
use pleach_algorithms::ktruss::ktruss;
use pleach_algorithms::lcc::lcc;
use pleach_algorithms::louvain::{Louvain, louvain};
use pleach_algorithms::mis::{Mis, mis};
use pleach_algorithms::msf::msf;
use pleach_algorithms::nibble::{Nibble, nibble};
use pleach_algorithms::pagerank::{PageRank, pagerank, pagerank_weighted};
use pleach_algorithms::scc::scc;
use pleach_algorithms::similarity::similarity;
use pleach_algorithms::spectral::{Spectral, eigenvector, hits, katz};
use pleach_algorithms::sssp::{Sssp, sssp};
use pleach_algorithms::tc::triangles;
use pleach_algorithms::topological::topological;
use pleach_algorithms::walks::{Walks, walks};

type Held = pleach::runtime::Packed<u32, f64>;

/// A graph that an algorithm takes.
type Plain<'a> = Adjacency<'a, pleach::Matrix<Held>>;

/// An algorithm whose result does not matter.
type Algorithm<'f> = &'f dyn Fn(Plain<'_>);

/// Calls `check` with each algorithm, and with a graph that it takes: two cliques of unequal size with a bridge and a path, or a directed path
/// behind a cycle.
fn each_algorithm(check: &dyn Fn(&str, Algorithm<'_>, Plain<'_>)) {
    let clique = |from: u32, to: u32| (from..to).flat_map(move |u| (from..u).map(move |v| (u, v, 1.0)));
    let path = || (45..80).map(|v| (v, v + 1, 1.0));
    let graph = Graph::<Held>::new(GraphOptions::undirected());
    graph.insert(clique(0, 30).chain(clique(30, 45)).chain([(0, 30, 2.0)]).chain(path())).unwrap();
    let snapshot = graph.fresh();
    let plain = snapshot.adjacency().unwrap();
    let slow = Spectral::default().with_katz(0.01, 1.0);
    let undirected: [(&str, Algorithm<'_>); 29] = [
        ("bc", &|graph| bc(graph, &[0, 50]).map(drop).unwrap()),
        ("bfs", &|graph| bfs(graph, 0).map(drop).unwrap()),
        ("cc", &|graph| drop(components(graph))),
        ("cdlp", &|graph| cdlp(graph, &Cdlp::default()).map(drop).unwrap()),
        ("closeness", &|graph| closeness(graph, &Closeness::default()).map(drop).unwrap()),
        ("closeness by weights", &|graph| closeness_weighted(graph, &Closeness::default()).map(drop).unwrap()),
        ("coloring", &|graph| coloring(graph).map(drop).unwrap()),
        ("cuts", &|graph| cuts(graph).map(drop).unwrap()),
        ("degree", &|graph| drop(degrees(graph))),
        ("diameter", &|graph| diameter(graph, &Diameter::default()).map(drop).unwrap()),
        ("eigenvector", &|graph| eigenvector(graph, &slow).map(drop).unwrap()),
        ("hits", &|graph| hits(graph, &slow).map(drop).unwrap()),
        ("katz", &|graph| katz(graph, &slow).map(drop).unwrap()),
        ("kcore", &|graph| kcore(graph).map(drop).unwrap()),
        ("khop", &|graph| khop(graph, &[0], 3).map(drop).unwrap()),
        ("ktruss", &|graph| ktruss(graph).map(drop).unwrap()),
        ("lcc", &|graph| lcc(graph).map(drop).unwrap()),
        ("louvain", &|graph| louvain(graph, &Louvain::default()).map(drop).unwrap()),
        ("mis", &|graph| mis(graph, &Mis::default()).map(drop).unwrap()),
        ("msf", &|graph| msf(graph).map(drop).unwrap()),
        ("nibble", &|graph| nibble(graph, 0, &Nibble::default()).map(drop).unwrap()),
        ("pagerank", &|graph| pagerank(graph, &PageRank::default()).map(drop).unwrap()),
        ("pagerank by weights", &|graph| pagerank_weighted(graph, &PageRank::default()).map(drop).unwrap()),
        ("ranks that move", &|graph| MovingRanks::new(graph, 0.85, 1e-9).map(drop).unwrap()),
        ("scc", &|graph| scc(graph).map(drop).unwrap()),
        ("similarity", &|graph| similarity(graph, &[(0, 1)]).map(drop).unwrap()),
        ("sssp", &|graph| sssp(graph, 0, &Sssp::default()).map(drop).unwrap()),
        ("tc", &|graph| triangles(graph).map(drop).unwrap()),
        ("walks", &|graph| walks(graph, &[0, 50], &Walks::default()).map(drop).unwrap()),
    ];
    undirected.iter().for_each(|(name, run)| check(name, run, plain));
    let graph = Graph::<Held>::new(GraphOptions::default().with_incoming(true));
    graph.insert(path()).unwrap();
    let acyclic = graph.fresh();
    check("topological", &|graph| topological(graph).map(drop).unwrap(), acyclic.adjacency().unwrap());
    graph.insert([(46, 45, 1.0)]).unwrap();
    let cyclic = graph.fresh();
    check("scc of directed arcs", &|graph| scc(graph).map(drop).unwrap(), cyclic.adjacency().unwrap());
}

#[test]
fn every_algorithm_gives_up() {
    each_algorithm(&|name, run, plain| {
        let cancel = Cancel::new();
        assert_eq!(cancel.run(|| run(plain.with_cancel(&cancel))), Ok(()), "{name}");
        cancel.cancel();
        assert_eq!(cancel.run(|| run(plain.with_cancel(&cancel))), Err(Cancelled), "{name}");
        // What another graph's request asks for is not noticed.
        run(plain);
    });
}

#[test]
fn every_algorithm_says_how_far_it_is() {
    each_algorithm(&|name, run, plain| {
        let cancel = Cancel::new();
        run(plain.with_cancel(&cancel));
        let Progress { unit, done, total, part } = cancel.progress();
        assert!(!unit.is_empty() && part == 1, "{name}");
        match name {
            // It is done with a share of the vertices, or before all rounds.
            "cdlp" | "khop" | "bfs" | "sssp" => assert!(done > 0, "{name}"),
            _ => assert!(done > 0 && total.is_none_or(|total| done == total), "{name}: {done} of {total:?} {unit}"),
        }
    });
}

#[test]
fn results_that_follow_a_graph_give_up() {
    let graph = Graph::<Held>::new(GraphOptions::undirected());
    graph.insert((0..100).map(|v| (v, v + 1, 1.0))).unwrap();
    let before = graph.fresh();
    graph.delete([(50, 51)]).unwrap();
    let after = graph.fresh();
    let (before, after) = (before.adjacency().unwrap(), after.adjacency().unwrap());
    let cancel = Cancel::new();
    cancel.cancel();
    let mut components = MovingComponents::new(before);
    let follow = || components.follow(before, after.with_cancel(&cancel), &[(50, 51)]);
    assert_eq!(cancel.run(follow), Err(Cancelled));
    let mut ranks = MovingRanks::new(before, 0.85, 1e-9).unwrap();
    let follow = || ranks.follow(before, after.with_cancel(&cancel), &[50, 51]);
    assert_eq!(cancel.run(follow).map(drop), Err(Cancelled));
}
