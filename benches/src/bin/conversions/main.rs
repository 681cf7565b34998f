//! Compiled conversions beside those written by hand, in one process, in rounds that alternate.
//!
//! ```text
//! conversions [SIDE] [--rounds N] [--scipy]
//! ```
//!
//! The matrices are a grid of SIDE × SIDE points with five diagonals, and a random one with as many rows. Routines by hand use one thread;
//! compiled ones run with one, and with all there are. Each routine allocates what it returns, which is freed before the next round. The
//! first round runs on fresh pages and is reported by itself; later rounds reuse pages. `--scipy` has SciPy convert the same matrices, in
//! a process of its own that reads them from a file; `PYTHON` may name the interpreter that has it.

mod hand;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use hand::{Coo, Lines};
use pleach::convert as compiled;
use pleach::runtime::tensor::{Arranged, Compressed, Dense, Singleton, Tensor, View};
use pleach::runtime::{Packed, Paged};
use pleach::{Csr as Rows, CsrView, Matrix};
use pleach_datasets::{Sparse, write_sparse};
use rayon::{ThreadPool, ThreadPoolBuilder};

#[global_allocator]
static ALLOCATOR: jemallocator::Jemalloc = jemallocator::Jemalloc;

/// Times of the compiled routines with all threads, in seconds.
type Times = BTreeMap<&'static str, f64>;

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
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
    let bench = Bench { rounds: rounds.max(1), one: pool(1), all: pool(0) };
    for (name, csr) in [("grid", grid(side)), ("random", random(side))] {
        println!(
            "{name}: {} rows, {} entries; {} threads",
            csr.shape[0],
            csr.vals.len(),
            bench.all.current_num_threads()
        );
        println!("{:<18}{:>12}{:>12}{:>12}{:>12}", "ratios to by hand", "by hand ms", "1 thread", "all", "fresh pages");
        let times = bench.measure(&csr, name == "grid");
        if scipy {
            measure_scipy(&csr, name == "grid", &times);
        }
    }
}

struct Bench {
    rounds: usize,
    one: ThreadPool,
    all: ThreadPool,
}

impl Bench {
    fn measure(&self, csr: &Lines, banded: bool) -> Times {
        use compiled::{Bcsr, Csc, Csr, Dia, Ell, convert};
        let mut times = Times::new();
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
        let t = &mut times;
        self.beside(t, "coo to csr", || hand::coo_to_csr(&coo), || convert::<compiled::Coo, Csr>(of_coo()));
        self.beside(t, "csr to csc", || hand::csr_to_csc(csr), || convert::<Csr, Csc>(csr.view()));
        self.beside(t, "csr to ell", || hand::csr_to_ell(csr), || convert::<Csr, Ell>(csr.view()));
        self.beside(t, "csc to ell", || hand::csc_to_ell(&csc), || convert::<Csc, Ell>(csc.view()));
        self.beside(t, "csr to bcsr", || Arranged::new(hand::csr_to_bcsr(csr)), || convert::<Csr, Bcsr>(csr.view()));
        if banded {
            self.beside(t, "csr to dia", || hand::csr_to_dia(csr), || convert::<Csr, Dia>(csr.view()));
            self.beside(t, "coo to dia", || hand::coo_to_dia(&coo), || convert::<compiled::Coo, Dia>(of_coo()));
            self.beside(t, "csc to dia", || hand::csc_to_dia(&csc), || convert::<Csc, Dia>(csc.view()));
        }
        self.stores(t, csr);
        times
    }

    /// The default store, beside a copy of the arrays; and the transposition of rows, beside the routine by hand.
    fn stores(&self, times: &mut Times, csr: &Lines) {
        let Compressed { pos, crd } = &csr.levels.1;
        let view = || CsrView::from_parts(csr.shape[1], pos, crd, &csr.vals).expect("rows are in order");
        let rows = view();
        let matrix = Matrix::<Packed<u32, f64>>::from_csr::<Paged<_>>(rows);
        let copy = || (pos.clone(), crd.clone(), csr.vals.clone());
        println!("{:<18}{:>12}", "ratios to a copy", "copy ms");
        self.rounds(times, "csr to store", &copy, &|| Matrix::<Packed<u32, f64>>::from_csr::<Paged<_>>(rows));
        self.rounds(times, "store to csr", &copy, &|| Rows::from(&matrix));
        println!("{:<18}{:>12}", "ratios to by hand", "by hand ms");
        self.rounds(times, "transpose", &|| hand::csr_to_csc(csr), &|| rows.transpose());
    }

    /// Two routines that make the same.
    fn beside<T: PartialEq + Send>(
        &self,
        times: &mut Times,
        name: &'static str,
        by_hand: impl Fn() -> T + Sync,
        compiled: impl Fn() -> T + Sync,
    ) {
        assert!(by_hand() == self.all.install(&compiled), "{name}: the two make different tensors");
        self.rounds(times, name, &by_hand, &compiled);
    }

    /// Rounds that alternate: the median of the first routine, and the ratios of the other one to it: with one thread, with all, and with
    /// one in the first round.
    fn rounds<A: Send, B: Send>(
        &self,
        times: &mut Times,
        name: &'static str,
        by_hand: &(dyn Fn() -> A + Sync),
        compiled: &(dyn Fn() -> B + Sync),
    ) {
        let (mut hand, mut one, mut all) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.rounds {
            // On the thread of the compiled one: an allocator keeps the pages of each thread apart, and one routine would reuse pages
            // where the other one takes fresh ones.
            hand.push(seconds(&|| self.one.install(by_hand)));
            one.push(seconds(&|| self.one.install(compiled)));
            all.push(seconds(&|| self.all.install(compiled)));
        }
        let first = one[0] / hand[0];
        let (hand, one, all) = (median(hand), median(one), median(all));
        println!("{name:<18}{:>12.2}{:>12.2}{:>12.2}{first:>12.2}", hand * 1e3, one / hand, all / hand);
        times.insert(name, all);
    }
}

/// How long a routine takes; what it made is freed afterwards.
fn seconds<T>(routine: &dyn Fn() -> T) -> f64 {
    let begin = Instant::now();
    let made = black_box(routine());
    let seconds = begin.elapsed().as_secs_f64();
    drop(made);
    seconds
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
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
pairs = [('coo to csr', o.tocsr), ('csr to csc', m.tocsc), ('transpose', lambda: m.T.tocsr())]
pairs += [('csr to bcsr', lambda: m.tobsr((4, 4)))]
if sys.argv[2] == 'True':
    pairs += [('csr to dia', m.todia), ('coo to dia', o.todia), ('csc to dia', c.todia)]
for name, convert in pairs:
    times = []
    for _ in range(9):
        begin = time.perf_counter(); convert(); times.append(time.perf_counter() - begin)
    print(f'{name},{sorted(times)[4]}')
";

fn measure_scipy(csr: &Lines, banded: bool, times: &Times) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("matrix.npz");
    let Compressed { pos, crd } = &csr.levels.1;
    let matrix = Sparse::Csr { indptr: pos.clone(), indices: crd.clone(), data: csr.vals.clone() };
    write_sparse(&matrix, (csr.shape[0], csr.shape[1]), &path).expect("the matrix is written");
    let banded = if banded { "True" } else { "False" };
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let output = Command::new(python).arg("-c").arg(SCIPY).arg(&path).arg(banded).output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else {
        println!("SciPy is not installed");
        return;
    };
    println!("{:<18}{:>12}{:>12}{:>12}", "ratios to SciPy", "SciPy ms", "", "all");
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((name, Ok(scipy))) = line.split_once(',').map(|(name, time)| (name, time.parse::<f64>())) else {
            continue;
        };
        if let Some(own) = times.get(name) {
            println!("{name:<18}{:>12.2}{:>12}{:>12.2}", scipy * 1e3, "", own / scipy);
        }
    }
}
