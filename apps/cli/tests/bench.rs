//! `pleach bench`: every suite runs on small graphs and prints one document.

mod common;

use common::{failure, json, stdout};
use serde_json::Value;

/// What a suite prints with as little repetition as can be.
fn measured(suite: &str, more: &[&str]) -> Value {
    let mut arguments = vec!["bench", suite, "--rounds", "1", "--seconds", "0.01", "--json"];
    arguments.extend(more);
    let document = json(&arguments);
    assert_eq!(document["format"], "pleach-bench-1");
    assert!(document["machine"]["triad_gb_per_second"].as_f64() > Some(0.0));
    assert!(document["machine"]["gather_m_per_second"].as_f64() > Some(0.0));
    for row in document["rows"].as_array().unwrap() {
        assert_eq!(row["suite"], suite);
        assert_ne!(row["median"].is_null(), row["skipped"].is_null(), "a figure, or why there is none: {row}");
    }
    document
}

/// The competitors that have a figure for some work.
fn competitors(document: &Value, work: &str) -> Vec<String> {
    let rows = document["rows"].as_array().unwrap().iter();
    let found = rows.filter(|row| row["work"] == work && row["skipped"].is_null());
    found.map(|row| row["competitor"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn kernels_over_stores_are_measured_fresh_and_aged() {
    let stores = ["--graph", "karate", "--graph", "rmat8", "--store", "paged,packed", "--store", "aspen"];
    let document = measured("pagerank", &stores);
    let graphs = document["graphs"].as_array().unwrap();
    assert_eq!((graphs.len(), &graphs[0]["arcs"], &graphs[0]["max_degree"]), (2, &156.into(), &17.into()));
    for work in ["building", "memory", "memory, aged", "kernel, x/d inside", "kernel, x/d before, aged"] {
        assert_eq!(competitors(&document, work), ["csr", "paged,packed", "bst,ctree"].repeat(2), "{work}");
    }
    let rows = document["rows"].as_array().unwrap();
    let csr = rows.iter().find(|row| row["competitor"] == "csr" && row["work"] == "kernel, x/d inside").unwrap();
    assert_eq!((&csr["ratio"], &csr["beside"], &csr["side"]), (&1.0.into(), &"csr".into(), &"static".into()));
    assert!(csr["over_bandwidth"].as_f64() > Some(0.0));
}

#[test]
fn algorithms_are_measured_with_several_numbers_of_threads() {
    let document = measured("apps", &["--graph", "rmat8", "--threads", "1,2"]);
    for work in ["bfs", "cc", "sssp", "bc", "tc", "pagerank"] {
        assert_eq!(competitors(&document, work), ["csr", "paged,packed"].repeat(2), "{work}");
    }
    let threads: Vec<_> = document["rows"].as_array().unwrap().iter().map(|row| row["threads"].as_u64()).collect();
    assert!(threads.contains(&Some(1)) && threads.contains(&Some(2)));
    // Shortest paths need weights that are not negative: a row says so.
    let folder = tempfile::tempdir().unwrap();
    let negative = folder.path().join("negative.mtx");
    std::fs::write(&negative, "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 -1\n2 3 1\n").unwrap();
    let document = measured("apps", &["--graph", negative.to_str().unwrap(), "--app", "sssp", "--sources", "1"]);
    assert!(document["rows"][0]["skipped"].as_str().unwrap().contains("negative"), "{document}");
}

#[test]
fn updates_are_measured_in_place_and_published() {
    let document =
        measured("updates", &["--graph", "rmat8", "--batch", "10", "--batch", "1000000", "--store", "aspen"]);
    assert_eq!(
        competitors(&document, "insert 10 arcs, skewed, in place"),
        ["bst,ctree", "csr rebuilt", "Vec<Vec>", "Vec<BTreeMap>"]
    );
    for work in ["mixed 10 arcs, uniform, published, 8 held", "insert one edge, 99.9 %", "memory, after updates"] {
        assert_eq!(competitors(&document, work), ["bst,ctree"], "{work}");
    }
    let folder = tempfile::tempdir().unwrap();
    let nothing = folder.path().join("nothing.mtx");
    std::fs::write(&nothing, "%%MatrixMarket matrix coordinate pattern general\n3 3 0\n").unwrap();
    for suite in ["updates", "incremental"] {
        let message = failure(&["bench", suite, "--graph", nothing.to_str().unwrap(), "--rounds", "1", "--json"], 1);
        assert!(message.contains("there are no edges to draw updates from"), "{message}");
    }
}

#[test]
fn results_that_follow_a_graph_are_measured() {
    let document = measured("incremental", &["--graph", "rmat8", "--batch", "3"]);
    for work in ["cc, batch of 3", "pagerank, batch of 3", "iterations of pagerank, batch of 3"] {
        assert_eq!(competitors(&document, work), ["anew", "following"], "{work}");
    }
}

#[test]
fn the_table_shows_the_machine_and_every_comparison() {
    let text = stdout(&["bench", "apps", "--graph", "karate", "--app", "cc", "--rounds", "2", "--cold", "--pin"]);
    for part in ["cores", "triad", "2 repetitions", "cold caches", "pinned threads", "apps: cc, karate", "paged,packed"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn mistakes_are_refused() {
    for (arguments, status, expected) in [
        (vec!["pagerank", "--graph", "no-such-graph"], 1, "no-such-graph"),
        (vec!["pagerank", "--rounds", "0"], 2, "--rounds"),
        (vec!["pagerank", "--seconds=-1"], 2, "expected seconds from 0 to 3600"),
        (vec!["pagerank", "--seconds", "NaN"], 2, "expected seconds from 0 to 3600"),
        (vec!["pagerank", "--threads", "60000"], 2, "are of use"),
        (vec!["stream"], 2, "unrecognized subcommand"),
    ] {
        let arguments: Vec<&str> = ["bench"].into_iter().chain(arguments).chain(["--json"]).collect();
        let message = failure(&arguments, status);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}
