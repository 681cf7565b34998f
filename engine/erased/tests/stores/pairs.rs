//! PageRank on every pair of outer level and row store that the command line lists equals that on static rows.

use pleach::kernels::pagerank::{sum_quotients, sum_shares};
use pleach::runtime::Fiber;
use pleach::{Batch, BuildOptions, Csr, EdgeList, Rows};
use pleach_algorithms::pagerank::{PageRank, Stop, from_in_arcs};
use pleach_erased::{AnyMatrix, HoldError, OUTER_LEVELS, ROW_STORES, StoreName};

/// A graph with an empty row, a row of one arc, a hub, a self loop and a last row that is not the last of its page.
fn graph() -> EdgeList {
    let mut edges = EdgeList::new(700, 700);
    for k in 0..3000u32 {
        let hash = k.wrapping_mul(2_654_435_761);
        edges.push(hash >> 8 & 511, hash >> 20 & 511, ());
    }
    for k in 0..690 {
        edges.push(600, k, ());
    }
    edges.push(699, 5, ());
    edges.push(77, 77, ());
    edges
}

/// Ranks, and both forms of the kernel, over the same rows.
fn results<A: Rows<Value = ()>>(matrix: &A, kernels: Option<&AnyMatrix<()>>) -> [Vec<f64>; 3] {
    let degrees = matrix.col_degrees();
    let options = PageRank::default().with_stop(Stop::Iterations(12));
    let ranks = from_in_arcs(matrix, &degrees, &options, |_, _| ()).expect("the options are right").ranks;
    let d: Vec<f64> = degrees.iter().map(|&degree| f64::from(degree.max(1))).collect();
    let w: Vec<f64> = ranks.iter().zip(&d).map(|(x, d)| x / d).collect();
    let (mut y, mut z) = (vec![1.0; matrix.num_rows()], vec![1.0; matrix.num_rows()]);
    match kernels {
        None => sum_quotients(&mut y, matrix, &ranks, &d).and_then(|()| sum_shares(&mut z, matrix, &w)),
        Some(kernels) => kernels.sum_quotients(&mut y, &ranks, &d).and_then(|()| kernels.sum_shares(&mut z, &w)),
    }
    .expect("the shapes fit");
    [ranks, y, z]
}

fn arcs<A: Rows<Value = ()>>(matrix: &A) -> Vec<(u32, u32)> {
    let mut arcs = Vec::new();
    matrix.rows(|i, row| row.fold_runs((), |(), run| arcs.extend(run.coords().iter().map(|&j| (i as u32, j)))));
    assert!(arcs.is_sorted_by_key(|arc| arc.0), "rows come in ascending order");
    arcs.sort_unstable();
    arcs
}

fn check(mut matrix: AnyMatrix<()>, csr: &Csr, expected: &[Vec<f64>; 3]) {
    let store = matrix.store_name();
    matrix.audit().unwrap_or_else(|error| panic!("{store}: {error}"));
    assert!(matrix.footprint().bytes > 0 && matrix.nnz() == csr.nnz(), "{store}");
    for (found, expected) in results(&matrix.rows(), Some(&matrix)).iter().zip(expected) {
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() <= 1e-12 * b.abs(), "{store}: {a} is not {b}");
        }
    }
    let before = arcs(&matrix.rows());
    assert_eq!(before, arcs(&csr.view()), "{store}");
    for (i, j) in [(600, 5), (600, 695), (699, 5), (698, 5), (77, 77), (800, 1)] {
        assert_eq!(matrix.rows().row(i).and_then(|row| row.locate(j)), matrix.get(i, j).as_ref(), "{store}");
        assert_eq!(matrix.get(i, j).is_some(), before.binary_search(&(i as u32, j)).is_ok(), "{store}: arc {i} {j}");
    }

    // Updates: a batch in and out again leaves the same arcs; what is there and what is absent is counted.
    let new: Vec<(u32, u32)> = (0..300).map(|k| (k * 7 % 700, k * 13 % 700)).collect();
    let batch = Batch::pattern(new.iter().copied());
    let there = batch.iter().filter(|arc| before.binary_search(&(arc.0, arc.1)).is_ok()).count();
    let counts = matrix.insert(&batch).unwrap();
    assert_eq!((counts.new, counts.unchanged), (batch.len() - there, there), "{store}");
    matrix.audit().unwrap_or_else(|error| panic!("{store} after an insertion: {error}"));
    let added = Batch::pattern(new.into_iter().filter(|arc| before.binary_search(arc).is_err()));
    assert_eq!(matrix.delete(&added).unwrap().removed, added.len(), "{store}");
    assert_eq!(matrix.delete(&added).unwrap().absent, added.len(), "{store}");
    matrix.audit().unwrap_or_else(|error| panic!("{store} after a deletion: {error}"));
    assert_eq!(arcs(&matrix.rows()), before, "{store}");
}

#[test]
fn every_pair_holds_the_same_matrix() {
    let (edges, options) = (graph(), BuildOptions::default());
    let (csr, _) = Csr::from_edges(&edges, &options).expect("the arcs are in range");
    let expected = results(&csr.view(), None);
    for outer in OUTER_LEVELS {
        for row in ROW_STORES {
            let store: StoreName = format!("{outer},{row}").parse().expect("a pair of levels");
            let (matrix, report) = AnyMatrix::from_edges(&store, &edges, &options).expect("the arcs are in range");
            assert_eq!((report.arcs, matrix.store_name()), (csr.nnz(), store.to_string()));
            check(matrix, &csr, &expected);
        }
    }
    let fixed = AnyMatrix::from_edges(&StoreName::Csr, &edges, &options);
    assert_eq!(fixed.err(), Some(HoldError::Static));
}

#[test]
fn every_pair_holds_an_empty_matrix() {
    let edges = EdgeList::<()>::new(0, 0);
    for outer in OUTER_LEVELS {
        for row in ROW_STORES {
            let store = StoreName::Pair(outer, row);
            let (matrix, _) =
                AnyMatrix::from_edges(&store, &edges, &BuildOptions::default()).expect("nothing is wrong");
            assert_eq!(matrix.nnz(), 0);
            assert!(matrix.audit().is_ok() && matrix.rows().row(0).is_none_or(Fiber::is_empty));
        }
    }
}
