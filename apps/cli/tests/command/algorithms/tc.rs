//! Triangles against published counts.

use crate::common::{STORES, data, json};

#[test]
fn equals_the_published_counts() {
    let triangles =
        |arguments: &[&str]| json(&[&["run", "tc", "--json"], arguments].concat())["result"]["triangles"].clone();
    assert_eq!(triangles(&["karate", "--verify"]), 45);
    let Some(data) = data("tc") else { return };
    let graphs = data.join("graphs");
    // The counts that SNAP publishes of these graphs.
    for (file, count) in
        [("facebook-combined.tsv.gz", 1_612_010), ("wiki-Vote.txt.gz", 608_389), ("email-enron.tsv.gz", 727_044)]
    {
        let path = graphs.join(file);
        let path = path.to_str().unwrap();
        assert_eq!(triangles(&[path, "--store", STORES[0], "--verify"]), count, "{file}");
        for store in &STORES[1..] {
            assert_eq!(triangles(&[path, "--store", store]), count, "{file} in {store}");
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
    let farthest = [15, 16, 17, 19, 21, 23, 24, 27, 30];
    let three = top(&["diameter", "--top", "3"]);
    let pairs = three.as_array().unwrap();
    assert!(pairs.len() == 3 && pairs.iter().all(|pair| farthest.contains(&pair[0].as_u64().unwrap()) && pair[1] == 5));
    let ten = top(&["diameter", "--top", "10"]);
    assert_eq!(ten.as_array().unwrap()[..9], farthest.map(|vertex| serde_json::json!([vertex, 5])));
    assert_eq!((ten[9][1].clone(), ten[10].clone()), (4.into(), serde_json::Value::Null));
}
