//! Label propagation against published answers.

use crate::common::{STORES, data, json, out, property, values};

#[test]
fn equals_the_published_labels() {
    let Some(data) = data("cdlp") else { return };
    let ldbc = data.join("golden/ldbc");
    let gnutella = data.join("golden/p2p-31");
    let iterations = |graph| property(&ldbc.join(format!("example/{graph}.properties")), "cdlp.max-iterations");
    for (input, direction, iterations, answer) in [
        (ldbc.join("cdlp/dir-input"), "--directed", "5".into(), ldbc.join("cdlp/dir-output")),
        (ldbc.join("cdlp/undir-input"), "--undirected", "5".into(), ldbc.join("cdlp/undir-output")),
        (
            ldbc.join("example/example-directed.e"),
            "--directed",
            iterations("example-directed"),
            ldbc.join("example/example-directed-CDLP"),
        ),
        (
            ldbc.join("example/example-undirected.e"),
            "--undirected",
            iterations("example-undirected"),
            ldbc.join("example/example-undirected-CDLP"),
        ),
        (gnutella.join("p2p-31.e.gz"), "--undirected", "10".into(), gnutella.join("p2p-31-CDLP.gz")),
    ] {
        let expected = values::<u64>(&answer);
        for store in STORES {
            let arguments = ["cdlp", input.to_str().unwrap(), direction, "--iterations", &iterations, "--store", store];
            assert_eq!(out(&arguments), expected, "{} in {store}", input.display());
        }
    }
}

#[test]
fn a_summary_is_told() {
    let object = json(&["run", "cdlp", "karate", "--json", "--verify"]);
    assert_eq!(object["result"]["verified"], true);
    let changed = object["result"]["changed"].as_array().unwrap();
    assert_eq!(object["iterations"], changed.len());
    assert!(object["iterations"] == 10 || changed.last().unwrap() == 0);
}
