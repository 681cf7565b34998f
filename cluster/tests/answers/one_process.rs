//! Workers against one process: equal for whole numbers, within 1e-12 for sums.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use pleach::traverse::Adjacency;
use pleach::{BuildOptions, Csr};
use pleach_algorithms as one;
use pleach_cluster::algorithms as many;
use pleach_datasets::{Direction, Input};

use crate::{CUTS, data, open, some, values};

/// Labels that are vertices, as ids.
fn ids(input: &Input, labels: &[u32]) -> Vec<u64> {
    labels.iter().map(|&label| input.ids.external(label)).collect()
}

fn check(name: &str, direction: Option<Direction>, number: usize) {
    let input = open(name, direction);
    let cuts = if input.edges.src().len() > LARGE { some(&CUTS, number, 5) } else { CUTS.to_vec() };
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
    let expected_components = one::cc::components(graph);
    let components = ids(&input, &expected_components.labels);
    let labels = one::cdlp::cdlp(graph, &one::cdlp::Cdlp::default().with_iterations(7)).unwrap().labels;
    let labels = ids(&input, &labels);
    let ranks = one::pagerank::pagerank(graph, &Default::default()).unwrap();
    let triangles = one::tc::triangles(graph).unwrap().count;
    let cores = (!input.directed).then(|| one::kcore::kcore(graph).unwrap().coreness);
    let degrees: Vec<u64> = (0..out.num_rows()).map(|vertex| out.degree(vertex) as u64).collect();
    let products: Vec<f64> = (0..out.num_rows())
        .map(|vertex| out.row(vertex).iter().map(|(column, weight)| weight * (1.0 + f64::from(column % 7))).sum())
        .collect();

    for cut in cuts {
        let at = format!("{name} on {cut:?}");
        let found = values(&input, cut, |part, wire| {
            assert_eq!((part.vertices, part.arcs), (out.num_rows() as u64, out.nnz() as u64), "{at}");
            assert_eq!(many::triangles(part, wire).unwrap(), triangles, "triangles, {at}");
            let (components, count) = many::components(part, wire).unwrap();
            assert_eq!(count, expected_components.count as u64, "components, {at}");
            let stop = many::Stop::Tolerance { change: 1e-10, most: 1000 };
            let found = many::pagerank(part, wire, 0.85, stop).unwrap();
            assert_eq!(found.iterations, ranks.iterations, "pagerank, {at}");
            assert!((found.sum - 1.0).abs() < 1e-12);
            let column = |&vertex: &u32| input.ids.internal(part.ids[vertex as usize]).unwrap();
            let x: Vec<f64> = part.own.iter().map(|vertex| 1.0 + f64::from(column(vertex) % 7)).collect();
            let products = many::multiply::<many::PlusTimes>(part, wire, false, &x).unwrap();
            let depths = many::bfs(part, wire, source).unwrap().unwrap();
            let distances = many::sssp(part, wire, source).unwrap().unwrap();
            let labels = many::label_propagation(part, wire, 7).unwrap();
            let degrees = many::degrees(part, wire).unwrap().degrees;
            let cores = match input.directed {
                true => vec![0; part.own.len()],
                false => many::coreness(part, wire).unwrap(),
            };
            let row = |at: usize| Row {
                whole: [depths[at], components[at], labels[at], degrees[at], cores[at].into()],
                distance: distances[at],
                sums: [found.ranks[at], products[at]],
            };
            (0..part.own.len()).map(row).collect()
        });
        assert_eq!(found.len(), out.num_rows(), "{at}");
        for (id, row) in found {
            let vertex = input.ids.internal(id).unwrap() as usize;
            let core = cores.as_ref().map_or(0, |cores| cores[vertex]);
            let whole = [depths[vertex], components[vertex], labels[vertex], degrees[vertex], core.into()];
            let named = "depth, component, label, degree, coreness";
            assert_eq!(row.whole, whole, "{named} of {id}, {at}");
            assert_eq!(row.distance, distances[vertex], "distance of {id}, {at}");
            near(row.sums[0], ranks.ranks[vertex], &format!("rank of {id}, {at}"));
            near(row.sums[1], products[vertex], &format!("product of {id}, {at}"));
        }
    }
}

/// Edges beyond which a graph is not cut in all ways.
const LARGE: usize = 20_000;

/// What is found for a vertex.
struct Row {
    /// Depth, component, label, degree and coreness.
    whole: [u64; 5],
    distance: f64,
    /// Rank, and entry of a product.
    sums: [f64; 2],
}

/// Within 1e-12, of larger numbers relative to them.
fn near(found: f64, right: f64, at: &str) {
    assert!((found - right).abs() <= 1e-12 * right.abs().max(1.0), "{at}: {found} instead of {right}");
}

#[test]
fn small_and_generated_graphs() {
    for name in ["karate", "rmat:9", "grid:17x23"] {
        check(name, None, 0);
        check(name, Some(Direction::Directed), 0);
    }
}

/// Two at a time, since much of a check is done by one thread.
#[test]
fn real_graphs() {
    let Some(data) = data("real_graphs") else { return };
    let graphs = [
        ("golden/p2p-31/p2p-31.e.gz", Some(Direction::Directed)),
        ("golden/p2p-31/p2p-31.e.gz", Some(Direction::Undirected)),
        ("graphs/facebook-combined.tsv.gz", Some(Direction::Undirected)),
        ("graphs/wiki-Vote.txt.gz", None),
        ("graphs/south_seattle_car.gr.gz", None),
        ("graphs/power.graph", None),
        ("graphs/netscience.csv", Some(Direction::Undirected)),
        ("graphs/dolphins.csv", Some(Direction::Undirected)),
        ("golden/ldbc/example/example-directed.e", Some(Direction::Directed)),
        ("golden/ldbc/example/example-undirected.e", Some(Direction::Undirected)),
    ];
    let next = AtomicUsize::new(0);
    let work = || {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Relaxed));
        numbers.take_while(|&number| number < graphs.len()).for_each(|number| {
            let (file, direction) = graphs[number];
            check(data.join(file).to_str().unwrap(), direction, number);
        });
    };
    thread::scope(|scope| (0..2).for_each(|_| _ = scope.spawn(work)));
}
