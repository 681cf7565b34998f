//! The answers that LDBC Graphalytics and others have published, after edges were inserted, changed and deleted one by one by several threads.

mod support;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::thread;

use flate2::read::GzDecoder;
use pleach_capi::*;
use support::*;

fn data() -> Option<PathBuf> {
    let data = std::env::var_os("PLEACH_DATA").map(PathBuf::from);
    if data.is_none() {
        eprintln!("skipped: PLEACH_DATA names no folder with published answers");
    }
    data
}

/// The words of each line of a file.
fn lines(path: &Path) -> Vec<Vec<String>> {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let text: Box<dyn Read> =
        if path.extension().is_some_and(|end| end == "gz") { Box::new(GzDecoder::new(file)) } else { Box::new(file) };
    let words = |line: String| line.split_whitespace().map(str::to_owned).collect();
    BufReader::new(text).lines().map(|line| words(line.unwrap())).collect()
}

fn number<T: FromStr<Err: Debug>>(word: &str) -> T {
    word.parse().unwrap()
}

/// The published value of each vertex, ascending by vertex.
fn answer<T: FromStr<Err: Debug>>(path: &Path) -> Vec<(u64, T)> {
    let values: BTreeMap<u64, T> = lines(path).iter().map(|words| (number(&words[0]), number(&words[1]))).collect();
    values.into_iter().collect()
}

/// Calls a function with each line, by eight threads.
fn by_threads(lines: &[Vec<String>], each: impl Fn(&[String]) + Sync) {
    thread::scope(|scope| {
        for part in lines.chunks(lines.len().div_ceil(8)) {
            scope.spawn(|| part.iter().for_each(|line| each(line)));
        }
    });
}

fn close(found: &[(u64, f64)], expected: &[(u64, f64)], what: &str) {
    assert_eq!(found.len(), expected.len());
    for (&(vertex, found), &(other, expected)) in found.iter().zip(expected) {
        let near = found == expected || (found - expected).abs() <= 1e-4 * expected.abs();
        assert!(vertex == other && near, "{what} of {vertex} is {found}, published is {expected}");
    }
}

/// Whether two labellings make the same groups.
fn same_groups(found: &[(u64, u64)], expected: &[(u64, u64)]) {
    assert_eq!(found.len(), expected.len());
    let (mut there, mut back) = (BTreeMap::new(), BTreeMap::new());
    for (&(vertex, a), &(other, b)) in found.iter().zip(expected) {
        assert!(vertex == other && *there.entry(a).or_insert(b) == b && *back.entry(b).or_insert(a) == a, "{vertex}");
    }
}

/// The parameters of the algorithms.
struct Run {
    source: u64,
    cdlp: u64,
    pagerank: u64,
}

/// Compares all algorithms whose answers there are; `name` makes the path of an answer.
fn compare(graph: PleachGraph, run: &Run, name: impl Fn(&str) -> PathBuf) -> usize {
    let taken = snapshot(graph);
    let mut compared = 0;
    let mut there = |what: &str| {
        let path = name(what);
        compared += usize::from(path.exists());
        path.exists().then_some(path)
    };
    // SAFETY: the arrays have so many elements.
    unsafe {
        if let Some(path) = there("BFS") {
            let found = by_vertex(taken, |out, len| pleach_snapshot_bfs(taken, run.source, out, len)).unwrap();
            assert_eq!(found, answer::<i64>(&path));
        }
        if let Some(path) = there("CDLP") {
            let found = by_vertex(taken, |out, len| pleach_snapshot_cdlp(taken, run.cdlp, out, len)).unwrap();
            assert_eq!(found, answer::<u64>(&path));
        }
        if let Some(path) = there("WCC") {
            same_groups(&by_vertex(taken, |out, len| pleach_snapshot_wcc(taken, out, len)).unwrap(), &answer(&path));
        }
        if let Some(path) = there("LCC") {
            close(&by_vertex(taken, |out, len| pleach_snapshot_lcc(taken, out, len)).unwrap(), &answer(&path), "LCC");
        }
        if let Some(path) = there("SSSP") {
            let found = by_vertex(taken, |out, len| pleach_snapshot_sssp(taken, run.source, out, len)).unwrap();
            close(&found, &answer(&path), "SSSP");
        }
        if let Some(path) = there("PR") {
            let found = by_vertex(taken, |out, len| pleach_snapshot_pagerank(taken, run.pagerank, 0.85, out, len));
            close(&found.unwrap(), &answer(&path), "PR");
        }
    }
    assert_eq!(pleach_snapshot_free(taken), Status::Ok);
    compared
}

#[test]
fn the_examples_of_graphalytics() {
    let Some(data) = data() else { return };
    let folder = data.join("golden/ldbc/example");
    for directed in [true, false] {
        let name = if directed { "example-directed" } else { "example-undirected" };
        let graph = new(directed, true);
        // Descending, so that the numbers of vertices are not in the order of their ids.
        for line in lines(&folder.join(format!("{name}.v"))).iter().rev() {
            assert_eq!(pleach_graph_insert_vertex(graph, number(&line[0]), None), Status::Ok);
        }
        for line in lines(&folder.join(format!("{name}.e"))) {
            let connected =
                result(|new| pleach_graph_connect(graph, number(&line[0]), number(&line[1]), number(&line[2]), new));
            assert_eq!(connected, Ok(true));
        }
        let properties = fs::read_to_string(folder.join(format!("{name}.properties"))).unwrap();
        let property = |key: &str| {
            let key = format!("graph.{name}.{key} = ");
            number(properties.lines().find_map(|line| line.strip_prefix(&key)).unwrap())
        };
        let run = Run {
            source: property("bfs.source-vertex"),
            cdlp: property("cdlp.max-iterations"),
            pagerank: property("pr.num-iterations"),
        };
        assert_eq!(compare(graph, &run, |what| folder.join(format!("{name}-{what}"))), 6);
        assert_eq!(pleach_graph_free(graph), Status::Ok);
    }
}

/// A network of 62,586 vertices in a graph that has the vertices of its file.
fn network(folder: &Path, directed: bool) -> PleachGraph {
    let graph = new(directed, true);
    by_threads(&lines(&folder.join("p2p-31.v.gz")), |line| {
        assert_eq!(result(|new| pleach_graph_insert_vertex(graph, number(&line[0]), new)), Ok(true));
    });
    graph
}

const RUN: Run = Run { source: 6, cdlp: 10, pagerank: 10 };

#[test]
fn a_network_without_directions() {
    let Some(data) = data() else { return };
    let folder = data.join("golden/p2p-31");
    let graph = network(&folder, false);
    by_threads(&lines(&folder.join("p2p-31.e.gz")), |line| {
        let (from, to, weight) = (number(&line[0]), number(&line[1]), number(&line[2]));
        assert_eq!(result(|new| pleach_graph_connect(graph, from, to, weight, new)), Ok(true));
    });
    assert_eq!(compare(graph, &RUN, |what| folder.join(format!("p2p-31-{what}.gz"))), 6);
    assert_eq!(pleach_graph_free(graph), Status::Ok);
}

/// The network is built, and then changed to the published one, by single calls of eight threads.
#[test]
fn a_network_after_updates() {
    let Some(data) = data() else { return };
    let folder = data.join("golden/p2p-31");
    let graph = network(&folder, true);
    by_threads(&lines(&folder.join("p2p-31.e.mutable_base.gz")), |line| {
        assert_eq!(insert(graph, number(&line[0]), number(&line[1]), number(&line[2])), Ok(true));
    });
    by_threads(&lines(&folder.join("p2p-31.e.mutable_delta.gz")), |line| {
        let (from, to) = (number(&line[1]), number(&line[2]));
        let weight = line.get(3).map_or(0.0, |weight| number(weight));
        let done = match &line[0][..] {
            "a" => insert(graph, from, to, weight),
            "u" => result(|there| pleach_graph_update_edge(graph, from, to, weight, there)),
            _ => result(|there| pleach_graph_delete_edge(graph, from, to, there)),
        };
        assert_eq!(done, Ok(true));
    });
    assert_eq!(result(|count| pleach_graph_num_edges(graph, count)), Ok(147_892));
    let compared = compare(graph, &RUN, |what| match what {
        // Components do not depend on directions.
        "WCC" => folder.join("p2p-31-WCC.gz"),
        // The published ranks ignore arcs into vertices without arcs out of them, and sum to 0.46.
        "PR" => folder.join("none"),
        _ => folder.join(format!("p2p-31-{what}-directed.gz")),
    });
    assert_eq!(compared, 3);
    assert_eq!(pleach_graph_free(graph), Status::Ok);
}
