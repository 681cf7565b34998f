//! Options and results go through JSON and come back the same.

use pleach::graph::{Applied, Conflict, Graph, GraphOptions, Update};
use pleach_algorithms::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

fn there_and_back<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
}

#[test]
fn options_and_results() {
    let graph: Graph = Graph::new(GraphOptions::undirected());
    let applied = graph.insert([(0, 1), (1, 2), (2, 0), (3, 4)]).unwrap();
    there_and_back::<Applied>(&applied);
    there_and_back(&Update::<()>::remove_vertex(3));
    let snapshot = &graph.fresh();
    let options = pagerank::PageRank::default().with_personalisation(vec![(1, 0.5)]);
    there_and_back(&options);
    // What was written before there were further options is read.
    let before = r#"{"damping":0.5,"stop":{"Iterations":3},"personalisation":[]}"#;
    let stop = pagerank::Stop::Iterations(3);
    let expected = pagerank::PageRank::default().with_damping(0.5).with_stop(stop);
    assert_eq!(serde_json::from_str::<pagerank::PageRank>(before).unwrap(), expected);
    there_and_back(&spectral::Spectral::default().with_start(vec![(1, 0.5)]));
    there_and_back(&pagerank::pagerank(snapshot, &options).unwrap());
    there_and_back(&cc::components(snapshot));
    there_and_back(&scc::scc(snapshot).unwrap());
    there_and_back(&bfs::bfs(snapshot, 0).unwrap());
    there_and_back(&khop::khop(snapshot, &[0], 1).unwrap());
    there_and_back(&bc::bc(snapshot, &[0]).unwrap());
    there_and_back(&cdlp::Cdlp::default());
    there_and_back(&cdlp::cdlp(snapshot, &Default::default()).unwrap());
    there_and_back(&coloring::coloring(snapshot).unwrap());
    there_and_back(&degree::degrees(snapshot));
    there_and_back(&diameter::Diameter::default());
    there_and_back(&diameter::diameter(snapshot, &Default::default()).unwrap());
    there_and_back(&kcore::kcore(snapshot).unwrap());
    there_and_back(&ktruss::ktruss(snapshot).unwrap());
    there_and_back(&lcc::lcc(snapshot).unwrap());
    there_and_back(&mis::Mis::default().with_seed(7));
    there_and_back(&mis::mis(snapshot, &Default::default()).unwrap());
    there_and_back(&nibble::Nibble::default());
    there_and_back(&nibble::nibble(snapshot, 0, &Default::default()).unwrap());
    there_and_back(&sssp::Sssp::default());
    there_and_back(&tc::triangles(snapshot).unwrap());
}

#[test]
fn options_of_graphs() {
    let options = GraphOptions::<f64>::default().with_conflict(Conflict::Sum).with_incoming(false);
    let text = serde_json::to_string(&options).unwrap();
    let back: GraphOptions<f64> = serde_json::from_str(&text).unwrap();
    assert_eq!(format!("{back:?}"), format!("{options:?}"));
    let with = GraphOptions::<f64>::default().with_conflict(Conflict::With(|a, _| a));
    assert!(serde_json::to_string(&with).is_err(), "a function is not written");
}
