//! Every algorithm verifies on graphs of every kind, and finds the same in every kind of store.

use crate::common::{STORES, data, json};

#[test]
fn every_algorithm_verifies_on_real_graphs() {
    let Some(data) = data("real graphs") else { return };
    let graphs = data.join("graphs");
    for (file, source) in [("power.graph", "1"), ("netscience.csv", "0"), ("wiki-Vote.txt.gz", "30")] {
        let path = graphs.join(file);
        for app in APPS {
            let result = |store: &str, verify: &[&str]| {
                let mut arguments = vec!["run", app[0], path.to_str().unwrap(), "--json", "--store", store];
                arguments.extend(app[1..].iter().map(|&option| if option == "SOURCE" { source } else { option }));
                arguments.extend(verify);
                let mut result = json(&arguments)["result"].take();
                let result = result.as_object_mut().expect("an object");
                // How often a vertex is relaxed depends on who comes first.
                result.remove("relaxed");
                // Long rows are summed in an order of the store's: the last digits may differ.
                if app[0] == "pagerank" {
                    ["residual", "sum", "top"].iter().for_each(|name| drop(result.remove(*name)));
                }
                assert_eq!(result.remove("verified").is_some(), !verify.is_empty());
                std::mem::take(result)
            };
            let first = result(STORES[0], &["--verify"]);
            for store in &STORES[1..] {
                assert_eq!(result(store, &[]), first, "{app:?} on {file} in {store}");
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
    &["coloring"],
    &["degree"],
    &["diameter", "--searches", "20"],
    &["kcore"],
    &["khop", "--sources", "SOURCE"],
    &["ktruss"],
    &["lcc"],
    &["mis"],
    &["msf"],
    &["pagerank"],
    &["nibble", "--source", "SOURCE", "--epsilon", "1e-4"],
    &["scc"],
    &["sssp", "--source", "SOURCE"],
    &["tc"],
];
