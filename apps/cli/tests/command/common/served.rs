//! A server as a process of its own, which is asked over TCP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// A server that is killed when the test fails.
pub struct Served {
    child: Child,
    pub address: String,
}

impl Served {
    /// Starts one, and waits until it can be asked.
    pub fn start(arguments: &[&str]) -> Served {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pleach"));
        command.arg("serve").args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut served = Served { child: command.spawn().unwrap(), address: String::new() };
        let mut line = String::new();
        BufReader::new(served.child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let (_, address) = line.split_once(" at http://").unwrap_or_else(|| panic!("the server said {line:?}"));
        served.address = address.trim().trim_end_matches('/').to_owned();
        served
    }

    /// Sends a request and returns all that is answered.
    pub fn ask(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// The status and the JSON that a request is answered with.
    pub fn json(&self, method: &str, path: &str, content_type: &str, body: &str) -> (u16, Value) {
        let length = body.len();
        let answer = self.ask(&format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n{body}"
        ));
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}")))
    }

    /// The data of the first event that a request is answered with.
    pub fn first_event(&self, path: &str) -> Value {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).unwrap();
        let lines = BufReader::new(stream).lines();
        let data =
            lines.map(|line| line.expect("text")).find_map(|line| line.strip_prefix("data: ").map(str::to_owned));
        serde_json::from_str(&data.expect("an event has data")).expect("data are JSON")
    }

    /// Asks it to end; what it logged.
    pub fn end(mut self) -> String {
        let asked = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(asked.success());
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
