//! `pleach stream`: graphs that are updated end up as if they had been loaded at once, and mistakes are reported by line.

use std::fs;
use std::path::Path;

use crate::common::{FULL, data, pleach, stdout, values};

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
fn batches_and_the_end_are_reported() {
    let folder = folder();
    let updates = file(folder.path(), "u", "+ 10 20\n+ 20 30\n- 10 20\n- 7 8\n+ 30 10\n");
    let text =
        stdout(&["stream", "empty", "--updates", &updates, "--batch", "2", "--json", "--app", "cc", "--every", "2"]);
    let printed: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let batches: Vec<_> = printed.iter().filter(|object| object.get("new").is_some()).collect();
    let counts = |name: &str| batches.iter().map(|batch| batch[name].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!((counts("new"), counts("removed"), counts("absent")), (vec![2, 0, 1], vec![0, 1, 0], vec![0, 1, 0]));
    let runs: Vec<_> = printed.iter().filter(|object| object["app"] == "cc").collect();
    assert_eq!(
        runs.iter().map(|run| (&run["version"], &run["result"]["components"])).collect::<Vec<_>>(),
        [(&2.into(), &2.into())]
    );
    let end = printed.last().unwrap();
    assert_eq!((&end["vertices"], &end["edges"], &end["lines"]), (&3.into(), &2.into(), &5.into()));
    assert_eq!(end["app"]["result"]["components"], 1);
}

/// Versions that are kept in memory are published, one for each batch, and change nothing about the graph at the end.
#[test]
fn versions_are_held() {
    let folder = folder();
    let lines: String = (0..40).map(|k| format!("{} {} {}\n", ["+", "+", "-"][k % 3], k % 7, k * k % 11)).collect();
    let updates = file(folder.path(), "u", &lines);
    let ended = |hold: &str| {
        let save = folder.path().join("saved.csv");
        let save = save.to_str().unwrap();
        let text = stdout(&[
            "stream",
            "empty",
            "--updates",
            &updates,
            "--batch",
            "4",
            "--json",
            "--hold",
            hold,
            "--save",
            save,
        ]);
        let all = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let published = all.filter(|object| object["published"] == true).count();
        (published, fs::read_to_string(save).unwrap())
    };
    let (none, expected) = ended("0");
    assert_eq!(none, 0, "no reader asks for a version");
    for hold in ["1", "3", "100"] {
        assert_eq!(ended(hold), (10, expected.clone()), "--hold {hold}");
    }
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
            let printed: Vec<serde_json::Value> =
                text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let runs: Vec<_> = printed.iter().filter(|object| object["app"].is_string()).collect();
            assert_eq!(runs.iter().map(|run| run["version"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2, 3], "{app}");
            let end = &printed.last().unwrap()["app"];
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
                let printed = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
                printed.filter(|object| object["app"].is_string()).collect::<Vec<_>>()
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
fn mistakes_name_the_line_and_status() {
    let folder = folder();
    let bad = file(folder.path(), "bad", "1 2\n3 x\n4 5\n");
    let huge = file(folder.path(), "huge", "1 2\n1 18446744073709551616\n");
    let weights = file(folder.path(), "weights", "+ 1 2 0.5\n");
    let back = file(folder.path(), "back", "1 2 1 9\n1 3 1 8\n");
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
        (vec!["--updates", &weights, "--app", "tc --json"], 2, "--app takes only the options of the algorithm itself"),
        (vec!["--updates", &weights, "--app", "tc", "--out", "o"], 2, "tc finds no value for each vertex"),
        (
            vec!["--updates", &weights, "--weighted", "--app", "bfs --source 77"],
            1,
            "version 1 of the graph has no vertex 77",
        ),
        (vec!["--updates", &back, "--store", "csr"], 1, "`csr` is static"),
        (vec!["--updates", &back, "--store", "bst,heap"], 2, "no row store is called `heap`"),
        (vec!["--updates", &back, "--app", "cc", "--out", &out], 1, "cannot write"),
        (vec!["--updates", &back, "--batch", "0"], 2, "--batch"),
        (
            vec!["--updates", &back, "--app", "cc", "--out", "both.tsv", "--save", "both.tsv"],
            2,
            "--out and --save cannot both write to both.tsv",
        ),
        (
            vec!["--updates", &back, "--app", "cc", "--out", "-", "--save", "/dev/stdout"],
            2,
            "--out and --save cannot both write to /dev/stdout",
        ),
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

/// After a failure a stream ends at once, and does not wait for the next line.
#[test]
fn a_failure_does_not_wait_for_the_next_line() {
    use std::io::Write;
    use std::process::Stdio;

    for threads in ["1", "2", "4"] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_pleach"))
            .args(["stream", "empty", "--updates", "-", "--batch", "1", "--threads", threads])
            .args(["--app", "topological", "--every", "1"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // It stays open.
        let mut input = child.stdin.take().unwrap();
        input.write_all(b"1 2\n2 1\n").unwrap();
        let begin = std::time::Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if begin.elapsed().as_secs() > 120 {
                child.kill().unwrap();
                panic!("on {threads} threads a failure waits for another line");
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        };
        assert_eq!(status.code(), Some(1), "{threads} threads");
    }
}

/// `pleach` with arguments must fail, with earlier batches printed or not; its message.
fn failure_of(arguments: &[&str], status: i32) -> String {
    let output = pleach(arguments);
    let message = crate::common::without_notes(&output.stderr);
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
        all.extend(["--columns", "src,dst,time"]);
        all.extend_from_slice(arguments);
        stdout(&all);
        lines(&path)
    };
    let whole = saved(&["--batch", "1000000"]);
    assert_eq!(whole.len(), 20296);
    assert!(whole == saved(&["--batch", "100", "--publish", "batch"]));
    assert!(whole == saved(&["--span", "86400", "--store", "bst,bst"]));
    let week = saved(&["--span", "3600", "--window", "604800"]);
    let few = if FULL { "1" } else { "10" };
    assert!(week == saved(&["--batch", few, "--window", "604800", "--store", "terrace"]) && week.len() < 1000);
}

/// Runs `pleach` with an environment of so many rayon threads; fails the test if it has not ended after a long while.
fn watched(threads: &str, arguments: &[&str]) -> String {
    let folder = folder();
    let (out, path) = (folder.path().join("out"), |name: &str| folder.path().join(name));
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_pleach"))
        .args(arguments)
        .env("RAYON_NUM_THREADS", threads)
        .stdout(fs::File::create(&out).unwrap())
        .stderr(fs::File::create(path("errors")).unwrap())
        .spawn()
        .unwrap();
    let begin = std::time::Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{}", fs::read_to_string(path("errors")).unwrap());
            return fs::read_to_string(&out).unwrap();
        }
        if begin.elapsed().as_secs() > 120 {
            child.kill().unwrap();
            panic!("{arguments:?} on {threads} threads is stuck");
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// On one core as on several a stream with an algorithm ends, and finds the same.
#[test]
fn a_stream_ends_on_any_number_of_threads() {
    let folder = folder();
    let (small, large) = if FULL { ("1000", "6000") } else { ("400", "2400") };
    let count: u64 = 5 * large.parse::<u64>().unwrap();
    let lines: String = (0..count).map(|k| format!("{} {}\n", k * k % 4001, k * 7 % 3999)).collect();
    let updates = file(folder.path(), "u", &lines);
    let figures = |text: &str| {
        let printed = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let mut printed: Vec<_> =
            printed.filter(|object| object["app"].is_string()).map(|printed| printed["result"].clone()).collect();
        printed.iter_mut().for_each(|printed| *printed = printed["components"].clone());
        printed
    };
    let mut found = Vec::new();
    for threads in ["1", "2", "4"] {
        for batch in [small, large] {
            let arguments = ["stream", "empty", "--updates", &updates, "--undirected", "--batch", batch, "--json"];
            for more in [&[][..], &["--threads", "1"], &["--threads", "4", "--publish", "batch"], &["--follow"]] {
                let every = if batch == small { "6" } else { "1" };
                let mut all = arguments.to_vec();
                all.extend(["--app", "cc", "--every", every]);
                all.extend(more);
                let text = watched(threads, &all);
                found.push(figures(&text));
                let end: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
                let expected = more.get(1).filter(|_| more[0] == "--threads").unwrap_or(&threads);
                assert_eq!(end["threads"].to_string(), **expected);
            }
        }
    }
    assert_eq!(found[0].len(), 5);
    assert!(found.iter().all(|each| *each == found[0]), "{found:?}");
}

/// The command that hung on one core.
#[test]
fn messages_on_one_core() {
    let Some(data) = data("messages_on_one_core") else { return };
    let updates = data.join("temporal/CollegeMsg.txt.gz");
    let arguments = ["stream", "empty", "--updates", updates.to_str().unwrap(), "--undirected", "--batch", "1000"];
    for threads in ["1", "2", "4"] {
        let text = watched(threads, &[&arguments[..], &["--app", "cc", "--every", "10"]].concat());
        // What was computed after the last batch is repeated at the end.
        let last = "batch 60, version 60: cc in ";
        assert_eq!(text.lines().filter(|line| line.starts_with(last)).count(), 2, "{text}");
        assert_eq!(text.matches("components 4, largest 1893").count(), 2, "{text}");
    }
}

/// The names of a stream's threads, without numbers and sorted, while it waits for more lines; the threads that only load are gone.
#[cfg(target_os = "linux")]
fn names_of_threads(more: &[&str]) -> Vec<String> {
    use std::io::{BufRead, BufReader, Write};
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_pleach"))
        .args(["stream", "empty", "--updates", "-", "--batch", "20000", "--json", "--app", "cc"])
        .args(more)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut input = child.stdin.take().unwrap();
    let batch: String = (0..20_000u64).map(|k| format!("{} {}\n", k * k % 4001, k * 7 % 3999)).collect();
    input.write_all(batch.as_bytes()).unwrap();
    input.flush().unwrap();
    let waits_for = if more.contains(&"--every") { "\"app\"" } else { "\"new\"" };
    while !lines.next().unwrap().unwrap().contains(waits_for) {}
    let names = || {
        let tasks = fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
        // One that has just ended has no name.
        let names = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok());
        let mut names: Vec<String> =
            names.map(|name| name.trim().trim_end_matches(char::is_numeric).to_owned()).collect();
        names.sort_unstable();
        names
    };
    // A thread that has just been started has the name of the command yet.
    let settles = |names: &[String]| {
        let unnamed = names.iter().filter(|name| *name == "pleach").count();
        unnamed <= 1 && !names.iter().any(|name| name.starts_with("load"))
    };
    for _ in 0..2000 {
        if settles(&names()) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let names = names();
    drop(input);
    assert!(child.wait().unwrap().success());
    names
}

/// What each line of a stream's JSON says of one field: of the batches, and then of the end.
fn printed(text: &str, field: &str) -> Vec<serde_json::Value> {
    let printed = text.lines().filter(|line| !line.trim().is_empty());
    let printed = printed.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    printed
        .filter(|printed| printed.get("app").is_none_or(serde_json::Value::is_object))
        .map(|printed| printed[field].clone())
        .collect()
}

/// `--publish asked`, the default, publishes a version where the algorithm reads one, and at no other batch.
#[test]
fn versions_are_published_when_the_algorithm_asks() {
    let folder = folder();
    let lines: String = (0..36).map(|k| format!("{} {}\n", k % 7, 7 + k * k % 5)).collect();
    let updates = file(folder.path(), "u", &lines);
    let stream = ["stream", "empty", "--updates", &updates, "--batch", "3", "--json"];
    for threads in ["1", "2", "4"] {
        let published = |more: &[&str]| {
            let found = printed(&stdout(&[&stream[..], &["--threads", threads], more].concat()), "published");
            let (end, batches) = found.split_last().unwrap();
            let batches: Vec<bool> = batches.iter().map(|each| each.as_bool().unwrap()).collect();
            assert_eq!(end.as_u64().unwrap(), batches.iter().filter(|each| **each).count() as u64);
            batches
        };
        let nobody = [false; 12];
        assert_eq!(published(&[]), nobody);
        assert_eq!(published(&["--publish", "asked", "--app", "cc"]), nobody, "it reads what is there at the end only");
        let asked = published(&["--publish", "asked", "--app", "cc", "--every", "4"]);
        for (round, batches) in asked.chunks(4).enumerate() {
            let (computed, others) = batches.split_last().unwrap();
            assert!(computed, "{threads} threads: {asked:?}");
            // An algorithm on another thread may leave a version that is old by then, which the next boundary replaces. That is once
            // for each version, and not before the first.
            let replaced = others.iter().filter(|published| **published).count();
            assert!(replaced <= usize::from(threads != "1" && round > 0), "{threads} threads: {asked:?}");
        }
        assert_eq!(published(&["--publish", "batch", "--app", "cc", "--every", "4"]), [true; 12]);
    }
}

/// The next batches are read and prepared while one is applied: here it is not known what was applied, because that is not read yet.
#[test]
#[cfg(target_os = "linux")]
fn batches_are_prepared_while_one_is_applied() {
    use std::io::{ErrorKind, Read, Write};
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    const O_NONBLOCK: i32 = 0o4000;
    // More bytes than a pipe and the reader's buffer hold.
    const LINES: usize = 60_000;
    let batch: String = (0..LINES).map(|k| format!("{} {}\n", 1000 + k * 7 % 3001, 5000 + k * k % 2999)).collect();
    assert!(batch.len() > (1 << 18) + (1 << 17));
    for more in [&["--threads", "2"][..], &["--threads", "4"], &["--threads", "2", "--app", "cc", "--every", "50"]] {
        // A pipe that is full.
        let (mut output, full) = std::io::pipe().unwrap();
        let end = format!("/proc/self/fd/{}", full.as_raw_fd());
        let mut again = fs::OpenOptions::new().write(true).custom_flags(O_NONBLOCK).open(end).unwrap();
        loop {
            match again.write(b"\n") {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => panic!("{error}"),
            }
        }
        drop(again);
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_pleach"))
            .args(["stream", "empty", "--updates", "-", "--batch", &LINES.to_string(), "--json"])
            .args(more)
            .stdin(std::process::Stdio::piped())
            .stdout(full)
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let (send, receive) = channel();
        let text = batch.clone();
        let feeding = std::thread::spawn(move || {
            for _ in 0..5 {
                input.write_all(text.as_bytes()).unwrap();
                let _ = send.send(());
            }
        });
        // The first batch is applied, the second and the third are prepared, and some of the fourth is read.
        for number in 1..5 {
            if receive.recv_timeout(Duration::from_secs(120)).is_err() {
                child.kill().unwrap();
                panic!("{more:?}: batch {number} is not read while another one is applied");
            }
        }
        let mut text = String::new();
        output.read_to_string(&mut text).unwrap();
        feeding.join().unwrap();
        assert!(child.wait().unwrap().success());
        let prepared = printed(&text, "prepared");
        assert_eq!(prepared.len(), 6, "{text}");
        assert!(prepared[1].as_u64().unwrap() >= 1, "{more:?}: {prepared:?}");
    }
}

/// `--threads N` is what runs at a time: those that read, apply and compute wait while workers do it for them.
#[test]
#[cfg(target_os = "linux")]
fn as_many_threads_run_as_were_asked_for() {
    let every = ["--every", "1"];
    for (threads, every, prepare, apply, compute) in [
        ("1", &every[..], 1, 0, 0),
        ("2", &every[..], 1, 0, 1),
        ("3", &every[..], 1, 1, 1),
        ("4", &every[..], 1, 1, 2),
        ("8", &every[..], 2, 2, 4),
        ("1", &[][..], 1, 0, 0),
        ("2", &[][..], 1, 1, 0),
        ("4", &[][..], 2, 2, 0),
    ] {
        let names = names_of_threads(&[&["--threads", threads], every].concat());
        let count = |prefix: &str| names.iter().filter(|name| name.starts_with(prefix)).count();
        // One thread that applies needs no pool for it.
        let pool = if apply > 1 { apply } else { 0 };
        assert_eq!(
            (count("prepare-"), count("pleach-apply"), count("compute-")),
            (prepare, pool, compute),
            "{names:?}"
        );
        // Where nothing is done at the same time there is no thread for it.
        let reading = usize::from(threads != "1");
        assert_eq!((count("reading"), count("computing")), (reading, compute.min(1)), "{threads}: {names:?}");
        assert_eq!((prepare + apply + compute).to_string(), threads);
        let known = ["prepare-", "compute-", "pleach-", "reading", "computing", "jemalloc", "ctrl-c", "lines"];
        let others: Vec<_> = names.iter().filter(|name| !known.iter().any(|known| name.starts_with(known))).collect();
        assert_eq!(others, ["pleach"], "the thread that applies batches, and no pool without a name");
        assert!(count("jemalloc_bg") >= 1, "what is freed goes back to the system by itself: {names:?}");
    }
}

/// What an algorithm finds at the end of a stream is, to the byte, what it finds of the same graph in a file: although the stream has other
/// numbers for vertices, and directions that the algorithm does not read.
#[test]
fn snapshots_are_seen_as_files_are() {
    let folder = folder();
    let edges: Vec<(u64, u64)> = (0..400u64).map(|k| (1000 - k * k * 7 % 61, 1000 - k * 13 % 97)).collect();
    // Each edge once, with a weight that differs by direction.
    let mut lines: Vec<String> = edges.iter().map(|&(u, v)| format!("{u} {v} {}\n", (u * 3 + v * 5) % 17)).collect();
    let mut seen = std::collections::BTreeSet::new();
    lines.retain(|line| seen.insert(line.clone()));
    let (updates, graph) = (file(folder.path(), "u", &lines.concat()), file(folder.path(), "g.wel", &lines.concat()));
    let (streamed, ran) = (folder.path().join("streamed"), folder.path().join("ran"));
    for app in [
        "bc --sources 1000",
        "bfs --source 1000 --parents",
        "cc",
        "cdlp --iterations 4",
        "coloring",
        "kcore",
        "khop --sources 1000 --hops 2",
        "ktruss",
        "lcc",
        "mis",
        "msf",
        "nibble --source 1000",
        "scc",
        "sssp --source 1000",
    ] {
        let (streamed, ran) = (streamed.to_str().unwrap(), ran.to_str().unwrap());
        let mut run = vec!["run"];
        run.extend(app.split(' ').take(1));
        run.push(&graph);
        run.extend(app.split(' ').skip(1));
        stdout(&[&run[..], &["--out", ran]].concat());
        for store in ["paged,packed", "bst,ctree"] {
            let stream = ["stream", "empty", "--updates", &updates, "--columns", "src,dst,weight", "--weighted"];
            stdout(&[&stream[..], &["--app", app, "--store", store, "--out", streamed]].concat());
            assert!(fs::read(ran).unwrap() == fs::read(streamed).unwrap(), "{app} in {store}");
        }
    }
}

/// The weight of an edge is what is within the window.
#[test]
fn a_window_takes_off_what_leaves_it() {
    let folder = folder();
    let updates = file(folder.path(), "u", "1 2 5 0\n1 2 2 4\n2 3 1 5\n1 2 1 11\n4 5 1 13\n");
    let saved = folder.path().join("saved.wel");
    for batch in ["1", "2", "5"] {
        for (conflict, expected) in [("sum", "1 2 3"), ("max", "1 2 2"), ("first", "1 2 2"), ("last", "1 2 1")] {
            let arguments = ["stream", "empty", "--updates", &updates, "--columns", "src,dst,weight,time"];
            let more = ["--weighted", "--window", "10", "--conflict", conflict, "--batch", batch];
            stdout(&[&arguments[..], &more, &["--save", saved.to_str().unwrap()]].concat());
            assert_eq!(lines(&saved), [expected, "2 3 1", "4 5 1"]);
        }
    }
}

/// What is left, and what each algorithm says of it, in whichever order ids come and however the stream is cut.
#[test]
fn orders_and_cuts_do_not_matter() {
    let folder = folder();
    let out = folder.path().join("out");
    let edges: Vec<(u64, u64)> = (0..150u64).map(|k| (1000 - k * k * 7 % 61, 1000 - k * 13 % 97)).collect();
    let forward: String = edges.iter().map(|(u, v)| format!("+ {u} {v}\n")).collect();
    // The same edges from the last to the first, one of which comes and goes in between.
    let mut backward: String = edges.iter().rev().map(|(u, v)| format!("+ {u} {v}\n")).collect();
    backward += "+ 1000 1\n- 1000 1\n";
    let forward = format!("+ 1 1000\n- 1 1000\n{forward}");
    let sorted: String = {
        let mut vertices: Vec<u64> = edges.iter().flat_map(|&(u, v)| [u, v]).chain([1, 1000]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let there = vertices.iter().map(|v| format!("+ {v} {v}\n- {v} {v}\n")).collect::<String>();
        let mut edges = edges.clone();
        edges.sort_unstable();
        there + &edges.iter().map(|(u, v)| format!("+ {u} {v}\n")).collect::<String>()
    };
    let files = [("forward", &forward), ("backward", &backward), ("sorted", &sorted)];
    let files = files.map(|(name, text)| file(folder.path(), name, text));
    let apps = [
        "bc --sources 1000",
        "bfs --source 1000",
        "bfs --source 1000 --parents",
        "cc",
        "cdlp --iterations 4",
        "coloring",
        "degree",
        "diameter",
        "kcore",
        "khop --sources 1000 --hops 2",
        "ktruss",
        "lcc",
        "mis",
        "msf",
        "nibble --source 1000",
        "pagerank --iterations 5",
        "scc",
        "sssp --source 1000",
        "tc",
    ];
    for (of_app, app) in apps.into_iter().enumerate() {
        let ways = [&[][..], &["--undirected", "--weighted"], &["--store", "aspen", "--undirected"]];
        for (of_way, more) in ways.into_iter().enumerate() {
            // By day an algorithm sees two of these.
            if !FULL && of_way == of_app % ways.len() {
                continue;
            }
            let mut first = None;
            for (number, updates) in files.iter().enumerate() {
                // The others are cut in one way each, but by night.
                let way = number % 2;
                for batch in &["1", "10000"][if FULL || number == 0 { 0..2 } else { way..way + 1 }] {
                    let mut arguments = vec!["stream", "empty", "--updates", updates, "--batch", batch, "--json"];
                    arguments.extend(["--app", app]);
                    arguments.extend(more);
                    let values = !app.starts_with("tc") && !app.starts_with("diameter");
                    if values {
                        arguments.extend(["--out", out.to_str().unwrap()]);
                    }
                    let text = stdout(&arguments);
                    let end: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
                    let mut printed = end["app"]["result"].clone();
                    let mut written = if values { fs::read_to_string(&out).unwrap() } else { String::new() };
                    // Work that depends on where the search begins, and a sum that is rounded in the order in which it is added up.
                    let figures = printed.as_object_mut().unwrap();
                    figures.retain(|name, _| name != "relaxed" && name != "mean");
                    if app.starts_with("pagerank") {
                        // Sums that are rounded in the order in which they are added up.
                        printed = serde_json::Value::Null;
                        written = values_of(&out);
                    }
                    let found = (end["vertices"].clone(), end["edges"].clone(), printed, written);
                    let expected = first.get_or_insert_with(|| found.clone());
                    assert_eq!(*expected, found, "{app} {more:?} on {updates} in batches of {batch}");
                }
            }
        }
    }
}

/// The values of a file, rounded.
fn values_of(path: &Path) -> String {
    values::<f64>(path).into_iter().map(|(id, value)| format!("{id} {value:.10}\n")).collect()
}

/// Communities of an updated graph are the published ones, and so are components, although ids come in any order.
#[test]
fn communities_of_an_updated_graph_are_the_published_ones() {
    let Some(data) = data("communities_of_an_updated_graph_are_the_published_ones") else { return };
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
    let out = folder.path().join("out");
    let out_name = out.to_str().unwrap();
    for (app, published) in [("cdlp", "p2p-31-CDLP.gz"), ("cc --verify", "p2p-31-WCC.gz")] {
        let text =
            stdout(&["stream", &base, "--undirected", "--updates", &delta, "--app", app, "--out", out_name, "--json"]);
        let end: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        if app.starts_with("cdlp") {
            assert_eq!(end["app"]["result"]["communities"], 11_019);
        }
        let (found, expected) = (values::<u64>(&out), values::<u64>(&golden.join(published)));
        if app.starts_with("cdlp") {
            assert!(found == expected, "{app} finds what was published");
            continue;
        }
        // Published components have other names: the same vertices together, each named by its smallest vertex.
        let mut names = std::collections::BTreeMap::new();
        for (&id, &component) in &expected {
            names.entry(component).or_insert(id);
        }
        assert!(expected.iter().all(|(id, component)| found[id] == names[component]), "{app} finds what was published");
    }
}
