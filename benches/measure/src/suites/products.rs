//! Products and sums over stores: a store times a vector, with an array and with a search tree as the result; a store plus static rows into
//! static rows; unions of trees into trees; and the sum and the transposition of static rows, beside other libraries.

use pleach::runtime::tensor::{Stores, Tensor};
use pleach::runtime::{Fiber, Nested, Packed, Paged, Rows, Store};
use pleach::stores::{Bst, Ctree};
use pleach::{BuildOptions, CsrView, EdgeList, Matrix as Held};
use pleach_erased::{AnyMatrix, StoreName};

use sprs::CsMatI;

use super::SuiteError;
use super::kernels::{FIT, bytes, close};
use crate::by_hand;
use crate::compiled::{self, rows, view};
use crate::matrices::{Csr, Matrix, Random};
use crate::peers::{Kernel, Subject};
use crate::{Bench, Competitor, Side, Work};

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
    all.extend(bench.theirs(Kernel::Spmv, subject(a)));
    bench.compare(&[Work::timed("spmv").moving(bytes(a))], all);
    drop(held);
    let trees = Trees::of(bench, a);
    let mut y = vec![0.0; a.rows];
    let mut competitors = vec![
        Competitor::timed("csr, into an array", Side::Static, || {
            compiled::spmv_csr(&mut y, view(a), &x).expect(FIT);
        }),
        Competitor::timed("paged,packed", Side::Ours, || into_tree(&trees.packed, &x)),
        Competitor::timed("bst,ctree", Side::Ours, || into_tree(&trees.ctree, &x)),
        Competitor::timed("bst,bst", Side::Ours, || into_tree(&trees.bst, &x)),
    ];
    competitors.extend(bench.theirs(Kernel::SpmvTree, subject(a)));
    bench.compare(&[Work::timed("spmv into a search tree")], competitors);
    Ok(())
}

/// Measures sums, unions and transposition.
///
/// # Errors
///
/// [`SuiteError`] if the system starts no more threads.
///
/// # Panics
///
/// If two sides do not compute the same.
pub fn add(bench: &mut Bench<'_>, input: &Matrix) -> Result<(), SuiteError> {
    let a = &input.rows;
    bench.begin("add", Some(&input.name));
    let b = a.moved();
    let trees = Trees::of(bench, a);
    let sum = || rows(compiled::add_csr(view(a), view(&b)).expect(FIT));
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
    let mut competitors = vec![
        Competitor::timed("csr", Side::Static, sum),
        Competitor::timed("paged,packed", Side::Ours, || added(&trees.packed, &b)),
        Competitor::timed("bst,ctree", Side::Ours, || added(&trees.ctree, &b)),
        Competitor::timed("bst,bst", Side::Ours, || added(&trees.bst, &b)),
        Competitor::timed("by hand", Side::Hand, || by_hand::add(a, &b)),
    ];
    competitors.extend(bench.theirs(Kernel::AddTree, subject(a)));
    bench.compare(&[Work::timed("store + csr into csr").moving(bytes)], competitors);
    drop(trees);
    static_rows(bench, a, &b, bytes);
    unions(bench, a, &b)
}

/// The rows as a matrix of the crate `sprs`, which works by one thread.
fn sprs(a: &Csr) -> CsMatI<f64, u32, usize> {
    CsMatI::new((a.rows, a.cols), a.pos.clone(), a.crd.clone(), a.vals.clone())
}

fn borrowed(a: &Csr) -> CsrView<'_, f64> {
    CsrView::from_parts(a.cols, &a.pos, &a.crd, &a.vals).expect("rows are sorted")
}

/// CSR + CSR by the kernel and by the engine, and the transposition of CSR, beside a loop by hand and another library.
fn static_rows(bench: &mut Bench<'_>, a: &Csr, b: &Csr, bytes: usize) {
    let theirs = (sprs(a), sprs(b));
    let sum = bench.within(|| borrowed(a).plus(borrowed(b)).expect(FIT));
    let other = &theirs.0 + &theirs.1;
    // The library leaves out entries that are zero.
    let ours = sum.view();
    let kept = ours.rows().flat_map(|row| row.coords.iter().zip(row.values)).filter(|(_, value)| **value != 0.0);
    let (coords, values): (Vec<u32>, Vec<f64>) = kept.map(|(&coord, &value)| (coord, value)).unzip();
    assert!(coords == other.indices() && close(&values, other.data()), "the sums of the engine and of sprs differ");
    drop((coords, values, sum, other));
    let mut competitors = vec![
        Competitor::timed("pleach", Side::Ours, || rows(compiled::add_csr(view(a), view(b)).expect(FIT))),
        Competitor::timed("the engine's plus", Side::Ours, || borrowed(a).plus(borrowed(b)).expect(FIT)),
        Competitor::timed("by hand", Side::Hand, || by_hand::add(a, b)),
        Competitor::timed("sprs", Side::Hand, || &theirs.0 + &theirs.1),
    ];
    competitors.extend(bench.theirs(Kernel::Add, subject(a)));
    bench.compare(&[Work::timed("csr + csr").moving(bytes)], competitors);
    let owned = pleach::Csr::from_parts(a.cols, a.pos.clone(), a.crd.clone(), a.vals.clone()).expect("rows are sorted");
    let (ours, other) = (bench.within(|| owned.transpose()), theirs.0.transpose_view().to_csr());
    let same = (ours.offsets(), ours.coords()) == (&other.indptr().to_proper()[..], other.indices());
    assert!(same && ours.values() == other.data(), "the transposed matrices of the engine and of sprs differ");
    drop((ours, other));
    let mut competitors = vec![
        Competitor::timed("pleach", Side::Ours, || owned.transpose()),
        Competitor::timed("sprs", Side::Hand, || theirs.0.transpose_view().to_csr()),
    ];
    competitors.extend(bench.theirs(Kernel::Transpose, subject(a)));
    bench.compare(&[Work::timed("transpose csr").moving(2 * (8 * a.pos.len() + 12 * a.crd.len()))], competitors);
}

/// A vector as a search tree.
type Tree = Tensor<1, (Stores<Bst<f64>>,), ()>;

/// A tree to be read.
macro_rules! read {
    ($tree:expr) => {
        Tensor { shape: $tree.shape, levels: (Stores($tree.levels.0.0.fiber()),), vals: () }
    };
}

/// Unions of two trees: of vectors, which the rows' sums are, and of matrices. All of them are serial.
fn unions(bench: &mut Bench<'_>, a: &Csr, b: &Csr) -> Result<(), SuiteError> {
    let matrix = |rows: &Csr| Held::<Bst<f64>>::from_csr::<Nested<Bst<_>>>(borrowed(rows));
    let (left, right) = bench.within(|| (matrix(a), matrix(b)));
    let ones = vec![1.0; a.cols];
    let (x, y): (Tree, Tree) = bench.within(|| (into_tree(&left, &ones), into_tree(&right, &ones)));
    let vectors = || -> Tree { compiled::union_of_vectors(read!(x), read!(y)).expect(FIT) };
    let entries = |tree: &Tree| tree.levels.0.0.fiber().len();
    let filled = |rows: &Csr| rows.pos.windows(2).filter(|row| row[0] < row[1]).count();
    assert_eq!(entries(&vectors()), filled(a), "the rows of both matrices are filled alike");
    bench.serially(|bench| {
        let mut competitors = vec![Competitor::timed("bst", Side::Ours, vectors)];
        competitors.extend(bench.theirs(Kernel::Union, subject(a)));
        bench.compare(&[Work::timed("union of two vectors in search trees")], competitors);
        let competitors = vec![
            Competitor::timed("csr + csr", Side::Static, || rows(compiled::add_csr(view(a), view(b)).expect(FIT))),
            Competitor::timed("bst,bst", Side::Ours, || -> Tensor<2, (Stores<Bst<Bst<f64>>>,), ()> {
                compiled::union_pam(&left, &right).expect(FIT)
            }),
            Competitor::timed("bst,ctree", Side::Ours, || -> Tensor<2, (Stores<Bst<Ctree<f64>>>,), ()> {
                compiled::union_aspen(&left, &right).expect(FIT)
            }),
        ];
        bench.compare(&[Work::timed("union of two matrices in bst,bst")], competitors);
    })?;
    Ok(())
}

/// A matrix as programs of others read it.
fn subject(a: &Csr) -> Subject<'_> {
    Subject::of_matrix(&a.pos, &a.crd, a.cols)
}

/// A matrix in the default store and in two kinds of trees.
struct Trees {
    packed: Held<Packed<u32, f64>>,
    ctree: Held<Ctree<f64>>,
    bst: Held<Bst<f64>>,
}

impl Trees {
    fn of(bench: &Bench<'_>, a: &Csr) -> Self {
        let rows = borrowed(a);
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
fn into_tree(a: &impl Rows<Value = f64>, x: &[f64]) -> Tree {
    let tree: Tree = compiled::into_tree(a, x).expect(FIT);
    std::hint::black_box(tree.levels.0.0.fiber().is_empty());
    tree
}

fn added<R: Store<Coord = u32, Value = f64>>(a: &Held<R>, b: &Csr) -> Csr {
    rows(compiled::add_dense_packed(a, view(b)).expect(FIT))
}

/// The entries as a list.
fn entries(a: &Csr) -> EdgeList<f64> {
    EdgeList { num_rows: a.rows, num_cols: a.cols, src: a.row_crd(), dst: a.crd.clone(), weight: a.vals.clone() }
}
