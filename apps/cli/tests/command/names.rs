//! Vertices that are called by names, in streams and in directories.

use std::fs;

use crate::common::{failure, json, pleach, stdout};
use serde_json::{Value, json as value};

struct Folder(tempfile::TempDir);

impl Folder {
    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }
}

fn folder() -> Folder {
    Folder(tempfile::tempdir().unwrap())
}

/// The lines of a stream's output.
fn lines(arguments: &[&str]) -> Vec<Value> {
    stdout(arguments).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const UPDATES: &str = "+ carol ada\n+ ada bob\n+ bob dan\n- ada bob\n- nobody ada\n";

#[test]
fn a_stream_of_names_is_applied_told_and_written() {
    let folder = folder();
    let updates = folder.file("s.txt", UPDATES);
    let (out, save) = (folder.path("out"), folder.path("g.csv"));
    let stream = ["stream", "empty", "--names", "--undirected", "--updates", &updates, "--batch", "2"];
    let more = ["--app", "bfs --source carol", "--every", "1", "--changes", "--json", "--out", &out, "--save", &save];
    let lines = lines(&[&stream[..], &more[..]].concat());
    let changes: Vec<&Value> = lines.iter().filter(|line| line["type"] == "changes").collect();
    assert_eq!(changes[0]["added"], value!([["carol", "ada"], ["ada", "bob"]]));
    assert_eq!(changes[1]["removed"], value!([["ada", "bob"]]));
    let end = lines.last().unwrap();
    assert_eq!((&end["vertices"], &end["edges"]), (&value!(4), &value!(2)));
    // A name that only a deletion has is no vertex.
    let far = "9223372036854775807";
    assert_eq!(fs::read_to_string(&out).unwrap(), format!("ada 1\nbob {far}\ncarol 0\ndan {far}\n"));
    // What is written is read again, by names.
    let printed = json(&["run", "cc", &save, "--undirected", "--json", "--top", "2"]);
    assert_eq!((&printed["graph"]["vertices"], &printed["result"]["components"]), (&value!(4), &value!(2)));
    let text = stdout(&["stream", "empty", "--names", "--updates", &updates, "--app", "cc", "--changes"]);
    assert!(text.contains("+ bob dan\n"), "{text}");
}

/// Names with blanks are quoted in `--app`, as a shell has them.
#[test]
fn names_with_blanks_are_quoted_in_the_options_of_an_algorithm() {
    let folder = folder();
    let updates = folder.file("s.csv", "from,to\nNew York,Oslo\nOslo,O'Hare\n");
    let (out, stream) = (folder.path("out"), ["stream", "empty", "--names", "--updates", &updates]);
    for app in ["bfs --source 'New York'", "bfs --source \"New York\"", "bfs '--source=New York'"] {
        stdout(&[&stream[..], &["--app", app, "--out", &out]].concat());
        assert_eq!(fs::read_to_string(&out).unwrap(), "New York 0\nO'Hare 2\nOslo 1\n", "{app}");
    }
    let message = failure(&[&stream[..], &["--app", "bfs --source O'Hare"]].concat(), 2);
    assert!(message.contains("--app `bfs --source O'Hare`: expected a closing quote"), "{message}");
}

#[test]
fn names_come_from_the_graph_at_the_beginning() {
    let folder = folder();
    let graph = folder.file("g.csv", "from,to\nzoe,New York\nzoe,ada\n");
    let updates = folder.file("s.csv", "from,to,time\nNew York,ada,7\n\"a, b\",zoe,3\n");
    for order in [&[][..], &["--sort-time"], &["--late", "10"]] {
        let out = folder.path("out");
        let stream = ["stream", &graph, "--updates", &updates, "--app", "sssp --source zoe", "--out", &out];
        stdout(&[&stream[..], order].concat());
        let expected = "New York 1\na, b infinity\nada 1\nzoe 0\n";
        assert_eq!(fs::read_to_string(&out).unwrap(), expected, "{order:?}");
    }
    // The smallest name is the label, whatever came first.
    let out = folder.path("labels");
    stdout(&["stream", &graph, "--updates", &updates, "--app", "cc", "--out", &out, "--store", "aspen"]);
    let labels = fs::read_to_string(&out).unwrap();
    assert!(labels.lines().all(|line| line.ends_with(" New York")), "{labels}");
    let message = failure(&["stream", "karate", "--names", "--updates", &updates], 2);
    assert!(message.contains("called by numbers"), "{message}");
    let window = folder.file("w.csv", "src,dst,time\na,b,0\nb,c,5\nc,d,20\n");
    let printed = lines(&["stream", "empty", "--names", "--updates", &window, "--window", "10", "--json"]);
    assert_eq!(printed.last().unwrap()["edges"], 1);
}

#[test]
fn names_are_kept_in_a_directory() {
    let folder = folder();
    let (updates, kept) = (folder.file("s.txt", UPDATES), folder.path("graph.d"));
    stdout(&["stream", "empty", "--names", "--updates", &updates, "--batch", "2", "--into", &kept]);
    let held = json(&["open", &kept, "--json"]);
    assert_eq!((&held["ids"], &held["vertices"]), (&value!("names"), &value!(4)));
    // It goes on, by names, without an option.
    let more = folder.file("more.txt", "+ dan eve\n+ ada bob\n");
    let printed =
        lines(&["stream", "empty", "--updates", &more, "--into", &kept, "--json", "--app", "cc", "--changes"]);
    let changes = printed.iter().find(|line| line["type"] == "changes").unwrap();
    assert_eq!(changes["added"], value!([["ada", "bob"], ["dan", "eve"]]));
    let out = folder.path("out");
    stdout(&["run", "bfs", &kept, "--source", "carol", "--out", &out]);
    assert_eq!(fs::read_to_string(&out).unwrap(), "ada 1\nbob 2\ncarol 0\ndan 3\neve 4\n");
    let save = folder.path("kept.plg");
    stdout(&["data", "write", &kept, "-o", &save]);
    assert_eq!(json(&["run", "bfs", &save, "--source", "carol", "--json"])["result"]["reached"], 5);
}

#[test]
fn names_that_cannot_be_read_are_refused() {
    let folder = folder();
    let refused = |text: &str, expected: &str| {
        let updates = folder.file("s.txt", text);
        // What came before the line is applied and printed.
        let output = pleach(&["stream", "empty", "--names", "--updates", &updates]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("error: ") && message.contains("s.txt:") && message.contains(expected), "{message}");
    };
    refused("ada\n", "expected two to four columns");
    refused("ada,bob\nada\n", "a vertex");
    refused("ada,bob,1\nada,bob,x\n", "`x`");
    refused("ada,bob\n,bob\n", "name");
}
