//! Compiled conversions beside those written by hand, in one process, in rounds that alternate.
//!
//! ```text
//! conversions [SIDE] [--rounds N] [--scipy]
//! ```
//!
//! The matrices are a grid of SIDE × SIDE points with five diagonals, and a random one with as many rows. `--scipy` has SciPy convert the
//! same matrices in a process of its own, which reads them from a file. Each routine allocates what it returns, which is freed before
//! the next round. The first round runs on fresh pages and is reported by itself; later rounds reuse pages.

mod hand;

use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use hand::{Coo, Lines};
use pleach::convert as compiled;
use pleach::runtime::tensor::{Compressed, Dense, Singleton, Tensor, View};
use pleach_datasets::{Sparse, write_sparse};

#[global_allocator]
static ALLOCATOR: jemallocator::Jemalloc = jemallocator::Jemalloc;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut side, mut rounds, mut scipy) = (1000, 11, false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--rounds" => rounds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(rounds),
            "--scipy" => scipy = true,
            other => side = other.parse().unwrap_or(side),
        }
    }
    for (name, csr) in [("grid", grid(side)), ("random", random(side))] {
        println!("{name}: {} rows, {} entries", csr.shape[0], csr.vals.len());
        println!("{:<12}{:>12}{:>12}{:>12}{:>12}", "", "by hand ms", "compiled ms", "ratio", "first");
        measure(&csr, rounds, name == "grid");
        if scipy {
            measure_scipy(&csr, name == "grid");
        }
    }
}

fn measure(csr: &Lines, rounds: usize, banded: bool) {
    use compiled::{Csc, Csr, Dia, Ell, convert};
    let csc = convert::<Csr, Csc>(csr.view());
    let coo: Coo = convert::<Csr, compiled::Coo>(csr.view());
    let of_coo = || Tensor {
        shape: coo.shape,
        levels: (
            Compressed { pos: &coo.levels.0.pos[..], crd: &coo.levels.0.crd[..] },
            Singleton { crd: &coo.levels.1.crd[..] },
        ),
        vals: &coo.vals[..],
    };
    beside("coo to csr", rounds, || hand::coo_to_csr(&coo), || convert::<compiled::Coo, Csr>(of_coo()));
    beside("csr to csc", rounds, || hand::csr_to_csc(csr), || convert::<Csr, Csc>(csr.view()));
    beside("csr to ell", rounds, || hand::csr_to_ell(csr), || convert::<Csr, Ell>(csr.view()));
    beside("csc to ell", rounds, || hand::csc_to_ell(&csc), || convert::<Csc, Ell>(csc.view()));
    if banded {
        beside("csr to dia", rounds, || hand::csr_to_dia(csr), || convert::<Csr, Dia>(csr.view()));
        beside("coo to dia", rounds, || hand::coo_to_dia(&coo), || convert::<compiled::Coo, Dia>(of_coo()));
        beside("csc to dia", rounds, || hand::csc_to_dia(&csc), || convert::<Csc, Dia>(csc.view()));
    }
}

/// Two routines in rounds that alternate: their medians, the ratio of these, and that of the first round.
fn beside<T: PartialEq>(name: &str, rounds: usize, by_hand: impl Fn() -> T, compiled: impl Fn() -> T) {
    let time = |routine: &dyn Fn() -> T| {
        let begin = Instant::now();
        let made = black_box(routine());
        let seconds = begin.elapsed().as_secs_f64();
        drop(made);
        seconds
    };
    let (mut hand, mut own) = (Vec::new(), Vec::new());
    for _ in 0..rounds.max(1) {
        hand.push(time(&by_hand));
        own.push(time(&compiled));
    }
    assert!(by_hand() == compiled(), "{name}: the two make different tensors");
    let first = own[0] / hand[0];
    let median = |all: &mut Vec<f64>| {
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let (hand, own) = (median(&mut hand), median(&mut own));
    println!("{name:<12}{:>12.2}{:>12.2}{:>12.2}{first:>12.2}", hand * 1e3, own * 1e3, own / hand);
}

/// A five-point stencil.
fn grid(side: usize) -> Lines {
    rows(side * side, |i, add| {
        let (y, x) = (i / side, i % side);
        if y > 0 {
            add(i - side);
        }
        if x > 0 {
            add(i - 1);
        }
        add(i);
        if x + 1 < side {
            add(i + 1);
        }
        if y + 1 < side {
            add(i + side);
        }
    })
}

/// Five entries a row, anywhere.
fn random(side: usize) -> Lines {
    let n = side * side;
    let mut state = 1u64;
    rows(n, |_, add| {
        let mut all: Vec<usize> = (0..5)
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 33) as usize % n
            })
            .collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter().for_each(add);
    })
}

fn rows(n: usize, mut row: impl FnMut(usize, &mut dyn FnMut(usize))) -> Lines {
    let (mut pos, mut crd) = (vec![0], Vec::new());
    for i in 0..n {
        row(i, &mut |j| crd.push(j as u32));
        pos.push(crd.len());
    }
    let vals = (0..crd.len()).map(|k| 1.0 + (k % 7) as f64).collect();
    Tensor { shape: [n, n], levels: (Dense, Compressed { pos, crd }), vals }
}

const SCIPY: &str = "
import sys, time, scipy.sparse as s
m = s.load_npz(sys.argv[1]).tocsr(); c = m.tocsc(); o = m.tocoo()
pairs = [('coo to csr', o.tocsr), ('csr to csc', m.tocsc)]
if sys.argv[2] == 'True':
    pairs += [('csr to dia', m.todia), ('coo to dia', o.todia), ('csc to dia', c.todia)]
for name, convert in pairs:
    times = []
    for _ in range(7):
        begin = time.perf_counter(); convert(); times.append(time.perf_counter() - begin)
    print(f'{name:<12}{sorted(times)[3] * 1e3:>12.2f} ms by SciPy')
";

fn measure_scipy(csr: &Lines, banded: bool) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("matrix.npz");
    let Compressed { pos, crd } = &csr.levels.1;
    let matrix = Sparse::Csr { indptr: pos.clone(), indices: crd.clone(), data: csr.vals.clone() };
    write_sparse(&matrix, (csr.shape[0], csr.shape[1]), &path).expect("the matrix is written");
    let banded = if banded { "True" } else { "False" };
    let told = Command::new("python3").arg("-c").arg(SCIPY).arg(&path).arg(banded).output();
    match told {
        Ok(told) if told.status.success() => print!("{}", String::from_utf8_lossy(&told.stdout)),
        _ => println!("SciPy is not installed"),
    }
}
