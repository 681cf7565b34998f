//! A server in this process, asked over TCP.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::{CSV, NDJSON, ask, get, graph, post, raw, serve, value};
use pleach::graph::GraphOptions;
use pleach_log::{Durable, IdKind};
use pleach_server::{Limits, Options, ServeError, Server};
use serde_json::{Value, json};

#[test]
fn what_is_acknowledged_is_read_and_outlives_the_server() {
    let (_folder, directory) = graph(GraphOptions::<()>::undirected(), IdKind::None);
    let server = serve(&directory, Limits::default());
    let address = server.address();
    assert_eq!(value(address, "/healthz"), json!({ "ok": true }));

    let answer = post(address, NDJSON, "{\"from\":0,\"to\":1}\n{\"from\":1,\"to\":2}\n{\"from\":5,\"to\":5}\n");
    assert_eq!((answer.status, &answer.json()["new"], &answer.json()["version"]), (200, &json!(3), &json!(1)));
    // The second line is what the first one did already; the third is no edge.
    let answer = post(address, CSV, "op,from,to\ndelete,0,1\ndelete,0,1\ndelete,7,8\nremove,5,\n");
    let expected = json!({ "version": 2, "updates": 4, "new": 0, "changed": 0, "unchanged": 0, "removed": 2, "absent": 1,
        "merged": 1, "vertices_removed": 1 });
    assert_eq!((answer.status, answer.json()), (200, expected));

    let facts = value(address, "/graph");
    assert_eq!((&facts["version"], &facts["durable"], &facts["edges"]), (&json!(2), &json!(2), &json!(1)));
    assert_eq!(value(address, "/graph?version=1")["edges"], 3);
    assert_eq!(value(address, "/vertices/1"), json!({ "id": 1, "version": 2, "out_degree": 1, "in_degree": 1 }));
    assert_eq!(get(address, "/vertices/5").status, 404);
    assert_eq!(value(address, "/vertices/5?version=1")["out_degree"], 1);
    let walked = value(address, "/vertices/1/neighbours?version=1&offset=1");
    let expected =
        json!({ "id": 1, "version": 1, "direction": "out", "degree": 2, "offset": 1, "neighbours": [{ "id": 2 }] });
    assert_eq!(walked, expected);
    assert_eq!(value(address, "/versions")["kept"].as_array().unwrap().len(), 3);
    let metrics = get(address, "/metrics").body;
    for line in
        ["pleach_version 2", "pleach_updates_total 7", "pleach_requests_total{route=\"/updates\",status=\"200\"} 2"]
    {
        assert!(metrics.lines().any(|each| each == line), "{line} is not in\n{metrics}");
    }
    server.stop().unwrap();
    assert!(TcpStream::connect(address).is_err());
    let kept: Durable = pleach_log::open(&directory, pleach_log::describe(&directory).unwrap().options()).unwrap();
    assert_eq!((kept.fresh().version(), kept.fresh().num_edges()), (2, 1));
}

#[test]
fn vertices_have_names_and_edges_weights() {
    let (_folder, directory) = graph(GraphOptions::<f64>::default(), IdKind::Names);
    let server = serve(&directory, Limits::default());
    let address = server.address();
    let body = "from,to,weight\nada,\"b/ob, 1\",2\nada,eve,0.5\neve,\"b/ob, 1\",1\n";
    assert_eq!(post(address, CSV, body).json()["new"], 3);
    let walked = value(address, "/vertices/b%2Fob%2C%201/neighbours?direction=in");
    assert_eq!(walked["neighbours"], json!([{ "id": "ada", "weight": 2.0 }, { "id": "eve", "weight": 1.0 }]));
    let found = value(address, "/run/sssp?source=ada&values=true");
    assert_eq!(found["values"], json!([["ada", 0], ["b/ob, 1", 1.5], ["eve", 0.5]]));
    // Edges of vertices that were never named do not add them.
    let body = "{\"op\":\"delete\",\"from\":\"zoe\",\"to\":\"ada\"}\n{\"op\":\"reweight\",\"from\":\"ada\",\"to\":\"eve\",\"weight\":9}";
    let applied = post(address, NDJSON, body).json();
    assert_eq!((&applied["absent"], &applied["changed"]), (&json!(1), &json!(1)));
    assert_eq!(get(address, "/vertices/zoe").status, 404);
    assert_eq!(value(address, "/graph")["vertices"], 3);
}

#[test]
fn a_wrong_line_leaves_the_graph_as_it_was() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::Numbers);
    let server = serve(&directory, Limits::default().with_body(1000));
    let address = server.address();
    let wrong = [
        (NDJSON, "{\"from\":0,\"to\":1}\n{\"from\":0,\"to\":}\n", 400, Some(2)),
        (NDJSON, "{\"from\":0,\"to\":1}\n{\"from\":0,\"to\":1,\"weight\":2}\n", 400, Some(2)),
        (CSV, "from,to\n1,2\n\n1,2,3\n", 400, Some(4)),
        (CSV, "from,to\n1,\u{fffd}\n", 400, Some(2)),
        ("", "from,to\n1,2\n", 415, None),
        ("Content-Type: text/csv\r\nContent-Encoding: br\r\n", "from,to\n1,2\n", 415, None),
        ("Content-Type: text/csv\r\nContent-Encoding: gzip\r\n", "from,to\n1,2\n", 400, None),
        ("Content-Type: text/csv\r\nContent-Encoding: zstd\r\n", "from,to\n1,2\n", 400, None),
    ];
    for (headers, body, status, line) in wrong {
        let answer = post(address, headers, body);
        assert_eq!((answer.status, answer.json()["line"].as_u64()), (status, line), "{body}: {answer:?}");
        assert!(answer.json()["error"].as_str().is_some_and(|reason| reason.len() > 10), "{answer:?}");
    }
    assert_eq!(post(address, CSV, "from,to\n".to_owned() + &"1,2\n".repeat(300)).status, 413);
    // Chunks do not say how long they are together.
    let chunk = format!("3e8\r\n{}\r\n", "x".repeat(1000));
    let head = "POST /updates HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n";
    assert!(raw(address, format!("{head}{chunk}{chunk}0\r\n\r\n").as_bytes()).starts_with("HTTP/1.1 413 "));
    let facts = value(address, "/graph");
    assert_eq!((&facts["version"], &facts["vertices"]), (&json!(0), &json!(0)));
    assert_eq!(get(address, "/vertices/0").status, 404);
}

#[test]
fn compressed_bodies_are_read_up_to_the_limit() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::None);
    let server = serve(&directory, Limits::default().with_body(100_000));
    let gzip = |text: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = |text: &[u8]| zstd::encode_all(text, 3).unwrap();
    let (small, bomb) = (b"from,to\n1,2\n".to_vec(), b"from,to\n1,2\n".repeat(1_000_000));
    for (name, small, bomb) in [("gzip", gzip(&small), gzip(&bomb)), ("zstd", zstd(&small), zstd(&bomb))] {
        let headers = format!("{CSV}Content-Encoding: {name}\r\n");
        assert_eq!(post(server.address(), &headers, &small).status, 200, "{name}");
        assert!(bomb.len() < 100_000, "the test sends too much");
        assert_eq!(post(server.address(), &headers, &bomb).status, 413, "{name}");
        assert_eq!(post(server.address(), &headers, &small[..small.len() - 3]).status, 400, "{name} cut off");
    }
    assert_eq!(value(server.address(), "/graph")["version"], 2);
}

#[test]
fn bodies_beyond_the_memory_are_told_to_come_later() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::None);
    let server = serve(&directory, Limits::default().with_bodies(1000).with_body(1000));
    let address = server.address();
    let head = format!("POST /updates HTTP/1.1\r\nHost: localhost\r\n{CSV}Content-Length: 1000\r\n\r\n");
    let body = "from,to\n".to_owned() + &"1,2\n".repeat(100);
    let (slow, answer) = loop {
        // Takes most of the memory, and stays; unless the other one was first.
        let mut slow = TcpStream::connect(address).unwrap();
        slow.write_all(&[head.as_bytes(), &[b'x'; 900]].concat()).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        let answer = post(address, CSV, &body);
        if answer.status != 200 {
            break (slow, answer);
        }
    };
    assert_eq!(answer.status, 429);
    assert!(answer.head.contains("retry-after: 1"), "{answer:?}");
    slow.shutdown(Shutdown::Both).unwrap();
    while post(address, CSV, &body).status != 200 {
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_server_for_others_needs_a_token() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::None);
    let everywhere = || Options::default().with_listen("0.0.0.0:0".parse().unwrap());
    assert!(matches!(Server::start(&directory, everywhere()), Err(ServeError::NoToken { .. })));
    let short = everywhere().with_token(Some("too short".to_owned()));
    assert!(matches!(Server::start(&directory, short), Err(ServeError::Token)));
    let token = "0123456789abcdef";
    let server = Server::start(&directory, everywhere().with_token(Some(token.to_owned()))).unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], server.address().port()));
    let with =
        |path: &str, token: &str| ask(address, "GET", path, &format!("Authorization: Bearer {token}\r\n"), b"").status;
    for path in ["/graph", "/versions", "/metrics", "/vertices/1", "/run/cc", "/standing", "/standing/x"] {
        let answer = get(address, path);
        assert_eq!(answer.status, 401, "{path}");
        assert!(answer.head.contains("www-authenticate: bearer"), "{answer:?}");
        assert_eq!(with(path, "0123456789abcdeg"), 401, "{path}");
    }
    assert_eq!(post(address, CSV, "from,to\n1,2\n").status, 401);
    assert_eq!(with("/graph", token), 200);
    assert_eq!((get(address, "/healthz").status, get(address, "/").status), (200, 200));
    assert_eq!(post(address, &format!("{CSV}Authorization: Bearer {token}\r\n"), "from,to\n1,2\n").status, 200);
}

#[test]
fn algorithms_run_on_the_version_that_is_named() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::Numbers);
    let server = serve(&directory, Limits::default());
    let address = server.address();
    // A triangle and an edge; then the edge leads to the triangle.
    assert_eq!(post(address, CSV, "from,to\n10,20\n20,30\n30,10\n40,50\n").status, 200);
    assert_eq!(post(address, CSV, "from,to\n50,10\n").status, 200);
    let before = value(address, "/run/cc?version=1&values=true");
    assert_eq!((&before["components"], &before["largest"], &before["version"]), (&json!(2), &json!(3), &json!(1)));
    assert_eq!(before["top"], json!([{ "id": 10, "size": 3 }, { "id": 40, "size": 2 }]));
    assert_eq!(before["values"], json!([[10, 10], [20, 10], [30, 10], [40, 40], [50, 40]]));
    assert_eq!(value(address, "/run/cc")["components"], 1);
    assert_eq!(value(address, "/run/tc")["triangles"], 1);
    assert_eq!(
        value(address, "/run/kcore?values=true")["values"],
        json!([[10, 2], [20, 2], [30, 2], [40, 1], [50, 1]])
    );
    let found = value(address, "/run/bfs?source=40&values=true&top=2");
    assert_eq!(found["values"], json!([[10, 2], [20, 3], [30, 4], [40, 0], [50, 1]]));
    assert_eq!(found["top"], json!([{ "id": 40, "value": 0 }, { "id": 50, "value": 1 }]));
    assert_eq!(value(address, "/run/bfs?source=40&version=1")["reached"], 2);
    assert_eq!(value(address, "/run/degree?top=1")["top"], json!([{ "id": 10, "value": 1 }]));
    let ranks = value(address, "/run/pagerank?top=1");
    assert_eq!((&ranks["top"][0]["id"], &ranks["converged"]), (&json!(10), &json!(true)));
    for (path, status) in [
        ("/run/nothing", 404),
        ("/run/bfs", 400),
        ("/run/bfs?source=99", 404),
        ("/run/bfs?source=x", 400),
        ("/run/cc?source=10", 400),
        ("/run/cc?version=99", 404),
        ("/run/cc?version=-1", 400),
        ("/run/cc?colour=red", 400),
        ("/run/cc?top=1000000", 400),
        ("/run/sssp?source=10", 400),
    ] {
        let answer = get(address, path);
        assert_eq!(answer.status, status, "{path}: {answer:?}");
        assert!(answer.json()["error"].is_string(), "{path}: {answer:?}");
    }
}

#[test]
fn a_run_that_takes_too_long_is_given_up() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::None);
    let server = serve(&directory, Limits::default().with_run_time(Duration::ZERO));
    let body =
        "from,to\n".to_owned() + &(0..50_000).map(|v| format!("{v},{}\n", v * 7919 % 50_000)).collect::<String>();
    assert_eq!(post(server.address(), CSV, body).status, 200);
    let answer = get(server.address(), "/run/pagerank");
    assert_eq!(answer.status, 504, "{answer:?}");
    assert!(answer.json()["error"].as_str().unwrap().contains("within 0 seconds"), "{answer:?}");
}

#[test]
fn standing_results_follow_the_graph() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::None);
    let server = serve(&directory, Limits::default());
    let address = server.address();
    let put = |name: &str, body: &str| ask(address, "PUT", &format!("/standing/{name}"), "", body.as_bytes());
    assert_eq!(put("parts", "{\"app\":\"cc\"}").status, 200);
    for version in 1..=3 {
        assert_eq!(post(address, CSV, format!("from,to\n{},{}\n", 2 * version, 2 * version + 1)).status, 200);
        let reached = loop {
            let result = value(address, "/standing/parts");
            if result["version"] == version {
                break result;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        assert_eq!(reached["result"]["components"], version);
    }
    assert_eq!(put("parts", "{\"app\":\"nothing\"}").status, 404);
    assert_eq!(put("a%20b", "{\"app\":\"cc\"}").status, 400);
    assert_eq!(put("x", "{}").status, 400);
    assert_eq!(value(address, "/standing")["standing"], json!([{ "name": "parts", "app": "cc", "version": 3 }]));
    assert_eq!(ask(address, "DELETE", "/standing/parts", "", b"").status, 200);
    assert_eq!(get(address, "/standing/parts").status, 404);
}

#[test]
fn changes_are_told_as_they_happen() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::Names);
    let server = serve(&directory, Limits::default().with_versions(2));
    let address = server.address();
    assert_eq!(post(address, CSV, "from,to\na,b\nb,c\n").status, 200);
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(b"GET /changes?since=0 HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(stream));
    let mut event = || loop {
        let line = lines.next().unwrap().unwrap();
        if let Some(data) = line.strip_prefix("data: ") {
            break serde_json::from_str::<Value>(data).unwrap();
        }
    };
    let expected = json!({ "from": 0, "to": 1, "added": [["a", "b"], ["b", "c"]], "removed": [], "reweighted": [],
        "vertices_added": ["a", "b", "c"], "vertices_removed": [] });
    assert_eq!(event(), expected);
    assert_eq!(post(address, CSV, "op,from,to\ndelete,a,b\nremove,c,\n").status, 200);
    let expected = json!({ "from": 1, "to": 2, "added": [], "removed": [["a", "b"], ["b", "c"]], "reweighted": [],
        "vertices_added": [], "vertices_removed": ["c"] });
    assert_eq!(event(), expected);
    // Two versions are kept: the one before them cannot be gone on from.
    assert_eq!(get(address, "/changes?since=0").status, 404);
    // What a browser was told last counts more than where it began, and it is told if that is not kept.
    let again = |last: u64| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let head = format!("GET /changes?since=0 HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: {last}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut lines = std::io::BufRead::lines(std::io::BufReader::new(stream)).map(Result::unwrap);
        let event = lines.by_ref().find_map(|line| line.strip_prefix("event: ").map(str::to_owned)).unwrap();
        let data = lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned)).unwrap();
        (event, serde_json::from_str::<Value>(&data).unwrap())
    };
    assert_eq!(again(1), ("changes".to_owned(), expected));
    assert_eq!(again(0).0, "lost");
    // A version of another server, perhaps one that was at this address before.
    assert_eq!(again(99).0, "lost");
    // A stream does not keep the server from ending.
    server.stop().unwrap();
}

#[test]
fn bad_requests_are_answered_or_closed() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::None);
    let short = Duration::from_millis(200);
    let limits =
        Limits::default().with_connections(8).with_head_time(short).with_body_time(short).with_idle_time(3 * short);
    let server = serve(&directory, limits);
    let address = server.address();
    let status = |answer: String| answer.split(' ').nth(1).unwrap_or("closed").to_owned();
    let huge = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "x".repeat(1 << 20));
    let many = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "X: y\r\n".repeat(5000));
    let asked: [(&[u8], &[&str]); 8] = [
        (b"nonsense\r\n\r\n", &["400"]),
        (b"\0\x01\x02\x03\r\n\r\n", &["400"]),
        (huge.as_bytes(), &["431", "closed"]),
        (many.as_bytes(), &["431", "closed"]),
        (b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", &["404"]),
        (b"GET /vertices/%2e%2e%2f%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", &["400"]),
        (b"GET /vertices/%ff HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", &["400"]),
        // A head, and a body, that never come.
        (b"GET /graph HTTP/1.1\r\nHost: loc", &["408", "closed"]),
    ];
    for (bytes, expected) in asked {
        let answer = status(raw(address, bytes));
        assert!(expected.contains(&&*answer), "{}: {answer}", String::from_utf8_lossy(&bytes[..bytes.len().min(60)]));
    }
    let slow =
        b"POST /updates HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 99\r\n\r\nfrom,to";
    assert_eq!(status(raw(address, slow)), "408");
    let foreign = b"GET /graph HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n";
    assert_eq!(status(raw(address, foreign)), "403");
    assert_eq!(ask(address, "DELETE", "/graph", "", b"").status, 405);
    // More connections than there may be, which say nothing, or half of something and no more.
    let idle: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(address).unwrap()).collect();
    for mut stream in &idle[..20] {
        let _ = stream.write_all(b"GET /gr").and_then(|()| stream.shutdown(Shutdown::Write));
    }
    assert_eq!(get(address, "/graph").status, 200);
    drop(idle);
    assert_eq!(get(address, "/graph").status, 200);
}

#[test]
fn writers_and_readers_at_once_see_whole_batches() {
    let (_folder, directory) = graph(GraphOptions::<()>::undirected(), IdKind::None);
    let server = serve(&directory, Limits::default().with_versions(64));
    let address = server.address();
    let (ended, batches, size) = (AtomicBool::new(false), 12u32, 250u32);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4u32)
            .map(|writer| {
                scope.spawn(move || {
                    (0..batches)
                        .map(|batch| {
                            let edge = |i: u32| format!("{},{}\n", writer, 4 + batch * size + i);
                            let answer =
                                post(address, CSV, "from,to\n".to_owned() + &(0..size).map(edge).collect::<String>());
                            assert_eq!(answer.status, 200, "{answer:?}");
                            let version = answer.json()["version"].as_u64().unwrap();
                            // What was acknowledged is read.
                            let read = value(address, &format!("/vertices/{writer}"));
                            assert!(
                                read["version"].as_u64().unwrap() >= version
                                    && read["out_degree"] == (batch + 1) * size
                            );
                            version
                        })
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        let readers: Vec<_> = (0..8u32)
            .map(|reader| {
                let ended = &ended;
                scope.spawn(move || {
                    let mut last = BTreeMap::new();
                    while !ended.load(Ordering::Relaxed) {
                        let vertex = reader % 4;
                        let answer = get(address, &format!("/vertices/{vertex}/neighbours?limit=10000"));
                        if answer.status == 404 {
                            continue;
                        }
                        let read = answer.json();
                        let neighbours = read["neighbours"].as_array().unwrap();
                        assert!(
                            answer.status == 200 && (neighbours.len() as u32).is_multiple_of(size),
                            "part of a batch: {}",
                            neighbours.len()
                        );
                        // In the order of the batches: the first so many.
                        let ids: Vec<u64> = neighbours.iter().map(|each| each["id"].as_u64().unwrap()).collect();
                        assert!(ids.iter().copied().eq(4..4 + ids.len() as u64));
                        let version = read["version"].as_u64().unwrap();
                        assert!(
                            last.last_key_value().is_none_or(|(&before, &len)| before <= version && len <= ids.len())
                        );
                        last.insert(version, ids.len());
                    }
                })
            })
            .collect();
        let versions: Vec<u64> = writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect();
        ended.store(true, Ordering::Relaxed);
        readers.into_iter().for_each(|reader| reader.join().unwrap());
        // Each batch has a version of its own.
        assert_eq!(versions.iter().collect::<BTreeSet<_>>().len(), versions.len());
    });
    assert_eq!(value(address, "/graph")["edges"], 4 * batches * size);
}

#[test]
fn the_page_asks_nobody_else() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::None);
    let server = serve(&directory, Limits::default());
    let page = get(server.address(), "/");
    assert!(page.status == 200 && page.head.contains("content-type: text/html"), "{page:?}");
    assert!(page.head.contains("default-src 'none'"), "{}", page.head);
    for outside in ["http://", "https://", "src=\"//", "@import"] {
        let rest = page.body.replace("http://www.w3.org/2000/svg", "");
        assert!(!rest.contains(outside), "the page names {outside}");
    }
}
