//! `pleach data`: what is generated, converted and listed is what is read.

use crate::common::{json, pleach, stdout};

#[test]
fn a_graph_goes_through_every_format() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path in Unicode").to_owned();
    assert!(pleach(&["data", "gen", "grid:4x5", "-o", &path("a.plg")]).status.success());
    let names = ["a.plg", "b.mtx.zst", "c.graph", "d.adj.gz", "e.plg.zst", "f.tns", "g.tsv", "h.wsg.gz", "i.plg"];
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

#[test]
fn a_tensor_is_told_by_its_slices() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("t.tns");
    std::fs::write(&file, "# dimensions: 4 4000 3\n1 2 3 0.5\n4 1 1 -2\n1 2 3 7\n2 2 2 1\n").expect("written");
    let path = file.to_str().expect("a path in Unicode");
    let info = json(&["data", "info", path, "--json"]);
    assert_eq!(info["dims"], serde_json::json!([4, 4000, 3]));
    assert_eq!((&info["nonzeros"], &info["duplicates"], &info["order"]), (&4.into(), &1.into(), &3.into()));
    let modes = info["modes"].as_array().expect("an array");
    let found = modes.iter().map(|mode| (mode["used"].as_u64(), mode["largest"].as_u64())).collect::<Vec<_>>();
    assert_eq!(found, [(3, 2), (2, 3), (3, 2)].map(|(used, largest)| (Some(used), Some(largest))));
    assert_eq!(info["values"], serde_json::json!({ "least": -2.0, "most": 7.0 }));
    let text = stdout(&["data", "info", path]);
    assert!(text.contains("a tensor of order 3") && text.contains("mode 1: 3 of 4 slices"), "{text}");
    let Some(data) = crate::common::data("tensors") else { return };
    let info = json(&["data", "info", data.join("tensors/fb15k237.tns.gz").to_str().expect("a path"), "--json"]);
    assert_eq!((&info["nonzeros"], &info["duplicates"]), (&310_116.into(), &0.into()));
}

/// A matrix of any extents is described as far as no array as long as an extent is needed. A graph needs such an array, and is refused.
#[test]
fn matrices_may_have_far_more_rows_than_entries() {
    let folder = crate::common::Folder::new();
    let entries = "# dimensions: 1000000000 1000000000\n1 2 5\n1 3 2\n1000000000 7 1\n";
    let list = folder.file("h.tns", entries);
    for name in ["h.tns", "h.mtx", "h.npz"] {
        let (file, back) = (folder.path(name), folder.path("back.tns"));
        if name != "h.tns" {
            stdout(&["-q", "convert", &list, &file, "--to", "coo"]);
        }
        stdout(&["-q", "convert", &file, &back, "--to", "coo"]);
        assert_eq!(folder.read("back.tns"), entries, "{name}");
        assert_eq!(stdout(&["-q", "eval", "t = A(i,j)", "-f", "A=coo", &format!("A={file}")]), "8\n", "{name}");
        let refused = crate::common::failure(&["run", "cc", &file], 1);
        assert!(refused.contains("1000000000") && refused.contains("expected at most"), "{refused}");
        let info = json(&["data", "info", &file, "--json"]);
        assert_eq!(info["dims"], serde_json::json!([1_000_000_000, 1_000_000_000]), "{name}");
        let matrix = ["entries", "diagonals", "longest_row", "empty_rows"].map(|key| info["matrix"][key].as_u64());
        assert_eq!(matrix, [3, 3, 2, 999_999_998].map(Some), "{name}");
        let picture = folder.path("h.svg");
        let text = stdout(&["data", "info", &file, "--plot", &picture]);
        assert!(text.contains("left out: what is described of a graph"), "{text}");
        assert!(text.contains("mode 1: 2 of 1000000000 slices hold nonzeros, the fullest 2"), "{text}");
        assert!(folder.read("h.svg").contains("<title>1000000000 rows"));
        let refused = crate::common::failure(&["data", "info", &file, "--measure"], 1);
        assert!(refused.contains("out of proportion to the entries"), "{refused}");
    }
    let cube = folder.file("cube.tns", "# dimensions: 2 4000000000 4000000000\n1 2 4000000000 0.5\n");
    assert_eq!(json(&["data", "info", &cube, "--json"])["modes"][2]["size"], 4_000_000_000_u64);
    assert!(crate::common::failure(&["data", "info", &cube, "--measure"], 2).contains("is for a matrix"));
}

/// `--format` says how a tensor's file is read, whatever its name. Options for graphs are refused.
#[test]
fn a_tensor_is_read_as_its_format_says() {
    let folder = crate::common::Folder::new();
    let file = folder.file("entries", "1 2 3 0.5\n4 1 1 -2\n");
    let written = folder.path("t.plg");
    stdout(&["-q", "data", "write", &file, "--format", "tns", "-o", &written]);
    assert_eq!(json(&["data", "info", &written, "--json"])["dims"], serde_json::json!([4, 2, 3]));
    for option in [&["--undirected"][..], &["--conflict", "sum"], &["--transpose"]] {
        let write = ["data", "write", &file, "--format", "tns", "-o", &written];
        let message = crate::common::failure(&[&write[..], option].concat(), 2);
        assert!(message.contains("are for graphs"), "{message}");
    }
}

#[test]
fn every_listed_pair_of_levels_is_a_store() {
    let pairs = json(&["schema", "list", "--pairs", "--json"]);
    let pairs = pairs.as_array().expect("an array");
    assert_eq!(pairs.len(), pleach_erased::OUTER_LEVELS.len() * pleach_erased::ROW_STORES.len());
    for pair in pairs {
        let name = pair.as_str().expect("a name");
        assert_eq!(name.parse().map(|store: pleach_erased::StoreName| store.to_string()), Ok(name.to_owned()));
    }
}
