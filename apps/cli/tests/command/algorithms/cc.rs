//! Weakly connected components: the same partition as the published one.

use std::collections::BTreeMap;

use crate::common::{STORES, data, json, out, values};

/// Names each part of a partition by its smallest member.
fn canonical(labels: &BTreeMap<u64, u64>) -> BTreeMap<u64, u64> {
    let mut smallest = BTreeMap::new();
    labels.iter().for_each(|(&id, label)| {
        smallest.entry(label).or_insert(id);
    });
    labels.iter().map(|(&id, label)| (id, smallest[label])).collect()
}

#[test]
fn equals_the_published_partitions() {
    let Some(data) = data("cc") else { return };
    let ldbc = data.join("golden/ldbc");
    let gnutella = data.join("golden/p2p-31");
    for (input, direction, answer) in [
        (ldbc.join("wcc/dir-input"), "--directed", ldbc.join("wcc/dir-output")),
        (ldbc.join("wcc/undir-input"), "--undirected", ldbc.join("wcc/undir-output")),
        (ldbc.join("example/example-directed.e"), "--directed", ldbc.join("example/example-directed-WCC")),
        (ldbc.join("example/example-undirected.e"), "--undirected", ldbc.join("example/example-undirected-WCC")),
        (gnutella.join("p2p-31.e.gz"), "--directed", gnutella.join("p2p-31-WCC.gz")),
        (gnutella.join("p2p-31.e.gz"), "--undirected", gnutella.join("p2p-31-WCC.gz")),
    ] {
        let expected = canonical(&values(&answer));
        for store in STORES {
            let found = out(&["cc", input.to_str().unwrap(), direction, "--store", store, "--verify"]);
            assert_eq!(found, expected, "{} in {store}", input.display());
        }
    }
}

#[test]
fn a_summary_is_told() {
    let object = json(&["run", "cc", "karate", "--json", "--verify"]);
    assert_eq!((&object["result"]["components"], &object["result"]["largest"]), (&1.into(), &34.into()));
}
