//! Strongly connected components against published sizes.

use crate::common::{STORES, data, json, out};

#[test]
fn equals_the_published_sizes() {
    let Some(data) = data("scc") else { return };
    let graphs = data.join("graphs");
    // The largest component that SNAP publishes of this graph.
    for store in STORES {
        let file = graphs.join("wiki-Vote.txt.gz");
        let object = json(&["run", "scc", file.to_str().unwrap(), "--json", "--verify", "--store", store]);
        assert_eq!(
            (&object["result"]["largest"], &object["result"]["components"]),
            (&1300.into(), &5816.into()),
            "{store}"
        );
    }
}

#[test]
fn cycles_paths_and_loops_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mixed.el");
    // Two cycles joined one way, each with a path in and out, a loop, and a cycle apart.
    std::fs::write(&file, "1 2\n2 3\n3 4\n4 2\n4 5\n5 6\n6 5\n6 7\n7 8\n8 8\n20 21\n21 20\n").unwrap();
    let found = out::<u64>(&["scc", file.to_str().unwrap(), "--verify", "--directed"]);
    let expected = [(1, 1), (2, 2), (3, 2), (4, 2), (5, 5), (6, 5), (7, 7), (8, 8), (20, 20), (21, 20)];
    assert_eq!(found, expected.into_iter().collect());
}
