//! `pleach bench`: every suite runs on small graphs and prints one document.

use std::collections::BTreeSet;

use crate::common::{failure, json, stdout};
use serde_json::Value;

/// What a suite prints with as little repetition as can be.
fn measured(suite: &str, more: &[&str]) -> Value {
    let mut arguments = vec!["bench", suite, "--rounds", "1", "--seconds", "0.01", "--json"];
    arguments.extend(more);
    let document = json(&arguments);
    assert_eq!(document["format"], "pleach-bench-1");
    assert!(document["machine"]["triad_gb_per_second"].as_f64() > Some(0.0));
    assert!(document["machine"]["gather_m_per_second"].as_f64() > Some(0.0));
    for row in document["rows"].as_array().unwrap() {
        assert_eq!(row["suite"], suite);
        assert_ne!(row["median"].is_null(), row["skipped"].is_null(), "a figure, or why there is none: {row}");
    }
    document
}

/// The competitors that have a figure for some work.
fn competitors(document: &Value, work: &str) -> Vec<String> {
    let rows = document["rows"].as_array().unwrap().iter();
    let found = rows.filter(|row| row["work"] == work && row["skipped"].is_null());
    found.map(|row| row["competitor"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn kernels_over_stores_are_measured_fresh_and_aged() {
    let stores = ["--graph", "karate", "--graph", "rmat8", "--store", "paged,packed", "--store", "aspen"];
    let document = measured("pagerank", &stores);
    let graphs = document["graphs"].as_array().unwrap();
    assert_eq!((graphs.len(), &graphs[0]["arcs"], &graphs[0]["max_degree"]), (2, &156.into(), &17.into()));
    for work in ["building", "memory", "memory, aged"] {
        assert_eq!(competitors(&document, work), ["csr", "paged,packed", "bst,ctree"].repeat(2), "{work}");
    }
    assert_eq!(competitors(&document, "kernel, x/d inside"), ["csr", "paged,packed", "bst,ctree", "by hand"].repeat(2));
    for work in ["kernel, x/d inside, aged", "kernel, x/d before, aged"] {
        let aged = ["csr", "paged,packed", "bst,ctree", "paged,packed, built anew", "by hand"];
        assert_eq!(competitors(&document, work), aged.repeat(2), "{work}");
    }
    let plain = ["csr", "Vec<Vec>", "Vec<BTreeMap>", "petgraph", "graph_builder", "sprs"];
    assert_eq!(competitors(&document, "kernel, x/d inside, without Pleach"), plain.repeat(2));
    let rows = document["rows"].as_array().unwrap();
    let csr = rows.iter().find(|row| row["competitor"] == "csr" && row["work"] == "kernel, x/d inside").unwrap();
    assert_eq!((&csr["ratio"], &csr["beside"], &csr["side"]), (&1.0.into(), &"csr".into(), &"static".into()));
    assert!(csr["over_bandwidth"].as_f64() > Some(0.0));
}

#[test]
fn who_is_slow_holds_the_same_graph() {
    // With this little time, those that take longest are repeated once, and what a kernel has added up is not the same for all.
    let arguments = ["bench", "pagerank", "--graph", "rmat14", "--store", "bst,bst", "--rounds", "3", "--seconds", "0"];
    let document = json(&[&arguments[..], &["--fresh", "--json"]].concat());
    assert_eq!(competitors(&document, "kernel, x/d inside"), ["csr", "bst,bst", "by hand"]);
}

#[test]
fn algorithms_are_measured_with_several_numbers_of_threads() {
    let document = measured("apps", &["--graph", "rmat8", "--threads", "1,2"]);
    for work in ["bfs", "cc", "sssp", "sssp32", "bc", "tc", "pagerank", "pagerank32", "mis"] {
        assert_eq!(competitors(&document, work), ["csr", "paged,packed"].repeat(2), "{work}");
    }
    let threads: Vec<_> = document["rows"].as_array().unwrap().iter().map(|row| row["threads"].as_u64()).collect();
    assert!(threads.contains(&Some(1)) && threads.contains(&Some(2)));
    let document = measured("apps", &["--graph", "karate", "--app", "cc", "--threads", "2,1,2"]);
    assert_eq!(competitors(&document, "cc"), ["csr", "paged,packed"].repeat(2), "each number once");
    // Shortest paths need weights that are not negative: a row says so.
    let folder = tempfile::tempdir().unwrap();
    let negative = folder.path().join("negative.mtx");
    std::fs::write(&negative, "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 -1\n2 3 1\n").unwrap();
    let document = measured("apps", &["--graph", negative.to_str().unwrap(), "--app", "sssp", "--sources", "1"]);
    assert!(document["rows"][0]["skipped"].as_str().unwrap().contains("negative"), "{document}");
}

#[test]
fn work_and_span_are_recorded_for_more_threads_than_there_are() {
    let scaling = ["--graph", "rmat8", "--threads", "2", "--app", "bfs", "--record", "1,64", "--batch", "100"];
    let document = measured("scaling", &scaling);
    let rows = document["rows"].as_array().unwrap();
    let figure = |work: &str, competitor: &str, threads: u64| {
        let row = rows.iter().find(|row| {
            (&row["work"], &row["competitor"], &row["threads"]) == (&work.into(), &competitor.into(), &threads.into())
        });
        row.and_then(|row| row["median"].as_f64())
    };
    for (work, competitors) in [
        ("bfs", &["csr", "paged,packed"][..]),
        ("kernel, x/d inside", &["csr", "paged,packed"]),
        ("building", &["csr", "paged,packed"]),
        ("insert 100 arcs, published", &["paged,packed"]),
    ] {
        for name in competitors {
            assert!(figure(work, name, 1).is_some() && figure(work, name, 2).is_some(), "{work} of {name} is timed");
            for threads in [1, 64] {
                let of = |part: &str| figure(&format!("{work}, {part}"), name, threads).unwrap();
                assert!(0.0 < of("span") && of("span") <= of("work") && of("parallelism") >= 1.0, "{work} of {name}");
            }
        }
    }
    // Loops by hand are divided by another scheduler, which records nothing.
    assert!(figure("kernel, x/d inside", "by hand", 2).is_some());
    assert_eq!(figure("kernel, x/d inside, work", "by hand", 64), None);
}

#[test]
fn updates_are_measured_in_place_and_published() {
    let document = measured(
        "updates",
        &[
            "--graph",
            "rmat8",
            "--batch",
            "10",
            "--batch",
            "1000000",
            "--store",
            "aspen",
            "--watch",
            "0.01",
            "--threads",
            "3",
        ],
    );
    let note = |work: &str, competitor: &str| {
        let of = |row: &&Value| row["work"] == work && row["competitor"] == competitor;
        document["rows"].as_array().unwrap().iter().find(of).unwrap()["note"].clone()
    };
    for (work, competitor) in [
        ("pagerank kernel beside a writer, bst,ctree", "beside a busy writer"),
        ("writer beside the pagerank kernel", "bst,ctree"),
    ] {
        assert_eq!(note(work, competitor), "the kernel by 2 threads, the writer by one", "{work}");
    }
    let small = note("insert 10 arcs, skewed, in place", "csr rebuilt");
    assert_eq!(small, "of the graph without the batch, once for all sizes");
    let large = document["rows"].as_array().unwrap().iter().filter(|row| row["competitor"] == "csr rebuilt");
    assert!(large.clone().any(|row| row["note"].is_null()), "with a large batch, static rows are built with it");
    assert_eq!(
        competitors(&document, "insert 10 arcs, skewed, in place"),
        ["bst,ctree", "csr rebuilt", "Vec<Vec>", "Vec<BTreeMap>"]
    );
    for work in [
        "mixed 10 arcs, uniform, published, 8 held",
        "insert one edge, 99.9 %",
        "memory, after updates",
        "memory, aged",
        "delete 10 arcs, skewed, in place, aged",
        "fresh snapshot beside a writer, median",
    ] {
        assert_eq!(competitors(&document, work), ["bst,ctree"], "{work}");
    }
    for call in [
        "latest snapshot beside a writer",
        "nothing in place of a snapshot beside a writer",
        "commit of 1000 arcs beside a reader",
    ] {
        let work = format!("{call}, slowest");
        assert_eq!(competitors(&document, &work), ["bst,ctree"], "{work}");
        let row = document["rows"].as_array().unwrap().iter().find(|row| row["work"] == work[..]).unwrap();
        assert_eq!(row["note"], "over 0.01 s", "the slowest of some calls depends on how many there are: {row}");
    }
    let folder = tempfile::tempdir().unwrap();
    let nothing = folder.path().join("nothing.mtx");
    std::fs::write(&nothing, "%%MatrixMarket matrix coordinate pattern general\n3 3 0\n").unwrap();
    for suite in ["updates", "incremental"] {
        let message = failure(&["bench", suite, "--graph", nothing.to_str().unwrap(), "--rounds", "1", "--json"], 1);
        assert!(message.contains("there are no edges to draw updates from"), "{message}");
    }
}

#[test]
fn results_that_follow_a_graph_are_measured() {
    let document = measured("incremental", &["--graph", "rmat8", "--batch", "3"]);
    for work in ["cc, batch of 3", "pagerank, batch of 3", "iterations of pagerank, batch of 3"] {
        assert_eq!(competitors(&document, work), ["anew", "following"], "{work}");
    }
}

#[test]
fn stores_are_measured_as_matrices() {
    for graph in ["karate", "rmat8"] {
        let document = measured("spmv", &["--graph", graph]);
        let stores = ["paged,packed", "paged,packed_delta", "bst,ctree", "bst,bst"];
        assert_eq!(competitors(&document, "spmv"), [&["csr"], &stores[..]].concat());
        let document = measured("add", &["--graph", graph]);
        assert_eq!(
            competitors(&document, "store + csr into csr"),
            ["csr", "paged,packed", "bst,ctree", "bst,bst", "by hand"]
        );
        assert_eq!(competitors(&document, "csr + csr"), ["pleach", "the engine's plus", "by hand", "sprs"]);
        assert_eq!(competitors(&document, "transpose csr"), ["pleach", "sprs"]);
        assert_eq!(competitors(&document, "union of two vectors in search trees"), ["bst"]);
        assert_eq!(competitors(&document, "union of two matrices in bst,bst"), ["csr + csr", "bst,bst", "bst,ctree"]);
        let rows = document["rows"].as_array().unwrap();
        let serial =
            rows.iter().filter(|row| row["work"].as_str().unwrap().starts_with("union") && row["skipped"].is_null());
        assert!(serial.clone().count() == 4 && serial.clone().all(|row| row["threads"] == 1), "unions are serial");
    }
}

#[test]
fn memory_counts_plain_rust_and_what_algorithms_allocate() {
    let document = measured("memory", &["--graph", "rmat:12", "--store", "paged,packed"]);
    assert_eq!(
        competitors(&document, "rows, by the allocator"),
        ["csr", "paged,packed", "Vec<Vec>", "Vec<BTreeMap>", "petgraph", "graph_builder", "sprs"]
    );
    assert_eq!(competitors(&document, "tc, at its height"), ["csr", "paged,packed"]);
    let rows = document["rows"].as_array().unwrap();
    let taken = |name: &str| {
        let found = rows.iter().find(|row| row["work"] == "rows, by the allocator" && row["competitor"] == name);
        found.unwrap()["median"].as_f64().unwrap()
    };
    // A pointer, a length and a capacity for each vertex, and its neighbours.
    assert!(taken("Vec<Vec>") > taken("csr") && taken("petgraph") > taken("Vec<Vec>"), "{document}");
}

#[test]
fn questions_beside_updates_are_measured() {
    let document = measured("mixed", &["--graph", "rmat8", "--store", "aspen", "--batch", "4"]);
    for work in ["bfs", "cc", "pagerank, 3 iterations", "batches of 4 arcs beside cc"] {
        assert_eq!(competitors(&document, work), ["bst,ctree, alone", "bst,ctree, beside the other"], "{work}");
    }
}

#[test]
fn formats_and_kernels_are_measured_on_every_kind_of_matrix() {
    let document = measured("spmv-formats", &["--scale", "1000"]);
    for work in ["spmv, 0.01 of the vector", "spmv, 1 of the vector"] {
        assert_eq!(competitors(&document, work), ["dense array", "sparse", "hash map"].repeat(3), "{work}");
    }
    let rows = document["rows"].as_array().unwrap();
    let names = |graph: &str| {
        let products = |row: &&Value| row["graph"] == graph && row["work"] == "spmv" && row["skipped"].is_null();
        let found = rows.iter().filter(products);
        found.map(|row| row["competitor"].as_str().unwrap()).collect::<Vec<_>>()
    };
    let both = |names: &[&str]| {
        let by_hand = names.iter().filter(|name| **name != "hash").map(|name| format!("{name} by hand"));
        names.iter().map(ToString::to_string).chain(by_hand).collect::<Vec<_>>()
    };
    assert_eq!(names("eco/1000"), both(&["csr", "coo", "hash", "ell", "dia"]));
    assert!(names("fem/1000").contains(&"bcsr 6x6"));
    assert!(rows.iter().any(|row| row["skipped"].as_str().is_some_and(|why| why.contains("slots for each nonzero"))));
    for work in ["spdm, 32 columns", "coo + coo"] {
        assert_eq!(competitors(&document, work), ["coo", "coo by hand", "csr"].repeat(4), "{work}");
    }
    assert_eq!(competitors(&document, "spmv from coo, 4 times"), ["coo", "csr, assembled first"].repeat(4));
    let diagonals = rows.iter().filter(|row| row["graph"] == "nine diagonals, 0.5 filled");
    assert_eq!(diagonals.map(|row| row["competitor"].as_str().unwrap()).collect::<Vec<_>>(), ["csr", "dia"]);
    let document = measured("kernels", &["--scale", "1000", "--threads", "1"]);
    assert_eq!(competitors(&document, "spgemm, A A"), ["by hand", "pleach", "sprs"].repeat(4));
    let two = ["by hand", "pleach"];
    for work in ["spmv, csr", "csr + csr, counted and filled", "spmm, 32 columns", "sddmm, 32"] {
        assert_eq!(competitors(&document, work), two.repeat(4), "{work}");
    }
    let document = measured("convert", &["--graph", "eco", "--scale", "1000"]);
    for work in [
        "coo to csr",
        "csr to coo",
        "csr to csc",
        "csr to ell",
        "csc to ell",
        "csr to bcsr",
        "csr to dia",
        "transpose csr",
    ] {
        assert_eq!(competitors(&document, work), two, "{work}");
    }
    assert_eq!(competitors(&document, "a store to csr"), ["copy of the arrays", "paged,packed", "bst,ctree"]);
    let document = measured("tensor", &["--nonzeros", "2000", "--threads", "2,3"]);
    for work in ["ttv, csf", "ttm, csf, 16 columns", "plus, csf + csf", "innerprod, csf", "mttkrp, coo, rank 32"] {
        assert_eq!(competitors(&document, work), two, "{work}, once for all numbers of threads");
    }
    assert!(document["rows"].as_array().unwrap().iter().all(|row| row["threads"] == 1), "they are serial");
}

#[test]
fn files_and_the_compiler_are_measured() {
    let document = measured("load", &["--megabytes", "1"]);
    for file in ["plain.tsv", "plain.tsv.gz", "plain.sg", "plain.plg", "64-bit-ids.tsv", "real-weights.mtx"] {
        assert_eq!(competitors(&document, &format!("read {file}")), ["pleach"], "{file}");
    }
    let document = measured("compile", &["--threads", "2,3"]);
    assert_eq!(competitors(&document, "mttkrp"), ["pleach"], "once for all numbers of threads");
    assert!(document["rows"].as_array().unwrap().iter().all(|row| row["threads"] == 1), "it is serial");
}

#[test]
fn algorithms_as_expressions_find_the_same() {
    let document = measured("algebra", &["--graph", "rmat8", "--graph", "grid16"]);
    let works = [
        "search, by levels",
        "shortest paths, by rounds",
        "triangles, by degree beforehand",
        "labels of neighbours, once",
    ];
    for work in works {
        assert_eq!(competitors(&document, work), ["traversal", "expression"].repeat(2), "{work}");
    }
}

#[test]
fn graphs_in_directories_and_servers_are_measured() {
    let document = measured("kept", &["--graph", "rmat8"]);
    let kept = ["in memory", "in a directory, synced every 100 ms"];
    for kind in ["undirected", "directed"] {
        assert_eq!(competitors(&document, &format!("batch of 1000 edges, {kind}")), kept);
        for work in ["write and sync a checkpoint", "read a checkpoint", "difference of about 1000 edges"] {
            assert_eq!(competitors(&document, &format!("{work}, {kind}")), ["pleach"], "{work}");
        }
    }
    let document = measured("serve", &[]);
    for work in ["batch of 1000 updates, 4 clients, 99 %", "neighbours of a vertex, 8 clients, median"] {
        assert_eq!(competitors(&document, work), ["pleach"], "{work}");
    }
    let rates =
        document["rows"].as_array().unwrap().iter().filter(|row| row["work"].as_str().unwrap().ends_with(" second"));
    assert!(rates.clone().count() == 2 && rates.clone().all(|row| row["unit"] == "requests/s"), "more is better");
}

#[test]
fn lines_of_a_file_are_measured_through_the_command() {
    let document = measured("stream", &["--graph", "rmat8", "--lines", "5000", "--batch", "100"]);
    for work in ["batches of 100 lines, skewed, in place", "batches of 100 lines, uniform, published"] {
        assert_eq!(competitors(&document, work), ["undirected", "directed, with in-arcs"], "{work}");
    }
    assert!(document["rows"].as_array().unwrap().iter().all(|row| row["unit"] == "lines/s"));
}

/// What `bench readme` writes into a folder with a README.md, and the page beside a copy of the results there.
fn written(folder: &std::path::Path, results: &str) -> [String; 3] {
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let copy = folder.join("run.json");
    std::fs::copy(results, &copy).unwrap();
    stdout(&["bench", "readme", copy.to_str().unwrap(), folder.to_str().unwrap()]);
    [text("benches/README.md"), text("README.md"), text("run.html")]
}

#[test]
fn the_files_of_a_checkout_show_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(path("benches/missed")).unwrap();
    let results = format!("{}/tests/command/results/small.json", env!("CARGO_MANIFEST_DIR"));
    let root = |table: &str| {
        let [begin, end] = ["<!-- figures: `pleach bench readme` writes them -->", "<!-- end of the figures -->"];
        format!("# Before\n\n{begin}\n{table}{end}\n\nbehind\n")
    };
    std::fs::write(path("README.md"), root("old\n")).unwrap();
    std::fs::write(path("benches/missed/bfs-rmat20-default-store-against-static-rows.md"), "Half of it is\nmisses.\n")
        .unwrap();
    std::fs::write(path("benches/missed/cc-rmat20-default-store-against-static-rows.md"), "This one is met.\n")
        .unwrap();
    let [page, readme, html] = written(folder.path(), &results);
    assert!(html.starts_with("<!doctype html>") && html.contains("Some CPU"), "{}", &html[..200]);
    let table = "\n| store | `rmat20` | `grid2048` | bytes per arc, `rmat20` |\n|---|---|---|---|\n\
                 | `paged,packed` | 1.05 | 1.20 | 4.50 |\n| `bst,ctree` | 2.00 | – | 5.25 |\n\n\
                 By 2 threads, on Some CPU, 2026-11-23.\n\n";
    assert_eq!(readme, root(table));
    assert_eq!(written(folder.path(), &results), [page.clone(), readme, html], "writing it again changes nothing");
    // Targets come and go: what is written of them is held against parts below.
    let (figures, _) = page.split_once("\n## Targets\n").unwrap();
    let kept = format!("{}/tests/command/results/small.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var("PLEACH_GUIDE").is_ok_and(|write| write == "write") {
        std::fs::write(&kept, figures).unwrap();
    }
    assert_eq!(figures, std::fs::read_to_string(&kept).unwrap(), "PLEACH_GUIDE=write writes {kept} again");
    for part in [
        "| rmat20, 2 threads | `csr` | `paged,packed` |",
        "| bfs | 10.0 ms | 20.0 ms (2.00) |",
        "#### bfs: rmat20, default store against static rows\n\nHalf of it is\nmisses.\n",
        "* tc (rmat20 csr): it is directed",
        "\n### Not met\n\n| | target | measured |\n|---|---|---|\n",
        "| bfs: rmat20, default store against static rows | ≤ 1.25 × our CSR | 2.00 × |",
        "| cc: rmat20, default store against static rows | ≤ 1.25 × our CSR | 1.00 × |",
        "| insertion in place, batches of 10: rmat20 | ≥ 1.2 × the rate of sorted Vec<Vec> | 1.25 × |",
        "| insertion, batches of 10: rmat20 | ≥ 2 M arcs/s | 2.50 M arcs/s |",
        "* tc: rmat20, default store against static rows (≤ 1.25 × our CSR): `pleach bench apps --graph rmat20` measures it",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("This one is met"), "a note on a target that is met is left out");
    for wrong in ["no markers", &root("").repeat(2)] {
        std::fs::write(path("README.md"), wrong).unwrap();
        let message = failure(&["bench", "readme", &results, folder.path().to_str().unwrap()], 1);
        assert!(message.contains("between which the table is written"), "{message}");
    }
}

#[test]
fn the_files_of_this_checkout_show_the_run_that_is_kept() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    for marker in pleach_measure::readme::MARKERS {
        assert_eq!(readme.matches(marker).count(), 1, "README.md has one line {marker}");
    }
    // Runs are named by their dates: the last one is shown.
    let runs = std::fs::read_dir(root.join("benches/results")).into_iter().flatten();
    let runs = runs.map(|run| run.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == "json"));
    let Some(last) = runs.max() else { return };
    let results = pleach_measure::Results::parse(&std::fs::read_to_string(&last).unwrap()).unwrap();
    let again = format!("`pleach bench readme {} .` writes it", last.display());
    assert!(readme == pleach_measure::readme::with_table(&readme, &results).unwrap(), "README.md: {again}");
    let notes = pleach_measure::readme::notes(&root.join("benches/missed")).unwrap();
    let page = std::fs::read_to_string(root.join("benches/README.md")).unwrap();
    assert!(page == pleach_measure::readme::page(&results, &notes), "benches/README.md: {again}");
    let html = std::fs::read_to_string(last.with_extension("html")).unwrap();
    assert!(html == pleach_measure::report::page(&results), "{}: {again}", last.with_extension("html").display());
    let targets = pleach_measure::targets::targets();
    let of_targets: BTreeSet<&str> = targets
        .iter()
        .filter_map(|target| pleach_measure::readme::note_on(&target.name, &notes))
        .map(|(note, _)| note)
        .collect();
    for note in notes.keys() {
        assert!(of_targets.contains(&note[..]), "benches/missed/{note}.md: there is no target of this name");
    }
}

#[test]
fn all_suites_run_in_turn() {
    let arguments = [
        "bench",
        "all",
        "--graph",
        "karate",
        "--scale",
        "2000",
        "--rounds",
        "1",
        "--seconds",
        "0.01",
        "--watch",
        "0.01",
        "--json",
    ];
    let document = json(&arguments);
    let rows = document["rows"].as_array().unwrap();
    let mut suites: Vec<&str> = rows.iter().map(|row| row["suite"].as_str().unwrap()).collect();
    suites.sort_unstable();
    suites.dedup();
    let all = [
        "add",
        "algebra",
        "apps",
        "compile",
        "convert",
        "incremental",
        "kept",
        "kernels",
        "load",
        "memory",
        "mixed",
        "pagerank",
        "scaling",
        "serve",
        "spmv",
        "spmv-formats",
        "stream",
        "tensor",
        "updates",
    ];
    assert_eq!(suites, all);
}

#[test]
fn two_runs_are_held_against_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let mut document = measured("apps", &["--graph", "karate", "--app", "cc", "--app", "tc"]);
    let mut write = |name: &str, medians: &[f64]| {
        let rows = document["rows"].as_array_mut().unwrap();
        let measured = rows.iter_mut().filter(|row| row["skipped"].is_null());
        for (row, &median) in measured.zip(medians) {
            row["median"] = median.into();
            row["quartiles"] = vec![0.9 * median, 1.1 * median].into();
        }
        std::fs::write(path(name), document.to_string()).unwrap();
    };
    write("a.json", &[1.0, 1.0, 1.0, 1.0]);
    write("b.json", &[1.1, 2.0, 0.5, 1.0]);
    let found = json(&["bench", "compare", &path("a.json"), &path("b.json"), "--json"]);
    let verdicts: Vec<_> =
        found["bench_compare"].as_array().unwrap().iter().map(|row| row["verdict"].clone()).collect();
    assert_eq!(verdicts, ["same", "worse", "better", "same"]);
    let text = stdout(&["bench", "compare", &path("a.json"), &path("b.json")]);
    assert!(text.contains("4 figures: 1 better, 1 worse, 2 without a difference, 0 in one run only"), "{text}");
    std::fs::write(path("graph.json"), json(&["run", "cc", "karate", "--json"]).to_string()).unwrap();
    std::fs::write(path("other.json"), document.to_string().replace("pleach-bench-1", "pleach-bench-9")).unwrap();
    for (file, expected) in [
        ("graph.json", "expected what `pleach bench … --json` prints"),
        ("other.json", "expected a document of the format pleach-bench-1"),
        ("none.json", "No such file"),
    ] {
        let message = failure(&["bench", "compare", &path("a.json"), &path(file)], 1);
        assert!(message.contains(file) && message.contains(expected), "{message}");
        let message = failure(&["bench", "targets", "--from", &path(file)], 1);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn targets_are_judged_by_a_run() {
    let states = |arguments: &[&str]| {
        let found = json(&[&["bench", "targets", "--json"], arguments].concat());
        let all = found["bench_targets"].as_array().unwrap().clone();
        all.into_iter().map(|one| (one["name"].as_str().unwrap().to_owned(), one["state"].clone())).collect::<Vec<_>>()
    };
    let none = states(&[]);
    assert!(none.len() > 60 && none.iter().all(|(_, state)| state == "not measured"), "{none:?}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    let mut document = measured("pagerank", &["--graph", "karate", "--store", "paged,packed"]);
    for row in document["rows"].as_array_mut().unwrap() {
        row["graph"] = "rmat20".into();
        row["median"] = if row["competitor"] == "csr" { 4.0 } else { 4.3 }.into();
    }
    std::fs::write(&path, document.to_string()).unwrap();
    let found = states(&["--from", path.to_str().unwrap()]);
    let state = |name: &str| found.iter().find(|one| one.0 == name).map(|one| one.1.clone()).unwrap();
    assert_eq!(state("kernel of PageRank: rmat20, default store"), "met");
    assert_eq!(state("bytes per arc: rmat20, plain"), "met");
    assert_eq!(state("bytes per arc: rmat20, coded"), "not measured");
    assert_eq!(state("bfs: rmat20, default store"), "not measured");
    let text = stdout(&["bench", "targets", "--from", path.to_str().unwrap()]);
    assert!(text.contains("`pleach bench pagerank --graph grid2048` measures it"), "{text}");
}

/// All numbers of a document, as its text has them: the parser of JSON may be off by a last digit.
fn numbers(text: &str) -> Vec<f64> {
    let part = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
    text.split(|c| !part(c)).filter_map(|number| number.parse().ok()).collect()
}

#[test]
fn every_number_of_the_page_stands_in_the_document() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("new/report");
    let printed = measured("apps", &["--graph", "rmat8", "--report", report.to_str().unwrap()]);
    let text = std::fs::read_to_string(report.join("results.json")).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document, printed);
    let page = std::fs::read_to_string(report.join("index.html")).unwrap();
    let known = numbers(&text);
    let cells: Vec<f64> =
        page.split("data-v=\"").skip(1).map(|rest| rest.split('"').next().unwrap().parse().unwrap()).collect();
    // Five of the graph, and of nine algorithms by static rows and by a store: threads, median, quartiles, ratio, repetitions; and of each
    // program that is not given the threads.
    let rows = document["rows"].as_array().unwrap();
    let skipped = rows.iter().filter(|row| !row["skipped"].is_null()).count();
    assert_eq!((cells.len(), rows.len()), (5 + 2 * 9 * 6 + skipped, 2 * 9 + skipped));
    for cell in cells {
        assert!(known.contains(&cell), "{cell} is not in the document");
    }
    let embedded = page.split("id=\"results\">").nth(1).unwrap().split("</script>").next().unwrap();
    assert_eq!(serde_json::from_str::<Value>(&embedded.replace("<\\/", "</")).unwrap(), document);
    assert!(page.contains("class=\"diagonal\"") && page.matches("<circle").count() == 9);
    for request in ["http:", "https:", "src=", "href=", "@import", "url("] {
        assert!(!page.contains(request), "the page asks the network: {request}");
    }
}

#[test]
fn the_table_shows_the_machine_and_every_comparison() {
    let text = stdout(&["bench", "apps", "--graph", "karate", "--app", "cc", "--rounds", "2", "--cold", "--pin"]);
    for part in ["cores", "triad", "2 repetitions", "cold caches", "pinned threads", "apps: cc, karate", "paged,packed"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// A program of others that is a script runs beside ours, and all others are rows that say how they would be given.
#[test]
#[cfg(unix)]
fn programs_of_others_are_measured_beside_ours() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine");
    let script =
        "#!/bin/sh\nfor trial in 1 2 3 4 5 6 7; do echo \"RESULT $1 $2 $3 seconds=0.5 arcs_per_second=7\"; done\n";
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let peer = format!("mine={}", path.display());
    for (suite, work, median) in [
        ("apps", "bfs", 0.5),
        ("pagerank", "kernel, x/d inside", 0.5),
        ("spmv", "spmv into a search tree", 0.5),
        ("add", "store + csr into csr", 0.5),
        ("kernels", "spgemm, A A", 0.5),
        ("kernels", "sddmm, 32", 0.5),
        ("updates", "insert 10 arcs, skewed, published", 7.0),
    ] {
        let watch: &[&str] = if suite == "updates" { &["--watch", "0.01"] } else { &[] };
        let document = measured(suite, &[&["--graph", "karate", "--peer", &peer], watch].concat());
        let rows = document["rows"].as_array().unwrap();
        let found = rows.iter().find(|row| row["work"] == work && row["competitor"] == "mine");
        let found = found.unwrap_or_else(|| panic!("{suite}: {document}"));
        assert_eq!((&found["side"], found["median"].as_f64()), (&"peer".into(), Some(median)), "{found}");
        assert!(found["ratio"].as_f64().is_some(), "{found}");
    }
    let document = measured("memory", &["--graph", "karate", "--store", "paged,packed", "--peer", &peer]);
    let why = |name: &str| {
        let rows = document["rows"].as_array().unwrap();
        let row = rows.iter().find(|row| row["work"] == "rows, as each store says" && row["competitor"] == name);
        row.unwrap()["skipped"].as_str().unwrap().to_owned()
    };
    assert_eq!(why("mine"), "it printed a RESULT without bytes_per_arc=");
    assert_eq!(why("cpma"), "not given: --peer cpma=FOLDER");
}

#[test]
fn mistakes_are_refused() {
    for (arguments, status, expected) in [
        (vec!["apps", "--peer", "gap"], 2, "expected NAME=PATH"),
        (vec!["apps", "--peer", "csr=/bin/true"], 2, "csr is a competitor of ours"),
        (vec!["add", "--peer", "sprs=/bin/true"], 2, "sprs is a competitor of ours"),
        (vec!["compile", "--peer", "gap=/tmp"], 2, "unexpected argument '--peer'"),
        (vec!["pagerank", "--graph", "no-such-graph"], 1, "no-such-graph"),
        (vec!["pagerank", "--rounds", "0"], 2, "--rounds"),
        (vec!["pagerank", "--seconds=-1"], 2, "expected seconds from 0 to 3600"),
        (vec!["pagerank", "--seconds", "NaN"], 2, "expected seconds from 0 to 3600"),
        (vec!["pagerank", "--threads", "60000"], 2, "are of use"),
        (vec!["no-such-suite"], 2, "unrecognized subcommand"),
    ] {
        let arguments: Vec<&str> = ["bench"].into_iter().chain(arguments).chain(["--json"]).collect();
        let message = failure(&arguments, status);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}
