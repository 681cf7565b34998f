//! The yardstick itself: PageRank's kernel on static CSR, the engine's against loops written by hand for this one layout.
//!
//! `cargo run --release -p pleach-benches --bin yardstick [-- GRAPH…]`
//!
//! The rounds of all variants are interleaved, so that a drift of the machine's speed affects them alike; ratios are to the engine's
//! kernel.

use std::time::Instant;

use pleach::kernels::pagerank::{sum_quotients, sum_shares};
use pleach::{Csr, CsrView, Rows};
use pleach_datasets::{Options, open};
use rayon::prelude::*;

#[global_allocator]
static GLOBAL: jemallocator::Jemalloc = jemallocator::Jemalloc;

/// Each figure is the median of so many.
const ROUNDS: usize = 21;

/// One variant: adds into `y`.
type Kernel<'a> = (&'static str, Box<dyn Fn(&mut [f64]) + 'a>);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = ["rmat20", "grid2048", "rgg20"].map(String::from).into();
    }
    println!("{} threads, medians of {ROUNDS}", rayon::current_num_threads());
    for name in names {
        let graph = open(&name, &Options::default())?;
        let options = graph.build_options();
        let (matrix, report) = Csr::from_edges(&graph.edges.into_pattern(), &options)?;
        let a = matrix.view();
        let x: Vec<f64> = (0..a.num_cols()).map(|j| 1.0 + (j % 97) as f64).collect();
        let d: Vec<f64> = a.col_degrees().into_iter().map(|d| f64::from(d.max(1))).collect();
        let w: Vec<f64> = x.iter().zip(&d).map(|(x, d)| x / d).collect();
        println!("{name}: {} rows, {} arcs", report.num_rows, report.arcs);
        let divide = |j: u32| x[j as usize] / d[j as usize];
        let load = |j: u32| w[j as usize];
        compare(
            a.num_rows(),
            [
                (
                    "x/d inside the loop: engine",
                    Box::new(|y: &mut [f64]| sum_quotients(y, &a, &x, &d).expect("shapes fit"))
                        as Box<dyn Fn(&mut [f64])>,
                ),
                ("  by hand, 64 stretches", Box::new(|y| by_hand(y, a, 64, one(divide)))),
                (
                    "  by hand, a stretch a thread",
                    Box::new(|y| by_hand(y, a, rayon::current_num_threads(), one(divide))),
                ),
                ("  by hand, 4 accumulators", Box::new(|y| by_hand(y, a, 64, four(divide)))),
            ],
        );
        compare(
            a.num_rows(),
            [
                (
                    "x/d before the loop: engine",
                    Box::new(|y: &mut [f64]| sum_shares(y, &a, &w).expect("shapes fit")) as Box<dyn Fn(&mut [f64])>,
                ),
                ("  by hand, 64 stretches", Box::new(|y| by_hand(y, a, 64, one(load)))),
                ("  by hand, a stretch a thread", Box::new(|y| by_hand(y, a, rayon::current_num_threads(), one(load)))),
                ("  by hand, 4 accumulators", Box::new(|y| by_hand(y, a, 64, four(load)))),
            ],
        );
    }
    Ok(())
}

/// Adds the sum over each row, the rows cut into stretches of about equally many arcs.
fn by_hand(y: &mut [f64], a: CsrView<'_, ()>, stretches: usize, sum: impl Fn(&[u32]) -> f64 + Sync) {
    let mut tasks = Vec::new();
    let mut rest = y;
    for rows in a.split_by_arcs(stretches) {
        let (mine, others) = rest.split_at_mut(rows.len());
        rest = others;
        tasks.push((rows, mine));
    }
    tasks.into_par_iter().with_max_len(1).for_each(|(rows, y)| {
        for (y, offsets) in y.iter_mut().zip(a.offsets()[rows.start..=rows.end].windows(2)) {
            *y += sum(&a.coords()[offsets[0]..offsets[1]]);
        }
    });
}

/// The plain loop.
fn one(term: impl Fn(u32) -> f64) -> impl Fn(&[u32]) -> f64 {
    move |row| row.iter().fold(0.0, |sum, &j| sum + term(j))
}

/// Four sums side by side from 16 arcs up.
fn four(term: impl Fn(u32) -> f64) -> impl Fn(&[u32]) -> f64 {
    move |row| {
        if row.len() < 16 {
            return row.iter().fold(0.0, |sum, &j| sum + term(j));
        }
        let (fours, tail) = row.as_chunks::<4>();
        let sums = fours.iter().fold([0.0; 4], |sums, js| std::array::from_fn(|k| sums[k] + term(js[k])));
        tail.iter().fold((sums[0] + sums[1]) + (sums[2] + sums[3]), |sum, &j| sum + term(j))
    }
}

/// Runs the variants in turn, checks that they agree, and prints the median of each.
fn compare<const N: usize>(rows: usize, kernels: [Kernel<'_>; N]) {
    let mut results = vec![vec![0.0; rows]; N];
    let mut seconds = vec![Vec::with_capacity(ROUNDS); N];
    for _ in 0..ROUNDS {
        for (((_, kernel), y), seconds) in kernels.iter().zip(&mut results).zip(&mut seconds) {
            let start = Instant::now();
            kernel(y);
            seconds.push(start.elapsed().as_secs_f64());
        }
    }
    for y in &results[1..] {
        let same = y.par_iter().zip(&results[0]).all(|(a, b)| (a - b).abs() <= 1e-9 * b.abs());
        assert!(same, "the variants disagree");
    }
    let mut base = None;
    for ((name, _), seconds) in kernels.iter().zip(&mut seconds) {
        seconds.sort_by(f64::total_cmp);
        let median = seconds[ROUNDS / 2];
        println!("  {name:<32} {:7.2} ms  {:.2}", median * 1e3, median / *base.get_or_insert(median));
    }
}
