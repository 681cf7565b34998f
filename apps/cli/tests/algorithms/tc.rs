//! Triangles against published counts.

use crate::common::{STORES, data, json};

#[test]
fn equals_the_published_counts() {
    let triangles = |arguments: &[&str]| {
        json(&[&["run", "tc", "--json", "--verify"], arguments].concat())["result"]["triangles"].clone()
    };
    assert_eq!(triangles(&["karate"]), 45);
    let Some(data) = data("tc") else { return };
    let graphs = data.join("graphs");
    // The counts that SNAP publishes of these graphs.
    for (file, count) in
        [("facebook-combined.tsv.gz", 1_612_010), ("wiki-Vote.txt.gz", 608_389), ("email-enron.tsv.gz", 727_044)]
    {
        for store in STORES {
            let found = triangles(&[graphs.join(file).to_str().unwrap(), "--store", store]);
            assert_eq!(found, count, "{file} in {store}");
        }
    }
}
