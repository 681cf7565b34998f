//! Every algorithm verifies on graphs of every kind, and finds the same in every kind of store.

use crate::common::{STORES, data, json};

#[test]
fn every_algorithm_verifies_on_real_graphs() {
    let Some(data) = data("real graphs") else { return };
    let graphs = data.join("graphs");
    for (file, source) in [
        ("4elt.graph.gz", "1"),
        ("as-caida20071105.tsv.gz", "0"),
        ("power.graph", "1"),
        ("netscience.csv", "0"),
        ("wiki-Vote.txt.gz", "30"),
        ("south_seattle_car.gr.gz", "1"),
    ] {
        let path = graphs.join(file);
        for app in APPS {
            let mut first = None;
            for store in STORES {
                let mut arguments = vec!["run", app[0], path.to_str().unwrap(), "--json", "--verify", "--store", store];
                arguments.extend(app[1..].iter().map(|&option| if option == "SOURCE" { source } else { option }));
                let result = json(&arguments)["result"].take();
                assert_eq!(result["verified"], true, "{arguments:?}");
                let first = first.get_or_insert_with(|| result.clone());
                assert_eq!(&result, first, "{arguments:?}");
            }
        }
    }
}

/// Every algorithm with a verifier, and the options that it needs.
const APPS: &[&[&str]] = &[
    &["bc", "--samples", "2"],
    &["bfs", "--source", "SOURCE"],
    &["cc"],
    &["cdlp", "--iterations", "5"],
    &["degree"],
    &["kcore"],
    &["lcc"],
    &["mis"],
    &["scc"],
    &["sssp", "--source", "SOURCE"],
    &["tc"],
];
