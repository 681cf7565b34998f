//! Graph algorithms as compiled expressions beside the apps, which are written as traversals: what the latter save.
//!
//! `cargo run --release -p pleach-benches --bin algebra [-- GRAPH…]`
//!
//! Both sides run over static rows, in turn and with all threads, find the same, which is checked, and show the median of three runs.

use std::time::Instant;

use pleach::runtime::tensor::{Compressed, Dense, Tensor};
use pleach::traverse::Adjacency;
use pleach::{BuildOptions, Csr, CsrView, EdgeList, Rows};
use pleach_algorithms::bfs::{UNREACHED, bfs};
use pleach_algorithms::cdlp::{Cdlp, cdlp};
use pleach_algorithms::sssp::{Sssp, sssp};
use pleach_algorithms::tc::triangles;
use pleach_datasets::{Options, open};
use pleach_measure::suites::apps::weighted;

/// What the compiler makes of `algebra.pleach`.
mod compiled {
    #![allow(missing_docs, reason = "generated, and documented there")]
    include!(concat!(env!("OUT_DIR"), "/algebra.rs"));
}

#[global_allocator]
static GLOBAL: jemallocator::Jemalloc = jemallocator::Jemalloc;

/// Each figure is the median of so many.
const ROUNDS: usize = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = ["rmat18", "grid512"].map(String::from).into();
    }
    println!("{} threads, medians of {ROUNDS}", rayon::current_num_threads());
    for name in names {
        let input = open(&name, &Options::default())?;
        let options = input.build_options::<()>();
        if !options.undirected {
            return Err(format!("{name} is directed, and an undirected graph is asked for").into());
        }
        let edges = input.edges.into_pattern();
        let with_weights = BuildOptions::<f64>::default().with_undirected(true);
        let weights = Csr::from_edges(&weighted(&edges), &with_weights)?.0;
        let graph = Csr::from_edges(&edges, &options)?.0;
        println!(
            "\n{name}: {} vertices, {} arcs\n{:<34}{:>16}{:>12}",
            graph.num_rows(),
            graph.nnz(),
            "",
            "expression, ms",
            "app, ms"
        );
        let (view, weighted) = (graph.view(), weights.view());
        // Searches begin at the vertex of the most arcs.
        let source = (0..graph.num_rows()).max_by_key(|&vertex| graph.degree(vertex)).unwrap_or(0) as u32;
        row(
            "search, by levels",
            || search(view, source),
            || bfs(undirected(&view), source).expect("it is there").depths,
        );
        row(
            "shortest paths, by rounds",
            || rounds(weighted, source),
            || sssp(undirected(&weighted), source, &Sssp::default()).expect("weights are sound").distances,
        );
        let oriented = oriented(view)?;
        row(
            "triangles, by degree beforehand",
            || compiled::triangles(&oriented.view()).expect("square") as u64,
            || triangles(undirected(&view)).expect("it is undirected").count,
        );
        let once = Cdlp::default().with_iterations(1);
        row(
            "labels of neighbours, once",
            || counted(view),
            || cdlp(undirected(&view), &once).expect("it is undirected").labels,
        );
    }
    Ok(())
}

/// Runs both in turn and prints how long each takes.
fn row<T: PartialEq>(name: &str, expression: impl Fn() -> T, app: impl Fn() -> T) {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let left = expression();
        let middle = Instant::now();
        let right = app();
        times[1].push(middle.elapsed().as_secs_f64() * 1e3);
        times[0].push((middle - begin).as_secs_f64() * 1e3);
        assert!(left == right, "{name}: the two sides disagree");
    }
    let [expression, app] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    });
    println!("{name:<34}{expression:>16.2}{app:>12.2}");
}

/// Depths: one product for each level, of which those that are reached for the first time are the next frontier.
fn search(graph: CsrView<'_>, source: u32) -> Vec<u32> {
    let vertices = graph.num_rows();
    let mut depths = vec![UNREACHED; vertices];
    let (mut frontier, mut reached) = (vec![f64::INFINITY; vertices], vec![f64::INFINITY; vertices]);
    depths[source as usize] = 0;
    frontier[source as usize] = f64::from(source);
    for depth in 1.. {
        reached.fill(f64::INFINITY);
        compiled::level(&mut reached, &graph, &frontier).expect("shapes fit");
        let mut more = false;
        for (vertex, &parent) in reached.iter().enumerate() {
            let new = parent.is_finite() && depths[vertex] == UNREACHED;
            frontier[vertex] = if new { vertex as f64 } else { f64::INFINITY };
            if new {
                depths[vertex] = depth;
                more = true;
            }
        }
        if !more {
            break;
        }
    }
    depths
}

/// Distances: all arcs are relaxed until no distance changes.
fn rounds(graph: CsrView<'_, f64>, source: u32) -> Vec<f64> {
    let mut distances = vec![f64::INFINITY; graph.num_rows()];
    distances[source as usize] = 0.0;
    loop {
        let mut next = distances.clone();
        compiled::relax(&mut next, &graph, &distances).expect("shapes fit");
        if next == distances {
            return distances;
        }
        distances = next;
    }
}

/// The graph with each edge once, from the end of lower degree to the other; vertices are numbered by degree.
fn oriented(graph: CsrView<'_>) -> Result<Csr, Box<dyn std::error::Error>> {
    let mut order: Vec<u32> = (0..graph.num_rows() as u32).collect();
    order.sort_by_key(|&vertex| graph.row(vertex as usize).coords.len());
    let mut rank = vec![0u32; order.len()];
    order.iter().zip(0..).for_each(|(&vertex, place)| rank[vertex as usize] = place);
    let mut edges = EdgeList::new(order.len(), order.len());
    for (vertex, row) in graph.rows().enumerate() {
        for &other in row.coords.iter().filter(|&&other| rank[vertex] < rank[other as usize]) {
            edges.push(rank[vertex], rank[other as usize], ());
        }
    }
    Ok(Csr::from_edges(&edges, &BuildOptions::default())?.0)
}

/// The labels after one iteration: how often each occurs is a product with the matrix that says who has which, which of them occurs most often is not.
fn counted(graph: CsrView<'_>) -> Vec<u32> {
    let vertices = graph.num_rows();
    let ones = vec![1.0; graph.nnz()];
    let a = Tensor {
        shape: [vertices, vertices],
        levels: (Dense, Compressed { pos: graph.offsets(), crd: graph.coords() }),
        vals: &ones[..],
    };
    let (pos, crd): (Vec<usize>, Vec<u32>) = ((0..=vertices).collect(), (0..vertices as u32).collect());
    let has = Tensor {
        shape: [vertices, vertices],
        levels: (Dense, Compressed { pos: &pos[..], crd: &crd[..] }),
        vals: &ones[..vertices.min(ones.len())],
    };
    let counts = compiled::labels(a, has).expect("shapes fit");
    let Compressed { pos, crd } = &counts.levels.1;
    let most = |vertex: usize| {
        let row = pos[vertex]..pos[vertex + 1];
        let labels = crd[row.clone()].iter().zip(&counts.vals[row]);
        labels.reduce(|best, next| if next.1 > best.1 { next } else { best }).map_or(vertex as u32, |(&label, _)| label)
    };
    (0..vertices).map(most).collect()
}

/// An undirected graph, which is built as one.
fn undirected<A: Rows>(rows: &A) -> Adjacency<'_, A> {
    Adjacency::assume_undirected(rows).expect("the rows of a graph are square")
}
