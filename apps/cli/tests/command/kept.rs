//! `pleach stream --into`, `pleach open`, and a directory in the place of a graph.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{failure, json, pleach, stdout};
use serde_json::{Value, json};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Edges of a stream, `src dst`, some of which come again.
fn updates(n: u64) -> String {
    (0..n).map(|k| format!("{} {}\n", k * k % 101 + 1000, (k * 7) % 97)).collect()
}

#[test]
fn a_stream_is_kept_and_goes_on_with_the_same_versions() {
    let folder = tempfile::tempdir().unwrap();
    let (graph, first, second) = (folder.path().join("graph"), folder.path().join("a"), folder.path().join("b"));
    let all = updates(300);
    let at = all.match_indices('\n').nth(179).unwrap().0 + 1;
    fs::write(&first, &all[..at]).unwrap();
    fs::write(&second, &all[at..]).unwrap();
    let (graph, first, second) = (text(&graph), text(&first), text(&second));
    for (k, (file, sync)) in [(first, "each"), (second, "5ms")].into_iter().enumerate() {
        let printed = lines(&stdout(&[
            "stream",
            "empty",
            "--updates",
            file,
            "--batch",
            "20",
            "--into",
            graph,
            "--sync",
            sync,
            "--json",
        ]));
        let batches = printed.len() - 1;
        assert_eq!(batches, [9, 6][k]);
        for (at, line) in printed[..batches].iter().enumerate() {
            assert_eq!((&line["type"], &line["version"]), (&json!("batch"), &json!(k * 9 + at + 1)));
        }
        assert_eq!((&printed[batches]["type"], &printed[batches]["version"]), (&json!("end"), &json!([9, 15][k])));
    }
    // The same as in memory, in one go.
    let whole = folder.path().join("all");
    fs::write(&whole, &all).unwrap();
    let ranks = |graph: &[&str], out: &str| {
        let out = folder.path().join(out);
        stdout(&[&["run", "pagerank"], graph, &["--out", text(&out)]].concat());
        fs::read_to_string(out).unwrap()
    };
    assert_eq!(ranks(&[graph], "kept"), ranks(&[text(&whole), "--format", "edges"], "plain"));
    let facts = json(&["open", graph, "--json"]);
    let end = lines(&stdout(&["stream", "empty", "--updates", text(&whole), "--json"])).pop().unwrap();
    for (key, value) in
        [("version", json!(15)), ("check", json!("ok")), ("ids", json!("numbers")), ("cut", Value::Null)]
    {
        assert_eq!(facts[key], value, "{key}");
    }
    assert_eq!((&facts["edges"], &facts["vertices"]), (&end["edges"], &end["vertices"]));
    let printed = stdout(&["open", graph]);
    assert!(
        printed.contains(": version 15, ") && printed.contains("15 batches of the log; all checks passed"),
        "{printed}"
    );
    // Earlier versions, as far as they are kept.
    let early = json(&["open", graph, "--at", "9", "--json"]);
    assert_eq!((&early["version"], &early["replayed"]), (&json!(9), &json!(9)));
    assert!(failure(&["open", graph, "--at", "16"], 1).contains("version 16 is not kept"));
}

#[test]
fn a_graph_from_a_file_is_kept_with_its_weights_and_directions() {
    let folder = tempfile::tempdir().unwrap();
    let (base, delta, graph) =
        (folder.path().join("base.wel"), folder.path().join("delta"), folder.path().join("graph"));
    fs::write(&base, "10 20 0.5\n20 30 1.5\n").unwrap();
    fs::write(&delta, "a 30 40 2.5\nd 10 20\nu 20 30 4\n").unwrap();
    let arguments = [
        "stream",
        text(&base),
        "--undirected",
        "--updates",
        text(&delta),
        "--columns",
        "op,src,dst,weight",
        "--into",
        text(&graph),
    ];
    stdout(&arguments);
    let facts = json(&["open", text(&graph), "--json"]);
    let expected = json!({ "version": 1, "edges": 2, "arcs": 4, "vertices": 4, "directed": false, "weighted": true });
    expected.as_object().unwrap().iter().for_each(|(key, value)| assert_eq!(&facts[key], value, "{key}"));
    let out = folder.path().join("out");
    stdout(&["run", "sssp", text(&graph), "--source", "20", "--out", text(&out)]);
    assert_eq!(fs::read_to_string(&out).unwrap(), "10 infinity\n20 0\n30 4\n40 6.5\n");
    // A graph that is kept stays of its kind.
    let again = failure(&arguments, 2);
    assert!(again.contains("holds a graph already, which the stream updates: write `empty`"), "{again}");
    let windowed = ["stream", "empty", "--updates", text(&delta), "--into", text(&graph), "--window", "5"];
    assert!(failure(&windowed, 2).contains("--window begins with an empty graph"));
    let sum = ["stream", "empty", "--updates", text(&delta), "--into", text(&graph), "--conflict", "sum"];
    assert!(failure(&sum, 1).contains("has conflict last, and not sum"));
    assert!(failure(&["run", "cc", text(&graph), "--directed"], 2).contains("are for files"));
    let turned = ["stream", "empty", "--updates", text(&delta), "--into", text(&graph), "--directed"];
    assert!(failure(&turned, 2).contains("is undirected"));
    assert!(failure(&["open", text(&base)], 1).contains("holds no graph"));
    let other = ["stream", "empty", "--updates", text(&delta), "--into", text(folder.path())];
    assert!(failure(&other, 1).contains("but other files"));
    let usage = failure(&["stream", "empty", "--updates", text(&delta), "--into", text(&graph), "--sync", "soon"], 2);
    assert!(usage.contains("expected `each`, `never`, or a time such as `100ms`"), "{usage}");
}

/// A process that is killed in the middle of a stream: what it printed is there.
#[test]
fn what_was_told_before_a_kill_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let graph = folder.path().join("graph");
    let mut printed = 0;
    for round in 0..3 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pleach"))
            .args(["stream", "empty", "--updates", "-", "--batch", "3", "--json", "--into", text(&graph)])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || {
            // Until nobody reads any more.
            (0u64..).try_for_each(|k| writeln!(input, "{} {}", k % 1000 + round, k % 77)).is_err()
        });
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        for line in output.by_ref().take(50) {
            let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
            assert_eq!(line["version"], json!(printed + 1));
            printed = line["version"].as_u64().unwrap();
        }
        // While it has the directory, nobody else does.
        assert!(failure(&["open", text(&graph)], 1).contains("is in use"));
        child.kill().unwrap();
        child.wait().unwrap();
        // What it printed until then.
        if let Some(last) =
            output.map_while(Result::ok).filter_map(|line| serde_json::from_str::<Value>(&line).ok()).last()
        {
            printed = last["version"].as_u64().unwrap();
        }
        assert!(writer.join().unwrap());
        let facts = json(&["open", text(&graph), "--json"]);
        let version = facts["version"].as_u64().unwrap();
        assert!(version >= printed, "{version} of {printed}");
        printed = version;
    }
}

#[test]
fn a_torn_end_is_told_and_damage_is_repaired_only_if_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (graph, file) = (folder.path().join("graph"), folder.path().join("updates"));
    fs::write(&file, updates(100)).unwrap();
    stdout(&["stream", "empty", "--updates", text(&file), "--batch", "10", "--into", text(&graph)]);
    let log = graph.join(format!("log-{:020}", 0));
    let whole = fs::read(&log).unwrap();
    fs::write(&log, &whole[..whole.len() - 60]).unwrap();
    // What only reads leaves it as it is.
    let run = pleach(&["run", "cc", text(&graph)]);
    assert!(run.status.success() && String::from_utf8(run.stderr).unwrap().contains("and passed over"));
    let facts = json(&["open", text(&graph), "--json"]);
    assert_eq!((&facts["version"], &facts["cut"]["repaired"]), (&json!(9), &json!(false)));
    assert_eq!(facts["cut"]["offset"].as_u64(), Some(fs::metadata(&log).unwrap().len()));
    assert_eq!(json(&["open", text(&graph), "--json"])["cut"], Value::Null);
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 1;
    fs::write(&log, &damaged).unwrap();
    let message = failure(&["open", text(&graph)], 1);
    assert!(message.contains(text(&log)) && message.contains("is damaged at byte"), "{message}");
    assert!(message.contains("`pleach open --repair` cuts the log off there"), "{message}");
    assert!(failure(&["run", "cc", text(&graph)], 1).contains("is damaged at byte"));
    let printed = stdout(&["open", text(&graph), "--repair"]);
    assert!(printed.contains("were damaged, and cut off"), "{printed}");
    let version = json(&["open", text(&graph), "--json"])["version"].as_u64().unwrap();
    assert!((3..9).contains(&version), "{version}");
}

#[test]
fn changes_are_told_after_each_batch() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("updates");
    fs::write(&file, "+ 7 8\n+ 8 9\n- 8 7\n+ 7 9\n+ 7 9\n+ 8 9\n").unwrap();
    let arguments = ["stream", "empty", "--undirected", "--updates", text(&file), "--batch", "2", "--changes"];
    let printed = stdout(&arguments);
    assert!(printed.starts_with("+ 7 8\n+ 8 9\n- 7 8\n+ 7 9\n6 lines in 3 batches"), "{printed}");
    let printed = lines(&stdout(&[&arguments[..], &["--json"]].concat()));
    let kinds: Vec<&Value> = printed.iter().map(|line| &line["type"]).collect();
    assert_eq!(kinds, ["batch", "changes", "batch", "changes", "batch", "changes", "end"]);
    assert_eq!(
        printed[3],
        json!({
            "type": "changes", "version": 2, "since": 1, "added": [[7, 9]], "removed": [[7, 8]], "reweighted": [],
            "vertices_added": [], "vertices_removed": [],
        })
    );
    assert_eq!((&printed[1]["vertices_added"], &printed[5]["added"]), (&json!([7, 8, 9]), &json!([])));
    let weights = folder.path().join("weights");
    fs::write(&weights, "1 2 0.5\n2 3 1\n1 2 4\n").unwrap();
    let columns = ["stream", "empty", "--updates", text(&weights), "--columns", "src,dst,weight", "--weighted"];
    let printed = stdout(&[&columns[..], &["--batch", "2", "--changes"]].concat());
    assert!(printed.starts_with("+ 1 2 0.5\n+ 2 3 1\n~ 1 2 4\n"), "{printed}");
}

/// Sampled sources are vertices of the graph: a removed vertex is never sampled.
#[test]
fn sources_are_drawn_from_what_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let (graph, file, nothing) = (folder.path().join("graph"), folder.path().join("updates"), folder.path().join("no"));
    fs::write(&file, "70 60\n60 50\n50 40\n40 30\n30 20\n20 10\n10 40\n").unwrap();
    fs::write(&nothing, "").unwrap();
    stdout(&["stream", "empty", "--undirected", "--updates", text(&file), "--into", text(&graph)]);
    let held = pleach_log::describe(&graph).unwrap();
    let kept = pleach_log::open::<()>(&graph, held.options()).unwrap();
    // The vertices of 70 and 50, which came first and third.
    kept.remove_ids([0]).unwrap();
    kept.remove_vertices([2]).unwrap();
    kept.close().unwrap();
    for (samples, sources) in [("3", 3), ("7", 5)] {
        let app = format!("bc --samples {samples} --verify");
        let stream = ["stream", "empty", "--updates", text(&nothing), "--into", text(&graph), "--app", &app, "--json"];
        let found = json(&stream)["app"]["result"].take();
        let run = json(&["run", "bc", text(&graph), "--samples", samples, "--verify", "--json"])["result"].take();
        assert_eq!((&found, &found["sources"]), (&run, &json!(sources)), "--samples {samples}");
    }
    // A removed vertex has no value in the output, and cannot be named as a source.
    let (streamed, ran) = (folder.path().join("streamed"), folder.path().join("ran"));
    for app in ["cc", "cdlp", "bc --samples 3", "pagerank --top 9", "coloring", "bfs --source 10"] {
        let stream = ["stream", "empty", "--updates", text(&nothing), "--into", text(&graph), "--app", app];
        let (name, options) = app.split_once(' ').unwrap_or((app, ""));
        let run: Vec<&str> = ["run", name, text(&graph)].into_iter().chain(options.split_whitespace()).collect();
        stdout(&[&stream[..], &["--out", text(&streamed)]].concat());
        stdout(&[&run[..], &["--out", text(&ran)]].concat());
        let ids = |path: &Path| -> Vec<String> {
            let text = fs::read_to_string(path).unwrap();
            text.lines().map(|line| line.split_once(' ').unwrap().0.to_owned()).collect()
        };
        assert_eq!(ids(&streamed), ["10", "20", "30", "40", "60"], "{app}");
        assert_eq!(ids(&streamed), ids(&ran), "{app}");
    }
    let gone = ["stream", "empty", "--updates", text(&nothing), "--into", text(&graph), "--app", "bfs --source 50"];
    let output = pleach(&gone);
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && message.contains("has no vertex 50"), "{message}");
}

/// An algorithm that reads weights refuses a graph without weights.
#[test]
fn weights_that_are_not_kept_are_missed_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (graph, file) = (folder.path().join("graph"), folder.path().join("updates"));
    fs::write(&file, "1 2\n").unwrap();
    stdout(&["stream", "empty", "--updates", text(&file), "--into", text(&graph)]);
    let stream = ["stream", "empty", "--updates", text(&file), "--into", text(&graph)];
    for (more, expected) in [
        (&["--app", "sssp --source 1"][..], "sssp reads weights, and the edges of the graph in"),
        (&["--weighted"], "--weighted stores weights, and the edges of the graph in"),
    ] {
        let message = failure(&[&stream[..], more].concat(), 2);
        assert!(message.contains(expected), "{message}");
    }
}

/// A folder that cannot be written to, and a path that is a file.
#[test]
fn a_directory_that_cannot_be_written_to_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (file, inside) = (folder.path().join("updates"), folder.path().join("updates/graph"));
    fs::write(&file, "1 2\n").unwrap();
    for into in [&file, &inside] {
        // Before the graph is generated: it would take minutes, or be refused for its size.
        let message = failure(&["stream", "rmat:26", "--updates", text(&file), "--into", text(into)], 1);
        assert!(message.contains(&format!("cannot write to {}", into.display())), "{message}");
    }
    if Path::new("/dev/full").exists() && Path::new("/proc/self").exists() {
        let message = failure(&["stream", "empty", "--updates", text(&file), "--into", "/proc/self/graph"], 1);
        assert!(message.contains("cannot write to /proc/self/graph"), "{message}");
    }
    // What was made to see whether it can be made is gone where the stream ends before it begins.
    let new = folder.path().join("new/graph");
    failure(&["stream", "no-such-graph", "--updates", text(&file), "--into", text(&new)], 1);
    assert!(!folder.path().join("new").exists());
}

/// Options that contradict the updates are refused before a directory is created.
#[test]
fn options_that_are_refused_leave_no_directory() {
    let folder = tempfile::tempdir().unwrap();
    let (graph, plain, timed) = (folder.path().join("graph"), folder.path().join("plain"), folder.path().join("timed"));
    fs::write(&plain, "1 2\n").unwrap();
    fs::write(&timed, "1 2 1 7\n").unwrap();
    for (file, more, expected) in [
        (&plain, &["--sort-time"][..], "--sort-time: the updates have no times"),
        (&plain, &["--late", "5"], "--late: the updates have no times"),
        (&timed, &["--span", "0.5", "--time-digits", "0"], "cannot be counted"),
        (&timed, &["--window", "0.5", "--time-digits", "0"], "cannot be counted"),
    ] {
        let stream = ["stream", "empty", "--updates", text(file), "--into", text(&graph)];
        let message = failure(&[&stream[..], more].concat(), 2);
        assert!(message.contains(expected), "{message}");
        assert!(!graph.exists(), "{more:?} made a directory");
    }
}
