//! A server under load: clients that send batches beside clients that ask for neighbourhoods, over TCP.
//!
//! Four clients send batches of 1,000 updates each, one after the other; eight ask for the neighbours of random vertices, without a pause.
//! Each batch is on the disk before it is answered. No request may fail. When the time is over, the batches are applied once more,
//! in the order of their versions, to a plain set of edges, and each answer is compared with the neighbours that the vertex has there at
//! the version that the answer names.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pleach::graph::GraphOptions;
use pleach::runtime::SplitMix64;
use pleach_log::Durable;
use pleach_server::{Options, Server};
use serde_json::Value;

use super::SuiteError;
use crate::{Bench, Side, Unit, Work};

const WRITERS: u64 = 4;
const READERS: u64 = 8;
const BATCH: usize = 1_000;
const VERTICES: u64 = 100_000;
const EDGES: usize = 1_000_000;

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// An update: whether the edge is inserted, and its ends.
type Update = (bool, u32, u32);

/// A connection that is kept.
struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    fn new(address: SocketAddr) -> Outcome<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Client { stream: BufReader::new(stream) })
    }

    /// Sends a request, and reads the answer: JSON, or an error if it is no success.
    fn ask(&mut self, request: &[u8]) -> Outcome<Value> {
        self.stream.get_mut().write_all(request)?;
        let (mut status, mut length, mut line) = (String::new(), 0, String::new());
        self.stream.read_line(&mut status)?;
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            if line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse()?;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        if !status.starts_with("HTTP/1.1 200") {
            return Err(format!("{}: {}", status.trim(), String::from_utf8_lossy(&body)).into());
        }
        Ok(serde_json::from_slice(&body)?)
    }
}

/// One of the vertices.
fn vertex(random: &mut SplitMix64) -> u32 {
    random.below(VERTICES) as u32
}

/// What was answered for a vertex at a version.
struct Answer {
    version: u64,
    vertex: u32,
    neighbours: u64,
}

fn hash(neighbours: impl Iterator<Item = u64>) -> u64 {
    let mut hasher = DefaultHasher::new();
    neighbours.for_each(|id| id.hash(&mut hasher));
    hasher.finish()
}

/// Batches by the versions that they made.
type Versions = Vec<(u64, Vec<Update>)>;

/// Sends batches until the time is over: the batch of each version, and how long each took.
fn write(address: SocketAddr, seed: u64, ended: &AtomicBool) -> Outcome<(Versions, Vec<Duration>)> {
    let (mut client, mut random) = (Client::new(address)?, SplitMix64(seed));
    let (mut batches, mut times) = (Vec::new(), Vec::new());
    let mut old: Vec<(u32, u32)> = Vec::new();
    while !ended.load(Ordering::Relaxed) {
        let mut updates: Vec<Update> = Vec::with_capacity(BATCH);
        for k in 0..BATCH {
            // One in three deletes an edge that was inserted before, if it is still there.
            if k % 3 == 0 && !old.is_empty() {
                let at = random.index(old.len());
                let (from, to) = old.swap_remove(at);
                updates.push((false, from, to));
            } else {
                let (from, to) = (vertex(&mut random), vertex(&mut random));
                old.push((from, to));
                updates.push((true, from, to));
            }
        }
        let mut body = String::from("op,from,to\n");
        for (inserts, from, to) in &updates {
            body += &format!("{},{from},{to}\n", if *inserts { "insert" } else { "delete" });
        }
        let head = "POST /updates HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n";
        let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
        let begin = Instant::now();
        let answer = client.ask(request.as_bytes())?;
        times.push(begin.elapsed());
        batches.push((answer["version"].as_u64().ok_or("there is no version")?, updates));
    }
    Ok((batches, times))
}

/// Asks until the time is over.
fn read(address: SocketAddr, seed: u64, ended: &AtomicBool) -> Outcome<(Vec<Answer>, Vec<Duration>)> {
    let (mut client, mut random) = (Client::new(address)?, SplitMix64(seed));
    let (mut answers, mut times) = (Vec::new(), Vec::new());
    while !ended.load(Ordering::Relaxed) {
        let vertex = vertex(&mut random);
        let request = format!("GET /vertices/{vertex}/neighbours?limit=10000 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let begin = Instant::now();
        let answer = client.ask(request.as_bytes())?;
        times.push(begin.elapsed());
        let ids = answer["neighbours"].as_array().ok_or("there are no neighbours")?;
        let neighbours = hash(ids.iter().map(|each| each["id"].as_u64().unwrap_or(u64::MAX)));
        answers.push(Answer { version: answer["version"].as_u64().ok_or("there is no version")?, vertex, neighbours });
    }
    Ok((answers, times))
}

/// Compares all answers with a plain graph, version by version.
fn check(edges: &[(u32, u32)], batches: BTreeMap<u64, Vec<Update>>, answers: &mut [Answer]) -> Outcome<()> {
    let mut plain: HashMap<u32, BTreeSet<u32>> = HashMap::new();
    for &(from, to) in edges {
        plain.entry(from).or_default().insert(to);
    }
    answers.sort_unstable_by_key(|answer| answer.version);
    let mut batches = batches.into_iter().peekable();
    for answer in answers {
        while let Some((_, updates)) = batches.next_if(|(version, _)| *version <= answer.version) {
            for (inserts, from, to) in last_of_each(&updates) {
                let row = plain.entry(from).or_default();
                if inserts {
                    row.insert(to)
                } else {
                    row.remove(&to)
                };
            }
        }
        let row = plain.get(&answer.vertex).into_iter().flatten();
        if hash(row.map(|&to| u64::from(to))) != answer.neighbours {
            return Err(format!("vertex {} has other neighbours at version {}", answer.vertex, answer.version).into());
        }
    }
    Ok(())
}

/// Of several updates of an edge in one batch the last one counts.
fn last_of_each(updates: &[Update]) -> Vec<Update> {
    let last: HashMap<_, _> = updates.iter().map(|&(inserts, from, to)| ((from, to), inserts)).collect();
    last.into_iter().map(|((from, to), inserts)| (inserts, from, to)).collect()
}

/// Measures a server for about five times the time of a comparison.
///
/// # Errors
///
/// [`SuiteError`] if a request fails, or an answer is not that of a recomputation at its version.
pub fn run(bench: &mut Bench<'_>) -> Result<(), SuiteError> {
    bench.begin("serve", None);
    let seconds = (5.0 * bench.method.seconds).clamp(0.2, 60.0);
    let Load { writing, reading, took } = load(seconds).map_err(|error| SuiteError::Server(error.to_string()))?;
    latencies(bench, &format!("batch of {BATCH} updates, {WRITERS} clients"), writing, took);
    latencies(bench, &format!("neighbours of a vertex, {READERS} clients"), reading, took);
    Ok(())
}

/// How long requests took.
struct Load {
    writing: Vec<Duration>,
    reading: Vec<Duration>,
    took: f64,
}

fn latencies(bench: &mut Bench<'_>, request: &str, mut times: Vec<Duration>, seconds: f64) {
    times.sort_unstable();
    let last = times.len().saturating_sub(1);
    let at = |share: f64| times.get((last as f64 * share) as usize).map_or(f64::NAN, Duration::as_secs_f64);
    let ours = [("pleach".to_owned(), Side::Ours)];
    let parts = [("median", 0.5), ("99 %", 0.99), ("99.9 %", 0.999), ("slowest", 1.0)];
    let works = parts.map(|(part, _)| Work::timed(format!("{request}, {part}")));
    bench.record(&works, &ours, vec![Ok(parts.iter().map(|&(_, share)| vec![at(share)]).collect())]);
    let work = Work::in_unit(format!("{request}, in a second"), Unit::RequestsPerSecond);
    bench.record(&[work], &ours, vec![Ok(vec![vec![times.len() as f64 / seconds]])]);
}

/// Puts a server under load for so many seconds, and checks every answer.
fn load(seconds: f64) -> Outcome<Load> {
    let folder = tempfile::tempdir()?;
    let directory = folder.path().join("graph");
    let mut random = SplitMix64(1);
    let drawn: Vec<(u32, u32)> = (0..EDGES).map(|_| (vertex(&mut random), vertex(&mut random))).collect();
    let vertices = (0..VERTICES as u32).map(|vertex| (vertex, vertex));
    let edges: Vec<(u32, u32)> = drawn.into_iter().chain(vertices).collect();
    let graph: Durable = pleach_log::open(&directory, pleach_log::Options::of(GraphOptions::default()))?;
    graph.insert(edges.iter().copied())?;
    graph.close()?;
    let server = Server::start(&directory, Options::default())?;
    let (address, ended, begin) = (server.address(), AtomicBool::new(false), Instant::now());
    let (written, answered) = std::thread::scope(|scope| {
        let ended = &ended;
        let writers: Vec<_> = (0..WRITERS).map(|k| scope.spawn(move || write(address, 100 + k, ended))).collect();
        let readers: Vec<_> = (0..READERS).map(|k| scope.spawn(move || read(address, 200 + k, ended))).collect();
        std::thread::sleep(Duration::from_secs_f64(seconds));
        ended.store(true, Ordering::Relaxed);
        let written: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        (written, readers.into_iter().map(|reader| reader.join()).collect::<Vec<_>>())
    });
    let took = begin.elapsed().as_secs_f64();
    let (mut batches, mut writing) = (BTreeMap::new(), Vec::new());
    for outcome in written {
        let (some, times) = outcome.map_err(|_| "a client panicked")??;
        batches.extend(some);
        writing.extend(times);
    }
    let (mut answers, mut reading) = (Vec::new(), Vec::new());
    for outcome in answered {
        let (some, times) = outcome.map_err(|_| "a client panicked")??;
        answers.extend(some);
        reading.extend(times);
    }
    server.stop()?;
    let kept: Durable = pleach_log::open(&directory, pleach_log::describe(&directory)?.options())?;
    // Each batch made a version of its own, behind the one that filled the graph.
    if kept.fresh().version() != 1 + batches.len() as u64 {
        return Err("the directory holds another number of batches than were acknowledged".into());
    }
    check(&edges, batches, &mut answers)?;
    Ok(Load { writing, reading, took })
}
