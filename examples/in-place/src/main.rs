//! Kernels of our own, compiled in place, over a graph that changes: what they return goes on to other kernels, to algorithms and
//! into graphs.

// Nothing that is generated raises a warning here.
#![deny(warnings, missing_docs, unreachable_pub, unused_qualifications)]
#![forbid(unsafe_code)]

use pleach::graph::{Graph, GraphOptions, WeightedGraph};
use pleach::runtime::Packed;
use pleach::stores::Ctree;
use pleach::traverse::Adjacency;
use pleach::{Csr, Matrix, pleach};
use pleach_algorithms::bfs::bfs;
use pleach_algorithms::cc::components;

pleach! {
    // How much each person gives away.
    kernel given(A: graph) -> d: dense { d(i) = A(i,j) }

    // The shares in which each person's work is passed on in two steps, as a graph.
    kernel two_steps(A: graph, d: dense) -> P: graph { P(i,k) = A(i,j) / d(i) * A(j,k) / d(j) }
}

pleach! {
    kernel spmv(y: dense, A: graph | csr, x: dense) { y(i) = A(i,j) * x(j) }
    kernel common(A: csr, B: csr) -> C: csr { C(i,j) = A(i,k) * B(j,k) }
    kernel trees(A: csr) -> C: aspen { C(i,j) = A(i,j) }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Who has worked for whom, and how long: two groups of people.
    let graph = WeightedGraph::<f64>::new(GraphOptions::undirected());
    graph.insert([(0, 1, 2.0), (1, 2, 2.0), (2, 0, 4.0), (3, 4, 1.0)])?;

    // Kernels take the graph itself, and give a matrix back.
    let d = given(&graph)?;
    assert_eq!(d, [6.0, 4.0, 6.0, 1.0, 1.0]);
    let p: Matrix<Packed<u32, f64>> = two_steps(&graph, &d)?;
    p.audit()?;
    println!("{p:?}");

    // Every person passes all of it on: rows add up to one.
    let mut sums = vec![0.0; 5];
    spmv_graph(&mut sums, &p, &[1.0; 5])?;
    assert!(sums.iter().all(|sum| (sum - 1.0f64).abs() < 1e-12), "{sums:?}");

    // An algorithm takes the matrix,
    let parts = components(Adjacency::undirected(&p)?).labels;
    assert!(parts[0] == parts[1] && parts[1] == parts[2], "{parts:?}");
    assert_ne!(parts[2], parts[3]);
    // and so does a graph, which goes on changing.
    let steps = Graph::from_matrix(p, GraphOptions::default())?;
    steps.insert([(2, 3, 0.5)])?;
    let reached = bfs(Adjacency::outward(&steps.fresh())?, 0)?;
    assert_eq!(reached.depths[3], 2);

    // Static rows of a snapshot, and a product of them that is computed in the cheaper order.
    let a = Csr::from(&graph.fresh());
    let both = common(&a, &a)?;
    assert_eq!(both, &a * &a.transpose());
    assert_eq!(both.get(0, 2), Some(&4.0), "0 and 2 have worked for 1, two years each");
    let mut years = vec![0.0; 5];
    spmv_csr(&mut years, &both, &[1.0; 5])?;
    let kept: Matrix<Ctree<f64>> = trees(&both)?;
    println!("{} pairs of people have something in common, kept as {}", kept_pairs(&kept), kept.store_name());
    Ok(())
}

fn kept_pairs(matrix: &Matrix<Ctree<f64>>) -> usize {
    pleach::Rows::nnz(matrix)
}
