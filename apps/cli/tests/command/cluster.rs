//! `pleach cluster`: several processes find what one finds, and end together.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};

use crate::common::{FULL, data, failure, json, out, pleach, stdout, values};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// What so many processes write to `--out`.
fn together(processes: &str, arguments: &[&str]) -> BTreeMap<u64, f64> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("values");
    let mut all = vec!["cluster", "run"];
    all.extend_from_slice(arguments);
    all.extend_from_slice(&["--processes", processes, "--out", text(&file)]);
    stdout(&all);
    values(&file)
}

/// A list of edges with ids that have gaps, weights, and edges that are listed twice.
fn edges(folder: &Path) -> std::path::PathBuf {
    let file = folder.join("edges.wel");
    let mut lines = String::from("# a list of edges\n");
    for k in 0..if FULL { 30_000u64 } else { 10_000 } {
        let hash = k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let (from, to) = (3 * (hash >> 20 & 2047), 3 * (hash >> 40 & 2047));
        writeln!(lines, "{from} {to} {}", (hash >> 56) as f64 / 8.0).unwrap();
    }
    std::fs::write(&file, lines).unwrap();
    file
}

#[test]
fn several_processes_find_what_one_finds() {
    let folder = tempfile::tempdir().unwrap();
    let file = edges(folder.path());
    let file = text(&file);
    for arguments in [
        &["bfs", file, "--directed", "--source", "3"][..],
        &["sssp", file, "--directed", "--source", "3"],
        &["cc", file, "--directed"],
        &["cdlp", file, "--directed"],
        &["kcore", file, "--undirected"],
        &["kcore", file, "--directed"],
        &["pagerank", file, "--directed", "--iterations", "20"],
    ] {
        let one: BTreeMap<u64, f64> = out(arguments);
        for processes in ["1", "2", "4"] {
            let found = together(processes, &[arguments, &["--range", "64"]].concat());
            assert!(found.keys().eq(one.keys()), "{arguments:?}");
            for (id, value) in found {
                let within = if arguments[0] == "pagerank" { 1e-12 } else { 0.0 };
                let equal = value == one[&id] || (value - one[&id]).abs() <= within;
                assert!(equal, "{arguments:?} by {processes}: {value} instead of {} at {id}", one[&id]);
            }
        }
    }
    let triangles = &json(&["run", "tc", file, "--json"])["result"]["triangles"];
    let found = json(&["cluster", "run", "tc", file, "--processes", "3", "--range", "16", "--json"]);
    assert!(triangles.is_u64() && &found["result"]["triangles"] == triangles, "{found}");
}

#[test]
fn published_distances_are_found_by_three() {
    let Some(data) = data("published_distances_are_found_by_three") else { return };
    let gnutella = data.join("golden/p2p-31");
    let input = gnutella.join("p2p-31.e.gz");
    let found = together("3", &["sssp", text(&input), "--undirected", "--source", "6"]);
    let expected: BTreeMap<u64, f64> = values(&gnutella.join("p2p-31-SSSP.gz"));
    assert!(found.keys().eq(expected.keys()));
    assert!(found.iter().all(|(id, value)| *value == expected[id] || (value - expected[id]).abs() <= 1e-9 * value));
}

#[test]
fn what_goes_over_the_wire_is_reported() {
    let printed = json(&["cluster", "run", "pagerank", "rmat:13", "--processes", "3", "--iterations", "5", "--json"]);
    let workers = printed["workers"].as_array().unwrap();
    assert_eq!(workers.len(), 3);
    let sum = |name: &str| workers.iter().map(|worker| worker[name].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum("vertices"), printed["graph"]["vertices"].as_u64().unwrap());
    assert_eq!(sum("arcs"), printed["graph"]["arcs"].as_u64().unwrap());
    assert!(workers.iter().all(|worker| worker["bytes"].as_u64().unwrap() > 0));
    let ghosts = printed["traffic"]["ghosts"].as_u64().unwrap();
    assert_eq!(sum("ghosts"), ghosts);
    // The shares of all ghosts in every iteration, and two sums a message.
    let steps: Vec<u64> =
        printed["traffic"]["supersteps"].as_array().unwrap().iter().map(|b| b.as_u64().unwrap()).collect();
    let full = &steps[..5];
    assert!(full.iter().all(|&bytes| bytes == 8 * ghosts + 6 * 16), "{steps:?} for {ghosts}");
    assert!(full.iter().all(|&bytes| bytes as f64 <= 1.2 * 8.0 * ghosts as f64));
    // What was written to sockets, with all that is added on the way.
    let sockets = printed["traffic"]["sockets"].as_u64().unwrap();
    assert!(sockets >= printed["traffic"]["bytes"].as_u64().unwrap(), "{sockets} for {steps:?}");
    assert!(sockets as f64 <= 1.2 * 5.0 * 8.0 * ghosts as f64, "{sockets} for {ghosts} ghosts");
    let alone = json(&["cluster", "run", "pagerank", "karate", "--json"]);
    assert_eq!(alone["traffic"]["bytes"], 0);
    let plain = stdout(&["cluster", "run", "bfs", "karate", "--source", "1", "--processes", "2", "--range", "8"]);
    for words in ["worker 0", "worker 1", "ghosts", "supersteps", "steps    ", "reached  34"] {
        assert!(plain.contains(words), "{words} is missing from {plain}");
    }
}

/// A matrix of numbers, with as many rows as columns.
fn matrix(folder: &Path) -> std::path::PathBuf {
    let file = folder.join("matrix.mtx");
    let mut lines = String::new();
    for k in 0..900u64 {
        let hash = k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // Each entry once.
        writeln!(lines, "{} {} {}", 1 + k % 150, 1 + (k / 150 * 25 + (hash >> 40) % 25), (hash >> 57) as f64 / 8.0)
            .unwrap();
    }
    std::fs::write(&file, format!("%%MatrixMarket matrix coordinate real general\n150 150 900\n{lines}")).unwrap();
    file
}

#[test]
fn expressions_are_those_of_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let matrix = matrix(folder.path());
    let (given, x) = (format!("A={}", text(&matrix)), folder.path().join("x"));
    let numbers: Vec<f64> = (0..150).map(|k| f64::from(k * 7 % 31) / 4.0).collect();
    let lines: String = numbers.iter().zip(1..).map(|(x, k)| format!("{k} {x}\n")).collect();
    std::fs::write(&x, lines).unwrap();
    let vector = folder.path().join("x.tns");
    let lines: String = numbers.iter().zip(1..).map(|(x, k)| format!("{k} {x}\n")).collect();
    std::fs::write(&vector, format!("# dims: 150\n{lines}")).unwrap();
    let (as_file, as_tensor) = (format!("x={}", text(&x)), format!("x={}", text(&vector)));
    for expression in [
        "y(i) = A(i,j) * x(j)",
        "y(j) = A(i,j) * x(i)",
        "y(i) = A(i,j) * x(j) over min_plus",
        "y(j) = A(i,j) * x(i) over max_times",
        "d(i) = A(i,_j); y(i) = x(i) * d(i)",
    ] {
        let told = json(&["eval", expression, "-f", "A=csr", &given, &as_tensor, "--json"]);
        let entries = told["results"].as_array().unwrap().last().unwrap()["entries"].as_array().unwrap().clone();
        let number =
            |value: &serde_json::Value| value.as_f64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap());
        let right: BTreeMap<u64, f64> = entries.iter().map(|e| (e[0].as_u64().unwrap(), number(&e[1]))).collect();
        assert!(right.len() > 100, "{told}");
        for processes in ["1", "2", "4"] {
            let found = together(processes, &[expression, text(&matrix), &as_file, "--range", "8"]);
            for (id, value) in found {
                let right = right.get(&id).copied().unwrap_or(0.0);
                let equal = value == right || (value - right).abs() <= 1e-12 * right.abs();
                assert!(equal, "{expression} by {processes}: {value} instead of {right} at {id}");
            }
        }
    }
    let told = json(&[
        "cluster",
        "run",
        "s = x(i) * x(i)",
        text(&matrix),
        &as_file,
        "--processes",
        "2",
        "--range",
        "8",
        "--json",
    ]);
    let right: f64 = numbers.iter().map(|x| x * x).sum();
    assert!((told["result"]["s"].as_f64().unwrap() - right).abs() <= 1e-12 * right, "{told}");
    // Shortest paths, as often as paths are long.
    let far = folder.path().join("far");
    let lines: String = (1..=150).map(|k| format!("{k} {}\n", if k == 9 { "0" } else { "infinity" })).collect();
    std::fs::write(&far, lines).unwrap();
    let far = format!("far={}", text(&far));
    let relax =
        ["far(j) min= A(i,j) * far(i) over min_plus", text(&matrix), &far, "--iterations", "150", "--range", "8"];
    let paths: BTreeMap<u64, f64> = out(&["sssp", text(&matrix), "--source", "9"]);
    assert!(together("3", &relax) == paths);
    let plan =
        pleach(&["cluster", "run", "y(i) = A(i,j) * x(j)", text(&matrix), "x=1", "--processes", "2", "--emit", "plan"]);
    let plan = String::from_utf8(plan.stderr).unwrap();
    assert!(plan.contains("gather  x") && plan.contains("8 bytes a ghost") && plan.contains("keep    y"), "{plan}");
}

#[test]
fn wrong_expressions_are_refused() {
    let refused = |arguments: &[&str], words: &str| {
        let message = failure(&[&["cluster", "run"], arguments].concat(), 2);
        assert!(message.contains(words), "{message}");
    };
    refused(&["y(i) = A(i,i)", "karate"], "the diagonal");
    refused(&["y(i) = A(i,j) * x(j)", "karate"], "`x` has no value");
    // A worker has no vertex of the columns but its ghosts.
    for statement in
        ["y(i) = A(i,j) + x(j)", "y(i) = A(i,j) * x(j) + x(j)", "y(i) = x(j) - A(i,j)", "s = A(i,j) + x(j)"]
    {
        refused(&[statement, "karate", "x=1"], "pairs of vertices without an arc");
    }
    for statement in ["y(j) = A(i,j) + x(i)", "y(i) = A(i,j) + x(j) over min_plus"] {
        refused(&[statement, "karate", "x=1"], "pairs of vertices without an arc");
    }
    refused(&["y(i) = A(i,j) * x(j)", "karate", "x=1", "x=2"], "given twice");
    refused(&["y(i) = A(i,j) * x(j)", "karate", "x=1", "z=2"], "it needs x");
    refused(&["y(i) = A(i,j) * x(j)", "karate", "x=1", "--damping", "0.5"], "no option --damping");
    refused(&["s = A(i,j)", "karate", "--out", "values"], "makes a number");
    refused(&["cc", "karate", "x=1"], "is for expressions");
    refused(&["ccc", "karate"], "pagerank");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x");
    for (lines, words) in [
        ("1 2\nx\n", "x:2: expected `VERTEX VALUE`"),
        ("1 2\n", "33 vertices have no value there"),
        ("77 2\n", "there is no vertex 77"),
    ] {
        std::fs::write(&file, lines).unwrap();
        let x = format!("x={}", text(&file));
        let run = ["-q", "cluster", "run", "y(i) = A(i,j) * x(j)", "karate", &x, "--processes", "2", "--range", "8"];
        let message = failure(&run, 1);
        assert!(message.contains(words), "{message}");
    }
}

/// What a run writes to `--out`, for vertices that have names.
fn lines(arguments: &[&str]) -> Vec<String> {
    lines_and_notes(arguments).0
}

/// The same, and what it says on standard error.
fn lines_and_notes(arguments: &[&str]) -> (Vec<String>, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("values");
    let run = pleach(&[arguments, &["--out", text(&file)]].concat());
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "{said}");
    (std::fs::read_to_string(&file).unwrap().lines().map(str::to_owned).collect(), said)
}

/// The numbers of processes that read a graph: one to four by turns, all of them by night. The packages of Debian, which are a large graph,
/// are read by three processes.
fn counts(number: usize, graph: &str) -> &'static [&'static str] {
    match number % 4 {
        _ if FULL => &["1", "2", "3", "4"],
        _ if graph.contains("debian") => &["3"],
        0 => &["2"],
        1 => &["4"],
        2 => &["3"],
        _ => &["1"],
    }
}

#[test]
fn vertices_have_names() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("people.csv");
    let mut edges = String::from("source,target,weight\n");
    for k in 0..4000u64 {
        let hash = k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        writeln!(edges, "person {},person {},{}", hash >> 30 & 511, hash >> 50 & 511, 1 + (hash >> 61)).unwrap();
    }
    std::fs::write(&file, edges).unwrap();
    for app in [&["bfs", "--source", "person 7"][..], &["sssp", "--source", "person 7"], &["cc"], &["cdlp"]] {
        let of_graph = [&[app[0], text(&file)], &app[1..]].concat();
        let one = lines(&[&["run"], &of_graph[..]].concat());
        for processes in ["1", "3"] {
            let cut = ["--processes", processes, "--range", "16"];
            let found = lines(&[&["cluster", "run"], &of_graph[..], &cut].concat());
            assert!(found == one, "{app:?} by {processes}");
        }
    }
    let best = |command: &[&str]| {
        let told = json(&[command, &["pagerank", text(&file), "--json"]].concat());
        told["result"]["max_vertex"].as_str().unwrap().to_owned()
    };
    assert_eq!(best(&["cluster", "run", "--processes", "2", "--range", "16"]), best(&["run"]));
    let run = ["-q", "cluster", "run", "bfs", text(&file), "--source", "nobody", "--processes", "2"];
    let message = failure(&run, 1);
    assert!(message.contains("has no vertex nobody"), "{message}");
    // A value of each vertex, by its name.
    let ones = folder.path().join("ones");
    let values = lines(&["run", "degree", text(&file)]);
    let named: String = values.iter().map(|line| format!("{} 2\n", line.rsplit_once(' ').unwrap().0)).collect();
    std::fs::write(&ones, named).unwrap();
    let x = format!("x={}", text(&ones));
    let told = json(&["cluster", "run", "s = x(i)", text(&file), &x, "--processes", "2", "--range", "8", "--json"]);
    assert_eq!(told["result"]["s"].as_f64().unwrap(), 2.0 * values.len() as f64);
}

#[test]
fn files_of_every_kind_are_read_by_several() {
    let folder = tempfile::tempdir().unwrap();
    let edges = edges(folder.path());
    let matrix = matrix(folder.path());
    let to = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let mut files = vec![text(&matrix).to_owned()];
    for name in [
        "a.mtx",
        "a.plg",
        "a.adj",
        "a.csv",
        "a.wel.gz",
        "a.mtx.zst",
        "a.graphml",
        "a.parquet",
        "a.arrow",
        "a.arrows",
        "a.adj.gz",
        "a.plg.zst",
    ] {
        stdout(&["data", "write", text(&edges), "-o", &to(name)]);
        files.push(to(name));
    }
    for (graph, name) in [
        ("grid:40", "a.graph"),
        ("grid:40", "grid.plg"),
        ("davis", "named.parquet"),
        ("davis", "named.arrow"),
        ("davis", "named.plg"),
        ("davis", "named.plg.gz"),
        ("debian", "debian.parquet"),
        ("debian", "debian.arrow"),
        ("debian", "debian.plg"),
        ("debian", "debian.plg.gz"),
        ("grid:40", "grid.sg"),
        ("dijkstra", "a.wsg"),
        ("dijkstra", "a.wsg.gz"),
    ] {
        stdout(&["data", "write", graph, "-o", &to(name)]);
        files.push(to(name));
    }
    let compressed = ["a.adj.gz", "a.plg.zst", "named.plg.gz", "debian.plg.gz", "a.wsg.gz"];
    let divided =
        ["a.graph", "a.parquet", "a.arrow", "a.arrows", "a.plg", "grid.plg", "named.plg", "a.adj", "grid.sg", "a.wsg"];
    for (number, file) in files.iter().enumerate() {
        let one = lines(&["run", "cc", file]);
        let name = Path::new(file).file_name().unwrap().to_str().unwrap();
        for &processes in counts(number, name) {
            let cut = ["--range", "64", "--processes", processes];
            let (found, said) = lines_and_notes(&[&["cluster", "run", "cc", file], &cut[..]].concat());
            assert!(found == one, "{file} by {processes}");
            if processes != "1" && (divided.contains(&name) || compressed.contains(&name)) {
                assert_eq!(said.contains("block by block"), compressed.contains(&name), "{file}: {said}");
            }
        }
    }
    std::fs::write(folder.path().join("short.graph"), "3 5\n2\n1 3\n2\n").unwrap();
    let message = failure(&["-q", "cluster", "run", "cc", &to("short.graph"), "--processes", "2"], 1);
    assert!(message.contains("short.graph:1") && message.contains("4 neighbours"), "{message}");
    std::fs::write(folder.path().join("short.mtx"), "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n")
        .unwrap();
    let message = failure(&["-q", "cluster", "run", "cc", &to("short.mtx"), "--processes", "2"], 1);
    assert!(message.contains("short.mtx") && message.contains('3'), "{message}");
    std::fs::write(folder.path().join("g.v"), "1\n2\n").unwrap();
    std::fs::write(folder.path().join("g.e"), "1 2\n2 7\n").unwrap();
    let message = failure(&["-q", "cluster", "run", "cc", &to("g.e"), "--processes", "2"], 1);
    assert!(message.contains('7') && message.contains("not among the vertices"), "{message}");
}

/// Graphs of which worker 0 reads the file, or that have no file, and the algorithm that is run on each.
fn handed_out(folder: &Path) -> Vec<(String, &'static [&'static str])> {
    let to = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let put = |name: &str, words: &str| {
        std::fs::write(to(name), words).unwrap();
        to(name)
    };
    let edges = edges(folder);
    let mut graphs: Vec<(String, &[&str])> = Vec::new();
    // The packages of Debian are several blocks.
    for (graph, name) in [
        (text(&edges), "a.npz"),
        (text(&edges), "a.net"),
        ("davis", "named.net"),
        (text(&edges), "a.json"),
        ("davis", "named.json"),
        (text(&edges), "b.graphml"),
        ("davis", "named.graphml"),
        ("debian", "debian.graphml"),
        ("davis", "named.gexf.gz"),
        (text(&edges), "a.parquet.gz"),
        ("davis", "named.arrow.zst"),
    ] {
        stdout(&["data", "write", graph, "-o", &to(name)]);
        graphs.push((to(name), &["cc"]));
    }
    let numbers: String = (0..900).map(|k| format!("{}\n", if k % 11 == 0 { k % 5 } else { 0 })).collect();
    graphs.push((
        put("array.mtx", &format!("%%MatrixMarket matrix array real general\n30 30\n{numbers}")),
        &["sssp", "--source", "1"],
    ));
    let cards = format!(
        "{:72}{:8}\n 3 1 1 1\nRSA 4 4 5 0\n{:16}{:16}{:20}\n  1  3  4  5  6\n   1   4   2   3   4\n  1.00  2.00  3.00\n  4.00  5.00\n",
        "", "", "(5I3)", "(5I4)", "(3F6.2)"
    );
    graphs.push((put("a.rsa", &cards), &["sssp", "--source", "1"]));
    let net = "*Vertices 5\n2 \"b b\"\n1 a\n3 c\n5 \"e\"\n4 d\n*Arcs\n1 2 0.5\n2 4 2\n*Edges\n4 3 1\n";
    graphs.push((put("mixed.net", net), &["sssp", "--source", "a"]));
    graphs.push((put("shared.net", &net.replace("\"e\"", "a")), &["sssp", "--source", "1"]));
    graphs.push((put("ids.net", "*Vertices 3\n1 30\n2 7\n3 12\n*Edges\n1 2\n"), &["cc"]));
    graphs.push((put("lists.net", "*Vertices 4\n*Edgeslist\n1 2 3\n"), &["cc"]));
    graphs.extend(
        ["karate", "florentine", "davis", "debian", "rgg:9", "rgg:2"].map(|name| (name.to_owned(), &["cc"][..])),
    );
    graphs.push(("dijkstra".to_owned(), &["sssp", "--source", "1"]));
    graphs
}

#[test]
fn graphs_without_shares_are_handed_out_in_blocks() {
    let folder = tempfile::tempdir().unwrap();
    for (number, (graph, app)) in handed_out(folder.path()).into_iter().enumerate() {
        let of_graph = [&[app[0], &graph], &app[1..]].concat();
        let one = lines(&[&["run"], &of_graph[..]].concat());
        let by_one = Path::new(&graph).exists() && !graph.ends_with("array.mtx");
        for &processes in counts(number, &graph) {
            let cut = ["--range", "16", "--processes", processes];
            let (found, said) = lines_and_notes(&[&["cluster", "run"], &of_graph[..], &cut].concat());
            assert!(found == one, "{graph} by {processes}: {found:?} instead of {one:?}");
            assert_eq!(said.contains("block by block"), by_one && processes != "1", "{graph}: {said}");
        }
    }
    let tensor = folder.path().join("x.tns");
    std::fs::write(&tensor, "1 2 1\n2 1 1\n").unwrap();
    let message = failure(&["-q", "cluster", "run", "cc", text(&tensor), "--processes", "2"], 1);
    assert!(message.contains("cannot be read in parts") && message.contains("pleach data write"), "{message}");
    let wide = folder.path().join("wide.mtx");
    std::fs::write(&wide, "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n").unwrap();
    let message = failure(&["-q", "cluster", "run", "cc", text(&wide), "--processes", "2"], 1);
    assert!(message.contains("2 rows and 3 columns; a graph has as many of both"), "{message}");
}

#[test]
fn a_worker_that_fails_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.txt");
    let lines: String =
        (0..1000).map(|k| if k == 900 { "5 five\n".into() } else { format!("{k} {}\n", k + 1) }).collect();
    std::fs::write(&file, lines).unwrap();
    let message = failure(&["cluster", "run", "cc", text(&file), "--processes", "2"], 1);
    assert!(message.contains("worker 1") && message.contains("bad.txt") && message.contains("901"), "{message}");
    let message = failure(&["cluster", "run", "cc", "no/such.txt", "--processes", "2"], 1);
    assert!(message.contains("no/such.txt"), "{message}");
    let message = failure(&["-q", "cluster", "run", "bfs", "karate", "--source", "99", "--processes", "2"], 1);
    assert!(message.contains("no vertex 99"), "{message}");
}

#[test]
fn wrong_use_is_refused() {
    for command in [&["run", "cc", "-"][..], &["stream", "-", "--updates", "updates.txt"]] {
        let message = failure(&[&["cluster"], command].concat(), 2);
        assert!(message.contains("not standard input"), "{message}");
    }
    let message = failure(&["cluster", "run", "bfs", "karate"], 2);
    assert!(message.contains("--source"), "{message}");
    let message = failure(&["cluster", "run", "cc", "karate", "--damping", "0.5"], 2);
    assert!(message.contains("cc has no option --damping"), "{message}");
    let message = failure(&["cluster", "run", "pagerank", "karate", "--damping", "1"], 2);
    assert!(message.contains("below 1"), "{message}");
    let message = failure(&["cluster", "run", "cc", "karate", "--process", "1"], 2);
    assert!(message.contains("--hosts"), "{message}");
    let folder = tempfile::tempdir().unwrap();
    let hosts = folder.path().join("hosts");
    let refused = |lines: &str, words: &str| {
        std::fs::write(&hosts, lines).unwrap();
        let message = failure(&["cluster", "run", "cc", "karate", "--hosts", text(&hosts), "--process", "0"], 1);
        assert!(message.contains(words), "{message}");
    };
    refused("localhost\n", "line 1");
    refused("a:1\na:1\n", "twice");
    refused("# nobody\n", "found none");
    std::fs::write(&hosts, "127.0.0.1:1\n").unwrap();
    let message = failure(&["cluster", "run", "cc", "karate", "--hosts", text(&hosts), "--process", "1"], 1);
    assert!(message.contains("no worker 1 of 1"), "{message}");
}

/// Updates with deletions, new weights and loops: so many lines.
fn updates(folder: &Path, name: &str, count: u64) -> std::path::PathBuf {
    let file = folder.join(name);
    let mut lines = String::new();
    for k in 0..count {
        let hash = k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let (from, to) = (3 * (hash >> 20 & 127), 3 * (hash >> 40 & 127));
        match hash >> 61 {
            0 => writeln!(lines, "- {from} {to}").unwrap(),
            1 => writeln!(lines, "u {from} {to} 7").unwrap(),
            _ => writeln!(lines, "+ {from} {to} {}", (hash >> 56 & 31) as f64 / 4.0).unwrap(),
        }
    }
    std::fs::write(&file, lines).unwrap();
    file
}

#[test]
fn a_stream_leaves_what_one_process_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let (base, updates) = (edges(folder.path()), updates(folder.path(), "updates", 5000));
    let (one, several) = (folder.path().join("one"), folder.path().join("several"));
    // A file that lists ids beside the rows.
    let stored = folder.path().join("base.plg");
    stdout(&["data", "write", text(&base), "-o", text(&stored)]);
    for (direction, app) in [("--directed", "sssp"), ("--directed", "cc"), ("--undirected", "kcore")] {
        let base = if app == "cc" { &stored } else { &base };
        let source: &[&str] = if app == "sssp" { &["--source", "3"] } else { &[] };
        let both = [text(base), "--updates", text(&updates), direction, "--drop-self-loops", "--batch", "700"];
        let command = [&[app], source].concat().join(" ");
        stdout(&[&["stream"], &both[..], &["--weighted", "--app", &command, "--out", text(&one)]].concat());
        let more = ["--app", app, "--out", text(&several), "--range", "16", "--json"];
        for processes in ["1", "3"] {
            let printed =
                stdout(&[&["cluster", "stream"], &both[..], &more, source, &["--processes", processes]].concat());
            assert!(values::<f64>(&several) == values::<f64>(&one), "{app} by {processes}");
            let printed: Vec<serde_json::Value> =
                printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let kinds: Vec<&str> = printed.iter().map(|line| line["type"].as_str().unwrap()).collect();
            assert_eq!(
                kinds,
                [&["epoch"; 9][..], &["result", "end"]].concat(),
                "the graph at the beginning is epoch 1"
            );
            assert_eq!(printed[8]["total_updates"], printed[10]["total_updates"]);
        }
    }
}

/// A symmetric matrix whose edges are read as arcs both ways, and one that lists a vertex with a loop and one with nothing else.
#[test]
fn mirrored_arcs_come_in_and_loops_stay() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("symmetric.mtx");
    std::fs::write(&file, "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 4\n2 1\n3 2\n4 3\n4 4\n").unwrap();
    let file = text(&file);
    for app in [&["pagerank", "--iterations", "30"][..], &["cdlp"]] {
        let arguments = [&app[..1], &[file, "--directed"], &app[1..]].concat();
        let one: BTreeMap<u64, f64> = out(&arguments);
        for processes in ["1", "2"] {
            let found = together(processes, &[&arguments[..], &["--range", "2"]].concat());
            let alike = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
            assert!(found.keys().eq(one.keys()) && found.values().zip(one.values()).all(alike), "{app:?}: {found:?}");
        }
    }
    let (updates, one, several) =
        (folder.path().join("updates"), folder.path().join("one"), folder.path().join("several"));
    std::fs::write(&updates, "+ 1 3\n- 1 3\n").unwrap();
    for more in [&[][..], &["--drop-self-loops"], &["--directed"]] {
        let both = [&[file, "--updates", text(&updates), "--app", "degree"], more].concat();
        stdout(&[&["stream"], &both[..], &["--weighted", "--out", text(&one)]].concat());
        let cluster = ["--processes", "2", "--range", "1", "--out", text(&several)];
        stdout(&[&["cluster", "stream"], &both[..], &cluster].concat());
        assert!(values::<f64>(&several) == values::<f64>(&one), "{more:?}");
        let degrees: Vec<f64> = values::<f64>(&one).into_values().collect();
        assert_eq!(degrees[..4], [1.0, 2.0, 2.0, if more == ["--drop-self-loops"] { 1.0 } else { 2.0 }], "{more:?}");
    }
}

#[test]
fn a_stream_goes_on_with_the_same_source_only() {
    let folder = tempfile::tempdir().unwrap();
    let (file, into) = (folder.path().join("lines"), folder.path().join("parts"));
    std::fs::write(&file, "1 2\n3 3\n5 6").unwrap();
    let stream = ["-q", "cluster", "stream", "empty", "--updates", text(&file), "--into", text(&into)];
    stdout(&[&stream[..], &["--processes", "2", "--batch", "2"]].concat());
    let message = failure(&[&stream[..], &["--drop-self-loops"]].concat(), 1);
    assert!(message.contains("whose source was read with its self loops"), "{message}");
    std::fs::write(&file, "1 2\n3 3\n5 67\n8 9\n").unwrap();
    for processes in ["2", "3"] {
        let message = failure(&[&stream[..], &["--processes", processes]].concat(), 1);
        assert!(message.contains("lines: its first 3 updates are not those that were applied"), "{message}");
    }
    std::fs::write(&file, "1 2\n3 3\n5 6\n8 9\n").unwrap();
    stdout(&[&stream[..], &["--processes", "2"]].concat());
    std::fs::remove_dir_all(folder.path().join("parts/generation-2/part-1")).unwrap();
    let message = failure(&[&stream[..], &["--processes", "2"]].concat(), 1);
    assert!(message.contains("part-1: the part of worker 1 is not there"), "{message}");
}

/// Directories of before say neither whether loops were left out nor which updates were applied.
#[test]
fn a_directory_of_before_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (file, into) = (folder.path().join("lines"), folder.path().join("parts"));
    std::fs::write(&file, "1 2\n5 6\n").unwrap();
    let stream = ["-q", "cluster", "stream", "empty", "--updates", text(&file), "--into", text(&into)];
    let stream = [&stream[..], &["--drop-self-loops", "--processes", "2"]].concat();
    stdout(&stream);
    let manifest = into.join("cluster.json");
    let mut known: serde_json::Value = serde_json::from_slice(&std::fs::read(&manifest).unwrap()).unwrap();
    for field in ["drops_loops", "digest", "next_digest"] {
        assert!(known.as_object_mut().unwrap().remove(field).is_some(), "{field}");
    }
    std::fs::write(&manifest, known.to_string()).unwrap();
    std::fs::write(&file, "1 2\n5 6\n7 8\n").unwrap();
    let printed = stdout(&[&stream[..], &["--json"]].concat());
    assert!(printed.lines().last().unwrap().contains("\"total_updates\":3"), "{printed}");
}

#[test]
fn a_stream_goes_on_with_any_number_of_processes() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("parts");
    let out = folder.path().join("values");
    let (base, all) = (edges(folder.path()), updates(folder.path(), "all", 3000));
    for (processes, count) in [("2", 1000), ("2", 1000), ("3", 1700), ("1", 3000), ("4", 3000)] {
        let updates = updates(folder.path(), "some", count);
        let stream = ["cluster", "stream", text(&base), "--updates", text(&updates), "--directed", "--batch", "300"];
        let kept = ["--into", text(&into), "--checkpoint", "3", "--range", "16", "--processes", processes];
        let found = [&stream[..], &kept, &["--app", "cc", "--every", "2", "--out", text(&out), "--json"]].concat();
        let printed = stdout(&found);
        let end: serde_json::Value = serde_json::from_str(printed.lines().last().unwrap()).unwrap();
        assert_eq!((&end["type"], &end["total_updates"]), (&"end".into(), &count.into()), "{printed}");
    }
    let found: BTreeMap<u64, f64> = values(&out);
    stdout(&[
        "stream",
        text(&base),
        "--updates",
        text(&all),
        "--directed",
        "--weighted",
        "--app",
        "cc",
        "--out",
        text(&out),
    ]);
    assert!(found == values(&out));
    let short = updates(folder.path(), "short", 100);
    let stream = ["-q", "cluster", "stream", "empty", "--updates", text(&short), "--directed", "--into", text(&into)];
    let message = failure(&stream, 1);
    assert!(message.contains("short: ends 2900 updates before the last one that was applied"), "{message}");
    let updates = text(&all);
    let stream = ["cluster", "stream", "empty", "--updates", updates, "--undirected", "--into", text(&into)];
    let message = failure(&stream, 1);
    assert!(message.contains("holds a graph that is directed"), "{message}");
}

#[test]
fn vertices_of_a_stream_have_names() {
    let folder = tempfile::tempdir().unwrap();
    let (file, into, out) = (folder.path().join("people"), folder.path().join("parts"), folder.path().join("values"));
    let numbers = std::fs::read_to_string(updates(folder.path(), "numbers", 3000)).unwrap();
    let person = |id: &str| format!("person-{id}");
    let named: Vec<String> = numbers
        .lines()
        .filter(|line| !line.starts_with('u'))
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let weight = words.get(3).map_or_else(|| "1".to_owned(), ToString::to_string);
            format!("{};{};{};{weight}\n", words[0], person(words[1]), person(words[2]))
        })
        .collect();
    let columns = ["--columns", "op,src,dst,weight", "--names", "--directed"];
    let write = |lines: usize| std::fs::write(&file, named[..lines].concat()).unwrap();
    let sorted = || {
        let text = std::fs::read_to_string(&out).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    let both = [&["empty", "--updates", text(&file), "--out", text(&out), "--batch", "300"], &columns[..]].concat();
    for app in ["bfs", "cc", "sssp"] {
        let source: &[&str] = if app == "cc" { &[] } else { &["--source", "person-3"] };
        for (processes, lines) in [("2", 1000), ("3", 2000), ("1", 2100), ("4", named.len())] {
            write(lines);
            let kept = ["--into", text(&into), "--range", "16", "--processes", processes, "--app", app, "--every", "2"];
            stdout(&[&["cluster", "stream"], &both[..], &kept, source].concat());
            let several = sorted();
            let command = if app == "cc" { "cc".to_owned() } else { format!("{app} --source person-3") };
            stdout(&[&["stream"], &both[..], &["--weighted", "--app", &command]].concat());
            assert!(several == sorted(), "{app} by {processes}");
        }
        std::fs::remove_dir_all(&into).unwrap_or_default();
    }
    let run = ["cluster", "stream", "--app", "bfs", "--source"];
    let message = failure(&[&run[..], &["nobody"], &both[..]].concat(), 1);
    assert!(message.contains("no vertex nobody"), "{message}");
    // Numbers of names are no numbers of vertices.
    stdout(&[&["cluster", "stream", "--into", text(&into), "--app", "cc"], &both[..]].concat());
    let numbers = ["cluster", "stream", "empty", "--updates", text(&file), "--into", text(&into)];
    let message = failure(&numbers, 1);
    assert!(message.contains("whose vertices are called by names"), "{message}");
    let message = failure(&["cluster", "stream", "karate", "--updates", text(&file), "--names"], 2);
    assert!(message.contains("must be `empty`"), "{message}");
}

#[test]
fn wrong_streams_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad");
    std::fs::write(&bad, "+ 1 2\nu 1 2\n").unwrap();
    let stream = |more: &[&str], status: i32| {
        failure(&[&["cluster", "stream", "empty", "--processes", "2"], more].concat(), status)
    };
    let message = stream(&["--updates", text(&bad)], 1);
    assert!(message.contains("bad:2: the line changes a weight, but has none"), "{message}");
    let message = stream(&["--updates", "no/such"], 1);
    assert!(message.contains("no/such"), "{message}");
    let message = stream(&["--updates", "-"], 2);
    assert!(message.contains("named pipe"), "{message}");
    let message = stream(&["--updates", text(&bad), "--source", "3"], 2);
    assert!(message.contains("--app"), "{message}");
}

/// Free ports of this machine. Each port is handed out once. They lie below the range from which the system chooses a port when a program asks
/// for any, so that no other test gets one of them.
fn ports() -> impl Iterator<Item = u16> {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 20_000 + (std::process::id() % 100 * 100) as u16;
    std::iter::repeat_with(move || first + NEXT.fetch_add(1, Ordering::Relaxed))
        .filter(|&port| std::net::TcpListener::bind(("127.0.0.1", port)).is_ok())
}

/// A file of addresses that are free.
fn hosts(folder: &Path, n: usize) -> std::path::PathBuf {
    let lines: String = ports().take(n).map(|port| format!("127.0.0.1:{port}\n")).collect();
    let file = folder.join("hosts");
    std::fs::write(&file, lines).unwrap();
    file
}

#[test]
fn printed_commands_start_the_processes() {
    let folder = tempfile::tempdir().unwrap();
    let hosts = hosts(folder.path(), 2);
    let commands = stdout(&["cluster", "start", "--hosts", text(&hosts), "--", "run", "cc", "karate", "--json"]);
    let commands: Vec<&str> = commands.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(commands.len(), 2);
    let start = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words[0], "pleach");
        Command::new(env!("CARGO_BIN_EXE_pleach")).args(&words[1..]).stdout(Stdio::piped()).spawn().unwrap()
    };
    let started: Vec<_> = commands.iter().map(|line| start(line)).collect();
    let outputs: Vec<_> = started.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    assert!(outputs.iter().all(|output| output.status.success()));
    let printed: serde_json::Value = serde_json::from_slice(&outputs[0].stdout).unwrap();
    assert_eq!(printed["result"]["components"], 1);
    assert!(outputs[1].stdout.is_empty());
}

#[test]
fn commands_that_cannot_run_are_not_printed() {
    let folder = tempfile::tempdir().unwrap();
    let hosts = hosts(folder.path(), 2);
    for (command, words) in [
        (&["run", "nope", "karate"][..], "nope"),
        (&["run", "cc", "karate", "--hosts", "other"], "--hosts"),
        (&["stream", "empty", "--updates", "f", "--processes", "3"], "--processes"),
        (&["start", "--hosts", "hosts"], "expected `run` or `stream`"),
        (&["run", "cc", "karate", "--source", "1"], "--source"),
    ] {
        let message = failure(&[&["cluster", "start", "--hosts", text(&hosts), "--"], command].concat(), 2);
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn a_reader_that_ends_ends_all_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let file = edges(folder.path());
    let mut child = Command::new(env!("CARGO_BIN_EXE_pleach"))
        .args(["-q", "cluster", "run", "degree", text(&file), "--processes", "2", "--out", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_host_that_does_not_come_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let hosts = hosts(folder.path(), 2);
    let message =
        failure(&["cluster", "run", "cc", "karate", "--hosts", text(&hosts), "--process", "0", "--patience", "0"], 1);
    assert!(message.contains("worker 1") && message.contains("127.0.0.1:"), "{message}");
}

/// Starts process `k` of the hosts.
fn process(hosts: &Path, k: &str, arguments: &[&str]) -> std::process::Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pleach"));
    command.args(["-q", "cluster", "run"]).args(arguments);
    command.args(["--hosts", text(hosts), "--process", k, "--patience", "3"]);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn processes_with_other_arguments_do_not_join() {
    let folder = tempfile::tempdir().unwrap();
    let hosts = hosts(folder.path(), 2);
    let started = [process(&hosts, "0", &["cc", "karate"]), process(&hosts, "1", &["degree", "karate"])];
    let said = started.map(|child| {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    });
    assert!(said.iter().any(|said| said.contains("not worker 0 of the same run")), "{said:?}");
    assert!(said.iter().any(|said| said.contains("callers were refused")), "{said:?}");
    // The folder of the graph may differ.
    let copy = |name: &str| {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        let file = folder.path().join(name).join("graph.txt");
        std::fs::write(&file, "1 2\n2 3\n").unwrap();
        file
    };
    let (one, two) = (copy("one"), copy("two"));
    let started = [process(&hosts, "0", &["cc", text(&one)]), process(&hosts, "1", &["cc", text(&two)])];
    assert!(started.map(|child| child.wait_with_output().unwrap()).iter().all(|output| output.status.success()));
}

/// Answers a process with what worker 1 of its run says first, and then other bytes.
fn copied_greeting(bytes: &[u8]) {
    use std::io::{Read as _, Write as _};
    let folder = tempfile::tempdir().unwrap();
    let hosts = hosts(folder.path(), 2);
    let address = std::fs::read_to_string(&hosts).unwrap().lines().next().unwrap().to_owned();
    let listener = std::net::TcpListener::bind(&address).unwrap();
    let mut one = process(&hosts, "1", &["cc", "karate"]);
    let mut hello = [0; 40];
    listener.accept().unwrap().0.read_exact(&mut hello).unwrap();
    drop(listener);
    one.kill().unwrap();
    one.wait().unwrap();
    let child = process(&hosts, "0", &["cc", "karate"]);
    let mut socket = loop {
        if let Ok(socket) = std::net::TcpStream::connect(&address) {
            break socket;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    socket.write_all(&[&hello[..], bytes].concat()).unwrap();
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("worker 1 (127.0.0.1:") && message.contains("callers were refused"), "{message}");
    assert!(!message.contains("panicked"), "{message}");
}

#[test]
fn whoever_copies_a_greeting_is_no_worker() {
    let all: [&[u8]; 3] = [&[0x5a; 4000], &[], &[0; 79]];
    // All at once: each waits as long as a process has patience.
    std::thread::scope(|scope| {
        for bytes in all {
            scope.spawn(move || copied_greeting(bytes));
        }
    });
}

#[test]
fn processes_know_each_other_by_their_secret() {
    let folder = tempfile::tempdir().unwrap();
    let hosts = hosts(folder.path(), 2);
    let secret = |name: &str, words: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, words).unwrap();
        text(&file).to_owned()
    };
    let (one, same, other) = (secret("one", "open sesame\n"), secret("same", "open sesame"), secret("other", "barley"));
    let run = |k: &str, secret: &str| process(&hosts, k, &["cc", "karate", "--secret", secret]);
    let ended = |started: [std::process::Child; 2]| started.map(|child| child.wait_with_output().unwrap());
    assert!(ended([run("0", &one), run("1", &same)]).iter().all(|output| output.status.success()));
    let outputs = ended([run("0", &one), run("1", &other)]);
    let said = outputs.map(|output| String::from_utf8(output.stderr).unwrap());
    assert!(said[1].contains("not worker 0 of the same run") && said[1].contains("the same secret"), "{said:?}");
    assert!(said[0].contains("worker 1") && said[0].contains("callers were refused"), "{said:?}");
    let [empty, another] = ended([run("0", &secret("empty", " \n")), run("1", "no/such")]);
    assert!(String::from_utf8(empty.stderr).unwrap().contains("empty: expected a secret, found nothing"));
    assert!(String::from_utf8(another.stderr).unwrap().contains("no/such"));
}

#[test]
fn a_port_that_is_taken_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let (hosts, address) = (folder.path().join("hosts"), listener.local_addr().unwrap().to_string());
    std::fs::write(&hosts, format!("{address}\n127.0.0.1:1\n")).unwrap();
    let message = failure(&["cluster", "run", "cc", "karate", "--hosts", text(&hosts), "--process", "0"], 1);
    assert!(
        message.contains("worker 0") && message.contains(&address) && message.contains("another port"),
        "{message}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_is_killed_ends_all() {
    let child = Command::new(env!("CARGO_BIN_EXE_pleach"))
        .args(["cluster", "run", "pagerank", "rmat:12", "--processes", "3", "--iterations", "100000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let workers = |of: u32| -> Vec<u32> {
        let list = std::fs::read_to_string(format!("/proc/{of}/task/{of}/children")).unwrap_or_default();
        list.split_whitespace().map(|id| id.parse().unwrap()).collect()
    };
    let mut found = workers(child.id());
    while found.len() < 3 {
        std::thread::sleep(std::time::Duration::from_millis(5));
        found = workers(child.id());
    }
    // Anywhere between the start and the middle of the iteration.
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(Command::new("kill").args(["-KILL", &found[1].to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("worker 1") && message.contains("signal 9"), "{message}");
    assert!(found.iter().all(|id| !Path::new(&format!("/proc/{id}/fd")).exists()), "all have ended");
    assert!(!pleach(&["cluster"]).status.success());
}
