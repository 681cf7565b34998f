//! Requests to a server in this process, over TCP.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use pleach::graph::GraphOptions;
use pleach_log::IdKind;
use pleach_server::{Limits, Options, Server};
use serde_json::Value;

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }
}

/// Sends bytes, and reads until the server closes.
pub fn raw(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    // The server may close before all is sent.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).unwrap()
}

pub fn ask(address: SocketAddr, method: &str, path: &str, headers: &str, body: &[u8]) -> Answer {
    let mut request =
        format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}").into_bytes();
    request.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
    request.extend_from_slice(body);
    let answer = raw(address, &request);
    let (head, body) =
        answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{method} {path}: no answer: {answer:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
}

pub fn get(address: SocketAddr, path: &str) -> Answer {
    ask(address, "GET", path, "", b"")
}

pub fn value(address: SocketAddr, path: &str) -> Value {
    let answer = get(address, path);
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()
}

pub const NDJSON: &str = "Content-Type: application/x-ndjson\r\n";
pub const CSV: &str = "Content-Type: text/csv\r\n";

pub fn post(address: SocketAddr, headers: &str, body: impl AsRef<[u8]>) -> Answer {
    ask(address, "POST", "/updates", headers, body.as_ref())
}

/// An empty graph in a directory.
pub fn graph<V: pleach_log::Weights>(graph: GraphOptions<V>, ids: IdKind) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("graph");
    let options = pleach_log::Options::of(graph).with_ids(ids);
    pleach_log::open(&directory, options).unwrap().close().unwrap();
    (folder, directory)
}

pub fn serve(directory: &PathBuf, limits: Limits) -> Server {
    Server::start(directory, Options::default().with_limits(limits)).unwrap()
}

/// A figure of `/metrics`.
pub fn metric(address: SocketAddr, name: &str) -> u64 {
    let text = get(address, "/metrics").body;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{name} is not in\n{text}")).parse().unwrap()
}

/// Waits until something holds.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..30_000 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("{what} did not happen within a minute");
}
