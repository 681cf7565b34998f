//! Results of kernels that are compiled in place, in every row store and below every outer level: each is the matrix that it should be,
//! in the store that was asked for, and one that a graph takes. That all pairs are accepted is a test of `pleach-macros`.

#![cfg(feature = "macros")]
#![allow(missing_docs)]

use std::collections::BTreeSet;

use pleach::graph::{Graph, GraphOptions};
use pleach::runtime::Store;
use pleach::{Csr, Matrix, pleach};

pleach! {
    kernel blist_packed(A: csr, B: csr) -> C: (blist, packed) { C(i,j) = A(i,j) + B(i,j) }
    kernel blist_prefix_packed_delta(A: csr, B: csr) -> C: (blist_prefix, packed_delta) { C(i,j) = A(i,j) + B(i,j) }
    kernel blist_gaps_list(A: csr, B: csr) -> C: (blist_gaps, list) { C(i,j) = A(i,j) + B(i,j) }
    kernel blist_unsorted_blist(A: csr, B: csr) -> C: (blist_unsorted, blist) { C(i,j) = A(i,j) + B(i,j) }
    kernel vblist_blist_prefix(A: csr, B: csr) -> C: (vblist, blist_prefix) { C(i,j) = A(i,j) + B(i,j) }
    kernel bst_blist_gaps(A: csr, B: csr) -> C: (bst, blist_gaps) { C(i,j) = A(i,j) + B(i,j) }
    kernel rbtree_blist_unsorted(A: csr, B: csr) -> C: (rbtree, blist_unsorted) { C(i,j) = A(i,j) + B(i,j) }
    kernel ttree_vblist(A: csr, B: csr) -> C: (ttree, vblist) { C(i,j) = A(i,j) + B(i,j) }
    kernel ctree_bst(A: csr, B: csr) -> C: (ctree, bst) { C(i,j) = A(i,j) + B(i,j) }
    kernel ctree_delta_rbtree(A: csr, B: csr) -> C: (ctree_delta, rbtree) { C(i,j) = A(i,j) + B(i,j) }
    kernel btree_ttree(A: csr, B: csr) -> C: (btree, ttree) { C(i,j) = A(i,j) + B(i,j) }
    kernel dense_ctree(A: csr, B: csr) -> C: (dense, ctree) { C(i,j) = A(i,j) + B(i,j) }
    kernel paged_ctree_delta(A: csr, B: csr) -> C: (paged, ctree_delta) { C(i,j) = A(i,j) + B(i,j) }
    kernel list_btree(A: csr, B: csr) -> C: (list, btree) { C(i,j) = A(i,j) + B(i,j) }
    kernel graph(A: csr, B: csr) -> C: graph { C(i,j) = A(i,j) + B(i,j) }
    kernel stinger(A: csr, B: csr) -> C: stinger { C(i,j) = A(i,j) + B(i,j) }
    kernel graphone(A: csr, B: csr) -> C: graphone { C(i,j) = A(i,j) + B(i,j) }
    kernel aspen(A: csr, B: csr) -> C: aspen { C(i,j) = A(i,j) + B(i,j) }
    kernel terrace(A: csr, B: csr) -> C: terrace { C(i,j) = A(i,j) + B(i,j) }
    kernel pam(A: csr, B: csr) -> C: pam { C(i,j) = A(i,j) + B(i,j) }
    kernel lil(A: csr, B: csr) -> C: lil { C(i,j) = A(i,j) + B(i,j) }
}

/// Two matrices: with rows that are empty, short, and longer than any node.
fn operands() -> [Csr<f64>; 2] {
    [1u32, 3].map(|step| {
        let short = (0..150).step_by(7).map(|row| (row, row * step % 400, f64::from(row + step)));
        let long = (0..400).step_by(step as usize).map(|col| (64, col, f64::from(col)));
        Csr::from_entries(150, 400, short.chain(long)).unwrap()
    })
}

/// Checks a result, and that a graph of it goes on changing. The pair that it is held in.
fn check<R: Store<Coord = u32, Value = f64>>(made: Matrix<R>, expected: &Csr<f64>) -> String {
    made.audit().unwrap();
    let name = made.store_name();
    assert_eq!(&Csr::from(&made), expected, "{name}");
    let graph = Graph::from_matrix(made, GraphOptions::default()).unwrap();
    graph.insert([(399, 0, 1.5)]).unwrap();
    let snapshot = graph.fresh();
    snapshot.audit().unwrap();
    assert_eq!((snapshot.num_arcs(), snapshot.has_edge(399, 0)), (expected.nnz() as u64 + 1, true), "{name}");
    name
}

#[test]
fn every_row_store_and_every_outer_level_holds_results() {
    let [a, b] = &operands();
    let sum = &(a + b);
    let found = [
        check(blist_packed(a, b).unwrap(), sum),
        check(blist_prefix_packed_delta(a, b).unwrap(), sum),
        check(blist_gaps_list(a, b).unwrap(), sum),
        check(blist_unsorted_blist(a, b).unwrap(), sum),
        check(vblist_blist_prefix(a, b).unwrap(), sum),
        check(bst_blist_gaps(a, b).unwrap(), sum),
        check(rbtree_blist_unsorted(a, b).unwrap(), sum),
        check(ttree_vblist(a, b).unwrap(), sum),
        check(ctree_bst(a, b).unwrap(), sum),
        check(ctree_delta_rbtree(a, b).unwrap(), sum),
        check(btree_ttree(a, b).unwrap(), sum),
        check(dense_ctree(a, b).unwrap(), sum),
        check(paged_ctree_delta(a, b).unwrap(), sum),
        check(list_btree(a, b).unwrap(), sum),
        check(graph(a, b).unwrap(), sum),
        check(stinger(a, b).unwrap(), sum),
        check(graphone(a, b).unwrap(), sum),
        check(aspen(a, b).unwrap(), sum),
        check(terrace(a, b).unwrap(), sum),
        check(pam(a, b).unwrap(), sum),
        check(lil(a, b).unwrap(), sum),
    ];
    let asked = [
        "blist,packed",
        "blist_prefix,packed_delta",
        "blist_gaps,list",
        "blist_unsorted,blist",
        "vblist,blist_prefix",
        "bst,blist_gaps",
        "rbtree,blist_unsorted",
        "ttree,vblist",
        "ctree,bst",
        "ctree_delta,rbtree",
        "btree,ttree",
        "dense,ctree",
        "paged,ctree_delta",
        "list,btree",
        "paged,packed",
        "dense,blist",
        "dense,vblist",
        "bst,ctree",
        "dense,btree",
        "bst,bst",
        "list,list",
    ];
    assert_eq!(found, asked);
    let side = |at: usize| found.iter().map(|pair| pair.split(',').nth(at).unwrap()).collect::<BTreeSet<_>>();
    assert_eq!((side(0).len(), side(1).len()), (14, 14));
}
