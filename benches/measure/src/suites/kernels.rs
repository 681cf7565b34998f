//! Compiled kernels over matrices beside loops written by hand for the same layout, and products of a matrix with a vector in several formats
//! beside each other.

use pleach::convert::{Coo, Csr as Rows, Dia, Ell, convert};
use pleach::runtime::tensor::{Dense, Tensor, View};

use crate::by_hand;
use crate::compiled::{self, WIDTH, matrix, rows, view};
use crate::matrices::{Csr, Matrix, Random};
use crate::peers::{Kernel, Subject};
use crate::{Bench, Competitor, Side, Work};

/// Most slots that a format with padding may have for each nonzero.
const PADDING: usize = 20;

/// The same width as loops by hand are told it: at run time, as kernels are.
pub(super) fn width() -> usize {
    std::hint::black_box(WIDTH)
}

/// How far apart sums may be that are added up in another order.
pub(super) fn close(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0))
}

fn alike(a: &Csr, b: &Csr) -> bool {
    a.pos == b.pos && a.crd == b.crd && close(&a.vals, &b.vals)
}

/// Measures a loop and a compiled kernel that make the same.
pub(super) fn making<R: Send>(
    bench: &mut Bench<'_>,
    work: Work,
    by_hand: impl Fn() -> R + Sync,
    ours: impl Fn() -> R + Sync,
    same: impl Fn(&R, &R) -> bool + Sync,
) {
    making_beside(bench, work, by_hand, ours, same, Vec::new());
}

/// The same, beside others.
fn making_beside<R: Send>(
    bench: &mut Bench<'_>,
    work: Work,
    by_hand: impl Fn() -> R + Sync,
    ours: impl Fn() -> R + Sync,
    same: impl Fn(&R, &R) -> bool + Sync,
    others: Vec<Competitor<'_>>,
) {
    assert!(bench.within(|| same(&by_hand(), &ours())), "{}: the two sides disagree", work.name);
    let both = [Competitor::timed("by hand", Side::Hand, &by_hand), Competitor::timed("pleach", Side::Ours, &ours)];
    bench.compare(&[work], both.into_iter().chain(others).collect());
}

/// Measures a loop and a compiled kernel that fill an array.
pub(super) fn filling(
    bench: &mut Bench<'_>,
    work: Work,
    n: usize,
    by_hand: impl Fn(&mut [f64]) + Sync,
    ours: impl Fn(&mut [f64]) + Sync,
) {
    filling_beside(bench, work, n, by_hand, ours, Vec::new());
}

/// The same, beside others.
fn filling_beside(
    bench: &mut Bench<'_>,
    work: Work,
    n: usize,
    by_hand: impl Fn(&mut [f64]) + Sync,
    ours: impl Fn(&mut [f64]) + Sync,
    others: Vec<Competitor<'_>>,
) {
    let (mut left, mut right) = (vec![0.0; n], vec![0.0; n]);
    bench.within(|| {
        by_hand(&mut left);
        ours(&mut right);
    });
    assert!(close(&left, &right), "{}: the two sides disagree", work.name);
    let both = [
        Competitor::timed("by hand", Side::Hand, || by_hand(&mut left)),
        Competitor::timed("pleach", Side::Ours, || ours(&mut right)),
    ];
    bench.compare(&[work], both.into_iter().chain(others).collect());
}

/// Programs of others that have a kernel, on a matrix. What they read has as many rows as columns.
fn theirs<'a>(bench: &Bench<'_>, kernel: Kernel, a: &'a Csr) -> Vec<Competitor<'a>> {
    if a.rows == a.cols { bench.theirs(kernel, Subject::of_matrix(&a.pos, &a.crd, a.cols)) } else { Vec::new() }
}

/// Bytes that a product with a matrix of compressed rows moves: the matrix and both vectors, each once.
pub(crate) fn bytes(a: &Csr) -> usize {
    12 * a.crd.len() + 8 * (a.pos.len() + a.cols + a.rows)
}

/// Measures the kernels on one matrix.
///
/// # Panics
///
/// If a kernel and its loop do not compute the same.
pub fn run(bench: &mut Bench<'_>, input: &Matrix) {
    let a = &input.rows;
    bench.begin("kernels", Some(&input.name));
    let (x, mut random) = (Random::new(1).values(a.cols), Random::new(2));
    filling(
        bench,
        Work::timed("spmv, csr").moving(bytes(a)),
        a.rows,
        |y| by_hand::spmv_csr(y, a, &x),
        |y| compiled::spmv_csr(y, view(a), &x).expect(FIT),
    );
    let b = a.moved();
    let sum = 12 * 2 * (a.crd.len() + b.crd.len()) + 8 * 3 * a.pos.len();
    making(
        bench,
        Work::timed("csr + csr, counted and filled").moving(sum),
        || by_hand::add(a, &b),
        || rows(compiled::add_csr(view(a), view(&b)).expect(FIT)),
        alike,
    );
    let (x, z) = (random.values(a.cols * WIDTH), random.values(a.cols * WIDTH));
    let others = theirs(bench, Kernel::Spmm, a);
    filling_beside(
        bench,
        Work::timed(format!("spmm, {WIDTH} columns")),
        a.rows * WIDTH,
        |y| by_hand::spmm(y, a, &x, width()),
        |y| {
            compiled::spmm(factor(y), view(a), matrix(&x, WIDTH)).expect(FIT);
        },
        others,
    );
    if a.rows == a.cols {
        let others = theirs(bench, Kernel::Sddmm, a);
        making_beside(
            bench,
            Work::timed(format!("sddmm, {WIDTH}")),
            || by_hand::sddmm(a, &x, &z, width()),
            || rows(compiled::sddmm(view(a), matrix(&x, WIDTH), matrix(&z, WIDTH)).expect(FIT)),
            alike,
            others,
        );
        squared(bench, a);
    }
}

/// Products of two entries that a product of two matrices may have at most.
const PRODUCTS: usize = 1 << 28;

/// Measures the product of a matrix with itself.
fn squared(bench: &mut Bench<'_>, a: &Csr) {
    let work = Work::timed("spgemm, A A");
    let products: usize = a.crd.iter().map(|&k| a.pos[k as usize + 1] - a.pos[k as usize]).sum();
    if products > PRODUCTS {
        let why = format!("it would add up {products} products, and at most {PRODUCTS} are tried");
        bench.skip(&work, "pleach", Side::Ours, why);
        return;
    }
    let sprs = sprs::CsMatI::<f64, u32, usize>::new((a.rows, a.cols), a.pos.clone(), a.crd.clone(), a.vals.clone());
    let mut others = vec![Competitor::timed("sprs", Side::Hand, || &sprs * &sprs)];
    others.extend(theirs(bench, Kernel::Spgemm, a));
    making_beside(
        bench,
        work,
        || by_hand::spgemm(a, a),
        || rows(compiled::spgemm(view(a), view(a)).expect(FIT)),
        alike,
        others,
    );
}

/// What a kernel says that is given other extents.
pub(super) const FIT: &str = "shapes fit";

/// Measures products of a matrix and a vector in several formats; formats that would be padded to more than 20 times the nonzeros are left
/// out, and a row says so.
///
/// # Panics
///
/// If two formats do not give the same.
pub fn formats(bench: &mut Bench<'_>, input: &Matrix) {
    let a = &input.rows;
    bench.begin("spmv-formats", Some(&input.name));
    let (work, x) = (Work::timed("spmv").moving(bytes(a)), Random::new(1).values(a.cols));
    let most = PADDING * a.crd.len().max(1);
    let (slots, diagonals) = (a.longest() * a.rows, a.diagonals() * a.rows);
    let blocks = a.blocks_of(6) * 36;
    let source = view(a);
    let (ell, dia, bcsr, coo, hashed) = bench.within(|| {
        (
            (slots <= most).then(|| convert::<Rows, Ell>(source)),
            (diagonals <= most).then(|| convert::<Rows, Dia>(source)),
            (blocks <= most && a.rows.is_multiple_of(6) && a.cols.is_multiple_of(6))
                .then(|| compiled::blocks(source).expect(FIT)),
            convert::<Rows, Coo>(source),
            // Each row has as many slots as the longest one needs.
            (slots <= most).then(|| compiled::hashed(source).expect(FIT)),
        )
    });
    let mut all: Vec<(&str, Product<'_>)> = vec![
        ("csr", Box::new(|y| compiled::spmv_csr(y, source, &x).expect(FIT))),
        ("coo", Box::new(|y| compiled::spmv_coo(y, coo.view(), &x).expect(FIT))),
    ];
    if let Some(hashed) = &hashed {
        all.push(("hash", Box::new(|y| compiled::spmv_dense_hashed(y, hashed.view(), &x).expect(FIT))));
    }
    if let Some(ell) = &ell {
        all.push(("ell", Box::new(|y| compiled::spmv_ell(y, ell.view(), &x).expect(FIT))));
    }
    if let Some(dia) = &dia {
        all.push(("dia", Box::new(|y| compiled::spmv_dia(y, dia.view(), &x).expect(FIT))));
    }
    if let Some(bcsr) = &bcsr {
        all.push(("bcsr 6x6", Box::new(|y| compiled::spmv_bcsr_6_6(y, bcsr.view(), &x).expect(FIT))));
    }
    let loops = Loops::of(a, ell.is_some(), dia.is_some(), bcsr.is_some());
    let mut by_hand: Vec<(&str, Product<'_>)> = vec![
        ("csr by hand", Box::new(|y| by_hand::spmv_csr(y, a, &x))),
        ("coo by hand", Box::new(|y| by_hand::spmv_coo(y, &loops.rows, &a.crd, &a.vals, &x))),
    ];
    if let Some((_, crd, vals)) = &loops.ell {
        by_hand.push(("ell by hand", Box::new(|y| by_hand::spmv_ell(y, crd, vals, &x))));
    }
    if let Some((crd, vals)) = &loops.dia {
        by_hand.push(("dia by hand", Box::new(|y| by_hand::spmv_dia(y, crd, vals, &x))));
    }
    if let Some((pos, crd, vals)) = &loops.bcsr {
        by_hand.push(("bcsr 6x6 by hand", Box::new(|y| by_hand::spmv_bcsr::<6>(y, pos, crd, vals, &x))));
    }
    let mut expected = vec![0.0; a.rows];
    bench.within(|| (all[0].1)(&mut expected));
    let sides = all.iter().map(|one| (one, Side::Ours)).chain(by_hand.iter().map(|one| (one, Side::Hand)));
    let mut competitors = Vec::new();
    for ((name, product), side) in sides {
        let mut y = vec![0.0; a.rows];
        bench.within(|| product(&mut y));
        assert!(close(&expected, &y), "{name} gives another product");
        competitors.push(Competitor::timed(*name, side, move || product(&mut y)));
    }
    for (name, there, slots) in [
        ("hash", hashed.is_some(), slots),
        ("ell", ell.is_some(), slots),
        ("dia", dia.is_some(), diagonals),
        ("bcsr 6x6", bcsr.is_some(), blocks),
    ] {
        if !there {
            let many = slots as f64 / a.crd.len().max(1) as f64;
            let why = if slots > most {
                format!("it would have {many:.0} slots for each nonzero, and at most {PADDING} are tried")
            } else {
                "extents are no multiples of 6".to_owned()
            };
            competitors.push(Competitor::missing(name, Side::Ours, why));
        }
    }
    bench.compare(&[work], competitors);
}

/// What writes a product into an array.
type Product<'a> = Box<dyn Fn(&mut [f64]) + Sync + 'a>;

/// The arrays of formats that loops by hand go over.
struct Loops {
    rows: Vec<u32>,
    ell: Option<(usize, Vec<u32>, Vec<f64>)>,
    dia: Option<(Vec<u32>, Vec<f64>)>,
    bcsr: Option<(Vec<usize>, Vec<u32>, Vec<f64>)>,
}

impl Loops {
    fn of(a: &Csr, ell: bool, dia: bool, bcsr: bool) -> Self {
        Loops { rows: a.row_crd(), ell: ell.then(|| a.ell()), dia: dia.then(|| a.dia()), bcsr: bcsr.then(|| a.bcsr(6)) }
    }
}

/// A dense matrix of 32 columns, to be written.
pub(super) fn factor(vals: &mut [f64]) -> compiled::MatrixMut<'_, f64> {
    Tensor { shape: [vals.len() / WIDTH, WIDTH], levels: (Dense, Dense), vals }
}
