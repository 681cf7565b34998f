//! `pleach serve`: a process that is asked over TCP, and ended by a signal.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::served::Served;
use crate::common::{failure, json, stdout};
use serde_json::Value;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_server_ends_when_it_is_asked_to_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (graph, edges) = (folder.path().join("graph"), folder.path().join("edges"));
    fs::write(&edges, "10 20\n20 30\n").unwrap();
    stdout(&["stream", "empty", "--updates", text(&edges), "--into", text(&graph)]);
    let before = json(&["open", text(&graph), "--json"]);

    let token = folder.path().join("token");
    fs::write(&token, "0123456789abcdef\n").unwrap();
    let arguments =
        ["--listen", "127.0.0.1:0", "--token", text(&token), "--log-format", "json", "--log-level", "debug"];
    let served = Served::start(&[&[text(&graph)], &arguments[..]].concat());
    let head = "Host: localhost\r\nConnection: close\r\n";
    assert!(served.ask(&format!("GET /graph HTTP/1.1\r\n{head}\r\n")).starts_with("HTTP/1.1 401 "));
    let head = format!("{head}Authorization: Bearer 0123456789abcdef\r\nContent-Type: text/csv\r\n");
    let body = "from,to\n30,40\n";
    let length = body.len();
    let posted = served.ask(&format!("POST /updates HTTP/1.1\r\n{head}Content-Length: {length}\r\n\r\n{body}"));
    assert!(posted.starts_with("HTTP/1.1 200 ") && posted.contains("\"new\":1"), "{posted}");
    let ran = served.ask(&format!("GET /run/cc HTTP/1.1\r\n{head}\r\n"));
    assert!(ran.starts_with("HTTP/1.1 200 "), "{ran}");
    let log = served.end();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let has = |field: &str, value: &str| lines.iter().any(|line| line["fields"][field] == value);
    assert!(has("message", "stopped"), "{log}");
    // What each layer says, and the spans around it.
    let said = |message: &str, span: &str, field: &str| {
        let line = lines.iter().find(|line| line["fields"]["message"] == message);
        let line = line.unwrap_or_else(|| panic!("nobody said `{message}`:\n{log}"));
        let spans = line["spans"].as_array().into_iter().flatten();
        let within = spans.map(|each| each["name"].as_str().unwrap_or_default()).collect::<Vec<_>>();
        assert!(within.contains(&span), "{message} is within {within:?}");
        assert!(!line["fields"][field].is_null(), "{line}");
    };
    said("read the graph", "recovery", "seconds");
    said("answered", "request", "status");
    said("applied a batch", "batches", "version");
    said("synced the log", "sync", "seconds");
    said("ran an algorithm", "run", "seconds");
    let posts = lines.iter().filter(|line| line["span"]["route"] == "/updates" && line["span"]["method"] == "POST");
    assert_eq!(posts.filter(|line| line["fields"]["status"] == 200).count(), 1, "{log}");

    let after = json(&["open", text(&graph), "--json"]);
    assert_eq!(after["edges"], 3);
    assert_eq!(after["version"].as_u64(), before["version"].as_u64().map(|version| version + 1));
}

/// Files and names of graphs are served as `pleach run` takes them: kept in a new directory, or for as long as the server runs.
#[test]
fn files_and_names_are_served() {
    let folder = tempfile::tempdir().unwrap();
    let edges = folder.path().join("likes.csv");
    fs::write(&edges, "source,target,weight\nann,bob,2\nbob,eve,0.5\nbob,eve,3\nann,ann,1\n").unwrap();
    let get = |served: &Served, path: &str| served.json("GET", path, "", "").1;
    let into = folder.path().join("kept");
    let options =
        ["--listen", "127.0.0.1:0", "--into", text(&into), "--conflict", "sum", "--drop-self-loops", "--undirected"];
    let served = Served::start(&[&[text(&edges)], &options[..]].concat());
    let about = get(&served, "/graph");
    assert_eq!((&about["vertices"], &about["edges"], &about["ids"]), (&3.into(), &2.into(), &"names".into()));
    assert_eq!((&about["directed"], &about["conflict"]), (&false.into(), &"sum".into()));
    assert_eq!(get(&served, "/vertices/eve/neighbours")["neighbours"][0]["weight"], 3.5);
    assert_eq!(served.json("POST", "/updates", "text/csv", "from,to,weight\neve,dan,1\n").0, 200);
    served.end();
    assert_eq!(json(&["open", text(&into), "--json"])["edges"], 3);

    let served = Served::start(&["karate", "--listen", "127.0.0.1:0"]);
    assert_eq!(get(&served, "/run/cc")["components"], 1);
    assert_eq!(get(&served, "/vertices/34")["out_degree"], 17);
    assert!(served.end().contains("updates are lost when the server ends"));
}

#[test]
fn an_interrupt_before_the_server_is_there_leaves_no_directory() {
    let folder = tempfile::tempdir().unwrap();
    let mut serve = Command::new(env!("CARGO_BIN_EXE_pleach"));
    serve.args(["serve", "rmat:13", "--listen", "127.0.0.1:0"]).env("TMPDIR", folder.path());
    let mut child = serve.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().contains("updates are lost")), "the server said something else");
    let count = || fs::read_dir(folder.path()).unwrap().count();
    // The directory is made now, and it takes the command longer to write the graph to it.
    while count() == 0 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let asked = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(asked.success());
    let status = child.wait().unwrap();
    // On a machine that does other things, the server may have been there already.
    assert!(matches!(status.code(), Some(130 | 0)), "{status}");
    assert_eq!(count(), 0, "something was left behind");
}

#[test]
fn what_cannot_be_served_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (nothing, edges) = (folder.path().join("nothing"), folder.path().join("edges"));
    assert!(failure(&["serve", text(&nothing)], 1).contains("No such file"));
    let graph = folder.path().join("graph");
    fs::write(&edges, "10 20\n").unwrap();
    stdout(&["stream", "empty", "--updates", text(&edges), "--into", text(&graph)]);
    assert!(failure(&["serve", text(&graph), "--listen", "0.0.0.0:0"], 1).contains("(`--token FILE`)"));
    fs::write(&edges, "short").unwrap();
    assert!(failure(&["serve", text(&graph), "--token", text(&edges)], 1).contains("at least 16 characters"));
    assert!(failure(&["serve", text(&graph), "--listen", "nowhere"], 2).contains("invalid"));
    for option in [&["--undirected"][..], &["--store", "bst,ctree"], &["--into", text(&nothing)]] {
        assert!(failure(&[&["serve", text(&graph)], option].concat(), 2).contains("are for files and names"));
    }
    assert!(failure(&["serve", "karate", "--into", text(&graph)], 1).contains("holds a graph already"));
    // A refused command creates no directory. One that cannot be created is named before the graph is read.
    let new = folder.path().join("new");
    for options in [&["--listen", "0.0.0.0:0"][..], &["--token", text(&edges)]] {
        let serve = ["serve", "karate", "--into", text(&new)];
        assert!(failure(&[&serve[..], options].concat(), 1).contains("token"));
        assert!(!new.exists(), "{options:?} made a directory");
    }
    let inside = edges.join("graph");
    let message = failure(&["serve", text(&nothing), "--into", text(&inside)], 1);
    assert!(message.contains(&format!("cannot write to {}", inside.display())), "{message}");
}
