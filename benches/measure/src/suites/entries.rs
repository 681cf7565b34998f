//! Matrices in coordinates, as the paper on formats measures them: times a dense matrix (Figure 11), their sum (Figure 12), and times a vector
//! beside compressed rows that are assembled first (Figure 14).
//!
//! Kernels over coordinates are serial: entries of one row may be far apart. Those over compressed rows stand beside them.

use pleach::convert::{Coo, Csr as Rows, convert};
use pleach::runtime::tensor::{Compressed, Singleton, Tensor, View};

use super::SuiteError;
use super::kernels::{FIT, close, factor, width};
use crate::by_hand::{self, Entries};
use crate::compiled::{self, CooView, WIDTH, matrix, rows, view};
use crate::matrices::{Csr, Matrix, Random};
use crate::{Bench, Competitor, Side, Work};

/// Products for which compressed rows are assembled once.
const PRODUCTS: [usize; 3] = [1, 4, 16];

/// Measures one matrix.
///
/// # Errors
///
/// [`SuiteError`] if the system starts no more threads.
///
/// # Panics
///
/// If two sides do not compute the same.
pub fn run(bench: &mut Bench<'_>, input: &Matrix) -> Result<(), SuiteError> {
    let a = &input.rows;
    bench.begin("spmv-formats", Some(&input.name));
    times_dense(bench, a);
    bench.serially(|bench| sums(bench, a))?;
    assembled(bench, a);
    Ok(())
}

/// The coordinates of a matrix.
fn entries(a: &Csr) -> Entries {
    (a.row_crd(), a.crd.clone(), a.vals.clone())
}

/// Coordinates as kernels take them. `pos` are the bounds of all entries.
fn coordinates<'a>(a: &Csr, (rows, cols, vals): &'a Entries, pos: &'a [usize; 2]) -> CooView<'a, f64> {
    let levels = (Compressed { pos: &pos[..], crd: &rows[..] }, Singleton { crd: &cols[..] });
    Tensor { shape: [a.rows, a.cols], levels, vals }
}

/// A dense matrix of a few columns, from the left by the matrix.
fn times_dense(bench: &mut Bench<'_>, a: &Csr) {
    let (own, pos) = (entries(a), [0, a.crd.len()]);
    let x = Random::new(2).values(a.cols * WIDTH);
    let mut results = [(); 3].map(|()| vec![0.0; a.rows * WIDTH]);
    let [first, second, third] = &mut results;
    let coo = coordinates(a, &own, &pos);
    let all = vec![
        Competitor::timed("coo", Side::Ours, || {
            compiled::spmm_by_entries(factor(first), coo, matrix(&x, WIDTH)).expect(FIT);
        }),
        Competitor::timed("coo by hand", Side::Hand, || {
            by_hand::spmm_coo(second, &own.0, &own.1, &own.2, &x, width());
        }),
        Competitor::timed("csr", Side::Static, || {
            compiled::spmm(factor(third), view(a), matrix(&x, WIDTH)).expect(FIT);
        }),
    ];
    bench.compare(&[Work::timed(format!("spdm, {WIDTH} columns"))], all);
    assert!(close(&results[0], &results[1]) && close(&results[0], &results[2]), "formats give different products");
}

/// The matrix and the same with its columns moved by one.
fn sums(bench: &mut Bench<'_>, a: &Csr) {
    let b = a.moved();
    let (left, right) = (entries(a), entries(&b));
    let (left_pos, right_pos) = ([0, a.crd.len()], [0, b.crd.len()]);
    let ours =
        || compiled::add_entries(coordinates(a, &left, &left_pos), coordinates(&b, &right, &right_pos)).expect(FIT);
    let (sum, expected) = bench.within(|| (ours(), by_hand::add_coo(&left, &right)));
    let same = (&sum.levels.0.crd, &sum.levels.1.crd) == (&expected.0, &expected.1) && close(&sum.vals, &expected.2);
    assert!(same, "the sums of coordinates differ");
    drop((sum, expected));
    let all = vec![
        Competitor::timed("coo", Side::Ours, ours),
        Competitor::timed("coo by hand", Side::Hand, || by_hand::add_coo(&left, &right)),
        Competitor::timed("csr", Side::Static, || rows(compiled::add_csr(view(a), view(&b)).expect(FIT))),
    ];
    bench.compare(&[Work::timed("coo + coo")], all);
}

/// Some products with a vector: over coordinates, and over compressed rows that are assembled from them.
fn assembled(bench: &mut Bench<'_>, a: &Csr) {
    let (own, pos) = (entries(a), [0, a.crd.len()]);
    let x = Random::new(1).values(a.cols);
    let (mut first, mut second) = (vec![0.0; a.rows], vec![0.0; a.rows]);
    for products in PRODUCTS {
        let coo = coordinates(a, &own, &pos);
        let (y, z) = (&mut first, &mut second);
        let all = vec![
            Competitor::timed("coo", Side::Ours, || {
                (0..products).for_each(|_| compiled::spmv_coo(y, coo, &x).expect(FIT));
            }),
            Competitor::timed("csr, assembled first", Side::Ours, || {
                let assembled = convert::<Coo, Rows>(coo);
                (0..products).for_each(|_| compiled::spmv_csr(z, assembled.view(), &x).expect(FIT));
                assembled
            }),
        ];
        bench.compare(&[Work::timed(format!("spmv from coo, {products} times"))], all);
        assert!(close(&first, &second), "compressed rows give another product than coordinates");
    }
}
