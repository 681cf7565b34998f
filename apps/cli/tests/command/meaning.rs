//! A command line that means what it says: counts describe the input, one file is one thing for every command, outputs go where they are sent.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use crate::common::{Folder, errors, failure, json, pleach, stdout};

/// Four arcs, one of them listed twice, and a loop that is listed twice.
const ARCS: &str = "1 2\n2 1\n1 2\n2 3\n3 3\n3 3\n";

#[test]
fn counts_describe_the_input_whatever_the_algorithm_makes_of_it() {
    let folder = Folder::new();
    let file = folder.file("g.txt", ARCS);
    for app in ["cc", "kcore", "ktruss", "mis", "coloring", "tc", "msf", "diameter", "pagerank"] {
        let graph = json(&["run", app, &file, "--json"])["graph"].clone();
        let counts = ["edges", "arcs", "self_loops", "duplicates"].map(|key| graph[key].as_u64());
        assert_eq!(counts, [Some(4), Some(4), Some(1), Some(2)], "{app}");
        assert_eq!(graph["directed"], true, "{app}");
        let graph = json(&["run", app, &file, "--undirected", "--json"])["graph"].clone();
        let counts = ["edges", "arcs", "self_loops", "duplicates"].map(|key| graph[key].as_u64());
        assert_eq!(counts, [Some(3), Some(5), Some(1), Some(3)], "{app}");
        let graph = json(&["run", app, &file, "--drop-self-loops", "--json"])["graph"].clone();
        let counts = ["edges", "arcs", "self_loops", "duplicates"].map(|key| graph[key].as_u64());
        assert_eq!(counts, [Some(3), Some(3), Some(1), Some(1)], "{app}");
    }
    let printed = json(&["run", "cc", &file, "--undirected", "--json"]);
    let memory = |key: &str| printed["memory"][key].as_f64().expect("a number");
    assert!((memory("bytes_per_edge") - memory("bytes") / 3.0).abs() < 1e-9);
    assert!((memory("bytes_per_arc") - memory("bytes") / 5.0).abs() < 1e-9);
}

#[test]
fn ranks_converge_only_if_they_do() {
    let converged = |more: &[&str]| {
        let printed = json(&[&["run", "pagerank", "karate", "--json"], more].concat());
        printed["result"]["converged"].as_bool().expect("a truth value")
    };
    assert!(converged(&[]) && converged(&["--iterations", "500"]));
    assert!(!converged(&["--iterations", "3"]));
}

#[test]
fn the_third_column_is_a_weight_for_every_command() {
    let folder = Folder::new();
    let file = folder.file("g.txt", "1 2 5\n2 3 7\n");
    let run = ["run", "sssp", &file, "--source", "1", "--out", &folder.path("run")];
    assert!(errors(&run).contains("read as: src dst weight\n"));
    let stream = ["stream", "empty", "--updates", &file, "--app", "sssp --source 1", "--out", &folder.path("stream")];
    assert!(errors(&stream).contains("read as: src dst weight\n"));
    assert_eq!(
        (folder.read("run"), folder.read("stream")),
        ("1 0\n2 5\n3 12\n".to_owned(), "1 0\n2 5\n3 12\n".to_owned())
    );
    assert!(errors(&["-q", "run", "sssp", &file, "--source", "1"]).is_empty());
    let columns = ["--columns", "src,dst,time"];
    let printed = stdout(&[&["stream", "empty", "--updates", &file, "--json"], &columns[..]].concat());
    let batch: serde_json::Value = serde_json::from_str(printed.lines().next().expect("a batch")).expect("JSON");
    assert_eq!((&batch["type"], &batch["time"]), (&"batch".into(), &7.into()));
    assert_eq!(
        json(&[&["run", "sssp", &file, "--source", "1", "--json"], &columns[..]].concat())["result"]["farthest"],
        2.0
    );
    assert_eq!(json(&[&["data", "info", &file, "--json"], &columns[..]].concat())["weighted"], false);
    // Without weights to keep, those that nothing names are left out, which is said.
    assert!(errors(&["stream", "empty", "--updates", &file]).contains("weights are left out (--weighted keeps them)"));
}

#[test]
fn one_rule_says_which_of_several_weights_counts() {
    let folder = Folder::new();
    let file = folder.file("g.txt", "1 2 5\n1 2 3\n1 2 4\n");
    for (rule, expected) in [("last", 4.0), ("first", 5.0), ("sum", 12.0), ("min", 3.0), ("max", 5.0)] {
        let run = json(&["run", "sssp", &file, "--source", "1", "--conflict", rule, "--json"]);
        assert_eq!(run["result"]["farthest"], expected, "{rule}");
        let printed =
            stdout(&["stream", "empty", "--updates", &file, "--app", "sssp --source 1", "--conflict", rule, "--json"]);
        let end: serde_json::Value = serde_json::from_str(printed.lines().last().expect("an end")).expect("JSON");
        assert_eq!(end["app"]["result"]["farthest"], expected, "{rule}");
        let merged = stdout(&["-q", "data", "write", &file, "--conflict", rule, "--merge", "-o", "-", "--to", "wel"]);
        assert_eq!(merged, format!("1 2 {expected}\n"), "{rule}");
    }
    // A shortest path takes the shortest of several, unless a rule is named.
    assert_eq!(json(&["run", "sssp", &file, "--source", "1", "--json"])["result"]["farthest"], 3.0);
}

#[test]
fn the_largest_are_told_of_every_algorithm() {
    let folder = Folder::new();
    let file = folder.file("g.txt", "1 2\n2 3\n7 8\n");
    let top = |arguments: &[&str]| json(&[&["run"], arguments, &["--json"]].concat())["result"]["top"].clone();
    assert_eq!(top(&["degree", &file, "--top", "1"]), serde_json::json!([[1, 1.0]]));
    assert_eq!(top(&["bfs", &file, "--source", "1", "--top", "9"]), serde_json::json!([[3, 2.0], [2, 1.0], [1, 0.0]]));
    assert_eq!(top(&["cc", &file, "--top", "5"]), serde_json::json!([[1, 3.0], [7, 2.0]]));
    assert!(stdout(&["run", "bfs", &file, "--source", "1", "--top", "1"]).ends_with("           3  2\n"));
    assert_eq!(top(&["tc", &file, "--top", "1"]), serde_json::json!([[1, 0.0]]));
    assert_eq!(top(&["diameter", &file, "--top", "1"])[0][1], 2);
}

#[test]
fn standard_input_and_output_are_named_by_a_dash() {
    let folder = Folder::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_pleach"))
        .args(["run", "bfs", "-", "--source", "1", "--out", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("pleach starts");
    child.stdin.take().expect("a pipe").write_all(b"1 2\n2 3\n").expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1 0\n2 1\n3 2\n");
    assert!(String::from_utf8_lossy(&output.stderr).contains("bfs of standard input"));
    let file = folder.file("karate", "1 2\n");
    let found = Command::new(env!("CARGO_BIN_EXE_pleach"))
        .args(["data", "info", "karate", "--format", "edges", "--json"])
        .current_dir(Path::new(&file).parent().expect("a folder"))
        .output()
        .expect("pleach starts");
    let info: serde_json::Value = serde_json::from_slice(&found.stdout).expect("JSON");
    assert_eq!(info["vertices"], 2, "a file beats a bundled name");
}

#[test]
#[cfg(unix)]
fn outputs_go_to_what_stands_there() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let out = |path: &str| pleach(&["run", "degree", "kite", "--out", path]);
    assert!(out("/dev/null").status.success());
    assert!(Path::new("/dev/null").metadata().is_ok_and(|found| !found.is_file()), "the device is still there");
    let link: PathBuf = folder.path("link").into();
    std::os::unix::fs::symlink("target", &link).expect("a link");
    assert!(out(&folder.path("link")).status.success());
    assert!(link.symlink_metadata().expect("a link").is_symlink());
    assert_eq!(folder.read("target").lines().count(), 10);
    fs::set_permissions(folder.path("target"), fs::Permissions::from_mode(0o640)).expect("set");
    assert!(out(&folder.path("link")).status.success());
    let mode = fs::metadata(folder.path("target")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o640, "permissions are kept");
    assert_eq!(folder.count(), 2, "nothing is left behind");
    assert!(Command::new("mkfifo").arg(folder.path("fifo")).status().is_ok_and(|status| status.success()));
    let fifo = folder.path("fifo");
    let reader = std::thread::spawn(move || fs::read_to_string(fifo).expect("text"));
    assert!(out(&folder.path("fifo")).status.success());
    assert_eq!(reader.join().expect("read").lines().count(), 10);
    let umask = format!("umask 027; {} run degree kite --out {}", env!("CARGO_BIN_EXE_pleach"), folder.path("new"));
    assert!(Command::new("sh").args(["-c", &umask]).output().is_ok_and(|output| output.status.success()));
    assert_eq!(fs::metadata(folder.path("new")).expect("a file").permissions().mode() & 0o777, 0o640);
}

#[test]
fn what_cannot_be_written_is_refused_before_the_work() {
    let folder = Folder::new();
    let (nowhere, missing) = (folder.path("none/out"), folder.path("missing.txt"));
    // The graph is not there either: what is said first is what was looked at first.
    assert!(failure(&["run", "cc", &missing, "--out", &nowhere], 1).contains("none/out"));
    assert!(
        failure(&["data", "write", &missing, "-o", &folder.path("a.docx")], 1).contains("cannot tell what to write")
    );
    assert!(failure(&["data", "write", &missing, "-o", &folder.path("a.mtx.xz")], 1).contains("not written as .xz"));
    let save = folder.path("none/saved.el");
    assert!(failure(&["stream", "empty", "--updates", &missing, "--save", &save], 1).contains("none/saved.el"));
    assert!(failure(&["run", "cc", "karate", "--threads", "60000"], 2).contains("expected at most"));
}

#[test]
fn what_a_format_loses_is_said() {
    let folder = Folder::new();
    let gaps = folder.file("g.txt", "# Undirected graph\n10 20\n20 40\n");
    let losses = |from: &str, to: &str| errors(&["data", "write", from, "-o", &folder.path(to)]);
    assert!(losses(&gaps, "a.mtx").contains("not kept: ids of vertices; they are numbered from 1"));
    assert!(losses(&gaps, "a.el").contains("not kept: that the graph is undirected"));
    assert!(!losses(&gaps, "a.plg").contains("not kept"));
    let names = folder.file("n.names", "ann bob\ncid\n");
    assert!(losses(&names, "a.npz").contains("not kept: names of vertices"));
    assert!(losses(&names, "a.tsv").contains("not kept: 1 vertices without edges"));
    // Matrices have coordinates only, and values that a header denies are none.
    let denied = folder.file("d.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2 5\n");
    for (file, lost) in [(&gaps, "not kept: ids"), (&names, "not kept: names"), (&denied, "not kept: values, of which")]
    {
        assert!(errors(&["convert", file, &folder.path("b.mtx"), "--to", "csr"]).contains(lost), "{lost}");
        let told = errors(&["eval", "y(i) = A(i,j) * x(j)", &format!("A={file}"), "x=1"]);
        assert!(told.contains(&format!("{file}: {lost}")), "{told}");
    }
    let whole = errors(&["convert", &folder.file("w.tsv", "0 1\n1 2\n"), &folder.path("b.mtx"), "--to", "csr"]);
    assert!(!whole.contains("not kept"), "{whole}");
}

#[test]
fn graphs_are_transformed_before_they_are_written() {
    let folder = Folder::new();
    let file = folder.file("g.wel", "1 2 5\n3 2 6\n3 3 1\n8 9 7\n");
    let written = |more: &[&str]| {
        let text = stdout(&[&["-q", "data", "write", &file, "-o", "-", "--to", "wel"], more].concat());
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines.join(", ")
    };
    assert_eq!(written(&[]), "1 2 5, 3 2 6, 3 3 1, 8 9 7");
    assert_eq!(written(&["--transpose"]), "2 1 5, 2 3 6, 3 3 1, 9 8 7");
    assert_eq!(written(&["--largest-component"]), "1 2 5, 3 2 6, 3 3 1");
    assert_eq!(written(&["--drop-self-loops"]), "1 2 5, 3 2 6, 8 9 7");
    assert_eq!(written(&["--relabel", "id"]), "0 1 5, 2 1 6, 2 2 1, 3 4 7");
    // Vertex 3 has degree 3, vertex 2 has 2, and 1, 8 and 9 have 1.
    assert_eq!(written(&["--relabel", "degree"]), "0 0 1, 0 1 6, 2 1 5, 3 4 7");
    assert_eq!((written(&["--sample", "0"]), written(&["--sample", "1"])), (String::new(), written(&[])));
    let keep = folder.file("keep", "3\n2\n");
    assert_eq!(written(&["--induced", &keep]), "3 2 6, 3 3 1");
    let symmetric = folder.path("s.npz");
    stdout(&["data", "write", &file, "--symmetrise", "-o", &symmetric]);
    let info = json(&["data", "info", &symmetric, "--json"]);
    assert_eq!((&info["arcs"], &info["self_loops"]), (&7.into(), &1.into()));
    let both_ways = folder.file("both", "1 2 5\n2 1 7\n2 3 1\n");
    let merged = |more: &[&str]| {
        let arguments = ["data", "write", &both_ways, "--columns", "src,dst,weight", "-o", "-", "--symmetrise"];
        let text = stdout(&[&arguments, more].concat());
        let mut lines: Vec<String> = text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
        lines.iter_mut().for_each(|line| *line = line.replace('\t', " "));
        lines.join(", ")
    };
    assert_eq!(merged(&["--merge"]), "1 2 7, 2 3 1");
    // The last one in the file counts, whatever its direction.
    let other = folder.file("other", "2 1 7\n1 2 5\n");
    let last = stdout(&["data", "write", &other, "--columns", "src,dst,weight", "-o", "-", "--symmetrise", "--merge"]);
    assert!(last.ends_with("1\t2\t5\n"), "{last}");
    assert_eq!(merged(&["--conflict", "sum"]), "1 2 12, 2 3 1");
    folder.file("bad", "3\n4\n");
    let message = failure(&["data", "write", &file, "-o", "-", "--induced", &folder.path("bad")], 1);
    assert!(message.contains("bad:2:") && message.contains("has no vertex 4"), "{message}");
}

/// The lines of JSON that a stream prints.
fn streamed(arguments: &[&str]) -> Vec<serde_json::Value> {
    let text = stdout(&[&["stream", "empty", "--json"], arguments].concat());
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn streams_out_of_order_are_put_in_order() {
    let folder = Folder::new();
    let file = folder.file("u", "1 2 1 10\n1 3 1 14.5\n1 4 1 12\n1 5 1 20\n1 6 1 11\n");
    let refused = failure_of(&["stream", "empty", "--updates", &file, "--span", "5", "--time-digits", "1"]);
    assert!(refused.contains("u:3: expected a time of"), "{refused}");
    let batches = |more: &[&str]| {
        let printed = streamed(&[&["--updates", &file, "--span", "5", "--time-digits", "1"], more].concat());
        printed
            .iter()
            .filter(|printed| printed["type"] == "batch")
            .map(|printed| (printed["lines"].clone(), printed["time"].clone()))
            .collect::<Vec<_>>()
    };
    let expected = [(4, 14.5), (1, 20.0)].map(|(lines, time)| (lines.into(), time.into()));
    assert_eq!(batches(&["--sort-time"]), expected);
    let timeless = folder.file("timeless", "1 2 10\n1 3 5\n");
    for order in [&["--sort-time"][..], &["--late", "5"]] {
        let message = failure(&[&["stream", "empty", "--updates", &timeless], order].concat(), 2);
        assert!(message.contains(order[0]) && message.contains("--columns src,dst,time"), "{message}");
    }
    assert_eq!(batches(&["--late", "9.5"]), expected);
    let late = failure_of(&["stream", "empty", "--updates", &file, "--span", "5", "--late", "2.5"]);
    assert!(late.contains("u:5: expected a time of 14.5 or later, as the lines before have, found 11"), "{late}");
    let whole = folder.file("w", "1 2 1 10\n1 3 1 11.5\n");
    assert!(failure_of(&["stream", "empty", "--updates", &whole]).contains("--time-digits 6"));
}

/// `pleach` with arguments must fail with status 1; its message.
fn failure_of(arguments: &[&str]) -> String {
    let output = pleach(arguments);
    assert_eq!(output.status.code(), Some(1));
    crate::common::without_notes(&output.stderr)
}

#[test]
fn a_source_may_come_later() {
    let folder = Folder::new();
    let file = folder.file("u", "+ 1 2\n+ 2 3\n+ 7 1\n");
    let printed =
        streamed(&["--updates", &file, "--batch", "1", "--app", "bfs --source 7", "--every", "1", "--threads", "1"]);
    let results: Vec<_> = printed.iter().filter(|printed| printed["type"] == "result").collect();
    assert_eq!(results.len(), 3);
    assert!(
        results[0]["result"].is_null() && results[0]["reason"].as_str().is_some_and(|why| why.contains("no vertex 7"))
    );
    assert_eq!(results[2]["result"]["reached"], 4);
}

#[test]
fn self_loops_of_a_stream_are_dropped_too() {
    let folder = Folder::new();
    let file = folder.file("u", "+ 1 1\n+ 1 2\n+ 2 2\n");
    let printed = streamed(&["--updates", &file, "--drop-self-loops"]);
    let end = printed.last().expect("an end");
    assert_eq!((&end["edges"], &end["dropped_self_loops"], &end["type"]), (&1.into(), &2.into(), &"end".into()));
    assert_eq!(streamed(&["--updates", &file]).last().expect("an end")["edges"], 3);
}

#[test]
fn a_stream_that_ends_early_leaves_its_last_whole_batch() {
    let folder = Folder::new();
    let bad = folder.file("bad", "1 2\n2 3\n3 4\nx y\n5 6\n");
    let (saved, out) = (folder.path("saved.el"), folder.path("out"));
    let arguments =
        ["stream", "empty", "--updates", &bad, "--batch", "2", "--save", &saved, "--app", "cc", "--out", &out];
    assert!(failure_of(&arguments).contains("bad:4:1"));
    assert_eq!((folder.read("saved.el"), folder.read("out")), ("1 2\n2 3\n".to_owned(), "1 1\n2 1\n3 1\n".to_owned()));
}

/// A stream of a trickle ends its batches by the clock, and by a signal what was applied is written.
#[test]
#[cfg(unix)]
fn a_trickle_is_seen_and_a_signal_ends_it() {
    for signal in ["INT", "TERM", "HUP"] {
        let folder = Folder::new();
        let saved = folder.path("saved.el");
        let arguments = "stream empty --updates - --batch 1000 --flush 0.05 --json --save";
        let (mut child, mut input, mut next) =
            piped(Command::new(env!("CARGO_BIN_EXE_pleach")).args(arguments.split(' ')).arg(&saved));
        for line in ["1 2\n", "2 3\n"] {
            input.write_all(line.as_bytes()).and_then(|()| input.flush()).expect("written");
            let printed = next();
            assert_eq!((&printed["type"], &printed["lines"]), (&"batch".into(), &1.into()));
        }
        // Two signals, as `timeout` sends them: to its command, and to the process group of the command.
        Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().unwrap();
        let killed = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
        assert!(killed.is_ok_and(|status| status.success()));
        let end = next();
        assert_eq!((&end["type"], &end["whole"], &end["edges"]), (&"end".into(), &false.into(), &2.into()));
        assert_eq!(child.wait().expect("it ends").code(), Some(130));
        assert_eq!(folder.read("saved.el"), "1 2\n2 3\n");
        drop(input);
    }
}

/// Starts a command between two pipes: what it reads from, and the next object that it prints.
fn piped(command: &mut Command) -> (Child, ChildStdin, impl FnMut() -> serde_json::Value + use<>) {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let next = move || serde_json::from_str(&lines.next().expect("a line").expect("text")).expect("JSON");
    let input = child.stdin.take().expect("a pipe");
    (child, input, next)
}

/// A line that is passed over begins no batch, and so its time ends none.
#[test]
fn a_line_that_is_passed_over_ends_no_stream() {
    let arguments = "stream empty --columns src,dst,time --updates - --window 100 --flush 0.05 --skip-bad --json";
    let (mut child, mut input, mut next) = piped(Command::new(env!("CARGO_BIN_EXE_pleach")).args(arguments.split(' ')));
    let mut write = |line: &[u8]| input.write_all(line).and_then(|()| input.flush()).expect("written");
    write(b"1 2 10\n");
    assert_eq!(next()["type"], "batch");
    write(b"3 4 5\n");
    std::thread::sleep(std::time::Duration::from_millis(300));
    write(b"5 6 20\n");
    assert_eq!(next()["type"], "batch");
    drop(input);
    let end = next();
    assert_eq!((&end["type"], &end["whole"], &end["edges"]), (&"end".into(), &true.into(), &2.into()));
    assert_eq!(end["skipped"], 1);
    assert!(child.wait().expect("it ends").success());
}

/// What `nohup` starts has the hangup of its terminal ignored, and goes on.
#[test]
#[cfg(unix)]
fn a_hangup_that_is_ignored_ends_no_stream() {
    let line = "trap '' HUP; exec \"$0\" stream empty --updates - --batch 1 --json";
    let (mut child, mut input, mut next) = piped(Command::new("sh").args(["-c", line, env!("CARGO_BIN_EXE_pleach")]));
    for edge in ["1 2\n", "2 3\n"] {
        input.write_all(edge.as_bytes()).and_then(|()| input.flush()).expect("written");
        assert_eq!(next()["type"], "batch");
        let sent = Command::new("kill").args(["-HUP", &child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
    }
    drop(input);
    let end = next();
    assert_eq!((&end["type"], &end["whole"], &end["edges"]), (&"end".into(), &true.into(), &2.into()));
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn tensors_go_to_our_binary_and_back() {
    let folder = Folder::new();
    let text = "# dimensions: 4 5 6\n1 1 1 2.5\n4 5 6 -1\n2 1 3 0.125\n";
    let file = folder.file("t.tns", text);
    let path = |name: &str| folder.path(name);
    let printed = errors(&["data", "write", &file, "-o", &path("t.plg")]);
    assert!(printed.contains("4 × 5 × 6, 3 nonzeros"), "{printed}");
    assert!(pleach(&["-q", "data", "write", &path("t.plg"), "-o", &path("back.tns.gz")]).status.success());
    let info = |name: &str| {
        let mut printed = json(&["data", "info", &path(name), "--json"]);
        printed.as_object_mut().expect("an object").retain(|key, _| !["name", "seconds"].contains(&key.as_str()));
        printed
    };
    assert_eq!(info("t.plg"), info("t.tns"));
    assert_eq!(info("back.tns.gz"), info("t.tns"));
    let lines = |text: &str| text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(&stdout(&["-q", "data", "write", &path("t.plg"), "-o", "-", "--to", "tns"])), lines(text));
    assert!(failure(&["data", "write", &file, "-o", &path("t.mtx")], 1).contains("order 3"));
    assert!(failure(&["data", "write", &file, "--transpose", "-o", &path("u.plg")], 2).contains("for graphs"));
}

/// A file whose header says that it has more entries than it has is refused for that, and not for the memory that they would take.
#[test]
fn a_header_that_lies_about_its_entries_is_refused_as_wrong() {
    let folder = Folder::new();
    let file = folder.file("lie.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 99999999999\n1 2 0.5\n");
    for command in
        [&["run", "cc", &file][..], &["data", "info", &file], &["data", "write", &file, "-o", &folder.path("o.plg")]]
    {
        let message = failure(command, 1);
        assert!(message.contains("expected 99999999999 entries as the header says, found only 1"), "{message}");
    }
}

#[test]
fn graphs_that_do_not_fit_memory_are_refused_before_they_are_generated() {
    let Ok(text) = fs::read_to_string("/proc/meminfo") else { return };
    let kib = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:")?.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    if kib.is_none_or(|kib| kib >> 20 > 120) {
        eprintln!("skipped, because there is too much memory, or the system does not say how much");
        return;
    }
    for command in [&["run", "cc", "rmat:28"][..], &["data", "info", "rmat:28"]] {
        let message = failure(command, 3);
        assert!(message.contains("rmat28 needs about 136 GiB of memory, there are "), "{message}");
        assert_eq!(message.trim_end().lines().count(), 1, "{message}");
    }
}
