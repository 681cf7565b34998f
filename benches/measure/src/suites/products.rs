//! Products and sums over stores: a store times a vector, with an array and with a search tree as the result, and a store plus static rows
//! into static rows.

use pleach::runtime::tensor::{Stores, Tensor};
use pleach::runtime::{Fiber, Nested, Packed, Paged, Rows, Store};
use pleach::stores::{Bst, Ctree};
use pleach::{BuildOptions, CsrView, EdgeList, Matrix as Held};
use pleach_erased::{AnyMatrix, StoreName};

use super::SuiteError;
use super::kernels::bytes;
use crate::compiled::{self, rows, view};
use crate::matrices::{Csr, Matrix, Random};
use crate::{Bench, Competitor, Side, Work};

/// What a kernel says that is given other extents.
const FIT: &str = "shapes fit";

/// Measures `y(i) = A(i,j) * x(j)` over stores with values, and the product with a search tree as its result.
///
/// # Errors
///
/// [`SuiteError`] if the matrix cannot be held in a store.
///
/// # Panics
///
/// If a store does not compute what static rows do.
pub fn spmv(bench: &mut Bench<'_>, input: &Matrix, stores: &[StoreName]) -> Result<(), SuiteError> {
    let a = &input.rows;
    bench.begin("spmv", Some(&input.name));
    let x = Random::new(1).values(a.cols);
    let edges = entries(a);
    let mut held = Vec::new();
    for store in stores.iter().filter(|store| **store != StoreName::Csr) {
        held.push((store, bench.within(|| AnyMatrix::from_edges(store, &edges, &BuildOptions::default()))?.0));
    }
    drop(edges);
    let mut expected = vec![0.0; a.rows];
    bench.within(|| compiled::spmv_csr(&mut expected, view(a), &x)).expect(FIT);
    let mut results = vec![vec![0.0; a.rows]; held.len()];
    for ((store, matrix), y) in held.iter().zip(&mut results) {
        bench.within(|| product(matrix, y, &x));
        let same = y.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= 1e-9 * a.abs().max(1.0));
        assert!(same, "{store} gives another product than static rows");
    }
    let mut all = vec![Competitor::timed("csr", Side::Static, || {
        compiled::spmv_csr(&mut expected, view(a), &x).expect(FIT);
    })];
    for ((store, matrix), y) in held.iter().zip(&mut results) {
        all.push(Competitor::timed(store.to_string(), Side::Ours, || product(matrix, y, &x)));
    }
    bench.compare(&[Work::timed("spmv").moving(bytes(a))], all);
    drop(held);
    let trees = Trees::of(bench, a);
    let mut y = vec![0.0; a.rows];
    let competitors = vec![
        Competitor::timed("csr, into an array", Side::Static, || {
            compiled::spmv_csr(&mut y, view(a), &x).expect(FIT);
        }),
        Competitor::timed("paged,packed", Side::Ours, || into_tree(&trees.packed, &x)),
        Competitor::timed("bst,ctree", Side::Ours, || into_tree(&trees.ctree, &x)),
        Competitor::timed("bst,bst", Side::Ours, || into_tree(&trees.bst, &x)),
    ];
    bench.compare(&[Work::timed("spmv into a search tree")], competitors);
    Ok(())
}

/// Measures a store plus static rows into static rows.
///
/// # Panics
///
/// If a store does not compute what static rows do.
pub fn add(bench: &mut Bench<'_>, input: &Matrix) {
    let a = &input.rows;
    bench.begin("add", Some(&input.name));
    let b = a.moved();
    let trees = Trees::of(bench, a);
    let sum = || rows(compiled::par_add_csr(view(a), view(&b)).expect(FIT));
    let expected = bench.within(sum);
    for (name, found) in [
        ("paged,packed", bench.within(|| added(&trees.packed, &b))),
        ("bst,ctree", bench.within(|| added(&trees.ctree, &b))),
        ("bst,bst", bench.within(|| added(&trees.bst, &b))),
    ] {
        let same = (&found.pos, &found.crd, &found.vals) == (&expected.pos, &expected.crd, &expected.vals);
        assert!(same, "{name} gives another sum than static rows");
    }
    drop(expected);
    let bytes = 12 * 2 * (a.crd.len() + b.crd.len()) + 8 * 3 * a.pos.len();
    let competitors = vec![
        Competitor::timed("csr", Side::Static, sum),
        Competitor::timed("paged,packed", Side::Ours, || added(&trees.packed, &b)),
        Competitor::timed("bst,ctree", Side::Ours, || added(&trees.ctree, &b)),
        Competitor::timed("bst,bst", Side::Ours, || added(&trees.bst, &b)),
        Competitor::timed("by hand", Side::Hand, || crate::by_hand::par_add(a, &b)),
    ];
    bench.compare(&[Work::timed("store + csr into csr").moving(bytes)], competitors);
}

/// A matrix in the default store and in two kinds of trees.
struct Trees {
    packed: Held<Packed<u32, f64>>,
    ctree: Held<Ctree<f64>>,
    bst: Held<Bst<f64>>,
}

impl Trees {
    fn of(bench: &Bench<'_>, a: &Csr) -> Self {
        let rows = CsrView::from_parts(a.cols, &a.pos, &a.crd, &a.vals).expect("rows are sorted");
        bench.within(|| Trees {
            packed: Held::from_csr::<Paged<_>>(rows),
            ctree: Held::from_csr::<Nested<Bst<_>>>(rows),
            bst: Held::from_csr::<Nested<Bst<_>>>(rows),
        })
    }
}

/// The product with a store that was chosen at run time.
fn product(a: &AnyMatrix<f64>, y: &mut [f64], x: &[f64]) {
    match a.as_packed() {
        Some(packed) => compiled::by_rows(y, packed, x),
        None => compiled::by_rows(y, &a.rows(), x),
    }
    .expect(FIT);
}

/// The product as a search tree.
fn into_tree(a: &impl Rows<Value = f64>, x: &[f64]) -> Tensor<1, (Stores<Bst<f64>>,), ()> {
    let tree: Tensor<1, (Stores<Bst<f64>>,), ()> = compiled::into_tree(a, x).expect(FIT);
    std::hint::black_box(tree.levels.0.0.fiber().is_empty());
    tree
}

fn added<R: Store<Coord = u32, Value = f64>>(a: &Held<R>, b: &Csr) -> Csr {
    rows(compiled::par_add_dense_packed(a, view(b)).expect(FIT))
}

/// The entries as a list.
fn entries(a: &Csr) -> EdgeList<f64> {
    EdgeList { num_rows: a.rows, num_cols: a.cols, src: a.row_crd(), dst: a.crd.clone(), weight: a.vals.clone() }
}
