//! Products of a matrix and a vector by density, as the paper on formats measures them (Figures 15 and 16): vectors as arrays, as lists of
//! nonzeros and as hash maps, and diagonals beside compressed rows.

use pleach::convert::{Csr as Rows, Dia, convert};
use pleach::runtime::tensor::{Compressed, Tensor, View};

use super::kernels::{FIT, close};
use crate::compiled::{self, view};
use crate::matrices::{Csr, Random};
use crate::{Bench, Competitor, Side, Work};

/// Nonzeros for each place of the matrix.
const MATRICES: [f64; 3] = [1e-4, 1e-3, 1e-2];

/// Nonzeros for each place of the vector.
const VECTORS: [f64; 4] = [1e-4, 1e-2, 1e-1, 1.0];

/// Nonzeros for each place of the diagonals that hold one.
const DIAGONALS: [f64; 4] = [1.0, 0.5, 0.2, 0.1];

/// Measures matrices of 20,000 rows, and of a million rows with nine diagonals, `scale` times smaller.
///
/// # Panics
///
/// If two formats do not give the same.
pub fn run(bench: &mut Bench<'_>, scale: usize) {
    let scale = scale.max(1);
    for density in MATRICES {
        let a = bench.within(|| Csr::random((20_000 / scale).max(20), density));
        bench.begin("spmv-formats", Some(&format!("random, {density} filled")));
        VECTORS.iter().for_each(|&share| vectors(bench, &a, share));
    }
    for density in DIAGONALS {
        let a = bench.within(|| Csr::diagonals_filled((1_000_000 / scale).max(20), density));
        bench.begin("spmv-formats", Some(&format!("nine diagonals, {density} filled")));
        diagonals(bench, &a);
    }
}

/// Three formats of a vector.
fn vectors(bench: &mut Bench<'_>, a: &Csr, share: f64) {
    let mut random = Random::new(7);
    let (mut dense, mut crd, mut vals) = (vec![0.0; a.cols], Vec::new(), Vec::new());
    for (j, x) in dense.iter_mut().enumerate() {
        let value = random.value();
        // From a half to one and a half: as often below as the share says.
        if random.value() - 0.5 < share {
            *x = value;
            crd.push(j as u32);
            vals.push(value);
        }
    }
    let pos = [0, crd.len()];
    let sparse = Tensor { shape: [a.cols], levels: (Compressed { pos: &pos[..], crd: &crd[..] },), vals: &vals[..] };
    let hash = compiled::hashed_vector(sparse).expect(FIT);
    let mut results = [(); 3].map(|()| vec![0.0; a.rows]);
    let [first, second, third] = &mut results;
    let all = vec![
        Competitor::timed("dense array", Side::Ours, || compiled::spmv_csr(first, view(a), &dense).expect(FIT)),
        Competitor::timed("sparse", Side::Ours, || compiled::by_vector_sparse(second, view(a), sparse).expect(FIT)),
        Competitor::timed("hash map", Side::Ours, || compiled::by_vector_hash(third, view(a), hash.view()).expect(FIT)),
    ];
    bench.compare(&[Work::timed(format!("spmv, {share} of the vector"))], all);
    assert!(close(&results[0], &results[1]) && close(&results[0], &results[2]), "formats give different products");
}

/// Diagonals beside compressed rows.
fn diagonals(bench: &mut Bench<'_>, a: &Csr) {
    let x = Random::new(1).values(a.cols);
    let dia = bench.within(|| convert::<Rows, Dia>(view(a)));
    let (mut first, mut second) = (vec![0.0; a.rows], vec![0.0; a.rows]);
    let all = vec![
        Competitor::timed("csr", Side::Static, || compiled::spmv_csr(&mut first, view(a), &x).expect(FIT)),
        Competitor::timed("dia", Side::Ours, || compiled::spmv_dia(&mut second, dia.view(), &x).expect(FIT)),
    ];
    bench.compare(&[Work::timed("spmv")], all);
    assert!(close(&first, &second), "diagonals give another product than compressed rows");
}
