//! Betweenness against known values.

use crate::common::{STORES, difference, failure, json, out};

#[test]
fn equals_the_known_betweenness_of_the_karate_club() {
    // Published per unordered pair: 231.0714 of vertex 1 and 160.5516 of vertex 34 are half of what ordered pairs give.
    let first = out::<f64>(&["bc", "karate", "--samples", "34", "--verify", "--store", "csr"]);
    assert!((first[&1] / 2.0 - 231.0714285714286).abs() < 1e-9, "{}", first[&1]);
    assert!((first[&34] / 2.0 - 160.5515873015873).abs() < 1e-9, "{}", first[&34]);
    assert_eq!(first[&12], 0.0);
    for store in &STORES[1..] {
        assert_eq!(out::<f64>(&["bc", "karate", "--samples", "34", "--store", store]), first, "{store}");
    }
}

#[test]
fn samples_are_drawn_by_a_seed() {
    let run = |seed, threads| {
        out::<f64>(&["bc", "rmat:10", "--samples", "3", "--sampling", seed, "--verify", "--threads", threads])
    };
    let first = run("1", "1");
    assert_eq!(run("1", "4"), first, "bit for bit");
    assert!(difference(&run("1", "2"), &first) == 0.0 && run("2", "1") != first);
    assert_eq!(json(&["run", "bc", "karate", "--sources", "1,34", "--json"])["result"]["sources"], 2);
    assert!(failure(&["run", "bc", "karate", "--sources", "1,35"], 1).contains("no vertex 35"));
}

#[test]
fn more_shortest_paths_than_a_float_counts() {
    // A chain of 1100 diamonds has 2^1100 of them, from its first vertex to its last.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("diamonds.el");
    let diamond = |k: u32| format!("{0} {1}\n{0} {2}\n{1} {3}\n{2} {3}\n", 3 * k, 3 * k + 1, 3 * k + 2, 3 * k + 3);
    std::fs::write(&file, (0..1100).map(diamond).collect::<String>()).unwrap();
    for (id, score) in out::<f64>(&["bc", file.to_str().unwrap(), "--sources", "0", "--verify"]) {
        // Where two diamonds meet all paths to the vertices behind pass, and half of them pass each of the two in the middle of one.
        let behind = (3 * (1100 - id / 3)) as f64;
        let expected = match id % 3 {
            0 if id == 0 => 0.0,
            0 => behind,
            _ => (behind - 2.0) / 2.0,
        };
        assert!((score - expected).abs() <= 1e-9 * expected, "{id}: {score}, not {expected}");
    }
}
