//! Every algorithm verifies on graphs of every kind, and finds the same in every kind of store.

use crate::common::{FULL, STORES, data, json};

/// Graphs, and a vertex of each. An algorithm sees one store beside static rows, on every other graph; by night it sees all on each.
const GRAPHS: [(&str, &str); 3] = [("power.graph", "1"), ("netscience.csv", "0"), ("wiki-Vote.txt.gz", "30")];

#[test]
fn every_algorithm_verifies_on_real_graphs() {
    let Some(data) = data("real graphs") else { return };
    let graphs = data.join("graphs");
    for (graph, (file, source)) in GRAPHS.into_iter().enumerate() {
        let path = graphs.join(file);
        for (number, app) in APPS.iter().enumerate() {
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
            let (others, one) = (&STORES[1..], (number + graph) / 2 % (STORES.len() - 1));
            let some = if FULL { others } else { &others[one..one + (number + graph + 1) % 2] };
            for store in some {
                assert_eq!(result(store, &[]), first, "{app:?} on {file} in {store}");
            }
        }
    }
}

/// Every other small graph there is, in the default store: meshes, roads, mail, citations, followers, co-authors, routers. An algorithm
/// sees every other one; by night it sees all.
#[test]
fn every_algorithm_verifies_on_every_small_graph() {
    let Some(data) = data("real graphs") else { return };
    let mut count = 0;
    let entries = std::fs::read_dir(data.join("graphs")).expect("a folder of graphs");
    let mut entries: Vec<_> = entries.map(|entry| entry.expect("the folder can be read")).collect();
    entries.sort_by_key(std::fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        let name = path.to_str().expect("a plain name");
        let verified = GRAPHS.iter().any(|(file, _)| name.ends_with(file));
        if entry.metadata().expect("the file can be looked at").len() > SMALL || name.contains("_coord") || verified {
            continue;
        }
        let info = json(&["data", "info", name, "--json"]);
        let source = info["ids"][0].to_string();
        for app in APPS.iter().skip(if FULL { 0 } else { count % 2 }).step_by(if FULL { 1 } else { 2 }) {
            let mut arguments = vec!["run", app[0], name, "--json", "--verify"];
            arguments.extend(app[1..].iter().map(|&option| if option == "SOURCE" { &source[..] } else { option }));
            assert_eq!(json(&arguments)["result"]["verified"], true, "{arguments:?}");
        }
        count += 1;
    }
    assert!(count >= 5, "only {count} graphs were small");
}

/// Bytes of a file that is small.
const SMALL: u64 = 300_000;

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
