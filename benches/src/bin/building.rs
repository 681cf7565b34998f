//! How fast graphs are built from an unsorted edge array in memory: arcs a second, and nanoseconds an arc.
//!
//! `cargo run --release -p pleach-benches --bin building [-- GRAPH…]`
//!
//! "Fresh" allocates everything anew and so pays for the first touch of every page; "reused" keeps the scratch memory, not the
//! result's. Grid and geometric graph carry random labels, since the order of space would be sorted already.

use std::hint::black_box;
use std::time::Instant;

use pleach::sort::{SortScratch, map_row_blocks};
use pleach::{BuildOptions, BuildReport, Csr, Duplicates, EdgeList};
use pleach_datasets::{Options, open};

#[global_allocator]
static GLOBAL: jemallocator::Jemalloc = jemallocator::Jemalloc;

/// Each figure is the median of so many.
const ROUNDS: usize = 7;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = ["rmat20", "grid2048", "rgg20"].map(String::from).into();
    }
    println!("{} threads, medians of {ROUNDS}", rayon::current_num_threads());
    println!("{:<28} {:>10} {:>9} {:>16} {:>16}", "", "arcs", "merged", "fresh", "reused");
    for name in names {
        let graph = open(&name, &Options::default().with_permute(true))?;
        let (pattern_options, options) = (graph.build_options(), graph.build_options());
        let pattern = graph.edges.clone().into_pattern();
        let weighted = graph.edges.into_weighted();
        let sums = options.with_duplicates(Duplicates::sum());
        csr(&format!("{name} pattern"), &pattern, &pattern_options)?;
        csr(&format!("{name} f64"), &weighted, &sums)?;
        let mut scratch = SortScratch::new();
        // What every store pays before it builds its nodes.
        let (seconds, report) = median(|| {
            let (_, report) =
                map_row_blocks(&pattern, &pattern_options, &mut scratch, |block| black_box(block.num_rows()))?;
            Ok(report)
        })?;
        println!(
            "{:<28} {:>10} {:>9} {:>16} {:>16}",
            "  sorted rows alone",
            report.arcs,
            "",
            "",
            rate(seconds, &report)
        );
        let (matrix, _) = Csr::from_edges(&pattern, &pattern_options)?;
        let (seconds, report) = median(|| {
            let transposed = matrix.transpose();
            Ok(BuildReport { arcs: black_box(&transposed).nnz(), ..report })
        })?;
        println!("{:<28} {:>10} {:>9} {:>16} {:>16}", "  transposed", report.arcs, "", rate(seconds, &report), "");
    }
    Ok(())
}

/// Measures the build of compressed sparse rows.
fn csr<V: Copy + Default + Send + Sync + 'static>(
    name: &str,
    edges: &EdgeList<V>,
    options: &BuildOptions<V>,
) -> Result<(), Box<dyn std::error::Error>> {
    let (fresh, report) = median(|| Ok(black_box(Csr::from_edges(edges, options)?).1))?;
    let mut scratch = SortScratch::new();
    let (reused, _) = median(|| Ok(black_box(Csr::from_edges_with(edges, options, &mut scratch)?).1))?;
    let BuildReport { arcs, duplicates, .. } = report;
    println!("{name:<28} {arcs:>10} {duplicates:>9} {:>16} {:>16}", rate(fresh, &report), rate(reused, &report));
    Ok(())
}

/// The median time of a build in seconds, and what it reported.
fn median(
    mut build: impl FnMut() -> Result<BuildReport, Box<dyn std::error::Error>>,
) -> Result<(f64, BuildReport), Box<dyn std::error::Error>> {
    let mut report = build()?;
    let mut seconds = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        report = build()?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    Ok((seconds[ROUNDS / 2], report))
}

fn rate(seconds: f64, report: &BuildReport) -> String {
    let arcs = report.arcs as f64;
    format!("{:.0} M/s {:.2} ns", arcs / seconds / 1e6, seconds * 1e9 / arcs)
}
