//! `pleach stream`: graphs that are updated end up as if they had been loaded at once, and mistakes are told by line.
#![allow(missing_docs)]

mod common;

use std::fs;
use std::path::Path;

use common::{data, pleach, stdout, values};

fn file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// The lines of a file, sorted.
fn lines(path: &Path) -> Vec<String> {
    let mut lines: Vec<String> = fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn batches_and_the_end_are_told() {
    let folder = folder();
    let updates = file(folder.path(), "u", "+ 10 20\n+ 20 30\n- 10 20\n- 7 8\n+ 30 10\n");
    let text =
        stdout(&["stream", "empty", "--updates", &updates, "--batch", "2", "--json", "--app", "cc", "--every", "2"]);
    let told: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let batches: Vec<_> = told.iter().filter(|object| object.get("new").is_some()).collect();
    let counts = |name: &str| batches.iter().map(|batch| batch[name].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!((counts("new"), counts("removed"), counts("absent")), (vec![2, 0, 1], vec![0, 1, 0], vec![0, 1, 0]));
    let runs: Vec<_> = told.iter().filter(|object| object["app"] == "cc").collect();
    assert_eq!(
        runs.iter().map(|run| (&run["version"], &run["result"]["components"])).collect::<Vec<_>>(),
        [(&2.into(), &2.into())]
    );
    let end = told.last().unwrap();
    assert_eq!((&end["vertices"], &end["edges"], &end["lines"]), (&3.into(), &2.into(), &5.into()));
    assert_eq!(end["app"]["result"]["components"], 1);
}

/// Every algorithm runs on snapshots of a directed graph, with and without weights, and checks itself; one that was run after the last
/// batch is not run again.
#[test]
fn any_algorithm_runs_on_snapshots() {
    let folder = folder();
    let lines: String = (0..60).map(|k| format!("+ {} {}\n", 100 + k % 17, 100 + k * k % 13)).collect();
    let updates = file(folder.path(), "u", &lines);
    let out = folder.path().join("out");
    for app in [
        "bc --sources 100 --verify",
        "bfs --source 100 --verify",
        "cc --verify",
        "cdlp --iterations 3 --verify",
        "coloring --verify",
        "degree --verify",
        "diameter --verify",
        "kcore --verify",
        "khop --sources 100 --hops 2 --verify",
        "ktruss --verify",
        "lcc --verify",
        "mis --verify",
        "msf --verify",
        "nibble --source 100 --verify",
        "pagerank --iterations 5",
        "scc --verify",
        "sssp --source 100 --verify",
        "tc --verify",
    ] {
        for weighted in [false, true] {
            let mut arguments =
                vec!["stream", "empty", "--updates", &updates, "--batch", "20", "--app", app, "--every", "1", "--json"];
            if weighted {
                arguments.push("--weighted");
            }
            if !app.starts_with("tc") && !app.starts_with("diameter") {
                arguments.extend(["--out", out.to_str().unwrap()]);
            }
            let text = stdout(&arguments);
            let told: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let runs: Vec<_> = told.iter().filter(|object| object["app"].is_string()).collect();
            assert_eq!(runs.iter().map(|run| run["version"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2, 3], "{app}");
            let end = &told.last().unwrap()["app"];
            assert_eq!((&end["result"], &end["seconds"]), (&runs[2]["result"], &runs[2]["seconds"]), "{app}");
        }
    }
}

/// Components and ranks that follow a graph are those computed anew on each version: while it grows, and after deletions.
#[test]
fn what_follows_a_graph_is_what_is_computed_anew() {
    let folder = folder();
    let edge = |k: u64| (100 + k * k * 7 % 61, 100 + k * 13 % 97);
    let insertion = |k| format!("+ {} {}\n", edge(k).0, edge(k).1);
    let deletion = |k| format!("- {} {}\n", edge(k).0, edge(k).1);
    let lines: String =
        (0..120).map(insertion).chain((30..50).map(deletion)).chain((120..160).map(insertion)).collect();
    let updates = file(folder.path(), "u", &lines);
    for undirected in [false, true] {
        for app in ["cc --verify", "pagerank --top 5"] {
            let runs = |follow: bool| {
                let mut arguments = vec!["stream", "empty", "--updates", &updates, "--batch", "10", "--app", app];
                arguments.extend(["--every", "2", "--json"]);
                arguments.extend(undirected.then_some("--undirected"));
                arguments.extend(follow.then_some("--follow"));
                let text = stdout(&arguments);
                let told = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
                told.filter(|object| object["app"].is_string()).collect::<Vec<_>>()
            };
            let (anew, followed) = (runs(false), runs(true));
            assert_eq!((anew.len(), followed.len()), (9, 9));
            for (a, b) in anew.iter().zip(&followed) {
                assert_eq!(a["version"], b["version"]);
                if app.starts_with("cc") {
                    assert_eq!(a["result"], b["result"], "version {}", a["version"]);
                    continue;
                }
                let best = |run: &serde_json::Value| {
                    let top = run["result"]["top"].as_array().unwrap().clone();
                    top.iter().map(|pair| pair[1].as_f64().unwrap()).collect::<Vec<_>>()
                };
                let (a, b) = (best(a), best(b));
                assert!(a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-8), "{a:?} and {b:?}");
            }
        }
    }
    for (app, more, expected) in [
        ("bfs --source 100", None, "bfs does not follow a graph"),
        ("pagerank --iterations 5", None, "pagerank does not follow a graph"),
        ("cc", Some("--weighted"), "goes over edges without weights"),
    ] {
        let mut arguments = vec!["stream", "empty", "--updates", &updates, "--app", app, "--every", "1", "--follow"];
        arguments.extend(more);
        let message = failure_of(&arguments, 2);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn the_bench_measures_small_graphs_and_refuses_empty_ones() {
    let text = stdout(&[
        "bench", "stream", "--graph", "rmat8", "--time", "4", "--batch", "10", "--batch", "1000000", "--json",
    ]);
    let measured = &serde_json::from_str::<serde_json::Value>(&text).unwrap()["measured"];
    assert_eq!((&measured["policy"], measured["throughput"].as_array().unwrap().len()), (&"when-asked".into(), 2));
    assert_eq!(measured["throughput"][0]["batch"], 10);
    let folder = folder();
    let nothing = file(folder.path(), "nothing.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 0\n");
    let message = failure_of(&["bench", "stream", "--graph", &nothing], 1);
    assert!(message.contains("there are no edges to draw updates from"), "{message}");
}

#[test]
fn mistakes_name_the_line_and_status() {
    let folder = folder();
    let bad = file(folder.path(), "bad", "1 2\n3 x\n4 5\n");
    let huge = file(folder.path(), "huge", "1 2\n1 18446744073709551616\n");
    let weights = file(folder.path(), "weights", "+ 1 2 0.5\n");
    let back = file(folder.path(), "back", "1 2 9\n1 3 8\n");
    let nowhere = folder.path().join("nowhere").to_str().unwrap().to_owned();
    let out = folder.path().join("none/out").to_str().unwrap().to_owned();
    for (arguments, status, expected) in [
        (vec!["--updates", &bad], 1, "bad:2:3: expected a vertex id"),
        (vec!["--updates", &huge], 1, "huge:2:3: "),
        (vec!["--updates", &weights], 1, "weights:1: the line has a weight, but the edges of this graph have none"),
        (vec!["--updates", &back, "--window", "5"], 1, "back:2: expected a time of 9 or later"),
        (vec!["--updates", &nowhere], 1, "nowhere: No such file"),
        (vec!["--updates", &bad, "--columns", "src,to"], 2, "no column is called `to`"),
        (vec!["--updates", &weights, "--app", "sssp"], 2, "required arguments were not provided: --source <ID>"),
        (vec!["--updates", &weights, "--app", "walk"], 2, "unrecognized subcommand 'walk'"),
        (vec!["--updates", &weights, "--app", "tc --json"], 2, "say options of reading"),
        (vec!["--updates", &weights, "--app", "tc", "--out", "o"], 2, "tc has no value for each vertex"),
        (
            vec!["--updates", &weights, "--weighted", "--app", "bfs --source 77"],
            1,
            "version 1 of the graph has no vertex 77",
        ),
        (vec!["--updates", &back, "--store", "csr"], 1, "`csr` is static"),
        (vec!["--updates", &back, "--store", "bst,heap"], 2, "no row store is called `heap`"),
        (vec!["--updates", &back, "--app", "cc", "--out", &out], 1, "cannot write"),
        (vec!["--updates", &back, "--batch", "0"], 2, "--batch"),
    ] {
        let mut all = vec!["stream", "empty"];
        all.extend(arguments);
        let message = failure_of(&all, status);
        assert!(message.contains(expected), "{all:?}: {message}");
    }
    let lenient = ["stream", "empty", "--updates", &bad, "--skip-bad", "--json", "--batch", "9", "--threads", "1"];
    let text = stdout(&lenient);
    let end: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!((&end["skipped"], &end["lines"], &end["edges"]), (&1.into(), &2.into(), &2.into()));
}

/// `pleach` with arguments must fail, with earlier batches told or not; its message.
fn failure_of(arguments: &[&str], status: i32) -> String {
    let output = pleach(arguments);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {message}");
    assert!(message.starts_with("error: ") && !message.contains("panicked"), "{message}");
    message
}

#[test]
fn an_updated_graph_is_the_published_one() {
    let Some(data) = data("an_updated_graph_is_the_published_one") else { return };
    let golden = data.join("golden/p2p-31");
    let folder = folder();
    let unpacked = |name: &str, to: &str| {
        let packed = fs::File::open(golden.join(name)).unwrap();
        let path = folder.path().join(to);
        std::io::copy(&mut flate2::read::MultiGzDecoder::new(packed), &mut fs::File::create(&path).unwrap()).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let base = unpacked("p2p-31.e.mutable_base.gz", "base.wel");
    let delta = unpacked("p2p-31.e.mutable_delta.gz", "delta");
    let expected = unpacked("p2p-31.e.gz", "expected");
    let (saved, out) = (folder.path().join("saved.wel"), folder.path().join("ranks"));
    let (saved_name, out_name) = (saved.to_str().unwrap(), out.to_str().unwrap());
    for (batch, store) in [("30000", "paged,packed"), ("997", "aspen"), ("3000", "dense,blist")] {
        stdout(&["stream", &base, "--updates", &delta, "--batch", batch, "--store", store, "--save", saved_name]);
        assert!(lines(&saved) == lines(Path::new(&expected)), "batches of {batch} in {store} leave another graph");
    }
    let ranked = ["--undirected", "--app", "pagerank --iterations 10", "--out", out_name];
    let mut arguments = vec!["stream", &base, "--updates", &delta, "--batch", "1000"];
    arguments.extend(ranked);
    stdout(&arguments);
    let (found, published) = (values::<f64>(&out), values::<f64>(&golden.join("p2p-31-PR.gz")));
    assert_eq!(found.len(), published.len());
    for (id, rank) in published {
        assert!((found[&id] - rank).abs() <= 1e-9 * rank, "vertex {id}: {} for {rank}", found[&id]);
    }
}

/// By count, by time, and through a window (the library's own tests cut the same streams by more sizes).
#[test]
fn spans_and_windows_leave_the_same_graph() {
    let Some(data) = data("spans_and_windows_leave_the_same_graph") else { return };
    let folder = folder();
    let saved = |arguments: &[&str]| {
        let path = folder.path().join("saved.el");
        let updates = data.join("temporal/CollegeMsg.txt.gz");
        let mut all = vec!["stream", "empty", "--updates", updates.to_str().unwrap(), "--save", path.to_str().unwrap()];
        all.extend_from_slice(arguments);
        stdout(&all);
        lines(&path)
    };
    let whole = saved(&["--batch", "1000000"]);
    assert_eq!(whole.len(), 20296);
    assert!(whole == saved(&["--batch", "100", "--publish", "batch"]));
    assert!(whole == saved(&["--span", "86400", "--store", "bst,bst"]));
    let week = saved(&["--span", "3600", "--window", "604800"]);
    assert!(week == saved(&["--batch", "1", "--window", "604800", "--store", "terrace"]) && week.len() < 1000);
}
