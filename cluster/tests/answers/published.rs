//! Workers against the answers that LDBC Graphalytics publishes.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use pleach::graph::Action;
use pleach_cluster::algorithms::{self as many, Stop};
use pleach_cluster::stream::Change;
use pleach_cluster::{Part, Wire};
use pleach_datasets::Direction::{Directed, Undirected};
use pleach_datasets::{Format, Options};

use crate::{changes, data, open, some, streamed, values};

/// The text of a file.
fn text(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap();
    if path.extension().is_none_or(|ending| ending != "gz") {
        return String::from_utf8(bytes).unwrap();
    }
    let mut text = String::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    text
}

/// The published value of each vertex.
fn published(path: &Path) -> BTreeMap<u64, f64> {
    let text = text(path);
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

/// What is asked of a graph.
#[derive(Clone, Copy)]
enum Asked {
    Bfs(u64),
    Sssp(u64),
    /// Iterations, and how near ranks must be.
    PageRank(usize, f64),
    Cdlp(usize),
    Wcc,
}
use Asked::{Bfs, Cdlp, PageRank, Sssp, Wcc};

/// Compares what workers find, who read the graph at once and as a stream, with published answers.
fn check(
    at: &str,
    all: &[(Asked, PathBuf)],
    cuts: &[(usize, u64)],
    find: impl Fn(Run<'_>, (usize, u64)) -> [BTreeMap<u64, Vec<f64>>; 2],
) {
    let answers: Vec<BTreeMap<u64, f64>> = all.iter().map(|(_, answer)| published(answer)).collect();
    let run = |part: &Part<'_>, wire: &mut Wire<'_>| {
        let found: Vec<Vec<f64>> = all.iter().map(|&(asked, _)| run(asked, part, wire)).collect();
        (0..part.own.len()).map(|at| found.iter().map(|values| values[at]).collect()).collect()
    };
    for &cut in cuts {
        for (way, found) in ["at once", "streamed"].into_iter().zip(find(&run, cut)) {
            for (k, ((asked, path), answer)) in all.iter().zip(&answers).enumerate() {
                let found: BTreeMap<u64, f64> = found.iter().map(|(&id, values)| (id, values[k])).collect();
                let at = format!("{at}, {way} on {cut:?}, {}", path.display());
                match *asked {
                    PageRank(_, within) => near(&found, answer, within, &at),
                    Sssp(_) => near(&found, answer, 1e-9, &at),
                    Bfs(_) | Cdlp(_) => near(&found, answer, 0.0, &at),
                    Wcc => same_partition(&found, answer, &at),
                }
            }
        }
    }
}

type Run<'a> = &'a (dyn Fn(&Part<'_>, &mut Wire<'_>) -> Vec<Vec<f64>> + Sync);

fn run(asked: Asked, part: &Part<'_>, wire: &mut Wire<'_>) -> Vec<f64> {
    let numbers = |whole: Vec<u64>| whole.into_iter().map(|value| value as f64).collect();
    match asked {
        Bfs(source) => numbers(many::bfs(part, wire, source).unwrap().unwrap()),
        Sssp(source) => many::sssp(part, wire, source).unwrap().unwrap(),
        PageRank(iterations, _) => many::pagerank(part, wire, 0.85, Stop::Iterations(iterations)).unwrap().ranks,
        Cdlp(iterations) => numbers(many::label_propagation(part, wire, iterations).unwrap()),
        Wcc => numbers(many::components(part, wire).unwrap().0),
    }
}

#[test]
fn of_the_validation_set() {
    let Some(data) = data("of_the_validation_set") else { return };
    let ldbc = data.join("golden/ldbc");
    let example = |name: &str, source| {
        let asked = [Bfs(source), Sssp(source), PageRank(2, 1e-9), Cdlp(2), Wcc];
        let answers = ["BFS", "SSSP", "PR", "CDLP", "WCC"].map(|app| format!("example/example-{name}-{app}"));
        asked
            .into_iter()
            .zip(answers)
            .map(|(asked, answer)| (format!("example/example-{name}.e"), asked, answer))
            .collect()
    };
    let small = |name: &str, asked: [Asked; 5]| -> Vec<(String, Asked, String)> {
        let inputs = ["bfs", "sssp", "pr", "cdlp", "wcc"];
        let ending = |app| if app == "sssp" { "-input.e" } else { "-input" };
        let case = |(app, asked)| (format!("{app}/{name}{}", ending(app)), asked, format!("{app}/{name}-output"));
        inputs.into_iter().zip(asked).map(case).collect()
    };
    // The directed ranks are the fixed point; the undirected ones are those after 26 iterations, up to 6e-8.
    let directed: Vec<_> =
        [example("directed", 1), small("dir", [Bfs(1), Sssp(1), PageRank(60, 1e-9), Cdlp(5), Wcc])].concat();
    let undirected: Vec<_> =
        [example("undirected", 2), small("undir", [Bfs(1), Sssp(1), PageRank(26, 1e-7), Cdlp(5), Wcc])].concat();
    for (direction, cases) in [(Directed, directed), (Undirected, undirected)] {
        for (input, asked, answer) in cases {
            let graph = open(ldbc.join(&input).to_str().unwrap(), Some(direction));
            let changes = changes(&graph);
            check(&input, &[(asked, ldbc.join(answer))], &WORKERS, |run, cut| {
                [values(&graph, cut, run), streamed(&changes, direction == Directed, cut, run)]
            });
        }
    }
}

#[test]
fn of_gnutella_and_of_gnutella_updated() {
    let Some(data) = data("of_gnutella_and_of_gnutella_updated") else { return };
    let folder = data.join("golden/p2p-31");
    // Of the directed network, no others are published that are right.
    let cases = [
        (Undirected, "", &[Bfs(6), Sssp(6), PageRank(10, 1e-9), Cdlp(10), Wcc][..]),
        (Directed, "-directed", &[Bfs(6), Sssp(6)]),
    ];
    for (number, (direction, ending, all)) in cases.into_iter().enumerate() {
        let graph = open(folder.join("p2p-31.e.gz").to_str().unwrap(), Some(direction));
        // Its weights are whole numbers, so that its columns say little.
        let options = Options::default().with_format(Format::EdgeList).with_direction(direction);
        let base = pleach_datasets::read(folder.join("p2p-31.e.mutable_base.gz"), &options).unwrap();
        let updated = [changes(&base), updates(&folder.join("p2p-31.e.mutable_delta.gz"))].concat();
        let answer = |&asked: &Asked| {
            let app = match asked {
                Bfs(_) => "BFS",
                Sssp(_) => "SSSP",
                PageRank(..) => "PR",
                Cdlp(_) => "CDLP",
                Wcc => "WCC",
            };
            (asked, folder.join(format!("p2p-31-{app}{ending}.gz")))
        };
        let all: Vec<_> = all.iter().map(answer).collect();
        check(&format!("p2p-31{ending}"), &all, &some(&WORKERS, 2 * number + 1, 4), |run, cut| {
            [values(&graph, cut, run), streamed(&updated, direction == Directed, cut, run)]
        });
    }
}

/// Lines `a s d w` that add, `u s d w` that change a weight, and `d s d` that delete.
fn updates(path: &Path) -> Vec<Change> {
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let action = match words[0] {
            "a" => Action::Insert,
            "u" => Action::Reweight,
            _ => Action::Delete,
        };
        let weight = words.get(3).map_or(1.0, |weight| weight.parse().unwrap());
        Change { action, from: words[1].parse().unwrap(), to: words[2].parse().unwrap(), weight }
    };
    text(path).lines().map(line).collect()
}

/// SNAP's statistics of its networks.
#[test]
fn of_snap() {
    let Some(data) = data("of_snap") else { return };
    let cases =
        [("facebook-combined.tsv.gz", 1_612_010), ("wiki-Vote.txt.gz", 608_389), ("email-enron.tsv.gz", 727_044)];
    for (number, (file, triangles)) in (1..).zip(cases) {
        let graph = open(data.join("graphs").join(file).to_str().unwrap(), Some(Undirected));
        let changes = changes(&graph);
        for cut in some(&[(1, 4096), (2, 4096), (3, 64), (4, 1)], number, 4) {
            let count = |part: &Part<'_>, wire: &mut Wire<'_>| {
                assert_eq!(many::triangles(part, wire).unwrap(), triangles, "{file} on {cut:?}");
                vec![(); part.own.len()]
            };
            let found = [values(&graph, cut, count), streamed(&changes, false, cut, count)];
            assert!(found.iter().all(|found| found.len() == graph.num_vertices()), "{file} on {cut:?}");
        }
    }
}

/// Whether labels divide the vertices alike.
fn same_partition(found: &BTreeMap<u64, f64>, expected: &BTreeMap<u64, f64>, at: &str) {
    assert!(found.keys().eq(expected.keys()), "{at}: other vertices");
    let (mut there, mut back) = (BTreeMap::new(), BTreeMap::new());
    for (id, label) in found {
        let (label, other) = (label.to_bits(), expected[id].to_bits());
        assert_eq!(*there.entry(label).or_insert(other), other, "{at}: {id}");
        assert_eq!(*back.entry(other).or_insert(label), label, "{at}: {id}");
    }
}
