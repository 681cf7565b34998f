//! Workers against one process: equal for whole numbers, within 1e-12 for sums.

use std::collections::BTreeMap;

use pleach::traverse::Adjacency;
use pleach::{BuildOptions, Csr};
use pleach_algorithms as one;
use pleach_cluster::algorithms as many;
use pleach_datasets::{Direction, Input};

use crate::{CUTS, data, open, values};

/// Values of one process by ids.
fn by_id<T: Clone>(input: &Input, values: &[T]) -> BTreeMap<u64, T> {
    values.iter().enumerate().map(|(vertex, value)| (input.ids.external(vertex as u32), value.clone())).collect()
}

/// Labels that are vertices, as ids.
fn ids(input: &Input, labels: &[u32]) -> Vec<u64> {
    labels.iter().map(|&label| input.ids.external(label)).collect()
}

fn check(name: &str, direction: Option<Direction>) {
    let input = open(name, direction);
    let options: BuildOptions<f64> = input.build_options();
    let out = Csr::from_edges(&input.edges.clone().into_weighted(), &options).unwrap().0;
    let incoming = out.transpose();
    let graph = match input.directed {
        true => Adjacency::directed(&out, &incoming).unwrap(),
        false => Adjacency::undirected(&out).unwrap(),
    };
    let source = input.ids.external(input.edges.src()[0]);
    let start = input.ids.internal(source).unwrap();

    let expected = one::bfs::bfs(graph, start).unwrap();
    let depths: Vec<u64> =
        expected.depths.iter().map(|&depth| if depth == u32::MAX { many::UNREACHED } else { depth.into() }).collect();
    let distances = one::sssp::sssp(graph, start, &Default::default()).unwrap().distances;
    let components = one::cc::components(graph);
    let labels = one::cdlp::cdlp(graph, &one::cdlp::Cdlp::default().with_iterations(7)).unwrap().labels;
    let ranks = one::pagerank::pagerank(graph, &Default::default()).unwrap();
    let triangles = one::tc::triangles(graph).unwrap().count;
    let cores = (!input.directed).then(|| one::kcore::kcore(graph).unwrap().coreness);
    let degrees: Vec<u64> = (0..out.num_rows()).map(|vertex| out.degree(vertex) as u64).collect();
    let products: Vec<f64> = (0..out.num_rows())
        .map(|vertex| out.row(vertex).iter().map(|(column, weight)| weight * (1.0 + f64::from(column % 7))).sum())
        .collect();

    for cut in CUTS {
        let at = format!("{name} on {cut:?}");
        let found = values(&input, cut, |part, wire| many::bfs(part, wire, source).unwrap().unwrap());
        assert_eq!(found, by_id(&input, &depths), "bfs, {at}");
        let found = values(&input, cut, |part, wire| many::sssp(part, wire, source).unwrap().unwrap());
        assert_eq!(found, by_id(&input, &distances), "sssp, {at}");
        let found = values(&input, cut, |part, wire| {
            let (labels, count) = many::components(part, wire).unwrap();
            assert_eq!(count, components.count as u64, "components, {at}");
            labels
        });
        assert_eq!(found, by_id(&input, &ids(&input, &components.labels)), "components, {at}");
        let found = values(&input, cut, |part, wire| many::label_propagation(part, wire, 7).unwrap());
        assert_eq!(found, by_id(&input, &ids(&input, &labels)), "label propagation, {at}");
        let found = values(&input, cut, |part, wire| {
            assert_eq!(part.vertices, out.num_rows() as u64);
            assert_eq!(part.arcs, out.nnz() as u64);
            assert_eq!(many::triangles(part, wire).unwrap(), triangles, "triangles, {at}");
            many::degrees(part, wire).unwrap().degrees
        });
        assert_eq!(found, by_id(&input, &degrees), "degrees, {at}");
        if let Some(cores) = &cores {
            let found = values(&input, cut, |part, wire| many::coreness(part, wire).unwrap());
            assert_eq!(found, by_id(&input, cores), "coreness, {at}");
        }
        let found = values(&input, cut, |part, wire| {
            let stop = many::Stop::Tolerance { change: 1e-10, most: 1000 };
            let found = many::pagerank(part, wire, 0.85, stop).unwrap();
            assert_eq!(found.iterations, ranks.iterations, "pagerank, {at}");
            assert!((found.sum - 1.0).abs() < 1e-12);
            found.ranks
        });
        near(&found, &by_id(&input, &ranks.ranks), &format!("pagerank, {at}"));
        let found = values(&input, cut, |part, wire| {
            let column = |&vertex: &u32| input.ids.internal(part.ids[vertex as usize]).unwrap();
            let x: Vec<f64> = part.own.iter().map(|vertex| 1.0 + f64::from(column(vertex) % 7)).collect();
            many::multiply::<many::PlusTimes>(part, wire, false, &x).unwrap()
        });
        near(&found, &by_id(&input, &products), &format!("product, {at}"));
    }
}

/// Within 1e-12, of larger numbers relative to them.
fn near(found: &BTreeMap<u64, f64>, expected: &BTreeMap<u64, f64>, at: &str) {
    assert!(found.keys().eq(expected.keys()), "{at}");
    for (id, value) in found {
        let right = expected[id];
        assert!((value - right).abs() <= 1e-12 * right.abs().max(1.0), "{at}: {value} instead of {right} at {id}");
    }
}

#[test]
fn small_and_generated_graphs() {
    for name in ["karate", "rmat:9", "grid:17x23"] {
        check(name, None);
        check(name, Some(Direction::Directed));
    }
}

#[test]
fn real_graphs() {
    let Some(data) = data("real_graphs") else { return };
    for (file, direction) in [
        ("graphs/dolphins.csv", Some(Direction::Undirected)),
        ("graphs/wiki-Vote.txt.gz", None),
        ("graphs/power.graph", None),
        ("graphs/netscience.csv", Some(Direction::Undirected)),
        ("graphs/facebook-combined.tsv.gz", Some(Direction::Undirected)),
        ("graphs/south_seattle_car.gr.gz", None),
        ("golden/ldbc/example/example-directed.e", Some(Direction::Directed)),
        ("golden/ldbc/example/example-undirected.e", Some(Direction::Undirected)),
        ("golden/p2p-31/p2p-31.e.gz", Some(Direction::Directed)),
        ("golden/p2p-31/p2p-31.e.gz", Some(Direction::Undirected)),
    ] {
        check(data.join(file).to_str().unwrap(), direction);
    }
}
