//! `pleach data`: what is generated, converted and listed is what is read.

mod common;

use common::{json, pleach, stdout};

#[test]
fn a_graph_goes_through_every_format() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path in Unicode").to_owned();
    assert!(pleach(&["data", "gen", "grid:4x5", "-o", &path("a.plg")]).status.success());
    let names = ["a.plg", "b.mtx.zst", "c.graph", "d.adj.gz", "e.plg.zst", "f.tns", "g.tsv", "h.plg"];
    for pair in names.windows(2) {
        // Formats that list both directions do not say that they do.
        let undirected = ["data", "write", &path(pair[0]), "-o", &path(pair[1]), "--undirected"];
        assert!(pleach(&undirected).status.success(), "{pair:?}");
    }
    for name in names {
        let info = json(&["data", "info", &path(name), "--undirected", "--json"]);
        let found = ["vertices", "edges", "arcs", "self_loops"].map(|key| info[key].as_u64());
        assert_eq!(found, [Some(20), Some(31), Some(62), Some(0)], "{name}");
    }
}

#[test]
fn what_can_be_named_is_listed() {
    let listed = json(&["data", "list", "--json"]);
    let names: Vec<&str> =
        listed.as_array().expect("a list").iter().filter_map(|entry| entry["name"].as_str()).collect();
    let text = stdout(&["data", "list"]);
    for name in ["karate", "rmat20", "webbase-1M", "pdb1HYS", "wiki-Vote"] {
        assert!(names.contains(&name) && text.contains(name), "{name}");
    }
}
