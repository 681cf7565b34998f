//! What a server does when it has too much to do, when clients leave, and when they send nothing or nonsense.

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use common::{CSV, ask, get, graph, metric, post, raw, serve, until, value};
use pleach::graph::{Conflict, GraphOptions};
use pleach_log::{Durable, IdKind};
use pleach_server::Limits;
use serde_json::{Value, json};

/// Whether tests run at their full size, as by night.
const FULL: bool = option_env!("PLEACH_FULL_SIZE").is_some();

/// Fills a directory with a ring of so many vertices and a chord at each, on which ranks take about 140 iterations.
fn ring(directory: &Path, vertices: u32) {
    let options = pleach_log::describe(directory).unwrap().options();
    let graph: Durable = pleach_log::open(directory, options).unwrap();
    let chord = |v: u32| (u64::from(v) * u64::from(v) % u64::from(vertices)) as u32;
    graph.insert((0..vertices).flat_map(|v| [(v, (v + 1) % vertices), (v, chord(v))])).unwrap();
    graph.close().unwrap();
}

/// Sends a request, and does not read the answer.
fn begin(address: SocketAddr, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).unwrap();
    stream
}

#[test]
fn a_full_queue_is_answered_with_429() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::None);
    let server = serve(&directory, Limits::default().with_queue(1));
    let address = server.address();
    let refused = std::sync::Mutex::new(Vec::new());
    let accepted: u64 = std::thread::scope(|scope| {
        let client = |client: u64| {
            let refused = &refused;
            move || {
                let mut accepted = 0;
                // While the batch of one client is synced, that of another waits; that of a third one finds the queue full.
                for round in 0..2000 {
                    let answer = post(address, CSV, format!("from,to\n{client},{round}\n"));
                    match answer.status {
                        200 => accepted += 1,
                        _ => refused.lock().unwrap().push(answer),
                    }
                    if !refused.lock().unwrap().is_empty() {
                        break;
                    }
                }
                accepted
            }
        };
        let clients: Vec<_> = (0..12).map(|at| scope.spawn(client(at))).collect();
        clients.into_iter().map(|client| client.join().unwrap()).sum()
    });
    let refused = refused.into_inner().unwrap();
    assert!(!refused.is_empty(), "{accepted} batches found room");
    for answer in refused {
        assert_eq!(answer.status, 429, "{answer:?}");
        assert!(answer.head.contains("retry-after: 1") && answer.body.contains("batches wait already"), "{answer:?}");
    }
    // What was refused was not applied, and there is room again.
    assert_eq!(value(address, "/graph")["version"], accepted);
    assert_eq!(post(address, CSV, "from,to\n1,2\n").status, 200);
}

#[test]
fn a_client_that_leaves_stops_its_computation() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::None);
    ring(&directory, 1 << 19);
    let server = serve(&directory, Limits::default().with_runs(1).with_run_threads(1));
    let address = server.address();
    let client = begin(address, "/run/pagerank");
    until("the run began", || metric(address, "pleach_runs") == 1);
    // There is one place.
    let answer = get(address, "/run/cc");
    assert_eq!(answer.status, 503, "{answer:?}");
    assert!(answer.head.contains("retry-after: 1") && answer.body.contains("algorithms run already"), "{answer:?}");
    // Others do not wait for the run.
    assert_eq!(get(address, "/vertices/0/neighbours").status, 200);
    assert_eq!(post(address, CSV, "from,to\n1,2\n").status, 200);
    assert_eq!(metric(address, "pleach_runs"), 1, "the run has ended by itself: the graph is too small for this test");
    drop(client);
    until("the run was cancelled", || metric(address, "pleach_runs_cancelled_total") == 1);
    assert_eq!(metric(address, "pleach_runs"), 0);
    // Its place is free.
    until("there was a place", || get(address, "/run/degree").status == 200);
}

#[test]
fn a_run_whose_time_is_over_stops_too() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::None);
    ring(&directory, 1 << 18);
    let server = serve(&directory, Limits::default().with_run_time(Duration::from_millis(20)));
    let address = server.address();
    let answer = get(address, "/run/pagerank");
    assert_eq!(answer.status, 504, "{answer:?}");
    until("the run was cancelled", || metric(address, "pleach_runs_cancelled_total") == 1);
    assert_eq!(metric(address, "pleach_runs"), 0);
}

/// A client that has sent all of its request waits as long as a run may take.
#[test]
fn who_waits_for_an_answer_is_not_idle() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::None);
    ring(&directory, 1 << 17);
    let idle_time = Duration::from_millis(50);
    let server = serve(&directory, Limits::default().with_idle_time(idle_time).with_run_time(Duration::from_secs(300)));
    let answer = get(server.address(), "/run/pagerank");
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[test]
fn deleting_a_standing_result_stops_its_computation() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::None);
    ring(&directory, 1 << 18);
    let server = serve(&directory, Limits::default());
    let address = server.address();
    assert_eq!(ask(address, "PUT", "/standing/ranks", "", b"{\"app\":\"pagerank\"}").status, 200);
    until("the run began", || metric(address, "pleach_runs") == 1);
    assert_eq!(ask(address, "DELETE", "/standing/ranks", "", b"").status, 200);
    until("the run was cancelled", || metric(address, "pleach_runs_cancelled_total") == 1);
    // A server ends at once, whatever runs.
    assert_eq!(ask(address, "PUT", "/standing/ranks", "", b"{\"app\":\"pagerank\"}").status, 200);
    server.stop().unwrap();
    until("the directory was free", || pleach_log::open::<()>(&directory, pleach_log::Options::default()).is_ok());
}

#[test]
fn a_batch_that_is_refused_leaves_no_ids() {
    for names in [false, true] {
        let kind = if names { IdKind::Names } else { IdKind::Numbers };
        let (_folder, directory) = graph(GraphOptions::<()>::default().with_conflict(Conflict::Error), kind);
        let server = serve(&directory, Limits::default());
        let address = server.address();
        assert_eq!(post(address, CSV, "from,to\n1,2\n").status, 200);
        // By the graph, which has the second edge already, and before that by a line.
        for wrong in ["from,to\n3,4\n1,2\n", "from,to\n5,6\n7\n"] {
            assert_eq!(post(address, CSV, wrong).status, 400);
        }
        let applied = post(address, CSV, "from,to\n8,9\n9,8\n").json();
        assert_eq!((&applied["new"], &applied["version"]), (&json!(2), &json!(2)));
        server.stop().unwrap();
        let options = pleach_log::describe(&directory).unwrap().options();
        let kept: Durable = pleach_log::open(&directory, options).unwrap();
        let vertex = |id: u64| match names {
            true => kept.ids().names().unwrap().get(&id.to_string()),
            false => kept.ids().numbers().unwrap().get(&id),
        };
        assert_eq!((kept.ids().bound(), vertex(3), vertex(4), vertex(5)), (4, None, None, None));
        assert_eq!((vertex(1), vertex(2), vertex(8), vertex(9)), (Some(0), Some(1), Some(2), Some(3)));
    }
}

#[test]
fn a_client_that_is_too_slow_for_the_changes_is_told_so() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::Names);
    let server = serve(&directory, Limits::default().with_versions(2));
    let address = server.address();
    assert_eq!(post(address, CSV, long_names('a')).status, 200);
    // HTTP/1.0 has no chunks, whose lengths would stand between the lines.
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"GET /changes?since=0 HTTP/1.0\r\n\r\n").unwrap();
    // Of the first event more is left than the system holds. Meanwhile the version that it ends at goes.
    read_to(&mut stream, b"data: ");
    for version in 2..=4 {
        assert_eq!(post(address, CSV, format!("from,to\n1,{version}\n")).status, 200);
    }
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first: Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
    assert_eq!((&first["from"], &first["to"]), (&json!(0), &json!(1)), "what came before is whole");
    let event = lines.find(|line| line.starts_with("event: "));
    assert_eq!(event.as_deref(), Some("event: lost"));
    let reason = lines.next().expect("the stream ended without a word");
    assert!(reason.contains("is not kept"), "{reason}");
}

/// A batch of 70 edges whose ends have long names. It has 14 MB, more than the system buffers for a client that does not read.
fn long_names(first: char) -> String {
    let rest = "x".repeat(100_000);
    "from,to\n".to_owned() + &(0..70).map(|k| format!("{first}{k}a{rest},{first}{k}b{rest}\n")).collect::<String>()
}

/// A client that has read the beginning of the changes since a version, and stops reading.
fn told(address: SocketAddr, since: u64) -> TcpStream {
    let mut stream = begin(address, &format!("/changes?since={since}"));
    read_to(&mut stream, b"data: ");
    stream
}

/// Reads until some bytes have come.
fn read_to(stream: &mut TcpStream, end: &[u8]) {
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let (mut all, mut byte) = (Vec::new(), [0]);
    while !all.ends_with(end) {
        stream.read_exact(&mut byte).unwrap();
        all.push(byte[0]);
    }
}

#[test]
fn readers_of_changes_who_do_not_read_share_one_text() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::Names);
    let server = serve(&directory, Limits::default());
    let address = server.address();
    assert_eq!(post(address, CSV, long_names('a')).status, 200);
    let mut readers = vec![told(address, 0)];
    let one = metric(address, "pleach_changes_bytes");
    assert!(one > 20_000_000, "{one} bytes");
    readers.extend((0..40).map(|_| told(address, 0)));
    assert_eq!(metric(address, "pleach_changes_bytes"), one);
    drop(readers);
    until("the memory was given back", || metric(address, "pleach_changes_bytes") == 0);
}

#[test]
fn changes_take_no_more_memory_than_they_may() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::Names);
    let server = serve(&directory, Limits::default().with_changes(40_000_000));
    let address = server.address();
    assert_eq!(post(address, CSV, long_names('a')).status, 200);
    let slow = told(address, 0);
    let one = metric(address, "pleach_changes_bytes");
    assert!(one > 20_000_000, "{one} bytes");
    assert_eq!(post(address, CSV, long_names('b')).status, 200);
    // The next reader waits until there is room.
    let mut next = begin(address, "/changes?since=1");
    read_to(&mut next, b"\r\n\r\n");
    next.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    assert!(next.read(&mut [0]).is_err(), "more is held than may be");
    assert_eq!(metric(address, "pleach_changes_bytes"), one);
    drop(slow);
    read_to(&mut next, b"event: changes\n");
    drop(next);
    // An event that takes more by itself is replaced by `lost`.
    let mut far = begin(address, "/changes?since=0");
    read_to(&mut far, b"event: lost\n");
    let mut data = String::new();
    BufReader::new(far).read_line(&mut data).unwrap();
    assert!(data.contains("takes more than 40000000 bytes"), "{data}");
}

#[test]
fn an_answer_that_is_not_read_keeps_its_place() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::Names);
    let server = serve(&directory, Limits::default().with_runs(1));
    let address = server.address();
    for first in ['a', 'b'] {
        assert_eq!(post(address, CSV, long_names(first)).status, 200);
    }
    let mut client = begin(address, "/run/degree?values=true");
    read_to(&mut client, b"\r\n\r\n");
    let answer = get(address, "/run/cc");
    assert_eq!(answer.status, 503, "{answer:?}");
    drop(client);
    until("there was a place", || get(address, "/run/cc").status == 200);
    // Whoever reads all of it frees the place.
    let all = value(address, "/run/degree?values=true");
    assert_eq!(all["values"].as_array().unwrap().len(), 280);
    until("there was a place", || get(address, "/run/cc").status == 200);
}

#[test]
fn names_that_are_too_long_together_are_not_listed() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::Names);
    let server = serve(&directory, Limits::default());
    let address = server.address();
    // A path that begins at a long name, which is that of the whole component.
    let long = "n".repeat(1 << 20);
    let path: String = (1..400).map(|k| format!("{},{k}\n", k - 1)).collect();
    assert_eq!(post(address, CSV, format!("from,to\n{long},0\n{path}")).status, 200);
    let answer = get(address, "/run/cc?values=true");
    assert_eq!(answer.status, 400, "{}", answer.head);
    assert!(answer.body.contains("bytes, more than"), "{}", answer.body);
    assert!(value(address, "/run/cc")["top"][0]["id"] == long, "once it may be listed");
    let hub: String = (0..5).map(|k| format!("hub,{k}{long}\n")).collect();
    assert_eq!(post(address, CSV, format!("from,to\n{hub}")).status, 200);
    assert_eq!(get(address, "/vertices/hub/neighbours").status, 400);
    let some = value(address, "/vertices/hub/neighbours?limit=3");
    assert_eq!(some["neighbours"].as_array().unwrap().len(), 3);
}

#[test]
fn standing_results_go_on_from_the_version_before() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::None);
    ring(&directory, 1 << 12);
    let server = serve(&directory, Limits::default().with_versions(64));
    let address = server.address();
    for app in ["cc", "pagerank", "degree"] {
        let body = json!({ "app": app, "top": 50 }).to_string();
        assert_eq!(ask(address, "PUT", &format!("/standing/{app}"), "", body.as_bytes()).status, 200);
    }
    let standing = |app: &str, version: &Value| {
        let mut found = Value::Null;
        until("the result reached the version", || {
            found = value(address, &format!("/standing/{app}"));
            assert!(found["failed"].is_null(), "{found}");
            &found["version"] == version
        });
        found["result"].clone()
    };
    let version = value(address, "/graph")["version"].clone();
    let anew = standing("pagerank", &version)["iterations"].as_u64().unwrap();
    // Edges that go, that come, vertices that go and come; the last one cuts the ring into parts.
    let batches = [
        "op,from,to\ninsert,5,4000\ninsert,1,1\n".to_owned(),
        "op,from,to\ndelete,5,4000\nremove,77,\ninsert,5000,5001\n".to_owned(),
        "op,from,to\ninsert,77,5000\ndelete,3,4\n".to_owned(),
        "op,from,to\n".to_owned() + &(100..140).map(|v| format!("remove,{v},\n")).collect::<String>(),
    ];
    for batch in batches {
        let version = post(address, CSV, batch).json()["version"].clone();
        for app in ["cc", "pagerank", "degree"] {
            let found = standing(app, &version);
            let run = value(address, &format!("/run/{app}?version={version}&top=50"));
            if app == "pagerank" {
                // Pushed from what changed; what is left of it then takes fewer iterations than all ranks took at first.
                let iterations = found["iterations"].as_u64().unwrap();
                assert!(found["pushes"].as_u64().unwrap() > 0 && iterations < anew, "{iterations} and {anew}");
                let (tops, others) = (found["top"].as_array().unwrap(), run["top"].as_array().unwrap());
                for (top, other) in tops.iter().zip(others) {
                    let (top, other) = (top["value"].as_f64().unwrap(), other["value"].as_f64().unwrap());
                    assert!((top - other).abs() < 1e-9, "{top} is not {other}");
                }
            } else {
                assert_eq!(found, run);
            }
        }
    }
}

/// Bytes of memory of this process.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<usize>().ok()? * 1024)
}

/// As many connections as this process may hold both ends of, up to 2000 (10,000 by night), beside some for everything else.
fn as_many_as_may() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let files = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok()).unwrap_or(1024);
    (files.saturating_sub(300) / 2).min(if FULL { 10_000 } else { 2000 })
}

#[test]
fn thousands_of_idle_connections_hurt_nobody() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::None);
    let idle = as_many_as_may();
    let long = Duration::from_secs(600);
    let limits = Limits::default().with_connections(idle + 100).with_head_time(long).with_idle_time(long);
    let server = serve(&directory, limits);
    let address = server.address();
    assert_eq!(post(address, CSV, "from,to\n1,2\n").status, 200);
    let before = resident();
    let mut connections = Vec::with_capacity(idle);
    for at in 0..idle {
        let mut stream = TcpStream::connect(address).unwrap();
        // Silent ones, ones in the middle of a head, of a body, and ones that were answered and stay.
        match at % 4 {
            0 => {}
            1 => stream.write_all(b"GET /graph HTTP/1.1\r\nHost: lo").unwrap(),
            2 => stream
                .write_all(
                    b"POST /updates HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 9\r\n\r\nfrom",
                )
                .unwrap(),
            _ => {
                stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
                let mut answer = [0; 12];
                stream.read_exact(&mut answer).unwrap();
                assert_eq!(&answer, b"HTTP/1.1 200");
            }
        }
        connections.push(stream);
    }
    assert!(metric(address, "pleach_connections") as usize >= idle);
    if let (Some(before), Some(after)) = (before, resident()) {
        let each = after.saturating_sub(before) / idle;
        println!("{idle} idle connections take {each} bytes each");
        assert!(each < 64 << 10, "{each} bytes for each connection");
    }
    for version in 2..20 {
        let answer = post(address, CSV, format!("from,to\n{version},1\n"));
        assert_eq!((answer.status, &answer.json()["version"]), (200, &json!(version)));
        assert_eq!(value(address, &format!("/vertices/{version}/neighbours"))["neighbours"], json!([{ "id": 1 }]));
    }
    drop(connections);
    until("the connections were closed", || metric(address, "pleach_connections") <= 2);
}

#[test]
fn clients_that_are_slow_or_half_gone_are_answered_or_closed() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::None);
    ring(&directory, 1 << 17);
    let short = Duration::from_millis(300);
    let limits =
        Limits::default().with_connections(64).with_head_time(short).with_body_time(short).with_idle_time(2 * short);
    let server = serve(&directory, limits);
    let address = server.address();
    // A byte now and then: neither a head nor a body may take for ever, however steadily it comes.
    let drip = |request: &'static [u8], expected: &'static [&'static str]| {
        std::thread::spawn(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            for byte in request {
                if stream.write_all(&[*byte]).is_err() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            let status = String::from_utf8_lossy(&answer).split(' ').nth(1).unwrap_or("closed").to_owned();
            assert!(expected.contains(&&*status), "{status}");
        })
    };
    let slow = [
        drip(
            b"GET /graph HTTP/1.1\r\nHost: localhost\r\nX: 0123456789012345678901234567890123456789\r\n\r\n",
            &["408", "closed"],
        ),
        drip(b"POST /updates HTTP/1.1\r\nHost: localhost\r\n", &["408", "closed"]),
    ];
    // Half closed: nothing comes any more, and the client still reads.
    for (request, expected) in [
        (&b"GET /graph HTTP/1.1\r\nHost: localhost\r\n\r\n"[..], &["200", "closed"][..]),
        (b"GET /run/pagerank HTTP/1.1\r\nHost: localhost\r\n\r\n", &["200", "closed"]),
        (b"GET /changes HTTP/1.1\r\nHost: localhost\r\n\r\n", &["200", "closed"]),
        (b"POST /updates HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 50\r\n\r\nfrom,to\n1,2\n", &["400", "closed"]),
        (b"POST /updates HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n", &["400", "closed"]),
        (b"GET /gra", &["400", "408", "closed"]),
    ] {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let status = String::from_utf8_lossy(&answer).split(' ').nth(1).unwrap_or("closed").to_owned();
        assert!(expected.contains(&&*status), "{}: {status}", String::from_utf8_lossy(request));
    }
    // A long answer that nobody reads holds no connection for ever.
    let silent = begin(address, "/run/pagerank?values=true&top=10000");
    until("the connections were closed", || metric(address, "pleach_connections") <= 2);
    drop(silent);
    slow.into_iter().for_each(|slow| slow.join().unwrap());
    assert_eq!(value(address, "/graph")["version"], 1);
}

#[test]
fn paths_lead_nowhere_else() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::Names);
    let server = serve(&directory, Limits::default());
    let address = server.address();
    assert_eq!(post(address, CSV, "from,to\na,..\n../b,a\n").status, 200);
    for path in [
        "/..",
        "/../",
        "//graph",
        "/graph/",
        "/graph/..",
        "/./graph",
        "/%2e%2e/graph",
        "/..%2fgraph",
        "/vertices",
        "/vertices/",
        "/vertices//neighbours",
        "/vertices/a/../a",
        "/vertices/a%2fneighbours",
        "/vertices/a/neighbours/..",
        "/vertices/%",
        "/vertices/%zz",
        "/vertices/%c0%ae",
        "/vertices/%00",
        "/run/..%2f..%2fetc%2fpasswd",
        "/run/CC",
        "/standing/..%2fx",
        "/standing/%2e%2e",
        "/page.html",
        "/GRAPH",
        "/etc/passwd",
    ] {
        let answer = get(address, path);
        assert!(matches!(answer.status, 400 | 404), "{path}: {answer:?}");
        assert!(answer.json()["error"].is_string(), "{path}: {answer:?}");
    }
    // A name may hold what a path may not: it is no path of a file.
    assert_eq!(value(address, "/vertices/%2e%2e")["in_degree"], 1);
    assert_eq!(value(address, "/vertices/..%2fb")["out_degree"], 1);
    let long = format!("GET /vertices/{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(1 << 20));
    for (request, expected) in [
        (long.as_str(), &["414", "431", "closed"][..]),
        ("GET http://example.org/graph HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n", &["403"]),
        ("OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", &["400", "404", "405"]),
        ("CONNECT example.org:80 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", &["400", "404", "405"]),
        ("TRACE /graph HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", &["405"]),
        ("GET /graph HTTP/9.9\r\nHost: localhost\r\n\r\n", &["400", "505", "closed"]),
        (
            "POST /updates HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            &["400", "415", "closed"],
        ),
        ("POST /updates HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", &["400", "closed"]),
    ] {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        // The sending side stays open: a client that closes it is taken for one that has left, and may get no answer.
        let _ = stream.write_all(request.as_bytes());
        let mut first = String::new();
        let _ = BufReader::new(stream).read_line(&mut first);
        let status = first.split(' ').nth(1).unwrap_or("closed").to_owned();
        assert!(expected.contains(&&*status), "{}: {status}", &request[..request.len().min(60)]);
    }
    assert_eq!(raw(address, b"GET /graph HTTP/1.0\r\n\r\n").split(' ').nth(1), Some("200"));
}
