//! Clustering coefficients against published answers.

use crate::common::{STORES, data, difference, json, out, values};

#[test]
fn equals_the_published_coefficients() {
    let Some(data) = data("lcc") else { return };
    let ldbc = data.join("golden/ldbc");
    let gnutella = data.join("golden/p2p-31");
    // What is published has so many digits.
    for (input, direction, answer, within) in [
        (ldbc.join("lcc/dir-input"), "--directed", ldbc.join("lcc/dir-output"), 1e-10),
        (ldbc.join("lcc/undir-input"), "--undirected", ldbc.join("lcc/undir-output"), 1e-10),
        (ldbc.join("example/example-directed.e"), "--directed", ldbc.join("example/example-directed-LCC"), 1e-10),
        (ldbc.join("example/example-undirected.e"), "--undirected", ldbc.join("example/example-undirected-LCC"), 1e-10),
        (gnutella.join("p2p-31.e.gz"), "--undirected", gnutella.join("p2p-31-LCC.gz"), 1e-10),
    ] {
        let expected = values(&answer);
        let first = out::<f64>(&["lcc", input.to_str().unwrap(), direction, "--store", "csr", "--verify"]);
        let off = difference(&first, &expected);
        assert!(off < within, "{} is off by {off}", input.display());
        for store in &STORES[1..] {
            let found = out(&["lcc", input.to_str().unwrap(), direction, "--store", store]);
            assert_eq!(found, first, "{} in {store}", input.display());
        }
    }
}

#[test]
fn a_summary_is_told() {
    // The published mean of Zachary's karate club.
    let mean = json(&["run", "lcc", "karate", "--json", "--verify"])["result"]["mean"].as_f64().unwrap();
    assert!((mean - 0.5706384782076823).abs() < 1e-12, "{mean}");
}
