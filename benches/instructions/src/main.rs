//! Runs one kernel a number of times on a small graph, by one thread, for `.ci/instructions`, which counts the instructions.
//!
//! ```text
//!   pleach-instructions                    prints the kernels, each with the number of times it is to be run
//!   pleach-instructions KERNEL TIMES       prepares the kernel and runs it so many times
//! ```
//!
//! The instructions of one run are those of a process that runs the kernel often, less those of one that runs it once, by the number of
//! further runs: what prepares the kernel counts in neither. Nothing here depends on a clock, on an address or on the number of cores.

use std::env;
use std::hint::black_box;
use std::process::ExitCode;

use pleach::convert::{self, convert};
use pleach::graph::{Graph, GraphOptions};
use pleach::kernels::pagerank::sum_shares;
use pleach::runtime::tensor::{Compressed, Dense, Tensor, View};
use pleach::runtime::{Nested, Packed, Paged, SplitMix64};
use pleach::stores::{Bst, Ctree};
use pleach::{BuildOptions, Csr, EdgeList, Matrix, Rows};
use pleach_algorithms::bfs::bfs;
use pleach_algorithms::cc::components;
use pleach_algorithms::tc::triangles;
use rayon::ThreadPoolBuilder;

/// 2^11 vertices.
const SCALE: u32 = 11;
const VERTICES: usize = 1 << SCALE;
const EDGES: usize = 16 * VERTICES;

/// The kernels, each with the number of times it is to be run: some ten million instructions.
const KERNELS: &[(&str, u32)] = &[
    ("spmv-csr", 60),
    ("spmv-default", 60),
    ("spmv-aspen", 60),
    ("spmv-bst", 30),
    ("bfs", 60),
    ("cc", 60),
    ("tc", 10),
    ("insert-10", 200),
    ("insert-10000", 6),
    ("csr-plus-csr", 20),
    ("coo-to-csr", 30),
    ("csr-to-csc", 30),
];

/// Edges of a skewed graph: each bit of either end is set with a probability of about a quarter.
fn edges(random: &mut SplitMix64, count: usize) -> EdgeList<()> {
    let mut edges = EdgeList::new(VERTICES, VERTICES);
    let mut end = || (0..SCALE).fold(0u32, |end, _| end << 1 | u32::from(random.below(100) < 24));
    for _ in 0..count {
        edges.push(end(), end(), ());
    }
    edges
}

fn graph() -> Csr<()> {
    let options = BuildOptions::default().with_undirected(true);
    Csr::from_edges(&edges(&mut SplitMix64(1), EDGES), &options).expect("ends are below the number of vertices").0
}

/// A product with a vector, over the rows of any store.
fn spmv(rows: impl Rows + 'static) -> Box<dyn FnMut()> {
    let (mut y, w) = (vec![0.0; VERTICES], vec![0.5; VERTICES]);
    Box::new(move || sum_shares(&mut y, black_box(&rows), &w).expect("extents agree"))
}

/// Insertion of batches, each of other edges.
fn insert(size: usize) -> Box<dyn FnMut()> {
    let graph: Graph = Graph::new(GraphOptions::undirected());
    let mut random = SplitMix64(2);
    graph.insert_list(&edges(&mut random, EDGES)).expect("there is memory");
    Box::new(move || {
        let batch = edges(&mut random, size);
        black_box(graph.insert_list(&batch).expect("there is memory"));
    })
}

/// Rows with values, as conversions take them.
fn tensor(rows: &Csr<()>) -> <convert::Csr as convert::Format>::Tensor {
    let mut pos = vec![0];
    let mut crd = Vec::new();
    for row in 0..rows.num_rows() {
        crd.extend(rows.row(row).coords.iter().copied());
        pos.push(crd.len());
    }
    let vals = vec![1.0; crd.len()];
    Tensor { shape: [VERTICES, VERTICES], levels: (Dense, Compressed { pos, crd }), vals }
}

/// A kernel that is ready to run.
fn prepare(name: &str) -> Option<Box<dyn FnMut()>> {
    let rows = graph();
    Some(match name {
        "spmv-csr" => spmv(rows),
        "spmv-default" => spmv(Matrix::<Packed<u32, ()>>::from_csr::<Paged<_>>(rows.view())),
        "spmv-aspen" => spmv(Matrix::<Ctree<()>>::from_csr::<Nested<Bst<_>>>(rows.view())),
        "spmv-bst" => spmv(Matrix::<Bst<()>>::from_csr::<Nested<Bst<_>>>(rows.view())),
        "bfs" | "cc" | "tc" => {
            let graph: Graph = Graph::new(GraphOptions::undirected());
            graph.insert_list(&edges(&mut SplitMix64(1), EDGES)).expect("there is memory");
            let snapshot = graph.fresh();
            match name {
                "bfs" => Box::new(move || drop(black_box(bfs(&snapshot, 0)))),
                "cc" => Box::new(move || drop(black_box(components(&snapshot)))),
                _ => Box::new(move || _ = black_box(triangles(&snapshot))),
            }
        }
        "insert-10" => insert(10),
        "insert-10000" => insert(10_000),
        "csr-plus-csr" => {
            let (a, b) = (rows.map(|()| 1.0), rows.transpose().map(|()| 2.0));
            Box::new(move || drop(black_box(a.plus(&b))))
        }
        "coo-to-csr" => {
            let coo = convert::<convert::Csr, convert::Coo>(tensor(&rows).view());
            Box::new(move || drop(black_box(convert::<convert::Coo, convert::Csr>(coo.view()))))
        }
        "csr-to-csc" => {
            let csr = tensor(&rows);
            Box::new(move || drop(black_box(convert::<convert::Csr, convert::Csc>(csr.view()))))
        }
        _ => return None,
    })
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (name, times) = match &arguments[..] {
        [] => {
            KERNELS.iter().for_each(|(name, times)| println!("{name} {times}"));
            return ExitCode::SUCCESS;
        }
        [name, times] => (name, times.parse::<u32>()),
        _ => {
            eprintln!("expected the name of a kernel and how often to run it");
            return ExitCode::from(2);
        }
    };
    // This thread is the only one.
    if let Err(error) = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global() {
        eprintln!("cannot run by one thread: {error}");
        return ExitCode::FAILURE;
    }
    let (Ok(times), Some(mut kernel)) = (times, prepare(name)) else {
        eprintln!(
            "there is no kernel `{name}`, or the number of times is no number: the kernels are printed without arguments"
        );
        return ExitCode::from(2);
    };
    (0..times).for_each(|_| kernel());
    ExitCode::SUCCESS
}
