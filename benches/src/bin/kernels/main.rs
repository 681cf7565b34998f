//! Compiled kernels against loops written by hand, in one table of ratios.
//!
//! `cargo run --release -p pleach-benches --bin kernels [-- --scale N] [--rounds N] [WORD…]`
//!
//! `--scale 10` makes every input ten times smaller; words choose the rows whose name holds one of them. Each row is measured by one
//! thread and by all, the two sides in turn, and shows medians; both sides give the same, which is checked. Where a row says so, the
//! other side is something else: what a tree costs against static rows.

mod by_hand;
mod inputs;

use std::time::Instant;

use pleach::kernels::pagerank::sum_quotients;
use pleach::runtime::tensor::{
    Arranged, Compressed, Dense, Offset, Range, Remapped, Singleton, Sliced, Squeezed, Tensor,
};
use pleach::runtime::{Fiber, Nested, Packed, Paged, SharedOutput, Store};
use pleach::stores::{Bst, Ctree};
use pleach::{CsrView, Matrix, Rows};
use pleach_codegen::diagnostic::SourceFile;
use pleach_codegen::session::Session;

use inputs::{Csf, Csr, Random};

/// What the compiler makes of `kernels.pleach`.
mod compiled {
    #![allow(missing_docs, reason = "generated, and documented there")]
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

#[global_allocator]
static GLOBAL: jemallocator::Jemalloc = jemallocator::Jemalloc;

/// Columns of the dense factors of SpMM and SDDMM, and the rank of MTTKRP.
const WIDTH: usize = 32;

/// The same as loops by hand are told it: at run time, as kernels are.
fn width() -> usize {
    std::hint::black_box(WIDTH)
}

/// A matrix and how to make it, if a row wants it.
type Input<'a> = (&'static str, Box<dyn Fn() -> Csr + 'a>);

/// What was asked for on the command line.
struct Bench {
    scale: usize,
    rounds: usize,
    words: Vec<String>,
}

fn main() {
    let mut bench = Bench { scale: 1, rounds: 11, words: Vec::new() };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut number = || args.next().and_then(|n| n.parse().ok()).filter(|&n| n > 0);
        match &arg[..] {
            "--scale" => bench.scale = number().unwrap_or_else(|| usage()),
            "--rounds" => bench.rounds = number().unwrap_or_else(|| usage()),
            word if word.starts_with('-') => usage(),
            _ => bench.words.push(arg),
        }
    }
    println!("{:<34}{:>8}{:>12}{:>12}{:>8}", "", "threads", "other, ms", "ours, ms", "ratio");
    bench.matrices();
    bench.cubes();
    bench.trees();
    bench.compiling();
}

fn usage() -> ! {
    eprintln!("usage: kernels [--scale N] [--rounds N] [WORD…]");
    std::process::exit(2)
}

/// What `work` gives, and how many milliseconds it took.
fn timed<R>(work: &mut impl FnMut() -> R) -> (R, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64() * 1e3)
}

/// How far apart sums may be that are added up in another order.
fn close(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0))
}

impl Bench {
    fn wanted(&self, name: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| name.contains(&word[..]))
    }

    /// Measures two sides that fill the same result, and prints how long each takes. `threads`: 1, or 0 for all there are.
    fn row<R>(
        &self,
        name: &str,
        threads: &[usize],
        mut other: impl FnMut() -> R + Send,
        mut ours: impl FnMut() -> R + Send,
        same: impl Fn(&R, &R) -> bool + Sync,
    ) where
        R: Send,
    {
        if !self.wanted(name) {
            return;
        }
        for &threads in threads {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
            let mut times = [Vec::new(), Vec::new()];
            pool.install(|| {
                for round in 0..=self.rounds {
                    // Allocating while the other side's result is alive takes another time, so the two sides alternate in doing so.
                    let ((theirs, others), (own, owns)) = if round % 2 == 0 {
                        let first = timed(&mut other);
                        (first, timed(&mut ours))
                    } else {
                        let first = timed(&mut ours);
                        (timed(&mut other), first)
                    };
                    if round == 0 {
                        // Memory is touched for the first time, and the results are compared.
                        assert!(same(&theirs, &own), "{name}: the two sides disagree");
                    } else {
                        times[0].push(others);
                        times[1].push(owns);
                    }
                }
            });
            let [other, ours] = times.map(|mut times| {
                times.sort_by(f64::total_cmp);
                times[times.len() / 2]
            });
            let threads = pool.current_num_threads();
            println!("{name:<34}{threads:>8}{other:>12.3}{ours:>12.3}{:>8.2}", ours / other);
        }
    }

    /// The same for two sides that write to an array.
    fn filling(
        &self,
        name: &str,
        threads: &[usize],
        n: usize,
        other: impl Fn(&mut [f64]) + Sync,
        ours: impl Fn(&mut [f64]) + Sync,
    ) {
        let (mut left, mut right) = (vec![0.0; n], vec![0.0; n]);
        let (mut left_sums, mut right_sums) = (Vec::new(), Vec::new());
        self.row(
            name,
            threads,
            || {
                other(&mut left);
                if left_sums.is_empty() {
                    left_sums.clone_from(&left);
                }
                std::mem::take(&mut left_sums)
            },
            || {
                ours(&mut right);
                if right_sums.is_empty() {
                    right_sums.clone_from(&right);
                }
                std::mem::take(&mut right_sums)
            },
            |a, b| close(a, b),
        );
    }

    fn matrices(&self) {
        let (s, root, cube) = (self.scale, (self.scale as f64).sqrt(), (self.scale as f64).cbrt());
        let side = (1000.0 / root) as usize;
        let long = (108.0 / cube) as usize;
        let inputs: [Input<'_>; 4] = [
            ("eco", Box::new(move || Csr::stencil(&[side, side]))),
            ("atm", Box::new(move || Csr::stencil(&[long, long, long]))),
            ("fem", Box::new(move || Csr::blocks(200_000 / s, 6))),
            ("web", Box::new(move || Csr::web(20 - s.ilog2(), 3_200_000 / s))),
        ];
        for (name, make) in inputs {
            let kinds = [
                "spmv csr",
                "spmv coo",
                "spmv ell",
                "spmv dia",
                "spmv bcsr",
                "add",
                "add in parallel",
                "spmm",
                "sddmm",
            ];
            if !kinds.iter().any(|kind| self.wanted(&format!("{kind} {name}"))) {
                continue;
            }
            let a = make();
            let (x, mut random) = (Random::new(1).values(a.cols), Random::new(2));
            self.spmv(name, &a, &x);
            let b = a.moved();
            self.row(
                &format!("add {name}"),
                &[1],
                || by_hand::add(&a, &b),
                || csr(compiled::add(view(&a), view(&b)).expect("shapes fit")),
                alike,
            );
            self.row(
                &format!("add in parallel {name}"),
                &[1, 0],
                || by_hand::par_add(&a, &b),
                || csr(compiled::par_add_csr(view(&a), view(&b)).expect("shapes fit")),
                alike,
            );
            let (x, z) = (random.values(a.cols * WIDTH), random.values(a.cols * WIDTH));
            self.filling(
                &format!("spmm {name}"),
                &[1, 0],
                a.rows * WIDTH,
                |y| by_hand::spmm(y, &a, &x, width()),
                |y| {
                    let y = Tensor { shape: [a.rows, WIDTH], levels: (Dense, Dense), vals: y };
                    compiled::spmm(y, view(&a), matrix(&x)).expect("shapes fit");
                },
            );
            self.row(
                &format!("sddmm {name}"),
                &[1, 0],
                || by_hand::sddmm(&a, &x, &z, width()),
                || csr(compiled::sddmm(view(&a), matrix(&x), matrix(&z)).expect("shapes fit")),
                alike,
            );
        }
    }

    fn spmv(&self, name: &str, a: &Csr, x: &[f64]) {
        let n = a.rows;
        let shape = [a.rows, a.cols];
        self.filling(
            &format!("spmv csr {name}"),
            &[1, 0],
            n,
            |y| by_hand::spmv_csr(y, a, x),
            |y| compiled::spmv_csr(y, view(a), x).expect("shapes fit"),
        );
        let (pos, rows) = ([0, a.crd.len()], a.row_crd());
        let coo = Tensor {
            shape,
            levels: (Compressed { pos: &pos[..], crd: &rows[..] }, Singleton { crd: &a.crd[..] }),
            vals: &a.vals[..],
        };
        self.filling(
            &format!("spmv coo {name}"),
            &[1],
            n,
            |y| by_hand::spmv_coo(y, &rows, &a.crd, &a.vals, x),
            |y| compiled::spmv_coo(y, coo, x).expect("shapes fit"),
        );
        if name == "eco" || name == "atm" {
            let (slices, crd, vals) = a.ell();
            let levels = (Sliced { slices }, Dense, Singleton { crd: &crd[..] });
            let ell = Arranged::new(Tensor { shape, levels, vals: &vals[..] });
            self.filling(
                &format!("spmv ell {name}"),
                &[1, 0],
                n,
                |y| by_hand::spmv_ell(y, &crd, &vals, x),
                |y| compiled::spmv_ell(y, ell, x).expect("shapes fit"),
            );
            let (crd, vals) = a.dia();
            let diagonals = Remapped { extent: a.rows + a.cols - 1, level: Squeezed { crd: &crd[..] } };
            let dia = Arranged::new(Tensor { shape, levels: (diagonals, Range, Offset), vals: &vals[..] });
            self.filling(
                &format!("spmv dia {name}"),
                &[1, 0],
                n,
                |y| by_hand::spmv_dia(y, &crd, &vals, x),
                |y| compiled::spmv_dia(y, dia, x).expect("shapes fit"),
            );
        }
        if name == "fem" {
            let (pos, crd, vals) = a.bcsr(6);
            let of = |extent, level| Remapped { extent, level };
            let blocks = Remapped { extent: a.cols / 6, level: Compressed { pos: &pos[..], crd: &crd[..] } };
            let levels = (of(a.rows / 6, Dense), blocks, of(6, Dense), of(6, Dense));
            let bcsr = Arranged::new(Tensor { shape, levels, vals: &vals[..] });
            self.filling(
                &format!("spmv bcsr {name}"),
                &[1, 0],
                n,
                |y| by_hand::spmv_bcsr::<6>(y, &pos, &crd, &vals, x),
                |y| compiled::spmv_bcsr_6_6(y, bcsr, x).expect("shapes fit"),
            );
        }
    }

    fn cubes(&self) {
        let kinds = ["ttv csf", "ttm csf", "mttkrp csf", "mttkrp coo"];
        if !kinds.iter().any(|kind| self.wanted(kind)) {
            return;
        }
        let a =
            Csf::random([20_000, 3_000, 3_000].map(|n| n / self.scale.ilog2().max(1) as usize), 5_000_000 / self.scale);
        let mut random = Random::new(4);
        let [pos1, pos2, pos3] = [0, 1, 2].map(|m| &a.pos[m][..]);
        let [crd1, crd2, crd3] = [0, 1, 2].map(|m| &a.crd[m][..]);
        let levels = (
            Compressed { pos: pos1, crd: crd1 },
            Compressed { pos: pos2, crd: crd2 },
            Compressed { pos: pos3, crd: crd3 },
        );
        let csf = Tensor { shape: a.shape, levels, vals: &a.vals[..] };
        let x = random.values(a.shape[2]);
        self.row(
            "ttv csf",
            &[1],
            || by_hand::ttv(&a, &x),
            || {
                let c = compiled::ttv(csf, &x).expect("shapes fit");
                (c.levels.0.pos, c.levels.0.crd, c.levels.1.pos, c.levels.1.crd, c.vals)
            },
            same_levels,
        );
        let x = random.values(a.shape[2] * 16);
        let factor = Tensor { shape: [a.shape[2], 16], levels: (Dense, Dense), vals: &x[..] };
        self.row(
            "ttm csf",
            &[1],
            || by_hand::ttm(&a, &x, std::hint::black_box(16)),
            || {
                let c = compiled::ttm(csf, factor).expect("shapes fit");
                (c.levels.0.pos, c.levels.0.crd, c.levels.1.pos, c.levels.1.crd, c.vals)
            },
            same_levels,
        );
        let (c, d) = (random.values(a.shape[1] * WIDTH), random.values(a.shape[2] * WIDTH));
        let shape = [a.shape[0], WIDTH];
        self.filling(
            "mttkrp csf",
            &[1],
            a.shape[0] * WIDTH,
            |m| by_hand::mttkrp_csf(m, &a, &c, &d, width()),
            |m| {
                compiled::mttkrp_csf(Tensor { shape, levels: (Dense, Dense), vals: m }, csf, matrix(&c), matrix(&d))
                    .expect("shapes fit")
            },
        );
        let [first, second] = a.coordinates();
        let pos = [0, first.len()];
        let levels =
            (Compressed { pos: &pos[..], crd: &first[..] }, Singleton { crd: &second[..] }, Singleton { crd: crd3 });
        let coo = Tensor { shape: a.shape, levels, vals: &a.vals[..] };
        self.filling(
            "mttkrp coo",
            &[1],
            a.shape[0] * WIDTH,
            |m| by_hand::mttkrp_coo(m, [&first, &second, crd3], &a.vals, &c, &d, width()),
            |m| {
                compiled::mttkrp_coo3(Tensor { shape, levels: (Dense, Dense), vals: m }, coo, matrix(&c), matrix(&d))
                    .expect("shapes fit")
            },
        );
    }

    /// Trees and pages of rows against static rows, and PageRank's kernel against a closure over the same rows.
    fn trees(&self) {
        let side = (2048.0 / (self.scale as f64).sqrt()) as usize;
        let inputs: [Input<'_>; 2] = [
            ("rmat", Box::new(|| Csr::web(20 - self.scale.ilog2(), 31_400_000 / self.scale))),
            ("grid", Box::new(move || Csr::stencil(&[side, side]))),
        ];
        for (name, make) in inputs {
            let kinds = ["add packed", "add bst,ctree", "add bst,bst", "spmv into a tree", "pagerank"];
            if !kinds.iter().any(|kind| self.wanted(&format!("{kind} {name}"))) {
                continue;
            }
            let a = make();
            let x = Random::new(1).values(a.cols);
            let rows = CsrView::from_parts(a.cols, &a.pos, &a.crd, &a.vals).expect("rows are sorted");
            let default = Matrix::<Packed<u32, f64>>::from_csr::<Paged<_>>(rows);
            if self.wanted(&format!("pagerank {name}")) {
                let d: Vec<f64> = Random::new(7).values(a.cols);
                self.filling(
                    &format!("pagerank {name}: closure"),
                    &[1, 0],
                    a.rows,
                    |y| closure(y, &default, &x, &d),
                    |y| sum_quotients(y, &default, &x, &d).expect("shapes fit"),
                );
            }
            let b = a.moved();
            self.added(&format!("add packed {name}: csr + csr"), &a, &b, &default);
            drop(default);
            let ctrees = Matrix::<Ctree<f64>>::from_csr::<Nested<Bst<_>>>(rows);
            self.added(&format!("add bst,ctree {name}: csr + csr"), &a, &b, &ctrees);
            drop(ctrees);
            let trees = Matrix::<Bst<f64>>::from_csr::<Nested<Bst<_>>>(rows);
            self.added(&format!("add bst,bst {name}: csr + csr"), &a, &b, &trees);
            let mut y = vec![0.0; a.rows];
            self.row(
                &format!("spmv into a tree {name}: csr"),
                &[1, 0],
                || {
                    compiled::spmv_csr(&mut y, view(&a), &x).expect("shapes fit");
                    Vec::new()
                },
                || {
                    let tree: Tensor<1, (pleach::runtime::tensor::Stores<Bst<f64>>,), ()> =
                        compiled::into_tree(&trees, &x).expect("shapes fit");
                    vec![tree]
                },
                |_, trees| !trees[0].levels.0.0.fiber().is_empty(),
            );
        }
    }

    fn added<R: Store<Coord = u32, Value = f64>>(&self, name: &str, a: &Csr, b: &Csr, stored: &Matrix<R>) {
        self.row(
            name,
            &[1, 0],
            || csr(compiled::par_add_csr(view(a), view(b)).expect("shapes fit")),
            || csr(compiled::par_add_dense_packed(stored, view(b)).expect("shapes fit")),
            alike,
        );
    }

    /// From an expression to Rust text.
    fn compiling(&self) {
        for (name, text) in [
            ("spmv", "kernel f(y: dense, A: csr, x: dense) { y(i) = A(i,j) * x(j) }"),
            ("addition", "kernel f(A: aspen, B: csr) -> C: csr { C(i,j) = A(i,j) + B(i,j) }"),
            ("spgemm", "kernel f(A: csr, B: csr) -> C: csr { C(i,j) = A(i,k) * B(k,j) }"),
            ("transpose", "kernel f(A: csr, B: csc) -> C: dcsr { C(i,j) = A(i,j) + B(i,j) * 2 }"),
            ("mttkrp", "kernel f(A: csf, C: matrix, D: matrix) -> B: matrix { B(i,l) = A(i,j,k) * C(j,l) * D(k,l) }"),
        ] {
            if !self.wanted(&format!("compile {name}")) {
                continue;
            }
            let mut times: Vec<f64> = (0..=self.rounds)
                .map(|_| {
                    // What is bundled is in scope once and for all.
                    let mut session = Session::bundled();
                    let start = Instant::now();
                    session
                        .add(SourceFile::new("f.pleach", text), &mut |_, _| Err(std::io::ErrorKind::NotFound.into()));
                    let modules = session.finish("::pleach_runtime").expect("the kernel compiles");
                    assert!(!modules[0].rust.is_empty());
                    start.elapsed().as_secs_f64() * 1e3
                })
                .collect();
            times.sort_by(f64::total_cmp);
            println!("{:<34}{:>8}{:>12}{:>12.3}", format!("compile {name}"), 1, "", times[times.len() / 2]);
        }
    }
}

/// The kernel as it was before it was written in index notation: a closure for each row.
fn closure<A: Rows<Value = f64>>(y: &mut [f64], a: &A, x: &[f64], d: &[f64]) {
    let y = SharedOutput::new(y);
    a.par_rows(|i, row| {
        let sum = row
            .fold_storage(0.0, |sum, run| run.coords().iter().fold(sum, |sum, &j| sum + x[j as usize] / d[j as usize]));
        y.set(i, y.get(i) + sum);
    });
}

fn view(a: &Csr) -> compiled::CsrView<'_, f64> {
    Tensor { shape: [a.rows, a.cols], levels: (Dense, Compressed { pos: &a.pos, crd: &a.crd }), vals: &a.vals }
}

fn matrix(vals: &[f64]) -> compiled::MatrixView<'_, f64> {
    Tensor { shape: [vals.len() / WIDTH, WIDTH], levels: (Dense, Dense), vals }
}

fn csr(c: compiled::Csr<f64>) -> Csr {
    Csr { rows: c.shape[0], cols: c.shape[1], pos: c.levels.1.pos, crd: c.levels.1.crd, vals: c.vals }
}

fn alike(a: &Csr, b: &Csr) -> bool {
    a.pos == b.pos && a.crd == b.crd && close(&a.vals, &b.vals)
}

fn same_levels(a: &by_hand::Dcsr, b: &by_hand::Dcsr) -> bool {
    (&a.0, &a.1, &a.2, &a.3) == (&b.0, &b.1, &b.2, &b.3) && close(&a.4, &b.4)
}
