//! Options and results go through JSON and come back the same, infinite numbers among them; and what was written before there were further
//! options is read.

use std::fmt::Debug;
use std::num::NonZeroU64;

use pleach::graph::{
    Action, Applied, Conflict, EventBatch, Graph, GraphOptions, Numbering, Update, UpdateList, WeightedGraph, Window,
};
use pleach::{BuildOptions, BuildReport, Csr, Duplicates, EdgeList, SelfLoops};
use pleach_algorithms::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

fn read<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

fn there_and_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&read::<T>(&text), value, "{text}");
}

/// As [`there_and_back`], for types without `PartialEq`.
fn there_and_back_shown<T: Serialize + DeserializeOwned + Debug>(value: &T) {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(format!("{:?}", read::<T>(&text)), format!("{value:?}"), "{text}");
}

/// A triangle, an edge that it does not reach, and the number of a vertex that was removed.
fn sample() -> WeightedGraph<f64> {
    let graph = WeightedGraph::new(GraphOptions::undirected());
    graph.insert([(0, 1, 0.5), (1, 2, 1.5), (2, 0, 2.0), (3, 5, 1.0), (4, 5, 1.0)]).unwrap();
    graph.remove_vertex(4).unwrap();
    graph
}

#[test]
fn results_of_searches_and_centralities() {
    let snapshot = &sample().fresh();
    let distances = sssp::sssp(snapshot, 0, &Default::default()).unwrap();
    assert_eq!(distances.distances, [0.0, 0.5, 2.0, f64::INFINITY, f64::INFINITY, f64::INFINITY]);
    there_and_back(&distances);
    there_and_back(&bfs::bfs(snapshot, 0).unwrap());
    there_and_back(&khop::khop(snapshot, &[0], 1).unwrap());
    there_and_back(&bc::bc(snapshot, &[0]).unwrap());
    there_and_back(&diameter::diameter(snapshot, &Default::default()).unwrap());
    there_and_back(&walks::walks(snapshot, &[0], &Default::default()).unwrap());
    there_and_back(&closeness::closeness(snapshot, &Default::default()).unwrap());
    there_and_back(&closeness::closeness_weighted(snapshot, &Default::default()).unwrap());
    there_and_back(&degree::degrees(snapshot));
    there_and_back(&pagerank::pagerank(snapshot, &Default::default()).unwrap());
    there_and_back(&spectral::eigenvector(snapshot, &Default::default()).unwrap());
    there_and_back(&spectral::katz(snapshot, &Default::default()).unwrap());
    there_and_back(&spectral::hits(snapshot, &Default::default()).unwrap());
    there_and_back(&similarity::similarity(snapshot, &[(0, 1), (0, 3)]).unwrap());
}

#[test]
fn results_of_components_and_sets() {
    let snapshot = &sample().fresh();
    there_and_back(&cc::components(snapshot));
    there_and_back(&scc::scc(snapshot).unwrap());
    there_and_back(&cdlp::cdlp(snapshot, &Default::default()).unwrap());
    there_and_back(&louvain::louvain(snapshot, &Default::default()).unwrap());
    there_and_back(&nibble::nibble(snapshot, 0, &Default::default()).unwrap());
    there_and_back(&msf::msf(snapshot).unwrap());
    there_and_back(&cuts::cuts(snapshot).unwrap());
    there_and_back(&tc::triangles(snapshot).unwrap());
    there_and_back(&lcc::lcc(snapshot).unwrap());
    there_and_back(&kcore::kcore(snapshot).unwrap());
    there_and_back(&ktruss::ktruss(snapshot).unwrap());
    there_and_back(&mis::mis(snapshot, &Default::default()).unwrap());
    there_and_back(&coloring::coloring(snapshot).unwrap());
    there_and_back(&incremental::Moved { pushes: 3, iterations: 1 });
    let directed: Graph = Graph::new(GraphOptions::default());
    directed.insert([(0, 1), (1, 2), (3, 2)]).unwrap();
    directed.remove_vertex(1).unwrap();
    there_and_back(&topological::topological(&directed.fresh()).unwrap());
}

#[test]
fn infinity_comes_back_and_no_other_number_becomes_infinite() {
    let snapshot = &sample().fresh();
    let hops: WeightedGraph<f32> = WeightedGraph::new(GraphOptions::undirected());
    hops.insert([(0, 1, 0.5), (1, 2, 1.5), (3, 4, 1.0)]).unwrap();
    hops.remove_vertex(4).unwrap();
    let narrow: sssp::Distances<f32> = sssp::sssp_in(&hops.fresh(), 0, &Default::default()).unwrap();
    there_and_back(&narrow);
    let text = serde_json::to_string(&narrow).unwrap();
    assert!(text.contains("[0.0,0.5,2.0,null,null]"), "{text}");
    // No iteration has changed anything.
    let none = pagerank::PageRank::default().with_stop(pagerank::Stop::Iterations(0));
    let mut ranks = pagerank::pagerank(snapshot, &none).unwrap();
    assert_eq!(ranks.residual, f64::INFINITY);
    there_and_back(&ranks);
    for unwritten in [f64::NAN, f64::NEG_INFINITY] {
        ranks.residual = unwritten;
        assert!(serde_json::to_string(&ranks).is_err(), "{unwritten} became something else");
        let distances = sssp::Distances { distances: vec![unwritten], ..distances() };
        assert!(serde_json::to_string(&distances).is_err(), "{unwritten} became something else");
        // A format for machines has every number.
        let bytes = bincode::serialize(&ranks).unwrap();
        let back: pagerank::Ranks = bincode::deserialize(&bytes).unwrap();
        assert_eq!(back.residual.to_bits(), unwritten.to_bits());
    }
    let bytes = bincode::serialize(&narrow).unwrap();
    assert_eq!(bincode::deserialize::<sssp::Distances<f32>>(&bytes).unwrap(), narrow);
    // As near as a number can be, and heavier than all numbers.
    let graph: WeightedGraph<f64> = WeightedGraph::new(GraphOptions::undirected());
    graph.insert([(0, 1, 1e-310), (2, 3, 1e308), (3, 4, 1e308)]).unwrap();
    let near = closeness::closeness_weighted(&graph.fresh(), &Default::default()).unwrap();
    let heavy = msf::msf(&graph.fresh()).unwrap();
    assert_eq!((near.harmonic[0], near.closeness[0], heavy.weight), (f64::INFINITY, f64::INFINITY, f64::INFINITY));
    there_and_back(&near);
    there_and_back(&heavy);
}

fn distances() -> sssp::Distances {
    sssp::sssp(&sample().fresh(), 0, &Default::default()).unwrap()
}

/// Options that differ from the defaults come back, and no option reads as its default.
fn option<T: Serialize + DeserializeOwned + PartialEq + Debug + Default>(other: T) {
    assert_ne!(other, T::default());
    there_and_back(&other);
    assert_eq!(read::<T>("{}"), T::default());
}

#[test]
fn options_of_algorithms() {
    option(pagerank::PageRank::default().with_personalisation(vec![(1, 0.5)]));
    option(spectral::Spectral::default().with_start(vec![(1, 0.5)]));
    option(sssp::Sssp::default().with_delta(2.0));
    option(cdlp::Cdlp::default().with_iterations(3));
    option(mis::Mis::default().with_seed(7));
    option(nibble::Nibble::default().with_alpha(0.5));
    option(louvain::Louvain::default().with_resolution(2.0));
    option(diameter::Diameter::default().with_searches(3));
    option(closeness::Closeness::default().with_scaled(false));
    option(walks::Walks::default().with_length(3));
    // What was written before there were further options is read.
    let before = r#"{"damping":0.5,"stop":{"Iterations":3},"personalisation":[]}"#;
    let stop = pagerank::Stop::Iterations(3);
    let expected = pagerank::PageRank::default().with_damping(0.5).with_stop(stop);
    assert_eq!(read::<pagerank::PageRank>(before), expected);
}

#[test]
fn options_of_graphs() {
    let options = GraphOptions::<f64>::default().with_conflict(Conflict::Sum).with_incoming(false);
    there_and_back_shown(&options);
    let default = GraphOptions::<f64>::default();
    assert_eq!(format!("{:?}", read::<GraphOptions<f64>>("{}")), format!("{default:?}"));
    let with = GraphOptions::<f64>::default().with_conflict(Conflict::With(|a, _| a));
    assert!(serde_json::to_string(&with).is_err(), "a function is not written");

    let build = BuildOptions::<f64>::default().with_duplicates(Duplicates::Last).with_self_loops(SelfLoops::Drop);
    there_and_back_shown(&build.with_undirected(true));
    let default = BuildOptions::<f64>::default();
    assert_eq!(format!("{:?}", read::<BuildOptions<f64>>("{}")), format!("{default:?}"));
    assert!(serde_json::to_string(&build.with_duplicates(Duplicates::sum())).is_err(), "a function is not written");
    there_and_back_shown(&Window::<f64>::new(NonZeroU64::new(60).unwrap(), &options));
}

#[test]
fn what_becomes_of_updates() {
    let graph = sample();
    let before = graph.fresh();
    let applied = graph.insert([(0, 1, 0.25), (2, 3, 1.0)]).unwrap();
    there_and_back::<Applied>(&applied);
    graph.delete([(1, 2)]).unwrap();
    let difference = graph.fresh().diff(&before);
    assert!(!difference.added.is_empty() && !difference.removed.is_empty() && !difference.reweighted.is_empty());
    there_and_back(&difference);

    there_and_back(&Update::<()>::remove_vertex(3));
    let mut updates = UpdateList::new();
    updates.push(Action::Insert, 0, 1, 0.5);
    updates.push(Action::Delete, 2, 1, 0.0);
    there_and_back(&updates);
    there_and_back(&EventBatch { updates, events: 3, unknown: 1, expired: 0, time: -7 });

    let numbering = graph.fresh().compact().unwrap().numbering;
    assert_eq!(numbering.old(), [0, 1, 2, 3, 5]);
    there_and_back(&numbering);
    assert!(serde_json::from_str::<Numbering>(r#"{"old":[0,2,1]}"#).is_err(), "old numbers ascend");

    let mut edges = EdgeList::new(2, 2);
    edges.push(0, 1, ());
    edges.push(0, 1, ());
    there_and_back::<BuildReport>(&Csr::from_edges(&edges, &BuildOptions::default()).unwrap().1);
}
