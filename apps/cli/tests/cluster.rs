//! `pleach cluster`: several processes find what one finds, and end together.
#![allow(missing_docs)]

mod common;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{data, failure, json, out, pleach, stdout, values};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// What so many processes write to `--out`.
fn together(processes: &str, arguments: &[&str]) -> BTreeMap<u64, f64> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("values");
    let mut all = vec!["cluster", "run"];
    all.extend_from_slice(arguments);
    all.extend_from_slice(&["--processes", processes, "--out", text(&file)]);
    stdout(&all);
    values(&file)
}

/// A list of edges with ids that have gaps, weights, and edges that are listed twice.
fn edges(folder: &Path) -> std::path::PathBuf {
    let file = folder.join("edges.wel");
    let mut lines = String::from("# a list of edges\n");
    for k in 0..30_000u64 {
        let hash = k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let (from, to) = (3 * (hash >> 20 & 2047), 3 * (hash >> 40 & 2047));
        writeln!(lines, "{from} {to} {}", (hash >> 56) as f64 / 8.0).unwrap();
    }
    std::fs::write(&file, lines).unwrap();
    file
}

#[test]
fn several_processes_find_what_one_finds() {
    let folder = tempfile::tempdir().unwrap();
    let file = edges(folder.path());
    let file = text(&file);
    for arguments in [
        &["bfs", file, "--directed", "--source", "3"][..],
        &["sssp", file, "--directed", "--source", "3"],
        &["cc", file, "--directed"],
        &["cdlp", file, "--directed"],
        &["kcore", file, "--undirected"],
        &["pagerank", file, "--directed", "--iterations", "20"],
    ] {
        let one: BTreeMap<u64, f64> = out(arguments);
        for processes in ["1", "2", "4"] {
            let found = together(processes, &[arguments, &["--range", "64"]].concat());
            assert!(found.keys().eq(one.keys()), "{arguments:?}");
            for (id, value) in found {
                let within = if arguments[0] == "pagerank" { 1e-12 } else { 0.0 };
                let equal = value == one[&id] || (value - one[&id]).abs() <= within;
                assert!(equal, "{arguments:?} by {processes}: {value} instead of {} at {id}", one[&id]);
            }
        }
    }
    let triangles = &json(&["run", "tc", file, "--json"])["result"]["triangles"];
    let found = json(&["cluster", "run", "tc", file, "--processes", "3", "--range", "16", "--json"]);
    assert!(triangles.is_u64() && &found["result"]["triangles"] == triangles, "{found}");
}

#[test]
fn published_distances_are_found_by_three() {
    let Some(data) = data("published_distances_are_found_by_three") else { return };
    let gnutella = data.join("golden/p2p-31");
    let input = gnutella.join("p2p-31.e.gz");
    let found = together("3", &["sssp", text(&input), "--undirected", "--source", "6"]);
    let expected: BTreeMap<u64, f64> = values(&gnutella.join("p2p-31-SSSP.gz"));
    assert!(found.keys().eq(expected.keys()));
    assert!(found.iter().all(|(id, value)| *value == expected[id] || (value - expected[id]).abs() <= 1e-9 * value));
}

#[test]
fn what_goes_over_the_wire_is_reported() {
    let printed = json(&["cluster", "run", "pagerank", "rmat:13", "--processes", "3", "--iterations", "5", "--json"]);
    let workers = printed["workers"].as_array().unwrap();
    assert_eq!(workers.len(), 3);
    let sum = |name: &str| workers.iter().map(|worker| worker[name].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum("vertices"), printed["graph"]["vertices"].as_u64().unwrap());
    assert_eq!(sum("arcs"), printed["graph"]["arcs"].as_u64().unwrap());
    assert!(workers.iter().all(|worker| worker["bytes"].as_u64().unwrap() > 0));
    let ghosts = printed["traffic"]["ghosts"].as_u64().unwrap();
    assert_eq!(sum("ghosts"), ghosts);
    // The shares of all ghosts in every iteration, and two sums a message.
    let steps: Vec<u64> =
        printed["traffic"]["supersteps"].as_array().unwrap().iter().map(|b| b.as_u64().unwrap()).collect();
    let full = &steps[..5];
    assert!(full.iter().all(|&bytes| bytes == 8 * ghosts + 6 * 16), "{steps:?} for {ghosts}");
    assert!(full.iter().all(|&bytes| bytes as f64 <= 1.2 * 8.0 * ghosts as f64));
    let alone = json(&["cluster", "run", "pagerank", "karate", "--json"]);
    assert_eq!(alone["traffic"]["bytes"], 0);
    let plain = stdout(&["cluster", "run", "bfs", "karate", "--source", "1", "--processes", "2", "--range", "8"]);
    for words in ["worker 0", "worker 1", "ghosts", "supersteps", "reached  34"] {
        assert!(plain.contains(words), "{words} is missing from {plain}");
    }
}

#[test]
fn a_worker_that_fails_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.txt");
    let lines: String =
        (0..1000).map(|k| if k == 900 { "5 five\n".into() } else { format!("{k} {}\n", k + 1) }).collect();
    std::fs::write(&file, lines).unwrap();
    let message = failure(&["cluster", "run", "cc", text(&file), "--processes", "2"], 1);
    assert!(message.contains("worker 1") && message.contains("bad.txt") && message.contains("901"), "{message}");
    let message = failure(&["cluster", "run", "cc", "no/such.txt", "--processes", "2"], 1);
    assert!(message.contains("no/such.txt"), "{message}");
    let message = failure(&["-q", "cluster", "run", "bfs", "karate", "--source", "99", "--processes", "2"], 1);
    assert!(message.contains("no vertex 99"), "{message}");
}

#[test]
fn wrong_use_is_refused() {
    let message = failure(&["cluster", "run", "bfs", "karate"], 2);
    assert!(message.contains("--source"), "{message}");
    let message = failure(&["cluster", "run", "cc", "karate", "--damping", "0.5"], 2);
    assert!(message.contains("cc has no option --damping"), "{message}");
    let message = failure(&["cluster", "run", "pagerank", "karate", "--damping", "1"], 2);
    assert!(message.contains("below 1"), "{message}");
    let message = failure(&["cluster", "run", "cc", "karate", "--process", "1"], 2);
    assert!(message.contains("--hosts"), "{message}");
    let folder = tempfile::tempdir().unwrap();
    let hosts = folder.path().join("hosts");
    let refused = |lines: &str, words: &str| {
        std::fs::write(&hosts, lines).unwrap();
        let message = failure(&["cluster", "run", "cc", "karate", "--hosts", text(&hosts), "--process", "0"], 1);
        assert!(message.contains(words), "{message}");
    };
    refused("localhost\n", "line 1");
    refused("a:1\na:1\n", "twice");
    refused("# nobody\n", "found none");
    std::fs::write(&hosts, "127.0.0.1:1\n").unwrap();
    let message = failure(&["cluster", "run", "cc", "karate", "--hosts", text(&hosts), "--process", "1"], 1);
    assert!(message.contains("no worker 1 of 1"), "{message}");
}

/// Updates with deletions, new weights and loops: so many lines.
fn updates(folder: &Path, name: &str, count: u64) -> std::path::PathBuf {
    let file = folder.join(name);
    let mut lines = String::new();
    for k in 0..count {
        let hash = k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let (from, to) = (3 * (hash >> 20 & 127), 3 * (hash >> 40 & 127));
        match hash >> 61 {
            0 => writeln!(lines, "- {from} {to}").unwrap(),
            1 => writeln!(lines, "u {from} {to} 7").unwrap(),
            _ => writeln!(lines, "+ {from} {to} {}", (hash >> 56 & 31) as f64 / 4.0).unwrap(),
        }
    }
    std::fs::write(&file, lines).unwrap();
    file
}

#[test]
fn a_stream_leaves_what_one_process_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let (base, updates) = (edges(folder.path()), updates(folder.path(), "updates", 5000));
    let (one, several) = (folder.path().join("one"), folder.path().join("several"));
    for (direction, app) in [("--directed", "sssp"), ("--directed", "cc"), ("--undirected", "kcore")] {
        let source: &[&str] = if app == "sssp" { &["--source", "3"] } else { &[] };
        let both = [text(&base), "--updates", text(&updates), direction, "--drop-self-loops", "--batch", "700"];
        let command = [&[app], source].concat().join(" ");
        stdout(&[&["stream"], &both[..], &["--weighted", "--app", &command, "--out", text(&one)]].concat());
        let more = ["--app", app, "--out", text(&several), "--range", "16", "--json"];
        for processes in ["1", "3"] {
            let printed =
                stdout(&[&["cluster", "stream"], &both[..], &more, source, &["--processes", processes]].concat());
            assert!(values::<f64>(&several) == values::<f64>(&one), "{app} by {processes}");
            let printed: Vec<serde_json::Value> =
                printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let kinds: Vec<&str> = printed.iter().map(|line| line["type"].as_str().unwrap()).collect();
            assert_eq!(
                kinds,
                [&["epoch"; 9][..], &["result", "end"]].concat(),
                "the graph at the beginning is epoch 1"
            );
            assert_eq!(printed[8]["total_updates"], printed[10]["total_updates"]);
        }
    }
}

#[test]
fn a_stream_goes_on_with_any_number_of_processes() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("parts");
    let out = folder.path().join("values");
    let (base, all) = (edges(folder.path()), updates(folder.path(), "all", 3000));
    for (processes, count) in [("2", 1000), ("2", 1000), ("3", 1700), ("1", 3000), ("4", 3000)] {
        let updates = updates(folder.path(), "some", count);
        let stream = ["cluster", "stream", text(&base), "--updates", text(&updates), "--directed", "--batch", "300"];
        let kept = ["--into", text(&into), "--checkpoint", "3", "--range", "16", "--processes", processes];
        let found = [&stream[..], &kept, &["--app", "cc", "--every", "2", "--out", text(&out), "--json"]].concat();
        let printed = stdout(&found);
        let end: serde_json::Value = serde_json::from_str(printed.lines().last().unwrap()).unwrap();
        assert_eq!((&end["type"], &end["total_updates"]), (&"end".into(), &count.into()), "{printed}");
    }
    let found: BTreeMap<u64, f64> = values(&out);
    stdout(&[
        "stream",
        text(&base),
        "--updates",
        text(&all),
        "--directed",
        "--weighted",
        "--app",
        "cc",
        "--out",
        text(&out),
    ]);
    assert!(found == values(&out));
    let short = updates(folder.path(), "short", 100);
    let stream = ["-q", "cluster", "stream", "empty", "--updates", text(&short), "--directed", "--into", text(&into)];
    let message = failure(&stream, 1);
    assert!(message.contains("short: ends 2900 updates before the last one that was applied"), "{message}");
    let updates = text(&all);
    let stream = ["cluster", "stream", "empty", "--updates", updates, "--undirected", "--into", text(&into)];
    let message = failure(&stream, 1);
    assert!(message.contains("holds a graph that is directed"), "{message}");
}

#[test]
fn wrong_streams_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad");
    std::fs::write(&bad, "+ 1 2\nu 1 2\n").unwrap();
    let stream = |more: &[&str], status: i32| {
        failure(&[&["cluster", "stream", "empty", "--processes", "2"], more].concat(), status)
    };
    let message = stream(&["--updates", text(&bad)], 1);
    assert!(message.contains("bad:2: the line changes a weight, but has none"), "{message}");
    let message = stream(&["--updates", "no/such"], 1);
    assert!(message.contains("no/such"), "{message}");
    let message = stream(&["--updates", "-"], 2);
    assert!(message.contains("named pipe"), "{message}");
    let message = stream(&["--updates", text(&bad), "--source", "3"], 2);
    assert!(message.contains("--app"), "{message}");
}

/// Addresses that are free.
fn hosts(folder: &Path, n: usize) -> std::path::PathBuf {
    let listeners: Vec<_> = (0..n).map(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let lines: String = listeners.iter().map(|at| format!("{}\n", at.local_addr().unwrap())).collect();
    let file = folder.join("hosts");
    std::fs::write(&file, lines).unwrap();
    file
}

#[test]
fn printed_commands_start_the_processes() {
    let folder = tempfile::tempdir().unwrap();
    let hosts = hosts(folder.path(), 2);
    let commands = stdout(&["cluster", "start", "--hosts", text(&hosts), "--", "run", "cc", "karate", "--json"]);
    let commands: Vec<&str> = commands.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(commands.len(), 2);
    let start = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words[0], "pleach");
        Command::new(env!("CARGO_BIN_EXE_pleach")).args(&words[1..]).stdout(Stdio::piped()).spawn().unwrap()
    };
    let started: Vec<_> = commands.iter().map(|line| start(line)).collect();
    let outputs: Vec<_> = started.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    assert!(outputs.iter().all(|output| output.status.success()));
    let printed: serde_json::Value = serde_json::from_slice(&outputs[0].stdout).unwrap();
    assert_eq!(printed["result"]["components"], 1);
    assert!(outputs[1].stdout.is_empty());
}

#[test]
fn a_host_that_does_not_come_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let hosts = hosts(folder.path(), 2);
    let message =
        failure(&["cluster", "run", "cc", "karate", "--hosts", text(&hosts), "--process", "0", "--patience", "0"], 1);
    assert!(message.contains("worker 1") && message.contains("127.0.0.1:"), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_is_killed_ends_all() {
    let child = Command::new(env!("CARGO_BIN_EXE_pleach"))
        .args(["cluster", "run", "pagerank", "rmat:12", "--processes", "3", "--iterations", "100000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let workers = |of: u32| -> Vec<u32> {
        let list = std::fs::read_to_string(format!("/proc/{of}/task/{of}/children")).unwrap_or_default();
        list.split_whitespace().map(|id| id.parse().unwrap()).collect()
    };
    let mut found = workers(child.id());
    while found.len() < 3 {
        std::thread::sleep(std::time::Duration::from_millis(5));
        found = workers(child.id());
    }
    // Anywhere between the start and the middle of the iteration.
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(Command::new("kill").args(["-KILL", &found[1].to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("worker 1") && message.contains("signal 9"), "{message}");
    assert!(found.iter().all(|id| !Path::new(&format!("/proc/{id}/fd")).exists()), "all have ended");
    assert!(!pleach(&["cluster"]).status.success());
}
