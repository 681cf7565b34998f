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

/// The numbers that NetworkX gives for the karate club, whose members it counts from 0.
#[test]
fn members_of_most_triangles_and_of_the_largest_eccentricity() {
    let top = |arguments: &[&str]| {
        json(&[&["run"], arguments, &["karate", "--json", "--verify"]].concat())["result"]["top"].clone()
    };
    assert_eq!(top(&["tc", "--top", "4"]), serde_json::json!([[1, 18.0], [34, 15.0], [33, 13.0], [2, 12.0]]));
    assert_eq!(top(&["diameter", "--top", "3"]), serde_json::json!([[15, 5], [16, 5], [17, 5]]));
    let ten = top(&["diameter", "--top", "10"]);
    assert_eq!((ten[8][0].clone(), ten[9].clone()), (30.into(), serde_json::json!([5, 4])));
}
