//! Every algorithm ends early once it is asked to.

use pleach::graph::{Graph, GraphOptions};
use pleach::traverse::{Adjacency, Cancel, Cancelled};
use pleach_algorithms::bc::bc;
use pleach_algorithms::bfs::bfs;
use pleach_algorithms::cc::components;
use pleach_algorithms::cdlp::{Cdlp, cdlp};
use pleach_algorithms::coloring::coloring;
use pleach_algorithms::degree::degrees;
use pleach_algorithms::diameter::{Diameter, diameter};
use pleach_algorithms::incremental::{MovingComponents, MovingRanks};
use pleach_algorithms::kcore::kcore;
use pleach_algorithms::khop::khop;
use pleach_algorithms::ktruss::ktruss;
use pleach_algorithms::lcc::lcc;
use pleach_algorithms::mis::{Mis, mis};
use pleach_algorithms::msf::msf;
use pleach_algorithms::nibble::{Nibble, nibble};
use pleach_algorithms::pagerank::{PageRank, pagerank};
use pleach_algorithms::scc::scc;
use pleach_algorithms::sssp::{Sssp, sssp};
use pleach_algorithms::tc::triangles;

type Held = pleach::runtime::Packed<u32, f64>;

/// An algorithm whose result does not matter.
type Algorithm<'f> = &'f dyn Fn(Adjacency<'_, pleach::Matrix<Held>>);

#[test]
fn every_algorithm_gives_up() {
    // Two cliques of unequal size with a bridge, and a path.
    let clique = |from: u32, to: u32| (from..to).flat_map(move |u| (from..u).map(move |v| (u, v, 1.0)));
    let edges = clique(0, 30).chain(clique(30, 45)).chain([(0, 30, 2.0)]).chain((45..80).map(|v| (v, v + 1, 1.0)));
    let graph = Graph::<Held>::new(GraphOptions::undirected());
    graph.insert(edges).unwrap();
    let snapshot = graph.fresh();
    let plain = snapshot.adjacency().unwrap();
    let ranks = |graph: Adjacency<'_, _>| MovingRanks::new(graph, 0.85, 1e-9).map(drop).unwrap();
    let algorithms: [(&str, Algorithm<'_>); 19] = [
        ("bc", &|graph| bc(graph, &[0, 50]).map(drop).unwrap()),
        ("bfs", &|graph| bfs(graph, 0).map(drop).unwrap()),
        ("cc", &|graph| drop(components(graph))),
        ("cdlp", &|graph| cdlp(graph, &Cdlp::default()).map(drop).unwrap()),
        ("coloring", &|graph| coloring(graph).map(drop).unwrap()),
        ("degree", &|graph| drop(degrees(graph))),
        ("diameter", &|graph| diameter(graph, &Diameter::default()).map(drop).unwrap()),
        ("kcore", &|graph| kcore(graph).map(drop).unwrap()),
        ("khop", &|graph| khop(graph, &[0], 3).map(drop).unwrap()),
        ("ktruss", &|graph| ktruss(graph).map(drop).unwrap()),
        ("lcc", &|graph| lcc(graph).map(drop).unwrap()),
        ("mis", &|graph| mis(graph, &Mis::default()).map(drop).unwrap()),
        ("msf", &|graph| msf(graph).map(drop).unwrap()),
        ("nibble", &|graph| nibble(graph, 0, &Nibble::default()).map(drop).unwrap()),
        ("pagerank", &|graph| pagerank(graph, &PageRank::default()).map(drop).unwrap()),
        ("ranks that move", &ranks),
        ("scc", &|graph| scc(graph).map(drop).unwrap()),
        ("sssp", &|graph| sssp(graph, 0, &Sssp::default()).map(drop).unwrap()),
        ("tc", &|graph| triangles(graph).map(drop).unwrap()),
    ];
    for (name, run) in algorithms {
        let cancel = Cancel::new();
        assert_eq!(cancel.run(|| run(plain.with_cancel(&cancel))), Ok(()), "{name}");
        cancel.cancel();
        assert_eq!(cancel.run(|| run(plain.with_cancel(&cancel))), Err(Cancelled), "{name}");
        // What another graph's request asks for is not noticed.
        run(plain);
    }
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
