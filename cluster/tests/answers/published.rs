//! Workers against the answers that LDBC Graphalytics publishes.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use pleach_cluster::algorithms::{self as many, Stop};
use pleach_datasets::Direction::{Directed, Undirected};

use crate::{data, open, values};

/// The published value of each vertex.
fn published(path: &Path) -> BTreeMap<u64, f64> {
    let bytes = std::fs::read(path).unwrap();
    let mut text = String::new();
    match path.extension().is_some_and(|ending| ending == "gz") {
        true => drop(flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap()),
        false => text = String::from_utf8(bytes).unwrap(),
    }
    let value = |word: &str| if word == "Infinity" { f64::INFINITY } else { word.parse().unwrap() };
    let line = |line: &str| {
        let (id, word) = line.split_once(char::is_whitespace).unwrap();
        (id.parse().unwrap(), value(word.trim()))
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(line).collect()
}

fn near(found: &BTreeMap<u64, f64>, expected: &BTreeMap<u64, f64>, within: f64, at: &str) {
    assert!(!expected.is_empty() && found.keys().eq(expected.keys()), "{at}: other vertices");
    for (id, value) in found {
        let right = expected[id];
        let equal = *value == right || (value - right).abs() <= within * right.abs();
        assert!(equal, "{at}: {value} instead of {right} at {id}");
    }
}

const WORKERS: [(usize, u64); 4] = [(1, 4096), (2, 4096), (3, 2), (4, 1)];

#[test]
fn of_validation_set_and_gnutella() {
    let Some(data) = data("of_validation_set_and_gnutella") else { return };
    let (example, gnutella) = (data.join("golden/ldbc/example"), data.join("golden/p2p-31"));
    let cases = [
        (example.join("example-directed.e"), Directed, 1, 2, 2, example.join("example-directed"), "", ""),
        (example.join("example-undirected.e"), Undirected, 2, 2, 2, example.join("example-undirected"), "", ""),
        (gnutella.join("p2p-31.e.gz"), Undirected, 6, 10, 10, gnutella.join("p2p-31"), ".gz", ""),
        (gnutella.join("p2p-31.e.gz"), Directed, 6, 0, 0, gnutella.join("p2p-31"), "-directed.gz", "no"),
    ];
    for (input, direction, source, ranked, spread, answers, ending, partial) in cases {
        let graph = open(input.to_str().unwrap(), Some(direction));
        let answer = |app: &str| published(Path::new(&format!("{}-{app}{ending}", answers.display())));
        for cut in WORKERS {
            let at = format!("{} on {cut:?}", answers.display());
            let found = values(&graph, cut, |part, wire| {
                let depths = many::bfs(part, wire, source).unwrap().unwrap();
                depths.into_iter().map(|depth| depth as f64).collect()
            });
            near(&found, &answer("BFS"), 0.0, &at);
            let found = values(&graph, cut, |part, wire| many::sssp(part, wire, source).unwrap().unwrap());
            near(&found, &answer("SSSP"), 1e-9, &at);
            // Of the directed network, no others are published that are right.
            if !partial.is_empty() {
                continue;
            }
            let found = values(&graph, cut, |part, wire| {
                many::pagerank(part, wire, 0.85, Stop::Iterations(ranked)).unwrap().ranks
            });
            near(&found, &answer("PR"), 1e-9, &at);
            let found = values(&graph, cut, |part, wire| {
                let labels = many::label_propagation(part, wire, spread).unwrap();
                labels.into_iter().map(|label| label as f64).collect()
            });
            near(&found, &answer("CDLP"), 0.0, &at);
            let found = values(&graph, cut, |part, wire| many::components(part, wire).unwrap().0);
            same_partition(&found, &answer("WCC"), &at);
        }
    }
}

/// Whether labels divide the vertices alike.
fn same_partition(found: &BTreeMap<u64, u64>, expected: &BTreeMap<u64, f64>, at: &str) {
    assert!(found.keys().eq(expected.keys()), "{at}: other vertices");
    let (mut there, mut back) = (BTreeMap::new(), BTreeMap::new());
    for (id, &label) in found {
        let other = expected[id].to_bits();
        assert_eq!(*there.entry(label).or_insert(other), other, "{at}: {id}");
        assert_eq!(*back.entry(other).or_insert(label), label, "{at}: {id}");
    }
}
