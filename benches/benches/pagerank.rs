//! The kernel of PageRank, `y(i) += A(i,j) * x(j) / d(j)`, over every store and static CSR in one run, with the division in the inner
//! loop and with `x / d` computed first.
//!
//! `cargo bench -p pleach-benches --bench pagerank [-- FILTER]`
//!
//! Graphs: `rmat20` (Graph500 R-MAT of scale 20, 16 edges a vertex, symmetrised), and the web graph `cnr-2000` where the
//! environment variable `PLEACH_DATA` names a folder that holds `graphs/cnr-2000.tsv.gz`. Throughput is in arcs. For ratios that
//! are taken in turn, round by round, see `pleach bench pagerank`.

use std::path::PathBuf;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pleach::kernels::pagerank::{sum_quotients, sum_shares};
use pleach::{BuildOptions, Csr, EdgeList, Rows};
use pleach_datasets::{Options, open};
use pleach_erased::{AnyMatrix, StoreName};
use pleach_measure::pagerank::telling_pairs;

#[global_allocator]
static GLOBAL: jemallocator::Jemalloc = jemallocator::Jemalloc;

criterion_group!(benches, pagerank);
criterion_main!(benches);

fn pagerank(criterion: &mut Criterion) {
    on(criterion, "rmat20", "rmat20");
    let file = std::env::var_os("PLEACH_DATA").map(|folder| PathBuf::from(folder).join("graphs/cnr-2000.tsv.gz"));
    match file.as_ref().filter(|file| file.exists()).and_then(|file| file.to_str()) {
        Some(file) => on(criterion, "cnr-2000", file),
        None => eprintln!("cnr-2000 is left out: PLEACH_DATA names no folder that holds graphs/cnr-2000.tsv.gz"),
    }
}

/// Measures every store on one graph, a store in memory at a time.
fn on(criterion: &mut Criterion, title: &str, name: &str) {
    let graph = open(name, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    let build: BuildOptions<()> = graph.build_options();
    let edges: EdgeList = graph.edges.into_pattern();
    let mut group = criterion.benchmark_group(format!("pagerank/{title}"));
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    let (csr, _) = Csr::from_edges(&edges, &build).unwrap_or_else(|error| panic!("{error}"));
    let csr = csr.view();
    let d: Vec<f64> = csr.col_degrees().into_iter().map(|degree| f64::from(degree.max(1))).collect();
    let x: Vec<f64> = (0..csr.num_cols()).map(|j| 1.0 / (1.0 + j as f64)).collect();
    let w: Vec<f64> = x.iter().zip(&d).map(|(x, d)| x / d).collect();
    let mut y = vec![0.0; csr.num_rows()];
    let fits = "the arrays were made to fit";
    group.throughput(Throughput::Elements(csr.nnz() as u64));
    for store in telling_pairs() {
        let (by_division, by_share) =
            (BenchmarkId::new("sum_quotients", &store), BenchmarkId::new("x/d first", &store));
        if store == StoreName::Csr {
            group.bench_function(by_division, |b| b.iter(|| sum_quotients(&mut y, &csr, &x, &d).expect(fits)));
            group.bench_function(by_share, |b| b.iter(|| sum_shares(&mut y, &csr, &w).expect(fits)));
            continue;
        }
        let (matrix, _) = AnyMatrix::from_edges(&store, &edges, &build).unwrap_or_else(|error| panic!("{error}"));
        group.bench_function(by_division, |b| b.iter(|| matrix.sum_quotients(&mut y, &x, &d).expect(fits)));
        group.bench_function(by_share, |b| b.iter(|| matrix.sum_shares(&mut y, &w).expect(fits)));
    }
    group.finish();
}
