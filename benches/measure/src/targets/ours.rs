//! Targets that a run decides without programs of others: stores beside static rows, compiled kernels beside loops by hand, bounds.

use super::{DEFAULT, Figure, GRAPHS, Rule, SIZES, figure};
use crate::suites::pagerank::{ANEW, BEFORE, BUILDING, INSIDE, MEMORY};

/// Adds a target: its name, the condition in words, and how it is decided.
type Add<'a> = dyn FnMut(&str, &'static str, Rule) + 'a;

/// All of them.
pub fn all(add: &mut Add<'_>) {
    kernels_over_stores(add);
    building(add);
    static_kernels(add);
    with_stores(add);
    updates(add);
    readers(add);
    algorithms(add);
    streams(add);
    conversions(add);
}

/// The kernel of PageRank over stores.
fn kernels_over_stores(add: &mut Add<'_>) {
    for graph in GRAPHS {
        for (store, form, target, most) in [
            (DEFAULT, BEFORE, "≤ 1.15 × CSR", 1.15),
            ("bst,bst", BEFORE, "≤ 3.2 × CSR", 3.2),
            ("dense,blist", INSIDE, "≤ 1.25 × CSR", 1.25),
            ("dense,vblist", INSIDE, "≤ 1.25 × CSR", 1.25),
            ("dense,btree", INSIDE, "≤ 1.25 × CSR", 1.25),
        ] {
            let name = format!("{form}: {graph}, {store}, against static rows");
            add(&name, target, Rule::Ratio(figure("pagerank", graph, form, store), "csr", most));
        }
        // Arcs at random places make a grid another graph: what ages is compared with the same arcs in a new store.
        let aged = Rule::Ratio(figure("pagerank", graph, "kernel, x/d inside, aged", DEFAULT), ANEW, 1.2);
        add(&format!("default store after a tenth of the arcs was replaced: {graph}"), "≤ 1.2 × its fresh time", aged);
    }
    // The other graphs have goals of their own, beside those of programs of others.
    for (store, target, most) in [("bst,ctree", "≤ 1.40 × CSR", 1.40), ("bst,bst", "≤ 2.3 × CSR", 2.3)] {
        let rule = Rule::Ratio(figure("pagerank", "rgg20", INSIDE, store), "csr", most);
        add(&format!("{INSIDE}: rgg20, {store}, against static rows"), target, rule);
    }
    for (kind, store) in [("coded", "paged,packed_delta"), ("default", DEFAULT)] {
        let rule = Rule::AtMost(figure("pagerank", "grid2048", MEMORY, store), 5.5);
        add(&format!("bytes per arc of the {kind} store: grid2048"), "≤ 5.5 B/arc", rule);
    }
}

/// Building a graph from unsorted arcs in memory.
fn building(add: &mut Add<'_>) {
    for graph in GRAPHS {
        let of = figure("pagerank", graph, BUILDING, DEFAULT);
        add(&format!("building the default store: {graph}"), "≥ 40 M arcs/s", Rule::Arcs(of, 40e6));
        add(
            &format!("building the default store against static rows: {graph}"),
            "≤ 1.5 × CSR",
            Rule::Ratio(of, "csr", 1.5),
        );
    }
}

/// Compiled kernels beside loops by hand, on every matrix and by every number of threads of the run.
fn static_kernels(add: &mut Add<'_>) {
    let target = "≤ 1.05 × the loop by hand";
    for (format, by_hand) in [
        ("csr", "csr by hand"),
        ("coo", "coo by hand"),
        ("ell", "ell by hand"),
        ("dia", "dia by hand"),
        ("bcsr 6x6", "bcsr 6x6 by hand"),
    ] {
        let rule = Rule::Ratio(figure("spmv-formats", "", "spmv", format), by_hand, 1.05);
        add(&format!("SpMV, {format}"), target, rule);
    }
    for (suite, work) in [
        ("kernels", "csr + csr, counted and filled"),
        ("kernels", "spmm, 32 columns"),
        ("kernels", "sddmm, 32"),
        ("tensor", "ttv, csf"),
        ("tensor", "ttm, csf, 16 columns"),
        ("tensor", "mttkrp, coo, rank 32"),
        ("tensor", "mttkrp, csf, rank 32"),
    ] {
        let rule = Rule::Ratio(figure(suite, "", work, "pleach"), "by hand", 1.05);
        add(&format!("{work}, compiled"), target, rule);
    }
    let rule = Rule::AtMost(figure("compile", "", "", "pleach"), 5e-3);
    add("compiling one expression to Rust", "≤ 5 ms", rule);
}

/// Sums and products of which one side is a store.
fn with_stores(add: &mut Add<'_>) {
    for graph in GRAPHS {
        for (store, target, most) in [("bst,bst", "≤ 2.5 × CSR + CSR", 2.5), ("bst,ctree", "≤ 1.6 × CSR + CSR", 1.6)]
        {
            let rule = Rule::Ratio(figure("add", graph, "store + csr into csr", store), "csr", most);
            add(&format!("{store} + CSR into CSR: {graph}"), target, rule);
        }
        let rule = Rule::Ratio(figure("spmv", graph, "spmv into a search tree", "bst,bst"), "csr, into an array", 3.3);
        add(&format!("SpMV from bst,bst into a tree: {graph}"), "≤ 3.3 × CSR into an array", rule);
    }
}

/// Rates of batches: inserted in place, and published.
const RATES: [(f64, &str, f64, &str); 5] = [
    (2e6, "≥ 2 M arcs/s", 3e5, "≥ 300 k arcs/s"),
    (5e6, "≥ 5 M arcs/s", 2e6, "≥ 2 M arcs/s"),
    (2e7, "≥ 20 M arcs/s", 1.5e7, "≥ 15 M arcs/s"),
    (5e7, "≥ 50 M arcs/s", 4e7, "≥ 40 M arcs/s"),
    (1e8, "≥ 100 M arcs/s", 9e7, "≥ 90 M arcs/s"),
];

/// What deletes the same batches.
const DELETIONS: [&str; 5] = [
    "delete 10 arcs, skewed, in place",
    "delete 1000 arcs, skewed, in place",
    "delete 100000 arcs, skewed, in place",
    "delete 1000000 arcs, skewed, in place",
    "delete 10000000 arcs, skewed, in place",
];

/// Batches into the default store.
fn updates(add: &mut Add<'_>) {
    for (at, (arcs, in_place, published)) in SIZES.into_iter().enumerate() {
        let (least, target, least_published, target_published) = RATES[at];
        let of = |graph, work| figure("updates", graph, work, DEFAULT);
        add(&format!("insertion, batches of {arcs}: rmat20"), target, Rule::AtLeast(of("rmat20", in_place), least));
        let rule = Rule::AtLeast(of("rmat20", published), least_published);
        add(&format!("insertion, published, batches of {arcs}: rmat20"), target_published, rule);
        let rule = Rule::Works(of("rmat20", DELETIONS[at]), in_place, 1.2);
        add(&format!("deletion, batches of {arcs}: rmat20"), "≤ 1.2 × the time of insertion", rule);
        for graph in &GRAPHS[1..] {
            let rule = Rule::Rate(of(graph, in_place), "Vec<Vec>", 1.2);
            let name = format!("insertion in place, batches of {arcs}: {graph}");
            add(&name, "≥ 1.2 × the rate of sorted Vec<Vec>", rule);
        }
    }
}

/// Single edges, and readers beside a writer.
fn readers(add: &mut Add<'_>) {
    for graph in GRAPHS {
        for (name, work, target, most) in [
            ("inserting one edge", "insert one edge, median", "≤ 500 ns", 0.5e-6),
            ("inserting one edge, 99.9 %", "insert one edge, 99.9 %", "≤ 50 µs", 50e-6),
            ("acquiring a snapshot, median", "latest snapshot beside a writer, median", "≤ 200 ns", 200e-9),
            ("acquiring a snapshot, slowest", "latest snapshot beside a writer, slowest", "≤ 1 ms", 1e-3),
        ] {
            add(&format!("{name}: {graph}"), target, Rule::AtMost(figure("updates", graph, work, DEFAULT), most));
        }
        let busy = figure("updates", graph, "pagerank kernel beside a writer, paged,packed", "beside a busy writer");
        let rule = Rule::Ratio(busy, "beside an idle writer", 1.15);
        add(&format!("PageRank beside a writer, on the other cores: {graph}"), "≤ 1.15 × beside an idle one", rule);
    }
}

/// Algorithms over the default store beside static rows.
fn algorithms(add: &mut Add<'_>) {
    for graph in GRAPHS {
        for app in ["bfs", "cc", "sssp", "bc", "tc", "pagerank"] {
            let rule = Rule::Ratio(figure("apps", graph, app, DEFAULT), "csr", 1.25);
            add(&format!("{app}: {graph}, default store against static rows"), "≤ 1.25 × our CSR", rule);
        }
    }
}

/// Updates from a file of lines.
fn streams(add: &mut Add<'_>) {
    let work = "batches of 10000 lines, skewed, in place";
    for graph in GRAPHS {
        let directed = figure("stream", graph, work, "directed, with in-arcs");
        let rule = Rule::Rate(directed, "undirected", 0.6);
        add(&format!("directed updates from a file: {graph}"), "≥ 0.6 × the rate of undirected ones", rule);
        add(&format!("updates from a file, directed: {graph}"), "≥ 5 M lines/s", Rule::AtLeast(directed, 5e6));
        let undirected = Rule::AtLeast(Figure { competitor: "undirected", ..directed }, 5e6);
        add(&format!("updates from a file, undirected: {graph}"), "≥ 5 M lines/s", undirected);
    }
}

/// Conversions by several threads.
fn conversions(add: &mut Add<'_>) {
    for (name, work) in [
        ("COO to CSR", "coo to csr"),
        ("CSR to CSC", "csr to csc"),
        ("CSR to DIA", "csr to dia"),
        ("CSR to ELL", "csr to ell"),
        ("COO to DIA", "coo to dia"),
        ("CSC to DIA", "csc to dia"),
        ("CSC to ELL", "csc to ell"),
    ] {
        let rule = Rule::Threads(figure("convert", "", work, "pleach"), 4, 2.5);
        add(&format!("{name}, four threads"), "≥ 2.5 × as fast as by one, where the traffic allows", rule);
    }
}
