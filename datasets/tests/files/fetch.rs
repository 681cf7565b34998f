//! Fetching from a server that answers as servers do: whole, in parts, with breaks, with another file, not at all.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use pleach_datasets::fetch::{FetchOptions, Fetched, Listing, Published, Remote};
use pleach_datasets::{Error, Observer, Options, read};
use tempfile::TempDir;

/// What a client asks for: the first byte, if it wants a part only, and the state of the file that it knows.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Request {
    from: Option<usize>,
    if_range: Option<String>,
}

/// A server on this machine; `answer` is called with the number of the request.
struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    fn new(answer: impl Fn(usize, &Request) -> Vec<u8> + Send + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (requests, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (log, stopped) = (requests.clone(), stop.clone());
        let thread = std::thread::spawn(move || {
            for connection in listener.incoming() {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let mut connection = connection.unwrap();
                let Some(request) = receive(&mut connection) else { continue };
                let number = {
                    let mut log = log.lock().unwrap();
                    log.push(request.clone());
                    log.len() - 1
                };
                // The client may have hung up: that is its right.
                let _ = connection.write_all(&answer(number, &request));
            }
        });
        Server { address, requests, stop, thread: Some(thread) }
    }

    fn url(&self, file: &str) -> String {
        format!("http://{}/data/{file}", self.address)
    }

    fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn receive(connection: &mut TcpStream) -> Option<Request> {
    let mut text = Vec::new();
    let mut byte = [0];
    while !text.ends_with(b"\r\n\r\n") {
        if connection.read(&mut byte).ok()? == 0 {
            return None;
        }
        text.push(byte[0]);
    }
    let text = String::from_utf8(text).unwrap();
    let header = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
    };
    let from =
        header("range").map(|range| range.strip_prefix("bytes=").unwrap().strip_suffix('-').unwrap().parse().unwrap());
    Some(Request { from, if_range: header("if-range") })
}

fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let mut answer = format!("HTTP/1.1 {status}\r\n{headers}Connection: close\r\n\r\n").into_bytes();
    answer.extend(body);
    answer
}

/// The whole file, or at most its first `most` bytes before the connection breaks.
fn whole(content: &[u8], tag: &str, most: usize) -> Vec<u8> {
    let headers = format!("Content-Length: {}\r\nETag: \"{tag}\"\r\n", content.len());
    answer("200 OK", &headers, &content[..most.min(content.len())])
}

/// What a server that knows of parts says; it breaks off after `most` bytes.
fn ranged(content: &[u8], tag: &str, request: &Request, most: usize) -> Vec<u8> {
    match request.from {
        Some(from) if request.if_range.as_deref() == Some(&format!("\"{tag}\"")) => {
            let rest = &content[from..];
            let headers = format!(
                "Content-Length: {}\r\nContent-Range: bytes {from}-{}/{}\r\nETag: \"{tag}\"\r\n",
                rest.len(),
                content.len() - 1,
                content.len()
            );
            answer("206 Partial Content", &headers, &rest[..most.min(rest.len())])
        }
        _ => whole(content, tag, most),
    }
}

fn gz(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A compressed edge list of a path.
fn path_graph(edges: u64) -> Vec<u8> {
    gz((0..edges).map(|k| format!("{k}\t{}\n", k + 1)).collect::<String>().as_bytes())
}

fn remote(url: String, edges: u64) -> Remote {
    Remote {
        name: "path".into(),
        url,
        listing: Listing::Directed,
        vertices: Published::exactly(edges + 1),
        entries: Published::exactly(edges),
        summary: "test",
    }
}

fn options(cache: &TempDir) -> FetchOptions {
    FetchOptions::default().with_cache(cache.path().to_owned()).with_pause(Duration::ZERO)
}

fn cache() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// The files in the graph's folder but for the lock.
fn left(cache: &TempDir) -> Vec<String> {
    let Ok(folder) = std::fs::read_dir(cache.path().join("path")) else { return Vec::new() };
    let mut names: Vec<String> = folder.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name != ".lock");
    names.sort();
    names
}

fn good(fetched: Result<Fetched, Error>, edges: u64) -> Fetched {
    let fetched = fetched.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((fetched.vertices, fetched.entries), (edges + 1, edges));
    assert_eq!(read(&fetched.path, &Options::default()).unwrap().edges.len() as u64, edges);
    fetched
}

#[test]
fn a_graph_is_fetched_once_and_its_checksum_kept() {
    let content = path_graph(1000);
    let server = {
        let content = content.clone();
        Server::new(move |_, _| whole(&content, "a", usize::MAX))
    };
    let (cache, done) = (cache(), Arc::new(AtomicU64::new(0)));
    let seen = done.clone();
    let progress = Observer::new(move |p| {
        assert!(p.done <= p.total);
        seen.store(p.done, Ordering::Relaxed);
    });
    let remote = remote(server.url("path.tsv.gz"), 1000);
    let fetched = good(remote.fetch(&options(&cache).with_progress(progress)), 1000);
    assert!(!fetched.cached);
    assert_eq!(done.load(Ordering::Relaxed), content.len() as u64);
    assert_eq!(left(&cache), ["path.tsv.gz", "path.tsv.gz.sha256"]);
    let recorded = std::fs::read_to_string(cache.path().join("path/path.tsv.gz.sha256")).unwrap();
    assert_eq!(recorded, format!("{}  path.tsv.gz\n", fetched.sha256));

    let again = good(remote.fetch(&options(&cache)), 1000);
    assert!(again.cached && again.sha256 == fetched.sha256);
    assert_eq!(server.requests().len(), 1);

    // A damaged file is refused, and fetched again once it is removed.
    std::fs::write(&fetched.path, path_graph(999)).unwrap();
    assert!(matches!(remote.fetch(&options(&cache)), Err(Error::Changed { .. })));
    std::fs::remove_file(&fetched.path).unwrap();
    assert!(!good(remote.fetch(&options(&cache)), 1000).cached);
}

#[test]
fn a_broken_download_is_resumed_where_it_broke() {
    let content = path_graph(20_000);
    let step = content.len() / 3 + 1;
    let server = {
        let content = content.clone();
        Server::new(move |_, request| ranged(&content, "a", request, step))
    };
    let cache = cache();
    good(remote(server.url("path.tsv.gz"), 20_000).fetch(&options(&cache)), 20_000);
    let tag = Some("\"a\"".to_owned());
    let part = |from| Request { from: Some(from), if_range: tag.clone() };
    assert_eq!(server.requests(), [Request { from: None, if_range: None }, part(step), part(2 * step)]);
    assert_eq!(left(&cache), ["path.tsv.gz", "path.tsv.gz.sha256"]);
}

#[test]
fn a_later_call_resumes_what_an_earlier_one_could_not_finish() {
    let content = path_graph(20_000);
    let working = Arc::new(AtomicBool::new(false));
    let server = {
        let (content, working) = (content.clone(), working.clone());
        Server::new(move |number, request| match (number, working.load(Ordering::Relaxed)) {
            (_, true) => ranged(&content, "a", request, usize::MAX),
            (0, _) => ranged(&content, "a", request, 1000),
            _ => Vec::new(),
        })
    };
    let (cache, remote) = (cache(), remote(server.url("path.tsv.gz"), 20_000));
    let error = remote.fetch(&options(&cache)).unwrap_err();
    assert!(matches!(error, Error::Network { .. }), "{error}");
    assert_eq!(left(&cache), ["path.tsv.gz.part", "path.tsv.gz.part.tag"]);
    working.store(true, Ordering::Relaxed);
    good(remote.fetch(&options(&cache)), 20_000);
    assert_eq!(server.requests().last().unwrap().from, Some(1000));
    assert_eq!(left(&cache), ["path.tsv.gz", "path.tsv.gz.sha256"]);
}

#[test]
fn what_cannot_be_resumed_begins_anew() {
    let content = path_graph(5000);
    // One server knows nothing of parts; the other's file changes in the middle; a third gives no state to resume by.
    let (a, b, c) = (content.clone(), content.clone(), content.clone());
    let servers = [
        Server::new(move |number, _| whole(&a, "a", if number == 0 { 500 } else { usize::MAX })),
        Server::new(move |number, request| match number {
            0 => whole(b"not the file at all, and long enough to be broken off", "old", 20),
            _ => ranged(&b, "new", request, usize::MAX),
        }),
        Server::new(move |number, _| {
            let most = if number == 0 { 300 } else { c.len() };
            answer("200 OK", &format!("Content-Length: {}\r\n", c.len()), &c[..most])
        }),
    ];
    for server in servers {
        let cache = cache();
        good(remote(server.url("path.tsv.gz"), 5000).fetch(&options(&cache)), 5000);
        assert_eq!(server.requests().len(), 2);
        assert_eq!(left(&cache), ["path.tsv.gz", "path.tsv.gz.sha256"]);
    }
}

#[test]
fn another_file_than_the_recorded_one_is_refused() {
    let server = Server::new(move |_, _| whole(&path_graph(100), "a", usize::MAX));
    let (cache, remote) = (cache(), remote(server.url("path.tsv.gz"), 100));
    std::fs::create_dir(cache.path().join("path")).unwrap();
    let record = cache.path().join("path/path.tsv.gz.sha256");
    std::fs::write(&record, format!("{}  path.tsv.gz\n", "0".repeat(64))).unwrap();
    let error = remote.fetch(&options(&cache)).unwrap_err();
    assert!(matches!(error, Error::Changed { .. }), "{error}");
    assert!(error.to_string().contains("path.tsv.gz.sha256"), "{error}");
    std::fs::remove_file(&record).unwrap();
    good(remote.fetch(&options(&cache)), 100);
}

#[test]
fn a_graph_of_another_size_is_refused_and_removed() {
    let server = Server::new(move |_, _| whole(&path_graph(100), "a", usize::MAX));
    let cache = cache();
    let error = remote(server.url("path.tsv.gz"), 101).fetch(&options(&cache)).unwrap_err();
    assert!(matches!(error, Error::NotAsPublished { .. }), "{error}");
    assert!(
        error.to_string().contains("102 vertices and 101 entries") && error.to_string().contains("101 and 100"),
        "{error}"
    );
    assert_eq!(left(&cache), [""; 0]);
    // What is no graph at all is removed, too.
    let server = Server::new(move |_, _| whole(b"<html>Not found, but politely</html>", "a", usize::MAX));
    assert!(remote(server.url("path.tsv.gz"), 100).fetch(&options(&cache)).is_err());
    assert_eq!(left(&cache), [""; 0]);
}

#[test]
fn no_network_is_said_clearly() {
    let cache = cache();
    let server = Server::new(|_, _| answer("404 Not Found", "Content-Length: 0\r\n", b""));
    let error = remote(server.url("path.tsv.gz"), 100).fetch(&options(&cache)).unwrap_err().to_string();
    assert!(error.contains("404") && error.contains(&server.url("path.tsv.gz")), "{error}");
    assert_eq!(server.requests().len(), 1, "what is not there is not asked for again");
    let server = Server::new(|_, _| answer("503 Service Unavailable", "Content-Length: 0\r\n", b""));
    let error = remote(server.url("path.tsv.gz"), 100).fetch(&options(&cache)).unwrap_err().to_string();
    assert!(error.contains("503") && server.requests().len() == 4, "{error}");

    // Nobody listens there any more.
    let gone = server.url("path.tsv.gz");
    drop(server);
    let place = cache.path().join("path/path.tsv.gz");
    for url in [gone, "http://no-such-host.invalid/path.tsv.gz".to_owned(), "nonsense".to_owned()] {
        let error = remote(url.clone(), 100).fetch(&options(&cache)).unwrap_err();
        assert!(matches!(error, Error::Network { .. }), "{error}");
        let error = error.to_string();
        assert!(error.contains(&url), "{error}");
    }
    assert_eq!(left(&cache), [""; 0]);
    // A copy from elsewhere does, at the place that the message names.
    std::fs::write(&place, path_graph(100)).unwrap();
    good(remote("http://no-such-host.invalid/path.tsv.gz".to_owned(), 100).fetch(&options(&cache)), 100);
}

fn tar_gz(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        // The name goes in as it is: the builder would refuse what a malicious archive holds.
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append(&header, *content).unwrap();
    }
    gz(&tar.into_inner().unwrap())
}

#[test]
fn a_matrix_is_taken_out_of_its_archive() {
    // Three stored entries below the diagonal, one of which is zero, and one on it.
    let matrix = b"%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 2\n2 1 1\n3 1 0\n4 2 -1\n";
    let archive = tar_gz(&[("../evil", b"x"), ("path/other.mtx", b"y"), ("path/path.mtx", matrix)]);
    let server = Server::new(move |_, _| whole(&archive, "a", usize::MAX));
    // Printed counts may leave out zeros that are stored, or not.
    for entries in [5, 7] {
        let cache = cache();
        let remote = Remote {
            listing: Listing::Matrix,
            vertices: Published::about(4, 1),
            entries: Published::exactly(entries),
            ..remote(server.url("path.tar.gz"), 1)
        };
        let fetched = remote.fetch(&options(&cache)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((fetched.vertices, fetched.entries, fetched.cached), (4, entries, false));
        assert!(std::fs::read(&fetched.path).unwrap() == matrix);
        assert_eq!(left(&cache), ["path.mtx", "path.mtx.sha256", "path.tar.gz.sha256"]);
        let again = remote.fetch(&options(&cache)).unwrap();
        assert!(again.cached && again.sha256 == fetched.sha256);
        assert!(!cache.path().join("evil").exists());
    }
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn archives_that_are_wrong() {
    let matrix: &[u8] = b"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n";
    let whole_archive = tar_gz(&[("path/path.mtx", matrix)]);
    for (content, expected) in [
        (tar_gz(&[("path/other.mtx", matrix)]), "holds no file called path.mtx"),
        (whole_archive[..whole_archive.len() / 2].to_vec(), "is damaged"),
        (b"neither gzip nor tar".to_vec(), "is damaged"),
    ] {
        let server = Server::new(move |_, _| whole(&content, "a", usize::MAX));
        let cache = cache();
        let remote = Remote { listing: Listing::Matrix, ..remote(server.url("path.tar.gz"), 0) };
        let error = remote.fetch(&options(&cache)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error} does not say: {expected}");
        assert!(!left(&cache).iter().any(|name| name.starts_with("path.mtx")), "{:?}", left(&cache));
    }
}
