//! Breadth-first search through the command line, against published answers and its verifier.

use crate::common::{data, failure, json, out, values};

#[test]
fn equals_the_answers_of_the_graphalytics_validation_set() {
    let Some(data) = data("bfs") else { return };
    let folder = data.join("golden/ldbc/bfs");
    for (graph, direction) in [("dir", "--directed"), ("undir", "--undirected")] {
        let input = folder.join(format!("{graph}-input"));
        let expected = values::<u64>(&folder.join(format!("{graph}-output")));
        for store in crate::common::STORES {
            let found = out(&["bfs", input.to_str().unwrap(), direction, "--source", "1", "--store", store]);
            assert_eq!(found, expected, "{graph} in {store}");
        }
    }
}

#[test]
fn equals_the_answers_of_the_graphalytics_examples() {
    let Some(data) = data("bfs") else { return };
    for graph in ["example-directed", "example-undirected"] {
        let folder = data.join("golden/ldbc/example");
        let input = folder.join(format!("{graph}.e"));
        let source = crate::common::property(&folder.join(format!("{graph}.properties")), "bfs.source-vertex");
        let found = out::<u64>(&["bfs", input.to_str().unwrap(), "--source", &source, "--verify"]);
        assert_eq!(found, values(&folder.join(format!("{graph}-BFS"))), "{graph}");
    }
}

#[test]
fn equals_the_answers_of_gnutella() {
    let Some(data) = data("bfs") else { return };
    let folder = data.join("golden/p2p-31");
    let input = folder.join("p2p-31.e.gz");
    for (answer, direction) in [("p2p-31-BFS-directed.gz", "--directed"), ("p2p-31-BFS.gz", "--undirected")] {
        let expected = values::<u64>(&folder.join(answer));
        for store in crate::common::STORES {
            let arguments = ["bfs", input.to_str().unwrap(), direction, "--source", "6", "--store", store, "--verify"];
            assert_eq!(out(&arguments), expected, "{answer} in {store}");
        }
    }
}

#[test]
fn parents_are_the_same_on_every_store_and_any_number_of_threads() {
    let parents = |store, threads| {
        out::<u64>(&[
            "bfs",
            "rmat:12",
            "--source",
            "1",
            "--parents",
            "--verify",
            "--store",
            store,
            "--threads",
            threads,
        ])
    };
    let expected = parents("csr", "1");
    for (store, threads) in [("csr", "4"), ("aspen", "3"), ("paged,packed", "2"), ("dense,blist_unsorted", "4")] {
        assert_eq!(parents(store, threads), expected, "{store} on {threads} threads");
    }
}

#[test]
fn a_summary_is_told() {
    let object = json(&["run", "bfs", "karate", "--source", "1", "--json", "--verify"]);
    assert_eq!(object["result"]["reached"], 34);
    assert_eq!(object["result"]["depth"], 3);
    assert_eq!(object["result"]["levels"], serde_json::json!([1, 16, 9, 8]));
    assert_eq!(object["result"]["verified"], true);
}

#[test]
fn a_source_that_does_not_exist_is_named() {
    let message = failure(&["run", "bfs", "karate", "--source", "35"], 1);
    assert!(message.contains("no vertex 35") && message.contains("from 1 to 34"), "{message}");
}
