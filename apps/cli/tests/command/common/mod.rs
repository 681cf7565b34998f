//! What the tests of the command line share.

pub mod served;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::str::FromStr;

/// Whether tests run at their full size, as by night.
pub const FULL: bool = option_env!("PLEACH_FULL_SIZE").is_some();

/// A folder with files in it.
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// An empty one.
    pub fn new() -> Self {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("a path in Unicode").to_owned()
    }

    /// Writes a file; its path.
    pub fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path(name), text).expect("a file can be written");
        self.path(name)
    }

    /// The text of a file in it.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("the file is there")
    }

    /// How many files there are.
    pub fn count(&self) -> usize {
        std::fs::read_dir(self.0.path()).expect("a folder").count()
    }
}

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

/// What `pleach` prints on standard error, whether it succeeds or fails.
pub fn errors(arguments: &[&str]) -> String {
    String::from_utf8(pleach(arguments).stderr).expect("messages are text")
}

/// What is on standard error without the notes on how files were read.
pub fn without_notes(stderr: &[u8]) -> String {
    let text = String::from_utf8(stderr.to_vec()).expect("messages are text");
    text.split_inclusive('\n').filter(|line| !line.starts_with("read as: ")).collect()
}

/// Runs `pleach`, which must fail with an exit status; its message, one line.
pub fn failure<S: AsRef<std::ffi::OsStr>>(arguments: &[S], status: i32) -> String {
    let output = pleach(arguments);
    let message = without_notes(&output.stderr);
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

/// The stores that algorithms are held against: static rows, the default, and some that are seen through one type.
pub const STORES: [&str; 4] = ["csr", pleach_erased::DEFAULT_STORE, "aspen", "dense,blist"];

/// What `pleach run` with arguments writes to `--out`.
pub fn out<T: FromStr>(arguments: &[&str]) -> BTreeMap<u64, T> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("values");
    let mut all = vec!["run"];
    all.extend_from_slice(arguments);
    all.extend_from_slice(&["--out", out.to_str().expect("a path in Unicode")]);
    stdout(&all);
    values(&out)
}

/// A property that ends in `name`, from an LDBC `.properties` file.
pub fn property(path: &Path, name: &str) -> String {
    let text = std::fs::read_to_string(path).expect("the properties are there");
    let found = text.lines().filter_map(|line| line.split_once('=')).find(|(key, _)| key.trim().ends_with(name));
    found.expect("the property is there").1.trim().to_owned()
}

/// The text of a file, plain or `.gz`.
pub fn text(path: &Path) -> String {
    let bytes = std::fs::read(path).expect("the file is there");
    if bytes.starts_with(&[0x1f, 0x8b]) {
        std::io::read_to_string(flate2::read::MultiGzDecoder::new(&bytes[..])).expect("a whole gzip file")
    } else {
        String::from_utf8(bytes).expect("text")
    }
}

/// `ID VALUE` lines, plain or `.gz`. Depths are integers: 9223372036854775807 is not a double.
pub fn values<T: FromStr>(path: &Path) -> BTreeMap<u64, T> {
    text(path)
        .lines()
        .map(|line| {
            let (id, value) = line.split_once(char::is_whitespace).expect("ID VALUE");
            (id.parse().expect("an id"), value.trim().parse().ok().expect("a number"))
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
