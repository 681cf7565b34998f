//! `pleach serve`: a process that is asked over TCP, and told to end.
#![allow(missing_docs)]

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use common::{failure, json, stdout};
use serde_json::Value;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A server that is killed when the test fails.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn start(arguments: &[&str]) -> Served {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pleach"));
        command.arg("serve").args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut served = Served { child: command.spawn().unwrap(), address: String::new() };
        let mut line = String::new();
        BufReader::new(served.child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let (_, address) = line.split_once(" at http://").unwrap_or_else(|| panic!("the server said {line:?}"));
        served.address = address.trim().trim_end_matches('/').to_owned();
        served
    }

    fn ask(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Tells it to end; what it logged.
    fn end(mut self) -> String {
        let told = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(told.success());
        assert!(self.child.wait().unwrap().success());
        let mut log = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        log
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_server_ends_when_it_is_told_to_and_loses_nothing() {
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

#[test]
fn what_cannot_be_served_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (nothing, edges) = (folder.path().join("nothing"), folder.path().join("edges"));
    assert!(failure(&["serve", text(&nothing)], 1).contains("holds no graph"));
    let graph = folder.path().join("graph");
    fs::write(&edges, "10 20\n").unwrap();
    stdout(&["stream", "empty", "--updates", text(&edges), "--into", text(&graph)]);
    assert!(failure(&["serve", text(&graph), "--listen", "0.0.0.0:0"], 1).contains("need a token"));
    fs::write(&edges, "short").unwrap();
    assert!(failure(&["serve", text(&graph), "--token", text(&edges)], 1).contains("at least 16 characters"));
    assert!(failure(&["serve", text(&graph), "--listen", "nowhere"], 2).contains("invalid"));
}
