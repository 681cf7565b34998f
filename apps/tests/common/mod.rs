//! What the tests of the command line share.
#![allow(dead_code, missing_docs)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs `pleach` with arguments.
pub fn pleach<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pleach")).args(arguments).output().expect("pleach starts")
}

/// Runs `pleach`, which must succeed; what it prints.
pub fn stdout<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> String {
    let output = pleach(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("output is text")
}

/// Runs `pleach --json`, which must succeed; the object it prints.
pub fn json<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> serde_json::Value {
    serde_json::from_str(&stdout(arguments)).expect("output is one JSON value")
}

/// Runs `pleach`, which must fail with an exit status; its message, one line.
pub fn failure<S: AsRef<std::ffi::OsStr>>(arguments: &[S], status: i32) -> String {
    let output = pleach(arguments);
    let message = String::from_utf8(output.stderr).expect("messages are text");
    assert_eq!(output.status.code(), Some(status), "{message}");
    assert!(output.stdout.is_empty(), "nothing is printed by a command that fails");
    assert!(message.starts_with("error: "), "{message}");
    assert!(!message.contains("panicked"), "{message}");
    message
}

/// The folder of real graphs and published answers, or `None` with a word about it.
pub fn data(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("PLEACH_DATA").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("{test}: skipped, because PLEACH_DATA does not name the folder of published graphs");
    }
    folder
}

/// `ID VALUE` lines, plain or `.gz`.
pub fn values(path: &Path) -> BTreeMap<u64, f64> {
    let bytes = std::fs::read(path).expect("the answer is there");
    let text = if bytes.starts_with(&[0x1f, 0x8b]) {
        std::io::read_to_string(flate2::read::MultiGzDecoder::new(&bytes[..])).expect("a whole gzip file")
    } else {
        String::from_utf8(bytes).expect("text")
    };
    text.lines()
        .map(|line| {
            let (id, value) = line.split_once(char::is_whitespace).expect("ID VALUE");
            (id.parse().expect("an id"), value.trim().parse().expect("a number"))
        })
        .collect()
}

/// The largest relative difference of two sets of values over the same ids.
pub fn difference(found: &BTreeMap<u64, f64>, expected: &BTreeMap<u64, f64>) -> f64 {
    assert!(found.keys().eq(expected.keys()), "the same vertices, each once");
    found
        .values()
        .zip(expected.values())
        .map(|(a, b)| if a == b { 0.0 } else { (a - b).abs() / b.abs() })
        .fold(0.0, f64::max)
}
