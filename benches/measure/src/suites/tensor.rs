//! Compiled kernels over tensors of the third order beside loops written by hand. All of them, on both sides, are serial: they are measured by one
//! thread, and their rows say so.

use pleach::runtime::tensor::{Compressed, Singleton, Tensor};

use super::SuiteError;
use super::kernels::{FIT, close, factor, filling, making, width};
use crate::by_hand;
use crate::compiled::{self, WIDTH, cube, matrix};
use crate::matrices::{Csf, Random};
use crate::{Bench, Work};

fn same_levels(a: &by_hand::Dcsr, b: &by_hand::Dcsr) -> bool {
    (&a.0, &a.1, &a.2, &a.3) == (&b.0, &b.1, &b.2, &b.3) && close(&a.4, &b.4)
}

fn same_cubes(a: &Csf, b: &Csf) -> bool {
    a.pos[1..] == b.pos[1..] && a.crd == b.crd && close(&a.vals, &b.vals)
}

/// Measures kernels over tensors with about so many random nonzeros.
///
/// # Errors
///
/// [`SuiteError`] if the system starts no more threads.
///
/// # Panics
///
/// If a kernel and its loop do not compute the same.
pub fn run(bench: &mut Bench<'_>, nonzeros: usize) -> Result<(), SuiteError> {
    let shrunk = |extent: usize| (extent * nonzeros.min(5_000_000) / 5_000_000).max(20);
    let a = Csf::random([20_000, 3_000, 3_000].map(shrunk), nonzeros);
    bench.begin("tensor", Some(&format!("random, {} nonzeros", a.vals.len())));
    bench.serially(|bench| {
        fibers(bench, &a);
        two(bench, &a);
        mttkrp(bench, &a);
    })?;
    Ok(())
}

/// Products with a vector and a matrix.
fn fibers(bench: &mut Bench<'_>, a: &Csf) {
    let (csf, mut random) = (cube(a), Random::new(4));
    let dcsr = |c: compiled::Dcsr<f64>| (c.levels.0.pos, c.levels.0.crd, c.levels.1.pos, c.levels.1.crd, c.vals);
    let x = random.values(a.shape[2]);
    let bytes = 12 * a.vals.len();
    making(
        bench,
        Work::timed("ttv, csf").moving(bytes),
        || by_hand::ttv(a, &x),
        || dcsr(compiled::ttv(csf, &x).expect(FIT)),
        same_levels,
    );
    let x = random.values(a.shape[2] * 16);
    making(
        bench,
        Work::timed("ttm, csf, 16 columns"),
        || by_hand::ttm(a, &x, std::hint::black_box(16)),
        || {
            let c = compiled::ttm(csf, matrix(&x, 16)).expect(FIT);
            (c.levels.0.pos, c.levels.0.crd, c.levels.1.pos, c.levels.1.crd, c.vals)
        },
        same_levels,
    );
}

/// The sum of two tensors and their inner product.
fn two(bench: &mut Bench<'_>, a: &Csf) {
    let (csf, b, bytes) = (cube(a), a.moved(), 12 * a.vals.len());
    making(
        bench,
        Work::timed("plus, csf + csf").moving(4 * bytes),
        || by_hand::plus(a, &b),
        || {
            let c = compiled::plus(csf, cube(&b)).expect(FIT);
            let (first, second, third) = c.levels;
            Csf {
                shape: c.shape,
                pos: [first.pos, second.pos, third.pos],
                crd: [first.crd, second.crd, third.crd],
                vals: c.vals,
            }
        },
        same_cubes,
    );
    making(
        bench,
        Work::timed("innerprod, csf").moving(2 * bytes),
        || by_hand::inner(a, a),
        || compiled::inner(csf, csf).expect(FIT),
        |a, b| (a - b).abs() <= 1e-9 * a.abs(),
    );
}

/// Matricised tensor times Khatri-Rao product, over compressed fibers and over coordinates.
fn mttkrp(bench: &mut Bench<'_>, a: &Csf) {
    let mut random = Random::new(5);
    let (c, d) = (random.values(a.shape[1] * WIDTH), random.values(a.shape[2] * WIDTH));
    filling(
        bench,
        Work::timed(format!("mttkrp, csf, rank {WIDTH}")),
        a.shape[0] * WIDTH,
        |m| by_hand::mttkrp_csf(m, a, &c, &d, width()),
        |m| compiled::mttkrp_csf(factor(m), cube(a), matrix(&c, WIDTH), matrix(&d, WIDTH)).expect(FIT),
    );
    let [first, second] = a.coordinates();
    let (third, pos) = (&a.crd[2][..], [0, first.len()]);
    let levels =
        (Compressed { pos: &pos[..], crd: &first[..] }, Singleton { crd: &second[..] }, Singleton { crd: third });
    let coo = Tensor { shape: a.shape, levels, vals: &a.vals[..] };
    filling(
        bench,
        Work::timed(format!("mttkrp, coo, rank {WIDTH}")),
        a.shape[0] * WIDTH,
        |m| by_hand::mttkrp_coo(m, [&first, &second, third], &a.vals, &c, &d, width()),
        |m| compiled::mttkrp_coo3(factor(m), coo, matrix(&c, WIDTH), matrix(&d, WIDTH)).expect(FIT),
    );
}
